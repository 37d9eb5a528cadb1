//! Operators that the user overloads for their own types with `#[routine] impl`.

use std::ops::{Add, AddAssign, BitXor, Index, IndexMut, Mul, Neg, Not, Rem, Sub};

use gpuvm::prelude::*;

cases! {
    vector_algebra, scalar_times_vector, add_assign_overload, negation, complex_multiply, xor_overload, eq_overload, overload_in_loop, not_overload,
    mixed_operands, operators_on_fields, derived_equality, fixed_point, index_by_pair, index_of_rows, index_within, index_by_enum,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[routine]
impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, other: Vec3) -> Vec3 {
        Vec3 {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
        }
    }
}

#[routine]
impl Sub for Vec3 {
    type Output = Vec3;
    fn sub(self, other: Vec3) -> Vec3 {
        self + -other
    }
}

#[routine]
impl Neg for Vec3 {
    type Output = Vec3;
    fn neg(self) -> Vec3 {
        Vec3 {
            x: -self.x,
            y: -self.y,
            z: -self.z,
        }
    }
}

#[routine]
impl Mul<f32> for Vec3 {
    type Output = Vec3;
    fn mul(self, by: f32) -> Vec3 {
        Vec3 {
            x: self.x * by,
            y: self.y * by,
            z: self.z * by,
        }
    }
}

#[routine]
impl Mul<Vec3> for f32 {
    type Output = Vec3;
    fn mul(self, vector: Vec3) -> Vec3 {
        vector * self
    }
}

#[routine]
impl AddAssign for Vec3 {
    fn add_assign(&mut self, other: Vec3) {
        self.x += other.x;
        self.y += other.y;
        self.z += other.z;
    }
}

#[routine]
impl Vec3 {
    fn new(x: f32, y: f32, z: f32) -> Vec3 {
        Vec3 { x, y, z }
    }

