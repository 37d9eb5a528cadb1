//! Branches, loops, switches and calls, where invocations go different ways.

use super::*;

/// Some words for each invocation to decide by.
fn inputs() -> Vec<[u32; 2]> {
    (0..64).map(|number| [number, number * 7 % 13]).collect()
}

fn check(body: &str, expected: impl Fn(u32, u32) -> u32) {
    check_pairs(EXACT, body, &inputs(), false, &expected);
    check_pairs(UNCHECKED, body, &inputs(), false, expected);
}

#[test]
fn loops_continue_and_break() {
    let body = "var sum = 0u;
        for (var i = 0u; i < x; i++) {
            if (i & 3u) == 1u { continue; }
            for (var j = 0u; ; j++) {
                if j > y { break; }
                if j == i { continue; }
                sum += i * j;
                if sum > 5000u { return sum; }
            }
            if i == 40u { break; }
        }
        return sum + 1u;";
    check(body, |x, y| {
        let mut sum = 0;
        for i in 0..x {
            if i & 3 == 1 {
                continue;
            }
            for j in 0..=y {
                if j == i {
                    continue;
                }
                sum += i * j;
                if sum > 5000 {
                    return sum;
                }
            }
            if i == 40 {
                break;
            }
        }
        sum + 1
    });
}

#[test]
fn loops_end_by_their_own_condition() {
    let body = "var a = x; var steps = 0u;
        loop {
            if a == 1u { break; }
            if (a & 1u) == 0u { a = a / 2u; continue; }
            a = 3u * a + 1u;
            continuing {
                steps += 1u;
                break if steps >= 50u || a == 0u;
            }
        }
        while steps > 20u { steps -= y + 1u; if steps > 1000u { break; } }
        return steps;";
    check(body, |x, y| {
        let (mut a, mut steps) = (x, 0_u32);
        while a != 1 {
            a = if a & 1 == 0 { a / 2 } else { 3 * a + 1 };
            steps += 1;
            if steps >= 50 || a == 0 {
                break;
            }
        }
        while steps > 20 {
            steps = steps.wrapping_sub(y + 1);
            if steps > 1000 {
                break;
            }
        }
        steps
    });
}

#[test]
fn variables_start_anew_in_each_turn() {
    let body = "var sum = 0u;
        for (var i = 0u; i < y; i++) { var own: array<u32, 3>; var one: u32; own[i % 3u] += x; one += own[i % 3u]; sum += one + own[1]; }
        return sum;";
    check(body, |x, y| (0..y).map(|i| x + if i % 3 == 1 { x } else { 0 }).sum());
}

#[test]
fn switches_find_their_case() {
    let body = "var r = 1u;
        switch y { case 0u, 3u: { r = 10u; } case 1u { r = x; } case 4u, default, 6u: { if x == 9u { break; } r = 77u; } case 5u { return 5u; } }
        return r * 2u;";
    check(body, |x, y| match y {
        0 | 3 => 20,
        1 => 2 * x,
        5 => 5,
        _ if x == 9 => 2,
        _ => 154,
    });
}

#[test]
fn large_and_sparse_switches_find_their_case() {
    let dense: String = (3..20)
        .map(|case| format!("case {case}u: {{ r += {}u; }}", case * case))
        .collect();
    let body = format!("var r = y; switch x {{ {dense} default: {{ r = 5u; }} }} return r;");
    check(&body, |x, y| if (3..20).contains(&x) { y + x * x } else { 5 });
    let sparse: String = (0..9)
        .map(|case| format!("case {}: {{ r = {case}; }}", case * case * case - 60))
        .collect();
    let body = format!("var r = -1; switch i32(x) - 60 {{ {sparse} default: {{}} }} return u32(r);");
    check(&body, |x, _| {
        (0..9).find(|case| case * case * case == x).unwrap_or(u32::MAX)
    });
}

