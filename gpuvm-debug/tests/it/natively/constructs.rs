//! Programs of Rust's constructs, one after the other, which gdb steps through as native code: see `stops.py`.

use gpuvm::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, VmType)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, VmType)]
pub enum Shape {
    Dot,
    Line(u32),
    Box { width: u32, height: u32 },
}

#[routine]
pub fn straight(seed: u32) -> u32 {
    let a = seed + 1;
    let b = a * 2;
    let c = b ^ seed;
    c + a
}

#[routine]
pub fn branches(seed: u32) -> u32 {
    let mut sum = 0;
    if seed % 2 == 0 {
        sum += 10;
    } else if seed % 3 == 0 {
        sum += 20;
    } else {
        sum += 30;
    }
    if seed > 5 {
        sum += 1;
    }
    sum
}

#[routine]
pub fn value_of_if(seed: u32) -> u32 {
    let kind = if seed > 9 {
        let half = seed / 2;
        half + 1
    } else {
        seed * 3
    };
    kind + 1
}

#[routine]
pub fn while_loop(seed: u32) -> u32 {
    let mut n = seed;
    let mut steps = 0;
    while n > 1 {
        if n % 2 == 0 {
            n /= 2;
        } else {
            n = 3 * n + 1;
        }
        steps += 1;
    }
    steps
}

#[routine]
pub fn endless_loop(seed: u32) -> u32 {
    let mut n = seed;
    let found = loop {
        n += 3;
        if n % 7 == 0 {
            break n * 2;
        }
        if n > 1000 {
            break 0;
        }
    };
    found + 1
}

#[routine]
pub fn ranges(seed: u32) -> u32 {
    let mut sum = seed;
    for i in 0..3 {
        sum += i * seed;
        sum ^= i;
    }
    for j in (1..=4).rev() {
        sum -= j;
    }
    sum
}

#[routine]
pub fn arrays(seed: u32) -> u32 {
    let mut cells = [seed, 2, 3, 4];
    cells[1] += seed;
    let mut total = 0;
    for cell in cells {
        total += cell;
    }
    cells[(seed % 4) as usize] = total;
    total + cells[2]
}

#[routine]
pub fn matches(seed: u32) -> u32 {
    let kind = match seed % 4 {
        0 => 100,
        1 | 2 => {
            let twice = seed * 2;
            twice + 1
        }
        rest if rest > 7 => 0,
        _ => 300,
    };
    kind + seed
}

#[routine]
pub fn enums(seed: u32) -> u32 {
    let shape = match seed % 3 {
        0 => Shape::Dot,
        1 => Shape::Line(seed),
        _ => Shape::Box { width: seed, height: 2 },
    };
    let size = match shape {
        Shape::Dot => 1,
        Shape::Line(length) => length,
        Shape::Box { width, height } => width * height,
    };
    size + 1
}

#[routine]
pub fn nested(seed: u32) -> u32 {
    let mut count = 0;
    'outer: for i in 0..4 {
        for j in 0..4 {
            if i * j > seed {
                break 'outer;
            }
            if (i + j) % 2 == 1 {
                continue;
            }
            count += 1;
        }
    }
    count
}

#[routine]
pub fn halved(n: u32) -> Option<u32> {
    if n % 2 == 1 {
        return None;
    }
    Some(n / 2)
}

#[routine]
pub fn options(seed: u32) -> u32 {
    let first = halved(seed);
    let Some(half) = first else {
        return 77;
    };
    let mut left = half;
    while let Some(next) = halved(left) {
        if next == 0 {
            break;
        }
        left = next;
    }
    if let Some(more) = halved(left + 1) {
        left += more;
    }
    left
}

#[routine]
pub fn twice_halved(seed: u32) -> Option<u32> {
    let once = halved(seed)?;
    let again = halved(once)?;
    Some(again + 1)
}

#[routine]
pub fn tries(seed: u32) -> u32 {
    let found = twice_halved(seed);
    match found {
        Some(value) => value,
        None => 5,
    }
}

#[routine]
pub fn structs(seed: u32) -> u32 {
    let mut at = Point { x: seed as i32, y: -1 };
    at.x -= 3;
    let to = Point { y: at.x * 2, ..at };
    let (dx, dy) = (to.x - at.x, to.y - at.y);
    at = to;
    (at.x + dx + dy) as u32
}

#[routine]
pub fn added(a: u32, b: u32) -> u32 {
    let sum = a.wrapping_add(b);
    sum ^ 5
}

#[routine]
pub fn calls(seed: u32) -> u32 {
    let first = added(seed, 1);
    let second = added(first, added(seed, 2));
    second % 1000
}

#[routine]
pub fn factorial(n: u32) -> u32 {
    if n < 2 {
        return 1;
    }
    let below = factorial(n - 1);
    below.wrapping_mul(n)
}

#[routine]
pub fn recursion(seed: u32) -> u32 {
    let n = seed % 5;
    factorial(n) + 1
}

#[routine]
pub fn shadows(seed: u32) -> u32 {
    let n = seed + 1;
    let n = n as u64 * 3;
    let small = {
        let n = (n % 10) as u8;
        n + 1
    };
    n as u32 + u32::from(small)
}

#[routine]
pub fn numbers(seed: u32) -> u32 {
    let wide = u64::from(seed) << 33;
    let signed = 10 - seed as i64;
    let half = seed as f32 * 0.5;
    let precise = f64::from(seed) / 8.0;
    let is_large = half > 2.0 && precise > 1.0;
    let flag = is_large || signed < 0;
    if flag {
        return (wide >> 31) as u32;
    }
    half as u32
}

#[routine]
pub fn iterators(seed: u32) -> u32 {
    let cells = [seed, seed + 1, seed + 2];
    let sum: u32 = cells.iter().map(|cell| cell * 2).sum();
    let most = cells.iter().fold(0, |most, cell| most.max(*cell));
    let double = |n: u32| n * 2;
    let doubled = double(most);
    sum + doubled
}

#[routine]
pub fn moved(point: &mut Point, by: i32) {
    point.x += by;
    point.y -= by;
}

#[routine]
pub fn references(seed: u32) -> u32 {
    let mut point = Point { x: 1, y: 2 };
    moved(&mut point, seed as i32);
    let x = &mut point.x;
    *x += 5;
    (point.x + point.y) as u32
}

#[routine]
pub fn early(seed: u32) -> u32 {
    let mut n = seed;
    for i in 0..10 {
        n += i;
        if n > 14 {
            return n;
        }
    }
    n * 2
}
