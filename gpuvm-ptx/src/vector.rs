//! Loads and stores of words that lie beside each other as one of a vector, where an index is known to be a multiple of four words, or two, but for a
//! constant.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use naga::{BinaryOperator, Expression, GlobalVariable, Handle, Literal, Scalar, Statement, TypeInner};

use crate::Result;
use crate::analysis::{Root, root};
use crate::error::invalid;
use crate::near::MOST_PARTS;
use crate::operand::{Operand, Width};
use crate::place::{Address, Place, Space};
use crate::translator::{Translator, Value};

/// Words of the largest vector.
const LANES: u32 = 4;
/// Statements among which stores of one vector are looked for.
const MOST_BETWEEN: usize = 32;
/// Bytes of a word.
const WORD: u32 = 4;

/// Loads of a stretch of expressions that are parts of vectors.
#[derive(Debug, Default)]
pub struct Vectors {
    /// Of each load: the number of its vector, and its place in that.
    parts: HashMap<Handle<Expression>, (usize, u32)>,
    vectors: Vec<Vector>,
}

/// A vector, loaded when the first of its parts is.
#[derive(Clone, Debug, Default)]
struct Vector {
    /// The parts that are asked for, as bits.
    asked: u32,
    /// Whether all parts only go to variables.
    kept: bool,
    /// The parts from some number on, once they are there.
    loaded: Option<(u32, Value)>,
}

/// An index modulo 2³²: multiples of expressions, and a constant.
#[derive(Debug, Default)]
struct Index {
    terms: BTreeMap<Handle<Expression>, u32>,
    constant: u32,
}

/// Where a vector lies.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Whole {
    array: Handle<GlobalVariable>,
    /// The multiples of expressions and the constant of its index, which is a multiple of the number of its words.
    terms: Vec<(Handle<Expression>, u32)>,
    constant: u32,
}

/// Stores of neighbouring words.
#[derive(Debug)]
struct Stores {
    lanes: Range<u32>,
    /// In the order of their lanes.
    parts: Vec<Part>,
}

/// A store of a word that is part of a vector.
#[derive(Debug)]
struct Part {
    /// Which statement it is.
    at: usize,
    lane: u32,
    pointer: Handle<Expression>,
    value: Handle<Expression>,
}

impl<'a> Translator<'a> {
    /// Finds the vectors among expressions that are evaluated one after the other, with no statement between them, followed by those of a
    /// block.
    pub fn vectors(&self, expressions: impl Iterator<Item = Handle<Expression>>, then: &[Statement]) -> Vectors {
        let mut found: HashMap<Whole, Vec<(Handle<Expression>, u32)>> = HashMap::new();
        for load in expressions {
            if let Expression::Load { pointer } = self.frame.function.expressions[load]
                && let Some((whole, lane)) = self.part_of_vector(pointer)
            {
                found.entry(whole).or_default().push((load, lane));
            }
        }
        let mut vectors = Vectors::default();
        for parts in found.into_values() {
            let asked = parts.iter().fold(0_u32, |asked, (_, lane)| asked | 1 << lane);
            if asked.count_ones() > 1 {
                let number = vectors.vectors.len();
                let kept = parts.iter().all(|(load, _)| self.is_kept(*load, then));
                vectors
                    .parts
                    .extend(parts.into_iter().map(|(load, lane)| (load, (number, lane))));
                vectors.vectors.push(Vector {
                    asked,
                    kept,
                    loaded: None,
                });
            }
        }
        vectors
    }

    /// The value of a load that is part of a vector, which is loaded if it is the first; `None` if it is to be loaded by itself.
    pub fn load_part(&mut self, load: Handle<Expression>, vectors: &mut Vectors) -> Result<Option<Operand>> {
        let Some(&(number, lane)) = vectors.parts.get(&load) else {
            return Ok(None);
        };
        let vector = &mut vectors.vectors[number];
        if vector.loaded.is_none() {
            let Expression::Load { pointer } = self.frame.function.expressions[load] else {
                return Ok(None);
            };
            let Place::Memory(at) = self.place(pointer)? else {
                return Ok(None);
            };
            let lanes = lanes_of(vector.asked);
            // Where the constant is not the instruction's, there is no going back from the word to the vector.
            let Some(offset) = (at.offset + lanes.start * WORD).checked_sub(lane * WORD) else {
                return Ok(None);
            };
            let value = self.load_vector(&Address { offset, ..at }, lanes.len(), vector.kept);
            vector.loaded = Some((lanes.start, value));
        }
        let loaded = vector.loaded.as_ref();
        Ok(loaded.and_then(|(first, value)| value.get(lane.checked_sub(*first)? as usize).copied()))
    }