#[test]
fn switches_in_loops_continue_them() {
    let body = "var r = 0u;
        for (var i = 0u; i < 12u; i++) {
            switch (x + i) % 5u { case 0u: { continue; } case 1u: { break; } case 2u: { r += 100u; } default: { if i > y { break; } r += 1u; } }
            r += 1000u;
        }
        return r;";
    check(body, |x, y| {
        let mut r = 0;
        for i in 0..12 {
            match (x + i) % 5 {
                0 => continue,
                1 => {}
                2 => r += 100,
                _ if i > y => {}
                _ => r += 1,
            }
            r += 1000;
        }
        r
    });
}

#[test]
fn calls_return_from_anywhere() {
    let declarations = "
        struct Two { low: u32, high: vec2<u32>, good: bool }
        fn inner(x: u32) -> u32 { for (var i = 0u; i < 10u; i++) { if i * i >= x { return i; } } return 100u; }
        fn both(x: u32, y: u32) -> Two {
            if x > y { return Two(inner(x), vec2(x, y), true); }
            switch y { case 7u: { return Two(1u, vec2(2u, 3u), false); } default: {} }
            return Two(inner(inner(y) * 5u), vec2(y), x == y);
        }";
    let body = "let r = both(x, y); return r.low + 1000u * r.high.x + 100000u * r.high.y + u32(r.good) * 7u;";
    let inner = |x: u32| (0..10).find(|i| i * i >= x).unwrap_or(100);
    let found = each_pair(EXACT, declarations, body, &inputs());
    for ([x, y], found) in inputs().into_iter().zip(found) {
        let (low, a, b, good) = match () {
            () if x > y => (inner(x), x, y, true),
            () if y == 7 => (1, 2, 3, false),
            () => (inner(inner(y) * 5), y, y, x == y),
        };
        assert_eq!(found, low + 1000 * a + 100_000 * b + u32::from(good) * 7, "{x} {y}");
    }
}

#[test]
fn what_is_decided_before_is_not_written() {
    let source = "const USES = false;
        @group(0) @binding(0) var<storage, read_write> x: array<u32, 4>;
        fn f(kind: u32) -> u32 { switch kind { case 1u: { return x[1] / 3u; } default: { return x[2] + 1u; } } }
        @compute @workgroup_size(1) fn main() { if USES { x[0] = x[1] * 5u; } x[0] = f(2u); }";
    let text = translated(source, &UNCHECKED).unwrap().text;
    assert!(
        !text.contains("mul") && !text.contains("div") && !text.contains("setp"),
        "{text}"
    );
}

#[test]
fn small_branches_and_switches_are_computed_whole() {
    let source = |body: &str| {
        format!(
            "var<private> p: u32;
            @group(0) @binding(0) var<storage, read_write> o: array<u32>;
            @compute @workgroup_size(1) fn main() {{ let x = o[0]; let y = o[1]; var a = x; var b = y; {body} o[2] = a + b + p; }}"
        )
    };
    let jumps = |body: &str| {
        let text = translated(&source(body), &UNCHECKED).unwrap().text;
        text.matches("bra ").count() + text.matches("brx").count()
    };
    assert_eq!(jumps("if x < 3u && y > 5u || p == 2u { a = 1u; }"), 0);
    assert_eq!(jumps("if x < 3u { a = b; b = 7u; } else { b += a; }"), 0);
    assert_eq!(
        jumps(
            "switch x { case 3u, 5u: { a = b; b = a + 1u; } case 4u: { if y == 2u { p = 3u; } } default: { b = a; } }"
        ),
        0
    );
    assert!(jumps("if x < 3u { o[5] = 1u; }") > 0, "a store to memory is not undone");
    assert!(jumps("if x < 3u { a = o[y]; }") > 0, "a load may be out of bounds");
    assert!(
        jumps("switch x { case 3u: { a = y; } case 300u: { b = a; } default: {} }") > 0,
        "far apart"
    );
}

