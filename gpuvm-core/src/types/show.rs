//! Values as text, from their words: what `{:?}` and its kin print for the same value in Rust.

use std::fmt::{self, Debug, Formatter};
use std::time::Duration;

use gpuvm_nodes::{Align, FormatSpec, Style};

use crate::isa::space;
use crate::stdlib::packed;

use super::{Field, Kind, TypeRef, VmType, half_value};

/// The value of a type that these words hold, as `{:?}` prints it. A reference is shown as its type, one to a slice with its length.
pub fn format_words(ty: TypeRef, words: &[u32]) -> String {
    let words: Vec<Option<u32>> = words.iter().copied().map(Some).collect();
    show_words(ty, &words)
}

/// As [`format_words`], with `?` for words that are not known.
pub fn show_words(ty: TypeRef, words: &[Option<u32>]) -> String {
    let style = Style::Debug;
    show_as(
        ty,
        words,
        &FormatSpec {
            style,
            ..FormatSpec::DISPLAY
        },
        &[],
    )
}

/// As [`show_words`], in another format, with the texts that are in a program's data.
pub fn show_as(ty: TypeRef, words: &[Option<u32>], format: &FormatSpec, data: &[u32]) -> String {
    let value = Shown {
        ty,
        words,
        format,
        data,
    };
    match format.alternate {
        true => format!("{value:#?}"),
        false => format!("{value:?}"),
    }
}

/// A value that is shown in a format, which goes on to all that the value is made of.
#[derive(Clone, Copy)]
struct Shown<'a> {
    ty: TypeRef,
    words: &'a [Option<u32>],
    format: &'a FormatSpec,
    data: &'a [u32],
}

impl Shown<'_> {
    fn part(&self, ty: TypeRef, offset: u32) -> Shown<'_> {
        let start = (offset as usize).min(self.words.len());
        let end = (start + ty.words() as usize).min(self.words.len());
        Shown {
            ty,
            words: &self.words[start..end],
            format: self.format,
            data: self.data,
        }
    }

    /// A range, as its type's name says: `start..=end`. Of one that has given all its numbers the ends have passed each other.
    fn range(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let ty = self.ty.ty;
        let field = |name: &str| ty.fields.iter().find(|field| field.name == name);
        let is_exhausted =
            field("exhausted").is_some_and(|field| self.words.get(field.offset as usize) == Some(&Some(1)));
        let sign = ty.name.trim_start_matches("start").trim_end_matches("end");
        let start = if is_exhausted { field("end") } else { field("start") };
        if let Some(start) = start.filter(|_| ty.name.starts_with("start")) {
            self.part(start.type_ref(), start.offset).fmt(f)?;
        }
        f.write_str(sign)?;
        if let Some(end) = field("end") {
            self.part(end.type_ref(), end.offset).fmt(f)?;
        }
        f.write_str(if is_exhausted { " (exhausted)" } else { "" })
    }

    /// `Name(1, 2)` or `Name { x: 1, y: 2 }`.
    fn fields(&self, f: &mut Formatter<'_>, name: &str, fields: &[Field]) -> fmt::Result {
        match fields.first() {
            None => f.write_str(name),
            Some(first) if first.name.is_empty() => {
                let mut tuple = f.debug_tuple(name);
                for field in fields {
                    tuple.field(&self.part(field.type_ref(), field.offset));
                }
                tuple.finish()
            }
            Some(_) => {
                let mut record = f.debug_struct(name);
                for field in fields {
                    record.field(field.name, &self.part(field.type_ref(), field.offset));
                }
                record.finish()
            }
        }
    }

    /// As the crate `half` prints its numbers: some formats are of the bits, and know no flags.
    fn half(&self) -> Option<String> {
        let bits = self.words.first().copied().flatten()? as u16;
        let value = half_value(self.ty.ty.name, bits);
        Some(match self.format.style {
            Style::LowerExp => format!("{value:e}"),
            Style::UpperExp => format!("{value:E}"),
            Style::LowerHex => format!("{bits:x}"),
            Style::UpperHex => format!("{bits:X}"),
            Style::Binary => format!("{bits:b}"),
            Style::Octal => format!("{bits:o}"),
            _ => plain(&value, self.format, Align::Right),
        })
    }

    /// A text: packed, or behind a reference that leads into the program's data.
    fn text(&self) -> Option<String> {
        let words: Option<Vec<u32>> = self.words.iter().copied().collect();
        let text = match (self.ty.refs, words?.as_slice()) {
            (0, words) => packed::unpack(words, self.data)?,
            (1, &[space::DATA, start, length]) => packed::text_in(self.data, start, length as usize)?,
            _ => return None,
        };
        if self.format.style.is_debug() {
            return Some(format!("{text:?}"));
        }
        let cut = match self.format.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text,
        };
        Some(padded(cut, self.format, Align::Left))
    }

    /// What was put into a `OnceCell`.
    fn once_cell(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (Some(field), Some(tag)) = (self.ty.ty.fields.first(), self.words.first().copied().flatten()) else {
            return f.write_str("?");
        };
        match field
            .ty
            .variants
            .get(tag as usize)
            .and_then(|variant| variant.fields.first())
        {
            Some(value) => f
                .debug_tuple(self.ty.ty.name)
                .field(&self.part(value.type_ref(), value.offset))
                .finish(),
            None => f.debug_tuple(self.ty.ty.name).field(&format_args!("<uninit>")).finish(),
        }
    }

    fn duration(&self) -> Option<String> {
        let words: Option<Vec<u32>> = self.words.get(..self.ty.words() as usize)?.iter().copied().collect();
        Some(lasting(&Duration::read_words(&words?), self.format))
    }

    fn scalar(&self) -> Option<String> {
        let kind = self.ty.ty.kind;
        let count = kind.words().max(1) as usize;
        let words: Option<Vec<u32>> = (0..count).map(|i| self.words.get(i).copied().flatten()).collect();
        let words = words?;
        let format = self.format;
        Some(match kind {
            Kind::Bool => plain(&(words[0] != 0), format, Align::Left),
            Kind::F32 => real(&f32::from_bits(words[0]), format),
            Kind::F64 => real(&f64::read_words(&words), format),
            Kind::I64 => integer(&i64::read_words(&words), format),
            Kind::U64 => integer(&u64::read_words(&words), format),
            Kind::I128 => integer(&i128::read_words(&words), format),
            Kind::U128 => integer(&u128::read_words(&words), format),
            Kind::U32 if self.ty.ty.is_char() => plain(&char::read_words(&words), format, Align::Left),
            Kind::I8 => integer(&(words[0] as i8), format),
            Kind::I16 => integer(&(words[0] as i16), format),
            kind if kind.is_signed() => integer(&(words[0] as i32), format),
            _ => integer(&words[0], format),
        })
    }
}

