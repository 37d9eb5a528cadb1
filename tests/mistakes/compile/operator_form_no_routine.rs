//! An operator of values that is a routine, and the same of references that is not.

#![allow(unused)]

use gpuvm::prelude::*;
use std::ops::{Add, AddAssign, Index, Range};
#[derive(VmType, Clone, Copy)]
struct V { x: f32, y: f32 }
#[routine]
impl Add for V { type Output = V; fn add(self, o: V) -> V { V { x: self.x + o.x, y: self.y + o.y } } }
impl Add<&V> for &V { type Output = V; fn add(self, o: &V) -> V { *self + *o } }
#[routine]
fn f(v: V, w: V) -> V { v + w + (&v + &w) }
//~ «+» this operator of `&V` and `&V` is not a #[routine] … put `#[routine]` above the `impl` of the operator's trait
#[routine]
impl AddAssign for V { fn add_assign(&mut self, o: V) { *self = *self + o; } }
impl AddAssign<&V> for V { fn add_assign(&mut self, o: &V) { *self += *o; } }
#[routine]
fn g(v: V, w: V) -> V { let mut sum = v; sum += w; sum += &w; sum }
//~ «+» this operator of `V` and `&V` is not a #[routine] … put `#[routine]` above the `impl` of the operator's trait
#[derive(VmType, Clone, Copy)]
struct M { cells: [f32; 4] }
#[routine]
impl Index<usize> for M { type Output = f32; fn index(&self, i: usize) -> &f32 { &self.cells[i] } }
impl Index<Range<usize>> for M { type Output = [f32]; fn index(&self, i: Range<usize>) -> &[f32] { &self.cells[i] } }
#[routine]
fn h(m: M) -> f32 { m[1] + m[0..2][0] }
//~ «0» this operator of `M` and `std::ops::Range<usize>` is not a #[routine] … put `#[routine]` above the `impl` of the operator's trait
fn main() {}
