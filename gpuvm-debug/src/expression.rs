//! Expressions over the variables of a stopped VM, in Rust's own syntax: `n > 10_000 && steps == 3`, `grid[y][x].age as f32 * 0.5`, `children.len()`.

use gpuvm_core::types::{Kind, Type, TypeRef, Value as _};
use syn::{BinOp, Expr, Lit, Member, UnOp};

use crate::value::{Memory, Number, Value, asked_variant, cast_words, integer_words};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// It is no expression of Rust's.
    #[error("`{text}` is no expression: {reason}")]
    Syntax {
        /// What was asked.
        text: String,
        /// What is wrong.
        reason: String,
    },
    /// It is one that a debugger does not evaluate.
    #[error(
        "{what} cannot be evaluated here; there are variables, fields, indices, `.len()`, `.is_some()`, `as`, arithmetic and comparisons"
    )]
    Unsupported {
        /// What.
        what: String,
    },
    /// No variable in scope has the name.
    #[error("no variable `{name}` is in scope; there {}", listed(.known))]
    Unknown {
        /// The name.
        name: String,
        /// The variables in scope.
        known: Vec<String>,
    },
    /// A variable that the optimised program does not keep here.
    #[error("`{name}` is optimised away here; link with `Settings::debug()` to keep it")]
    OptimisedAway {
        /// Its name.
        name: String,
    },
    /// The operands do not have such an operation, or an index is out of bounds.
    #[error("{reason}")]
    Operands {
        /// What is wrong.
        reason: String,
    },
}

