//! A job that several devices are at.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gpuvm_core::interp::Vm;
use gpuvm_core::program::Program;

use super::cut::Cut;
use super::pieces::Pieces;
use super::shares::Shares;
use crate::error::Result;
use crate::{Engine, Finished, Image, Limit, Memory, Running, Slot, Tally};

/// The job, in parts.
pub(super) struct TeamRunning {
    pub program: Arc<Program>,
    pub slots: Vec<Slot>,
    pub cut: Cut,
    pub arena_words: usize,
    pub parts: Vec<Part>,
    /// Time that it took so far, with what had to move before.
    pub time: Duration,
    pub shares: Arc<Shares>,
}

/// What one device has of it.
pub(super) struct Part {
    pub member: usize,
    /// Its VMs, counted from the job's first.
    pub vms: Range<u32>,
    pub pieces: Pieces,
    pub running: Box<dyn Running>,
    /// How it stood when it was advanced last.
    pub tally: Tally,
    /// Time that it was at it.
    pub time: Duration,
}

impl Part {
    fn is_over(&self) -> bool {
        let Tally {
            running,
            yielded,
            blocked,
            halted,
            trapped,
            ..
        } = self.tally;
        running + yielded + blocked == 0 && halted + trapped > 0
    }
}

/// What all parts come to. Devices work at the same time, so the longest is at it as long as all are.
fn together<'t>(tallies: impl IntoIterator<Item = &'t Tally>) -> Tally {
    let mut all = Tally {
        retired: Some([0; 4]),
        ..Tally::default()
    };
    for tally in tallies {
        all.running += tally.running;
        all.yielded += tally.yielded;
        all.blocked += tally.blocked;
        all.halted += tally.halted;
        all.trapped += tally.trapped;
        all.at_breakpoint += tally.at_breakpoint;
        all.steps = all.steps.max(tally.steps);
        all.retired = all.retired.zip(tally.retired).map(|(mut sum, classes)| {
            sum.iter_mut().zip(classes).for_each(|(sum, class)| *sum += class);
            sum
        });
        all.batches += tally.batches;
        all.epochs = all.epochs.max(tally.epochs);
        all.device_time = all.device_time.max(tally.device_time);
        all.left_after = all.left_after.max(tally.left_after);
        if all.engine == Engine::Auto {
            all.engine = tally.engine;
        }
    }
    all
}

impl TeamRunning {
    fn part_of(&mut self, index: u32) -> (&mut Part, u32) {
        let count = self.parts.len();
        let place = self.parts.iter().position(|part| part.vms.contains(&index));
        let part = &mut self.parts[place.unwrap_or(count - 1)];
        let within = index.saturating_sub(part.vms.start);
        (part, within)
    }
}

