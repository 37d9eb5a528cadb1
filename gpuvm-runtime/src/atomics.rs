//! The atomics of the machine: slices of std's types, lent by the caller or a launch's own.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};

use gpuvm_core::types::{Kind, Type, Value, VmType};

/// An atomic of the machine.
pub trait Atomic: Value + Sized {
    /// The slice, if it is of this type.
    #[doc(hidden)]
    fn slice(atomics: Atomics<'_>) -> Option<&[Self]>;
}

/// The words of the values of atomics.
fn words_of<T: VmType>(values: impl ExactSizeIterator<Item = T>) -> Vec<u32> {
    let size = T::TYPE.words as usize;
    let mut words = vec![0; values.len() * size];
    for (value, words) in values.zip(words.chunks_exact_mut(size)) {
        value.write_words(words);
    }
    words
}

/// The values that words say.
fn values_of<T: VmType>(words: &[u32]) -> impl Iterator<Item = T> {
    words.chunks_exact(T::TYPE.words as usize).map(T::read_words)
}

macro_rules! atomics {
    ($($variant:ident: $atomic:ident of $value:ident;)*) => {
        /// A slice of atomics of one of the machine's types.
        #[doc(hidden)]
        #[derive(Clone, Copy, Debug)]
        pub enum Atomics<'a> {
            $($variant(&'a [$atomic]),)*
        }

        /// Atomics that belong to a launch.
        #[derive(Clone)]
        pub(crate) enum OwnAtomics {
            $($variant(Arc<[$atomic]>),)*
        }

        $(impl Atomic for $atomic {
            fn slice(atomics: Atomics<'_>) -> Option<&[$atomic]> {
                match atomics {
                    Atomics::$variant(slice) => Some(slice),
                    _ => None,
                }
            }
        })*

        impl<'a> Atomics<'a> {
            /// The type of the atomics.
            fn atomic(self) -> &'static Type {
                match self { $(Atomics::$variant(_) => $atomic::TYPE,)* }
            }

            /// The type of their values.
            pub(crate) fn element(self) -> &'static Type {
                match self { $(Atomics::$variant(_) => $value::TYPE,)* }
            }

            /// How many there are.
            pub(crate) fn len(self) -> usize {
                match self { $(Atomics::$variant(slice) => slice.len(),)* }
            }

            /// The words of their values.
            pub(crate) fn words(self) -> Vec<u32> {
                match self {
                    $(Atomics::$variant(slice) => words_of(slice.iter().map(|atomic| atomic.load(Ordering::Relaxed))),)*
                }
            }

            /// Stores the values that words say, as many as there are atomics.
            pub(crate) fn set_words(self, words: &[u32]) {
                match self {
                    $(Atomics::$variant(slice) => {
                        let values = slice.iter().zip(values_of(words));
                        values.for_each(|(atomic, value)| atomic.store(value, Ordering::Relaxed));
                    })*
                }
            }

            /// Where they are in the caller's memory, if these have the same type.
            fn both_in_memory(self, other: Atomics<'_>) -> Option<[std::ops::Range<usize>; 2]> {
                match (self, other) {
                    $((Atomics::$variant(a), Atomics::$variant(b)) => Some([a, b].map(|slice| {
                        let range = slice.as_ptr_range();
                        range.start.addr()..range.end.addr()
                    })),)*
                    _ => None,
                }
            }
        }

        impl OwnAtomics {
            /// Atomics of values of a type, which words say.
            pub(crate) fn of_words(element: &Type, words: &[u32]) -> OwnAtomics {
                match element.kind {
                    Kind::I32 => OwnAtomics::I32(values_of(words).map(AtomicI32::new).collect()),
                    Kind::I64 => OwnAtomics::I64(values_of(words).map(AtomicI64::new).collect()),
                    Kind::U64 => OwnAtomics::U64(values_of(words).map(AtomicU64::new).collect()),
                    _ => OwnAtomics::U32(values_of(words).map(AtomicU32::new).collect()),
                }
            }

            /// A look at them.
            pub(crate) fn view(&self) -> Atomics<'_> {
                match self { $(OwnAtomics::$variant(own) => Atomics::$variant(own),)* }
            }
        }
    };
}
atomics! {
    U32: AtomicU32 of u32;
    I32: AtomicI32 of i32;
    U64: AtomicU64 of u64;
    I64: AtomicI64 of i64;
}

impl Atomics<'_> {
    /// What they are, as an error says it.
    pub(crate) fn found(self) -> String {
        format!("`&[{}]`", self.atomic())
    }

    /// Whether both are one and the same slice.
    pub(crate) fn is_same(self, other: Atomics<'_>) -> bool {
        self.both_in_memory(other).is_some_and(|[a, b]| a == b)
    }

    /// Whether they overlap without being one and the same.
    pub(crate) fn is_partly(self, other: Atomics<'_>) -> bool {
        let both = self.both_in_memory(other);
        both.is_some_and(|[a, b]| a != b && a.start < b.end && b.start < a.end)
    }

    /// Atomics of a launch's own with the same values.
    pub(crate) fn to_own(self) -> OwnAtomics {
        OwnAtomics::of_words(self.element(), &self.words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_words_and_come_back() {
        let pairs = [AtomicI64::new(-2), AtomicI64::new(1 << 32)];
        let words = Atomics::I64(&pairs).words();
        assert_eq!(words, [u32::MAX - 1, u32::MAX, 0, 1]);
        let own = Atomics::I64(&pairs).to_own();
        assert!(!own.view().is_same(Atomics::I64(&pairs)));
        own.view().set_words(&[7, 0, 8, 1]);
        assert_eq!(own.view().words(), [7, 0, 8, 1]);
        assert_eq!(AtomicI64::slice(own.view()).map(<[_]>::len), Some(2));
        assert!(AtomicU64::slice(own.view()).is_none());
        assert_eq!(own.view().found(), "`&[AtomicI64]`");
    }
}
