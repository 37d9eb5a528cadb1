//! Link time on one screen: a kernel and all the routines it calls → verified → IR → passes → allocated → [`Program`].

use crate::allocate::allocate;
use crate::ir::Function;
use crate::isa::Instruction;
use crate::kernel::{Kernel, Numbered, pass_identity, start};
use crate::library::Library;
use crate::link::LinkError;
use crate::link::collect::{Routines, collect};
use crate::link::data::Data;
use crate::link::emit::{Encoded, Ready, emit};
use crate::link::graph::CallGraph;
use crate::link::guard::guard;
use crate::link::lift::lift;
use crate::link::tables::Tables;
use crate::link::verify::{calls_routines, verify};
use crate::pass::{blocks, fuse, inline, keep, optimise, raise, reload};
use crate::program::{Program, SourceLoc};
use crate::routine::{Routine, RoutineRef};
use crate::settings::Settings;

/// Links a routine and all it calls into a program.
///
/// # Errors
///
/// [`LinkError::Invalid`] if a routine's data does not hold together, [`LinkError::TooLarge`] if the program would
/// not fit the machine, [`LinkError::Refused`] if a routine does not.
pub fn link(entry: impl Into<RoutineRef>, library: Library, settings: &Settings) -> Result<Program, LinkError> {
    link_kernel(&Kernel::of(entry), library, settings)
}

/// Links a kernel and all the routines it calls into a program.
///
/// # Errors
///
/// [`LinkError::Kernel`] if its parts do not fit together, and as [`link`].
pub fn link_kernel(kernel: &Kernel, library: Library, settings: &Settings) -> Result<Program, LinkError> {
    link_kernel_behind(kernel, library, settings, Vec::new())
}

/// The same with these words before the program's own data, so that several programs may have one.
///
/// # Errors
///
/// As [`link_kernel`].
pub fn link_kernel_behind(
    kernel: &Kernel,
    library: Library,
    settings: &Settings,
    data: Vec<u32>,
) -> Result<Program, LinkError> {
    kernel.check()?;
    let roots: Vec<RoutineRef> = kernel.routines().cloned().collect();
    let routines = collect(&roots, library, kernel.is_relaxed())?;
    kernel.check_halts(&routines)?;
    let mut data = Data::behind(data);
    let codes = verify_all(&routines, &mut data)?;
    let mut tables = Tables::default();
    let with_log = routines.print().then(|| kernel.with_hidden());
    let kernel = with_log.as_ref().unwrap_or(kernel);
    tables.log_param = kernel.params.len().saturating_sub(1) as u32;
    let with_questions = routines.ask().then(|| kernel.with_hidden());
    let kernel = with_questions.as_ref().unwrap_or(kernel);
    tables.questions_param = kernel.params.len().saturating_sub(1) as u32;
    let (mut functions, places) = lift_all(&routines, &codes, &mut tables);
    let graph = CallGraph::of(functions.iter());
    let counts: Vec<bool> = routines.all.iter().map(|routine| calls_routines(routine)).collect();
    guard(
        &mut functions,
        &graph,
        &routines.roots,
        &counts,
        settings.recursion_limit,
        &mut tables,
        &places,
    )?;
    let asking = if kernel.has_indices() {
        pass_identity(&mut functions, &graph)
    } else {
        vec![false; functions.len()]
    };
    let place = match routines.roots.first().map(|&root| places[root]) {
        Some(place) if kernel.is_single() => place,
        first => tables.add_kernel(&kernel.name, first),
    };
    let numbered = Numbered {
        functions: &routines.roots,
        asking: &asking,
        place,
    };
    functions.push(start(kernel, &numbered));
    let start = functions.len() - 1;
    let inlining = Inlining::of(&functions, &routines.roots, &graph.recursive, settings);
    for f in graph.order.iter().copied().chain([start]) {
        improve(&mut functions, f, &inlining, &data.words, settings);
    }
    let used = CallGraph::of(functions.iter()).reachable(start);
    let ready: Vec<Ready> = functions
        .into_iter()
        .zip(used)
        .map(|(function, used)| {
            if used {
                finish(function, settings)
            } else {
                Ready::default()
            }
        })
        .collect();
    let encoded = Encoded {
        routines: routines.all.len() as u32,
        instructions: codes.iter().map(Vec::len).sum::<usize>() as u32,
    };
    emit(kernel, &ready, start, tables, data.words, settings, encoded)
}

/// Every routine's verified code, named constants filled in.
fn verify_all(routines: &Routines, data: &mut Data) -> Result<Vec<Vec<Instruction>>, LinkError> {
    let each = routines.all.iter().zip(&routines.callees);
    each.map(|(routine, callees)| {
        let callees: Vec<&Routine> = callees.iter().map(|callee| &*callee.routine).collect();
        verify(routine, &callees, data)
    })
    .collect()
}

/// Every routine in the compiler's form, and where each starts.
fn lift_all(routines: &Routines, codes: &[Vec<Instruction>], tables: &mut Tables) -> (Vec<Function>, Vec<SourceLoc>) {
    let mut places = Vec::new();
    let mut functions = Vec::new();
    for (i, routine) in routines.all.iter().enumerate() {
        let numbers = tables.add(routine);
        places.push(numbers.place);
        functions.push(lift(routine, &codes[i], &routines.callees[i], numbers));
    }
    (functions, places)
}

/// Which calls become the code of what they call.
struct Inlining<'g> {
    /// Which functions are called in one place only.
    once: Vec<bool>,
    /// Which functions are called in one place only, by the start, and become a part of that.
    parts: Vec<bool>,
    recursive: &'g [bool],
}

impl<'g> Inlining<'g> {
    fn of(functions: &[Function], roots: &[usize], recursive: &'g [bool], settings: &Settings) -> Inlining<'g> {
        let once = inline::called_once(functions);
        let mut parts = vec![false; functions.len()];
        for &root in roots {
            parts[root] = settings.inline.is_some() && once[root] && !recursive[root];
        }
        Inlining { once, parts, recursive }
    }
}

/// Inlines into a function what it calls, and optimises it. What it calls has been improved before, but for parts of the
/// start, which are optimised with it.
fn improve(functions: &mut [Function], f: usize, inlining: &Inlining, data: &[u32], settings: &Settings) {
    if let Some(limit) = settings.inline {
        let mut caller = std::mem::take(&mut functions[f]);
        inline::inline(&mut caller, functions, limit as usize, &inlining.once, |callee| {
            !inlining.recursive[callee]
        });
        functions[f] = caller;
    }
    if !inlining.parts[f] {
        optimise(&mut functions[f], data, settings);
    }
}

/// From any number of words to the machine's 28, and from runs of linear instructions to matrices.
fn finish(mut function: Function, settings: &Settings) -> Ready {
    let mut maps = fuse::Maps::new();
    if !settings.optimises() {
        keep::keep_variables(&mut function);
    }
    allocate(&mut function);
    if settings.dead_code {
        reload::reuse(&mut function);
        blocks::simplify(&mut function);
    }
    if settings.raise {
        raise::raise(&mut function, &mut maps);
    }
    if settings.fuse {
        fuse::fuse(&mut function, &mut maps);
    }
    Ready { function, maps }
}
