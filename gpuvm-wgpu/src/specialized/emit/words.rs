//! The words of the VM while its shader is written: what is at hand of each, and in which forms.

use gpuvm_core::isa::WORDS;
use gpuvm_core::specialise::propagation::Fact;
use naga::{BinaryOperator, ScalarKind};

use super::super::code::{Code, Node};
use super::Emitter;

/// A word's value as the expressions that give it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Value {
    /// Its bits, if they are known already.
    pub constant: Option<u32>,
    /// As an integer.
    pub word: Option<Node>,
    /// As a float of the same bits.
    pub float: Option<Node>,
    /// As a truth value, if it is 0 or 1.
    pub truth: Option<Node>,
    /// The integer whose square root it is, both taken as floats, and what that is not below, unless it is NaN.
    pub root_of: Option<(Node, Option<f32>)>,
    /// As a float, what it is not below, unless it is NaN.
    pub at_least: Option<f32>,
}

impl Value {
    /// A known value.
    pub fn known(constant: u32) -> Value {
        Value {
            constant: Some(constant),
            ..Value::default()
        }
    }

    /// An integer.
    pub fn word(node: Node) -> Value {
        Value {
            word: Some(node),
            ..Value::default()
        }
    }

    /// A float.
    pub fn float(node: Node) -> Value {
        Value {
            float: Some(node),
            ..Value::default()
        }
    }

    /// A truth value.
    pub fn truth(node: Node) -> Value {
        Value {
            truth: Some(node),
            ..Value::default()
        }
    }

    /// The same as a float that is not below a number, unless it is NaN.
    pub fn at_least(self, least: Option<f32>) -> Value {
        Value {
            at_least: least,
            ..self
        }
    }

    /// As a float, what it is known not to be below, unless it is NaN.
    pub fn least(&self) -> Option<f32> {
        match self.constant {
            Some(constant) => Some(f32::from_bits(constant)).filter(|value| !value.is_nan()),
            None => self.at_least,
        }
    }

    /// The integer.
    pub fn as_word(&mut self, code: &mut Code) -> Node {
        if let Some(word) = self.word {
            return word;
        }
        let word = match (self.constant, self.truth, self.float) {
            (Some(constant), ..) => code.word(constant),
            (_, Some(truth), _) => {
                let (one, zero) = (code.word(1), code.word(0));
                code.select(truth, one, zero)
            }
            (.., Some(float)) => code.bits_as(float, ScalarKind::Uint),
            (None, None, None) => code.word(0),
        };
        self.word = Some(word);
        word
    }

    /// The float.
    pub fn as_float(&mut self, code: &mut Code) -> Node {
        if let Some(float) = self.float {
            return float;
        }
        let word = self.as_word(code);
        let float = code.bits_as(word, ScalarKind::Float);
        self.float = Some(float);
        float
    }

    /// Whether it is not 0.
    pub fn as_truth(&mut self, code: &mut Code) -> Node {
        match (self.truth, self.constant) {
            (Some(truth), _) => truth,
            (None, Some(constant)) => code.truth(constant != 0),
            (None, None) => {
                let (word, zero) = (self.as_word(code), code.word(0));
                code.binary(BinaryOperator::NotEqual, word, zero)
            }
        }
    }
}

/// An operand of an instruction that computes.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    /// A general word.
    Word(u32),
    /// A constant.
    Constant(u32),
}

/// What is at hand at some place of the code.
#[derive(Clone, Debug, Default)]
pub struct Hand {
    /// The values of words for which an expression is at hand.
    pub words: [Option<Value>; WORDS],
    /// What indices are known to be below, see [`proof`](super::proof).
    pub below: Vec<super::proof::Below>,
    /// What is known to be no larger than something else.
    pub ordered: Vec<super::proof::Ordered>,
    /// Arena offsets that are known to be in the launch's window.
    pub checked: Vec<(Node, u32)>,
}

impl Hand {
    /// Forgets words, given as bits.
    pub fn forget(&mut self, words: u32) {
        for (number, word) in self.words.iter_mut().enumerate() {
            if words >> number & 1 == 1 {
                *word = None;
            }
        }
    }
}

impl Emitter<'_> {
    /// The value of a word.
    pub fn read(&mut self, word: u32) -> Value {
        let number = word as usize;
        let Some(known) = self.hand.words.get(number).copied() else {
            return Value::known(0);
        };
        if let Some(value) = known {
            return value;
        }
        let fact = self.facts[number];
        let value = match fact {
            Fact::Constant(constant) => Value::known(constant),
            _ => {
                let local = self.local_of(number);
                let node = self.code.load(local);
                self.note_fact(node, fact);
                Value::word(node)
            }
        };
        self.hand.words[number] = Some(value);
        value
    }

    /// Gives a word a value.
    pub fn write(&mut self, word: u32, value: Value) {
        if let Some(place) = self.hand.words.get_mut(word as usize) {
            *place = Some(value);
            self.dirty |= 1 << word;
        }
    }

    /// Stores those of the words that have changed to their variables; the others of the changed ones are not needed any more.
    pub fn flush(&mut self, needed: u32) {
        for number in 0..WORDS {
            if self.dirty & needed & 1 << number == 0 {
                continue;
            }
            if let Some(mut value) = self.hand.words[number] {
                let node = value.as_word(&mut self.code);
                self.hand.words[number] = Some(value);
                let local = self.local_of(number);
                self.code.store(local, node);
            }
        }
        self.dirty = 0;
    }

    /// The variable of a word.
    pub fn local_of(&mut self, number: usize) -> Node {
        if let Some(local) = self.locals[number] {
            return local;
        }
        let ty = self.base.types.word;
        let local = self.code.local(format!("w{number}"), ty, None);
        self.locals[number] = Some(local);
        local
    }

    /// The value of an operand.
    pub fn value(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Word(word) => self.read(word),
            Operand::Constant(constant) => Value::known(constant),
        }
    }

    /// The operand as an integer.
    pub fn w(&mut self, operand: Operand) -> Node {
        let mut value = self.value(operand);
        let node = value.as_word(&mut self.code);
        self.keep(operand, value);
        node
    }

    /// The operand as a float.
    pub fn f(&mut self, operand: Operand) -> Node {
        let mut value = self.value(operand);
        let node = value.as_float(&mut self.code);
        self.keep(operand, value);
        node
    }

    /// Whether the operand is not 0.
    pub fn t(&mut self, operand: Operand) -> Node {
        let mut value = self.value(operand);
        let node = value.as_truth(&mut self.code);
        self.keep(operand, value);
        node
    }

    /// The operand as a signed integer.
    pub fn i(&mut self, operand: Operand) -> Node {
        let word = self.w(operand);
        self.code.bits_as(word, ScalarKind::Sint)
    }

    /// The operand's bits, if they are known.
    pub fn constant(&mut self, operand: Operand) -> Option<u32> {
        self.value(operand).constant
    }

    /// Keeps the forms of a word's value that have been made.
    fn keep(&mut self, operand: Operand, value: Value) {
        if let Operand::Word(word) = operand
            && let Some(place) = self.hand.words.get_mut(word as usize)
        {
            *place = Some(value);
        }
    }
}
