//! A warp: neighbouring VMs in lockstep, as a GPU's SIMT hardware runs them, by the reference interpreter. What they write to memory that others see,
//! each of them sees alone.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use gpuvm_core::interp::{Memory, Vm};
use gpuvm_core::isa::{Op, Unit, space};
use gpuvm_core::program::{ParamSlot, Program, Status};

use super::calls::Calls;

/// VMs of a warp.
pub(crate) const LANES: u32 = 32;
/// Words of a sector, the least that a GPU's memory moves.
const SECTOR: u32 = 8;

/// What warps of one launch have in common.
pub(super) struct Common<'c> {
    pub program: &'c Program,
    /// VMs of the launch.
    pub vms: u32,
    /// Words at the beginning of each arena that all VMs see.
    pub shared: usize,
}

/// The memory that a thread runs one warp after the other in, and what they came to.
pub(super) struct Bench {
    /// What all VMs see, and room for what those of a warp own.
    pub arena: Vec<u32>,
    pub atomics: Vec<u32>,
    /// One for each instruction of the program.
    pub counts: Vec<Count>,
}

/// What an instruction came to.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    /// How often VMs ran it.
    pub retired: u64,
    /// How often a warp did.
    pub issues: u64,
    /// Sectors of the arena that these touched, each once an issue.
    pub sectors: u64,
}

/// The data of a warp that is about to begin.
pub(crate) struct WarpData {
    pub range: Range<u32>,
    /// What its VMs own of the arena, behind what all see.
    pub own: Vec<u32>,
    /// Where the parameters lie, the result's slot last.
    pub slots: Vec<ParamSlot>,
    /// Where columns start in the arena, ascending, and how far into its column each start is.
    pub columns: Vec<(u32, u32)>,
}

/// A warp on its way.
pub(super) struct Warp {
    data: WarpData,
    pub lanes: Vec<Lane>,
    pub calls: Calls,
    /// How often VMs ran an instruction with these calls on the stack.
    pub stacks: HashMap<(u32, u32), u64>,
    /// Where the lanes of the group of this turn are.
    group: Vec<usize>,
    touched: Vec<(usize, u32)>,
}

/// A VM of a warp.
pub(super) struct Lane {
    pub vm: Vm,
    pub retired: u64,
    /// The calls that have not returned, a place in [`Calls`].
    place: u32,
    /// Calls below that one which are not told apart.
    beyond: u32,
    /// What it has written of what others see: by space and offset.
    written: HashMap<(u32, u32), u32>,
}

/// Where an instruction reaches outside of what is the VM's own.
#[derive(Clone, Copy)]
struct Access {
    space: u32,
    first: u32,
    words: u32,
    writes: bool,
}

impl Warp {
    pub(super) fn new(program: &Program, data: WarpData) -> Warp {
        let lane = |id| Lane {
            vm: Vm::new(program, id),
            retired: 0,
            place: 0,
            beyond: 0,
            written: HashMap::new(),
        };
        Warp {
            lanes: data.range.clone().map(lane).collect(),
            data,
            calls: Calls::default(),
            stacks: HashMap::new(),
            group: Vec::with_capacity(LANES as usize),
            touched: Vec::with_capacity(LANES as usize),
        }
    }

    /// Whether no VM goes on.
    pub(super) fn is_over(&self) -> bool {
        self.lanes.iter().all(|lane| lane.vm.status() != Status::Running)
    }

    /// Runs on for at most so many instructions of VMs, and gives how many that were.
    pub(super) fn run(&mut self, common: &Common<'_>, bench: &mut Bench, most: u64) -> u64 {
        let own = common.shared..common.shared + self.data.own.len();
        bench.arena[own.clone()].copy_from_slice(&self.data.own);
        let mut left = most;
        while let Some((Reverse(calls), ip)) = self.next() {
            self.group.clear();
            let lanes = self.lanes.iter().enumerate();
            let stands = |(_, lane): &(usize, &Lane)| {
                lane.vm.status() == Status::Running && (lane.vm.calls, lane.vm.ip()) == (calls, ip)
            };
            self.group.extend(lanes.filter(stands).map(|(index, _)| index));
            let Some(rest) = left.checked_sub(self.group.len() as u64) else {
                break;
            };
            left = rest;
            self.issue(common, bench, ip);
        }
        self.data.own.copy_from_slice(&bench.arena[own]);
        most - left
    }

    /// Where the VMs stand whose turn it is: those in the deepest calls, of these the ones with the lowest instruction, so that who went a longer way
    /// is waited for where the ways meet.
    fn next(&self) -> Option<(Reverse<u32>, u32)> {
        let running = self.lanes.iter().filter(|lane| lane.vm.status() == Status::Running);
        running.map(|lane| (Reverse(lane.vm.calls), lane.vm.ip())).min()
    }

