//! A [`Kernel`]: what each VM of a program does, put together of several routines. [`link_kernel`](crate::compile::link_kernel) makes a
//! [`Program`](crate::program::Program) of it; a program of one routine is the kernel that [`Kernel::of`] makes of the routine.
//!
//! A kernel computes *elements*: for one index, its calls one after the other. Values of them are stored, and [`Then`] folds
//! them. The results are the same bits as those of the routines run one by one over whole columns, whatever the engine and the settings,
//! and traps are the same ones; of several VMs' traps, the lowest VM's is the first, whichever call it is in.
//!
//! An element's columns are loaded before its calls, and may be before the calls of elements that come earlier in the same VM. So what
//! an element reads must not be what another one writes: a plan gives them memory of their own. For the same reason what a VM has read
//! through one parameter it must not write through another and read again: what it has read may be kept.
//!
//! # Indices
//!
//! In an element's calls `vm::id()` is the element's index and `vm::count()` the number of elements, also where one VM computes many
//! elements. A trap has the number of the VM, which is the element's index where each VM has one element.
//!
//! # Order
//!
//! Elements are folded in an order that depends on nothing but the number of elements n and of VMs V, or the chunk's size C. With `a ∘ b`
//! for `op(a, b)` and from left to right:
//!
//! | [`Then`] | VM v | computes |
//! |---|---|---|
//! | `Reduce` | v < V | `x[v] ∘ x[v + V] ∘ x[v + 2V] ∘ …`; a VM with v ≥ n halts and stores nothing |
//! | `ReduceChunks` | v < ⌈n/C⌉ | `x[vC] ∘ x[vC + 1] ∘ … ∘ x[min(vC + C, n) - 1]` |
//! | `ReduceSpans` | each with first < end | `x[first] ∘ x[first + step] ∘ …` below `end`, its own span; another one halts and stores nothing |
//! | `ReduceOwn` | each | `x[0] ∘ x[1] ∘ … ∘ x[C - 1]` of its own slices; a VM with fewer halts and stores nothing |
//! | `Scan` | v < ⌈n/C⌉ | `p[vC - 1] ∘ x[vC]`, `p[vC - 1] ∘ x[vC] ∘ x[vC + 1]`, …; VM 0 starts with `x[0]` |
//!
//! In a call of the operator, `vm::id()` is the index of its second argument.
//!
//! There are 2³¹ elements at most, and VMs times the size of a chunk are below 2³².
//!
//! # Messages
//!
//! In [`Then::Handle`] an element is a message, and a VM goes through those of one actor in order. The call gets the actor's state where it
//! lies ([`Input::State`]), so that each message finds what the one before it left, and a trap leaves what the routine alone would have
//! left. Here `vm::id()` is the actor's number and `vm::count()` the number of actors. Two VMs must not have the same actor.
//!
//! Launches may follow each other before it is known how the VMs of the earlier ones have ended: each actor says whether one is still at it,
//! and then a VM of a later launch leaves its messages alone. An actor whose VM has trapped or that has stopped stays that way.

mod build;
mod check;
mod count;
mod handle;
#[cfg(test)]
mod handle_tests;
mod identity;
mod key;
#[cfg(test)]
mod loop_tests;
mod loops;
mod memory;
mod nature;
#[cfg(test)]
mod random;
#[cfg(test)]
mod routines;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use nature::{Nature, nature};

pub(crate) use build::{Numbered, start};
pub(crate) use identity::pass_identity;

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU32;

use crate::routine::RoutineRef;
use crate::types::{Kind, Type, TypeRef};

