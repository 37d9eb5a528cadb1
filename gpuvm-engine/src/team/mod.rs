//! Several devices as one. A job's VMs are cut over them, a column of the memory is on each as far as it has needed it, and what a device reads that
//! another has written moves between them. So everything that runs on one device runs on several: launches with buffers, plans, loops, snapshots.
//!
//! VMs are cut into contiguous parts, one for each device. What each VM sees its own of is needed for the part's VMs alone, and stays with the device from job to job,
//! because parts are cut at the same places; what all see is brought to every device once, until somebody writes it again. A job whose VMs share what
//! they write (atomics, a column that a kernel writes anywhere) runs on the first device, and so do sorts, and sequences of jobs until some of them turn out to be
//! worth several devices, which then take them one by one.

mod cut;
mod elsewhere;
mod footprints;
mod group;
mod memory;
mod pieces;
mod ranges;
mod ranked;
mod running;
mod sequence;
mod shares;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gpuvm_core::program::{ParamSlot, Program};

use self::cut::{Cut, Footprint, Sight};
use self::footprints::Footprints;
use self::group::Group;
use self::memory::TeamMemory;
use self::pieces::PieceSource;
use self::running::{Alone, Part, Standing, TeamRunning, Told};
use self::sequence::TeamSequence;
use self::shares::work;
use crate::error::{Error, Result};
use crate::{
    Copy, Demand, Device, DeviceMemory, Engine, Execute, FloatMode, Job, Opened, Region, Running, Sequence, Slot,
    Source, Span,
};
pub use ranked::{engine_over_ranks, over_ranks};

/// An engine on several devices.
struct Team {
    members: Vec<Arc<dyn Execute>>,
    bits: Bits,
    memory: Option<Arc<TeamMemory>>,
    footprints: Footprints,
    group: Arc<Group>,
}

/// What one device is to do of a job.
struct Assignment {
    member: usize,
    /// Its VMs, counted from the job's first.
    vms: Range<u32>,
    /// What they read of slices that all see, if that is known.
    footprint: Option<Footprint>,
}

/// What programs give the same bits on all devices of a team. Others are not cut.
#[derive(Clone, Copy)]
enum Bits {
    /// All: the devices are of one kind.
    All,
    /// Those whose floats are exact, as the devices' are.
    Exact,
    /// None that is known.
    None,
}

/// Which of a team's devices are lost.
#[derive(Clone, Debug)]
pub struct Lost(Arc<Group>);

impl Lost {
    /// Whether one is.
    pub fn is(&self, member: usize) -> bool {
        self.0.shares.is_lost(member)
    }

    /// Notes that one is.
    pub fn note(&self, member: usize) {
        self.0.shares.lose(member);
    }
}

/// Devices as one, with the engines that all of them have; `None` of fewer than two, or if they have none in common. Jobs are cut that are worth it, or
/// `always` all that can be.
pub fn team(devices: &[Opened], always: bool) -> Option<(Opened, Lost)> {
    let (first, others) = devices.split_first()?;
    if others.is_empty() {
        return None;
    }
    let group = Arc::new(Group::here(devices.len(), always));
    let of = |opened: &Opened, engine| {
        let found = opened.engines.iter().find(|(known, _)| *known == engine);
        found.map(|(_, executor)| Arc::clone(executor))
    };
    let all = || devices.iter().map(|opened| &opened.device);
    let is_exact = all().all(|device| device.float_mode == FloatMode::Exact);
    let is_one_kind = all().all(|device| (&device.name, device.backend) == (&first.device.name, first.device.backend));
    let bits = Bits::of(is_one_kind, is_exact);
    let mut memory = None;
    let mut engines: Vec<(Engine, Arc<dyn Execute>)> = Vec::new();
    for (engine, _) in &first.engines {
        let members: Option<Vec<Arc<dyn Execute>>> = devices.iter().map(|device| of(device, *engine)).collect();
        let Some(members) = members else { continue };
        // All engines of a device share its memory.
        if memory.is_none() {
            let memories: Option<Vec<Arc<dyn DeviceMemory>>> = members.iter().map(|member| member.memory()).collect();
            memory = memories.map(|members| {
                Arc::new(TeamMemory {
                    members,
                    group: Arc::clone(&group),
                })
            });
        }
        engines.push((
            *engine,
            Arc::new(Team {
                members,
                bits,
                memory: memory.clone(),
                footprints: Footprints::default(),
                group: Arc::clone(&group),
            }),
        ));
    }
    let opened = (!engines.is_empty()).then(|| Opened {
        device: Device {
            name: name(&all().map(|device| &*device.name).collect::<Vec<_>>()),
            float_mode: if is_exact { FloatMode::Exact } else { FloatMode::Relaxed },
            atomics_64: all().all(|device| device.atomics_64),
            ..first.device.clone()
        },
        engines,
    });
    opened.map(|opened| (opened, Lost(group)))
}

