//! Rust's order of evaluation, where the operands change each other.

use gpuvm::prelude::*;

cases! {
    operand_before_block, arguments_left_to_right, compound_right_first, compound_block_right, index_then_value, struct_field_order, tuple_order,
    assignment_right_first, method_receiver_first, array_order, condition_mutates, scrutinee_once, range_order, nested_effects,
    destructuring_order, comparison_effects, return_value_order, converted_before_block, converted_parts, converted_behind_references,
    other_readings_of_bits, compound_of_blocks, own_compound_left_first, own_compound_of_blocks, own_compound_traps,
}

#[routine]
fn next(counter: &mut u32) -> u32 {
    *counter = *counter * 3 + 1;
    *counter
}

#[routine]
fn operand_before_block(a: u32) -> u32 {
    let mut x = a % 1000;
    let sum = x + {
        x = 2;
        x
    };
    sum * 10 + x
}

#[routine]
fn three(a: u32, b: u32, c: u32) -> u32 {
    a + b * 100 + c * 10_000
}

#[routine]
fn arguments_left_to_right(a: u32) -> u32 {
    let mut n = a % 4;
    three(n, next(&mut n), {
        n += 1;
        n
    })
}

#[routine]
fn compound_right_first(a: u32) -> u32 {
    let mut values = [a % 10, 20, 30];
    let mut i = 0;
    // For primitives the right side of a compound assignment comes first.
    values[i] += {
        i = 1;
        5
    };
    values[0] * 10_000 + values[1] * 100 + i as u32
}

#[routine]
fn compound_block_right(a: u32) -> u32 {
    let mut x = a % 100;
    x += {
        x *= 2;
        x
    };
    x
}

#[routine]
fn index_then_value(a: u32) -> u32 {
    let mut i = (a % 2) as usize;
    let mut values = [1, 2, 3, 4];
    values[i] = {
        i += 2;
        values[i] * 10
    };
    values[0] + values[1] * 100 + values[2] * 10_000 + i as u32 * 1_000_000
}

#[derive(VmType, Clone, Copy, Debug)]
struct Three {
    a: u32,
    b: u32,
    c: u32,
}

#[routine]
fn struct_field_order(x: u32) -> Three {
    let mut n = x % 5;
    // As written, not as declared.
    Three {
        c: next(&mut n),
        a: next(&mut n),
        b: next(&mut n),
    }
}

#[routine]
fn tuple_order(x: u32) -> (u32, u32, u32) {
    let mut n = x % 6;
    (n, next(&mut n), n)
}

#[routine]
fn assignment_right_first(a: u32) -> [u32; 3] {
    let mut n = a % 2;
    let mut values = [0; 3];
    values[(next(&mut n) % 3) as usize] = next(&mut n);
    values
}

#[routine]
fn method_receiver_first(a: u32) -> u32 {
    let mut n = a % 9;
    next(&mut n).wrapping_sub(next(&mut n)).max({
        n = 7;
        n
    }) ^ n
}

#[routine]
fn array_order(a: u32) -> [u32; 4] {
    let mut n = a % 3;
    [next(&mut n), n, next(&mut n), n + 1]
}

#[routine]
fn condition_mutates(a: u32) -> u32 {
    let mut n = a % 7;
    if next(&mut n) > 10 && next(&mut n) % 2 == 0 || next(&mut n) % 3 == 1 {
        n
    } else {
        n + 1_000_000
    }
}

#[routine]
fn scrutinee_once(a: u32) -> u32 {
    let mut n = a % 7;
    let x = match next(&mut n) {
        1 => n,
        4 | 7 => n * 10,
        y if y > 15 => y + n,
        _ => 5,
    };
    x * 100 + n
}

#[routine]
fn range_order(a: u32) -> u32 {
    let mut n = a % 3;
    let mut sum = 0;
    for i in next(&mut n)..next(&mut n) {
        sum += i + n;
    }
    sum
}

#[routine]
fn nested_effects(a: u32) -> u32 {
    let mut n = a % 3;
    let x = (next(&mut n) + n) * (n - { next(&mut n) % 2 }) + {
        let m = n;
        n = 0;
        m
    };
    x + n
}

#[routine]
fn destructuring_order(a: u32) -> (u32, u32, u32) {
    let mut n = a % 5;
    let (mut x, mut y) = (1, 2);
    (x, y) = (y + next(&mut n), x + next(&mut n));
    [x, y] = [y, x];
    (x, y, n)
}

#[routine]
fn comparison_effects(a: u32, b: u32) -> (bool, u32) {
    let mut n = a % 5;
    let less = n * 3 + b % 4 < {
        n += 1;
        n * 4
    };
    (less, n)
}

#[routine]
fn return_value_order(a: u32) -> u32 {
    let mut n = a % 5;
    let x = n;
    return x + {
        n = next(&mut n);
        if n > 10 {
            return n * 1000;
        }
        n
    };
}

/// A conversion that is no work for the machine has its value in the variable.
#[routine]
fn converted_before_block(a: u32, b: i32, c: u8, d: bool) -> (u64, i64, u32, [u32; 3], bool) {
    let (mut x, mut y, mut z, mut w) = (a, b, c, d);
    let sum = u64::from(
        x as i32 as u32 == a && {
            x = 7;
            true
        },
    );
    let as_sum = (y as u32).wrapping_add({
        y = 3;
        5
    });
    let from = three(z.into(), u32::from(z), {
        z = 1;
        z as u32
    });
    let list = [w as u32, (z as u16).into(), {
        w = !w;
        z = 9;
        u32::from(w)
    }];
    let less = (x as i32) < {
        x = 100;
        50
    };
    (sum, i64::from(y) + i64::from(as_sum), from, list, less)
}

