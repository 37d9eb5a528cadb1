//! Who runs which VMs: whoever is free takes as much of what is left as it would do until all are done, by how fast each was seen to be. Where that is known from
//! launches before, each has one part: a GPU takes as long for a few VMs as for those that fill it, so that parts which shrink towards the end (guided
//! self-scheduling, Polychronopoulos and Kuck, 1987) leave it idle. Who is not known yet gets a small part first, and is known from then on.

use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::rates::merged;

/// A part takes its member so long at least, against which what it costs to begin one is little.
const SHORTEST: Duration = Duration::from_millis(3);

/// A member that nobody knows yet gets this part of the VMs: one that is a hundred times as slow as the others does not hold them up with it.
const FIRST_LOOK: u32 = 256;

/// The VMs that are left, and who may take them.
pub(super) struct Queue {
    state: Mutex<State>,
    /// Something has come back, or nothing will.
    changed: Condvar,
}

struct State {
    /// VMs that nobody has had.
    rest: Range<u32>,
    /// Parts whose members could not do them.
    back: Vec<Range<u32>>,
    /// Parts that are with their members.
    out: usize,
    members: Vec<Member>,
    all: u32,
    ended: bool,
}

struct Member {
    /// How many parts it has at a time.
    hands: usize,
    /// How many it has now.
    out: usize,
    /// VMs a second.
    rate: Option<f64>,
    /// The most VMs that it holds.
    most: u32,
}

/// A share of the VMs left for a member that has a hand free: what it would do until all hands are done that are free now. `None` if those would be done with
/// all before it would be with the least.
fn share(left: u32, all: u32, members: &[Member], member: usize) -> Option<u32> {
    let Member { hands, rate, most, .. } = members[member];
    let Some(rate) = rate else {
        return Some((all / FIRST_LOOK).max(1).min(left).min(most));
    };
    let own = rate / hands as f64;
    let able = || members.iter().filter(|member| member.most > 0);
    let free = |member: &Member| Some(member.rate? / member.hands as f64 * (member.hands - member.out) as f64);
    let known: f64 = able().filter_map(free).sum();
    // Who is not known yet is taken for one of the others.
    let unknown = able().filter(|member| member.rate.is_none()).count() as f64;
    let together = known * (1.0 + unknown / (able().count() as f64 - unknown).max(1.0));
    let others: f64 = able().filter_map(|member| member.rate).sum::<f64>() - rate;
    let fair = f64::from(left) * own / together;
    let size = fair.max(own * SHORTEST.as_secs_f64()).max(1.0);
    let size = size.min(f64::from(left.min(most))).round();
    // One VM of a slow member may take longer than all that is left takes the others.
    let time = size / own;
    let late = size > 1.5 * fair
        && others > 0.0
        && time > 2.0 * SHORTEST.as_secs_f64()
        && time > 2.0 * f64::from(left) / others;
    (!late).then_some((size as u32).max(1))
}

