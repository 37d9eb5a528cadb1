//! Exits of arms come before the arms. `if a { if b { break } x } else { y }` is two ways through a loop's turn, which invocations of a subgroup go one
//! after the other; as `if a && b { break } if a { x } else { y }` it is one, whose last branch a device's compiler computes both ways (if-conversion).

use naga::{
    BinaryOperator, Block, Expression, Function, Handle, MathFunction, Span, Statement, SwitchCase, UnaryOperator,
};

use super::exits::evaluate;

/// What the arms may have besides the exits, in instructions: all of it is computed in vain by some.
const MOST: u32 = 16;

/// A part of an arm.
enum Part {
    /// What is computed, and stored to variables.
    Do(Statement),
    /// What those do that leave, whose last statement that is, if the condition is met, or, if not `met`, unless it is.
    Leave {
        condition: Handle<Expression>,
        met: bool,
        block: Block,
    },
}

/// Puts the exits of small arms of branches in loops before these.
pub fn put_exits_first(function: &mut Function) {
    let body = std::mem::take(&mut function.body);
    function.body = written(function, body, false);
}

/// A block whose branches have their exits first. `inside`: it is in a loop.
fn written(function: &mut Function, block: Block, inside: bool) -> Block {
    let mut to = Block::with_capacity(block.len());
    for (statement, span) in block.span_into_iter() {
        let statement = match statement {
            Statement::Block(block) => Statement::Block(written(function, block, inside)),
            Statement::If {
                condition,
                accept,
                reject,
            } => {
                let [accept, reject] = [accept, reject].map(|arm| written(function, arm, inside));
                if inside && let Some(arms) = both_parts(function, &accept, &reject) {
                    taken_apart(function, condition, arms, &mut to);
                    continue;
                }
                Statement::If {
                    condition,
                    accept,
                    reject,
                }
            }
            Statement::Switch { selector, cases } => {
                let case = |case: SwitchCase| SwitchCase {
                    body: written(function, case.body, inside),
                    ..case
                };
                let cases = cases.into_iter().map(case).collect();
                Statement::Switch { selector, cases }
            }
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => Statement::Loop {
                body: written(function, body, true),
                continuing,
                break_if,
            },
            other => other,
        };
        to.push(statement, span);
    }
    to
}

/// The parts of two arms, if one of them may leave and they are small otherwise.
fn both_parts(function: &Function, accept: &Block, reject: &Block) -> Option<[Vec<Part>; 2]> {
    let [mut accepted, mut rejected] = [Vec::new(), Vec::new()];
    let cost = parts(function, accept, &mut accepted)? + parts(function, reject, &mut rejected)?;
    let mut all = accepted.iter().chain(&rejected);
    let leaves = all.any(|part| matches!(part, Part::Leave { .. }));
    // An arm that does nothing else is a branch that leaves already.
    let is_arm = |parts: &[Part]| {
        parts
            .iter()
            .any(|part| matches!(part, Part::Do(Statement::Store { .. })))
    };
    (leaves && cost <= MOST && is_arm(&accepted) && is_arm(&rejected)).then_some([accepted, rejected])
}

/// Adds the parts of an arm, and gives what they cost; `None` if it does what must not be done in vain.
fn parts(function: &Function, block: &Block, to: &mut Vec<Part>) -> Option<u32> {
    let mut cost = 0;
    for statement in block {
        match statement {
            Statement::Emit(range) => {
                let each = range.clone().map(|expression| cost_of(function, expression));
                cost += each.sum::<Option<u32>>()?;
                to.push(Part::Do(statement.clone()));
            }
            Statement::Store { pointer, .. } if is_variable(function, *pointer) => {
                cost += 1;
                to.push(Part::Do(statement.clone()));
            }
            Statement::Block(block) => cost += parts(function, block, to)?,
            Statement::If {
                condition,
                accept,
                reject,
            } => {
                let (met, block, on) = match [accept, reject].map(leaves_at_once) {
                    [true, false] => (true, accept, reject),
                    [false, true] => (false, reject, accept),
                    _ => return None,
                };
                let (condition, block) = (*condition, block.clone());
                to.push(Part::Leave { condition, met, block });
                cost += 1 + parts(function, on, to)?;
            }
            _ => return None,
        }
    }
    Some(cost)
}

/// Whether a block ends with a jump.
fn leaves_at_once(block: &Block) -> bool {
    matches!(
        block.last(),
        Some(Statement::Break | Statement::Continue | Statement::Return { .. })
    )
}

/// Writes a branch whose arms have been taken apart.
fn taken_apart(function: &mut Function, condition: Handle<Expression>, arms: [Vec<Part>; 2], to: &mut Block) {
    let not = |expr| Expression::Unary {
        op: UnaryOperator::LogicalNot,
        expr,
    };
    let [accepted, rejected] = arms;
    let [accept, reject] = [(accepted, true), (rejected, false)].map(|(mut arm, way)| {
        let exits = arm.iter().rposition(|part| matches!(part, Part::Leave { .. }));
        let rest = arm.split_off(exits.map_or(0, |last| last + 1));
        let meant = match way || arm.is_empty() {
            true => condition,
            false => evaluate(function, to, not(condition)),
        };
        let mut stores = Block::new();
        for part in arm {
            if let Part::Do(statement @ Statement::Store { .. }) = part {
                stores.push(statement, Span::UNDEFINED);
                continue;
            }
            // What comes next sees what has been stored by those whose arm it is.
            push_choice(to, meant, std::mem::take(&mut stores));
            match part {
                Part::Do(statement) => to.push(statement, Span::UNDEFINED),
                Part::Leave { condition, met, block } => {
                    let leaves = match met {
                        true => condition,
                        false => evaluate(function, to, not(condition)),
                    };
                    let both = Expression::Binary {
                        op: BinaryOperator::LogicalAnd,
                        left: meant,
                        right: leaves,
                    };
                    let both = evaluate(function, to, both);
                    push_choice(to, both, block);
                }
            }
        }
        let statements = rest.into_iter().filter_map(|part| match part {
            Part::Do(statement) => Some(statement),
            Part::Leave { .. } => None,
        });
        Block::from_vec(statements.collect())
    });
    let choice = Statement::If {
        condition,
        accept,
        reject,
    };
    to.push(choice, Span::UNDEFINED);
}

/// Adds a block for when a condition is met, unless there is nothing in it.
fn push_choice(to: &mut Block, condition: Handle<Expression>, accept: Block) {
    if !accept.is_empty() {
        let choice = Statement::If {
            condition,
            accept,
            reject: Block::new(),
        };
        to.push(choice, Span::UNDEFINED);
    }
}

/// Whether a pointer is that of a variable of the function's.
fn is_variable(function: &Function, pointer: Handle<Expression>) -> bool {
    matches!(function.expressions[pointer], Expression::LocalVariable(_))
}

/// What an expression costs, in instructions; `None` if it must not be evaluated in vain.
fn cost_of(function: &Function, expression: Handle<Expression>) -> Option<u32> {
    match function.expressions[expression] {
        Expression::Load { pointer } if is_variable(function, pointer) => Some(0),
        Expression::As { convert: None, .. } => Some(0),
        Expression::Unary { .. } | Expression::Select { .. } => Some(1),
        Expression::Binary { op, .. } if !matches!(op, BinaryOperator::Divide | BinaryOperator::Modulo) => Some(1),
        Expression::Math {
            fun: MathFunction::Min | MathFunction::Max | MathFunction::Abs,
            ..
        } => Some(1),
        _ => None,
    }
}
