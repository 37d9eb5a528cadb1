//! `std::fmt` without a heap: texts that a routine writes to a `fmt::Write` of the user's, piece by piece as std writes them, and a `Display` of the user's.
//!
//! std's `Formatter` refers to whatever is written to by a vtable. Here it has the type of that, so a `Display` of the user's is a routine for each.

mod big;
mod builders;
mod debug;
mod digits;
mod exponent;
mod float;
mod integer;
mod text;

use std::fmt;

use gpuvm_macros::routine;

pub use builders::{DebugList, DebugMap, DebugSet, DebugStruct, DebugTuple, Padded, not_indented};

use super::char::encode;
use super::intrinsics;
use crate::facts::{CallSlot, Method, RoutineType, Slot};
use crate::marker::Unreferenced;
use crate::types::{Kind, Static, Type, TypeRef, Value};

/// What texts are written to: an `impl fmt::Write` that is a routine.
#[diagnostic::on_unimplemented(
    message = "a text cannot be written to `{Self}` inside a #[routine]",
    label = "no `fmt::Write` that is a routine",
    note = "put `#[routine]` above the `impl fmt::Write for {Self}`"
)]
pub trait Sink:
    Unreferenced
    + fmt::Write
    + Method<{ gpuvm_macros::name_hash!("write_str") }>
    + Method<{ gpuvm_macros::name_hash!("write_char") }>
    + Method<{ gpuvm_macros::name_hash!("__gpuvm_indent") }>
{
    /// Goes further in by so many values, or comes back out, in the pretty form; whether what is written is in that form.
    #[doc(hidden)]
    fn __gpuvm_indent(&mut self, _: u32) -> bool {
        unreachable!("the shadow of a routine never runs")
    }
}

#[diagnostic::do_not_recommend]
impl<W> Sink for W where
    W: Unreferenced
        + fmt::Write
        + Method<{ gpuvm_macros::name_hash!("write_str") }>
        + Method<{ gpuvm_macros::name_hash!("write_char") }>
        + Method<{ gpuvm_macros::name_hash!("__gpuvm_indent") }>
{
}

/// std's `Formatter`: where a value is written to, and how.
pub struct Formatter<'a, W> {
    /// Where.
    pub sink: &'a mut W,
    /// [`PLUS`], [`ALTERNATE`], [`ZERO`], [`LOWER`], [`UPPER`], and the alignment above [`ALIGN`].
    pub flags: u32,
    /// What fills up to the width.
    pub fill: char,
    /// The least number of characters.
    pub width: u32,
    /// The precision and 1; 0 where there is none.
    pub precision: u32,
}

/// The style of `{:?}`.
const DEBUG: u8 = gpuvm_nodes::Style::Debug as u8;

/// `+`
pub const PLUS: u32 = 1;
/// `#`
pub const ALTERNATE: u32 = 2;
/// `0`
pub const ZERO: u32 = 4;
/// `x?`
pub const LOWER: u32 = 8;
/// `X?`
pub const UPPER: u32 = 64;
/// How far up the alignment is: 0 where there is none, and else 1 for the left, 2 for the centre and 3 for the right.
pub const ALIGN: u32 = 4;

impl<W: Value> Value for Formatter<'_, W>
where
    W::Erased: Static,
{
    type Erased = Formatter<'static, W::Erased>;
    type Inner = Formatter<'static, W::Erased>;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(
        Kind::Struct,
        "Formatter",
        const {
            &crate::marker::layout(
                0,
                [
                    ("sink", "sink", TypeRef::of::<&mut W>()),
                    ("flags", "flags", TypeRef::of::<u32>()),
                    ("fill", "fill", TypeRef::of::<char>()),
                    ("width", "width", TypeRef::of::<u32>()),
                    ("precision", "precision", TypeRef::of::<u32>()),
                ],
            )
        },
    );
}

/// What `write!` is given as its first argument: what is written to, whose `impl fmt::Write` says so, or a `Formatter` of one's own `fmt`, whose own options do not hold for what is in the text.
#[diagnostic::on_unimplemented(
    message = "a text cannot be written to `{Self}` inside a #[routine]",
    label = "no `fmt::Write` that is a routine",
    note = "put `#[routine]` above the `impl fmt::Write for {Self}`"
)]
pub trait WrittenTo {
    /// What is written to.
    type Sink: Sink;
    /// What fills a slot with the routine that finds it.
    type Slot: Slot;
}

#[diagnostic::do_not_recommend]
impl<W: Sink> WrittenTo for Formatter<'static, W> {
    type Sink = W;
    type Slot = CallSlot<of_formatter<W>>;
}

#[routine(library, inline)]
pub fn itself<W: Sink>(sink: &'static mut W) -> &'static mut W {
    sink
}

#[routine(library, inline)]
pub fn of_formatter<W: Sink>(f: &'static mut Formatter<'static, W>) -> &'static mut W {
    f.sink
}

