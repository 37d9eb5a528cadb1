//! The format strings of `panic!`, `assert!` and `println!`.

use gpuvm_nodes::{Count, FormatSpec, Placeholder};

/// A format string, taken apart.
pub(super) struct Pieces {
    /// The text around the values.
    pub(super) pieces: Vec<String>,
    /// The values, in order.
    pub(super) values: Vec<Shown>,
}

/// One value in a text, or the width or precision of the next one.
pub(super) struct Shown {
    pub(super) name: ValueName,
    /// What stands behind the colon, without a width or precision that is a value itself.
    pub(super) format: String,
}

/// Where a value comes from.
pub(super) enum ValueName {
    Next,
    Position(usize),
    Variable(String),
}

impl Pieces {
    /// `None` where a placeholder is none.
    pub(super) fn parse(text: &str) -> Option<Pieces> {
        let mut pieces = vec![String::new()];
        let mut values = Vec::new();
        let mut rest = text.chars().peekable();
        while let Some(next) = rest.next() {
            match next {
                '{' if rest.next_if_eq(&'{').is_some() => pieces.last_mut()?.push('{'),
                '}' => {
                    rest.next_if_eq(&'}')?;
                    pieces.last_mut()?.push('}');
                }
                '{' => {
                    let inside: String = rest.by_ref().take_while(|c| *c != '}').collect();
                    let (name, options) = inside.split_once(':').unwrap_or((&inside, ""));
                    let (format, width, precision) = FormatSpec::parse_counts(options)?;
                    for (count, of) in [(width, Placeholder::WIDTH), (precision, Placeholder::PRECISION)] {
                        let Some(count) = count else { continue };
                        let name = match count {
                            Count::Next => ValueName::Next,
                            Count::Position(place) => ValueName::Position(place),
                            Count::Name(name) => ValueName::Variable(name.to_owned()),
                        };
                        values.push(Shown {
                            name,
                            format: of.to_owned(),
                        });
                        pieces.push(String::new());
                    }
                    let name = match (name.trim(), name.trim().parse()) {
                        ("", _) => ValueName::Next,
                        (_, Ok(place)) => ValueName::Position(place),
                        (name, _) => ValueName::Variable(name.to_owned()),
                    };
                    values.push(Shown {
                        name,
                        format: format.to_string(),
                    });
                    pieces.push(String::new());
                }
                other => pieces.last_mut()?.push(other),
            }
        }
        Some(Pieces { pieces, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_strings_come_apart() {
        let Pieces { pieces, values } = Pieces::parse("a {{{:>5}}} b {x:?}!").unwrap();
        assert_eq!(pieces, ["a {", "} b ", "!"]);
        assert_eq!((values[0].format.as_str(), values[1].format.as_str()), (" >5", "?"));
        assert!(matches!(&values[1].name, ValueName::Variable(name) if name == "x"));
        assert!(Pieces::parse("}").is_none());
    }

    #[test]
    fn widths_and_precisions_come_before_their_value() {
        let Pieces { pieces, values } = Pieces::parse("a {:-^+1$.*e} b {x:w$}").unwrap();
        let formats: Vec<&str> = values.iter().map(|value| value.format.as_str()).collect();
        assert_eq!(formats, ["$", ".$", "-^+e", "$", ""]);
        assert_eq!(pieces, ["a ", "", "", " b ", "", ""]);
        assert!(matches!(values[0].name, ValueName::Position(1)));
        assert!(matches!(values[1].name, ValueName::Next) && matches!(values[2].name, ValueName::Next));
        let formats = |text| Pieces::parse(text).unwrap().values.pop().unwrap().format;
        assert_eq!(formats("{:$^w$.w$}"), "$^");
        assert_eq!(formats("{:.>8.p$}"), ".>8");
    }
}
