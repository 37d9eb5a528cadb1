//! Calls of routines, methods, operators and generic routines of another crate, by every kind of path.

use gpuvm::prelude::*;
use gpuvm_tests::nested::halve as half;
use gpuvm_tests::{Dial, Drawer, Draws, DrawsMore, Rect, Shape, nested, pick};

use crate::harness::{ENGINES, runtime};

cases! { call_by_path, call_renamed, foreign_methods, foreign_operator, foreign_generic, foreign_traits, foreign_shapes }

#[routine]
fn call_by_path(x: u32, y: u32) -> u32 {
    gpuvm_tests::scatter(x, y) ^ ::gpuvm_tests::scatter(y, x)
}

#[routine]
fn call_renamed(x: f32, y: f32) -> f32 {
    half(x) + nested::halve(y)
}

#[routine]
fn foreign_methods(size: u32, by: u32) -> (u32, bool) {
    let mut dial = Dial::new(size % 100);
    dial.turn(by);
    dial.turn(by ^ 5);
    (dial.at, dial == Dial { at: 0, size: dial.size })
}

#[routine]
fn foreign_operator(size: u32, by: u32) -> u32 {
    let dial = Dial::new(size % 60) + by;
    (dial + 7).at
}

#[routine]
fn foreign_generic(a: u32, b: f32, place: u32) -> (u32, f32) {
    (pick([a, a ^ 1, 3], place), pick::<f32, 2>([b, 0.5], place))
}

#[derive(VmType, Clone, Copy)]
struct Tallied<R> {
    inner: R,
    draws: u32,
}

#[routine]
impl<R: Draws> Draws for Tallied<R> {
    fn draw(&mut self) -> u32 {
        self.draws += 1;
        self.inner.draw()
    }
}

#[routine]
trait Dice: Draws {
    fn die(&mut self) -> u32 {
        self.below(6) + 1
    }
}

#[routine]
impl<R: Draws + ?Sized> Dice for R {}

#[routine]
fn thrown<R: Draws>(drawer: &mut R) -> u32 {
    let mut tallied = Tallied {
        inner: Drawer(drawer.draw()),
        draws: 0,
    };
    tallied.die() + drawer.die() * 10 + tallied.below(3) * 100 + tallied.draws * 1000
}

#[routine]
fn thrown_twice(drawer: &mut impl Draws) -> u32 {
    thrown(drawer) + u32::from(drawer.coin())
}

/// Traits of the other crate, one of which all have that have the other.
#[routine]
fn foreign_traits(seed: u32) -> (u32, u32, Drawer) {
    let mut drawer = Drawer(seed);
    let first = thrown(&mut drawer);
    let mut tallied = Tallied {
        inner: drawer,
        draws: 9,
    };
    (first, thrown_twice(&mut tallied), tallied.inner)
}

#[routine]
fn total<T: VmType + std::ops::Mul<Output = T> + std::ops::Add<Output = T>>(shapes: &[Rect<T>], zero: T) -> T {
    shapes.iter().fold(zero, |sum, shape| sum + shape.area())
}

/// A trait that the other crate implements for what std's traits alone bound.
#[routine]
fn foreign_shapes(a: u32, b: f32) -> (u32, f32) {
    let [width, height] = [a % 100, 3];
    let of_floats = [Rect { width: b, height: 0.5 }, Rect { width: 2.0, height: b }];
    (
        total(&[Rect { width, height }, Rect { width: 1, height: 2 }], 0),
        total(&of_floats, 0.0),
    )
}

#[test]
fn a_routine_of_another_crate_is_launched_by_its_id() {
    let x: Vec<u32> = (0..500).collect();
    let wanted: Vec<u32> = x.iter().map(|x| gpuvm_tests::scatter(*x, 77)).collect();
    for engine in ENGINES {
        let done = runtime()
            .launch("scatter")
            .unwrap()
            .args((&x, 77u32))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(done.output::<Vec<u32>>().unwrap(), wanted, "{engine}");
    }
    let done = gpuvm_tests::scatter::launch(runtime(), &x, 77).unwrap();
    assert_eq!(done.output::<Vec<u32>>().unwrap(), wanted);
}
