//! Who the devices of a team belong to: all to this process, or one to each of several ranks.

use std::sync::Arc;

use gpuvm_core::program::Program;

use super::shares::Shares;
use crate::Words;
use crate::error::{Error, Result};
use crate::ranks::{Ranks, Wire, from_words, garbled, gathered, words};

/// The devices of a team, by their numbers.
pub(super) struct Group {
    pub shares: Shares,
    /// The ranks, if each has one of them.
    ranks: Option<Arc<dyn Ranks>>,
}

impl Group {
    /// So many devices of this process.
    pub fn here(members: usize, always: bool) -> Group {
        let cuts = always.then_some(true);
        Group {
            shares: Shares::new(members, cuts),
            ranks: None,
        }
    }

    /// One device of each rank.
    pub fn of_ranks(ranks: Arc<dyn Ranks>, cuts: Option<bool>) -> Group {
        Group {
            shares: Shares::new(ranks.count(), cuts),
            ranks: Some(ranks),
        }
    }

    /// How many devices there are.
    pub fn members(&self) -> usize {
        self.shares.members()
    }

    /// The ranks, if each has a device.
    pub fn ranks(&self) -> Option<&Arc<dyn Ranks>> {
        self.ranks.as_ref()
    }

    /// Whether a device is one of this process.
    pub fn is_here(&self, member: usize) -> bool {
        self.ranks.as_ref().is_none_or(|ranks| ranks.own() == member)
    }

    /// What a device has done, which is lost if that is because it was. The other ranks do not go on without this one's.
    pub fn of<T>(&self, member: usize, done: Result<T>) -> Result<T> {
        if let Err(error) = &done {
            match &self.ranks {
                Some(ranks) => ranks.fail(&error.to_string()),
                None if matches!(error, Error::DeviceLost { .. }) => self.shares.lose(member),
                None => {}
            }
        }
        done
    }

    /// Whether work is on several devices to find out if it is worth them.
    pub fn is_trying(&self, program: &Arc<Program>, vms: u32) -> bool {
        self.ranks.is_none() && self.shares.is_open(program, vms)
    }

    /// What each of these devices gives, of which those that are not here are another rank's.
    pub fn each<T: Wire>(&self, members: &[usize], mut here: impl FnMut(usize) -> Result<T>) -> Result<Vec<T>> {
        let Some(ranks) = &self.ranks else {
            return members.iter().map(|member| here(*member)).collect();
        };
        let own = match members.contains(&ranks.own()) {
            true => words(&here(ranks.own())?),
            false => Vec::new(),
        };
        let all = ranks.gather(&own)?;
        let told = |member: &usize| from_words(&all[*member]).ok_or_else(garbled);
        members.iter().map(told).collect()
    }

    /// What a device gives, also on other ranks than its own.
    pub fn told<T: Wire>(&self, member: usize, here: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut here = Some(here);
        let mut all = self.each(&[member], |_| match here.take() {
            Some(here) => here(),
            None => Err(garbled()),
        })?;
        all.pop().ok_or_else(garbled)
    }

    /// What all ranks say of something together, each by its own device.
    pub fn agree<T: Wire>(&self, own: T, both: impl Fn(T, T) -> T) -> Result<T> {
        let Some(ranks) = &self.ranks else {
            return Ok(own);
        };
        let all = gathered(&**ranks, &own)?;
        all.into_iter().reduce(both).ok_or_else(garbled)
    }

    /// So many words that a device has, also on other ranks than its own.
    pub fn words_of(&self, member: usize, count: usize, read: impl FnOnce() -> Result<Words>) -> Result<Words> {
        let Some(ranks) = &self.ranks else {
            return read();
        };
        let mut all = match self.is_here(member) {
            true => read()?.into_vec(),
            false => crate::touched(count),
        };
        ranks.broadcast(member, &mut all)?;
        Ok(all.into())
    }

    /// Takes so many words from one device to another.
    pub fn carry(
        &self,
        (from, to, count): (usize, usize, usize),
        read: impl FnOnce() -> Result<Words>,
        write: impl FnOnce(&Words) -> Result<()>,
    ) -> Result<()> {
        let Some(ranks) = self.ranks.as_ref().filter(|_| from != to) else {
            return match self.is_here(from) {
                true => write(&read()?),
                false => Ok(()),
            };
        };
        if self.is_here(from) {
            ranks.send(to, read()?)
        } else if self.is_here(to) {
            let mut all = crate::touched(count);
            ranks.receive(from, &mut all)?;
            write(&all.into())
        } else {
            Ok(())
        }
    }
}

impl std::fmt::Debug for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Group")
            .field("shares", &self.shares)
            .finish_non_exhaustive()
    }
}
