//! Constants that are tables: data of the program, which all VMs read where it is.

use gpuvm::prelude::*;

use crate::harness::{ENGINES, pausing, runtime};

cases! {
    table_of_65536, static_table, table_of_wide_elements, table_by_two_indices, table_by_reference, table_given_to_recursion,
    part_of_a_table, table_iterated, searched_table, table_copied_and_written, table_of_structs, table_in_a_struct, constant_written_to,
    constant_sorted, constant_behind_a_mutable_reference, equal_tables, table_beside_a_slice, long_list_of_slices, table_of_an_impl,
    table_chosen_at_run_time, table_matched, table_of_small_numbers, table_in_a_closure, outside_of_a_table, table_compared,
    table_bound_by_reference, constant_rotated_by_index, table_returned_by_reference,
}

const fn squares<const N: usize>() -> [u32; N] {
    let mut table = [0; N];
    let mut i = 0;
    while i < N {
        table[i] = (i as u32).wrapping_mul(i as u32) ^ 0x5bd1_e995;
        i += 1;
    }
    table
}

const LARGE: [u32; 65_536] = squares();
static PERMUTATION: [u16; 300] = {
    let mut table = [0; 300];
    let mut i = 0;
    while i < 300 {
        table[i] = (i * 7 % 300) as u16;
        i += 1;
    }
    table
};
const DOUBLES: [f64; 12] = [
    0.0,
    -0.0,
    1.5,
    1e-310,
    1e300,
    f64::INFINITY,
    -2.25,
    3.0,
    0.1,
    0.2,
    0.3,
    -1e-5,
];
const WIDE: [u128; 5] = [0, 1, u128::MAX, 1 << 100, 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210];
const BOARD: [[i8; 6]; 4] = [
    [1, -2, 3, -4, 5, -6],
    [0; 6],
    [127, -128, 127, -128, 127, -128],
    [9, 8, 7, 6, 5, 4],
];
const PRIMES: [u32; 20] = [
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71,
];
const SAME_PRIMES: [u32; 20] = PRIMES;

#[routine]
fn table_of_65536(i: u32, j: u16) -> u32 {
    LARGE[(i % 65_536) as usize] ^ LARGE[j as usize].rotate_left(1) ^ LARGE[65_535]
}

#[routine]
fn static_table(start: u16, steps: u8) -> u16 {
    let mut at = start % 300;
    for _ in 0..steps % 50 {
        at = PERMUTATION[at as usize];
    }
    at
}

#[routine]
fn table_of_wide_elements(i: u32, j: u32) -> (f64, u128) {
    (
        DOUBLES[(i % 12) as usize] + DOUBLES[2],
        WIDE[(j % 5) as usize] ^ WIDE[(i % 5) as usize] ^ WIDE[3],
    )
}

#[routine]
fn table_by_two_indices(row: u8, column: u8) -> i32 {
    let whole = BOARD[(row % 4) as usize];
    let one = BOARD[(column % 4) as usize][(row % 6) as usize];
    whole[(column % 6) as usize] as i32 * 1000 + one as i32 + BOARD[2][1] as i32
}

#[routine]
fn read(table: &[u32; 20], i: u32) -> u32 {
    table[(i % 20) as usize]
}

#[routine]
fn table_by_reference(i: u32, j: u32) -> u32 {
    let table = &PRIMES;
    read(table, i) * read(&PRIMES, j) + table.len() as u32
}

#[routine]
fn descend(table: &[u32], depth: u32) -> u32 {
    match table.split_first() {
        Some((first, rest)) if depth > 0 => first.wrapping_add(descend(rest, depth - 1).rotate_left(3)),
        _ => 1,
    }
}

#[routine]
fn table_given_to_recursion(from: u32, depth: u32) -> u32 {
    descend(&PRIMES[(from % 20) as usize..], depth % 25)
}

#[routine]
fn part_of_a_table(start: u32, count: u32) -> u32 {
    let start = (start % 100) as usize;
    let part = &LARGE[start..start + (count % 9) as usize];
    part.iter()
        .fold(part.len() as u32, |sum, x| sum.wrapping_mul(31).wrapping_add(*x))
}

#[routine]
fn table_iterated(below: u32) -> (u32, u32) {
    let mut count = 0;
    for prime in PRIMES {
        if prime < below % 80 {
            count += 1;
        }
    }
    (
        count,
        PRIMES
            .iter()
            .rev()
            .skip(2)
            .step_by(3)
            .zip(DOUBLES)
            .map(|(p, d)| p + (d > 0.0) as u32)
            .sum(),
    )
}

#[routine]
fn searched_table(n: u32) -> (bool, u32) {
    let n = n % 75;
    match PRIMES.binary_search(&n) {
        Ok(at) => (PRIMES.contains(&n), at as u32),
        Err(at) => (PRIMES.contains(&n), 100 + at as u32),
    }
}

