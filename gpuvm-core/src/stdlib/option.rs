//! Methods of `Option`.

use gpuvm_macros::routine;

use super::functions::array_from_ref;
use super::iter::OptionIter;
use super::{generic_methods, intrinsics, methods};
use crate::facts::{CallFact, Convert};
use crate::types::{Static, Value, VmType};

#[routine(library)]
fn map<T: Static, U: Static>(option: Option<T>, f: impl FnOnce(T) -> U) -> Option<U> {
    match option {
        Some(x) => Some(f(x)),
        None => None,
    }
}

#[routine(library)]
fn inspect<T: Static>(option: Option<T>, f: impl FnOnce(&T)) -> Option<T> {
    if let Some(x) = &option {
        f(x);
    }
    option
}

#[routine(library)]
fn map_or<T: Static, U: Static>(option: Option<T>, default: U, f: impl FnOnce(T) -> U) -> U {
    match option {
        Some(x) => f(x),
        None => default,
    }
}

#[routine(library)]
fn map_or_else<T: Static, U: Static>(option: Option<T>, default: impl FnOnce() -> U, f: impl FnOnce(T) -> U) -> U {
    match option {
        Some(x) => f(x),
        None => default(),
    }
}

#[routine(library)]
fn and_then<T: Static, U: Static>(option: Option<T>, f: impl FnOnce(T) -> Option<U>) -> Option<U> {
    match option {
        Some(x) => f(x),
        None => None,
    }
}

#[routine(library)]
fn or_else<T: Static>(option: Option<T>, f: impl FnOnce() -> Option<T>) -> Option<T> {
    match option {
        Some(x) => Some(x),
        None => f(),
    }
}

#[routine(library)]
fn filter<T: Static>(option: Option<T>, f: impl FnOnce(&T) -> bool) -> Option<T> {
    if let Some(x) = option
        && f(&x)
    {
        return Some(x);
    }
    None
}

#[routine(library)]
fn is_some_and<T: Static>(option: Option<T>, f: impl FnOnce(T) -> bool) -> bool {
    match option {
        Some(x) => f(x),
        None => false,
    }
}

#[routine(library)]
fn is_none_or<T: Static>(option: Option<T>, f: impl FnOnce(T) -> bool) -> bool {
    match option {
        Some(x) => f(x),
        None => true,
    }
}

#[routine(library)]
fn ok_or<T: Static, E: Static>(option: Option<T>, error: E) -> Result<T, E> {
    match option {
        Some(x) => Ok(x),
        None => Err(error),
    }
}

#[routine(library)]
fn ok_or_else<T: Static, E: Static>(option: Option<T>, error: impl FnOnce() -> E) -> Result<T, E> {
    match option {
        Some(x) => Ok(x),
        None => Err(error()),
    }
}

#[routine(library)]
fn unwrap_or_else<T: Static>(option: Option<T>, default: impl FnOnce() -> T) -> T {
    match option {
        Some(x) => x,
        None => default(),
    }
}

#[routine(library)]
fn and<T: Static, U: Static>(option: Option<T>, other: Option<U>) -> Option<U> {
    match option {
        Some(_) => other,
        None => None,
    }
}

#[routine(library)]
fn or<T: Static>(option: Option<T>, other: Option<T>) -> Option<T> {
    match option {
        Some(x) => Some(x),
        None => other,
    }
}

#[routine(library)]
fn xor<T: Static>(option: Option<T>, other: Option<T>) -> Option<T> {
    match (option, other) {
        (Some(x), None) => Some(x),
        (None, Some(x)) => Some(x),
        _ => None,
    }
}

#[routine(library)]
fn zip<T: Static, U: Static>(option: Option<T>, other: Option<U>) -> Option<(T, U)> {
    match (option, other) {
        (Some(x), Some(y)) => Some((x, y)),
        _ => None,
    }
}

#[routine(library)]
fn flatten<T: Static>(option: Option<Option<T>>) -> Option<T> {
    match option {
        Some(x) => x,
        None => None,
    }
}

#[routine(library)]
fn take<T: Static>(option: &mut Option<T>) -> Option<T> {
    let taken = intrinsics::copy(option);
    *option = None;
    taken
}

#[routine(library)]
fn take_if<T: Static>(option: &mut Option<T>, f: impl FnOnce(&mut T) -> bool) -> Option<T> {
    if let Some(x) = option
        && f(x)
    {
        let taken = Some(intrinsics::copy(x));
        *option = None;
        return taken;
    }
    None
}

#[routine(library)]
fn replace<T: Static>(option: &mut Option<T>, value: T) -> Option<T> {
    let replaced = intrinsics::copy(option);
    *option = Some(value);
    replaced
}

