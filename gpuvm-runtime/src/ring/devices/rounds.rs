//! Rounds of actors on several GPUs: each lets its actors handle their mail and gets ready what leaves; that is copied from GPU to GPU; and each brings its actors what there is for them. The host
//! copies and looks, and sees no message.
//!
//! It looks twice a round: none is to go on where the round has come to something on another that the host has to see to.

use std::time::Instant;

use super::super::batch::Batch;
use super::super::context::Sent;
use super::super::device::abroad::Gone;
use super::super::device::{Columns, End, OnDevice};
use super::super::runner::{Rounds, Turn};
use super::replay::Entry;
use super::shares::{join, parted};
use super::{Failed, Holder, OnDevices, Part, quietly};
use crate::error::Result;

/// How rounds have ended.
enum Ended {
    /// With something that the host has to see to, after so many others, or in between.
    There(Rounds),
    /// There were none: a device has no room for them.
    Nowhere,
}

impl OnDevices {
    /// Whether actors go on by themselves with what they send each other.
    pub(super) fn crosses(&self) -> bool {
        self.parts
            .iter()
            .all(|part| part.on_device().is_some_and(OnDevice::crosses))
    }

    /// Rounds on messages. `None` if none are possible.
    pub(super) fn go_round(&mut self, sent: &Sent, stopped: &[u32], turn: &Turn<'_>) -> Result<Option<Rounds>> {
        self.keep()?;
        let begin = Instant::now();
        let ended = self.surviving(|all| all.try_rounds(sent, stopped, turn))?;
        let Ended::There(rounds) = ended else {
            return Ok(None);
        };
        let entry = Entry::Rounds {
            sent: sent.clone(),
            stopped: stopped.to_vec(),
            now: turn.now,
            count: rounds.count,
        };
        self.replay.push(entry, begin.elapsed());
        Ok(Some(rounds))
    }

    /// The same, after which actors that have been refused are where they were.
    fn try_rounds(&mut self, sent: &Sent, stopped: &[u32], turn: &Turn<'_>) -> Result<Ended, Failed> {
        if !self.crosses() {
            return Ok(Ended::Nowhere);
        }
        let ended = self.rounds_there(sent, stopped, turn)?;
        if let Ended::Nowhere = ended {
            // Some may have begun.
            for part in &mut self.parts {
                part.stay();
            }
            self.go_back()?;
        }
        Ok(ended)
    }

    /// So many rounds once more, of which nobody is told anything.
    pub(super) fn go_round_again(
        &mut self,
        (sent, stopped): (&Sent, &[u32]),
        now: u64,
        count: u64,
    ) -> Result<(), Failed> {
        let mut sent = sent.clone();
        let never = std::sync::atomic::AtomicBool::new(false);
        let mut gone = 0;
        while gone < count {
            let asked = std::cell::Cell::new(0);
            let turn = Turn {
                is_wanted: &|| {
                    asked.set(asked.get() + 1);
                    gone + asked.get() >= count
                },
                ..quietly(now + gone, &never)
            };
            let ended = match self.crosses() {
                true => self.rounds_there(&sent, stopped, &turn)?,
                false => Ended::Nowhere,
            };
            match ended {
                Ended::There(Rounds { count, left, last, .. }) if count > 0 => {
                    gone += count;
                    sent = last.map_or(left, |(_, handled)| handled.sent);
                }
                _ => {
                    let batch = self.grouper.group(&sent.to, &sent.words);
                    sent = self.handle_parts(&batch, &quietly(now + gone, &never))?.sent;
                    self.grouper.reuse(batch);
                    gone += 1;
                }
            }
        }
        Ok(())
    }

