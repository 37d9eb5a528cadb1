//! Routines as text: [`RoutineRef::disassemble`] prints one with all that it calls which was made at run time, and [`assemble_routine`] reads that back.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::Arc;

use super::cursor::Cursor;
use super::operands::{Labels, operation};
use super::parse::cause;
use super::print::{Quoted, WORDS_OF_A_LINE, Why, print_line};
use super::{AssemblyError, types};
use crate::isa::{Instruction, NO_WORD, Op, Role, unpair};
use crate::library::{FUNCTIONS, Library};
use crate::link::collect::check;
use crate::matrix::AffineMap;
use crate::routine::{
    Callee, Constant, ConstantWords, Routine, RoutineKey, RoutineRef, Site, Table, Variable, matrices_of,
};

/// Reads routines from text of the form that the [module](super) describes, and gives the last. `binary` gives the routines of the binary by id. Nothing that the
/// text says is trusted: each routine is checked as one of a file is. Texts and types in it are kept for as long as the process lives.
///
/// # Errors
///
/// [`AssemblyError`] names the first line that is wrong, or that of a routine which is wrong as a whole.
pub fn assemble_routine(
    text: &str,
    library: Library,
    binary: &dyn Fn(&str) -> Option<RoutineRef>,
) -> Result<RoutineRef, AssemblyError> {
    let mut assembler = Assembler {
        library,
        names: Names {
            binary,
            done: Vec::new(),
        },
        section: Section::None,
    };
    let mut line = 0;
    for content in text.lines() {
        line += 1;
        assembler.line(line, &mut Cursor::new(content))?;
    }
    assembler.end()?;
    assembler.names.done.pop().ok_or_else(|| AssemblyError {
        line,
        what: "there is no routine in it: one begins with a line such as `routine \"name\"`".to_string(),
    })
}

struct Assembler<'a> {
    library: Library,
    names: Names<'a>,
    section: Section,
}

/// What a text may name.
struct Names<'a> {
    binary: &'a dyn Fn(&str) -> Option<RoutineRef>,
    /// The routines that are over.
    done: Vec<RoutineRef>,
}

/// What is under way.
enum Section {
    None,
    Routine(Box<Open>),
    Tabled(RoutineRef, Vec<Table>),
}

/// A routine that is not over yet.
struct Open {
    routine: Routine,
    /// The line that it begins in.
    begins: usize,
    /// The words of its tables.
    tables: Vec<Vec<u32>>,
    labels: Labels,
    /// The source line of the instructions that follow.
    line: u32,
    in_code: bool,
    has_words: bool,
}

impl Assembler<'_> {
    fn line(&mut self, line: usize, cursor: &mut Cursor<'_>) -> Result<(), AssemblyError> {
        let here = |what| AssemblyError { line, what };
        if cursor.at_end() {
            return Ok(());
        }
        let name = cursor.name().map_err(here)?;
        if let "routine" | "tabled" = name {
            self.end()?;
        }
        self.content(name, line, cursor).map_err(here)
    }

    /// What a line says that begins with a name.
    fn content(&mut self, name: &str, line: usize, cursor: &mut Cursor<'_>) -> Result<(), String> {
        match (name, &mut self.section) {
            ("routine", _) => self.section = Section::Routine(Box::new(Open::new(cursor.text()?, line))),
            ("tabled", _) => self.section = Section::Tabled(self.names.routine(cursor)?, Vec::new()),
            (_, Section::None) => return Err(format!("`{name}` stands before the first `routine \"name\"`")),
            ("instead", Section::Tabled(_, tables)) => {
                let (of, routine) = (self.names.routine(cursor)?, self.names.routine(cursor)?);
                if !of.has_signature_of(&routine) {
                    return Err(format!(
                        "`{}: {}` is called in place of `{}: {}`",
                        routine.name,
                        routine.signature(),
                        of.name,
                        of.signature()
                    ));
                }
                tables.push(Table { of, routine });
            }
            (_, Section::Tabled(..)) => {
                return Err(format!("`{name}` starts no line of a `tabled`: there is instead"));
            }
            (_, Section::Routine(open)) if open.in_code => open.code_line(name, line, cursor)?,
            ("callee", Section::Routine(open)) => {
                let callee = self.names.callee(cursor, &mut open.routine.held)?;
                open.routine.callees.to_mut().push(callee);
            }
            (_, Section::Routine(open)) => open.header_line(name, cursor)?,
        }
        cursor.expect_end()
    }

    /// Ends what is under way.
    fn end(&mut self) -> Result<(), AssemblyError> {
        let done = match std::mem::replace(&mut self.section, Section::None) {
            Section::None => return Ok(()),
            Section::Routine(open) => {
                let line = open.begins;
                let routine = open.finish().map_err(|(line, what)| AssemblyError { line, what })?;
                check(&routine, self.library).map_err(|error| AssemblyError {
                    line,
                    what: error.to_string(),
                })?;
                RoutineRef::new(routine)
            }
            Section::Tabled(routine, tables) => RoutineRef::tabled(&routine, &tables),
        };
        self.names.done.push(done);
        Ok(())
    }
}

