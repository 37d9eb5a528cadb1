//! Gradient noise in two and three dimensions, its octaves, and a height map with contours made of it.

use gpuvm::prelude::*;

/// The permutation is shuffled by a seed, and doubled so that no index has to wrap.
#[derive(VmType, Clone, Copy)]
pub struct Noise {
    table: [u8; 512],
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Octaves {
    pub count: u8,
    pub gain: f32,
    pub lacunarity: f32,
}

impl Default for Octaves {
    fn default() -> Self {
        Self {
            count: 4,
            gain: 0.5,
            lacunarity: 2.0,
        }
    }
}

#[routine]
const fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[routine]
fn lerp(t: f32, a: f32, b: f32) -> f32 {
    a + t * (b - a)
}

#[routine]
fn gradient<const N: usize>(hash: u8, at: [f32; N]) -> f32 {
    match (hash & 15, at.as_slice()) {
        (h, &[x, y]) => {
            let (u, v) = if h & 4 == 0 { (x, y) } else { (y, x) };
            (if h & 1 == 0 { u } else { -u }) + 2.0 * (if h & 2 == 0 { v } else { -v })
        }
        (h, &[x, y, z]) => {
            let u = if h < 8 { x } else { y };
            let v = match h {
                0..=3 => y,
                12 | 14 => x,
                _ => z,
            };
            (if h & 1 == 0 { u } else { -u }) + (if h & 2 == 0 { v } else { -v })
        }
        _ => 0.0,
    }
}

#[routine]
impl Noise {
    pub fn new(seed: u32) -> Self {
        let mut table: [u8; 512] = core::array::from_fn(|i| i as u8);
        let mut state = seed | 1;
        for i in (1..256).rev() {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            table.swap(i, state as usize % (i + 1));
        }
        let (first, second) = table.split_at_mut(256);
        second.copy_from_slice(first);
        Noise { table }
    }

    fn hash(&self, x: i32, rest: u8) -> u8 {
        self.table[(x & 255) as usize + rest as usize]
    }

    pub fn at2(&self, x: f32, y: f32) -> f32 {
        let (xi, yi) = (x.floor() as i32, y.floor() as i32);
        let (xf, yf) = (x - x.floor(), y - y.floor());
        let corner = |dx: i32, dy: i32| {
            let hash = self.hash(xi + dx, self.hash(yi + dy, 0));
            gradient(hash, [xf - dx as f32, yf - dy as f32])
        };
        let [u, v] = [xf, yf].map(fade);
        lerp(
            v,
            lerp(u, corner(0, 0), corner(1, 0)),
            lerp(u, corner(0, 1), corner(1, 1)),
        )
    }

    pub fn at3(&self, p: [f32; 3]) -> f32 {
        let cell = p.map(|c| c.floor() as i32);
        let inside: [f32; 3] = core::array::from_fn(|i| p[i] - p[i].floor());
        let [u, v, w] = inside.map(fade);
        let mut corners = [0.0; 8];
        for (i, corner) in corners.iter_mut().enumerate() {
            let d = [i & 1, i >> 1 & 1, i >> 2];
            let hash = (0..3)
                .rev()
                .fold(0, |hash, axis| self.hash(cell[axis] + d[axis] as i32, hash));
            let mut at = inside;
            at.iter_mut().zip(d).for_each(|(a, d)| *a -= d as f32);
            *corner = gradient(hash, at);
        }
        let mut pairs = corners.chunks_exact(2).map(|pair| lerp(u, pair[0], pair[1]));
        let mut next = || pairs.next().unwrap_or_default();
        let (low, high) = ([next(), next()], [next(), next()]);
        lerp(w, lerp(v, low[0], low[1]), lerp(v, high[0], high[1]))
    }

    pub fn fractal(&self, x: f32, y: f32, octaves: Octaves) -> f32 {
        let Octaves {
            count,
            gain,
            lacunarity,
        } = octaves;
        let waves = core::iter::successors(Some((1.0f32, 1.0f32)), |(size, at)| {
            Some((size * gain, at * lacunarity))
        });
        let (sum, total) = waves.take(count.into()).fold((0.0, 0.0), |(sum, total), (size, at)| {
            (sum + size * self.at2(x * at, y * at), total + size)
        });
        if total > 0.0 { sum / total } else { 0.0 }
    }
}

/// A row of a height map in letters, and how many contours it crosses.
#[routine]
pub fn contour_row(seed: u32, row: u32, out: &mut [u8]) -> u32 {
    const LEVELS: &[u8] = b"~.,:-=+*#%";
    let noise = Noise::new(seed);
    let octaves = Octaves {
        count: 3,
        ..Octaves::default()
    };
    let mut last = None;
    let mut crossed = 0;
    for (i, cell) in out.iter_mut().enumerate() {
        let height = noise.fractal(i as f32 * 0.13, row as f32 * 0.17 + 0.5, octaves);
        let level = ((height * 0.5 + 0.5) * LEVELS.len() as f32) as usize;
        *cell = LEVELS[level.min(LEVELS.len() - 1)];
        crossed += u32::from(last.is_some_and(|last: usize| last != level));
        last = Some(level);
    }
    crossed
}

#[routine]
pub fn noise_volume(seed: u32, p: [f32; 3]) -> [f32; 2] {
    let noise = Noise::new(seed);
    [noise.at3(p), noise.at2(p[0], p[1])]
}

pub fn known() {
    let noise = Noise::new(7);
    assert_eq!(noise.at2(3.0, 5.0), 0.0);
    assert_eq!(noise.at3([1.0, 2.0, -3.0]), 0.0);
    assert!((0..100).all(|i| noise.at2(i as f32 * 0.37, 0.4).abs() <= 3.0));
    let mut row = [0; 40];
    assert!(contour_row(7, 3, &mut row) < 40 && row.iter().all(|b| b"~.,:-=+*#%".contains(b)));
    assert_eq!(noise_volume(1, [0.0; 3]), [0.0, 0.0]);
}
