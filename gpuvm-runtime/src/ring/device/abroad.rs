//! Rounds of actors that are on several devices, as one of these has its part of them: what its actors handle and what leaves, and what has come for them.

use gpuvm_engine::Region;

use super::super::batch::Batch;
use super::super::runner::{Rounds, Turn};
use super::OnDevice;
use super::columns::{Columns, Said, part};
use super::rounds::OnTheirOwn;
use super::sequence::{At, End, Step};
use crate::error::{Error, Result};

/// How a device's part of a round has gone.
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
    pub fn enter(&mut self, batch: &Batch, messages: usize, now: u64, stopped: &[u32]) -> Result<Option<Columns>> {
        self.make_way()?;
        let Some(own) = self.on_their_own.as_mut().filter(|own| own.goes_round()) else {
            return Ok(None);
        };
        let mut fill = || {
            own.get_ready(None)?;
            let columns = own.depot.take(messages.max(batch.places.len()))?;
            own.depot.fill(&columns, batch, now, stopped)?;
            Ok(columns)
        };
        match fill() {
            Err(Error::OutOfMemory { .. }) => Ok(None),
            columns => columns.map(Some),
        }
    }

    /// Lets its actors handle their mail of a round, and gets ready what leaves.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn leave(&self, columns: &Columns, round: usize, turn: &Turn<'_>) -> Result<Option<Gone>> {
        let Some((own, post)) = self.own().and_then(|own| Some((own, own.post.as_ref()?))) else {
            return Ok(None);
        };
        own.depot.empty_boxes(columns)?;
        let handle = self.handle_job(own, columns, round % 2);
        let jobs = std::iter::once(handle).chain(post.leave(columns, round % 2));
        let jobs = jobs.map(|(step, job)| (At { round, step }, job));
        let end = self.run_jobs((own, columns), round, jobs, turn)?;
        let said = own.depot.ask(columns, (round + 1) % 2)?;
        Ok(Some(Gone { end, said }))
    }

    /// Brings its actors what they have sent each other in a round, and so many letters that have come from others.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn arrive(&self, columns: &Columns, round: usize, letters: u32, turn: &Turn<'_>) -> Result<Option<Gone>> {
        let Some((own, post)) = self.own().and_then(|own| Some((own, own.post.as_ref()?))) else {
            return Ok(None);
        };
        let jobs = post
            .arrive(columns, letters)
            .into_iter()
            .chain(post.jobs(columns, round % 2));
        let jobs = jobs.map(|(step, job)| (At { round, step }, job));
        let end = self.run_jobs((own, columns), round, jobs, turn)?;
        let said = own.depot.ask(columns, (round + 1) % 2)?;
        Ok(Some(Gone { end, said }))
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
        match end {
            End::Before(at) if at.step <= Step::Handle => self.recall(&own.depot, columns, round),
            End::Stopped(_, standing) => self.last(&own.depot, columns, round, standing.as_ref()),
            End::Clean | End::Quiet(_) | End::Before(_) => self.last(&own.depot, columns, round, None),
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
