//! Linking as a whole: what a linked program does is what its routines say, whatever the settings.

use super::testing::*;
use crate::compile::link;
use crate::isa::{Instruction, Op};
use crate::library::{Library, number};
use crate::link::LinkError;
use crate::matrix::Format;
use crate::program::Program;
use crate::routine::{Callee, Routine};
use crate::settings::Settings;
use crate::types::TypeRef;

pub(crate) const FUEL: u64 = 100_000;

pub(crate) fn i(op: Op, a: u32, b: u32, c: u32, d: u32) -> Instruction {
    Instruction::new(op, [a, b, c, d])
}

pub(crate) fn nothing() -> Settings {
    Settings::debug()
}

/// Everything off, everything on, and each optimisation alone and left out.
pub(crate) fn all_settings() -> Vec<Settings> {
    let mut all = vec![nothing(), Settings::default()];
    let switches: [fn(&mut Settings, bool); 9] = [
        |s, on| s.fold = on,
        |s, on| s.copies = on,
        |s, on| s.dead_code = on,
        |s, on| s.threading = on,
        |s, on| s.inline = on.then_some(2000),
        |s, on| s.loops = on,
        |s, on| s.promote = on,
        |s, on| s.raise = on,
        |s, on| s.fuse = on,
    ];
    for switch in switches {
        let (mut alone, mut without) = (nothing(), Settings::default());
        switch(&mut alone, true);
        switch(&mut without, false);
        all.extend([alone, without]);
    }
    all.push(Settings {
        force_format: Some(Format::Dense),
        ..Settings::default()
    });
    all
}

pub(crate) fn linked(entry: &'static Routine, settings: &Settings) -> Program {
    let program = link(entry, &[], settings).expect("the routine is valid");
    check(&program);
    program
}

/// Checks what engines rely on, and that the program comes back from a file.
pub(crate) fn check(program: &Program) {
    assert_eq!(program.verify(), Ok(()));
    for instruction in &program.code {
        let op = Op::from_code(instruction.opcode).expect("an opcode");
        if matches!(op, Op::LoadFrame | Op::StoreFrame) {
            let (word, frame) = (instruction.operands[1], program.frame_words);
            assert!(word < frame, "frame word {word} of {frame}");
        }
    }
    let bytes = program.to_bytes();
    let loaded = Program::from_bytes(&bytes).expect("what was linked is valid");
    assert_eq!(loaded.to_bytes(), bytes);
    assert_eq!(loaded.report, program.report);
}

/// Runs under every setting and compares with the evaluator.
#[track_caller]
pub(crate) fn agree(entry: &'static Routine, args: &[u32]) -> Seen {
    let expected = evaluate(entry, args, FUEL);
    if expected.unfinished {
        return expected;
    }
    for settings in all_settings() {
        let program = linked(entry, &settings);
        let seen = run(entry, &program, args, FUEL * 20);
        assert_eq!(seen, expected, "{settings:?}\n{}", program.disassemble());
    }
    expected
}

#[test]
fn a_sum_comes_back() {
    let code = vec![i(Op::Add, 2, 0, 1, 0), i(Op::Return, 2, 0, 0, 0)];
    let entry = leak(routine("sum", u32s(2), result::<u32>(), 3, code, vec![]));
    assert_eq!(agree(entry, &[40, 2]).arena, [40, 2, 42]);
    let program = linked(entry, &Settings::default());
    assert_eq!(program.call_depth, 0);
    assert_eq!(program.frame_memory(), 0);
}

#[test]
fn a_loop_keeps_its_variables_in_words() {
    // s = 0; k = 0; while k < n { s += k * k; k += 1 } s
    let code = vec![
        i(Op::Imm, 1, 0, 0, 0),
        i(Op::Imm, 2, 0, 0, 0),
        i(Op::LtU, 3, 2, 0, 0),
        i(Op::JumpUnless, 10, 3, 0, 0),
        i(Op::Mul, 4, 2, 2, 0),
        i(Op::Add, 5, 1, 4, 0),
        i(Op::Mov, 1, 5, 0, 0),
        i(Op::AddImm, 6, 2, 1, 0),
        i(Op::Mov, 2, 6, 0, 0),
        i(Op::Jump, 2, 0, 0, 0),
        i(Op::Return, 1, 0, 0, 0),
    ];
    let entry = leak(routine("squares", u32s(1), result::<u32>(), 7, code, vec![]));
    assert_eq!(agree(entry, &[10]).arena, [10, 285]);
    let program = linked(entry, &Settings::default());
    let copies = program.code.iter().filter(|i| i.opcode == Op::Mov.code()).count();
    assert_eq!(copies, 0, "{}", program.disassemble());
}

