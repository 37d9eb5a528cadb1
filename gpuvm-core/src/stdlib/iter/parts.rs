//! Iterators over parts of slices of a fixed size: windows and chunks.

use gpuvm_macros::routine;

use super::super::slice::{generic_list_methods, list_methods};
use super::super::{intrinsics, methods};
use super::{Advance, AdvanceBack, advance_back_by_next, by_taking_back, iterator_type};
use crate::types::{Static, Value};

/// What std's iterators over parts of slices are here.
macro_rules! parts_of_slices {
    ($($name:ident [$($closure:ident)?];)*) => {$(
        impl<T: Value $(, $closure: FnMut(&T) -> bool)?> Value for std::slice::$name<'_, T $(, $closure)?>
        where
            T::Erased: Static,
        {
            type Erased = $name<T::Erased>;
            type Inner = $crate::stdlib::iter::AnIterator<$name<T::Erased>>;
            type Depth = $crate::types::Zero;
            const TYPE: &'static $crate::types::Type = <$name<T::Erased> as Value>::TYPE;
        }
    )*};
}
pub(super) use parts_of_slices;

iterator_type! {
    /// `[T]::windows`
    Windows [T: Static] [T] { slice: &'static [T], size: usize, at: usize, end: usize } {}
}
parts_of_slices! {
    Windows [];
    Chunks [];
    ChunksMut [];
    ChunksExact [];
    ChunksExactMut [];
    RChunks [];
    RChunksMut [];
    RChunksExact [];
    RChunksExactMut [];
}

/// `end` is one more than the last place where a window starts.
#[routine(library, inline)]
impl<T: Static> Iterator for Windows<T> {
    type Item = &'static [T];

    fn next(&mut self) -> Option<&'static [T]> {
        if self.at < self.end {
            let at = self.at;
            self.at = at.wrapping_add(1);
            Some(intrinsics::part(&self.slice, at, at.wrapping_add(self.size)))
        } else {
            None
        }
    }
}

#[routine(library, inline)]
impl<T: Static> DoubleEndedIterator for Windows<T> {
    fn next_back(&mut self) -> Option<&'static [T]> {
        if self.at < self.end {
            self.end = self.end.wrapping_sub(1);
            Some(intrinsics::part(
                &self.slice,
                self.end,
                self.end.wrapping_add(self.size),
            ))
        } else {
            None
        }
    }
}

#[routine(library, inline)]
impl<T: Static> AdvanceBack for Windows<T> {
    fn advance_back(&mut self, count: usize) -> bool {
        self.end = self.end.wrapping_sub(count.min(self.end.wrapping_sub(self.at)));
        true
    }
}

#[routine(library, inline)]
impl<T: Static> ExactSizeIterator for Windows<T> {
    fn len(&self) -> usize {
        self.end.wrapping_sub(self.at)
    }
}

#[routine(library, inline)]
impl<T: Static> Advance for Windows<T> {
    fn advance(&mut self, count: usize) -> bool {
        self.at = self.at.wrapping_add(count.min(self.end.wrapping_sub(self.at)));
        true
    }
}

#[routine(library, inline)]
fn windows<T: Static>(slice: &'static [T], size: usize) -> Windows<T> {
    assert!(size != 0, "window size must be non-zero");
    let length = slice.len();
    Windows {
        slice,
        size,
        at: 0,
        end: if length < size {
            0
        } else {
            length.wrapping_sub(size).wrapping_add(1)
        },
    }
}

list_methods! {
    [T: Static] T: windows = windows<T>;
}

iterator_type! {
    /// `[T]::array_windows`
    ArrayWindows [T: Static, const N: usize] [T, N] { windows: Windows<T> } {}
}

impl<T: Value, const N: usize> Value for std::slice::ArrayWindows<'_, T, N>
where
    T::Erased: Static,
{
    type Erased = ArrayWindows<T::Erased, N>;
    type Inner = super::AnIterator<ArrayWindows<T::Erased, N>>;
    type Depth = crate::types::Zero;
    const TYPE: &'static crate::types::Type = <ArrayWindows<T::Erased, N> as Value>::TYPE;
}

