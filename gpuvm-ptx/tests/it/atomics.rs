//! Atomics of 32 and 64 bits, and memory that a workgroup shares.

use super::*;

#[test]
fn atomics_of_words_give_what_was_there() {
    let source = "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;
        @group(0) @binding(1) var<storage, read_write> old: array<u32>;
        @group(0) @binding(2) var<storage, read_write> s: array<atomic<i32>>;
        @compute @workgroup_size(1) fn main() {
            old[0] = atomicAdd(&a[0], 5u); old[1] = atomicSub(&a[1], 5u); old[2] = atomicAnd(&a[2], 6u); old[3] = atomicOr(&a[3], 9u);
            old[4] = atomicXor(&a[4], 15u); old[5] = atomicMin(&a[5], 3u); old[6] = atomicMax(&a[6], 100u); old[7] = atomicExchange(&a[7], 1u);
            let yes = atomicCompareExchangeWeak(&a[8], 18u, 77u); old[8] = yes.old_value + 1000u * u32(yes.exchanged);
            let no = atomicCompareExchangeWeak(&a[9], 18u, 77u); old[9] = no.old_value + 1000u * u32(no.exchanged);
            old[10] = atomicLoad(&a[0]); atomicStore(&a[10], 5u); atomicAdd(&a[11], 1u); atomicExchange(&a[12], 8u);
            old[11] = u32(atomicMin(&s[0], -5)); old[12] = u32(atomicMax(&s[1], -5)); atomicSub(&s[2], 7);
        }";
    let a: Vec<u32> = (10..23).collect();
    let run = Run {
        buffers: &[&a, &[0; 13], &[3, -9_i32 as u32, 1]],
        ..Run::default()
    };
    let found = run.source(source);
    assert_eq!(found[0], [15, 6, 12 & 6, 13 | 9, 14 ^ 15, 3, 100, 1, 77, 19, 5, 22, 8]);
    assert_eq!(
        found[1],
        [10, 11, 12, 13, 14, 15, 16, 17, 1018, 19, 15, 3, -9_i32 as u32]
    );
    assert_eq!(
        found[2].iter().map(|&word| word as i32).collect::<Vec<_>>(),
        [-5, -5, -6]
    );
}

#[test]
fn atomics_of_longs_give_what_was_there() {
    let source = "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u64>>;
        @group(0) @binding(1) var<storage, read_write> old: array<u64>;
        @compute @workgroup_size(1) fn main() {
            let x = 0x100000001lu;
            old[0] = atomicAdd(&a[0], x); old[1] = atomicSub(&a[1], x); old[2] = atomicAnd(&a[2], x); old[3] = atomicOr(&a[3], x);
            old[4] = atomicXor(&a[4], x); old[5] = atomicMin(&a[5], x); old[6] = atomicMax(&a[6], x); old[7] = atomicExchange(&a[7], x);
            let yes = atomicCompareExchangeWeak(&a[8], 0x800000003lu, x); old[8] = yes.old_value + u64(yes.exchanged);
            let no = atomicCompareExchangeWeak(&a[9], 4lu, x); old[9] = no.old_value + u64(no.exchanged);
            atomicStore(&a[10], atomicLoad(&a[0]));
        }";
    let long = |number: u64| number << 32 | 3;
    let a: Vec<u32> = (0..11).flat_map(|number| [3, number]).collect();
    let run = Run {
        buffers: &[&a, &[0; 22]],
        ..Run::default()
    };
    let found: Vec<Vec<u64>> = run
        .source(source)
        .iter()
        .map(|words| {
            words
                .as_chunks()
                .0
                .iter()
                .map(|&[low, high]| u64::from(low) | u64::from(high) << 32)
                .collect()
        })
        .collect();
    let x = 0x1_0000_0001;
    let expected = [
        long(0) + x,
        long(1) - x,
        long(2) & x,
        long(3) | x,
        long(4) ^ x,
        x.min(long(5)),
        x.max(long(6)),
        x,
        x,
        long(9),
        long(0) + x,
    ];
    assert_eq!(found[0], expected);
    let olds: Vec<u64> = (0..10).map(|number| long(number) + u64::from(number == 8)).collect();
    assert_eq!(found[1][..10], olds);
}

#[test]
fn a_workgroup_sums_up() {
    let source = "var<workgroup> sum: atomic<u32>;
        var<workgroup> parts: array<u32, 64>;
        @group(0) @binding(0) var<storage, read_write> to: array<u32>;
        @compute @workgroup_size(8, 4, 2) fn main(@builtin(local_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
            if i == 0u { atomicStore(&sum, 0u); }
            parts[i] = id.x + 10u * id.y + 100u * id.z;
            workgroupBarrier();
            atomicAdd(&sum, parts[63u - i]);
            workgroupBarrier();
            for (var half = 32u; half > 0u; half /= 2u) {
                if i < half { parts[i] += parts[i + half]; }
                workgroupBarrier();
            }
            let all = workgroupUniformLoad(&parts[0]);
            if i == 5u { to[group.x] = atomicLoad(&sum) + 100000u * all; }
        }";
    let run = Run {
        grid: [3, 1, 1],
        buffers: &[&[0; 3]],
        ..Run::default()
    };
    let sum: u32 = (0..64).map(|i| i % 8 + 10 * (i / 8 % 4) + 100 * (i / 32)).sum();
    assert_eq!(run.source(source)[0], [sum + 100_000 * sum; 3]);
}

#[test]
fn atomics_of_floats_add() {
    let source = "@group(0) @binding(0) var<storage, read_write> a: array<atomic<f32>>;
        @compute @workgroup_size(16) fn main() { atomicAdd(&a[0], 0.5); }";
    let run = Run {
        buffers: &[&[0]],
        ..Run::default()
    };
    assert_eq!(run.source(source)[0], [8.0_f32.to_bits()]);
}