#[test]
fn arms_that_are_computed_whole_see_what_was_before() {
    let body = "var a = x; var b = y; var t = x > 5u;
        if t { let old = a; a = b; b = old; t = a == 3u; } else { a += 1u; b = a + b; t = !t; }
        if a > b && t || x == 9u { if b > 3u { a -= b; } else { b = a; } a += 1u; }
        switch y {
            case 2u, 4u: { let old = a; a = b; b = old; }
            case 3u: { b = a * 3u; if a > 7u { a = b; } a ^= 1u; }
            case 7u: {}
            default: { a += b; b = 1u; t = false; }
        }
        return a + 1000u * b + 1000000u * u32(t);";
    check(body, |x, y| {
        let (mut a, mut b, mut t) = (x, y, x > 5);
        if t {
            std::mem::swap(&mut a, &mut b);
            t = a == 3;
        } else {
            a += 1;
            b += a;
            t = !t;
        }
        if a > b && t || x == 9 {
            if b > 3 {
                a = a.wrapping_sub(b);
            } else {
                b = a;
            }
            a = a.wrapping_add(1);
        }
        match y {
            2 | 4 => std::mem::swap(&mut a, &mut b),
            3 => {
                b = a.wrapping_mul(3);
                if a > 7 {
                    a = b;
                }
                a ^= 1;
            }
            7 => {}
            _ => {
                a = a.wrapping_add(b);
                b = 1;
                t = false;
            }
        }
        a.wrapping_add(b.wrapping_mul(1000))
            .wrapping_add(1_000_000 * u32::from(t))
    });
}

#[test]
fn variables_that_nobody_uses_are_not_written() {
    let source = "var<private> unused: array<u32, 32>;
        const USES = false;
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main() { if USES { unused[o[0]] = 3u; o[2] = unused[o[1]]; } o[1] = 2u; }";
    assert!(!translated(source, &EXACT).unwrap().text.contains("st.local"));
}

#[test]
fn arms_that_may_leave_do() {
    let body = "var n = x + 1u; var m = y; var steps = 0u;
        loop {
            steps += 1u;
            if steps > 40u { break; }
            if (n & 1u) == 1u { m += 1u; if n > 60u { break; } n = 3u * n + 1u; } else { n >>= 1u; }
            if n > m {
                if n == 4u { continue; }
                m ^= n;
                if m == 5u { break; }
                n -= 1u;
            } else {
                m -= 2u;
                if m > 1000u { m = n; } else { if n == 0u { break; } n += 1u; continue; }
                n += 2u;
            }
            m += 3u;
        }
        return n + 1000u * m + 1000000u * steps;";
    check(body, |x, y| {
        let (mut n, mut m, mut steps) = (x.wrapping_add(1), y, 0_u32);
        loop {
            steps += 1;
            if steps > 40 {
                break;
            }
            if n & 1 == 1 {
                m = m.wrapping_add(1);
                if n > 60 {
                    break;
                }
                n = 3 * n + 1;
            } else {
                n >>= 1;
            }
            if n > m {
                if n == 4 {
                    continue;
                }
                m ^= n;
                if m == 5 {
                    break;
                }
                n = n.wrapping_sub(1);
            } else {
                m = m.wrapping_sub(2);
                if m > 1000 {
                    m = n;
                } else {
                    if n == 0 {
                        break;
                    }
                    n = n.wrapping_add(1);
                    continue;
                }
                n = n.wrapping_add(2);
            }
            m = m.wrapping_add(3);
        }
        n.wrapping_add(m.wrapping_mul(1000))
            .wrapping_add(steps.wrapping_mul(1_000_000))
    });
}

/// Lines of a loop that is large.
const LINES: u32 = 600;

/// So many statements that change `a` by all of its bits, of four expressions each.
fn long_way(lines: u32) -> String {
    (0..lines)
        .map(|line| format!("a = (a ^ (a << {}u)) + {}u;\n", line % 13 + 3, line * 77 + 5))
        .collect()
}

