//! Puts shaders together: constants that follow from the core's tables, the shared parts, and an entry file. A number that the
//! core states is never typed again in WGSL.

use std::fmt::Write;

use gpuvm_core::interp::header;
use gpuvm_core::isa::{CALL_FRAME_WORDS, Class, Op, STATE_WORDS, Unit, WORDS, space};
use gpuvm_core::library;
use gpuvm_core::matrix::{CONSTANT, Format, Ring, dense};
use gpuvm_core::program::Status;
use gpuvm_engine::fault;

use super::floats::{FloatOps, Needs};
use super::parts::{Part, Uses};
use super::stepper::BINDINGS;
use gpuvm_shaders as wgsl;

/// A shader's entry file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// The interpreter, able to run what the programs it is for use.
    Interpreter(Uses),
    /// The epoch engine's kernel that begins a batch.
    Prepare,
    /// The epoch engine's kernel that sorts the VMs by class, with workgroups of the given size.
    Classify(Uses, u32),
    /// The epoch engine's kernel for one class, able to run what the programs it is for use, with workgroups of the given size.
    Turn(Class, Uses, u32),
    /// Known answers of float arithmetic.
    Probe,
    /// Square roots from the device's estimate.
    Roots,
    /// Moves states and frames between rows and records.
    Transpose,
    /// Begins a step of a launch.
    Step,
    /// What surrounds a specialised program.
    Specialized,
}

impl Entry {
    /// The name of the entry point.
    pub fn point(self) -> &'static str {
        match self {
            Entry::Interpreter(_) => "interpret",
            Entry::Prepare => "prepare",
            Entry::Classify(..) => "classify",
            Entry::Turn(..) => "take_turn",
            Entry::Probe => "probe",
            Entry::Roots => "try_roots",
            Entry::Transpose => "move_words",
            Entry::Step => "begin_step",
            Entry::Specialized => "fresh",
        }
    }

    /// Whether it is for programs whose floats may be inexact.
    pub fn relaxed(self) -> bool {
        match self {
            Entry::Interpreter(uses) | Entry::Classify(uses, _) | Entry::Turn(_, uses, _) => uses.relaxed,
            Entry::Prepare | Entry::Probe | Entry::Roots | Entry::Transpose | Entry::Step | Entry::Specialized => false,
        }
    }

    /// Whether its dispatches are sized by the device.
    pub fn indirect(self) -> bool {
        matches!(self, Entry::Turn(..))
    }

    /// Whether it is for programs that have operations on atomic pairs, so that these are bound behind all else in its first group.
    pub fn has_pairs(self) -> bool {
        match self {
            Entry::Interpreter(uses) | Entry::Turn(_, uses, _) => uses.has(Part::Unit(Unit::AtomicPair)),
            _ => false,
        }
    }

    /// What it has for operations on atomic pairs.
    fn pairs(self) -> &'static [&'static str] {
        match self {
            _ if self.has_pairs() => &[wgsl::shared::ATOMIC_PAIRS, wgsl::shared::IO_PAIRS],
            Entry::Interpreter(_) | Entry::Prepare | Entry::Classify(..) | Entry::Turn(..) => {
                &[wgsl::shared::IO_NO_PAIRS]
            }
            // It is read on any device; what a program does not use is left out.
            Entry::Specialized => &[wgsl::shared::ATOMIC_PAIRS],
            Entry::Probe | Entry::Roots | Entry::Transpose | Entry::Step => &[],
        }
    }

    /// The complete WGSL. `floats` are the forms of arithmetic to use, for the probe those to try.
    pub fn source(self, floats: FloatOps) -> String {
        let mut source = constants();
        // Drivers see no gaps between bindings: here the code and its constants come before. A specialised program has the pairs in place of
        // a joined job's launch.
        let pairs_binding = match self {
            Entry::Specialized => BINDINGS,
            _ => BINDINGS + 2,
        };
        // Writing to a string cannot fail.
        let _ = writeln!(source, "const ATOMIC_PAIRS_BINDING: u32 = {pairs_binding}u;");
        let (parts, entry): (&[&[&str]], _) = match self {
            Entry::Interpreter(uses) => {
                uses.declare(&mut source);
                (&[MACHINE, REGISTERS], wgsl::INTERPRETER)
            }
            Entry::Prepare => {
                declare_epoch(&mut source, Uses::default(), 1);
                (&[MACHINE, QUEUES], wgsl::epoch::PREPARE)
            }
            Entry::Classify(uses, workgroup) => {
                declare_epoch(&mut source, uses, workgroup);
                (&[MACHINE, QUEUES], wgsl::epoch::CLASSIFY)
            }
            Entry::Turn(class, uses, workgroup) => {
                declare_epoch(&mut source, uses, workgroup);
                (&[MACHINE, QUEUES, TURN], step(class))
            }
            Entry::Probe => {
                let _ = writeln!(source, "const FORMS: u32 = {}u;", floats.count());
                floats.declare_probe(&mut source);
                (&[], wgsl::PROBE)
            }
            Entry::Roots => (&[], wgsl::ROOTS),
            Entry::Transpose => (&[], wgsl::TRANSPOSE),
            Entry::Step => (&[], wgsl::STEP),
            Entry::Specialized => (&[SPECIALIZED], wgsl::SPECIALIZED),
        };
        if !matches!(self, Entry::Transpose | Entry::Step) {
            source.push_str(&arithmetic(floats));
        }
        let pairs = self.pairs();
        if self.has_pairs() && !floats.needs(Needs::Long) {
            source.push_str(wgsl::shared::LONG_JOIN);
        }
        for part in parts.iter().copied().flatten().chain(pairs).chain([&entry]) {
            source.push_str(part);
            source.push('\n');
        }
        source
    }
}

