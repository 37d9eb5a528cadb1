//! Specialised programs against the reference interpreter, run to their ends in dispatches of any length, on whatever device is here.

mod control;
mod operations;
mod random;

use std::sync::{Arc, OnceLock};

use gpuvm_core::assembly::assemble;
use gpuvm_core::interp::header;
use gpuvm_core::program::{Program, TrapRecord};

use super::emit::Start;
use super::kernel::{Shader, SpecializedKernel};
use super::options::{Folded, Options};
use crate::engine::Job;
use crate::wgpu::gpu::{self, Gpu};
use crate::wgpu::tests::{is_nan, job, reference};

/// The one device of these tests.
fn device() -> &'static Arc<Gpu> {
    static DEVICE: OnceLock<Arc<Gpu>> = OnceLock::new();
    DEVICE.get_or_init(|| {
        let adapter = gpu::adapters().into_iter().next().expect("these tests need a Vulkan adapter");
        Arc::new(Gpu::open(adapter, 0).unwrap())
    })
}

/// What a job came to: how many VMs trapped, and the first of them.
type End = (u64, Option<TrapRecord>);

/// Runs a job in dispatches of so many cycles; its memory is changed. All of the state is garbage before.
fn run(job: &mut Job, options: &Options, cycles: u32) -> End {
    let gpu = &**device();
    let kernel = SpecializedKernel::new(gpu, &job.program, options).unwrap();
    let program = job.program.clone();
    let vms = job.vms as usize;
    let garbage = |words: usize| vec![0xdead_beef; words];
    let launch = uniform(&gpu.device, "launch", kernel.uniform.len());
    let buffers = [
        filled(gpu, "params", &slot_words(job)),
        filled(gpu, "arena", &job.arena),
        filled(gpu, "atomics", &job.atomics),
        filled(gpu, "states", &garbage(row::COUNT * vms)),
        filled(gpu, "frames", &garbage(program.frame_memory() as usize * vms)),
        zeros(&gpu.device, "signal", signal::WORDS as u64),
    ];
    let entries: Vec<_> = std::iter::once(&launch)
        .chain(&buffers)
        .zip(0..)
        .map(|(buffer, binding)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &kernel.layout,
        entries: &entries,
    });
    let read = |buffer: &wgpu::Buffer, words: usize| {
        let readback = Readback::new(&gpu.device, words as u64);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        readback.record(&mut encoder, buffer, Some(0..words), 0);
        gpu.queue.submit([encoder.finish()]);
        readback.read(gpu, <[u32]>::to_vec).unwrap()
    };
    let (mut fresh, mut resume) = (true, false);
    let mut seen = [0; signal::WORDS];
    for _ in 0..10_000 {
        let fields: Vec<u32> = (kernel.uniform.iter())
            .map(|field| match field.as_str() {
                "vms" => job.vms,
                "first_vm" => job.first_vm,
                "vm_count" => job.vm_count,
                "cycles" => cycles,
                "resume" => resume.into(),
                "depth_limit" => program.depth_limit,
                "frame_words" => program.frame_memory(),
                "call_frames" => program.call_depth,
                "arena_start" => 0,
                "arena_words" => job.arena.len() as u32,
                "atomic_words" => job.atomics.len() as u32,
                other => panic!("field {other}"),
            })
            .collect();
        gpu.queue.write_buffer(&launch, 0, bytemuck::cast_slice(&fields));
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            kernel.record(&mut pass, &group, [job.vms.div_ceil(kernel.workgroup), 1], fresh);
        }
        gpu.queue.submit([encoder.finish()]);
        fresh = false;
        let now = read(&buffers[5], signal::WORDS);
        seen.copy_from_slice(&now);
        resume = seen[signal::STOPPED] == job.vms;
        if resume && seen[signal::YIELDED] == 0 {
            break;
        }
    }
    assert_eq!((seen[signal::STOPPED], seen[signal::YIELDED]), (job.vms, 0));
    job.arena = read(&buffers[1], job.arena.len());
    job.atomics = read(&buffers[2], job.atomics.len());
    let first = (seen[signal::FIRST_TRAP] != 0).then(|| {
        let vm = !seen[signal::FIRST_TRAP];
        let states = read(&buffers[3], row::COUNT * vms);
        let state: Vec<u32> = (0..row::COUNT).map(|row| states[row * vms + vm as usize]).collect();
        assert_eq!(state[header::VM_ID], job.first_vm + vm);
        let (site, words) = trap_of(&program, &state);
        let vm = job.first_vm + vm;
        TrapRecord { vm, site, words }
    });
    (seen[signal::TRAPPED].into(), first)
}

/// Runs a job by the reference and specialised, in dispatches of each of the given lengths, and checks that memory and traps are
/// the same. Gives the memory.
fn check_with(job: &Job, options: &Options, cycles: &[u32]) -> Job {
    let mut expected = job.clone();
    let wanted = reference(&mut expected);
    for (i, &cycles) in cycles.iter().enumerate() {
        let mut found = job.clone();
        // Both ways to trap take turns, as long as the device knows them.
        let software = device().software && i % 2 == 0;
        let (traps, first) = run(&mut found, &Options { software, ..options.clone() }, cycles);
        assert_eq!((traps, first), (wanted.traps, wanted.first_trap), "{cycles} cycles");
        assert_eq!(found.atomics, expected.atomics, "{cycles} cycles");
        let differs = (0..found.arena.len()).find(|&at| {
            let (a, b) = (found.arena[at], expected.arena[at]);
            a != b && !(is_nan(a) && is_nan(b))
        });
        if let Some(at) = differs {
            panic!("with {cycles} cycles word {at} is {:#x} and not {:#x}", found.arena[at], expected.arena[at]);
        }
    }
    expected
}

fn check(job: &Job) -> Job {
    check_with(job, &Options::default(), &[1000])
}

/// Code in which w10 is the VM's result.
fn assembled(header: &str, code: &str) -> Program {
    let text = format!("{header}\nparam u32\nresult u32\ncode\n{code}\nfinish:\nimm w0, 1\nparam w1, 1\nstore w10, w0, w1, 0\nhalt\n");
    assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What the fresh shader of a program looks like.
fn shown(program: &Program, start: Start) -> String {
    let shader = Shader::new(program, &Options::default(), start).unwrap();
    naga::back::wgsl::write_string(&shader.module, &shader.info, naga::back::wgsl::WriterFlags::empty()).unwrap()
}
