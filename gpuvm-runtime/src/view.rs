//! Holding the arguments of a launch: the buffers among them are leased, and brought to where the engine needs them; then each
//! parameter's data has one of five forms.

use std::sync::Arc;

use gpuvm_core::program::Mode;
use gpuvm_core::types::Type;
use gpuvm_engine::{DeviceMemory, Region};

use crate::arg::Argument;
use crate::atomics::Atomics;
use crate::bind::Bound;
use crate::error::{Error, Result};
use crate::store::Lease;
use crate::vector::{Column, ColumnMut, Vector, write_pieces};

#[cfg(test)]
mod tests;

/// The data of one parameter.
pub(crate) enum View<'v> {
    /// Entries to read; one for all VMs if `uniform`.
    Read {
        column: &'v (dyn Column + 'v),
        uniform: bool,
    },
    /// Entries to change.
    Write(&'v mut (dyn ColumnMut + 'v)),
    /// Atomics, of the caller's or the launch's own.
    Atomics(Atomics<'v>),
    /// Entries in the engine's memory.
    Device {
        region: &'v Region,
        element: &'static Type,
        len: usize,
    },
}

impl View<'_> {
    /// Its words; zeros in place of those in the engine's memory.
    pub(crate) fn words(&self) -> Vec<u32> {
        let all = |column: &dyn Column| {
            let mut words = vec![0; column.len() * column.element().words as usize];
            write_pieces(column, 0..column.len(), &mut words);
            words
        };
        match self {
            View::Read { column, .. } => all(*column),
            View::Write(column) => all(&**column),
            View::Atomics(atomics) => atomics.words(),
            View::Device { element, len, .. } => vec![0; len * element.words as usize],
        }
    }
}

/// A view and how the VMs see it.
pub(crate) struct Seen<'v> {
    pub mode: Mode,
    pub view: View<'v>,
    /// The parameter of whose data this one is a copy, made anew before each step.
    pub copy_of: Option<usize>,
}

impl Seen<'_> {
    /// The same for a shorter time.
    pub(crate) fn reborrow(&mut self) -> Seen<'_> {
        Seen {
            mode: self.mode,
            view: match &mut self.view {
                View::Read { column, uniform } => View::Read {
                    column: *column,
                    uniform: *uniform,
                },
                View::Write(column) => View::Write(&mut **column),
                View::Atomics(atomics) => View::Atomics(*atomics),
                View::Device { region, element, len } => View::Device {
                    region,
                    element,
                    len: *len,
                },
            },
            copy_of: self.copy_of,
        }
    }

    /// Whether so many VMs see all of its entries, `len` in number. One entry for several VMs is a value for all of them.
    pub(crate) fn shared(&self, len: usize, vms: u32) -> bool {
        match self.mode {
            Mode::Slice | Mode::Whole => true,
            Mode::Value => len == 1 && vms > 1,
            Mode::Record | Mode::Chunk | Mode::Atomic => false,
        }
    }
}

/// The arguments of a launch for as long as it runs.
pub(crate) struct Held<'a> {
    pub params: Vec<Bound<'a>>,
    /// One for each buffer among the arguments.
    leases: Vec<Lease>,
    /// One a parameter: where its data is.
    pub sources: Vec<Source>,
    /// The engine's memory, if buffers are in it.
    memory: Option<Arc<dyn DeviceMemory>>,
}

/// Where a parameter's data is.
pub(crate) enum Source {
    /// In the argument itself.
    Argument,
    /// In a leased buffer on the host.
    Host { lease: usize },
    /// In the engine's memory.
    Device { region: Region, len: usize },
    /// In a copy of what another parameter has, made anew before each step.
    Copy { data: Box<dyn Vector>, of: usize },
    /// In such a copy in the engine's memory.
    DeviceCopy { region: Region, len: usize, of: usize },
}

