//! Linking as a whole: what a linked program does is what its routines say, whatever the settings.

use proptest::prelude::*;

use super::testing::*;
use crate::compile::{LinkError, Settings, link};
use crate::isa::{Instruction, NO_WORD, Op, pair};
use crate::matrix::Format;
use crate::program::Program;
use crate::routine::Routine;
use crate::types::TypeRef;

const FUEL: u64 = 100_000;

fn i(op: Op, a: u32, b: u32, c: u32, d: u32) -> Instruction {
    Instruction::new(op, [a, b, c, d])
}

fn nothing() -> Settings {
    Settings {
        fold: false,
        copies: false,
        dead_code: false,
        inline: None,
        loops: false,
        promote: false,
        fuse: false,
        ..Settings::default()
    }
}

/// Everything off, everything on, and each optimisation alone and left out.
fn all_settings() -> Vec<Settings> {
    let mut all = vec![nothing(), Settings::default()];
    let switches: [fn(&mut Settings, bool); 7] = [
        |s, on| s.fold = on,
        |s, on| s.copies = on,
        |s, on| s.dead_code = on,
        |s, on| s.inline = on.then_some(2000),
        |s, on| s.loops = on,
        |s, on| s.promote = on,
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

fn linked(entry: &'static Routine, settings: &Settings) -> Program {
    let program = link(entry, &[], settings).expect("the routine is valid");
    check(&program);
    program
}

/// Checks what engines rely on.
fn check(program: &Program) {
    assert_eq!(program.code.len(), program.places.len());
    let frame = program.frame_words;
    for instruction in &program.code {
        let op = Op::from_code(instruction.opcode).expect("an opcode");
        for (role, operand) in op.roles().into_iter().zip(instruction.operands) {
            use crate::isa::Role;
            let word =
                |word: u32| assert!(word < 28 || word == NO_WORD, "{} {word}", op.mnemonic());
            match role {
                Role::Def | Role::Use => word(operand),
                Role::DefPair | Role::UsePair => {
                    word(operand & 0xffff);
                    word(operand >> 16);
                }
                Role::Label => assert!((operand as usize) < program.code.len()),
                Role::Callee => assert!((operand as usize) < program.code.len()),
                Role::Matrix => assert!((operand as usize) < program.matrices.len()),
                Role::Site => assert!((operand as usize) < program.sites.len()),
                _ => {}
            }
        }
        if matches!(op, Op::LoadFrame | Op::StoreFrame) {
            assert!(
                instruction.operands[1] < frame,
                "frame word {} of {frame}",
                instruction.operands[1]
            );
        }
    }
    for place in program
        .places
        .iter()
        .chain(program.sites.iter().map(|site| &site.place))
    {
        assert!((place.file as usize) < program.files.len());
        assert!((place.routine as usize) < program.routines.len());
    }
}

/// Runs under every setting and compares with the evaluator.
#[track_caller]
fn agree(entry: &'static Routine, args: &[u32]) -> Seen {
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
    let entry = leak(routine(
        "squares",
        u32s(1),
        result::<u32>(),
        7,
        code,
        vec![],
    ));
    assert_eq!(agree(entry, &[10]).arena, [10, 285]);
    let program = linked(entry, &Settings::default());
    let copies = program
        .code
        .iter()
        .filter(|i| i.opcode == Op::Mov.code())
        .count();
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
    let fib = leak(routine(
        "fib",
        u32s(1),
        result::<u32>(),
        8,
        code,
        vec![Callees::get(0)],
    ));
    Callees::set(0, fib);
    fib
}

#[test]
fn recursion_works_and_is_stopped_past_its_limit() {
    let _turn = TURN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
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
    let _turn = TURN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    // fn bump(x: &mut u32, by: u32) { *x += by }
    let code = vec![
        i(Op::Load, 3, 0, 1, 0),
        i(Op::Add, 3, 3, 2, 0),
        i(Op::Store, 3, 0, 1, 0),
        i(Op::Return, 3, 0, 0, 0),
    ];
    let params = vec![TypeRef::of::<&mut u32>(), TypeRef::of::<u32>()];
    Callees::set(
        1,
        leak(routine("bump", params, result::<()>(), 4, code, vec![])),
    );
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
    let _turn = TURN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let ret = || i(Op::Return, 0, 0, 0, 0);
    Callees::set(
        2,
        leak(routine("c", vec![], result::<()>(), 1, vec![ret()], vec![])),
    );
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
    let entry = leak(routine(
        "a",
        vec![],
        result::<()>(),
        1,
        code,
        vec![Callees::get(3)],
    ));
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
    assert!(matches!(
        limited(1),
        Err(LinkError::TooLarge {
            found: 2,
            most: 1,
            ..
        })
    ));
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

/// Writes a random routine from a tape of numbers; an empty tape gives zeros, so that it ends.
struct Writer<'t> {
    tape: std::slice::Iter<'t, u32>,
    code: Vec<Instruction>,
    /// Variables are words 0..VARIABLES, the array the ARRAY words after; temporaries follow.
    next: u32,
    callees: u32,
}

const PARAMS: usize = 3;
const VARIABLES: u32 = 40;
const ARRAY: u32 = 4;

impl Writer<'_> {
    fn pick(&mut self, below: u32) -> u32 {
        self.tape.next().copied().unwrap_or(0) % below
    }

    fn variable(&mut self) -> u32 {
        // Mostly a few of them, so that values meet.
        if self.pick(4) > 0 {
            self.pick(8)
        } else {
            self.pick(VARIABLES)
        }
    }

    fn temporary(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn emit(&mut self, op: Op, a: u32, b: u32, c: u32, d: u32) -> usize {
        self.code.push(i(op, a, b, c, d));
        self.code.len() - 1
    }

    fn here(&self) -> u32 {
        self.code.len() as u32
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..self.pick(10) + 1 {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.pick(if depth > 0 { 16 } else { 11 }) {
            0..6 => self.arithmetic(),
            6 => {
                let (d, value) = (self.variable(), self.pick(5));
                let value = [0, 1, 31, 0x8000_0000, 12345][value as usize];
                self.emit(Op::Imm, d, value, 0, 0);
            }
            7 => {
                let (a, b, c) = (self.variable(), self.variable(), self.variable());
                let t = self.temporary();
                self.emit(Op::Mov, t, a, 0, 0);
                self.emit(Op::Mov, b, t, 0, 0);
                self.emit(Op::Mov, c, b, 0, 0);
            }
            8 => self.array(),
            9 => {
                let (a, b, site) = (self.variable(), self.variable(), self.pick(4));
                let t = self.temporary();
                self.emit(Op::Eq, t, a, b, 0);
                let limit = self.temporary();
                self.emit(Op::Imm, limit, 77, 0, 0);
                let same = self.temporary();
                self.emit(Op::Eq, same, a, limit, 0);
                self.emit(Op::And, t, t, same, 0);
                self.emit(Op::TrapIf, site, t, a, NO_WORD);
            }
            10 if self.callees > 0 => {
                let args = self.next;
                self.next += 2;
                let results = self.temporary();
                for word in [args, args + 1] {
                    let from = self.variable();
                    self.emit(Op::Mov, word, from, 0, 0);
                }
                let callee = self.pick(self.callees);
                self.emit(Op::Call, callee, args, results, 0);
                let to = self.variable();
                self.emit(Op::Mov, to, results, 0, 0);
            }
            10 => self.arithmetic(),
            11 | 12 => self.condition(depth - 1),
            13 => {
                let t = self.variable();
                let skip = self.emit(Op::JumpIf, 0, t, 0, 0);
                self.block(depth - 1);
                self.code[skip].operands[0] = self.here();
            }
            _ => self.repeat(depth - 1),
        }
    }

    fn condition(&mut self, depth: u32) {
        let (a, b, t) = (self.variable(), self.variable(), self.temporary());
        let op = [Op::LtU, Op::Eq, Op::LeS, Op::FLt][self.pick(4) as usize];
        self.emit(op, t, a, b, 0);
        let otherwise = self.emit(Op::JumpUnless, 0, t, 0, 0);
        self.block(depth);
        let done = self.emit(Op::Jump, 0, 0, 0, 0);
        self.code[otherwise].operands[0] = self.here();
        self.block(depth);
        self.code[done].operands[0] = self.here();
    }

    fn repeat(&mut self, depth: u32) {
        let (k, limit, t) = (self.temporary(), self.temporary(), self.temporary());
        self.emit(Op::Imm, k, 0, 0, 0);
        let head = self.here();
        let turns = self.pick(4);
        self.emit(Op::Imm, limit, turns, 0, 0);
        self.emit(Op::LtU, t, k, limit, 0);
        let leave = self.emit(Op::JumpUnless, 0, t, 0, 0);
        self.block(depth);
        let next = self.temporary();
        self.emit(Op::AddImm, next, k, 1, 0);
        self.emit(Op::Mov, k, next, 0, 0);
        self.emit(Op::Jump, head, 0, 0, 0);
        self.code[leave].operands[0] = self.here();
    }

    fn array(&mut self) {
        let (space, at, index) = (self.temporary(), self.temporary(), self.temporary());
        self.emit(Op::Imm, space, 0, 0, 0);
        self.emit(Op::Address, at, VARIABLES, ARRAY, 0);
        let value = self.variable();
        match self.pick(5) {
            0 => self.emit(Op::Load, value, space, at, 1),
            1 => self.emit(Op::Store, value, space, at, 2),
            2 => {
                let element = VARIABLES + self.pick(ARRAY);
                self.emit(Op::Mov, value, element, 0, 0)
            }
            which => {
                let from = self.variable();
                self.emit(Op::AndImm, index, from, ARRAY - 1, 0);
                self.emit(Op::Add, at, at, index, 0);
                let op = if which == 3 { Op::Load } else { Op::Store };
                self.emit(op, value, space, at, 0)
            }
        };
    }

    fn arithmetic(&mut self) {
        let pure: Vec<Op> = Op::ALL
            .iter()
            .copied()
            .filter(|op| {
                op.effect() == crate::isa::Effect::Pure
                    && *op != Op::Affine
                    && op.code() < Op::Jump.code()
            })
            .collect();
        let op = pure[self.pick(pure.len() as u32) as usize];
        let mut operands = [0; 4];
        let mut defs = Vec::new();
        for (role, operand) in op.roles().into_iter().zip(&mut operands) {
            use crate::isa::Role;
            *operand = match role {
                Role::Def => {
                    let d = if self.pick(2) == 0 {
                        self.variable()
                    } else {
                        self.temporary()
                    };
                    defs.push(d);
                    d
                }
                Role::DefPair => {
                    let low = self.variable();
                    let high = self.temporary();
                    defs.push(low);
                    pair(low, high)
                }
                Role::Use => self.variable(),
                Role::UsePair => pair(self.variable(), self.variable()),
                Role::Imm => {
                    [0, 1, 13, u32::MAX, 0x3f80_0000, 0x8000_0000, 99][self.pick(7) as usize]
                }
                _ => 0,
            };
        }
        self.code.push(Instruction::new(op, operands));
        // A NaN's payload is not to be observed.
        if op.name().starts_with('F') {
            self.emit(Op::FCanon, defs[0], defs[0], 0, 0);
        }
        if defs[0] >= VARIABLES {
            let to = self.variable();
            self.emit(Op::Mov, to, defs[0], 0, 0);
        }
    }
}

fn random(name: &str, params: usize, tape: &[u32], callees: usize) -> &'static Routine {
    let mut writer = Writer {
        tape: tape.iter(),
        code: Vec::new(),
        next: VARIABLES + ARRAY,
        callees: callees as u32,
    };
    for element in VARIABLES..VARIABLES + ARRAY {
        writer.emit(Op::Imm, element, element, 0, 0);
    }
    while writer.tape.len() > 0 {
        writer.statement(3);
    }
    writer.emit(Op::Return, 0, 0, 0, 0);
    let callees = (0..callees).map(Callees::get).collect();
    leak(routine(
        name,
        u32s(params),
        result::<u32>(),
        writer.next,
        writer.code,
        callees,
    ))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn settings_do_not_change_results(
        tape in prop::collection::vec(any::<u32>(), 0..400),
        helper in prop::collection::vec(any::<u32>(), 0..100),
        args in prop::array::uniform3(prop_oneof![any::<u32>(), 0..100u32, any::<f32>().prop_map(f32::to_bits)]),
    ) {
        let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Callees::set(0, random("inner", 2, &helper[..helper.len() / 2], 0));
        Callees::set(1, random("outer", 2, &helper, 1));
        let entry = random("random", PARAMS, &tape, 2);
        agree(entry, &args);
    }

    #[test]
    fn damaged_bytes_never_panic(
        tape in prop::collection::vec(any::<u32>(), 0..60),
        damage in prop::collection::vec((any::<u16>(), 0..5usize, prop_oneof![0..70u32, any::<u32>()]), 1..4),
    ) {
        let mut damaged = random("damaged", PARAMS, &tape, 0).clone();
        let code = damaged.code.to_mut();
        for (at, field, value) in damage {
            let instruction = &mut code[usize::from(at) % tape.len().max(1).min(5)];
            match field {
                0 => instruction.opcode = value % 0xc0,
                field => instruction.operands[field - 1] = value,
            }
        }
        if let Ok(program) = link(leak(damaged.clone()), &[], &Settings::default()) {
            check(&program);
            run(&damaged, &program, &[1, 2, 3], 10_000);
        }
    }
}
