//! What a client of the protocol asks, answered by a [`Session`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::TcpStream;
use std::path::Path;
use std::sync::mpsc::Receiver;

use emmy_dap_types::requests::{
    CompletionsArguments, DataBreakpointInfoArguments, EvaluateArguments, ScopesArguments, SetBreakpointsArguments,
    SetDataBreakpointsArguments, SetExceptionBreakpointsArguments, SetExpressionArguments, SetVariableArguments,
    StackTraceArguments, VariablesArguments,
};
use emmy_dap_types::responses::{EvaluateResponse, SetVariableResponse};
use emmy_dap_types::types::{
    Breakpoint as Placed, Capabilities, CompletionItem, EvaluateArgumentsContext, ExceptionBreakpointsFilter, Scope,
    Source, SourceBreakpoint, StackFrame, Thread, Variable,
};
use gpuvm_runtime::{Error, Execution, Result};
use serde_json::{Value as Json, json};

use super::Message;
use super::connection::{Output, Request};
use crate::breakpoint::{Wanted, is_file};
use crate::expression::Expression;
use crate::session::{DebugError, Session, Shown, Stop};
use crate::steps::Step;
use crate::value::Value;

/// What goes on between a client and the launches.
#[derive(Default)]
pub(crate) struct Adapter {
    output: Option<Output<TcpStream>>,
    /// Whether the client has said all that it wants before anything runs.
    is_ready: bool,
    /// By the path of the source as the client has it.
    breakpoints: BTreeMap<String, Vec<Asked>>,
    next_id: i64,
    /// Whether VMs that trap are not stopped at.
    passes_traps: bool,
    /// Whether the next launch stops before it begins.
    stops_on_entry: bool,
    /// What the client has numbers for while VMs stand.
    handles: Vec<Handle>,
    frames: Vec<(u32, usize)>,
    /// The VMs that it sees as threads.
    interest: BTreeSet<u32>,
    /// The trap at which VMs stand.
    trap: Option<String>,
}

/// A breakpoint as the client has asked for it.
struct Asked {
    id: i64,
    wanted: Result<Wanted, String>,
}

/// Something that the client can unfold.
#[derive(Clone)]
enum Handle {
    Locals(u32, usize),
    Columns(u32),
    Value {
        vm: u32,
        frame: usize,
        name: String,
        value: Value,
    },
}

/// How VMs go on.
#[derive(Clone, Copy, Debug)]
enum Way {
    Resume,
    ResumeBack,
    Step(Step),
    StepBack(Step),
}

/// What a request leads to.
enum Next {
    Stay,
    Go(Way),
    /// VMs stand, and somebody wants to look at them.
    Show,
    /// Nobody looks any more.
    Leave,
    /// The launch is to end.
    End,
}

type Answer = Result<Json, String>;

fn body(value: impl serde::Serialize) -> Answer {
    serde_json::to_value(value).map_err(|error| error.to_string())
}

fn told(error: DebugError) -> String {
    error.to_string()
}

impl Adapter {
    /// Whether a client is there and has said all that it wants before anything runs.
    pub fn is_ready(&self) -> bool {
        self.is_ready && self.output.is_some()
    }

    /// Sees to a message while no launch is under way.
    pub fn idle(&mut self, message: Message) {
        match message {
            Message::Attached(stream) => {
                *self = Adapter {
                    output: Some(Output::new(stream)),
                    ..Adapter::default()
                };
            }
            Message::Gone(reason) => self.gone(reason),
            Message::Asks(request) => {
                self.answer(None, &request);
            }
        }
    }

    /// The client has left, or talks nonsense.
    fn gone(&mut self, reason: Option<String>) {
        if let Some(reason) = reason {
            eprintln!("gpuvm: the debugger's client is let go: {reason}");
        }
        (self.output, self.is_ready) = (None, false);
    }

    fn event(&mut self, name: &str, body: Json) {
        if let Some(output) = &mut self.output
            && output.event(name, body).is_err()
        {
            self.output = None;
        }
    }

    fn say(&mut self, text: &str) {
        self.event(
            "output",
            json!({ "category": "console", "output": format!("{text}\n") }),
        );
    }