/// The functions of arithmetic, which any shader may call by the names of the operations. They count in a private
/// `inner`, which the shader has to have, how often their loops turn.
pub fn arithmetic(floats: FloatOps) -> String {
    let mut source = String::new();
    floats.declare(&mut source);
    let native = [
        (Needs::Double, wgsl::shared::FLOAT_DOUBLE),
        (Needs::Long, wgsl::shared::LONG_JOIN),
        (Needs::Long, wgsl::shared::LONG_NATIVE),
    ];
    let native = native.iter().filter(|(needs, _)| floats.needs(*needs));
    for part in ARITHMETIC.iter().chain(native.map(|(_, part)| part)) {
        source.push_str(part);
        source.push('\n');
    }
    source
}

/// Arithmetic on every device.
const ARITHMETIC: &[&str] = &[
    wgsl::shared::INTEGER,
    wgsl::shared::LONG,
    wgsl::shared::FLOAT,
    wgsl::shared::FLOAT_NATIVE,
    wgsl::shared::FLOAT_ROUND,
    wgsl::shared::FLOAT_FMA,
    wgsl::shared::FLOAT_ROOT,
    wgsl::shared::FLOAT_CONVERT,
];

/// What a specialised program needs.
const SPECIALIZED: &[&str] = &[wgsl::shared::LAUNCH, wgsl::shared::MATH];

/// What needs a launch and a VM.
const MACHINE: &[&str] = &[
    wgsl::shared::LAUNCH,
    wgsl::shared::REGISTERS,
    wgsl::shared::INSTRUCTION,
    wgsl::shared::SIGNAL,
    wgsl::shared::MEMORY,
    wgsl::shared::MATRIX,
    wgsl::shared::LINEAR,
    wgsl::shared::MATH,
    wgsl::shared::ORACLE,
    wgsl::shared::BRANCH,
    wgsl::shared::IO,
];

/// The words in private memory, for kernels that run a VM for long.
const REGISTERS: &[&str] = &[wgsl::shared::WORDS];

/// What the epoch engine's kernels share.
const QUEUES: &[&str] = &[wgsl::epoch::WORDS, wgsl::epoch::QUEUE];

/// The frame of a class's kernel.
const TURN: &[&str] = &[wgsl::epoch::TURN];

/// The constants that only the epoch engine's kernels have.
fn declare_epoch(text: &mut String, uses: Uses, workgroup: u32) {
    uses.declare(text);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "const EPOCH_WORKGROUP: u32 = {workgroup}u;");
    let _ = writeln!(text, "const MOST_STEPS: u32 = {}u;", epoch::MOST_STEPS);
}

