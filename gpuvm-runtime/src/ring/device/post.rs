//! The post: what brings actors' messages to their actors in an engine's memory. It has the columns of a round and makes the jobs that follow
//! the handler's.

use std::sync::Arc;

use gpuvm_core::facts::RoutineType;
use gpuvm_core::kernel::{Call, Count, Input, Kernel};
use gpuvm_core::program::{ParamSlot, Program};
use gpuvm_core::routine::Routine;
use gpuvm_core::types::TypeRef;

use super::super::batch::{Batch, Mail};
use super::super::handler::{Entry, FORWARDS, REPLIES, ROOMS};
use super::delivery::{self, ANY_STOPPED, CAPACITY, CELLS, GROUP, HANDLED, NOW, TOTAL};
use super::layout::context_at;
use super::{CONTEXT_WORDS, MAIL_WORDS};
use crate::engine::{DeviceMemory, Job, Region, Slot, Words};
use crate::error::Result;
use crate::runtime::Runtime;

/// The post of a kernel.
pub struct Post {
    memory: Arc<dyn DeviceMemory>,
    sizes: Sizes,
    tally: Arc<Program>,
    address: Arc<Program>,
    place: Arc<Program>,
    receive: Arc<Program>,
}

/// How much there is of what.
#[derive(Clone, Copy)]
struct Sizes {
    actors: u32,
    /// Words of a message, and of an answer.
    message: u32,
    answer: u32,
    /// The most messages that an actor sends while it handles one.
    sends: u32,
    /// Words of a message's rooms; 0 if there are none.
    rooms: [u32; ROOMS],
}

/// The columns of a round.
pub struct Columns {
    /// Messages that there is room for.
    pub capacity: u32,
    /// The mail of the round under way and of the one after it, in turns.
    pub mail: [Region; 2],
    pub messages: Region,
    pub answers: Region,
    /// How many messages each actor has handled.
    pub handled: Region,
    pub contexts: Region,
    pub letters: Region,
    /// The rooms of the messages.
    pub rooms: [Region; ROOMS],
    /// Each letter's rank among those to the same actor.
    ranks: Region,
    /// How many letters there are for each actor.
    counts: Region,
    /// Which letters become the messages, and who has sent them.
    order: Region,
    cells: Region,
}

/// What the cells say.
pub struct Said {
    /// Messages that wait, between rounds.
    pub total: u32,
    /// Messages that were handled.
    pub handled: u64,
}

/// Jobs of a round, the handler's counted.
pub const JOBS: usize = 5;
/// The handler's place among them.
pub const HANDLER: usize = 0;
/// The place of the one that counts what was handled.
pub const TALLY: usize = 1;
/// The place of the one that traps if nobody has mail any more.
pub const PLACE: usize = 3;

