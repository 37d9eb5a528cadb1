//! A program as the shaders read it, checked on the way: every word, label, matrix, parameter and site that the packed code names
//! exists.

use gpuvm_core::isa::{Class, Instruction, NO_WORD, Op, Role, WORDS, pair, unpair};
use gpuvm_core::matrix::{CONSTANT, Format, MatrixRecord, Term, dense};
use gpuvm_core::program::Program;

use gpuvm_engine::{Guard, StopAt, WordRange};
use gpuvm_shaders::layout::{guard, packed, term};

use super::canonical::canonical;
use super::superinstruction::with_superinstructions;

/// The first word of a breakpoint.
const BREAK: u32 = packed::BREAK | packed::CLASS_NONE << packed::CLASS_SHIFT;

/// A program's words for the device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packed {
    /// Four words an instruction, as `instruction.wgsl` says.
    pub code: Vec<u32>,
    /// The same with superinstructions.
    pub fused: Vec<u32>,
    /// How many words of data there are, these, and then the matrices one after the other: a sparse one as two words a term, a dense one as
    /// in the program.
    pub constants: Vec<u32>,
}

/// A breakpoint with a guard, which says where the code goes on with what it stands in place of. The VM does at once if the word is not in the range, which is all values
/// of some word where the guard has none.
fn break_with(goes_on: u32, range: Option<WordRange>) -> [u32; 4] {
    let WordRange { word, first, span } = range.unwrap_or(WordRange {
        word: 0,
        first: 0,
        span: u32::MAX,
    });
    [BREAK | word << packed::FIRST_SHIFT, goes_on, first, span]
}

impl Packed {
    /// The code with breakpoints in place of the given instructions, without their guards.
    pub fn with_breaks(&self, instructions: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut code = self.code.clone();
        for at in instructions {
            if let Some(place) = code.get_mut(at as usize * 4) {
                *place = BREAK;
            }
        }
        code
    }

    /// The same with superinstructions where no VM stops in between, and with guards: a breakpoint that has one names where the code goes on with what it
    /// stands in place of and with the checks.
    pub fn with_guards(&self, stops: &[StopAt]) -> Vec<u32> {
        let mut code = self.fused.clone();
        let place = |at: u32| at as usize * 4..at as usize * 4 + 4;
        for before in stops.iter().filter_map(|stop| stop.instruction.checked_sub(1)) {
            if let (Some(fused), Some(plain)) = (code.get_mut(place(before)), self.code.get(place(before))) {
                fused.copy_from_slice(plain);
            }
        }
        for StopAt { instruction, guard } in stops {
            let displaced = match code.get(place(*instruction)) {
                Some(words) if *instruction < self.instructions() => words.to_vec(),
                _ => continue,
            };
            let checks = guard.iter().flat_map(Guard::checks);
            let mut checks: Vec<[u32; 4]> = checks.map(guard::packed).collect();
            let mut goes_on = 0;
            if let Some([first, ..]) = checks.last_mut() {
                *first |= guard::LAST;
                goes_on = (code.len() / 4) as u32;
                code.extend(displaced);
                code.extend(checks.iter().flatten());
            }
            code[place(*instruction)].copy_from_slice(&break_with(goes_on, guard.as_ref().and_then(Guard::range)));
        }
        code
    }

    /// How many instructions there are.
    fn instructions(&self) -> u32 {
        (self.code.len() / 4) as u32
    }
}

/// Packs a program.
///
/// # Errors
///
/// A sentence that says what is wrong with the program, or what it has too much of.
pub fn pack(program: &Program) -> Result<Packed, String> {
    let last = program
        .code
        .last()
        .and_then(|instruction| Op::from_code(instruction.opcode));
    if !matches!(last, Some(Op::Jump | Op::Return | Op::Halt | Op::Trap | Op::Switch)) {
        return Err("the code does not end in a jump, return, halt or trap".to_string());
    }
    let mut words = Packed::default();
    let data = u32::try_from(program.data.len()).map_err(|_| "it has more data than words can count")?;
    words.constants.push(data);
    words.constants.extend(&program.data);
    let mut places = Vec::with_capacity(program.matrices.len());
    for (number, record) in program.matrices.iter().enumerate() {
        let place = pack_matrix(program, record, &mut words.constants)
            .ok_or_else(|| format!("matrix {number} is damaged or reaches outside of its pool"))?;
        places.push(place);
    }
    for (at, instruction) in program.code.iter().enumerate() {
        let instruction = pack_instruction(program, &places, instruction)
            .map_err(|what| format!("instruction {at} (opcode {:#x}) {what}", instruction.opcode))?;
        words.code.extend(instruction);
    }
    words.fused = with_superinstructions(&words.code, program);
    Ok(words)
}

