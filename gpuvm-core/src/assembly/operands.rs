//! Reads instructions: operations, their operands, and labels.

use std::collections::BTreeMap;

use super::cursor::Cursor;
use crate::isa::{Instruction, NO_WORD, Op, Role, pair};

/// The operation of a name.
pub(super) fn operation(name: &str) -> Result<Op, String> {
    let found = Op::ALL.iter().copied().find(|op| op.mnemonic() == name);
    found.ok_or_else(|| format!("`{name}` is no operation: the opcode table lists them"))
}

/// Where labels stand in code, and who names them.
#[derive(Default)]
pub(super) struct Labels {
    at: BTreeMap<String, u32>,
    /// Operands that name a label: instruction, operand, line, name.
    uses: Vec<(usize, usize, usize, String)>,
}

impl Labels {
    /// Lets a label stand before the instruction of that number.
    pub fn place(&mut self, name: &str, at: usize) -> Result<(), String> {
        match self.at.insert(name.to_string(), at as u32) {
            None => Ok(()),
            Some(_) => Err(format!("the label `{name}` stands here for the second time")),
        }
    }

    /// An instruction, given what its operands mean, its number, and its line. What stands for a matrix that is left out says `matrix`, given the
    /// operands before it.
    pub fn operands(
        &mut self,
        op: Op,
        roles: [Role; 4],
        cursor: &mut Cursor<'_>,
        (at, line): (usize, usize),
        mut matrix: impl FnMut([u32; 4], &Cursor<'_>) -> Result<Option<u32>, String>,
    ) -> Result<Instruction, String> {
        let mut operands = [0; 4];
        let mut first = true;
        for (place, role) in roles.into_iter().enumerate() {
            if role == Role::None {
                continue;
            }
            if role == Role::Matrix
                && let Some(number) = matrix(operands, cursor)?
            {
                operands[place] = number;
                continue;
            }
            if cursor.at_end() && op.may_be_left_out(place) {
                continue;
            }
            if !first {
                cursor.expect(",")?;
            }
            first = false;
            let open = op.may_be_open(place);
            operands[place] = match role {
                Role::Def | Role::Use | Role::Base => word(cursor, open)?,
                Role::DefPair | Role::UsePair => {
                    let low = word(cursor, open)?;
                    cursor.expect(":")?;
                    pair(low, word(cursor, open)?)
                }
                Role::Label => {
                    cursor.expect("@")?;
                    let label = cursor.name()?;
                    self.uses.push((at, place, line, label.to_string()));
                    0
                }
                Role::Matrix => prefixed(cursor, "m", "a matrix")?,
                Role::Site => prefixed(cursor, "s", "a trap site")?,
                Role::Callee => prefixed(cursor, "c", "a callee")?,
                Role::Imm | Role::None => cursor.number()?,
            };
        }
        Ok(Instruction::new(op, operands))
    }

    /// Puts the labels' places where they are named. A label that does not stand anywhere may be a number.
    ///
    /// # Errors
    ///
    /// The line and name of one that is neither.
    pub fn resolve(self, code: &mut [Instruction]) -> Result<(), (usize, String)> {
        for (instruction, operand, line, name) in self.uses {
            let address = match (self.at.get(&name), name.parse()) {
                (Some(&address), _) => address,
                (None, Ok(address)) => address,
                (None, Err(_)) => return Err((line, format!("there is no label `{name}`"))),
            };
            code[instruction].operands[operand] = address;
        }
        Ok(())
    }
}

/// `w5`, or `_` where a word may be left open.
pub(super) fn word(cursor: &mut Cursor<'_>, may_be_open: bool) -> Result<u32, String> {
    let found = cursor.found();
    match cursor.name() {
        Ok("_") if may_be_open => Some(NO_WORD),
        Ok(name) => name
            .strip_prefix('w')
            .and_then(|digits| digits.parse::<u16>().ok())
            .map(u32::from),
        Err(_) => None,
    }
    .ok_or_else(|| format!("expected a word such as `w5`, found {found}"))
}

fn prefixed(cursor: &mut Cursor<'_>, prefix: &str, what: &str) -> Result<u32, String> {
    let found = cursor.found();
    let number = cursor
        .name()
        .ok()
        .and_then(|name| name.strip_prefix(prefix)?.parse().ok());
    number.ok_or_else(|| format!("expected {what} such as `{prefix}0`, found {found}"))
}
