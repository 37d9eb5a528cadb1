//! Where in a job's arena what is, what it starts with, and what comes back of it.

use std::ops::Range;
use std::sync::Arc;

use gpuvm_core::program::ParamSlot;
use gpuvm_engine::{Job, Slot, Source, Words};

use super::super::batch::{Batch, Mail};
use super::super::handler::{Entry, ROOMS, Room};
use super::columns::each;
use super::{MAIL_WORDS, NOW_WORDS, OnDevice};

/// Where in a job's arena what is. Messages count from the first of the job.
pub struct Layout {
    pub mail: Range<usize>,
    pub messages: Range<usize>,
    /// Whether actors are busy, if the engine has no memory for that.
    pub busy: Range<usize>,
    /// The time stamp, if the handler has a context.
    pub now: Range<usize>,
    /// How far what each VM sends has come among the letters, and whether its actor stops, likewise.
    pub sent: Range<usize>,
    pub stopped: Range<usize>,
    /// The states, if the engine has no memory for them.
    pub states: Range<usize>,
    pub answers: Range<usize>,
    /// How many messages each VM has handled.
    pub handled: Range<usize>,
    /// What actors send.
    pub letters: Range<usize>,
    /// The rooms of the messages.
    pub rooms: [Range<usize>; ROOMS],
    /// The messages' places in the batch.
    pub of_batch: Range<u32>,
}

/// Words of what a kernel's jobs have for each message.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Of the message.
    pub message_words: usize,
    /// That the handler returns.
    pub answer_words: usize,
    /// The most messages that an actor sends while it handles one; 0 if it sends none.
    pub sends: usize,
    /// What there is room for beside the answer.
    pub rooms: [Room; ROOMS],
}

impl Shape {
    /// That of a kernel.
    pub fn of(entry: &Entry) -> Shape {
        Shape {
            message_words: entry.message.ty.words as usize,
            answer_words: entry.returned.words as usize,
            sends: entry.sends as usize,
            rooms: entry.rooms(),
        }
    }

    /// Words of a message that was sent, with its actor.
    pub fn letter_words(&self) -> usize {
        1 + self.message_words
    }
}

impl Layout {
    /// The layout of a job for some of a batch's mail, with so many words of states and of which actors are busy.
    pub fn new(shape: &Shape, mail: &[Mail], [states, busy]: [usize; 2]) -> Layout {
        let first = mail.first().map_or(0, |mail| mail.first);
        let of_batch = first..mail.last().map_or(first, |mail| mail.end);
        let count = of_batch.len();
        let mut end = 0;
        let mut next = |words: usize| {
            end += words;
            end - words..end
        };
        Layout {
            mail: next(mail.len() * MAIL_WORDS),
            messages: next(count * shape.message_words),
            busy: next(busy),
            now: next(if shape.sends > 0 { NOW_WORDS } else { 0 }),
            // What the host wants back lies together.
            sent: next(if shape.sends > 0 { mail.len() } else { 0 }),
            stopped: next(if shape.sends > 0 { mail.len() } else { 0 }),
            states: next(states),
            answers: next(count * shape.answer_words),
            handled: next(mail.len()),
            letters: next(count * shape.sends * shape.letter_words()),
            rooms: shape.rooms.map(|room| next(count * room.words)),
            of_batch,
        }
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.rooms[ROOMS - 1].end
    }

    /// The slots of the job's parameters, given those of the states and of which actors are busy, for so much mail and a log of so many words.
    pub fn slots(&self, shape: &Shape, [states, busy]: [Slot; 2], mail: u32, log: usize) -> Vec<Slot> {
        let slot = |at: &Range<usize>, length: usize| Slot {
            place: ParamSlot {
                base: at.start as u32,
                length: length as u32,
                ..ParamSlot::default()
            },
            region: None,
        };
        let count = self.of_batch.len();
        let end = self.words();
        let mut slots = vec![
            states,
            slot(&self.mail, mail as usize),
            slot(&self.messages, count),
            slot(&self.answers, count),
            slot(&self.handled, mail as usize),
            busy,
        ];
        if shape.sends > 0 {
            let [sent, stopped] = [&self.sent, &self.stopped].map(|at| each(slot(at, 1)));
            slots.extend([slot(&self.now, 1), sent, stopped]);
            slots.push(slot(&self.letters, count * shape.sends));
            let rooms = self.rooms.iter().filter(|room| !room.is_empty());
            slots.extend(rooms.map(|room| slot(room, count)));
        }
        if log > 0 {
            slots.push(slot(&(0..log), log));
        }
        slots.push(slot(&(end..end), 0));
        slots
    }

