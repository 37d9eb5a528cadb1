//! What a profile's sample begins with: copies of what its VMs see, made before the launch writes anything.

use std::borrow::Cow;
use std::sync::Arc;

use gpuvm_core::program::{Log, Mode, Program, Questions};
use gpuvm_core::settings::Settings;
use gpuvm_engine::{DeviceMemory, Source};

use super::Bounded;
use crate::bind::Bound;
use crate::entry::Entry;
use crate::error::Error;
use crate::leg::memory_at_entry;
use crate::logs::{self, LogLimit};
use crate::marshal::Layout;
use crate::profile::{LANES, MOST, ProfileSample, Profiling, Sampled, WORDS, WarpData, chosen};
use crate::questions;
use crate::view::{Seen, View, view_of};
use crate::words::WordColumn;

/// Words that a sample's VMs may have for their frames. Memory is taken only of those that they touch.
const FRAME_WORDS: u64 = 1 << 29;

impl Bounded<'_> {
    /// Begins a profile of VMs whose native function is about to run: of the program that it would be.
    pub(super) fn profiled_natively(&self, params: Vec<Seen<'_>>, settings: &Settings) -> Profiling {
        match self.runtime.link_with(&self.entry, settings) {
            Ok(program) => {
                let subject = Subject {
                    program: &program,
                    name: &named_by(&self.entry),
                    vms: self.vms,
                    steps: self.options.steps,
                    words: WORDS,
                };
                Profiling::start(subject.sampled_natively(params, self.options.log))
            }
            Err(error) => Profiling::start(unsampled(&error)),
        }
    }
}

/// What the parameters of an entry are called.
pub(crate) fn named_by(entry: &Entry) -> impl Fn(usize) -> Option<String> + '_ {
    |index| Some(entry.name(index).to_string())
}

/// Of what there is no sample.
pub(crate) fn unsampled(error: &Error) -> Sampled {
    Sampled {
        sample: Err(error.to_string()),
        notes: Vec::new(),
    }
}

/// What is profiled.
pub(crate) struct Subject<'s> {
    pub program: &'s Arc<Program>,
    /// What parameters are called, those of the caller's.
    pub name: &'s dyn Fn(usize) -> Option<String>,
    pub vms: u32,
    pub steps: u32,
    /// Words that the sample may have copies of.
    pub words: u64,
}

