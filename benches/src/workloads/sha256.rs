//! SHA-256 of a million messages of 32 bytes, one block each. Every contestant has the 64 rounds written out, from one table.

use anyhow::Result;
use cubecl::prelude::*;
use gpuvm_workloads::Workload as _;
use gpuvm_workloads::rounds;
use gpuvm_workloads::sha256::Messages;

use crate::agreement::Tolerance;
use crate::contest::{Contest, Outcome, Routines};
use crate::peers::cube::{arg, rotated};
use crate::peers::wgsl::Job;
use crate::stage::Stage;

macro_rules! wgsl {
    (
        [$($high:ident = $first:literal),*] [$($low:ident = $second:literal),*]
        [$($left:ident = $i:literal),*] [$($right:ident = $j:literal),*] [$($pad:ident = $padding:literal),*]
        $($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident,
            $w0:ident $w1:ident $w9:ident $w14:ident, $k:literal;)*
        =>
        $($p:ident $q:ident $r:ident $s:ident $t:ident $u:ident $v:ident $w:ident,
            $x0:ident $x1:ident $x9:ident $x14:ident, $l:literal;)*
    ) => {
        concat!(
            $(
                "sum = ", stringify!($h), " + big1(", stringify!($e), ") + choose(", stringify!($e), ", ",
                stringify!($f), ", ", stringify!($g), ") + ", stringify!($k), " + ", stringify!($w0), ";\n",
                stringify!($d), " += sum;\n",
                stringify!($h), " = sum + big0(", stringify!($a), ") + majority(", stringify!($a), ", ",
                stringify!($b), ", ", stringify!($c), ");\n",
                stringify!($w0), " += small0(", stringify!($w1), ") + ", stringify!($w9), " + small1(",
                stringify!($w14), ");\n",
            )*
            $(
                "sum = ", stringify!($w), " + big1(", stringify!($t), ") + choose(", stringify!($t), ", ",
                stringify!($u), ", ", stringify!($v), ") + ", stringify!($l), " + ", stringify!($x0), ";\n",
                stringify!($s), " += sum;\n",
                stringify!($w), " = sum + big0(", stringify!($p), ") + majority(", stringify!($p), ", ",
                stringify!($q), ", ", stringify!($r), ");\n",
            )*
        )
    };
}

const WGSL_BEGIN: &str = "
@group(0) @binding(0) var<uniform> count: vec4<u32>;
@group(0) @binding(1) var<storage, read> messages: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> digests: array<vec4<u32>>;

fn big0(x: u32) -> u32 { return (x >> 2u | x << 30u) ^ (x >> 13u | x << 19u) ^ (x >> 22u | x << 10u); }
fn big1(x: u32) -> u32 { return (x >> 6u | x << 26u) ^ (x >> 11u | x << 21u) ^ (x >> 25u | x << 7u); }
fn small0(x: u32) -> u32 { return (x >> 7u | x << 25u) ^ (x >> 18u | x << 14u) ^ (x >> 3u); }
fn small1(x: u32) -> u32 { return (x >> 17u | x << 15u) ^ (x >> 19u | x << 13u) ^ (x >> 10u); }
fn choose(x: u32, y: u32, z: u32) -> u32 { return (x & y) ^ (~x & z); }
fn majority(x: u32, y: u32, z: u32) -> u32 { return (x & y) ^ (x & z) ^ (y & z); }

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= count.x { return; }
    let left = messages[2u * id.x];
    let right = messages[2u * id.x + 1u];
    var w0 = left.x; var w1 = left.y; var w2 = left.z; var w3 = left.w;
    var w4 = right.x; var w5 = right.y; var w6 = right.z; var w7 = right.w;
    var w8 = 0x80000000u; var w9 = 0u; var w10 = 0u; var w11 = 0u;
    var w12 = 0u; var w13 = 0u; var w14 = 0u; var w15 = 256u;
    var a = 0x6a09e667u; var b = 0xbb67ae85u; var c = 0x3c6ef372u; var d = 0xa54ff53au;
    var e = 0x510e527fu; var f = 0x9b05688cu; var g = 0x1f83d9abu; var h = 0x5be0cd19u;
    var sum: u32;
";
const WGSL_ROUNDS: &str = rounds!(wgsl);
const WGSL_END: &str = "
    digests[2u * id.x] = vec4(a, b, c, d) + vec4(0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au);
    digests[2u * id.x + 1u] = vec4(e, f, g, h) + vec4(0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u);
}
";

#[cube]
fn constant(#[comptime] value: u32) -> u32 {
    value.runtime()
}

