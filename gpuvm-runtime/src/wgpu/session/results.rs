//! What a session gives back: its memory, and the trap of the lowest VM.

use gpuvm_core::interp::{MEMORY_SITE, STACK_SITE, header};
use gpuvm_core::isa::{Op, unpair};
use gpuvm_core::program::{Program, TrapRecord};

use super::super::memory::Readback;
use super::super::source::{row, signal};
use super::Session;
use crate::engine::{Finished, Memory, fault};
use crate::error::Result;

impl Session {
    /// The changed ranges of the arena, the atomics, and the first trap.
    pub(super) fn give_back(&mut self) -> Result<Finished> {
        let first_trap = self.first_trap()?;
        let mut memory = Memory {
            arena: std::mem::take(&mut self.job.arena),
            atomics: std::mem::take(&mut self.job.atomics),
        };
        if self.untouched {
            return Ok(Finished { memory, first_trap });
        }
        let changed = &self.job.changed;
        let atomics = memory.atomics.len();
        let place = |words: &[u32]| {
            let mut rest = words;
            for range in changed {
                let (words, after) = rest.split_at(range.len());
                memory.arena[range.clone()].copy_from_slice(words);
                rest = after;
            }
            memory.atomics.copy_from_slice(&rest[..atomics]);
        };
        match &self.results {
            Some(ticket) => ticket.results(place)?,
            None => {
                let record = |readback: &Readback, encoder: &mut wgpu::CommandEncoder| {
                    self.record_results(readback, encoder, 0);
                };
                self.fetch(self.result_words(), record, place)?;
            }
        }
        Ok(Finished { memory, first_trap })
    }

    /// All of the arena and the atomics.
    pub(super) fn read_memory(&mut self) -> Result<Memory> {
        let [arena, atomics] = [self.buffers.arena_words, self.buffers.atomic_words].map(|words| words as usize);
        self.fetch(
            (arena + atomics) as u64,
            |readback, encoder| {
                readback.record(encoder, &self.buffers.arena, Some(0..arena), 0);
                readback.record(encoder, &self.buffers.atomics, Some(0..atomics), arena as u64);
            },
            |words| Memory {
                arena: words[..arena].to_vec(),
                atomics: words[arena..].to_vec(),
            },
        )
    }

    /// What the trapped VM with the lowest number recorded.
    fn first_trap(&self) -> Result<Option<TrapRecord>> {
        if self.tally.trapped == 0 {
            return Ok(None);
        }
        let vm = !self.seen[signal::FIRST_TRAP];
        let state = self.state_of(vm)?;
        Ok(Some(trap_of(
            &self.job.program,
            self.job.first_vm.wrapping_add(vm),
            &state,
        )))
    }

    /// All rows of a VM's state.
    pub(super) fn state_of(&self, vm: u32) -> Result<Vec<u32>> {
        let (vms, vm) = (self.job.vms as usize, vm as usize);
        let cells = (0..row::COUNT).map(|row| row * vms + vm..row * vms + vm + 1);
        self.fetch(
            row::COUNT as u64,
            |readback, encoder| {
                readback.record(encoder, &self.buffers.states, cells, 0);
            },
            <[u32]>::to_vec,
        )
    }

    /// Submits copies to the host and looks at what they bring.
    pub(super) fn fetch<T>(
        &self,
        words: u64,
        record: impl FnOnce(&Readback, &mut wgpu::CommandEncoder),
        use_words: impl FnOnce(&[u32]) -> T,
    ) -> Result<T> {
        let gpu = &*self.gpu;
        let readback = gpu.allocating(|_| Readback::new(gpu, words))?;
        let submission = gpu.guarded(|device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            record(&readback, &mut encoder);
            gpu.queue.submit([encoder.finish()])
        })?;
        readback.read(gpu, &submission, use_words)
    }
}

/// What a VM that trapped has recorded, from all rows of its state: its instruction names site and words.
pub fn trap_of(program: &Program, vm: u32, state: &[u32]) -> TrapRecord {
    let ip = state[header::IP];
    let record = |site, words| TrapRecord { vm, site, words };
    match state[row::FAULT] {
        fault::NONE => {}
        fault::MEMORY => return record(MEMORY_SITE, [ip, state[row::FAULT_OFFSET], 0, 0]),
        _ => return record(STACK_SITE, [ip, 0, 0, 0]),
    }
    let Some(instruction) = program.code.get(ip as usize) else {
        return record(MEMORY_SITE, [ip, ip, 0, 0]);
    };
    let [site, a, b, c] = instruction.operands;
    let word = |number: u32| {
        state[header::WORD_0..row::FRAME_BASE]
            .get(number as usize)
            .copied()
            .unwrap_or(0)
    };
    let ((first, second), (third, fourth)) = (unpair(a), unpair(b));
    match Op::from_code(instruction.opcode) {
        Some(Op::Trap) => record(site, [first, second, third, fourth].map(word)),
        Some(Op::TrapIf) => record(site, [word(b), word(c), 0, 0]),
        _ => record(site, [0; 4]),
    }
}
