//! Methods of `Result`.

use std::fmt::Debug;

use gpuvm_macros::routine;

use super::{generic_methods, intrinsics, methods};
use crate::types::{Static, VmType};

#[routine(library, inline)]
fn expect<T: Static, E: Static + Debug>(result: Result<T, E>, text: &str) -> T {
    match result {
        Ok(x) => x,
        Err(e) => panic!("{text}: {e:?}"),
    }
}

#[routine(library, inline)]
fn expect_err<T: Static + Debug, E: Static>(result: Result<T, E>, text: &str) -> E {
    match result {
        Ok(x) => panic!("{text}: {x:?}"),
        Err(e) => e,
    }
}

#[routine(library)]
fn map<T: Static, E: Static, U: Static>(result: Result<T, E>, f: impl FnOnce(T) -> U) -> Result<U, E> {
    match result {
        Ok(x) => Ok(f(x)),
        Err(e) => Err(e),
    }
}

#[routine(library)]
fn map_err<T: Static, E: Static, F: Static>(result: Result<T, E>, f: impl FnOnce(E) -> F) -> Result<T, F> {
    match result {
        Ok(x) => Ok(x),
        Err(e) => Err(f(e)),
    }
}

#[routine(library)]
fn map_or<T: Static, E: Static, U: Static>(result: Result<T, E>, default: U, f: impl FnOnce(T) -> U) -> U {
    match result {
        Ok(x) => f(x),
        Err(_) => default,
    }
}

#[routine(library)]
fn map_or_else<T: Static, E: Static, U: Static>(
    result: Result<T, E>,
    default: impl FnOnce(E) -> U,
    f: impl FnOnce(T) -> U,
) -> U {
    match result {
        Ok(x) => f(x),
        Err(e) => default(e),
    }
}

#[routine(library)]
fn and_then<T: Static, E: Static, U: Static>(result: Result<T, E>, f: impl FnOnce(T) -> Result<U, E>) -> Result<U, E> {
    match result {
        Ok(x) => f(x),
        Err(e) => Err(e),
    }
}

#[routine(library)]
fn or_else<T: Static, E: Static, F: Static>(result: Result<T, E>, f: impl FnOnce(E) -> Result<T, F>) -> Result<T, F> {
    match result {
        Ok(x) => Ok(x),
        Err(e) => f(e),
    }
}

#[routine(library)]
fn unwrap_or_else<T: Static, E: Static>(result: Result<T, E>, default: impl FnOnce(E) -> T) -> T {
    match result {
        Ok(x) => x,
        Err(e) => default(e),
    }
}

#[routine(library)]
fn is_ok_and<T: Static, E: Static>(result: Result<T, E>, f: impl FnOnce(T) -> bool) -> bool {
    match result {
        Ok(x) => f(x),
        Err(_) => false,
    }
}

#[routine(library)]
fn is_err_and<T: Static, E: Static>(result: Result<T, E>, f: impl FnOnce(E) -> bool) -> bool {
    match result {
        Ok(_) => false,
        Err(e) => f(e),
    }
}

#[routine(library)]
fn and<T: Static, E: Static, U: Static>(result: Result<T, E>, other: Result<U, E>) -> Result<U, E> {
    match result {
        Ok(_) => other,
        Err(e) => Err(e),
    }
}

#[routine(library)]
fn unwrap_or<T: Static, E: Static>(result: Result<T, E>, default: T) -> T {
    match result {
        Ok(x) => x,
        Err(_) => default,
    }
}

#[routine(library)]
fn ok<T: Static, E: Static>(result: Result<T, E>) -> Option<T> {
    match result {
        Ok(x) => Some(x),
        Err(_) => None,
    }
}

#[routine(library)]
fn err<T: Static, E: Static>(result: Result<T, E>) -> Option<E> {
    match result {
        Ok(_) => None,
        Err(e) => Some(e),
    }
}

#[routine(library, inline)]
fn as_ref<T: Static, E: Static>(result: &Result<T, E>) -> Result<&T, &E> {
    match result {
        Ok(x) => Ok(x),
        Err(e) => Err(e),
    }
}

#[routine(library, inline)]
fn as_mut<T: Static, E: Static>(result: &mut Result<T, E>) -> Result<&mut T, &mut E> {
    match result {
        Ok(x) => Ok(x),
        Err(e) => Err(e),
    }
}

#[routine(library)]
fn cloned<T: Static, E: Static>(result: Result<&T, E>) -> Result<T, E> {
    match result {
        Ok(x) => Ok(intrinsics::clone(x)),
        Err(e) => Err(e),
    }
}

#[routine(library)]
fn copied<T: Static, E: Static>(result: Result<&T, E>) -> Result<T, E> {
    match result {
        Ok(x) => Ok(intrinsics::copy(x)),
        Err(e) => Err(e),
    }
}

