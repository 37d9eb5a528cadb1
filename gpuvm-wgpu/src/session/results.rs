//! What a session gives back: its memory, and the trap of the lowest VM.

use std::ops::Range;

use gpuvm_core::interp::{MEMORY_SITE, STACK_SITE, header};
use gpuvm_core::isa::{Op, unpair};
use gpuvm_core::program::{Program, Status, TrapRecord};
use gpuvm_engine::{Finished, Memory, Result, Running, fault, touched};
use gpuvm_shaders::layout::{row, trap};

use super::super::memory::{Readback, WORD};
use super::super::states::rows_of;
use super::super::transfer::{download, upload};
use super::Session;
use super::buffers::{ATOMICS_AT, return_atomics, write};

impl Session {
    /// The changed ranges of the arena, the atomics, and the first trap.
    pub(super) fn give_back(mut self) -> Result<Finished> {
        let (first_trap, trapped) = (self.first_trap()?, self.all_trapped()?);
        self.stage_alone()?;
        let words = match self.results.take() {
            Some(ticket) => ticket.into_results(&self.gpu)?,
            None => {
                let held = self.buffers.arena.hold();
                let (arena, _) = held.buffer()?;
                let gpu = &*self.gpu;
                let readback = gpu.allocating(|_| Readback::new(gpu, self.result_words()))?;
                let submission = gpu.guarded(|device| {
                    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                    self.record_results(&readback, &mut encoder, arena);
                    gpu.queue.submit([encoder.finish()])
                })?;
                readback.keep(gpu, &submission)?
            }
        };
        let cells = self.cell_words() as usize;
        Ok(Finished {
            atomics: words[ATOMICS_AT as usize..cells].to_vec(),
            changed: words.part(cells..self.result_words() as usize),
            first_trap,
            trapped,
        })
    }

    /// Copies the cells, and then the changed words of the arena one after the other; and the atomics to where else they are.
    pub(super) fn record_results(&self, readback: &Readback, encoder: &mut wgpu::CommandEncoder, arena: &wgpu::Buffer) {
        let start = self.buffers.arena.start() as usize;
        let changed = self
            .job
            .changed
            .iter()
            .map(|range| start + range.start..start + range.end);
        let cells = Some(0..self.cell_words() as usize);
        let at = readback.record(encoder, &self.buffers.cells, cells, 0);
        readback.record(encoder, arena, changed, at);
        return_atomics(&self.job, encoder, arena, &self.buffers.cells);
    }

    /// How many words the results have.
    pub(super) fn result_words(&self) -> u64 {
        let changed: usize = self.job.changed.iter().map(ExactSizeIterator::len).sum();
        self.cell_words() + changed as u64
    }

    /// Words of the signal and of the atomics that the job has brought. Those behind them are of regions, to which they go back.
    fn cell_words(&self) -> u64 {
        ATOMICS_AT + self.job.atomics.len() as u64
    }

    /// All of the arena and the atomics.
    pub(super) fn read_memory(&mut self) -> Result<Memory> {
        self.stage_alone()?;
        let mut memory = Memory {
            arena: vec![0; self.buffers.arena.words as usize],
            atomics: vec![0; self.buffers.atomic_words as usize],
        };
        let gpu = &*self.gpu;
        let held = self.buffers.arena.hold();
        download(
            gpu,
            held.buffer()?.0,
            self.buffers.arena.start().into(),
            &mut memory.arena,
        )?;
        download(gpu, &self.buffers.cells, ATOMICS_AT, &mut memory.atomics)?;
        Ok(memory)
    }

    /// Some of the atomics.
    pub(super) fn atomics(&mut self, words: Range<usize>) -> Result<Vec<u32>> {
        self.stage_alone()?;
        let mut read = vec![0; words.len()];
        download(
            &self.gpu,
            &self.buffers.cells,
            ATOMICS_AT + words.start as u64,
            &mut read,
        )?;
        Ok(read)
    }

    /// Replaces some of the atomics.
    pub(super) fn set_atomics(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.stage_alone()?;
        let at = (ATOMICS_AT + first as u64) * WORD;
        let gpu = &*self.gpu;
        gpu.guarded(|_| write(gpu, &self.buffers.cells, at, words))
    }

    /// Replaces some of the arena.
    pub(super) fn set_arena(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.stage_alone()?;
        let at = u64::from(self.buffers.arena.start()) + first as u64;
        let held = self.buffers.arena.hold();
        upload(&self.gpu, held.buffer()?.0, at, &words, 0..words.len())
    }

    /// What the trapped VM with the lowest number recorded.
    fn first_trap(&self) -> Result<Option<TrapRecord>> {
        let Some(vm) = self.first_trapped() else {
            return Ok(None);
        };
        let state = self.state_of(vm)?;
        Ok(Some(trap_of(
            &self.job.program,
            self.job.first_vm.wrapping_add(vm),
            &state,
        )))
    }

    /// All VMs that have trapped, if somebody asks.
    fn all_trapped(&self) -> Result<Vec<u32>> {
        if !self.job.all_traps || self.tally.trapped == 0 {
            return Ok(Vec::new());
        }
        let mut statuses = touched(self.job.vms as usize);
        let first = header::STATUS as u64 * u64::from(self.job.vms);
        download(&self.gpu, self.buffers.states().0, first, &mut statuses)?;
        let all = self.job.first_vm..;
        let trapped = all
            .zip(statuses)
            .filter(|(_, status)| *status == Status::Trapped as u32);
        Ok(trapped.map(|(vm, _)| vm).collect())
    }

    /// All rows of a VM's state.
    pub(super) fn state_of(&self, vm: u32) -> Result<Vec<u32>> {
        let (states, left) = self.buffers.states();
        if let Some(place) = left.place(&self.gpu, vm, self.job.vms) {
            let cells = place as usize..place as usize + trap::COUNT;
            let trap = self.fetch(
                trap::COUNT as u64,
                |readback, encoder| _ = readback.record(encoder, states, Some(cells), 0),
                <[u32]>::to_vec,
            )?;
            return Ok(rows_of(&trap, self.job.first_vm.wrapping_add(vm)));
        }
        let (vms, vm) = (self.job.vms as usize, vm as usize);
        let cells = (0..row::COUNT).map(|row| row * vms + vm..row * vms + vm + 1);
        self.fetch(
            row::COUNT as u64,
            |readback, encoder| {
                readback.record(encoder, states, cells, 0);
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
