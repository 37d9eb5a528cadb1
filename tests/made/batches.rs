//! A batch gives what each of its routines gives when it is launched alone, on every engine.

use std::time::{Duration, Instant};

use gpuvm::prelude::*;
use gpuvm::{Error, Routine, build};

use crate::{ENGINES, runtime};

#[routine]
fn wave(x: f32, shift: f32) -> f32 {
    (x + shift).sin()
}

#[routine]
fn numbered(x: f32, shift: f32) -> f32 {
    x + shift * vm::id() as f32 - vm::count() as f32
}

/// Polynomials of different degrees, so that programs have different lengths.
fn polynomials(count: usize) -> Vec<Routine> {
    let polynomial = |number: usize| {
        build(&format!("polynomial {number}"), |f| {
            let (x, shift) = (f.param::<f32>("x"), f.param::<f32>("shift"));
            let sum = f.variable("sum", shift);
            for degree in 0..number % 7 {
                sum.set(sum.get() * x + (number * degree) as f32);
            }
            f.if_(sum.get().lt(0.0), |_| sum.set(-sum.get() * 0.5));
            f.ret(sum.get());
        })
    };
    (0..count).map(|number| polynomial(number).unwrap()).collect()
}

#[test]
fn each_routine_runs_over_all_cases() {
    let mut routines = polynomials(40);
    // One of the binary, one that asks who it is, and the same one twice.
    routines.extend([
        Routine::of("wave").unwrap(),
        Routine::of("numbered").unwrap(),
        routines[3].clone(),
    ]);
    let x: Vec<f32> = (0..77).map(|i| i as f32 * 0.25 - 9.0).collect();
    for engine in ENGINES {
        let done = runtime()
            .batch(&routines)
            .unwrap()
            .args((&x, 1.5f32))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!((done.routines(), done.cases(), done.traps()), (43, 77, 0), "{engine}");
        let all: Vec<f32> = done.all().unwrap();
        for (number, routine) in routines.iter().enumerate() {
            let alone = runtime()
                .launch(routine)
                .unwrap()
                .args((&x, 1.5f32))
                .engine(Engine::Native)
                .run()
                .unwrap();
            let alone: Vec<f32> = alone.output().unwrap();
            assert_eq!(
                done.output::<f32>(number).unwrap(),
                alone,
                "{engine} {}",
                routine.name()
            );
            assert_eq!(all[number * 77..][..77], alone, "{engine} {}", routine.name());
        }
    }
}

#[test]
fn each_vm_runs_the_routine_that_it_chose() {
    let routines = polynomials(12);
    let x: Vec<f32> = (0..200).map(|i| i as f32 * 0.125 - 7.0).collect();
    let choice: Vec<u32> = (0..200).map(|vm| vm * 31 % 12).collect();
    for engine in ENGINES {
        let batch = runtime().batch(&routines).unwrap().choose(&choice).args((&x, -0.5f32));
        let found: Vec<f32> = batch.engine(engine).run().unwrap().all().unwrap();
        for (vm, found) in found.iter().enumerate() {
            let alone = runtime()
                .launch(&routines[choice[vm] as usize])
                .unwrap()
                .args((&x[vm..=vm], -0.5f32));
            let alone: Vec<f32> = alone.engine(Engine::Native).run().unwrap().output().unwrap();
            assert_eq!(*found, alone[0], "{engine} VM {vm}");
        }
    }
}

