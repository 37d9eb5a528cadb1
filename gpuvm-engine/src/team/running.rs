//! A job that several devices are at.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gpuvm_core::interp::Vm;
use gpuvm_core::program::Program;

use super::cut::Cut;
use super::group::Group;
use super::pieces::Pieces;
use crate::error::{Error, Result};
use crate::ranks::Wire;
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
    pub group: Arc<Group>,
}

/// What one device has of it.
pub(super) struct Part {
    pub member: usize,
    /// Its VMs, counted from the job's first.
    pub vms: Range<u32>,
    pub pieces: Pieces,
    /// `None` if the device is another rank's.
    pub running: Option<Box<dyn Running>>,
    /// How it stood when it was advanced last.
    pub standing: Standing,
}

/// How a part stands, as its device says.
#[derive(Clone, Default)]
pub(super) struct Standing {
    pub tally: Tally,
    /// Time that its device was at it.
    time: Duration,
    first_trapped: Option<u32>,
    leaves_trapped: bool,
    most_at_a_time: Option<u32>,
}

impl Standing {
    /// Of so many VMs that have not begun.
    pub fn at_entry(vms: u32) -> Standing {
        let tally = Tally {
            running: vms,
            ..Tally::default()
        };
        Standing {
            tally,
            ..Standing::default()
        }
    }

    fn of(running: &dyn Running, tally: Tally, time: Duration) -> Standing {
        Standing {
            tally,
            time,
            first_trapped: running.first_trapped(),
            leaves_trapped: !running.keeps_trapped(),
            most_at_a_time: running.most_at_a_time(),
        }
    }

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

impl Wire for Standing {
    fn put(&self, words: &mut Vec<u32>) {
        self.tally.put(words);
        self.time.put(words);
        [self.first_trapped, self.most_at_a_time].put(words);
        self.leaves_trapped.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Standing> {
        let (tally, time) = Wire::take(words)?;
        let [first_trapped, most_at_a_time] = Wire::take(words)?;
        Some(Standing {
            tally,
            time,
            first_trapped,
            leaves_trapped: Wire::take(words)?,
            most_at_a_time,
        })
    }
}

/// What is asked of a device of another rank.
fn not_here() -> Error {
    Error::Device {
        reason: "these VMs are on another rank".to_string(),
    }
}

impl Part {
    fn here(&mut self) -> Result<&mut dyn Running> {
        match &mut self.running {
            Some(running) => Ok(&mut **running),
            None => Err(not_here()),
        }
    }

