//! Sorting entries of the device's memory by keys: a radix sort of numbers, or of entries of one word, digit by digit. What the kernels do
//! stands in `shaders/sort/shared.wgsl`.

use std::sync::Arc;
use std::time::Duration;

use gpuvm_engine::{Region, Result, Sort};
use gpuvm_shaders::layout::sort::{DIGIT, TILE, WORKGROUP};

use super::clock::{self, Clock};
use super::gpu::Gpu;
use super::kernel::Kernel;
use super::memory::{Readback, WORD, bind_parts, part_of, size};
use super::pool::{Kind, Lease};
use super::session::buffers::UNIFORM_STRIDE;
use super::session::groups;
use super::source::{EntryPoint, SortKernel};

/// A sort that is being put together.
pub struct Sorting<'s> {
    gpu: &'s Gpu,
    sort: &'s Sort,
    /// Keys, and what belongs to each, in turns.
    keys: [Lease; 2],
    values: [Lease; 2],
    /// The counts of all tiles' digits, their sums by tile, the sums of these, and so on to one.
    counts: Vec<(Lease, u32)>,
    dispatches: Vec<Dispatch<'s>>,
}

/// Words that a kernel works on.
#[derive(Clone, Copy)]
enum Words<'s> {
    /// Of the device's memory.
    Region(&'s Region),
    Keys(usize),
    Values(usize),
    Counts(usize),
}

struct Dispatch<'s> {
    kernel: Arc<Kernel>,
    uniform: Vec<u32>,
    words: Vec<Words<'s>>,
    invocations: u64,
}

