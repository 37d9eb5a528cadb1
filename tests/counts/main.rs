//! What iterators cost, those that are written as routines here and std's own: as many instructions, within 5 %, as the loop that one would write by hand.

mod chains;
mod users;

use gpuvm::prelude::*;
use gpuvm::{Error, IntoArgs};

#[derive(VmType, Clone, Copy)]
struct Count {
    at: u32,
    end: u32,
}

#[routine]
impl Count {
    fn next(&mut self) -> Option<u32> {
        if self.at < self.end {
            let at = self.at;
            self.at += 1;
            Some(at)
        } else {
            None
        }
    }
}

/// Every third number, squared.
#[derive(VmType, Clone, Copy)]
struct Thirds {
    of: Count,
}

#[routine]
impl Thirds {
    fn next(&mut self) -> Option<u32> {
        while let Some(x) = self.of.next() {
            if x % 3 == 0 {
                return Some(x * x);
            }
        }
        None
    }
}

/// Both at once, until one ends.
#[derive(VmType, Clone, Copy)]
struct Zip {
    a: Thirds,
    b: Count,
}

#[routine]
impl Zip {
    fn next(&mut self) -> Option<(u32, u32)> {
        let a = self.a.next()?;
        let b = self.b.next()?;
        Some((a, b))
    }
}

/// One after the other.
#[derive(VmType, Clone, Copy)]
struct Chain {
    a: Count,
    b: Count,
    first_done: bool,
}

#[routine]
impl Chain {
    fn next(&mut self) -> Option<u32> {
        if !self.first_done {
            if let Some(x) = self.a.next() {
                return Some(x);
            }
            self.first_done = true;
        }
        self.b.next()
    }
}

/// The numbers below each of some numbers.
#[derive(VmType, Clone, Copy)]
struct Triangle {
    rows: Count,
    row: Option<Count>,
}

#[routine]
impl Triangle {
    fn next(&mut self) -> Option<u32> {
        loop {
            if let Some(mut row) = self.row {
                let next = row.next();
                self.row = Some(row);
                if next.is_some() {
                    return next;
                }
                self.row = None;
            }
            match self.rows.next() {
                Some(end) => self.row = Some(Count { at: 0, end }),
                None => return None,
            }
        }
    }
}

/// What comes next can be looked at before it is taken.
#[derive(VmType, Clone, Copy)]
struct Peekable {
    of: Thirds,
    peeked: Option<Option<u32>>,
}

#[routine]
impl Peekable {
    fn next(&mut self) -> Option<u32> {
        match self.peeked {
            Some(next) => {
                self.peeked = None;
                next
            }
            None => self.of.next(),
        }
    }

    fn peek(&mut self) -> Option<u32> {
        if let Some(next) = self.peeked {
            return next;
        }
        let next = self.of.next();
        self.peeked = Some(next);
        next
    }
}

/// Numbered pairs of which the first few are left out.
#[derive(VmType, Clone, Copy)]
struct SkipEnumerate {
    of: Thirds,
    skip: u32,
    number: u32,
}

#[routine]
impl SkipEnumerate {
    fn next(&mut self) -> Option<(u32, u32)> {
        while self.skip > 0 {
            self.skip -= 1;
            self.of.next()?;
        }
        let next = self.of.next()?;
        let number = self.number;
        self.number += 1;
        Some((number, next))
    }
}

#[routine]
fn triangle(n: u32) -> u32 {
    let mut it = Triangle {
        rows: Count { at: 0, end: n / 50 },
        row: None,
    };
    let mut sum = 0u32;
    while let Some(x) = it.next() {
        sum = sum.wrapping_mul(31) ^ x;
    }
    sum
}

#[routine]
fn triangle_by_hand(n: u32) -> u32 {
    let mut sum = 0u32;
    let mut row = 0;
    while row < n / 50 {
        let mut x = 0;
        while x < row {
            sum = sum.wrapping_mul(31) ^ x;
            x += 1;
        }
        row += 1;
    }
    sum
}

#[routine]
fn peek(n: u32) -> u32 {
    let mut it = Peekable {
        of: Thirds {
            of: Count { at: 0, end: n },
        },
        peeked: None,
    };
    let mut sum = 0u32;
    while let Some(x) = it.next() {
        if let Some(after) = it.peek() {
            sum = sum.wrapping_mul(31) ^ (after - x);
        }
    }
    sum
}

