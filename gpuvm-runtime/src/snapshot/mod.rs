//! Snapshots: the complete state of an execution as plain words, independent of the engine and the device, and the way back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gpuvm_core::interp::header;
use gpuvm_core::isa::{CALL_FRAME_WORDS, Op};
use gpuvm_core::program::{Mode, Program, ProgramId, Status};
use gpuvm_core::settings::Settings;
use gpuvm_core::types::TypeRef;
use gpuvm_engine::{Dispatch, EXTRA_WORDS, Engine, Image, Memory, Tally};
use rayon::prelude::*;

use crate::arg::Argument;
use crate::atomics::OwnAtomics;
use crate::bind::Bound;
use crate::entry::{Entry, Launchable};
use crate::error::{Error, Result};
use crate::execution::{Execution, Options};
use crate::leg::{Course, Entrance, Stage};
use crate::logs::LogLimit;
use crate::questions::Handlers;
use crate::runtime::Runtime;
use crate::vector::{Column, Vector};
use crate::view::{Held, Source};
use crate::words::WordColumn;

mod bytes;
pub(crate) mod format;
#[cfg(test)]
pub(crate) mod tests;

/// An [`Execution`] at rest: the state of every VM, all columns, and what program they belong to. It goes on with the same results in
/// another process, on another engine, on another device, see [`Runtime::restore`].
///
/// With the feature `serde` it can be serialised; [`to_bytes`](Snapshot::to_bytes) gives the same without.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The id of the routine.
    pub(crate) routine: String,
    /// The identity of its program.
    pub(crate) program: ProgramId,
    /// What it was linked with.
    pub(crate) settings: Settings,
    /// VMs of the launch.
    pub(crate) vms: u32,
    /// VMs of each job, the last one's aside. The addresses that VMs hold mean what they mean in jobs of this size.
    pub(crate) batch: u32,
    /// Steps of the launch.
    pub(crate) steps: u32,
    /// Steps that are complete.
    pub(crate) steps_done: u32,
    /// Instructions retired so far, where they are counted.
    pub(crate) retired: Option<[u64; 4]>,
    /// Time that it has taken so far.
    pub(crate) elapsed: Duration,
    /// One a parameter.
    pub(crate) columns: Vec<Saved>,
    /// The results so far.
    pub(crate) results: Vec<u32>,
    /// The VMs.
    pub(crate) image: Arc<Image>,
}

/// The data of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Saved {
    /// What it is.
    pub kind: Kind,
    /// Its entries' words.
    pub words: Vec<u32>,
}

/// How a parameter's data hangs together with that of others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// It stands alone.
    Column,
    /// It is one entry for all VMs.
    Uniform,
    /// It is a copy of another parameter's, made anew before each step.
    CopyOf(u32),
    /// It is the same memory as another parameter's.
    Same(u32),
}

impl Snapshot {
    /// The id of the routine that was running.
    pub fn routine(&self) -> &str {
        &self.routine
    }

    /// How many VMs there are.
    pub fn vms(&self) -> u32 {
        self.vms
    }

    /// What tells the program from others.
    pub fn program(&self) -> ProgramId {
        self.program
    }

    /// Steps that were complete.
    pub fn steps_done(&self) -> u32 {
        self.steps_done
    }
}

