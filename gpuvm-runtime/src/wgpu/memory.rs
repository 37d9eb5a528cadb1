//! Moving words between the host and a device.

use std::ops::Range;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::gpu::Gpu;
use super::kernel::Kernel;
use crate::error::{Error, Result};

/// Bytes of a word.
pub const WORD: u64 = 4;
/// How long to wait for a callback before asking the device again.
const PATIENCE: Duration = Duration::from_millis(5);

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

/// A uniform's buffer of the given number of words.
pub fn uniform(device: &wgpu::Device, label: &str, words: usize) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: size(words as u64),
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// Bytes of a buffer: no binding may be empty, and a vector of four words has to fit.
fn size(words: u64) -> u64 {
    (words * WORD).next_multiple_of(16).max(16)
}

/// The bind group of a kernel, one buffer a binding.
pub fn bind(device: &wgpu::Device, kernel: &Kernel, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
    let entries: Vec<_> = buffers
        .iter()
        .zip(0..)
        .map(|(buffer, binding)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &kernel.layout,
        entries: &entries,
    })
}

/// Ranges of words to bring to the host in one go.
#[derive(Debug)]
pub struct Readback {
    buffer: wgpu::Buffer,
    words: u64,
}

impl Readback {
    /// Room for that many words.
    pub fn new(device: &wgpu::Device, words: u64) -> Readback {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size: size(words),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Readback { buffer, words }
    }

    /// Records copies of ranges of words, one after the other from the given word of the room on.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        source: &wgpu::Buffer,
        ranges: impl IntoIterator<Item = Range<usize>>,
        mut at: u64,
    ) {
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            let words = range.len() as u64;
            encoder.copy_buffer_to_buffer(source, range.start as u64 * WORD, &self.buffer, at * WORD, words * WORD);
            at += words;
        }
    }

    /// Waits for the device, and hands over the words.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn read<T>(&self, gpu: &Gpu, use_words: impl FnOnce(&[u32]) -> T) -> Result<T> {
        let (sender, receiver) = mpsc::channel();
        let range = 0..size(self.words);
        self.buffer
            .map_async(wgpu::MapMode::Read, range.clone(), move |result| {
                // The receiver lives until after the wait; if it does not, nobody wants to know.
                let _ = sender.send(result);
            });
        let failed = |reason: String| Error::Device { reason };
        loop {
            gpu.wait()?;
            // Another thread that waits for the same device may be about to run the callback instead of this one.
            match receiver.recv_timeout(PATIENCE) {
                Ok(Ok(())) => break,
                Ok(Err(error)) => return Err(failed(error.to_string())),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(failed("results could not be read back".to_string()));
                }
            }
        }
        let view = self
            .buffer
            .get_mapped_range(range)
            .map_err(|error| failed(error.to_string()))?;
        let words: &[u32] = bytemuck::cast_slice(&view);
        let value = use_words(&words[..self.words as usize]);
        drop(view);
        self.buffer.unmap();
        Ok(value)
    }
}