#[routine(library, inline)]
fn insert<T: Static>(option: &mut Option<T>, value: T) -> &mut T {
    *option = Some(value);
    inside(option)
}

#[routine(library, inline)]
fn get_or_insert<T: Static>(option: &mut Option<T>, value: T) -> &mut T {
    if option.is_none() {
        *option = Some(value);
    }
    inside(option)
}

#[routine(library)]
fn get_or_insert_with<T: Static>(option: &mut Option<T>, value: impl FnOnce() -> T) -> &mut T {
    if option.is_none() {
        *option = Some(value());
    }
    inside(option)
}

/// The value of an `Option` that has one.
#[routine(library, inline)]
fn inside<T: Static>(option: &mut Option<T>) -> &mut T {
    match option {
        Some(x) => x,
        None => unreachable!(),
    }
}

#[routine(library, inline)]
fn as_ref<T: Static>(option: &Option<T>) -> Option<&T> {
    match option {
        Some(x) => Some(x),
        None => None,
    }
}

#[routine(library, inline)]
fn as_mut<T: Static>(option: &mut Option<T>) -> Option<&mut T> {
    match option {
        Some(x) => Some(x),
        None => None,
    }
}

#[routine(library)]
fn copied<T: Static>(option: Option<&T>) -> Option<T> {
    match option {
        Some(x) => Some(intrinsics::copy(x)),
        None => None,
    }
}

#[routine(library)]
fn cloned<T: Static>(option: Option<&T>) -> Option<T> {
    match option {
        Some(x) => Some(intrinsics::clone(x)),
        None => None,
    }
}

#[routine(library)]
fn cloned_mut<T: Static>(option: Option<&mut T>) -> Option<T> {
    match option {
        Some(x) => Some(intrinsics::clone(x)),
        None => None,
    }
}

#[routine(library)]
fn copied_mut<T: Static>(option: Option<&mut T>) -> Option<T> {
    match option {
        Some(x) => Some(intrinsics::copy(x)),
        None => None,
    }
}

#[routine(library)]
fn unwrap_or_default<T: VmType + Default>(option: Option<T>) -> T {
    match option {
        Some(x) => x,
        None => T::default(),
    }
}

