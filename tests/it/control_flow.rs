//! `if`, `if let`, blocks as values, early `return`, shadowing and short-circuit operators.

use gpuvm::prelude::*;

cases! {
    nested_if, if_as_value, early_return, shadowing, block_scopes, else_if_ladder, short_circuit_effects, let_else_number,
    if_let_chain, return_in_expression, unit_blocks, nested_blocks_with_returns, diverging_branches, if_let_else,
    statement_values, return_nothing,
}

#[routine]
fn nested_if(a: i32, b: i32) -> i32 {
    if a > 0 {
        if b > 0 { if a > b { 1 } else { 2 } } else { 3 }
    } else if b > 0 {
        4
    } else {
        if a == b { 5 } else { 6 }
    }
}

#[routine]
fn if_as_value(a: u32, flag: bool) -> u32 {
    let x = if flag { a / 2 } else { a % 1000 * 3 };
    x + if x > 10 { 1 } else { 2 }
}

#[routine]
fn early_return(a: i32) -> i32 {
    if a < -100 {
        return -1;
    }
    let b = a % 17;
    if b == 3 {
        return a;
    }
    {
        if b > 10 {
            return b;
        }
    }
    b * 2
}

#[routine]
fn shadowing(a: u32) -> f32 {
    let x = a % 100;
    let x = x as f32 / 2.0;
    let y = {
        let x = x + 1.0;
        x * x
    };
    let x = if y > 50.0 {
        let y = y - x;
        y
    } else {
        x
    };
    x + y
}

#[routine]
fn block_scopes(a: i32, b: i32) -> i32 {
    let mut total = 0;
    {
        let a = b % 7;
        total += a;
        {
            let b = a * 2;
            total += b;
        }
        total += a;
    }
    total + a % 3 + b % 5
}

#[routine]
fn else_if_ladder(score: u32) -> u32 {
    let score = score % 110;
    if score >= 100 {
        0
    } else if score >= 90 {
        1
    } else if score >= 75 {
        2
    } else if score >= 50 {
        3
    } else {
        4
    }
}

#[routine]
fn bump(counter: &mut u32, by: u32, answer: bool) -> bool {
    *counter += by;
    answer
}

#[routine]
fn short_circuit_effects(a: bool, b: bool, c: bool) -> u32 {
    let mut n = 0;
    let x = bump(&mut n, 1, a) && bump(&mut n, 10, b) || bump(&mut n, 100, c);
    let y = !bump(&mut n, 1000, b) || bump(&mut n, 10_000, a) && bump(&mut n, 100_000, x);
    if x ^ y { n } else { n + 1_000_000 }
}

#[routine]
fn let_else_number(a: u32, b: u32) -> u32 {
    let Some(q) = a.checked_div(b) else {
        return u32::MAX;
    };
    let Some(sum) = q.checked_add(b) else {
        return 7;
    };
    sum
}

#[routine]
fn if_let_chain(a: i32, b: i32) -> i32 {
    if let Some(q) = a.checked_div(b)
        && q > 3
        && let Some(s) = q.checked_mul(1000)
    {
        s
    } else {
        -1
    }
}

#[routine]
fn return_in_expression(a: u32) -> u32 {
    let half = if a % 2 == 0 { a / 2 } else { return a };
    let quarter = match half % 2 {
        0 => half / 2,
        _ => return half,
    };
    quarter + 1
}

#[routine]
fn unit_blocks(a: u32) -> u32 {
    let mut x = a;
    if x > 5 {
        x /= 2;
    };
    let () = {
        x ^= 1;
    };
    match x % 3 {
        0 => x ^= 4,
        1 => {}
        _ => (),
    }
    x
}

#[routine]
fn nested_blocks_with_returns(a: i32, b: i32) -> i32 {
    let v = {
        let w = {
            if a > b {
                return a;
            }
            b % 100
        };
        if w < 0 {
            return w;
        }
        w * 2
    };
    v + 1
}

#[routine]
fn diverging_branches(a: u32) -> u32 {
    if a % 3 == 0 {
        return 10;
    } else if a % 3 == 1 {
        return 20;
    } else {
        return 30;
    }
}

#[routine]
fn if_let_else(a: u32, b: u32) -> u32 {
    if let 0..=9 = a % 20 {
        b / 2
    } else if let x @ (10 | 12 | 14) = a % 20 {
        x
    } else {
        b / 3
    }
}

#[routine]
fn statement_values(a: i32) -> i32 {
    let mut b = a % 50;
    b = if b > 10 { b - 10 } else { b };
    b += match b {
        0 => 1,
        x if x < 0 => -x,
        x => x / 2,
    };
    b
}

#[routine]
fn return_nothing(a: u32) {
    if a == 3 {
        return;
    }
    let _unused = a / 2;
}