fn listed(known: &[String]) -> String {
    match known {
        [] => "are none".to_string(),
        [one] => format!("is `{one}`"),
        many => format!(
            "are {}",
            many.iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

type Result<T, E = ExpressionError> = std::result::Result<T, E>;

/// The most bytes of an expression.
const LONGEST: usize = 500;

/// Where names of an expression are looked up.
pub(crate) trait Scope: Memory {
    /// The variable of this name.
    fn variable(&self, name: &str) -> Option<Value>;
    /// The names there are.
    fn names(&self) -> Vec<String>;
    /// The VM's number, and how many there are, if it is one.
    fn vm(&self) -> Option<(u32, u32)>;
}

/// An expression that was read.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    root: Node,
}

/// A part of an expression. What syn reads belongs to one thread, and this to any.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Literal(Value),
    Name(String),
    Field(Box<Node>, String),
    Index(Box<Node>, Box<Node>),
    Dereferenced(Box<Node>),
    Not(Box<Node>),
    Negative(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Cast(Box<Node>, String),
    Method(Box<Node>, String),
    VmId,
    VmCount,
}

/// An operator that both sides are computed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl std::fmt::Display for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// [`ExpressionError::Syntax`], or [`ExpressionError::Unsupported`].
    pub fn parse(text: &str) -> Result<Expression> {
        let syntax = |reason: String| ExpressionError::Syntax {
            text: text.chars().take(40).collect(),
            reason,
        };
        // How deep it is nested is bounded by that, and with it the stack that reading it takes.
        if text.len() > LONGEST {
            return Err(syntax(format!("it has more than {LONGEST} characters")));
        }
        let parsed: Expr = syn::parse_str(text).map_err(|error| syntax(error.to_string()))?;
        Ok(Expression {
            text: text.to_string(),
            root: node(&parsed)?,
        })
    }

    /// Its value.
    pub(crate) fn evaluate(&self, scope: &dyn Scope) -> Result<Value> {
        evaluate(&self.root, scope)
    }

    /// Its tree.
    pub(crate) fn root(&self) -> &Node {
        &self.root
    }

    /// Whether it holds, of a condition.
    pub(crate) fn holds(&self, scope: &dyn Scope) -> Result<bool> {
        let value = self.evaluate(scope)?;
        value
            .truth()
            .ok_or_else(|| operands(format!("`{}` is `{}` and no `bool`", self.text, value.ty)))
    }

    /// Its value as one of a type.
    pub(crate) fn evaluate_as(&self, scope: &dyn Scope, ty: TypeRef) -> Result<Value> {
        let value = self.evaluate(scope)?;
        if value.ty.same(ty) && !value.is_untyped {
            return Ok(value);
        }
        let wanted = Value {
            ty,
            words: Vec::new(),
            is_untyped: false,
        };
        typed_as(&value, &wanted)
            .filter(|value| value.ty.same(ty))
            .ok_or_else(|| {
                operands(format!(
                    "`{}` is {} of type `{}`, and `{ty}` is needed",
                    self.text,
                    value.show(),
                    value.ty
                ))
            })
    }
}

/// The value of an expression that names nothing.
pub(crate) fn without_names(node: &Node) -> Option<Value> {
    struct Nothing;

    impl Memory for Nothing {
        fn word(&self, _: u32, _: u32) -> Option<u32> {
            None
        }
    }

    impl Scope for Nothing {
        fn variable(&self, _: &str) -> Option<Value> {
            None
        }

        fn names(&self) -> Vec<String> {
            Vec::new()
        }

        fn vm(&self) -> Option<(u32, u32)> {
            None
        }
    }

    evaluate(node, &Nothing).ok()
}

fn operands(reason: String) -> ExpressionError {
    ExpressionError::Operands { reason }
}

fn unsupported(what: &str) -> ExpressionError {
    ExpressionError::Unsupported { what: what.to_string() }
}

/// The tree of an expression.
fn node(expression: &Expr) -> Result<Node> {
    let boxed = |expression: &Expr| node(expression).map(Box::new);
    Ok(match expression {
        Expr::Lit(literal) => Node::Literal(literal_value(&literal.lit)?),
        Expr::Paren(inner) => node(&inner.expr)?,
        Expr::Group(inner) => node(&inner.expr)?,
        Expr::Reference(inner) => node(&inner.expr)?,
        Expr::Path(path) => Node::Name(named(&path.path)),
        Expr::Field(field) => {
            let name = match &field.member {
                Member::Named(name) => name.to_string(),
                Member::Unnamed(index) => index.index.to_string(),
            };
            Node::Field(boxed(&field.base)?, name)
        }
        Expr::Index(index) => Node::Index(boxed(&index.expr)?, boxed(&index.index)?),
        Expr::Unary(unary) => {
            let operand = boxed(&unary.expr)?;
            match unary.op {
                UnOp::Deref(_) => Node::Dereferenced(operand),
                UnOp::Not(_) => Node::Not(operand),
                UnOp::Neg(_) => Node::Negative(operand),
                _ => return Err(unsupported("this operator")),
            }
        }
        Expr::Binary(binary) => {
            let (left, right) = (boxed(&binary.left)?, boxed(&binary.right)?);
            let op = match binary.op {
                BinOp::And(_) => return Ok(Node::And(left, right)),
                BinOp::Or(_) => return Ok(Node::Or(left, right)),
                BinOp::Add(_) => Operator::Add,
                BinOp::Sub(_) => Operator::Sub,
                BinOp::Mul(_) => Operator::Mul,
                BinOp::Div(_) => Operator::Div,
                BinOp::Rem(_) => Operator::Rem,
                BinOp::BitAnd(_) => Operator::BitAnd,
                BinOp::BitOr(_) => Operator::BitOr,
                BinOp::BitXor(_) => Operator::BitXor,
                BinOp::Shl(_) => Operator::Shl,
                BinOp::Shr(_) => Operator::Shr,
                BinOp::Eq(_) => Operator::Eq,
                BinOp::Ne(_) => Operator::Ne,
                BinOp::Lt(_) => Operator::Lt,
                BinOp::Le(_) => Operator::Le,
                BinOp::Gt(_) => Operator::Gt,
                BinOp::Ge(_) => Operator::Ge,
                _ => return Err(unsupported("an assignment")),
            };
            Node::Binary(op, left, right)
        }
        Expr::Assign(_) => return Err(unsupported("an assignment")),
        Expr::Cast(cast) => match &*cast.ty {
            syn::Type::Path(path) => Node::Cast(boxed(&cast.expr)?, named(&path.path)),
            _ => return Err(unsupported("a cast to this type")),
        },
        Expr::MethodCall(call) if call.args.is_empty() => Node::Method(boxed(&call.receiver)?, call.method.to_string()),
        Expr::MethodCall(call) => return Err(unsupported(&format!("`.{}(…)`", call.method))),
        Expr::Call(call) => {
            let name = match &*call.func {
                Expr::Path(path) => named(&path.path),
                _ => return Err(unsupported("a call")),
            };
            match name.as_str() {
                "vm::id" => Node::VmId,
                "vm::count" => Node::VmCount,
                name => return Err(unsupported(&format!("the call of `{name}`"))),
            }
        }
        _ => return Err(unsupported("this")),
    })
}

fn named(path: &syn::Path) -> String {
    let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    segments.join("::")
}

fn evaluate(node: &Node, scope: &dyn Scope) -> Result<Value> {
    let plain = |node: &Node| followed(evaluate(node, scope)?, scope);
    let slice_or_plain = |node: &Node| {
        let value = evaluate(node, scope)?;
        if value.is_slice() {
            Ok(value)
        } else {
            followed(value, scope)
        }
    };
    match node {
        Node::Literal(value) => Ok(value.clone()),
        Node::Name(name) => {
            let value = scope.variable(name).ok_or_else(|| ExpressionError::Unknown {
                name: name.clone(),
                known: scope.names(),
            })?;
            kept(value, name)
        }
        Node::Field(base, name) => {
            let base = plain(base)?;
            let field = base.field(name).ok_or_else(|| {
                operands(format!(
                    "`{}`, which is {}, has no field `{name}`",
                    base.ty,
                    base.show()
                ))
            })?;
            kept(field, name)
        }
        Node::Index(base, index) => {
            let base = slice_or_plain(base)?;
            let Some(Number::Integer(at)) = plain(index)?.number() else {
                return Err(operands("an index is an integer".to_string()));
            };
            let len = base
                .len()
                .ok_or_else(|| operands(format!("`{}` has no elements", base.ty)))?;
            let element = u32::try_from(at).ok().and_then(|at| base.element(scope, at));
            let element = element.ok_or_else(|| operands(format!("the len is {len} but the index is {at}")))?;
            kept(element, &format!("[{at}]"))
        }
        Node::Dereferenced(operand) => plain(operand),
        Node::Not(operand) => not(&plain(operand)?),
        Node::Negative(operand) => negative(&plain(operand)?),
        Node::And(left, right) => Ok(Value::of(truth(left, scope)? && truth(right, scope)?)),
        Node::Or(left, right) => Ok(Value::of(truth(left, scope)? || truth(right, scope)?)),
        Node::Binary(op, left, right) => compute(*op, plain(left)?, plain(right)?),
        Node::Cast(operand, name) => cast_to(&plain(operand)?, name),
        Node::Method(receiver, name) => {
            let receiver = slice_or_plain(receiver)?;
            method(&receiver, name).ok_or_else(|| unsupported(&format!("`.{name}()` of `{}`", receiver.ty)))
        }
        Node::VmId | Node::VmCount => {
            let (id, count) = scope.vm().ok_or_else(|| operands("there is no VM".to_string()))?;
            Ok(Value::of(match node {
                Node::VmId => id,
                _ => count,
            }))
        }
    }
}

/// A value of which something is kept.
fn kept(value: Value, name: &str) -> Result<Value> {
    match value.words.iter().all(Option::is_none) && !value.words.is_empty() {
        true => Err(ExpressionError::OptimisedAway { name: name.to_string() }),
        false => Ok(value),
    }
}

/// What a reference leads to.
fn followed(value: Value, scope: &dyn Scope) -> Result<Value> {
    let ty = value.ty;
    let lost = || operands(format!("the `{ty}` leads to nothing that is known"));
    value.dereferenced(scope).ok_or_else(lost)
}

fn truth(expression: &Node, scope: &dyn Scope) -> Result<bool> {
    let value = followed(evaluate(expression, scope)?, scope)?;
    value
        .truth()
        .ok_or_else(|| operands(format!("`{}` is no `bool`", value.ty)))
}

fn literal_value(literal: &Lit) -> Result<Value> {
    match literal {
        Lit::Bool(literal) => Ok(Value::of(literal.value)),
        Lit::Char(literal) => Ok(Value::of(literal.value())),
        Lit::Int(literal) => {
            let value: i128 = literal
                .base10_parse()
                .map_err(|error| operands(format!("`{}`: {error}", literal.base10_digits())))?;
            match literal.suffix() {
                "" => Ok(Value {
                    is_untyped: true,
                    ..Value::of(value)
                }),
                suffix => cast_to(&Value::of(value), suffix),
            }
        }
        Lit::Float(literal) => {
            let value: f64 = literal
                .base10_parse()
                .map_err(|error| operands(format!("`{}`: {error}", literal.base10_digits())))?;
            match literal.suffix() {
                "f32" => {
                    let single = literal.base10_parse::<f32>();
                    Ok(Value::of(single.map_err(|error| operands(error.to_string()))?))
                }
                "f64" => Ok(Value::of(value)),
                _ => Ok(Value {
                    is_untyped: true,
                    ..Value::of(value)
                }),
            }
        }
        _ => Err(unsupported("a literal of this kind")),
    }
}

/// A scalar type by its name.
fn scalar_named(name: &str) -> Option<&'static Type> {
    let types = [
        <u32 as gpuvm_core::types::Value>::TYPE,
        i32::TYPE,
        u64::TYPE,
        i64::TYPE,
        u8::TYPE,
        i8::TYPE,
        u16::TYPE,
        i16::TYPE,
        usize::TYPE,
        isize::TYPE,
        u128::TYPE,
        i128::TYPE,
        f32::TYPE,
        f64::TYPE,
        bool::TYPE,
        char::TYPE,
    ];
    types.into_iter().find(|ty| ty.name == name)
}

