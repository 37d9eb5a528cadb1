//! Adding nodes to a plan: what stands for a parameter is checked against it, and lengths meet.

use std::sync::Arc;

use gpuvm_core::kernel::nature;
use gpuvm_core::program::Mode;
use gpuvm_core::types::{Type, TypeRef, VmType};

use super::Plan;
use super::node::{Backing, Kind, Length, Node, Operand, Read, Sight, Use};
use crate::arg::{Arg, Argument};
use crate::entry::{Code, Entry};
use crate::error::{PlanError, Result};
use crate::handle::Handle;
use crate::store::{Store, make};
use crate::vector::Column;

/// A parameter of a node that is about to be added, for errors about it.
pub(super) struct Parameter<'n> {
    pub node: &'n str,
    pub name: String,
}

impl Parameter<'_> {
    fn wrong(&self, expected: String, found: String) -> PlanError {
        PlanError::Argument {
            node: self.node.to_string(),
            parameter: self.name.clone(),
            expected,
            found,
        }
    }
}

/// How many VMs a node has, and why.
#[derive(Clone)]
struct Decided {
    length: Length,
    by: String,
}

impl<'a> Plan<'a> {
    pub(super) fn push(
        &mut self,
        kind: Kind<'a>,
        operands: Vec<Operand>,
        element: &'static Type,
        length: Length,
    ) -> Handle {
        self.changed();
        // What is the caller's is there for all.
        let scope = self.scopes.last().copied().filter(|_| !kind.is_given());
        self.nodes.push(Node {
            kind,
            operands,
            element,
            length,
            scope,
        });
        self.handle(self.nodes.len() - 1)
    }

    pub(super) fn handle(&self, node: usize) -> Handle {
        Handle { plan: self.id, node }
    }

    pub(super) fn add_input(&mut self, column: Box<dyn Column + 'a>) -> Handle {
        let (element, length) = (column.element(), Length::Known(column.len()));
        self.push(Kind::Input(column), Vec::new(), element, length)
    }

    /// The node of a buffer, a new one unless the plan has it.
    pub(super) fn add_buffer(&mut self, store: &Arc<Store>) -> Handle {
        if let Some(known) = self.nodes.iter().position(|node| node.kind.is_buffer_of(store)) {
            return self.handle(known);
        }
        let (element, length) = (store.element, Length::Known(store.len));
        self.push_buffer(Backing::Given(Arc::clone(store)), element, length)
    }

    pub(super) fn add_zeros<T: VmType>(&mut self, length: usize) -> Handle {
        self.push_buffer(Backing::Zeros(make::<T>), T::TYPE, Length::Known(length))
    }

    fn push_buffer(&mut self, backing: Backing, element: &'static Type, length: Length) -> Handle {
        let writer = None;
        self.push(Kind::Buffer { backing, writer }, Vec::new(), element, length)
    }

    pub(super) fn add_map(
        &mut self,
        entry: impl Into<Entry>,
        args: Vec<Arg<'a>>,
        vms: Option<usize>,
    ) -> Result<Handle> {
        let of = uses(entry)?;
        let entry = &of.entry;
        let label = Kind::Map(of.clone()).label(self.nodes.len() + self.columns_among(&args));
        let params = &of.routine.params;
        if args.len() != params.len() {
            return Err(PlanError::ArgumentCount {
                node: label,
                expected: params.len(),
                parameters: entry.names(),
                found: args.len(),
            }
            .into());
        }
        let mut operands = Vec::with_capacity(args.len());
        for (index, (Arg(argument), ty)) in args.into_iter().zip(params.iter()).enumerate() {
            let parameter = Parameter {
                node: &label,
                name: entry.name(index).into_owned(),
            };
            operands.push(self.operand(&parameter, argument, *ty)?);
        }
        let decided = vms.map(|vms| Decided {
            length: Length::Known(vms),
            by: "`generate` says so".to_string(),
        });
        let length = self.count_vms(&label, entry, &mut operands, decided)?;
        self.check_chunks(&label, entry, &operands, length)?;
        self.claim(&label, &operands)?;
        let result = entry.result_type();
        Ok(self.push(Kind::Map(of), operands, result, length))
    }

