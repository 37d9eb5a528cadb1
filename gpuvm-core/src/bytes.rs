//! What files of programs and of routines are written with and read by. Numbers have 32 bits, low byte first, but where said; a list is its length and
//! its entries; a text is its length in bytes and UTF-8; a type is its text in the [assembler's](crate::assembly) form.

use crate::assembly::types;
use crate::isa::Instruction;
use crate::program::ProgramId;
use crate::routine::{Asking, Cause, Level, Shown};
use crate::types::{Placeholder, Type, TypeRef};

/// Bytes of what a file starts with.
pub(crate) const MAGIC_BYTES: usize = 8;

/// Bytes before a file's body.
pub(crate) const HEADER: usize = MAGIC_BYTES + 4 + 16;

/// Why bytes are not a program or a routine that can be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// They do not start as a program file does.
    #[error("this is not a gpuvm program: it does not start with `gpuvmprg`")]
    NotAProgram,
    /// They do not start as a routine's file does.
    #[error("this is not a gpuvm routine: it does not start with `gpuvmrtn`")]
    NotARoutine,
    /// Another version of the format.
    #[error("the file is in version {found} of the format, and this build reads version {expected}: make it again")]
    Version {
        /// The file's version.
        found: u32,
        /// The version that this build reads and writes.
        expected: u32,
    },
    /// The checksum is not that of the content.
    #[error("the file is damaged: its content has the checksum {computed}, and the file says {stored}")]
    Checksum {
        /// What the file says.
        stored: ProgramId,
        /// The checksum of what is there.
        computed: ProgramId,
    },
    /// The checksum is right, and yet the content is not what such a file has.
    #[error("the file is malformed at byte {at}: {what}")]
    Malformed {
        /// Where in the file.
        at: usize,
        /// What is wrong.
        what: String,
    },
    /// The parts are there, and do not hold together: see [`Program::verify`](crate::program::Program::verify).
    #[error("what is in the file is not valid: {0}")]
    Invalid(String),
}

/// A file: what it starts with, the format's version, the checksum, the body.
pub(crate) fn with_header(magic: [u8; MAGIC_BYTES], version: u32, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend(magic);
    bytes.extend(version.to_le_bytes());
    bytes.extend(ProgramId::of(body).to_bytes());
    bytes.extend(body);
    bytes
}

/// A file's body, whose checksum is right. `other` is what bytes are that do not start with `magic`.
pub(crate) fn body(
    bytes: &[u8],
    magic: [u8; MAGIC_BYTES],
    expected: u32,
    other: LoadError,
) -> Result<Reader<'_>, LoadError> {
    let Some((header, rest)) = bytes.split_at_checked(HEADER) else {
        let known = bytes.len().min(MAGIC_BYTES);
        return Err(match bytes[..known] == magic[..known] {
            true => malformed(bytes.len(), "the file ends in its header".to_string()),
            false => other,
        });
    };
    let mut header = Reader { rest: header, at: 0 };
    if header.take::<MAGIC_BYTES>()? != magic {
        return Err(other);
    }
    let found = header.number()?;
    if found != expected {
        return Err(LoadError::Version { found, expected });
    }
    let stored = ProgramId::from_bytes(header.take()?);
    let computed = ProgramId::of(rest);
    if stored != computed {
        return Err(LoadError::Checksum { stored, computed });
    }
    Ok(Reader { rest, at: HEADER })
}

pub(crate) fn malformed(at: usize, what: String) -> LoadError {
    LoadError::Malformed { at, what }
}

pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn number(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    pub fn numbers<const N: usize>(&mut self, numbers: [u32; N]) {
        for number in numbers {
            self.number(number);
        }
    }

    pub fn flag(&mut self, flag: bool) {
        self.number(flag.into());
    }

    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
        self.0.extend(text.as_bytes());
    }

    pub fn list<T>(&mut self, entries: &[T], each: impl Fn(&mut Writer, &T)) {
        self.number(entries.len() as u32);
        for entry in entries {
            each(self, entry);
        }
    }

    pub fn ty(&mut self, ty: TypeRef) {
        self.text(&types::print(ty));
    }

    pub fn code(&mut self, code: &[Instruction]) {
        self.list(code, |out, instruction| {
            out.number(instruction.opcode);
            out.numbers(instruction.operands);
        });
    }

    pub fn cause(&mut self, cause: &Cause) {
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
            Cause::Ask(Asking { question, answer }) => {
                self.number(11);
                self.ty(TypeRef::value(question));
                self.ty(TypeRef::value(answer));
            }
        }
    }

    pub fn shown(&mut self, shown: &Shown) {
        self.ty(TypeRef::value(shown.ty));
        self.text(shown.format);
    }
}

/// What is left of a file.
pub(crate) struct Reader<'a> {
    pub rest: &'a [u8],
    /// How far into the file that is.
    pub at: usize,
}

impl<'a> Reader<'a> {
    pub fn wrong(&self, what: impl Into<String>) -> LoadError {
        malformed(self.at, what.into())
    }

    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], LoadError> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(self.wrong(format!("{count} bytes are wanted, and {} are left", self.rest.len())));
        };
        self.rest = rest;
        self.at += count;
        Ok(taken)
    }

    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        let mut taken = [0; N];
        taken.copy_from_slice(self.bytes(N)?);
        Ok(taken)
    }

    pub fn number(&mut self) -> Result<u32, LoadError> {
        self.take().map(u32::from_le_bytes)
    }

    pub fn text(&mut self) -> Result<&'a str, LoadError> {
        let length = self.number()? as usize;
        let at = self.at;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| malformed(at, "a text is not UTF-8".to_string()))
    }

    /// A list. Its memory grows with the entries that are there, not with what its length promises.
    pub fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Result<T, LoadError>) -> Result<Vec<T>, LoadError> {
        let length = self.number()?;
        let mut entries = Vec::new();
        for _ in 0..length {
            entries.push(each(self)?);
        }
        Ok(entries)
    }

    pub fn ty(&mut self) -> Result<TypeRef, LoadError> {
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

    /// The type of a value that is no reference and has none in it.
    fn value_type(&mut self) -> Result<&'static Type, LoadError> {
        let ty = self.ty()?;
        match ty.is_value() {
            true => Ok(ty.ty),
            false => Err(self.wrong(format!("`{}` is asked or answered", types::print(ty)))),
        }
    }

    pub fn code(&mut self) -> Result<Vec<Instruction>, LoadError> {
        self.list(|from| {
            Ok(Instruction {
                opcode: from.number()?,
                operands: [from.number()?, from.number()?, from.number()?, from.number()?],
            })
        })
    }

    /// Nothing may be left.
    pub fn end(&self) -> Result<(), LoadError> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(self.wrong(format!("{left} bytes follow the end"))),
        }
    }

    pub fn cause(&mut self) -> Result<Cause, LoadError> {
        Ok(match self.number()? {
            0 => Cause::Message(types::keep(self.text()?)),
            1 => Cause::Bounds,
            2 => Cause::SliceEnd,
            3 => Cause::SliceOrder,
            4 => Cause::StackOverflow,
            5 => Cause::Memory,
            6 => Cause::Format {
                values: [self.shown()?, self.shown()?, self.shown()?, self.shown()?],
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
            11 => Cause::Ask(Asking {
                question: self.value_type()?,
                answer: self.value_type()?,
            }),
            other => return Err(self.wrong(format!("{other} is no cause of a trap"))),
        })
    }

    pub fn flag(&mut self) -> Result<bool, LoadError> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.wrong(format!("{other} is neither yes nor no"))),
        }
    }

    pub fn shown(&mut self) -> Result<Shown, LoadError> {
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
}
