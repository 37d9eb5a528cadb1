//! The actors' states, and which actors are busy.

use std::ops::Range;
use std::sync::Arc;

use gpuvm_core::program::ParamSlot;
use gpuvm_engine::{DeviceMemory, Execute, Region, Slot};

use crate::error::Result;

/// The states of a kernel's actors.
pub struct States {
    actors: u32,
    /// The words of an actor's first state.
    initial: Vec<u32>,
    place: Place,
}

/// Where they are.
enum Place {
    /// In an engine's memory, with which actors are busy.
    Engine {
        memory: Arc<dyn DeviceMemory>,
        states: Region,
        busy: Region,
    },
    /// Here. They travel with each job; as there is one at a time, no actor is busy when it begins.
    Host(Vec<u32>),
}

impl States {
    /// The states of so many actors, all with these words.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the engine has no room for them.
    pub fn new(executor: &dyn Execute, initial: Vec<u32>, actors: u32) -> Result<States> {
        let words = initial.len() * actors as usize;
        let place = match executor.memory() {
            None => Place::Host(initial.repeat(actors as usize)),
            Some(memory) => {
                let states = memory.allocate(words.max(1) as u64)?;
                let busy = memory.allocate(actors.into())?;
                Place::Engine { memory, states, busy }
            }
        };
        let mut all = States { actors, initial, place };
        if all.stay() {
            all.write(&all.initial.repeat(actors as usize))?;
        }
        Ok(all)
    }

    /// Whether they stay on the engine.
    pub fn stay(&self) -> bool {
        matches!(self.place, Place::Engine { .. })
    }

    /// The words that travel with each job: none if the states stay on the engine.
    pub fn on_host(&self) -> &[u32] {
        match &self.place {
            Place::Engine { .. } => &[],
            Place::Host(states) => states,
        }
    }

    /// How many words travel with each job that say whether an actor is busy.
    pub fn busy_on_host(&self) -> usize {
        match self.place {
            Place::Engine { .. } => 0,
            Place::Host(_) => self.actors as usize,
        }
    }

    /// Takes back those that travelled with a job.
    pub fn bring_back(&mut self, words: &[u32]) {
        if let Place::Host(states) = &mut self.place {
            states.copy_from_slice(words);
        }
    }

    /// The slots of the states and of which actors are busy, given where in a job's arena they are if they travel.
    pub fn slots(&self, [states, busy]: [usize; 2]) -> [Slot; 2] {
        let slot = |base: usize, region: Option<&Region>| Slot {
            place: ParamSlot {
                base: base as u32,
                length: self.actors,
                ..ParamSlot::default()
            },
            region: region.cloned(),
        };
        match &self.place {
            Place::Host(_) => [slot(states, None), slot(busy, None)],
            Place::Engine { states, busy, .. } => [slot(0, Some(states)), slot(0, Some(busy))],
        }
    }

    /// The words of the states of neighbouring actors.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn read(&self, actors: Range<u32>) -> Result<Vec<u32>> {
        let size = self.initial.len() as u32;
        let (start, end) = (actors.start * size, actors.end * size);
        match &self.place {
            Place::Host(states) => Ok(states[start as usize..end as usize].to_vec()),
            Place::Engine { .. } if start == end => Ok(Vec::new()),
            Place::Engine { memory, states, .. } => {
                let part = Region {
                    start: states.start + start,
                    words: end - start,
                    guard: Arc::clone(&states.guard),
                };
                Ok(memory.read(&part)?.into_vec())
            }
        }
    }

    /// Gives all actors states, of which these are the words. None of them is busy any more.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn write(&mut self, words: &[u32]) -> Result<()> {
        match &mut self.place {
            Place::Host(states) => states.copy_from_slice(words),
            Place::Engine { memory, states, busy } => {
                if !words.is_empty() {
                    memory.write(states, &words)?;
                }
                memory.write(busy, &vec![0; self.actors as usize].as_slice())?;
            }
        }
        Ok(())
    }

    /// Waits for what was written.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn settle(&self) -> Result<()> {
        if let Place::Engine { memory, busy, .. } = &self.place {
            let first = Region {
                words: 1,
                ..busy.clone()
            };
            // What is read comes after all that was written.
            memory.read(&first)?;
        }
        Ok(())
    }

    /// Gives actors the state that they began with. They are not busy any more.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn reset(&mut self, actors: &[u32]) -> Result<()> {
        let size = self.initial.len();
        let reset = |states: &mut [u32]| {
            for &actor in actors {
                states[actor as usize * size..][..size].copy_from_slice(&self.initial);
            }
        };
        match &mut self.place {
            Place::Host(states) => reset(states),
            Place::Engine { memory, states, busy } => {
                let edit = |region: &Region, change: &dyn Fn(&mut [u32])| {
                    let mut words = memory.read(region)?.into_vec();
                    change(&mut words);
                    memory.write(region, &words.as_slice())
                };
                edit(states, &reset)?;
                edit(busy, &|busy| actors.iter().for_each(|&actor| busy[actor as usize] = 0))?;
            }
        }
        Ok(())
    }
}
