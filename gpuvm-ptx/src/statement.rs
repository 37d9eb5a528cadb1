//! Statements.

use naga::{Block, Statement};

use crate::Result;
use crate::error::{invalid, unsupported};
use crate::options::Grid;
use crate::resident::synchronise;
use crate::translator::{Evaluated, Translator};

/// Whether control comes to what follows a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does, or may.
    Next,
    /// It never does.
    Ended,
}

impl<'a> Translator<'a> {
    /// Writes statements up to the first that control does not come back from.
    pub fn block(&mut self, block: &'a Block) -> Result<Flow> {
        let mut rest = &block[..];
        while let Some((statement, then)) = rest.split_first() {
            if matches!(statement, Statement::Emit(_)) {
                rest = self.emit_all(rest)?;
                continue;
            }
            if let Some(after) = self.store_parts(rest)? {
                rest = after;
                continue;
            }
            if self.statement(statement)? == Flow::Ended {
                return Ok(Flow::Ended);
            }
            rest = then;
        }
        Ok(Flow::Next)
    }

    /// Writes the expressions with which some statements begin, and gives the other statements.
    fn emit_all(&mut self, statements: &'a [Statement]) -> Result<&'a [Statement]> {
        let ranges = statements.iter().map_while(|statement| match statement {
            Statement::Emit(range) => Some(range.clone()),
            _ => None,
        });
        let ranges: Vec<_> = ranges.collect();
        let rest = &statements[ranges.len()..];
        let mut vectors = self.vectors(ranges.iter().cloned().flatten(), rest);
        for expression in ranges.into_iter().flatten() {
            match self.load_part(expression, &mut vectors)? {
                Some(word) => self.remember(expression, Evaluated::Value(vec![word])),
                None => self.emit(expression)?,
            }
        }
        Ok(rest)
    }

    /// Writes a statement.
    pub fn statement(&mut self, statement: &'a Statement) -> Result<Flow> {
        match *statement {
            Statement::Emit(_) => _ = self.emit_all(std::slice::from_ref(statement))?,
            Statement::Block(ref block) => return self.block(block),
            Statement::If {
                condition,
                ref accept,
                ref reject,
            } => return self.branch(condition, accept, reject),
            Statement::Switch { selector, ref cases } => return self.switch(selector, cases),
            Statement::Loop {
                ref body,
                ref continuing,
                break_if,
            } => return self.repeat(body, continuing, break_if),
            Statement::Break => {
                let label = self.frame.breaks.ok_or_else(|| invalid("a break without a loop"))?;
                self.text.jump(label);
                return Ok(Flow::Ended);
            }
            Statement::Continue => {
                let label = self
                    .frame
                    .continues
                    .ok_or_else(|| invalid("a continue without a loop"))?;
                self.text.jump(label);
                return Ok(Flow::Ended);
            }
            Statement::Return { value } => {
                if let Some(value) = value {
                    let value = self.value(value)?;
                    if self.frame.returns_once {
                        self.frame.result = value;
                        return Ok(Flow::Ended);
                    }
                    let result = self.frame.result.clone();
                    for (register, value) in result.into_iter().zip(value) {
                        self.text.copy_into(register, value);
                    }
                }
                self.text.jump(self.frame.end);
                return Ok(Flow::Ended);
            }
            // Barriers of storage are of the workgroup as well, in WGSL.
            Statement::ControlBarrier(barrier) => {
                if barrier.intersects(naga::Barrier::SUB_GROUP | naga::Barrier::TEXTURE) {
                    return Err(unsupported("a barrier of a subgroup or of textures"));
                }
                self.barrier();
            }
            Statement::MemoryBarrier(_) => self.text.line(format_args!("membar.cta")),
            Statement::Store { pointer, value } => {
                let inner = self.layout.pointee(self.inner(pointer))?;
                let (place, value) = (self.place(pointer)?, self.value(value)?);
                self.store(&place, &inner, &value)?;
            }
            Statement::Atomic {
                pointer,
                fun,
                value,
                result,
            } => self.atomic(pointer, fun, value, result)?,
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let (place, inner) = (self.place(pointer)?, self.layout.pointee(self.inner(pointer))?);
                self.barrier();
                let value = self.load(&place, &inner)?;
                self.barrier();
                self.remember(result, Evaluated::Value(value));
            }
            Statement::Call {
                function,
                ref arguments,
                result,
            } => {
                let arguments = arguments.iter().map(|&argument| self.evaluated(argument));
                let arguments = arguments.collect::<Result<_>>()?;
                let value = self.call(function, arguments)?;
                if let Some(result) = result {
                    self.remember(result, Evaluated::Value(value));
                }
            }
            Statement::Kill => return Err(unsupported("a discarded fragment")),
            Statement::ImageStore { .. } | Statement::ImageAtomic { .. } => {
                return Err(unsupported("an operation on a texture"));
            }
            Statement::RayQuery { .. } | Statement::RayPipelineFunction(_) => return Err(unsupported("a ray query")),
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => return Err(unsupported("an operation of a subgroup")),
            Statement::CooperativeStore { .. } => return Err(unsupported("a cooperative matrix")),
        }
        Ok(Flow::Next)
    }

    /// Waits for the workgroup, and makes what each has written visible to all of it.
    pub fn barrier(&mut self) {
        match self.options.grid {
            Grid::Resident(_) => synchronise(&mut self.text, self.module.entry_points[0].workgroup_size[0]),
            _ => self.text.line(format_args!("bar.sync 0")),
        }
    }
}
