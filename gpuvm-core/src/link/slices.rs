//! Constants that are slices. How long one is, only its words say, which are there when the routine is linked: then they become words of the
//! routine, with the instructions that set them.

use std::borrow::Cow;

use crate::isa::{Instruction, Op, Role};
use crate::matrix::{Format, MatrixRecord, Term, instruction_terms};
use crate::routine::{Constant, Routine};

/// The routine with its constant slices laid out: before the [`Op::Address`] of each stand the instructions that set its words.
pub(crate) fn lay_out(routine: &'static Routine) -> Cow<'static, Routine> {
    if !routine.constants.iter().any(|constant| constant.is_slice) {
        return Cow::Borrowed(routine);
    }
    let mut slices: Vec<Slice> = routine
        .constants
        .iter()
        .filter_map(|constant| Slice::of(constant, routine))
        .collect();
    slices.sort_by_key(|slice| slice.at);
    let mut laid_out = routine.clone();
    let mut words = routine.words;
    let (mut code, mut lines) = (Vec::new(), Vec::new());
    let (mut matrices, mut terms) = (routine.matrices.to_vec(), routine.terms.to_vec());
    let mut start = 0;
    for slice in &slices {
        code.extend_from_slice(&routine.code[start..slice.at]);
        lines.extend_from_slice(&routine.lines[start..slice.at]);
        let line = routine.lines[slice.at];
        for (i, &word) in slice.words.iter().enumerate() {
            let set = Instruction::new(Op::Imm, [words + i as u32, word, 0, matrices.len() as u32]);
            matrices.push(record(&mut terms, set));
            code.push(set);
            lines.push(line);
        }
        let mut address = routine.code[slice.at];
        if !slice.words.is_empty() {
            address.operands[1] = words;
            address.operands[2] = slice.words.len() as u32;
        }
        let mut length = routine.code[slice.at + 1];
        length.operands[1] = slice.length;
        length.operands[3] = matrices.len() as u32;
        matrices.push(record(&mut terms, length));
        code.extend([address, length]);
        lines.extend_from_slice(&routine.lines[slice.at..slice.at + 2]);
        words = words.saturating_add(slice.words.len() as u32);
        start = slice.at + 2;
    }
    code.extend_from_slice(&routine.code[start..]);
    lines.extend_from_slice(&routine.lines[start..]);
    let moved = |at: u32| {
        let before = slices.iter().take_while(|slice| slice.at < at as usize);
        at + before.map(|slice| slice.words.len() as u32).sum::<u32>()
    };
    for instruction in &mut code {
        let Some(op) = Op::from_code(instruction.opcode) else {
            continue;
        };
        for (role, operand) in op.roles().iter().zip(&mut instruction.operands) {
            if *role == Role::Label {
                *operand = moved(*operand);
            }
        }
    }
    let constants = routine.constants.iter().filter(|constant| !constant.is_slice);
    laid_out.constants = constants
        .map(|constant| Constant {
            at: moved(constant.at),
            ..*constant
        })
        .collect();
    laid_out.matrices = Cow::Owned(matrices);
    laid_out.terms = Cow::Owned(terms);
    laid_out.code = Cow::Owned(code);
    laid_out.lines = Cow::Owned(lines);
    laid_out.words = words;
    Cow::Owned(laid_out)
}

/// The matrix of a linear instruction, its terms put behind the others.
fn record(terms: &mut Vec<Term>, instruction: Instruction) -> MatrixRecord {
    let row = instruction_terms(instruction);
    let offset = terms.len() as u32;
    terms.extend_from_slice(&row.terms[..row.count]);
    MatrixRecord {
        format: Format::Sparse,
        offset,
        size: row.count as u32,
        non_zeros: row.count as u32,
    }
}

/// A constant slice: where its address is taken, how many elements it has, and their words.
struct Slice {
    at: usize,
    length: u32,
    words: Vec<u32>,
}

impl Slice {
    /// `None` where the instructions are not there, as in routines by hand: the check of the routine says so.
    fn of(constant: &Constant, routine: &Routine) -> Option<Slice> {
        let at = constant.at as usize;
        let opcode = |at: usize| routine.code.get(at).map(|instruction| instruction.opcode);
        let is_there = constant.is_slice
            && opcode(at) == Some(Op::Address.code())
            && opcode(at + 1) == Some(Op::Imm.code())
            && routine.lines.len() == routine.code.len();
        let words = is_there.then(|| constant.words.fetch())?;
        let (&length, words) = words.split_first()?;
        Some(Slice {
            at,
            length,
            words: words.to_vec(),
        })
    }
}
