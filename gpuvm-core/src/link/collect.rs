//! Finds every routine that a program needs, following callees.

use std::collections::BTreeMap;

use super::pieces;
use super::verify::{invalid, param_words, verify};
use crate::library::{self, Library};
use crate::link::LinkError;
use crate::link::data::Data;
use crate::routine::{Callee, Cause, Routine, RoutineRef};

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
    let mut routines = Routines {
        roots: Vec::with_capacity(roots.len()),
        all: Vec::new(),
        callees: Vec::new(),
    };
    let mut numbers = BTreeMap::new();
    // Of each routine, what it is a piece of, or has pieces.
    let mut families: Vec<&'static [Routine]> = Vec::new();
    let mut add = |routine: RoutineRef, all: &mut Vec<RoutineRef>, families: &mut Vec<_>| {
        *numbers.entry(routine.key()).or_insert_with(|| {
            let family = match &routine {
                RoutineRef::Binary { routine, .. } => pieces::taken_apart(routine),
                RoutineRef::Made(_) => &[],
            };
            all.push(family.first().map_or(routine, RoutineRef::from));
            families.push(family);
            all.len() - 1
        })
    };
    for root in roots {
        let number = add(root.clone(), &mut routines.all, &mut families);
        routines.roots.push(number);
    }
    while let Some(caller) = routines.all.get(routines.callees.len()).cloned() {
        let mut callees = Vec::with_capacity(caller.callees.len());
        let family = families[routines.callees.len()];
        for callee in caller.callees.iter() {
            let routine = callee_of(&caller, family, *callee, library)?;
            let by = match *callee {
                Callee::Library(number) if relaxed && is_math(number, &routine) => By::Math(number),
                Callee::Piece(_) => {
                    let first = families.len();
                    let number = add(routine.clone(), &mut routines.all, &mut families);
                    if number == first {
                        families[first] = family;
                    }
                    By::Call(number)
                }
                _ => By::Call(add(routine.clone(), &mut routines.all, &mut families)),
            };
            callees.push(Target { routine, by });
        }
        routines.callees.push(callees);
    }
    Ok(routines)
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
