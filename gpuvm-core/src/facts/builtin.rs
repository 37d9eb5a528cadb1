//! What the machine does itself: operators and methods of its own types that need no routine.

use std::char::ParseCharError;
use std::cmp::{Ordering, Reverse};
use std::marker::PhantomData;
use std::num::{FpCategory, IntErrorKind, NonZero, ParseFloatError, ParseIntError, Saturating, Wrapping};
use std::ops::{Bound, ControlFlow, RangeFull, RangeTo, RangeToInclusive};
use std::slice::GetDisjointMutError;
use std::str::ParseBoolError;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64};
use std::time::Duration;

use super::{
    CMP, CallFact, Compares, ComparesBy, ComparesIf, Convert, EQ, Method, Operation, PARTIAL_CMP, any_seen,
    held_operators, holders, seen_enum, seen_fields, seen_list, seen_record, seen_variant,
};
use crate::encode::node::Operator;
use crate::types::{Type, Value};

macro_rules! builtin_operations {
    ($($ty:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, $ty, L, R> for $ty {
            type Slot = crate::facts::OperatorSlot<OP, Self, $ty, L, R>;
            const CALL: Option<CallFact> = None;
        }
        builtin_unary! { $ty; Neg Not }
    )*};
}

/// Of unary operators by name: where an operand of a binary one is not known, there is no other for rustc to tell of.
macro_rules! builtin_unary {
    ($ty:ty; $($operator:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<L: ?Sized, R: ?Sized> Operation<{ Operator::$operator as u8 }, (), L, R> for $ty {
            type Slot = crate::facts::OperatorSlot<{ Operator::$operator as u8 }, Self, (), L, R>;
            const CALL: Option<CallFact> = None;
        }
    )*};
}
builtin_operations!(
    bool, char, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, AtomicU32, AtomicI32,
    AtomicU64, AtomicI64, Ordering
);

/// Shifts take any integer on the right.
macro_rules! builtin_shifts {
    ($($ty:ident: $($by:ident)*;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl<const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, $by, L, R> for $ty {
            type Slot = crate::facts::OperatorSlot<OP, Self, $by, L, R>;
            const CALL: Option<CallFact> = None;
        }
    )*)*};
}
builtin_shifts! {
    i8: i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize;
    i16: i8 i32 i64 i128 isize u8 u16 u32 u64 u128 usize;
    i32: i8 i16 i64 i128 isize u8 u16 u32 u64 u128 usize;
    i64: i8 i16 i32 i128 isize u8 u16 u32 u64 u128 usize;
    i128: i8 i16 i32 i64 isize u8 u16 u32 u64 u128 usize;
    isize: i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 usize;
    u8: i8 i16 i32 i64 i128 isize u16 u32 u64 u128 usize;
    u16: i8 i16 i32 i64 i128 isize u8 u32 u64 u128 usize;
    u32: i8 i16 i32 i64 i128 isize u8 u16 u64 u128 usize;
    u64: i8 i16 i32 i64 i128 isize u8 u16 u32 u128 usize;
    u128: i8 i16 i32 i64 i128 isize u8 u16 u32 u64 usize;
    usize: i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128;
}

macro_rules! builtin_generics {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, $ty, L, R> for $ty {
            type Slot = crate::facts::OperatorSlot<OP, Self, $ty, L, R>;
            const CALL: Option<CallFact> = None;
        }
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, (), L, R> for $ty {
            type Slot = crate::facts::OperatorSlot<OP, Self, (), L, R>;
            const CALL: Option<CallFact> = None;
        }
    )*};
}
#[diagnostic::do_not_recommend]
impl<const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, (), L, R> for () {
    type Slot = crate::facts::OperatorSlot<OP, Self, (), L, R>;
    const CALL: Option<CallFact> = None;
}

builtin_generics! {
    [T] Wrapping<T>;
}

