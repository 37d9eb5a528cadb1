//! Iterators over the parts of a text that a pattern finds, from both ends. What is left lies between `at` and `end`.

use gpuvm_macros::routine;

use super::super::generic_methods;
use super::super::iter::{
    Advance, AdvanceBack, AnIterator, advance_back_by_next, advance_by_next, by_taking, by_taking_back, iterator_type,
};
use super::chars::after;
use super::find::{char_before, char_from, is_one_of};
use super::part;
use super::split::{NONE, SplitText, by_pattern, cut, cut_back, parts, patterns, split_text};
use crate::types::{Type, Value};

iterator_type! {
    /// `matches` of a text
    MatchesText [] [] { iter: SplitText } {}
}
iterator_type! {
    /// `rmatches` of a text
    RMatchesText [] [] { iter: SplitText } {}
}
iterator_type! {
    /// `match_indices` of a text
    MatchIndicesText [] [] { iter: MatchesText } {}
}
iterator_type! {
    /// `rmatch_indices` of a text
    RMatchIndicesText [] [] { iter: RMatchesText } {}
}

by_pattern! {
    Matches = MatchesText MatchesSet Matches;
    RMatches = RMatchesText RMatchesSet RMatches;
    MatchIndices = MatchIndicesText MatchIndicesSet MatchIndices;
    RMatchIndices = RMatchIndicesText RMatchIndicesSet RMatchIndices;
}

#[routine(library, inline)]
impl Iterator for MatchesText {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        match cut(&mut self.iter) {
            Some(at) => {
                self.iter.at = at.wrapping_add(self.iter.pattern.len());
                Some(part(self.iter.text, at, self.iter.at))
            }
            None => {
                self.iter.at = self.iter.end;
                None
            }
        }
    }
}

#[routine(library, inline)]
impl Iterator for RMatchesText {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        match cut_back(&mut self.iter) {
            Some(at) => {
                self.iter.end = at;
                Some(part(self.iter.text, at, at.wrapping_add(self.iter.pattern.len())))
            }
            None => {
                self.iter.end = self.iter.at;
                None
            }
        }
    }
}

