//! Samples of batches, for a kernel's profile: some of its actors with their states and their first messages, as a job of its program would have them.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use gpuvm_core::program::{Log, ParamSlot, Program};
use gpuvm_engine::{Engine, FloatMode, Slot, Source};

use super::batch::{Batch, Mail};
use super::device::layout::{Content, Layout, Shape};
use super::handler::Entry;
use crate::error::Result;
use crate::logs::LogLimit;
use crate::profile::{
    Doing, KernelProfiling, LANES, MESSAGES, MOST_OF_BATCH, Profile, ProfileSample, Sampled, WarpData, chosen,
};
use crate::runtime::Runtime;
use crate::stats::Stats;

/// Words that a sample may have copies of.
const WORDS: usize = 1 << 22;

/// The profile of a kernel so far, and what it takes to sample more of it.
pub(super) struct Profiled {
    profiling: KernelProfiling,
    entry: &'static Entry,
    program: Arc<Program>,
    actors: u32,
}

impl Profiled {
    /// That of a kernel of so many actors which is launched.
    pub fn new(
        runtime: &Runtime,
        entry: &'static Entry,
        (engine, program): (Engine, &Arc<Program>),
        actors: u32,
    ) -> Profiled {
        let engine = match engine {
            Engine::Auto => runtime.auto(&program.params),
            engine => engine,
        };
        let device = runtime.device_of(engine);
        let float_mode = match engine {
            Engine::Native => FloatMode::Exact,
            _ => device.float_mode,
        };
        Profiled {
            profiling: KernelProfiling::new(Stats::of_nothing(engine, device, float_mode)),
            entry,
            program: Arc::clone(program),
            actors,
        }
    }

    /// Whether the next batch is to be sampled.
    pub fn is_due(&self) -> bool {
        self.profiling.is_due()
    }

    /// Whether the next batch is to wait until nothing is under way.
    pub fn holds_up(&self) -> bool {
        self.profiling.holds_up()
    }

    /// Samples a batch that actors are about to begin with at a time of the kernel's clock, whose states are asked for.
    pub fn sample(&self, batch: &Batch, now: u64, states: &mut dyn FnMut(Range<u32>) -> Result<Vec<u32>>) {
        let mut actors = Vec::new();
        let sample = self.sampled(batch, now, states, &mut actors);
        let mut notes = Vec::new();
        if Log::of(&self.program, LANES).is_some() {
            notes.push("VMs share the log of what they print: counts are those of each VM alone".to_string());
        }
        self.profiling.add(Sampled { sample, notes }, actors);
    }

    fn sampled(
        &self,
        batch: &Batch,
        now: u64,
        states: &mut dyn FnMut(Range<u32>) -> Result<Vec<u32>>,
        actors: &mut Vec<u32>,
    ) -> Result<ProfileSample, String> {
        let LogLimit { of_a_vm, in_all } = LogLimit::default();
        let log = Log::of(&self.program, LANES).map_or_else(Vec::new, |log| log.empty(of_a_vm, in_all));
        let mut sample = ProfileSample {
            program: Arc::clone(&self.program),
            vms: LANES,
            shared: Vec::new(),
            atomics: log,
            warps: Vec::new(),
            most: MOST_OF_BATCH,
        };
        let mut words = 0;
        for warp in chosen(batch.mail.len() as u32, LANES) {
            let first = (warp * LANES) as usize;
            let mail = &batch.mail[first..batch.mail.len().min(first + LANES as usize)];
            let warp = self.warp(mail, batch, (now, first as u32, sample.atomics.len()), states)?;
            words += warp.own.len();
            if words > WORDS {
                if !sample.warps.is_empty() {
                    break;
                }
                return Err(format!(
                    "a warp's actors and messages are among {words} words, and no more than {WORDS} are copied for a sample"
                ));
            }
            actors.extend(mail.iter().map(|mail| mail.actor));
            sample.warps.push(warp);
        }
        Ok(sample)
    }

