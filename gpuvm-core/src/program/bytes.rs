//! Programs as files: [`Program::to_bytes`] and [`Program::from_bytes`].
//!
//! A file is eight bytes of magic, the format's version, the [identity](ProgramId), which is the checksum, and the body: the fields
//! of [`Program`] in order. Numbers have 32 bits, low byte first, but where said; a list is its length and its entries; a text is its
//! length in bytes and UTF-8; a type is its text in the [assembler's](crate::assembly) form. What follows from the rest, the
//! [report](Program::report)'s counts, is not stored.

use super::{Home, LinkedSite, Mark, Program, ProgramId, Scope, SourceLoc, Variable, Variables};
use crate::assembly::types;
use crate::isa::Instruction;
use crate::matrix::{Format, MatrixRecord, Pools, Ring, Statistics, Term};
use crate::program::Report;
use crate::routine::{Cause, Level, Shown};
use crate::types::{Placeholder, TypeRef};

/// The version of the format that this build writes and reads.
pub const FORMAT_VERSION: u32 = 4;

/// What every program file starts with.
const MAGIC: [u8; 8] = *b"gpuvmprg";

/// Bytes before the body.
const HEADER: usize = MAGIC.len() + 4 + 16;

/// Why bytes are not a program that can be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// They do not start as a program file does.
    #[error("this is not a gpuvm program: it does not start with `gpuvmprg`")]
    NotAProgram,
    /// Another version of the format.
    #[error(
        "the program is in version {found} of the format, and this build reads version {FORMAT_VERSION}: link or assemble it again"
    )]
    Version {
        /// The file's version.
        found: u32,
    },
    /// The checksum is not that of the content.
    #[error("the program is damaged: its content has the checksum {computed}, and the file says {stored}")]
    Checksum {
        /// What the file says.
        stored: ProgramId,
        /// The checksum of what is there.
        computed: ProgramId,
    },
    /// The checksum is right, and yet the content is no program's.
    #[error("the program is malformed at byte {at}: {what}")]
    Malformed {
        /// Where in the file.
        at: usize,
        /// What is wrong.
        what: String,
    },
    /// The parts are there, and do not hold together: see [`Program::verify`].
    #[error("the program is not valid: {0}")]
    Invalid(String),
}

impl Program {
    /// The program as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let body = self.body();
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend(MAGIC);
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.extend(ProgramId::of(&body).to_bytes());
        bytes.extend(body);
        bytes
    }

    /// The program of a file's bytes, checked: engines may rely on it as on one that was just linked. Texts and types in it are kept
    /// for as long as the process lives, equal ones once.
    ///
    /// # Errors
    ///
    /// [`LoadError`] for bytes that [`Program::to_bytes`] of this version did not make, whatever they are.
    pub fn from_bytes(bytes: &[u8]) -> Result<Program, LoadError> {
        let Some((header, body)) = bytes.split_at_checked(HEADER) else {
            let known = bytes.len().min(MAGIC.len());
            return Err(match bytes[..known] == MAGIC[..known] {
                true => malformed(bytes.len(), "the file ends in its header".to_string()),
                false => LoadError::NotAProgram,
            });
        };
        let mut header = Reader { rest: header, at: 0 };
        if header.take::<8>()? != MAGIC {
            return Err(LoadError::NotAProgram);
        }
        let found = header.number()?;
        if found != FORMAT_VERSION {
            return Err(LoadError::Version { found });
        }
        let stored = ProgramId::from_bytes(header.take()?);
        let computed = ProgramId::of(body);
        if stored != computed {
            return Err(LoadError::Checksum { stored, computed });
        }
        let mut body = Reader { rest: body, at: HEADER };
        let program = read(&mut body)?;
        if !body.rest.is_empty() {
            return Err(body.wrong(format!("{} bytes follow the program's end", body.rest.len())));
        }
        program.verify().map_err(LoadError::Invalid)?;
        Ok(program)
    }

    /// The canonical bytes of all that the program consists of.
    pub(super) fn body(&self) -> Vec<u8> {
        let mut out = Writer(Vec::with_capacity(64 * self.code.len() + 256));
        out.text(&self.name);
        out.list(&self.params, |out, param| out.ty(*param));
        out.ty(self.result);
        out.numbers([self.frame_words, self.call_depth, self.depth_limit, self.relaxed.into()]);
        out.numbers([self.report.routines, self.report.encoded_instructions]);
        out.list(&self.files, |out, file| out.text(file));
        out.list(&self.routines, |out, routine| out.text(routine));
        out.list(&self.code, |out, instruction| {
            out.number(instruction.opcode);
            out.numbers(instruction.operands);
        });
        out.list(&self.places, |out, place| out.place(*place));
        out.list(&self.sites, |out, site| {
            out.place(site.place);
            out.cause(&site.cause);
        });
        out.list(&self.matrices, |out, record| {
            out.numbers([record.format as u32, record.offset, record.size, record.non_zeros]);
        });
        out.list(&self.pools.terms, |out, term| {
            out.number(u32::from(term.row) | u32::from(term.column) << 16);
            out.number(term.ring as u32 | u32::from(term.rotation) << 8);
            out.number(term.coefficient);
        });
        out.list(&self.pools.dense, |out, word| out.number(*word));
        out.list(&self.data, |out, word| out.number(*word));
        out.list(&self.variables.list, |out, variable| {
            out.number(variable.routine);
            out.text(variable.name);
            out.ty(variable.ty);
            out.numbers([variable.first_line, variable.last_line]);
        });
        out.list(&self.variables.scopes, |out, scope| {
            out.numbers([scope.routine, scope.caller.unwrap_or(u32::MAX), scope.line]);
        });
        out.list(&self.variables.scope_of, |out, scope| out.number(*scope));
        out.list(&self.variables.marks, |out, mark| {
            out.numbers([mark.at, mark.before.into(), mark.scope, mark.variable, mark.word]);
            out.home(mark.home);
        });
        out.0
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    fn numbers<const N: usize>(&mut self, numbers: [u32; N]) {
        for number in numbers {
            self.number(number);
        }
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
        self.0.extend(text.as_bytes());
    }

    fn list<T>(&mut self, entries: &[T], each: impl Fn(&mut Writer, &T)) {
        self.number(entries.len() as u32);
        for entry in entries {
            each(self, entry);
        }
    }

    fn ty(&mut self, ty: TypeRef) {
        self.text(&types::print(ty));
    }

    fn place(&mut self, place: SourceLoc) {
        self.numbers([place.file, place.line, place.routine]);
    }

    fn home(&mut self, home: Home) {
        self.numbers(match home {
            Home::Word(word) => [0, word],
            Home::Constant(value) => [1, value],
            Home::Frame(offset) => [2, offset],
            Home::Nowhere => [3, 0],
        });
    }

    fn cause(&mut self, cause: &Cause) {
        match cause {
            Cause::Message(text) => {
                self.number(0);
                self.text(text);
            }
            Cause::Bounds => self.number(1),
            Cause::SliceEnd => self.number(2),
            Cause::SliceOrder => self.number(3),
            Cause::StackOverflow => self.number(4),
            Cause::Memory => self.number(5),
            Cause::SliceStart => self.number(7),
            Cause::TextRange => self.number(10),
            Cause::Format { pieces, values } => {
                self.number(6);
                for shown in values {
                    self.shown(shown);
                }
                self.list(pieces, |out, piece| out.text(piece));
            }
            Cause::Print { level, pieces } => {
                self.numbers([8, *level as u32]);
                self.list(pieces, |out, piece| out.text(piece));
            }
            Cause::Value(shown) => {
                self.number(9);
                self.shown(shown);
            }
        }
    }

    fn shown(&mut self, shown: &Shown) {
        self.ty(TypeRef::value(shown.ty));
        self.text(shown.format);
    }
}

