//! Where in a job's arena what is, what it starts with, and what comes back of it.

use std::ops::Range;
use std::sync::Arc;

use gpuvm_core::program::ParamSlot;
use gpuvm_core::types::{Context, VmType};

use super::super::batch::{Batch, Mail};
use super::{CONTEXT_WORDS, MAIL_WORDS, MESSAGES_WITH_ROOM, OnDevice, States};
use crate::engine::{Job, Slot, Source, Words};

/// Where in a job's arena what is.
pub struct Layout {
    pub mail: Range<usize>,
    pub messages: Range<usize>,
    /// The VMs' contexts, if the handler has one.
    pub contexts: Range<usize>,
    /// The states, if the engine has no memory for them.
    pub states: Range<usize>,
    pub answers: Range<usize>,
    /// How many messages each VM has handled.
    pub handled: Range<usize>,
    /// What each VM has room for to send.
    pub letters: Range<usize>,
    /// How many messages there are.
    pub count: usize,
    /// How many messages each VM may send.
    pub room: usize,
}

impl Layout {
    /// The layout of a job for some of a batch's mail.
    pub fn new(actors: &OnDevice, mail: &[Mail], batch: &Batch) -> Layout {
        let longest = mail.iter().map(|mail| mail.end - mail.first).max().unwrap_or_default();
        let room = actors.sends * MESSAGES_WITH_ROOM.min(longest as usize);
        let mail = mail.len();
        let mut end = 0;
        let mut next = |words: usize| {
            end += words;
            end - words..end
        };
        Layout {
            mail: next(mail * MAIL_WORDS),
            messages: next(batch.words.len()),
            // What the host wants back lies together.
            contexts: next(if actors.sends > 0 { mail * CONTEXT_WORDS } else { 0 }),
            states: next(actors.states.on_host().len()),
            answers: next(batch.places.len() * actors.answer_words),
            handled: next(mail),
            letters: next(mail * room * actors.letter_words),
            room,
            count: batch.places.len(),
        }
    }

    /// The job.
    pub fn job(&self, actors: &OnDevice, mail: u32) -> Job {
        let slot = |at: &Range<usize>, length: usize| Slot {
            place: ParamSlot {
                base: at.start as u32,
                stride: 0,
                length: length as u32,
                reserved: 0,
            },
            region: None,
        };
        let mut states = slot(&self.states, actors.actors as usize);
        if let States::Engine(_, region) = &actors.states {
            states.place.base = 0;
            states.region = Some(region.clone());
        }
        let own = |at: &Range<usize>, words: usize, length: usize| {
            let mut slot = slot(at, length);
            slot.place.stride = words as u32;
            slot
        };
        let end = self.letters.end;
        let mut slots = vec![
            states,
            slot(&self.mail, mail as usize),
            slot(&self.messages, self.count),
            slot(&self.answers, self.count),
            slot(&self.handled, mail as usize),
        ];
        if actors.sends > 0 {
            slots.push(own(&self.contexts, CONTEXT_WORDS, 1));
            slots.push(own(&self.letters, self.room * actors.letter_words, self.room));
        }
        slots.push(slot(&(end..end), 0));
        Job {
            program: Arc::clone(&actors.program),
            first_vm: 0,
            vms: mail,
            vm_count: mail,
            slots,
            changed: std::iter::once(self.contexts.start..end).collect(),
            arena_words: end,
            atomics: Vec::new(),
            atomic_regions: Vec::new(),
            steps: 1,
            copies: Vec::new(),
            neighbours: None,
        }
    }
}

/// What a job's arena starts with.
pub struct Content<'b> {
    pub layout: &'b Layout,
    pub states: &'b [u32],
    pub mail: &'b [Mail],
    pub messages: &'b [u32],
    pub now: u64,
}

impl Source for Content<'_> {
    fn words(&self) -> usize {
        self.layout.letters.end
    }

    fn filled(&self) -> usize {
        self.layout.states.end
    }

    fn write(&self, range: Range<usize>, words: &mut [u32]) {
        let mut part = |own: &Range<usize>, copy: &mut dyn FnMut(usize, &mut [u32])| {
            let (start, end) = (own.start.max(range.start), own.end.min(range.end));
            if start < end {
                copy(start - own.start, &mut words[start - range.start..end - range.start]);
            }
        };
        part(&self.layout.mail, &mut |from, words| {
            for (at, word) in (from..).zip(words) {
                let Mail { actor, first, end } = self.mail[at / MAIL_WORDS];
                *word = [actor, first, end][at % MAIL_WORDS];
            }
        });
        let mut context = [0; CONTEXT_WORDS];
        let now = self.now;
        Context {
            now,
            ..Context::default()
        }
        .write_words(&mut context);
        part(&self.layout.contexts, &mut |from, words| {
            for (at, word) in (from..).zip(words) {
                *word = context[at % CONTEXT_WORDS];
            }
        });
        let copy = |all: &[u32], from: usize, words: &mut [u32]| words.copy_from_slice(&all[from..from + words.len()]);
        part(&self.layout.messages, &mut |from, words| {
            copy(self.messages, from, words)
        });
        part(&self.layout.states, &mut |from, words| copy(self.states, from, words));
        let zeros = self.layout.answers.start..self.layout.letters.end;
        part(&zeros, &mut |_, words| words.fill(0));
    }
}

/// What a job has left.
pub struct Left<'l> {
    pub layout: &'l Layout,
    /// The words from the contexts on.
    pub words: Words,
}

impl Left<'_> {
    /// A part of the arena.
    pub fn part(&self, range: &Range<usize>) -> &[u32] {
        &self.words[self.place(range)]
    }

    /// What a VM has left of its context.
    pub fn context(&self, vm: usize) -> Context {
        let contexts = self.part(&self.layout.contexts);
        let own = contexts.get(vm * CONTEXT_WORDS..(vm + 1) * CONTEXT_WORDS);
        own.map_or(Context::default(), Context::read_words)
    }

    /// What a VM has sent, so many messages of so many words each with their actors.
    pub fn letters(&self, vm: usize, sent: u32, words: usize) -> impl Iterator<Item = &[u32]> {
        let all = self.part(&self.layout.letters);
        let own = &all[vm * self.layout.room * words..];
        own.chunks_exact(words).take(sent as usize)
    }

    /// The answers, where they lie.
    pub fn into_answers(self) -> Words {
        let place = self.place(&self.layout.answers);
        self.words.part(place)
    }

    fn place(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.layout.contexts.start;
        range.start - start..range.end - start
    }
}
