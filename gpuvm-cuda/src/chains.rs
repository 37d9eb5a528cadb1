//! Rows of launches that are given to the driver all at once, as graphs: a launch of its own takes the host longer than many a kernel runs.
//!
//! A graph takes as long to be made as its launches would. So there are a few, of fixed lengths, whose launches are set anew for each row that is
//! new. A row that comes again, as those of a plan do in each of its runs, finds the graph that it was, and there are more graphs as rows come again.
//! Where the device can, the blocks of a launch come as those of the one before end, and wait for its end themselves: 0.7 µs from one small kernel to the
//! next on an H100 in place of 1.0.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::driver::{Chain, Driver, Launch, Result};
use crate::pipeline::Form;

/// The chains of a device.
#[derive(Debug, Default)]
pub struct Chains([Pool; LENGTHS.len()]);

/// Chains of one length.
#[derive(Debug, Default)]
struct Pool {
    /// The chains, the one that was launched the longest time ago first.
    chains: VecDeque<Made>,
    /// The last rows for which there was no chain, as hashes: one that comes again is worth a chain of its own.
    missed: VecDeque<u64>,
}

/// A chain that was made.
#[derive(Debug)]
struct Made {
    chain: Chain,
    driver: Arc<dyn Driver>,
    /// What its launches were when it was made: the driver may look at that when they are set.
    _first: Arc<Form>,
    links: Vec<Link>,
}

/// A launch of a row, and its kernel.
type Given<'a> = (&'a Arc<Form>, Launch<'a>);

/// What a launch of a chain is.
#[derive(Clone, Debug)]
struct Link {
    /// The kernel, which stays loaded as long as the chain has it.
    form: Arc<Form>,
    blocks: [u32; 3],
    values: Vec<u8>,
}

/// How many launches chains have, the longest first.
pub const LENGTHS: [usize; 2] = [64, 16];
/// How many chains of a length there are for rows that do not come again: one that is still running is not set anew at once.
const FEW: usize = 4;
/// How many there are at most.
const MANY: usize = 64;
/// How many rows for which there was no chain are remembered.
const REMEMBERED: usize = 256;
/// With `0` launches are made one by one, for comparison.
const SWITCH: &str = "GPUVM_CUDA_CHAINS";

impl Chains {
    /// The chains of a device, unless they are not wanted.
    pub fn new() -> Option<Chains> {
        let wanted = std::env::var_os(SWITCH).is_none_or(|wanted| wanted != "0");
        wanted.then(Chains::default)
    }

    /// How many of so many launches make the next chain; none if they are too few.
    pub fn length(launches: usize) -> Option<usize> {
        LENGTHS.into_iter().find(|&length| length <= launches)
    }

    /// Makes launches, as many as one of [`LENGTHS`]. The thread has entered.
    ///
    /// # Errors
    ///
    /// When the driver refuses.
    pub fn launch(&mut self, driver: &Arc<dyn Driver>, launches: &[Given<'_>]) -> Result<()> {
        let Some(length) = LENGTHS.iter().position(|&length| length == launches.len()) else {
            return launches.iter().try_for_each(|(_, launch)| driver.launch(launch));
        };
        let pool = &mut self.0[length];
        let mut made = pool.take(driver, launches)?;
        let launched = made.launch(launches);
        pool.chains.push_back(made);
        launched
    }
}

impl Pool {
    /// The chain that the row was the last time, or else one that may become it.
    fn take(&mut self, driver: &Arc<dyn Driver>, row: &[Given<'_>]) -> Result<Made> {
        let known = self.chains.iter().position(|made| made.is(row));
        if let Some(known) = known.and_then(|known| self.chains.remove(known)) {
            return Ok(known);
        }
        let mut hasher = DefaultHasher::new();
        row.iter().for_each(|(form, launch)| {
            (Arc::as_ptr(form), launch.blocks, launch.values).hash(&mut hasher);
        });
        let row_hash = hasher.finish();
        let most = if self.missed.contains(&row_hash) { MANY } else { FEW };
        self.missed.truncate(REMEMBERED - 1);
        self.missed.push_front(row_hash);
        if self.chains.len() >= most
            && let Some(oldest) = self.chains.pop_front()
        {
            return Ok(oldest);
        }
        Made::new(driver, row)
    }
}

impl Made {
    fn new(driver: &Arc<dyn Driver>, row: &[Given<'_>]) -> Result<Made> {
        let (form, launch) = &row[0];
        Ok(Made {
            chain: driver.chain(row.len(), launch)?,
            driver: driver.clone(),
            _first: (*form).clone(),
            links: vec![Link::new(form, launch); row.len()],
        })
    }

    /// Whether its launches are those of a row.
    fn is(&self, row: &[Given<'_>]) -> bool {
        self.links
            .iter()
            .zip(row)
            .all(|(link, (form, launch))| link.is(form, launch))
    }

    /// Makes the launches of a row.
    fn launch(&mut self, row: &[Given<'_>]) -> Result<()> {
        for ((at, link), (form, launch)) in self.links.iter_mut().enumerate().zip(row) {
            if !link.is(form, launch) {
                self.driver.set_link(&self.chain, at, launch)?;
                link.set(form, launch);
            }
        }
        self.driver.launch_chain(&self.chain)
    }
}

impl Link {
    fn new(form: &Arc<Form>, launch: &Launch<'_>) -> Link {
        Link {
            form: form.clone(),
            blocks: launch.blocks,
            values: launch.values.to_vec(),
        }
    }

    fn is(&self, form: &Arc<Form>, launch: &Launch<'_>) -> bool {
        Arc::ptr_eq(&self.form, form) && self.blocks == launch.blocks && self.values == launch.values
    }

    fn set(&mut self, form: &Arc<Form>, launch: &Launch<'_>) {
        self.form = form.clone();
        self.blocks = launch.blocks;
        // The room for values is used again.
        self.values.clear();
        self.values.extend(launch.values);
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if let Ok(_entered) = self.driver.enter() {
            self.driver.forget_chain(&self.chain);
        }
    }
}
