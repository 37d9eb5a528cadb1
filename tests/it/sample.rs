//! Inputs for the cases: the edge values of every type crossed with each other, small values, and seeded random bits.

use std::fmt::Debug;
use std::num::Wrapping;

use gpuvm::Dispatch;
use gpuvm::prelude::*;

/// An engine, how its submissions follow each other, and whether all VMs that trap are to be told.
#[derive(Clone, Copy)]
pub struct Way {
    pub engine: Engine,
    pub dispatch: Dispatch,
    pub all_traps: bool,
}

/// How many VMs a case runs.
pub const VMS: usize = 1024;

/// A type that a column of inputs can have.
pub trait Sample: VmType + Debug {
    /// The values where implementations go wrong.
    fn edges() -> Vec<Self>;

    /// Any value; small ones are as likely as wide ones.
    fn random(rng: &mut Rng) -> Self;
}

/// SplitMix64: small, seeded, and the same on every machine.
pub struct Rng(u64);

impl Rng {
    /// A generator for a name, so that each case has its own inputs and keeps them.
    pub fn named(name: &str) -> Rng {
        Rng(name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        }))
    }

    /// 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// One of the values.
    fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Sample for $ty {
            fn edges() -> Vec<Self> {
                let high = $ty::MAX / 2 + 1;
                let mut edges = vec![0, 1, 2, 3, 7, 31, 32, 63, 64, $ty::MAX, $ty::MAX - 1, $ty::MIN, $ty::MIN + 1, high, high - 1];
                // All ones: −1 for a signed type.
                edges.push(!0);
                edges
            }

            fn random(rng: &mut Rng) -> Self {
                let bits = rng.next();
                match bits >> 62 {
                    // Small, on both sides of 0 where there are two.
                    0 => (bits % 24) as $ty,
                    1 if $ty::MIN != 0 => (0 as $ty).wrapping_sub((bits % 24) as $ty),
                    // Of random magnitude.
                    2 => ((bits as $ty) & $ty::MAX) >> (bits >> 40) as u32 % $ty::BITS,
                    _ => bits as $ty,
                }
            }
        }

        impl Sample for Wrapping<$ty> {
            fn edges() -> Vec<Self> {
                $ty::edges().into_iter().map(Wrapping).collect()
            }

            fn random(rng: &mut Rng) -> Self {
                Wrapping($ty::random(rng))
            }
        }
    )*};
}
integers! { u32 i32 u64 i64 u8 i8 u16 i16 }

macro_rules! wide_integers {
    ($($ty:ident)*) => {$(
        impl Sample for $ty {
            fn edges() -> Vec<Self> {
                let mut edges = vec![0, 1, 2, 3, 10, 64, 127, $ty::MAX, $ty::MAX - 1, $ty::MIN, $ty::MIN + 1, !0];
                for bit in [31, 32, 63, 64, 95, 96, 126] {
                    edges.extend([(1 << bit) - 1, 1 << bit, !(1 << bit)]);
                }
                edges
            }

            fn random(rng: &mut Rng) -> Self {
                let (bits, low) = (rng.next(), rng.next());
                let wide = ((bits as u128) << 64 | low as u128) as $ty;
                match bits >> 62 {
                    0 => low as u8 as $ty,
                    // Of random magnitude.
                    1 => wide >> (low >> 40) as u32 % $ty::BITS,
                    2 => low as $ty,
                    _ => wide,
                }
            }
        }

        impl Sample for Wrapping<$ty> {
            fn edges() -> Vec<Self> {
                $ty::edges().into_iter().map(Wrapping).collect()
            }

            fn random(rng: &mut Rng) -> Self {
                Wrapping($ty::random(rng))
            }
        }
    )*};
}
wide_integers! { u128 i128 }

impl Sample for bool {
    fn edges() -> Vec<Self> {
        vec![false, true]
    }

    fn random(rng: &mut Rng) -> Self {
        rng.next() & 1 == 1
    }
}

impl Sample for char {
    fn edges() -> Vec<Self> {
        "\0\t\n 09AFGZ_afgz~\u{7f}\u{80}\u{9f}\u{a0}\u{7ff}\u{800}\u{1680}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}"
            .chars()
            .collect()
    }

    fn random(rng: &mut Rng) -> Self {
        let bits = rng.next() as u32;
        let most = if bits >> 30 == 0 { 0x11_0000 } else { 128 };
        char::from_u32(bits % most).unwrap_or('x')
    }
}

impl Sample for f32 {
    fn edges() -> Vec<Self> {
        let mut edges = vec![
            0.0,
            1.0,
            0.5,
            1.5,
            2.5,
            3.0,
            1.0e-10,
            16_777_215.0,
            16_777_217.0,
            8_388_607.5,
            2.0f32.powi(31),
            2.0f32.powi(32),
            2.0f32.powi(63),
            2.0f32.powi(64),
            1.0e38,
            f32::MAX,
            f32::MIN_POSITIVE,
            f32::from_bits(1),
            f32::from_bits(0x007f_ffff),
            f32::EPSILON,
            std::f32::consts::FRAC_PI_2,
            88.8,
            f32::INFINITY,
        ];
        let negative: Vec<f32> = edges.iter().map(|x| -x).collect();
        edges.extend(negative);
        edges.push(f32::NAN);
        edges
    }

