//! A [`Routine`]: what the build leaves in the binary for the linker, or what is made at run time. Plain data, the same whether the encoder, the
//! [builder](crate::build) or a file made it.

mod bytes;
mod reference;

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

pub use bytes::SaveError;
pub(crate) use bytes::matrices_of;
pub use gpuvm_nodes::Level;
pub(crate) use reference::Table;
pub use reference::{Made, RoutineId, RoutineKey, RoutineRef, Tabled};

use crate::assembly::types;
use crate::facts::NamedWords;
use crate::isa::Instruction;
use crate::matrix::PackedTerm;
use crate::stdlib::packed;
use crate::types::{ConstantValue, ConstantWord, Type, TypeRef, Value, constant_words};

/// One routine as it was encoded: instructions over its own numbered words (as many as it likes), with one matrix for
/// each linear instruction. Nothing is optimised or allocated yet.
///
/// Words `0..p` hold the parameters, in order, at entry.
#[derive(Clone, Debug)]
pub struct Routine {
    /// The function's name, `Type::method` for a method.
    pub name: Cow<'static, str>,
    /// The source file, as `file!()` gives it.
    pub file: Cow<'static, str>,
    /// The line of the function's name.
    pub line: u32,
    /// The parameters' types, in order.
    pub params: Cow<'static, [TypeRef]>,
    /// The type of what it returns.
    pub result: TypeRef,
    /// How many words the code numbers.
    pub words: u32,
    /// The code. Labels are indices into it.
    pub code: Cow<'static, [Instruction]>,
    /// The source line of each instruction.
    pub lines: Cow<'static, [u32]>,
    /// The matrices that the linear instructions' operand 3 names: the number of the first term of each. Its last one stands before the next matrix's first.
    pub matrices: Cow<'static, [u32]>,
    /// The terms of the matrices. As words, because rustc checks each entry of a constant by itself, and each variant of an enum besides.
    pub terms: Cow<'static, [PackedTerm]>,
    /// What [`Op::Call`](crate::isa::Op::Call) names.
    pub callees: Cow<'static, [Callee]>,
    /// Constants whose words the linker fetches before anything else.
    pub constants: Cow<'static, [Constant]>,
    /// Where and why the routine can trap.
    pub sites: Cow<'static, [Site]>,
    /// Which words hold which variable, for people.
    pub variables: Cow<'static, [Variable]>,
    /// Functions that the routine's code has inside, each in one piece: the routine's own instructions are those in none.
    pub pieces: Cow<'static, [Piece]>,
    /// Whether a launch of the routine trades exact floats for speed. What it calls follows it, whatever this says there.
    pub relaxed: bool,
    /// Whether the function is `const`: its native copy cannot count how deep calls are, so its VM does not either.
    pub is_const: bool,
    /// Why there is no code, where the function is too large for the machine. Its native copy is there all the same.
    pub refused: Option<&'static str>,
    /// What [`Callee::Held`] names: routines that are known only at run time, and those that they call.
    pub held: Vec<RoutineRef>,
    /// The words of constant tables that [`ConstantWords::Table`] names.
    pub tables: Vec<Arc<[u32]>>,
}

impl Routine {
    /// Its signature for people: `fn(u32, &[f32]) -> f32`.
    pub fn signature(&self) -> String {
        format!("fn({}) -> {}", TypeRef::listed(&self.params), self.result)
    }

    /// A routine of no code, which does not link: what others are made of.
    pub const EMPTY: Routine = Routine {
        name: Cow::Borrowed(""),
        file: Cow::Borrowed(""),
        line: 0,
        params: Cow::Borrowed(&[]),
        result: TypeRef::of::<()>(),
        words: 0,
        code: Cow::Borrowed(&[]),
        lines: Cow::Borrowed(&[]),
        matrices: Cow::Borrowed(&[]),
        terms: Cow::Borrowed(&[]),
        callees: Cow::Borrowed(&[]),
        constants: Cow::Borrowed(&[]),
        sites: Cow::Borrowed(&[]),
        variables: Cow::Borrowed(&[]),
        pieces: Cow::Borrowed(&[]),
        relaxed: false,
        is_const: false,
        refused: None,
        held: Vec::new(),
        tables: Vec::new(),
    };
}

