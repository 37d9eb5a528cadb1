//! Routines named as macros, types or values of std, in modules and with raw names, as are what traits, types and closures have.

#![allow(unused, non_camel_case_types)]

use gpuvm::prelude::*;

mod shapes {
    use gpuvm::prelude::*;

    #[routine]
    pub fn vec(x: f32) -> f32 {
        x + 1.0
    }

    #[routine(callee)]
    pub fn println(r#type: f32) -> f32 {
        vec(r#type) * 2.0
    }
}

use shapes::{println as show, vec};

#[routine]
fn r#match(runtime: f32) -> f32 {
    show(vec(runtime)) + self::shapes::vec(runtime)
}

mod r#async {
    use gpuvm::prelude::*;

    #[routine]
    pub trait r#trait: Copy {
        const LEAST: u32;
        fn r#fn(self) -> u32;
        fn r#use(self, r#in: u32) -> u32 {
            self.r#fn() + r#in * Self::LEAST
        }
        fn r#dyn<T: Into<u32>>(self, r#in: T) -> u32 {
            self.r#use(r#in.into())
        }
        fn r#static(r#in: u32) -> u32 {
            r#in
        }
    }

    #[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub struct Struct {
        pub r#type: u32,
    }

    #[derive(VmType, Clone, Copy, Debug, PartialEq)]
    pub enum Enum {
        If,
        Else { r#as: u32 },
        Loop(Struct),
    }

    #[routine]
    impl Struct {
        pub fn r#mod(r#type: u32) -> Struct {
            Struct { r#type }
        }
        pub fn r#ref(&self) -> u32 {
            self.r#type
        }
    }

    #[routine]
    impl r#trait for Struct {
        const LEAST: u32 = 3;
        fn r#fn(self) -> u32 {
            self.r#type + self.r#ref()
        }
    }

    #[routine]
    impl std::ops::Add for Struct {
        type Output = Struct;
        fn add(self, r#in: Struct) -> Struct {
            Struct::r#mod(self.r#type + r#in.r#type)
        }
    }
}

use r#async::{Enum, Struct, r#trait};

#[routine]
fn r#while<T: r#trait>(r#for: T) -> u32 {
    let r#let = |r#pub: u32| r#pub + 1;
    'r#break: loop {
        if r#let(r#for.r#fn()) > 2 {
            break 'r#break r#for.r#dyn(3u8);
        }
        break T::r#static(1);
    }
}

#[routine]
fn all(r#extern: Enum) -> u32 {
    match r#extern {
        Enum::If => 1,
        Enum::Else { r#as } => r#as,
        Enum::Loop(Struct { r#type }) if r#type > 3 => r#while(Struct::r#mod(r#type)),
        Enum::Loop(r#yield) => r#async::Struct::r#fn(r#yield + r#yield),
    }
}

fn main() {}
