//! A tokenizer with lifetimes for a small language, and what is counted of its tokens.

use core::fmt::{self, Debug, Write};
use core::str;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Name(&'t str),
    Number(u64),
    Text { raw: &'t str, escapes: usize },
    Symbol(char),
    Keyword(Keyword),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keyword {
    Let,
    If,
    Else,
    While,
}

#[routine]
impl Keyword {
    const ALL: [(&'static str, Keyword); 4] = [
        ("let", Keyword::Let),
        ("if", Keyword::If),
        ("else", Keyword::Else),
        ("while", Keyword::While),
    ];

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, keyword)| keyword)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexError {
    Unclosed { line: u32 },
    Number { line: u32 },
    Unknown { line: u32, byte: u8 },
    NoText,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Located<T> {
    line: u32,
    token: T,
}

#[derive(VmType, Clone, Debug)]
struct Lexer<'t> {
    rest: &'t str,
    line: u32,
}

#[routine]
impl<'t> Lexer<'t> {
    const fn new(text: &'t str) -> Self {
        Self { rest: text, line: 1 }
    }

    fn take_while<P>(&mut self, accept: P) -> &'t str
    where
        P: Fn(char) -> bool,
    {
        let end = self.rest.find(|c: char| !accept(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn skip_blanks(&mut self) {
        loop {
            let blanks = self.take_while(char::is_whitespace);
            self.line += blanks.matches('\n').count() as u32;
            match self.rest.strip_prefix("//") {
                Some(_) => {
                    self.take_while(|c| c != '\n');
                }
                None => break,
            }
        }
    }

    fn text(&mut self) -> Result<Token<'t>, LexError> {
        let line = self.line;
        let body = &self.rest[1..];
        let mut escapes = 0;
        let mut chars = body.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &body[at + 1..];
                    return Ok(Token::Text {
                        raw: &body[..at],
                        escapes,
                    });
                }
                '\\' => {
                    escapes += 1;
                    chars.next();
                }
                '\n' => self.line += 1,
                _ => {}
            }
        }
        Err(LexError::Unclosed { line })
    }
}

#[routine]
impl<'t> Iterator for Lexer<'t> {
    type Item = Result<Located<Token<'t>>, LexError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_blanks();
        let line = self.line;
        let first = self.rest.chars().next()?;
        let token = match first {
            'a'..='z' | 'A'..='Z' | '_' => {
                let name = self.take_while(|c| c.is_alphanumeric() || c == '_');
                Keyword::from_name(name).map_or(Token::Name(name), Token::Keyword)
            }
            '0'..='9' => match self.take_while(|c| c.is_ascii_digit()).parse() {
                Ok(number) => Token::Number(number),
                Err(_) => return Some(Err(LexError::Number { line })),
            },
            '"' => match self.text() {
                Ok(token) => token,
                Err(error) => {
                    self.rest = "";
                    return Some(Err(error));
                }
            },
            '+' | '-' | '*' | '/' | '=' | '(' | ')' | '{' | '}' | ';' | '<' => {
                self.rest = &self.rest[first.len_utf8()..];
                Token::Symbol(first)
            }
            other => {
                self.rest = &self.rest[other.len_utf8()..];
                return Some(Err(LexError::Unknown {
                    line,
                    byte: other as u32 as u8,
                }));
            }
        };
        Some(Ok(Located { line, token }))
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    pub names: u32,
    pub longest: u32,
    pub numbers: u64,
    pub escapes: u32,
    pub depth: i32,
    pub keywords: [u32; 4],
    pub lines: u32,
}

#[routine]
pub fn count_tokens(source: &[u8]) -> Result<Census, LexError> {
    let source = str::from_utf8(source).map_err(|_| LexError::NoText)?;
    let mut census = Census::default();
    for located in Lexer::new(source) {
        let Located { line, token } = located?;
        census.lines = census.lines.max(line);
        match token {
            Token::Name(name) => {
                census.names += 1;
                census.longest = census.longest.max(name.len() as u32);
            }
            Token::Number(number) => census.numbers = census.numbers.saturating_add(number),
            Token::Text { escapes, .. } => census.escapes += escapes as u32,
            Token::Symbol('{') => census.depth += 1,
            Token::Symbol('}') => census.depth -= 1,
            Token::Symbol(_) => {}
            Token::Keyword(keyword) => census.keywords[keyword as usize] += 1,
        }
    }
    Ok(census)
}

/// Writes as much as there is room for.
#[derive(VmType, Clone, Copy, Debug)]
pub struct Short<const N: usize> {
    pub bytes: [u8; N],
    pub used: usize,
}

#[routine]
impl<const N: usize> Write for Short<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = &mut self.bytes[self.used..];
        let count = text.len().min(room.len());
        room[..count].copy_from_slice(&text.as_bytes()[..count]);
        self.used += count;
        if count < text.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

/// The tokens as `{:?}` shows them, as far as there is room.
#[routine]
pub fn show_tokens(source: &[u8]) -> Short<100> {
    let mut short = Short {
        bytes: [b' '; 100],
        used: 0,
    };
    let source = str::from_utf8(source).unwrap_or_default();
    for token in Lexer::new(source).flatten().map(|located| located.token) {
        if write!(short, "{token:?};").is_err() {
            break;
        }
    }
    short
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn counts() {
        let census = count_tokens(b"let x_1 = 20 + y; // no\nwhile x { if \"a\\\"b\" { 7 } else {").unwrap();
        assert_eq!(
            (census.names, census.longest, census.numbers, census.escapes),
            (3, 3, 27, 1)
        );
        assert_eq!((census.depth, census.keywords, census.lines), (2, [1, 1, 1, 1], 2));
        assert_eq!(count_tokens(b"\n\n\"open"), Err(LexError::Unclosed { line: 3 }));
        assert_eq!(count_tokens(b"a # b"), Err(LexError::Unknown { line: 1, byte: b'#' }));
        assert_eq!(count_tokens(b"99999999999999999999"), Err(LexError::Number { line: 1 }));
    }

    #[test]
    fn shows() {
        let short = show_tokens(b"if a<10");
        assert_eq!(
            &short.bytes[..short.used],
            br#"Keyword(If);Name("a");Symbol('<');Number(10);"#
        );
    }
}
