//! The post: what brings actors' messages to their actors in an engine's memory, as the jobs that follow the handler's in a round.

use std::sync::Arc;

use gpuvm_core::facts::RoutineType;
use gpuvm_core::kernel::{Call, Count, Input, Kernel};
use gpuvm_core::program::{ParamSlot, Program};
use gpuvm_core::routine::Routine;
use gpuvm_core::types::TypeRef;
use gpuvm_engine::{Job, Region, Slot};

use super::super::handler::{FORWARDS, REPLIES};
use super::columns::{Columns, atomic, whole, words};
use super::delivery::{self, GROUP};
use super::depot::Sizes;
use super::forwarding;
use super::sequence::Step;
use crate::error::Result;
use crate::runtime::Runtime;

/// The post of a kernel whose actors send each other messages.
pub struct Post {
    sizes: Sizes,
    /// Whether the host has to see to what was forwarded, and then whether it has not.
    send: [Arc<Program>; 2],
    delivery: Delivery,
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
    pub fn new(runtime: &Runtime, sizes: Sizes, answers_count: bool) -> Result<Post> {
        let (sends, letter) = (sizes.sends, sizes.letter());
        let (tags, replies) = match answers_count {
            true => (sizes.answer, sizes.rooms[REPLIES]),
            false => (0, 0),
        };
        let send = |forwards: u32| {
            let constants = [sends, letter, tags, replies, forwards];
            link(runtime, "send", delivery::send::routine(), &constants)
        };
        Ok(Post {
            sizes,
            send: [send(sizes.rooms[FORWARDS])?, send(0)?],
            delivery: Delivery::new(runtime, sizes, [letter, 0, 0])?,
        })
    }

    /// The jobs that bring what was sent in a turn to its actors. What was forwarded may have gone its way by then.
    pub fn jobs(&self, columns: &Columns, turn: usize, has_forwarded: bool) -> [(Step, Job); 3] {
        let actors = self.sizes.actors;
        let Columns {
            mail,
            answers,
            contexts,
            letters,
            rooms,
            links,
            lists,
            cells,
            ..
        } = columns;
        let send = vec![
            whole(&mail[turn], actors),
            words(contexts),
            words(letters),
            words(answers),
            words(&rooms[REPLIES]),
            words(&rooms[FORWARDS]),
            atomic(lists),
            whole(links, links.words / 2),
            words(cells),
        ];
        let program = &self.send[usize::from(has_forwarded)];
        let [address, receive] = self.delivery.jobs(columns, 1 - turn, links, letters);
        [
            (Step::Send, job(program, actors, send, Some(lists))),
            (Step::Address, address),
            (Step::Receive, receive),
        ]
    }
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
        let total = Region {
            words: 1,
            ..cells.clone()
        };
        let address = vec![words(cells), atomic(&total), words(lists), words(places)];
        let receive = vec![
            words(lists),
            whole(links, links.words / 2),
            words(letters),
            atomic(places),
            whole(&columns.mail[turn], actors),
            whole(&columns.order, columns.capacity),
            words(&columns.messages[turn]),
            words(&columns.contexts),
            words(&columns.handled[turn]),
            words(cells),
        ];
        [
            job(&self.address, actors.div_ceil(GROUP), address, Some(&total)),
            job(&self.receive, actors, receive, Some(places)),
        ]
    }
}

/// Links what tells actors the time.
///
/// # Errors
///
/// As [`Post::new`].
pub fn clock(runtime: &Runtime) -> Result<Arc<Program>> {
    link(runtime, "tell time", forwarding::tell_time::routine(), &[])
}

/// The job that tells the actors of the first mail the time.
pub fn tell_time(program: &Arc<Program>, sizes: &Sizes, columns: &Columns) -> Job {
    let Columns {
        mail, contexts, cells, ..
    } = columns;
    let slots = vec![whole(&mail[0], sizes.actors), words(contexts), words(cells)];
    job(program, sizes.actors, slots, None)
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
        // With rooms for everything it has a few.
        assert_eq!(frames("send", delivery::send::routine(), &[4, 9, 3, 0, 0]), 0);
        assert_eq!(frames("address", delivery::address::routine(), &[]), 0);
    }
}
