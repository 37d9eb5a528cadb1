//! Launches that take long on the native engine, where nothing stops a VM: who wonders is told once how to bound one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Wake, Waker};
use std::time::{Duration, Instant};

use crate::alarm::Alarm;
use crate::unheard;

/// After so long it is told.
const LONG: Duration = Duration::from_secs(10);

/// What is under way in this process, and has not been told of.
static UNDER_WAY: Mutex<UnderWay> = Mutex::new(UnderWay {
    launches: BTreeMap::new(),
    next: 0,
    alarm: None,
});

/// Launches by their numbers.
struct UnderWay {
    launches: BTreeMap<u64, (Instant, String)>,
    next: u64,
    /// Set for the first launch that it is set for, and left as it is when that is over: most are over much sooner.
    alarm: Option<Alarm>,
}

/// A launch that is under way, until it is dropped.
pub(crate) struct Watched(u64);

/// What the alarm rings.
struct Bell;

impl Wake for Bell {
    fn wake(self: Arc<Bell>) {
        for routine in lock().overdue(Instant::now()) {
            let warning = format!(
                "`{routine}` has run for {LONG:?} on the native engine, which cannot stop it; if it may never end, bound it with \
                 `.budget(Budget::time(…))`, and an engine that can stop runs it"
            );
            tracing::warn!(routine, "{warning}");
            unheard::print(&warning);
        }
    }
}

/// Watches a launch of the routine.
pub(crate) fn watch(routine: &str) -> Watched {
    let (mut under_way, now) = (lock(), Instant::now());
    let number = under_way.next;
    under_way.next += 1;
    under_way.launches.insert(number, (now, routine.to_string()));
    under_way.set_alarm();
    Watched(number)
}

impl Drop for Watched {
    fn drop(&mut self) {
        lock().launches.remove(&self.0);
    }
}

impl UnderWay {
    /// Takes out the launches that have taken long. The alarm has rung, and is set again for the others.
    fn overdue(&mut self, now: Instant) -> Vec<String> {
        self.alarm = None;
        let mut told = Vec::new();
        self.launches.retain(|_, (begin, routine)| {
            let is_overdue = now.saturating_duration_since(*begin) >= LONG;
            told.extend(is_overdue.then(|| routine.clone()));
            !is_overdue
        });
        self.set_alarm();
        told
    }

    fn set_alarm(&mut self) {
        static BELL: OnceLock<Waker> = OnceLock::new();
        let oldest = self.launches.values().next();
        if let Some(at) = oldest.and_then(|(begin, _)| begin.checked_add(LONG)) {
            Alarm::set(&mut self.alarm, at, BELL.get_or_init(|| Arc::new(Bell).into()));
        }
    }
}

fn lock() -> MutexGuard<'static, UnderWay> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_takes_long_is_told_and_once() {
        let begin = Instant::now();
        let mut under_way = UnderWay {
            launches: BTreeMap::from([
                (0, (begin, "long".to_string())),
                (1, (begin + LONG / 2, "later".to_string())),
            ]),
            next: 2,
            alarm: None,
        };
        assert!(under_way.overdue(begin + LONG / 2).is_empty());
        assert_eq!(under_way.overdue(begin + LONG), ["long"]);
        assert!(under_way.overdue(begin + LONG).is_empty() && under_way.alarm.is_some());
        under_way.launches.clear();
        assert!(under_way.overdue(begin + 2 * LONG).is_empty() && under_way.alarm.is_none());
    }
}
