//! The optimising passes over one function, and the order they run in. No pass changes what a program computes, stores or
//! traps on, so each can be switched off by itself.

pub(crate) mod ahead;
pub(crate) mod blocks;
pub(crate) mod common;
pub(crate) mod copies;
pub(crate) mod dead_code;
pub(crate) mod duplicate;
pub(crate) mod flatten;
pub(crate) mod fold;
pub(crate) mod forward;
pub(crate) mod fuse;
pub(crate) mod hoist;
pub(crate) mod in_place;
pub(crate) mod inline;
pub(crate) mod jump_threading;
pub(crate) mod keep;
mod lost;
pub(crate) mod promote;
pub(crate) mod raise;
pub(crate) mod reload;
pub(crate) mod rotate;
pub(crate) mod sink;
pub(crate) mod webs;

use crate::ir::Function;
use crate::settings::Settings;

/// Rounds after which a function is as good as it gets: each enables only a little for the next.
const ROUNDS: usize = 6;
/// Instructions of a function from which on a round has to be worth its time: it takes away one in so many at least, or is the last.
const MANY: usize = 1024;
const WORTH: usize = 256;

/// Improves a function until nothing changes or the rounds are over. `data` is the program's.
pub(crate) fn optimise(function: &mut Function, data: &[u32], settings: &Settings) {
    let mut room = jump_threading::room(function);
    for _ in 0..ROUNDS {
        let before = function.size();
        if !round(function, data, settings, &mut room) {
            break;
        }
        if before > MANY && function.size() > before - before / WORTH {
            break;
        }
    }
    if settings.raise && flatten::flatten(function) {
        round(function, data, settings, &mut room);
    }
    if settings.loops {
        // Invariants leave first, so that turning a loop need not repeat them.
        let hoisted = hoist::hoist(function);
        if rotate::rotate(function) | hoisted && round(function, data, settings, &mut room) {
            round(function, data, settings, &mut room);
        }
    }
}

fn round(function: &mut Function, data: &[u32], settings: &Settings, room: &mut usize) -> bool {
    let mut changed = false;
    if settings.copies {
        changed |= webs::split(function);
    }
    if settings.fold {
        changed |= fold::fold(function, data);
    }
    if settings.copies {
        changed |= copies::propagate(function);
        if common::reuse(function) {
            changed = true;
            copies::propagate(function);
        }
        if forward::forward(function) {
            changed = true;
            copies::propagate(function);
        }
        changed |= sink::sink(function);
        changed |= in_place::compute_in_place(function);
        changed |= ahead::read_ahead(function);
    }
    if settings.promote {
        changed |= promote::promote(function);
    }
    if settings.threading {
        changed |= jump_threading::thread(function, room);
    }
    if settings.dead_code {
        changed |= blocks::simplify(function);
        changed |= dead_code::remove(function);
    }
    changed
}
