//! Rounds of actors on their own: what they have sent each other is brought to them in the engine's memory and handled there, round after
//! round, as rows of jobs. The host looks from time to time, when nobody has mail any more, and when a round has come to something that
//! it has to see to: an answer, a trap, an actor that stops, or mail that the device does not deliver.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::super::batch::{Batch, Grouper, Mail};
use super::super::context::Sent;
use super::super::error::RingError;
use super::super::handler::{Entry, FORWARDS, REPLIES};
use super::super::options::Answers;
use super::super::runner::{Handled, Rounds, Turn};
use super::jobs::Ended;
use super::layout::Left;
use super::post::{Columns, HANDLER, JOBS, PLACE, Post, TALLY, job};
use super::{MAIL_WORDS, OnDevice};
use crate::engine::{Execute, Image, Job, Row};
use crate::error::{Error, Result};
use crate::runtime::Runtime;

/// What actors on their own need.
pub struct OnTheirOwn {
    post: Post,
    grouper: Grouper,
    /// Made when they are first needed.
    columns: Option<Columns>,
}

/// Where fewer of so many actors have mail, the host delivers it: on the device a round costs what looking at all actors does.
const ACTORS_PER_MESSAGE: usize = 16;
/// Rounds in a row at most. It begins with one and doubles, so that little is sent in vain.
const MOST_ROUNDS: usize = 64;
/// How long a row may take before the next one is shorter: messages from outside wait for it.
const LONG: Duration = Duration::from_millis(20);

/// How a row of rounds has ended.
enum End {
    /// With nothing that the host has to see to.
    Clean,
    /// In a job before its last: the number of it, and how its VMs stand if it is the handler's and one of them has trapped.
    Stopped(usize, Option<Image>),
    /// Before the job of that number, which the engine has not taken or the kernel's end has cut short.
    Before(usize),
}

impl OnTheirOwn {
    /// What actors of a kernel need for rounds on an engine, given whether anybody wants their answers; `None` if they send nothing or always
    /// answer, or the engine has no rows or no memory.
    ///
    /// # Errors
    ///
    /// [`Error::Link`] if what delivers messages cannot be linked.
    pub fn new(
        runtime: &Runtime,
        entry: &Entry,
        executor: &dyn Execute,
        (actors, answers): (u32, Answers),
    ) -> Result<Option<OnTheirOwn>> {
        let is_wanted = entry.answer.is_some() && answers == Answers::Keep;
        let is_quiet = !is_wanted || entry.optional;
        match executor.memory() {
            Some(memory) if is_quiet && entry.sends > 0 && executor.sequence().is_some() => Ok(Some(OnTheirOwn {
                post: Post::new(runtime, memory, entry, (actors, is_wanted))?,
                grouper: Grouper::new(actors, entry.message.ty.words as usize),
                columns: None,
            })),
            _ => Ok(None),
        }
    }

    /// Puts messages into the columns as the first mail, at a time of the kernel's clock.
    fn prepare(&mut self, sent: &Sent, stopped: &[u32], now: u64) -> Result<(&Post, &Columns)> {
        // The old columns' room may be needed for new ones.
        let messages = sent.to.len();
        let columns = match self
            .columns
            .take()
            .filter(|columns| columns.capacity as usize >= messages)
        {
            Some(columns) => columns,
            None => {
                let capacity = (messages + messages / 2).next_power_of_two();
                self.post.columns(u32::try_from(capacity).unwrap_or(u32::MAX))?
            }
        };
        let columns = self.columns.insert(columns);
        let batch = self.grouper.group(&sent.to, &sent.words);
        self.post.fill(columns, &batch, now, stopped)?;
        Ok((&self.post, columns))
    }

    /// Gives the memory of the columns back. Whether there was any.
    pub fn make_way(&mut self) -> bool {
        self.columns.take().is_some()
    }
}

/// Whether so many messages are enough for rounds of so many actors on the device.
pub fn is_dense(messages: usize, actors: u32) -> bool {
    messages * ACTORS_PER_MESSAGE >= actors as usize
}