#[routine]
fn table_copied_and_written(i: u32, value: u32) -> (u32, u32, u32) {
    let mut copy = PRIMES;
    copy[(i % 20) as usize] = value % 1000;
    copy[3] += 1;
    let sum = copy.iter().sum();
    (sum, PRIMES.iter().sum(), copy[(i / 20 % 20) as usize])
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Planet {
    mass: f32,
    orbit: u32,
    moons: u8,
}

const PLANETS: [Planet; 4] = [
    Planet {
        mass: 0.33,
        orbit: 88,
        moons: 0,
    },
    Planet {
        mass: 4.87,
        orbit: 225,
        moons: 0,
    },
    Planet {
        mass: 5.97,
        orbit: 365,
        moons: 1,
    },
    Planet {
        mass: 0.642,
        orbit: 687,
        moons: 2,
    },
];

#[routine]
fn table_of_structs(i: u32, days: u32) -> (f32, u32, Planet) {
    let planet = &PLANETS[(i % 4) as usize];
    let light: u32 = PLANETS
        .iter()
        .filter(|p| p.mass < planet.mass + 1.0)
        .map(|p| p.moons as u32)
        .sum();
    (
        planet.mass * 2.0,
        days / planet.orbit + light,
        PLANETS[(days % 4) as usize],
    )
}

#[derive(VmType, Clone, Copy, Debug)]
struct Rules {
    birth: [bool; 9],
    survival: [bool; 9],
    name: u32,
}

impl Rules {
    const LIFE: Rules = Rules {
        birth: [false, false, false, true, false, false, false, false, false],
        survival: [false, false, true, true, false, false, false, false, false],
        name: 0x4c49_4645,
    };
}

#[routine]
fn next(rules: &Rules, alive: bool, neighbours: u8) -> bool {
    let table = if alive { &rules.survival } else { &rules.birth };
    table[(neighbours % 9) as usize]
}

#[routine]
fn table_in_a_struct(alive: bool, neighbours: u8) -> (bool, u32) {
    let mut rules = Rules::LIFE;
    rules.birth[6] = true;
    (
        next(&Rules::LIFE, alive, neighbours) ^ next(&rules, !alive, neighbours),
        Rules::LIFE.name + rules.birth.iter().filter(|b| **b).count() as u32,
    )
}

#[routine]
fn constant_written_to(i: u32) -> u32 {
    #[allow(const_item_mutation, reason = "what it means is asked here")]
    {
        PRIMES[(i % 20) as usize] = 4;
    }
    PRIMES[(i % 20) as usize]
}

#[routine]
fn constant_sorted(i: u32) -> (i8, i8) {
    let mut row = BOARD[(i % 4) as usize];
    row.sort_unstable();
    #[allow(const_item_mutation, reason = "what it means is asked here")]
    BOARD[0].sort_unstable();
    (row[0], BOARD[0][(i % 6) as usize])
}

#[routine]
fn bump(table: &mut [u32; 20], i: u32) -> u32 {
    table[(i % 20) as usize] += 5;
    table.iter().sum()
}

#[routine]
fn constant_behind_a_mutable_reference(i: u32) -> (u32, u32) {
    #[allow(const_item_mutation, reason = "what it means is asked here")]
    let bumped = bump(&mut PRIMES, i);
    (bumped, PRIMES[(i % 20) as usize])
}

#[routine]
fn equal_tables(i: u32) -> bool {
    let (a, b) = (&PRIMES[(i % 20) as usize..], &SAME_PRIMES[(i % 20) as usize..]);
    a == b && PRIMES == SAME_PRIMES
}

#[routine]
fn table_beside_a_slice(own: [u32; 12], i: u32, from_table: bool) -> u32 {
    let all: &[u32] = if from_table { &PRIMES } else { &own };
    all[i as usize % all.len()]
}

const WORDS: [(u8, &[u32]); 4] = [(1, &[10, 20, 30]), (2, &[]), (3, &[7]), (4, &[9, 9, 9, 9, 9])];

#[routine]
fn long_list_of_slices(i: u32, j: u32) -> (u8, u32) {
    let (tag, words) = WORDS[(i % 4) as usize];
    (
        tag,
        words.iter().sum::<u32>() + words.get(j as usize % 4).copied().unwrap_or(1000),
    )
}

struct Sines;

#[routine]
impl Sines {
    const QUARTER: [i16; 17] = [
        0, 3212, 6393, 9512, 12540, 15447, 18205, 20788, 23170, 25330, 27246, 28899, 30274, 31357, 32138, 32610, 32767,
    ];

    fn of(turn: u8) -> i16 {
        let (quarter, at) = (turn / 16 % 4, (turn % 16) as usize);
        match quarter {
            0 => Self::QUARTER[at],
            1 => Self::QUARTER[16 - at],
            2 => -Self::QUARTER[at],
            _ => -Self::QUARTER[16 - at],
        }
    }
}

#[routine]
fn table_of_an_impl(turn: u8) -> i32 {
    Sines::of(turn) as i32 - Sines::of(turn.wrapping_add(64)) as i32
}

#[routine]
fn table_chosen_at_run_time(which: u32, i: u32) -> u32 {
    let table: &[u32] = match which % 3 {
        0 => &PRIMES,
        1 => &LARGE,
        _ => &[4, 5, 6],
    };
    table[i as usize % table.len()].wrapping_add(table.len() as u32)
}

#[routine]
fn table_matched(i: u32) -> u32 {
    match PRIMES[(i % 20) as usize] {
        2 | 3 => 1,
        prime @ 5..=29 => prime,
        prime if prime % 4 == 1 => prime * 2,
        _ => 0,
    }
}

#[routine]
fn table_of_small_numbers(text: [u8; 6]) -> u32 {
    const CLASSES: &[u8; 256] = &{
        let mut classes = [0; 256];
        let mut c = b'0';
        while c <= b'9' {
            classes[c as usize] = 1;
            c += 1;
        }
        classes[b' ' as usize] = 2;
        classes[255] = 3;
        classes
    };
    text.iter().fold(0, |all, c| all * 4 + CLASSES[*c as usize] as u32)
}

#[routine]
fn table_in_a_closure(a: u8, b: u8) -> u32 {
    let at = |i: u8| PERMUTATION[i as usize] as u32;
    let both = |i: u8| at(i) + PERMUTATION.get(i as usize + 100).map_or(7, |x| *x as u32);
    both(a) * 1000 + both(b)
}

#[routine]
fn outside_of_a_table(i: u32) -> u32 {
    PRIMES[(i % 21) as usize]
}

#[routine]
fn table_compared(row: [i8; 6], i: u32) -> (bool, bool) {
    (row == BOARD[(i % 4) as usize], row < BOARD[(i / 4 % 4) as usize])
}

#[routine]
fn table_bound_by_reference(i: u32) -> u32 {
    let [first, .., last] = &PRIMES;
    let [ref row, ..] = BOARD;
    first + last + row[(i % 6) as usize].unsigned_abs() as u32
}

#[routine]
fn constant_rotated_by_index(i: u32) -> u32 {
    let mut sum = 0u32;
    let mut table = PRIMES;
    for k in 0..4 {
        table.rotate_left((i % 5) as usize);
        sum = sum.wrapping_mul(101).wrapping_add(table[k] * PRIMES[k]);
    }
    sum
}

#[routine]
fn row_of(i: u32) -> &'static [i8; 6] {
    &BOARD[(i % 4) as usize]
}

