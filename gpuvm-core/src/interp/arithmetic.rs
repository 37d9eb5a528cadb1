//! The meaning of every operation that only computes: words in, words out. The interpreter runs by it, the linker folds
//! constants by it, and every engine is tested against it.

use crate::isa::Op;

/// What an operation computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// The word, or the low word of a pair.
    pub low: u32,
    /// The high word of a pair, 0 where there is none.
    pub high: u32,
}

/// Computes a linear or oracle operation. The inputs stand in the order of the operands: a word and a constant are one input, a
/// pair two, low word first. `None` for operations that do more than compute, for [`Op::Affine`], and for a wrong
/// number of inputs.
pub fn fold(op: Op, inputs: &[u32]) -> Option<Outputs> {
    if let Some(low) = word(op, inputs) {
        return Some(Outputs { low, high: 0 });
    }
    let value = long(op, inputs)?;
    Some(Outputs {
        low: value as u32,
        high: (value >> 32) as u32,
    })
}

/// Operations whose result is one word.
fn word(op: Op, inputs: &[u32]) -> Option<u32> {
    Some(match (op, inputs) {
        (Op::Mov | Op::Imm, &[a]) => a,
        (Op::Add | Op::AddImm, &[a, b]) => a.wrapping_add(b),
        (Op::Sub, &[a, b]) => a.wrapping_sub(b),
        (Op::Neg, &[a]) => a.wrapping_neg(),
        (Op::Mul | Op::MulImm, &[a, b]) => a.wrapping_mul(b),
        (Op::Xor | Op::XorImm, &[a, b]) => a ^ b,
        (Op::And | Op::AndImm, &[a, b]) => a & b,
        (Op::Or | Op::OrImm, &[a, b]) => a | b,
        (Op::Shl | Op::ShlImm, &[a, b]) => a.wrapping_shl(b),
        (Op::Shr | Op::ShrImm, &[a, b]) => a.wrapping_shr(b),
        (Op::Sar | Op::SarImm, &[a, b]) => (a as i32).wrapping_shr(b) as u32,
        (Op::Rotl | Op::RotlImm, &[a, b]) => a.rotate_left(b % 32),
        (Op::ByteSwap, &[a]) => a.swap_bytes(),
        (Op::BitReverse, &[a]) => a.reverse_bits(),

        (Op::MulHighU, &[a, b]) => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        (Op::MulHighS, &[a, b]) => ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32,
        (Op::DivU, &[a, b]) => a.checked_div(b).unwrap_or(0),
        (Op::RemU, &[a, b]) => a.checked_rem(b).unwrap_or(0),
        (Op::DivS | Op::RemS, &[_, 0]) => 0,
        (Op::DivS, &[a, b]) => (a as i32).wrapping_div(b as i32) as u32,
        (Op::RemS, &[a, b]) => (a as i32).wrapping_rem(b as i32) as u32,
        (Op::MinU, &[a, b]) => a.min(b),
        (Op::MaxU, &[a, b]) => a.max(b),
        (Op::MinS, &[a, b]) => (a as i32).min(b as i32) as u32,
        (Op::MaxS, &[a, b]) => (a as i32).max(b as i32) as u32,
        (Op::Clz, &[a]) => a.leading_zeros(),
        (Op::Ctz, &[a]) => a.trailing_zeros(),
        (Op::Popcount, &[a]) => a.count_ones(),
        (Op::Eq, &[a, b]) => (a == b).into(),
        (Op::Ne, &[a, b]) => (a != b).into(),
        (Op::LtU, &[a, b]) => (a < b).into(),
        (Op::LtS, &[a, b]) => ((a as i32) < b as i32).into(),
        (Op::LeU, &[a, b]) => (a <= b).into(),
        (Op::LeS, &[a, b]) => (a as i32 <= b as i32).into(),
        (Op::Select, &[a, b, c]) => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        (Op::AddOverS, &[a, b]) => (a as i32).checked_add(b as i32).is_none().into(),
        (Op::SubOverS, &[a, b]) => (a as i32).checked_sub(b as i32).is_none().into(),
        (Op::MulOverU, &[a, b]) => a.checked_mul(b).is_none().into(),
        (Op::MulOverS, &[a, b]) => (a as i32).checked_mul(b as i32).is_none().into(),

        (Op::Eq64, &[a, b, c, d]) => (u64_of(a, b) == u64_of(c, d)).into(),
        (Op::LtU64, &[a, b, c, d]) => (u64_of(a, b) < u64_of(c, d)).into(),
        (Op::LtS64, &[a, b, c, d]) => (i64_of(a, b) < i64_of(c, d)).into(),
        (Op::MulOverU64, &[a, b, c, d]) => u64_of(a, b).checked_mul(u64_of(c, d)).is_none().into(),
        (Op::MulOverS64, &[a, b, c, d]) => i64_of(a, b).checked_mul(i64_of(c, d)).is_none().into(),

        (Op::FAdd | Op::FAddImm, &[a, b]) => (f(a) + f(b)).to_bits(),
        (Op::FSub, &[a, b]) => (f(a) - f(b)).to_bits(),
        // As the matrices have it: ±1 is not multiplied. Only a NaN's payload could tell the difference.
        (Op::FMulImm, &[a, MINUS_ONE]) => (-f(a)).to_bits(),
        (Op::FMulImm, &[a, ONE]) => a,
        (Op::FMul | Op::FMulImm, &[a, b]) => (f(a) * f(b)).to_bits(),
        (Op::FDiv, &[a, b]) => (f(a) / f(b)).to_bits(),
        (Op::FRem, &[a, b]) => (f(a) % f(b)).to_bits(),
        (Op::FMulAdd, &[a, b, c]) => f(a).mul_add(f(b), f(c)).to_bits(),
        (Op::FSqrt, &[a]) => f(a).sqrt().to_bits(),
        (Op::FFloor, &[a]) => f(a).floor().to_bits(),
        (Op::FCeil, &[a]) => f(a).ceil().to_bits(),
        (Op::FTrunc, &[a]) => f(a).trunc().to_bits(),
        (Op::FRound, &[a]) => f(a).round().to_bits(),
        (Op::FRoundEven, &[a]) => f(a).round_ties_even().to_bits(),
        (Op::FMin, &[a, b]) => {
            let first = f(a) < f(b) || f(b).is_nan() || (a == MINUS_ZERO && b == ZERO);
            if first { a } else { b }
        }
        (Op::FMax, &[a, b]) => {
            let first = f(a) > f(b) || f(b).is_nan() || (a == ZERO && b == MINUS_ZERO);
            if first { a } else { b }
        }
        (Op::FEq, &[a, b]) => (f(a) == f(b)).into(),
        (Op::FLt, &[a, b]) => (f(a) < f(b)).into(),
        (Op::FLe, &[a, b]) => (f(a) <= f(b)).into(),
        (Op::FCanon, &[a]) => crate::types::canonical_nan(f(a)).to_bits(),
        (Op::FToI, &[a]) => f(a) as i32 as u32,
        (Op::FToU, &[a]) => f(a) as u32,
        (Op::IToF, &[a]) => (a as i32 as f32).to_bits(),
        (Op::UToF, &[a]) => (a as f32).to_bits(),
        (Op::FMath, &[a, b, function]) => crate::library::relaxed(function, f(a), f(b))?.to_bits(),
        (Op::I64ToF, &[a, b]) => (i64_of(a, b) as f32).to_bits(),
        (Op::U64ToF, &[a, b]) => (u64_of(a, b) as f32).to_bits(),
        _ => return None,
    })
}

