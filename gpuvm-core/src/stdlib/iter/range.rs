//! Ranges as values and as iterators.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use gpuvm_macros::routine;

use super::super::methods;
use super::{Advance, AdvanceBack, AnIterator, Each, Ordered, iterator_type};
use crate::encode::node::Operator;
use crate::facts::{CallFact, Operation};
use crate::marker::layout;
use crate::types::{Kind, Static, Type, TypeRef, Value};

// A range is shown as it is written: its type's name says how.
iterator_type! {
    /// `RangeInclusive`, whose fields are std's own affair.
    Inclusive shown "start..=end"; [T: Static] [T] { start: T, end: T, exhausted: bool } {}
}
iterator_type! {
    /// `Range`
    HalfOpen shown "start..end"; [T: Static] [T] { start: T, end: T } {}
}
iterator_type! {
    /// `RangeFrom`
    From shown "start.."; [T: Static] [T] { start: T } {}
}

macro_rules! ranges {
    ($($std:ident $own:ident;)*) => {$(
        impl<T: Value> Value for $std<T>
        where
            T::Erased: Static,
        {
            type Erased = $own<T::Erased>;
            type Inner = super::AnIterator<$own<T::Erased>>;
            type Depth = crate::types::Zero;
            const TYPE: &'static Type = <$own<T::Erased> as Value>::TYPE;
        }
    )*};
}
ranges! {
    Range HalfOpen;
    RangeInclusive Inclusive;
    RangeFrom From;
}

/// Ranges are equal if their bounds are.
macro_rules! equal_ranges {
    ($($operator:ident)*) => {$(
        equal_ranges! { @one $operator AnIterator<HalfOpen<T>> }
        equal_ranges! { @one $operator AnIterator<Inclusive<T>> }
        equal_ranges! { @one $operator AnIterator<From<T>> }
        equal_ranges! { @one $operator RangeTo<T> }
        equal_ranges! { @one $operator RangeToInclusive<T> }
    )*};
    (@one $operator:ident $ty:ty) => {
        #[diagnostic::do_not_recommend]
        impl<T: Static, L: ?Sized, R: ?Sized> Operation<{ Operator::$operator as u8 }, $ty, L, R> for $ty {
            type Slot = crate::facts::OperatorSlot<{ Operator::$operator as u8 }, Self, $ty, L, R>;
            const CALL: Option<CallFact> = None;
        }
    };
}
equal_ranges!(Eq Ne);

macro_rules! bounds {
    ($($ty:ident shown $shown:literal;)*) => {$(
        impl<T: Value> Value for $ty<T>
        where
            T::Erased: Static,
        {
            type Erased = $ty<T::Erased>;
            type Inner = $ty<T::Erased>;
            type Depth = crate::types::Zero;
            const TYPE: &'static Type =
                &Type::record(Kind::Struct, $shown, const { &layout(0, [("end", "end", TypeRef::of::<T>())]) });
        }
    )*};
}
bounds! {
    RangeTo shown "..end";
    RangeToInclusive shown "..=end";
}

impl Value for RangeFull {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(Kind::Struct, "..", &[]);
}

