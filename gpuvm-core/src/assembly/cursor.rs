//! Reads the parts of one line of text.

/// A place in a line, with what is left of it.
pub struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub fn new(line: &'a str) -> Cursor<'a> {
        Cursor {
            rest: line.trim_start(),
        }
    }

    /// Whether only a comment is left.
    pub fn at_end(&self) -> bool {
        self.rest.is_empty() || self.rest.starts_with(';')
    }

    /// Whether a text in quotes comes next.
    pub fn is_at_text(&self) -> bool {
        self.rest.starts_with('"')
    }

    /// What is left, shortened for messages.
    pub fn found(&self) -> String {
        if self.at_end() {
            return "the end of the line".to_string();
        }
        format!("`{}`", self.rest.split_whitespace().next().unwrap_or_default())
    }

    /// Takes the text if it comes next.
    pub fn eat(&mut self, text: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(text) else {
            return false;
        };
        self.rest = rest.trim_start();
        true
    }

    /// Takes the text or says that it is missing.
    pub fn expect(&mut self, text: &str) -> Result<(), String> {
        if self.eat(text) {
            Ok(())
        } else {
            Err(format!("expected `{text}`, found {}", self.found()))
        }
    }

    /// Takes the end of the line or says what is in its place.
    pub fn expect_end(&self) -> Result<(), String> {
        if self.at_end() {
            Ok(())
        } else {
            Err(format!("expected the end of the line, found {}", self.found()))
        }
    }

    /// Takes a name: letters, digits and `_`.
    pub fn name(&mut self) -> Result<&'a str, String> {
        let end = self
            .rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(self.rest.len());
        if end == 0 {
            return Err(format!("expected a name, found {}", self.found()));
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        Ok(name)
    }

    /// Takes a number, decimal or `0x…`, perhaps with a `-`.
    pub fn integer(&mut self) -> Result<i128, String> {
        let expected = format!("expected a number, found {}", self.found());
        let negative = self.eat("-");
        let name = self.name().map_err(|_| expected.clone())?;
        let value = match name.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => name.parse(),
        };
        let value = value.map_err(|_| expected)?;
        Ok(if negative { -value } else { value })
    }

    /// Takes a number of 32 bits; negative ones are taken mod 2³².
    pub fn number(&mut self) -> Result<u32, String> {
        let value = self.integer()?;
        match (u32::try_from(value), i32::try_from(value)) {
            (Ok(value), _) => Ok(value),
            (_, Ok(value)) => Ok(value as u32),
            _ => Err(format!("{value} does not fit 32 bits")),
        }
    }

    /// Takes the numbers of 32 bits that are left.
    pub fn numbers(&mut self, to: &mut Vec<u32>) -> Result<(), String> {
        while !self.at_end() {
            to.push(self.number()?);
        }
        Ok(())
    }

    /// Takes a text in quotes, with Rust's escapes.
    pub fn text(&mut self) -> Result<String, String> {
        if !self.is_at_text() {
            return Err(format!("expected a text in quotes, found {}", self.found()));
        }
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            let c = match c {
                '"' => {
                    self.rest = self.rest[at + 1..].trim_start();
                    return Ok(text);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some('t') => '\t',
                    Some('u') => {
                        let code: String = chars
                            .by_ref()
                            .map(|(_, c)| c)
                            .skip(1)
                            .take_while(|c| *c != '}')
                            .collect();
                        u32::from_str_radix(&code, 16)
                            .ok()
                            .and_then(char::from_u32)
                            .ok_or_else(|| format!("`\\u{{{code}}}` is no character"))?
                    }
                    Some(c) => c,
                    None => break,
                },
                c => c,
            };
            text.push(c);
        }
        Err("the text has no closing quote".to_string())
    }
}
