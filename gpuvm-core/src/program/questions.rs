//! What VMs ask the host by `vm::ask`. A program that asks has one more launch parameter behind its routine's own, and behind the
//! [log](super::Log) if it prints, too: a slice of atomics with a *slot* for each VM. A VM that asks puts its question there and is
//! [blocked](super::Status::Blocked) until the host has put the answer in its place.
//!
//! | words | are |
//! |---|---|
//! | 0 | words of a slot |
//! | first of a slot | 0, or 1 more than the site of the question, or [`ANSWERED`] |
//! | the others of a slot | the words of the question or of the answer |

use std::ops::Range;

use super::Program;
use crate::routine::{Asking, Cause};

/// Words before the slots.
const HEAD: usize = 1;
/// Words of a slot before those of the question.
const SLOT_HEAD: usize = 1;
/// What a slot says whose answer is there.
const ANSWERED: u32 = u32::MAX;

/// The questions of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Questions<'p> {
    program: &'p Program,
    slot: usize,
}

/// A question that waits for its answer.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Who asks, counted from the launch's first VM.
    pub vm: u32,
    /// Of what types question and answer are.
    pub asking: Asking,
    /// The question.
    pub words: Vec<u32>,
}

impl<'p> Questions<'p> {
    /// Those of a program; `None` if it does not ask.
    pub fn of(program: &'p Program) -> Option<Questions<'p>> {
        let words = program.sites.iter().filter_map(|site| match site.cause {
            Cause::Ask(asking) => Some(asking.words()),
            _ => None,
        });
        Some(Questions {
            program,
            slot: SLOT_HEAD + words.max()? as usize,
        })
    }

    /// How many words so many VMs need.
    pub fn words(&self, vms: u32) -> u64 {
        HEAD as u64 + self.slot as u64 * u64::from(vms)
    }

    /// The words before anybody has asked.
    pub fn empty(&self, vms: u32) -> Vec<u32> {
        let mut words = vec![0; self.words(vms) as usize];
        words[0] = self.slot as u32;
        words
    }

    /// The questions in the words that wait for an answer, in the order of the VMs.
    pub fn asked(&self, words: &[u32]) -> Vec<Asked> {
        let slots = words.get(HEAD..).unwrap_or_default().chunks_exact(self.slot);
        let all = slots.zip(0..).filter_map(|(slot, vm)| self.asked_in(slot, vm));
        all.collect()
    }

    /// How many answers in the words have not been taken yet.
    pub fn answers(&self, words: &[u32]) -> usize {
        let slots = words.get(HEAD..).unwrap_or_default().chunks_exact(self.slot);
        slots.filter(|slot| slot[0] == ANSWERED).count()
    }

    /// Where the slot of a VM is in the words.
    pub fn slot_of(&self, vm: u32) -> Range<usize> {
        let first = HEAD + vm as usize * self.slot;
        first..first + self.slot
    }

    /// The question in a VM's slot, if it waits for an answer.
    pub fn asked_in(&self, slot: &[u32], vm: u32) -> Option<Asked> {
        let site = slot.first()?.checked_sub(1).filter(|_| slot[0] != ANSWERED)?;
        let Cause::Ask(asking) = self.program.sites.get(site as usize)?.cause else {
            return None;
        };
        let words = slot
            .get(SLOT_HEAD..SLOT_HEAD + asking.question.words as usize)?
            .to_vec();
        Some(Asked { vm, asking, words })
    }

    /// The words that a slot begins with whose answer is there.
    pub fn answered(&self, answer: &[u32]) -> Vec<u32> {
        let mut slot = vec![ANSWERED];
        slot.extend(answer.iter().take(self.slot - SLOT_HEAD));
        slot
    }
}
