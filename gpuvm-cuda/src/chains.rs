//! Rows of launches that are given to the driver all at once, as graphs: a launch of its own takes the host longer than many a kernel runs.
//!
//! A graph takes as long to be made as its launches would. So there are a few, of fixed lengths, whose launches are set anew each time.
//! Where the device can, the blocks of a launch come as those of the one before end, and wait for its end themselves: 0.7 µs from one small kernel to the
//! next on an H100 in place of 1.0.

use std::sync::Arc;

use crate::driver::{Chain, Driver, Launch, Result};
use crate::pipeline::Form;

/// The chains of a device.
#[derive(Debug, Default)]
pub struct Chains([Ring; LENGTHS.len()]);

/// Chains of one length, which take turns: one that is still running is not set anew at once.
#[derive(Debug, Default)]
struct Ring {
    chains: Vec<Made>,
    next: usize,
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
/// How many chains of a length there are.
const RING: usize = 4;
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
    pub fn launch(&mut self, driver: &Arc<dyn Driver>, launches: &[(&Arc<Form>, Launch<'_>)]) -> Result<()> {
        let Some(ring) = LENGTHS.iter().position(|&length| length == launches.len()) else {
            return launches.iter().try_for_each(|(_, launch)| driver.launch(launch));
        };
        let made = self.0[ring].next(driver, launches)?;
        for ((at, link), (form, launch)) in made.links.iter_mut().enumerate().zip(launches) {
            // Rows often repeat what they were.
            if !link.is(form, launch) {
                driver.set_link(&made.chain, at, launch)?;
                link.set(form, launch);
            }
        }
        driver.launch_chain(&made.chain)
    }
}

impl Ring {
    fn next(&mut self, driver: &Arc<dyn Driver>, launches: &[(&Arc<Form>, Launch<'_>)]) -> Result<&mut Made> {
        let at = self.next;
        if at == self.chains.len()
            && let Some((form, launch)) = launches.first()
        {
            self.chains.push(Made {
                chain: driver.chain(launches.len(), launch)?,
                driver: driver.clone(),
                _first: (*form).clone(),
                links: vec![Link::new(form, launch); launches.len()],
            });
        }
        self.next = (at + 1) % RING;
        Ok(&mut self.chains[at])
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
