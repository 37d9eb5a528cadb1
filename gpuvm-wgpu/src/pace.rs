//! How much the host lets a device do before it looks again.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gpuvm_engine::{Dispatch, Limit};

use super::frame_room::FrameRoom;
use super::stepper::Reach;

/// How long the device should be at one submission, and how much it seems to get done in that time.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// What the target is unless somebody wishes otherwise.
    pleasant: Duration,
    target: Duration,
    /// Instructions of each VM in a second.
    rate: f64,
    /// The most of them that the next submission may have.
    most: f64,
    /// Those that the last submission would have had without any other limit.
    wanted: u64,
    /// Whether a submission has told.
    adapted: bool,
}

/// How long a submission takes unless somebody wishes otherwise: a desktop stays usable.
const PLEASANT: Duration = Duration::from_millis(5);
/// In mega dispatches: half of what drivers' watchdogs allow.
const LONG: Duration = Duration::from_secs(1);
/// The same where the host's CPU plays the device.
const LONG_SOFTWARE: Duration = Duration::from_millis(250);
/// A launch that took no longer may as well be one submission the next time.
const SHORT: Duration = Duration::from_millis(10);
/// A submission reads the states of all VMs and writes them again, so many bytes of each.
const STATE_BYTES: f64 = 2.0 * 128.0;
/// Bytes a second of a GPU that is not a slow one.
const BANDWIDTH: f64 = 1e12;
/// So much longer than that a submission is at least: else a launch of very many VMs would do hardly anything else.
const WORTH_IT: f64 = 5.0;
/// A submission costs so much that a shorter one makes no sense.
const SHORTEST: Duration = Duration::from_micros(50);
/// Instructions a second, of all VMs together, that even a slow device gets done.
const SPEED: f64 = 5e10;
/// The same for the host's CPU.
const SPEED_SOFTWARE: f64 = 2e7;
/// The first submission has at least and at most so many instructions of each VM.
const FIRST: [f64; 2] = [256.0, 65_536.0];
/// A submission is at most so many times as long as the one before.
const GROWTH: f64 = 4.0;

/// What is remembered of a program's launches on one engine, so that the next one begins with submissions of the right size.
#[derive(Debug, Default)]
pub struct Experience(Mutex<Known>);

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Instructions a second, of all VMs together, while they all ran.
    speed: Option<f64>,
    /// Instructions of each VM that were enough for the last launch, if it was short.
    enough: Option<f64>,
    /// How long the submission took that ended it.
    time: Option<Duration>,
    /// How long all submissions of all launches took.
    spent: Duration,
    /// Epochs that were enough for it, on the epoch engine.
    epochs: Option<u32>,
    /// The room for frames that its VMs had in the end.
    room: FrameRoom,
}

/// How long a submission of so many VMs takes unless somebody wishes otherwise, and at most in one piece if it is all that there is.
fn pleasant(software: bool, vms: u32) -> [Duration; 2] {
    if software {
        return [PLEASANT, SHORT];
    }
    let resumed = WORTH_IT * f64::from(vms) * STATE_BYTES / BANDWIDTH;
    let least = Duration::from_secs_f64(resumed).min(LONG_SOFTWARE);
    [PLEASANT.max(least), SHORT.max(least)]
}

impl Experience {
    fn known(&self) -> Known {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing is remembered yet.
    pub fn is_blank(&self) -> bool {
        let Known { speed, enough, .. } = self.known();
        speed.is_none() && enough.is_none()
    }

    /// Remembers what another one does: that of a kernel that does the same work.
    pub fn learn_from(&self, other: &Experience) {
        let known = other.known();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = known;
    }

    /// A submission of so many instructions of so many VMs took that long, and was not enough.
    pub fn note_speed(&self, cycles: u64, vms: u32, took: Duration) {
        let speed = cycles as f64 * f64::from(vms) / took.as_secs_f64().max(1e-6);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).speed = Some(speed);
    }

