//! A processor simulated: jobs as state machines, round robin or by priority with ageing, and an elevator's sweep.

use core::cmp::Reverse;
use core::mem;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    pub arrives: u32,
    pub work: u32,
    pub priority: u8,
    /// After so much work it waits for a device; 0 never.
    pub burst: u32,
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Unborn,
    Ready {
        since: u32,
    },
    Running {
        quantum: u32,
    },
    Blocked {
        until: u32,
    },
    Done {
        at: u32,
    },
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Task {
    state: State,
    left: u32,
    to_block: u32,
    waited: u32,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    RoundRobin { quantum: u32 },
    Priority,
}

#[routine]
impl Policy {
    const fn quantum(self) -> u32 {
        match self {
            Policy::RoundRobin { quantum } => quantum,
            Policy::Priority => u32::MAX,
        }
    }

    /// Which ready task runs next: the one for which this is least.
    fn rank(self, job: &Job, since: u32, now: u32) -> (Reverse<u32>, u32) {
        match self {
            Policy::RoundRobin { .. } => (Reverse(0), since),
            // Ten ticks of waiting raise the priority by one.
            Policy::Priority => (Reverse(u32::from(job.priority) + (now - since) / 10), since),
        }
    }
}

const JOBS: usize = 8;
const DEVICE_TIME: u32 = 4;

#[derive(VmType, Clone, Copy)]
struct Machine<'a> {
    jobs: &'a [Job],
    tasks: [Task; JOBS],
    policy: Policy,
    now: u32,
    idle: u32,
    switches: u32,
}

#[routine]
impl<'a> Machine<'a> {
    fn new(jobs: &'a [Job], policy: Policy) -> Self {
        let jobs = &jobs[..jobs.len().min(JOBS)];
        Self {
            jobs,
            tasks: [Task::default(); JOBS],
            policy,
            now: 0,
            idle: 0,
            switches: 0,
        }
    }

    fn wake(&mut self) {
        let now = self.now;
        for (task, job) in self.tasks.iter_mut().zip(self.jobs) {
            match task.state {
                State::Unborn if job.arrives <= now => {
                    *task = Task {
                        state: State::Ready { since: now },
                        left: job.work,
                        to_block: if job.burst == 0 { u32::MAX } else { job.burst },
                        ..Task::default()
                    };
                }
                State::Blocked { until } if until <= now => task.state = State::Ready { since: now },
                _ => {}
            }
        }
    }

    fn dispatch(&mut self) -> Option<usize> {
        let next = self
            .tasks
            .iter()
            .zip(self.jobs)
            .enumerate()
            .filter_map(|(i, (task, job))| match task.state {
                State::Ready { since } => Some((self.policy.rank(job, since, self.now), i)),
                _ => None,
            })
            .min()
            .map(|(_, i)| i)?;
        self.switches += 1;
        let running = State::Running {
            quantum: self.policy.quantum(),
        };
        if let State::Ready { since } = mem::replace(&mut self.tasks[next].state, running) {
            self.tasks[next].waited += self.now - since;
        }
        Some(next)
    }

    fn tick(&mut self) {
        self.wake();
        let running = self
            .tasks
            .iter()
            .position(|task| matches!(task.state, State::Running { .. }));
        let current = running.or_else(|| self.dispatch());
        self.now += 1;
        let Some(current) = current else {
            self.idle += 1;
            return;
        };
        let now = self.now;
        let burst = self.jobs[current].burst;
        let task = &mut self.tasks[current];
        task.left = task.left.saturating_sub(1);
        task.to_block -= 1;
        task.state = match task.state {
            _ if task.left == 0 => State::Done { at: now },
            _ if task.to_block == 0 => {
                task.to_block = burst;
                State::Blocked {
                    until: now + DEVICE_TIME,
                }
            }
            State::Running { quantum: 0 | 1 } => State::Ready { since: now },
            State::Running { quantum } => State::Running { quantum: quantum - 1 },
            state => unreachable!("a task that runs is {state:?}"),
        };
    }

