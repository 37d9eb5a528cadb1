//! Writes the soup. Every routine is made by a generator of its own, seeded with the routine's number, so the soup is always the same.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs, io};

/// Routines.
const COUNT: u32 = 1000;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(PathBuf::from(out).join("soup.rs"), soup())
}

/// The whole file.
fn soup() -> String {
    let (mut functions, mut table) = (String::new(), String::new());
    for number in 0..COUNT {
        let lines = 10 + number % 21;
        let (rust, wgsl) = bodies(number, lines);
        let id = format!("soup_{number:03}");
        // Writing to a string cannot fail.
        let _ = write!(
            functions,
            "\n#[gpuvm::routine]\nfn {id}(a: u32, b: u32) -> u32 {{\n{rust}}}\n"
        );
        let _ = writeln!(
            table,
            "    Recipe {{ id: {id:?}, native: {id}, wgsl: {:?}, lines: {lines} }},",
            shader(&wgsl)
        );
    }
    format!("/// All of them.\npub static SOUP: [Recipe; {COUNT}] = [\n{table}];\n{functions}")
}

/// A shader around a body.
fn shader(body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<uniform> count: vec4<u32>;
@group(0) @binding(1) var<storage, read> first: array<u32>;
@group(0) @binding(2) var<storage, read> second: array<u32>;
@group(0) @binding(3) var<storage, read_write> results: array<u32>;
fn soup(a: u32, b: u32) -> u32 {{
{body}}}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    if id.x < count.x {{ results[id.x] = soup(first[id.x], second[id.x]); }}
}}
"
    )
}

/// The body of one routine in Rust and in WGSL, a line a statement.
fn bodies(number: u32, lines: u32) -> (String, String) {
    let mut random = Random(number.wrapping_mul(0x9e37_79b9) | 1);
    let mut rust = String::from("    let (mut x, mut y, mut z) = (a, b, a ^ b);\n");
    let mut wgsl = String::from("    var x = a; var y = b; var z = a ^ b;\n");
    for _ in 0..lines - 3 {
        let (r, w) = statement(&mut random);
        rust += &format!("    {r}\n");
        wgsl += &format!("    {w}\n");
    }
    let mix = "    x ^= y; y ^= z; z ^= x;\n";
    rust += &format!("{mix}    x.wrapping_add(y) ^ z\n");
    wgsl += &format!("{mix}    return (x + y) ^ z;\n");
    (rust, wgsl)
}

/// One statement in both languages.
fn statement(random: &mut Random) -> (String, String) {
    let (p, q, r) = random.variables();
    let (c, s, n) = (random.next(), 1 + random.below(31), 2 + random.below(9));
    match random.below(9) {
        0 => (
            format!("{p} = {p}.wrapping_mul({c}).wrapping_add({q});"),
            format!("{p} = {p} * {c}u + {q};"),
        ),
        1 => (format!("{p} ^= {q} >> {s};"), format!("{p} ^= {q} >> {s}u;")),
        2 => (
            format!("{p} ^= {q}.rotate_left({s}).wrapping_sub({r});"),
            format!("{p} ^= ({q} << {s}u | {q} >> {}u) - {r};", 32 - s),
        ),
        3 => (
            format!("if {p} & {c} > {q} {{ {r} = {r}.wrapping_add({p}); }} else {{ {q} ^= {c}; }}"),
            format!("if ({p} & {c}u) > {q} {{ {r} += {p}; }} else {{ {q} ^= {c}u; }}"),
        ),
        4 => (
            format!("for i in 0..{n} {{ {p} = {p}.wrapping_mul(5).wrapping_add({q} ^ i); }}"),
            format!("for (var i = 0u; i < {n}u; i += 1u) {{ {p} = {p} * 5u + ({q} ^ i); }}"),
        ),
        5 => (
            format!("while {p} > {c} {{ {p} >>= 1; {q} = {q}.wrapping_add({p}); }}"),
            format!("while {p} > {c}u {{ {p} >>= 1u; {q} += {p}; }}"),
        ),
        6 => (
            format!("{p} ^= if {q} < {r} {{ {r} << {s} }} else {{ {q} - {r} }};"),
            format!("if {q} < {r} {{ {p} ^= {r} << {s}u; }} else {{ {p} ^= {q} - {r}; }}"),
        ),
        7 => (
            format!("{p} = {p}.wrapping_add({q} / {n}).min({r} | {c});"),
            format!("{p} = min({p} + {q} / {n}u, {r} | {c}u);"),
        ),
        _ => (
            format!("{p} ^= match {q} % 4 {{ 0 => {r}, 1 => {c}, 2 => !{r}, _ => {q} >> {s} }};"),
            format!(
                "switch {q} % 4u {{ case 0u: {{ {p} ^= {r}; }} case 1u: {{ {p} ^= {c}u; }} case 2u: {{ {p} ^= ~{r}; }} \
                 default: {{ {p} ^= {q} >> {s}u; }} }}"
            ),
        ),
    }
}

/// A xorshift generator.
struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    fn below(&mut self, limit: u32) -> u32 {
        (self.next() >> 8) % limit
    }

    /// The three variables in some order.
    fn variables(&mut self) -> (char, char, char) {
        [
            ('x', 'y', 'z'),
            ('x', 'z', 'y'),
            ('y', 'x', 'z'),
            ('y', 'z', 'x'),
            ('z', 'x', 'y'),
            ('z', 'y', 'x'),
        ][self.below(6) as usize]
    }
}
