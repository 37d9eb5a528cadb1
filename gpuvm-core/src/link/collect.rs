//! Finds every routine that a program needs, following callees.

use std::collections::BTreeMap;

use super::pieces;
use super::verify::{invalid, param_words, verify};
use crate::library::{self, Library};
use crate::link::LinkError;
use crate::link::data::Data;
use crate::routine::{Callee, Cause, Routine, RoutineKey, RoutineRef, Table};

/// All routines of a program, those first that its start calls.
pub(crate) struct Routines {
    /// The numbers of the routines that collecting began with.
    pub roots: Vec<usize>,
    /// The routines, each once.
    pub all: Vec<RoutineRef>,
    /// For each routine, what its callees are.
    pub callees: Vec<Vec<Target>>,
}

impl Routines {
    /// Whether one of them prints.
    pub fn print(&self) -> bool {
        self.has_site(|cause| matches!(cause, Cause::Print { .. }))
    }

    /// Whether one of them asks the host.
    pub fn ask(&self) -> bool {
        self.has_site(|cause| matches!(cause, Cause::Ask(_)))
    }

    fn has_site(&self, is: impl Fn(&Cause) -> bool) -> bool {
        let mut sites = self.all.iter().flat_map(|routine| routine.sites.iter());
        sites.any(|site| is(&site.cause))
    }
}

/// What a callee comes to.
#[derive(Clone)]
pub(crate) struct Target {
    /// Its signature.
    pub routine: RoutineRef,
    /// How it is reached.
    pub by: By,
}

/// How a callee is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// A call of the routine of that number in [`Routines::all`].
    Call(usize),
    /// One instruction, [`Op::FMath`](crate::isa::Op::FMath) of the library function of that number.
    Math(u32),
}

/// Follows callees breadth first, so that numbers do not depend on where the linker of the binary put things. Where the program is
/// relaxed, library functions that GPUs have as their own are not followed.
pub(crate) fn collect(roots: &[RoutineRef], library: Library, relaxed: bool) -> Result<Routines, LinkError> {
    let mut found = Found::default();
    let roots = roots
        .iter()
        .map(|root| found.add(root, NO_TABLES))
        .collect::<Result<_, _>>()?;
    let mut callees = Vec::new();
    while let Some(caller) = found.all.get(callees.len()).cloned() {
        let mut targets = Vec::with_capacity(caller.callees.len());
        let (family, scope) = found.around[callees.len()];
        for callee in caller.callees.iter() {
            let routine = callee_of(&caller, family, *callee, library)?;
            let by = match *callee {
                Callee::Library(number) if relaxed && is_math(number, &routine) => By::Math(number),
                Callee::Library(_) => By::Call(found.add(&routine, NO_TABLES)?),
                Callee::Piece(_) => By::Call(found.add_piece(&routine, family, scope)?),
                Callee::Routine(_) | Callee::Held(_) => {
                    let called = found.scopes.called(scope, &caller, &routine).clone();
                    By::Call(found.add(&called, scope)?)
                }
            };
            targets.push(Target { routine, by });
        }
        callees.push(targets);
    }
    Ok(Routines {
        roots,
        all: found.all,
        callees,
    })
}

/// The routines that were found so far.
#[derive(Default)]
struct Found {
    all: Vec<RoutineRef>,
    /// Of each routine, what it is a piece of, or has pieces, and the tables that its calls go to.
    around: Vec<(&'static [Routine], usize)>,
    numbers: BTreeMap<(RoutineKey, usize), usize>,
    scopes: Scopes,
}

impl Found {
    /// The number of a routine whose calls go to the tables of a scope, and to its own.
    fn add(&mut self, routine: &RoutineRef, scope: usize) -> Result<usize, LinkError> {
        let (routine, family, scope) = match routine {
            RoutineRef::Binary { routine: code, .. } => (routine, pieces::taken_apart(code), scope),
            RoutineRef::Made(_) => (routine, &[][..], scope),
            // The routine within has no tables itself.
            RoutineRef::Tabled(tabled) => {
                let within = self.scopes.within(scope, &tabled.tables);
                if within >= MOST_SCOPES {
                    return Err(LinkError::TooLarge {
                        routine: routine.name.to_string(),
                        what: "sets of tables",
                        found: within as u64 + 1,
                        most: MOST_SCOPES as u64,
                    });
                }
                return self.add(&tabled.routine, within);
            }
        };
        Ok(*self.numbers.entry((routine.key(), scope)).or_insert_with(|| {
            self.all
                .push(family.first().map_or_else(|| routine.clone(), RoutineRef::from));
            self.around.push((family, scope));
            self.all.len() - 1
        }))
    }

