//! gpuvm under another name, and through another crate's re-export.

extern crate gpuvm as machine;

/// As a crate would do that hands gpuvm on.
mod engine {
    pub mod vm {
        pub use gpuvm::*;
    }
}

use machine::prelude::*;

#[derive(VmType, Clone, Copy)]
#[vm_type(crate = machine)]
struct Point<T> {
    x: T,
}

/// The routines that std's derived traits need are found through the path, too.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[vm_type(crate = machine)]
struct Rank {
    major: u32,
    minor: u32,
}

#[derive(VmType, Clone, Copy)]
#[vm_type(crate = machine)]
struct Digits<'a> {
    bytes: &'a [u8],
    at: usize,
}

#[routine(crate = machine)]
impl Iterator for Digits<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(u32::from(byte - b'0'))
    }
}

#[derive(RingMessage, Clone, Copy)]
#[vm_type(crate = crate::engine::vm)]
enum Note {
    Up,
    Down(u32),
}

#[routine(crate = machine)]
impl<T: VmType> Point<T> {
    fn x(self) -> T {
        self.x
    }
}

#[routine(crate = machine)]
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

#[routine(crate = crate::engine::vm)]
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

    #[routine(crate = machine, callee)]
    pub fn sine(x: f32) -> f32 {
        x.sin()
    }
}

#[routine(id = "point", crate = machine)]
fn point(x: f32, all: &[f32]) -> f32 {
    #[routine(crate = machine)]
    fn twice(x: f32) -> f32 {
        2.0 * x
    }
    twice(inner::sine(Point { x }.x())) + all[vm::id() as usize]
}

#[routine(crate = crate::engine::vm)]
fn ranked(n: u32) -> Option<u32> {
    let best = [Rank { major: n, minor: 1 }, Rank::default()].into_iter().max()?;
    let sum: u32 = Digits { bytes: b"123", at: 0 }.map(|digit| digit * 2).sum();
    assert!(best.major < 1000, "{best:?} is too large");
    println!("{sum} of {best:?}");
    (Note::Down(sum).above(&Note::Up) && best >= Rank::default()).then_some(sum)
}

#[ring_kernel(crate = crate::engine::vm, sends = 2)]
fn count(sum: &mut u32, note: Note, ctx: &mut Ring) -> Option<Note> {
    *sum += note.size();
    ctx.send(ctx.actor(), Note::Up);
    None
}

fn main() {
    assert_eq!(point(0.0, &[1.0]), 1.0);
    assert_eq!(ranked(1), Some(12));
}
