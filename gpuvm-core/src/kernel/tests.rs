//! Kernels of several routines, one element a VM: the same bits, traps and effects as the routines one by one.

use std::sync::PoisonError;
use std::sync::atomic::AtomicU32;

use super::routines::*;
use super::testing::*;
use super::*;
use crate::compile::{link, link_kernel};
use crate::isa::Op;
use crate::link::testing::{Callees, TURN, leak, result, routine, u32s};
use crate::link::tests::{all_settings, i};
use crate::routine::Routine;
use crate::settings::Settings;

/// A map of two columns, a uniform and a constant through four calls, with results stored on the way.
fn chain() -> Kernel {
    let mix = mix();
    let tuple = Input::Tuple(vec![Input::Param(1), field(Input::Call(1), 0)]);
    Kernel {
        name: "chain".into(),
        params: vec![
            types::<u32>(),
            types::<u32>(),
            types::<u32>(),
            types::<&mut u32>(),
            types::<&mut (u32, u32)>(),
        ],
        result: types::<u32>(),
        calls: vec![
            call(step(), vec![Input::Param(0)]),
            call(split(), vec![Input::Call(0)]),
            call(compose(), vec![tuple, Input::Call(1)]),
            call(mix, vec![field(Input::Call(2), 1), Input::Constant(vec![5])]),
            call(mix, vec![Input::Call(3), Input::Param(2)]),
        ],
        count: Count::Vms,
        then: None,
        stores: vec![
            output(Input::Call(0), 3),
            output(Input::Call(2), 4),
            output(Input::Call(4), 5),
        ],
    }
}

fn chain_args(uniform: u32) -> Vec<Argument> {
    vec![
        Argument::own(&numbers(10), 1),
        Argument::own(&numbers(20)[10..], 1),
        Argument::own(&[uniform], 0),
        Argument::own(&[9; 10], 1),
        Argument::own(&[9; 20], 2),
        Argument::own(&[9; 10], 1),
    ]
}

#[test]
fn a_chain_is_its_routines_one_after_the_other() {
    let (left, traps) = agree(&chain(), &chain_args(6), 10, &all_settings());
    assert_eq!(traps, []);
    assert_eq!(left[3].words[..2], [10_000, numbers(2)[1] * 3 + 10_001]);
    let program = program(&chain(), &Settings::default());
    assert_eq!((program.call_depth, program.frame_memory()), (0, 0));
    assert_eq!((program.name.as_str(), program.report.routines), ("chain", 4));
    assert_eq!(program.metadata().needs.vms, None);
    assert!(program.code.iter().all(|i| i.opcode != Op::Call.code()));
    let renamed = Kernel {
        name: "other".into(),
        ..chain()
    };
    let other = link_kernel(&renamed, &[], &Settings::default()).expect("the kernel fits");
    assert_ne!(program.identity(), other.identity());
}

#[test]
fn constants_are_folded_in() {
    let mut kernel = chain();
    kernel.calls = vec![
        call(mix(), vec![Input::Constant(vec![3]), Input::Constant(vec![4])]),
        call(split(), vec![Input::Call(0)]),
    ];
    kernel.stores = vec![output(Input::Call(0), 3), output(field(Input::Call(1), 1), 5)];
    let (left, _) = agree(&kernel, &chain_args(0), 10, &all_settings());
    assert_eq!((left[3].words[0], left[5].words[0]), (89, 89 >> 4));
    let code = program(&kernel, &Settings::default()).code;
    assert!(
        code.iter()
            .all(|i| i.opcode != Op::MulImm.code() && i.opcode != Op::ShrImm.code())
    );
}

#[test]
fn a_trap_leaves_what_came_before_it() {
    let (left, traps) = agree(&chain(), &chain_args(77), 10, &all_settings());
    assert_eq!(left[5].words, [9; 10]);
    assert!(left[4].words.iter().all(|&word| word != 9));
    let expected = |vm| Trap {
        vm,
        routine: "mix".into(),
        file: "test.rs".into(),
        line: 2,
        words: [77, 0, 0, 0],
    };
    assert_eq!(traps, (0..10).map(expected).collect::<Vec<_>>());
}

#[test]
fn a_kernel_of_one_routine_is_its_program() {
    let program = program(&Kernel::of(step()), &Settings::default());
    let linked = link(step(), &[], &Settings::default()).expect("the routine is valid");
    assert_eq!(program.identity(), linked.identity());
    assert_eq!(program.routines, ["step"]);
}