    /// Lets the client debug a launch, until that is over or the client has gone.
    pub fn launch(&mut self, execution: &mut Execution<'_>, stands: bool, messages: &Receiver<Message>) -> Result<()> {
        let (routine, vms) = (execution.routine().to_string(), execution.vms());
        let mut session = Session::new(execution);
        session.stop_on_traps(!self.passes_traps);
        self.interest = BTreeSet::from([0]);
        self.place(&mut session);
        self.say(&format!("`{routine}` begins with {vms} VMs"));
        let stops = std::mem::take(&mut self.stops_on_entry) || stands;
        let trap = if stands {
            session.first_trap().map_err(of_launch)?
        } else {
            None
        };
        let mut way = match (trap, stops) {
            (Some(trap), _) => {
                self.tell(&mut session, &trap);
                None
            }
            (None, true) => {
                self.stopped(&mut session, "entry", None, json!({}));
                None
            }
            (None, false) => Some(Way::Resume),
        };
        let mut waiting = VecDeque::new();
        loop {
            if let Some(on) = way {
                match self.go(&mut session, on, messages, &mut waiting)? {
                    Some(Stop::End | Stop::Blocked) => break,
                    Some(stop) => {
                        self.tell(&mut session, &stop);
                        way = None;
                    }
                    None => {}
                }
            }
            let message = match (way, waiting.pop_front()) {
                (_, Some(message)) => message,
                (Some(_), None) => continue,
                (None, None) => match messages.recv() {
                    Ok(message) => message,
                    Err(_) => break,
                },
            };
            match message {
                Message::Gone(reason) => {
                    self.gone(reason);
                    break;
                }
                Message::Attached(_) => self.idle(message),
                Message::Asks(request) => match self.answer(Some((&mut session, way.is_some())), &request) {
                    Next::Stay => {}
                    Next::Go(on) => way = Some(on),
                    Next::Show => {
                        way = None;
                        self.stopped(&mut session, "pause", None, json!({}));
                    }
                    Next::Leave => break,
                    Next::End => {
                        return Err(Error::Debugger {
                            reason: format!("the debugger's client has ended the launch of `{routine}`"),
                        });
                    }
                },
            }
        }
        session.end().map_err(of_launch)?;
        // What came while the last VMs ran.
        waiting.into_iter().for_each(|message| self.idle(message));
        let standing = execution.standing();
        for vm in std::mem::take(&mut self.interest) {
            self.event("thread", json!({ "reason": "exited", "threadId": thread_of(vm) }));
        }
        self.say(&format!(
            "`{routine}` goes on alone: {} VMs have halted, {} trapped",
            standing.halted, standing.trapped
        ));
        Ok(())
    }

    /// Lets VMs go on. `None` if only a message has interrupted them, which is among the waiting ones.
    fn go(
        &mut self,
        session: &mut Session<'_, '_>,
        way: Way,
        messages: &Receiver<Message>,
        waiting: &mut VecDeque<Message>,
    ) -> Result<Option<Stop>> {
        // A step would be another one if it was begun anew, so only who wants it to end interrupts it.
        let steps = !matches!(way, Way::Resume);
        let mut interrupted = || {
            let mut interrupts = false;
            while let Ok(message) = messages.try_recv() {
                interrupts |= match &message {
                    Message::Asks(request) => !steps || matches!(request.command.as_str(), "pause" | "disconnect"),
                    Message::Gone(_) | Message::Attached(_) => true,
                };
                waiting.push_back(message);
            }
            interrupts
        };
        let stop = match way {
            Way::Resume => session.resume(&mut interrupted),
            Way::ResumeBack => session.resume_back(&mut interrupted),
            Way::Step(step) => session.step(step, &mut interrupted),
            Way::StepBack(step) => session.step_back(step, &mut interrupted),
        };
        for text in session.said() {
            self.say(&text);
        }
        match stop {
            Ok(Stop::Paused) => Ok(None),
            Ok(stop) => Ok(Some(stop)),
            Err(DebugError::Runtime(error)) => Err(error),
            Err(error) => {
                self.say(&error.to_string());
                self.stopped(session, "pause", Some(error.to_string()), json!({}));
                Ok(Some(Stop::Paused))
            }
        }
    }