fn pack_instruction(program: &Program, places: &[[u32; 4]], instruction: &Instruction) -> Result<[u32; 4], String> {
    let op = Op::from_code(instruction.opcode).ok_or("is no operation of the machine")?;
    let has_pairs = has_pairs(op);
    let mut operands = instruction.operands;
    for (operand, role) in operands.iter_mut().zip(op.roles()) {
        check(program, op, role, *operand)?;
        *operand = match (role, has_pairs) {
            // One word as a result of the pair kernel: both halves name it.
            (Role::Def, true) => pair(*operand, *operand),
            (Role::None, _) => 0,
            _ => *operand,
        };
    }
    if op == Op::Switch && Op::last_of_switch(instruction.operands) as usize >= program.code.len() {
        return Err("may go past the end of the code".to_string());
    }
    if op == Op::Affine {
        operands = places[operands[3] as usize];
    }
    let [_, others @ ..] = operands;
    let (done_by, others) = canonical(op, others);
    operands[1..].copy_from_slice(&others);
    // Labels and sites share a word with opcode and class.
    let first = operands[0];
    if first >= packed::FIRST_LIMIT {
        return Err(format!(
            "names {first}, and the device's engines can go to {} only",
            packed::FIRST_LIMIT - 1
        ));
    }
    operands[0] = done_by.code() | first << packed::FIRST_SHIFT | (op.class() as u32) << packed::CLASS_SHIFT;
    Ok(operands)
}

/// Whether an operation reads or writes pairs of words and is of the oracle class.
fn has_pairs(op: Op) -> bool {
    let mut roles = op.roles().into_iter();
    op.class() == Class::Oracle && roles.any(|role| matches!(role, Role::DefPair | Role::UsePair))
}

/// Whether what an operand names exists.
fn check(program: &Program, op: Op, role: Role, operand: u32) -> Result<(), String> {
    // A trap may record nothing in a word's place.
    let may_lack = matches!(op, Op::Trap | Op::TrapIf);
    let word = |word: u32| (word as usize) < WORDS || may_lack && word == NO_WORD;
    let below = |count: usize| (operand as usize) < count;
    let (exists, what) = match role {
        Role::Def | Role::Use => (word(operand), "word"),
        Role::DefPair | Role::UsePair => (word(unpair(operand).0) && word(unpair(operand).1), "pair of words"),
        Role::Label | Role::Callee => (below(program.code.len()), "label"),
        Role::Matrix => (op != Op::Affine || below(program.matrices.len()), "matrix"),
        Role::Site => (below(program.sites.len()), "trap site"),
        Role::Imm if matches!(op, Op::Param | Op::ParamLen) => (below(program.params.len() + 1), "parameter"),
        Role::Imm | Role::Base | Role::None => (true, ""),
    };
    if exists {
        Ok(())
    } else {
        Err(format!("names {what} {operand:#x}, which the program does not have"))
    }
}

/// Appends a matrix, and gives the operands of the instruction that applies it: nothing, where it starts, its terms or words, its
/// format. `None` if it is damaged.
fn pack_matrix(program: &Program, record: &MatrixRecord, words: &mut Vec<u32>) -> Option<[u32; 4]> {
    let start = words.len();
    let range = record.offset as usize..(record.offset as usize).checked_add(record.size as usize)?;
    match record.format {
        Format::Sparse => {
            let terms = program.pools.terms.get(range)?;
            for row in terms.chunk_by(|a, b| a.row == b.row) {
                let row_start = words.len();
                for term in row {
                    words.extend(pack_term(term)?);
                }
                words[row_start] |= term::FIRST;
                let last = words.len() - 2;
                words[last] |= term::LAST;
            }
        }
        Format::Dense => {
            let matrix = program.pools.dense.get(range)?;
            dense::decode(matrix)?;
            words.extend(matrix);
        }
    }
    Some([0, u32::try_from(start).ok()?, record.size, record.format as u32])
}

/// The two words of a sparse term, the ends of its row not marked yet.
fn pack_term(term: &Term) -> Option<[u32; 2]> {
    let constant = term.column == CONSTANT;
    if usize::from(term.row) >= WORDS || !constant && usize::from(term.column) >= WORDS || term.rotation >= 32 {
        return None;
    }
    let column = if constant {
        term::CONSTANT
    } else {
        u32::from(term.column)
    };
    let word = u32::from(term.row)
        | column << term::COLUMN_SHIFT
        | u32::from(term.rotation) << term::ROTATION_SHIFT
        | (term.ring as u32) << term::RING_SHIFT;
    Some([word, term.coefficient])
}
