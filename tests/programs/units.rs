//! A converter of units: `3.5 km in mi`, with prefixes, temperatures and sums of several, such as `5 ft 3 in in cm`.

use core::fmt;
use core::num::ParseFloatError;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    Length,
    Mass,
    Time,
    Temperature,
}

/// `value * scale + offset` of the base unit.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Unit {
    dimension: Dimension,
    scale: f64,
    offset: f64,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub enum UnitError {
    Number,
    UnknownUnit,
    Mismatch(Dimension, Dimension),
    Incomplete,
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnitError::Number => f.write_str("not a number"),
            UnitError::UnknownUnit => f.write_str("no such unit"),
            UnitError::Mismatch(a, b) => write!(f, "{a:?} is no {b:?}"),
            UnitError::Incomplete => f.write_str("write `3 km in mi`"),
        }
    }
}

#[routine]
impl From<ParseFloatError> for UnitError {
    fn from(_: ParseFloatError) -> Self {
        UnitError::Number
    }
}

const UNITS: [(&str, Unit); 12] = [
    ("m", Unit::plain(Dimension::Length, 1.0)),
    ("in", Unit::plain(Dimension::Length, 0.0254)),
    ("ft", Unit::plain(Dimension::Length, 0.3048)),
    ("mi", Unit::plain(Dimension::Length, 1_609.344)),
    ("g", Unit::plain(Dimension::Mass, 1e-3)),
    ("lb", Unit::plain(Dimension::Mass, 0.453_592_37)),
    ("s", Unit::plain(Dimension::Time, 1.0)),
    ("min", Unit::plain(Dimension::Time, 60.0)),
    ("h", Unit::plain(Dimension::Time, 3_600.0)),
    ("K", Unit::plain(Dimension::Temperature, 1.0)),
    (
        "C",
        Unit {
            dimension: Dimension::Temperature,
            scale: 1.0,
            offset: 273.15,
        },
    ),
    (
        "F",
        Unit {
            dimension: Dimension::Temperature,
            scale: 5.0 / 9.0,
            offset: 459.67 * 5.0 / 9.0,
        },
    ),
];

const PREFIXES: &[(char, i32)] = &[('k', 3), ('c', -2), ('m', -3), ('u', -6), ('M', 6), ('n', -9)];

#[routine]
impl Unit {
    const fn plain(dimension: Dimension, scale: f64) -> Unit {
        Unit {
            dimension,
            scale,
            offset: 0.0,
        }
    }

    fn named(name: &str) -> Option<Unit> {
        let plain = |name: &str| UNITS.iter().find(|(known, _)| *known == name).map(|&(_, unit)| unit);
        plain(name).or_else(|| {
            let prefix = name.chars().next()?;
            let &(_, power) = PREFIXES.iter().find(|(c, _)| *c == prefix)?;
            let unit = plain(&name[prefix.len_utf8()..]).filter(|unit| unit.offset == 0.0)?;
            Some(Unit {
                scale: unit.scale * 10f64.powi(power),
                ..unit
            })
        })
    }

    fn to_base(self, value: f64) -> f64 {
        value * self.scale + self.offset
    }

    fn from_base(self, value: f64) -> f64 {
        (value - self.offset) / self.scale
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    pub value: f64,
    pub dimension: Dimension,
}

#[routine]
fn quantity<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<Quantity, UnitError> {
    let mut sum: Option<Quantity> = None;
    loop {
        let word = words.next().ok_or(UnitError::Incomplete)?;
        if word == "in" && sum.is_some() {
            return sum.ok_or(UnitError::Incomplete);
        }
        let value: f64 = word.parse()?;
        let name = words.next().ok_or(UnitError::Incomplete)?;
        let unit = Unit::named(name).ok_or(UnitError::UnknownUnit)?;
        let next = Quantity {
            value: unit.to_base(value),
            dimension: unit.dimension,
        };
        sum = Some(match sum {
            None => next,
            Some(Quantity { value, dimension }) if dimension == next.dimension => Quantity {
                value: value + next.value,
                dimension,
            },
            Some(other) => return Err(UnitError::Mismatch(other.dimension, next.dimension)),
        });
    }
}

#[routine]
pub fn convert_units(text: &[u8]) -> Result<f64, UnitError> {
    let text = core::str::from_utf8(text).map_err(|_| UnitError::Incomplete)?;
    let mut words = text.split_whitespace();
    let Quantity { value, dimension } = quantity(&mut words)?;
    let target = words.next().and_then(Unit::named).ok_or(UnitError::UnknownUnit)?;
    if target.dimension != dimension {
        return Err(UnitError::Mismatch(dimension, target.dimension));
    }
    Ok(target.from_base(value))
}

pub fn known() {
    let close = |text: &str, expected: f64| {
        let value = convert_units(text.as_bytes()).unwrap();
        assert!((value - expected).abs() <= expected.abs() * 1e-12, "{text}: {value}");
    };
    close("3.5 km in mi", 2.174_799_172_830_271);
    close("5 ft 3 in in cm", 160.02);
    close("-40 F in C", -40.0);
    close("1.5e3 mg in lb", 0.003_306_933_932_773_163);
    close("1 h 30 min in s", 5400.0);
    assert_eq!(convert_units(b"x m in cm"), Err(UnitError::Number));
    assert_eq!(
        convert_units(b"1 m in kg"),
        Err(UnitError::Mismatch(Dimension::Length, Dimension::Mass))
    );
    assert_eq!(
        convert_units(b"1 m 2 s in m"),
        Err(UnitError::Mismatch(Dimension::Length, Dimension::Time))
    );
    assert_eq!(convert_units(b"1 furlong in m"), Err(UnitError::UnknownUnit));
    assert_eq!(convert_units(b"1"), Err(UnitError::Incomplete));
}
