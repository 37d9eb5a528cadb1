//! The launches of a step: which are waited for, and which are only sent off.

use std::collections::VecDeque;
use std::sync::Arc;

use gpuvm_core::isa::Op;
use gpuvm_core::program::Program;

use super::kernel::{Sketch, Source};
use super::program::{At, Columns};
use super::run::{Runner, empty};
use crate::arg::{Argument, Mode};
use crate::bind::Bound;
use crate::engine::{Limit, Words};
use crate::error::{Error, Result};
use crate::leg::{Course, Entrance, Leg};
use crate::trap::Trap;
use crate::view::{Held, Seen};

/// A launch.
pub(super) struct UnderWay {
    name: String,
    course: Course,
    leg: Leg,
}

/// Launches that are under way at a time without anybody waiting for them.
const MOST_SENT: usize = 32;
/// VMs of all of them together. Their columns cannot be used again before they are waited for.
const MOST_VMS_SENT: u64 = 1 << 20;

impl<'p> Runner<'p, '_> {
    /// Runs a kernel.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`].
    pub fn launch(&mut self, at: At<'_>, sketch: &Sketch, vms: usize, columns: &Columns) -> Result<()> {
        if vms == 0 {
            return Ok(());
        }
        let name = &sketch.kernel.name;
        let too_large = || Error::TooLarge {
            routine: name.clone(),
            words: vms as u64,
            vms: vms as u64,
            engine: at.engine,
        };
        let params: Result<Vec<Bound<'_>>> = sketch
            .sources
            .iter()
            .map(|source| self.source(at.root, source, vms, columns))
            .collect();
        let memory = at.executor.memory();
        let mut held = Held::new(params?, memory.as_ref(), false)?;
        let course = Course {
            executor: Arc::clone(at.executor),
            engine: at.engine,
            program: self.runtime.link_kernel(&sketch.kernel)?,
            vms: u32::try_from(vms).map_err(|_| too_large())?,
            keep: false,
        };
        held.refresh()?;
        let mut views = held.views();
        let leg = Leg::new(&course, &views, 1, Entrance::Program, name)?;
        let mut under_way = UnderWay {
            name: name.clone(),
            course,
            leg,
        };
        if self.can_send(&under_way.course)? && under_way.leg.send(&under_way.course, &views)? {
            self.sent.push_back(under_way);
            return Ok(());
        }
        self.wait_for(under_way, &mut views)
    }

    /// Sees to room for a launch among those that are under way; false if it must not be sent off without a look at how it ends: because
    /// it can trap or yield, there is no engine's memory to leave its columns in, or it is so large that a wait is nothing to it.
    fn can_send(&mut self, course: &Course) -> Result<bool> {
        let Program { code, sites, .. } = &*course.program;
        let large = u64::from(course.vms) > MOST_VMS_SENT;
        let stops = !sites.is_empty() || code.iter().any(|code| Op::from_code(code.opcode) == Some(Op::Yield));
        if large || stops || course.executor.memory().is_none() {
            return Ok(false);
        }
        let vms = |sent: &VecDeque<UnderWay>| sent.iter().map(|sent| u64::from(sent.course.vms)).sum::<u64>();
        while self.sent.len() >= MOST_SENT || vms(&self.sent) + u64::from(course.vms) > MOST_VMS_SENT {
            match self.sent.pop_front() {
                Some(first) => self.wait_for(first, &mut [])?,
                None => break,
            }
        }
        Ok(true)
    }

    /// Waits for all launches that were sent off.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn settle(&mut self) -> Result<()> {
        while let Some(sent) = self.sent.pop_front() {
            self.wait_for(sent, &mut [])?;
        }
        Ok(())
    }

    /// Brings a launch to its end.
    fn wait_for(&mut self, under_way: UnderWay, views: &mut [Seen<'_>]) -> Result<()> {
        let UnderWay { name, course, mut leg } = under_way;
        let (mut results, limit) = (Words::default(), Limit::default());
        while !leg.all_over() {
            leg.round(&course, views, &mut results, &limit, &mut |_| {})?;
        }
        let tally = leg.tally();
        self.add(&tally);
        match leg.close(&course, views, &mut results)? {
            None => Ok(()),
            Some(record) => {
                let trap = Trap::of(&course.program, &record);
                Err(self.trapped(&name, course.vms as usize, trap, tally.trapped.into()))
            }
        }
    }

    /// What stands for a launch parameter.
    fn source(&self, root: usize, source: &Source, vms: usize, columns: &Columns) -> Result<Bound<'p>> {
        match source {
            Source::Node(from, parameter, read) => self.bound(*from, *parameter, *read, vms),
            Source::Value(value) => Ok(Bound {
                mode: Mode::Value,
                argument: Argument::Uniform(value.to_vector()),
            }),
            Source::Column(column, mode) => {
                let data = columns.get(column).cloned();
                Ok(Bound {
                    mode: *mode,
                    argument: self.argument(&data.unwrap_or_else(|| empty(self.nodes[root].element))),
                })
            }
        }
    }
}