#[routine(library)]
fn or<T: Static, E: Static, F: Static>(result: Result<T, E>, other: Result<T, F>) -> Result<T, F> {
    match result {
        Ok(x) => Ok(x),
        Err(_) => other,
    }
}

#[routine(library)]
fn unwrap_or_default<T: VmType + Default, E: Static>(result: Result<T, E>) -> T {
    match result {
        Ok(x) => x,
        Err(_) => T::default(),
    }
}

#[routine(library, inline)]
fn unwrap_or_empty<T: VmType, E: Static>(result: Result<&[T], E>) -> &[T] {
    match result {
        Ok(slice) => slice,
        Err(_) => &[],
    }
}

#[routine(library, inline)]
fn unwrap_or_no_text<E: Static>(result: Result<&str, E>) -> &str {
    match result {
        Ok(text) => text,
        Err(_) => "",
    }
}

#[routine(library)]
fn transpose<T: Static, E: Static>(result: Result<Option<T>, E>) -> Option<Result<T, E>> {
    match result {
        Ok(Some(x)) => Some(Ok(x)),
        Ok(None) => None,
        Err(e) => Some(Err(e)),
    }
}

#[routine(library)]
fn flatten<T: Static, E: Static>(result: Result<Result<T, E>, E>) -> Result<T, E> {
    match result {
        Ok(x) => x,
        Err(e) => Err(e),
    }
}

#[routine(library)]
fn inspect<T: Static, E: Static>(result: Result<T, E>, f: impl FnOnce(&T)) -> Result<T, E> {
    if let Ok(x) = &result {
        f(x);
    }
    result
}

#[routine(library)]
fn inspect_err<T: Static, E: Static>(result: Result<T, E>, f: impl FnOnce(&E)) -> Result<T, E> {
    if let Err(e) = &result {
        f(e);
    }
    result
}

methods! {
    [T: Static, E: Static + Debug] Result<T, E>, expect = expect<T, E>;
    [T: Static + Debug, E: Static] Result<T, E>, expect_err = expect_err<T, E>;
    [T: VmType + Default, E: Static] Result<T, E>, unwrap_or_default = unwrap_or_default<T, E>;
    [T: VmType, E: Static] Result<&'static [T], E>, unwrap_or_default = unwrap_or_empty<T, E>;
    [E: Static] Result<&'static str, E>, unwrap_or_default = unwrap_or_no_text<E>;
    [T: Static, E: Static] Result<Option<T>, E>, transpose = transpose<T, E>;
    [T: Static, E: Static] Result<Result<T, E>, E>, flatten = flatten<T, E>;
    [T: Static, E: Static] Result<T, E>, unwrap_or = unwrap_or<T, E>;
    [T: Static, E: Static] Result<T, E>, ok = ok<T, E>;
    [T: Static, E: Static] Result<T, E>, err = err<T, E>;
    [T: Static, E: Static] Result<T, E>, as_ref = as_ref<T, E>;
    [T: Static, E: Static] Result<T, E>, as_mut = as_mut<T, E>;
    [T: Static, E: Static] Result<&'static T, E>, copied = copied<T, E>;
    [T: Static, E: Static] Result<&'static T, E>, cloned = cloned<T, E>;
}

generic_methods! {
    [T: Static, E: Static, F: Static] Result<T, E>, or(()) -> Result<T, F> = or<T, E, F>;
    [T: Static, E: Static] Result<T, E>, inspect(()) -> Result<T, E> = inspect<T, E>;
    [T: Static, E: Static] Result<T, E>, inspect_err(()) -> Result<T, E> = inspect_err<T, E>;
    [T: Static, E: Static, U: Static] Result<T, E>, map(()) -> Result<U, E> = map<T, E, U>;
    [T: Static, E: Static, F: Static] Result<T, E>, map_err(()) -> Result<T, F> = map_err<T, E, F>;
    [T: Static, E: Static, U: Static] Result<T, E>, map_or(()) -> U = map_or<T, E, U>;
    [T: Static, E: Static, U: Static] Result<T, E>, map_or_else(()) -> U = map_or_else<T, E, U>;
    [T: Static, E: Static, U: Static] Result<T, E>, and_then(()) -> Result<U, E> = and_then<T, E, U>;
    [T: Static, E: Static, F: Static] Result<T, E>, or_else(()) -> Result<T, F> = or_else<T, E, F>;
    [T: Static, E: Static] Result<T, E>, unwrap_or_else(()) -> T = unwrap_or_else<T, E>;
    [T: Static, E: Static] Result<T, E>, is_ok_and(()) -> bool = is_ok_and<T, E>;
    [T: Static, E: Static] Result<T, E>, is_err_and(()) -> bool = is_err_and<T, E>;
    [T: Static, E: Static, U: Static] Result<T, E>, and(()) -> Result<U, E> = and<T, E, U>;
}
