//! Layouts of buffers and uniforms, bounds, and loads of several words at once.

use super::*;

#[test]
fn structs_lie_as_wgsl_says() {
    let source = "struct Inner { a: u32, b: vec3<u32>, c: u32 }
        struct Outer { one: u32, inner: array<Inner, 2>, pair: vec2<u32>, rest: array<vec4<u32>> }
        @group(0) @binding(0) var<storage, read> source: Outer;
        @group(0) @binding(1) var<storage, read_write> to: array<u32>;
        @compute @workgroup_size(1) fn main() {
            let inner = source.inner[1];
            to[0] = source.one; to[1] = source.inner[0].a; to[2] = inner.b.z; to[3] = inner.c;
            to[4] = source.pair.y; to[5] = source.rest[1].w; to[6] = arrayLength(&source.rest); to[7] = source.inner[to[8]].b[to[9]];
        }";
    let from: Vec<u32> = (100..150).collect();
    let mut to = [0; 10];
    (to[8], to[9]) = (1, 1);
    let run = Run {
        buffers: &[&from, &to],
        ..Run::default()
    };
    // one at 0, inner at 16 with 32 bytes each, pair at 80, rest at 96.
    let found = run.source(source).swap_remove(1);
    assert_eq!(found[..8], [100, 104, 118, 119, 121, 131, 6, 117]);
}

#[test]
fn uniforms_come_by_value() {
    let source = "struct Numbers { count: u32, scale: vec4<u32>, table: array<vec4<u32>, 2>, last: u32 }
        @group(0) @binding(3) var<uniform> numbers: Numbers;
        @group(0) @binding(0) var<storage, read_write> to: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
            to[i] = numbers.count + numbers.scale[i] * numbers.table[i & 1u].y + numbers.last;
        }";
    let uniform: Vec<u32> = (0..20).collect();
    let run = Run {
        buffers: &[&[0; 4]],
        uniform: &uniform,
        ..Run::default()
    };
    assert_eq!(
        run.source(source)[0],
        [4 * 9 + 16, 5 * 13 + 16, 6 * 9 + 16, 7 * 13 + 16]
    );
}

#[test]
fn accesses_out_of_bounds_go_to_the_last_element() {
    let source = "@group(0) @binding(0) var<storage, read> source: array<u32>;
        @group(0) @binding(1) var<storage, read_write> to: array<u32>;
        @group(0) @binding(2) var<storage, read_write> fixed: array<u32, 4>;
        @group(0) @binding(3) var<uniform> limits: array<vec4<u32>, 2>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
            to[i] = source[i * 1000000000u] + fixed[i] + limits[i].x;
            storageBarrier();
            fixed[i + 2u] = 50u + i;
        }";
    let run = Run {
        buffers: &[&[1, 2, 3], &[0; 6], &[10, 20, 30, 40]],
        uniform: &[100, 0, 0, 0, 200],
        ..Run::default()
    };
    let found = run.source(source);
    assert_eq!(found[1][..5], [111, 223, 233, 243, 243]);
    assert_eq!(found[2], [10, 20, 50, 57]);
}

#[test]
fn signed_indices_out_of_bounds_stay_inside() {
    let source = "@group(0) @binding(0) var<storage, read_write> to: array<u32>;
        @compute @workgroup_size(1) fn main() { let i = i32(to[0]) - 5; to[i] = 9u; }";
    let run = Run {
        buffers: &[&[2, 0, 0]],
        ..Run::default()
    };
    assert_eq!(run.source(source)[0], [2, 0, 9]);
}

#[test]
fn unchecked_accesses_are_one_instruction() {
    let source = "@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
        @group(0) @binding(1) var<storage, read_write> to: array<vec2<u32>>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let words = source[id.x];
            to[id.x] = words.xy + words.zw;
        }";
    let text = translated(source, &UNCHECKED).unwrap().text;
    assert!(
        text.contains("ld.global.nc.v4.b32") && text.contains("st.global.v2.b32"),
        "{text}"
    );
    assert!(!text.contains("min.u32") && !text.contains("length_0]"), "{text}");
    let checked = translated(source, &EXACT).unwrap().text;
    assert_eq!(checked.matches("min.u32").count(), 2, "{checked}");
}

#[test]
fn truth_values_lie_in_memory_of_the_workgroup() {
    let source = "var<workgroup> done: array<bool, 8>;
        var<workgroup> last: bool;
        @group(0) @binding(0) var<storage, read_write> to: array<u32>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
            done[i] = (i & 1u) == 0u;
            if i == 3u { last = !done[3]; }
            workgroupBarrier();
            to[i] = u32(done[7u - i]) + 2u * u32(last);
        }";
    let run = Run {
        buffers: &[&[9; 8]],
        ..Run::default()
    };
    assert_eq!(run.source(source)[0], [2, 3, 2, 3, 2, 3, 2, 3]);
}

