//! The queue: submissions, and writes to buffers.

use std::sync::Arc;

use wgpu::custom::*;
use wgpu::{BufferAddress, BufferSize, BufferUsages};

use crate::buffer::Buffer;
use crate::device::Handle;
use crate::driver::Result;
use crate::encoder::{CudaCommands, part};
use crate::mapped::Staging;
use crate::sending::{Failure, Sending};
use crate::shared::Shared;
use crate::unsupported::{nothing, refused};

/// A handle to a device's queue.
#[derive(Clone, Debug)]
pub struct CudaQueue {
    shared: Arc<Shared>,
    _handle: Arc<Handle>,
}

impl CudaQueue {
    /// The queue of a device.
    pub fn new(handle: Arc<Handle>) -> CudaQueue {
        CudaQueue {
            shared: handle.0.clone(),
            _handle: handle,
        }
    }

    /// A buffer that is written; none if that was refused.
    fn target<'a>(&self, buffer: &'a DispatchBuffer, at: u64, bytes: u64) -> Option<&'a Arc<Buffer>> {
        let target = part(&self.shared, buffer, BufferUsages::COPY_DST, at, Some(bytes));
        let target = target.and_then(|(buffer, _)| match buffer.unusable() {
            Some(reason) if buffer.is_valid() => Err(reason.to_string()),
            _ => Ok(buffer),
        });
        match target {
            Ok(buffer) => Some(buffer).filter(|buffer| buffer.is_valid() && !self.shared.is_lost()),
            Err(reason) => {
                self.shared.invalid(format!("write_buffer: {reason}"));
                None
            }
        }
    }

    /// Tells the stream something.
    fn send(&self, what: &str, send: impl FnOnce(&mut Sending) -> Result<()>) {
        let sent = {
            let mut sending = self.shared.sending();
            self.shared.driver.enter().and_then(|_entered| send(&mut sending))
        };
        if let Err(error) = sent {
            self.shared.fail(what, &error);
        }
    }
}

impl QueueInterface for CudaQueue {
    fn write_buffer(&self, buffer: &DispatchBuffer, offset: BufferAddress, data: &[u8]) {
        if let Some(buffer) = self.target(buffer, offset, data.len() as u64)
            && !data.is_empty()
        {
            self.send("write_buffer", |sending| {
                sending.write(&self.shared, buffer, offset, data)
            });
        }
    }

    fn create_staging_buffer(&self, size: BufferSize) -> Option<DispatchQueueWriteBuffer> {
        let bytes = size.get() as usize;
        let block = self.shared.host.take(bytes);
        let block = block
            .map_err(|error| self.shared.fail("a staging buffer", &error))
            .ok()?;
        Some(DispatchQueueWriteBuffer::custom(Staging::new(block, bytes)))
    }

    fn validate_write_buffer(&self, buffer: &DispatchBuffer, offset: BufferAddress, size: BufferSize) -> Option<()> {
        self.target(buffer, offset, size.get()).map(|_| ())
    }

    fn write_staging_buffer(&self, buffer: &DispatchBuffer, offset: BufferAddress, staging: &DispatchQueueWriteBuffer) {
        let Some(staged) = staging.as_custom::<Staging>() else {
            return;
        };
        let bytes = staged.len() as u64;
        if let Some(buffer) = self.target(buffer, offset, bytes) {
            let block = &staged.block;
            self.send("write_buffer", |sending| {
                sending.write_block(&self.shared, buffer, offset, block, bytes)
            });
        }
    }

    fn write_texture(
        &self,
        _: wgpu::TexelCopyTextureInfo<'_>,
        _: &[u8],
        _: wgpu::TexelCopyBufferLayout,
        _: wgpu::Extent3d,
    ) {
        refused(&self.shared, "textures");
    }

    fn submit(&self, command_buffers: &mut dyn Iterator<Item = DispatchCommandBuffer>) -> u64 {
        // All are taken, whatever becomes of them.
        let commands: Vec<_> = command_buffers.collect();
        let taken = commands
            .iter()
            .filter_map(|commands| commands.as_custom::<CudaCommands>()?.take());
        let recordings: Vec<_> = taken.collect();
        let (number, failures) = {
            let mut sending = self.shared.sending();
            match self.shared.is_lost() {
                true => (sending.last(), Vec::new()),
                false => match self.shared.driver.enter() {
                    Ok(_entered) => sending.submit(&self.shared, recordings),
                    Err(error) => (sending.last(), vec![Failure::Driver(error)]),
                },
            }
        };
        for failure in failures {
            match failure {
                Failure::Driver(error) => self.shared.fail("submit", &error),
                Failure::Invalid(text) => self.shared.invalid(format!("submit: {text}")),
            }
        }
        self.shared.settle();
        number
    }

    fn get_timestamp_period(&self) -> f32 {
        1.0
    }

    fn on_submitted_work_done(&self, callback: BoxSubmittedWorkDoneCallback) {
        self.shared.progress.when_done(callback);
    }

    fn compact_blas(&self, _: &DispatchBlas) -> (Option<u64>, DispatchBlas) {
        let nothing = nothing(&self.shared, "acceleration structures");
        (None, DispatchBlas::custom(nothing))
    }

    fn present(&self, _: &DispatchSurfaceOutputDetail) {
        refused(&self.shared, "surfaces");
    }
}
