//! Programs of which an invocation runs several VMs: what a VM stores, and what it adds to atomics, is left for when all of them have run. So
//! no store stands between the loads of two VMs, past which a device's compiler would not bring them, and all are under way at once.
//!
//! That changes nothing as long as each way through the program stores the same words of the VM's own parts of launch parameters, and a VM
//! that traps does so before it stores anything. Of what does more, [`Emitter::fits_later`] says so.

use std::collections::BTreeMap;

use gpuvm_core::program::Status;
use naga::{BinaryOperator, Function};

use super::super::base::THEN;
use super::super::code::{Code, Node};
use super::state::Frame;
use super::{Emitter, Start};

/// What a VM does when it has run.
#[derive(Debug)]
pub struct Later {
    /// Each word that it leaves, in order.
    words: Vec<Word>,
    /// Whether it does nothing before.
    fits: bool,
}

/// A word that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// It is stored at this word of the VM's part of a launch parameter.
    Stored(u32, u32),
    /// It is the number of an atomic.
    Atomic,
    /// It is added to the atomic whose number is in front of it.
    Added,
}

impl Default for Later {
    fn default() -> Later {
        Later {
            words: Vec::new(),
            fits: true,
        }
    }
}

/// The variable that has the words.
const LEFT: &str = "left_for_later";

impl Emitter<'_> {
    /// Whether stores are left for later.
    fn leaves_for_later(&self) -> bool {
        self.start == Start::Several
    }

    /// Notes that the program does what must not wait.
    pub fn hurry(&mut self) {
        self.later.fits = false;
    }

    /// The variable of a word that is left.
    fn left(&mut self, index: usize) -> Node {
        let left = self.code.global(LEFT);
        self.code.part(left, index as u32)
    }

    /// Where to keep a word that would be stored at an arena offset, `word` plus a constant; `None` where it is to be stored at once.
    pub fn kept_for_later(&mut self, word: u32, constant: u32) -> Option<Node> {
        if !self.leaves_for_later() {
            return None;
        }
        let value = self.read(word);
        let place = self
            .place_of(&value)
            .filter(|_| !self.within && self.is_inside(&value, constant));
        let Some((param, at)) = place else {
            self.hurry();
            return None;
        };
        let stored = Word::Stored(param, at.wrapping_add(constant));
        let known = self.later.words.iter().position(|known| *known == stored);
        let index = known.unwrap_or_else(|| {
            self.later.words.push(stored);
            self.later.words.len() - 1
        });
        Some(self.left(index))
    }

    /// The word at an arena offset, `word` plus a constant, if it is left to be stored.
    pub fn stored_later(&mut self, word: u32, constant: u32) -> Option<Node> {
        let is_stored = |word: &Word| matches!(word, Word::Stored(..));
        if !self.later.words.iter().any(is_stored) {
            return None;
        }
        let value = self.read(word);
        let Some((param, at)) = self.place_of(&value) else {
            // It may be any of them.
            self.hurry();
            return None;
        };
        let stored = Word::Stored(param, at.wrapping_add(constant));
        let index = self.later.words.iter().position(|known| *known == stored)?;
        Some(self.left(index))
    }

    /// Leaves an addition to an atomic for later, if that is to be; false if it is to be made at once.
    pub fn is_added_later(&mut self, number: Node, value: Node) -> bool {
        if !self.leaves_for_later() || self.within {
            self.hurry();
            return false;
        }
        for (word, value) in [(Word::Atomic, number), (Word::Added, value)] {
            self.later.words.push(word);
            let left = self.left(self.later.words.len() - 1);
            self.code.store(left, value);
        }
        true
    }

    /// Notes that the VM may trap from here on.
    pub fn may_trap_later(&mut self) {
        if !self.later.words.is_empty() {
            self.hurry();
        }
    }

    /// Whether all of that can wait.
    pub fn fits_later(&self) -> bool {
        self.later.fits && !self.about.suspends && !matches!(self.frame, Frame::Memory)
    }

    /// The program's function, the one that stores and adds what it leaves, and how many words that is.
    pub fn finish(&mut self) -> (Function, Function, u32) {
        let run = self.finished();
        let words = std::mem::take(&mut self.later.words);
        let mut places: BTreeMap<u32, Node> = BTreeMap::new();
        for (index, word) in words.iter().enumerate() {
            let left = self.left(index);
            match *word {
                Word::Stored(param, at) => {
                    let place = match places.get(&param) {
                        Some(place) => *place,
                        None => self.place(param),
                    };
                    places.insert(param, place);
                    let (at, arena) = (self.code.word(at), self.code.global("arena"));
                    let offset = self.code.binary(BinaryOperator::Add, place, at);
                    let (to, value) = (self.code.element(arena, offset), self.code.load(left));
                    self.code.store(to, value);
                }
                Word::Atomic => {
                    let value = self.left(index + 1);
                    let (number, value) = (self.code.load(left), self.code.load(value));
                    self.code.invoke("add_to_atomic", &[number, value]);
                }
                Word::Added => self.about.adds = true,
            }
        }
        self.code.give(Status::Halted as u32);
        (run, self.finished(), words.len() as u32)
    }

    /// The function at hand. What is written from here on is another one.
    fn finished(&mut self) -> Function {
        let then = Code::new(self.base, THEN, "launch");
        std::mem::replace(&mut self.code, then).finish()
    }
}
