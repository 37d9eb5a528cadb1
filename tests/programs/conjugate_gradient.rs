//! Sparse linear systems: matrices by compressed rows over borrowed slices, and conjugate gradients over whatever can be multiplied by a vector, with a
//! preconditioner of the caller's.

use std::ops::{ControlFlow, Range};

use gpuvm::prelude::*;

/// What maps vectors to vectors.
#[routine]
pub trait Operator {
    fn size(&self) -> usize;

    /// `out = A x`
    fn apply(&self, x: &[f64], out: &mut [f64]);

    fn residual(&self, x: &[f64], b: &[f64], out: &mut [f64]) {
        self.apply(x, out);
        for (r, b) in out.iter_mut().zip(b) {
            *r = b - *r;
        }
    }
}

/// What comes near the inverse of an operator.
#[routine]
pub trait Preconditioner {
    fn precondition(&self, residual: &[f64], out: &mut [f64]);
}

/// Row `i` has the entries `starts[i]..starts[i + 1]`.
#[derive(VmType, Clone, Copy, Debug)]
pub struct Csr<'a> {
    starts: &'a [u32],
    columns: &'a [u32],
    values: &'a [f64],
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub enum Malformed {
    Starts,
    Row { row: u32, column: u32 },
    Lengths,
}

#[routine]
impl<'a> Csr<'a> {
    pub fn new(starts: &'a [u32], columns: &'a [u32], values: &'a [f64]) -> Result<Self, Malformed> {
        let matrix = Csr {
            starts,
            columns,
            values,
        };
        if !starts.is_sorted() || starts.first() != Some(&0) {
            return Err(Malformed::Starts);
        }
        if columns.len() != values.len() || starts.last().copied() != Some(columns.len() as u32) {
            return Err(Malformed::Lengths);
        }
        let size = matrix.size();
        for row in 0..size {
            let outside = matrix.row(row).find(|&(column, _)| column >= size);
            if let Some((column, _)) = outside {
                return Err(Malformed::Row {
                    row: row as u32,
                    column: column as u32,
                });
            }
        }
        Ok(matrix)
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        let range = self.range(row);
        let columns = self.columns[range.clone()].iter();
        columns
            .map(|&column| column as usize)
            .zip(self.values[range].iter().copied())
    }

    pub fn diagonal(&self, row: usize) -> Option<f64> {
        self.row(row)
            .find_map(|(column, value)| (column == row).then_some(value))
    }
}

#[routine]
impl Operator for Csr<'_> {
    fn size(&self) -> usize {
        self.starts.len() - 1
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        for (row, slot) in out.iter_mut().enumerate() {
            *slot = self.row(row).map(|(column, value)| value * x[column]).sum();
        }
    }
}

/// An operator that nobody writes down: second differences over a line.
#[derive(VmType, Clone, Copy, Debug)]
pub struct Laplacian {
    pub points: u32,
    pub shift: f64,
}

#[routine]
impl Operator for Laplacian {
    fn size(&self) -> usize {
        self.points as usize
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        let at = |i: usize| x.get(i).copied().unwrap_or_default();
        for i in 0..self.size() {
            out[i] = (2.0 + self.shift) * at(i) - at(i.wrapping_sub(1)) - at(i + 1);
        }
    }
}

/// What is another one, times a number.
#[derive(VmType, Clone, Copy, Debug)]
pub struct Scaled<A> {
    of: A,
    by: f64,
}

#[routine]
impl<A: Operator> Operator for Scaled<A> {
    fn size(&self) -> usize {
        self.of.size()
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        self.of.apply(x, out);
        out.iter_mut().for_each(|value| *value *= self.by);
    }
}

#[derive(VmType, Clone, Copy, Debug)]
pub struct Identity;

#[derive(VmType, Clone, Copy, Debug)]
pub struct Jacobi<const N: usize> {
    inverse: [f64; N],
}

#[routine]
impl Preconditioner for Identity {
    fn precondition(&self, residual: &[f64], out: &mut [f64]) {
        out.copy_from_slice(residual);
    }
}

#[routine]
impl<const N: usize> Jacobi<N> {
    fn of(matrix: &Csr) -> Option<Self> {
        let mut inverse = [1.0; N];
        for (row, slot) in inverse.iter_mut().enumerate().take(matrix.size()) {
            *slot = matrix.diagonal(row).filter(|value| *value != 0.0)?.recip();
        }
        Some(Self { inverse })
    }
}

#[routine]
impl<const N: usize> Preconditioner for Jacobi<N> {
    fn precondition(&self, residual: &[f64], out: &mut [f64]) {
        for ((out, residual), inverse) in out.iter_mut().zip(residual).zip(&self.inverse) {
            *out = residual * inverse;
        }
    }
}

