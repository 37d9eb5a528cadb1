//! Puts shaders together: constants that follow from the core's tables, the shared parts, and an entry file. A number that the
//! core states is never typed again in WGSL.

use std::fmt::Write;

use gpuvm_core::interp::{MEMORY_SITE, STACK_SITE, header};
use gpuvm_core::isa::{CALL_FRAME_WORDS, NO_WORD, Op, STATE_WORDS, WORDS, space};
use gpuvm_core::matrix::{CONSTANT, Format, Ring, dense};
use gpuvm_core::program::Status;

/// A shader's entry file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The interpreter.
    Interpreter,
    /// Known answers of float arithmetic.
    Probe,
}

impl Entry {
    /// The name of the entry point.
    pub fn point(self) -> &'static str {
        match self {
            Entry::Interpreter => "interpret",
            Entry::Probe => "probe",
        }
    }

    /// The complete WGSL.
    pub fn source(self) -> String {
        let (shared, entry): (&[&str], _) = match self {
            Entry::Interpreter => {
                (&[ARITHMETIC, MACHINE].concat(), include_str!("../../shaders/interpreter.wgsl"))
            }
            Entry::Probe => (ARITHMETIC, include_str!("../../shaders/probe.wgsl")),
        };
        let mut source = constants();
        for part in shared.iter().chain([&entry]) {
            source.push_str(part);
            source.push('\n');
        }
        source
    }
}

/// What any shader may use.
const ARITHMETIC: &[&str] = &[
    include_str!("../../shaders/shared/integer.wgsl"),
    include_str!("../../shaders/shared/long.wgsl"),
    include_str!("../../shaders/shared/float.wgsl"),
];

/// What needs a launch and a VM.
const MACHINE: &[&str] = &[
    include_str!("../../shaders/shared/launch.wgsl"),
    include_str!("../../shaders/shared/registers.wgsl"),
    include_str!("../../shaders/shared/instruction.wgsl"),
    include_str!("../../shaders/shared/memory.wgsl"),
    include_str!("../../shaders/shared/matrix.wgsl"),
    include_str!("../../shaders/shared/linear.wgsl"),
    include_str!("../../shaders/shared/oracle.wgsl"),
    include_str!("../../shaders/shared/branch.wgsl"),
    include_str!("../../shaders/shared/io.wgsl"),
];

/// How an instruction's operands are read and its results written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Shape {
    /// One word from one or two words or a constant.
    Linear,
    /// A whole matrix.
    Matrix,
    /// One word from up to three.
    Oracle,
    /// Pairs of words take part.
    OraclePair,
    /// Decides the next instruction.
    Branch,
    /// Everything else.
    Io,
}

/// Rows of the states buffer: the canonical record, then what the engine keeps beside it.
pub mod row {
    use super::STATE_WORDS;

    /// The running routine's frame base.
    pub const FRAME_BASE: usize = STATE_WORDS;
    /// Calls that have not returned.
    pub const CALLS: usize = STATE_WORDS + 1;
    /// The site of a trap.
    pub const SITE: usize = STATE_WORDS + 2;
    /// The four words that a trap records.
    pub const TRAP_WORDS: usize = STATE_WORDS + 3;
    /// How many rows there are.
    pub const COUNT: usize = STATE_WORDS + 7;
}

/// Words of the signal buffer.
pub mod signal {
    /// VMs that no longer run.
    pub const STOPPED: usize = 0;
    /// Those of them that yielded.
    pub const YIELDED: usize = 1;
    /// Those of them that trapped.
    pub const TRAPPED: usize = 2;
    /// Instructions by class, the low words; the high words follow them.
    pub const RETIRED: usize = 3;
    /// Words that the VMs add to.
    pub const COUNTS: usize = 7;
    /// Words in all.
    pub const WORDS: usize = 11;
}

/// A sparse term as two words: the bits of the first.
pub mod term {
    /// Where the column starts; the row is before it.
    pub const COLUMN_SHIFT: u32 = 5;
    /// Where the rotation starts.
    pub const ROTATION_SHIFT: u32 = 10;
    /// Where the ring starts.
    pub const RING_SHIFT: u32 = 15;
    /// The first term of its row.
    pub const FIRST: u32 = 1 << 17;
    /// The last term of its row.
    pub const LAST: u32 = 1 << 18;
    /// In place of a column: the constant.
    pub const CONSTANT: u32 = 31;
}

