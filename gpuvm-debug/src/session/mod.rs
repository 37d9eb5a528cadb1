//! A debugging session over an execution.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::program::{Program, Status};
use gpuvm_runtime::{DetachedVm, Execution};

use crate::breakpoint::{Breakpoint, Wanted};
use crate::expression::{Expression, ExpressionError};
use crate::value::Value;

mod assign;
mod back;
mod look;
mod resume;
mod step;

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
        execution.keep_variables(true);
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

    /// Lets the VM that was looked at join the others again, and takes the breakpoints away.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn end(mut self) -> Result<()> {
        self.execution.stop_at([]);
        self.execution.keep_variables(false);
        self.put_back()
    }
}
