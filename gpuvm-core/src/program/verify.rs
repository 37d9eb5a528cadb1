//! Checks that a [`Program`] from outside holds together, so that engines need not.

use crate::isa::{CALL_FRAME_WORDS, Instruction, NO_WORD, Op, Role, WORDS, unpair};
use crate::library;
use crate::matrix::{AffineMap, read_record};
use crate::program::{Home, MOST_FRAME_MEMORY, Program, SourceLoc, Variables};

impl Program {
    /// Says what is wrong with a program first, if something is: that an instruction names a word, label, matrix, parameter or site
    /// that does not exist, that a matrix is not what its instruction does, that a message has too many pieces, that the frames are
    /// too large, that the code can run past its end. What the linker makes is valid; programs from text and files are checked.
    ///
    /// # Errors
    ///
    /// The text names the instruction and what is accepted instead.
    pub fn verify(&self) -> Result<(), String> {
        sizes(self)?;
        places_and_sites(self)?;
        variables(self)?;
        let mut maps = Vec::with_capacity(self.matrices.len());
        for (number, record) in self.matrices.iter().enumerate() {
            let map = read_record(record, &self.pools).filter(fits_state);
            maps.push(map.ok_or_else(|| format!("matrix m{number} is no map of the words w0 to w{}", WORDS - 1))?);
        }
        for (address, instruction) in self.code.iter().enumerate() {
            check(self, &maps, instruction).map_err(|what| format!("instruction {address}: {what}"))?;
        }
        match self.code.last().and_then(|last| Op::from_code(last.opcode)) {
            Some(Op::Jump | Op::Return | Op::Halt | Op::Trap | Op::Switch) => Ok(()),
            _ => Err("the code runs past its end: the last instruction must be jump, ret, halt or trap".to_string()),
        }
    }
}

fn sizes(program: &Program) -> Result<(), String> {
    let sizes = [
        ("instructions", program.code.len()),
        ("matrices", program.matrices.len()),
        ("dense entries", program.pools.dense.len()),
        ("terms", program.pools.terms.len()),
        ("words of data", program.data.len()),
    ];
    for (what, found) in sizes {
        if u32::try_from(found).is_err() {
            return Err(format!(
                "{found} {what} are too many: at most {} are possible",
                u32::MAX
            ));
        }
    }
    let frames = u64::from(program.call_depth) * CALL_FRAME_WORDS as u64 + u64::from(program.frame_words);
    if frames > MOST_FRAME_MEMORY {
        return Err(format!(
            "the frames need {frames} words: at most {MOST_FRAME_MEMORY} are possible"
        ));
    }
    let (all, addressed) = (program.frame_words, program.addressed_words);
    if addressed > all {
        return Err(format!("{addressed} words can be addressed, of frames that have {all}"));
    }
    if program.call_depth > 0 && addressed < all {
        return Err(format!(
            "{addressed} words of {all} can be addressed: it has to be all of them in a program that calls"
        ));
    }
    Ok(())
}

fn places_and_sites(program: &Program) -> Result<(), String> {
    if program.places.len() != program.code.len() {
        return Err(format!(
            "{} instructions come from {} places",
            program.code.len(),
            program.places.len()
        ));
    }
    let places = program
        .places
        .iter()
        .chain(program.sites.iter().map(|site| &site.place));
    if let Some(place) = places.into_iter().find(|place| !exists(program, place)) {
        return Err(format!(
            "the place {}:{}:{} names a file or routine that is not there",
            place.file, place.line, place.routine
        ));
    }
    Ok(())
}

