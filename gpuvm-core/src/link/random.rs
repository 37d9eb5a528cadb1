//! Linking of random routines: every setting gives what the evaluator gives, and damage gives errors.

use proptest::prelude::*;

use super::data::Data;
use super::lift::lift;
use super::tables::Tables;
use super::testing::*;
use super::tests::{agree, all_settings, check, i};
use super::verify::verify;
use crate::compile::link;
use crate::ir::flow::Shape;
use crate::isa::{Instruction, NO_WORD, Op, pair};
use crate::pass::optimise;
use crate::routine::{Routine, Variable};
use crate::settings::Settings;
use crate::types::TypeRef;

/// Writes a random routine from a tape of numbers; an empty tape gives zeros, so that it ends.
struct Writer<'t> {
    tape: std::slice::Iter<'t, u32>,
    code: Vec<Instruction>,
    /// Variables are words 0..VARIABLES, the array the ARRAY words after; temporaries follow.
    next: u32,
    /// Temporaries that may be read again: all but those that hold addresses.
    readable: Vec<u32>,
    callees: u32,
}

const LIVELY: [Op; 9] = [
    Op::Add,
    Op::Sub,
    Op::Xor,
    Op::AddImm,
    Op::RotlImm,
    Op::Neg,
    Op::Add64,
    Op::Select,
    Op::Mov,
];

