// 32-bit integer arithmetic that WGSL lacks or defines otherwise.

fn rotl(a: u32, by: u32) -> u32 {
    let n = by & 31u;
    return (a << n) | ((a >> 1u) >> (31u - n));
}

fn sar(a: u32, by: u32) -> u32 {
    return bitcast<u32>(bitcast<i32>(a) >> (by & 31u));
}

fn byte_swap(a: u32) -> u32 {
    return (rotl(a, 8u) & 0x00ff00ffu) | (rotl(a, 24u) & 0xff00ff00u);
}

fn less_signed(a: u32, b: u32) -> bool {
    return bitcast<i32>(a) < bitcast<i32>(b);
}

fn magnitude(a: u32) -> u32 {
    return select(a, 0u - a, (a >> 31u) != 0u);
}

fn mul_high_signed(a: u32, b: u32) -> u32 {
    return mul_wide(a, b).y - (b & sar(a, 31u)) - (a & sar(b, 31u));
}

fn mul_overflows_signed(a: u32, b: u32) -> bool {
    return mul_high_signed(a, b) != sar(a * b, 31u);
}

fn div(a: u32, b: u32) -> u32 {
    return select(a / max(b, 1u), 0u, b == 0u);
}

fn rem(a: u32, b: u32) -> u32 {
    return select(a % max(b, 1u), 0u, b == 0u);
}

fn div_signed(a: u32, b: u32) -> u32 {
    let q = div(magnitude(a), magnitude(b));
    return select(q, 0u - q, ((a ^ b) >> 31u) != 0u);
}

fn rem_signed(a: u32, b: u32) -> u32 {
    let r = rem(magnitude(a), magnitude(b));
    return select(r, 0u - r, (a >> 31u) != 0u);
}