fn variables(program: &Program) -> Result<(), String> {
    let Variables {
        list,
        scopes,
        scope_of,
        marks,
    } = &program.variables;
    let routines = program.routines.len();
    if let Some(wrong) = list.iter().find(|variable| variable.routine as usize >= routines) {
        return Err(format!(
            "the variable `{}` is of a routine that is not there",
            wrong.name
        ));
    }
    for (number, scope) in scopes.iter().enumerate() {
        let later = scope.caller.is_some_and(|caller| caller as usize >= number);
        if scope.routine as usize >= routines || later {
            return Err(format!(
                "scope {number} is of a routine or in a scope that is not there"
            ));
        }
    }
    let known = |scope: u32| (scope as usize) < scopes.len();
    // A program without variables needs no scopes.
    if !(scope_of.is_empty() || scope_of.len() == program.code.len() && scope_of.iter().all(|&scope| known(scope))) {
        return Err("the instructions' scopes are not one existing scope for each".to_string());
    }
    if !marks.is_sorted_by_key(|mark| (mark.at, !mark.before)) {
        return Err("the marks of variables are not in the order of the instructions".to_string());
    }
    for mark in marks {
        let part = list
            .get(mark.variable as usize)
            .is_some_and(|of| mark.word < of.ty.words());
        let home = match mark.home {
            Home::Word(word) => (word as usize) < WORDS,
            Home::Frame(offset) => offset < program.frame_words,
            Home::Constant(_) | Home::Nowhere => true,
        };
        if !(part && home && known(mark.scope) && (mark.at as usize) < program.code.len()) {
            return Err(format!(
                "instruction {} marks a variable or place that is not there",
                mark.at
            ));
        }
    }
    Ok(())
}

fn check(program: &Program, maps: &[AffineMap], instruction: &Instruction) -> Result<(), String> {
    let op = Op::from_code(instruction.opcode).ok_or_else(|| format!("{:#x} is no opcode", instruction.opcode))?;
    for (place, (role, &operand)) in op.linked_roles().into_iter().zip(&instruction.operands).enumerate() {
        let exists = match role {
            Role::None => operand == 0,
            Role::Def | Role::Use | Role::Base => is_word(op, place, operand),
            Role::DefPair | Role::UsePair => {
                let (low, high) = unpair(operand);
                is_word(op, place, low) && is_word(op, place, high)
            }
            Role::Imm => true,
            Role::Label => (operand as usize) < program.code.len(),
            Role::Matrix => (operand as usize) < maps.len(),
            Role::Site => (operand as usize) < program.sites.len(),
            Role::Callee => false,
        };
        if !exists {
            return Err(format!(
                "operand {place} of `{}` names a {role:?} that does not exist: {operand:#x}",
                op.mnemonic()
            ));
        }
        if role == Role::Matrix && op != Op::Affine && AffineMap::of(instruction).as_ref() != maps.get(operand as usize)
        {
            return Err(format!("matrix m{operand} is not what `{}` does", op.mnemonic()));
        }
    }
    match op {
        Op::Param | Op::ParamLen if instruction.operands[1] as usize > program.params.len() => Err(format!(
            "`{}` names parameter {}, and there are {}",
            op.mnemonic(),
            instruction.operands[1],
            program.params.len()
        )),
        Op::FMath if !program.relaxed => Err(format!("`{}` is only for relaxed programs", op.mnemonic())),
        Op::FMath if library::relaxed(instruction.operands[3], 0.0, 0.0).is_none() => Err(format!(
            "`{}` names {}, which is no library function that a GPU has as its own",
            op.mnemonic(),
            instruction.operands[3]
        )),
        Op::Switch if Op::last_of_switch(instruction.operands) as usize >= program.code.len() => {
            Err("`switch` may go past the end of the code".to_string())
        }
        Op::Call if program.call_depth == 0 => Err("a program with calls needs a call depth".to_string()),
        _ => Ok(()),
    }
}

fn is_word(op: Op, place: usize, word: u32) -> bool {
    (word as usize) < WORDS || (word == NO_WORD && op.may_be_open(place))
}

/// Whether all rows and columns of a map are words of the state.
fn fits_state(map: &AffineMap) -> bool {
    let is_column = |column: u16| usize::from(column) < WORDS || column == crate::matrix::CONSTANT;
    map.terms()
        .iter()
        .all(|term| usize::from(term.row) < WORDS && is_column(term.column))
}

fn exists(program: &Program, place: &SourceLoc) -> bool {
    (place.file as usize) < program.files.len() && (place.routine as usize) < program.routines.len()
}