    /// Whether so many instructions of each VM were enough for the last launch, which was short.
    pub fn is_enough(&self, cycles: u64) -> bool {
        self.known().enough.is_some_and(|enough| cycles as f64 >= enough)
    }

    /// So many instructions of each of so many VMs were enough for a launch, and that is how long the device was at it.
    pub fn note_end(&self, (cycles, vms): (u64, u32), software: bool, took: Duration) {
        let [_, short] = pleasant(software, vms);
        let enough = (took < short).then_some(cycles as f64);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).enough = enough;
    }

    /// A submission took that long.
    pub fn note_spent(&self, took: Duration) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.spent = known.spent.saturating_add(took);
    }

    /// How long all submissions so far took.
    pub fn spent(&self) -> Duration {
        self.known().spent
    }

    /// A launch's last submission took that long.
    pub fn note_time(&self, took: Duration) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).time = Some(took);
    }

    /// How long the last submission of the last launch took.
    pub fn time(&self) -> Option<Duration> {
        self.known().time
    }

    /// The VMs of a launch had so much room for their frames when it ended.
    pub fn note_room(&self, room: FrameRoom) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).room = room;
    }

    /// The room that was enough for the frames of a VM the last time, none if nothing is known of that.
    pub fn room(&self) -> FrameRoom {
        self.known().room
    }

    /// So many epochs were enough for a step of a launch.
    pub fn note_epochs(&self, epochs: u64) {
        let epochs = u32::try_from(epochs).ok();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).epochs = epochs;
    }

    /// The epochs that were enough the last time.
    pub fn epochs(&self) -> Option<u32> {
        self.known().epochs
    }
}

impl Pace {
    /// What experience tells, or a guess: for so many VMs whose longest instruction has so many inner iterations.
    pub fn start(software: bool, vms: u32, inner: u32, experience: &Experience) -> Pace {
        let Known { speed, enough, .. } = experience.known();
        let guess = if software { SPEED_SOFTWARE } else { SPEED };
        let each = |seconds: f64| speed.unwrap_or(guess) * seconds / f64::from(vms);
        let [pleasant, _] = pleasant(software, vms);
        let mut first = each(pleasant.as_secs_f64());
        if speed.is_none() {
            first = first.clamp(FIRST[0], FIRST[1]) / (1.0 + f64::from(inner) / 16.0);
        }
        if let Some(enough) = enough {
            // What was enough once is tried at once, unless it would take long if no VM ended before.
            first = first.max(enough.min(each(LONG_SOFTWARE.as_secs_f64()).max(FIRST[0])));
        }
        Pace {
            pleasant,
            target: pleasant,
            rate: first / pleasant.as_secs_f64(),
            most: first,
            wanted: 0,
            adapted: false,
        }
    }

    /// Sets how long a submission should be, given how much time is left.
    pub fn aim(&mut self, limit: &Limit, software: bool, left: Option<Duration>) {
        let target = match limit.dispatch {
            Dispatch::Mega if software => LONG_SOFTWARE,
            Dispatch::Mega => LONG,
            Dispatch::Standard | Dispatch::Continuous => limit.slice.unwrap_or(self.pleasant),
        };
        self.target = left.map_or(target, |left| left.min(target)).max(SHORTEST);
    }

    /// Dispatches of the next submission, and instructions of each VM in one of them, which together are at most `left`, and at least
    /// `least` as far as they reach.
    pub fn next(&mut self, reach: &Reach, least: u64, left: u64) -> (u32, u32) {
        let most = u64::from(reach.cycles) * u64::from(reach.dispatches);
        let cycles = (self.rate * self.target.as_secs_f64()).min(self.most).max(1.0);
        self.wanted = (cycles as u64).max(least).min(most);
        let cycles = self.wanted.min(left).max(1);
        let each = cycles.min(reach.cycles.into());
        let dispatches = (cycles / each).min(reach.dispatches.into());
        (dispatches as u32, each as u32)
    }

