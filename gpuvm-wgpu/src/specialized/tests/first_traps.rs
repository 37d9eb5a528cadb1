//! Jobs of which the first trap alone is asked after: it is told whichever VM's it is, and there need not be room for the states of all.

use gpuvm_engine::{Demand, Engine, Execute, Tally};
use gpuvm_shaders::layout::row;

use super::several::picking;
use super::*;
use crate::interpreter::Interpreter;
use crate::memory::WORD;
use crate::specialized::{Automatic, Specialized};

/// VMs for whose states there is room.
const ROOM: u32 = 1000;
/// VMs of a job.
const VMS: u32 = 5 * ROOM + 1;

/// The engines of a device of their own, whose VMs of a workgroup wait for each other.
fn engines() -> [Box<dyn Execute>; 2] {
    let mut gpu = Gpu::open(adapter(), 0).unwrap();
    gpu.software = false;
    gpu.limits.max_storage_buffer_binding_size = (row::COUNT as u64 * u64::from(ROOM) + 4) * WORD;
    let gpu = Arc::new(gpu);
    let interpreter = Interpreter::new(gpu.clone());
    let specialized = Specialized::new(gpu, interpreter.clone());
    [
        Box::new(specialized.clone()),
        Box::new(Automatic::new(specialized, interpreter)),
    ]
}

/// Runs a job and checks what it leaves.
fn check_on(engine: &dyn Execute, job: &Batch) -> Tally {
    let (mut expected, mut found) = (job.clone(), job.clone());
    let wanted = reference(&mut expected);
    let mut running = found.clone().start(engine).unwrap();
    let tally = running.advance(&Limit::default(), &mut |_| {}).unwrap();
    let finished = running.finish().unwrap();
    assert_eq!(
        (u64::from(tally.trapped), finished.first_trap),
        (wanted.traps, wanted.first_trap)
    );
    found.take(finished);
    assert!(found.arena == expected.arena, "other words");
    tally
}

#[test]
fn there_may_be_more_vms_than_there_is_room_for_states() {
    let job_of = |table| picking(VMS, table);
    let counting = assembled("", "vmid w2\nagain:\naddi w2, w2, -1\njnz @again, w2");
    for engine in engines() {
        let most = |program: &Arc<Program>, only_first_trap| {
            let demand = Demand {
                vms: VMS,
                only_first_trap,
                ..Demand::default()
            };
            engine.capacity(program, &demand)
        };
        let program = job_of(8).job.program;
        assert_eq!(most(&program, false), ROOM);
        assert!(most(&program, true) >= VMS);
        assert_eq!(
            most(&Arc::new(counting.clone()), true),
            ROOM,
            "its VMs may stop on their way"
        );
        // None, each eighth, and all.
        for table in [8, 7, 0] {
            assert_eq!(check_on(&*engine, &job_of(table)).engine, Engine::Specialized);
        }
    }
}

#[test]
fn a_job_goes_to_the_interpreter_and_back() {
    let [_, engine] = engines();
    let small = picking(ROOM / 3, 7);
    assert!(small.job.only_first_trap);
    // The first launch is the interpreter's, and later ones the kernel's.
    let mut ran: Vec<Engine> = Vec::new();
    let begin = std::time::Instant::now();
    while ran.last() != Some(&Engine::Specialized) {
        assert!(begin.elapsed().as_secs() < 120, "it is not compiled");
        ran.push(check_on(&*engine, &small).engine);
    }
    assert_eq!(ran[0], Engine::Interpreter);
    // Stopping after a number of instructions is the interpreter's affair, which needs the states of all.
    let mut stopped = small.clone().start(&*engine).unwrap();
    let few = Limit {
        cycles: Some(3),
        ..Limit::default()
    };
    let tally = stopped.advance(&few, &mut |_| {}).unwrap();
    assert_eq!((tally.engine, tally.running), (Engine::Interpreter, small.vms));
    let tally = stopped.advance(&Limit::default(), &mut |_| {}).unwrap();
    let mut expected = small.clone();
    let wanted = reference(&mut expected);
    assert_eq!(u64::from(tally.trapped), wanted.traps);
    assert_eq!(stopped.finish().unwrap().first_trap, wanted.first_trap);
}
