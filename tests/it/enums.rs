//! Enums with `#[derive(VmType)]`: unit, tuple and struct variants, discriminants, nesting, in and out of columns.

use gpuvm::prelude::*;

cases! {
    area, unit_variants, discriminants, nested_enums, enum_in_array, enum_assigned, enum_method_like, state_machine, if_let_enum,
    while_let_enum, enum_of_longs, mutate_payload, enum_result, expression_tree, enum_equality_by_match, use_of_variants, renamed_variants, discriminants_of_values,
}

#[derive(VmType, Clone, Copy, Debug)]
enum Shape {
    Circle(f32),
    Rect { width: f32, height: f32 },
    Unit,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Direction {
    North = 1,
    East = 4,
    South = -7,
    West,
}

#[derive(VmType, Clone, Copy, Debug)]
enum Outer {
    Plain(u32),
    Shaped(Shape),
    Both { shape: Shape, facing: Direction },
    Pair(Option<u32>, bool),
}

#[derive(VmType, Clone, Copy, Debug)]
enum Wide {
    Small(u8),
    Large(u64),
    Mixed(i64, i16, f32),
}

#[routine]
fn shape_of(kind: u32, a: f32, b: f32) -> Shape {
    match kind % 3 {
        0 => Shape::Circle(a),
        1 => Shape::Rect { width: a, height: b },
        _ => Shape::Unit,
    }
}

#[routine]
fn direction_of(n: u32) -> Direction {
    match n % 4 {
        0 => Direction::North,
        1 => Direction::East,
        2 => Direction::South,
        _ => Direction::West,
    }
}

#[routine]
fn area(kind: u32, a: f32, b: f32) -> f32 {
    match shape_of(kind, a, b) {
        Shape::Circle(radius) => 3.0 * radius * radius,
        Shape::Rect { width, height } => width * height,
        Shape::Unit => 1.0,
    }
}

#[routine]
fn unit_variants(n: u32) -> Direction {
    match direction_of(n) {
        Direction::North => Direction::South,
        Direction::South => Direction::North,
        other => other,
    }
}

#[routine]
fn discriminants(n: u32) -> i32 {
    let direction = direction_of(n);
    direction as i32 * 10 + Direction::West as i32
}

#[routine]
fn nested_enums(n: u32, a: f32) -> f32 {
    let outer = match n % 5 {
        0 => Outer::Plain(n),
        1 => Outer::Shaped(shape_of(n / 5, a, 2.0)),
        2 => Outer::Both {
            shape: shape_of(n / 7, 1.0, a),
            facing: direction_of(n / 3),
        },
        3 => Outer::Pair(Some(n), n > 50),
        _ => Outer::Pair(None, true),
    };
    match outer {
        Outer::Plain(x) => x as f32,
        Outer::Shaped(Shape::Circle(r)) => r,
        Outer::Shaped(_) => -1.0,
        Outer::Both {
            shape: Shape::Rect { width, .. },
            facing: Direction::North | Direction::South,
        } => width,
        Outer::Both { facing, .. } => facing as i32 as f32,
        Outer::Pair(Some(x), true) => x as f32 + 0.5,
        Outer::Pair(Some(x), false) => x as f32 - 0.5,
        Outer::Pair(None, _) => 0.25,
    }
}

#[routine]
fn enum_in_array(n: u32, a: f32) -> f32 {
    let shapes = [
        shape_of(n, a, 1.0),
        shape_of(n / 3, 2.0, a),
        Shape::Unit,
        shape_of(n / 9, a, a),
    ];
    let mut total = 0.0;
    for shape in shapes {
        total += match shape {
            Shape::Circle(r) => r,
            Shape::Rect { width: w, height: h } => w - h,
            Shape::Unit => 10.0,
        };
    }
    if let Shape::Circle(r) = shapes[(n % 4) as usize] {
        total + r
    } else {
        total
    }
}

#[routine]
fn enum_assigned(n: u32) -> Shape {
    let mut shape = Shape::Unit;
    let mut i = 0;
    while i < n % 5 {
        shape = match shape {
            Shape::Unit => Shape::Circle(1.5),
            Shape::Circle(r) => Shape::Rect {
                width: r,
                height: n as f32,
            },
            Shape::Rect { width, height } if width < height => Shape::Rect {
                width: height,
                height: width,
            },
            Shape::Rect { .. } => Shape::Unit,
        };
        i += 1;
    }
    shape
}

#[routine]
impl Direction {
    fn turned(self, right: bool) -> Direction {
        use Direction::*;
        match (self, right) {
            (North, true) | (South, false) => East,
            (East, true) | (West, false) => South,
            (South, true) | (North, false) => West,
            (West, true) | (East, false) => North,
        }
    }

