//! Jobs: what runs the mail of a batch, one VM for each actor that has any, and what is taken over of each.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gpuvm_core::program::Program;
use gpuvm_engine::{Demand, Error as Failure, Finished, Image, Limit, Ran, Running, Words};

use super::super::batch::{Batch, Mail};
use super::super::handler::{FORWARDS, REPLIES};
use super::super::runner::{Handled, Trapped, Turn};
use super::layout::{Content, Layout, Left};
use super::{MAIL_WORDS, OnDevice};
use crate::error::{Error, Result, RingError};
use crate::logs;
use crate::trap::Trap;

/// How long a batch runs before somebody looks whether the kernel is to end.
const LOOK: Duration = Duration::from_millis(100);

impl OnDevice {
    /// Runs one job for some of the mail.
    pub(super) fn run(&mut self, mail: &[Mail], batch: &Batch, turn: &Turn<'_>, done: &mut Handled) -> Result<()> {
        let started = match self.serve(mail, batch, turn.now)? {
            Some(started) => started,
            None => {
                self.make_way()?;
                self.start(mail, batch, turn.now)?
            }
        };
        self.finish(started, mail, batch, turn, done)
    }

    /// Has the kernel that stays run a job for some of the mail, at a time of the kernel's clock; `None` if it does not take it.
    pub(super) fn serve(&mut self, mail: &[Mail], batch: &Batch, now: u64) -> Result<Option<Started>> {
        let Some(mut resident) = self.resident.take() else {
            return Ok(None);
        };
        let layout = self.layout(mail);
        let job = layout.job(self, mail.len() as u32);
        if !resident.takes(&job) {
            self.resident = Some(resident);
            return Ok(None);
        }
        let content = Content::new(self, &layout, mail, batch, now);
        let ran = match resident.run(job, &content) {
            // Where it can stay no longer it goes by launches from now on.
            Err(Failure::NotResident { .. }) => return Ok(None),
            ran => ran?,
        };
        self.resident = Some(resident);
        Ok(Some(Started { layout, ran }))
    }

    /// Starts a job for some of the mail, at a time of the kernel's clock.
    pub(super) fn start(&self, mail: &[Mail], batch: &Batch, now: u64) -> Result<Started> {
        let layout = self.layout(mail);
        let job = layout.job(self, mail.len() as u32);
        let content = Content::new(self, &layout, mail, batch, now);
        let ran = Ran::Stands(self.executor.start(job, &content)?);
        Ok(Started { layout, ran })
    }

    /// Lets a job that was started come to its end, and takes over what it has left.
    pub(super) fn finish(
        &mut self,
        Started { layout, ran }: Started,
        mail: &[Mail],
        batch: &Batch,
        turn: &Turn<'_>,
        done: &mut Handled,
    ) -> Result<()> {
        let mut running = match ran {
            Ran::Stands(running) => running,
            Ran::Halted(finished) => {
                self.take_over(&layout, finished, None, (mail, batch), done);
                return Ok(());
            }
        };
        let end = self.bring_to_end(&mut *running, turn)?;
        done.is_late |= end.is_late;
        let image = if end.has_trapped { Some(running.image()?) } else { None };
        let finished = running.finish()?;
        self.take_over(&layout, finished, image.as_ref(), (mail, batch), done);
        Ok(())
    }

    /// Takes over what a job has left, and how its VMs stand if one has trapped.
    fn take_over(
        &mut self,
        layout: &Layout,
        finished: Finished,
        image: Option<&Image>,
        (mail, batch): (&[Mail], &Batch),
        done: &mut Handled,
    ) {
        done.logs
            .append(logs::read(&self.program, self.actors, &finished.atomics));
        let words = finished.changed;
        let left = layout.left(&words);
        // Of the others there is nothing to tell.
        let is_told = |vm: usize| image.is_some() || self.shape.sends > 0 || left.handled[vm] == 0;
        let vms = mail.iter().enumerate().filter(|(vm, _)| is_told(*vm));
        let vms = vms.map(|(vm, mail)| Ended {
            vm,
            mail: *mail,
            first: mail.first - layout.of_batch.start,
        });
        let standing = image.map(|image| (&*self.program, image, 0));
        self.collect(vms, &left, standing.as_slice(), done);
        self.states.bring_back(layout.states(&words));
        let count = batch.places.len();
        take_answers(
            &mut done.answers,
            layout.answers(words),
            &layout.of_batch,
            (self.shape.answer_words, count),
        );
    }

    /// Lets a job run until no VM can go on.
    pub(super) fn bring_to_end(&self, running: &mut dyn Running, turn: &Turn<'_>) -> Result<JobEnd> {
        let limit = Limit {
            time: Some(LOOK),
            untimed: true,
            ..Limit::default()
        };
        let mut looks = 0;
        loop {
            let tally = running.advance(&limit, &mut |_| looks += 1)?;
            if tally.running == 0 && tally.yielded == 0 {
                return Ok(JobEnd {
                    has_trapped: tally.trapped > 0,
                    is_late: looks > 1,
                });
            }
            if turn.is_over.load(Ordering::Acquire) {
                let kernel = self.id.to_string();
                return Err(RingError::Closed { kernel }.into());
            }
        }
    }

