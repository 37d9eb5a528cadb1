//! Loops whose invocations meet again. ptxas lets the invocations of a warp go on together behind a branch where all its ways lead to one
//! place. In a loop that can be left from within a branch they do not: the place is behind the loop, and once they have parted they take
//! turns until then, however many iterations that is. So where a loop is large and left from within, the invocations that entered it
//! together vote at the end of each iteration and where they leave it, which each waits at for the others: whoever stays is told who
//! else does.

use naga::{Block, Function, Statement};

use crate::operand::{Operand, Width};
use crate::text::Label;
use crate::translator::Translator;

/// Expressions of a loop, with those of what it calls, from which on its invocations wait for each other. Where they stay together anyway the
/// vote, and what ptxas does differently around it, took a seventh of a loop of 3,800; smaller ones were not measured.
const LARGE: usize = 2000;
/// Cases of a switch from which on most of a loop may be it: ptxas lets those in its different cases meet behind it. A loop of 3,600 expressions that chose
/// by 48 comparisons was 3.5 times as fast where its invocations met, and as a switch took a tenth to a quarter longer.
const CASES: usize = 8;
/// Expressions of a loop from which on ptxas does not see to that: one of 21,000 was 2.3 times as fast where its invocations met, although it was a switch.
const HUGE: usize = 10_000;
/// Places where it is left from within branches, from which on it is worth that: a few exits are of traps that hardly ever happen.
const MANY: usize = 8;

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
        let is_worth_it = self.is_worth_meeting(body);
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

    /// Whether a loop's invocations are better off if they meet, or those of a loop in it, which they come to together then.
    fn is_worth_meeting(&self, body: &Block) -> bool {
        let size = self.expressions(body);
        let is_switch = size < HUGE && 2 * self.switched(body) >= size;
        let is_branching = || exits_within(body, 0, true) >= MANY && !is_switch;
        size >= LARGE && (is_branching() || self.has_meeting(body))
    }

    /// Whether a block has a loop whose invocations meet.
    fn has_meeting(&self, block: &Block) -> bool {
        block.iter().any(|statement| match statement {
            Statement::Block(block) => self.has_meeting(block),
            Statement::If { accept, reject, .. } => self.has_meeting(accept) || self.has_meeting(reject),
            Statement::Switch { cases, .. } => cases.iter().any(|case| self.has_meeting(&case.body)),
            Statement::Loop { body, .. } => self.is_worth_meeting(body),
            _ => false,
        })
    }

    /// How many expressions of a block are computed in large switches.
    fn switched(&self, block: &Block) -> usize {
        let each = block.iter().map(|statement| match statement {
            Statement::Switch { cases, .. } if cases.len() >= CASES => {
                cases.iter().map(|case| self.expressions(&case.body)).sum()
            }
            Statement::Switch { cases, .. } => cases.iter().map(|case| self.switched(&case.body)).sum(),
            Statement::Block(block) => self.switched(block),
            Statement::If { accept, reject, .. } => self.switched(accept) + self.switched(reject),
            _ => 0,
        });
        each.sum()
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

/// From how many places within two branches in each other or more the loop around a block is left.
fn exits_within(block: &Block, branches: u32, breaks_leave: bool) -> usize {
    let within = |block: &Block, breaks_leave| exits_within(block, branches + 1, breaks_leave);
    let each = block.iter().map(|statement| match statement {
        Statement::Return { .. } => usize::from(branches > 1),
        Statement::Break => usize::from(branches > 1 && breaks_leave),
        Statement::Block(block) => exits_within(block, branches, breaks_leave),
        Statement::If { accept, reject, .. } => within(accept, breaks_leave) + within(reject, breaks_leave),
        // Their `break` goes elsewhere.
        Statement::Switch { cases, .. } => cases.iter().map(|case| within(&case.body, false)).sum(),
        Statement::Loop { body, continuing, .. } => within(body, false) + within(continuing, false),
        _ => 0,
    });
    each.sum()
}
