//! Alarms: something rings at a time, whatever any thread is at.

use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Instant;

use futures_timer::Delay;

/// Rings at a time.
pub(crate) struct Alarm {
    at: Instant,
    _delay: Delay,
}

impl Alarm {
    /// Sees to it that there is an alarm by then.
    pub(crate) fn set(alarm: &mut Option<Alarm>, at: Instant, bell: &Waker) {
        if alarm.as_ref().is_some_and(|alarm| alarm.at <= at) {
            return;
        }
        // Nobody would hear it if it rang before the bell is there.
        let mut delay = Delay::new(std::time::Duration::MAX);
        let _never = Pin::new(&mut delay).poll(&mut Context::from_waker(bell));
        delay.reset(at.saturating_duration_since(Instant::now()));
        *alarm = Some(Alarm { at, _delay: delay });
    }
}
