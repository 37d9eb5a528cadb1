//! What asks the host, by whichever path it is named; and modules of the user's of such a name.

#![allow(unused)]

use gpuvm::prelude::*;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

#[routine]
fn pause(x: u32) -> u32 {
    std::thread::sleep(std::time::Duration::from_millis(5));
//~ «std» `fn(Duration) {std::thread::sleep}` is std's, and cannot be called inside a #[routine] … a VM has no files, threads, clock or environment
    x
}

#[routine]
fn pause_by_import(x: u32) -> u32 {
    thread::yield_now();
//~ «thread» `fn() {std::thread::yield_now}` is not a routine … a VM has no files, threads, clock or environment
    x
}

#[routine]
fn pause_by_import_inside(x: u32) -> u32 {
    use std::thread;
    thread::yield_now();
//~ «thread» `fn() {std::thread::yield_now}` is std's, and cannot be called inside a #[routine] … a VM has no files, threads, clock or environment
    x
}

#[routine]
fn clock(x: u32) -> u32 {
    let start = Instant::now();
//~ «Instant» `Instant` cannot be used inside a #[routine] … ask it before the launch, and hand the routine what it says
    start.elapsed().as_secs() as u32
}

#[routine]
fn clock_by_path(x: u32) -> u32 {
    let start = std::time::Instant::now();
//~ «std» `Instant` cannot be used inside a #[routine] … ask it before the launch, and hand the routine what it says
    start.elapsed().as_millis() as u32
}

#[routine]
fn file(x: u32) -> u32 {
    fs::read("a").unwrap().len() as u32
//~ «fs» {std::fs::read::<_>}` is not a routine … a VM has no files, threads, clock or environment
}

#[routine]
fn file_by_import_inside(x: u32) -> bool {
    use std::fs;
    fs::read("a").is_ok()
//~ «fs» {std::fs::read::<_>}` is std's, and cannot be called inside a #[routine] … a VM has no files, threads, clock or environment
}

#[routine]
fn arguments(x: u32) -> u32 {
    env::args().count() as u32
//~ «env» {std::env::args}` is not a routine … a VM has no files, threads, clock or environment
}

mod own {
    use gpuvm::prelude::*;

    mod thread {
        use gpuvm::prelude::*;

        #[routine]
        pub fn sleep(x: u32) -> u32 {
            x
        }
    }

    #[routine]
    fn pause(x: u32) -> u32 {
        thread::sleep(x)
    }
}

fn main() {}
