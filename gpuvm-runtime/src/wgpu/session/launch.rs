//! What a dispatch's uniform says.

use crate::engine::Job;
use crate::error::{Error, Result};

/// A dispatch of a job's VMs.
pub struct Launch<'j> {
    pub job: &'j Job,
    /// Instructions of a VM.
    pub cycles: u32,
    /// Iterations inside of instructions.
    pub inner_cycles: u32,
    /// Whether VMs that yielded go on.
    pub resume: bool,
    /// Whether no VM has started.
    pub fresh: bool,
    /// The words of the arena's buffer that the VMs may touch: where they start, and how many.
    pub window: [u32; 2],
    pub atomic_words: u32,
    /// Where the job's slots begin.
    pub first_slot: u32,
    /// The job's number in its sequence, counted from 1; 0 if it is alone.
    pub turn: u32,
}

impl Launch<'_> {
    /// Appends the uniform, in the order in which the shader has its fields.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the shader has other fields.
    pub fn append(&self, fields: &[String], to: &mut Vec<u32>) -> Result<()> {
        let program = &self.job.program;
        let word = |field: &String| {
            Ok(match field.as_str() {
                "vms" => self.job.vms,
                "first_vm" => self.job.first_vm,
                "vm_count" => self.job.vm_count,
                "cycles" => self.cycles,
                "inner_cycles" => self.inner_cycles,
                "resume" => self.resume.into(),
                "fresh" => self.fresh.into(),
                "depth_limit" => program.depth_limit,
                "frame_words" => program.frame_memory(),
                "call_frames" => program.call_depth,
                "arena_start" => self.window[0],
                "arena_words" => self.window[1],
                "atomic_words" => self.atomic_words,
                "first_slot" => self.first_slot,
                "turn" => self.turn,
                _ => {
                    let reason = format!("the shader's launch has a field `{field}` that nobody fills");
                    return Err(Error::Device { reason });
                }
            })
        };
        for field in fields {
            to.push(word(field)?);
        }
        Ok(())
    }
}
