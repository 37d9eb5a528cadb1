//! What goes to a device's stream, in order: submissions, and bytes that the host writes to buffers in between.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::buffer::Buffer;
use crate::driver::pinned::{HostPool, Pinned};
use crate::driver::{Error, Launch, Result};
use crate::progress::Kept;
use crate::recording::{Command, Recording};
use crate::shared::Shared;

/// The end of the stream at which orders are given.
#[derive(Debug, Default)]
pub struct Sending {
    /// The last submission.
    last: u64,
    /// Where bytes are put for the device to fetch, and how many are used.
    block: Option<(Arc<Pinned>, usize)>,
    /// What was told to the stream since the last submission, and goes with the next.
    kept: Vec<Arc<Pinned>>,
}

/// Why a submission was not done to its end.
#[derive(Debug)]
pub enum Failure {
    /// The driver's reason.
    Driver(Error),
    /// Something is not as it has to be.
    Invalid(String),
}

/// Bytes of a block that small writes share.
const BLOCK: usize = 256 << 10;
/// Writes of more bytes have blocks of their own.
const SMALL: usize = BLOCK / 4;
/// What places in a block are multiples of.
const ALIGNMENT: usize = 16;

impl Sending {
    /// Keeps a block until what was told is done.
    pub fn keep(&mut self, block: Arc<Pinned>) {
        self.kept.push(block);
    }

    /// Tells the stream to do what was recorded, as one submission. The thread has entered.
    pub fn submit(&mut self, shared: &Shared, mut recordings: Vec<Recording>) -> (u64, Vec<Failure>) {
        let number = self.last + 1;
        let mut failures = Vec::new();
        for recording in &mut recordings {
            failures.extend(self.run(shared, recording, number).err());
        }
        let kept = Kept {
            _recordings: recordings,
            _staging: std::mem::take(&mut self.kept),
        };
        self.last = number;
        if let Err(error) = shared.progress.submit(number, kept) {
            // Nobody would ever hear that it has ended.
            shared.lose(wgpu::DeviceLostReason::Unknown, error.to_string());
        }
        (number, failures)
    }

    /// The last submission.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Tells the stream to write bytes to a buffer. The thread has entered.
    ///
    /// # Errors
    ///
    /// When the driver refuses.
    pub fn write(&mut self, shared: &Shared, buffer: &Buffer, at: u64, data: &[u8]) -> Result<()> {
        let (block, place) = self.place(&shared.host, data.len())?;
        block.write(place, data);
        self.send(shared, buffer, at, &block, place as u64, data.len() as u64)
    }

    /// Tells the stream to write the first bytes of a block to a buffer. The thread has entered.
    ///
    /// # Errors
    ///
    /// When the driver refuses.
    pub fn write_block(
        &mut self,
        shared: &Shared,
        buffer: &Buffer,
        at: u64,
        block: &Arc<Pinned>,
        bytes: u64,
    ) -> Result<()> {
        self.keep(block.clone());
        self.send(shared, buffer, at, block, 0, bytes)
    }

    fn send(
        &mut self,
        shared: &Shared,
        buffer: &Buffer,
        at: u64,
        block: &Pinned,
        place: u64,
        bytes: u64,
    ) -> Result<()> {
        buffer.prepare(bytes == buffer.size)?;
        if let Some(mut shadow) = buffer.shadow() {
            shadow.write(at, bytes, |to| block.read(place as usize, to));
        }
        shared
            .driver
            .copy(block.address() + place, buffer.address() + at, bytes)
    }

    /// A place for so many bytes.
    fn place(&mut self, host: &Arc<HostPool>, bytes: usize) -> Result<(Arc<Pinned>, usize)> {
        if bytes > SMALL {
            let block = host.take(bytes)?;
            self.keep(block.clone());
            return Ok((block, 0));
        }
        if let Some((block, used)) = &mut self.block
            && BLOCK - *used >= bytes
        {
            let place = *used;
            *used += bytes.next_multiple_of(ALIGNMENT);
            *used = (*used).min(BLOCK);
            return Ok((block.clone(), place));
        }
        let block = host.take(BLOCK)?;
        let before = self.block.replace((block.clone(), bytes.next_multiple_of(ALIGNMENT)));
        self.kept.extend(before.map(|(before, _)| before));
        Ok((block, 0))
    }

