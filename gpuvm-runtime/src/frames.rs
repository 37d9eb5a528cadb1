//! The activations on a VM's stack and their variables, as texts.

use std::fmt;

use gpuvm_core::interp::Vm;
use gpuvm_core::program::{Activation, Location, Program};
use gpuvm_core::types::show_words;

/// One variable of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableView {
    /// Its name; that of a routine which was inlined stands before it, as in `turn::angle`.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// Its value as `{:?}` prints it, with `?` for what is not kept any more, or not yet.
    pub value: String,
}

/// One activation of a routine: the one that runs, or one that has made a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameView {
    /// The routine.
    pub routine: String,
    /// The source file that it is in.
    pub file: String,
    /// The line that it is at.
    pub line: u32,
    /// Its parameters, as they are now.
    pub arguments: Vec<VariableView>,
    /// Its other variables that are in scope.
    pub variables: Vec<VariableView>,
}

impl FrameView {
    /// The activations of a VM, of whose words these have their values, as bits.
    pub(crate) fn stack(program: &Program, vm: &Vm, kept: u32) -> Vec<FrameView> {
        let frame = |mut activation: Activation<'_>| {
            let known = activation.variables.into_iter().map(|location| location.within(kept));
            activation.variables = known.collect();
            let view = |location: &Location<'_>| VariableView {
                name: location.variable.name.to_string(),
                ty: location.variable.ty.to_string(),
                value: show_words(location.variable.ty, &activation.read(location, vm)),
            };
            let of = |parameters: bool| {
                let variables = activation.variables.iter();
                variables.filter(move |location| location.variable.is_parameter == parameters)
            };
            FrameView {
                routine: activation.routine.to_string(),
                file: activation.file.to_string(),
                line: activation.line,
                arguments: of(true).map(view).collect(),
                variables: of(false).map(view).collect(),
            }
        };
        program.variable_map().stack(vm).into_iter().map(frame).collect()
    }
}

/// `turn(angle = 0.5, by = ?) at src/main.rs:12`, and the other variables on lines of their own.
impl fmt::Display for FrameView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments: Vec<String> = self.arguments.iter().map(VariableView::to_string).collect();
        let FrameView {
            routine, file, line, ..
        } = self;
        write!(f, "{routine}({}) at {file}:{line}", arguments.join(", "))?;
        self.variables
            .iter()
            .try_for_each(|variable| write!(f, "\n    {variable}"))
    }
}

impl fmt::Display for VariableView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, self.value)
    }
}
