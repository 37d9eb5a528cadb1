//! Actors on an engine that runs programs: a batch is a job with one VM for each actor that has mail. The states stay in the engine's
//! memory, if it has any.

use std::ops::Range;
use std::sync::Arc;

use gpuvm_core::program::{ParamSlot, Program};

use super::batch::{Batch, Mail};
use super::runner::{Handled, Runner, Trapped};
use crate::engine::{Demand, DeviceMemory, Engine, Execute, Job, Limit, Region, Slot, Source, Words};
use crate::error::{Error, Result};
use crate::trap::Trap;

/// Actors whose states an engine has.
pub struct OnDevice {
    executor: Arc<dyn Execute>,
    engine: Engine,
    program: Arc<Program>,
    actors: u32,
    /// The words of an actor's first state.
    initial: Vec<u32>,
    states: States,
    /// Words that a handler returns.
    answer_words: usize,
}

/// Where the states are.
enum States {
    Engine(Arc<dyn DeviceMemory>, Region),
    Host(Vec<u32>),
}

/// Words of an entry of the mail.
const MAIL_WORDS: usize = 3;

impl OnDevice {
    /// Actors in their first state, of which an engine runs the program.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the engine has no room for the states.
    pub fn new(
        (engine, executor): (Engine, Arc<dyn Execute>),
        program: Arc<Program>,
        actors: u32,
        initial: Vec<u32>,
        answer_words: u32,
    ) -> Result<OnDevice> {
        let words = initial.repeat(actors as usize);
        let states = match executor.memory().filter(|_| !words.is_empty()) {
            Some(memory) => {
                let region = memory.allocate(words.len() as u64)?;
                memory.write(&region, &words.as_slice())?;
                States::Engine(memory, region)
            }
            None => States::Host(words),
        };
        Ok(OnDevice {
            executor,
            engine,
            program,
            actors,
            initial,
            states,
            answer_words: answer_words as usize,
        })
    }

    /// Runs one job for some of the mail.
    fn run(&mut self, mail: &[Mail], batch: &Batch, answers: &mut Answers) -> Result<()> {
        let layout = Layout::new(self, mail.len(), batch);
        let job = layout.job(self, mail.len() as u32);
        let states = match &self.states {
            States::Engine(..) => &[][..],
            States::Host(states) => states,
        };
        let content = Content {
            layout: &layout,
            states,
            mail,
            messages: &batch.words,
        };
        let mut running = self.executor.start(job, &content)?;
        let mut trapped = 0;
        loop {
            let tally = running.advance(&Limit::default(), &mut |_| {})?;
            trapped = trapped.max(tally.trapped);
            if tally.running == 0 && tally.yielded == 0 {
                break;
            }
        }
        let image = if trapped > 0 { Some(running.image()?) } else { None };
        let changed = running.finish()?.changed;
        let (own_states, rest) = changed.split_at(states.len());
        let handled = &rest[layout.answers.len()..];
        if let Some(image) = image {
            for (vm, (mail, &handled)) in mail.iter().zip(handled).enumerate() {
                let record = image.vm(&self.program, vm).and_then(|vm| vm.trap);
                if let Some(record) = record {
                    let trap = Trap {
                        vm: mail.actor,
                        ..Trap::of(&self.program, &record)
                    };
                    let first = mail.first + handled;
                    answers.trapped.push(Trapped {
                        rest: Mail { first, ..*mail },
                        trap,
                    });
                }
            }
        }
        if let States::Host(states) = &mut self.states {
            states.copy_from_slice(own_states);
        }
        let start = own_states.len();
        let end = start + layout.answers.len();
        answers.take(changed, start..end, mail, self.answer_words);
        Ok(())
    }

    /// How many actors one job may have.
    fn most(&self, batch: &Batch) -> usize {
        let host = match &self.states {
            States::Host(states) => states.len(),
            States::Engine(..) => 0,
        };
        let demand = Demand {
            shared_words: (host + batch.words.len() + batch.places.len() * self.answer_words) as u64,
            words_per_vm: MAIL_WORDS as u64 + 1,
            atomic_words: 0,
        };
        self.executor.capacity(&self.program, &demand) as usize
    }
}

