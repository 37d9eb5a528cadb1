//! Sessions: limits, breakpoints, images, steps, data that stays, and several at a time.

use std::time::Duration;

use gpuvm_engine::{
    Check, CheckOp, Copy, Dispatch, Engine, Guard, Image, Operand, Region, Running, Span, StopAt, Tally, Then,
};
use gpuvm_shaders::layout::{WORKGROUP, step};

use super::control::{countdown, sums, with_finish};
use super::*;

/// What a job ends with.
type End = (Vec<u32>, Vec<u32>, Option<TrapRecord>);

fn end(mut running: Box<dyn Running>) -> End {
    let arena = running.memory().unwrap().arena;
    let finished = running.finish().unwrap();
    assert!(arena.ends_with(&finished.changed));
    (arena, finished.atomics, finished.first_trap)
}

fn to_end(running: &mut dyn Running, limit: &Limit) -> Tally {
    loop {
        let tally = running.advance(limit, &mut |_| {}).unwrap();
        if tally.running + tally.yielded == 0 {
            return tally;
        }
    }
}

/// VMs of different length that yield, call atomics, use frames, and in part trap.
fn mixed() -> Batch {
    mixed_from(5)
}

/// The same, which count down from so much or more.
fn mixed_from(first: u32) -> Batch {
    let mut code = countdown(1, first);
    code.extend([
        op(Op::StoreFrame, [10, 20, 0, 0]),
        op(Op::Yield, [0; 4]),
        op(Op::VmId, [3, 0, 0, 0]),
        op(Op::AndImm, [3, 3, 15, 0]),
        op(Op::AddImm, [4, 3, u32::MAX - 8, 0]),
        op(Op::AtomicAdd, [5, 6, 3, 0]),
        op(Op::JumpIf, [14, 4, 0, 0]),
        op(Op::TrapIf, [0, 3, 10, 3]),
        op(Op::LoadFrame, [11, 20, 0, 0]),
        op(Op::Add, [10, 10, 11, 0]),
    ]);
    code[3] = op(Op::JumpUnless, [7, 2, 0, 0]);
    job(with_finish(code), &[], 0, 1, 300)
}

fn limit_of(cycles: u64) -> Limit {
    Limit {
        cycles: Some(cycles),
        ..Limit::default()
    }
}

#[test]
fn any_split_of_cycles_gives_the_same_end() {
    for engine in engines() {
        let mut expected = mixed();
        let wanted = reference(&mut expected);
        assert!(wanted.traps > 0);
        let mut random = Random(3);
        for dispatch in [Dispatch::Standard, Dispatch::Continuous, Dispatch::Mega] {
            for scale in [2, 10, 100_000] {
                let mut running = mixed().start(engine).unwrap();
                let mut tally = Tally::default();
                while tally.batches == 0 || tally.running + tally.yielded > 0 {
                    let limit = Limit {
                        dispatch,
                        slice: Some(Duration::from_millis(u64::from(random.below(3)))),
                        ..limit_of(u64::from(1 + random.below(30) * scale))
                    };
                    tally = running.advance(&limit, &mut |_| {}).unwrap();
                }
                assert_eq!(
                    (tally.retired, u64::from(tally.trapped)),
                    (wanted.retired, wanted.traps)
                );
                let found = end(running);
                assert_eq!(
                    found,
                    (expected.arena.clone(), expected.atomics.clone(), wanted.first_trap)
                );
            }
        }
    }
}

#[test]
fn few_vms_of_many_epochs_are_the_interpreters() {
    for (vms, start, left) in [(5, 9_000, true), (5, 100, false), (1_025, 100, false)] {
        let batch = || job(with_finish(countdown(1, start)), &[], 0, 1, vms);
        let mut expected = batch();
        let wanted = reference(&mut expected);
        let mut epochs = 0;
        for engine in engines() {
            let mut running = batch().start(engine).unwrap();
            let tally = to_end(&mut *running, &Limit::default());
            if let Some(counted) = tally.epochs {
                let (ended, left_after) = match left {
                    true => (Engine::Interpreter, Some(counted)),
                    false => (Engine::Epoch, None),
                };
                assert_eq!((tally.engine, tally.left_after), (ended, left_after));
                assert_eq!(tally.retired, wanted.retired);
                epochs += counted;
            }
            assert_eq!(end(running).0, expected.arena);
        }
        let least = if left { 1_000 } else { u64::from(start) / 2 };
        assert!(epochs > least, "{epochs}");
    }
}