#[test]
fn more_words_than_the_machine_has_are_spilled() {
    let mut code: Vec<Instruction> = (0..60).map(|w| i(Op::AddImm, w + 1, 0, w * 7, 0)).collect();
    code.push(i(Op::Imm, 61, 0, 0, 0));
    code.extend((0..60).map(|w| i(Op::Mul, 62 + w, w + 1, 60 - w, 0)));
    code.extend((0..60).map(|w| i(Op::Add, 61, 61, 62 + w, 0)));
    code.push(i(Op::Return, 61, 0, 0, 0));
    let entry = leak(routine("wide", u32s(1), result::<u32>(), 130, code, vec![]));
    agree(entry, &[3]);
    assert!(linked(entry, &nothing()).frame_words > 0);
}

/// `fn fib(n) -> u32 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }`
fn fib() -> &'static Routine {
    let code = vec![
        i(Op::Imm, 1, 2, 0, 0),
        i(Op::LtU, 2, 0, 1, 0),
        i(Op::JumpUnless, 4, 2, 0, 0),
        i(Op::Return, 0, 0, 0, 0),
        i(Op::AddImm, 3, 0, 1u32.wrapping_neg(), 0),
        i(Op::Call, 0, 3, 4, 0),
        i(Op::AddImm, 5, 0, 2u32.wrapping_neg(), 0),
        i(Op::Call, 0, 5, 6, 0),
        i(Op::Add, 7, 4, 6, 0),
        i(Op::Return, 7, 0, 0, 0),
    ];
    let fib = leak(routine("fib", u32s(1), result::<u32>(), 8, code, vec![Callees::get(0)]));
    Callees::set(0, fib);
    fib
}

#[test]
fn recursion_works_and_is_stopped_past_its_limit() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let entry = fib();
    assert_eq!(agree(entry, &[12]).arena, [12, 144]);
    for settings in all_settings() {
        let program = linked(
            entry,
            &Settings {
                recursion_limit: 12,
                ..settings.clone()
            },
        );
        assert_eq!(run(entry, &program, &[12], FUEL).arena[1], 144);
        let program = linked(
            entry,
            &Settings {
                recursion_limit: 11,
                ..settings
            },
        );
        assert_eq!(run(entry, &program, &[12], FUEL).trap, Some((1, [0; 4])));
    }
}

#[test]
fn a_reference_to_a_local_goes_through_a_call() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // fn bump(x: &mut u32, by: u32) { *x += by }
    let code = vec![
        i(Op::Load, 3, 0, 1, 0),
        i(Op::Add, 3, 3, 2, 0),
        i(Op::Store, 3, 0, 1, 0),
        i(Op::Return, 3, 0, 0, 0),
    ];
    let params = vec![TypeRef::of::<&mut u32>(), TypeRef::of::<u32>()];
    Callees::set(1, leak(routine("bump", params, result::<()>(), 4, code, vec![])));
    // fn twice(x: u32, out: &mut u32) { let mut a = x; bump(&mut a, 5); bump(&mut a, a); bump(out, a) }
    let code = vec![
        i(Op::Mov, 3, 0, 0, 0),
        i(Op::Imm, 4, 0, 0, 0),
        i(Op::Address, 5, 3, 1, 0),
        i(Op::Imm, 6, 5, 0, 0),
        i(Op::Call, 0, 4, 0, 0),
        i(Op::Mov, 6, 3, 0, 0),
        i(Op::Call, 0, 4, 0, 0),
        i(Op::Mov, 7, 1, 0, 0),
        i(Op::Mov, 8, 2, 0, 0),
        i(Op::Mov, 9, 3, 0, 0),
        i(Op::Call, 0, 7, 0, 0),
        i(Op::Return, 3, 0, 0, 0),
    ];
    let params = vec![TypeRef::of::<u32>(), TypeRef::of::<&mut u32>()];
    let entry = leak(routine(
        "twice",
        params,
        result::<u32>(),
        10,
        code,
        vec![Callees::get(1)],
    ));
    assert_eq!(agree(entry, &[10, 7]).arena, [10, 37, 30]);
    let program = linked(entry, &Settings::default());
    assert_eq!(program.frame_memory(), 0, "{}", program.disassemble());
}

#[test]
fn nesting_past_the_limit_is_an_error() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let ret = || i(Op::Return, 0, 0, 0, 0);
    Callees::set(2, leak(routine("c", vec![], result::<()>(), 1, vec![ret()], vec![])));
    let code = vec![i(Op::Call, 0, 0, 0, 0), ret()];
    Callees::set(
        3,
        leak(routine(
            "b",
            vec![],
            result::<()>(),
            1,
            code.clone(),
            vec![Callees::get(2)],
        )),
    );
    let entry = leak(routine("a", vec![], result::<()>(), 1, code, vec![Callees::get(3)]));
    let limited = |recursion_limit| {
        link(
            entry,
            &[],
            &Settings {
                recursion_limit,
                ..Settings::default()
            },
        )
    };
    assert!(limited(2).is_ok());
    assert!(matches!(limited(1), Err(LinkError::TooLarge { found: 2, most: 1, .. })));
}

