//! Reads a program from text. Nothing that the text says is trusted: the result is [verified](Program::verify).

use super::cursor::Cursor;
use super::operands::{Labels, operation, word};
use super::{AssemblyError, operands, types};
use crate::isa::{Instruction, Op};
use crate::matrix::{AffineMap, CONSTANT, Format, Ring, Store, Term};
use crate::program::Report;
use crate::program::{Home, LinkedSite, Mark, Program, Scope, SourceLoc, Variable};
use crate::routine::{Asking, Cause, Level, RECORDED, Shown};
use crate::types::{Placeholder, Type, TypeRef};

/// Reads a program from text of the form that the [module](super) describes. The texts and types in it are kept for as long as
/// the process lives.
///
/// # Errors
///
/// [`AssemblyError`] names the first line that is wrong, or what is wrong with the program as a whole.
pub fn assemble(text: &str) -> Result<Program, AssemblyError> {
    let mut assembler = Assembler::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = |what| AssemblyError { line: number + 1, what };
        assembler.line(&mut Cursor::new(line)).map_err(wrong)?;
    }
    let program = assembler
        .finish()
        .map_err(|(line, what)| AssemblyError { line, what })?;
    program.verify().map_err(|what| AssemblyError { line: 0, what })?;
    Ok(program)
}

struct Assembler {
    program: Program,
    /// What the header says of [`Program::addressed_words`].
    addressed_words: Option<u32>,
    store: Store,
    place: SourceLoc,
    /// The scope of the instructions that follow.
    scope: u32,
    in_code: bool,
    line: usize,
    labels: Labels,
}

impl Assembler {
    fn new() -> Assembler {
        const UNIT: Type = Type::record(crate::types::Kind::Tuple, "tuple", &[]);
        let program = Program {
            name: String::new(),
            params: Vec::new(),
            result: TypeRef::value(&UNIT),
            code: Vec::new(),
            places: Vec::new(),
            files: Vec::new(),
            routines: Vec::new(),
            matrices: Vec::new(),
            pools: Default::default(),
            data: Vec::new(),
            sites: Vec::new(),
            frame_words: 0,
            addressed_words: 0,
            call_depth: 0,
            depth_limit: crate::settings::Settings::default().recursion_limit,
            relaxed: false,
            variables: Default::default(),
            report: Default::default(),
        };
        Assembler {
            program,
            addressed_words: None,
            store: Store::default(),
            place: SourceLoc {
                file: 0,
                line: 0,
                routine: 0,
            },
            scope: 0,
            in_code: false,
            line: 0,
            labels: Labels::default(),
        }
    }

    fn line(&mut self, cursor: &mut Cursor<'_>) -> Result<(), String> {
        self.line += 1;
        if cursor.at_end() {
            return Ok(());
        }
        if self.in_code {
            self.code_line(cursor)?
        } else {
            self.header_line(cursor)?
        }
        cursor.expect_end()
    }

    fn header_line(&mut self, cursor: &mut Cursor<'_>) -> Result<(), String> {
        let program = &mut self.program;
        match cursor.name()? {
            "program" => program.name = cursor.text()?,
            "param" => program.params.push(types::parse(cursor)?),
            "result" => program.result = types::parse(cursor)?,
            "frame_words" => program.frame_words = cursor.number()?,
            "addressed_words" => self.addressed_words = Some(cursor.number()?),
            "call_depth" => program.call_depth = cursor.number()?,
            "depth_limit" => program.depth_limit = cursor.number()?,
            "relaxed" => program.relaxed = true,
            "report" => {
                program.report.routines = cursor.number()?;
                program.report.encoded_instructions = cursor.number()?;
            }
            "file" => program.files.push(cursor.text()?),
            "routine" => program.routines.push(cursor.text()?),
            kind @ ("variable" | "parameter") => {
                let [routine, first_line, last_line] = three(cursor)?;
                program.variables.list.push(Variable {
                    routine,
                    name: types::keep(&cursor.text()?),
                    ty: types::parse(cursor)?,
                    first_line,
                    last_line,
                    is_parameter: kind == "parameter",
                });
            }
            "scope" => {
                let routine = cursor.number()?;
                cursor.expect(":")?;
                let line = cursor.number()?;
                let caller = if cursor.eat("in") { Some(cursor.number()?) } else { None };
                program.variables.scopes.push(Scope { routine, caller, line });
            }
            "site" => program.sites.push(LinkedSite {
                place: place(cursor)?,
                cause: cause(cursor)?,
            }),
            "matrix" => {
                let format = match cursor.name()? {
                    "sparse" => Format::Sparse,
                    "dense" => Format::Dense,
                    other => return Err(format!("expected `sparse` or `dense`, found `{other}`")),
                };
                self.store.push(&rows(cursor)?, format);
            }
            "data" => cursor.numbers(&mut program.data)?,
            "code" => self.in_code = true,
            other => {
                return Err(format!(
                    "`{other}` starts no line of the header: there are program, param, result, frame_words, addressed_words, call_depth, \
                     depth_limit, relaxed, report, file, routine, variable, parameter, scope, site, matrix, data and code"
                ));
            }
        }
        Ok(())
    }