#[test]
fn slices_records_and_atomics_are_handed_on() {
    // fn look(all: &[u32], x: u32, me: &mut u32, bins: &[AtomicU32]) -> u32 { *me += x; bins[0].fetch_add(x); all[x % 4] + *me }
    let code = vec![
        i(Op::Load, 11, 4, 5, 0),
        i(Op::Add, 11, 11, 3, 0),
        i(Op::Store, 11, 4, 5, 0),
        i(Op::AtomicAdd, 12, 7, 3, 0),
        i(Op::AndImm, 10, 3, 3, 0),
        i(Op::Add, 10, 1, 10, 0),
        i(Op::Load, 10, 0, 10, 0),
        i(Op::Add, 10, 10, 11, 0),
        i(Op::Add, 10, 10, 12, 0),
        ret(10),
    ];
    let params = vec![
        types::<&[u32]>(),
        types::<u32>(),
        types::<&mut u32>(),
        types::<&[AtomicU32]>(),
    ];
    let look = leak(routine("look", params.clone(), result::<u32>(), 13, code, vec![]));
    let all = || vec![Input::Param(0), Input::Call(0), Input::Param(2), Input::Param(3)];
    let mut kernel = Kernel {
        name: "effects".into(),
        params,
        result: types::<u32>(),
        calls: vec![
            call(step(), vec![Input::Param(1)]),
            call(look, all()),
            call(look, all()),
        ],
        count: Count::Vms,
        stores: vec![output(Input::Call(2), 4)],
        then: None,
    };
    let args = [
        Argument::whole(&[7, 8, 9, 10], 1),
        Argument::own(&numbers(6), 1),
        Argument::own(&numbers(6), 1),
        Argument::atomics(&[1000]),
        Argument::own(&[0; 6], 1),
    ];
    let (left, _) = agree(&kernel, &args, 6, &all_settings());
    assert_ne!(left[3].words, [1000]);
    kernel.count = Count::Constant(6);
    kernel.then = Some(Then::Reduce {
        op: Fold::Routine(mix().into()),
        partial: output(Input::Call(2), 4),
    });
    kernel.stores.clear();
    assert!(refused(&kernel).ends_with("it is `&mut u32`, which a VM with several elements cannot share among them"));
}

#[test]
fn elements_are_counted_when_the_launch_runs() {
    let mut kernel = chain();
    kernel.params.push(types::<&[u32]>());
    kernel.params.push(types::<&[u32]>());
    kernel.count = Count::Cell(5);
    kernel.calls[0].args = vec![Input::Element(6)];
    kernel.stores = vec![output(Input::Call(4), 3), output(Input::Element(6), 7)];
    for count in [0, 1, 9, 10, 11] {
        let mut args = chain_args(6);
        args.insert(5, Argument::whole(&[count], 1));
        args.insert(6, Argument::whole(&numbers(12), 1));
        let (left, _) = agree(&kernel, &args, 10, &all_settings());
        let untouched = left[3].words.iter().filter(|&&word| word == 9).count();
        assert_eq!(untouched, 10 - (count as usize).min(10));
    }
}

#[test]
fn a_routine_s_nature_is_that_of_all_it_calls() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let stops = vec![i(Op::Halt, 0, 0, 0, 0)];
    Callees::set(1, leak(routine("stops", vec![], result::<()>(), 1, stops, vec![])));
    let code = vec![i(Op::Yield, 0, 0, 0, 0), i(Op::Call, 0, 0, 0, 0), ret(0)];
    let caller = leak(routine(
        "caller",
        u32s(1),
        result::<u32>(),
        1,
        code,
        vec![Callees::get(1)],
    ));
    let found = nature(&caller.into(), &[]).expect("there are no library functions");
    let expected = Nature {
        halts: true,
        yields: true,
        asks_identity: false,
        prints: false,
        asks: false,
    };
    assert_eq!(found, expected);
    assert!(nature(&step().into(), &[]).is_ok_and(|nature| nature.asks_identity && !nature.halts));
    let mut kernel = chain();
    kernel.calls.push(call(caller, vec![Input::Call(0)]));
    let what = refused(&kernel);
    assert_eq!(
        what,
        "`stops` can halt its VM, and what comes after it would be lost: give it a kernel of its own"
    );
}

