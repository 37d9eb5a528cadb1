//! Routines made at run time as files: [`RoutineRef::to_bytes`] and [`RoutineRef::from_bytes`].
//!
//! A file is eight bytes of magic, the format's version, a checksum, and a list of *records*, each its length in bytes and a routine. A routine names
//! those that it calls by their [identities](super::RoutineId), and their records stand before its own, so the last is that of the routine itself. What
//! it calls of the binary is named by id, with its signature. Matrices follow from the instructions and are not stored. The record of a routine with
//! tables names that and what is called in place of what.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Callee, Constant, ConstantWords, Routine, RoutineRef, Site, Table, Tabled, Variable};
use crate::assembly::types;
use crate::bytes::{self, LoadError, MAGIC_BYTES, Reader, Writer};
use crate::isa::{Instruction, Op, Role};
use crate::library::Library;
use crate::link::collect::check;
use crate::matrix::{PackedTerm, instruction_terms};
use crate::types::TypeRef;

/// The version of the format that this build writes and reads.
const VERSION: u32 = 3;

/// What every routine's file starts with.
const MAGIC: [u8; MAGIC_BYTES] = *b"gpuvmrtn";

/// Why a routine cannot be a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{routine}` cannot be saved: {why}")]
pub struct SaveError {
    /// The routine's name.
    pub routine: String,
    /// What is in its way.
    pub why: String,
}

/// The matrices of code and their terms, as [`Routine`] has them. Each linear instruction is given the number of its own.
pub(crate) fn matrices_of(code: &mut [Instruction]) -> (Vec<u32>, Vec<PackedTerm>) {
    let (mut matrices, mut terms) = (Vec::new(), Vec::new());
    for instruction in code {
        if has_matrix(instruction) {
            instruction.operands[3] = matrices.len() as u32;
            matrices.push(terms.len() as u32);
            let meant = instruction_terms(*instruction);
            terms.extend(meant.terms[..meant.count].iter().map(|term| term.packed()));
        }
    }
    (matrices, terms)
}

fn has_matrix(instruction: &Instruction) -> bool {
    Op::from_code(instruction.opcode).is_some_and(|op| op.roles()[3] == Role::Matrix)
}

impl RoutineRef {
    /// The routine, and all that it calls which is not of the binary, as the bytes of a file.
    ///
    /// # Errors
    ///
    /// [`SaveError`] for a routine of the binary, which is its file already, and for one that calls what has no id in the binary.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SaveError> {
        if let RoutineRef::Binary { .. } = self {
            return Err(SaveError {
                routine: self.name.to_string(),
                why: "it is a part of this binary; only what is made at run time can be saved".to_string(),
            });
        }
        let parts = self.parts();
        parts.iter().try_for_each(|part| part.can_be_saved())?;
        let records: Vec<Vec<u8>> = parts.into_iter().map(RoutineRef::record).collect();
        let mut out = Writer(Vec::new());
        out.list(&records, |out, record| {
            out.number(record.len() as u32);
            out.0.extend(record);
        });
        Ok(bytes::with_header(MAGIC, VERSION, &out.0))
    }

    /// The routine of a file's bytes, checked: it links as one that was just built. `binary` gives the routines of the binary by id. Texts and
    /// types in it are kept for as long as the process lives, equal ones once.
    ///
    /// # Errors
    ///
    /// [`LoadError`] for bytes that [`RoutineRef::to_bytes`] of this version did not make, whatever they are, and where the binary does not have what
    /// it calls, or has it with another signature.
    pub fn from_bytes(
        bytes: &[u8],
        library: Library,
        binary: &dyn Fn(&str) -> Option<RoutineRef>,
    ) -> Result<RoutineRef, LoadError> {
        let mut from = bytes::body(bytes, MAGIC, VERSION, LoadError::NotARoutine)?;
        let mut known = BTreeMap::new();
        let mut last = None;
        from.list(|from| {
            let length = from.number()? as usize;
            let at = from.at;
            let record = from.bytes(length)?;
            let mut from = Reader { rest: record, at };
            let routine = match from.number()? {
                PLAIN => {
                    let routine = read(&mut from, &known, binary)?;
                    check(&routine, library).map_err(|error| LoadError::Invalid(error.to_string()))?;
                    RoutineRef::new(routine)
                }
                TABLED => read_tabled(&mut from, &known, binary)?,
                other => return Err(from.wrong(format!("{other} is no kind of routine"))),
            };
            from.end()?;
            if routine.record() != record {
                return Err(bytes::malformed(
                    at,
                    "a routine is not written as this build writes it".to_string(),
                ));
            }
            known.insert(
                routine.id().map_or([0; 16], super::RoutineId::to_bytes),
                routine.clone(),
            );
            last = Some(routine);
            Ok(())
        })?;
        from.end()?;
        last.ok_or_else(|| from.wrong("there is no routine in it"))
    }
}

