//! Iterators over parts of slices that a closure cuts.

use gpuvm_macros::routine;

use super::super::intrinsics;
use super::super::slice::generic_list_methods;
use super::parts::parts_of_slices;
use super::{Advance, AdvanceBack, advance_back_by_next, advance_by_next, by_taking, by_taking_back, iterator_type};
use crate::types::{Static, Value};

parts_of_slices! {
    Split [P];
    SplitMut [P];
    SplitInclusive [P];
    SplitInclusiveMut [P];
    RSplit [P];
    RSplitMut [P];
    SplitN [P];
    SplitNMut [P];
    RSplitN [P];
    RSplitNMut [P];
}

/// The `split` family. What is left lies between `at` and `end`; there is a part of it, be it empty, until `ended`.
macro_rules! splits {
    ($slice:ty, $part:ident, $element:ident;
        $split:ident $split_method:ident $rsplit:ident $rsplit_method:ident $splitn:ident $splitn_method:ident
        $rsplitn:ident $rsplitn_method:ident $inclusive:ident $inclusive_method:ident) => {
        iterator_type! {
            /// `split` or `split_mut`
            $split [T: Static] [T] { slice: $slice, at: usize, end: usize, ended: bool } { f: fn(&T) -> bool }
        }
        iterator_type! {
            /// `rsplit` or `rsplit_mut`
            $rsplit [T: Static] [T] { slice: $slice, at: usize, end: usize, ended: bool } { f: fn(&T) -> bool }
        }
        iterator_type! {
            /// `splitn` or `splitn_mut`
            $splitn [T: Static] [T] { iter: $split<T>, left: usize } {}
        }
        iterator_type! {
            /// `rsplitn` or `rsplitn_mut`
            $rsplitn [T: Static] [T] { iter: $rsplit<T>, left: usize } {}
        }
        iterator_type! {
            /// `split_inclusive` or `split_inclusive_mut`
            $inclusive [T: Static] [T] { slice: $slice, at: usize, end: usize, ended: bool } { f: fn(&T) -> bool }
        }

        splits! { @front $split [Iterator { type Item = $slice; }] next, $slice, $part, $element }
        splits! { @back $split [DoubleEndedIterator {}] next_back, $slice, $part, $element }
        splits! { @back $rsplit [Iterator { type Item = $slice; }] next, $slice, $part, $element }
        splits! { @front $rsplit [DoubleEndedIterator {}] next_back, $slice, $part, $element }
        splits! { @counted $splitn, $slice, $part }
        splits! { @counted $rsplitn, $slice, $part }

        #[routine(library, inline)]
        impl<T: Static> Iterator for $inclusive<T> {
            type Item = $slice;

            fn next(&mut self) -> Option<$slice> {
                if self.ended {
                    return None;
                }
                let start = self.at;
                let mut found = false;
                while self.at < self.end && !found {
                    found = (self.f)(intrinsics::$element(&self.slice, self.at));
                    self.at = self.at.wrapping_add(1);
                }
                self.ended = self.at == self.end;
                Some(intrinsics::$part(&self.slice, start, self.at))
            }
        }

        #[routine(library, inline)]
        impl<T: Static> DoubleEndedIterator for $inclusive<T> {
            fn next_back(&mut self) -> Option<$slice> {
                if self.ended {
                    return None;
                }
                let end = self.end;
                // That the last element cuts is known.
                if self.at < end {
                    self.end = end.wrapping_sub(1);
                }
                while self.at < self.end && !(self.f)(intrinsics::$element(&self.slice, self.end.wrapping_sub(1))) {
                    self.end = self.end.wrapping_sub(1);
                }
                self.ended = self.at == self.end;
                Some(intrinsics::$part(&self.slice, self.end, end))
            }
        }

        by_taking_back! { [T: Static] $inclusive<T>; }

        #[routine(library, inline)]
        fn $split_method<T: Static>(slice: $slice, f: fn(&T) -> bool) -> $split<T> {
            $split { end: slice.len(), slice, at: 0, ended: false, f }
        }

        #[routine(library, inline)]
        fn $rsplit_method<T: Static>(slice: $slice, f: fn(&T) -> bool) -> $rsplit<T> {
            $rsplit { end: slice.len(), slice, at: 0, ended: false, f }
        }

        #[routine(library, inline)]
        fn $splitn_method<T: Static>(slice: $slice, count: usize, f: fn(&T) -> bool) -> $splitn<T> {
            $splitn { iter: $split_method(slice, f), left: count }
        }

        #[routine(library, inline)]
        fn $rsplitn_method<T: Static>(slice: $slice, count: usize, f: fn(&T) -> bool) -> $rsplitn<T> {
            $rsplitn { iter: $rsplit_method(slice, f), left: count }
        }

        #[routine(library, inline)]
        fn $inclusive_method<T: Static>(slice: $slice, f: fn(&T) -> bool) -> $inclusive<T> {
            let length = slice.len();
            $inclusive { slice, at: 0, end: length, ended: length == 0, f }
        }

        generic_list_methods! {
            [T: Static] $split_method(()) -> $split<T> = $split_method<T>;
            [T: Static] $rsplit_method(()) -> $rsplit<T> = $rsplit_method<T>;
            [T: Static] $splitn_method(()) -> $splitn<T> = $splitn_method<T>;
            [T: Static] $rsplitn_method(()) -> $rsplitn<T> = $rsplitn_method<T>;
            [T: Static] $inclusive_method(()) -> $inclusive<T> = $inclusive_method<T>;
        }

        by_taking! {
            [T: Static] $split<T>;
            [T: Static] $rsplit<T>;
            [T: Static] $splitn<T>;
            [T: Static] $rsplitn<T>;
            [T: Static] $inclusive<T>;
        }
    };
    // The part before the first cut.
    (@front $name:ident [$trait:ident { $($item:tt)* }] $next:ident, $slice:ty, $part:ident, $element:ident) => {
        #[routine(library, inline)]
        impl<T: Static> $trait for $name<T> {
            $($item)*

            fn $next(&mut self) -> Option<$slice> {
                if self.ended {
                    return None;
                }
                let start = self.at;
                let mut at = start;
                while at < self.end {
                    if (self.f)(intrinsics::$element(&self.slice, at)) {
                        self.at = at.wrapping_add(1);
                        return Some(intrinsics::$part(&self.slice, start, at));
                    }
                    at = at.wrapping_add(1);
                }
                self.ended = true;
                Some(intrinsics::$part(&self.slice, start, at))
            }
        }
    };
    // The part behind the last cut.
    (@back $name:ident [$trait:ident { $($item:tt)* }] $next:ident, $slice:ty, $part:ident, $element:ident) => {
        #[routine(library, inline)]
        impl<T: Static> $trait for $name<T> {
            $($item)*

            fn $next(&mut self) -> Option<$slice> {
                if self.ended {
                    return None;
                }
                let end = self.end;
                let mut at = end;
                while at > self.at {
                    let before = at.wrapping_sub(1);
                    if (self.f)(intrinsics::$element(&self.slice, before)) {
                        self.end = before;
                        return Some(intrinsics::$part(&self.slice, at, end));
                    }
                    at = before;
                }
                self.ended = true;
                Some(intrinsics::$part(&self.slice, at, end))
            }
        }
    };
    // The last part is all that is left.
    (@counted $name:ident, $slice:ty, $part:ident) => {
        #[routine(library, inline)]
        impl<T: Static> Iterator for $name<T> {
            type Item = $slice;

            fn next(&mut self) -> Option<$slice> {
                if self.left > 1 {
                    self.left = self.left.wrapping_sub(1);
                    return self.iter.next();
                }
                if self.left == 0 || self.iter.ended {
                    return None;
                }
                self.left = 0;
                Some(intrinsics::$part(&self.iter.slice, self.iter.at, self.iter.end))
            }
        }
    };
}