/// What each VM of a program does: calls of routines, and what becomes of their results.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The program's name.
    pub name: String,
    /// The launch parameters: values, which each VM has of its own or all share (always the latter where a VM has several elements);
    /// `&[T]` slices, whole columns among them; `&mut T` records of each VM; `&mut [T]` slices, chunks of each VM for a routine, whole
    /// columns where the kernel itself writes them.
    pub params: Vec<TypeRef>,
    /// The type of the result's slot, which is launch parameter number `params.len()`; `()` without.
    pub result: TypeRef,
    /// What is called for an element, in order.
    pub calls: Vec<Call>,
    /// How many elements there are.
    pub count: Count,
    /// What is stored of each element, each value as soon as it is known, so that a later call's trap leaves what the routines one by one
    /// would have left. It goes to the VM's own record or, in a whole column, to the element's place.
    pub stores: Vec<Output>,
    /// What else becomes of the elements. `None` lets each VM compute one element; only then is there a record for each.
    pub then: Option<Then>,
}

/// A call of a routine.
#[derive(Clone, Debug)]
pub struct Call {
    /// The routine.
    pub routine: RoutineRef,
    /// Its arguments, one for each parameter.
    pub args: Vec<Input>,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A launch parameter as it is: a value, or a reference or slice handed on.
    Param(usize),
    /// A reference to the state of the actor whose messages the VM handles, in [`Then::Handle`].
    State,
    /// A reference to the entry that the message under way has in a launch parameter that is a whole column, `&mut [T]`, in
    /// [`Then::Handle`]. Its first word is 0 when the routine is called: so many values have been put into it.
    Room(usize),
    /// The element at the index in a launch parameter that is a whole column, `&[T]`, with at least as many elements as the kernel counts;
    /// in [`Then::ReduceOwn`] in the VM's own part of one, `&mut [T]`.
    Element(usize),
    /// The result of an earlier call.
    Call(usize),
    /// A field of a tuple or struct.
    Field(Box<Input>, usize),
    /// A tuple of several values.
    Tuple(Vec<Input>),
    /// The words of a constant value.
    Constant(Vec<u32>),
}

/// How many elements there are. All but [`Count::Vms`] and [`Count::Again`] may be less than there are VMs; VMs without elements halt at once.
#[derive(Clone, Debug, PartialEq)]
pub enum Count {
    /// One for each VM of the launch.
    Vms,
    /// As many as a launch parameter has, which is a slice.
    Slice(usize),
    /// As a launch parameter says, which is a `u32` or a `&[u32]` of one word.
    Cell(usize),
    /// As a launch parameter says, which is a `u32`, again and again: VM v has the element whose number is v modulo that.
    Again(usize),
    /// So many.
    Constant(u32),
    /// As many as there are chunks of so many elements.
    Chunks(Box<Count>, u32),
    /// As many, but at most so many.
    AtMost(Box<Count>, u32),
}

/// A value and the launch parameter that it goes to, a record of each VM or a whole column. `params.len()` is the result's slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The value.
    pub value: Input,
    /// The number of the parameter.
    pub to: usize,
}

/// What becomes of the elements.
#[derive(Clone, Debug)]
pub enum Then {
    /// Each VM folds elements as far apart as there are VMs, and stores what comes of it to its own record.
    Reduce {
        /// How to fold.
        op: Fold,
        /// What is folded, and where to.
        partial: Output,
    },
    /// Each VM folds the elements of its chunk, and stores what comes of it to its own record.
    ReduceChunks {
        /// How to fold.
        op: Fold,
        /// What is folded, and where to.
        partial: Output,
        /// Elements of a chunk.
        chunk: u32,
    },
    /// Each VM folds elements of a span of its own, and stores what comes of it to its own record.
    ReduceSpans {
        /// How to fold.
        op: Fold,
        /// What is folded, and where to.
        partial: Output,
        /// The call that gives a VM's span, `(first, step, end)`, each a `u32`. Its arguments are launch parameters and constants, and to it
        /// `vm::id()` is the VM's number. A step is not 0 where there is an element.
        span: Call,
        /// Whether there is code for one element at a time alone, where else a few are computed in a turn of a loop: that links sooner and runs longer.
        rolled: bool,
    },
    /// Each VM folds so many elements of slices of its own, and stores what comes of it to its own record. It is straight code, so
    /// engines know how long it takes; that suits short operators.
    ReduceOwn {
        /// How to fold.
        op: Fold,
        /// What is folded, and where to.
        partial: Output,
        /// How many elements.
        chunk: u32,
    },
    /// Each VM goes through its chunk and stores for each element what all up to it come to.
    Scan {
        /// How to fold.
        op: Fold,
        /// What is folded, and the column for what comes of it.
        prefix: Output,
        /// The column of what all chunks up to each come to, the scanned results of [`Then::ReduceChunks`]. `None` starts anew in each chunk.
        chunks: Option<usize>,
        /// Elements of a chunk.
        chunk: u32,
    },
    /// Each VM goes through the messages of one actor, and counts those it is done with. VMs past the mail halt at once.
    Handle {
        /// The `&mut [S]` of the actors' states.
        states: usize,
        /// The `&[(u32, u32, u32)]` of each VM's actor, its first message, and one past its last.
        mail: usize,
        /// The `&mut [u32]` of how many messages each VM has handled, up to date whenever a message is handled. A VM without messages
        /// stores nothing.
        handled: usize,
        /// The `&mut [u32]` of whether each actor is busy: 0 unless a VM has begun with its messages and has not come to their end. A VM
        /// whose actor is busy when it begins halts at once.
        busy: usize,
        /// What the routine has of its surroundings, if it has.
        around: Option<Around>,
        /// What a VM calls when its messages are handled or its actor has stopped, with launch parameters and constants as arguments and
        /// two more behind them: the number of its first message, and one past its last.
        after: Option<Call>,
    },
}

