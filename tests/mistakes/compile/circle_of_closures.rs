//! Methods that hand a closure to each other in a circle.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Walk {
    left: u32,
}

#[routine]
impl Walk {
    fn even(&mut self, found: &mut impl FnMut(u32)) {
        if self.left > 0 {
            self.left -= 1;
            self.odd(found);
        }
    }

    fn odd(&mut self, found: &mut impl FnMut(u32)) {
        found(self.left);
        if self.left > 0 {
            self.left -= 1;
            self.even(found);
            //~ «even» call each other in a circle … make one method of them, which may call itself
        }
    }

    fn both(&mut self, found: &mut impl FnMut(u32)) {
        self.once(found);
        self.once(found);
    }

    fn once(&mut self, found: &mut impl FnMut(u32)) {
        found(self.left);
    }
}

#[routine]
fn walk(left: u32) -> u32 {
    let mut sum = 0;
    Walk { left }.both(&mut |left| sum += left);
    sum
}

fn main() {}
