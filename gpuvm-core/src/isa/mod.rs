//! The instruction set: opcodes, their classes and operand roles, and the 20-byte instruction. All of it follows from
//! `table.rs`.

#[cfg(test)]
mod page;
mod table;

use crate::for_each_op;

/// The four classes of instruction, in the order of their opcode ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// `state' = A · state + b`; runs as a matrix.
    Linear,
    /// Non-linear arithmetic on words.
    Oracle,
    /// Jumps, calls, returns.
    Branch,
    /// Memory, identity, atomics, signals, traps.
    Io,
}

/// What an instruction touches beside words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: it may be removed, repeated or moved.
    Pure,
    /// Memory is read: it may be removed, not moved across a write.
    Read,
    /// Memory is written or a trap may end the VM: it stays.
    Write,
    /// It decides what runs next and ends a block.
    Control,
}

/// The parts of an interpreter. Each but the first is costly, so an interpreter may leave out those that its programs do not use: one for a CPU
/// runs through every part for every instruction, and on a GPU each takes registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Unit {
    /// What every program uses.
    Core,
    /// Quotients and remainders of words.
    Division,
    /// Pairs of words, all but their quotients.
    Long,
    /// Quotients and remainders of pairs of words.
    LongDivision,
    /// Float remainder, fused multiply-add, square root.
    RareFloat,
    /// Rounding, and conversion between floats and integers.
    Conversion,
    /// The device's own functions, of relaxed programs.
    Math,
    /// Operations on atomic words.
    Atomic,
    /// Operations on atomic pairs of words.
    AtomicPair,
    /// Calls that the linker has not inlined.
    Calls,
    /// Jumps to one of many labels.
    Switch,
}

/// How often an operation may have to do the same until it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Once.
    Once,
    /// For each bit by which the exponents of its operands differ, some at a time.
    Steps,
    /// For each term of its matrix.
    Terms,
    /// Until no other VM is in its way: an exchange that may fail.
    Retries,
}

/// What one operand of an instruction means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Not used; must be 0.
    None,
    /// A word that is written.
    Def,
    /// A word that is read.
    Use,
    /// Two words that are written: low half's number | high half's number << 16.
    DefPair,
    /// Two words that are read, packed likewise.
    UsePair,
    /// A constant, 32 bits of any meaning.
    Imm,
    /// An instruction number to go to.
    Label,
    /// The number of the instruction's matrix.
    Matrix,
    /// Encoded code only: the number of a callee in the routine's list.
    Callee,
    /// The number of a trap site.
    Site,
    /// Encoded code only: the first of several consecutive words.
    Base,
}

macro_rules! define_ops {
    ($($variant:ident = $code:literal, $mnemonic:literal, [$($role:ident),*], $class:ident, $effect:ident, $unit:ident, $repeats:ident, $meaning:literal;)*) => {
        /// An operation of the machine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op {
            $(#[doc = $meaning] $variant,)*
        }

        impl Op {
            /// Every operation, in order of opcode.
            pub const ALL: &'static [Op] = &[$(Op::$variant),*];

            /// The opcodes by the operations' places in the table. They are not the variants' own numbers: to find a variant by such a number, rustc's
            /// interpreter, in which the encoder runs, would evaluate those of all variants before it.
            pub(crate) const CODES: &[u32] = &[$($code),*];
            /// The classes likewise.
            pub(crate) const CLASSES: &[Class] = &[$(Class::$class),*];
            /// The operations by their opcodes: what that interpreter finds at once, where it tries the arms of a `match` in turn.
            const BY_CODE: &[Option<Op>; 256] = &{
                let mut ops = [None; 256];
                $(ops[$code] = Some(Op::$variant);)*
                ops
            };

            /// The operation of an opcode, `None` for a number that is no opcode.
            #[inline]
            pub const fn from_code(code: u32) -> Option<Op> {
                if code < 256 { Op::BY_CODE[code as usize] } else { None }
            }

            /// The assembler's name for the operation.
            pub const fn mnemonic(self) -> &'static str {
                match self { $(Op::$variant => $mnemonic,)* }
            }

            /// What each of the four operands means.
            #[inline]
            pub const fn roles(self) -> [Role; 4] {
                match self { $(Op::$variant => [$(Role::$role),*],)* }
            }

            /// The class, which decides the kernel that runs it in the epoch engine.
            #[inline]
            pub const fn class(self) -> Class {
                Op::CLASSES[self as usize]
            }

            /// What it touches beside words.
            #[inline]
            pub const fn effect(self) -> Effect {
                match self { $(Op::$variant => Effect::$effect,)* }
            }

            /// The part of an interpreter that it needs.
            pub const fn unit(self) -> Unit {
                match self { $(Op::$variant => Unit::$unit,)* }
            }

            /// Whether it goes on in a loop of its own where a device has no instruction for it.
            pub const fn repeats(self) -> Repeats {
                match self { $(Op::$variant => Repeats::$repeats,)* }
            }

            /// One line on what it does.
            pub const fn meaning(self) -> &'static str {
                match self { $(Op::$variant => $meaning,)* }
            }

            /// The name of the table's row, which the shaders' constants carry in upper case.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$variant => stringify!($variant),)* }
            }
        }
    };
}
for_each_op!(define_ops);

