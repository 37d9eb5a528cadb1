//! For which type a method of a trait of the user's is called, where a reference has the trait in its own way: `r.size()` may be that of `V` or of `&V`. What
//! the function beside a method tells is found behind all references; here the receiver's own type is gone through as rustc's method lookup does: itself, a
//! reference to it, a unique one, and then what it refers to.

use std::marker::PhantomData;

use super::Method;

/// What stands for a method of a trait of the user's, for whoever has the trait.
pub trait OfImplementor {
    /// The same for another type.
    type Of<T: ?Sized>;
    /// How the method takes its receiver: [`TakesRef`], [`TakesMut`] or [`TakesValue`].
    type Takes;
}

/// `&self`.
pub struct TakesRef;

/// `&mut self`.
pub struct TakesMut;

/// `self`.
pub struct TakesValue;

/// A method for which `M` stands, sought from a value of type `T` on.
pub struct Looking<M: ?Sized, T: ?Sized>(PhantomData<fn(&M, &T)>);

/// Of what the function beside the method tells, and of the receiver.
pub fn looking<M: ?Sized, T: ?Sized>(_: PhantomData<M>, _: &T) -> Looking<M, T> {
    Looking(PhantomData)
}

/// What it was found to be.
pub struct Settled<M: ?Sized>(PhantomData<fn(&M)>);

impl<M: ?Sized> Settled<M> {
    /// What stands for the method.
    pub fn __gpuvm_found(&self) -> PhantomData<M> {
        PhantomData
    }
}

impl<M: ?Sized, T: ?Sized> Looking<M, T> {
    /// The same where more references are in the way than are looked behind.
    pub fn __gpuvm_found(&self) -> PhantomData<M> {
        PhantomData
    }
}

/// The steps, of which the first that there is goes before the others. Those that only the way in which the receiver is taken tells apart are traits of their own.
macro_rules! steps {
    ($($(#[$doc:meta])* $name:ident: $([$($generics:tt)*] $of:ty => $next:ty;)*)*) => {$(
        $(#[$doc])*
        pub trait $name<L> {
            /// The next step, or what has been found.
            fn __gpuvm_look(&self) -> L {
                unreachable!("the shadow of a routine never runs")
            }
        }
        $(impl<$($generics)*> $name<$next> for $of {})*
    )*};
}
steps! {
    /// What has been found.
    LookSettled:
        [M: ?Sized] &&&&&Settled<M> => Settled<M>;
    /// What takes the receiver as it is, a reference.
    LookAtReferred:
        [M: OfImplementor<Takes = TakesRef, Of<X>: Method<0>> + ?Sized, X: ?Sized] &&&&&Looking<M, &X> => Settled<M::Of<X>>;
        [M: OfImplementor<Takes = TakesMut, Of<X>: Method<0>> + ?Sized, X: ?Sized] &&&&&Looking<M, &mut X> => Settled<M::Of<X>>;
    /// The same, whatever it is.
    LookAtValue:
        [M: OfImplementor<Takes = TakesValue, Of<T>: Method<0>> + ?Sized, T: ?Sized] &&&&&Looking<M, T> => Settled<M::Of<T>>;
    /// What takes a reference to it.
    LookByRef:
        [M: OfImplementor<Takes = TakesRef, Of<T>: Method<0>> + ?Sized, T: ?Sized] &&&&Looking<M, T> => Settled<M::Of<T>>;
    /// The same as a value.
    LookByRefAsValue:
        ['r, M: OfImplementor<Takes = TakesValue, Of<&'r T>: Method<0>> + ?Sized, T: ?Sized + 'r] &&&&Looking<M, T> => Settled<M::Of<&'r T>>;
    /// What takes a unique reference to it.
    LookByMut:
        [M: OfImplementor<Takes = TakesMut, Of<T>: Method<0>> + ?Sized, T: ?Sized] &&&Looking<M, T> => Settled<M::Of<T>>;
    /// The same as a value.
    LookByMutAsValue:
        ['r, M: OfImplementor<Takes = TakesValue, Of<&'r mut T>: Method<0>> + ?Sized, T: ?Sized + 'r] &&&Looking<M, T> => Settled<M::Of<&'r mut T>>;
    /// What it refers to is next.
    LookBehind:
        [M: OfImplementor + ?Sized, X: ?Sized] &&Looking<M, &X> => Looking<M, X>;
        [M: OfImplementor + ?Sized, X: ?Sized] &&Looking<M, &mut X> => Looking<M, X>;
    /// There is none, or no trait tells of the method: it is what it was.
    LookNoFurther:
        [M: ?Sized, T: ?Sized] &Looking<M, T> => Settled<M>;
}