pub(crate) const PARAMS: usize = 3;
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

    /// A word to read: a variable, or a temporary from anywhere before, set or not.
    fn source(&mut self) -> u32 {
        match self.readable.len() as u32 {
            0 => self.variable(),
            count if self.pick(3) == 0 => {
                // Mostly a recent one.
                let back = if self.pick(2) == 0 {
                    self.pick(count.min(4))
                } else {
                    self.pick(count)
                };
                self.readable[(count - 1 - back) as usize]
            }
            _ => self.variable(),
        }
    }

    fn result(&mut self) -> u32 {
        let word = self.temporary();
        self.readable.push(word);
        word
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
        match self.pick(if depth > 0 { 18 } else { 11 }) {
            0..6 => self.arithmetic(),
            6 => {
                let (d, value) = (self.variable(), self.pick(5));
                let value = [0, 1, 31, 0x8000_0000, 12345][value as usize];
                self.emit(Op::Imm, d, value, 0, 0);
            }
            7 => {
                let (a, b, c) = (self.source(), self.variable(), self.source());
                let t = self.result();
                self.emit(Op::Mov, t, a, 0, 0);
                self.emit(Op::Mov, b, c, 0, 0);
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
            14 | 15 => self.repeat(depth - 1),
            16 => self.answer(depth - 1),
            _ => self.states(depth - 1),
        }
    }

    fn condition(&mut self, depth: u32) {
        let (a, b, t) = (self.source(), self.source(), self.result());
        let op = [Op::LtU, Op::Eq, Op::LeS, Op::FLt][self.pick(4) as usize];
        self.emit(op, t, a, b, 0);
        let otherwise = self.emit(Op::JumpUnless, 0, t, 0, 0);
        self.block(depth);
        let done = self.emit(Op::Jump, 0, 0, 0, 0);
        self.code[otherwise].operands[0] = self.here();
        self.block(depth);
        self.code[done].operands[0] = self.here();
    }

    /// `let found = if … { Some(…) } else { None }; if found == Some { … } else { … }`.
    fn answer(&mut self, depth: u32) {
        let (a, b, t, tag) = (self.source(), self.source(), self.result(), self.result());
        self.emit(Op::LtU, t, a, b, 0);
        let otherwise = self.emit(Op::JumpUnless, 0, t, 0, 0);
        self.block(depth);
        self.emit(Op::Imm, tag, 1, 0, 0);
        let done = self.emit(Op::Jump, 0, 0, 0, 0);
        self.code[otherwise].operands[0] = self.here();
        self.block(depth);
        let none = self.pick(3);
        self.emit(Op::Imm, tag, none, 0, 0);
        self.code[done].operands[0] = self.here();
        for _ in 0..self.pick(2) {
            self.arithmetic();
        }
        let (same, is_some) = (self.temporary(), self.temporary());
        self.emit(Op::Imm, same, 1, 0, 0);
        let op = if self.pick(2) == 0 { Op::Eq } else { Op::Ne };
        self.emit(op, is_some, tag, same, 0);
        let skip = self.emit(Op::JumpUnless, 0, is_some, 0, 0);
        self.block(depth);
        let end = self.emit(Op::Jump, 0, 0, 0, 0);
        self.code[skip].operands[0] = self.here();
        self.block(depth);
        self.code[end].operands[0] = self.here();
    }

    /// A loop that is left after some turns, each of which asks a state that the one before left, and may go on or leave early.
    fn states(&mut self, depth: u32) {
        let (k, limit, t) = (self.temporary(), self.temporary(), self.temporary());
        let (state, asked, is_in) = (self.result(), self.temporary(), self.temporary());
        self.emit(Op::Imm, k, 0, 0, 0);
        self.emit(Op::Imm, state, 0, 0, 0);
        let head = self.here();
        let turns = self.pick(6);
        self.emit(Op::AddImm, k, k, 1, 0);
        self.emit(Op::Imm, limit, turns, 0, 0);
        self.emit(Op::LtU, t, limit, k, 0);
        let mut leave = vec![self.emit(Op::JumpIf, 0, t, 0, 0)];
        for number in 0..3 {
            self.emit(Op::Imm, asked, number, 0, 0);
            self.emit(Op::Eq, is_in, state, asked, 0);
            let other = self.emit(Op::JumpUnless, 0, is_in, 0, 0);
            self.block(depth);
            let next = self.pick(4);
            self.emit(Op::Imm, state, next, 0, 0);
            match self.pick(4) {
                0 => {}
                1 => leave.push(self.emit(Op::Jump, 0, 0, 0, 0)),
                2 => {
                    let word = self.variable();
                    self.emit(Op::JumpIf, head, word, 0, 0);
                }
                _ => {
                    self.emit(Op::Jump, head, 0, 0, 0);
                }
            }
            self.code[other].operands[0] = self.here();
        }
        self.emit(Op::Jump, head, 0, 0, 0);
        for at in leave {
            self.code[at].operands[0] = self.here();
        }
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
            .filter(|op| op.effect() == crate::isa::Effect::Pure && op.code() < Op::Jump.code())
            .filter(|op| !matches!(op, Op::Affine | Op::FMath))
            .collect();
        // Half of the time one that does not lose bits, or everything would soon be 0 or 1.
        let op = match self.pick(2) {
            0 => LIVELY[self.pick(LIVELY.len() as u32) as usize],
            _ => pure[self.pick(pure.len() as u32) as usize],
        };
        let mut operands = [0; 4];
        let mut defs = Vec::new();
        for (role, operand) in op.roles().into_iter().zip(&mut operands) {
            use crate::isa::Role;
            *operand = match role {
                Role::Def => {
                    let d = if self.pick(2) == 0 {
                        self.variable()
                    } else {
                        self.result()
                    };
                    defs.push(d);
                    d
                }
                Role::DefPair => {
                    let low = self.variable();
                    let high = self.result();
                    defs.push(low);
                    pair(low, high)
                }
                Role::Use => self.source(),
                Role::UsePair => pair(self.source(), self.source()),
                Role::Imm => [0, 1, 13, u32::MAX, 0x3f80_0000, 0x8000_0000, 99][self.pick(7) as usize],
                _ => 0,
            };
        }
        self.code.push(Instruction::new(op, operands));
        // A NaN's payload is not to be observed.
        if op.name().starts_with('F') {
            self.emit(Op::FCanon, defs[0], defs[0], 0, 0);
        }
        if defs[0] >= VARIABLES && self.pick(2) == 0 {
            let to = self.variable();
            self.emit(Op::Mov, to, defs[0], 0, 0);
        }
    }
}

