//! How a text shows a value: what stands behind the colon of `{:08.3}`. The macro reads it to refuse what it cannot keep, and the host to
//! put the text together.

/// The options of a placeholder, by the grammar of `std::fmt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatSpec {
    /// What fills up to the width.
    pub fill: char,
    /// Where the value stands in its width; `None` is left to the type.
    pub align: Option<Align>,
    /// `+`
    pub plus: bool,
    /// `#`
    pub alternate: bool,
    /// `0`
    pub zero: bool,
    /// The least number of characters.
    pub width: Option<usize>,
    /// Digits behind the point.
    pub precision: Option<usize>,
    /// The trait that shows the value.
    pub style: Style,
}

/// Where a value stands in its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// `<`
    Left,
    /// `^`
    Centre,
    /// `>`
    Right,
}

/// The trait that shows a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as in std::fmt")]
pub enum Style {
    Display,
    Debug,
    DebugLowerHex,
    DebugUpperHex,
    LowerHex,
    UpperHex,
    Binary,
    Octal,
    LowerExp,
    UpperExp,
}

impl Style {
    /// Whether it shows values of any type.
    pub const fn is_debug(self) -> bool {
        matches!(self, Style::Debug | Style::DebugLowerHex | Style::DebugUpperHex)
    }
}

impl FormatSpec {
    /// `{}`
    pub const DISPLAY: FormatSpec = FormatSpec {
        fill: ' ',
        align: None,
        plus: false,
        alternate: false,
        zero: false,
        width: None,
        precision: None,
        style: Style::Display,
    };

    /// What stands behind the colon. `None` if it is no such thing, or names a width or precision that is a value itself.
    pub fn parse(text: &str) -> Option<FormatSpec> {
        let mut format = FormatSpec::DISPLAY;
        let mut rest = text.trim_end();
        let mut chars = rest.chars();
        let (first, second) = (chars.next(), chars.next());
        if let (Some(fill), Some(align)) = (first, second.and_then(align_of)) {
            (format.fill, format.align) = (fill, Some(align));
            rest = chars.as_str();
        } else if let Some(align) = first.and_then(align_of) {
            format.align = Some(align);
            rest = &rest[1..];
        }
        if let Some(after) = rest.strip_prefix('+') {
            (format.plus, rest) = (true, after);
        }
        if let Some(after) = rest.strip_prefix('#') {
            (format.alternate, rest) = (true, after);
        }
        if let Some(after) = rest.strip_prefix('0') {
            (format.zero, rest) = (true, after);
        }
        (format.width, rest) = number(rest)?;
        if let Some(after) = rest.strip_prefix('.') {
            (format.precision, rest) = number(after)?;
            format.precision?;
        }
        format.style = match rest {
            "" => Style::Display,
            "?" => Style::Debug,
            "x?" => Style::DebugLowerHex,
            "X?" => Style::DebugUpperHex,
            "x" => Style::LowerHex,
            "X" => Style::UpperHex,
            "b" => Style::Binary,
            "o" => Style::Octal,
            "e" => Style::LowerExp,
            "E" => Style::UpperExp,
            _ => return None,
        };
        Some(format)
    }
}

/// How important a printed line is; `println!` prints at [`Level::Info`], `eprintln!` at [`Level::Warn`], `dbg!` at [`Level::Debug`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "named as in tracing")]
pub enum Level {
    Error = 1,
    Warn = 2,
    Info = 3,
    Debug = 4,
    Trace = 5,
}

impl Level {
    /// All of them, the most important first.
    pub const ALL: [Level; 5] = [Level::Error, Level::Warn, Level::Info, Level::Debug, Level::Trace];

    /// Its name in small letters.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
            Level::Trace => "trace",
        }
    }
}

fn align_of(sign: char) -> Option<Align> {
    match sign {
        '<' => Some(Align::Left),
        '^' => Some(Align::Centre),
        '>' => Some(Align::Right),
        _ => None,
    }
}

/// The number at the start of a text, if there is one, and the rest. `None` if it is too large or a `$` follows.
fn number(text: &str) -> Option<(Option<usize>, &str)> {
    let end = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    match digits {
        _ if rest.starts_with('$') => None,
        "" => Some((None, rest)),
        _ => Some((Some(digits.parse::<u16>().ok()?.into()), rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_read() {
        let format = FormatSpec::parse("*^+#08.3x?").unwrap();
        assert_eq!((format.fill, format.align), ('*', Some(Align::Centre)));
        assert!(format.plus && format.alternate && format.zero);
        assert_eq!((format.width, format.precision), (Some(8), Some(3)));
        assert_eq!(format.style, Style::DebugLowerHex);
        assert_eq!(FormatSpec::parse(""), Some(FormatSpec::DISPLAY));
        assert_eq!(FormatSpec::parse(">>5").unwrap().fill, '>');
        for wrong in ["y", "width$", "5$", ".*", ".", "99999", "p"] {
            assert_eq!(FormatSpec::parse(wrong), None, "{wrong}");
        }
    }
}
