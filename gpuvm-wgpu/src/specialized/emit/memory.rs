//! Instructions that touch memory: its spaces and launch parameters.

use gpuvm_core::isa::{Op, space};
use gpuvm_core::specialise::propagation::Fact;
use gpuvm_engine::fault;
use naga::{BinaryOperator, MathFunction};

use super::super::code::Node;
use super::Emitter;
use super::state::Frame;
use super::words::{Operand, Value};

impl Emitter<'_> {
    /// `d = space[offset + constant]`.
    pub fn load(&mut self, ip: u32, [d, space, offset, constant]: [u32; 4]) {
        if let Some(node) = self.early.take(ip) {
            self.write(d, Value::word(node));
            return;
        }
        let value = match self.constant(Operand::Word(space)) {
            Some(space::ARENA) => match self.folded(offset, constant) {
                Some(value) => Value::known(value),
                None => {
                    let kept = self.carried(offset, constant);
                    let word = match kept.or_else(|| self.stored_later(offset, constant)) {
                        Some(variable) => variable,
                        None => {
                            self.about.loads = true;
                            self.arena_word(ip, offset, constant)
                        }
                    };
                    Value::word(self.code.load(word))
                }
            },
            Some(space::ATOMIC) => {
                self.hurry();
                let offset = self.sum(offset, constant);
                let word = self.atomic_word(ip, offset);
                Value::word(self.code.load(word))
            }
            Some(space::FRAME) if self.may_be_in_frame(offset, constant) => {
                Value::word(self.load_frame(ip, offset, constant))
            }
            Some(space::DATA) => self.datum(ip, offset, constant),
            Some(_) => {
                let offset = self.sum(offset, constant);
                self.outside(ip, offset);
                Value::known(0)
            }
            None => {
                self.hurry();
                let (space, offset) = (self.w(Operand::Word(space)), self.sum(offset, constant));
                let found = match self.program.data.len() as u32 {
                    0 => self.code.call("load_any", &[space, offset]),
                    words => {
                        let words = self.code.word(words);
                        self.code.call("load_any_or_data", &[space, offset, words])
                    }
                };
                let (value, bad) = (self.code.part(found, 0), self.code.part(found, 1));
                self.fault_unless_zero(ip, bad, offset);
                Value::word(value)
            }
        };
        self.write(d, value);
    }

    /// `space[offset + constant] = a`.
    pub fn store(&mut self, ip: u32, [a, space, offset, constant]: [u32; 4]) {
        let value = self.w(Operand::Word(a));
        match self.constant(Operand::Word(space)) {
            Some(space::ARENA) => {
                if let Some(variable) = self.kept_for_later(offset, constant) {
                    // A VM that has trapped does not come to storing it.
                    self.code.store(variable, value);
                    return;
                }
                let word = match self.carried(offset, constant) {
                    Some(variable) => variable,
                    None => {
                        self.about.stores = true;
                        self.arena_word(ip, offset, constant)
                    }
                };
                self.unless_trapped(|emitter| emitter.code.store(word, value));
            }
            Some(space::ATOMIC) => {
                self.hurry();
                let offset = self.sum(offset, constant);
                let word = self.atomic_word(ip, offset);
                self.unless_trapped(|emitter| emitter.code.store(word, value));
            }
            Some(space::FRAME) if self.may_be_in_frame(offset, constant) => {
                self.store_frame(ip, offset, constant, value);
            }
            Some(_) => {
                let offset = self.sum(offset, constant);
                self.outside(ip, offset);
            }
            None => {
                let (space, offset) = (self.w(Operand::Word(space)), self.sum(offset, constant));
                self.hurry();
                let result = self.local("stored");
                let none = self.code.word(0);
                self.code.store(result, none);
                self.unless_trapped(|emitter| {
                    let bad = emitter.code.call("store_any", &[space, offset, value]);
                    emitter.code.store(result, bad);
                });
                let bad = self.code.load(result);
                self.fault_unless_zero(ip, bad, offset);
            }
        }
    }

    fn fault_unless_zero(&mut self, ip: u32, bad: Node, offset: Node) {
        let zero = self.code.word(0);
        let is_bad = self.code.binary(BinaryOperator::NotEqual, bad, zero);
        self.fault_if(ip, is_bad, fault::MEMORY, offset);
    }

    /// Traps in any case, without ending the code at hand.
    fn outside(&mut self, ip: u32, offset: Node) {
        let always = self.code.truth(true);
        self.fault_if(ip, always, fault::MEMORY, offset);
    }

    /// A word plus a constant.
    fn sum(&mut self, word: u32, constant: u32) -> Node {
        let value = self.value(Operand::Word(word));
        if let Some(known) = value.constant {
            return self.code.word(known.wrapping_add(constant));
        }
        let base = self.w(Operand::Word(word));
        if constant == 0 {
            return base;
        }
        let constant = self.code.word(constant);
        self.code.binary(BinaryOperator::Add, base, constant)
    }

    /// A word of a uniform that was folded in.
    fn folded(&mut self, offset: u32, constant: u32) -> Option<u32> {
        let value = self.read(offset);
        let (param, at) = self.place_of(&value)?;
        self.options.known.value(param, at.wrapping_add(constant))
    }

    /// A pointer to a word of the arena; one outside of the launch's window traps.
    pub fn arena_word(&mut self, ip: u32, word: u32, constant: u32) -> Node {
        // The integer form is what proofs and earlier checks know.
        let base = self.w(Operand::Word(word));
        let value = self.read(word);
        let offset = self.sum(word, constant);
        if !self.is_inside(&value, constant) && !self.hand.checked.contains(&(base, constant)) {
            let (start, words) = (self.code.launch("arena_start"), self.code.launch("arena_words"));
            let relative = self.code.binary(BinaryOperator::Subtract, offset, start);
            let bad = self.code.binary(BinaryOperator::GreaterEqual, relative, words);
            self.fault_if(ip, bad, fault::MEMORY, offset);
            self.hand.checked.push((base, constant));
        }
        let offset = if self.is_own(&value, constant) {
            offset
        } else {
            self.unless_it_has_trapped(offset)
        };
        let base = self.code.global("arena");
        self.code.element(base, offset)
    }

    /// A word of the program's data; one outside of it traps.
    fn datum(&mut self, ip: u32, word: u32, constant: u32) -> Value {
        let words = self.program.data.len() as u32;
        let value = self.read(word);
        let known = value.constant.map(|value| value.wrapping_add(constant));
        if let Some(&datum) = known.and_then(|at| self.program.data.get(at as usize)) {
            return Value::known(datum);
        }
        let offset = self.sum(word, constant);
        if words == 0 {
            self.outside(ip, offset);
            return Value::known(0);
        }
        let mut index = offset;
        if !self.stays_below(&value, constant, words) {
            let end = self.code.word(words);
            let bad = self.code.binary(BinaryOperator::GreaterEqual, offset, end);
            self.fault_if(ip, bad, fault::MEMORY, offset);
            // A VM that goes on although it has trapped must not reach outside.
            let last = self.code.word(words - 1);
            index = self.code.math(MathFunction::Min, &[offset, last]);
        } else {
            index = self.unless_it_has_trapped(index);
        }
        let base = self.code.global("data");
        let element = self.code.element(base, index);
        Value::word(self.code.load(element))
    }

    /// The offset of a word of the running routine's frame.
    fn frame_offset(&mut self, word: u32) -> Value {
        let start = self.frames_start().wrapping_add(word);
        match self.stack {
            None => Value::known(start),
            Some([base, _]) => {
                let (base, start) = (self.code.load(base), self.code.word(start));
                Value::word(self.code.binary(BinaryOperator::Add, base, start))
            }
        }
    }

    /// A word of the running routine's frame as it stands; 0 where there is none.
    pub fn frame_word(&mut self, word: u32) -> Node {
        if let Some(variable) = self.frame_variable(word) {
            return self.code.load(variable);
        }
        let inside = self.frames_start().wrapping_add(word) < self.program.frame_memory();
        if !matches!(self.frame, Frame::Memory) || !inside && self.stack.is_none() {
            return self.code.word(0);
        }
        let offset = self.frame_offset(word).as_word(&mut self.code);
        let Some(_) = self.stack else {
            return self.code.call("get_frame", &[offset]);
        };
        // There may be no room yet for what a routine has not touched.
        let (read, zero) = (self.local("read"), self.code.word(0));
        self.code.store(read, zero);
        let inside = self.code.call("in_frames", &[offset]);
        self.code.when(inside, |code| {
            let word = code.call("get_frame", &[offset]);
            code.store(read, word);
        });
        self.code.load(read)
    }

    /// Whether an address may lead to a word of the frame.
    fn may_be_in_frame(&mut self, word: u32, constant: u32) -> bool {
        let known = self.constant(Operand::Word(word));
        known.is_none_or(|known| known.wrapping_add(constant) < self.program.addressed_end())
    }

    /// The word of the frame that an address leads to.
    fn load_frame(&mut self, ip: u32, word: u32, constant: u32) -> Node {
        let offset = self.frame_address(ip, word, constant);
        let (array, words) = match self.frame {
            Frame::Memory => return self.code.call("get_frame", &[offset]),
            Frame::Kept { array: Some(array), .. } => array,
            // There is no such word.
            Frame::Kept { array: None, .. } | Frame::None => return self.code.word(0),
        };
        // A VM that goes on although it has trapped must not reach outside.
        let last = self.code.word(words - 1);
        let index = match self.trapped {
            Some(_) => self.code.math(MathFunction::Min, &[offset, last]),
            None => offset,
        };
        let word = self.code.element(array, index);
        self.code.load(word)
    }

    fn store_frame(&mut self, ip: u32, word: u32, constant: u32, value: Node) {
        let offset = self.frame_address(ip, word, constant);
        match self.frame {
            Frame::Memory => self.unless_trapped(|emitter| emitter.code.invoke("put_frame", &[offset, value])),
            Frame::Kept {
                array: Some((array, _)),
                ..
            } => {
                let word = self.code.element(array, offset);
                self.unless_trapped(|emitter| emitter.code.store(word, value));
            }
            Frame::Kept { array: None, .. } | Frame::None => {}
        }
    }

    /// The sum of a word and a constant, which traps unless it leads to a word of the frame.
    fn frame_address(&mut self, ip: u32, word: u32, constant: u32) -> Node {
        let (value, end) = (self.read(word), self.program.addressed_end());
        let offset = self.sum(word, constant);
        if self.stack.is_some() {
            self.check_frames(ip, offset);
        } else if !self.stays_below(&value, constant, end) {
            let end = self.code.word(end);
            let bad = self.code.binary(BinaryOperator::GreaterEqual, offset, end);
            self.fault_if(ip, bad, fault::MEMORY, offset);
        }
        offset
    }

    /// Traps unless an offset is one of the frames that there is room for so far.
    fn check_frames(&mut self, ip: u32, offset: Node) {
        let inside = self.code.call("in_frames", &[offset]);
        let bad = self.code.not(inside);
        self.fault_if(ip, bad, fault::MEMORY, offset);
    }

    /// The variable of a frame word, if it has one of its own.
    fn frame_variable(&mut self, word: u32) -> Option<Node> {
        let Frame::Kept { array, scalars } = &self.frame else {
            return None;
        };
        if let Some(variable) = scalars.get(&word) {
            return Some(*variable);
        }
        let (array, words) = (*array)?;
        let index = self.frames_start().checked_add(word).filter(|index| *index < words)?;
        Some(self.code.part(array, index))
    }

    /// `ldf`, `stf` and `addr`.
    pub fn frame(&mut self, ip: u32, op: Op, [a, word, ..]: [u32; 4]) {
        if op == Op::Address {
            let offset = self.frame_offset(word);
            self.write(a, offset);
            return;
        }
        let variable = self.frame_variable(word);
        let mut offset = self.frame_offset(word);
        let stored = (op == Op::StoreFrame).then(|| self.w(Operand::Word(a)));
        match (variable, stored) {
            (Some(variable), None) => {
                let value = self.code.load(variable);
                self.write(a, Value::word(value));
            }
            (Some(variable), Some(value)) => self.code.store(variable, value),
            (None, stored) => {
                let offset = offset.as_word(&mut self.code);
                // Only a frame in memory has words without variables; outside of it there is nothing.
                let inside = self.frames_start().wrapping_add(word) < self.program.frame_memory();
                let there = matches!(self.frame, Frame::Memory) && (inside || self.stack.is_some());
                match there {
                    false => self.outside(ip, offset),
                    true if self.stack.is_some() => self.check_frames(ip, offset),
                    true => {}
                }
                match stored {
                    Some(value) if there => {
                        self.unless_trapped(|emitter| emitter.code.invoke("put_frame", &[offset, value]));
                    }
                    Some(_) => {}
                    None => {
                        let value = match there {
                            true => Value::word(self.code.call("get_frame", &[offset])),
                            false => Value::known(0),
                        };
                        self.write(a, value);
                    }
                }
            }
        }
    }

    /// The VM's number in its launch.
    pub fn vm_id(&mut self) -> Node {
        let variable = self.code.global("vm");
        let (vm, first) = (self.code.load(variable), self.code.launch("first_vm"));
        self.code.binary(BinaryOperator::Add, first, vm)
    }

    /// `param`, `paramlen`, `vmid` and `vmcount`.
    pub fn launch(&mut self, op: Op, [d, param, ..]: [u32; 4]) {
        let value = match op {
            Op::VmId => Value::word(self.vm_id()),
            Op::VmCount => Value::word(self.code.launch("vm_count")),
            Op::ParamLen => match self.options.known.length(param) {
                Some(length) => Value::known(length),
                None => {
                    let length = self.slot(param, 2);
                    self.note_fact(length, Fact::Length(param));
                    Value::word(length)
                }
            },
            _ => {
                let place = self.place(param);
                self.note_fact(place, Fact::Place(param, 0));
                Value::word(place)
            }
        };
        self.write(d, value);
    }

    /// Where the VM's part of a launch parameter begins.
    pub fn place(&mut self, param: u32) -> Node {
        let mut base = self.slot(param, 0);
        if self.options.cuda
            && let Some(alignment) = self.options.known.alignment(param)
        {
            // This tells the translator.
            let whole = self.code.word(!(alignment - 1));
            base = self.code.binary(BinaryOperator::And, base, whole);
        }
        match self.options.known.stride(param) {
            Some(0) => base,
            stride => {
                let stride = match stride {
                    Some(stride) => self.code.word(stride),
                    None => self.slot(param, 1),
                };
                let vm = self.vm_id();
                let part = self.code.binary(BinaryOperator::Multiply, vm, stride);
                self.code.binary(BinaryOperator::Add, base, part)
            }
        }
    }

    /// A word of a launch parameter's slot.
    fn slot(&mut self, param: u32, word: u32) -> Node {
        let params = self.code.global("params");
        let (first, param) = (self.code.launch("first_slot"), self.code.word(param));
        let number = self.code.binary(BinaryOperator::Add, first, param);
        let slot = self.code.element(params, number);
        let pointer = self.code.part(slot, word);
        self.code.load(pointer)
    }
}
