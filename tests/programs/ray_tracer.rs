//! A ray tracer after Whitted (1980): spheres, a floor, shadows, mirrors and glass.

use core::ops::{Add, Mul, Neg, Sub};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Default)]
pub struct Vec3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

#[routine]
impl Vec3 {
    const fn new(x: f32, y: f32, z: f32) -> Self {
        Vec3 { x, y, z }
    }

    fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    fn unit(self) -> Self {
        self * self.length().recip()
    }

    fn reflected(self, normal: Self) -> Self {
        self - normal * (2.0 * self.dot(normal))
    }

    /// `None` in total reflection.
    fn refracted(self, normal: Self, ratio: f32) -> Option<Self> {
        let cos = (-self).dot(normal).min(1.0);
        let k = 1.0 - ratio * ratio * (1.0 - cos * cos);
        (k >= 0.0).then(|| self * ratio + normal * (ratio * cos - k.sqrt()))
    }

    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        Vec3::new(f(self.x), f(self.y), f(self.z))
    }
}

#[routine]
impl Add for Vec3 {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Vec3::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

#[routine]
impl Sub for Vec3 {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Vec3::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

#[routine]
impl Mul<f32> for Vec3 {
    type Output = Self;
    fn mul(self, k: f32) -> Self {
        self.map(|c| c * k)
    }
}

#[routine]
impl Mul for Vec3 {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Vec3::new(self.x * o.x, self.y * o.y, self.z * o.z)
    }
}

#[routine]
impl Neg for Vec3 {
    type Output = Self;
    fn neg(self) -> Self {
        self * -1.0
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Ray {
    origin: Vec3,
    direction: Vec3,
}

#[routine]
impl Ray {
    fn at(&self, t: f32) -> Vec3 {
        self.origin + self.direction * t
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Surface {
    Matt(Vec3),
    Mirror { tint: Vec3 },
    Glass { index: f32 },
    Checked(Vec3, Vec3),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Hit<'s> {
    t: f32,
    point: Vec3,
    normal: Vec3,
    surface: &'s Surface,
}

#[routine]
trait Shape {
    fn distance(&self, ray: &Ray) -> Option<f32>;
    fn normal(&self, point: Vec3) -> Vec3;
    fn surface(&self) -> &Surface;

    fn hit(&self, ray: &Ray) -> Option<Hit> {
        let t = self.distance(ray).filter(|&t| t > 1e-3)?;
        let point = ray.at(t);
        Some(Hit {
            t,
            point,
            normal: self.normal(point),
            surface: self.surface(),
        })
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Sphere {
    centre: Vec3,
    radius: f32,
    surface: Surface,
}

#[routine]
impl Shape for Sphere {
    fn distance(&self, ray: &Ray) -> Option<f32> {
        let to = ray.origin - self.centre;
        let half = to.dot(ray.direction);
        let root = half * half - to.dot(to) + self.radius * self.radius;
        if root < 0.0 {
            return None;
        }
        let root = root.sqrt();
        [-half - root, -half + root].into_iter().find(|&t| t > 1e-3)
    }

    fn normal(&self, point: Vec3) -> Vec3 {
        (point - self.centre) * (1.0 / self.radius)
    }

    fn surface(&self) -> &Surface {
        &self.surface
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Floor {
    height: f32,
    surface: Surface,
}

#[routine]
impl Shape for Floor {
    fn distance(&self, ray: &Ray) -> Option<f32> {
        (ray.direction.y.abs() > f32::EPSILON).then(|| (self.height - ray.origin.y) / ray.direction.y)
    }

    fn normal(&self, _point: Vec3) -> Vec3 {
        Vec3::new(0.0, 1.0, 0.0)
    }

    fn surface(&self) -> &Surface {
        &self.surface
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Scene<const N: usize> {
    spheres: [Sphere; N],
    floor: Floor,
    light: Vec3,
}

#[routine]
impl<const N: usize> Scene<N> {
    fn nearest(&self, ray: &Ray) -> Option<Hit> {
        self.spheres
            .iter()
            .filter_map(|sphere| sphere.hit(ray))
            .chain(self.floor.hit(ray))
            .min_by(|a, b| a.t.total_cmp(&b.t))
    }

    fn is_lit(&self, point: Vec3) -> bool {
        let to = self.light - point;
        let ray = Ray {
            origin: point,
            direction: to.unit(),
        };
        self.nearest(&ray).is_none_or(|hit| hit.t > to.length())
    }

    fn shade(&self, hit: &Hit, colour: Vec3) -> Vec3 {
        let ambient = 0.15;
        let lit = if self.is_lit(hit.point) {
            hit.normal.dot((self.light - hit.point).unit()).max(0.0)
        } else {
            0.0
        };
        colour * (ambient + (1.0 - ambient) * lit)
    }

    fn trace(&self, ray: Ray, depth: u32) -> Vec3 {
        let Some(hit) = self.nearest(&ray).filter(|_| depth > 0) else {
            let blend = 0.5 * (ray.direction.y + 1.0);
            return Vec3::new(1.0, 1.0, 1.0) * (1.0 - blend) + Vec3::new(0.5, 0.7, 1.0) * blend;
        };
        let follow = |direction: Vec3| {
            self.trace(
                Ray {
                    origin: hit.point,
                    direction: direction.unit(),
                },
                depth - 1,
            )
        };
        match *hit.surface {
            Surface::Matt(colour) => self.shade(&hit, colour),
            Surface::Checked(a, b) => {
                let even = (hit.point.x.floor() as i32 + hit.point.z.floor() as i32) & 1 == 0;
                self.shade(&hit, if even { a } else { b })
            }
            Surface::Mirror { tint } => tint * follow(ray.direction.reflected(hit.normal)),
            Surface::Glass { index } => {
                let outside = ray.direction.dot(hit.normal) < 0.0;
                let (normal, ratio) = if outside {
                    (hit.normal, 1.0 / index)
                } else {
                    (-hit.normal, index)
                };
                let direction = ray
                    .direction
                    .refracted(normal, ratio)
                    .unwrap_or_else(|| ray.direction.reflected(normal));
                follow(direction)
            }
        }
    }
}

const SCENE: Scene<3> = Scene {
    spheres: [
        Sphere {
            centre: Vec3::new(0.0, 1.0, 6.0),
            radius: 1.0,
            surface: Surface::Matt(Vec3::new(0.9, 0.2, 0.2)),
        },
        Sphere {
            centre: Vec3::new(-2.0, 1.0, 5.0),
            radius: 1.0,
            surface: Surface::Mirror {
                tint: Vec3::new(0.9, 0.9, 0.9),
            },
        },
        Sphere {
            centre: Vec3::new(1.5, 0.8, 4.0),
            radius: 0.8,
            surface: Surface::Glass { index: 1.5 },
        },
    ],
    floor: Floor {
        height: 0.0,
        surface: Surface::Checked(Vec3::new(0.8, 0.8, 0.8), Vec3::new(0.1, 0.1, 0.1)),
    },
    light: Vec3::new(-3.0, 6.0, 0.0),
};

/// The colour of a pixel, as 0xrrggbb.
#[routine]
pub fn ray_trace(x: u32, y: u32, size: u32) -> u32 {
    let [u, v] = [x, y].map(|c| (c as f32 + 0.5) / size as f32 * 2.0 - 1.0);
    let ray = Ray {
        origin: Vec3::new(0.0, 1.0, 0.0),
        direction: Vec3::new(u, -v, 2.0).unit(),
    };
    let Vec3 { x: r, y: g, z: b } = SCENE.trace(ray, 4).map(|c| c.clamp(0.0, 1.0).sqrt());
    [r, g, b].iter().fold(0, |rgb, c| rgb << 8 | (c * 255.0 + 0.5) as u32)
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn pixels() {
        let sky = ray_trace(8, 0, 16);
        assert!(sky & 0xff > sky >> 16, "the sky is blue");
        let red = ray_trace(8, 8, 16);
        assert!(red >> 16 > 2 * (red & 0xff), "the ball is red");
        let floor = [0, 3, 6, 9, 12, 15].map(|x| ray_trace(x, 15, 16));
        assert!(floor.iter().any(|&c| c != floor[0]), "the floor is checked");
    }
}
