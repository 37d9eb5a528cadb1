//! Puts shaders together: constants that follow from the core's tables, the shared parts, and an entry file. A number that the
//! core states is never typed again in WGSL.

use std::fmt::Write;

use gpuvm_core::isa::{Class, Unit};
use gpuvm_shaders::layout::epoch;
use gpuvm_shaders::{self as wgsl, constants};

use crate::floats::{FloatOps, Needs};
use crate::parts::{Part, Uses};
use crate::stepper::BINDINGS;

/// A shader, by its entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryPoint {
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
    /// Sets frames to 0 before a job of a sequence.
    Clear,
    /// Picks words of entries.
    Pick,
    /// A kernel of a selection.
    Select(SelectKernel),
    /// A kernel of a sort.
    Sort(SortKernel),
    /// What surrounds a specialised program.
    Specialized,
}

/// The kernels of a sort, in the order in which a pass has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortKernel {
    /// Counts keys by their digit.
    Count,
    /// Sums counts up within tiles.
    Scan,
    /// Adds what the tiles before come to.
    Add,
    /// Brings keys to their places.
    Scatter,
}

/// The kernels of a selection that are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SelectKernel {
    /// Counts entries that are kept.
    Count,
    /// Brings them to their places.
    Place,
    /// Sums up how many are marked.
    MarkedSum,
    /// Brings those that are marked to their places.
    MarkedPlace,
}

