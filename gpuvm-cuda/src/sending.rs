//! What goes to a device's stream, in order: submissions, and bytes that the host writes to buffers in between.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::buffer::Buffer;
use crate::chains::{Chains, LENGTHS};
use crate::driver::pinned::{HostPool, Pinned};
use crate::driver::{Error, Kind, Launch, Result};
use crate::progress::Kept;
use crate::recording::{self, Command, Recording, Uniform};
use crate::shared::Shared;

/// The end of the stream at which orders are given.
#[derive(Debug)]
pub struct Sending {
    /// The last submission.
    last: u64,
    /// Where bytes are put for the device to fetch, and how many are used.
    block: Option<(Arc<Pinned>, usize)>,
    /// What was told to the stream since the last submission, and goes with the next.
    kept: Vec<Arc<Pinned>>,
    /// What rows of launches are made by, as long as that works.
    chains: Option<Chains>,
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
    /// Nothing was told yet.
    pub fn new() -> Sending {
        Sending {
            last: 0,
            block: None,
            kept: Vec::new(),
            chains: Chains::new(),
        }
    }

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
        let from = block.address() + place;
        shared.driver.copy(from, buffer.address() + at, bytes)?;
        if buffer.host().is_some() {
            // It may be mapped next, which has to wait for this.
            buffer.last_use.store(self.last + 1, Ordering::Release);
            self.submit(shared, Vec::new());
        }
        Ok(())
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
        let bound = recording.groups.iter().flat_map(|group| &group.slots);
        for buffer in bound.map(|slot| &slot.buffer).chain(&recording.sizes) {
            buffer.prepare(false)?;
        }
        let mut at = 0;
        while let Some(command) = recording.commands.get(at) {
            if let Command::Launch(_) = command {
                at += self.launch(shared, recording, at)?;
            } else {
                at += 1;
                act(shared, command)?;
            }
        }
        Ok(())
    }

    /// Tells the stream to make the launch at a place of a recording, with those that follow if that makes a chain. Gives how many.
    fn launch(&mut self, shared: &Shared, recording: &mut Recording, at: usize) -> std::result::Result<usize, Failure> {
        let Recording {
            commands,
            values,
            uniforms,
            stores,
            ..
        } = recording;
        let launches = commands[at..].iter().map_while(|command| match command {
            Command::Launch(launch) => Some(launch),
            _ => None,
        });
        let row: Vec<_> = match &self.chains {
            Some(_) => launches.take(LENGTHS[0]).collect(),
            None => launches.take(1).collect(),
        };
        let length = Chains::length(row.len()).unwrap_or(1);
        let row = &row[..length];
        let mut wrong = None;
        let mut filled = 0;
        for launch in row {
            wrong = fill(launch, uniforms, values).err();
            if wrong.is_some() {
                break;
            }
            filled += 1;
            for store in &stores[launch.stores.clone()] {
                if let Some(mut shadow) = store.buffer.shadow() {
                    shadow.forget(store.at, store.bytes);
                }
            }
        }
        let row = &row[..filled];
        let mut chained = false;
        if row.len() > 1
            && let Some(chains) = &mut self.chains
        {
            let links: Vec<_> = row.iter().map(|launch| (&launch.form, given(launch, values))).collect();
            match chains.launch(&shared.driver, &links) {
                Ok(()) => chained = true,
                Err(error) if error.kind == Kind::Lost || error.kind == Kind::Ended => return Err(error.into()),
                Err(error) => {
                    tracing::debug!("launches are made one by one: {error}");
                    self.chains = None;
                }
            }
        }
        if !chained {
            row.iter()
                .try_for_each(|launch| shared.driver.launch(&given(launch, values)))?;
        }
        match wrong {
            Some(wrong) => Err(Failure::Invalid(wrong)),
            None => Ok(length),
        }
    }
}

/// A launch as the driver has it.
fn given<'a>(launch: &'a recording::Launch, values: &'a [u8]) -> Launch<'a> {
    Launch {
        function: launch.form.function,
        blocks: launch.blocks,
        threads: launch.form.threads,
        values: &values[launch.values.clone()],
        offsets: &launch.form.offsets,
    }
}

/// Puts a launch's uniforms among its parameters.
fn fill(launch: &recording::Launch, uniforms: &[Uniform], values: &mut [u8]) -> std::result::Result<(), String> {
    for uniform in &uniforms[launch.uniforms.clone()] {
        let shadow = uniform.buffer.shadow();
        let known = shadow
            .as_ref()
            .and_then(|shadow| shadow.read(uniform.at, uniform.bytes));
        let known = known.ok_or_else(|| {
            format!(
                "the uniform of `{}` has bytes that a kernel has written: the host has to know uniforms",
                launch.form.label
            )
        })?;
        values[uniform.to..uniform.to + known.len()].copy_from_slice(known);
    }
    Ok(())
}

/// Tells the stream what is no launch.
fn act(shared: &Shared, command: &Command) -> Result<()> {
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
                .copy(from.address() + *from_at, to.address() + *to_at, *bytes)
        }
        Command::Clear { buffer, at, bytes } => {
            buffer.prepare(*bytes == buffer.size)?;
            if let Some(mut shadow) = buffer.shadow() {
                shadow.write(*at, *bytes, |bytes| bytes.fill(0));
            }
            shared.driver.clear(buffer.address() + *at, *bytes)
        }
        Command::Launch(_) => Ok(()),
        Command::Stamp { queries, index } => queries.stamp(shared, *index),
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
            shared.driver.copy(queries.address(*first), to.address() + *at, bytes)
        }
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
