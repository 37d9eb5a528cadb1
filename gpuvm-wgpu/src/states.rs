//! What kernels leave in the buffer of states, which decides how much room a job takes beside its data.

use gpuvm_core::interp::header;
use gpuvm_core::isa::WORDS;
use gpuvm_core::program::Status;
use gpuvm_shaders::layout::{row, trap};

use super::gpu::Gpu;
use super::session::dispatched;

/// What VMs that stop or trap leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum States {
    /// Nothing: each runs to its end.
    Nothing,
    /// The first [`trap`] of each workgroup's VMs: each runs to its end or to a trap.
    FirstTraps {
        /// VMs of a workgroup, which follow each other.
        vms: u32,
        /// Workgroups at most, each of which has VMs until there are none left.
        most_groups: Option<u32>,
    },
    /// [Rows](row) of each VM.
    Rows,
}

impl States {
    /// How many words so many VMs may leave.
    pub fn words(self, gpu: &Gpu, vms: u32) -> u64 {
        match self {
            States::Nothing => 0,
            States::FirstTraps { vms: each, most_groups } => {
                let [x, y] = dispatched(gpu, vms, each, most_groups);
                trap::COUNT as u64 * u64::from(x) * u64::from(y)
            }
            States::Rows => row::COUNT as u64 * u64::from(vms),
        }
    }

    /// Where the trap begins that the workgroup of one of so many VMs has left, if that is what it leaves.
    pub fn place(self, gpu: &Gpu, vm: u32, vms: u32) -> Option<u64> {
        let States::FirstTraps { vms: each, .. } = self else {
            return None;
        };
        Some(u64::from(vm / each) * trap::COUNT as u64 % self.words(gpu, vms))
    }
}

/// All rows of a VM of which a trap was left.
pub fn rows_of(trap: &[u32], id: u32) -> Vec<u32> {
    let mut rows = vec![0; row::COUNT];
    rows[header::IP] = trap[trap::IP];
    rows[header::STATUS] = Status::Trapped as u32;
    rows[header::VM_ID] = id;
    rows[row::FAULT] = trap[trap::FAULT];
    rows[row::FAULT_OFFSET] = trap[trap::FAULT_OFFSET];
    for (number, value) in trap[trap::NUMBERS].to_le_bytes().into_iter().zip(&trap[trap::VALUES..]) {
        if usize::from(number) < WORDS {
            rows[header::WORD_0 + usize::from(number)] = *value;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_becomes_the_rows_of_its_vm() {
        let rows = rows_of(&[9, 2, 70, 0xff03_ff00, 11, 12, 13, 14], 5);
        let mut expected = vec![0; row::COUNT];
        for (at, value) in [
            (header::IP, 9),
            (header::STATUS, Status::Trapped as u32),
            (header::VM_ID, 5),
            (row::FAULT, 2),
            (row::FAULT_OFFSET, 70),
            (header::WORD_0, 11),
            (header::WORD_0 + 3, 13),
        ] {
            expected[at] = value;
        }
        assert_eq!(rows, expected);
    }
}
