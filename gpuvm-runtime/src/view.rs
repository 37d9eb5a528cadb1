//! Views: for the time of a launch, each parameter's data in one of four forms, with the buffers behind them locked.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, AtomicU32};
use std::sync::{Arc, RwLockReadGuard, RwLockWriteGuard};

use crate::arg::{Argument, Mode};
use crate::bind::Bound;
use crate::buffer::Store;
use crate::vector::{Column, ColumnMut, Vector};

/// The data of one parameter.
pub(crate) enum View<'v> {
    /// Entries to read; one for all VMs if `uniform`.
    Read {
        column: &'v (dyn Column + 'v),
        uniform: bool,
    },
    /// Entries to change.
    Write(&'v mut (dyn ColumnMut + 'v)),
    /// Atomics of the caller's.
    AtomicU32(&'v [AtomicU32]),
    /// Atomics of the caller's.
    AtomicI32(&'v [AtomicI32]),
}

/// A view and how the VMs see it.
pub(crate) struct Seen<'v> {
    pub mode: Mode,
    pub view: View<'v>,
}

/// Locks the buffers among the arguments and gives `launch` a view of every parameter. A parameter that only reads a buffer
/// which another one writes sees a copy from before the launch.
pub(crate) fn with_views<R>(params: &mut [Bound<'_>], launch: impl FnOnce(Vec<Seen<'_>>) -> R) -> R {
    let mut stores = BTreeMap::<usize, (Arc<Store>, bool)>::new();
    for bound in params.iter() {
        if let Argument::Buffer(store) = &bound.argument {
            stores
                .entry(address(store))
                .or_insert_with(|| (Arc::clone(store), false))
                .1 |= bound.mode.writes();
        }
    }
    // Every launch locks in the order of addresses, so two launches never wait for each other in a circle.
    let mut guards: BTreeMap<usize, Guard<'_>> = stores
        .iter()
        .map(|(address, (store, written))| {
            (
                *address,
                if *written {
                    Guard::Write(store.write())
                } else {
                    Guard::Read(store.read())
                },
            )
        })
        .collect();
    let snapshots: Vec<Option<Box<dyn Vector>>> = params
        .iter()
        .map(|bound| match &bound.argument {
            Argument::Buffer(store) if !bound.mode.writes() => match guards.get(&address(store)) {
                Some(Guard::Write(data)) => Some(data.to_vector()),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let mut locked: BTreeMap<usize, Locked<'_>> = guards
        .iter_mut()
        .map(|(address, guard)| {
            let locked = match guard {
                Guard::Read(data) => Locked::Shared(&***data),
                Guard::Write(data) => Locked::Exclusive(Some(&mut ***data)),
            };
            (*address, locked)
        })
        .collect();
    let views = params
        .iter_mut()
        .zip(&snapshots)
        .filter_map(|(bound, snapshot)| {
            let view = match (&mut bound.argument, snapshot) {
                (_, Some(copy)) => View::Read {
                    column: &**copy,
                    uniform: false,
                },
                (Argument::Uniform(value), _) => View::Read {
                    column: &**value,
                    uniform: true,
                },
                (Argument::Read(column), _) => View::Read {
                    column: &**column,
                    uniform: false,
                },
                (Argument::Write(column), _) => match bound.mode.writes() {
                    true => View::Write(&mut **column),
                    false => View::Read {
                        column: &**column,
                        uniform: false,
                    },
                },
                (Argument::AtomicU32(words), _) => View::AtomicU32(words),
                (Argument::AtomicI32(words), _) => View::AtomicI32(words),
                // Binding has refused a buffer that two parameters write, so what is taken here is there.
                (Argument::Buffer(store), _) => match locked.get_mut(&address(store))? {
                    Locked::Shared(data) => View::Read {
                        column: *data,
                        uniform: false,
                    },
                    Locked::Exclusive(data) => View::Write(data.take()?),
                },
            };
            Some(Seen { mode: bound.mode, view })
        })
        .collect();
    launch(views)
}

/// A locked buffer.
enum Guard<'g> {
    Read(RwLockReadGuard<'g, Box<dyn Vector>>),
    Write(RwLockWriteGuard<'g, Box<dyn Vector>>),
}

/// What a locked buffer gives away.
enum Locked<'g> {
    Shared(&'g dyn Vector),
    Exclusive(Option<&'g mut dyn Vector>),
}

/// What tells buffers apart.
fn address(store: &Arc<Store>) -> usize {
    Arc::as_ptr(store).addr()
}
