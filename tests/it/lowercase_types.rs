//! Types whose names look as those of modules and functions do.

#![allow(non_camel_case_types)]

use gpuvm::prelude::*;

cases! {
    few:
    lowercase_wide, lowercase_vectors, lowercase_aliases,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct u96 {
    words: [u32; 3],
}

#[routine]
impl u96 {
    const ZERO: u96 = u96 { words: [0; 3] };

    fn new(low: u32) -> u96 {
        u96 { words: [low, 0, 0] }
    }

    fn add(self, other: u96) -> u96 {
        let mut sum = u96::ZERO;
        let mut carry = false;
        for i in 0..3 {
            let (word, first) = self.words[i].overflowing_add(other.words[i]);
            let (word, second) = word.overflowing_add(carry as u32);
            sum.words[i] = word;
            carry = first | second;
        }
        sum
    }
}

#[routine]
impl From<u32> for u96 {
    fn from(low: u32) -> u96 {
        u96::new(low)
    }
}

#[routine]
fn lowercase_wide(a: u32, b: u32) -> (u96, u96) {
    let sum = u96::new(a).add(u96::new(b));
    (sum, [a, b].map(u96::from).into_iter().fold(sum, u96::add))
}

mod shapes {
    use gpuvm::prelude::*;

    #[derive(VmType, Clone, Copy, Debug, PartialEq, Default)]
    pub struct vec2 {
        pub x: f32,
        pub y: f32,
    }

    #[routine]
    impl vec2 {
        pub const ONE: vec2 = vec2 { x: 1.0, y: 1.0 };

        pub fn new(x: f32, y: f32) -> vec2 {
            vec2 { x, y }
        }

        pub fn dot(a: vec2, b: vec2) -> f32 {
            a.x * b.x + a.y * b.y
        }
    }

    #[routine]
    pub fn splat(x: f32) -> vec2 {
        vec2::new(x, x)
    }
}

use shapes::vec2;

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct metres(f32);

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum shape {
    Empty,
    Circle(metres),
}

#[routine]
fn lowercase_vectors(a: f32, b: u32) -> (f32, f32, shape, [metres; 2]) {
    let v = vec2::new(a, 2.0);
    let shape = if b % 2 == 0 {
        shape::Empty
    } else {
        shape::Circle(metres(a))
    };
    let radius = match shape {
        shape::Empty => 0.0,
        shape::Circle(metres(r)) => r,
    };
    (
        vec2::dot(v, shapes::vec2::new(radius, 1.0)) + shapes::splat(a).y,
        vec2::ONE.x + shapes::vec2::ONE.y + vec2::default().x,
        shape,
        [a, radius].map(metres),
    )
}

type real = f32;
type word = u32;

mod units {
    pub type Length = f32;
    pub type Count = u64;
}

use units::{Count, Length};

#[routine]
fn lowercase_aliases(a: f32, b: u32) -> (real, word, word, Length, Count) {
    (
        real::max(a, real::sqrt(2.0)) + real::MAX.min(a),
        word::rotate_left(b, 3),
        word::MAX ^ word::from(b as u8) ^ word::from_le_bytes([b as u8, 1, 2, 3]) ^ real::from_bits(b).to_bits(),
        Length::sqrt(2.0) + Length::max(-1.0, 1.0) + Length::mul_add(1.5, 2.0, a) + <Length>::abs(-2.5),
        Count::pow(3, 7) ^ Count::rotate_left(5, 61) ^ Count::min(9, b as Count),
    )
}