#[test]
fn pairs_of_longs_and_doubles_lie_in_buffers() {
    let source = "struct Wide { a: u64, b: vec2<f32>, c: f64 }
        @group(0) @binding(0) var<storage, read_write> wide: array<Wide>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
            var w = wide[i];
            w.a += 0xffffffffffu; w.b = w.b.yx; w.c = w.c * f64(2.0);
            wide[i] = w;
        }"
    .replace("0xffffffffffu", "1099511627775lu");
    let words: Vec<u32> = [1.5_f64, 2.25]
        .iter()
        .flat_map(|c| {
            let bits = c.to_bits();
            [5, 6, 7, 8, bits as u32, (bits >> 32) as u32]
        })
        .collect();
    let run = Run {
        buffers: &[&words],
        ..Run::default()
    };
    let found = run.source(&source).swap_remove(0);
    for (found, c) in found.chunks(6).zip([3.0_f64, 4.5]) {
        assert_eq!(found[..4], [4, 6 + 0x100, 8, 7]);
        assert_eq!(u64::from(found[4]) | u64::from(found[5]) << 32, c.to_bits());
    }
}

#[test]
fn what_is_added_to_an_index_goes_around_as_integers_do() {
    let source = "@group(0) @binding(0) var<storage, read> source: array<u32>;
        @group(0) @binding(1) var<storage, read> at: array<u32>;
        @group(0) @binding(2) var<storage, read_write> to: array<u32>;
        var<workgroup> tile: array<u32, 64>;
        @compute @workgroup_size(1) fn main() {
            var own: array<u32, 64>;
            for (var i = 0u; i < 64u; i += 1u) { own[i] = source[i]; tile[i] = source[i]; }
            for (var i = 0u; i < arrayLength(&at); i += 1u) {
                let x = at[i];
                to[4u * i] = source[x + 5u];
                to[4u * i + 1u] = source[((x + 5u) + 7u) - 7u];
                to[4u * i + 2u] = own[3u + (2u + x)];
                to[4u * i + 3u] = tile[x + 5u];
                own[x + 5u] += 1u;
                tile[(x + 4u) + 1u] += 1u;
                own[x + 5u] -= 1u;
                tile[(x + 4u) + 1u] -= 1u;
            }
        }";
    let from: Vec<u32> = (100..164).collect();
    // Below 0, and as far beyond as there is something.
    let at: Vec<u32> = (0..64_u32).map(|index| index.wrapping_sub(5)).collect();
    let run = Run {
        options: NEAR,
        buffers: &[&from, &at, &[0; 256]],
        ..Run::default()
    };
    let expected: Vec<u32> = from.iter().flat_map(|&word| [word; 4]).collect();
    assert_eq!(run.source(source)[2], expected);
}

#[test]
fn what_is_added_before_a_product_is_part_of_the_address_too() {
    let source = "@group(0) @binding(0) var<storage, read> source: array<u32>;
        @group(0) @binding(1) var<storage, read> at: array<u32>;
        @group(0) @binding(2) var<storage, read_write> to: array<u32>;
        @compute @workgroup_size(1) fn main() {
            let base = at[0];
            for (var i = 1u; i < arrayLength(&at); i += 1u) {
                let x = at[i];
                let next = x + 1u;
                to[3u * i] = source[base + next * 4u + 3u];
                to[3u * i + 1u] = source[base + 4u * (next + 1u)];
                to[3u * i + 2u] = source[(next + next) + base];
            }
        }";
    let from: Vec<u32> = (100..164).collect();
    let at = [
        7,
        u32::MAX,
        0,
        1,
        5,
        1 << 30,
        (1 << 31) - 1,
        3_u32.wrapping_sub(1 << 30),
    ];
    let element = |index: u32| from.get(index as usize).copied();
    // Only what is there may be asked for.
    let at: Vec<u32> = at
        .into_iter()
        .enumerate()
        .filter(|&(i, x)| {
            let next = x.wrapping_add(1);
            let asked = [
                7_u32.wrapping_add(next.wrapping_mul(4)).wrapping_add(3),
                7_u32.wrapping_add(next.wrapping_add(1).wrapping_mul(4)),
                next.wrapping_add(next).wrapping_add(7),
            ];
            i == 0 || asked.into_iter().all(|index| element(index).is_some())
        })
        .map(|(_, x)| x)
        .collect();
    assert!(at.len() > 4, "{at:?}");
    let mut expected = vec![0; 3 * at.len()];
    for (i, &x) in at.iter().enumerate().skip(1) {
        let next = x.wrapping_add(1);
        expected[3 * i] = element(7_u32.wrapping_add(next.wrapping_mul(4)).wrapping_add(3)).unwrap();
        expected[3 * i + 1] = element(7_u32.wrapping_add(next.wrapping_add(1).wrapping_mul(4))).unwrap();
        expected[3 * i + 2] = element(next.wrapping_add(next).wrapping_add(7)).unwrap();
    }
    for options in [UNCHECKED, NEAR] {
        let run = Run {
            options,
            buffers: &[&from, &at, &vec![0; expected.len()]],
            ..Run::default()
        };
        assert_eq!(run.source(source)[2], expected);
    }
}