held_operators! {
    [T] Reverse<T>;
    [T] Option<T>;
    [T, E] Result<T, E>;
    [B, C] ControlFlow<B, C>;
    [T] Bound<T>;
    [T, const N: usize] [T; N];
    [A, B] (A, B);
    [A, B, C] (A, B, C);
    [A, B, C, D] (A, B, C, D);
    [A, B, C, D, E] (A, B, C, D, E);
    [A, B, C, D, E, F] (A, B, C, D, E, F);
    [A, B, C, D, E, F, G] (A, B, C, D, E, F, G);
    [A, B, C, D, E, F, G, H] (A, B, C, D, E, F, G, H);
    [A, B, C, D, E, F, G, H, I] (A, B, C, D, E, F, G, H, I);
    [A, B, C, D, E, F, G, H, I, J] (A, B, C, D, E, F, G, H, I, J);
    [A, B, C, D, E, F, G, H, I, J, K] (A, B, C, D, E, F, G, H, I, J, K);
    [A, B, C, D, E, F, G, H, I, J, K, M] (A, B, C, D, E, F, G, H, I, J, K, M);
}

holders! {
    [T] Reverse<T>, record { 0(T) }: (eq cmp);
    [T] Option<T>, choice { 0() 1(T) }: (eq cmp);
    [T, E] Result<T, E>, choice { 0(T) 1(E) }: (eq cmp);
    [B, C] ControlFlow<B, C>, choice { 0(C) 1(B) }: (eq);
    [T] Bound<T>, choice { 0(T) 1(T) 2() }: (eq);
    [T, const N: usize] [T; N], list { 0(T) }: (eq cmp);
    [A, B] (A, B), record { 0(A, B) }: (eq cmp);
    [A, B, C] (A, B, C), record { 0(A, B, C) }: (eq cmp);
    [A, B, C, D] (A, B, C, D), record { 0(A, B, C, D) }: (eq cmp);
    [A, B, C, D, E] (A, B, C, D, E), record { 0(A, B, C, D, E) }: (eq cmp);
    [A, B, C, D, E, F] (A, B, C, D, E, F), record { 0(A, B, C, D, E, F) }: (eq cmp);
    [A, B, C, D, E, F, G] (A, B, C, D, E, F, G), record { 0(A, B, C, D, E, F, G) }: (eq cmp);
    [A, B, C, D, E, F, G, H] (A, B, C, D, E, F, G, H), record { 0(A, B, C, D, E, F, G, H) }: (eq cmp);
    [A, B, C, D, E, F, G, H, I] (A, B, C, D, E, F, G, H, I), record { 0(A, B, C, D, E, F, G, H, I) }: (eq cmp);
    [A, B, C, D, E, F, G, H, I, J] (A, B, C, D, E, F, G, H, I, J), record { 0(A, B, C, D, E, F, G, H, I, J) }: (eq cmp);
    [A, B, C, D, E, F, G, H, I, J, K] (A, B, C, D, E, F, G, H, I, J, K), record { 0(A, B, C, D, E, F, G, H, I, J, K) }: (eq cmp);
    [A, B, C, D, E, F, G, H, I, J, K, M] (A, B, C, D, E, F, G, H, I, J, K, M), record { 0(A, B, C, D, E, F, G, H, I, J, K, M) }: (eq cmp);
}

#[diagnostic::do_not_recommend]
impl<T, const N: usize, const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, usize, L, R> for [T; N] {
    type Slot = crate::facts::OperatorSlot<OP, Self, usize, L, R>;
    const CALL: Option<CallFact> = None;
}

#[diagnostic::do_not_recommend]
impl<T, const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, usize, L, R> for [T] {
    type Slot = crate::facts::OperatorSlot<OP, Self, usize, L, R>;
    const CALL: Option<CallFact> = None;
}

#[diagnostic::do_not_recommend]
impl<T, const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, usize, L, R> for Wrapping<T> {
    type Slot = crate::facts::OperatorSlot<OP, Self, usize, L, R>;
    const CALL: Option<CallFact> = None;
}

/// `Wrapping` may be changed by a plain number, too.
macro_rules! builtin_wrapping {
    ($($ty:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, $ty, L, R> for Wrapping<$ty> {
            type Slot = crate::facts::OperatorSlot<OP, Self, $ty, L, R>;
            const CALL: Option<CallFact> = None;
        }
    )*};
}
builtin_wrapping!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128);