impl OnDevice {
    /// Rounds on what actors have sent, at a time of the kernel's clock. Where there is no memory for them there are none from now on.
    pub(super) fn go_round(&mut self, sent: &Sent, stopped: &[u32], turn: &Turn<'_>) -> Result<Option<Rounds>> {
        let Some(mut own) = self.on_their_own.take() else {
            return Ok(None);
        };
        let (post, columns) = match own.prepare(sent, stopped, turn.now) {
            Err(Error::OutOfMemory { .. }) => return Ok(None),
            prepared => prepared?,
        };
        let Some((rounds, is_possible)) = self.rounds_on(post, columns, turn)? else {
            return Ok(None);
        };
        self.on_their_own = Some(own).filter(|_| is_possible);
        Ok(Some(rounds))
    }

    /// Rounds on what is in the columns, until the host has something to do. Whether more of them are possible; `None` if not even one is.
    fn rounds_on(&self, post: &Post, columns: &Columns, turn: &Turn<'_>) -> Result<Option<(Rounds, bool)>> {
        let (mut before, mut ahead) = (0, 1);
        loop {
            let begin = Instant::now();
            let end = match self.row(post, columns, before, ahead, turn) {
                // A row of one round is submitted at once, or not at all.
                Err(Error::OutOfMemory { .. }) if before == 0 => return Ok(None),
                end => end?,
            };
            let (job, image) = match end {
                End::Clean => {
                    before += ahead;
                    if (turn.is_wanted)() {
                        return Ok(Some((self.recall(post, columns, before)?, true)));
                    }
                    ahead = match begin.elapsed() > LONG {
                        true => (ahead / 2).max(1),
                        false => MOST_ROUNDS.min(ahead * 2),
                    };
                    continue;
                }
                End::Stopped(job, _) if job % JOBS == PLACE => {
                    return Ok(Some((quiet(post, columns, before + job / JOBS)?, true)));
                }
                End::Stopped(job, image) => (job, image),
                End::Before(job) if job % JOBS == HANDLER => {
                    return Ok(Some((self.recall(post, columns, before + job / JOBS)?, false)));
                }
                End::Before(job) => (job, None),
            };
            let rounds = before + job / JOBS;
            let is_counted = job % JOBS > TALLY;
            let last = self.last(post, columns, (rounds, is_counted), image.as_ref())?;
            return Ok(Some((last, true)));
        }
    }

