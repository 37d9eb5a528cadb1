//! RISC-V instructions as operations of the builder. What they mean is in [`riscv::run`](crate::riscv::run); tests compare the two.

use gpuvm::build::{Bits, Body, Integer, Operand, Place, Value, Variable};
use gpuvm::{Routine, VmType};

use super::blocks::{Block, Flow, Instruction};
use super::emit::{At, Processor, Wide};
use crate::riscv::cpu::Cpu;
use crate::riscv::decode::{Decoded, IMMEDIATE, WIDE, decode, kind};
use crate::riscv::register::{self, Register as _};

/// A register's type, `u32` or `u64`, as the builder has it.
pub(super) trait Register: register::Register + Integer + Bits + for<'b> Operand<'b, Self> {
    type Signed: Integer + for<'b> Operand<'b, Self::Signed>;
}

impl Register for u32 {
    type Signed = i32;
}

impl Register for u64 {
    type Signed = i64;
}

/// Whether a register is a word and more.
fn is_long<X: Register>() -> bool {
    X::WIDTH > u32::BITS
}

/// The routine for what is not one operation of registers of so many bits, by kind.
fn slow(kind: u32, width: u32) -> Option<Routine> {
    let name = match kind {
        kind::MULH => "mulh",
        kind::MULHSU => "mulhsu",
        kind::MULHU => "mulhu",
        kind::DIV => "div",
        kind::DIVU => "divu",
        kind::REM => "rem",
        kind::REMU => "remu",
        _ => return None,
    };
    Routine::of(&format!("gpuvm-guest.{name}{width}")).ok()
}

/// An address and an offset, as a machine of 64 bits has it.
fn sum(address: u32, offset: u32) -> u64 {
    u64::from(address).wrapping_add(offset as i32 as i64 as u64)
}

/// The instruction of these bits, which is there as a whole.
pub(super) fn instruction(address: u32, bits: u32, long: bool) -> Instruction<Decoded> {
    let decoded = decode(bits, long);
    let far = sum(address, decoded.immediate);
    let target = far as u32;
    let rd = decoded.word >> 8 & 31;
    let flow = match decoded.word & 0xff {
        kind::JAL | kind::BEQ..=kind::BGEU if long && far >> 32 != 0 => Flow::Leave,
        kind::JAL if rd == 0 => Flow::Jump(target),
        kind::JAL => Flow::Call(target),
        kind::JALR if rd == 0 && matches!(decoded.word >> 13 & 31, 1 | 5) => Flow::Return,
        kind::JALR => Flow::Indirect { call: rd != 0 },
        kind::BEQ..=kind::BGEU => Flow::Branch(target),
        kind::ECALL => Flow::System,
        0..kind::LR | kind::FENCE => Flow::Next,
        _ => Flow::Leave,
    };
    Instruction {
        address,
        length: if decoded.word & WIDE != 0 { 4 } else { 2 },
        decoded,
        flow,
    }
}

/// The registers of a RISC-V processor.
pub(super) struct RiscV<'b, X> {
    f: &'b Body,
    record: Place<'b, Cpu<X>>,
    x: [Option<Variable<'b, X>>; 32],
}

