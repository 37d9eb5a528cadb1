//! Compiles a breakpoint's condition to a guard, which engines evaluate where the VMs are. What cannot be compiled is left out: a guard lets nobody past of
//! whom the condition holds or has no value, and of those that it stops the condition is asked once more.

use gpuvm_core::program::{Activation, Home};
use gpuvm_core::types::{Kind, TypeRef, Value as _};
use gpuvm_engine::{Check, CheckOp, Guard, Operand, Then};

use crate::expression::{Expression, Node, Operator, typed_as, without_names};
use crate::value::{Value, asked_variant, field_named};

/// What a condition asks of VMs that stand at an instruction, given the innermost activation there; `None` if all have to stop.
pub(crate) fn guard(condition: &Expression, activation: Option<&Activation<'_>>) -> Option<Guard> {
    let mut compiler = Compiler {
        activation,
        checks: Vec::new(),
    };
    compiler.conjunction(condition.root());
    let checks = compiler.checks;
    Guard::new(checks).filter(|guard| !guard.checks().is_empty())
}

struct Compiler<'a, 'p> {
    activation: Option<&'a Activation<'p>>,
    checks: Vec<Check>,
}

/// A value that checks compute with.
struct Term {
    ty: TypeRef,
    /// Where its words are; `None` for those that are not kept.
    words: Vec<Option<Operand>>,
    /// Its value if it is known.
    literal: Option<Value>,
}

impl Term {
    fn part(&self, ty: TypeRef, offset: u32) -> Term {
        let words = (offset..offset + ty.words()).map(|at| self.words.get(at as usize).copied().flatten());
        Term {
            ty,
            words: words.collect(),
            literal: None,
        }
    }

    fn of(value: &Value) -> Term {
        Term {
            ty: value.ty,
            words: value.words.iter().map(|word| word.map(Operand::Constant)).collect(),
            literal: Some(value.clone()),
        }
    }

    /// What kind of number or truth value it is, if it is no reference.
    fn kind(&self) -> Option<Kind> {
        (self.ty.refs == 0).then_some(self.ty.ty.kind)
    }

    /// Its one word.
    fn word(&self) -> Option<Operand> {
        match self.words[..] {
            [word] => word,
            _ => None,
        }
    }

    /// Its two words, the low one first.
    fn pair(&self) -> Option<[Operand; 2]> {
        match self.words[..] {
            [low, high] => Some([low?, high?]),
            _ => None,
        }
    }
}

fn is_small(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::U8 | Kind::U16 | Kind::U32 | Kind::Usize | Kind::I8 | Kind::I16 | Kind::I32 | Kind::Isize
    )
}

impl Compiler<'_, '_> {
    /// Lets VMs past for which the condition does not hold. `a && b` asks b only where a holds, so what follows something that is left out is left out as
    /// well: it might have no value. Whether all of it is compiled.
    fn conjunction(&mut self, node: &Node) -> bool {
        if let Node::And(left, right) = node {
            return self.conjunction(left) && self.conjunction(right);
        }
        let before = self.checks.len();
        let Some(operand) = self.truth(node) else {
            self.checks.truncate(before);
            return false;
        };
        match self.checks.last_mut() {
            Some(check) if operand == Operand::Popped => check.then = Then::PassUnless,
            _ => self.check(CheckOp::Ne, operand, Operand::Constant(0), Then::PassUnless),
        }
        true
    }

    fn check(&mut self, op: CheckOp, left: Operand, right: Operand, then: Then) {
        self.checks.push(Check { op, left, right, then });
    }

    /// Computes a word, and pushes it.
    fn push(&mut self, op: CheckOp, left: Operand, right: Operand) -> Operand {
        self.check(op, left, right, Then::Push);
        Operand::Popped
    }

    /// The opposite of a truth value.
    fn opposite(&mut self, operand: Operand) -> Operand {
        self.push(CheckOp::Eq, operand, Operand::Constant(0))
    }

