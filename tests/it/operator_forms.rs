//! Operators of users' types in all the forms that a number library writes: of values and of references, assigning from either, with numbers on either
//! side, and indices by a number, a pair and a range.

use std::ops::{
    Add, AddAssign, Index, IndexMut, Mul, MulAssign, Neg, Range, RangeFrom, RangeFull, RangeInclusive, Sub, SubAssign,
};

use gpuvm::prelude::*;

cases! {
    sums_of_vectors, which_form, of_references_to_references, numbers_on_either_side, negated, forms_assigned, of_fields_and_elements,
    forms_in_sums, forms_by_name, generic_over_references, big_sums, big_differences, by_pairs_and_rows, by_ranges, changed_by_ranges, of_what_is_no_place,
    views_added, complex_products,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[routine]
impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, other: Vec3) -> Vec3 {
        &self + &other
    }
}

#[routine]
impl Add<&Vec3> for Vec3 {
    type Output = Vec3;
    fn add(self, other: &Vec3) -> Vec3 {
        &self + other
    }
}

#[routine]
impl Add<Vec3> for &Vec3 {
    type Output = Vec3;
    fn add(self, other: Vec3) -> Vec3 {
        self + &other
    }
}

#[routine]
impl<'a> Add<&'a Vec3> for &'a Vec3 {
    type Output = Vec3;
    fn add(self, other: &'a Vec3) -> Vec3 {
        Vec3 {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
        }
    }
}

#[routine]
impl Mul for Vec3 {
    type Output = f32;
    fn mul(self, other: Vec3) -> f32 {
        self * &other
    }
}