#[test]
fn slices_records_tables_and_calls_are_there_too() {
    let step = build("step", |f| {
        let x = f.param::<u32>("x");
        f.ret(f.table(&[3u32, 1, 4, 1, 5]).get(x % 5) + x);
    })
    .unwrap();
    let routines: Vec<Routine> = (0..9u32)
        .map(|number| {
            build("walk", |f| {
                let (x, all) = (f.param::<u32>("x"), f.slice::<u32>("all"));
                let seen = f.slice_mut::<u32>("seen");
                let at = f.variable("at", x);
                f.for_(0, number + 1, |f, turn| {
                    at.set(f.call::<u32>(&step, (at.get() + all.get(turn % all.len()),)));
                    seen.set(turn % 2, at.get());
                });
                let own = f.table(&[number, 100 + number]);
                f.ret((at.get(), own.get(at.get() % 2)));
            })
            .unwrap()
        })
        .collect();
    let (x, all): (Vec<u32>, Vec<u32>) = ((0..33).collect(), vec![9, 8, 7]);
    for engine in ENGINES {
        let mut seen = vec![0u32; 9 * 33 * 2];
        let done = runtime()
            .batch(&routines)
            .unwrap()
            .args((&x, &all, &mut seen))
            .engine(engine)
            .run()
            .unwrap();
        for (number, routine) in routines.iter().enumerate() {
            let mut own = vec![0u32; 66];
            let alone = runtime()
                .launch(routine)
                .unwrap()
                .args((&x, &all, &mut own))
                .engine(Engine::Native)
                .run();
            let alone: Vec<(u32, u32)> = alone.unwrap().output().unwrap();
            assert_eq!(done.output::<(u32, u32)>(number).unwrap(), alone, "{engine} {number}");
            assert_eq!(seen[number * 66..][..66], own, "{engine} {number}");
        }
    }
}

#[test]
fn a_trap_and_an_endless_loop_leave_the_others_alone() {
    let make = |number: u32| {
        build("fragile", move |f| {
            let x = f.param::<u32>("x");
            match number {
                2 => f.ret(f.constant(1000u32) / x),
                _ => f.ret(x + number),
            }
        })
        .unwrap()
    };
    let routines: Vec<Routine> = (0..5).map(make).collect();
    for engine in ENGINES {
        let done = runtime()
            .batch(&routines)
            .unwrap()
            .args((&[5u32, 0, 2, 0],))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(done.traps(), 2, "{engine}");
        let trap = done.first_trap().unwrap();
        assert_eq!((trap.routine, trap.case), (2, 1), "{engine}");
        assert_eq!(done.trapped(), [(2, 1)], "{engine}");
        let batch = || runtime().batch(&routines).unwrap().engine(engine).all_traps(true);
        let all = batch().args((&[5u32, 0, 2, 0],)).run().unwrap();
        assert_eq!(all.trapped(), [(2, 1), (2, 3)], "{engine}");
        let chosen = batch().args((&[0u32, 0, 7, 0],)).choose(&[2, 4, 2, 2]).run().unwrap();
        assert_eq!(chosen.trapped(), [(2, 0), (2, 3)], "{engine}");
        let folded = batch().args((&[0u32, 3, 0],)).fold("greatest").unwrap().run().unwrap();
        assert_eq!(folded.trapped(), [(2, 0), (2, 2)], "{engine}");
        assert_eq!(folded.traps(), 2, "{engine}");
        assert_eq!(trap.message, "attempt to divide by zero", "{engine}");
        assert_eq!(done.output::<u32>(2).unwrap(), [200, 0, 500, 0], "{engine}");
        assert_eq!(done.output::<u32>(4).unwrap(), [9, 4, 6, 4], "{engine}");
    }
    let endless = build("endless", |f| {
        let x = f.param::<u32>("x");
        let n = f.variable("n", x);
        f.while_(|_| n.get().ne(0), |_| n.set((n.get() ^ 5) | 2));
        f.ret(n.get());
    })
    .unwrap();
    let mixed = [routines[1].clone(), endless];
    for engine in ENGINES.into_iter().filter(|engine| *engine != Engine::Native) {
        let batch = runtime().batch(&mixed).unwrap().args((&[5u32, 0],)).engine(engine);
        let Err(Error::Budget(report)) = batch.budget(Budget::cycles(10_000)).run() else {
            panic!("{engine}: one has no end");
        };
        assert_eq!((report.vms, report.running), (4, 1), "{engine}");
        assert_eq!(report.done().output::<Vec<u32>>().unwrap()[..2], [6, 1], "{engine}");
    }
}

