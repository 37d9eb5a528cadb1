//! A reader of configuration files: lines of `key = value` in sections, with lists, numbers and durations, and mistakes that tell their place.

use core::fmt::{self, Display, Write};
use core::num::ParseIntError;
use core::str::FromStr;
use core::time::Duration;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    NoText,
    NoEquals,
    UnknownKey,
    UnknownSection,
    Number,
    Unit(char),
    TooMany { limit: u8 },
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mistake {
    line: u32,
    column: u32,
    problem: Problem,
}

#[routine]
impl From<ParseIntError> for Problem {
    fn from(_: ParseIntError) -> Self {
        Self::Number
    }
}

#[routine]
impl Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        match self.problem {
            Problem::NoText => f.write_str("not UTF-8"),
            Problem::Unit(unit) => write!(f, "`{unit}` is no unit"),
            Problem::TooMany { limit } => write!(f, "more than {limit}"),
            other => write!(f, "{other:?}"),
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'a> {
    Section(&'a str),
    Entry { key: &'a str, value: &'a str, column: u32 },
}

/// The lines that say something, with their numbers.
#[derive(VmType)]
struct Lines<'a> {
    rest: core::iter::Enumerate<core::str::Lines<'a>>,
}

#[routine]
impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            rest: text.lines().enumerate(),
        }
    }
}

#[routine]
impl<'a> Iterator for Lines<'a> {
    type Item = Result<(u32, Line<'a>), Mistake>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (number, text) = self.rest.next()?;
            let line = number as u32 + 1;
            let text = text.split_once('#').map_or(text, |(before, _)| before);
            let trimmed = text.trim();
            if trimmed.is_empty() {
                continue;
            }
            if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                return Some(Ok((line, Line::Section(name.trim()))));
            }
            let column = (text.len() - text.trim_start().len()) as u32 + 1;
            let entry = text.split_once('=').ok_or(Mistake {
                line,
                column,
                problem: Problem::NoEquals,
            });
            return Some(entry.map(|(key, value)| {
                let column = (key.len() + 1 + value.len() - value.trim_start().len()) as u32 + 1;
                (
                    line,
                    Line::Entry {
                        key: key.trim(),
                        value: value.trim(),
                        column,
                    },
                )
            }));
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Span(Duration);

#[routine]
impl FromStr for Span {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let number: u64 = number.parse()?;
        let span = match unit.trim_start() {
            "" | "s" => Duration::from_secs(number),
            "ms" => Duration::from_millis(number),
            "min" => Duration::from_secs(number.checked_mul(60).ok_or(Problem::Number)?),
            other => return Err(other.chars().next().map_or(Problem::Number, Problem::Unit)),
        };
        Ok(Span(span))
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Default)]
pub struct Settings {
    threads: Option<u16>,
    verbose: bool,
    timeout: Duration,
    ports: [u16; 4],
    open: u8,
}

#[routine]
impl Settings {
    fn set(&mut self, section: Option<&str>, key: &str, value: &str) -> Result<(), Problem> {
        match (section, key) {
            (None, "threads") => self.threads = Some(value.parse()?),
            (None, "verbose") => self.verbose = matches!(value, "yes" | "true" | "1"),
            (Some("net"), "timeout") => self.timeout = value.parse::<Span>()?.0,
            (Some("net"), "ports") => {
                for port in value.split(',').map(str::trim).filter(|port| !port.is_empty()) {
                    let limit = self.ports.len() as u8;
                    let slot = self
                        .ports
                        .get_mut(usize::from(self.open))
                        .ok_or(Problem::TooMany { limit })?;
                    *slot = match port.strip_prefix("0x") {
                        Some(hex) => u16::from_str_radix(hex, 16)?,
                        None => port.parse()?,
                    };
                    self.open += 1;
                }
            }
            (None | Some("net"), _) => return Err(Problem::UnknownKey),
            (Some(_), _) => return Err(Problem::UnknownSection),
        }
        Ok(())
    }
}

#[routine]
pub fn read_settings(file: &[u8]) -> Result<Settings, Mistake> {
    let text = str::from_utf8(file).map_err(|_| Mistake {
        line: 0,
        column: 0,
        problem: Problem::NoText,
    })?;
    let (mut settings, mut section) = (Settings::default(), None);
    for line in Lines::new(text) {
        match line? {
            (_, Line::Section(name)) => section = Some(name),
            (line, Line::Entry { key, value, column }) => settings
                .set(section, key, value)
                .map_err(|problem| Mistake { line, column, problem })?,
        }
    }
    Ok(settings)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    bytes: [u8; 40],
    length: u8,
}

#[routine]
impl Write for Message {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let start = usize::from(self.length);
        let room = self.bytes.get_mut(start..start + text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length += text.len() as u8;
        Ok(())
    }
}

#[routine]
pub fn explain_settings(file: &[u8]) -> Message {
    let mut message = Message {
        bytes: [b' '; 40],
        length: 0,
    };
    let written = match read_settings(file) {
        Ok(settings) => write!(message, "{:?} {:?}", settings.threads, settings.timeout),
        Err(mistake) => write!(message, "{mistake}"),
    };
    if written.is_err() {
        message.length = u8::MAX;
    }
    message
}

#[cfg(test)]
mod known {
    use super::*;
    #[test]
    fn all() {
        let file = b"threads = 8 # as many as cores\nverbose=yes\n\n[net]\n timeout = 1500ms\nports = 80, 0x1f90,\n";
        let settings = Settings {
            threads: Some(8),
            verbose: true,
            timeout: Duration::from_millis(1500),
            ports: [80, 8080, 0, 0],
            open: 2,
        };
        assert_eq!(read_settings(file), Ok(settings));
        let problem =
            |file: &[u8]| read_settings(file).map_err(|mistake| (mistake.line, mistake.column, mistake.problem));
        assert_eq!(problem(b"\nthreads = many"), Err((2, 11, Problem::Number)));
        assert_eq!(problem(b"  what"), Err((1, 3, Problem::NoEquals)));
        assert_eq!(problem(b"[net]\ntimeout=3h"), Err((2, 9, Problem::Unit('h'))));
        assert_eq!(
            problem(b"[net]\nports=1,2,3,4,5"),
            Err((2, 7, Problem::TooMany { limit: 4 }))
        );
        let message = explain_settings(file);
        assert_eq!(&message.bytes[..message.length.into()], b"Some(8) 1.5s");
        let message = explain_settings(b"[disk]\nsize = 3");
        assert_eq!(&message.bytes[..message.length.into()], b"2:8: UnknownSection");
    }
}
