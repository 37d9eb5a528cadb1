//! N-body: one step of bodies that attract each other, all pairs.
//!
//! gpuvm reads the bodies from the slice that all VMs share. The WGSL brings them to workgroup memory tile by tile and has an
//! instruction for 1/√x; CubeCL's kernel does the same. Their floats are near the judge's.

use anyhow::Result;
use cubecl::prelude::*;
use gpuvm::{routine, vm};
use rayon::prelude::*;

use crate::agreement::Tolerance;
use crate::contest::{Contest, Outcome, Routines};
use crate::peers::cube::arg;
use crate::peers::wgsl::Job;
use crate::stage::Stage;

/// What is added to squared distances, so that near bodies do not fly off.
const SOFTENING: f32 = 1e-2;
/// How long a step takes.
const STEP: f32 = 0.1;
/// How far off a coordinate may be where floats are not exact.
const NEAR: f32 = 1e-4;

/// The position and mass, then the velocity, of one body after a step.
#[routine]
pub fn body(bodies: &[[f32; 4]], me: u32, velocity: [f32; 4], step: f32) -> [f32; 8] {
    let [x, y, z, mass] = bodies[me as usize];
    let (mut ax, mut ay, mut az) = (0.0f32, 0.0f32, 0.0f32);
    for other in bodies {
        let (dx, dy, dz) = (other[0] - x, other[1] - y, other[2] - z);
        let inverse = 1.0 / (dx * dx + dy * dy + dz * dz + SOFTENING).sqrt();
        let pull = other[3] * (inverse * inverse * inverse);
        ax += dx * pull;
        ay += dy * pull;
        az += dz * pull;
    }
    let (vx, vy, vz) = (
        velocity[0] + ax * step,
        velocity[1] + ay * step,
        velocity[2] + az * step,
    );
    [x + vx * step, y + vy * step, z + vz * step, mass, vx, vy, vz, 0.0]
}

/// One VM's body.
#[routine]
pub fn nbody(bodies: &[[f32; 4]], velocity: [f32; 4], step: f32) -> [f32; 8] {
    body(bodies, vm::id(), velocity, step)
}

/// The same, left in a buffer.
#[routine]
fn nbody_into(bodies: &[[f32; 4]], velocity: [f32; 4], step: f32, moved: &mut [f32; 8]) {
    *moved = body(bodies, vm::id(), velocity, step);
}

/// The same with floats as the device likes them.
#[routine(relaxed)]
pub fn nbody_relaxed(bodies: &[[f32; 4]], velocity: [f32; 4], step: f32) -> [f32; 8] {
    body(bodies, vm::id(), velocity, step)
}

/// The same, left in a buffer.
#[routine(relaxed)]
fn nbody_relaxed_into(bodies: &[[f32; 4]], velocity: [f32; 4], step: f32, moved: &mut [f32; 8]) {
    *moved = body(bodies, vm::id(), velocity, step);
}

const WGSL: &str = "
struct Settings { count: u32, step: f32 }
struct Moved { body: vec4<f32>, velocity: vec4<f32> }
@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> velocities: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> moved: array<Moved>;
var<workgroup> tile: array<vec4<f32>, 256>;

// There are as many bodies as 256 goes into.
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let me = bodies[id.x];
    var pull = vec3(0.0);
    for (var first = 0u; first < settings.count; first += 256u) {
        tile[lane] = bodies[first + lane];
        workgroupBarrier();
        for (var i = 0u; i < 256u; i += 1u) {
            let other = tile[i];
            let d = other.xyz - me.xyz;
            let inverse = inverseSqrt(dot(d, d) + 0.01);
            pull += d * (other.w * (inverse * inverse * inverse));
        }
        workgroupBarrier();
    }
    let velocity = velocities[id.x].xyz + pull * settings.step;
    moved[id.x].body = vec4(me.xyz + velocity * settings.step, me.w);
    moved[id.x].velocity = vec4(velocity, 0.0);
}
";

