//! Running VMs to an end or through a budget, and what came of it.

use super::{Memory, Vm};
use crate::program::{LinkedSite, Program, SourceLoc, Status, TrapRecord};
use crate::routine::Cause;

/// In place of a site's number in a [`TrapRecord`]: the VM reached outside of its memory or its code. The record's first word is
/// the `ip`, the second the offset. Only hand-made or damaged programs do this.
pub const MEMORY_SITE: u32 = u32::MAX;
/// In place of a site's number in a [`TrapRecord`]: more calls than [`Program::call_depth`]. The record's first word is the
/// `ip`. Only hand-made or damaged programs do this; a recursive routine has sites of its own.
pub const STACK_SITE: u32 = u32::MAX - 1;

/// What running some VMs came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The VMs that have trapped, by id.
    pub traps: Vec<TrapRecord>,
    /// Instructions run, by class: linear, oracle, branch, io.
    pub retired: [u64; 4],
    /// How each VM stands, in the order given.
    pub statuses: Vec<Status>,
}

/// Runs VMs one after the other, each until it stops or has run `budget` instructions; VMs that had yielded go on.
/// Atomic operations therefore take place in the order of the VMs.
pub fn run_all(program: &Program, memory: &mut Memory<'_>, vms: &mut [Vm], budget: Option<u64>) -> Outcome {
    let mut outcome = Outcome::default();
    for vm in vms {
        vm.resume();
        let status = vm.run(program, memory, budget, &mut outcome.retired);
        outcome.statuses.push(status);
        outcome.traps.extend(vm.trap);
    }
    outcome.traps.sort_by_key(|trap| trap.vm);
    outcome
}

impl Vm {
    /// Runs until the VM stops or has run `budget` instructions, and counts them by class. A VM that yielded stays so until
    /// [`Vm::resume`].
    pub fn run(
        &mut self,
        program: &Program,
        memory: &mut Memory<'_>,
        budget: Option<u64>,
        retired: &mut [u64; 4],
    ) -> Status {
        let mut left = budget.unwrap_or(u64::MAX);
        while left > 0 && self.status() == Status::Running {
            let instruction = self.next_instruction(program);
            if let Some((op, _)) = instruction {
                retired[op.class() as usize] += 1;
            }
            self.perform(instruction, program, memory);
            left -= 1;
        }
        self.status()
    }
}

/// Where and why a VM trapped, also for the sites that are in no program's list.
pub fn trap_site(program: &Program, trap: &TrapRecord) -> LinkedSite {
    let cause = match trap.site {
        STACK_SITE => Cause::StackOverflow,
        _ => Cause::Memory,
    };
    program.sites.get(trap.site as usize).copied().unwrap_or_else(|| {
        let place = program.places.get(trap.words[0] as usize).copied();
        LinkedSite {
            place: place.unwrap_or(SourceLoc {
                file: 0,
                line: 0,
                routine: 0,
            }),
            cause,
        }
    })
}
