//! Arguments of a launch: which Rust values may stand for which kind of parameter. The parameter's type decides what an
//! argument means, so there are no wrapper types.

use std::num::Wrapping;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64};

use gpuvm_core::program::Mode;
use gpuvm_core::types::{Kind, Type, VmType};

use crate::atomics::{Atomics, OwnAtomics};
use crate::buffer::Buffer;
use crate::error::{Error, Result};
use crate::handle::Handle;
use crate::store::Store;
use crate::vector::{Column, ColumnMut, Vector, entries};

/// What is accepted for such a parameter, as an error says it.
pub(crate) fn accepted(mode: Mode, element: &Type) -> String {
    match mode {
        Mode::Value => format!("a column `&[{element}]` or one `{element}` for all VMs"),
        Mode::Record | Mode::Chunk | Mode::Whole => format!("`&mut [{element}]` or `&Buffer<{element}>`"),
        Mode::Slice => format!("`&[{element}]` or `&Buffer<{element}>`"),
        Mode::Atomic => {
            let atomic = match element.kind {
                Kind::I32 => "AtomicI32",
                Kind::I64 => "AtomicI64",
                Kind::U64 => "AtomicU64",
                _ => "AtomicU32",
            };
            format!("`&[{atomic}]` or `&Buffer<{element}>`")
        }
    }
}

/// One argument of a launch, made from a Rust value by [`IntoArg`].
pub struct Arg<'a>(pub(crate) Argument<'a>);

/// What an [`Arg`] holds.
pub(crate) enum Argument<'a> {
    /// One value for all VMs: a vector with one entry.
    Uniform(Box<dyn Vector>),
    Read(Box<dyn Column + 'a>),
    Write(Box<dyn ColumnMut + 'a>),
    Buffer(Arc<Store>),
    Atomics(Atomics<'a>),
    OwnAtomics(OwnAtomics),
    /// What a node of a plan gives. It fits no parameter of a launch.
    Node(Handle),
}

impl Argument<'_> {
    /// The type of its entries.
    pub(crate) fn element(&self) -> &'static Type {
        use gpuvm_core::types::Value;
        match self {
            Argument::Uniform(value) => value.element(),
            Argument::Read(column) => column.element(),
            Argument::Write(column) => column.element(),
            Argument::Buffer(store) => store.element,
            Argument::Atomics(atomics) => atomics.element(),
            Argument::OwnAtomics(own) => own.view().element(),
            Argument::Node(_) => <()>::TYPE,
        }
    }

    /// How many entries it has.
    pub(crate) fn len(&self) -> usize {
        match self {
            Argument::Uniform(_) => 1,
            Argument::Read(column) => column.len(),
            Argument::Write(column) => column.len(),
            Argument::Buffer(store) => store.len,
            Argument::Atomics(atomics) => atomics.len(),
            Argument::OwnAtomics(own) => own.view().len(),
            Argument::Node(_) => 0,
        }
    }

    /// Fails if an entry does not fit its words.
    ///
    /// # Errors
    ///
    /// [`Error::SizeTooLarge`].
    pub(crate) fn check_sizes(&self, holder: impl FnOnce() -> String) -> Result<()> {
        let misfit = match self {
            Argument::Uniform(value) => value.misfit(),
            Argument::Read(column) => column.misfit(),
            Argument::Write(column) => column.misfit(),
            Argument::Buffer(store) => store.misfit(),
            Argument::Atomics(_) | Argument::OwnAtomics(_) | Argument::Node(_) => None,
        };
        match misfit {
            None => Ok(()),
            Some(index) => Err(Error::SizeTooLarge {
                holder: holder(),
                index: Some(index).filter(|_| !matches!(self, Argument::Uniform(_))),
            }),
        }
    }

    /// Whether it can stand for a parameter of the mode, types aside.
    pub(crate) fn suits(&self, mode: Mode) -> bool {
        match self {
            Argument::Uniform(_) => mode == Mode::Value,
            Argument::Read(_) => matches!(mode, Mode::Value | Mode::Slice),
            Argument::Write(_) => mode != Mode::Atomic,
            Argument::Buffer(_) => true,
            Argument::Atomics(_) | Argument::OwnAtomics(_) => mode == Mode::Atomic,
            Argument::Node(_) => false,
        }
    }

    /// What it is where something else is wanted for a parameter of the mode, as an error says it.
    pub(crate) fn found_for(&self, mode: Mode, wanted: &Type) -> String {
        let found = self.found();
        match self {
            Argument::Uniform(value) if mode == Mode::Value => match suffixed(&**value, wanted) {
                Some(written) => format!("{found}, as is every such number without a suffix (write `{written}`)"),
                None => found,
            },
            _ => found,
        }
    }

    /// What it is, as an error says it.
    pub(crate) fn found(&self) -> String {
        let element = self.element();
        match self {
            Argument::Uniform(_) => format!("one `{element}`"),
            Argument::Read(_) => format!("`&[{element}]`"),
            Argument::Write(_) => format!("`&mut [{element}]`"),
            Argument::Buffer(_) => format!("`&Buffer<{element}>`"),
            Argument::Atomics(atomics) => atomics.found(),
            Argument::OwnAtomics(own) => own.view().found(),
            Argument::Node(_) => "a handle of a plan".to_string(),
        }
    }
}

