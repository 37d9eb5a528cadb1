//! What a user asks for, done by the program's debug server.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::command::{COMMANDS, Command, help, parse};
use super::source;
use super::view::{Tone, View};
use crate::client::{Client, Event, Failure, Incoming, interrupted};
use crate::program::Program;

/// How often whoever waits for a stop looks at something else.
const LOOK: Duration = Duration::from_millis(100);
/// How long VMs may take until they stand after Ctrl-C.
const PATIENCE: Duration = Duration::from_secs(3);
/// Lines that `list` shows.
const LISTED: u32 = 10;
/// Parts of a value that are shown where it is a reference.
const PARTS: usize = 20;

/// What comes after a command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The next one.
    Stay,
    /// Nothing; this is the exit code.
    End(u8),
}

type Result<T, E = Failure> = std::result::Result<T, E>;

/// How far the program is.
enum State {
    /// Its first launch waits for the user.
    Before,
    /// It runs, and nothing stands that could be looked at.
    Runs,
    /// VMs stand.
    Stands(Standing),
}

/// What stands.
struct Standing {
    thread: i64,
    frames: Vec<Frame>,
    /// The frame that is looked at.
    selected: usize,
}

/// A call of a VM that stands.
struct Frame {
    id: i64,
    name: String,
    path: String,
    line: u32,
}

/// A breakpoint.
struct Breakpoint {
    number: u32,
    path: String,
    asked: u32,
    condition: Option<String>,
    /// The server's number.
    id: i64,
    /// Where it is, if it is anywhere.
    line: Option<u32>,
    message: String,
}

/// Something that is watched.
struct Watch {
    number: u32,
    expression: String,
    /// How many calls its frame is above the outermost.
    height: usize,
}

/// A debugged program and who debugs it.
pub(crate) struct Session {
    client: Client,
    program: Option<Program>,
    view: View,
    state: State,
    breakpoints: Vec<Breakpoint>,
    watches: Vec<Watch>,
    numbers: u32,
    /// The file that was shown last, and the line after what was shown.
    listed: Option<(String, u32)>,
}

fn refused<T>(reason: impl Into<String>) -> Result<T> {
    Err(Failure::Refused(reason.into()))
}

fn text(value: &Json) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn number(value: &Json) -> u32 {
    value.as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(0)
}

impl Session {
    /// A session that has said nothing yet.
    pub fn new(client: Client, program: Option<Program>, view: View) -> Session {
        Session {
            client,
            program,
            view,
            state: State::Before,
            breakpoints: Vec::new(),
            watches: Vec::new(),
            numbers: 0,
            listed: None,
        }
    }

    /// Attaches, so that the program waits for `run`.
    pub fn begin(&mut self, greets: bool) -> Flow {
        let begun = self
            .client
            .ask("initialize", json!({ "adapterID": "gpuvm", "linesStartAt1": true }));
        let begun = begun.and_then(|_| self.client.ask("attach", json!({})));
        match begun {
            Ok(_) if greets => {
                self.view.say("the program waits: set breakpoints with `break FILE:LINE`, then `run`; `help` tells what else there is");
                Flow::Stay
            }
            Ok(_) => Flow::Stay,
            Err(failure) => self.failed(&failure),
        }
    }

    /// Says what Ctrl-C does where nothing runs.
    pub fn hint(&self) {
        self.view.say("`quit` leaves the program to itself, `kill` ends it");
    }

    /// Does what a line asks for.
    pub fn does(&mut self, line: &str) -> Flow {
        if line.trim().is_empty() {
            return Flow::Stay;
        }
        let done = self.catch_up().and_then(|()| match parse(line) {
            Ok((command, rest)) => self.command(command, rest),
            Err(reason) => refused(reason),
        });
        match done {
            Ok(flow) => flow,
            Err(failure) => self.failed(&failure),
        }
    }

