//! Jobs in a row: each finds what those before it have left, and nothing runs after one that did not end.

use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::isa::{Instruction, Op};
use gpuvm_engine::{DeviceMemory, Execute, Limit, Region, Sequence};

use super::control::with_finish;
use super::{Batch, engines, job, op, without_memory};

const VMS: u32 = 70;
/// Jobs that are more than one submission.
const MANY: usize = 131;

/// Appends the VM's word to what the region has: `w10 = word * 3 + id`.
fn turn() -> Vec<Instruction> {
    vec![
        op(Op::Param, [1, 0, 0, 0]),
        op(Op::Imm, [2, 1, 0, 0]),
        op(Op::Load, [10, 2, 1, 0]),
        op(Op::MulImm, [10, 10, 3, 0]),
        op(Op::VmId, [3, 0, 0, 0]),
        op(Op::Add, [10, 10, 3, 0]),
    ]
}

fn expected(turns: usize) -> Vec<u32> {
    let after = |id: u32| (0..turns).fold(0, |word: u32, _| word.wrapping_mul(3).wrapping_add(id));
    (0..VMS).map(after).collect()
}

/// A job that works on a region in place.
fn on(region: &Region, code: Vec<Instruction>) -> Batch {
    let mut batch = without_memory(job(with_finish(code), &[], 0, 0, VMS));
    for slot in &mut batch.job.slots {
        slot.place.base = 0;
        slot.place.stride = 1;
        slot.place.length = 1;
        slot.region = Some(region.clone());
    }
    batch
}

fn push(row: &mut dyn Sequence, batch: &Batch) {
    assert!(row.push(batch.job.clone(), &batch.arena.as_slice()).unwrap());
}

/// A row, the memory that its jobs work in, and a region of it.
type Begun = (Box<dyn Sequence>, Arc<dyn DeviceMemory>, Region);

/// A row of an engine, and a region of zeros; none of an engine without rows.
fn begin(engine: &dyn Execute) -> Option<Begun> {
    let row = engine.sequence()?;
    let memory = engine.memory().unwrap();
    let region = memory.allocate(VMS.into()).unwrap();
    memory.write(&region, &vec![0; VMS as usize].as_slice()).unwrap();
    Some((row, memory, region))
}

#[test]
fn jobs_find_what_those_before_them_have_left() {
    let mut rows = 0;
    for engine in engines() {
        let Some((mut row, memory, region)) = begin(engine) else {
            continue;
        };
        rows += 1;
        let batch = on(&region, turn());
        (0..MANY).for_each(|_| push(&mut *row, &batch));
        let ended = row.wait().unwrap();
        assert!(ended.stopped.is_none());
        assert_eq!(
            (ended.tally.batches, ended.tally.halted),
            (MANY as u64, MANY as u32 * VMS)
        );
        assert_eq!(memory.read(&region).unwrap()[..], expected(MANY));
        // The row can be used again.
        push(&mut *row, &batch);
        assert!(row.wait().unwrap().stopped.is_none());
        assert_eq!(memory.read(&region).unwrap()[..], expected(MANY + 1));
        assert_eq!(row.wait().unwrap().tally.batches, 0);
    }
    assert_eq!(rows, 3);
}

#[test]
fn a_job_that_does_not_end_holds_up_the_others() {
    for engine in engines() {
        let Some((mut row, memory, region)) = begin(engine) else {
            continue;
        };
        let batch = on(&region, turn());
        let mut pausing = turn();
        pausing.insert(0, op(Op::Yield, [0; 4]));
        push(&mut *row, &batch);
        push(&mut *row, &on(&region, pausing));
        (0..MANY).for_each(|_| push(&mut *row, &batch));
        let (number, mut running) = row.wait().unwrap().stopped.unwrap();
        assert_eq!(number, 1);
        assert_eq!(memory.read(&region).unwrap()[..], expected(1));
        let tally = running.advance(&Limit::default(), &mut |_| {}).unwrap();
        assert_eq!((tally.halted, tally.running, tally.yielded), (VMS, 0, 0));
        running.finish().unwrap();
        assert_eq!(memory.read(&region).unwrap()[..], expected(2));
        assert!(row.wait().unwrap().stopped.is_none());
        assert_eq!(memory.read(&region).unwrap()[..], expected(MANY + 2));
    }
}

#[test]
fn a_trap_is_told_by_the_job_that_it_stopped() {
    for engine in engines() {
        let Some((mut row, memory, region)) = begin(engine) else {
            continue;
        };
        // VM 3 and those after it trap, before they have changed anything.
        let mut trapping = vec![
            op(Op::VmId, [3, 0, 0, 0]),
            op(Op::Imm, [5, 3, 0, 0]),
            op(Op::LtU, [4, 3, 5, 0]),
            op(Op::JumpIf, [5, 4, 0, 0]),
            op(Op::Trap, [0, 0, 0, 0]),
        ];
        trapping.extend(turn());
        for code in [turn(), trapping, turn()] {
            push(&mut *row, &on(&region, code));
        }
        let (number, mut running) = row.wait().unwrap().stopped.unwrap();
        let tally = running.advance(&Limit::default(), &mut |_| {}).unwrap();
        assert_eq!((number, tally.halted, tally.trapped), (1, 3, VMS - 3));
        assert_eq!(running.finish().unwrap().first_trap.unwrap().vm, 3);
        let found = memory.read(&region).unwrap();
        assert_eq!(found[..3], expected(2)[..3]);
        assert_eq!(found[3..], expected(1)[3..]);
    }
}

