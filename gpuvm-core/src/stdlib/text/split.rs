//! Iterators over parts of texts that a pattern cuts. What is left lies between `at` and `end`; there is a part of it, be it empty, until `ended`.

use gpuvm_macros::routine;

use super::super::iter::{
    Advance, AdvanceBack, AnIterator, advance_back_by_next, advance_by_next, by_taking, by_taking_back, iterator_type,
};
use super::super::{generic_methods, methods};
use super::chars::{after, before};
use super::find::{char_before, char_from, is_one_of, text_before, text_from};
use super::part;
use crate::types::{Type, Value};

iterator_type! {
    /// `split` by a text. `tail`: whether the last part is given though it is empty.
    SplitText [] [] { text: &'static str, pattern: &'static str, at: usize, end: usize, begun: bool, ended: bool, tail: bool } {}
}
iterator_type! {
    /// `rsplit` by a text
    RSplitText [] [] { iter: SplitText } {}
}
iterator_type! {
    /// `splitn` by a text
    SplitNText [] [] { iter: SplitText, left: usize } {}
}
iterator_type! {
    /// `rsplitn` by a text
    RSplitNText [] [] { iter: RSplitText, left: usize } {}
}
iterator_type! {
    /// `split_inclusive` by a text
    SplitInclusiveText [] [] { iter: SplitText } {}
}
iterator_type! {
    /// `split_whitespace`, and that of ASCII
    SplitWhitespace [] [] { text: &'static str, at: usize, end: usize, ascii: bool } {}
}
iterator_type! {
    /// `lines`
    Lines [] [] { text: &'static str, at: usize, end: usize } {}
}

macro_rules! parts {
    ($($std:ty => $own:ty;)*) => {$(
        impl Value for $std {
            type Erased = $own;
            type Inner = AnIterator<$own>;
            type Depth = crate::types::Zero;
            const TYPE: &'static Type = <$own as Value>::TYPE;
        }
    )*};
}
pub(super) use parts;
parts! {
    std::str::SplitWhitespace<'_> => SplitWhitespace;
    std::str::SplitAsciiWhitespace<'_> => SplitWhitespace;
    std::str::Lines<'_> => Lines;
}

/// The same of those of which std's have a pattern.
macro_rules! by_pattern {
    ($($name:ident = $by_text:ident $by_set:ident $by_closure:ident;)*) => {$(
        parts! {
            std::str::$name<'_, &str> => $by_text;
            std::str::$name<'_, &&str> => $by_text;
            std::str::$name<'_, char> => $by_set;
            std::str::$name<'_, &[char]> => $by_set;
        }

        impl<const N: usize> Value for std::str::$name<'_, [char; N]> {
            type Erased = $by_set;
            type Inner = AnIterator<$by_set>;
            type Depth = crate::types::Zero;
            const TYPE: &'static Type = <$by_set as Value>::TYPE;
        }

        impl<const N: usize> Value for std::str::$name<'_, &[char; N]> {
            type Erased = $by_set;
            type Inner = AnIterator<$by_set>;
            type Depth = crate::types::Zero;
            const TYPE: &'static Type = <$by_set as Value>::TYPE;
        }

        impl<F: FnMut(char) -> bool> Value for std::str::$name<'_, F> {
            type Erased = $by_closure;
            type Inner = AnIterator<$by_closure>;
            type Depth = crate::types::Zero;
            const TYPE: &'static Type = <$by_closure as Value>::TYPE;
        }
    )*};
}
pub(super) use by_pattern;
by_pattern! {
    Split = SplitText SplitSet Split;
    SplitTerminator = SplitText SplitSet Split;
    SplitInclusive = SplitInclusiveText SplitInclusiveSet SplitInclusive;
    RSplit = RSplitText RSplitSet RSplit;
    SplitN = SplitNText SplitNSet SplitN;
    RSplitN = RSplitNText RSplitNSet RSplitN;
}

/// Where the next cut is. An empty text is found before each character, and behind the last.
#[routine(library, inline)]
pub(super) fn cut(iter: &mut SplitText) -> Option<usize> {
    if !iter.pattern.is_empty() {
        return text_from(iter.text, iter.at, iter.end, iter.pattern);
    }
    if !iter.begun {
        iter.begun = true;
        Some(iter.at)
    } else if iter.at < iter.end {
        Some(after(iter.text, iter.at))
    } else {
        None
    }
}

