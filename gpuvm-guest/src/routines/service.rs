//! What the host does with guests' memory between two runs, all guests at once: it begins them, reads and writes their memory, and copies one into others.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm::prelude::*;

use super::layout::{CHANGES, COVERAGE, OWN_TABLE, PAGES, PROGRAM, TABLE, USED, coverage_start, coverage_words};
use super::memory::Memory;

/// Edits of this kind begin a guest anew, of the program whose header is at the word that follows.
pub(crate) const BEGIN: u32 = 0;
/// An address, how many bytes, and the bytes, four a word.
pub(crate) const WRITE_BYTES: u32 = 1;
/// An address, how many bytes, what may be done with the pages, and 1 if they are new.
pub(crate) const PROTECT: u32 = 2;

/// A part of a list.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Span {
    pub from: u32,
    pub count: u32,
}

#[routine]
impl Span {
    /// Whether a place is in it.
    pub fn has(self, place: u32) -> bool {
        place.wrapping_sub(self.from) < self.count
    }
}

/// Carries out a guest's edits, and says how many of them it was not allowed.
#[routine(id = "gpuvm-guest.edit")]
pub(crate) fn edit(own: &mut [u32], shared: &[u32], edits: &[u32], span: Span) -> u32 {
    let mut at = span.from as usize;
    let end = at.wrapping_add(span.count as usize);
    let mut refused = 0u32;
    while at < end {
        let address = edits[at + 1];
        match edits[at] {
            BEGIN => {
                begin(own, shared, address as usize);
                at += 2;
            }
            WRITE_BYTES => {
                let bytes = edits[at + 2];
                let mut memory = Memory::new(own, shared);
                write(&mut memory, address, bytes, edits, at + 3);
                memory.close();
                refused = refused.wrapping_add(u32::from(memory.fault != 0));
                at = at.wrapping_add(3).wrapping_add(bytes.div_ceil(4) as usize);
            }
            _ => {
                let mut memory = Memory::new(own, shared);
                memory.protect(address, edits[at + 2], edits[at + 3], edits[at + 4] != 0);
                memory.close();
                at += 5;
            }
        }
    }
    refused
}

#[routine(callee)]
fn begin(own: &mut [u32], shared: &[u32], program: usize) {
    own[PROGRAM] = program as u32;
    own[USED] = 0;
    own[CHANGES] = 0;
    let table = shared[program + TABLE];
    for page in 0..shared[program + PAGES] {
        own[OWN_TABLE.wrapping_add(page) as usize] = shared[table.wrapping_add(page) as usize];
    }
    let map = coverage_start(shared[program + PAGES]);
    for word in 0..coverage_words(shared[program + COVERAGE]) {
        own[map.wrapping_add(word) as usize] = 0;
    }
    let mut memory = Memory::new(own, shared);
    memory.prepare();
    memory.close();
}

/// Writes bytes that are in a list from `at` on, until it may not.
#[routine(callee)]
fn write(memory: &mut Memory<'_>, address: u32, bytes: u32, list: &[u32], at: usize) {
    let mut done = 0u32;
    while done < bytes && memory.fault == 0 {
        let word = list[at.wrapping_add((done >> 2) as usize)] >> ((done & 3) * 8);
        let place = address.wrapping_add(done);
        if done & 3 == 0 && bytes.wrapping_sub(done) > 3 {
            memory.store(place, 2, word);
            done = done.wrapping_add(4);
        } else {
            memory.store(place, 0, word);
            done = done.wrapping_add(1);
        }
    }
}

/// Copies bytes of a guest's memory, as many as there are and as `out` has room for, and says how many.
#[routine(id = "gpuvm-guest.peek")]
pub(crate) fn peek(own: &mut [u32], shared: &[u32], span: Span, out: &mut [u32]) -> u32 {
    if span.count == 0 {
        return 0;
    }
    let mut memory = Memory::new(own, shared);
    let room = (out.len() as u32).wrapping_mul(4);
    let bytes = span.count.min(room);
    let mut done = 0u32;
    while done < bytes {
        let at = (done >> 2) as usize;
        let place = span.from.wrapping_add(done);
        if done & 3 == 0 && bytes.wrapping_sub(done) > 3 {
            let word = memory.load(place, 2);
            if memory.fault == 0 {
                out[at] = word;
                done = done.wrapping_add(4);
                continue;
            }
            // Some of its bytes may be there.
            memory.fault = 0;
        }
        let byte = memory.load(place, 0);
        if memory.fault != 0 {
            break;
        }
        let before = if done & 3 == 0 { 0 } else { out[at] };
        out[at] = before | byte << ((done & 3) * 8);
        done = done.wrapping_add(1);
    }
    done
}

/// A word of a guest's chunk, which begins there.
#[routine(id = "gpuvm-guest.take")]
pub(crate) fn take(all: &[u32], first: u32) -> u32 {
    all[first.wrapping_add(vm::id()) as usize]
}

/// Puts a word back there.
#[routine(id = "gpuvm-guest.put")]
pub(crate) fn put(all: &[AtomicU32], first: u32, word: u32) {
    all[first.wrapping_add(vm::id()) as usize].store(word, Ordering::Relaxed);
}

/// Makes each guest of a range what another one is, whose chunk `of` is, as far as it is in use.
#[routine(id = "gpuvm-guest.fork")]
pub(crate) fn fork(own: &mut [u32], of: &[u32], into: Span) {
    if into.has(vm::id()) {
        for (word, is) in own.iter_mut().zip(of) {
            *word = *is;
        }
    }
}