/// What becomes of a number that is written without a suffix, where another type is wanted: how it is written then. `None` if it is no such number.
fn suffixed(value: &dyn Vector, wanted: &Type) -> Option<String> {
    const INTEGERS: [&str; 11] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i64", "i128", "isize",
    ];
    const FLOATS: [&str; 2] = ["f32", "f64"];
    let name = wanted.name;
    if let Some([number]) = entries::<i32>(value) {
        let fits = *number >= 0 || !name.starts_with('u');
        return (fits && (INTEGERS.contains(&name) || FLOATS.contains(&name))).then(|| format!("{number}{name}"));
    }
    match entries::<f64>(value) {
        Some([number]) if name == FLOATS[0] => Some(format!("{number}{name}")),
        _ => None,
    }
}

impl std::fmt::Debug for Arg<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} entries", self.0.found(), self.0.len())
    }
}

/// A value that may be an entry of an argument, or a uniform. `#[derive(VmType)]` implements it; generic code that makes
/// columns asks for it in addition to [`VmType`].
pub trait Element {}

macro_rules! elements {
    ($($ty:ty)*) => {$(impl Element for $ty {})*};
}
elements!(bool char f32 f64 i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize);

#[cfg(feature = "half")]
elements!(half::f16 half::bf16);

impl<T: VmType> Element for Wrapping<T> {}
impl<T: VmType> Element for Option<T> {}
impl<T: VmType, const N: usize> Element for [T; N] {}

/// A Rust value that can be an argument of a launch.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a launch",
    label = "neither a column nor a value of the machine",
    note = "accepted are `&[T]`, `&Vec<T>`, `&mut [T]`, `&mut Vec<T>`, `&Buffer<T>`, slices of `AtomicU32`, `AtomicI32`, `AtomicU64` or `AtomicI64`, and one `T` for all VMs, where `T` implements `VmType`"
)]
pub trait IntoArg<'a> {
    /// Makes the argument.
    fn into_arg(self) -> Arg<'a>;
}

impl<'a> IntoArg<'a> for Arg<'a> {
    fn into_arg(self) -> Arg<'a> {
        self
    }
}

/// For [`Plan::map`](crate::Plan::map): a launch takes no handles.
impl<'a> IntoArg<'a> for Handle {
    fn into_arg(self) -> Arg<'a> {
        Arg(Argument::Node(self))
    }
}

// Of what is no such value, the trait says what is.
#[diagnostic::do_not_recommend]
impl<'a, T: Element + VmType> IntoArg<'a> for T {
    fn into_arg(self) -> Arg<'a> {
        Arg(Argument::Uniform(Box::new(vec![self])))
    }
}

impl<'a, T: VmType> IntoArg<'a> for &'a Buffer<T> {
    fn into_arg(self) -> Arg<'a> {
        Arg(Argument::Buffer(Arc::clone(self.store())))
    }
}