    /// The job.
    pub fn job(&self, actors: &OnDevice, mail: u32) -> Job {
        let of_actors = actors.states.slots([self.states.start, self.busy.start]);
        let slots = self.slots(&actors.shape, of_actors, mail, actors.log.len());
        let end = self.words();
        Job {
            atomics: actors.log.clone(),
            changed: std::iter::once(self.sent.start..end).collect(),
            arena_words: end,
            ..Job::new(Arc::clone(&actors.program), mail, slots)
        }
    }

    /// What VMs have left, given the words that come back.
    pub fn left<'l>(&self, words: &'l [u32]) -> Left<'l> {
        let part = |range: &Range<usize>| &words[self.place(range)];
        Left {
            sent: part(&self.sent),
            stopped: part(&self.stopped),
            handled: part(&self.handled),
            letters: part(&self.letters),
            rooms: self.rooms.each_ref().map(part),
        }
    }

    /// The states, of what comes back.
    pub fn states<'l>(&self, words: &'l [u32]) -> &'l [u32] {
        &words[self.place(&self.states)]
    }

    /// The answers, of what comes back, where they lie.
    pub fn answers(&self, words: Words) -> Words {
        words.part(self.place(&self.answers))
    }

    /// Where a part of the arena is in what comes back.
    fn place(&self, range: &Range<usize>) -> Range<usize> {
        let begin = self.sent.start;
        range.start - begin..range.end - begin
    }
}

/// What a job's arena starts with.
pub struct Content<'b> {
    pub layout: &'b Layout,
    pub states: &'b [u32],
    pub mail: &'b [Mail],
    /// The words of the job's messages.
    pub messages: &'b [u32],
    pub now: u64,
}

impl<'b> Content<'b> {
    /// What a job for some of a batch's mail starts with, at a time of the kernel's clock.
    pub fn new(actors: &'b OnDevice, layout: &'b Layout, mail: &'b [Mail], batch: &'b Batch, now: u64) -> Content<'b> {
        let words = |message: u32| message as usize * actors.shape.message_words;
        let Range { start, end } = layout.of_batch;
        Content {
            layout,
            states: actors.states.on_host(),
            mail,
            messages: &batch.words[words(start)..words(end)],
            now,
        }
    }
}

/// The words of a time stamp.
pub fn time_words(now: u64) -> [u32; NOW_WORDS] {
    [now as u32, (now >> 32) as u32]
}

impl Source for Content<'_> {
    fn words(&self) -> usize {
        self.layout.words()
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
        let begin = self.layout.of_batch.start;
        part(&self.layout.mail, &mut |from, words| {
            for (at, word) in (from..).zip(words) {
                let Mail { actor, first, end } = self.mail[at / MAIL_WORDS];
                *word = [actor, first - begin, end - begin][at % MAIL_WORDS];
            }
        });
        let copy = |all: &[u32], from: usize, words: &mut [u32]| words.copy_from_slice(&all[from..from + words.len()]);
        part(&self.layout.now, &mut |from, words| {
            copy(&time_words(self.now), from, words)
        });
        let begun = self.layout.sent.start..self.layout.stopped.end;
        part(&begun, &mut |_, words| words.fill(0));
        part(&self.layout.messages, &mut |from, words| {
            copy(self.messages, from, words)
        });
        part(&self.layout.busy, &mut |_, words| words.fill(0));
        part(&self.layout.states, &mut |from, words| copy(self.states, from, words));
        let zeros = self.layout.answers.start..self.layout.words();
        part(&zeros, &mut |_, words| words.fill(0));
    }
}

/// What VMs have left beside states and answers.
pub struct Left<'l> {
    pub sent: &'l [u32],
    pub stopped: &'l [u32],
    pub handled: &'l [u32],
    pub letters: &'l [u32],
    pub rooms: [&'l [u32]; ROOMS],
}

impl<'l> Left<'l> {
    /// How far what a VM has sent has come among the letters, from its first message's on.
    pub fn sent(&self, vm: usize) -> u32 {
        self.sent.get(vm).copied().unwrap_or_default()
    }

    /// Whether a VM's actor stops.
    pub fn has_stopped(&self, vm: usize) -> bool {
        self.stopped.get(vm).is_some_and(|&stopped| stopped != 0)
    }

    /// The letters of those numbers, of so many words each.
    pub fn letters(&self, numbers: Range<usize>, words: usize) -> impl Iterator<Item = &'l [u32]> {
        self.letters[numbers.start * words..numbers.end * words].chunks_exact(words)
    }

    /// The values that were put into the rooms of these messages, each with the number of its message among them.
    pub fn values(&self, room: usize, messages: Range<u32>, size: Room) -> impl Iterator<Item = (u32, &'l [u32])> {
        let Room { words, each } = size;
        let own = &self.rooms[room][messages.start as usize * words..messages.end as usize * words];
        (0..).zip(own.chunks_exact(words.max(1))).flat_map(move |(at, own)| {
            let values = (0..own[0] as usize).map(move |value| &own[1 + value * each..][..each]);
            values.map(move |value| (at, value))
        })
    }
}