/// Fills a slot with what finds where a text is written to, and gives that.
pub fn sink_of<D: Value<Inner: WrittenTo>>(
    _: &D,
    _: std::marker::PhantomData<<D::Inner as WrittenTo>::Slot>,
) -> &'static mut <D::Inner as WrittenTo>::Sink {
    unreachable!("the shadow of a routine never runs")
}

/// A value that a text shows in a style, a number of [`Style`](gpuvm_nodes::Style).
#[diagnostic::on_unimplemented(
    message = "a text that a #[routine] writes cannot show `{Self}` so",
    label = "no number",
    note = "`{{:x}}`, `{{:b}}`, `{{:o}}` and `{{:e}}` show numbers alone; write that of a number in it, or use `{{}}` and a `#[routine] impl fmt::Display`"
)]
pub trait Formatted<const STYLE: u8, W> {
    /// What fills a slot with the routine that shows it.
    type Slot: Slot;
}

/// A type whose `Display` is a routine, std's or the user's.
#[diagnostic::on_unimplemented(
    message = "a text that a #[routine] writes cannot show `{Self}` by `{{}}`",
    label = "no number, `bool`, `char` or text, and without a `Display` that is a routine",
    note = "put `#[routine]` above the `impl fmt::Display for {Self}`"
)]
pub trait Displays {
    /// The routine, by what is written to.
    type Routine<W: Sink>: RoutineType;
}

/// A type whose `Debug` is a routine, std's, a derived one or the user's.
#[diagnostic::on_unimplemented(
    message = "a text that a #[routine] writes cannot show `{Self}` by `{{:?}}`",
    label = "without a `Debug` that is a routine",
    note = "write `#[derive(Debug)]` beside its `#[derive(VmType)]`, or put `#[routine]` above its `impl fmt::Debug`"
)]
pub trait Debugs {
    /// The routine, by what is written to.
    type Routine<W: Sink>: RoutineType;
}

/// What no type is. rustc takes the only `impl` that there may be of a trait for one that holds, whatever that asks for; of two it looks at both, so a type of which
/// a part has no such `Debug` has none itself, which is told once.
pub trait Nothing {}

#[diagnostic::do_not_recommend]
impl<T: Nothing + ?Sized> Debugs for T {
    type Routine<W: Sink> = debug::debug_nothing<W>;
}

/// What `{:?}` shows inside of another value.
pub trait Debugged: Static + Value<Inner: Debugs> {}

impl<T: Static + Value<Inner: Debugs>> Debugged for T {}

/// The same, asked where the answer may be no: rustc refuses a bound that never holds, but for one that has a lifetime of its own.
pub trait DebugsIf<'__for>: Debugs {}

impl<T: Debugs + ?Sized> DebugsIf<'_> for T {}

/// Fills a slot with the routine that shows a value, and gives what that results in.
pub fn formatted<const STYLE: u8, T: Value<Inner: Formatted<STYLE, W>> + ?Sized, W>(
    _: &T,
    _: &Formatter<'_, W>,
    _: std::marker::PhantomData<<T::Inner as Formatted<STYLE, W>>::Slot>,
) -> fmt::Result {
    unreachable!("the shadow of a routine never runs")
}

/// The same of `{}`.
pub fn displayed<T: Value<Inner: Displays> + ?Sized, W: Sink>(
    _: &T,
    _: &Formatter<'_, W>,
    _: std::marker::PhantomData<CallSlot<<T::Inner as Displays>::Routine<W>>>,
) -> fmt::Result {
    unreachable!("the shadow of a routine never runs")
}

/// The same of `{:?}`.
pub fn debugged<T: Value<Inner: Debugs> + ?Sized, W: Sink>(
    _: &T,
    _: &Formatter<'_, W>,
    _: std::marker::PhantomData<CallSlot<<T::Inner as Debugs>::Routine<W>>>,
) -> fmt::Result {
    unreachable!("the shadow of a routine never runs")
}

/// The alignment of what says none.
const LEFT: u32 = 1;
const RIGHT: u32 = 3;

#[routine(library)]
fn fill<W: Sink>(sink: &mut W, fill: char, count: u32) -> fmt::Result {
    let mut left = count;
    while left > 0 {
        sink.write_char(fill)?;
        left = left.wrapping_sub(1);
    }
    Ok(())
}

/// How much of a padding stands before the value.
#[routine(library, inline)]
fn before(flags: u32, padding: u32, otherwise: u32) -> u32 {
    let written = flags >> ALIGN & 3;
    let align = if written == 0 { otherwise } else { written };
    match align {
        1 => 0,
        2 => padding / 2,
        _ => padding,
    }
}

#[routine(library, inline)]
fn prefixed<W: Sink>(sink: &mut W, sign: u32, prefix: &str, is_prefixed: bool) -> fmt::Result {
    if sign == 1 {
        sink.write_char('-')?;
    } else if sign == 2 {
        sink.write_char('+')?;
    }
    if is_prefixed {
        sink.write_str(prefix)?;
    }
    Ok(())
}