impl Runner for OnDevice {
    fn handle(&mut self, batch: &Batch) -> Result<Handled> {
        let most = self.most(batch);
        if most == 0 {
            return Err(Error::TooLarge {
                routine: self.program.name.clone(),
                words: batch.words.len() as u64,
                vms: 1,
                engine: self.engine,
            });
        }
        let mut answers = Answers::default();
        for mail in batch.mail.chunks(most) {
            self.run(mail, batch, &mut answers)?;
        }
        Ok(Handled {
            answers: answers.words,
            trapped: answers.trapped,
        })
    }

    fn reset(&mut self, actors: &[u32]) -> Result<()> {
        let size = self.initial.len();
        let reset = |states: &mut [u32]| {
            for &actor in actors {
                states[actor as usize * size..][..size].copy_from_slice(&self.initial);
            }
        };
        match &mut self.states {
            States::Host(states) => reset(states),
            States::Engine(memory, region) => {
                let mut states = memory.read(region)?.into_vec();
                reset(&mut states);
                memory.write(region, &states.as_slice())?;
            }
        }
        Ok(())
    }
}

/// The answers of jobs so far.
#[derive(Default)]
struct Answers {
    words: Words,
    trapped: Vec<Trapped>,
}

impl Answers {
    /// Takes the answers of one job. If it is the only one they stay where they are.
    fn take(&mut self, changed: Words, range: Range<usize>, mail: &[Mail], size: usize) {
        if self.words.is_empty() {
            self.words = changed.part(range);
            return;
        }
        let mut words = std::mem::take(&mut self.words).into_vec();
        for mail in mail {
            let own = mail.first as usize * size..mail.end as usize * size;
            words[own.clone()].copy_from_slice(&changed[range.clone()][own]);
        }
        self.words = words.into();
    }
}

/// Where in a job's arena what is.
struct Layout {
    mail: Range<usize>,
    messages: Range<usize>,
    /// The states, if the engine has no memory for them.
    states: Range<usize>,
    answers: Range<usize>,
    /// How many messages each VM has handled.
    handled: Range<usize>,
    /// How many messages there are.
    count: usize,
}

impl Layout {
    fn new(actors: &OnDevice, mail: usize, batch: &Batch) -> Layout {
        let host = match &actors.states {
            States::Engine(..) => 0,
            States::Host(states) => states.len(),
        };
        let mut end = 0;
        let mut next = |words: usize| {
            end += words;
            end - words..end
        };
        Layout {
            mail: next(mail * MAIL_WORDS),
            messages: next(batch.words.len()),
            // What the host wants back lies together.
            states: next(host),
            answers: next(batch.places.len() * actors.answer_words),
            handled: next(mail),
            count: batch.places.len(),
        }
    }

    fn job(&self, actors: &OnDevice, mail: u32) -> Job {
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
        Job {
            program: Arc::clone(&actors.program),
            first_vm: 0,
            vms: mail,
            vm_count: mail,
            slots: vec![
                states,
                slot(&self.mail, mail as usize),
                slot(&self.messages, self.count),
                slot(&self.answers, self.count),
                slot(&self.handled, mail as usize),
                slot(&(self.handled.end..self.handled.end), 0),
            ],
            changed: std::iter::once(self.states.start..self.handled.end).collect(),
            arena_words: self.handled.end,
            atomics: Vec::new(),
            atomic_regions: Vec::new(),
            steps: 1,
            copies: Vec::new(),
        }
    }
}

/// What a job's arena starts with.
struct Content<'b> {
    layout: &'b Layout,
    states: &'b [u32],
    mail: &'b [Mail],
    messages: &'b [u32],
}

impl Source for Content<'_> {
    fn words(&self) -> usize {
        self.layout.handled.end
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
        let copy = |all: &[u32], from: usize, words: &mut [u32]| words.copy_from_slice(&all[from..from + words.len()]);
        part(&self.layout.messages, &mut |from, words| {
            copy(self.messages, from, words)
        });
        part(&self.layout.states, &mut |from, words| copy(self.states, from, words));
        let zeros = self.layout.answers.start..self.layout.handled.end;
        part(&zeros, &mut |_, words| words.fill(0));
    }
}