    fn run(&mut self, shared: &Shared, recording: &mut Recording, number: u64) -> std::result::Result<(), Failure> {
        for buffer in recording.buffers() {
            if let Some(reason) = buffer.unusable() {
                return Err(Failure::Invalid(reason.to_string()));
            }
        }
        for buffer in &recording.mappable {
            buffer.last_use.store(number, Ordering::Release);
        }
        for group in &recording.groups {
            for slot in &group.slots {
                slot.buffer.prepare(false)?;
            }
        }
        let Recording {
            commands,
            values,
            uniforms,
            stores,
            ..
        } = recording;
        for command in commands {
            match command {
                Command::Copy {
                    from,
                    from_at,
                    to,
                    to_at,
                    bytes,
                } => {
                    from.prepare(false)?;
                    to.prepare(*bytes == to.size)?;
                    copy_shadow(from, *from_at, to, *to_at, *bytes);
                    shared
                        .driver
                        .copy(from.address() + *from_at, to.address() + *to_at, *bytes)?;
                }
                Command::Clear { buffer, at, bytes } => {
                    buffer.prepare(*bytes == buffer.size)?;
                    if let Some(mut shadow) = buffer.shadow() {
                        shadow.write(*at, *bytes, |bytes| bytes.fill(0));
                    }
                    shared.driver.clear(buffer.address() + *at, *bytes)?;
                }
                Command::Size(buffer) => buffer.prepare(false)?,
                Command::Launch(launch) => {
                    for uniform in &uniforms[launch.uniforms.clone()] {
                        let shadow = uniform.buffer.shadow();
                        let known = shadow
                            .as_ref()
                            .and_then(|shadow| shadow.read(uniform.at, uniform.bytes));
                        let Some(known) = known else {
                            return Err(Failure::Invalid(format!(
                                "the uniform of `{}` has bytes that a kernel has written: the host has to know uniforms",
                                launch.form.label
                            )));
                        };
                        values[uniform.to..uniform.to + known.len()].copy_from_slice(known);
                    }
                    let form = &launch.form;
                    shared.driver.launch(&Launch {
                        function: form.function,
                        blocks: launch.blocks,
                        threads: form.threads,
                        values: &values[launch.values.clone()],
                        offsets: &form.offsets,
                    })?;
                    for store in &stores[launch.stores.clone()] {
                        if let Some(mut shadow) = store.buffer.shadow() {
                            shadow.forget(store.at, store.bytes);
                        }
                    }
                }
                Command::Stamp { queries, index } => queries.stamp(shared, *index)?,
                Command::Resolve {
                    queries,
                    first,
                    count,
                    to,
                    at,
                } => {
                    let bytes = u64::from(*count) * u64::from(wgpu::QUERY_SIZE);
                    to.prepare(bytes == to.size)?;
                    if let Some(mut shadow) = to.shadow() {
                        shadow.forget(*at, bytes);
                    }
                    shared.driver.copy(queries.address(*first), to.address() + *at, bytes)?;
                }
            }
        }
        Ok(())
    }
}

/// What the host knows of a copy's target afterwards.
fn copy_shadow(from: &Buffer, from_at: u64, to: &Buffer, to_at: u64, bytes: u64) {
    let Some(mut target) = to.shadow() else {
        return;
    };
    // Only the host writes what it can write, and it has done so.
    if let Some(block) = from.host() {
        target.write(to_at, bytes, |to| block.read(from_at as usize, to));
        return;
    }
    let source = from.shadow();
    match source.as_ref().and_then(|source| source.read(from_at, bytes)) {
        Some(known) => target.write(to_at, bytes, |to| to.copy_from_slice(known)),
        None => target.forget(to_at, bytes),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Driver(error)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Driver(error) => error.fmt(f),
            Failure::Invalid(text) => f.write_str(text),
        }
    }
}
