//! What the debugger shows.

use std::io::Write;

use super::source;

/// The most letters of a value that are shown by the way.
const MOST_LETTERS: usize = 200;
/// Lines around the current one that a stop shows.
const AROUND: u32 = 2;

/// Where text goes to.
pub(crate) struct View {
    /// Whether text has colours.
    pub colours: bool,
}

/// A kind of text.
#[derive(Clone, Copy)]
pub(crate) enum Tone {
    /// What matters at a stop.
    Strong,
    /// What is beside.
    Faint,
    /// What went wrong.
    Wrong,
}

impl View {
    /// Prints lines.
    pub fn say(&self, text: &str) {
        // Nobody reads it any more if that fails.
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }

    /// Prints what went wrong.
    pub fn wrong(&self, text: &str) {
        self.say(&self.toned(Tone::Wrong, text));
    }

    /// Text in its colour.
    pub fn toned(&self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Strong => "1",
            Tone::Faint => "2",
            Tone::Wrong => "31",
        };
        match self.colours {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_string(),
        }
    }

    /// Shows the lines around the current one.
    pub fn around(&self, path: &str, line: u32) {
        self.lines(path, line.saturating_sub(AROUND), line + AROUND, Some(line));
    }

    /// Shows lines of a file, one of them marked. Says whether there are any.
    pub fn lines(&self, path: &str, first: u32, last: u32, marked: Option<u32>) -> bool {
        let Some(lines) = source::lines(path) else {
            self.say(&format!("  (`{}` cannot be read here)", source::short(path)));
            return false;
        };
        let first = first.max(1);
        let shown = (first..=last).zip(lines.iter().skip(first as usize - 1));
        let mut any = false;
        for (number, text) in shown {
            any = true;
            let is_marked = marked == Some(number);
            let mark = if is_marked { '>' } else { ' ' };
            let line = format!("{mark}{number:>5}  {text}");
            self.say(&match is_marked {
                true => self.toned(Tone::Strong, &line),
                false => self.toned(Tone::Faint, line.trim_end()),
            });
        }
        any
    }

    /// Shows variables, a line each.
    pub fn variables(&self, variables: &[(String, String)]) {
        let width = variables
            .iter()
            .map(|(name, _)| name.chars().count())
            .max()
            .unwrap_or(0);
        for (name, value) in variables {
            self.say(&format!("  {name:<width$} = {}", cut(value)));
        }
    }
}

/// A value that is not too long.
fn cut(value: &str) -> String {
    match value.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_string(),
    }
}
