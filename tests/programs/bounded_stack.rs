//! A stack of at most so many of anything, with the traits of std that a list has, and functions of whatever has these.

use std::ops::{Deref, DerefMut, Mul};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Stack<T, const N: usize> {
    items: [T; N],
    len: usize,
}
#[routine]
impl<T: Copy + Default, const N: usize> Default for Stack<T, N> {
    fn default() -> Self {
        Stack {
            items: [T::default(); N],
            len: 0,
        }
    }
}
#[routine]
impl<T, const N: usize> Deref for Stack<T, N> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.items[..self.len]
    }
}
#[routine]
impl<T, const N: usize> DerefMut for Stack<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.len]
    }
}
#[routine]
impl<T: Copy + Default, const N: usize> Stack<T, N> {
    fn push(&mut self, item: T) -> bool {
        if self.len < N {
            self.items[self.len] = item;
            self.len += 1;
            true
        } else {
            false
        }
    }
    fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.items[self.len])
    }
    fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let mut to = 0;
        for from in 0..self.len {
            let x = self.items[from];
            if keep(&x) {
                self.items[to] = x;
                to += 1;
            }
        }
        self.len = to;
    }
    fn drain_all(&mut self) -> impl Iterator<Item = T> + use<T, N> {
        let all = *self;
        self.len = 0;
        all.items.into_iter().take(all.len)
    }
}
#[routine]
impl<T: Copy + Default, const N: usize> FromIterator<T> for Stack<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        let mut s = Stack::default();
        s.extend(iter);
        s
    }
}
#[routine]
impl<T: Copy + Default, const N: usize> Extend<T> for Stack<T, N> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, iter: I) {
        for x in iter {
            if !self.push(x) {
                break;
            }
        }
    }
}
#[derive(VmType, Clone, Copy)]
struct Drain<T, const N: usize> {
    stack: Stack<T, N>,
    at: usize,
}
#[routine]
impl<T: Copy, const N: usize> Iterator for Drain<T, N> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        let x = self.stack.get(self.at).copied();
        self.at += 1;
        x
    }
}
#[routine]
impl<T: Copy, const N: usize> IntoIterator for Stack<T, N> {
    type Item = T;
    type IntoIter = Drain<T, N>;
    fn into_iter(self) -> Drain<T, N> {
        Drain { stack: self, at: 0 }
    }
}
#[routine]
impl<'a, T, const N: usize> IntoIterator for &'a Stack<T, N> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
#[routine]
impl<T: PartialEq, const N: usize> PartialEq for Stack<T, N> {
    fn eq(&self, o: &Self) -> bool {
        self[..] == o[..]
    }
}
#[routine]
impl<T, const N: usize> AsRef<[T]> for Stack<T, N> {
    fn as_ref(&self) -> &[T] {
        self
    }
}
#[derive(VmType, Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
struct Meters(f32);
#[routine]
impl From<f32> for Meters {
    fn from(x: f32) -> Self {
        Meters(x)
    }
}
#[routine]
impl<'a> std::iter::Sum<&'a Meters> for Meters {
    fn sum<I: Iterator<Item = &'a Meters>>(iter: I) -> Self {
        Meters(iter.map(|m| m.0).sum())
    }
}
#[routine]
impl Mul for &Meters {
    type Output = f32;
    fn mul(self, o: &Meters) -> f32 {
        self.0 * o.0
    }
}
#[routine]
fn squares<T>(items: &[T]) -> f32
where
    for<'a> &'a T: Mul<&'a T, Output = f32>,
{
    items.iter().map(|x| x * x).sum()
}
#[routine]
fn mean<I, T>(items: I) -> Option<f64>
where
    I: IntoIterator<Item = T>,
    T: Into<f64>,
{
    let (mut n, mut s) = (0u32, 0.0);
    for x in items {
        n += 1;
        s += x.into();
    }
    (n > 0).then(|| s / n as f64)
}
#[routine]
fn widest(x: impl AsRef<[u32]>) -> Option<u32> {
    x.as_ref().iter().max().copied()
}
#[routine]
pub fn stacked(a: u32) -> (u32, Option<u32>, f32, Option<f64>, (bool, f32)) {
    let mut s: Stack<u32, 6> = (0..a % 9).map(|x| x * (a % 1000) % 13).collect();
    s.extend([3, 4, 5].iter().copied());
    s.retain(|x| x % 2 == 1 || *x > 6);
    s.sort_unstable();
    let top = s.pop();
    let mut sum = 0;
    for x in &s {
        sum = sum * 10 + x;
    }
    for x in s {
        sum += x;
    }
    let copy = s;
    let drained: u32 = s.drain_all().map(|x| x + 1).sum();
    let m: Stack<Meters, 3> = [1.5, a as f32, 2.0].into_iter().map(Meters::from).collect();
    (
        sum + drained * 100 + s.len() as u32,
        top,
        squares(&m),
        mean(copy.iter().copied()),
        (copy == s, m.iter().sum::<Meters>().0 + widest(copy).unwrap_or(7) as f32),
    )
}

pub fn known() {
    let mut stack: Stack<u8, 3> = [1, 2, 3, 4].into_iter().collect();
    assert_eq!(stack[..], [1, 2, 3]);
    assert_eq!((stack.push(9), stack.pop()), (false, Some(3)));
    stack.retain(|x| *x > 1);
    assert_eq!(
        (
            stack.into_iter().collect::<Vec<u8>>(),
            stack.drain_all().count(),
            stack.len()
        ),
        (vec![2], 1, 0)
    );
    assert_eq!((mean([1.0f32, 2.0]), mean::<_, u32>([])), (Some(1.5), None));
    assert_eq!(
        (squares(&[Meters(3.0), Meters(4.0)]), widest([5, 9, 2])),
        (25.0, Some(9))
    );
}
