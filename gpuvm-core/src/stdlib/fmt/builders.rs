//! `{:?}` of what has parts: std's `DebugStruct` and its like, and what lines of `{:#?}` go through, which stand further in.

use std::fmt;

use gpuvm_macros::routine;

use super::super::intrinsics;
use super::{ALTERNATE, DEBUG, Debugged, Formatter, Sink};
use crate::types::{Kind, Static, Type, TypeRef, Value};

/// What a value is written to that has `#`: each line of what is inside of it begins four columns further in. std has one of these for each value around
/// another; they agree on where a line begins, so one that counts makes the same calls.
pub struct Padded<'a, W> {
    /// Where it is written to.
    pub sink: &'a mut W,
    /// How many values are around what is written.
    pub depth: u32,
    /// Whether a line begins.
    pub is_at_start: bool,
}

/// A builder of a `Formatter`: the formatter, whether all has been written so far, and how many parts there were.
macro_rules! builders {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        pub struct $name<'a, 'f, W> {
            f: &'a mut Formatter<'f, W>,
            result: fmt::Result,
            fields: u32,
            is_unnamed: bool,
        }

        impl<'a, 'f, W: Value> Value for $name<'a, 'f, W>
        where
            W::Erased: Static,
        {
            type Erased = $name<'static, 'static, W::Erased>;
            type Inner = $name<'static, 'static, W::Erased>;
            type Depth = crate::types::Zero;
            const TYPE: &'static Type = &Type::record(
                Kind::Struct,
                stringify!($name),
                const {
                    &crate::marker::layout(
                        0,
                        [
                            ("f", "f", TypeRef::of::<&'a mut Formatter<'f, W>>()),
                            ("result", "result", TypeRef::of::<fmt::Result>()),
                            ("fields", "fields", TypeRef::of::<u32>()),
                            ("is_unnamed", "is_unnamed", TypeRef::of::<bool>()),
                        ],
                    )
                },
            );
        }
    )*};
}
builders! {
    /// std's `DebugStruct`.
    DebugStruct;
    /// std's `DebugTuple`.
    DebugTuple;
    /// std's `DebugList`.
    DebugList;
    /// std's `DebugSet`.
    DebugSet;
    /// std's `DebugMap`.
    DebugMap;
}

impl<W: Value> Value for Padded<'_, W>
where
    W::Erased: Static,
{
    type Erased = Padded<'static, W::Erased>;
    type Inner = Padded<'static, W::Erased>;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(
        Kind::Struct,
        "Padded",
        const {
            &crate::marker::layout(
                0,
                [
                    ("sink", "sink", TypeRef::of::<&mut W>()),
                    ("depth", "depth", TypeRef::of::<u32>()),
                    ("is_at_start", "is_at_start", TypeRef::of::<bool>()),
                ],
            )
        },
    );
}

#[routine(library)]
impl<W: Sink> Padded<'_, W> {
    fn begin_line(&mut self) -> fmt::Result {
        let mut left = self.depth;
        while self.is_at_start && left > 0 {
            self.sink.write_str("    ")?;
            left = left.wrapping_sub(1);
        }
        Ok(())
    }

    /// Goes further in or out; whether it can.
    pub fn __gpuvm_indent(&mut self, by: u32) -> bool {
        self.depth = self.depth.wrapping_add(by);
        if by == 1 {
            self.is_at_start = true;
        }
        true
    }
}

#[routine(library)]
impl<W: Sink> fmt::Write for Padded<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.depth == 0 {
            return self.sink.write_str(text);
        }
        let bytes = text.as_bytes();
        let (mut start, mut at) = (0usize, 0usize);
        while at < bytes.len() {
            let is_line = *intrinsics::element(&bytes, at) == b'\n';
            at = at.wrapping_add(1);
            if is_line || at == bytes.len() {
                self.begin_line()?;
                self.is_at_start = is_line;
                self.sink
                    .write_str(intrinsics::words(intrinsics::part(&bytes, start, at)))?;
                start = at;
            }
        }
        Ok(())
    }

    fn write_char(&mut self, c: char) -> fmt::Result {
        if self.depth > 0 {
            self.begin_line()?;
            self.is_at_start = c == '\n';
        }
        self.sink.write_char(c)
    }
}

