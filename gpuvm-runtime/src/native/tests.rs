//! Launches of hand-made entries on the native engine: every kind of parameter, traps, halting, recursion.

use std::borrow::Cow;
use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use gpuvm_core::routine::Routine;
use gpuvm_core::types::TypeRef;

use super::{enter, vm};
use crate::registry::Registration;
use crate::{Backend, Engine, Error, Runtime, Settings, TrapReport};

/// A routine of which only the types matter.
const fn types(params: &'static [TypeRef], result: TypeRef) -> Routine {
    Routine {
        name: Cow::Borrowed("test"),
        file: Cow::Borrowed(file!()),
        line: 1,
        params: Cow::Borrowed(params),
        result,
        words: 0,
        code: Cow::Borrowed(&[]),
        lines: Cow::Borrowed(&[]),
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
    }
}

macro_rules! entry {
    ($id:literal, ($($name:literal: $ty:ty),*) -> $result:ty, $native:expr) => {
        inventory::submit! {
            Registration {
                id: $id,
                file: file!(),
                line: line!(),
                params: &[$($name),*],
                routine: || {
                    static ROUTINE: Routine = types(&[$(TypeRef::of::<$ty>()),*], TypeRef::of::<$result>());
                    &ROUTINE
                },
                native: $native,
            }
        }
    };
}

entry!("everything", ("x": f32, "me": &mut (u32, f32), "all": &[f32], "out": &mut [u32], "bins": &[AtomicU32]) -> (u32, f32), |cx| {
    let x = cx.column::<f32>(0)?;
    let me = cx.records::<(u32, f32)>(1)?;
    let all = cx.slice::<f32>(2)?;
    let out = cx.chunks::<u32>(3)?;
    let bins = cx.atomics::<AtomicU32>(4)?;
    cx.run((me, out), |vm, (me, out)| everything(*x.get(vm), me, all, out, bins))
});

fn everything(x: f32, me: &mut (u32, f32), all: &[f32], out: &mut [u32], bins: &[AtomicU32]) -> (u32, f32) {
    me.0 += vm::id();
    me.1 = x;
    out.fill(vm::count());
    bins[vm::id() as usize % bins.len()].fetch_add(1, Ordering::Relaxed);
    (me.0, all.iter().sum())
}

/// How many VMs of `slow` have begun.
static BEGUN: AtomicU32 = AtomicU32::new(0);

entry!("slow", () -> (), |cx| {
    cx.run((), |_, ()| {
        BEGUN.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(1));
    })
});

#[test]
fn a_launch_whose_future_is_dropped_begins_no_further_vm() {
    const VMS: usize = 100_000;
    let launch = || runtime().launch("slow").unwrap().vms(VMS);
    let mut under_way = Box::pin(launch().run_async());
    let mut context = Context::from_waker(Waker::noop());
    while BEGUN.load(Ordering::Relaxed) == 0 {
        assert!(under_way.as_mut().poll(&mut context).is_pending());
        std::thread::yield_now();
    }
    drop(under_way);
    // The threads are free for the next launch when all of the first has ended.
    launch().vms(1).run().unwrap();
    let begun = BEGUN.load(Ordering::Relaxed);
    assert!(begun < VMS as u32 / 2, "{begun} VMs have begun");
}

fn runtime() -> Runtime {
    Runtime::builder().backend(Backend::Cpu).build().unwrap()
}

fn trap(error: Error) -> TrapReport {
    match error {
        Error::Trap(report) => *report,
        other => panic!("expected a trap, not: {other}"),
    }
}

