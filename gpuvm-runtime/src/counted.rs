//! Counts in messages: one thing is no plural.

/// So many things, by the word for one of them.
pub(crate) fn counted(count: usize, one: &str) -> String {
    match (count, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {one}s"),
    }
}

/// That there are so many.
pub(crate) fn there_are(count: usize, one: &str) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("{verb} {}", counted(count, one))
}

/// The names of parameters, if there are any.
pub(crate) fn listed(names: &str) -> String {
    match names {
        "" => String::new(),
        names => format!(" ({names})"),
    }
}
