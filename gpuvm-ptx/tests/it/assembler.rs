//! What is written as it is because of what NVIDIA's assembler does with it.

use super::*;

#[test]
fn a_root_that_nobody_reads_is_not_there() {
    let source = |value: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> to: array<f32>;
            fn root(x: f32) -> f32 {{ return sqrt(x); }}
            fn quotient(x: f32, y: f32) -> f32 {{ return x / y; }}
            @compute @workgroup_size(1) fn main() {{
                let root = root(to[0]);
                let quotient = quotient(to[0], to[1]);
                to[2] = {value};
            }}"
        )
    };
    let count = |value: &str| {
        let text = assembled(&source(value), &EXACT).text;
        ["sqrt.rn.f32", "div.rn.f32"].map(|name| text.matches(name).count())
    };
    assert_eq!(count("to[0] + to[1]"), [0, 0]);
    assert_eq!(count("root"), [1, 0]);
    assert_eq!(count("quotient"), [0, 1]);
    assert_eq!(count("root + quotient"), [1, 1]);
}

#[test]
fn long_stretches_may_have_registers() {
    let source = |turns: u32| {
        let turn = "x = x * 1664525u + 1013904223u; to[x & 7u] = x;";
        format!(
            "@group(0) @binding(0) var<storage, read_write> to: array<u32>;
            @compute @workgroup_size(64) fn main() {{ var x = to[0]; {} }}",
            turn.repeat(turns as usize)
        )
    };
    let asks = |turns| assembled(&source(turns), &NEAR).text.contains(".minnctapersm 4");
    assert!(!asks(10) && asks(100));
}

/// Loads of words beside each other, by a base that is a multiple of four words and one that may not be.
const VECTORS: &str = "@group(0) @binding(0) var<storage, read> source: array<u32>;
    @group(0) @binding(1) var<storage, read> at: array<u32>;
    @group(0) @binding(2) var<storage, read_write> to: array<u32>;
    @compute @workgroup_size(1) fn main() {
        for (var turn = 0u; turn < arrayLength(&at); turn += 1u) {
            let i = turn;
            let base = BASE;
            let x = vec4(source[base + 4u * i + 3u], source[base + 4u * i], source[4u * i + base + 2u], source[4u * i + (base + 1u)]);
            let y = vec2(source[base + (i + 1u) * 4u + 1u], source[base + 4u * (i + 1u)]);
            let z = vec2(source[base + 8u * i + 6u], source[base + 8u * i + 7u]);
            let far = source[base + 100u];
            to[8u * i] = x.x; to[8u * i + 1u] = x.y; to[8u * i + 2u] = x.z; to[8u * i + 3u] = x.w;
            to[8u * i + 4u] = y.x; to[8u * i + 5u] = y.y;
            to[8u * i + 6u] = z.x ^ z.y; to[8u * i + 7u] = far;
        }
    }";

#[test]
fn words_beside_each_other_are_loaded_as_vectors() {
    let from: Vec<u32> = (0..200_u32).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
    let at = [0, 5, 7, 12, 3, 90];
    for (base, mask, vectors) in [("at[i] & 0xfffffffcu", !3, [1, 2]), ("at[i]", !0, [0, 0])] {
        let source = VECTORS.replace("BASE", base);
        let text = translated(&source, &NEAR).unwrap().text;
        assert_eq!(
            ["ld.global.nc.v4.b32", "ld.global.nc.v2.b32"].map(|form| text.matches(form).count()),
            vectors,
            "{text}"
        );
        let run = Run {
            options: NEAR,
            buffers: &[&from, &at, &[0; 48]],
            ..Run::default()
        };
        let expected: Vec<u32> = (0..at.len())
            .flat_map(|i| {
                let word = |at: usize| from[at];
                let base = (at[i] & mask) as usize;
                let (x, z) = (base + 4 * i, base + 8 * i);
                let y = x + 4;
                [
                    word(x + 3),
                    word(x),
                    word(x + 2),
                    word(x + 1),
                    word(y + 1),
                    word(y),
                    word(z + 6) ^ word(z + 7),
                    word(base + 100),
                ]
            })
            .collect();
        assert_eq!(run.source(&source)[2], expected);
        let far = translated(&source, &UNCHECKED).unwrap().text;
        assert!(
            !far.contains("ld.global.nc.v4.b32"),
            "what may be far is addressed otherwise"
        );
    }
}

