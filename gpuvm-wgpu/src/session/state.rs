//! The state of a session's VMs, from the device's interleaved rows to records and back.

use std::collections::VecDeque;

use gpuvm_core::interp::{Vm, header};
use gpuvm_core::isa::STATE_WORDS;
use gpuvm_core::program::Status;
use gpuvm_engine::{EXTRA_WORDS, Error, Image, Result, join, touched};
use gpuvm_shaders::layout::{row, signal};
use rayon::prelude::*;

use super::super::frame_room::FrameRoom;
use super::super::gpu::Gpu;
use super::super::memory::{Readback, WORD, bind_parts, words_of};
use super::super::pool::Kind;
use super::super::source::EntryPoint;
use super::super::transfer::{IN_FLIGHT, Staged, in_pieces};
use super::buffers::write;
use super::results::trap_of;
use super::{Session, frames, groups};

/// Words that are moved at a time.
const PIECE: usize = 4 << 20;

/// In place of a row: there is none.
const NO_ROW: u32 = u32::MAX;

/// Rows of a buffer that belong together.
#[derive(Clone, Copy)]
enum Rows {
    Records,
    Extras,
    Frames,
}

/// Sees to it that what the first image of so many words needs is there: the kernel, and buffers for the pieces under way.
fn make_ready(gpu: &Gpu, words: usize) -> Result<()> {
    gpu.helper(EntryPoint::Transpose)?;
    if words < IN_FLIGHT * PIECE {
        return Ok(());
    }
    let bytes = PIECE as u64 * WORD;
    let kinds = [Kind::Readback; IN_FLIGHT].into_iter().chain([Kind::Storage]);
    gpu.allocating(|_| kinds.clone().map(|kind| gpu.pool.take(kind, bytes)).collect::<Vec<_>>())?;
    Ok(())
}

impl Session {
    /// The state of all VMs.
    pub(super) fn gather_image(&mut self) -> Result<Image> {
        let vms = self.job.vms as usize;
        if self.fresh || self.only_halted() {
            let status = if self.fresh { Status::Running } else { Status::Halted };
            return Ok(Image::fresh(&self.job.program, self.job.first_vm, self.job.vms, status));
        }
        let gpu = self.gpu.clone();
        let words = vms * STATE_WORDS;
        let (ready, records) = join(|| make_ready(&gpu, words), || touched(words));
        ready?;
        let mut image = Image {
            records,
            extras: vec![0; vms * EXTRA_WORDS],
            frames: Vec::new(),
        };
        self.gather(Rows::Records, 0, &mut image.records)?;
        if self.leaves_halted() {
            let records = image.records.par_chunks_exact_mut(STATE_WORDS).with_min_len(1 << 14);
            records.for_each(|record| halt_unless_trapped(&mut record[header::STATUS]));
        }
        // Without calls and traps they are all 0, and need neither the way nor fresh pages.
        if self.job.program.call_depth > 0 || self.tally.trapped > 0 {
            self.gather(Rows::Extras, 0, &mut image.extras)?;
        }
        let had = self.buffers.room;
        let mut memories = vec![0; vms * had.all_words() as usize];
        self.gather(Rows::Frames, 0, &mut memories)?;
        image.frames = frames::with_room(memories, had, FrameRoom::whole(&self.job.program));
        Ok(image)
    }

    /// Whether VMs that have halted have left nothing, not even that: all have ended, so it is those that have not trapped.
    fn leaves_halted(&self) -> bool {
        !self.stepper.leaves_states() && self.stepper.ends_at_once()
    }

    /// Whether it is known of all VMs that they have halted, and nothing else.
    fn only_halted(&self) -> bool {
        let leaves_states = self.stepper.leaves_states();
        !leaves_states && self.tally.halted == self.job.vms
    }

    /// Replaces the state of all VMs.
    pub(super) fn scatter_image(&mut self, image: &Image) -> Result<()> {
        let vms = self.job.vms as usize;
        let fits = image.records.len() == vms * STATE_WORDS
            && image.extras.len() == vms * EXTRA_WORDS
            && image.frames.len() == vms * self.job.program.frame_memory() as usize;
        if !fits {
            return Err(Error::Device {
                reason: format!("the image is not one of {vms} VMs of this program"),
            });
        }
        let whole = FrameRoom::whole(&self.job.program);
        let needed = match self.buffers.room == whole {
            true => whole,
            false => frames::room_in(&self.job.program, image),
        };
        if needed.exceeds(self.buffers.room) {
            self.give_room(self.buffers.room.and(needed))?;
        }
        self.scatter_from(0, image)?;
        (self.ordered, self.framed) = (0, needed);
        self.stopped_before = 0;
        self.fresh = false;
        self.schedule.replaced(image);
        self.take_over(signal_of(&image.records))
    }