/// What the epoch engine's kernel of a class does for one instruction.
fn step(class: Class) -> &'static str {
    match class {
        Class::Linear => wgsl::epoch::LINEAR,
        Class::Oracle => wgsl::epoch::ORACLE,
        Class::Branch => wgsl::epoch::BRANCH,
        Class::Io => wgsl::epoch::IO,
    }
}

/// Invocations of a workgroup.
pub const WORKGROUP: u32 = 64;

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
    /// A breakpoint in place of an instruction: the VM stops in front of it.
    Break,
}

/// Rows of the states buffer: the canonical record, then what the engine keeps beside it.
pub mod row {
    use super::STATE_WORDS;

    /// The running routine's frame base.
    pub const FRAME_BASE: usize = STATE_WORDS;
    /// Calls that have not returned.
    pub const CALLS: usize = STATE_WORDS + 1;
    /// Why a VM trapped, one of the reasons in [`fault`](super::fault).
    pub const FAULT: usize = STATE_WORDS + 2;
    /// Which offset was outside of memory.
    pub const FAULT_OFFSET: usize = STATE_WORDS + 3;
    /// How many rows there are.
    pub const COUNT: usize = STATE_WORDS + 4;
}

/// Words of the signal buffer.
pub mod signal {
    /// VMs that no longer run.
    pub const STOPPED: usize = 0;
    /// Those of them that yielded.
    pub const YIELDED: usize = 1;
    /// Those of them that trapped.
    pub const TRAPPED: usize = 2;
    /// The largest `!vm` of a VM that trapped, `vm` counted within the batch: it stands for the first trap. 0 if none trapped.
    pub const FIRST_TRAP: usize = 3;
    /// Running VMs that a dispatch has left in front of a breakpoint.
    pub const AT_BREAK: usize = 4;
    /// Instructions by class, the low words; the high words follow them.
    pub const RETIRED: usize = 5;
    /// Words that the VMs add to.
    pub const COUNTS: usize = 9;
    /// Not 0: a VM has trapped in an earlier step of the job, so that no further step starts.
    pub const ENDED: usize = 13;
    /// Epochs in which there was anything to do, of the epoch engine.
    pub const EPOCHS: usize = 14;
    /// Words in all.
    pub const WORDS: usize = 15;
}

/// The first word of a packed instruction: opcode, first operand, shape.
pub mod packed {
    /// Where the first operand starts; the opcode is before it.
    pub const FIRST_SHIFT: u32 = 8;
    /// The first operand is below this.
    pub const FIRST_LIMIT: u32 = 1 << (SHAPE_SHIFT - FIRST_SHIFT);
    /// Where the shape starts.
    pub const SHAPE_SHIFT: u32 = 29;
}