/// The kinds of records: of a routine, and of one with tables.
const PLAIN: u32 = 0;
const TABLED: u32 = 1;

impl RoutineRef {
    /// All that it names.
    fn named(&self) -> Vec<&RoutineRef> {
        match self {
            RoutineRef::Tabled(tabled) => tabled.named().collect(),
            routine => routine.held.iter().collect(),
        }
    }

    /// What of that was made at run time.
    fn made(&self) -> impl Iterator<Item = &RoutineRef> {
        let named = self.named().into_iter();
        named.filter(|named| !matches!(named, RoutineRef::Binary { .. }))
    }

    /// The routine and all that it names which was made at run time, each behind what it names.
    pub(crate) fn parts(&self) -> Vec<&RoutineRef> {
        let (mut parts, mut known) = (Vec::new(), BTreeSet::new());
        // What is on the list a second time waits for what it names.
        let mut open = vec![(self, false)];
        while let Some((routine, ready)) = open.pop() {
            if known.contains(&routine.key()) {
                continue;
            }
            if !ready {
                open.push((routine, true));
                open.extend(routine.made().map(|made| (made, false)));
                continue;
            }
            known.insert(routine.key());
            parts.push(routine);
        }
        parts
    }

    fn can_be_saved(&self) -> Result<(), SaveError> {
        let refused = |why: String| {
            Err(SaveError {
                routine: self.name.to_string(),
                why,
            })
        };
        for named in self.named() {
            if let RoutineRef::Binary { id: "", routine } = named {
                return refused(format!("it calls `{}`, which has no id in the binary", routine.name));
            }
        }
        match self {
            RoutineRef::Made(_) if !self.is_plain() => {
                refused("it was not made by the builder or from a file".to_string())
            }
            _ => Ok(()),
        }
    }

    /// The canonical bytes of all that it consists of.
    fn record(&self) -> Vec<u8> {
        match self {
            RoutineRef::Tabled(tabled) => tabled.record(),
            routine => Routine::record(routine),
        }
    }

    /// Names it.
    fn write(&self, out: &mut Writer) {
        match self {
            RoutineRef::Made(_) | RoutineRef::Tabled(_) => {
                out.number(0);
                out.0.extend(self.id().map_or([0; 16], super::RoutineId::to_bytes));
            }
            RoutineRef::Binary { routine, id } => {
                out.number(1);
                out.text(id);
                out.list(&routine.params, |out, param| out.ty(*param));
                out.ty(routine.result);
            }
        }
    }
}

impl Routine {
    /// Whether it takes and returns these types, down to the names of their fields.
    fn has_signature(&self, params: &[TypeRef], result: TypeRef) -> bool {
        let written = |types: &[TypeRef]| types.iter().map(|ty| types::print(*ty)).collect::<Vec<_>>();
        written(&self.params) == written(params) && written(&[self.result]) == written(&[result])
    }

    /// Whether it takes and returns what another routine does.
    pub(crate) fn has_signature_of(&self, other: &Routine) -> bool {
        self.has_signature(&other.params, other.result)
    }
}

impl Tabled {
    fn named(&self) -> impl Iterator<Item = &RoutineRef> {
        let tables = self.tables.iter().flat_map(|table| [&table.of, &table.routine]);
        std::iter::once(&self.routine).chain(tables)
    }

    /// The canonical bytes of all that it consists of.
    pub(crate) fn record(&self) -> Vec<u8> {
        let mut out = Writer(Vec::new());
        out.number(TABLED);
        self.routine.write(&mut out);
        out.list(&self.tables, |out, table| {
            table.of.write(out);
            table.routine.write(out);
        });
        out.0
    }
}

impl Routine {
    /// Whether it calls only what it holds and library functions.
    fn is_plain(&self) -> bool {
        let is_known = |callee: &Callee| matches!(callee, Callee::Held(_) | Callee::Library(_));
        let is_table = |constant: &Constant| matches!(constant.words, ConstantWords::Table(_));
        self.callees.iter().all(is_known) && self.constants.iter().all(is_table) && self.pieces.is_empty()
    }

