//! What the host and the shaders agree on: where words lie in buffers, and bits in words. The shaders get it as
//! [`constants`](crate::constants).

use gpuvm_core::isa::STATE_WORDS;

/// Invocations of a workgroup.
pub const WORKGROUP: u32 = 64;

/// How a sort's kernels share keys out.
pub mod sort {
    /// Invocations of a workgroup: as many as a digit has values.
    pub const WORKGROUP: u32 = 256;
    /// Keys of a workgroup: eight of each invocation, as the kernels have them one by one.
    pub const TILE: u32 = 8 * WORKGROUP;
    /// Bits of a digit.
    pub const DIGIT: u32 = WORKGROUP.ilog2();
}

/// How kernels that go through elements tile by tile share them out.
pub mod tile {
    use gpuvm_engine::Tiles;

    /// Elements of a workgroup.
    pub const TILE: u32 = Tiles::TILE;
    /// Invocations of a workgroup.
    pub const WORKGROUP: u32 = Tiles::MARKS;
    /// Elements of a chunk, which one invocation folds. There are as many in a chunk of chunks, and those in a tile.
    pub const CHUNK: u32 = 16;
    const _: () = assert!(CHUNK * CHUNK == WORKGROUP && CHUNK * WORKGROUP == TILE);
    /// Words of a tile's values, as if chunks had one more.
    pub const CELLS: u32 = TILE + WORKGROUP;
    /// Values that a tile leaves: what it comes to, what its chunks of chunks do, and its last chunks.
    pub const LEFT: u32 = 1 + 2 * CHUNK;
}

/// How the kernel in front of a step shares out what it copies.
pub mod step {
    /// Words of an invocation. With one, it is how many workgroups a device can start in a time that decides.
    pub const WORDS: u32 = 16;
}

/// How kernels share VMs out that end soon.
pub mod several {
    /// VMs of an invocation. On an H100 a map of one word takes 71 µs with one, 41 with two and 34 with four or more, as a copy does.
    pub const VMS: u32 = 4;
    /// Atomics that a workgroup has copies of, at most.
    pub const OWN_ATOMICS: u32 = 1 << 12;
}

/// Rows of the states buffer: the canonical record, then what the engine keeps beside it.
pub mod row {
    use super::STATE_WORDS;

    /// The running routine's frame base.
    pub const FRAME_BASE: usize = STATE_WORDS;
    /// Calls that have not returned.
    pub const CALLS: usize = STATE_WORDS + 1;
    /// Why a VM trapped, one of the reasons in [`fault`](gpuvm_engine::fault).
    pub const FAULT: usize = STATE_WORDS + 2;
    /// Which offset was outside of memory.
    pub const FAULT_OFFSET: usize = STATE_WORDS + 3;
    /// How many rows there are.
    pub const COUNT: usize = STATE_WORDS + 4;
}

/// Words of the states buffer for each workgroup that leaves of the VMs which trap the first alone, where all run to their end or to a trap.
pub mod trap {
    /// The VM's instruction.
    pub const IP: usize = 0;
    /// Why it trapped, as in [`row::FAULT`](super::row::FAULT).
    pub const FAULT: usize = 1;
    /// Which offset was outside of memory.
    pub const FAULT_OFFSET: usize = 2;
    /// The numbers of up to four words, a byte each from the lowest on. Behind the last are bytes of ones.
    pub const NUMBERS: usize = 3;
    /// These words.
    pub const VALUES: usize = 4;
    /// How many words there are.
    pub const COUNT: usize = 8;
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
    /// Those that stopped because they wait for an answer.
    pub const BLOCKED: usize = 5;
    /// Instructions by class, the low words; the high words follow them.
    pub const RETIRED: usize = 6;
    /// Words that the VMs add to.
    pub const COUNTS: usize = 10;
    /// Not 0: a VM has trapped in an earlier step of the job, so that no further step starts.
    pub const ENDED: usize = 14;
    /// Epochs in which there was anything to do, of the epoch engine.
    pub const EPOCHS: usize = 15;
    /// The most words of frames that a VM has wanted where it had no room for a call.
    pub const FRAME_WORDS: usize = 16;
    /// The most calls in each other that it has wanted.
    pub const CALLS: usize = 17;
    /// Words in all.
    pub const WORDS: usize = 18;
}