    /// The number of a piece of a family.
    fn add_piece(&mut self, piece: &RoutineRef, family: &'static [Routine], scope: usize) -> Result<usize, LinkError> {
        let number = self.add(piece, scope)?;
        self.around[number].0 = family;
        Ok(number)
    }
}

/// Whether a routine calls another one, or something that it calls does.
pub(crate) fn calls(routine: &RoutineRef, other: &RoutineRef, library: Library) -> bool {
    let routines = collect(std::slice::from_ref(routine), library, false);
    routines.is_ok_and(|routines| {
        let mut called = routines.callees.iter().flatten();
        called.any(|target| target.routine.is(other))
    })
}

/// The sets of tables that calls go to, the first of which is empty.
struct Scopes(Vec<Vec<Table>>);

/// The number of the empty one.
const NO_TABLES: usize = 0;
/// There are as many sets as ways to come past routines with tables, which a file may hold many of.
const MOST_SCOPES: usize = 256;

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes(vec![Vec::new()])
    }
}

impl Scopes {
    /// The set that has these tables besides.
    fn within(&mut self, scope: usize, tables: &[Table]) -> usize {
        let wanted = Table::added(&self.0[scope], tables);
        let is_same = |known: &Vec<Table>| {
            let keys = |tables: &[Table]| tables.iter().map(|table| table.routine.key()).collect::<Vec<_>>();
            keys(known) == keys(&wanted)
        };
        self.0.iter().position(is_same).unwrap_or_else(|| {
            self.0.push(wanted);
            self.0.len() - 1
        })
    }

    /// What a call of a routine goes to.
    fn called<'r>(&'r self, scope: usize, caller: &RoutineRef, routine: &'r RoutineRef) -> &'r RoutineRef {
        let table = self.0[scope].iter().find(|table| table.of.is(routine));
        match table {
            Some(table) if table.routine.key() != caller.key() => &table.routine,
            _ => routine,
        }
    }
}

/// What a callee of a routine is, whose family are the pieces that it is one of or has.
fn callee_of(
    caller: &Routine,
    family: &'static [Routine],
    callee: Callee,
    library: Library,
) -> Result<RoutineRef, LinkError> {
    let found = match callee {
        Callee::Routine(get) => return Ok(get().into()),
        Callee::Held(number) => caller.held.get(number as usize).cloned().ok_or((number, "routine")),
        Callee::Piece(number) => {
            let piece = family.get(number as usize + 1);
            piece.map(RoutineRef::from).ok_or((number, "piece"))
        }
        Callee::Library(number) => {
            let get = library.get(number as usize).ok_or_else(|| {
                let what = format!(
                    "it calls library function {number}, and the library at hand has {}",
                    library.len()
                );
                invalid(caller, what)
            })?;
            return Ok(get().into());
        }
    };
    found.map_err(|(number, what)| invalid(caller, format!("it calls {what} {number}, which it does not have")))
}

/// Checks a routine that is not in a program yet, given that what it calls is right.
pub(crate) fn check(routine: &Routine, library: Library) -> Result<(), LinkError> {
    let callees = routine
        .callees
        .iter()
        .map(|callee| callee_of(routine, &[], *callee, library));
    let callees = callees.collect::<Result<Vec<RoutineRef>, LinkError>>()?;
    let callees: Vec<&Routine> = callees.iter().map(|callee| &**callee).collect();
    verify(routine, &callees, &mut Data::default()).map(|_| ())
}

/// Whether one instruction stands for a library function: a GPU has it as its own, and it is a function of one or two words.
fn is_math(number: u32, routine: &Routine) -> bool {
    library::relaxed(number, 0.0, 0.0).is_some()
        && (1..=2).contains(&param_words(routine))
        && routine.result.words() == 1
}