fn cast_to(value: &Value, name: &str) -> Result<Value> {
    let ty = scalar_named(name).ok_or_else(|| unsupported(&format!("a cast to `{name}`")))?;
    let number = match (value.truth(), value.number()) {
        (Some(truth), _) => Number::Integer(truth.into()),
        (None, Some(number)) => number,
        (None, None) => return Err(operands(format!("`{}` cannot be cast", value.ty))),
    };
    let cast = match (ty.kind, number) {
        (Kind::F32, Number::Integer(number)) => return Ok(Value::of(number as f32)),
        (Kind::F32, Number::Float(number)) => return Ok(Value::of(number as f32)),
        (Kind::F32, Number::Single(number)) => return Ok(Value::of(number)),
        (Kind::F64, Number::Integer(number)) => return Ok(Value::of(number as f64)),
        (Kind::F64, Number::Float(number)) => return Ok(Value::of(number)),
        (Kind::F64, Number::Single(number)) => return Ok(Value::of(f64::from(number))),
        (kind, Number::Integer(number)) => cast_words(kind, number),
        (kind, Number::Float(number)) => saturated(kind, number),
        (kind, Number::Single(number)) => saturated(kind, number.into()),
    };
    let words = cast.ok_or_else(|| operands(format!("`{}` cannot be cast to `{name}`", value.ty)))?;
    Ok(Value::known(TypeRef::value(ty), words))
}

