//! Devices on a driver that plays a GPU on the host: what goes to it in which order, and what becomes of what goes wrong.

mod errors;
mod kernels;
mod mapping;
mod resident;

use std::sync::{Arc, Mutex};

use crate::adapter::CudaAdapter;
use crate::driver::fake::Fake;

/// A device, its queue, and the driver below.
struct Rig {
    fake: Arc<Fake>,
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// Errors that no scope has caught, and the loss of the device.
    heard: Arc<Mutex<Vec<String>>>,
}

impl Rig {
    fn new() -> Rig {
        Rig::on(Fake::new())
    }

    fn on(fake: Arc<Fake>) -> Rig {
        let adapter = wgpu::Adapter::from_custom(CudaAdapter(fake.clone()));
        let (features, limits) = (adapter.features(), adapter.limits());
        let descriptor = wgpu::DeviceDescriptor {
            required_features: features,
            required_limits: limits,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let to = heard.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let text = match &error {
                wgpu::Error::OutOfMemory { source } => format!("out of memory: {source}"),
                other => other.to_string(),
            };
            to.lock().unwrap().push(text);
        }));
        let to = heard.clone();
        device.set_device_lost_callback(move |reason, text| {
            to.lock().unwrap().push(format!("lost, {reason:?}: {text}"));
        });
        Rig {
            fake,
            device,
            queue,
            heard,
        }
    }

    fn heard(&self) -> Vec<String> {
        std::mem::take(&mut *self.heard.lock().unwrap())
    }

    fn buffer(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("data"),
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    /// A buffer of words for kernels.
    fn words(&self, words: &[u32]) -> wgpu::Buffer {
        use wgpu::BufferUsages as Usage;
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST | Usage::INDIRECT;
        let buffer = self.buffer(4 * words.len() as u64, usage);
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
        buffer
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// The words of a buffer, as soon as the device is there.
    fn read(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        let readback = self.buffer(
            buffer.size(),
            wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        );
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &readback, 0, None);
        self.queue.submit([encoder.finish()]);
        let mapped = watch(&readback, wgpu::MapMode::Read);
        // Another thread may be about to tell what this one has waited for.
        while mapped.lock().unwrap().is_none() {
            self.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        }
        assert_eq!(*mapped.lock().unwrap(), Some(Ok(())));
        let view = readback.get_mapped_range(..).unwrap();
        bytemuck::cast_slice(&view).to_vec()
    }
}

/// What came of a mapping.
type Watched = Arc<Mutex<Option<Result<(), wgpu::BufferAsyncError>>>>;

/// Maps a buffer and gives where the answer will be.
fn watch(buffer: &wgpu::Buffer, mode: wgpu::MapMode) -> Watched {
    let watched = Watched::default();
    let to = watched.clone();
    buffer.map_async(mode, .., move |result| *to.lock().unwrap() = Some(result));
    watched
}
