//! Sequences of rounds: which jobs a round has, and where a sequence of them has ended.

use std::ops::Range;
use std::sync::Arc;

use gpuvm_core::program::Program;
use gpuvm_engine::{Error as Failure, Image, Job, Sequence, SequenceEnd};

use super::super::runner::Turn;
use super::OnDevice;
use super::columns::Columns;
use super::courier::Courier;
use super::post::job;
use super::rounds::{OnTheirOwn, Place};
use crate::error::{Error, Result, RingError};

/// The jobs of a round, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Lets actors handle their mail, and puts what they send into its receivers' lists.
    Handle,
    /// Three jobs that bring what they forward to actors of the linked kernel.
    Forward,
    /// Lays out what goes to other devices.
    Seal,
    /// Puts it there.
    Pack,
    /// Puts what has come from other devices into its receivers' lists.
    Unpack,
    /// Lays out the next mail, and counts what was handled.
    Address,
    /// Brings actors their mail. Traps if nobody has any.
    Receive,
}

/// A job among those of rounds.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// How many rounds were before.
    pub round: usize,
    pub step: Step,
}

/// How a sequence of rounds has ended.
pub enum End {
    /// With nothing that the host has to see to.
    Clean,
    /// In the last job of so many rounds and one more, because nobody has mail any more.
    Quiet(usize),
    /// In a job before its last, and how its VMs stand if it is the handler's and one of them has trapped.
    Stopped(At, Option<Standing>),
    /// Before a job, which the engine has not taken or the kernel's end has cut short.
    Before(At),
}

/// How the VMs of a handler's job stand.
pub struct Standing {
    pub program: Arc<Program>,
    pub image: Image,
    /// The actor of the first of them.
    pub first: u32,
}

/// A sequence of jobs on its way.
pub struct Begun {
    first: At,
    /// `None` if the engine has no sequences.
    sequence: Option<Box<dyn Sequence>>,
    added: Vec<At>,
    /// The job that the engine has not taken.
    refused: Option<At>,
}

impl Begun {
    /// Hands all of it to the device, so that it is at work while nobody waits.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn flush(&mut self) -> Result<()> {
        match &mut self.sequence {
            Some(sequence) => Ok(sequence.flush()?),
            None => Ok(()),
        }
    }
}

impl End {
    /// Whether everything that was sent in the last round has been delivered.
    pub fn is_delivered(&self) -> bool {
        matches!(self, End::Clean | End::Quiet(_))
    }

    /// The round in which the sequence has ended before its last job.
    pub fn round(&self) -> Option<usize> {
        match self {
            End::Clean => None,
            &End::Quiet(round) => Some(round),
            End::Stopped(at, _) | End::Before(at) => Some(at.round),
        }
    }

    /// The step before whose end the sequence has ended.
    pub fn step(&self) -> Option<Step> {
        match self {
            End::Clean | End::Quiet(_) => None,
            End::Stopped(at, _) | End::Before(at) => Some(at.step),
        }
    }
}

impl OnDevice {
    /// One sequence of these rounds.
    pub(super) fn sequence(
        &self,
        own: &OnTheirOwn,
        place: Place<'_>,
        rounds: Range<usize>,
        turn: &Turn<'_>,
    ) -> Result<End> {
        let first = rounds.start;
        let jobs = rounds.flat_map(|round| {
            let jobs = self.jobs(own, place, round).into_iter();
            jobs.map(move |(step, job)| (At { round, step }, job))
        });
        self.end_jobs((own, place.columns), self.begin_jobs(first, jobs)?, turn)
    }

    /// Begins a sequence of jobs of rounds, from one on.
    pub(super) fn begin_jobs(&self, round: usize, jobs: impl Iterator<Item = (At, Job)>) -> Result<Begun> {
        let mut begun = Begun {
            first: At {
                round,
                step: Step::Handle,
            },
            sequence: self.executor.sequence(),
            added: Vec::new(),
            refused: None,
        };
        if let Some(sequence) = &mut begun.sequence {
            for (at, job) in jobs {
                if !sequence.push(job, &(&[] as &[u32]))? {
                    begun.refused = Some(at);
                    break;
                }
                begun.added.push(at);
            }
        }
        Ok(begun)
    }

    /// Waits for a sequence that was begun.
    pub(super) fn end_jobs(
        &self,
        (own, columns): (&OnTheirOwn, &Columns),
        begun: Begun,
        turn: &Turn<'_>,
    ) -> Result<End> {
        let Begun {
            first,
            sequence,
            added,
            refused,
        } = begun;
        let Some(mut sequence) = sequence else {
            return Ok(End::Before(first));
        };
        let mut ended = 0;
        let mut next = sequence.wait()?;
        while let SequenceEnd {
            stopped: Some((number, mut running)),
            ..
        } = next
        {
            let at = added.get(ended + number).copied().unwrap_or(first);
            let job_end = match self.bring_to_end(&mut *running, turn) {
                Err(Error::Ring(RingError::Closed { .. })) => return Ok(End::Before(at)),
                Err(Error::OutOfMemory { reason }) => return Err(Error::Device { reason }),
                ended => ended?,
            };
            if job_end.has_trapped {
                if at.step == Step::Receive && own.depot.ask(columns, (at.round + 1) % 2)?.total == 0 {
                    return Ok(End::Quiet(at.round));
                }
                let standing = match at.step {
                    Step::Handle => Some(Standing {
                        program: Arc::clone(self.handler(own)),
                        image: running.image().map_err(Failure::after_begin)?,
                        first: own.depot.sizes.first,
                    }),
                    _ => None,
                };
                return Ok(End::Stopped(at, standing));
            }
            // What the job has left among its atomics goes back to where they stay.
            running.finish().map_err(Failure::after_begin)?;
            ended += number + 1;
            next = sequence.wait().map_err(Failure::after_begin)?;
        }
        Ok(refused.map_or(End::Clean, End::Before))
    }

    /// The jobs of a round.
    fn jobs(&self, own: &OnTheirOwn, place: Place<'_>, round: usize) -> Vec<(Step, Job)> {
        let (columns, turn) = (place.columns, round % 2);
        let mut jobs = vec![self.handle_job(own, columns, turn)];
        let forward = own.courier.as_ref().and_then(|courier| courier.jobs(columns, turn));
        jobs.extend(forward.into_iter().flatten());
        if let Some(post) = &own.post {
            jobs.extend(post.jobs(columns, turn));
        }
        jobs
    }

    /// The job in which actors handle the mail of a turn.
    pub(super) fn handle_job(&self, own: &OnTheirOwn, columns: &Columns, turn: usize) -> (Step, Job) {
        let mut slots = own.depot.slots(columns, turn, self.states.slots([0, 0]));
        let mut lists = None;
        if let Some(post) = &own.post {
            let (more, atomics) = post.slots(columns);
            slots.extend(more);
            lists = Some(atomics);
        }
        let handle = job(self.handler(own), self.actors, slots, lists);
        (Step::Handle, own.depot.sizes.of_own(handle))
    }

    /// What each actor does in a round.
    fn handler<'o>(&'o self, own: &'o OnTheirOwn) -> &'o Arc<Program> {
        let has_courier = own.courier.as_ref().is_some_and(Courier::is_ready);
        own.post
            .as_ref()
            .map_or(&self.program, |post| post.handler(has_courier))
    }
}
