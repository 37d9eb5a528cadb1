//! A segment tree over any monoid, with a lazy one for sums, and a Fenwick tree that agrees with it.

use core::ops::{AddAssign, Range};

use gpuvm::prelude::*;

const LEAVES: usize = 16;

#[routine]
trait Monoid: Copy {
    fn identity() -> Self;
    fn combine(self, other: Self) -> Self;
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Max(i32);

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Gcd(u32);

#[routine]
impl Monoid for Max {
    fn identity() -> Self {
        Max(i32::MIN)
    }

    fn combine(self, other: Self) -> Self {
        Max(self.0.max(other.0))
    }
}

#[routine]
impl Monoid for Gcd {
    fn identity() -> Self {
        Gcd(0)
    }

    fn combine(self, other: Self) -> Self {
        let (mut a, mut b) = (self.0, other.0);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Gcd(a)
    }
}

#[derive(VmType, Clone, Copy)]
struct Tree<M> {
    nodes: [M; 2 * LEAVES],
}

#[routine]
impl<M: Monoid> Tree<M> {
    fn new(leaves: impl IntoIterator<Item = M>) -> Self {
        let mut nodes = [M::identity(); 2 * LEAVES];
        for (node, leaf) in nodes[LEAVES..].iter_mut().zip(leaves) {
            *node = leaf;
        }
        for i in (1..LEAVES).rev() {
            nodes[i] = nodes[2 * i].combine(nodes[2 * i + 1]);
        }
        Tree { nodes }
    }

    fn set(&mut self, at: usize, value: M) {
        let mut at = at + LEAVES;
        self.nodes[at] = value;
        while at > 1 {
            at /= 2;
            self.nodes[at] = self.nodes[2 * at].combine(self.nodes[2 * at + 1]);
        }
    }

    fn query(&self, range: Range<usize>) -> M {
        let (mut left, mut right) = (M::identity(), M::identity());
        let Range { mut start, mut end } = range;
        start += LEAVES;
        end += LEAVES;
        while start < end {
            if start % 2 == 1 {
                left = left.combine(self.nodes[start]);
                start += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                right = self.nodes[end].combine(right);
            }
            start /= 2;
            end /= 2;
        }
        left.combine(right)
    }
}

#[derive(VmType, Clone, Copy)]
struct Fenwick<T> {
    sums: [T; LEAVES + 1],
}

#[routine]
impl<T: Copy + Default + AddAssign> Fenwick<T> {
    fn new() -> Self {
        Self {
            sums: [T::default(); LEAVES + 1],
        }
    }

    fn add(&mut self, at: usize, by: T) {
        let mut i = at + 1;
        while let Some(sum) = self.sums.get_mut(i) {
            *sum += by;
            i += i & i.wrapping_neg();
        }
    }

    fn prefix(&self, end: usize) -> T {
        let mut sum = T::default();
        let mut i = end;
        while i > 0 {
            sum += self.sums[i];
            i &= i - 1;
        }
        sum
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    pub max: i32,
    pub gcd: u32,
    pub sum: i64,
    pub after: i32,
}

#[routine]
pub fn range_queries(values: &[i32], start: u32, end: u32) -> Answers {
    let range = start as usize..(end as usize).min(values.len());
    let mut max = Tree::new(values.iter().map(|&v| Max(v)));
    let gcd = Tree::new(values.iter().map(|v| Gcd(v.unsigned_abs())));
    let mut sums = Fenwick::<i64>::new();
    values.iter().enumerate().for_each(|(i, &v)| sums.add(i, i64::from(v)));
    let before = max.query(range.clone());
    max.set(range.start, Max(1_000));
    Answers {
        max: before.0,
        gcd: gcd.query(range.clone()).0,
        sum: sums.prefix(range.end) - sums.prefix(range.start),
        after: max.query(0..values.len()).0,
    }
}

pub fn known() {
    let values = [12, -18, 24, 6, 30, -42, 54, 60, 7];
    assert_eq!(
        range_queries(&values, 1, 5),
        Answers {
            max: 30,
            gcd: 6,
            sum: 42,
            after: 1_000
        }
    );
    assert_eq!(
        range_queries(&values, 0, 9),
        Answers {
            max: 60,
            gcd: 1,
            sum: 133,
            after: 1_000
        }
    );
    assert_eq!(range_queries(&values, 8, 20).sum, 7);
}