#[test]
fn cycles_are_exact() {
    for engine in engines() {
        let program = Arc::new(with_finish(countdown(1000, 50)));
        let batch = job((*program).clone(), &[], 0, 1, 70);
        let mut running = batch.clone().start(engine).unwrap();
        let mut vms: Vec<Vm> = (0..70).map(|vm| Vm::new(&program, vm)).collect();
        let mut expected = batch.clone();
        for cycles in [1, 2, 17, 5000, 40_000] {
            running.advance(&limit_of(cycles), &mut |_| {}).unwrap();
            let slots: Vec<_> = expected.slots.iter().map(|slot| slot.place).collect();
            let mut memory = Memory {
                arena: &mut expected.arena,
                atomics: &mut expected.job.atomics,
                params: &slots,
                vm_count: 70,
                first_vm: 0,
            };
            interp::run_all(&program, &mut memory, &mut vms, Some(cycles));
            for (index, vm) in (0..).zip(&vms) {
                if index % 9 == 0 {
                    assert_eq!(running.vm(index).unwrap(), *vm);
                }
            }
            assert_eq!(
                running.image().unwrap().records,
                vms.iter().flat_map(|vm| vm.state).collect::<Vec<_>>()
            );
            assert_eq!(running.memory().unwrap().arena, expected.arena);
        }
    }
}

#[test]
fn a_time_limit_lets_go() {
    for engine in engines() {
        let forever = vec![op(Op::AddImm, [2, 2, 1, 0]), op(Op::Jump, [0; 4])];
        let mut running = job(program(forever, Store::default()), &[], 0, 1, 10)
            .start(engine)
            .unwrap();
        for dispatch in [Dispatch::Standard, Dispatch::Continuous, Dispatch::Mega] {
            let limit = Limit {
                time: Some(Duration::from_millis(30)),
                dispatch,
                ..Limit::default()
            };
            let mut looks = 0;
            let tally = running.advance(&limit, &mut |_| looks += 1).unwrap();
            assert_eq!((tally.running, tally.halted), (10, 0));
            assert!(looks > 0);
        }
    }
}

#[test]
fn an_image_goes_on_elsewhere() {
    for engine in engines() {
        let mut expected = mixed();
        let wanted = reference(&mut expected);
        let mut random = Random(11);
        for _ in 0..6 {
            let mut first = mixed().start(engine).unwrap();
            for _ in 0..random.below(4) {
                first
                    .advance(&limit_of(u64::from(random.below(450))), &mut |_| {})
                    .unwrap();
            }
            let image: Image = first.image().unwrap();
            let memory = first.memory().unwrap();
            let mut batch = mixed();
            batch.arena = memory.arena;
            batch.atomics = memory.atomics;
            let mut second = batch.start(engine).unwrap();
            second.restore(&image).unwrap();
            assert_eq!(second.image().unwrap(), image);
            to_end(&mut *second, &Limit::default());
            let found = end(second);
            assert_eq!(
                found,
                (expected.arena.clone(), expected.atomics.clone(), wanted.first_trap)
            );
        }
    }
}

