//! What a fake driver cannot tell: everything once on a real GPU. Where CUDA is not there, that is said and nothing is tried.
//!
//! A fault loses the whole process's context, so that part runs last, and all is one test.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gpuvm_cuda::{Own, Resident, Room, Span, Work};
use wgpu::{BufferUsages as Usage, ErrorFilter, PollStatus, PollType};

/// Adds a word of its uniform to all words.
const ADD: &str = "
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> added: vec4<u32>;
@compute @workgroup_size(256) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&words) { words[id.x] += added.x; }
}
";
/// Counts its workgroups, and notes the largest of their numbers.
const COUNT: &str = "
@group(0) @binding(0) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(1) var<uniform> unused: vec4<u32>;
@compute @workgroup_size(64) fn count(
    @builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32,
) {
    if local == 0u {
        atomicAdd(&counts[0], 1u + unused.x);
        atomicMax(&counts[1], id.x + 1000u * (id.y + 1000u * id.z));
    }
}
";
/// Takes a while.
const SPIN: &str = "
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> turns: vec4<u32>;
@compute @workgroup_size(64) fn spin(@builtin(global_invocation_id) id: vec3<u32>) {
    var word = words[id.x];
    for (var i = 0u; i < turns.x; i++) { word = word * 1664525u + 1013904223u; word ^= word >> 7u; }
    words[id.x] = word;
}
";
/// Writes far outside of its buffer, if it is not checked.
const FAULT: &str = "
@group(0) @binding(0) var<storage, read_write> pages: array<array<u32, 1024>>;
@group(0) @binding(1) var<uniform> place: vec4<u32>;
@compute @workgroup_size(1) fn fault() { pages[place.x][0] = 1u; }
";

struct Rig {
    device: wgpu::Device,
    queue: wgpu::Queue,
    heard: Arc<Mutex<Vec<String>>>,
}

struct Kernel {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

impl Rig {
    fn open(adapter: &wgpu::Adapter) -> Rig {
        Rig::try_open(adapter).unwrap()
    }

    fn try_open(adapter: &wgpu::Adapter) -> Result<Rig, wgpu::RequestDeviceError> {
        let descriptor = wgpu::DeviceDescriptor {
            required_features: adapter.features(),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let to = heard.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            to.lock().unwrap().push(error.to_string());
        }));
        let to = heard.clone();
        device.set_device_lost_callback(move |reason, text| {
            to.lock().unwrap().push(format!("lost, {reason:?}: {text}"));
        });
        Ok(Rig { device, queue, heard })
    }

    fn heard(&self) -> Vec<String> {
        std::mem::take(&mut *self.heard.lock().unwrap())
    }

    fn buffer(&self, size: u64, usage: Usage) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    fn words(&self, words: &[u32]) -> wgpu::Buffer {
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST | Usage::INDIRECT;
        let buffer = self.buffer(4 * words.len() as u64, usage);
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
        buffer
    }

    /// Uniforms at multiples of 256 bytes, whose first words these are.
    fn uniforms(&self, words: &[u32]) -> wgpu::Buffer {
        let buffer = self.buffer(256 * words.len() as u64, Usage::UNIFORM | Usage::COPY_DST);
        for (&word, at) in words.iter().zip((0..).step_by(256)) {
            self.queue.write_buffer(&buffer, at, bytemuck::bytes_of(&word));
        }
        buffer
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Submits a copy to the host.
    fn fetch(&self, buffer: &wgpu::Buffer) -> (wgpu::Buffer, wgpu::SubmissionIndex) {
        let readback = self.buffer(buffer.size(), Usage::MAP_READ | Usage::COPY_DST);
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &readback, 0, None);
        (readback, self.queue.submit([encoder.finish()]))
    }

    fn read(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        let (readback, submission) = self.fetch(buffer);
        let mapped = Arc::new(Mutex::new(None));
        let to = mapped.clone();
        readback.map_async(wgpu::MapMode::Read, .., move |result| {
            *to.lock().unwrap() = Some(result)
        });
        while mapped.lock().unwrap().is_none() {
            let wait = PollType::Wait {
                submission_index: Some(submission.clone()),
                timeout: None,
            };
            self.device.poll(wait).unwrap();
        }
        assert_eq!(*mapped.lock().unwrap(), Some(Ok(())));
        let view = readback.get_mapped_range(..).unwrap();
        bytemuck::cast_slice(&view).to_vec()
    }

    fn kernel(
        &self,
        device: &wgpu::Device,
        source: &str,
        checked: bool,
        cache: Option<&wgpu::PipelineCache>,
    ) -> Kernel {
        let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty,
                has_dynamic_offset,
                min_binding_size: None,
            },
            count: None,
        };
        let storage = wgpu::BufferBindingType::Storage { read_only: false };
        let layout = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[
                entry(0, storage, false),
                entry(1, wgpu::BufferBindingType::Uniform, true),
            ],
        });
        let whole = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        };
        let checks = match checked {
            true => wgpu::ShaderRuntimeChecks::checked(),
            false => wgpu::ShaderRuntimeChecks::unchecked(),
        };
        // SAFETY: the one kernel that does not keep within its buffer is run to see what becomes of it.
        #[allow(unsafe_code)]
        let module = unsafe { device.create_shader_module_trusted(descriptor, checks) };
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("kernel"),
            layout: Some(&whole),
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache,
        });
        Kernel { pipeline, layout }
    }

    fn group(&self, kernel: &Kernel, words: &wgpu::Buffer, uniform: &wgpu::Buffer) -> wgpu::BindGroup {
        let part = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: uniform,
            offset: 0,
            size: wgpu::BufferSize::new(16),
        });
        let resources = [words.as_entire_binding(), part].into_iter().zip(0..);
        let entries: Vec<_> = resources
            .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &kernel.layout,
            entries: &entries,
        })
    }

    /// Submits dispatches, each with an offset of its uniform.
    fn run(&self, kernel: &Kernel, group: &wgpu::BindGroup, dispatches: &[(u32, Size<'_>)]) -> wgpu::SubmissionIndex {
        let mut encoder = self.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&kernel.pipeline);
        for (offset, size) in dispatches {
            pass.set_bind_group(0, group, &[*offset]);
            match size {
                Size::Groups([x, y, z]) => pass.dispatch_workgroups(*x, *y, *z),
                Size::At(buffer, at) => pass.dispatch_workgroups_indirect(buffer, *at),
            }
        }
        drop(pass);
        self.queue.submit([encoder.finish()])
    }
}

