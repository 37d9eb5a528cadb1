//! The commands: names, short forms, and what each does.

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Break,
    Delete,
    Info,
    Run,
    Next,
    Step,
    Finish,
    StepInstruction,
    ReverseNext,
    ReverseStepInstruction,
    ReverseContinue,
    Print,
    Set,
    Watch,
    Unwatch,
    Backtrace,
    Frame,
    Up,
    Down,
    Vm,
    Find,
    Histogram,
    List,
    Quit,
    Kill,
    Help,
}

/// How a command is called, and what it does.
pub(crate) struct Entry {
    /// The command.
    pub command: Command,
    /// Its name, as gdb has it if gdb has it.
    pub name: &'static str,
    /// Its short form.
    pub short: &'static str,
    /// Other names that are understood.
    pub others: &'static [&'static str],
    /// What stands behind the name.
    pub takes: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// All commands, in the order that help has.
pub(crate) const COMMANDS: &[Entry] = &[
    entry(
        Command::Break,
        ("break", "b"),
        &[],
        "[FILE:]LINE [if COND]",
        "stops VMs at a line, if a condition holds there",
    ),
    entry(
        Command::Delete,
        ("delete", "d"),
        &[],
        "[NUMBER …]",
        "removes breakpoints, or all of them",
    ),
    entry(
        Command::Info,
        ("info", "i"),
        &[],
        "breakpoints | locals",
        "tells breakpoints and watches, or the frame's variables",
    ),
    entry(Command::Run, ("run", "r"), &[], "", "lets the program begin"),
    entry(Command::Run, ("continue", "c"), &["cont"], "", "lets all VMs go on"),
    entry(
        Command::Next,
        ("next", "n"),
        &[],
        "",
        "goes on to the next line, over calls",
    ),
    entry(
        Command::Step,
        ("step", "s"),
        &[],
        "",
        "goes on to the next line, into calls",
    ),
    entry(
        Command::Finish,
        ("finish", "o"),
        &["fin", "out"],
        "",
        "goes on until the routine returns",
    ),
    entry(
        Command::StepInstruction,
        ("stepi", "I"),
        &["si"],
        "",
        "runs one instruction",
    ),
    entry(
        Command::ReverseNext,
        ("reverse-next", "N"),
        &["rn"],
        "",
        "goes back to the line before, over calls",
    ),
    entry(
        Command::ReverseStepInstruction,
        ("reverse-stepi", "J"),
        &["rsi"],
        "",
        "goes back by one instruction",
    ),
    entry(
        Command::ReverseContinue,
        ("reverse-continue", "C"),
        &["rc"],
        "",
        "goes back to the last breakpoint or change of what is watched",
    ),
    entry(
        Command::Print,
        ("print", "p"),
        &["inspect"],
        "EXPR",
        "tells the value of an expression",
    ),
    entry(
        Command::Set,
        ("set", "a"),
        &["set var", "set variable"],
        "VAR = EXPR",
        "assigns to a variable, a field or an element",
    ),
    entry(
        Command::Watch,
        ("watch", "w"),
        &[],
        "EXPR",
        "stops when a value changes",
    ),
    entry(
        Command::Unwatch,
        ("unwatch", "W"),
        &[],
        "[NUMBER …]",
        "forgets what is watched, or all of it",
    ),
    entry(
        Command::Backtrace,
        ("backtrace", "t"),
        &["bt", "where"],
        "",
        "tells the calls that lead here",
    ),
    entry(
        Command::Frame,
        ("frame", "f"),
        &[],
        "[NUMBER]",
        "looks at a frame, 0 is the innermost",
    ),
    entry(Command::Up, ("up", "u"), &[], "", "looks at the caller"),
    entry(Command::Down, ("down", "D"), &[], "", "looks at the callee"),
    entry(Command::Vm, ("vm", "v"), &["thread"], "NUMBER", "looks at another VM"),
    entry(
        Command::Find,
        ("find", "F"),
        &[],
        "COND",
        "lists the VMs of which a condition holds, as they stand",
    ),
    entry(
        Command::Histogram,
        ("histogram", "H"),
        &[],
        "EXPR",
        "counts how many VMs have which value",
    ),
    entry(
        Command::List,
        ("list", "l"),
        &[],
        "[[FILE:]LINE]",
        "shows the source, and then what follows",
    ),
    entry(
        Command::Quit,
        ("quit", "q"),
        &["detach", "exit"],
        "",
        "leaves; the program goes on without the debugger",
    ),
    entry(
        Command::Kill,
        ("kill", "k"),
        &[],
        "",
        "ends the launch, and a program that was started here",
    ),
    entry(Command::Help, ("help", "h"), &["?"], "", "says this"),
];

