//! Proofs that an arena offset lies in a launch parameter, so that it need not be checked: the parameter's place plus a constant
//! within the VM's part, or plus a scaled index, or a constant one, that is known to be below the parameter's length. Where that
//! length was folded in, what an index is below is a number as well.

use gpuvm_core::program::Program;
use gpuvm_core::specialise::KnownParams;
use gpuvm_core::specialise::propagation::Fact;
use gpuvm_core::types::Kind;
use naga::BinaryOperator;

use super::super::code::Node;
use super::Emitter;
use super::words::Value;

/// An integer as a sum mod 2³².
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// The VM's offset in this launch parameter.
    pub place: Option<u32>,
    /// An expression times a factor.
    pub index: Option<(Node, u32)>,
    /// A constant.
    pub constant: u32,
}

impl Sum {
    /// The sum of two, if it is one.
    fn plus(self, other: Sum) -> Option<Sum> {
        let index = match (self.index, other.index) {
            (Some((a, x)), Some((b, y))) if a == b => Some((a, x.wrapping_add(y))),
            (a, None) | (None, a) => a,
            _ => return None,
        };
        let place = match (self.place, other.place) {
            (a, None) | (None, a) => a,
            _ => return None,
        };
        let constant = self.constant.wrapping_add(other.constant);
        Some(Sum { place, index, constant })
    }

    /// A multiple, if it is a sum.
    fn times(self, factor: u32) -> Option<Sum> {
        match self.place {
            Some(_) if factor != 1 => None,
            place => Some(Sum {
                place,
                index: self.index.map(|(node, times)| (node, times.wrapping_mul(factor))),
                constant: self.constant.wrapping_mul(factor),
            }),
        }
    }
}

/// What an index can be below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The length of a launch parameter.
    Length(u32),
    /// A number.
    Constant(u32),
}

/// `node + constant`, mod 2³², is below a bound; without a node the constant alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Below {
    node: Option<Node>,
    constant: u32,
    bound: Bound,
}

impl Below {
    /// What of the offset `factor * node + at` is beside `factor * (node + constant)`.
    fn rest(self, factor: u32, at: u32) -> u32 {
        at.wrapping_sub(factor.wrapping_mul(self.constant))
    }

    /// Whether the offset `factor * node + at` stays below `end` where the bound is the number `most`.
    fn stays_below(self, most: u32, factor: u32, at: u32, end: u64) -> bool {
        let last = u64::from(most.saturating_sub(1)) * u64::from(factor) + u64::from(self.rest(factor, at));
        most > 0 && last < end
    }

    /// Whether whatever is below this is below that too.
    fn implies(self, asked: Below) -> bool {
        let is_within = match (self.bound, asked.bound) {
            (Bound::Constant(known), Bound::Constant(asked)) => known <= asked,
            (known, asked) => known == asked,
        };
        is_within && (self.node, self.constant) == (asked.node, asked.constant)
    }
}

/// What a condition says when it is met, or when it is not.
#[derive(Clone, Copy, Debug)]
pub struct Said {
    met: bool,
    below: Below,
}

impl Said {
    /// The same of the opposite condition.
    pub fn turn(&mut self) {
        self.met = !self.met;
    }
}

