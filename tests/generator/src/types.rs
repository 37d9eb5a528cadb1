//! The types that random routines use: scalars, and a few structs, enums, tuples and arrays that each module makes up.

use crate::rng::Rng;

/// A type of a random module.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// A primitive, by its name.
    Scalar(&'static str),
    /// A pair.
    Tuple(Vec<Ty>),
    /// An array of scalars, of a length that is a power of two so that an index can be masked.
    Array(&'static str, usize),
    /// The module's struct of this number.
    Struct(usize),
    /// The module's enum of this number.
    Enum(usize),
}

/// All primitives that are used; those that stand more than once are used more.
pub const SCALARS: [&str; 12] = [
    "u32", "u32", "i32", "i32", "f32", "f32", "bool", "u64", "i64", "u8", "i16", "u32",
];

/// The integers among them.
pub const INTEGERS: [&str; 6] = ["u32", "i32", "u64", "i64", "u8", "i16"];

/// The types that a module defines.
pub struct Types {
    /// Fields `f0`, `f1`, … of struct `S0`, `S1`, ….
    pub structs: Vec<Vec<Ty>>,
    /// Payloads of the variants `V0`, `V1`, … of enum `E0`, `E1`, …. Odd variants have named fields.
    pub enums: Vec<Vec<Vec<Ty>>>,
}

impl Types {
    /// A few random types, each made of scalars and of those before it.
    pub fn random(rng: &mut Rng) -> Types {
        let mut types = Types {
            structs: Vec::new(),
            enums: Vec::new(),
        };
        for _ in 0..1 + rng.below(2) {
            let fields = (0..1 + rng.below(4)).map(|_| types.random_type(rng)).collect();
            types.structs.push(fields);
        }
        let variants = (0..2 + rng.below(3))
            .map(|_| {
                (0..rng.below(3))
                    .map(|_| {
                        if rng.chance(25) {
                            types.random_type(rng)
                        } else {
                            scalar(rng)
                        }
                    })
                    .collect()
            })
            .collect();
        types.enums.push(variants);
        types
    }

    /// Any type, mostly a scalar.
    pub fn random_type(&self, rng: &mut Rng) -> Ty {
        match rng.below(20) {
            0 | 1 => Ty::Tuple(vec![scalar(rng), scalar(rng)]),
            2 | 3 => Ty::Array(rng.pick(&SCALARS), 2 << rng.below(3)),
            4 | 5 if !self.structs.is_empty() => Ty::Struct(rng.below(self.structs.len())),
            6 | 7 if !self.enums.is_empty() => Ty::Enum(rng.below(self.enums.len())),
            _ => scalar(rng),
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

/// Any scalar.
pub fn scalar(rng: &mut Rng) -> Ty {
    Ty::Scalar(rng.pick(&SCALARS))
}

impl Ty {
    /// As it is written.
    pub fn name(&self) -> String {
        match self {
            Ty::Scalar(name) => (*name).to_string(),
            Ty::Tuple(parts) => format!("({})", parts.iter().map(Ty::name).collect::<Vec<_>>().join(", ")),
            Ty::Array(element, length) => format!("[{element}; {length}]"),
            Ty::Struct(s) => format!("S{s}"),
            Ty::Enum(e) => format!("E{e}"),
        }
    }
}