impl Names<'_> {
    /// A callee, `library sin` or a routine, of one that holds these.
    fn callee(&self, cursor: &mut Cursor<'_>, held: &mut Vec<RoutineRef>) -> Result<Callee, String> {
        if !cursor.eat("library ") {
            return Ok(self.routine(cursor)?.hold(held));
        }
        let name = cursor.name()?;
        let number = FUNCTIONS.iter().position(|known| *known == name);
        let number = number.ok_or_else(|| format!("the library has no function `{name}`"))?;
        Ok(Callee::Library(number as u32))
    }

    /// A routine: its number in the text, its name, or `binary` and its id.
    fn routine(&self, cursor: &mut Cursor<'_>) -> Result<RoutineRef, String> {
        let is_binary = cursor.eat("binary ");
        if is_binary || cursor.found().starts_with("`\"") {
            let name = cursor.text()?;
            let above = self.done.iter().rfind(|routine| !is_binary && routine.name == *name);
            let found = above.cloned().or_else(|| (self.binary)(&name));
            return found.ok_or_else(|| match is_binary {
                true => format!("the binary has no routine with the id `{name}`"),
                false => format!("no routine above is called `{name}`, and the binary has none with that id"),
            });
        }
        let number = cursor.number()?;
        let found = self.done.get(number as usize).cloned();
        found.ok_or_else(|| format!("there is no routine {number} above; the first one is routine 0"))
    }
}

impl Open {
    fn new(name: String, begins: usize) -> Open {
        Open {
            routine: Routine {
                name: name.into(),
                ..Routine::EMPTY
            },
            begins,
            tables: Vec::new(),
            labels: Labels::default(),
            line: 0,
            in_code: false,
            has_words: false,
        }
    }

    fn header_line(&mut self, name: &str, cursor: &mut Cursor<'_>) -> Result<(), String> {
        let routine = &mut self.routine;
        match name {
            "file" => {
                routine.file = cursor.text()?.into();
                routine.line = cursor.number()?;
                self.line = routine.line;
            }
            "param" => {
                let ty = types::parse(cursor)?;
                if !cursor.at_end() {
                    routine.variables.to_mut().push(Variable {
                        name: types::keep(&cursor.text()?),
                        word: routine.params.iter().map(|param| param.words()).sum(),
                        ty,
                        line: routine.line,
                        last_line: u32::MAX,
                    });
                }
                routine.params.to_mut().push(ty);
            }
            "result" => routine.result = types::parse(cursor)?,
            "words" => {
                routine.words = cursor.number()?;
                self.has_words = true;
            }
            "relaxed" => routine.relaxed = true,
            "table" => {
                let mut table = Vec::new();
                cursor.numbers(&mut table)?;
                self.tables.push(table);
            }
            "more" => {
                let table = self.tables.last_mut();
                cursor.numbers(table.ok_or("`more` continues a `table`, and there is none above")?)?;
            }
            "site" => routine.sites.to_mut().push(Site {
                line: cursor.number()?,
                cause: cause(cursor)?,
            }),
            "variable" => {
                let (word, line) = (cursor.number()?, cursor.number()?);
                cursor.expect(":")?;
                routine.variables.to_mut().push(Variable {
                    word,
                    line,
                    last_line: cursor.number()?,
                    name: types::keep(&cursor.text()?),
                    ty: types::parse(cursor)?,
                });
            }
            "code" => self.in_code = true,
            other => {
                return Err(format!(
                    "`{other}` starts no line of a routine's header: there are file, param, result, words, relaxed, table, more, callee, site, variable and code"
                ));
            }
        }
        Ok(())
    }

