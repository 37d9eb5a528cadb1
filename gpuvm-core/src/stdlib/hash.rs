//! `Hash` and `Hasher`: what types write to a user's hasher, in std's order and with std's lengths, and the methods that a hasher has by its `write`.

use std::cmp::{Ordering, Reverse};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::num::Wrapping;

use gpuvm_macros::routine;

use crate::facts::{Found, Method, RoutineType};
use crate::types::{Static, Value, VmType};

/// A hasher whose methods are routines.
macro_rules! hash_state {
    ($($method:ident)*) => {
        pub trait HashState: VmType + Hasher $(+ Method<{ gpuvm_macros::name_hash!($method) }>)* {}

        impl<H: VmType + Hasher $(+ Method<{ gpuvm_macros::name_hash!($method) }>)*> HashState for H {}
    };
}
hash_state! {
    finish write write_u8 write_u16 write_u32 write_u64 write_u128 write_usize write_i8 write_i16 write_i32 write_i64 write_i128 write_isize
}

/// What can be hashed: `#[routine] impl Hash` makes such a type, and `#[derive(VmType, Hash)]`.
pub trait Hashes {
    /// The routine, for a hasher.
    type Routine<H: HashState>: RoutineType;

    /// The function beside the method: it is told the types of the hasher and of the result.
    fn __asked_vm_hash<H: HashState, R>(
        &self,
        _: &(PhantomData<&mut H>, PhantomData<R>),
    ) -> PhantomData<Found<Self::Routine<H>>> {
        PhantomData
    }
}

/// What arrays of it are hashed by.
pub trait HashesArrays: Hashes {
    /// The routine.
    type OfArray<const N: usize, H: HashState>: RoutineType;
}

/// What slices of it are hashed by, where no words have to be written as bytes first.
pub trait HashesSlices: Hashes {
    /// The routine.
    type OfSlice<H: HashState>: RoutineType;
}

macro_rules! numbers {
    ($($ty:ident $method:ident $name:ident $array:ident $bytes:literal;)*) => {$(
        #[routine(library, inline)]
        pub fn $name<H: HashState>(value: &$ty, state: &mut H) {
            state.$method(*value);
        }

        /// All of them at once.
        #[routine(library)]
        pub fn $array<const N: usize, H: HashState>(values: &[$ty; N], state: &mut H) {
            state.write_usize(N);
            let bytes: [[u8; $bytes]; N] = values.map(|value| value.to_ne_bytes());
            state.write(bytes.as_flattened());
        }

        impl Hashes for $ty {
            type Routine<H: HashState> = $name<H>;
        }

        impl HashesArrays for $ty {
            type OfArray<const N: usize, H: HashState> = $array<N, H>;
        }
    )*};
}
numbers! {
    u8 write_u8 hash_u8 hash_u8s 1;
    u16 write_u16 hash_u16 hash_u16s 2;
    u32 write_u32 hash_u32 hash_u32s 4;
    u64 write_u64 hash_u64 hash_u64s 8;
    u128 write_u128 hash_u128 hash_u128s 16;
    i8 write_i8 hash_i8 hash_i8s 1;
    i16 write_i16 hash_i16 hash_i16s 2;
    i32 write_i32 hash_i32 hash_i32s 4;
    i64 write_i64 hash_i64 hash_i64s 8;
    i128 write_i128 hash_i128 hash_i128s 16;
}

#[routine(library, inline)]
pub fn hash_usize<H: HashState>(value: &usize, state: &mut H) {
    state.write_usize(*value);
}

#[routine(library, inline)]
pub fn hash_isize<H: HashState>(value: &isize, state: &mut H) {
    state.write_isize(*value);
}

/// As on the machine that natively runs it.
macro_rules! sizes {
    ($($ty:ident as $wide:ident, $array:ident;)*) => {$(
        #[routine(library)]
        pub fn $array<const N: usize, H: HashState>(values: &[$ty; N], state: &mut H) {
            state.write_usize(N);
            let bytes: [[u8; 8]; N] = values.map(|value| (value as $wide).to_ne_bytes());
            state.write(bytes.as_flattened());
        }

        impl HashesArrays for $ty {
            type OfArray<const N: usize, H: HashState> = $array<N, H>;
        }
    )*};
}
sizes! {
    usize as u64, hash_usizes;
    isize as i64, hash_isizes;
}