    /// Tells the client that VMs stand still, and why.
    fn tell(&mut self, session: &mut Session<'_, '_>, stop: &Stop) {
        self.trap = None;
        match stop {
            Stop::Breakpoint { breakpoints, vms } => {
                let ids: Vec<i64> = breakpoints
                    .iter()
                    .filter_map(|number| self.id_of(session, *number))
                    .collect();
                let text = match vms {
                    1 => None,
                    vms => Some(format!("{vms} VMs stand here")),
                };
                self.stopped(session, "breakpoint", text, json!({ "hitBreakpointIds": ids }));
            }
            Stop::Step => self.stopped(session, "step", None, json!({})),
            Stop::Trap { message, vms } => {
                self.trap = Some(message.clone());
                let text = match vms {
                    1 => message.clone(),
                    vms => format!("{message} (VM {} and {} more)", session.vm(), vms - 1),
                };
                self.stopped(session, "exception", Some(text), json!({}));
            }
            Stop::Watch { expression, values } => {
                let text = match values {
                    Some((before, now)) => format!("{expression}: {before} → {now}"),
                    None => expression.clone(),
                };
                self.stopped(session, "data breakpoint", Some(text), json!({}));
            }
            Stop::OutOfScope { expression } => {
                let text = format!("`{expression}` is out of scope");
                self.stopped(session, "data breakpoint", Some(text), json!({}));
            }
            Stop::Beginning => self.stopped(
                session,
                "step",
                Some("there is no way further back".to_string()),
                json!({}),
            ),
            Stop::Halted => {
                let text = format!("VM {} has halted", session.vm());
                self.stopped(session, "step", Some(text), json!({}));
            }
            Stop::Blocked => {
                let text = format!("VM {} waits for an answer", session.vm());
                self.stopped(session, "pause", Some(text), json!({}));
            }
            Stop::Paused | Stop::End => {}
        }
    }

    fn stopped(&mut self, session: &mut Session<'_, '_>, reason: &str, text: Option<String>, more: Json) {
        self.handles.clear();
        self.frames.clear();
        self.interest.insert(session.vm());
        let mut body = json!({
            "reason": reason,
            "threadId": thread_of(session.vm()),
            "allThreadsStopped": true,
        });
        if let Some(text) = text {
            body["description"] = text.clone().into();
            body["text"] = text.into();
        }
        if let (Some(body), Json::Object(more)) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        self.event("stopped", body);
    }

    /// The client's number of a breakpoint of the session.
    fn id_of(&self, session: &Session<'_, '_>, number: usize) -> Option<i64> {
        let breakpoint = session.breakpoints().get(number)?;
        let earlier = session.breakpoints()[..number]
            .iter()
            .filter(|other| other.file == breakpoint.file);
        let good = self
            .breakpoints
            .get(&breakpoint.file)?
            .iter()
            .filter(|asked| asked.wanted.is_ok());
        good.map(|asked| asked.id).nth(earlier.count())
    }

    /// Places all breakpoints in the program of a launch, and tells the client where they are.
    fn place(&mut self, session: &mut Session<'_, '_>) {
        let paths: Vec<String> = self.breakpoints.keys().cloned().collect();
        for path in paths {
            for placed in self.place_in(session, &path) {
                self.event("breakpoint", json!({ "reason": "changed", "breakpoint": placed }));
            }
        }
    }

    /// Places the breakpoints of a source.
    fn place_in(&self, session: &mut Session<'_, '_>, path: &str) -> Vec<Placed> {
        let asked = self.breakpoints.get(path).map_or(&[][..], Vec::as_slice);
        let wanted = asked.iter().filter_map(|asked| asked.wanted.clone().ok()).collect();
        let mut placed = session.set_breakpoints(path, wanted).iter();
        asked.iter().map(|asked| asked.placed(placed.by_ref())).collect()
    }

    /// Answers a request. With the session and whether its VMs run, if a launch is under way.
    fn answer(&mut self, session: Option<(&mut Session<'_, '_>, bool)>, request: &Request) -> Next {
        let (answer, next) = self.answered(session, request);
        if let Some(output) = &mut self.output
            && output.respond(request, answer).is_err()
        {
            self.output = None;
        }
        match request.command.as_str() {
            "initialize" => self.event("initialized", Json::Null),
            "disconnect" => self.gone(None),
            _ => {}
        }
        next
    }

