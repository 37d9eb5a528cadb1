//! A macro of the body names a variable that another one hides where it is called.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn scaled(list: &[u32], by: u32) -> u32 {
    let total: u32 = list.iter().sum();
    macro_rules! share {
        ($of:expr) => {
            $of * by / total
        };
    }
    let before = share!(list[0]);
    let by = by + 1;
    before + share!(list[1])
    //~ «share» `share!` names the `by` of where it is defined, and here is another `by`, which the routine would take … give one of them another name
}

/// A variable of the macro's own, and one that is hidden where it is not called.
#[routine]
fn swapped(mut a: u32, mut b: u32) -> u32 {
    let factor = 3;
    macro_rules! swap {
        ($x:expr, $y:expr) => {
            let kept = $x * factor;
            $x = $y;
            $y = kept;
        };
    }
    let kept = b;
    if let Some(factor) = a.checked_sub(b) {
        a = factor;
    }
    swap!(a, b);
    for factor in 0..kept % 3 {
        a += factor;
    }
    a + b
}

fn main() {}