/// The names of devices, those that there are several of with how many.
fn name(names: &[&str]) -> String {
    let mut told: Vec<(usize, &str)> = Vec::new();
    for name in names {
        match told.iter_mut().find(|(_, known)| known == name) {
            Some((count, _)) => *count += 1,
            None => told.push((1, name)),
        }
    }
    let tell = |(count, name): &(usize, &str)| match count {
        1 => (*name).to_string(),
        _ => format!("{count} × {name}"),
    };
    told.iter().map(tell).collect::<Vec<_>>().join(" + ")
}

/// Brings the columns of a job to a device that has all of it.
fn place(job: &mut Job, memory: &TeamMemory, member: usize) -> Result<()> {
    let written: Vec<Region> = cut::written(job).cloned().collect();
    bring_whole(job, memory, member)?;
    for region in &written {
        let (column, words) = TeamMemory::column(region)?;
        memory.written(member, &column, &words);
    }
    Ok(())
}

/// Brings the columns of a job to a device that is to write all that the others write as well.
fn bring_whole(job: &mut Job, memory: &TeamMemory, member: usize) -> Result<()> {
    let copies = job.copies.iter_mut().flat_map(|copy| [&mut copy.from, &mut copy.to]);
    let regions = job.slots.iter_mut().filter_map(|slot| slot.region.as_mut());
    let atomics = job.atomic_regions.iter_mut().map(|(_, region)| region);
    let spans = copies.filter_map(|span| span.region.as_mut());
    for region in regions.chain(atomics).chain(spans) {
        let (column, words) = TeamMemory::column(region)?;
        *region = memory.whole_alone(member, &column, &words)?;
    }
    Ok(())
}

impl Bits {
    /// Of devices of one kind, or with exact floats all.
    fn of(is_one_kind: bool, is_exact: bool) -> Bits {
        match (is_one_kind, is_exact) {
            (true, _) => Bits::All,
            (false, true) => Bits::Exact,
            (false, false) => Bits::None,
        }
    }

    /// Whether the bits of a job do not depend on where its VMs run.
    fn are_same(self, job: &Job) -> bool {
        match self {
            Bits::All => true,
            Bits::Exact => !job.program.relaxed,
            Bits::None => false,
        }
    }
}

impl Team {
    fn can_cut(&self, job: &Job) -> bool {
        Cut::is_possible(job) && self.bits.are_same(job)
    }

    /// What a device gets of a job.
    fn part(&self, job: &Job, cut: &Cut, of: &Assignment, source: &dyn Source) -> Result<Part> {
        let Assignment { member, vms, footprint } = of;
        let member = *member;
        let pieces = cut.pieces(vms);
        let mut slots = Vec::with_capacity(job.slots.len());
        for (index, slot) in job.slots.iter().enumerate() {
            let place = cut.place(index, vms, &pieces);
            slots.push(match cut.sight(index, vms, footprint.as_ref()) {
                None => Slot { place, region: None },
                Some(sight) => {
                    let sight = sight?;
                    if sight.writes {
                        sight.column.written_by(work(&job.program, job.vm_count));
                    }
                    let (region, first) = self.bring(member, &sight)?;
                    let base = slot.place.base.wrapping_sub(first as u32);
                    let place = ParamSlot { base, ..slot.place };
                    Slot { place, region }
                }
            });
        }
        let part = Job {
            first_vm: job.first_vm.wrapping_add(vms.start),
            vm_count: job.vm_count,
            arena_words: pieces.words(),
            changed: cut.changed(vms, &pieces),
            is_looked_at: job.is_looked_at,
            only_first_trap: job.only_first_trap,
            all_traps: job.all_traps,
            ..Job::new(Arc::clone(&job.program), vms.len() as u32, slots)
        };
        let own = PieceSource {
            all: source,
            pieces: &pieces,
        };
        let running = match self.group.is_here(member) {
            true => Some(self.group.of(member, self.members[member].start(part, &own))?),
            false => None,
        };
        Ok(Part {
            member,
            vms: vms.clone(),
            pieces,
            running,
            standing: Standing::at_entry(vms.len() as u32),
        })
    }

