//! Calls: arguments and results of every shape, mutual and deep recursion, references passed down, modules.

use gpuvm::prelude::*;

cases! {
    call_chain, many_arguments, factorial, ackermann, mutual, hanoi, recursion_with_array, calls_in_arguments, reference_arguments,
    struct_arguments, tuple_results, recursion_over_limit, permutations, call_in_condition, unit_calls, module_paths, tail_recursion,
    recursive_struct_result, recursive_constants,
}

mod inner {
    use gpuvm::prelude::*;

    pub mod deeper {
        use gpuvm::prelude::*;

        #[routine]
        pub fn triple(x: u32) -> u32 {
            super::plus_one(x) * 3 - 3
        }
    }

    #[routine]
    pub fn plus_one(x: u32) -> u32 {
        x + 1
    }
}

#[routine]
fn helper_a(x: u32) -> u32 {
    helper_b(x ^ 5) + 1
}

#[routine]
fn helper_b(x: u32) -> u32 {
    if x % 2 == 0 { helper_c(x) } else { helper_c(x / 3) }
}

#[routine]
fn helper_c(x: u32) -> u32 {
    x % 1000 * 7
}

#[routine]
fn call_chain(x: u32) -> u32 {
    helper_a(x) + helper_b(x) * helper_c(x % 10)
}

#[routine]
fn eight(a: u32, b: i32, c: f32, d: bool, e: u64, f: u8, g: [u32; 2], h: (u32, f32)) -> f32 {
    let x = a as f32 + b as f32 - c;
    let y = if d { e as f32 } else { f as f32 };
    x * y + g[0] as f32 - g[1] as f32 / (h.0 as f32 + h.1)
}

#[routine]
fn many_arguments(a: u32, b: i32, c: f32, d: bool, e: u64) -> f32 {
    eight(a, b, c, d, e, a as u8, [a, 5], (b as u32, c)) - eight(1, -2, 3.0, !d, 5, 6, [7, a], (9, 10.0))
}

#[routine]
fn fact(n: u32) -> u32 {
    if n == 0 { 1 } else { n.wrapping_mul(fact(n - 1)) }
}

#[routine]
fn factorial(n: u32) -> u32 {
    fact(n % 20)
}

#[routine]
fn ack(m: u32, n: u32) -> u32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ack(m - 1, 1),
        (m, n) => ack(m - 1, ack(m, n - 1)),
    }
}

#[routine]
fn ackermann(m: u32, n: u32) -> u32 {
    ack(m % 3, n % 4)
}

#[routine]
fn is_even(n: u32) -> bool {
    if n == 0 { true } else { is_odd(n - 1) }
}

#[routine]
fn is_odd(n: u32) -> bool {
    if n == 0 { false } else { is_even(n - 1) }
}

#[routine]
fn mutual(a: u32, b: u32) -> (bool, bool) {
    (is_even(a % 50), is_odd(b % 33))
}

#[routine]
fn move_tower(n: u32, from: u32, to: u32, by: u32, moves: &mut u32) {
    if n > 0 {
        move_tower(n - 1, from, by, to, moves);
        *moves = moves.wrapping_mul(5) + from * 4 + to;
        move_tower(n - 1, by, to, from, moves);
    }
}

#[routine]
fn hanoi(n: u32) -> u32 {
    let mut moves = 0;
    move_tower(n % 6, 0, 1, 2, &mut moves);
    moves
}

#[routine]
fn digits(n: u32, place: usize, out: &mut [u32; 8]) -> u32 {
    let local = [n % 10, n / 10];
    out[place] = local[0];
    if local[1] == 0 || place == 7 {
        return place as u32 + 1;
    }
    let count = digits(local[1], place + 1, out);
    out[place] += local[0] * 100;
    count
}

#[routine]
fn recursion_with_array(n: u32) -> ([u32; 8], u32) {
    let mut out = [0; 8];
    let count = digits(n, 0, &mut out);
    (out, count)
}

#[routine]
fn calls_in_arguments(a: u32) -> u32 {
    inner::plus_one(helper_c(helper_c(a) + inner::plus_one(a % 100)) * helper_c(3))
}

#[routine]
fn swap_if(a: &mut u32, b: &mut u32, wanted: bool) -> bool {
    if wanted {
        let t = *a;
        *a = *b;
        *b = t;
    }
    wanted
}

