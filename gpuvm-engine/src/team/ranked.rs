//! A team of one device of each rank, of which this process has its own.

use std::sync::Arc;

use super::elsewhere::Elsewhere;
use super::footprints::Footprints;
use super::group::Group;
use super::memory::TeamMemory;
use super::{Bits, Team, name};
use crate::error::Result;
use crate::ranks::{Ranks, Wire};
use crate::{Device, Engine, Execute, FloatMode, Opened};

/// What ranks tell each other of their devices.
struct Of {
    name: String,
    /// How it is reached.
    backend: String,
    is_exact: bool,
    atomics_64: bool,
    engines: Vec<Engine>,
}

impl Of {
    fn new(opened: &Opened) -> Of {
        let device = &opened.device;
        Of {
            name: device.name.clone(),
            backend: format!("{:?}", device.backend),
            is_exact: device.float_mode == FloatMode::Exact,
            atomics_64: device.atomics_64,
            engines: opened.engines.iter().map(|(engine, _)| *engine).collect(),
        }
    }

    fn is_like(&self, other: &Of) -> bool {
        (&self.name, &self.backend) == (&other.name, &other.backend)
    }
}

impl Wire for Of {
    fn put(&self, words: &mut Vec<u32>) {
        [self.name.clone(), self.backend.clone()].put(words);
        [self.is_exact, self.atomics_64].put(words);
        (self.engines.len() as u32).put(words);
        self.engines.iter().for_each(|engine| engine.put(words));
    }

    fn take(words: &mut &[u32]) -> Option<Of> {
        let [name, backend] = Wire::take(words)?;
        let [is_exact, atomics_64] = Wire::take(words)?;
        let count = u32::take(words)?;
        Some(Of {
            name,
            backend,
            is_exact,
            atomics_64,
            engines: (0..count).map(|_| Engine::take(words)).collect::<Option<_>>()?,
        })
    }
}

/// The devices of all ranks as one, of which this rank's is `own`: each rank makes the same calls, and has all results. Jobs are cut that are worth it, or if `cuts` says so
/// all that can be, or none; others run on every rank, or on the first one if their bits depend on where. It has the engines that all of them have, none if one is a CPU.
///
/// # Errors
///
/// When another rank cannot be reached.
pub fn over_ranks(own: &Opened, ranks: &Arc<dyn Ranks>, cuts: Option<bool>) -> Result<Opened> {
    let group = Arc::new(Group::of_ranks(Arc::clone(ranks), cuts));
    let everyone: Vec<usize> = (0..ranks.count()).collect();
    let told = group.each(&everyone, |_| Ok(Of::new(own)))?;
    let is_exact = told.iter().all(|of| of.is_exact);
    let bits = Bits::of(told.windows(2).all(|pair| pair[0].is_like(&pair[1])), is_exact);
    let names: Vec<&str> = told.iter().map(|of| &*of.name).collect();
    // In the first rank's order.
    let first = told.first().map_or(&[][..], |of| &of.engines);
    let mut memory = None;
    let mut engines = Vec::new();
    for engine in first
        .iter()
        .filter(|engine| told.iter().all(|of| of.engines.contains(engine)))
    {
        let Some((_, executor)) = own.engines.iter().find(|(known, _)| known == engine) else {
            continue;
        };
        if memory.is_none() {
            memory = executor.memory().map(|own| TeamMemory::over_ranks(own, &group));
        }
        engines.push((*engine, rank_of(executor, bits, memory.clone(), &group)));
    }
    let like = match engines.is_empty() {
        true => Device::cpu(),
        false => own.device.clone(),
    };
    Ok(Opened {
        device: Device {
            name: name(&names),
            float_mode: if is_exact { FloatMode::Exact } else { FloatMode::Relaxed },
            atomics_64: told.iter().all(|of| of.atomics_64),
            ..like
        },
        engines,
    })
}

/// An engine on the CPUs of all ranks, as [`over_ranks`] has those of devices.
pub fn engine_over_ranks(own: &Arc<dyn Execute>, ranks: &Arc<dyn Ranks>, cuts: Option<bool>) -> Arc<dyn Execute> {
    let group = Arc::new(Group::of_ranks(Arc::clone(ranks), cuts));
    rank_of(own, Bits::All, None, &group)
}

/// A rank's engine among those of the others.
fn rank_of(
    own: &Arc<dyn Execute>,
    bits: Bits,
    memory: Option<Arc<TeamMemory>>,
    group: &Arc<Group>,
) -> Arc<dyn Execute> {
    let members = (0..group.members()).map(|member| match group.is_here(member) {
        true => Arc::clone(own),
        false => Arc::new(Elsewhere),
    });
    Arc::new(Team {
        members: members.collect(),
        bits,
        memory,
        footprints: Footprints::default(),
        group: Arc::clone(group),
    })
}
