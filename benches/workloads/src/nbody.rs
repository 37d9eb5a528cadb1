//! N-body: one step of bodies that attract each other, all pairs.
//!
//! gpuvm reads the bodies from the slice that all VMs share. The WGSL brings them to workgroup memory tile by tile and has an
//! instruction for 1/√x; CubeCL's kernel does the same. Their floats are near the judge's.

use gpuvm::{Launch, routine, vm};
use rayon::prelude::*;

use crate::{Argument, Size, Workload};

/// What is added to squared distances, so that near bodies do not fly off.
const SOFTENING: f32 = 1e-2;
/// How long a step takes.
pub const STEP: f32 = 0.1;
/// How far off a coordinate may be where floats are not exact.
pub const NEAR: f32 = 1e-4;

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
pub fn nbody_into(bodies: &[[f32; 4]], velocity: [f32; 4], step: f32, moved: &mut [f32; 8]) {
    *moved = body(bodies, vm::id(), velocity, step);
}

/// The same with floats as the device likes them.
#[routine(relaxed)]
pub fn nbody_relaxed(bodies: &[[f32; 4]], velocity: [f32; 4], step: f32) -> [f32; 8] {
    body(bodies, vm::id(), velocity, step)
}

/// The same, left in a buffer.
#[routine(relaxed)]
pub fn nbody_relaxed_into(bodies: &[[f32; 4]], velocity: [f32; 4], step: f32, moved: &mut [f32; 8]) {
    *moved = body(bodies, vm::id(), velocity, step);
}

/// Bodies in a ball, turning.
pub struct Galaxy {
    /// Their positions and masses.
    pub bodies: Vec<[f32; 4]>,
    /// Their velocities.
    pub velocities: Vec<[f32; 4]>,
}

impl From<Size> for Galaxy {
    fn from(size: Size) -> Galaxy {
        let count: u32 = size.pick(256, 16_384);
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        let bodies: Vec<_> = (0..count)
            .map(|_| [random(), random(), random(), 1.0 / count as f32])
            .collect();
        let velocities = bodies.iter().map(|[x, y, ..]| [-0.5 * y, 0.5 * x, 0.0, 0.0]).collect();
        Galaxy { bodies, velocities }
    }
}

impl Workload for Galaxy {
    type Output = [f32; 8];

    const RETURNING: &'static str = "nbody";

    fn amount(&self) -> String {
        format!("{} bodies, one step", self.bodies.len())
    }

    fn native(&self) -> Vec<[f32; 8]> {
        let step = |me: u32| body(&self.bodies, me, self.velocities[me as usize], STEP);
        (0..self.bodies.len() as u32).into_par_iter().map(step).collect()
    }

    fn launched<'l>(&'l self, launch: Launch<'l>) -> Launch<'l> {
        launch.args((&self.bodies, &self.velocities, STEP))
    }

    fn arguments(&self) -> Vec<Argument> {
        vec![
            Argument::Slice(self.bodies.len()),
            Argument::Column,
            Argument::Value(vec![STEP.to_bits()]),
        ]
    }
}
