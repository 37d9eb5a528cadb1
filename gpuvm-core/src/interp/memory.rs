//! What a VM sees beside its own state: the launch's memory, and how addresses lead to words of it.

use super::run::MEMORY_SITE;
use super::{Trapped, Vm, arithmetic};
use crate::isa::{Op, Unit, space};
use crate::program::{ParamSlot, Program};

/// The memory of a launch, or of one batch of its VMs.
#[derive(Debug)]
pub struct Memory<'a> {
    /// Space 1: all columns, slices and results.
    pub arena: &'a mut [u32],
    /// Space 2: the atomic words.
    pub atomics: &'a mut [u32],
    /// Where the parameters lie, the result's slot last.
    pub params: &'a [ParamSlot],
    /// VMs in the launch.
    pub vm_count: u32,
    /// The number of the VM whose part each parameter's `base` is: the first of the batch.
    pub first_vm: u32,
}

impl Vm {
    /// The memory word at the address `offset word + constant` of the space in a word, which may be written.
    pub(super) fn place<'a>(
        &'a mut self,
        program: &Program,
        memory: &'a mut Memory<'_>,
        space_word: u32,
        offset_word: u32,
        constant: u32,
    ) -> Result<&'a mut u32, Trapped> {
        let offset = self.word(offset_word).wrapping_add(constant);
        let outside = self.bad_memory(offset);
        let words = match self.word(space_word) {
            space::FRAME => self
                .frame
                .get_mut(..program.addressed_end() as usize)
                .unwrap_or_default(),
            space::ARENA => memory.arena,
            space::ATOMIC => memory.atomics,
            _ => return Err(outside),
        };
        words.get_mut(offset as usize).ok_or(outside)
    }

    /// Where the next instruction would write to what is not the VM's own, as the space, the first word and how many.
    pub fn next_write(&self, program: &Program) -> Option<(u32, u32, u32)> {
        let (op, &[_, b, c, d]) = self.next_instruction(program)?;
        match op {
            Op::Store if self.word(b) == space::ARENA => Some((space::ARENA, self.word(c).wrapping_add(d), 1)),
            Op::Store if self.word(b) == space::ATOMIC => Some((space::ATOMIC, self.word(c).wrapping_add(d), 1)),
            Op::AtomicLoad | Op::AtomicLoad64 => None,
            _ if op.is_on_atomic_pair() => Some((space::ATOMIC, self.word(b), 2)),
            _ if op.unit() == Unit::Atomic => Some((space::ATOMIC, self.word(b), 1)),
            _ => None,
        }
    }

    /// Where the next instruction would read what is not the VM's own and not write it, as [`next_write`](Vm::next_write) tells of writes.
    pub fn next_read(&self, program: &Program) -> Option<(u32, u32, u32)> {
        let (op, &[_, b, c, d]) = self.next_instruction(program)?;
        match op {
            Op::Load if self.word(b) == space::ARENA => Some((space::ARENA, self.word(c).wrapping_add(d), 1)),
            Op::Load if self.word(b) == space::ATOMIC => Some((space::ATOMIC, self.word(c).wrapping_add(d), 1)),
            Op::AtomicLoad => Some((space::ATOMIC, self.word(b), 1)),
            Op::AtomicLoad64 => Some((space::ATOMIC, self.word(b), 2)),
            _ => None,
        }
    }

    /// The word of the program's data at the address `offset word + constant`.
    pub(super) fn datum(&self, program: &Program, offset_word: u32, constant: u32) -> Result<u32, Trapped> {
        let offset = self.word(offset_word).wrapping_add(constant);
        let word = program.data.get(offset as usize).copied();
        word.ok_or(self.bad_memory(offset))
    }

    /// A word of the VM's frame memory.
    pub(super) fn frame_word(&mut self, offset: u32) -> Result<&mut u32, Trapped> {
        let outside = self.bad_memory(offset);
        self.frame.get_mut(offset as usize).ok_or(outside)
    }

    /// The atomic word at the address in a word.
    pub(super) fn atomic<'a>(&self, memory: &'a mut Memory<'_>, address: u32) -> Result<&'a mut u32, Trapped> {
        let offset = self.word(address);
        memory.atomics.get_mut(offset as usize).ok_or(self.bad_memory(offset))
    }

    /// The atomic pair at the address in a word, which is even: no device has others.
    pub(super) fn atomic_pair<'a>(
        &self,
        memory: &'a mut Memory<'_>,
        address: u32,
    ) -> Result<&'a mut [u32; 2], Trapped> {
        let offset = self.word(address);
        let (pairs, _) = memory.atomics.as_chunks_mut::<2>();
        let pair = pairs.get_mut(offset as usize / 2).filter(|_| offset.is_multiple_of(2));
        pair.ok_or(self.bad_memory(offset))
    }

    /// The trap of an instruction that reaches outside of what there is.
    pub(super) fn bad_memory(&self, offset: u32) -> Trapped {
        Trapped {
            site: MEMORY_SITE,
            words: [self.ip(), offset, 0, 0],
        }
    }
}

/// What a read-modify-write operation makes of an atomic pair.
pub(super) fn updated_pair(op: Op, old: u64, operand: u64) -> u64 {
    let signed = |value: u64| value as i64;
    match op {
        Op::AtomicAdd64 => old.wrapping_add(operand),
        Op::AtomicSub64 => old.wrapping_sub(operand),
        Op::AtomicAnd64 => old & operand,
        Op::AtomicOr64 => old | operand,
        Op::AtomicXor64 => old ^ operand,
        Op::AtomicMinU64 => old.min(operand),
        Op::AtomicMaxU64 => old.max(operand),
        Op::AtomicMinS64 => signed(old).min(signed(operand)) as u64,
        Op::AtomicMaxS64 => signed(old).max(signed(operand)) as u64,
        _ => operand,
    }
}

/// What a read-modify-write operation makes of an atomic word.
pub(super) fn updated(op: Op, old: u32, operand: u32) -> u32 {
    let plain = match op {
        Op::AtomicAdd => Op::Add,
        Op::AtomicSub => Op::Sub,
        Op::AtomicAnd => Op::And,
        Op::AtomicOr => Op::Or,
        Op::AtomicXor => Op::Xor,
        Op::AtomicMinU => Op::MinU,
        Op::AtomicMaxU => Op::MaxU,
        Op::AtomicMinS => Op::MinS,
        Op::AtomicMaxS => Op::MaxS,
        _ => return operand,
    };
    arithmetic::fold(plain, &[old, operand]).map_or(operand, |outputs| outputs.low)
}
