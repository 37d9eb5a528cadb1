//! The columns of a round in an engine's memory: how the host fills them and reads them.

use std::ops::Range;

use gpuvm_core::program::ParamSlot;
use gpuvm_engine::{Region, Slot, Words};

use super::super::batch::{Batch, Mail};
use super::super::context::Sent;
use super::super::handler::ROOMS;
use super::delivery::{ACTORS, ANY_STOPPED, APART, CAPACITY, CELLS, ENOUGH, GROUP, HANDLED, NOW, SENDERS, TOTAL};
use super::depot::{Depot, Sizes};
use super::layout::context_at;
use super::{CONTEXT_WORDS, MAIL_WORDS};
use crate::error::Result;

/// The columns of a round. A clone is another handle to them.
#[derive(Clone)]
pub struct Columns {
    /// Messages that there is room for.
    pub capacity: u32,
    /// The mail of the round under way, as what comes of it is laid out.
    pub mail: Region,
    /// How many messages each actor has handled of it.
    pub handled: Region,
    pub answers: Region,
    pub contexts: Region,
    /// The letters that are handled in the round under way and those that are sent in it, in turns.
    pub letters: [Region; 2],
    /// Of each letter the next one in its receiver's list and who has sent it.
    pub links: [Region; 2],
    /// The rooms of the messages.
    pub rooms: [Region; ROOMS],
    /// The links of what is forwarded.
    pub forwarded: Region,
    /// See [`Lists`].
    pub lists: Region,
    /// Of a parcel's messages, who has sent them, and their numbers among what was forwarded.
    pub order: Region,
    pub cells: Region,
    /// Whether all lists are empty but those of the first round, and no context says that its actor is to stop, unless one has: then no mail is
    /// handled in them before they are filled.
    pub is_clean: bool,
}

/// Where what is in the column of lists, each by its start and how many words it has: the heads of actors' lists, how many letters there are
/// for each group of actors, and where the groups' messages go. There are three lists an actor, which take turns: the one that is
/// handled in a round, the one that letters are pushed to, and the one of the round before, which is emptied.
#[derive(Clone, Copy)]
pub struct Lists {
    actors: u32,
}

impl Lists {
    /// Those of so many actors.
    pub fn of(actors: u32) -> Lists {
        Lists { actors }
    }

    /// The heads of the lists that are handled in a round.
    pub fn heads(self, round: usize) -> [u32; 2] {
        [(round % 3) as u32 * self.actors, self.actors]
    }

    /// How many letters there are, [`APART`] words for each group.
    pub fn counts(self) -> [u32; 2] {
        [(3 * self.actors).next_multiple_of(APART), self.groups()]
    }

    /// Where the groups' next messages are brought and where what comes of them goes, [`APART`] words for each group.
    pub fn places(self) -> [u32; 2] {
        let [start, words] = self.counts();
        [start + words, words]
    }

    /// How many words there are.
    pub fn words(self) -> u32 {
        let [start, words] = self.places();
        start + words
    }

    fn groups(self) -> u32 {
        self.actors.div_ceil(GROUP) * APART
    }
}

/// What the cells say.
pub struct Said {
    /// Messages that wait, between rounds.
    pub total: u32,
    /// Messages that were handled.
    pub handled: u64,
    /// Letters that may be in lists.
    letters: u32,
}

