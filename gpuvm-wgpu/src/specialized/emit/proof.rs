//! Proofs that an arena offset lies in a launch parameter, so that it need not be checked: the parameter's place plus a constant
//! within the VM's part, or plus a scaled index, or a constant one, that is known to be below the parameter's length. Where that
//! length was folded in, what an index is below is a number as well.
//!
//! A subslice is a place plus a scaled start, and a length that is an end less that start. Where the start is known to be no larger than the end, and
//! the end no larger than the slice's length, an index below the subslice's length stays in the slice.

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
    /// Another one. Only an offset in a launch parameter has two.
    second: Option<(Node, u32)>,
    /// A constant.
    pub constant: u32,
}

impl Sum {
    /// The sum of two, if it is one.
    fn plus(self, other: Sum) -> Option<Sum> {
        let place = match (self.place, other.place) {
            (a, None) | (None, a) => a,
            _ => return None,
        };
        let mut indices = [self.index, self.second];
        for (node, factor) in [other.index, other.second].into_iter().flatten() {
            let same = indices.iter_mut().flatten().find(|index| index.0 == node);
            match same {
                Some(same) => same.1 = same.1.wrapping_add(factor),
                None => *indices.iter_mut().find(|index| index.is_none())? = Some((node, factor)),
            }
        }
        let [index, second] = indices;
        let sum = Sum {
            place,
            index,
            second,
            constant: self.constant.wrapping_add(other.constant),
        };
        (second.is_none() || place.is_some()).then_some(sum)
    }

    /// A multiple, if it is a sum.
    fn times(self, factor: u32) -> Option<Sum> {
        match self.place {
            Some(_) if factor != 1 => None,
            place => Some(Sum {
                place,
                index: self.index.map(|(node, times)| (node, times.wrapping_mul(factor))),
                second: None,
                constant: self.constant.wrapping_mul(factor),
            }),
        }
    }
}

/// An expression plus a constant, mod 2³²; without the expression the constant alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plain {
    node: Option<Node>,
    constant: u32,
}

/// What the end of a slice is no larger than.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The length of a launch parameter.
    Length(u32),
    /// A number.
    Constant(u32),
}

/// What an index can be below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// What the index counts from; nothing but for a subslice. The two together are below the end, and never 2³² or more.
    start: Plain,
    end: End,
}

impl From<End> for Bound {
    fn from(end: End) -> Bound {
        Bound {
            start: Plain::default(),
            end,
        }
    }
}

/// Something that is no larger than something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordered {
    low: Plain,
    high: Plain,
}

/// `node + constant`, mod 2³², is below a bound; without a node the constant alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Below {
    node: Option<Node>,
    constant: u32,
    bound: Bound,
}

impl Below {
    /// What of the offset `factor * (node + start) + at` is beside `factor` times what is below the bound's end.
    fn rest(self, factor: u32, at: u32) -> u32 {
        let constant = self.constant.wrapping_add(self.bound.start.constant);
        at.wrapping_sub(factor.wrapping_mul(constant))
    }

    /// Whether the offset `factor * (node + start) + at` stays below `end` where the bound ends at the number `most`.
    fn stays_below(self, most: u32, factor: u32, at: u32, end: u64) -> bool {
        let last = u64::from(most.saturating_sub(1)) * u64::from(factor) + u64::from(self.rest(factor, at));
        most > 0 && last < end
    }

    /// Whether whatever is below this is below that too.
    fn implies(self, asked: Below) -> bool {
        let is_within = match (self.bound.end, asked.bound.end) {
            (End::Constant(known), End::Constant(asked)) => known <= asked,
            (known, asked) => known == asked,
        };
        is_within && (self.node, self.constant, self.bound.start) == (asked.node, asked.constant, asked.bound.start)
    }
}

