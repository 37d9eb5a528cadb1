//! A process that ends while it compiles and launches, in whatever way, ends with its own exit code. Where CUDA is not there, that is said
//! and nothing is tried.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How the child ends.
const WAY: &str = "GPUVM_CUDA_EXIT";
/// How often each way is tried.
const TIMES: u32 = 5;

#[test]
fn a_process_ends_with_its_own_code() {
    if let Err(absent) = gpuvm_cuda::adapters() {
        println!("not tested: {absent}");
        return;
    }
    let this = std::env::current_exe().unwrap();
    for (way, code) in [("exit", 7), ("return", 0), ("panic", 101)] {
        for time in 0..TIMES {
            let child = Command::new(&this)
                .args(["--exact", "child", "--test-threads", "1"])
                .env(WAY, format!("{way} {time}"))
                .output()
                .unwrap();
            assert_eq!(child.status.code(), Some(code), "{way}: {child:?}");
        }
        println!("{way}: {TIMES} times {code}");
    }
}

/// What the other test runs.
#[test]
fn child() {
    let Ok(way) = std::env::var(WAY) else {
        return;
    };
    let adapters = gpuvm_cuda::adapters().unwrap();
    let (device, queue) = pollster::block_on(adapters[0].request_device(&wgpu::DeviceDescriptor::default())).unwrap();
    device.on_uncaptured_error(Arc::new(|_| {}));
    let number = Arc::new(AtomicU32::new(0));
    for _ in 0..3 {
        let (device, number) = (device.clone(), number.clone());
        std::thread::spawn(move || {
            loop {
                compile(&device, number.fetch_add(1, Ordering::Relaxed));
            }
        });
    }
    for _ in 0..2 {
        let (device, queue) = (device.clone(), queue.clone());
        std::thread::spawn(move || launch(&device, &queue));
    }
    let time = way
        .split(' ')
        .next_back()
        .and_then(|time| time.parse().ok())
        .unwrap_or(0);
    std::thread::sleep(Duration::from_millis(200 + 37 * time));
    match &way[..4] {
        "exit" => std::process::exit(7),
        "pani" => panic!("as it should"),
        _ => {}
    }
}

/// Compiles a kernel that was not compiled before.
fn compile(device: &wgpu::Device, number: u32) -> wgpu::ComputePipeline {
    let turns: String = (0..200)
        .map(|turn| format!("word = word * {turn}u + {number}u; word ^= word >> {}u; ", turn % 31))
        .collect();
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(64) fn turns(@builtin(global_invocation_id) id: vec3<u32>) {{
            var word = words[id.x]; {turns} words[id.x] = word;
        }}"
    );
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

/// Launches a kernel again and again.
fn launch(device: &wgpu::Device, queue: &wgpu::Queue) {
    let pipeline = compile(device, 0);
    let words = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 1 << 20,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: words.as_entire_binding(),
        }],
    });
    loop {
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        for _ in 0..100 {
            pass.dispatch_workgroups(4096, 1, 1);
        }
        drop(pass);
        queue.submit([encoder.finish()]);
        let _ = device.poll(wgpu::PollType::Poll);
    }
}
