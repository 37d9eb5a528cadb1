//! The tables of a program that instructions point into: files, routines, trap sites.

use crate::program::{LinkedSite, SourceLoc, Variable};
use crate::routine::{Cause, Routine};

/// Files, routine names and sites, merged over all routines.
#[derive(Default)]
pub(crate) struct Tables {
    /// Names of source files, each once.
    pub files: Vec<String>,
    /// Names of routines, in the order they were collected.
    pub routines: Vec<String>,
    /// All trap sites.
    pub sites: Vec<LinkedSite>,
    /// The variables of all routines.
    pub variables: Vec<Variable>,
    /// The launch parameter that is the log, in a program that prints.
    pub log_param: u32,
    /// The launch parameter that has the questions, in a program that asks.
    pub questions_param: u32,
}

/// What a routine's own numbers become in the program.
#[derive(Clone, Copy)]
pub(crate) struct Numbers {
    /// The place of the routine's own line.
    pub place: SourceLoc,
    /// What to add to the routine's site numbers.
    pub first_site: u32,
    /// What to add to the places of the routine's variables.
    pub first_variable: u32,
    /// The launch parameter that is the log, in a program that prints.
    pub log_param: u32,
    /// The launch parameter that has the questions, in a program that asks.
    pub questions_param: u32,
}

impl Tables {
    /// Enters a routine.
    pub fn add(&mut self, routine: &Routine) -> Numbers {
        let file = self
            .files
            .iter()
            .position(|file| *file == routine.file)
            .unwrap_or_else(|| {
                self.files.push(routine.file.to_string());
                self.files.len() - 1
            });
        let place = SourceLoc {
            file: file as u32,
            line: routine.line,
            routine: self.routines.len() as u32,
        };
        self.routines.push(routine.name.to_string());
        let first_site = self.sites.len() as u32;
        self.sites.extend(routine.sites.iter().map(|site| LinkedSite {
            place: SourceLoc {
                line: site.line,
                ..place
            },
            cause: site.cause,
        }));
        let first_variable = self.variables.len() as u32;
        let param_words: u32 = routine.params.iter().map(|param| param.words()).sum();
        self.variables.extend(routine.variables.iter().map(|variable| Variable {
            routine: place.routine,
            name: variable.name,
            ty: variable.ty,
            first_line: variable.line,
            last_line: variable.last_line,
            is_parameter: variable.word < param_words,
        }));
        Numbers {
            place,
            first_site,
            first_variable,
            log_param: self.log_param,
            questions_param: self.questions_param,
        }
    }

    /// Enters a kernel of several routines, whose own instructions come from where the first of them does; those of one without routines
    /// from nowhere.
    pub fn add_kernel(&mut self, name: &str, first: Option<SourceLoc>) -> SourceLoc {
        if self.files.is_empty() {
            self.files.push(String::new());
        }
        self.routines.push(name.to_string());
        SourceLoc {
            file: first.map_or(0, |place| place.file),
            line: first.map_or(0, |place| place.line),
            routine: self.routines.len() as u32 - 1,
        }
    }

    /// The site where recursion through a routine becomes too deep.
    pub fn add_overflow(&mut self, place: SourceLoc) -> u32 {
        self.sites.push(LinkedSite {
            place,
            cause: Cause::StackOverflow,
        });
        self.sites.len() as u32 - 1
    }
}
