//! Literals. A float is always f32. An integer without suffix takes the type that is known, or leaves it to its consumer, or, where
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
            Lit::Float(lit) => self.float(&lit, negative),
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
            Lit::Char(lit) => {
                self.report.char_literal(lit);
                Known::Unknown
            }
            lit => {
                self.report.text_literal(lit);
                Known::Unknown
            }
        }
    }

    fn integer(&mut self, expr: &mut Expr, lit: &LitInt, negative: bool, want: Want) -> Known {
        if matches!(lit.suffix(), "f32" | "f64") {
            return self.float(
                &LitFloat::new(&format!("{}{}", lit.base10_digits(), lit.suffix()), lit.span()),
                negative,
            );
        }
        // In a pattern the sign belongs to the literal.
        let (negative, digits) = match lit.base10_digits().strip_prefix('-') {
            Some(digits) => (!negative, digits),
            None => (negative, lit.base10_digits()),
        };
        let Ok(magnitude) = digits.parse::<u64>() else {
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
            self.stream.node(Node::IntegerOf).number(value).number(kind as u64);
            Known::Scalar(kind)
        } else if want == Want::Free {
            let slot = self.new_slot();
            self.stream.node(Node::IntegerAs).number(value).number(slot);
            shadow::bind(expr, slot);
            Known::Integer
        } else {
            self.stream.node(Node::Integer).number(value);
            Known::Literal
        }
    }

    fn float(&mut self, lit: &LitFloat, negative: bool) -> Known {
        if !matches!(lit.suffix(), "" | "f32") {
            self.report.literal_suffix(&Lit::Float(lit.clone()), lit.suffix());
            return Known::Unknown;
        }
        // A literal that syn accepts always parses; infinity stands for what is too large, which rustc itself refuses.
        let value = lit.base10_digits().parse::<f32>().unwrap_or(f32::INFINITY);
        let value = if negative { -value } else { value };
        self.stream.node(Node::Float).number(u64::from(value.to_bits()));
        Known::Scalar(Kind::F32)
    }

    /// A constant that std defines.
    pub(super) fn std_constant(&mut self, value: StdConstant, kind: Kind) -> Known {
        match value {
            StdConstant::Integer(value) => self.stream.node(Node::IntegerOf).number(value).number(kind as u64),
            StdConstant::Float(value) => self.stream.node(Node::Float).number(u64::from(value.to_bits())),
        };
        Known::Scalar(kind)
    }
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