/// The constants that the shaders use, as WGSL.
fn constants() -> String {
    let fixed = [
        ("WORDS", WORDS as u32),
        ("CALL_FRAME_WORDS", CALL_FRAME_WORDS as u32),
        ("NO_WORD", NO_WORD),
        ("SPACE_FRAME", space::FRAME),
        ("SPACE_ARENA", space::ARENA),
        ("SPACE_ATOMIC", space::ATOMIC),
        ("STATUS_RUNNING", Status::Running as u32),
        ("STATUS_YIELDED", Status::Yielded as u32),
        ("STATUS_HALTED", Status::Halted as u32),
        ("STATUS_TRAPPED", Status::Trapped as u32),
        ("SITE_MEMORY", MEMORY_SITE),
        ("SITE_STACK", STACK_SITE),
        ("FORMAT_SPARSE", Format::Sparse as u32),
        ("RING_INTEGER", Ring::Integer as u32),
        ("RING_BITS", Ring::Bits as u32),
        ("DENSE_EMPTY", dense::EMPTY_SLOT),
        ("DENSE_CONSTANT", u32::from(CONSTANT)),
        ("COLUMN_SHIFT", term::COLUMN_SHIFT),
        ("ROTATION_SHIFT", term::ROTATION_SHIFT),
        ("RING_SHIFT", term::RING_SHIFT),
        ("TERM_FIRST", term::FIRST),
        ("TERM_LAST", term::LAST),
        ("COLUMN_CONSTANT", term::CONSTANT),
        ("SHAPE_LINEAR", Shape::Linear as u32),
        ("SHAPE_MATRIX", Shape::Matrix as u32),
        ("SHAPE_ORACLE", Shape::Oracle as u32),
        ("SHAPE_ORACLE_PAIR", Shape::OraclePair as u32),
        ("SHAPE_BRANCH", Shape::Branch as u32),
    ];
    let places = [
        ("ROW_IP", header::IP),
        ("ROW_STATUS", header::STATUS),
        ("ROW_DEPTH", header::DEPTH),
        ("ROW_WORDS", header::WORD_0),
        ("ROW_FRAME_BASE", row::FRAME_BASE),
        ("ROW_CALLS", row::CALLS),
        ("ROW_SITE", row::SITE),
        ("ROW_TRAP_WORDS", row::TRAP_WORDS),
        ("SIGNAL_STOPPED", signal::STOPPED),
        ("SIGNAL_YIELDED", signal::YIELDED),
        ("SIGNAL_TRAPPED", signal::TRAPPED),
        ("SIGNAL_RETIRED", signal::RETIRED),
        ("SIGNAL_COUNTS", signal::COUNTS),
    ];
    let mut text = String::new();
    let mut add = |name: &str, value: u32| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "const {name}: u32 = {value}u;");
    };
    for op in Op::ALL {
        add(&format!("OP_{}", upper_snake(op.name())), op.code());
    }
    for (name, value) in fixed {
        add(name, value);
    }
    for (name, value) in places {
        add(name, value as u32);
    }
    text
}

/// `MulHighU` as `MUL_HIGH_U`.
fn upper_snake(name: &str) -> String {
    let mut text = String::new();
    for (i, letter) in name.chars().enumerate() {
        if i > 0 && letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_uppercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn op_names_become_constants() {
        assert_eq!(upper_snake("MulHighU"), "MUL_HIGH_U");
        assert_eq!(upper_snake("I64ToF"), "I64_TO_F");
        assert!(constants().contains("const OP_F_ADD: u32 = 17u;"));
    }

    #[test]
    fn every_op_is_named_by_the_interpreter() {
        let source = Entry::Interpreter.source();
        for op in Op::ALL.iter().filter(|op| **op != Op::Affine) {
            let name = format!("OP_{}", upper_snake(op.name()));
            let uses = source.match_indices(&name).filter(|(at, _)| {
                !source[at + name.len()..].starts_with(|c: char| c == '_' || c.is_ascii_alphanumeric())
            });
            assert!(uses.count() > 1, "{name} is declared and never used");
        }
    }
}