#[test]
fn deep_frames_go_on_elsewhere() {
    let batch = || job(control::sums(380), &[], 0, 1, 40);
    let mut expected = batch();
    let wanted = reference(&mut expected);
    for engine in engines() {
        // A budget of instructions is exact although frames grow, and all VMs are where the reference has them.
        let mut first = batch().start(engine).unwrap();
        let program = batch().job.program;
        let mut vms: Vec<Vm> = (0..40).map(|vm| Vm::new(&program, vm)).collect();
        for cycles in [40, 1500] {
            first.advance(&limit_of(cycles), &mut |_| {}).unwrap();
            let mut own = batch();
            let slots: Vec<_> = own.slots.iter().map(|slot| slot.place).collect();
            let mut memory = Memory {
                arena: &mut own.arena,
                atomics: &mut own.job.atomics,
                params: &slots,
                vm_count: 40,
                first_vm: 0,
            };
            interp::run_all(&program, &mut memory, &mut vms, Some(cycles));
            assert_eq!(first.vm(39).unwrap(), vms[39]);
        }
        let mut image = Image::default();
        vms.iter().for_each(|vm| image.push(&program, vm));
        assert_eq!(first.image().unwrap(), image);
        for other in engines() {
            let mut second = batch().start(other).unwrap();
            second.restore(&image).unwrap();
            assert_eq!(second.image().unwrap(), image);
            to_end(&mut *second, &Limit::default());
            assert_eq!(
                end(second),
                (expected.arena.clone(), expected.atomics.clone(), wanted.first_trap)
            );
        }
    }
}

#[test]
fn an_image_of_other_vms_is_refused() {
    for engine in engines() {
        let mut running = mixed().start(engine).unwrap();
        assert!(running.restore(&Image::default()).is_err());
        assert!(running.vm(300).is_err());
    }
}

#[test]
fn vms_stop_in_front_of_breakpoints() {
    for engine in engines() {
        let batch = || job(with_finish(countdown(1, 2)), &[], 0, 1, 10);
        let mut expected = batch();
        reference(&mut expected);
        let mut running = batch().start(engine).unwrap();
        let limit = Limit {
            breakpoints: [4, 9].map(StopAt::every).to_vec(),
            ..Limit::default()
        };
        let mut stops = 0;
        loop {
            let tally = running.advance(&limit, &mut |_| {}).unwrap();
            if tally.running == 0 {
                break;
            }
            assert_eq!(tally.at_breakpoint, tally.running);
            for index in 0..10 {
                let vm = running.vm(index).unwrap();
                assert!(vm.status() != Status::Running || [4, 9].contains(&vm.ip()));
            }
            stops += 1;
        }
        // VM 9 counts from 11 down to 1, and then stops once more.
        assert_eq!(stops, 12);
        assert_eq!(end(running).0, expected.arena);
    }
}

#[test]
fn guards_of_the_interpreter_change_nothing_of_vms_that_pass() {
    let check = |left, right| Check {
        op: CheckOp::Eq,
        left,
        right,
        then: Then::PassUnless,
    };
    // One that a range of a word decides, one that is asked, and one whose range decides for hardly any VM.
    let never = [
        vec![check(Operand::Word(2), Operand::Constant(0xdead_beef))],
        vec![check(Operand::VmId, Operand::Constant(1000))],
        vec![
            Check {
                op: CheckOp::LeU,
                ..check(Operand::Word(2), Operand::Constant(u32::MAX))
            },
            check(Operand::VmCount, Operand::Constant(7)),
        ],
    ];
    let jobs = [
        || mixed_from(3000),
        || job(sums(60), &[], 0, 1, 40),
        || job(with_finish(countdown(7, 0)), &[], 0, 1, 300),
    ];
    let interpreter = opened()
        .engines
        .iter()
        .find(|(engine, _)| *engine == Engine::Interpreter);
    let (_, engine) = interpreter.unwrap();
    for batch in jobs {
        let mut expected = batch();
        let wanted = reference(&mut expected);
        let count = expected.program.code.len() as u32;
        let mut plain = batch().start(&**engine).unwrap();
        let alone = to_end(&mut *plain, &Limit::default());
        for checks in &never {
            let stop = |instruction| StopAt {
                instruction,
                guard: Guard::new(checks.clone()),
            };
            let mut limit = Limit {
                breakpoints: (0..count).map(stop).collect(),
                stays: true,
                ..Limit::default()
            };
            let mut advances = 0;
            let mut running = batch().start(&**engine).unwrap();
            let tally = loop {
                // At first by the shortest submissions, which leave VMs wherever they are.
                limit.time = (advances < 40).then_some(Duration::ZERO);
                advances += 1;
                let tally = running.advance(&limit, &mut |_| {}).unwrap();
                assert_eq!(tally.at_breakpoint, 0);
                for index in [0, 17] {
                    assert!(running.vm(index).unwrap().ip() < count);
                }
                if tally.running + tally.yielded == 0 {
                    break tally;
                }
            };
            assert_eq!(tally.retired, alone.retired);
            assert_eq!(
                end(running),
                (expected.arena.clone(), expected.atomics.clone(), wanted.first_trap)
            );
        }
    }
}

