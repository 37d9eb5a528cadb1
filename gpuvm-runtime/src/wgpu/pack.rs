//! A program as the shaders read it, checked on the way: every word, label, matrix, parameter and site that the packed code names
//! exists.

use gpuvm_core::isa::{Class, Effect, Instruction, NO_WORD, Op, Role, WORDS, pair, unpair};
use gpuvm_core::matrix::{CONSTANT, Format, MatrixRecord, Term, dense};
use gpuvm_core::program::Program;

use super::source::{Shape, term};

/// A program's words for the device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packed {
    /// Four words an instruction, as `instruction.wgsl` says.
    pub code: Vec<u32>,
    /// The terms of all sparse matrices, two words each, then the dense matrices.
    pub matrices: Vec<u32>,
}

/// Labels and sites share a word with opcode and shape, so they have to be below this.
const FIRST_OPERANDS: u32 = 1 << 21;

/// Packs a program.
///
/// # Errors
///
/// A sentence that says what is wrong with the program, or what it has too much of.
pub fn pack(program: &Program) -> Result<Packed, String> {
    let last = program.code.last().and_then(|instruction| Op::from_code(instruction.opcode));
    if !matches!(last, Some(Op::Jump | Op::Return | Op::Halt | Op::Trap)) {
        return Err("the code does not end in a jump, return, halt or trap".to_string());
    }
    let mut packed = Packed::default();
    packed.matrices.reserve(2 * program.pools.terms.len() + program.pools.dense.len());
    for (i, term) in program.pools.terms.iter().enumerate() {
        packed.matrices.extend(pack_term(term, i, &program.pools.terms)?);
    }
    packed.matrices.extend(&program.pools.dense);
    for (at, instruction) in program.code.iter().enumerate() {
        let words = pack_instruction(program, instruction)
            .map_err(|what| format!("instruction {at} (opcode {:#x}) {what}", instruction.opcode))?;
        packed.code.extend(words);
    }
    Ok(packed)
}

fn pack_instruction(program: &Program, instruction: &Instruction) -> Result<[u32; 4], String> {
    let op = Op::from_code(instruction.opcode).ok_or("is no operation of the machine")?;
    let shape = shape(op);
    let mut operands = instruction.operands;
    for (operand, role) in operands.iter_mut().zip(op.roles()) {
        check(program, op, role, *operand)?;
        *operand = match (role, shape) {
            // One word as a result of the pair kernel: both halves name it.
            (Role::Def, Shape::OraclePair) => pair(*operand, *operand),
            (Role::None, _) => 0,
            _ => *operand,
        };
    }
    match op {
        // The constant of a linear operation is its third operand.
        Op::Imm => operands = [operands[0], 0, operands[1], 0],
        Op::Affine => operands = place(program, &program.matrices[operands[3] as usize])?,
        _ => {}
    }
    let first = operands[0];
    if first >= FIRST_OPERANDS {
        return Err(format!("names {first}, and the device's engines can go to {} only", FIRST_OPERANDS - 1));
    }
    operands[0] = op.code() | first << 8 | (shape as u32) << 29;
    Ok(operands)
}

/// Which part of the interpreter an operation is for.
fn shape(op: Op) -> Shape {
    let pairs = op.roles().iter().any(|role| matches!(role, Role::DefPair | Role::UsePair));
    match op.class() {
        _ if op == Op::Affine => Shape::Matrix,
        Class::Linear => Shape::Linear,
        Class::Oracle if pairs => Shape::OraclePair,
        Class::Oracle => Shape::Oracle,
        Class::Branch => Shape::Branch,
        Class::Io => Shape::Io,
    }
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
    if exists { Ok(()) } else { Err(format!("names {what} {operand:#x}, which the program does not have")) }
}

/// Operands 1 to 3 of a matrix instruction: where it starts in the packed words, its terms, its format.
fn place(program: &Program, record: &MatrixRecord) -> Result<[u32; 4], String> {
    let end = u64::from(record.offset) + u64::from(record.size);
    let terms = program.pools.terms.len();
    let (offset, pool) = match record.format {
        Format::Sparse => (2 * u64::from(record.offset), terms),
        Format::Dense => (2 * terms as u64 + u64::from(record.offset), program.pools.dense.len()),
    };
    if end > pool as u64 {
        return Err("has a matrix that ends past its pool".to_string());
    }
    if record.format == Format::Dense {
        let words = &program.pools.dense[record.offset as usize..end as usize];
        dense::decode(words).ok_or("has a dense matrix that is not of the dense form")?;
    }
    let offset = u32::try_from(offset).map_err(|_| "has a matrix further back than words can number")?;
    Ok([0, offset, record.size, record.format as u32])
}

/// The two words of a sparse term, with marks at the ends of its row.
fn pack_term(term: &Term, i: usize, terms: &[Term]) -> Result<[u32; 2], String> {
    let constant = term.column == CONSTANT;
    if usize::from(term.row) >= WORDS || !constant && usize::from(term.column) >= WORDS || term.rotation >= 32 {
        return Err(format!("matrix term {i} names a word that does not exist"));
    }
    // Rows of neighbouring matrices may be the same word, so equal rows alone do not mean one row; see `mark_ends`.
    let column = if constant { term::CONSTANT } else { u32::from(term.column) };
    let _ = terms;
    let word = u32::from(term.row)
        | column << term::COLUMN_SHIFT
        | u32::from(term.rotation) << term::ROTATION_SHIFT
        | (term.ring as u32) << term::RING_SHIFT;
    Ok([word, term.coefficient])
}
