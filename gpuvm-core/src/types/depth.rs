//! How many references stand before a type, as a type. What compares a value with a reference is not what compares two values.

/// No reference.
pub struct Zero;

/// One more.
pub struct Succ<D>(std::marker::PhantomData<D>);

/// Of two operands of a comparison.
pub trait Against<Other> {
    /// What an operand is compared as: what is behind its references, `Inner`, if as many stand before the other, and else what it is, `Own`.
    type Of<Inner: ?Sized, Own: ?Sized>: ?Sized;
}

impl Against<Zero> for Zero {
    type Of<Inner: ?Sized, Own: ?Sized> = Inner;
}

impl<D> Against<Zero> for Succ<D> {
    type Of<Inner: ?Sized, Own: ?Sized> = Own;
}

impl<D> Against<Succ<D>> for Zero {
    type Of<Inner: ?Sized, Own: ?Sized> = Own;
}

impl<D: Against<Other>, Other> Against<Succ<Other>> for Succ<D> {
    type Of<Inner: ?Sized, Own: ?Sized> = D::Of<Inner, Own>;
}
