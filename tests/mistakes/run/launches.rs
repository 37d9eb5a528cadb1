//! Launches, their arguments and results, buffers, snapshots and plans.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

use gpuvm::prelude::*;
use gpuvm::{RingSnapshot, Snapshot};

use super::answers;
use super::routines::a;
use crate::{ENGINES, runtime};

const ONES: [u32; 8] = [1; 8];
const FLOATS: [f32; 8] = [1.0; 8];

/// A launch of a routine, run.
macro_rules! run {
    ($engine:expr, $id:literal, $args:expr) => {
        runtime()
            .launch($id)
            .and_then(|launch| launch.args($args).engine($engine).run())
    };
}

fn cpu() -> Runtime {
    Runtime::builder().backend(Backend::Cpu).build().unwrap()
}

#[test]
fn ids() {
    answers! {
        runtime().launch("completely_else") => "no routine has the id `completely_else`; a method, a routine with type parameters, with a `&str`, which is no column (take `&[u8]` and `std::str::from_utf8`), or with more than 12 parameters has no id, and is called by a routine that has";
        runtime().launch("mistakes::double") => "no routine has the id `mistakes::double`; a method, a routine with type parameters, with a `&str`, which is no column (take `&[u8]` and `std::str::from_utf8`), or with more than 12 parameters has no id, and is called by a routine that has";
        runtime().launch("step") => "the id `step` is given twice, at tests/mistakes/run/routines.rs:137 and at tests/mistakes/run/routines.rs:146; give one of them another with `#[routine(id = \"…\")]`";
        a::step::launch(runtime(), &FLOATS) => "the id `step` is given twice, at tests/mistakes/run/routines.rs:137 and at tests/mistakes/run/routines.rs:146; give one of them another with `#[routine(id = \"…\")]`";
        runtime().launch("double").unwrap().args((&FLOATS,)).run() => "no error";
    }
}

#[test]
fn arguments() {
    let (none, no_floats): ([u32; 0], [f32; 0]) = ([], []);
    for engine in ENGINES {
        answers! {
            run!(engine, "axpy", (&FLOATS, &FLOATS)) => "`axpy` takes 3 arguments (a, x, y) and was given 2";
            run!(engine, "axpy", ()) => "`axpy` takes 3 arguments (a, x, y) and was given 0";
            runtime().launch("axpy").unwrap().engine(engine).run() => "`axpy` takes 3 arguments (a, x, y) and was given 0";
            run!(engine, "double", (&ONES,)) => "argument `x` of `double` is `&[u32]`, and a column `&[f32]` or one `f32` for all VMs is needed";
            run!(engine, "double", (&[1.0, 2.0],)) => "argument `x` of `double` is `&[f64]`, and a column `&[f32]` or one `f32` for all VMs is needed";
            run!(engine, "double", (3,)) => "argument `x` of `double` is one `i32`, as is every such number without a suffix (write `3f32`), and a column `&[f32]` or one `f32` for all VMs is needed";
            run!(engine, "double", (-0.5,)) => "argument `x` of `double` is one `f64`, as is every such number without a suffix (write `-0.5f32`), and a column `&[f32]` or one `f32` for all VMs is needed";
            run!(engine, "size", (7,)) => "argument `x` of `size` is one `i32`, as is every such number without a suffix (write `7usize`), and a column `&[usize]` or one `usize` for all VMs is needed";
            run!(engine, "size", (-7,)) => "argument `x` of `size` is one `i32`, and a column `&[usize]` or one `usize` for all VMs is needed";
            run!(engine, "double", (3u32,)) => "argument `x` of `double` is one `u32`, and a column `&[f32]` or one `f32` for all VMs is needed";
            run!(engine, "bump", (&ONES,)) => "argument `x` of `bump` is `&[u32]`, and `&mut [u32]` or `&Buffer<u32>` is needed";
            run!(engine, "bump", (5u32,)) => "argument `x` of `bump` is one `u32`, and `&mut [u32]` or `&Buffer<u32>` is needed";
            run!(engine, "axpy", (2.0f32, &FLOATS, &FLOATS[..5])) => "argument `y` of `axpy` has 5 entries, and there are 8 VMs (`x` has as many entries)";
            runtime().launch("double").unwrap().args((&FLOATS,)).vms(9).engine(engine).run() => "argument `x` of `double` has 8 entries, and there are 9 VMs (`.vms(…)` says so)";
            runtime().launch("chunk").unwrap().args((&mut [0u32; 10], 3u32)).vms(4).engine(engine).run() => "argument `out` of `chunk` has 10 entries, which 4 VMs cannot share evenly; a multiple of 4 is needed";
            run!(engine, "double", (&no_floats,)) => "argument `x` of `double` is empty; at least one entry is needed, one a VM";
            run!(engine, "chosen", (&none, &ONES)) => "VM 0 of `chosen` trapped at tests/mistakes/run/routines.rs:18: index out of bounds: the len is 0 but the index is 1 (and 7 more VMs trapped)";
            run!(engine, "size", (5u64,)) => "argument `x` of `size` is one `u64`, and a column `&[usize]` or one `usize` for all VMs is needed";
            run!(engine, "hist", (&mut [0u32; 4], &ONES)) => "argument `bins` of `hist` is `&mut [u32]`, and `&[AtomicU32]` or `&Buffer<u32>` is needed";
            run!(engine, "alone", ()) => "how many VMs of `alone` to run is not known: no argument is a column; say `.vms(n)` with n > 0";
            run!(engine, "double", (1.0f32,)) => "how many VMs of `double` to run is not known: no argument is a column; say `.vms(n)` with n > 0";
            runtime().launch("alone").unwrap().vms(0).engine(engine).run() => "how many VMs of `alone` to run is not known: no argument is a column; say `.vms(n)` with n > 0";
            runtime().launch("alone").unwrap().vms(5_000_000_000).engine(engine).run() => "`alone` needs 5000000000 words of memory at once for 5000000000 VMs, more than the auto engine can address";
        }
    }
}

