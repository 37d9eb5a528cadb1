//! A [`Program`]: what linking makes and engines run. Valid by construction: every word is one of the 28, every label an
//! instruction, every matrix and site exists.

mod batch;
mod bytes;
mod footprint;
mod identity;
mod intervals;
mod lines;
mod locate;
mod log;
mod metadata;
mod mode;
mod questions;
mod report;
mod stack;
#[cfg(test)]
mod tests;
mod variables;
mod verify;

pub use crate::bytes::LoadError;
pub use batch::{Choice, Selector, batch};
pub use bytes::FORMAT_VERSION;
pub use footprint::{Seen, footprint};
pub use identity::ProgramId;
pub use locate::VariableMap;
pub use log::{Log, LogLine};
pub use metadata::{Metadata, Needs};
pub use mode::{Mode, atomic_pairs};
pub use questions::{Asked, Questions};
pub use report::Report;
pub use stack::Activation;
pub use variables::{Home, Location, Mark, Scope, Variable, Variables};

use crate::isa::{CALL_FRAME_WORDS, Instruction, Op};
use crate::matrix::MatrixRecord;
use crate::routine::{Cause, Shown, recorded};
use crate::stdlib::{duration, packed};
use crate::types::{FormatSpec, Placeholder, TypeRef, show_as};

/// A linked program: one entry routine with everything it calls.
///
/// # How a VM starts and what its words mean
///
/// At entry `ip` is 0 and all general words are 0. The code fetches its own parameters: `param p` gives the offset of this VM's part of
/// launch parameter `p` (`base[p] + vm * stride[p]`, in words of the arena, or of the atomics for `&[Atomic…]`), `paramlen p`
/// the elements of a slice. The results go to parameter number `params.len()`, one record of `result.words()` words a VM.
///
/// A VM's frame memory has [`Program::frame_memory`] words: first the call stack, then the frames.
#[derive(Clone, Debug)]
pub struct Program {
    /// The entry routine's name.
    pub name: String,
    /// The parameters of the entry routine.
    pub params: Vec<TypeRef>,
    /// What the entry routine returns.
    pub result: TypeRef,
    /// The instructions. Operand 3 of a linear one is the number of its matrix.
    pub code: Vec<Instruction>,
    /// Where each instruction comes from.
    pub places: Vec<SourceLoc>,
    /// The source files that [`SourceLoc`] and [`LinkedSite`] name.
    pub files: Vec<String>,
    /// The routines that [`SourceLoc`] names; 0 is the entry.
    pub routines: Vec<String>,
    /// One record a matrix; identical matrices are stored once.
    pub matrices: Vec<MatrixRecord>,
    /// The pools that the records point into.
    pub pools: crate::matrix::Pools,
    /// Constants that all VMs read where they are, in [`space::DATA`](crate::isa::space::DATA).
    pub data: Vec<u32>,
    /// Where and why a VM can trap.
    pub sites: Vec<LinkedSite>,
    /// Words of the entry's and all other frames together, the call stack not counted.
    pub frame_words: u32,
    /// Words of the frames, from the first on, that an address may lead to: those behind are only named by `ldf` and `stf`, as spilled
    /// words are, so that an engine may keep them wherever it likes. All of [`frame_words`](Program::frame_words) where there are calls.
    pub addressed_words: u32,
    /// Deepest nesting of calls that remain calls; 0 where everything was inlined.
    pub call_depth: u32,
    /// The most that [`Op::Enter`] allows the depth to become.
    pub depth_limit: u32,
    /// Whether floats may be inexact on a GPU: their last bits, and those of the functions in
    /// [`Op::FMath`], which only such a program has.
    pub relaxed: bool,
    /// The source's variables and where they are at each instruction.
    pub variables: Variables,
    /// What is known about it.
    pub report: Report,
}

/// The most words of frame memory a VM can have: offsets into all VMs' memory must stay well within 32 bits.
pub(crate) const MOST_FRAME_MEMORY: u64 = 1 << 24;

impl Program {
    /// Words of frame memory that each VM needs.
    pub fn frame_memory(&self) -> u32 {
        self.call_stack_words() + self.frame_words
    }

    /// Where in a VM's frame memory the words end that an address may lead to; it is a trap to reach further.
    pub fn addressed_end(&self) -> u32 {
        self.call_stack_words() + self.addressed_words
    }

    /// Words of the call stack, which comes first in a VM's frame memory.
    pub fn call_stack_words(&self) -> u32 {
        self.call_depth * CALL_FRAME_WORDS as u32
    }

    /// Words of the frames of the entry and of so many calls in each other, whichever they are, without the call stack: all that a VM can
    /// need if that is less, or if the program does not say how much its callees touch.
    pub fn frame_words_of(&self, calls: u32) -> u32 {
        let (mut caller, mut callee) = (0, 0);
        for call in self.calls() {
            let [_, own, reached, _] = call.operands;
            if reached == 0 {
                return self.frame_words;
            }
            (caller, callee) = (own.max(caller), reached.max(callee));
        }
        match callee {
            0 => self.frame_words,
            _ => caller
                .saturating_mul(calls.max(1))
                .saturating_add(callee)
                .min(self.frame_words),
        }
    }

    /// The most words that any callee touches from its frame's start on, as the calls say.
    pub fn callee_words(&self) -> u32 {
        self.calls().map(|call| call.operands[2]).max().unwrap_or(0)
    }

    fn calls(&self) -> impl Iterator<Item = &Instruction> {
        self.code
            .iter()
            .filter(|instruction| instruction.opcode == Op::Call.code())
    }

