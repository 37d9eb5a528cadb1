//! `cargo gpuvm debug`: a debugger in a terminal, or one that a script leads.

mod command;
mod input;
mod session;
mod source;
mod view;

use std::cell::RefCell;
use std::io::IsTerminal;
use std::rc::Rc;

use crate::client::{interrupt, interrupted};
use crate::{Options, program};

use input::{Input, Line};
use session::{Flow, Session};
use view::View;

/// Debugs a program until it ends or the user leaves. Gives the exit code.
///
/// # Errors
///
/// If there is no program to debug.
pub(crate) fn run(options: &Options) -> Result<u8, String> {
    ctrlc::set_handler(interrupt).map_err(|error| format!("Ctrl-C cannot be taken: {error}"))?;
    let (program, client) = match options.attach {
        Some(port) => (None, program::attach(port)?),
        None => {
            let (program, client) = program::start(options)?;
            (Some(program), client)
        }
    };
    let is_terminal = std::io::stdin().is_terminal();
    let view = View {
        colours: is_terminal && std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    };
    let session = Rc::new(RefCell::new(Session::new(client, program, view)));
    if let Flow::End(code) = session.borrow_mut().begin(is_terminal) {
        return Ok(code);
    }
    let mut input = Input::open(is_terminal, &session)?;
    let mut last = String::new();
    loop {
        let line = match input.read() {
            Line::Given(line) if line.trim().starts_with('#') => continue,
            Line::Given(line) if line.trim().is_empty() => last.clone(),
            Line::Given(line) => line,
            Line::Interrupted => {
                session.borrow().hint();
                continue;
            }
            Line::End => "quit".to_string(),
        };
        // Whoever pressed Ctrl-C before that command did not mean it.
        interrupted();
        if let Flow::End(code) = session.borrow_mut().does(&line) {
            return Ok(code);
        }
        last = line;
    }
}
