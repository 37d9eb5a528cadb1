//! Loops whose invocations meet again. ptxas lets the invocations of a warp go on together behind a branch where all its ways lead to one
//! place. In a loop that can be left from within a branch they do not: the place is behind the loop, and once they have parted they take
//! turns until then, however many iterations that is. So where a loop is large and left from within, the invocations that entered it
//! together vote at the end of each iteration and where they leave it, which each waits at for the others: whoever stays is told who
//! else does.

use naga::{Block, Function, Statement};

use crate::operand::{Operand, Width};
use crate::text::Label;
use crate::translator::Translator;

/// Expressions of a loop, with those of what it calls, from which on its invocations wait for each other: the vote takes as long as some
/// twenty instructions.
const LARGE: usize = 200;

/// What a loop's invocations need to wait for each other.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// Those that are still in it.
    who: Operand,
    /// Where those go that leave it, and those that return from its function.
    leave: Label,
    returned: Label,
}

impl<'a> Translator<'a> {
    /// Begins a loop whose invocations meet in each iteration, if it is worth that: who breaks out of it or returns comes by its end.
    pub fn begin_meeting(&mut self, body: &Block) -> Option<Meeting> {
        let is_worth_it = self.expressions(body) >= LARGE && is_left_within(body, 0);
        is_worth_it.then(|| {
            let meeting = Meeting {
                who: self.text.register(Width::Word),
                leave: self.text.label(),
                returned: self.text.label(),
            };
            self.text.line(format_args!("activemask.b32 {}", meeting.who));
            self.frame.breaks = Some(meeting.leave);
            self.frame.end = meeting.returned;
            meeting
        })
    }

    /// The end of an iteration, after which who does not leave goes on: waits for the others.
    pub fn meet(&mut self, meeting: Meeting, leaves: Operand) {
        let stays = self.text.not(leaves);
        self.vote(meeting, stays);
    }

    /// What those do that leave the loop: they tell the others.
    pub fn end_meeting(&mut self, meeting: Meeting, end: Label, returned: Label) {
        self.text.jump(end);
        for (label, then) in [(meeting.returned, returned), (meeting.leave, end)] {
            if self.text.place(label) {
                self.vote(meeting, Operand::ConstTruth(false));
                self.text.jump(then);
            }
        }
    }

    fn vote(&mut self, Meeting { who, .. }: Meeting, stays: Operand) {
        self.text
            .line(format_args!("vote.sync.ballot.b32 {who}, {stays}, {who}"));
    }

    /// How many expressions a block computes, with those of what it calls, which are written anew at each call.
    fn expressions(&self, block: &Block) -> usize {
        let each = block.iter().map(|statement| match statement {
            Statement::Emit(range) => range.clone().count(),
            Statement::Block(block) => self.expressions(block),
            Statement::If { accept, reject, .. } => self.expressions(accept) + self.expressions(reject),
            Statement::Switch { cases, .. } => cases.iter().map(|case| self.expressions(&case.body)).sum(),
            Statement::Loop { body, continuing, .. } => self.expressions(body) + self.expressions(continuing),
            Statement::Call { function, .. } => {
                let called: &Function = &self.module.functions[*function];
                self.expressions(&called.body)
            }
            _ => 0,
        });
        each.sum()
    }
}

/// Whether the loop around a block is left from within one of two branches in each other, of which the outer one can also go on.
fn is_left_within(block: &Block, branches: u32) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Break | Statement::Return { .. } => branches > 1,
        Statement::Block(block) => is_left_within(block, branches),
        Statement::If { accept, reject, .. } => {
            is_left_within(accept, branches + 1) || is_left_within(reject, branches + 1)
        }
        Statement::Switch { cases, .. } => cases.iter().any(|case| returns_within(&case.body, branches + 1)),
        Statement::Loop { body, continuing, .. } => {
            returns_within(body, branches + 1) || returns_within(continuing, branches + 1)
        }
        _ => false,
    })
}

/// The same of a block whose `break` goes elsewhere.
fn returns_within(block: &Block, branches: u32) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Return { .. } => branches > 1,
        Statement::Block(block) => returns_within(block, branches),
        Statement::If { accept, reject, .. } => {
            returns_within(accept, branches + 1) || returns_within(reject, branches + 1)
        }
        Statement::Switch { cases, .. } => cases.iter().any(|case| returns_within(&case.body, branches + 1)),
        Statement::Loop { body, continuing, .. } => {
            returns_within(body, branches + 1) || returns_within(continuing, branches + 1)
        }
        _ => false,
    })
}
