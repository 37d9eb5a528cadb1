// 64-bit integers as the device's own, where it has them.

fn shl64_native(a: vec2<u32>, by: u32) -> vec2<u32> {
    return split(join(a) << by);
}

fn shr64_native(a: vec2<u32>, by: u32) -> vec2<u32> {
    return split(join(a) >> by);
}

fn sar64_native(a: vec2<u32>, by: u32) -> vec2<u32> {
    return split(u64(i64(join(a)) >> by));
}

fn mul_wide_native(a: u32, b: u32) -> vec2<u32> {
    return split(u64(a) * u64(b));
}

fn mul64_native(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return split(join(a) * join(b));
}

fn div64_native(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    if is_zero64(b) {
        return b;
    }
    return split(join(a) / join(b));
}

fn rem64_native(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    if is_zero64(b) {
        return b;
    }
    return split(join(a) % join(b));
}

fn unsigned64_to_float_native(a: vec2<u32>) -> u32 {
    return bitcast<u32>(f32(join(a)));
}

fn signed64_to_float_native(a: vec2<u32>) -> u32 {
    return bitcast<u32>(f32(i64(join(a))));
}
