//! Tallies of several jobs together.

use std::time::Duration;

use gpuvm_engine::{Engine, Tally};

/// The tallies of several jobs as one.
pub(crate) fn sum<'t>(tallies: impl IntoIterator<Item = &'t Tally>) -> Tally {
    let mut tallies = tallies.into_iter();
    let mut sum = tallies.next().cloned().unwrap_or_default();
    for tally in tallies {
        // Those of jobs one after the other may be more than any of them has.
        for (all, these) in [
            (&mut sum.running, tally.running),
            (&mut sum.yielded, tally.yielded),
            (&mut sum.blocked, tally.blocked),
            (&mut sum.halted, tally.halted),
            (&mut sum.trapped, tally.trapped),
            (&mut sum.at_breakpoint, tally.at_breakpoint),
        ] {
            *all = all.saturating_add(these);
        }
        sum.steps = sum.steps.min(tally.steps);
        sum.retired = match (sum.retired, tally.retired) {
            (Some(a), Some(b)) => Some(std::array::from_fn(|class| a[class] + b[class])),
            (known, None) | (None, known) => known,
        };
        sum.batches += tally.batches;
        sum.epochs = added(sum.epochs, tally.epochs, |a, b| a + b);
        sum.left_after = sum.left_after.max(tally.left_after);
        sum.device_time = added(sum.device_time, tally.device_time, |a: Duration, b| a + b);
        if sum.engine == Engine::Auto {
            sum.engine = tally.engine;
        }
    }
    sum
}

/// The tally of what came before and of what is going on now. Instructions that one of the two has not counted make the sum unknown.
pub(crate) fn continued(before: &Tally, now: &Tally) -> Tally {
    let mut all = sum([before, now]);
    if [before, now]
        .iter()
        .any(|tally| tally.engine != Engine::Auto && tally.retired.is_none())
    {
        all.retired = None;
    }
    all
}

fn added<T>(a: Option<T>, b: Option<T>, add: impl FnOnce(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(add(a, b)),
        (known, None) | (None, known) => known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_one_after_the_other_may_have_more_vms_than_one_can_have() {
        let most = Tally {
            halted: u32::MAX,
            ..Tally::default()
        };
        assert_eq!(continued(&most, &most).halted, u32::MAX);
    }

    #[test]
    fn what_is_not_counted_makes_the_sum_unknown() {
        let counted = |engine, retired| Tally {
            engine,
            retired,
            ..Tally::default()
        };
        let saved = counted(Engine::Auto, Some([1; 4]));
        let on_interpreter = counted(Engine::Interpreter, Some([2; 4]));
        let specialized = counted(Engine::Specialized, None);
        assert_eq!(continued(&Tally::default(), &on_interpreter).retired, Some([2; 4]));
        assert_eq!(continued(&saved, &on_interpreter).retired, Some([3; 4]));
        assert_eq!(continued(&saved, &Tally::default()).retired, Some([1; 4]));
        assert_eq!(continued(&saved, &specialized).retired, None);
        assert_eq!(continued(&specialized, &on_interpreter).retired, None);
    }
}
