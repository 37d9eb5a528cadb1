//! Rounds of actors that are on several devices, as one of these has its part of them: what its actors handle and what leaves, and what has come for them.

use gpuvm_engine::{Job, Region};

use super::super::batch::BatchPart;
use super::super::runner::{Rounds, Turn};
use super::OnDevice;
use super::columns::{Columns, Said, part};
use super::rounds::OnTheirOwn;
use super::sequence::{At, Begun, End, Step};
use crate::error::{Error, Result};

/// A step of a device's part of rounds.
#[derive(Clone, Copy)]
pub enum Go {
    /// Its actors handle their mail, and what they send to others gets ready to leave.
    Leave,
    /// Its actors are brought what they have sent each other, and so many letters that have come from others.
    Arrive(u32),
    /// Both: what there is for a round's actors to handle, and the next round.
    On(u32),
}

/// How a step has gone.
pub struct Gone {
    pub end: End,
    /// What its cells say then, of the next turn.
    pub said: Said,
}

/// What goes to another device, or comes from there: letters, and who has sent them.
pub struct Passage {
    pub letters: Region,
    pub senders: Region,
}

impl Gone {
    /// That not even the first job of a round was taken.
    fn refused(round: usize) -> Gone {
        let step = Step::Handle;
        Gone {
            end: End::Before(At { round, step }),
            said: Said::default(),
        }
    }
}

impl OnDevice {
    /// What its actors need on their own, where these are on several devices.
    fn own(&self) -> Option<&OnTheirOwn> {
        self.on_their_own.as_ref().filter(|own| own.goes_round())
    }

    /// Whether its actors go on by themselves with what they and others send each other.
    pub fn crosses(&self) -> bool {
        self.own().is_some()
    }

    /// Columns with a batch as the first mail, with room for so many messages and no less than these; `None` if there is no memory for them.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn enter(
        &mut self,
        batch: &BatchPart<'_>,
        messages: usize,
        now: u64,
        stopped: &[u32],
    ) -> Result<Option<Columns>> {
        self.make_way()?;
        let Some(own) = self.on_their_own.as_mut().filter(|own| own.goes_round()) else {
            return Ok(None);
        };
        let mut fill = || {
            own.get_ready(None)?;
            let columns = own.depot.take(messages.max(batch.messages as usize))?;
            own.depot.fill(&columns, batch, now, stopped)?;
            Ok(columns)
        };
        match fill() {
            Err(Error::OutOfMemory { .. }) => Ok(None),
            columns => columns.map(Some),
        }
    }

    /// Begins to take its part of rounds a step further, after so many of them; `None` if there is no room for that.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn begin_to_go(&self, columns: &Columns, round: usize, go: Go) -> Result<Option<Begun>> {
        let Some((own, post)) = self.own().and_then(|own| Some((own, own.post.as_ref()?))) else {
            return Ok(None);
        };
        let arrive = |letters: u32, round: usize| {
            let jobs = post.arrive(columns, letters).into_iter();
            let jobs = jobs.chain(post.jobs(columns, round % 2));
            jobs.map(move |(step, job)| (At { round, step }, job))
        };
        let leave = |round: usize| {
            let handle = std::iter::once(self.handle_job(own, columns, round % 2));
            let jobs = handle.chain(post.leave(columns, round % 2));
            jobs.map(move |(step, job)| (At { round, step }, job))
        };
        let jobs: Vec<(At, Job)> = match go {
            Go::Leave => leave(round).collect(),
            Go::Arrive(letters) => arrive(letters, round).collect(),
            Go::On(letters) => arrive(letters, round).chain(leave(round + 1)).collect(),
        };
        let begin = || {
            let mut begun = self.begin_jobs(round, jobs.into_iter())?;
            begun.flush()?;
            Ok(begun)
        };
        match begin() {
            Err(Error::OutOfMemory { .. }) => Ok(None),
            begun => begun.map(Some),
        }
    }

    /// Waits for the step that was begun after so many rounds.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn go(&self, columns: &Columns, round: usize, begun: Option<Begun>, turn: &Turn<'_>) -> Result<Gone> {
        let (Some(own), Some(begun)) = (self.own(), begun) else {
            return Ok(Gone::refused(round));
        };
        let end = match self.end_jobs((own, columns), begun, turn) {
            Err(Error::OutOfMemory { .. }) => return Ok(Gone::refused(round)),
            end => end?,
        };
        let said = own.depot.ask(columns, (round + 1) % 2)?;
        Ok(Gone { end, said })
    }

    /// Where so many letters to another device are.
    pub fn leaving(&self, columns: &Columns, device: usize, letters: u32) -> Option<Passage> {
        let (own, crossing) = (self.own()?, columns.crossing.as_ref()?);
        let (size, first) = (own.depot.sizes.letter(), device * crossing.room as usize);
        Some(Passage {
            letters: part(&crossing.leaving, first * size as usize, letters * size),
            senders: part(&crossing.senders, first, letters),
        })
    }

    /// Where so many letters from other devices come to lie, after so many others; `None` if there is no room for them.
    pub fn arriving(&self, columns: &Columns, before: u32, letters: u32) -> Option<Passage> {
        let (own, crossing) = (self.own()?, columns.crossing.as_ref()?);
        let sizes = own.depot.sizes;
        if before.checked_add(letters)? > columns.capacity {
            return None;
        }
        let size = sizes.letter();
        let first = (columns.capacity * sizes.sends + before) as usize;
        Some(Passage {
            letters: part(&columns.letters, first * size as usize, letters * size),
            senders: part(&crossing.arrived, before as usize, letters),
        })
    }

    /// Brings letters from a device.
    ///
    /// # Errors
    ///
    /// When a device fails.
    pub fn fetch(&self, from: &OnDevice, (leaving, arriving): (&Passage, &Passage)) -> Result<()> {
        let (Some(own), Some(others)) = (self.own(), from.own()) else {
            return Ok(());
        };
        let (here, there) = (&own.depot, &others.depot);
        for (from, to) in [
            (&leaving.letters, &arriving.letters),
            (&leaving.senders, &arriving.senders),
        ] {
            if here.is_beside(there) {
                here.memory.copy(from, to)?;
            } else if !here.memory.copy_from(&*there.memory, from, to)? {
                here.memory.write(to, &&*there.memory.read(from)?)?;
            }
        }
        Ok(())
    }

    /// What has become of its part of rounds whose last has ended like this, after so many others.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn see_part(&self, columns: &Columns, round: usize, end: &End) -> Result<Rounds> {
        let Some(own) = self.own() else {
            return Ok(Rounds::default());
        };
        let round = end.round().unwrap_or(round);
        match end {
            End::Before(at) if at.step <= Step::Handle => self.recall(&own.depot, columns, round),
            End::Stopped(_, standing) => self.last(&own.depot, columns, round, standing),
            End::Clean | End::Quiet(_) | End::Before(_) => self.last(&own.depot, columns, round, &[]),
        }
    }

    /// Ends its part of rounds in between, after so many of them.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn recall_part(&self, columns: &Columns, rounds: usize) -> Result<Rounds> {
        match self.own() {
            Some(own) => self.recall(&own.depot, columns, rounds),
            None => Ok(Rounds::default()),
        }
    }

    /// Takes back columns, given whether they are [clean](Columns::is_clean).
    pub fn put_back(&self, columns: Columns, is_clean: bool) {
        if let Some(own) = self.own() {
            own.depot.put(columns, is_clean);
        }
    }

    /// Has actors go by the host from now on.
    pub fn stay(&mut self) {
        self.on_their_own = None;
    }
}