#[routine]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `y += factor * x`
#[routine]
fn axpy(factor: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = factor.mul_add(*x, *y));
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    Converged { steps: u32, residual: f64 },
    Stopped { steps: u32 },
    Indefinite,
}

/// Solves `A x = b` from what is in `x`. After each step `watch` is told the residual, and may break off.
#[routine]
pub fn solve<A, M, W, const N: usize>(operator: &A, inverse: &M, b: &[f64], x: &mut [f64], mut watch: W) -> Outcome
where
    A: Operator,
    M: Preconditioner,
    W: FnMut(u32, f64) -> ControlFlow<()>,
{
    let size = operator.size();
    let [mut r, mut z, mut p, mut q] = [[0.0f64; N]; 4];
    let (r, z, p, q) = (&mut r[..size], &mut z[..size], &mut p[..size], &mut q[..size]);
    operator.residual(x, b, r);
    inverse.precondition(r, z);
    p.copy_from_slice(z);
    let mut rho = dot(r, z);
    for steps in 0.. {
        let residual = dot(r, r).sqrt();
        if residual < 1e-10 {
            return Outcome::Converged { steps, residual };
        }
        if watch(steps, residual).is_break() {
            return Outcome::Stopped { steps };
        }
        operator.apply(p, q);
        let curvature = dot(p, q);
        if curvature <= 0.0 {
            return Outcome::Indefinite;
        }
        let alpha = rho / curvature;
        axpy(alpha, p, x);
        axpy(-alpha, q, r);
        inverse.precondition(r, z);
        let beta = dot(r, z) / std::mem::replace(&mut rho, dot(r, z));
        for (p, z) in p.iter_mut().zip(z.iter()) {
            *p = z + beta * *p;
        }
    }
    unreachable!()
}

/// A matrix that is given, with the inverses of its diagonal or without.
#[routine]
pub fn sparse_solve(
    starts: &[u32],
    columns: &[u32],
    values: &[f64],
    b: &[f64],
    jacobi: bool,
) -> Result<(Outcome, [f64; 4]), Malformed> {
    let matrix = Csr::new(starts, columns, values)?;
    let mut x = [0.0; 4];
    let limit = |steps: u32, _| {
        if steps < 50 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let outcome = match Jacobi::<8>::of(&matrix) {
        Some(inverse) if jacobi => solve::<_, _, _, 8>(&matrix, &inverse, b, &mut x[..matrix.size()], limit),
        _ => solve::<_, _, _, 8>(&matrix, &Identity, b, &mut x[..matrix.size()], limit),
    };
    Ok((outcome, x))
}

/// A rod that is heated evenly, and the largest residual on the way.
#[routine]
pub fn heated_rod(points: u32, shift: f64, heat: f64) -> (Outcome, f64, f64) {
    let rod = Scaled {
        of: Laplacian {
            points: points.min(16),
            shift,
        },
        by: 0.5,
    };
    let b = [heat; 16];
    let mut x = [0.0; 16];
    let mut worst = 0.0f64;
    let size = rod.size();
    let outcome = solve::<_, _, _, 16>(&rod, &Identity, &b[..size], &mut x[..size], |steps, residual| {
        worst = worst.max(residual);
        if steps >= 40 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    let hottest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (outcome, hottest, worst)
}

pub fn known() {
    let (starts, columns) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
    let values = [4.0, 1.0, 1.0, 3.0, 1.0, 1.0, 2.0];
    for jacobi in [false, true] {
        let (outcome, x) = sparse_solve(&starts, &columns, &values, &[6.0, 10.0, 8.0], jacobi).unwrap();
        assert!(matches!(outcome, Outcome::Converged { steps: 3, .. }), "{outcome:?}");
        for (value, expected) in x.iter().zip([1.0, 2.0, 3.0, 0.0]) {
            assert!((value - expected).abs() < 1e-9, "{x:?}");
        }
    }
    let columns = [0, 1, 0, 1, 3, 1, 2];
    let outside = sparse_solve(&starts, &columns, &values, &[0.0; 3], false);
    assert_eq!(outside, Err(Malformed::Row { row: 1, column: 3 }));
    let (outcome, hottest, _) = heated_rod(9, 0.0, 1.0);
    assert!(matches!(outcome, Outcome::Converged { .. }), "{outcome:?}");
    assert!((hottest - 25.0).abs() < 1e-9, "{hottest}");
    assert_eq!(heated_rod(4, -5.0, 1.0).0, Outcome::Indefinite);
}