impl Depot {
    /// Puts a batch into columns as the first mail, at a time of the kernel's clock, given the actors that have stopped.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn fill(&self, columns: &Columns, batch: &Batch, now: u64, stopped: &[u32]) -> Result<()> {
        let Sizes { actors, message, .. } = self.sizes;
        let lists = Lists::of(actors);
        let mut words = vec![0; lists.words() as usize];
        let count = batch.places.len();
        let mut links = Vec::with_capacity(2 * count);
        let mut letters = Vec::with_capacity(count * self.sizes.letter() as usize);
        let mut begun = None;
        for &Mail { actor, first, end } in &batch.mail {
            words[actor as usize] = first + 1;
            let group = actor / GROUP;
            if begun.replace(group) != Some(group) {
                let place = lists.places()[0] + group * APART;
                words[place as usize..][..2].fill(first);
            }
            for number in first..end {
                links.extend([if number + 1 < end { number + 2 } else { 0 }, 0]);
                letters.push(actor);
                letters.extend(part_of(&batch.words, number..number + 1, message as usize));
            }
        }
        let actors = actors as usize;
        let mut contexts = context_at(now, false).repeat(actors);
        for &actor in stopped {
            contexts[actor as usize * CONTEXT_WORDS..][..CONTEXT_WORDS].copy_from_slice(&context_at(now, true));
        }
        let mut cells = self.cells(columns, count as u32, now);
        cells[ANY_STOPPED] = u32::from(!stopped.is_empty());
        self.write(&columns.letters[0], &letters)?;
        self.write(&columns.links[0], &links)?;
        self.write(&columns.contexts, &contexts)?;
        self.write(&columns.lists, &words)?;
        self.write(&columns.cells, &cells)
    }

    /// What the cells say of a round and those before it.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn ask(&self, columns: &Columns, round: usize) -> Result<Said> {
        let cells = self.read(&columns.cells, columns.cells.words)?;
        Ok(Said {
            total: cells[TOTAL + round % 2],
            handled: u64::from(cells[HANDLED + 1]) << 32 | u64::from(cells[HANDLED]),
            letters: cells[SENDERS + round % 2].saturating_mul(self.sizes.sends.max(1)),
        })
    }

    /// The cells of columns before a round on so many messages at a time of the kernel's clock, where no actor has stopped.
    pub fn cells(&self, columns: &Columns, messages: u32, now: u64) -> [u32; CELLS] {
        let mut cells = [0; CELLS];
        (cells[TOTAL], cells[SENDERS]) = (messages, messages);
        // A round of more goes share by share, which is the host's to see to.
        cells[CAPACITY] = columns.capacity.min(self.sizes.share);
        cells[NOW..NOW + 2].copy_from_slice(&[now as u32, (now >> 32) as u32]);
        cells[ACTORS] = self.sizes.actors;
        cells[ENOUGH] = 1;
        cells
    }

    /// The messages that are in lists as the mail of a round, in the order in which actors handle them.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn listed(&self, columns: &Columns, round: usize) -> Result<Sent> {
        let Said { letters: count, .. } = self.ask(columns, round)?;
        let [start, length] = Lists::of(self.sizes.actors).heads(round);
        let heads = self.read(&columns.lists, start + length)?;
        let size = self.sizes.letter();
        let letters = self.read(&columns.letters[round % 2], count * size)?;
        let links = self.read(&columns.links[round % 2], count * 2)?;
        let (links, _) = links.as_chunks::<2>();
        let mut sent = Sent::default();
        let mut list = Vec::new();
        for (actor, &head) in (0..).zip(&heads[start as usize..]) {
            let mut letter = head;
            // An actor that is not done with ordering its list when the kernel is to end at once leaves anything.
            while let Some(number) = letter.checked_sub(1)
                && list.len() < count as usize
            {
                let [after, sender] = links[number as usize];
                list.push((sender, number));
                letter = after;
            }
            list.sort_unstable();
            for (_, number) in list.drain(..) {
                let letter = part_of(&letters, number..number + 1, size as usize);
                sent.to.push(actor);
                sent.words.extend(&letter[1..]);
            }
        }
        Ok(sent)
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
        let part = Region {
            words,
            ..column.clone()
        };
        match words {
            0 => Ok(Words::default()),
            _ => Ok(self.memory.read(&part)?),
        }
    }

    /// The mail of the round that was handled last, of actors that had any.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn mail(&self, columns: &Columns) -> Result<Vec<Mail>> {
        let words = self.read(&columns.mail, self.sizes.actors * MAIL_WORDS as u32)?;
        let (mail, _) = words.as_chunks::<MAIL_WORDS>();
        let mail = mail.iter().map(|&[actor, first, end]| Mail { actor, first, end });
        Ok(mail.filter(|mail| mail.first < mail.end).collect())
    }
}

/// The slot of a whole column of so many elements.
pub fn whole(region: &Region, length: u32) -> Slot {
    part(region, [0, length])
}

/// The slot of a whole column of words.
pub fn words(column: &Region) -> Slot {
    whole(column, column.words)
}

/// The slot of a part of a column, from a word on, of so many elements.
pub fn part(region: &Region, place: [u32; 2]) -> Slot {
    Slot {
        region: Some(region.clone()),
        ..shared(place)
    }
}

/// The slot of a part of the column that lies among the atomics while a job runs, from a word on, of so many elements.
pub fn shared([base, length]: [u32; 2]) -> Slot {
    Slot {
        place: ParamSlot {
            base,
            length,
            ..ParamSlot::default()
        },
        region: None,
    }
}

/// The words of some of a column's entries, of so many words each.
pub fn part_of(column: &[u32], entries: Range<u32>, words: usize) -> &[u32] {
    &column[entries.start as usize * words..entries.end as usize * words]
}
