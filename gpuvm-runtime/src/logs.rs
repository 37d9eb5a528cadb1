//! What VMs print: as data, and told through `tracing`, or on `stderr` where no subscriber was ever set.

use std::ops::Deref;

use gpuvm_core::program::{Log, LogLine, Program, Questions};
use gpuvm_core::routine::Level;

use crate::arg::Argument;
use crate::bind::Bound;
use crate::recorder;

/// How much of what VMs print is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLimit {
    /// Texts of one VM: its first ones. A text is what one `println!` or `print!` prints.
    pub of_a_vm: u32,
    /// Texts of all VMs of a launch. Of more than that, engines keep those that come first, which is not the same ones everywhere.
    pub in_all: u32,
}

impl Default for LogLimit {
    /// 100 texts of a VM, 10,000 in all.
    fn default() -> LogLimit {
        LogLimit {
            of_a_vm: 100,
            in_all: 10_000,
        }
    }
}

/// The lines that VMs have printed, by VM, and of a VM in the order in which it printed them. It is a slice of [`LogLine`]s.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Logs {
    lines: Vec<LogLine>,
    dropped: u64,
}

impl Logs {
    /// How many texts are not among them, because there were more than the [`LogLimit`].
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The lines that texts of VMs make, in the order of the VMs: a line ends with the text that ends it, and its place is that of its first
    /// text.
    pub(crate) fn of(texts: Vec<LogLine>, dropped: u64) -> Logs {
        let mut lines: Vec<LogLine> = Vec::with_capacity(texts.len());
        let mut open = false;
        for text in texts {
            let ends = text.text.ends_with('\n');
            match lines.last_mut() {
                Some(line) if open && line.vm == text.vm => line.text.push_str(&text.text),
                _ => lines.push(text),
            }
            open = !ends;
        }
        for line in &mut lines {
            if line.text.ends_with('\n') {
                line.text.pop();
            }
        }
        Logs { lines, dropped }
    }

    /// Those of a launch, from all that its VMs have printed, in any order of the VMs.
    pub(crate) fn within(mut texts: Vec<LogLine>, dropped: u64, limit: LogLimit) -> Logs {
        texts.sort_by_key(|text| text.vm);
        let printed = texts.len() as u64;
        let (mut last, mut count) = (None, 0);
        texts.retain(|text| {
            count = if last == Some(text.vm) { count + 1 } else { 1 };
            last = Some(text.vm);
            count <= limit.of_a_vm
        });
        texts.truncate(limit.in_all as usize);
        let kept = texts.len() as u64;
        Logs::of(texts, dropped + printed - kept)
    }

    /// Puts them in the order of the VMs.
    pub(crate) fn sort(&mut self) {
        self.lines.sort_by_key(|line| line.vm);
    }

    /// Drops what is more than so many.
    pub(crate) fn keep_at_most(&mut self, most: u32) {
        let beyond = self.lines.len().saturating_sub(most as usize);
        self.lines.truncate(most as usize);
        self.dropped += beyond as u64;
    }

    /// Adds those of what comes after.
    pub(crate) fn append(&mut self, other: Logs) {
        self.lines.extend(other.lines);
        self.dropped += other.dropped;
    }

    /// Tells them to whoever listens.
    pub(crate) fn tell(&self, routine: &str) {
        let heard = tracing::dispatcher::has_been_set();
        for LogLine {
            vm,
            level,
            file,
            line,
            text,
        } in &self.lines
        {
            macro_rules! event {
                ($level:ident) => {
                    tracing::event!(target: "gpuvm::log", tracing::Level::$level, routine, vm, file, line, "{text}")
                };
            }
            match level {
                _ if !heard => eprintln!("[VM {vm} {file}:{line}] {text}"),
                Level::Error => event!(ERROR),
                Level::Warn => event!(WARN),
                Level::Info => event!(INFO),
                Level::Debug => event!(DEBUG),
                Level::Trace => event!(TRACE),
            }
            recorder::say_at(*level, routine, Some(*vm), Some((file, *line)), text);
        }
        if self.dropped > 0 {
            let warning = format!(
                "{} more texts that VMs of `{routine}` printed are not kept: `.log_limit(…)` of the launch says how many are",
                self.dropped
            );
            tracing::warn!(target: "gpuvm::log", routine, dropped = self.dropped, "{warning}");
            crate::unheard::print(&warning);
        }
    }
}