impl Running for TeamRunning {
    fn advance(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<Tally> {
        let begin = Instant::now();
        let others = self.parts.split_first_mut();
        let Some((first, others)) = others else {
            return Ok(Tally::default());
        };
        let shares = &self.shares;
        let run = |part: &mut Part, watch: &mut dyn FnMut(&Tally)| {
            if part.is_over() {
                return Ok(());
            }
            let begin = Instant::now();
            part.tally = shares.of(part.member, part.running.advance(limit, watch))?;
            part.time += begin.elapsed();
            Ok(())
        };
        let behind: Vec<Tally> = others.iter().map(|part| part.tally.clone()).collect();
        // The first device's turn is on this thread, which tells how it stands.
        let advanced: Result<Vec<()>> = std::thread::scope(|scope| {
            let threads: Vec<_> = others
                .iter_mut()
                .map(|part| scope.spawn(move || run(part, &mut |_| {})))
                .collect();
            let own = run(first, &mut |tally| watch(&together(behind.iter().chain([tally]))));
            let joined = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            std::iter::once(own).chain(joined.collect::<Vec<_>>()).collect()
        });
        advanced?;
        let tally = together(self.parts.iter().map(|part| &part.tally));
        self.time += begin.elapsed();
        if tally.running + tally.yielded + tally.blocked == 0 {
            let vms = self.parts.last().map_or(0, |part| part.vms.end);
            self.shares.see_together(&self.program, vms, self.time);
            let seen: Vec<(usize, Duration)> = self.parts.iter().map(|part| (part.vms.len(), part.time)).collect();
            self.shares.see(&seen);
        }
        watch(&tally);
        Ok(tally)
    }

    fn most_at_a_time(&self) -> Option<u32> {
        let most = self
            .parts
            .iter()
            .filter_map(|part| part.running.most_at_a_time())
            .min()?;
        Some(most.saturating_mul(self.parts.len() as u32))
    }

    fn image(&mut self) -> Result<Image> {
        let mut all = Image::default();
        for part in &mut self.parts {
            let Image {
                records,
                extras,
                frames,
            } = part.running.image()?;
            all.records.extend(records);
            all.extras.extend(extras);
            all.frames.extend(frames);
        }
        Ok(all)
    }

    fn restore(&mut self, image: &Image) -> Result<()> {
        for part in &mut self.parts {
            let vms = part.vms.start as usize..part.vms.end as usize;
            part.running.restore(&image.part(&self.program, vms))?;
        }
        Ok(())
    }

    fn vm(&mut self, index: u32) -> Result<Vm> {
        let (part, index) = self.part_of(index);
        part.running.vm(index)
    }

    fn kept(&self, vm: &Vm) -> u32 {
        self.parts.first().map_or(u32::MAX, |part| part.running.kept(vm))
    }

    fn replace(&mut self, index: u32, vm: &Vm) -> Result<()> {
        let (part, index) = self.part_of(index);
        part.running.replace(index, vm)
    }

    fn first_trapped(&self) -> Option<u32> {
        let trapped = |part: &Part| Some(part.vms.start + part.running.first_trapped()?);
        self.parts.iter().find_map(trapped)
    }

    fn keeps_trapped(&self) -> bool {
        self.parts.iter().all(|part| part.running.keeps_trapped())
    }

    fn slots(&self) -> &[Slot] {
        &self.slots
    }

    fn memory(&mut self) -> Result<Memory> {
        let mut arena = crate::touched(self.arena_words);
        for (number, part) in self.parts.iter_mut().enumerate() {
            let own = part.running.memory()?.arena;
            let mut bring = |from: Range<usize>| {
                let at = part.pieces.after(from.start);
                if let Some(words) = own.get(at..at + from.len()) {
                    arena[from].copy_from_slice(words);
                }
            };
            // What all VMs see is the same in each part.
            if number == 0 {
                part.pieces.of(&(0..own.len())).into_iter().for_each(&mut bring);
            }
            self.cut.owned(&part.vms).for_each(&mut bring);
        }
        Ok(Memory {
            arena,
            atomics: Vec::new(),
        })
    }

    fn write_arena(&mut self, first: usize, words: &[u32]) -> Result<()> {
        for part in &mut self.parts {
            for (number, word) in words.iter().enumerate() {
                let place = first + number;
                let at = part.pieces.after(place);
                // What all see is in each part, and what is a VM's own in one.
                if part
                    .pieces
                    .of(&(at..at + 1))
                    .first()
                    .is_some_and(|piece| piece.start == place)
                {
                    part.running.write_arena(at, std::slice::from_ref(word))?;
                }
            }
        }
        Ok(())
    }

    fn read_atomics(&mut self, _: Range<usize>) -> Result<Vec<u32>> {
        Ok(Vec::new())
    }

    fn write_atomics(&mut self, _: usize, _: &[u32]) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Finished> {
        let Self { cut, parts, shares, .. } = *self;
        let mut changed = crate::touched(cut.changed_words());
        let mut first_trap = None;
        for Part {
            vms, running, member, ..
        } in parts
        {
            let finished = shares.of(member, running.finish())?;
            cut.put(&vms, &finished.changed, &mut changed);
            first_trap = first_trap.or(finished.first_trap);
        }
        Ok(Finished {
            changed: changed.into(),
            atomics: Vec::new(),
            first_trap,
        })
    }
}

/// A job that one device of a team has alone.
pub(super) struct Alone {
    /// Its program and VMs, if it can be cut.
    pub work: Option<(Arc<Program>, u32)>,
    pub time: Duration,
    pub running: Box<dyn Running>,
    pub member: usize,
    pub shares: Arc<Shares>,
}

impl Running for Alone {
    fn begin(&mut self, cycles: u64) -> Result<bool> {
        self.shares.of(self.member, self.running.begin(cycles))
    }

    fn advance(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<Tally> {
        let begin = Instant::now();
        let tally = self.shares.of(self.member, self.running.advance(limit, watch))?;
        self.time += begin.elapsed();
        if let (0, Some((program, vms))) = (tally.running + tally.yielded + tally.blocked, &self.work) {
            self.shares.see_alone(program, *vms, self.time);
        }
        Ok(tally)
    }

    fn most_at_a_time(&self) -> Option<u32> {
        self.running.most_at_a_time()
    }

    fn image(&mut self) -> Result<Image> {
        self.shares.of(self.member, self.running.image())
    }

    fn restore(&mut self, image: &Image) -> Result<()> {
        self.shares.of(self.member, self.running.restore(image))
    }

    fn vm(&mut self, index: u32) -> Result<Vm> {
        self.shares.of(self.member, self.running.vm(index))
    }

    fn kept(&self, vm: &Vm) -> u32 {
        self.running.kept(vm)
    }

    fn replace(&mut self, index: u32, vm: &Vm) -> Result<()> {
        self.shares.of(self.member, self.running.replace(index, vm))
    }

    fn first_trapped(&self) -> Option<u32> {
        self.running.first_trapped()
    }

    fn keeps_trapped(&self) -> bool {
        self.running.keeps_trapped()
    }

    fn slots(&self) -> &[Slot] {
        self.running.slots()
    }

    fn memory(&mut self) -> Result<Memory> {
        self.shares.of(self.member, self.running.memory())
    }

    fn write_arena(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.shares.of(self.member, self.running.write_arena(first, words))
    }

    fn read_atomics(&mut self, words: Range<usize>) -> Result<Vec<u32>> {
        self.shares.of(self.member, self.running.read_atomics(words))
    }

    fn write_atomics(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.shares.of(self.member, self.running.write_atomics(first, words))
    }

    fn finish(self: Box<Self>) -> Result<Finished> {
        let Alone {
            running,
            member,
            shares,
            ..
        } = *self;
        shares.of(member, running.finish())
    }
}
