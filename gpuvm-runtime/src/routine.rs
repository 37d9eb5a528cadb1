//! [`Routine`]: a routine as a value, of the binary or made at run time.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

use gpuvm_core::assembly::assemble_routine;
use gpuvm_core::build::{Body, BuildError};
use gpuvm_core::routine::{RoutineId, RoutineRef, SaveError};
use gpuvm_core::types::TypeRef;

use crate::entry::{Code, Launchable, numbered};
use crate::error::{Error, Result};
use crate::registry::{self, Registration};

/// A routine as a value: one that was [built](crate::build()) or loaded at run time, or a `#[routine]` of the binary. It can be launched, be a node of
/// a plan, be called by other routines that are built, and be saved.
///
/// It is a handle: a clone is the same routine, which is there until the last one is dropped.
#[derive(Clone)]
pub struct Routine {
    shared: Arc<Shared>,
}

struct Shared {
    reference: RoutineRef,
    /// The entry of one of the binary.
    registration: Option<&'static Registration>,
    /// The entry of the one that this is but for what it calls: it has the names of the parameters.
    named_by: Option<&'static Registration>,
}

impl Routine {
    /// The `#[routine]` with this id.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`] with the nearest id there is, or [`Error::DuplicateId`].
    pub fn of(id: &str) -> Result<Routine> {
        let registration = registry::find(id)?;
        Ok(Routine {
            shared: Arc::new(Shared {
                reference: registration.reference(),
                registration: Some(registration),
                named_by: Some(registration),
            }),
        })
    }

    /// One that may be a routine of the binary with tables.
    fn made_of(reference: RoutineRef) -> Routine {
        let named_by = reference.of_binary().and_then(|id| registry::find(id).ok());
        Routine::made(reference, named_by)
    }

    fn made(reference: RoutineRef, named_by: Option<&'static Registration>) -> Routine {
        Routine {
            shared: Arc::new(Shared {
                reference,
                registration: None,
                named_by,
            }),
        }
    }

