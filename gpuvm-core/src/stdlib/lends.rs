//! What std's own types lend: `as_ref`, `as_mut`, `borrow`, `borrow_mut`.

use gpuvm_macros::routine;

use crate::facts::{CallFact, Lends};
use crate::types::{Static, Value};

const AS_REF: u32 = gpuvm_macros::name_hash!("as_ref");
const AS_MUT: u32 = gpuvm_macros::name_hash!("as_mut");
const BORROW: u32 = gpuvm_macros::name_hash!("borrow");
const BORROW_MUT: u32 = gpuvm_macros::name_hash!("borrow_mut");

#[routine(library, inline)]
fn itself<T: Value + ?Sized + 'static>(value: &'static T) -> &'static T {
    value
}

#[routine(library, inline)]
fn itself_mut<T: Value + ?Sized + 'static>(value: &'static mut T) -> &'static mut T {
    value
}

#[routine(library, inline)]
fn elements<T: Static, const N: usize>(array: &'static [T; N]) -> &'static [T] {
    array
}

#[routine(library, inline)]
fn elements_mut<T: Static, const N: usize>(array: &'static mut [T; N]) -> &'static mut [T] {
    array
}

#[routine(library, inline)]
fn bytes(text: &'static str) -> &'static [u8] {
    text.as_bytes()
}

macro_rules! lends {
    ($([$($generics:tt)*] $name:ident $ty:ty => $lent:ty = $routine:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Lends<$name, $lent> for $ty {
            const LEND: CallFact = CallFact::of::<$routine>();
        }
    )*};
}
lends! {
    [T: Static] AS_REF [T] => [T] = itself<[T]>;
    [T: Static, const N: usize] AS_REF [T; N] => [T] = elements<T, N>;
    [] AS_REF str => str = itself<str>;
    [] AS_REF str => [u8] = bytes;
    [T: Static] AS_MUT [T] => [T] = itself_mut<[T]>;
    [T: Static, const N: usize] AS_MUT [T; N] => [T] = elements_mut<T, N>;
    [T: Value + ?Sized + 'static] BORROW T => T = itself<T>;
    [T: Static, const N: usize] BORROW [T; N] => [T] = elements<T, N>;
    [T: Value + ?Sized + 'static] BORROW_MUT T => T = itself_mut<T>;
    [T: Static, const N: usize] BORROW_MUT [T; N] => [T] = elements_mut<T, N>;
}
