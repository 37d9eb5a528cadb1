//! Breakpoints: places of the source, and the instructions of a program that they stand for.

use gpuvm_core::program::Program;

use crate::expression::Expression;

/// A breakpoint as it is asked for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The line.
    pub line: u32,
    /// Stop only VMs of which this holds.
    pub condition: Option<Expression>,
    /// Pass this often before stopping, all VMs' hits together.
    pub ignore: u64,
    /// Say this in place of stopping, with the values of the expressions in braces.
    pub log: Option<String>,
}

impl Wanted {
    /// A breakpoint that stops every VM at a line.
    pub fn at(line: u32) -> Wanted {
        Wanted {
            line,
            condition: None,
            ignore: 0,
            log: None,
        }
    }

    /// The same for VMs of which a condition holds.
    pub fn when(self, condition: Expression) -> Wanted {
        Wanted {
            condition: Some(condition),
            ..self
        }
    }
}

/// A breakpoint in a program.
#[derive(Clone, Debug)]
pub struct Breakpoint {
    /// What was asked for.
    pub wanted: Wanted,
    /// The file as it was asked for.
    pub file: String,
    /// The line with code that it is at: the one asked for, or the next one after that. `None` if there is none.
    pub line: Option<u32>,
    /// The instructions.
    pub(crate) instructions: Vec<u32>,
    /// How often VMs came there of which the condition held.
    pub hits: u64,
}

impl Breakpoint {
    /// Places a breakpoint in the files that the path may mean.
    pub(crate) fn place(program: &Program, file: &str, wanted: Wanted) -> Breakpoint {
        let numbers = 0..program.files.len() as u32;
        let files: Vec<u32> = numbers
            .filter(|number| is_file(&program.files[*number as usize], file))
            .collect();
        let line = files
            .iter()
            .filter_map(|file| line_with_code(program, *file, wanted.line))
            .min();
        let instructions = match line {
            Some(line) => files.iter().flat_map(|file| program.entries(*file, line)).collect(),
            None => Vec::new(),
        };
        Breakpoint {
            wanted,
            file: file.to_string(),
            line,
            instructions,
            hits: 0,
        }
    }
}

/// The line that has code, or else the next one of a routine whose code has begun before.
fn line_with_code(program: &Program, file: u32, line: u32) -> Option<u32> {
    let own = || program.places.iter().filter(|place| place.file == file);
    let mut below: Vec<_> = own().filter(|place| place.line >= line).collect();
    below.sort_by_key(|place| place.line);
    let around = |routine: u32| own().any(|place| place.routine == routine && place.line <= line);
    below
        .into_iter()
        .find(|place| place.line == line || around(place.routine))
        .map(|place| place.line)
}

/// Whether a path from a debugger may mean a file of a program: one of them is the end of the other, counted in whole names.
pub(crate) fn is_file(own: &str, asked: &str) -> bool {
    let parts = |path: &str| -> Vec<String> {
        let names = path.split(['/', '\\']).filter(|name| !matches!(*name, "" | "."));
        names.map(str::to_string).collect()
    };
    let (own, asked) = (parts(own), parts(asked));
    !own.is_empty() && !asked.is_empty() && (own.ends_with(&asked) || asked.ends_with(&own))
}

#[cfg(test)]
mod tests {
    use super::is_file;

    #[test]
    fn a_path_may_be_the_end_of_another() {
        assert!(is_file("src/main.rs", "/home/me/app/src/main.rs"));
        assert!(is_file("app/src/main.rs", "main.rs"));
        assert!(is_file("src\\main.rs", "C:\\app\\src\\main.rs"));
        assert!(is_file("./src/main.rs", "src/main.rs"));
        assert!(!is_file("src/main.rs", "/home/me/app/src/remain.rs"));
        assert!(!is_file("src/main.rs", "domain.rs"));
        assert!(!is_file("src/main.rs", ""));
    }
}