    fn answered(&mut self, session: Option<(&mut Session<'_, '_>, bool)>, request: &Request) -> (Answer, Next) {
        let stay = |answer| (answer, Next::Stay);
        match request.command.as_str() {
            "initialize" => return stay(body(capabilities())),
            "attach" | "launch" => {
                self.stops_on_entry |= request.arguments["stopOnEntry"] == true;
                return stay(Ok(Json::Null));
            }
            "configurationDone" => {
                self.is_ready = true;
                return stay(Ok(Json::Null));
            }
            "disconnect" | "terminate" => {
                let ends = request.command == "terminate" || request.arguments["terminateDebuggee"] == true;
                return (Ok(Json::Null), if ends { Next::End } else { Next::Leave });
            }
            "setExceptionBreakpoints" => {
                return stay(
                    request
                        .arguments::<SetExceptionBreakpointsArguments>()
                        .map(|arguments| {
                            self.passes_traps = !arguments.filters.iter().any(|filter| filter == "trap");
                            if let Some((session, _)) = session {
                                session.stop_on_traps(!self.passes_traps);
                            }
                            Json::Null
                        }),
                );
            }
            "setBreakpoints" => return stay(self.set_breakpoints(session.map(|(session, _)| session), request)),
            "threads" => {
                let name = |vm: u32| match &session {
                    Some(_) => format!("VM {vm}"),
                    None => "no launch is under way".to_string(),
                };
                // A client that sees no thread has nothing to pause.
                let shown: Vec<u32> = match self.interest.is_empty() {
                    true => vec![0],
                    false => self.interest.iter().copied().collect(),
                };
                let threads = shown.into_iter().map(|vm| Thread {
                    id: thread_of(vm),
                    name: name(vm),
                });
                return stay(Ok(json!({ "threads": threads.collect::<Vec<_>>() })));
            }
            _ => {}
        }
        let Some((session, runs)) = session else {
            return match request.command.as_str() {
                "pause" => {
                    self.stops_on_entry = true;
                    stay(Ok(Json::Null))
                }
                "continue" => stay(Ok(Json::Null)),
                command => stay(Err(format!(
                    "`{command}` needs a launch that stands still, and none is under way"
                ))),
            };
        };
        if runs {
            return match request.command.as_str() {
                "pause" => (Ok(Json::Null), Next::Show),
                command => stay(Err(format!("`{command}` needs VMs that stand still, and they run"))),
            };
        }
        if let Some(thread) = request.arguments["threadId"].as_i64()
            && let Err(error) = self.select(session, thread)
        {
            return stay(Err(error));
        }
        let by_instruction = request.arguments["granularity"] == "instruction";
        let step = |step| if by_instruction { Step::Instruction } else { step };
        match request.command.as_str() {
            "continue" => (Ok(json!({ "allThreadsContinued": true })), Next::Go(Way::Resume)),
            "next" => (Ok(Json::Null), Next::Go(Way::Step(step(Step::Over)))),
            "stepIn" => (Ok(Json::Null), Next::Go(Way::Step(step(Step::In)))),
            "stepOut" => (Ok(Json::Null), Next::Go(Way::Step(step(Step::Out)))),
            "stepBack" => (Ok(Json::Null), Next::Go(Way::StepBack(step(Step::Over)))),
            "reverseContinue" => (Ok(Json::Null), Next::Go(Way::ResumeBack)),
            "pause" => (Ok(Json::Null), Next::Show),
            "evaluate" => match request.arguments() {
                Ok(arguments) => self.evaluate(session, &arguments),
                Err(error) => stay(Err(error)),
            },
            _ => stay(self.shown(session, request)),
        }
    }

    /// Requests that only look at VMs that stand.
    fn shown(&mut self, session: &mut Session<'_, '_>, request: &Request) -> Answer {
        match request.command.as_str() {
            "stackTrace" => self.stack(session, &request.arguments()?),
            "scopes" => self.scopes(&request.arguments()?),
            "variables" => self.variables(session, &request.arguments()?),
            "setVariable" => self.set_variable(session, &request.arguments()?),
            "setExpression" => {
                let arguments: SetExpressionArguments = request.arguments()?;
                let frame = self.frame(session, arguments.frame_id)?;
                let value = assign(session, frame, &arguments.expression, &arguments.value)?;
                Ok(json!({ "value": value.show() }))
            }
            "exceptionInfo" => match &self.trap {
                Some(message) => Ok(json!({
                    "exceptionId": "trap",
                    "description": message,
                    "breakMode": "always",
                    "details": { "message": message, "typeName": "trap" },
                })),
                None => Err("no VM has trapped here".to_string()),
            },
            "dataBreakpointInfo" => self.data_breakpoint(&request.arguments()?),
            "setDataBreakpoints" => set_data_breakpoints(session, &request.arguments()?),
            "completions" => {
                let arguments: CompletionsArguments = request.arguments()?;
                let frame = self.frame(session, arguments.frame_id)?;
                let stack = session.stack().map_err(told)?;
                let variables = stack
                    .get(frame)
                    .into_iter()
                    .flat_map(|frame| frame.arguments.iter().chain(&frame.variables));
                let item = |shown: &Shown| CompletionItem {
                    label: shown.name.clone(),
                    ..CompletionItem::default()
                };
                Ok(json!({ "targets": variables.map(item).collect::<Vec<_>>() }))
            }
            command => Err(format!("gpuvm's debugger has no `{command}`")),
        }
    }

    fn select(&mut self, session: &mut Session<'_, '_>, thread: i64) -> Result<(), String> {
        let vm = u32::try_from(thread - 1).map_err(|_| format!("there is no thread {thread}"))?;
        if vm != session.vm() {
            session.select(vm).map_err(told)?;
            self.interest.insert(vm);
            self.handles.clear();
            self.frames.clear();
        }
        Ok(())
    }