#[test]
fn every_kind_of_parameter() {
    let mut me = vec![(10u32, 0.0f32); 3];
    let mut out = [0u32; 6];
    let bins = [const { AtomicU32::new(0) }; 2];
    let done = runtime()
        .launch("everything")
        .unwrap()
        .args((&[1.0f32, 2.0, 3.0], &mut me, &vec![0.5f32; 4], &mut out, &bins))
        .run()
        .unwrap();
    assert_eq!(
        done.output::<(Vec<u32>, Vec<f32>)>().unwrap(),
        (vec![10, 11, 12], vec![2.0; 3])
    );
    assert_eq!(me, [(10, 1.0), (11, 2.0), (12, 3.0)]);
    assert_eq!(out, [3; 6]);
    assert_eq!(bins.map(AtomicU32::into_inner), [2, 1]);
    assert_eq!((done.stats().vms, done.stats().engine), (3, Engine::Native));
}

#[test]
fn buffers_and_uniforms_and_steps() {
    let runtime = runtime();
    let (me, bins) = (
        runtime.buffer(&[(1u32, 0.0f32); 2]).unwrap(),
        runtime.buffer(&[0u32]).unwrap(),
    );
    let all = runtime.buffer(&[1.0f32, 2.0]).unwrap();
    let done = runtime
        .launch("everything")
        .unwrap()
        .args((0.25f32, &me, &all, &mut [0u32; 2], &bins))
        .steps(3)
        .run()
        .unwrap();
    assert_eq!(done.output::<Vec<(u32, f32)>>().unwrap(), [(1, 3.0), (4, 3.0)]);
    assert_eq!(me.read().unwrap(), [(1, 0.25), (4, 0.25)]);
    assert_eq!(bins.read().unwrap(), [6]);
}

entry!("neighbours", ("me": &mut i32, "all": &[i32]) -> (), |cx| {
    let me = cx.records::<i32>(0)?;
    let all = cx.slice::<i32>(1)?;
    cx.run((me,), |vm, (me,)| *me = all[(vm + 1) % all.len()])
});

#[test]
fn a_shared_slice_is_as_it_was_when_the_launch_began() {
    let runtime = runtime();
    let ring: Vec<i32> = (0..5000).collect();
    let buffer = runtime.buffer(&ring).unwrap();
    let done = runtime
        .launch("neighbours")
        .unwrap()
        .args((&buffer, &buffer))
        .run()
        .unwrap();
    assert_eq!(done.output::<Vec<()>>().unwrap().len(), 5000);
    let rotated: Vec<i32> = (1..5000).chain([0]).collect();
    assert_eq!(buffer.read().unwrap(), rotated);
}

entry!("reciprocal", ("x": u32, "me": &mut u32) -> u32, |cx| {
    let x = cx.column::<u32>(0)?;
    let me = cx.records::<u32>(1)?;
    cx.run((me,), |vm, (me,)| {
        *me = *x.get(vm);
        if *x.get(vm) == 9 { vm::halt() }
        100u32.checked_div(*x.get(vm)).expect("a number that is not zero")
    })
});

#[test]
fn a_trap_stops_its_vm_alone() {
    let x: Vec<u32> = (0..1000).map(|i| if i == 997 { 9 } else { (i + 3) % 10 }).collect();
    let mut me = vec![77; 1000];
    let error = runtime()
        .launch("reciprocal")
        .unwrap()
        .args((&x, &mut me))
        .run()
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.ends_with("a number that is not zero (and 98 more VMs trapped)"),
        "{text}"
    );
    let report = trap(error);
    assert_eq!(
        (report.vm, report.count, report.routine.as_str()),
        (7, 99, "reciprocal")
    );
    assert_eq!(
        (report.file.as_str(), report.message.as_str()),
        (file!(), "a number that is not zero")
    );
    assert_eq!(me, x);
    let expected: Vec<u32> = x
        .iter()
        .map(|&x| if x == 9 { 0 } else { 100u32.checked_div(x).unwrap_or(0) })
        .collect();
    assert_eq!(report.into_done().output::<Vec<u32>>().unwrap(), expected);
}