/// What a handler has of its surroundings: as more arguments the time, how far its letters have come, whether its actor stops, and the column
/// for messages that actors send, the letters. What an actor sends lies there together, in order, from its first message's number times
/// `sends` on. The VM halts after a message that stops the actor, which is busy from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Around {
    /// The `u64` of the messages' time stamp.
    pub now: usize,
    /// The `&mut u32` of where among the letters the next one goes, a record of each VM. The kernel lets it begin.
    pub sent: usize,
    /// The `&mut bool` of whether the actor is to stop after the message under way, a record of each VM.
    pub stopped: usize,
    /// The `&mut [(u32, M)]` of actors and what they are sent, `sends` for each message.
    pub letters: usize,
    /// The most messages that an actor sends while it handles one.
    pub sends: u32,
}

/// How to fold two values into one.
#[derive(Clone, Debug)]
pub enum Fold {
    /// By a routine of two parameters of one type, which it returns. The first argument is what was folded before.
    Routine(RoutineRef),
    /// The sum mod 2³² of `u32`; a `bool` counts as 0 or 1.
    Add,
}

impl Then {
    fn outputs_mut(&mut self) -> &mut [Output] {
        match self {
            Then::Reduce { partial: output, .. }
            | Then::ReduceChunks { partial: output, .. }
            | Then::ReduceSpans { partial: output, .. }
            | Then::ReduceOwn { partial: output, .. }
            | Then::Scan { prefix: output, .. } => std::slice::from_mut(output),
            Then::Handle { .. } => &mut [],
        }
    }
}

impl Kernel {
    /// The kernel that only calls a routine, with the launch parameters as arguments and the result in the result's slot.
    pub fn of(routine: impl Into<RoutineRef>) -> Kernel {
        let routine = routine.into();
        let args = (0..routine.params.len()).map(Input::Param).collect();
        let value = Input::Call(0);
        let to = routine.params.len();
        Kernel {
            name: routine.name.to_string(),
            params: routine.params.to_vec(),
            result: routine.result,
            calls: vec![Call { routine, args }],
            count: Count::Vms,
            stores: vec![Output { value, to }],
            then: None,
        }
    }