    fn set_breakpoints(&mut self, session: Option<&mut Session<'_, '_>>, request: &Request) -> Answer {
        let arguments: SetBreakpointsArguments = request.arguments()?;
        let path = arguments.source.path.ok_or("a breakpoint is in a source with a path")?;
        let mut asked = Vec::new();
        for breakpoint in arguments.breakpoints.unwrap_or_default() {
            self.next_id += 1;
            asked.push(Asked {
                id: self.next_id,
                wanted: wanted(&breakpoint),
            });
        }
        self.breakpoints.insert(path.clone(), asked);
        let placed = match session {
            Some(session) => self.place_in(session, &path),
            None => self.breakpoints[&path].iter().map(Asked::unplaced).collect(),
        };
        Ok(json!({ "breakpoints": placed }))
    }

    fn stack(&mut self, session: &mut Session<'_, '_>, arguments: &StackTraceArguments) -> Answer {
        let stack = session.stack().map_err(told)?;
        let total = stack.len();
        let first = arguments.start_frame.unwrap_or(0).max(0) as usize;
        let most = arguments
            .levels
            .filter(|levels| *levels > 0)
            .map_or(usize::MAX, |levels| levels as usize);
        let mut frames = Vec::new();
        for (number, frame) in stack.into_iter().enumerate().skip(first).take(most) {
            let given: Vec<String> = frame
                .arguments
                .iter()
                .map(|shown| format!("{} = {}", shown.name, shown.value.show()))
                .collect();
            frames.push(StackFrame {
                id: self.frame_id(session.vm(), number),
                name: format!("{}({})", frame.routine, given.join(", ")),
                source: Some(self.source(&frame.file)),
                line: frame.line.into(),
                column: 0,
                instruction_pointer_reference: Some(frame.instruction.to_string()),
                ..StackFrame::default()
            });
        }
        Ok(json!({ "stackFrames": frames, "totalFrames": total }))
    }

    fn frame_id(&mut self, vm: u32, frame: usize) -> i64 {
        let known = self.frames.iter().position(|known| *known == (vm, frame));
        let index = known.unwrap_or_else(|| {
            self.frames.push((vm, frame));
            self.frames.len() - 1
        });
        index as i64 + 1
    }

    /// The frame that the client means, of the VM that is looked at.
    fn frame(&mut self, session: &mut Session<'_, '_>, id: Option<i64>) -> Result<usize, String> {
        let Some(id) = id else { return Ok(0) };
        let known = usize::try_from(id - 1)
            .ok()
            .and_then(|index| self.frames.get(index))
            .copied();
        let (vm, frame) = known.ok_or_else(|| format!("there is no frame {id} any more"))?;
        if vm != session.vm() {
            session.select(vm).map_err(told)?;
        }
        Ok(frame)
    }

    /// A source file as the client has it, if it has told of it, or where it seems to be.
    fn source(&self, file: &str) -> Source {
        let known = self.breakpoints.keys().find(|path| is_file(file, path)).cloned();
        let here = || {
            let directory = std::env::current_dir().ok()?;
            let found = directory
                .ancestors()
                .map(|above| above.join(file))
                .find(|path| path.exists())?;
            Some(found.to_string_lossy().into_owned())
        };
        Source {
            name: Path::new(file)
                .file_name()
                .map(|name| name.to_string_lossy().into_owned()),
            path: known.or_else(here).or_else(|| Some(file.to_string())),
            ..Source::default()
        }
    }

    fn handle(&mut self, handle: Handle) -> i64 {
        self.handles.push(handle);
        self.handles.len() as i64
    }

    fn scopes(&mut self, arguments: &ScopesArguments) -> Answer {
        let known = usize::try_from(arguments.frame_id - 1)
            .ok()
            .and_then(|index| self.frames.get(index))
            .copied();
        let (vm, frame) = known.ok_or_else(|| format!("there is no frame {} any more", arguments.frame_id))?;
        let mut scope = |name: &str, handle, expensive| Scope {
            name: name.to_string(),
            variables_reference: self.handle(handle),
            expensive,
            ..Scope::default()
        };
        let scopes = [
            scope("Locals", Handle::Locals(vm, frame), false),
            scope("Launch", Handle::Columns(vm), true),
        ];
        Ok(json!({ "scopes": scopes }))
    }