impl Execution<'_> {
    /// The complete state, to go on from later or elsewhere. The execution itself can go on too.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn snapshot(&mut self) -> Result<Snapshot> {
        let (columns, results) = self.words()?;
        let image = self.whole_image()?;
        let stats = self.stats();
        let kinds: Vec<Kind> = (0..columns.len()).map(|index| self.kind(index)).collect();
        let saved = columns.into_iter().zip(&kinds).map(|(words, kind)| Saved {
            kind: *kind,
            words: if matches!(kind, Kind::Same(_)) {
                Vec::new()
            } else {
                words
            },
        });
        // A leg that is over has made its step; its VMs stand at their ends.
        let over = self.leg.as_ref().is_some_and(|leg| leg.steps == 1 && leg.all_over());
        let complete = over && image.count(Status::Trapped) == 0;
        Ok(Snapshot {
            routine: self.entry.id().to_string(),
            program: self.course.program.identity(),
            settings: self.settings.clone(),
            vms: self.course.vms,
            batch: match &self.leg {
                Some(leg) => leg.parts.first().map_or(0, |part| part.range.len() as u32),
                None => self.course.vms,
            },
            steps: self.options.steps,
            steps_done: stats.steps + u32::from(complete),
            retired: stats.retired,
            elapsed: self.runtime.longest(stats.host_time)?,
            columns: saved.collect(),
            results,
            image: Arc::new(image),
        })
    }

    /// The words of all columns and results as they are now. Nothing of an execution is in the engine's memory but its jobs.
    pub(crate) fn words(&mut self) -> Result<(Vec<Vec<u32>>, Vec<u32>)> {
        let mut results = self.results.to_vec();
        results.resize(
            self.course.program.result_words() as usize * self.course.vms as usize,
            0,
        );
        let mut columns = Vec::new();
        for seen in self.held.views() {
            columns.push(seen.view.words());
        }
        if let Some(leg) = &mut self.leg {
            for part in &mut leg.parts {
                if let Stage::Started(running) = &mut part.stage {
                    let memory: Memory = running.memory()?;
                    leg.layout
                        .overlay(part.range.clone(), &memory, &mut columns, &mut results);
                }
            }
        }
        Ok((columns, results))
    }

    /// The state of all VMs.
    fn whole_image(&mut self) -> Result<Image> {
        let Course { program, vms, .. } = &self.course;
        let Some(leg) = &mut self.leg else {
            return Ok(Image::fresh(program, 0, *vms, Status::Halted));
        };
        let mut whole = Image::default();
        for part in &mut leg.parts {
            whole.append(part.image(program)?);
        }
        Ok(whole)
    }

    /// How the data of a parameter hangs together with that of others.
    fn kind(&self, index: usize) -> Kind {
        let same = self.leg.as_ref().and_then(|leg| leg.layout.same_atomics(index));
        match (&self.held.sources[index], &self.held.params[index].argument, same) {
            (_, _, Some(same)) => Kind::Same(same as u32),
            (Source::Copy { of, .. }, _, _) => Kind::CopyOf(*of as u32),
            (_, Argument::Uniform(_), _) => Kind::Uniform,
            _ => Kind::Column,
        }
    }
}