    /// How many of the arguments become nodes of their own.
    fn columns_among(&self, args: &[Arg<'a>]) -> usize {
        let known = |store: &Arc<Store>| self.nodes.iter().any(|node| node.kind.is_buffer_of(store));
        let is_new = |arg: &&Arg<'_>| match &arg.0 {
            Argument::Read(_) => true,
            Argument::Buffer(store) => !known(store),
            _ => false,
        };
        args.iter().filter(is_new).count()
    }

    /// What stands for a parameter.
    fn operand(
        &mut self,
        parameter: &Parameter<'_>,
        argument: Argument<'a>,
        ty: TypeRef,
    ) -> Result<Operand, PlanError> {
        let Some((mode, element)) = Mode::of(ty) else {
            return Err(parameter.wrong("a parameter that a plan can give".to_string(), format!("`{ty}`")));
        };
        let node = match argument {
            Argument::Uniform(value) if mode == Mode::Value && value.element().same(element) => {
                return Ok(Operand::Value(value.into()));
            }
            Argument::Node(handle) => self.own(parameter, handle)?,
            Argument::Read(column) if !mode.writes() && column.element().same(element) => self.add_input(column).node,
            Argument::Buffer(store) if store.element.same(element) => self.add_buffer(&store).node,
            other => return Err(parameter.wrong(accepted(mode, element), other.found_for(mode, element))),
        };
        let Node { kind, element: has, .. } = &self.nodes[node];
        let fits = has.same(element) && (!mode.writes() || matches!(kind, Kind::Buffer { .. }));
        if !fits {
            let found = format!("a column of `{has}`, {}", kind.label(node));
            return Err(parameter.wrong(accepted(mode, element), found));
        }
        let mode = match mode {
            Mode::Value if ty.refs > 0 => Sight::OwnRef,
            Mode::Value => Sight::Own,
            Mode::Slice => Sight::Whole,
            Mode::Record => Sight::Record,
            Mode::Chunk | Mode::Whole => Sight::Chunk,
            Mode::Atomic => Sight::Atomic,
        };
        Ok(Operand::Node(Read { node, mode }))
    }

    /// The node of a handle that can be seen from where the next node is added.
    pub(super) fn own(&self, parameter: &Parameter<'_>, handle: Handle) -> Result<usize, PlanError> {
        self.own_within(&self.scopes, parameter, handle)
    }

    /// The node of a handle that can be seen inside of these loops.
    pub(super) fn own_within(
        &self,
        scopes: &[usize],
        parameter: &Parameter<'_>,
        handle: Handle,
    ) -> Result<usize, PlanError> {
        let node = self.known(handle).ok_or_else(|| PlanError::OtherPlan {
            node: parameter.node.to_string(),
            parameter: parameter.name.clone(),
        })?;
        match self.nodes[node].scope.filter(|scope| !scopes.contains(scope)) {
            None => Ok(node),
            Some(of) => Err(PlanError::Inside {
                node: parameter.node.to_string(),
                parameter: parameter.name.clone(),
                from: self.nodes[node].kind.label(node),
                of: self.nodes[of].kind.label(of),
            }),
        }
    }

