//! The reference engine: the interpreter of `gpuvm-core`, one VM after the other on the calling thread. It is slow and it is
//! right: the other engines are tested against it.

use gpuvm_core::interp::{Memory, Vm, run_all};
use gpuvm_core::program::{Program, Status};

use crate::engine::{Demand, Execute, Job, Outcome};
use crate::error::Result;

/// The engine. It has no state.
pub(crate) struct Reference;

/// VMs at a time, so that their frames stay within a few megabytes.
const BATCH: u32 = 1 << 16;

impl Execute for Reference {
    fn capacity(&self, _program: &Program, demand: &Demand) -> u32 {
        demand.vms_within(u64::from(u32::MAX)).min(BATCH)
    }

    fn run(&self, job: &mut Job) -> Result<Outcome> {
        let mut vms: Vec<Vm> = (0..job.vms).map(|i| Vm::new(&job.program, job.first_vm + i)).collect();
        // The job's slots count VMs from the launch's first.
        let mut memory = Memory {
            arena: &mut job.arena,
            atomics: &mut job.atomics,
            params: &job.slots,
            vm_count: job.vm_count,
            first_vm: 0,
        };
        let mut retired = [0; 4];
        let mut first_trap = None;
        let mut traps = 0;
        while !vms.is_empty() {
            let outcome = run_all(&job.program, &mut memory, &mut vms, None);
            retired
                .iter_mut()
                .zip(outcome.retired)
                .for_each(|(sum, more)| *sum += more);
            traps += outcome.traps.len() as u64;
            first_trap = [first_trap, outcome.traps.first().copied()]
                .into_iter()
                .flatten()
                .min_by_key(|trap| trap.vm);
            // Who yielded goes on once all others have had their turn; who waits for a message waits for ever here.
            vms.retain(|vm| vm.status() == Status::Yielded);
        }
        Ok(Outcome {
            first_trap,
            traps,
            retired: Some(retired),
            device_time: None,
        })
    }
}
