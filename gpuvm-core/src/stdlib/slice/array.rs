//! Methods of arrays alone.

use gpuvm_macros::routine;

use super::super::functions::array_from_fn;
use super::{generic_methods, intrinsics, methods};
use crate::types::{Static, VmType};

#[routine(library, inline)]
fn as_slice<T: VmType, const N: usize>(array: &[T; N]) -> &[T] {
    array
}

#[routine(library, inline)]
fn as_mut_slice<T: VmType, const N: usize>(array: &mut [T; N]) -> &mut [T] {
    array
}

#[routine(library)]
fn map<T: Static, U: Static, const N: usize>(array: [T; N], f: fn(T) -> U) -> [U; N] {
    array_from_fn(|at| f(intrinsics::copy(intrinsics::element(&&array[..], at))))
}

#[routine(library)]
fn each_ref<T: Static, const N: usize>(array: &'static [T; N]) -> [&'static T; N] {
    array_from_fn(|at| intrinsics::element(&&array[..], at))
}

#[routine(library)]
fn each_mut<T: Static, const N: usize>(array: &'static mut [T; N]) -> [&'static mut T; N] {
    let slice: &'static mut [T] = array;
    array_from_fn(|at| intrinsics::element_mut(&slice, at))
}

methods! {
    [T: Static, const N: usize] [T; N], each_ref = each_ref<T, N>;
    [T: Static, const N: usize] [T; N], each_mut = each_mut<T, N>;
    [T: VmType, const N: usize] [T; N], as_slice = as_slice<T, N>;
    [T: VmType, const N: usize] [T; N], as_mut_slice = as_mut_slice<T, N>;
}

generic_methods! {
    [T: Static, U: Static, const N: usize] [T; N], map(()) -> [U; N] = map<T, U, N>;
}