impl Runtime {
    /// An execution that goes on where the snapshot was taken, on the engine that this runtime prefers. What `&mut` arguments and
    /// buffers held is the execution's own now: read it with [`Execution::column`] or [`Done::column`](crate::Done::column).
    ///
    /// What a snapshot says is checked as far as it can be: no call returns to where none was made, and nothing in it reaches outside of the execution. Its checksum
    /// finds damage, not malice: whoever alters an address in it has a VM read what another one writes, and what it reads then depends on the engine.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`] if this binary has no such routine, [`Error::OtherProgram`] if its routine is another than the one the snapshot
    /// was taken of, [`Error::BadSnapshot`] if it contradicts itself, [`Error::TooLarge`] on a device that cannot hold as many VMs at once as
    /// the one before did; or when the device fails.
    pub fn restore(&self, snapshot: &Snapshot) -> Result<Execution<'static>> {
        self.restore_on(snapshot, Engine::Auto)
    }

    /// [`Runtime::restore`] on an engine of your choice.
    ///
    /// # Errors
    ///
    /// As there, and [`Error::EngineUnavailable`].
    pub fn restore_on(&self, snapshot: &Snapshot, engine: Engine) -> Result<Execution<'static>> {
        self.restore_of(snapshot.routine.as_str(), snapshot, engine)
    }

    /// [`Runtime::restore_on`] of a routine or program that was made at run time, which no id finds: it has to be the one that the snapshot was taken of.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn restore_of(&self, what: impl Launchable, snapshot: &Snapshot, engine: Engine) -> Result<Execution<'static>> {
        let begin = Instant::now();
        let entry = what.entry()?;
        let program = self.link_with(&entry, &snapshot.settings)?;
        let identity = program.identity();
        if identity != snapshot.program {
            return Err(Error::OtherProgram {
                reason: format!(
                    "`{}` was {}, and is {identity} here",
                    snapshot.routine, snapshot.program
                ),
            });
        }
        snapshot.check(&program)?;
        let engine = self.pausing(engine, &program.params)?;
        let program_params = program.params.clone();
        let course = Course {
            executor: self.executor(engine)?,
            engine,
            program,
            vms: snapshot.vms,
            range: 0..snapshot.vms,
            reach: Arc::from([]),
            keep: true,
            counts: false,
            all_traps: true,
        };
        let held = snapshot.held(&entry, &program_params)?;
        let options = Options {
            engine,
            steps: snapshot.steps,
            dispatch: Dispatch::default(),
            slice: None,
            depth: Some(snapshot.settings.recursion_limit),
            log: LogLimit::default(),
            crash: None,
            profile: false,
            all_traps: true,
            dynamic: false,
            progress: None,
            answers: Handlers::default(),
        };
        let mut execution = Execution::new(self.clone(), entry, course, held, options, begin);
        execution.settings = snapshot.settings.clone();
        execution.restored = true;
        execution.steps_done = snapshot.steps_done;
        execution.earlier = snapshot.elapsed;
        execution.before = Tally {
            retired: snapshot.retired,
            ..Tally::default()
        };
        execution.results = snapshot.results.clone().into();
        // VMs that have all halted are at the end of a step, and the next one begins at the entry, with the copies made before it.
        let between = snapshot.image.is_fresh() || snapshot.image.count(Status::Halted) == snapshot.vms as usize;
        execution.next_leg(match between {
            true => Entrance::Program,
            false => Entrance::Image {
                image: &snapshot.image,
                batch: snapshot.batch,
            },
        })?;
        Ok(execution)
    }
}

/// Whether the calls on a VM's call stack, so many, are calls of the program that have brought its frame to where it is: each is told by the instruction before the
/// one that it returns to.
fn returns(program: &Program, [frame_base, calls]: [u32; 2], frame: &[u32]) -> bool {
    let records = frame.chunks_exact(CALL_FRAME_WORDS).take(calls as usize);
    let mut base = program.call_stack_words();
    for record in records {
        let call = record[0].checked_sub(1).and_then(|at| program.code.get(at as usize));
        match call.filter(|call| Op::from_code(call.opcode) == Some(Op::Call) && record[1] == base) {
            Some(call) => base = base.wrapping_add(call.operands[1]),
            None => return false,
        }
    }
    base == program.call_stack_words().wrapping_add(frame_base)
}

impl Snapshot {
    /// Refuses numbers that no execution of the program has.
    fn check(&self, program: &Program) -> Result<()> {
        let bad = |reason: &str| {
            Err(Error::BadSnapshot {
                reason: reason.to_string(),
            })
        };
        let Snapshot { image, vms, .. } = self;
        let count = *vms as usize;
        if count == 0 || image.vms() != count || image.extras.len() != count * EXTRA_WORDS {
            return bad("it has not one state a VM");
        }
        if image.frames.len() != count * program.frame_memory() as usize {
            return bad("its frames are not as large as the program's");
        }
        if self.results.len() != count * program.result_words() as usize {
            return bad("it has not one result a VM");
        }
        if self.batch == 0 || self.batch > *vms {
            return bad("its jobs are not of so many VMs as there are");
        }
        if self.steps_done > self.steps {
            return bad("it has made more steps than there are");
        }
        let impossible = |(id, state): (usize, &[u32])| {
            state[header::VM_ID] as usize != id
                || state[header::STATUS] > Status::Trapped as u32
                || state[header::IP] as usize > program.code.len()
                || state[header::DEPTH] > program.depth_limit
        };
        if let Some(id) = image.par_records().enumerate().position_first(impossible) {
            return bad(&format!("the state of VM {id} is impossible"));
        }
        // A VM that is in no call has its frame where it starts.
        let impossible = |extras: &[u32]| {
            extras[1] > program.call_depth || extras[0] > program.frame_words || extras[1] == 0 && extras[0] != 0
        };
        let extras = image.extras.par_chunks_exact(EXTRA_WORDS).with_min_len(1 << 14);
        if let Some(id) = extras.position_first(impossible) {
            return bad(&format!("the calls of VM {id} are impossible"));
        }
        let frames = image.frames.par_chunks(program.frame_memory().max(1) as usize);
        let extras = image.extras.par_chunks_exact(EXTRA_WORDS);
        let impossible = |(extras, frame): (&[u32], &[u32])| !returns(program, [extras[0], extras[1]], frame);
        if let Some(id) = extras.zip(frames).position_first(impossible) {
            return bad(&format!("the calls of VM {id} return to where none were made"));
        }
        Ok(())
    }