/// Ways out of a loop, enough that its invocations meet: for the words of [`LEAVING`].
fn ways_out() -> String {
    LEAVING
        .map(|word| format!("if a == {word}u {{ return {word}u; }}\n"))
        .collect()
}

const LEAVING: std::ops::Range<u32> = 900_000..900_008;

/// The same as Rust computes it.
fn gone_long_way(mut a: u32, lines: u32) -> u32 {
    for line in 0..lines {
        a = (a ^ a << (line % 13 + 3)).wrapping_add(line * 77 + 5);
    }
    a
}

#[test]
fn large_loops_are_left_from_within() {
    // Invocations part at the branch, take each way out, and come back in different iterations.
    let body = format!(
        "var a = x * 2654435761u; var b = 0u;
        for (var i = 0u; i < 9u; i++) {{
            for (var j = 0u; j < 1u + (a >> 30u); j++) {{
                if (a & 1u) == 0u {{
                    if (a & 14u) == y {{ return a; }}
                    {}{}
                    if (a & 7u) == 3u {{ break; }}
                    if (a & 7u) == 4u {{ continue; }}
                }} else {{
                    if (a & 255u) == 255u {{ return b; }}
                    a = a * 3u + 1u;
                }}
                b += a;
            }}
            if (a & 3u) == 2u {{ if b > 77u {{ break; }} }}
        }}
        return a + b;",
        ways_out(),
        long_way(LINES)
    );
    check(&body, |x, y| {
        let (mut a, mut b) = (x.wrapping_mul(2_654_435_761), 0_u32);
        'outer: for _ in 0..9 {
            let mut j = 0;
            while j < 1 + (a >> 30) {
                j += 1;
                if a & 1 == 0 {
                    if a & 14 == y || LEAVING.contains(&a) {
                        return a;
                    }
                    a = gone_long_way(a, LINES);
                    match a & 7 {
                        3 => break,
                        4 => continue,
                        _ => {}
                    }
                } else {
                    if a & 255 == 255 {
                        return b;
                    }
                    a = a.wrapping_mul(3).wrapping_add(1);
                }
                b = b.wrapping_add(a);
            }
            if a & 3 == 2 && b > 77 {
                break 'outer;
            }
        }
        a.wrapping_add(b)
    });
}

#[test]
fn large_loops_that_are_left_from_within_meet() {
    let votes = |body: &str| {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
            fn result(x: u32, y: u32) -> u32 {{ {body} }}
            @compute @workgroup_size(32)
            fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ words[id.x] = result(words[id.x], id.x); }}"
        );
        assembled(&source, &EXACT).text.matches("vote.sync.ballot").count()
    };
    let large = |leaves: &str| {
        format!(
            "var a = x; loop {{ if a == 5u {{ break; }} if y == 3u {{ {} {leaves} }} a += y; }} return a;",
            long_way(LINES)
        )
    };
    // At the end of an iteration, and where they leave it.
    assert_eq!(votes(&large(&"if a == 7u { break; }".repeat(8))), 2);
    assert_eq!(votes(&large(&format!("if a == 7u {{ break; }} {}", ways_out()))), 3);
    // All that part meet by themselves, or there is too little of it, or of ways out.
    assert_eq!(votes(&large("")), 0);
    assert_eq!(votes(&large("if a == 7u { break; }")), 0);
    let small = large(&ways_out()).replace(&long_way(LINES), "a *= 7u;");
    assert_eq!(votes(&small), 0);
    // What most of the loop does is done in a switch, behind which they meet.
    let cases: String = (0..8)
        .map(|case| format!("case {case}u: {{ {} }}\n", long_way(LINES / 8)))
        .collect();
    let switched = large(&format!("switch a & 15u {{ {cases} default: {{}} }} {}", ways_out()));
    assert_eq!(votes(&switched), 3);
    assert_eq!(votes(&switched.replacen(&long_way(LINES), "", 1)), 0);
}