// The order of operations is that of the table's rows.
const _: () = {
    let mut i = 1;
    while i < Op::CODES.len() {
        assert!(
            Op::CODES[i - 1] < Op::CODES[i],
            "operations are in the order of their opcodes"
        );
        i += 1;
    }
};

impl Op {
    /// The number that stands for the operation in an [`Instruction`].
    #[inline]
    pub const fn code(self) -> u32 {
        Op::CODES[self as usize]
    }

    /// What each of the four operands means in linked code; four operations differ from encoded code.
    pub const fn linked_roles(self) -> [Role; 4] {
        match self {
            Op::Call => [Role::Label, Role::Imm, Role::Imm, Role::None],
            Op::Return => [Role::None; 4],
            Op::Address => [Role::Def, Role::Imm, Role::None, Role::None],
            _ => self.roles(),
        }
    }

    /// What an operation on an atomic word is on an atomic pair of words: `aadd64` for `aadd`. `None` for any other operation.
    pub const fn on_atomic_pair(self) -> Option<Op> {
        let (first, code) = (Op::AtomicLoad.code(), self.code());
        if code < first || code > Op::AtomicCas.code() {
            return None;
        }
        Op::from_code(Op::AtomicLoad64.code() + (code - first))
    }

    /// Whether it is one on an atomic pair of words, which not every device has.
    pub const fn is_on_atomic_pair(self) -> bool {
        Op::AtomicLoad64.code() <= self.code() && self.code() <= Op::AtomicCas64.code()
    }

    /// Whether a VM stops at it until its launch goes on.
    pub const fn pauses(self) -> bool {
        matches!(self, Op::Yield | Op::Block)
    }

    /// Whether a linked operand at a place is 0 where nothing is said, and then need not be written: the words that a callee may touch.
    pub const fn may_be_left_out(self, place: usize) -> bool {
        matches!(self, Op::Call) && place == 2
    }

    /// The last instruction that a [`Op::Switch`] with these operands may go to; the first is its label.
    pub const fn last_of_switch(operands: [u32; 4]) -> u32 {
        operands[0].saturating_add(operands[2])
    }

    /// Whether the operand at a place may be [`NO_WORD`]: what a trap records.
    pub const fn may_be_open(self, place: usize) -> bool {
        match self {
            Op::Trap => true,
            Op::TrapIf => place >= 2,
            _ => false,
        }
    }
}

/// One instruction, 20 bytes: an opcode and four operands whose meaning [`Op::roles`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Instruction {
    /// The number of an [`Op`]. Kept as a number because instructions also come from files.
    pub opcode: u32,
    /// Word numbers, constants, labels: see [`Op::roles`].
    pub operands: [u32; 4],
}

const _: () = assert!(size_of::<Instruction>() == 20);

impl Instruction {
    /// An instruction with the given operands.
    pub const fn new(op: Op, operands: [u32; 4]) -> Instruction {
        Instruction {
            opcode: op.code(),
            operands,
        }
    }
}

/// Packs two word numbers into one pair operand.
pub const fn pair(low: u32, high: u32) -> u32 {
    low | high << 16
}

/// The two word numbers of a pair operand, low half first.
pub const fn unpair(operand: u32) -> (u32, u32) {
    (operand & 0xffff, operand >> 16)
}

/// In place of a word number in [`Op::Trap`] and [`Op::TrapIf`]: no word, recorded as 0.
pub const NO_WORD: u32 = 0xffff;

/// General words of a VM's state, `w0..w27`.
pub const WORDS: usize = 28;
/// Words of a VM's state in all: header and general words, 128 bytes.
pub const STATE_WORDS: usize = 32;
/// Words of a call frame, 32 bytes: return address, caller's frame base, and six saved words.
pub const CALL_FRAME_WORDS: usize = 8;

/// Spaces that a [`Op::Load`] or [`Op::Store`] may address.
pub mod space {
    /// The VM's own frame memory.
    pub const FRAME: u32 = 0;
    /// The launch's arena: columns, slices and outputs.
    pub const ARENA: u32 = 1;
    /// The launch's atomic words.
    pub const ATOMIC: u32 = 2;
    /// The program's data, which is only read.
    pub const DATA: u32 = 3;
}