impl Emitter<'_> {
    /// Notes what is known of a word's value by the facts.
    pub fn note_fact(&mut self, node: Node, fact: Fact) {
        match fact {
            Fact::Place(param, constant) => {
                let sum = Sum {
                    place: Some(param),
                    index: None,
                    constant,
                };
                self.sums.insert(node, sum);
            }
            Fact::Length(param) => {
                self.lengths.insert(node, param);
            }
            Fact::AtMost(most) => self.note_most(node, most),
            Fact::Any | Fact::Constant(_) => {}
        }
    }

    /// A value as a sum.
    fn sum_of(&self, value: &Value) -> Option<Sum> {
        if let Some(constant) = value.constant {
            return Some(Sum {
                constant,
                ..Sum::default()
            });
        }
        let node = value.word?;
        let plain = Sum {
            index: Some((node, 1)),
            ..Sum::default()
        };
        Some(self.sums.get(&node).copied().unwrap_or(plain))
    }

    /// The launch parameter and the constant whose sum a value is.
    pub fn place_of(&self, value: &Value) -> Option<(u32, u32)> {
        let sum = self.sum_of(value).filter(|sum| sum.index.is_none())?;
        Some((sum.place?, sum.constant))
    }

    /// Notes that a result is a sum of multiples of values.
    pub fn note_sum(&mut self, result: Node, terms: &[(Value, u32)]) {
        let mut sum = Sum::default();
        for (value, factor) in terms {
            let term = self.sum_of(value).and_then(|sum| sum.times(*factor));
            match term.and_then(|term| sum.plus(term)) {
                Some(more) => sum = more,
                None => return,
            }
        }
        self.sums.insert(result, sum);
    }

    /// Writes a multiple of a value plus a constant, if the value is such a thing itself: as one of what that is of. So steps of a generator
    /// that follow each other do not wait for each other, and those whose state nobody looks at are none.
    pub fn composed(&mut self, value: &Value, factor: u32, constant: u32) -> Option<Node> {
        let sum = self.sum_of(value)?;
        if factor == 1 || sum.index?.1 == 1 {
            return None;
        }
        let mut sum = sum.times(factor)?;
        sum.constant = sum.constant.wrapping_add(constant);
        let (of, multiple) = sum.index?;
        let multiple = self.code.word(multiple);
        let mut node = self.code.binary(BinaryOperator::Multiply, of, multiple);
        if sum.constant != 0 {
            let constant = self.code.word(sum.constant);
            node = self.code.binary(BinaryOperator::Add, node, constant);
        }
        self.sums.insert(node, sum);
        Some(node)
    }

    /// Notes that a condition says whether `index` is below `bound`.
    pub fn note_below(&mut self, condition: Node, index: &Value, bound: &Value, met: bool) {
        if let Some(below) = self.below(index, 0, bound) {
            self.said.insert(condition, Said { met, below });
        }
    }

    /// Notes that `index + constant` is below `bound` from here on.
    pub fn know_below(&mut self, index: &Value, constant: u32, bound: &Value) {
        let below = self.below(index, constant, bound);
        self.hand.below.extend(below);
    }

    /// Notes what a result is at most.
    pub fn note_most(&mut self, result: Node, most: u32) {
        self.most.insert(result, most);
    }

    /// Notes that a result is the smaller of two values, of which one may be the index of the last element of a slice.
    pub fn note_smaller(&mut self, result: Node, values: &[Value; 2]) {
        let below = values.iter().find_map(|value| self.last_of(value)).map(|bound| Below {
            node: Some(result),
            constant: 0,
            bound,
        });
        self.hand.below.extend(below);
    }

    /// The bound that a value is one less than: a number, or the length of a launch parameter that is known to have any elements.
    fn last_of(&self, value: &Value) -> Option<Bound> {
        let Sum { place, index, constant } = self.sum_of(value)?;
        if place.is_none() && index.is_none() {
            return constant.checked_add(1).map(Bound::Constant);
        }
        let (node, 1) = index.filter(|_| place.is_none() && constant == u32::MAX)? else {
            return None;
        };
        let param = *self.lengths.get(&node)?;
        // Whatever is below the length tells that there are some.
        let bound = Bound::Length(param);
        let mut known = self.hand.below.iter();
        known.any(|below| below.bound == bound).then_some(bound)
    }

    /// What it means that `index + constant` is below `bound`, if it may be of use.
    fn below(&self, index: &Value, more: u32, bound: &Value) -> Option<Below> {
        let bound = match (bound.constant, bound.word.and_then(|word| self.lengths.get(&word))) {
            (Some(constant), _) => Bound::Constant(constant),
            (None, Some(&param)) => Bound::Length(param),
            (None, None) => return None,
        };
        let Sum { place, index, constant } = self.sum_of(index)?;
        let node = match index {
            None => None,
            Some((node, 1)) => Some(node),
            Some(_) => return None,
        };
        let constant = constant.wrapping_add(more);
        place.is_none().then_some(Below { node, constant, bound })
    }

    /// Whether `index` is known to be below `bound`.
    pub fn is_below(&self, index: &Value, bound: &Value) -> bool {
        self.below(index, 0, bound)
            .is_some_and(|asked| self.hand.below.iter().any(|known| known.implies(asked)))
    }

    /// Learns from a condition that has turned out one way.
    pub fn learn(&mut self, condition: Node, met: bool) {
        if let Some(said) = self.said.get(&condition)
            && said.met == met
        {
            self.hand.below.push(said.below);
        }
    }

    /// Whether the arena offset `value + constant` is sure to lie in a launch parameter.
    pub fn is_inside(&self, value: &Value, constant: u32) -> bool {
        let Some(sum) = self.sum_of(value) else {
            return false;
        };
        let Some(param) = sum.place else {
            return false;
        };
        let Some((own, element)) = extent(self.program, &self.options.known, param) else {
            return false;
        };
        let at = sum.constant.wrapping_add(constant);
        let Some((node, factor)) = sum.index else {
            return u64::from(at) < own || element.is_some_and(|words| self.is_early(param, at, words));
        };
        if factor == 0 {
            return false;
        }
        self.hand.below.iter().any(|below| {
            let fits = match below.bound {
                Bound::Length(of) => of == param && element == Some(factor) && below.rest(factor, at) < factor,
                Bound::Constant(most) => below.stays_below(most, factor, at, own),
            };
            below.node == Some(node) && fits
        })
    }

    /// Whether the arena offset `value + constant` is in the VM's own part of a launch parameter, whatever was asked before.
    pub fn is_own(&self, value: &Value, constant: u32) -> bool {
        let Some((param, at)) = self.place_of(value) else {
            return false;
        };
        let extent = extent(self.program, &self.options.known, param);
        extent.is_some_and(|(own, _)| u64::from(at.wrapping_add(constant)) < own)
    }

    /// Whether `value + constant` is sure to be below a number.
    pub fn stays_below(&self, value: &Value, constant: u32, end: u32) -> bool {
        let Some(Sum {
            place: None,
            index,
            constant: own,
        }) = self.sum_of(value)
        else {
            return false;
        };
        let (at, end) = (own.wrapping_add(constant), u64::from(end));
        let Some((node, factor)) = index else {
            return u64::from(at) < end;
        };
        let within = self
            .most
            .get(&node)
            .is_some_and(|most| u64::from(*most) * u64::from(factor) + u64::from(at) < end);
        let mut known = self.hand.below.iter().filter(|below| below.node == Some(node));
        within
            || known.any(|below| match below.bound {
                Bound::Constant(most) => below.stays_below(most, factor, at, end),
                Bound::Length(_) => false,
            })
    }

    /// Whether a slice of elements of so many words is known to be long enough for a word.
    fn is_early(&self, param: u32, at: u32, words: u32) -> bool {
        self.hand.below.iter().any(|below| {
            let known = below.node.is_none() && below.bound == Bound::Length(param);
            known && at.checked_div(words).is_some_and(|element| element <= below.constant)
        })
    }
}

/// The words of a VM's part of a launch parameter that are sure to be there, and for a slice the words of an element. The
/// parameter past the last is the result.
fn extent(program: &Program, known: &KnownParams, param: u32) -> Option<(u64, Option<u32>)> {
    if param as usize == program.params.len() {
        return Some((program.result_words().into(), None));
    }
    let ty = program.params.get(param as usize)?.ty;
    let element = ty.element.filter(|_| ty.kind == Kind::Slice);
    if element.unwrap_or(ty).kind == Kind::Atomic {
        return None;
    }
    Some(match element {
        Some(element) => {
            let length = known.length(param).unwrap_or(0);
            (u64::from(length) * u64::from(element.words), Some(element.words))
        }
        None => (ty.words.into(), None),
    })
}