/// A part of the test.
type Part = fn(&Rig);

enum Size<'a> {
    Groups([u32; 3]),
    At(&'a wgpu::Buffer, u64),
}

#[test]
fn a_real_gpu_does_all_of_it() {
    let adapters = match gpuvm_cuda::adapters() {
        Ok(adapters) => adapters,
        Err(absent) => {
            println!("not tested: {absent}");
            return;
        }
    };
    let adapter = &adapters[0];
    println!("{:?}\n{:?}", adapter.get_info(), gpuvm_cuda::cache_key(adapter));
    assert!(gpuvm_cuda::is_cuda(adapter));
    let rig = Rig::open(adapter);
    let parts: [(&str, Part); 10] = [
        ("buffers", buffers),
        ("mapping", mapping),
        ("uniforms", uniforms),
        ("indirect dispatch", indirect),
        ("clock", clock),
        ("pipeline cache", cache),
        ("refusals", refusals),
        ("launches", launches),
        ("threads", threads),
        ("a kernel that stays", staying),
    ];
    for (name, part) in parts {
        let begin = Instant::now();
        part(&rig);
        assert_eq!(rig.heard(), [""; 0], "{name}");
        println!("{name}: right, {:?}", begin.elapsed());
    }
    memory(&rig);
    let other = Rig::open(adapter);
    assert_eq!(other.read(&other.words(&[3, 4])), [3, 4]);
    drop(other);
    fault(&rig);
    drop(rig);
    // A context that is lost goes with its last device, and the next one is whole, where the driver lets it be.
    match Rig::try_open(adapter) {
        Ok(again) => println!(
            "a device after the fault: {:?}",
            again.read(&again.words(&[5, 6])) == [5, 6]
        ),
        Err(error) => println!("a device after the fault: {error}"),
    }
}

fn buffers(rig: &Rig) {
    let zeros = rig.buffer(1 << 20, Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST);
    assert!(rig.read(&zeros).iter().all(|&word| word == 0));
    let many: Vec<u32> = (0..3_000_000).map(|i: u32| i.wrapping_mul(0x9e37_79b9)).collect();
    let buffer = rig.words(&many);
    assert_eq!(rig.read(&buffer), many);
    let mut encoder = rig.encoder();
    encoder.clear_buffer(&buffer, 4, Some(4));
    encoder.copy_buffer_to_buffer(&buffer, 0, &zeros, 8, 12);
    rig.queue.submit([encoder.finish()]);
    assert_eq!(rig.read(&zeros)[..6], [0, 0, many[0], 0, many[2], 0]);
}

