//! Hand-written WGSL through wgpu, as one would run it in a program of one's own: buffers, bind group and pipeline are made once; a
//! launch writes the inputs, dispatches, copies the results to a mapped buffer and reads it, in one submission.

use std::sync::mpsc;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, ensure};
use bytemuck::AnyBitPattern;

/// Workgroups of a row, where there are more than one dimension takes.
const ROW: u32 = 32_768;

/// Copies sixteen bytes an invocation.
const COPY: &str = "
@group(0) @binding(0) var<uniform> settings: vec4<u32>;
@group(0) @binding(1) var<storage, read> old: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> copy: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = (group.y * 32768u + group.x) * 256u + local + settings.x;
    if i < arrayLength(&copy) { copy[i] = old[i]; }
}
";

/// An opened device.
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    about: wgpu::AdapterInfo,
}

/// What wgpu adds to a shader for safety.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// All that WebGPU asks for: `create_shader_module`.
    On,
    /// None: `create_shader_module_trusted`.
    Off,
}

/// How a thread waits for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The driver wakes it.
    Asleep,
    /// It asks again and again.
    Asking,
}

/// A kernel with its data. Binding 0 is a uniform, then come the inputs and last the output.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The shader; its entry point is `main`.
    pub source: &'a str,
    /// What stands in the uniform.
    pub uniform: &'a [u8],
    /// The inputs, read-only.
    pub inputs: &'a [&'a [u8]],
    /// Bytes of the output.
    pub output: usize,
    /// Workgroups in x and y.
    pub groups: [u32; 2],
}

/// A job that is ready to run.
pub struct Prepared<'a> {
    gpu: &'a Gpu,
    job: Job<'a>,
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
    inputs: Vec<wgpu::Buffer>,
    output: wgpu::Buffer,
    staging: wgpu::Buffer,
}

impl Gpu {
    /// Opens the adapter of that name with all its limits, and 64-bit integers and a clock where it has them.
    ///
    /// # Errors
    ///
    /// When there is no such adapter, or the driver refuses it.
    pub fn open(name: &str) -> Result<Gpu> {
        let descriptor = wgpu::InstanceDescriptor {
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        };
        let instance = wgpu::Instance::new(descriptor);
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
        let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name == name);
        let adapter = adapter.with_context(|| format!("wgpu finds no adapter called `{name}`"))?;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("hand-written WGSL"),
            required_features: adapter.features() & (wgpu::Features::SHADER_INT64 | wgpu::Features::TIMESTAMP_QUERY),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        Ok(Gpu {
            device,
            queue,
            about: adapter.get_info(),
        })
    }

    /// The adapter's and the driver's names.
    pub fn about(&self) -> &wgpu::AdapterInfo {
        &self.about
    }

    /// Whether shaders may use `u64`.
    pub fn has_int64(&self) -> bool {
        self.device.features().contains(wgpu::Features::SHADER_INT64)
    }

    /// Compiles the job's shader and makes its buffers, with the inputs in them.
    ///
    /// # Errors
    ///
    /// What wgpu finds wrong with the shader or the sizes.
    pub fn prepare<'a>(&'a self, job: Job<'a>, checks: Checks) -> Result<Prepared<'a>> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let pipeline = self.pipeline(job.source, checks);
        let buffer = |size: usize, usage| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: (size as u64).max(16),
                usage,
                mapped_at_creation: false,
            })
        };
        use wgpu::BufferUsages as Usage;
        let uniform = buffer(job.uniform.len(), Usage::UNIFORM | Usage::COPY_DST);
        self.queue.write_buffer(&uniform, 0, job.uniform);
        let inputs: Vec<_> = (job.inputs.iter())
            .map(|data| buffer(data.len(), Usage::STORAGE | Usage::COPY_DST))
            .collect();
        let output = buffer(job.output, Usage::STORAGE | Usage::COPY_SRC);
        let staging = buffer(job.output, Usage::MAP_READ | Usage::COPY_DST);
        let all = std::iter::once(&uniform).chain(&inputs).chain([&output]);
        let entries: Vec<_> = (all.zip(0..))
            .map(|(buffer, binding)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(anyhow!("{error}"));
        }
        let prepared = Prepared {
            gpu: self,
            job,
            pipeline,
            bindings,
            inputs,
            output,
            staging,
        };
        prepared.upload();
        Ok(prepared)
    }

    /// Seconds that a kernel takes to copy so many bytes from one place of the device's memory to another, sixteen an invocation: of many
    /// copies in one submission, so that nothing but copying counts.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn copy(&self, bytes: usize) -> Result<f64> {
        const COPIES: u32 = 50;
        let words = vec![1u32; bytes / 4];
        let groups = (bytes / 16).div_ceil(256) as u32;
        let job = Job {
            source: COPY,
            uniform: &[0; 16],
            inputs: &[bytemuck::cast_slice(&words)],
            output: bytes,
            groups: [groups.min(ROW), groups.div_ceil(ROW)],
        };
        let prepared = self.prepare(job, Checks::On)?;
        let run = |copies: u32| -> Result<f64> {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&prepared.pipeline);
            pass.set_bind_group(0, &prepared.bindings, &[]);
            for _ in 0..copies {
                pass.dispatch_workgroups(job.groups[0], job.groups[1], 1);
            }
            drop(pass);
            let begin = Instant::now();
            self.queue.submit([encoder.finish()]);
            self.wait(Waiting::Asking)?;
            Ok(begin.elapsed().as_secs_f64())
        };
        run(COPIES)?;
        // What a submission costs is in both.
        let [one, many] = [run(1)?, run(1 + COPIES)?];
        let copied: Vec<u32> = prepared.fetch()?;
        ensure!(copied == words, "the copy differs");
        Ok((many - one) / f64::from(COPIES))
    }

    /// Submits a pass in which nothing is done, and waits for its end: the least that a launch costs.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn idle(&self, waiting: Waiting) -> Result<()> {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        drop(encoder.begin_compute_pass(&Default::default()));
        self.queue.submit([encoder.finish()]);
        self.wait(waiting)
    }

    fn pipeline(&self, source: &str, checks: Checks) -> wgpu::ComputePipeline {
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        };
        let module = match checks {
            Checks::On => self.device.create_shader_module(descriptor),
            Checks::Off => trusted(&self.device, descriptor),
        };
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: checks == Checks::On,
                ..Default::default()
            },
            cache: None,
        })
    }

    /// Waits for everything that was submitted.
    fn wait(&self, waiting: Waiting) -> Result<()> {
        match waiting {
            Waiting::Asleep => {
                self.device.poll(wgpu::PollType::wait_indefinitely())?;
            }
            Waiting::Asking => {
                while !self.device.poll(wgpu::PollType::Poll)?.is_queue_empty() {
                    std::hint::spin_loop();
                }
            }
        }
        Ok(())
    }
}