#[routine(library, inline)]
fn as_slice<T: VmType>(option: &'static Option<T>) -> &'static [T] {
    match option {
        Some(x) => array_from_ref(x),
        None => &[],
    }
}

#[routine(library, inline)]
fn from<T: Static>(value: T) -> Option<T> {
    Some(value)
}

impl<T: Static> Convert<T> for Option<T> {
    type Slot = crate::facts::ConvertSlot<T, Self>;
    const CALL: Option<CallFact> = Some(CallFact::of::<from<T>>());
}

#[routine(library, inline)]
fn unwrap_or_empty<T: VmType>(option: Option<&[T]>) -> &[T] {
    match option {
        Some(slice) => slice,
        None => &[],
    }
}

#[routine(library, inline)]
fn unwrap_or_no_text(option: Option<&str>) -> &str {
    match option {
        Some(text) => text,
        None => "",
    }
}

#[routine(library, inline)]
fn get_or_insert_default<T: VmType + Default>(option: &mut Option<T>) -> &mut T {
    if option.is_none() {
        *option = Some(T::default());
    }
    inside(option)
}

#[routine(library)]
fn transpose<T: Static, E: Static>(option: Option<Result<T, E>>) -> Result<Option<T>, E> {
    match option {
        Some(Ok(x)) => Ok(Some(x)),
        Some(Err(e)) => Err(e),
        None => Ok(None),
    }
}

#[routine(library)]
fn unzip<T: Static, U: Static>(option: Option<(T, U)>) -> (Option<T>, Option<U>) {
    match option {
        Some((x, y)) => (Some(x), Some(y)),
        None => (None, None),
    }
}

#[routine(library, inline)]
fn iter<T: Static>(option: &'static Option<T>) -> OptionIter<&'static T> {
    OptionIter { option: as_ref(option) }
}

#[routine(library, inline)]
fn iter_mut<T: Static>(option: &'static mut Option<T>) -> OptionIter<&'static mut T> {
    OptionIter { option: as_mut(option) }
}

#[routine(library, inline)]
fn into_iter<T: Static>(option: Option<T>) -> OptionIter<T> {
    OptionIter { option }
}

#[routine(library, inline)]
fn expect<T: Static>(option: Option<T>, text: &str) -> T {
    match option {
        Some(x) => x,
        None => panic!("{text}"),
    }
}

/// std's iterators over what is in an `Option` or a `Result`.
macro_rules! iterators {
    ($([$($lifetime:lifetime)?] $std:ty => $item:ty;)*) => {$(
        impl<$($lifetime,)? T: Value> Value for $std
        where
            T::Erased: Static,
        {
            type Erased = OptionIter<$item>;
            type Inner = super::iter::AnIterator<OptionIter<$item>>;
            type Depth = crate::types::Zero;
            const TYPE: &'static crate::types::Type = <OptionIter<$item> as Value>::TYPE;
        }
    )*};
}
iterators! {
    ['a] std::option::Iter<'a, T> => &'static T::Erased;
    ['a] std::option::IterMut<'a, T> => &'static mut T::Erased;
    [] std::option::IntoIter<T> => T::Erased;
    ['a] std::result::Iter<'a, T> => &'static T::Erased;
    ['a] std::result::IterMut<'a, T> => &'static mut T::Erased;
    [] std::result::IntoIter<T> => T::Erased;
}

methods! {
    [T: Static] Option<T>, expect = expect<T>;
    [T: VmType + Default] Option<T>, unwrap_or_default = unwrap_or_default<T>;
    [T: VmType] Option<&'static [T]>, unwrap_or_default = unwrap_or_empty<T>;
    [] Option<&'static str>, unwrap_or_default = unwrap_or_no_text;
    [T: VmType] Option<T>, as_slice = as_slice<T>;
    [T: VmType + Default] Option<T>, get_or_insert_default = get_or_insert_default<T>;
    [T: Static, E: Static] Option<Result<T, E>>, transpose = transpose<T, E>;
    [T: Static, U: Static] Option<(T, U)>, unzip = unzip<T, U>;
    [T: Static] Option<T>, iter = iter<T>;
    [T: Static] Option<T>, iter_mut = iter_mut<T>;
    [T: Static] Option<T>, or = or<T>;
    [T: Static] Option<T>, xor = xor<T>;
    [T: Static] Option<Option<T>>, flatten = flatten<T>;
    [T: Static] Option<T>, replace = replace<T>;
    [T: Static] Option<T>, insert = insert<T>;
    [T: Static] Option<T>, get_or_insert = get_or_insert<T>;
    [T: Static] Option<T>, as_ref = as_ref<T>;
    [T: Static] Option<T>, as_mut = as_mut<T>;
}

generic_methods! {
    [T: Static] Option<T>, into_iter(()) -> OptionIter<T> = into_iter<T>;
    [T: Static] Option<T>, take(()) -> Option<T> = take<T>;
    [T: Static] Option<&'static T>, copied(()) -> Option<T> = copied<T>;
    [T: Static] Option<&'static T>, cloned(()) -> Option<T> = cloned<T>;
    [T: Static] Option<&'static mut T>, copied(()) -> Option<T> = copied_mut<T>;
    [T: Static] Option<&'static mut T>, cloned(()) -> Option<T> = cloned_mut<T>;
    [T: Static, U: Static] Option<T>, map(()) -> Option<U> = map<T, U>;
    [T: Static] Option<T>, inspect(()) -> Option<T> = inspect<T>;
    [T: Static, U: Static] Option<T>, map_or(()) -> U = map_or<T, U>;
    [T: Static, U: Static] Option<T>, map_or_else(()) -> U = map_or_else<T, U>;
    [T: Static, U: Static] Option<T>, and_then(()) -> Option<U> = and_then<T, U>;
    [T: Static] Option<T>, or_else(()) -> Option<T> = or_else<T>;
    [T: Static] Option<T>, filter(()) -> Option<T> = filter<T>;
    [T: Static] Option<T>, is_some_and(()) -> bool = is_some_and<T>;
    [T: Static] Option<T>, is_none_or(()) -> bool = is_none_or<T>;
    [T: Static, E: Static] Option<T>, ok_or(()) -> Result<T, E> = ok_or<T, E>;
    [T: Static, E: Static] Option<T>, ok_or_else(()) -> Result<T, E> = ok_or_else<T, E>;
    [T: Static] Option<T>, unwrap_or_else(()) -> T = unwrap_or_else<T>;
    [T: Static, U: Static] Option<T>, and(()) -> Option<U> = and<T, U>;
    [T: Static, U: Static] Option<T>, zip(Option<U>) -> Option<(T, U)> = zip<T, U>;
    [T: Static] Option<T>, take_if(()) -> Option<T> = take_if<T>;
    [T: Static] Option<T>, get_or_insert_with(()) -> &'static mut T = get_or_insert_with<T>;
}