    fn code_line(&mut self, cursor: &mut Cursor<'_>) -> Result<(), String> {
        let mut name = cursor.name()?;
        // The disassembler's addresses are for people.
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            name = cursor.name()?;
        }
        if cursor.eat(":") {
            return self.labels.place(name, self.program.code.len());
        }
        if name == "at" {
            self.place = place(cursor)?;
            return Ok(());
        }
        if name == "inside" {
            self.scope = cursor.number()?;
            return Ok(());
        }
        if name == "holds" || name == "enters" {
            let mark = self.mark(cursor, name == "enters")?;
            self.program.variables.marks.push(mark);
            return Ok(());
        }
        let op = operation(name)?;
        let instruction = self.instruction(op, cursor)?;
        self.program.code.push(instruction);
        self.program.places.push(self.place);
        if !self.program.variables.scopes.is_empty() {
            self.program.variables.scope_of.push(self.scope);
        }
        Ok(())
    }

    /// Where a word of a variable is before the next instruction or after the last one.
    fn mark(&self, cursor: &mut Cursor<'_>, before: bool) -> Result<Mark, String> {
        let after = self.program.code.len();
        let at = if before { Some(after) } else { after.checked_sub(1) };
        let at = at.ok_or("no instruction stands before it")? as u32;
        let [scope, variable, word] = three(cursor)?;
        let home = if cursor.found().starts_with("`w") {
            Home::Word(operands::word(cursor, false)?)
        } else {
            match cursor.name()? {
                "frame" => Home::Frame(cursor.number()?),
                "constant" => Home::Constant(cursor.number()?),
                "nowhere" => Home::Nowhere,
                other => {
                    return Err(format!(
                        "`{other}` is no place of a variable: there are w0, frame 0, constant 0 and nowhere"
                    ));
                }
            }
        };
        Ok(Mark {
            at,
            before,
            scope,
            variable,
            word,
            home,
        })
    }

    fn instruction(&mut self, op: Op, cursor: &mut Cursor<'_>) -> Result<Instruction, String> {
        let (at, store) = ((self.program.code.len(), self.line), &mut self.store);
        self.labels
            .operands(op, op.linked_roles(), cursor, at, |operands, cursor| {
                if !cursor.at_end() || op == Op::Affine {
                    return Ok(None);
                }
                let map = AffineMap::of(&Instruction::new(op, operands));
                let map = map.ok_or_else(|| format!("`{}` has operands that no word has", op.mnemonic()))?;
                Ok(Some(store.insert(
                    &map,
                    crate::settings::Settings::default().dense_threshold,
                    None,
                )))
            })
    }

    /// Resolves the labels and completes what follows from the rest.
    fn finish(mut self) -> Result<Program, (usize, String)> {
        self.labels.resolve(&mut self.program.code)?;
        let mut program = self.program;
        program.addressed_words = self.addressed_words.unwrap_or(program.frame_words);
        let Report {
            routines,
            encoded_instructions,
            ..
        } = program.report;
        program.report = Report::of(&program.code, self.store.statistics(), routines, encoded_instructions);
        program.matrices = self.store.records;
        program.pools = self.store.pools;
        // A program written by hand need not say where it comes from.
        if program.files.is_empty() {
            program.files.push(String::new());
        }
        if program.routines.is_empty() {
            program.routines.push(program.name.clone());
        }
        Ok(program)
    }
}

/// `file:line:routine`.
fn place(cursor: &mut Cursor<'_>) -> Result<SourceLoc, String> {
    let [file, line, routine] = three(cursor)?;
    Ok(SourceLoc { file, line, routine })
}

