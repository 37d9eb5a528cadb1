//! Writing a naga function: expressions and statements one after the other.

use std::collections::HashMap;

use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, MathFunction, Scalar, ScalarKind,
    Span, Statement, SwitchCase, SwitchValue, Type, UnaryOperator,
};

use super::base::Base;

/// The handle of an expression.
pub type Node = Handle<Expression>;

/// A function under construction.
pub struct Code<'a> {
    base: &'a Base,
    /// The function.
    pub function: Function,
    /// The statements of the block at hand.
    block: Block,
    /// The first expression that no statement has evaluated yet.
    open: Option<usize>,
    /// Words that have been written out, and truth values.
    words: HashMap<u32, Node>,
    truths: [Option<Node>; 2],
    globals: HashMap<&'static str, Node>,
    /// The variable that says what is launched.
    launch: &'static str,
}

impl<'a> Code<'a> {
    /// An empty function that gives a word, for VMs of what a variable says is launched.
    pub fn new(base: &'a Base, name: &str, launch: &'static str) -> Code<'a> {
        Code {
            base,
            function: Function {
                name: Some(name.to_string()),
                result: Some(naga::FunctionResult {
                    ty: base.types.word,
                    binding: None,
                }),
                ..Function::default()
            },
            block: Block::new(),
            open: None,
            words: HashMap::new(),
            truths: [None; 2],
            globals: HashMap::new(),
            launch,
        }
    }

    /// The finished function.
    pub fn finish(mut self) -> Function {
        self.settle();
        self.function.body = self.block;
        self.function
    }

    /// Evaluates what has not been evaluated yet.
    fn settle(&mut self) {
        if let Some(first) = self.open.take() {
            let range = self.function.expressions.range_from(first);
            self.block.push(Statement::Emit(range), Span::UNDEFINED);
        }
    }

    /// Adds a statement.
    pub fn push(&mut self, statement: Statement) {
        self.settle();
        self.block.push(statement, Span::UNDEFINED);
    }

    /// Begins a block of its own, and gives what to come back to.
    pub fn begin(&mut self) -> Block {
        self.settle();
        std::mem::take(&mut self.block)
    }

    /// Ends a block of its own, and goes on with what was before.
    pub fn end(&mut self, outer: Block) -> Block {
        self.settle();
        std::mem::replace(&mut self.block, outer)
    }

    /// Adds an expression.
    pub fn node(&mut self, expression: Expression) -> Node {
        if expression.needs_pre_emit()
            || matches!(expression, Expression::CallResult(_) | Expression::AtomicResult { .. })
        {
            self.settle();
        } else {
            self.open.get_or_insert(self.function.expressions.len());
        }
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    /// A word.
    pub fn word(&mut self, value: u32) -> Node {
        if let Some(&known) = self.words.get(&value) {
            return known;
        }
        let node = self.node(Expression::Literal(Literal::U32(value)));
        self.words.insert(value, node);
        node
    }

    /// A truth value.
    pub fn truth(&mut self, value: bool) -> Node {
        if let Some(known) = self.truths[usize::from(value)] {
            return known;
        }
        let node = self.node(Expression::Literal(Literal::Bool(value)));
        self.truths[usize::from(value)] = Some(node);
        node
    }

    /// `left op right`.
    pub fn binary(&mut self, op: BinaryOperator, left: Node, right: Node) -> Node {
        self.node(Expression::Binary { op, left, right })
    }

    /// `!condition`.
    pub fn not(&mut self, condition: Node) -> Node {
        self.node(Expression::Unary {
            op: UnaryOperator::LogicalNot,
            expr: condition,
        })
    }

    /// `accept` if the condition is met, else `reject`.
    pub fn select(&mut self, condition: Node, accept: Node, reject: Node) -> Node {
        self.node(Expression::Select {
            condition,
            accept,
            reject,
        })
    }

    /// The same bits as another kind of number.
    pub fn bits_as(&mut self, expr: Node, kind: ScalarKind) -> Node {
        self.node(Expression::As {
            expr,
            kind,
            convert: None,
        })
    }

    /// The same value as another type of number.
    pub fn convert(&mut self, expr: Node, to: Scalar) -> Node {
        self.node(Expression::As {
            expr,
            kind: to.kind,
            convert: Some(to.width),
        })
    }

    /// A built-in function of up to three arguments.
    pub fn math(&mut self, fun: MathFunction, arguments: &[Node]) -> Node {
        self.node(Expression::Math {
            fun,
            arg: arguments[0],
            arg1: arguments.get(1).copied(),
            arg2: arguments.get(2).copied(),
            arg3: None,
        })
    }

    /// A vector's component or a structure's field.
    pub fn part(&mut self, base: Node, index: u32) -> Node {
        self.node(Expression::AccessIndex { base, index })
    }

    /// An element of an array.
    pub fn element(&mut self, base: Node, index: Node) -> Node {
        self.node(Expression::Access { base, index })
    }

    /// What a pointer points to.
    pub fn load(&mut self, pointer: Node) -> Node {
        self.node(Expression::Load { pointer })
    }

    /// Stores to what a pointer points to.
    pub fn store(&mut self, pointer: Node, value: Node) {
        self.push(Statement::Store { pointer, value });
    }

    /// A variable of the function, with what it starts as.
    pub fn local(&mut self, name: impl Into<String>, ty: Handle<Type>, init: Option<Node>) -> Node {
        let variable = LocalVariable {
            name: Some(name.into()),
            ty,
            init,
        };
        let handle = self.function.local_variables.append(variable, Span::UNDEFINED);
        self.node(Expression::LocalVariable(handle))
    }

    /// A pointer to a global variable, by name.
    pub fn global(&mut self, name: &'static str) -> Node {
        if let Some(&known) = self.globals.get(name) {
            return known;
        }
        let mut variables = self.base.module.global_variables.iter();
        let (handle, _) = variables
            .find(|(_, variable)| variable.name.as_deref() == Some(name))
            .unwrap_or_else(|| unreachable!("the shader has no variable `{name}`"));
        let node = self.node(Expression::GlobalVariable(handle));
        self.globals.insert(name, node);
        node
    }

    /// A field of the launch, by name.
    pub fn launch(&mut self, field: &str) -> Node {
        let launch = self.global(self.launch);
        let (_, variable) = (self.base.module.global_variables.iter())
            .find(|(_, variable)| variable.name.as_deref() == Some(self.launch))
            .unwrap_or_else(|| unreachable!("the shader has a launch"));
        let index = match &self.base.module.types[variable.ty].inner {
            naga::TypeInner::Struct { members, .. } => {
                members.iter().position(|member| member.name.as_deref() == Some(field))
            }
            _ => None,
        };
        let index = index.unwrap_or_else(|| unreachable!("the launch has no field `{field}`"));
        let pointer = self.part(launch, index as u32);
        self.load(pointer)
    }

    /// Calls a function of the shader that gives nothing.
    pub fn invoke(&mut self, name: &str, arguments: &[Node]) {
        let function = self.base.functions[name];
        self.push(Statement::Call {
            function,
            arguments: arguments.to_vec(),
            result: None,
        });
    }

    /// Calls a function of the shader.
    pub fn call(&mut self, name: &str, arguments: &[Node]) -> Node {
        let function = self.base.functions[name];
        let result = self.node(Expression::CallResult(function));
        self.push(Statement::Call {
            function,
            arguments: arguments.to_vec(),
            result: Some(result),
        });
        result
    }

    /// Statements for when a condition is met.
    pub fn when(&mut self, condition: Node, write: impl FnOnce(&mut Self)) {
        let outer = self.begin();
        write(self);
        let accept = self.end(outer);
        self.choose(condition, accept, Block::new());
    }

    /// One of two blocks.
    pub fn choose(&mut self, condition: Node, accept: Block, reject: Block) {
        self.push(Statement::If {
            condition,
            accept,
            reject,
        });
    }

    /// A block that `break` leaves.
    pub fn once(&mut self, body: Block) {
        let selector = self.word(0);
        let case = SwitchCase {
            value: SwitchValue::Default,
            body,
            fall_through: false,
        };
        self.push(Statement::Switch {
            selector,
            cases: vec![case],
        });
    }

    /// A block again and again.
    pub fn again(&mut self, body: Block) {
        self.push(Statement::Loop {
            body,
            continuing: Block::new(),
            break_if: None,
        });
    }

    /// Ends the function with a word.
    pub fn give(&mut self, value: u32) {
        let value = self.word(value);
        self.push(Statement::Return { value: Some(value) });
    }
}