/// A float as an integer of a kind, as `as` does it: to the nearest there is.
fn saturated(kind: Kind, number: f64) -> Option<Vec<u32>> {
    let whole = match kind {
        Kind::I8 => (number as i8).into(),
        Kind::U8 => (number as u8).into(),
        Kind::I16 => (number as i16).into(),
        Kind::U16 => (number as u16).into(),
        Kind::I32 | Kind::Isize => (number as i32).into(),
        Kind::U32 | Kind::Usize => (number as u32).into(),
        Kind::I64 => (number as i64).into(),
        Kind::U64 => (number as u64).into(),
        _ => number as i128,
    };
    integer_words(kind, whole)
}

/// A number as one of the other's type, if it is a literal without one.
pub(crate) fn typed_as(value: &Value, other: &Value) -> Option<Value> {
    let ty = other.scalar()?;
    let words = match (value.number()?, ty.kind) {
        _ if !value.is_untyped => return Some(value.clone()),
        (Number::Integer(number), Kind::F32) => return Some(retyped(Value::of(number as f32), other)),
        (Number::Integer(number), Kind::F64) => return Some(retyped(Value::of(number as f64), other)),
        (Number::Float(number), Kind::F32) => return Some(retyped(Value::of(number as f32), other)),
        (Number::Float(number), Kind::F64) => return Some(retyped(Value::of(number), other)),
        (Number::Integer(number), kind) => integer_words(kind, number)?,
        _ => return None,
    };
    Some(retyped(Value::known(TypeRef::value(ty), words), other))
}

/// The same words as of the other's type, which may wrap the number.
fn retyped(value: Value, other: &Value) -> Value {
    Value { ty: other.ty, ..value }
}

fn not(value: &Value) -> Result<Value> {
    if let Some(truth) = value.truth() {
        return Ok(Value::of(!truth));
    }
    match (value.number(), value.scalar()) {
        (Some(Number::Integer(number)), Some(ty)) => {
            let words = cast_words(ty.kind, !number);
            let words = words.ok_or_else(|| operands(format!("`!` of `{}`", value.ty)))?;
            Ok(Value {
                words: words.into_iter().map(Some).collect(),
                ..value.clone()
            })
        }
        _ => Err(operands(format!("`{}` has no `!`", value.ty))),
    }
}

