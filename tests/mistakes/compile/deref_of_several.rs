//! Mistakes at what is behind several `Deref`s.

#![allow(unused)]

use std::ops::Deref;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Counter {
    hits: u32,
}

impl Counter {
    fn mean(&self) -> u32 {
        self.hits / 2
    }
}

#[derive(VmType, Clone, Copy)]
struct Named {
    counter: Counter,
}

#[routine]
impl Deref for Named {
    type Target = Counter;
    fn deref(&self) -> &Counter {
        &self.counter
    }
}

#[derive(VmType, Clone, Copy)]
struct Owned {
    named: Named,
}

#[routine]
impl Deref for Owned {
    type Target = Named;
    fn deref(&self) -> &Named {
        &self.named
    }
}

#[routine]
fn no_routine(owned: Owned) -> u32 {
    owned.mean()
//~ «mean» this method of `Counter` is not a #[routine]
}

#[routine]
fn nothing(owned: Owned) -> u32 {
    owned.nothing()
//~ «nothing» no method named `nothing` found for struct `Owned` in the current scope
}

#[routine]
fn no_field(owned: Owned) -> u32 {
    owned.misses
//~ «misses» no field `misses` on type `Owned`
}

fn main() {}
