//! Variables in registers and in memory, whichever function they are used by.

use super::*;

fn inputs() -> Vec<[u32; 2]> {
    (0..32).map(|number| [number % 4, number]).collect()
}

fn check(declarations: &str, body: &str, expected: impl Fn(u32, u32) -> u32) {
    for ([x, y], found) in inputs()
        .into_iter()
        .zip(each_pair(EXACT, declarations, body, &inputs()))
    {
        assert_eq!(found, expected(x, y), "{x} {y}");
    }
}

#[test]
fn a_load_does_not_change_with_its_variable() {
    check(
        "var<private> v: u32;",
        "v = x; let a = v; v = y; let b = v; v += a; return a + 10u * b + 1000u * v;",
        |x, y| x + 10 * y + 1000 * (x + y),
    );
}

#[test]
fn vectors_with_a_computed_index_stay_in_registers() {
    let declarations = "var<private> counts: vec4<u32>;
        fn bump(v: ptr<function, vec4<u32>>, i: u32) { (*v)[i] += 5u; }";
    let body = "counts[x] += y; counts[3u - x] += 1u; var own = vec4(1u, 2u, 3u, 4u); bump(&own, x); own[y & 3u] = 9u;
        return counts.x + 3u * counts[y & 3u] + 100u * own[x] + own.w;";
    let text = {
        let source = format!("{declarations} @group(0) @binding(0) var<storage, read_write> o: array<u32>;
            @compute @workgroup_size(1) fn main() {{ let x = o[0]; let y = o[1]; o[2] = f(x, y); }} fn f(x: u32, y: u32) -> u32 {{ {body} }}");
        translated(&source, &EXACT).unwrap().text
    };
    assert!(!text.contains(".local"), "{text}");
    check(declarations, body, |x, y| {
        let mut counts = [0; 4];
        counts[x as usize] += y;
        counts[3 - x as usize] += 1;
        let mut own = [1, 2, 3, 4];
        own[x as usize] += 5;
        own[y as usize & 3] = 9;
        counts[0] + 3 * counts[y as usize & 3] + 100 * own[x as usize] + own[3]
    });
}

#[test]
fn arrays_with_a_computed_index_lie_in_memory() {
    let declarations = "var<private> words: array<u32, 40>;
        var<private> fixed: array<u32, 3> = array(7u, 8u, 9u);
        fn fill(all: ptr<function, array<u32, 5>>, by: u32) { for (var i = 0u; i < 5u; i++) { (*all)[i] += by * i; } }";
    let body = "words[y] = x; words[y + 1u] += 3u; var own = array(1u, 2u, 3u, 4u, 5u); fill(&own, y); let copy = own; own[0] = 1000u;
        fixed[1] = y;
        return words[y] + words[y + 1u] * 10u + own[x] + copy[x] + words[39] + fixed[0] + fixed[1];";
    check(declarations, body, |x, y| {
        let own = |at: u32| at + 1 + y * at;
        x + 30 + if x == 0 { 1000 } else { own(x) } + own(x) + 7 + y
    });
}

#[test]
fn arrays_without_a_computed_index_are_registers() {
    let source = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main() { var a = array(o[0], o[1], o[2]); a[1] += a[0]; o[3] = a[1] * a[2]; }";
    let text = translated(source, &EXACT).unwrap().text;
    assert!(!text.contains(".local"), "{text}");
    let run = Run {
        buffers: &[&[2, 3, 4, 0]],
        ..Run::default()
    };
    assert_eq!(run.source(source)[0][3], 20);
}

#[test]
fn pointers_reach_parts_of_variables() {
    let declarations = "struct S { a: u32, b: array<vec2<u32>, 3> }
        var<private> s: S;
        fn add(to: ptr<function, u32>, by: u32) -> u32 { let before = *to; *to += by; return before; }
        fn put(to: ptr<private, S>, at: u32, by: u32) { (*to).b[at].y = by; (*to).a += 1u; }";
    let body = "var n = x; let old = add(&n, y); put(&s, x % 3u, 5u); put(&s, 1u, y); return n * 3u + old + s.b[x % 3u].y + s.a * 100u + s.b[1].y;";
    check(declarations, body, |x, y| {
        (x + y) * 3 + x + if x % 3 == 1 { y } else { 5 } + 200 + y
    });
}

#[test]
fn constant_arrays_are_indexed() {
    let declarations =
        "const SMALL = array(3u, 1u, 4u, 1u); const LARGE = array(2u, 7u, 1u, 8u, 2u, 8u, 1u, 8u, 2u, 8u, 4u, 5u);";
    check(
        declarations,
        "return SMALL[x] + 10u * LARGE[y % 12u] + 1000u * vec3(5u, 6u, 7u)[y % 3u];",
        |x, y| {
            [3, 1, 4, 1][x as usize] + 10 * [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5][y as usize % 12] + 1000 * (5 + y % 3)
        },
    );
}

#[test]
fn large_variables_start_as_zeros() {
    let body = "var all: array<u32, 700>; all[y * 20u] += 3u; var sum = 0u; for (var i = 0u; i < 700u; i++) { sum += all[i]; } return sum + x;";
    check("", body, |x, _| 3 + x);
}

#[test]
fn vectors_are_put_together_and_taken_apart() {
    let body =
        "let v = vec4(x, y, 3u, 4u); let w = vec3(v.wz, 7u); let s = v.zyx * 2u + w; let t = vec2(x) << vec2(1u, 2u);
        return s.x + 10u * s.y + 100u * s.z + t.x + t.y + dot(w, v.xyz) + u32(all(w == vec3(4u, 3u, 7u)));";
    check("", body, |x, y| {
        let s = [6 + 4, 2 * y + 3, 2 * x + 7];
        s[0] + 10 * s[1] + 100 * s[2] + 2 * x + 4 * x + (4 * x + 3 * y + 21) + 1
    });
}