    fn failed(&mut self, failure: &Failure) -> Flow {
        if let Failure::Closed = failure {
            return self.ended();
        }
        self.view.wrong(&failure.to_string());
        Flow::Stay
    }

    /// The program has ended, or ends now.
    fn ended(&mut self) -> Flow {
        while let Incoming::Event(event) = self.client.event(Duration::ZERO) {
            self.told(&event);
        }
        match &mut self.program {
            Some(program) => {
                let code = program.wait();
                self.view.say(&format!("the program has ended with exit code {code}"));
                Flow::End(code)
            }
            None => {
                self.view.say("the program has ended");
                Flow::End(0)
            }
        }
    }

    /// Hears what was told while the user thought.
    fn catch_up(&mut self) -> Result<()> {
        loop {
            match self.client.event(Duration::ZERO) {
                Incoming::Event(event) => {
                    if self.told(&event) {
                        self.stopped(&event.body)?;
                    }
                }
                Incoming::Nothing => return Ok(()),
                Incoming::Closed => return Err(Failure::Closed),
            }
        }
    }

    /// Takes an event in. Says whether VMs stand by it.
    fn told(&mut self, event: &Event) -> bool {
        match event.name.as_str() {
            "output" => self.view.say(text(&event.body["output"]).trim_end()),
            "breakpoint" => {
                let placed = &event.body["breakpoint"];
                if let Some(own) = self.breakpoints.iter_mut().find(|own| placed["id"] == own.id) {
                    own.take(placed);
                    if own.line != Some(own.asked) {
                        self.view.say(&own.show());
                    }
                }
            }
            // The launch is over.
            "thread" if event.body["reason"] == "exited" => {
                self.watches.clear();
                self.state = State::Runs;
            }
            "stopped" => return true,
            _ => {}
        }
        false
    }

    /// Waits until VMs stand or the program ends.
    fn wait(&mut self) -> Result<Flow> {
        let mut asked: Option<Instant> = None;
        loop {
            if interrupted() {
                self.client.ask("pause", json!({ "threadId": 1 }))?;
                asked = Some(Instant::now());
            }
            match self.client.event(LOOK) {
                Incoming::Event(event) => {
                    if self.told(&event) {
                        self.stopped(&event.body)?;
                        return Ok(Flow::Stay);
                    }
                }
                Incoming::Nothing => {}
                Incoming::Closed => return Ok(self.ended()),
            }
            if asked.is_some_and(|asked| asked.elapsed() > PATIENCE) {
                self.view
                    .say("no VM runs now; the next launch stops before it begins, `continue` waits for it");
                return Ok(Flow::Stay);
            }
        }
    }

    /// VMs stand: shows where and why.
    fn stopped(&mut self, body: &Json) -> Result<()> {
        let before = match &self.state {
            State::Stands(standing) => Some(standing.thread),
            _ => None,
        };
        let thread = body["threadId"].as_i64().unwrap_or(1);
        self.look_at(thread)?;
        let said = text(&body["text"]);
        let reason = text(&body["reason"]);
        let why = match reason.as_str() {
            "breakpoint" => {
                let hit = body["hitBreakpointIds"].as_array().into_iter().flatten();
                let own = |id: &Json| {
                    self.breakpoints
                        .iter()
                        .find(|own| *id == own.id)
                        .map(|own| own.number.to_string())
                };
                let numbers: Vec<String> = hit.filter_map(own).collect();
                format!("breakpoint {}", numbers.join(", "))
            }
            "exception" => "trap".to_string(),
            "data breakpoint" => "watch".to_string(),
            _ => reason,
        };
        let why = match said.as_str() {
            "" => why.trim_end().to_string(),
            said => format!("{} ({said})", why.trim_end()),
        };
        // Who looks at another VM watches nothing any more.
        if before.is_some_and(|before| before != thread) {
            self.forget_watches();
        }
        if let Some(gone) = said
            .strip_suffix("` is out of scope")
            .and_then(|said| said.strip_prefix('`'))
        {
            let bare = |text: &str| text.replace(char::is_whitespace, "");
            self.watches.retain(|watch| bare(&watch.expression) != bare(gone));
        }
        self.show(&why)
    }