    /// The routine of a text in the [assembler's](crate::Routine::disassemble) form: for compilers that write text, and for looking at what others made. What it calls is
    /// in the text above it, or of the binary. Mistakes are told by their line, and code that does not hold together is refused as that of a [file](Routine::load) is.
    ///
    /// # Errors
    ///
    /// [`Error::Assembly`] with the first line that is wrong.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime) -> gpuvm::Result<()> {
    /// use gpuvm::Routine;
    ///
    /// let triangle = Routine::assemble(
    ///     r#"
    ///     routine "triangle"
    ///     param u32
    ///     result u32
    ///     code
    ///         imm w1, 0
    ///     again:
    ///         add w1, w1, w0      ; w0 has the parameter
    ///         addi w0, w0, -1
    ///         jnz @again, w0
    ///         ret w1
    ///     "#,
    /// )?;
    /// let sums: Vec<u32> = runtime.launch(&triangle)?.args((&[1u32, 4, 100],)).run()?.output()?;
    /// assert_eq!(sums, [1, 10, 5050]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn assemble(text: &str) -> Result<Routine> {
        let reference = assemble_routine(text, gpuvm_math::LIBRARY, &binary)?;
        Ok(Routine::made_of(reference))
    }

    /// The routine as text, as it was built or encoded: each instruction over as many words as it needs, and above it all that it calls which was made at run time.
    /// [`Routine::assemble`] reads that of one made at run time back to the same routine. What engines run is
    /// [`Program::disassemble`](gpuvm_core::program::Program::disassemble)'s.
    ///
    /// A text has `routine "name"`, lines of a header in any order (`file "x.s" 7`, `param u32 "n"`, `result f32`, `words 12`, `callee "id"`, `callee library sin`,
    /// `site 9 message "…"`, `table 0x1 0x2`, `variable 3 7:12 "sum" f32`), `code`, and instructions with labels; `at 9` says their source line. `;` begins a comment. The
    /// words of the parameters are the first ones. A second `routine` may call the first, and the last one is what the text stands for. All operations are in
    /// `docs/instructions.md`, the whole form is [that module's](gpuvm_core::assembly).
    pub fn disassemble(&self) -> String {
        self.shared.reference.disassemble()
    }

    /// The same routine, in which whatever calls `of` calls one of a table of routines: `of` is an ordinary routine whose first parameter is a number, and a call of it
    /// goes to the entry of that number with the arguments behind it. Where the table has no such entry, `of` itself is called, which may be a rule for those, or a panic.
    /// So a routine of the binary calls what was made at run time, and each VM another of it.
    ///
    /// The table is for all that this routine calls, entries among it, which may call `of` again. An entry takes and returns what `of` does, but for the number. A second
    /// table for the same routine takes the place of the first.
    ///
    /// Such a routine is made at run time: on a CPU the interpreter in Rust runs it.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`] and the like for an id, and [`Error::Build`] when `of` has no number as its first parameter, an entry cannot stand for it, or nothing
    /// calls it.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime, genes: &[u32], hunger: &[f32]) -> gpuvm::Result<()> {
    /// use gpuvm::Routine;
    ///
    /// // #[routine] fn decide(gene: u32, hunger: f32) -> f32 { 0.0 }
    /// // #[routine] fn live(gene: u32, hunger: f32) -> f32 { hunger - decide(gene, hunger).clamp(0.0, 1.0) }
    /// let rules: Vec<Routine> = (0..100)
    ///     .map(|rule| gpuvm::build("rule", |f| {
    ///         let hunger = f.param::<f32>("hunger");
    ///         f.ret(hunger * (rule as f32 / 50.0));
    ///     }))
    ///     .collect::<gpuvm::Result<_>>()?;
    /// let live = Routine::of("live")?.with_table("decide", &rules)?;
    /// let left: Vec<f32> = runtime.launch(&live)?.args((genes, hunger)).run()?.output()?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn with_table(&self, of: impl Launchable, entries: &[Routine]) -> Result<Routine> {
        let place = Location::caller();
        let of = of.entry()?;
        let Code::Routine(of) = of.code() else {
            return Err(Error::Build(BuildError {
                routine: self.name().to_string(),
                file: place.file().to_string(),
                line: place.line(),
                what: format!("it is given a table for `{}`, which is linked already", of.id()),
            }));
        };
        let entries: Vec<RoutineRef> = entries.iter().map(|entry| entry.reference().clone()).collect();
        let reference = self.shared.reference.with_table(&of, &entries, gpuvm_math::LIBRARY)?;
        Ok(Routine::made(reference, self.shared.named_by))
    }

    pub(crate) fn registration(&self) -> Option<&'static Registration> {
        self.shared.registration
    }

    pub(crate) fn reference(&self) -> &RoutineRef {
        &self.shared.reference
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self.shared.named_by {
            Some(registration) => registration.id,
            None => &self.shared.reference.name,
        }
    }

    /// The types of its parameters, in order.
    pub fn params(&self) -> &[TypeRef] {
        &self.shared.reference.params
    }

    /// The type of what it returns.
    pub fn result(&self) -> TypeRef {
        self.shared.reference.result
    }

    /// The name of a parameter, as it was given.
    pub(crate) fn parameter(&self, index: usize) -> Option<Cow<'_, str>> {
        if let Some(registration) = self.shared.named_by {
            return registration.params.get(index).map(|name| Cow::Borrowed(*name));
        }
        let routine = &self.shared.reference;
        let before = routine.params.get(..index)?;
        let word: u32 = before.iter().map(|param| param.words()).sum();
        let ty = routine.params.get(index)?;
        let given = routine.variables.iter().find(|variable| {
            variable.word == word && variable.ty.words() == ty.words() && variable.line == routine.line
        });
        Some(given.map_or_else(|| numbered(index), |variable| Cow::Borrowed(variable.name)))
    }

    /// A hash of all that it consists of and of all that it calls, the same in every process; nothing for one of the binary.
    pub fn id(&self) -> Option<RoutineId> {
        self.shared.reference.id()
    }

    /// The routine, with all that it calls which was made at run time, as the bytes of a file: versioned and with a checksum. What it calls of the
    /// binary is named by id.
    ///
    /// # Errors
    ///
    /// [`SaveError`] for a routine of the binary, which is its file already, and for one that calls what has no id there.
    pub fn to_bytes(&self) -> std::result::Result<Vec<u8>, SaveError> {
        self.shared.reference.to_bytes()
    }

    /// The routine of a file's bytes, verified: hostile ones are an error. Texts and types in it are kept for as long as the process lives, equal ones
    /// once.
    ///
    /// # Errors
    ///
    /// [`Error::Load`] for bytes that [`Routine::to_bytes`] of this version did not make, whatever they are, and where this binary does not have what
    /// the routine calls, or has it with another signature.
    pub fn from_bytes(bytes: &[u8]) -> Result<Routine> {
        let reference = RoutineRef::from_bytes(bytes, gpuvm_math::LIBRARY, &binary)?;
        Ok(Routine::made_of(reference))
    }

    /// Writes [the bytes](Routine::to_bytes) to a file.
    ///
    /// # Errors
    ///
    /// As there, and [`Error::File`] if it cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let bytes = self.to_bytes()?;
        std::fs::write(path.as_ref(), bytes).map_err(|source| Error::file(path.as_ref(), &source))
    }

    /// The routine of a file.
    ///
    /// # Errors
    ///
    /// As [`Routine::from_bytes`], and [`Error::File`] if it cannot be read.
    pub fn load(path: impl AsRef<Path>) -> Result<Routine> {
        let bytes = std::fs::read(path.as_ref()).map_err(|source| Error::file(path.as_ref(), &source))?;
        Routine::from_bytes(&bytes)
    }
}

/// The routine of the binary with an id.
fn binary(id: &str) -> Option<RoutineRef> {
    registry::find(id).ok().map(Registration::reference)
}

/// Builds a routine at run time: see [its module](gpuvm_core::build) for all there is.
///
/// # Errors
///
/// [`Error::Build`] with the first mistake and its place.
///
/// ```
/// # use gpuvm_runtime as gpuvm;
/// # fn example(runtime: &gpuvm::Runtime) -> gpuvm::Result<()> {
/// let poly = gpuvm::build("poly", |f| {
///     let x = f.param::<f32>("x");
///     f.ret(x * x + x * 2.0 + 1.0);
/// })?;
/// let ys: Vec<f32> = runtime.launch(&poly)?.args((&[1.0f32, 2.0, 3.0],)).run()?.output()?;
/// assert_eq!(ys, [4.0, 9.0, 16.0]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn build(name: &str, body: impl for<'b> FnOnce(&'b Body)) -> Result<Routine> {
    let routine = gpuvm_core::build::build(name, body)?;
    Ok(Routine::made(RoutineRef::new(routine), None))
}

impl AsRef<RoutineRef> for Routine {
    fn as_ref(&self) -> &RoutineRef {
        &self.shared.reference
    }
}

impl fmt::Debug for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Routine")
            .field("name", &self.name())
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}
