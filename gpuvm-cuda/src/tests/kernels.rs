//! Kernels: what they are given, how they are sized, and how they are kept.

use wgpu::util::DeviceExt;
use wgpu::{BufferUsages as Usage, PollType};

use super::Rig;
use crate::driver::fake::Fake;

/// Adds a word to all words, which the driver plays.
const ADD: &str = "
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> added: vec4<u32>;
@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&words) { words[id.x] += added.x; }
}
@compute @workgroup_size(1) fn unused() { words[0] = added.y; }
";

struct Add {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

fn buffer_entry(binding: u32, ty: wgpu::BufferBindingType, dynamic: bool) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: dynamic,
            min_binding_size: None,
        },
        count: None,
    }
}

impl Add {
    fn new(rig: &Rig, device: &wgpu::Device, cache: Option<&wgpu::PipelineCache>) -> Add {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(ADD.into()),
        });
        let storage = wgpu::BufferBindingType::Storage { read_only: false };
        let layout = rig.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[
                buffer_entry(1, wgpu::BufferBindingType::Uniform, true),
                buffer_entry(0, storage, false),
            ],
        });
        let whole = rig.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("add"),
            layout: Some(&whole),
            module: &module,
            entry_point: Some("add"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache,
        });
        Add { pipeline, layout }
    }

    fn group(&self, rig: &Rig, words: &wgpu::Buffer, uniform: &wgpu::Buffer) -> wgpu::BindGroup {
        let part = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: uniform,
            offset: 0,
            size: wgpu::BufferSize::new(16),
        });
        rig.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: words.as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: part,
                },
            ],
        })
    }

    /// Submits a row of launches, each of which adds the first or the second of the group's numbers.
    fn submit(&self, rig: &Rig, group: &wgpu::BindGroup, numbers: impl Iterator<Item = u32>) {
        let mut encoder = rig.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        for number in numbers {
            pass.set_bind_group(0, group, &[number * 256]);
            pass.dispatch_workgroups(1, 1, 1);
        }
        drop(pass);
        rig.queue.submit([encoder.finish()]);
    }
}

/// The kernel with a word that is 0, to which it adds 1 or 1,000.
fn adding(rig: &Rig) -> (Add, wgpu::Buffer, wgpu::BindGroup) {
    let add = Add::new(rig, &rig.device, None);
    let words = rig.words(&[0]);
    let uniform = rig.buffer(512, Usage::UNIFORM | Usage::COPY_DST);
    rig.queue
        .write_buffer(&uniform, 0, bytemuck::cast_slice(&uniforms(&[1, 1000])));
    let group = add.group(rig, &words, &uniform);
    (add, words, group)
}

/// Uniforms at multiples of 256 bytes, whose first words these are.
fn uniforms(words: &[u32]) -> Vec<u32> {
    words
        .iter()
        .flat_map(|&word| std::iter::once(word).chain([0; 63]))
        .collect()
}

/// Kernels that were compiled, but for the one that reads the clock.
fn compiled(rig: &Rig) -> usize {
    rig.fake.compiled().len() - 1
}

#[test]
fn uniforms_are_what_the_host_has_written_before_the_submission() {
    let rig = Rig::new();
    let add = Add::new(&rig, &rig.device, None);
    let words = rig.words(&[1, 2, 3]);
    let uniform = rig.buffer(512, Usage::UNIFORM | Usage::COPY_DST);
    let group = add.group(&rig, &words, &uniform);
    let submit = |offsets: &[u32]| {
        let mut encoder = rig.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&add.pipeline);
        for offset in offsets {
            pass.set_bind_group(0, &group, &[*offset]);
            pass.dispatch_workgroups(1, 1, 1);
        }
        drop(pass);
        encoder.finish()
    };
    rig.queue
        .write_buffer(&uniform, 0, bytemuck::cast_slice(&uniforms(&[10, 100])));
    let commands = submit(&[0, 256, 256]);
    rig.queue.submit([commands]);
    assert_eq!(rig.read(&words), [211, 212, 213]);
    // Recorded before it is written, as wgpu has it.
    let commands = submit(&[0]);
    rig.queue
        .write_buffer(&uniform, 0, bytemuck::cast_slice(&uniforms(&[1000])));
    rig.queue.submit([commands]);
    assert_eq!(rig.read(&words), [1211, 1212, 1213]);
    // A copy of what was mapped, in the same submission.
    let staged = rig.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: None,
        contents: bytemuck::cast_slice(&[5_u32]),
        usage: Usage::MAP_WRITE | Usage::COPY_SRC,
    });
    let mut encoder = rig.encoder();
    encoder.copy_buffer_to_buffer(&staged, 0, &uniform, 0, 4);
    rig.queue.submit([encoder.finish(), submit(&[0])]);
    assert_eq!(rig.read(&words), [1216, 1217, 1218]);
    assert!(rig.heard().is_empty());
}