/// Three numbers with colons between them.
fn three(cursor: &mut Cursor<'_>) -> Result<[u32; 3], String> {
    let first = cursor.number()?;
    cursor.expect(":")?;
    let second = cursor.number()?;
    cursor.expect(":")?;
    Ok([first, second, cursor.number()?])
}

/// Why a VM traps, or what it prints or asks.
pub(super) fn cause(cursor: &mut Cursor<'_>) -> Result<Cause, String> {
    Ok(match cursor.name()? {
        "message" => Cause::Message(types::keep(&cursor.text()?)),
        "bounds" => Cause::Bounds,
        "slice_start" => Cause::SliceStart,
        "slice_end" => Cause::SliceEnd,
        "slice_order" => Cause::SliceOrder,
        "text_range" => Cause::TextRange,
        "stack_overflow" => Cause::StackOverflow,
        "memory" => Cause::Memory,
        "print" => {
            let name = cursor.name()?;
            let level = Level::ALL.into_iter().find(|level| level.name() == name);
            let level =
                level.ok_or_else(|| format!("`{name}` is no level: there are error, warn, info, debug and trace"))?;
            let mut pieces = Vec::new();
            while !cursor.at_end() {
                pieces.push(cursor.text()?);
            }
            Cause::Print {
                level,
                pieces: types::keep_texts(pieces),
            }
        }
        "value" => Cause::Value(shown(cursor)?),
        "ask" => Cause::Ask(Asking {
            question: value_type(cursor)?,
            answer: value_type(cursor)?,
        }),
        "format" => {
            let mut values = [Shown::NONE; RECORDED];
            for value in &mut values {
                if !cursor.is_at_text() {
                    *value = shown(cursor)?;
                }
            }
            let mut pieces = Vec::new();
            while !cursor.at_end() {
                pieces.push(cursor.text()?);
            }
            Cause::Format {
                pieces: types::keep_texts(pieces),
                values,
            }
        }
        other => {
            return Err(format!(
                "`{other}` is no cause: there are message, bounds, slice_start, slice_end, slice_order, stack_overflow, memory, format, print, value and ask"
            ));
        }
    })
}

/// The type of a value that is no reference and has none in it.
fn value_type(cursor: &mut Cursor<'_>) -> Result<&'static Type, String> {
    let ty = types::parse(cursor)?;
    match ty.is_value() {
        true => Ok(ty.ty),
        false => Err(format!("`{}` cannot be asked or answered", types::print(ty))),
    }
}

fn shown(cursor: &mut Cursor<'_>) -> Result<Shown, String> {
    let ty = types::parse(cursor)?;
    let format = match (cursor.eat("?"), cursor.eat(":")) {
        (true, _) => "?",
        (_, true) => types::keep(&cursor.text()?),
        _ => "",
    };
    let shown = Shown { ty: ty.ty, format };
    if ty.refs > 0 || !(shown.is_debug() || ty.ty.arithmetic_kind().is_scalar()) {
        return Err("a value in a message is a number, `bool` or `char`, or has a `?` behind its type".to_string());
    }
    match Placeholder::parse(format) {
        Some(_) => Ok(shown),
        None => Err(format!(
            "`{format}` is not what stands behind the colon of a placeholder"
        )),
    }
}

/// A matrix's rows, separated by commas; none for the identity.
fn rows(cursor: &mut Cursor<'_>) -> Result<AffineMap, String> {
    let mut terms = Vec::new();
    while !cursor.at_end() {
        let row = word(cursor, false)? as u16;
        cursor.expect("=")?;
        let ring = match cursor.name()? {
            "int" => Ring::Integer,
            "bits" => Ring::Bits,
            "f32" => Ring::Float,
            other => {
                return Err(format!("expected `=int`, `=bits` or `=f32`, found `={other}`"));
            }
        };
        loop {
            let (mut column, mut rotation) = (CONSTANT, 0);
            if cursor.found().starts_with("`w") {
                column = word(cursor, false)? as u16;
                if cursor.eat("<<<") {
                    let turn = cursor.number()?;
                    rotation =
                        u8::try_from(turn).map_err(|_| format!("a word cannot be rotated by {turn}: at most by 31"))?;
                }
                cursor.expect("*")?;
            }
            terms.push(Term {
                row,
                column,
                ring,
                rotation,
                coefficient: cursor.number()?,
            });
            if !cursor.eat("+") {
                break;
            }
        }
        if !cursor.eat(",") {
            break;
        }
    }
    AffineMap::from_terms(&terms).ok_or_else(|| "the rows are no matrix: each word may have one row".to_string())
}