#[test]
fn what_does_not_fit_is_refused_with_a_reason() {
    let change = |change: fn(&mut Kernel)| {
        let mut kernel = chain();
        change(&mut kernel);
        refused(&kernel)
    };
    let reasons = [
        change(|k| k.calls[0].args.clear()),
        change(|k| k.calls[0].args[0] = Input::Call(1)),
        change(|k| k.calls[0].args[0] = Input::Param(9)),
        change(|k| k.calls[1].args[0] = Input::Element(0)),
        change(|k| k.calls[2].args[0] = Input::Call(0)),
        change(|k| k.calls[3].args[0] = Input::Constant(vec![1, 2])),
        change(|k| k.calls[3].args[0] = Input::Tuple(vec![Input::Param(0)])),
        change(|k| k.count = Count::Slice(0)),
        change(|k| k.stores = vec![output(Input::Call(0), 0)]),
        change(|k| k.stores = vec![output(Input::Call(0), 4)]),
        change(|k| k.stores = vec![output(Input::Call(7), 3)]),
        change(|k| {
            let chunk = routine("chunk", vec![types::<&mut [u32]>()], result::<()>(), 3, vec![], vec![]);
            k.params[3] = types::<&mut [u32]>();
            k.calls.push(call(leak(chunk), vec![Input::Param(3)]));
        }),
        change(|k| k.count = Count::Constant(u32::MAX)),
        change(|k| {
            let (op, partial) = (Fold::Routine(step().into()), output(Input::Call(0), 3));
            (k.count, k.then) = (Count::Constant(1), Some(Then::Reduce { op, partial }));
            k.stores.clear();
        }),
        change(|k| {
            let (op, partial) = (Fold::Add, output(Input::Call(0), 3));
            k.then = Some(Then::ReduceChunks { op, partial, chunk: 0 });
        }),
        change(|k| {
            let relaxed = Routine {
                relaxed: true,
                ..step().clone()
            };
            k.calls[0].routine = leak(relaxed).into();
        }),
    ];
    assert_eq!(
        reasons,
        [
            "call 0 of `step`: it has 0 arguments and takes 1",
            "call 0 of `step`: argument 0: it is the result of call 1, which comes later",
            "call 0 of `step`: argument 0: it does not exist",
            "call 1 of `split`: argument 0: it does not exist",
            "call 2 of `compose`: argument 0: it is `u32`, and `(u32, u32)` is needed",
            "call 3 of `mix`: argument 0: it has 2 words, and `u32` is needed",
            "call 3 of `mix`: argument 0: it is a tuple of 1, and `u32` is needed",
            "parameter 0, which tells the number of elements, is no slice",
            "parameter 0 is no `&mut T`, so that nothing can be stored to it",
            "the value for parameter 4: it is `u32`, and `(u32, u32)` is needed",
            "the value for parameter 3: it is the result of call 7, which comes later",
            "parameter 3 cannot be a call's chunk and a whole column for elements as well",
            "4294967295 elements are too many: at most 2147483648 are possible",
            "`step` does not make one value of two of its type",
            "its VMs need to know how many elements there are",
            "one of `step` and `split` is relaxed and the other is not: give each a kernel of its own",
        ]
    );
}

#[test]
fn variables_and_places_are_those_of_the_routines() {
    let mut named = mix().clone();
    let variable = crate::routine::Variable {
        name: "a",
        word: 0,
        ty: types::<u32>(),
        line: 0,
        last_line: u32::MAX,
    };
    named.variables = vec![variable].into();
    let named = leak(named);
    let calls = vec![
        call(named, vec![Input::Element(0), Input::Constant(vec![1])]),
        call(named, vec![Input::Call(0), Input::Element(0)]),
    ];
    let mut kernel = over(vec![types::<&mut u32>()], calls, None);
    kernel.stores = vec![output(Input::Call(1), 1)];
    let program = program(&kernel, &Settings::default());
    let map = program.variable_map();
    let shown = (0..program.code.len() as u32).flat_map(|at| map.at(at));
    assert!(shown.into_iter().any(|location| location.variable.name == "a"));
    assert_eq!(program.routines, ["mix", "several"]);
    let of_mix = program.places.iter().filter(|place| place.routine == 0).count();
    assert!(of_mix > 4 && of_mix < program.places.len(), "{}", program.disassemble());
}

#[test]
fn a_kernel_without_calls_copies() {
    let mut kernel = over(vec![types::<&mut (u32, u32)>()], vec![], None);
    let pair = Input::Tuple(vec![Input::Element(0), Input::Constant(vec![5])]);
    kernel.stores = vec![output(pair, 1)];
    let args = [Argument::whole(&numbers(3), 1), Argument::own(&[9; 6], 2)];
    let (left, _) = agree(&kernel, &args, 3, &all_settings());
    assert_eq!(left[1].words[..4], [numbers(2)[0], 5, numbers(2)[1], 5]);
}