fn mapping(rig: &Rig) {
    for round in 0..100_u32 {
        let upload = rig.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4096,
            usage: Usage::MAP_WRITE | Usage::COPY_SRC,
            mapped_at_creation: true,
        });
        let words: Vec<u32> = (0..1024).map(|i| i ^ round).collect();
        let mut view = upload.get_mapped_range_mut(..).unwrap();
        view.copy_from_slice(bytemuck::cast_slice(&words));
        drop(view);
        upload.unmap();
        assert_eq!(rig.read(&upload), words);
    }
    let status = rig.device.poll(PollType::Poll).unwrap();
    assert_eq!(status, PollStatus::QueueEmpty);
}

fn uniforms(rig: &Rig) {
    let add = rig.kernel(&rig.device, ADD, true, None);
    let words = rig.words(&vec![1; 1000]);
    let uniform = rig.uniforms(&[10, 200]);
    let group = rig.group(&add, &words, &uniform);
    rig.run(
        &add,
        &group,
        &[0, 256, 256].map(|offset| (offset, Size::Groups([4, 1, 1]))),
    );
    rig.queue.write_buffer(&uniform, 0, bytemuck::bytes_of(&3000_u32));
    rig.run(&add, &group, &[(0, Size::Groups([2, 1, 1]))]);
    let found = rig.read(&words);
    assert!(found[..512].iter().all(|&word| word == 3411), "{:?}", &found[..4]);
    assert!(found[512..].iter().all(|&word| word == 411));
}

fn indirect(rig: &Rig) {
    let device = gpuvm_cuda::indirect(&rig.device).unwrap();
    for device in [&rig.device, &device] {
        let count = rig.kernel(device, COUNT, true, None);
        let uniform = rig.uniforms(&[0]);
        for size in [[0, 1, 1], [1, 1, 1], [7, 5, 3], [65_535, 2, 1], [100_000, 1, 1]] {
            let counts = rig.words(&[0, 0]);
            let group = rig.group(&count, &counts, &uniform);
            let [x, y, z] = size;
            let sizes = rig.words(&[9, 9, x, y, z, 9]);
            rig.run(&count, &group, &[(0, Size::At(&sizes, 8))]);
            let last = match x {
                0 => 0,
                _ => (x - 1) + 1000 * ((y - 1) + 1000 * (z - 1)),
            };
            assert_eq!(rig.read(&counts), [x * y * z, last], "{size:?}");
        }
        let counts = rig.words(&[0, 0]);
        let group = rig.group(&count, &counts, &uniform);
        rig.run(&count, &group, &[(0, Size::Groups([3, 2, 4]))]);
        assert_eq!(rig.read(&counts), [24, 3_001_002]);
    }
}

fn clock(rig: &Rig) {
    let spin = rig.kernel(&rig.device, SPIN, true, None);
    let words = rig.words(&[1; 64]);
    let group = rig.group(&spin, &words, &rig.uniforms(&[1_000_000]));
    let queries = rig.device.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Timestamp,
        count: 2,
    });
    let readings = rig.buffer(16, Usage::QUERY_RESOLVE | Usage::COPY_SRC);
    let mut encoder = rig.encoder();
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label: None,
        timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
            query_set: &queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }),
    });
    pass.set_pipeline(&spin.pipeline);
    pass.set_bind_group(0, &group, &[0]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    encoder.resolve_query_set(&queries, 0..2, &readings, 0);
    let begin = Instant::now();
    rig.queue.submit([encoder.finish()]);
    let words = rig.read(&readings);
    let whole = begin.elapsed();
    let [begin, end] = [0, 2].map(|at| u64::from(words[at]) | u64::from(words[at + 1]) << 32);
    let spent = Duration::from_nanos(end - begin);
    println!("  a million turns: {spent:?} by the device, {whole:?} by the host");
    assert!(
        spent > Duration::from_micros(500) && spent < whole,
        "{spent:?} of {whole:?}"
    );
}

