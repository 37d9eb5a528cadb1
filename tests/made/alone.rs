//! A routine that is built does on every engine what the same function in Rust does.

use std::sync::atomic::AtomicU32;

use gpuvm::prelude::*;
use gpuvm::program::LoadError;
use gpuvm::{Done, Error, PlanError, Routine, build};

use crate::{ENGINES, runtime};

#[derive(VmType, Clone, Copy, Debug, PartialEq, Default)]
struct Walker {
    x: f32,
    steps: u32,
}

#[routine]
fn scramble(x: u32) -> u32 {
    (x ^ x.rotate_left(9)).wrapping_mul(0x9e37_79b1)
}

fn collatz() -> Routine {
    build("collatz", |f| {
        let n = f.param::<u32>("n");
        let n = f.variable("n", n);
        let steps = f.variable("steps", 0u32);
        f.while_(
            |_| n.get().ne(1),
            |f| {
                f.if_else((n.get() % 2).eq(0), |_| n.set(n.get() / 2), |_| n.set(n.get() * 3 + 1));
                steps.set(steps.get() + 1);
            },
        );
        f.ret(steps.get());
    })
    .unwrap()
}

fn collatz_in_rust(mut n: u32) -> u32 {
    let mut steps = 0;
    while n != 1 {
        n = if n.is_multiple_of(2) {
            n / 2
        } else {
            n.wrapping_mul(3).wrapping_add(1)
        };
        steps += 1;
    }
    steps
}

#[test]
fn loops_of_different_lengths() {
    let (routine, n): (Routine, Vec<u32>) = (collatz(), (1..200).collect());
    let expected: Vec<u32> = n.iter().map(|n| collatz_in_rust(*n)).collect();
    for engine in ENGINES {
        let done = runtime()
            .launch(&routine)
            .unwrap()
            .args((&n,))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(done.output::<Vec<u32>>().unwrap(), expected, "{engine}");
        assert_eq!(done.stats().engine, engine);
    }
}

#[test]
fn every_kind_of_parameter() {
    let routine = build("kinds", |f| {
        let scale = f.param::<f32>("scale");
        let me = f.record::<Walker>("me");
        let all = f.slice::<f32>("all");
        let out = f.slice_mut::<u32>("out");
        let bins = f.atomics("bins");
        let (x, steps) = (me.field::<f32>("x"), me.field::<u32>("steps"));
        x.set(x.get() * scale + all.get(f.vm_id() % all.len()));
        steps.set(steps.get() + 1);
        f.for_(0, out.len(), |f, i| out.set(i, f.vm_id() * 10 + i));
        bins.fetch_add(f.vm_id() & 3, 1);
        bins.fetch_max(4, f.vm_id());
        f.ret((x.get(), bins.len()));
    })
    .unwrap();
    let all = [0.5f32, -1.25, 3.0];
    let before: Vec<Walker> = (0..70).map(|i| Walker { x: i as f32, steps: i }).collect();
    for engine in ENGINES {
        let (mut me, mut out) = (before.clone(), vec![0u32; 140]);
        let bins = [const { AtomicU32::new(0) }; 5];
        let launch = runtime()
            .launch(&routine)
            .unwrap()
            .args((1.5f32, &mut me, &all, &mut out, &bins));
        let done = launch.engine(engine).run().unwrap();
        let expected: Vec<f32> = before
            .iter()
            .enumerate()
            .map(|(i, walker)| walker.x * 1.5 + all[i % 3])
            .collect();
        let (x, len): (Vec<f32>, Vec<u32>) = done.output().unwrap();
        assert_eq!((&x, &len), (&expected, &vec![5; 70]), "{engine}");
        let after: Vec<Walker> = expected
            .iter()
            .zip(1..)
            .map(|(&x, steps)| Walker { x, steps })
            .collect();
        assert_eq!(me, after, "{engine}");
        let parts: Vec<u32> = (0..70).flat_map(|vm| [vm * 10, vm * 10 + 1]).collect();
        assert_eq!(out, parts, "{engine}");
        assert_eq!(bins.map(AtomicU32::into_inner), [18, 18, 17, 17, 69], "{engine}");
    }
}

#[routine]
fn floats(x: f32, y: f64) -> (f32, f64, i32, u64, u8, bool) {
    let single = x.sin() * x.sqrt() + x.abs().ln().max(x.exp()) - x.mul_add(2.0, 1.0) / (x * x + 3.0);
    let double = y.cos() + y.abs().sqrt() * y.min(0.25) - y as f32 as f64;
    (single, double, x as i32, y as u64, x.floor() as u8, y < 0.5)
}

