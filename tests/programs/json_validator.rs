//! A JSON validator (RFC 8259): recursive descent over bytes, with the place and kind of the first error.

use gpuvm::prelude::*;

const MAX_DEPTH: u32 = 32;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonError {
    UnexpectedEnd,
    UnexpectedByte(u8),
    BadEscape,
    BadNumber,
    ControlInString,
    TooDeep,
    TrailingBytes,
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub objects: u32,
    pub arrays: u32,
    pub strings: u32,
    pub numbers: u32,
    pub literals: u32,
    pub deepest: u32,
}

#[derive(VmType, Clone, Copy)]
struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    counts: Counts,
}

#[routine]
impl<'a> Parser<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            at: 0,
            counts: Counts::default(),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn bump(&mut self) -> Result<u8, JsonError> {
        let byte = self.peek().ok_or(JsonError::UnexpectedEnd)?;
        self.at += 1;
        Ok(byte)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), JsonError> {
        match self.peek() {
            Some(b) if b == byte => {
                self.at += 1;
                Ok(())
            }
            Some(other) => Err(JsonError::UnexpectedByte(other)),
            None => Err(JsonError::UnexpectedEnd),
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn document(&mut self) -> Result<(), JsonError> {
        self.value(1)?;
        if self.at < self.text.len() {
            Err(JsonError::TrailingBytes)
        } else {
            Ok(())
        }
    }

    fn value(&mut self, depth: u32) -> Result<(), JsonError> {
        self.skip_space();
        match self.peek().ok_or(JsonError::UnexpectedEnd)? {
            b'{' => self.object(depth)?,
            b'[' => self.array(depth)?,
            b'"' => self.string()?,
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.literal(b"true")?,
            b'f' => self.literal(b"false")?,
            b'n' => self.literal(b"null")?,
            other => return Err(JsonError::UnexpectedByte(other)),
        }
        self.skip_space();
        Ok(())
    }

    fn enter(&mut self, depth: u32) -> Result<(), JsonError> {
        if depth > MAX_DEPTH {
            return Err(JsonError::TooDeep);
        }
        self.counts.deepest = self.counts.deepest.max(depth);
        Ok(())
    }

    fn object(&mut self, depth: u32) -> Result<(), JsonError> {
        self.enter(depth)?;
        self.expect(b'{')?;
        self.counts.objects += 1;
        self.skip_space();
        if self.eat(b'}') {
            return Ok(());
        }
        loop {
            self.skip_space();
            self.string()?;
            self.skip_space();
            self.expect(b':')?;
            self.value(depth + 1)?;
            if !self.eat(b',') {
                return self.expect(b'}');
            }
        }
    }

    fn array(&mut self, depth: u32) -> Result<(), JsonError> {
        self.enter(depth)?;
        self.expect(b'[')?;
        self.counts.arrays += 1;
        self.skip_space();
        if self.eat(b']') {
            return Ok(());
        }
        loop {
            self.value(depth + 1)?;
            if !self.eat(b',') {
                return self.expect(b']');
            }
        }
    }

    fn string(&mut self) -> Result<(), JsonError> {
        self.expect(b'"')?;
        self.counts.strings += 1;
        loop {
            match self.bump()? {
                b'"' => return Ok(()),
                b'\\' => self.escape()?,
                0..=0x1f => return Err(JsonError::ControlInString),
                _ => {}
            }
        }
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        match self.bump()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(()),
            b'u' => {
                let first = self.hex4()?;
                match first {
                    // A high surrogate must be followed by a low one.
                    0xd800..=0xdbff => {
                        if !(self.eat(b'\\') && self.eat(b'u')) {
                            return Err(JsonError::BadEscape);
                        }
                        let second = self.hex4()?;
                        if (0xdc00..=0xdfff).contains(&second) {
                            Ok(())
                        } else {
                            Err(JsonError::BadEscape)
                        }
                    }
                    0xdc00..=0xdfff => Err(JsonError::BadEscape),
                    _ => Ok(()),
                }
            }
            _ => Err(JsonError::BadEscape),
        }
    }

    fn hex4(&mut self) -> Result<u16, JsonError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = match self.bump()? {
                c @ b'0'..=b'9' => c - b'0',
                c @ b'a'..=b'f' => c - b'a' + 10,
                c @ b'A'..=b'F' => c - b'A' + 10,
                _ => return Err(JsonError::BadEscape),
            };
            unit = unit << 4 | u16::from(digit);
        }
        Ok(unit)
    }

    fn digits(&mut self) -> Result<usize, JsonError> {
        let count = self.text[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += count;
        if count == 0 {
            Err(JsonError::BadNumber)
        } else {
            Ok(count)
        }
    }

    fn number(&mut self) -> Result<(), JsonError> {
        self.counts.numbers += 1;
        self.eat(b'-');
        let leading_zero = self.peek() == Some(b'0');
        if self.digits()? > 1 && leading_zero {
            return Err(JsonError::BadNumber);
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if !self.eat(b'+') {
                self.eat(b'-');
            }
            self.digits()?;
        }
        Ok(())
    }

    fn literal(&mut self, word: &[u8]) -> Result<(), JsonError> {
        self.counts.literals += 1;
        for &byte in word {
            self.expect(byte)?;
        }
        Ok(())
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// 0 where the text is valid.
    pub error: u8,
    pub at: u32,
    pub counts: Counts,
}

/// Whether `text` is one JSON value, and what is in it.
#[routine]
pub fn json_validate(text: &[u8]) -> Verdict {
    let mut parser = Parser::new(text);
    let error = match parser.document() {
        Ok(()) => 0,
        Err(JsonError::UnexpectedEnd) => 1,
        Err(JsonError::UnexpectedByte(_)) => 2,
        Err(JsonError::BadEscape) => 3,
        Err(JsonError::BadNumber) => 4,
        Err(JsonError::ControlInString) => 5,
        Err(JsonError::TooDeep) => 6,
        Err(JsonError::TrailingBytes) => 7,
    };
    Verdict {
        error,
        at: parser.at as u32,
        counts: parser.counts,
    }
}

/// Whether the first `len` bytes of `text` are valid JSON on their own.
#[routine]
pub fn json_prefix_valid(text: &[u8], len: u32) -> bool {
    text.get(..len as usize)
        .is_some_and(|prefix| Parser::new(prefix).document().is_ok())
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn valid() {
        let verdict = json_validate(br#" {"a": [1, -2.5e+3, {"b\u0041": null}], "c": true, "d": "\ud83d\ude00"} "#);
        assert_eq!(verdict.error, 0);
        let expected = Counts {
            objects: 2,
            arrays: 1,
            strings: 5,
            numbers: 2,
            literals: 2,
            deepest: 3,
        };
        assert_eq!(verdict.counts, expected);
        assert!(json_prefix_valid(b"123]", 3));
    }

    #[test]
    fn invalid() {
        let error = |text: &[u8]| (json_validate(text).error, json_validate(text).at);
        assert_eq!(error(b"[1, 2"), (1, 5));
        assert_eq!(error(b"[1, ]"), (2, 4));
        assert_eq!(error(b"01"), (4, 2));
        assert_eq!(error(br#""\ud83d""#), (3, 7));
        assert_eq!(error(b"\"a\nb\""), (5, 3));
        assert_eq!(error(b"{} x"), (7, 3));
        assert_eq!(error(&[b'['; 40]), (6, 32));
    }
}
