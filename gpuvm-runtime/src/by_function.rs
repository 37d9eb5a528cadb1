//! Routines that are found by their functions. A caller names a routine by the type beside its function; where the type cannot be seen, because the function's
//! module has its name, it is found by the function's own type when the caller is linked.

use std::any::TypeId;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::OnceLock;

use gpuvm_core::private::{RoutineType, TypeRef, Value};
use gpuvm_core::routine::Routine;

/// A function whose type beside it may not be seen, as `#[routine]` submits it.
#[derive(Debug)]
pub struct Function {
    /// Its own type's id.
    pub id: fn() -> TypeId,
    /// Its routine.
    pub routine: fn() -> &'static Routine,
}

inventory::collect!(Function);

/// The id of a function's own type.
pub fn id_of<F: 'static>(_: F) -> TypeId {
    TypeId::of::<F>()
}

/// In the place of the type beside a function that a caller cannot see.
#[derive(Debug)]
pub struct ByFunction;

impl ByFunction {
    /// As that type's.
    #[doc(hidden)]
    pub fn __vm<F: Called<A>, A>(_: F) -> PhantomData<Found<F, F::Signature>> {
        PhantomData
    }
}

/// A function that has parameters of such types.
pub trait Called<A> {
    /// Its type as a pointer to a function.
    type Signature;
}

/// The routine of a function.
#[derive(Debug)]
pub struct Found<F, S>(PhantomData<(F, S)>);

macro_rules! called {
    ($($param:ident)*) => {
        impl<F: Fn($($param),*) -> R, $($param,)* R> Called<($($param,)*)> for F {
            type Signature = fn($($param),*) -> R;
        }

        impl<F: 'static, $($param: Value,)* R: Value> RoutineType for Found<F, fn($($param),*) -> R> {
            const PARAMS: &'static [TypeRef] = &[$($param::REFERENCE),*];
            const RESULT: TypeRef = R::REFERENCE;
            fn routine() -> &'static Routine {
                find::<F>()
            }
        }
    };
}
called! {}
called! { A }
called! { A B }
called! { A B C }
called! { A B C D }
called! { A B C D E }
called! { A B C D E G }
called! { A B C D E G H }
called! { A B C D E G H I }
called! { A B C D E G H I J }
called! { A B C D E G H I J K }
called! { A B C D E G H I J K L }
called! { A B C D E G H I J K L M }

fn find<F: 'static>() -> &'static Routine {
    static FUNCTIONS: OnceLock<HashMap<TypeId, &'static Function>> = OnceLock::new();
    let functions = FUNCTIONS.get_or_init(|| {
        let all = inventory::iter::<Function>.into_iter();
        all.map(|function| ((function.id)(), function)).collect()
    });
    match functions.get(&TypeId::of::<F>()) {
        Some(function) => (function.routine)(),
        None => panic!(
            "`{}` is not a routine; put `#[routine]` above it",
            std::any::type_name::<F>()
        ),
    }
}