    /// Lets the group run the instruction that it stands at.
    fn issue(&mut self, common: &Common<'_>, bench: &mut Bench, ip: u32) {
        let code = common.program.code.get(ip as usize);
        let op = code.and_then(|code| Op::from_code(code.opcode));
        // Most operations reach nothing but what is the VM's own, and need no look at that.
        let reach =
            op.filter(|op| matches!(op, Op::Load | Op::Store) || matches!(op.unit(), Unit::Atomic | Unit::AtomicPair));
        self.touched.clear();
        let (mut place, mut of_place) = (0, 0);
        for &index in &self.group {
            let lane = &mut self.lanes[index];
            if lane.place != place {
                add(&mut self.stacks, (place, ip), of_place);
                (place, of_place) = (lane.place, 0);
            }
            of_place += 1;
            let access = reach.and_then(|op| lane.access(op, common.program));
            if let Some(Access {
                space: space::ARENA,
                first,
                ..
            }) = access
            {
                let column = self.data.columns.partition_point(|(start, _)| *start <= first);
                let (start, within) = match column.checked_sub(1) {
                    Some(column) => self.data.columns[column],
                    None => (0, 0),
                };
                let sector = (column, (first - start).wrapping_add(within) / SECTOR);
                if !self.touched.contains(&sector) {
                    self.touched.push(sector);
                }
            }
            let calls = lane.vm.calls;
            lane.step(common, bench, self.data.own.len(), &self.data.slots, access);
            lane.follow(calls, ip, &mut self.calls);
        }
        add(&mut self.stacks, (place, ip), of_place);
        if let Some(count) = bench.counts.get_mut(ip as usize) {
            count.retired += self.group.len() as u64;
            count.issues += 1;
            count.sectors += self.touched.len() as u64;
        }
    }
}

fn add(stacks: &mut HashMap<(u32, u32), u64>, at: (u32, u32), retired: u64) {
    if retired > 0 {
        *stacks.entry(at).or_default() += retired;
    }
}

impl Lane {
    /// What the next instruction, of this operation, reaches outside of what is the VM's own.
    fn access(&self, op: Op, program: &Program) -> Option<Access> {
        let reads = matches!(op, Op::Load | Op::AtomicLoad | Op::AtomicLoad64);
        let (found, writes) = match reads {
            true => (self.vm.next_read(program), false),
            false => (self.vm.next_write(program), true),
        };
        found.map(|(space, first, words)| Access {
            space,
            first,
            words,
            writes,
        })
    }

    /// Runs one instruction. What others see stands as it was afterwards.
    fn step(
        &mut self,
        common: &Common<'_>,
        bench: &mut Bench,
        own: usize,
        slots: &[ParamSlot],
        access: Option<Access>,
    ) {
        self.retired += 1;
        let shared = access.filter(|access| {
            (access.space == space::ATOMIC || (access.first as usize) < common.shared)
                && (access.writes || !self.written.is_empty())
        });
        let mut before = [None; 2];
        if let Some(Access {
            space, first, words, ..
        }) = shared
        {
            for (offset, before) in (first..first.saturating_add(words)).zip(&mut before) {
                let Some(word) = bench.word(space, offset) else {
                    continue;
                };
                *before = Some(*word);
                if let Some(written) = self.written.get(&(space, offset)) {
                    *word = *written;
                }
            }
        }
        let mut memory = Memory {
            arena: &mut bench.arena[..common.shared + own],
            atomics: &mut bench.atomics,
            params: slots,
            vm_count: common.vms,
            // The slots count VMs from the launch's first.
            first_vm: 0,
        };
        self.vm.step(common.program, &mut memory);
        // Nothing waits for it.
        if self.vm.status() == Status::Yielded {
            self.vm.resume();
        }
        if self.vm.status() != Status::Running {
            self.vm.frame = Vec::new();
        }
        if let Some(Access {
            space, first, writes, ..
        }) = shared
        {
            for (offset, before) in (first..).zip(before) {
                let (Some(before), Some(word)) = (before, bench.word(space, offset)) else {
                    continue;
                };
                let after = std::mem::replace(word, before);
                if writes {
                    self.written.insert((space, offset), after);
                }
            }
        }
    }

    /// Takes note of a call or a return, given how many calls had not returned before the instruction.
    fn follow(&mut self, before: u32, ip: u32, calls: &mut Calls) {
        if self.vm.calls > before {
            let entered = (self.beyond == 0).then(|| calls.enter(self.place, ip)).flatten();
            match entered {
                Some(place) => self.place = place,
                None => self.beyond += 1,
            }
        } else if self.vm.calls < before {
            match self.beyond {
                0 => self.place = calls.caller(self.place),
                _ => self.beyond -= 1,
            }
        }
    }
}

impl Bench {
    fn word(&mut self, space: u32, offset: u32) -> Option<&mut u32> {
        let words = match space {
            space::ARENA => &mut self.arena,
            _ => &mut self.atomics,
        };
        words.get_mut(offset as usize)
    }
}
