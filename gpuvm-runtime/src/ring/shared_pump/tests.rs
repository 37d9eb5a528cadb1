//! A pump with a runner that is at once done, or not, on this thread and on one of its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::super::batch::Batch;
use super::super::bound::Bound;
use super::super::callers::{Answer, Caller};
use super::super::clock::Clock;
use super::super::context::Sent;
use super::super::handler::Entry;
use super::super::options::{Answers, Restart, Terminate};
use super::super::rest::block_on;
use super::super::runner::{Handled, Runner, Turn};
use super::super::shared::Taken;
use super::*;
use crate::config::RuntimeConfig;
use crate::error::{Error, Result, RingError};

static ENTRY: Entry = Entry::of_numbers();

/// How actors come on with what they have begun.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// They have ended at once.
    AtOnce,
    /// Somebody waits for them.
    Later,
    /// They do not begin, and handle it alone.
    Alone,
    /// They have ended, and have sent a message.
    Sending,
    /// The device fails.
    Failing,
}

/// Adds one to each message's number.
struct Adding {
    way: Way,
    under_way: usize,
    handled: Arc<AtomicUsize>,
}

impl Runner for Adding {
    fn handle(&mut self, batch: &Batch, _: &Turn<'_>) -> Result<Handled> {
        self.handled.fetch_add(1, Ordering::Relaxed);
        let mut handled = Handled {
            answers: batch.words.iter().map(|number| number + 1).collect::<Vec<_>>().into(),
            ..Handled::default()
        };
        if std::mem::replace(&mut self.way, Way::AtOnce) == Way::Sending {
            handled.sent = Sent {
                to: vec![1],
                words: vec![70],
            };
        }
        Ok(handled)
    }

    fn begin(&mut self, _: &Batch, _: u64) -> Result<bool> {
        match self.way {
            Way::Failing => Err(Error::Device {
                reason: "it is broken".to_string(),
            }),
            Way::Alone => Ok(false),
            _ => {
                self.under_way += 1;
                Ok(true)
            }
        }
    }

    fn answers_at_once(&self) -> bool {
        true
    }

    fn has_ended(&self) -> bool {
        self.under_way > 0 && self.way != Way::Later
    }

    fn end(&mut self, batch: &Batch, turn: &Turn<'_>) -> Result<Handled> {
        self.under_way -= 1;
        self.handle(batch, turn)
    }

    fn goes_round(&self, _: usize) -> bool {
        // That would be for the pump's thread.
        true
    }

    fn states(&mut self, _: std::ops::Range<u32>) -> Result<Vec<u32>> {
        Ok(Vec::new())
    }

    fn restore(&mut self, _: &[u32]) -> Result<()> {
        Ok(())
    }

    fn reset(&mut self, _: &[u32]) -> Result<()> {
        Ok(())
    }
}

struct Rig {
    shared: Arc<Shared>,
    pump: Arc<SharedPump>,
    /// Batches that actors have handled.
    handled: Arc<AtomicUsize>,
}

impl Rig {
    fn new(way: Way) -> Rig {
        let handled = Arc::new(AtomicUsize::new(0));
        let shared = Shared::new(
            &ENTRY,
            4,
            (32, usize::MAX, Bound::new(&ENTRY, 32, 0)),
            (Restart::default(), Answers::Keep),
            RuntimeConfig::default(),
        );
        shared.lock().life = Life::Active;
        let runner = Adding {
            way,
            under_way: 0,
            handled: Arc::clone(&handled),
        };
        let pump = Pump::new(Arc::clone(&shared), Box::new(runner), Clock::default());
        Rig {
            pump: Arc::new(SharedPump::new(Arc::clone(&shared), pump)),
            shared,
            handled,
        }
    }

    /// Calls an actor, and helps.
    fn call(&self, number: u32) -> impl Future<Output = Result<u32, RingError>> + use<> {
        let (reply, answer) = oneshot::async_channel::<Answer>();
        let mut caller = Some(Caller::new(reply, vec![number], Duration::from_secs(60)));
        assert!(matches!(self.shared.accept_call(2, &mut caller, true), Taken::Yes));
        self.pump.help();
        async move {
            answer
                .await
                .expect("the kernel answers")?
                .first()
                .copied()
                .ok_or(RingError::Closed { kernel: String::new() })
        }
    }

