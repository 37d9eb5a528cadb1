//! Rounds of actors on several GPUs: each lets its actors handle their mail and gets ready what leaves; that is copied from GPU to GPU; and each brings its actors what there is for them. The host
//! copies and looks, and sees no message.
//!
//! It looks once a round, at how many letters leave for where. What a round comes to is known by then, but for one thing: that an actor gets more letters than a device sorts, which is only found when
//! they are brought to it, and then others may have gone on already. In that case all go back to where they were, and from then on wait for each other before each round.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::super::batch::BatchPart;
use super::super::context::Sent;
use super::super::device::abroad::{Go, Gone};
use super::super::device::{Begun, Columns, End, OnDevice};
use super::super::runner::{Rounds, Turn};
use super::replay::Entry;
use super::shares::join;
use super::{Failed, Holder, OnDevices, Part, at_the_same_time, quietly};
use crate::error::Result;

/// Rounds rest after so long, for states to be kept: whoever takes a lost device's actors has all that came since to do again.
const LONGEST: Duration = Duration::from_secs(10);

/// Why rounds have come to nothing, after which actors have to go back to where they were.
pub(super) enum Hitch {
    /// A device has no room for them.
    NoRoom,
    /// Some have gone on where others could not.
    TooFar,
}

impl OnDevices {
    /// Whether actors go on by themselves with what they send each other.
    pub(super) fn crosses(&self) -> bool {
        self.parts
            .iter()
            .all(|part| part.on_device().is_some_and(OnDevice::crosses))
    }

    /// Rounds on messages. `None` if none are possible.
    pub(super) fn go_round(&mut self, sent: &Arc<Sent>, stopped: &[u32], turn: &Turn<'_>) -> Result<Option<Rounds>> {
        self.keep()?;
        let begin = Instant::now();
        let Some(rounds) = self.surviving(|all| all.try_rounds(sent, stopped, turn))? else {
            return Ok(None);
        };
        let entry = Entry::Rounds {
            sent: Arc::clone(sent),
            stopped: stopped.to_vec(),
            now: turn.now,
            count: rounds.count,
        };
        self.replay.push(entry, begin.elapsed());
        Ok(Some(rounds))
    }

    /// The same, once more after each hitch.
    fn try_rounds(&mut self, sent: &Sent, stopped: &[u32], turn: &Turn<'_>) -> Result<Option<Rounds>, Failed> {
        while self.crosses() {
            match self.rounds_there(sent, stopped, turn)? {
                Ok(rounds) => return Ok(Some(rounds)),
                Err(hitch) => {
                    self.learn(&hitch);
                    self.go_back()?;
                }
            }
        }
        Ok(None)
    }

    /// Sees to it that there is no such hitch again.
    pub(super) fn learn(&mut self, hitch: &Hitch) {
        match hitch {
            Hitch::NoRoom => self.parts.iter_mut().for_each(Part::stay),
            Hitch::TooFar => self.is_careful = true,
        }
    }

    /// So many rounds once more, of which nobody is told anything.
    pub(super) fn go_round_again(
        &mut self,
        (sent, stopped): (&Arc<Sent>, &[u32]),
        now: u64,
        count: u64,
    ) -> Result<Result<(), Hitch>, Failed> {
        let mut sent = Arc::clone(sent);
        let never = AtomicBool::new(false);
        let mut gone = 0;
        while gone < count {
            let asked = Cell::new(0);
            let turn = Turn {
                is_wanted: &|| {
                    asked.set(asked.get() + 1);
                    gone + asked.get() >= count
                },
                ..quietly(now + gone, &never)
            };
            match self.crosses() {
                true => match self.rounds_there(&sent, stopped, &turn)? {
                    Ok(Rounds { count, left, last, .. }) => {
                        gone += count;
                        sent = Arc::new(last.map_or(left, |(_, handled)| handled.sent));
                    }
                    Err(hitch) => return Ok(Err(hitch)),
                },
                false => {
                    let batch = self.grouper.group(&sent.to, &sent.words);
                    let own = self.parted(&batch);
                    sent = Arc::new(self.handle_parts(&own, &quietly(now + gone, &never))?.sent);
                    self.grouper.reuse(batch);
                    gone += 1;
                }
            }
        }
        Ok(Ok(()))
    }

