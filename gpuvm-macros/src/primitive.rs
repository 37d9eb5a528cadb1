//! What can be known of a type from syntax alone: enough to see that an operand is the machine's own, so that its operators and
//! methods need no slot. Everything else is `Unknown`, and rustc is asked.

use gpuvm_nodes::Kind;
use gpuvm_nodes::method::{is_of_floats, is_of_integers, method_number, of};
use syn::{GenericArgument, PathArguments, Type};

use crate::namesakes::file_defining;

/// What is known of an expression's type.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// Nothing.
    Unknown,
    /// It has no value.
    Never,
    /// `()`.
    Unit,
    /// An integer literal whose type its consumer decides.
    Literal,
    /// An integer; rustc knows which.
    Integer,
    /// A float literal whose type its consumer decides.
    FloatLiteral,
    /// A float; rustc knows which.
    Float,
    /// A scalar.
    Scalar(Kind),
    /// `Wrapping<_>`.
    Wrapping,
    /// An atomic.
    Atomic,
    /// A reference.
    Reference(Box<Known>),
    /// An array or slice.
    List(Box<Known>),
    /// A tuple.
    Tuple(Vec<Known>),
    /// `Option<_>`.
    Optional(Box<Known>),
    /// A closure.
    Closure,
}

impl Known {
    /// `bool`.
    pub const BOOL: Known = Known::Scalar(Kind::Bool);
    /// `usize`.
    pub const USIZE: Known = Known::Scalar(Kind::Usize);

    /// What is known of a type that is written out.
    pub fn of(ty: &Type) -> Known {
        match ty {
            Type::Group(ty) => Known::of(&ty.elem),
            Type::Paren(ty) => Known::of(&ty.elem),
            Type::Never(_) => Known::Never,
            Type::FnPtr(_) => Known::Closure,
            Type::Reference(ty) => Known::Reference(Box::new(Known::of(&ty.elem))),
            Type::Array(ty) => Known::List(Box::new(Known::of(&ty.elem))),
            Type::Slice(ty) => Known::List(Box::new(Known::of(&ty.elem))),
            Type::Tuple(ty) if ty.elems.is_empty() => Known::Unit,
            Type::Tuple(ty) => Known::Tuple(ty.elems.iter().map(Known::of).collect()),
            Type::Path(ty) if ty.qself.is_none() => {
                let Some(segment) = ty.path.segments.last() else {
                    return Known::Unknown;
                };
                let name = segment.ident.to_string();
                match (name.as_str(), &segment.arguments) {
                    (_, PathArguments::None) if ty.path.segments.len() == 1 => match kind_of_name(&name) {
                        Some(kind) => Known::Scalar(kind),
                        None => Known::of_name(&name),
                    },
                    (_, PathArguments::None) => Known::of_name(&name),
                    ("Wrapping", _) if file_defining(segment.ident.span(), &name).is_none() => Known::Wrapping,
                    ("Option", PathArguments::AngleBracketed(arguments)) => match arguments.args.first() {
                        Some(GenericArgument::Type(inner)) => Known::Optional(Box::new(Known::of(inner))),
                        _ => Known::Optional(Box::new(Known::Unknown)),
                    },
                    _ => Known::Unknown,
                }
            }
            _ => Known::Unknown,
        }
    }

    fn of_name(name: &str) -> Known {
        match name {
            "AtomicU32" | "AtomicI32" | "AtomicU64" | "AtomicI64" => Known::Atomic,
            _ => Known::Unknown,
        }
    }

    /// The type behind all references.
    pub fn inner(&self) -> &Known {
        let mut known = self;
        while let Known::Reference(inner) = known {
            known = inner;
        }
        known
    }

