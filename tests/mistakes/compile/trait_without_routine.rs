//! A trait that is none of routines, as a bound and of a type.

#![allow(unused)]

use gpuvm::prelude::*;

trait Score {
    fn score(&self) -> u32;
    fn best() -> u32;
}

impl Score for u32 {
    fn score(&self) -> u32 {
        *self
    }

    fn best() -> u32 {
        9
    }
}

#[routine]
fn by_bound<T: Score + VmType>(x: T) -> u32 {
    x.score() + 1
//~ «score» this method of `T` is not a #[routine] … put `#[routine]` above the `impl` block that defines the method, and above the `trait` if it is one's
}

#[routine]
fn by_path_of_a_bound<T: Score + VmType>(x: T) -> u32 {
    T::best()
//~ «T» this method of `T` is not a #[routine] … put `#[routine]` above the `impl` block that defines the method, and above the `trait` if it is one's
}

#[routine]
fn of_a_type(x: u32) -> u32 {
    x.score()
//~ «score» this method of `u32` is not a #[routine] … put `#[routine]` above the `impl` block that defines the method, and above the `trait` if it is one's
}

#[routine]
fn by_path_of_a_type(x: u32) -> u32 {
    u32::best()
//~ «u32» this method of `u32` is not a #[routine] … put `#[routine]` above the `impl` block that defines the method, and above the `trait` if it is one's
}

fn main() {}