#[test]
fn results() {
    let done = run!(Engine::Native, "double", (&FLOATS,)).unwrap();
    let changed = run!(Engine::Native, "bump", (&mut ONES.to_vec(),)).unwrap();
    answers! {
        done.output::<Vec<u32>>() => "the results of `double` are `Vec<f32>`, and were asked for as `Vec<u32>`";
        done.output::<(Vec<f32>, Vec<f32>)>() => "the results of `double` are `Vec<f32>`, and were asked for as `Vec<(f32, f32)>`";
        done.column::<f32>("x") => "`double` has no column `x` here; it has none, its arguments have the new values";
        done.column::<f32>("q") => "`double` has no column `q` here; it has none, its arguments have the new values";
        changed.output::<Vec<u32>>() => "the results of `bump` are `Vec<()>`, and were asked for as `Vec<u32>`";
    }
}

#[test]
fn what_is_no_mistake() {
    let grid: Vec<u32> = (0..16).rev().collect();
    for engine in ENGINES {
        let launch = runtime().launch("found").unwrap().args((&grid, 4u32)).vms(16);
        let found = launch.engine(engine).run().unwrap().output::<Vec<u32>>().unwrap();
        assert_eq!(found, (0..16).rev().collect::<Vec<u32>>(), "{engine}");
        let shadows = run!(engine, "shadow", (&[1u32, 2],)).unwrap();
        assert_eq!(shadows.output::<Vec<u32>>().unwrap(), [5, 7], "{engine}");
        let limits = run!(engine, "limit", (&[1u32, 2],)).unwrap();
        assert_eq!(limits.output::<Vec<u32>>().unwrap(), [42, 43], "{engine}");
        let roots = run!(engine, "root", (&[-1.0f32, 4.0],)).unwrap();
        assert_eq!(roots.output::<Vec<u32>>().unwrap(), [0, 20], "{engine}");
        let yielded = run!(engine, "yielder", (&[3u32, 4],)).unwrap();
        assert_eq!(yielded.output::<Vec<u32>>().unwrap(), [3, 4], "{engine}");
    }
    // A launch that is dropped before anybody waits for it is not run.
    drop(runtime().launch("double").unwrap().args((&FLOATS,)).run_async());
}