    /// Replaces the state of one VM.
    pub(super) fn replace_vm(&mut self, index: u32, vm: &Vm) -> Result<()> {
        let program = self.job.program.clone();
        let state = match self.fresh || self.only_halted() {
            true => Vec::new(),
            false => self.state_of(index)?,
        };
        let trapped = state.get(header::STATUS) == Some(&(Status::Trapped as u32));
        // Where no state is on the device, or the next trapped one has to be found, all take part.
        if state.is_empty() || trapped && vm.status() != Status::Trapped {
            let mut image = self.gather_image()?;
            image.replace(&program, index as usize, vm);
            return self.scatter_image(&image);
        }
        let mut image = Image::default();
        image.push(&program, vm);
        let needed = frames::room_in(&program, &image);
        if needed.exceeds(self.buffers.room) {
            self.give_room(self.buffers.room.and(needed))?;
        }
        self.scatter_from(index, &image)?;
        self.framed = self.framed.and(needed);
        self.schedule.moved(&image);
        // Whatever is counted of all, this one is no longer counted as it was before.
        let [before, now] = [&state[..STATE_WORDS], &image.records[..]].map(signal_of);
        let mut found = self.seen;
        for at in [signal::STOPPED, signal::YIELDED, signal::BLOCKED, signal::TRAPPED] {
            found[at] = found[at].wrapping_sub(before[at]).wrapping_add(now[at]);
        }
        if vm.status() == Status::Trapped {
            found[signal::FIRST_TRAP] = found[signal::FIRST_TRAP].max(!index);
        }
        self.take_over(found)
    }

    /// Writes the states of an image's VMs to those of the session's from the given one on.
    fn scatter_from(&self, first: u32, image: &Image) -> Result<()> {
        let whole = FrameRoom::whole(&self.job.program);
        self.scatter(Rows::Records, first, &image.records)?;
        self.scatter(Rows::Extras, first, &image.extras)?;
        match self.buffers.room {
            have if have == whole => self.scatter(Rows::Frames, first, &image.frames),
            have => self.scatter(
                Rows::Frames,
                first,
                &frames::with_room(image.frames.clone(), whole, have),
            ),
        }
    }

    /// Goes on from a signal that VMs did not give.
    fn take_over(&mut self, found: [u32; signal::WORDS]) -> Result<()> {
        let gpu = &*self.gpu;
        if self.staged {
            gpu.guarded(|_| write(gpu, &self.buffers.cells, 0, &found))?;
        }
        self.seen = found;
        self.results = None;
        self.count_states();
        Ok(())
    }

    /// The state of one VM.
    pub(super) fn one_vm(&mut self, index: u32) -> Result<Vm> {
        let program = self.job.program.clone();
        let id = self.job.first_vm.wrapping_add(index);
        if index >= self.job.vms {
            return Err(Error::Device {
                reason: format!("there is no VM {index} among {}", self.job.vms),
            });
        }
        let mut vm = Vm::new(&program, id);
        if self.fresh {
            return Ok(vm);
        }
        if self.only_halted() {
            vm.state[header::STATUS] = Status::Halted as u32;
            return Ok(vm);
        }
        let state = self.state_of(index)?;
        vm.state.copy_from_slice(&state[..STATE_WORDS]);
        if self.leaves_halted() {
            halt_unless_trapped(&mut vm.state[header::STATUS]);
        }
        vm.state[header::VM_ID] = id;
        let (had, whole) = (self.buffers.room, FrameRoom::whole(&program));
        let mut memory = vec![0; had.all_words() as usize];
        self.gather(Rows::Frames, index, &mut memory)?;
        vm.frame = frames::with_room(memory, had, whole);
        vm.frame_base = state[row::FRAME_BASE].wrapping_add(whole.call_words());
        vm.calls = state[row::CALLS];
        if vm.status() == Status::Trapped {
            vm.trap = Some(trap_of(&program, id, &state));
        }
        Ok(vm)
    }

    fn rows(&self, rows: Rows) -> (&wgpu::Buffer, u32, u32) {
        let buffers = &self.buffers;
        match rows {
            Rows::Records => (buffers.states().0, 0, STATE_WORDS as u32),
            Rows::Extras => (buffers.states().0, STATE_WORDS as u32, EXTRA_WORDS as u32),
            Rows::Frames => (&buffers.frames, 0, buffers.room.all_words()),
        }
    }