    fn forget_watches(&mut self) {
        if !self.watches.is_empty() {
            self.watches.clear();
            self.view.say("nothing is watched any more: another VM is looked at");
        }
    }

    /// Fetches the calls of a VM, which is looked at from now on.
    fn look_at(&mut self, thread: i64) -> Result<()> {
        let stack = self.client.ask("stackTrace", json!({ "threadId": thread }))?;
        let frames = stack["stackFrames"].as_array().into_iter().flatten();
        let frames = frames.map(|frame| Frame {
            id: frame["id"].as_i64().unwrap_or(0),
            name: text(&frame["name"]),
            path: text(&frame["source"]["path"]),
            line: number(&frame["line"]),
        });
        self.state = State::Stands(Standing {
            thread,
            frames: frames.collect(),
            selected: 0,
        });
        Ok(())
    }

    /// Shows where the selected frame stands, its source and its variables.
    fn show(&mut self, why: &str) -> Result<()> {
        let State::Stands(standing) = &self.state else {
            return Ok(());
        };
        let vm = standing.thread - 1;
        let Some(frame) = standing.frames.get(standing.selected) else {
            self.view
                .say(&format!("{}: VM {vm}", self.view.toned(Tone::Strong, why)));
            return Ok(());
        };
        let at = format!("{}:{}", source::short(&frame.path), frame.line);
        let why = self.view.toned(Tone::Strong, why);
        self.view.say(&format!("{why}: VM {vm} in {} at {at}", frame.name));
        self.view.around(&frame.path, frame.line);
        self.listed = None;
        let locals = self.locals()?;
        self.view.variables(&locals);
        Ok(())
    }

    /// What stands, if something does.
    fn standing(&self) -> Result<&Standing> {
        match &self.state {
            State::Stands(standing) => Ok(standing),
            State::Before => refused("no launch has begun; `run` lets the program begin"),
            State::Runs => refused("no VM stands; `continue` waits for one"),
        }
    }

    fn frame(&self) -> Result<&Frame> {
        let standing = self.standing()?;
        match standing.frames.get(standing.selected) {
            Some(frame) => Ok(frame),
            None => refused(format!("VM {} is in no routine any more", standing.thread - 1)),
        }
    }

    /// The names and values of the selected frame's variables.
    fn locals(&mut self) -> Result<Vec<(String, String)>> {
        let frame = self.frame()?.id;
        let scopes = self.client.ask("scopes", json!({ "frameId": frame }))?;
        self.parts(&scopes["scopes"][0]["variablesReference"])
    }

    fn parts(&mut self, reference: &Json) -> Result<Vec<(String, String)>> {
        let variables = self
            .client
            .ask("variables", json!({ "variablesReference": reference }))?;
        let all = variables["variables"].as_array().into_iter().flatten();
        Ok(all
            .map(|variable| (text(&variable["name"]), text(&variable["value"])))
            .collect())
    }

