//! The types that random routines use: scalars, and a few structs, enums, tuples and arrays that each module makes up.

use crate::rng::Rng;
use crate::tables::{self, Table};

/// A type of a random module.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// A primitive, by its name.
    Scalar(&'static str),
    /// A pair.
    Tuple(Vec<Ty>),
    /// An array of scalars, of a length that is a power of two so that an index can be masked.
    Array(&'static str, usize),
    /// A slice of scalars, of which so many are there for certain. Only parameters and parts of slices have it.
    Slice(&'static str, usize),
    /// The module's struct of this number.
    Struct(usize),
    /// The module's enum of this number.
    Enum(usize),
    /// An `Option`.
    Option(Box<Ty>),
    /// A `Result` whose error is the module's enum of this number.
    Result(Box<Ty>, usize),
}

/// All primitives that are used; those that stand more than once are used more.
const SCALARS: [&str; 12] = [
    "u32", "u32", "i32", "i32", "f32", "f32", "bool", "u64", "i64", "u8", "i16", "u32",
];

/// The integers among them.
const INTEGERS: [&str; 6] = ["u32", "i32", "u64", "i64", "u8", "i16"];

/// What a module's routines are made of beside plain values and control flow. Each module has some of it, so that each stays small.
#[derive(Clone, Copy)]
pub struct Features {
    /// Closures, called by name and given to routines.
    pub closures: bool,
    /// Chains of iterators.
    pub chains: bool,
    /// `Option`, `Result` and `?`.
    pub fallible: bool,
    /// Routines that call themselves and each other.
    pub recursion: bool,
    /// `const` and `static` arrays of some hundred or thousand entries.
    pub tables: bool,
    /// Methods of the structs and of a trait.
    pub methods: bool,
}

/// What a closure takes and gives.
#[derive(Clone, PartialEq)]
pub struct Signature {
    /// The types of its parameters.
    pub params: Vec<Ty>,
    /// The type of its result.
    pub result: Ty,
    /// If it is an `FnMut`: it may change what it captures.
    pub mutable: bool,
}

/// The types that a module defines, and its tables.
pub struct Types {
    /// What the module is made of.
    pub features: Features,
    /// The scalars it uses, some more than others.
    pub scalars: Vec<&'static str>,
    /// Fields `f0`, `f1`, … of struct `S0`, `S1`, ….
    pub structs: Vec<Vec<Ty>>,
    /// Payloads of the variants `V0`, `V1`, … of enum `E0`, `E1`, …. Odd variants have named fields.
    pub enums: Vec<Vec<Vec<Ty>>>,
    /// The enums that are errors, of which each one is made `From` the one before it.
    pub errors: Vec<usize>,
    /// The signatures that most of its closures have, so that those who take one find one.
    pub signatures: Vec<Signature>,
    /// The tables.
    pub tables: Vec<Table>,
}

impl Types {
    /// A few random types, each made of scalars and of those before it.
    pub fn random(rng: &mut Rng) -> Types {
        let features = Features {
            closures: rng.chance(30),
            chains: rng.chance(25),
            fallible: rng.chance(30),
            recursion: rng.chance(15),
            tables: rng.chance(15),
            methods: rng.chance(40),
        };
        let mut types = Types {
            features,
            scalars: SCALARS.to_vec(),
            structs: Vec::new(),
            enums: Vec::new(),
            errors: Vec::new(),
            signatures: Vec::new(),
            tables: Vec::new(),
        };
        if rng.chance(25) {
            types.scalars.extend(["f64", "f64", "f64"]);
        }
        if rng.chance(25) {
            types.scalars.extend(["u128", "i128", "u128"]);
        }
        for _ in 0..1 + rng.below(2) {
            let fields = (0..1 + rng.below(4)).map(|_| types.random_type(rng)).collect();
            types.structs.push(fields);
        }
        let variants = 2 + rng.below(3);
        let variants = (0..variants).map(|_| types.random_payload(rng)).collect();
        types.enums.push(variants);
        if features.fallible {
            types.add_errors(rng);
        }
        if features.closures {
            types.signatures = (0..2).map(|_| types.random_signature(rng)).collect();
        }
        if features.tables {
            types.tables = tables::random(rng, &types);
        }
        types
    }

    fn random_payload(&self, rng: &mut Rng) -> Vec<Ty> {
        (0..rng.below(3))
            .map(|_| {
                if rng.chance(25) {
                    self.random_type(rng)
                } else {
                    self.scalar(rng)
                }
            })
            .collect()
    }

    /// What some closure takes and gives.
    pub fn random_signature(&self, rng: &mut Rng) -> Signature {
        let some = |rng: &mut Rng| {
            if rng.chance(75) {
                self.scalar(rng)
            } else {
                self.random_type(rng)
            }
        };
        Signature {
            params: (0..rng.below(3)).map(|_| some(rng)).collect(),
            result: some(rng),
            mutable: rng.chance(40),
        }
    }

    /// Two enums of errors, the second of which wraps the first.
    fn add_errors(&mut self, rng: &mut Rng) {
        let first = self.enums.len();
        let inner = vec![Vec::new(), vec![self.scalar(rng)]];
        let outer = vec![vec![Ty::Enum(first)], vec![self.scalar(rng)], Vec::new()];
        self.enums.extend([inner, outer]);
        self.errors = vec![first, first + 1];
    }

    /// Any scalar.
    pub fn scalar(&self, rng: &mut Rng) -> Ty {
        Ty::Scalar(rng.pick(&self.scalars))
    }

    /// The name of any integer type.
    pub fn integer(&self, rng: &mut Rng) -> &'static str {
        if self.scalars.contains(&"u128") && rng.chance(20) {
            rng.pick(&["u128", "i128"])
        } else {
            rng.pick(&INTEGERS)
        }
    }

    /// Any type, mostly a scalar.
    pub fn random_type(&self, rng: &mut Rng) -> Ty {
        match rng.below(20) {
            0 | 1 => Ty::Tuple(vec![self.scalar(rng), self.scalar(rng)]),
            2 | 3 => Ty::Array(rng.pick(&self.scalars), 2 << rng.below(3)),
            4 | 5 if !self.structs.is_empty() => Ty::Struct(rng.below(self.structs.len())),
            6 | 7 if !self.enums.is_empty() => Ty::Enum(rng.below(self.enums.len())),
            8..=11 if self.features.fallible => self.fallible(rng),
            _ => self.scalar(rng),
        }
    }

    /// What a routine gives: where there are errors, often one of them, so that `?` may stand in it.
    pub fn random_result(&self, rng: &mut Rng) -> Ty {
        if self.features.fallible && rng.chance(60) {
            self.fallible(rng)
        } else {
            self.random_type(rng)
        }
    }

    /// An `Option` or a `Result`.
    pub fn fallible(&self, rng: &mut Rng) -> Ty {
        let inner = match rng.below(8) {
            0 if !self.structs.is_empty() => Ty::Struct(rng.below(self.structs.len())),
            1 => Ty::Tuple(vec![self.scalar(rng), self.scalar(rng)]),
            _ => self.scalar(rng),
        };
        if self.errors.is_empty() || rng.chance(50) {
            Ty::Option(Box::new(inner))
        } else {
            Ty::Result(Box::new(inner), rng.pick(&self.errors))
        }
    }

    /// The definitions.
    pub fn source(&self) -> String {
        let mut source = String::new();
        for (s, fields) in self.structs.iter().enumerate() {
            let fields: Vec<String> = fields
                .iter()
                .enumerate()
                .map(|(f, ty)| format!("f{f}: {}", ty.name()))
                .collect();
            source += &format!(
                "#[derive(VmType, Clone, Copy, Debug)]\nstruct S{s} {{ {} }}\n\n",
                fields.join(", ")
            );
        }
        for (e, variants) in self.enums.iter().enumerate() {
            let variants: Vec<String> = variants
                .iter()
                .enumerate()
                .map(|(v, payload)| {
                    let types: Vec<String> = payload.iter().map(Ty::name).collect();
                    constructor(&format!("V{v}"), v, &types, ": ")
                })
                .collect();
            source += &format!(
                "#[derive(VmType, Clone, Copy, Debug)]\nenum E{e} {{ {} }}\n\n",
                variants.join(", ")
            );
        }
        if let [inner, outer] = self.errors[..] {
            source += &format!(
                "#[routine]\nimpl From<E{inner}> for E{outer} {{\n    fn from(inner: E{inner}) -> E{outer} {{\n        E{outer}::V0(inner)\n    }}\n}}\n\n"
            );
        }
        for table in &self.tables {
            source += &table.source;
        }
        source
    }
}

/// A variant with something for each part of its payload: types, values or patterns. `named` stands between a field and its part.
pub fn constructor(path: &str, variant: usize, parts: &[String], named: &str) -> String {
    if parts.is_empty() {
        path.to_string()
    } else if variant % 2 == 1 {
        let parts: Vec<String> = parts
            .iter()
            .enumerate()
            .map(|(i, part)| format!("f{i}{named}{part}"))
            .collect();
        format!("{path} {{ {} }}", parts.join(", "))
    } else {
        format!("{path}({})", parts.join(", "))
    }
}

impl Ty {
    /// As it is written.
    pub fn name(&self) -> String {
        match self {
            Ty::Scalar(name) => (*name).to_string(),
            Ty::Tuple(parts) => format!("({})", parts.iter().map(Ty::name).collect::<Vec<_>>().join(", ")),
            Ty::Array(element, length) => format!("[{element}; {length}]"),
            Ty::Slice(element, _) => format!("&[{element}]"),
            Ty::Struct(s) => format!("S{s}"),
            Ty::Enum(e) => format!("E{e}"),
            Ty::Option(inner) => format!("Option<{}>", inner.name()),
            Ty::Result(inner, error) => format!("Result<{}, E{error}>", inner.name()),
        }
    }

    /// If it is an integer.
    pub fn is_integer(&self) -> bool {
        matches!(self, Ty::Scalar(name) if !matches!(*name, "bool" | "f32" | "f64"))
    }

    /// If it is `f32` or `f64`.
    pub fn is_float(&self) -> bool {
        matches!(self, Ty::Scalar("f32" | "f64"))
    }

    /// If its values have a total order, so that `max` and its kin take them.
    pub fn is_ordered(&self) -> bool {
        self.is_integer() || *self == Ty::Scalar("bool")
    }
}