/// What a call names.
#[derive(Clone, Copy, Debug)]
pub enum Callee {
    /// Another routine of this binary. A function, so that routines may call each other in a circle.
    Routine(fn() -> &'static Routine),
    /// A routine that this one holds, by its place in [`Routine::held`].
    Held(u32),
    /// A piece of the routine itself.
    Piece(u32),
    /// A function of the standard library of routines, by its place in [`crate::library::FUNCTIONS`].
    Library(u32),
}

/// A function inside of a routine's code: a routine that is given closures and calls itself, for the closures of one call. It has words of its own,
/// and all else (matrices, callees, sites) is the routine's.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The name of the function that it is.
    pub name: &'static str,
    /// The source file of that.
    pub file: &'static str,
    /// The line of the function's name.
    pub line: u32,
    /// The function's parameters. Those that are closures are not given; at the end comes one more, [`Piece::BLOCK`].
    pub params: &'static [TypeRef],
    /// The type of what it returns.
    pub result: TypeRef,
    /// The first of its instructions, and the one behind its last; those of a piece with a higher number in between are not its own.
    pub start: u32,
    /// See there.
    pub end: u32,
    /// How many words its code numbers.
    pub words: u32,
}

impl Piece {
    /// The address of the addresses of what the closures borrow.
    pub const BLOCK: TypeRef = TypeRef {
        refs: 1,
        ..TypeRef::value(<u32 as Value>::TYPE)
    };

    /// No instructions.
    pub(crate) const NONE: Piece = Piece {
        name: "",
        file: "",
        line: 0,
        params: &[],
        result: TypeRef::of::<()>(),
        start: 0,
        end: 0,
        words: 0,
    };
}

/// A named constant of the user's, read when the program is linked: its words go, in order, into the constants of consecutive
/// [`Op::Imm`](crate::isa::Op::Imm) instructions.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// The first of the instructions to patch.
    pub at: u32,
    /// Gives the words of the value.
    pub words: ConstantWords,
    /// Whether it is a part of the program's data: then two instructions are there, for the space and the offset of its words.
    pub in_data: bool,
}

/// How the words of a constant are fetched.
#[derive(Clone, Copy, Debug)]
pub enum ConstantWords {
    /// By a function.
    Function(fn() -> Vec<ConstantWord>),
    /// By the function of that number.
    Inferred(&'static dyn Inferred, u32),
    /// They are the words of that entry of [`Routine::tables`].
    Table(u32),
}

impl ConstantWords {
    /// Fetches them for the routine that has the constant. A table that the routine does not have has no words.
    pub fn fetch(self, routine: &Routine) -> Vec<ConstantWord> {
        match self {
            ConstantWords::Function(words) => words(),
            ConstantWords::Inferred(all, number) => all.words(number),
            ConstantWords::Table(number) => {
                let table = routine.tables.get(number as usize);
                table.map_or_else(Vec::new, |words| {
                    words.iter().copied().map(ConstantWord::Value).collect()
                })
            }
        }
    }
}

/// Functions that fetch the words of constants whose types rustc infers from where they are used, a list of pairs.
pub trait Inferred: std::fmt::Debug + Sync {
    /// What the function of that number gives.
    fn words(&self, number: u32) -> Vec<ConstantWord>;
}

/// The words of a value of type `T`.
#[derive(Debug)]
pub struct WordsOf<T> {
    words: Vec<ConstantWord>,
    of: PhantomData<fn() -> T>,
}

impl<T: ConstantValue> WordsOf<T> {
    /// The words of this value.
    pub fn value(value: &T) -> WordsOf<T> {
        WordsOf {
            words: constant_words(value),
            of: PhantomData,
        }
    }
}

impl<T> WordsOf<T> {
    /// The size of the type.
    pub fn size_of_val() -> WordsOf<T> {
        WordsOf {
            words: constant_words(&size_of::<T>()),
            of: PhantomData,
        }
    }

    /// The alignment of the type.
    pub fn align_of_val() -> WordsOf<T> {
        WordsOf {
            words: constant_words(&align_of::<T>()),
            of: PhantomData,
        }
    }

    /// The words of what a name stands for that may be a constructor's.
    pub fn named<M>(value: &T) -> WordsOf<T>
    where
        T: NamedWords<M>,
    {
        WordsOf {
            words: value.words(),
            of: PhantomData,
        }
    }
}

impl Inferred for () {
    fn words(&self, _: u32) -> Vec<ConstantWord> {
        Vec::new()
    }
}

impl<T, R: Inferred> Inferred for (fn() -> WordsOf<T>, R) {
    fn words(&self, number: u32) -> Vec<ConstantWord> {
        match number.checked_sub(1) {
            None => (self.0)().words,
            Some(number) => self.1.words(number),
        }
    }
}

/// Where and why a routine can trap, or where it prints and what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Site {
    /// The source line, as rustc's panic would report it.
    pub line: u32,
    /// What is wrong.
    pub cause: Cause,
}

