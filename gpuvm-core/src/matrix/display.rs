//! Affine maps for people: `w3 = 5·w1 + 7; w2 = rotl(w1, 3) & 0xff ^ w4`.

use std::fmt;

use super::{AffineMap, CONSTANT, Ring, Term};

impl fmt::Display for AffineMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_identity() {
            return f.write_str("identity");
        }
        for (i, row) in self.rows().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            write!(f, "w{} = ", row[0].row)?;
            for (i, term) in row.iter().enumerate() {
                match term.ring {
                    Ring::Integer => integer(f, i == 0, term)?,
                    Ring::Bits => bits(f, i == 0, term)?,
                    Ring::Float => float(f, i == 0, term)?,
                }
            }
        }
        Ok(())
    }
}

fn integer(f: &mut fmt::Formatter<'_>, first: bool, term: &Term) -> fmt::Result {
    // Small negative numbers read better than their complements.
    let signed = term.coefficient as i32;
    let sign = match (signed < 0, first) {
        (true, true) => "-",
        (true, false) => " - ",
        (false, true) => "",
        (false, false) => " + ",
    };
    f.write_str(sign)?;
    match (term.column, signed.unsigned_abs()) {
        (CONSTANT, value) => write!(f, "{value}"),
        (column, 1) => write!(f, "w{column}"),
        (column, factor) => write!(f, "{factor}·w{column}"),
    }
}

fn bits(f: &mut fmt::Formatter<'_>, first: bool, term: &Term) -> fmt::Result {
    if !first {
        f.write_str(" ^ ")?;
    }
    match (term.column, term.rotation) {
        (CONSTANT, _) => return write!(f, "{:#x}", term.coefficient),
        (column, 0) => write!(f, "w{column}")?,
        (column, rotation) => write!(f, "rotl(w{column}, {rotation})")?,
    }
    match term.coefficient {
        u32::MAX => Ok(()),
        mask => write!(f, " & {mask:#x}"),
    }
}

fn float(f: &mut fmt::Formatter<'_>, first: bool, term: &Term) -> fmt::Result {
    let coefficient = f32::from_bits(term.coefficient);
    let sign = match (coefficient.is_sign_negative(), first) {
        (true, true) => "-",
        (true, false) => " - ",
        (false, true) => "",
        (false, false) => " + ",
    };
    f.write_str(sign)?;
    match (term.column, coefficient.abs()) {
        (CONSTANT, value) => write!(f, "{value:?}"),
        (column, 1.0) => write!(f, "w{column}"),
        (column, factor) => write!(f, "{factor:?}·w{column}"),
    }
}