/// Where the last cut is.
#[routine(library, inline)]
pub(super) fn cut_back(iter: &mut SplitText) -> Option<usize> {
    if !iter.pattern.is_empty() {
        return text_before(iter.text, iter.at, iter.end, iter.pattern);
    }
    if !iter.begun {
        iter.begun = true;
        Some(iter.end)
    } else if iter.at < iter.end {
        Some(before(iter.text, iter.end))
    } else {
        None
    }
}

#[routine(library, inline)]
impl Iterator for SplitText {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        if self.ended {
            return None;
        }
        let start = self.at;
        match cut(self) {
            Some(at) => {
                self.at = at.wrapping_add(self.pattern.len());
                Some(part(self.text, start, at))
            }
            None => {
                self.ended = true;
                if start == self.end && !self.tail {
                    None
                } else {
                    Some(part(self.text, start, self.end))
                }
            }
        }
    }
}

#[routine(library, inline)]
impl Iterator for RSplitText {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        if self.iter.ended {
            return None;
        }
        let end = self.iter.end;
        match cut_back(&mut self.iter) {
            Some(at) => {
                self.iter.end = at;
                Some(part(self.iter.text, at.wrapping_add(self.iter.pattern.len()), end))
            }
            None => {
                self.iter.ended = true;
                Some(part(self.iter.text, self.iter.at, end))
            }
        }
    }
}

#[routine(library, inline)]
impl Iterator for SplitInclusiveText {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        if self.iter.ended {
            return None;
        }
        let start = self.iter.at;
        match cut(&mut self.iter) {
            Some(at) => self.iter.at = at.wrapping_add(self.iter.pattern.len()),
            None => {
                self.iter.ended = true;
                self.iter.at = self.iter.end;
                if start == self.iter.end {
                    return None;
                }
            }
        }
        Some(part(self.iter.text, start, self.iter.at))
    }
}

/// The last part is all that is left.
macro_rules! counted {
    ($($name:ident: $($iter:ident).+;)*) => {$(
        #[routine(library, inline)]
        impl Iterator for $name {
            type Item = &'static str;

            fn next(&mut self) -> Option<&'static str> {
                if self.left > 1 {
                    self.left = self.left.wrapping_sub(1);
                    return self.iter.next();
                }
                if self.left == 0 || self.$($iter).+.ended {
                    return None;
                }
                self.left = 0;
                Some(part(self.$($iter).+.text, self.$($iter).+.at, self.$($iter).+.end))
            }
        }
    )*};
}
counted! {
    SplitNText: iter;
    RSplitNText: iter.iter;
}

