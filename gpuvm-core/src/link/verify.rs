//! Checks that a routine's data holds together, so that every later stage may rely on it. Routines also come from files and
//! by hand, and nothing that is in them may make the linker panic.

use super::data::{Data, MOST_DATA};
use crate::isa::{Effect, Instruction, NO_WORD, Op, Role, unpair};
use crate::link::LinkError;
use crate::matrix::{PackedTerm, instruction_terms};
use crate::routine::{Callee, Cause, Routine};

/// Words of the arguments of the library's functions that print and ask: a slice of atomics, a VM, a site, and a slice of words.
const TELL_WORDS: u64 = 8;

/// Words that a routine may number: a pair operand has 16 bits for each, and one number means none.
const MOST_WORDS: u64 = 0xfffe;

/// Checks a routine and gives its code with the values of named constants filled in, long ones in `data`. `callees` are
/// the routines that its calls name.
pub(crate) fn verify(routine: &Routine, callees: &[&Routine], data: &mut Data) -> Result<Vec<Instruction>, LinkError> {
    let check = Check { routine, callees };
    check.header()?;
    for (at, instruction) in routine.code.iter().enumerate() {
        check
            .instruction(instruction)
            .map_err(|what| invalid(routine, format!("instruction {at}: {what}")))?;
    }
    check.patched(data)
}

/// The error for a routine that does not hold together.
pub(crate) fn invalid(routine: &Routine, what: impl Into<String>) -> LinkError {
    LinkError::Invalid {
        routine: routine.name.to_string(),
        what: what.into(),
    }
}

/// Words of all parameters together.
pub(crate) fn param_words(routine: &Routine) -> u64 {
    routine.params.iter().map(|param| u64::from(param.words())).sum()
}

/// Whether a routine calls another one that is not of the library, and counts such calls.
pub(crate) fn calls_routines(routine: &Routine) -> bool {
    !routine.is_const
        && routine
            .code
            .iter()
            .filter(|instruction| instruction.opcode == Op::Call.code())
            .any(|instruction| {
                let callee = routine.callees.get(instruction.operands[0] as usize);
                matches!(callee, Some(Callee::Routine(_) | Callee::Held(_) | Callee::Piece(_)))
            })
}

struct Check<'r> {
    routine: &'r Routine,
    callees: &'r [&'r Routine],
}