/// A shader without wgpu's checks.
#[allow(unsafe_code)]
fn trusted(device: &wgpu::Device, descriptor: wgpu::ShaderModuleDescriptor<'_>) -> wgpu::ShaderModule {
    // SAFETY: the shaders of this crate compare every index that depends on the invocation with the buffer's length, index with constants
    // or loop counters that are in range otherwise, and have no loop without an end.
    unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}

impl Prepared<'_> {
    fn upload(&self) {
        for (buffer, data) in self.inputs.iter().zip(self.job.inputs) {
            self.gpu.queue.write_buffer(buffer, 0, data);
        }
    }

    fn encode(&self, clock: Option<wgpu::ComputePassTimestampWrites<'_>>) -> wgpu::CommandEncoder {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: clock,
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(self.job.groups[0], self.job.groups[1], 1);
        drop(pass);
        encoder
    }

    /// Uploads, runs, reads back.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn launch<T: AnyBitPattern>(&self) -> Result<Vec<T>> {
        self.upload();
        let encoder = self.encode(None);
        self.read(encoder)
    }

    /// Runs on what is on the device, and waits for the end.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn resident(&self, waiting: Waiting) -> Result<()> {
        self.gpu.queue.submit([self.encode(None).finish()]);
        self.gpu.wait(waiting)
    }

    /// Runs on what is on the device. The seconds between two time stamps of the device around the pass, if it has such.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn on_the_device(&self) -> Result<Option<f64>> {
        let Gpu { device, queue, .. } = self.gpu;
        if !device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return Ok(None);
        }
        let stamps = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count: 2,
        });
        use wgpu::BufferUsages as Usage;
        let [resolved, staging] = [
            Usage::QUERY_RESOLVE | Usage::COPY_SRC,
            Usage::MAP_READ | Usage::COPY_DST,
        ]
        .map(|usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage,
                mapped_at_creation: false,
            })
        });
        let mut encoder = self.encode(Some(wgpu::ComputePassTimestampWrites {
            query_set: &stamps,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }));
        encoder.resolve_query_set(&stamps, 0..2, &resolved, 0);
        encoder.copy_buffer_to_buffer(&resolved, 0, &staging, 0, 16);
        queue.submit([encoder.finish()]);
        let times: Vec<u64> = self.mapped(&staging, 16)?;
        let [begin, end] = times[..] else {
            return Ok(None);
        };
        Ok(Some(
            end.wrapping_sub(begin) as f64 * f64::from(queue.get_timestamp_period()) * 1e-9,
        ))
    }

    /// Reads what the last run left.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn fetch<T: AnyBitPattern>(&self) -> Result<Vec<T>> {
        self.read(self.gpu.device.create_command_encoder(&Default::default()))
    }

    fn read<T: AnyBitPattern>(&self, mut encoder: wgpu::CommandEncoder) -> Result<Vec<T>> {
        let size = self.job.output as u64;
        encoder.copy_buffer_to_buffer(&self.output, 0, &self.staging, 0, size);
        self.gpu.queue.submit([encoder.finish()]);
        self.mapped(&self.staging, size)
    }

    /// What is in a buffer of the host's when all that was submitted has ended.
    fn mapped<T: AnyBitPattern>(&self, staging: &wgpu::Buffer, size: u64) -> Result<Vec<T>> {
        let (sender, receiver) = mpsc::channel();
        staging.map_async(wgpu::MapMode::Read, ..size, move |result| {
            // The receiver lives until after the wait; if it does not, nobody wants to know.
            let _ = sender.send(result);
        });
        self.gpu.wait(Waiting::Asking)?;
        receiver.recv()??;
        let view = staging.get_mapped_range(..size)?;
        ensure!(
            view.len() % size_of::<T>() == 0,
            "the output is no whole number of entries"
        );
        let results = bytemuck::cast_slice(&view).to_vec();
        drop(view);
        staging.unmap();
        Ok(results)
    }
}
