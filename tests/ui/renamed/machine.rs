//! gpuvm as `machine`, in a crate whose `Cargo.toml` calls it so and says it nowhere else.

#![allow(dead_code)]

use machine::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Point<T> {
    x: T,
}

/// The routines that std's derived traits need are found through the path, too.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    major: u32,
    minor: u32,
}

#[derive(VmType, Clone, Copy)]
struct Digits<'a> {
    bytes: &'a [u8],
    at: usize,
}

#[routine]
impl Iterator for Digits<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(u32::from(byte - b'0'))
    }
}

#[derive(RingMessage, Clone, Copy)]
enum Note {
    Up,
    Down(u32),
}

#[routine]
impl<T: VmType> Point<T> {
    fn x(self) -> T {
        self.x
    }
}

#[routine]
trait Size {
    const LEAST: u32 = 1;

    fn size(&self) -> u32;

    fn at_least(&self) -> u32 {
        self.size().max(Self::LEAST)
    }

    fn above<T: Size>(&self, other: &T) -> bool {
        self.at_least() > other.at_least()
    }
}

#[routine]
impl Size for Note {
    fn size(&self) -> u32 {
        match self {
            Note::Up => 1,
            Note::Down(by) => *by,
        }
    }
}

mod inner {
    use machine::prelude::*;

    #[routine(callee)]
    pub fn sine(x: f32) -> f32 {
        x.sin()
    }
}

#[routine(id = "point")]
fn point(x: f32, all: &[f32]) -> f32 {
    #[routine]
    fn twice(x: f32) -> f32 {
        2.0 * x
    }
    twice(inner::sine(Point { x }.x())) + all[vm::id() as usize]
}

#[routine]
fn ranked(n: u32) -> Option<u32> {
    let best = [Rank { major: n, minor: 1 }, Rank::default()].into_iter().max()?;
    let sum: u32 = Digits { bytes: b"123", at: 0 }.map(|digit| digit * 2).sum();
    assert!(best.major < 1000, "{best:?} is too large");
    println!("{sum} of {best:?}");
    (Note::Down(sum).above(&Note::Up) && best >= Rank::default()).then_some(sum)
}

#[ring_kernel(sends = 2)]
fn count(sum: &mut u32, note: Note, ctx: &mut Ring) -> Option<Note> {
    *sum += note.size();
    ctx.send(ctx.actor(), Note::Up);
    None
}

fn main() {}
