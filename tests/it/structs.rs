//! Structs with `#[derive(VmType)]`: literals, base update, nesting, tuple structs, assignment to fields, in and out.

use gpuvm::prelude::*;

cases! {
    build_and_read, base_update, nested_fields, tuple_structs, field_assignment, struct_result, struct_copies, shorthand_fields,
    unit_struct, destructure_struct, struct_of_arrays, array_of_structs, mixed_widths, pass_and_return, const_struct,
    generic_struct, field_compound,
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