    /// The scalar kind, if it is one by value.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Known::Scalar(kind) => Some(*kind),
            _ => None,
        }
    }

    /// Whether it is a number or `bool` of the machine, possibly behind references, so that its operators are the machine's.
    pub fn is_primitive(&self) -> bool {
        use Known::*;
        matches!(
            self.inner(),
            Scalar(_) | Integer | Literal | Float | FloatLiteral | Wrapping | Never
        )
    }

    /// Whether its methods are std's.
    pub fn is_machine(&self) -> bool {
        !matches!(self.inner(), Known::Unknown | Known::Never | Known::Closure)
    }

    /// Whether the machine has the method of that name, of those that it has of any of its own types, of this one.
    pub fn has_method(&self, name: &str) -> bool {
        let compares = of::COMPARISON.contains(&name);
        let counts = || {
            let others = [of::ATOMIC, of::LIST, of::OPTION, of::ORDERING];
            name == "clone" || !others.iter().any(|of| of.contains(&name))
        };
        let number = || method_number(name).filter(|_| !compares && name != "clone");
        match self.inner() {
            Known::Scalar(Kind::Bool) | Known::Unit => name == "clone" || compares,
            Known::Tuple(_) => name == "clone" || compares && self.compares_by_words(),
            Known::Scalar(Kind::F32 | Kind::F64) | Known::Float | Known::FloatLiteral => {
                counts() && number().is_none_or(is_of_floats)
            }
            Known::Scalar(kind) if *kind == unsigned(*kind) => {
                counts() && number().is_none_or(is_of_integers) && !of::SIGNED.contains(&name)
            }
            Known::Scalar(_) | Known::Integer | Known::Literal => counts() && number().is_none_or(is_of_integers),
            Known::Wrapping => counts(),
            Known::Atomic => of::ATOMIC.contains(&name),
            Known::List(_) => of::LIST.contains(&name),
            Known::Optional(_) => of::OPTION.contains(&name) || compares && self.compares_by_words(),
            Known::Unknown | Known::Never | Known::Closure | Known::Reference(_) => false,
        }
    }

    /// Whether no routine compares it or a part of it.
    pub fn compares_by_words(&self) -> bool {
        match self {
            Known::Unit => true,
            Known::Reference(inner) | Known::List(inner) | Known::Optional(inner) => inner.compares_by_words(),
            Known::Tuple(parts) => parts.iter().all(Known::compares_by_words),
            _ => self.is_primitive(),
        }
    }

    /// What is known of the value of two branches.
    pub fn join(self, other: Known) -> Known {
        use Known::*;
        match (self, other) {
            (a, b) if a == b => a,
            (Never, known) | (known, Never) => known,
            (Integer | Literal, Scalar(kind)) | (Scalar(kind), Integer | Literal) if kind.is_integer() => Scalar(kind),
            (Integer, Literal) | (Literal, Integer) => Integer,
            (Float | FloatLiteral, Scalar(kind)) | (Scalar(kind), Float | FloatLiteral) if kind.is_float() => {
                Scalar(kind)
            }
            (Float, FloatLiteral) | (FloatLiteral, Float) => Float,
            _ => Unknown,
        }
    }

    /// The type that the operator of two such operands has (not a comparison).
    pub fn arithmetic(&self, other: &Known) -> Known {
        use Known::*;
        match (self.inner(), other.inner()) {
            (Literal | Integer, Scalar(kind)) if kind.is_integer() => Scalar(*kind),
            (Literal, Integer) => Integer,
            (FloatLiteral | Float, Scalar(kind)) if kind.is_float() => Scalar(*kind),
            (FloatLiteral, Float) => Float,
            (Unknown, _) | (_, Unknown) => Unknown,
            (known, _) if known.is_primitive() => known.clone(),
            _ => Unknown,
        }
    }

    /// A name for messages.
    pub fn describe(&self) -> String {
        match self.inner() {
            Known::Scalar(kind) => format!("`{}`", name_of_kind(*kind)),
            Known::Integer | Known::Literal => "an integer".to_owned(),
            Known::Float | Known::FloatLiteral => "a float".to_owned(),
            Known::Wrapping => "`Wrapping`".to_owned(),
            Known::Atomic => "an atomic".to_owned(),
            Known::List(_) => "an array or slice".to_owned(),
            Known::Tuple(_) => "a tuple".to_owned(),
            Known::Optional(_) => "`Option`".to_owned(),
            Known::Unit => "`()`".to_owned(),
            _ => "this type".to_owned(),
        }
    }

    /// The result of a std method on such a receiver.
    pub fn method(&self, name: &str) -> Known {
        let own = self.inner().clone();
        match name {
            "is_nan" | "is_finite" | "is_infinite" | "is_normal" | "is_sign_negative" | "is_sign_positive"
            | "is_positive" | "is_negative" | "is_power_of_two" | "is_empty" | "is_some" | "is_none" | "eq" | "ne"
            | "lt" | "le" | "gt" | "ge" => Known::BOOL,
            "to_bits" => match own {
                Known::Scalar(Kind::F32) => Known::Scalar(Kind::U32),
                Known::Scalar(Kind::F64) => Known::Scalar(Kind::U64),
                _ => Known::Integer,
            },
            "count_ones" | "count_zeros" | "leading_zeros" | "trailing_zeros" | "leading_ones" | "trailing_ones"
            | "ilog2" => Known::Scalar(Kind::U32),
            "len" => Known::USIZE,
            "sin_cos" => Known::Tuple(vec![own.clone(), own]),
            "total_cmp" | "cmp" | "partial_cmp" | "then_some" | "compare_exchange" | "compare_exchange_weak" => {
                Known::Unknown
            }
            "abs_diff" | "unsigned_abs" => match own {
                Known::Scalar(kind) => Known::Scalar(unsigned(kind)),
                _ => Known::Integer,
            },
            "unwrap" | "unwrap_or" | "expect" => match own {
                Known::Optional(inner) => *inner,
                _ => Known::Unknown,
            },
            "store" => Known::Unit,
            _ if own == Known::Atomic => Known::Integer,
            _ if name.starts_with("checked_") => Known::Optional(Box::new(own)),
            _ if name.starts_with("overflowing_") => Known::Tuple(vec![own, Known::BOOL]),
            _ => own,
        }
    }
}