/// What does not go further in.
#[routine(library, inline)]
pub fn not_indented<W: super::WritesText>(_sink: &mut W, _by: u32) -> bool {
    false
}

#[routine(library, inline)]
fn is_pretty<W: Sink>(f: &mut Formatter<'_, W>) -> bool {
    f.flags & ALTERNATE != 0 && f.sink.__gpuvm_indent(0)
}

/// What stands before a part of a value that is written: `opening` before the first one, which is followed by a line in the pretty form.
#[routine(library)]
fn before_part<W: Sink>(f: &mut Formatter<'_, W>, is_first: bool, opening: &str, pretty_opening: &str) -> fmt::Result {
    match (is_pretty(f), is_first) {
        (true, true) => f.sink.write_str(pretty_opening),
        (true, false) => Ok(()),
        (false, true) if opening.len() == 0 => Ok(()),
        (false, true) => f.sink.write_str(opening),
        (false, false) => f.sink.write_str(", "),
    }
}

/// Goes further in for a part, if the form is the pretty one, and writes its name.
#[routine(library)]
fn named<W: Sink>(f: &mut Formatter<'_, W>, name: &str) -> fmt::Result {
    further_in(f);
    f.sink.write_str(name)?;
    f.sink.write_str(": ")
}

#[routine(library, inline)]
fn further_in<W: Sink>(f: &mut Formatter<'_, W>) {
    if f.flags & ALTERNATE != 0 {
        f.sink.__gpuvm_indent(1);
    }
}

/// Comes back out behind a part.
#[routine(library)]
fn after_part<W: Sink>(f: &mut Formatter<'_, W>, result: fmt::Result) -> fmt::Result {
    let mut ended = result;
    if is_pretty(f) {
        if ended.is_ok() {
            ended = f.sink.write_str(",\n");
        }
        f.sink.__gpuvm_indent(u32::MAX);
    }
    ended
}