    fn first_trapped(&self) -> Option<u32> {
        match &self.running {
            Some(running) => running.first_trapped(),
            None => self.standing.first_trapped,
        }
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

    /// What each part gives, also those of other ranks.
    fn each<T: Wire>(&mut self, mut of: impl FnMut(&mut Part) -> Result<T>) -> Result<Vec<T>> {
        let (group, parts) = (&self.group, &mut self.parts);
        let members: Vec<usize> = parts.iter().map(|part| part.member).collect();
        group.each(&members, |member| {
            let part = parts.iter_mut().find(|part| part.member == member);
            group.of(member, part.ok_or_else(not_here).and_then(&mut of))
        })
    }

    /// Lets this process's parts go on, at the same time.
    fn go_on(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<()> {
        let group = &self.group;
        let all: Vec<Tally> = self.parts.iter().map(|part| part.standing.tally.clone()).collect();
        let run = |part: &mut Part, watch: &mut dyn FnMut(&Tally)| {
            let begin = Instant::now();
            if let (Some(running), false) = (&mut part.running, part.standing.is_over()) {
                let tally = group.of(part.member, running.advance(limit, watch))?;
                part.standing = Standing::of(&**running, tally, part.standing.time + begin.elapsed());
            }
            Ok(())
        };
        let mut here = self
            .parts
            .iter_mut()
            .enumerate()
            .filter(|(_, part)| part.running.is_some());
        let Some((place, first)) = here.next() else {
            return Ok(());
        };
        // The first device's turn is on this thread, which tells how it stands.
        let advanced: Result<Vec<()>> = std::thread::scope(|scope| {
            let threads: Vec<_> = here
                .map(|(_, part)| scope.spawn(move || run(part, &mut |_| {})))
                .collect();
            let own = run(first, &mut |tally| {
                let others = all.iter().enumerate().filter(|(other, _)| *other != place);
                watch(&together(others.map(|(_, tally)| tally).chain([tally])));
            });
            let joined = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            std::iter::once(own).chain(joined.collect::<Vec<_>>()).collect()
        });
        advanced.map(|_| ())
    }
}

impl Running for TeamRunning {
    fn advance(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<Tally> {
        let begin = Instant::now();
        // Ranks have other clocks, and are to stop at the same place.
        let time = limit.time.filter(|_| self.group.ranks().is_none());
        self.go_on(&Limit { time, ..limit.clone() }, watch)?;
        if self.group.ranks().is_some() {
            let all = self.each(|part| Ok(part.standing.clone()))?;
            for (part, standing) in self.parts.iter_mut().zip(all) {
                part.standing = standing;
            }
        }
        let tally = together(self.parts.iter().map(|part| &part.standing.tally));
        self.time += begin.elapsed();
        if tally.running + tally.yielded + tally.blocked == 0 {
            let vms = self.cut.vm_count();
            let shares = &self.group.shares;
            // Where one device interprets what others have compiled, it is going to be faster.
            let interprets = |part: &&Part| part.standing.tally.engine == Engine::Interpreter;
            let is_settled = [0, self.parts.len()].contains(&self.parts.iter().filter(interprets).count());
            if shares.is_open(&self.program, vms) {
                let time = self.group.agree(self.time, Duration::max)?;
                shares.see_together((&self.program, vms), self.cut.jobs(), (time, is_settled));
            }
            if is_settled {
                let seen = self.parts.iter().map(|part| (part.vms.len(), part.standing.time));
                shares.see(&seen.collect::<Vec<(usize, Duration)>>());
            }
        }
        watch(&tally);
        Ok(tally)
    }

    fn most_at_a_time(&self) -> Option<u32> {
        let most = self
            .parts
            .iter()
            .filter_map(|part| part.standing.most_at_a_time)
            .min()?;
        Some(most.saturating_mul(self.parts.len() as u32))
    }

    fn image(&mut self) -> Result<Image> {
        let mut all = Image::default();
        for image in self.each(|part| part.here()?.image())? {
            let Image {
                records,
                extras,
                frames,
            } = image;
            all.records.extend(records);
            all.extras.extend(extras);
            all.frames.extend(frames);
        }
        Ok(all)
    }

    fn restore(&mut self, image: &Image) -> Result<()> {
        for part in &mut self.parts {
            let vms = part.vms.start as usize..part.vms.end as usize;
            if let Some(running) = &mut part.running {
                running.restore(&image.part(&self.program, vms))?;
            }
        }
        Ok(())
    }

    fn vm(&mut self, index: u32) -> Result<Vm> {
        let group = Arc::clone(&self.group);
        let (part, index) = self.part_of(index);
        group.told(part.member, || group.of(part.member, part.here()?.vm(index)))
    }

    fn kept(&self, vm: &Vm) -> u32 {
        let here = self.parts.iter().find_map(|part| part.running.as_ref());
        here.map_or(u32::MAX, |running| running.kept(vm))
    }

    fn replace(&mut self, index: u32, vm: &Vm) -> Result<()> {
        let (part, index) = self.part_of(index);
        match &mut part.running {
            Some(running) => running.replace(index, vm),
            None => Ok(()),
        }
    }

    fn first_trapped(&self) -> Option<u32> {
        let trapped = |part: &Part| Some(part.vms.start + part.first_trapped()?);
        self.parts.iter().find_map(trapped)
    }

    fn keeps_trapped(&self) -> bool {
        let keeps = |part: &Part| match &part.running {
            Some(running) => running.keeps_trapped(),
            None => !part.standing.leaves_trapped,
        };
        self.parts.iter().all(keeps)
    }

    fn slots(&self) -> &[Slot] {
        &self.slots
    }

    fn memory(&mut self) -> Result<Memory> {
        let mut arena = crate::touched(self.arena_words);
        let memories = self.each(|part| part.here()?.memory())?;
        for (number, (part, memory)) in self.parts.iter().zip(memories).enumerate() {
            let own = memory.arena;
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
            let Some(running) = &mut part.running else { continue };
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
                    running.write_arena(at, std::slice::from_ref(word))?;
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

    fn finish(mut self: Box<Self>) -> Result<Finished> {
        let all = self.each(|part| part.running.take().ok_or_else(not_here)?.finish())?;
        let mut changed = crate::touched(self.cut.changed_words());
        let (mut first_trap, mut trapped) = (None, Vec::new());
        for (part, finished) in self.parts.iter().zip(all) {
            self.cut.put(&part.vms, &finished.changed, &mut changed);
            first_trap = first_trap.or(finished.first_trap);
            trapped.extend(finished.trapped);
        }
        Ok(Finished {
            changed: changed.into(),
            atomics: Vec::new(),
            first_trap,
            trapped,
        })
    }
}

/// A job that one device of a team has alone, or each rank for itself.
pub(super) struct Alone {
    /// Its program and the VMs of its launch, if it can be cut.
    pub work: Option<(Arc<Program>, u32)>,
    /// How many jobs of its size that launch is.
    pub jobs: u32,
    pub time: Duration,
    pub running: Box<dyn Running>,
    pub member: usize,
    pub group: Arc<Group>,
}

impl Running for Alone {
    fn begin(&mut self, cycles: u64) -> Result<bool> {
        self.group.of(self.member, self.running.begin(cycles))
    }

    fn advance(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<Tally> {
        let begin = Instant::now();
        // Ranks have other clocks, and are to stop at the same place.
        let time = limit.time.filter(|_| self.group.ranks().is_none());
        let limit = Limit { time, ..limit.clone() };
        let tally = self.group.of(self.member, self.running.advance(&limit, watch))?;
        self.time += begin.elapsed();
        let shares = &self.group.shares;
        if let (0, Some((program, vms))) = (tally.running + tally.yielded + tally.blocked, &self.work)
            && shares.is_open(program, *vms)
        {
            let time = self.group.agree(self.time, Duration::max)?;
            shares.see_alone((program, *vms), self.jobs, time);
        }
        Ok(tally)
    }

    fn most_at_a_time(&self) -> Option<u32> {
        self.running.most_at_a_time()
    }

    fn image(&mut self) -> Result<Image> {
        self.group.of(self.member, self.running.image())
    }

    fn restore(&mut self, image: &Image) -> Result<()> {
        self.group.of(self.member, self.running.restore(image))
    }

    fn vm(&mut self, index: u32) -> Result<Vm> {
        self.group.of(self.member, self.running.vm(index))
    }

    fn kept(&self, vm: &Vm) -> u32 {
        self.running.kept(vm)
    }

    fn replace(&mut self, index: u32, vm: &Vm) -> Result<()> {
        self.group.of(self.member, self.running.replace(index, vm))
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
        self.group.of(self.member, self.running.memory())
    }

    fn write_arena(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.group.of(self.member, self.running.write_arena(first, words))
    }

    fn read_atomics(&mut self, words: Range<usize>) -> Result<Vec<u32>> {
        self.group.of(self.member, self.running.read_atomics(words))
    }

    fn write_atomics(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.group.of(self.member, self.running.write_atomics(first, words))
    }

    fn finish(self: Box<Self>) -> Result<Finished> {
        let Alone {
            running, member, group, ..
        } = *self;
        group.of(member, running.finish())
    }
}

/// A job that one rank has alone, of which the others are told.
pub(super) struct Told {
    member: usize,
    running: Option<Box<dyn Running>>,
    slots: Vec<Slot>,
    standing: Standing,
    group: Arc<Group>,
}

impl Told {
    pub fn new((member, running): (usize, Option<Box<dyn Running>>), slots: Vec<Slot>, group: Arc<Group>) -> Told {
        Told {
            member,
            running,
            slots,
            standing: Standing::default(),
            group,
        }
    }

    /// What the rank that has it gives.
    fn told<T: Wire>(&mut self, of: impl FnOnce(&mut dyn Running) -> Result<T>) -> Result<T> {
        let Told {
            member, running, group, ..
        } = self;
        group.told(*member, || match running {
            Some(running) => group.of(*member, of(&mut **running)),
            None => Err(not_here()),
        })
    }
}

impl Running for Told {
    fn advance(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<Tally> {
        let limit = Limit {
            time: None,
            ..limit.clone()
        };
        self.standing = self.told(|running| {
            let tally = running.advance(&limit, &mut |_| {})?;
            Ok(Standing::of(running, tally, Duration::ZERO))
        })?;
        watch(&self.standing.tally);
        Ok(self.standing.tally.clone())
    }

    fn image(&mut self) -> Result<Image> {
        self.told(|running| running.image())
    }

    fn restore(&mut self, image: &Image) -> Result<()> {
        self.running.as_mut().map_or(Ok(()), |running| running.restore(image))
    }

    fn vm(&mut self, index: u32) -> Result<Vm> {
        self.told(|running| running.vm(index))
    }

    fn replace(&mut self, index: u32, vm: &Vm) -> Result<()> {
        self.running
            .as_mut()
            .map_or(Ok(()), |running| running.replace(index, vm))
    }

    fn first_trapped(&self) -> Option<u32> {
        self.standing.first_trapped
    }

    fn keeps_trapped(&self) -> bool {
        !self.standing.leaves_trapped
    }

    fn slots(&self) -> &[Slot] {
        &self.slots
    }

    fn memory(&mut self) -> Result<Memory> {
        self.told(|running| running.memory())
    }

    fn write_arena(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.running
            .as_mut()
            .map_or(Ok(()), |running| running.write_arena(first, words))
    }

    fn read_atomics(&mut self, words: Range<usize>) -> Result<Vec<u32>> {
        self.told(|running| running.read_atomics(words))
    }

    fn write_atomics(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.running
            .as_mut()
            .map_or(Ok(()), |running| running.write_atomics(first, words))
    }

    fn finish(self: Box<Self>) -> Result<Finished> {
        let Told {
            member, running, group, ..
        } = *self;
        group.told(member, || match running {
            Some(running) => group.of(member, running.finish()),
            None => Err(not_here()),
        })
    }
}