const fn entry(
    command: Command,
    (name, short): (&'static str, &'static str),
    others: &'static [&'static str],
    takes: &'static str,
    about: &'static str,
) -> Entry {
    Entry {
        command,
        name,
        short,
        others,
        takes,
        about,
    }
}

/// The command of a line, and what stands behind its name.
///
/// # Errors
///
/// What there is instead, if there is no such command.
pub(crate) fn parse(line: &str) -> Result<(Command, &str), String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let is_it = |entry: &&Entry| entry.name == word || entry.short == word || entry.others.contains(&word);
    if let Some(entry) = COMMANDS.iter().find(is_it) {
        // gdb's `set var n = 5`, unless a variable is called so.
        let longer = entry
            .others
            .iter()
            .filter_map(|other| other.strip_prefix(word)?.strip_prefix(' '));
        let mut spelt = longer.filter_map(|more| rest.strip_prefix(more)?.strip_prefix(' '));
        let spelt = spelt.find(|spelt| !spelt.trim().starts_with('='));
        return Ok((entry.command, spelt.unwrap_or(rest).trim()));
    }
    let mut begun = COMMANDS
        .iter()
        .filter(|entry| word.len() > 1 && entry.name.starts_with(word));
    if let (Some(entry), None) = (begun.next(), begun.next()) {
        return Ok((entry.command, rest));
    }
    let names: Vec<&str> = COMMANDS.iter().map(|entry| entry.name).collect();
    let nearest = names.iter().min_by_key(|name| distance(name, word));
    let meant = nearest.filter(|name| distance(name, word) * 2 <= name.len().max(2));
    let meant = meant.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    Err(format!("`{word}` is no command{meant}\nthere are {}", names.join(", ")))
}

/// How many letters have to be put in, left out or replaced.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, letter) in one.chars().enumerate() {
        let mut corner = row[0];
        row[0] = above + 1;
        for (index, own) in other.iter().enumerate() {
            let replaced = corner + usize::from(letter != *own);
            corner = row[index + 1];
            row[index + 1] = replaced.min(row[index] + 1).min(corner + 1);
        }
    }
    row[other.len()]
}

/// What `help` says.
pub(crate) fn help() -> String {
    let lines = COMMANDS.iter().map(|entry| {
        let called = format!("{} {}", entry.name, entry.takes);
        format!("  {}  {:<28} {}", entry.short, called.trim(), entry.about)
    });
    let mut text = lines.collect::<Vec<_>>().join("\n");
    text += "\nCtrl-C stops VMs that run. An empty line does the last command again. A condition or an expression is one of Rust's.";
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        let mut all: Vec<&str> = COMMANDS.iter().flat_map(|entry| [entry.name, entry.short]).collect();
        all.extend(COMMANDS.iter().flat_map(|entry| entry.others.iter().copied()));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(COMMANDS.iter().all(|entry| entry.short.chars().count() == 1));
    }

    #[test]
    fn commands_have_long_and_short_forms() {
        assert_eq!(
            parse(" b walk.rs:3  if n > 2 "),
            Ok((Command::Break, "walk.rs:3  if n > 2"))
        );
        assert_eq!(parse("backt"), Ok((Command::Backtrace, "")));
        assert_eq!(parse("set var n = 5"), Ok((Command::Set, "n = 5")));
        assert_eq!(parse("set variable = 5"), Ok((Command::Set, "variable = 5")));
        assert_eq!(parse("set variable n = 5"), Ok((Command::Set, "n = 5")));
        assert_eq!(parse("set n = 5"), Ok((Command::Set, "n = 5")));
        assert!(
            parse("nxt")
                .unwrap_err()
                .starts_with("`nxt` is no command; did you mean `next`?\nthere are break, ")
        );
        assert!(
            parse("xyzzyplugh")
                .unwrap_err()
                .starts_with("`xyzzyplugh` is no command\n")
        );
        assert!(parse("reverse").is_err());
    }
}