    fn variables(&mut self, session: &mut Session<'_, '_>, arguments: &VariablesArguments) -> Answer {
        let index = usize::try_from(arguments.variables_reference - 1).ok();
        let handle = index.and_then(|index| self.handles.get(index)).cloned();
        let handle = handle.ok_or("what is to be unfolded is not there any more")?;
        let (Handle::Locals(vm, _) | Handle::Columns(vm) | Handle::Value { vm, .. }) = handle;
        if vm != session.vm() {
            session.select(vm).map_err(told)?;
        }
        let shown: Vec<(String, String, Value)> = match &handle {
            Handle::Locals(_, frame) => {
                let stack = session.stack().map_err(told)?;
                let frame = stack.get(*frame).ok_or("the frame is not there any more")?;
                let all = frame.arguments.iter().chain(&frame.variables);
                all.map(|shown| (shown.name.clone(), shown.name.clone(), shown.value.clone()))
                    .collect()
            }
            Handle::Columns(_) => {
                let columns = session.columns().map_err(told)?;
                columns
                    .into_iter()
                    .map(|shown| (shown.name.clone(), shown.name, shown.value))
                    .collect()
            }
            Handle::Value { name, value, .. } => {
                let start = arguments.start.unwrap_or(0).max(0) as u32;
                let count = arguments
                    .count
                    .filter(|count| *count > 0)
                    .map_or(MOST_PARTS, |count| count as u32);
                let parts = session
                    .parts(value, start..start.saturating_add(count.min(MOST_PARTS)))
                    .map_err(told)?;
                let named = parts.into_iter().map(|(suffix, part)| {
                    let whole = match suffix.as_str() {
                        "*" => format!("*{name}"),
                        suffix => format!("{name}{suffix}"),
                    };
                    (suffix.trim_start_matches('.').to_string(), whole, part)
                });
                named.collect()
            }
        };
        let frame = match handle {
            Handle::Locals(_, frame) | Handle::Value { frame, .. } => frame,
            Handle::Columns(_) => 0,
        };
        let mut variables = Vec::new();
        for (name, whole, value) in shown {
            variables.push(self.variable(session, (vm, frame), name, whole, value)?);
        }
        Ok(json!({ "variables": variables }))
    }

    fn variable(
        &mut self,
        session: &mut Session<'_, '_>,
        (vm, frame): (u32, usize),
        name: String,
        whole: String,
        value: Value,
    ) -> Result<Variable, String> {
        let parts = session.count(&value).map_err(told)?;
        let indexed = (value.len().is_some() && parts > 0).then_some(i64::from(parts));
        Ok(Variable {
            name,
            value: value.show(),
            type_field: Some(value.ty.to_string()),
            evaluate_name: Some(whole.clone()),
            indexed_variables: indexed,
            variables_reference: match parts {
                0 => 0,
                _ => self.handle(Handle::Value {
                    vm,
                    frame,
                    name: whole,
                    value,
                }),
            },
            ..Variable::default()
        })
    }

    fn set_variable(&mut self, session: &mut Session<'_, '_>, arguments: &SetVariableArguments) -> Answer {
        let index = usize::try_from(arguments.variables_reference - 1).ok();
        let handle = index.and_then(|index| self.handles.get(index)).cloned();
        let (frame, name) = match handle.ok_or("what is to be set is not there any more")? {
            Handle::Locals(_, frame) => (frame, arguments.name.clone()),
            Handle::Columns(_) => (0, arguments.name.clone()),
            Handle::Value { frame, name, .. } => match arguments.name.starts_with('[') {
                true => (frame, format!("{name}{}", arguments.name)),
                false => (frame, format!("{name}.{}", arguments.name)),
            },
        };
        let value = assign(session, frame, &name, &arguments.value)?;
        body(SetVariableResponse {
            value: value.show(),
            type_field: Some(value.ty.to_string()),
            ..SetVariableResponse::default()
        })
    }

    fn data_breakpoint(&mut self, arguments: &DataBreakpointInfoArguments) -> Answer {
        let index = arguments
            .variables_reference
            .and_then(|reference| usize::try_from(reference - 1).ok());
        let (frame, name) = match index.and_then(|index| self.handles.get(index)) {
            Some(Handle::Value { frame, name, .. }) if arguments.name.starts_with('[') => {
                (*frame, format!("{name}{}", arguments.name))
            }
            Some(Handle::Value { frame, name, .. }) => (*frame, format!("{name}.{}", arguments.name)),
            Some(Handle::Locals(_, frame)) => (*frame, arguments.name.clone()),
            Some(Handle::Columns(_)) => (0, arguments.name.clone()),
            None => {
                let known = arguments.frame_id.and_then(|id| usize::try_from(id - 1).ok());
                let frame = known
                    .and_then(|index| self.frames.get(index))
                    .map_or(0, |(_, frame)| *frame);
                (frame, arguments.name.clone())
            }
        };
        Ok(json!({
            "dataId": format!("{frame} {name}"),
            "description": format!("changes of `{name}`"),
            "accessTypes": ["write"],
            "canPersist": false,
        }))
    }

