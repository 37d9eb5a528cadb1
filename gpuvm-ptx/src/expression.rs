//! Expressions: what they come to, and in which order they are written. Literals, constants, variables and arguments are never emitted by a
//! statement, so they are looked up whenever somebody asks; none of them is an instruction.

use naga::{Expression, Handle, Literal, RelationalFunction, SwizzleComponent, TypeInner};

use crate::Result;
use crate::error::{invalid, unsupported};
use crate::layout::{components, refused};
use crate::operand::{Operand, Ty};
use crate::place::{Address, Place, Space};
use crate::translator::{Evaluated, Translator, Value};

impl Translator<'_> {
    /// What an expression has come to.
    pub fn evaluated(&mut self, expression: Handle<Expression>) -> Result<Evaluated> {
        if let Some(Some(known)) = self.frame.values.get(expression.index()) {
            return Ok(known.clone());
        }
        let evaluated = match self.frame.function.expressions[expression] {
            Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_) => {
                Evaluated::Value(self.computed(expression)?)
            }
            Expression::FunctionArgument(number) => {
                let argument = self.frame.arguments.get(number as usize);
                argument.cloned().ok_or_else(|| invalid("a missing argument"))?
            }
            Expression::LocalVariable(handle) => {
                let local = self.frame.locals.get(handle.index());
                Evaluated::Place(local.cloned().ok_or_else(|| invalid("a missing variable"))?)
            }
            Expression::GlobalVariable(handle) => {
                self.used.insert(handle);
                let global = self.globals.get(&handle);
                Evaluated::Place(global.cloned().ok_or_else(|| invalid("a missing variable"))?)
            }
            Expression::Override(_) => return Err(unsupported("an override that has not been resolved")),
            // What starts a variable is constant, and emitted by no statement.
            Expression::Compose { .. } | Expression::Splat { .. } => Evaluated::Value(self.computed(expression)?),
            ref other => {
                return Err(invalid(format!(
                    "an expression is used before it is evaluated: {other:?}"
                )));
            }
        };
        self.remember(expression, evaluated.clone());
        Ok(evaluated)
    }

    /// Writes an expression.
    pub fn emit(&mut self, expression: Handle<Expression>) -> Result<()> {
        let evaluated = match self.frame.function.expressions[expression] {
            Expression::Access { base, index } if self.is_pointer(base) => {
                let (place, pointee) = (self.place(base)?, self.layout.pointee(self.inner(base))?);
                Evaluated::Place(self.place_at(&place, &pointee, index)?)
            }
            Expression::AccessIndex { base, index } if self.is_pointer(base) => {
                let (place, pointee) = (self.place(base)?, self.layout.pointee(self.inner(base))?);
                Evaluated::Place(self.place_part(&place, &pointee, index)?)
            }
            _ => Evaluated::Value(self.computed(expression)?),
        };
        self.remember(expression, evaluated);
        Ok(())
    }

    /// The word that an expression is, if it is a literal.
    pub fn literal(&self, expression: Handle<Expression>) -> Option<u32> {
        match self.frame.function.expressions[expression] {
            Expression::Literal(Literal::U32(value)) => Some(value),
            _ => None,
        }
    }

    fn is_pointer(&self, expression: Handle<Expression>) -> bool {
        matches!(
            self.inner(expression),
            TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }
        )
    }

    fn computed(&mut self, expression: Handle<Expression>) -> Result<Value> {
        match self.frame.function.expressions[expression] {
            Expression::Literal(literal) => Ok(vec![of_literal(literal)?]),
            Expression::Constant(handle) => self.global_value(self.module.constants[handle].init),
            Expression::ZeroValue(ty) => self.zero(self.layout.inner(ty)),
            Expression::Compose { ref components, .. } => {
                let mut value = Value::new();
                for &component in components {
                    value.extend(self.value(component)?);
                }
                Ok(value)
            }
            Expression::Splat { size, value } => Ok(vec![self.scalar(value)?; size as usize]),
            Expression::Access { base, index } => self.element_of(base, index),
            Expression::AccessIndex { base, index } => {
                let part = self.layout.part(self.inner(base), index)?;
                let value = self.value(base)?;
                let part = value.get(part.first..part.first + part.count);
                Ok(part.ok_or_else(|| invalid("an index out of bounds"))?.to_vec())
            }
            Expression::Swizzle { size, vector, pattern } => {
                let value = self.value(vector)?;
                let component = |component: &SwizzleComponent| value.get(*component as usize).copied();
                let chosen: Option<Value> = pattern.iter().take(size as usize).map(component).collect();
                chosen.ok_or_else(|| invalid("a swizzle out of bounds"))
            }
            Expression::Load { pointer } => {
                let (place, inner) = (self.place(pointer)?, self.layout.pointee(self.inner(pointer))?);
                self.load(&place, &inner)
            }
            Expression::Unary { op, expr } => self.unary(op, expr),
            Expression::Binary { op, left, right } => self.binary(op, left, right),
            Expression::Select {
                condition,
                accept,
                reject,
            } => {
                let (condition, accept, reject) = (self.value(condition)?, self.value(accept)?, self.value(reject)?);
                let condition = condition.iter().copied().cycle();
                let pairs = accept.into_iter().zip(reject).zip(condition);
                Ok(pairs
                    .map(|((accept, reject), condition)| self.text.select(condition, accept, reject))
                    .collect())
            }
            Expression::Relational { fun, argument } => self.relational(fun, argument),
            Expression::Math {
                fun,
                arg,
                arg1,
                arg2,
                arg3,
            } => self.math(fun, arg, [arg1, arg2, arg3]),
            Expression::As { expr, kind, convert } => self.cast(expr, kind, convert),
            Expression::ArrayLength(array) => Ok(vec![self.array_length(array)?]),
            Expression::Derivative { .. } => Err(unsupported("a derivative")),
            Expression::ImageSample { .. } | Expression::ImageLoad { .. } | Expression::ImageQuery { .. } => {
                Err(unsupported("an operation on a texture"))
            }
            Expression::SubgroupBallotResult | Expression::SubgroupOperationResult { .. } => {
                Err(unsupported("an operation of a subgroup"))
            }
            Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryProceedResult
            | Expression::RayQueryGetIntersection { .. } => Err(unsupported("a ray query")),
            Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. } => {
                Err(unsupported("a cooperative matrix"))
            }
            ref other => Err(invalid(format!("an expression that no statement evaluates: {other:?}"))),
        }
    }

    /// An expression outside of all functions.
    pub fn global_value(&mut self, expression: Handle<Expression>) -> Result<Value> {
        let module = self.module;
        match module.global_expressions[expression] {
            Expression::Literal(literal) => Ok(vec![of_literal(literal)?]),
            Expression::Constant(handle) => self.global_value(module.constants[handle].init),
            Expression::ZeroValue(ty) => self.zero(self.layout.inner(ty)),
            Expression::Compose { ref components, .. } => {
                let mut value = Value::new();
                for &component in components {
                    value.extend(self.global_value(component)?);
                }
                Ok(value)
            }
            Expression::Splat { size, value } => {
                let value = self.global_value(value)?;
                Ok(value.repeat(size as usize))
            }
            Expression::Override(_) => Err(unsupported("an override that has not been resolved")),
            ref other => Err(invalid(format!("a constant that has not been evaluated: {other:?}"))),
        }
    }

    fn zero(&self, inner: &TypeInner) -> Result<Value> {
        let leaves = self.layout.leaves(inner)?;
        leaves
            .iter()
            .map(|leaf| Ok(Operand::zero(Ty::of(leaf.scalar)?)))
            .collect()
    }

    /// An element, by a computed index, of what is no variable.
    fn element_of(&mut self, base: Handle<Expression>, index: Handle<Expression>) -> Result<Value> {
        let (whole, index) = (self.value(base)?, self.scalar(index)?);
        let inner = self.inner(base);
        let count = self.layout.part(inner, 0)?.count;
        if let Some(known) = index.constant() {
            let first = known as usize * count;
            let part = whole.get(first..first + count);
            return Ok(part.ok_or_else(|| invalid("an index out of bounds"))?.to_vec());
        }
        match *inner {
            TypeInner::Vector { .. } => Ok(vec![self.choose(&whole, index)]),
            TypeInner::Array { base, stride, size } if whole.len() > MOST_CHOICES => {
                // It goes to memory first.
                let bytes = stride * crate::layout::elements(size)?;
                let name = format!("spilled_{}", self.text.register(crate::operand::Width::Long)).replace('%', "");
                let place = Place::Memory(Address::of(Space::Local, &name));
                self.declare(&place, bytes);
                self.store(&place, inner, &whole)?;
                let element = self.place_element(&place, inner, index)?;
                self.load(&element, self.layout.inner(base))
            }
            TypeInner::Array { .. } => {
                let elements: Vec<&[Operand]> = whole.chunks(count.max(1)).collect();
                let columns = (0..count).map(|at| elements.iter().map(|element| element[at]).collect());
                let columns: Vec<Value> = columns.collect();
                Ok(columns.iter().map(|column| self.choose(column, index)).collect())
            }
            ref other => Err(refused(other)),
        }
    }

    /// The one of some values that has a number; the last one, where there are not so many.
    pub fn choose(&mut self, values: &[Operand], index: Operand) -> Operand {
        let Some((&last, rest)) = values.split_last() else {
            return index;
        };
        let mut chosen = last;
        for (number, &value) in rest.iter().enumerate().rev() {
            let number = Operand::ConstWord(number as u32);
            let here = self.text.compare("eq", Ty::U32, index, number);
            chosen = self.text.select(here, value, chosen);
        }
        chosen
    }

    fn relational(&mut self, fun: RelationalFunction, argument: Handle<Expression>) -> Result<Value> {
        let value = self.value(argument)?;
        let (scalar, _) = components(self.inner(argument))?;
        let ty = Ty::of(scalar)?;
        Ok(match fun {
            RelationalFunction::All => {
                let all = value.into_iter().reduce(|left, right| self.text.both(left, right));
                all.into_iter().collect()
            }
            RelationalFunction::Any => {
                let any = value.into_iter().reduce(|left, right| self.text.either(left, right));
                any.into_iter().collect()
            }
            RelationalFunction::IsNan => {
                let each = value.into_iter();
                each.map(|value| self.text.compare("nan", ty, value, value)).collect()
            }
            RelationalFunction::IsInf => {
                let each = value.into_iter();
                each.map(|value| {
                    let size = self.text.op("abs", ty, &[value]);
                    self.text.compare("eq", ty, size, ty.float(f64::INFINITY))
                })
                .collect()
            }
        })
    }
}

/// Arrays with more scalars that are indexed by a computed number go to memory, even if they are no variables.
const MOST_CHOICES: usize = 8;

fn of_literal(literal: Literal) -> Result<Operand> {
    Ok(match literal {
        Literal::U32(value) => Operand::ConstWord(value),
        Literal::I32(value) => Operand::ConstWord(value as u32),
        Literal::F32(value) => Operand::ConstWord(value.to_bits()),
        Literal::U64(value) => Operand::ConstLong(value),
        Literal::I64(value) => Operand::ConstLong(value as u64),
        Literal::F64(value) => Operand::ConstLong(value.to_bits()),
        Literal::Bool(value) => Operand::ConstTruth(value),
        Literal::F16(_) | Literal::I16(_) | Literal::U16(_) => return Err(unsupported("a number of 16 bits")),
        Literal::AbstractInt(_) | Literal::AbstractFloat(_) => return Err(invalid("a literal without a type")),
    })
}
