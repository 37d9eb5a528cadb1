//! Functions that rustc has compiled over the CPUs of ranks: each calls one for some of the VMs, and they tell each other what those leave.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gpuvm_core::program::{Log, Mode, Questions};
use gpuvm_core::settings::Settings;
use gpuvm_engine::{Ranks, Wire, gathered};

use crate::columns::{Columns, Part};
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::native::{self, Host, Ran, Vms};
use crate::registry::Registration;
use crate::runtime::{Runtime, Spreading};
use crate::trap::Trap;
use crate::vector::write_pieces;
use crate::view::{Seen, View};
use crate::words::WordColumn;

/// What one rank alone is done with sooner is done by each: to tell the others takes about that long.
const WORTH_IT: f64 = 1e-3;

/// The VMs that the function is called for by each rank.
struct Shared<'s> {
    runtime: &'s Runtime,
    ranks: &'s Arc<dyn Ranks>,
    registration: &'static Registration,
    vms: u32,
    recursion_limit: u32,
}

/// What one rank tells the others.
struct Told {
    /// Its VMs that have trapped, ascending.
    trapped: Vec<u32>,
    time: Duration,
}

impl Wire for Told {
    fn put(&self, words: &mut Vec<u32>) {
        self.trapped.put(words);
        self.time.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Told> {
        Some(Told {
            trapped: Wire::take(words)?,
            time: Wire::take(words)?,
        })
    }
}

/// Whether each rank is to have some of the VMs: they share nothing that they write, tell the host nothing on the way, and take long enough as far as is known.
fn is_cut(
    (runtime, entry): (&Runtime, &Entry),
    params: &[Seen<'_>],
    vms: u32,
    settings: &Settings,
    ranks: &dyn Ranks,
) -> Result<bool> {
    let apart = |seen: &Seen<'_>| !matches!(seen.mode, Mode::Atomic | Mode::Whole);
    if (vms as usize) < ranks.count() || !params.iter().all(apart) {
        return Ok(false);
    }
    let program = runtime.link_with(entry, settings)?;
    if Log::of(&program, vms).is_some() || Questions::of(&program).is_some() {
        return Ok(false);
    }
    let alone = runtime.rates_of_ranks().of(entry.id(), ranks.count())[0];
    let is_worth_it = alone.is_none_or(|rate| f64::from(vms) / rate > WORTH_IT);
    Ok(match runtime.spreading() {
        Spreading::Auto => is_worth_it,
        Spreading::Always => true,
        Spreading::Never => false,
    })
}

/// Calls the function for all VMs, on all ranks if that is worth it.
pub(super) fn run(
    (runtime, entry): (&Runtime, &Entry),
    registration: &'static Registration,
    params: Vec<Seen<'_>>,
    vms: u32,
    settings: &Settings,
    host: Host<'_>,
) -> Result<Ran> {
    let recursion_limit = settings.recursion_limit;
    if let Some(ranks) = runtime.ranks()
        && params.iter().any(|seen| seen.mode == Mode::Atomic)
    {
        return as_on_first(&**ranks, params, vms, |params: Vec<Seen<'_>>| {
            native::run(registration, params, Vms::all(vms), recursion_limit, host)
        });
    }
    let ranks = match runtime.ranks() {
        Some(ranks) if is_cut((runtime, entry), &params, vms, settings, &**ranks)? => ranks,
        _ => return native::run(registration, params, Vms::all(vms), recursion_limit, host),
    };
    let shared = Shared {
        runtime,
        ranks,
        registration,
        vms,
        recursion_limit,
    };
    shared.run(Columns::new(params), host)
}

/// Calls the function for all VMs on each rank, and gives all of them what the first one's have left: what atomics give depends on who comes first.
fn as_on_first(
    ranks: &dyn Ranks,
    mut params: Vec<Seen<'_>>,
    vms: u32,
    call: impl FnOnce(Vec<Seen<'_>>) -> Result<Ran>,
) -> Result<Ran> {
    let ran = call(params.iter_mut().map(Seen::reborrow).collect());
    let mut ran = ran.inspect_err(|error| ranks.fail(&error.to_string()))?;
    let element = ran.results.element();
    let mut results = vec![0; vms as usize * element.words as usize];
    write_pieces(&*ran.results, 0..vms as usize, &mut results);
    ranks.broadcast(0, &mut results)?;
    ran.results = Box::new(WordColumn {
        element,
        entries: vms as usize,
        words: results,
    });
    for seen in params.iter_mut().filter(|seen| seen.mode.writes()) {
        let mut words = seen.view.words();
        ranks.broadcast(0, &mut words)?;
        match &mut seen.view {
            View::Write(column) => column.read_words(0..column.len(), &words),
            View::Atomics(atomics) => atomics.set_words(&words),
            View::Read { .. } | View::Device { .. } => {}
        }
    }
    // Whether VMs trap may depend on that as well.
    let told = Trap::vms_of(&ran.first_trap).to_vec();
    match gathered(ranks, &told)?.iter().all(|other| *other == told) {
        true => Ok(ran),
        false => Err(Error::Device {
            reason: "VMs trap on one rank and not on another, as atomics give them other values there: launch it on `Runtime::on_rank`".to_string(),
        }),
    }
}

impl Shared<'_> {
    /// The VMs of each rank, as many as it is fast.
    fn ranges(&self) -> Vec<Range<u32>> {
        let count = self.ranks.count();
        let rates = self.runtime.rates_of_ranks().of(self.registration.id, count);
        let rates: Option<Vec<f64>> = rates.into_iter().collect();
        let rates = rates.unwrap_or_else(|| vec![1.0; count]);
        let all: f64 = rates.iter().sum();
        let (mut start, mut sum) = (0, 0.0);
        let ranges = rates.iter().enumerate().map(|(rank, rate)| {
            sum += rate;
            let end = match rank + 1 == count {
                true => self.vms,
                false => ((f64::from(self.vms) * sum / all) as u32).clamp(start, self.vms),
            };
            let range = start..end;
            start = end;
            range
        });
        ranges.collect()
    }

    fn call(&self, columns: &Columns<'_>, range: &Range<u32>, host: Host<'_>) -> Result<(Ran, Vec<u32>)> {
        let mut parts = columns.parts(range, self.vms);
        let params = parts.iter_mut().map(Part::seen).collect();
        let vms = Vms {
            range: range.clone(),
            count: self.vms,
            threads: None,
        };
        let ran = native::run(self.registration, params, vms, self.recursion_limit, host)?;
        let mut written = Vec::new();
        for own in parts.into_iter().filter_map(Part::into_own) {
            own.append_words(&mut written);
        }
        Ok((ran, written))
    }

    fn run(&self, columns: Columns<'_>, host: Host<'_>) -> Result<Ran> {
        let ranges = self.ranges();
        let own = &ranges[self.ranks.own()];
        let begin = Instant::now();
        let (ran, mut written) = self
            .call(&columns, own, host)
            .inspect_err(|error| self.ranks.fail(&error.to_string()))?;
        let element = ran.results.element();
        let told = Told {
            trapped: Trap::vms_of(&ran.first_trap).to_vec(),
            time: begin.elapsed(),
        };
        let mut words = Vec::new();
        told.put(&mut words);
        words.append(&mut written);
        let results = words.len();
        words.resize(results + own.len() * element.words as usize, 0);
        write_pieces(&*ran.results, 0..own.len(), &mut words[results..]);
        let all = self.ranks.gather(&words)?;
        drop(words);

        let mut results = Vec::with_capacity(self.vms as usize * element.words as usize);
        let mut trapped = Vec::new();
        let mut leave: Vec<(&Range<u32>, &[u32])> = Vec::new();
        for (rank, (range, words)) in ranges.iter().zip(&all).enumerate() {
            let garbled = || Error::Device {
                reason: format!(
                    "rank {rank} tells something else than the results of `{}`: all ranks have to make the same launches in the same order",
                    self.registration.id
                ),
            };
            let mut rest: &[u32] = words;
            let mut told = Told::take(&mut rest).ok_or_else(garbled)?;
            let own = range.len() * element.words as usize;
            let split = rest.len().checked_sub(own).ok_or_else(garbled)?;
            let (written, own) = rest.split_at(split);
            results.extend_from_slice(own);
            leave.push((range, written));
            trapped.append(&mut told.trapped);
            if !range.is_empty() {
                self.runtime
                    .rates_of_ranks()
                    .see(self.registration.id, rank, range.len() as f64, told.time);
            }
        }
        // Where it has trapped is told again here, from the columns as the VM has found them.
        let again = |vm: u32| Ok::<_, Error>(self.call(&columns, &(vm..vm + 1), Host::default())?.0.first_trap);
        let first_trap = trapped.first().copied().map(again).transpose()?.flatten();
        for (range, words) in leave {
            columns.put_words(range, self.vms, words);
        }
        Ok(Ran {
            results: Box::new(WordColumn {
                element,
                entries: self.vms as usize,
                words: results,
            }),
            first_trap: first_trap.map(|trap| trap.among(trapped)),
            texts: Vec::new(),
            dropped_texts: 0,
        })
    }
}

/// Pieces of work that ranks share, of which each does those from its first to before the next one's.
pub(super) fn pieces(ranks: &dyn Ranks, pieces: usize) -> Range<usize> {
    let first = |rank: usize| pieces * rank / ranks.count();
    first(ranks.own())..first(ranks.own() + 1)
}

/// What each rank's pieces have come to, all of them in their order.
pub(super) fn told<T: Wire>(ranks: &dyn Ranks, own: &[T]) -> Result<Vec<T>> {
    let mut words = Vec::new();
    own.iter().for_each(|piece| piece.put(&mut words));
    let mut all = Vec::new();
    for words in ranks.gather(&words)? {
        let mut rest: &[u32] = &words;
        while !rest.is_empty() {
            all.push(T::take(&mut rest).ok_or_else(|| Error::Device {
                reason: "a rank tells something else than what its VMs leave: all ranks have to make the same launches in the same order".to_string(),
            })?);
        }
    }
    Ok(all)
}