#[test]
fn a_uniform_that_a_kernel_may_have_written_is_refused() {
    let rig = Rig::new();
    let add = Add::new(&rig, &rig.device, None);
    let usage = Usage::UNIFORM | Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC;
    let (written, uniform) = (rig.buffer(256, usage), rig.buffer(256, usage));
    let words = rig.words(&[0]);
    let run = |words, uniform| {
        let group = add.group(&rig, words, uniform);
        let mut encoder = rig.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&add.pipeline);
        pass.set_bind_group(0, &group, &[0]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        rig.queue.submit([encoder.finish()]);
    };
    run(&written, &uniform);
    assert!(rig.heard().is_empty());
    run(&words, &written);
    assert!(rig.heard()[0].contains("the host has to know uniforms"));
    // So is a copy of it, until the host writes it.
    let mut encoder = rig.encoder();
    encoder.copy_buffer_to_buffer(&written, 0, &uniform, 0, None);
    rig.queue.submit([encoder.finish()]);
    run(&words, &uniform);
    assert_eq!(rig.heard().len(), 1);
    rig.queue
        .write_buffer(&uniform, 0, bytemuck::cast_slice(&uniforms(&[3])));
    run(&words, &uniform);
    assert!(rig.heard().is_empty());
    assert_eq!(rig.read(&words), [3]);
}

#[test]
fn an_indirect_dispatch_is_sized_on_the_device() {
    let rig = Rig::new();
    let add = Add::new(&rig, &rig.device, None);
    let words = rig.words(&[1]);
    let uniform = rig.buffer(256, Usage::UNIFORM | Usage::COPY_DST);
    let size = rig.words(&[0, 1, 1, 1]);
    let group = add.group(&rig, &words, &uniform);
    let mut encoder = rig.encoder();
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&add.pipeline);
    pass.set_bind_group(0, &group, &[0]);
    pass.dispatch_workgroups_indirect(&size, 4);
    drop(pass);
    rig.queue.submit([encoder.finish()]);
    rig.device.poll(PollType::wait_indefinitely()).unwrap();
    let launched = rig.fake.launched();
    // Four multiprocessors of 2,048 threads, in blocks of 64.
    assert_eq!(launched[0].blocks, [128, 1, 1]);
    assert_eq!(launched[0].values.len(), 4);
    assert_eq!(compiled(&rig), 2);
    // Compiled when it was made where it is known what it is for.
    let device = crate::indirect(&rig.device).unwrap();
    Add::new(&rig, &device, None);
    assert_eq!(compiled(&rig), 3);
    assert!(rig.heard().is_empty());
}

#[test]
fn an_indirect_dispatch_has_no_more_blocks_than_the_pass_has_had() {
    // 128 blocks are on the device at a time.
    for (groups, blocks) in [(1, 32), (40, 40), (1000, 128)] {
        let rig = Rig::new();
        let add = Add::new(&rig, &rig.device, None);
        let words = rig.words(&[1]);
        let uniform = rig.buffer(256, Usage::UNIFORM | Usage::COPY_DST);
        let size = rig.words(&[1, 1, 1]);
        let group = add.group(&rig, &words, &uniform);
        let mut encoder = rig.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&add.pipeline);
        pass.set_bind_group(0, &group, &[0]);
        pass.dispatch_workgroups(groups, 1, 1);
        pass.dispatch_workgroups_indirect(&size, 0);
        drop(pass);
        rig.queue.submit([encoder.finish()]);
        rig.device.poll(PollType::wait_indefinitely()).unwrap();
        let launched = rig.fake.launched();
        assert_eq!(launched[1].blocks, [blocks, 1, 1]);
        assert!(rig.heard().is_empty());
    }
}

#[test]
fn compiled_kernels_are_kept_in_pipeline_caches() {
    let rig = Rig::new();
    let new = |rig: &Rig, data: Option<&[u8]>, fallback| {
        let descriptor = wgpu::PipelineCacheDescriptor {
            label: None,
            data,
            fallback,
        };
        // SAFETY: data is checked.
        #[allow(unsafe_code)]
        unsafe {
            rig.device.create_pipeline_cache(&descriptor)
        }
    };
    let cache = new(&rig, None, true);
    let add = Add::new(&rig, &rig.device, Some(&cache));
    let relaxed = crate::relaxed(&rig.device).unwrap();
    Add::new(&rig, &relaxed, Some(&cache));
    let compiled_at_first = compiled(&rig);
    let data = cache.get_data().unwrap();
    drop((add, cache));
    rig.device.poll(PollType::Poll).unwrap();
    assert_eq!(rig.fake.loaded(), 1);

    let again = Rig::new();
    let cache = new(&again, Some(&data), false);
    Add::new(&again, &again.device, Some(&cache));
    assert_eq!(compiled(&again), 0);
    assert_eq!(cache.get_data().unwrap(), data);
    assert!(again.heard().is_empty());
    let damaged = new(&again, Some(&data[1..]), true);
    Add::new(&again, &again.device, Some(&damaged));
    assert_eq!(compiled(&again), 1);
    assert!(again.heard().is_empty());
    new(&again, Some(&data[1..]), false);
    assert_eq!(again.heard().len(), 1);
    assert!(compiled_at_first >= 1);
}

