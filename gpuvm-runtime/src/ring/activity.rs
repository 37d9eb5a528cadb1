//! The ring kernels of this process, for whoever watches it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gpuvm_engine::Engine;

use super::letters::DeadLetter;
use super::metrics::{Metrics, Status};
use super::shared::Shared;

/// The last dead letters of a kernel are shown, as many at most.
const MOST_LETTERS: usize = 20;

static KERNELS: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// A kernel as long as there is one.
struct Known {
    number: u64,
    shared: Weak<Shared>,
    engine: Engine,
    device: String,
}

/// A ring kernel at a moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KernelActivity {
    /// Counts kernels from 0 on, as several may have one id.
    pub number: u64,
    /// What its engine runs on.
    pub device: String,
    /// How it stands.
    pub status: Status,
    /// What it has done so far.
    pub metrics: Metrics,
    /// How many dead letters wait to be [taken](crate::KernelHandle::dead_letter).
    pub dead_letters: usize,
    /// The last of them, the oldest first, at most 20.
    pub last_dead_letters: Vec<DeadLetter>,
}

fn kernels() -> MutexGuard<'static, Vec<Known>> {
    KERNELS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a kernel down that was launched.
pub(super) fn note(shared: &Arc<Shared>, engine: Engine, device: String) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    kernels().push(Known {
        number: NEXT.fetch_add(1, Ordering::Relaxed),
        shared: Arc::downgrade(shared),
        engine,
        device,
    });
}

/// Forgets a kernel of which there is no handle any more. Afterwards nobody here has a part of it, so what it has of a device is given back where its handle was dropped.
pub(super) fn forget(shared: &Arc<Shared>) {
    kernels().retain(|known| !std::ptr::eq(known.shared.as_ptr(), Arc::as_ptr(shared)));
}

/// The kernels that somebody has a handle of, in the order in which they were launched.
pub(crate) fn all() -> Vec<KernelActivity> {
    let known = kernels();
    let activity = known.iter().filter_map(|known| {
        let shared = known.shared.upgrade()?;
        let status = shared.status(known.engine);
        let state = shared.lock();
        Some(KernelActivity {
            number: known.number,
            device: known.device.clone(),
            status,
            metrics: state.metrics(),
            dead_letters: state.dead.len(),
            last_dead_letters: state.dead.last(MOST_LETTERS),
        })
    });
    activity.collect()
}