#[test]
fn stops() {
    let backend = runtime().device().backend;
    let name = if backend == Backend::Cuda { "CUDA" } else { "wgpu" };
    let spins = |engine| runtime().launch("spin").unwrap().args((&[7u32, 0, 27],)).engine(engine);
    for engine in ENGINES.into_iter().filter(|engine| *engine != Engine::Native) {
        answers! {
            spins(engine).budget(Budget::cycles(10_000)).run() => "`spin` was not done within its budget of 10000 instructions of each VM: 1 of 3 VMs had not stopped; give it more, or use `.start()` and `advance`, which can go on";
        }
    }
    answers! {
        spins(Engine::Reference).budget(Budget::time(Duration::from_millis(100))).run() => "`spin` was not done within its budget of 100ms: 1 of 3 VMs had not stopped; give it more, or use `.start()` and `advance`, which can go on";
        spins(Engine::Native).budget(Budget::cycles(100_000)).run() => "the native engine is not available: it cannot pause, so it takes no budget and no `start`; leave the engine to gpuvm, or name another";
        spins(Engine::Native).start() => "the native engine is not available: it cannot pause, so it takes no budget and no `start`; leave the engine to gpuvm, or name another";
        cpu().launch("spin").unwrap().args((&[7u32],)).engine(Engine::Interpreter).run() => "the interpreter engine is not available: it needs a GPU, and this runtime is on the CPU; build one with `Runtime::builder().backend(Backend::Wgpu)` or `Backend::Cuda`";
        Runtime::builder().backend(backend).device(7).build() => format!("no device: {name} has no device 7; its devices are 0 to 0");
    }
}

#[test]
fn buffers() {
    let buffer = runtime().buffer(&ONES).unwrap();
    let none: [u32; 0] = [];
    let mut run = runtime()
        .launch("bump")
        .unwrap()
        .args((&buffer,))
        .engine(Engine::Reference)
        .start()
        .unwrap();
    let shared = runtime().buffer(&ONES).unwrap();
    answers! {
        buffer.write(&[1, 2, 3]) => "a buffer of 8 entries cannot take 3; write the same number or make a new buffer";
        runtime().buffer(&none) => "no error";
        buffer.read() => "the buffer of 8 `u32` is in use by an execution; call its `finish`, or drop it, before using the buffer elsewhere";
        run.vm(99) => "`bump` runs on 8 VMs, numbered from 0, and VM 99 was asked for";
        run.advance(Budget::cycles(3)) => "no error";
        cpu().launch("bump").unwrap().args((&shared,)).run() => "no error";
        runtime().launch("hist").unwrap().args((&shared, &shared)).run() => "no error";
        runtime().launch("axpy").unwrap().args((1.0f32, &shared, &shared)).run() => "argument `x` of `axpy` is `&Buffer<u32>`, and a column `&[f32]` or one `f32` for all VMs is needed";
        runtime().launch("bump").unwrap().args((&shared, &shared)).run() => "`bump` takes 1 argument (x) and was given 2";
    }
    drop(run);
    // The runtime that made it may be gone.
    let kept = {
        let other = cpu();
        other.buffer(&[1u32, 2, 3]).unwrap()
    };
    assert_eq!(kept.read().unwrap(), [1, 2, 3]);
}