    /// Begins a job on all devices that have a part of it.
    fn begin(&self, job: &Job, cut: &Cut, parts: Vec<Assignment>, arena: &dyn Source) -> Result<Vec<Part>> {
        for copy in &job.copies {
            self.copy(copy)?;
        }
        let part = |of: Assignment| self.part(job, cut, &of, arena);
        match self.group.ranks() {
            // What moves between ranks does so in one order.
            Some(_) => parts.into_iter().map(part).collect(),
            None => std::thread::scope(|scope| {
                let part = &part;
                let threads: Vec<_> = parts.into_iter().map(|of| scope.spawn(move || part(of))).collect();
                let joined = threads
                    .into_iter()
                    .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
                joined.collect()
            }),
        }
    }

    /// Brings what VMs see of a column to their device. `None` where there is nothing.
    fn bring(&self, member: usize, sight: &Sight) -> Result<(Option<Region>, u64)> {
        let Some(memory) = self.memory.as_ref().filter(|_| !sight.words.is_empty()) else {
            return Ok((None, 0));
        };
        let all = std::slice::from_ref(&sight.words);
        let read = sight.read.as_deref().unwrap_or(all);
        let (region, first) = memory.bring_parts(member, &sight.column, &sight.words, read)?;
        if sight.writes {
            memory.written(member, &sight.column, &sight.words);
        }
        Ok((Some(region), first))
    }

    /// Makes a copy of a job of one step, each device of what it has.
    fn copy(&self, copy: &Copy) -> Result<()> {
        let (Some(memory), Some(from), Some(to)) = (&self.memory, &copy.from.region, &copy.to.region) else {
            return Ok(());
        };
        let range = |(column, all): (Arc<memory::Column>, Range<u64>), span: &Span| {
            let start = all.start + u64::from(span.start);
            (column, start..start + u64::from(copy.words))
        };
        let (from, read) = range(TeamMemory::column(from)?, &copy.from);
        let (to, written) = range(TeamMemory::column(to)?, &copy.to);
        memory.copy((&from, &read), (&to, &written))
    }

    /// The job as the first device's alone.
    fn on_first(&self, mut job: Job, source: &dyn Source) -> Result<Box<dyn Running>> {
        let first = self.group.shares.first();
        let work = self.can_cut(&job).then(|| (Arc::clone(&job.program), job.vm_count));
        let jobs = job.vm_count.div_ceil(job.vms.max(1));
        if let Some(memory) = &self.memory {
            place(&mut job, memory, first)?;
        }
        if self.group.ranks().is_some() {
            let slots = job.slots.clone();
            let running = match self.group.is_here(first) {
                true => Some(self.group.of(first, self.members[first].start(job, source))?),
                false => None,
            };
            return Ok(Box::new(Told::new((first, running), slots, Arc::clone(&self.group))));
        }
        let running = self.group.of(first, self.members[first].start(job, source))?;
        Ok(Box::new(Alone {
            work,
            jobs,
            time: Duration::ZERO,
            running,
            member: first,
            group: Arc::clone(&self.group),
        }))
    }

