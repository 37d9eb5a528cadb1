//! What VMs print. A program that prints has one more launch parameter behind its routine's own, a slice of atomics, the *log*. A VM writes
//! numbers to it, the site of a text and the words of the values in it; the text is put together here. Where a kernel's VM computes several
//! elements, each of them is a VM to the log, as it is to the routines.
//!
//! | words of the log | are |
//! |---|---|
//! | 0 | texts that were printed while their VM might print more |
//! | 1 | texts that a VM may print |
//! | 2 | texts that there is room for |
//! | 3 | words of an entry |
//! | 4 | VMs |
//! | one for each VM | texts that it has printed, with those that are not kept |
//! | entries | the VM, the site, and the words of the values |

use super::{Program, Text};
use crate::routine::{Cause, Level};

/// Words of a log before those of the VMs.
const HEAD: usize = 5;
/// Words of an entry before those of the values.
const ENTRY_HEAD: usize = 2;

/// The log of a launch.
#[derive(Debug)]
pub struct Log<'p> {
    program: &'p Program,
    vms: usize,
}

/// A line that a VM has printed, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The VM.
    pub vm: u32,
    /// How important it is.
    pub level: Level,
    /// The source file of the place where it was printed, as `file!()` gives it.
    pub file: String,
    /// The line in that file.
    pub line: u32,
    /// The text.
    pub text: String,
}

impl<'p> Log<'p> {
    /// The log of a program and so many VMs; `None` if the program does not print.
    pub fn of(program: &'p Program, vms: u32) -> Option<Log<'p>> {
        let prints = |site: &super::LinkedSite| matches!(site.cause, Cause::Print { .. });
        program.sites.iter().any(prints).then_some(Log {
            program,
            vms: vms as usize,
        })
    }

    /// An empty log, which keeps so many texts of a VM, and so many of all together.
    pub fn empty(&self, of_a_vm: u32, in_all: u32) -> Vec<u32> {
        let entry = self.entry_words();
        let mut words = vec![0, of_a_vm, in_all, entry as u32, self.vms as u32];
        words.resize(HEAD + self.vms + in_all as usize * entry, 0);
        words
    }

    /// The texts in a log, in the order of the VMs and of a VM in the order in which it printed them, and how many are not kept.
    pub fn lines(&self, words: &[u32]) -> (Vec<LogLine>, u64) {
        let word = |at: usize| words.get(at).copied().unwrap_or_default();
        let (in_all, entry) = (word(2), (word(3) as usize).max(ENTRY_HEAD));
        let printed: u64 = (HEAD..HEAD + self.vms).map(|at| u64::from(word(at))).sum();
        let kept = word(0).min(in_all) as usize;
        let mut entries: Vec<Vec<u32>> = (0..kept)
            .map(|i| {
                let first = HEAD + self.vms + i * entry;
                (first..first + entry).map(word).collect()
            })
            .collect();
        entries.sort_by_key(|entry| entry[0]);
        let lines = entries.iter().map(|entry| self.line(entry)).collect();
        (lines, printed.saturating_sub(kept as u64))
    }

    fn line(&self, entry: &[u32]) -> LogLine {
        let sites = self.program.sites.get(entry[1] as usize..).unwrap_or_default();
        let mut line = LogLine {
            vm: entry[0],
            level: Level::Info,
            file: String::new(),
            line: 0,
            text: String::new(),
        };
        let Some(Cause::Print { level, pieces }) = sites.first().map(|site| site.cause) else {
            return line;
        };
        let place = sites[0].place;
        line.level = level;
        line.file = self.program.files.get(place.file as usize).cloned().unwrap_or_default();
        line.line = place.line;
        let mut words = &entry[ENTRY_HEAD..];
        let mut text = Text::of(&self.program.data);
        for (i, piece) in pieces.iter().enumerate() {
            text.piece(piece);
            if let Some(Cause::Value(shown)) = sites.get(i + 1).map(|site| site.cause)
                && i + 1 < pieces.len()
            {
                let (value, rest) = words.split_at((shown.logged_words() as usize).min(words.len()));
                text.value(shown, value);
                words = rest;
            }
        }
        line.text = text.finish();
        line
    }

    /// Words of an entry: as many as the text with most has.
    fn entry_words(&self) -> usize {
        let (mut most, mut words) = (0, 0);
        for site in &self.program.sites {
            match site.cause {
                Cause::Print { .. } => words = 0,
                Cause::Value(shown) => words += shown.logged_words() as usize,
                _ => {}
            }
            most = most.max(words);
        }
        ENTRY_HEAD + most
    }
}