    fn code_line(&mut self, name: &str, line: usize, cursor: &mut Cursor<'_>) -> Result<(), String> {
        // The disassembler's addresses are for people.
        let name = match name.bytes().all(|byte| byte.is_ascii_digit()) {
            true => cursor.name()?,
            false => name,
        };
        let routine = &mut self.routine;
        let at = routine.code.len();
        if cursor.eat(":") {
            return self.labels.place(name, at);
        }
        match name {
            "at" => self.line = cursor.number()?,
            "constant" | "data" => routine.constants.to_mut().push(Constant {
                at: at as u32,
                words: ConstantWords::Table(cursor.number()?),
                in_data: name == "data",
            }),
            name => {
                let op = operation(name)?;
                let matrix = |_, _: &Cursor<'_>| Ok(Some(0));
                let instruction = self.labels.operands(op, op.roles(), cursor, (at, line), matrix)?;
                routine.code.to_mut().push(instruction);
                routine.lines.to_mut().push(self.line);
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Routine, (usize, String)> {
        let mut routine = self.routine;
        let code = routine.code.to_mut();
        self.labels.resolve(code)?;
        let (matrices, terms) = matrices_of(code);
        routine.matrices = matrices.into();
        routine.terms = terms.into();
        routine.tables = self.tables.into_iter().map(Arc::from).collect();
        if !self.has_words {
            let code = routine.code.iter();
            let named = code.map(|instruction| end_of_words(&routine, instruction));
            let params = routine.params.iter().map(|param| param.words()).sum();
            routine.words = named.fold(params, u32::max).max(1);
        }
        Ok(routine)
    }
}

/// One past the last word that an instruction of a routine names.
fn end_of_words(routine: &Routine, instruction: &Instruction) -> u32 {
    let Some(op) = Op::from_code(instruction.opcode) else {
        return 0;
    };
    let operands = instruction.operands;
    let ends = op.roles().into_iter().zip(operands).map(|(role, operand)| match role {
        Role::Def | Role::Use | Role::Base if operand != NO_WORD => operand.saturating_add(1),
        Role::DefPair | Role::UsePair => {
            let words = <[u32; 2]>::from(unpair(operand)).into_iter();
            words.filter(|word| *word != NO_WORD).max().map_or(0, |word| word + 1)
        }
        _ => 0,
    });
    // Words that follow each other are named by the first.
    let spans = match op {
        Op::Call => {
            let held = match routine.callees.get(operands[0] as usize) {
                Some(Callee::Held(number)) => routine.held.get(*number as usize),
                _ => None,
            };
            let params = held.map_or(0, |held| held.params.iter().map(|param| param.words()).sum());
            let result = held.map_or(0, |held| held.result.words());
            [(operands[1], params), (operands[2], result)]
        }
        Op::Return => [(operands[0], routine.result.words()), (0, 0)],
        Op::Ask | Op::Log | Op::Address => [(operands[1], operands[2]), (0, 0)],
        _ => [(0, 0); 2],
    };
    let spans = spans.map(|(first, words)| first.saturating_add(words));
    ends.chain(spans).max().unwrap_or(0)
}

impl RoutineRef {
    /// The routine as text, as it was encoded: its own words, labels and callees, and before it all that it calls which was made at run time.
    /// [`assemble_routine`] reads that back unless it is a routine of the binary.
    pub fn disassemble(&self) -> String {
        let mut text = String::new();
        let mut numbers = BTreeMap::<RoutineKey, usize>::new();
        let parts = match self {
            RoutineRef::Binary { .. } => vec![self],
            _ => self.parts(),
        };
        for (number, part) in parts.into_iter().enumerate() {
            let name = |of: &RoutineRef| match (of, numbers.get(&of.key())) {
                (RoutineRef::Binary { id: "", routine }, _) => Quoted(&routine.name).to_string(),
                (RoutineRef::Binary { id, .. }, _) => format!("binary {}", Quoted(id)),
                (_, Some(number)) => number.to_string(),
                (_, None) => Quoted(&of.name).to_string(),
            };
            // Writing to a `String` cannot fail.
            let _ = match part {
                RoutineRef::Tabled(tabled) => {
                    let first = writeln!(text, "tabled {}", name(&tabled.routine));
                    let mut tables = tabled.tables.iter();
                    first.and_then(|()| {
                        tables.try_for_each(|table| {
                            writeln!(text, "instead {} {}", name(&table.of), name(&table.routine))
                        })
                    })
                }
                routine => print_routine(&mut text, routine, &name),
            };
            numbers.insert(part.key(), number);
        }
        text
    }
}

/// Prints a routine, given how others are named.
fn print_routine(text: &mut String, routine: &Routine, name: &dyn Fn(&RoutineRef) -> String) -> fmt::Result {
    writeln!(text, "routine {}", Quoted(&routine.name))?;
    writeln!(text, "file {} {}", Quoted(&routine.file), routine.line)?;
    for param in routine.params.iter() {
        writeln!(text, "param {}", types::print(*param))?;
    }
    writeln!(text, "result {}", types::print(routine.result))?;
    writeln!(text, "words {}", routine.words)?;
    if routine.relaxed {
        writeln!(text, "relaxed")?;
    }
    for (number, table) in routine.tables.iter().enumerate() {
        print_table(text, number, table)?;
    }
    for (number, callee) in routine.callees.iter().enumerate() {
        write!(text, "callee ")?;
        match *callee {
            Callee::Routine(routine) => write!(text, "{}", name(&routine().into()))?,
            Callee::Piece(number) => {
                let piece = routine.pieces.get(number as usize);
                write!(text, "{}", Quoted(piece.map_or("?", |piece| piece.name)))?;
            }
            Callee::Held(number) => {
                let held = routine.held.get(number as usize);
                write!(text, "{}", held.map_or_else(|| "?".to_string(), name))?;
            }
            Callee::Library(function) => {
                let known = FUNCTIONS.get(function as usize);
                write!(text, "library {}", known.unwrap_or(&"?"))?;
            }
        }
        writeln!(text, " ; c{number}")?;
    }
    for (number, site) in routine.sites.iter().enumerate() {
        writeln!(text, "site {} {} ; s{number}", site.line, Why(&site.cause))?;
    }
    for variable in routine.variables.iter() {
        writeln!(
            text,
            "variable {} {}:{} {} {}",
            variable.word,
            variable.line,
            variable.last_line,
            Quoted(variable.name),
            types::print(variable.ty)
        )?;
    }
    writeln!(text, "code")?;
    let mut last = Some(&routine.line);
    let mut constants = routine.constants.iter().peekable();
    for (address, instruction) in routine.code.iter().enumerate() {
        let line = routine.lines.get(address);
        if line != last
            && let Some(line) = line
        {
            writeln!(text, "at {line}")?;
            last = Some(line);
        }
        while let Some(constant) = constants.next_if(|constant| constant.at as usize == address) {
            let kind = if constant.in_data { "data" } else { "constant" };
            match constant.words {
                ConstantWords::Table(table) => writeln!(text, "{kind} {table}")?,
                ConstantWords::Function(_) | ConstantWords::Inferred(..) => writeln!(text, "; {kind} of the binary")?,
            }
        }
        let map = AffineMap::of(instruction);
        print_line(text, address, instruction, encoded_roles, map.as_ref())?;
    }
    Ok(())
}

/// What operands mean in a routine, of which the matrix follows from the others.
fn encoded_roles(op: Op) -> [Role; 4] {
    op.roles().map(|role| match role {
        Role::Matrix => Role::None,
        role => role,
    })
}

fn print_table(text: &mut String, number: usize, table: &Arc<[u32]>) -> fmt::Result {
    let lines = table.chunks(WORDS_OF_A_LINE);
    if table.is_empty() {
        writeln!(text, "table ; {number}")?;
    }
    for (line, words) in lines.enumerate() {
        write!(text, "{}", if line == 0 { "table" } else { "more" })?;
        words.iter().try_for_each(|word| write!(text, " {word:#x}"))?;
        match line {
            0 => writeln!(text, " ; {number}")?,
            _ => writeln!(text)?,
        }
    }
    Ok(())
}
