//! A debugging session over an execution.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::interp::{Vm, header, trap_site};
use gpuvm_core::program::{Activation, Home, Program, Status, VariableMap};
use gpuvm_core::types::TypeRef;
use gpuvm_engine::StopAt;
use gpuvm_runtime::{Budget, DetachedVm, Execution, Frozen, Signal};
use rayon::prelude::*;

use crate::breakpoint::{Breakpoint, Wanted};
use crate::expression::{Expression, ExpressionError};
use crate::guard::guard;
use crate::scope::{Names, Plain, column};
use crate::steps::{Place, Step, Steps};
use crate::value::Value;

/// How long a device runs between two looks at whether somebody wants it to pause.
const SLICE: Duration = Duration::from_millis(50);
/// Instructions of the VM that is looked at between two such looks.
const LOOK: u64 = 1 << 16;

/// What a debugger cannot do.
#[derive(Debug, thiserror::Error)]
pub enum DebugError {
    /// The launch's device fails, or the VM does not exist.
    #[error(transparent)]
    Runtime(#[from] gpuvm_runtime::Error),
    /// An expression has no value.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// There is no such activation.
    #[error("VM {vm} has no frame {frame}; it has {count}")]
    NoFrame {
        /// The VM.
        vm: u32,
        /// What was asked for, counted from the innermost, 0.
        frame: usize,
        /// How many it has.
        count: usize,
    },
    /// A variable's value is nowhere that it could be changed.
    #[error("`{name}` cannot be set: {reason}")]
    NotSet {
        /// The variable.
        name: String,
        /// Why.
        reason: String,
    },
}

type Result<T, E = DebugError> = std::result::Result<T, E>;

/// Why VMs stand still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// VMs stand in front of a breakpoint.
    Breakpoint {
        /// The breakpoints, by their places in [`Session::breakpoints`].
        breakpoints: Vec<usize>,
        /// How many VMs there are.
        vms: u32,
    },
    /// The VM has made its step.
    Step,
    /// The VM has trapped.
    Trap {
        /// What the native panic says.
        message: String,
        /// How many VMs have trapped at the same time.
        vms: u32,
    },
    /// What is watched has changed.
    Watch {
        /// The expression.
        expression: String,
        /// Its value before, and now; `None` on the way back.
        values: Option<(String, String)>,
    },
    /// What was watched is out of scope.
    OutOfScope {
        /// The expression.
        expression: String,
    },
    /// Somebody has asked for it.
    Paused,
    /// Nobody goes on before the host has answered what VMs ask.
    Blocked,
    /// There is no way further back.
    Beginning,
    /// The VM that is looked at has halted; others may not have.
    Halted,
    /// All VMs have stopped for good.
    End,
}

/// An activation on the stack of the VM that is looked at.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The routine.
    pub routine: String,
    /// The source file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The instruction.
    pub instruction: u32,
    /// Its parameters.
    pub arguments: Vec<Shown>,
    /// Its other variables in scope.
    pub variables: Vec<Shown>,
}

/// A variable and its value.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// Something whose changes are waited for.
struct Watch {
    expression: Expression,
    /// Calls below the activation that its names belong to, and which of its function's.
    calls: u32,
    scope: u32,
    last: Option<Vec<u32>>,
}

/// A debugging session: an execution, what VMs are to stop at, and the VM that is looked at.
///
/// Steps move that VM alone; [`resume`](Session::resume) lets all go on. When it [ends](Session::end) the execution goes on as any other. If it is dropped before, what was done
/// to that VM since all went on last is lost.
pub struct Session<'s, 'a> {
    execution: &'s mut Execution<'a>,
    program: Arc<Program>,
    parameters: Vec<String>,
    breakpoints: Vec<Breakpoint>,
    watches: Vec<Watch>,
    stops_on_traps: bool,
    /// The VMs whose traps were told.
    trapped: BTreeSet<u32>,
    vm: u32,
    detached: Option<DetachedVm>,
    /// Whether that stands elsewhere than in the execution.
    moved: bool,
    /// Whether it goes back to the VM's entry.
    from_entry: bool,
    /// Whether the VMs that stand in front of breakpoints have been told of, so that they go past.
    told: bool,
    /// What breakpoints have said.
    said: Vec<String>,
}

impl<'s, 'a> Session<'s, 'a> {
    /// A session over an execution, which looks at VM 0.
    pub fn new(execution: &'s mut Execution<'a>) -> Session<'s, 'a> {
        Session {
            program: execution.program().clone(),
            parameters: execution.parameters(),
            execution,
            breakpoints: Vec::new(),
            watches: Vec::new(),
            stops_on_traps: true,
            trapped: BTreeSet::new(),
            vm: 0,
            detached: None,
            moved: false,
            from_entry: false,
            told: false,
            said: Vec::new(),
        }
    }