    fn handled(&self) -> usize {
        self.handled.load(Ordering::Relaxed)
    }
}

fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    futures_lite::future::block_on(futures_lite::future::poll_once(Box::pin(future)))
}

#[test]
fn a_caller_is_answered_on_his_own_thread() {
    let rig = Rig::new(Way::AtOnce);
    for number in [4, 5] {
        assert_eq!(ready(rig.call(number)).map(Result::unwrap), Some(number + 1));
    }
    assert!(rig.shared.lock().is_settled());
}

#[test]
fn what_is_not_done_at_once_is_left_to_the_thread() {
    for way in [Way::Later, Way::Alone] {
        let rig = Rig::new(way);
        let mut call = Box::pin(rig.call(4));
        assert!(ready(call.as_mut()).is_none());
        assert_eq!(rig.handled(), 0);
        assert!(rig.pump.turn());
        assert_eq!(ready(call.as_mut()).map(Result::unwrap), Some(5));
    }
}

#[test]
fn nobody_helps_while_another_has_the_pump() {
    let rig = Rig::new(Way::AtOnce);
    let place = rig.pump.pump.lock().unwrap();
    let mut call = Box::pin(rig.call(4));
    assert!(ready(call.as_mut()).is_none());
    drop(place);
    assert!(rig.pump.turn() && rig.pump.turn());
    assert_eq!(ready(call.as_mut()).map(Result::unwrap), Some(5));
}

#[test]
fn a_helper_leaves_what_actors_send_and_what_others_have_sent() {
    let rig = Rig::new(Way::Sending);
    assert_eq!(ready(rig.call(4)).map(Result::unwrap), Some(5));
    assert_eq!(rig.shared.lock().letters.sent_len(), 1);
    // It comes first.
    let mut call = Box::pin(rig.call(6));
    assert!(ready(call.as_mut()).is_none());
    assert_eq!(rig.handled(), 1);
    // As many as one who helps takes.
    let rig = Rig::new(Way::AtOnce);
    let many = [1; 15];
    assert_eq!(rig.shared.accept("send", &many, &many).0, 15);
    let mut call = Box::pin(rig.call(6));
    assert_eq!(ready(call.as_mut()).map(Result::unwrap), Some(7));
    // One more, and while the actors rest.
    let rig = Rig::new(Way::AtOnce);
    assert_eq!(rig.shared.accept("send", &[1; 16], &[1; 16]).0, 16);
    let mut call = Box::pin(rig.call(6));
    assert!(ready(call.as_mut()).is_none());
    assert_eq!(rig.handled(), 0);
    let rig = Rig::new(Way::AtOnce);
    rig.shared.lock().life = Life::Deactivated;
    assert_eq!(rig.shared.accept("send", &many, &many).0, 15);
    rig.pump.help();
    assert_eq!(rig.handled(), 0);
}

#[test]
fn a_kernel_fails_whoever_has_its_pump() {
    let rig = Rig::new(Way::Failing);
    let error = ready(rig.call(4)).unwrap().unwrap_err();
    assert!(error.to_string().contains("it is broken"), "{error}");
    assert_eq!(rig.shared.lock().life, Life::Failed);
    assert!(!rig.pump.turn());
}

#[test]
fn the_thread_is_woken_for_what_is_left() {
    for way in [Way::Later, Way::Alone, Way::AtOnce, Way::Sending] {
        let rig = Rig::new(way);
        let pump = Arc::clone(&rig.pump);
        let thread = thread::spawn(move || pump.run());
        for number in 0..100 {
            assert_eq!(block_on(rig.call(number), &rig.shared.patience).unwrap(), number + 1);
        }
        rig.shared.begin_to_end(Terminate::Drain);
        thread.join().unwrap();
        assert_eq!(rig.shared.lock().life, Life::Terminated);
    }
}
