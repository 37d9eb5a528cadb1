//! References to places: shared and mutable, to fields and elements, reborrowed, chosen at run time, passed down.

use gpuvm::prelude::*;

cases! {
    ref_to_local, ref_to_field, ref_to_element, chosen_reference, reborrow, reference_to_array, references_in_match, auto_deref,
    two_mutable_fields, explicit_lifetimes, deref_compound, ref_to_enum_payload, changed_references, chosen_slice, fields_that_refer,
    array_of_slices, array_of_references, array_of_mutable_references,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Particle {
    at: [f32; 2],
    speed: f32,
    hits: u32,
}

#[routine]
fn ref_to_local(a: u32) -> u32 {
    let mut x = a / 2;
    let r = &mut x;
    *r += 1;
    *r ^= 0xff;
    let s = &x;
    *s + x % 2
}

#[routine]
fn particle(a: f32, n: u32) -> Particle {
    Particle {
        at: [a, -a],
        speed: 0.5,
        hits: n % 10,
    }
}

#[routine]
fn ref_to_field(a: f32, n: u32) -> Particle {
    let mut p = particle(a, n);
    let hits = &mut p.hits;
    *hits += 3;
    let at = &mut p.at;
    at[(n % 2) as usize] *= 2.0;
    let speed = &p.speed;
    p.at[0] += *speed;
    p
}

#[routine]
fn ref_to_element(a: u32, i: u32) -> [u32; 4] {
    let mut values = [a, 2, 3, 4];
    let slot = &mut values[(i % 4) as usize];
    *slot /= 2;
    *slot |= 1;
    values
}

#[routine]
fn chosen_reference(a: u32, b: u32) -> (u32, u32) {
    let (mut x, mut y) = (a, b);
    let larger = if x > y { &mut x } else { &mut y };
    *larger = 0;
    let smaller = if a <= b { &x } else { &y };
    (x ^ *smaller, y)
}

#[routine]
fn add_to(x: &mut u32, by: u32) {
    *x = x.wrapping_add(by);
}

#[routine]
fn add_twice(x: &mut u32, by: &u32) {
    add_to(x, *by);
    add_to(&mut *x, by.wrapping_mul(3));
}

#[routine]
fn reborrow(a: u32, b: u32) -> u32 {
    let mut x = a;
    add_twice(&mut x, &b);
    let r = &mut x;
    add_twice(r, &7);
    add_to(r, 1);
    x
}

#[routine]
fn sum_of(values: &[u32; 3]) -> u32 {
    values[0].wrapping_add(values[1]) ^ values[2]
}

#[routine]
fn double_all(values: &mut [u32; 3]) {
    for v in values.iter_mut() {
        *v = v.wrapping_mul(2);
    }
}

#[routine]
fn reference_to_array(a: u32, b: u32) -> u32 {
    let mut values = [a, b, 5];
    double_all(&mut values);
    sum_of(&values) ^ sum_of(&[1, a, b])
}

#[routine]
fn references_in_match(a: f32, n: u32) -> Particle {
    let mut p = particle(a, n);
    match &mut p {
        Particle { hits: 0, speed, .. } => *speed = 9.0,
        Particle { at: [x, _], hits, .. } => {
            *x += 1.0;
            *hits *= 2;
        }
    }
    p
}

#[routine]
fn kinetic(p: &Particle) -> f32 {
    p.speed * p.speed * 0.5 + p.at[0].abs()
}

#[routine]
fn slow_down(p: &mut Particle) -> f32 {
    p.speed *= 0.9;
    p.hits += 1;
    kinetic(p)
}

#[routine]
fn auto_deref(a: f32, n: u32) -> f32 {
    let mut p = particle(a, n);
    let mut energy = 0.0;
    while p.hits < 12 {
        energy += slow_down(&mut p);
    }
    energy + kinetic(&p)
}

#[routine]
fn exchange(a: &mut f32, b: &mut u32) {
    let t = *a;
    *a = *b as f32;
    *b = t as u32;
}

#[routine]
fn two_mutable_fields(a: f32, n: u32) -> Particle {
    let mut p = particle(a, n);
    exchange(&mut p.speed, &mut p.hits);
    exchange(&mut p.at[1], &mut p.hits);
    p
}

#[routine]
fn larger_of<'a>(a: &'a u32, b: &'a u32) -> u32 {
    let larger = if *a >= *b { a } else { b };
    *larger
}

#[routine]
fn explicit_lifetimes(a: u32, b: u32) -> u32 {
    let values = [a, b, 40];
    larger_of(&larger_of(&values[0], &values[1]), &values[2]) / 2
}

