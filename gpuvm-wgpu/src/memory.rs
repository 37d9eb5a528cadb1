//! Moving words between the host and a device.

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use gpuvm_engine::{Result, Words};

use super::exit;
use super::gpu::Gpu;
use super::kernel::Kernel;
use super::pool::{Kind, Lease};

/// Bytes of a word.
pub const WORD: u64 = 4;
/// So many words are sooner copied than a mapped buffer is kept from its next user.
const FEW_WORDS: u64 = 1 << 16;

/// A buffer of zeros, for kernels to use and to copy from.
pub fn zeros(device: &wgpu::Device, label: &str, words: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: size(words),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// A buffer that holds the words, for kernels to use and to copy from.
pub fn filled(gpu: &Gpu, label: &str, words: &[u32]) -> wgpu::Buffer {
    let buffer = zeros(&gpu.device, label, words.len() as u64);
    if !words.is_empty() {
        gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
    }
    buffer
}

/// Bytes of a buffer: no binding may be empty, and a vector of four words has to fit.
pub fn size(words: u64) -> u64 {
    (words * WORD).next_multiple_of(16).max(16)
}

/// The first words of a buffer, as a binding.
pub fn words_of(buffer: &wgpu::Buffer, words: u64) -> wgpu::BindingResource<'_> {
    part_of(buffer, 0, words)
}

/// Words of a buffer from the given byte on, as a binding.
pub fn part_of(buffer: &wgpu::Buffer, offset: u64, words: u64) -> wgpu::BindingResource<'_> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer,
        offset,
        size: wgpu::BufferSize::new(size(words)),
    })
}

/// The bind group of a kernel, one whole buffer a binding.
pub fn bind(device: &wgpu::Device, kernel: &Kernel, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
    bind_parts(
        device,
        &kernel.layouts[0],
        buffers.iter().map(|buffer| buffer.as_entire_binding()),
    )
}

/// A bind group of a kernel.
pub fn bind_parts<'a>(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    parts: impl IntoIterator<Item = wgpu::BindingResource<'a>>,
) -> wgpu::BindGroup {
    let entries: Vec<_> = parts
        .into_iter()
        .zip(0..)
        .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout,
        entries: &entries,
    })
}

/// Ranges of words to bring to the host in one go.
#[derive(Debug)]
pub struct Readback {
    buffer: Lease,
    words: u64,
    /// What came of mapping it.
    mapped: Arc<OnceLock<Result<(), wgpu::BufferAsyncError>>>,
}

impl Readback {
    /// Room for that many words.
    pub fn new(gpu: &Gpu, words: u64) -> Readback {
        Readback {
            buffer: gpu.pool.take(Kind::Readback, size(words)),
            words,
            mapped: Arc::default(),
        }
    }

    /// Records copies of ranges of words, one after the other from the given word of the room on. Gives the word after the last.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        source: &wgpu::Buffer,
        ranges: impl IntoIterator<Item = Range<usize>>,
        mut at: u64,
    ) -> u64 {
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            let words = range.len() as u64;
            encoder.copy_buffer_to_buffer(source, range.start as u64 * WORD, &self.buffer, at * WORD, words * WORD);
            at += words;
        }
        at
    }

    /// Waits for the submission that has the copies, which may be known to take so long, and lets the host at the words.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn wait(&self, gpu: &Gpu, submission: &wgpu::SubmissionIndex, expected: Option<Duration>) -> Result<()> {
        // Asked for only now: whoever gives up a buffer that is just being mapped, while another thread asks the device, meets it
        // in between.
        let mapped = self.mapped.clone();
        self.buffer.map(move |result| {
            // It is asked for once, so nothing is there yet.
            let _ = mapped.set(result);
        });
        gpu.wait_for(submission, expected, || self.mapped.get().is_some())?;
        match self.mapped.get() {
            Some(Err(error)) => Err(gpu.failure(error)),
            _ => Ok(()),
        }
    }

    /// Looks at the words, which have been waited for.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn view<T>(&self, gpu: &Gpu, use_words: impl FnOnce(&[u32]) -> T) -> Result<T> {
        let _inside = exit::enter();
        let view = self
            .buffer
            .get_mapped_range(0..size(self.words))
            .map_err(|error| gpu.failure(error))?;
        let words: &[u32] = bytemuck::cast_slice(&view);
        Ok(use_words(&words[..self.words as usize]))
    }

    /// Waits for what was submitted, and hands the words over.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn read<T>(
        &self,
        gpu: &Gpu,
        submission: &wgpu::SubmissionIndex,
        use_words: impl FnOnce(&[u32]) -> T,
    ) -> Result<T> {
        self.wait(gpu, submission, None)?;
        self.view(gpu, use_words)
    }

    /// Waits for what was submitted, and gives the words away: copied if they are few, else as they lie in the mapped buffer.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn keep(self, gpu: &Gpu, submission: &wgpu::SubmissionIndex) -> Result<Words> {
        self.wait(gpu, submission, None)?;
        self.into_words(gpu)
    }

    /// Gives away the words, which have been waited for.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn into_words(self, gpu: &Gpu) -> Result<Words> {
        if self.words <= FEW_WORDS {
            return Ok(self.view(gpu, <[u32]>::to_vec)?.into());
        }
        let view = self.buffer.get_mapped_range(0..self.words * WORD);
        Ok(Words::elsewhere(Mapped {
            view: view.map_err(|error| gpu.failure(error))?,
            _buffer: self.buffer,
        }))
    }
}

/// The words of a mapped buffer, which goes back to its pool when nobody looks at them any more.
struct Mapped {
    /// Dropped first: a buffer that is looked at cannot be unmapped.
    view: wgpu::BufferView,
    _buffer: Lease,
}

impl AsRef<[u32]> for Mapped {
    fn as_ref(&self) -> &[u32] {
        bytemuck::cast_slice(&self.view)
    }
}
