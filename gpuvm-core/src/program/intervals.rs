//! Sets of words as intervals, and what operations make of them.

use crate::interp::arithmetic;
use crate::isa::Op;

/// A set has so many intervals at most; what would be more is a set around it.
const MOST: usize = 8;

/// Words, as intervals with both ends, ascending and apart. It is never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words(Vec<(u32, u32)>);

/// One past the largest word.
const ALL: u64 = 1 << 32;

impl Words {
    /// One word.
    pub fn one(word: u32) -> Words {
        Words(vec![(word, word)])
    }

    /// Those from one to another.
    pub fn between(low: u32, high: u32) -> Words {
        Words(vec![(low, high.max(low))])
    }

    /// Any word.
    pub fn any() -> Words {
        Words::between(0, u32::MAX)
    }

    /// Whether or not.
    fn flag() -> Words {
        Words::between(0, 1)
    }

    /// The word, if it is one.
    pub fn as_one(&self) -> Option<u32> {
        match self.0[..] {
            [(low, high)] if low == high => Some(low),
            _ => None,
        }
    }

    /// The smallest.
    pub fn low(&self) -> u32 {
        self.0[0].0
    }

    /// The largest.
    pub fn high(&self) -> u32 {
        self.0[self.0.len() - 1].1
    }

    /// The intervals.
    pub fn intervals(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// Those of some intervals, which may overlap.
    fn of(mut intervals: Vec<(u32, u32)>) -> Words {
        intervals.sort_unstable();
        let mut all: Vec<(u32, u32)> = Vec::with_capacity(intervals.len());
        for (low, high) in intervals {
            match all.last_mut() {
                Some(last) if u64::from(low) <= u64::from(last.1) + 1 => last.1 = last.1.max(high),
                _ => all.push((low, high)),
            }
        }
        while all.len() > MOST {
            let gap = |place: &usize| all[*place + 1].0 - all[*place].1;
            let nearest = (0..all.len() - 1).min_by_key(gap).unwrap_or_default();
            let (_, high) = all.remove(nearest + 1);
            all[nearest].1 = high;
        }
        match all.is_empty() {
            true => Words::any(),
            false => Words(all),
        }
    }

    /// Both.
    pub fn join(&self, other: &Words) -> Words {
        Words::of([&self.0[..], &other.0].concat())
    }

    /// What an operation makes of each interval.
    fn map(&self, of: impl Fn(u32, u32) -> Spans) -> Words {
        Words::of(self.0.iter().flat_map(|(low, high)| of(*low, *high)).collect())
    }

    /// What an operation makes of each pair of intervals.
    fn pairs(&self, other: &Words, of: impl Fn((u32, u32), (u32, u32)) -> Spans) -> Words {
        let all = self.0.iter().flat_map(|a| other.0.iter().map(move |b| (*a, *b)));
        Words::of(all.flat_map(|(a, b)| of(a, b)).collect())
    }

    /// The sums.
    pub fn add(&self, other: &Words) -> Words {
        self.pairs(other, |a, b| {
            wrapped(u64::from(a.0) + u64::from(b.0), u64::from(a.1) + u64::from(b.1))
        })
    }

    fn neg(&self) -> Words {
        self.map(|low, high| wrapped(ALL - u64::from(high), ALL - u64::from(low)))
    }

    /// The products.
    pub fn mul(&self, other: &Words) -> Words {
        self.pairs(other, |a, b| {
            wrapped(u64::from(a.0) * u64::from(b.0), u64::from(a.1) * u64::from(b.1))
        })
    }

    fn div(&self, other: &Words) -> Words {
        self.pairs(other, |a, b| {
            let quotient = a.0.checked_div(b.1).unwrap_or_default();
            let mut all = vec![(quotient, a.1 / b.0.max(1))];
            if b.0 == 0 {
                all.push((0, 0));
            }
            all
        })
    }

    fn rem(&self, other: &Words) -> Words {
        let below = |by: u32| (0, by.saturating_sub(1));
        self.pairs(other, |a, b| match b {
            (0, 0) => vec![(0, 0)],
            (low, high) if low != high => vec![(0, a.1.min(high - 1))],
            (by, _) => match (a.0 / by, a.1 / by) {
                (first, last) if first == last => vec![(a.0 % by, a.1 % by)],
                (first, last) if last - first == 1 && a.1 - a.0 < by => vec![(a.0 % by, by - 1), (0, a.1 % by)],
                _ => vec![below(by)],
            },
        })
    }

    fn and(&self, other: &Words) -> Words {
        match (self.as_one(), other.as_one()) {
            (_, Some(mask)) if mask < u32::MAX && (mask + 1).is_power_of_two() => self.rem(&Words::one(mask + 1)),
            (Some(mask), _) if mask < u32::MAX && (mask + 1).is_power_of_two() => other.rem(&Words::one(mask + 1)),
            _ => self.pairs(other, |a, b| vec![(0, a.1.min(b.1))]),
        }
    }

    fn shl(&self, by: &Words) -> Words {
        match by.as_one() {
            Some(by) => self.mul(&Words::one(1u32.wrapping_shl(by))),
            None => Words::any(),
        }
    }

    fn shr(&self, by: &Words) -> Words {
        match by.as_one() {
            Some(by) => self.map(|low, high| vec![(low.wrapping_shr(by), high.wrapping_shr(by))]),
            None => self.map(|_, high| vec![(0, high)]),
        }
    }

    fn sar(&self, by: &Words) -> Words {
        let Some(by) = by.as_one() else {
            return Words::any();
        };
        let shift = |word: u32| (word as i32).wrapping_shr(by) as u32;
        let halves = |low: u32, high: u32| match (low >> 31, high >> 31) {
            (0, 1) => vec![(low, i32::MAX as u32), (i32::MIN as u32, high)],
            _ => vec![(low, high)],
        };
        self.map(|low, high| {
            let halves = halves(low, high).into_iter();
            halves.map(|(low, high)| (shift(low), shift(high))).collect()
        })
    }

    /// Whether all are numbers from 0 on, also as signed ones.
    fn is_natural(&self) -> bool {
        self.high() <= i32::MAX as u32
    }

    /// The smallest and the largest as signed numbers.
    fn signed(&self) -> (i32, i32) {
        let ends = self.0.iter().flat_map(|(low, high)| match (low >> 31, high >> 31) {
            (0, 1) => [i32::MIN, i32::MAX],
            _ => [*low as i32, *high as i32],
        });
        let ends: Vec<i32> = ends.collect();
        let least = ends.iter().min().copied().unwrap_or(i32::MIN);
        (least, ends.iter().max().copied().unwrap_or(i32::MAX))
    }

    fn overlaps(&self, other: &Words) -> bool {
        let both = |a: &(u32, u32)| other.0.iter().any(|b| a.0 <= b.1 && b.0 <= a.1);
        self.0.iter().any(both)
    }
}

/// Some intervals.
type Spans = Vec<(u32, u32)>;

/// The words that numbers between these are.
fn wrapped(low: u64, high: u64) -> Spans {
    if high - low >= ALL - 1 {
        return vec![(0, u32::MAX)];
    }
    let (first, last) = (low as u32, high as u32);
    match low / ALL == high / ALL {
        true => vec![(first, last)],
        false => vec![(first, u32::MAX), (0, last)],
    }
}

/// Yes, no, or either.
fn decided(is_always: bool, is_never: bool) -> Words {
    match (is_always, is_never) {
        (true, _) => Words::one(1),
        (false, true) => Words::one(0),
        (false, false) => Words::flag(),
    }
}

/// What an operation of words computes: a set around all of its results, for inputs as [`arithmetic::fold`] takes them.
pub(super) fn computed(op: Op, inputs: &[Words]) -> Words {
    let ones: Option<Vec<u32>> = inputs.iter().map(Words::as_one).collect();
    if let Some(outputs) = ones.and_then(|ones| arithmetic::fold(op, &ones)) {
        return Words::one(outputs.low);
    }
    let are_natural = || inputs.iter().all(Words::is_natural);
    match (op, inputs) {
        (Op::Mov, [a]) => a.clone(),
        (Op::Add | Op::AddImm, [a, b]) => a.add(b),
        (Op::Sub, [a, b]) => a.add(&b.neg()),
        (Op::Neg, [a]) => a.neg(),
        (Op::Mul | Op::MulImm, [a, b]) => a.mul(b),
        (Op::DivU, [a, b]) => a.div(b),
        (Op::RemU, [a, b]) => a.rem(b),
        (Op::DivS, [a, b]) if are_natural() => a.div(b),
        (Op::RemS, [a, b]) if are_natural() => a.rem(b),
        (Op::And | Op::AndImm, [a, b]) => a.and(b),
        (Op::Or | Op::OrImm | Op::Xor | Op::XorImm, [a, b]) => {
            let bits = 32 - (a.high() | b.high()).leading_zeros();
            Words::between(0, ((1u64 << bits) - 1) as u32)
        }
        (Op::Shl | Op::ShlImm, [a, b]) => a.shl(b),
        (Op::Shr | Op::ShrImm, [a, b]) => a.shr(b),
        (Op::Sar | Op::SarImm, [a, b]) => a.sar(b),
        (Op::MinU, [a, b]) => a.pairs(b, |a, b| vec![(a.0.min(b.0), a.1.min(b.1))]),
        (Op::MaxU, [a, b]) => a.pairs(b, |a, b| vec![(a.0.max(b.0), a.1.max(b.1))]),
        (Op::MinS, [a, b]) if are_natural() => a.pairs(b, |a, b| vec![(a.0.min(b.0), a.1.min(b.1))]),
        (Op::MaxS, [a, b]) if are_natural() => a.pairs(b, |a, b| vec![(a.0.max(b.0), a.1.max(b.1))]),
        (Op::MinS | Op::MaxS | Op::FMin | Op::FMax, [a, b]) => a.join(b),
        (Op::Select, [a, b, c]) => match a.overlaps(&Words::one(0)) {
            false => b.clone(),
            true => b.join(c),
        },
        (Op::Eq, [a, b]) => decided(false, !a.overlaps(b)),
        (Op::Ne, [a, b]) => decided(!a.overlaps(b), false),
        (Op::LtU, [a, b]) => decided(a.high() < b.low(), a.low() >= b.high()),
        (Op::LeU, [a, b]) => decided(a.high() <= b.low(), a.low() > b.high()),
        (Op::LtS, [a, b]) => decided(a.signed().1 < b.signed().0, a.signed().0 >= b.signed().1),
        (Op::LeS, [a, b]) => decided(a.signed().1 <= b.signed().0, a.signed().0 > b.signed().1),
        (Op::MulOverU, [a, b]) => {
            let overflows = |a: u32, b: u32| u64::from(a) * u64::from(b) >= ALL;
            decided(overflows(a.low(), b.low()), !overflows(a.high(), b.high()))
        }
        (Op::Clz | Op::Ctz | Op::Popcount, _) => Words::between(0, 32),
        #[rustfmt::skip]
        (Op::AddOverS | Op::SubOverS | Op::MulOverS | Op::Eq64 | Op::LtU64 | Op::LtS64 | Op::MulOverU64 | Op::MulOverS64 | Op::FEq | Op::FLt | Op::FLe, _) =>
            Words::flag(),
        _ => Words::any(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Words {
        fn has(&self, word: u32) -> bool {
            self.overlaps(&Words::one(word))
        }
    }

    /// Numbers that are next to each other where operations are special.
    struct Rng(u64);

    impl Rng {
        fn next(&mut self, below: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % below
        }

        fn word(&mut self) -> u32 {
            let near = [0, 1, 31, 255, 1 << 16, i32::MAX as u32, i32::MIN as u32, u32::MAX];
            match self.next(3) {
                0 => self.next(1 << 31) as u32 * 2 + self.next(2) as u32,
                _ => near[self.next(8) as usize]
                    .wrapping_add(self.next(9) as u32)
                    .wrapping_sub(4),
            }
        }

        fn words(&mut self) -> Words {
            let interval = |rng: &mut Rng| {
                let low = rng.word();
                let more = [0, 3, 40, 5000, u32::MAX][rng.next(5) as usize];
                (low, low.saturating_add(more))
            };
            Words::of((0..=self.next(3)).map(|_| interval(self)).collect())
        }

        /// One of these.
        fn of(&mut self, words: &Words) -> u32 {
            let (low, high) = words.0[self.next(words.0.len() as u64) as usize];
            match self.next(3) {
                0 => low,
                1 => high,
                _ => low + self.next(u64::from(high - low) + 1) as u32,
            }
        }
    }

    #[test]
    fn sets_hold_all_that_their_words_lead_to() {
        let mut rng = Rng(7);
        for op in Op::ALL {
            for count in 1..=3 {
                if arithmetic::fold(*op, &[1, 1, 1][..count]).is_none() || *op == Op::Imm {
                    continue;
                }
                for _ in 0..300 {
                    let sets: Vec<Words> = (0..count).map(|_| rng.words()).collect();
                    let found = computed(*op, &sets);
                    for _ in 0..20 {
                        let inputs: Vec<u32> = sets.iter().map(|set| rng.of(set)).collect();
                        let Some(outputs) = arithmetic::fold(*op, &inputs) else {
                            continue;
                        };
                        assert!(found.has(outputs.low), "{op:?} {inputs:?} of {sets:?}: {found:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn neighbours_are_near() {
        // The left neighbour on a ring, of those from 100 to 199 of 1000 and of those from 0 on.
        let left = |low: u32, high: u32| {
            let before = computed(Op::AddImm, &[Words::between(low, high), Words::one(999)]);
            computed(Op::RemU, &[before, Words::one(1000)])
        };
        assert_eq!(left(100, 199), Words::between(99, 198));
        assert_eq!(left(0, 99), Words(vec![(0, 98), (999, 999)]));
        let many = Words::of((0..20).map(|n| (n * n * 10, n * n * 10)).collect());
        assert_eq!((many.0.len(), many.low(), many.high()), (MOST, 0, 3610));
    }
}
