//! Products and powers of affine maps. A product is made only if it is exact; where rows of different rings meet, a row is
//! rewritten in the other's ring if the two agree on it (copies, constants, shifts left, complements, sign flips, multiples of
//! a single bit).

use std::borrow::Cow;

use super::map::{AffineMap, canonical_row, constant, copy, push_float};
use super::{CONSTANT, Ring, Term};
use crate::isa::WORDS;

/// Terms from which on a row of bits is rewritten by way of a table rather than a list.
const MANY: usize = 16;

const ONE: u32 = 1.0_f32.to_bits();
const SIGN: u32 = 1 << 31;

impl AffineMap {
    /// The one map that does what `self` and after it `next` do, `None` if no map does so exactly: rows of different rings
    /// meet, or a float row would round otherwise than the two rows one after the other.
    pub fn then(&self, next: &AffineMap) -> Option<AffineMap> {
        let mut terms = Vec::with_capacity(self.terms().len() + next.terms().len());
        let mut kept = self.rows().peekable();
        for row in next.rows() {
            let word = row[0].row;
            while let Some(before) = kept.next_if(|before| before[0].row < word) {
                terms.extend_from_slice(before);
            }
            kept.next_if(|before| before[0].row == word);
            terms.extend(substitute(row, self)?);
        }
        terms.extend(kept.flatten());
        Some(AffineMap::from_canonical(terms))
    }

    /// The map that does `n` times what `self` does, by squaring: at most 128 products. `None` for more than one time if a
    /// row is of [`Ring::Float`] (each step rounds, so there is no short cut), or if rows of different rings meet.
    pub fn power(&self, mut n: u64) -> Option<AffineMap> {
        if n > 1 && self.terms().iter().any(|term| term.ring == Ring::Float) {
            return None;
        }
        let mut result = AffineMap::identity();
        let mut square = self.clone();
        while n > 0 {
            if n & 1 == 1 {
                result = result.then(&square)?;
            }
            n >>= 1;
            if n > 0 {
                square = square.then(&square)?;
            }
        }
        Some(result)
    }

    /// The bits in which two maps always differ for a word, `None` if that depends on the words before, or may do so.
    pub(crate) fn differs_by(&self, other: &AffineMap, word: u16) -> Option<u32> {
        let (a, b) = (source(self, word), source(other, word));
        if a == b {
            return Some(0);
        }
        let sum = in_ring(&a, Ring::Bits)?
            .into_iter()
            .chain(in_ring(&b, Ring::Bits)?)
            .collect();
        match canonical_row(word, Ring::Bits, sum)[..] {
            [term] if term.column == CONSTANT => Some(term.coefficient),
            _ => None,
        }
    }
}

/// A row of the second map in terms of the words before the first one.
fn substitute(row: &[Term], first: &AffineMap) -> Option<Vec<Term>> {
    let word = row[0].row;
    if let [term] = row
        && term.column == CONSTANT
    {
        return Some(vec![*term]);
    }
    if let [term] = row
        && *term == copy(word, term.column)
    {
        let source = source(first, term.column);
        let ring = source[0].ring;
        let renamed = source.into_iter().map(|term| Term { row: word, ..term }).collect();
        return Some(canonical_row(word, ring, renamed));
    }
    if row.len() >= MANY
        && row[0].ring == Ring::Bits
        && let Some(sum) = tabulated(row, first)
    {
        return Some(canonical_row(word, Ring::Bits, sum));
    }
    [row[0].ring, Ring::Integer, Ring::Bits, Ring::Float]
        .into_iter()
        .find_map(|ring| {
            let row = in_ring(row, ring)?;
            let mut sum = Vec::with_capacity(row.len());
            for (i, term) in row.iter().enumerate() {
                let product = product(term, first)?;
                match (ring, product.len(), sum.len()) {
                    (Ring::Integer | Ring::Bits, ..) => sum.extend(product),
                    (Ring::Float, 1, _) => push_float(&mut sum, product[0]),
                    (Ring::Float, ..) if i == 0 => sum = product,
                    // A rounded sum is exactly commutative, though not associative: a + (b + c) = (b + c) + a.
                    (Ring::Float, _, 1) => sum = product.into_iter().chain(sum).collect(),
                    (Ring::Float, ..) => return None,
                }
            }
            Some(canonical_row(word, ring, sum))
        })
        .or_else(|| Some(canonical_row(word, Ring::Bits, bit_times(row, first)?)))
}

