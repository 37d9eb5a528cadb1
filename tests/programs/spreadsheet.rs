//! A sheet of formulas whose cells are computed when somebody asks for them, once each, and which notices circles.

use core::cell::{Cell, OnceCell};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub enum SheetError {
    Circle(u8),
    Syntax(u8),
    DivisionByZero,
}

type Outcome = Result<f64, SheetError>;

#[derive(VmType)]
struct Sheet<'a> {
    formulas: &'a str,
    values: [OnceCell<Outcome>; 8],
    busy: Cell<u8>,
    evaluations: Cell<u32>,
}

#[derive(VmType)]
struct Parser<'s, 'a> {
    sheet: &'s Sheet<'a>,
    rest: &'a [u8],
    row: u8,
}

#[routine]
impl<'a> Sheet<'a> {
    fn new(formulas: &'a str) -> Self {
        Sheet {
            formulas,
            values: [const { OnceCell::new() }; 8],
            busy: Cell::new(0),
            evaluations: Cell::new(0),
        }
    }

    /// The value of a row: `A` is the first.
    fn value(&self, row: u8) -> Outcome {
        let Some(slot) = self.values.get(row as usize) else {
            return Ok(0.0);
        };
        if self.busy.get() >> row & 1 == 1 {
            return Err(SheetError::Circle(row));
        }
        *slot.get_or_init(|| {
            self.busy.set(self.busy.get() | 1 << row);
            self.evaluations.set(self.evaluations.get() + 1);
            let formula = self.formulas.lines().nth(row.into()).unwrap_or("0");
            let mut parser = Parser {
                sheet: self,
                rest: formula.as_bytes(),
                row,
            };
            let value = parser.sum().and_then(|value| {
                if parser.rest.is_empty() {
                    Ok(value)
                } else {
                    parser.fail()
                }
            });
            self.busy.set(self.busy.get() & !(1 << row));
            value
        })
    }
}

#[routine]
impl<'a> Parser<'_, 'a> {
    fn fail<T>(&self) -> Result<T, SheetError> {
        Err(SheetError::Syntax(self.row))
    }

    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn eat(&mut self, wanted: u8) -> bool {
        let is_next = self.peek() == Some(wanted);
        if is_next {
            self.rest = &self.rest[1..];
        }
        is_next
    }

    fn sum(&mut self) -> Outcome {
        let mut value = self.product()?;
        loop {
            if self.eat(b'+') {
                value += self.product()?;
            } else if self.eat(b'-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Outcome {
        let mut value = self.atom()?;
        while let Some(sign @ (b'*' | b'/')) = self.peek() {
            self.rest = &self.rest[1..];
            let right = self.atom()?;
            value = match sign {
                b'*' => value * right,
                _ if right == 0.0 => return Err(SheetError::DivisionByZero),
                _ => value / right,
            };
        }
        Ok(value)
    }

    fn atom(&mut self) -> Outcome {
        match self.peek() {
            Some(letter @ b'A'..=b'H') => {
                self.rest = &self.rest[1..];
                self.sheet.value(letter - b'A')
            }
            Some(b'(') => {
                self.rest = &self.rest[1..];
                let value = self.sum()?;
                if self.eat(b')') { Ok(value) } else { self.fail() }
            }
            Some(b'0'..=b'9' | b'.') => {
                let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
                let len = self.rest.iter().take_while(|byte| is_part(byte)).count();
                let (number, rest) = self.rest.split_at(len);
                self.rest = rest;
                match core::str::from_utf8(number).ok().and_then(|text| text.parse().ok()) {
                    Some(value) => Ok(value),
                    None => self.fail(),
                }
            }
            _ => self.fail(),
        }
    }
}

/// The value of a row, and how many rows had to be computed for it.
#[routine]
pub fn sheet_value(formulas: &[u8], row: u8) -> (Result<f64, SheetError>, u32) {
    let sheet = Sheet::new(core::str::from_utf8(formulas).unwrap_or(""));
    let value = sheet.value(row);
    (value, sheet.evaluations.get())
}

pub fn known() {
    let sheet = b"1.5\nA * 2\n(A + B) * B\nC / (A - 1.5)\nF + 1\nE\n2 +";
    assert_eq!(sheet_value(sheet, 0), (Ok(1.5), 1));
    assert_eq!(sheet_value(sheet, 2), (Ok(13.5), 3));
    assert_eq!(sheet_value(sheet, 3), (Err(SheetError::DivisionByZero), 4));
    assert_eq!(sheet_value(sheet, 4), (Err(SheetError::Circle(4)), 2));
    assert_eq!(sheet_value(sheet, 6), (Err(SheetError::Syntax(6)), 1));
    assert_eq!(sheet_value(sheet, 7), (Ok(0.0), 1));
}