/// What a condition says when it is met, or when it is not, and what the other way.
#[derive(Clone, Copy, Debug)]
pub struct Said {
    met: bool,
    below: Option<Below>,
    otherwise: Option<Ordered>,
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
                    constant,
                    ..Sum::default()
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
                None => return self.note_length(result, terms),
            }
        }
        self.sums.insert(result, sum);
        self.note_length(result, terms);
    }

    /// Notes that a result is the length of a subslice, if it is an end less a start that is no larger.
    fn note_length(&mut self, result: Node, terms: &[(Value, u32)]) {
        let (mut end, mut start) = (Plain::default(), None);
        for (value, factor) in terms {
            match (value.constant, self.plain_of(value), *factor) {
                (Some(constant), ..) => end.constant = end.constant.wrapping_add(constant.wrapping_mul(*factor)),
                (None, Some(term), 1) if end.node.is_none() => {
                    end.node = term.node;
                    end.constant = end.constant.wrapping_add(term.constant);
                }
                (None, Some(term), u32::MAX) if start.is_none() => {
                    start = term.node;
                    end.constant = end.constant.wrapping_sub(term.constant);
                }
                _ => return,
            }
        }
        let is_difference = |order: &&Ordered| {
            let Ordered { low, high } = order;
            low.node == start && high.node == end.node && high.constant.wrapping_sub(low.constant) == end.constant
        };
        let orders = self.hand.ordered.iter().filter(is_difference);
        let bound = orders.copied().find_map(|Ordered { low, high }| {
            Some(Bound {
                start: low,
                end: self.end_of(high)?,
            })
        });
        if let Some(bound) = bound {
            self.subslices.insert(result, bound);
        }
    }

    /// What an end is no larger than.
    fn end_of(&self, end: Plain) -> Option<End> {
        let bound = |plain: Plain| match plain {
            Plain { node: None, constant } => Some(End::Constant(constant)),
            Plain {
                node: Some(node),
                constant: 0,
            } => self.lengths.get(&node).map(|&param| End::Length(param)),
            _ => None,
        };
        let mut orders = self.hand.ordered.iter().filter(|order| order.low == end);
        bound(end).or_else(|| orders.find_map(|order| bound(order.high)))
    }

    /// A value as an expression plus a constant, if it is that.
    fn plain_of(&self, value: &Value) -> Option<Plain> {
        let Sum {
            place: None,
            index,
            constant,
            ..
        } = self.sum_of(value)?
        else {
            return None;
        };
        let node = match index {
            None => None,
            Some((node, 1)) => Some(node),
            Some(_) => return None,
        };
        Some(Plain { node, constant })
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
        let below = self.below(index, 0, bound);
        let otherwise = self.plain_of(bound).zip(self.plain_of(index));
        let said = Said {
            met,
            below,
            otherwise: otherwise.map(|(low, high)| Ordered { low, high }),
        };
        self.said.insert(condition, said);
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
            bound: bound.into(),
        });
        self.hand.below.extend(below);
    }

    /// What a value is one less than: a number, or the length of a launch parameter that is known to have any elements.
    fn last_of(&self, value: &Value) -> Option<End> {
        let Plain { node, constant } = self.plain_of(value)?;
        let Some(node) = node else {
            return constant.checked_add(1).map(End::Constant);
        };
        if constant != u32::MAX {
            return None;
        }
        let param = *self.lengths.get(&node)?;
        // Whatever is below the length tells that there are some.
        let end = End::Length(param);
        let mut known = self.hand.below.iter();
        known.any(|below| below.bound == end.into()).then_some(end)
    }

    /// What it means that `index + constant` is below `bound`, if it may be of use.
    fn below(&self, index: &Value, more: u32, bound: &Value) -> Option<Below> {
        let of_word = |word: Node| match self.lengths.get(&word) {
            Some(&param) => Some(End::Length(param).into()),
            None => self.subslices.get(&word).copied(),
        };
        let bound = match bound.constant {
            Some(constant) => End::Constant(constant).into(),
            None => of_word(bound.word?)?,
        };
        let Plain { node, constant } = self.plain_of(index)?;
        let constant = constant.wrapping_add(more);
        Some(Below { node, constant, bound })
    }

    /// Whether `index` is known to be below `bound`.
    pub fn is_below(&self, index: &Value, bound: &Value) -> bool {
        self.below(index, 0, bound)
            .is_some_and(|asked| self.hand.below.iter().any(|known| known.implies(asked)))
    }

    /// Learns from a condition that has turned out one way.
    pub fn learn(&mut self, condition: Node, met: bool) {
        match self.said.get(&condition) {
            Some(said) if said.met == met => self.hand.below.extend(said.below),
            Some(said) => self.hand.ordered.extend(said.otherwise),
            None => {}
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
        if factor == 0 || sum.second.is_some_and(|(_, other)| other != factor) {
            return false;
        }
        let second = sum.second.map(|(node, _)| node);
        self.hand.below.iter().any(|below| {
            let start = below.bound.start.node;
            let is_of_these = [(below.node, start), (start, below.node)].contains(&(Some(node), second));
            let fits = match below.bound.end {
                End::Length(of) => of == param && element == Some(factor) && below.rest(factor, at) < factor,
                End::Constant(most) => below.stays_below(most, factor, at, own),
            };
            is_of_these && fits
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
            ..
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
                Bound {
                    start: Plain { node: None, .. },
                    end: End::Constant(most),
                } => below.stays_below(most, factor, at, end),
                _ => false,
            })
    }

    /// Whether a slice of elements of so many words is known to be long enough for a word.
    fn is_early(&self, param: u32, at: u32, words: u32) -> bool {
        self.hand.below.iter().any(|below| {
            let known = below.node.is_none() && below.bound == End::Length(param).into();
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
