//! Command encoders: they check what is recorded, and record it as data.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wgpu::custom::{
    CommandBufferInterface, CommandEncoderInterface, DispatchBuffer, DispatchCommandBuffer, DispatchComputePass,
    DispatchQuerySet, DispatchRenderPass, DispatchTexture, DispatchTextureView,
};
use wgpu::{BufferAddress, BufferUsages, COPY_BUFFER_ALIGNMENT, QUERY_SIZE};

use crate::buffer::{Buffer, CudaBuffer};
use crate::pass::CudaPass;
use crate::query::{CudaQueries, Queries};
use crate::recording::{Command, Recording};
use crate::shared::Shared;
use crate::unsupported::{refused, unsupported};

/// An encoder.
#[derive(Debug)]
pub struct CudaEncoder {
    shared: Arc<Shared>,
    recording: Arc<Mutex<Place>>,
}

/// Where the recording of an encoder is.
#[allow(clippy::large_enum_variant, reason = "there is one for each encoder, on the heap")]
#[derive(Debug)]
pub enum Place {
    /// Here.
    Here(Recording),
    /// With a pass.
    InPass,
    /// Handed over.
    Gone,
}

/// What was recorded, until it is submitted.
#[derive(Debug)]
pub struct CudaCommands(Mutex<Option<Recording>>);

impl CudaEncoder {
    /// An empty encoder.
    pub fn new(shared: Arc<Shared>) -> CudaEncoder {
        CudaEncoder {
            shared,
            recording: Arc::new(Mutex::new(Place::Here(Recording::default()))),
        }
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records something; if it is wrong the whole recording is, which is told when it is finished.
    fn record(&self, what: &str, record: impl FnOnce(&mut Recording) -> Result<(), String>) {
        match &mut *self.place() {
            Place::Here(recording) => {
                if let Err(error) = record(recording) {
                    recording.refuse(|| format!("{what}: {error}"));
                }
            }
            Place::InPass | Place::Gone => tracing::debug!("{what} while a pass is recorded"),
        }
    }

    fn stamp(&self, queries: &DispatchQuerySet, index: u32) {
        self.record("write_timestamp", |recording| record_stamp(recording, queries, index));
    }
}

impl CudaCommands {
    /// Takes what was recorded.
    pub fn take(&self) -> Option<Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A buffer's part that a command uses.
///
/// # Errors
///
/// Why it cannot.
pub fn part<'a>(
    shared: &Arc<Shared>,
    buffer: &'a DispatchBuffer,
    usage: BufferUsages,
    at: u64,
    bytes: Option<u64>,
) -> Result<(&'a Arc<Buffer>, u64), String> {
    let buffer = &buffer
        .as_custom::<CudaBuffer>()
        .ok_or("a buffer is another device's")?
        .0;
    if !buffer.is_of(shared) {
        return Err("a buffer is another device's".to_string());
    }
    if !buffer.usage.contains(usage) {
        return Err(format!("a buffer of {:?} lacks {usage:?}", buffer.usage));
    }
    let left = buffer.size.checked_sub(at);
    let bytes = bytes.or(left).unwrap_or_default();
    if left.is_none_or(|left| left < bytes) {
        return Err(format!(
            "{bytes} bytes from {at} on are not in a buffer of {}",
            buffer.size
        ));
    }
    if !at.is_multiple_of(COPY_BUFFER_ALIGNMENT) || !bytes.is_multiple_of(COPY_BUFFER_ALIGNMENT) {
        return Err(format!("{bytes} bytes from {at} on are not whole words"));
    }
    Ok((buffer, bytes))
}

/// Readings that a command uses; none if they could not be made, which was told.
///
/// # Errors
///
/// Why it cannot.
fn readings<'a>(
    recording: &mut Recording,
    queries: &'a DispatchQuerySet,
    first: u32,
    count: u32,
) -> Result<Option<&'a Arc<Queries>>, String> {
    let queries = queries
        .as_custom::<CudaQueries>()
        .ok_or("a query set is another device's")?;
    let Some(queries) = &queries.0 else {
        recording.invalid = true;
        return Ok(None);
    };
    match first.checked_add(count).is_some_and(|end| end <= queries.count) {
        true => Ok(Some(queries)),
        false => Err(format!(
            "query {first} and {count} in all are not in a set of {}",
            queries.count
        )),
    }
}