    /// The execution.
    pub fn execution(&mut self) -> &mut Execution<'a> {
        self.execution
    }

    /// The VM that is looked at.
    pub fn vm(&self) -> u32 {
        self.vm
    }

    /// Looks at another VM.
    ///
    /// # Errors
    ///
    /// If there is no such VM, or when the device fails.
    pub fn select(&mut self, vm: u32) -> Result<()> {
        if vm != self.vm {
            self.put_back()?;
            self.execution.vm(vm)?;
            self.watches.clear();
            self.vm = vm;
        }
        Ok(())
    }

    /// Whether all are stopped when a VM traps. It is so at first.
    pub fn stop_on_traps(&mut self, stops: bool) {
        self.stops_on_traps = stops;
    }

    /// Replaces the breakpoints of a file. Those of other files stay.
    pub fn set_breakpoints(&mut self, file: &str, wanted: Vec<Wanted>) -> &[Breakpoint] {
        self.breakpoints.retain(|breakpoint| breakpoint.file != file);
        let first = self.breakpoints.len();
        let placed = wanted
            .into_iter()
            .map(|wanted| Breakpoint::place(&self.program, file, wanted));
        self.breakpoints.extend(placed);
        &self.breakpoints[first..]
    }

    /// The breakpoints.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// What breakpoints with a [`log`](Wanted::log) have said since this was called last.
    pub fn said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said)
    }

    /// Waits for changes of the value of an expression in a frame of the VM that is looked at. While there is such an expression that VM runs on this CPU.
    ///
    /// # Errors
    ///
    /// If the expression has no value there.
    pub fn watch(&mut self, frame: usize, expression: Expression) -> Result<()> {
        let (calls, scope) = self.with_frame(frame, |names| {
            expression.evaluate(names)?;
            let activation = names.activation;
            Ok(activation.map_or((0, 0), |activation| (activation.calls, activation.scope)))
        })?;
        self.watches.push(Watch {
            expression,
            calls,
            scope,
            last: None,
        });
        Ok(())
    }

    /// Waits for nothing any more.
    pub fn clear_watches(&mut self) {
        self.watches.clear();
    }

    /// The VM that is looked at, by itself.
    fn detached(&mut self) -> Result<&mut DetachedVm> {
        let detached = match self.detached.take() {
            Some(detached) => detached,
            None => {
                (self.moved, self.from_entry) = (false, false);
                self.execution.detach(self.vm)?
            }
        };
        Ok(self.detached.insert(detached))
    }

    /// Puts the VM that is looked at back to the others.
    fn put_back(&mut self) -> Result<()> {
        if let Some(detached) = self.detached.take()
            && self.moved
        {
            self.execution.attach(&detached)?;
            if detached.vm().status() != Status::Trapped {
                self.trapped.remove(&self.vm);
            }
        }
        self.moved = false;
        Ok(())
    }

    /// Lets all VMs go on, until something stops them or `interrupted` says so, which is asked some times a second.
    ///
    /// # Errors
    ///
    /// When the device fails, or a condition cannot be evaluated.
    pub fn resume(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Result<Stop> {
        if !self.watches.is_empty()
            && let Some(stop) = self.run_watched(interrupted)?
        {
            return Ok(stop);
        }
        self.put_back()?;
        self.execution.stop_at(self.stops());
        let mut passes = std::mem::replace(&mut self.told, true);
        loop {
            let signal = match passes {
                true => self.execution.advance(Budget::time(SLICE))?,
                false => self.execution.go_on(Budget::time(SLICE))?,
            };
            passes = false;
            let standing = self.execution.standing();
            if self.stops_on_traps
                && standing.trapped > self.trapped.len() as u32
                && let Some(stop) = self.first_trap()?
            {
                // Those in front of breakpoints are told of when VMs go on.
                self.told = standing.at_breakpoint == 0;
                return Ok(stop);
            }
            if standing.at_breakpoint > 0 {
                if let Some(stop) = self.stopped()? {
                    return Ok(stop);
                }
                passes = true;
            }
            match signal {
                Signal::Halt | Signal::Trap => return Ok(Stop::End),
                Signal::Blocked => return Ok(Stop::Blocked),
                _ => {}
            }
            if interrupted() {
                self.told = false;
                return Ok(Stop::Paused);
            }
        }
    }

    /// The instructions in front of which VMs stop, with what can be asked of them there.
    fn stops(&self) -> Vec<StopAt> {
        let map = self.program.variable_map();
        let mut stops = Vec::new();
        for breakpoint in &self.breakpoints {
            for &instruction in &breakpoint.instructions {
                let condition = breakpoint.wanted.condition.as_ref();
                let guard = condition.and_then(|condition| guard(condition, map.innermost(instruction).as_ref()));
                stops.push(StopAt { instruction, guard });
            }
        }
        stops
    }

    /// Looks at the first VM that has trapped since this was asked last, if one has.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn first_trap(&mut self) -> Result<Option<Stop>> {
        let frozen = self.execution.freeze(false)?;
        let trapped = |vm: &u32| frozen.stands(*vm).is_some_and(|(status, _)| status == Status::Trapped);
        let trapped: BTreeSet<u32> = (0..frozen.vms()).filter(trapped).collect();
        let new: Vec<u32> = trapped.difference(&self.trapped).copied().collect();
        self.trapped = trapped;
        let Some(&vm) = new.first() else {
            return Ok(None);
        };
        self.select(vm)?;
        Ok(Some(self.trap(new.len() as u32)?))
    }

    /// The trap of the VM that is looked at, which has trapped beside so many.
    fn trap(&mut self, vms: u32) -> Result<Stop> {
        let program = self.program.clone();
        let vm = self.detached()?.vm();
        let message = vm.trap.map(|record| {
            let site = trap_site(&program, &record);
            site.cause.message(record.words, &program.data)
        });
        Ok(Stop::Trap {
            message: message.unwrap_or_default(),
            vms,
        })
    }

    /// Whether breakpoints stop VMs that stand in front of them. Looks at the first of those VMs, unless the one that is looked at is among them.
    fn stopped(&mut self) -> Result<Option<Stop>> {
        let program = self.program.clone();
        let map = program.variable_map();
        let mut at: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, breakpoint) in self.breakpoints.iter().enumerate() {
            for instruction in &breakpoint.instructions {
                at.entry(*instruction).or_default().push(number);
            }
        }
        let asks = |breakpoint: &Breakpoint| breakpoint.wanted.condition.is_some() || breakpoint.wanted.log.is_some();
        let frozen = self.execution.freeze(self.breakpoints.iter().any(asks))?;
        let innermost = innermost(&map, at.keys().copied());
        let breakpoints = self.breakpoints.clone();
        let context = Hits {
            innermost: &innermost,
            frozen: &frozen,
            breakpoints: &breakpoints,
            at: &at,
            parameters: &self.parameters,
        };
        // In the order of the VMs.
        let found: Vec<(u32, Vec<usize>)> = (0..frozen.vms())
            .into_par_iter()
            .with_min_len(1 << 10)
            .filter_map(|vm| context.of(vm).transpose().map(|hits| hits.map(|hits| (vm, hits))))
            .collect::<Result<_>>()?;
        let mut stopped: Vec<(u32, Vec<usize>)> = Vec::new();
        for (vm, numbers) in found {
            let mut stops = Vec::new();
            for number in numbers {
                let breakpoint = &mut self.breakpoints[number];
                breakpoint.hits += 1;
                if breakpoint.hits <= breakpoint.wanted.ignore {
                    continue;
                }
                match &breakpoint.wanted.log {
                    Some(text) => self.said.push(context.said(text, vm)),
                    None => stops.push(number),
                }
            }
            if !stops.is_empty() {
                stopped.push((vm, stops));
            }
        }
        let own = stopped.iter().find(|(vm, _)| *vm == self.vm).or(stopped.first());
        let Some((vm, breakpoints)) = own.cloned() else {
            return Ok(None);
        };
        self.select(vm)?;
        Ok(Some(Stop::Breakpoint {
            breakpoints,
            vms: stopped.len() as u32,
        }))
    }

    /// Runs the VM that is looked at until something that is watched changes. `None` if it has come to its end, or to where others are needed.
    fn run_watched(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Result<Option<Stop>> {
        let program = self.program.clone();
        let map = program.variable_map();
        self.remember_watched(&map)?;
        let mut run = 0_u64;
        loop {
            let ended = self.advance_one()?;
            if let Some(stop) = self.watched(&map)? {
                return Ok(Some(stop));
            }
            if let Some(ended) = ended {
                return Ok(match ended {
                    Stop::Trap { .. } => Some(ended),
                    _ => None,
                });
            }
            if let Some(stop) = self.hit(&map)? {
                return Ok(Some(stop));
            }
            run += 1;
            if run.is_multiple_of(LOOK) && interrupted() {
                return Ok(Some(Stop::Paused));
            }
        }
    }

    /// Whether something that is watched has changed.
    fn watched(&mut self, map: &VariableMap<'_>) -> Result<Option<Stop>> {
        let Some(detached) = &self.detached else {
            return Ok(None);
        };
        let mut watches = std::mem::take(&mut self.watches);
        let mut stop = None;
        watches.retain_mut(|watch| {
            if detached.vm().calls < watch.calls {
                stop = Some(Stop::OutOfScope {
                    expression: watch.expression.to_string(),
                });
                return false;
            }
            // Where a callee runs, the activation's variables in words are not kept, and none of them changes but through memory.
            let stack = map.stack(detached.vm());
            let own = |activation: &&Activation<'_>| (activation.calls, activation.scope) == (watch.calls, watch.scope);
            let names = Names::of(detached, self.execution.vms(), stack.iter().find(own), &self.parameters);
            let Some((value, now)) = watch.expression.evaluate(&names).ok().and_then(|value| {
                let words = value.all_words()?;
                Some((value, words))
            }) else {
                return true;
            };
            match watch.last.replace(now.clone()) {
                Some(last) if last != now => {
                    let before = Value::known(value.ty, last);
                    stop = Some(Stop::Watch {
                        expression: watch.expression.to_string(),
                        values: Some((before.show(), value.show())),
                    });
                }
                _ => {}
            }
            true
        });
        self.watches = watches;
        Ok(stop)
    }

    /// Lets the VM that is looked at run one instruction. Gives why it cannot go on after that.
    fn advance_one(&mut self) -> Result<Option<Stop>> {
        self.moved = true;
        let status = self.detached()?.step();
        Ok(match status {
            Status::Running | Status::Yielded => None,
            Status::Blocked => Some(Stop::Blocked),
            Status::Halted => Some(Stop::Halted),
            Status::Trapped => {
                self.trapped.insert(self.vm);
                Some(self.trap(1)?)
            }
        })
    }

    /// Whether the VM that is looked at stands in front of a breakpoint that stops it.
    fn hit(&mut self, map: &VariableMap<'_>) -> Result<Option<Stop>> {
        let Some(detached) = &self.detached else {
            return Ok(None);
        };
        let ip = detached.vm().ip();
        let mut stops = Vec::new();
        for (number, breakpoint) in self.breakpoints.iter_mut().enumerate() {
            if !breakpoint.instructions.contains(&ip) {
                continue;
            }
            let stack = map.stack(detached.vm());
            let names = Names::of(detached, self.execution.vms(), stack.first(), &self.parameters);
            let holds = match &breakpoint.wanted.condition {
                Some(condition) => condition.holds(&names)?,
                None => true,
            };
            if holds {
                breakpoint.hits += 1;
                match &breakpoint.wanted.log {
                    _ if breakpoint.hits <= breakpoint.wanted.ignore => {}
                    Some(text) => self.said.push(filled(text, &names)),
                    None => stops.push(number),
                }
            }
        }
        Ok((!stops.is_empty()).then_some(Stop::Breakpoint {
            breakpoints: stops,
            vms: 1,
        }))
    }

    /// Lets the VM that is looked at make a step; all others stand still. A breakpoint or a trap on the way ends it.
    ///
    /// # Errors
    ///
    /// When the device fails, or a condition cannot be evaluated.
    pub fn step(&mut self, step: Step, interrupted: &mut dyn FnMut() -> bool) -> Result<Stop> {
        let program = self.program.clone();
        let map = program.variable_map();
        self.told = true;
        let steps = Steps::of(&program);
        let mut from = Place::of(&program, self.detached()?.vm());
        let mut last = from;
        self.remember_watched(&map)?;
        let mut run = 0_u64;
        loop {
            if let Some(stop) = self.advance_one()? {
                return Ok(stop);
            }
            let at = Place::of(&program, self.detached()?.vm());
            let ends = match step {
                Step::Instruction => true,
                Step::Out => at.is_out_of(&program, &from),
                Step::Over if at.is_below(&program, &from) => false,
                Step::In | Step::Over => {
                    let ends = steps.begins(Some(&last), &at);
                    last = at;
                    // Behind its activation the step goes on in the one that has called.
                    if at.is_out_of(&program, &from) {
                        from = at;
                    }
                    ends
                }
            };
            if ends {
                return Ok(Stop::Step);
            }
            if !self.watches.is_empty()
                && let Some(stop) = self.watched(&map)?
            {
                return Ok(stop);
            }
            if let Some(stop) = self.hit(&map)? {
                return Ok(stop);
            }
            run += 1;
            if run.is_multiple_of(LOOK) && interrupted() {
                return Ok(Stop::Paused);
            }
        }
    }

    /// Takes a step of the VM that is looked at back: to the last place before this one that such a step could have stopped at.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn step_back(&mut self, step: Step, interrupted: &mut dyn FnMut() -> bool) -> Result<Stop> {
        let program = self.program.clone();
        let here = Place::of(&program, self.detached()?.vm());
        let steps = Steps::of(&program);
        // What was called from here and has returned is not seen, so that the line which called it is one place.
        let mut last_seen: Option<Place> = None;
        let begins = |begins_anew: bool, detached: &DetachedVm| {
            let at = Place::of(&program, detached.vm());
            if begins_anew {
                last_seen = None;
            }
            let hidden = match step {
                Step::Instruction => return true,
                Step::In => false,
                Step::Over => at.is_below(&program, &here),
                Step::Out => !here.is_below(&program, &at),
            };
            if hidden {
                return false;
            }
            let begins = steps.begins(last_seen.as_ref(), &at);
            last_seen = Some(at);
            begins
        };
        match self.back_to_last(begins, interrupted)? {
            Some(true) => Ok(Stop::Step),
            Some(false) => Ok(Stop::Beginning),
            None => Ok(Stop::Paused),
        }
    }

    /// Lets the VM that is looked at run backwards, to the last time that it stood in front of a breakpoint or that something that is watched changed.
    ///
    /// # Errors
    ///
    /// When the device fails, or a condition cannot be evaluated.
    pub fn resume_back(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Result<Stop> {
        let program = self.program.clone();
        let map = program.variable_map();
        self.detached()?;
        let breakpoints = self.breakpoints.clone();
        let watches: Vec<(Expression, u32, u32)> = self
            .watches
            .iter()
            .map(|watch| (watch.expression.clone(), watch.calls, watch.scope))
            .collect();
        let (vms, parameters) = (self.execution.vms(), self.parameters.clone());
        let mut last: Vec<Option<Vec<u32>>> = vec![None; watches.len()];
        let stands = move |begins_anew: bool, detached: &DetachedVm| {
            if begins_anew {
                last.fill(None);
            }
            let ip = detached.vm().ip();
            let mut stops = false;
            let own: Vec<&Breakpoint> = breakpoints
                .iter()
                .filter(|breakpoint| breakpoint.wanted.log.is_none() && breakpoint.instructions.contains(&ip))
                .collect();
            if own.is_empty() && watches.is_empty() {
                return false;
            }
            let stack = map.stack(detached.vm());
            let names = |activation| Names::of(detached, vms, activation, &parameters);
            for breakpoint in own {
                let holds = |condition: &Expression| condition.holds(&names(stack.first())).unwrap_or(true);
                stops |= breakpoint.wanted.condition.as_ref().is_none_or(holds);
            }
            for ((expression, calls, scope), last) in watches.iter().zip(&mut last) {
                let activation = stack.iter().find(|at| (at.calls, at.scope) == (*calls, *scope));
                let now = expression
                    .evaluate(&names(activation))
                    .ok()
                    .and_then(|value| value.all_words());
                if let Some(now) = now {
                    stops |= last.as_ref().is_some_and(|last| *last != now);
                    *last = Some(now);
                }
            }
            stops
        };
        let found = self.back_to_last(stands, interrupted)?;
        match found {
            Some(true) => {
                let at = self.hits_here();
                let watched = self.watches.first().filter(|_| at.is_empty());
                Ok(match watched {
                    Some(watch) => Stop::Watch {
                        expression: watch.expression.to_string(),
                        values: None,
                    },
                    None => Stop::Breakpoint {
                        breakpoints: at,
                        vms: 1,
                    },
                })
            }
            Some(false) => Ok(Stop::Beginning),
            None => Ok(Stop::Paused),
        }
    }

    /// The breakpoints that the VM that is looked at stands in front of.
    fn hits_here(&self) -> Vec<usize> {
        let ip = self.detached.as_ref().map(|detached| detached.vm().ip());
        let numbered = self.breakpoints.iter().enumerate();
        let here = numbered.filter(|(_, breakpoint)| ip.is_some_and(|ip| breakpoint.instructions.contains(&ip)));
        here.map(|(number, _)| number).collect()
    }

    /// Lets what is watched be what it is now.
    fn remember_watched(&mut self, map: &VariableMap<'_>) -> Result<()> {
        if self.watches.is_empty() {
            return Ok(());
        }
        self.watches.iter_mut().for_each(|watch| watch.last = None);
        self.detached()?;
        self.watched(map).map(|_| ())
    }

    /// Takes the VM that is looked at back to the last position before this one at which something holds, or as far back as it can be. `holds` is asked at positions one after
    /// the other, and told where that begins anew. Whether something held; `None` if it was interrupted.
    fn back_to_last(
        &mut self,
        mut holds: impl FnMut(bool, &DetachedVm) -> bool,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<bool>> {
        // Where the search begins is no place to come to, but where it goes on with an older history is.
        let mut beyond = 0;
        loop {
            self.moved = true;
            let detached = self.detached()?;
            let begin = detached.position();
            let mut end = begin + beyond;
            let segments: Vec<u64> = detached.checkpoints().filter(|start| *start < end).collect();
            for start in segments.into_iter().rev() {
                detached.go_to(start);
                holds(true, detached);
                let mut found = None;
                while detached.position() + 1 < end {
                    detached.step();
                    if holds(false, detached) {
                        found = Some(detached.position());
                    }
                }
                if let Some(position) = found {
                    detached.go_to(position);
                    return Ok(Some(true));
                }
                // What begins at the start is told by the segment before.
                end = start + 1;
                if interrupted() {
                    detached.go_to(start);
                    return Ok(None);
                }
            }
            let earliest = detached.earliest();
            detached.go_to(earliest);
            beyond = u64::from(earliest < begin);
            if self.from_entry || !self.reach_back(interrupted)? {
                return Ok(Some(false));
            }
        }
    }

    /// Replaces the VM that is looked at by one that has come from its entry to where that stands. Whether that can be.
    fn reach_back(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Result<bool> {
        let Some(mut history) = self.execution.history(self.vm)? else {
            return Ok(false);
        };
        let target = self.detached()?;
        loop {
            if history.stands_as(target) {
                break;
            }
            let before = history.position();
            history.step();
            if history.position() == before || before.is_multiple_of(LOOK) && interrupted() {
                return Ok(false);
            }
        }
        self.detached = Some(history);
        self.from_entry = true;
        Ok(true)
    }

    /// The stack of the VM that is looked at, the innermost frame first.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn stack(&mut self) -> Result<Vec<Frame>> {
        let program = self.program.clone();
        let map = program.variable_map();
        let detached = self.detached()?;
        let vm = detached.vm();
        let frame = |activation: Activation<'_>| {
            let of = |parameters: bool| {
                let own = activation.variables.iter();
                let own = own.filter(|location| location.variable.is_parameter == parameters);
                own.map(|location| Shown {
                    name: location.variable.name.to_string(),
                    value: Value {
                        ty: location.variable.ty,
                        words: activation.read(location, vm),
                        is_untyped: false,
                    },
                })
                .collect()
            };
            Frame {
                routine: activation.routine.to_string(),
                file: activation.file.to_string(),
                line: activation.line,
                instruction: activation.at,
                arguments: of(true),
                variables: of(false),
            }
        };
        Ok(map.stack(vm).into_iter().map(frame).collect())
    }

    /// What the VM that is looked at sees of the launch's parameters.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn columns(&mut self) -> Result<Vec<Shown>> {
        let names = self.parameters.clone();
        let detached = self.detached()?;
        let shown = names.into_iter().enumerate().filter_map(|(index, name)| {
            let value = column(detached, index)?;
            Some(Shown { name, value })
        });
        Ok(shown.collect())
    }

    /// The value of an expression in a frame, 0 being the innermost, of the VM that is looked at.
    ///
    /// # Errors
    ///
    /// If it has none, or when the device fails.
    pub fn evaluate(&mut self, frame: usize, expression: &Expression) -> Result<Value> {
        self.with_frame(frame, |names| Ok(expression.evaluate(names)?))
    }

    /// Parts of a value of the VM that is looked at, each with what is written behind the whole to name it: `.x`, `[3]`.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn parts(&mut self, value: &Value, range: std::ops::Range<u32>) -> Result<Vec<(String, Value)>> {
        Ok(value.parts(&Plain(self.detached()?), range))
    }

    /// How many [parts](Session::parts) a value has.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn count(&mut self, value: &Value) -> Result<u32> {
        Ok(value.count(&Plain(self.detached()?)))
    }

    fn with_frame<T>(&mut self, frame: usize, use_names: impl FnOnce(&Names<'_, '_>) -> Result<T>) -> Result<T> {
        let program = self.program.clone();
        let (vms, parameters, number) = (self.execution.vms(), self.parameters.clone(), self.vm);
        let detached = self.detached()?;
        let stack = program.variable_map().stack(detached.vm());
        if frame > 0 && frame >= stack.len() {
            return Err(DebugError::NoFrame {
                vm: number,
                frame,
                count: stack.len(),
            });
        }
        use_names(&Names::of(detached, vms, stack.get(frame), &parameters))
    }

    /// Sets a variable of a frame to the value of an expression. The way back ends here.
    ///
    /// # Errors
    ///
    /// If there is no such variable, it is optimised away, or the value is of another type; or when the device fails.
    pub fn assign(&mut self, frame: usize, name: &str, expression: &Expression) -> Result<Value> {
        let not_set = |reason: &str| DebugError::NotSet {
            name: name.to_string(),
            reason: reason.to_string(),
        };
        let target = Expression::parse(name)?;
        let ty = self.with_frame(frame, |names| Ok(target.evaluate(names)?.ty))?;
        let value = self.with_frame(frame, |names| Ok(expression.evaluate_as(names, ty)?))?;
        let words = value
            .all_words()
            .ok_or_else(|| not_set("a part of the value is optimised away"))?;
        let homes: Option<Vec<(Home, u32)>> = self.with_frame(frame, |names| {
            let Some(activation) = names.activation else {
                return Ok(None);
            };
            let base = activation.frame_base;
            Ok(activation
                .variable(name)
                .map(|location| location.homes.iter().map(|home| (*home, base)).collect()))
        })?;
        let Some(homes) = homes else {
            return self.assign_in_memory(frame, name, ty, &words, value);
        };
        let fixed = |(home, _): &(Home, u32)| matches!(home, Home::Nowhere | Home::Constant(_));
        if homes.iter().any(fixed) {
            return Err(not_set(
                "the optimised program does not keep it in a place of its own; link with `Settings::debug()`",
            ));
        }
        let vm = self.detached()?.vm_mut();
        for ((home, base), word) in homes.into_iter().zip(words) {
            let place = match home {
                Home::Word(number) => vm.state.get_mut(header::WORD_0 + number as usize),
                Home::Frame(offset) => vm.frame.get_mut((base + offset) as usize),
                Home::Constant(_) | Home::Nowhere => None,
            };
            if let Some(place) = place {
                *place = word;
            }
        }
        self.moved = true;
        Ok(value)
    }

    /// Sets what an expression such as `cells[3].age` names in memory.
    fn assign_in_memory(
        &mut self,
        frame: usize,
        name: &str,
        ty: TypeRef,
        words: &[u32],
        value: Value,
    ) -> Result<Value> {
        let not_set = |reason: String| DebugError::NotSet {
            name: name.to_string(),
            reason,
        };
        let (whole, rest) = match name.rfind(['[', '.']) {
            Some(at) if at > 0 => (&name[..at], &name[at..]),
            _ => return Err(not_set("it is no variable".to_string())),
        };
        let whole = Expression::parse(whole)?;
        let at = self.with_frame(frame, |names| {
            let base = whole.evaluate(names)?;
            let index = match rest.strip_prefix('[') {
                Some(index) => {
                    let index = Expression::parse(index.trim_end_matches(']'))?.evaluate(names)?;
                    index.all_words().and_then(|words| words.first().copied())
                }
                None => None,
            };
            let element = index.filter(|_| base.is_slice()).zip(base.all_words());
            Ok(element.map(|(index, base)| (base[0], base[1].wrapping_add(index.wrapping_mul(ty.words())))))
        })?;
        let Some((space, offset)) = at else {
            return Err(not_set(
                "only variables and elements of slices can be set; set the whole variable".to_string(),
            ));
        };
        let detached = self.detached()?;
        for (offset, word) in (offset..).zip(words) {
            if !detached.set_word(space, offset, *word) {
                return Err(not_set(format!(
                    "it is in {}, which is not written",
                    crate::value::space_name(space)
                )));
            }
        }
        self.moved = true;
        Ok(value)
    }

    /// The VMs of which a condition holds in their innermost frames, as they stand. VMs for which it has no value are left out.
    ///
    /// # Errors
    ///
    /// If it has a value for no VM, or when the device fails.
    pub fn find(&mut self, condition: &Expression) -> Result<Vec<u32>> {
        let found = self.of_all(|names| condition.holds(names))?;
        Ok(found
            .into_iter()
            .filter(|(_, holds)| *holds)
            .map(|(vm, _)| vm)
            .collect())
    }

    /// The value of an expression in the innermost frame of every VM, and how many have it, the most frequent first.
    ///
    /// # Errors
    ///
    /// As [`Session::find`].
    pub fn histogram(&mut self, expression: &Expression) -> Result<Vec<(String, u32)>> {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for (_, value) in self.of_all(|names| Ok(expression.evaluate(names)?.show()))? {
            *counts.entry(value).or_default() += 1;
        }
        let mut counts: Vec<(String, u32)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(counts)
    }

    /// What something is of every VM that it can be told of.
    fn of_all<T: Send>(
        &mut self,
        of: impl Fn(&Names<'_, '_>) -> Result<T, ExpressionError> + Sync,
    ) -> Result<Vec<(u32, T)>> {
        if self.moved {
            let detached = self.detached()?.clone();
            self.execution.attach(&detached)?;
        }
        let program = self.program.clone();
        let map = program.variable_map();
        let frozen = self.execution.freeze(true)?;
        let parameters = &self.parameters;
        let places: BTreeSet<u32> = (0..frozen.vms()).filter_map(|vm| Some(frozen.stands(vm)?.1)).collect();
        let innermost = innermost(&map, places);
        let each = |vm: u32| {
            let state = frozen.vm(vm)?;
            let activation = innermost.get(&state.ip());
            Some((vm, of(&Names::among(&frozen, &state, activation, parameters))))
        };
        let all: Vec<(u32, Result<T, ExpressionError>)> = (0..frozen.vms())
            .into_par_iter()
            .with_min_len(1 << 10)
            .filter_map(each)
            .collect();
        let (mut known, mut error) = (Vec::new(), None);
        for (vm, value) in all {
            match value {
                Ok(value) => known.push((vm, value)),
                Err(reason) => error = error.or(Some(reason)),
            }
        }
        match error {
            Some(error) if known.is_empty() => Err(error.into()),
            _ => Ok(known),
        }
    }

    /// Lets the VM that was looked at join the others again, and takes the breakpoints away.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn end(mut self) -> Result<()> {
        self.execution.stop_at([]);
        self.put_back()
    }
}

