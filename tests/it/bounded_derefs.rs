//! `Deref` of generic types that asks more of their parameters than the types do, or is for some of them: what is behind it is found by fields, `*value` and
//! coercions all the same, and there are values of the types without it.

use core::ops::{Add, Deref, DerefMut};

use gpuvm::prelude::*;

cases! {
    few:
    fields_behind_bounds, fields_behind_traits, behind_some_types, values_behind_bounds, coerced_behind_bounds, elements_behind_two, without_deref,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Inner<T> {
    value: T,
    count: u32,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Guard<T> {
    reads: u32,
    inner: Inner<T>,
}

#[routine]
impl<T: Copy + PartialOrd> Deref for Guard<T> {
    type Target = Inner<T>;
    fn deref(&self) -> &Inner<T> {
        &self.inner
    }
}

#[routine]
impl<T: Copy + PartialOrd> DerefMut for Guard<T> {
    fn deref_mut(&mut self) -> &mut Inner<T> {
        self.reads += 1;
        &mut self.inner
    }
}

#[routine]
fn fields_behind_bounds(a: u32, b: u32) -> (u32, u32, u32) {
    let inner = Inner { value: a, count: 3 };
    let mut guard = Guard { reads: 0, inner };
    guard.count += b % 8;
    guard.value ^= b;
    let Inner { value, .. } = *guard;
    (guard.value.wrapping_add(guard.count), value, guard.reads)
}

#[routine]
trait Shape {
    fn area(&self) -> u32;
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Square {
    side: u32,
}

#[routine]
impl Shape for Square {
    fn area(&self) -> u32 {
        self.side.wrapping_mul(self.side)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Tagged<S> {
    tag: u8,
    shape: S,
}

#[routine]
impl<S> Deref for Tagged<S>
where
    S: Shape,
{
    type Target = S;
    fn deref(&self) -> &S {
        &self.shape
    }
}

#[routine]
impl<S: Shape> DerefMut for Tagged<S> {
    fn deref_mut(&mut self) -> &mut S {
        &mut self.shape
    }
}

#[derive(VmType)]
struct Lent<'a, T> {
    times: u32,
    to: &'a T,
}

#[routine]
impl<'a, T: Copy> Deref for Lent<'a, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.to
    }
}

#[routine]
fn fields_behind_traits(a: u32, b: u32) -> (u32, u32) {
    let mut tagged = Tagged {
        tag: 3,
        shape: Square { side: a },
    };
    tagged.side = tagged.side.wrapping_add(b);
    let square = Square { side: b };
    let lent = Lent { times: 2, to: &square };
    (
        tagged.area() ^ tagged.side,
        lent.side.wrapping_mul(lent.times).wrapping_add(lent.area()),
    )
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Wrapper<T> {
    inner: T,
}

#[routine]
impl Deref for Wrapper<Square> {
    type Target = Square;
    fn deref(&self) -> &Square {
        &self.inner
    }
}

#[routine]
fn behind_some_types(a: u32) -> (u32, u32) {
    let of_square = Wrapper {
        inner: Square { side: a },
    };
    let of_number = Wrapper { inner: a };
    (of_square.side, of_number.inner / 2)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Own<T> {
    value: T,
}

#[routine]
impl<T: Add<Output = T> + Copy> Deref for Own<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

#[routine]
impl<T: Add<Output = T> + Copy> DerefMut for Own<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

#[routine]
impl Add for Square {
    type Output = Square;
    fn add(self, other: Square) -> Square {
        Square {
            side: self.side.wrapping_add(other.side),
        }
    }
}

#[routine]
fn bump<T: Add<Output = T> + Copy>(own: &mut Own<T>, by: T) -> T {
    **own = **own + by;
    **own
}

#[routine]
fn values_behind_bounds(a: u32, b: u32) -> (u32, u32) {
    let mut number = Own { value: a / 4 };
    let mut square = Own {
        value: Square { side: b },
    };
    *number += 1;
    let bumped = bump(&mut number, b / 4);
    bump(&mut square, Square { side: 2 });
    (bumped, square.side)
}

#[routine]
fn side_and_more(square: &Square, more: u32) -> u32 {
    square.side.wrapping_add(more)
}

#[routine]
fn side_of_tagged(tagged: &Tagged<Square>) -> u32 {
    side_and_more(tagged, 1)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Named {
    name: char,
    square: Square,
}

#[routine]
impl Deref for Named {
    type Target = Square;
    fn deref(&self) -> &Square {
        &self.square
    }
}

/// Where the target is no slice, a reference is as wide as one to it.
#[routine]
fn coerced_behind_bounds(a: u32, b: u32) -> [u32; 5] {
    let tagged = Tagged {
        tag: 9,
        shape: Square { side: a },
    };
    let named = Named {
        name: 'n',
        square: Square { side: b },
    };
    let (of_tagged, of_named): (&Square, &Square) = (&tagged, &named);
    let again: &Square = &tagged;
    [
        side_and_more(&tagged, 1),
        side_and_more(&named, 2),
        side_of_tagged(&tagged),
        of_tagged.side ^ of_named.side,
        again.side,
    ]
}

#[derive(VmType, Clone, Copy, Debug)]
struct List {
    len: usize,
    items: [u32; 4],
}

#[routine]
impl Deref for List {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        &self.items[..self.len]
    }
}

#[routine]
impl DerefMut for List {
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.items[..self.len]
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Counted {
    writes: u32,
    list: List,
}

#[routine]
impl Deref for Counted {
    type Target = List;
    fn deref(&self) -> &List {
        &self.list
    }
}

#[routine]
impl DerefMut for Counted {
    fn deref_mut(&mut self) -> &mut List {
        self.writes += 1;
        &mut self.list
    }
}

#[routine]
fn elements_behind_two(a: u32, b: u32) -> (u32, u32, u32, u32) {
    let mut counted = Counted {
        writes: 0,
        list: List {
            len: 3,
            items: [a, b, 3, 4],
        },
    };
    counted[0] ^= 5;
    counted[1] = counted[2];
    let rest = counted[1..].iter().fold(0, |sum: u32, x| sum.wrapping_add(*x));
    let all = counted.iter().fold(0, |all, x| all ^ x);
    (counted[b as usize % 4], rest, all, counted.writes)
}

/// A value whose `Deref` its type does not have is one all the same.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Bare(u32);

#[routine]
fn without_deref(a: u32) -> u32 {
    let inner = Inner {
        value: Bare(a),
        count: 1,
    };
    let guard = Guard { reads: 2, inner };
    guard.inner.value.0.wrapping_add(guard.reads)
}