fn negative(value: &Value) -> Result<Value> {
    match value.number() {
        Some(Number::Single(number)) => Ok(Value::of(-number)),
        Some(Number::Float(number)) => Ok(Value {
            is_untyped: value.is_untyped,
            ..Value::of(-number)
        }),
        Some(Number::Integer(number)) => integer(value, number.checked_neg(), "negate"),
        None => Err(operands(format!("`{}` has no `-`", value.ty))),
    }
}

/// An integer of the type of a value.
fn integer(like: &Value, number: Option<i128>, what: &str) -> Result<Value> {
    let words = like
        .scalar()
        .zip(number)
        .and_then(|(ty, number)| integer_words(ty.kind, number));
    let words = words.ok_or_else(|| operands(format!("attempt to {what} with overflow")))?;
    Ok(Value {
        words: words.into_iter().map(Some).collect(),
        ..like.clone()
    })
}

fn method(receiver: &Value, name: &str) -> Option<Value> {
    if let Some(asked) = asked_variant(name) {
        return receiver.variant().map(|variant| Value::of(variant == asked));
    }
    match name {
        "len" => receiver.len().map(|len| Value::of(len as usize)),
        "is_empty" => receiver.len().map(|len| Value::of(len == 0)),
        "is_nan" => match receiver.number()? {
            Number::Single(number) => Some(Value::of(number.is_nan())),
            Number::Float(number) => Some(Value::of(number.is_nan())),
            Number::Integer(_) => None,
        },
        "abs" => match receiver.number()? {
            Number::Single(number) => Some(Value::of(number.abs())),
            Number::Float(number) => Some(Value::of(number.abs())),
            Number::Integer(number) => integer(receiver, number.checked_abs(), "negate").ok(),
        },
        _ => None,
    }
}

fn compute(op: Operator, left: Value, right: Value) -> Result<Value> {
    let mismatch = |left: &Value, right: &Value| {
        operands(format!(
            "`{}` and `{}` are of different types; cast one with `as`",
            left.ty, right.ty
        ))
    };
    let shifts = matches!(op, Operator::Shl | Operator::Shr);
    let (left, right) = match (left.is_untyped, right.is_untyped) {
        _ if shifts => (left, right),
        (true, false) => match typed_as(&left, &right) {
            Some(left) => (left, right),
            None => return Err(mismatch(&left, &right)),
        },
        (false, true) => match typed_as(&right, &left) {
            Some(right) => (left, right),
            None => return Err(mismatch(&left, &right)),
        },
        // `1 + 0.5` is no Rust, but what it means is plain.
        (true, true) => match (left.number(), right.number()) {
            (Some(Number::Integer(number)), Some(Number::Float(_))) => {
                let left = Value {
                    is_untyped: true,
                    ..Value::of(number as f64)
                };
                (left, right)
            }
            (Some(Number::Float(_)), Some(Number::Integer(number))) => {
                let right = Value {
                    is_untyped: true,
                    ..Value::of(number as f64)
                };
                (left, right)
            }
            _ => (left, right),
        },
        (false, false) => (left, right),
    };
    if !shifts && !left.ty.same(right.ty) {
        return Err(mismatch(&left, &right));
    }
    if let Some(compared) = comparison(op, &left, &right) {
        return compared.map(Value::of);
    }
    if let (Some(a), Some(b)) = (left.truth(), right.truth()) {
        return Ok(Value::of(match op {
            Operator::BitAnd => a && b,
            Operator::BitOr => a || b,
            Operator::BitXor => a != b,
            _ => return Err(operands("`bool` has no such operator".to_string())),
        }));
    }
    match (left.number(), right.number()) {
        (Some(Number::Integer(a)), Some(Number::Integer(b))) => integers(op, &left, a, b),
        (Some(Number::Single(a)), Some(Number::Single(b))) => Ok(Value::of(floats(op, a, b)?)),
        (Some(Number::Float(a)), Some(Number::Float(b))) => Ok(Value {
            is_untyped: left.is_untyped,
            ..Value::of(floats(op, a, b)?)
        }),
        _ => Err(operands(format!("`{}` has no such operator", left.ty))),
    }
}