    fn random(rng: &mut Rng) -> Self {
        let bits = rng.next();
        match bits >> 62 {
            0 => f32::from_bits(bits as u32),
            1 => (bits % 41) as f32 - 20.0,
            2 => (bits as u32 as f32 / u32::MAX as f32 - 0.5) * 8.0,
            _ => (bits as i32) as f32 / 1024.0,
        }
    }
}

impl Sample for f64 {
    fn edges() -> Vec<Self> {
        let mut edges = vec![
            0.0,
            1.0,
            0.5,
            1.5,
            2.5,
            0.1,
            1.0e-10,
            4_503_599_627_370_495.5,
            9_007_199_254_740_993.0,
            2.0f64.powi(31),
            2.0f64.powi(32),
            2.0f64.powi(63),
            2.0f64.powi(64),
            2.0f64.powi(127),
            f64::from(f32::MAX),
            1.0e-40,
            1.0e-46,
            1.0e300,
            f64::MAX,
            f64::MIN_POSITIVE,
            f64::from_bits(1),
            f64::from_bits((1 << 52) - 1),
            f64::EPSILON,
            std::f64::consts::FRAC_PI_2,
            709.8,
            f64::INFINITY,
        ];
        let negative: Vec<f64> = edges.iter().map(|x| -x).collect();
        edges.extend(negative);
        edges.push(f64::NAN);
        edges
    }

    fn random(rng: &mut Rng) -> Self {
        let (bits, how) = (rng.next(), rng.next());
        match how >> 62 {
            0 => f64::from_bits(bits),
            1 => (bits % 41) as f64 - 20.0,
            2 => (bits as f64 / u64::MAX as f64 - 0.5) * 8.0,
            _ => (bits as i64) as f64 / 1024.0,
        }
    }
}

impl<T: Sample, const N: usize> Sample for [T; N]
where
    [T; N]: VmType,
{
    fn edges() -> Vec<Self> {
        T::edges().into_iter().map(|edge| [edge; N]).collect()
    }

    fn random(rng: &mut Rng) -> Self {
        std::array::from_fn(|_| T::random(rng))
    }
}

impl<T: Sample> Sample for Option<T>
where
    Option<T>: VmType,
{
    fn edges() -> Vec<Self> {
        std::iter::once(None).chain(T::edges().into_iter().map(Some)).collect()
    }

    fn random(rng: &mut Rng) -> Self {
        if rng.below(4) == 0 { None } else { Some(T::random(rng)) }
    }
}

impl<A: Sample, B: Sample> Sample for (A, B)
where
    (A, B): VmType,
{
    fn edges() -> Vec<Self> {
        let seconds = B::edges();
        A::edges()
            .into_iter()
            .enumerate()
            .map(|(i, a)| (a, seconds[i % seconds.len()]))
            .collect()
    }

    fn random(rng: &mut Rng) -> Self {
        (A::random(rng), B::random(rng))
    }
}

/// The inputs of one VM: a tuple with one entry a parameter.
pub trait Row: Copy + Debug {
    /// Rows for [`VMS`] VMs or so: as many crossed edges as fit in half of them, then mixtures of edges and random values.
    fn rows(rng: &mut Rng) -> Vec<Self>;

    /// Starts a launch of the rows as columns.
    fn launch(rows: &[Self], runtime: &Runtime, id: &str, way: Way) -> gpuvm::Result<gpuvm::Done>;
}

macro_rules! rows {
    ($($($T:ident $values:ident $i:tt),*;)*) => {$(
        impl<$($T: Sample),*> Row for ($($T,)*)
        where
            $(for<'a> &'a Vec<$T>: gpuvm::IntoArg<'a>,)*
        {
            fn rows(rng: &mut Rng) -> Vec<Self> {
                $(let $values = $T::edges();)*
                let crossed = 1 $(* $values.len())*;
                let mut rows = Vec::with_capacity(VMS);
                for k in 0..crossed.min(VMS / 2) {
                    let mut at = if crossed <= VMS / 2 { k } else { rng.below(crossed) };
                    rows.push(($({
                        let edge = $values[at % $values.len()];
                        at /= $values.len();
                        edge
                    },)*));
                    let _ = at;
                }
                while rows.len() < VMS {
                    rows.push(($(if rng.below(5) == 0 { rng.pick(&$values) } else { $T::random(rng) },)*));
                }
                rows
            }

            fn launch(rows: &[Self], runtime: &Runtime, id: &str, way: Way) -> gpuvm::Result<gpuvm::Done> {
                $(let mut $values = Vec::with_capacity(rows.len());)*
                for row in rows {
                    $($values.push(row.$i);)*
                }
                runtime.launch(id)?.args(($(&$values,)*)).engine(way.engine).dispatch(way.dispatch).all_traps(way.all_traps).run()
            }
        }
    )*};
}
rows! {
    A a 0;
    A a 0, B b 1;
    A a 0, B b 1, C c 2;
    A a 0, B b 1, C c 2, D d 3;
    A a 0, B b 1, C c 2, D d 3, E e 4;
}
