//! Programs that run beside each other again and again, of which one is made that can be compiled.

use std::collections::VecDeque;
use std::sync::Arc;

use gpuvm_core::program::{Choice, Program};

use crate::remembered::Remembered;

/// Sets of programs that ran last.
const MOST_SETS: usize = 8;

/// What ran of late.
#[derive(Default)]
pub(crate) struct Repeats {
    /// Programs by their addresses, which are theirs alone as long as they are held.
    programs: Remembered<usize>,
    sets: VecDeque<Set>,
}

/// Programs that ran beside each other.
struct Set {
    programs: Vec<Arc<Program>>,
    choice: Choice,
    /// All of them as one, once they did so again.
    joined: Option<Arc<Program>>,
}

impl Repeats {
    /// Notes that programs run, and tells which of them ran before.
    pub fn again(&mut self, programs: &[Arc<Program>]) -> Vec<usize> {
        let address = |program: &Arc<Program>| Arc::as_ptr(program).addr();
        let ran = |number: &usize| self.programs.get(&address(&programs[*number])).is_some();
        let again = (0..programs.len()).filter(ran).collect();
        for program in programs {
            self.programs.keep(address(program), Arc::clone(program));
        }
        again
    }

    /// Notes that programs run beside each other, and gives them as one if they did so before. `join` makes that when it is first asked for.
    ///
    /// # Errors
    ///
    /// That of `join`.
    pub fn joined<E>(
        &mut self,
        programs: &[Arc<Program>],
        choice: Choice,
        join: impl FnOnce() -> Result<Program, E>,
    ) -> Result<Option<Arc<Program>>, E> {
        let is_same = |set: &Set| {
            let mut pairs = set.programs.iter().zip(programs);
            set.choice == choice && set.programs.len() == programs.len() && pairs.all(|(a, b)| Arc::ptr_eq(a, b))
        };
        let known = self.sets.iter().position(is_same);
        let is_known = known.is_some();
        let mut set = known.and_then(|place| self.sets.remove(place)).unwrap_or_else(|| Set {
            programs: programs.to_vec(),
            choice,
            joined: None,
        });
        if is_known && set.joined.is_none() {
            set.joined = Some(Arc::new(join()?));
        }
        let joined = set.joined.clone();
        self.sets.push_back(set);
        if self.sets.len() > MOST_SETS {
            self.sets.pop_front();
        }
        Ok(joined)
    }
}