#[routine(library, inline)]
impl<T: Static, const N: usize> Iterator for ArrayWindows<T, N> {
    type Item = &'static [T; N];

    fn next(&mut self) -> Option<&'static [T; N]> {
        match self.windows.next() {
            Some(window) => Some(intrinsics::view(&window, N)),
            None => None,
        }
    }
}

#[routine(library, inline)]
impl<T: Static, const N: usize> DoubleEndedIterator for ArrayWindows<T, N> {
    fn next_back(&mut self) -> Option<&'static [T; N]> {
        match self.windows.next_back() {
            Some(window) => Some(intrinsics::view(&window, N)),
            None => None,
        }
    }
}

by_taking_back! { [T: Static, const N: usize] ArrayWindows<T, N>; }

#[routine(library, inline)]
impl<T: Static, const N: usize> ExactSizeIterator for ArrayWindows<T, N> {
    fn len(&self) -> usize {
        self.windows.len()
    }
}

#[routine(library, inline)]
impl<T: Static, const N: usize> Advance for ArrayWindows<T, N> {
    fn advance(&mut self, count: usize) -> bool {
        self.windows.advance(count)
    }
}

#[routine(library, inline)]
fn array_windows<T: Static, const N: usize>(slice: &'static [T]) -> ArrayWindows<T, N> {
    ArrayWindows {
        windows: windows(slice, N),
    }
}

generic_list_methods! {
    [T: Static, const M: usize] array_windows(()) -> ArrayWindows<T, M> = array_windows<T, M>;
}