/// Adds the first word of the slice that parameter 0 names to the VM's own word, which parameter 1 names.
fn add_first() -> Program {
    let code = vec![
        op(Op::Imm, [0, 1, 0, 0]),
        op(Op::Param, [1, 0, 0, 0]),
        op(Op::Param, [2, 1, 0, 0]),
        op(Op::Load, [3, 0, 1, 0]),
        op(Op::Load, [4, 0, 2, 0]),
        op(Op::Add, [4, 4, 3, 0]),
        op(Op::AddImm, [4, 4, 1, 0]),
        op(Op::Store, [4, 0, 2, 0]),
        op(Op::Halt, [0; 4]),
    ];
    program(code, Store::default())
}

#[test]
fn steps_see_what_the_step_before_has_left() {
    for engine in engines() {
        // A loop, though nobody gets there, keeps steps from being put in one submission.
        let mut looping = add_first();
        looping.code.push(op(Op::Jump, [9, 0, 0, 0]));
        looping.places.push(SITE_PLACE);
        let looping = || looping.clone();
        // 300 steps are more than one submission takes.
        let rows = [
            (1, add_first()),
            (7, add_first()),
            (300, add_first()),
            (1, looping()),
            (7, looping()),
            (40, looping()),
        ];
        for (steps, program) in rows {
            let mut batch = job(program, &[5, 0], 0, 1, 100);
            batch.steps = steps;
            batch.copies = vec![Copy {
                from: Span { region: None, start: 2 },
                to: Span { region: None, start: 0 },
                words: 1,
            }];
            let mut running = batch.start(engine).unwrap();
            let tally = running.advance(&Limit::default(), &mut |_| {}).unwrap();
            assert_eq!((tally.steps, tally.halted), (steps, 100));
            // The first VM doubles and adds one, and the others follow it: all begin at 0.
            let expected = (0..steps).fold(0_u32, |word, _| word.wrapping_mul(2).wrapping_add(1));
            assert!(
                end(running).0[2..].iter().all(|&word| word == expected),
                "{steps} steps"
            );
        }
    }
}

#[test]
fn any_number_of_words_is_copied_before_a_step() {
    let each = WORKGROUP * step::WORDS;
    for words in [1, 63, 65, each - 1, each, each + 1, 3 * each + 100] {
        let mut random = Random(words);
        let input: Vec<u32> = (0..words).map(|_| random.next()).collect();
        let idle = program(vec![op(Op::Halt, [0; 4])], Store::default());
        // Behind what is copied there are words that stay 0.
        let mut batch = job(idle, &input, words, words + 100, 1);
        batch.copies = vec![Copy {
            from: Span { region: None, start: 0 },
            to: Span {
                region: None,
                start: words,
            },
            words,
        }];
        let mut running = batch.start(engines()[0]).unwrap();
        running.advance(&Limit::default(), &mut |_| {}).unwrap();
        let (arena, ..) = end(running);
        let [first, second, rest] = [0..words, words..2 * words, 2 * words..2 * words + 100]
            .map(|range| &arena[range.start as usize..range.end as usize]);
        assert!(first == input && second == input, "{words} words");
        assert!(rest.iter().all(|&word| word == 0), "{words} words");
    }
}

