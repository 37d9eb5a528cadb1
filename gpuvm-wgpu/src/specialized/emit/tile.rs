//! Programs whose elements go through tiles, and operators on them: words of some launch parameters are variables of the invocation.

use super::super::code::Node;
use super::{Emitter, Start};

/// The variables of an operator's launch parameters, by word.
const OPERANDS: [[&str; 2]; 3] = [["left_0", "left_1"], ["right_0", "right_1"], ["folded_0", "folded_1"]];
/// Those of an element.
const ELEMENT: [&str; 2] = ["made_0", "made_1"];

impl Emitter<'_> {
    /// The variable that has the word at an arena offset, `word` plus a constant, if one has it.
    pub fn carried(&mut self, word: u32, constant: u32) -> Option<Node> {
        if !matches!(self.start, Start::Tile(_) | Start::Operator) {
            return None;
        }
        let value = self.read(word);
        let (param, at) = self.place_of(&value)?;
        let names = match self.start {
            Start::Tile(to) => (param == to).then_some(&ELEMENT)?,
            _ => OPERANDS.get(param as usize)?,
        };
        let name = names.get(at.wrapping_add(constant) as usize)?;
        Some(self.code.global(name))
    }
}