/// As std's `pad_integral`, whose every call of what is written to is made here too.
#[routine(library)]
pub fn pad_integral<W: Sink>(
    f: &mut Formatter<'static, W>,
    is_nonnegative: bool,
    prefix: &str,
    digits: &str,
) -> fmt::Result {
    let flags = f.flags;
    let is_prefixed = flags & ALTERNATE != 0;
    let sign = match (is_nonnegative, flags & PLUS != 0) {
        (false, _) => 1,
        (true, true) => 2,
        (true, false) => 0u32,
    };
    let mut width = digits.len() as u32;
    if sign != 0 {
        width = width.wrapping_add(1);
    }
    if is_prefixed {
        width = width.wrapping_add(prefix.len() as u32);
    }
    if width >= f.width {
        prefixed(f.sink, sign, prefix, is_prefixed)?;
        return f.sink.write_str(digits);
    }
    let padding = f.width.wrapping_sub(width);
    if flags & ZERO != 0 {
        prefixed(f.sink, sign, prefix, is_prefixed)?;
        fill(f.sink, '0', padding)?;
        return f.sink.write_str(digits);
    }
    let first = before(flags, padding, RIGHT);
    fill(f.sink, f.fill, first)?;
    prefixed(f.sink, sign, prefix, is_prefixed)?;
    f.sink.write_str(digits)?;
    fill(f.sink, f.fill, padding.wrapping_sub(first))
}

/// As std's `pad`.
#[routine(library)]
pub fn pad<W: Sink>(f: &mut Formatter<'static, W>, text: &str) -> fmt::Result {
    if f.width == 0 && f.precision == 0 {
        return f.sink.write_str(text);
    }
    let mut count = 0u32;
    let mut end = 0usize;
    let most = f.precision.wrapping_sub(1);
    for c in text.chars() {
        if count == most {
            break;
        }
        count = count.wrapping_add(1);
        end = end.wrapping_add(c.len_utf8());
    }
    let shown: &str = intrinsics::words(intrinsics::part(&text.as_bytes(), 0, end));
    if count >= f.width {
        return f.sink.write_str(shown);
    }
    let padding = f.width.wrapping_sub(count);
    let first = before(f.flags, padding, LEFT);
    fill(f.sink, f.fill, first)?;
    f.sink.write_str(shown)?;
    fill(f.sink, f.fill, padding.wrapping_sub(first))
}

/// The methods of std's `Formatter`.
#[routine(library)]
impl<W: Sink> Formatter<'_, W> {
    pub fn write_str(&mut self, text: &str) -> fmt::Result {
        self.sink.write_str(text)
    }

    pub fn write_char(&mut self, c: char) -> fmt::Result {
        self.sink.write_char(c)
    }

    pub fn alternate(&self) -> bool {
        self.flags & ALTERNATE != 0
    }

    pub fn sign_plus(&self) -> bool {
        self.flags & PLUS != 0
    }

    pub fn sign_minus(&self) -> bool {
        false
    }

    pub fn sign_aware_zero_pad(&self) -> bool {
        self.flags & ZERO != 0
    }

    pub fn fill(&self) -> char {
        self.fill
    }

    pub fn width(&self) -> Option<usize> {
        if self.width == 0 {
            None
        } else {
            Some(self.width as usize)
        }
    }

    pub fn precision(&self) -> Option<usize> {
        if self.precision == 0 {
            None
        } else {
            Some(self.precision.wrapping_sub(1) as usize)
        }
    }
}

macro_rules! of_formatter {
    ($($name:ident($($argument:ident: $ty:ty),*);)*) => {
        impl<W: Sink> Formatter<'_, W> {
            $(
                #[doc = "As std's."]
                pub fn $name(&mut self, $(_: $ty),*) -> fmt::Result {
                    unreachable!("the shadow of a routine never runs")
                }
            )*
        }

        super::methods! { $([W: Sink] Formatter<'static, W>, $name = $name<W>;)* }
    };
}
of_formatter! {
    pad(text: &str);
    pad_integral(is_nonnegative: bool, prefix: &str, digits: &str);
}

/// `write_char` of what has `write_str` alone.
pub trait WritesText: Unreferenced + fmt::Write + Method<{ gpuvm_macros::name_hash!("write_str") }> {}

impl<W: Unreferenced + fmt::Write + Method<{ gpuvm_macros::name_hash!("write_str") }>> WritesText for W {}

#[routine(library)]
pub fn write_char<W: WritesText>(sink: &mut W, c: char) -> fmt::Result {
    let mut bytes = [0u8; 4];
    let length = encode(c, &mut bytes);
    sink.write_str(intrinsics::words(intrinsics::part(&&bytes[..], 0, length)))
}