impl Deref for Logs {
    type Target = [LogLine];

    fn deref(&self) -> &[LogLine] {
        &self.lines
    }
}

impl<'l> IntoIterator for &'l Logs {
    type Item = &'l LogLine;
    type IntoIter = std::slice::Iter<'l, LogLine>;

    fn into_iter(self) -> Self::IntoIter {
        self.lines.iter()
    }
}

/// The log of a launch of a program, the first argument behind the routine's own; `None` if it does not print.
pub(crate) fn argument(program: &Program, vms: u32, limit: LogLimit) -> Option<Bound<'static>> {
    let words = Log::of(program, vms)?.empty(limit.of_a_vm, limit.in_all);
    Some(Bound::own_words(&words))
}

/// What is in the log among the arguments of a launch.
pub(crate) fn logged(program: &Program, vms: u32, params: &[Bound<'_>]) -> Logs {
    // Behind it there may be what VMs ask.
    let behind = usize::from(Questions::of(program).is_some());
    match params.iter().rev().nth(behind).map(|bound| &bound.argument) {
        Some(Argument::OwnAtomics(log)) if Log::of(program, vms).is_some() => read(program, vms, &log.view().words()),
        _ => Logs::default(),
    }
}

/// The texts in a log that was the argument of a launch, and how many were dropped.
pub(crate) fn texts(program: &Program, vms: u32, log: &Bound<'_>) -> (Vec<LogLine>, u64) {
    match &log.argument {
        Argument::OwnAtomics(words) => {
            Log::of(program, vms).map_or_else(Default::default, |log| log.lines(&words.view().words()))
        }
        _ => Default::default(),
    }
}

/// What the words of a log say.
pub(crate) fn read(program: &Program, vms: u32, words: &[u32]) -> Logs {
    let (texts, dropped) = Log::of(program, vms).map_or_else(Default::default, |log| log.lines(words));
    Logs::of(texts, dropped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(vm: u32, line: u32, text: &str) -> LogLine {
        LogLine {
            vm,
            level: Level::Info,
            file: String::new(),
            line,
            text: text.to_string(),
        }
    }

    #[test]
    fn texts_make_lines() {
        let logs = Logs::of(
            vec![
                text(0, 1, "a"),
                text(0, 2, "b\n"),
                text(0, 3, "\n"),
                text(0, 4, "open"),
                text(1, 1, "two\nlines\n"),
            ],
            0,
        );
        let found: Vec<_> = logs
            .iter()
            .map(|line| (line.vm, line.line, line.text.as_str()))
            .collect();
        assert_eq!(found, [(0, 1, "ab"), (0, 3, ""), (0, 4, "open"), (1, 1, "two\nlines")]);
    }

    #[test]
    fn a_limit_keeps_the_first_ones() {
        let texts = || {
            vec![
                text(2, 1, "c\n"),
                text(0, 1, "a\n"),
                text(0, 2, "b\n"),
                text(2, 2, "d\n"),
            ]
        };
        let kept = |of_a_vm, in_all| {
            let logs = Logs::within(texts(), 5, LogLimit { of_a_vm, in_all });
            let found: String = logs.iter().map(|line| line.text.as_str()).collect();
            (found, logs.dropped())
        };
        assert_eq!(kept(9, 9), ("abcd".to_string(), 5));
        assert_eq!(kept(1, 9), ("ac".to_string(), 7));
        assert_eq!(kept(9, 3), ("abc".to_string(), 6));
    }
}