#[routine(library, inline)]
pub fn hash_bool<H: HashState>(value: &bool, state: &mut H) {
    state.write_u8(*value as u8);
}

#[routine(library, inline)]
pub fn hash_char<H: HashState>(value: &char, state: &mut H) {
    state.write_u32(*value as u32);
}

#[routine(library, inline)]
pub fn hash_nothing<T: Static, H: HashState>(_value: &T, _state: &mut H) {}

#[routine(library)]
pub fn hash_text<H: HashState>(value: &str, state: &mut H) {
    state.write(value.as_bytes());
    state.write_u8(0xff);
}

#[routine(library)]
pub fn hash_bytes<H: HashState>(values: &[u8], state: &mut H) {
    state.write_usize(values.len());
    state.write(values);
}

#[routine(library, inline)]
pub fn hash_ordering<H: HashState>(value: &Ordering, state: &mut H) {
    state.write_i8(*value as i8);
}

#[routine(library)]
pub fn hash_option<T: Part, H: HashState>(value: &Option<T>, state: &mut H) {
    match value {
        None => state.write_isize(0),
        Some(value) => {
            state.write_isize(1);
            value.hash(state);
        }
    }
}

#[routine(library)]
pub fn hash_result<T: Part, E: Part, H: HashState>(value: &Result<T, E>, state: &mut H) {
    match value {
        Ok(value) => {
            state.write_isize(0);
            value.hash(state);
        }
        Err(error) => {
            state.write_isize(1);
            error.hash(state);
        }
    }
}

#[routine(library, inline)]
pub fn hash_wrapping<T: Part + VmType, H: HashState>(value: &Wrapping<T>, state: &mut H) {
    value.0.hash(state);
}

#[routine(library, inline)]
pub fn hash_reverse<T: Part + VmType, H: HashState>(value: &Reverse<T>, state: &mut H) {
    value.0.hash(state);
}

#[routine(library)]
pub fn hash_each<T: Part, H: HashState>(values: &[T], state: &mut H) {
    state.write_usize(values.len());
    for value in values {
        value.hash(state);
    }
}

#[routine(library, inline)]
pub fn hash_array<T: Part, const N: usize, H: HashState>(values: &[T; N], state: &mut H) {
    hash_each(&values[..], state);
}

/// What is a part of what is hashed.
pub trait Part: Static + Value<Inner = Self> + Hash + Hashes {}

impl<T: Static + Value<Inner = T> + Hash + Hashes> Part for T {}

/// What is hashed one by one in lists: all but numbers.
pub trait HashedEach: Part {}

impl<T: HashedEach> HashesArrays for T {
    type OfArray<const N: usize, H: HashState> = hash_array<T, N, H>;
}

impl<T: HashedEach> HashesSlices for T {
    type OfSlice<H: HashState> = hash_each<T, H>;
}

impl HashesSlices for u8 {
    type OfSlice<H: HashState> = hash_bytes<H>;
}

impl<T: HashesArrays, const N: usize> Hashes for [T; N] {
    type Routine<H: HashState> = T::OfArray<N, H>;
}

impl<T: HashesSlices> Hashes for [T] {
    type Routine<H: HashState> = T::OfSlice<H>;
}

macro_rules! hashed {
    ($([$($generics:tt)*] $ty:ty = $routine:ident $([$($argument:ident)*])?;)*) => {$(
        impl<$($generics)*> Hashes for $ty {
            type Routine<H: HashState> = $routine<$($($argument,)*)? H>;
        }
    )*};
}
hashed! {
    [] usize = hash_usize;
    [] isize = hash_isize;
    [] bool = hash_bool;
    [] char = hash_char;
    [] str = hash_text;
    [] Ordering = hash_ordering;
    [T: Part] Option<T> = hash_option[T];
    [T: Part, E: Part] Result<T, E> = hash_result[T E];
    [T: Part + VmType] Wrapping<T> = hash_wrapping[T];
    [T: Part + VmType] Reverse<T> = hash_reverse[T];
}

