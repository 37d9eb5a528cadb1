//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering, AtomicU64};
#[routine]
fn f(bins: &[AtomicU32], x: u32) { bins[x as usize].fetch_add(1, Ordering::Relaxed); }
#[routine]
fn g(bins: &[AtomicU64], x: u32) { bins[x as usize].fetch_add(1, Ordering::Relaxed); }
fn main() {}
