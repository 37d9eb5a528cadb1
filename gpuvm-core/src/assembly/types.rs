//! Types as text, with all their fields: `struct Ray { origin: [f32; 3], hit: enum Option { None = 0, Some = 1 { 0: u32 } } }`.
//! Fields lie one after the other, so offsets need not be written.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use super::cursor::Cursor;
use crate::types::{Comparisons, Field, Kind, Type, TypeRef, Variant, half_type, name_hash};

/// The text of a type.
pub fn print(ty: TypeRef) -> String {
    let mut text = String::new();
    for i in 0..ty.refs {
        text.push_str(if i == 0 && ty.mutable { "&mut " } else { "&" });
    }
    print_type(&mut text, ty.ty);
    text
}

/// The type that the text at the cursor stands for.
pub fn parse(cursor: &mut Cursor<'_>) -> Result<TypeRef, String> {
    let (mut refs, mut mutable) = (0_u8, false);
    while cursor.eat("&") {
        refs = refs
            .checked_add(1)
            .ok_or("a type may stand behind 255 references at most")?;
        mutable |= refs == 1 && cursor.eat("mut ");
    }
    Ok(TypeRef {
        ty: parse_type(cursor, 0)?,
        refs,
        mutable,
    })
}

/// The name of a scalar kind, as Rust has it.
pub fn kind_name(kind: Kind) -> String {
    format!("{kind:?}").to_lowercase()
}

/// The scalar kind of a name.
pub fn kind_of(name: &str) -> Result<Kind, String> {
    (0..=u8::MAX)
        .map_while(Kind::from_code)
        .find(|kind| kind_name(*kind) == name)
        .ok_or_else(|| format!("`{name}` is no scalar: there are bool, f32, f64 and the integers"))
}

/// The type of a whole text, as [`print`] makes it.
pub fn from_text(text: &str) -> Result<TypeRef, String> {
    let mut cursor = Cursor::new(text);
    let ty = parse(&mut cursor)?;
    cursor.expect_end()?;
    Ok(ty)
}

/// What is kept for as long as the process lives, by a text that tells all there is in it: so equal things are kept once.
type Kept<T> = Mutex<BTreeMap<String, &'static T>>;

fn keep_by<T: ?Sized>(kept: &Kept<T>, key: String, leak: impl FnOnce() -> &'static T) -> &'static T {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.entry(key).or_insert_with(leak)
}

/// The text for as long as the process lives.
pub fn keep(text: &str) -> &'static str {
    static KEPT: Kept<str> = Mutex::new(BTreeMap::new());
    keep_by(&KEPT, text.to_string(), || text.to_string().leak())
}

/// The texts for as long as the process lives.
pub fn keep_texts<T: AsRef<str>>(texts: Vec<T>) -> &'static [&'static str] {
    static KEPT: Kept<[&'static str]> = Mutex::new(BTreeMap::new());
    let texts: Vec<&'static str> = texts.iter().map(|text| keep(text.as_ref())).collect();
    keep_by(&KEPT, format!("{texts:?}"), || texts.leak())
}

/// The type for as long as the process lives.
fn keep_type(ty: Type) -> &'static Type {
    static KEPT: Kept<Type> = Mutex::new(BTreeMap::new());
    let mut text = String::new();
    print_type(&mut text, &ty);
    keep_by(&KEPT, text, || Box::leak(Box::new(ty)))
}

/// Fields, the first at `offset`, for as long as the process lives.
fn keep_fields(fields: Vec<Field>, offset: u32) -> &'static [Field] {
    static KEPT: Kept<[Field]> = Mutex::new(BTreeMap::new());
    let mut text = offset.to_string();
    print_fields(&mut text, &fields);
    keep_by(&KEPT, text, || fields.leak())
}

/// Variants for as long as the process lives.
fn keep_variants(variants: Vec<Variant>) -> &'static [Variant] {
    static KEPT: Kept<[Variant]> = Mutex::new(BTreeMap::new());
    let mut text = String::new();
    print_variants(&mut text, &variants);
    keep_by(&KEPT, text, || variants.leak())
}

