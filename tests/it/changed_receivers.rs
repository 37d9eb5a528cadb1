//! Methods whose arguments change what they are called on: a number is copied before they are evaluated, as by rustc.

use gpuvm::prelude::*;

cases! {
    greatest_roll, steps_to_the_power, highest_card, parts_that_change, through_a_reference,
    values_of_its_own, options_and_numbers, what_is_changed, in_a_constant,
    numbers_that_methods_change, options_behind_references, references_by_their_order, compared_values,
}

#[derive(VmType, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Card {
    rank: u32,
    suit: u32,
}

#[derive(VmType, Clone, Copy)]
struct Walk {
    best: f32,
    steps: u32,
    seed: u32,
    top: Card,
}

#[routine]
impl Walk {
    fn new(best: f32) -> Walk {
        Walk {
            best,
            steps: 3,
            seed: best.to_bits(),
            top: Card { rank: 0, suit: 0 },
        }
    }

    fn roll(&mut self) -> f32 {
        self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.best += 0.5;
        (self.seed >> 8) as f32 / 16_777_216.0
    }

    fn two(&mut self) -> u32 {
        self.steps += 1;
        2
    }

    fn draw(&mut self) -> Card {
        self.roll();
        self.top.suit += 1;
        Card {
            rank: self.seed >> 28,
            suit: self.seed & 3,
        }
    }
}

#[routine]
fn greatest_roll(best: f32) -> (f32, u32) {
    let mut walk = Walk::new(best);
    for _ in 0..3 {
        walk.best = walk.best.max(walk.roll());
        walk.best = walk.best.hypot(walk.roll());
        walk.best = f32::min(walk.best, walk.roll() * 4.0);
        walk.best = walk.best.clamp(walk.roll() - 2.0, walk.roll() + 2.0);
    }
    (walk.best, walk.seed)
}

#[routine]
fn steps_to_the_power(best: f32) -> (u32, u32) {
    let mut walk = Walk::new(best);
    let mut all = 0u32;
    for _ in 0..4 {
        all = all.wrapping_mul(31) ^ walk.steps.pow(walk.two());
        all ^= u32::pow(walk.steps, walk.two());
    }
    (all, walk.steps)
}

#[routine]
fn highest_card(best: f32) -> (u32, u32) {
    let mut walk = Walk::new(best);
    for _ in 0..5 {
        walk.top = walk.top.max(walk.draw());
    }
    (walk.top.rank, walk.top.suit)
}

#[routine]
fn parts_that_change(x: f32, y: f32) -> (f32, f32) {
    let mut pair = (x, y);
    pair.0 += pair.0.copysign({
        pair.0 = pair.0.abs().sqrt();
        -pair.0
    });
    let mut all = [x, y, 0.5];
    for i in 0..3 {
        all[i] = all[i].max({
            all[i] -= 1.0;
            all[(i + 1) % 3]
        });
    }
    (pair.0, all[0] + all[1] * 3.0 + all[2] * 5.0)
}

#[routine]
fn halved(value: &mut f32) -> f32 {
    *value *= 0.5;
    *value
}

#[routine]
fn raised(value: &mut f32) -> f32 {
    let before = value.max(halved(value));
    before + value.min(halved(value))
}

#[routine]
fn through_a_reference(x: f32, y: f32) -> (f32, f32) {
    let (mut a, mut b) = (x, y);
    let sum = raised(&mut a) + raised(&mut b);
    (sum, a - b)
}

#[routine]
fn numbers_that_methods_change(x: f32, y: f32) -> (f32, f32, f32) {
    let (mut a, mut b) = (x, y);
    a.set_second(halved(&mut b));
    let r = &mut b;
    r.set_second(a + 1.0);
    let weight = r.weight(halved(r));
    (a, b, weight)
}

#[routine]
fn kept_next(kept: &mut Option<u32>) -> u32 {
    let next = kept.map_or(1, |kept| kept + 1);
    *kept = Some(next);
    next * 10
}

#[routine]
fn first_or_next(kept: &mut Option<u32>) -> u32 {
    kept.unwrap_or(kept_next(kept)) + kept.unwrap_or(kept_next(kept)) * 100
}

#[routine]
fn options_behind_references(x: u32) -> (u32, u32) {
    let mut kept = None;
    let mut other = Some(x % 8);
    let first = first_or_next(&mut kept);
    let (mut low, high) = (x % 5, 3);
    let larger = *(&low).max(&high.min(kept_next(&mut kept)));
    low += 1;
    (first, first_or_next(&mut other) + larger * 7 + low)
}

#[derive(VmType, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Low(u32),
    High,
}

/// Ordered from the greatest number down, by hand.
#[derive(VmType, Clone, Copy)]
struct Down<T>(T);

#[routine]
impl<T: PartialEq + VmType> PartialEq for Down<T> {
    fn eq(&self, other: &Down<T>) -> bool {
        self.0 == other.0
    }
}

impl<T: Eq + VmType> Eq for Down<T> {}

