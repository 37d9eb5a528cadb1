//! Types that are no `Copy`, which stay inside of routines; `max` of what may be one; results with texts in them.

use gpuvm::prelude::*;

cases! {
    few:
    larger_version, named_results, clamped_by, moved_about, grown, made_by_default,
}

#[derive(VmType, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u32,
    minor: u32,
}

#[routine]
fn larger<T: Ord>(a: T, b: T) -> T {
    a.max(b)
}

#[routine]
fn between<T: Ord>(a: T, low: T, high: T) -> T {
    a.clamp(low, high)
}

#[routine]
fn smaller<T>(a: T, b: T) -> T
where
    T: Ord,
{
    a.min(b)
}

#[routine]
fn larger_version(a: u32, b: u32) -> (u32, u32, i32) {
    let v = larger(Version { major: a % 3, minor: b }, Version { major: b % 3, minor: a });
    let w = smaller(Version { major: a % 3, minor: b }, v.clone());
    (v.major ^ w.minor, larger(a, b), smaller(a as i32, b as i32))
}

#[routine]
fn clamped_by(a: i32, b: i32, c: i32) -> i32 {
    between(a, smaller(b, c), larger(b, c))
}

#[routine]
fn named_results(a: u32) -> u32 {
    let named = label_of_number(a);
    named.len + named.text.len() as u32
}

#[derive(VmType, Clone, Copy, Debug)]
struct Label {
    text: &'static str,
    len: u32,
}

#[routine]
fn label_of_number(a: u32) -> Label {
    let text = match a % 3 {
        0 => "zero",
        1 => "one",
        _ => "many more",
    };
    Label {
        text,
        len: text.len() as u32,
    }
}

#[derive(VmType, Debug, PartialEq)]
struct Stack<const N: usize> {
    items: [u32; N],
    len: usize,
    last: Option<Version>,
}

#[routine]
impl<const N: usize> Stack<N> {
    fn new() -> Self {
        Stack {
            items: [0; N],
            len: 0,
            last: None,
        }
    }

    fn push(&mut self, item: u32) -> Result<(), u32> {
        let place = self.items.get_mut(self.len).ok_or(item)?;
        *place = item;
        self.len += 1;
        self.last = Some(Version {
            major: item,
            minor: self.len as u32,
        });
        Ok(())
    }

    fn pushed(mut self, item: u32) -> Self {
        let _ = self.push(item);
        self
    }

    fn into_parts(self) -> ([u32; N], Option<Version>) {
        (self.items, self.last)
    }
}

#[routine]
fn moved_about(a: u32, b: u32) -> ([u32; 3], u32, bool) {
    let mut stack = Stack::new().pushed(a).pushed(b);
    let full = stack.push(a ^ b).and_then(|()| stack.push(1));
    let other = Stack::<3>::new().pushed(a);
    let same = other == Stack::new().pushed(b);
    let (items, last) = stack.into_parts();
    let version = last.unwrap_or(Version { major: 0, minor: 9 });
    (items, version.major.wrapping_add(version.minor), full.is_err() != same)
}

#[derive(VmType, Clone, Debug)]
enum Shape {
    Empty,
    Many { sides: [u8; 4], used: usize },
}

#[routine]
impl Shape {
    fn grow(self, side: u8) -> Shape {
        match self {
            Shape::Empty => Shape::Many {
                sides: [side, 0, 0, 0],
                used: 1,
            },
            Shape::Many { mut sides, used } if used < 4 => {
                sides[used] = side;
                Shape::Many { sides, used: used + 1 }
            }
            full => full,
        }
    }

    fn sum(&self) -> u32 {
        match self {
            Shape::Empty => 0,
            Shape::Many { sides, used } => sides[..*used].iter().map(|&side| u32::from(side)).sum(),
        }
    }
}

#[routine]
fn grown(a: u8, b: u8, n: u32) -> (u32, u32) {
    let mut shape = Shape::Empty;
    for i in 0..n % 6 {
        shape = shape.grow(a.wrapping_add(i as u8));
    }
    let copy = shape.clone().grow(b);
    (shape.sum(), copy.sum())
}

#[derive(VmType, Debug)]
struct Window {
    last: [u32; 4],
    length: usize,
}

#[routine]
impl Window {
    fn of(length: usize) -> Self {
        Window {
            length,
            ..Window::default()
        }
    }
}

#[routine]
impl Default for Window {
    fn default() -> Self {
        Window {
            last: [7; 4],
            length: 4,
        }
    }
}

#[derive(VmType, Debug, Default)]
struct Pair {
    first: Window,
    second: Option<u32>,
}

#[routine]
fn made_by_default(a: u32, n: u32) -> (u32, usize, Option<u32>) {
    let mut pair = Pair::default();
    pair.first.last[n as usize % 4] = a;
    if n % 3 == 0 {
        pair = Default::default();
    }
    let window = Window::of(n as usize % 5);
    let sum = pair.first.last.iter().fold(0u32, |sum, &x| sum.wrapping_add(x));
    (sum ^ window.last[1], window.length + pair.first.length, pair.second)
}
