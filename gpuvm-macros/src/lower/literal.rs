//! Literals. A number without suffix takes the type that is known, or leaves it to its consumer, or, where
//! neither is there, asks rustc through a slot.

use gpuvm_nodes::Kind;
use gpuvm_nodes::node::Node;
use syn::{Expr, Lit, LitFloat, LitInt, UnOp};

use super::{Lowering, Want};
use crate::primitive::{Known, StdConstant, kind_of_name};
use crate::shadow;

impl Lowering<'_> {
    /// A literal, possibly negated: `expr` is the whole of it.
    pub(super) fn literal(&mut self, expr: &mut Expr, want: Want) -> Known {
        let Some((negative, lit)) = literal_of(expr) else {
            return Known::Unknown;
        };
        match lit.clone() {
            Lit::Int(lit) => self.integer(expr, &lit, negative, want),
            Lit::Float(lit) => self.float(expr, &lit, negative, want),
            Lit::Bool(lit) => {
                self.stream.node(Node::Bool).number(u64::from(lit.value));
                Known::BOOL
            }
            Lit::Byte(lit) => {
                self.stream
                    .node(Node::IntegerOf)
                    .number(u64::from(lit.value()))
                    .number(Kind::U8 as u64);
                Known::Scalar(Kind::U8)
            }
            // The bytes are a constant, and this is a reference to them.
            Lit::ByteStr(lit) => {
                self.constant(&quote::quote!((*#lit)));
                self.stream.node(Node::Ref).number(0);
                Known::Reference(Box::new(Known::List(Box::new(Known::Scalar(Kind::U8)))))
            }
            Lit::Char(lit) => {
                self.stream.node(Node::Char).number(u64::from(u32::from(lit.value())));
                Known::Unknown
            }
            // A constant of its own, too.
            Lit::Str(lit) => self.constant(&quote::quote!((#lit))),
            lit => {
                self.report.other_literal(lit);
                Known::Unknown
            }
        }
    }

    fn integer(&mut self, expr: &mut Expr, lit: &LitInt, negative: bool, want: Want) -> Known {
        if matches!(lit.suffix(), "f32" | "f64") {
            let lit = LitFloat::new(&format!("{}{}", lit.base10_digits(), lit.suffix()), lit.span());
            return self.float(expr, &lit, negative, want);
        }
        // In a pattern the sign belongs to the literal.
        let (negative, digits) = match lit.base10_digits().strip_prefix('-') {
            Some(digits) => (!negative, digits),
            None => (negative, lit.base10_digits()),
        };
        let Ok(magnitude) = digits.parse::<u128>() else {
            self.report.integer_too_large(lit);
            return Known::Unknown;
        };
        let value = if negative { magnitude.wrapping_neg() } else { magnitude };
        let kind = match (lit.suffix(), want) {
            ("", Want::Kind(kind)) if kind.is_integer() => Some(kind),
            ("", _) => None,
            (suffix, _) => match kind_of_name(suffix) {
                Some(kind) => Some(kind),
                None => {
                    self.report.literal_suffix(&Lit::Int(lit.clone()), suffix);
                    return Known::Unknown;
                }
            },
        };
        if let Some(kind) = kind {
            self.stream
                .node(Node::IntegerOf)
                .wide(cut(value, kind))
                .number(kind as u64);
            Known::Scalar(kind)
        } else if want == Want::Free {
            let slot = self.new_slot();
            self.stream.node(Node::IntegerAs).wide(value).number(slot);
            shadow::bind(expr, slot);
            Known::Integer
        } else {
            self.stream.node(Node::Integer).wide(value);
            Known::Literal
        }
    }

    fn float(&mut self, expr: &mut Expr, lit: &LitFloat, negative: bool, want: Want) -> Known {
        let kind = match (lit.suffix(), want) {
            ("f32", _) => Some(Kind::F32),
            ("f64", _) => Some(Kind::F64),
            ("", Want::Kind(kind)) if kind.is_float() => Some(kind),
            ("", _) => None,
            (suffix, _) => {
                self.report.literal_suffix(&Lit::Float(lit.clone()), suffix);
                return Known::Unknown;
            }
        };
        // A literal that syn accepts always parses; infinity stands for what is too large, which rustc itself refuses.
        let (sign, digits) = (if negative { -1.0 } else { 1.0 }, lit.base10_digits());
        let single = digits.parse::<f32>().unwrap_or(f32::INFINITY) * sign as f32;
        let double = digits.parse::<f64>().unwrap_or(f64::INFINITY) * sign;
        if let Some(kind) = kind {
            self.stream
                .node(Node::FloatOf)
                .number(kind as u64)
                .float(kind, single, double);
            Known::Scalar(kind)
        } else if want == Want::Decided {
            self.stream
                .node(Node::Float)
                .float(Kind::F32, single, double)
                .float(Kind::F64, single, double);
            Known::FloatLiteral
        } else {
            let slot = self.new_slot();
            self.stream
                .node(Node::FloatAs)
                .float(Kind::F32, single, double)
                .float(Kind::F64, single, double)
                .number(slot);
            shadow::bind(expr, slot);
            Known::Float
        }
    }

    /// A constant that std defines.
    pub(super) fn std_constant(&mut self, value: StdConstant, kind: Kind) -> Known {
        match value {
            StdConstant::Integer(value) => self.stream.node(Node::IntegerOf).wide(value).number(kind as u64),
            StdConstant::Single(value) => {
                self.stream
                    .node(Node::FloatOf)
                    .number(kind as u64)
                    .float(Kind::F32, value, 0.0)
            }
            StdConstant::Double(value) => {
                self.stream
                    .node(Node::FloatOf)
                    .number(kind as u64)
                    .float(Kind::F64, 0.0, value)
            }
        };
        Known::Scalar(kind)
    }
}

/// The bits of a value that its kind has: fewer to write, where it is negative.
fn cut(value: u128, kind: Kind) -> u128 {
    value & (u128::MAX >> (128 - kind.bits()))
}

/// The literal that an expression is, and whether it is negated.
pub(super) fn literal_of(expr: &Expr) -> Option<(bool, &Lit)> {
    match expr {
        Expr::Lit(node) => Some((false, &node.lit)),
        Expr::Group(node) => literal_of(&node.expr),
        Expr::Unary(node) if matches!(node.op, UnOp::Neg(_)) => match literal_of(&node.expr) {
            Some((false, lit @ (Lit::Int(_) | Lit::Float(_)))) => Some((true, lit)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an expression is made of integer literals without suffix alone, so that nothing in it has a type.
pub(super) fn is_untyped_integer(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(node) => is_untyped_integer(&node.expr),
        Expr::Group(node) => is_untyped_integer(&node.expr),
        Expr::Unary(node) => is_untyped_integer(&node.expr),
        Expr::Lit(node) => matches!(&node.lit, Lit::Int(lit) if lit.suffix().is_empty()),
        _ => false,
    }
}

/// Whether an expression is made of literals without suffix alone, integers or floats.
pub(super) fn is_untyped(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(node) => is_untyped(&node.expr),
        Expr::Group(node) => is_untyped(&node.expr),
        Expr::Unary(node) => is_untyped(&node.expr),
        Expr::Lit(node) => matches!(&node.lit, Lit::Float(lit) if lit.suffix().is_empty()) || is_untyped_integer(expr),
        _ => false,
    }
}