    /// A truth value.
    fn truth(&mut self, node: &Node) -> Option<Operand> {
        let term = self.term(node)?;
        term.word().filter(|_| term.kind() == Some(Kind::Bool))
    }

    fn term(&mut self, node: &Node) -> Option<Term> {
        if let Some(value) = without_names(node) {
            return Some(Term::of(&value));
        }
        let bool_of = |operand| Term {
            ty: TypeRef::value(bool::TYPE),
            words: vec![Some(operand)],
            literal: None,
        };
        let number_of = |operand| Term {
            ty: TypeRef::value(u32::TYPE),
            words: vec![Some(operand)],
            literal: None,
        };
        Some(match node {
            Node::VmId => number_of(Operand::VmId),
            Node::VmCount => number_of(Operand::VmCount),
            Node::Name(name) => self.variable(name)?,
            Node::Field(base, name) => {
                let base = self.term(base)?;
                let kind = base.kind()?;
                let fields = matches!(kind, Kind::Struct | Kind::Tuple).then_some(base.ty.ty.fields)?;
                let field = field_named(fields, name)?;
                base.part(field.type_ref(), field.offset)
            }
            Node::Index(base, index) => {
                let base = self.term(base)?;
                let element = (base.kind()? == Kind::Array).then(|| base.ty.ty.element_ref())??;
                let index = without_names(index)?.index()?;
                (index < base.ty.ty.length).then(|| base.part(element, index * element.words()))?
            }
            Node::Not(operand) => {
                let operand = self.truth(operand)?;
                bool_of(self.opposite(operand))
            }
            Node::And(left, right) | Node::Or(left, right) => {
                let op = match node {
                    Node::And(..) => CheckOp::And,
                    _ => CheckOp::Or,
                };
                let (left, right) = (self.truth(left)?, self.truth(right)?);
                bool_of(self.push(op, left, right))
            }
            Node::Binary(op, left, right) => {
                let (left, right) = (self.term(left)?, self.term(right)?);
                let (left, right) = same_type(left, right)?;
                match self.compared(*op, &left, &right)? {
                    Some(operand) => bool_of(operand),
                    None => Term {
                        words: vec![Some(self.computed(*op, &left, &right)?)],
                        ty: left.ty,
                        literal: None,
                    },
                }
            }
            Node::Cast(operand, name) => {
                let operand = self.term(operand)?;
                let kind = operand.kind()?;
                let keeps = is_small(kind) || kind == Kind::Bool;
                let ty = [u32::TYPE, i32::TYPE, usize::TYPE, isize::TYPE].into_iter();
                let ty = ty.filter(|_| keeps).find(|ty| ty.name == name)?;
                Term {
                    ty: TypeRef::value(ty),
                    ..operand
                }
            }
            Node::Method(receiver, name) => {
                let receiver = self.term(receiver)?;
                let variant = asked_variant(name)?;
                let variants = (receiver.kind()? == Kind::Enum).then_some(receiver.ty.ty.variants)?;
                let tag = variants.iter().position(|known| known.name == variant)? as u32;
                let stands = receiver.words.first().copied()??;
                bool_of(self.push(CheckOp::Eq, stands, Operand::Constant(tag)))
            }
            Node::Literal(_) | Node::Dereferenced(_) | Node::Negative(_) => return None,
        })
    }

    fn variable(&self, name: &str) -> Option<Term> {
        let location = self.activation?.variable(name)?;
        let word = |home: &Home| match *home {
            Home::Word(word) => Some(Operand::Word(word)),
            Home::Frame(offset) => Some(Operand::Frame(offset)),
            Home::Constant(word) => Some(Operand::Constant(word)),
            Home::Nowhere => None,
        };
        Some(Term {
            ty: location.variable.ty,
            words: location.homes.iter().map(word).collect(),
            literal: None,
        })
    }

