//! Routines with functions inside of their code are taken apart before all else, so that the linker knows of whole routines only.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::isa::{Instruction, Op, Role};
use crate::routine::{Constant, Piece, Routine};
use crate::types::TypeRef;

/// A routine of the binary with its own instructions, and behind it its pieces; nothing if it has none. They are kept for as long as the process lives, as the
/// routine is, so that they, too, are known by where they are.
pub(crate) fn taken_apart(routine: &'static Routine) -> &'static [Routine] {
    static KEPT: Mutex<BTreeMap<usize, &'static [Routine]>> = Mutex::new(BTreeMap::new());
    if routine.pieces.is_empty() {
        return &[];
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.entry(std::ptr::from_ref(routine).addr())
        .or_insert_with(|| take_apart(routine).leak())
}

fn take_apart(routine: &'static Routine) -> Vec<Routine> {
    // Later pieces lie in earlier ones. An instruction is of the last that it lies in; of 0 where that is none.
    let mut owners = vec![0; routine.code.len()];
    for (number, piece) in routine.pieces.iter().enumerate() {
        if let Some(within) = owners.get_mut(piece.start as usize..piece.end as usize) {
            within.fill(number + 1);
        }
    }
    let own = part(routine, &owners, 0);
    let pieces = routine.pieces.iter().enumerate().map(|(number, piece)| Routine {
        name: Cow::Borrowed(piece.name),
        file: Cow::Borrowed(piece.file),
        line: piece.line,
        params: params(piece),
        result: piece.result,
        words: piece.words,
        variables: Cow::Borrowed(&[]),
        is_const: false,
        refused: None,
        ..part(routine, &owners, number + 1)
    });
    std::iter::once(own).chain(pieces).collect()
}

fn params(piece: &Piece) -> Cow<'static, [TypeRef]> {
    let given = piece.params.iter().filter(|param| !param.ty.opaque);
    given.copied().chain([Piece::BLOCK]).collect()
}

/// The routine with the instructions of one owner.
fn part(routine: &'static Routine, owners: &[usize], owner: usize) -> Routine {
    // Labels go to the owner's next instruction: what else is in between is somewhere else now.
    let mut moved = Vec::with_capacity(owners.len() + 1);
    let (mut code, mut lines): (Vec<Instruction>, Vec<u32>) = Default::default();
    for (at, of) in owners.iter().enumerate() {
        moved.push(code.len() as u32);
        if *of == owner {
            code.push(routine.code[at]);
            lines.extend(routine.lines.get(at));
        }
    }
    moved.push(code.len() as u32);
    for instruction in &mut code {
        let Some(op) = Op::from_code(instruction.opcode) else {
            continue;
        };
        for (role, operand) in op.roles().iter().zip(&mut instruction.operands) {
            if *role == Role::Label {
                *operand = moved.get(*operand as usize).copied().unwrap_or(u32::MAX);
            }
        }
    }
    let constants = routine
        .constants
        .iter()
        .filter(|constant| owners.get(constant.at as usize) == Some(&owner));
    Routine {
        code: Cow::Owned(code),
        lines: Cow::Owned(lines),
        constants: constants
            .map(|constant| Constant {
                at: moved[constant.at as usize],
                ..*constant
            })
            .collect(),
        matrices: Cow::Borrowed(&routine.matrices),
        terms: Cow::Borrowed(&routine.terms),
        callees: Cow::Borrowed(&routine.callees),
        sites: Cow::Borrowed(&routine.sites),
        variables: Cow::Borrowed(&routine.variables),
        name: routine.name.clone(),
        file: routine.file.clone(),
        params: Cow::Borrowed(&routine.params),
        pieces: Cow::Borrowed(&[]),
        held: routine.held.clone(),
        tables: routine.tables.clone(),
        ..*routine
    }
}
