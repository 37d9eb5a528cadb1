//! What a planner has to know of a routine before it puts it into a kernel with others.

use crate::isa::Op;
use crate::library::Library;
use crate::link::LinkError;
use crate::link::collect::{Routines, collect};
use crate::routine::RoutineRef;

/// What a routine or one that it calls can do, beside what its parameters tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nature {
    /// It can halt its VM by `vm::halt()`. Then a kernel cannot have it among several calls or in a loop, as what comes after it would be
    /// lost.
    pub halts: bool,
    /// It can stop until the launch goes on, at `vm::yield_now()` or `vm::ask(…)`.
    pub yields: bool,
    /// It asks for `vm::id()` or `vm::count()`, so that its result depends on where an element lies.
    pub asks_identity: bool,
    /// It prints, which tells where an element lies.
    pub prints: bool,
    /// It asks the host.
    pub asks: bool,
}

/// What a routine or one that it calls can do.
///
/// # Errors
///
/// [`LinkError::Invalid`] if it calls a function that the library does not have.
pub fn nature(routine: &RoutineRef, library: Library) -> Result<Nature, LinkError> {
    Ok(Nature::of(&collect(
        std::slice::from_ref(routine),
        library,
        routine.relaxed,
    )?))
}

impl Nature {
    fn of(routines: &Routines) -> Nature {
        let all = routines.all.iter();
        let has = |op: Op| {
            all.clone()
                .any(|routine| routine.code.iter().any(|i| i.opcode == op.code()))
        };
        Nature {
            halts: has(Op::Halt),
            yields: has(Op::Yield) || has(Op::Block),
            asks_identity: has(Op::VmId) || has(Op::VmCount),
            prints: routines.print(),
            asks: routines.ask(),
        }
    }
}
