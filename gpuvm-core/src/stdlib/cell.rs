//! `Cell` and `OnceCell`. To the machine a cell is what is in it, and a reference to one may change that: so their types here are structs, whose methods
//! take `&mut`.

use std::cell;

use gpuvm_macros::routine;

use super::{generic_methods, intrinsics, methods};
use crate::facts::{
    CMP, CallFact, Compares, ComparesBy, ComparesIf, EQ, Method, Operation, PARTIAL_CMP, TwinOfCell, any_seen,
    held_operators, holders, seen_fields, seen_record,
};
use crate::types::{Field, Kind, Static, Type, TypeRef, Value, VmType, name_hash};

/// What a `Cell` is.
pub struct Cell<T: ?Sized> {
    value: T,
}

/// What a `Cell` may hold.
pub trait Contained: 'static {
    /// The type of the cell.
    const IN_CELL: &'static Type;
}

impl<T: Static> Contained for T {
    const IN_CELL: &'static Type = &Type::record(Kind::Struct, "Cell", const { &[value::<T>("value")] });
}

/// A cell of a slice is a slice of cells.
impl<T: Static> Contained for [T] {
    const IN_CELL: &'static Type = <[Cell<T>] as Value>::TYPE;
}

/// What is in a cell.
const fn value<T: Value>(name: &'static str) -> Field {
    let ty = TypeRef::of::<T>();
    Field {
        hash: name_hash("value"),
        name,
        ty: ty.ty,
        refs: ty.refs,
        offset: 0,
    }
}

impl<T: Contained + ?Sized> Value for Cell<T> {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = T::IN_CELL;
}

impl<T: Static> Value for OnceCell<T> {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(Kind::Struct, "OnceCell", const { &[value::<Option<T>>("__value")] });
}

impl<T: Value<Erased: Contained> + ?Sized> Value for cell::Cell<T> {
    type Erased = Cell<T::Erased>;
    type Inner = Cell<T::Erased>;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = <Cell<T::Erased> as Value>::TYPE;
}

impl<T: Value<Erased: Static>> Value for cell::OnceCell<T> {
    type Erased = OnceCell<T::Erased>;
    type Inner = OnceCell<T::Erased>;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = <OnceCell<T::Erased> as Value>::TYPE;
}

/// What a `OnceCell` is.
pub struct OnceCell<T> {
    value: Option<T>,
}

/// They stay inside of routines: what a launch gives is no place that several could share.
macro_rules! cells {
    ($($cell:ident<$content:ident $(: $unsized:tt Sized)?> { $($function:ident: $pointer:ty;)* })*) => {$(
        impl<$content $(: $unsized Sized)?> TwinOfCell for cell::$cell<$content> {
            $(type $function = $pointer;)*
        }
    )*};
}
cells! {
    Cell<T: ? Sized> {
        New: fn(T) -> Self;
        FromMut: fn(&mut T) -> &Self;
        Get: fn(&Self) -> T;
        Set: fn(&Self, T);
        Replace: fn(&Self, T) -> T;
        Take: fn(&Self) -> T;
        Swap: fn(&Self, &Self);
        IntoInner: fn(Self) -> T;
    }
    OnceCell<T> {
        New: fn() -> Self;
        FromMut: ();
        Get: fn(&Self) -> Option<&T>;
        Set: fn(&Self, T) -> Result<(), T>;
        Replace: ();
        Take: fn(&mut Self) -> Option<T>;
        Swap: ();
        IntoInner: fn(Self) -> Option<T>;
    }
}

#[routine(library)]
fn new<T: Static>(value: T) -> Cell<T> {
    Cell { value }
}

#[routine(library)]
fn get<T: Static + Copy>(cell: &Cell<T>) -> T {
    cell.value
}

#[routine(library, inline)]
fn get_mut<T: Static>(cell: &mut Cell<T>) -> &mut T {
    &mut cell.value
}

#[routine(library)]
fn set<T: Static>(cell: &mut Cell<T>, value: T) {
    cell.value = value;
}

#[routine(library)]
fn replace<T: Static>(cell: &mut Cell<T>, value: T) -> T {
    let replaced = intrinsics::copy(&cell.value);
    cell.value = value;
    replaced
}

#[routine(library)]
fn take<T: VmType + Default>(cell: &mut Cell<T>) -> T {
    let taken = cell.value;
    cell.value = T::default();
    taken
}

#[routine(library)]
fn swap<T: Static>(cell: &mut Cell<T>, other: &mut Cell<T>) {
    let kept = intrinsics::copy(&cell.value);
    cell.value = intrinsics::copy(&other.value);
    other.value = kept;
}

#[routine(library)]
fn update<T: Static + Copy>(cell: &mut Cell<T>, f: impl FnOnce(T) -> T) {
    let value = cell.value;
    cell.value = f(value);
}

#[routine(library)]
fn into_inner<T: Static>(cell: Cell<T>) -> T {
    cell.value
}