fn cache(rig: &Rig) {
    let new = |data: Option<&[u8]>| {
        let descriptor = wgpu::PipelineCacheDescriptor {
            label: None,
            data,
            fallback: false,
        };
        // SAFETY: the data is of this device, and is checked.
        #[allow(unsafe_code)]
        unsafe {
            rig.device.create_pipeline_cache(&descriptor)
        }
    };
    let empty = new(None);
    let begin = Instant::now();
    rig.kernel(&rig.device, SPIN, false, Some(&empty));
    let compiled = begin.elapsed();
    let data = empty.get_data().unwrap();
    let full = new(Some(&data));
    let begin = Instant::now();
    let spin = rig.kernel(&rig.device, SPIN, false, Some(&full));
    println!(
        "  compiled in {compiled:?}, {} bytes, loaded in {:?}",
        data.len(),
        begin.elapsed()
    );
    assert_eq!(full.get_data().unwrap(), data);
    let words = rig.words(&[7; 64]);
    rig.run(
        &spin,
        &rig.group(&spin, &words, &rig.uniforms(&[1])),
        &[(0, Size::Groups([1, 1, 1]))],
    );
    let mut expected = 7_u32.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    expected ^= expected >> 7;
    assert_eq!(rig.read(&words), [expected; 64]);
    let relaxed = gpuvm_cuda::relaxed(&rig.device).unwrap();
    rig.kernel(&relaxed, SPIN, false, None);
}

fn refusals(rig: &Rig) {
    let scope = rig.device.push_error_scope(ErrorFilter::Validation);
    let sharing = "
        var<workgroup> much: array<u32, 20000>;
        @group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(1) fn shares() { much[words[0]] = words[1]; words[2] = much[words[3]]; }";
    // More shared memory than a block may have is what the driver's compiler finds.
    rig.kernel(&rig.device, sharing, true, None);
    let error = pollster::block_on(scope.pop()).expect("too much shared memory is refused");
    println!("  refused: {error}");
}

fn launches(rig: &Rig) {
    let add = rig.kernel(&rig.device, ADD, true, None);
    let words = rig.words(&[0; 256]);
    let group = rig.group(&add, &words, &rig.uniforms(&[1, 2]));
    let dispatches: Vec<_> = (0..1000).map(|i| (i % 2 * 256, Size::Groups([1, 1, 1]))).collect();
    rig.run(&add, &group, &dispatches);
    assert_eq!(rig.read(&words), [1500; 256]);
    let begin = Instant::now();
    rig.run(&add, &group, &dispatches);
    let submitted = begin.elapsed();
    rig.device.poll(PollType::wait_indefinitely()).unwrap();
    println!(
        "  1,000 launches: submitted in {submitted:?}, done in {:?}",
        begin.elapsed()
    );
    let mut trips: Vec<Duration> = Vec::new();
    for _ in 0..1000 {
        let begin = Instant::now();
        rig.run(&add, &group, &dispatches[..1]);
        while rig.device.poll(PollType::Poll).unwrap() != PollStatus::QueueEmpty {}
        trips.push(begin.elapsed());
    }
    trips.sort();
    println!(
        "  a launch and back: {:?} at the median, {:?} at 99 %",
        trips[500], trips[990]
    );
}

fn threads(rig: &Rig) {
    let add = rig.kernel(&rig.device, ADD, true, None);
    std::thread::scope(|scope| {
        for thread in 0..8_u32 {
            let add = &add;
            scope.spawn(move || {
                for round in 0..200 {
                    let words = rig.words(&[thread; 500]);
                    let group = rig.group(add, &words, &rig.uniforms(&[round]));
                    rig.run(add, &group, &[(0, Size::Groups([2, 1, 1]))]);
                    assert_eq!(rig.read(&words), [thread + round; 500]);
                }
            });
        }
    });
}