/// What begins a value that has parts.
macro_rules! beginnings {
    ($($method:ident $builder:ident ($($name:ident: $ty:ty)?) $begins:expr, $is_unnamed:expr;)*) => {
        impl<'f, W: Sink> Formatter<'f, W> {
            $(
                #[doc = "As std's."]
                pub fn $method(&mut self, $(_: $ty)?) -> $builder<'_, 'f, W> {
                    unreachable!("the shadow of a routine never runs")
                }
            )*
        }

        $(
            #[routine(library, inline)]
            pub fn $method<W: Sink>(f: &'static mut Formatter<'static, W>, $($name: &str)?) -> $builder<'static, 'static, W> {
                let result = f.sink.write_str($begins);
                $builder {
                    f,
                    result,
                    fields: 0,
                    is_unnamed: $is_unnamed,
                }
            }
        )*

        super::super::methods! { $([W: Sink] Formatter<'static, W>, $method = $method<W>;)* }
    };
}
beginnings! {
    debug_struct DebugStruct (name: &str) name, false;
    debug_tuple DebugTuple (name: &str) name, name.len() == 0;
    debug_list DebugList () "[", false;
    debug_set DebugSet () "{", false;
    debug_map DebugMap () "{", false;
}

#[routine(library)]
impl<W: Sink> DebugStruct<'_, '_, W> {
    pub fn field<T: Debugged>(&mut self, name: &str, value: &T) -> &mut Self {
        if self.result.is_ok() {
            let begun = before_part(self.f, self.fields == 0, " { ", " {\n");
            self.result = begun;
            if begun.is_ok() {
                let mut ended = named(self.f, name);
                if ended.is_ok() {
                    ended = intrinsics::formatted::<DEBUG>(value, self.f);
                }
                self.result = after_part(self.f, ended);
            }
        }
        self.fields = 1;
        self
    }

    pub fn finish_non_exhaustive(&mut self) -> fmt::Result {
        if self.result.is_ok() {
            self.result = match (self.fields == 0, is_pretty(self.f)) {
                (true, _) => self.f.sink.write_str(" { .. }"),
                (false, false) => self.f.sink.write_str(", .. }"),
                (false, true) => {
                    further_in(self.f);
                    let ended = self.f.sink.write_str("..\n");
                    self.f.sink.__gpuvm_indent(u32::MAX);
                    match ended {
                        Ok(()) => self.f.sink.write_str("}"),
                        Err(_) => ended,
                    }
                }
            };
        }
        self.result
    }

    pub fn finish(&mut self) -> fmt::Result {
        if self.fields > 0 && self.result.is_ok() {
            let end = if is_pretty(self.f) { "}" } else { " }" };
            self.result = self.f.sink.write_str(end);
        }
        self.result
    }
}

#[routine(library)]
impl<W: Sink> DebugTuple<'_, '_, W> {
    pub fn field<T: Debugged>(&mut self, value: &T) -> &mut Self {
        if self.result.is_ok() {
            let begun = before_part(self.f, self.fields == 0, "(", "(\n");
            self.result = begun;
            if begun.is_ok() {
                further_in(self.f);
                let ended = intrinsics::formatted::<DEBUG>(value, self.f);
                self.result = after_part(self.f, ended);
            }
        }
        self.fields = self.fields.wrapping_add(1);
        self
    }

    pub fn finish(&mut self) -> fmt::Result {
        if self.fields > 0 && self.result.is_ok() {
            if self.fields == 1 && self.is_unnamed && !is_pretty(self.f) {
                self.result = self.f.sink.write_str(",");
            }
            if self.result.is_ok() {
                self.result = self.f.sink.write_str(")");
            }
        }
        self.result
    }
}

macro_rules! collections {
    ($($builder:ident $end:literal;)*) => {$(
        #[routine(library)]
        impl<W: Sink> $builder<'_, '_, W> {
            pub fn entry<T: Debugged>(&mut self, value: &T) -> &mut Self {
                if self.result.is_ok() {
                    let begun = before_part(self.f, self.fields == 0, "", "\n");
                    self.result = begun;
                    if begun.is_ok() {
                        further_in(self.f);
                        let ended = intrinsics::formatted::<DEBUG>(value, self.f);
                        self.result = after_part(self.f, ended);
                    }
                }
                self.fields = 1;
                self
            }

            pub fn finish(&mut self) -> fmt::Result {
                if self.result.is_ok() {
                    self.result = self.f.sink.write_str($end);
                }
                self.result
            }
        }
    )*};
}
collections! {
    DebugList "]";
    DebugSet "}";
}

#[routine(library)]
impl<W: Sink> DebugMap<'_, '_, W> {
    pub fn entry<K: Debugged, V: Debugged>(&mut self, key: &K, value: &V) -> &mut Self {
        if self.result.is_ok() {
            let begun = before_part(self.f, self.fields == 0, "", "\n");
            self.result = begun;
            if begun.is_ok() {
                further_in(self.f);
                let mut ended = intrinsics::formatted::<DEBUG>(key, self.f);
                if ended.is_ok() {
                    ended = self.f.sink.write_str(": ");
                }
                if ended.is_ok() {
                    ended = intrinsics::formatted::<DEBUG>(value, self.f);
                }
                self.result = after_part(self.f, ended);
            }
        }
        self.fields = 1;
        self
    }

    pub fn finish(&mut self) -> fmt::Result {
        if self.result.is_ok() {
            self.result = self.f.sink.write_str("}");
        }
        self.result
    }
}
