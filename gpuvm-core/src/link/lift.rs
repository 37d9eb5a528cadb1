//! Verified code to the compiler's form: basic blocks, calls with their words spelt out, addressed words moved to the frame.

use super::collect::{By, Target};
use super::tables::Numbers;
use super::verify::{ends_block, param_words};
use crate::ir::names::{Names, Part};
use crate::ir::{Block, CallWords, End, Function, Inst, NONE, Slot, Word, code, strict};
use crate::isa::{Instruction, NO_WORD, Op, space, unpair};
use crate::program::SourceLoc;
use crate::routine::Routine;

/// Lifts one routine. `code` is its verified and patched code.
pub(crate) fn lift(routine: &Routine, code: &[Instruction], callees: &[Target], numbers: Numbers) -> Function {
    let mut lift = Lift::new(routine, code, numbers);
    lift.enter();
    for (at, instruction) in code.iter().enumerate() {
        if lift.starts[at] && at != 0 {
            lift.begin(at);
        }
        lift.instruction(at, instruction, callees);
    }
    let mut function = lift.function;
    strict::define_all(&mut function);
    function
}

struct Lift<'r> {
    routine: &'r Routine,
    numbers: Numbers,
    function: Function,
    /// Whether a block starts at the instruction.
    starts: Vec<bool>,
    /// The block that starts at the instruction.
    block_at: Vec<usize>,
    /// Where each of the routine's words lies in the frame, if it does.
    frame: Vec<Option<u32>>,
    place: SourceLoc,
    /// Instructions of the current block.
    out: Vec<Inst>,
    current: usize,
    /// Whether the current block has got its end.
    ended: bool,
}

