//! The guard against endless recursion, which the native functions have too: in a program with recursion, every routine that
//! calls another counts its depth, so that both sides trap in the same call.

use super::graph::CallGraph;
use super::tables::Tables;
use crate::ir::{End, Function, Inst, NONE};
use crate::isa::Op;
use crate::link::LinkError;
use crate::program::SourceLoc;

/// Puts guards into the functions if any of them is recursive. `roots` are the routines that the program's start calls, `counts` tells
/// which routines call others that are not of the library.
///
/// # Errors
///
/// [`LinkError::TooLarge`] if calls without recursion nest deeper than the limit by themselves.
pub(crate) fn guard(
    functions: &mut [Function],
    graph: &CallGraph,
    roots: &[usize],
    counts: &[bool],
    limit: u32,
    tables: &mut Tables,
    places: &[SourceLoc],
) -> Result<(), LinkError> {
    if !graph.recursive.contains(&true) {
        let depth = |root: usize| graph.deepest(root, |f| counts[f].into(), 1);
        return match roots.iter().find(|&&root| depth(root) > limit.into()) {
            Some(&root) => Err(LinkError::TooLarge {
                routine: functions[root].name.clone(),
                what: "nested calls",
                found: depth(root),
                most: limit.into(),
            }),
            None => Ok(()),
        };
    }
    for (f, function) in functions.iter_mut().enumerate() {
        // A circle through the library alone does not come from Rust, but has to end too.
        if counts[f] || graph.recursive[f] {
            let site = tables.add_overflow(places[f]);
            enter_and_leave(function, site, places[f]);
        }
    }
    Ok(())
}

fn enter_and_leave(function: &mut Function, site: u32, place: SourceLoc) {
    // The function's own activation.
    let place = SourceLoc { routine: 0, ..place };
    function.blocks[0]
        .code
        .insert(0, Inst::new(Op::Enter, NONE, &[], site, place));
    for block in &mut function.blocks {
        if matches!(block.end, End::Return(_)) {
            block.code.push(Inst::new(Op::Leave, NONE, &[], 0, block.place));
        }
    }
}
