//! Dispatches of kernels that work on plain words, of the device's memory or of buffers of their own. They follow each other in one submission.

use std::sync::Arc;
use std::time::Duration;

use gpuvm_engine::{Region, Result};
use gpuvm_shaders::layout::sort::{TILE, WORKGROUP};

use super::clock::{self, Clock};
use super::gpu::Gpu;
use super::kernel::Kernel;
use super::memory::{Readback, WORD, bind_parts, part_of, size};
use super::pool::{Kind, Lease};
use super::session::buffers::UNIFORM_STRIDE;
use super::session::groups;
use super::source::{EntryPoint, SortKernel};

/// Dispatches that are being put together.
pub struct Chain<'s> {
    gpu: &'s Gpu,
    /// Its own buffers, with their words.
    own: Vec<(Lease, u32)>,
    dispatches: Vec<Dispatch<'s>>,
}

/// Words that a kernel works on.
#[derive(Clone, Copy)]
pub enum Words<'s> {
    /// Of the device's memory.
    Region(&'s Region),
    /// Of a buffer of the chain's own, by its number.
    Own(usize),
}

struct Dispatch<'s> {
    kernel: Arc<Kernel>,
    uniform: Vec<u32>,
    words: Vec<Words<'s>>,
    invocations: u64,
}

/// A chain that was sent off.
pub struct Sent {
    /// Its buffers, until it has ended.
    _own: Vec<(Lease, u32)>,
    _input: Lease,
    submission: wgpu::SubmissionIndex,
    readback: Readback,
    clock: Option<Clock>,
}

/// How many words there are of counts, of their sums by tile, of the sums of these, and so on to one.
pub fn levels(counts: u32) -> Vec<u32> {
    let mut levels = vec![counts, counts.div_ceil(TILE)];
    while let Some(&last) = levels.last()
        && last > 1
    {
        levels.push(last.div_ceil(TILE));
    }
    levels
}

impl<'s> Chain<'s> {
    /// An empty chain with buffers of so many words.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](gpuvm_engine::Error::OutOfMemory).
    pub fn new(gpu: &'s Gpu, words: &[u32]) -> Result<Chain<'s>> {
        let take = |&words: &u32| (gpu.pool.take(Kind::Storage, size(words.into())), words);
        Ok(Chain {
            gpu,
            own: gpu.allocating(|_| words.iter().map(take).collect())?,
            dispatches: Vec::new(),
        })
    }

    /// Adds a dispatch. Fields of its uniform that are not given are 0.
    ///
    /// # Errors
    ///
    /// When the device refuses the kernel.
    pub fn add(
        &mut self,
        entry: EntryPoint,
        fields: &[(&str, u32)],
        words: Vec<Words<'s>>,
        invocations: u64,
    ) -> Result<()> {
        let kernel = self.gpu.helper(entry)?;
        let value = |name: &String| {
            fields
                .iter()
                .find(|(field, _)| field == name)
                .map_or(0, |(_, value)| *value)
        };
        self.dispatches.push(Dispatch {
            uniform: kernel.uniform.iter().map(value).collect(),
            kernel,
            words,
            invocations,
        });
        Ok(())
    }

    /// Adds the dispatches that make of each count the sum of those before it. The counts are the chain's buffer `first`, and those behind it
    /// have room for the [`levels`]; the last has the sum of all then.
    ///
    /// # Errors
    ///
    /// As [`Chain::add`].
    pub fn sum_up(&mut self, first: usize, levels: usize) -> Result<()> {
        let last = first + levels - 1;
        for level in first..last {
            self.level(SortKernel::Scan, level)?;
        }
        for level in (first..last.saturating_sub(1)).rev() {
            self.level(SortKernel::Add, level)?;
        }
        Ok(())
    }

    /// Adds a dispatch for the counts of a level and the sums of the next one.
    fn level(&mut self, kernel: SortKernel, level: usize) -> Result<()> {
        let count = self.own[level].1;
        let tiles = count.div_ceil(TILE);
        let invocations = match kernel {
            SortKernel::Scan => u64::from(tiles) * u64::from(WORKGROUP),
            _ => count.into(),
        };
        let words = vec![Words::Own(level), Words::Own(level + 1)];
        let fields = [("count", count), ("tiles", tiles)];
        self.add(EntryPoint::Sort(kernel), &fields, words, invocations)
    }

    /// Sends it off; [`Sent::wait`] gives the first word of one of its buffers.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn send(self, asked: usize) -> Result<Sent> {
        let gpu = self.gpu;
        let stride = (u64::from(UNIFORM_STRIDE) / WORD) as usize;
        let mut uniforms = vec![0; self.dispatches.len() * stride];
        for (words, dispatch) in uniforms.chunks_exact_mut(stride).zip(&self.dispatches) {
            words[..dispatch.uniform.len()].copy_from_slice(&dispatch.uniform);
        }
        let (input, readback, clock) = gpu.allocating(|_| {
            let input = gpu.pool.take(Kind::Input, size(uniforms.len() as u64));
            (input, Readback::new(gpu, 1 + clock::WORDS as u64), Clock::take(gpu))
        })?;
        // From here to the submission nobody exchanges the buffer.
        let current = gpu.heap.current();
        let (memory, _) = current.buffer()?;
        let submission = gpu.guarded(|device| {
            gpu.queue.write_buffer(&input, 0, bytemuck::cast_slice(&uniforms));
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: clock.as_ref().and_then(|clock| clock.around(true, true)),
            });
            for (dispatch, number) in self.dispatches.iter().zip(0..) {
                let uniform = part_of(&input, 0, dispatch.uniform.len() as u64);
                let words = dispatch.words.iter().map(|words| self.bound(*words, memory));
                let parts = std::iter::once(uniform).chain(words);
                let group = bind_parts(device, &dispatch.kernel.layouts[0], parts);
                pass.set_pipeline(&dispatch.kernel.pipeline);
                pass.set_bind_group(0, &group, &[number * UNIFORM_STRIDE]);
                let [x, y] = groups(gpu, dispatch.invocations, dispatch.kernel.workgroup);
                pass.dispatch_workgroups(x, y, 1);
            }
            drop(pass);
            let at = readback.record(&mut encoder, &self.own[asked].0, Some(0..1), 0);
            if let Some(clock) = &clock {
                let readings = clock.resolve(&mut encoder);
                readback.record(&mut encoder, readings, Some(0..clock::WORDS), at);
            }
            gpu.queue.submit([encoder.finish()])
        })?;
        drop(current);
        Ok(Sent {
            _own: self.own,
            _input: input,
            submission,
            readback,
            clock,
        })
    }

    fn bound<'b>(&'b self, words: Words<'b>, memory: &'b wgpu::Buffer) -> wgpu::BindingResource<'b> {
        match words {
            Words::Region(region) => part_of(memory, u64::from(region.start) * WORD, region.words.into()),
            Words::Own(number) => part_of(&self.own[number].0, 0, self.own[number].1.into()),
        }
    }
}

impl Sent {
    /// Waits for it. Gives the word that was asked for, and how long the device took, if it has a clock.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn wait(self, gpu: &Gpu) -> Result<(u32, Option<Duration>)> {
        self.readback.wait(gpu, &self.submission, None)?;
        let clock = self.clock.as_ref();
        let spent = |words: &[u32]| (words[0], clock.map(|clock| clock.between(&words[1..])));
        self.readback.view(gpu, spent)
    }
}