/// What the epoch engine and its kernels agree on.
pub mod epoch {
    /// The classes of instructions, each with two queues.
    pub const CLASSES: u32 = 4;
    /// Of the counts' words the first of the lengths of all classes' queues, of even turns and then of odd ones.
    pub const LENGTHS: u32 = 0;
    /// Of how many turns each class has had.
    pub const TURNS: u32 = LENGTHS + 2 * CLASSES;
    /// How many workgroups of a dispatch are done.
    pub const DONE: u32 = TURNS + CLASSES;
    /// The last epoch in which there was anything to do, counted from 1.
    pub const LAST_EPOCH: u32 = DONE + 1;
    /// Words of the counts.
    pub const COUNT_WORDS: u32 = LAST_EPOCH + 1;
    /// Instructions that a VM runs in one turn at most: a program may jump to itself.
    pub const MOST_STEPS: u32 = 1024;
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
        ("WORKGROUP", WORKGROUP),
        ("SPACE_FRAME", space::FRAME),
        ("SPACE_ARENA", space::ARENA),
        ("SPACE_ATOMIC", space::ATOMIC),
        ("SPACE_DATA", space::DATA),
        ("STATUS_RUNNING", Status::Running as u32),
        ("STATUS_YIELDED", Status::Yielded as u32),
        ("STATUS_HALTED", Status::Halted as u32),
        ("STATUS_TRAPPED", Status::Trapped as u32),
        ("STATUS_AT_BREAK", Status::Trapped as u32 + 1),
        ("FAULT_NONE", fault::NONE),
        ("FAULT_MEMORY", fault::MEMORY),
        ("FAULT_STACK", fault::STACK),
        ("FORMAT_SPARSE", Format::Sparse as u32),
        ("RING_INTEGER", Ring::Integer as u32),
        ("RING_BITS", Ring::Bits as u32),
        ("DENSE_EMPTY", dense::EMPTY_SLOT),
        ("DENSE_CONSTANT", u32::from(CONSTANT)),
        ("COLUMN_SHIFT", term::COLUMN_SHIFT),
        ("ROTATION_SHIFT", term::ROTATION_SHIFT),
        ("RING_SHIFT", term::RING_SHIFT),
        ("PACKED_OPCODE_MASK", (1 << packed::FIRST_SHIFT) - 1),
        ("PACKED_FIRST_SHIFT", packed::FIRST_SHIFT),
        ("PACKED_FIRST_MASK", packed::FIRST_LIMIT - 1),
        ("PACKED_SHAPE_SHIFT", packed::SHAPE_SHIFT),
        ("CLASSES", epoch::CLASSES),
        ("CLASS_NONE", epoch::CLASSES),
        ("COUNT_LENGTHS", epoch::LENGTHS),
        ("COUNT_TURNS", epoch::TURNS),
        ("COUNT_DONE", epoch::DONE),
        ("COUNT_LAST_EPOCH", epoch::LAST_EPOCH),
        ("COUNT_WORDS", epoch::COUNT_WORDS),
        ("TERM_FIRST", term::FIRST),
        ("TERM_LAST", term::LAST),
        ("COLUMN_CONSTANT", term::CONSTANT),
        ("SHAPE_LINEAR", Shape::Linear as u32),
        ("SHAPE_MATRIX", Shape::Matrix as u32),
        ("SHAPE_ORACLE", Shape::Oracle as u32),
        ("SHAPE_ORACLE_PAIR", Shape::OraclePair as u32),
        ("SHAPE_BRANCH", Shape::Branch as u32),
        ("SHAPE_BREAK", Shape::Break as u32),
    ];
    let places = [
        ("ROW_IP", header::IP),
        ("ROW_STATUS", header::STATUS),
        ("ROW_VM_ID", header::VM_ID),
        ("ROW_DEPTH", header::DEPTH),
        ("ROW_WORDS", header::WORD_0),
        ("ROW_FRAME_BASE", row::FRAME_BASE),
        ("ROW_CALLS", row::CALLS),
        ("ROW_FAULT", row::FAULT),
        ("ROW_FAULT_OFFSET", row::FAULT_OFFSET),
        ("ROW_COUNT", row::COUNT),
        ("SIGNAL_STOPPED", signal::STOPPED),
        ("SIGNAL_YIELDED", signal::YIELDED),
        ("SIGNAL_TRAPPED", signal::TRAPPED),
        ("SIGNAL_FIRST_TRAP", signal::FIRST_TRAP),
        ("SIGNAL_AT_BREAK", signal::AT_BREAK),
        ("SIGNAL_ENDED", signal::ENDED),
        ("SIGNAL_RETIRED", signal::RETIRED),
        ("SIGNAL_COUNTS", signal::COUNTS),
        ("SIGNAL_EPOCHS", signal::EPOCHS),
        ("CLASS_LINEAR", Class::Linear as usize),
        ("CLASS_ORACLE", Class::Oracle as usize),
        ("CLASS_BRANCH", Class::Branch as usize),
        ("CLASS_IO", Class::Io as usize),
    ];
    let mut text = String::new();
    let mut add = |name: &str, value: u32| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "const {name}: u32 = {value}u;");
    };
    for op in Op::ALL {
        add(&format!("OP_{}", upper_snake(op.name())), op.code());
    }
    for (number, name) in library::FUNCTIONS.iter().enumerate() {
        add(&format!("MATH_{}", name.to_ascii_uppercase()), number as u32);
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
        let source = Entry::Interpreter(Uses::all()).source(FloatOps::default());
        for op in Op::ALL.iter().filter(|op| !matches!(op, Op::Affine | Op::Log)) {
            let name = format!("OP_{}", upper_snake(op.name()));
            let uses = source.match_indices(&name).filter(|(at, _)| {
                !source[at + name.len()..].starts_with(|c: char| c == '_' || c.is_ascii_alphanumeric())
            });
            assert!(uses.count() > 1, "{name} is declared and never used");
        }
    }
}