    fn command(&mut self, command: Command, rest: &str) -> Result<Flow> {
        match command {
            Command::Break => self.set_breakpoint(rest)?,
            Command::Delete => self.delete(rest)?,
            Command::Info => self.info(rest)?,
            Command::Run => return self.resume(),
            Command::Next => return self.go("next", json!({})),
            Command::Step => return self.go("stepIn", json!({})),
            Command::Finish => return self.go("stepOut", json!({})),
            Command::StepInstruction => return self.go("stepIn", json!({ "granularity": "instruction" })),
            Command::ReverseNext => return self.go("stepBack", json!({})),
            Command::ReverseStepInstruction => return self.go("stepBack", json!({ "granularity": "instruction" })),
            Command::ReverseContinue => return self.go("reverseContinue", json!({})),
            Command::Print => self.print(rest)?,
            Command::Set => self.assign(rest)?,
            Command::Watch => self.watch(rest)?,
            Command::Unwatch => self.unwatch(rest)?,
            Command::Backtrace => self.backtrace()?,
            Command::Frame => {
                let selected = match rest {
                    "" => self.standing()?.selected,
                    rest => rest
                        .parse()
                        .or_else(|_| refused("`frame` takes a number, such as `frame 1`"))?,
                };
                self.select(selected)?;
            }
            Command::Up => {
                let selected = self.standing()?.selected + 1;
                self.select(selected)?;
            }
            Command::Down => match self.standing()?.selected.checked_sub(1) {
                Some(selected) => self.select(selected)?,
                None => refused("this is the innermost frame")?,
            },
            Command::Vm => {
                let before = self.standing()?.thread;
                let Ok(vm) = rest.parse::<u32>() else {
                    return refused("`vm` takes a number, such as `vm 17`");
                };
                let thread = i64::from(vm) + 1;
                self.look_at(thread)?;
                if thread != before {
                    self.forget_watches();
                }
                self.show("selected")?;
            }
            Command::Find => self.console("find", rest)?,
            Command::Histogram => self.console("histogram", rest)?,
            Command::List => self.list(rest)?,
            Command::Quit => return Ok(self.leave()),
            Command::Kill => return self.kill(),
            Command::Help => self.view.say(&help()),
        }
        Ok(Flow::Stay)
    }

    /// Lets the program begin, or VMs go on.
    fn resume(&mut self) -> Result<Flow> {
        match &self.state {
            State::Before => {
                self.client
                    .ask("setExceptionBreakpoints", json!({ "filters": ["trap"] }))?;
                self.client.ask("configurationDone", json!({}))?;
                self.state = State::Runs;
                self.wait()
            }
            State::Runs => self.wait(),
            State::Stands(_) => self.go("continue", json!({})),
        }
    }

    /// Lets VMs go on in some way, and waits until they stand again.
    fn go(&mut self, request: &str, mut arguments: Json) -> Result<Flow> {
        let thread = self.standing()?.thread;
        arguments["threadId"] = thread.into();
        self.client.ask(request, arguments)?;
        self.wait()
    }

    /// The file that a line without one is in.
    fn current_path(&self) -> Result<String> {
        match (&self.listed, self.frame()) {
            (_, Ok(frame)) => Ok(frame.path.clone()),
            (Some((path, _)), _) => Ok(path.clone()),
            (None, Err(_)) => refused("no file is looked at; write `FILE:LINE`, such as `main.rs:12`"),
        }
    }

    /// The file and the line that a user means.
    fn place(&self, text: &str) -> Result<(String, u32)> {
        let (file, line) = match text.rsplit_once(':') {
            Some((file, line)) => (Some(file.trim()), line.trim()),
            None => (None, text),
        };
        let Some(line) = line.parse().ok().filter(|line| *line > 0) else {
            return refused(format!(
                "`{text}` is no place of the source; write `FILE:LINE`, such as `main.rs:12`, or a line"
            ));
        };
        let frames = match &self.state {
            State::Stands(standing) => &standing.frames[..],
            _ => &[],
        };
        let known = frames.iter().map(|frame| frame.path.as_str());
        let known = known.chain(self.breakpoints.iter().map(|own| own.path.as_str()));
        let path = match file {
            Some(file) => source::resolve(file, known).or_else(refused)?,
            None => self.current_path()?,
        };
        Ok((path, line))
    }

