//! The post: what brings actors' messages to their actors in an engine's memory, as the jobs that follow the handler's in a round.

use std::sync::Arc;

use gpuvm_core::facts::RoutineType;
use gpuvm_core::kernel::{Call, Count, Input, Kernel};
use gpuvm_core::program::{ParamSlot, Program};
use gpuvm_core::routine::Routine;
use gpuvm_core::types::TypeRef;
use gpuvm_engine::{Job, Region, Slot};

use super::columns::{Columns, Lists, part, shared, whole, words};
use super::delivery::{self, GROUP, SENDERS, TOTAL};
use super::depot::Sizes;
use super::sequence::Step;
use crate::error::Result;
use crate::runtime::Runtime;

/// The post of a kernel whose actors send each other messages.
pub struct Post {
    sizes: Sizes,
    address: Arc<Program>,
    look: Arc<Program>,
}

impl Post {
    /// The post of a kernel.
    ///
    /// # Errors
    ///
    /// [`Error::Link`](crate::Error::Link) if its routines cannot be linked.
    pub fn new(runtime: &Runtime, sizes: Sizes) -> Result<Post> {
        Ok(Post {
            sizes,
            address: link_address(runtime)?,
            look: link(runtime, "look", delivery::look::routine(), &[])?,
        })
    }

    /// The jobs that lay out what was sent in a round, and look at it.
    pub fn jobs(&self, columns: &Columns, round: usize) -> [(Step, Job); 2] {
        let actors = self.sizes.actors;
        let next = (round + 1) % 2;
        let Columns {
            lists, links, cells, ..
        } = columns;
        let look = vec![
            part(lists, Lists::of(actors).heads(round + 1)),
            whole(&links[next], links[next].words / 2),
            part(cells, [(TOTAL + next) as u32, 1]),
            words(cells),
        ];
        [
            (Step::Address, address(&self.address, actors, columns, next)),
            (Step::Look, job(&self.look, actors, look, None)),
        ]
    }
}

/// Links what lays out mail.
///
/// # Errors
///
/// As [`Post::new`].
pub fn link_address(runtime: &Runtime) -> Result<Arc<Program>> {
    link(runtime, "address", delivery::address::routine(), &[])
}

/// The job that lays out what so many actors find in columns as the mail of a turn.
pub fn address(program: &Arc<Program>, actors: u32, columns: &Columns, turn: usize) -> Job {
    let Columns { lists, cells, .. } = columns;
    let at = Lists::of(actors);
    let totals = Region {
        words: 2,
        ..cells.clone()
    };
    let [start, length] = at.places();
    let slots = vec![
        words(cells),
        shared([(TOTAL + 1 - turn) as u32, 1]),
        shared([(TOTAL + turn) as u32, 1]),
        part(cells, [(SENDERS + turn) as u32, 1]),
        part(lists, at.counts()),
        part(lists, [start, length / 2]),
    ];
    job(program, actors.div_ceil(GROUP), slots, Some(&totals))
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
        calls: vec![Call { routine, args }],
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
    use super::super::forwarding;
    use super::*;

    /// Frames would have to be cleared before each job.
    #[test]
    fn what_every_round_has_needs_no_frames() {
        let runtime = Runtime::builder().backend(crate::Backend::Cpu).build().unwrap();
        let frames = |name, routine, constants: &[u32]| {
            let program = link(&runtime, name, routine, constants).unwrap();
            program.frame_memory()
        };
        let receive = forwarding::receive::routine();
        for letters in [[2, 4, 9], [3, 4, 13], [9, 4, 37]] {
            assert_eq!(frames("receive", receive, &letters), 0, "{letters:?}");
        }
        assert_eq!(frames("address", delivery::address::routine(), &[]), 0);
        assert_eq!(frames("look", delivery::look::routine(), &[]), 0);
    }
}