/// What a comparison says; `None` if it is no comparison.
fn comparison(op: Operator, left: &Value, right: &Value) -> Option<Result<bool>> {
    use std::cmp::Ordering;

    let ordering = match (left.number(), right.number()) {
        (Some(Number::Integer(a)), Some(Number::Integer(b))) => Some(a.cmp(&b)),
        (Some(Number::Single(a)), Some(Number::Single(b))) => a.partial_cmp(&b),
        (Some(Number::Float(a)), Some(Number::Float(b))) => a.partial_cmp(&b),
        _ => match (left.all_words(), right.all_words()) {
            (Some(a), Some(b)) => {
                let same = a == b;
                return match op {
                    Operator::Eq => Some(Ok(same)),
                    Operator::Ne => Some(Ok(!same)),
                    Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge => {
                        Some(Err(operands(format!("`{}` has no order here", left.ty))))
                    }
                    _ => None,
                };
            }
            _ => return Some(Err(operands(format!("a part of `{}` is optimised away here", left.ty)))),
        },
    };
    Some(Ok(match op {
        Operator::Eq => ordering == Some(Ordering::Equal),
        Operator::Ne => ordering != Some(Ordering::Equal),
        Operator::Lt => ordering == Some(Ordering::Less),
        Operator::Gt => ordering == Some(Ordering::Greater),
        Operator::Le => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
        Operator::Ge => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
        _ => return None,
    }))
}

fn integers(op: Operator, like: &Value, a: i128, b: i128) -> Result<Value> {
    let shift = || {
        u32::try_from(b)
            .ok()
            .filter(|by| *by < 32 * like.scalar().map_or(0, |ty| ty.words))
    };
    let (result, what) = match op {
        Operator::Add => (a.checked_add(b), "add"),
        Operator::Sub => (a.checked_sub(b), "subtract"),
        Operator::Mul => (a.checked_mul(b), "multiply"),
        Operator::Div | Operator::Rem if b == 0 => return Err(operands("attempt to divide by zero".to_string())),
        Operator::Div => (a.checked_div(b), "divide"),
        Operator::Rem => (a.checked_rem(b), "calculate the remainder"),
        Operator::BitAnd => (Some(a & b), "and"),
        Operator::BitOr => (Some(a | b), "or"),
        Operator::BitXor => (Some(a ^ b), "xor"),
        Operator::Shr => (shift().map(|by| a >> by), "shift right"),
        Operator::Shl => {
            // What is shifted out is gone.
            let words = like
                .scalar()
                .zip(shift())
                .and_then(|(ty, by)| cast_words(ty.kind, a << by));
            let words = words.ok_or_else(|| operands("attempt to shift left with overflow".to_string()))?;
            return Ok(Value {
                words: words.into_iter().map(Some).collect(),
                ..like.clone()
            });
        }
        _ => return Err(operands(format!("`{}` has no such operator", like.ty))),
    };
    integer(like, result, what)
}

