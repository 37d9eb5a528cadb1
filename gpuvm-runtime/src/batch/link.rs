//! Linking a batch: each routine that is new, on all cores, and then all as one program.

use std::collections::BTreeMap;
use std::sync::Arc;

use gpuvm_core::kernel::{Call, Count, Input, Kernel, Output};
use gpuvm_core::program::{Choice, Program};
use gpuvm_core::routine::{RoutineKey, RoutineRef};
use gpuvm_core::settings::Settings;
use gpuvm_core::types::TypeRef;

use super::fold::Folding;
use crate::entry::{Code, Entry};
use crate::error::Result;
use crate::native::pool;
use crate::runtime::Runtime;

/// How the programs of a batch get at their arguments.
pub(super) struct Form {
    /// The launch's parameters, the one that says the program last.
    pub params: Vec<TypeRef>,
    /// Which of the routine's are columns with an entry for each case.
    pub by_case: Vec<bool>,
    /// How a VM finds its program.
    pub choice: Choice,
    /// How results are folded, if they are.
    pub folding: Option<Folding>,
}

impl Form {
    /// The kernel of a routine.
    fn kernel(&self, routine: RoutineRef) -> Kernel {
        let arg = |(param, by_case): (usize, &bool)| match by_case {
            true => Input::Element(param),
            false => Input::Param(param),
        };
        let kernel = Kernel {
            name: routine.name.to_string(),
            params: self.params.clone(),
            result: routine.result,
            count: match self.choice {
                Choice::InRows(param) => Count::Again(param),
                Choice::Given(_) => Count::Vms,
            },
            stores: vec![Output {
                value: Input::Call(0),
                to: self.params.len(),
            }],
            then: None,
            calls: vec![Call {
                args: self.by_case.iter().enumerate().map(arg).collect(),
                routine,
            }],
        };
        match &self.folding {
            Some(folding) => folding.of_lanes(kernel, self.by_case.len()),
            None => kernel,
        }
    }
}

/// The linked programs of all routines, in order, each by itself. What was linked before is found again, and the same routine is linked once.
pub(super) fn link_all(
    runtime: &Runtime,
    routines: &[Entry],
    form: &Form,
    settings: &Settings,
) -> Result<Vec<Arc<Program>>> {
    let mut places: BTreeMap<RoutineKey, usize> = BTreeMap::new();
    let mut distinct = Vec::new();
    let mut numbers = Vec::with_capacity(routines.len());
    for entry in routines {
        let Code::Routine(routine) = entry.code() else {
            continue;
        };
        numbers.push(*places.entry(routine.key()).or_insert_with(|| {
            distinct.push(routine);
            distinct.len() - 1
        }));
    }
    let linked = pool::map(&*pool::get(0, None)?, distinct.len(), &|number| {
        runtime.link_kernel_behind(&form.kernel(distinct[number].clone()), settings, &[])
    });
    let programs: Vec<Arc<Program>> = linked.into_iter().collect::<Result<_>>()?;
    Ok(numbers
        .into_iter()
        .map(|number| Arc::clone(&programs[number]))
        .collect())
}

/// The programs of some routines with data that all of them have: addresses of data are in the code, so one that has some is linked again, behind
/// that of the others.
pub(super) fn with_shared_data(
    runtime: &Runtime,
    routines: impl Iterator<Item = (Entry, Arc<Program>)>,
    form: &Form,
    settings: &Settings,
) -> Result<Vec<Arc<Program>>> {
    let mut again: BTreeMap<RoutineKey, Arc<Program>> = BTreeMap::new();
    let mut data: Vec<u32> = Vec::new();
    let mut programs = Vec::new();
    for (entry, mut program) in routines {
        if let (Code::Routine(routine), false) = (entry.code(), program.data.is_empty()) {
            let key = routine.key();
            if let Some(known) = again.get(&key) {
                program = Arc::clone(known);
            } else {
                if !data.is_empty() {
                    program = runtime.link_kernel_behind(&form.kernel(routine), settings, &data)?;
                }
                data.clone_from(&program.data);
                again.insert(key, Arc::clone(&program));
            }
        }
        programs.push(program);
    }
    Ok(programs)
}
