//! `clone` as the type's user wrote it, in an `impl` of `Clone` or a method of that name.

use gpuvm::prelude::*;

cases! { written_by_hand, generic_over_clone, of_a_counted_array, in_derived, in_std, in_copies, of_elements, of_what_is_no_copy, of_long_lists }

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

#[derive(VmType, PartialEq, Debug)]
struct Gene {
    value: u32,
    copies: u32,
}

#[routine]
impl Clone for Gene {
    fn clone(&self) -> Self {
        Gene {
            value: self.value,
            copies: self.copies + 1,
        }
    }
}

#[routine]
fn copies_of(genes: &[Gene]) -> u32 {
    genes.iter().fold(0, |sum, gene| sum * 10 + gene.copies)
}

#[routine]
fn of_elements(a: u32) -> ([u32; 6], u32, u32) {
    let genes = [Gene { value: a, copies: 0 }, Gene { value: 2, copies: 3 }];
    let mapped = genes
        .iter()
        .cloned()
        .rev()
        .map(|gene| gene.copies)
        .fold(0, |sum, x| sum * 10 + x);
    let mut list = [const { Gene { value: 0, copies: 0 } }; 4];
    list[1..3].clone_from_slice(&genes);
    let of_slice = copies_of(&list);
    list[..3].fill(Gene { value: 9, copies: 0 });
    let filled = copies_of(&list);
    let of_option = Some(&genes[1]).cloned().map_or(9, |gene| gene.copies);
    let of_result: Result<&Gene, u32> = if a % 2 == 0 { Ok(&genes[0]) } else { Err(a) };
    let of_result = of_result.cloned().map_or(9, |gene| gene.copies);
    let mut looped = 0;
    for gene in genes.iter().cloned() {
        looped += gene.copies;
    }
    let mut numbered = 0;
    for (i, gene) in genes.iter().cloned().enumerate() {
        numbered += i as u32 * gene.copies;
    }
    let repeated = std::iter::repeat(Gene { value: 1, copies: 5 })
        .take(3)
        .map(|gene| gene.copies)
        .sum();
    (
        [mapped, of_slice, filled, of_option, of_result, looped],
        numbered,
        repeated,
    )
}

#[derive(VmType, Clone, PartialEq, Debug)]
struct Named {
    value: u32,
    name: [u8; 3],
}

#[derive(VmType, Clone, Debug)]
struct Genome {
    genes: [Named; 3],
    best: Option<Named>,
}

#[routine]
fn of_what_is_no_copy(a: u32) -> (u32, u32, bool, u32) {
    let known = [
        Named {
            value: a % 100,
            name: *b"abc",
        },
        Named {
            value: 2,
            name: *b"xyz",
        },
    ];
    let sum: u32 = known.iter().cloned().map(|named| named.value).sum();
    let mut list: [Named; 3] = std::array::from_fn(|i| known[i % 2].clone());
    list[1..].clone_from_slice(&known);
    list[0] = known[1].clone();
    let best = list.iter().max_by_key(|named| named.value).cloned().unwrap();
    let mut genome = Genome {
        genes: list.clone(),
        best: known.first().cloned(),
    };
    let first = genome.best.as_ref().map_or(0, |named| named.value);
    genome.best = Some(best);
    let copy = genome.clone();
    list.fill(known[0].clone());
    let all: u32 = std::iter::successors(Some(known[0].clone()), |named| {
        (named.value < 200).then(|| Named {
            value: named.value * 2 + 1,
            ..named.clone()
        })
    })
    .chain(std::iter::once(copy.genes[1].clone()))
    .chain(std::iter::repeat(copy.genes[2].clone()).take(3))
    .chain(std::iter::empty())
    .map(|named| named.value)
    .sum();
    let best = copy.best.as_ref().map_or(0, |named| named.value);
    (
        sum,
        best + list.iter().map(|named| named.value).sum::<u32>() + first,
        copy.genes == list,
        all,
    )
}

#[derive(VmType, PartialEq, Debug)]
struct Allele {
    value: u32,
    at: [u8; 2],
}
#[routine]
impl Clone for Allele {
    fn clone(&self) -> Self {
        Allele {
            value: self.value.wrapping_add(self.at[1] as u32 + 1),
            at: self.at,
        }
    }
}
#[derive(VmType, Clone)]
struct Pool {
    genes: [Allele; 300],
    pairs: [(Allele, u8); 9],
    nested: [[Allele; 3]; 10],
}
#[routine]
fn allele(a: u32, i: usize) -> Allele {
    Allele {
        value: a ^ i as u32,
        at: [1, i as u8],
    }
}
#[routine]
fn of_long_lists(a: u32) -> (u32, u32, u32) {
    let p = Pool {
        genes: std::array::from_fn(|i| allele(a, i)),
        pairs: std::array::from_fn(|i| (allele(i as u32, i), 7)),
        nested: std::array::from_fn(|i| std::array::from_fn(|j| allele(a ^ 1, i * 3 + j))),
    };
    let q = p.clone();
    let some = [
        Some(allele(a, 1)),
        None,
        Some(allele(a, 2)),
        None,
        None,
        None,
        None,
        None,
        Some(allele(a, 8)),
    ]
    .clone();
    let sum = |g: &[Allele]| g.iter().fold(0u32, |s, g| s.rotate_left(3) ^ g.value);
    (
        sum(&q.genes) ^ sum(&p.genes[5..]),
        q.pairs.iter().map(|(g, n)| g.value * *n as u32).sum(),
        q.nested
            .iter()
            .map(|n| sum(n))
            .fold(0, u32::wrapping_add)
            .wrapping_add(some.iter().flatten().map(|g| g.value).fold(0, u32::wrapping_add)),
    )
}