/// Methods of a type, by their names.
macro_rules! builtin_methods {
    ($([$($generics:tt)*] $($ty:ty)*: $names:tt;)*) => {$(
        builtin_methods! { @types [$($generics)*] [$($ty)*] $names }
    )*};
    (@types $generics:tt [$($ty:ty)*] $names:tt) => {$(
        builtin_methods! { @names $generics $ty; $names }
    )*};
    (@names $generics:tt $ty:ty; [$($name:ident)*]) => {$(
        builtin_methods! { @one $generics $ty; $name }
    )*};
    (@one [$($generics:tt)*] $ty:ty; $name:ident) => {
#[diagnostic::do_not_recommend]
        impl<$($generics)*> Method<{ gpuvm_macros::name_hash!($name) }> for $ty {
            type Slot = crate::facts::MethodSlot<{ gpuvm_macros::name_hash!($name) }, Self>;
            const CALL: Option<CallFact> = None;
        }
    };
}

builtin_methods! {
    [] () bool char: [clone eq ne lt le gt ge cmp partial_cmp max min clamp];
    [] Ordering: [
        clone eq ne lt le gt ge cmp partial_cmp max min clamp
        is_eq is_ne is_lt is_le is_gt is_ge reverse then
    ];
    [] f32 f64: [
        clone eq ne lt le gt ge partial_cmp abs signum min max clamp
        sqrt mul_add floor ceil round round_ties_even trunc fract copysign recip to_bits
        to_degrees to_radians is_nan is_finite is_infinite is_normal is_sign_negative is_sign_positive
        sin cos tan sin_cos asin acos atan atan2 sinh cosh tanh asinh acosh atanh
        exp exp2 exp_m1 ln ln_1p log2 log10 log powf powi hypot cbrt div_euclid rem_euclid
    ];
    [] i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize: [
        clone eq ne lt le gt ge cmp partial_cmp abs signum min max clamp div_euclid rem_euclid
        pow isqrt abs_diff unsigned_abs is_positive is_negative is_power_of_two next_power_of_two div_ceil
        count_ones count_zeros leading_zeros trailing_zeros leading_ones trailing_ones ilog2
        swap_bytes reverse_bits rotate_left rotate_right
        wrapping_add wrapping_sub wrapping_mul wrapping_div wrapping_rem wrapping_neg wrapping_shl wrapping_shr wrapping_abs
        wrapping_pow
        checked_add checked_sub checked_mul checked_div checked_rem checked_neg checked_shl checked_shr checked_abs checked_pow
        saturating_add saturating_sub saturating_mul
        overflowing_add overflowing_sub overflowing_mul overflowing_neg
    ];
    [] AtomicU32 AtomicI32 AtomicU64 AtomicI64: [
        load store fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_min fetch_max swap compare_exchange
        compare_exchange_weak
    ];
    [T] Reverse<T>: [clone];
    [T] Wrapping<T>: [
        clone eq ne lt le gt ge cmp partial_cmp clamp abs signum min max pow is_power_of_two is_positive is_negative
        count_ones count_zeros leading_zeros trailing_zeros rotate_left rotate_right swap_bytes reverse_bits
    ];
    [T] Saturating<T>: [clone eq ne lt le gt ge cmp partial_cmp max min clamp];
    [B, C] ControlFlow<B, C>: [clone];
    [T] Bound<T>: [clone];
    [T] RangeTo<T>: [clone];
    [T] RangeToInclusive<T>: [clone];
    [] RangeFull: [clone];
    [T] Option<T>: [clone is_some is_none unwrap unwrap_or];
    [T, E] Result<T, E>: [clone is_ok is_err unwrap unwrap_err];
    [T, const N: usize] [T; N]: [clone len is_empty];
    [T] [T]: [len is_empty];
    [] str: [len is_empty eq ne lt le gt ge cmp partial_cmp];
    [A, B] (A, B): [clone];
    [A, B, C] (A, B, C): [clone];
    [A, B, C, D] (A, B, C, D): [clone];
    [A, B, C, D, E] (A, B, C, D, E): [clone];
    [A, B, C, D, E, F] (A, B, C, D, E, F): [clone];
    [A, B, C, D, E, F, G] (A, B, C, D, E, F, G): [clone];
    [A, B, C, D, E, F, G, H] (A, B, C, D, E, F, G, H): [clone];
    [A, B, C, D, E, F, G, H, I] (A, B, C, D, E, F, G, H, I): [clone];
    [A, B, C, D, E, F, G, H, I, J] (A, B, C, D, E, F, G, H, I, J): [clone];
    [A, B, C, D, E, F, G, H, I, J, K] (A, B, C, D, E, F, G, H, I, J, K): [clone];
    [A, B, C, D, E, F, G, H, I, J, K, M] (A, B, C, D, E, F, G, H, I, J, K, M): [clone];
}

