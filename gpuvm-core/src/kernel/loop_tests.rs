//! Kernels whose VMs go through many elements: the order that [`super`] gives.

use std::sync::PoisonError;
use std::sync::atomic::AtomicU32;

use super::routines::*;
use super::testing::*;
use super::*;
use crate::isa::Op;
use crate::link::testing::{Callees, TURN, leak, result, routine, u32s};
use crate::link::tests::{all_settings, i};
use crate::routine::Routine;
use crate::settings::Settings;

/// Sizes around the number of VMs or the chunk's size.
const SIZES: [u32; 9] = [1, 2, 6, 7, 8, 13, 14, 15, 31];

#[test]
fn a_fold_has_the_order_that_it_says() {
    let calls = vec![call(step(), vec![Input::Element(0)])];
    let kernel = |op, value| {
        over(vec![types::<&mut u32>()], calls.clone(), {
            let partial = output(value, 1);
            Then::Reduce { op, partial }
        })
    };
    for (n, vms) in SIZES
        .into_iter()
        .flat_map(|n| [(n, 1), (n, 7.min(n)), (n, n), (n, n + 3)])
    {
        let args = [
            Argument::whole(&numbers(n), 1),
            Argument::own(&vec![9; vms as usize], 1),
        ];
        let (left, _) = agree(
            &kernel(Fold::Routine(mix().into()), Input::Call(0)),
            &args,
            vms,
            &all_settings(),
        );
        assert_eq!(
            left[1].words.iter().filter(|&&word| word != 9).count(),
            vms.min(n) as usize
        );
        let element = |k: u32| {
            numbers(n)[k as usize]
                .wrapping_mul(3)
                .wrapping_add(k)
                .wrapping_add(1000 * n)
        };
        let folded = (0..n).step_by(vms as usize).map(element);
        assert_eq!(left[1].words[0], folded.reduce(|a, b| a.wrapping_mul(31) ^ b).unwrap());
        agree(
            &kernel(Fold::Add, Input::Element(0)),
            &args,
            vms,
            &[Settings::default()],
        );
    }
}

#[test]
fn elements_of_ones_own_are_folded_without_a_loop() {
    let kernel = |chunk| {
        over(vec![types::<&mut u32>()], vec![], {
            let (op, partial) = (Fold::Routine(mix().into()), output(Input::Element(0), 1));
            Then::ReduceOwn { op, partial, chunk }
        })
    };
    for (n, chunk) in [(1, 1), (6, 6), (9, 6), (5, 6)] {
        let columns = Argument {
            stride: n,
            length: n,
            ..Argument::whole(&numbers(3 * n), 1)
        };
        let args = [columns, Argument::own(&[9; 3], 1)];
        let (left, _) = agree(&kernel(chunk), &args, 3, &all_settings());
        let own = |vm: u32| numbers(3 * n).into_iter().skip((vm * n) as usize).take(chunk as usize);
        let folded = |vm| own(vm).reduce(|a, b| a.wrapping_mul(31) ^ b);
        for (vm, word) in (0..3).zip(&left[1].words) {
            assert_eq!(
                Some(*word),
                if n < chunk { Some(9) } else { folded(vm) },
                "{n} by {chunk}"
            );
        }
        let program = program(&kernel(chunk), &Settings::default());
        assert!(program.estimated_epochs().is_some(), "it has no loop");
    }
}

#[test]
fn spans_are_folded_as_their_routine_says() {
    let kernel = |step| {
        let params = vec![types::<&[u32]>(), types::<&mut u32>()];
        over(params, vec![call(self::step(), vec![Input::Element(0)])], {
            let (op, partial) = (Fold::Routine(mix().into()), output(Input::Call(0), 2));
            let span = call(span(), vec![Input::Param(1), Input::Constant(vec![step])]);
            Then::ReduceSpans {
                op,
                partial,
                span,
                rolled: false,
            }
        })
    };
    let bounds = [0, 9, 9, 10, 31, 25, 30];
    for step in [1, 2, 7, 40] {
        let args = [
            Argument::whole(&numbers(31), 1),
            Argument::whole(&bounds, 1),
            Argument::own(&[9; 6], 1),
        ];
        let (left, _) = agree(&kernel(step), &args, 6, &all_settings());
        let element = |k: u32| numbers(31)[k as usize].wrapping_mul(3).wrapping_add(k + 31_000);
        for (vm, word) in (0..6).zip(&left[2].words) {
            let indices = (bounds[vm]..bounds[vm + 1]).step_by(step as usize);
            let folded = indices.map(element).reduce(|a, b| a.wrapping_mul(31) ^ b);
            assert_eq!(*word, folded.unwrap_or(9), "VM {vm} by {step}");
        }
    }
    let mut wrong = kernel(1);
    if let Some(Then::ReduceSpans { span, .. }) = &mut wrong.then {
        span.args[1] = Input::Element(0);
    }
    assert_eq!(refused(&wrong), "the span depends on an element");
}

