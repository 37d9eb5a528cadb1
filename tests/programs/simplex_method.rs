//! Linear programs by the simplex method, in exact fractions, with Bland's rule against circles.

use core::cmp::Ordering;
use core::fmt::{Display, Formatter, Result as Shown};
use core::iter::Sum;
use core::ops::{Add, Div, Mul, Neg, Sub, SubAssign};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    top: i64,
    bottom: i64,
}

#[routine]
impl Ratio {
    pub const ZERO: Ratio = Ratio { top: 0, bottom: 1 };
    pub const ONE: Ratio = Ratio { top: 1, bottom: 1 };

    pub fn new(top: i64, bottom: i64) -> Self {
        assert_ne!(bottom, 0, "a ratio to nothing");
        let divisor = gcd(top.unsigned_abs(), bottom.unsigned_abs()) as i64 * bottom.signum();
        Ratio {
            top: top / divisor,
            bottom: bottom / divisor,
        }
    }

    fn is_positive(&self) -> bool {
        self.top > 0
    }
}

#[routine]
const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[routine]
impl From<i32> for Ratio {
    fn from(number: i32) -> Self {
        Self {
            top: number.into(),
            bottom: 1,
        }
    }
}

#[routine]
impl Add for Ratio {
    type Output = Self;

    fn add(self, rhs: Self) -> Self {
        Ratio::new(self.top * rhs.bottom + rhs.top * self.bottom, self.bottom * rhs.bottom)
    }
}

#[routine]
impl Neg for Ratio {
    type Output = Self;

    fn neg(self) -> Self {
        Ratio { top: -self.top, ..self }
    }
}

#[routine]
impl Sub for Ratio {
    type Output = Self;

    fn sub(self, rhs: Self) -> Self {
        self + -rhs
    }
}

#[routine]
impl SubAssign for Ratio {
    fn sub_assign(&mut self, rhs: Self) {
        *self = *self - rhs;
    }
}

#[routine]
impl Mul for Ratio {
    type Output = Self;

    fn mul(self, rhs: Self) -> Self {
        Ratio::new(self.top * rhs.top, self.bottom * rhs.bottom)
    }
}

#[routine]
impl Div for Ratio {
    type Output = Self;

    fn div(self, rhs: Self) -> Self {
        self * Ratio::new(rhs.bottom, rhs.top)
    }
}

#[routine]
impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[routine]
impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
        product(self.top, other.bottom).cmp(&product(other.top, self.bottom))
    }
}

#[routine]
impl<'a> Sum<&'a Ratio> for Ratio {
    fn sum<I>(ratios: I) -> Self
    where
        I: Iterator<Item = &'a Ratio>,
    {
        ratios.fold(Ratio::ZERO, |sum, &ratio| sum + ratio)
    }
}

