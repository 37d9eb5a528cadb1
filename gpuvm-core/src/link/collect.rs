//! Finds every routine that a program needs, following callees.

use std::collections::BTreeMap;

use super::pieces;
use super::verify::{invalid, param_words};
use crate::library::{self, Library};
use crate::link::LinkError;
use crate::routine::{Callee, Cause, Routine};

/// All routines of a program, those first that its start calls.
pub(crate) struct Routines {
    /// The numbers of the routines that collecting began with.
    pub roots: Vec<usize>,
    /// The routines, each once.
    pub all: Vec<&'static Routine>,
    /// For each routine, what its callees are.
    pub callees: Vec<Vec<Target>>,
}

impl Routines {
    /// Whether one of them prints.
    pub fn print(&self) -> bool {
        let mut sites = self.all.iter().flat_map(|routine| routine.sites.iter());
        sites.any(|site| matches!(site.cause, Cause::Print { .. }))
    }
}

/// What a callee comes to.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// Its signature.
    pub routine: &'static Routine,
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
pub(crate) fn collect(roots: &[&'static Routine], library: Library, relaxed: bool) -> Result<Routines, LinkError> {
    let mut routines = Routines {
        roots: Vec::with_capacity(roots.len()),
        all: Vec::new(),
        callees: Vec::new(),
    };
    let mut numbers = BTreeMap::new();
    // Of each routine, what it is a piece of, or has pieces.
    let mut families: Vec<&'static [Routine]> = Vec::new();
    let mut add = |routine: &'static Routine, all: &mut Vec<&'static Routine>, families: &mut Vec<_>| {
        *numbers.entry(address(routine)).or_insert_with(|| {
            let family = pieces::taken_apart(routine);
            all.push(family.first().unwrap_or(routine));
            families.push(family);
            all.len() - 1
        })
    };
    for &root in roots {
        let number = add(root, &mut routines.all, &mut families);
        routines.roots.push(number);
    }
    while let Some(caller) = routines.all.get(routines.callees.len()).cloned() {
        let mut callees = Vec::with_capacity(caller.callees.len());
        let family = families[routines.callees.len()];
        for callee in caller.callees.iter() {
            let routine = match *callee {
                Callee::Routine(get) => get(),
                Callee::Piece(number) => match family.get(number as usize + 1) {
                    Some(piece) => piece,
                    None => {
                        return Err(invalid(
                            caller,
                            format!("it calls piece {number}, which it does not have"),
                        ));
                    }
                },
                Callee::Library(number) => match library.get(number as usize) {
                    Some(get) => get(),
                    None => {
                        let what = format!(
                            "it calls library function {number}, and the library at hand has {}",
                            library.len()
                        );
                        return Err(invalid(caller, what));
                    }
                },
            };
            let by = match *callee {
                Callee::Library(number) if relaxed && is_math(number, routine) => By::Math(number),
                Callee::Piece(_) => {
                    let first = families.len();
                    let number = add(routine, &mut routines.all, &mut families);
                    if number == first {
                        families[first] = family;
                    }
                    By::Call(number)
                }
                _ => By::Call(add(routine, &mut routines.all, &mut families)),
            };
            callees.push(Target { routine, by });
        }
        routines.callees.push(callees);
    }
    Ok(routines)
}

/// Whether one instruction stands for a library function: a GPU has it as its own, and it is a function of one or two words.
fn is_math(number: u32, routine: &Routine) -> bool {
    library::relaxed(number, 0.0, 0.0).is_some()
        && (1..=2).contains(&param_words(routine))
        && routine.result.words() == 1
}

fn address(routine: &'static Routine) -> *const Routine {
    routine
}
