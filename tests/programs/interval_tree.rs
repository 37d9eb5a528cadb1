//! An interval tree in arrays: intervals sorted by their start, each node of the implicit tree with the largest end below it.

use core::cmp::Ordering;
use core::ops::{Bound, RangeBounds};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    pub from: i32,
    pub to: i32,
    pub id: u16,
}

#[routine]
impl Span {
    fn of<R: RangeBounds<i32>>(range: R, id: u16) -> Option<Span> {
        let from = match range.start_bound() {
            Bound::Included(&from) => from,
            Bound::Excluded(&from) => from.checked_add(1)?,
            Bound::Unbounded => i32::MIN,
        };
        let to = match range.end_bound() {
            Bound::Included(&to) => to,
            Bound::Excluded(&to) => to.checked_sub(1)?,
            Bound::Unbounded => i32::MAX,
        };
        (from <= to).then_some(Span { from, to, id })
    }

    const fn overlaps(&self, other: &Span) -> bool {
        self.from <= other.to && other.from <= self.to
    }
}

#[routine]
impl Ord for Span {
    fn cmp(&self, other: &Self) -> Ordering {
        self.from
            .cmp(&other.from)
            .then_with(|| self.to.cmp(&other.to))
            .then(self.id.cmp(&other.id))
    }
}

#[routine]
impl PartialOrd for Span {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Node {
    span: Span,
    furthest: i32,
}

#[derive(VmType, Clone, Debug)]
struct IntervalTree<const N: usize> {
    nodes: [Option<Node>; N],
    len: usize,
}

#[routine]
impl<const N: usize> IntervalTree<N> {
    fn new(spans: &mut [Span]) -> Self {
        spans.sort_unstable();
        let mut tree = Self {
            nodes: [const { None }; N],
            len: spans.len().min(N),
        };
        for (node, &span) in tree.nodes.iter_mut().zip(spans.iter()) {
            node.replace(Node {
                span,
                furthest: span.to,
            });
        }
        tree.update(0, tree.len);
        tree
    }

    fn update(&mut self, low: usize, high: usize) -> i32 {
        if low >= high {
            return i32::MIN;
        }
        let middle = low + (high - low) / 2;
        let below = self.update(low, middle).max(self.update(middle + 1, high));
        let Some(node) = self.nodes[middle].as_mut() else {
            unreachable!("the first {} are there", self.len)
        };
        node.furthest = node.furthest.max(below);
        node.furthest
    }

    fn visit<F>(&self, wanted: &Span, low: usize, high: usize, visit: &mut F)
    where
        F: FnMut(&Span),
    {
        if low >= high {
            return;
        }
        let middle = low + (high - low) / 2;
        if let Some(Node { span, furthest }) = &self.nodes[middle] {
            if *furthest < wanted.from {
                return;
            }
            self.visit(wanted, low, middle, visit);
            if span.overlaps(wanted) {
                visit(span);
            }
            if span.from <= wanted.to {
                self.visit(wanted, middle + 1, high, visit);
            }
        }
    }

    fn count(&self, wanted: &Span) -> u32 {
        let mut count = 0;
        self.visit(wanted, 0, self.len, &mut |_| count += 1);
        count
    }

    fn first(&self, wanted: &Span) -> Option<Span> {
        let mut found: Option<Span> = None;
        self.visit(wanted, 0, self.len, &mut |span| {
            found.get_or_insert(*span);
        });
        found
    }
}

/// How many of the intervals meet another one, that begins first, and the sum of their numbers.
#[routine]
pub fn interval_overlaps(spans: &[Span], from: i32, to: i32) -> (u32, Option<Span>, u32) {
    let mut sorted = [Span::default(); 24];
    let count = spans.len().min(24);
    sorted[..count].copy_from_slice(&spans[..count]);
    let tree = IntervalTree::<24>::new(&mut sorted[..count]);
    let Some(wanted) = Span::of(from..=to, 0) else {
        return Default::default();
    };
    let mut sum = 0;
    tree.visit(&wanted, 0, tree.len, &mut |span| sum += u32::from(span.id));
    (tree.count(&wanted), tree.first(&wanted), sum)
}

/// How many intervals hold each of a few points, open ones too.
#[routine]
pub fn interval_stabs(points: [i32; 4], a: i32, b: i32) -> [u32; 4] {
    let candidates = [
        Span::of(a..b, 1),
        Span::of(..a, 2),
        Span::of(b.., 4),
        Span::of(.., 8),
        Span::of(a..=a, 16),
    ];
    let mut spans = [Span::default(); 5];
    let mut count = 0;
    for span in candidates.into_iter().flatten() {
        spans[count] = span;
        count += 1;
    }
    let tree = IntervalTree::<8>::new(&mut spans[..count]);
    points.map(|point| Span::of(point..=point, 0).map_or(0, |wanted| tree.count(&wanted)))
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn overlaps() {
        let spans = [(1, 4), (10, 12), (3, 11), (-5, 0), (20, 30)];
        let mut id = 0;
        let spans = spans.map(|(from, to)| {
            id += 1;
            Span { from, to, id }
        });
        assert_eq!(interval_overlaps(&spans, 4, 10), (3, Some(spans[0]), 6));
        assert_eq!(interval_overlaps(&spans, 13, 19), (0, None, 0));
        assert_eq!(interval_overlaps(&spans, 5, 4), (0, None, 0));
        assert_eq!(interval_stabs([0, 5, 7, 9], 5, 9), [2, 3, 2, 2]);
    }
}
