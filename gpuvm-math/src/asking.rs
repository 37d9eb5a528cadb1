//! Questions of a VM to the host.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm_macros::routine;

/// What the slot of a VM says whose answer is there.
const ANSWERED: u32 = u32::MAX;

/// Puts the words of a question of VM `vm`, asked at a site, where `gpuvm_core::program::Questions` says, and waits until the host has put those of
/// the answer in their place.
#[routine(library)]
pub fn ask(questions: &[AtomicU32], vm: u32, site: u32, words: &mut [u32]) {
    let slot = (1 + vm * questions[0].load(Ordering::Relaxed)) as usize;
    for i in 0..words.len() {
        questions[slot + 1 + i].store(words[i], Ordering::Relaxed);
    }
    questions[slot].store(site + 1, Ordering::Relaxed);
    while questions[slot].load(Ordering::Relaxed) != ANSWERED {
        intrinsics::block();
    }
    for i in 0..words.len() {
        words[i] = questions[slot + 1 + i].load(Ordering::Relaxed);
    }
    questions[slot].store(0, Ordering::Relaxed);
}

/// What the macro turns into an instruction.
mod intrinsics {
    pub fn block() {
        unreachable!("only a VM waits for an answer")
    }
}