#[test]
fn words_beside_each_other_have_one_address() {
    let source = "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(1) fn main() {
            let at = words[0];
            words[at + 4u] = words[at + 1u] + words[at + 2u] + words[(at + 1u) + 2u];
        }";
    let text = |options: &Options| translated(source, options).unwrap().text;
    assert_eq!(text(&UNCHECKED).matches("mad.wide.u32").count(), 4);
    let near = text(&NEAR);
    for offset in [4, 8, 12, 16] {
        assert!(near.contains(&format!("+{offset}]")), "{near}");
    }
    assert!(!near.contains("mad.wide.u32"), "{near}");
}

/// An index of WGSL that is `factor * x + constant`, and these two.
struct Affine {
    text: String,
    factor: u32,
    constant: u32,
}

/// One of so many parts, by the words of a generator.
fn affine(parts: u32, random: &mut impl FnMut() -> u32) -> Affine {
    let mut sum = Affine {
        text: "x".to_string(),
        factor: 1,
        constant: 0,
    };
    for _ in 0..parts {
        let word = random();
        // Small and large ones, and what goes below 0.
        let by = match word >> 8 & 3 {
            0 => word >> 16 & 7,
            1 => word >> 16,
            2 => (word >> 16 & 7).wrapping_neg(),
            _ => 1 << (word >> 16 & 31),
        };
        let Affine { text, factor, constant } = sum;
        sum = match word & 3 {
            0 => Affine {
                text: format!("({text} + {by}u)"),
                factor,
                constant: constant.wrapping_add(by),
            },
            1 => Affine {
                text: format!("({by}u + {text})"),
                factor,
                constant: constant.wrapping_add(by),
            },
            2 => Affine {
                text: format!("({text} * {}u)", by | 1),
                factor: factor.wrapping_mul(by | 1),
                constant: constant.wrapping_mul(by | 1),
            },
            _ => Affine {
                text: format!("({text} + (x + {by}u) * 2u)"),
                factor: factor.wrapping_add(2),
                constant: constant.wrapping_add(by.wrapping_mul(2)),
            },
        };
    }
    sum
}

/// What an odd number is to be multiplied by for 1, by Newton's iteration: each doubles the bits that are right.
fn inverse(odd: u32) -> u32 {
    (0..5).fold(odd, |inverse, _| {
        inverse.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(inverse)))
    })
}

#[test]
fn indices_made_up_of_sums_and_products_are_the_same_by_one_address() {
    let mut state = 1_u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let from: Vec<u32> = (100..164).collect();
    for round in 0..40_u32 {
        let sums: Vec<Affine> = (0..8)
            .map(|number| affine(1 + (round + number) % 7, &mut random))
            .collect();
        // Each sum meets the first elements, the last, and some between.
        let indices = [0, 1, 2, 3, 31, 62, 63];
        let at: Vec<u32> = sums
            .iter()
            .flat_map(|sum| {
                let back = inverse(sum.factor);
                indices.map(|index: u32| index.wrapping_sub(sum.constant).wrapping_mul(back))
            })
            .collect();
        let body: String = (0..)
            .zip(&sums)
            .map(|(number, sum)| {
                let first = number * indices.len();
                format!(
                    "for (var i = {first}u; i < {}u; i += 1u) {{ let x = at[i]; to[i] = source[{}]; }}\n",
                    first + indices.len(),
                    sum.text
                )
            })
            .collect();
        let source = format!(
            "@group(0) @binding(0) var<storage, read> source: array<u32>;
            @group(0) @binding(1) var<storage, read> at: array<u32>;
            @group(0) @binding(2) var<storage, read_write> to: array<u32>;
            @compute @workgroup_size(1) fn main() {{ {body} }}"
        );
        let expected: Vec<u32> = sums
            .iter()
            .flat_map(|_| indices.map(|index| from[index as usize]))
            .collect();
        let run = Run {
            options: NEAR,
            buffers: &[&from, &at, &vec![0; at.len()]],
            ..Run::default()
        };
        assert_eq!(run.source(&source)[2], expected, "{source}");
    }
}