impl Debug for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let TypeRef { ty, refs, .. } = self.ty;
        if ty.is_text()
            && let Some(text) = self.text()
        {
            return f.write_str(&text);
        }
        match (ty.kind, ty.element_ref()) {
            (Kind::Slice, _)
                if refs > 0
                    && let Some(Some(length)) = self.words.get(2) =>
            {
                write!(f, "{} of {length}", self.ty)
            }
            _ if refs > 0 => write!(f, "{}", self.ty),
            (Kind::Wrapping | Kind::Atomic, Some(element)) => self.part(element, 0).fmt(f),
            (Kind::Array, Some(element)) => {
                let elements = (0..ty.length).map(|i| self.part(element, i * element.words()));
                f.debug_list().entries(elements).finish()
            }
            (Kind::Tuple, _) if ty.fields.is_empty() => f.write_str("()"),
            (Kind::Tuple, _) => self.fields(f, "", ty.fields),
            (Kind::Half, _) => f.write_str(self.half().as_deref().unwrap_or("?")),
            (Kind::Struct, _) if ty.name.contains("..") => self.range(f),
            (Kind::Struct, _) if ty.is_duration() => f.write_str(self.duration().as_deref().unwrap_or("?")),
            (Kind::Struct, _) if ty.is_once_cell() => self.once_cell(f),
            (Kind::Struct, _) => self.fields(f, ty.name, ty.fields),
            (Kind::Enum, _) => match self.words.first().copied().flatten() {
                None => f.write_str("?"),
                Some(tag) => match ty.variants.get(tag as usize) {
                    Some(variant) => self.fields(f, variant.name, variant.fields),
                    None => write!(f, "{}::<tag {tag}>", ty.name),
                },
            },
            _ => f.write_str(self.scalar().as_deref().unwrap_or("?")),
        }
    }
}

/// Formats a value by one of std's traits, with the flags that std itself has to know.
macro_rules! by_trait {
    ($value:expr, $format:expr, $style:literal) => {{
        let (value, width) = ($value, $format.width.unwrap_or_default());
        match ($format.plus, $format.alternate, $format.zero, $format.precision) {
            (false, false, false, None) => format!(concat!("{:", $style, "}"), value),
            (true, false, false, None) => format!(concat!("{:+", $style, "}"), value),
            (false, true, false, None) => format!(concat!("{:#", $style, "}"), value),
            (true, true, false, None) => format!(concat!("{:+#", $style, "}"), value),
            (false, false, true, None) => format!(concat!("{:0width$", $style, "}"), value, width = width),
            (true, false, true, None) => format!(concat!("{:+0width$", $style, "}"), value, width = width),
            (false, true, true, None) => format!(concat!("{:#0width$", $style, "}"), value, width = width),
            (true, true, true, None) => format!(concat!("{:+#0width$", $style, "}"), value, width = width),
            (false, false, false, Some(digits)) => format!(concat!("{:.1$", $style, "}"), value, digits),
            (true, false, false, Some(digits)) => format!(concat!("{:+.1$", $style, "}"), value, digits),
            (false, true, false, Some(digits)) => format!(concat!("{:#.1$", $style, "}"), value, digits),
            (true, true, false, Some(digits)) => format!(concat!("{:+#.1$", $style, "}"), value, digits),
            (false, false, true, Some(digits)) => format!(concat!("{:02$.1$", $style, "}"), value, digits, width),
            (true, false, true, Some(digits)) => format!(concat!("{:+02$.1$", $style, "}"), value, digits, width),
            (false, true, true, Some(digits)) => format!(concat!("{:#02$.1$", $style, "}"), value, digits, width),
            (true, true, true, Some(digits)) => format!(concat!("{:+#02$.1$", $style, "}"), value, digits, width),
        }
    }};
}