/// Records that the clock is read.
///
/// # Errors
///
/// Why it cannot be.
pub fn record_stamp(recording: &mut Recording, queries: &DispatchQuerySet, index: u32) -> Result<(), String> {
    if let Some(queries) = readings(recording, queries, index, 1)? {
        let queries = queries.clone();
        recording.commands.push(Command::Stamp { queries, index });
    }
    Ok(())
}

impl CommandEncoderInterface for CudaEncoder {
    fn copy_buffer_to_buffer(
        &self,
        source: &DispatchBuffer,
        source_offset: BufferAddress,
        destination: &DispatchBuffer,
        destination_offset: BufferAddress,
        copy_size: Option<BufferAddress>,
    ) {
        self.record("copy_buffer_to_buffer", |recording| {
            let (from, bytes) = part(&self.shared, source, BufferUsages::COPY_SRC, source_offset, copy_size)?;
            let (to, bytes) = part(
                &self.shared,
                destination,
                BufferUsages::COPY_DST,
                destination_offset,
                Some(bytes),
            )?;
            if Arc::ptr_eq(from, to) {
                return Err("a buffer is copied to itself".to_string());
            }
            if recording.uses(from) && recording.uses(to) && bytes > 0 {
                recording.commands.push(Command::Copy {
                    from: from.clone(),
                    from_at: source_offset,
                    to: to.clone(),
                    to_at: destination_offset,
                    bytes,
                });
            }
            Ok(())
        });
    }

    fn copy_buffer_to_texture(
        &self,
        _: wgpu::TexelCopyBufferInfo<'_>,
        _: wgpu::TexelCopyTextureInfo<'_>,
        _: wgpu::Extent3d,
    ) {
        refused(&self.shared, "textures");
    }

    fn copy_texture_to_buffer(
        &self,
        _: wgpu::TexelCopyTextureInfo<'_>,
        _: wgpu::TexelCopyBufferInfo<'_>,
        _: wgpu::Extent3d,
    ) {
        refused(&self.shared, "textures");
    }

    fn copy_texture_to_texture(
        &self,
        _: wgpu::TexelCopyTextureInfo<'_>,
        _: wgpu::TexelCopyTextureInfo<'_>,
        _: wgpu::Extent3d,
    ) {
        refused(&self.shared, "textures");
    }

    fn begin_compute_pass(&self, descriptor: &wgpu::ComputePassDescriptor<'_>) -> DispatchComputePass {
        let mut recording = match std::mem::replace(&mut *self.place(), Place::InPass) {
            Place::Here(recording) => recording,
            Place::InPass | Place::Gone => {
                let mut recording = Recording::default();
                recording.refuse(|| "a pass is begun while another is recorded".to_string());
                recording
            }
        };
        let mut end = None;
        if let Some(writes) = &descriptor.timestamp_writes {
            let queries = writes.query_set.as_custom::<CudaQueries>().cloned();
            let queries = queries.map(DispatchQuerySet::custom);
            match (queries, writes.beginning_of_pass_write_index) {
                (None, _) => recording.refuse(|| "a query set is another device's".to_string()),
                (Some(queries), begin) => {
                    let stamped = begin.map_or(Ok(()), |index| record_stamp(&mut recording, &queries, index));
                    if let Err(error) = stamped {
                        recording.refuse(|| error);
                    }
                    end = writes.end_of_pass_write_index.map(|index| (queries, index));
                }
            }
        }
        DispatchComputePass::custom(CudaPass::new(
            self.shared.clone(),
            recording,
            self.recording.clone(),
            end,
        ))
    }

