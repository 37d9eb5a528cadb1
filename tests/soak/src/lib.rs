//! The soak: ring kernels on every engine at a time are sent random orders, called, trapped, paused, saved, restored and ended, each beside
//! a model that says what has to come back (`shop.rs`), while memory and throughput are watched (`sample.rs`). It is a package of its own
//! because it is the memory of the whole process that it measures.

mod process;
mod sample;
mod shop;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use gpuvm::{Engine, Runtime};

pub use self::process::Process;
pub use self::sample::{Bounds, Sample};
use self::shop::Shop;

/// What to do.
#[derive(Clone, Debug)]
pub struct Soak {
    /// How long.
    pub time: Duration,
    /// How often a sample is taken.
    pub every: Duration,
    /// On what.
    pub engines: Vec<Engine>,
    /// Where the random orders begin.
    pub seed: u64,
    /// How much memory may grow and throughput may fall.
    pub bounds: Bounds,
}

impl Soak {
    /// Does it, and shows each sample to `see`.
    ///
    /// # Errors
    ///
    /// What went wrong: an answer that is not the model's, a call that failed, memory that has grown or throughput that has fallen.
    pub fn run(&self, runtime: &Runtime, see: &mut dyn FnMut(&Sample)) -> Result<Vec<Sample>, String> {
        let (over, messages) = (AtomicBool::new(false), AtomicU64::new(0));
        let work = |engine: Engine| {
            let mut shop = Shop::open(runtime, engine, self.seed)?;
            while !over.load(Ordering::Relaxed) {
                messages.fetch_add(shop.turn(runtime)?, Ordering::Relaxed);
            }
            shop.close()
        };
        let samples = std::thread::scope(|scope| {
            let spawn = |&engine: &Engine| scope.spawn(move || work(engine));
            let shops: Vec<_> = self.engines.iter().map(spawn).collect();
            let samples = self.watch(runtime, &shops, &messages, see);
            over.store(true, Ordering::Relaxed);
            let ended = shops.into_iter().map(|shop| shop.join());
            let ended = ended.map(|ended| ended.unwrap_or_else(|_| Err("a thread panicked".to_string())));
            ended.collect::<Result<(), String>>().map(|()| samples)
        })?;
        self.bounds.check(&samples)?;
        Ok(samples)
    }

    /// Takes samples until the time is over, or a shop is.
    fn watch(
        &self,
        runtime: &Runtime,
        shops: &[ScopedJoinHandle<'_, Result<(), String>>],
        messages: &AtomicU64,
        see: &mut dyn FnMut(&Sample),
    ) -> Vec<Sample> {
        let begin = Instant::now();
        let mut samples: Vec<Sample> = Vec::new();
        let (mut last, mut counted) = (begin, 0);
        while begin.elapsed() < self.time && !shops.iter().any(ScopedJoinHandle::is_finished) {
            std::thread::sleep(self.every);
            let (now, count) = (Instant::now(), messages.load(Ordering::Relaxed));
            let sample = Sample {
                at: begin.elapsed(),
                messages_per_second: (count - counted) as f64 / (now - last).as_secs_f64(),
                device: runtime.memory(),
                process: Process::now(),
            };
            (last, counted) = (now, count);
            see(&sample);
            samples.push(sample);
        }
        samples
    }
}