#[routine]
impl<T: Ord + VmType> PartialOrd for Down<T> {
    fn partial_cmp(&self, other: &Down<T>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[routine]
impl<T: Ord + VmType> Ord for Down<T> {
    fn cmp(&self, other: &Down<T>) -> std::cmp::Ordering {
        other.0.cmp(&self.0)
    }
}

#[derive(VmType, Clone, Copy)]
struct Best {
    down: (Down<u32>, u32),
    pair: (u32, u32),
    rank: Rank,
    three: [u32; 3],
}

#[routine]
impl Best {
    fn worse(&mut self) -> (u32, u32) {
        self.pair.0 += 7;
        self.down.0.0 += 5;
        self.rank = Rank::High;
        self.three[1] += 9;
        (self.pair.1 % 3, 1)
    }

    fn least_down(&mut self) -> u32 {
        let down = self.down.min((Down(self.worse().0), 4));
        down.0.0 * 10 + down.1
    }

    fn all(&mut self) -> ((u32, u32), Rank, [u32; 3]) {
        let pair = self.pair.max(self.worse());
        let rank = self.rank.min(Rank::Low(self.worse().0));
        let three = self.three.clamp([0, self.worse().0, 0], [self.worse().1 + 3, 0, 0]);
        (pair, rank, three)
    }
}

#[routine]
fn compared_values(x: u32) -> (u32, u32, u32, u32) {
    let mut best = Best {
        down: (Down(x % 6), x),
        pair: (x % 4, 2),
        rank: Rank::Low(x % 3),
        three: [x % 5, 1, 2],
    };
    let (pair, rank, three) = best.all();
    let rank = match rank {
        Rank::Low(low) => low,
        Rank::High => 9,
    };
    (pair.0, rank, three[1] * 100 + three[0], best.least_down())
}

#[routine]
fn references_by_their_order(a: u32, b: u32) -> (u32, u32) {
    let (x, y) = (&a, &b);
    let least = x.min(y);
    (*x.max(y), *least)
}

#[routine]
const fn larger_before(x: f32) -> f32 {
    let mut y = x;
    y.max({
        y -= 1.0;
        y * 2.0
    })
}

#[routine]
fn in_a_constant(x: f32) -> f32 {
    const LARGER: f32 = larger_before(3.0);
    larger_before(x) + LARGER
}

#[derive(VmType, Clone, Copy, PartialEq)]
struct Place {
    x: f32,
    y: f32,
}

#[routine]
impl Place {
    fn plus(self, other: Place) -> Place {
        Place {
            x: self.x * 2.0 + other.x,
            y: self.y - other.y,
        }
    }

    fn shift(&mut self, by: f32) {
        self.x += by;
        self.y -= by;
    }
}

#[routine]
impl std::ops::Add for Place {
    type Output = Place;
    fn add(self, other: Place) -> Place {
        Place {
            x: self.x + other.x * 3.0,
            y: self.y + other.y,
        }
    }
}

#[routine]
trait Weighed {
    fn weight(self, more: f32) -> f32;
    fn set_second(&mut self, value: f32);
}

#[routine]
impl Weighed for f32 {
    fn weight(self, more: f32) -> f32 {
        self * 3.0 + more
    }

    fn set_second(&mut self, value: f32) {
        *self = value;
    }
}

#[routine]
impl Weighed for [f32; 2] {
    fn weight(self, more: f32) -> f32 {
        self[0] + self[1] * 3.0 + more
    }

    fn set_second(&mut self, value: f32) {
        self[1] = value;
    }
}

#[derive(VmType, Clone, Copy)]
struct Agent {
    at: Place,
    kept: Option<u32>,
    both: [f32; 2],
    wide: u128,
    double: f64,
    turns: u32,
}

#[routine]
impl Agent {
    fn new(x: f32) -> Agent {
        Agent {
            at: Place { x, y: 2.0 },
            kept: None,
            both: [x, 1.0],
            wide: 0x1_0000_0001,
            double: f64::from(x),
            turns: 3,
        }
    }

    fn step(&mut self) -> Place {
        self.at.x += 1.0;
        Place { x: 0.5, y: self.at.x }
    }

    fn turn(&mut self) -> u32 {
        self.turns += 1;
        self.kept = Some(self.turns);
        2
    }

    fn bump(&mut self) -> f32 {
        self.both[0] += 9.0;
        self.at.x += 0.5;
        self.double -= 7.0;
        1.5
    }

    fn widen(&mut self) -> u128 {
        self.wide += 5;
        3
    }

    fn reach(&self) -> f32 {
        self.at.x + 1.5
    }

    fn by_value(&mut self) -> [f32; 6] {
        let plus = self.at.plus(self.step());
        let operator = self.at + self.step();
        let named = std::ops::Add::add(self.at, self.step());
        [
            plus.x + plus.y * 7.0,
            operator.x + operator.y * 7.0,
            named.x + named.y * 7.0,
            self.at.x.weight(self.bump()),
            self.both.weight(self.bump()),
            (self.double.max(f64::from(self.bump())) + self.double) as f32,
        ]
    }

    fn by_option(&mut self) -> [u32; 5] {
        let first = self.kept.unwrap_or(self.turn());
        let second = self.kept.unwrap_or(self.turn());
        let third = self.kept.or(Some(self.turn()));
        let fourth = self.kept.map_or(self.turn(), |kept| kept + 40);
        let fifth = self.turns.checked_sub(self.turn()).unwrap_or(77);
        [first, second, third.unwrap_or(9), fourth, fifth]
    }

    fn by_reference(&mut self) -> [f32; 4] {
        self.at.shift(self.reach());
        let reach = self.reach();
        self.both.set_second(reach);
        self.at.y.set_second(self.both[0] * 2.0);
        let inserted = *self.kept.insert(self.turns * 2);
        self.kept = self.kept.map(|kept| kept + 1);
        [
            self.at.x,
            self.at.y,
            self.both[1],
            inserted as f32 + self.kept.unwrap_or(70) as f32,
        ]
    }
}

#[routine]
fn values_of_its_own(x: f32) -> [f32; 6] {
    Agent::new(x).by_value()
}

#[routine]
fn options_and_numbers(x: f32) -> ([u32; 5], u128) {
    let mut agent = Agent::new(x);
    agent.wide = agent.wide.wrapping_mul(agent.widen());
    (agent.by_option(), agent.wide)
}

#[routine]
fn what_is_changed(x: f32) -> [f32; 4] {
    Agent::new(x).by_reference()
}
