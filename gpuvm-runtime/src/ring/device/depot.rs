//! The depot of a kernel: the columns in the engine's memory in which its actors find mail and leave what comes of it. Its own rounds take
//! columns from here, and so do kernels that are linked to it, to bring its actors what theirs forward.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpuvm_engine::{DeviceMemory, Job, Region};

use super::super::handler::{Entry, FORWARDS, REPLIES, ROOMS};
use super::Here;
use super::MAIL_WORDS;
use super::columns::{Columns, Crossing};
use super::crossing::LEAVING;
use super::delivery::{APART, CELLS, ENOUGH, FEW, GROUP};
use super::rounds::ACTORS_PER_MESSAGE;
use crate::error::Result;

/// The depot.
pub struct Depot {
    pub memory: Arc<dyn DeviceMemory>,
    pub sizes: Sizes,
    /// One past the last actor of each device.
    pub ends: Arc<[u32]>,
    /// Columns that nobody uses at the moment.
    free: Mutex<Vec<Columns>>,
}

/// How much there is of what.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub actors: u32,
    /// Those of them that are on the device: the first, and one past the last.
    pub first: u32,
    pub end: u32,
    /// How many devices have some.
    pub devices: u32,
    /// Words of a message, and of an answer.
    pub message: u32,
    pub answer: u32,
    /// The most messages that an actor sends while it handles one.
    pub sends: u32,
    /// The most that it forwards.
    pub forwards: u32,
    /// Words of a message's rooms; 0 if there are none.
    pub rooms: [u32; ROOMS],
    /// The most messages of a round.
    pub share: u32,
}

/// Columns that are kept for others to come: one for those that bring messages, one that waits and one for the actors.
const MOST_FREE: usize = 3;

impl Depot {
    /// The depot of a kernel whose rounds have at most so many messages, for those of its actors that are on a device, without any columns.
    pub fn new(memory: Arc<dyn DeviceMemory>, entry: &Entry, (actors, here): (u32, &Here), share: usize) -> Depot {
        Depot {
            memory,
            sizes: Sizes {
                actors,
                first: here.actors.start,
                end: here.actors.end,
                devices: here.ends.len() as u32,
                message: entry.message.ty.words,
                answer: entry.returned.words,
                sends: entry.sends,
                forwards: entry.forwards() as u32,
                rooms: entry.rooms().map(|room| room.words as u32),
                share: u32::try_from(share).unwrap_or(u32::MAX),
            },
            ends: here.ends.clone(),
            free: Mutex::default(),
        }
    }

    /// Whether its columns are in the same memory as another one's.
    pub fn is_beside(&self, other: &Depot) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.memory), Arc::as_ptr(&other.memory))
    }

    /// Columns with room for so many messages, whose content is anything.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the engine has no such room.
    pub fn take(&self, messages: usize) -> Result<Columns> {
        let mut free = self.free();
        if let Some(at) = free.iter().position(|columns| columns.capacity as usize >= messages) {
            return Ok(free.swap_remove(at));
        }
        // Their room may be needed.
        free.clear();
        drop(free);
        let capacity = (messages + messages / 2).next_power_of_two();
        let most = messages.max(self.sizes.share as usize);
        self.allocate(u32::try_from(capacity.min(most)).unwrap_or(u32::MAX))
    }

    /// The same without any messages, to put those of other kernels' actors in.
    ///
    /// # Errors
    ///
    /// As [`Depot::take`]; or when the device fails.
    pub fn take_empty(&self, messages: usize) -> Result<Columns> {
        let columns = self.take(messages)?;
        if !columns.is_clean {
            for column in [&columns.lists, &columns.stopped] {
                self.write(column, &vec![0; column.words as usize])?;
            }
        }
        let mut cells = self.cells(&columns, 0, 0);
        // None is no mail, and then the others go on.
        (cells[FEW], cells[ENOUGH]) = (1, self.sizes.actors.div_ceil(ACTORS_PER_MESSAGE));
        self.write(&columns.cells, &cells)?;
        Ok(columns)
    }

    /// Takes back columns that nobody uses any more, given whether they are [clean](Columns::is_clean).
    pub fn put(&self, columns: Columns, is_clean: bool) {
        let mut free = self.free();
        if free.len() < MOST_FREE {
            free.push(Columns { is_clean, ..columns });
        }
    }

    /// Gives the memory of columns back that nobody uses. Whether there was any.
    pub fn make_way(&self) -> bool {
        let mut free = self.free();
        let were_any = !free.is_empty();
        free.clear();
        were_any
    }

    fn allocate(&self, capacity: u32) -> Result<Columns> {
        let Sizes {
            actors,
            message,
            answer,
            sends,
            forwards,
            rooms,
            devices,
            first: _,
            end: _,
            share: _,
        } = self.sizes;
        let take = |count: u32, words: u32| self.memory.allocate(u64::from(count.max(1)) * u64::from(words.max(1)));
        let in_turns = |count, words| -> Result<[Region; 2]> { Ok([take(count, words)?, take(count, words)?]) };
        let groups = actors.div_ceil(GROUP) * APART;
        let own = capacity.saturating_mul(sends);
        // A device's actors have room for as many messages, wherever these come from.
        let (arrived, boxes, cells) = match devices {
            1 => (0, 0, CELLS),
            _ => (capacity, groups * devices, LEAVING + devices as usize),
        };
        let crossing = || -> Result<Crossing> {
            Ok(Crossing {
                room: own,
                places: take(boxes, 1)?,
                leaving: take(own.saturating_mul(devices), self.sizes.letter())?,
                senders: take(own.saturating_mul(devices), 1)?,
                arrived: take(arrived, 1)?,
            })
        };
        Ok(Columns {
            capacity,
            mail: in_turns(actors, MAIL_WORDS as u32)?,
            messages: in_turns(capacity, message)?,
            handled: in_turns(actors, 1)?,
            answers: take(capacity, answer)?,
            sent: take(actors, 1)?,
            stopped: take(actors, 1)?,
            letters: take(own.saturating_add(arrived), self.sizes.letter())?,
            rooms: [take(capacity, rooms[REPLIES])?, take(capacity, rooms[FORWARDS])?],
            links: take(own.saturating_add(arrived), 2)?,
            forwarded_links: take(capacity.saturating_mul(forwards), 2)?,
            lists: take(actors + groups + boxes, 1)?,
            places: take(groups, 1)?,
            order: take(capacity, 2)?,
            cells: take(cells as u32, 1)?,
            crossing: if devices > 1 { Some(crossing()?) } else { None },
            is_clean: false,
        })
    }

    fn free(&self) -> MutexGuard<'_, Vec<Columns>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sizes {
    /// A job of a VM for each actor, for those that are on the device.
    pub fn of_own(&self, job: Job) -> Job {
        Job {
            first_vm: self.first,
            vms: self.end - self.first,
            vm_count: self.actors,
            ..job
        }
    }

    /// Words of a message that was sent, with its actor.
    pub fn letter(&self) -> u32 {
        1 + self.message
    }
}
