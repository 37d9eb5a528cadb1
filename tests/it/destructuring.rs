//! Patterns in `let`, in parameters, in `for`, and destructuring assignment.

use gpuvm::prelude::*;

cases! {
    let_tuple, let_array, let_struct, nested_let, parameter_patterns, for_patterns, assign_tuple, assign_array, assign_struct, assign_with_rest,
    assign_nested_places, swap_chain, typed_lets, deferred_init, ignored_parts,
    rest_anywhere,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Line(Point, Point);

#[routine]
fn let_tuple(a: u32, b: f32) -> (f32, u32) {
    let (n, x) = (a / 2, b * 2.0);
    let (y, (m, _)) = (x + 1.0, (n ^ 3, true));
    (y, m)
}

#[routine]
fn rest_anywhere(a: u32, b: u32) -> u32 {
    let tuple = (a, b, a ^ b, 7u32);
    let (.., last) = tuple;
    let (first, .., third, _) = tuple;
    let Line(.., Point { y, .. }) = Line(Point { x: 1, y: 2 }, Point { x: 3, y: b as i32 });
    match (a & 3, b, last) {
        (0, .., 7) => first,
        (.., 8) => 0,
        (x, ..) => third.wrapping_mul(x) ^ y as u32,
    }
}

#[routine]
fn let_array(a: u32, b: u32) -> u32 {
    let [first, second, ..] = [a, b, a ^ b, 5];
    let [.., last] = [first, second, first & second];
    let [_, mut middle @ 0..=u32::MAX, _] = [1, last, 3];
    middle ^= first;
    middle
}

#[routine]
fn let_struct(a: i32, b: i32) -> i32 {
    let Point { x, y: height } = Point { x: a / 2, y: b / 2 };
    let Line(Point { x: left, .. }, end) = Line(Point { x, y: 0 }, Point { x: height, y: 7 });
    left - end.x + end.y
}

#[routine]
fn nested_let(a: i32, b: u32) -> (i32, u32) {
    let ((p, [q, r]), Point { x, .. }) = ((a / 3, [b, b / 2]), Point { x: 5, y: 6 });
    (p + x, q ^ r)
}

#[routine]
fn slope((x0, y0): (f32, f32), (x1, y1): (f32, f32)) -> f32 {
    (y1 - y0) / (x1 - x0)
}

#[routine]
fn manhattan(Point { x, y }: Point, &Point { x: p, y: q }: &Point, [a, _]: [i32; 2]) -> i32 {
    (x - p).abs() + (y - q).abs() + a
}

#[routine]
fn parameter_patterns(a: f32, b: f32, c: i32) -> (f32, i32) {
    let c = c % 10_000;
    (
        slope((a, b), (1.0, 2.0)),
        manhattan(Point { x: c, y: 1 }, &Point { x: 2, y: -c }, [c, 9]),
    )
}

#[routine]
fn for_patterns(a: i32, b: i32) -> i32 {
    let points = [Point { x: a % 100, y: 2 }, Point { x: 3, y: b % 100 }];
    let mut sum = 0;
    for Point { x, y } in points {
        sum += x * y;
    }
    for &Point { x, .. } in &points {
        sum -= x;
    }
    for (i, [p, q]) in [(1, [2, a % 9]), (b % 7, [4, 5])] {
        sum += i * p - q;
    }
    sum
}

#[routine]
fn assign_tuple(a: u32, b: u32, n: u32) -> (u32, u32) {
    let (mut x, mut y) = (a, b);
    for _ in 0..n % 10 {
        (x, y) = (y, x ^ y.rotate_left(3));
    }
    (x, y)
}

#[routine]
fn assign_array(a: u32, b: u32) -> u32 {
    let x;
    let y;
    let z: u32;
    [x, y, z] = [a, b, a & b];
    x ^ y ^ z.rotate_left(1)
}

#[routine]
fn assign_struct(a: i32, b: i32) -> (i32, i32) {
    let (mut x, mut y) = (0, 0);
    if a > b {
        Point { x, y } = Point { x: a, y: b };
    } else {
        Point { x: y, .. } = Point { x: b, y: a };
        x += 1;
    }
    (x, y)
}

#[routine]
fn assign_with_rest(a: u32, b: u32, c: u32) -> (u32, u32) {
    let (mut first, mut last) = (0, 0);
    (first, ..) = (a, b, c);
    if first % 2 == 0 {
        [.., last] = [a, b, c];
    }
    _ = a;
    (_, last) = (first, last ^ first);
    (first, last)
}

#[routine]
fn assign_nested_places(a: i32, i: u32) -> (Point, [i32; 3]) {
    let mut point = Point { x: 0, y: 0 };
    let mut values = [1, 2, 3];
    (point.x, (values[(i % 3) as usize], point.y)) = (a, (a / 2, a / 3));
    (values[0], values[2]) = (values[2], values[0]);
    (point, values)
}

#[routine]
fn swap_chain(a: u32, b: u32, c: u32) -> [u32; 3] {
    let (mut x, mut y, mut z) = (a, b, c);
    if x > y {
        (x, y) = (y, x);
    }
    if y > z {
        (y, z) = (z, y);
    }
    if x > y {
        (x, y) = (y, x);
    }
    [x, y, z]
}

#[routine]
fn typed_lets(a: i32) -> (u8, i64, f32) {
    let byte: u8 = a as u8;
    let long: i64 = -5;
    let (x, y): (f32, i64) = (2.5, 7);
    let values: [f32; 2] = [x; 2];
    (byte, long * y + a as i64, values[1])
}

#[routine]
fn deferred_init(a: u32, flag: bool) -> u32 {
    let x;
    let y: u32;
    if flag {
        x = a / 2;
        y = 1;
    } else {
        y = a % 7;
        x = y + 1;
    }
    x ^ y
}

#[routine]
fn ignored_parts(a: u32, _unused: f32, _: bool) -> u32 {
    let _ = a / 2;
    let _kept = a / 3;
    _kept
}
