//! What the VMs of a leg ask, and the answers.

use std::ops::Range;

use gpuvm_core::program::{Asked, Questions};

use super::{Course, Leg, Part, Stage};
use crate::error::Result;
use crate::questions::Handlers;

/// So many answers are put where they belong one by one; of more than that all slots are moved there and back.
const FEW: usize = 16;

impl Leg {
    /// Whether no VM goes on before something is answered.
    pub(crate) fn is_blocked(&self) -> bool {
        let begun = || self.parts.iter().filter(|part| matches!(part.stage, Stage::Started(_)));
        let goes_on = |part: &Part| part.tally.running + part.tally.yielded > 0;
        begun().any(|part| part.tally.blocked > 0) && !begun().any(goes_on)
    }

    /// Has what is asked answered, as far as anybody does. Gives how many VMs have an answer to go on with. That may be more than were answered now: a
    /// question is seen as soon as it lies there, and who asked may have been blocked after it was answered.
    ///
    /// # Errors
    ///
    /// Those of who answers, or when the device fails.
    pub(crate) fn serve(&mut self, course: &Course, handlers: &mut Handlers<'_>) -> Result<usize> {
        let Some(questions) = Questions::of(&course.program) else {
            return Ok(0);
        };
        let words = self.read_slots(0..questions.words(course.vms) as usize)?;
        let answers = handlers.answer(questions.asked(&words))?;
        self.answer(course, &answers)?;
        Ok(answers.len() + questions.answers(&words))
    }

    /// The questions that wait for an answer, in the order of the VMs.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub(crate) fn asked(&mut self, course: &Course) -> Result<Vec<Asked>> {
        let Some(questions) = Questions::of(&course.program) else {
            return Ok(Vec::new());
        };
        let words = self.read_slots(0..questions.words(course.vms) as usize)?;
        Ok(questions.asked(&words))
    }

    /// The question of one VM, if it waits for an answer.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub(crate) fn asked_by(&mut self, course: &Course, vm: u32) -> Result<Option<Asked>> {
        let Some(questions) = Questions::of(&course.program).filter(|_| vm < course.vms) else {
            return Ok(None);
        };
        let slot = self.read_slots(questions.slot_of(vm))?;
        Ok(questions.asked_in(&slot, vm))
    }

    /// Gives VMs that wait the words of their answers.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub(crate) fn answer(&mut self, course: &Course, answers: &[(u32, Vec<u32>)]) -> Result<()> {
        let Some(questions) = Questions::of(&course.program).filter(|_| !answers.is_empty()) else {
            return Ok(());
        };
        if answers.len() <= FEW {
            return answers.iter().try_for_each(|(vm, answer)| {
                let slot = questions.answered(answer);
                self.write_slots(questions.slot_of(*vm).start, &slot)
            });
        }
        let mut words = self.read_slots(0..questions.words(course.vms) as usize)?;
        for (vm, answer) in answers {
            let slot = questions.answered(answer);
            let first = questions.slot_of(*vm).start;
            words[first..first + slot.len()].copy_from_slice(&slot);
        }
        self.write_slots(0, &words)
    }

    fn read_slots(&mut self, words: Range<usize>) -> Result<Vec<u32>> {
        let (base, running) = self.slots();
        let words = base + words.start..base + words.end;
        match running {
            Some(running) => Ok(running.read_atomics(words)?),
            None => Ok(self.layout.atomics()[words].to_vec()),
        }
    }

    fn write_slots(&mut self, first: usize, words: &[u32]) -> Result<()> {
        let (base, running) = self.slots();
        let first = base + first;
        match running {
            Some(running) => Ok(running.write_atomics(first, words)?),
            None => {
                let mut atomics = self.layout.take_atomics();
                atomics[first..first + words.len()].copy_from_slice(words);
                self.layout.keep_atomics(atomics);
                Ok(())
            }
        }
    }

    /// Where the slots begin among the atomics, and the part that has these: each begins with those of the one before.
    fn slots(&mut self) -> (usize, Option<&mut Box<dyn gpuvm_engine::Running>>) {
        let running = self.parts.iter_mut().rev().find_map(|part| match &mut part.stage {
            Stage::Started(running) => Some(running),
            _ => None,
        });
        (self.layout.last_atomics(), running)
    }
}