    /// Rounds until the host has something to do.
    fn rounds_there(&mut self, sent: &Sent, stopped: &[u32], turn: &Turn<'_>) -> Result<Result<Rounds, Hitch>, Failed> {
        let batch = self.grouper.group(&sent.to, &sent.words);
        let own = self.parts_of(&batch);
        // What each gets in later rounds is not known.
        let room = sent.to.len().div_ceil(self.parts.len());
        let now = turn.now;
        let parts = self.parts.iter_mut().zip(own);
        let entered = at_the_same_time(parts, |(part, own)| part.enter(&own, room, now, stopped));
        self.grouper.reuse(batch);
        let entered: Vec<Option<Columns>> = entered.into_iter().collect::<Result<_, Failed>>()?;
        let Some(columns) = entered.into_iter().collect::<Option<Vec<Columns>>>() else {
            return Ok(Err(Hitch::NoRoom));
        };
        let begin = Instant::now();
        let mut before = 0;
        let mut left = self.at_once(&columns, (before, turn), |_| Go::Leave)?;
        loop {
            // All have handled this round.
            let Some(next) = self.next_mail(&columns, &left) else {
                return self.see(columns, before, &left, turn);
            };
            let Some(arrived) = self.exchange(&columns, &left)? else {
                return self.see(columns, before, &left, turn);
            };
            let rests = next == 0 || (turn.is_wanted)() || begin.elapsed() > LONGEST;
            if !rests && !self.is_careful {
                left = self.at_once(&columns, (before, turn), |part| Go::On(arrived[part]))?;
                let behind = left.iter().filter(|gone| gone.end.round() == Some(before)).count();
                if behind == left.len() {
                    return self.see(columns, before, &left, turn);
                }
                if behind > 0 && !turn.is_over.load(Ordering::Acquire) {
                    return Ok(Err(Hitch::TooFar));
                }
                before += 1;
                continue;
            }
            let come = self.at_once(&columns, (before, turn), |part| Go::Arrive(arrived[part]))?;
            if come.iter().any(|gone| !matches!(gone.end, End::Clean)) {
                return self.see(columns, before, &come, turn);
            }
            before += 1;
            if !rests {
                left = self.at_once(&columns, (before, turn), |_| Go::Leave)?;
                continue;
            }
            let rounds = match next {
                0 => Rounds {
                    count: before as u64,
                    handled: come.iter().map(|gone| gone.said.handled).sum(),
                    ..Rounds::default()
                },
                _ => {
                    let parts = self.of_each(&columns, |part, _, columns| part.recall_part(columns, before))?;
                    join(parts, &self.kernel.words())
                }
            };
            self.put_back(columns, true);
            return Ok(Ok(rounds));
        }
    }

    /// How many messages there are after a round; `None` if the host has to see to it, to them all or to those of a device.
    fn next_mail(&self, columns: &[Columns], left: &[Gone]) -> Option<usize> {
        if left.iter().any(|gone| !matches!(gone.end, End::Clean)) {
            return None;
        }
        let mut all = 0;
        for (to, columns) in columns.iter().enumerate() {
            let messages: usize = left.iter().map(|gone| gone.said.leaving[to] as usize).sum();
            if messages > columns.capacity as usize {
                return None;
            }
            all += messages;
        }
        // A round of more goes share by share, which is the host's to see to.
        (all <= self.kernel.bound.share).then_some(all)
    }