#[test]
fn a_trap_ends_the_row_of_steps() {
    for engine in engines() {
        // Every step adds 1 to the VM's word; VM 3 traps when it has got to 4.
        let code = vec![
            op(Op::Imm, [0, 1, 0, 0]),
            op(Op::Param, [1, 1, 0, 0]),
            op(Op::Load, [2, 0, 1, 0]),
            op(Op::AddImm, [2, 2, 1, 0]),
            op(Op::Store, [2, 0, 1, 0]),
            op(Op::VmId, [3, 0, 0, 0]),
            op(Op::XorImm, [3, 3, 3, 0]),
            op(Op::XorImm, [4, 2, 4, 0]),
            op(Op::Or, [3, 3, 4, 0]),
            op(Op::Imm, [5, 0, 0, 0]),
            op(Op::Eq, [3, 3, 5, 0]),
            op(Op::TrapIf, [0, 3, 2, NO_WORD]),
            op(Op::Halt, [0; 4]),
        ];
        let mut batch = job(program(code, Store::default()), &[], 0, 1, 200);
        batch.steps = 50;
        let mut running = batch.start(engine).unwrap();
        let tally = running.advance(&Limit::default(), &mut |_| {}).unwrap();
        assert_eq!((tally.steps, tally.trapped, tally.halted), (3, 1, 199));
        let (arena, _, trap) = end(running);
        assert!(arena.iter().all(|&word| word == 4), "{arena:?}");
        assert_eq!(trap.map(|trap| (trap.vm, trap.words[0])), Some((3, 4)));
    }
}

fn region(words: &[u32]) -> Region {
    region_of(engines()[0], words)
}

/// The same where a test has several threads, each of which would get a device of its own.
fn region_of(engine: &dyn Execute, words: &[u32]) -> Region {
    let memory = engine.memory().unwrap();
    let region = memory.allocate(words.len() as u64).unwrap();
    memory.write(&region, &words).unwrap();
    region
}

#[test]
fn a_device_has_one_memory() {
    let memory = engines()[0].memory().unwrap();
    for engine in engines() {
        assert!(Arc::ptr_eq(&memory, &engine.memory().unwrap()));
    }
}

#[test]
fn data_that_stays_is_seen_by_every_launch() {
    for engine in engines() {
        let memory = engine.memory().unwrap();
        let data: Vec<u32> = (0..1000).collect();
        let own = region(&data);
        for round in 1..4 {
            // Others come and go, and let the memory grow.
            let others: Vec<_> = (0..round).map(|i| region(&vec![i; 300_000])).collect();
            let mut batch = job(add_first(), &[round], 0, 1, 1000);
            batch.slots[1].region = Some(own.clone());
            batch.slots[1].place.base = 0;
            let mut running = batch.start(engine).unwrap();
            to_end(&mut *running, &Limit::default());
            running.finish().unwrap();
            for (i, other) in (0..).zip(&others) {
                assert!(memory.read(other).unwrap().iter().all(|&word| word == i));
            }
        }
        let found = memory.read(&own).unwrap();
        assert!(
            found
                .iter()
                .zip(&data)
                .all(|(found, before)| *found == before + 1 + 2 + 3 + 3)
        );
    }
}

#[test]
fn jobs_that_were_begun_follow_each_other() {
    // Three times the VM's own word, and the first word of what the job is given.
    let mut times = add_first();
    times.code[6] = op(Op::MulImm, [4, 4, 3, 0]);
    times.code.swap(5, 6);
    for engine in engines() {
        let data: Vec<u32> = (0..1000).collect();
        let own = region(&data);
        let begin = |given: u32| {
            let mut batch = job(times.clone(), &[given], 0, 1, 1000);
            batch.slots[1].region = Some(own.clone());
            batch.slots[1].place.base = 0;
            let mut running = batch.start(engine).unwrap();
            assert!(running.begin(64).unwrap());
            running
        };
        let begun: Vec<_> = [1, 2, 3].map(begin).into();
        // Whoever is looked at first.
        for mut running in begun.into_iter().rev() {
            let tally = to_end(&mut *running, &Limit::default());
            assert_eq!((tally.halted, tally.trapped), (1000, 0));
            running.finish().unwrap();
        }
        let found = engine.memory().unwrap().read(&own).unwrap();
        let expected = data.iter().map(|word| ((word * 3 + 1) * 3 + 2) * 3 + 3);
        assert!(found.iter().copied().eq(expected));
    }
}

