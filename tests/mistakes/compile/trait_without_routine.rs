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
//~ «Score» a routine cannot call `score` on what is known by `Score` alone; put `#[routine]` above the trait `Score`
    x.score() + 1
}

#[routine]
fn by_a_clause<T>(x: &mut T) -> u32
where
    T: Score,
//~ «Score» a routine cannot call `score` on what is known by `Score` alone; put `#[routine]` above the trait `Score`
{
    x.score() + x.score()
}

#[routine]
fn by_impl(x: &impl Score) -> u32 {
//~ «Score» a routine cannot call `score` on what is known by `Score` alone; put `#[routine]` above the trait `Score`
    x.score()
}

#[routine]
fn by_path_of_a_bound<T: Score + VmType>(x: T) -> u32 {
//~ «Score» a routine cannot call `best` on what is known by `Score` alone; put `#[routine]` above the trait `Score`
    T::best()
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
