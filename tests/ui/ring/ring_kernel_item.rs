//! #[ring_kernel] on something else.

#![allow(unused)]

use gpuvm::prelude::*;

#[ring_kernel]
struct Ledger;

fn main() {}