/// Chunks, to be read or changed. What is left lies between `at` and `end`, a chunk that is too short at the end.
macro_rules! chunks {
    ($name:ident $method:ident $slice:ty, $part:ident) => {
        iterator_type! {
            /// `chunks` or `chunks_mut`
            $name [T: Static] [T] { slice: $slice, size: usize, at: usize, end: usize } {}
        }

        #[routine(library, inline)]
        impl<T: Static> Iterator for $name<T> {
            type Item = $slice;

            fn next(&mut self) -> Option<$slice> {
                if self.at < self.end {
                    let at = self.at;
                    let left = self.end.wrapping_sub(at);
                    self.at = at.wrapping_add(if self.size < left { self.size } else { left });
                    Some(intrinsics::$part(&self.slice, at, self.at))
                } else {
                    None
                }
            }
        }

        #[routine(library, inline)]
        impl<T: Static> DoubleEndedIterator for $name<T> {
            fn next_back(&mut self) -> Option<$slice> {
                if self.at < self.end {
                    let end = self.end;
                    let rest = end.wrapping_sub(self.at) % self.size;
                    self.end = end.wrapping_sub(if rest == 0 { self.size } else { rest });
                    Some(intrinsics::$part(&self.slice, self.end, end))
                } else {
                    None
                }
            }
        }

        by_taking_back! { [T: Static] $name<T>; }

        #[routine(library, inline)]
        impl<T: Static> ExactSizeIterator for $name<T> {
            fn len(&self) -> usize {
                self.end.wrapping_sub(self.at).div_ceil(self.size)
            }
        }

        #[routine(library, inline)]
        impl<T: Static> Advance for $name<T> {
            fn advance(&mut self, count: usize) -> bool {
                let left = self.end.wrapping_sub(self.at);
                self.at = if count <= left / self.size {
                    self.at.wrapping_add(count.wrapping_mul(self.size))
                } else {
                    self.end
                };
                true
            }
        }

        #[routine(library, inline)]
        fn $method<T: Static>(slice: $slice, size: usize) -> $name<T> {
            assert!(size != 0, "chunk size must be non-zero");
            $name {
                end: slice.len(),
                slice,
                size,
                at: 0,
            }
        }

        list_methods! {
            [T: Static] T: $method = $method<T>;
        }
    };
}
chunks! { Chunks chunks &'static [T], part }
chunks! { ChunksMut chunks_mut &'static mut [T], part_mut }

/// The same from the end on, a chunk that is too short at the beginning.
macro_rules! rchunks {
    ($name:ident $method:ident $slice:ty, $part:ident) => {
        iterator_type! {
            /// `rchunks` or `rchunks_mut`
            $name [T: Static] [T] { slice: $slice, size: usize, at: usize, end: usize } {}
        }

        #[routine(library, inline)]
        impl<T: Static> Iterator for $name<T> {
            type Item = $slice;

            fn next(&mut self) -> Option<$slice> {
                if self.at < self.end {
                    let end = self.end;
                    let left = end.wrapping_sub(self.at);
                    self.end = end.wrapping_sub(if self.size < left { self.size } else { left });
                    Some(intrinsics::$part(&self.slice, self.end, end))
                } else {
                    None
                }
            }
        }

        #[routine(library, inline)]
        impl<T: Static> DoubleEndedIterator for $name<T> {
            fn next_back(&mut self) -> Option<$slice> {
                if self.at < self.end {
                    let at = self.at;
                    let rest = self.end.wrapping_sub(at) % self.size;
                    self.at = at.wrapping_add(if rest == 0 { self.size } else { rest });
                    Some(intrinsics::$part(&self.slice, at, self.at))
                } else {
                    None
                }
            }
        }

        by_taking_back! { [T: Static] $name<T>; }

        #[routine(library, inline)]
        impl<T: Static> ExactSizeIterator for $name<T> {
            fn len(&self) -> usize {
                self.end.wrapping_sub(self.at).div_ceil(self.size)
            }
        }

        #[routine(library, inline)]
        impl<T: Static> Advance for $name<T> {
            fn advance(&mut self, count: usize) -> bool {
                let left = self.end.wrapping_sub(self.at);
                self.end = if count <= left / self.size {
                    self.end.wrapping_sub(count.wrapping_mul(self.size))
                } else {
                    self.at
                };
                true
            }
        }

        #[routine(library, inline)]
        fn $method<T: Static>(slice: $slice, size: usize) -> $name<T> {
            assert!(size != 0, "chunk size must be non-zero");
            $name {
                end: slice.len(),
                slice,
                size,
                at: 0,
            }
        }

        list_methods! {
            [T: Static] T: $method = $method<T>;
        }
    };
}
rchunks! { RChunks rchunks &'static [T], part }
rchunks! { RChunksMut rchunks_mut &'static mut [T], part_mut }

/// Chunks of one size alone; what remains is asked for apart.
macro_rules! chunks_exact {
    ($name:ident $method:ident $slice:ty, $part:ident, $rest:ident = $rest_routine:ident($this:ident: $receiver:ty)) => {
        iterator_type! {
            /// `chunks_exact` or `chunks_exact_mut`
            $name [T: Static] [T] { slice: $slice, size: usize, at: usize, end: usize } {}
        }

        #[routine(library, inline)]
        impl<T: Static> Iterator for $name<T> {
            type Item = $slice;

            fn next(&mut self) -> Option<$slice> {
                if self.at < self.end {
                    let at = self.at;
                    self.at = at.wrapping_add(self.size);
                    Some(intrinsics::$part(&self.slice, at, self.at))
                } else {
                    None
                }
            }
        }

        #[routine(library, inline)]
        impl<T: Static> DoubleEndedIterator for $name<T> {
            fn next_back(&mut self) -> Option<$slice> {
                if self.at < self.end {
                    let end = self.end;
                    self.end = end.wrapping_sub(self.size);
                    Some(intrinsics::$part(&self.slice, self.end, end))
                } else {
                    None
                }
            }
        }

        by_taking_back! { [T: Static] $name<T>; }

        #[routine(library, inline)]
        impl<T: Static> ExactSizeIterator for $name<T> {
            fn len(&self) -> usize {
                self.end.wrapping_sub(self.at) / self.size
            }
        }

        #[routine(library, inline)]
        impl<T: Static> Advance for $name<T> {
            fn advance(&mut self, count: usize) -> bool {
                let left = self.end.wrapping_sub(self.at);
                self.at = if count < left / self.size {
                    self.at.wrapping_add(count.wrapping_mul(self.size))
                } else {
                    self.end
                };
                true
            }
        }

        #[routine(library, inline)]
        fn $method<T: Static>(slice: $slice, size: usize) -> $name<T> {
            assert!(size != 0, "chunk size must be non-zero");
            let length = slice.len();
            $name {
                slice,
                size,
                at: 0,
                end: length.wrapping_sub(length % size),
            }
        }

        #[routine(library, inline)]
        fn $rest_routine<T: Static>($this: $receiver) -> $slice {
            let length = $this.slice.len();
            intrinsics::$part(&$this.slice, length.wrapping_sub(length % $this.size), length)
        }

        list_methods! {
            [T: Static] T: $method = $method<T>;
        }

        methods! {
            [T: Static] super::AnIterator<$name<T>>, $rest = $rest_routine<T>;
        }
    };
}
chunks_exact! { ChunksExact chunks_exact &'static [T], part, remainder = remainder(this: &ChunksExact<T>) }
chunks_exact! { ChunksExactMut chunks_exact_mut &'static mut [T], part_mut, into_remainder = remainder_mut(this: ChunksExactMut<T>) }

/// The same from the end on.
macro_rules! rchunks_exact {
    ($name:ident $method:ident $slice:ty, $part:ident, $rest:ident = $rest_routine:ident($this:ident: $receiver:ty)) => {
        iterator_type! {
            /// `rchunks_exact` or `rchunks_exact_mut`
            $name [T: Static] [T] { slice: $slice, size: usize, at: usize, end: usize } {}
        }

        #[routine(library, inline)]
        impl<T: Static> Iterator for $name<T> {
            type Item = $slice;

            fn next(&mut self) -> Option<$slice> {
                if self.at < self.end {
                    let end = self.end;
                    self.end = end.wrapping_sub(self.size);
                    Some(intrinsics::$part(&self.slice, self.end, end))
                } else {
                    None
                }
            }
        }

        #[routine(library, inline)]
        impl<T: Static> DoubleEndedIterator for $name<T> {
            fn next_back(&mut self) -> Option<$slice> {
                if self.at < self.end {
                    let at = self.at;
                    self.at = at.wrapping_add(self.size);
                    Some(intrinsics::$part(&self.slice, at, self.at))
                } else {
                    None
                }
            }
        }

        by_taking_back! { [T: Static] $name<T>; }

        #[routine(library, inline)]
        impl<T: Static> ExactSizeIterator for $name<T> {
            fn len(&self) -> usize {
                self.end.wrapping_sub(self.at) / self.size
            }
        }

        #[routine(library, inline)]
        impl<T: Static> Advance for $name<T> {
            fn advance(&mut self, count: usize) -> bool {
                let left = self.end.wrapping_sub(self.at);
                self.end = if count < left / self.size {
                    self.end.wrapping_sub(count.wrapping_mul(self.size))
                } else {
                    self.at
                };
                true
            }
        }

        #[routine(library, inline)]
        fn $method<T: Static>(slice: $slice, size: usize) -> $name<T> {
            assert!(size != 0, "chunk size must be non-zero");
            let length = slice.len();
            $name {
                slice,
                size,
                at: length % size,
                end: length,
            }
        }

        #[routine(library, inline)]
        fn $rest_routine<T: Static>($this: $receiver) -> $slice {
            let length = $this.slice.len();
            intrinsics::$part(&$this.slice, 0, length % $this.size)
        }

        list_methods! {
            [T: Static] T: $method = $method<T>;
        }

        methods! {
            [T: Static] super::AnIterator<$name<T>>, $rest = $rest_routine<T>;
        }
    };
}
rchunks_exact! { RChunksExact rchunks_exact &'static [T], part, remainder = rremainder(this: &RChunksExact<T>) }
rchunks_exact! { RChunksExactMut rchunks_exact_mut &'static mut [T], part_mut, into_remainder = rremainder_mut(this: RChunksExactMut<T>) }
