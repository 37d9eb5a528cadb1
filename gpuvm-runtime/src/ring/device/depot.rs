//! The depot of a kernel: the columns in the engine's memory in which its actors find mail and leave what comes of it. Its own rounds take
//! columns from here, and so do kernels that are linked to it, to bring its actors what theirs forward.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpuvm_engine::{DeviceMemory, Region};

use super::super::handler::{Entry, FORWARDS, REPLIES, ROOMS};
use super::MAIL_WORDS;
use super::columns::Columns;
use super::delivery::{APART, CELLS, ENOUGH, FEW, GROUP};
use super::rounds::ACTORS_PER_MESSAGE;
use crate::error::Result;

/// The depot.
pub struct Depot {
    pub memory: Arc<dyn DeviceMemory>,
    pub sizes: Sizes,
    /// Columns that nobody uses at the moment.
    free: Mutex<Vec<Columns>>,
}

/// How much there is of what.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub actors: u32,
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
    /// The depot of a kernel of so many actors, whose rounds have at most so many messages, without any columns.
    pub fn new(memory: Arc<dyn DeviceMemory>, entry: &Entry, actors: u32, share: usize) -> Depot {
        Depot {
            memory,
            sizes: Sizes {
                actors,
                message: entry.message.ty.words,
                answer: entry.returned.words,
                sends: entry.sends,
                forwards: entry.forwards() as u32,
                rooms: entry.rooms().map(|room| room.words as u32),
                share: u32::try_from(share).unwrap_or(u32::MAX),
            },
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
            share: _,
        } = self.sizes;
        let take = |count: u32, words: u32| self.memory.allocate(u64::from(count.max(1)) * u64::from(words.max(1)));
        let in_turns = |count, words| -> Result<[Region; 2]> { Ok([take(count, words)?, take(count, words)?]) };
        let groups = actors.div_ceil(GROUP) * APART;
        Ok(Columns {
            capacity,
            mail: in_turns(actors, MAIL_WORDS as u32)?,
            messages: in_turns(capacity, message)?,
            handled: in_turns(actors, 1)?,
            answers: take(capacity, answer)?,
            sent: take(actors, 1)?,
            stopped: take(actors, 1)?,
            letters: take(capacity.saturating_mul(sends), self.sizes.letter())?,
            rooms: [take(capacity, rooms[REPLIES])?, take(capacity, rooms[FORWARDS])?],
            links: take(capacity.saturating_mul(sends), 2)?,
            forwarded_links: take(capacity.saturating_mul(forwards), 2)?,
            lists: take(actors + groups, 1)?,
            places: take(groups, 1)?,
            order: take(capacity, 2)?,
            cells: take(CELLS as u32, 1)?,
            is_clean: false,
        })
    }

    fn free(&self) -> MutexGuard<'_, Vec<Columns>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sizes {
    /// Words of a message that was sent, with its actor.
    pub fn letter(&self) -> u32 {
        1 + self.message
    }
}