impl<'b, X: Register> RiscV<'b, X>
where
    Cpu<X>: VmType,
    [X; 32]: VmType,
{
    fn get(&self, register: u32) -> Value<'b, X> {
        match self.x.get(register as usize) {
            Some(Some(variable)) => variable.get(),
            _ => self.f.constant(X::of(0)),
        }
    }

    fn set(&self, register: u32, value: Value<'b, X>) {
        if let Some(Some(variable)) = self.x.get(register as usize) {
            variable.set(value);
        }
    }

    /// A register's value, which may be an address.
    fn wide(&self, value: Value<'b, X>) -> Wide<'b> {
        Wide {
            low: value.cast(),
            high: is_long::<X>().then(|| (value >> 32).cast()),
        }
    }

    /// What is in the record of a register.
    fn kept(&self, register: u32) -> Value<'b, X> {
        self.record.field::<[X; 32]>("x").element::<X>(register).get()
    }

    fn latest(&self, register: u32) -> Value<'b, X> {
        match self.x.get(register as usize) {
            Some(Some(variable)) => variable.get(),
            _ => self.kept(register),
        }
    }

    /// A sum of low words as a register.
    fn extended(&self, low: Value<'b, u32>) -> Value<'b, X> {
        low.cast::<i32>().cast::<X::Signed>().cast()
    }

    fn loaded(&self, at: &At<'_, 'b>, address: Wide<'b>, funct3: u32) -> Value<'b, X> {
        if is_long::<X>() && funct3 == 3 {
            return at.load_double(address).cast();
        }
        let value = at.load(address, funct3 & 3);
        if funct3 & 4 != 0 {
            return value.cast();
        }
        let above = 32 - (8 << (funct3 & 3));
        match above {
            0 => self.extended(value),
            _ => ((value << above).cast::<i32>() >> above).cast::<X::Signed>().cast(),
        }
    }
}

impl<'b, X: Register> Processor<'b> for RiscV<'b, X>
where
    Cpu<X>: VmType,
    [X; 32]: VmType,
{
    type Decoded = Decoded;
    type Record = Place<'b, Cpu<X>>;

    fn record(f: &'b Body) -> Self::Record {
        f.record("cpu")
    }

    fn new(f: &'b Body, record: Self::Record, blocks: &[Block<Decoded>]) -> Self {
        let mut used = [false; 32];
        for instruction in blocks.iter().flat_map(|block| &block.code) {
            for place in [8, 13, 18] {
                used[(instruction.decoded.word >> place & 31) as usize] = true;
            }
        }
        used[0] = false;
        let x = record.field::<[X; 32]>("x");
        let x = std::array::from_fn(|i| used[i].then(|| f.variable(&format!("x{i}"), x.element::<X>(i as u32).get())));
        RiscV { f, record, x }
    }

    fn pc(&self) -> Wide<'b> {
        self.wide(self.record.field::<X>("pc").get())
    }

    fn answered(&self, answer: Value<'b, u64>) {
        let answer = answer.cast();
        match self.x[10] {
            Some(variable) => variable.set(answer),
            None => self.record.field::<[X; 32]>("x").element::<X>(10).set(answer),
        }
    }

    fn close(&self, pc: Value<'b, u64>, retired: Value<'b, u32>) {
        let x = self.record.field::<[X; 32]>("x");
        for (i, variable) in (0..).zip(&self.x) {
            if let Some(variable) = variable {
                x.element::<X>(i).set(variable.get());
            }
        }
        self.record.field::<X>("pc").set(pc.cast::<X>());
        let all = self.record.field::<u64>("retired");
        all.set(all.get() + retired.cast::<u64>());
    }

    fn call(&self) -> (Value<'b, u64>, [Value<'b, u64>; 6]) {
        let arguments = std::array::from_fn(|i| self.latest(10 + i as u32).cast());
        (self.latest(17).cast(), arguments)
    }

    fn straight(&self, at: &At<'_, 'b>, decoded: Decoded) {
        let f = self.f;
        let Decoded { word, immediate } = decoded;
        let (kind, rd, rs1, rs2) = (word & 0xff, word >> 8 & 31, word >> 13 & 31, word >> 18 & 31);
        let funct3 = word >> 23 & 7;
        let offset = X::signed(immediate);
        let a = self.get(rs1);
        if kind == kind::STORE {
            let address = self.wide(a + offset);
            let value = self.get(rs2);
            at.store(address, funct3 & 3, value.cast());
            return;
        }
        if kind == kind::LOAD {
            let loaded = self.loaded(at, self.wide(a + offset), funct3);
            return self.set(rd, loaded);
        }
        if rd == 0 {
            return;
        }
        let b = match word & IMMEDIATE {
            0 => self.get(rs2),
            _ => f.constant(offset),
        };
        let (low_a, low_b) = (a.cast::<u32>(), b.cast::<u32>());
        let signed = |value: Value<'b, X>| value.cast::<X::Signed>();
        let whole = |kind| Some(f.call::<X>(&slow(kind, X::WIDTH)?, (a, b)));
        let narrow = |kind| Some(self.extended(f.call::<u32>(&slow(kind, u32::WIDTH)?, (low_a, low_b))));
        let result = match kind {
            kind::ADD if rs1 == 0 => b,
            kind::ADD => a + b,
            kind::SUB => a - b,
            kind::SLL => a << low_b,
            kind::SLT => signed(a).lt(signed(b)).cast(),
            kind::SLTU => a.lt(b).cast(),
            kind::XOR => a ^ b,
            kind::SRL => a >> low_b,
            kind::SRA => (signed(a) >> low_b).cast(),
            kind::OR => a | b,
            kind::AND => a & b,
            kind::ADDW => self.extended(low_a + low_b),
            kind::SUBW => self.extended(low_a - low_b),
            kind::SLLW => self.extended(low_a << low_b),
            kind::SRLW => self.extended(low_a >> low_b),
            kind::SRAW => self.extended((low_a.cast::<i32>() >> low_b).cast()),
            kind::MUL => a * b,
            kind::MULW => self.extended(low_a * low_b),
            kind::AUIPC => f.constant(X::wrapping(sum(at.address, immediate))),
            kind::DIVW..=kind::REMUW => match narrow(kind - kind::DIVW + kind::DIV) {
                Some(result) => result,
                None => return,
            },
            kind::MULH..=kind::REMU => match whole(kind) {
                Some(result) => result,
                None => return,
            },
            _ => return,
        };
        self.set(rd, result);
    }

    fn condition(&self, decoded: Decoded) -> Value<'b, bool> {
        let (a, b) = (self.get(decoded.word >> 13 & 31), self.get(decoded.word >> 18 & 31));
        let (p, q) = (a.cast::<X::Signed>(), b.cast::<X::Signed>());
        match decoded.word & 0xff {
            kind::BEQ => a.eq(b),
            kind::BNE => a.ne(b),
            kind::BLT => p.lt(q),
            kind::BGE => p.ge(q),
            kind::BLTU => a.lt(b),
            _ => a.ge(b),
        }
    }

    fn target(&self, decoded: Decoded) -> Wide<'b> {
        let target = (self.get(decoded.word >> 13 & 31) + X::signed(decoded.immediate)) & X::signed(0xffff_fffe);
        self.wide(target)
    }

    fn link(&self, decoded: Decoded, next: u32) {
        let rd = decoded.word >> 8 & 31;
        if rd != 0 {
            self.set(rd, self.f.constant(X::of(next)));
        }
    }
}
