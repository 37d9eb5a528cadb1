//! Launches of a hand-made routine on all engines.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use gpuvm_core::isa::{Instruction, NO_WORD, Op, pair};
use gpuvm_core::routine::{Cause, Routine, Site};
use gpuvm_core::types::TypeRef;
use gpuvm_engine::Backend;

use super::*;
use crate::error::Error;
use crate::registry::Registration;

const MESSAGE: &str = "attempt to multiply with overflow";
const CODE: &[Instruction] = &[
    Instruction::new(Op::Load, [6, 1, 2, 0]),
    Instruction::new(Op::MulOverU, [7, 0, 6, 0]),
    Instruction::new(Op::TrapIf, [0, 7, NO_WORD, NO_WORD]),
    Instruction::new(Op::Mul, [8, 0, 6, 0]),
    Instruction::new(Op::Store, [8, 1, 2, 0]),
    Instruction::new(Op::Store, [0, 3, 4, 1]),
    Instruction::new(Op::VmId, [9, 0, 0, 0]),
    Instruction::new(Op::Store, [9, 3, 4, 0]),
    Instruction::new(Op::Popcount, [10, 8, 0, 0]),
    Instruction::new(Op::Return, [10, 0, 0, 0]),
];
static ROUTINE: Routine = Routine {
    name: Cow::Borrowed("scale"),
    file: Cow::Borrowed("src/scale.rs"),
    line: 1,
    params: Cow::Borrowed(&[
        TypeRef::of::<u32>(),
        TypeRef::of::<&mut u32>(),
        TypeRef::of::<&mut [u32]>(),
    ]),
    result: TypeRef::of::<u32>(),
    words: 11,
    code: Cow::Borrowed(CODE),
    lines: Cow::Borrowed(&[2; CODE.len()]),
    matrices: Cow::Borrowed(&[]),
    terms: Cow::Borrowed(&[]),
    callees: Cow::Borrowed(&[]),
    constants: Cow::Borrowed(&[]),
    sites: Cow::Borrowed(&[Site {
        line: 2,
        cause: Cause::Message(MESSAGE),
    }]),
    variables: Cow::Borrowed(&[]),
    pieces: Cow::Borrowed(&[]),
    relaxed: false,
    is_const: false,
    refused: None,
    held: Vec::new(),
    tables: Vec::new(),
};

fn scale(vm: usize, x: u32, me: &mut u32, out: &mut [u32]) -> u32 {
    let Some(product) = me.checked_mul(x) else {
        panic!("{MESSAGE}")
    };
    *me = product;
    out[1] = x;
    out[0] = vm as u32;
    product.count_ones()
}

inventory::submit! {
    Registration {
        id: "scale",
        file: "src/scale.rs",
        line: 1,
        params: &["x", "me", "out"],
        routine: || &ROUTINE,
        native: |cx| {
            let x = cx.column::<u32>(0)?;
            let me = cx.records::<u32>(1)?;
            let out = cx.chunks::<u32>(2)?;
            cx.run((me, out), |vm, (me, out)| scale(vm, *x.get(vm), me, out))
        },
    }
}

/// The back end that these tests are for: wgpu's own devices, or CUDA's where the environment names them.
fn gpu() -> Backend {
    match std::env::var("GPUVM_BACKEND").as_deref() {
        Ok("cuda") => Backend::Cuda,
        _ => Backend::Wgpu,
    }
}

