//! How a text shows a value: what stands behind the colon of `{:08.3}`. The macro reads it to refuse what is none, and the host to put the text
//! together.

/// What a value is to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// It is shown.
    Value(FormatSpec),
    /// It is the width of the next one that is shown, as `w` is in `{x:w$}`: `$`.
    Width,
    /// It is the precision of the next one that is shown, as `p` is in `{x:.p$}`: `.$`.
    Precision,
}

impl Placeholder {
    /// The format of a width.
    pub const WIDTH: &'static str = "$";
    /// The format of a precision.
    pub const PRECISION: &'static str = ".$";

    /// Reads a format. `None` if it is none.
    pub fn parse(text: &str) -> Option<Placeholder> {
        match text {
            Placeholder::WIDTH => Some(Placeholder::Width),
            Placeholder::PRECISION => Some(Placeholder::Precision),
            text => FormatSpec::parse(text).map(Placeholder::Value),
        }
    }
}

/// Whether a format is that of a width or a precision.
pub const fn is_count(format: &str) -> bool {
    matches!(format.as_bytes(), b"$" | b".$")
}

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
        match FormatSpec::parse_counts(text)? {
            (format, None, None) => Some(format),
            _ => None,
        }
    }

    /// The same with a width and a precision that may be values themselves.
    pub fn parse_counts(text: &str) -> Option<(FormatSpec, Option<Count<'_>>, Option<Count<'_>>)> {
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
        if let Some(after) = rest.strip_prefix('0').filter(|after| !after.starts_with('$')) {
            (format.zero, rest) = (true, after);
        }
        let (width, mut precision);
        (width, rest) = argument(rest);
        if width.is_none() {
            (format.width, rest) = number(rest)?;
        }
        precision = None;
        if let Some(after) = rest.strip_prefix(".*") {
            (precision, rest) = (Some(Count::Next), after);
        } else if let Some(after) = rest.strip_prefix('.') {
            (precision, rest) = argument(after);
            if precision.is_none() {
                (format.precision, rest) = number(after)?;
                format.precision?;
            }
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
        Some((format, width, precision))
    }
}

/// As it stands behind the colon.
impl std::fmt::Display for FormatSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(align) = self.align {
            let sign = match align {
                Align::Left => '<',
                Align::Centre => '^',
                Align::Right => '>',
            };
            write!(f, "{}{sign}", self.fill)?;
        }
        let flags = [(self.plus, "+"), (self.alternate, "#"), (self.zero, "0")];
        for (_, sign) in flags.into_iter().filter(|(is_set, _)| *is_set) {
            f.write_str(sign)?;
        }
        if let Some(width) = self.width {
            write!(f, "{width}")?;
        }
        if let Some(precision) = self.precision {
            write!(f, ".{precision}")?;
        }
        f.write_str(match self.style {
            Style::Display => "",
            Style::Debug => "?",
            Style::DebugLowerHex => "x?",
            Style::DebugUpperHex => "X?",
            Style::LowerHex => "x",
            Style::UpperHex => "X",
            Style::Binary => "b",
            Style::Octal => "o",
            Style::LowerExp => "e",
            Style::UpperExp => "E",
        })
    }
}

/// A width or precision that is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count<'a> {
    /// The next argument: `.*`.
    Next,
    /// The argument in that place: `1$`.
    Position(usize),
    /// The argument of that name, or the variable: `width$`.
    Name(&'a str),
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

/// The width or precision at the start of a text, if it is a value, and the rest.
fn argument(text: &str) -> (Option<Count<'_>>, &str) {
    let found = text.find('$').map(|end| (&text[..end], &text[end + 1..]));
    match found {
        Some((name, rest)) if !name.is_empty() && name.chars().all(|sign| sign == '_' || sign.is_alphanumeric()) => {
            let place = name.parse().map(Count::Position);
            (Some(place.unwrap_or(Count::Name(name))), rest)
        }
        _ => (None, text),
    }
}

/// The number at the start of a text, if there is one, and the rest. `None` if it is too large.
fn number(text: &str) -> Option<(Option<usize>, &str)> {
    let end = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    match digits {
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
        for text in ["", "*^+#08.3x?", " >5", "0", ".2e", "#X"] {
            assert_eq!(FormatSpec::parse(text).unwrap().to_string(), text);
        }
        for wrong in ["y", "width$", "5$", ".*", ".", "99999", "p", "$", ">$"] {
            assert_eq!(FormatSpec::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn widths_and_precisions_may_be_values() {
        let counts = |text| FormatSpec::parse_counts(text).map(|(_, width, precision)| (width, precision));
        assert_eq!(counts(">8.3"), Some((None, None)));
        assert_eq!(counts(">1$"), Some((Some(Count::Position(1)), None)));
        assert_eq!(counts("0$"), Some((Some(Count::Position(0)), None)));
        assert_eq!(
            counts("-^+#0w$.p$?"),
            Some((Some(Count::Name("w")), Some(Count::Name("p"))))
        );
        assert_eq!(counts("8.*e"), Some((None, Some(Count::Next))));
        let (format, ..) = FormatSpec::parse_counts("*^#0w$.*X?").unwrap();
        assert!(format.fill == '*' && format.alternate && format.zero && format.style == Style::DebugUpperHex);
        assert_eq!(counts("w.3$"), None);
        assert_eq!(Placeholder::parse("$"), Some(Placeholder::Width));
        assert_eq!(Placeholder::parse(".$"), Some(Placeholder::Precision));
    }
}
