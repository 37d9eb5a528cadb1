//! A device that is lost when it has been advanced so often.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use gpuvm_core::interp::Vm;
use gpuvm_core::program::Program;
use gpuvm_engine::{
    Demand, DeviceMemory, Engine, Error, Execute, Finished, Image, Job, Limit, Memory, Opened, Result, Running,
    Sequence, SequenceEnd, Slot, Source, Tally,
};

/// How often a device can be advanced until it is lost.
pub type Fuse = Arc<AtomicI64>;

/// The device with its engines, which fail when the fuse has burnt.
pub fn flaky(opened: Opened, fuse: &Fuse) -> Opened {
    let wrapped = |(engine, inner): (Engine, Arc<dyn Execute>)| {
        let fuse = Arc::clone(fuse);
        let wrapped: Arc<dyn Execute> = Arc::new(Flaky { inner, fuse });
        (engine, wrapped)
    };
    Opened {
        device: opened.device,
        engines: opened.engines.into_iter().map(wrapped).collect(),
    }
}

struct Flaky<T> {
    inner: T,
    fuse: Fuse,
}

impl<T> Flaky<T> {
    fn check(&self) -> Result<()> {
        match self.fuse.load(Ordering::Relaxed) {
            ..=0 => Err(Error::DeviceLost {
                reason: "its fuse has burnt".to_string(),
            }),
            _ => Ok(()),
        }
    }

    fn burn(&self) -> Result<()> {
        self.check()?;
        self.fuse.fetch_sub(1, Ordering::Relaxed);
        Ok(())
    }
}

impl Execute for Flaky<Arc<dyn Execute>> {
    fn capacity(&self, program: &Arc<Program>, demand: &Demand) -> u32 {
        // Few, so that devices are lost when they have done a part of what they were to do.
        self.inner.capacity(program, demand).min(257)
    }

    fn memory(&self) -> Option<Arc<dyn DeviceMemory>> {
        self.inner.memory()
    }

    fn start(&self, job: Job, arena: &dyn Source) -> Result<Box<dyn Running>> {
        self.check()?;
        Ok(Box::new(Flaky {
            inner: self.inner.start(job, arena)?,
            fuse: Arc::clone(&self.fuse),
        }))
    }

    fn sequence(&self) -> Option<Box<dyn Sequence>> {
        let inner = self.inner.sequence()?;
        let fuse = Arc::clone(&self.fuse);
        Some(Box::new(Flaky { inner, fuse }))
    }

    fn left_to_interpreter(&self, program: &Arc<Program>) -> Option<Duration> {
        self.inner.left_to_interpreter(program)
    }
}

impl Sequence for Flaky<Box<dyn Sequence>> {
    fn push(&mut self, job: Job, arena: &dyn Source) -> Result<bool> {
        self.check()?;
        // Likewise few.
        Ok(job.vms <= 600 && self.inner.push(job, arena)?)
    }

    fn flush(&mut self) -> Result<()> {
        self.inner.flush()
    }

    fn wait(&mut self) -> Result<SequenceEnd> {
        self.burn()?;
        let SequenceEnd { tally, stopped } = self.inner.wait()?;
        let fuse = &self.fuse;
        let stopped = stopped.map(|(number, inner)| {
            let fuse = Arc::clone(fuse);
            (number, Box::new(Flaky { inner, fuse }) as Box<dyn Running>)
        });
        Ok(SequenceEnd { tally, stopped })
    }
}

impl Running for Flaky<Box<dyn Running>> {
    fn advance(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<Tally> {
        self.burn()?;
        self.inner.advance(limit, watch)
    }

    fn most_at_a_time(&self) -> Option<u32> {
        self.inner.most_at_a_time()
    }

    fn image(&mut self) -> Result<Image> {
        self.check()?;
        self.inner.image()
    }

    fn restore(&mut self, image: &Image) -> Result<()> {
        self.check()?;
        self.inner.restore(image)
    }

    fn vm(&mut self, index: u32) -> Result<Vm> {
        self.check()?;
        self.inner.vm(index)
    }

    fn kept(&self, vm: &Vm) -> u32 {
        self.inner.kept(vm)
    }

    fn replace(&mut self, index: u32, vm: &Vm) -> Result<()> {
        self.inner.replace(index, vm)
    }

    fn first_trapped(&self) -> Option<u32> {
        self.inner.first_trapped()
    }

    fn keeps_trapped(&self) -> bool {
        self.inner.keeps_trapped()
    }

    fn slots(&self) -> &[Slot] {
        self.inner.slots()
    }

    fn memory(&mut self) -> Result<Memory> {
        self.check()?;
        self.inner.memory()
    }

    fn write_arena(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.inner.write_arena(first, words)
    }

    fn read_atomics(&mut self, words: Range<usize>) -> Result<Vec<u32>> {
        self.inner.read_atomics(words)
    }

    fn write_atomics(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.inner.write_atomics(first, words)
    }

    fn finish(self: Box<Self>) -> Result<Finished> {
        self.check()?;
        self.inner.finish()
    }
}