fn floats<F>(op: Operator, a: F, b: F) -> Result<F>
where
    F: std::ops::Add<Output = F>
        + std::ops::Sub<Output = F>
        + std::ops::Mul<Output = F>
        + std::ops::Div<Output = F>
        + std::ops::Rem<Output = F>,
{
    Ok(match op {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mul => a * b,
        Operator::Div => a / b,
        Operator::Rem => a % b,
        _ => return Err(operands("floats have no such operator".to_string())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variables of some types.
    struct Known;

    impl Memory for Known {
        fn word(&self, _: u32, _: u32) -> Option<u32> {
            None
        }
    }

    impl Scope for Known {
        fn variable(&self, name: &str) -> Option<Value> {
            Some(match name {
                "a" => Value::of(7_u32),
                "b" => Value::of(-3_i32),
                "c" => Value::of(200_u8),
                "f" => Value::of(0.5_f32),
                "d" => Value::of(0.1_f64),
                "long" => Value::of(u64::MAX),
                "yes" => Value::of(true),
                "pair" => Value::of((4_u16, Some(-9_i64))),
                "list" => Value::of([3_u32, 1, 4, 1, 5]),
                "gone" => Value {
                    words: vec![None],
                    ..Value::of(0_u32)
                },
                _ => return None,
            })
        }

        fn names(&self) -> Vec<String> {
            vec!["a".to_string(), "b".to_string()]
        }

        fn vm(&self) -> Option<(u32, u32)> {
            Some((5, 100))
        }
    }

    fn shown(text: &str) -> String {
        let value = Expression::parse(text).and_then(|expression| expression.evaluate(&Known));
        value.map_or_else(|error| error.to_string(), |value| value.show())
    }

    #[test]
    fn expressions_have_the_values_of_rust() {
        let (a, b, c, f, d, long, yes) = (7_u32, -3_i32, 200_u8, 0.5_f32, 0.1_f64, u64::MAX, true);
        let (pair, list) = ((4_u16, Some(-9_i64)), [3_u32, 1, 4, 1, 5]);
        macro_rules! same {
            ($($expression:expr),* $(,)?) => {
                $(assert_eq!(shown(stringify!($expression)), format!("{:?}", $expression), "{}", stringify!($expression));)*
            };
        }
        same![
            a + 3,
            a - 7,
            a * 100_000,
            a / 2,
            a % 4,
            2 * a,
            a << 30,
            a >> 1,
            !a,
            a & 5,
            a | 8,
            a ^ 1,
            (a + 1) * 2,
            -b,
            b / 2,
            b % 2,
            b >> 1,
            b << 3,
            !b,
            b.abs(),
            b as u32,
            b as u8,
            b as f32,
            a as i64 - 10,
            c / 3,
            c as i8,
            c as u32 + 100,
            !c,
            f * 3.0,
            f / 0.25,
            -f,
            f as u32,
            (f * 1e10) as i32,
            f.is_nan(),
            d + 0.2,
            d as f32,
            long - 1,
            long as u32,
            long >> 63,
            long as f64,
            a > 5 && b < 0,
            a == 7,
            a != 7 || yes,
            !yes,
            yes & false,
            f < 1.0,
            f == 0.5,
            a >= 7,
            3 < a,
            c <= 200,
            pair.0 + 1,
            pair.1,
            pair.1.is_some(),
            list[2],
            list[a as usize - 4],
            list.len(),
            list.is_empty(),
            a as usize,
            c as u16,
            300_i32 as u8,
            1.5e3_f32,
            'x',
            true,
            yes as u32,
            -1.5 + 2.0,
            1_000 + 24,
        ];
    }

    #[test]
    fn what_has_no_value_says_why() {
        let cases = [
            ("c + 100", "attempt to add with overflow"),
            ("a - 8", "attempt to subtract with overflow"),
            ("a / (a - 7)", "attempt to divide by zero"),
            ("a << 32", "attempt to shift left with overflow"),
            ("a + b", "`u32` and `i32` are of different types; cast one with `as`"),
            ("a + 1.5", "`u32` and `f64` are of different types; cast one with `as`"),
            ("list[5]", "the len is 5 but the index is 5"),
            ("list[b]", "the len is 5 but the index is -3"),
            ("a.x", "`u32`, which is 7, has no field `x`"),
            ("a[0]", "`u32` has no elements"),
            ("!f", "`f32` has no `!`"),
            ("e", "no variable `e` is in scope; there are `a`, `b`"),
            (
                "gone",
                "`gone` is optimised away here; link with `Settings::debug()` to keep it",
            ),
            ("a = 3", "an assignment cannot be evaluated here"),
            ("f(a)", "the call of `f` cannot be evaluated here"),
            ("a.pow(2)", "`.pow(…)` cannot be evaluated here"),
            ("a >", "`a >` is no expression: "),
            ("", "`` is no expression: "),
        ];
        for (text, reason) in cases {
            assert!(shown(text).starts_with(reason), "{text}: {}", shown(text));
        }
        assert_eq!(
            (shown("vm::id()"), shown("vm::count() - 1")),
            ("5".to_string(), "99".to_string())
        );
    }

    #[test]
    fn nonsense_is_refused() {
        let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(5_000), close.repeat(5_000));
        for text in [
            deep("(", ")"),
            deep("!", ""),
            deep("[", "]"),
            deep("-(", ")"),
            "\u{0}".to_string(),
            "loop {}".to_string(),
            "a; b".to_string(),
        ] {
            assert!(Expression::parse(&text).is_err(), "{text:.20}");
        }
        // As deep as it may be.
        assert_eq!(shown(&format!("{}a{}", "(".repeat(249), ")".repeat(249))), "7");
        assert_eq!(shown(&format!("{}yes", "!".repeat(496))), "true");
    }
}
