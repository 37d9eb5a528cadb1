//! Jobs of a row on specialised kernels: their uniforms folded in, and their frames.

use std::time::Duration;

use gpuvm_core::program::ParamSlot;
use gpuvm_engine::{Execute, Region, Slot};

use super::*;

const VMS: u32 = 70;

/// Adds a uniform to the VM's word, waits, and adds a third of it.
const ADDING: &str =
    "param &mut u32\nparam u32\ncode\nimm w0, 1\nparam w1, 0\nparam w2, 1\nload w3, w0, w2, 0\nload w4, w0, w1, 0
    add w4, w4, w3\nWAITS\nimm w6, 3\ndivu w5, w3, w6\nadd w4, w4, w5\nstore w4, w0, w1, 0\nhalt";

/// A job of a program that works on a region in place and takes a uniform.
fn adding(program: &Arc<Program>, region: &Region, uniform: u32) -> Batch {
    let mut batch = without_memory(job(Program::clone(program), &[], 0, 0, VMS));
    batch.job.program = program.clone();
    batch.arena = vec![uniform];
    batch.job.arena_words = 1;
    let place = |stride| ParamSlot {
        base: 0,
        stride,
        length: 1,
        reserved: 0,
    };
    batch.job.slots = vec![
        Slot {
            place: place(1),
            region: Some(region.clone()),
        },
        Slot {
            place: place(0),
            region: None,
        },
    ];
    batch
}

#[test]
fn uniforms_of_jobs_in_a_row_are_folded_in() {
    let engine = engine();
    let memory = engine.memory().unwrap();
    for waits in ["", "yield"] {
        let program = Arc::new(assemble(&ADDING.replace("WAITS", waits)).unwrap());
        let region = memory.allocate(VMS.into()).unwrap();
        memory.write(&region, &vec![0; VMS as usize].as_slice()).unwrap();
        let usual = adding(&program, &region, 12);
        while Scheduler::habitual(&engine, &usual.job, &usual.arena.as_slice()).is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut row = engine.sequence().unwrap();
        let mut expected = 0;
        for uniform in [12, 12, 7, 12] {
            let batch = adding(&program, &region, uniform);
            assert!(row.push(batch.job.clone(), &batch.arena.as_slice()).unwrap());
            expected += uniform + uniform / 3;
        }
        // Each that waits holds up the others, and goes on without the uniform folded in.
        let mut stopped = 0;
        while let Some((_, mut running)) = row.wait().unwrap().stopped {
            let tally = running.advance(&Limit::default(), &mut |_| {}).unwrap();
            assert_eq!((tally.halted, tally.yielded), (VMS, 0));
            running.finish().unwrap();
            stopped += 1;
        }
        assert_eq!(stopped, if waits.is_empty() { 0 } else { 4 });
        assert_eq!(memory.read(&region).unwrap()[..], vec![expected; VMS as usize]);
    }
}

#[test]
fn frames_are_zero_when_jobs_of_a_row_begin() {
    let recursion = "frame_words 90\ncall_depth 30\ndepth_limit 9\nsite 0:7:0 stack_overflow";
    // What is in memory while it runs, of which a word is looked at that the last such job has written.
    let in_memory = "vmid w1\nandi w1, w1, 7\nldf w20, 3\nimm w2, 55\nstf w2, 3\ncall @deeper, 3, 3\nadd w10, w1, w20\njump @finish\ndeeper:\nenter s0
        ldf w21, 2\nadd w20, w20, w21\nimm w2, 77\nstf w2, 0\nstf w2, 2\nstf w1, 1\njz @done, w1\naddi w1, w1, -1\ncall @deeper, 3, 3
        ldf w2, 1\nadd w1, w1, w2\ndone:\nleave\nret";
    let kept = |waits: &str| {
        format!(
            "vmid w1\nldf w20, 3\nstf w1, 3\nstf w1, 2\n{waits}\nldf w2, 3\nldf w3, 5\nadd w10, w2, w20\nadd w10, w10, w3"
        )
    };
    let programs = [
        (recursion, in_memory.to_string()),
        ("frame_words 8", kept("")),
        ("frame_words 8", kept("yield")),
    ];
    let engine = engine();
    let memory = engine.memory().unwrap();
    let jobs = programs.map(|(header, code)| {
        let mut expected = job(assembled(header, &code), &[], 0, 1, VMS);
        let mut batch = without_memory(expected.clone());
        reference(&mut expected);
        let region = memory.allocate(VMS.into()).unwrap();
        for slot in &mut batch.job.slots {
            slot.place.base = 0;
            slot.region = Some(region.clone());
        }
        (batch, region, expected.arena)
    });
    let mut row = engine.sequence().unwrap();
    for number in [1, 0, 1, 1, 0, 0, 1, 2, 1, 1] {
        let (batch, ..) = &jobs[number];
        assert!(row.push(batch.job.clone(), &batch.arena.as_slice()).unwrap());
    }
    let (number, mut running) = row.wait().unwrap().stopped.unwrap();
    assert_eq!(number, 7);
    running.advance(&Limit::default(), &mut |_| {}).unwrap();
    running.finish().unwrap();
    assert!(row.wait().unwrap().stopped.is_none());
    for (_, region, expected) in &jobs {
        assert_eq!(memory.read(region).unwrap()[..], expected[..]);
    }
}