    /// Loads a vector. NVIDIA's assembler moves a load to where its value is needed, behind jumps too, where it may be late: not one that
    /// other threads could have to do with.
    fn load_vector(&mut self, at: &Address, lanes: usize, kept: bool) -> Value {
        let targets: Value = (0..lanes).map(|_| self.text.register(Width::Word)).collect();
        let names: Vec<String> = targets.iter().map(Operand::to_string).collect();
        let (space, list) = (at.space.suffix(), names.join(", "));
        let how = match at.space {
            Space::Global if kept => ".relaxed.cta",
            _ => "",
        };
        self.text
            .line(format_args!("ld{how}.{space}.v{lanes}.b32 {{{list}}}, {at}"));
        targets
    }

    /// Writes as one store what the first of some statements and others behind it store to the parts of a vector, with all that is between; gives the
    /// statements after them, or `None` if the first has to be written by itself.
    pub fn store_parts(&mut self, statements: &'a [Statement]) -> Result<Option<&'a [Statement]>> {
        let Some(stores) = self.stores_together(statements) else {
            return Ok(None);
        };
        let Stores { lanes, parts } = stores;
        let last = parts.iter().map(|part| part.at).max().unwrap_or_default();
        let (between, rest) = statements.split_at(last + 1);
        for (number, statement) in between.iter().enumerate() {
            if parts.iter().all(|part| part.at != number) {
                self.statement(statement)?;
            }
        }
        let Place::Memory(at) = self.place(parts[0].pointer)? else {
            return Err(invalid("a word of a buffer in registers"));
        };
        let values: Value = parts
            .iter()
            .map(|part| self.scalar(part.value))
            .collect::<Result<_>>()?;
        let values: Vec<String> = values.iter().map(Operand::to_string).collect();
        self.text.line(format_args!(
            "st.{}.v{}.b32 {at}, {{{}}}",
            at.space.suffix(),
            lanes.len(),
            values.join(", ")
        ));
        Ok(Some(rest))
    }

    /// The stores of a vector that some statements begin with, if all its words or a half of them are stored before anything else is done to memory.
    fn stores_together(&self, statements: &[Statement]) -> Option<Stores> {
        let Some(&Statement::Store { pointer: first, .. }) = statements.first() else {
            return None;
        };
        let (wanted, _) = self.part_of_vector(first)?;
        let (mut parts, mut stored): (Vec<Part>, u32) = (Vec::new(), 0);
        let mut complete = None;
        for (at, statement) in statements.iter().enumerate().take(MOST_BETWEEN) {
            match *statement {
                Statement::Emit(ref range) if range.clone().all(|expression| !self.looks_at_memory(expression)) => {}
                Statement::Store { pointer, .. } if self.is_variable(pointer) => {}
                Statement::Store { pointer, value } => {
                    let Some((whole, lane)) = self.part_of_vector(pointer) else {
                        break;
                    };
                    if whole != wanted || stored & 1 << lane != 0 {
                        break;
                    }
                    stored |= 1 << lane;
                    parts.push(Part {
                        at,
                        lane,
                        pointer,
                        value,
                    });
                    let lanes = lanes_of(stored);
                    if lanes.clone().all(|lane| stored & 1 << lane != 0) {
                        complete = Some((lanes, parts.len()));
                    }
                }
                _ => break,
            }
        }
        let (lanes, count) = complete?;
        parts.truncate(count);
        parts.sort_by_key(|part| part.lane);
        Some(Stores { lanes, parts })
    }

    /// Whether an expression is of what memory holds.
    fn looks_at_memory(&self, expression: Handle<Expression>) -> bool {
        match self.frame.function.expressions[expression] {
            Expression::Load { pointer } => !self.is_variable(pointer),
            _ => false,
        }
    }

    /// Whether a pointer leads into a variable of the function's.
    fn is_variable(&self, pointer: Handle<Expression>) -> bool {
        matches!(root(self.frame.function, pointer), Some(Root::Local(_)))
    }

    /// Whether statements begin with storing a value to a variable of the function's.
    fn is_kept(&self, value: Handle<Expression>, then: &[Statement]) -> bool {
        let expressions = &self.frame.function.expressions;
        let stores = then.iter().map_while(|statement| match statement {
            Statement::Store { pointer, value } => Some((expressions[*pointer].clone(), *value)),
            _ => None,
        });
        let mut kept = stores.filter(|(pointer, _)| matches!(pointer, Expression::LocalVariable(_)));
        kept.any(|(_, stored)| stored == value)
    }

    /// The vector that the word at a pointer is part of, and which part.
    fn part_of_vector(&self, pointer: Handle<Expression>) -> Option<(Whole, u32)> {
        let (array, index) = self.word_of_buffer(pointer)?;
        let Index { terms, constant } = self.index_of(index)?;
        let of = |(&term, factor): (&Handle<Expression>, &u32)| factor.wrapping_mul(self.divisor(term));
        let common = terms.iter().map(of).fold(LANES, |common, factor| common | factor);
        let lanes = 1 << common.trailing_zeros();
        if lanes == 1 {
            return None;
        }
        let lane = constant % lanes;
        let whole = Whole {
            array,
            terms: terms.into_iter().collect(),
            constant: constant - lane,
        };
        Some((whole, lane))
    }

    /// The array and the index, if a pointer leads to a word of a buffer's.
    fn word_of_buffer(&self, pointer: Handle<Expression>) -> Option<(Handle<GlobalVariable>, Handle<Expression>)> {
        let expressions = &self.frame.function.expressions;
        let Expression::Access { base, index } = expressions[pointer] else {
            return None;
        };
        let Expression::GlobalVariable(handle) = expressions[base] else {
            return None;
        };
        let Some(Place::Memory(address)) = self.globals.get(&handle) else {
            return None;
        };
        let pointee = self.layout.pointee(self.inner(base)).ok()?;
        let TypeInner::Array {
            base: element,
            stride: WORD,
            ..
        } = pointee
        else {
            return None;
        };
        let is_word = matches!(self.layout.inner(element), TypeInner::Scalar(Scalar { width: 4, .. }));
        let is_buffer = matches!(address.space, Space::Global | Space::Constant);
        let is_near = is_buffer && self.is_near(address, WORD);
        (is_word && is_near && address.align >= LANES * WORD).then_some((handle, index))
    }

    /// An index as a sum, unless it has too many parts.
    fn index_of(&self, index: Handle<Expression>) -> Option<Index> {
        let mut sum = Index::default();
        self.add(index, 1, &mut sum, &mut { MOST_PARTS })?;
        sum.terms.retain(|_, factor| *factor != 0);
        Some(sum)
    }

    /// Adds a multiple of an expression to an index.
    fn add(&self, part: Handle<Expression>, factor: u32, sum: &mut Index, parts: &mut u32) -> Option<()> {
        *parts = parts.checked_sub(1)?;
        match self.frame.function.expressions[part] {
            Expression::Literal(Literal::U32(value)) => {
                sum.constant = sum.constant.wrapping_add(value.wrapping_mul(factor));
            }
            Expression::Binary {
                op: BinaryOperator::Add,
                left,
                right,
            } => {
                self.add(left, factor, sum, parts)?;
                self.add(right, factor, sum, parts)?;
            }
            Expression::Binary {
                op: BinaryOperator::Multiply,
                left,
                right,
            } => match (self.literal(left), self.literal(right)) {
                (Some(by), _) => self.add(right, factor.wrapping_mul(by), sum, parts)?,
                (_, Some(by)) => self.add(left, factor.wrapping_mul(by), sum, parts)?,
                (None, None) => add_term(sum, part, factor),
            },
            _ => add_term(sum, part, factor),
        }
        Some(())
    }

    /// A power of two that an expression is surely a multiple of.
    fn divisor(&self, expression: Handle<Expression>) -> u32 {
        let Expression::Binary {
            op: BinaryOperator::And,
            left,
            right,
        } = self.frame.function.expressions[expression]
        else {
            return 1;
        };
        let mask = self.literal(left).or_else(|| self.literal(right));
        mask.map_or(1, |mask| 1 << mask.trailing_zeros().min(31))
    }
}

fn add_term(sum: &mut Index, term: Handle<Expression>, factor: u32) {
    let known = sum.terms.entry(term).or_default();
    *known = known.wrapping_add(factor);
}

/// The lanes that are loaded together if some are asked for: a half of the vector, or all.
fn lanes_of(asked: u32) -> Range<u32> {
    match asked {
        0b0011 => 0..2,
        0b1100 => 2..4,
        _ => 0..LANES,
    }
}
