//! Threads that wait for others. Waking a thread takes longer than most answers do, so one who waits looks for a while before it goes to
//! sleep: for about as long as the last wait took, if that was short. Nobody who waits for long looks again and again.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Wake};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// Waits that take longer are slept through.
const SHORT: Duration = Duration::from_micros(300);
/// For so long a thread does not even let others have its core: to ask the system for that takes as long as a call does.
const AT_ONCE: Duration = Duration::from_micros(20);
/// With fewer cores it always does.
const CORES: usize = 4;
/// Whether there are as many.
static HAS_CORES: LazyLock<bool> =
    LazyLock::new(|| std::thread::available_parallelism().is_ok_and(|cores| cores.get() >= CORES));
/// Waiting goes on for so much longer than the last time before it is given up for sleep.
const LONGER: u32 = 2;

/// How long a thread looks before it goes to sleep.
pub(super) struct Patience {
    /// How long the last wait took, in nanoseconds.
    last: AtomicU64,
}

impl Patience {
    /// That of one who has not waited yet.
    pub const fn new() -> Patience {
        Patience {
            last: AtomicU64::new(0),
        }
    }

    fn time(&self) -> Duration {
        match Duration::from_nanos(self.last.load(Ordering::Relaxed)) {
            last if last > SHORT => Duration::ZERO,
            last => last * LONGER,
        }
    }

    fn note(&self, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.last.store(nanos, Ordering::Relaxed);
    }
}

/// A place for one thread to wait at.
pub(super) struct Rest {
    thread: Thread,
    woken: AtomicBool,
}

impl Rest {
    /// A place for this thread.
    pub fn here() -> Rest {
        Rest {
            thread: std::thread::current(),
            woken: AtomicBool::new(false),
        }
    }

    /// Waits until somebody wakes this thread, or has woken it since it waited last.
    pub fn wait(&self, patience: &Patience) {
        let begin = Instant::now();
        let time = patience.time();
        // Where there are few cores, who is waited for may need this one.
        let at_once = if *HAS_CORES { AT_ONCE.min(time) } else { Duration::ZERO };
        while !self.woken.swap(false, Ordering::Acquire) {
            let waited = begin.elapsed();
            if waited < at_once {
                std::hint::spin_loop();
            } else if waited < time {
                std::thread::yield_now();
            } else {
                std::thread::park();
            }
        }
        patience.note(begin.elapsed());
    }

    /// Wakes the thread that waits here, or is about to.
    pub fn wake(&self) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Wake for Rest {
    fn wake(self: Arc<Rest>) {
        Rest::wake(&self);
    }

    fn wake_by_ref(self: &Arc<Rest>) {
        Rest::wake(self);
    }
}

/// Runs a future on this thread to its end.
pub(super) fn block_on<T>(future: impl Future<Output = T>, patience: &Patience) -> T {
    let rest = Arc::new(Rest::here());
    let waker = rest.clone().into();
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => rest.wait(patience),
        }
    }
}
