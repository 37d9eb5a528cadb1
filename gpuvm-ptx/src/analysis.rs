//! Which variables have to lie in memory: those with an array that is indexed by what is not known before the kernel runs. All others are
//! registers, vectors with a computed index among them.

use std::collections::HashSet;

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Block, Expression, Function, GlobalVariable, Handle, LocalVariable, Module, Statement, TypeInner};

/// The variables of a module that lie in memory.
#[derive(Debug)]
pub struct Analysis {
    /// Variables of the module.
    pub globals: HashSet<Handle<GlobalVariable>>,
    functions: Vec<Indexed>,
    entry: Indexed,
}

/// What a function indexes.
#[derive(Debug, Default)]
pub struct Indexed {
    /// Its own variables.
    pub locals: HashSet<Handle<LocalVariable>>,
    /// What its pointer arguments point to.
    arguments: HashSet<u32>,
}

/// What a pointer goes back to.
#[derive(Clone, Copy)]
pub enum Root {
    /// A variable of the module.
    Global(Handle<GlobalVariable>),
    /// A variable of the function.
    Local(Handle<LocalVariable>),
    /// An argument, by number.
    Argument(u32),
}

impl Analysis {
    /// Looks through a module with one entry point.
    pub fn new(module: &Module, info: &ModuleInfo) -> Analysis {
        let mut analysis = Analysis {
            globals: HashSet::new(),
            functions: Vec::with_capacity(module.functions.len()),
            entry: Indexed::default(),
        };
        // A function calls only those before it.
        for (handle, function) in module.functions.iter() {
            let indexed = analysis.function(module, function, &info[handle]);
            analysis.functions.push(indexed);
        }
        if let Some(point) = module.entry_points.first() {
            analysis.entry = analysis.function(module, &point.function, info.get_entry_point(0));
        }
        analysis
    }

    /// What a function indexes; the entry point, if none is given.
    pub fn of(&self, function: Option<Handle<Function>>) -> &Indexed {
        match function {
            Some(handle) => self.functions.get(handle.index()).unwrap_or(&self.entry),
            None => &self.entry,
        }
    }

    fn function(&mut self, module: &Module, function: &Function, info: &FunctionInfo) -> Indexed {
        let mut indexed = Indexed::default();
        for (_, expression) in function.expressions.iter() {
            let Expression::Access { base, .. } = *expression else {
                continue;
            };
            let TypeInner::Pointer { base: pointee, .. } = *info[base].ty.inner_with(&module.types) else {
                continue;
            };
            if !matches!(module.types[pointee].inner, TypeInner::Vector { .. }) {
                self.mark(root(function, base), &mut indexed);
            }
        }
        self.calls(function, &function.body, &mut indexed);
        indexed
    }

    /// Marks what is passed to functions that index it.
    fn calls(&mut self, function: &Function, block: &Block, indexed: &mut Indexed) {
        for statement in block {
            match statement {
                Statement::Call {
                    function: callee,
                    arguments,
                    ..
                } => {
                    let numbers: Vec<u32> = self.of(Some(*callee)).arguments.iter().copied().collect();
                    for number in numbers {
                        if let Some(&argument) = arguments.get(number as usize) {
                            self.mark(root(function, argument), indexed);
                        }
                    }
                }
                Statement::Block(block) => self.calls(function, block, indexed),
                Statement::If { accept, reject, .. } => {
                    self.calls(function, accept, indexed);
                    self.calls(function, reject, indexed);
                }
                Statement::Switch { cases, .. } => {
                    for case in cases {
                        self.calls(function, &case.body, indexed);
                    }
                }
                Statement::Loop { body, continuing, .. } => {
                    self.calls(function, body, indexed);
                    self.calls(function, continuing, indexed);
                }
                _ => {}
            }
        }
    }

    fn mark(&mut self, root: Option<Root>, indexed: &mut Indexed) {
        match root {
            Some(Root::Global(handle)) => {
                self.globals.insert(handle);
            }
            Some(Root::Local(handle)) => {
                indexed.locals.insert(handle);
            }
            Some(Root::Argument(number)) => {
                indexed.arguments.insert(number);
            }
            None => {}
        }
    }
}

/// What a pointer of a function goes back to, unless that is something else.
pub fn root(function: &Function, mut pointer: Handle<Expression>) -> Option<Root> {
    loop {
        match function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => pointer = base,
            Expression::GlobalVariable(handle) => return Some(Root::Global(handle)),
            Expression::LocalVariable(handle) => return Some(Root::Local(handle)),
            Expression::FunctionArgument(number) => return Some(Root::Argument(number)),
            _ => return None,
        }
    }
}