/// Ranges are written out for each number: std has no trait of what they need.
macro_rules! steps {
    ($($module:ident $ty:ident $unsigned:ident;)*) => {$(
        mod $module {
            use super::*;

            #[routine(library, inline, each)]
            impl Iterator for HalfOpen<$ty> {
                type Item = $ty;

                fn next(&mut self) -> Option<$ty> {
                    if self.start < self.end {
                        let start = self.start;
                        self.start = start.wrapping_add(1);
                        Some(start)
                    } else {
                        None
                    }
                }
            }

            #[routine(library, inline)]
            impl Each for HalfOpen<$ty> {
                fn each(&mut self, f: fn($ty) -> bool) {
                    while self.start < self.end {
                        let start = self.start;
                        self.start = start.wrapping_add(1);
                        if !f(start) {
                            break;
                        }
                    }
                }
            }

            #[routine(library, inline)]
            impl DoubleEndedIterator for HalfOpen<$ty> {
                fn next_back(&mut self) -> Option<$ty> {
                    if self.start < self.end {
                        self.end = self.end.wrapping_sub(1);
                        Some(self.end)
                    } else {
                        None
                    }
                }
            }

            #[routine(library, inline)]
            impl AdvanceBack for HalfOpen<$ty> {
                fn advance_back(&mut self, count: usize) -> bool {
                    let left = if self.start < self.end { self.end.wrapping_sub(self.start) as $unsigned as u64 } else { 0 };
                    self.end = if (count as u64) < left { self.end.wrapping_sub(count as $ty) } else { self.start };
                    true
                }
            }

            #[routine(library, inline)]
            impl ExactSizeIterator for HalfOpen<$ty> {
                fn len(&self) -> usize {
                    if self.start < self.end { self.end.wrapping_sub(self.start) as $unsigned as usize } else { 0 }
                }
            }

            #[routine(library, inline)]
            impl Advance for HalfOpen<$ty> {
                fn advance(&mut self, count: usize) -> bool {
                    let left = if self.start < self.end { self.end.wrapping_sub(self.start) as $unsigned as u64 } else { 0 };
                    self.start = if (count as u64) < left { self.start.wrapping_add(count as $ty) } else { self.end };
                    true
                }
            }

            #[routine(library, inline, each)]
            impl Iterator for Inclusive<$ty> {
                type Item = $ty;

                fn next(&mut self) -> Option<$ty> {
                    if self.exhausted || self.start > self.end {
                        return None;
                    }
                    let start = self.start;
                    self.exhausted = start == self.end;
                    self.start = start.wrapping_add(1);
                    Some(start)
                }
            }

            #[routine(library, inline)]
            impl Each for Inclusive<$ty> {
                fn each(&mut self, f: fn($ty) -> bool) {
                    while !self.exhausted && self.start <= self.end {
                        let start = self.start;
                        self.exhausted = start == self.end;
                        self.start = start.wrapping_add(1);
                        if !f(start) {
                            break;
                        }
                    }
                }
            }

            #[routine(library, inline)]
            impl DoubleEndedIterator for Inclusive<$ty> {
                fn next_back(&mut self) -> Option<$ty> {
                    if self.exhausted || self.start > self.end {
                        return None;
                    }
                    let end = self.end;
                    self.exhausted = self.start == end;
                    self.end = end.wrapping_sub(1);
                    Some(end)
                }
            }

            #[routine(library, inline)]
            impl AdvanceBack for Inclusive<$ty> {
                fn advance_back(&mut self, count: usize) -> bool {
                    if !self.exhausted && self.start <= self.end {
                        let left = self.end.wrapping_sub(self.start) as $unsigned as u64;
                        if (count as u64) <= left {
                            self.end = self.end.wrapping_sub(count as $ty);
                        } else {
                            self.exhausted = true;
                        }
                    }
                    true
                }
            }

            #[routine(library, inline)]
            impl ExactSizeIterator for Inclusive<$ty> {
                fn len(&self) -> usize {
                    if self.exhausted || self.start > self.end {
                        return 0;
                    }
                    (self.end.wrapping_sub(self.start) as $unsigned as usize).wrapping_add(1)
                }
            }

            #[routine(library, inline)]
            impl Advance for Inclusive<$ty> {
                fn advance(&mut self, count: usize) -> bool {
                    if !self.exhausted && self.start <= self.end {
                        let left = self.end.wrapping_sub(self.start) as $unsigned as u64;
                        if (count as u64) <= left {
                            self.start = self.start.wrapping_add(count as $ty);
                        } else {
                            self.exhausted = true;
                        }
                    }
                    true
                }
            }

            #[routine(library, inline, each)]
            impl Iterator for From<$ty> {
                type Item = $ty;

                fn next(&mut self) -> Option<$ty> {
                    let start = self.start;
                    self.start = start + 1;
                    Some(start)
                }
            }

            #[routine(library, inline)]
            impl Each for From<$ty> {
                fn each(&mut self, f: fn($ty) -> bool) {
                    loop {
                        let start = self.start;
                        self.start = start + 1;
                        if !f(start) {
                            break;
                        }
                    }
                }
            }

            #[routine(library, inline)]
            impl Advance for From<$ty> {
                fn advance(&mut self, count: usize) -> bool {
                    self.start = self.start + count as $ty;
                    true
                }
            }
        }
    )*};
}
steps! {
    i8s i8 u8;
    i16s i16 u16;
    i32s i32 u32;
    i64s i64 u64;
    isizes isize usize;
    u8s u8 u8;
    u16s u16 u16;
    u32s u32 u32;
    u64s u64 u64;
    u128s u128 u128;
    i128s i128 u128;
    usizes usize usize;
}

/// Where what is left of a range begins.
#[routine(library, inline)]
pub fn begin(range: &Inclusive<usize>) -> usize {
    if range.exhausted {
        range.end.wrapping_add(1)
    } else {
        range.start
    }
}

#[routine(library, inline)]
fn half_open_contains<T: Ordered>(range: &HalfOpen<T>, x: &T) -> bool {
    range.start <= *x && *x < range.end
}

#[routine(library, inline)]
fn inclusive_contains<T: Ordered>(range: &Inclusive<T>, x: &T) -> bool {
    range.start <= *x
        && if range.exhausted {
            *x < range.end
        } else {
            *x <= range.end
        }
}

#[routine(library, inline)]
fn from_contains<T: Ordered>(range: &From<T>, x: &T) -> bool {
    range.start <= *x
}

#[routine(library, inline)]
fn to_contains<T: Ordered>(range: &RangeTo<T>, x: &T) -> bool {
    *x < range.end
}

#[routine(library, inline)]
fn to_inclusive_contains<T: Ordered>(range: &RangeToInclusive<T>, x: &T) -> bool {
    *x <= range.end
}

#[routine(library, inline)]
fn half_open_is_empty<T: Ordered>(range: &HalfOpen<T>) -> bool {
    !(range.start < range.end)
}

#[routine(library, inline)]
fn inclusive_is_empty<T: Ordered>(range: &Inclusive<T>) -> bool {
    range.exhausted || !(range.start <= range.end)
}

#[routine(library, inline)]
fn inclusive_start<T: Static>(range: &Inclusive<T>) -> &T {
    &range.start
}

#[routine(library, inline)]
fn inclusive_end<T: Static>(range: &Inclusive<T>) -> &T {
    &range.end
}

methods! {
    [T: Ordered] super::AnIterator<HalfOpen<T>>, is_empty = half_open_is_empty<T>;
    [T: Ordered] super::AnIterator<Inclusive<T>>, is_empty = inclusive_is_empty<T>;
    [T: Static] super::AnIterator<Inclusive<T>>, start = inclusive_start<T>;
    [T: Static] super::AnIterator<Inclusive<T>>, end = inclusive_end<T>;
    [T: Ordered] super::AnIterator<HalfOpen<T>>, contains = half_open_contains<T>;
    [T: Ordered] super::AnIterator<Inclusive<T>>, contains = inclusive_contains<T>;
    [T: Ordered] super::AnIterator<From<T>>, contains = from_contains<T>;
    [T: Ordered] RangeTo<T>, contains = to_contains<T>;
    [T: Ordered] RangeToInclusive<T>, contains = to_inclusive_contains<T>;
}