#[routine]
impl Mul<&Vec3> for Vec3 {
    type Output = f32;
    fn mul(self, other: &Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
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
impl Mul<f32> for &Vec3 {
    type Output = Vec3;
    fn mul(self, by: f32) -> Vec3 {
        *self * by
    }
}

#[routine]
impl Mul<&f32> for Vec3 {
    type Output = Vec3;
    fn mul(self, by: &f32) -> Vec3 {
        self * *by
    }
}

#[routine]
impl Mul<Vec3> for f32 {
    type Output = Vec3;
    fn mul(self, by: Vec3) -> Vec3 {
        by * self
    }
}

#[routine]
impl Mul<&Vec3> for f32 {
    type Output = Vec3;
    fn mul(self, by: &Vec3) -> Vec3 {
        by * self
    }
}

#[routine]
impl Neg for Vec3 {
    type Output = Vec3;
    fn neg(self) -> Vec3 {
        self * -1.0
    }
}

#[routine]
impl Neg for &Vec3 {
    type Output = Vec3;
    fn neg(self) -> Vec3 {
        -*self
    }
}

#[routine]
impl AddAssign for Vec3 {
    fn add_assign(&mut self, other: Vec3) {
        *self = *self + other;
    }
}

#[routine]
impl AddAssign<&Vec3> for Vec3 {
    fn add_assign(&mut self, other: &Vec3) {
        *self = &*self + other;
    }
}

#[routine]
impl AddAssign<f32> for Vec3 {
    fn add_assign(&mut self, other: f32) {
        self.x += other;
    }
}

#[routine]
impl MulAssign<f32> for Vec3 {
    fn mul_assign(&mut self, by: f32) {
        *self = *self * by;
    }
}

#[routine]
impl<'a> std::iter::Sum<&'a Vec3> for Vec3 {
    fn sum<I: Iterator<Item = &'a Vec3>>(iter: I) -> Vec3 {
        let mut total = ZERO;
        for v in iter {
            total += v;
        }
        total
    }
}

const ZERO: Vec3 = Vec3 { x: 0.0, y: 0.0, z: 0.0 };

#[routine]
fn vector(x: f32) -> Vec3 {
    Vec3 {
        x,
        y: x + 1.0,
        z: x * 0.5,
    }
}

#[routine]
fn sums_of_vectors(x: f32, y: f32) -> Vec3 {
    let (a, b) = (vector(x), vector(y));
    let by_values = a + b;
    let mixed = a + &b + &by_values;
    let by_references = &a + &b;
    let (p, q) = (&a, &mixed);
    p + q + (p + by_references) + (&a + &(a + b))
}

/// Each form says which it is.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Which(u32);

#[routine]
impl Sub for Which {
    type Output = u32;
    fn sub(self, other: Which) -> u32 {
        self.0 ^ other.0
    }
}

#[routine]
impl Sub<&Which> for Which {
    type Output = u32;
    fn sub(self, other: &Which) -> u32 {
        self.0 ^ other.0 ^ 0x100
    }
}

#[routine]
impl Sub<Which> for &Which {
    type Output = u32;
    fn sub(self, other: Which) -> u32 {
        self.0 ^ other.0 ^ 0x200
    }
}

#[routine]
impl Sub<&Which> for &Which {
    type Output = u64;
    fn sub(self, other: &Which) -> u64 {
        (self.0 ^ other.0 ^ 0x300) as u64
    }
}

#[routine]
impl Sub<&&Which> for &Which {
    type Output = u32;
    fn sub(self, other: &&Which) -> u32 {
        self.0 ^ other.0 ^ 0x400
    }
}

#[routine]
fn which_form(x: u32, y: u32) -> (u32, u32, u32, u64) {
    let (a, b) = (Which(x), Which(y));
    (a - b, a - &b, &a - b, &a - &b)
}

#[routine]
fn of_references_to_references(x: u32) -> (u32, u64, u32) {
    let (a, b) = (Which(x), Which(7));
    let (p, q) = (&a, &b);
    let mut total = 0;
    let list = [a, b, a];
    for one in &list {
        total ^= one - b;
        total ^= *one - q;
    }
    (p - &q, p - q, total)
}

#[routine]
fn numbers_on_either_side(x: f32, y: f32) -> (Vec3, f32, Vec3) {
    let (a, b) = (vector(x), vector(y));
    (a * 2.0 + 3.0 * b + &b * y, a * b + a * &b, y * &a + a * &y)
}

#[routine]
fn negated(x: f32) -> Vec3 {
    let a = vector(x);
    -a + -&a + &-&a
}

#[routine]
fn forms_assigned(x: f32, y: f32) -> Vec3 {
    let (mut a, b) = (vector(x), vector(y));
    a += b;
    a += &b;
    a += 2.5;
    a *= y;
    let c = &mut a;
    *c += &b;
    *c += *&b;
    a
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Body {
    position: Vec3,
    speed: Vec3,
}

#[routine]
fn of_fields_and_elements(x: f32, y: f32) -> (Body, Vec3) {
    let mut body = Body {
        position: vector(x),
        speed: vector(y),
    };
    let mut list = [body.speed, body.position];
    body.position += &(&body.speed * 0.5);
    let first = list[0];
    list[1] += &first;
    for v in &list {
        body.speed += v;
        body.speed = &body.speed + v;
    }
    for v in &mut list {
        *v += &body.position;
        *v *= 0.5;
    }
    (body, &list[0] + &list[1])
}

#[routine]
fn forms_in_sums(x: f32) -> (Vec3, Vec3) {
    let list = [vector(x), vector(1.0), vector(-x)];
    let folded = list.iter().fold(ZERO, |sum, v| sum + v);
    (list.iter().sum::<Vec3>(), folded)
}

#[routine]
fn forms_by_name(x: f32, y: f32) -> (Vec3, Vec3, Vec3, f32) {
    let (a, b) = (vector(x), vector(y));
    let list = [a, b];
    (
        Vec3::add(a, &b),
        list.into_iter().fold(ZERO, Vec3::add),
        Add::add(&a, Vec3::mul(b, 2.0)),
        Vec3::mul(a, b) + Vec3::mul(a, &b),
    )
}

#[routine]
fn doubled<T: VmType>(x: &T) -> T
where
    for<'a> &'a T: Add<&'a T, Output = T>,
{
    x + x
}

#[routine]
fn tripled<T: VmType + Add<Output = T> + for<'a> AddAssign<&'a T>>(x: T) -> T {
    let mut sum = x + x;
    sum += &x;
    sum
}

#[routine]
fn generic_over_references(x: f32, n: u32) -> (Vec3, u32, f32, Vec3, f32) {
    let n = n & 0xffff;
    (
        doubled(&vector(x)),
        doubled(&n),
        doubled(&x),
        tripled(vector(x)),
        tripled(x),
    )
}

const LIMBS: usize = 4;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BigUint {
    limbs: [u32; LIMBS],
}

#[routine]
impl BigUint {
    fn new(x: u32) -> Self {
        BigUint {
            limbs: [x, x.rotate_left(7), x ^ 0xffff_0000, 0x0fff_ffff & x],
        }
    }
}

#[routine]
impl AddAssign<&BigUint> for BigUint {
    fn add_assign(&mut self, other: &BigUint) {
        let mut carry = false;
        for (a, b) in self.limbs.iter_mut().zip(&other.limbs) {
            let (sum, over) = a.overflowing_add(*b);
            let (sum, again) = sum.overflowing_add(carry as u32);
            *a = sum;
            carry = over || again;
        }
    }
}

#[routine]
impl AddAssign for BigUint {
    fn add_assign(&mut self, other: BigUint) {
        *self += &other;
    }
}

#[routine]
impl AddAssign<u32> for BigUint {
    fn add_assign(&mut self, other: u32) {
        *self += &BigUint {
            limbs: [other, 0, 0, 0],
        };
    }
}

#[routine]
impl SubAssign<&BigUint> for BigUint {
    fn sub_assign(&mut self, other: &BigUint) {
        let mut borrow = 0;
        for i in 0..LIMBS {
            let (rest, under) = self.limbs[i].overflowing_sub(other.limbs[i]);
            let (rest, again) = rest.overflowing_sub(borrow);
            self.limbs[i] = rest;
            borrow = (under | again) as u32;
        }
    }
}

#[routine]
impl Add<&BigUint> for BigUint {
    type Output = BigUint;
    fn add(mut self, other: &BigUint) -> BigUint {
        self += other;
        self
    }
}

#[routine]
impl Add for &BigUint {
    type Output = BigUint;
    fn add(self, other: &BigUint) -> BigUint {
        *self + other
    }
}

#[routine]
impl<'a> Sub<&'a BigUint> for &BigUint {
    type Output = BigUint;
    fn sub(self, other: &'a BigUint) -> BigUint {
        let mut rest = *self;
        rest -= other;
        rest
    }
}

#[routine]
fn big_sums(x: u32, y: u32) -> (BigUint, BigUint) {
    let (mut a, b) = (BigUint::new(x), BigUint::new(y));
    a += &b;
    a += b;
    a += y;
    let mut sum = &a + &b;
    for limb in [&a, &b] {
        sum += limb;
    }
    (a, sum + &b)
}

#[routine]
fn big_differences(x: u32, y: u32) -> (BigUint, bool) {
    let (a, b) = (BigUint::new(x), BigUint::new(y));
    let (more, less) = if a < b { (&b, &a) } else { (&a, &b) };
    let rest = more - less;
    (rest, &(&rest + less) == more)
}

const COLUMNS: usize = 3;

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Matrix {
    cells: [f32; 12],
}

#[routine]
impl Index<(usize, usize)> for Matrix {
    type Output = f32;
    fn index(&self, (row, column): (usize, usize)) -> &f32 {
        &self.cells[row * COLUMNS + column]
    }
}

#[routine]
impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f32 {
        &mut self.cells[row * COLUMNS + column]
    }
}

#[routine]
impl Index<usize> for Matrix {
    type Output = [f32];
    fn index(&self, row: usize) -> &[f32] {
        &self.cells[row * COLUMNS..(row + 1) * COLUMNS]
    }
}

#[routine]
impl IndexMut<usize> for Matrix {
    fn index_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.cells[row * COLUMNS..][..COLUMNS]
    }
}

