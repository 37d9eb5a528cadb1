//! Every mode of a parameter and every kind of argument for it: columns, uniforms, records, slices, chunks, buffers.

use gpuvm::prelude::*;

use crate::harness::{ENGINES, runtime};

cases! {
    column_struct, column_enum_and_tuple, column_array, column_bool_and_small, nothing_returned,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Default)]
struct Boid {
    at: [f32; 2],
    heading: f32,
    age: u16,
}

impl crate::sample::Sample for Boid {
    fn edges() -> Vec<Self> {
        vec![
            Boid::default(),
            Boid {
                at: [f32::INFINITY, -0.0],
                heading: f32::NAN,
                age: u16::MAX,
            },
        ]
    }

    fn random(rng: &mut crate::sample::Rng) -> Self {
        Boid {
            at: [f32::random(rng), f32::random(rng)],
            heading: f32::random(rng),
            age: u16::random(rng),
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Command {
    Stop,
    Move(f32),
    Turn { by: i8, fast: bool },
}

impl crate::sample::Sample for Command {
    fn edges() -> Vec<Self> {
        vec![
            Command::Stop,
            Command::Move(-0.0),
            Command::Turn { by: -128, fast: true },
        ]
    }

    fn random(rng: &mut crate::sample::Rng) -> Self {
        match rng.below(3) {
            0 => Command::Stop,
            1 => Command::Move(f32::random(rng)),
            _ => Command::Turn {
                by: i8::random(rng),
                fast: bool::random(rng),
            },
        }
    }
}

#[routine]
fn column_struct(boid: Boid, by: f32) -> Boid {
    Boid {
        heading: boid.heading + by,
        age: boid.age / 2,
        ..boid
    }
}

#[routine]
fn column_enum_and_tuple(command: Command, scale: (i32, f32)) -> (Command, f32) {
    let distance = match command {
        Command::Stop => 0.0,
        Command::Move(by) => by * scale.1,
        Command::Turn { by, .. } => by as f32,
    };
    (if scale.0 > 0 { command } else { Command::Stop }, distance)
}

#[routine]
fn column_array(values: [i16; 3], i: u32) -> [i16; 3] {
    let mut out = values;
    out[(i % 3) as usize] /= 2;
    [out[2], out[0], out[1]]
}

#[routine]
fn column_bool_and_small(flag: bool, a: i8, b: u16, c: u64) -> (bool, u64) {
    (!flag, c ^ b as u64 ^ a as u64)
}

#[routine]
fn no_parameters() -> u32 {
    vm::id() * 3 + vm::count()
}

#[routine]
fn nothing_returned(a: u32) {
    assert!(a % 16 != 7, "seven");
}

#[routine]
fn scale_by(x: f32, factor: f32) -> f32 {
    x * factor
}

#[routine]
fn step_boid(me: &mut Boid, dt: f32) {
    me.at[0] += me.heading * dt;
    me.at[1] -= dt;
    if me.age < 100 {
        me.age += 1;
    }
}

#[routine]
fn step_and_report(me: &mut Boid, all: &[Boid]) -> f32 {
    let mut nearest = f32::INFINITY;
    for other in all {
        let (dx, dy) = (other.at[0] - me.at[0], other.at[1] - me.at[1]);
        let d = dx * dx + dy * dy;
        if d > 0.0 && d < nearest {
            nearest = d;
        }
    }
    me.heading = nearest;
    nearest.sqrt()
}

#[routine]
fn lookup(table: &[u32], i: u32) -> u32 {
    table[i as usize % table.len()]
}

#[routine]
fn fill_chunk(out: &mut [u32], seed: u32) {
    let mut x = seed;
    for slot in out.iter_mut() {
        *slot = x;
        x = x.wrapping_mul(5).wrapping_add(vm::id());
    }
}

#[routine]
fn chunk_and_slice(out: &mut [f32], weights: &[f32]) -> u32 {
    for i in 0..out.len() {
        out[i] = out[i] * 2.0 + weights[i % weights.len()];
    }
    out.len() as u32
}

#[routine]
fn checked_record(me: &mut u32, limit: u32) {
    *me += 1;
    assert!(*me <= limit, "{} is over {}", *me, limit);
    *me *= 2;
}

fn boids() -> Vec<Boid> {
    (0..500u16)
        .map(|i| {
            let x = f32::from(i);
            Boid {
                at: [x * 0.5, x % 7.0],
                heading: 1.0 - x * 0.01,
                age: i % 128,
            }
        })
        .collect()
}

#[test]
fn uniform_and_column_arguments_agree() {
    let xs: Vec<f32> = (0..1000u16).map(|i| f32::from(i) * 0.3).collect();
    let expected: Vec<f32> = xs.iter().map(|&x| scale_by(x, 1.1)).collect();
    for engine in ENGINES {
        let uniform: Vec<f32> = runtime()
            .launch("scale_by")
            .unwrap()
            .args((&xs, 1.1f32))
            .engine(engine)
            .run()
            .unwrap()
            .output()
            .unwrap();
        let columns = vec![1.1f32; 1000];
        let column: Vec<f32> = runtime()
            .launch("scale_by")
            .unwrap()
            .args((&xs, &columns))
            .engine(engine)
            .run()
            .unwrap()
            .output()
            .unwrap();
        assert_eq!(uniform, expected, "{engine:?}");
        assert_eq!(column, expected, "{engine:?}");
    }
}

#[test]
fn no_parameters_and_identity() {
    let expected: Vec<u32> = (0..3000).map(|id| id * 3 + 3000).collect();
    for engine in ENGINES {
        let done = runtime()
            .launch("no_parameters")
            .unwrap()
            .vms(3000)
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(done.output::<Vec<u32>>().unwrap(), expected, "{engine:?}");
    }
}

#[test]
fn all_uniform_arguments_with_vms() {
    for engine in ENGINES {
        let out: Vec<f32> = runtime()
            .launch("scale_by")
            .unwrap()
            .args((2.0f32, 4.0f32))
            .vms(70)
            .engine(engine)
            .run()
            .unwrap()
            .output()
            .unwrap();
        assert_eq!(out, vec![8.0; 70], "{engine:?}");
    }
}

#[test]
fn records_are_written_back() {
    let mut expected = boids();
    for me in &mut expected {
        step_boid(me, 0.25);
    }
    for engine in ENGINES {
        let mut actual = boids();
        runtime()
            .launch("step_boid")
            .unwrap()
            .args((&mut actual, 0.25f32))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(actual, expected, "{engine:?}");
    }
}

#[test]
fn slices_show_the_state_before_the_launch() {
    let before = boids();
    let mut expected = boids();
    let distances: Vec<f32> = expected.iter_mut().map(|me| step_and_report(me, &before)).collect();
    for engine in ENGINES {
        let buffer = runtime().buffer(&before).unwrap();
        let done = runtime()
            .launch("step_and_report")
            .unwrap()
            .args((&buffer, &buffer))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(done.output::<Vec<f32>>().unwrap(), distances, "{engine:?}");
        assert_eq!(buffer.read().unwrap(), expected, "{engine:?}");
    }
}

#[test]
fn slices_are_shared_by_all() {
    let table: Vec<u32> = (0..37).map(|i| i * i).collect();
    let at: Vec<u32> = (0..2000).map(|i| i * 17).collect();
    let expected: Vec<u32> = at.iter().map(|&i| lookup(&table, i)).collect();
    for engine in ENGINES {
        let out: Vec<u32> = runtime()
            .launch("lookup")
            .unwrap()
            .args((&table, &at))
            .engine(engine)
            .run()
            .unwrap()
            .output()
            .unwrap();
        assert_eq!(out, expected, "{engine:?}");
    }
}

#[test]
fn chunks_belong_to_one_vm_each() {
    let seeds: Vec<u32> = (0..300).map(|i| i * 1_000_003).collect();
    let mut reference: Option<Vec<u32>> = None;
    for engine in ENGINES {
        let mut out = vec![0u32; 300 * 7];
        runtime()
            .launch("fill_chunk")
            .unwrap()
            .args((&mut out, &seeds))
            .engine(engine)
            .run()
            .unwrap();
        assert!(
            out.chunks(7).zip(&seeds).all(|(chunk, seed)| chunk[0] == *seed),
            "{engine:?}"
        );
        assert_eq!(&out, reference.get_or_insert_with(|| out.clone()), "{engine:?}");
    }
}

#[test]
fn chunks_with_slices_and_a_result() {
    let weights = vec![0.5f32, -1.0, 3.0];
    let start: Vec<f32> = (0..640u16).map(f32::from).collect();
    let mut expected = start.clone();
    let lengths: Vec<u32> = expected
        .chunks_mut(5)
        .map(|chunk| chunk_and_slice(chunk, &weights))
        .collect();
    for engine in ENGINES {
        let mut out = start.clone();
        let launch = runtime().launch("chunk_and_slice").unwrap();
        let done = launch.args((&mut out, &weights)).vms(128).engine(engine).run().unwrap();
        assert_eq!(done.output::<Vec<u32>>().unwrap(), lengths, "{engine:?}");
        assert_eq!(out, expected, "{engine:?}");
    }
}

#[test]
fn buffers_stay_between_launches() {
    let mut expected = boids();
    for _ in 0..3 {
        for me in &mut expected {
            step_boid(me, 0.5);
        }
    }
    for engine in ENGINES {
        let buffer = runtime().buffer(&boids()).unwrap();
        for _ in 0..3 {
            runtime()
                .launch("step_boid")
                .unwrap()
                .args((&buffer, 0.5f32))
                .engine(engine)
                .run()
                .unwrap();
        }
        assert_eq!(buffer.read().unwrap(), expected, "{engine:?}");
    }
}

#[test]
fn other_records_are_written_back_after_a_trap() {
    for engine in ENGINES {
        let mut values: Vec<u32> = (0..100).collect();
        let launch = runtime().launch("checked_record").unwrap();
        let error = launch.args((&mut values, 90u32)).engine(engine).run().unwrap_err();
        let gpuvm::Error::Trap(report) = error else {
            panic!("{engine:?}: {error}")
        };
        assert_eq!((report.vm, report.count), (90, 10), "{engine:?}");
        assert_eq!(report.message, "91 is over 90", "{engine:?}");
        assert_eq!(
            values[..90],
            (0..90).map(|i| (i + 1) * 2).collect::<Vec<u32>>(),
            "{engine:?}"
        );
    }
}

#[test]
fn tuple_results_come_as_columns() {
    let xs: Vec<u32> = (0..100).collect();
    for engine in ENGINES {
        let done = runtime()
            .launch("long_powers")
            .unwrap()
            .args((&[3i64; 100][..], &xs))
            .engine(engine)
            .run()
            .unwrap();
        let (powers, checked): (Vec<i64>, Vec<Option<i64>>) = done.output().unwrap();
        assert_eq!(powers[2], 9, "{engine:?}");
        assert_eq!(checked[4], Some(81), "{engine:?}");
    }
}

#[test]
fn typed_launch_takes_the_same_arguments() {
    let xs: Vec<f32> = (0..64u16).map(f32::from).collect();
    let out: Vec<f32> = scale_by::launch(runtime(), &xs, 0.5f32).unwrap().output().unwrap();
    assert_eq!(out[10], 5.0);
}
