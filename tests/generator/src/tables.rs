//! Random tables: `const` and `static` arrays, and slices of them, of some hundred entries or some thousand, written out or calculated.

use crate::rng::Rng;
use crate::types::{Ty, Types};

/// The most entries that most tables have.
const SHORT: usize = 300;

/// The most entries that a table has.
const LONGEST: usize = 4_096;

/// A table that the routines of a module look up.
pub struct Table {
    /// Its name.
    pub name: String,
    /// The type of an entry: a scalar, or a pair of them.
    pub element: Ty,
    /// How many entries it has.
    pub length: usize,
    /// Its definition.
    pub source: String,
}

/// One or two tables.
pub fn random(rng: &mut Rng, types: &Types) -> Vec<Table> {
    (0..1 + rng.below(2)).map(|t| table(rng, types, t)).collect()
}

fn table(rng: &mut Rng, types: &Types, t: usize) -> Table {
    let element = if rng.chance(25) {
        Ty::Tuple(vec![types.scalar(rng), types.scalar(rng)])
    } else {
        types.scalar(rng)
    };
    // Powers of two are indexed with a mask, other lengths with a remainder.
    let length = match (rng.chance(25), rng.chance(30)) {
        (false, true) => 64 << rng.below(3),
        (false, false) => 50 + rng.below(SHORT - 50),
        (true, true) => LONGEST >> rng.below(3),
        (true, false) => SHORT + rng.below(LONGEST - SHORT),
    };
    let (name, item) = (format!("T{t}"), element.name());
    let entries = if rng.chance(70) {
        let entries: Vec<String> = (0..length).map(|_| value(rng, &element)).collect();
        format!("[{}]", entries.join(", "))
    } else {
        calculated(rng, &element, length)
    };
    let source = match rng.below(4) {
        0 | 1 => format!("const {name}: [{item}; {length}] = {entries};\n\n"),
        2 => format!("static {name}: [{item}; {length}] = {entries};\n\n"),
        _ => format!("const {name}: &[{item}] = &{entries};\n\n"),
    };
    Table {
        name,
        element,
        length,
        source,
    }
}

/// A block that calculates a table.
fn calculated(rng: &mut Rng, element: &Ty, length: usize) -> String {
    let (first, entry) = (value(rng, element), entry(rng, element));
    format!(
        "{{\n    let mut table: [{}; {length}] = [{first}; {length}];\n    let mut i = 0;\n    while i < {length} {{\n        \
         if i % 7 != 3 {{ table[i] = {entry}; }}\n        i += 1;\n    }}\n    table\n}}",
        element.name()
    )
}

/// The entry number `i` of a table.
fn entry(rng: &mut Rng, ty: &Ty) -> String {
    let factor = rng.bits() | 1;
    match ty {
        Ty::Scalar("bool") => format!("i * {} % 11 < 4", factor % 1000),
        Ty::Scalar(float @ ("f32" | "f64")) => format!("(i * {} % 9973) as {float} / 64.0 - 70.0", factor % 1000),
        Ty::Scalar(integer @ ("u128" | "i128")) => {
            format!("(i as {integer}).wrapping_mul({factor}).wrapping_mul({factor})")
        }
        Ty::Scalar(integer) => format!("(i as u64).wrapping_mul({factor}) as {integer}"),
        Ty::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| entry(rng, part)).collect();
            format!("({})", parts.join(", "))
        }
        _ => unreachable!("tables hold scalars and tuples of them"),
    }
}

/// A literal of a scalar or a tuple.
fn value(rng: &mut Rng, ty: &Ty) -> String {
    match ty {
        Ty::Scalar("bool") => rng.chance(50).to_string(),
        Ty::Scalar("f32" | "f64") => format!("{:?}", rng.below(2_000_001) as f64 / 1024.0 - 1000.0),
        Ty::Scalar("u8") => rng.below(256).to_string(),
        Ty::Scalar("i16") => (rng.below(65_536) as i64 - 32_768).to_string(),
        Ty::Scalar("u32") => small_or(rng, |bits| u128::from(bits as u32)),
        Ty::Scalar("u64") => small_or(rng, u128::from),
        Ty::Scalar("u128") => {
            let high = u128::from(rng.bits());
            small_or(rng, |low| high << 64 | u128::from(low))
        }
        Ty::Scalar("i32") => (rng.bits() as i32).to_string(),
        Ty::Scalar("i64") => (rng.bits() as i64).to_string(),
        Ty::Scalar("i128") => (i128::from(rng.bits() as i64) << rng.below(64)).to_string(),
        Ty::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| value(rng, part)).collect();
            format!("({})", parts.join(", "))
        }
        _ => unreachable!("tables hold scalars and tuples of them"),
    }
}

/// A number below 1,000 or a wide one.
fn small_or(rng: &mut Rng, wide: impl Fn(u64) -> u128) -> String {
    let bits = rng.bits();
    if rng.chance(50) {
        (bits % 1000).to_string()
    } else {
        wide(bits).to_string()
    }
}