/// A random routine that returns its first variables.
pub(crate) fn random(name: &str, params: usize, result: TypeRef, tape: &[u32], callees: usize) -> &'static Routine {
    let mut writer = Writer {
        tape: tape.iter(),
        code: Vec::new(),
        next: VARIABLES + ARRAY,
        readable: Vec::new(),
        callees: callees as u32,
    };
    for element in VARIABLES..VARIABLES + ARRAY {
        writer.emit(Op::Imm, element, element, 0, 0);
    }
    // Most variables start as something that depends on the arguments; some are left for the linker to set to 0.
    for variable in params as u32..VARIABLES - 5 {
        let seed = (variable + 1).wrapping_mul(0x9e37_79b9);
        writer.emit(Op::XorImm, variable, variable % params as u32, seed, 0);
    }
    while writer.tape.len() > 0 {
        writer.statement(3);
    }
    writer.emit(Op::Return, 0, 0, 0, 0);
    let callees = (0..callees).map(Callees::get).collect();
    let words = writer.next;
    let mut routine = routine(name, u32s(params), result, words, writer.code, callees);
    let one = |word: u32| variable(word, TypeRef::of::<u32>());
    let array = variable(VARIABLES, TypeRef::of::<[u32; ARRAY as usize]>());
    // Addresses differ from the evaluator's.
    let after = writer.readable.into_iter();
    routine.variables = (0..VARIABLES).map(one).chain([array]).chain(after.map(one)).collect();
    leak(routine)
}

/// A variable that is named after its first word and lives everywhere.
pub(super) fn variable(word: u32, ty: TypeRef) -> Variable {
    Variable {
        name: crate::assembly::types::keep(&word.to_string()),
        word,
        ty,
        line: 0,
        last_line: u32::MAX,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn settings_do_not_change_results(
        tape in prop::collection::vec(any::<u32>(), 0..1200),
        helper in prop::collection::vec(any::<u32>(), 0..300),
        args in prop::array::uniform3(prop_oneof![any::<u32>(), 0..100u32, any::<f32>().prop_map(f32::to_bits)]),
    ) {
        let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Callees::set(0, random("inner", 2, result::<u32>(), &helper[..helper.len() / 2], 0));
        Callees::set(1, random("outer", 2, result::<u32>(), &helper, 1));
        let entry = random("random", PARAMS, result::<[u32; 12]>(), &tape, 2);
        agree(entry, &args);
    }

    #[test]
    fn no_loop_gets_a_second_entry(tape in prop::collection::vec(any::<u32>(), 0..1200)) {
        let routine = random("random", PARAMS, result::<[u32; 12]>(), &tape, 0);
        let code = verify(routine, &[], &mut Data::default()).expect("the routine is valid");
        let lifted = lift(routine, &code, &[], Tables::default().add(routine));
        for settings in all_settings() {
            let mut function = lifted.clone();
            optimise(&mut function, &[], &settings);
            let shape = Shape::of(&function);
            prop_assert!(shape.is_reducible(&function), "{:?}", settings);
        }
    }

    #[test]
    fn damaged_bytes_never_panic(
        tape in prop::collection::vec(any::<u32>(), 0..60),
        damage in prop::collection::vec((any::<u16>(), 0..9usize, prop_oneof![0..70u32, any::<u32>()]), 1..4),
    ) {
        let mut damaged = random("damaged", PARAMS, result::<[u32; 12]>(), &tape, 0).clone();
        for (at, field, value) in damage {
            let length = damaged.code.len();
            let instruction = &mut damaged.code.to_mut()[usize::from(at) % length];
            match field {
                0 => instruction.opcode = value % 0xc0,
                1..5 => instruction.operands[field - 1] = value,
                5 => damaged.words = value,
                6 => damaged.lines.to_mut().truncate(value as usize),
                7 => damaged.matrices.to_mut()[0] = value,
                _ => damaged.terms.to_mut()[0][2] = value,
            }
        }
        if let Ok(program) = link(leak(damaged.clone()), &[], &Settings::default()) {
            check(&program);
            run(&damaged, &program, &[1, 2, 3], 10_000);
        }
    }
}
