//! Actors on an engine that runs programs: a batch is a job with one VM for each actor that has mail. The states stay in the engine's
//! memory, if it has any.

mod layout;

use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::program::Program;
use gpuvm_core::types::{Context, Value};

use self::layout::{Content, Layout, Left};
use super::batch::{Batch, Mail};
use super::error::RingError;
use super::handler::Entry;
use super::runner::{Handled, Runner, Trapped, Turn};
use crate::engine::{Demand, DeviceMemory, Engine, Execute, Image, Limit, Region, Words};
use crate::error::{Error, Result};
use crate::trap::Trap;

/// Actors whose states an engine has.
pub struct OnDevice {
    /// The kernel's id.
    id: &'static str,
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

impl States {
    /// The words that travel with each job: none if the states stay on the engine.
    fn on_host(&self) -> &[u32] {
        match self {
            States::Engine(..) => &[],
            States::Host(states) => states,
        }
    }
}

/// Words of an entry of the mail.
const MAIL_WORDS: usize = 3;
/// How long a batch runs before somebody looks whether the kernel is to end.
const LOOK: Duration = Duration::from_millis(100);
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
            id: entry.id,
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
    fn run(&mut self, mail: &[Mail], batch: &Batch, turn: &Turn<'_>, done: &mut Handled) -> Result<()> {
        let layout = Layout::new(self, mail, batch);
        let job = layout.job(self, mail.len() as u32);
        let states = self.states.on_host();
        let content = Content {
            layout: &layout,
            states,
            mail,
            messages: &batch.words,
            now: turn.now,
        };
        let mut running = self.executor.start(job, &content)?;
        let mut trapped = 0;
        let limit = Limit {
            time: Some(LOOK),
            untimed: true,
            ..Limit::default()
        };
        loop {
            let tally = running.advance(&limit, &mut |_| {})?;
            trapped = trapped.max(tally.trapped);
            if tally.running == 0 && tally.yielded == 0 {
                break;
            }
            if (turn.is_over)() {
                let kernel = self.id.to_string();
                return Err(RingError::Closed { kernel }.into());
            }
        }
        let image = if trapped > 0 { Some(running.image()?) } else { None };
        let left = Left {
            layout: &layout,
            words: running.finish()?.changed,
        };
        if image.is_some() || self.sends > 0 {
            self.collect(mail, &left, image.as_ref(), done);
        }
        if let States::Host(states) = &mut self.states {
            states.copy_from_slice(left.part(&layout.states));
        }
        take_answers(&mut done.answers, left.into_answers(), mail, self.answer_words);
        Ok(())
    }

    /// Collects how VMs have ended, and what their actors have sent.
    fn collect(&self, mail: &[Mail], left: &Left<'_>, image: Option<&Image>, done: &mut Handled) {
        for (vm, (mail, &handled)) in mail.iter().zip(left.part(&left.layout.handled)).enumerate() {
            let rest = Mail {
                first: mail.first + handled,
                ..*mail
            };
            let context = left.context(vm);
            let record = image.and_then(|image| image.vm(&self.program, vm)?.trap);
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
            for letter in left.letters(vm, context.sent, self.letter_words) {
                done.sent.to.push(letter[0]);
                done.sent.words.extend_from_slice(&letter[1..]);
            }
        }
    }

    /// How many actors one job may have.
    fn most(&self, batch: &Batch) -> usize {
        let host = self.states.on_host().len();
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
    fn handle(&mut self, batch: &Batch, turn: &Turn<'_>) -> Result<Handled> {
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
            self.run(mail, batch, turn, &mut done)?;
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
fn take_answers(answers: &mut Words, own: Words, mail: &[Mail], size: usize) {
    if answers.is_empty() {
        *answers = own;
        return;
    }
    let mut all = std::mem::take(answers).into_vec();
    for mail in mail {
        let words = mail.first as usize * size..mail.end as usize * size;
        all[words.clone()].copy_from_slice(&own[words]);
    }
    *answers = all.into();
}
