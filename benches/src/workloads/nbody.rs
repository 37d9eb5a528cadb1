//! N-body: one step of bodies that attract each other, all pairs.
//!
//! gpuvm reads the bodies from the slice that all VMs share. The WGSL brings them to workgroup memory tile by tile and has an
//! instruction for 1/√x; CubeCL's kernel does the same. Their floats are near the judge's.

use anyhow::Result;
use cubecl::prelude::*;
use gpuvm_workloads::Workload as _;
use gpuvm_workloads::nbody::{Galaxy, NEAR, STEP};

use crate::agreement::Tolerance;
use crate::contest::{Contest, Outcome, Routines};
use crate::peers::cube::arg;
use crate::peers::wgsl::Job;
use crate::stage::Stage;

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

/// Runs the contest.
///
/// # Errors
///
/// When buffers cannot be made.
pub fn run(stage: &Stage) -> Result<Outcome> {
    let workload = Galaxy::from(stage.size);
    let Galaxy { bodies, velocities } = &workload;
    let entries = bodies.len();
    let (count, groups) = (entries as u32, entries as u32 / 256);
    let mut contest = Contest::of(stage, &workload, Tolerance::Relative(NEAR));
    let inputs: [&[u8]; 2] = [bytemuck::cast_slice(bodies), bytemuck::cast_slice(velocities)];
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
    let (there, turning) = (runtime.buffer(bodies)?, runtime.buffer(velocities)?);
    let left = runtime.buffer(&vec![[0f32; 8]; entries])?;
    contest.gpuvm(
        runtime,
        &Routines {
            returning: "nbody",
            leaving: "nbody_into",
        },
        |launch| workload.launched(launch),
        |launch| launch.args((&there, &turning, STEP, &left)),
        &left,
    );
    contest.gpuvm_relaxed(
        runtime,
        &Routines {
            returning: "nbody_relaxed",
            leaving: "nbody_relaxed_into",
        },
        |launch| workload.launched(launch),
        |launch| launch.args((&there, &turning, STEP, &left)),
        &left,
    );
    contest.cuda();
    Ok(contest.finish())
}