fn print_type(text: &mut String, ty: &Type) {
    match (ty.kind, ty.element_ref()) {
        (Kind::Struct, _) => {
            text.push_str("struct ");
            text.push_str(ty.name);
            print_fields(text, ty.fields);
        }
        (Kind::Enum, _) => {
            text.push_str("enum ");
            text.push_str(ty.name);
            print_variants(text, ty.variants);
        }
        (Kind::Tuple, _) => {
            text.push('(');
            for field in ty.fields {
                print_field(text, field);
                text.push_str(", ");
            }
            if ty.fields.len() > 1 {
                text.truncate(text.len() - 2);
            }
            text.push(')');
        }
        (Kind::Array, Some(element)) => {
            text.push('[');
            print_behind(text, element);
            let _ = write!(text, "; {}]", ty.length);
        }
        (Kind::Slice, Some(element)) if !ty.is_text() => {
            text.push('[');
            print_behind(text, element);
            text.push(']');
        }
        (Kind::Wrapping, Some(element)) => {
            text.push_str("Wrapping<");
            print_behind(text, element);
            text.push('>');
        }
        _ => text.push_str(ty.name),
    }
}

fn print_variants(text: &mut String, variants: &[Variant]) {
    for (i, variant) in variants.iter().enumerate() {
        let before = if i == 0 { " { " } else { ", " };
        let _ = write!(text, "{before}{} = {}", variant.name, variant.discriminant);
        if !variant.fields.is_empty() {
            print_fields(text, variant.fields);
        }
    }
    text.push_str(if variants.is_empty() { " {}" } else { " }" });
}

fn print_fields(text: &mut String, fields: &[Field]) {
    for (i, field) in fields.iter().enumerate() {
        text.push_str(if i == 0 { " { " } else { ", " });
        if field.name.is_empty() {
            let _ = write!(text, "{i}: ");
        } else {
            let _ = write!(text, "{}: ", field.name);
        }
        print_field(text, field);
    }
    text.push_str(if fields.is_empty() { " {}" } else { " }" });
}

fn print_field(text: &mut String, field: &Field) {
    print_behind(text, field.type_ref());
}

/// A type behind its references, of which nobody says here whether they are `&mut`.
fn print_behind(text: &mut String, ty: TypeRef) {
    for _ in 0..ty.refs {
        text.push('&');
    }
    print_type(text, ty.ty);
}

/// Deeper nesting than any program has, so that hostile text cannot exhaust the stack.
const DEEPEST: u32 = 64;
/// More words than any value has, so that hostile text cannot overflow a size.
const MOST_WORDS: u64 = 1 << 24;

