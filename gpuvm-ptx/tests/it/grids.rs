//! Grids as launched and as found on the device.

use super::*;

const SOURCE: &str = "
    @group(0) @binding(0) var<storage, read_write> seen: array<atomic<u32>>;
    var<workgroup> first: u32;
    var<private> own: u32 = 3u;
    @compute @workgroup_size(4)
    fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) i: u32) {
        own += 1u;
        let number = (group.z * groups.y + group.y) * groups.x + group.x;
        if number == 2u { return; }
        if i == 0u { first = number; }
        workgroupBarrier();
        atomicAdd(&seen[first], own + 100u * group.y + 10000u * group.z);
    }";

fn expected(groups: [u32; 3]) -> Vec<u32> {
    let mut seen = vec![0; 40];
    for z in 0..groups[2] {
        for y in 0..groups[1] {
            for x in 0..groups[0] {
                let number = (z * groups[1] + y) * groups[0] + x;
                if number != 2 {
                    seen[number as usize] = 4 * (4 + 100 * y + 10000 * z);
                }
            }
        }
    }
    seen
}

#[test]
fn blocks_are_workgroups() {
    for grid in [[1, 1, 1], [5, 1, 1], [3, 2, 4]] {
        let run = Run {
            grid,
            buffers: &[&[0; 40]],
            ..Run::default()
        };
        assert_eq!(run.source(SOURCE)[0], expected(grid), "{grid:?}");
    }
}

#[test]
fn blocks_loop_over_as_many_workgroups_as_memory_tells() {
    for sizes in [[0, 1, 1], [1, 1, 1], [7, 1, 1], [3, 2, 4], [2, 0, 3], [20, 2, 1]] {
        for grid in [[1, 1, 1], [4, 1, 1], [2, 2, 2], [64, 1, 1]] {
            let run = Run {
                options: Options {
                    grid: Grid::Indirect,
                    ..EXACT
                },
                grid,
                buffers: &[&[0; 40]],
                sizes,
                ..Run::default()
            };
            assert_eq!(run.source(SOURCE)[0], expected(sizes), "{sizes:?} by {grid:?}");
        }
    }
}

#[test]
fn invocations_know_where_they_are() {
    let source =
        "struct Ids { @builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) own: vec3<u32> }
        @group(0) @binding(0) var<storage, read_write> to: array<u32>;
        @compute @workgroup_size(2, 3)
        fn main(ids: Ids, @builtin(local_invocation_index) i: u32) {
            to[ids.id.y * 4u + ids.id.x] = i + 100u * ids.own.y + 1000u * ids.own.x + 10000u * ids.own.z;
        }";
    let run = Run {
        grid: [2, 2, 1],
        buffers: &[&[0; 24]],
        ..Run::default()
    };
    let expected: Vec<u32> = (0..24)
        .map(|at| (at % 4 % 2, at / 4 % 3))
        .map(|(x, y)| y * 2 + x + 100 * y + 1000 * x)
        .collect();
    assert_eq!(run.source(source)[0], expected);
}

#[test]
fn what_may_be_launched_early_waits_before_it_touches_memory() {
    for grid in [Grid::Launched, Grid::Indirect] {
        let options = Options {
            grid,
            dependent_launch: true,
            ..EXACT
        };
        let text = assembled(SOURCE, &options).text;
        let waits = text.find("griddepcontrol.wait").expect("it waits");
        // All but parameters and what the workgroup shares is addressed by registers.
        assert!(text.find("[%d").is_some_and(|touches| waits < touches), "{text}");
        let run = Run {
            options,
            grid: [3, 2, 4],
            buffers: &[&[0; 40]],
            sizes: [3, 2, 4],
            ..Run::default()
        };
        assert_eq!(run.source(SOURCE)[0], expected([3, 2, 4]), "{grid:?}");
    }
}
