//! Values as text, from their words: what `{:?}` prints for the same value in Rust.

use std::fmt::Write;

use super::{Field, Kind, Type, TypeRef, VmType};

/// The value of a type that these words hold, as `{:?}` prints it. A reference is shown as its type, one to a slice with its length.
pub fn format_words(ty: TypeRef, words: &[u32]) -> String {
    let words: Vec<Option<u32>> = words.iter().copied().map(Some).collect();
    show_words(ty, &words)
}

/// As [`format_words`], with `?` for words that are not known.
pub fn show_words(ty: TypeRef, words: &[Option<u32>]) -> String {
    let mut text = String::new();
    if ty.refs == 0 {
        value(&mut text, ty.ty, words);
        return text;
    }
    let _ = write!(text, "{ty}");
    if let (Kind::Slice, Some(Some(length))) = (ty.ty.kind, words.get(2)) {
        let _ = write!(text, " of {length}");
    }
    text
}

fn value(text: &mut String, ty: &Type, words: &[Option<u32>]) {
    match (ty.kind, ty.element_ref()) {
        (Kind::Wrapping | Kind::Atomic, Some(element)) => value(text, element.ty, words),
        (Kind::Array, Some(element)) => {
            text.push('[');
            for i in 0..ty.length {
                text.push_str(if i == 0 { "" } else { ", " });
                text.push_str(&show_words(element, part(words, i * element.words(), element.words())));
            }
            text.push(']');
        }
        (Kind::Tuple, _) => {
            fields(text, ty.fields, words);
            match ty.fields.len() {
                0 => text.push_str("()"),
                1 => text.insert(text.len() - 1, ','),
                _ => {}
            }
        }
        (Kind::Struct, _) => {
            text.push_str(ty.name);
            fields(text, ty.fields, words);
        }
        (Kind::Enum, _) => match words.first().copied().flatten() {
            None => text.push('?'),
            Some(tag) => match ty.variants.get(tag as usize) {
                Some(variant) => {
                    text.push_str(variant.name);
                    fields(text, variant.fields, words);
                }
                None => {
                    let _ = write!(text, "{}::<tag {tag}>", ty.name);
                }
            },
        },
        (Kind::U32, _) if ty.is_char() => match words.first().copied().flatten() {
            Some(scalar) => {
                let _ = write!(text, "{:?}", char::read_words(&[scalar]));
            }
            None => text.push('?'),
        },
        (kind, _) => scalar(text, kind, words),
    }
}

/// `(1, 2)` or ` { x: 1, y: 2 }`; nothing if there are none.
fn fields(text: &mut String, fields: &[Field], words: &[Option<u32>]) {
    let Some(first) = fields.first() else {
        return;
    };
    let named = !first.name.is_empty();
    text.push_str(if named { " { " } else { "(" });
    for (i, field) in fields.iter().enumerate() {
        text.push_str(if i == 0 { "" } else { ", " });
        if named {
            text.push_str(field.name);
            text.push_str(": ");
        }
        value(text, field.ty, part(words, field.offset, field.ty.words));
    }
    text.push_str(if named { " }" } else { ")" });
}

fn scalar(text: &mut String, kind: Kind, words: &[Option<u32>]) {
    let count = kind.words().max(1) as usize;
    let known: Option<Vec<u32>> = (0..count).map(|i| words.get(i).copied().flatten()).collect();
    let Some(known) = known else {
        text.push('?');
        return;
    };
    let shown = match kind {
        Kind::Bool => (known[0] != 0).to_string(),
        Kind::F32 => format!("{:?}", f32::from_bits(known[0])),
        Kind::F64 => format!("{:?}", f64::read_words(&known)),
        Kind::I64 => i64::read_words(&known).to_string(),
        Kind::U64 => u64::read_words(&known).to_string(),
        Kind::I128 => i128::read_words(&known).to_string(),
        Kind::U128 => u128::read_words(&known).to_string(),
        kind if kind.is_signed() => (known[0] as i32).to_string(),
        _ => known[0].to_string(),
    };
    text.push_str(&shown);
}

/// The words of a part, as far as they are there.
fn part(words: &[Option<u32>], offset: u32, count: u32) -> &[Option<u32>] {
    let start = (offset as usize).min(words.len());
    &words[start..(start + count as usize).min(words.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Value, Variant, VmType, name_hash};

    #[track_caller]
    fn same<T: VmType + std::fmt::Debug>(value: T) {
        let mut words = vec![0; T::TYPE.words as usize];
        value.write_words(&mut words);
        assert_eq!(format_words(TypeRef::of::<T>(), &words), format!("{value:?}"));
    }

    #[test]
    fn values_look_as_in_rust() {
        same(true);
        same(('a', '\n', char::MAX, '\'', 'é'));
        same((1.5_f32, f32::NAN, -0.0_f32, f32::INFINITY, 1e-40_f32, 16_777_216_f32));
        same((1.5_f64, f64::NAN, -0.0_f64, 1e300_f64, 0.1_f64));
        same((-1_i8, 255_u8, i16::MIN, u16::MAX, i32::MIN, u32::MAX));
        same((i64::MIN, u64::MAX, -2_isize, 7_usize));
        same((i128::MIN, -1_i128, u128::MAX, 1_u128 << 64));
        same([[Some(1_u64), None], [Some(3), None]]);
        same((std::num::Wrapping(5_u32), (7_u8,), ()));
        same::<Result<f32, (u8, bool)>>(Err((1, true)));
        same(());
    }

    const fn field(name: &'static str, offset: u32) -> Field {
        Field {
            hash: name_hash(name),
            name,
            ty: <f32 as Value>::TYPE,
            refs: 0,
            offset,
        }
    }

    #[test]
    fn fields_and_variants_have_their_names() {
        static FIELDS: &[Field] = &[field("x", 0), field("y", 1)];
        static POINT: Type = Type::record(Kind::Struct, "Point", FIELDS);
        static UNIT: Type = Type::record(Kind::Struct, "Unit", &[]);
        static SIDE: &[Field] = &[field("side", 1)];
        static SHAPE: Type = Type::tagged(
            "Shape",
            &[Variant {
                hash: name_hash("Square"),
                name: "Square",
                fields: SIDE,
                discriminant: 0,
            }],
        );
        let one = 1.0_f32.to_bits();
        let point = TypeRef::value(&POINT);
        assert_eq!(format_words(point, &[one, 0]), "Point { x: 1.0, y: 0.0 }");
        assert_eq!(show_words(point, &[None, Some(0)]), "Point { x: ?, y: 0.0 }");
        assert_eq!(format_words(point, &[one]), "Point { x: 1.0, y: ? }");
        assert_eq!(format_words(TypeRef::value(&UNIT), &[]), "Unit");
        assert_eq!(format_words(TypeRef::value(&SHAPE), &[0, one]), "Square { side: 1.0 }");
        assert_eq!(format_words(TypeRef::value(&SHAPE), &[9, one]), "Shape::<tag 9>");
    }

    #[test]
    fn references_are_shown_by_type() {
        assert_eq!(format_words(TypeRef::of::<&[f32]>(), &[1, 5, 12]), "&[f32] of 12");
        assert_eq!(show_words(TypeRef::of::<&mut [f32]>(), &[None; 3]), "&mut [f32]");
        assert_eq!(format_words(TypeRef::of::<&u32>(), &[1, 5]), "&u32");
    }
}