fn parse_type(cursor: &mut Cursor<'_>, depth: u32) -> Result<&'static Type, String> {
    if depth > DEEPEST {
        return Err(format!("types may be nested {DEEPEST} deep at most"));
    }
    let plain = Type::NEVER;
    if cursor.eat("(") {
        let fields = parse_fields(cursor, ")", 0, depth, false)?;
        return Ok(keep_type(Type::record(Kind::Tuple, "tuple", fields)));
    }
    if cursor.eat("[") {
        let refs = parse_references(cursor)?;
        let element = parse_type(cursor, depth + 1)?;
        let slice = keep_type(Type {
            kind: Kind::Slice,
            name: "slice",
            element: Some(element),
            element_refs: refs,
            ..plain
        });
        if cursor.eat("]") {
            return Ok(slice);
        }
        cursor.expect(";")?;
        let length = cursor.number()?;
        cursor.expect("]")?;
        let size = slice.element_ref().map_or(0, TypeRef::words);
        let words = checked_size(u64::from(length) * u64::from(size))?;
        let array = Type {
            kind: Kind::Array,
            name: "array",
            words,
            element: Some(element),
            element_refs: refs,
            length,
            ..plain
        };
        return Ok(keep_type(Type {
            slice: Some(slice),
            ..array
        }));
    }
    if cursor.eat("!") {
        return Ok(keep_type(plain));
    }
    let name = cursor.name()?;
    let ty = match name {
        "struct" => {
            let name = keep(cursor.name()?);
            cursor.expect("{")?;
            Type::record(Kind::Struct, name, parse_fields(cursor, "}", 0, depth, true)?)
        }
        "enum" => {
            let name = keep(cursor.name()?);
            cursor.expect("{")?;
            Type::tagged(name, parse_variants(cursor, depth)?)
        }
        "Wrapping" => {
            cursor.expect("<")?;
            let element = parse_type(cursor, depth + 1)?;
            cursor.expect(">")?;
            let field = Field {
                hash: name_hash("0"),
                name: "",
                ty: element,
                refs: 0,
                offset: 0,
            };
            let ty = Type::record(Kind::Wrapping, "Wrapping", keep_fields(vec![field], 0));
            Type {
                element: Some(element),
                ..ty
            }
        }
        "AtomicU32" | "AtomicI32" | "AtomicU64" | "AtomicI64" => {
            let (kind, element) = match name {
                "AtomicU32" => (Kind::U32, "u32"),
                "AtomicI32" => (Kind::I32, "i32"),
                "AtomicU64" => (Kind::U64, "u64"),
                _ => (Kind::I64, "i64"),
            };
            let element = keep_type(Type::scalar(kind, element));
            Type {
                kind: Kind::Atomic,
                name: keep(name),
                words: element.words,
                element: Some(element),
                ..plain
            }
        }
        "str" => Type {
            element: Some(keep_type(Type::scalar(Kind::U8, "u8"))),
            ..Type::scalar(Kind::Slice, "str")
        },
        "f16" | "bf16" => half_type(keep(name), Comparisons::DERIVED),
        name => Type::scalar(kind_of(name)?, keep(name)),
    };
    Ok(keep_type(ty))
}

/// How many references stand at the cursor.
fn parse_references(cursor: &mut Cursor<'_>) -> Result<u8, String> {
    let mut refs = 0_u8;
    while cursor.eat("&") {
        refs = refs
            .checked_add(1)
            .ok_or("a type may stand behind 255 references at most")?;
    }
    Ok(refs)
}

/// Fields up to the closing bracket, the first at offset `first`. A field whose name is its number has no name.
fn parse_fields(
    cursor: &mut Cursor<'_>,
    close: &str,
    first: u32,
    depth: u32,
    named: bool,
) -> Result<&'static [Field], String> {
    let mut offset = first;
    let mut fields = Vec::new();
    while !cursor.eat(close) {
        let index = fields.len().to_string();
        let name = if named { cursor.name()? } else { &index };
        if named {
            cursor.expect(":")?;
        }
        let refs = parse_references(cursor)?;
        let ty = parse_type(cursor, depth + 1)?;
        let kept = if name == index { "" } else { keep(name) };
        let field = Field {
            hash: name_hash(name),
            name: kept,
            ty,
            refs,
            offset,
        };
        offset = checked_size(u64::from(offset) + u64::from(field.type_ref().words()))?;
        fields.push(field);
        if !cursor.eat(",") {
            cursor.expect(close)?;
            break;
        }
    }
    Ok(keep_fields(fields, first))
}

fn parse_variants(cursor: &mut Cursor<'_>, depth: u32) -> Result<&'static [Variant], String> {
    let mut variants = Vec::new();
    while !cursor.eat("}") {
        let name = keep(cursor.name()?);
        cursor.expect("=")?;
        let discriminant = i64::try_from(cursor.integer()?).map_err(|_| "a discriminant has 64 bits at most")?;
        let fields = if cursor.eat("{") {
            parse_fields(cursor, "}", 1, depth, true)?
        } else {
            &[]
        };
        variants.push(Variant {
            hash: name_hash(name),
            name,
            fields,
            discriminant,
        });
        if !cursor.eat(",") {
            cursor.expect("}")?;
            break;
        }
    }
    Ok(keep_variants(variants))
}

fn checked_size(words: u64) -> Result<u32, String> {
    if words > MOST_WORDS {
        return Err(format!(
            "a value of {words} words is too large: at most {MOST_WORDS} are possible"
        ));
    }
    Ok(words as u32)
}