entry!("depth", ("levels": u32) -> u32, |cx| {
    let levels = cx.column::<u32>(0)?;
    cx.run((), |vm, ()| depth(*levels.get(vm)))
});

fn depth(levels: u32) -> u32 {
    let _depth = enter("src/depth.rs", 7);
    if levels <= 1 { 1 } else { 1 + depth(levels - 1) }
}

#[test]
fn recursion_ends_where_the_settings_say() {
    let launch = |settings: Settings, levels: &[u32]| {
        let runtime = Runtime::builder()
            .backend(Backend::Cpu)
            .settings(settings)
            .build()
            .unwrap();
        runtime.launch("depth").unwrap().args((levels,)).run()
    };
    let report = trap(launch(Settings::default(), &[3, 256, 257, 100_000, 5]).unwrap_err());
    assert_eq!(
        (report.vm, report.count, report.file.as_str(), report.line),
        (2, 2, "src/depth.rs", 7)
    );
    assert_eq!(
        report.message,
        "stack overflow: recursion is deeper than 256 calls, which is what `Settings::recursion_limit` or the launch's own `.depth(n)` allows; \
         a larger `.depth(n)` allows more"
    );
    assert_eq!(report.done().output::<Vec<u32>>().unwrap(), [3, 256, 0, 0, 5]);

    let deep = launch(
        Settings {
            recursion_limit: 100_000,
            ..Settings::default()
        },
        &[100_000],
    )
    .unwrap();
    assert_eq!(deep.output::<Vec<u32>>().unwrap(), [100_000]);
}

entry!("wide_depth", ("levels": u32) -> u32, |cx| {
    let levels = cx.column::<u32>(0)?;
    cx.run((), |vm, ()| wide_depth(*levels.get(vm)))
});

fn wide_depth(levels: u32) -> u32 {
    let _depth = enter("src/wide_depth.rs", 9);
    let frame = std::hint::black_box([levels; 25_000]);
    if levels <= 1 {
        1
    } else {
        1 + wide_depth(levels - 1) + frame[5] - levels
    }
}

#[test]
fn frames_that_fill_the_stack_end_the_vm_and_not_the_process() {
    let runtime = Runtime::builder().backend(Backend::Cpu).build().unwrap();
    let launch = |levels: &[u32]| {
        let launch = runtime.launch("wide_depth").unwrap().args((levels,));
        launch.depth(3000).run()
    };
    let report = trap(launch(&[500, 2999, 3]).unwrap_err());
    assert_eq!(
        (report.vm, report.count, report.file.as_str(), report.line),
        (1, 1, "src/wide_depth.rs", 9)
    );
    let told = "nested calls fill the 128 MiB of native stack that a thread has for recursion 3000 deep; a larger `.depth(n)` gives it 32 \
                KiB for each of n";
    assert!(report.message.ends_with(told), "{}", report.message);
    assert_eq!(report.done().output::<Vec<u32>>().unwrap(), [500, 0, 3]);
}

#[test]
fn outside_of_a_launch_a_routine_is_a_function() {
    assert_eq!((vm::id(), vm::count()), (0, 1));
    vm::yield_now();
    assert_eq!(depth(256), 256);
    assert!(std::panic::catch_unwind(|| depth(257)).is_err());
    assert_eq!(depth(256), 256);
    assert!(std::panic::catch_unwind(|| vm::halt()).is_err());
}

#[test]
fn a_gpu_engine_without_a_gpu_is_an_error() {
    let mut me = [0u32];
    let launch = runtime()
        .launch("reciprocal")
        .unwrap()
        .args((1u32, &mut me))
        .engine(Engine::Interpreter);
    let error = launch.run().unwrap_err().to_string();
    assert!(
        error.starts_with("the interpreter engine is not available: it needs a GPU"),
        "{error}"
    );
}

#[test]
fn handles_go_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<Runtime>();
    check::<crate::Buffer<f32>>();
    check::<crate::Done>();
    check::<Error>();
}