#[routine(library, inline)]
impl Iterator for MatchIndicesText {
    type Item = (usize, &'static str);

    fn next(&mut self) -> Option<(usize, &'static str)> {
        match self.iter.next() {
            Some(found) => Some((self.iter.iter.at.wrapping_sub(found.len()), found)),
            None => None,
        }
    }
}

#[routine(library, inline)]
impl Iterator for RMatchIndicesText {
    type Item = (usize, &'static str);

    fn next(&mut self) -> Option<(usize, &'static str)> {
        match self.iter.next() {
            Some(found) => Some((self.iter.iter.end, found)),
            None => None,
        }
    }
}

by_taking! {
    [] MatchesText;
    [] RMatchesText;
    [] MatchIndicesText;
    [] RMatchIndicesText;
}

/// The iterators by characters: how it is known whether one is looked for.
macro_rules! by_character {
    ($matches:ident $rmatches:ident $indices:ident $rindices:ident { $($field:ident: $ty:ty),* } { $($closure:ident: $signature:ty),* }
        |$self:ident, $c:ident| $test:expr) => {
        iterator_type! {
            /// `matches` of characters
            $matches [] [] { text: &'static str, at: usize, end: usize $(, $field: $ty)* } { $($closure: $signature),* }
        }
        iterator_type! {
            /// `rmatches` of characters
            $rmatches [] [] { iter: $matches } {}
        }
        iterator_type! {
            /// `match_indices` of characters
            $indices [] [] { iter: $matches } {}
        }
        iterator_type! {
            /// `rmatch_indices` of characters
            $rindices [] [] { iter: $indices } {}
        }

        #[routine(library, inline)]
        impl Iterator for $matches {
            type Item = &'static str;

            fn next(&mut $self) -> Option<&'static str> {
                match char_from($self.text, $self.at, $self.end, |$c| $test) {
                    Some(start) => {
                        $self.at = after($self.text, start);
                        Some(part($self.text, start, $self.at))
                    }
                    None => {
                        $self.at = $self.end;
                        None
                    }
                }
            }
        }

        #[routine(library, inline)]
        impl DoubleEndedIterator for $matches {
            fn next_back(&mut $self) -> Option<&'static str> {
                match char_before($self.text, $self.at, $self.end, |$c| $test) {
                    Some(start) => {
                        $self.end = start;
                        Some(part($self.text, start, after($self.text, start)))
                    }
                    None => {
                        $self.end = $self.at;
                        None
                    }
                }
            }
        }

        #[routine(library, inline)]
        impl Iterator for $indices {
            type Item = (usize, &'static str);

            fn next(&mut self) -> Option<(usize, &'static str)> {
                match self.iter.next() {
                    Some(found) => Some((self.iter.at.wrapping_sub(found.len()), found)),
                    None => None,
                }
            }
        }

        #[routine(library, inline)]
        impl DoubleEndedIterator for $indices {
            fn next_back(&mut self) -> Option<(usize, &'static str)> {
                match self.iter.next_back() {
                    Some(found) => Some((self.iter.end, found)),
                    None => None,
                }
            }
        }

        turned! {
            $rmatches: &'static str;
            $rindices: (usize, &'static str);
        }
        by_taking_back! {
            [] $matches;
            [] $indices;
        }
        by_taking! {
            [] $matches;
            [] $indices;
        }
    };
}

/// The same from behind.
macro_rules! turned {
    ($($name:ident: $item:ty;)*) => {$(
        #[routine(library, inline)]
        impl Iterator for $name {
            type Item = $item;

            fn next(&mut self) -> Option<$item> {
                self.iter.next_back()
            }
        }

        #[routine(library, inline)]
        impl DoubleEndedIterator for $name {
            fn next_back(&mut self) -> Option<$item> {
                self.iter.next()
            }
        }

        by_taking_back! { [] $name; }
        by_taking! { [] $name; }
    )*};
}

by_character! { Matches RMatches MatchIndices RMatchIndices {} { f: fn(char) -> bool } |self, c| (self.f)(c) }
// One is none, where there are several.
by_character! { MatchesSet RMatchesSet MatchIndicesSet RMatchIndicesSet { one: u32, set: &'static [char] } {}
|self, c| c as u32 == self.one || is_one_of(c, self.set) }

#[routine(library, inline)]
fn matches(text: &'static str, f: fn(char) -> bool) -> Matches {
    Matches {
        text,
        at: 0,
        end: text.len(),
        f,
    }
}

#[routine(library, inline)]
fn matches_of(text: &'static str, one: u32, set: &'static [char]) -> MatchesSet {
    MatchesSet {
        text,
        at: 0,
        end: text.len(),
        one,
        set,
    }
}

#[routine(library, inline)]
fn matches_char(text: &'static str, pattern: char) -> MatchesSet {
    matches_of(text, pattern as u32, &[])
}

#[routine(library, inline)]
fn matches_set(text: &'static str, pattern: &'static [char]) -> MatchesSet {
    matches_of(text, NONE, pattern)
}

#[routine(library, inline)]
fn matches_text(text: &'static str, pattern: &'static str) -> MatchesText {
    MatchesText {
        iter: split_text(text, pattern),
    }
}

#[routine(library, inline)]
fn rmatches_text(text: &'static str, pattern: &'static str) -> RMatchesText {
    RMatchesText {
        iter: split_text(text, pattern),
    }
}

/// The methods that follow from others, for each kind of pattern.
macro_rules! made_of_others {
    ($($name:ident($pattern:ty) -> $own:ident = $of:ident;)*) => {$(
        #[routine(library, inline)]
        fn $name(text: &'static str, pattern: $pattern) -> $own {
            $own {
                iter: $of(text, pattern),
            }
        }
    )*};
}
made_of_others! {
    rmatches(fn(char) -> bool) -> RMatches = matches;
    rmatches_char(char) -> RMatchesSet = matches_char;
    rmatches_set(&'static [char]) -> RMatchesSet = matches_set;
    match_indices(fn(char) -> bool) -> MatchIndices = matches;
    match_indices_char(char) -> MatchIndicesSet = matches_char;
    match_indices_set(&'static [char]) -> MatchIndicesSet = matches_set;
    match_indices_text(&'static str) -> MatchIndicesText = matches_text;
    rmatch_indices(fn(char) -> bool) -> RMatchIndices = match_indices;
    rmatch_indices_char(char) -> RMatchIndicesSet = match_indices_char;
    rmatch_indices_set(&'static [char]) -> RMatchIndicesSet = match_indices_set;
    rmatch_indices_text(&'static str) -> RMatchIndicesText = rmatches_text;
}

patterns! {
    matches matches_char matches_set matches_text -> Matches, MatchesSet, MatchesText;
    rmatches rmatches_char rmatches_set rmatches_text -> RMatches, RMatchesSet, RMatchesText;
    match_indices match_indices_char match_indices_set match_indices_text -> MatchIndices, MatchIndicesSet, MatchIndicesText;
    rmatch_indices rmatch_indices_char rmatch_indices_set rmatch_indices_text
        -> RMatchIndices, RMatchIndicesSet, RMatchIndicesText;
}
