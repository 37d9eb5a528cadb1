//! What can be launched: a routine of the binary by its id, or a routine or a program that was made at run time.

use std::borrow::Cow;
use std::sync::Arc;

use gpuvm_core::program::Program;
use gpuvm_core::routine::RoutineRef;
use gpuvm_core::types::{Type, TypeRef, Value};

use crate::error::Result;
use crate::registry::{self, Registration};
use crate::routine::Routine;

/// What [`Runtime::launch`](crate::Runtime::launch) and the verbs of a [`Plan`](crate::Plan) take: the id of a `#[routine]`, a [`Routine`] or a linked
/// [`Program`](gpuvm_core::program::Program).
pub trait Launchable {
    #[doc(hidden)]
    fn entry(self) -> Result<Entry>;
}

macro_rules! ids {
    ($($ty:ty)*) => {$(
        impl Launchable for $ty {
            fn entry(self) -> Result<Entry> {
                registry::find(self).map(Entry::from)
            }
        }
    )*};
}
ids! {
    &str &&str &String
}

impl Launchable for &Routine {
    fn entry(self) -> Result<Entry> {
        Ok(match self.registration() {
            Some(registration) => Entry::from(registration),
            None => Entry(Kind::Made(self.clone())),
        })
    }
}

impl Launchable for &Arc<Program> {
    fn entry(self) -> Result<Entry> {
        Ok(Entry(Kind::Program(Arc::clone(self))))
    }
}

/// What is launched. A handle: a clone is the same.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Entry(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Binary(&'static Registration),
    Made(Routine),
    Program(Arc<Program>),
    /// The program of a batch, whose arguments are named as those of its first routine.
    Batch(Arc<Program>, Box<Entry>),
}

/// What an entry's code is.
pub(crate) enum Code<'e> {
    /// A routine, which is linked for each launch's settings.
    Routine(RoutineRef),
    /// A program, which is linked already.
    Program(&'e Arc<Program>),
}

impl From<&'static Registration> for Entry {
    fn from(registration: &'static Registration) -> Entry {
        Entry(Kind::Binary(registration))
    }
}

impl Entry {
    /// The program of a batch.
    pub(crate) fn of_batch(program: Arc<Program>, first: Entry) -> Entry {
        Entry(Kind::Batch(program, Box::new(first)))
    }

    /// Whether it is linked already.
    pub(crate) fn is_program(&self) -> bool {
        matches!(self.code(), Code::Program(_))
    }

    /// What it is called: its id, or the name that was given to it.
    pub(crate) fn id(&self) -> &str {
        match &self.0 {
            Kind::Binary(registration) => registration.id,
            Kind::Made(routine) => routine.name(),
            Kind::Program(program) => &program.name,
            Kind::Batch(_, first) => first.id(),
        }
    }

    /// Who calls it natively; nobody where rustc has not compiled it.
    pub(crate) fn native(&self) -> Option<&'static Registration> {
        match &self.0 {
            Kind::Binary(registration) => Some(registration),
            Kind::Made(_) | Kind::Program(_) | Kind::Batch(..) => None,
        }
    }

    /// Its code.
    pub(crate) fn code(&self) -> Code<'_> {
        match &self.0 {
            Kind::Binary(registration) => Code::Routine(registration.reference()),
            Kind::Made(routine) => Code::Routine(routine.reference().clone()),
            Kind::Program(program) | Kind::Batch(program, _) => Code::Program(program),
        }
    }

    /// The parameters' types.
    pub(crate) fn params(&self) -> &[TypeRef] {
        match &self.0 {
            Kind::Binary(registration) => &(registration.routine)().params,
            Kind::Made(routine) => routine.params(),
            Kind::Program(program) | Kind::Batch(program, _) => &program.params,
        }
    }

    /// The type of what it returns.
    pub(crate) fn result(&self) -> TypeRef {
        match &self.0 {
            Kind::Binary(registration) => (registration.routine)().result,
            Kind::Made(routine) => routine.reference().result,
            Kind::Program(program) | Kind::Batch(program, _) => program.result,
        }
    }

    /// The type of its results. One that never returns has none, which is what `()` has too.
    pub(crate) fn result_type(&self) -> &'static Type {
        let result = self.result();
        match result.words() {
            0 => <()>::TYPE,
            _ => result.ty,
        }
    }

    /// How many parameters have names: all that are not the launch's own.
    pub(crate) fn named(&self) -> usize {
        match &self.0 {
            Kind::Binary(registration) => registration.params.len(),
            Kind::Made(routine) => routine.reference().params.len(),
            Kind::Program(program) | Kind::Batch(program, _) => program.params.len(),
        }
    }

    /// The name of a parameter.
    pub(crate) fn name(&self, index: usize) -> Cow<'_, str> {
        let found = match &self.0 {
            Kind::Binary(registration) => registration.params.get(index).map(|name| Cow::Borrowed(*name)),
            Kind::Made(routine) => routine.parameter(index),
            Kind::Program(program) => (index < program.params.len()).then(|| numbered(index)),
            Kind::Batch(_, first) => return first.name(index),
        };
        found.unwrap_or(Cow::Borrowed("_"))
    }

    /// The names of all parameters, for people.
    pub(crate) fn names(&self) -> String {
        let names: Vec<_> = (0..self.named()).map(|index| self.name(index)).collect();
        names.join(", ")
    }

    /// The place of the parameter of a name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        (0..self.named()).find(|index| self.name(*index) == name)
    }
}

/// The name of a parameter that nobody has given one.
pub(crate) fn numbered(index: usize) -> Cow<'static, str> {
    Cow::Owned(format!("parameter {index}"))
}
