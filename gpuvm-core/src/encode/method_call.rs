//! The std methods of the machine's own types: how they are called, those of Option and Result, and the way to the library.

use super::method::number as m;
use super::number::scalar_type;
use super::operand::Operand;
use super::print::showing;
use super::state::Encoder;
use crate::isa::{NO_WORD, Op, pair};
use crate::routine::{Callee, Cause, RECORDED, Shown, recorded};
use crate::stdlib::packed;
use crate::types::{Kind, Type, TypeRef, Value};

/// The most arguments a std method has, the receiver included.
pub(super) const MOST_ARGUMENTS: usize = 5;

/// The arguments of one call, receiver first.
pub(super) type Arguments = [Operand; MOST_ARGUMENTS];

impl Encoder<'_> {
    /// Encodes the std method `method` of the top `count` operands.
    pub const fn std_method(&mut self, method: u16, count: u32, of: Option<Kind>) {
        assert!(
            count as usize <= MOST_ARGUMENTS,
            "no std method of the machine has that many arguments"
        );
        let mut arguments: Arguments = [Operand::UNIT; MOST_ARGUMENTS];
        let mut i = count as usize;
        let mut never = false;
        while i > 0 {
            i -= 1;
            arguments[i] = self.pop();
            never = never || arguments[i].is_never();
        }
        if never {
            self.push(Operand::NEVER);
            return;
        }
        if let Some(kind) = of {
            if method == m::from_bits {
                let bits = if matches!(kind, Kind::F64) {
                    <u64 as Value>::TYPE
                } else {
                    <u32 as Value>::TYPE
                };
                let bits = self.argument(arguments[0], bits);
                self.push(Operand::scalar(scalar_type(kind), bits).shared());
                return;
            }
            arguments[0] = self.convert(arguments[0], TypeRef::value(scalar_type(kind)));
        }
        let result = self.method_of(method, arguments);
        self.push(result);
    }

    pub const fn method_of(&mut self, method: u16, arguments: Arguments) -> Operand {
        let receiver = self.deref_all(arguments[0]);
        match method {
            m::clone => return self.cloned(receiver),
            m::len | m::is_empty => {
                let length = self.length(receiver);
                let length = self.length_word(length);
                if method == m::len {
                    return Operand::scalar(<usize as Value>::TYPE, length).shared();
                }
                let zero = self.imm(0);
                let empty = self.word(Op::Eq, length, zero, 0);
                return Operand::scalar(<bool as Value>::TYPE, empty);
            }
            _ => {}
        }
        if let Some(compared) = self.comparing_method(method, receiver, arguments) {
            return compared;
        }
        if let Some(ordering) = self.ordering_method(method, receiver, arguments[1]) {
            return ordering;
        }
        match receiver.ty.kind {
            Kind::Enum => self.option_method(method, receiver, arguments[1]),
            Kind::Atomic => self.atomic_method(method, receiver, arguments),
            _ => {
                let kind = receiver.ty.arithmetic_kind();
                match kind {
                    Kind::F32 => self.float_method(method, receiver, arguments),
                    Kind::F64 => self.double_method(method, receiver, arguments),
                    _ if kind.is_integer() => self.integer_method(method, receiver, arguments),
                    _ => panic!("a method that is called here is not available inside a routine for this type"),
                }
            }
        }
    }

    pub const fn option_method(&mut self, method: u16, receiver: Operand, other: Operand) -> Operand {
        match method {
            m::unwrap => {
                let absent = "called `Option::unwrap()` on a `None` value";
                let other = &["called `Result::unwrap()` on an `Err` value: ", ""];
                return self.expect(receiver, false, absent, other);
            }
            m::unwrap_err => {
                let other = &["called `Result::unwrap_err()` on an `Ok` value: ", ""];
                return self.expect(receiver, true, "", other);
            }
            _ => {}
        }
        let tag = self.value(receiver.part(<u32 as Value>::TYPE, 0));
        // The variant with the wanted value: 1 for `Some`, 0 for `Ok`.
        let option = receiver.ty.variants.len() == 2 && receiver.ty.variants[0].fields.is_empty();
        let present = if option { tag } else { self.not_bool(tag) };
        let field = receiver.ty.variants[option as usize].fields[0];
        match method {
            m::is_some | m::is_ok => Operand::scalar(<bool as Value>::TYPE, present).shared(),
            m::is_none | m::is_err => {
                let absent = self.not_bool(present);
                Operand::scalar(<bool as Value>::TYPE, absent)
            }
            m::unwrap_or => {
                let inside = field.type_ref();
                let other = self.convert(other, inside);
                let other = self.value(other);
                let value = self.value(receiver.part_ref(inside, field.offset));
                let base = self.fresh(inside.words());
                let mut i = 0;
                while i < inside.words() {
                    self.emit(Op::Select, [base + i, present, value + i, other + i]);
                    i += 1;
                }
                Operand::fresh(inside, base)
            }
            _ => panic!(
                "a method of Option or Result that is called here is not available inside a routine: use `match`"
            ),
        }
    }

    /// What is inside of an option or a result, or, with `errors`, the error of a result. Traps at another variant: with the text `absent` at
    /// `None`, and with what there is instead between the two pieces of `other` at a result.
    pub const fn expect(
        &mut self,
        receiver: Operand,
        errors: bool,
        absent: &'static str,
        other: &'static [&'static str],
    ) -> Operand {
        if receiver.is_never() {
            return receiver;
        }
        let tag = self.value(receiver.part(<u32 as Value>::TYPE, 0));
        let variants = receiver.ty.variants;
        let option = variants.len() == 2 && variants[0].fields.is_empty();
        let wanted = option || errors;
        let field = variants[wanted as usize].fields[0];
        let present = if wanted { tag } else { self.not_bool(tag) };
        if option {
            let missing = self.not_bool(present);
            self.trap_if(missing, absent);
        } else {
            let found = variants[!wanted as usize].fields[0];
            let part = receiver.part_ref(found.type_ref(), found.offset);
            let text = found.ty.is_text();
            let past = self.new_label();
            if text {
                self.jump_to(Op::JumpIf, past, present);
            }
            let place = if text { self.deref_all(part) } else { part };
            let (base, count) = if text {
                (self.packed(place, packed::ALONE), packed::ALONE)
            } else {
                (self.value(receiver.part(found.ty, found.offset)), found.ty.words)
            };
            let mut words = [NO_WORD; 4];
            let mut i = 0;
            while i < 4 && i < count {
                words[i as usize] = base + i;
                i += 1;
            }
            let shown = Shown {
                ty: found.ty,
                format: "?",
            };
            let site = self.site(Cause::Format {
                pieces: other,
                values: [shown; RECORDED],
            });
            if !text {
                self.jump_to(Op::JumpIf, past, present);
            }
            self.trap(site, words);
            self.place_here(past);
        }
        receiver.part_ref(field.type_ref(), field.offset)
    }

    /// Traps and records four words.
    pub const fn trap(&mut self, site: u32, words: [u32; 4]) {
        let (low, high) = (pair(words[0], words[1]), pair(words[2], words[3]));
        self.emit(Op::Trap, [site, low, high, 0]);
    }

    /// `Some(value)` where `absent` is 0, else `None`; the payload's words are 0 for `None`.
    pub const fn option(&mut self, ty: &'static Type, value: u32, absent: u32) -> Operand {
        let base = self.fresh(ty.words);
        self.emit(Op::XorImm, [base, absent, 1, 0]);
        let zero = self.imm(0);
        let mut i = 1;
        while i < ty.words {
            self.emit(Op::Select, [base + i, absent, zero, value + i - 1]);
            i += 1;
        }
        Operand::fresh(TypeRef::value(ty), base)
    }

    /// Calls a function of the library whose arguments and results are words.
    pub const fn library(&mut self, function: u32, arguments: &[u32], results: u32) -> u32 {
        let base = self.fresh(arguments.len() as u32);
        let mut i = 0;
        while i < arguments.len() {
            self.copy_words(base + i as u32, arguments[i], 1);
            i += 1;
        }
        let result = self.fresh(results);
        let callee = self.callee(Callee::Library(function));
        self.emit(Op::Call, [callee, base, result, 0]);
        result
    }

    /// The word of a one-word argument.
    pub const fn argument(&mut self, operand: Operand, ty: &'static Type) -> u32 {
        let value = self.convert(operand, TypeRef::value(ty));
        self.value(value)
    }

    /// `panic!` and failed assertions: traps with the message of that number and the top `count` operands.
    pub const fn panic_with(&mut self, message: usize, count: u32) {
        let text = self.source.messages[message];
        let count = count as usize;
        let first = self.stack.len - count;
        let mut values = [Shown::NONE; RECORDED];
        let mut i = 0;
        while i < count {
            let operand = self.deref_all(self.stack.items[first + i]);
            self.stack.items[first + i] = operand;
            let shown = showing(operand.ty, text.formats[i]);
            if i < RECORDED {
                values[i] = shown;
            }
            i += 1;
        }
        let given = recorded(&values, count);
        let mut words = [NO_WORD; RECORDED];
        let mut next = 0;
        let mut i = 0;
        while i < count && i < RECORDED {
            if given[i] > 0 {
                let operand = self.stack.items[first + i];
                let base = if operand.ty.is_text() {
                    self.packed(operand, given[i] as u32)
                } else if operand.ty.is_duration() && count > 1 {
                    self.packed_duration(operand)
                } else {
                    self.value(operand)
                };
                let mut word = 0;
                while word < given[i] {
                    words[next] = base + word as u32;
                    next += 1;
                    word += 1;
                }
            }
            i += 1;
        }
        self.stack.len = first;
        let cause = if count == 0 {
            Cause::Message(text.pieces[0])
        } else {
            Cause::Format {
                pieces: text.pieces,
                values,
            }
        };
        let site = self.site(cause);
        self.trap(site, words);
    }
}