#[routine]
impl Index<Range<usize>> for Matrix {
    type Output = [f32];
    fn index(&self, rows: Range<usize>) -> &[f32] {
        &self.cells[rows.start * COLUMNS..rows.end * COLUMNS]
    }
}

#[routine]
impl IndexMut<Range<usize>> for Matrix {
    fn index_mut(&mut self, rows: Range<usize>) -> &mut [f32] {
        &mut self.cells[rows.start * COLUMNS..rows.end * COLUMNS]
    }
}

#[routine]
impl Index<RangeInclusive<usize>> for Matrix {
    type Output = [f32];
    fn index(&self, rows: RangeInclusive<usize>) -> &[f32] {
        &self[*rows.start()..*rows.end() + 1]
    }
}

#[routine]
impl Index<RangeFrom<usize>> for Matrix {
    type Output = [f32];
    fn index(&self, rows: RangeFrom<usize>) -> &[f32] {
        &self.cells[rows.start * COLUMNS..]
    }
}

#[routine]
impl Index<RangeFull> for Matrix {
    type Output = [f32; 12];
    fn index(&self, _: RangeFull) -> &[f32; 12] {
        &self.cells
    }
}

#[routine]
fn matrix(x: f32) -> Matrix {
    let mut m = Matrix { cells: [x; 12] };
    for row in 0..4 {
        for column in 0..COLUMNS {
            m[(row, column)] += (row * 10 + column) as f32;
        }
    }
    m
}