#[test]
fn floats_and_their_functions_are_those_of_rust() {
    let routine = build("built_floats", |f| {
        let (x, y) = (f.param::<f32>("x"), f.param::<f64>("y"));
        let single = x.sin() * x.sqrt() + x.abs().ln().max(x.exp()) - x.mul_add(2.0, 1.0) / (x * x + 3.0);
        let double = y.cos() + y.abs().sqrt() * y.min(0.25) - y.cast::<f32>().cast::<f64>();
        f.ret((
            single,
            double,
            x.cast::<i32>(),
            y.cast::<u64>(),
            x.floor().cast::<u8>(),
            y.lt(0.5),
        ));
    })
    .unwrap();
    let edges = [f32::NAN, f32::INFINITY, -0.0, f32::MIN_POSITIVE, 3e9];
    let x: Vec<f32> = (0..97).map(|i| (i as f32 - 31.0) * 0.37).chain(edges).collect();
    let y: Vec<f64> = x.iter().map(|x| f64::from(*x) * 1.1).collect();
    let native = runtime().launch("floats").unwrap().args((&x, &y));
    // Text tells every two values apart, −0.0 from 0.0 too.
    let text = |done: Done| format!("{:?}", done.output::<Vec<(f32, f64, i32, u64, u8, bool)>>().unwrap());
    let expected = text(native.engine(Engine::Native).run().unwrap());
    for engine in ENGINES {
        let launch = runtime().launch(&routine).unwrap().args((&x, &y));
        assert_eq!(text(launch.engine(engine).run().unwrap()), expected, "{engine}");
    }
}

#[routine]
fn halved(bits: u64) -> u64 {
    (f64::from_bits(bits) * 0.5).to_bits()
}

#[test]
fn numbers_are_made_of_bits_and_told_by_them() {
    let routine = build("built_halved", |f| {
        let bits = f.param::<u64>("bits");
        f.ret((bits.as_f64() * 0.5).to_bits());
    })
    .unwrap();
    let edges = [
        f64::NAN,
        -f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        f64::MIN_POSITIVE,
        f64::MAX,
    ];
    let patterns = [1, 0x7ff0_0000_0000_0001, u64::MAX, 0x000f_ffff_ffff_ffff];
    let bits: Vec<u64> = (0..40).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let bits: Vec<u64> = edges
        .map(f64::to_bits)
        .into_iter()
        .chain(patterns)
        .chain(bits)
        .collect();
    let native = runtime()
        .launch("halved")
        .unwrap()
        .args((&bits,))
        .engine(Engine::Native);
    let expected: Vec<u64> = native.run().unwrap().output().unwrap();
    for engine in ENGINES {
        let launch = runtime().launch(&routine).unwrap().args((&bits,));
        let found: Vec<u64> = launch.engine(engine).run().unwrap().output().unwrap();
        assert_eq!(found, expected, "{engine}");
    }
}

#[test]
fn a_trap_says_the_line_of_the_closure_and_leaves_the_others() {
    let routine = build("pick", |f| {
        let (i, all) = (f.param::<u32>("i"), f.slice::<u32>("all"));
        f.ret(all.get(i)); // where it traps
    })
    .unwrap();
    let line = include_str!("alone.rs")
        .lines()
        .position(|line| line.ends_with("// where it traps"))
        .unwrap() as u32
        + 1;
    for engine in ENGINES {
        let launch = runtime()
            .launch(&routine)
            .unwrap()
            .args((&[2u32, 7, 0, 9], &[10u32, 11, 12]));
        let Err(Error::Trap(trap)) = launch.engine(engine).run() else {
            panic!("{engine}: it traps");
        };
        assert_eq!((trap.vm, trap.count, trap.line), (1, 2, line), "{engine}");
        assert!(trap.file.ends_with("alone.rs"), "{}", trap.file);
        assert_eq!(
            trap.message, "index out of bounds: the len is 3 but the index is 7",
            "{engine}"
        );
        assert_eq!(trap.done().output::<Vec<u32>>().unwrap(), [12, 0, 10, 0], "{engine}");
    }
}

#[test]
fn routines_of_the_binary_are_called_and_files_bring_it_all_back() {
    let of_binary = Routine::of("scramble").unwrap();
    let twice = build("twice", |f| {
        let x = f.param::<u32>("x");
        let once = f.call::<u32>(&of_binary, (x,));
        f.ret(f.call::<u32>(&of_binary, (once,)));
    })
    .unwrap();
    let thrice = build("thrice", |f| {
        let x = f.param::<u32>("x");
        let two = f.call::<u32>(&twice, (x,));
        f.ret(f.call::<u32>(&of_binary, (two,)) + f.table(&[7u32, 8, 9]).get(x % 3));
    })
    .unwrap();
    let path = std::env::temp_dir().join(format!("gpuvm-made-{}.routine", std::process::id()));
    thrice.save(&path).unwrap();
    let loaded = Routine::load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!((loaded.id(), loaded.name()), (thrice.id(), "thrice"));
    let x: Vec<u32> = (0..90).collect();
    let expected: Vec<u32> = x
        .iter()
        .map(|x| scramble(scramble(scramble(*x))).wrapping_add([7, 8, 9][*x as usize % 3]))
        .collect();
    for engine in ENGINES {
        let done = runtime()
            .launch(&loaded)
            .unwrap()
            .args((&x,))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(done.output::<Vec<u32>>().unwrap(), expected, "{engine}");
        let done = runtime()
            .launch(&of_binary)
            .unwrap()
            .args((&x,))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(
            done.output::<Vec<u32>>().unwrap(),
            x.iter().map(|x| scramble(*x)).collect::<Vec<_>>()
        );
    }
    let why = of_binary.to_bytes().unwrap_err().to_string();
    assert_eq!(
        why,
        "`scramble` cannot be saved: it is a part of this binary; only what is made at run time can be saved"
    );
    assert!(matches!(
        Routine::from_bytes(b"PK"),
        Err(Error::Load(LoadError::NotARoutine))
    ));
    let missing = Routine::load("no/such.routine").unwrap_err().to_string();
    assert!(missing.starts_with("no/such.routine: "), "{missing}");
}

