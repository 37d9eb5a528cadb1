// A pair of words as one 64-bit integer of the device, and back.

fn join(a: vec2<u32>) -> u64 {
    return u64(a.x) | (u64(a.y) << 32u);
}

fn split(a: u64) -> vec2<u32> {
    return vec2(u32(a & 0xfffffffflu), u32(a >> 32u));
}