    fn is_done(&self) -> bool {
        self.tasks
            .iter()
            .zip(self.jobs)
            .all(|(task, _)| matches!(task.state, State::Done { .. }))
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleResult {
    pub ends: [u32; 8],
    pub waited: u32,
    pub idle: u32,
    pub switches: u32,
}

/// Runs up to eight jobs, round robin by `quantum` or, where that is 0, by priority; within 500 ticks.
#[routine]
pub fn schedule(jobs: &[Job], quantum: u32) -> ScheduleResult {
    let policy = if quantum == 0 {
        Policy::Priority
    } else {
        Policy::RoundRobin { quantum }
    };
    let mut machine = Machine::new(jobs, policy);
    while !machine.is_done() && machine.now < 500 {
        machine.tick();
    }
    ScheduleResult {
        ends: machine
            .tasks
            .map(|task| if let State::Done { at } = task.state { at } else { 0 }),
        waited: machine.tasks.iter().map(|task| task.waited).sum(),
        idle: machine.idle,
        switches: machine.switches,
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Heading {
    Up,
    Down,
}

/// The floors an elevator goes through to serve `calls`, turning only where none is ahead; the distance.
#[routine]
pub fn elevator(start: u8, calls: &[u8], visits: &mut [u8]) -> u32 {
    let mut waiting = calls.iter().fold(0u64, |waiting, &floor| {
        waiting | 1u64.checked_shl(floor.into()).unwrap_or(0)
    });
    let mut at = u32::from(start.min(63));
    let mut heading = Heading::Up;
    let mut distance = 0;
    let mut slots = visits.iter_mut();
    while waiting != 0 {
        let above = waiting >> at << at;
        let below = waiting & !(u64::MAX << at << 1);
        let next = match heading {
            Heading::Up if above != 0 => above.trailing_zeros(),
            Heading::Down if below != 0 => below.ilog2(),
            _ => {
                heading = if heading == Heading::Up {
                    Heading::Down
                } else {
                    Heading::Up
                };
                continue;
            }
        };
        distance += next.abs_diff(at);
        at = next;
        waiting &= !(1 << at);
        if let Some(slot) = slots.next() {
            *slot = at as u8;
        }
    }
    distance
}

#[cfg(test)]
mod known {
    use super::*;

    const fn job(arrives: u32, work: u32, priority: u8) -> Job {
        Job {
            arrives,
            work,
            priority,
            burst: 0,
        }
    }

    #[test]
    fn schedules() {
        let jobs = [job(0, 5, 1), job(1, 3, 5), job(2, 1, 3)];
        let round_robin = schedule(&jobs, 2);
        // Where two became ready at once the lower number goes first.
        assert_eq!(round_robin.ends[..3], [9, 8, 7]);
        assert_eq!(round_robin.idle, 0);
        let by_priority = schedule(&jobs, 0);
        assert_eq!(
            (by_priority.ends[..3].to_vec(), by_priority.switches),
            (vec![5, 8, 9], 3)
        );
        assert_eq!(by_priority.waited, 4 + 6);
    }

    #[test]
    fn devices() {
        let jobs = [Job {
            arrives: 3,
            work: 4,
            priority: 0,
            burst: 2,
        }];
        let result = schedule(&jobs, 0);
        assert_eq!(
            result,
            ScheduleResult {
                ends: [11, 0, 0, 0, 0, 0, 0, 0],
                waited: 0,
                idle: 7,
                switches: 2
            }
        );
        assert_eq!(schedule(&[], 0).waited, 0);
    }

    #[test]
    fn floors() {
        let mut visits = [0; 4];
        assert_eq!(elevator(5, &[2, 8, 6, 1, 8, 200], &mut visits), 3 + 7);
        assert_eq!(visits, [6, 8, 2, 1]);
    }
}