#[routine]
fn deref_compound(a: u32, n: u32) -> u32 {
    let mut x = a;
    {
        let r = &mut x;
        *r &= 0xffff;
        *r <<= n % 8;
        *r |= 1;
        *r -= 1;
        *r %= 1001;
    }
    x
}

#[routine]
fn ref_to_enum_payload(a: Option<u32>, b: u32) -> Option<u32> {
    let mut slot = a;
    if let Some(x) = &mut slot {
        *x ^= b;
    }
    if let Some(ref x) = slot
        && *x % 2 == 0
    {
        return None;
    }
    slot
}

#[routine]
fn skip_below(values: &mut &[u32], least: u32) -> u32 {
    let before = values.len();
    while let Some((first, rest)) = values.split_first()
        && *first < least
    {
        *values = rest;
    }
    (before - values.len()) as u32
}

#[routine]
fn changed_references(a: u32, b: u32) -> [u32; 5] {
    let values = [a % 8, b % 8, 2, 7, a % 9];
    let (x, y) = (a / 2, b / 3);
    let mut rest = &values[..];
    let skipped = skip_below(&mut rest, 3);
    let view = &mut rest;
    *view = &view[view.len() / 2..];
    let mut one = &x;
    let other = &mut one;
    if a > b {
        *other = &y;
    }
    let again = &&other;
    let mut found = Some(&values[1..]);
    if let Some(inside) = &mut found {
        *inside = &inside[(b % 4) as usize..];
    }
    [
        skipped,
        rest.len() as u32,
        ****again,
        *one,
        found.map_or(9, |inside| inside.len() as u32),
    ]
}

/// Merges two sorted lists, taking from whichever has less at its beginning.
#[routine]
fn chosen_slice(a: u32, b: u32, c: u32) -> [u32; 6] {
    let (mut left, mut right) = (&[a % 5, 7, 9][..], &[b % 4, 4 + c % 8, 20][..]);
    let mut merged = [0; 6];
    for slot in &mut merged {
        let from_left = match (left.first(), right.first()) {
            (Some(a), Some(b)) => a <= b,
            (first, _) => first.is_some(),
        };
        let source = if from_left { &mut left } else { &mut right };
        if let Some((&head, tail)) = source.split_first() {
            *slot = head;
            *source = tail;
        }
    }
    merged
}

#[derive(VmType, Clone, Copy)]
struct Cursor<'a> {
    rest: &'a [u32],
    last: Option<&'a u32>,
}

#[routine]
impl<'a> Cursor<'a> {
    fn step(&mut self) -> bool {
        let Cursor { rest, last } = self;
        let Some((first, more)) = rest.split_first() else {
            return false;
        };
        *rest = more;
        *last = Some(first);
        true
    }
}

#[routine]
fn fields_that_refer(a: u32, b: u32) -> (u32, Option<u32>) {
    let values = [a, b, a ^ b];
    let mut cursor = Cursor {
        rest: &values[(b % 4) as usize..],
        last: None,
    };
    let mut steps = 0;
    while steps < a % 5 && cursor.step() {
        steps += 1;
    }
    (steps * 10 + cursor.rest.len() as u32, cursor.last.copied())
}

#[routine]
fn array_of_slices(a: u32, b: u32) -> [u32; 4] {
    let (few, many) = ([a, b], [b, a, a ^ b, 7]);
    let lists: [&[u32]; 3] = [&few, &many, &many[1..3]];
    let chosen = lists[a as usize % 3];
    let mut sum = 0_u32;
    for list in lists {
        sum = sum.wrapping_add(list[0]).wrapping_mul(31);
    }
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
    [chosen.len() as u32, chosen[1], sum, longest as u32]
}

#[routine]
fn array_of_references(a: u32, b: u32) -> u32 {
    let pair = (a, b);
    let places = [&pair.0, &pair.1, &a];
    let [first, _, last] = places;
    places[b as usize % 3] ^ first.wrapping_add(*last) ^ largest_of(&places) ^ *places[1]
}

#[routine]
fn largest_of(numbers: &[&u32]) -> u32 {
    let mut largest = 0;
    for number in numbers {
        largest = largest.max(**number);
    }
    largest
}

#[routine]
fn array_of_mutable_references(mut a: u32, mut b: u8) -> (u32, u8, u32) {
    let mut c = 1_u32;
    for (i, number) in [&mut a, &mut c].into_iter().enumerate() {
        *number = number.wrapping_mul(3).wrapping_add(i as u32);
    }
    let two = [&mut a, &mut c];
    *two[b as usize % 2] ^= 5;
    *two[0] = two[0].wrapping_add(b.into());
    for byte in [&mut b] {
        *byte = byte.saturating_sub(1);
    }
    (a, b, c)
}
