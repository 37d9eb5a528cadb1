// 64-bit integers as two words, low half in x. No loops: some drivers end a shader after too many iterations in all.

fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + u32(low < a.x));
}

fn sub64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}

fn neg64(a: vec2<u32>) -> vec2<u32> {
    return sub64(vec2(0u, 0u), a);
}

fn abs64(a: vec2<u32>) -> vec2<u32> {
    if (a.y >> 31u) != 0u {
        return neg64(a);
    }
    return a;
}

fn less64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn less_signed64(a: vec2<u32>, b: vec2<u32>) -> bool {
    let sign = vec2(0u, 0x80000000u);
    return less64(a ^ sign, b ^ sign);
}

fn is_zero64(a: vec2<u32>) -> bool {
    return (a.x | a.y) == 0u;
}

fn leading_zeros64(a: vec2<u32>) -> u32 {
    if a.y != 0u {
        return countLeadingZeros(a.y);
    }
    return 32u + countLeadingZeros(a.x);
}

// Shifts take distances of 0 to 63.
fn shl64_words(a: vec2<u32>, by: u32) -> vec2<u32> {
    let n = by & 31u;
    // Two steps for the bits that cross, because a shift by 32 is not one.
    let shifted = vec2(a.x << n, (a.y << n) | ((a.x >> 1u) >> (31u - n)));
    return select(shifted, vec2(0u, shifted.x), (by & 32u) != 0u);
}

fn shr64_words(a: vec2<u32>, by: u32) -> vec2<u32> {
    let n = by & 31u;
    let shifted = vec2((a.x >> n) | ((a.y << 1u) << (31u - n)), a.y >> n);
    return select(shifted, vec2(shifted.y, 0u), (by & 32u) != 0u);
}

fn sar64_words(a: vec2<u32>, by: u32) -> vec2<u32> {
    let n = by & 31u;
    let high = bitcast<u32>(bitcast<i32>(a.y) >> n);
    let sign = bitcast<u32>(bitcast<i32>(a.y) >> 31u);
    let shifted = vec2((a.x >> n) | ((a.y << 1u) << (31u - n)), high);
    return select(shifted, vec2(high, sign), (by & 32u) != 0u);
}

// Shifts right by any distance; a one that falls out stays as the lowest bit, so that rounding still sees it.
fn shr64_sticky(a: vec2<u32>, by: u32) -> vec2<u32> {
    if by == 0u {
        return a;
    }
    if by > 63u {
        return vec2(u32(!is_zero64(a)), 0u);
    }
    let lost = shl64(a, 64u - by);
    let kept = shr64(a, by);
    return vec2(kept.x | u32(!is_zero64(lost)), kept.y);
}

// The whole product of two words.
fn mul_wide_words(a: u32, b: u32) -> vec2<u32> {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let low = al * bl;
    let middle = ah * bl + (low >> 16u);
    let cross = al * bh + (middle & 0xffffu);
    return vec2(a * b, ah * bh + (middle >> 16u) + (cross >> 16u));
}

fn mul64_words(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = mul_wide(a.x, b.x);
    return vec2(low.x, low.y + a.x * b.y + a.y * b.x);
}

// The high words of the unsigned product: bits 64 to 127.
fn mul_high64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let carry = mul_wide(a.x, b.x).y;
    let first = add64(mul_wide(a.x, b.y), vec2(carry, 0u));
    let second = add64(mul_wide(a.y, b.x), vec2(first.x, 0u));
    return add64(add64(mul_wide(a.y, b.y), vec2(first.y, 0u)), vec2(second.y, 0u));
}

fn mul_overflows64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return !is_zero64(mul_high64(a, b));
}

fn mul_overflows_signed64(a: vec2<u32>, b: vec2<u32>) -> bool {
    let x = abs64(a);
    let y = abs64(b);
    let negative = ((a.y ^ b.y) >> 31u) != 0u;
    let most = select(vec2(0xffffffffu, 0x7fffffffu), vec2(0u, 0x80000000u), negative);
    return mul_overflows64(x, y) || less64(most, mul64(x, y));
}

// Quotient and remainder of two words by one, which must be greater than the high word. Hacker's Delight, divlu.
fn div_wide(a: vec2<u32>, b: u32) -> vec2<u32> {
    let shift = countLeadingZeros(b);
    let v = b << shift;
    let u = shl64(a, shift);
    let high = div_digit(u.y, u.x >> 16u, v);
    let low = div_digit(high.y, u.x & 0xffffu, v);
    return vec2((high.x << 16u) + low.x, low.y >> shift);
}

// One 16-bit digit of the quotient of `rest * 2^16 + next` by `v`, whose top bit is set, and what then remains.
fn div_digit(rest: u32, next: u32, v: u32) -> vec2<u32> {
    // The estimate is too large by two at most.
    var digit = vec2(rest / (v >> 16u), rest % (v >> 16u));
    digit = correct_digit(digit, next, v);
    digit = correct_digit(digit, next, v);
    return vec2(digit.x, (rest << 16u) + next - digit.x * v);
}

// Lowers a digit that is too large by one; y is what remains of the upper half.
fn correct_digit(digit: vec2<u32>, next: u32, v: u32) -> vec2<u32> {
    if digit.y < 0x10000u && (digit.x > 0xffffu || digit.x * (v & 0xffffu) > ((digit.y << 16u) | next)) {
        return vec2(digit.x - 1u, digit.y + (v >> 16u));
    }
    return digit;
}

// Quotient of 64 bits by 64, 0 where the divisor is 0. Hacker's Delight, udivdi3.
fn div64_words(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    if is_zero64(b) {
        return vec2(0u, 0u);
    }
    if b.y == 0u {
        let high = a.y / b.x;
        return vec2(div_wide(vec2(a.x, a.y - high * b.x), b.x).x, high);
    }
    let shift = countLeadingZeros(b.y);
    let estimate = div_wide(shr64(a, 1u), shl64(b, shift).y).x;
    var q = shr64(shl64(vec2(estimate, 0u), shift), 31u).x;
    q -= u32(q != 0u);
    let rest = sub64(a, mul64(b, vec2(q, 0u)));
    return vec2(q + u32(!less64(rest, b)), 0u);
}

fn rem64_words(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    if is_zero64(b) {
        return b;
    }
    return sub64(a, mul64(div64(a, b), b));
}

fn div_signed64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let q = div64(abs64(a), abs64(b));
    if ((a.y ^ b.y) >> 31u) != 0u {
        return neg64(q);
    }
    return q;
}

fn rem_signed64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let r = rem64(abs64(a), abs64(b));
    if (a.y >> 31u) != 0u {
        return neg64(r);
    }
    return r;
}
