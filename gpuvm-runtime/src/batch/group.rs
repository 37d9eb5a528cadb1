//! Which routines of a batch run in the same launch.

use std::sync::Arc;

use gpuvm_core::program::{Program, Selector, batch};
use gpuvm_core::settings::Settings;
use gpuvm_engine::Engine;

use super::Batch;
use super::link::{Form, with_shared_data};
use crate::error::{Error, Result};

/// Instructions of the programs of one launch together: what labels on devices can count, by halves.
pub(super) const MOST_INSTRUCTIONS: usize = 1 << 20;
/// VMs of one launch.
pub(super) const MOST_VMS: usize = 1 << 30;
/// Programs that are worth being compiled as one, and their instructions: a device's compiler takes long enough over so many.
const MOST_COMPILED: usize = 256;
const MOST_COMPILED_INSTRUCTIONS: usize = 1 << 12;
/// Routines of a batch in which those are looked for that come again.
const MOST_LOOKED_AT: usize = 1 << 10;
/// VMs that are worth a launch of their own.
const LEAST_VMS: usize = 1 << 18;

/// The routines of one launch.
pub(super) struct Group {
    /// Their numbers in the batch, in order.
    pub routines: Vec<usize>,
    /// Their programs as one, if that was made before and is worth being compiled.
    repeated: Option<Arc<Program>>,
}

/// A group that grows.
#[derive(Default)]
struct Growing {
    routines: Vec<usize>,
    instructions: usize,
}

impl Batch<'_> {
    /// The launches, given the programs of all routines, how many VMs each has, and how they get at their arguments.
    ///
    /// # Errors
    ///
    /// [`Error::Batch`] where there would be several and must not be.
    pub(super) fn groups(
        &self,
        programs: &[Arc<Program>],
        vms_each: usize,
        form: &Form,
        settings: &Settings,
    ) -> Result<Vec<Group>> {
        let compiled = self.compiled(programs, vms_each, form, settings)?;
        let mut groups = Vec::from_iter(compiled);
        let is_left = |number: &usize| {
            let mut compiled = groups.iter();
            compiled.all(|group| group.routines.binary_search(number).is_err())
        };
        let left: Vec<usize> = (0..programs.len()).filter(is_left).collect();
        groups.extend(self.cut(left, programs, vms_each)?.into_iter().map(|routines| Group {
            routines,
            repeated: None,
        }));
        Ok(groups)
    }

    /// The program of a group, and what runs it.
    ///
    /// # Errors
    ///
    /// [`Error::Link`].
    pub(super) fn program(
        &self,
        group: &Group,
        programs: &[Arc<Program>],
        form: &Form,
        settings: &Settings,
    ) -> Result<(Arc<Program>, Engine)> {
        if let Some(program) = &group.repeated {
            return Ok((Arc::clone(program), Engine::Auto));
        }
        let selector = match self.engine {
            Engine::Specialized if is_small(&group.routines, programs) => Selector::Comparisons,
            _ => Selector::Switch,
        };
        let program = self.join(&group.routines, programs, selector, form, settings)?;
        Ok((Arc::new(program), self.engine_for(&form.params)))
    }

    /// The programs of some routines as one.
    fn join(
        &self,
        routines: &[usize],
        programs: &[Arc<Program>],
        selector: Selector,
        form: &Form,
        settings: &Settings,
    ) -> Result<Program> {
        let own = routines
            .iter()
            .map(|number| (self.routines[*number].clone(), Arc::clone(&programs[*number])));
        let own = with_shared_data(&self.runtime, own, form, settings)?;
        Ok(batch("batch", &own, (form.choice, selector), settings)?)
    }

    /// The routines that came before and are worth being compiled, if there are such.
    fn compiled(
        &self,
        programs: &[Arc<Program>],
        vms_each: usize,
        form: &Form,
        settings: &Settings,
    ) -> Result<Option<Group>> {
        let is_interpreted = self.engine == Engine::Auto && self.engine_for(&form.params) == Engine::Interpreter;
        // Comparisons count as a VM's instructions.
        let is_counted = self.budget.cycles.is_some();
        if !is_interpreted || is_counted || programs.len() > MOST_LOOKED_AT {
            return Ok(None);
        }
        let mut repeats = self.runtime.repeats();
        let again = repeats.again(programs);
        let are_all = again.len() == programs.len();
        let can_be_cut = self.choice.is_none() && form.params.iter().all(|param| !param.mutable);
        let is_worth_it = are_all || can_be_cut && again.len() * vms_each >= LEAST_VMS;
        if again.is_empty() || !is_worth_it || again.len() * vms_each > MOST_VMS || !is_small(&again, programs) {
            return Ok(None);
        }
        let own: Vec<Arc<Program>> = again.iter().map(|number| Arc::clone(&programs[*number])).collect();
        let joined = repeats.joined(&own, form.choice, || {
            self.join(&again, programs, Selector::Comparisons, form, settings)
        })?;
        Ok(joined.map(|program| Group {
            routines: again,
            repeated: Some(program),
        }))
    }

    /// Cuts routines into what one launch can have.
    fn cut(&self, routines: Vec<usize>, programs: &[Arc<Program>], vms_each: usize) -> Result<Vec<Vec<usize>>> {
        let most_programs = match self.choice {
            None => (MOST_VMS / vms_each).max(1),
            Some(_) => usize::MAX,
        };
        let mut done = Vec::new();
        let mut growing = Growing::default();
        for number in routines {
            let program = &programs[number];
            let more = program.code.len() + program.sites.len() + 2;
            let is_full = growing.instructions + more > MOST_INSTRUCTIONS || growing.routines.len() >= most_programs;
            if is_full && !growing.routines.is_empty() {
                done.push(std::mem::take(&mut growing).routines);
            }
            growing.routines.push(number);
            growing.instructions += more;
        }
        if !growing.routines.is_empty() {
            done.push(growing.routines);
        }
        if done.len() > 1 && self.choice.is_some() {
            return Err(Error::Batch {
                reason: format!(
                    "its routines have more than the {MOST_INSTRUCTIONS} instructions of one launch, and with `choose` there is only one; run several batches"
                ),
            });
        }
        Ok(done)
    }
}

/// Whether compilers of devices are done with the programs of some routines as one before long.
fn is_small(routines: &[usize], programs: &[Arc<Program>]) -> bool {
    let instructions: usize = routines.iter().map(|number| programs[*number].code.len()).sum();
    routines.len() <= MOST_COMPILED && instructions <= MOST_COMPILED_INSTRUCTIONS
}