/// Why a VM traps. [`Cause::message`] words it exactly as rustc's own panic does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// A fixed text: `panic!("text")`, overflow, division by zero, `unwrap` of `None`, …
    Message(&'static str),
    /// An index past the end; the recorded words are the length and the index.
    Bounds,
    /// A slice range that starts past the length; the recorded words are the start and the length.
    SliceStart,
    /// A slice range `start..end` that ends past the length; the recorded words are the end and the length.
    SliceEnd,
    /// A slice range that starts after its end; the recorded words are the start and the end.
    SliceOrder,
    /// A range of a text that is no part of it; the recorded words are the start, the end, and the text.
    TextRange,
    /// A text with values in it, which share the recorded words as [`recorded`] says. What was not recorded of a value is shown as `?`.
    Format {
        /// The text around the values, one piece more than there are values.
        pieces: &'static [&'static str],
        /// How to show each of the first values; those past the text's last are of no meaning.
        values: [Shown; RECORDED],
    },
    /// Recursion past the configured depth.
    StackOverflow,
    /// Memory outside of what the VM may touch: only hand-made or damaged programs do this.
    Memory,
    /// No trap: a text that is printed, with a value between any two pieces. The sites that follow say how to show each, by
    /// [`Cause::Value`].
    Print {
        /// How important it is.
        level: Level,
        /// The text around the values, one piece more than there are values.
        pieces: &'static [&'static str],
    },
    /// No trap: a value of the text before, whose words are printed one after the other.
    Value(Shown),
    /// No trap: a question to the host.
    Ask(Asking),
}

/// The types of a question to the host.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// What is asked.
    pub question: &'static Type,
    /// What comes back.
    pub answer: &'static Type,
}

impl Asking {
    /// Words that have room for either.
    pub fn words(self) -> u32 {
        self.question.words.max(self.answer.words)
    }
}

impl PartialEq for Asking {
    fn eq(&self, other: &Asking) -> bool {
        self.question.same(other.question) && self.answer.same(other.answer)
    }
}

impl std::fmt::Display for Asking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "a question of type `{}`, which is answered by `{}`",
            self.question, self.answer
        )
    }
}

/// Words that a trap records.
pub const RECORDED: usize = 4;

/// How many of a trap's words each of the first values of a text has, of `count` values: they lie one after the other. The words go round, one to each that lacks some. A
/// number, a text and a duration take theirs at once, and nothing where fewer are left.
pub const fn recorded(values: &[Shown; RECORDED], count: usize) -> [usize; RECORDED] {
    let mut given = [0; RECORDED];
    let mut left = RECORDED;
    let mut round = 0;
    while round < RECORDED {
        let mut i = 0;
        while i < count && i < RECORDED {
            let lacking = values[i].recorded_words(count) - given[i];
            let at_once = match values[i].is_whole() {
                true => lacking,
                false if lacking > 0 => 1,
                false => 0,
            };
            if at_once <= left {
                given[i] += at_once;
                left -= at_once;
            }
            i += 1;
        }
        round += 1;
    }
    given
}

/// How a text shows one value.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Its type; a scalar where it is not shown as `{:?}`.
    pub ty: &'static Type,
    /// What stands behind the colon of its placeholder: `?` for `{:?}`.
    pub format: &'static str,
}

impl Shown {
    /// In place of a value that a text does not have.
    pub const NONE: Shown = Shown {
        ty: <u32 as Value>::TYPE,
        format: "",
    };

    /// How many words a log has of the value.
    pub const fn logged_words(self) -> u32 {
        if self.ty.is_text() {
            packed::LOGGED
        } else {
            self.ty.words
        }
    }

    /// How many words a trap has of the value where it has room, in a text of `count` values.
    const fn recorded_words(self, count: usize) -> usize {
        let words = match (self.ty.is_text(), count) {
            (true, 1) => packed::ALONE,
            (true, _) => packed::BESIDE,
            (false, 2..) if self.ty.is_duration() => packed::BESIDE,
            _ => self.ty.words,
        };
        words as usize
    }

    /// Whether a part of the value says nothing.
    const fn is_whole(self) -> bool {
        self.ty.is_text() || self.ty.is_duration() || self.ty.arithmetic_kind().is_scalar()
    }

    /// Whether `{:?}` or a kin of it shows the value, which any type can do.
    pub const fn is_debug(self) -> bool {
        matches!(self.format.as_bytes(), [.., b'?'])
    }
}

/// Types are the same that are written alike.
impl PartialEq for Shown {
    fn eq(&self, other: &Shown) -> bool {
        let written = |shown: &Shown| types::print(TypeRef::value(shown.ty));
        self.format == other.format && (std::ptr::eq(self.ty, other.ty) || written(self) == written(other))
    }
}

/// A variable of the source and the words that hold it.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name in the source.
    pub name: &'static str,
    /// Its first word.
    pub word: u32,
    /// Its type.
    pub ty: TypeRef,
    /// The source line that declares it.
    pub line: u32,
    /// The last source line of the block that it lives in.
    pub last_line: u32,
}
