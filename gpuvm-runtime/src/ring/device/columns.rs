//! The columns of a round in an engine's memory: how the host fills them and reads them.

use gpuvm_core::program::ParamSlot;
use gpuvm_engine::{Region, Slot, Words};

use super::super::batch::{BatchPart, Mail};
use super::super::handler::ROOMS;
use super::crossing::{ARRIVED, DEVICES, END, ENDS, FIRST, LEAVING, ROOM};
use super::delivery::{ACTORS, ANY_STOPPED, CAPACITY, ENOUGH, HANDLED, NOW, total};
use super::depot::{Depot, Sizes};
use super::layout::time_words;
use super::{MAIL_WORDS, NOW_WORDS};
use crate::error::Result;

/// The columns of a round. A clone is another handle to them.
#[derive(Clone)]
pub struct Columns {
    /// Messages that there is room for.
    pub capacity: u32,
    /// The mail of the round under way and of the one after it, in turns.
    pub mail: [Region; 2],
    /// Their messages.
    pub messages: [Region; 2],
    /// How many messages each actor has handled of them.
    pub handled: [Region; 2],
    pub answers: Region,
    /// How far what each actor has sent has come among the letters, and whether it has stopped.
    pub sent: Region,
    pub stopped: Region,
    pub letters: Region,
    /// The rooms of the messages.
    pub rooms: [Region; ROOMS],
    /// Of each letter, and of each message that is forwarded, the one before it in its receiver's list and who has sent it.
    pub links: Region,
    pub forwarded_links: Region,
    /// The last letter of each actor's list, and how many letters there are for each group of actors.
    pub lists: Region,
    /// Where the next messages of each group go.
    pub places: Region,
    /// Who has sent the messages, and their numbers among the letters.
    pub order: Region,
    pub cells: Region,
    /// What goes to other devices and comes from there, if there are any.
    pub crossing: Option<Crossing>,
    /// Whether all lists are empty and no actor has stopped, as far as they say, unless one has: then no mail is handled in them before they
    /// are filled.
    pub is_clean: bool,
}

/// Columns of what goes from device to device.
#[derive(Clone)]
pub struct Crossing {
    /// Letters that there is room for to each device.
    pub room: u32,
    /// Where the next letters of each group go, device by device.
    pub places: Region,
    /// The letters, and who has sent them.
    pub leaving: Region,
    pub senders: Region,
    /// Who has sent the letters that have come. They lie behind those of the device's own actors.
    pub arrived: Region,
}

/// What the cells say.
#[derive(Default)]
pub struct Said {
    /// Messages of the turn that were not counted as handled.
    pub total: u32,
    /// Messages that were handled.
    pub handled: u64,
    /// Letters that go to each device, if there are several, and those that stay.
    pub leaving: Vec<u32>,
}

