//! What is under way in this process, written down for [`activity`](crate::activity) to tell. Nothing is before somebody has asked for it: then a launch costs a few locks
//! that nobody else waits for long.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use gpuvm_core::routine::Level;
use gpuvm_engine::Engine;

use crate::progress::Standing;

/// Launches and plans that are over are kept as many at most, the last ones.
const MOST_ENDED: usize = 100;
/// Lines are kept as many at most, the last ones.
const MOST_LINES: usize = 1000;

static IS_ON: AtomicBool = AtomicBool::new(false);

static RECORDS: Mutex<Records> = Mutex::new(Records {
    next: 0,
    under_way: BTreeMap::new(),
    ended: VecDeque::new(),
    lines: VecDeque::new(),
    lines_so_far: 0,
    totals: Totals::NONE,
});

struct Records {
    next: u64,
    under_way: BTreeMap<u64, Arc<Shared>>,
    ended: VecDeque<Ended>,
    lines: VecDeque<Line>,
    lines_so_far: u64,
    totals: Totals,
}

/// What is the same of a launch from its begin to its end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Work {
    /// Counts launches and plans from 0 on.
    pub number: u64,
    /// What it is.
    pub kind: WorkKind,
    /// The routine's id, or what the plan is called.
    pub name: String,
    /// What its engine runs on.
    pub device: String,
    /// How many VMs a launch has. Those of a plan are not known before it has run.
    pub vms: Option<u64>,
    /// Steps that a launch or a plan makes.
    pub steps: u32,
}

impl Work {
    /// A launch, which gets its number when it begins.
    pub(crate) fn launch(name: &str, device: String, vms: u32, steps: u32) -> Work {
        Work {
            number: 0,
            kind: WorkKind::Launch,
            name: name.to_string(),
            device,
            vms: Some(vms.into()),
            steps,
        }
    }

    /// A run of a plan, which gets its number when it begins.
    pub(crate) fn plan(name: &str, device: String, steps: u32) -> Work {
        Work {
            number: 0,
            kind: WorkKind::Plan,
            name: name.to_string(),
            device,
            vms: None,
            steps,
        }
    }
}

/// What is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkKind {
    /// A launch of a routine, or of a batch of them.
    Launch,
    /// A run of a plan.
    Plan,
}

/// How far a launch or a plan has come.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Headway {
    /// What runs it; [`Engine::Auto`] as long as that is not decided.
    pub engine: Engine,
    /// How the VMs of a launch stand, in the step under way.
    pub standing: Standing,
    /// Steps that are complete.
    pub steps: u32,
    /// The step under way of a plan.
    pub stage: String,
    /// Kernels that a plan has launched.
    pub launches: u64,
    /// Instructions retired, where the engine counts them.
    pub instructions: Option<u64>,
    /// Time that the device has spent on it, where that can be told.
    pub device_time: Option<Duration>,
    /// Whether it runs: an execution does while it is told to advance.
    pub advances: bool,
}

/// A launch or a plan that is over.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ended {
    /// What it was.
    pub work: Work,
    /// How it has ended.
    pub ending: Ending,
    /// How far it has come.
    pub headway: Headway,
    /// Time from its begin to its end.
    pub time: Duration,
    /// When it ended.
    pub at: SystemTime,
}

/// How a launch or a plan has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// All VMs are done.
    Done,
    /// So many VMs have trapped.
    Trapped(u64),
    /// With another error, which says this.
    Failed(String),
    /// It was cancelled, or dropped before its end.
    Dropped,
}

/// What VMs and kernels have said, and what gpuvm says of them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Line {
    /// Counts lines from 0 on.
    pub number: u64,
    /// When it was told, which is when a launch ends that printed it.
    pub at: SystemTime,
    /// How grave it is.
    pub level: Level,
    /// The routine or ring kernel.
    pub source: String,
    /// The VM or actor that said it.
    pub vm: Option<u32>,
    /// File and line of where it was printed.
    pub place: Option<(String, u32)>,
    /// What it says.
    pub text: String,
}

