//! Several devices as one. A job's VMs are cut over them, a column of the memory is on each as far as it has needed it, and what a device reads that
//! another has written moves between them. So everything that runs on one device runs on several: launches with buffers, plans, loops, snapshots.
//!
//! VMs are cut into contiguous parts, one for each device. What each VM sees its own of is needed for the part's VMs alone, and stays with the device from job to job,
//! because parts are cut at the same places; what all see is brought to every device once, until somebody writes it again. A job whose VMs share what
//! they write (atomics, a column that a kernel writes anywhere) runs on the first device, and so do sorts, and sequences of jobs until some of them turn out to be
//! worth several devices, which then take them one by one.

mod cut;
mod memory;
mod pieces;
mod ranges;
mod running;
mod sequence;
mod shares;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gpuvm_core::program::{ParamSlot, Program};

use self::cut::{Cut, Sight};
use self::memory::TeamMemory;
use self::pieces::PieceSource;
use self::running::{Alone, Part, TeamRunning};
use self::sequence::TeamSequence;
use self::shares::{Shares, work};
use crate::error::Result;
use crate::{
    Copy, Demand, Device, DeviceMemory, Engine, Execute, FloatMode, Job, Opened, Region, Running, Sequence, Slot,
    Source, Span, Tally,
};

/// An engine on several devices.
struct Team {
    members: Vec<Arc<dyn Execute>>,
    bits: Bits,
    memory: Option<Arc<TeamMemory>>,
    shares: Arc<Shares>,
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
pub struct Lost(Arc<Shares>);

impl Lost {
    /// Whether one is.
    pub fn is(&self, member: usize) -> bool {
        self.0.is_lost(member)
    }

