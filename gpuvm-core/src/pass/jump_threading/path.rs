//! What is known of words at the end of a path of blocks, asked backwards from there.

use crate::interp::arithmetic;
use crate::ir::{End, Function, Inst, NONE, Word};
use crate::isa::{Op, Role};
use crate::pass::fold::is_comparison;

/// What is known of a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// It holds this.
    Is(u32),
    /// It holds anything but this.
    IsNot(u32),
}

impl Value {
    /// Whether a word of which this is known is other than 0.
    pub fn is_set(self) -> Option<bool> {
        match self {
            Value::Is(value) => Some(value != 0),
            Value::IsNot(0) => Some(true),
            Value::IsNot(_) => None,
        }
    }

    /// What is known where one or the other is.
    fn or(self, other: Value) -> Option<Value> {
        match (self, other) {
            _ if self == other => Some(self),
            (Value::Is(a), Value::IsNot(b)) | (Value::IsNot(b), Value::Is(a)) if a != b => Some(Value::IsNot(b)),
            (Value::Is(0), Value::Is(_)) | (Value::Is(_), Value::Is(0)) => None,
            (Value::Is(_), Value::Is(_)) => Some(Value::IsNot(0)),
            _ => None,
        }
    }

    /// What a word that is 0 or 1 holds.
    fn of_bool(self) -> Value {
        match self {
            Value::IsNot(value @ 0..=1) => Value::Is(1 - value),
            other => other,
        }
    }
}

/// Instructions looked at to answer one question at most.
const STEPS: usize = 200;

/// Blocks looked back at from the start of a path on, until one has several before it.
const BACK: usize = 12;

/// Blocks before one of which it is asked what all of them know.
const JOINED: usize = 6;

/// What is known of a function.
#[derive(Clone, Copy)]
pub(super) struct Facts<'f> {
    pub function: &'f Function,
    pub constants: &'f [Option<u32>],
    /// Each block's predecessors.
    pub before: &'f [Vec<usize>],
}

impl<'f> Facts<'f> {
    /// The blocks on the only way to a block, and itself.
    pub fn path(self, to: usize) -> Path<'f> {
        let mut blocks = vec![to];
        let mut first = to;
        while let [before] = self.before[first][..]
            && first != 0
            && blocks.len() < BACK
            && !blocks.contains(&before)
        {
            blocks.push(before);
            first = before;
        }
        blocks.reverse();
        Path { facts: self, blocks }
    }
}

/// Blocks that control went through one after the other.
pub(super) struct Path<'f> {
    facts: Facts<'f>,
    pub blocks: Vec<usize>,
}

/// A point of a path: before an instruction of one of its blocks, or at the end of that.
#[derive(Clone, Copy)]
struct Point {
    at: usize,
    before: usize,
}