    /// One row of so many rounds after those before.
    fn row(&self, post: &Post, columns: &Columns, before: usize, rounds: usize, turn: &Turn<'_>) -> Result<End> {
        let Some(mut row) = self.executor.sequence() else {
            return Ok(End::Before(0));
        };
        let mut added = 0;
        let mut is_refused = false;
        'rounds: for round in before..before + rounds {
            let handler = self.handler(post, columns, round % 2);
            for job in std::iter::once(handler).chain(post.jobs(columns, round % 2)) {
                is_refused = !row.push(job, &(&[] as &[u32]))?;
                if is_refused {
                    break 'rounds;
                }
                added += 1;
            }
        }
        let mut ended = 0;
        while let Row {
            stopped: Some((number, mut running)),
            ..
        } = row.wait()?
        {
            let job = ended + number;
            let job_end = match self.bring_to_end(&mut *running, turn) {
                Err(Error::Ring(RingError::Closed { .. })) => return Ok(End::Before(job)),
                ended => ended?,
            };
            if job_end.has_trapped {
                let is_handler = job % JOBS == HANDLER;
                let image = if is_handler { Some(running.image()?) } else { None };
                return Ok(End::Stopped(job, image));
            }
            // What the job has left among its atomics goes back to where they stay.
            running.finish()?;
            ended = job + 1;
        }
        Ok(if is_refused { End::Before(added) } else { End::Clean })
    }

    /// The job in which actors handle the mail of a turn.
    fn handler(&self, post: &Post, columns: &Columns, turn: usize) -> Job {
        let slots = post.slots(columns, turn, self.states.slots([0, 0]));
        job(&self.program, self.actors, slots, None)
    }

    /// Ends rounds with one after so many others that the host has to see to, and that may count as handled already.
    fn last(
        &self,
        post: &Post,
        columns: &Columns,
        (rounds, is_counted): (usize, bool),
        image: Option<&Image>,
    ) -> Result<Rounds> {
        let said = post.ask(columns)?;
        let mail = self.mail(post, columns, rounds)?;
        let total: u32 = mail.iter().map(|mail| mail.end - mail.first).sum();
        let words = |column, each: usize| post.read(column, total * each as u32);
        let messages = words(&columns.messages, self.message_words)?;
        let answers = words(&columns.answers, self.answer_words)?;
        let letters = words(&columns.letters, self.sends * self.letter_words())?;
        let replies = words(&columns.rooms[REPLIES], self.rooms[REPLIES].words)?;
        let forwards = words(&columns.rooms[FORWARDS], self.rooms[FORWARDS].words)?;
        let contexts = post.read(&columns.contexts, columns.contexts.words)?;
        let handled = post.read(&columns.handled, self.actors)?;
        let mut batch = Batch::default();
        let mut own_answers = Vec::with_capacity(answers.len());
        let mut vms = Vec::with_capacity(mail.len());
        for Mail { actor, first, end } in mail {
            let begin = batch.places.len() as u32;
            let own = Mail {
                actor,
                first: begin,
                end: begin + (end - first),
            };
            batch.mail.push(own);
            batch.places.extend(own.first..own.end);
            batch.words.extend(part(&messages, first..end, self.message_words));
            own_answers.extend(part(&answers, first..end, self.answer_words));
            vms.push(Ended {
                vm: actor as usize,
                mail: own,
                first,
            });
        }
        let mut done = Handled {
            answers: own_answers.into(),
            ..Handled::default()
        };
        let left = Left {
            contexts: &contexts,
            handled: &handled,
            letters: &letters,
            rooms: [&replies, &forwards],
        };
        self.collect(vms.into_iter(), &left, image, &mut done);
        let own = if is_counted { u64::from(total) } else { 0 };
        Ok(Rounds {
            count: rounds as u64 + 1,
            handled: said.handled - own,
            left: Sent::default(),
            last: Some((batch, done)),
        })
    }

    /// Ends rounds in between: what is in the columns is left.
    fn recall(&self, post: &Post, columns: &Columns, rounds: usize) -> Result<Rounds> {
        let said = post.ask(columns)?;
        let messages = post.read(&columns.messages, said.total * self.message_words as u32)?;
        let mut left = Sent::default();
        for Mail { actor, first, end } in self.mail(post, columns, rounds)? {
            left.to.extend((first..end).map(|_| actor));
            left.words.extend(part(&messages, first..end, self.message_words));
        }
        Ok(Rounds {
            count: rounds as u64,
            handled: said.handled,
            left,
            last: None,
        })
    }

    /// The mail after so many rounds, of actors that have any.
    fn mail(&self, post: &Post, columns: &Columns, rounds: usize) -> Result<Vec<Mail>> {
        let words = post.read(&columns.mail[rounds % 2], self.actors * MAIL_WORDS as u32)?;
        let (mail, _) = words.as_chunks::<MAIL_WORDS>();
        let mail = mail.iter().map(|&[actor, first, end]| Mail { actor, first, end });
        Ok(mail.filter(|mail| mail.first < mail.end).collect())
    }
}

/// Ends rounds after which nobody has mail.
fn quiet(post: &Post, columns: &Columns, rounds: usize) -> Result<Rounds> {
    Ok(Rounds {
        count: rounds as u64 + 1,
        handled: post.ask(columns)?.handled,
        ..Rounds::default()
    })
}

/// The words of some of a column's entries, of so many words each.
fn part(column: &[u32], entries: Range<u32>, words: usize) -> &[u32] {
    &column[entries.start as usize * words..entries.end as usize * words]
}