    fn set_breakpoint(&mut self, rest: &str) -> Result<()> {
        let (place, condition) = match rest.split_once(" if ") {
            Some((place, condition)) => (place.trim(), Some(condition.trim().to_string())),
            None => (rest, None),
        };
        let (path, asked) = match place {
            "" => {
                let frame = self.frame()?;
                (frame.path.clone(), frame.line)
            }
            place => self.place(place)?,
        };
        self.numbers += 1;
        let number = self.numbers;
        let has_condition = condition.is_some();
        self.breakpoints.push(Breakpoint {
            number,
            path: path.clone(),
            asked,
            condition,
            id: 0,
            line: None,
            message: String::new(),
        });
        self.send_breakpoints(&path)?;
        let own = self.breakpoints.iter().find(|own| own.number == number);
        let Some(own) = own else { return Ok(()) };
        if has_condition && own.line.is_none() && own.message.contains("is no expression") {
            let reason = own.message.clone();
            self.breakpoints.retain(|own| own.number != number);
            self.numbers -= 1;
            self.send_breakpoints(&path)?;
            return refused(reason);
        }
        self.view.say(&own.show());
        Ok(())
    }

    /// Tells the server all breakpoints of a file.
    fn send_breakpoints(&mut self, path: &str) -> Result<()> {
        let own = self.breakpoints.iter().filter(|own| own.path == path);
        let asked: Vec<Json> = own
            .map(|own| match &own.condition {
                Some(condition) => json!({ "line": own.asked, "condition": condition }),
                None => json!({ "line": own.asked }),
            })
            .collect();
        let arguments = json!({ "source": { "path": path }, "breakpoints": asked });
        let placed = self.client.ask("setBreakpoints", arguments)?;
        let placed = placed["breakpoints"].as_array().into_iter().flatten();
        let own = self.breakpoints.iter_mut().filter(|own| own.path == path);
        own.zip(placed).for_each(|(own, placed)| own.take(placed));
        Ok(())
    }

    /// The numbers that a user lists; none are all.
    fn numbers(rest: &str, known: &[u32], what: &str) -> Result<Vec<u32>> {
        let mut numbers = Vec::new();
        for word in rest.split([' ', ',']).filter(|word| !word.is_empty()) {
            match word.parse() {
                Ok(number) if known.contains(&number) => numbers.push(number),
                _ => return refused(format!("there is no {what} {word}")),
            }
        }
        Ok(if numbers.is_empty() { known.to_vec() } else { numbers })
    }

    fn delete(&mut self, rest: &str) -> Result<()> {
        let known: Vec<u32> = self.breakpoints.iter().map(|own| own.number).collect();
        let gone = Session::numbers(rest, &known, "breakpoint")?;
        let is_gone = |own: &Breakpoint| gone.contains(&own.number);
        let mut paths: Vec<String> = self
            .breakpoints
            .iter()
            .filter(|own| is_gone(own))
            .map(|own| own.path.clone())
            .collect();
        paths.dedup();
        self.breakpoints.retain(|own| !is_gone(own));
        for path in paths {
            self.send_breakpoints(&path)?;
        }
        Ok(())
    }

    fn info(&mut self, rest: &str) -> Result<()> {
        if !rest.is_empty() && ("breakpoints".starts_with(rest) || "watchpoints".starts_with(rest)) {
            if self.breakpoints.is_empty() && self.watches.is_empty() {
                self.view.say("there are no breakpoints, and nothing is watched");
            }
            self.breakpoints.iter().for_each(|own| self.view.say(&own.show()));
            let watched = self.watches.iter();
            watched.for_each(|watch| self.view.say(&format!("watch {}: {}", watch.number, watch.expression)));
            return Ok(());
        }
        if !rest.is_empty() && ("locals".starts_with(rest) || "args".starts_with(rest)) {
            let locals = self.locals()?;
            if locals.is_empty() {
                self.view.say("no variable is in scope");
            }
            self.view.variables(&locals);
            return Ok(());
        }
        refused("`info` tells of `breakpoints` or `locals`")
    }

