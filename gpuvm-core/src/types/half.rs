//! `f16` and `bf16` of the crate `half`: floats of 16 bits, kept as their bits. What is done with them is done in `f32`
//! (`stdlib/half.rs`).

use super::{Comparisons, Field, Kind, Type, Value, name_hash};

/// The type of that name; its comparisons are the feature `half`'s.
pub const fn half_type(name: &'static str, comparisons: Comparisons) -> Type {
    const BITS: &[Field] = &[Field {
        hash: name_hash("0"),
        name: "",
        ty: <u16 as Value>::TYPE,
        refs: 0,
        offset: 0,
    }];
    Type::record(Kind::Half, name, BITS).compared(comparisons)
}

/// The number that 16 bits of the type of that name stand for.
pub fn half_value(name: &str, bits: u16) -> f32 {
    if name == "bf16" {
        return f32::from_bits(u32::from(bits) << 16);
    }
    let (exponent, fraction) = (bits >> 10 & 0x1f, bits & 0x3ff);
    let magnitude = match exponent {
        0 => f32::from(fraction) * 2f32.powi(-24),
        0x1f if fraction == 0 => f32::INFINITY,
        0x1f => f32::NAN,
        _ => f32::from_bits((u32::from(bits & 0x7fff) << 13) + (112 << 23)),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

#[cfg(feature = "half")]
mod values {
    use half::{bf16, f16};

    use super::half_type;
    use crate::types::{Type, Value, VmType};

    macro_rules! halves {
        ($($ty:ident)*) => {$(
            impl Value for $ty {
                type Erased = $ty;
                type Inner = $ty;
                type Depth = crate::types::Zero;
                const TYPE: &'static Type = &half_type(stringify!($ty), crate::stdlib::half::$ty::COMPARISONS);
            }

            /// NaNs come back as the one NaN `NAN`, as those of `f32` do.
            impl VmType for $ty {
                fn write_words(&self, words: &mut [u32]) {
                    self.to_bits().write_words(words);
                }

                fn read_words(words: &[u32]) -> Self {
                    let value = $ty::from_bits(u16::read_words(words));
                    if value.is_nan() { $ty::NAN } else { value }
                }
            }
        )*};
    }
    halves! { f16 bf16 }

    #[test]
    fn the_numbers_are_those_of_the_crate() {
        for bits in 0..=u16::MAX {
            let numbers = [
                (super::half_value("f16", bits), f16::from_bits(bits).to_f32()),
                (super::half_value("bf16", bits), bf16::from_bits(bits).to_f32()),
            ];
            for (own, known) in numbers {
                assert!(
                    own.to_bits() == known.to_bits() || own.is_nan() && known.is_nan(),
                    "{bits:#x}: {own}, {known}"
                );
            }
        }
    }
}