impl Display for Ratio {
    fn fmt(&self, f: &mut Formatter<'_>) -> Shown {
        match self.bottom {
            1 => write!(f, "{}", self.top),
            bottom => write!(f, "{}/{bottom}", self.top),
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<const V: usize> {
    Optimum { value: Ratio, at: [Ratio; V], pivots: u32 },
    Unbounded,
    Infeasible { row: u8 },
}

/// `V` variables, `R` constraints, of which each brings a slack; the last column is what is on the right, the last row what is to grow.
#[derive(VmType, Clone, Copy, Debug)]
struct Tableau<const V: usize, const R: usize> {
    rows: [[Ratio; V]; R],
    right: [Ratio; R],
    goal: [Ratio; V],
    value: Ratio,
    /// Numbers below `V` are variables, the others slacks.
    basis: [usize; R],
    outside: [usize; V],
}

#[routine]
impl<const V: usize, const R: usize> Tableau<V, R> {
    fn new(goal: [i32; V], rows: [[i32; V]; R], right: [i32; R]) -> Self {
        Tableau {
            rows: rows.map(|row| row.map(Ratio::from)),
            right: right.map(Ratio::from),
            goal: goal.map(Into::into),
            value: Ratio::ZERO,
            basis: core::array::from_fn(|i| V + i),
            outside: core::array::from_fn(|i| i),
        }
    }

    fn entering(&self) -> Option<usize> {
        (0..V)
            .filter(|&column| self.goal[column].is_positive())
            .min_by_key(|&column| self.outside[column])
    }

    fn leaving(&self, column: usize) -> Option<usize> {
        let bounds = self.rows.iter().zip(&self.right).zip(self.basis).enumerate();
        bounds
            .filter(|(_, ((row, _), _))| row[column].is_positive())
            .map(|(i, ((row, &right), variable))| (right / row[column], variable, i))
            .min()
            .map(|(.., i)| i)
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let by = Ratio::ONE / self.rows[row][column];
        self.rows[row][column] = Ratio::ONE;
        self.rows[row].iter_mut().for_each(|entry| *entry = *entry * by);
        self.right[row] = self.right[row] * by;
        let (pivot, right) = (self.rows[row], self.right[row]);
        let clear = |entries: &mut [Ratio; V]| {
            let factor = core::mem::replace(&mut entries[column], Ratio::ZERO);
            for (entry, &from) in entries.iter_mut().zip(&pivot) {
                *entry -= factor * from;
            }
            factor
        };
        for i in (0..R).filter(|&i| i != row) {
            let factor = clear(&mut self.rows[i]);
            self.right[i] -= factor * right;
        }
        let factor = clear(&mut self.goal);
        self.value = self.value + factor * right;
        core::mem::swap(&mut self.basis[row], &mut self.outside[column]);
    }

    fn solve(mut self) -> Outcome<V> {
        if let Some(row) = self.right.iter().position(|right| *right < Ratio::ZERO) {
            return Outcome::Infeasible { row: row as u8 };
        }
        let mut pivots = 0;
        while let Some(column) = self.entering() {
            let Some(row) = self.leaving(column) else {
                return Outcome::Unbounded;
            };
            self.pivot(row, column);
            pivots += 1;
        }
        let mut at = [Ratio::ZERO; V];
        for (&variable, &right) in self.basis.iter().zip(&self.right) {
            if let Some(place) = at.get_mut(variable) {
                *place = right;
            }
        }
        Outcome::Optimum {
            value: self.value,
            at,
            pivots,
        }
    }
}

/// The greatest value of a goal under three constraints.
#[routine]
pub fn linear_program(goal: [i32; 2], rows: [[i32; 2]; 3], right: [i32; 3]) -> Outcome<2> {
    Tableau::new(goal, rows, right).solve()
}

/// How much of three things to carry, in fractions of them, and what that comes to.
#[routine]
pub fn fractional_knapsack(values: [i32; 3], weights: [i32; 3], room: i32) -> Option<(Ratio, Ratio)> {
    let rows = [weights, [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    match Tableau::new(values, rows, [room, 1, 1, 1]).solve() {
        Outcome::Optimum { value, at, .. } => Some((value, at.iter().sum())),
        _ => None,
    }
}

pub fn known() {
    let outcome = linear_program([3, 5], [[1, 0], [0, 2], [3, 2]], [4, 12, 18]);
    let Outcome::Optimum { value, at, .. } = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!((value, at), (36.into(), [2.into(), 6.into()]));
    assert_eq!(linear_program([1, 1], [[1, -1]; 3], [1; 3]), Outcome::Unbounded);
    assert_eq!(
        linear_program([1, 1], [[1, 1]; 3], [1, -1, 1]),
        Outcome::Infeasible { row: 1 }
    );
    let (value, things) = fractional_knapsack([60, 100, 120], [10, 20, 30], 45).unwrap();
    assert_eq!((value, things), (220.into(), Ratio::new(5, 2)));
    assert_eq!(format!("{} {}", Ratio::new(4, -6), Ratio::new(4, 2)), "-2/3 2");
}