splits! {
    &'static [T], part, element;
    Split split RSplit rsplit SplitN splitn RSplitN rsplitn SplitInclusive split_inclusive
}
splits! {
    &'static mut [T], part_mut, element_mut;
    SplitMut split_mut RSplitMut rsplit_mut SplitNMut splitn_mut RSplitNMut rsplitn_mut SplitInclusiveMut split_inclusive_mut
}

/// Runs of elements each two of which belong together.
macro_rules! chunks_by {
    ($name:ident $method:ident $slice:ty, $part:ident, $element:ident) => {
        iterator_type! {
            /// `chunk_by` or `chunk_by_mut`
            $name [T: Static] [T] { slice: $slice, at: usize, end: usize } { f: fn(&T, &T) -> bool }
        }

        impl<T: Value, P: FnMut(&T, &T) -> bool> Value for std::slice::$name<'_, T, P>
        where
            T::Erased: Static,
        {
            type Erased = $name<T::Erased>;
            type Inner = super::AnIterator<$name<T::Erased>>;
            type Depth = crate::types::Zero;
            const TYPE: &'static crate::types::Type = <$name<T::Erased> as Value>::TYPE;
        }

        #[routine(library, inline)]
        impl<T: Static> Iterator for $name<T> {
            type Item = $slice;

            fn next(&mut self) -> Option<$slice> {
                if self.at == self.end {
                    return None;
                }
                let start = self.at;
                let mut at = start.wrapping_add(1);
                while at < self.end
                    && (self.f)(
                        intrinsics::$element(&self.slice, at.wrapping_sub(1)),
                        intrinsics::$element(&self.slice, at),
                    )
                {
                    at = at.wrapping_add(1);
                }
                self.at = at;
                Some(intrinsics::$part(&self.slice, start, at))
            }
        }

        #[routine(library, inline)]
        impl<T: Static> DoubleEndedIterator for $name<T> {
            fn next_back(&mut self) -> Option<$slice> {
                if self.at == self.end {
                    return None;
                }
                let end = self.end;
                let mut at = end.wrapping_sub(1);
                while at > self.at
                    && (self.f)(
                        intrinsics::$element(&self.slice, at.wrapping_sub(1)),
                        intrinsics::$element(&self.slice, at),
                    )
                {
                    at = at.wrapping_sub(1);
                }
                self.end = at;
                Some(intrinsics::$part(&self.slice, at, end))
            }
        }

        by_taking_back! { [T: Static] $name<T>; }

        #[routine(library, inline)]
        fn $method<T: Static>(slice: $slice, f: fn(&T, &T) -> bool) -> $name<T> {
            $name {
                end: slice.len(),
                slice,
                at: 0,
                f,
            }
        }

        generic_list_methods! {
            [T: Static] $method(()) -> $name<T> = $method<T>;
        }

        by_taking! {
            [T: Static] $name<T>;
        }
    };
}
chunks_by! { ChunkBy chunk_by &'static [T], part, element }
chunks_by! { ChunkByMut chunk_by_mut &'static mut [T], part_mut, element_mut }
