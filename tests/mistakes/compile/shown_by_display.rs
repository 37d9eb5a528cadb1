//! A `Display` of the user's is not called on a VM.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Meters(f32);

impl std::fmt::Display for Meters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} m", self.0)
    }
}

#[routine]
fn told(x: f32) -> f32 {
    let way = Meters(x);
    println!("{way}");
//~ «"{way}"» a text inside a #[routine] shows `Meters` as `{:?}` … write `{:?}`, or show its fields: a `Display` of your own is not called on a VM
    println!("{} {x}", way);
//~ «way» a text inside a #[routine] shows `Meters` as `{:?}` … write `{:?}`, or show its fields: a `Display` of your own is not called on a VM
    way.0
}

fn main() {}