    fn dot(self, other: Vec3) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

#[routine]
fn vector_algebra(a: f32, b: f32, c: f32) -> Vec3 {
    let v = Vec3::new(a, b, c);
    let w = Vec3::new(1.0, -0.5, a);
    (v + w) * 0.5 - w * 2.0
}

#[routine]
fn scalar_times_vector(a: f32, b: f32) -> f32 {
    let v = a * Vec3::new(1.0, 2.0, b);
    v.dot(Vec3::new(b, 1.0, -1.0) * a)
}

#[routine]
fn add_assign_overload(a: f32, n: u32) -> Vec3 {
    let mut sum = Vec3::new(0.0, 0.0, 0.0);
    for i in 0..n % 6 {
        sum += Vec3::new(i as f32, a, -1.0);
    }
    sum
}

#[routine]
fn negation(a: f32) -> Vec3 {
    let v = -Vec3::new(a, -0.0, 0.0);
    -(v - v)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Complex(f32, f32);

#[routine]
impl Mul for Complex {
    type Output = Complex;
    fn mul(self, Complex(c, d): Complex) -> Complex {
        let Complex(a, b) = self;
        Complex(a * c - b * d, a * d + b * c)
    }
}

#[routine]
fn complex_multiply(a: f32, b: f32, n: u32) -> Complex {
    let mut z = Complex(1.0, 0.0);
    for _ in 0..n % 5 {
        z = z * Complex(a, b);
    }
    z
}

#[derive(VmType, Clone, Copy, Debug)]
struct Modular(u32);

#[routine]
impl BitXor for Modular {
    type Output = Modular;
    fn bitxor(self, other: Modular) -> Modular {
        Modular(self.0 ^ other.0 % 12)
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Hour(u32);

#[routine]
impl PartialEq for Hour {
    fn eq(&self, other: &Hour) -> bool {
        self.0 % 12 == other.0 % 12
    }
}

#[routine]
fn eq_overload(a: u32, b: u32) -> (bool, bool) {
    (Hour(a) == Hour(b), Hour(a) != Hour(b / 2))
}

#[routine]
impl Rem<u32> for Modular {
    type Output = u32;
    fn rem(self, by: u32) -> u32 {
        self.0 % by
    }
}

#[routine]
fn xor_overload(a: u32, b: u32) -> Modular {
    Modular(a) ^ Modular(b) ^ Modular(b / 2)
}

#[routine]
fn overload_in_loop(a: f32, n: u32) -> f32 {
    let mut position = Vec3::new(a, 0.0, 1.0);
    let mut velocity = Vec3::new(0.0, 1.0, 0.0);
    for _ in 0..n % 20 {
        velocity += position * -0.01;
        position += velocity * 0.1;
    }
    position.dot(velocity)
}

#[derive(VmType, Clone, Copy, Debug)]
enum Switch {
    On,
    Off,
}

#[routine]
impl Not for Switch {
    type Output = Switch;
    fn not(self) -> Switch {
        match self {
            Switch::On => Switch::Off,
            Switch::Off => Switch::On,
        }
    }
}

#[routine]
fn not_overload(a: u32) -> Switch {
    let switch = if a % 2 == 0 { Switch::On } else { Switch::Off };
    if a % 3 == 0 { !switch } else { !!switch }
}

#[routine]
fn mixed_operands(a: u32, b: f32) -> (u32, f32) {
    let rest = Modular(a) % 7 + a % 5;
    (rest, (Vec3::new(b, b, b) * rest as f32).x + 1.0)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Segment {
    from: Vec3,
    to: Vec3,
}

#[routine]
fn operators_on_fields(a: f32, b: f32) -> Segment {
    let mut segment = Segment {
        from: Vec3::new(a, 0.0, 0.0),
        to: Vec3::new(0.0, b, 1.0),
    };
    segment.from += segment.to;
    segment.to = segment.to - segment.from * 0.25;
    segment
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Rank {
    Low,
    Middle,
    High,
}

#[routine]
fn rank_of(n: u32) -> Rank {
    match n % 3 {
        0 => Rank::Low,
        1 => Rank::Middle,
        _ => Rank::High,
    }
}

#[routine]
fn derived_equality(a: u32, b: u32) -> (bool, bool, bool) {
    let (x, y) = (rank_of(a), rank_of(b));
    ((x as u32) < y as u32, x == y, x != Rank::Low)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Fixed(i32);

#[routine]
impl Mul for Fixed {
    type Output = Fixed;
    fn mul(self, other: Fixed) -> Fixed {
        Fixed((self.0 as i64 * other.0 as i64 >> 16) as i32)
    }
}

#[routine]
impl Add for Fixed {
    type Output = Fixed;
    fn add(self, other: Fixed) -> Fixed {
        Fixed(self.0.wrapping_add(other.0))
    }
}

#[routine]
fn fixed_point(a: i32, b: i32) -> Fixed {
    let (x, y) = (Fixed(a), Fixed(b));
    x * x + y * y * x + Fixed(1 << 16)
}

/// A board of columns and rows, which counts how often a cell of it was to be changed.
#[derive(VmType, Clone, Copy, Debug)]
struct Board {
    cells: [[u8; 4]; 3],
    changed: u32,
}

#[routine]
impl Index<(usize, usize)> for Board {
    type Output = u8;

    fn index(&self, (x, y): (usize, usize)) -> &u8 {
        &self.cells[y][x]
    }
}

#[routine]
impl IndexMut<(usize, usize)> for Board {
    fn index_mut(&mut self, (x, y): (usize, usize)) -> &mut u8 {
        self.changed += 1;
        &mut self.cells[y][x]
    }
}

#[routine]
impl Board {
    fn transpose(&mut self) {
        for x in 0..3 {
            for y in 0..x {
                (self[(x, y)], self[(y, x)]) = (self[(y, x)], self[(x, y)]);
            }
        }
    }
}

#[routine]
fn index_by_pair(x: u32, y: u32, by: u8) -> (Board, u8) {
    // Now and then outside.
    let (x, y) = (
        (x % 64).saturating_sub(59) as usize,
        (y % 64).saturating_sub(60) as usize,
    );
    let mut board = Board {
        cells: [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]],
        changed: 0,
    };
    board[(x, y)] = by;
    board[(0, 1)] ^= board[(x, y)];
    let cell = &mut board[(3, 2)];
    *cell = cell.wrapping_add(by);
    board.transpose();
    (board, board[(y, 2)] / 2)
}

/// Rows of bytes, one behind the other.
#[derive(VmType, Clone, Copy, Debug)]
struct Rows {
    bytes: [u8; 12],
}

#[routine]
impl Index<usize> for Rows {
    type Output = [u8];

    fn index(&self, row: usize) -> &[u8] {
        &self.bytes[4 * row..4 * row + 4]
    }
}

#[routine]
impl IndexMut<usize> for Rows {
    fn index_mut(&mut self, row: usize) -> &mut [u8] {
        &mut self.bytes[4 * row..4 * row + 4]
    }
}

#[routine]
fn index_of_rows(row: u32, column: u32, by: u8) -> (Rows, u32) {
    let (row, column) = (
        (row % 32).saturating_sub(28) as usize,
        (column % 32).saturating_sub(27) as usize,
    );
    let mut rows = Rows { bytes: [7; 12] };
    rows[row][column] = by;
    rows[2][column / 2] |= rows[row][0];
    let sum = rows[row].iter().map(|byte| u32::from(*byte)).sum();
    (rows, sum)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Shelf {
    rows: Rows,
    board: Board,
    plain: [u16; 3],
}

#[routine]
fn index_within(x: u32, by: u8) -> (Shelf, u32) {
    let x = (x % 3) as usize;
    let mut shelf = Shelf {
        rows: Rows { bytes: [by; 12] },
        board: Board {
            cells: [[by / 2; 4]; 3],
            changed: 0,
        },
        plain: [1, 2, 3],
    };
    let place = &mut shelf;
    place.board[(x, usize::from(place.plain[0]))] = 3;
    place.rows[x][usize::from(place.board[(x, 1)])] = 9;
    place.plain[usize::from(place.board[(x, 1)]) - 1] += 7;
    let sum = place.rows[x].len() as u32 + u32::from(place.plain[2]);
    (shelf, sum)
}

#[routine]
impl Index<Rank> for Shelf {
    type Output = u16;

    fn index(&self, rank: Rank) -> &u16 {
        match rank {
            Rank::Low => &self.plain[0],
            _ => &self.plain[1],
        }
    }
}

#[routine]
fn rank_on(shelf: &Shelf, rank: Rank) -> u16 {
    shelf[rank] + shelf[Rank::Low]
}

#[routine]
fn index_by_enum(a: u32, by: u16) -> u16 {
    let shelf = Shelf {
        rows: Rows { bytes: [0; 12] },
        board: Board {
            cells: [[0; 4]; 3],
            changed: 0,
        },
        plain: [by / 4, by / 3, 1],
    };
    rank_on(&shelf, rank_of(a))
}
