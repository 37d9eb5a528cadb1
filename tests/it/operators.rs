//! Operators that the user overloads for their own types with `#[routine] impl`.

use std::ops::{Add, AddAssign, BitXor, Index, IndexMut, Mul, Neg, Not, Rem, Sub};

use gpuvm::prelude::*;

cases! {
    vector_algebra, scalar_times_vector, add_assign_overload, negation, complex_multiply, xor_overload, eq_overload, overload_in_loop, not_overload,
    mixed_operands, operators_on_fields, derived_equality, fixed_point,
    indexed_read, indexed_write, indexed_in_place, indexed_by_reference, indexed_twice, generic_index,
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

/// A board of which a cell is given by its row and column, and a row by its number.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Board {
    cells: [[u8; 4]; 3],
    used: u32,
}

#[routine]
impl Index<(u32, u32)> for Board {
    type Output = u8;

    fn index(&self, (row, column): (u32, u32)) -> &u8 {
        &self.cells[(row % 3) as usize][(column % 4) as usize]
    }
}

#[routine]
impl IndexMut<(u32, u32)> for Board {
    fn index_mut(&mut self, (row, column): (u32, u32)) -> &mut u8 {
        &mut self.cells[(row % 3) as usize][(column % 4) as usize]
    }
}

#[routine]
impl Index<usize> for Board {
    type Output = [u8; 4];

    fn index(&self, row: usize) -> &[u8; 4] {
        &self.cells[row]
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Ring<T, const N: usize> {
    items: [T; N],
    start: usize,
}

#[routine]
impl<T: Copy, const N: usize> Index<usize> for Ring<T, N> {
    type Output = T;

    fn index(&self, i: usize) -> &T {
        &self.items[(self.start % N + i % N) % N]
    }
}

#[routine]
fn indexed_read(cells: [[u8; 4]; 3], n: u32, m: u32) -> (u8, u8) {
    let board = Board { cells, used: n };
    (board[(n, m)], board[(n % 4) as usize][2])
}

#[routine]
fn indexed_write(cells: [[u8; 4]; 3], n: u32, m: u32) -> Board {
    let mut board = Board { cells, used: 0 };
    board[(n, m)] = 9;
    board[(m, 1)] = board[(2, n)] ^ 1;
    board.used = u32::from(board[0][3]);
    board
}

#[routine]
fn indexed_in_place(cells: [[u8; 4]; 3], n: u32) -> Board {
    let mut board = Board { cells, used: n };
    board[(n, 1)] /= 3;
    board[(0, n)] |= 0x80;
    let cell = &mut board[(1, n)];
    *cell ^= 0x11;
    board
}

#[routine]
fn indexed_by_reference(cells: [[u8; 4]; 3], n: u32) -> (u8, u32) {
    let board = Board { cells, used: n };
    let lent = &board;
    let most = lent[1].iter().copied().max().unwrap_or(0);
    (most ^ lent[(n, n)], lent[2].iter().map(|cell| u32::from(*cell)).sum())
}

#[routine]
fn indexed_twice(cells: [[u8; 4]; 3], n: u32) -> u8 {
    let boards = [Board { cells, used: 1 }, Board { cells, used: 2 }];
    let at = u32::from(boards[(n % 2) as usize][(n, 0)]);
    boards[1][(at, at)]
}

#[routine]
fn generic_index(items: [u32; 8], i: u32, start: u32) -> (u32, u64) {
    let (i, start) = (i as usize, start as usize);
    let ring = Ring { items, start };
    let wide = Ring {
        items: [3u64, 5, u64::from(items[0])],
        start: i,
    };
    (ring[i], wide[start] ^ wide[0])
}
