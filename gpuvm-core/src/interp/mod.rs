//! The reference interpreter: one VM, one instruction at a time, in plain Rust. It is the definition of what a [`Program`]
//! means; every other engine has to agree with it bit for bit (but for NaN payloads, which nobody can observe).

pub mod arithmetic;
mod memory;
mod run;
#[cfg(test)]
mod tests;

use crate::isa::{CALL_FRAME_WORDS, NO_WORD, Op, Role, STATE_WORDS, WORDS, space, unpair};
use crate::matrix::apply_record;
use crate::program::{Program, Status, TrapRecord};

pub use memory::Memory;
pub use run::{MEMORY_SITE, Outcome, STACK_SITE, run_all, trap_site};

/// One VM between two instructions: everything that is needed to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vm {
    /// The 128-byte record: `ip`, `status`, `vm_id`, `depth`, then `w0..w27`.
    pub state: [u32; STATE_WORDS],
    /// Its frame memory, [`Program::frame_memory`] words: the call stack, then the frames.
    pub frame: Vec<u32>,
    /// Where in `frame` the running routine's frame starts.
    pub frame_base: u32,
    /// Calls that have not returned, each with a call frame on the call stack.
    pub calls: u32,
    /// What the VM recorded when it trapped.
    pub trap: Option<TrapRecord>,
}

/// Places of the header words in [`Vm::state`].
pub mod header {
    /// The number of the next instruction.
    pub const IP: usize = 0;
    /// A [`Status`](crate::program::Status) as a number.
    pub const STATUS: usize = 1;
    /// The VM's number in its launch.
    pub const VM_ID: usize = 2;
    /// Depth of recursion as [`Op::Enter`](crate::isa::Op::Enter) counts it.
    pub const DEPTH: usize = 3;
    /// `w0`; the other general words follow.
    pub const WORD_0: usize = 4;
}

/// The low and the high word of a number.
fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// Why an instruction could not be completed: the site and the words to record.
struct Trapped {
    site: u32,
    words: [u32; 4],
}

/// Where the VM goes from an instruction.
enum Next {
    Following,
    Label(u32),
    Stop(Status),
}

impl Vm {
    /// A VM at the program's entry: all words and its frame memory are 0.
    pub fn new(program: &Program, vm_id: u32) -> Vm {
        let mut state = [0; STATE_WORDS];
        state[header::VM_ID] = vm_id;
        Vm {
            state,
            frame: vec![0; program.frame_memory() as usize],
            frame_base: program.call_stack_words(),
            calls: 0,
            trap: None,
        }
    }

    /// Whether it can go on, and if not, why.
    pub fn status(&self) -> Status {
        Status::of(self.state[header::STATUS])
    }

    /// The number of the next instruction.
    pub fn ip(&self) -> u32 {
        self.state[header::IP]
    }

    /// The general words.
    pub fn words(&self) -> &[u32] {
        &self.state[header::WORD_0..]
    }

    /// Lets a VM that yielded or waits for an answer go on.
    pub fn resume(&mut self) {
        if matches!(self.status(), Status::Yielded | Status::Blocked) {
            self.state[header::STATUS] = Status::Running as u32;
        }
    }

    /// Runs one instruction, if the VM is running. A VM that halts or traps keeps the `ip` of the instruction that did it.
    pub fn step(&mut self, program: &Program, memory: &mut Memory<'_>) -> Status {
        if self.status() != Status::Running {
            return self.status();
        }
        self.perform(self.next_instruction(program), program, memory)
    }

