//! `Duration`: whole seconds, and the nanoseconds of the one that has begun. The texts of its panics are std's.

use std::time::Duration;

use gpuvm_macros::routine;

use super::{intrinsics, methods, operators};
use crate::types::{Field, Kind, Type, Value, VmType, name_hash};

const NANOS: u32 = 1_000_000_000;

impl Value for Duration {
    type Erased = Duration;
    type Inner = Duration;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(
        Kind::Struct,
        Type::DURATION,
        &[
            Field {
                hash: name_hash("__secs"),
                name: "__secs",
                ty: <u64 as Value>::TYPE,
                refs: 0,
                offset: 0,
            },
            Field {
                hash: name_hash("__nanos"),
                name: "__nanos",
                ty: <u32 as Value>::TYPE,
                refs: 0,
                offset: 2,
            },
        ],
    );
}

impl VmType for Duration {
    fn write_words(&self, words: &mut [u32]) {
        self.as_secs().write_words(&mut words[..2]);
        words[2] = self.subsec_nanos();
    }

    fn read_words(words: &[u32]) -> Self {
        Duration::new(u64::read_words(&words[..2]), words[2].min(NANOS - 1))
    }
}

/// Its seconds and nanoseconds.
#[routine(library, inline)]
fn parts(duration: Duration) -> (u64, u32) {
    intrinsics::words(duration)
}

/// The duration of so many seconds and nanoseconds, of these less than a second.
#[routine(library, inline)]
fn of(secs: u64, nanos: u32) -> Duration {
    intrinsics::words((secs, nanos))
}

#[routine(library, inline)]
fn new(secs: u64, nanos: u32) -> Duration {
    match secs.checked_add((nanos / NANOS) as u64) {
        Some(secs) => of(secs, nanos % NANOS),
        None => panic!("overflow in Duration::new"),
    }
}

#[routine(library, inline)]
fn from_secs(secs: u64) -> Duration {
    of(secs, 0)
}

#[routine(library, inline)]
fn from_millis(millis: u64) -> Duration {
    of(millis / 1000, (millis % 1000) as u32 * 1_000_000)
}

#[routine(library, inline)]
fn from_micros(micros: u64) -> Duration {
    of(micros / 1_000_000, (micros % 1_000_000) as u32 * 1000)
}

#[routine(library, inline)]
fn from_nanos(nanos: u64) -> Duration {
    of(nanos / NANOS as u64, (nanos % NANOS as u64) as u32)
}

#[routine(library, inline)]
fn is_zero(duration: &Duration) -> bool {
    parts(*duration) == (0, 0)
}

#[routine(library, inline)]
fn as_secs(duration: &Duration) -> u64 {
    parts(*duration).0
}

#[routine(library, inline)]
fn as_millis(duration: &Duration) -> u128 {
    let (secs, nanos) = parts(*duration);
    secs as u128 * 1000 + (nanos / 1_000_000) as u128
}

#[routine(library, inline)]
fn as_micros(duration: &Duration) -> u128 {
    let (secs, nanos) = parts(*duration);
    secs as u128 * 1_000_000 + (nanos / 1000) as u128
}

#[routine(library, inline)]
fn as_nanos(duration: &Duration) -> u128 {
    let (secs, nanos) = parts(*duration);
    secs as u128 * NANOS as u128 + nanos as u128
}

#[routine(library, inline)]
fn subsec_millis(duration: &Duration) -> u32 {
    parts(*duration).1 / 1_000_000
}

#[routine(library, inline)]
fn subsec_micros(duration: &Duration) -> u32 {
    parts(*duration).1 / 1000
}

#[routine(library, inline)]
fn subsec_nanos(duration: &Duration) -> u32 {
    parts(*duration).1
}

#[routine(library)]
fn checked_add(a: Duration, b: Duration) -> Option<Duration> {
    let ((secs, nanos), (more_secs, more_nanos)) = (parts(a), parts(b));
    let secs = secs.checked_add(more_secs)?;
    let nanos = nanos + more_nanos;
    if nanos < NANOS {
        return Some(of(secs, nanos));
    }
    Some(of(secs.checked_add(1)?, nanos - NANOS))
}

#[routine(library)]
fn checked_sub(a: Duration, b: Duration) -> Option<Duration> {
    let ((secs, nanos), (less_secs, less_nanos)) = (parts(a), parts(b));
    let secs = secs.checked_sub(less_secs)?;
    if nanos >= less_nanos {
        return Some(of(secs, nanos - less_nanos));
    }
    Some(of(secs.checked_sub(1)?, nanos + NANOS - less_nanos))
}

