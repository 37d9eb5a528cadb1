//! Prints programs, and what routines have in common with them. A program's text is what [`assemble`](super::assemble) reads; what a person wants to
//! know beside it stands in comments.

use std::fmt::{self, Display, Formatter, Write};

use super::types;
use crate::isa::{Class, Instruction, NO_WORD, Op, Role, unpair};
use crate::matrix::{AffineMap, CONSTANT, Format, Ring, read_record};
use crate::program::{Home, Mark, Program, SourceLoc};
use crate::routine::{Asking, Cause, Shown};
use crate::types::TypeRef;

/// Words of data in one line of text.
pub(super) const WORDS_OF_A_LINE: usize = 8;

impl Program {
    /// The program as text: header, then each instruction with its address, and in comments its matrix and its source line.
    pub fn disassemble(&self) -> String {
        let mut text = String::new();
        // Writing to a `String` cannot fail.
        let _ = print_program(&mut text, self);
        text
    }
}

fn print_program(text: &mut String, program: &Program) -> fmt::Result {
    writeln!(text, "program {}", Quoted(&program.name))?;
    for param in &program.params {
        writeln!(text, "param {}", types::print(*param))?;
    }
    writeln!(text, "result {}", types::print(program.result))?;
    writeln!(text, "frame_words {}", program.frame_words)?;
    if program.addressed_words != program.frame_words {
        writeln!(text, "addressed_words {}", program.addressed_words)?;
    }
    writeln!(text, "call_depth {}", program.call_depth)?;
    writeln!(text, "depth_limit {}", program.depth_limit)?;
    if program.relaxed {
        writeln!(text, "relaxed")?;
    }
    let report = &program.report;
    writeln!(
        text,
        "report {} {} ; routines, instructions before optimisation",
        report.routines, report.encoded_instructions
    )?;
    for file in &program.files {
        writeln!(text, "file {}", Quoted(file))?;
    }
    for routine in &program.routines {
        writeln!(text, "routine {}", Quoted(routine))?;
    }
    for (number, variable) in program.variables.list.iter().enumerate() {
        writeln!(
            text,
            "{} {}:{}:{} {} {} ; v{number}",
            if variable.is_parameter { "parameter" } else { "variable" },
            variable.routine,
            variable.first_line,
            variable.last_line,
            Quoted(variable.name),
            types::print(variable.ty)
        )?;
    }
    for (number, scope) in program.variables.scopes.iter().enumerate() {
        match scope.caller {
            None => writeln!(text, "scope {}:{} ; {number}", scope.routine, scope.line)?,
            Some(caller) => writeln!(text, "scope {}:{} in {caller} ; {number}", scope.routine, scope.line)?,
        }
    }
    for (number, site) in program.sites.iter().enumerate() {
        writeln!(text, "site {} {} ; s{number}", At(site.place), Why(&site.cause))?;
    }
    let maps: Vec<AffineMap> = program
        .matrices
        .iter()
        .map(|record| read_record(record, &program.pools).unwrap_or_default())
        .collect();
    for (number, (record, map)) in program.matrices.iter().zip(&maps).enumerate() {
        let format = match record.format {
            Format::Sparse => "sparse",
            Format::Dense => "dense",
        };
        writeln!(text, "matrix {format} {} ; m{number}", Rows(map))?;
    }
    for (line, words) in program.data.chunks(WORDS_OF_A_LINE).enumerate() {
        text.push_str("data");
        for word in words {
            write!(text, " {word:#x}")?;
        }
        writeln!(text, " ; from {} on", line * WORDS_OF_A_LINE)?;
    }
    text.push_str("code\n");
    let (mut place, mut scope) = (None, None);
    let mut marks = program.variables.marks.iter().peekable();
    for (address, instruction) in program.code.iter().enumerate() {
        let here = program.places.get(address).copied();
        if here != place
            && let Some(here) = here
        {
            let file = program.files.get(here.file as usize).map_or("?", String::as_str);
            let routine = program.routines.get(here.routine as usize).map_or("?", String::as_str);
            writeln!(
                text,
                "at {} ; {} in {}",
                At(here),
                Unbroken(&format!("{file}:{}", here.line)),
                Unbroken(routine)
            )?;
            place = Some(here);
        }
        let inside = program.variables.scope_of.get(address);
        if inside != scope
            && let Some(inside) = inside
        {
            writeln!(text, "inside {inside}")?;
            scope = Some(inside);
        }
        let mut print_marks = |text: &mut String, before: bool| {
            let here = |mark: &&Mark| mark.at as usize == address && mark.before == before;
            std::iter::from_fn(|| marks.next_if(here)).try_for_each(|mark| print_mark(text, program, mark))
        };
        print_marks(text, true)?;
        let map = maps.get(instruction.operands[3] as usize);
        print_line(text, address, instruction, Op::linked_roles, map)?;
        print_marks(text, false)?;
    }
    Ok(())
}

/// Where a word of a variable is before the next instruction or after the last one.
fn print_mark(text: &mut String, program: &Program, mark: &Mark) -> fmt::Result {
    let when = if mark.before { "enters" } else { "holds" };
    write!(text, "{when} {}:{}:{} ", mark.scope, mark.variable, mark.word)?;
    match mark.home {
        Home::Word(word) => write!(text, "w{word}")?,
        Home::Frame(offset) => write!(text, "frame {offset}")?,
        Home::Constant(value) => write!(text, "constant {value:#x}")?,
        Home::Nowhere => write!(text, "nowhere")?,
    }
    let variable = program.variables.list.get(mark.variable as usize);
    writeln!(text, " ; {}", Unbroken(variable.map_or("?", |variable| variable.name)))
}