/// The iterators by characters: how it is known whether one cuts.
macro_rules! by_character {
    ($split:ident $rsplit:ident $splitn:ident $rsplitn:ident $inclusive:ident { $($field:ident: $ty:ty),* } { $($closure:ident: $signature:ty),* }
        |$self:ident, $c:ident| $test:expr) => {
        iterator_type! {
            /// `split` by characters
            $split [] [] { text: &'static str, at: usize, end: usize, ended: bool, tail: bool $(, $field: $ty)* } { $($closure: $signature),* }
        }
        iterator_type! {
            /// `rsplit` by characters
            $rsplit [] [] { iter: $split } {}
        }
        iterator_type! {
            /// `splitn` by characters
            $splitn [] [] { iter: $split, left: usize } {}
        }
        iterator_type! {
            /// `rsplitn` by characters
            $rsplitn [] [] { iter: $rsplit, left: usize } {}
        }
        iterator_type! {
            /// `split_inclusive` by characters
            $inclusive [] [] { iter: $split } {}
        }

        #[routine(library, inline)]
        impl Iterator for $split {
            type Item = &'static str;

            fn next(&mut $self) -> Option<&'static str> {
                if $self.ended {
                    return None;
                }
                let start = $self.at;
                match char_from($self.text, start, $self.end, |$c| $test) {
                    Some(at) => {
                        $self.at = after($self.text, at);
                        Some(part($self.text, start, at))
                    }
                    None => {
                        $self.ended = true;
                        if start == $self.end && !$self.tail { None } else { Some(part($self.text, start, $self.end)) }
                    }
                }
            }
        }

        #[routine(library, inline)]
        impl DoubleEndedIterator for $split {
            fn next_back(&mut $self) -> Option<&'static str> {
                if $self.ended {
                    return None;
                }
                // Of what ends with a cut the empty part behind it is left out.
                if !$self.tail {
                    $self.tail = true;
                    let last = match char_before($self.text, $self.at, $self.end, |_| true) {
                        Some(last) => last,
                        None => {
                            $self.ended = true;
                            return None;
                        }
                    };
                    if char_from($self.text, last, $self.end, |$c| $test).is_some() {
                        $self.end = last;
                    }
                }
                let end = $self.end;
                match char_before($self.text, $self.at, end, |$c| $test) {
                    Some(at) => {
                        $self.end = at;
                        Some(part($self.text, after($self.text, at), end))
                    }
                    None => {
                        $self.ended = true;
                        Some(part($self.text, $self.at, end))
                    }
                }
            }
        }

        by_taking_back! { [] $split; }

        #[routine(library, inline)]
        impl Iterator for $rsplit {
            type Item = &'static str;

            fn next(&mut $self) -> Option<&'static str> {
                $self.iter.next_back()
            }
        }

        #[routine(library, inline)]
        impl DoubleEndedIterator for $rsplit {
            fn next_back(&mut $self) -> Option<&'static str> {
                $self.iter.next()
            }
        }

        by_taking_back! { [] $rsplit; }

        #[routine(library, inline)]
        impl Iterator for $inclusive {
            type Item = &'static str;

            fn next(&mut self) -> Option<&'static str> {
                let start = self.iter.at;
                match self.iter.next() {
                    Some(_) => {
                        if self.iter.ended {
                            self.iter.at = self.iter.end;
                        }
                        Some(part(self.iter.text, start, self.iter.at))
                    }
                    None => None,
                }
            }
        }

        counted! {
            $splitn: iter;
            $rsplitn: iter.iter;
        }
        by_taking! {
            [] $split;
            [] $rsplit;
            [] $splitn;
            [] $rsplitn;
            [] $inclusive;
        }
    };
}
by_character! { Split RSplit SplitN RSplitN SplitInclusive {} { f: fn(char) -> bool } |self, c| (self.f)(c) }
// One is none, where there are several.
by_character! { SplitSet RSplitSet SplitNSet RSplitNSet SplitInclusiveSet { one: u32, set: &'static [char] } {} |self, c| c as u32 == self.one || is_one_of(c, self.set) }

/// Whether a character is between words.
#[routine(library, inline)]
fn is_between(c: char, ascii: bool) -> bool {
    if ascii {
        c.is_ascii_whitespace()
    } else {
        c.is_whitespace()
    }
}

#[routine(library, inline)]
impl Iterator for SplitWhitespace {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        match char_from(self.text, self.at, self.end, |c| !is_between(c, self.ascii)) {
            Some(start) => {
                let end = match char_from(self.text, start, self.end, |c| is_between(c, self.ascii)) {
                    Some(end) => end,
                    None => self.end,
                };
                self.at = end;
                Some(part(self.text, start, end))
            }
            None => {
                self.at = self.end;
                None
            }
        }
    }
}

#[routine(library, inline)]
impl DoubleEndedIterator for SplitWhitespace {
    fn next_back(&mut self) -> Option<&'static str> {
        match char_before(self.text, self.at, self.end, |c| !is_between(c, self.ascii)) {
            Some(last) => {
                let end = after(self.text, last);
                let start = match char_before(self.text, self.at, end, |c| is_between(c, self.ascii)) {
                    Some(before) => after(self.text, before),
                    None => self.at,
                };
                self.end = start;
                Some(part(self.text, start, end))
            }
            None => {
                self.end = self.at;
                None
            }
        }
    }
}

by_taking_back! { [] SplitWhitespace; }

/// A line without what ends it.
#[routine(library)]
fn line(text: &str) -> &str {
    match text.strip_suffix("\n") {
        Some(text) => match text.strip_suffix("\r") {
            Some(text) => text,
            None => text,
        },
        None => text,
    }
}