impl<'a> Held<'a> {
    /// Leases the buffers. They go to `memory` where there is one and it has room.
    ///
    /// A parameter that only reads a buffer which another one writes gets a copy.
    ///
    /// # Errors
    ///
    /// When a device fails, or [`Error::BufferInUse`].
    pub(crate) fn new(
        params: Vec<Bound<'a>>,
        memory: Option<&Arc<dyn DeviceMemory>>,
        execution: bool,
    ) -> Result<Held<'a>> {
        let mut held = Held {
            leases: leases(&params, execution)?,
            sources: Vec::with_capacity(params.len()),
            params,
            memory: memory.cloned(),
        };
        let mut regions = Vec::with_capacity(held.leases.len());
        for lease in &mut held.leases {
            let region = match memory {
                Some(memory) => lease.use_on_device(memory)?,
                None => None,
            };
            if region.is_none() {
                lease.use_on_host()?;
            }
            regions.push(region);
        }
        for (index, bound) in held.params.iter().enumerate() {
            let source = match &bound.argument {
                Argument::Buffer(store) => {
                    let lease = held
                        .leases
                        .iter()
                        .position(|lease| lease.is_on(store))
                        .unwrap_or_default();
                    let writer = held.leases[lease].writes() && !bound.mode.writes();
                    let of = writer.then(|| writer_of(&held.params, store)).flatten();
                    match (&regions[lease], of) {
                        (Some(region), Some(of)) => held.device_copy(lease, region, store.len, of)?,
                        (Some(region), None) => Source::Device {
                            region: region.clone(),
                            len: store.len,
                        },
                        (None, Some(of)) => Source::Copy {
                            data: held.leases[lease].host().ok_or_else(|| lost(index))?.to_vector(),
                            of,
                        },
                        (None, None) => Source::Host { lease },
                    }
                }
                _ => Source::Argument,
            };
            held.sources.push(source);
        }
        Ok(held)
    }

    /// A copy of what is in the engine's memory: there too, or on the host if there is no more room.
    fn device_copy(&self, lease: usize, region: &Region, len: usize, of: usize) -> Result<Source> {
        let allocated = match &self.memory {
            Some(memory) => memory.allocate(region.words.into()).map_err(Error::from),
            None => Err(lost(of)),
        };
        match allocated {
            Ok(region) => Ok(Source::DeviceCopy { region, len, of }),
            Err(Error::OutOfMemory { .. }) => Ok(Source::Copy {
                data: self.leases[lease].blank(),
                of,
            }),
            Err(error) => Err(error),
        }
    }

    /// The arguments of a launch of which some are copies of others, without any buffers.
    pub(crate) fn restored(params: Vec<Bound<'a>>, copies: Vec<Option<(usize, Box<dyn Vector>)>>) -> Held<'a> {
        let source = |copy| match copy {
            Some((of, data)) => Source::Copy { data, of },
            None => Source::Argument,
        };
        Held {
            params,
            leases: Vec::new(),
            sources: copies.into_iter().map(source).collect(),
            memory: None,
        }
    }

    /// Makes the copies on the host anew, before a step. Those in the engine's memory are the job's affair.
    ///
    /// # Errors
    ///
    /// When the device fails to give what is copied.
    pub(crate) fn refresh(&mut self) -> Result<()> {
        for index in 0..self.sources.len() {
            let Source::Copy { of, .. } = self.sources[index] else {
                continue;
            };
            let mut copy = std::mem::replace(&mut self.sources[index], Source::Argument);
            let from: Option<&dyn Vector> = match (&self.sources[of], &self.params[of].argument) {
                (Source::Host { lease }, _) => self.leases[*lease].host(),
                (_, Argument::Write(column)) => column.as_vector(),
                _ => None,
            };
            if let Source::Copy { data, .. } = &mut copy {
                match (from, &self.sources[of], &self.memory) {
                    (Some(from), ..) => data.copy_from(from),
                    (None, Source::Device { region, len }, Some(memory)) => {
                        data.read_words(0..*len, &memory.read(region)?);
                    }
                    _ => {}
                }
            }
            self.sources[index] = copy;
        }
        Ok(())
    }

    /// A view of every parameter.
    pub(crate) fn views(&mut self) -> Vec<Seen<'_>> {
        let mut hosts: Vec<Host<'_>> = self
            .leases
            .iter_mut()
            .map(|lease| match lease.writes() {
                true => Host::Exclusive(lease.host_mut()),
                false => Host::Shared(lease.host()),
            })
            .collect();
        let params = self.params.iter_mut().zip(&self.sources);
        params
            .filter_map(|(bound, source)| {
                let mode = bound.mode;
                let (view, copy_of) = match source {
                    Source::Argument => (view_of(bound)?, None),
                    Source::Copy { data, of } => (read(&**data), Some(*of)),
                    Source::Device { region, len } => (device(bound, region, *len), None),
                    Source::DeviceCopy { region, len, of } => (device(bound, region, *len), Some(*of)),
                    // Binding has refused a buffer that two parameters write, so what is taken here is there.
                    Source::Host { lease } => match &mut hosts[*lease] {
                        Host::Shared(data) => (read((*data)?), None),
                        Host::Exclusive(data) => (View::Write(data.take()?), None),
                    },
                };
                Some(Seen { mode, view, copy_of })
            })
            .collect()
    }
}

