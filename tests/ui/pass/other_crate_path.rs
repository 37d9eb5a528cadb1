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
    fn size(&self) -> u32;
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

#[ring_kernel(crate = crate::engine::vm, sends = 2)]
fn count(sum: &mut u32, note: Note, ctx: &mut Ring) -> Option<Note> {
    *sum += note.size();
    ctx.send(ctx.actor(), Note::Up);
    None
}

fn main() {
    assert_eq!(point(0.0, &[1.0]), 1.0);
}
