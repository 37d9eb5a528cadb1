//! Writes JSON, of which reports need a few lines. A crate for it would cost users more than it spares here: where `serde_json`
//! is in the graph numbers can equal its values too, and the type of `[]` in `assert_eq!(column, [])` is no longer known.

use std::fmt::{self, Write};
use std::time::Duration;

/// A value.
#[derive(Clone)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(u64),
    /// A time, in microseconds.
    Micros(Duration),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

/// What can be told as JSON.
pub(crate) trait ToJson {
    fn json(&self) -> Json;
}

/// An object of some fields of a value, under their names.
macro_rules! fields {
    ($of:expr; $($name:ident),* $(,)?) => {
        $crate::json::Json::Object(vec![$((stringify!($name), $crate::json::ToJson::json(&$of.$name))),*])
    };
}
pub(crate) use fields;

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(value) => write!(f, "{value}"),
            Json::Micros(time) => {
                let nanos = time.as_nanos();
                write!(f, "{}.{:03}", nanos / 1000, nanos % 1000)
            }
            Json::Text(text) => quoted(f, text),
            Json::List(values) => {
                f.write_char('[')?;
                for (number, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if number > 0 { ", " } else { "" })?;
                }
                f.write_char(']')
            }
            Json::Object(fields) => {
                f.write_char('{')?;
                for (number, (name, value)) in fields.iter().enumerate() {
                    write!(f, "{}\"{name}\": {value}", if number > 0 { ", " } else { "" })?;
                }
                f.write_char('}')
            }
        }
    }
}

impl Json {
    /// An object with a line for each field, and for each entry of a field that is a list of objects.
    pub fn in_lines(&self) -> String {
        let Json::Object(fields) = self else {
            return self.to_string();
        };
        let field = |(name, value): &(&str, Json)| match value {
            Json::List(values) if values.iter().any(|value| matches!(value, Json::Object(_))) => {
                let lines: Vec<String> = values.iter().map(|value| format!("    {value}")).collect();
                format!("  \"{name}\": [\n{}\n  ]", lines.join(",\n"))
            }
            value => format!("  \"{name}\": {value}"),
        };
        let lines: Vec<String> = fields.iter().map(field).collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(f, "\\{letter}")?,
            '\0'..'\u{20}' => write!(f, "\\u{:04x}", u32::from(letter))?,
            _ => f.write_char(letter)?,
        }
    }
    f.write_char('"')
}

impl ToJson for bool {
    fn json(&self) -> Json {
        Json::Bool(*self)
    }
}

impl ToJson for u64 {
    fn json(&self) -> Json {
        Json::Number(*self)
    }
}

impl ToJson for usize {
    fn json(&self) -> Json {
        Json::Number(*self as u64)
    }
}

impl ToJson for Duration {
    fn json(&self) -> Json {
        Json::Micros(*self)
    }
}

impl ToJson for str {
    fn json(&self) -> Json {
        Json::Text(self.to_string())
    }
}

impl ToJson for String {
    fn json(&self) -> Json {
        self.as_str().json()
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn json(&self) -> Json {
        self.as_ref().map_or(Json::Null, T::json)
    }
}

impl<T: ToJson> ToJson for [T] {
    fn json(&self) -> Json {
        Json::List(self.iter().map(T::json).collect())
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn json(&self) -> Json {
        self.as_slice().json()
    }
}

impl<T: ToJson, const N: usize> ToJson for [T; N] {
    fn json(&self) -> Json {
        self.as_slice().json()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_it_is_escaped() {
        let text = "a \"b\" \\ \n ü".json();
        assert_eq!(text.to_string(), "\"a \\\"b\\\" \\\\ \\u000a ü\"");
    }

    #[test]
    fn times_are_microseconds() {
        assert_eq!(Duration::from_nanos(1_002_003).json().to_string(), "1002.003");
        assert_eq!(Duration::from_secs(3).json().to_string(), "3000000.000");
    }

    #[test]
    fn an_object_has_lines() {
        let list = Json::List(vec![Json::Object(vec![("c", Json::Null), ("d", Json::Bool(true))])]);
        let object = Json::Object(vec![("a", [1u64, 2].json()), ("b", list)]);
        assert_eq!(
            object.in_lines(),
            "{\n  \"a\": [1, 2],\n  \"b\": [\n    {\"c\": null, \"d\": true}\n  ]\n}\n"
        );
    }
}