    /// The kernel that handles messages by a routine `fn(&mut S, M) -> A`, with the launch parameters
    ///
    /// | number | type | is |
    /// |---|---|---|
    /// | 0 | `&mut [S]` | each actor's state |
    /// | 1 | `&[(u32, u32, u32)]` | for each VM the actor, its first message, and one past its last |
    /// | 2 | `&[M]` | the messages |
    /// | 3 | `&mut [A]` | the answers to them |
    /// | 4 | `&mut [u32]` | for each VM how many messages it has handled |
    /// | 5 | `&mut [u32]` | whether each actor is busy |
    /// | 6 | `u64` | the time stamp of the messages, if `sends` is not 0 |
    /// | 7 | `&mut u32` | where among what is sent each VM's next goes, likewise |
    /// | 8 | `&mut bool` | whether each VM's actor is to stop after the message under way, likewise |
    /// | 9 | `&mut [(u32, M)]` | what actors send, `sends` entries for each message, likewise |
    /// | from 10 on | `&mut [(u32, [R; N])]` | the `rooms`: for each message how many values there are, and these |
    ///
    /// With `sends`, the most messages that an actor sends while it handles one, the routine is
    /// `fn(&mut S, M, u64, &mut u32, &mut bool, &mut [(u32, M)], …) -> A`, at last with a `&mut (u32, [R; N])` for each of the rooms.
    pub fn handler(routine: impl Into<RoutineRef>, params: [TypeRef; 10], sends: u32, rooms: &[TypeRef]) -> Kernel {
        let routine = routine.into();
        let [
            states,
            mail,
            messages,
            answers,
            handled,
            busy,
            now,
            sent,
            stopped,
            letters,
        ] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        let around = (sends > 0).then_some(Around {
            now,
            sent,
            stopped,
            letters,
            sends,
        });
        let mut args = vec![Input::State, Input::Element(messages)];
        let mut params = params.to_vec();
        match around {
            Some(_) => {
                args.extend([now, sent, stopped, letters].map(Input::Param));
                args.extend((params.len()..).zip(rooms).map(|(room, _)| Input::Room(room)));
                params.extend(rooms);
            }
            None => params.truncate(now),
        }
        Kernel {
            name: routine.name.to_string(),
            params,
            result: TypeRef::of::<()>(),
            calls: vec![Call { routine, args }],
            count: Count::Slice(states),
            stores: vec![Output {
                value: Input::Call(0),
                to: answers,
            }],
            then: Some(Then::Handle {
                states,
                mail,
                handled,
                busy,
                around,
                after: None,
            }),
        }
    }

    /// The same with one more launch parameter behind the others, which its routines and engines know of alone: the
    /// [log](crate::program::Log) of what they print, or what they [ask](crate::program::Questions).
    pub(crate) fn with_hidden(&self) -> Kernel {
        let mut kernel = self.clone();
        let result = kernel.params.len();
        kernel.params.push(TypeRef::of::<&[AtomicU32]>());
        let then = kernel.then.iter_mut().flat_map(Then::outputs_mut);
        for output in kernel
            .stores
            .iter_mut()
            .chain(then)
            .filter(|output| output.to == result)
        {
            output.to += 1;
        }
        kernel
    }

    /// The routines that it calls, the operator behind those of the elements, and the one that is called beside them last.
    pub(crate) fn routines(&self) -> impl Iterator<Item = &RoutineRef> {
        let calls = self.calls.iter().map(|call| &call.routine);
        calls
            .chain(self.operator())
            .chain(self.beside().map(|beside| &beside.routine))
    }

    /// What a VM calls once: what gives it a span, or what it does after its messages.
    pub(crate) fn beside(&self) -> Option<&Call> {
        match &self.then {
            Some(Then::ReduceSpans { span, .. }) => Some(span),
            Some(Then::Handle { after, .. }) => after.as_ref(),
            _ => None,
        }
    }

    /// The operator, if it is a routine.
    pub(crate) fn operator(&self) -> Option<&RoutineRef> {
        match self.then.as_ref()? {
            Then::Reduce { op, .. }
            | Then::ReduceChunks { op, .. }
            | Then::ReduceSpans { op, .. }
            | Then::ReduceOwn { op, .. }
            | Then::Scan { op, .. } => match op {
                Fold::Routine(routine) => Some(routine),
                Fold::Add => None,
            },
            Then::Handle { .. } => None,
        }
    }

    /// Whether one VM may compute several elements.
    pub(crate) fn is_loop(&self) -> bool {
        self.then.is_some()
    }