#[test]
fn atomics_that_stay_are_filled_and_copied_back() {
    for engine in engines() {
        let bins = region(&[100, 200]);
        let code = vec![
            op(Op::Imm, [2, 1, 0, 0]),
            op(Op::AtomicAdd, [4, 2, 2, 0]),
            op(Op::Halt, [0; 4]),
        ];
        let mut batch = job(program(code, Store::default()), &[], 0, 1, 64);
        batch.atomics = vec![0; 3];
        batch.atomic_regions = vec![(1, bins.clone())];
        let mut running = batch.start(engine).unwrap();
        to_end(&mut *running, &Limit::default());
        assert_eq!(end(running).1, [0, 164, 200]);
        assert_eq!(*engine.memory().unwrap().read(&bins).unwrap(), [164, 200]);
    }
}

#[test]
fn several_threads_share_the_device() {
    for engine in engines() {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for round in 0..6 {
                        let data = vec![thread * 100 + round; 5000 * (round as usize + 1)];
                        let own = region_of(engine, &data);
                        let mut batch = job(add_first(), &[7], 0, 1, 5000);
                        batch.slots[1].region = Some(own.clone());
                        batch.slots[1].place.base = 0;
                        let mut running = batch.start(engine).unwrap();
                        check(engine, mixed_without_yield());
                        to_end(&mut *running, &Limit::default());
                        running.finish().unwrap();
                        let found = engine.memory().unwrap().read(&own).unwrap();
                        assert!(found[..5000].iter().all(|&word| word == data[0] + 8));
                        assert_eq!(found[5000..], data[5000..]);
                    }
                });
            }
        });
    }
}

fn mixed_without_yield() -> Batch {
    job(with_finish(countdown(3, 1)), &[], 0, 1, 200)
}

#[test]
fn what_is_too_large_is_out_of_memory() {
    let memory = engines()[0].memory().unwrap();
    let error = memory.allocate(u64::from(u32::MAX)).unwrap_err();
    assert!(matches!(error, gpuvm_engine::Error::OutOfMemory { .. }), "{error}");
}

#[test]
fn large_arenas_come_and_go_whole() {
    for engine in engines() {
        let vms = 500_000;
        let input: Vec<u32> = (0..vms * 2).map(|i| (i * 77) | 1).collect();
        let code = vec![
            op(Op::Imm, [0, 1, 0, 0]),
            op(Op::Param, [1, 0, 0, 0]),
            op(Op::Load, [2, 0, 1, 0]),
            op(Op::Load, [3, 0, 1, 1]),
            op(Op::Add, [2, 2, 3, 0]),
            op(Op::Param, [1, 1, 0, 0]),
            op(Op::Store, [2, 0, 1, 0]),
            op(Op::Halt, [0; 4]),
        ];
        let mut program = program(code, Store::default());
        program.frame_words = 0;
        let mut running = job(program, &input, 2, 1, vms).start(engine).unwrap();
        to_end(&mut *running, &Limit::default());
        let image = running.image().unwrap();
        assert!(
            image
                .records
                .chunks_exact(32)
                .zip(0..)
                .all(|(record, id)| record[2] == id && record[1] == 3)
        );
        running.restore(&image).unwrap();
        assert_eq!(running.image().unwrap(), image);
        let (arena, ..) = end(running);
        let results = &arena[input.len()..];
        assert!(
            results
                .iter()
                .zip(input.chunks_exact(2))
                .all(|(sum, pair)| *sum == pair[0].wrapping_add(pair[1]))
        );
    }
}
