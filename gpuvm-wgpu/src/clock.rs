//! The device's own clock, where it has one that can be read.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::gpu::Gpu;

/// Two readings of the device's clock, before and after what it has done.
#[derive(Debug)]
pub struct Clock {
    queries: wgpu::QuerySet,
    readings: wgpu::Buffer,
    /// Nanoseconds of a tick.
    tick: f32,
    shelf: Arc<Shelf>,
}

/// The parts of clocks that nobody uses at the moment.
#[derive(Debug, Default)]
pub struct Shelf(Mutex<Vec<(wgpu::QuerySet, wgpu::Buffer)>>);

/// Clocks to keep.
const IDLE: usize = 64;
/// Words of the two readings.
pub const WORDS: usize = 4;

impl Clock {
    /// A clock, if the device has any.
    pub fn take(gpu: &Gpu) -> Option<Clock> {
        let tick = gpu.tick?;
        let idle = gpu.clocks.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (queries, readings) = idle.unwrap_or_else(|| {
            let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            });
            let readings = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            (queries, readings)
        });
        Some(Clock {
            queries,
            readings,
            tick,
            shelf: gpu.clocks.clone(),
        })
    }

    /// To be read at the begin of one pass and at the end of the same or a later one.
    pub fn around(&self, begin: bool, end: bool) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        (begin || end).then(|| wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: begin.then_some(0),
            end_of_pass_write_index: end.then_some(1),
        })
    }

    /// Records that the readings go to a buffer, [`WORDS`] of them.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder) -> &wgpu::Buffer {
        encoder.resolve_query_set(&self.queries, 0..2, &self.readings, 0);
        &self.readings
    }

    /// The time between the readings.
    pub fn between(&self, words: &[u32]) -> Duration {
        let [begin, end] = [0, 2].map(|at| u64::from(words[at]) | u64::from(words[at + 1]) << 32);
        Duration::from_nanos((end.saturating_sub(begin) as f64 * f64::from(self.tick)) as u64)
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        let mut idle = self.shelf.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push((self.queries.clone(), self.readings.clone()));
        }
    }
}
