//! Commands as they come in: typed, with history and completion, or from a script.

use std::cell::RefCell;
use std::io::BufRead;
use std::rc::Rc;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::session::Session;

const PROMPT: &str = "(gpuvm) ";

/// What comes in.
pub(crate) enum Line {
    /// A line.
    Given(String),
    /// Ctrl-C in place of a line.
    Interrupted,
    /// The end.
    End,
}

/// Where commands come from.
pub(crate) enum Input {
    /// A terminal.
    Typed(Box<Editor<Completion, DefaultHistory>>),
    /// A script.
    Script,
}

impl Input {
    /// Opens it.
    ///
    /// # Errors
    ///
    /// If the terminal can do nothing.
    pub fn open(is_terminal: bool, session: &Rc<RefCell<Session>>) -> Result<Input, String> {
        if !is_terminal {
            return Ok(Input::Script);
        }
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .auto_add_history(true);
        let editor = Editor::with_config(config.build());
        let mut editor = editor.map_err(|error| format!("this terminal cannot be read: {error}"))?;
        editor.set_helper(Some(Completion {
            session: session.clone(),
        }));
        Ok(Input::Typed(Box::new(editor)))
    }

    /// The next line.
    pub fn read(&mut self) -> Line {
        match self {
            Input::Typed(editor) => match editor.readline(PROMPT) {
                Ok(line) => Line::Given(line),
                Err(ReadlineError::Interrupted) => Line::Interrupted,
                Err(_) => Line::End,
            },
            Input::Script => {
                let mut line = Vec::new();
                match std::io::stdin().lock().read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => Line::End,
                    Ok(_) => Line::Given(String::from_utf8_lossy(&line).trim_end().to_string()),
                }
            }
        }
    }
}

/// What the Tab key offers.
pub(crate) struct Completion {
    session: Rc<RefCell<Session>>,
}

impl Completer for Completion {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(match self.session.try_borrow_mut() {
            Ok(mut session) => session.complete(line.get(..at).unwrap_or(line)),
            Err(_) => (at, Vec::new()),
        })
    }
}

impl Hinter for Completion {
    type Hint = String;
}

impl Highlighter for Completion {}
impl Validator for Completion {}
impl Helper for Completion {}
