//! Constants that are slices. How long one is, only its words say, which are there when the routine is linked: then they become words of the
//! routine, with the instructions that set them.

use std::borrow::Cow;

use crate::isa::{Instruction, Op, Role};
use crate::matrix::{Format, MatrixRecord, Term, instruction_terms};
use crate::routine::{Constant, Routine};

/// The routine with the elements of its constant slices laid out: before the [`Op::Address`] of each stand the instructions that set its words.
pub(crate) fn lay_out(routine: &'static Routine) -> Cow<'static, Routine> {
    let is_possible = routine.lines.len() == routine.code.len();
    if !is_possible || !routine.constants.iter().any(|constant| constant.refers) {
        return Cow::Borrowed(routine);
    }
    let mut constants: Vec<&Constant> = routine.constants.iter().filter(|constant| constant.refers).collect();
    constants.sort_by_key(|constant| constant.at);
    let mut out = Out {
        words: routine.words,
        code: Vec::new(),
        lines: Vec::new(),
        matrices: routine.matrices.to_vec(),
        terms: routine.terms.to_vec(),
        inserted: Vec::new(),
    };
    let mut next = 0;
    for constant in constants {
        let at = constant.at as usize;
        let (Some(before), Some(own)) = (routine.code.get(next..at), routine.code.get(at..)) else {
            continue;
        };
        out.code.extend_from_slice(before);
        out.lines.extend_from_slice(&routine.lines[next..at]);
        next = at + out.constant(at, own, routine.lines[at], &constant.words.fetch());
    }
    out.code.extend_from_slice(&routine.code[next..]);
    out.lines.extend_from_slice(&routine.lines[next..]);
    let moved = |at: u32| {
        let before = out.inserted.iter().take_while(|(place, _)| *place < at as usize);
        at + before.map(|(_, count)| count).sum::<u32>()
    };
    for instruction in &mut out.code {
        let Some(op) = Op::from_code(instruction.opcode) else {
            continue;
        };
        for (role, operand) in op.roles().iter().zip(&mut instruction.operands) {
            if *role == Role::Label {
                *operand = moved(*operand);
            }
        }
    }
    let others = routine.constants.iter().filter(|constant| !constant.refers);
    let mut laid_out = routine.clone();
    laid_out.constants = others
        .map(|constant| Constant {
            at: moved(constant.at),
            ..*constant
        })
        .collect();
    laid_out.matrices = Cow::Owned(out.matrices);
    laid_out.terms = Cow::Owned(out.terms);
    laid_out.code = Cow::Owned(out.code);
    laid_out.lines = Cow::Owned(out.lines);
    laid_out.words = out.words;
    Cow::Owned(laid_out)
}

/// A routine that is being laid out.
struct Out {
    words: u32,
    code: Vec<Instruction>,
    lines: Vec<u32>,
    matrices: Vec<MatrixRecord>,
    terms: Vec<Term>,
    /// Before which instructions of before how many new ones stand.
    inserted: Vec<(usize, u32)>,
}

impl Out {
    /// Lays out a constant of these words, whose instructions begin at `at` and are the first of `own`. Gives how many they are.
    fn constant(&mut self, at: usize, own: &[Instruction], line: u32, mut words: &[u32]) -> usize {
        let mut count = 0;
        for &instruction in own {
            let Some((&first, rest)) = words.split_first() else {
                break;
            };
            words = rest;
            count += 1;
            if instruction.opcode != Op::Address.code() {
                self.set(instruction, first, line);
                continue;
            }
            let (elements, rest) = words.split_at((first as usize).min(words.len()));
            words = rest;
            let base = self.words;
            for (word, &element) in (base..).zip(elements) {
                self.set(Instruction::new(Op::Imm, [word, 0, 0, 0]), element, line);
            }
            self.inserted.push((at + count - 1, elements.len() as u32));
            self.words = base.saturating_add(elements.len() as u32);
            let mut address = instruction;
            if !elements.is_empty() {
                (address.operands[1], address.operands[2]) = (base, elements.len() as u32);
            }
            self.code.push(address);
            self.lines.push(line);
        }
        count
    }

    /// Sets a word to a constant.
    fn set(&mut self, mut instruction: Instruction, word: u32, line: u32) {
        instruction.operands[1] = word;
        instruction.operands[3] = self.matrices.len() as u32;
        self.matrices.push(record(&mut self.terms, instruction));
        self.code.push(instruction);
        self.lines.push(line);
    }
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