    /// How many VMs a node has. Columns of one entry become values for all VMs where others have more or fewer.
    fn count_vms(
        &self,
        label: &str,
        entry: &Entry,
        operands: &mut [Operand],
        mut decided: Option<Decided>,
    ) -> Result<Length, PlanError> {
        let own = |operand: &Operand| {
            let read = operand.read()?;
            let own = matches!(read.mode, Sight::Own | Sight::OwnRef | Sight::Record);
            own.then(|| (read, self.nodes[read.node].length))
        };
        let lengths: Vec<Option<(Read, Length)>> = operands.iter().map(own).collect();
        let has_entries = |index: &usize| Decided {
            length: lengths[*index].map_or(Length::Known(1), |(_, length)| length),
            by: format!("`{}` has as many entries", entry.name(*index)),
        };
        let indices = || (0..lengths.len()).filter(|index| lengths[*index].is_some());
        let is_one = |index: &usize| has_entries(index).length == Length::Known(1);
        decided = decided
            .or_else(|| indices().find(|index| !is_one(index)).as_ref().map(has_entries))
            .or_else(|| indices().next().as_ref().map(has_entries));
        let Some(Decided { length, by }) = decided else {
            return Err(PlanError::NoVms {
                node: label.to_string(),
            });
        };
        for (index, operand) in operands.iter_mut().enumerate() {
            let Some((read, found)) = lengths[index] else {
                continue;
            };
            if found == length {
                continue;
            }
            if found != Length::Known(1) || read.mode == Sight::Record {
                return Err(PlanError::Length {
                    node: label.to_string(),
                    parameter: entry.name(index).into_owned(),
                    expected: self.entries(length),
                    found: self.entries(found),
                    decided_by: by,
                });
            }
            if read.mode == Sight::Own {
                *operand = Operand::Node(Read {
                    mode: Sight::Uniform,
                    ..read
                });
            }
        }
        Ok(length)
    }

    /// Whether VMs can share their buffers evenly, where it is known how many there are.
    fn check_chunks(&self, label: &str, entry: &Entry, operands: &[Operand], vms: Length) -> Result<(), PlanError> {
        let Length::Known(vms @ 1..) = vms else {
            return Ok(());
        };
        for (index, operand) in operands.iter().enumerate() {
            let chunks = operand.read().filter(|read| read.mode == Sight::Chunk);
            let length = chunks.map_or(0, |read| self.nodes[read.node].length.most());
            if !length.is_multiple_of(vms) {
                return Err(PlanError::Chunks {
                    node: label.to_string(),
                    parameter: entry.name(index).into_owned(),
                    length,
                    vms,
                });
            }
        }
        Ok(())
    }

    /// A length for people.
    pub(super) fn entries(&self, length: Length) -> String {
        match length {
            Length::Known(length) => length.to_string(),
            Length::Kept { filter, .. } => format!("as many as {} keeps", self.nodes[filter].kind.label(filter)),
        }
    }

    /// Notes that a node that is about to be added writes its buffers.
    fn claim(&mut self, label: &str, operands: &[Operand]) -> Result<(), PlanError> {
        let node = self.nodes.len();
        let writes = operands
            .iter()
            .filter_map(Operand::read)
            .filter(|read| read.mode.writes());
        let buffers: Vec<usize> = writes.map(|read| read.node).collect();
        for (index, &buffer) in buffers.iter().enumerate() {
            let Kind::Buffer { writer, .. } = &self.nodes[buffer].kind else {
                continue;
            };
            let first = match writer {
                Some(writer) => Some(self.nodes[*writer].kind.label(*writer)),
                None => buffers[..index].contains(&buffer).then(|| label.to_string()),
            };
            if let Some(first) = first {
                return Err(PlanError::TwoWriters {
                    buffer: self.nodes[buffer].kind.label(buffer),
                    first,
                    second: label.to_string(),
                });
            }
        }
        for buffer in buffers {
            if let Kind::Buffer { writer, .. } = &mut self.nodes[buffer].kind {
                *writer = Some(node);
            }
        }
        Ok(())
    }
}

/// A routine with what a plan has to know of it.
pub(super) fn uses(entry: impl Into<Entry>) -> Result<Use> {
    let entry = entry.into();
    let Code::Routine(routine) = entry.code() else {
        return Err(PlanError::Program {
            program: entry.id().to_string(),
        }
        .into());
    };
    let nature = nature(&routine, gpuvm_math::LIBRARY)?;
    Ok(Use { entry, routine, nature })
}

/// What is accepted for a parameter, as an error says it.
fn accepted(mode: Mode, element: &Type) -> String {
    match mode {
        Mode::Value => format!("a column of `{element}` or one `{element}` for all VMs"),
        Mode::Slice => format!("a column of `{element}`"),
        Mode::Record | Mode::Chunk | Mode::Atomic | Mode::Whole => format!("a buffer or zeros of `{element}`"),
    }
}