impl<'r> Lift<'r> {
    fn new(routine: &'r Routine, code: &[Instruction], numbers: Numbers) -> Lift<'r> {
        let (starts, block_at, blocks) = find_blocks(code);
        let (slots, frame, frame_words) = find_slots(routine.words, code);
        let names = names(routine, numbers, &frame);
        // The function's own activation.
        let place = SourceLoc {
            routine: 0,
            ..numbers.place
        };
        let empty = Block {
            code: Vec::new(),
            end: End::Halt,
            place,
            marks: Vec::new(),
        };
        let function = Function {
            name: routine.name.to_string(),
            params: (0..param_words(routine) as Word).collect(),
            results: routine.result.words(),
            words: routine.words,
            blocks: vec![empty; blocks],
            slots,
            frame_words,
            names,
        };
        Lift {
            routine,
            numbers,
            function,
            starts,
            block_at,
            frame,
            place,
            out: Vec::new(),
            current: 0,
            ended: false,
        }
    }

    /// Moves addressed parameters to the frame, in a block of its own so that no jump repeats it.
    fn enter(&mut self) {
        for word in 0..self.function.params.len() {
            if let Some(offset) = self.frame[word] {
                self.out
                    .push(Inst::new(Op::StoreFrame, NONE, &[word as Word], offset, self.place));
            }
        }
        self.begin(0);
    }

    /// Closes the current block and begins the one at an instruction.
    fn begin(&mut self, at: usize) {
        let next = self.block_at[at];
        if !self.ended {
            self.end(End::Jump(next));
        }
        self.current = next;
        self.ended = false;
    }

    fn end(&mut self, end: End) {
        let code = std::mem::take(&mut self.out);
        self.function.blocks[self.current] = Block {
            code,
            end,
            place: self.place,
            marks: Vec::new(),
        };
        self.ended = true;
    }

    fn instruction(&mut self, at: usize, instruction: &Instruction, callees: &[Target]) {
        let Some(op) = Op::from_code(instruction.opcode) else {
            return;
        };
        let o = instruction.operands;
        self.place = SourceLoc {
            line: self.routine.lines[at],
            ..self.place
        };
        match op {
            Op::Jump => {
                let to = self.block_at[o[0] as usize];
                self.end(End::Jump(to));
            }
            Op::JumpIf | Op::JumpUnless => {
                let word = self.read(o[1]);
                let (target, next) = (self.block_at[o[0] as usize], self.block_at[at + 1]);
                let (then, otherwise) = if op == Op::JumpIf {
                    (target, next)
                } else {
                    (next, target)
                };
                self.end(End::Branch { word, then, otherwise });
            }
            Op::Return => {
                let words = (0..self.function.results).map(|i| self.read(o[0] + i)).collect();
                self.end(End::Return(words));
            }
            Op::Halt => self.end(End::Halt),
            Op::Trap => {
                let ((a, b), (c, d)) = (unpair(o[1]), unpair(o[2]));
                let words = [a, b, c, d].map(|word| if word == NO_WORD { NONE } else { self.read(word) });
                self.end(End::Trap {
                    site: self.numbers.first_site + o[0],
                    words,
                });
            }
            Op::Call => {
                let Target { routine, by } = &callees[o[0] as usize];
                match *by {
                    By::Call(number) => self.call(number, routine, o[1], o[2]),
                    By::Math(function) => self.math(function, routine, o[1], o[2]),
                }
            }
            Op::Log => self.tell(self.numbers.log_param, o, callees),
            Op::Ask => self.tell(self.numbers.questions_param, o, callees),
            Op::Address => {
                // A range of no words has no place; its address is never used.
                let offset = if o[2] == 0 {
                    0
                } else {
                    self.frame[o[1] as usize].unwrap_or(0)
                };
                let mut inst = code::decode(op, o, self.place);
                inst.imm = offset;
                self.push(inst);
            }
            _ => {
                let mut inst = code::decode(op, o, self.place);
                if op == Op::TrapIf {
                    inst.imm += self.numbers.first_site;
                }
                self.push(inst);
            }
        }
    }

    fn call(&mut self, number: usize, callee: &Routine, args: u32, results: u32) {
        let words = CallWords {
            args: (0..param_words(callee) as u32).map(|i| self.read(args + i)).collect(),
            results: (0..callee.result.words()).map(|i| results + i).collect(),
        };
        let mut inst = Inst::new(Op::Call, NONE, &[], number as u32, self.place);
        inst.call = Some(Box::new(words));
        self.push(inst);
    }

    /// A call of the library's function that prints or asks, with the hidden launch parameter that it does so by, the number of the site, and the
    /// words as a slice.
    fn tell(&mut self, param: u32, [site, base, words, callee]: [u32; 4], callees: &[Target]) {
        let By::Call(number) = callees[callee as usize].by else {
            return;
        };
        let address = match words {
            0 => 0,
            _ => self.frame[base as usize].unwrap_or(0),
        };
        let args = [
            (Op::Imm, space::ATOMIC),
            (Op::Param, param),
            (Op::ParamLen, param),
            (Op::VmId, 0),
            (Op::Imm, self.numbers.first_site + site),
            (Op::Imm, space::FRAME),
            (Op::Address, address),
            (Op::Imm, words),
        ];
        let args = args.map(|(op, imm)| {
            let word = self.function.new_word();
            let mut inst = Inst::new(op, word, &[], imm, self.place);
            if op == Op::Address {
                inst.extra = words;
            }
            self.out.push(inst);
            word
        });
        let mut inst = Inst::new(Op::Call, NONE, &[], number as u32, self.place);
        inst.call = Some(Box::new(CallWords {
            args: args.to_vec(),
            results: Vec::new(),
        }));
        self.out.push(inst);
    }

    /// A library function of one or two arguments as one instruction.
    fn math(&mut self, function: u32, callee: &Routine, args: u32, result: u32) {
        let last = args + param_words(callee) as u32 - 1;
        self.push(Inst::new(Op::FMath, result, &[args, last], function, self.place));
    }

    /// The word to read for one of the routine's words.
    fn read(&mut self, word: Word) -> Word {
        match self.frame[word as usize] {
            None => word,
            Some(offset) => {
                let copy = self.function.new_word();
                self.out.push(Inst::new(Op::LoadFrame, copy, &[], offset, self.place));
                copy
            }
        }
    }

    /// Adds an instruction whose words may lie in the frame; what a call reads has been fetched already.
    fn push(&mut self, mut inst: Inst) {
        let mut uses = inst.uses;
        for word in uses.iter_mut().filter(|word| **word != NONE) {
            *word = self.read(*word);
        }
        inst.uses = uses;
        let mut stores = Vec::new();
        for word in inst.defs_mut() {
            if let Some(offset) = self.frame[*word as usize] {
                *word = self.function.new_word();
                stores.push(Inst::new(Op::StoreFrame, NONE, &[*word], offset, self.place));
            }
        }
        self.out.push(inst);
        self.out.extend(stores);
    }
}

/// Which words and places of the frame hold the routine's variables.
fn names(routine: &Routine, numbers: Numbers, frame: &[Option<u32>]) -> Names {
    let (mut in_words, mut in_frame) = (Vec::new(), Vec::new());
    for (variable, number) in routine.variables.iter().zip(numbers.first_variable..) {
        let words = frame.iter().enumerate().skip(variable.word as usize);
        for (word, (at, offset)) in (0..variable.ty.words()).zip(words) {
            let part = Part {
                scope: 0,
                variable: number,
                word,
            };
            match offset {
                Some(offset) => in_frame.push((*offset, part)),
                None => in_words.push((at as Word, part)),
            }
        }
    }
    Names::new(numbers.place.routine, in_words, in_frame)
}

/// Where blocks start, the number of the block at each start, and how many blocks there are; block 0 comes before all code.
fn find_blocks(code: &[Instruction]) -> (Vec<bool>, Vec<usize>, usize) {
    let mut starts = vec![false; code.len()];
    starts[0] = true;
    for (at, instruction) in code.iter().enumerate() {
        let Some(op) = Op::from_code(instruction.opcode) else {
            continue;
        };
        if matches!(op, Op::Jump | Op::JumpIf | Op::JumpUnless) {
            starts[instruction.operands[0] as usize] = true;
        }
        if ends_block(op) && at + 1 < code.len() {
            starts[at + 1] = true;
        }
    }
    let mut block_at = vec![0; code.len()];
    let mut blocks = 1;
    for (at, _) in starts.iter().enumerate().filter(|(_, start)| **start) {
        block_at[at] = blocks;
        blocks += 1;
    }
    (starts, block_at, blocks)
}

/// Gathers addressed ranges: overlapping ones become one slot. Gives the slots, each word's place in the frame, and the
/// frame's words.
fn find_slots(words: u32, code: &[Instruction]) -> (Vec<Slot>, Vec<Option<u32>>, u32) {
    let mut ranges: Vec<(u32, u32)> = code
        .iter()
        .filter(|i| [Op::Address.code(), Op::Log.code(), Op::Ask.code()].contains(&i.opcode) && i.operands[2] > 0)
        .map(|i| (i.operands[1], i.operands[1] + i.operands[2]))
        .collect();
    ranges.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for (start, end) in ranges {
        match merged.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    let mut slots = Vec::with_capacity(merged.len());
    let mut frame = vec![None; words as usize];
    let mut next = 0;
    for (start, end) in merged {
        slots.push(Slot {
            offset: next,
            length: end - start,
        });
        for word in start..end {
            frame[word as usize] = Some(next);
            next += 1;
        }
    }
    (slots, frame, next)
}
