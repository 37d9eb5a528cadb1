//! Structs with `#[derive(VmType)]`: literals, base update, nesting, tuple structs, assignment to fields, in and out.

use gpuvm::prelude::*;

cases! {
    build_and_read, base_update, nested_fields, tuple_structs, field_assignment, struct_result, struct_copies, shorthand_fields,
    unit_struct, destructure_struct, struct_of_arrays, array_of_structs, mixed_widths, pass_and_return, const_struct,
    generic_struct, field_compound, many_fields,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Vec2 {
    x: f32,
    y: f32,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Body {
    position: Vec2,
    velocity: Vec2,
    mass: f32,
    alive: bool,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Meters(f32);

#[derive(VmType, Clone, Copy, Debug)]
struct Span(i32, i32);

#[derive(VmType, Clone, Copy, Debug)]
struct Marker;

#[derive(VmType, Clone, Copy, Debug)]
struct Mixed {
    tiny: i8,
    long: u64,
    flag: bool,
    short: u16,
    signed: i64,
    ratio: f32,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Table {
    rows: [[u32; 2]; 3],
    sum: u32,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Pair<T> {
    first: T,
    second: T,
}

#[routine]
fn build_and_read(a: f32, b: f32) -> f32 {
    let v = Vec2 { y: a, x: b };
    v.x - v.y * 2.0
}

#[routine]
fn body_at(x: f32, y: f32) -> Body {
    Body {
        position: Vec2 { x, y },
        velocity: Vec2 { x: 1.0, y: -1.0 },
        mass: x * y,
        alive: x > y,
    }
}

#[routine]
fn base_update(a: f32, b: f32) -> Body {
    let body = body_at(a, b);
    let moved = Body { mass: 2.0, ..body };
    Body {
        position: Vec2 {
            x: 0.5,
            ..moved.position
        },
        alive: !body.alive,
        ..moved
    }
}

#[routine]
fn nested_fields(a: f32, b: f32) -> f32 {
    let mut body = body_at(a, b);
    body.position.x += body.velocity.x * 0.5;
    body.velocity.y = body.position.x - body.position.y;
    if body.alive {
        body.velocity.y
    } else {
        body.position.x / body.mass
    }
}

#[routine]
fn tuple_structs(a: f32, lo: i32, hi: i32) -> (Meters, Span) {
    let Meters(raw) = Meters(a);
    let span = Span(lo, hi);
    let ordered = if span.0 <= span.1 { span } else { Span(span.1, span.0) };
    (Meters(raw + 1.0), ordered)
}

#[routine]
fn field_assignment(a: i32, b: i32) -> Span {
    let mut span = Span(a % 1000, b % 1000);
    span.0 += 1;
    span.1 -= span.0;
    let old = span;
    span = Span(old.1, old.0);
    span.0 *= 2;
    span
}

#[routine]
fn struct_result(a: f32, b: f32) -> Body {
    let mut body = body_at(b, a);
    if !body.alive {
        body.velocity = Vec2 {
            x: -body.velocity.x,
            y: a,
        };
    }
    body
}

#[routine]
fn struct_copies(a: f32) -> (f32, f32) {
    let first = Vec2 { x: a, y: 1.0 };
    let mut second = first;
    second.x += 1.0;
    let third = second;
    second.y = third.x;
    (first.x + second.y, third.y - second.x)
}

#[routine]
fn shorthand_fields(x: f32, y: f32) -> f32 {
    let v = Vec2 { x, y };
    let Vec2 { x, y: other } = v;
    x * 2.0 + other
}

#[routine]
fn unit_struct(a: u32) -> (u32, Marker) {
    let marker = Marker;
    let Marker = marker;
    (a / 2, marker)
}

#[routine]
fn destructure_struct(a: f32, b: f32) -> f32 {
    let Body {
        position: Vec2 { x, .. },
        velocity,
        mass: m,
        ..
    } = body_at(a, b);
    let Vec2 { x: vx, y: vy } = velocity;
    x + vx - vy * m
}

#[routine]
fn struct_of_arrays(a: u32, b: u32) -> Table {
    let mut table = Table {
        rows: [[a % 10, b % 10]; 3],
        sum: 0,
    };
    table.rows[(a % 3) as usize][1] = 77;
    for row in table.rows {
        table.sum += row[0] * row[1];
    }
    table
}

#[routine]
fn array_of_structs(a: f32, n: u32) -> f32 {
    let mut points = [Vec2 { x: a, y: 0.0 }; 4];
    for i in 0..4 {
        points[i].y = i as f32;
    }
    let k = (n % 4) as usize;
    points[k].x += points[3 - k].y;
    points[k] = Vec2 {
        x: points[k].y,
        y: points[k].x,
    };
    points[0].x + points[1].y + points[2].x * points[3].y
}

#[routine]
fn mixed_widths(a: u64, b: i32, c: f32) -> Mixed {
    Mixed {
        tiny: b as i8,
        long: a,
        flag: b > 0,
        short: a as u16,
        signed: -(b as i64),
        ratio: c,
    }
}

#[routine]
fn translate(body: Body, by: Vec2) -> Body {
    Body {
        position: Vec2 {
            x: body.position.x + by.x,
            y: body.position.y + by.y,
        },
        ..body
    }
}

#[routine]
fn pass_and_return(a: f32, b: f32) -> Vec2 {
    translate(
        translate(body_at(a, b), Vec2 { x: b, y: a }),
        Vec2 { x: 0.25, y: -0.25 },
    )
    .position
}

const ORIGIN: Vec2 = Vec2 { x: 0.5, y: -2.0 };

#[routine]
fn const_struct(a: f32) -> Vec2 {
    let here = Vec2 { x: a, ..ORIGIN };
    if a > 1.0 { ORIGIN } else { here }
}

#[routine]
fn generic_struct(a: u32, b: f32) -> (Pair<u32>, Pair<f32>) {
    let ints = Pair {
        first: a,
        second: a / 2,
    };
    let mut floats = Pair { first: b, second: 2.0 };
    floats.second -= floats.first;
    (
        Pair {
            first: ints.second,
            ..ints
        },
        floats,
    )
}

#[routine]
fn field_compound(a: u32, b: u32) -> (u32, u32) {
    let mut pair = Pair { first: a, second: b };
    pair.first ^= b;
    pair.second |= 7;
    pair.first &= pair.second;
    pair.second <<= 3;
    pair.first >>= 2;
    pair.second %= 1001;
    (pair.first, pair.second)
}

/// More fields than a word has bits.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Wide {
    f0: u16,
    f1: u16,
    f2: u16,
    f3: u16,
    f4: u16,
    f5: u16,
    f6: u16,
    f7: u16,
    f8: u16,
    f9: u16,
    f10: u16,
    f11: u16,
    f12: u16,
    f13: u16,
    f14: u16,
    f15: u16,
    f16: u16,
    f17: u16,
    f18: u16,
    f19: u16,
    f20: u16,
    f21: u16,
    f22: u16,
    f23: u16,
    f24: u16,
    f25: u16,
    f26: u16,
    f27: u16,
    f28: u16,
    f29: u16,
    f30: u16,
    f31: u16,
    f32: u16,
    f33: u16,
    f34: u16,
    f35: u16,
    f36: u16,
    f37: u16,
    f38: u16,
    f39: u16,
    f40: u16,
    f41: u16,
    f42: u16,
    f43: u16,
    f44: u16,
    f45: u16,
    f46: u16,
    f47: u16,
    f48: u16,
    f49: u16,
    f50: u16,
    f51: u16,
    f52: u16,
    f53: u16,
    f54: u16,
    f55: u16,
    f56: u16,
    f57: u16,
    f58: u16,
    f59: u16,
    f60: u16,
    f61: u16,
    f62: u16,
    f63: u16,
    f64: u16,
    f65: u16,
    f66: u16,
    f67: u16,
    f68: u16,
    f69: u16,
}

#[routine]
fn many_fields(a: u16, b: u16) -> (Wide, u16) {
    let base = Wide {
        f0: a ^ 0,
        f1: a ^ 1,
        f2: a ^ 2,
        f3: a ^ 3,
        f4: a ^ 4,
        f5: a ^ 5,
        f6: a ^ 6,
        f7: a ^ 7,
        f8: a ^ 8,
        f9: a ^ 9,
        f10: a ^ 10,
        f11: a ^ 11,
        f12: a ^ 12,
        f13: a ^ 13,
        f14: a ^ 14,
        f15: a ^ 15,
        f16: a ^ 16,
        f17: a ^ 17,
        f18: a ^ 18,
        f19: a ^ 19,
        f20: a ^ 20,
        f21: a ^ 21,
        f22: a ^ 22,
        f23: a ^ 23,
        f24: a ^ 24,
        f25: a ^ 25,
        f26: a ^ 26,
        f27: a ^ 27,
        f28: a ^ 28,
        f29: a ^ 29,
        f30: a ^ 30,
        f31: a ^ 31,
        f32: a ^ 32,
        f33: a ^ 33,
        f34: a ^ 34,
        f35: a ^ 35,
        f36: a ^ 36,
        f37: a ^ 37,
        f38: a ^ 38,
        f39: a ^ 39,
        f40: a ^ 40,
        f41: a ^ 41,
        f42: a ^ 42,
        f43: a ^ 43,
        f44: a ^ 44,
        f45: a ^ 45,
        f46: a ^ 46,
        f47: a ^ 47,
        f48: a ^ 48,
        f49: a ^ 49,
        f50: a ^ 50,
        f51: a ^ 51,
        f52: a ^ 52,
        f53: a ^ 53,
        f54: a ^ 54,
        f55: a ^ 55,
        f56: a ^ 56,
        f57: a ^ 57,
        f58: a ^ 58,
        f59: a ^ 59,
        f60: a ^ 60,
        f61: a ^ 61,
        f62: a ^ 62,
        f63: a ^ 63,
        f64: a ^ 64,
        f65: a ^ 65,
        f66: a ^ 66,
        f67: a ^ 67,
        f68: a ^ 68,
        f69: a ^ 69,
    };
    let changed = Wide { f3: b, f66: 7, ..base };
    let last = Wide { f69: b, ..changed };
    (last, changed.f69 ^ base.f66)
}