/// The terms of a long row of bits in terms of the words before the first map, by a table of the masks for each word and rotation.
/// `None` if the first map has no such rows, or columns past the words.
fn tabulated(row: &[Term], first: &AffineMap) -> Option<Vec<Term>> {
    let mut masks = [[0; 32]; WORDS];
    let mut flip = 0;
    for term in row {
        if term.column == CONSTANT {
            flip ^= term.coefficient;
            continue;
        }
        let source = match first.row(term.column) {
            Some(source) if source[0].ring == Ring::Bits => Cow::Borrowed(source),
            _ => Cow::Owned(in_ring(&source(first, term.column), Ring::Bits)?),
        };
        for part in source.iter() {
            let mask = part.coefficient.rotate_left(term.rotation.into()) & term.coefficient;
            if part.column == CONSTANT {
                flip ^= mask;
            } else {
                let rotation = (part.rotation + term.rotation) % 32;
                masks.get_mut(usize::from(part.column))?[usize::from(rotation)] ^= mask;
            }
        }
    }
    let own = |column, rotation, coefficient| Term {
        row: row[0].row,
        column,
        ring: Ring::Bits,
        rotation,
        coefficient,
    };
    let places = (0..WORDS).flat_map(|column| (0..32).map(move |rotation| (column, rotation)));
    let terms = places.map(|(column, rotation)| own(column as u16, rotation as u8, masks[column][rotation]));
    let terms = terms.chain([own(CONSTANT, 0, flip)]);
    Some(terms.filter(|term| term.coefficient != 0).collect())
}

/// An integer row `constant + factor * x`, where the first map makes `x` 0 or one certain bit: which of two values comes out is
/// linear over GF(2) whatever the factor.
fn bit_times(row: &[Term], first: &AffineMap) -> Option<Vec<Term>> {
    let (term, added) = match row {
        [term] => (term, 0),
        [term, last] if last.column == CONSTANT => (term, last.coefficient),
        _ => return None,
    };
    let source = first.row(term.column)?;
    let possible = source.iter().fold(0, |bits, part| bits | part.coefficient);
    if term.ring != Ring::Integer || source[0].ring != Ring::Bits || !possible.is_power_of_two() {
        return None;
    }
    let bit = possible.trailing_zeros();
    let flipped = added ^ term.coefficient.wrapping_mul(possible).wrapping_add(added);
    let bits = |coefficient| Term {
        ring: Ring::Bits,
        ..constant(term.row, coefficient)
    };
    let mut sum = vec![bits(added)];
    for part in source {
        if part.column == CONSTANT {
            sum.push(bits(flipped));
            continue;
        }
        let places = (0..32).filter(|place| flipped >> place & 1 != 0);
        sum.extend(places.map(|place| Term {
            column: part.column,
            rotation: ((u32::from(part.rotation) + place + 32 - bit) % 32) as u8,
            ..bits(1 << place)
        }));
    }
    Some(sum)
}

