//! The format strings of `panic!`, `assert!` and `println!`.

use gpuvm_nodes::FormatSpec;

/// A format string, taken apart.
pub(super) struct Pieces {
    /// The text around the values.
    pub(super) pieces: Vec<String>,
    /// The values, in order.
    pub(super) values: Vec<Shown>,
}

/// One value in a text.
pub(super) struct Shown {
    pub(super) name: ValueName,
    /// What stands behind the colon.
    pub(super) format: String,
}

/// Where a value comes from.
pub(super) enum ValueName {
    Next,
    Position(usize),
    Variable(String),
}

impl Pieces {
    /// `None` where a placeholder is none, or its width or precision is a value itself.
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
                    let format = options.trim_end().to_owned();
                    FormatSpec::parse(&format)?;
                    let name = match (name.trim(), name.trim().parse()) {
                        ("", _) => ValueName::Next,
                        (_, Ok(place)) => ValueName::Position(place),
                        (name, _) => ValueName::Variable(name.to_owned()),
                    };
                    values.push(Shown { name, format });
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
        assert_eq!((values[0].format.as_str(), values[1].format.as_str()), (">5", "?"));
        assert!(matches!(&values[1].name, ValueName::Variable(name) if name == "x"));
        assert!(Pieces::parse("{:>width$}").is_none());
        assert!(Pieces::parse("}").is_none());
    }
}