fn malformed(at: usize, what: String) -> LoadError {
    LoadError::Malformed { at, what }
}

/// What is left of a file.
struct Reader<'a> {
    rest: &'a [u8],
    /// How far into the file that is.
    at: usize,
}

impl<'a> Reader<'a> {
    fn wrong(&self, what: impl Into<String>) -> LoadError {
        malformed(self.at, what.into())
    }

    fn bytes(&mut self, count: usize) -> Result<&'a [u8], LoadError> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(self.wrong(format!("{count} bytes are wanted, and {} are left", self.rest.len())));
        };
        self.rest = rest;
        self.at += count;
        Ok(taken)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        let mut taken = [0; N];
        taken.copy_from_slice(self.bytes(N)?);
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, LoadError> {
        self.take().map(u32::from_le_bytes)
    }

    fn text(&mut self) -> Result<&'a str, LoadError> {
        let length = self.number()? as usize;
        let at = self.at;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| malformed(at, "a text is not UTF-8".to_string()))
    }

    /// A list. Its memory grows with the entries that are there, not with what its length promises.
    fn list<T>(&mut self, each: impl Fn(&mut Self) -> Result<T, LoadError>) -> Result<Vec<T>, LoadError> {
        let length = self.number()?;
        let mut entries = Vec::new();
        for _ in 0..length {
            entries.push(each(self)?);
        }
        Ok(entries)
    }

    fn ty(&mut self) -> Result<TypeRef, LoadError> {
        let at = self.at;
        let text = self.text()?;
        let ty = types::from_text(text).map_err(|what| malformed(at, what))?;
        if types::print(ty) != text {
            return Err(malformed(
                at,
                format!("a type is not written as `{}`", types::print(ty)),
            ));
        }
        Ok(ty)
    }

    fn place(&mut self) -> Result<SourceLoc, LoadError> {
        Ok(SourceLoc {
            file: self.number()?,
            line: self.number()?,
            routine: self.number()?,
        })
    }

    fn cause(&mut self) -> Result<Cause, LoadError> {
        Ok(match self.number()? {
            0 => Cause::Message(types::keep(self.text()?)),
            1 => Cause::Bounds,
            2 => Cause::SliceEnd,
            3 => Cause::SliceOrder,
            4 => Cause::StackOverflow,
            5 => Cause::Memory,
            6 => Cause::Format {
                values: [self.shown()?, self.shown()?],
                pieces: types::keep_texts(self.list(Self::text)?),
            },
            7 => Cause::SliceStart,
            10 => Cause::TextRange,
            8 => {
                let level = self.number()?;
                let level = Level::ALL.into_iter().find(|known| *known as u32 == level);
                Cause::Print {
                    level: level.ok_or_else(|| self.wrong("a text is printed at no level"))?,
                    pieces: types::keep_texts(self.list(Self::text)?),
                }
            }
            9 => Cause::Value(self.shown()?),
            other => return Err(self.wrong(format!("{other} is no cause of a trap"))),
        })
    }

    fn flag(&mut self) -> Result<bool, LoadError> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.wrong(format!("{other} is neither yes nor no"))),
        }
    }

    fn shown(&mut self) -> Result<Shown, LoadError> {
        let ty = self.ty()?;
        let format = types::keep(self.text()?);
        let shown = Shown { ty: ty.ty, format };
        if ty.refs > 0
            || !(shown.is_debug() || shown.ty.is_text() || ty.ty.arithmetic_kind().is_scalar())
            || Placeholder::parse(format).is_none()
        {
            return Err(self.wrong("a value in a message is of no type that it could show"));
        }
        Ok(shown)
    }

    fn home(&mut self) -> Result<Home, LoadError> {
        match (self.number()?, self.number()?) {
            (0, word) => Ok(Home::Word(word)),
            (1, value) => Ok(Home::Constant(value)),
            (2, offset) => Ok(Home::Frame(offset)),
            (3, 0) => Ok(Home::Nowhere),
            (other, _) => Err(self.wrong(format!("{other} is no place of a variable"))),
        }
    }

    fn record(&mut self) -> Result<MatrixRecord, LoadError> {
        let format = match self.number()? {
            0 => Format::Sparse,
            1 => Format::Dense,
            other => return Err(self.wrong(format!("{other} is no format of a matrix"))),
        };
        Ok(MatrixRecord {
            format,
            offset: self.number()?,
            size: self.number()?,
            non_zeros: self.number()?,
        })
    }

    fn term(&mut self) -> Result<Term, LoadError> {
        let place = self.number()?;
        let [ring, rotation, zeros @ ..] = self.take::<4>()?;
        let ring = match (ring, zeros) {
            (0, [0, 0]) => Ring::Integer,
            (1, [0, 0]) => Ring::Bits,
            (2, [0, 0]) => Ring::Float,
            _ => return Err(self.wrong("a term of a matrix is in no ring")),
        };
        Ok(Term {
            row: place as u16,
            column: (place >> 16) as u16,
            ring,
            rotation,
            coefficient: self.number()?,
        })
    }
}