impl Queue {
    /// VMs for members of so many hands and such rates.
    pub(super) fn new(vms: Range<u32>, members: impl IntoIterator<Item = (usize, Option<f64>)>) -> Queue {
        let member = |(hands, rate)| Member {
            hands,
            out: 0,
            rate,
            most: u32::MAX,
        };
        Queue {
            state: Mutex::new(State {
                all: vms.len() as u32,
                rest: vms,
                back: Vec::new(),
                out: 0,
                members: members.into_iter().map(member).collect(),
                ended: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// The next VMs for a member; `None` if there is nothing more for it to do. Waits while others may give back what they have.
    pub(super) fn take(&self, member: usize) -> Option<Range<u32>> {
        let mut state = self.lock();
        loop {
            if state.ended || state.members[member].most == 0 {
                return None;
            }
            if let Some(range) = state.next(member) {
                state.begin(member);
                return Some(range);
            }
            if state.out == 0 {
                self.changed.notify_all();
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A member has done its part.
    pub(super) fn done(&self, member: usize, vms: usize, time: Duration) {
        let mut state = self.lock();
        let Member { hands, rate, .. } = &mut state.members[member];
        *rate = Some(merged(*rate, (vms * *hands) as f64, time));
        state.end(member);
        self.changed.notify_all();
    }

    /// A member could not do a part, and takes no more than so many VMs from now on; none if it is lost.
    pub(super) fn give_back(&self, member: usize, range: Range<u32>, most: u32) {
        let mut state = self.lock();
        state.members[member].most = most;
        state.back.push(range);
        state.end(member);
        self.changed.notify_all();
    }

    /// Nobody gets more.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// How many VMs nobody has done. Once all members have come back without a part.
    pub(super) fn left(&self) -> usize {
        let state = self.lock();
        state.rest.len() + state.back.iter().map(ExactSizeIterator::len).sum::<usize>()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn begin(&mut self, member: usize) {
        self.out += 1;
        self.members[member].out += 1;
    }

    fn end(&mut self, member: usize) {
        self.out -= 1;
        self.members[member].out -= 1;
    }

    fn next(&mut self, member: usize) -> Option<Range<u32>> {
        let most = self.members[member].most;
        if let Some(range) = self.back.pop() {
            let end = range.start.saturating_add(most).min(range.end);
            if end < range.end {
                self.back.push(end..range.end);
            }
            return Some(range.start..end);
        }
        let left = self.rest.len() as u32;
        if left == 0 {
            return None;
        }
        let start = self.rest.start;
        self.rest.start += share(left, self.all, &self.members, member)?;
        Some(start..self.rest.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(rates: &[(usize, f64)]) -> Vec<(usize, Option<f64>)> {
        rates.iter().map(|(hands, rate)| (*hands, Some(*rate))).collect()
    }

    /// The parts as members would take them that are as fast as they were.
    fn simulated(vms: u32, rates: &[(usize, f64)]) -> Vec<(usize, Range<u32>)> {
        let queue = Queue::new(0..vms, members(rates));
        let hands = rates.iter().enumerate();
        let mut free: Vec<(f64, usize, u32)> = hands
            .flat_map(|(member, (hands, _))| (0..*hands).map(move |_| (0.0, member, 0)))
            .collect();
        let mut parts = Vec::new();
        while let Some(next) = (0..free.len()).min_by(|a, b| free[*a].0.total_cmp(&free[*b].0)) {
            let (time, member, had) = free[next];
            let (hands, rate) = rates[member];
            if had > 0 {
                let took = f64::from(had) * hands as f64 / rate;
                queue.done(member, had as usize, Duration::from_secs_f64(took));
                free[next].2 = 0;
            }
            // In place of `take`, which would wait for the others.
            let mut state = queue.lock();
            match state.next(member) {
                Some(range) => {
                    state.begin(member);
                    let took = range.len() as f64 * hands as f64 / rate;
                    free[next] = (time + took, member, range.len() as u32);
                    parts.push((member, range));
                }
                None => {
                    free.swap_remove(next);
                }
            }
        }
        parts
    }

    fn of(parts: &[(usize, Range<u32>)], member: usize) -> u32 {
        let own = parts.iter().filter(|(of, _)| *of == member);
        own.map(|(_, range)| range.len() as u32).sum()
    }

    #[test]
    fn every_vm_is_in_one_part() {
        for vms in [1, 2, 63, 64, 1000, u32::MAX] {
            let mut parts = simulated(vms, &[(2, 3e5), (1, 1e3), (2, 7e4)]);
            parts.sort_by_key(|(_, range)| range.start);
            let mut end = 0;
            for (_, range) in &parts {
                assert_eq!(range.start, end);
                assert!(!range.is_empty());
                end = range.end;
            }
            assert_eq!(end, vms);
            assert!(parts.len() < 400, "{} parts of {vms}", parts.len());
        }
    }

    #[test]
    fn each_gets_as_much_as_it_is_fast() {
        let parts = simulated(1_000_000, &[(2, 2e6), (2, 1e6)]);
        let first = f64::from(of(&parts, 0)) / 1e6;
        assert!((0.64..0.70).contains(&first), "{first}");
    }

    #[test]
    fn nobody_waits_for_who_is_slow() {
        // Both would be done in a millisecond, and the second takes a second for one VM.
        let parts = simulated(1000, &[(1, 1e6), (1, 1.0)]);
        assert_eq!(of(&parts, 1), 0);
    }

    #[test]
    fn what_comes_back_is_for_the_others() {
        let queue = Queue::new(0..100, members(&[(1, 1e9), (1, 1e9)]));
        let first = queue.take(0).unwrap();
        queue.give_back(0, first.clone(), 0);
        assert_eq!(queue.take(0), None);
        let mut had = Vec::new();
        while let Some(range) = queue.take(1) {
            queue.done(1, range.len(), Duration::from_millis(1));
            had.extend(range);
        }
        had.sort_unstable();
        assert_eq!(had, (0..100).collect::<Vec<_>>());
        assert_eq!(queue.left(), 0);
    }

    #[test]
    fn who_has_no_room_takes_less() {
        let queue = Queue::new(0..100, members(&[(1, 1e9)]));
        let all = queue.take(0).unwrap();
        assert_eq!(all, 0..100);
        queue.give_back(0, all, 7);
        assert_eq!(queue.take(0), Some(0..7));
        queue.done(0, 7, Duration::from_millis(1));
        assert_eq!(queue.take(0), Some(7..14));
    }

    #[test]
    fn who_is_unknown_is_looked_at_first() {
        let queue = Queue::new(0..25_600, [(1, None), (1, None)]);
        assert_eq!(queue.take(0), Some(0..100));
        queue.done(0, 100, Duration::from_millis(100));
        // 1000 a second; the other one is unknown, and has to be known before the rest is shared.
        assert_eq!(queue.take(1), Some(100..200));
        queue.done(1, 100, Duration::from_millis(50));
        assert_eq!(queue.take(0), Some(200..8667));
        assert_eq!(queue.take(1), Some(8667..25_600));
    }
}
