//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering, AtomicU8};
#[routine]
fn f(bins: &[AtomicU32], x: u32) { bins[x as usize].fetch_add(1, Ordering::Relaxed); }
#[routine]
fn g(bins: &[AtomicU8], x: u32) { bins[x as usize].fetch_add(1, Ordering::Relaxed); }
//~ «AtomicU8» `AtomicU8` cannot be a value of the machine … if `AtomicU8` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
//~ «fetch_add» `AtomicU8` cannot be used inside a #[routine] … if `AtomicU8` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
fn main() {}
