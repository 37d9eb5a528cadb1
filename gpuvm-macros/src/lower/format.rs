//! The format strings of `panic!` and `assert!`.

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
    pub(super) debug: bool,
}

/// Where a value comes from.
pub(super) enum ValueName {
    Next,
    Position(usize),
    Variable(String),
}

impl Pieces {
    /// `None` where a placeholder has options other than `?`.
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
                    let debug = match options.trim() {
                        "" => false,
                        "?" => true,
                        _ => return None,
                    };
                    let name = match (name.trim(), name.trim().parse()) {
                        ("", _) => ValueName::Next,
                        (_, Ok(place)) => ValueName::Position(place),
                        (name, _) => ValueName::Variable(name.to_owned()),
                    };
                    values.push(Shown { name, debug });
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
        let Pieces { pieces, values } = Pieces::parse("a {{{}}} b {x:?}!").unwrap();
        assert_eq!(pieces, ["a {", "} b ", "!"]);
        assert!(!values[0].debug && values[1].debug);
        assert!(matches!(&values[1].name, ValueName::Variable(name) if name == "x"));
        assert!(Pieces::parse("{:>5}").is_none());
        assert!(Pieces::parse("}").is_none());
    }
}