/// Conversions that lose nothing.
macro_rules! builtin_conversions {
    ($($to:ty: $($from:ty)*;)*) => {$($(
        impl Convert<$from> for $to {
            type Slot = crate::facts::ConvertSlot<$from, Self>;
            const CALL: Option<CallFact> = None;
        }
    )*)*};
}
builtin_conversions! {
    char: u8;
    u8: bool;
    u16: bool u8;
    u32: bool char u8 u16;
    u64: bool char u8 u16 u32;
    u128: bool char u8 u16 u32 u64;
    usize: bool u8 u16;
    i8: bool;
    i16: bool i8 u8;
    i32: bool i8 u8 i16 u16;
    i64: bool i8 u8 i16 u16 i32 u32;
    i128: bool i8 u8 i16 u16 i32 u32 i64 u64;
    isize: bool i8 u8 i16;
    f32: bool i8 u8 i16 u16;
    f64: bool i8 u8 i16 u16 i32 u32 f32;
}

/// What can be compared and no more.
macro_rules! builtin_comparisons {
    ($([$($generics:tt)*] $ty:ty: $($operator:ident)*;)*) => {$(
        builtin_comparisons! { @each [$($generics)*] $ty; $($operator)* }
    )*};
    (@each $generics:tt $ty:ty; $($operator:ident)*) => {$(
        builtin_comparisons! { @one $generics $ty; $operator }
    )*};
    (@one [$($generics:tt)*] $ty:ty; $operator:ident) => {
        #[diagnostic::do_not_recommend]
        impl<L: ?Sized, R: ?Sized, $($generics)*> Operation<{ Operator::$operator as u8 }, $ty, L, R> for $ty {
            type Slot = crate::facts::OperatorSlot<{ Operator::$operator as u8 }, Self, $ty, L, R>;
            const CALL: Option<CallFact> = None;
        }
    };
}
builtin_comparisons! {
    [] FpCategory: Eq Ne;
    [] std::fmt::Error: Eq Ne Lt Le Gt Ge;
    [] GetDisjointMutError: Eq Ne;
    [] ParseBoolError: Eq Ne;
    [] ParseCharError: Eq Ne;
    [] ParseFloatError: Eq Ne;
    [] ParseIntError: Eq Ne;
    [] IntErrorKind: Eq Ne;
    [] Duration: Eq Ne Lt Le Gt Ge;
    [T: ?Sized] PhantomData<T>: Eq Ne Lt Le Gt Ge;
}

builtin_methods! {
    [] FpCategory: [clone eq ne];
    [] std::fmt::Error: [clone eq ne lt le gt ge cmp partial_cmp max min clamp];
    [] GetDisjointMutError ParseBoolError ParseCharError ParseFloatError ParseIntError IntErrorKind: [clone eq ne];
    [] Duration: [clone eq ne lt le gt ge cmp partial_cmp max min clamp];
    [T: ?Sized] PhantomData<T>: [clone eq ne lt le gt ge cmp partial_cmp];
}

macro_rules! builtin_non_zero {
    ($($ty:ident)*) => {$(
        builtin_comparisons! { [] NonZero<$ty>: Eq Ne Lt Le Gt Ge; }
        builtin_methods! {
            [] NonZero<$ty>: [clone eq ne lt le gt ge cmp partial_cmp max min clamp];
        }
    )*};
}
builtin_non_zero!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
