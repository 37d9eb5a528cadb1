//! Functions of every form: `const fn`, functions inside of routines without an attribute of their own, and routines that macros make.

use gpuvm::prelude::*;

cases! {
    const_function, const_methods, const_floats, const_doubles, empty_statements, nested_function, nested_generic, nested_recursion, nested_calls, nested_float, nested_in_method,
    made_inc, made_half, made_pair, made_with_block, callee_float,
}

#[routine]
const fn gcd_by_nested(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[routine]
const fn lcm(a: u32, b: u32) -> u32 {
    match gcd_by_nested(a, b) {
        0 => 0,
        divisor => (a / divisor).wrapping_mul(b),
    }
}

const TABLE: [u32; 3] = [gcd_by_nested(12, 18), lcm(4, 6), gcd_by_nested(0, 7)];

#[routine]
fn const_function(a: u32, b: u32) -> (u32, u32, u32) {
    (gcd_by_nested(a, b), lcm(a % 1000, b % 1000), TABLE[a as usize % 3])
}

#[derive(VmType, Clone, Copy, Debug)]
struct Fixed(i32);

#[routine]
impl Fixed {
    const ONE: Fixed = Fixed::new(1);

    const fn new(whole: i16) -> Fixed {
        Fixed((whole as i32) << 16)
    }

    const fn abs(self) -> Fixed {
        if self.0 < 0 { Fixed(self.0.wrapping_neg()) } else { self }
    }

    const fn squared(self) -> Fixed {
        let half = self.abs();
        Fixed(((half.0 as i64 * half.0 as i64) >> 16) as i32)
    }

    const fn power(self, n: u32) -> i32 {
        (self.0 >> 28).pow(n % 4)
    }
}

const NINE: Fixed = Fixed::new(3).squared();

#[routine]
fn const_methods(a: i32, b: i16, n: u32) -> (Fixed, Fixed, Fixed, i32) {
    (
        Fixed(a).squared(),
        Fixed::new(b),
        if a > 0 { NINE } else { Fixed::ONE },
        Fixed(a).power(n),
    )
}

/// Of doubles and of integers, by the names that floats' methods have.
#[routine]
const fn const_signs(a: f64, b: f64, n: i32) -> (u64, f64, i32, i64, bool) {
    (
        f64::to_bits(a) ^ b.to_bits(),
        a.copysign(b) + f64::max(a, b).min(2.5),
        n.signum() + i32::signum(-7),
        (n as i64).signum(),
        (a - b).is_sign_positive(),
    )
}

#[routine]
fn const_doubles(a: f32, b: f32, n: i32) -> (u64, f64, i32, i64, bool) {
    const_signs(f64::from(a) * 0.0, f64::from(b), n)
}

#[routine]
#[rustfmt::skip]
#[allow(redundant_semicolons, clippy::never_loop)]
fn empty_statements(a: u32) -> u32 {
    ;
    let b = a / 2;;
    if b > 3 {
        ;
    };
    loop { break; }
    b + 1
}

#[routine]
const fn sign_bits(a: f32, b: f32) -> (u32, f32, f32, f32, bool) {
    (
        a.to_bits(),
        a.min(b),
        a.max(b),
        a.copysign(b) + a.signum(),
        b.is_sign_negative(),
    )
}

#[routine]
fn const_floats(a: f32, b: f32) -> (u32, f32, f32, f32, bool) {
    sign_bits(a * 0.0, b)
}

#[routine]
fn nested_function(a: u32, b: u32) -> u32 {
    fn mix(x: u32, y: u32) -> u32 {
        const FACTOR: u32 = 0x9e37_79b9;
        (x ^ y).wrapping_mul(FACTOR) >> 7
    }
    let first = mix(a, b);
    {
        // Another function of that name.
        fn mix(x: u32) -> u32 {
            x.rotate_left(3)
        }
        first ^ mix(b)
    }
}

#[routine]
fn nested_generic(a: u32, b: f32, c: bool) -> (u32, f32) {
    fn choose<T: VmType>(first: bool, a: T, b: T) -> T {
        if first { a } else { b }
    }
    (choose(c, a, 7), choose(!c, b, -1.5))
}

#[routine]
fn nested_recursion(n: u32) -> u32 {
    fn halves(n: u32) -> u32 {
        if n == 0 { 0 } else { 1 + halves(n / 2) }
    }
    fn deep(n: u32) -> u32 {
        if n == 0 { 0 } else { deep(n - 1) + 1 }
    }
    halves(n) + deep(n % 300)
}

#[routine]
fn nested_calls(a: u32) -> u32 {
    fn odd(n: u32) -> bool {
        if n == 0 { false } else { even(n - 1) }
    }
    fn even(n: u32) -> bool {
        if n == 0 { true } else { odd(n - 1) }
    }
    fn both(n: u32) -> u32 {
        fn twice(n: u32) -> u32 {
            2 * n
        }
        if even(n) { twice(n) } else { n }
    }
    both(a % 50)
}

#[routine]
fn nested_float(a: f32) -> (f32, u32) {
    fn wave(x: f32) -> f32 {
        x.sin() * (x * 0.5).cos()
    }
    (wave(a), (a * 0.0).max(-0.0).to_bits())
}

#[routine]
impl Fixed {
    fn nested(self) -> i32 {
        fn low(bits: i32) -> i32 {
            bits & 0xffff
        }
        low(self.0) - low(!self.0)
    }
}

#[routine]
fn nested_in_method(a: i32) -> i32 {
    Fixed(a).nested()
}

/// A routine for an operator.
macro_rules! made {
    ($($name:ident($($parameter:ident: $ty:ty),*) -> $result:ty = $body:expr;)*) => {$(
        #[routine]
        fn $name($($parameter: $ty),*) -> $result {
            let sum = $body;
            sum
        }
    )*};
}
made! {
    made_inc(x: u32) -> u32 = x.wrapping_add(1);
    made_half(x: f32) -> f32 = x * 0.5 + x.cos();
    made_pair(a: u32, b: i32) -> (u32, i32) = { let sum = a / 2; (sum, b.wrapping_abs()) };
}

/// A routine, and a type with methods.
macro_rules! counter {
    ($type:ident, $routine:ident, $of:ty, $step:literal, $body:block) => {
        #[derive(VmType, Clone, Copy, Debug)]
        struct $type {
            count: $of,
        }

        #[routine]
        impl $type {
            fn step(&mut self) -> $of {
                self.count = self.count.wrapping_add($step);
                self.count
            }
        }

        #[routine]
        fn $routine(start: $of) -> ($of, $type) {
            let mut counter = $type { count: start };
            let value = counter.step();
            let extra: $of = $body;
            (value.wrapping_add(extra), counter)
        }
    };
}
counter!(Bytes, made_with_block, u8, 3, {
    let value = 5;
    value * 2
});

#[routine(callee)]
fn wave(x: f32) -> f32 {
    x.sin().exp()
}

#[routine]
fn callee_float(x: f32) -> f32 {
    wave(x)
}
