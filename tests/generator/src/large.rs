//! Programs that are larger than people write: many routines in one, and a routine of many lines.

use std::fmt::Write;

use crate::rng::Rng;

/// How many routines `five_hundred_routines` calls.
const ROUTINES: usize = 500;

/// How many lines the body of `three_hundred_lines` has.
const LINES: usize = 300;

/// The routines `five_hundred_routines`, with all that it calls, and `three_hundred_lines`.
pub fn large() -> String {
    let mut rng = Rng::new(500);
    let mut source = String::new();
    let mut calls = String::new();
    for part in 0..ROUTINES {
        let value = step(&mut rng);
        let _ = write!(
            source,
            "#[routine]\nfn part_{part}(x: u32, y: u32) -> u32 {{\n    {value}\n}}\n\n"
        );
        let _ = writeln!(calls, "    (x, y) = (part_{part}(x, y), x);");
    }
    let _ = write!(
        source,
        "#[routine]\nfn five_hundred_routines(x: u32, y: u32) -> u32 {{\n    let (mut x, mut y) = (x, y);\n{calls}    x ^ y\n}}\n\n"
    );
    source + &long_routine(&mut rng)
}

/// A value made of `x` and `y`.
fn step(rng: &mut Rng) -> String {
    let constant = rng.below(1 << 20) * 2 + 1;
    match rng.below(6) {
        0 => format!("x.wrapping_mul({constant}) ^ y"),
        1 => format!("(x ^ y).rotate_left({})", constant % 31 + 1),
        2 => {
            format!("if x & {constant} > y & {constant} {{ x.wrapping_sub(y) }} else {{ y.wrapping_add({constant}) }}")
        }
        3 => format!("x.wrapping_add(y / {constant})"),
        4 => format!("(x % {constant}).wrapping_mul(y | 1)"),
        _ => format!("x.count_ones().wrapping_add(y) ^ {constant}"),
    }
}

fn long_routine(rng: &mut Rng) -> String {
    let mut body = String::new();
    for _ in 0..LINES {
        let (i, j) = (rng.below(6), rng.below(6));
        let value = step(rng)
            .replace('x', &format!("v[{i}]"))
            .replace('y', &format!("v[{j}]"));
        let _ = match rng.below(5) {
            0 => writeln!(body, "    z = z * 0.75 + (v[{i}] % 1000) as f32;"),
            1 => writeln!(
                body,
                "    for k in 0..v[{i}] % 4 {{ v[{j}] = v[{j}].wrapping_mul(3).wrapping_add(k); }}"
            ),
            2 => writeln!(body, "    if z > v[{j}] as f32 {{ v[{i}] ^= z as u32; }}"),
            _ => writeln!(body, "    v[{i}] = {value};"),
        };
    }
    format!(
        "#[routine]\nfn three_hundred_lines(x: u32, y: u32) -> (u32, f32) {{\n    let mut v = [x, y, x ^ y, 7, x / 3, y / 5];\n    \
         let mut z = 1.5f32;\n{body}    (v[0] ^ v[1] ^ v[2] ^ v[3] ^ v[4] ^ v[5], z)\n}}\n"
    )
}