macro_rules! column_args {
    ($([$($generics:tt)*] $ty:ty, $column:ident => $argument:expr;)*) => {$(
        impl<'a, $($generics)*> IntoArg<'a> for $ty {
            fn into_arg(self) -> Arg<'a> {
                let $column = self;
                Arg($argument)
            }
        }
    )*};
}
column_args! {
    [T: Element + VmType] &'a [T], column => Argument::Read(Box::new(column));
    [T: Element + VmType] &'a Vec<T>, column => Argument::Read(Box::new(column));
    [T: Element + VmType, const N: usize] &'a [T; N], column => Argument::Read(Box::new(column.as_slice()));
    [T: Element + VmType] &'a mut [T], column => Argument::Write(Box::new(column));
    [T: Element + VmType] &'a mut Vec<T>, column => Argument::Write(Box::new(column));
    [T: Element + VmType, const N: usize] &'a mut [T; N], column => Argument::Write(Box::new(column.as_mut_slice()));
}

macro_rules! typed_args {
    ($($(#[$attribute:meta])* $name:ident $of:ident: $([$($generics:tt)*] $ty:ty),*;)*) => {$(
        $(#[$attribute])*
        pub trait $name<'a, T>: IntoArg<'a> {}
        $(impl<'a, T: Element + VmType, $($generics)*> $name<'a, T> for $ty {})*

        /// The same where `T` is a type that its user has declared and the parameter `fn(T)`: there it may have left out lifetimes, and nowhere else.
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(
            message = "`{Self}` does not fit this parameter of the routine",
            label = "expected a column or one value of the type that `{F}` is of, which is the parameter's",
            note = "accepted are `&[T]`, `&Vec<T>` or `&Buffer<T>`, `&mut` where the parameter is, and one `T` for all VMs where it is a value"
        )]
        pub trait $of<'a, F>: IntoArg<'a> {}
        #[diagnostic::do_not_recommend]
        impl<'a, T: Element + VmType, A: $name<'a, T>> $of<'a, fn(T)> for A {}
    )*};
}
typed_args! {
    /// What `name::launch` takes for a parameter `x: T`.
    #[diagnostic::on_unimplemented(message = "`{Self}` does not fit this parameter of the routine", label = "expected a column `&[{T}]`, `&Vec<{T}>` or `&Buffer<{T}>`, or one `{T}` for all VMs")]
    ColumnArg ColumnOf: [] T, [] &'a [T], [] &'a Vec<T>, [const N: usize] &'a [T; N], [] &'a Buffer<T>;
    /// What `name::launch` takes for a parameter `me: &mut T`.
    #[diagnostic::on_unimplemented(message = "`{Self}` does not fit this parameter of the routine", label = "expected `&mut [{T}]`, `&mut Vec<{T}>` or `&Buffer<{T}>`")]
    RecordArg RecordOf: [] &'a mut [T], [] &'a mut Vec<T>, [const N: usize] &'a mut [T; N], [] &'a Buffer<T>;
    /// What `name::launch` takes for a parameter `all: &[T]`.
    #[diagnostic::on_unimplemented(message = "`{Self}` does not fit this parameter of the routine", label = "expected `&[{T}]`, `&Vec<{T}>` or `&Buffer<{T}>`")]
    SliceArg SliceOf: [] &'a [T], [] &'a Vec<T>, [const N: usize] &'a [T; N], [] &'a Buffer<T>;
    /// What `name::launch` takes for a parameter `out: &mut [T]`.
    #[diagnostic::on_unimplemented(message = "`{Self}` does not fit this parameter of the routine", label = "expected `&mut [{T}]`, `&mut Vec<{T}>` or `&Buffer<{T}>`")]
    ChunkArg ChunkOf: [] &'a mut [T], [] &'a mut Vec<T>, [const N: usize] &'a mut [T; N], [] &'a Buffer<T>;
}

/// What `name::launch` takes for a parameter `bins: &[A]`, where `A` is `AtomicU32`, `AtomicI32`, `AtomicU64` or `AtomicI64`.
pub trait AtomicArg<'a, A>: IntoArg<'a> {}

macro_rules! atomic_args {
    ($($variant:ident: $atomic:ty, $value:ty;)*) => {$(
        column_args! {
            [] &'a [$atomic], atomics => Argument::Atomics(Atomics::$variant(atomics));
            [] &'a Vec<$atomic>, atomics => Argument::Atomics(Atomics::$variant(atomics));
            [const N: usize] &'a [$atomic; N], atomics => Argument::Atomics(Atomics::$variant(atomics));
        }
        impl<'a> AtomicArg<'a, $atomic> for &'a [$atomic] {}
        impl<'a> AtomicArg<'a, $atomic> for &'a Vec<$atomic> {}
        impl<'a, const N: usize> AtomicArg<'a, $atomic> for &'a [$atomic; N] {}
        impl<'a> AtomicArg<'a, $atomic> for &'a Buffer<$value> {}
    )*};
}
atomic_args! {
    U32: AtomicU32, u32;
    I32: AtomicI32, i32;
    U64: AtomicU64, u64;
    I64: AtomicI64, i64;
}

/// What `name::launch` takes of a routine that has more parameters than a launch can give: nothing.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this routine cannot be launched: it has more than 12 parameters, or more than 8 that are `&mut`",
    label = "too many parameters for a launch",
    note = "make one struct with `#[derive(VmType, Clone, Copy)]` of some of them"
)]
pub trait FewerParameters {}