/// Operations whose result is a pair of words.
fn long(op: Op, inputs: &[u32]) -> Option<u64> {
    Some(match (op, inputs) {
        (Op::Add64, &[a, b, c, d]) => u64_of(a, b).wrapping_add(u64_of(c, d)),
        (Op::Sub64, &[a, b, c, d]) => u64_of(a, b).wrapping_sub(u64_of(c, d)),
        (Op::Mul64, &[a, b, c, d]) => u64_of(a, b).wrapping_mul(u64_of(c, d)),
        (Op::DivU64, &[a, b, c, d]) => u64_of(a, b).checked_div(u64_of(c, d)).unwrap_or(0),
        (Op::RemU64, &[a, b, c, d]) => u64_of(a, b).checked_rem(u64_of(c, d)).unwrap_or(0),
        (Op::DivS64 | Op::RemS64, &[_, _, 0, 0]) => 0,
        (Op::DivS64, &[a, b, c, d]) => i64_of(a, b).wrapping_div(i64_of(c, d)) as u64,
        (Op::RemS64, &[a, b, c, d]) => i64_of(a, b).wrapping_rem(i64_of(c, d)) as u64,
        (Op::Shl64, &[a, b, c]) => u64_of(a, b).wrapping_shl(c),
        (Op::Shr64, &[a, b, c]) => u64_of(a, b).wrapping_shr(c),
        (Op::Sar64, &[a, b, c]) => i64_of(a, b).wrapping_shr(c) as u64,
        (Op::FToI64, &[a]) => f(a) as i64 as u64,
        (Op::FToU64, &[a]) => f(a) as u64,
        _ => return None,
    })
}

const ONE: u32 = 1.0_f32.to_bits();
const MINUS_ONE: u32 = (-1.0_f32).to_bits();
const ZERO: u32 = 0.0_f32.to_bits();
const MINUS_ZERO: u32 = (-0.0_f32).to_bits();

fn f(word: u32) -> f32 {
    f32::from_bits(word)
}

/// Two words as one number.
pub(super) fn u64_of(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

fn i64_of(low: u32, high: u32) -> i64 {
    u64_of(low, high) as i64
}
