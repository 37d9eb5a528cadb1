//! What VMs read of slices that all see is known before they run: sets around what the interpreter reads, and for neighbours hardly more.

use std::ops::Range;

use gpuvm_core::interp::{Memory, Vm};
use gpuvm_core::program::{Mode, ParamSlot, Program, Seen, Status, footprint};
use proptest::prelude::*;

use super::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Cell {
    heat: f32,
    flow: (f32, f32),
}

/// A ring, a torus and a box, whose edges meet.
#[routine]
fn on_a_torus(all: &[f32], width: u32, height: u32, depth: u32) -> f32 {
    let id = vm::id();
    let (x, y, z) = (id % width, id / width % height, id / (width * height));
    let at = |x: u32, y: u32, z: u32| all[((z * height + y) * width + x) as usize];
    let mut sum = at((x + 1) % width, y, z) + at((x + width - 1) % width, y, z);
    sum += at(x, (y + 1) % height, z) + at(x, (y + height - 1) % height, z);
    sum + at(x, y, (z + 1) % depth) + at(x, y, (z + depth - 1) % depth)
}

/// The same with edges that end, and records.
#[routine]
fn in_a_box(all: &[Cell], width: u32, height: u32, depth: u32) -> f32 {
    let id = vm::id();
    let (x, y, z) = (id % width, id / width % height, id / (width * height));
    let mut sum = 0.0;
    if x > 0 {
        sum += all[id as usize - 1].heat;
    }
    if x + 1 < width {
        sum += all[id as usize + 1].flow.0;
    }
    let up = if y == 0 { id } else { id - width };
    let down = if y + 1 == height { id } else { id + width };
    sum += all[up as usize].heat - all[down as usize].flow.1;
    let plane = width * height;
    sum += all[z.saturating_sub(1) as usize * plane as usize + (id % plane) as usize].heat;
    sum + all[((z + 1).min(depth - 1) * plane + id % plane) as usize].heat
}

/// All neighbours of a cell, by loops over signed offsets.
#[routine]
fn around(all: &[f32], width: u32, height: u32, depth: u32) -> f32 {
    let id = vm::id();
    let (x, y, z) = (
        (id % width) as i32,
        (id / width % height) as i32,
        (id / (width * height)) as i32,
    );
    let mut sum = 0.0;
    for dz in -1i32..=1 {
        for dy in -1i32..=1 {
            for dx in -1i32..=1 {
                let (x, y, z) = (x + dx, y + dy, z + dz);
                let inside = 0 <= x && x < width as i32 && 0 <= y && y < height as i32 && 0 <= z && z < depth as i32;
                if inside {
                    sum += all[((z * height as i32 + y) * width as i32 + x) as usize];
                }
            }
        }
    }
    sum
}

/// Entries that nobody can tell before, of a window that one can.
#[routine]
fn scattered(all: &[u32], seed: u32) -> u32 {
    let mut at = (vm::id() + seed) % all.len() as u32;
    let mut sum = 0u32;
    for _ in 0..seed % 5 {
        sum = sum.wrapping_add(all[at as usize]);
        at = at.wrapping_mul(747_796_405).wrapping_add(seed) % all.len() as u32;
    }
    sum
}

/// Sixteen entries of each VM's own, as a chunk.
#[routine]
fn in_chunks(all: &[u32], each: u32) -> u32 {
    let mut sum = 0u32;
    for entry in 0..each.min(16) {
        let at = vm::id() as usize * each as usize + entry as usize;
        if at < all.len() {
            sum = sum.rotate_left(3) ^ all[at];
        }
    }
    sum
}

/// A cell that becomes more like its neighbours.
#[routine]
fn diffuse(me: &mut f32, all: &[f32], width: u32, height: u32, depth: u32) {
    *me += 0.1 * (on_a_torus(all, width, height, depth) - 6.0 * *me);
}

/// What steps of diffusion leave in a buffer.
pub fn diffused(runtime: &Runtime, [width, height, depth]: [u32; 3], steps: u32) -> Vec<u32> {
    let cells: Vec<f32> = (0..width * height * depth)
        .map(|cell| (cell * 37 % 101) as f32)
        .collect();
    let buffer = runtime.buffer(&cells).unwrap();
    let launch = runtime.launch("diffuse").unwrap().steps(steps);
    launch.args((&buffer, &buffer, width, height, depth)).run().unwrap();
    buffer.read().unwrap().into_iter().map(f32::to_bits).collect()
}

