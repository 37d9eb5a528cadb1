//! What a value has to be to stand in a text.

use std::marker::PhantomData;
use std::num::Wrapping;

use crate::types::Value;

/// What a text shows as `{}`.
#[diagnostic::on_unimplemented(
    message = "a text inside a #[routine] shows `{Self}` as `{{:?}}`",
    label = "not a number, `bool`, `char` or text",
    note = "write `{{:?}}`, or show its fields: a `Display` of your own is not called on a VM"
)]
pub trait Shown {}

macro_rules! shown {
    ($($ty:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Shown for $ty {}
    )*};
}
shown!(bool char f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize str);
#[cfg(feature = "half")]
shown!(half::f16 half::bf16);

#[diagnostic::do_not_recommend]
impl<T: Shown> Shown for Wrapping<T> {}

/// A value's type in a text.
pub struct InText<T: ?Sized>(PhantomData<fn(&T)>);

/// The type of a value, behind all references.
pub fn in_text<T: Value + ?Sized>(_: &T) -> InText<T::Inner> {
    InText(PhantomData)
}

/// Whether a text shows a value as `{}`. Method lookup finds this for what rustc itself does not show so, and has said it.
pub trait ShownOrRefused {
    /// It does.
    fn shown(&self) {}
}

impl<T: ?Sized> ShownOrRefused for InText<T> {}

impl<T: std::fmt::Display + ?Sized> InText<T> {
    /// It does if it is a number, a `bool` or a `char`.
    pub fn shown(&self)
    where
        T: Shown,
    {
    }
}

/// The width or the precision of a value in a text.
pub fn count(count: &usize) -> &usize {
    count
}