/// A tuple of up to 12 arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tuple of arguments",
    label = "expected a tuple such as `(&x, &mut y, 0.5f32)`, `(x,)` for one argument, `()` for none",
    note = "a tuple of arguments has 12 entries at most: make one struct with `#[derive(VmType, Clone, Copy)]` of some of them"
)]
pub trait IntoArgs<'a> {
    /// Makes the arguments, in order.
    fn into_args(self) -> Vec<Arg<'a>>;
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),*);)*) => {$(
        impl<'a, $($name: IntoArg<'a>),*> IntoArgs<'a> for ($($name,)*) {
            fn into_args(self) -> Vec<Arg<'a>> {
                vec![$(self.$index.into_arg()),*]
            }
        }
    )*};
}
tuples! {
    ();
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
}

macro_rules! tuple_elements {
    ($(($($name:ident),*);)*) => {$(impl<$($name: VmType),*> Element for ($($name,)*) {})*};
}
tuple_elements! {
    ();
    (A);
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
    (A, B, C, D, E, F);
    (A, B, C, D, E, F, G);
    (A, B, C, D, E, F, G, H);
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpuvm_core::types::{TypeRef, Value};

    fn mode<T: Value + ?Sized>() -> Option<Mode> {
        Mode::of(TypeRef::of::<T>()).map(|(mode, _)| mode)
    }

    #[test]
    fn a_parameters_type_gives_its_mode() {
        assert_eq!(mode::<(f32, u64)>(), Some(Mode::Value));
        assert_eq!(mode::<&mut [f32; 3]>(), Some(Mode::Record));
        assert_eq!(mode::<&[f32]>(), Some(Mode::Slice));
        assert_eq!(mode::<&mut [f32]>(), Some(Mode::Chunk));
        assert_eq!(mode::<&[AtomicI32]>(), Some(Mode::Atomic));
        assert_eq!(mode::<&&f32>(), None);
        assert_eq!(mode::<[f32]>(), None);
    }

    #[test]
    fn a_float_literal_is_f32() {
        fn typed<'a>(x: impl ColumnArg<'a, f32>) -> Arg<'a> {
            x.into_arg()
        }
        assert_eq!(format!("{:?}", typed(0.5)), "one `f32` of 1 entries");
        assert_eq!(format!("{:?}", typed(&vec![1.0, 2.0])), "`&[f32]` of 2 entries");
        assert_eq!(format!("{:?}", typed(&[1.0; 3])), "`&[f32]` of 3 entries");
    }

    #[test]
    fn tuples_become_arguments_in_order() {
        let (x, mut y, bins) = (vec![[0.0f32; 3]; 2], [0u32; 4], [const { AtomicU32::new(0) }; 5]);
        let args = (&x, &mut y, 1u8, Some(2i64), &bins).into_args();
        let shown: Vec<String> = args.iter().map(|arg| format!("{arg:?}")).collect();
        assert_eq!(
            shown,
            [
                "`&[[f32; 3]]` of 2 entries",
                "`&mut [u32]` of 4 entries",
                "one `u8` of 1 entries",
                "one `Option` of 1 entries",
                "`&[AtomicU32]` of 5 entries",
            ]
        );
    }
}
