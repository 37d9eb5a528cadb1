//! Routines and parts of kernels for tests.

use super::*;
use crate::compile::link_kernel;
use crate::isa::{Instruction, NO_WORD, Op};
use crate::link::LinkError;
use crate::link::testing::{leak, result, routine, u32s};
use crate::link::tests::{check, i};
use crate::program::Program;
use crate::routine::Routine;
use crate::settings::Settings;
use crate::types::Value;

/// `fn(u32, …) -> u32` of some code.
pub(super) fn plain(name: &str, params: usize, words: u32, code: Vec<Instruction>) -> &'static Routine {
    leak(routine(name, u32s(params), result::<u32>(), words, code, vec![]))
}

pub(super) fn ret(word: u32) -> Instruction {
    i(Op::Return, word, 0, 0, 0)
}

/// `x * 3 + vm::id() + 1000 * vm::count()`
pub(super) fn step() -> &'static Routine {
    let code = vec![
        i(Op::MulImm, 1, 0, 3, 0),
        i(Op::VmId, 2, 0, 0, 0),
        i(Op::Add, 1, 1, 2, 0),
        i(Op::VmCount, 2, 0, 0, 0),
        i(Op::MulImm, 2, 2, 1000, 0),
        i(Op::Add, 1, 1, 2, 0),
        ret(1),
    ];
    plain("step", 1, 3, code)
}

/// `a * 31 ^ b`, neither associative nor commutative, which traps in its line 2 where `b` is 77.
pub(super) fn mix() -> &'static Routine {
    let code = vec![
        i(Op::MulImm, 2, 0, 31, 0),
        i(Op::XorImm, 4, 1, 77, 0),
        i(Op::Imm, 5, 0, 0, 0),
        i(Op::Eq, 4, 4, 5, 0),
        i(Op::TrapIf, 2, 4, 1, NO_WORD),
        i(Op::Xor, 3, 2, 1, 0),
        ret(3),
    ];
    plain("mix", 2, 6, code)
}

/// `(x & 15, x >> 4)`
pub(super) fn split() -> &'static Routine {
    let code = vec![i(Op::AndImm, 1, 0, 15, 0), i(Op::ShrImm, 2, 0, 4, 0), ret(1)];
    leak(routine("split", u32s(1), result::<(u32, u32)>(), 3, code, vec![]))
}

/// `x % 3 == 1`
pub(super) fn third() -> &'static Routine {
    let code = vec![
        i(Op::Imm, 1, 3, 0, 0),
        i(Op::RemU, 1, 0, 1, 0),
        i(Op::Imm, 2, 1, 0, 0),
        i(Op::Eq, 1, 1, 2, 0),
        ret(1),
    ];
    leak(routine("third", u32s(1), result::<bool>(), 3, code, vec![]))
}

/// `fn span(all: &[u32], step: u32) -> (u32, u32, u32) { (all[vm::id()], step, all[vm::id() + 1]) }`
pub(super) fn span() -> &'static Routine {
    let code = vec![
        i(Op::VmId, 7, 0, 0, 0),
        i(Op::Add, 7, 1, 7, 0),
        i(Op::Load, 4, 0, 7, 0),
        i(Op::AddImm, 5, 3, 0, 0),
        i(Op::Load, 6, 0, 7, 1),
        ret(4),
    ];
    let params = vec![types::<&[u32]>(), types::<u32>()];
    leak(routine("span", params, result::<(u32, u32, u32)>(), 8, code, vec![]))
}

/// Pairs as two-by-two steps of a linear congruential generator: `(a.0 * b.0, a.1 * b.0 + b.1)`, which is associative.
pub(super) fn compose() -> &'static Routine {
    let code = vec![
        i(Op::Mul, 4, 0, 2, 0),
        i(Op::Mul, 5, 1, 2, 0),
        i(Op::Add, 5, 5, 3, 0),
        ret(4),
    ];
    let params = vec![TypeRef::of::<(u32, u32)>(); 2];
    leak(routine("compose", params, result::<(u32, u32)>(), 6, code, vec![]))
}

pub(super) fn call(routine: &'static Routine, args: Vec<Input>) -> Call {
    Call {
        routine: routine.into(),
        args,
    }
}

pub(super) fn field(of: Input, field: usize) -> Input {
    Input::Field(Box::new(of), field)
}

pub(super) fn output(value: Input, to: usize) -> Output {
    Output { value, to }
}

pub(super) fn types<T: Value + ?Sized>() -> TypeRef {
    TypeRef::of::<T>()
}

/// A kernel over `u32` in parameter 0, `&[u32]`.
pub(super) fn over(params: Vec<TypeRef>, calls: Vec<Call>, then: impl Into<Option<Then>>) -> Kernel {
    Kernel {
        name: "several".into(),
        params: [vec![types::<&[u32]>()], params].concat(),
        result: types::<()>(),
        calls,
        count: Count::Slice(0),
        stores: vec![],
        then: then.into(),
    }
}

pub(super) fn numbers(count: u32) -> Vec<u32> {
    (0..count).map(|k| k.wrapping_mul(0x9e37_79b9) >> 20).collect()
}

pub(super) fn program(kernel: &Kernel, settings: &Settings) -> Program {
    let program = link_kernel(kernel, &[], settings).expect("the kernel fits");
    check(&program);
    program
}

pub(super) fn refused(kernel: &Kernel) -> String {
    match link_kernel(kernel, &[], &Settings::default()) {
        Err(LinkError::Kernel { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}