#[test]
fn damaged_routines_are_refused_with_a_reason() {
    let refused = |code: Vec<Instruction>| {
        let entry = leak(routine("bad", u32s(1), result::<u32>(), 4, code, vec![]));
        match link(entry, &[], &Settings::default()) {
            Err(LinkError::Invalid { what, .. }) => what,
            other => panic!("{other:?}"),
        }
    };
    let ret = i(Op::Return, 0, 0, 0, 0);
    assert_eq!(
        refused(vec![]),
        "its code does not end in `jump`, `ret`, `halt` or `trap`"
    );
    assert_eq!(
        refused(vec![i(Op::Add, 4, 0, 0, 0), ret]),
        "instruction 0: `add`: there is no word 4, only 4 of them"
    );
    assert_eq!(
        refused(vec![i(Op::Jump, 9, 0, 0, 0)]),
        "instruction 0: `jump`: there is no label 9, only 1 of them"
    );
    assert_eq!(
        refused(vec![i(Op::Enter, 0, 0, 0, 0), ret]),
        "instruction 0: `enter` is only for linked programs"
    );
    assert_eq!(
        refused(vec![i(Op::Call, 0, 0, 0, 0), ret]),
        "instruction 0: `call`: there is no callee 0, only 0 of them"
    );
    assert_eq!(
        refused(vec![i(Op::Address, 0, 2, 3, 0), ret]),
        "instruction 0: the addressed range takes words 2..5, and there are 4"
    );
    assert_eq!(
        refused(vec![
            Instruction {
                opcode: 0xdead,
                operands: [0; 4]
            },
            ret
        ]),
        "instruction 0: 0xdead is no opcode"
    );
}

#[test]
fn a_relaxed_entry_takes_the_device_s_functions() {
    fn root() -> &'static Routine {
        leak(routine(
            "root",
            u32s(1),
            result::<u32>(),
            1,
            vec![i(Op::Return, 0, 0, 0, 0)],
            vec![],
        ))
    }
    let code = vec![
        i(Op::Call, 0, 0, 1, 0),
        i(Op::Call, 1, 1, 1, 0),
        i(Op::Return, 1, 0, 0, 0),
    ];
    let callees = vec![Callee::Library(number::sin), Callee::Library(number::sin_cos)];
    const LIBRARY: Library = &[root, root, root, root];
    let exact = routine("f", u32s(1), result::<u32>(), 2, code, callees);
    let relaxed = Routine {
        relaxed: true,
        ..exact.clone()
    };
    let program = |entry| link(leak(entry), LIBRARY, &Settings::default()).expect("the routine is valid");
    let math = |program: &Program| -> Vec<u32> {
        let code = program.code.iter();
        code.filter(|i| i.opcode == Op::FMath.code())
            .map(|i| i.operands[3])
            .collect()
    };
    let (exact, relaxed) = (program(exact), program(relaxed));
    assert_eq!((exact.relaxed, math(&exact)), (false, vec![]));
    // `sin_cos` has two results, which no instruction has.
    assert_eq!((relaxed.relaxed, math(&relaxed)), (true, vec![number::sin]));
}

#[test]
fn a_billion_turns_cost_what_a_few_dozen_do() {
    // let mut k = 0; while k < n { x = x * 1664525 + 1013904223; k += 1 } x
    let code = vec![
        i(Op::Imm, 2, 0, 0, 0),
        i(Op::LtU, 3, 2, 1, 0),
        i(Op::JumpUnless, 8, 3, 0, 0),
        i(Op::MulImm, 4, 0, 1_664_525, 0),
        i(Op::AddImm, 0, 4, 1_013_904_223, 0),
        i(Op::AddImm, 5, 2, 1, 0),
        i(Op::Mov, 2, 5, 0, 0),
        i(Op::Jump, 1, 0, 0, 0),
        i(Op::Return, 0, 0, 0, 0),
    ];
    let entry = leak(routine("lcg", u32s(2), result::<u32>(), 6, code, vec![]));
    agree(entry, &[1, 63]);
    agree(entry, &[1, 5000]);
    let program = linked(entry, &Settings::default());
    let seen = run(entry, &program, &[1, 1_000_000_000], 200);
    assert_eq!(seen.arena[2], 540_334_593, "{}", program.disassemble());
}