    /// The columns as arguments of the program.
    fn held(&self, entry: &Entry, types: &[TypeRef]) -> Result<Held<'static>> {
        let bad = |index: usize, what: &str| Error::BadSnapshot {
            reason: format!("its column `{}` {what}", entry.name(index)),
        };
        if types.len() != self.columns.len() {
            return Err(Error::BadSnapshot {
                reason: format!("it has {} columns for {} parameters", self.columns.len(), types.len()),
            });
        }
        let mut params: Vec<Bound<'static>> = Vec::new();
        let mut copies: Vec<Option<(usize, Box<dyn Vector>)>> = Vec::new();
        for (index, (ty, saved)) in types.iter().zip(&self.columns).enumerate() {
            let (mode, element) = Mode::of(*ty).ok_or_else(|| bad(index, "is no parameter of a launch"))?;
            let size = element.words as usize;
            if size > 0 && saved.words.len() % size != 0 {
                return Err(bad(index, "has no whole number of entries"));
            }
            let entries = saved.words.len().checked_div(size).unwrap_or(self.vms as usize);
            let column = WordColumn {
                element,
                entries,
                words: saved.words.clone(),
            };
            let vms = self.vms as usize;
            let fits = match (mode, saved.kind) {
                (Mode::Value, Kind::Uniform) => entries == 1 || size == 0,
                (Mode::Value | Mode::Record, Kind::Column) | (Mode::Value, Kind::CopyOf(_)) => entries == vms,
                (Mode::Chunk, Kind::Column) => entries % vms == 0,
                (Mode::Slice, Kind::Column | Kind::CopyOf(_)) | (Mode::Atomic, Kind::Column) => true,
                (Mode::Atomic, Kind::Same(_)) => entries == 0,
                _ => false,
            };
            if !fits {
                return Err(bad(index, "does not fit its parameter"));
            }
            let mut copy = None;
            let argument = match saved.kind {
                Kind::Column if mode == Mode::Atomic => {
                    Argument::OwnAtomics(OwnAtomics::of_words(element, &saved.words))
                }
                Kind::Uniform => Argument::Uniform(Box::new(column)),
                Kind::Column if mode.writes() => Argument::Write(Box::new(column)),
                Kind::Column => Argument::Read(Box::new(column)),
                Kind::CopyOf(of) => {
                    let source = self.columns.get(of as usize);
                    let fits = source
                        .is_some_and(|source| source.kind == Kind::Column && source.words.len() == saved.words.len());
                    if !fits {
                        return Err(bad(index, "is a copy of nothing"));
                    }
                    copy = Some((of as usize, column.to_vector()));
                    Argument::Read(Box::new(column))
                }
                Kind::Same(of) => match params.get(of as usize).map(|bound| &bound.argument) {
                    Some(Argument::OwnAtomics(atomics)) => Argument::OwnAtomics(atomics.clone()),
                    _ => return Err(bad(index, "is the same as no other")),
                },
            };
            params.push(Bound { mode, argument });
            copies.push(copy);
        }
        Ok(Held::restored(params, copies))
    }
}
