//! What goes wrong, and who hears of it.

use wgpu::{BufferUsages as Usage, ErrorFilter, MapMode, PollStatus, PollType};

use super::{Rig, watch};

/// A kernel that the driver takes for a faulty one.
const FAULT: &str = "
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(1) fn fault() { words[0] = 1u; }
";

fn pipeline(rig: &Rig, source: &str, label: &str) -> wgpu::ComputePipeline {
    let module = rig.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    rig.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(label),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

fn run(rig: &Rig, pipeline: &wgpu::ComputePipeline, words: &wgpu::Buffer) {
    let group = rig.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: words.as_entire_binding(),
        }],
    });
    let mut encoder = rig.encoder();
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    rig.queue.submit([encoder.finish()]);
}

#[test]
fn a_lack_of_memory_is_told_once_and_the_device_goes_on() {
    let rig = Rig::new();
    let before = rig.words(&[4]);
    rig.fake.allocations(0);
    let scopes = [ErrorFilter::Validation, ErrorFilter::OutOfMemory].map(|filter| rig.device.push_error_scope(filter));
    // What is done with a buffer that could not be made is not told once more.
    let buffer = rig.words(&[1, 2]);
    let mut encoder = rig.encoder();
    encoder.copy_buffer_to_buffer(&before, 0, &buffer, 0, 4);
    rig.queue.submit([encoder.finish()]);
    let [validation, memory] = scopes;
    let memory = pollster::block_on(memory.pop());
    assert!(matches!(memory, Some(wgpu::Error::OutOfMemory { .. })));
    assert!(pollster::block_on(validation.pop()).is_none());
    assert!(rig.heard().is_empty());
    rig.fake.allocations(1000);
    assert_eq!(rig.read(&before), [4]);
    assert_eq!(rig.read(&rig.words(&[1, 2])), [1, 2]);
    // More than there is.
    rig.buffer(2 << 24, Usage::STORAGE);
    rig.buffer(1 << 24, Usage::STORAGE);
    let heard = rig.heard();
    assert!(heard.iter().all(|text| text.starts_with("out of memory")), "{heard:?}");
    assert_eq!(heard.len(), 2);
}

#[test]
fn shaders_that_are_refused_are_told_of_with_the_reason() {
    let rig = Rig::new();
    let none = pipeline(&rig, "fn f() { 1 }", "broken");
    let heard = rig.heard();
    assert!(heard.len() == 1 && heard[0].contains("broken"), "{heard:?}");
    let words = rig.words(&[1]);
    run(&rig, &none, &words);
    assert!(rig.heard().is_empty());
    let refused = FAULT.replace("fault", "refuse");
    pipeline(&rig, &refused, "other");
    let heard = rig.heard();
    assert!(heard.len() == 1 && heard[0].contains("ptxas fatal"), "{heard:?}");
}

#[test]
fn a_fault_loses_the_device_once_and_nothing_hangs() {
    for at_once in [true, false] {
        let rig = Rig::new();
        let fault = pipeline(&rig, FAULT, "fault");
        let words = rig.words(&[1]);
        let readback = rig.buffer(4, Usage::MAP_READ | Usage::COPY_DST);
        if !at_once {
            rig.fake.hold();
        }
        run(&rig, &fault, &words);
        let mut encoder = rig.encoder();
        encoder.copy_buffer_to_buffer(&words, 0, &readback, 0, 4);
        rig.queue.submit([encoder.finish()]);
        let mapped = watch(&readback, MapMode::Read);
        rig.fake.release();
        let polled = rig.device.poll(PollType::wait_indefinitely()).unwrap();
        assert_eq!(polled, PollStatus::QueueEmpty);
        assert_eq!(*mapped.lock().unwrap(), Some(Err(wgpu::BufferAsyncError)));
        assert!(readback.get_mapped_range(..).is_err());
        let heard = rig.heard();
        assert!(
            heard.len() == 1 && heard[0].contains("illegal memory access"),
            "{heard:?}"
        );
        // Whatever is done now does nothing.
        let later = rig.words(&[1]);
        run(&rig, &fault, &later);
        let mapped = watch(&readback, MapMode::Read);
        assert_eq!(*mapped.lock().unwrap(), Some(Err(wgpu::BufferAsyncError)));
        pipeline(&rig, FAULT, "fault");
        rig.device.poll(PollType::wait_indefinitely()).unwrap();
        assert!(rig.heard().is_empty());
    }
}

