//! How fast the devices of a runtime are at each routine, as they were seen to be.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// VMs a second of each routine on each device.
#[derive(Debug, Default)]
pub(crate) struct Rates(Mutex<BTreeMap<String, Vec<Option<f64>>>>);

/// So many routines are remembered; who launches more under names of their own pays for measuring again.
const MOST_REMEMBERED: usize = 1 << 12;

/// What the last sight counts for, against all before it. Half, so that a device that was slowed for a while is trusted again soon.
const LAST: f64 = 0.5;

impl Rates {
    /// The rates of so many devices at a routine; `None` of one that has not run it.
    pub(crate) fn of(&self, routine: &str, devices: usize) -> Vec<Option<f64>> {
        let mut rates = self.lock().get(routine).cloned().unwrap_or_default();
        rates.resize(devices, None);
        rates
    }

    /// Takes in that a device was at so many VMs for so long.
    pub(crate) fn see(&self, routine: &str, device: usize, vms: f64, time: Duration) {
        let mut all = self.lock();
        if all.len() >= MOST_REMEMBERED && !all.contains_key(routine) {
            all.clear();
        }
        let rates = all.entry(routine.to_string()).or_default();
        if rates.len() <= device {
            rates.resize(device + 1, None);
        }
        rates[device] = Some(merged(rates[device], vms, time));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Vec<Option<f64>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A rate after another look.
pub(crate) fn merged(before: Option<f64>, vms: f64, time: Duration) -> f64 {
    let now = vms / time.as_secs_f64().max(1e-9);
    before.map_or(now, |before| before + LAST * (now - before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sight_counts_half() {
        let rates = Rates::default();
        assert_eq!(rates.of("a", 2), [None, None]);
        rates.see("a", 1, 100.0, Duration::from_secs(1));
        rates.see("a", 1, 300.0, Duration::from_secs(1));
        assert_eq!(rates.of("a", 2), [None, Some(200.0)]);
        assert_eq!(rates.of("b", 1), [None]);
    }

    #[test]
    fn what_takes_no_time_has_a_rate() {
        assert!(merged(None, 5.0, Duration::ZERO).is_finite());
    }
}
