//! The source's variables in a linked program: which there are, and where each of their words is when a VM stops at an instruction.
//!
//! A variable may lie in the machine's words, in the frame, be a constant, or be nowhere: its value was never needed, or not any more.
//! What is said here is never wrong, but it may be early or late by a few instructions, because optimised code does not keep the
//! source's order.

use super::Program;
use super::locate::VariableMap;
use crate::types::{TypeRef, show_words};

/// The variables of a program and what is known of where they are. Empty for a program that was never Rust.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    /// The variables of all routines.
    pub list: Vec<Variable>,
    /// The activations of routines: of each function of the program its own, and one for each call that was inlined into it.
    pub scopes: Vec<Scope>,
    /// The activation that each instruction belongs to: a place in `scopes`.
    pub scope_of: Vec<u32>,
    /// Where variables get to, ascending by instruction, and at one instruction in the order in which they hold, those before it
    /// first.
    pub marks: Vec<Mark>,
}

/// A variable of the source.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The routine that declares it: a place in [`Program::routines`].
    pub routine: u32,
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: TypeRef,
    /// The source line that declares it.
    pub first_line: u32,
    /// The last source line of the block that it lives in.
    pub last_line: u32,
    /// Whether it is a parameter of its routine.
    pub is_parameter: bool,
}

/// One activation of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The routine: a place in [`Program::routines`].
    pub routine: u32,
    /// The activation that it was inlined into, an earlier one; `None` for a function's own.
    pub caller: Option<u32>,
    /// The source line of the call that was inlined.
    pub line: u32,
}

/// From an instruction on, a word of a variable is there and nowhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// The instruction.
    pub at: u32,
    /// Whether it is so already when the instruction is about to run.
    pub before: bool,
    /// The activation that the variable belongs to.
    pub scope: u32,
    /// The variable: a place in [`Variables::list`].
    pub variable: u32,
    /// Which of its words.
    pub word: u32,
    /// Where it is.
    pub home: Home,
}

/// Where one word of a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Home {
    /// In a general word of the VM.
    Word(u32),
    /// It is always this.
    Constant(u32),
    /// In the frame memory, so many words from the frame base on.
    Frame(u32),
    /// It is not kept.
    Nowhere,
}

/// A variable at an instruction.
#[derive(Clone, Debug)]
pub struct Location<'p> {
    /// The variable.
    pub variable: &'p Variable,
    /// The activation of its routine: a place in [`Variables::scopes`].
    pub scope: u32,
    /// Its name; that of an inlined routine's variable with the routine before it, as in `turn::angle`.
    pub name: String,
    /// Where each of its words is.
    pub homes: Vec<Home>,
}

impl Program {
    /// The variables that the source has at the instruction that is about to run, and where they are: first those of its own routine,
    /// then of the routine that it was inlined into, and so on. Whoever asks often asks a [`Program::variable_map`].
    pub fn variables_at(&self, ip: u32) -> Vec<Location<'_>> {
        self.variable_map().at(ip)
    }

    /// Finds out where variables are, all over the program.
    pub fn variable_map(&self) -> VariableMap<'_> {
        VariableMap::of(self)
    }
}

impl Location<'_> {
    /// The same where the machine's words have their values only if they are among these, as bits.
    pub fn within(mut self, kept: u32) -> Self {
        for home in &mut self.homes {
            if let Home::Word(word) = *home
                && kept.checked_shr(word).unwrap_or(0) & 1 == 0
            {
                *home = Home::Nowhere;
            }
        }
        self
    }

    /// The words of the variable, `None` for what is not kept. `words` are the VM's general words, `frame` its frame memory from the
    /// frame base on.
    pub fn read(&self, words: &[u32], frame: &[u32]) -> Vec<Option<u32>> {
        let read = |home: &Home| match *home {
            Home::Word(word) => words.get(word as usize).copied(),
            Home::Frame(offset) => frame.get(offset as usize).copied(),
            Home::Constant(value) => Some(value),
            Home::Nowhere => None,
        };
        self.homes.iter().map(read).collect()
    }

    /// The variable's value as `{:?}` prints it, with `?` for what is not kept.
    pub fn show(&self, words: &[u32], frame: &[u32]) -> String {
        show_words(self.variable.ty, &self.read(words, frame))
    }

    /// Whether any of its words can be read.
    pub fn is_known(&self) -> bool {
        self.homes.iter().any(|home| *home != Home::Nowhere)
    }
}