    /// The value of an expression; or what a command says, where the client has a console.
    fn evaluate(&mut self, session: &mut Session<'_, '_>, arguments: &EvaluateArguments) -> (Answer, Next) {
        let is_console = matches!(arguments.context, Some(EvaluateArgumentsContext::Repl));
        if is_console && let Some((answer, next)) = self.command(session, arguments) {
            return (
                answer.and_then(|result| {
                    body(EvaluateResponse {
                        result,
                        ..EvaluateResponse::default()
                    })
                }),
                next,
            );
        }
        let answer = (|| {
            let frame = self.frame(session, arguments.frame_id)?;
            let expression = Expression::parse(&arguments.expression).map_err(|error| error.to_string())?;
            let value = session.evaluate(frame, &expression).map_err(told)?;
            let vm = session.vm();
            let name = arguments.expression.clone();
            let shown = self.variable(session, (vm, frame), name.clone(), name, value)?;
            body(EvaluateResponse {
                result: shown.value,
                type_field: shown.type_field,
                variables_reference: shown.variables_reference,
                indexed_variables: shown.indexed_variables,
                ..EvaluateResponse::default()
            })
        })();
        (answer, Next::Stay)
    }

    /// What the console knows beside expressions.
    fn command(
        &mut self,
        session: &mut Session<'_, '_>,
        arguments: &EvaluateArguments,
    ) -> Option<(Result<String, String>, Next)> {
        let text = arguments.expression.trim();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let expression = || Expression::parse(rest).map_err(|error| error.to_string());
        let stay = |answer| Some((answer, Next::Stay));
        match word {
            "help" => stay(Ok(HELP.to_string())),
            "vm" => Some(match rest.trim().parse::<u32>() {
                Ok(vm) => match self.select(session, thread_of(vm)) {
                    Ok(()) => (Ok(format!("VM {vm}")), Next::Show),
                    Err(error) => (Err(error), Next::Stay),
                },
                Err(_) => (Err("`vm` is followed by a number".to_string()), Next::Stay),
            }),
            "find" => stay(expression().and_then(|condition| {
                let found = session.find(&condition).map_err(told)?;
                self.interest.extend(found.iter().take(MOST_FOUND));
                let listed: Vec<String> = found.iter().take(MOST_FOUND).map(u32::to_string).collect();
                let more = if found.len() > MOST_FOUND { ", …" } else { "" };
                Ok(format!("{} VMs: {}{more}", found.len(), listed.join(", ")))
            })),
            "histogram" => stay(expression().and_then(|expression| {
                let counts = session.histogram(&expression).map_err(told)?;
                let lines: Vec<String> = counts
                    .iter()
                    .take(MOST_FOUND)
                    .map(|(value, count)| format!("{count:>9} {value}"))
                    .collect();
                Ok(lines.join("\n"))
            })),
            _ => {
                let (name, value) = assignment(text)?;
                let frame = match self.frame(session, arguments.frame_id) {
                    Ok(frame) => frame,
                    Err(error) => return stay(Err(error)),
                };
                let set = assign(session, frame, name, value).map(|value| value.show());
                if set.is_ok() {
                    self.event("invalidated", json!({ "areas": ["variables"] }));
                }
                stay(set)
            }
        }
    }
}

/// What the console says of itself.
const HELP: &str = "an expression, as in Rust     its value here
a = b                         sets a variable, or an element of a slice
vm 17                         looks at VM 17
find n > 10 && steps == 3     the VMs of which it holds, as they stand
histogram steps               how many VMs have which value";

/// The most parts of a value that are told at a time.
const MOST_PARTS: u32 = 10_000;
/// The most VMs, or values, that are listed.
const MOST_FOUND: usize = 32;

/// The client's number of a VM.
fn thread_of(vm: u32) -> i64 {
    i64::from(vm) + 1
}

/// What an error of the end of a session is to the launch.
fn of_launch(error: DebugError) -> Error {
    match error {
        DebugError::Runtime(error) => error,
        other => Error::Debugger {
            reason: other.to_string(),
        },
    }
}