    /// Whether it has operations on atomic pairs, those of `AtomicU64` and `AtomicI64`, which not every device has.
    pub fn has_atomic_pairs(&self) -> bool {
        let op = |instruction: &Instruction| Op::from_code(instruction.opcode);
        self.code.iter().filter_map(op).any(Op::is_on_atomic_pair)
    }

    /// Words of the result record of one VM.
    pub fn result_words(&self) -> u32 {
        self.result.words()
    }
}

/// Where an instruction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SourceLoc {
    /// Index into [`Program::files`].
    pub file: u32,
    /// Source line.
    pub line: u32,
    /// Index into [`Program::routines`].
    pub routine: u32,
}

/// A trap site of a linked program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkedSite {
    /// Where it is.
    pub place: SourceLoc,
    /// What is wrong.
    pub cause: Cause,
}

/// How a VM ended, and the words a trap recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    /// It has more to do.
    Running = 0,
    /// It waits for an answer.
    Blocked = 1,
    /// It asked to pause.
    Yielded = 2,
    /// It is done.
    Halted = 3,
    /// It stopped where the native function would panic.
    Trapped = 4,
}

impl Status {
    /// The status that a word of a VM's state says.
    pub fn of(word: u32) -> Status {
        match word {
            0 => Status::Running,
            1 => Status::Blocked,
            2 => Status::Yielded,
            3 => Status::Halted,
            _ => Status::Trapped,
        }
    }
}

/// One VM's trap as an engine reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrapRecord {
    /// The VM.
    pub vm: u32,
    /// Index into [`Program::sites`].
    pub site: u32,
    /// The words that the site's message shows.
    pub words: [u32; 4],
}

/// Where a launch parameter lies, in words of its space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct ParamSlot {
    /// Offset of the first VM's part.
    pub base: u32,
    /// Words from one VM's part to the next; 0 where all see the same.
    pub stride: u32,
    /// Elements of a slice that one VM sees.
    pub length: u32,
    /// 0.
    pub reserved: u32,
}

impl Cause {
    /// The text of the trap, word for word what the native function's panic says.
    /// `data` is the program's; the first word of a stack overflow is how deep recursion may go.
    pub fn message(&self, words: [u32; 4], data: &[u32]) -> String {
        match self {
            Cause::Message(text) => (*text).to_string(),
            Cause::Bounds => format!(
                "index out of bounds: the len is {} but the index is {}",
                words[0], words[1]
            ),
            Cause::SliceStart => format!(
                "range start index {} out of range for slice of length {}",
                words[0], words[1]
            ),
            Cause::SliceEnd => format!(
                "range end index {} out of range for slice of length {}",
                words[0], words[1]
            ),
            Cause::SliceOrder => format!("slice index starts at {} but ends at {}", words[0], words[1]),
            Cause::TextRange => packed::range_message(words, data),
            Cause::Format { pieces, values } => {
                let mut text = Text::of(data);
                let count = pieces.len().saturating_sub(1);
                let mut recorded = recorded(values, count).into_iter();
                let mut left = &words[..];
                for (i, piece) in pieces.iter().enumerate() {
                    text.piece(piece);
                    match values.get(i).zip(recorded.next()) {
                        _ if i == count => {}
                        Some((shown, words)) => {
                            let (value, behind) = left.split_at(words);
                            text.value(*shown, value);
                            left = behind;
                        }
                        None => text.piece("?"),
                    }
                }
                text.finish()
            }
            Cause::StackOverflow => format!(
                "stack overflow: recursion is deeper than {} calls, which is what `Settings::recursion_limit` or the launch's own `.depth(n)` \
                 allows; a larger `.depth(n)` allows more",
                words[0]
            ),
            Cause::Memory => "memory access outside of what this VM may touch".to_string(),
            Cause::Print { pieces, .. } => pieces.concat(),
            Cause::Ask(asking) => asking.to_string(),
            Cause::Value(shown) => {
                let mut text = Text::of(data);
                text.value(*shown, &words);
                text.finish()
            }
        }
    }
}

/// A text as it is put together.
pub(crate) struct Text<'d> {
    text: String,
    /// Of the next value, where values are these themselves.
    width: Option<usize>,
    precision: Option<usize>,
    /// The program's.
    data: &'d [u32],
}

impl<'d> Text<'d> {
    /// An empty one.
    pub fn of(data: &'d [u32]) -> Text<'d> {
        Text {
            text: String::new(),
            width: None,
            precision: None,
            data,
        }
    }

    /// What stands between two values.
    pub fn piece(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    /// The value of the words as its placeholder prints it, `?` for what is not there; or the width or precision of the next value.
    pub fn value(&mut self, shown: Shown, words: &[u32]) {
        let placeholder = Placeholder::parse(shown.format).unwrap_or(Placeholder::Value(FormatSpec::DISPLAY));
        // std takes no more either.
        let count = || words.first().map(|word| (*word).min(u16::MAX.into()) as usize);
        match placeholder {
            Placeholder::Width => self.width = count(),
            Placeholder::Precision => self.precision = count(),
            Placeholder::Value(mut format) => {
                format.width = self.width.take().or(format.width);
                format.precision = self.precision.take().or(format.precision);
                let known: Vec<Option<u32>> = match *words {
                    [low, high] if shown.ty.is_duration() => match duration::unpack([low, high]) {
                        Some(words) => words.map(Some).to_vec(),
                        None => return self.text.push('…'),
                    },
                    _ => words.iter().copied().map(Some).collect(),
                };
                let text = show_as(TypeRef::value(shown.ty), &known, &format, self.data);
                self.text.push_str(&text);
            }
        }
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }
}
