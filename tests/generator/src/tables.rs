//! Random tables: `const` and `static` arrays, and slices of them, of some hundred entries.

use crate::rng::Rng;
use crate::types::{Ty, Types};

/// The most entries that a random table has.
const LONGEST: usize = 300;

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
    let length = if rng.chance(30) {
        64 << rng.below(3)
    } else {
        50 + rng.below(LONGEST - 50)
    };
    let entries: Vec<String> = (0..length).map(|_| value(rng, &element)).collect();
    let (name, item, entries) = (format!("T{t}"), element.name(), entries.join(", "));
    let source = match rng.below(4) {
        0 | 1 => format!("const {name}: [{item}; {length}] = [{entries}];\n\n"),
        2 => format!("static {name}: [{item}; {length}] = [{entries}];\n\n"),
        _ => format!("const {name}: &[{item}] = &[{entries}];\n\n"),
    };
    Table {
        name,
        element,
        length,
        source,
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
