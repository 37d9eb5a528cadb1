//! Functions of std's that ask the host, which a VM cannot.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn pause(x: u32) -> u32 {
    std::process::exit(3)
//~ «std» is std's, and cannot be called inside a #[routine] … call it on the host and hand the routine what it gives
}

#[routine]
fn home(x: u32) -> bool {
    std::env::var("HOME").is_ok()
//~ «std» is std's, and cannot be called inside a #[routine] … a VM has no files, threads, clock or environment, and no heap
}

#[routine]
fn file(x: u32) -> u32 {
    let bytes = std::fs::read("numbers").unwrap();
//~ «std» is std's, and cannot be called inside a #[routine] … call it on the host and hand the routine what it gives
    bytes.len() as u32 + x
}

fn main() {}