/// One term of the second map in terms of the words before the first one. Its `row` and `ring` go to all that comes out.
fn product(term: &Term, first: &AffineMap) -> Option<Vec<Term>> {
    if term.column == CONSTANT {
        return Some(vec![*term]);
    }
    let mut source = in_ring(&source(first, term.column), term.ring)?;
    if term.ring == Ring::Float && term.coefficient != ONE && source.len() > 1 {
        return None;
    }
    for part in &mut source {
        part.row = term.row;
        match term.ring {
            Ring::Integer => part.coefficient = part.coefficient.wrapping_mul(term.coefficient),
            Ring::Bits => {
                part.coefficient = part.coefficient.rotate_left(term.rotation.into()) & term.coefficient;
                if part.column != CONSTANT {
                    part.rotation = (part.rotation + term.rotation) % 32;
                }
            }
            Ring::Float => part.coefficient = scaled(part, term.coefficient)?,
        }
    }
    Some(source)
}

/// The coefficient of a float term that is multiplied once more. Two roundings do not fold, unless one factor is ±1.
fn scaled(term: &Term, factor: u32) -> Option<u32> {
    let is_sign = |bits: u32| bits & !SIGN == ONE;
    if is_sign(factor) {
        Some(term.coefficient ^ factor & SIGN)
    } else if term.column == CONSTANT {
        Some((f32::from_bits(factor) * f32::from_bits(term.coefficient)).to_bits())
    } else if is_sign(term.coefficient) {
        Some(factor ^ term.coefficient & SIGN)
    } else {
        None
    }
}

/// The row by which a map makes a word, the identity's row included.
fn source(map: &AffineMap, word: u16) -> Vec<Term> {
    map.row(word).map_or_else(|| vec![copy(word, word)], <[Term]>::to_vec)
}

/// The same row in another ring, `None` if that ring does not have it.
fn in_ring(row: &[Term], ring: Ring) -> Option<Vec<Term>> {
    if row[0].ring == ring {
        return Some(row.to_vec());
    }
    let added = |flip| Term {
        ring,
        ..constant(row[0].row, flip)
    };
    if let [term] = row
        && term.column == CONSTANT
    {
        return Some(vec![added(term.coefficient)]);
    }
    let Shifted { column, shift, flip } = Shifted::of(row)?;
    let word = |rotation, coefficient| Term {
        row: row[0].row,
        column,
        ring,
        rotation,
        coefficient,
    };
    let high = u32::MAX << shift;
    match ring {
        Ring::Bits => Some(vec![word(shift, high), added(flip)]),
        // Where the flipped bits are 0 anyway, or only the sign bit, to flip is to add.
        Ring::Integer if matches!(flip & high, 0 | SIGN) => Some(vec![word(0, 1 << shift), added(flip)]),
        // To flip all bits that can be 1 is to subtract from them; and `high` is minus `1 << shift`.
        Ring::Integer if flip & high == high => Some(vec![word(0, high), added(flip)]),
        Ring::Float if shift == 0 && matches!(flip, 0 | SIGN) => Some(vec![word(0, ONE | flip)]),
        Ring::Integer | Ring::Float => None,
    }
}

/// What the rings have in common: `(word << shift) ^ flip`.
struct Shifted {
    column: u16,
    shift: u8,
    flip: u32,
}

impl Shifted {
    fn of(row: &[Term]) -> Option<Shifted> {
        let (term, added) = match row {
            [term] => (term, 0),
            [term, last] if last.column == CONSTANT && last.ring != Ring::Float => (term, last.coefficient),
            _ => return None,
        };
        let found = |shift: u32, flip| {
            Some(Shifted {
                column: term.column,
                shift: shift as u8,
                flip,
            })
        };
        let shift = term.coefficient.trailing_zeros();
        let high = u32::MAX.checked_shl(shift)?;
        match term.ring {
            _ if term.column == CONSTANT => None,
            Ring::Bits if u32::from(term.rotation) == shift && term.coefficient == high => found(shift, added),
            Ring::Integer if term.coefficient == 1 << shift && matches!(added & high, 0 | SIGN) => found(shift, added),
            Ring::Integer if term.coefficient == high && added & high == high => found(shift, added),
            Ring::Float if term.coefficient & !SIGN == ONE => found(0, term.coefficient & SIGN),
            _ => None,
        }
    }
}
