//! The device of another rank: here there is nothing of it, and nothing to do for it.

use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::program::Program;

use crate::error::{Error, Result};
use crate::{
    Demand, DeviceMemory, Execute, Job, Kept, MemoryUse, Region, Running, Select, Selection, Sort, Source, Words,
};

/// Its engine and its memory. That rank does what there is to do; here it is only known where things are.
pub(super) struct Elsewhere;

/// What nobody should have asked of this process.
fn not_here() -> Error {
    Error::Device {
        reason: "this is on another rank".to_string(),
    }
}

impl Execute for Elsewhere {
    fn capacity(&self, _: &Arc<Program>, _: &Demand) -> u32 {
        u32::MAX
    }

    fn start(&self, _: Job, _: &dyn Source) -> Result<Box<dyn Running>> {
        Err(not_here())
    }
}

impl DeviceMemory for Elsewhere {
    fn allocate(&self, words: u64) -> Result<Region> {
        Ok(Region {
            start: 0,
            words: u32::try_from(words).map_err(|_| not_here())?,
            guard: Arc::new(()),
        })
    }

    fn write(&self, _: &Region, _: &dyn Source) -> Result<()> {
        Ok(())
    }

    fn clear(&self, _: &Region) -> Result<()> {
        Ok(())
    }

    fn read(&self, _: &Region) -> Result<Words> {
        Err(not_here())
    }

    fn copy(&self, _: &Region, _: &Region) -> Result<()> {
        Ok(())
    }

    fn sort(&self, _: &Sort) -> Result<Option<Duration>> {
        Ok(None)
    }

    fn select(self: Arc<Self>, _: &Select) -> Result<Box<dyn Selection>> {
        Ok(Box::new(Elsewhere))
    }

    fn in_use(&self) -> MemoryUse {
        MemoryUse::default()
    }
}

impl Selection for Elsewhere {
    fn wait(self: Box<Self>) -> Result<Kept> {
        Err(not_here())
    }
}