/// Whether a std method changes what its receiver refers to.
pub fn method_has_effect(name: &str) -> bool {
    method_number(name).is_none()
        || name.starts_with("fetch_")
        || matches!(name, "store" | "swap" | "compare_exchange" | "compare_exchange_weak")
}

/// The kind of a primitive's name.
pub fn kind_of_name(name: &str) -> Option<Kind> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// Whether a name is that of a type of the crate `half`, which are named as primitives are.
pub fn is_half(name: &syn::Ident) -> bool {
    name == "f16" || name == "bf16"
}

/// The name of a scalar kind.
pub fn name_of_kind(kind: Kind) -> &'static str {
    NAMES
        .iter()
        .find(|(_, known)| *known == kind)
        .map_or("?", |(name, _)| name)
}

const NAMES: [(&str, Kind); 15] = [
    ("bool", Kind::Bool),
    ("f32", Kind::F32),
    ("i32", Kind::I32),
    ("u32", Kind::U32),
    ("i64", Kind::I64),
    ("u64", Kind::U64),
    ("i8", Kind::I8),
    ("u8", Kind::U8),
    ("i16", Kind::I16),
    ("u16", Kind::U16),
    ("isize", Kind::Isize),
    ("usize", Kind::Usize),
    ("i128", Kind::I128),
    ("u128", Kind::U128),
    ("f64", Kind::F64),
];

fn unsigned(kind: Kind) -> Kind {
    match kind {
        Kind::I8 => Kind::U8,
        Kind::I16 => Kind::U16,
        Kind::I32 => Kind::U32,
        Kind::I64 => Kind::U64,
        Kind::I128 => Kind::U128,
        Kind::Isize => Kind::Usize,
        kind => kind,
    }
}

/// A constant that std defines for a primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StdConstant {
    /// An integer's value, two's complement.
    Integer(u128),
    /// An f32.
    Single(f32),
    /// An f64.
    Double(f64),
}

/// The value of `<primitive>::NAME`.
pub fn associated_constant(kind: Kind, name: &str) -> Option<StdConstant> {
    macro_rules! float {
        ($ty:ident, $nan:expr) => {
            match name {
                "MAX" => $ty::MAX,
                "MIN" => $ty::MIN,
                "MIN_POSITIVE" => $ty::MIN_POSITIVE,
                "EPSILON" => $ty::EPSILON,
                "INFINITY" => $ty::INFINITY,
                "NEG_INFINITY" => $ty::NEG_INFINITY,
                "NAN" => $ty::from_bits($nan),
                _ => return None,
            }
        };
    }
    match kind {
        Kind::F32 => return Some(StdConstant::Single(float!(f32, 0x7fc0_0000))),
        Kind::F64 => return Some(StdConstant::Double(float!(f64, 0x7ff8 << 48))),
        _ => {}
    }
    let bits = kind.bits();
    if !kind.is_integer() {
        return None;
    }
    let ones = u128::MAX >> (128 - bits);
    Some(StdConstant::Integer(match (name, kind.is_signed()) {
        ("MAX", false) => ones,
        ("MIN", false) => 0,
        ("MAX", true) => ones >> 1,
        ("MIN", true) => !(ones >> 1),
        _ => return None,
    }))
}

/// The value of `std::f32::consts::NAME` or `std::f64::consts::NAME`.
pub fn math_constant(kind: Kind, name: &str) -> Option<StdConstant> {
    macro_rules! constants {
        ($($name:ident)*) => {
            match (name, kind) {
                $(
                    (stringify!($name), Kind::F32) => StdConstant::Single(std::f32::consts::$name),
                    (stringify!($name), Kind::F64) => StdConstant::Double(std::f64::consts::$name),
                )*
                _ => return None,
            }
        };
    }
    Some(constants! {
        PI TAU E FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8 FRAC_1_PI FRAC_2_PI FRAC_2_SQRT_PI
        SQRT_2 FRAC_1_SQRT_2 LN_2 LN_10 LOG2_E LOG2_10 LOG10_E LOG10_2
    })
}