/// Sums over all launches and plans of the process since they are written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Launches that are over.
    pub launches: u64,
    /// Plans that are over.
    pub plans: u64,
    /// VMs of the launches that have stopped, in all steps, those of launches under way among them.
    pub vms: u64,
    /// VMs of launches that trapped.
    pub traps: u64,
    /// Instructions retired, where engines count them, those of what is under way among them.
    pub instructions: u64,
    /// Time that devices have spent, where that can be told.
    pub device_time: Duration,
}

impl Totals {
    const NONE: Totals = Totals {
        launches: 0,
        plans: 0,
        vms: 0,
        traps: 0,
        instructions: 0,
        device_time: Duration::ZERO,
    };

    fn add(&mut self, vms: Option<u64>, headway: &Headway) {
        let Standing { halted, trapped, .. } = headway.standing;
        // What is over of the step under way; when all are, that step is complete.
        let stopped = u64::from(halted) + u64::from(trapped);
        let all = vms.unwrap_or_default();
        let open = if stopped < all || trapped > 0 { stopped } else { 0 };
        self.vms += u64::from(headway.steps) * all + open;
        self.traps += u64::from(trapped);
        self.instructions += headway.instructions.unwrap_or_default();
        self.device_time += headway.device_time.unwrap_or_default();
    }
}

/// What is written down of what is under way.
struct Shared {
    work: Work,
    begin: Instant,
    headway: Mutex<Headway>,
    /// VMs of the step under way that are over, where only that is counted.
    over: AtomicU64,
}

impl Shared {
    fn headway(&self) -> MutexGuard<'_, Headway> {
        self.headway.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Headway {
        let mut headway = self.headway().clone();
        let over = u32::try_from(self.over.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
        let over = over.min(headway.standing.running);
        headway.standing.running -= over;
        headway.standing.halted += over;
        headway
    }
}

/// Begins to write down.
pub(crate) fn turn_on() {
    IS_ON.store(true, Ordering::Relaxed);
}

fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

fn records() -> MutexGuard<'static, Records> {
    RECORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All that is written down.
pub(crate) struct Recorded {
    pub under_way: Vec<(Work, Headway, Duration)>,
    pub ended: Vec<Ended>,
    pub lines: Vec<Line>,
    pub totals: Totals,
}

/// What is under way now.
pub(crate) fn recorded() -> Recorded {
    let records = records();
    let (mut totals, mut under_way) = (records.totals, Vec::new());
    for shared in records.under_way.values() {
        let headway = shared.now();
        totals.add(shared.work.vms, &headway);
        under_way.push((shared.work.clone(), headway, shared.begin.elapsed()));
    }
    Recorded {
        under_way,
        ended: records.ended.iter().cloned().collect(),
        lines: records.lines.iter().cloned().collect(),
        totals,
    }
}

/// Writes down what a launch or a plan does. One that is dropped has ended before its time.
pub(crate) struct Recording {
    shared: Arc<Shared>,
    ending: Ending,
}

/// Begins to write down what a launch or a plan does on an engine, unless nobody wants to know. Its number is given to it.
pub(crate) fn begin(engine: Engine, work: impl FnOnce() -> Work) -> Option<Recording> {
    is_on().then(|| {
        let mut work = work();
        let mut records = records();
        work.number = records.next;
        records.next += 1;
        let headway = Headway {
            engine,
            standing: running(&work),
            ..Headway::default()
        };
        let shared = Arc::new(Shared {
            work,
            begin: Instant::now(),
            headway: Mutex::new(headway),
            over: AtomicU64::new(0),
        });
        records.under_way.insert(shared.work.number, Arc::clone(&shared));
        Recording {
            shared,
            ending: Ending::Dropped,
        }
    })
}

impl Recording {
    /// Writes down how far it has come.
    pub fn update(&self, update: impl FnOnce(&mut Headway)) {
        update(&mut self.shared.headway());
    }

