//! The end of the process. A driver takes itself down when the process exits, whatever other threads do with it, and crashes where one of
//! them is in the middle of a call. So whoever calls a driver is inside of a gate that an exit closes: it waits for those who are inside, and
//! nobody gets in any more.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Whether the process exits.
static CLOSED: AtomicBool = AtomicBool::new(false);
/// Threads that are inside.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
/// How long an exit waits for a driver, which may be compiling.
const PATIENCE: Duration = Duration::from_secs(20);

thread_local! {
    /// How often this thread has entered, and not left.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// Whether this thread ends the process: what runs at the exit may use a device.
    static EXITS: Cell<bool> = const { Cell::new(false) };
}

/// A thread inside of the gate, until this is dropped.
#[derive(Debug)]
pub struct Inside(PhantomData<*const ()>);

/// Lets this thread call a driver. While the process exits it never returns, but on the thread that exits.
pub fn enter() -> Inside {
    let depth = DEPTH.replace(DEPTH.get() + 1);
    if depth == 0 {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        if CLOSED.load(Ordering::SeqCst) && !EXITS.get() {
            INSIDE.fetch_sub(1, Ordering::SeqCst);
            loop {
                std::thread::park();
            }
        }
    }
    Inside(PhantomData)
}

impl Drop for Inside {
    fn drop(&mut self) {
        let depth = DEPTH.get() - 1;
        DEPTH.set(depth);
        if depth == 0 {
            INSIDE.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Has the process close the gate when it exits, before what has been registered so far: the drivers that are loaded.
#[allow(unsafe_code)]
pub fn close_at_exit() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the function does not unwind, and is there as long as the process. That there is no room for it is no error: then an exit
        // is as it would be without.
        unsafe { libc::atexit(close) };
    });
}

extern "C" fn close() {
    EXITS.set(true);
    CLOSED.store(true, Ordering::SeqCst);
    let mine = usize::from(DEPTH.get() > 0);
    let begin = Instant::now();
    while INSIDE.load(Ordering::SeqCst) > mine && begin.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(1));
    }
}
