//! All VMs go on, until breakpoints, traps or somebody stop them.

use std::collections::{BTreeMap, BTreeSet};

use gpuvm_core::interp::{Vm, header, trap_site};
use gpuvm_core::program::{Activation, Status, VariableMap};
use gpuvm_engine::StopAt;
use gpuvm_runtime::{Budget, Frozen, Signal};
use rayon::prelude::*;

use super::{Result, SLICE, Session, Stop};
use crate::breakpoint::Breakpoint;
use crate::expression::Expression;
use crate::guard::guard;
use crate::scope::Names;

impl Session<'_, '_> {
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
    pub(super) fn stops(&self) -> Vec<StopAt> {
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
    pub(super) fn trap(&mut self, vms: u32) -> Result<Stop> {
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
    pub(super) fn stopped(&mut self) -> Result<Option<Stop>> {
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
pub(super) fn innermost<'p>(
    map: &VariableMap<'p>,
    places: impl IntoIterator<Item = u32>,
) -> BTreeMap<u32, Activation<'p>> {
    let activations = places.into_iter().filter_map(|ip| Some((ip, map.innermost(ip)?)));
    activations.collect()
}

/// A text with the values of what stands in braces.
pub(super) fn filled(text: &str, names: &Names<'_, '_>) -> String {
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