/// The words of the first parameter, a slice, that VMs read, as ranges; and those that they really read.
fn told_and_read(
    program: &Program,
    entries: u32,
    uniforms: &[u32],
    vms: Range<u32>,
) -> (Option<Vec<Range<u32>>>, Vec<u32>) {
    let each = Mode::of(program.params[0]).unwrap().1.words;
    let words = entries * each;
    let slice = ParamSlot {
        base: 0,
        stride: 0,
        length: entries,
        reserved: 0,
    };
    let mut slots = vec![slice];
    slots.extend((0..uniforms.len() as u32).map(|number| ParamSlot {
        base: words + number,
        length: 1,
        ..slice
    }));
    slots.push(ParamSlot {
        base: words + uniforms.len() as u32,
        stride: 2,
        ..slice
    });
    let seen = Seen {
        vms: vms.clone(),
        vm_count: vms.end + 7,
        slots: &slots,
        word: &|param, word| uniforms.get(param as usize - 1).copied().filter(|_| word == 0),
    };
    let told = footprint(program, &seen).map(|all| all[0].clone());
    let mut arena: Vec<u32> = (0..words).map(|word| (word as f32).to_bits()).collect();
    arena.extend(uniforms);
    let results = arena.len();
    let mut read = Vec::new();
    for vm in vms {
        arena.resize(results + 2 * (vm as usize + 1), 0);
        let mut memory = Memory {
            arena: &mut arena,
            atomics: &mut [],
            params: &slots,
            vm_count: seen.vm_count,
            first_vm: 0,
        };
        let mut vm = Vm::new(program, vm);
        while vm.status() == Status::Running {
            read.extend(
                vm.next_read(program)
                    .filter(|(_, word, _)| *word < words)
                    .map(|(_, word, _)| word),
            );
            vm.step(program, &mut memory);
        }
    }
    read.sort_unstable();
    read.dedup();
    (told, read)
}

/// Of these VMs, what is told must be around what is read. Gives how much is told and read.
fn check(id: &str, entries: u32, uniforms: &[u32], vms: Range<u32>) -> Option<(u32, u32)> {
    let program = alone().program(id).unwrap();
    let (told, read) = told_and_read(&program, entries, uniforms, vms.clone());
    let told = told?;
    for word in &read {
        assert!(
            told.iter().any(|range| range.contains(word)),
            "{id} {uniforms:?} {vms:?}: word {word} of {told:?}"
        );
    }
    assert!(told.windows(2).all(|pair| pair[0].end < pair[1].start), "{told:?}");
    Some((told.iter().map(|range| range.len() as u32).sum(), read.len() as u32))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn footprints_are_around_what_is_read(
        routine in 0..5usize,
        sides in [1..7u32, 1..7, 1..7],
        first in 0..400u32,
        count in 1..60u32,
        seed: u32,
    ) {
        let [width, height, depth] = sides;
        let cells = width * height * depth;
        let first = first % cells;
        let vms = first..(first + count).min(cells);
        match routine {
            0 => check("on_a_torus", cells, &sides, vms),
            1 => check("in_a_box", cells, &sides, vms),
            2 => check("around", cells, &sides, vms),
            3 => check("scattered", cells, &[seed], vms),
            _ => check("in_chunks", cells * width, &[width], vms),
        };
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn stencils_on_several_devices_give_the_bits_of_one(sides in [1..20u32, 1..12, 1..9], steps in 1..6u32) {
        let expected = diffused(&alone(), sides, steps);
        for devices in [vec![gpu(), gpu()], vec![gpu(), gpu(), gpu()], vec![flaky(gpu(), &fuse(LASTS)), flaky(gpu(), &fuse(LASTS))]] {
            prop_assert!(diffused(&on(devices), sides, steps) == expected);
        }
    }
}

#[test]
fn neighbours_need_little_more_than_a_plane_on_each_side() {
    let (width, height, depth) = (20, 10, 12);
    let (plane, cells) = (width * height, width * height * depth);
    let sides = [width, height, depth];
    // Six planes in the middle, and two at an edge.
    for (vms, planes) in [(3 * plane..9 * plane, 8), (0..2 * plane, 4)] {
        let (told, _) = check("on_a_torus", cells, &sides, vms.clone()).unwrap();
        assert!(told <= planes * plane + 2, "{told} words of {vms:?}");
    }
    for id in ["in_a_box", "around"] {
        let each = if id == "in_a_box" { 3 } else { 1 };
        let (told, _) = check(id, cells, &sides, 3 * plane..9 * plane).unwrap();
        assert!(told <= each * (8 * plane + 2 * width + 2), "{id}: {told} words");
    }
    let (told, read) = check("in_chunks", 1600, &[16], 20..70).unwrap();
    assert_eq!((told, read), (800, 800));
    // Nobody knows where the others are.
    let (told, _) = check("scattered", 1000, &[4], 0..10).unwrap();
    assert_eq!(told, 1000);
}
