//! What an encoder records: commands as data, to be done when they are submitted.

use std::ops::Range;
use std::sync::Arc;

use crate::bind::Group;
use crate::buffer::Buffer;
use crate::pipeline::Form;
use crate::query::Queries;

/// Commands, and what they use.
#[derive(Debug, Default)]
pub struct Recording {
    /// The commands, in order.
    pub commands: Vec<Command>,
    /// Bind groups of launches.
    pub groups: Vec<Arc<Group>>,
    /// Buffers of other commands that can be mapped.
    pub mappable: Vec<Arc<Buffer>>,
    /// Buffers that size launches.
    pub sizes: Vec<Arc<Buffer>>,
    /// The other buffers of other commands.
    plain: Vec<Arc<Buffer>>,
    /// The launches' parameters, one launch after the other.
    pub values: Vec<u8>,
    /// What of these is filled in when they are submitted.
    pub uniforms: Vec<Uniform>,
    /// What launches write of buffers that may be uniforms.
    pub stores: Vec<Store>,
    /// What is wrong with the recording, if that was not told.
    pub error: Option<String>,
    /// Whether it uses something that could not be made, which was told.
    pub invalid: bool,
}

/// A command.
#[derive(Debug)]
pub enum Command {
    /// Copies bytes.
    Copy {
        from: Arc<Buffer>,
        from_at: u64,
        to: Arc<Buffer>,
        to_at: u64,
        bytes: u64,
    },
    /// Sets bytes to 0.
    Clear { buffer: Arc<Buffer>, at: u64, bytes: u64 },
    /// Launches a kernel.
    Launch(Launch),
    /// Reads the device's clock.
    Stamp { queries: Arc<Queries>, index: u32 },
    /// Brings readings to a buffer.
    Resolve {
        queries: Arc<Queries>,
        first: u32,
        count: u32,
        to: Arc<Buffer>,
        at: u64,
    },
}

/// A launch.
#[derive(Debug)]
pub struct Launch {
    /// The kernel.
    pub form: Arc<Form>,
    /// Its blocks.
    pub blocks: [u32; 3],
    /// Which of the recording's values are its parameters.
    pub values: Range<usize>,
    /// Which of the recording's uniforms are its own.
    pub uniforms: Range<usize>,
    /// Which of the recording's stores are its own.
    pub stores: Range<usize>,
}

/// Bytes of a buffer that are passed by value.
#[derive(Debug)]
pub struct Uniform {
    pub buffer: Arc<Buffer>,
    pub at: u64,
    pub bytes: u64,
    /// Where in the recording's values they go.
    pub to: usize,
}

/// Bytes of a buffer that a kernel may write.
#[derive(Debug)]
pub struct Store {
    pub buffer: Arc<Buffer>,
    pub at: u64,
    pub bytes: u64,
}

/// How many of the last buffers or groups are looked at before one is noted once more.
const RECENT: usize = 8;

impl Recording {
    /// Takes note that something is wrong, if nothing was before.
    pub fn refuse(&mut self, error: impl FnOnce() -> String) {
        if self.error.is_none() {
            self.error = Some(error());
        }
    }

    /// Takes note that a buffer is used, and tells whether it is there.
    pub fn uses(&mut self, buffer: &Arc<Buffer>) -> bool {
        if !buffer.is_valid() {
            self.invalid = true;
            return false;
        }
        let to = match buffer.host() {
            Some(_) => &mut self.mappable,
            None => &mut self.plain,
        };
        note(to, buffer);
        true
    }

    /// Takes note that a bind group is used.
    pub fn uses_group(&mut self, group: &Arc<Group>) {
        note(&mut self.groups, group);
    }

    /// Takes note that a buffer sizes launches, and tells whether it is there.
    pub fn uses_size(&mut self, buffer: &Arc<Buffer>) -> bool {
        let valid = self.uses(buffer);
        if valid {
            note(&mut self.sizes, buffer);
        }
        valid
    }

    /// All buffers that are used.
    pub fn buffers(&self) -> impl Iterator<Item = &Arc<Buffer>> {
        let bound = self.groups.iter().flat_map(|group| &group.slots);
        let bound = bound.map(|slot| &slot.buffer);
        self.mappable.iter().chain(&self.plain).chain(bound)
    }
}

fn note<T>(to: &mut Vec<Arc<T>>, new: &Arc<T>) {
    if !to.iter().rev().take(RECENT).any(|known| Arc::ptr_eq(known, new)) {
        to.push(new.clone());
    }
}
