//! `vm::ask(question)`: the host answers.

use super::operand::Operand;
use super::state::Encoder;
use crate::isa::Op;
use crate::library::number;
use crate::routine::{Asking, Callee, Cause};
use crate::types::TypeRef;

impl Encoder<'_> {
    /// Asks what is on top of the stack. The answer comes to the words of the question.
    pub const fn ask(&mut self, question: TypeRef, answer: TypeRef) {
        let operand = self.pop();
        if operand.is_never() {
            self.push(operand);
            return;
        }
        let operand = self.convert(operand, question);
        let (asked, answered) = (question.words(), answer.words());
        let words = if asked > answered { asked } else { answered };
        let site = self.site(Cause::Ask(Asking {
            question: question.ty,
            answer: answer.ty,
        }));
        let base = self.fresh(words);
        let value = self.value(operand);
        self.copy_words(base, value, asked);
        let callee = self.callee(Callee::Library(number::ask));
        self.emit(Op::Ask, [site, base, words, callee]);
        let result = self.fresh(answered);
        self.copy_words(result, base, answered);
        self.push(Operand::fresh(answer, result));
    }
}