#[test]
fn a_kernel_is_unloaded_when_nobody_has_it_and_it_has_ended() {
    let rig = Rig::new();
    let add = Add::new(&rig, &rig.device, None);
    let words = rig.words(&[1]);
    let uniform = rig.buffer(256, Usage::UNIFORM | Usage::COPY_DST);
    rig.fake.hold();
    let mut encoder = rig.encoder();
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&add.pipeline);
    pass.set_bind_group(0, &add.group(&rig, &words, &uniform), &[0]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    rig.queue.submit([encoder.finish()]);
    drop((add, words, uniform));
    rig.device.poll(PollType::Poll).unwrap();
    assert_eq!(rig.fake.loaded(), 2);
    rig.fake.release();
    rig.device.poll(PollType::Poll).unwrap();
    assert_eq!((rig.fake.loaded(), rig.fake.device_blocks()), (1, 0));
}

#[test]
fn passes_read_the_clock_at_their_ends() {
    let rig = Rig::on(Fake::new());
    let queries = rig.device.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Timestamp,
        count: 3,
    });
    let mut encoder = rig.encoder();
    for (begin, end) in [(Some(0), Some(2)), (None, Some(1))] {
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                query_set: &queries,
                beginning_of_pass_write_index: begin,
                end_of_pass_write_index: end,
            }),
        });
    }
    let readings = rig.buffer(24, Usage::QUERY_RESOLVE | Usage::COPY_SRC);
    encoder.resolve_query_set(&queries, 0..3, &readings, 0);
    rig.queue.submit([encoder.finish()]);
    assert_eq!(rig.read(&readings), [1000, 0, 3000, 0, 2000, 0]);
    assert!(rig.heard().is_empty());
    assert_eq!(rig.queue.get_timestamp_period(), 1.0);
}

#[test]
fn rows_that_come_again_find_the_chains_that_they_were() {
    let rig = Rig::new();
    let (add, words, group) = adding(&rig);
    let mut made = [0; 4];
    for made in &mut made {
        // Rows that differ in one launch each.
        for row in 0..6 {
            add.submit(&rig, &group, (0..16).map(|launch| u32::from(launch == row)));
        }
        *made = rig.fake.chains()[0];
    }
    // In the second pass the first two find that the last two have taken their chains, and are known.
    assert_eq!(made, [4, 4 + 2, 4 + 2, 4 + 2]);
    assert_eq!(rig.read(&words), [4 * 6 * (1000 + 15)]);
    assert!(rig.heard().is_empty());
}

#[test]
fn many_launches_in_a_row_go_to_the_driver_as_chains() {
    let rig = Rig::new();
    let (add, words, group) = adding(&rig);
    let submit = |add: &Add, launches: u32| add.submit(&rig, &group, (0..launches).map(|launch| launch % 2));
    submit(&add, 15);
    assert_eq!(rig.fake.chains(), [0, 0, 0]);
    assert_eq!(rig.read(&words), [7 * 1001 + 1]);
    submit(&add, 64 + 2 * 16 + 3);
    // Both rows of 16 are the same.
    assert_eq!(rig.fake.chains(), [2, 2, 3]);
    assert_eq!(rig.read(&words), [(7 + 49) * 1001 + 2]);
    // They are used again, by other kernels too, and keep what they were last.
    let mut other = add;
    for _ in 0..4 {
        other = Add::new(&rig, &rig.device, None);
        rig.device.poll(PollType::Poll).unwrap();
        submit(&other, 64);
    }
    assert_eq!(rig.fake.chains(), [4 + 1, 4 + 1, 3 + 4]);
    submit(&other, 1000);
    let [made, _, launched] = rig.fake.chains();
    assert_eq!((made, launched), (4 + 2, 3 + 4 + 15 + 2));
    assert_eq!(rig.read(&words), [(7 + 49 + 4 * 32 + 500) * 1001 + 2]);
    assert!(rig.heard().is_empty());
    let fake = rig.fake.clone();
    drop((other, group, words));
    drop(rig);
    assert_eq!((fake.chains()[1], fake.loaded()), (0, 0));
}