/// The sides of an assignment.
fn assignment(text: &str) -> Option<(&str, &str)> {
    let at = text.find('=')?;
    let (name, value) = (&text[..at], &text[at + 1..]);
    let compares = value.starts_with('=') || name.ends_with(['=', '!', '<', '>']);
    (!compares && !name.trim().is_empty()).then(|| (name.trim(), value.trim()))
}

fn assign(session: &mut Session<'_, '_>, frame: usize, name: &str, value: &str) -> Result<Value, String> {
    let value = Expression::parse(value).map_err(|error| error.to_string())?;
    session.assign(frame, name, &value).map_err(told)
}

fn set_data_breakpoints(session: &mut Session<'_, '_>, arguments: &SetDataBreakpointsArguments) -> Answer {
    session.clear_watches();
    let mut placed = Vec::new();
    for breakpoint in &arguments.breakpoints {
        let (frame, name) = breakpoint
            .data_id
            .split_once(' ')
            .ok_or("this is no data that was told of")?;
        let frame: usize = frame.parse().map_err(|_| "this is no data that was told of")?;
        let watched = Expression::parse(name).map_err(|error| error.to_string());
        let watched = watched.and_then(|expression| session.watch(frame, expression).map_err(told));
        placed.push(Placed {
            verified: watched.is_ok(),
            message: watched.err(),
            ..Placed::default()
        });
    }
    Ok(json!({ "breakpoints": placed }))
}

/// What a breakpoint of the client's asks for.
fn wanted(breakpoint: &SourceBreakpoint) -> Result<Wanted, String> {
    let condition = breakpoint.condition.as_deref().filter(|text| !text.trim().is_empty());
    let condition = condition
        .map(Expression::parse)
        .transpose()
        .map_err(|error| error.to_string())?;
    let ignore = match breakpoint.hit_condition.as_deref().map(str::trim) {
        None | Some("") => 0,
        Some(text) => {
            let count = text.trim_start_matches(['>', '=', ' ']).parse::<u64>();
            let count = count.map_err(|_| format!("`{text}` is no number of hits"))?;
            count.saturating_sub(1)
        }
    };
    Ok(Wanted {
        line: u32::try_from(breakpoint.line).map_err(|_| format!("there is no line {}", breakpoint.line))?,
        condition,
        ignore,
        log: breakpoint.log_message.clone().filter(|text| !text.is_empty()),
    })
}

impl Asked {
    /// How it is placed, given where those without mistakes are.
    fn placed<'b>(&self, placed: &mut impl Iterator<Item = &'b crate::breakpoint::Breakpoint>) -> Placed {
        let plain = self.unplaced();
        if self.wanted.is_err() {
            return plain;
        }
        match placed.next().and_then(|breakpoint| breakpoint.line) {
            Some(line) => Placed {
                verified: true,
                line: Some(line.into()),
                message: None,
                ..plain
            },
            None => Placed {
                message: Some("no code of the launch that is under way comes from here".to_string()),
                ..plain
            },
        }
    }

    fn unplaced(&self) -> Placed {
        Placed {
            id: Some(self.id),
            verified: false,
            message: Some(match &self.wanted {
                Ok(_) => "it is placed when a launch begins".to_string(),
                Err(reason) => reason.clone(),
            }),
            ..Placed::default()
        }
    }
}

/// What the server can do.
fn capabilities() -> Capabilities {
    let yes = Some(true);
    Capabilities {
        supports_configuration_done_request: yes,
        supports_conditional_breakpoints: yes,
        supports_hit_conditional_breakpoints: yes,
        supports_log_points: yes,
        supports_evaluate_for_hovers: yes,
        supports_step_back: yes,
        supports_set_variable: yes,
        supports_set_expression: yes,
        supports_completions_request: yes,
        supports_exception_info_request: yes,
        supports_data_breakpoints: yes,
        supports_stepping_granularity: yes,
        supports_terminate_request: yes,
        support_terminate_debuggee: yes,
        exception_breakpoint_filters: Some(vec![ExceptionBreakpointsFilter {
            filter: "trap".to_string(),
            label: "Traps".to_string(),
            description: Some("Stop when a VM traps, where the native function would panic".to_string()),
            default: yes,
            ..ExceptionBreakpointsFilter::default()
        }]),
        ..Capabilities::default()
    }
}

#[cfg(test)]
mod tests {
    use super::assignment;

    #[test]
    fn an_assignment_is_no_comparison() {
        assert_eq!(assignment("n = 5"), Some(("n", "5")));
        assert_eq!(assignment("cells[3] = a == b"), Some(("cells[3]", "a == b")));
        for text in ["n == 5", "n <= 5", "n >= 5", "n != 5", "n", "= 5"] {
            assert_eq!(assignment(text), None, "{text}");
        }
    }
}
