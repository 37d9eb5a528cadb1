//! Small dense matrices in `f64`: LU with pivots, Cholesky, QR by Householder, determinant, inverse, eigenvalues.

use core::array;
use core::ops::{Index, IndexMut, Mul, Sub};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Matrix<const R: usize, const C: usize>(pub [[f64; C]; R]);

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum MatrixError {
    Singular,
    NotPositiveDefinite,
}

#[routine]
impl<const R: usize, const C: usize> Matrix<R, C> {
    const ZERO: Self = Self([[0.0; C]; R]);

    fn from_fn(f: impl Fn(usize, usize) -> f64) -> Self {
        Self(array::from_fn(|row| array::from_fn(|column| f(row, column))))
    }

    fn transpose(&self) -> Matrix<C, R> {
        Matrix::from_fn(|row, column| self[(column, row)])
    }

    /// The root of the sum of squares.
    fn norm(&self) -> f64 {
        self.0.iter().flatten().map(|x| x * x).sum::<f64>().sqrt()
    }
}

#[routine]
impl<const R: usize, const C: usize> Index<(usize, usize)> for Matrix<R, C> {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.0[row][column]
    }
}

#[routine]
impl<const R: usize, const C: usize> IndexMut<(usize, usize)> for Matrix<R, C> {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.0[row][column]
    }
}

#[routine]
impl<const R: usize, const K: usize, const C: usize> Mul<Matrix<K, C>> for Matrix<R, K> {
    type Output = Matrix<R, C>;

    fn mul(self, other: Matrix<K, C>) -> Matrix<R, C> {
        Matrix::from_fn(|row, column| (0..K).map(|k| self[(row, k)] * other[(k, column)]).sum())
    }
}

#[routine]
impl<const R: usize, const C: usize> Sub for Matrix<R, C> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::from_fn(|row, column| self[(row, column)] - other[(row, column)])
    }
}

/// Both triangles in one matrix, the rows in the order of `pivots`.
#[derive(VmType, Clone, Copy)]
struct Lu<const N: usize> {
    factors: Matrix<N, N>,
    pivots: [usize; N],
    sign: f64,
}

#[routine]
impl<const N: usize> Matrix<N, N> {
    fn identity() -> Self {
        Self::from_fn(|row, column| if row == column { 1.0 } else { 0.0 })
    }

    fn lu(mut self) -> Result<Lu<N>, MatrixError> {
        let mut pivots = array::from_fn(|i| i);
        let mut sign = 1.0;
        for k in 0..N {
            let pivot = (k..N)
                .max_by(|&a, &b| self[(a, k)].abs().total_cmp(&self[(b, k)].abs()))
                .filter(|&row| self[(row, k)].abs() > 1e-300)
                .ok_or(MatrixError::Singular)?;
            if pivot != k {
                self.0.swap(pivot, k);
                pivots.swap(pivot, k);
                sign = -sign;
            }
            let (upper, lower) = self.0.split_at_mut(k + 1);
            let pivot_row = &upper[k];
            for row in lower {
                let factor = row[k] / pivot_row[k];
                row[k] = factor;
                for (x, p) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                    *x -= factor * p;
                }
            }
        }
        Ok(Lu {
            factors: self,
            pivots,
            sign,
        })
    }

    /// The lower triangle whose product with its transpose this is.
    fn cholesky(&self) -> Result<Self, MatrixError> {
        let mut lower = Self::ZERO;
        for i in 0..N {
            for j in 0..=i {
                let dot: f64 = lower.0[i][..j].iter().zip(&lower.0[j][..j]).map(|(a, b)| a * b).sum();
                let rest = self[(i, j)] - dot;
                lower[(i, j)] = if i != j {
                    rest / lower[(j, j)]
                } else if rest > 0.0 {
                    rest.sqrt()
                } else {
                    return Err(MatrixError::NotPositiveDefinite);
                };
            }
        }
        Ok(lower)
    }

    fn qr(&self) -> (Self, Self) {
        let (mut q, mut r) = (Self::identity(), *self);
        for k in 0..N.saturating_sub(1) {
            let mut v = [0.0; N];
            for row in k..N {
                v[row] = r[(row, k)];
            }
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            v[k] += length.copysign(v[k]);
            let square: f64 = v.iter().map(|x| x * x).sum();
            if square == 0.0 {
                continue;
            }
            let reflection = Self::identity() - Self::from_fn(|row, column| 2.0 * v[row] * v[column] / square);
            r = reflection * r;
            q = q * reflection;
        }
        (q, r)
    }
}