    /// Records of VMs, from the given one on, as many as there is room for.
    fn gather(&self, rows: Rows, first: u32, out: &mut [u32]) -> Result<()> {
        let (source, first_row, length) = self.rows(rows);
        if length == 0 {
            return Ok(());
        }
        let piece = (PIECE / length as usize).max(1) * length as usize;
        let id_row = match rows {
            Rows::Records => header::VM_ID as u32,
            Rows::Extras | Rows::Frames => NO_ROW,
        };
        let mut first = first;
        in_pieces(&self.gpu, out, piece, |readback, words| {
            let count = words as u32 / length;
            let submission = self.transpose(
                [first, count, first_row, length, 1, id_row],
                source,
                None,
                Some(readback),
            )?;
            first += count;
            Ok(submission)
        })
    }

    /// Replaces the records of VMs, from the given one on.
    fn scatter(&self, rows: Rows, first: u32, records: &[u32]) -> Result<()> {
        let (target, first_row, length) = self.rows(rows);
        if length == 0 {
            return Ok(());
        }
        let piece = (PIECE / length as usize).max(1) * length as usize;
        let mut first = first;
        let mut under_way = VecDeque::new();
        for part in records.chunks(piece) {
            if under_way.len() == IN_FLIGHT
                && let Some(oldest) = under_way.pop_front()
            {
                self.gpu.wait_until(&oldest)?;
            }
            let count = part.len() as u32 / length;
            let staged = Staged::new(&self.gpu, &[part])?;
            under_way.push_back(self.transpose(
                [first, count, first_row, length, 0, NO_ROW],
                target,
                Some(&staged),
                None,
            )?);
            first += count;
        }
        Ok(())
    }

    /// Submits the move of some VMs' records: first VM, VMs, first row, rows, which way, and the row of the VMs' numbers.
    fn transpose(
        &self,
        [first, count, first_row, length, gather, id_row]: [u32; 6],
        interleaved: &wgpu::Buffer,
        staged: Option<&Staged>,
        readback: Option<&Readback>,
    ) -> Result<wgpu::SubmissionIndex> {
        let gpu = &*self.gpu;
        let kernel = gpu.helper(EntryPoint::Transpose)?;
        let words = u64::from(count) * u64::from(length);
        let fields: Vec<u32> = kernel
            .uniform
            .iter()
            .map(|field| match field.as_str() {
                "lanes" => self.job.vms,
                "first" => first,
                "count" => count,
                "first_row" => first_row,
                "rows" => length,
                "id_row" => id_row,
                "first_id" => self.job.first_vm,
                _ => gather,
            })
            .collect();
        let (uniform, buffer) = gpu.allocating(|_| {
            let uniform = gpu.pool.take(Kind::Input, fields.len() as u64 * WORD);
            (uniform, gpu.pool.take(Kind::Storage, words * WORD))
        })?;
        gpu.guarded(|device| {
            write(gpu, &uniform, 0, &fields);
            let parts = [
                words_of(&uniform, fields.len() as u64),
                words_of(interleaved, u64::from(first_row + length) * u64::from(self.job.vms)),
                words_of(&buffer, words),
            ];
            let group = bind_parts(device, &kernel.layouts[0], parts);
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            if let Some(staged) = staged {
                staged.record(&mut encoder, 0, &buffer, 0);
            }
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                pass.set_pipeline(&kernel.pipeline);
                pass.set_bind_group(0, &group, &[0]);
                let [x, y] = groups(gpu, words, kernel.workgroup);
                pass.dispatch_workgroups(x, y, 1);
            }
            if let Some(readback) = readback {
                readback.record(&mut encoder, &buffer, Some(0..words as usize), 0);
            }
            gpu.queue.submit([encoder.finish()])
        })
    }
}

/// Makes the status of a VM that has ended what it is.
fn halt_unless_trapped(status: &mut u32) {
    if *status != Status::Trapped as u32 {
        *status = Status::Halted as u32;
    }
}

/// The signal of VMs with these records.
fn signal_of(records: &[u32]) -> [u32; signal::WORDS] {
    let of_one = |(vm, record): (usize, &[u32])| {
        let is = |status| u32::from(record[header::STATUS] == status as u32);
        let mut found = [0; signal::WORDS];
        found[signal::STOPPED] = 1 - is(Status::Running);
        found[signal::YIELDED] = is(Status::Yielded);
        found[signal::BLOCKED] = is(Status::Blocked);
        found[signal::TRAPPED] = is(Status::Trapped);
        found[signal::FIRST_TRAP] = is(Status::Trapped) * !(vm as u32);
        found
    };
    let both = |mut a: [u32; signal::WORDS], b: [u32; signal::WORDS]| {
        a.iter_mut().zip(b).enumerate().for_each(|(at, (a, b))| match at {
            signal::FIRST_TRAP => *a = (*a).max(b),
            _ => *a += b,
        });
        a
    };
    let vms = records.par_chunks_exact(STATE_WORDS).enumerate();
    vms.map(of_one).reduce(|| [0; signal::WORDS], both)
}
