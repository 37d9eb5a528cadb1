//! `clone` as the type's user wrote it, in an `impl` of `Clone` or a method of that name.

use gpuvm::prelude::*;

cases! { written_by_hand, generic_over_clone, of_a_counted_array }

/// Says that it is a copy, which a derived one would not. It stays inside: the host clones what comes out.
#[derive(VmType, Debug, PartialEq)]
struct Ticket {
    number: u32,
    copies: u32,
}

impl Copy for Ticket {}

#[routine]
impl Clone for Ticket {
    fn clone(&self) -> Ticket {
        Ticket {
            number: self.number,
            copies: self.copies + 1,
        }
    }
}

#[routine]
fn written_by_hand(x: u32) -> (u32, u32, u32) {
    let ticket = Ticket { number: x, copies: 0 };
    let (copied, reference) = (ticket, &ticket);
    (copied.clone().copies, reference.clone().clone().copies, copied.copies)
}

#[routine]
fn both<T: VmType + Clone>(x: &T) -> (T, T) {
    (x.clone(), *x)
}

#[routine]
fn generic_over_clone(x: u32) -> (u32, u32, (u32, u32)) {
    let (cloned, copied) = both(&Ticket { number: x, copies: 7 });
    (cloned.copies, copied.copies, both(&x))
}

#[derive(VmType, Debug, PartialEq)]
struct Buffer<const N: usize> {
    values: [u32; N],
    used: usize,
}

impl<const N: usize> Copy for Buffer<N> {}

#[routine]
impl<const N: usize> Clone for Buffer<N> {
    fn clone(&self) -> Self {
        let mut values = [0; N];
        for i in 0..self.used {
            values[i] = self.values[i];
        }
        Buffer { values, ..*self }
    }
}

#[routine]
fn of_a_counted_array(x: u32) -> (Buffer<3>, u32) {
    let buffer = Buffer {
        values: [x, 2, 3],
        used: (x % 4) as usize,
    };
    (buffer.clone(), buffer.clone().values[2])
}