    /// Copies what leaves to where it is for. Gives how many letters have come to each device; `None` if one has no room for them.
    fn exchange(&self, columns: &[Columns], left: &[Gone]) -> Result<Option<Vec<u32>>, Failed> {
        let mut arrived = vec![0; self.parts.len()];
        for (to, arrived) in arrived.iter_mut().enumerate() {
            for (from, gone) in left.iter().enumerate() {
                let letters = gone.said.leaving[to];
                if letters == 0 || from == to {
                    continue;
                }
                let (Some(sender), Some(receiver)) = (self.parts[from].on_device(), self.parts[to].on_device()) else {
                    return Ok(None);
                };
                let (leaving, arriving) = (
                    sender.leaving(&columns[from], to, letters),
                    receiver.arriving(&columns[to], *arrived, letters),
                );
                let (Some(leaving), Some(arriving)) = (leaving, arriving) else {
                    return Ok(None);
                };
                receiver
                    .fetch(sender, (&leaving, &arriving))
                    .map_err(|error| self.parts[to].failed(error))?;
                *arrived += letters;
            }
        }
        Ok(Some(arrived))
    }

    /// Ends rounds whose last has come to something that the host has to see to, after so many others.
    fn see(
        &self,
        columns: Vec<Columns>,
        before: usize,
        ends: &[Gone],
        turn: &Turn<'_>,
    ) -> Result<Result<Rounds, Hitch>, Failed> {
        let is_refused = |gone: &Gone| matches!(gone.end, End::Before(_));
        if ends.iter().any(is_refused) && !turn.is_over.load(Ordering::Acquire) {
            return Ok(Err(Hitch::NoRoom));
        }
        let parts = self.of_each(&columns, |part, number, columns| {
            part.see_part(columns, before, &ends[number].end)
        })?;
        self.put_back(columns, false);
        Ok(Ok(join(parts, &self.kernel.words())))
    }

    /// What each device gives.
    fn of_each<T>(
        &self,
        columns: &[Columns],
        what: impl Fn(&OnDevice, usize, &Columns) -> Result<T>,
    ) -> Result<Vec<T>, Failed> {
        let parts = self.parts.iter().zip(columns).enumerate();
        let parts = parts.filter_map(|(number, (part, columns))| Some((part, number, part.on_device()?, columns)));
        let done = parts.map(|(part, number, on_device, columns)| {
            what(on_device, number, columns).map_err(|error| part.failed(error))
        });
        done.collect()
    }

    /// Has all devices take a step after so many rounds, at the same time.
    fn at_once(
        &self,
        columns: &[Columns],
        (round, turn): (usize, &Turn<'_>),
        go: impl Fn(usize) -> Go,
    ) -> Result<Vec<Gone>, Failed> {
        let begin = |part: &OnDevice, number: usize, columns: &Columns| part.begin_to_go(columns, round, go(number));
        let begun = self.of_each(columns, begin)?;
        let begun: Vec<Cell<Option<Begun>>> = begun.into_iter().map(Cell::new).collect();
        self.of_each(columns, |part, number, columns| {
            part.go(columns, round, begun[number].take(), turn)
        })
    }

    fn put_back(&self, columns: Vec<Columns>, is_clean: bool) {
        for (part, columns) in self.parts.iter().zip(columns) {
            if let Some(on_device) = part.on_device() {
                on_device.put_back(columns, is_clean);
            }
        }
    }
}

impl Part {
    pub(super) fn on_device(&self) -> Option<&OnDevice> {
        match &self.holder {
            Holder::OnDevice(on_device) => Some(on_device),
            Holder::Natively(_) => None,
        }
    }

    fn enter(
        &mut self,
        batch: &BatchPart<'_>,
        messages: usize,
        now: u64,
        stopped: &[u32],
    ) -> Result<Option<Columns>, Failed> {
        let entered = match &mut self.holder {
            Holder::OnDevice(on_device) => on_device.enter(batch, messages, now, stopped),
            Holder::Natively(_) => Ok(None),
        };
        entered.map_err(|error| self.failed(error))
    }

    /// Has actors go by the host from now on.
    fn stay(&mut self) {
        if let Holder::OnDevice(on_device) = &mut self.holder {
            on_device.stay();
        }
    }
}
