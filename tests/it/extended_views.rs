//! An extension trait, with a method for all that have a size, for whatever has another: what borrows, what is made of such, and lists, which have no size.

use gpuvm::prelude::*;

cases! { views_and_joins }

#[routine]
trait Source {
    fn get(&self, at: usize) -> Option<u32>;
    fn size(&self) -> usize;
}
#[routine]
trait SourceExt: Source {
    fn total(&self) -> u32 {
        (0..self.size()).filter_map(|i| self.get(i)).sum()
    }
    fn doubled(self) -> Doubled<Self>
    where
        Self: Sized,
    {
        Doubled { inner: self }
    }
}
#[routine]
impl<S: Source + ?Sized> SourceExt for S {}
#[derive(VmType, Clone, Copy)]
struct View<'a> {
    items: &'a [u32],
    from: usize,
}
#[routine]
impl<'a> Source for View<'a> {
    fn get(&self, at: usize) -> Option<u32> {
        self.items.get(self.from + at).copied()
    }
    fn size(&self) -> usize {
        self.items.len().saturating_sub(self.from)
    }
}
#[derive(VmType, Clone, Copy)]
struct Doubled<S> {
    inner: S,
}
#[routine]
impl<S: Source> Source for Doubled<S> {
    fn get(&self, at: usize) -> Option<u32> {
        Some(self.inner.get(at)? * 2)
    }
    fn size(&self) -> usize {
        self.inner.size()
    }
}
#[derive(VmType, Clone, Copy)]
struct Join<A, B> {
    a: A,
    b: B,
}
#[routine]
impl<A: Source, B: Source> Source for Join<A, B> {
    fn get(&self, at: usize) -> Option<u32> {
        if at < self.a.size() {
            self.a.get(at)
        } else {
            self.b.get(at - self.a.size())
        }
    }
    fn size(&self) -> usize {
        self.a.size() + self.b.size()
    }
}
#[routine]
impl Source for [u32] {
    fn get(&self, at: usize) -> Option<u32> {
        self.iter().nth(at).copied()
    }
    fn size(&self) -> usize {
        self.len()
    }
}
#[routine]
fn largest<S: Source>(s: &S) -> u32 {
    let mut m = 0;
    for i in 0..s.size() {
        if let Some(x) = s.get(i) {
            m = m.max(x);
        }
    }
    m + s.total()
}
#[routine]
fn both<'a, A: Source, B: Source>(a: A, b: B) -> u32 {
    largest(&Join { a, b })
}
#[routine]
fn views_and_joins(a: u32) -> (u32, u32, u32) {
    let list = [a % 10, 5, 8, a % 77];
    let v = View {
        items: &list,
        from: (a % 5) as usize,
    };
    (
        largest(&v.doubled()),
        both(
            v,
            Doubled {
                inner: View {
                    items: &list[1..],
                    from: 1,
                },
            },
        ),
        list[..2].total() + v.total(),
    )
}
