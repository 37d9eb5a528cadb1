//! Actors on this CPU: the handler itself, compiled by rustc. What takes little time is handled on the pump's own thread, which saves
//! waking another; the rest is shared out over the native engine's threads, by ranges of actors.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gpuvm_core::types::{Value, VmType};

use super::batch::{Batch, Mail};
use super::context::Ring;
use super::handler::Handler;
use super::runner::{Handled, Runner, Trapped, Turn};
use crate::error::Result;
use crate::native::context::{Ended, Running, Vms};
use crate::native::pool;

/// What takes so long is worth waking other threads for.
const SEVERAL_THREADS: Duration = Duration::from_micros(100);
/// How long a message takes, as far as nobody knows.
const GUESS: Duration = Duration::from_nanos(200);

/// Actors whose handler's types are not known here.
pub trait Native: Send {
    /// Lets actors handle their messages, at a time of the kernel's clock, on so many threads or as many as the CPU has. If it is to end at once they leave those alone that they have not
    /// begun with.
    fn handle(&mut self, batch: &Batch, at: (u64, &AtomicBool), on: (Vms, Option<usize>)) -> Result<Handled>;

    /// The words of the states of neighbouring actors.
    fn states(&self, actors: Range<usize>) -> Vec<u32>;

    /// Gives all actors states, of which these are the words.
    fn restore(&mut self, states: &[u32]);

    /// Gives actors their first state.
    fn reset(&mut self, actors: &[u32]);
}

/// The states of actors, as the handler has them.
pub struct Actors<H: Handler> {
    states: Vec<H::State>,
    /// How long a message takes.
    pace: Duration,
}

impl<H: Handler> Actors<H> {
    /// Actors in their first state.
    pub fn new(actors: usize) -> Actors<H> {
        Actors {
            states: (0..actors).map(|_| H::State::default()).collect(),
            pace: GUESS,
        }
    }
}

/// Neighbouring actors with mail, and what is theirs.
struct Piece<'b, S> {
    mail: &'b [Mail],
    /// The states from the first of these actors to the last.
    states: &'b mut [S],
    /// The words of the answers to the messages from their first to their last.
    answers: &'b mut [u32],
}

impl<H: Handler> Native for Actors<H> {
    fn handle(
        &mut self,
        batch: &Batch,
        at: (u64, &AtomicBool),
        (vms, threads): (Vms, Option<usize>),
    ) -> Result<Handled> {
        let messages = batch.places.len();
        let mut answers = vec![0; messages * H::Answer::TYPE.words as usize];
        let pool = match self.pace.saturating_mul(messages as u32) < SEVERAL_THREADS {
            true => None,
            false => Some(pool::get(vms.recursion_limit, threads)?),
        };
        let grain = pool.as_ref().map_or(usize::MAX, |pool| {
            pool::grain(batch.mail.len(), pool.current_num_threads())
        });
        let pieces = pieces::<H>(&batch.mail, &mut self.states, &mut answers, grain);
        let done = Mutex::new(Vec::new());
        let work = |number: usize| {
            if let Some(piece) = lock(&pieces[number]).take() {
                let begin = Instant::now();
                let handled = handle_piece::<H>(piece, &batch.words, at, vms);
                lock(&done).push((number, handled, begin.elapsed()));
            }
        };
        match pool {
            None => (0..pieces.len()).for_each(work),
            Some(pool) => pool::each(&pool, pieces.len(), &work),
        }
        drop(pieces);
        let mut done = std::mem::take(&mut *lock(&done));
        done.sort_by_key(|(number, ..)| *number);
        let time: Duration = done.iter().map(|(.., time)| *time).sum();
        let each = time / messages.max(1) as u32;
        // What is around messages counts in a short batch, so of that is only known that they take no longer.
        self.pace = match time < SEVERAL_THREADS / 4 {
            true => self.pace.min(each),
            false => each,
        };
        let mut all = Handled {
            answers: answers.into(),
            ..Handled::default()
        };
        done.into_iter().for_each(|(_, piece, _)| all.extend(piece));
        Ok(all)
    }

    fn states(&self, actors: Range<usize>) -> Vec<u32> {
        let size = H::State::TYPE.words as usize;
        let mut words = vec![0; actors.len() * size];
        for (at, state) in self.states[actors].iter().enumerate() {
            state.write_words(&mut words[at * size..(at + 1) * size]);
        }
        words
    }

    fn restore(&mut self, states: &[u32]) {
        let size = H::State::TYPE.words as usize;
        for (at, state) in self.states.iter_mut().enumerate() {
            *state = H::State::read_words(&states[at * size..(at + 1) * size]);
        }
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

/// Cuts mail to pieces of at most `grain` actors.
fn pieces<'b, H: Handler>(
    mail: &'b [Mail],
    states: &'b mut [H::State],
    answers: &'b mut [u32],
    grain: usize,
) -> Vec<Mutex<Option<Piece<'b, H::State>>>> {
    let size = H::Answer::TYPE.words as usize;
    let (mut states, mut answers) = (Rest::new(states), Rest::new(answers));
    let piece = |mail: &'b [Mail]| {
        let (first, last) = (mail.first()?, mail.last()?);
        Some(Piece {
            mail,
            states: states.take(first.actor as usize..last.actor as usize + 1),
            answers: answers.take(first.first as usize * size..last.end as usize * size),
        })
    };
    mail.chunks(grain).map(piece).map(Mutex::new).collect()
}

