//! Launches that are saved, and go on elsewhere.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use gpuvm::prelude::*;
use gpuvm::{Error, Settings, Snapshot};
use gpuvm_tests::runtime_with;
use proptest::prelude::*;

use crate::execution::collatz_steps;
use crate::harness::{pausing, runtime};

/// Everything at once: a record, a shared slice, chunks, atomics, a uniform, a call and a result, in a loop of its own length.
#[routine]
fn everything(x: u32, me: &mut (u32, f32), all: &[u32], out: &mut [u32], bins: &[AtomicU32], scale: f32) -> f32 {
    for i in 0..20 + x % 50 {
        me.0 = mixed(me.0, all[(me.0 as usize + i as usize) % all.len()]);
        me.1 = me.1 * scale + i as f32;
        out[i as usize % 2] ^= me.0;
        bins[me.0 as usize % bins.len()].fetch_add(i, Ordering::Relaxed);
    }
    me.1
}

#[routine]
fn mixed(a: u32, b: u32) -> u32 {
    a.wrapping_mul(b | 1) ^ (a >> 7)
}

/// What one launch of `everything` works on.
#[derive(Clone, Debug, PartialEq)]
struct World {
    x: Vec<u32>,
    me: Vec<(u32, f32)>,
    all: Vec<u32>,
    out: Vec<u32>,
    bins: Vec<u32>,
    results: Vec<f32>,
}

fn world(vms: u32) -> World {
    World {
        x: (0..vms).map(|i| i * 977 % 331).collect(),
        me: (0..vms).map(|i| (i * 7919, i as f32)).collect(),
        all: (0..97).map(|i| i * i).collect(),
        out: vec![0; 2 * vms as usize],
        bins: vec![0; 5],
        results: Vec::new(),
    }
}

/// The world as a launch leaves it.
fn ran(runtime: &Runtime, engine: Engine, vms: u32) -> World {
    let mut world = world(vms);
    let bins: Vec<AtomicU32> = world.bins.iter().map(|bin| AtomicU32::new(*bin)).collect();
    let args = (&world.x, &mut world.me, &world.all, &mut world.out, &bins, 0.5f32);
    let done = runtime
        .launch("everything")
        .unwrap()
        .args(args)
        .engine(engine)
        .run()
        .unwrap();
    world.results = done.output().unwrap();
    world.bins = bins.into_iter().map(AtomicU32::into_inner).collect();
    world
}

/// A snapshot of the world's launch after so many cycles.
fn snapshot(runtime: &Runtime, engine: Engine, vms: u32, cycles: u64) -> Snapshot {
    let mut world = world(vms);
    let bins: Vec<AtomicU32> = world.bins.iter().map(|bin| AtomicU32::new(*bin)).collect();
    let args = (&world.x, &mut world.me, &world.all, &mut world.out, &bins, 0.5f32);
    let mut execution = runtime
        .launch("everything")
        .unwrap()
        .args(args)
        .engine(engine)
        .start()
        .unwrap();
    if cycles > 0 {
        execution.advance(Budget::cycles(cycles)).unwrap();
    }
    let snapshot = execution.snapshot().unwrap();
    assert_eq!(snapshot, Snapshot::from_bytes(&snapshot.to_bytes()).unwrap());
    snapshot
}

/// The world as a restored launch leaves it.
fn restored(runtime: &Runtime, engine: Engine, snapshot: &Snapshot) -> World {
    let mut execution = runtime.restore_on(snapshot, engine).unwrap();
    execution.run_to_end().unwrap();
    let halfway: Vec<u32> = execution.column("out").unwrap();
    let done = execution.finish().unwrap();
    let untouched = world(snapshot.vms());
    let ended = World {
        me: done.column("me").unwrap(),
        out: done.column("out").unwrap(),
        bins: done.column("bins").unwrap(),
        results: done.output().unwrap(),
        ..untouched
    };
    assert_eq!(ended.out, halfway);
    assert!(matches!(done.column::<u32>("x"), Err(Error::NoSuchColumn { .. })));
    assert!(matches!(done.column::<u32>("me"), Err(Error::OutputType { .. })));
    ended
}

#[test]
fn a_snapshot_goes_on_on_another_engine() {
    let wanted = ran(runtime(), Engine::Native, 50);
    for from in pausing() {
        for cycles in [0, 1, 100, 333, 1_000_000] {
            let snapshot = snapshot(runtime(), from, 50, cycles);
            for to in pausing() {
                assert_eq!(
                    restored(runtime(), to, &snapshot),
                    wanted,
                    "{from} to {to} after {cycles}"
                );
            }
        }
    }
}