/// The first word of a packed instruction: opcode, first operand, class.
pub mod packed {
    /// Where the first operand starts; the opcode is before it.
    pub const FIRST_SHIFT: u32 = 8;
    /// The first operand is below this.
    pub const FIRST_LIMIT: u32 = 1 << (CLASS_SHIFT - FIRST_SHIFT);
    /// Where the class starts.
    pub const CLASS_SHIFT: u32 = 29;
    /// The class of no operation.
    pub const CLASS_NONE: u32 = 4;
    /// In place of an opcode: a breakpoint, in front of which the VM stops.
    pub const BREAK: u32 = 0xff;
    /// The same: an affine step of a word and another one of its result.
    pub const ADD_TWICE: u32 = 0xfe;
    /// The same: whether two words are equal, and a jump.
    pub const EQ_JUMP: u32 = 0xfd;
    /// The same: whether one word is less than another, without signs, and a jump.
    pub const LT_U_JUMP: u32 = 0xfc;
    /// The same with signs.
    pub const LT_S_JUMP: u32 = 0xfb;
    /// Of the last word of a comparison with a jump: the word of the comparison is its opposite. The label is in the bits below.
    pub const OPPOSITE: u32 = 1 << 30;
    /// Of the same: it jumps where it compares, and else where it does not.
    pub const JUMPS_IF: u32 = 1 << 31;
}

/// A check of a guard as four words, see `guard.wgsl`.
pub mod guard {
    use gpuvm_engine::{Check, Operand, Then};

    /// The bits of the operation, which come first.
    pub const OP_MASK: u32 = 0xff;
    /// Where the kinds of the operands start.
    pub const LEFT_SHIFT: u32 = 8;
    /// The same of the right one.
    pub const RIGHT_SHIFT: u32 = 12;
    /// Where it starts what becomes of the result.
    pub const THEN_SHIFT: u32 = 16;
    /// The bits of each of these.
    pub const MASK: u32 = 0xf;
    /// No check follows.
    pub const LAST: u32 = 1 << 31;
    /// The kinds of operands: a constant is 0.
    pub const WORD: u32 = 1;
    /// A word of the frame.
    pub const FRAME: u32 = 2;
    /// The VM's number.
    pub const VM_ID: u32 = 3;
    /// How many VMs there are.
    pub const VM_COUNT: u32 = 4;
    /// What was pushed last.
    pub const POPPED: u32 = 5;
    /// What becomes of a result: it lets the VM go past unless it is something else than 0 if this is 0.
    pub const PUSH: u32 = 1;
    /// It stops the VM if it is something else than 0.
    pub const STOP_IF: u32 = 2;

    /// A check, without whether it is the last.
    pub fn packed(check: &Check) -> [u32; 4] {
        let [left, right] = [check.left, check.right].map(|operand| match operand {
            Operand::Constant(word) => [0, word],
            Operand::Word(word) => [WORD, word],
            Operand::Frame(offset) => [FRAME, offset],
            Operand::VmId => [VM_ID, 0],
            Operand::VmCount => [VM_COUNT, 0],
            Operand::Popped => [POPPED, 0],
        });
        let then = match check.then {
            Then::PassUnless => 0,
            Then::Push => PUSH,
            Then::StopIf => STOP_IF,
        };
        let first = check.op as u32 | left[0] << LEFT_SHIFT | right[0] << RIGHT_SHIFT | then << THEN_SHIFT;
        [first, left[1], right[1], 0]
    }
}

/// What the epoch engine and its kernels agree on.
pub mod epoch {
    /// The classes of instructions, each with two queues.
    pub const CLASSES: u32 = super::packed::CLASS_NONE;
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