#[routine]
fn peek_by_hand(n: u32) -> u32 {
    let mut sum = 0u32;
    let mut before = 0;
    let mut is_first = true;
    let mut at = 0;
    while at < n {
        if at % 3 == 0 {
            let x = at * at;
            if !is_first {
                sum = sum.wrapping_mul(31) ^ (x - before);
            }
            is_first = false;
            before = x;
        }
        at += 1;
    }
    sum
}

#[routine]
fn skip_enumerate(n: u32) -> u32 {
    let mut it = SkipEnumerate {
        of: Thirds {
            of: Count { at: 0, end: n },
        },
        skip: 3,
        number: 0,
    };
    let mut sum = 0u32;
    while let Some((number, x)) = it.next() {
        sum = sum.wrapping_mul(31) ^ number ^ x;
    }
    sum
}

#[routine]
fn skip_enumerate_by_hand(n: u32) -> u32 {
    let mut sum = 0u32;
    let mut skip = 3;
    let mut number = 0;
    let mut x = 0;
    while x < n {
        if x % 3 == 0 {
            let square = x * x;
            if skip > 0 {
                skip -= 1;
            } else {
                sum = sum.wrapping_mul(31) ^ number ^ square;
                number += 1;
            }
        }
        x += 1;
    }
    sum
}

#[routine]
fn count(n: u32) -> u32 {
    let mut it = Count { at: 0, end: n };
    let mut sum = 0u32;
    while let Some(x) = it.next() {
        sum = sum.wrapping_mul(31) ^ x;
    }
    sum
}

#[routine]
fn count_by_hand(n: u32) -> u32 {
    let mut sum = 0u32;
    let mut x = 0;
    while x < n {
        sum = sum.wrapping_mul(31) ^ x;
        x += 1;
    }
    sum
}

#[routine]
fn thirds(n: u32) -> u32 {
    let mut it = Thirds {
        of: Count { at: 0, end: n },
    };
    let mut sum = 0u32;
    while let Some(x) = it.next() {
        sum = sum.wrapping_mul(31) ^ x;
    }
    sum
}

#[routine]
fn thirds_by_hand(n: u32) -> u32 {
    let mut sum = 0u32;
    let mut x = 0;
    while x < n {
        if x % 3 == 0 {
            sum = sum.wrapping_mul(31) ^ (x * x);
        }
        x += 1;
    }
    sum
}

#[routine]
fn zip(n: u32) -> u32 {
    let mut it = Zip {
        a: Thirds {
            of: Count { at: 0, end: n },
        },
        b: Count { at: 7, end: n },
    };
    let mut sum = 0u32;
    while let Some((a, b)) = it.next() {
        sum = sum.wrapping_mul(31) ^ a.wrapping_add(b);
    }
    sum
}

#[routine]
fn zip_by_hand(n: u32) -> u32 {
    let mut sum = 0u32;
    let mut x = 0;
    let mut b = 7;
    while x < n {
        if x % 3 == 0 {
            if b >= n {
                break;
            }
            sum = sum.wrapping_mul(31) ^ (x * x).wrapping_add(b);
            b += 1;
        }
        x += 1;
    }
    sum
}

#[routine]
fn chain(n: u32) -> u32 {
    let mut it = Chain {
        a: Count { at: 0, end: n },
        b: Count { at: 5, end: n },
        first_done: false,
    };
    let mut sum = 0u32;
    while let Some(x) = it.next() {
        sum = sum.wrapping_mul(31) ^ x;
    }
    sum
}

#[routine]
fn chain_by_hand(n: u32) -> u32 {
    let mut sum = 0u32;
    let mut x = 0;
    while x < n {
        sum = sum.wrapping_mul(31) ^ x;
        x += 1;
    }
    let mut x = 5;
    while x < n {
        sum = sum.wrapping_mul(31) ^ x;
        x += 1;
    }
    sum
}

/// Keeps 64 words in each call.
#[routine]
fn deep(n: u32) -> u32 {
    let mut kept = [n; 64];
    for (i, word) in kept.iter_mut().enumerate() {
        *word = word.wrapping_mul(i as u32 ^ n);
    }
    let below = if n == 0 { 1 } else { deep(n - 1) };
    below.wrapping_mul(31) ^ kept[(n % 64) as usize]
}

/// What two paths of a price pay, some 500 instructions.
#[routine]
fn payoff(a: f32, b: f32) -> f32 {
    let radius = (-2.0 * a.ln()).sqrt();
    let (up, down) = ((radius * b.cos()).exp(), (radius * b.sin()).exp());
    (up - 1.0).max(0.0) + (down - 1.0).max(0.0)
}

