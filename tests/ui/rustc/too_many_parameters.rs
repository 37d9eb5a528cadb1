//! A launch of a routine with more parameters than a launch can give.

#![allow(unused, clippy::too_many_arguments)]

use gpuvm::prelude::*;

#[routine]
fn many(a: u32, b: u32, c: u32, d: u32, e: u32, f: u32, g: u32, h: u32, i: u32, j: u32, k: u32, l: u32, m: u32) -> u32 {
    a + m
}

fn launch(runtime: &Runtime) -> gpuvm::Result<()> {
    many::launch(runtime, &[1u32], 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)?;
//~ «&[1u32]» this routine cannot be launched: it has more than 12 parameters, or more than 8 that are `&mut` … make one struct with `#[derive(VmType, Clone, Copy)]` of some of them
    Ok(())
}

fn main() {}