impl Post {
    /// The post of a kernel in which so many actors send each other messages, and whether the host has to see to what they answer.
    ///
    /// # Errors
    ///
    /// [`Error::Link`](crate::Error::Link) if its routines cannot be linked.
    pub fn new(
        runtime: &Runtime,
        memory: Arc<dyn DeviceMemory>,
        entry: &Entry,
        (actors, answers_count): (u32, bool),
    ) -> Result<Post> {
        let sizes = Sizes {
            actors,
            message: entry.message.ty.words,
            answer: entry.returned.words,
            sends: entry.sends,
            rooms: entry.rooms().map(|room| room.words as u32),
        };
        let sends = sizes.sends;
        let letter = sizes.letter();
        let mut counts = sizes.rooms;
        let mut tags = sizes.answer;
        if !answers_count {
            (tags, counts[REPLIES]) = (0, 0);
        }
        let link = |name: &str, routine: &'static Routine, constants: &[u32]| {
            runtime.link_kernel(&kernel(&format!("{}: {name}", entry.id), routine, constants))
        };
        Ok(Post {
            memory,
            sizes,
            tally: link(
                "tally",
                delivery::tally::routine(),
                &[sends, letter, tags, counts[REPLIES], counts[FORWARDS]],
            )?,
            address: link("address", delivery::address::routine(), &[actors])?,
            place: link("place", delivery::place::routine(), &[sends, letter])?,
            receive: link("receive", delivery::receive::routine(), &[letter])?,
        })
    }

    /// Columns with room for so many messages.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the engine has no such room.
    pub fn columns(&self, capacity: u32) -> Result<Columns> {
        let Sizes {
            actors,
            message,
            answer,
            sends,
            rooms,
        } = self.sizes;
        let take = |count: u32, words: u32| self.memory.allocate(u64::from(count.max(1)) * u64::from(words.max(1)));
        let mail = || take(actors, MAIL_WORDS as u32);
        let letters = capacity.saturating_mul(sends);
        Ok(Columns {
            capacity,
            mail: [mail()?, mail()?],
            messages: take(capacity, message)?,
            answers: take(capacity, answer)?,
            handled: take(actors, 1)?,
            contexts: take(actors, CONTEXT_WORDS as u32)?,
            letters: take(letters, self.sizes.letter())?,
            rooms: [take(capacity, rooms[REPLIES])?, take(capacity, rooms[FORWARDS])?],
            ranks: take(letters, 1)?,
            counts: take(actors, 1)?,
            order: take(capacity, 2)?,
            cells: take(CELLS as u32, 1)?,
        })
    }

    /// Puts a batch into the columns as the first mail, at a time of the kernel's clock, given the actors that have stopped.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn fill(&self, columns: &Columns, batch: &Batch, now: u64, stopped: &[u32]) -> Result<()> {
        let actors = self.sizes.actors as usize;
        let mut mail = vec![0; actors * MAIL_WORDS];
        for &Mail { actor, first, end } in &batch.mail {
            mail[actor as usize * MAIL_WORDS..][..MAIL_WORDS].copy_from_slice(&[actor, first, end]);
        }
        let mut contexts = context_at(now, false).repeat(actors);
        for &actor in stopped {
            contexts[actor as usize * CONTEXT_WORDS..][..CONTEXT_WORDS].copy_from_slice(&context_at(now, true));
        }
        let mut cells = [0; CELLS];
        (cells[TOTAL], cells[CAPACITY]) = (batch.places.len() as u32, columns.capacity);
        cells[ANY_STOPPED] = u32::from(!stopped.is_empty());
        cells[NOW..NOW + 2].copy_from_slice(&[now as u32, (now >> 32) as u32]);
        let zeros = vec![0; actors];
        let write = |region: &Region, words: &[u32]| self.memory.write(region, &words);
        write(&columns.mail[0], &mail)?;
        write(&columns.messages, &batch.words)?;
        write(&columns.contexts, &contexts)?;
        write(&columns.handled, &zeros)?;
        write(&columns.counts, &zeros)?;
        write(&columns.cells, &cells)
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
            _ => self.memory.read(&part),
        }
    }

    /// What the cells say.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn ask(&self, columns: &Columns) -> Result<Said> {
        let cells = self.read(&columns.cells, CELLS as u32)?;
        Ok(Said {
            total: cells[TOTAL],
            handled: u64::from(cells[HANDLED + 1]) << 32 | u64::from(cells[HANDLED]),
        })
    }

    /// The slots of the handler's job, given those of the states and of which actors are busy, for the mail of a turn.
    pub fn slots(&self, columns: &Columns, turn: usize, [states, busy]: [Slot; 2]) -> Vec<Slot> {
        let Sizes {
            actors, sends, rooms, ..
        } = self.sizes;
        let capacity = columns.capacity;
        let mut contexts = whole(&columns.contexts, 1);
        contexts.place.stride = CONTEXT_WORDS as u32;
        let mut slots = vec![
            states,
            whole(&columns.mail[turn], actors),
            whole(&columns.messages, capacity),
            whole(&columns.answers, capacity),
            whole(&columns.handled, actors),
            busy,
            contexts,
            whole(&columns.letters, capacity * sends),
        ];
        let rooms = columns.rooms.iter().zip(rooms).filter(|(_, words)| *words > 0);
        slots.extend(rooms.map(|(room, _)| whole(room, capacity)));
        slots
    }

    /// The jobs after the handler's, for the mail of a turn.
    pub fn jobs(&self, columns: &Columns, turn: usize) -> [Job; JOBS - 1] {
        let actors = self.sizes.actors;
        let (mail, next) = (&columns.mail[turn], &columns.mail[1 - turn]);
        let Columns {
            messages,
            answers,
            handled,
            contexts,
            letters,
            rooms,
            ranks,
            counts,
            order,
            cells,
            ..
        } = columns;
        let words = |region: &Region| whole(region, region.words);
        let of_actors = |region: &Region| whole(region, actors);
        let total = Region {
            words: 1,
            ..cells.clone()
        };
        let tally = [
            of_actors(mail),
            words(contexts),
            words(letters),
            words(answers),
            words(&rooms[REPLIES]),
            words(&rooms[FORWARDS]),
            atomic(counts),
            words(ranks),
            words(cells),
        ];
        let address = [
            words(contexts),
            words(cells),
            atomic(&total),
            words(counts),
            of_actors(next),
        ];
        let place = [
            of_actors(mail),
            words(contexts),
            words(letters),
            words(ranks),
            words(cells),
            of_actors(next),
            whole(order, columns.capacity),
        ];
        let receive = [
            of_actors(next),
            words(letters),
            whole(order, columns.capacity),
            words(messages),
            words(contexts),
            words(handled),
            words(cells),
        ];
        [
            job(&self.tally, actors, tally.to_vec(), Some(counts)),
            job(&self.address, actors.div_ceil(GROUP), address.to_vec(), Some(&total)),
            job(&self.place, actors, place.to_vec(), None),
            job(&self.receive, actors, receive.to_vec(), None),
        ]
    }
}

impl Sizes {
    /// Words of a message that was sent, with its actor.
    fn letter(&self) -> u32 {
        1 + self.message
    }
}

/// A kernel of one routine, whose last arguments are known.
fn kernel(name: &str, routine: &'static Routine, constants: &[u32]) -> Kernel {
    let params = routine.params[..routine.params.len() - constants.len()].to_vec();
    let constants = constants.iter().map(|&word| Input::Constant(vec![word]));
    let args = (0..params.len()).map(Input::Param).chain(constants).collect();
    Kernel {
        name: name.to_string(),
        params,
        result: TypeRef::of::<()>(),
        calls: vec![Call { routine, args }],
        count: Count::Vms,
        stores: Vec::new(),
        then: None,
    }
}

/// The slot of a whole column of so many elements.
fn whole(region: &Region, length: u32) -> Slot {
    Slot {
        place: ParamSlot {
            length,
            ..ParamSlot::default()
        },
        region: Some(region.clone()),
    }
}

/// The slot of a column that lies among the atomics while a job runs.
fn atomic(column: &Region) -> Slot {
    Slot {
        region: None,
        ..whole(column, column.words)
    }
}

/// A job on columns in the engine's memory, one of them of atomics at most.
pub fn job(program: &Arc<Program>, vms: u32, mut slots: Vec<Slot>, atomics: Option<&Region>) -> Job {
    // That of the result, of which there is none.
    slots.push(Slot {
        place: ParamSlot::default(),
        region: None,
    });
    Job {
        atomic_regions: atomics.map(|column| (0, column.clone())).into_iter().collect(),
        ..Job::new(Arc::clone(program), vms, slots)
    }
}