#[routine(library, inline)]
impl Iterator for Lines {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        if self.at == self.end {
            return None;
        }
        let start = self.at;
        self.at = match text_from(self.text, start, self.end, "\n") {
            Some(at) => at.wrapping_add(1),
            None => self.end,
        };
        Some(line(part(self.text, start, self.at)))
    }
}

#[routine(library, inline)]
impl DoubleEndedIterator for Lines {
    fn next_back(&mut self) -> Option<&'static str> {
        if self.at == self.end {
            return None;
        }
        let end = self.end;
        // The end of the last line is not that of one before.
        self.end = match text_before(self.text, self.at, end.wrapping_sub(1), "\n") {
            Some(at) => at.wrapping_add(1),
            None => self.at,
        };
        Some(line(part(self.text, self.end, end)))
    }
}

by_taking_back! { [] Lines; }

by_taking! {
    [] SplitText;
    [] RSplitText;
    [] SplitNText;
    [] RSplitNText;
    [] SplitInclusiveText;
    [] SplitWhitespace;
    [] Lines;
}

#[routine(library, inline)]
fn split(text: &'static str, f: fn(char) -> bool) -> Split {
    Split {
        text,
        at: 0,
        end: text.len(),
        ended: false,
        tail: true,
        f,
    }
}

#[routine(library, inline)]
fn split_terminator(text: &'static str, f: fn(char) -> bool) -> Split {
    Split {
        text,
        at: 0,
        end: text.len(),
        ended: false,
        tail: false,
        f,
    }
}

#[routine(library, inline)]
fn rsplit(text: &'static str, f: fn(char) -> bool) -> RSplit {
    RSplit { iter: split(text, f) }
}

#[routine(library, inline)]
fn splitn(text: &'static str, count: usize, f: fn(char) -> bool) -> SplitN {
    SplitN {
        iter: split(text, f),
        left: count,
    }
}

#[routine(library, inline)]
pub(super) fn split_text(text: &'static str, pattern: &'static str) -> SplitText {
    SplitText {
        text,
        pattern,
        at: 0,
        end: text.len(),
        begun: false,
        ended: false,
        tail: true,
    }
}

#[routine(library, inline)]
fn split_terminator_text(text: &'static str, pattern: &'static str) -> SplitText {
    SplitText {
        text,
        pattern,
        at: 0,
        end: text.len(),
        begun: false,
        ended: false,
        tail: false,
    }
}

#[routine(library, inline)]
fn rsplit_text(text: &'static str, pattern: &'static str) -> RSplitText {
    RSplitText {
        iter: split_text(text, pattern),
    }
}

#[routine(library, inline)]
fn splitn_text(text: &'static str, count: usize, pattern: &'static str) -> SplitNText {
    SplitNText {
        iter: split_text(text, pattern),
        left: count,
    }
}

#[routine(library, inline)]
fn split_whitespace(text: &'static str) -> SplitWhitespace {
    SplitWhitespace {
        text,
        at: 0,
        end: text.len(),
        ascii: false,
    }
}

#[routine(library, inline)]
fn split_ascii_whitespace(text: &'static str) -> SplitWhitespace {
    SplitWhitespace {
        text,
        at: 0,
        end: text.len(),
        ascii: true,
    }
}

#[routine(library, inline)]
fn lines(text: &'static str) -> Lines {
    Lines {
        text,
        at: 0,
        end: text.len(),
    }
}

#[routine(library, inline)]
fn split_by(text: &'static str, one: u32, set: &'static [char], tail: bool) -> SplitSet {
    SplitSet {
        text,
        at: 0,
        end: text.len(),
        ended: false,
        tail,
        one,
        set,
    }
}

/// No character.
pub(super) const NONE: u32 = u32::MAX;

#[routine(library, inline)]
fn split_char(text: &'static str, pattern: char) -> SplitSet {
    split_by(text, pattern as u32, &[], true)
}

#[routine(library, inline)]
fn split_set(text: &'static str, pattern: &'static [char]) -> SplitSet {
    split_by(text, NONE, pattern, true)
}

