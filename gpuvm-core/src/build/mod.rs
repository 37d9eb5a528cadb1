//! Routines made at run time, by a builder with typed values and control flow. Its page is that of the facade's module `gpuvm::build`.

mod call;
mod cast;
mod control;
mod error;
mod memory;
mod number;
mod table;
mod value;

#[cfg(test)]
pub(crate) mod tests;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::panic::Location;

pub use call::{Argument, Arguments};
pub use cast::Scalar;
pub use control::{Label, Returned};
pub use error::BuildError;
pub use memory::{Array, Atomics, Place, Slice, SliceMut};
pub use number::{Bits, Float, Integer, Number};
pub use value::{Operand, Value, Variable};

pub(crate) use table::table;

use crate::assembly::types;
use crate::isa::{Instruction, Op};
use crate::routine::{
    Callee, Cause, Constant, ConstantWords, Routine, RoutineRef, Site, Variable as Named, matrices_of,
};
use crate::types::TypeRef;
use control::Loop;

/// Builds a routine: calls `body` once, and gives what it made.
///
/// # Errors
///
/// The first mistake, with its place.
#[track_caller]
pub fn build(name: &str, body: impl for<'b> FnOnce(&'b Body)) -> Result<Routine, BuildError> {
    let built = Body {
        inner: RefCell::new(Inner::new(name, Location::caller())),
        scope: Cell::new(0),
    };
    body(&built);
    built.inner.into_inner().finish()
}

/// A routine that is being built. All operations are its methods, or those of the values that it gives.
#[derive(Debug)]
pub struct Body {
    inner: RefCell<Inner>,
    /// The number of the innermost scope; 0 is the routine.
    scope: Cell<u32>,
}

/// The first of consecutive words.
pub(crate) type Word = u32;

#[derive(Debug)]
struct Inner {
    name: String,
    file: String,
    line: u32,
    params: Vec<TypeRef>,
    /// Words of the parameters.
    param_words: u32,
    words: u32,
    /// The most that there were before a scope ended.
    most_words: u32,
    /// The scopes that are open, by number, and how many have begun.
    scopes: Vec<u32>,
    scopes_begun: u32,
    code: Vec<Instruction>,
    lines: Vec<u32>,
    callees: Vec<Callee>,
    constants: Vec<Constant>,
    sites: Vec<Site>,
    variables: Vec<Named>,
    held: Vec<RoutineRef>,
    tables: Vec<std::sync::Arc<[u32]>>,
    /// The type of what was returned first.
    result: Option<TypeRef>,
    loops: Vec<Loop>,
    /// Where labels are, and the jumps to them.
    labels: Vec<Option<u32>>,
    jumps: Vec<(u32, usize)>,
    /// Whether anything gets to the next instruction. What nothing gets to is left out.
    reachable: bool,
    /// The line that [`Body::at`] said.
    place: Option<u32>,
    error: Option<BuildError>,
}

/// More instructions than any program can have.
const MOST_INSTRUCTIONS: usize = 1 << 24;

impl Inner {
    fn new(name: &str, place: &Location<'_>) -> Inner {
        Inner {
            name: name.to_string(),
            file: place.file().to_string(),
            line: place.line(),
            params: Vec::new(),
            param_words: 0,
            words: 0,
            most_words: 0,
            scopes: Vec::new(),
            scopes_begun: 0,
            code: Vec::new(),
            lines: Vec::new(),
            callees: Vec::new(),
            constants: Vec::new(),
            sites: Vec::new(),
            variables: Vec::new(),
            held: Vec::new(),
            tables: Vec::new(),
            result: None,
            loops: Vec::new(),
            labels: Vec::new(),
            jumps: Vec::new(),
            reachable: true,
            place: None,
            error: None,
        }
    }

    fn line_of(&self, place: &Location<'_>) -> u32 {
        self.place.unwrap_or(place.line())
    }

    /// Remembers the first mistake.
    fn mistake(&mut self, place: &Location<'_>, what: impl Into<String>) {
        if self.error.is_none() {
            self.error = Some(BuildError {
                routine: self.name.clone(),
                file: place.file().to_string(),
                line: place.line(),
                what: what.into(),
            });
        }
    }

    fn words(&mut self, count: u32) -> Word {
        let first = self.words;
        self.words = self.words.saturating_add(count);
        first
    }

    #[track_caller]
    fn finish(mut self) -> Result<Routine, BuildError> {
        if self.reachable && self.error.is_none() {
            match self.result {
                None => self.push(Op::Return, [0; 4], self.line),
                Some(result) if result.words() == 0 => self.push(Op::Return, [0; 4], self.line),
                Some(result) => {
                    self.error = Some(BuildError {
                        routine: self.name.clone(),
                        file: self.file.clone(),
                        line: self.line,
                        what: format!(
                            "its end is reached without a `ret`, and it returns `{result}`: return a value there too, or `f.panic(…)`"
                        ),
                    });
                }
            }
        }
        let labels = std::mem::take(&mut self.labels);
        for (jump, label) in std::mem::take(&mut self.jumps) {
            match (labels.get(label), self.code.get_mut(jump as usize)) {
                (Some(&Some(place)), Some(instruction)) => instruction.operands[0] = place,
                _ => self.mistake(Location::caller(), "it jumps to a label that is not placed"),
            }
        }
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut code = self.code;
        let (matrices, terms) = matrices_of(&mut code);
        Ok(Routine {
            name: Cow::Owned(self.name),
            file: Cow::Owned(self.file),
            line: self.line,
            params: Cow::Owned(self.params),
            result: self.result.unwrap_or(TypeRef::of::<()>()),
            words: self.words.max(self.most_words).max(1),
            code: Cow::Owned(code),
            lines: Cow::Owned(self.lines),
            matrices: Cow::Owned(matrices),
            terms: Cow::Owned(terms),
            callees: Cow::Owned(self.callees),
            constants: Cow::Owned(self.constants),
            sites: Cow::Owned(self.sites),
            variables: Cow::Owned(self.variables),
            held: self.held,
            tables: self.tables,
            ..Routine::EMPTY
        })
    }