impl Subject<'_> {
    /// The sample of VMs that see this. Buffers in the engine's memory are read.
    pub(crate) fn sampled(&self, params: Vec<Seen<'_>>, memory: Option<&Arc<dyn DeviceMemory>>) -> Sampled {
        Sampled {
            notes: self.notes(&params),
            sample: self.sample(params, memory),
        }
    }

    /// The same of an entry whose native function runs, which has no parameters for what the program prints and asks.
    pub(crate) fn sampled_natively(&self, mut params: Vec<Seen<'_>>, log: LogLimit) -> Sampled {
        let asked = questions::argument(self.program, self.vms, gpuvm_engine::Engine::Reference);
        let mut printed = logs::argument(self.program, self.vms, log);
        match asked {
            Ok(mut asked) => {
                let mut params: Vec<Seen<'_>> = params.iter_mut().map(Seen::reborrow).collect();
                params.extend(printed.iter_mut().chain(&mut asked).filter_map(seen));
                self.sampled(params, None)
            }
            Err(error) => unsampled(&error),
        }
    }

    /// What there is to know of the numbers.
    fn notes(&self, params: &[Seen<'_>]) -> Vec<String> {
        let asks = Questions::of(self.program).is_some();
        let prints = Log::of(self.program, self.vms).is_some();
        // Behind the routine's own.
        let own = params.len().saturating_sub(usize::from(asks) + usize::from(prints));
        let modes = params.iter().map(|param| param.mode).enumerate();
        let shares = |mode| matches!(mode, Mode::Atomic | Mode::Whole);
        let shared = modes.filter(|(index, mode)| *index < own && shares(*mode));
        let mut shared: Vec<Cow<'_, str>> = shared
            .filter_map(|(index, _)| Some(format!("`{}`", (self.name)(index)?).into()))
            .collect();
        if prints {
            shared.push("the log of what they print".into());
        }
        let mut notes = Vec::new();
        if self.vms > 1 && !shared.is_empty() {
            notes.push(format!(
                "VMs share {}: counts are those of each VM alone",
                shared.join(" and ")
            ));
        }
        if self.steps > 1 {
            notes.push(format!("counts are those of the first of {} steps", self.steps));
        }
        if asks {
            notes.push("VMs ask the host: counts end with each VM's first question".to_string());
        }
        notes
    }

    /// The sample, with copies of what its VMs see.
    fn sample(
        &self,
        mut params: Vec<Seen<'_>>,
        memory: Option<&Arc<dyn DeviceMemory>>,
    ) -> Result<ProfileSample, String> {
        let program = self.program;
        let mut fetched = fetched(&params, memory, self.words)?;
        let params: Vec<Seen<'_>> = params
            .iter_mut()
            .zip(&mut fetched)
            .map(|(param, fetched)| on_host(param.reborrow(), fetched))
            .collect();
        let layout = Layout::new(&params, program.result_words(), self.vms, false);
        let demand = layout.demand();
        let lanes = LANES.min(self.vms);
        let of_warp = u64::from(lanes) * demand.words_per_vm;
        let shared_words = demand.shared_words + demand.atomic_words;
        let frames = (u64::from(lanes) * u64::from(program.frame_memory())).max(1);
        let by_data = self
            .words
            .checked_sub(shared_words)
            .map_or(0, |rest| rest / of_warp.max(1));
        let most = by_data.min(FRAME_WORDS / frames).min(u64::from(LANES)) as u32;
        if most == 0 {
            return Err(format!(
                "a warp sees {} words of data, and no more than {} are copied for a sample",
                shared_words + of_warp,
                self.words
            ));
        }
        let shared = demand.shared_words as usize;
        let mut sample = ProfileSample {
            program: Arc::clone(program),
            vms: self.vms,
            shared: Vec::new(),
            atomics: layout.atomics(),
            warps: Vec::new(),
            most: MOST,
        };
        for warp in chosen(self.vms, most) {
            let range = warp * LANES..self.vms.min((warp + 1).saturating_mul(LANES));
            let (slots, content) = memory_at_entry((program, self.vms), &layout, &params, range.clone());
            let words = shared + demand.words_per_vm as usize * range.len();
            let copied = |words: std::ops::Range<usize>| {
                let mut copy = vec![0; words.len()];
                content.write(words, &mut copy);
                copy
            };
            if sample.warps.is_empty() {
                sample.shared = copied(0..shared);
            }
            // Columns of the launch's own memory, and behind them the results.
            let in_arena = |index: usize| params.get(index).is_none_or(|param| param.mode != Mode::Atomic);
            let columns = slots.iter().enumerate().filter(|(index, _)| in_arena(*index));
            let mut columns: Vec<(u32, u32)> = columns
                .map(|(_, slot)| {
                    let within = range.start.wrapping_mul(slot.stride);
                    (slot.base.wrapping_add(within), within)
                })
                .collect();
            columns.sort_by_key(|(start, _)| *start);
            sample.warps.push(WarpData {
                range,
                own: copied(shared..words),
                slots,
                columns,
            });
        }
        Ok(sample)
    }
}

/// Copies of what is in the engine's memory, one a parameter, if that is no more than so many words.
fn fetched(
    params: &[Seen<'_>],
    memory: Option<&Arc<dyn DeviceMemory>>,
    most: u64,
) -> Result<Vec<Option<WordColumn>>, String> {
    let words: u64 = params.iter().map(|param| region_words(&param.view)).sum();
    if words > most {
        return Err(format!(
            "its buffers have {words} words, and no more than {most} are brought to the host for a sample"
        ));
    }
    let mut all = Vec::with_capacity(params.len());
    for param in params {
        // What is a copy of another one is made by the first job, later.
        let from = param.copy_of.and_then(|of| params.get(of)).unwrap_or(param);
        let column = match (&param.view, &from.view, memory) {
            (View::Device { element, len, .. }, View::Device { region, .. }, Some(memory)) => Some(WordColumn {
                element,
                entries: *len,
                words: memory.read(region).map_err(|error| error.to_string())?.into_vec(),
            }),
            (View::Device { .. }, ..) => return Err("a buffer is in memory that the host does not see".to_string()),
            _ => None,
        };
        all.push(column);
    }
    Ok(all)
}

fn region_words(view: &View<'_>) -> u64 {
    match view {
        View::Device { region, .. } => region.words.into(),
        _ => 0,
    }
}

/// A parameter on the host, given a copy of what it has elsewhere.
fn on_host<'v>(param: Seen<'v>, fetched: &'v mut Option<WordColumn>) -> Seen<'v> {
    let view = match (fetched, param.mode) {
        (None, _) => param.view,
        (Some(column), Mode::Value | Mode::Slice) => View::Read { column, uniform: false },
        (Some(column), _) => View::Write(column),
    };
    Seen { view, ..param }
}

fn seen<'v>(bound: &'v mut Bound<'static>) -> Option<Seen<'v>> {
    let mode = bound.mode;
    view_of(bound).map(|view| Seen {
        mode,
        view,
        copy_of: None,
    })
}
