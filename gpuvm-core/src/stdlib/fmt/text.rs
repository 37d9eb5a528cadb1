//! What a text shows as a text: `bool`, `char` and `str`.

use std::fmt;

use gpuvm_macros::routine;
use gpuvm_nodes::Style;

use super::super::char::encode;
use super::super::intrinsics;
use super::{Displays, Formatted, Formatter, Sink, pad};
use crate::facts::CallSlot;

#[routine(library)]
pub fn show_text<W: Sink>(value: &str, f: &mut Formatter<'static, W>) -> fmt::Result {
    pad(f, value)
}

#[routine(library)]
pub fn show_bool<W: Sink>(value: &bool, f: &mut Formatter<'static, W>) -> fmt::Result {
    pad(f, if *value { "true" } else { "false" })
}

#[routine(library)]
pub fn show_char<W: Sink>(value: &char, f: &mut Formatter<'static, W>) -> fmt::Result {
    if f.width == 0 && f.precision == 0 {
        return f.sink.write_char(*value);
    }
    let mut bytes = [0u8; 4];
    let length = encode(*value, &mut bytes);
    pad(f, intrinsics::words(intrinsics::part(&&bytes[..], 0, length)))
}

macro_rules! displayed {
    ($($ty:ident $name:ident;)*) => {$(
        impl Displays for $ty {
            type Routine<W: Sink> = $name<W>;
        }
    )*};
}
displayed! {
    str show_text;
    char show_char;
    bool show_bool;
}

#[diagnostic::do_not_recommend]
impl<W: Sink> Formatted<{ Style::Debug as u8 }, W> for bool {
    type Slot = CallSlot<show_bool<W>>;
}