#[test]
fn a_snapshot_brings_its_settings_along() {
    let plain = runtime_with(Settings {
        inline: None,
        fuse: false,
        ..Settings::default()
    });
    let wanted = ran(runtime(), Engine::Native, 20);
    let snapshot = snapshot(&plain, Engine::Reference, 20, 200);
    for to in pausing() {
        assert_eq!(restored(runtime(), to, &snapshot), wanted, "{to}");
    }
}

#[test]
fn launches_of_several_jobs_can_be_saved() {
    // The reference engine takes 65,536 VMs at a time.
    let starts: Vec<u32> = (0..70_000).map(|i| i % 7 + 1).collect();
    let wanted: Vec<u32> = starts.iter().map(|n| collatz_steps(*n)).collect();
    let launch = runtime().launch("collatz_steps").unwrap().args((&starts,));
    let mut execution = launch.engine(Engine::Reference).start().unwrap();
    execution.advance(Budget::cycles(15)).unwrap();
    assert!(execution.vm(69_999).unwrap().ip > 0, "both jobs go on");
    let snapshot = execution.snapshot().unwrap();
    let bytes = snapshot.to_bytes();
    let data = 70_000 * (128 + 4 + 4);
    assert!(bytes.len() < data + 16_384, "{} bytes for {data} of data", bytes.len());
    for to in pausing() {
        let mut execution = runtime().restore_on(&snapshot, to).unwrap();
        execution.run_to_end().unwrap();
        assert_eq!(
            execution.finish().unwrap().output::<Vec<u32>>().unwrap(),
            wanted,
            "{to}"
        );
    }
}

#[test]
fn every_instruction_is_a_place_to_go_on_from() {
    let starts: Vec<u32> = (1..8).collect();
    let wanted: Vec<u32> = starts.iter().map(|n| collatz_steps(*n)).collect();
    for (cycles, from) in (0..40).flat_map(|cycles| pausing().into_iter().map(move |from| (cycles, from))) {
        let launch = runtime().launch("collatz_steps").unwrap().args((&starts,));
        let mut execution = launch.engine(from).start().unwrap();
        execution.advance(Budget::cycles(cycles)).unwrap();
        let snapshot = execution.snapshot().unwrap();
        for to in pausing() {
            let mut execution = runtime().restore_on(&snapshot, to).unwrap();
            execution.run_to_end().unwrap();
            let ended = execution.finish().unwrap().output::<Vec<u32>>().unwrap();
            assert_eq!(ended, wanted, "{from} to {to} after {cycles}");
        }
    }
}

#[test]
fn a_snapshot_of_something_else_is_refused() {
    let mut bytes = snapshot(runtime(), Engine::Reference, 4, 10).to_bytes();
    let error = Snapshot::from_bytes(&bytes[..bytes.len() - 1]).unwrap_err();
    assert!(matches!(error, Error::BadSnapshot { .. }), "{error}");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let error = Snapshot::from_bytes(&bytes).unwrap_err().to_string();
    assert!(error.contains("checksum"), "{error}");
    let other = snapshot(
        &runtime_with(Settings {
            recursion_limit: 3,
            ..Settings::default()
        }),
        Engine::Reference,
        4,
        10,
    );
    assert!(runtime().restore(&other).is_ok(), "settings travel with the snapshot");
}

/// In the child process: runs until it is killed, and leaves snapshots behind.
const CHILD: &str = "GPUVM_SNAPSHOT_CHILD";

#[test]
fn a_killed_process_is_carried_on_by_another() {
    if let Ok(path) = std::env::var(CHILD) {
        return child(&path);
    }
    let path = std::env::temp_dir().join(format!("gpuvm-snapshot-{}", std::process::id()));
    let test = "snapshots::a_killed_process_is_carried_on_by_another";
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(CHILD, &path)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    let bytes = loop {
        std::thread::sleep(Duration::from_millis(10));
        if let Ok(bytes) = std::fs::read(&path) {
            break bytes;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "the child saves something");
        assert!(
            child.try_wait().unwrap().is_none(),
            "the child works until it is killed"
        );
    };
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::remove_file(&path).unwrap();
    let snapshot = Snapshot::from_bytes(&bytes).unwrap();
    let wanted: Vec<u32> = (0..64).map(|start| endless_alone(start, 40_000)).collect();
    for to in pausing() {
        let mut execution = runtime().restore_on(&snapshot, to).unwrap();
        assert_eq!(execution.run_to_end().unwrap(), Signal::Halt, "{to}");
        assert_eq!(execution.finish().unwrap().column::<u32>("me").unwrap(), wanted, "{to}");
    }
}

#[routine]
fn endless(me: &mut u32, turns: u32) {
    for i in 0..turns {
        *me = me.wrapping_mul(*me | 1) ^ i;
    }
}

fn endless_alone(mut me: u32, turns: u32) -> u32 {
    endless(&mut me, turns);
    me
}