    fn push(&mut self, op: Op, operands: [u32; 4], line: u32) {
        if !self.reachable || self.code.len() >= MOST_INSTRUCTIONS {
            return;
        }
        self.code.push(Instruction::new(op, operands));
        self.lines.push(line);
        self.reachable = !matches!(op, Op::Jump | Op::Return | Op::Halt | Op::Trap);
    }

    fn variable(&mut self, name: &str, word: Word, ty: TypeRef, line: u32) {
        self.variables.push(Named {
            name: types::keep(name),
            word,
            ty,
            line,
            last_line: u32::MAX,
        });
    }

    /// The number of what a call names.
    fn callee(&mut self, callee: Callee) -> u32 {
        let same = |known: &Callee| match (known, callee) {
            (Callee::Held(known), Callee::Held(number)) => *known == number,
            (Callee::Library(known), Callee::Library(number)) => *known == number,
            _ => false,
        };
        let found = self.callees.iter().position(same).unwrap_or_else(|| {
            self.callees.push(callee);
            self.callees.len() - 1
        });
        found as u32
    }

    fn site(&mut self, cause: Cause, line: u32) -> u32 {
        let site = Site { line, cause };
        let found = self.sites.iter().position(|known| *known == site).unwrap_or_else(|| {
            self.sites.push(site);
            self.sites.len() - 1
        });
        found as u32
    }
}

impl Body {
    /// Adds an instruction.
    #[track_caller]
    pub(crate) fn emit(&self, op: Op, operands: [u32; 4]) {
        let mut inner = self.inner.borrow_mut();
        let line = inner.line_of(Location::caller());
        inner.push(op, operands, line);
    }

    /// New words.
    pub(crate) fn words(&self, count: u32) -> Word {
        self.inner.borrow_mut().words(count)
    }

    /// A new word with what an operation makes of others.
    #[track_caller]
    pub(crate) fn compute(&self, op: Op, operands: [u32; 3]) -> Word {
        let word = self.words(1);
        let [a, b, c] = operands;
        self.emit(op, [word, a, b, c]);
        word
    }

    /// A word with a constant.
    #[track_caller]
    pub(crate) fn immediate(&self, value: u32) -> Word {
        self.compute(Op::Imm, [value, 0, 0])
    }

    #[track_caller]
    pub(crate) fn copy(&self, to: Word, from: Word, count: u32) {
        for k in 0..count {
            self.emit(Op::Mov, [to + k, from + k, 0, 0]);
        }
    }

    /// Traps where the word is not 0, with two words for the message.
    #[track_caller]
    pub(crate) fn trap_if(&self, condition: Word, cause: Cause, words: [u32; 2]) {
        let site = self.site(cause);
        self.emit(Op::TrapIf, [site, condition, words[0], words[1]]);
    }

    #[track_caller]
    pub(crate) fn site(&self, cause: Cause) -> u32 {
        let mut inner = self.inner.borrow_mut();
        let line = inner.line_of(Location::caller());
        inner.site(cause, line)
    }

    #[track_caller]
    pub(crate) fn mistake(&self, what: impl Into<String>) {
        self.inner.borrow_mut().mistake(Location::caller(), what);
    }

    /// What follows comes from this line, until the next `at`: for routines that are translated from some language. `file` is that of all the routine,
    /// and is only said once.
    pub fn at(&self, file: &str, line: u32) {
        let mut inner = self.inner.borrow_mut();
        if inner.place.is_none() {
            (inner.file, inner.line) = (file.to_string(), line);
        }
        inner.place = Some(line);
    }

    /// A table of constants that all VMs read where it is, as a `const` slice of a `#[routine]`. Equal ones are there once.
    #[track_caller]
    pub(crate) fn data(&self, words: Vec<u32>) -> [Word; 2] {
        let (space, offset) = (self.words(1), self.words(1));
        {
            let mut inner = self.inner.borrow_mut();
            let number = inner
                .tables
                .iter()
                .position(|known| **known == *words)
                .unwrap_or_else(|| {
                    inner.tables.push(words.into());
                    inner.tables.len() - 1
                });
            // The two instructions that come next.
            let constant = Constant {
                at: inner.code.len() as u32,
                words: ConstantWords::Table(number as u32),
                in_data: true,
            };
            let reachable = inner.reachable;
            inner.constants.extend(reachable.then_some(constant));
        }
        self.emit(Op::Imm, [space, 0, 0, 0]);
        self.emit(Op::Imm, [offset, 0, 0, 0]);
        [space, offset]
    }
}
