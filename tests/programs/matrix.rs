//! Matrices over any ring: integers modulo a prime, the tropical semiring, booleans, polynomials. Powers count walks, find shortest paths and closures.

use core::fmt::Debug;
use core::ops::{Add, Index, IndexMut, Mul};

use gpuvm::prelude::*;

#[routine]
pub trait Ring: Copy + PartialEq + Debug + Add<Output = Self> + Mul<Output = Self> {
    const ZERO: Self;
    const ONE: Self;

    fn square(self) -> Self {
        self * self
    }

    fn pow(self, mut exponent: u32) -> Self {
        let (mut base, mut result) = (self, Self::ONE);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * base;
            }
            base = base.square();
            exponent >>= 1;
        }
        result
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Residue<const P: u32>(u32);

#[routine]
impl<const P: u32> Add for Residue<P> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Residue((self.0 + other.0) % P)
    }
}

#[routine]
impl<const P: u32> Mul for Residue<P> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Residue((u64::from(self.0) * u64::from(other.0) % u64::from(P)) as u32)
    }
}

#[routine]
impl<const P: u32> Ring for Residue<P> {
    const ZERO: Self = Residue(0);
    const ONE: Self = Residue(1);
}

#[routine]
impl<const P: u32> From<u32> for Residue<P> {
    fn from(value: u32) -> Self {
        Residue(value % P)
    }
}

/// Least sums: `None` is no way at all.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tropical(Option<u32>);

#[routine]
impl Add for Tropical {
    type Output = Tropical;

    fn add(self, other: Tropical) -> Tropical {
        Tropical(match (self.0, other.0) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        })
    }
}

#[routine]
impl Mul for Tropical {
    type Output = Tropical;

    fn mul(self, other: Tropical) -> Tropical {
        Tropical(self.0.zip(other.0).map(|(a, b)| a.saturating_add(b)))
    }
}

#[routine]
impl Ring for Tropical {
    const ZERO: Self = Tropical(None);
    const ONE: Self = Tropical(Some(0));
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth(bool);

#[routine]
impl Add for Truth {
    type Output = Truth;

    fn add(self, other: Truth) -> Truth {
        Truth(self.0 | other.0)
    }
}

#[routine]
impl Mul for Truth {
    type Output = Truth;

    fn mul(self, other: Truth) -> Truth {
        Truth(self.0 & other.0)
    }
}

#[routine]
impl Ring for Truth {
    const ZERO: Self = Truth(false);
    const ONE: Self = Truth(true);

    fn square(self) -> Self {
        self
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Matrix<T, const N: usize> {
    rows: [[T; N]; N],
}

#[routine]
impl<T: Ring, const N: usize> Matrix<T, N> {
    pub fn zero() -> Self {
        Matrix {
            rows: [[T::ZERO; N]; N],
        }
    }

    pub fn identity() -> Self {
        let mut matrix = Self::zero();
        for i in 0..N {
            matrix[(i, i)] = T::ONE;
        }
        matrix
    }

    pub fn from_fn(mut cell: impl FnMut(usize, usize) -> T) -> Self {
        let mut matrix = Self::zero();
        for (i, row) in matrix.rows.iter_mut().enumerate() {
            for (j, place) in row.iter_mut().enumerate() {
                *place = cell(i, j);
            }
        }
        matrix
    }

    pub fn row(&self, row: usize) -> impl Iterator<Item = T> + '_ {
        self.rows[row].iter().copied()
    }

    pub fn column(&self, column: usize) -> impl Iterator<Item = T> + '_ {
        self.rows.iter().map(move |row| row[column])
    }

    pub fn diagonal(&self) -> impl Iterator<Item = T> + '_ {
        self.rows.iter().enumerate().map(|(i, row)| row[i])
    }

    pub fn transposed(&self) -> Self {
        Self::from_fn(|i, j| self[(j, i)])
    }

    pub fn trace(&self) -> T {
        sum(self.diagonal())
    }

    pub fn pow(self, exponent: u32) -> Self {
        match exponent {
            0 => Self::identity(),
            n if n % 2 == 0 => (self * self).pow(n / 2),
            n => self * self.pow(n - 1),
        }
    }
}

#[routine]
impl<T, const N: usize> Index<(usize, usize)> for Matrix<T, N> {
    type Output = T;

    fn index(&self, (row, column): (usize, usize)) -> &T {
        &self.rows[row][column]
    }
}

#[routine]
impl<T, const N: usize> IndexMut<(usize, usize)> for Matrix<T, N> {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut T {
        &mut self.rows[row][column]
    }
}

#[routine]
fn sum<T: Ring>(items: impl Iterator<Item = T>) -> T {
    items.fold(T::ZERO, |sum, item| sum + item)
}

#[routine]
fn dot<T: Ring>(a: impl Iterator<Item = T>, b: impl Iterator<Item = T>) -> T {
    sum(a.zip(b).map(|(a, b)| a * b))
}

#[routine]
impl<T: Ring, const N: usize> Mul for Matrix<T, N> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Matrix::from_fn(|i, j| dot(self.row(i), other.column(j)))
    }
}