/// One instruction: address, mnemonic, operands, and for a linear one its matrix as a comment.
pub(super) fn print_line(
    text: &mut String,
    address: usize,
    instruction: &Instruction,
    roles: fn(Op) -> [Role; 4],
    map: Option<&AffineMap>,
) -> fmt::Result {
    let Some(op) = Op::from_code(instruction.opcode) else {
        return writeln!(text, "; {address}: {:#x} is no opcode", instruction.opcode);
    };
    let mut line = format!("{address:6}  {}", op.mnemonic());
    let mut between = " ";
    for (place, (role, &operand)) in roles(op).into_iter().zip(&instruction.operands).enumerate() {
        let left_out = operand == 0 && role == Role::Imm && op.may_be_left_out(place);
        if role != Role::None && !left_out {
            write!(
                line,
                "{between}{}",
                Operand {
                    role,
                    operand,
                    open: op.may_be_open(place)
                }
            )?;
            between = ", ";
        }
    }
    match map {
        Some(map) if op.class() == Class::Linear => writeln!(text, "{line:<40} ; {map}"),
        _ => writeln!(text, "{line}"),
    }
}

struct Operand {
    role: Role,
    operand: u32,
    open: bool,
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let word = |word| {
            if self.open && word == NO_WORD {
                "_".to_string()
            } else {
                format!("w{word}")
            }
        };
        let operand = self.operand;
        match self.role {
            Role::None => Ok(()),
            Role::Def | Role::Use | Role::Base => f.write_str(&word(operand)),
            Role::DefPair | Role::UsePair => {
                let (low, high) = unpair(operand);
                write!(f, "{}:{}", word(low), word(high))
            }
            Role::Imm if operand < 0x1_0000 => write!(f, "{operand}"),
            Role::Imm => write!(f, "{operand:#x}"),
            Role::Label => write!(f, "@{operand}"),
            Role::Matrix => write!(f, "m{operand}"),
            Role::Callee => write!(f, "c{operand}"),
            Role::Site => write!(f, "s{operand}"),
        }
    }
}

/// A place as `file:line:routine`, the first and last by number.
struct At(SourceLoc);

impl Display for At {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.0.file, self.0.line, self.0.routine)
    }
}

pub(super) struct Quoted<'a>(pub &'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_default())
    }
}

/// A text in a comment, which must not end the line.
struct Unbroken<'a>(&'a str);

impl Display for Unbroken<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.replace(char::is_control, " "))
    }
}

pub(super) struct Why<'a>(pub &'a Cause);

impl Display for Why<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Cause::Message(text) => write!(f, "message {}", Quoted(text)),
            Cause::Bounds => f.write_str("bounds"),
            Cause::SliceStart => f.write_str("slice_start"),
            Cause::SliceEnd => f.write_str("slice_end"),
            Cause::SliceOrder => f.write_str("slice_order"),
            Cause::TextRange => f.write_str("text_range"),
            Cause::StackOverflow => f.write_str("stack_overflow"),
            Cause::Memory => f.write_str("memory"),
            Cause::Format { pieces, values } => {
                f.write_str("format")?;
                let mut shown = values.iter().take(pieces.len().saturating_sub(1));
                shown.try_for_each(|value| write!(f, " {}", Value(value)))?;
                pieces.iter().try_for_each(|piece| write!(f, " {}", Quoted(piece)))
            }
            Cause::Print { level, pieces } => {
                write!(f, "print {}", level.name())?;
                pieces.iter().try_for_each(|piece| write!(f, " {}", Quoted(piece)))
            }
            Cause::Value(value) => write!(f, "value {}", Value(value)),
            Cause::Ask(Asking { question, answer }) => {
                let [question, answer] = [question, answer].map(|ty| types::print(TypeRef::value(ty)));
                write!(f, "ask {question} {answer}")
            }
        }
    }
}

/// The type of a value that a text shows, and how.
struct Value<'a>(&'a Shown);

impl Display for Value<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Shown { ty, format } = self.0;
        f.write_str(&types::print(TypeRef::value(ty)))?;
        match *format {
            "" => Ok(()),
            "?" => f.write_str("?"),
            format => write!(f, ":{}", Quoted(format)),
        }
    }
}

/// A matrix in the assembler's form.
struct Rows<'a>(&'a AffineMap);

impl Display for Rows<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, row) in self.0.rows().enumerate() {
            let ring = match row[0].ring {
                Ring::Integer => "int",
                Ring::Bits => "bits",
                Ring::Float => "f32",
            };
            write!(f, "{}w{} ={ring} ", if i == 0 { "" } else { ", " }, row[0].row)?;
            for (i, term) in row.iter().enumerate() {
                f.write_str(if i == 0 { "" } else { " + " })?;
                match (term.column, term.rotation) {
                    (CONSTANT, _) => {}
                    (column, 0) => write!(f, "w{column}*")?,
                    (column, rotation) => write!(f, "w{column}<<<{rotation}*")?,
                }
                write!(f, "{:#x}", term.coefficient)?;
            }
        }
        Ok(())
    }
}
