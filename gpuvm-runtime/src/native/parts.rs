//! What the VMs of a launch write, in a form that can be split between threads and handed out VM by VM.

/// Memory with a part for each VM.
pub trait Parts: Send + Sized {
    /// One VM's part.
    type Item;

    /// The parts of the first `vms` VMs, and of the rest.
    fn split_at(self, vms: usize) -> (Self, Self);

    /// The next VM's part.
    fn next(&mut self) -> Option<Self::Item>;
}

/// One record a VM.
#[derive(Debug)]
pub struct Records<'b, T> {
    rest: std::slice::IterMut<'b, T>,
}

impl<'b, T> Records<'b, T> {
    pub(crate) fn new(records: &'b mut [T]) -> Self {
        Records {
            rest: records.iter_mut(),
        }
    }
}

impl<'b, T: Send> Parts for Records<'b, T> {
    type Item = &'b mut T;

    fn split_at(self, vms: usize) -> (Self, Self) {
        let (first, rest) = self.rest.into_slice().split_at_mut(vms);
        (Records::new(first), Records::new(rest))
    }

    #[inline]
    fn next(&mut self) -> Option<&'b mut T> {
        self.rest.next()
    }
}

/// Several entries a VM, the same number for each.
#[derive(Debug)]
pub struct Chunks<'b, T> {
    rest: &'b mut [T],
    size: usize,
}

impl<'b, T> Chunks<'b, T> {
    pub(crate) fn new(entries: &'b mut [T], vms: usize) -> Self {
        let size = entries.len() / vms.max(1);
        Chunks { rest: entries, size }
    }
}

impl<'b, T: Send> Parts for Chunks<'b, T> {
    type Item = &'b mut [T];

    fn split_at(self, vms: usize) -> (Self, Self) {
        let (first, rest) = self.rest.split_at_mut(vms * self.size);
        (
            Chunks {
                rest: first,
                size: self.size,
            },
            Chunks { rest, size: self.size },
        )
    }

    #[inline]
    fn next(&mut self) -> Option<&'b mut [T]> {
        let (chunk, rest) = std::mem::take(&mut self.rest).split_at_mut_checked(self.size)?;
        self.rest = rest;
        Some(chunk)
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),*);)*) => {$(
        impl<$($name: Parts),*> Parts for ($($name,)*) {
            type Item = ($($name::Item,)*);

            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has nothing to split")]
            fn split_at(self, vms: usize) -> (Self, Self) {
                let halves = ($(self.$index.split_at(vms),)*);
                (($(halves.$index.0,)*), ($(halves.$index.1,)*))
            }

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                Some(($(self.$index.next()?,)*))
            }
        }
    )*};
}
tuples! {
    ();
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_keeps_each_vms_part() {
        let (mut records, mut entries) = ([0, 10, 20], [1, 2, 3, 4, 5, 6]);
        let parts = (Records::new(&mut records), Chunks::new(&mut entries, 3));
        let (mut first, mut rest) = parts.split_at(1);
        assert_eq!(first.next(), Some((&mut 0, &mut [1, 2][..])));
        assert_eq!(first.next(), None);
        assert_eq!(rest.next(), Some((&mut 10, &mut [3, 4][..])));
        assert_eq!(rest.next(), Some((&mut 20, &mut [5, 6][..])));
        assert_eq!(rest.next(), None);
    }

    #[test]
    fn chunks_may_be_empty() {
        let mut none: [u32; 0] = [];
        let mut parts = Chunks::new(&mut none, 4);
        assert_eq!(parts.next(), Some(&mut [][..]));
        assert_eq!(parts.next(), Some(&mut [][..]));
    }
}