    /// What is copied for the VMs of some mail, as if it were a job of its own; the states are those from the first of its actors to the last.
    fn warp(
        &self,
        mail: &[Mail],
        batch: &Batch,
        (now, first_vm, log): (u64, u32, usize),
        states: &mut dyn FnMut(Range<u32>) -> Result<Vec<u32>>,
    ) -> Result<WarpData, String> {
        let shape = Shape::of(self.entry);
        let (mut own, mut messages) = (Vec::with_capacity(mail.len()), Vec::new());
        let mut next = 0;
        for &Mail { actor, first, end } in mail {
            let count = (end - first).min(MESSAGES);
            let words = |message: u32| message as usize * shape.message_words;
            messages.extend_from_slice(&batch.words[words(first)..words(first + count)]);
            own.push(Mail {
                actor,
                first: next,
                end: next + count,
            });
            next += count;
        }
        let (Some(Mail { actor: first, .. }), Some(Mail { actor: last, .. })) = (mail.first(), mail.last()) else {
            return Err("there is no mail".to_string());
        };
        let (first, neighbours) = (*first, *first..last + 1);
        let there = neighbours.len();
        let size = self.entry.state.words;
        // More would be read for nothing.
        let states = match there * size as usize > WORDS {
            true => vec![0; there * size as usize],
            false => states(neighbours).map_err(|error| error.to_string())?,
        };
        let layout = Layout::new(&shape, &own, [states.len(), there]);
        let content = Content {
            layout: &layout,
            states: &states,
            mail: &own,
            messages: &messages,
            now,
        };
        let mut words = vec![0; layout.words()];
        content.write(0..layout.words(), &mut words);
        // An actor finds its own by its number, counted from the first of all.
        let of_all = |start: usize, size: u32| Slot {
            place: ParamSlot {
                base: (start as u32).wrapping_sub(first.wrapping_mul(size)),
                length: self.actors,
                ..ParamSlot::default()
            },
            region: None,
        };
        let of_actors = [of_all(layout.states.start, size), of_all(layout.busy.start, 1)];
        let slots = layout.slots(&shape, of_actors, own.len() as u32, log);
        let first_message = mail.first().map_or(0, |mail| mail.first);
        let mut columns = vec![
            (layout.mail.start as u32, 3 * first_vm),
            (
                layout.messages.start as u32,
                first_message.wrapping_mul(shape.message_words as u32),
            ),
            (layout.busy.start as u32, first),
            (layout.now.start as u32, 0),
            (layout.sent.start as u32, first_vm),
            (layout.stopped.start as u32, first_vm),
            (layout.states.start as u32, first.wrapping_mul(size)),
            (
                layout.answers.start as u32,
                first_message.wrapping_mul(shape.answer_words as u32),
            ),
            (layout.handled.start as u32, first_vm),
            (layout.letters.start as u32, 0),
        ];
        columns.extend(layout.rooms.iter().map(|room| (room.start as u32, 0)));
        columns.sort_by_key(|(start, _)| *start);
        Ok(WarpData {
            range: 0..own.len() as u32,
            own: words,
            slots: slots.iter().map(|slot| slot.place).collect(),
            columns,
        })
    }

    /// Counts a batch of so many VMs that the pump has seen to since then.
    pub fn saw(&self, vms: usize, messages: usize, since: Instant) {
        self.profiling.count(1, vms as u64);
        let name = format!("{messages} messages to {vms} actors");
        self.profiling.did(Doing::Batch, since, name);
    }

    /// Counts rounds.
    pub fn went(&self, rounds: u64, messages: u64, since: Instant) {
        self.profiling.count(rounds, messages);
        let name = format!("{rounds} rounds with {messages} messages");
        self.profiling.did(Doing::Rounds, since, name);
    }

    /// Takes down that the pump has waited since then.
    pub fn waited(&self, since: Instant) {
        self.profiling.did(Doing::Waiting, since, "waiting".to_string());
    }

    /// The profile so far.
    pub fn profile(&self) -> Profile {
        self.profiling.profile(self.entry.id)
    }

    /// Leaves it where the environment wants it, if it does.
    pub fn leave(&self) {
        self.profiling.leave(self.entry.id);
    }
}