/// A leased buffer on the host.
enum Host<'v> {
    Shared(Option<&'v dyn Vector>),
    Exclusive(Option<&'v mut dyn Vector>),
}

fn read<'v>(column: &'v dyn Vector) -> View<'v> {
    View::Read { column, uniform: false }
}

fn device<'v>(bound: &Bound<'_>, region: &'v Region, len: usize) -> View<'v> {
    View::Device {
        region,
        element: bound.argument.element(),
        len,
    }
}

/// A view of an argument that is no buffer.
pub(crate) fn view_of<'v>(bound: &'v mut Bound<'_>) -> Option<View<'v>> {
    Some(match &mut bound.argument {
        Argument::Uniform(value) => View::Read {
            column: &**value,
            uniform: true,
        },
        Argument::Read(column) => View::Read {
            column: &**column,
            uniform: false,
        },
        Argument::Write(column) => match bound.mode.writes() {
            true => View::Write(&mut **column),
            false => View::Read {
                column: &**column,
                uniform: false,
            },
        },
        Argument::Atomics(atomics) => View::Atomics(*atomics),
        Argument::OwnAtomics(own) => View::Atomics(own.view()),
        Argument::Buffer(_) | Argument::Node(_) => return None,
    })
}

/// A lease on each buffer among the arguments. Every launch takes them in the order of addresses, so two launches never wait for
/// each other in a circle.
fn leases(params: &[Bound<'_>], execution: bool) -> Result<Vec<Lease>> {
    let mut stores = Vec::new();
    for bound in params {
        if let Argument::Buffer(store) = &bound.argument {
            stores.push((Arc::as_ptr(store).addr(), store, bound.mode.writes()));
        }
    }
    // Of one store the use that writes comes last, and is the one that stays.
    stores.sort_by_key(|(address, _, writes)| (*address, *writes));
    let uses = stores.chunk_by(|a, b| a.0 == b.0);
    uses.filter_map(<[_]>::last)
        .map(|(_, store, writes)| Lease::take(store, *writes, execution))
        .collect()
}

/// The parameter that writes the buffer.
fn writer_of(params: &[Bound<'_>], store: &Arc<crate::store::Store>) -> Option<usize> {
    params.iter().position(|bound| match &bound.argument {
        Argument::Buffer(other) => Arc::ptr_eq(other, store) && bound.mode.writes(),
        _ => false,
    })
}

/// A buffer that is neither here nor there, which no path leads to.
fn lost(index: usize) -> Error {
    Error::Device {
        reason: format!("the buffer of argument {index} is gone"),
    }
}