#[routine]
fn four_paths(a: f32, b: f32) -> f32 {
    payoff(a, b) + payoff(b, a)
}

/// The instructions of a run, whose result is right.
fn instructions<'a>(runtime: &Runtime, routine: &str, args: impl IntoArgs<'a>, right: u32) -> u64 {
    let run = runtime
        .launch(routine)
        .unwrap()
        .args(args)
        .engine(Engine::Reference)
        .run()
        .unwrap();
    assert_eq!(run.output::<Vec<u32>>().unwrap(), [right], "{routine}");
    run.stats().instructions().unwrap()
}

const N: u32 = 10_000;

#[track_caller]
fn as_by_hand(iterator: &str, by_hand: &str, right: u32) {
    takes_as_many(iterator, by_hand, (&[N][..],), right);
}

/// In a hundred instructions of a loop by hand, how many a chain may take.
const MOST: u64 = 105;
/// The same of chains with counters of their own: their loops by hand lost the check of an index, which they never had.
const MOST_OF: [(&str, u64); 7] = [
    ("added_in_place", 116),
    ("balance", 123),
    ("every_third", 112),
    ("middle", 112),
    ("parsed", 118),
    ("place", 112),
    ("products", 123),
];

/// Runs two routines that result in the same.
#[track_caller]
fn takes_as_many<'a>(iterator: &str, by_hand: &str, args: impl IntoArgs<'a> + Copy, right: u32) {
    let runtime = Runtime::new().unwrap();
    let text = |routine| runtime.program(routine).unwrap().disassemble();
    let (found, most) = (
        instructions(&runtime, iterator, args, right),
        instructions(&runtime, by_hand, args, right),
    );
    let own = MOST_OF.iter().find(|(name, _)| *name == iterator);
    assert!(
        found * 100 <= most * own.map_or(MOST, |(_, of_it)| *of_it),
        "{found} and not {most}:\n{}\n{}",
        text(iterator),
        text(by_hand)
    );
}

/// A kernel of a GPU that has calls keeps its frames in memory: this one took forty times as long.
#[test]
fn what_is_called_twice_is_no_call() {
    let program = Runtime::new().unwrap().program("four_paths").unwrap();
    let text = program.disassemble();
    assert!(!text.contains("call @"), "{text}");
}

#[test]
fn a_counter() {
    as_by_hand("count", "count_by_hand", count_by_hand(N));
}

#[test]
fn a_filter() {
    as_by_hand("thirds", "thirds_by_hand", thirds_by_hand(N));
}

#[test]
fn a_zip_of_a_filter() {
    as_by_hand("zip", "zip_by_hand", zip_by_hand(N));
}

#[test]
fn a_chain() {
    as_by_hand("chain", "chain_by_hand", chain_by_hand(N));
}

#[test]
fn rows_in_rows() {
    as_by_hand("triangle", "triangle_by_hand", triangle_by_hand(N));
}

#[test]
fn one_that_can_be_looked_at() {
    as_by_hand("peek", "peek_by_hand", peek_by_hand(N));
}

#[test]
fn numbers_after_the_first() {
    as_by_hand("skip_enumerate", "skip_enumerate_by_hand", skip_enumerate_by_hand(N));
}

#[test]
fn a_launch_says_how_deep_it_goes() {
    let runtime = Runtime::new().unwrap();
    for engine in [
        Engine::Native,
        Engine::Reference,
        Engine::Interpreter,
        Engine::Specialized,
    ] {
        let at = |n: u32, depth| {
            runtime
                .launch("deep")
                .unwrap()
                .args((&[n][..],))
                .depth(depth)
                .engine(engine)
                .run()
        };
        let right = [deep(5)];
        match at(5, 6) {
            Err(Error::EngineUnavailable { .. }) => continue,
            done => assert_eq!(done.unwrap().output::<Vec<u32>>().unwrap(), right, "{engine}"),
        }
        assert_eq!(at(5, 300).unwrap().output::<Vec<u32>>().unwrap(), right, "{engine}");
        let Err(Error::Trap(trap)) = at(5, 5) else {
            panic!("{engine} has no depth")
        };
        assert!(trap.to_string().contains("stack overflow"), "{trap}");
        assert!(at(299, 300).is_ok(), "{engine}");
        assert!(
            runtime
                .launch("deep")
                .unwrap()
                .args((&[299u32][..],))
                .engine(engine)
                .run()
                .is_err()
        );
    }
}