/// What it takes to tell which breakpoints VMs stand in front of.
struct Hits<'m> {
    innermost: &'m BTreeMap<u32, Activation<'m>>,
    frozen: &'m Frozen,
    breakpoints: &'m [Breakpoint],
    at: &'m BTreeMap<u32, Vec<usize>>,
    parameters: &'m [String],
}

impl Hits<'_> {
    /// The breakpoints that stop a VM, if it stands in front of any.
    fn of(&self, vm: u32) -> Result<Option<Vec<usize>>> {
        let Some((Status::Running, ip)) = self.frozen.stands(vm) else {
            return Ok(None);
        };
        let Some(numbers) = self.at.get(&ip) else {
            return Ok(None);
        };
        let mut hits = Vec::new();
        for number in numbers {
            let holds = match &self.breakpoints[*number].wanted.condition {
                None => true,
                Some(condition) => match self.frozen.vm(vm) {
                    Some(state) => condition.holds(&self.names(&state))?,
                    None => false,
                },
            };
            if holds {
                hits.push(*number);
            }
        }
        Ok((!hits.is_empty()).then_some(hits))
    }

    fn names<'n>(&'n self, state: &'n Vm) -> Names<'n, 'n> {
        Names::among(self.frozen, state, self.innermost.get(&state.ip()), self.parameters)
    }

    /// What a breakpoint says of a VM.
    fn said(&self, text: &str, vm: u32) -> String {
        let state = self.frozen.vm(vm);
        state.map_or_else(String::new, |state| filled(text, &self.names(&state)))
    }
}

/// The innermost activations of VMs that stand at these instructions.
fn innermost<'p>(map: &VariableMap<'p>, places: impl IntoIterator<Item = u32>) -> BTreeMap<u32, Activation<'p>> {
    let activations = places.into_iter().filter_map(|ip| Some((ip, map.innermost(ip)?)));
    activations.collect()
}

/// A text with the values of what stands in braces.
fn filled(text: &str, names: &Names<'_, '_>) -> String {
    let id = names.vm.state[header::VM_ID];
    let mut out = format!("VM {id}: ");
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((expression, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        let value = Expression::parse(expression).and_then(|expression| expression.evaluate(names));
        match value {
            Ok(value) => out.push_str(&value.show()),
            Err(error) => out.push_str(&format!("<{error}>")),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}
