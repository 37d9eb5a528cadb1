//! What entries can be sorted by: keys that are compared as unsigned numbers of one or two words, and what makes such numbers of other
//! scalars. That is written as a user writes routines, so the host and all engines have it once.

use gpuvm_core::facts::RoutineType;
use gpuvm_core::routine::Routine;
use gpuvm_core::types::{Kind, Type, Value, VmType};
use gpuvm_macros::routine;
use rayon::prelude::*;

use super::node::Node;

/// The keys of a sort.
#[derive(Clone, Copy)]
pub(super) struct Keys {
    /// What they are where they are compared.
    pub ty: &'static Type,
    /// Bits of a key, from the lowest on, that may be set.
    pub bits: u32,
    /// What makes one of the scalar, if that is not one itself.
    pub encode: Option<&'static Routine>,
    /// The same for the host.
    number: fn(&[u32]) -> u64,
}

/// What keys can be, as an error says it.
pub(super) const EXPECTED: &str = "an integer of up to 64 bits, a float, a `bool` or a `char`";

impl Keys {
    /// The keys that scalars of a type are; `None` if they are none.
    pub fn of(ty: &'static Type) -> Option<Keys> {
        let plain = |bits| Keys {
            ty,
            bits,
            encode: None,
            number,
        };
        let word = |bits, routine: &'static Routine, number| Keys {
            ty: u32::TYPE,
            bits,
            encode: Some(routine),
            number,
        };
        let pair = |routine: &'static Routine, number| Keys {
            ty: u64::TYPE,
            ..word(64, routine, number)
        };
        Some(match ty.kind {
            Kind::Bool => plain(1),
            Kind::U8 => plain(8),
            Kind::U16 => plain(16),
            Kind::U32 | Kind::Usize => plain(32),
            Kind::U64 => plain(64),
            Kind::I8 => word(8, of_i8::routine(), |words| of_i8(read(words)).into()),
            Kind::I16 => word(16, of_i16::routine(), |words| of_i16(read(words)).into()),
            Kind::I32 => word(32, of_i32::routine(), |words| of_i32(read(words)).into()),
            Kind::Isize => word(32, of_isize::routine(), |words| of_isize(read(words)).into()),
            Kind::I64 => pair(of_i64::routine(), |words| of_i64(read(words))),
            Kind::F32 => word(32, of_f32::routine(), |words| of_f32(read(words)).into()),
            Kind::F64 => pair(of_f64::routine(), |words| of_f64(read(words))),
            _ => return None,
        })
    }

    /// The keys of a node that sorts.
    pub fn of_sort(nodes: &[Node<'_>], sort: usize) -> Option<Keys> {
        Keys::of(match nodes[sort].kind.uses() {
            Some(of) => of.routine.result.ty,
            None => nodes[sort].element,
        })
    }

    /// The number that a scalar is compared as.
    pub fn number(&self, words: &[u32]) -> u64 {
        (self.number)(words)
    }
}

fn number(words: &[u32]) -> u64 {
    words
        .iter()
        .rev()
        .fold(0, |number, &word| number << 32 | u64::from(word))
}

fn read<T: VmType>(words: &[u32]) -> T {
    T::read_words(words)
}

/// The numbers of entries in the order of their keys, those of equal keys in theirs.
pub(super) fn order(keys: &[u64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.par_sort_by_key(|&entry| keys[entry as usize]);
    order
}

macro_rules! signed {
    ($($name:ident $ty:ident $bits:ident $number:ident;)*) => {$(
        /// From the least on.
        #[routine(library)]
        fn $name(key: $ty) -> $number {
            (key as $bits ^ 1 << ($bits::BITS - 1)) as $number
        }
    )*};
}
signed! {
    of_i8 i8 u8 u32;
    of_i16 i16 u16 u32;
    of_i32 i32 u32 u32;
    of_isize isize u32 u32;
    of_i64 i64 u64 u64;
}

macro_rules! floats {
    ($($name:ident $ty:ident $bits:ident;)*) => {$(
        /// In the order of `total_cmp`, with all NaNs, which are one value, at the end.
        #[routine(library)]
        fn $name(key: $ty) -> $bits {
            let bits = key.to_bits();
            let sign: $bits = 1 << ($bits::BITS - 1);
            if key.is_nan() {
                $bits::MAX
            } else if bits & sign != 0 {
                !bits
            } else {
                bits | sign
            }
        }
    )*};
}
floats! {
    of_f32 f32 u32;
    of_f64 f64 u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers<T: VmType>(ordered: &[T]) -> Vec<u64> {
        let keys = Keys::of(T::TYPE).unwrap();
        let number = |key: &T| {
            let mut words = vec![0; T::TYPE.words as usize];
            key.write_words(&mut words);
            keys.number(&words)
        };
        ordered.iter().map(number).collect()
    }

    #[test]
    fn numbers_are_in_the_order_of_the_scalars() {
        let all = [
            numbers(&[
                f32::NEG_INFINITY,
                -1.5,
                -1e-45,
                -0.0,
                0.0,
                1e-45,
                1.0,
                f32::INFINITY,
                f32::NAN,
            ]),
            numbers(&[
                f64::NEG_INFINITY,
                -1.5,
                -5e-324,
                -0.0,
                0.0,
                5e-324,
                1.0,
                f64::INFINITY,
                f64::NAN,
            ]),
            numbers(&[i8::MIN, -1, 0, 1, i8::MAX]),
            numbers(&[i16::MIN, -1, 0, 1, i16::MAX]),
            numbers(&[i32::MIN, -1, 0, 1, i32::MAX]),
            numbers(&[i64::MIN, -1, 0, 1, i64::MAX]),
            numbers(&[0, 1, u64::MAX]),
            numbers(&['\0', 'a', 'ß', char::MAX]),
            numbers(&[false, true]),
        ];
        for numbers in all {
            assert!(numbers.is_sorted_by(|one, other| one < other), "{numbers:?}");
        }
        assert_eq!(numbers(&[f32::NAN]), numbers(&[-f32::NAN]));
    }
}