#[test]
fn a_plan_takes_them_as_nodes() {
    let double = build("double", |f| {
        let x = f.param::<f32>("x");
        f.ret(x * 2.0);
    })
    .unwrap();
    let larger = build("larger", |f| {
        let (a, b) = (f.param::<f32>("a"), f.param::<f32>("b"));
        f.ret(a.max(b));
    })
    .unwrap();
    let x: Vec<f32> = (0..500).map(|i| ((i * 37) % 500) as f32).collect();
    for engine in ENGINES {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let column = plan.input(&x);
        let doubled = plan.map(&double, (column,)).unwrap();
        let most = plan.reduce(&larger, doubled).unwrap();
        let done = plan.run().unwrap();
        assert_eq!(done.get::<f32>(most).unwrap(), [998.0], "{engine}");
        let doubled: Vec<f32> = done.get(doubled).unwrap();
        assert_eq!(doubled, x.iter().map(|x| x * 2.0).collect::<Vec<_>>(), "{engine}");
    }
    let program = runtime().program(&double).unwrap();
    let mut plan = runtime().plan();
    let column = plan.input(&x);
    let refused = plan.map(&program, (column,)).unwrap_err();
    assert!(matches!(refused, Error::Plan(PlanError::Program { .. })), "{refused}");
}

#[test]
fn a_program_is_launched_as_it_is() {
    let program = runtime().program(&collatz()).unwrap();
    let text = program.disassemble();
    let again = std::sync::Arc::new(gpuvm::program::Program::from_bytes(&program.to_bytes()).unwrap());
    assert_eq!(again.disassemble(), text);
    for engine in ENGINES {
        let done = runtime()
            .launch(&again)
            .unwrap()
            .args((&[6u32, 7, 27],))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(done.output::<Vec<u32>>().unwrap(), [8, 16, 111], "{engine}");
    }
}

#[test]
fn it_is_paused_saved_and_goes_on_elsewhere() {
    let routine = collatz();
    let n = [27u32, 97, 871];
    let expected: Vec<u32> = n.iter().map(|n| collatz_in_rust(*n)).collect();
    let mut execution = runtime()
        .launch(&routine)
        .unwrap()
        .args((&n,))
        .engine(Engine::Interpreter)
        .start()
        .unwrap();
    assert_eq!(execution.advance(Budget::cycles(200)).unwrap(), Signal::Checkpoint);
    let view = execution.vm(1).unwrap().to_string();
    assert!(view.contains("steps") && view.contains("alone.rs"), "{view}");
    let snapshot = execution.snapshot().unwrap();
    for engine in ENGINES.into_iter().filter(|engine| *engine != Engine::Native) {
        let mut restored = runtime().restore_of(&routine, &snapshot, engine).unwrap();
        assert_eq!(restored.run_to_end().unwrap(), Signal::Halt, "{engine}");
        assert_eq!(
            restored.finish().unwrap().output::<Vec<u32>>().unwrap(),
            expected,
            "{engine}"
        );
    }
    let unknown = runtime().restore(&snapshot).unwrap_err();
    assert!(matches!(unknown, Error::UnknownId { .. }), "{unknown}");
}

#[test]
fn mistakes_are_told() {
    let wrong = build("wrong", |f| f.break_()).unwrap_err().to_string();
    assert!(
        wrong.starts_with("`wrong` cannot be built: ") && wrong.contains("alone.rs:"),
        "{wrong}"
    );
    assert!(wrong.ends_with("`break_` outside of a loop"), "{wrong}");
    let routine = collatz();
    let wrong = runtime()
        .launch(&routine)
        .unwrap()
        .args((1.0f32,))
        .run()
        .unwrap_err()
        .to_string();
    assert_eq!(
        wrong,
        "argument `n` of `collatz` is one `f32`, and a column `&[u32]` or one `u32` for all VMs is needed"
    );
    let wrong = runtime().launch(&routine).unwrap().run().unwrap_err().to_string();
    assert_eq!(wrong, "`collatz` takes 1 argument (n) and was given 0");
}