#[routine]
fn reference_arguments(a: u32, b: u32) -> (u32, u32) {
    let (mut x, mut y) = (a, b);
    if swap_if(&mut x, &mut y, a > b) {
        x ^= 1;
    }
    let mut pair = [x, y];
    let [first, second] = &mut pair;
    swap_if(first, second, a % 2 == 0);
    (pair[0], pair[1])
}

#[derive(VmType, Clone, Copy, Debug)]
struct Node {
    value: u32,
    next: [u32; 2],
}

#[routine]
fn tweak(node: Node, by: &Node) -> Node {
    Node {
        value: node.value ^ by.value,
        next: [by.next[1], node.next[0]],
    }
}

#[routine]
fn struct_arguments(a: u32, b: u32) -> Node {
    let node = Node { value: a, next: [b, 3] };
    tweak(tweak(node, &Node { value: 9, ..node }), &node)
}

#[routine]
fn div_mod(a: u32, b: u32) -> (u32, u32, bool) {
    if b == 0 { (0, a, false) } else { (a / b, a % b, true) }
}

#[routine]
fn tuple_results(a: u32, b: u32) -> u32 {
    let (q, r, ok) = div_mod(a, b % 10);
    let (_, second, _) = div_mod(q, r);
    if ok { q ^ second } else { div_mod(a, 3).1 }
}

#[routine]
fn descend(n: u32) -> u32 {
    if n == 0 { 0 } else { 1 + descend(n - 1) }
}

#[routine]
fn recursion_over_limit(n: u32) -> u32 {
    // The default limit is 256 calls deep, so the larger ones trap.
    descend(n % 400)
}

#[routine]
fn permute(values: &mut [u32; 4], k: usize, hash: &mut u32) {
    if k == 4 {
        for v in values.iter() {
            *hash = hash.wrapping_mul(31).wrapping_add(*v);
        }
        return;
    }
    for i in k..4 {
        (values[k], values[i]) = (values[i], values[k]);
        permute(values, k + 1, hash);
        (values[k], values[i]) = (values[i], values[k]);
    }
}

#[routine]
fn permutations(a: u32, b: u32) -> u32 {
    let mut values = [a, b, 3, 4];
    let mut hash = 17;
    permute(&mut values, 0, &mut hash);
    hash
}

#[routine]
fn call_in_condition(a: u32) -> u32 {
    let mut x = a % 30;
    let mut n = 0;
    while is_even(x) || helper_c(x) % 3 == 0 {
        x = inner::plus_one(x);
        n += 1;
        if n > 12 {
            break;
        }
    }
    match helper_c(x) {
        0 => n,
        y if is_odd(y % 40) => n + 100,
        _ => n + 200,
    }
}

#[routine]
fn reset(x: &mut u32) {
    *x = 0;
}

#[routine]
fn unit_calls(a: u32) -> u32 {
    let mut x = a;
    if a % 2 == 0 {
        reset(&mut x)
    }
    let () = reset(&mut { x });
    x
}

#[routine]
fn module_paths(a: u32) -> u32 {
    let a = a % 1_000_000;
    inner::deeper::triple(a) + self::inner::plus_one(a) + crate::calls_recursion::helper_c(a)
}

#[routine]
fn accumulate(n: u32, sum: u32) -> u32 {
    if n == 0 {
        return sum;
    }
    accumulate(n - 1, sum.wrapping_add(n * n))
}

#[routine]
fn tail_recursion(n: u32) -> u32 {
    accumulate(n % 120, n)
}

#[routine]
fn bisect(low: f32, high: f32, depth: u32) -> (f32, u32) {
    let middle = (low + high) * 0.5;
    if depth == 0 || middle * middle == 2.0 {
        return (middle, depth);
    }
    if middle * middle < 2.0 {
        bisect(middle, high, depth - 1)
    } else {
        bisect(low, middle, depth - 1)
    }
}

#[routine]
fn recursive_struct_result(n: u32) -> (f32, u32) {
    bisect(0.0, 2.0, n % 30)
}

#[routine]
const fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[routine]
const fn power(base: u32, exponent: u32) -> u32 {
    match exponent {
        0 => 1,
        e if e % 2 == 0 => {
            let half = power(base, e / 2);
            half.wrapping_mul(half)
        }
        e => base.wrapping_mul(power(base, e - 1)),
    }
}

const POWERS: [u32; 3] = [power(2, 9), power(3, 5), common_divisor(48, 18)];

/// Functions that call themselves, in constants as well.
#[routine]
fn recursive_constants(a: u32, b: u32) -> (u32, u32, u32) {
    (common_divisor(a, b), power(a, b % 64), POWERS[a as usize % 3])
}