#[routine(library, inline)]
fn from_mut<T: Static>(value: &mut T) -> &mut Cell<T> {
    intrinsics::words(value)
}

#[routine(library, inline)]
fn slice_from_mut<T: Static>(values: &mut [T]) -> &mut Cell<[T]> {
    intrinsics::words(values)
}

#[routine(library, inline)]
fn slice_of_cells<T: Static>(cell: &mut Cell<[T]>) -> &mut [Cell<T>] {
    intrinsics::words(cell)
}

#[routine(library, inline)]
fn array_of_cells<T: Static, const N: usize>(cell: &mut Cell<[T; N]>) -> &mut [Cell<T>; N] {
    intrinsics::words(cell)
}

#[routine(library)]
fn once_new<T: Static>() -> OnceCell<T> {
    OnceCell { value: None }
}

#[routine(library, inline)]
fn once_get<T: Static>(cell: &OnceCell<T>) -> Option<&T> {
    match &cell.value {
        Some(value) => Some(value),
        None => None,
    }
}

#[routine(library, inline)]
fn once_get_mut<T: Static>(cell: &mut OnceCell<T>) -> Option<&mut T> {
    match &mut cell.value {
        Some(value) => Some(value),
        None => None,
    }
}

#[routine(library)]
fn once_set<T: Static>(cell: &mut OnceCell<T>, value: T) -> Result<(), T> {
    if cell.value.is_some() {
        return Err(value);
    }
    cell.value = Some(value);
    Ok(())
}

#[routine(library, inline)]
fn get_or_init<T: Static>(cell: &mut OnceCell<T>, f: impl FnOnce() -> T) -> &T {
    if cell.value.is_none() {
        let value = f();
        if cell.value.is_some() {
            panic!("reentrant init");
        }
        cell.value = Some(value);
    }
    match &cell.value {
        Some(value) => value,
        None => unreachable!(),
    }
}

#[routine(library)]
fn once_into_inner<T: Static>(cell: OnceCell<T>) -> Option<T> {
    cell.value
}

#[routine(library)]
fn once_take<T: Static>(cell: &mut OnceCell<T>) -> Option<T> {
    let taken = intrinsics::copy(&cell.value);
    cell.value = None;
    taken
}

/// Those that are called by their paths, `Cell::get(&cell)`.
macro_rules! by_path {
    ($($cell:ident: $($name:ident = $routine:ident [$($bound:tt)*])*;)*) => {
        methods! { $($([T: Value<Erased: Static $($bound)*>] cell::$cell<T>, $name = $routine<T::Erased>;)*)* }
    };
}
by_path! {
    Cell: new = new [] from_mut = from_mut [] get = get [+ Copy] set = set [] replace = replace [] take = take [+ VmType + Default] swap = swap [] into_inner = into_inner [];
    OnceCell: new = once_new [] get = once_get [] set = once_set [] take = once_take [] into_inner = once_into_inner [];
}

methods! {
    [T: Value<Erased: Static>] cell::Cell<[T]>, from_mut = slice_from_mut<T::Erased>;
    [T: Static] Cell<[T]>, as_slice_of_cells = slice_of_cells<T>;
    [T: Static, const N: usize] Cell<[T; N]>, as_array_of_cells = array_of_cells<T, N>;
    [T: Static] Cell<T>, set = set<T>;
    [T: Static] Cell<T>, replace = replace<T>;
    [T: Static] Cell<T>, swap = swap<T>;
    [T: Static] Cell<T>, into_inner = into_inner<T>;
    [T: Static] OnceCell<T>, set = once_set<T>;
    [T: Static] OnceCell<T>, get_or_init = get_or_init<T>;
    [T: Static] OnceCell<T>, into_inner = once_into_inner<T>;
}

generic_methods! {
    [T: Static + Copy] Cell<T>, get(()) -> T = get<T>;
    [T: Static] Cell<T>, get_mut(()) -> &'static mut T = get_mut<T>;
    [T: VmType + Default] Cell<T>, take(()) -> T = take<T>;
    [T: Static + Copy] Cell<T>, update(()) -> () = update<T>;
    [T: Static] OnceCell<T>, get(()) -> Option<&'static T> = once_get<T>;
    [T: Static] OnceCell<T>, get_mut(()) -> Option<&'static mut T> = once_get_mut<T>;
    [T: Static] OnceCell<T>, take(()) -> Option<T> = once_take<T>;
}

/// Cells compare as what is in them, and a copy has a place of its own.
macro_rules! copied {
    ($($cell:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T> Method<{ gpuvm_macros::name_hash!(clone) }> for $cell<T> {
            type Slot = crate::facts::MethodSlot<{ gpuvm_macros::name_hash!(clone) }, Self>;
            const CALL: Option<CallFact> = None;
        }
    )*};
}
copied!(Cell OnceCell);

held_operators! {
    [T] Cell<T>;
    [T] OnceCell<T>;
}

holders! {
    [T] Cell<T>, record { 0(T) }: (eq cmp);
    [T] OnceCell<T>, record { 0(Option<T>) }: (eq);
}
