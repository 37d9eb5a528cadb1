//! `Cell` and `OnceCell`. Both are the words of what is in them, and who refers to one may write there.

use std::cell::{Cell, OnceCell};

use gpuvm_macros::routine;

use super::{generic_methods, intrinsics, methods};
use crate::facts::{CallFact, Convert};
use crate::types::{Field, Kind, Static, Type, Value, VmType, name_hash};

/// Types of one field.
macro_rules! cells {
    ($($cell:ident: $name:literal is $inside:ty;)*) => {$(
        impl<T: Value> Value for $cell<T>
        where
            T::Erased: Static,
        {
            type Erased = $cell<T::Erased>;
            type Inner = $cell<T::Erased>;
            const TYPE: &'static Type = &Type::record(
                Kind::Struct,
                stringify!($cell),
                &[Field {
                    hash: name_hash($name),
                    name: $name,
                    ty: <$inside as Value>::TYPE,
                    refs: <$inside as Value>::REFS,
                    offset: 0,
                }],
            );
        }
    )*};
}
cells! {
    Cell: "value" is T;
    OnceCell: "" is Option<T>;
}

#[routine(library, inline)]
fn new<T: Static>(value: T) -> Cell<T> {
    intrinsics::words(value)
}

impl<T: Static> Convert<T> for Cell<T> {
    type Slot = crate::facts::ConvertSlot<T, Self>;
    const CALL: Option<CallFact> = Some(CallFact::of::<new<T>>());
}

/// What is in a cell.
#[routine(library, inline)]
fn inside<T: Static>(cell: &Cell<T>) -> &mut T {
    intrinsics::inside_mut(&cell, ())
}

#[routine(library, inline)]
fn get<T: Static + Copy>(cell: &Cell<T>) -> T {
    *inside(cell)
}

#[routine(library, inline)]
fn set<T: Static>(cell: &Cell<T>, value: T) {
    *inside(cell) = value;
}

#[routine(library, inline)]
fn exchange<T: Static>(cell: &Cell<T>, value: T) -> T {
    let place = inside(cell);
    let replaced = intrinsics::copy(place);
    *place = value;
    replaced
}

#[routine(library, inline)]
fn take<T: VmType + Default>(cell: &Cell<T>) -> T {
    exchange(cell, T::default())
}

#[routine(library, inline)]
fn swap<T: Static>(cell: &Cell<T>, other: &Cell<T>) {
    let value = intrinsics::copy(inside(other));
    *inside(other) = exchange(cell, value);
}

#[routine(library)]
fn update<T: Static + Copy>(cell: &Cell<T>, f: impl FnOnce(T) -> T) {
    let value = f(get(cell));
    set(cell, value);
}

#[routine(library, inline)]
fn into_inner<T: Static>(cell: Cell<T>) -> T {
    intrinsics::words(cell)
}

#[routine(library, inline)]
fn get_mut<T: Static>(cell: &mut Cell<T>) -> &mut T {
    inside(cell)
}

#[routine(library, inline)]
fn new_once<T: Static>() -> OnceCell<T> {
    let nothing: Option<T> = None;
    intrinsics::words(nothing)
}

#[routine(library, inline)]
fn from_once<T: Static>(value: T) -> OnceCell<T> {
    intrinsics::words(Some(value))
}

impl<T: Static> Convert<T> for OnceCell<T> {
    type Slot = crate::facts::ConvertSlot<T, Self>;
    const CALL: Option<CallFact> = Some(CallFact::of::<from_once<T>>());
}

/// What is in a cell that is set once.
#[routine(library, inline)]
fn inside_once<T: Static>(cell: &OnceCell<T>) -> &mut Option<T> {
    intrinsics::inside_mut(&cell, ())
}

#[routine(library, inline)]
fn get_once<T: Static>(cell: &OnceCell<T>) -> Option<&T> {
    match inside_once(cell) {
        Some(value) => Some(&*value),
        None => None,
    }
}

#[routine(library, inline)]
fn get_mut_once<T: Static>(cell: &mut OnceCell<T>) -> Option<&mut T> {
    match inside_once(cell) {
        Some(value) => Some(value),
        None => None,
    }
}

#[routine(library, inline)]
fn set_once<T: Static>(cell: &OnceCell<T>, value: T) -> Result<(), T> {
    let place = inside_once(cell);
    if place.is_some() {
        return Err(value);
    }
    *place = Some(value);
    Ok(())
}

#[routine(library)]
fn get_or_init<T: Static>(cell: &OnceCell<T>, f: impl FnOnce() -> T) -> &T {
    if inside_once(cell).is_none() {
        let value = f();
        if inside_once(cell).is_some() {
            panic!("reentrant init");
        }
        *inside_once(cell) = Some(value);
    }
    match inside_once(cell) {
        Some(value) => value,
        None => unreachable!(),
    }
}

#[routine(library, inline)]
fn into_inner_once<T: Static>(cell: OnceCell<T>) -> Option<T> {
    intrinsics::words(cell)
}

#[routine(library, inline)]
fn take_once<T: Static>(cell: &mut OnceCell<T>) -> Option<T> {
    let place = inside_once(cell);
    let taken = intrinsics::copy(place);
    *place = None;
    taken
}

methods! {
    [T: Static] Cell<T>, new = new<T>;
    [T: Static + Copy] Cell<T>, get = get<T>;
    [T: Static] Cell<T>, set = set<T>;
    [T: Static] Cell<T>, replace = exchange<T>;
    [T: VmType + Default] Cell<T>, take = take<T>;
    [T: Static] Cell<T>, swap = swap<T>;
    [T: Static] Cell<T>, into_inner = into_inner<T>;
    [T: Static] Cell<T>, get_mut = get_mut<T>;
    [T: Static] OnceCell<T>, new = new_once<T>;
    [T: Static] OnceCell<T>, get = get_once<T>;
    [T: Static] OnceCell<T>, get_mut = get_mut_once<T>;
    [T: Static] OnceCell<T>, set = set_once<T>;
    [T: Static] OnceCell<T>, into_inner = into_inner_once<T>;
    [T: Static] OnceCell<T>, take = take_once<T>;
}

generic_methods! {
    [T: Static + Copy] Cell<T>, update(()) -> () = update<T>;
    [T: Static] OnceCell<T>, get_or_init(()) -> &'static T = get_or_init<T>;
}
