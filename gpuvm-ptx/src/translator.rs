//! The state of a translation: the module, the kernel's text so far, and the function that is being written into it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Block, Expression, Function, GlobalVariable, Handle, LocalVariable, Module, Statement, TypeInner};

use crate::Result;
use crate::analysis::Analysis;
use crate::error::invalid;
use crate::if_conversion::Overlay;
use crate::layout::Layout;
use crate::operand::{Operand, Ty, Width};
use crate::options::{Floats, Options};
use crate::place::{Address, Base, Place, Space};
use crate::resident::Copied;
use crate::text::{Label, Text};

/// A value: its scalars, in the order of memory.
pub type Value = Vec<Operand>;

/// What an expression has come to.
#[derive(Clone, Debug)]
pub enum Evaluated {
    /// A value.
    Value(Value),
    /// What a pointer points to.
    Place(Place),
}

/// A function while it is written, once for each call.
#[derive(Debug)]
pub struct Frame<'a> {
    /// Which, unless it is the entry point.
    pub handle: Option<Handle<Function>>,
    /// The function.
    pub function: &'a Function,
    /// What its validation has found out.
    pub info: &'a FunctionInfo,
    /// What expressions have come to, by number.
    pub values: Vec<Option<Evaluated>>,
    /// What it is called with.
    pub arguments: Vec<Evaluated>,
    /// Its variables, by number.
    pub locals: Vec<Place>,
    /// The registers that its result goes to.
    pub result: Value,
    /// Whether it returns at its end and nowhere else: the result is what is returned, and needs no registers of its own.
    pub returns_once: bool,
    /// What follows it.
    pub end: Label,
    /// Where `break` goes.
    pub breaks: Option<Label>,
    /// Where `continue` goes.
    pub continues: Option<Label>,
}

/// A storage buffer.
#[derive(Debug)]
pub struct Buffer {
    /// The parameter that says how long it is.
    pub length: String,
    /// The length of the array at its end and the index of its last element, once somebody has asked.
    pub bound: Option<(Operand, Operand)>,
}

/// A translation under way.
#[derive(Debug)]
pub struct Translator<'a> {
    /// The module.
    pub module: &'a Module,
    /// What its validation has found out.
    pub info: &'a ModuleInfo,
    /// How it is translated.
    pub options: &'a Options,
    /// Its types.
    pub layout: Layout<'a>,
    /// Which variables lie in memory.
    pub analysis: Analysis,
    /// The kernel.
    pub text: Text,
    /// The function at hand.
    pub frame: Frame<'a>,
    /// Variables of the module that the entry point uses.
    pub globals: HashMap<Handle<GlobalVariable>, Place>,
    /// Storage buffers, by number.
    pub buffers: Vec<Buffer>,
    /// Buffers of which the workgroup has copies.
    pub copies: Vec<Copied>,
    /// Registers with the addresses of variables in memory, by their names.
    pub symbols: HashMap<Rc<str>, Operand>,
    /// Memory of functions' variables: a function never runs twice at the same time, so that all its calls share it.
    pub depots: HashMap<(Option<Handle<Function>>, Handle<LocalVariable>), Address>,
    /// Registers of 64 bits that come from registers of 32 bits, zeros put in front.
    pub widened: HashMap<Operand, Operand>,
    /// What registers will hold at the end of the arm that is computed although it may not be meant; none if there is no such arm.
    pub overlay: Option<Overlay>,
    /// What variables' registers are known to hold, and in which stretch of the code.
    pub known: HashMap<Operand, (Operand, u32)>,
    /// The most that registers can hold.
    pub bounds: HashMap<Operand, u32>,
    /// Variables of the module that have been used.
    pub used: HashSet<Handle<GlobalVariable>>,
}

/// Variables with more scalars lie in memory.
const MOST_REGISTERS: usize = 64;

