//! Short ways to write functions down in tests.

use super::{Block, End, Function, Inst, NONE};
use crate::isa::{Op, Role};
use crate::program::SourceLoc;

/// The place of everything in tests.
pub(crate) const PLACE: SourceLoc = SourceLoc {
    file: 0,
    line: 1,
    routine: 0,
};

/// A function of empty blocks that end as given, with room for 64 words.
pub(crate) fn blocks(ends: Vec<End>) -> Function {
    Function {
        name: "test".into(),
        params: Vec::new(),
        results: 0,
        words: 64,
        blocks: ends
            .into_iter()
            .map(|end| Block {
                code: Vec::new(),
                end,
                place: PLACE,
                marks: Vec::new(),
            })
            .collect(),
        slots: Vec::new(),
        frame_words: 0,
        names: Default::default(),
    }
}

/// Instructions as `mnemonic operand operand …; …`, in the order of the table's operands, with pairs as `low:high`.
pub(crate) fn assemble(text: &str) -> Vec<Inst> {
    text.split(';')
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(line)
        .collect()
}

fn line(text: &str) -> Inst {
    let mut parts = text.split_whitespace();
    let mnemonic = parts.next().expect("a mnemonic");
    let op = *Op::ALL
        .iter()
        .find(|op| op.mnemonic() == mnemonic)
        .expect("a known mnemonic");
    let mut inst = Inst::new(op, NONE, &[], 0, PLACE);
    let (mut used, mut constants) = (0, 0);
    for (role, part) in op
        .roles()
        .into_iter()
        .filter(|&r| !matches!(r, Role::None | Role::Matrix))
        .zip(parts)
    {
        let number = |text: &str| match text {
            "-" => NONE,
            text => text
                .parse()
                .or_else(|_| text.parse::<i32>().map(|n| n as u32))
                .expect("a number"),
        };
        match role {
            Role::Def => inst.defs[0] = number(part),
            Role::DefPair => {
                let (low, high) = part.split_once(':').expect("a pair");
                inst.defs = [number(low), number(high)];
            }
            Role::Use => {
                inst.uses[used] = number(part);
                used += 1;
            }
            Role::UsePair => {
                let (low, high) = part.split_once(':').expect("a pair");
                inst.uses[used] = number(low);
                inst.uses[used + 1] = number(high);
                used += 2;
            }
            _ if constants == 0 => {
                inst.imm = number(part);
                constants += 1;
            }
            _ => inst.extra = number(part),
        }
    }
    inst
}