impl Check<'_> {
    fn header(&self) -> Result<(), LinkError> {
        let routine = self.routine;
        if let Some(why) = routine.refused {
            return Err(LinkError::Refused {
                routine: routine.name.to_string(),
                why,
            });
        }
        if u64::from(routine.words) > MOST_WORDS {
            return Err(LinkError::TooLarge {
                routine: routine.name.to_string(),
                what: "words",
                found: routine.words.into(),
                most: MOST_WORDS,
            });
        }
        let params = param_words(routine);
        if params > u64::from(routine.words) {
            let what = format!("its parameters take {params} words, and it has {}", routine.words);
            return Err(invalid(routine, what));
        }
        if routine.lines.len() != routine.code.len() {
            let what = format!(
                "it has {} instructions and {} lines",
                routine.code.len(),
                routine.lines.len()
            );
            return Err(invalid(routine, what));
        }
        let last = routine.code.last().and_then(|i| Op::from_code(i.opcode));
        if !matches!(last, Some(Op::Jump | Op::Return | Op::Halt | Op::Trap)) {
            return Err(invalid(
                routine,
                "its code does not end in `jump`, `ret`, `halt` or `trap`",
            ));
        }
        Ok(())
    }

    fn instruction(&self, instruction: &Instruction) -> Result<(), String> {
        let Some(op) = Op::from_code(instruction.opcode) else {
            return Err(format!("{:#x} is no opcode", instruction.opcode));
        };
        if made_by_linker(op) {
            return Err(format!("`{}` is only for linked programs", op.mnemonic()));
        }
        for (i, (role, operand)) in op.roles().into_iter().zip(instruction.operands).enumerate() {
            // What a trap records may be nothing; its condition may not.
            let optional = op == Op::Trap || op == Op::TrapIf && i > 1;
            self.operand(optional, role, operand)
                .map_err(|what| format!("`{}`: {what}", op.mnemonic()))?;
        }
        match op {
            Op::Call => self.call(instruction.operands),
            Op::Log => self.log(instruction.operands),
            Op::Ask => self.ask(instruction.operands),
            Op::Return => self.range("the result", instruction.operands[0], self.routine.result.words()),
            Op::Address => self.range("the addressed range", instruction.operands[1], instruction.operands[2]),
            _ if op.roles()[3] == Role::Matrix => self.matrix(instruction),
            _ => Ok(()),
        }
    }

    fn operand(&self, optional: bool, role: Role, operand: u32) -> Result<(), String> {
        match role {
            Role::None if operand != 0 => Err(format!("an operand that is not used is {operand}, not 0")),
            Role::Def => self.word(operand),
            Role::Use if optional && operand == NO_WORD => Ok(()),
            Role::Use => self.word(operand),
            Role::DefPair | Role::UsePair => {
                let (low, high) = unpair(operand);
                for word in [low, high] {
                    if !(optional && word == NO_WORD) {
                        self.word(word)?;
                    }
                }
                if role == Role::DefPair && low == high {
                    return Err(format!("both halves of the result go to word {low}"));
                }
                Ok(())
            }
            Role::Label => below("label", operand, self.routine.code.len()),
            Role::Callee => below("callee", operand, self.callees.len()),
            Role::Site => below("trap site", operand, self.routine.sites.len()),
            Role::Matrix => below("matrix", operand, self.routine.matrices.len()),
            Role::None | Role::Imm | Role::Base => Ok(()),
        }
    }

    fn word(&self, word: u32) -> Result<(), String> {
        below("word", word, self.routine.words as usize)
    }

    fn range(&self, what: &str, base: u32, length: u32) -> Result<(), String> {
        let (end, words) = (u64::from(base) + u64::from(length), self.routine.words);
        if end <= u64::from(words) {
            Ok(())
        } else {
            Err(format!("{what} takes words {base}..{end}, and there are {words}"))
        }
    }

    fn call(&self, operands: [u32; 4]) -> Result<(), String> {
        let callee = self.callees[operands[0] as usize];
        let params = u32::try_from(param_words(callee)).unwrap_or(u32::MAX);
        self.range(&format!("the arguments of `{}`", callee.name), operands[1], params)?;
        self.range(
            &format!("the result of `{}`", callee.name),
            operands[2],
            callee.result.words(),
        )
    }

    fn log(&self, operands: [u32; 4]) -> Result<(), String> {
        let [site, base, words, callee] = operands;
        self.range("what is printed", base, words)?;
        let sites = &self.routine.sites[site as usize..];
        let Some(Cause::Print { pieces, .. }) = sites.first().map(|site| site.cause) else {
            return Err(format!("site {site} prints nothing"));
        };
        let values = sites.iter().skip(1).map_while(|site| match site.cause {
            Cause::Value(shown) => Some(shown.logged_words()),
            _ => None,
        });
        let (count, shown) = values
            .take(pieces.len().saturating_sub(1))
            .fold((1, 0), |(count, all), words| (count + 1, all + words));
        if count != pieces.len() || shown != words {
            return Err(format!("the text of site {site} is not made of {words} words"));
        }
        self.tells(callee, "print")
    }

    fn ask(&self, operands: [u32; 4]) -> Result<(), String> {
        let [site, base, words, callee] = operands;
        self.range("what is asked and answered", base, words)?;
        match self.routine.sites[site as usize].cause {
            Cause::Ask(asking) if words == asking.words() => {}
            Cause::Ask(_) => return Err(format!("question and answer of site {site} do not take {words} words")),
            _ => return Err(format!("site {site} asks nothing")),
        }
        self.tells(callee, "ask")
    }

    /// Whether a callee takes what the library's functions do that print and ask.
    fn tells(&self, callee: u32, what: &str) -> Result<(), String> {
        let callee = self.callees[callee as usize];
        match param_words(callee) {
            TELL_WORDS if callee.result.words() == 0 => Ok(()),
            _ => Err(format!("`{}` cannot {what}", callee.name)),
        }
    }

    fn matrix(&self, instruction: &Instruction) -> Result<(), String> {
        let number = instruction.operands[3];
        let Some(stored) = self.terms(number as usize) else {
            return Err(format!("matrix {number} lies outside of the routine's terms"));
        };
        let meant = instruction_terms(*instruction);
        let meant = meant.terms[..meant.count].iter().map(|term| term.packed());
        if stored.iter().copied().eq(meant) {
            Ok(())
        } else {
            Err(format!("matrix {number} is not the one of this instruction"))
        }
    }

    fn terms(&self, matrix: usize) -> Option<&[PackedTerm]> {
        let Routine { matrices, terms, .. } = self.routine;
        let start = *matrices.get(matrix)? as usize;
        let end = matrices.get(matrix + 1).map_or(terms.len(), |end| *end as usize);
        terms.get(start..end)
    }

    fn patched(&self, data: &mut Data) -> Result<Vec<Instruction>, LinkError> {
        let mut code = self.routine.code.to_vec();
        for (i, constant) in self.routine.constants.iter().enumerate() {
            let words = data.words_of(self.routine, constant);
            let start = constant.at as usize;
            let places = start.checked_add(words.len()).and_then(|end| code.get_mut(start..end));
            let places = places.filter(|places| places.iter().all(|i| i.opcode == Op::Imm.code()));
            let Some(places) = places else {
                let what = format!(
                    "constant {i} has {} words for the `imm` from instruction {start} on, which are not there",
                    words.len()
                );
                return Err(invalid(self.routine, what));
            };
            for (place, word) in places.iter_mut().zip(words) {
                place.operands[1] = word;
            }
            let found = data.words.len() as u64;
            if found > MOST_DATA {
                return Err(LinkError::TooLarge {
                    routine: self.routine.name.to_string(),
                    what: "words of constants",
                    found,
                    most: MOST_DATA,
                });
            }
        }
        Ok(code)
    }
}

/// Operations that have a meaning only in linked programs.
fn made_by_linker(op: Op) -> bool {
    matches!(
        op,
        Op::Affine
            | Op::Switch
            | Op::LoadFrame
            | Op::StoreFrame
            | Op::Param
            | Op::ParamLen
            | Op::Enter
            | Op::Leave
            | Op::FMath
    )
}

fn below(what: &str, number: u32, count: usize) -> Result<(), String> {
    if (number as usize) < count {
        Ok(())
    } else {
        Err(format!("there is no {what} {number}, only {count} of them"))
    }
}

/// Whether nothing of the same block comes after the operation.
pub(crate) fn ends_block(op: Op) -> bool {
    op.effect() == Effect::Control && !(op.pauses() || matches!(op, Op::Call))
}
