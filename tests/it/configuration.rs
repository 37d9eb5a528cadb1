//! `#[cfg(…)]` inside of routines: on statements, expressions, match arms, fields, parameters, methods and what stands in lists.

use gpuvm::prelude::*;

cases! {
    statements, tails, arms, fields, elements, in_methods, attributes_under_conditions, parameters, nested_conditions, conditions_as_values,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Point {
    x: u32,
    #[cfg(any())]
    z: u32,
    #[cfg(not(any()))]
    y: u32,
}

#[routine]
fn statements(a: u32) -> u32 {
    #[cfg(any())]
    let b = a ^ 1;
    #[cfg(not(any()))]
    let b = a ^ 2;
    let mut c = b;
    #[cfg(any())]
    {
        c ^= 4;
    }
    #[cfg(not(any()))]
    {
        c ^= 8;
    }
    #[cfg(any())]
    c.no_such_method();
    #[cfg(not(any()))]
    if a % 2 == 0 {
        c ^= 16;
    }
    #[cfg(not(any()))]
    c = c.rotate_left(1);
    #[cfg(any())]
    return 0;
    c
}

#[routine]
fn tails(a: u32) -> u32 {
    #[cfg(any())]
    {
        a ^ 1
    }
    #[cfg(not(any()))]
    {
        a ^ 2
    }
}

#[routine]
fn arms(a: u32) -> u32 {
    match a % 4 {
        #[cfg(any())]
        0 => unknown(),
        #[cfg(not(any()))]
        0 => 10,
        1 | 2 => 20,
        #[cfg(not(any()))]
        3 if a > 9 => 30,
        _ => 40,
    }
}

#[routine]
fn fields(a: u32) -> (Point, u32) {
    let point = Point {
        x: a,
        #[cfg(any())]
        z: 1,
        #[cfg(not(any()))]
        y: 2,
    };
    let Point {
        x,
        #[cfg(any())]
        z,
        #[cfg(not(any()))]
        y,
    } = point;
    (point, x ^ y)
}

#[routine]
fn second(a: u32, b: u32) -> u32 {
    a ^ b << 1
}

#[routine]
fn elements(a: u32) -> ([u32; 2], (u32, u32), u32) {
    let list = [
        a,
        #[cfg(any())]
        1,
        #[cfg(not(any()))]
        2,
    ];
    let pair = (
        a,
        #[cfg(any())]
        3,
        #[cfg(not(any()))]
        4,
    );
    (
        list,
        pair,
        second(
            #[cfg(any())]
            5,
            a,
            #[cfg(not(any()))]
            6,
        ),
    )
}

#[routine]
impl Point {
    #[cfg(any())]
    fn side(&self) -> u32 {
        self.z
    }

    #[cfg(not(any()))]
    fn side(&self) -> u32 {
        #[cfg(any())]
        return self.z;
        self.y
    }
}

#[routine]
fn in_methods(a: u32) -> u32 {
    Point { x: 1, y: a }.side()
}

#[routine]
fn attributes_under_conditions(a: u32) -> u32 {
    #[cfg_attr(any(), no_such_attribute)]
    #[cfg_attr(not(any()), allow(unused_mut))]
    let mut b = a;
    b
}

#[routine]
fn parameters(a: u32, #[cfg(any())] b: f32, #[cfg(not(any()))] b: u32) -> u32 {
    a ^ b
}

#[routine]
fn nested_conditions(a: u32) -> u32 {
    #[cfg(not(any()))]
    {
        let mut b = a;
        #[cfg(target_pointer_width = "16")]
        {
            b = 0;
        }
        let close = |n: u32| {
            #[cfg(any())]
            return n;
            n ^ 7
        };
        b = close(b);
        b
    }
}

#[routine]
fn conditions_as_values(a: u32) -> u32 {
    let checked = cfg!(debug_assertions);
    if cfg!(any()) {
        1
    } else if checked || a % 2 == 0 {
        a ^ 3
    } else {
        a ^ 3 ^ u32::from(checked)
    }
}