    /// A comparison of two values of one type; `Some(None)` if the operator is no comparison.
    fn compared(&mut self, op: Operator, left: &Term, right: &Term) -> Option<Option<Operand>> {
        // `a > b` is `!(a <= b)`: of what was pushed the order is fixed.
        let (op, is_opposite) = match op {
            Operator::Eq => (Operator::Eq, false),
            Operator::Ne => (Operator::Eq, true),
            Operator::Lt => (Operator::Lt, false),
            Operator::Ge => (Operator::Lt, true),
            Operator::Le => (Operator::Le, false),
            Operator::Gt => (Operator::Le, true),
            _ => return Some(None),
        };
        let kind = left.kind()?;
        let pick = |equal, less, less_equal| match op {
            Operator::Eq => equal,
            Operator::Lt => less,
            _ => less_equal,
        };
        let compared = match kind {
            Kind::I64 | Kind::U64 => {
                let ([low, high], [right_low, right_high]) = (left.pair()?, right.pair()?);
                let same = self.push(CheckOp::Eq, high, right_high);
                let low_op = pick(CheckOp::Eq, CheckOp::LtU, CheckOp::LeU);
                let within = self.push(low_op, low, right_low);
                let within = self.push(CheckOp::And, same, within);
                let less = match kind {
                    Kind::I64 => CheckOp::LtS,
                    _ => CheckOp::LtU,
                };
                match op {
                    Operator::Eq => within,
                    _ => {
                        let less = self.push(less, high, right_high);
                        self.push(CheckOp::Or, within, less)
                    }
                }
            }
            Kind::F32 => {
                let op = pick(CheckOp::EqF, CheckOp::LtF, CheckOp::LeF);
                self.push(op, left.word()?, right.word()?)
            }
            kind if is_small(kind) && kind.is_signed() => {
                let op = pick(CheckOp::Eq, CheckOp::LtS, CheckOp::LeS);
                self.push(op, left.word()?, right.word()?)
            }
            kind if is_small(kind) || kind == Kind::Bool => {
                let op = pick(CheckOp::Eq, CheckOp::LtU, CheckOp::LeU);
                self.push(op, left.word()?, right.word()?)
            }
            _ => return None,
        };
        Some(Some(match is_opposite {
            true => self.opposite(compared),
            false => compared,
        }))
    }

    /// What is computed of two values of one type.
    fn computed(&mut self, op: Operator, left: &Term, right: &Term) -> Option<Operand> {
        let kind = left.kind()?;
        let whole = matches!(kind, Kind::U32 | Kind::Usize);
        let signed = matches!(kind, Kind::I32 | Kind::Isize);
        let op = match op {
            Operator::Add if whole => CheckOp::AddU,
            Operator::Add if signed => CheckOp::AddS,
            Operator::Sub if whole => CheckOp::SubU,
            Operator::Sub if signed => CheckOp::SubS,
            Operator::Rem if is_small(kind) && !kind.is_signed() => CheckOp::RemU,
            Operator::BitAnd if is_small(kind) || kind == Kind::Bool => CheckOp::And,
            Operator::BitOr if is_small(kind) || kind == Kind::Bool => CheckOp::Or,
            Operator::BitXor if is_small(kind) || kind == Kind::Bool => CheckOp::Xor,
            _ => return None,
        };
        Some(self.push(op, left.word()?, right.word()?))
    }
}

/// Both as of one type, which a literal without one takes from the other.
fn same_type(left: Term, right: Term) -> Option<(Term, Term)> {
    let retyped = |term: Term, other: &Term| match &term.literal {
        Some(value) if value.is_untyped => {
            let like = Value {
                ty: other.ty,
                words: Vec::new(),
                is_untyped: false,
            };
            Some(Term::of(&typed_as(value, &like)?))
        }
        _ => Some(term),
    };
    let (left, right) = match left.literal.is_some() {
        true => (retyped(left, &right)?, right),
        false => {
            let right = retyped(right, &left)?;
            (left, right)
        }
    };
    left.ty.same(right.ty).then_some((left, right))
}