/// Saves after the twentieth turn, and goes on as if nothing would happen.
fn child(path: &str) {
    let mut me: Vec<u32> = (0..64).collect();
    let launch = runtime().launch("endless").unwrap().args((&mut me, 40_000u32));
    let mut execution = launch.engine(Engine::Reference).start().unwrap();
    for turn in 0.. {
        execution.advance(Budget::time(Duration::from_millis(5))).unwrap();
        if turn == 20 {
            let unfinished = format!("{path}.part");
            std::fs::write(&unfinished, execution.snapshot().unwrap().to_bytes()).unwrap();
            std::fs::rename(unfinished, path).unwrap();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Calls itself with an array in each frame, and writes through what it is given.
#[routine]
fn nested_sums(seed: u32, all: &[u32], out: &mut [u32]) -> u32 {
    let own = [seed, seed ^ 3, seed.wrapping_mul(5), 7];
    let at = (seed % 4) as usize;
    if seed < 40 {
        let below = nested_sums(seed + 9, all, out);
        out[at] = out[at].wrapping_add(below ^ own[at]);
        return below.wrapping_add(own[(below % 4) as usize]);
    }
    all[at + 1].wrapping_add(own[at])
}

/// Few levels of calls, so that most words of a frame are in use.
static SHALLOW: LazyLock<Runtime> = LazyLock::new(|| {
    runtime_with(Settings {
        recursion_limit: 6,
        ..Settings::default()
    })
});

/// As `gpuvm_runtime::snapshot::format` seals bodies of less than a mebibyte: length and checksum.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let mix = |lane: u64, word: u64| (lane ^ word).wrapping_mul(0x9e37_79b1_85eb_ca87).rotate_left(29);
    let (header, body) = bytes.split_at_mut(28);
    let mut lanes = [1, 2, 3, 4];
    let (blocks, rest) = body.as_chunks::<32>();
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = mix(*lane, u64::from_le_bytes(*word));
        }
    }
    lanes[0] = rest.iter().fold(lanes[0], |lane, byte| mix(lane, u64::from(*byte)));
    let piece = lanes.into_iter().fold(body.len() as u64, mix);
    let sum = mix(body.len() as u64, piece);
    header[20..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// What becomes of a snapshot's bytes on an engine: why they are refused, or how it ends, with the columns.
fn outcome(bytes: &[u8], engine: Engine) -> Result<(Signal, Vec<Vec<u32>>), String> {
    let told = |error: Error| error.to_string();
    let snapshot = Snapshot::from_bytes(bytes).map_err(told)?;
    let mut execution = runtime().restore_on(&snapshot, engine).map_err(told)?;
    let signal = execution.advance(Budget::cycles(20_000)).map_err(told)?;
    let columns = ["all", "out"].map(|column| execution.column::<u32>(column).unwrap());
    let vm = execution.vm(0).unwrap();
    let place = vec![vm.status as u32, vm.ip];
    Ok((signal, columns.into_iter().chain([place]).collect()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whoever alters a snapshot can seal it too. It is refused, or runs the same everywhere; of one VM, because an altered address may be of what another one
    /// writes, and then it matters who comes first.
    #[test]
    fn an_altered_snapshot_is_refused_or_runs_the_same_everywhere(
        seed in 0u32..9,
        cycles in 20u64..350,
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), prop_oneof![0u32..64, any::<u32>()]), 1..3),
    ) {
        let (all, mut out) = ([11u32, 22, 33, 44, 55], vec![0u32; 4]);
        let launch = SHALLOW.launch("nested_sums").unwrap().args((seed, &all, &mut out)).vms(1);
        let mut execution = launch.engine(Engine::Reference).start().unwrap();
        execution.advance(Budget::cycles(cycles)).unwrap();
        let mut bytes = execution.snapshot().unwrap().to_bytes();
        prop_assert_eq!(&sealed(bytes.clone()), &bytes);
        // The state lies at the end: the record, its extras and its frames. Columns, which may hold anything, come before it.
        let state = 32 + 4 + SHALLOW.program("nested_sums").unwrap().frame_memory();
        for (at, word) in changes {
            let place = bytes.len() - 4 * (1 + at.index(state as usize));
            bytes[place..place + 4].copy_from_slice(&word.to_le_bytes());
        }
        let bytes = sealed(bytes);
        let wanted = outcome(&bytes, Engine::Reference);
        let ends = matches!(wanted, Err(_) | Ok((Signal::Halt | Signal::Trap, _)));
        for engine in pausing() {
            let found = outcome(&bytes, engine);
            if ends {
                prop_assert_eq!(&found, &wanted, "{}", engine);
            } else {
                prop_assert!(found.is_ok(), "{}: {:?}", engine, found);
            }
        }
    }
}
