//! Bodies under gravity: fourth-order Runge-Kutta over a generic state, energy and momentum, and a pendulum.

use core::ops::{Add, Mul, Sub};

use gpuvm::prelude::*;

/// What a solver can add and scale.
#[routine]
trait State: Copy {
    fn plus(self, rate: Self, dt: f64) -> Self;
}

/// One step of the classical Runge-Kutta method.
#[routine]
fn runge_kutta<S: State>(state: S, dt: f64, rate: impl Fn(S) -> S) -> S {
    let k1 = rate(state);
    let k2 = rate(state.plus(k1, dt / 2.0));
    let k3 = rate(state.plus(k2, dt / 2.0));
    let k4 = rate(state.plus(k3, dt));
    state
        .plus(k1, dt / 6.0)
        .plus(k2, dt / 3.0)
        .plus(k3, dt / 3.0)
        .plus(k4, dt / 6.0)
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

#[routine]
impl Vec3 {
    fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn length(self) -> f64 {
        self.dot(self).sqrt()
    }
}

#[routine]
impl Add for Vec3 {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
        }
    }
}

#[routine]
impl Sub for Vec3 {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

#[routine]
impl Mul<f64> for Vec3 {
    type Output = Self;

    fn mul(self, by: f64) -> Self {
        Self {
            x: self.x * by,
            y: self.y * by,
            z: self.z * by,
        }
    }
}

#[routine]
impl Mul<Vec3> for f64 {
    type Output = Vec3;

    fn mul(self, vector: Vec3) -> Vec3 {
        vector * self
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
pub struct Body {
    pub position: Vec3,
    pub velocity: Vec3,
    pub mass: f64,
}

#[derive(VmType, Clone, Copy)]
struct System<const N: usize> {
    bodies: [Body; N],
}

#[routine]
impl<const N: usize> State for System<N> {
    fn plus(mut self, rate: Self, dt: f64) -> Self {
        for (body, rate) in self.bodies.iter_mut().zip(rate.bodies) {
            body.position = body.position + rate.position * dt;
            body.velocity = body.velocity + rate.velocity * dt;
        }
        self
    }
}

#[routine]
impl<const N: usize> System<N> {
    fn pairs() -> impl Iterator<Item = (usize, usize)> {
        (0..N).flat_map(|i| (0..i).map(move |j| (i, j)))
    }

    /// The velocities and accelerations.
    fn rate(self) -> Self {
        let mut rate = Self {
            bodies: self.bodies.map(|body| Body {
                position: body.velocity,
                ..Body::default()
            }),
        };
        for (i, j) in Self::pairs() {
            let (a, b) = (&self.bodies[i], &self.bodies[j]);
            let apart = b.position - a.position;
            let pull = apart * (1.0 / apart.length().powi(3));
            rate.bodies[i].velocity = rate.bodies[i].velocity + b.mass * pull;
            rate.bodies[j].velocity = rate.bodies[j].velocity - a.mass * pull;
        }
        rate
    }

    fn energy(&self) -> f64 {
        let kinetic: f64 = self
            .bodies
            .iter()
            .map(|b| 0.5 * b.mass * b.velocity.dot(b.velocity))
            .sum();
        let potential: f64 = Self::pairs()
            .map(|(i, j)| (&self.bodies[i], &self.bodies[j]))
            .map(|(a, b)| a.mass * b.mass / (a.position - b.position).length())
            .sum();
        kinetic - potential
    }

    fn momentum(&self) -> Vec3 {
        self.bodies
            .iter()
            .fold(Vec3::default(), |sum, body| sum + body.mass * body.velocity)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    pub first: Body,
    pub energy_drift: f64,
    pub momentum: f64,
}

/// Three bodies after some steps.
#[routine]
pub fn three_bodies(bodies: [Body; 3], dt: f64, steps: u32) -> Orbit {
    let start = System { bodies };
    let end = (0..steps).fold(start, |system, _| runge_kutta(system, dt, System::rate));
    Orbit {
        first: end.bodies[0],
        energy_drift: ((end.energy() - start.energy()) / start.energy()).abs(),
        momentum: end.momentum().length(),
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Pendulum {
    pub angle: f64,
    pub speed: f64,
}

#[routine]
impl State for Pendulum {
    fn plus(self, rate: Self, dt: f64) -> Self {
        Self {
            angle: self.angle + rate.angle * dt,
            speed: self.speed + rate.speed * dt,
        }
    }
}

/// The time of a full swing from rest at `angle`, where length and gravity are one; not-a-number if it takes over 100.
#[routine]
pub fn pendulum_period(angle: f64, dt: f64) -> f64 {
    let mut state = Pendulum { angle, speed: 0.0 };
    let mut time = 0.0;
    while time < 100.0 {
        let next = runge_kutta(state, dt, |Pendulum { angle, speed }| Pendulum {
            angle: speed,
            speed: -angle.sin(),
        });
        if state.angle > 0.0 && next.angle <= 0.0 {
            // A quarter of it, and a straight line within the step.
            return 4.0 * (time + dt * state.angle / (state.angle - next.angle));
        }
        state = next;
        time += dt;
    }
    f64::NAN
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn figure_eight() {
        let body = |x, y, vx, vy| Body {
            position: Vec3 { x, y, z: 0.0 },
            velocity: Vec3 { x: vx, y: vy, z: 0.0 },
            mass: 1.0,
        };
        let bodies = [
            body(0.97000436, -0.24308753, 0.466203685, 0.43236573),
            body(-0.97000436, 0.24308753, 0.466203685, 0.43236573),
            body(0.0, 0.0, -0.93240737, -0.86473146),
        ];
        // After one period of 6.3259 all are back.
        let orbit = three_bodies(bodies, 6.32591398 / 2000.0, 2000);
        assert!((orbit.first.position - bodies[0].position).length() < 1e-4);
        assert!(orbit.energy_drift < 1e-9 && orbit.momentum < 1e-12);
    }

    #[test]
    fn pendulum() {
        assert!((pendulum_period(0.01, 0.001) - core::f64::consts::TAU).abs() < 1e-3);
        // By the arithmetic-geometric mean: 7.4163 for a right angle.
        assert!((pendulum_period(core::f64::consts::FRAC_PI_2, 0.001) - 7.416_298_7).abs() < 1e-4);
        assert!(pendulum_period(0.0, 0.1).is_nan());
    }
}