    /// Whether calls learn an index and a count that are not their VM's.
    pub(crate) fn has_indices(&self) -> bool {
        self.is_loop() || self.count != Count::Vms
    }

    /// Whether it only calls one routine, so that it is the routine's own program.
    pub(crate) fn is_single(&self) -> bool {
        self.calls.len() == 1 && !self.has_indices()
    }

    /// Whether its floats may be inexact on a GPU: its routines agree in that.
    pub(crate) fn is_relaxed(&self) -> bool {
        self.routines().any(|routine| routine.relaxed)
    }

    /// Calls `see` with all values that it names, and with all that they are made of.
    pub(crate) fn walk_inputs(&self, mut see: impl FnMut(&Input)) {
        let output = match &self.then {
            None | Some(Then::Handle { .. }) => None,
            Some(
                Then::Reduce { partial: output, .. }
                | Then::ReduceChunks { partial: output, .. }
                | Then::ReduceSpans { partial: output, .. }
                | Then::ReduceOwn { partial: output, .. }
                | Then::Scan { prefix: output, .. },
            ) => Some(output),
        };
        let args = self.calls.iter().chain(self.beside()).flat_map(|call| &call.args);
        let stored = self.stores.iter().chain(output).map(|output| &output.value);
        args.chain(stored).for_each(|input| input.walk(&mut see));
    }

    /// The launch parameters that are columns of which each element is read.
    pub(crate) fn elements_read(&self) -> BTreeSet<usize> {
        let mut read = BTreeSet::new();
        self.walk_inputs(|input| {
            if let Input::Element(param) = input {
                read.insert(*param);
            }
        });
        read
    }

    /// The type of a value, if that follows from itself: a tuple's does not.
    pub(crate) fn type_of(&self, input: &Input) -> Option<TypeRef> {
        match input {
            Input::Param(param) => self.params.get(*param).copied(),
            Input::State => match self.then {
                Some(Then::Handle { states, .. }) => self.reference_into(states),
                _ => None,
            },
            Input::Room(room) => match self.then {
                Some(Then::Handle { .. }) => self.reference_into(*room).filter(|room| room.ty.words > 0),
                _ => None,
            },
            Input::Element(param) => Some(TypeRef::value(self.column(*param)?)),
            Input::Call(call) => Some(self.calls.get(*call)?.routine.result),
            Input::Field(of, field) => match &**of {
                Input::Tuple(parts) => self.type_of(parts.get(*field)?),
                of => {
                    let ty = self.type_of(of).filter(|ty| ty.refs == 0)?;
                    Some(TypeRef::value(ty.ty.fields.get(*field)?.ty))
                }
            },
            Input::Tuple(_) | Input::Constant(_) => None,
        }
    }

    /// The type of a reference to an element of a launch parameter that is a whole column.
    fn reference_into(&self, param: usize) -> Option<TypeRef> {
        Some(TypeRef {
            ty: self.column(param)?,
            ..*self.params.get(param)?
        })
    }

    /// The type of the elements of a launch parameter that is a whole column.
    pub(crate) fn column(&self, param: usize) -> Option<&'static Type> {
        let param = self.params.get(param)?;
        let slice = param.refs == 1 && param.ty.kind == Kind::Slice;
        param.ty.element.filter(|element| slice && element.kind != Kind::Atomic)
    }
}

impl Input {
    /// Calls `see` with the value and all that it is made of.
    pub(crate) fn walk(&self, see: &mut impl FnMut(&Input)) {
        see(self);
        match self {
            Input::Field(of, _) => of.walk(see),
            Input::Tuple(parts) => parts.iter().for_each(|part| part.walk(see)),
            Input::Param(_)
            | Input::State
            | Input::Room(_)
            | Input::Element(_)
            | Input::Call(_)
            | Input::Constant(_) => {}
        }
    }

    /// How many calls have to come before it.
    pub(crate) fn calls(&self) -> usize {
        let mut calls = 0;
        self.walk(&mut |input| {
            if let Input::Call(call) = input {
                calls = calls.max(call + 1);
            }
        });
        calls
    }
}