    fn is_vertical(&self) -> bool {
        matches!(self, Direction::North | Direction::South)
    }
}

#[routine]
fn enum_method_like(n: u32, turns: u32) -> (Direction, bool) {
    let mut direction = direction_of(n);
    for i in 0..turns % 9 {
        direction = direction.turned((n >> i) & 1 == 1);
    }
    (direction, direction.is_vertical())
}

#[derive(VmType, Clone, Copy, Debug)]
enum Lexer {
    Start,
    Number { value: u32, digits: u32 },
    Failed(u32),
    Done(u32),
}

#[routine]
fn state_machine(a: u32, b: u32) -> Lexer {
    let mut input = (a as u64) << 32 | b as u64;
    let mut state = Lexer::Start;
    for position in 0..16 {
        let symbol = (input & 15) as u32;
        input >>= 4;
        state = match (state, symbol) {
            (Lexer::Start, 0..=9) => Lexer::Number {
                value: symbol,
                digits: 1,
            },
            (Lexer::Start, 10) => Lexer::Start,
            (Lexer::Start, _) => Lexer::Failed(position),
            (Lexer::Number { value, digits: 1..=3 }, d @ 0..=9) => Lexer::Number {
                value: value * 10 + d,
                digits: 2,
            },
            (Lexer::Number { value, .. }, _) => Lexer::Done(value),
            (ended, _) => ended,
        };
    }
    state
}

#[routine]
fn if_let_enum(n: u32, a: f32) -> f32 {
    let shape = shape_of(n, a, a + 1.0);
    if let Shape::Rect { width, height: tall } = shape {
        width + tall
    } else if let Shape::Circle(r) = shape {
        r
    } else {
        0.0
    }
}

#[routine]
fn countdown(n: u32) -> Option<u32> {
    if n == 0 { None } else { Some(n - 1) }
}

#[routine]
fn while_let_enum(n: u32) -> u32 {
    let mut left = n % 40;
    let mut steps = 0;
    while let Some(next) = countdown(left) {
        left = if next % 3 == 0 { next / 2 } else { next };
        steps += 1;
    }
    steps
}

#[routine]
fn wide_of(n: u32, x: u64) -> Wide {
    match n % 3 {
        0 => Wide::Small((x % 200) as u8),
        1 => Wide::Large(x),
        _ => Wide::Mixed(-((x >> 1) as i64), n as i16, n as f32 / 3.0),
    }
}

#[routine]
fn enum_of_longs(n: u32, x: u64) -> (Wide, i64) {
    let wide = wide_of(n, x);
    let sum = match wide {
        Wide::Small(b) => b as i64,
        Wide::Large(v) => (v >> 3) as i64,
        Wide::Mixed(a, b, c) => a / 2 + b as i64 + c as i64,
    };
    (wide, sum)
}

#[routine]
fn mutate_payload(n: u32, a: f32) -> Shape {
    let mut shape = shape_of(n, a, 4.0);
    match &mut shape {
        Shape::Circle(r) => *r *= 2.0,
        Shape::Rect { width, .. } if *width > 1.0 => *width = 1.0,
        Shape::Rect { width, height } => {
            *height += *width;
        }
        Shape::Unit => {}
    }
    if let Shape::Circle(ref mut r) = shape {
        *r += 1.0;
    }
    shape
}

#[routine]
fn enum_result(n: u32, a: f32) -> Outer {
    if n % 2 == 0 {
        Outer::Both {
            shape: shape_of(n / 2, a, -a),
            facing: direction_of(n / 6),
        }
    } else if n % 3 == 0 {
        Outer::Pair(if n % 5 == 0 { None } else { Some(n) }, n > 9)
    } else {
        Outer::Plain(n)
    }
}

#[derive(VmType, Clone, Copy, Debug)]
enum Term {
    Value(i32),
    Add,
    Mul,
    Negate,
}

#[routine]
fn expression_tree(a: i32, b: i32, c: u32) -> i32 {
    // Reverse Polish notation over a stack of 8.
    let program = [
        Term::Value(2),
        Term::Value(a % 100),
        Term::Value(b % 100),
        if c & 1 == 0 { Term::Add } else { Term::Mul },
        if c & 2 == 0 { Term::Negate } else { Term::Value(7) },
        if c & 2 == 0 { Term::Value(3) } else { Term::Add },
        Term::Mul,
    ];
    let mut stack = [0; 8];
    let mut top = 0;
    for term in program {
        match term {
            Term::Value(v) => {
                stack[top] = v;
                top += 1;
            }
            Term::Add => {
                top -= 1;
                stack[top - 1] += stack[top];
            }
            Term::Mul => {
                top -= 1;
                stack[top - 1] *= stack[top];
            }
            Term::Negate => stack[top - 1] = -stack[top - 1],
        }
    }
    stack[top - 1]
}

#[routine]
fn enum_equality_by_match(a: u32, b: u32) -> bool {
    match (direction_of(a), direction_of(b)) {
        (Direction::North, Direction::North) => true,
        (Direction::East, Direction::East) => true,
        (Direction::South, Direction::South) | (Direction::West, Direction::West) => true,
        _ => false,
    }
}

#[routine]
fn use_of_variants(n: u32) -> bool {
    use self::Direction::{East, West};
    let direction = direction_of(n);
    matches!(direction, East | West)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Beacon {
    Level(u32),
    Pulse { at: u32, width: u8 },
    Silence,
}
use Beacon::Level as Height;
use Beacon::{Pulse as Beat, Silence as Quiet};

#[routine]
fn signal(a: u32) -> Beacon {
    match a % 3 {
        0 => Height(a),
        1 => Beat { at: a, width: a as u8 },
        _ => Quiet,
    }
}

#[routine]
fn renamed_variants(a: u32) -> (u32, bool) {
    let seen = match signal(a) {
        Height(level) => level,
        Beat { at, width: 0..9 } => at,
        Beat { .. } => 2,
        Quiet => 1,
    };
    (seen, matches!(signal(a / 2), Quiet | Height(0)))
}

#[routine]
fn is_alike<T>(a: &T, b: &T) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}

#[routine]
fn discriminants_of_values(a: u32, b: u32) -> (bool, bool, bool, u32) {
    use std::mem::discriminant;
    let kind = discriminant(&signal(a));
    let signals = [signal(a), signal(b), Beacon::Silence, signal(a / 7)];
    (
        kind == discriminant(&Beacon::Level(0)),
        kind != discriminant(&signal(b)),
        discriminant(&a.checked_sub(b)) == discriminant(&None),
        signals.windows(2).filter(|pair| is_alike(&pair[0], &pair[1])).count() as u32,
    )
}