#[test]
fn a_job_that_does_not_end_keeps_its_frames() {
    for engine in engines() {
        let Some((mut row, memory, region)) = begin(engine) else {
            continue;
        };
        let with_frame = |pauses: bool| {
            let mut code = vec![op(Op::VmId, [2, 0, 0, 0]), op(Op::StoreFrame, [2, 5, 0, 0])];
            code.extend(pauses.then(|| op(Op::Yield, [0; 4])));
            code.extend(turn());
            code.extend([op(Op::LoadFrame, [2, 5, 0, 0]), op(Op::Add, [10, 10, 2, 0])]);
            on(&region, code)
        };
        push(&mut *row, &with_frame(true));
        (0..3).for_each(|_| push(&mut *row, &with_frame(false)));
        let (_, mut running) = row.wait().unwrap().stopped.unwrap();
        running.advance(&Limit::default(), &mut |_| {}).unwrap();
        running.finish().unwrap();
        assert!(row.wait().unwrap().stopped.is_none());
        let after = |id: u32| (0..4).fold(0, |word: u32, _| word.wrapping_mul(3).wrapping_add(2 * id));
        assert_eq!(
            memory.read(&region).unwrap()[..],
            (0..VMS).map(after).collect::<Vec<_>>()
        );
    }
}

/// Adds 1 to the atomic word 1 twice, and may pause in between.
fn adds(pauses: bool) -> Vec<Instruction> {
    let add = op(Op::AtomicAdd, [4, 2, 2, 0]);
    let mut code = vec![op(Op::Imm, [2, 1, 0, 0]), add];
    code.extend(pauses.then(|| op(Op::Yield, [0; 4])));
    code.push(add);
    code
}

#[test]
fn jobs_find_the_atomics_that_those_before_them_have_left() {
    for engine in engines() {
        let Some((mut row, memory, region)) = begin(engine) else {
            continue;
        };
        let cells = [0_u32, 10, 20].map(|first| {
            let cells = memory.allocate(3).unwrap();
            memory.write(&cells, &[first, first + 1, first + 2].as_slice()).unwrap();
            cells
        });
        let with = |regions: &[(usize, &Region)], pauses| {
            let mut batch = on(&region, adds(pauses));
            let regions = regions.iter().map(|&(at, region)| (at, region.clone()));
            batch.job.atomic_regions = regions.collect();
            batch
        };
        let one_each: Vec<_> = cells.iter().map(|cells| with(&[(0, cells)], false)).collect();
        let two_at_once = with(&[(0, &cells[0]), (3, &cells[1])], false);
        for _ in 0..3 {
            one_each.iter().for_each(|batch| push(&mut *row, batch));
        }
        push(&mut *row, &two_at_once);
        push(&mut *row, &with(&[(0, &cells[2])], true));
        one_each.iter().for_each(|batch| push(&mut *row, batch));
        let (number, mut running) = row.wait().unwrap().stopped.unwrap();
        assert_eq!(number, 10);
        let read = || cells.each_ref().map(|cells| memory.read(cells).unwrap().to_vec());
        let mut expected = [[0, 1, 2], [10, 11, 12], [20, 21, 22]];
        expected.iter_mut().for_each(|cells| cells[1] += 3 * 2 * VMS);
        expected[0][1] += 2 * VMS;
        expected[2][1] += VMS;
        assert_eq!(read(), expected);
        running.advance(&Limit::default(), &mut |_| {}).unwrap();
        running.finish().unwrap();
        expected[2][1] += VMS;
        assert_eq!(read(), expected);
        assert!(row.wait().unwrap().stopped.is_none());
        expected.iter_mut().for_each(|cells| cells[1] += 2 * VMS);
        assert_eq!(read(), expected);
    }
}

#[test]
fn launches_between_rows_have_their_own_inputs() {
    for engine in engines() {
        let Some((mut row, memory, region)) = begin(engine) else {
            continue;
        };
        let batch = on(&region, turn());
        let limit = Limit {
            time: Some(Duration::from_secs(5)),
            ..Limit::default()
        };
        let mut turns = 0;
        // Rows and launches take their buffers from one pool, some of one size.
        for jobs in 0..8 {
            (0..jobs).for_each(|_| push(&mut *row, &batch));
            assert!(row.wait().unwrap().stopped.is_none());
            let mut running = batch.clone().start(engine).unwrap();
            let tally = running.advance(&limit, &mut |_| {}).unwrap();
            running.finish().unwrap();
            turns += jobs + 1;
            assert_eq!(tally.halted, VMS, "after a row of {jobs}");
            assert_eq!(memory.read(&region).unwrap()[..], expected(turns));
        }
    }
}

#[test]
fn what_does_not_stay_on_the_device_is_no_part_of_a_row() {
    for engine in engines() {
        let Some((mut row, ..)) = begin(engine) else { continue };
        let batch = job(with_finish(turn()), &[], 0, 1, VMS);
        assert!(!row.push(batch.job, &batch.arena.as_slice()).unwrap());
    }
}