    /// The next instruction and its operation, `None` past the end of the code and for a number that is no opcode.
    fn next_instruction<'a>(&self, program: &'a Program) -> Option<(Op, &'a [u32; 4])> {
        let instruction = program.code.get(self.ip() as usize)?;
        Some((Op::from_code(instruction.opcode)?, &instruction.operands))
    }

    fn perform(&mut self, instruction: Option<(Op, &[u32; 4])>, program: &Program, memory: &mut Memory<'_>) -> Status {
        let ip = self.ip();
        let executed = match instruction {
            Some((op, operands)) => self.execute(op, operands, program, memory),
            None => Err(self.bad_memory(ip)),
        };
        let (next, status) = match executed {
            Ok(Next::Following) => (ip.wrapping_add(1), Status::Running),
            Ok(Next::Label(label)) => (label, Status::Running),
            Ok(Next::Stop(status @ (Status::Yielded | Status::Blocked))) => (ip.wrapping_add(1), status),
            Ok(Next::Stop(status)) => (ip, status),
            Err(Trapped { site, words }) => {
                let vm = self.state[header::VM_ID];
                self.trap = Some(TrapRecord { vm, site, words });
                (ip, Status::Trapped)
            }
        };
        self.state[header::IP] = next;
        self.state[header::STATUS] = status as u32;
        status
    }

    fn execute(
        &mut self,
        op: Op,
        operands: &[u32; 4],
        program: &Program,
        memory: &mut Memory<'_>,
    ) -> Result<Next, Trapped> {
        let [a, b, c, d] = *operands;
        match op {
            Op::Affine => self.affine(program, d),

            Op::Jump => return Ok(Next::Label(a)),
            Op::JumpIf if self.word(b) != 0 => return Ok(Next::Label(a)),
            Op::JumpUnless if self.word(b) == 0 => return Ok(Next::Label(a)),
            Op::JumpIf | Op::JumpUnless => {}
            Op::Switch => return Ok(Next::Label(a.wrapping_add(self.word(b).min(c)))),
            Op::Call => return self.call(program, a, b),
            Op::Return => return self.ret(),

            Op::Load => {
                let value = match self.word(b) {
                    space::DATA => self.datum(program, c, d)?,
                    _ => *self.place(program, memory, b, c, d)?,
                };
                self.set(a, value);
            }
            Op::Store => {
                let value = self.word(a);
                *self.place(program, memory, b, c, d)? = value;
            }
            Op::LoadFrame => {
                let value = *self.frame_word(self.frame_base.wrapping_add(b))?;
                self.set(a, value);
            }
            Op::StoreFrame => {
                let value = self.word(a);
                *self.frame_word(self.frame_base.wrapping_add(b))? = value;
            }
            Op::Address => self.set(a, self.frame_base.wrapping_add(b)),
            Op::Param | Op::ParamLen => {
                let slot = memory.params.get(b as usize).ok_or(self.bad_memory(b))?;
                let vm = self.state[header::VM_ID].wrapping_sub(memory.first_vm);
                let offset = slot.base.wrapping_add(vm.wrapping_mul(slot.stride));
                self.set(a, if op == Op::Param { offset } else { slot.length });
            }
            Op::VmId => self.set(a, self.state[header::VM_ID]),
            Op::VmCount => self.set(a, memory.vm_count),

            Op::AtomicLoad => {
                let old = *self.atomic(memory, b)?;
                self.set(a, old);
            }
            Op::AtomicStore => *self.atomic(memory, b)? = self.word(a),
            Op::AtomicCas => {
                let (expected, new) = (self.word(c), self.word(d));
                self.update(memory, a, b, |old| if old == expected { new } else { old })?;
            }
            Op::AtomicAdd
            | Op::AtomicSub
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicMinU
            | Op::AtomicMaxU
            | Op::AtomicMinS
            | Op::AtomicMaxS
            | Op::AtomicSwap => {
                let operand = self.word(c);
                self.update(memory, a, b, |old| memory::updated(op, old, operand))?;
            }

            Op::AtomicLoad64 => self.update_pair(memory, a, b, |old| old)?,
            Op::AtomicStore64 => {
                let value = self.pair(a);
                *self.atomic_pair(memory, b)? = halves(value);
            }
            Op::AtomicCas64 => {
                let (expected, new) = (self.pair(c), self.pair(d));
                self.update_pair(memory, a, b, |old| if old == expected { new } else { old })?;
            }
            Op::AtomicAdd64
            | Op::AtomicSub64
            | Op::AtomicAnd64
            | Op::AtomicOr64
            | Op::AtomicXor64
            | Op::AtomicMinU64
            | Op::AtomicMaxU64
            | Op::AtomicMinS64
            | Op::AtomicMaxS64
            | Op::AtomicSwap64 => {
                let operand = self.pair(c);
                self.update_pair(memory, a, b, |old| memory::updated_pair(op, old, operand))?;
            }

            Op::Yield => return Ok(Next::Stop(Status::Yielded)),
            Op::Block => return Ok(Next::Stop(Status::Blocked)),
            Op::Halt => return Ok(Next::Stop(Status::Halted)),
            Op::Trap => {
                let ((first, second), (third, fourth)) = (unpair(b), unpair(c));
                let words = [first, second, third, fourth].map(|word| self.recorded(word));
                return Err(Trapped { site: a, words });
            }
            Op::TrapIf => {
                if self.word(b) != 0 {
                    return Err(Trapped {
                        site: a,
                        words: [self.recorded(c), self.recorded(d), 0, 0],
                    });
                }
            }
            Op::Enter => {
                let depth = self.state[header::DEPTH].wrapping_add(1);
                if depth > program.depth_limit {
                    return Err(Trapped { site: a, words: [0; 4] });
                }
                self.state[header::DEPTH] = depth;
            }
            Op::Leave => self.state[header::DEPTH] = self.state[header::DEPTH].wrapping_sub(1),

            // Encoded code only.
            Op::Log | Op::Ask => {}

            // These only compute.
            #[rustfmt::skip]
            Op::Mov | Op::Imm | Op::Add | Op::Sub | Op::Neg | Op::AddImm | Op::MulImm | Op::Xor | Op::XorImm | Op::AndImm | Op::OrImm | Op::ShlImm |
            Op::ShrImm | Op::SarImm | Op::RotlImm | Op::ByteSwap | Op::BitReverse | Op::FAdd | Op::FSub | Op::FAddImm | Op::FMulImm | Op::Mul |
            Op::MulHighU | Op::MulHighS | Op::DivU | Op::DivS | Op::RemU | Op::RemS | Op::And | Op::Or | Op::Shl | Op::Shr | Op::Sar | Op::Rotl |
            Op::MinU | Op::MaxU | Op::MinS | Op::MaxS | Op::Clz | Op::Ctz | Op::Popcount | Op::Eq | Op::Ne | Op::LtU | Op::LtS | Op::LeU | Op::LeS |
            Op::Select | Op::AddOverS | Op::SubOverS | Op::MulOverU | Op::MulOverS | Op::Add64 | Op::Sub64 | Op::Mul64 | Op::DivU64 | Op::DivS64 |
            Op::RemU64 | Op::RemS64 | Op::Shl64 | Op::Shr64 | Op::Sar64 | Op::Eq64 | Op::LtU64 | Op::LtS64 | Op::MulOverU64 | Op::MulOverS64 |
            Op::FMul | Op::FDiv | Op::FRem | Op::FMulAdd | Op::FSqrt | Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRound | Op::FRoundEven | Op::FMin
            | Op::FMax | Op::FEq | Op::FLt | Op::FLe | Op::FCanon | Op::FToI | Op::FToU | Op::IToF | Op::UToF | Op::FToI64 | Op::FToU64 | Op::I64ToF
            | Op::U64ToF | Op::FMath
            => self.compute(op, operands),
        }
        Ok(Next::Following)
    }

    fn affine(&mut self, program: &Program, matrix: u32) {
        let mut words: [u32; WORDS] = std::array::from_fn(|i| self.state[header::WORD_0 + i]);
        if let Some(record) = program.matrices.get(matrix as usize) {
            apply_record(record, &program.pools, &mut words);
        }
        self.state[header::WORD_0..].copy_from_slice(&words);
    }

    /// An operation that only computes: all operands are read before the result is written.
    fn compute(&mut self, op: Op, operands: &[u32; 4]) {
        let mut inputs = [0; 4];
        let mut count = 0;
        let mut input = |value| {
            inputs[count] = value;
            count += 1;
        };
        let roles = op.roles();
        for (role, &operand) in roles.iter().zip(operands) {
            match role {
                Role::Use => input(self.word(operand)),
                Role::Imm => input(operand),
                Role::UsePair => {
                    let (low, high) = unpair(operand);
                    input(self.word(low));
                    input(self.word(high));
                }
                _ => {}
            }
        }
        let Some(outputs) = arithmetic::fold(op, &inputs[..count]) else {
            return;
        };
        if roles[0] == Role::DefPair {
            let (low, high) = unpair(operands[0]);
            self.set(low, outputs.low);
            self.set(high, outputs.high);
        } else {
            self.set(operands[0], outputs.low);
        }
    }

    /// Pushes a call frame (return address, caller's frame base; the other six words are not used) and enters the callee.
    fn call(&mut self, program: &Program, label: u32, caller_words: u32) -> Result<Next, Trapped> {
        if self.calls >= program.call_depth {
            return Err(Trapped {
                site: STACK_SITE,
                words: [self.ip(), 0, 0, 0],
            });
        }
        let at = self.calls * CALL_FRAME_WORDS as u32;
        *self.frame_word(at)? = self.ip().wrapping_add(1);
        *self.frame_word(at + 1)? = self.frame_base;
        self.calls += 1;
        self.frame_base = self.frame_base.wrapping_add(caller_words);
        Ok(Next::Label(label))
    }

    /// Pops a call frame; the entry routine's return is a halt.
    fn ret(&mut self) -> Result<Next, Trapped> {
        let Some(calls) = self.calls.checked_sub(1) else {
            return Ok(Next::Stop(Status::Halted));
        };
        let at = calls * CALL_FRAME_WORDS as u32;
        let (label, frame_base) = (*self.frame_word(at)?, *self.frame_word(at + 1)?);
        self.calls = calls;
        self.frame_base = frame_base;
        Ok(Next::Label(label))
    }

    /// Replaces the atomic word at the address in a word, and keeps what it was.
    fn update(
        &mut self,
        memory: &mut Memory<'_>,
        def: u32,
        address: u32,
        new: impl FnOnce(u32) -> u32,
    ) -> Result<(), Trapped> {
        let place = self.atomic(memory, address)?;
        let old = *place;
        *place = new(old);
        self.set(def, old);
        Ok(())
    }

    /// The same of an atomic pair and two words.
    fn update_pair(
        &mut self,
        memory: &mut Memory<'_>,
        defs: u32,
        address: u32,
        new: impl FnOnce(u64) -> u64,
    ) -> Result<(), Trapped> {
        let place = self.atomic_pair(memory, address)?;
        let [low, high] = *place;
        *place = halves(new(arithmetic::u64_of(low, high)));
        let (low_to, high_to) = unpair(defs);
        self.set(low_to, low);
        self.set(high_to, high);
        Ok(())
    }

    /// The two words of a pair operand.
    fn pair(&self, operand: u32) -> u64 {
        let (low, high) = unpair(operand);
        arithmetic::u64_of(self.word(low), self.word(high))
    }

    /// What a trap records of a word.
    fn recorded(&self, word: u32) -> u32 {
        if word == NO_WORD { 0 } else { self.word(word) }
    }

    /// A general word. A program is valid by construction, so the word exists; another number reads as 0.
    fn word(&self, word: u32) -> u32 {
        self.words().get(word as usize).copied().unwrap_or(0)
    }

    fn set(&mut self, word: u32, value: u32) {
        if let Some(place) = self.state[header::WORD_0..].get_mut(word as usize) {
            *place = value;
        }
    }
}