#[routine]
impl<T: Ring, const N: usize> Add for Matrix<T, N> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Matrix::from_fn(|i, j| self[(i, j)] + other[(i, j)])
    }
}

/// `c0 + c1 m + c2 m² + …`
#[routine]
fn evaluated<T: Ring, const N: usize>(coefficients: &[T], at: Matrix<T, N>) -> Matrix<T, N> {
    coefficients.iter().rev().fold(Matrix::zero(), |value, &c| {
        value * at + Matrix::from_fn(|i, j| if i == j { c } else { T::ZERO })
    })
}

/// Whether a matrix is symmetric, and the sums of its rows.
#[routine]
fn described<T: Ring, const N: usize>(matrix: &Matrix<T, N>) -> (bool, [T; N]) {
    let sums = core::array::from_fn(|i| sum(matrix.row(i)));
    (*matrix == matrix.transposed(), sums)
}

/// Fibonacci's number by a matrix's power, modulo a prime.
#[routine]
pub fn fibonacci_modulo(n: u32) -> u32 {
    let step = Matrix::<Residue<1_000_000_007>, 2> {
        rows: [[Residue(1), Residue(1)], [Residue(1), Residue(0)]],
    };
    step.pow(n)[(0, 1)].0
}

/// How many walks of a length there are between any two places of a graph of four, given as bits, and how many closed ones.
#[routine]
pub fn count_walks(edges: u16, length: u32) -> ([[u32; 4]; 4], u32) {
    let graph = Matrix::<Residue<10_007>, 4>::from_fn(|i, j| Residue::from(u32::from(edges >> (4 * i + j) & 1)));
    let walks = graph.pow(length);
    (walks.rows.map(|row| row.map(|r| r.0)), walks.trace().0)
}

/// The shortest ways between the places of a graph of three whose edges have weights; 0 is none. And the lengths of its rows' shortest.
#[routine]
pub fn shortest_ways(weights: [u8; 9]) -> ([Option<u32>; 9], [Option<u32>; 3], bool) {
    let graph = Matrix::<Tropical, 3>::from_fn(|i, j| {
        let weight = weights[3 * i + j];
        match (i == j, weight) {
            (true, _) => Tropical::ONE,
            (false, 0) => Tropical::ZERO,
            (false, _) => Tropical(Some(u32::from(weight))),
        }
    });
    let ways = graph.pow(2);
    let (is_symmetric, sums) = described(&ways);
    let mut flat = [None; 9];
    for (place, way) in flat.iter_mut().zip(ways.rows.as_flattened()) {
        *place = way.0;
    }
    (flat, sums.map(|s| s.0), is_symmetric)
}

/// What can be reached at all, as bits.
#[routine]
pub fn reachable(edges: u16) -> u16 {
    let graph = Matrix::<Truth, 4>::from_fn(|i, j| Truth(i == j || edges >> (4 * i + j) & 1 == 1));
    let closure = graph.pow(3);
    let cells = closure.rows.as_flattened().iter().enumerate();
    cells.filter(|(_, cell)| cell.0).fold(0, |bits, (i, _)| bits | 1 << i)
}

/// A polynomial of a matrix, modulo 97, and of its entries alone.
#[routine]
pub fn matrix_polynomial(entries: [u8; 4], coefficients: [u8; 3]) -> ([u32; 4], u32) {
    let [a, b, c, d] = entries.map(|entry| Residue::<97>::from(u32::from(entry)));
    let coefficients = coefficients.map(|c| Residue::from(u32::from(c)));
    let value = evaluated(&coefficients, Matrix { rows: [[a, b], [c, d]] });
    let [[e, f], [g, h]] = value.rows;
    let by_powers = coefficients
        .iter()
        .enumerate()
        .map(|(i, &c)| c * a.pow(i as u32))
        .fold(Residue::ZERO, |sum, term| sum + term);
    ([e.0, f.0, g.0, h.0], by_powers.0)
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn powers() {
        let of_90 = (2_880_067_194_370_816_120u64 % 1_000_000_007) as u32;
        assert_eq!([0, 1, 2, 10, 90].map(fibonacci_modulo), [0, 1, 1, 55, of_90]);
        // A triangle and a place alone.
        let (walks, closed) = count_walks(0b0000_0011_0101_0110, 3);
        assert_eq!((walks[0], closed), ([2, 3, 3, 0], 6));
    }

    #[test]
    fn ways() {
        let (ways, rows, is_symmetric) = shortest_ways([0, 5, 1, 0, 0, 0, 0, 2, 0]);
        assert_eq!(ways[..3], [Some(0), Some(3), Some(1)]);
        assert_eq!((ways[3], rows, is_symmetric), (None, [Some(0); 3], false));
        // From 0 to 1, to 2, and from 3 to 0.
        assert_eq!(reachable(0b0001_0000_0100_0010), 0b1111_0100_0110_0111);
    }

    #[test]
    fn polynomials() {
        // 1 + m² of a rotation by a right angle is nothing.
        assert_eq!(matrix_polynomial([0, 96, 1, 0], [1, 0, 1]).0, [0; 4]);
        assert_eq!(matrix_polynomial([3, 0, 0, 5], [1, 2, 1]), ([16, 0, 0, 36], 16));
    }
}
