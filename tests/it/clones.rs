//! `clone` as the type's user wrote it, in an `impl` of `Clone` or a method of that name.

use gpuvm::prelude::*;

cases! { written_by_hand, generic_over_clone, of_a_counted_array, in_derived, in_std, in_copies }

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

/// No `Copy`, so that std's derive of what holds one clones it.
#[derive(VmType, Debug, PartialEq)]
struct Key(u32);

#[routine]
impl Clone for Key {
    fn clone(&self) -> Key {
        Key(self.0.wrapping_mul(3) + 1)
    }
}

#[derive(VmType, Clone)]
struct Ring {
    key: Key,
    size: u32,
    spare: [Key; 2],
    lost: Option<Key>,
    pair: (u8, Key),
}

#[derive(VmType, Clone)]
enum Pocket {
    Key(u32, Key),
    Empty,
    Ring(Ring),
}

#[derive(VmType, Clone)]
struct Holder<T> {
    held: T,
    count: u32,
}

#[routine]
fn ring(a: u32) -> Ring {
    Ring {
        key: Key(a % 1000),
        size: a,
        spare: [Key(1), Key(a % 7)],
        lost: if a % 2 == 0 { Some(Key(3)) } else { None },
        pair: (1, Key(a % 5)),
    }
}

#[routine]
fn told(ring: &Ring) -> [u32; 6] {
    let lost = ring.lost.as_ref().map_or(0, |key| key.0);
    [
        ring.key.0,
        ring.size,
        ring.spare[0].0,
        ring.spare[1].0,
        lost,
        ring.pair.1.0,
    ]
}

#[routine]
fn in_derived(a: u32) -> ([u32; 6], [u32; 6], u32, (u32, u32)) {
    let first = ring(a);
    let second = first.clone();
    let pocket = match a % 3 {
        0 => Pocket::Key(a % 100, Key(a % 10)),
        1 => Pocket::Empty,
        _ => Pocket::Ring(ring(a)),
    };
    let of_pocket = match pocket.clone().clone() {
        Pocket::Key(n, key) => n * 1000 + key.0,
        Pocket::Empty => 1,
        Pocket::Ring(ring) => told(&ring).iter().fold(0, |sum: u32, part| sum.wrapping_mul(31) ^ part),
    };
    let holder = Holder {
        held: Key(a % 9),
        count: 2,
    };
    let other = holder.clone();
    (
        told(&first),
        told(&second),
        of_pocket,
        (other.held.0, other.count + holder.held.0),
    )
}

#[routine]
fn in_std(a: u32) -> (u32, u32, u32, u32) {
    let (list, option, tuple) = (
        [Key(a % 50), Key(2), Key(9)],
        Some(Key(a % 11)),
        (Key(1), a, Some(Key(2))),
    );
    let result: Result<Key, u32> = if a % 2 == 0 { Ok(Key(4)) } else { Err(a) };
    let (of_list, of_tuple) = (list.clone(), tuple.clone());
    (
        of_list[0].0 * 1000 + of_list[2].0,
        option.clone().map_or(0, |key| key.0),
        of_tuple.0.0 * 100 + of_tuple.2.map_or(0, |key| key.0),
        result.clone().map_or_else(|error| error, |key| key.0),
    )
}

/// What derives `Copy` itself is copied, though `Ticket` has a `clone` of its own.
#[derive(VmType, Clone, Copy)]
struct Booth {
    ticket: Ticket,
}

#[allow(clippy::clone_on_copy)]
#[routine]
fn in_copies(a: u32) -> [u32; 4] {
    let ticket = Ticket { number: a, copies: 0 };
    let (booth, list, option) = (Booth { ticket }, [ticket; 2], Some(ticket));
    let (of_list, of_tuple) = (list.clone(), (ticket, a).clone());
    [
        booth.clone().ticket.copies,
        of_list[1].copies,
        option.clone().map_or(9, |ticket| ticket.copies),
        of_tuple.0.copies,
    ]
}
