//! Branches and loops.

use naga::{Block, Expression, Handle, Statement};

use crate::Result;
use crate::operand::Operand;
use crate::statement::Flow;
use crate::text::Label;
use crate::translator::Translator;

impl<'a> Translator<'a> {
    /// One of two blocks.
    pub fn branch(&mut self, condition: Handle<Expression>, accept: &'a Block, reject: &'a Block) -> Result<Flow> {
        let condition = self.scalar(condition)?;
        if let Operand::ConstTruth(truth) = condition {
            return self.block(if truth { accept } else { reject });
        }
        if self.flat_branch(condition, accept, reject)? {
            return Ok(Flow::Next);
        }
        // What only jumps is a jump of the branch itself.
        if let Some(label) = self.only_jump(accept) {
            self.text.jump_if(condition, true, label);
            return self.block(reject);
        }
        if let Some(label) = self.only_jump(reject) {
            self.text.jump_if(condition, false, label);
            return self.block(accept);
        }
        let end = self.text.label();
        if reject.is_empty() || accept.is_empty() {
            self.text.jump_if(condition, accept.is_empty(), end);
            self.block(if accept.is_empty() { reject } else { accept })?;
            self.text.place(end);
            return Ok(Flow::Next);
        }
        let otherwise = self.text.label();
        self.text.jump_if(condition, false, otherwise);
        let accepted = self.block(accept)?;
        if accepted == Flow::Next {
            self.text.jump(end);
        }
        self.text.place(otherwise);
        let rejected = self.block(reject)?;
        if accepted == Flow::Ended {
            return Ok(rejected);
        }
        self.text.place(end);
        Ok(Flow::Next)
    }

    /// Where a block goes that does nothing else.
    fn only_jump(&self, block: &Block) -> Option<Label> {
        match block.first() {
            Some(Statement::Break) => self.frame.breaks,
            Some(Statement::Continue) => self.frame.continues,
            Some(Statement::Return { value: None }) => Some(self.frame.end),
            Some(Statement::Block(block)) => self.only_jump(block),
            _ => None,
        }
    }

    /// A block again and again.
    pub fn repeat(
        &mut self,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<Flow> {
        let [again, next, end] = [(); 3].map(|()| self.text.label());
        let outer = (self.frame.breaks, self.frame.continues, self.frame.end);
        (self.frame.breaks, self.frame.continues) = (Some(end), Some(next));
        let meeting = self.begin_meeting(body);
        self.text.place_first(again);
        self.block(body)?;
        self.text.place(next);
        self.block(continuing)?;
        let leaves = match break_if {
            Some(condition) => self.scalar(condition)?,
            None => Operand::ConstTruth(false),
        };
        if let Some(meeting) = meeting {
            self.meet(meeting, leaves);
        }
        self.text.jump_if(leaves, false, again);
        (self.frame.breaks, self.frame.continues, self.frame.end) = outer;
        if let Some(meeting) = meeting {
            self.end_meeting(meeting, end, self.frame.end);
        }
        self.text.place(end);
        Ok(Flow::Next)
    }
}