impl Path<'_> {
    /// Which of its two ways the path's last block goes, if it asks and the answer is known.
    pub fn decided(&self) -> Option<usize> {
        let at = self.blocks.len().checked_sub(1)?;
        let block = &self.facts.function.blocks[self.blocks[at]];
        let End::Branch { word, then, otherwise } = block.end else {
            return None;
        };
        let end = Point {
            at,
            before: block.code.len(),
        };
        let set = self.value(word, end, &mut STEPS.clone())?.is_set()?;
        Some(if set { then } else { otherwise })
    }

    fn code(&self, point: Point) -> &[Inst] {
        &self.facts.function.blocks[self.blocks[point.at]].code[..point.before]
    }

    /// The last definition of a word in the block of a point before it.
    fn definition(&self, word: Word, point: Point, steps: &mut usize) -> Option<(&Inst, Point)> {
        for (before, inst) in self.code(point).iter().enumerate().rev() {
            *steps = steps.checked_sub(1)?;
            if inst.defs().any(|def| def == word) {
                return Some((inst, Point { before, ..point }));
            }
        }
        None
    }

    fn value(&self, word: Word, point: Point, steps: &mut usize) -> Option<Value> {
        self.traced(word, point, &mut Vec::new(), steps)?
    }

    /// What is known of a word, where it is not among the blocks whose start it was `asked` for already: what that holds is
    /// part of the answer, whatever it is, and `Some(None)` adds nothing to it.
    fn traced(&self, word: Word, mut point: Point, asked: &mut Vec<usize>, steps: &mut usize) -> Option<Option<Value>> {
        if let Some(constant) = self.facts.constants.get(word as usize)? {
            return Some(Some(Value::Is(*constant)));
        }
        // What the last branch that tells something says it is not. What it is may stand before that on the path.
        let mut is_not = None;
        loop {
            if let Some((inst, before)) = self.definition(word, point, steps) {
                let value = self.computed(inst, before, steps);
                return match (value, is_not) {
                    (Some(Value::Is(_)), _) | (_, None) => value.map(Some),
                    (_, Some(_)) => Some(is_not),
                };
            }
            if is_not.is_some() && (point.at == 0 || *steps == 0) {
                return Some(is_not);
            }
            *steps = steps.checked_sub(1)?;
            if point.at == 0 {
                return self.joined(word, asked, steps);
            }
            point.at -= 1;
            point.before = self.facts.function.blocks[self.blocks[point.at]].code.len();
            match self.by_branch(word, point, steps) {
                Some(Value::Is(value)) => return Some(Some(Value::Is(value))),
                other => is_not = is_not.or(other),
            }
        }
    }

    /// What is known of a word at the start of the path, whichever way control comes there.
    fn joined(&self, word: Word, asked: &mut Vec<usize>, steps: &mut usize) -> Option<Option<Value>> {
        let first = self.blocks[0];
        if asked.contains(&first) {
            return Some(None);
        }
        asked.push(first);
        let before = &self.facts.before[first];
        if first == 0 || before.len() > JOINED {
            return None;
        }
        let mut all: Option<Value> = None;
        for &block in before {
            let mut path = self.facts.path(block);
            path.blocks.push(first);
            let start = Point {
                at: path.blocks.len() - 1,
                before: 0,
            };
            if let Some(value) = path.traced(word, start, asked, steps)? {
                all = Some(all.map_or(Some(value), |all| all.or(value))?);
            }
        }
        Some(all)
    }

    /// What the end of a block tells of a word by the way that the path takes from there.
    fn by_branch(&self, word: Word, end: Point, steps: &mut usize) -> Option<Value> {
        let taken = self.blocks[end.at + 1];
        let End::Branch {
            word: condition,
            then,
            otherwise,
        } = self.facts.function.blocks[self.blocks[end.at]].end
        else {
            return None;
        };
        if then == otherwise {
            return None;
        }
        let found = if taken == then { Value::IsNot(0) } else { Value::Is(0) };
        let definition = self.definition(condition, end, steps);
        if condition == word {
            let is_bool = definition.is_some_and(|(inst, _)| is_comparison(inst.op));
            return Some(if is_bool { found.of_bool() } else { found });
        }
        let (inst, before) = definition?;
        let behind = &self.code(end)[before.before..];
        if behind.iter().flat_map(Inst::defs).any(|def| def == word) {
            return None;
        }
        let equal = match inst.op {
            Op::Eq | Op::XorImm => inst.op == Op::Eq,
            // 0 is less than anything but itself, and nothing is less than 0.
            Op::Ne | Op::LtU => false,
            _ => return None,
        };
        let [a, b, ..] = inst.uses;
        if (inst.op, b, found) == (Op::LtU, word, Value::IsNot(0)) {
            return Some(Value::IsNot(0));
        }
        let constant = match (inst.op, a == word, b == word) {
            (Op::XorImm, true, _) => Value::Is(inst.imm),
            (Op::Eq | Op::Ne, true, false) => self.value(b, before, steps)?,
            (Op::Eq | Op::Ne, false, true) => self.value(a, before, steps)?,
            (Op::LtU, false, true) => self.value(a, before, steps).filter(|least| *least == Value::Is(0))?,
            _ => return None,
        };
        let Value::Is(constant) = constant else {
            return None;
        };
        // The condition is 0 where the word differs, or where it does not.
        let same = (found == Value::Is(0)) != equal;
        let value = if same {
            Value::Is(constant)
        } else {
            Value::IsNot(constant)
        };
        let is_bool = self
            .definition(word, before, steps)
            .is_some_and(|(inst, _)| is_comparison(inst.op));
        Some(if is_bool { value.of_bool() } else { value })
    }

    /// What is known of the first result of an instruction before that point.
    fn computed(&self, inst: &Inst, point: Point, steps: &mut usize) -> Option<Value> {
        let [a, b, c, ..] = inst.uses;
        if !inst.is_pure() || inst.defs[1] != NONE {
            return None;
        }
        match inst.op {
            Op::Mov => return self.value(a, point, steps),
            Op::Select => {
                let set = self.value(a, point, steps)?.is_set()?;
                return self.value(if set { b } else { c }, point, steps);
            }
            Op::Eq | Op::Ne => {
                let differ = match (self.value(a, point, steps)?, self.value(b, point, steps)?) {
                    (Value::Is(a), Value::Is(b)) => a != b,
                    (Value::Is(a), Value::IsNot(b)) | (Value::IsNot(a), Value::Is(b)) if a == b => true,
                    _ => return None,
                };
                return Some(Value::Is((differ == (inst.op == Op::Ne)).into()));
            }
            Op::LtU if self.value(a, point, steps) == Some(Value::Is(0)) => {
                let set = self.value(b, point, steps)?.is_set()?;
                return Some(Value::Is(set.into()));
            }
            Op::XorImm => {
                return Some(match self.value(a, point, steps)? {
                    Value::Is(value) => Value::Is(value ^ inst.imm),
                    Value::IsNot(value) => Value::IsNot(value ^ inst.imm),
                });
            }
            Op::And | Op::Or => {
                // One side alone may decide.
                let strong = if inst.op == Op::And { 0 } else { u32::MAX };
                let sides = [a, b].map(|word| self.value(word, point, steps));
                return match sides {
                    [Some(Value::Is(a)), Some(Value::Is(b))] => {
                        Some(Value::Is(if inst.op == Op::And { a & b } else { a | b }))
                    }
                    _ if sides.contains(&Some(Value::Is(strong))) => Some(Value::Is(strong)),
                    _ if inst.op == Op::Or && sides.iter().flatten().any(|side| side.is_set() == Some(true)) => {
                        Some(Value::IsNot(0))
                    }
                    _ => None,
                };
            }
            _ => {}
        }
        self.folded(inst, point, steps)
    }

    /// The result of an instruction all of whose inputs are known.
    fn folded(&self, inst: &Inst, point: Point, steps: &mut usize) -> Option<Value> {
        let mut inputs = Vec::with_capacity(4);
        let mut used = inst.uses.iter();
        for role in inst.op.roles() {
            let words = match role {
                Role::Use => 1,
                Role::UsePair => 2,
                Role::Imm => {
                    inputs.push(inst.imm);
                    0
                }
                _ => 0,
            };
            for &word in used.by_ref().take(words) {
                let Value::Is(value) = self.value(word, point, steps)? else {
                    return None;
                };
                inputs.push(value);
            }
        }
        Some(Value::Is(arithmetic::fold(inst.op, &inputs)?.low))
    }
}
