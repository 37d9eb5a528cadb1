//! Methods of primitives as expressions use them together, and the user's own methods through `#[routine] impl`.
//! Each std method alone, on every type, is the business of the operator tests.

use gpuvm::prelude::*;

cases! {
    float_methods, rounding, float_classes, integer_methods, checked_chain, overflowing_pairs, bits_round_trip, min_max_clamp,
    trigonometry, exponentials, hyperbolic_like, associated_functions, functions_of_expressions, own_methods, method_chains, mutating_methods, associated_constants,
    float_constants, rotations_and_counts, method_on_expressions, trait_method, sign_methods, total_order_free,
}

#[routine]
fn float_methods(a: f32, b: f32) -> f32 {
    a.abs().sqrt() + b.mul_add(a, 1.0) - a.fract() * b.signum()
}

#[routine]
fn rounding(a: f32) -> (f32, f32, f32, f32) {
    (a.floor(), a.ceil(), a.round(), a.trunc())
}

#[routine]
fn float_classes(a: f32) -> (bool, bool, bool, bool) {
    (
        a.is_nan(),
        a.is_finite(),
        a.is_infinite(),
        a.is_sign_negative() && !a.is_nan(),
    )
}

#[routine]
fn integer_methods(a: u32, b: u32) -> u32 {
    a.leading_zeros() * 10_000 + b.trailing_zeros() * 100 + (a ^ b).count_ones() + a.swap_bytes() % 7
}

#[routine]
fn checked_chain(a: i32, b: i32, c: i32) -> Option<i32> {
    a.checked_add(b)?.checked_mul(c)?.checked_sub(1)
}

#[routine]
fn overflowing_pairs(a: i32, b: i32) -> (i32, bool, bool) {
    let (sum, carried) = a.overflowing_add(b);
    let (product, overflowed) = a.overflowing_mul(b);
    (sum ^ product, carried, overflowed)
}

#[routine]
fn bits_round_trip(a: f32, b: u32) -> (u32, f32, f32) {
    let bits = a.to_bits();
    (bits >> 23, f32::from_bits(b), f32::from_bits(bits & 0x7fff_ffff))
}

#[routine]
fn min_max_clamp(a: i32, b: f32, c: u32) -> (i32, f32, u32) {
    (a.min(100).max(-100), b.clamp(-1.0, 1.0), c.clamp(5, 500))
}

#[routine]
fn trigonometry(a: f32) -> (f32, f32, f32) {
    let (s, c) = a.sin_cos();
    (s * s + c * c, a.tan(), a.sin().atan2(a.cos()))
}

#[routine]
fn exponentials(a: f32, b: f32) -> (f32, f32, f32) {
    (a.exp().ln(), b.abs().powf(a % 8.0), b.exp2() + a.abs().log2())
}

#[routine]
fn hyperbolic_like(a: f32, b: f32) -> (f32, f32) {
    (a.hypot(b), (a.clamp(-1.0, 1.0)).asin() + b.tanh())
}

#[routine]
fn associated_functions(a: u32, b: u32, c: f32) -> (u32, u32, f32) {
    (u32::max(a, b), u32::wrapping_add(a, b), f32::sqrt(f32::abs(c)))
}

#[routine]
fn functions_of_expressions(a: f32, b: i32, c: i32) -> (f32, u64, i32, u32) {
    let wide = f64::from(a);
    (
        f32::max(a + 1.0, a * 0.5),
        f64::to_bits(wide - 1.5),
        i32::abs(b / 2 - c / 3),
        u32::count_ones(b as u32 ^ c as u32),
    )
}

#[derive(VmType, Clone, Copy, Debug)]
struct Counter {
    count: u32,
    step: u32,
}

#[routine]
impl Counter {
    const START: u32 = 5;

    fn new(step: u32) -> Self {
        Self {
            count: Self::START,
            step,
        }
    }

    fn advance(&mut self) -> u32 {
        self.count += self.step;
        self.count
    }

    fn advanced(mut self, times: u32) -> Counter {
        for _ in 0..times {
            self.advance();
        }
        self
    }

    fn peek(&self) -> u32 {
        self.count
    }
}

#[routine]
fn own_methods(a: u32, n: u32) -> Counter {
    let mut counter = Counter::new(a % 100);
    counter.advance();
    if counter.peek() % 2 == 0 {
        counter.step = 1;
    }
    counter.advanced(n % 6)
}

#[routine]
fn method_chains(a: u32, n: u32) -> u32 {
    Counter::new(a % 10).advanced(n % 4).advanced(2).peek().pow(2).min(5000)
}

#[routine]
fn mutating_methods(a: u32) -> (u32, u32) {
    let mut counters = [Counter::new(1), Counter { count: a % 50, step: 3 }];
    let first = counters[(a % 2) as usize].advance();
    counters[1].advance();
    (first, counters[0].count * 1000 + counters[1].count)
}

#[routine]
fn associated_constants(a: u32, b: i32) -> (u32, i32, u32) {
    (u32::MAX - a, i32::MIN ^ b, u32::BITS + Counter::START + i64::BITS)
}

#[routine]
fn float_constants(a: f32) -> (f32, f32, bool) {
    let turn = 2.0 * std::f32::consts::PI;
    (
        a * turn,
        f32::MAX - f32::MIN_POSITIVE * a,
        a.abs() < f32::EPSILON || a == f32::INFINITY,
    )
}

#[routine]
fn rotations_and_counts(a: u32, n: u32) -> u32 {
    let x = a.rotate_left(n % 32) ^ a.rotate_right(7);
    x.reverse_bits() + x.leading_ones().min(x.trailing_ones())
}

#[routine]
fn method_on_expressions(a: i32, b: i32) -> u32 {
    (a / 2 - b / 2).unsigned_abs() + a.abs_diff(b) % 100 + (-(b % 5)).rem_euclid(3) as u32
}

trait Measure {
    fn measure(&self) -> f32;
    fn doubled(&self) -> f32;
}

#[routine]
impl Measure for Counter {
    fn measure(&self) -> f32 {
        self.count as f32 / self.step as f32
    }

    fn doubled(&self) -> f32 {
        self.measure() * 2.0
    }
}

#[routine]
fn trait_method(a: u32, b: u32) -> f32 {
    let counter = Counter { count: a, step: b };
    counter.measure() + counter.doubled()
}

#[routine]
fn sign_methods(a: i32, b: f32) -> (i32, f32, bool) {
    (
        a.signum() * 5,
        3.0f32.copysign(b),
        a.is_negative() || a.is_positive() && b.is_sign_positive(),
    )
}

#[routine]
fn total_order_free(a: f32, b: f32) -> (f32, f32, f32) {
    (a.min(b), a.max(b), a.recip() + b.powi(3))
}
