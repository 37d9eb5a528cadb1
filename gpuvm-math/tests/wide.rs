//! The 128-bit routines against the CPU's own integers: all pairs of edges, and random numbers of random lengths.

use gpuvm_math as math;

/// SplitMix64.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Any number; short ones, and ones with long runs of equal bits, as likely as others.
    fn wide(&mut self) -> u128 {
        let bits = u128::from(self.next()) << 64 | u128::from(self.next());
        let by = self.next();
        let value = bits >> (by % 128);
        match by >> 62 {
            0 => !value,
            1 => value ^ (u128::MAX << (by >> 8 & 127)),
            _ => value,
        }
    }
}

fn edges() -> Vec<u128> {
    let mut edges = vec![0, 1, 2, 3, 10];
    for bit in [31, 32, 33, 63, 64, 65, 95, 96, 103, 104, 105, 126, 127] {
        let power = 1u128 << bit;
        edges.extend([power - 1, power, power + 1, !power]);
    }
    edges.extend([u128::MAX, u128::MAX - 1, i128::MIN as u128 + 1]);
    edges
}

fn check(a: u128, b: u128) {
    let (x, y) = (a as i128, b as i128);
    assert_eq!(math::mul_u128(a, b), a.wrapping_mul(b), "{a} * {b}");
    assert_eq!(math::overflowing_mul_u128(a, b), a.overflowing_mul(b), "{a} * {b}");
    assert_eq!(math::overflowing_mul_i128(x, y), x.overflowing_mul(y), "{x} * {y}");
    assert_eq!(math::div_u128(a, b), a.checked_div(b).unwrap_or(0), "{a} / {b}");
    assert_eq!(math::rem_u128(a, b), a.checked_rem(b).unwrap_or(0), "{a} % {b}");
    if y == 0 {
        assert_eq!((math::div_i128(x, y), math::rem_i128(x, y)), (0, 0));
    } else {
        assert_eq!(math::div_i128(x, y), x.wrapping_div(y), "{x} / {y}");
        assert_eq!(math::rem_i128(x, y), x.wrapping_rem(y), "{x} % {y}");
    }
    let by = b as u32;
    assert_eq!(math::shl_u128(a, by), a.wrapping_shl(by), "{a} << {by}");
    assert_eq!(math::shr_u128(a, by), a.wrapping_shr(by), "{a} >> {by}");
    assert_eq!(math::shr_i128(x, by), x.wrapping_shr(by), "{x} >> {by}");
    assert_eq!(math::u128_to_f32(a).to_bits(), (a as f32).to_bits(), "{a}");
    assert_eq!(math::i128_to_f32(x).to_bits(), (x as f32).to_bits(), "{x}");
    let float = f32::from_bits(b as u32);
    assert_eq!(math::f32_to_u128(float), float as u128, "{float}");
    assert_eq!(math::f32_to_i128(float), float as i128, "{float}");
    let float = a as f32;
    assert_eq!(math::f32_to_u128(float), float as u128, "{float}");
    assert_eq!(math::f32_to_i128(-float), -float as i128, "{float}");
}

#[test]
fn edges_are_right() {
    let edges = edges();
    for &a in &edges {
        assert_eq!(u128::from(math::isqrt_u128(a)), a.isqrt(), "{a}");
        for &b in &edges {
            check(a, b);
        }
    }
}

#[test]
fn random_numbers_are_right() {
    let mut rng = Rng(128);
    for _ in 0..500_000 {
        let a = rng.wide();
        check(a, rng.wide());
        check(a, rng.wide() % 200);
    }
    for _ in 0..50_000 {
        let a = rng.wide();
        let exponent = (rng.next() as u32 % 130) >> (rng.next() % 8);
        assert_eq!(
            math::pow_u128(a, exponent),
            a.overflowing_pow(exponent),
            "{a} ^ {exponent}"
        );
        assert_eq!(
            math::pow_i128(a as i128, exponent),
            (a as i128).overflowing_pow(exponent)
        );
        assert_eq!(u128::from(math::isqrt_u128(a)), a.isqrt(), "{a}");
    }
}