impl Depot {
    /// Puts what is here of a batch into columns as the first mail, at a time of the kernel's clock, given the actors that have stopped.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn fill(&self, columns: &Columns, batch: &BatchPart<'_>, now: u64, stopped: &[u32]) -> Result<()> {
        let Sizes { actors, first, end, .. } = self.sizes;
        let own = (end - first) as usize;
        let mut mail = vec![0; own * MAIL_WORDS];
        for own in batch.mail {
            let place = (own.actor - first) as usize * MAIL_WORDS;
            mail[place..place + MAIL_WORDS].copy_from_slice(&[
                own.actor,
                own.first - batch.first,
                own.end - batch.first,
            ]);
        }
        let mut cells = self.cells(columns, batch.messages, now);
        cells[ANY_STOPPED] = u32::from(!stopped.is_empty());
        let zeros = vec![0; own.max((columns.lists.words - actors) as usize)];
        let of_own = |column: &Region, each: usize| part(column, first as usize * each, (own * each) as u32);
        self.write(&of_own(&columns.mail[0], MAIL_WORDS), &mail)?;
        self.write(&columns.messages[0], batch.words)?;
        if stopped.is_empty() {
            self.write(&of_own(&columns.stopped, 1), &zeros[..own])?;
        } else {
            let mut have_stopped = vec![0; actors as usize];
            for &actor in stopped {
                have_stopped[actor as usize] = 1;
            }
            self.write(&columns.stopped, &have_stopped)?;
        }
        self.write(&of_own(&columns.handled[0], 1), &zeros[..own])?;
        self.write(&of_own(&columns.lists, 1), &zeros[..own])?;
        let counts = part(&columns.lists, actors as usize, columns.lists.words - actors);
        self.write(&counts, &zeros[..counts.words as usize])?;
        self.write(&columns.cells, &cells)
    }

    /// What the cells say of a turn.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn ask(&self, columns: &Columns, turn: usize) -> Result<Said> {
        let cells = self.read(&columns.cells, columns.cells.words)?;
        Ok(Said {
            total: cells[total(turn)],
            handled: u64::from(cells[HANDLED + 1]) << 32 | u64::from(cells[HANDLED]),
            leaving: cells.get(LEAVING..).unwrap_or_default().to_vec(),
        })
    }

    /// The slots of the handler's job, given those of the states and of which actors are busy, for the mail of a turn.
    pub fn slots(&self, columns: &Columns, turn: usize, [states, busy]: [Slot; 2]) -> Vec<Slot> {
        let Sizes {
            actors, sends, rooms, ..
        } = self.sizes;
        let capacity = columns.capacity;
        let mut slots = vec![
            states,
            whole(&columns.mail[turn], actors),
            whole(&columns.messages[turn], capacity),
            whole(&columns.answers, capacity),
            whole(&columns.handled[turn], actors),
            busy,
        ];
        if sends > 0 {
            let now = part(&columns.cells, NOW, NOW_WORDS as u32);
            let letters = whole(&columns.letters, capacity * sends);
            let [sent, stopped] = [&columns.sent, &columns.stopped].map(|column| each(words(column)));
            slots.extend([whole(&now, 1), sent, stopped, letters]);
            let rooms = columns.rooms.iter().zip(rooms).filter(|(_, words)| *words > 0);
            slots.extend(rooms.map(|(room, _)| whole(room, capacity)));
        }
        slots
    }

    /// The cells of columns before a round on so many messages at a time of the kernel's clock, where no actor has stopped.
    pub fn cells(&self, columns: &Columns, messages: u32, now: u64) -> Vec<u32> {
        let mut cells = vec![0; columns.cells.words as usize];
        cells[total(0)] = messages;
        // A round of more goes share by share, which is the host's to see to.
        cells[CAPACITY] = columns.capacity.min(self.sizes.share);
        cells[NOW..NOW + NOW_WORDS].copy_from_slice(&time_words(now));
        cells[ACTORS] = self.sizes.actors;
        cells[ENOUGH] = 1;
        if let Some(crossing) = &columns.crossing {
            // Others may have mail where these have none.
            cells[ENOUGH] = 0;
            (cells[FIRST], cells[END]) = (self.sizes.first, self.sizes.end);
            cells[ARRIVED] = columns.capacity * self.sizes.sends;
            cells[ROOM] = crossing.room;
            cells[DEVICES] = self.sizes.devices;
            cells[ENDS..ENDS + self.ends.len()].copy_from_slice(&self.ends);
        }
        cells
    }

    /// Writes the first words of a column.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn write(&self, column: &Region, words: &[u32]) -> Result<()> {
        Ok(self.memory.write(column, &words)?)
    }

    /// The first words of a column.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn read(&self, column: &Region, words: u32) -> Result<Words> {
        match words {
            0 => Ok(Words::default()),
            _ => Ok(self.memory.read(&part(column, 0, words))?),
        }
    }

    /// The mail of a column, of actors that have any.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn mail(&self, column: &Region) -> Result<Vec<Mail>> {
        let Sizes { first, end, .. } = self.sizes;
        let own = part(column, first as usize * MAIL_WORDS, (end - first) * MAIL_WORDS as u32);
        let words = self.memory.read(&own)?;
        let (mail, _) = words.as_chunks::<MAIL_WORDS>();
        let mail = mail.iter().map(|&[actor, first, end]| Mail { actor, first, end });
        Ok(mail.filter(|mail| mail.first < mail.end).collect())
    }
}

/// The slot of a whole column of so many elements.
pub fn whole(region: &Region, length: u32) -> Slot {
    Slot {
        place: ParamSlot {
            length,
            ..ParamSlot::default()
        },
        region: Some(region.clone()),
    }
}

/// The slot of a whole column of words.
pub fn words(column: &Region) -> Slot {
    whole(column, column.words)
}

/// The same slot, where each VM has a word of its own.
pub fn each(mut slot: Slot) -> Slot {
    (slot.place.length, slot.place.stride) = (1, 1);
    slot
}

/// So many words of a column, from one on.
pub fn part(column: &Region, first: usize, words: u32) -> Region {
    Region {
        start: column.start + first as u32,
        words,
        guard: column.guard.clone(),
    }
}

/// The slot of a column that lies among the atomics while a job runs.
pub fn atomic(column: &Region) -> Slot {
    Slot {
        region: None,
        ..words(column)
    }
}
