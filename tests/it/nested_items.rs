//! Items in a routine's body: constants, statics, types with derives and `impl`s, traits, imports under other names, type aliases.

use gpuvm::prelude::*;

cases! {
    statics, types_with_methods, enums_in_bodies, traits_in_bodies, imports_under_other_names, aliases, operators_in_bodies, constants_of_local_types,
    items_of_inner_blocks, iterator_in_a_body, bounds_by_references,
}

#[routine]
fn statics(a: u32) -> (u32, usize, u8) {
    static TABLE: [u32; 4] = [1, 20, 300, 4000];
    static NAME: &str = "gpuvm";
    static LONG: [u8; 40] = [7; 40];
    (TABLE[a as usize % 4], NAME.len(), LONG[a as usize % 40])
}

#[routine]
fn types_with_methods(a: u32, b: u32) -> (u32, u32) {
    #[derive(VmType, Clone, Copy)]
    struct Mean {
        sum: u32,
        count: u32,
    }

    impl Mean {
        const START: u32 = 2;

        fn new() -> Self {
            Mean {
                sum: Self::START,
                count: 0,
            }
        }

        fn push(&mut self, value: u32) {
            self.sum = self.sum.wrapping_add(value);
            self.count += 1;
        }

        fn get(&self) -> Option<u32> {
            self.sum.checked_div(self.count)
        }
    }

    let mut mean = Mean::new();
    mean.push(a);
    if b % 2 == 0 {
        mean.push(b);
    }
    (mean.get().unwrap_or(0), mean.count)
}

#[routine]
fn enums_in_bodies(a: u32, b: u32) -> u32 {
    #[derive(VmType, Clone, Copy, Debug, PartialEq, Default)]
    enum Turn {
        #[default]
        Ahead,
        Left(u32),
        Right {
            by: u32,
        },
    }

    let turn = match a % 3 {
        0 => Turn::default(),
        1 => Turn::Left(b),
        _ => Turn::Right { by: b / 2 },
    };
    if turn == Turn::Ahead {
        return 1;
    }
    match turn {
        Turn::Left(by) | Turn::Right { by } => by,
        Turn::Ahead => 0,
    }
}

#[routine]
fn traits_in_bodies(a: u32) -> (u32, u32) {
    #[derive(VmType, Clone, Copy)]
    struct Tile(u32);

    trait Doubles {
        const STEP: u32;

        fn doubled(self) -> u32;

        fn stepped(self) -> u32
        where
            Self: Sized,
        {
            self.doubled() ^ Self::STEP
        }
    }

    impl Doubles for Tile {
        const STEP: u32 = 5;

        fn doubled(self) -> u32 {
            self.0 << 1
        }
    }

    (Tile(a).doubled(), Tile(a).stepped())
}

#[routine]
fn imports_under_other_names(a: u32, b: u32) -> (u32, u32, u32, u32) {
    use core::cmp::max as larger;
    use core::mem::{self, replace as put, swap as exchange};
    let (mut x, mut y) = (a, b);
    exchange(&mut x, &mut y);
    let old = put(&mut x, 9);
    mem::swap(&mut x, &mut y);
    (x, y, old, larger(a, b))
}

#[routine]
fn aliases(a: u32, x: f32) -> (u32, f32) {
    type Pair = (u32, f32);
    type List<const N: usize> = [u32; N];
    let pair: Pair = (a, x);
    let list: List<3> = [pair.0; 3];
    (list[2] ^ 1, pair.1)
}

#[routine]
fn operators_in_bodies(a: u32, b: u32) -> (u32, bool) {
    use core::ops::{Add, Not};

    #[derive(VmType, Clone, Copy, PartialEq)]
    struct Modular(u32);

    impl Add for Modular {
        type Output = Modular;

        fn add(self, other: Modular) -> Modular {
            Modular((self.0 % 97 + other.0 % 97) % 97)
        }
    }

    impl Not for Modular {
        type Output = Modular;

        fn not(self) -> Modular {
            Modular(96 - self.0 % 97)
        }
    }

    let sum = !(Modular(a) + Modular(b));
    (sum.0, sum == Modular(3))
}

#[routine]
fn constants_of_local_types(a: u32) -> (u32, u32) {
    #[derive(VmType, Clone, Copy)]
    struct Band {
        low: u32,
        high: u32,
    }
    const DIGITS: Band = Band { low: 48, high: 57 };
    const RANGES: [Band; 2] = [DIGITS, Band { low: 65, high: 70 }];
    (a.clamp(DIGITS.low, DIGITS.high), RANGES[a as usize % 2].high)
}

#[routine]
fn items_of_inner_blocks(a: u32) -> u32 {
    const N: u32 = 3;
    let inner = {
        const N: u32 = 5;
        fn scaled(x: u32) -> u32 {
            x ^ N
        }
        scaled(a) ^ N
    };
    fn scaled(x: u32) -> u32 {
        x | N
    }
    inner ^ scaled(a)
}

#[routine]
fn iterator_in_a_body(a: u32) -> u32 {
    #[derive(VmType, Clone, Copy)]
    struct Down(u32);

    impl Iterator for Down {
        type Item = u32;

        fn next(&mut self) -> Option<u32> {
            self.0 = self.0.checked_sub(1)?;
            Some(self.0)
        }
    }

    Down(a % 50).filter(|n| n % 3 != 1).sum()
}

#[routine]
fn bounds_by_references(a: u32, b: u32) -> (u32, u64) {
    use std::ops::Add;

    fn total<T>(list: &[T], start: T) -> T
    where
        T: Copy + for<'a> Add<&'a T, Output = T>,
    {
        let mut sum = start;
        for x in list {
            sum = sum + x;
        }
        sum
    }

    fn both<'a, T: Copy + Add<&'a T, Output = T>>(a: T, b: &'a T) -> T {
        a + b
    }

    let list = [a >> 2, b >> 2, 3];
    (total(&list, 1), both(u64::from(a), &u64::from(b)))
}
