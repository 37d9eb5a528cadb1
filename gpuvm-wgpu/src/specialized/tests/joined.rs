//! Jobs that are joined to the one before them in a row.

use gpuvm_core::program::ParamSlot;
use gpuvm_engine::{DeviceMemory, Execute, Region, Sequence, Slot};
use gpuvm_shaders::layout::WORKGROUP;

use super::*;
use crate::states::States;

/// VMs of the job that others are joined to: several workgroups, the last not full.
const VMS: u32 = 3 * WORKGROUP - 10;

/// `own = own * 3 + id`, and before it what `begin` does.
fn turn(begin: &str) -> Arc<Program> {
    let code = "imm w0, 1\nparam w1, 0\nload w2, w0, w1, 0\nmuli w2, w2, 3\nvmid w3\nadd w2, w2, w3\nstore w2, w0, w1, 0\nhalt";
    Arc::new(assemble(&format!("param &mut u32\nsite 0:7:0 bounds\ncode\n{begin}\n{code}\n")).unwrap())
}

/// `sum = own[0] + own[last]` for a slice that is long enough.
fn ends(last: u32, checked: bool) -> Arc<Program> {
    let check = match checked {
        true => format!("paramlen w2, 0\nimm w3, {last}\nltu w4, w3, w2\njz @done, w4"),
        false => String::new(),
    };
    let code = format!(
        "imm w0, 1\nparam w1, 0\n{check}\nload w5, w0, w1, 0\nload w6, w0, w1, {last}\nparam w7, 1\n\
         add w5, w5, w6\nstore w5, w0, w7, 0\ndone:\nhalt"
    );
    Arc::new(assemble(&format!("param &mut [u32]\nparam &mut u32\ncode\n{code}\n")).unwrap())
}

/// A row, and the columns that its jobs work on.
struct Columns {
    row: Box<dyn Sequence>,
    memory: Arc<dyn DeviceMemory>,
    own: Region,
    /// What each joined job has left.
    sums: Vec<Region>,
}

impl Columns {
    fn new() -> Columns {
        let engine = engine();
        let memory = engine.memory().unwrap();
        Columns {
            row: engine.sequence().unwrap(),
            own: zeros(&*memory, 3 * WORKGROUP),
            sums: Vec::new(),
            memory,
        }
    }

    fn push(&mut self, program: &Arc<Program>, vms: u32, neighbours: Option<u32>, to: &Region) {
        let mut batch = without_memory(job(Program::clone(program), &[], 0, 0, vms));
        batch.job.program = program.clone();
        batch.job.neighbours = neighbours;
        let each = neighbours.unwrap_or(1);
        let slot = |region: &Region, each| Slot {
            place: ParamSlot {
                base: 0,
                stride: each,
                length: each,
                reserved: 0,
            },
            region: Some(region.clone()),
        };
        batch.job.slots = vec![slot(&self.own, each), slot(to, 1), slot(&self.own, 0)];
        assert!(self.row.push(batch.job.clone(), &batch.arena.as_slice()).unwrap());
    }

    fn push_turn(&mut self, program: &Arc<Program>) {
        let own = self.own.clone();
        self.push(program, VMS, None, &own);
    }

    fn push_ends(&mut self, program: &Arc<Program>) {
        let to = zeros(&*self.memory, 3);
        self.push(program, 3, Some(WORKGROUP), &to);
        self.sums.push(to);
    }

    /// Checks what is left of turns that were each followed by a joined job.
    fn check(&self) {
        let mut own = vec![0; 3 * WORKGROUP as usize];
        for sums in &self.sums {
            for (id, word) in own.iter_mut().take(VMS as usize).enumerate() {
                *word = u32::wrapping_mul(*word, 3).wrapping_add(id as u32);
            }
            let neighbours = own.chunks(WORKGROUP as usize);
            let expected: Vec<u32> = neighbours.map(|own| own[0].wrapping_add(own[own.len() - 1])).collect();
            assert_eq!(self.memory.read(sums).unwrap()[..], expected);
        }
        assert_eq!(self.memory.read(&self.own).unwrap()[..], own);
    }
}

/// A region of zeros.
fn zeros(memory: &dyn DeviceMemory, words: u32) -> Region {
    let region = memory.allocate(words.into()).unwrap();
    memory.write(&region, &vec![0; words as usize].as_slice()).unwrap();
    region
}

#[test]
fn a_joined_job_finds_what_its_neighbours_have_left() {
    let mut columns = Columns::new();
    let (turn, ends) = (turn(""), ends(WORKGROUP - 1, true));
    // More than one submission, of which some begin with a job that would be joined.
    const TURNS: usize = 100;
    let nobodys = zeros(&*columns.memory, 3);
    columns.push(&ends, 3, Some(WORKGROUP), &nobodys);
    for _ in 0..TURNS {
        columns.push_turn(&turn);
        columns.push_ends(&ends);
    }
    let ended = columns.row.wait().unwrap();
    assert!(ended.stopped.is_none());
    let halted = TURNS as u32 * VMS + (TURNS as u32 + 1) * 3;
    assert_eq!(
        (ended.tally.batches, ended.tally.halted),
        (2 * TURNS as u64 + 1, halted)
    );
    columns.check();
}

#[test]
fn a_job_that_does_not_end_is_followed_by_its_joined_one_when_it_has() {
    let mut columns = Columns::new();
    let (turn, pausing, ends) = (
        turn(""),
        turn("vmid w2\nimm w3, 70\neq w2, w2, w3\njz @go, w2\nyield\ngo:"),
        ends(WORKGROUP - 1, true),
    );
    for program in [&turn, &pausing, &turn] {
        columns.push_turn(program);
        columns.push_ends(&ends);
    }
    let ended = columns.row.wait().unwrap();
    let (number, mut running) = ended.stopped.unwrap();
    assert_eq!((number, ended.tally.halted), (2, VMS + 3));
    let tally = running.advance(&Limit::default(), &mut |_| {}).unwrap();
    assert_eq!((tally.halted, tally.running, tally.yielded), (VMS, 0, 0));
    running.finish().unwrap();
    assert!(columns.row.wait().unwrap().stopped.is_none());
    columns.check();
}

#[test]
fn only_what_surely_ends_is_joined() {
    let stops = |program: &Arc<Program>| {
        let job = Job::new(program.clone(), 1, Vec::new());
        engine().stepper(&job).unwrap().states() != States::Nothing
    };
    assert!(!stops(&ends(63, true)));
    assert!(stops(&ends(63, false)), "its slice may be too short");
    assert!(stops(&turn("yield")));
    assert!(stops(&turn("vmid w2\ntrapnz s0, w2, w2, _")));
    assert!(stops(&turn("vmid w2\nagain:\naddi w2, w2, -1\njnz @again, w2")));
}
