//! Actors on this CPU: the handler itself, compiled by rustc. Few messages are handled on the pump's own thread, which saves waking
//! another; many are shared out over the native engine's threads, by ranges of actors.

use std::sync::Mutex;

use gpuvm_core::types::{Value, VmType};

use super::batch::{Batch, Mail};
use super::handler::Handler;
use super::runner::{Handled, Runner, Trapped};
use crate::error::Result;
use crate::native::context::{Ended, Running, Vms};
use crate::native::pool;

/// So many messages are worth waking other threads for.
const SEVERAL_THREADS: usize = 512;

/// Actors whose handler's types are not known here.
pub trait Native: Send {
    /// Lets actors handle their messages.
    fn handle(&mut self, batch: &Batch, vms: Vms) -> Result<Handled>;

    /// Gives actors their first state.
    fn reset(&mut self, actors: &[u32]);
}

/// The states of actors, as the handler has them.
pub struct Actors<H: Handler> {
    states: Vec<H::State>,
}

impl<H: Handler> Actors<H> {
    /// Actors in their first state.
    pub fn new(actors: usize) -> Actors<H> {
        Actors {
            states: (0..actors).map(|_| H::State::default()).collect(),
        }
    }
}

/// Neighbouring actors with mail, and what is theirs.
struct Piece<'b, S> {
    mail: &'b [Mail],
    /// The states from the first of these actors on.
    states: &'b mut [S],
    /// The words of the answers to their messages.
    answers: &'b mut [u32],
}

impl<H: Handler> Native for Actors<H> {
    fn handle(&mut self, batch: &Batch, vms: Vms) -> Result<Handled> {
        let messages = batch.places.len();
        let mut answers = vec![0; messages * H::Answer::TYPE.words as usize];
        let trapped = if messages < SEVERAL_THREADS {
            let piece = Piece {
                mail: &batch.mail,
                states: self.states.get_mut(first_actor(&batch.mail)..).unwrap_or_default(),
                answers: &mut answers,
            };
            handle_piece::<H>(piece, &batch.words, vms)
        } else {
            let pool = pool::get(vms.recursion_limit)?;
            let grain = pool::grain(batch.mail.len(), pool.current_num_threads());
            let pieces = pieces::<H>(batch, &mut self.states, &mut answers, grain);
            let trapped = Mutex::new(Vec::new());
            pool::each(&pool, pieces.len(), &|number| {
                let Some(piece) = lock(&pieces[number]).take() else {
                    return;
                };
                let own = handle_piece::<H>(piece, &batch.words, vms);
                lock(&trapped).extend(own);
            });
            drop(pieces);
            let mut trapped = std::mem::take(&mut *lock(&trapped));
            trapped.sort_by_key(|trapped| trapped.rest.actor);
            trapped
        };
        Ok(Handled {
            answers: answers.into(),
            trapped,
        })
    }

    fn reset(&mut self, actors: &[u32]) {
        for &actor in actors {
            if let Some(state) = self.states.get_mut(actor as usize) {
                *state = H::State::default();
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn first_actor(mail: &[Mail]) -> usize {
    mail.first().map_or(0, |mail| mail.actor as usize)
}

/// Cuts a batch to pieces of at most `grain` actors.
fn pieces<'b, H: Handler>(
    batch: &'b Batch,
    mut states: &'b mut [H::State],
    mut answers: &'b mut [u32],
    grain: usize,
) -> Vec<Mutex<Option<Piece<'b, H::State>>>> {
    let mut cut = 0;
    let piece = |mail: &'b [Mail]| {
        let first = first_actor(mail);
        let end = mail.last().map_or(first, |mail| mail.actor as usize + 1);
        let messages = mail.iter().map(|mail| (mail.end - mail.first) as usize).sum::<usize>();
        let (_, rest) = std::mem::take(&mut states).split_at_mut(first - cut);
        let (own, rest) = rest.split_at_mut(end - first);
        (states, cut) = (rest, end);
        let words = messages * H::Answer::TYPE.words as usize;
        let (given, rest) = std::mem::take(&mut answers).split_at_mut(words);
        answers = rest;
        Mutex::new(Some(Piece {
            mail,
            states: own,
            answers: given,
        }))
    };
    batch.mail.chunks(grain).map(piece).collect()
}

/// Handles the messages of a piece on this thread. Generic code is compiled in the user's crate, so there is little of it.
fn handle_piece<H: Handler>(piece: Piece<'_, H::State>, words: &[u32], vms: Vms) -> Vec<Trapped> {
    let Piece { mail, states, answers } = piece;
    let first_actor = first_actor(mail);
    let first_message = mail.first().map_or(0, |mail| mail.first);
    let (size, answer_size) = (H::Message::TYPE.words as usize, H::Answer::TYPE.words as usize);
    let running = Running::start(vms);
    let mut trapped = Vec::new();
    for mail in mail {
        let state = &mut states[mail.actor as usize - first_actor];
        let mut next = mail.first;
        let ended = running.catch_vm(mail.actor, &mut || {
            while next < mail.end {
                let message = H::Message::read_words(&words[next as usize * size..][..size]);
                let answer = H::handle(state, message);
                let at = (next - first_message) as usize * answer_size;
                answer.write_words(&mut answers[at..at + answer_size]);
                next += 1;
            }
        });
        if let Ended::Trapped(trap) = ended {
            let rest = Mail { first: next, ..*mail };
            trapped.push(Trapped { rest, trap });
        }
    }
    trapped
}

/// Actors that run natively.
pub struct OnCpu {
    actors: Box<dyn Native>,
    vms: Vms,
}

impl OnCpu {
    /// What runs these actors.
    pub fn new(actors: Box<dyn Native>, vms: Vms) -> OnCpu {
        OnCpu { actors, vms }
    }
}

impl Runner for OnCpu {
    fn handle(&mut self, batch: &Batch) -> Result<Handled> {
        self.actors.handle(batch, self.vms)
    }

    fn reset(&mut self, actors: &[u32]) -> Result<()> {
        self.actors.reset(actors);
        Ok(())
    }
}
