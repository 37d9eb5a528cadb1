//! The post: what brings actors' messages to their actors in an engine's memory. The handler's job of a round pushes what was sent, and two
//! jobs follow it.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use gpuvm_core::facts::RoutineType;
use gpuvm_core::kernel::{Call, Count, Input, Kernel, Then};
use gpuvm_core::program::{ParamSlot, Program};
use gpuvm_core::routine::Routine;
use gpuvm_core::types::TypeRef;
use gpuvm_engine::{Job, Region, Slot};

use super::super::handler::{Entry, FORWARDS, REPLIES};
use super::columns::{Columns, Crossing, atomic, each, part, whole, words};
use super::crossing::{self, LEAVING};
use super::delivery::{self, GROUP};
use super::depot::Sizes;
use super::sequence::Step;
use crate::error::Result;
use crate::runtime::Runtime;

/// The post of a kernel whose actors send each other messages.
pub struct Post {
    /// What each actor does in a round: where the host has to see to what was forwarded, and where it has not.
    handlers: [Arc<Program>; 2],
    delivery: Delivery,
    /// What brings them to other devices, if there are any.
    crossing: Option<Abroad>,
}

/// What brings actors the messages in their lists, wherever these lie.
pub struct Delivery {
    sizes: Sizes,
    address: Arc<Program>,
    receive: Arc<Program>,
}

impl Post {
    /// The post of a kernel, given whether the host has to see to what its actors answer.
    ///
    /// # Errors
    ///
    /// [`Error::Link`](crate::Error::Link) if its routines cannot be linked.
    pub fn new(runtime: &Runtime, entry: &Entry, sizes: Sizes, answers_count: bool) -> Result<Post> {
        let (sends, letter) = (sizes.sends, sizes.letter());
        let (tags, replies) = match answers_count {
            true => (sizes.answer, sizes.rooms[REPLIES]),
            false => (0, 0),
        };
        let devices = sizes.devices;
        let handler =
            |forwards: u32| runtime.link_kernel(&handler(entry, [sends, letter, tags, replies, forwards, devices]));
        Ok(Post {
            handlers: [handler(sizes.rooms[FORWARDS])?, handler(0)?],
            delivery: Delivery::new(runtime, sizes, [letter, 0, 0])?,
            crossing: if devices > 1 {
                Some(Abroad::new(runtime, sizes)?)
            } else {
                None
            },
        })
    }

    /// What each actor does in a round, given whether what it forwards goes its way without the host.
    pub fn handler(&self, has_courier: bool) -> &Arc<Program> {
        &self.handlers[usize::from(has_courier)]
    }

    /// The slots of what [`Post::handler`] has beside a batch's handler, and the column of them that is atomics.
    pub fn slots<'c>(&self, columns: &'c Columns) -> ([Slot; 8], &'c Region) {
        let Columns {
            stopped,
            letters,
            answers,
            rooms,
            lists,
            links,
            cells,
            ..
        } = columns;
        let slots = [
            words(stopped),
            words(letters),
            words(answers),
            words(&rooms[REPLIES]),
            words(&rooms[FORWARDS]),
            atomic(lists),
            whole(links, links.words / 2),
            words(cells),
        ];
        (slots, lists)
    }

    /// The jobs that bring what was sent in a turn to its actors.
    pub fn jobs(&self, columns: &Columns, turn: usize) -> [(Step, Job); 2] {
        let Columns { letters, links, .. } = columns;
        let [address, receive] = self.delivery.jobs(columns, 1 - turn, links, letters);
        [(Step::Address, address), (Step::Receive, receive)]
    }

    /// The jobs that get letters of a turn to other devices' actors ready to leave; none if there are no other devices.
    pub fn leave(&self, columns: &Columns, turn: usize) -> Vec<(Step, Job)> {
        match (&self.crossing, &columns.crossing) {
            (Some(abroad), Some(crossing)) => abroad.leave(columns, crossing, turn),
            _ => Vec::new(),
        }
    }

    /// The job that brings so many letters from other devices into the lists.
    pub fn arrive(&self, columns: &Columns, letters: u32) -> Option<(Step, Job)> {
        let (abroad, crossing) = (self.crossing.as_ref()?, columns.crossing.as_ref()?);
        (letters > 0).then(|| abroad.arrive(columns, crossing, letters))
    }
}

/// What brings actors' messages to other devices.
struct Abroad {
    sizes: Sizes,
    seal: Arc<Program>,
    pack: Arc<Program>,
    unpack: Arc<Program>,
}

impl Abroad {
    fn new(runtime: &Runtime, sizes: Sizes) -> Result<Abroad> {
        let (sends, letter) = (sizes.sends, sizes.letter());
        Ok(Abroad {
            sizes,
            seal: link(runtime, "seal", crossing::seal::routine(), &[])?,
            pack: link(runtime, "pack", crossing::pack::routine(), &[sends, letter])?,
            unpack: link(runtime, "unpack", crossing::unpack::routine(), &[letter])?,
        })
    }

    fn leave(&self, columns: &Columns, crossing: &Crossing, turn: usize) -> Vec<(Step, Job)> {
        let Sizes { actors, devices, .. } = self.sizes;
        let Columns {
            mail,
            sent,
            letters,
            lists,
            cells,
            ..
        } = columns;
        let Crossing {
            places,
            leaving,
            senders,
            ..
        } = crossing;
        let totals = part(cells, LEAVING, devices);
        let seal = vec![words(cells), atomic(&totals), words(lists), words(places)];
        let pack = vec![
            whole(&mail[turn], actors),
            each(words(sent)),
            words(letters),
            atomic(places),
            words(cells),
            words(leaving),
            words(senders),
        ];
        let boxes = actors.div_ceil(GROUP) * devices;
        vec![
            (Step::Seal, job(&self.seal, boxes, seal, Some(&totals))),
            (
                Step::Pack,
                self.sizes.of_own(job(&self.pack, actors, pack, Some(places))),
            ),
        ]
    }

