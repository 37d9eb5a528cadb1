//! Labels: `break` and `continue` across loops, labelled blocks, values carried out of each.

use gpuvm::prelude::*;

cases! {
    break_outer, continue_outer, break_value_from_inner, labelled_block, labelled_block_value, deep_labels, label_in_while,
    shadowed_labels, block_in_loop, return_past_labels,
}

#[routine]
fn break_outer(a: u32, b: u32) -> u32 {
    let mut count = 0;
    'outer: for i in 0..10 {
        for j in 0..10 {
            if i * j == a % 40 {
                break 'outer;
            }
            if j > b % 10 {
                break;
            }
            count += 1;
        }
    }
    count
}

#[routine]
fn continue_outer(a: u32, b: u32) -> u32 {
    let mut sum = 0;
    'rows: for i in 0..12 {
        let mut j = 0;
        loop {
            if (i + j) % 5 == a % 5 {
                continue 'rows;
            }
            j += 1;
            sum += j;
            if j > b % 8 {
                continue 'rows;
            }
        }
    }
    sum
}

#[routine]
fn break_value_from_inner(a: u32) -> u32 {
    let mut i = a % 20;
    let found = 'search: loop {
        let mut j = 0;
        while j < 10 {
            if i * j > 50 {
                break 'search i * 100 + j;
            }
            j += 1;
        }
        i += 1;
        if i > 1000 {
            break 0;
        }
    };
    found + 1
}

#[routine]
fn labelled_block(a: i32, b: i32) -> i32 {
    let mut x = a % 100;
    'done: {
        if x < 0 {
            break 'done;
        }
        x += 1;
        if b % 3 == 0 {
            break 'done;
        }
        x *= 2;
    }
    x
}

#[routine]
fn labelled_block_value(a: u32, b: u32) -> u32 {
    let kind = 'kind: {
        if a % 2 == 0 {
            break 'kind 1;
        }
        for i in 0..b % 9 {
            if i == 6 {
                break 'kind i * 10;
            }
        }
        3
    };
    kind * 7
}

#[routine]
fn deep_labels(a: u32, b: u32, c: u32) -> u32 {
    let mut n = 0;
    'a: for i in 0..4 {
        'b: for j in 0..4 {
            'c: for k in 0..4 {
                n += 1;
                match (i * a + j * b + k * c) % 7 {
                    0 => continue 'a,
                    1 => continue 'b,
                    2 => continue 'c,
                    3 if n > 20 => break 'a,
                    4 => break 'b,
                    5 => break 'c,
                    _ => n += 100,
                }
            }
            n += 1000;
        }
        n += 10_000;
    }
    n
}

#[routine]
fn label_in_while(a: u32) -> u32 {
    let mut x = a % 64;
    let mut y = 0;
    'outer: while x > 0 {
        x -= 1;
        while y < 1000 {
            y += x;
            if y % 7 == 3 {
                continue 'outer;
            }
            if y % 11 == 5 {
                break 'outer;
            }
            y += 1;
        }
    }
    x * 10_000 + y
}

#[routine]
fn shadowed_labels(a: u32) -> u32 {
    let mut n = 0;
    for i in 0..5 {
        let inner = loop {
            n += 1;
            if n % 3 == a % 3 {
                break n;
            }
        };
        n += inner % 2 + i;
    }
    n
}

#[routine]
fn block_in_loop(a: u32) -> u32 {
    let mut sum = 0;
    'each: for i in 0..8 {
        let value = 'pick: {
            if i == a % 8 {
                continue 'each;
            }
            if i > a % 13 {
                break 'each;
            }
            if i % 2 == 0 {
                break 'pick 5;
            }
            i
        };
        sum = sum * 10 + value;
    }
    sum
}

#[routine]
fn return_past_labels(a: u32) -> u32 {
    'x: loop {
        let y = 'y: {
            if a % 5 == 0 {
                return 1;
            }
            if a % 5 == 1 {
                break 'x;
            }
            if a % 5 == 2 {
                break 'y 7;
            }
            8
        };
        return y;
    }
    99
}