    fn evaluate(&mut self, expression: &str, context: &str) -> Result<Json> {
        let frame = self.frame()?.id;
        self.client.ask(
            "evaluate",
            json!({ "expression": expression, "frameId": frame, "context": context }),
        )
    }

    fn print(&mut self, rest: &str) -> Result<()> {
        if rest.is_empty() {
            return refused("`print` takes an expression, such as `print n + 1`");
        }
        let value = self.evaluate(rest, "watch")?;
        let (shown, ty) = (text(&value["result"]), text(&value["type"]));
        self.view
            .say(&format!("{shown}{}", self.view.toned(Tone::Faint, &format!(": {ty}"))));
        if ty.starts_with('&')
            && value["variablesReference"]
                .as_i64()
                .is_some_and(|reference| reference > 0)
        {
            let mut parts = self.parts(&value["variablesReference"])?;
            let more = parts.len().saturating_sub(PARTS);
            parts.truncate(PARTS);
            self.view.variables(&parts);
            if more > 0 {
                self.view.say(&format!("  … {more} more"));
            }
        }
        Ok(())
    }

    /// A command of the server's console.
    fn console(&mut self, command: &str, rest: &str) -> Result<()> {
        if rest.is_empty() {
            return refused(format!("`{command}` takes an expression, such as `{command} n > 1`"));
        }
        let said = self.evaluate(&format!("{command} {rest}"), "repl")?;
        self.view.say(text(&said["result"]).trim_end_matches([' ', ':']));
        Ok(())
    }

    fn assign(&mut self, rest: &str) -> Result<()> {
        let Some((name, value)) = rest
            .split_once('=')
            .filter(|(name, value)| !name.trim().is_empty() && !value.trim().is_empty())
        else {
            return refused("`set` takes a variable and a value, such as `set n = 5`");
        };
        let (name, value) = (name.trim(), value.trim());
        let frame = self.frame()?.id;
        let set = self.client.ask(
            "setExpression",
            json!({ "expression": name, "value": value, "frameId": frame }),
        )?;
        self.view.say(&format!("{name} = {}", text(&set["value"])));
        Ok(())
    }

    fn watch(&mut self, rest: &str) -> Result<()> {
        if rest.is_empty() {
            return refused("`watch` takes an expression, such as `watch n`");
        }
        self.frame()?;
        let standing = self.standing()?;
        let height = standing.frames.len() - standing.selected;
        self.numbers += 1;
        let number = self.numbers;
        self.watches.push(Watch {
            number,
            expression: rest.to_string(),
            height,
        });
        let sent = self.send_watches();
        if self.watches.iter().any(|watch| watch.number == number) {
            self.view.say(&format!("watch {number}: {rest}"));
        } else {
            self.numbers -= 1;
        }
        sent
    }

    fn unwatch(&mut self, rest: &str) -> Result<()> {
        let known: Vec<u32> = self.watches.iter().map(|watch| watch.number).collect();
        let gone = Session::numbers(rest, &known, "watch")?;
        self.watches.retain(|watch| !gone.contains(&watch.number));
        if gone.is_empty() {
            return Ok(());
        }
        self.send_watches()
    }

    /// Tells the server all that is watched. What it does not take is watched no more.
    fn send_watches(&mut self) -> Result<()> {
        let mut asked = Vec::new();
        for watch in &self.watches {
            let standing = self.standing()?;
            // The frame may have got a new number: they count from the innermost.
            let index = standing.frames.len().checked_sub(watch.height);
            let frame = index
                .and_then(|index| standing.frames.get(index))
                .map_or(0, |frame| frame.id);
            asked.push(json!({ "name": watch.expression, "frameId": frame }));
        }
        let mut data = Vec::new();
        for arguments in asked {
            let info = self.client.ask("dataBreakpointInfo", arguments)?;
            data.push(json!({ "dataId": info["dataId"] }));
        }
        let placed = self.client.ask("setDataBreakpoints", json!({ "breakpoints": data }))?;
        let mut reason = None;
        let mut at = 0;
        self.watches.retain(|_| {
            let placed = &placed["breakpoints"][at];
            at += 1;
            if placed["verified"] != true {
                reason = Some(text(&placed["message"]));
            }
            placed["verified"] == true
        });
        reason.map_or(Ok(()), refused)
    }

