//! What a dispatch's uniform says.

use gpuvm_engine::{Error, Job, Result};

use super::super::frame_room::FrameRoom;

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
    /// The room for frames that each VM has.
    pub room: FrameRoom,
    /// The words of the arena's buffer that the VMs may touch: where they start, and how many.
    pub window: [u32; 2],
    pub atomic_words: u32,
    /// Where the job's slots begin.
    pub first_slot: u32,
    /// The job's number in its sequence, counted from 1; 0 if it is alone.
    pub turn: u32,
}

/// Gives the word of a field.
pub type Field = fn(&Launch<'_>) -> u32;

/// The fields of a launch that have these names.
///
/// # Errors
///
/// [`Error::Device`] if the shader has other fields.
pub fn fields(names: &[String]) -> Result<Vec<Field>> {
    let field = |name: &String| -> Result<Field> {
        Ok(match name.as_str() {
            "vms" => |launch| launch.job.vms,
            "first_vm" => |launch| launch.job.first_vm,
            "vm_count" => |launch| launch.job.vm_count,
            "cycles" => |launch| launch.cycles,
            "inner_cycles" => |launch| launch.inner_cycles,
            "resume" => |launch| launch.resume.into(),
            "fresh" => |launch| launch.fresh.into(),
            "depth_limit" => |launch| launch.job.program.depth_limit,
            "frame_words" => |launch| launch.room.all_words(),
            "addressed_words" => |launch| launch.room.addressed_words(&launch.job.program),
            "frame_gap" => |launch| launch.room.gap(&launch.job.program),
            "frames_end" => |launch| launch.room.end(&launch.job.program),
            "call_room" => |launch| launch.room.calls,
            "call_frames" => |launch| launch.job.program.call_depth,
            "arena_start" => |launch| launch.window[0],
            "arena_words" => |launch| launch.window[1],
            "atomic_words" => |launch| launch.atomic_words,
            "first_slot" => |launch| launch.first_slot,
            "turn" => |launch| launch.turn,
            _ => {
                let reason = format!("the shader's launch has a field `{name}` that nobody fills");
                return Err(Error::Device { reason });
            }
        })
    };
    names.iter().map(field).collect()
}

impl Launch<'_> {
    /// Appends the uniform, in the order in which the shader has its fields.
    pub fn append(&self, fields: &[Field], to: &mut Vec<u32>) {
        to.extend(fields.iter().map(|field| field(self)));
    }
}