/// Checks what a shader with these statements stores, where `base` is a multiple of two and `id` tells invocations apart, and how many of its stores are
/// vectors.
fn check_stores(statements: &str, vectors: [usize; 2], expected: impl Fn(&mut [u32], usize, u32)) {
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> to: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) id: u32) {{
            let base = (to[0] & 0xfffffffeu) + id * 8u;
            let four = (to[1] & 0xfffffffcu) + id * 8u;
            var kept = id;
            {statements}
        }}"
    );
    let mut words: Vec<u32> = (0..50).map(|word| word * 1000).collect();
    (words[0], words[1]) = (2, 8);
    let kernel = assembled(&source, &NEAR);
    for (count, lanes) in vectors.into_iter().zip(["v2", "v4"]) {
        let found = kernel.text.matches(&format!("st.global.{lanes}.b32")).count();
        assert_eq!(found, count, "{statements} {}", kernel.text);
    }
    let run = Run {
        options: NEAR,
        buffers: &[&words],
        ..Run::default()
    };
    let found = run.source(&source).swap_remove(0);
    for id in 0..4 {
        expected(&mut words, id as usize * 8, id);
    }
    assert_eq!(found, words, "{statements}");
}

#[test]
fn words_beside_each_other_are_stored_at_once() {
    check_stores("to[base] = 5u; to[base + 1u] = id;", [1, 0], |words, at, id| {
        words[2 + at..][..2].copy_from_slice(&[5, id]);
    });
    // In another order, with sums and variables between them.
    check_stores(
        "to[base + 1u] = id * 3u; kept += 7u; to[base] = id + kept;",
        [1, 0],
        |words, at, id| words[2 + at..][..2].copy_from_slice(&[id + id + 7, id * 3]),
    );
    check_stores(
        "to[four] = 1u; to[four + 1u] = 2u; to[four + 2u] = 3u; to[four + 3u] = 4u; to[four + 4u] = 5u; to[four + 5u] = 6u;",
        [1, 1],
        |words, at, _| words[8 + at..][..6].copy_from_slice(&[1, 2, 3, 4, 5, 6]),
    );
    // Three of four: two, and one.
    check_stores(
        "to[four + 3u] = 4u; to[four + 2u] = 3u; to[four + 1u] = 2u;",
        [1, 0],
        |words, at, _| words[8 + at..][1..4].copy_from_slice(&[2, 3, 4]),
    );
}

#[test]
fn stores_keep_their_places_among_what_looks_at_memory() {
    let pair = |words: &mut [u32], at: usize, values: [u32; 2]| words[2 + at..][..2].copy_from_slice(&values);
    check_stores(
        "to[base] = 5u; to[base + 1u] = to[base] + id;",
        [0, 0],
        |words, at, id| pair(words, at, [5, 5 + id]),
    );
    check_stores(
        "to[base] = 5u; to[base] = 6u; to[base + 1u] = id;",
        [1, 0],
        |words, at, id| pair(words, at, [6, id]),
    );
    // The same word by another index.
    check_stores(
        "let other = to[0] + 8u * id; to[base] = 5u; to[other] = 6u; to[base + 1u] = id;",
        [0, 0],
        |words, at, id| pair(words, at, [6, id]),
    );
    check_stores(
        "to[base] = 5u; if id > 1u { to[base] = 6u; } to[base + 1u] = id;",
        [0, 0],
        |words, at, id| pair(words, at, [if id > 1 { 6 } else { 5 }, id]),
    );
    // Nothing is known of the first.
    check_stores(
        "let other = to[0] + 8u * id; to[other] = 5u; to[other + 1u] = 6u;",
        [0, 0],
        |words, at, _| pair(words, at, [5, 6]),
    );
}

#[test]
fn a_vector_for_later_stays_where_it_is_loaded() {
    let source = |later: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> to: array<u32>;
            @compute @workgroup_size(1) fn main() {{
                let base = to[7] & 0xfffffffcu;
                var x = 0u;
                var y = 0u;
                if to[6] > 0u {{
                    let a = to[base];
                    let b = to[base + 1u];
                    {later}
                }}
                to[5] = x + y;
            }}"
        )
    };
    let kept = |later: &str| {
        assembled(&source(later), &NEAR)
            .text
            .contains("ld.relaxed.cta.global.v2.b32")
    };
    assert!(kept("x = a; y = b;"));
    assert!(!kept("x = a; y = b + 1u;"));
}