macro_rules! cube {
    (
        [$($high:ident = $first:literal),*] [$($low:ident = $second:literal),*]
        [$($left:ident = $i:literal),*] [$($right:ident = $j:literal),*] [$($pad:ident = $padding:literal),*]
        $($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident,
            $w0:ident $w1:ident $w9:ident $w14:ident, $k:literal;)*
        =>
        $($p:ident $q:ident $r:ident $s:ident $t:ident $u:ident $v:ident $w:ident,
            $x0:ident $x1:ident $x9:ident $x14:ident, $l:literal;)*
    ) => {
        #[cube(launch_unchecked)]
        fn sha256_cube<N: Size>(messages: &[Vector<u32, N>], digests: &mut [Vector<u32, N>]) {
            if ABSOLUTE_POS < digests.len() / 2 {
                let left = messages[2 * ABSOLUTE_POS];
                let right = messages[2 * ABSOLUTE_POS + 1];
                $(let mut $left = left.extract($i);)*
                $(let mut $right = right.extract($j);)*
                $(let mut $pad = constant($padding);)*
                $(let mut $high = constant($first);)*
                $(let mut $low = constant($second);)*
                $(
                    let bits = rotated($e, 6u32) ^ rotated($e, 11u32) ^ rotated($e, 25u32);
                    let sum = $h + bits + (($e & $f) ^ (!$e & $g)) + $k + $w0;
                    $d += sum;
                    let bits = rotated($a, 2u32) ^ rotated($a, 13u32) ^ rotated($a, 22u32);
                    $h = sum + bits + (($a & $b) ^ ($a & $c) ^ ($b & $c));
                    let early = rotated($w1, 7u32) ^ rotated($w1, 18u32) ^ ($w1 >> 3u32);
                    let late = rotated($w14, 17u32) ^ rotated($w14, 19u32) ^ ($w14 >> 10u32);
                    $w0 += early + $w9 + late;
                )*
                $(
                    let bits = rotated($t, 6u32) ^ rotated($t, 11u32) ^ rotated($t, 25u32);
                    let sum = $w + bits + (($t & $u) ^ (!$t & $v)) + $l + $x0;
                    $s += sum;
                    let bits = rotated($p, 2u32) ^ rotated($p, 13u32) ^ rotated($p, 22u32);
                    $w = sum + bits + (($p & $q) ^ ($p & $r) ^ ($q & $r));
                )*
                let mut high = Vector::<u32, N>::empty();
                $(high.insert($i, $high + $first);)*
                let mut low = Vector::<u32, N>::empty();
                $(low.insert($j, $low + $second);)*
                digests[2 * ABSOLUTE_POS] = high;
                digests[2 * ABSOLUTE_POS + 1] = low;
            }
        }
    };
}
rounds!(cube);

/// Runs the contest.
///
/// # Errors
///
/// When buffers cannot be made.
pub fn run(stage: &Stage) -> Result<Outcome> {
    let workload = Messages::from(stage.size);
    let messages = &workload.0;
    let entries = messages.len();
    let (count, groups) = (entries as u32, (entries as u32).div_ceil(64));
    let mut contest = Contest::of(stage, &workload, Tolerance::Exact);
    let (bytes, uniform) = (bytemuck::cast_slice(messages), [count, 0, 0, 0]);
    // The suffix that marks a constant has a shorter name there.
    let source = [WGSL_BEGIN, &WGSL_ROUNDS.replace("u32", "u"), WGSL_END].concat();
    contest.wgsl(Job {
        source: &source,
        uniform: bytemuck::bytes_of(&uniform),
        inputs: &[bytes],
        output: entries * 32,
        groups: [groups, 1],
    });
    #[allow(unsafe_code)]
    contest.cube(&[bytes], |client, inputs, output| {
        let (messages, digests) = (arg(&inputs[0], 2 * entries), arg(output, 2 * entries));
        let cubes = CubeCount::Static(groups, 1, 1);
        // SAFETY: the kernel indexes only what it found to be within `digests`, and `messages` is as long.
        unsafe { sha256_cube::launch_unchecked(client, cubes, CubeDim::new_1d(64), 4, messages, digests) }
    });
    let runtime = &stage.runtime;
    let (resident, left) = (runtime.buffer(messages)?, runtime.buffer(&vec![[0u32; 8]; entries])?);
    contest.gpuvm(
        runtime,
        &Routines {
            returning: "sha256",
            leaving: "sha256_into",
        },
        |launch| workload.launched(launch),
        |launch| launch.args((&resident, &left)),
        &left,
    );
    contest.cuda();
    Ok(contest.finish())
}
