//! Finds every routine that an entry needs, following its callees.

use std::collections::BTreeMap;

use super::verify::invalid;
use crate::compile::LinkError;
use crate::library::Library;
use crate::routine::{Callee, Routine};

/// All routines of a program, the entry first.
pub(crate) struct Routines {
    /// The routines, each once.
    pub all: Vec<&'static Routine>,
    /// For each routine, what its callees are: numbers in `all`.
    pub callees: Vec<Vec<usize>>,
}

/// Follows callees breadth first, so that numbers do not depend on where the linker of the binary put things.
pub(crate) fn collect(entry: &'static Routine, library: Library) -> Result<Routines, LinkError> {
    let mut routines = Routines {
        all: vec![entry],
        callees: Vec::new(),
    };
    let mut numbers = BTreeMap::from([(address(entry), 0)]);
    while let Some(&routine) = routines.all.get(routines.callees.len()) {
        let mut callees = Vec::with_capacity(routine.callees.len());
        for callee in routine.callees.iter() {
            let target = match *callee {
                Callee::Routine(get) => get(),
                Callee::Library(number) => match library.get(number as usize) {
                    Some(get) => get(),
                    None => {
                        let what = format!(
                            "it calls library function {number}, and the library at hand has {}",
                            library.len()
                        );
                        return Err(invalid(routine, what));
                    }
                },
            };
            let number = *numbers.entry(address(target)).or_insert_with(|| {
                routines.all.push(target);
                routines.all.len() - 1
            });
            callees.push(number);
        }
        routines.callees.push(callees);
    }
    Ok(routines)
}

fn address(routine: &'static Routine) -> *const Routine {
    routine
}
