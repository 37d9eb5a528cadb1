//! Sequences of rounds: which jobs a round has, and where a sequence of them has ended. Jobs of more VMs than a sequence takes are cut into several, one after the other.

use std::ops::Range;
use std::sync::Arc;

use gpuvm_core::program::Program;
use gpuvm_engine::{Error as Failure, Image, Job, Running, Sequence, SequenceEnd};

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
    /// In a job before its last. If it is the handler's, how VMs stand of which some have trapped.
    Stopped(At, Vec<Standing>),
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

impl Standing {
    /// That of a job.
    fn of(running: &mut dyn Running, job: &Job) -> Result<Standing> {
        Ok(Standing {
            program: Arc::clone(&job.program),
            image: running.image().map_err(Failure::after_begin)?,
            first: job.first_vm,
        })
    }
}

/// A sequence of jobs on its way.
pub struct Begun {
    first: At,
    /// `None` if the engine has no sequences.
    sequence: Option<Box<dyn Sequence>>,
    added: Vec<(At, Added)>,
    /// The job that the engine has not taken.
    refused: Option<At>,
}

/// A job of a sequence, as far as it may be needed again.
enum Added {
    /// VMs of the handler, which are run alone where some before them have trapped.
    Handle(Box<Job>),
    Other,
}

/// A job of fewer VMs is not cut because a sequence does not take it.
const FEWEST_VMS: u32 = 256;

impl Begun {
    /// Adds a job, or parts of it.
    fn push(&mut self, at: At, job: Job) -> Result<()> {
        let Some(sequence) = &mut self.sequence else {
            return Ok(());
        };
        let mut rest = vec![job];
        while let Some(job) = rest.pop() {
            if sequence.push(job.clone(), &(&[] as &[u32]))? {
                let added = match at.step {
                    Step::Handle => Added::Handle(Box::new(job)),
                    _ => Added::Other,
                };
                self.added.push((at, added));
                continue;
            }
            if job.vms < 2 * FEWEST_VMS {
                self.refused = Some(at);
                break;
            }
            let half = job.vms / 2;
            rest.push(Job {
                first_vm: job.first_vm.wrapping_add(half),
                vms: job.vms - half,
                ..job.clone()
            });
            rest.push(Job { vms: half, ..job });
        }
        Ok(())
    }

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
        for (at, job) in jobs {
            begun.push(at, job)?;
            if begun.refused.is_some() {
                break;
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
            let at = added.get(ended + number).map_or(first, |(at, _)| *at);
            let job_end = match self.bring_to_end(&mut *running, turn) {
                Err(Error::Ring(RingError::Closed { .. })) => return Ok(End::Before(at)),
                Err(Error::OutOfMemory { reason }) => return Err(Error::Device { reason }),
                ended => ended?,
            };
            if job_end.has_trapped {
                if at.step == Step::Receive && own.depot.ask(columns, (at.round + 1) % 2)?.total == 0 {
                    return Ok(End::Quiet(at.round));
                }
                let mut standing = Vec::new();
                if let Some((_, Added::Handle(job))) = added.get(ended + number) {
                    standing.push(Standing::of(&mut *running, job)?);
                    drop((running, sequence));
                    self.handle_rest(added.get(ended + number + 1..).unwrap_or_default(), turn, &mut standing)?;
                }
                return Ok(End::Stopped(at, standing));
            }
            // What the job has left among its atomics goes back to where they stay.
            running.finish().map_err(Failure::after_begin)?;
            ended += number + 1;
            next = sequence.wait().map_err(Failure::after_begin)?;
        }
        Ok(refused.map_or(End::Clean, End::Before))
    }

    /// Lets the other actors of a round handle their mail after some have trapped, and collects how those VMs stand of which some trap as well.
    fn handle_rest(&self, rest: &[(At, Added)], turn: &Turn<'_>, standing: &mut Vec<Standing>) -> Result<()> {
        for (_, added) in rest {
            let Added::Handle(job) = added else { break };
            let mut running = self.executor.start(Job::clone(job), &(&[] as &[u32]))?;
            let ended = match self.bring_to_end(&mut *running, turn) {
                Err(Error::Ring(RingError::Closed { .. })) => break,
                ended => ended?,
            };
            if ended.has_trapped {
                standing.push(Standing::of(&mut *running, job)?);
            } else {
                running.finish().map_err(Failure::after_begin)?;
            }
        }
        Ok(())
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
