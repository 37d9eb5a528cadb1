//! The pump's thread, as those have it who may drop the kernel. They wait for its end: a thread that still uses a device when the process
//! ends takes a driver by surprise that is being torn down, and crashes in it.

use std::convert::Infallible;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::error::{Error, Result};

/// A thread that can be waited for, though not for ever.
pub(super) struct PumpThread {
    /// None any more if it has ended.
    thread: Option<JoinHandle<()>>,
    /// Hung up when the thread has nothing left to do but to end.
    line: Mutex<Receiver<Infallible>>,
}

impl PumpThread {
    /// Runs `work` on a thread of that name, with a stack of so many bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] if there can be no thread.
    pub fn spawn(name: String, stack: usize, work: impl FnOnce() + Send + 'static) -> Result<PumpThread> {
        let (other_end, line) = channel();
        let thread = Builder::new().name(name).stack_size(stack).spawn(move || {
            let _hung_up_last = other_end;
            work();
        });
        Ok(PumpThread {
            thread: Some(thread.map_err(|error| Error::Threads {
                reason: error.to_string(),
            })?),
            line: Mutex::new(line),
        })
    }

    /// Waits until the thread has ended, but not for longer than that. Whether nobody needs to wait any more: it has, or it is this thread.
    pub fn wait(&mut self, most: Duration) -> bool {
        let here = std::thread::current().id();
        let Some(thread) = self.thread.take_if(|thread| thread.thread().id() != here) else {
            return true;
        };
        let line = self.line.get_mut().unwrap_or_else(PoisonError::into_inner);
        if line.recv_timeout(most) == Err(RecvTimeoutError::Timeout) {
            self.thread = Some(thread);
            return false;
        }
        // If it has panicked the kernel has failed and says so.
        let _ = thread.join();
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    const STACK: usize = 1 << 16;
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_thread_is_waited_for_and_not_for_ever() {
        let (go, gone) = channel::<()>();
        let ended = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&ended);
        let mut thread = PumpThread::spawn("waited".to_string(), STACK, move || {
            let _hung_up = gone.recv();
            theirs.store(true, Ordering::Relaxed);
        })
        .unwrap();
        assert!(!thread.wait(Duration::from_millis(1)));
        assert!(!ended.load(Ordering::Relaxed));
        drop(go);
        assert!(thread.wait(LONG));
        assert!(ended.load(Ordering::Relaxed));
        assert!(thread.wait(Duration::ZERO));
    }

    #[test]
    fn a_thread_does_not_wait_for_itself() {
        let (give, take) = channel::<PumpThread>();
        let (tell, told) = channel();
        let thread = PumpThread::spawn("itself".to_string(), STACK, move || {
            let mut own = take.recv().unwrap();
            tell.send(own.wait(LONG)).unwrap();
        });
        give.send(thread.unwrap()).unwrap();
        assert_eq!(told.recv_timeout(LONG / 2), Ok(true));
    }
}