#[routine(library)]
fn checked_mul(a: Duration, by: u32) -> Option<Duration> {
    let (secs, nanos) = parts(a);
    let nanos = nanos as u64 * by as u64;
    let secs = secs.checked_mul(by as u64)?.checked_add(nanos / NANOS as u64)?;
    Some(of(secs, (nanos % NANOS as u64) as u32))
}

#[routine(library)]
fn checked_div(a: Duration, by: u32) -> Option<Duration> {
    if by == 0 {
        return None;
    }
    let (secs, nanos) = parts(a);
    let by_long = by as u64;
    let rest = (secs % by_long) * NANOS as u64 + (nanos % by) as u64;
    Some(of(secs / by_long, nanos / by + (rest / by_long) as u32))
}

#[routine(library)]
fn saturating_add(a: Duration, b: Duration) -> Duration {
    match checked_add(a, b) {
        Some(sum) => sum,
        None => of(u64::MAX, NANOS - 1),
    }
}

#[routine(library)]
fn saturating_sub(a: Duration, b: Duration) -> Duration {
    match checked_sub(a, b) {
        Some(difference) => difference,
        None => of(0, 0),
    }
}

#[routine(library)]
fn saturating_mul(a: Duration, by: u32) -> Duration {
    match checked_mul(a, by) {
        Some(product) => product,
        None => of(u64::MAX, NANOS - 1),
    }
}

#[routine(library)]
fn abs_diff(a: Duration, b: Duration) -> Duration {
    match checked_sub(a, b) {
        Some(difference) => difference,
        None => saturating_sub(b, a),
    }
}

#[routine(library, inline)]
fn as_secs_f64(duration: &Duration) -> f64 {
    let (secs, nanos) = parts(*duration);
    secs as f64 + nanos as f64 / NANOS as f64
}

#[routine(library, inline)]
fn as_secs_f32(duration: &Duration) -> f32 {
    let (secs, nanos) = parts(*duration);
    secs as f32 + nanos as f32 / NANOS as f32
}

/// The nanoseconds of a part of a second that `product`, a number of nanoseconds, has behind the point at bit `point`: to the nearest, ties to even.
#[routine(library)]
fn rounded(product: u128, point: u32) -> u32 {
    let nanos = (product >> point) as u32;
    let half = 1u128 << (point - 1);
    let rest = product & ((half << 1) - 1);
    let up = rest > half || rest == half && nanos % 2 == 1;
    nanos + up as u32
}

/// Seconds that a trap has room for beside another value.
const PACKED_SECS: u64 = 1 << 34;

/// A duration in the words that a trap has for a value beside another: the lowest 30 bits are the nanoseconds, or all set where the seconds have no room in the others.
#[routine(library)]
pub fn pack_beside(duration: Duration) -> [u32; 2] {
    let (secs, nanos) = parts(duration);
    if secs >= PACKED_SECS {
        return [u32::MAX, u32::MAX];
    }
    [nanos | (secs as u32) << 30, (secs >> 2) as u32]
}

/// The words of the duration that such words stand for, if there was room for it.
pub fn unpack([low, high]: [u32; 2]) -> Option<[u32; 3]> {
    let nanos = low & 0x3fff_ffff;
    (nanos < NANOS).then_some([high << 2 | low >> 30, high >> 30, nanos])
}

/// As `Duration::try_from_secs_f64` of core, which takes the bits apart and rounds to the nearest nanosecond. A number of 32 bits gives the same.
#[routine(library)]
fn from_secs_f64(secs: f64) -> Duration {
    if secs < 0.0 {
        panic!("cannot convert float seconds to Duration: value is negative");
    }
    let bits = secs.to_bits();
    let mask = (1u64 << 52) - 1;
    let mantissa = bits & mask | (mask + 1);
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    if exponent < -31 {
        return of(0, 0);
    }
    if exponent < 0 {
        let scaled = (mantissa as u128) << (44 + exponent) as u32;
        let nanos = rounded(NANOS as u128 * scaled, 52 + 44);
        return if nanos < NANOS { of(0, nanos) } else { of(1, 0) };
    }
    if exponent < 52 {
        let whole = mantissa >> (52 - exponent) as u32;
        let part = mantissa << exponent as u32 & mask;
        let nanos = rounded(NANOS as u128 * part as u128, 52);
        return if nanos < NANOS {
            of(whole, nanos)
        } else {
            of(whole + 1, 0)
        };
    }
    if exponent < 64 {
        return of(mantissa << (exponent - 52) as u32, 0);
    }
    panic!("cannot convert float seconds to Duration: value is either too big or NaN");
}

#[routine(library, inline)]
fn from_secs_f32(secs: f32) -> Duration {
    from_secs_f64(secs as f64)
}

#[routine(library, inline)]
fn mul_f64(duration: Duration, by: f64) -> Duration {
    from_secs_f64(by * as_secs_f64(&duration))
}

