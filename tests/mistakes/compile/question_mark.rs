//! What `?` cannot turn into what the function returns.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Bad {
    n: u32,
}

#[derive(VmType, Clone, Copy)]
struct Worse {
    n: u32,
}

#[routine]
fn div(a: u32, b: u32) -> Result<u32, Bad> {
    if b == 0 { Err(Bad { n: a }) } else { Ok(a / b) }
}

#[routine]
fn other_error(x: u32) -> Result<u32, Worse> {
    let half = div(x, 2)?;
//~ «?» `?` couldn't convert the error to `Worse` … the trait `From<Bad>` is not implemented for `Worse`
    Ok(half)
}

#[routine]
fn other_error_inside(x: u32) -> Result<u32, Worse> {
    Ok(div(x, 2)?)
//~ «?» `?` couldn't convert the error to `Worse`
}

#[routine]
fn option_in_result(x: Option<u32>) -> Result<u32, Bad> {
    let x = x?;
//~ «?» the `?` operator can only be used on `Result`s, not `Option`s, in a function that returns `Result`
    Ok(x + 1)
}

#[routine]
fn result_in_option(x: u32) -> Option<u32> {
    let half = div(x, 2)?;
//~ «?» the `?` operator can only be used on `Option`s, not `Result`s, in a function that returns `Option`
    Some(half + 1)
}

#[routine]
fn of_a_number(x: u32) -> Option<u32> {
    let x = x?;
//~ «x?» the `?` operator can only be applied to values that implement `Try`
    Some(x)
}

#[routine]
fn in_a_number(x: u32) -> u32 {
    let half = div(x, 2)?;
//~ «?» the `?` operator can only be used in a function that returns `Result` or `Option`
    half
}

#[routine]
fn of_another_type(x: Option<f32>) -> Option<u32> {
    Some(x?)
//~ «x?» `?` operator has incompatible types … expected `u32`, found `f32`
}

mod conversion {
    use gpuvm::prelude::*;

    #[derive(VmType, Clone, Copy)]
    pub struct Sad {
        n: u32,
    }

    impl From<super::Bad> for Sad {
        fn from(bad: super::Bad) -> Sad {
            Sad { n: bad.n }
        }
    }

    #[routine]
    fn without_routine(x: u32) -> Result<u32, Sad> {
        Ok(super::div(x, 2)? + 1)
//~ «?» the conversion from `Bad` into `Sad` is not a #[routine] … put `#[routine]` above the `impl From<Bad> for Sad`
    }
}

fn main() {}