/// Launches `scale` and gives its results, whatever it wrote, and the first trap.
fn launch(engine: Engine, x: impl crate::IntoArg<'static>, vms: usize, steps: u32) -> [Vec<u32>; 4] {
    let backend = match engine {
        Engine::Interpreter => gpu(),
        _ => Backend::Cpu,
    };
    let runtime = Runtime::builder().backend(backend).build().unwrap();
    let mut me: Vec<u32> = (0..vms as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let out = runtime.buffer(&vec![0u32; 2 * vms]).unwrap();
    let launch = runtime.launch("scale").unwrap().args((x.into_arg(), &mut me, &out));
    let (done, trap) = match launch.engine(engine).steps(steps).run() {
        Ok(done) => (done, Vec::new()),
        Err(Error::Trap(report)) => {
            assert_eq!((report.message.as_str(), report.routine.as_str()), (MESSAGE, "scale"));
            let trap = vec![report.vm, report.count as u32];
            (report.into_done(), trap)
        }
        Err(error) => panic!("{error}"),
    };
    assert_eq!((done.stats().engine, done.stats().vms), (engine, vms as u64));
    [done.output().unwrap(), me, out.read().unwrap(), trap]
}

#[test]
fn the_engines_agree() {
    let ones = launch(Engine::Reference, 1u32, 1000, 1);
    assert_eq!(ones, launch(Engine::Native, 1u32, 1000, 1));
    assert_eq!(ones[3], []);
    let x: &'static [u32] = Vec::leak((0..1000).map(|i| i % 7 * (i % 7)).collect());
    let mixed = launch(Engine::Reference, x, 1000, 2);
    assert_eq!(mixed, launch(Engine::Native, x, 1000, 2));
    assert!(mixed[3][1] > 100, "many VMs trap: {:?}", mixed[3]);
}

#[cfg(feature = "wgpu")]
#[test]
fn the_gpu_agrees() {
    let vms = 10_000;
    assert_eq!(
        launch(Engine::Interpreter, 3u32, vms, 2),
        launch(Engine::Native, 3u32, vms, 2)
    );
}

#[test]
fn a_launch_of_several_batches_is_one_launch() {
    let vms = 150_000;
    let batched = launch(Engine::Reference, 2u32, vms, 1);
    assert_eq!(batched, launch(Engine::Native, 2u32, vms, 1));
    let mut ids = batched[2].chunks_exact(2).enumerate();
    assert!(ids.all(|(vm, out)| out[0] == vm as u32 || out == [0, 0]));
    assert!(batched[3][1] > 1000, "many VMs trap: {:?}", batched[3]);
}

#[test]
fn what_is_too_large_for_a_sample_is_not_counted() {
    let runtime = Runtime::builder().backend(Backend::Cpu).build().unwrap();
    let (mut me, mut out) = (vec![1u32; 64], vec![0u32; 128]);
    let args = (3u32, &mut [1u32], &mut [0u32; 2]);
    let stats = runtime
        .launch("scale")
        .unwrap()
        .args(args)
        .run()
        .unwrap()
        .stats()
        .clone();
    let launch = runtime.launch("scale").unwrap().args((3u32, &mut me, &mut out));
    let bound = launch.bind().unwrap();
    let program = runtime.program("scale").unwrap();
    let mut held = Held::new(bound.params, None, false).unwrap();
    // The value that all see, and of each VM its record, its two entries and what it returns.
    let warp = 1 + 32 * 4;
    for (words, vms) in [
        (warp - 1, 0),
        (warp, 32),
        (warp + 32 * 4 - 1, 32),
        (warp + 32 * 4, 64),
        (1000, 64),
    ] {
        let subject = Subject {
            program: &program,
            name: &named_by(&bound.entry),
            vms: bound.vms,
            steps: 1,
            words,
        };
        let profiling = Profiling::start(subject.sampled(held.views(), None));
        let profile = profiling.finish("scale", &stats, Vec::new(), false);
        assert_eq!(profile.vms().len(), vms, "{words}");
        let reason = "a warp sees 129 words of data, and no more than 128 are copied for a sample";
        assert_eq!(profile.reason(), (vms == 0).then_some(reason));
        if vms == 0 {
            assert!(profile.to_string().ends_with(&format!("nothing was counted: {reason}")));
            assert!(profile.html().contains(reason));
            assert_eq!(
                (profile.folded().as_str(), profile.spread(), profile.occupancy()),
                ("", None, 0.0)
            );
        }
    }
}

/// `fn sum(cells: &[AtomicU64], value: u64) -> u64 { cells[0].fetch_add(value, Relaxed) }`, without the check of the index.
static SUM: Routine = Routine {
    name: Cow::Borrowed("sum"),
    file: Cow::Borrowed("src/sum.rs"),
    line: 1,
    params: Cow::Borrowed(&[TypeRef::of::<&[AtomicU64]>(), TypeRef::of::<u64>()]),
    result: TypeRef::of::<u64>(),
    words: 7,
    code: Cow::Borrowed(&[
        Instruction::new(Op::AtomicAdd64, [pair(5, 6), 1, pair(3, 4), 0]),
        Instruction::new(Op::Return, [5, 0, 0, 0]),
    ]),
    lines: Cow::Borrowed(&[1; 2]),
    matrices: Cow::Borrowed(&[]),
    terms: Cow::Borrowed(&[]),
    callees: Cow::Borrowed(&[]),
    constants: Cow::Borrowed(&[]),
    sites: Cow::Borrowed(&[]),
    variables: Cow::Borrowed(&[]),
    pieces: Cow::Borrowed(&[]),
    relaxed: false,
    is_const: false,
    refused: None,
    held: Vec::new(),
    tables: Vec::new(),
};

inventory::submit! {
    Registration {
        id: "sum",
        file: "src/sum.rs",
        line: 1,
        params: &["cells", "value"],
        routine: || &SUM,
        native: |cx| {
            let cells = cx.atomics::<AtomicU64>(0)?;
            let value = cx.column::<u64>(1)?;
            cx.run((), |vm, ()| cells[0].fetch_add(*value.get(vm), Ordering::Relaxed))
        },
    }
}

#[cfg(feature = "wgpu")]
#[test]
fn a_device_without_atomics_of_64_bits_leaves_them_to_the_cpu() {
    let opened = gpuvm_wgpu::open_without_atomics_64().unwrap();
    let runtime = Runtime::builder().on(vec![opened]).unwrap();
    assert!(!runtime.device().atomics_64);
    let cells = [AtomicU64::new(0)];
    let values = [u64::MAX, 1 << 40, 2];
    let launch = || runtime.launch("sum").unwrap().args((&cells, &values));
    for engine in [Engine::Interpreter, Engine::Specialized, Engine::Epoch] {
        let device = &runtime.device().name;
        let expected = format!(
            "`sum` uses `AtomicU64`, and `{device}` has no atomics of 64 bits; leave the engine to gpuvm or say \
             `.engine(Engine::Native)`, which both run it on the CPU, or use `AtomicU32`"
        );
        let error = launch().engine(engine).run().unwrap_err();
        assert_eq!(error.to_string(), expected, "{engine}");
        let mut execution = launch().engine(engine).start().unwrap();
        let error = execution.run_to_end().unwrap_err();
        assert_eq!(error.to_string(), expected, "{engine}");
        let mut plan = runtime.plan();
        plan.engine(engine);
        let (cells, values) = (plan.buffer(&runtime.buffer(&[0u64]).unwrap()), plan.input(&values));
        plan.map("sum", (cells, values)).unwrap();
        assert_eq!(plan.run().unwrap_err().to_string(), expected, "{engine}");
    }
    assert_eq!(cells[0].load(Ordering::Relaxed), 0);
    assert_eq!(launch().run().unwrap().stats().engine, Engine::Native);
    let budget = Budget::cycles(1000);
    assert_eq!(launch().budget(budget).run().unwrap().stats().engine, Engine::Reference);
    let mut execution = launch().start().unwrap();
    let snapshot = execution.snapshot().unwrap();
    execution.run_to_end().unwrap();
    assert_eq!(execution.finish().unwrap().stats().engine, Engine::Reference);
    let mut restored = runtime.restore(&snapshot).unwrap();
    restored.run_to_end().unwrap();
    assert_eq!(restored.finish().unwrap().stats().engine, Engine::Reference);
    let sum = (1 << 40) + 1;
    assert_eq!(cells[0].load(Ordering::Relaxed), 3 * sum);
    let buffer = runtime.buffer(&[0u64]).unwrap();
    let mut plan = runtime.plan();
    let (cells, values) = (plan.buffer(&buffer), plan.input(&values));
    plan.map("sum", (cells, values)).unwrap();
    assert_eq!(plan.run().unwrap().stats().engine, Engine::Native);
    assert_eq!(buffer.read().unwrap(), [sum]);
    // What does not need them runs on the device.
    let (mut me, mut out) = ([1u32, 2], [0u32; 4]);
    let scaled = runtime.launch("scale").unwrap().args((3u32, &mut me, &mut out));
    assert_eq!(
        scaled.engine(Engine::Interpreter).run().unwrap().stats().engine,
        Engine::Interpreter
    );
}

#[cfg(feature = "wgpu")]
#[test]
fn a_device_with_atomics_of_64_bits_runs_them() {
    let runtime = Runtime::builder().backend(gpu()).build().unwrap();
    for engine in [Engine::Interpreter, Engine::Specialized, Engine::Epoch] {
        let cells = [AtomicU64::new(u64::MAX)];
        let launch = runtime.launch("sum").unwrap().args((&cells, &[1u64 << 40, 2]));
        match launch.engine(engine).run() {
            Ok(_) => assert_eq!(cells[0].load(Ordering::Relaxed), (1 << 40) + 1, "{engine}"),
            Err(error) => assert!(!runtime.device().atomics_64, "{error}"),
        }
    }
}
