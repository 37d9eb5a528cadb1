//! One way out of each loop (LLVM's UnifyLoopExits). Where some invocations return from within a loop, what follows it is not what all of them come to,
//! so a device's compiler has no place at which those that leave at different times could wait for each other, and each may run the rest of the function
//! by itself: up to as many times as slow as a subgroup has invocations. So who returns from a loop leaves it as all others do, and returns behind it.

use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, Span, Statement, SwitchCase, Type,
};

/// What those that return leave behind.
struct Leaving {
    /// A pointer to whether the invocation has returned, as 0 or 1.
    returned: Handle<Expression>,
    /// A pointer to what it gives.
    given: Handle<Expression>,
    no: Handle<Expression>,
    yes: Handle<Expression>,
}

/// Makes each `return` in a loop of the function, which gives a word, a way out of the loop and a `return` behind it.
pub fn unify_loop_exits(function: &mut Function, word: Handle<Type>) {
    if !function.body.iter().any(returns_from_loop) {
        return;
    }
    let mut expression = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let [no, yes] = [0, 1].map(|word| expression(Expression::Literal(Literal::U32(word))));
    let [returned, given] = [("returned", Some(no)), ("given", None)].map(|(name, init)| {
        let variable = LocalVariable {
            name: Some(name.to_string()),
            ty: word,
            init,
        };
        let handle = function.local_variables.append(variable, Span::UNDEFINED);
        expression(Expression::LocalVariable(handle))
    });
    let leaving = Leaving {
        returned,
        given,
        no,
        yes,
    };
    let body = std::mem::take(&mut function.body);
    function.body = leaving.block(function, body, false);
}

impl Leaving {
    /// A block with one way out of each of its loops. `inside`: it is in a loop itself, and `break` leaves that or a switch in it.
    fn block(&self, function: &mut Function, block: Block, inside: bool) -> Block {
        let mut written = Block::with_capacity(block.len());
        for (statement, _) in block.span_into_iter() {
            let leads_out = match &statement {
                Statement::Switch { .. } => inside && returns(&statement),
                _ => returns_from_loop(&statement),
            };
            match statement {
                Statement::Return { value: Some(value) } if inside => {
                    let (returned, given) = (self.returned, self.given);
                    for (pointer, value) in [(given, value), (returned, self.yes)] {
                        written.push(Statement::Store { pointer, value }, Span::UNDEFINED);
                    }
                    written.push(Statement::Break, Span::UNDEFINED);
                }
                Statement::Block(block) => {
                    let block = self.block(function, block, inside);
                    written.push(Statement::Block(block), Span::UNDEFINED);
                }
                Statement::If {
                    condition,
                    accept,
                    reject,
                } => {
                    let [accept, reject] = [accept, reject].map(|block| self.block(function, block, inside));
                    let choice = Statement::If {
                        condition,
                        accept,
                        reject,
                    };
                    written.push(choice, Span::UNDEFINED);
                }
                Statement::Switch { selector, cases } => {
                    let case = |case: SwitchCase| SwitchCase {
                        body: self.block(function, case.body, inside),
                        ..case
                    };
                    let cases = cases.into_iter().map(case).collect();
                    written.push(Statement::Switch { selector, cases }, Span::UNDEFINED);
                    if leads_out {
                        self.go_on(function, &mut written, inside);
                    }
                }
                Statement::Loop {
                    body,
                    continuing,
                    break_if,
                } => {
                    let body = self.block(function, body, true);
                    let again = Statement::Loop {
                        body,
                        continuing,
                        break_if,
                    };
                    written.push(again, Span::UNDEFINED);
                    if leads_out {
                        self.go_on(function, &mut written, inside);
                    }
                }
                other => written.push(other, Span::UNDEFINED),
            }
        }
        written
    }

    /// Lets those that have returned go on their way, behind what they have left.
    fn go_on(&self, function: &mut Function, block: &mut Block, inside: bool) {
        let load = |pointer| Expression::Load { pointer };
        let returned = evaluate(function, block, load(self.returned));
        let is_so = Expression::Binary {
            op: BinaryOperator::NotEqual,
            left: returned,
            right: self.no,
        };
        let condition = evaluate(function, block, is_so);
        let mut accept = Block::new();
        if inside {
            accept.push(Statement::Break, Span::UNDEFINED);
        } else {
            let value = Some(evaluate(function, &mut accept, load(self.given)));
            accept.push(Statement::Return { value }, Span::UNDEFINED);
        }
        let choice = Statement::If {
            condition,
            accept,
            reject: Block::new(),
        };
        block.push(choice, Span::UNDEFINED);
    }
}

/// Adds an expression to a function, evaluated at the end of a block.
pub fn evaluate(function: &mut Function, block: &mut Block, expression: Expression) -> Handle<Expression> {
    let first = function.expressions.len();
    let value = function.expressions.append(expression, Span::UNDEFINED);
    let range = function.expressions.range_from(first);
    block.push(Statement::Emit(range), Span::UNDEFINED);
    value
}

/// Whether a statement has a loop that the function is left from.
fn returns_from_loop(statement: &Statement) -> bool {
    match statement {
        Statement::Loop { .. } => returns(statement),
        _ => parts(statement).into_iter().flatten().any(returns_from_loop),
    }
}

/// Whether a statement leaves the function, or may.
fn returns(statement: &Statement) -> bool {
    matches!(statement, Statement::Return { .. }) || parts(statement).into_iter().flatten().any(returns)
}

/// The blocks that a statement has.
fn parts(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::parse;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    /// The function `run` of a shader before and after, as naga writes it.
    fn unified(body: &str) -> (Function, Function) {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
            fn run() -> u32 {{ {body} }}
            @compute @workgroup_size(1) fn main() {{ words[0] = run(); }}"
        );
        let (mut module, _) = parse(&source).unwrap();
        let (handle, _) = module.functions.iter().next().unwrap();
        let before = module.functions[handle].clone();
        let word = before.result.as_ref().unwrap().ty;
        unify_loop_exits(&mut module.functions[handle], word);
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::default());
        validator.validate(&module).unwrap();
        (before, module.functions[handle].clone())
    }

    #[test]
    fn whoever_returns_from_a_loop_returns_behind_it() {
        let (before, after) = unified(
            "loop {
                let word = words[1];
                if word == 1u { return 1u; }
                switch word {
                    case 2u: { loop { if words[2] == 3u { return word; } if words[3] == 4u { break; } } }
                    case 5u: { return 5u; }
                    default: { continue; }
                }
                if word == 6u { break; }
            }
            return 7u;",
        );
        assert!(before.body.iter().any(returns_from_loop));
        assert!(!after.body.iter().any(returns_from_loop));
        // The last of them, and one behind the outer loop.
        let returns: Vec<_> = after.body.iter().filter(|statement| returns(statement)).collect();
        assert_eq!(returns.len(), 2);
    }

    #[test]
    fn a_function_without_such_loops_stays_as_it_is() {
        let (before, after) = unified(
            "loop { if words[1] == 1u { break; } } switch words[2] { case 1u: { return 2u; } default: {} } return 3u;",
        );
        assert_eq!(format!("{before:?}"), format!("{after:?}"));
    }
}
