//! Actors on an engine that runs programs: a batch is a job with one VM for each actor that has mail. The states stay in the engine's
//! memory, if it has any.

use std::ops::Range;
use std::sync::Arc;

use gpuvm_core::program::{ParamSlot, Program};
use gpuvm_core::types::{Context, Value, VmType};

use super::batch::{Batch, Mail};
use super::handler::Entry;
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
    /// The most messages that an actor sends while it handles one; 0 if it sends none.
    sends: usize,
    /// Words of a message that was sent, with its actor.
    letter_words: usize,
}

/// Where the states are.
enum States {
    Engine(Arc<dyn DeviceMemory>, Region),
    Host(Vec<u32>),
}

/// Words of an entry of the mail.
const MAIL_WORDS: usize = 3;
/// Words of a VM's context.
const CONTEXT_WORDS: usize = Context::TYPE.words as usize;
/// Messages for each of which a VM has room to send.
const MESSAGES_WITH_ROOM: usize = 2;

impl OnDevice {
    /// Actors in their first state, of which an engine runs the program.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the engine has no room for the states.
    pub fn new(
        entry: &Entry,
        (engine, executor): (Engine, Arc<dyn Execute>),
        program: Arc<Program>,
        actors: u32,
    ) -> Result<OnDevice> {
        let initial = (entry.initial)();
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
            answer_words: entry.returned.words as usize,
            sends: entry.sends as usize,
            letter_words: 1 + entry.message.ty.words as usize,
        })
    }

    /// Runs one job for some of the mail.
    fn run(&mut self, mail: &[Mail], batch: &Batch, now: u64, done: &mut Handled) -> Result<()> {
        let layout = Layout::new(self, mail, batch);
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
            now,
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
        let back =
            |range: &Range<usize>| &changed[range.start - layout.contexts.start..range.end - layout.contexts.start];
        if image.is_some() || self.sends > 0 {
            let contexts = back(&layout.contexts);
            for (vm, (mail, &handled)) in mail.iter().zip(back(&layout.handled)).enumerate() {
                let rest = Mail {
                    first: mail.first + handled,
                    ..*mail
                };
                let record = image.as_ref().and_then(|image| image.vm(&self.program, vm)?.trap);
                let context = self.context(contexts, vm);
                if let Some(record) = record {
                    let trap = Trap {
                        vm: mail.actor,
                        ..Trap::of(&self.program, &record)
                    };
                    done.trapped.push(Trapped { rest, trap });
                } else if context.stopped {
                    done.stopped.push(rest);
                } else if rest.first < rest.end {
                    done.unfinished.push(rest);
                }
                let letters = vm * layout.room * self.letter_words;
                let letters = &back(&layout.letters)[letters..letters + context.sent as usize * self.letter_words];
                for letter in letters.chunks_exact(self.letter_words) {
                    done.sent.to.push(letter[0]);
                    done.sent.words.extend_from_slice(&letter[1..]);
                }
            }
        }
        if let States::Host(states) = &mut self.states {
            states.copy_from_slice(back(&layout.states));
        }
        let answers = layout.answers.start - layout.contexts.start..layout.answers.end - layout.contexts.start;
        take_answers(&mut done.answers, changed, answers, mail, self.answer_words);
        Ok(())
    }

    /// What a VM has left of its context.
    fn context(&self, contexts: &[u32], vm: usize) -> Context {
        match self.sends {
            0 => Context::default(),
            _ => Context::read_words(&contexts[vm * CONTEXT_WORDS..(vm + 1) * CONTEXT_WORDS]),
        }
    }

    /// How many actors one job may have.
    fn most(&self, batch: &Batch) -> usize {
        let host = match &self.states {
            States::Host(states) => states.len(),
            States::Engine(..) => 0,
        };
        let demand = Demand {
            shared_words: (host + batch.words.len() + batch.places.len() * self.answer_words) as u64,
            words_per_vm: (MAIL_WORDS + 1 + self.words_around(MESSAGES_WITH_ROOM)) as u64,
            atomic_words: 0,
        };
        self.executor.capacity(&self.program, &demand) as usize
    }

    /// Words of a VM's context, and of its room for what it sends for so many messages.
    fn words_around(&self, messages: usize) -> usize {
        match self.sends {
            0 => 0,
            sends => CONTEXT_WORDS + messages * sends * self.letter_words,
        }
    }
}

impl Runner for OnDevice {
    fn handle(&mut self, batch: &Batch, now: u64) -> Result<Handled> {
        let most = self.most(batch);
        if most == 0 {
            return Err(Error::TooLarge {
                routine: self.program.name.clone(),
                words: batch.words.len() as u64,
                vms: 1,
                engine: self.engine,
            });
        }
        let mut done = Handled::default();
        for mail in batch.mail.chunks(most) {
            self.run(mail, batch, now, &mut done)?;
        }
        Ok(done)
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

/// Takes the answers of a job to those of the jobs before it. If there are none they stay where they are.
fn take_answers(answers: &mut Words, changed: Words, range: Range<usize>, mail: &[Mail], size: usize) {
    if answers.is_empty() {
        *answers = changed.part(range);
        return;
    }
    let mut words = std::mem::take(answers).into_vec();
    for mail in mail {
        let own = mail.first as usize * size..mail.end as usize * size;
        words[own.clone()].copy_from_slice(&changed[range.clone()][own]);
    }
    *answers = words.into();
}

/// Where in a job's arena what is.
struct Layout {
    mail: Range<usize>,
    messages: Range<usize>,
    /// The VMs' contexts, if the handler has one.
    contexts: Range<usize>,
    /// The states, if the engine has no memory for them.
    states: Range<usize>,
    answers: Range<usize>,
    /// How many messages each VM has handled.
    handled: Range<usize>,
    /// What each VM has room for to send.
    letters: Range<usize>,
    /// How many messages there are.
    count: usize,
    /// How many messages each VM may send.
    room: usize,
}

impl Layout {
    fn new(actors: &OnDevice, mail: &[Mail], batch: &Batch) -> Layout {
        let longest = mail.iter().map(|mail| mail.end - mail.first).max().unwrap_or_default();
        let room = actors.sends * MESSAGES_WITH_ROOM.min(longest as usize);
        let mail = mail.len();
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
            contexts: next(if actors.sends > 0 { mail * CONTEXT_WORDS } else { 0 }),
            states: next(host),
            answers: next(batch.places.len() * actors.answer_words),
            handled: next(mail),
            letters: next(mail * room * actors.letter_words),
            room,
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
struct Content<'b> {
    layout: &'b Layout,
    states: &'b [u32],
    mail: &'b [Mail],
    messages: &'b [u32],
    now: u64,
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
