//! A step whose VMs are handed out to ranks: each takes some whenever it is free, spreads them over its own devices, and tells the others at the end what they have left.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use gpuvm_engine::{Device, Engine, Ranks, Tally, Wire};

use super::{Ran, Spread};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::stats::Share;
use crate::tally::continued;
use crate::trap::Trap;
use crate::view::Seen;

/// What a rank tells the others of VMs that it has run.
struct Told {
    first: u32,
    vms: u32,
    /// Those that have trapped, ascending, as far as that is known.
    trapped: Vec<u32>,
    tally: Tally,
    /// Their results, and what they have written.
    results: Vec<u32>,
    written: Vec<u32>,
}

/// What a rank tells the others of itself.
struct Of {
    device: String,
    busy: Duration,
}

impl Wire for Told {
    fn put(&self, words: &mut Vec<u32>) {
        [self.first, self.vms].put(words);
        self.trapped.put(words);
        self.tally.put(words);
        self.results.put(words);
        self.written.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Told> {
        let [first, vms] = Wire::take(words)?;
        Some(Told {
            first,
            vms,
            trapped: Wire::take(words)?,
            tally: Wire::take(words)?,
            results: Wire::take(words)?,
            written: Wire::take(words)?,
        })
    }
}

impl Wire for Of {
    fn put(&self, words: &mut Vec<u32>) {
        self.device.put(words);
        self.busy.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Of> {
        Some(Of {
            device: Wire::take(words)?,
            busy: Wire::take(words)?,
        })
    }
}

impl Spread<'_> {
    /// Runs a step of VMs that share nothing that they write, with those of the other ranks. `watch` gets the tally of what this one has done now and then.
    ///
    /// # Errors
    ///
    /// As [`run`](Spread::run), and when another rank cannot be reached.
    pub(crate) fn run_with(
        &self,
        ranks: &Arc<dyn Ranks>,
        params: Vec<Seen<'_>>,
        watch: &mut (dyn FnMut(&Tally) + Send),
    ) -> Result<Ran> {
        let columns = Columns::new(params);
        let launch = self.runtime.next_handed_out();
        let mut own: Vec<(Range<u32>, Ran)> = Vec::new();
        let mut tally = Tally::default();
        loop {
            let range = ranks.take(launch, self.vms)?;
            if range.is_empty() {
                break;
            }
            let mut watch = |now: &Tally| watch(&continued(&tally, now));
            let ran = self.range(&columns, range.clone(), None, &mut watch);
            let ran = ran.inspect_err(|error| ranks.fail(&error.to_string()))?;
            tally = continued(&tally, &ran.tally);
            own.push((range, ran));
        }
        self.exchange(&**ranks, &columns, own)
    }

    /// Tells the others what this rank's VMs have left, and takes in what theirs have.
    fn exchange(&self, ranks: &dyn Ranks, columns: &Columns<'_>, own: Vec<(Range<u32>, Ran)>) -> Result<Ran> {
        let mut words = Vec::new();
        let device: Vec<&str> = self.members.iter().map(|member| &*member.device.name).collect();
        let busy = own
            .iter()
            .flat_map(|(_, ran)| &ran.shares)
            .map(|share| share.busy)
            .sum();
        Of {
            device: device.join(" + "),
            busy,
        }
        .put(&mut words);
        for (range, ran) in &own {
            let told = Told {
                first: range.start,
                vms: range.len() as u32,
                trapped: Trap::vms_of(&ran.trap).to_vec(),
                tally: ran.tally.clone(),
                results: ran.results.iter().flat_map(|words| words.iter().copied()).collect(),
                written: columns.written(range, self.vms),
            };
            told.put(&mut words);
        }
        let mut all = Vec::new();
        for (rank, words) in ranks.gather(&words)?.iter().enumerate() {
            let garbled = || Error::Device {
                reason: format!(
                    "rank {rank} tells something else than what VMs of `{}` leave: all ranks have to make the same launches in the same order",
                    self.entry.id()
                ),
            };
            let mut rest: &[u32] = words;
            let of = Of::take(&mut rest).ok_or_else(garbled)?;
            let mut parts = Vec::new();
            while !rest.is_empty() {
                parts.push(Told::take(&mut rest).ok_or_else(garbled)?);
            }
            all.push((of, parts));
        }
        // Where it has trapped, others run once more, from the columns as the VM has found them.
        let parts = all.iter().flat_map(|(_, parts)| parts);
        let mut trapped: Vec<u32> = parts.flat_map(|part| &part.trapped).copied().collect();
        trapped.sort_unstable();
        let trap = match trapped.first().copied() {
            None => None,
            Some(vm) => match own.into_iter().find(|(range, _)| range.contains(&vm)) {
                Some((_, ran)) => ran.trap,
                None => self.range(columns, vm..vm + 1, None, &mut |_| {})?.trap,
            },
        };
        let trap = trap.map(|trap| trap.among(trapped));
        let shares = all
            .iter()
            .enumerate()
            .map(|(rank, (of, parts))| self.share(rank, of, parts))
            .collect();
        let mut parts: Vec<(usize, Told)> = Vec::new();
        for (rank, (_, told)) in all.into_iter().enumerate() {
            parts.extend(told.into_iter().map(|part| (rank, part)));
        }
        for (rank, part) in &parts {
            if *rank != ranks.own() {
                columns.put_words(&(part.first..part.first + part.vms), self.vms, &part.written);
            }
        }
        parts.sort_by_key(|(_, part)| part.first);
        let tally = parts
            .iter()
            .fold(Tally::default(), |all, (_, part)| continued(&all, &part.tally));
        Ok(Ran {
            shares,
            trap,
            longest: parts.iter().filter_map(|(_, part)| part.tally.device_time).max(),
            tally,
            results: parts.into_iter().map(|(_, part)| part.results.into()).collect(),
        })
    }

    /// What a rank has done.
    fn share(&self, rank: usize, of: &Of, parts: &[Told]) -> Share {
        let tally = parts
            .iter()
            .fold(Tally::default(), |all, part| continued(&all, &part.tally));
        Share {
            device: Device {
                name: format!("rank {rank}, {}", of.device),
                ..self.runtime.device().clone()
            },
            engine: match tally.engine {
                Engine::Auto => Engine::Native,
                engine => engine,
            },
            vms: parts.iter().map(|part| u64::from(part.vms)).sum(),
            batches: parts.len() as u64,
            device_time: tally.device_time,
            busy: of.busy,
            lost: None,
        }
    }
}
