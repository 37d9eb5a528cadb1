//! A program of 500 routines, and a routine of 300 lines.

use gpuvm::prelude::*;

include!(concat!(env!("OUT_DIR"), "/large.rs"));

cases! {
    five_hundred_routines,
    three_hundred_lines,
}