/// A duration, of which std's `Debug` prints the unit.
fn lasting(value: &Duration, format: &FormatSpec) -> String {
    padded(by_trait!(value, format, "?"), format, Align::Left)
}

/// A value of a type that has no other traits than these two.
fn plain<T: fmt::Display + Debug>(value: &T, format: &FormatSpec, align: Align) -> String {
    let text = match format.style.is_debug() {
        true => by_trait!(value, format, "?"),
        false => by_trait!(value, format, ""),
    };
    padded(text, format, align)
}

fn real<T: fmt::Display + Debug + fmt::LowerExp + fmt::UpperExp>(value: &T, format: &FormatSpec) -> String {
    let text = match format.style {
        Style::LowerExp => by_trait!(value, format, "e"),
        Style::UpperExp => by_trait!(value, format, "E"),
        _ => return plain(value, format, Align::Right),
    };
    padded(text, format, Align::Right)
}

fn integer<T>(value: &T, format: &FormatSpec) -> String
where
    T: fmt::Display + Debug + fmt::LowerExp + fmt::UpperExp,
    T: fmt::LowerHex + fmt::UpperHex + fmt::Binary + fmt::Octal,
{
    let text = match format.style {
        Style::DebugLowerHex => by_trait!(value, format, "x?"),
        Style::DebugUpperHex => by_trait!(value, format, "X?"),
        Style::LowerHex => by_trait!(value, format, "x"),
        Style::UpperHex => by_trait!(value, format, "X"),
        Style::Binary => by_trait!(value, format, "b"),
        Style::Octal => by_trait!(value, format, "o"),
        _ => return real(value, format),
    };
    padded(text, format, Align::Right)
}

/// The text in its width; `align` is the type's own.
fn padded(text: String, format: &FormatSpec, align: Align) -> String {
    let missing = format.width.unwrap_or_default().saturating_sub(text.chars().count());
    let before = match format.align.unwrap_or(align) {
        Align::Left => 0,
        Align::Centre => missing / 2,
        Align::Right => missing,
    };
    let fill = |count| std::iter::repeat_n(format.fill, count);
    fill(before).chain(text.chars()).chain(fill(missing - before)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Type, Value, Variant, name_hash};

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

    #[test]
    fn formats_are_those_of_std() {
        #[track_caller]
        fn shown<T: VmType>(value: T, format: &str) -> String {
            let mut words = vec![0; T::TYPE.words as usize];
            value.write_words(&mut words);
            let words: Vec<Option<u32>> = words.into_iter().map(Some).collect();
            show_as(TypeRef::of::<T>(), &words, &FormatSpec::parse(format).unwrap(), &[])
        }
        macro_rules! same {
            ($($value:expr, $format:literal;)*) => {
                $(assert_eq!(shown($value, $format), format!(concat!("{:", $format, "}"), $value));)*
            };
        }
        same! {
            -5_i8, "x"; -5_i16, "#06X"; 5_u8, "#010b"; -1_i128, "o"; 1234_u32, "e"; 7_u64, "+"; 7_i32, "<4"; 7_i32, "*^6"; 7_u8, "05";
            1.5_f32, "08.3"; -1.5_f64, "+09.2"; f32::NAN, "08"; 1e300_f64, "e"; 0.1_f32, ".0"; f64::INFINITY, ">7"; -0.0_f32, "?";
            true, "6"; true, ".1"; 'x', "-^5"; 'x', "?"; (1_u8, 2.5_f32), "#?"; (1_u8, 2.5_f32), ".2?"; [255_u8, 16], "x?"; [255_u8, 16], "#X?";
            Duration::from_micros(1_500_250), "?"; Duration::from_millis(20), "9.1?"; Some((1_u8, -2_i64)), "#?"; [1_u8, 2], "3?"; (), "?"; u128::MAX, "#x"; (7_u8,), "?";
        }
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