/// Requests, while other work of all kinds goes on: what of that waits for all kernels of the device must not wait for ever.
fn staying(rig: &Rig) {
    let device = gpuvm_cuda::resident(&rig.device, Own::default()).unwrap();
    let source = ADD.replace("size(256)", "size(64)");
    let kernel = rig.kernel(&device, &source, true, None);
    let (words, uniform) = (rig.words(&[0; 1000]), rig.uniforms(&[0]));
    let group = rig.group(&kernel, &words, &uniform);
    let room = Room {
        request: 1200,
        answer: 1200,
    };
    let mut stays = Resident::new(&kernel.pipeline, &[&group], room).unwrap();
    let span = |buffer, start, words| Span { buffer, start, words };
    let over = AtomicBool::new(false);
    let ask = |stays: &mut Resident, added: u32, all: bool| {
        let mut answer = Vec::new();
        let work = Work {
            groups: 1000_u32.div_ceil(64),
            put: [Some((span(&uniform, 0, 4), &[added, 0, 0, 0])), None],
            clear: [None; 2],
            get: Some(span(&words, 0, if all { 1000 } else { 5 })),
        };
        stays.serve(&work, &mut answer).unwrap();
        answer
    };
    let mut times = Vec::new();
    std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            let mut longest = Duration::ZERO;
            for turn in 0..20_u32 {
                let begin = Instant::now();
                let other = rig.kernel(
                    &rig.device,
                    &ADD.replace("added.x", &format!("{turn}u * added.x")),
                    true,
                    None,
                );
                let (words, uniform) = (rig.words(&[turn; 100]), rig.uniforms(&[3]));
                rig.run(
                    &other,
                    &rig.group(&other, &words, &uniform),
                    &[(0, Size::Groups([1, 1, 1]))],
                );
                assert_eq!(rig.read(&words), [4 * turn; 100]);
                drop(other);
                longest = longest.max(begin.elapsed());
            }
            over.store(true, Ordering::Release);
            longest
        });
        let mut sum = 0_u32;
        while times.len() < 10_000 || !over.load(Ordering::Acquire) {
            let turn = times.len() as u32;
            let begin = Instant::now();
            let answer = ask(&mut stays, turn, turn.is_multiple_of(100));
            times.push(begin.elapsed());
            sum = sum.wrapping_add(turn);
            assert!(answer.iter().all(|&word| word == sum), "{turn}");
        }
        let longest = others.join().unwrap();
        println!("the longest of what went on beside it: {longest:?}");
        // What was asked for is there for whatever follows.
        stays.settle().unwrap();
        assert_eq!(rig.read(&words), [sum; 1000]);
    });
    times.sort();
    println!(
        "a request: {:?} at the median, {:?} at most",
        times[times.len() / 2],
        times[times.len() - 1]
    );
}

/// More memory than there is, by one buffer and by many.
fn memory(rig: &Rig) {
    let most = rig.device.limits().max_buffer_size;
    for size in [most + 16, most, most / 3 + 1] {
        let mut held = Vec::new();
        let error = loop {
            let scope = rig.device.push_error_scope(ErrorFilter::OutOfMemory);
            held.push(rig.buffer(size & !15, Usage::STORAGE | Usage::COPY_DST));
            if let Some(error) = pollster::block_on(scope.pop()) {
                break error;
            }
            assert!(held.len() < 4);
        };
        let wgpu::Error::OutOfMemory { source } = error else {
            panic!("{error}");
        };
        println!("memory: buffer {} of {size} bytes refused: {source}", held.len());
        drop(held);
        let words = [size as u32; 3];
        assert_eq!(rig.read(&rig.words(&words)), words);
    }
    assert_eq!(rig.heard(), [""; 0]);
}

/// A kernel that writes where nothing is.
fn fault(rig: &Rig) {
    let fault = rig.kernel(&rig.device, FAULT, false, None);
    let words = rig.words(&[0; 1024]);
    let group = rig.group(&fault, &words, &rig.uniforms(&[0xffff_ffff]));
    // 16 TiB further on, which is more memory than there is.
    rig.run(&fault, &group, &[(0, Size::Groups([1, 1, 1]))]);
    let (readback, _) = rig.fetch(&words);
    let mapped = Arc::new(Mutex::new(None));
    let to = mapped.clone();
    readback.map_async(wgpu::MapMode::Read, .., move |result| {
        *to.lock().unwrap() = Some(result)
    });
    let begin = Instant::now();
    rig.device.poll(PollType::wait_indefinitely()).unwrap();
    let heard = rig.heard();
    println!("fault: told after {:?}: {heard:?}", begin.elapsed());
    assert_eq!(heard.len(), 1);
    assert_eq!(*mapped.lock().unwrap(), Some(Err(wgpu::BufferAsyncError)));
    rig.run(&fault, &group, &[(0, Size::Groups([1, 1, 1]))]);
    let later = rig.words(&[1]);
    drop(later);
    rig.device.poll(PollType::wait_indefinitely()).unwrap();
    assert_eq!(rig.heard(), [""; 0]);
}
