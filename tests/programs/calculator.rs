//! An arithmetic calculator: an iterator of tokens, and a recursive-descent evaluator with checked `i64` arithmetic.

use core::iter::Peekable;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Number(i64),
    Op(Op),
    Open,
    Close,
    Unknown(u8),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum MathError {
    Overflow,
    DivisionByZero,
    NegativeExponent,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum CalcError {
    Math(MathError),
    UnexpectedEnd,
    UnexpectedToken,
    UnknownByte(u8),
}

#[routine]
impl From<MathError> for CalcError {
    fn from(error: MathError) -> Self {
        Self::Math(error)
    }
}

#[derive(VmType, Clone, Copy)]
struct Tokens<'a> {
    rest: &'a [u8],
}

#[routine]
impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        while let [b' ' | b'\t', rest @ ..] = self.rest {
            self.rest = rest;
        }
        let (&first, rest) = self.rest.split_first()?;
        if first.is_ascii_digit() {
            let len = self
                .rest
                .iter()
                .position(|b| !b.is_ascii_digit())
                .unwrap_or(self.rest.len());
            let (digits, rest) = self.rest.split_at(len);
            self.rest = rest;
            let number = digits.iter().fold(0i64, |number, digit| {
                number.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
            });
            return Some(Token::Number(number));
        }
        self.rest = rest;
        Some(match first {
            b'+' => Token::Op(Op::Add),
            b'-' => Token::Op(Op::Sub),
            b'*' => Token::Op(Op::Mul),
            b'/' => Token::Op(Op::Div),
            b'%' => Token::Op(Op::Rem),
            b'^' => Token::Op(Op::Pow),
            b'(' => Token::Open,
            b')' => Token::Close,
            other => Token::Unknown(other),
        })
    }
}

#[routine]
impl Op {
    fn apply(self, left: i64, right: i64) -> Result<i64, MathError> {
        let result = match self {
            Op::Add => left.checked_add(right),
            Op::Sub => left.checked_sub(right),
            Op::Mul => left.checked_mul(right),
            Op::Div | Op::Rem if right == 0 => return Err(MathError::DivisionByZero),
            Op::Div => left.checked_div(right),
            Op::Rem => left.checked_rem(right),
            Op::Pow => {
                let exponent = u32::try_from(right).map_err(|_| MathError::NegativeExponent)?;
                left.checked_pow(exponent)
            }
        };
        result.ok_or(MathError::Overflow)
    }
}

#[derive(VmType, Clone)]
struct Evaluator<'a> {
    tokens: Peekable<Tokens<'a>>,
}

#[routine]
impl<'a> Evaluator<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self {
            tokens: Tokens { rest: text }.peekable(),
        }
    }

    /// sum := product (('+' | '-') product)*
    fn sum(&mut self) -> Result<i64, CalcError> {
        let mut value = self.product()?;
        while let Some(&Token::Op(op @ (Op::Add | Op::Sub))) = self.tokens.peek() {
            self.tokens.next();
            value = op.apply(value, self.product()?)?;
        }
        Ok(value)
    }

    /// product := unary (('*' | '/' | '%') unary)*
    fn product(&mut self) -> Result<i64, CalcError> {
        let mut value = self.unary()?;
        while let Some(&Token::Op(op @ (Op::Mul | Op::Div | Op::Rem))) = self.tokens.peek() {
            self.tokens.next();
            value = op.apply(value, self.unary()?)?;
        }
        Ok(value)
    }

    /// unary := '-' unary | atom ('^' unary)?
    fn unary(&mut self) -> Result<i64, CalcError> {
        if self.tokens.next_if_eq(&Token::Op(Op::Sub)).is_some() {
            return Ok(self.unary()?.checked_neg().ok_or(MathError::Overflow)?);
        }
        let base = self.atom()?;
        if self.tokens.next_if_eq(&Token::Op(Op::Pow)).is_none() {
            return Ok(base);
        }
        Ok(Op::Pow.apply(base, self.unary()?)?)
    }

    fn atom(&mut self) -> Result<i64, CalcError> {
        match self.tokens.next().ok_or(CalcError::UnexpectedEnd)? {
            Token::Number(number) => Ok(number),
            Token::Open => {
                let value = self.sum()?;
                match self.tokens.next() {
                    Some(Token::Close) => Ok(value),
                    Some(_) => Err(CalcError::UnexpectedToken),
                    None => Err(CalcError::UnexpectedEnd),
                }
            }
            Token::Unknown(byte) => Err(CalcError::UnknownByte(byte)),
            Token::Close | Token::Op(_) => Err(CalcError::UnexpectedToken),
        }
    }
}

#[routine]
fn calculate(text: &[u8]) -> Result<i64, CalcError> {
    let mut evaluator = Evaluator::new(text);
    let value = evaluator.sum()?;
    match evaluator.tokens.next() {
        None => Ok(value),
        Some(Token::Unknown(byte)) => Err(CalcError::UnknownByte(byte)),
        Some(_) => Err(CalcError::UnexpectedToken),
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub value: i64,
    /// 0 where there is a value.
    pub error: u32,
}

/// The value of the `line`-th line of `text`.
#[routine]
pub fn calculate_line(text: &[u8], line: u32) -> Answer {
    let Some(line) = text.split(|&b| b == b'\n').nth(line as usize) else {
        return Answer { value: 0, error: 1 };
    };
    let error = match calculate(line) {
        Ok(value) => return Answer { value, error: 0 },
        Err(CalcError::UnexpectedEnd) => 2,
        Err(CalcError::UnexpectedToken) => 3,
        Err(CalcError::Math(MathError::Overflow)) => 4,
        Err(CalcError::Math(MathError::DivisionByZero)) => 5,
        Err(CalcError::Math(MathError::NegativeExponent)) => 6,
        Err(CalcError::UnknownByte(byte)) => 0x100 | u32::from(byte),
    };
    Answer { value: 0, error }
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(calculate(b"1 + 2 * 3"), Ok(7));
        assert_eq!(calculate(b"(1 + 2) * -3 ^ 2"), Ok(-27));
        assert_eq!(calculate(b"2 ^ 3 ^ 2 - 7 % 4"), Ok(509));
        assert_eq!(calculate_line(b"1\n10/3\n", 1), Answer { value: 3, error: 0 });
    }

    #[test]
    fn errors() {
        assert_eq!(
            calculate(b"1 / (2 - 2)"),
            Err(CalcError::Math(MathError::DivisionByZero))
        );
        assert_eq!(calculate(b"2 ^ 63"), Err(CalcError::Math(MathError::Overflow)));
        assert_eq!(calculate(b"(1"), Err(CalcError::UnexpectedEnd));
        assert_eq!(calculate(b"1 $ 2"), Err(CalcError::UnknownByte(b'$')));
        assert_eq!(calculate_line(b"1 2", 0).error, 3);
    }
}
