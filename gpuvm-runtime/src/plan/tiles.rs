//! Steps whose elements an engine goes through tile by tile, in a few dispatches of one launch. What that is not for goes another way, to the
//! same bits.

use gpuvm_core::types::Value;

use super::data::Data;
use super::fuse::Step;
use super::kernel::{Column, Sketch, Tiling};
use super::node::Use;
use super::program::{At, Columns, blank};
use super::run::Run;
use crate::error::Result;

impl Run<'_, '_> {
    /// Scans what a step reads, or its nodes give; `None` if that goes by other kernels.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`](crate::Error::Trap) of a launch before.
    pub fn scan_tiles(&mut self, step: &Step, at: At<'_>, op: &Use) -> Result<Option<Data>> {
        let (of, length) = (self.operand(step.root, 0), self.length(step.root));
        let sketch = |runner: &Self| {
            let before = step.members.iter().copied().filter(|member| *member != step.root);
            let writer = runner.writer_of(step, false, before);
            writer.scan_tiles((step.root, of), &op.routine)
        };
        let ty = op.routine.result.ty;
        let to = blank(ty, length);
        let columns = |room| Columns::from([(Column::To, to.clone()), (Column::Tiles, blank(ty, room))]);
        let sent = self.through_tiles(step, at, length, sketch, columns)?;
        Ok(sent.map(|_| to))
    }

    /// Marks the entries that a filter keeps; `None` if that goes by other kernels. Gives the columns that are there then, and the marks.
    ///
    /// # Errors
    ///
    /// As [`Run::scan_tiles`].
    pub fn mark_tiles(&mut self, step: &Step, at: At<'_>, length: usize) -> Result<Option<(Columns, Data)>> {
        let sketch = |runner: &Self| Sketch {
            tiling: Some(Tiling::Marks),
            ..runner.filter_sketch(step)
        };
        let beside = self.columns_of(&self.stored_beside(step), length);
        let columns = |room| {
            let mut columns = beside;
            columns.put(Column::Flags, blank(u32::TYPE, room));
            columns
        };
        let sent = self.through_tiles(step, at, length, sketch, columns)?;
        Ok(sent.and_then(|columns| {
            let marks = columns.get(Column::Flags).cloned()?;
            Some((columns, marks))
        }))
    }

    /// Sends a step off by a kernel whose elements go through tiles. Gives the columns, which are made for so much room.
    fn through_tiles(
        &mut self,
        step: &Step,
        at: At<'_>,
        length: usize,
        sketch: impl FnOnce(&Self) -> Sketch,
        columns: impl FnOnce(usize) -> Columns,
    ) -> Result<Option<Columns>> {
        let possible = match &self.under_way.sequence {
            Some(sequence) => sequence.has_tiles() && !self.under_way.is_closed(),
            None => false,
        };
        let uses = step.members.iter().filter_map(|member| self.nodes[*member].kind.uses());
        let quiet = uses.map(|of| of.nature).all(|nature| !nature.prints && !nature.asks);
        if !possible || !quiet || length == 0 {
            // Other launches of the step have the same number either way.
            self.turn.launch += 1;
            return Ok(None);
        }
        let kernel = self.kernel(sketch)?;
        let (Some(tiles), Some(sequence)) = (&kernel.tiles, &mut self.under_way.sequence) else {
            return Ok(None);
        };
        if !sequence.takes_tiles(&kernel.program, tiles)? {
            return Ok(None);
        }
        let columns = columns(tiles.room(u32::try_from(length).unwrap_or(u32::MAX)) as usize);
        let is_sent = self.launch_tiles(at, &kernel, length, &columns)?;
        Ok(is_sent.then_some(columns))
    }
}
