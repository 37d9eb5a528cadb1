//! The gate to the driver. A process that ends while one of its threads is in NVIDIA's driver may crash in there, so when it is about to
//! end nobody is let in any more, and those inside are waited for.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A way in that can be closed.
#[derive(Debug, Default)]
pub struct Gate {
    inside: AtomicUsize,
    closed: AtomicBool,
}

/// That a thread is inside. It has to be this thread that leaves.
#[derive(Debug)]
pub struct Entered {
    gate: Option<&'static Gate>,
    _of_this_thread: PhantomData<*const ()>,
}

/// How long to wait for those inside: a kernel may be compiled for a second or two.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to sleep at a time.
const NAP: Duration = Duration::from_millis(1);

impl Gate {
    /// A gate that is open.
    pub const fn new() -> Gate {
        Gate {
            inside: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        }
    }

    /// Lets a thread in, if it is open.
    pub fn enter(&'static self) -> Option<Entered> {
        self.inside.fetch_add(1, Ordering::SeqCst);
        let entered = Entered {
            gate: Some(self),
            _of_this_thread: PhantomData,
        };
        (!self.closed.load(Ordering::SeqCst)).then_some(entered)
    }

    /// Lets nobody in any more, and waits until nobody is inside, or for too long.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        let begin = Instant::now();
        while self.inside.load(Ordering::SeqCst) > 0 && begin.elapsed() < PATIENCE {
            std::thread::sleep(NAP);
        }
    }
}

impl Entered {
    /// Inside of what nobody closes.
    #[cfg(test)]
    pub fn freely() -> Entered {
        Entered {
            gate: None,
            _of_this_thread: PhantomData,
        }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(gate) = self.gate {
            gate.inside.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_waits_for_those_inside_and_lets_nobody_in() {
        static GATE: Gate = Gate::new();
        let inside = GATE.enter();
        assert!(inside.is_some());
        std::thread::scope(|scope| {
            let closing = scope.spawn(|| GATE.close());
            while !GATE.closed.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            assert!(GATE.enter().is_none());
            assert!(!closing.is_finished());
            drop(inside);
        });
        assert!(GATE.enter().is_none());
        assert_eq!(GATE.inside.load(Ordering::SeqCst), 0);
    }
}