#[routine]
fn table_returned_by_reference(i: u32, j: u32) -> i32 {
    row_of(i)[(j % 6) as usize] as i32 + row_of(j).iter().map(|x| *x as i32).sum::<i32>()
}

#[routine]
fn looked_up(x: u32) -> u32 {
    PERMUTATION[(x % 300) as usize] as u32
}

#[routine]
fn combined(a: u32, b: u32) -> u32 {
    a.wrapping_add(PRIMES[(b % 20) as usize]) ^ PERMUTATION[(a % 300) as usize] as u32
}

#[test]
fn plans_have_tables() {
    let column: Vec<u32> = (0..5000).collect();
    let run = |engine| {
        let mut plan = runtime().plan();
        let x = plan.input(&column);
        let found = plan.map("looked_up", (x,)).unwrap();
        let mixed = plan.map("combined", (found, x)).unwrap();
        let all = plan.reduce("combined", found).unwrap();
        let done = plan.engine(engine).run().unwrap();
        (done.get::<u32>(mixed).unwrap(), done.get::<u32>(all).unwrap())
    };
    let expected = run(Engine::Reference);
    let mixed: Vec<u32> = column.iter().map(|&x| combined(looked_up(x), x)).collect();
    assert_eq!(expected.0, mixed);
    for engine in ENGINES {
        assert!(run(engine) == expected, "{engine:?}");
    }
}

#[routine]
fn walks(start: u32, steps: u32) -> u32 {
    let mut at = start % 300;
    for _ in 0..steps {
        at = PERMUTATION[at as usize] as u32 ^ (PRIMES[(at % 20) as usize] & 1);
        vm::yield_now();
    }
    at
}

#[test]
fn a_snapshot_goes_on_with_its_tables() {
    let starts: Vec<u32> = (0..70).collect();
    let expected = {
        let launch = runtime()
            .launch("walks")
            .unwrap()
            .args((&starts, 6u32))
            .engine(Engine::Reference);
        launch.run().unwrap().output::<Vec<u32>>().unwrap()
    };
    for engine in pausing() {
        let launch = runtime().launch("walks").unwrap();
        let mut execution = launch.args((&starts, 6u32)).engine(engine).start().unwrap();
        for _ in 0..3 {
            execution.advance(gpuvm::Budget::unlimited()).unwrap();
        }
        let saved = gpuvm::Snapshot::from_bytes(&execution.snapshot().unwrap().to_bytes()).unwrap();
        for other in pausing() {
            let mut execution = runtime().restore_on(&saved, other).unwrap();
            execution.run_to_end().unwrap();
            let found: Vec<u32> = execution.finish().unwrap().output().unwrap();
            assert_eq!(found, expected, "{engine:?}, then {other:?}");
        }
    }
}
