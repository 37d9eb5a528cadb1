//! The queues of a session, and the recording of its epochs.

use std::sync::Arc;

use gpuvm_core::isa::Class;
use gpuvm_shaders::layout::epoch::COUNT_WORDS;

use super::super::gpu::Gpu;
use super::super::memory::{bind_parts, size, words_of};
use super::super::pool::{Kind, Lease};
use super::super::session::groups;
use super::super::stepper::{Batch, BoundStepper, Recorded, Shared};
use super::outlook::TURNS;
use super::{Kernels, Loaded, MOST_EPOCHS, STEPS_AN_EPOCH, Sorted};

/// Words that size a dispatch.
const SIZE: u64 = 3;
/// Epochs in the first submission of a program of which nothing is known; each has four times as many as the one before, at most.
const FIRST_EPOCHS: u32 = 32;
/// The same where a CPU plays the device, and each dispatch costs as much as the work of a small job.
const FIRST_EPOCHS_SOFTWARE: u32 = 8;
/// Classes that a program's loops do not have take their turns in one of so many epochs only.
const RARELY: u32 = 8;

/// The kernels with the buffers of a session.
pub struct Queues {
    program: Arc<Loaded>,
    kernels: Kernels,
    exact: bool,
    /// The session's bind group.
    session: wgpu::BindGroup,
    /// The same with the atomic pairs, for the kernel that has them.
    with_pairs: Option<wgpu::BindGroup>,
    /// The size of an epoch's dispatches. A kernel cannot write what it was sized by, so two buffers take turns.
    sizes: [Lease; 2],
    /// The queues' bind groups for a kernel that writes the first or the second of them.
    queues: [wgpu::BindGroup; 2],
    /// Workgroups that have an invocation for each VM.
    everyone: [u32; 2],
    /// Epochs in the next submission of which nothing is known, at most.
    epochs: u32,
    /// Epochs recorded since the VMs have started.
    recorded: u32,
    /// What the bind groups have, for as long as this is used.
    _leases: [Lease; 3],
}

impl Queues {
    /// Takes buffers for the queues of a session.
    pub fn new(gpu: &Gpu, stepper: &Sorted, shared: &Shared<'_>, vms: u32) -> Queues {
        let kernels = stepper.kernels.clone();
        let classify = &kernels.classify;
        let own = [&stepper.code, &stepper.program.constants].map(|buffer| buffer.as_entire_binding());
        let vms = u64::from(vms);
        // Two queues a class, two words a place.
        let words = [4 * TURNS.len() as u64 * vms, u64::from(COUNT_WORDS), vms];
        let leases = words.map(|words| gpu.pool.take(Kind::Storage, size(words)));
        let sizes = [(); 2].map(|()| gpu.pool.take(Kind::Sizes, size(SIZE)));
        let queues = [0, 1].map(|i: usize| {
            let [places, counts, spent] = [0, 1, 2].map(|i: usize| words_of(&leases[i], words[i]));
            let parts = [places, counts, words_of(&sizes[i], SIZE), spent];
            bind_parts(&gpu.device, &classify.layouts[1], parts)
        });
        let session = shared.bindings.iter().cloned().chain(own);
        let mut turns = kernels.turns.iter().map(|(_, kernel)| kernel);
        let with_pairs = turns.find(|kernel| kernel.has_pairs).map(|kernel| {
            let parts = session.clone().chain(shared.pairs());
            bind_parts(&gpu.device, &kernel.layouts[0], parts)
        });
        Queues {
            session: bind_parts(&gpu.device, &classify.layouts[0], session),
            with_pairs,
            everyone: groups(gpu, vms, classify.workgroup),
            program: stepper.program.clone(),
            exact: stepper.exact,
            epochs: if gpu.software {
                FIRST_EPOCHS_SOFTWARE
            } else {
                FIRST_EPOCHS
            },
            recorded: 0,
            kernels,
            sizes,
            queues,
            _leases: leases,
        }
    }

    /// How many epochs to record.
    fn epochs(&mut self, batch: &Batch) -> u32 {
        let cycles = batch.cycles.saturating_mul(batch.dispatches);
        // Each epoch gets every VM on by one instruction at least.
        let enough = self.program.outlook.most.unwrap_or(u32::MAX).min(cycles);
        if self.exact || self.program.outlook.most.is_some() {
            return enough;
        }
        if batch.fresh {
            self.recorded = 0;
        }
        // Epochs after the last VM has stopped are not for free: what was enough the last time is recorded first.
        let known = self
            .program
            .experience
            .epochs()
            .map_or(0, |known| known.saturating_add(RARELY));
        let most = match known.checked_sub(self.recorded) {
            None | Some(0) => {
                let unknown = self.epochs;
                self.epochs = (unknown * 4).min(MOST_EPOCHS);
                unknown
            }
            Some(rest) => rest.min(MOST_EPOCHS),
        };
        let epochs = cycles.div_ceil(STEPS_AN_EPOCH).min(most);
        self.recorded = self.recorded.saturating_add(epochs);
        epochs
    }

    /// Whether a class takes its turn in that epoch of a batch.
    fn takes_turn(&self, class: Class, epoch: u32, batch: &Batch) -> bool {
        self.exact || batch.fresh || epoch.is_multiple_of(RARELY) || self.program.outlook.looping.contains(&class)
    }
}

impl BoundStepper for Queues {
    fn record(&mut self, pass: &mut wgpu::ComputePass<'_>, batch: &Batch) -> Recorded {
        let epochs = self.epochs(batch);
        if epochs == 0 {
            return Recorded::default();
        }
        pass.set_bind_group(0, &self.session, &[batch.first]);
        pass.set_bind_group(1, &self.queues[0], &[]);
        pass.set_pipeline(&self.kernels.prepare.pipeline);
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_pipeline(&self.kernels.classify.pipeline);
        pass.dispatch_workgroups(self.everyone[0], self.everyone[1], 1);
        pass.set_bind_group(0, &self.session, &[batch.then]);
        let mut sized_by = 0;
        let mut dispatches = 2;
        for epoch in 0..epochs {
            for (class, kernel) in &self.kernels.turns {
                if !self.takes_turn(*class, epoch, batch) {
                    continue;
                }
                if let Some(with_pairs) = &self.with_pairs {
                    let session = if kernel.has_pairs { with_pairs } else { &self.session };
                    pass.set_bind_group(0, session, &[batch.then]);
                }
                pass.set_bind_group(1, &self.queues[1 - sized_by], &[]);
                pass.set_pipeline(&kernel.pipeline);
                pass.dispatch_workgroups_indirect(&self.sizes[sized_by], 0);
                dispatches += 1;
            }
            sized_by = 1 - sized_by;
        }
        Recorded { dispatches }
    }
}
