//! A CSV reader (RFC 4180): iterators of records and fields over a byte string, and sums of a column.

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Field<'a> {
    bytes: &'a [u8],
    quoted: bool,
}

#[routine]
impl Field<'_> {
    /// The length of the field's text once doubled quotes are one.
    fn text_len(&self) -> usize {
        if self.quoted {
            self.bytes.len() - self.bytes.iter().filter(|&&b| b == b'"').count() / 2
        } else {
            self.bytes.len()
        }
    }

    fn is(&self, name: &[u8]) -> bool {
        self.bytes.trim_ascii() == name
    }

    /// A decimal number with up to two digits after the point, in hundredths.
    fn cents(&self) -> Result<i64, CsvError> {
        let (negative, digits) = match self.bytes.trim_ascii() {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        let mut halves = digits.splitn(2, |&b| b == b'.');
        let whole = halves
            .next()
            .filter(|whole| !whole.is_empty())
            .ok_or(CsvError::NotANumber)?;
        let units = parse_digits(whole)?;
        let cents = match halves.next().unwrap_or_default() {
            [] => 0,
            [tenth] => parse_digits(&[*tenth])? * 10,
            both @ [_, _] => parse_digits(both)?,
            _ => return Err(CsvError::NotANumber),
        };
        let value = units
            .checked_mul(100)
            .and_then(|v| v.checked_add(cents))
            .ok_or(CsvError::TooLarge)?;
        Ok(if negative { -value } else { value })
    }
}

#[routine]
fn parse_digits(digits: &[u8]) -> Result<i64, CsvError> {
    digits.iter().try_fold(0i64, |value, &digit| match digit {
        b'0'..=b'9' => value
            .checked_mul(10)
            .and_then(|v| v.checked_add(i64::from(digit - b'0')))
            .ok_or(CsvError::TooLarge),
        _ => Err(CsvError::NotANumber),
    })
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum CsvError {
    NoSuchColumn,
    ShortRecord,
    NotANumber,
    TooLarge,
}

/// The fields of one record.
#[derive(VmType, Clone, Copy)]
struct Fields<'a> {
    rest: Option<&'a [u8]>,
}

#[routine]
impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.take()?;
        if let [b'"', inner @ ..] = rest {
            let mut end = 0;
            while end < inner.len() {
                if inner[end] == b'"' {
                    if inner.get(end + 1) != Some(&b'"') {
                        break;
                    }
                    end += 1;
                }
                end += 1;
            }
            let end = end.min(inner.len());
            let after = inner.get(end + 1..).unwrap_or_default();
            self.rest = after.strip_prefix(b",");
            return Some(Field {
                bytes: &inner[..end],
                quoted: true,
            });
        }
        let bytes = match rest.iter().position(|&b| b == b',') {
            Some(comma) => {
                self.rest = Some(&rest[comma + 1..]);
                &rest[..comma]
            }
            None => rest,
        };
        Some(Field { bytes, quoted: false })
    }
}

/// The records of a file: a line break within quotes does not end one.
#[derive(VmType, Clone, Copy)]
struct Records<'a> {
    rest: &'a [u8],
}

#[routine]
impl<'a> Records<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }
}

#[routine]
impl<'a> Iterator for Records<'a> {
    type Item = Fields<'a>;

    fn next(&mut self) -> Option<Fields<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let mut in_quotes = false;
        let end = self.rest.iter().position(|&b| {
            in_quotes ^= b == b'"';
            b == b'\n' && !in_quotes
        });
        let (line, rest) = match end {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, &[][..]),
        };
        self.rest = rest;
        Some(Fields {
            rest: Some(line.strip_suffix(b"\r").unwrap_or(line)),
        })
    }
}

#[routine]
fn sum_column(text: &[u8], name: &[u8]) -> Result<i64, CsvError> {
    let mut records = Records::new(text);
    let column = records
        .next()
        .and_then(|mut header| header.position(|field| field.is(name)))
        .ok_or(CsvError::NoSuchColumn)?;
    records
        .map(|mut fields| fields.nth(column).ok_or(CsvError::ShortRecord)?.cents())
        .sum()
}

/// The sum, in hundredths, of the column headed `name`; an error is `i64::MIN` and its number.
#[routine]
pub fn csv_sum(text: &[u8], name: &[u8]) -> i64 {
    match sum_column(text, name) {
        Ok(sum) => sum,
        Err(CsvError::NoSuchColumn) => i64::MIN,
        Err(CsvError::ShortRecord) => i64::MIN + 1,
        Err(CsvError::NotANumber) => i64::MIN + 2,
        Err(CsvError::TooLarge) => i64::MIN + 3,
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    pub records: u32,
    pub widest: u32,
    pub longest_text: u32,
}

#[routine]
pub fn csv_shape(text: &[u8]) -> Shape {
    Records::new(text).fold(Shape::default(), |shape, fields| Shape {
        records: shape.records + 1,
        widest: shape.widest.max(fields.count() as u32),
        longest_text: fields
            .map(|f| f.text_len() as u32)
            .max()
            .unwrap_or(0)
            .max(shape.longest_text),
    })
}

#[cfg(test)]
mod known {
    use super::*;

    const BILL: &[u8] =
        b"item,price,note\r\nbolt, 1.5,\"a \"\"small\"\", cheap one\"\r\nnut,0.25,\"two\nlines\"\r\nrefund,-3,\r\n";

    #[test]
    fn sums() {
        assert_eq!(csv_sum(BILL, b"price"), 150 + 25 - 300);
        assert_eq!(csv_sum(BILL, b"cost"), i64::MIN);
        assert_eq!(csv_sum(BILL, b"item"), i64::MIN + 2);
        assert_eq!(csv_sum(b"a,b\n1,2\n3\n", b"b"), i64::MIN + 1);
    }

    #[test]
    fn shapes() {
        assert_eq!(
            csv_shape(BILL),
            Shape {
                records: 4,
                widest: 3,
                longest_text: 20
            }
        );
        assert_eq!(csv_shape(b""), Shape::default());
    }
}