    /// Where VMs are counted that are over, of those that run.
    pub fn over(&self) -> &AtomicU64 {
        &self.shared.over
    }

    /// Begins a step of which VMs are counted that are over.
    pub fn begin_step(&self) {
        self.shared.over.store(0, Ordering::Relaxed);
        let vms = running(&self.shared.work);
        self.update(|headway| {
            headway.advances = true;
            headway.standing = vms;
        });
    }

    /// Ends one: so many are complete now, and so many VMs have trapped.
    pub fn end_step(&self, steps: u32, traps: u64) {
        let all = running(&self.shared.work).running;
        let trapped = u32::try_from(traps).unwrap_or(u32::MAX).min(all);
        self.update(|headway| {
            headway.steps = steps;
            headway.standing = Standing {
                halted: all - trapped,
                trapped,
                ..Standing::default()
            };
        });
    }

    /// Ends it.
    pub fn end(mut self, ending: Ending) {
        self.ending = ending;
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let headway = Headway {
            advances: false,
            ..self.shared.now()
        };
        let mut records = records();
        records.under_way.remove(&self.shared.work.number);
        let work = self.shared.work.clone();
        records.totals.add(work.vms, &headway);
        match work.kind {
            WorkKind::Launch => records.totals.launches += 1,
            WorkKind::Plan => records.totals.plans += 1,
        }
        keep(
            &mut records.ended,
            MOST_ENDED,
            Ended {
                work,
                ending: std::mem::replace(&mut self.ending, Ending::Dropped),
                headway,
                time: self.shared.begin.elapsed(),
                at: SystemTime::now(),
            },
        );
    }
}

/// All VMs of a launch run.
fn running(work: &Work) -> Standing {
    let vms = work.vms.unwrap_or_default();
    Standing {
        running: u32::try_from(vms).unwrap_or(u32::MAX),
        ..Standing::default()
    }
}

fn keep<T>(last: &mut VecDeque<T>, most: usize, next: T) {
    if last.len() >= most {
        last.pop_front();
    }
    last.push_back(next);
}

/// Writes down what was said, of which the number and the time are given to it.
pub(crate) fn say(level: Level, source: &str, text: impl Display) {
    say_at(level, source, None, None, text);
}

/// The same of what a VM or an actor has said.
pub(crate) fn say_at(level: Level, source: &str, vm: Option<u32>, place: Option<(&str, u32)>, text: impl Display) {
    if !is_on() {
        return;
    }
    let text = text.to_string();
    let mut records = records();
    let number = records.lines_so_far;
    records.lines_so_far += 1;
    keep(
        &mut records.lines,
        MOST_LINES,
        Line {
            number,
            at: SystemTime::now(),
            level,
            source: source.to_string(),
            vm,
            place: place.map(|(file, line)| (file.to_string(), line)),
            text,
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headway(standing: Standing, steps: u32) -> Headway {
        Headway {
            standing,
            steps,
            instructions: Some(7),
            ..Headway::default()
        }
    }

    #[test]
    fn steps_are_counted_once() {
        let standing = |running, halted, trapped| Standing {
            running,
            halted,
            trapped,
            ..Standing::default()
        };
        let sum = |standing, steps| {
            let mut totals = Totals::NONE;
            totals.add(Some(10), &headway(standing, steps));
            (totals.vms, totals.traps, totals.instructions)
        };
        assert_eq!(sum(standing(10, 0, 0), 0), (0, 0, 7));
        assert_eq!(sum(standing(4, 6, 0), 2), (26, 0, 7), "in the third step");
        assert_eq!(sum(standing(0, 10, 0), 3), (30, 0, 7), "the third is complete");
        assert_eq!(
            sum(standing(0, 9, 1), 2),
            (30, 1, 7),
            "the third is not, as a VM trapped"
        );
    }

    #[test]
    fn the_last_are_kept() {
        let mut last = VecDeque::new();
        (0..5).for_each(|number| keep(&mut last, 3, number));
        assert_eq!(last, [2, 3, 4]);
    }
}