    /// How long so many instructions of each VM should take, once that is known.
    pub fn time_of(&self, cycles: u64) -> Option<Duration> {
        let seconds = cycles as f64 / self.rate;
        Duration::try_from_secs_f64(seconds).ok().filter(|_| self.adapted)
    }

    /// Makes the next submission longer or shorter, given how long it took to run so many instructions of each VM.
    pub fn adapt(&mut self, took: Duration, cycles: u64) {
        if cycles < self.wanted / 2 {
            // It was kept short for another reason, and tells little.
            return;
        }
        self.adapted = true;
        self.rate = cycles as f64 / took.as_secs_f64().max(1e-6);
        self.most = cycles as f64 * GROWTH;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REACH: Reach = Reach {
        cycles: 16_384,
        dispatches: 16,
        inner: 0,
    };

    #[test]
    fn submissions_come_to_take_as_long_as_they_should() {
        let mut pace = Pace::start(true, 1000, 0, &Experience::default());
        let mut took = Duration::ZERO;
        for _ in 0..20 {
            let (dispatches, each) = pace.next(&REACH, 1, u64::MAX);
            let cycles = u64::from(dispatches) * u64::from(each);
            took = Duration::from_micros(cycles);
            pace.adapt(took, cycles);
        }
        assert!(took.abs_diff(PLEASANT) < PLEASANT / 20, "{took:?}");
        let expected = pace.time_of(took.as_micros() as u64).unwrap();
        assert!(took.abs_diff(expected) < PLEASANT / 20, "{expected:?}");
    }

    #[test]
    fn very_many_vms_are_not_only_saved_and_restored() {
        let vms = 1 << 26;
        let experience = Experience::default();
        // Their states alone take four milliseconds.
        let took = |cycles: u64| Duration::from_millis(4) + Duration::from_micros(cycles * 10);
        let mut pace = Pace::start(false, vms, 0, &experience);
        let mut last = Duration::ZERO;
        for _ in 0..20 {
            let (dispatches, each) = pace.next(&REACH, 1, u64::MAX);
            let cycles = u64::from(dispatches) * u64::from(each);
            last = took(cycles);
            pace.adapt(last, cycles);
        }
        assert!(
            last > Duration::from_millis(60) && last < Duration::from_millis(110),
            "{last:?}"
        );
        experience.note_end((1000, vms), false, took(1000));
        assert!(experience.is_enough(1000));
        experience.note_end((1000, 1000), false, took(1000));
        assert!(!experience.is_enough(1000));
    }

    #[test]
    fn a_limit_is_never_passed() {
        let mut pace = Pace::start(false, 1, 0, &Experience::default());
        pace.adapt(Duration::from_micros(1), 1_000_000);
        for left in [1, 2, 5, 16_383, 16_384, 16_385, 40_000, 1 << 40] {
            let (dispatches, each) = pace.next(&REACH, 1, left);
            let cycles = u64::from(dispatches) * u64::from(each);
            assert!(
                cycles > 0 && cycles <= left && each <= REACH.cycles,
                "{left}: {dispatches} of {each}"
            );
        }
    }

    #[test]
    fn a_short_launch_is_one_submission_the_next_time() {
        let experience = Experience::default();
        let cycles = |pace: &mut Pace| {
            pace.next(
                &Reach {
                    dispatches: 1,
                    cycles: 1 << 24,
                    inner: 0,
                },
                1,
                u64::MAX,
            )
            .1
        };
        assert!(cycles(&mut Pace::start(false, 1 << 20, 0, &experience)) < 10_000);
        experience.note_end((10_000, 1 << 20), false, Duration::from_millis(2));
        assert_eq!(cycles(&mut Pace::start(false, 1 << 20, 0, &experience)), 10_000);
        // What took long is cut into pleasant pieces, by the speed that was seen.
        experience.note_end((10_000_000, 1 << 20), false, Duration::from_secs(3));
        experience.note_speed(1_000_000, 1 << 20, Duration::from_secs(1));
        assert_eq!(cycles(&mut Pace::start(false, 1 << 20, 0, &experience)), 5_000);
    }
}
