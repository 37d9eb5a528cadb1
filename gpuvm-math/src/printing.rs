//! Printing from a VM.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm_macros::routine;

/// Writes the words of a text's values, which VM `vm` prints at a site, to a log, as `gpuvm_core::program::Log` says where, while there is
/// room.
#[routine(library)]
pub fn print(log: &[AtomicU32], vm: u32, site: u32, words: &[u32]) {
    let before = log[(5 + vm) as usize].fetch_add(1, Ordering::Relaxed);
    if before >= log[1].load(Ordering::Relaxed) {
        return;
    }
    let entry = log[0].fetch_add(1, Ordering::Relaxed);
    if entry >= log[2].load(Ordering::Relaxed) {
        return;
    }
    let at = (5 + log[4].load(Ordering::Relaxed) + entry * log[3].load(Ordering::Relaxed)) as usize;
    log[at].store(vm, Ordering::Relaxed);
    log[at + 1].store(site, Ordering::Relaxed);
    for i in 0..words.len() {
        log[at + 2 + i].store(words[i], Ordering::Relaxed);
    }
}