    /// The canonical bytes of all that the routine consists of.
    pub(crate) fn record(&self) -> Vec<u8> {
        let mut out = Writer(Vec::with_capacity(24 * self.code.len() + 128));
        out.number(PLAIN);
        out.text(&self.name);
        out.text(&self.file);
        out.number(self.line);
        out.list(&self.params, |out, param| out.ty(*param));
        out.ty(self.result);
        out.number(self.words);
        out.flag(self.relaxed);
        out.list(&self.held, |out, held| held.write(out));
        out.list(&self.tables, |out, table| {
            out.list(table, |out, word| out.number(*word))
        });
        out.list(&self.callees, |out, callee| match *callee {
            Callee::Held(number) => out.numbers([0, number]),
            Callee::Library(number) => out.numbers([1, number]),
            // Routines with such callees are no files, and their identity is that of their place.
            Callee::Routine(_) => out.numbers([2, 0]),
            Callee::Piece(number) => out.numbers([3, number]),
        });
        out.list(&self.constants, |out, constant| {
            let table = match constant.words {
                ConstantWords::Table(number) => number,
                ConstantWords::Function(_) | ConstantWords::Inferred(..) => u32::MAX,
            };
            out.numbers([constant.at, table, constant.in_data.into()]);
        });
        out.list(&self.sites, |out, site| {
            out.number(site.line);
            out.cause(&site.cause);
        });
        out.list(&self.variables, |out, variable| {
            out.text(variable.name);
            out.number(variable.word);
            out.ty(variable.ty);
            out.numbers([variable.line, variable.last_line]);
        });
        let mut code = self.code.to_vec();
        code.iter_mut()
            .filter(|instruction| has_matrix(instruction))
            .for_each(|instruction| instruction.operands[3] = 0);
        out.code(&code);
        out.list(&self.lines, |out, line| out.number(*line));
        out.0
    }
}

/// Reads the fields in the order in which they are written.
fn read(
    from: &mut Reader<'_>,
    known: &BTreeMap<[u8; 16], RoutineRef>,
    binary: &dyn Fn(&str) -> Option<RoutineRef>,
) -> Result<Routine, LoadError> {
    let name = from.text()?.to_string();
    let file = from.text()?.to_string();
    let line = from.number()?;
    let params = from.list(Reader::ty)?;
    let result = from.ty()?;
    let words = from.number()?;
    let relaxed = from.flag()?;
    let held = from.list(|from| read_name(from, known, binary))?;
    let tables = from.list(|from| Ok(Arc::from(from.list(Reader::number)?)))?;
    let callees = from.list(|from| match (from.number()?, from.number()?) {
        (0, number) => Ok(Callee::Held(number)),
        (1, number) => Ok(Callee::Library(number)),
        (other, _) => Err(from.wrong(format!("{other} is no way to call"))),
    })?;
    let constants = from.list(|from| {
        Ok(Constant {
            at: from.number()?,
            words: ConstantWords::Table(from.number()?),
            in_data: from.flag()?,
        })
    })?;
    let sites = from.list(|from| {
        Ok(Site {
            line: from.number()?,
            cause: from.cause()?,
        })
    })?;
    let variables = from.list(|from| {
        Ok(Variable {
            name: types::keep(from.text()?),
            word: from.number()?,
            ty: from.ty()?,
            line: from.number()?,
            last_line: from.number()?,
        })
    })?;
    let mut code = from.code()?;
    let lines = from.list(Reader::number)?;
    let (matrices, terms) = matrices_of(&mut code);
    Ok(Routine {
        name: Cow::Owned(name),
        file: Cow::Owned(file),
        line,
        params: Cow::Owned(params),
        result,
        words,
        code: Cow::Owned(code),
        lines: Cow::Owned(lines),
        matrices: Cow::Owned(matrices),
        terms: Cow::Owned(terms),
        callees: Cow::Owned(callees),
        constants: Cow::Owned(constants),
        sites: Cow::Owned(sites),
        variables: Cow::Owned(variables),
        relaxed,
        held,
        tables,
        ..Routine::EMPTY
    })
}

/// What a name stands for.
fn read_name(
    from: &mut Reader<'_>,
    known: &BTreeMap<[u8; 16], RoutineRef>,
    binary: &dyn Fn(&str) -> Option<RoutineRef>,
) -> Result<RoutineRef, LoadError> {
    match from.number()? {
        0 => {
            let id = from.take::<16>()?;
            let found = known.get(&id).cloned();
            found.ok_or_else(|| from.wrong("it calls a routine that does not come before it"))
        }
        1 => {
            let id = from.text()?;
            let params = from.list(Reader::ty)?;
            let result = from.ty()?;
            let found =
                binary(id).ok_or_else(|| from.wrong(format!("it calls `{id}`, which this binary does not have")))?;
            if found.has_signature(&params, result) {
                return Ok(found);
            }
            Err(from.wrong(format!("it calls `{id}`, which has another signature in this binary")))
        }
        other => Err(from.wrong(format!("{other} is no way to name a routine"))),
    }
}

fn read_tabled(
    from: &mut Reader<'_>,
    known: &BTreeMap<[u8; 16], RoutineRef>,
    binary: &dyn Fn(&str) -> Option<RoutineRef>,
) -> Result<RoutineRef, LoadError> {
    let routine = read_name(from, known, binary)?;
    let tables = from.list(|from| {
        let of = read_name(from, known, binary)?;
        let routine = read_name(from, known, binary)?;
        match of.has_signature_of(&routine) {
            true => Ok(Table { of, routine }),
            false => Err(from.wrong("what is called in place of a routine has another signature")),
        }
    })?;
    Ok(RoutineRef::tabled(&routine, &tables))
}