#[routine(library, inline)]
fn split_terminator_char(text: &'static str, pattern: char) -> SplitSet {
    split_by(text, pattern as u32, &[], false)
}

#[routine(library, inline)]
fn split_terminator_set(text: &'static str, pattern: &'static [char]) -> SplitSet {
    split_by(text, NONE, pattern, false)
}

#[routine(library, inline)]
fn rsplit_char(text: &'static str, pattern: char) -> RSplitSet {
    RSplitSet {
        iter: split_by(text, pattern as u32, &[], true),
    }
}

#[routine(library, inline)]
fn rsplit_set(text: &'static str, pattern: &'static [char]) -> RSplitSet {
    RSplitSet {
        iter: split_by(text, NONE, pattern, true),
    }
}

#[routine(library, inline)]
fn splitn_char(text: &'static str, count: usize, pattern: char) -> SplitNSet {
    SplitNSet {
        iter: split_by(text, pattern as u32, &[], true),
        left: count,
    }
}

#[routine(library, inline)]
fn splitn_set(text: &'static str, count: usize, pattern: &'static [char]) -> SplitNSet {
    SplitNSet {
        iter: split_by(text, NONE, pattern, true),
        left: count,
    }
}

/// The methods that follow from others, for each kind of pattern.
macro_rules! made_of_others {
    ($([$rsplitn:ident $inclusive:ident: $pattern:ty] $rsplit:ident $terminator:ident -> $own:ident, $own_inclusive:ident;)*) => {$(
        #[routine(library, inline)]
        fn $rsplitn(text: &'static str, count: usize, pattern: $pattern) -> $own {
            $own {
                iter: $rsplit(text, pattern),
                left: count,
            }
        }

        #[routine(library, inline)]
        fn $inclusive(text: &'static str, pattern: $pattern) -> $own_inclusive {
            $own_inclusive {
                iter: $terminator(text, pattern),
            }
        }
    )*};
}
made_of_others! {
    [rsplitn split_inclusive: fn(char) -> bool] rsplit split_terminator -> RSplitN, SplitInclusive;
    [rsplitn_char split_inclusive_char: char] rsplit_char split_terminator_char -> RSplitNSet, SplitInclusiveSet;
    [rsplitn_set split_inclusive_set: &'static [char]] rsplit_set split_terminator_set -> RSplitNSet, SplitInclusiveSet;
    [rsplitn_text split_inclusive_text: &'static str] rsplit_text split_terminator_text -> RSplitNText, SplitInclusiveText;
}

/// Which routine a method is by the pattern.
macro_rules! patterns {
    ($($method:ident $by_char:ident $by_set:ident $by_text:ident -> $own:ty, $own_by_set:ty, $own_by_text:ty;)*) => {
        generic_methods! {
            $(
                [] str, $method(()) -> $own = $method;
                [] str, $method(char) -> $own_by_set = $by_char;
                [] str, $method(&'static [char]) -> $own_by_set = $by_set;
                [const N: usize] str, $method(&'static [char; N]) -> $own_by_set = $by_set;
                [const N: usize] str, $method([char; N]) -> $own_by_set = $by_set;
                [] str, $method(&'static str) -> $own_by_text = $by_text;
                [] str, $method(&'static &'static str) -> $own_by_text = $by_text;
            )*
        }
    };
}
pub(super) use patterns;
patterns! {
    split split_char split_set split_text -> Split, SplitSet, SplitText;
    split_terminator split_terminator_char split_terminator_set split_terminator_text -> Split, SplitSet, SplitText;
    rsplit rsplit_char rsplit_set rsplit_text -> RSplit, RSplitSet, RSplitText;
    splitn splitn_char splitn_set splitn_text -> SplitN, SplitNSet, SplitNText;
    rsplitn rsplitn_char rsplitn_set rsplitn_text -> RSplitN, RSplitNSet, RSplitNText;
    split_inclusive split_inclusive_char split_inclusive_set split_inclusive_text
        -> SplitInclusive, SplitInclusiveSet, SplitInclusiveText;
}

methods! {
    [] str, split_whitespace = split_whitespace;
    [] str, split_ascii_whitespace = split_ascii_whitespace;
    [] str, lines = lines;
}