    /// Collects how VMs have ended, and what their actors have sent, replied and forwarded, given how VMs of a program stand, from one on, of which some have trapped.
    pub(super) fn collect(
        &self,
        vms: impl Iterator<Item = Ended>,
        left: &Left<'_>,
        standing: &[(&Program, &Image, u32)],
        done: &mut Handled,
    ) {
        for Ended { vm, mail, first } in vms {
            let rest = Mail {
                first: mail.first + left.handled[vm],
                ..mail
            };
            let record = standing.iter().find_map(|(program, image, first)| {
                let vm = vm.checked_sub(*first as usize)?;
                Some((*program, image.vm(program, vm)?.trap?))
            });
            if left.handled[vm] == 0 && record.is_none() {
                done.held.push(mail);
                continue;
            }
            // What was replied and forwarded before an actor trapped counts.
            let begun = first..first + left.handled[vm] + u32::from(record.is_some());
            for (at, reply) in left.values(REPLIES, begun.clone(), self.shape.rooms[REPLIES]) {
                done.replied.to.push(mail.first + at);
                done.replied.words.extend_from_slice(reply);
            }
            for (_, letter) in left.values(FORWARDS, begun, self.shape.rooms[FORWARDS]) {
                done.forwarded.to.push(letter[0]);
                done.forwarded.words.extend_from_slice(&letter[1..]);
            }
            if let Some((program, record)) = record {
                let trap = Trap {
                    vm: mail.actor,
                    ..Trap::of(program, &record)
                };
                done.trapped.push(Trapped { rest, trap });
            } else if left.has_stopped(vm) {
                done.stopped.push(rest);
            }
            let sent = first as usize * self.shape.sends..left.sent(vm) as usize;
            for letter in left.letters(sent, self.shape.letter_words()) {
                done.sent.to.push(letter[0]);
                done.sent.words.extend_from_slice(&letter[1..]);
            }
        }
    }

    /// How much of this mail one job may have.
    pub(super) fn most(&mut self, mail: &[Mail]) -> usize {
        let mut most = mail.len();
        while most > 0 && !self.fits(&mail[..most]) {
            most /= 2;
        }
        if most == 0 && self.on_their_own.as_ref().is_some_and(|own| own.depot.make_way()) {
            return self.most(mail);
        }
        most
    }

    /// Runs several jobs for the mail of one actor.
    pub(super) fn run_in_pieces(
        &mut self,
        mail: Mail,
        batch: &Batch,
        turn: &Turn<'_>,
        done: &mut Handled,
    ) -> Result<()> {
        let mut piece = mail;
        while piece.first < mail.end {
            if turn.is_over.load(Ordering::Acquire) {
                done.held.push(Mail { end: mail.end, ..piece });
                break;
            }
            while !self.fits(&[piece]) {
                let messages = piece.end - piece.first;
                if messages < 2 {
                    return Err(Error::TooLarge {
                        routine: self.program.name.clone(),
                        words: self.layout(&[piece]).words() as u64,
                        vms: 1,
                        engine: self.engine,
                    });
                }
                piece.end = piece.first + messages / 2;
            }
            self.run(&[piece], batch, turn, done)?;
            // The actor may have ended in this piece, and then handles none of the others.
            let trapped = done.trapped.last_mut().map(|trapped| &mut trapped.rest);
            let mut ended = trapped.into_iter().chain(done.stopped.last_mut());
            if let Some(rest) = ended.find(|rest| rest.actor == mail.actor) {
                rest.end = mail.end;
                break;
            }
            let messages = piece.end - piece.first;
            (piece.first, piece.end) = (piece.end, mail.end.min(piece.end + messages));
        }
        Ok(())
    }

    /// Whether one job may have so much mail.
    pub(super) fn fits(&self, mail: &[Mail]) -> bool {
        let per_vm = MAIL_WORDS + 1 + if self.shape.sends > 0 { 2 } else { 0 };
        let demand = Demand {
            shared_words: (self.layout(mail).words() - mail.len() * per_vm) as u64,
            words_per_vm: per_vm as u64,
            atomic_words: self.log.len() as u64,
            vms: mail.len() as u32,
            ..Demand::default()
        };
        self.executor.capacity(&self.program, &demand) as usize >= mail.len()
    }
}

/// A job for some of a batch's mail that was started.
pub struct Started {
    layout: Layout,
    pub ran: Ran,
}

/// How a job has come to its end.
pub struct JobEnd {
    pub has_trapped: bool,
    /// Whether VMs were not done when the host first looked.
    is_late: bool,
}

/// A VM that has ended.
pub struct Ended {
    pub vm: usize,
    /// Its mail, as those count it who gave it.
    pub mail: Mail,
    /// Its first message, as the job counts them.
    pub first: u32,
}

/// Takes the answers to those messages of a batch, of so many words each, to those of the jobs before. If they are answers to all messages
/// they stay where they are.
fn take_answers(answers: &mut Words, own: Words, messages: &Range<u32>, (size, count): (usize, usize)) {
    if messages.len() == count {
        *answers = own;
        return;
    }
    let mut all = std::mem::take(answers).into_vec();
    all.resize(count * size, 0);
    all[messages.start as usize * size..messages.end as usize * size].copy_from_slice(&own);
    *answers = all.into();
}