#[routine]
impl<const N: usize> Lu<N> {
    fn determinant(&self) -> f64 {
        (0..N).fold(self.sign, |product, i| product * self.factors[(i, i)])
    }

    fn solve(&self, b: &[f64; N]) -> [f64; N] {
        let mut x = self.pivots.map(|from| b[from]);
        for i in 0..N {
            let (known, rest) = x.split_at_mut(i);
            rest[0] -= self.factors.0[i]
                .iter()
                .zip(known.iter())
                .map(|(l, x)| l * x)
                .sum::<f64>();
        }
        for i in (0..N).rev() {
            let sum: f64 = (i + 1..N).map(|j| self.factors[(i, j)] * x[j]).sum();
            x[i] = (x[i] - sum) / self.factors[(i, i)];
        }
        x
    }

    fn inverse(&self) -> Matrix<N, N> {
        let columns = Matrix(array::from_fn(|i| self.solve(&Matrix::<N, N>::identity().0[i])));
        columns.transpose()
    }
}

/// The solution of four equations; not-a-number throughout where there is not just one.
#[routine]
pub fn solve_linear(matrix: Matrix<4, 4>, b: [f64; 4]) -> [f64; 4] {
    matrix.lu().map_or([f64::NAN; 4], |lu| lu.solve(&b))
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Decompositions {
    pub determinant: f64,
    pub inverse_error: f64,
    pub cholesky_error: f64,
    pub qr_error: f64,
}

/// How far the products of its factors are from a matrix; -1 for what it has not.
#[routine]
pub fn decompose(matrix: Matrix<4, 4>) -> Decompositions {
    let lu = matrix.lu();
    let (q, r) = matrix.qr();
    Decompositions {
        determinant: lu.as_ref().map(Lu::determinant).unwrap_or(0.0),
        inverse_error: lu
            .map(|lu| (matrix * lu.inverse() - Matrix::identity()).norm())
            .unwrap_or(-1.0),
        cholesky_error: match matrix.cholesky() {
            Ok(lower) => (lower * lower.transpose() - matrix).norm(),
            Err(_) => -1.0,
        },
        qr_error: (q * r - matrix).norm() + (q * q.transpose() - Matrix::identity()).norm(),
    }
}

/// The eigenvalues of a symmetric matrix, the greatest first, by QR steps.
#[routine]
pub fn symmetric_eigenvalues(matrix: Matrix<3, 3>) -> [f64; 3] {
    let mut a = matrix;
    for _ in 0..60 {
        let (q, r) = a.qr();
        a = r * q;
    }
    let mut values = array::from_fn(|i| a[(i, i)]);
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    values
}

#[cfg(test)]
mod known {
    use super::*;

    const SPD: Matrix<4, 4> = Matrix([
        [4.0, 1.0, 2.0, 0.5],
        [1.0, 5.0, 1.5, 1.0],
        [2.0, 1.5, 6.0, 2.0],
        [0.5, 1.0, 2.0, 7.0],
    ]);

    #[test]
    fn solves() {
        let matrix = Matrix([
            [0.0, 2.0, 0.0, 1.0],
            [2.0, 2.0, 3.0, 2.0],
            [4.0, -3.0, 0.0, 1.0],
            [6.0, 1.0, -6.0, -5.0],
        ]);
        let x = solve_linear(matrix, [0.0, -2.0, -7.0, 6.0]);
        for (x, expected) in x.iter().zip([-0.5, 1.0, 1.0 / 3.0, -2.0]) {
            assert!((x - expected).abs() < 1e-12);
        }
        assert!((decompose(matrix).determinant - -234.0).abs() < 1e-9);
        assert!(solve_linear(Matrix::ZERO, [1.0; 4])[0].is_nan());
    }

    #[test]
    fn factors() {
        let found = decompose(SPD);
        assert!(found.inverse_error < 1e-12 && found.qr_error < 1e-12);
        assert!((0.0..1e-12).contains(&found.cholesky_error));
        assert_eq!(
            decompose(Matrix::from_fn(|r, c| if r == c { -1.0 } else { 0.0 })).cholesky_error,
            -1.0
        );
    }

    #[test]
    fn eigenvalues() {
        let values = symmetric_eigenvalues(Matrix([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]]));
        for (value, expected) in values.iter().zip([2.0 + 2.0f64.sqrt(), 2.0, 2.0 - 2.0f64.sqrt()]) {
            assert!((value - expected).abs() < 1e-9);
        }
    }
}