impl<'s> Sorting<'s> {
    /// Takes what a sort needs, and sees to its kernels.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](gpuvm_engine::Error::OutOfMemory), or when the device refuses a kernel.
    pub fn new(gpu: &'s Gpu, sort: &'s Sort) -> Result<Sorting<'s>> {
        let bytes = size(sort.count.into());
        let mut left = sort.count.div_ceil(TILE) * WORKGROUP;
        let mut sizes = vec![left];
        while left > 1 {
            left = left.div_ceil(TILE);
            sizes.push(left);
        }
        let take = |bytes| gpu.pool.take(Kind::Storage, bytes);
        let (keys, values, counts) = gpu.allocating(|_| {
            let counts = sizes.iter().map(|&words| (take(size(words.into())), words));
            (
                [take(bytes), take(bytes)],
                [take(bytes), take(bytes)],
                counts.collect::<Vec<_>>(),
            )
        })?;
        let mut sorting = Sorting {
            gpu,
            sort,
            keys,
            values,
            counts,
            dispatches: Vec::new(),
        };
        if sort.count > 0 {
            sorting.fill()?;
        }
        Ok(sorting)
    }

    /// Adds all dispatches.
    fn fill(&mut self) -> Result<()> {
        let sort = self.sort;
        let entries = Words::Region(&sort.entries);
        // An entry of one word takes no longer on the way than its number does.
        let by_number = sort.entry_words != 1 || sort.key_words != 1;
        let mut keys = Words::Region(&sort.keys);
        let mut values = if by_number { Words::Values(1) } else { entries };
        if sort.key_words > 1 {
            self.pick(0, Words::Values(1), Words::Keys(1))?;
            keys = Words::Keys(1);
        }
        let passes = sort.bits.div_ceil(DIGIT).max(1);
        for pass in 0..passes {
            let digit = pass % (u32::BITS / DIGIT);
            if pass > 0 && digit == 0 {
                self.pick(1, values, Words::Keys(1))?;
                keys = Words::Keys(1);
            }
            let turn = pass as usize % 2;
            let is_last = pass + 1 == passes;
            let to = match is_last && !by_number {
                true => Words::Region(&sort.sorted),
                false => Words::Values(turn),
            };
            let pass = Pass {
                shift: digit * DIGIT,
                numbered: by_number && pass == 0,
                keeps_keys: !is_last,
            };
            self.pass(pass, [keys, values], [Words::Keys(turn), to])?;
            (keys, values) = (Words::Keys(turn), to);
        }
        if by_number {
            let [count, width] = [sort.count, sort.entry_words];
            let fields = [("count", count), ("width", width), ("stride", width), ("by_number", 1)];
            let words = vec![entries, values, Words::Region(&sort.sorted)];
            self.add(EntryPoint::Pick, &fields, words, u64::from(count) * u64::from(width))?;
        }
        Ok(())
    }

    /// Adds the dispatch that picks a word of each key: those of all keys in their order at first, and then by what belongs to them.
    fn pick(&mut self, word: u32, numbers: Words<'s>, to: Words<'s>) -> Result<()> {
        let sort = self.sort;
        let fields = [
            ("count", sort.count),
            ("width", 1),
            ("stride", sort.key_words),
            ("offset", word),
            ("by_number", u32::from(word > 0)),
        ];
        let words = vec![Words::Region(&sort.keys), numbers, to];
        self.add(EntryPoint::Pick, &fields, words, sort.count.into())
    }

    /// Adds the dispatches of a pass.
    fn pass(&mut self, pass: Pass, from: [Words<'s>; 2], to: [Words<'s>; 2]) -> Result<()> {
        let tiles = self.sort.count.div_ceil(TILE);
        let fields = [
            ("count", self.sort.count),
            ("tiles", tiles),
            ("shift", pass.shift),
            ("numbered", pass.numbered.into()),
            ("keeps_keys", pass.keeps_keys.into()),
        ];
        let all = u64::from(tiles) * u64::from(WORKGROUP);
        let count = EntryPoint::Sort(SortKernel::Count);
        self.add(count, &fields, vec![from[0], Words::Counts(0)], all)?;
        let levels = self.counts.len() - 1;
        for level in 0..levels {
            self.sum_up(SortKernel::Scan, level)?;
        }
        for level in (0..levels.saturating_sub(1)).rev() {
            self.sum_up(SortKernel::Add, level)?;
        }
        let words = vec![from[0], from[1], to[0], to[1], Words::Counts(0)];
        self.add(EntryPoint::Sort(SortKernel::Scatter), &fields, words, all)
    }

    /// Adds a dispatch for the counts of a level and the sums of the next one.
    fn sum_up(&mut self, kernel: SortKernel, level: usize) -> Result<()> {
        let count = self.counts[level].1;
        let tiles = count.div_ceil(TILE);
        let invocations = match kernel {
            SortKernel::Scan => u64::from(tiles) * u64::from(WORKGROUP),
            _ => count.into(),
        };
        let words = vec![Words::Counts(level), Words::Counts(level + 1)];
        let fields = [("count", count), ("tiles", tiles)];
        self.add(EntryPoint::Sort(kernel), &fields, words, invocations)
    }

    /// Adds a dispatch. Fields of its uniform that are not given are 0.
    fn add(
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

    /// Runs it. Gives how long the device took, if it has a clock.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn run(self) -> Result<Option<Duration>> {
        if self.dispatches.is_empty() {
            return Ok(None);
        }
        let gpu = self.gpu;
        let stride = (u64::from(UNIFORM_STRIDE) / WORD) as usize;
        let mut uniforms = vec![0; self.dispatches.len() * stride];
        for (words, dispatch) in uniforms.chunks_exact_mut(stride).zip(&self.dispatches) {
            words[..dispatch.uniform.len()].copy_from_slice(&dispatch.uniform);
        }
        let (input, readback, clock) = gpu.allocating(|_| {
            let input = gpu.pool.take(Kind::Input, size(uniforms.len() as u64));
            (input, Readback::new(gpu, clock::WORDS as u64), Clock::take(gpu))
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
            // Without a clock, anything that comes after it is waited for.
            let readings = match &clock {
                Some(clock) => clock.resolve(&mut encoder),
                None => memory,
            };
            readback.record(&mut encoder, readings, Some(0..clock::WORDS), 0);
            gpu.queue.submit([encoder.finish()])
        })?;
        drop(current);
        readback.wait(gpu, &submission, None)?;
        readback.view(gpu, |words| clock.map(|clock| clock.between(words)))
    }

    fn bound<'b>(&'b self, words: Words<'b>, memory: &'b wgpu::Buffer) -> wgpu::BindingResource<'b> {
        let count = u64::from(self.sort.count);
        match words {
            Words::Region(region) => part_of(memory, u64::from(region.start) * WORD, region.words.into()),
            Words::Keys(turn) => part_of(&self.keys[turn], 0, count),
            Words::Values(turn) => part_of(&self.values[turn], 0, count),
            Words::Counts(level) => part_of(&self.counts[level].0, 0, self.counts[level].1.into()),
        }
    }
}

/// What one pass does.
#[derive(Clone, Copy)]
struct Pass {
    shift: u32,
    numbered: bool,
    keeps_keys: bool,
}
