//! A sample of a launch's warps, counted on threads of its own while the launch runs.

use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use gpuvm_core::program::{Program, SourceLoc, Status};
use rayon::prelude::*;

use super::tree::{Growing, Origins, Tree};
use super::warp::{Bench, Common, Count, LANES, Warp, WarpData};

/// Warps of a sample.
const WARPS: u32 = 32;
/// Instructions of VMs that a sample may run: some tenths of a second on one core.
pub(crate) const MOST: u64 = 1 << 24;

/// Words that a sample may have copies of.
pub(crate) const WORDS: u64 = 1 << 27;

/// The numbers of the warps to run, evenly over those of so many VMs.
pub(crate) fn chosen(vms: u32, most: u32) -> impl Iterator<Item = u32> {
    let all = vms.div_ceil(LANES);
    let few = all.min(WARPS).min(most);
    (0..few).map(move |index| (u64::from(index) * u64::from(all) / u64::from(few)) as u32)
}

/// What is to be counted of a launch.
pub(crate) struct Sampled {
    /// Its sample, or why there is none.
    pub sample: Result<Sample, String>,
    /// What there is to know of the numbers.
    pub notes: Vec<String>,
}

/// A sample that has not begun.
pub(crate) struct Sample {
    pub program: Arc<Program>,
    /// VMs of the launch.
    pub vms: u32,
    /// What all VMs see, the beginning of each arena.
    pub shared: Vec<u32>,
    pub atomics: Vec<u32>,
    pub warps: Vec<WarpData>,
    /// Instructions of VMs to run at most.
    pub most: u64,
}

/// What a sample came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    pub files: Vec<String>,
    pub routines: Vec<String>,
    /// By place in the source, what instructions from there came to.
    pub places: Vec<(SourceLoc, [u64; 3])>,
    pub tree: Tree,
    pub vms: Vec<VmCost>,
    /// The file that steps of a plan are in, if it is one's.
    pub plan: Option<u32>,
}

impl Counted {
    /// Instructions of VMs.
    pub fn instructions(&self) -> u64 {
        self.tree.nodes.iter().map(|node| node.own).sum()
    }
}

/// What a VM of the sample cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VmCost {
    /// Its number in the launch, or that of its actor.
    pub vm: u32,
    /// The [step](super::Profile::steps) of a plan that the launch was of, by its index there; `None` in a launch's profile.
    pub step: Option<usize>,
    /// Instructions that it ran.
    pub instructions: u64,
    /// Whether it had more to do when the sample was at its limit, or waited for an answer.
    pub is_cut: bool,
}

impl Sample {
    /// Starts counting. What is wrong with this machine comes as a text.
    pub(super) fn start(self) -> Result<JoinHandle<Result<Counted, String>>, String> {
        let thread = thread::Builder::new().name("gpuvm-profile".to_string());
        thread.spawn(move || self.count()).map_err(|error| error.to_string())
    }

    pub(super) fn count(self) -> Result<Counted, String> {
        let Sample {
            program,
            vms,
            shared,
            atomics,
            warps,
            most,
        } = self;
        // Half of the machine: the launch wants to get on, too. Each thread has a copy of what all VMs see.
        let threads = thread::available_parallelism().map_or(1, NonZero::get) / 2;
        let copies = WORDS as usize / (shared.len() + atomics.len()).max(1);
        let threads = threads.min(copies).clamp(1, warps.len().max(1));
        let threads = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = threads.build().map_err(|error| error.to_string())?;
        let common = Common {
            program: &program,
            vms,
            shared: shared.len(),
        };
        let own = warps.iter().map(|warp| warp.own.len()).max().unwrap_or(0);
        let mut warps: Vec<Warp> = warps.into_iter().map(|data| Warp::new(&program, data)).collect();
        let benches = Benches {
            free: Mutex::default(),
            make: || Bench {
                arena: shared.iter().copied().chain(std::iter::repeat_n(0, own)).collect(),
                atomics: atomics.clone(),
                counts: vec![Count::default(); program.code.len()],
            },
        };
        let mut left = most;
        // What some warps do not need others get, in rounds, so that the threads' order decides nothing.
        loop {
            let going: Vec<&mut Warp> = warps.iter_mut().filter(|warp| !warp.is_over()).collect();
            let Some(each) = left.checked_div(going.len() as u64) else {
                break;
            };
            let run = |warp: &mut Warp| {
                let mut bench = benches.take();
                let ran = warp.run(&common, &mut bench, each);
                benches.give_back(bench);
                ran
            };
            let ran: u64 = pool.install(|| going.into_par_iter().map(run).sum());
            if ran == 0 {
                break;
            }
            left -= ran;
        }
        Ok(counted(&program, &warps, &benches.counts()))
    }
}

/// The memory of threads. There is one for each thread that ran, because what all VMs see may be large.
struct Benches<F> {
    free: Mutex<Vec<Bench>>,
    make: F,
}

impl<F: Fn() -> Bench> Benches<F> {
    fn take(&self) -> Bench {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(&self.make)
    }

    fn give_back(&self, bench: Bench) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(bench);
    }

    /// What was counted on all of them.
    fn counts(&self) -> Vec<Count> {
        let benches = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Count> = Vec::new();
        for bench in benches.iter() {
            all.resize(bench.counts.len(), Count::default());
            for (sum, count) in all.iter_mut().zip(&bench.counts) {
                sum.retired += count.retired;
                sum.issues += count.issues;
                sum.sectors += count.sectors;
            }
        }
        all
    }
}

/// What warps came to, by place in the source, by stack and by VM.
fn counted(program: &Program, warps: &[Warp], counts: &[Count]) -> Counted {
    let origins = Origins::of(program);
    let mut places: Vec<(SourceLoc, [u64; 3])> = Vec::new();
    let ran = counts.iter().enumerate().filter(|(_, count)| count.issues > 0);
    for (ip, count) in ran {
        let Some(&at) = origins.at(ip as u32).first() else {
            continue;
        };
        places.push((at, [count.retired, count.issues, count.sectors]));
    }
    let key = |at: &SourceLoc| (at.file, at.line, at.routine);
    places.sort_by_key(|(at, _)| key(at));
    places.dedup_by(|(at, more), (first, sums)| {
        let is_same = at == first;
        if is_same {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += *more);
        }
        is_same
    });
    let mut tree = Growing::new(program);
    warps.iter().for_each(|warp| tree.add(warp));
    let lanes = warps.iter().flat_map(|warp| &warp.lanes);
    let vms = lanes.map(|lane| VmCost {
        vm: lane.vm.state[gpuvm_core::interp::header::VM_ID],
        step: None,
        instructions: lane.retired,
        is_cut: matches!(lane.vm.status(), Status::Running | Status::Blocked),
    });
    Counted {
        files: program.files.clone(),
        routines: program.routines.clone(),
        places,
        vms: vms.collect(),
        tree: tree.finish(),
        plan: None,
    }
}