#[test]
fn trapping_lanes_say_where() {
    let kernel = over(vec![types::<&mut u32>()], vec![], {
        let (op, partial) = (Fold::Routine(mix().into()), output(Input::Element(0), 1));
        Then::Reduce { op, partial }
    });
    let mut words = numbers(40);
    words[13] = 77;
    let args = [Argument::whole(&words, 1), Argument::own(&[9; 5], 1)];
    let (left, traps) = agree(&kernel, &args, 5, &all_settings());
    assert_eq!((left[1].words[3], traps.len()), (9, 1));
    assert_eq!((traps[0].vm, traps[0].routine.as_str(), traps[0].line), (3, "mix", 2));
}

#[test]
fn slices_and_atomics_are_handed_on_to_every_element() {
    // fn count(all: &[u32], x: u32, bins: &[AtomicU32]) -> u32 { bins[x % 2].fetch_add(x); all[x % 4] }
    let code = vec![
        i(Op::AndImm, 7, 3, 1, 0),
        i(Op::Add, 7, 5, 7, 0),
        i(Op::AtomicAdd, 8, 7, 3, 0),
        i(Op::AndImm, 7, 3, 3, 0),
        i(Op::Add, 7, 1, 7, 0),
        i(Op::Load, 7, 0, 7, 0),
        ret(7),
    ];
    let params = vec![types::<&[u32]>(), types::<u32>(), types::<&[AtomicU32]>()];
    let count = leak(routine("count", params, result::<u32>(), 9, code, vec![]));
    let args = vec![Input::Param(1), Input::Element(0), Input::Param(2)];
    let params = vec![types::<&[u32]>(), types::<&[AtomicU32]>(), types::<&mut u32>()];
    let kernel = over(params, vec![call(count, args)], {
        let (op, partial) = (Fold::Routine(mix().into()), output(Input::Call(0), 3));
        Then::Reduce { op, partial }
    });
    let args = [
        Argument::whole(&numbers(23), 1),
        Argument::whole(&[5, 6, 7, 8], 1),
        Argument::atomics(&[1000, 2000]),
        Argument::own(&[9; 3], 1),
    ];
    let (left, _) = agree(&kernel, &args, 3, &all_settings());
    let sum: u32 = numbers(23).iter().sum();
    assert_eq!(left[2].words.iter().sum::<u32>(), 3000 + sum);
}

#[test]
fn operators_of_several_words_scan_in_chunks() {
    let calls = || vec![call(split(), vec![Input::Element(0)])];
    let pairs = || Fold::Routine(compose().into());
    for (n, chunk) in SIZES.into_iter().flat_map(|n| [(n, 1), (n, 7), (n, 40)]) {
        let chunks = n.div_ceil(chunk);
        let reduce = over(vec![types::<&mut (u32, u32)>()], calls(), {
            let partial = output(Input::Call(0), 1);
            Then::ReduceChunks {
                op: pairs(),
                partial,
                chunk,
            }
        });
        let args = [
            Argument::whole(&numbers(n), 1),
            Argument::own(&vec![9; 2 * chunks as usize], 2),
        ];
        let (left, _) = agree(&reduce, &args, chunks, &all_settings());
        // One chunk of all that the chunks come to.
        let scan = |chunks, chunk, value, calls, count| Kernel {
            count,
            ..over(vec![types::<&[(u32, u32)]>(), types::<&mut [(u32, u32)]>()], calls, {
                let prefix = output(value, 2);
                Then::Scan {
                    op: pairs(),
                    prefix,
                    chunks,
                    chunk,
                }
            })
        };
        let partials = scan(
            None,
            chunks,
            Input::Element(1),
            vec![],
            Count::Chunks(Box::new(Count::Slice(0)), chunk),
        );
        let args = [
            args[0].clone(),
            Argument::whole(&left[1].words, 2),
            Argument::whole(&left[1].words, 2),
        ];
        let (left, _) = agree(&partials, &args, 1, &all_settings());
        let prefixes = scan(Some(1), chunk, Input::Call(0), calls(), Count::Slice(0));
        let args = [
            args[0].clone(),
            Argument::whole(&left[2].words, 2),
            Argument::whole(&vec![9; 2 * n as usize], 2),
        ];
        let (left, _) = agree(&prefixes, &args, chunks, &all_settings());
        // The operator is associative, so that the chunks do not show.
        let mut folded = None;
        for (x, prefix) in numbers(n).into_iter().zip(left[2].words.chunks(2)) {
            let (scale, add) = (x & 15, x >> 4);
            let (a, b) = folded.map_or((scale, add), |(a, b): (u32, u32)| {
                (a.wrapping_mul(scale), b.wrapping_mul(scale).wrapping_add(add))
            });
            folded = Some((a, b));
            assert_eq!(prefix, [a, b]);
        }
    }
}