#[test]
fn snapshots() {
    let mut run = runtime()
        .launch("spin")
        .unwrap()
        .args((&[7u32, 27],))
        .engine(Engine::Reference)
        .start()
        .unwrap();
    run.advance(Budget::cycles(50)).unwrap();
    let saved = run.snapshot().unwrap().to_bytes();
    let mut flipped = saved.clone();
    flipped[saved.len() / 2] ^= 0x10;
    answers! {
        Snapshot::from_bytes(&saved[..saved.len() / 2]) => "this is no snapshot that can be read: its end is missing, or something follows it";
        Snapshot::from_bytes(&[]) => "this is no snapshot that can be read: it is too short";
        Snapshot::from_bytes(b"this is not a snapshot at all, sorry") => "this is no snapshot that can be read: it does not begin as one";
        Snapshot::from_bytes(&flipped) => "this is no snapshot that can be read: it is damaged, its checksum differs";
        RingSnapshot::from_bytes(&saved) => "this is no snapshot that can be read: it does not begin as one";
    }
}

#[test]
fn plans() {
    let runtime = cpu();
    let mut plan = runtime.plan();
    answers! {
        plan.map("doubel", (&FLOATS,)) => "no routine has the id `doubel`; did you mean `double`?";
        plan.map("double", (&ONES,)) => "argument `x` of map `double` (node 1) is `&[u32]`, and a column of `f32` or one `f32` for all VMs is needed";
    }
    let node = plan.map("double", (&FLOATS,)).unwrap();
    answers! {
        plan.map("axpy", (1.0f32, node)) => "map `axpy` (node 2) takes 3 arguments (a, x, y) and was given 2";
        plan.filter("double", node) => "filter `double` (node 2) needs a routine `fn(f32) -> bool`, and `double` is `fn(f32) -> f32`";
        plan.reduce("double", node) => "reduce `double` (node 2) needs a routine `fn(f32, f32) -> f32`, and `double` is `fn(f32) -> f32`";
        plan.filter("positive", node) => "filter `positive` (node 2) needs a routine `fn(f32) -> bool`, and `positive` is `fn(u32) -> bool`";
        plan.histogram(node, 16) => "argument `column` of histogram (node 2) is 8 entries of `f32`, and a column of `u32`, the number of each entry's bin (a `map` in front of it gives that) is needed";
        plan.dedup_by_key("positive", node) => "dedup by `positive` (node 2) needs a routine `fn(f32) -> K`, where `K` is an integer of up to 64 bits, a float, a `bool` or a `char`, and `positive` is `fn(u32) -> bool`";
        plan.group_by("axpy", node) => "group by `axpy` (node 2) needs a routine `fn(f32) -> K`, where `K` is an integer of up to 64 bits, a float, a `bool` or a `char`, and `axpy` is `fn(f32, f32, f32) -> f32`";
        plan.group_by("regoin", node) => "no routine has the id `regoin`; a method, a routine with type parameters, with a `&str`, which is no column (take `&[u8]` and `std::str::from_utf8`), or with more than 12 parameters has no id, and is called by a routine that has";
    }
    let mut other = runtime.plan();
    let own = other.map("double", (&FLOATS,)).unwrap();
    let hidden = plan.map("double", (node,)).unwrap();
    plan.output(node);
    let done = plan.run().unwrap();
    answers! {
        other.map("axpy", (1.0f32, own, node)) => "argument `y` of map `axpy` (node 2) is a handle of another plan; a plan knows only what its own methods gave";
        done.get::<u32>(node) => "map `double` (node 1) gives `Vec<f32>`, and was asked for as `Vec<u32>`";
        done.get::<f32>(own) => "argument `handle` of `get` is a handle of another plan; a plan knows only what its own methods gave";
        done.get::<f32>(hidden) => "map `double` (node 2) is not among the plan's outputs; name it with `plan.output(handle)` before the run";
        runtime.plan().run() => "no error";
    }
}

#[test]
fn atomics() {
    for engine in ENGINES {
        let bins: Vec<AtomicU32> = (0..4).map(|_| AtomicU32::new(0)).collect();
        answers! {
            run!(engine, "hist", (&bins, &[1u32, 9])) => "VM 1 of `hist` trapped at tests/mistakes/run/routines.rs:117: index out of bounds: the len is 4 but the index is 9";
        }
    }
}