#[test]
fn what_cannot_be_a_batch_says_why() {
    let told = |batch: gpuvm::Result<gpuvm::Batch<'_>>| match batch {
        Err(error) => error.to_string(),
        Ok(batch) => batch.run().unwrap_err().to_string(),
    };
    let one = build("one", |f| {
        let x = f.param::<u32>("x");
        f.ret(x);
    })
    .unwrap();
    let none: [&Routine; 0] = [];
    assert_eq!(told(runtime().batch(none)), "the batch cannot run: it has no routines");
    let other = build("other", |f| {
        let x = f.param::<f32>("x");
        f.ret(x);
    })
    .unwrap();
    assert_eq!(
        told(runtime().batch([&one, &other])),
        "the batch cannot run: `one` is `fn(u32) -> u32`, and `other` is `fn(f32) -> f32`: all routines of a batch have one signature"
    );
    let batch = || runtime().batch([&one, &one]).unwrap();
    assert_eq!(told(Ok(batch())), "`one` takes 1 argument (x) and was given 0");
    assert_eq!(
        told(Ok(batch().args((7u32,)))),
        "the batch cannot run: nothing says how many cases there are; give a column with entries, or `.cases(n)`"
    );
    assert_eq!(
        told(Ok(batch().args((&[7u32],)).cases(2))),
        "argument `x` of `one` has 1 entry, and there are 2 VMs (`.cases(…)` says so)"
    );
    assert_eq!(
        told(Ok(batch().args((&[7u32, 8],)).choose(&[0, 2]))),
        "the batch cannot run: VM 1 is to run routine 2, and there are 2"
    );
    assert_eq!(
        told(Ok(batch().args((&[1.0f32],)))),
        "argument `x` of `one` is `&[f32]`, and `&[u32]` or `&Buffer<u32>` is needed"
    );
    let done = batch().args((7u32,)).cases(3).run().unwrap();
    assert_eq!(done.all::<u32>().unwrap(), [7; 6]);
    assert_eq!(
        done.output::<u32>(2).unwrap_err().to_string(),
        "the batch cannot run: there is no routine 2, only 2 of them"
    );
    assert!(matches!(done.output::<f32>(0), Err(Error::OutputType { .. })));
}

#[test]
fn a_batch_too_large_for_one_launch_takes_several() {
    // Each has some 70 instructions, and a launch a million.
    let long = build("long", |f| {
        let x = f.param::<u32>("x");
        let y = f.variable("y", x);
        for turn in 0..4000u32 {
            y.set((y.get() ^ turn) * y.get());
        }
        f.ret(y.get());
    })
    .unwrap();
    let routines = vec![long; 200];
    let done = runtime()
        .batch(&routines)
        .unwrap()
        .args((&[3u32, 4],))
        .engine(Engine::Reference)
        .run()
        .unwrap();
    let expected: Vec<u32> = [3u32, 4]
        .iter()
        .map(|x| (0..4000).fold(*x, |y: u32, turn| (y ^ turn).wrapping_mul(y)))
        .collect();
    assert!(done.stats().unwrap().batches > 1);
    for number in [0, 57, 199] {
        assert_eq!(done.output::<u32>(number).unwrap(), expected);
    }
}

#[routine]
fn mix(a: f32, b: f32) -> f32 {
    a * 0.75 + b
}

#[test]
fn results_are_folded_in_an_order_that_is_told() {
    let routines = polynomials(30);
    for cases in [1usize, 5, 256, 600] {
        let x: Vec<f32> = (0..cases).map(|i| (i * 37 % 91) as f32 * 0.03 - 1.3).collect();
        let expected: Vec<f32> = routines
            .iter()
            .map(|routine| {
                let alone = runtime()
                    .launch(routine)
                    .unwrap()
                    .args((&x, 0.25f32))
                    .engine(Engine::Native)
                    .run()
                    .unwrap();
                let all: Vec<f32> = alone.output().unwrap();
                let lanes =
                    (0..cases.min(256)).map(|lane| all.iter().skip(lane).step_by(256).copied().reduce(mix).unwrap());
                lanes.reduce(mix).unwrap()
            })
            .collect();
        for engine in ENGINES {
            let batch = runtime()
                .batch(&routines)
                .unwrap()
                .args((&x, 0.25f32))
                .fold("mix")
                .unwrap();
            let done = batch.engine(engine).run().unwrap();
            assert_eq!((done.routines(), done.cases()), (30, 1), "{engine}");
            assert_eq!(done.all::<f32>().unwrap(), expected, "{engine} {cases}");
            assert_eq!(done.output::<f32>(7).unwrap(), expected[7..8], "{engine} {cases}");
        }
    }
    let wrong = runtime()
        .batch(&routines)
        .unwrap()
        .args((&[1.0f32], 0.0f32))
        .fold("wave")
        .unwrap();
    assert!(wrong.run().is_ok(), "`wave` is an operator of floats");
    let one = build("count", |f| {
        let x = f.param::<f32>("x");
        f.ret(x.cast::<u32>());
    })
    .unwrap();
    let wrong = runtime()
        .batch([&one])
        .unwrap()
        .args((&[1.0f32],))
        .fold("wave")
        .unwrap();
    assert_eq!(
        wrong.run().unwrap_err().to_string(),
        "the batch cannot run: its results are folded by a routine `fn(u32, u32) -> u32`, and `wave` is `fn(f32, f32) -> f32`"
    );
}