    fn begin_render_pass(&self, _: &wgpu::RenderPassDescriptor<'_>) -> DispatchRenderPass {
        unsupported("render passes")
    }

    fn finish(&mut self) -> DispatchCommandBuffer {
        let recording = match std::mem::replace(&mut *self.place(), Place::Gone) {
            Place::Here(recording) => Some(recording),
            Place::InPass => {
                self.shared.invalid("an encoder is finished while a pass is recorded");
                None
            }
            Place::Gone => None,
        };
        let recording = recording.and_then(|mut recording| {
            let error = recording.error.take();
            let right = error.is_none() && !recording.invalid;
            if let Some(error) = error {
                self.shared.invalid(error);
            }
            right.then_some(recording)
        });
        DispatchCommandBuffer::custom(CudaCommands(Mutex::new(recording)))
    }

    fn clear_texture(&self, _: &DispatchTexture, _: &wgpu::ImageSubresourceRange) {
        refused(&self.shared, "textures");
    }

    fn clear_buffer(&self, buffer: &DispatchBuffer, offset: BufferAddress, size: Option<BufferAddress>) {
        self.record("clear_buffer", |recording| {
            let (buffer, bytes) = part(&self.shared, buffer, BufferUsages::COPY_DST, offset, size)?;
            if recording.uses(buffer) && bytes > 0 {
                recording.commands.push(Command::Clear {
                    buffer: buffer.clone(),
                    at: offset,
                    bytes,
                });
            }
            Ok(())
        });
    }

    fn insert_debug_marker(&self, _: &str) {}

    fn push_debug_group(&self, _: &str) {}

    fn pop_debug_group(&self) {}

    fn write_timestamp(&self, query_set: &DispatchQuerySet, query_index: u32) {
        self.stamp(query_set, query_index);
    }

    fn resolve_query_set(
        &self,
        query_set: &DispatchQuerySet,
        first_query: u32,
        query_count: u32,
        destination: &DispatchBuffer,
        destination_offset: BufferAddress,
    ) {
        self.record("resolve_query_set", |recording| {
            let bytes = Some(u64::from(query_count) * u64::from(QUERY_SIZE));
            let usage = BufferUsages::QUERY_RESOLVE;
            let (to, bytes) = part(&self.shared, destination, usage, destination_offset, bytes)?;
            let queries = readings(recording, query_set, first_query, query_count)?;
            if let Some(queries) = queries
                && recording.uses(to)
                && bytes > 0
            {
                recording.commands.push(Command::Resolve {
                    queries: queries.clone(),
                    first: first_query,
                    count: query_count,
                    to: to.clone(),
                    at: destination_offset,
                });
            }
            Ok(())
        });
    }

    fn mark_acceleration_structures_built<'a>(
        &self,
        _: &mut dyn Iterator<Item = &'a wgpu::Blas>,
        _: &mut dyn Iterator<Item = &'a wgpu::Tlas>,
    ) {
        refused(&self.shared, "acceleration structures");
    }

    fn build_acceleration_structures<'a>(
        &self,
        _: &mut dyn Iterator<Item = &'a wgpu::BlasBuildEntry<'a>>,
        _: &mut dyn Iterator<Item = &'a wgpu::Tlas>,
    ) {
        refused(&self.shared, "acceleration structures");
    }

    fn transition_resources<'a>(
        &mut self,
        _: &mut dyn Iterator<Item = wgpu::BufferTransition<&'a DispatchBuffer>>,
        _: &mut dyn Iterator<Item = wgpu::TextureTransition<&'a DispatchTexture>>,
    ) {
        // A stream does one thing after the other: nothing has to be prepared.
    }
}

impl CommandBufferInterface for CudaCommands {}

/// What a pass has no use for.
pub type TextureTransitions<'a, 'b> = &'b mut dyn Iterator<Item = wgpu::TextureTransition<&'a DispatchTextureView>>;
