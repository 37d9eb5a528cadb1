//! Conversions between scalars, as Rust's `as`.

use super::{Body, Value, Word};
use crate::isa::{Op, pair};
use crate::library::number;
use crate::types::{Kind, TypeRef, VmType};

/// A scalar: `bool`, an integer of up to 64 bits, `f32`, `f64`.
pub trait Scalar: VmType {
    #[doc(hidden)]
    const KIND: Kind;
}

macro_rules! scalars {
    ($($ty:ty: $kind:ident;)*) => {$(
        impl Scalar for $ty {
            const KIND: Kind = Kind::$kind;
        }
    )*};
}
scalars! {
    bool: Bool; u8: U8; u16: U16; u32: U32; u64: U64; usize: Usize;
    i8: I8; i16: I16; i32: I32; i64: I64; isize: Isize; f32: F32; f64: F64;
}

impl<'b, T: Scalar> Value<'b, T> {
    /// The value as another type, as Rust's `as` has it: integers lose what does not fit, floats saturate.
    #[track_caller]
    pub fn cast<U: Scalar>(self) -> Value<'b, U> {
        Value::of(self.body, self.body.cast(self.word, T::KIND, U::KIND))
    }
}

fn is_signed(kind: Kind) -> bool {
    matches!(kind, Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 | Kind::Isize)
}

impl Body {
    #[track_caller]
    fn cast(&self, word: Word, from: Kind, to: Kind) -> Word {
        match (from, to) {
            (from, to) if from == to => word,
            (Kind::F32, Kind::F64) => self.library(number::f32_to_f64, &[(TypeRef::of::<f32>(), word)], 2),
            (Kind::F64, Kind::F32) => self.library(number::f64_to_f32, &[(TypeRef::of::<f64>(), word)], 1),
            (Kind::F32, to) => self.of_single(word, to),
            (Kind::F64, to) => self.of_double(word, to),
            (from, Kind::F32) => self.to_single(word, from),
            (from, Kind::F64) => self.to_double(word, from),
            (from, to) => self.resize(word, from, to),
        }
    }

    /// An integer of another size.
    #[track_caller]
    fn resize(&self, word: Word, from: Kind, to: Kind) -> Word {
        if to.words() == 2 {
            if from.words() == 2 {
                return word;
            }
            let wide = self.words(2);
            self.emit(Op::Mov, [wide, word, 0, 0]);
            match is_signed(from) {
                true => self.emit(Op::SarImm, [wide + 1, word, 31, 0]),
                false => self.emit(Op::Imm, [wide + 1, 0, 0, 0]),
            }
            return wide;
        }
        self.narrow(word, to)
    }

    /// The low bits of a word, as many as a type has, its sign or zeros before them.
    #[track_caller]
    fn narrow(&self, word: Word, to: Kind) -> Word {
        let signed = |bits: u32| {
            let raised = self.compute(Op::ShlImm, [word, bits, 0]);
            self.compute(Op::SarImm, [raised, bits, 0])
        };
        match to {
            Kind::U8 => self.compute(Op::AndImm, [word, 0xff, 0]),
            Kind::U16 => self.compute(Op::AndImm, [word, 0xffff, 0]),
            Kind::I8 => signed(24),
            Kind::I16 => signed(16),
            Kind::Bool => {
                self.mistake("nothing is cast to `bool`; compare it with `.ne(0)`");
                word
            }
            _ => word,
        }
    }

    /// An integer of a float. Those of a small type saturate at its own bounds.
    #[track_caller]
    fn of_single(&self, word: Word, to: Kind) -> Word {
        match to {
            Kind::U64 | Kind::I64 => {
                let op = if to == Kind::U64 { Op::FToU64 } else { Op::FToI64 };
                let wide = self.words(2);
                self.emit(op, [pair(wide, wide + 1), word, 0, 0]);
                wide
            }
            Kind::U32 | Kind::Usize => self.compute(Op::FToU, [word, 0, 0]),
            Kind::I32 | Kind::Isize => self.compute(Op::FToI, [word, 0, 0]),
            Kind::Bool => self.narrow(word, to),
            _ => self.clamped(self.compute(Op::FToI, [word, 0, 0]), to),
        }
    }

    #[track_caller]
    fn of_double(&self, word: Word, to: Kind) -> Word {
        let double = [(TypeRef::of::<f64>(), word)];
        match to {
            Kind::U64 => self.library(number::f64_to_u64, &double, 2),
            Kind::I64 => self.library(number::f64_to_i64, &double, 2),
            Kind::Bool => self.narrow(word, to),
            // All smaller ones lie within.
            _ => {
                let wide = self.library(number::f64_to_i64, &double, 2);
                self.clamped_wide(wide, to)
            }
        }
    }

    #[track_caller]
    fn clamped(&self, word: Word, to: Kind) -> Word {
        let (least, most) = bounds(to);
        let (least, most) = (self.immediate(least as u32), self.immediate(most as u32));
        let above = self.compute(Op::MaxS, [word, least, 0]);
        self.compute(Op::MinS, [above, most, 0])
    }

    /// A 64-bit integer within the bounds of a smaller type.
    #[track_caller]
    fn clamped_wide(&self, wide: Word, to: Kind) -> Word {
        let (least, most) = bounds(to);
        let (least, most) = (self.constant(least), self.constant(most));
        let value = Value::<i64>::of(self, wide).max(least).min(most);
        value.word
    }

    #[track_caller]
    fn to_single(&self, word: Word, from: Kind) -> Word {
        match from {
            Kind::U64 => self.compute(Op::U64ToF, [pair(word, word + 1), 0, 0]),
            Kind::I64 => self.compute(Op::I64ToF, [pair(word, word + 1), 0, 0]),
            from if is_signed(from) => self.compute(Op::IToF, [word, 0, 0]),
            _ => self.compute(Op::UToF, [word, 0, 0]),
        }
    }

    #[track_caller]
    fn to_double(&self, word: Word, from: Kind) -> Word {
        match from {
            Kind::U64 => self.library(number::u64_to_f64, &[(TypeRef::of::<u64>(), word)], 2),
            from => {
                let wide = self.resize(word, from, Kind::I64);
                self.library(number::i64_to_f64, &[(TypeRef::of::<i64>(), wide)], 2)
            }
        }
    }
}

/// The smallest and the largest number of a type of at most 32 bits.
fn bounds(kind: Kind) -> (i64, i64) {
    match kind {
        Kind::U8 => (0, u8::MAX.into()),
        Kind::U16 => (0, u16::MAX.into()),
        Kind::I8 => (i8::MIN.into(), i8::MAX.into()),
        Kind::I16 => (i16::MIN.into(), i16::MAX.into()),
        Kind::I32 | Kind::Isize => (i32::MIN.into(), i32::MAX.into()),
        _ => (0, u32::MAX.into()),
    }
}