    fn backtrace(&mut self) -> Result<()> {
        let (thread, selected) = {
            let standing = self.standing()?;
            (standing.thread, standing.selected)
        };
        // Arguments may have been set since.
        self.look_at(thread)?;
        if let State::Stands(standing) = &mut self.state {
            standing.selected = selected;
            for (number, frame) in standing.frames.iter().enumerate() {
                let mark = if number == selected { '>' } else { ' ' };
                let at = format!("{}:{}", source::short(&frame.path), frame.line);
                self.view.say(&format!("{mark}{number:>3}  {} at {at}", frame.name));
            }
        }
        Ok(())
    }

    fn select(&mut self, selected: usize) -> Result<()> {
        if let State::Stands(standing) = &mut self.state {
            match standing.frames.len() {
                0 => return refused(format!("VM {} is in no routine any more", standing.thread - 1)),
                count if selected >= count => return refused(format!("the outermost frame is {}", count - 1)),
                _ => standing.selected = selected,
            }
        }
        self.standing()?;
        self.show(&format!("frame {selected}"))
    }

    fn list(&mut self, rest: &str) -> Result<()> {
        let (path, first, marked) = match (rest, &self.listed) {
            ("", Some((path, next))) => (path.clone(), *next, None),
            ("", None) => {
                let frame = self
                    .frame()
                    .or_else(|_| refused("no file is looked at; write `list FILE:LINE`"))?;
                (
                    frame.path.clone(),
                    frame.line.saturating_sub(LISTED / 2),
                    Some(frame.line),
                )
            }
            (place, _) => {
                let (path, line) = self.place(place)?;
                (path, line.saturating_sub(LISTED / 2), None)
            }
        };
        let marked = marked.or_else(|| {
            self.frame()
                .ok()
                .filter(|frame| frame.path == path)
                .map(|frame| frame.line)
        });
        let first = first.max(1);
        let Some(last) = first.checked_add(LISTED - 1) else {
            return refused("there is no such line");
        };
        if self.view.lines(&path, first, last, marked) {
            self.listed = Some((path, last + 1));
            return Ok(());
        }
        refused(format!("`{}` has no line {first}", source::short(&path)))
    }

    /// Waits until a first launch has begun, and what has to be told is told. Says whether it has.
    fn first_launch(&mut self, stands: bool) -> Result<bool> {
        self.client.ask("configurationDone", json!({}))?;
        self.state = State::Runs;
        let begin = Instant::now();
        while !interrupted() && (self.program.is_some() || begin.elapsed() < PATIENCE) {
            match self.client.event(LOOK) {
                Incoming::Event(event) if event.name == "stopped" => return Ok(true),
                Incoming::Event(event) if event.name == "output" && !stands => return Ok(true),
                Incoming::Event(_) | Incoming::Nothing => {}
                Incoming::Closed => return Err(Failure::Closed),
            }
        }
        Ok(false)
    }

    /// Leaves the program to itself.
    fn leave(&mut self) -> Flow {
        match self.left() {
            Err(Failure::Closed) => self.ended(),
            _ => {
                self.view.say("the program goes on alone");
                Flow::End(self.program.as_mut().map_or(0, Program::wait))
            }
        }
    }

    fn left(&mut self) -> Result<()> {
        if let State::Before = self.state {
            // Its first launch waits for a debugger, and would wait for the next one if this left before.
            let paths: Vec<String> = self.breakpoints.drain(..).map(|own| own.path).collect();
            for path in paths {
                self.send_breakpoints(&path)?;
            }
            self.client.ask("setExceptionBreakpoints", json!({ "filters": [] }))?;
            self.first_launch(false)?;
        }
        self.client.ask("disconnect", json!({})).map(|_| ())
    }