    /// The job on each rank, which takes less than to tell the others of it.
    fn everywhere(&self, job: &Job, own: usize, source: &dyn Source) -> Result<Box<dyn Running>> {
        let mut here = job.clone();
        if let Some(memory) = &self.memory {
            for member in 0..self.members.len() {
                let mut there = job.clone();
                bring_whole(&mut there, memory, member)?;
                if member == own {
                    here = there;
                }
            }
            for region in cut::written(job) {
                let (column, words) = TeamMemory::column(region)?;
                memory.written_by_all(&column, &words);
            }
        }
        let work = self.can_cut(job).then(|| (Arc::clone(&job.program), job.vm_count));
        let jobs = job.vm_count.div_ceil(job.vms.max(1));
        let running = self.group.of(own, self.members[own].start(here, source))?;
        Ok(Box::new(Alone {
            work,
            jobs,
            time: Duration::ZERO,
            running,
            member: own,
            group: Arc::clone(&self.group),
        }))
    }
}

impl Execute for Team {
    /// As many as each of them holds: a job may turn out to be on one alone.
    fn capacity(&self, program: &Arc<Program>, demand: &Demand) -> u32 {
        let able = (0..self.members.len()).filter(|member| !self.group.shares.is_lost(*member));
        // Ranks cut jobs at the same places, so none tries what may turn out to have no room.
        let restarts = demand.restarts && self.group.ranks().is_none();
        let demand = Demand { restarts, ..*demand };
        let capacities = able.map(|member| self.members[member].capacity(program, &demand));
        let least = capacities.min().unwrap_or_default();
        self.group.agree(least, u32::min).unwrap_or_default()
    }

    fn memory(&self) -> Option<Arc<dyn DeviceMemory>> {
        self.memory.clone().map(|memory| memory as Arc<dyn DeviceMemory>)
    }

    /// What one job writes may have to move for the next.
    fn runs_ahead(&self) -> bool {
        false
    }

    fn start(&self, job: Job, arena: &dyn Source) -> Result<Box<dyn Running>> {
        let is_cut = self.can_cut(&job) && self.group.shares.is_worth_it(&job.program, job.vm_count);
        let parts: Vec<(usize, Range<u32>)> = match is_cut {
            true => self.group.shares.cut(job.vms).into_iter().enumerate().collect(),
            false => Vec::new(),
        };
        let parts: Vec<(usize, Range<u32>)> = parts.into_iter().filter(|(_, vms)| !vms.is_empty()).collect();
        if parts.len() < 2 {
            // What atomics give depends on who comes first.
            let is_same = job.atomic_words() == 0 && self.bits.are_same(&job);
            return match self.group.ranks().filter(|_| is_same) {
                Some(ranks) => self.everywhere(&job, ranks.own(), arena),
                None => self.on_first(job, arena),
            };
        }
        let begin = Instant::now();
        let cut = Cut::new(&job);
        let assigned = |(member, vms): (usize, Range<u32>)| Assignment {
            footprint: self.footprints.of(&cut, &vms, arena),
            member,
            vms,
        };
        let parts: Vec<Assignment> = parts.into_iter().map(assigned).collect();
        let begun = match self.begin(&job, &cut, parts, arena) {
            // On one device there was room for it.
            Err(Error::OutOfMemory { .. }) if self.group.is_trying(&job.program, job.vm_count) => {
                self.group.shares.see_moved(work(&job.program, job.vm_count));
                return self.on_first(job, arena);
            }
            begun => begun?,
        };
        Ok(Box::new(TeamRunning {
            program: Arc::clone(&job.program),
            arena_words: job.arena_words,
            slots: job.slots,
            cut,
            parts: begun,
            time: begin.elapsed(),
            group: Arc::clone(&self.group),
        }))
    }

    fn sequence(&self) -> Option<Box<dyn Sequence>> {
        // Several jobs that nobody waits for are one device's, and ranks have to know how each has ended.
        if self.group.ranks().is_some() {
            return None;
        }
        let (first, memory) = (self.group.shares.first(), self.memory.as_ref()?);
        Some(Box::new(TeamSequence::new(
            self.members[first].sequence()?,
            (first, self.bits),
            Arc::clone(memory),
        )))
    }

    fn left_to_interpreter(&self, program: &Arc<Program>) -> Option<Duration> {
        let own = self.group.ranks().map(|ranks| ranks.own());
        self.members[own.unwrap_or_else(|| self.group.shares.first())].left_to_interpreter(program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_devices_are_counted() {
        assert_eq!(name(&["A", "A", "B"]), "2 × A + B");
    }
}