#[derive(VmType, Clone, Copy)]
struct Dice {
    low: u8,
    sides: i32,
}

#[routine]
impl Dice {
    fn turn(&mut self) -> u32 {
        self.low = self.low.wrapping_mul(5).wrapping_add(1);
        self.sides ^= 0x55;
        u32::from(self.low)
    }

    fn turned(&mut self) -> (u32, u32, u32) {
        (self.low as u32, self.sides as u32, self.turn())
    }
}

#[routine]
fn converted_parts(low: u8, sides: i32) -> (u32, (u32, u32, u32), (i32, u32), u32) {
    let mut dice = Dice { low, sides };
    let sum = (dice.low as u32) + dice.turn();
    let turned = dice.turned();
    let (before, after): (i32, u32) = (dice.low.into(), dice.turn());
    (sum, turned, (before, after), (dice.sides as u32).max(dice.turn()))
}

#[routine]
fn converted_behind_references(a: u8, b: u8) -> (u32, u32, u32) {
    let mut pair = (a, [b, a]);
    let (first, others) = (&mut pair.0, &mut pair.1);
    let sum = (*first as u32) + {
        *first = 200;
        1
    };
    let list = u32::from(others[usize::from(b) % 2]) * 3 + {
        others[0] = 5;
        others[1] = 6;
        u32::from(others[0])
    };
    (sum, list, u32::from(pair.0))
}

#[routine]
fn other_readings_of_bits(bits: u32, f: f32, d: f64, i: i32) -> (f32, (u32, u32), (u64, u32), (u32, u32), f32) {
    let (mut x, mut f, mut d, mut i) = (bits, f, d, i);
    let sum = f32::from_bits(x) + {
        x = 3;
        1.0
    };
    let single = (f.to_bits(), {
        f = 9.0;
        x
    });
    let double = (d.to_bits(), {
        d = 1.0;
        x
    });
    let unsigned = (i.cast_unsigned(), {
        i = 77;
        i as u32
    });
    (sum, single, double, unsigned, f + d as f32)
}

/// The value on the right of `+=` is that of before the index is computed.
#[routine]
fn compound_of_blocks(a: u32) -> ([u32; 4], usize) {
    let mut list = [a, 2, 9, 4];
    let mut at = 0usize;
    list[{
        at += 1;
        at
    }] ^= {
        at += 1;
        at as u32
    };
    list[{
        at -= 1;
        at
    }] += if a % 2 == 0 { at as u32 } else { 7 };
    list[{
        at += 1;
        at
    }] |= match a % 3 {
        0 => at as u32,
        _ => 8,
    };
    (list, at)
}

#[derive(VmType, Clone, Copy, PartialEq, Debug)]
struct Money(u32, u32);

#[routine]
impl std::ops::AddAssign for Money {
    fn add_assign(&mut self, other: Money) {
        self.0 = self.0.wrapping_add(other.0);
        self.1 ^= other.0 + other.1 % 16;
    }
}

#[routine]
impl std::ops::SubAssign<u32> for Money {
    fn sub_assign(&mut self, other: u32) {
        self.0 = self.0.wrapping_sub(other);
        self.1 = self.1 * 3 % 64;
    }
}

#[derive(VmType, Clone, Copy)]
struct Till {
    drawers: [Money; 4],
    turn: u32,
}

#[routine]
impl Till {
    fn next(&mut self) -> u32 {
        self.turn = self.turn * 3 + 1;
        self.turn
    }

    fn drawer(&mut self) -> &mut Money {
        let at = self.next() % 4;
        &mut self.drawers[at as usize]
    }
}

/// Where the operator is the user's own, the place is evaluated first.
#[routine]
fn own_compound_left_first(a: u32) -> ([Money; 4], u32, [u32; 2]) {
    let mut list = [Money(1, 2), Money(3, 4), Money(5, 6), Money(7, 8)];
    let mut n = a % 9;
    list[(next(&mut n) % 4) as usize] += Money(next(&mut n), n);
    list[(next(&mut n) % 4) as usize] -= next(&mut n) % 10;
    list[(n % 4) as usize] += Money(next(&mut n), 1);
    let mut plain = [1, 2];
    plain[(next(&mut n) % 2) as usize] += next(&mut n);
    let mut till = Till {
        drawers: list,
        turn: n % 50,
    };
    *till.drawer() -= next(&mut n) % 7;
    (till.drawers, n + till.turn, plain)
}

#[routine]
fn own_compound_of_blocks(a: u32, b: u32) -> Option<([Money; 3], usize)> {
    let mut list = [Money(a, b % 100), Money(3, 4), Money(5, 6)];
    let mut at = (a % 2) as usize;
    let mut value = Money(b % 1000, 1);
    list[{
        at += 1;
        value.0 += 1;
        at
    }] += value;
    list[at - 1] += match b % 4 {
        0 => return None,
        1 => Money(1, at as u32),
        n => {
            at = 0;
            Money(n, 5)
        }
    };
    for turn in 0..3 {
        list[{
            at = (at + 1) % 3;
            at
        }] -= if turn == 1 && b % 5 == 0 {
            break;
        } else {
            at += 1;
            [at as u32, turn].into_iter().map(|x| x + 1).sum()
        };
    }
    Some((list, at))
}

#[routine]
fn own_compound_traps(a: u32, b: u32) -> Money {
    let mut list = [Money(1, 2); 3];
    let mut n = b % 4;
    list[(a % 5) as usize] += Money(1_000_000_000 * next(&mut n), 1);
    list[(a % 3) as usize]
}