#[cube(launch_unchecked)]
fn nbody_cube<N: Size>(
    bodies: &[Vector<f32, N>],
    velocities: &[Vector<f32, N>],
    moved: &mut [Vector<f32, N>],
    step: f32,
) {
    let mut tile = Shared::<[Vector<f32, N>]>::new_slice(256usize);
    let me = bodies[ABSOLUTE_POS];
    let x = me.extract(0usize);
    let y = me.extract(1usize);
    let z = me.extract(2usize);
    let mut ax = 0.0f32;
    let mut ay = 0.0f32;
    let mut az = 0.0f32;
    for first in 0..bodies.len() / 256 {
        tile[UNIT_POS as usize] = bodies[first * 256 + UNIT_POS as usize];
        sync_cube();
        for i in 0..256usize {
            let other = tile[i];
            let dx = other.extract(0usize) - x;
            let dy = other.extract(1usize) - y;
            let dz = other.extract(2usize) - z;
            let inverse = (dx * dx + dy * dy + dz * dz + 0.01f32).inverse_sqrt();
            let pull = other.extract(3usize) * (inverse * inverse * inverse);
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        sync_cube();
    }
    let old = velocities[ABSOLUTE_POS];
    let mut velocity = Vector::<f32, N>::empty();
    velocity.insert(0usize, old.extract(0usize) + ax * step);
    velocity.insert(1usize, old.extract(1usize) + ay * step);
    velocity.insert(2usize, old.extract(2usize) + az * step);
    velocity.insert(3usize, 0.0f32);
    let mut position = Vector::<f32, N>::empty();
    position.insert(0usize, x + velocity.extract(0usize) * step);
    position.insert(1usize, y + velocity.extract(1usize) * step);
    position.insert(2usize, z + velocity.extract(2usize) * step);
    position.insert(3usize, me.extract(3usize));
    moved[2 * ABSOLUTE_POS] = position;
    moved[2 * ABSOLUTE_POS + 1] = velocity;
}

/// Bodies in a ball, turning.
fn galaxy(count: u32) -> (Vec<[f32; 4]>, Vec<[f32; 4]>) {
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let bodies: Vec<_> = (0..count)
        .map(|_| [random(), random(), random(), 1.0 / count as f32])
        .collect();
    let velocities = bodies.iter().map(|[x, y, ..]| [-0.5 * y, 0.5 * x, 0.0, 0.0]).collect();
    (bodies, velocities)
}

/// Runs the contest.
///
/// # Errors
///
/// When buffers cannot be made.
pub fn run(stage: &Stage) -> Result<Outcome> {
    let count: u32 = stage.pick(256, 16_384);
    let (entries, groups) = (count as usize, count / 256);
    let (bodies, velocities) = galaxy(count);
    let native = || {
        let step = |me: u32| body(&bodies, me, velocities[me as usize], STEP);
        (0..count).into_par_iter().map(step).collect()
    };
    let amount = format!("{count} bodies, one step");
    let mut contest = Contest::new(stage, "nbody", amount, native(), Tolerance::Relative(NEAR));
    contest.rayon(native);
    let inputs: [&[u8]; 2] = [bytemuck::cast_slice(&bodies), bytemuck::cast_slice(&velocities)];
    let uniform = [count, STEP.to_bits(), 0, 0];
    contest.wgsl(Job {
        source: WGSL,
        uniform: bytemuck::bytes_of(&uniform),
        inputs: &inputs,
        output: entries * 32,
        groups: [groups, 1],
    });
    #[allow(unsafe_code)]
    contest.cube(&inputs, |client, inputs, output| {
        let (bodies, velocities) = (arg(&inputs[0], entries), arg(&inputs[1], entries));
        let (cubes, moved) = (CubeCount::Static(groups, 1, 1), arg(output, 2 * entries));
        // SAFETY: there are exactly as many units as bodies, and 256 goes into their number.
        unsafe {
            nbody_cube::launch_unchecked(client, cubes, CubeDim::new_1d(256), 4, bodies, velocities, moved, STEP);
        }
    });
    let runtime = &stage.runtime;
    let (there, turning) = (runtime.buffer(&bodies)?, runtime.buffer(&velocities)?);
    let left = runtime.buffer(&vec![[0f32; 8]; entries])?;
    contest.gpuvm(
        runtime,
        &Routines {
            returning: "nbody",
            leaving: "nbody_into",
        },
        |launch| launch.args((&bodies, &velocities, STEP)),
        |launch| launch.args((&there, &turning, STEP, &left)),
        &left,
    );
    contest.gpuvm_relaxed(
        runtime,
        &Routines {
            returning: "nbody_relaxed",
            leaving: "nbody_relaxed_into",
        },
        |launch| launch.args((&bodies, &velocities, STEP)),
        |launch| launch.args((&there, &turning, STEP, &left)),
        &left,
    );
    Ok(contest.finish())
}