    /// Notes that one is.
    pub fn note(&self, member: usize) {
        self.0.lose(member);
    }
}

/// Devices as one, with the engines that all of them have; `None` of fewer than two, or if they have none in common. Jobs are cut that are worth it, or
/// `always` all that can be.
pub fn team(devices: &[Opened], always: bool) -> Option<(Opened, Lost)> {
    let (first, others) = devices.split_first()?;
    if others.is_empty() {
        return None;
    }
    let shares = Arc::new(Shares::new(devices.len(), always));
    let of = |opened: &Opened, engine| {
        let found = opened.engines.iter().find(|(known, _)| *known == engine);
        found.map(|(_, executor)| Arc::clone(executor))
    };
    let all = || devices.iter().map(|opened| &opened.device);
    let is_exact = all().all(|device| device.float_mode == FloatMode::Exact);
    let is_one_kind = all().all(|device| (&device.name, device.backend) == (&first.device.name, first.device.backend));
    let bits = match (is_one_kind, is_exact) {
        (true, _) => Bits::All,
        (false, true) => Bits::Exact,
        (false, false) => Bits::None,
    };
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
                    shares: Arc::clone(&shares),
                })
            });
        }
        engines.push((
            *engine,
            Arc::new(Team {
                members,
                bits,
                memory: memory.clone(),
                shares: Arc::clone(&shares),
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
    opened.map(|opened| (opened, Lost(shares)))
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
    let whole = |region: &mut Region, is_written: bool| -> Result<()> {
        let (column, words) = TeamMemory::column(region)?;
        *region = memory.whole_alone(member, &column, &words)?;
        if is_written {
            memory.written(member, &column, &words);
        }
        Ok(())
    };
    for (index, slot) in job.slots.iter_mut().enumerate() {
        if let Some(region) = &mut slot.region {
            whole(region, cut::writes(&job.program, index))?;
        }
    }
    for (_, region) in &mut job.atomic_regions {
        whole(region, true)?;
    }
    for copy in &mut job.copies {
        for (span, is_written) in [(&mut copy.from, false), (&mut copy.to, true)] {
            if let Some(region) = &mut span.region {
                whole(region, is_written)?;
            }
        }
    }
    Ok(())
}

impl Bits {
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
    fn part(&self, job: &Job, cut: &Cut, member: usize, vms: Range<u32>, source: &dyn Source) -> Result<Part> {
        let pieces = cut.pieces(&vms);
        let mut slots = Vec::with_capacity(job.slots.len());
        for (index, slot) in job.slots.iter().enumerate() {
            let place = cut.place(index, &vms, &pieces);
            slots.push(match cut.sight(index, &vms) {
                None => Slot { place, region: None },
                Some(sight) => {
                    let sight = sight?;
                    if sight.writes {
                        sight.column.written_by(work(&job.program, job.vms));
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
            changed: cut.changed(&vms, &pieces),
            is_looked_at: job.is_looked_at,
            ..Job::new(Arc::clone(&job.program), vms.len() as u32, slots)
        };
        let own = PieceSource {
            all: source,
            pieces: &pieces,
        };
        let running = self.shares.of(member, self.members[member].start(part, &own))?;
        Ok(Part {
            member,
            vms: vms.clone(),
            pieces,
            running,
            tally: Tally {
                running: vms.len() as u32,
                ..Tally::default()
            },
            time: Duration::ZERO,
        })
    }

    /// Brings what VMs see of a column to their device. `None` where there is nothing.
    fn bring(&self, member: usize, sight: &Sight) -> Result<(Option<Region>, u64)> {
        let Some(memory) = self.memory.as_ref().filter(|_| !sight.words.is_empty()) else {
            return Ok((None, 0));
        };
        let (region, first) = memory.bring(member, &sight.column, &sight.words, false)?;
        if sight.writes {
            memory.written(member, &sight.column, &sight.words);
        }
        Ok((Some(region), first))
    }

    /// Makes the copies of a job of one step, on all devices that will read them.
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
        let words = memory.gather(&from, &read)?;
        memory.broadcast(&to, &written, &words)
    }

    /// The job as the first device's alone.
    fn on_first(&self, mut job: Job, source: &dyn Source) -> Result<Box<dyn Running>> {
        let first = self.shares.first();
        let Some(memory) = &self.memory else {
            return self.shares.of(first, self.members[first].start(job, source));
        };
        place(&mut job, memory, first)?;
        let work = self.can_cut(&job).then(|| (Arc::clone(&job.program), job.vms));
        let running = self.shares.of(first, self.members[first].start(job, source))?;
        Ok(Box::new(Alone {
            work,
            time: Duration::ZERO,
            running,
            member: first,
            shares: Arc::clone(&self.shares),
        }))
    }
}

impl Execute for Team {
    /// As many as each of them holds: a job may turn out to be on one alone.
    fn capacity(&self, program: &Program, demand: &Demand) -> u32 {
        let able = (0..self.members.len()).filter(|member| !self.shares.is_lost(*member));
        let capacities = able.map(|member| self.members[member].capacity(program, demand));
        capacities.min().unwrap_or_default()
    }

    fn memory(&self) -> Option<Arc<dyn DeviceMemory>> {
        self.memory.clone().map(|memory| memory as Arc<dyn DeviceMemory>)
    }

    /// What one job writes may have to move for the next.
    fn runs_ahead(&self) -> bool {
        false
    }

    fn start(&self, job: Job, arena: &dyn Source) -> Result<Box<dyn Running>> {
        let parts: Vec<(usize, Range<u32>)> = match self.can_cut(&job) && self.shares.is_worth_it(&job.program, job.vms)
        {
            true => self.shares.cut(job.vms).into_iter().enumerate().collect(),
            false => Vec::new(),
        };
        let parts: Vec<(usize, Range<u32>)> = parts.into_iter().filter(|(_, vms)| !vms.is_empty()).collect();
        if parts.len() < 2 {
            return self.on_first(job, arena);
        }
        let begin = Instant::now();
        for copy in &job.copies {
            self.copy(copy)?;
        }
        let cut = Cut::new(&job);
        let begun: Result<Vec<Part>> = std::thread::scope(|scope| {
            let (job, cut) = (&job, &cut);
            let threads: Vec<_> = parts
                .into_iter()
                .map(|(member, vms)| scope.spawn(move || self.part(job, cut, member, vms, arena)))
                .collect();
            let joined = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            joined.collect()
        });
        Ok(Box::new(TeamRunning {
            program: Arc::clone(&job.program),
            arena_words: job.arena_words,
            slots: job.slots,
            cut,
            parts: begun?,
            time: begin.elapsed(),
            shares: Arc::clone(&self.shares),
        }))
    }

    fn sequence(&self) -> Option<Box<dyn Sequence>> {
        let (first, memory) = (self.shares.first(), self.memory.as_ref()?);
        Some(Box::new(TeamSequence::new(
            self.members[first].sequence()?,
            (first, self.bits),
            Arc::clone(memory),
        )))
    }

    fn left_to_interpreter(&self, program: &Arc<Program>) -> Option<Duration> {
        self.members[self.shares.first()].left_to_interpreter(program)
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