#[routine]
fn greatest(a: u32, b: u32) -> u32 {
    a.max(b)
}

/// Routines with tables and branches. Each may divide by 0 where its case is its number.
fn sieves(from: u32, count: u32) -> Vec<Routine> {
    let sieve = |number: u32| {
        build(&format!("sieve {number}"), |f| {
            let x = f.param::<u32>("x");
            let steps = f.table(&[number + 1, 3, 2 * number + 7]);
            let sum = f.variable("sum", x * steps.get(x % 3) + number);
            f.if_(sum.get().ge(20), |_| sum.set(sum.get() / (x ^ number)));
            f.ret(sum.get());
        })
    };
    (from..from + count).map(|number| sieve(number).unwrap()).collect()
}

#[test]
fn what_comes_again_and_again_is_compiled_whole() {
    let routines = sieves(0, 3);
    let x: Vec<u32> = (0..500).map(|i| i * i % 97).collect();
    let choice: Vec<u32> = (0..500).map(|vm| vm * 31 % 13 % 3).collect();
    let batch = |form| {
        let batch = runtime().batch(&routines).unwrap().args((&x,));
        match form {
            "chosen" => batch.choose(&choice),
            "folded" => batch.fold("greatest").unwrap(),
            _ => batch,
        }
    };
    for form in ["in rows", "chosen", "folded"] {
        let expected = batch(form).engine(Engine::Interpreter).run().unwrap();
        let mut engines = Vec::new();
        let begin = Instant::now();
        // As a user would, who has batches to run. A CPU that plays the device takes its time over the kernel.
        while engines.last() != Some(&Engine::Specialized) && begin.elapsed() < Duration::from_secs(120) {
            let done = batch(form).run().unwrap();
            assert_eq!(
                done.all::<u32>().unwrap(),
                expected.all::<u32>().unwrap(),
                "{form} {engines:?}"
            );
            assert_eq!(done.traps(), expected.traps());
            assert_eq!(done.first_trap(), expected.first_trap());
            engines.push(done.stats().unwrap().engine);
        }
        assert_eq!(engines[..2], [Engine::Interpreter; 2], "{form}");
        assert_eq!(engines.last(), Some(&Engine::Specialized), "{form} {engines:?}");
    }
}

#[test]
fn what_comes_again_among_others_is_compiled_by_itself() {
    let cases = 1 << 17;
    let x: Vec<u32> = (0..cases).map(|i: u32| i.wrapping_mul(0x9e37_79b9) % 41).collect();
    let old = sieves(0, 3);
    let mut engines = Vec::new();
    let begin = Instant::now();
    for turn in 0u32.. {
        // New ones around and between the old.
        let mut routines = sieves(3 + 4 * turn, 4);
        for (place, old) in [(0, &old[0]), (3, &old[1]), (6, &old[2])] {
            routines.insert(place, old.clone());
        }
        let batch = || runtime().batch(&routines).unwrap().args((&x,));
        let done = batch().run().unwrap();
        let expected = batch().engine(Engine::Native).run().unwrap();
        assert_eq!(
            done.all::<u32>().unwrap(),
            expected.all::<u32>().unwrap(),
            "{engines:?}"
        );
        for routine in 0..7 {
            assert_eq!(
                done.output::<u32>(routine).unwrap(),
                expected.output::<u32>(routine).unwrap()
            );
        }
        assert_eq!(done.traps(), expected.traps());
        assert_eq!(done.first_trap(), expected.first_trap(), "{engines:?}");
        engines.push(done.stats().unwrap().engine);
        if engines.last() == Some(&Engine::Specialized) || begin.elapsed() > Duration::from_secs(120) {
            break;
        }
    }
    assert_eq!(engines[..2], [Engine::Interpreter; 2]);
    assert_eq!(engines.last(), Some(&Engine::Specialized), "{engines:?}");
}