#[test]
fn a_submission_that_uses_a_mapped_buffer_is_refused() {
    let rig = Rig::new();
    let words = rig.words(&[1]);
    let readback = rig.buffer(4, Usage::MAP_READ | Usage::COPY_DST);
    let copy = || {
        let mut encoder = rig.encoder();
        encoder.copy_buffer_to_buffer(&words, 0, &readback, 0, 4);
        encoder.finish()
    };
    let commands = copy();
    let mapped = watch(&readback, MapMode::Read);
    rig.queue.submit([commands]);
    assert!(rig.heard()[0].contains("mapped"));
    rig.device.poll(PollType::Poll).unwrap();
    assert_eq!(*mapped.lock().unwrap(), Some(Ok(())));
    readback.unmap();
    rig.queue.submit([copy()]);
    readback.destroy();
    rig.queue.submit([copy()]);
    assert!(rig.heard()[0].contains("destroyed"));
}

#[test]
fn what_is_recorded_wrongly_is_told_when_it_is_finished() {
    let rig = Rig::new();
    let words = rig.words(&[1, 2]);
    let other = rig.buffer(8, Usage::STORAGE);
    let wrong: [fn(&mut wgpu::CommandEncoder, &wgpu::Buffer, &wgpu::Buffer); 5] = [
        |encoder, words, other| encoder.copy_buffer_to_buffer(words, 0, other, 0, 8),
        |encoder, words, _| encoder.clear_buffer(words, 4, Some(8)),
        |encoder, words, _| encoder.clear_buffer(words, 2, None),
        |encoder, words, _| encoder.copy_buffer_to_buffer(words, 0, words, 4, 4),
        |encoder, _, _| {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.dispatch_workgroups(1, 1, 1);
        },
    ];
    for wrong in wrong {
        let mut encoder = rig.encoder();
        wrong(&mut encoder, &words, &other);
        assert!(rig.heard().is_empty());
        let commands = encoder.finish();
        assert_eq!(rig.heard().len(), 1);
        rig.queue.submit([commands]);
        assert!(rig.heard().is_empty());
    }
}

#[test]
fn what_cuda_lacks_is_refused() {
    let rig = Rig::new();
    let _ = rig.device.create_sampler(&wgpu::SamplerDescriptor::default());
    let _ = rig.device.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Occlusion,
        count: 1,
    });
    assert_eq!(rig.heard().len(), 2);
    rig.buffer(16, Usage::MAP_READ | Usage::STORAGE);
    assert_eq!(rig.heard().len(), 1);
}

#[test]
fn a_destroyed_device_says_so() {
    let rig = Rig::new();
    rig.device.destroy();
    assert!(rig.heard()[0].starts_with("lost, Destroyed"));
    rig.device.poll(PollType::wait_indefinitely()).unwrap();
}

#[test]
fn a_binding_that_is_too_small_for_its_type_is_refused() {
    let rig = Rig::new();
    let source = "
        struct Much { some: array<u32, 8>, words: array<vec4<u32>> }
        @group(0) @binding(0) var<storage, read_write> much: Much;
        @compute @workgroup_size(1) fn large() { much.some[7] = much.words[0].x; }";
    let large = pipeline(&rig, source, "large");
    run(&rig, &large, &rig.words(&[0; 12]));
    assert!(rig.heard().is_empty());
    run(&rig, &large, &rig.words(&[0; 11]));
    assert!(rig.heard()[0].contains("48 bytes at least, and 44 are bound"));
}

#[test]
fn devices_of_one_gpu_do_not_meet() {
    let fake = crate::driver::fake::Fake::new();
    let (one, other) = (Rig::on(fake.clone()), Rig::on(fake.clone()));
    let (words, others) = (one.words(&[1]), other.words(&[2]));
    let mut encoder = one.encoder();
    encoder.copy_buffer_to_buffer(&others, 0, &words, 0, 4);
    one.queue.submit([encoder.finish()]);
    assert!(one.heard()[0].contains("another device's"));
    assert!(other.heard().is_empty());
    // Handles may go in any order.
    let Rig { device, queue, .. } = one;
    drop((device, queue));
    assert_eq!(other.read(&others), [2]);
    drop(other);
    drop((words, others));
    assert_eq!((fake.device_blocks(), fake.host_blocks()), (0, 0));
}

#[test]
fn memory_that_only_ended_work_has_is_had_again() {
    let rig = Rig::new();
    let half = (1 << 23) + 16;
    let usage = Usage::STORAGE | Usage::COPY_DST;
    rig.fake.hold();
    for _ in 0..3 {
        let buffer = rig.buffer(half, usage);
        let mut encoder = rig.encoder();
        encoder.clear_buffer(&buffer, 0, None);
        rig.queue.submit([encoder.finish()]);
    }
    rig.fake.release();
    assert_eq!(rig.heard(), [""; 0]);
}