/// What of a slice was not handed out, from a place on.
struct Rest<'s, T> {
    rest: &'s mut [T],
    start: usize,
}

impl<'s, T> Rest<'s, T> {
    fn new(all: &'s mut [T]) -> Rest<'s, T> {
        Rest { rest: all, start: 0 }
    }

    /// Takes a range, and lets go of what is before it.
    fn take(&mut self, range: Range<usize>) -> &'s mut [T] {
        let (_, rest) = std::mem::take(&mut self.rest).split_at_mut(range.start - self.start);
        let (taken, rest) = rest.split_at_mut(range.len());
        (self.rest, self.start) = (rest, range.end);
        taken
    }
}

/// Handles the messages of a piece on this thread. Generic code is compiled in the user's crate, so there is little of it.
fn handle_piece<H: Handler>(
    piece: Piece<'_, H::State>,
    words: &[u32],
    (now, is_over): (u64, &AtomicBool),
    vms: Vms,
) -> Handled {
    let Piece { mail, states, answers } = piece;
    let (first_actor, first_message) = mail.first().map_or((0, 0), |mail| (mail.actor, mail.first));
    let (size, answer_size) = (H::Message::TYPE.words as usize, H::Answer::TYPE.words as usize);
    let running = Running::start(vms);
    let mut ctx = Ring::at(now, vms.count);
    let mut handled = Handled::default();
    for mail in mail {
        let state = &mut states[(mail.actor - first_actor) as usize];
        let mut next = mail.first;
        ctx.enter(mail.actor);
        let ended = running.catch_vm(mail.actor, &mut || {
            while next < mail.end && !ctx.is_stopped() && !is_over.load(Ordering::Relaxed) {
                let message = H::Message::read_words(&words[next as usize * size..][..size]);
                ctx.next(next, [H::SENDS, H::REPLIES, H::FORWARDS]);
                let answer = H::handle(state, message, &mut ctx);
                let at = (next - first_message) as usize * answer_size;
                answer.write_words(&mut answers[at..at + answer_size]);
                next += 1;
            }
        });
        // Nobody takes that back once it is so.
        let is_cut_off = next < mail.end && is_over.load(Ordering::Relaxed);
        handled.note(Mail { first: next, ..*mail }, ended, ctx.is_stopped(), is_cut_off);
    }
    handled.sent = ctx.sent;
    handled.replied = ctx.replied;
    handled.forwarded = ctx.forwarded;
    handled.logs = running.logs();
    handled
}

impl Handled {
    /// Takes down how an actor has ended, given what is left of its mail.
    fn note(&mut self, rest: Mail, ended: Ended, is_stopped: bool, is_cut_off: bool) {
        match ended {
            Ended::Trapped(trap) => self.trapped.push(Trapped { rest, trap }),
            Ended::Done | Ended::Halted if is_stopped => self.stopped.push(rest),
            Ended::Done if is_cut_off => self.held.push(rest),
            Ended::Done | Ended::Halted => {}
        }
    }

    /// Takes over what became of later actors, but for their answers.
    fn extend(&mut self, later: Handled) {
        self.trapped.extend(later.trapped);
        self.stopped.extend(later.stopped);
        self.held.extend(later.held);
        self.sent.extend(later.sent);
        self.replied.extend(later.replied);
        self.forwarded.extend(later.forwarded);
        self.logs.append(later.logs);
    }
}

/// Actors that run natively.
pub struct OnCpu {
    actors: Box<dyn Native>,
    vms: Vms,
    /// How many threads, if that was said.
    threads: Option<usize>,
}

impl OnCpu {
    /// What runs these actors, on so many threads or as many as the CPU has.
    pub fn new(actors: Box<dyn Native>, vms: Vms, threads: Option<usize>) -> OnCpu {
        OnCpu { actors, vms, threads }
    }
}

impl Runner for OnCpu {
    fn handle(&mut self, batch: &Batch, turn: &Turn<'_>) -> Result<Handled> {
        self.actors
            .handle(batch, (turn.now, turn.is_over), (self.vms, self.threads))
    }

    fn states(&mut self, actors: Range<u32>) -> Result<Vec<u32>> {
        Ok(self.actors.states(actors.start as usize..actors.end as usize))
    }

    fn restore(&mut self, states: &[u32]) -> Result<()> {
        self.actors.restore(states);
        Ok(())
    }

    fn reset(&mut self, actors: &[u32]) -> Result<()> {
        self.actors.reset(actors);
        Ok(())
    }
}
