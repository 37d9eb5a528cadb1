//! Which edges a guest has taken: a bit for each, by a hash of both ends, as fuzzers have them.

use gpuvm::build::{Body, Value};
use gpuvm::prelude::*;

use super::layout::{PAGES, PROGRAM, coverage_start};

/// The bit of an edge in a map of `1 << bits` bits.
#[routine(callee)]
pub(crate) fn edge(from: u32, to: u32, bits: u32) -> u32 {
    let mixed = from.wrapping_mul(0x9e37_79b1) ^ to.wrapping_mul(0x85eb_ca77);
    (mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d) >> (32 - bits)
}

/// The same in translated code, of an address that is only known there.
pub(crate) fn edge_of<'b>(f: &'b Body, from: u32, to: Value<'b, u32>, bits: u32) -> Value<'b, u32> {
    let mixed = (to * 0x85eb_ca77) ^ f.constant(from.wrapping_mul(0x9e37_79b1));
    ((mixed ^ (mixed >> 15)) * 0x2c1b_3c6d) >> (32 - bits)
}

/// Whose maps are looked at.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Maps {
    /// The first guest.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// Words of a guest's chunk.
    pub chunk: u32,
}

/// The word of the VM's number of the maps of some guests, all their edges together.
#[routine(id = "gpuvm-guest.edges")]
pub(crate) fn edges(all: &[u32], shared: &[u32], maps: Maps) -> u32 {
    let mut word = 0;
    for guest in maps.first..maps.first.wrapping_add(maps.count) {
        let chunk = guest.wrapping_mul(maps.chunk);
        let program = all[chunk.wrapping_add(PROGRAM as u32) as usize] as usize;
        let at = coverage_start(shared[program + PAGES]).wrapping_add(vm::id());
        word |= all[chunk.wrapping_add(at) as usize];
    }
    word
}

/// How many edges a guest has taken that are not among the known ones.
#[routine(id = "gpuvm-guest.new-edges")]
pub(crate) fn new_edges(own: &mut [u32], shared: &[u32], known: &[u32]) -> u32 {
    let start = coverage_start(shared[own[PROGRAM] as usize + PAGES]) as usize;
    let mut count = 0u32;
    for i in 0..known.len() {
        count = count.wrapping_add((own[start.wrapping_add(i)] & !known[i]).count_ones());
    }
    count
}
