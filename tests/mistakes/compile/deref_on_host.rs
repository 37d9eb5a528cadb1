//! Fields, values and references that are found behind a `Deref` that is the host's alone.

#![allow(unused)]

use std::ops::Deref;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Point {
    x: u32,
    y: u32,
}

#[derive(VmType, Clone, Copy)]
struct Named {
    name: char,
    point: Point,
}

impl Deref for Named {
    type Target = Point;
    fn deref(&self) -> &Point {
        &self.point
    }
}

#[derive(VmType, Clone, Copy)]
struct Wrapper<T> {
    inner: T,
}

impl<T: Copy> Deref for Wrapper<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.inner
    }
}

#[routine]
fn own_fields(named: Named) -> u32 {
    let wrapper = Wrapper { inner: named.point };
    let of = &wrapper;
    named.name as u32 + of.inner.x + named.point.y
}

#[routine]
fn field(named: Named) -> u32 {
    named.x
//~ «x» this field is found behind the `Deref` of `Named`, which is not a #[routine] … put `#[routine]` above the `impl Deref for Named`
}

#[routine]
fn field_of_generic(n: u32) -> u32 {
    let wrapper = Wrapper { inner: Point { x: n, y: 3 } };
    wrapper.y
//~ «y» this field is found behind the `Deref` of `Wrapper<Point>`, which is not a #[routine]
}

#[routine]
fn value(named: Named) -> Point {
    *named
//~ «named» what is called here is found behind the `Deref` of `Named`, which is not a #[routine]
}

#[routine]
fn norm(point: &Point) -> u32 {
    point.x + point.y
}

#[routine]
fn argument(named: Named) -> u32 {
    norm(&named)
//~ «named» what is referred to here is found behind the `Deref` of `Named`, which is not a #[routine]
}

#[routine]
fn variable(named: Named) -> u32 {
    let point: &Point = &named;
//~ «named» what is referred to here is found behind the `Deref` of `Named`, which is not a #[routine]
    point.x
}

fn main() {}