#[routine]
fn by_pairs_and_rows(x: f32, i: u32) -> (f32, f32, Matrix) {
    let mut m = matrix(x);
    let row = (i % 4) as usize;
    m[row][1] = 0.5;
    m[(row, 2)] *= 2.0;
    let sum = m[row].iter().sum::<f32>();
    for cell in &mut m[3] {
        *cell -= x;
    }
    (m[(3, 1)] + m[row][0], sum, m)
}

#[routine]
fn by_ranges(x: f32, i: u32) -> (f32, usize, f32, f32, usize) {
    let m = matrix(x);
    let start = (i % 6) as usize;
    let rows = 1..3;
    let part = &m[start..4];
    (
        part.iter().sum(),
        m[rows.clone()].len() + m[1..=2].len(),
        m[2..][0] + m[rows][1],
        m[0..2][4],
        m[..].len(),
    )
}

#[routine]
fn changed_by_ranges(x: f32, i: u32) -> Matrix {
    let mut m = matrix(x);
    let end = (i % 4) as usize;
    m[0..end][0] += 100.0 * end as f32;
    for cell in &mut m[end..4] {
        *cell = -*cell;
    }
    m[1..2].fill(x);
    let n = &mut m;
    n[0..1][2] = 7.0;
    m
}

#[routine]
fn of_what_is_no_place(x: f32, i: u32) -> (f32, f32, usize) {
    let row = (i % 4) as usize;
    (matrix(x)[(row, 1)], matrix(x)[row][2], matrix(x)[1..3].len())
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct View<'a> {
    values: &'a [f32],
}

#[routine]
impl<'a> Add<f32> for View<'a> {
    type Output = f32;
    fn add(self, start: f32) -> f32 {
        self.values.iter().fold(start, |a, b| a + b)
    }
}

#[routine]
impl<'a> Add<View<'a>> for &View<'a> {
    type Output = f32;
    fn add(self, other: View<'a>) -> f32 {
        *self + (other + 0.0)
    }
}

#[routine]
impl<'a, 'b> Add<&'b View<'a>> for &'b View<'a> {
    type Output = f32;
    fn add(self, other: &'b View<'a>) -> f32 {
        (*self + 0.0) - (*other + 0.0)
    }
}

#[routine]
fn views_added(list: [f32; 4]) -> (f32, f32) {
    let (a, b) = (View { values: &list[1..] }, View { values: &list[..2] });
    (&a + b, &a + &b)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Complex<T> {
    re: T,
    im: T,
}

#[routine]
impl<T: VmType + Mul<Output = T> + Add<Output = T> + Sub<Output = T>> Mul for Complex<T> {
    type Output = Complex<T>;
    fn mul(self, other: Complex<T>) -> Complex<T> {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

#[routine]
impl<'a, T: VmType + Mul<Output = T> + Add<Output = T> + Sub<Output = T>> Mul<&'a Complex<T>> for &'a Complex<T> {
    type Output = Complex<T>;
    fn mul(self, other: &'a Complex<T>) -> Complex<T> {
        *self * *other
    }
}

#[routine]
impl<T: VmType + Mul<Output = T>> Mul<T> for Complex<T> {
    type Output = Complex<T>;
    fn mul(self, by: T) -> Complex<T> {
        Complex {
            re: self.re * by,
            im: self.im * by,
        }
    }
}

#[routine]
fn complex_products(x: f32, y: f32) -> (Complex<f32>, Complex<f32>) {
    let (a, b) = (Complex { re: x, im: y }, Complex { re: 0.5, im: -x });
    (a * b * 2.0, &(&a * &b) * &a)
}