/// Reads the fields in the order in which they are written; that is the order of evaluation here.
fn read(from: &mut Reader<'_>) -> Result<Program, LoadError> {
    let name = from.text()?.to_string();
    let params = from.list(Reader::ty)?;
    let result = from.ty()?;
    let (frame_words, call_depth, depth_limit) = (from.number()?, from.number()?, from.number()?);
    let relaxed = from.flag()?;
    let (linked, encoded) = (from.number()?, from.number()?);
    let files = from.list(|from| from.text().map(str::to_string))?;
    let routines = from.list(|from| from.text().map(str::to_string))?;
    let code = from.list(|from| {
        Ok(Instruction {
            opcode: from.number()?,
            operands: [from.number()?, from.number()?, from.number()?, from.number()?],
        })
    })?;
    let places = from.list(Reader::place)?;
    let sites = from.list(|from| {
        Ok(LinkedSite {
            place: from.place()?,
            cause: from.cause()?,
        })
    })?;
    let matrices = from.list(Reader::record)?;
    let pools = Pools {
        terms: from.list(Reader::term)?,
        dense: from.list(Reader::number)?,
    };
    let data = from.list(Reader::number)?;
    let variables = Variables {
        list: from.list(|from| {
            Ok(Variable {
                routine: from.number()?,
                name: types::keep(from.text()?),
                ty: from.ty()?,
                first_line: from.number()?,
                last_line: from.number()?,
            })
        })?,
        scopes: from.list(|from| {
            Ok(Scope {
                routine: from.number()?,
                caller: Some(from.number()?).filter(|&caller| caller != u32::MAX),
                line: from.number()?,
            })
        })?,
        scope_of: from.list(Reader::number)?,
        marks: from.list(|from| {
            Ok(Mark {
                at: from.number()?,
                before: from.flag()?,
                scope: from.number()?,
                variable: from.number()?,
                word: from.number()?,
                home: from.home()?,
            })
        })?,
    };
    let report = Report::of(&code, Statistics::of(&matrices, &pools), linked, encoded);
    Ok(Program {
        name,
        params,
        result,
        code,
        places,
        files,
        routines,
        matrices,
        pools,
        data,
        sites,
        frame_words,
        call_depth,
        depth_limit,
        relaxed,
        variables,
        report,
    })
}
