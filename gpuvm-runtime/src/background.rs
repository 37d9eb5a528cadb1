//! A launch on a thread of its own, and a future of its end that needs no particular executor.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use crate::arg::Argument;
use crate::atomics::Atomics;
use crate::bind::Bound;
use crate::error::{Error, Result};
use crate::execution::OnProgress;
use crate::progress::Progress;
use crate::questions::{Desk, Handlers};
use crate::vector::ColumnMut;

/// What the thread and the future share.
struct Shared<T> {
    state: Mutex<State<T>>,
    cancelled: AtomicBool,
}

struct State<T> {
    ended: Option<Result<T, Box<dyn Any + Send>>>,
    progress: Option<Progress>,
    waker: Option<Waker>,
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes the future.
    fn tell(&self, change: impl FnOnce(&mut State<T>)) {
        let mut state = self.lock();
        change(&mut state);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Sets the flag when the future is dropped, finished or not, and leaves the desk.
struct Cancel<'s>(&'s AtomicBool, &'s Desk);

impl Drop for Cancel<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.close();
    }
}

/// Runs `work` on a thread. Its progress is handed to `progress` whenever the future is polled; only the latest counts. What it asks at the desk is
/// answered then, too.
///
/// # Errors
///
/// [`Error::Threads`] if there can be no thread.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce(&AtomicBool, OnProgress<'static>) -> T + Send + 'static,
    mut progress: Option<OnProgress<'_>>,
    (mut answers, desk): (Handlers<'_>, Arc<Desk>),
) -> Result<T> {
    let shared = Arc::new(Shared {
        state: Mutex::new(State {
            ended: None,
            progress: None,
            waker: None,
        }),
        cancelled: AtomicBool::new(false),
    });
    let rings = Arc::clone(&shared);
    desk.on_question(move || rings.tell(|_| {}));
    let theirs = Arc::clone(&shared);
    let body = move || {
        let told = Arc::clone(&theirs);
        let tell = Box::new(move |now: &Progress| told.tell(|state| state.progress = Some(*now)));
        let ended = catch_unwind(AssertUnwindSafe(|| work(&theirs.cancelled, tell)));
        theirs.tell(|state| state.ended = Some(ended));
    };
    let thread = std::thread::Builder::new().name("gpuvm-launch".to_string());
    thread.spawn(body).map_err(|error| Error::Threads {
        reason: error.to_string(),
    })?;
    let _cancel = Cancel(&shared.cancelled, &desk);
    let ended = poll_fn(|context| {
        let mut state = shared.lock();
        let now = state.progress.take();
        let ended = state.ended.take();
        if ended.is_none() {
            state.waker = Some(context.waker().clone());
        }
        drop(state);
        if let (Some(now), Some(progress)) = (now, &mut progress) {
            progress(&now);
        }
        answers.sit_at(&desk);
        ended.map_or(Poll::Pending, Poll::Ready)
    });
    ended.await.or_else(|panic| resume_unwind(panic))
}

/// Where what a thread has changed goes back to.
pub(crate) enum Home<'a> {
    Nowhere,
    Column(Box<dyn ColumnMut + 'a>),
    Atomics(Atomics<'a>),
}

/// Makes arguments that a thread can have: buffers as they are, copies of everything that is lent.
pub(crate) fn adopt<'a>(params: Vec<Bound<'a>>) -> (Vec<Bound<'static>>, Vec<Home<'a>>) {
    let mut owned: Vec<Bound<'static>> = Vec::with_capacity(params.len());
    let mut homes: Vec<Home<'a>> = Vec::with_capacity(params.len());
    for Bound { mode, argument } in params {
        let (argument, home) = match argument {
            Argument::Uniform(value) => (Argument::Uniform(value), Home::Nowhere),
            Argument::Buffer(store) => (Argument::Buffer(store), Home::Nowhere),
            Argument::Read(column) => (Argument::Read(column.to_vector()), Home::Nowhere),
            Argument::Write(column) => (Argument::Write(column.to_vector()), Home::Column(column)),
            Argument::Atomics(atomics) => {
                // Slices that are the same stay the same.
                let known = homes
                    .iter()
                    .position(|home| matches!(home, Home::Atomics(other) if other.is_same(atomics)));
                let own = match known.map(|index| &owned[index].argument) {
                    Some(Argument::OwnAtomics(known)) => known.clone(),
                    _ => atomics.to_own(),
                };
                (Argument::OwnAtomics(own), Home::Atomics(atomics))
            }
            Argument::OwnAtomics(own) => (Argument::OwnAtomics(own), Home::Nowhere),
            Argument::Node(handle) => (Argument::Node(handle), Home::Nowhere),
        };
        owned.push(Bound { mode, argument });
        homes.push(home);
    }
    (owned, homes)
}

/// Brings what the thread has changed back to where it was lent from.
pub(crate) fn give_back(params: Vec<Bound<'static>>, homes: Vec<Home<'_>>) {
    for (Bound { argument, .. }, home) in params.into_iter().zip(homes) {
        match (argument, home) {
            (Argument::Write(column), Home::Column(mut home)) => {
                if let Some(vector) = column.as_vector() {
                    home.copy_from(vector);
                }
            }
            (Argument::OwnAtomics(from), Home::Atomics(to)) => to.set_words(&from.view().words()),
            _ => {}
        }
    }
}