#[routine(library, inline)]
fn mul_f32(duration: Duration, by: f32) -> Duration {
    from_secs_f32(by * as_secs_f32(&duration))
}

#[routine(library, inline)]
fn div_f64(duration: Duration, by: f64) -> Duration {
    from_secs_f64(as_secs_f64(&duration) / by)
}

#[routine(library, inline)]
fn div_f32(duration: Duration, by: f32) -> Duration {
    from_secs_f32(as_secs_f32(&duration) / by)
}

#[routine(library)]
fn div_duration_f64(a: Duration, b: Duration) -> f64 {
    let ((secs, nanos), (by_secs, by_nanos)) = (parts(a), parts(b));
    (secs as f64 * NANOS as f64 + nanos as f64) / (by_secs as f64 * NANOS as f64 + by_nanos as f64)
}

#[routine(library)]
fn div_duration_f32(a: Duration, b: Duration) -> f32 {
    let ((secs, nanos), (by_secs, by_nanos)) = (parts(a), parts(b));
    (secs as f32 * NANOS as f32 + nanos as f32) / (by_secs as f32 * NANOS as f32 + by_nanos as f32)
}

#[routine(library, inline)]
fn add(a: Duration, b: Duration) -> Duration {
    match checked_add(a, b) {
        Some(sum) => sum,
        None => panic!("overflow when adding durations"),
    }
}

#[routine(library, inline)]
fn sub(a: Duration, b: Duration) -> Duration {
    match checked_sub(a, b) {
        Some(difference) => difference,
        None => panic!("overflow when subtracting durations"),
    }
}

#[routine(library, inline)]
fn mul(a: Duration, by: u32) -> Duration {
    match checked_mul(a, by) {
        Some(product) => product,
        None => panic!("overflow when multiplying duration by scalar"),
    }
}

#[routine(library, inline)]
fn mul_of(by: u32, a: Duration) -> Duration {
    mul(a, by)
}

#[routine(library, inline)]
fn div(a: Duration, by: u32) -> Duration {
    match checked_div(a, by) {
        Some(quotient) => quotient,
        None => panic!("divide by zero error when dividing duration by scalar"),
    }
}

#[routine(library, inline)]
fn add_assign(a: &mut Duration, b: Duration) {
    *a = add(*a, b);
}

#[routine(library, inline)]
fn sub_assign(a: &mut Duration, b: Duration) {
    *a = sub(*a, b);
}

#[routine(library, inline)]
fn mul_assign(a: &mut Duration, by: u32) {
    *a = mul(*a, by);
}

#[routine(library, inline)]
fn div_assign(a: &mut Duration, by: u32) {
    *a = div(*a, by);
}

methods! {
    [] Duration, new = new;
    [] Duration, from_secs = from_secs;
    [] Duration, from_millis = from_millis;
    [] Duration, from_micros = from_micros;
    [] Duration, from_nanos = from_nanos;
    [] Duration, from_secs_f64 = from_secs_f64;
    [] Duration, from_secs_f32 = from_secs_f32;
    [] Duration, is_zero = is_zero;
    [] Duration, as_secs = as_secs;
    [] Duration, as_millis = as_millis;
    [] Duration, as_micros = as_micros;
    [] Duration, as_nanos = as_nanos;
    [] Duration, subsec_millis = subsec_millis;
    [] Duration, subsec_micros = subsec_micros;
    [] Duration, subsec_nanos = subsec_nanos;
    [] Duration, as_secs_f64 = as_secs_f64;
    [] Duration, as_secs_f32 = as_secs_f32;
    [] Duration, checked_add = checked_add;
    [] Duration, checked_sub = checked_sub;
    [] Duration, checked_mul = checked_mul;
    [] Duration, checked_div = checked_div;
    [] Duration, saturating_add = saturating_add;
    [] Duration, saturating_sub = saturating_sub;
    [] Duration, saturating_mul = saturating_mul;
    [] Duration, abs_diff = abs_diff;
    [] Duration, mul_f64 = mul_f64;
    [] Duration, mul_f32 = mul_f32;
    [] Duration, div_f64 = div_f64;
    [] Duration, div_f32 = div_f32;
    [] Duration, div_duration_f64 = div_duration_f64;
    [] Duration, div_duration_f32 = div_duration_f32;
}

operators! {
    [] Duration, Add Duration = add;
    [] Duration, Sub Duration = sub;
    [] Duration, Mul u32 = mul;
    [] u32, Mul Duration = mul_of;
    [] Duration, Div u32 = div;
    [] Duration, AddAssign Duration = add_assign;
    [] Duration, SubAssign Duration = sub_assign;
    [] Duration, MulAssign u32 = mul_assign;
    [] Duration, DivAssign u32 = div_assign;
}