impl EntryPoint {
    /// Its name in WGSL.
    pub fn name(self) -> &'static str {
        match self {
            EntryPoint::Interpreter(_) => "interpret",
            EntryPoint::Prepare => "prepare",
            EntryPoint::Classify(..) => "classify",
            EntryPoint::Turn(..) => "take_turn",
            EntryPoint::Probe => "probe",
            EntryPoint::Roots => "try_roots",
            EntryPoint::Transpose => "move_words",
            EntryPoint::Step => "begin_step",
            EntryPoint::Clear => "clear_frames",
            EntryPoint::Pick => "pick_words",
            EntryPoint::Select(SelectKernel::Count) => "count_kept",
            EntryPoint::Select(SelectKernel::Place) => "place_kept",
            EntryPoint::Select(SelectKernel::MarkedSum) => "sum_marked",
            EntryPoint::Select(SelectKernel::MarkedPlace) => "place_marked",
            EntryPoint::Sort(SortKernel::Count) => "count_digits",
            EntryPoint::Sort(SortKernel::Scan) => "scan_counts",
            EntryPoint::Sort(SortKernel::Add) => "add_totals",
            EntryPoint::Sort(SortKernel::Scatter) => "scatter_keys",
            EntryPoint::Specialized => "fresh",
        }
    }

    /// Whether it is for programs whose floats may be inexact.
    pub fn relaxed(self) -> bool {
        match self {
            EntryPoint::Interpreter(uses) | EntryPoint::Classify(uses, _) | EntryPoint::Turn(_, uses, _) => {
                uses.relaxed
            }
            EntryPoint::Prepare
            | EntryPoint::Probe
            | EntryPoint::Roots
            | EntryPoint::Transpose
            | EntryPoint::Step
            | EntryPoint::Clear
            | EntryPoint::Pick
            | EntryPoint::Select(_)
            | EntryPoint::Sort(_)
            | EntryPoint::Specialized => false,
        }
    }

    /// Whether its dispatches are sized by the device.
    pub fn indirect(self) -> bool {
        matches!(self, EntryPoint::Turn(..))
    }

    /// Whether it is for programs that have operations on atomic pairs, so that these are bound behind all else in its first group.
    pub fn has_pairs(self) -> bool {
        match self {
            EntryPoint::Interpreter(uses) | EntryPoint::Turn(_, uses, _) => uses.has(Part::Unit(Unit::AtomicPair)),
            _ => false,
        }
    }

    /// What it has for operations on atomic pairs.
    fn pairs(self) -> &'static [&'static str] {
        match self {
            _ if self.has_pairs() => &[wgsl::shared::ATOMIC_PAIRS, wgsl::shared::IO_PAIRS],
            EntryPoint::Interpreter(_) | EntryPoint::Prepare | EntryPoint::Classify(..) | EntryPoint::Turn(..) => {
                &[wgsl::shared::IO_NO_PAIRS]
            }
            EntryPoint::Specialized
            | EntryPoint::Probe
            | EntryPoint::Roots
            | EntryPoint::Transpose
            | EntryPoint::Step
            | EntryPoint::Clear
            | EntryPoint::Pick
            | EntryPoint::Select(_)
            | EntryPoint::Sort(_) => &[],
        }
    }

    /// Whether it computes as programs do, and not with words of its own alone.
    fn has_arithmetic(self) -> bool {
        !matches!(
            self,
            EntryPoint::Transpose
                | EntryPoint::Step
                | EntryPoint::Clear
                | EntryPoint::Pick
                | EntryPoint::Select(_)
                | EntryPoint::Sort(_)
        )
    }

    /// The complete WGSL. `floats` are the forms of arithmetic to use, for the probe those to try.
    pub fn source(self, floats: FloatOps) -> String {
        let mut source = constants();
        // Drivers see no gaps between bindings: here the code and its constants come before. A specialised program has the pairs in place of
        // a joined job's launch.
        let pairs_binding = match self {
            EntryPoint::Specialized => BINDINGS,
            _ => BINDINGS + 2,
        };
        // Writing to a string cannot fail.
        let _ = writeln!(source, "const ATOMIC_PAIRS_BINDING: u32 = {pairs_binding}u;");
        let (parts, entry): (&[&[&str]], _) = match self {
            EntryPoint::Interpreter(uses) => {
                uses.declare(&mut source);
                (&[MACHINE, REGISTERS, GUARDS], wgsl::INTERPRETER)
            }
            EntryPoint::Prepare => {
                declare_epoch(&mut source, Uses::default(), 1);
                (&[MACHINE, QUEUES], wgsl::epoch::PREPARE)
            }
            EntryPoint::Classify(uses, workgroup) => {
                declare_epoch(&mut source, uses, workgroup);
                (&[MACHINE, QUEUES], wgsl::epoch::CLASSIFY)
            }
            EntryPoint::Turn(class, uses, workgroup) => {
                declare_epoch(&mut source, uses, workgroup);
                (&[MACHINE, QUEUES, TURN], step(class))
            }
            EntryPoint::Probe => {
                let _ = writeln!(source, "const FORMS: u32 = {}u;", floats.count());
                floats.declare_probe(&mut source);
                (&[], wgsl::PROBE)
            }
            EntryPoint::Roots => (&[], wgsl::ROOTS),
            EntryPoint::Transpose => (&[], wgsl::TRANSPOSE),
            EntryPoint::Step => (&[], wgsl::STEP),
            EntryPoint::Clear => (&[], wgsl::CLEAR),
            EntryPoint::Pick => (&[], wgsl::PICK),
            EntryPoint::Select(SelectKernel::Count) => (&[SELECT], wgsl::select::COUNT),
            EntryPoint::Select(SelectKernel::Place) => (&[SELECT], wgsl::select::PLACE),
            EntryPoint::Select(SelectKernel::MarkedSum) => (&[SELECT], wgsl::select::MARKED_SUM),
            EntryPoint::Select(SelectKernel::MarkedPlace) => (&[SELECT], wgsl::select::MARKED_PLACE),
            EntryPoint::Sort(SortKernel::Count) => (&[SORT], wgsl::sort::COUNT),
            EntryPoint::Sort(SortKernel::Scan) => (&[SORT], wgsl::sort::SCAN),
            EntryPoint::Sort(SortKernel::Add) => (&[SORT], wgsl::sort::ADD),
            EntryPoint::Sort(SortKernel::Scatter) => (&[SORT], wgsl::sort::SCATTER),
            EntryPoint::Specialized => (&[SPECIALIZED], wgsl::tile::SCAN),
        };
        if self.has_arithmetic() {
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
        for (line, cases) in CASES {
            source = source.replace(line, cases);
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

/// What a specialised program needs. It is read on any device; what a program does not use is left out.
const SPECIALIZED: &[&str] = &[
    wgsl::shared::LAUNCH,
    wgsl::shared::MATH,
    wgsl::shared::ATOMIC_PAIRS,
    wgsl::SPECIALIZED,
    wgsl::tile::SHARED,
    wgsl::SEVERAL,
    wgsl::tile::MARK,
];

/// What needs a launch and a VM.
const MACHINE: &[&str] = &[
    wgsl::shared::LAUNCH,
    wgsl::shared::REGISTERS,
    wgsl::shared::INSTRUCTION,
    wgsl::shared::SIGNAL,
    wgsl::shared::MEMORY,
    wgsl::shared::MATRIX,
    wgsl::shared::MATH,
    wgsl::shared::ORACLE_PAIR,
    wgsl::shared::BRANCH,
    wgsl::shared::IO,
];

/// Lines of switches, and the cases that stand in their place.
const CASES: [(&str, &str); 2] = [
    ("// The cases of linear.wgsl.", wgsl::shared::LINEAR),
    ("// The cases of oracle.wgsl.", wgsl::shared::ORACLE),
];

/// What the kernels of a sort share.
const SORT: &[&str] = &[wgsl::sort::SHARED, wgsl::shared::SUMS];

/// What the kernels of a selection share.
const SELECT: &[&str] = &[wgsl::select::SHARED, wgsl::shared::SUMS];

/// The words in private memory, for kernels that run a VM for long.
const REGISTERS: &[&str] = &[wgsl::shared::WORDS];

/// What the interpreter has beside the machine.
const GUARDS: &[&str] = &[wgsl::shared::GUARD];

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

#[cfg(test)]
mod tests {
    use super::super::canonical::canonical;
    use super::*;
    use gpuvm_core::isa::Op;

    #[test]
    fn every_op_is_named_by_the_interpreter() {
        let source = EntryPoint::Interpreter(Uses::all()).source(FloatOps::default());
        let constants = constants();
        for line in constants.lines().filter(|line| line.starts_with("const OP_")) {
            let (name, code) = line["const ".len()..].split_once(": u32 = ").unwrap();
            let op = code.trim_end_matches("u;").parse().ok().and_then(Op::from_code);
            let done_by_another = op.is_some_and(|op| canonical(op, [0; 3]).0 != op);
            if done_by_another || ["OP_AFFINE", "OP_ASK", "OP_LOG"].contains(&name) {
                continue;
            }
            let uses = source.match_indices(name).filter(|(at, _)| {
                !source[at + name.len()..].starts_with(|c: char| c == '_' || c.is_ascii_alphanumeric())
            });
            assert!(uses.count() > 1, "{name} is declared and never used");
        }
    }
}