impl<'a> Translator<'a> {
    /// The type of an expression of the function at hand.
    pub fn inner(&self, expression: Handle<Expression>) -> &'a TypeInner {
        let info: &'a FunctionInfo = self.frame.info;
        let module: &'a Module = self.module;
        info[expression].ty.inner_with(&module.types)
    }

    /// Whether float arithmetic has to be as IEEE 754 says.
    pub fn is_exact(&self) -> bool {
        self.options.floats == Floats::Exact
    }

    /// An instruction of float arithmetic that may be contracted where floats are relaxed.
    pub fn rounded(&self, name: &'static str) -> &'static str {
        match name {
            _ if !self.is_exact() => name,
            "add" => "add.rn",
            "sub" => "sub.rn",
            "mul" => "mul.rn",
            other => other,
        }
    }

    /// Registers for a variable's scalars.
    fn registers(&mut self, inner: &TypeInner) -> Result<Vec<Operand>> {
        let leaves = self.layout.leaves(inner)?;
        let tys = leaves.iter().map(|leaf| Ty::of(leaf.scalar));
        tys.map(|ty| Ok(self.text.register(ty?.width()))).collect()
    }

    /// A place for a variable of the kernel's own: registers if it fits them and no array of it is indexed by a computed number.
    /// That in memory has to be [declared](Translator::declare).
    pub fn variable(&mut self, inner: &TypeInner, indexed: bool, name: &str) -> Result<Place> {
        if !indexed && self.layout.count(inner)? <= MOST_REGISTERS {
            return Ok(Place::Registers {
                registers: self.registers(inner)?.into(),
                chosen: None,
            });
        }
        Ok(Place::Memory(Address::of(Space::Local, name)))
    }

    /// Declares memory of so many bytes, for a place that is memory of the kernel's own.
    pub fn declare(&mut self, place: &Place, size: u32) {
        if let Place::Memory(Address {
            space: space @ (Space::Local | Space::Shared),
            base: Base::Symbol(name),
            ..
        }) = place
        {
            let (suffix, size) = (space.suffix(), size.max(1));
            self.text
                .declare(format_args!(".{suffix} .align 16 .b8 {name}[{size}]"));
        }
    }

    /// The variables of the function at hand, with what they start as.
    pub fn begin_function(&mut self) -> Result<()> {
        let (handle, function) = (self.frame.handle, self.frame.function);
        let number = handle.map_or("entry".to_string(), |handle| handle.index().to_string());
        for (local, variable) in function.local_variables.iter() {
            let inner = self.layout.inner(variable.ty);
            let place = match self.depots.get(&(handle, local)) {
                Some(address) => Place::Memory(address.clone()),
                None => {
                    let indexed = self.analysis.of(handle).locals.contains(&local);
                    let name = format!("local_{number}_{}", local.index());
                    let place = self.variable(inner, indexed, &name)?;
                    self.declare(&place, self.layout.size(variable.ty));
                    place
                }
            };
            if let Place::Memory(address) = &place {
                self.depots.insert((handle, local), address.clone());
            }
            self.frame.locals.push(place.clone());
            match variable.init {
                Some(init) => {
                    let value = self.value(init)?;
                    self.store(&place, inner, &value)?;
                }
                None => self.clear(&place, inner)?,
            }
        }
        Ok(())
    }

    /// A new frame for a function.
    pub fn new_frame(
        &mut self,
        handle: Option<Handle<Function>>,
        function: &'a Function,
        info: &'a FunctionInfo,
        arguments: Vec<Evaluated>,
    ) -> Result<Frame<'a>> {
        let returns_once =
            returns(&function.body) == 1 && matches!(function.body.last(), Some(Statement::Return { .. }));
        let result = match &function.result {
            Some(result) if !returns_once => self.registers(self.layout.inner(result.ty))?,
            _ => Vec::new(),
        };
        Ok(Frame {
            handle,
            function,
            info,
            values: vec![None; function.expressions.len()],
            arguments,
            locals: Vec::new(),
            result,
            returns_once,
            end: self.text.label(),
            breaks: None,
            continues: None,
        })
    }

    /// Calls a function: it is written here.
    pub fn call(&mut self, handle: Handle<Function>, arguments: Vec<Evaluated>) -> Result<Value> {
        let module: &'a Module = self.module;
        let info: &'a ModuleInfo = self.info;
        let frame = self.new_frame(Some(handle), &module.functions[handle], &info[handle], arguments)?;
        let end = frame.end;
        let caller = std::mem::replace(&mut self.frame, frame);
        self.begin_function()?;
        let body = &self.frame.function.body;
        self.block(body)?;
        self.text.place(end);
        let callee = std::mem::replace(&mut self.frame, caller);
        Ok(callee.result)
    }

    /// Remembers what an expression has come to.
    pub fn remember(&mut self, expression: Handle<Expression>, evaluated: Evaluated) {
        if let Some(slot) = self.frame.values.get_mut(expression.index()) {
            *slot = Some(evaluated);
        }
    }

    /// The scalars of an expression.
    pub fn value(&mut self, expression: Handle<Expression>) -> Result<Value> {
        match self.evaluated(expression)? {
            Evaluated::Value(value) => Ok(value),
            Evaluated::Place(_) => Err(invalid("a pointer where a value should be")),
        }
    }

    /// The one scalar of an expression.
    pub fn scalar(&mut self, expression: Handle<Expression>) -> Result<Operand> {
        match self.value(expression)?[..] {
            [scalar] => Ok(scalar),
            _ => Err(invalid("a composite where a scalar should be")),
        }
    }

    /// What an expression points to.
    pub fn place(&mut self, expression: Handle<Expression>) -> Result<Place> {
        match self.evaluated(expression)? {
            Evaluated::Place(place) => Ok(place),
            Evaluated::Value(_) => Err(invalid("a value where a pointer should be")),
        }
    }

    /// A register that holds the operand.
    pub fn in_register(&mut self, operand: Operand) -> Operand {
        if operand.constant().is_none() {
            return operand;
        }
        let target = self.text.register(operand.width());
        self.text.copy_into(target, operand);
        target
    }

    /// Whether it is a predicate, as which no memory holds it.
    pub fn is_truth(ty: Ty) -> bool {
        ty.width() == Width::Truth
    }
}

/// How many statements of a block return.
fn returns(block: &Block) -> usize {
    let each = block.iter().map(|statement| match statement {
        Statement::Return { .. } => 1,
        Statement::Block(block) => returns(block),
        Statement::If { accept, reject, .. } => returns(accept) + returns(reject),
        Statement::Switch { cases, .. } => cases.iter().map(|case| returns(&case.body)).sum(),
        Statement::Loop { body, continuing, .. } => returns(body) + returns(continuing),
        _ => 0,
    });
    each.sum()
}