/// What is kept and what is not: every third step, by the remainder.
fn steps_and_thirds() -> Vec<Call> {
    vec![
        call(step(), vec![Input::Element(0)]),
        call(third(), vec![Input::Call(0)]),
    ]
}

/// Counts the kept elements of each chunk. The number of elements may be in parameter 1.
fn counting(count: Count, chunk: u32) -> Kernel {
    let (op, partial) = (Fold::Add, output(Input::Call(1), 2));
    let then = Then::ReduceChunks { op, partial, chunk };
    Kernel {
        count,
        ..over(vec![types::<u32>(), types::<&mut u32>()], steps_and_thirds(), then)
    }
}

/// Counts some of `n` elements of a column that has as many, or of which that is not known before.
fn count_some(n: u32, chunk: u32, known: bool) {
    let (size, count) = if known {
        (n, Count::Slice(0))
    } else {
        (35, Count::Cell(1))
    };
    let vms = size.div_ceil(chunk).max(1);
    let args = [
        Argument::whole(&numbers(size), 1),
        Argument::whole(&[n], 1),
        Argument::own(&vec![9; vms as usize], 1),
    ];
    let (left, _) = agree(&counting(count, chunk), &args, vms, &all_settings());
    let step = |(k, x): (u32, u32)| x.wrapping_mul(3).wrapping_add(k).wrapping_add(1000 * n);
    let steps: Vec<u32> = (0..n).zip(numbers(n)).map(step).collect();
    let kept = |chunk: &[u32]| chunk.iter().filter(|x| **x % 3 == 1).count() as u32;
    let mut expected: Vec<u32> = steps.chunks(chunk as usize).map(kept).collect();
    expected.resize(vms as usize, 9);
    assert_eq!(left[2].words, expected);
}

#[test]
fn elements_are_counted_in_chunks() {
    for n in SIZES.into_iter().chain([0]) {
        for chunk in [1, 7, 40] {
            count_some(n, chunk, true);
            count_some(n, chunk, false);
        }
    }
}

/// `fn down(x: u32) -> u32 { if x & 15 == 0 { vm::id() } else { down(x - 1) + vm::count() } }`
fn down() -> &'static Routine {
    let code = vec![
        i(Op::AndImm, 1, 0, 15, 0),
        i(Op::JumpIf, 4, 1, 0, 0),
        i(Op::VmId, 2, 0, 0, 0),
        ret(2),
        i(Op::AddImm, 3, 0, u32::MAX, 0),
        i(Op::Call, 0, 3, 4, 0),
        i(Op::VmCount, 2, 0, 0, 0),
        i(Op::Add, 4, 4, 2, 0),
        ret(4),
    ];
    let down = leak(routine(
        "down",
        u32s(1),
        result::<u32>(),
        5,
        code,
        vec![Callees::get(0)],
    ));
    Callees::set(0, down);
    down
}

#[test]
fn recursive_routines_know_their_element() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let calls = vec![
        call(down(), vec![Input::Element(0)]),
        call(step(), vec![Input::Call(0)]),
    ];
    let kernel = over(vec![types::<&mut u32>()], calls, {
        let (op, partial) = (Fold::Routine(mix().into()), output(Input::Call(1), 1));
        Then::Reduce { op, partial }
    });
    let args = [Argument::whole(&numbers(17), 1), Argument::own(&[9; 4], 1)];
    agree(&kernel, &args, 4, &all_settings());
    let limited = Settings {
        recursion_limit: 3,
        ..Settings::default()
    };
    let program = program(&kernel, &limited);
    let (_, traps) = run(&program, &args, 0..4, 4);
    assert!(traps.iter().any(|trap| trap.routine == "down" && trap.line == 1));
}

#[test]
fn vms_of_a_later_batch_have_their_own_elements() {
    let kernel = over(
        vec![types::<&mut u32>()],
        vec![call(step(), vec![Input::Element(0)])],
        {
            let (op, partial) = (Fold::Routine(mix().into()), output(Input::Call(0), 1));
            Then::Reduce { op, partial }
        },
    );
    let program = program(&kernel, &Settings::default());
    let whole = [Argument::whole(&numbers(23), 1), Argument::own(&[9; 6], 1)];
    let batch = [whole[0].clone(), Argument::own(&[9; 2], 1)];
    let (expected, _) = run(&program, &whole, 0..6, 6);
    let (left, _) = run(&program, &batch, 4..6, 6);
    assert_eq!(left[1].words, expected[1].words[4..]);
}