    fn arrive(&self, columns: &Columns, crossing: &Crossing, count: u32) -> (Step, Job) {
        let Columns {
            letters,
            lists,
            links,
            cells,
            ..
        } = columns;
        let unpack = vec![
            words(letters),
            words(&crossing.arrived),
            atomic(lists),
            whole(links, links.words / 2),
            words(cells),
        ];
        (Step::Unpack, job(&self.unpack, count, unpack, Some(lists)))
    }
}

/// What each actor does in a round: what it does in a batch, and then it pushes what it has sent, given the last arguments of
/// [`delivery::push`].
fn handler(entry: &Entry, constants: [u32; 6]) -> Kernel {
    let mut kernel = entry.kernel();
    let all = TypeRef::of::<&[u32]>();
    let first = kernel.params.len();
    kernel.params.extend([
        all,
        all,
        all,
        all,
        all,
        TypeRef::of::<&[AtomicU32]>(),
        TypeRef::of::<&mut [(u32, u32)]>(),
        TypeRef::of::<&mut [u32]>(),
    ]);
    if let Some(Then::Handle {
        around: Some(around),
        after,
        ..
    }) = &mut kernel.then
    {
        let own = [around.sent, around.stopped].into_iter();
        let params = own.chain(first..kernel.params.len()).map(Input::Param);
        let constants = constants.map(|word| Input::Constant(vec![word]));
        *after = Some(Call {
            routine: delivery::push::routine().into(),
            args: params.chain(constants).collect(),
        });
    }
    kernel
}

impl Delivery {
    /// What brings messages to the actors of a kernel, given the words of a letter, and how many are in a room of how many words.
    ///
    /// # Errors
    ///
    /// As [`Post::new`].
    pub fn new(runtime: &Runtime, sizes: Sizes, letters: [u32; 3]) -> Result<Delivery> {
        Ok(Delivery {
            sizes,
            address: link(runtime, "address", delivery::address::routine(), &[])?,
            receive: link(runtime, "receive", delivery::receive::routine(), &letters)?,
        })
    }

    /// The jobs that bring actors what is in their lists as the mail of a turn, from among these letters with these links.
    pub fn jobs(&self, columns: &Columns, turn: usize, links: &Region, letters: &Region) -> [Job; 2] {
        let actors = self.sizes.actors;
        let Columns {
            lists, places, cells, ..
        } = columns;
        let [done, total] = [1 - turn, turn].map(|turn| part(cells, delivery::total(turn), 1));
        let address = vec![words(cells), words(&done), atomic(&total), words(lists), words(places)];
        let receive = vec![
            words(lists),
            whole(links, links.words / 2),
            words(letters),
            atomic(places),
            whole(&columns.mail[turn], actors),
            whole(&columns.order, columns.capacity),
            words(&columns.messages[turn]),
            words(&columns.handled[turn]),
            words(&total),
            words(cells),
        ];
        [
            job(&self.address, actors.div_ceil(GROUP), address, Some(&total)),
            self.sizes.of_own(job(&self.receive, actors, receive, Some(places))),
        ]
    }
}

/// Links a kernel of one routine, whose last arguments are known.
///
/// # Errors
///
/// As [`Post::new`].
pub fn link(runtime: &Runtime, name: &str, routine: &'static Routine, constants: &[u32]) -> Result<Arc<Program>> {
    let params = routine.params[..routine.params.len() - constants.len()].to_vec();
    let constants = constants.iter().map(|&word| Input::Constant(vec![word]));
    let args = (0..params.len()).map(Input::Param).chain(constants).collect();
    runtime.link_kernel(&Kernel {
        name: format!("ring: {name}"),
        params,
        result: TypeRef::of::<()>(),
        calls: vec![Call {
            routine: routine.into(),
            args,
        }],
        count: Count::Vms,
        stores: Vec::new(),
        then: None,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames would have to be cleared before each job.
    #[test]
    fn what_every_round_has_needs_no_frames() {
        let runtime = Runtime::builder().backend(crate::Backend::Cpu).build().unwrap();
        let frames = |name, routine, constants: &[u32]| {
            let program = link(&runtime, name, routine, constants).unwrap();
            program.frame_memory()
        };
        for letters in [[2, 0, 0], [3, 0, 0], [9, 0, 0], [3, 4, 13]] {
            assert_eq!(
                frames("receive", delivery::receive::routine(), &letters),
                0,
                "{letters:?}"
            );
        }
        // With rooms for everything it has a few. What it gets of its VM's messages is at last.
        let push = [4, 9, 3, 0, 0, 1, 1, 5];
        assert_eq!(frames("push", delivery::push::routine(), &push), 0);
        assert_eq!(frames("address", delivery::address::routine(), &[]), 0);
        // What goes over devices likewise.
        let push = [4, 9, 3, 0, 0, 2, 1, 5];
        assert_eq!(frames("push", delivery::push::routine(), &push), 0);
        assert_eq!(frames("seal", crossing::seal::routine(), &[]), 0);
        assert_eq!(frames("pack", crossing::pack::routine(), &[4, 9]), 0);
        assert_eq!(frames("unpack", crossing::unpack::routine(), &[9]), 0);
    }
}