impl Hashes for () {
    type Routine<H: HashState> = hash_nothing<(), H>;
}

macro_rules! tuples {
    ($($routine:ident: $($name:ident $place:tt)*;)*) => {$(
        #[routine(library)]
        pub fn $routine<$($name: Part,)* H: HashState>(value: &($($name,)*), state: &mut H) {
            $(value.$place.hash(state);)*
        }

        impl<$($name: Part),*> Hashes for ($($name,)*) {
            type Routine<H: HashState> = $routine<$($name,)* H>;
        }

        impl<$($name: Part),*> HashedEach for ($($name,)*) where ($($name,)*): Part {}
    )*};
}
tuples! {
    hash_2: A 0 B 1;
    hash_3: A 0 B 1 C 2;
    hash_4: A 0 B 1 C 2 D 3;
    hash_5: A 0 B 1 C 2 D 3 E 4;
    hash_6: A 0 B 1 C 2 D 3 E 4 F 5;
    hash_7: A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    hash_8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 N 7;
    hash_9: A 0 B 1 C 2 D 3 E 4 F 5 G 6 N 7 I 8;
    hash_10: A 0 B 1 C 2 D 3 E 4 F 5 G 6 N 7 I 8 J 9;
    hash_11: A 0 B 1 C 2 D 3 E 4 F 5 G 6 N 7 I 8 J 9 K 10;
    hash_12: A 0 B 1 C 2 D 3 E 4 F 5 G 6 N 7 I 8 J 9 K 10 L 11;
}

impl HashedEach for bool {}
impl HashedEach for char {}
impl HashedEach for () {}
impl HashedEach for Ordering {}
impl<T: Part> HashedEach for Option<T> where Option<T>: Part {}
impl<T: Part, E: Part> HashedEach for Result<T, E> where Result<T, E>: Part {}
impl<T: Part + VmType> HashedEach for Wrapping<T> where Wrapping<T>: Part {}
impl<T: Part + VmType> HashedEach for Reverse<T> where Reverse<T>: Part {}
impl<T: HashesArrays, const N: usize> HashedEach for [T; N] where [T; N]: Part {}

/// A hasher that writes bytes.
pub trait Writes: VmType + Hasher + Method<{ gpuvm_macros::name_hash!("write") }> {}

impl<H: VmType + Hasher + Method<{ gpuvm_macros::name_hash!("write") }>> Writes for H {}

/// The methods that a hasher has by its `write`, and by others of them.
macro_rules! by_write {
    ($($name:ident $ty:ident $as:ident;)*) => {$(
        #[routine(library)]
        pub fn $name<H: Writes>(state: &mut H, value: $ty) {
            state.write(&(value as $as).to_ne_bytes());
        }
    )*};
}
by_write! {
    write_u8 u8 u8;
    write_u16 u16 u16;
    write_u32 u32 u32;
    write_u64 u64 u64;
    write_u128 u128 u128;
    // As on the machine that natively runs it.
    write_usize usize u64;
    write_isize isize i64;
}

macro_rules! by_another {
    ($($name:ident $ty:ident $another:ident $as:ident $bound:ident;)*) => {$(
        pub trait $bound: VmType + Hasher + Method<{ gpuvm_macros::name_hash!($another) }> {}

        impl<H: VmType + Hasher + Method<{ gpuvm_macros::name_hash!($another) }>> $bound for H {}

        #[routine(library)]
        pub fn $name<H: $bound>(state: &mut H, value: $ty) {
            state.$another(value as $as);
        }
    )*};
}
by_another! {
    write_i8 i8 write_u8 u8 WritesU8;
    write_i16 i16 write_u16 u16 WritesU16;
    write_i32 i32 write_u32 u32 WritesU32;
    write_i64 i64 write_u64 u64 WritesU64;
    write_i128 i128 write_u128 u128 WritesU128;
    write_isize_by_usize isize write_usize usize WritesUsize;
}