    fn rounds_there(&mut self, sent: &Sent, stopped: &[u32], turn: &Turn<'_>) -> Result<Ended, Failed> {
        let size = self.kernel.words().message;
        let batch = self.grouper.group(&sent.to, &sent.words);
        let own = parted(&batch, size, self.parts.iter().map(|part| &part.actors));
        // What each gets in later rounds is not known.
        let room = sent.to.len().div_ceil(self.parts.len());
        self.grouper.reuse(batch);
        let mut columns = Vec::with_capacity(self.parts.len());
        for (part, own) in self.parts.iter_mut().zip(own) {
            let batch = own.map_or_else(Batch::default, |own| own.batch);
            match part.enter(&batch, room, turn.now, stopped)? {
                Some(its) => columns.push(its),
                None => return Ok(Ended::Nowhere),
            }
        }
        let (now, is_over) = (turn.now, turn.is_over);
        let mut before = 0;
        loop {
            let left = self.at_once(&columns, |part, _, columns| {
                part.leave(columns, before, &quietly(now, is_over))
            })?;
            let Some(left) = left else { return Ok(Ended::Nowhere) };
            let arrived = match left.iter().all(|gone| matches!(gone.end, End::Clean)) {
                true => self.exchange(&columns, &left)?,
                false => None,
            };
            let Some(arrived) = arrived else {
                return self.see(columns, before, &left, turn);
            };
            let come = self.at_once(&columns, |part, number, columns| {
                part.arrive(columns, before, arrived[number], &quietly(now, is_over))
            })?;
            let Some(come) = come else { return Ok(Ended::Nowhere) };
            let messages: usize = come.iter().map(|gone| gone.said.total as usize).sum();
            let is_clean = come.iter().all(|gone| matches!(gone.end, End::Clean));
            // A round of more goes share by share, which is the host's to see to.
            if !is_clean || messages > self.kernel.bound.share {
                return self.see(columns, before, &come, turn);
            }
            before += 1;
            if messages == 0 {
                let handled = come.iter().map(|gone| gone.said.handled).sum();
                self.put_back(columns, true);
                return Ok(Ended::There(Rounds {
                    count: before as u64,
                    handled,
                    ..Rounds::default()
                }));
            }
            if (turn.is_wanted)() {
                let parts = self.of_each(&columns, |part, _, columns| part.recall_part(columns, before))?;
                self.put_back(columns, true);
                return Ok(Ended::There(join(parts, &self.kernel.words())));
            }
        }
    }

    /// Copies what leaves to where it is for. Gives how many letters have come to each device; `None` if one has no room for them.
    fn exchange(&self, columns: &[Columns], left: &[Gone]) -> Result<Option<Vec<u32>>, Failed> {
        let mut arrived = vec![0; self.parts.len()];
        for (to, arrived) in arrived.iter_mut().enumerate() {
            for (from, gone) in left.iter().enumerate() {
                let letters = gone.said.leaving[to];
                if letters == 0 {
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
    fn see(&self, columns: Vec<Columns>, before: usize, ends: &[Gone], turn: &Turn<'_>) -> Result<Ended, Failed> {
        let is_refused = |gone: &Gone| matches!(gone.end, End::Before(_));
        let is_over = turn.is_over.load(std::sync::atomic::Ordering::Acquire);
        if ends.iter().any(is_refused) && !is_over {
            return Ok(Ended::Nowhere);
        }
        let parts = self.of_each(&columns, |part, number, columns| {
            part.see_part(columns, before, &ends[number].end)
        })?;
        self.put_back(columns, false);
        Ok(Ended::There(join(parts, &self.kernel.words())))
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

    /// What each device gives, all of them at the same time.
    fn at_once(
        &mut self,
        columns: &[Columns],
        what: impl Fn(&mut OnDevice, usize, &Columns) -> Result<Option<Gone>> + Sync,
    ) -> Result<Option<Vec<Gone>>, Failed> {
        let what = &what;
        let run = |part: &mut Part, number: usize, columns: &Columns| {
            let gone = match &mut part.holder {
                Holder::OnDevice(on_device) => what(on_device, number, columns),
                Holder::Natively(_) => Ok(None),
            };
            gone.map_err(|error| part.failed(error))
        };
        let parts = self.parts.iter_mut().zip(columns).enumerate();
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            let mut first = None;
            for (number, (part, columns)) in parts {
                match number {
                    0 => first = Some((part, columns)),
                    _ => threads.push(scope.spawn(move || run(part, number, columns))),
                }
            }
            let own = first.map(|(part, columns)| run(part, 0, columns));
            let others = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            own.into_iter().chain(others.collect::<Vec<_>>()).collect()
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

    fn enter(&mut self, batch: &Batch, messages: usize, now: u64, stopped: &[u32]) -> Result<Option<Columns>, Failed> {
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
