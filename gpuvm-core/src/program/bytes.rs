//! Programs as files: [`Program::to_bytes`] and [`Program::from_bytes`].
//!
//! A file is eight bytes of magic, the format's version, the [identity](ProgramId), which is the checksum, and the body: the fields
//! of [`Program`] in order. Numbers have 32 bits, low byte first, but where said; a list is its length and its entries; a text is its
//! length in bytes and UTF-8; a type is its text in the [assembler's](crate::assembly) form. What follows from the rest, the
//! [report](Program::report)'s counts, is not stored.

use super::{Home, LinkedSite, Mark, Program, Scope, SourceLoc, Variable, Variables};
use crate::assembly::types;
use crate::bytes::{self, LoadError, MAGIC_BYTES, Reader, Writer};
use crate::matrix::{Format, MatrixRecord, Pools, Ring, Statistics, Term};
use crate::program::Report;

/// The version of the format that this build writes and reads.
pub const FORMAT_VERSION: u32 = 7;

/// What every program file starts with.
const MAGIC: [u8; MAGIC_BYTES] = *b"gpuvmprg";

impl Program {
    /// The program as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes::with_header(MAGIC, FORMAT_VERSION, &self.body())
    }

    /// The program of a file's bytes, checked: engines may rely on it as on one that was just linked. Texts and types in it are kept
    /// for as long as the process lives, equal ones once.
    ///
    /// # Errors
    ///
    /// [`LoadError`] for bytes that [`Program::to_bytes`] of this version did not make, whatever they are.
    pub fn from_bytes(bytes: &[u8]) -> Result<Program, LoadError> {
        let mut body = bytes::body(bytes, MAGIC, FORMAT_VERSION, LoadError::NotAProgram)?;
        let program = read(&mut body)?;
        body.end()?;
        program.verify().map_err(LoadError::Invalid)?;
        Ok(program)
    }

    /// The canonical bytes of all that the program consists of.
    pub(super) fn body(&self) -> Vec<u8> {
        let mut out = Writer(Vec::with_capacity(64 * self.code.len() + 256));
        out.text(&self.name);
        out.list(&self.params, |out, param| out.ty(*param));
        out.ty(self.result);
        out.numbers([
            self.frame_words,
            self.addressed_words,
            self.call_depth,
            self.depth_limit,
            self.relaxed.into(),
        ]);
        out.numbers([self.report.routines, self.report.encoded_instructions]);
        out.list(&self.files, |out, file| out.text(file));
        out.list(&self.routines, |out, routine| out.text(routine));
        out.code(&self.code);
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
            out.numbers([variable.first_line, variable.last_line, variable.is_parameter.into()]);
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

impl Writer {
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
}

impl Reader<'_> {
    fn place(&mut self) -> Result<SourceLoc, LoadError> {
        Ok(SourceLoc {
            file: self.number()?,
            line: self.number()?,
            routine: self.number()?,
        })
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
    let (frame_words, addressed_words) = (from.number()?, from.number()?);
    let (call_depth, depth_limit) = (from.number()?, from.number()?);
    let relaxed = from.flag()?;
    let (linked, encoded) = (from.number()?, from.number()?);
    let files = from.list(|from| from.text().map(str::to_string))?;
    let routines = from.list(|from| from.text().map(str::to_string))?;
    let code = from.code()?;
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
                is_parameter: from.flag()?,
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
        addressed_words,
        call_depth,
        depth_limit,
        relaxed,
        variables,
        report,
    })
}