    /// Ends the launch, and a program that was started here.
    fn kill(&mut self) -> Result<Flow> {
        let stands = match (&self.state, &self.program) {
            (State::Stands(_), _) => true,
            (State::Before, None) => {
                self.client.ask("pause", json!({}))?;
                self.first_launch(true)?
            }
            _ => false,
        };
        if stands {
            self.client.ask("terminate", json!({}))?;
            self.view.say("the launch is ended");
        }
        // Launches that follow are not debugged.
        let left = self.client.ask("disconnect", json!({}));
        match &mut self.program {
            Some(program) => {
                if !stands {
                    program.kill();
                }
                let code = program.end();
                self.view.say(&format!("the program has ended with exit code {code}"));
                Ok(Flow::End(code))
            }
            None => {
                if !stands {
                    left?;
                    self.view
                        .say("no launch is under way that could be ended; the program goes on alone");
                }
                Ok(Flow::End(0))
            }
        }
    }

    /// What may stand at the end of what is typed: where that begins, and the candidates.
    pub fn complete(&mut self, typed: &str) -> (usize, Vec<String>) {
        let Some((word, rest)) = typed.split_once(char::is_whitespace) else {
            let names = COMMANDS
                .iter()
                .map(|entry| entry.name)
                .filter(|name| name.starts_with(typed));
            return (0, names.map(str::to_string).collect());
        };
        let after = |at: fn(char) -> bool| typed.rfind(at).map_or(0, |found| found + 1);
        match parse(word) {
            Ok((Command::Info, _)) => {
                let topics = ["breakpoints", "locals"].into_iter();
                let topics = topics.filter(|topic| topic.starts_with(rest.trim_start()));
                (after(char::is_whitespace), topics.map(str::to_string).collect())
            }
            Ok((Command::Break | Command::List, _)) if !rest.contains(" if ") => {
                let at = after(char::is_whitespace);
                let begun = &typed[at..];
                let files = source::sources()
                    .into_iter()
                    .map(|path| path.to_string_lossy().into_owned());
                let is_begun = |path: &String| {
                    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
                    path.starts_with(begun) || name.starts_with(begun)
                };
                (at, files.filter(is_begun).map(|path| format!("{path}:")).collect())
            }
            Ok((Command::Help | Command::Quit | Command::Kill, _)) | Err(_) => (typed.len(), Vec::new()),
            Ok(_) => {
                let at = after(|letter| !letter.is_alphanumeric() && letter != '_');
                let Ok(frame) = self.frame().map(|frame| frame.id) else {
                    return (at, Vec::new());
                };
                let column = typed.chars().count() + 1;
                let arguments = json!({ "frameId": frame, "text": typed, "column": column });
                let found = self.client.ask("completions", arguments).unwrap_or_default();
                let found = found["targets"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|item| text(&item["label"]));
                let mut names: Vec<String> = found.filter(|name| name.starts_with(&typed[at..])).collect();
                names.sort();
                names.dedup();
                (at, names)
            }
        }
    }
}

impl Breakpoint {
    /// Takes in what the server says of it.
    fn take(&mut self, placed: &Json) {
        self.id = placed["id"].as_i64().unwrap_or(0);
        self.line = (placed["verified"] == true).then(|| number(&placed["line"]));
        self.message = text(&placed["message"]);
    }

    fn show(&self) -> String {
        let path = source::short(&self.path);
        let mut shown = format!(
            "breakpoint {} at {path}:{}",
            self.number,
            self.line.unwrap_or(self.asked)
        );
        if let Some(condition) = &self.condition {
            shown += &format!(" if {condition}");
        }
        if self.line.is_none() {
            shown += &format!(": {}", self.message);
        }
        shown
    }
}
