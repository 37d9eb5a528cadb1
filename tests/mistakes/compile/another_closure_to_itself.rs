//! A method that is given a closure and calls itself, on another value than `self`, with another closure, or with a copy.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Walk {
    left: u32,
}

#[routine]
impl Walk {
    fn visit(&self, found: &mut impl FnMut(u32)) {
        if self.left > 0 {
            let less = Walk { left: self.left - 1 };
            less.visit(&mut |left| found(left + 1));
            //~ «visit» has to hand that closure on as it is … name the parameter itself
        }
    }

    fn count(&self, mut found: impl FnMut(u32) + Copy) {
        found(self.left);
        if self.left > 0 {
            let less = Walk { left: self.left - 1 };
            less.count(found);
            //~ «count» would hand a copy of this closure's variables on … `&mut impl FnMut(…)`
        }
    }
}

fn main() {}
