//! What runs on this CPU: functions that rustc has compiled, by the native engine, and routines and programs that were made at run time, whose VMs the
//! interpreter in Rust runs over the same threads.

mod ranks;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::program::{Program, Questions, TrapRecord};
use gpuvm_core::settings::Settings;
use gpuvm_engine::{Engine, Execute, Finished, Job, Limit, Reference, Source, Words};

use crate::entry::Entry;
use crate::error::Result;
use crate::logs;
use crate::marshal::{Cut, Layout};
use crate::native::{Host, Ran, pool};
use crate::questions;
use crate::runtime::Runtime;
use crate::trap::Trap;
use crate::view::{Seen, view_of};
use crate::words::WordColumn;

/// VMs of a piece of work that others need the atomics of.
const PIECE: usize = 1 << 14;
/// Pieces for each thread. Each has a copy of what all VMs see.
const PIECES_PER_THREAD: usize = 4;
/// Threads that a rank's CPU is taken to have at most.
const MOST_THREADS: usize = 16;
/// So long a piece runs before it is asked whether the launch is cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// Runs what an entry stands for, for `vms` VMs.
pub(crate) fn run(
    (runtime, entry): (&Runtime, &Entry),
    params: Vec<Seen<'_>>,
    vms: u32,
    settings: &Settings,
    host: Host<'_>,
) -> Result<Ran> {
    let limit = settings.recursion_limit;
    match entry.native() {
        Some(registration) => ranks::run((runtime, entry), registration, params, vms, settings, host),
        None => interpret(
            runtime,
            &runtime.link_with(entry, settings)?,
            params,
            (vms, limit),
            host,
        ),
    }
}

/// Runs a program for so many VMs.
fn interpret(
    runtime: &Runtime,
    program: &Arc<Program>,
    mut params: Vec<Seen<'_>>,
    (vms, recursion_limit): (u32, u32),
    host: Host<'_>,
) -> Result<Ran> {
    let mut printed = logs::argument(program, vms, host.log);
    let mut asked = questions::argument(program, vms, Engine::Native)?;
    let mut ran = {
        let mut params: Vec<Seen<'_>> = params.iter_mut().map(Seen::reborrow).collect();
        for bound in printed.iter_mut().chain(&mut asked) {
            let mode = bound.mode;
            params.extend(view_of(bound).map(|view| Seen {
                mode,
                view,
                copy_of: None,
            }));
        }
        run_all(runtime, program, params, (vms, recursion_limit), host)?
    };
    if let Some(printed) = &printed {
        (ran.texts, ran.dropped_texts) = logs::texts(program, vms, printed);
    }
    Ok(ran)
}

/// The same for all parameters, the log among them. What is printed is in that.
fn run_all(
    runtime: &Runtime,
    program: &Arc<Program>,
    mut params: Vec<Seen<'_>>,
    (vms, recursion_limit): (u32, u32),
    host: Host<'_>,
) -> Result<Ran> {
    let goes_on = || !host.is_cancelled();
    let mut layout = Layout::new(&params, program.result_words(), vms, false);
    let mut results = Words::default();
    let (mut first_trap, mut trapped) = (None, Vec::new());
    let mut take = |layout: &mut Layout, params: &mut [Seen<'_>], range: Range<u32>, mut piece: Finished| {
        first_trap = first_trap.or(piece.first_trap);
        trapped.append(&mut piece.trapped);
        layout.take(range, piece, params, &mut results, &(0..vms));
    };
    if layout.is_handed_on() {
        for range in cut(vms, PIECE) {
            if goes_on() {
                let (job, arena) = layout.job(&params, &part(program, &range, vms));
                let job = Job {
                    atomics: layout.atomics(),
                    ..job
                };
                let piece = run_piece(job, &arena, (layout.last_atomics(), vms, host))?;
                take(&mut layout, &mut params, range, piece);
            }
        }
    } else {
        let pool = pool::get(recursion_limit, None)?;
        // Ranks may have CPUs with other numbers of threads.
        let (hands, ranks) = match runtime.ranks() {
            None => (pool.current_num_threads(), None),
            Some(ranks) => (MOST_THREADS * ranks.count(), Some(ranks)),
        };
        let ranges: Vec<Range<u32>> = cut(vms, (vms as usize).div_ceil(hands * PIECES_PER_THREAD)).collect();
        let own = ranks.map_or(0..ranges.len(), |ranks| ranks::pieces(&**ranks, ranges.len()));
        let done = pool::map(&pool, own.len(), &|number| {
            goes_on().then(|| {
                let (job, arena) = layout.job(&params, &part(program, &ranges[own.start + number], vms));
                run_piece(job, &arena, (0, vms, host))
            })
        });
        let done: Result<Vec<Option<Finished>>> = done.into_iter().map(Option::transpose).collect();
        let done = match ranks {
            None => done?,
            Some(ranks) => ranks::told(&**ranks, &done.inspect_err(|error| ranks.fail(&error.to_string()))?)?,
        };
        for (range, piece) in ranges.into_iter().zip(done) {
            if let Some(piece) = piece {
                take(&mut layout, &mut params, range, piece);
            }
        }
    }
    layout.finish(&mut params);
    let mut words = results.into_vec();
    words.resize(program.result_words() as usize * vms as usize, 0);
    Ok(Ran {
        results: Box::new(WordColumn {
            element: program.result.ty,
            entries: vms as usize,
            words,
        }),
        first_trap: first_trap.map(|record: TrapRecord| Trap::of(program, &record).among(trapped)),
        texts: Vec::new(),
        dropped_texts: 0,
    })
}

/// The VMs in pieces of at most so many.
fn cut(vms: u32, piece: usize) -> impl Iterator<Item = Range<u32>> {
    let piece = piece.max(1) as u32;
    (0..vms)
        .step_by(piece as usize)
        .map(move |first| first..vms.min(first.saturating_add(piece)))
}

fn part<'p>(program: &'p Arc<Program>, range: &Range<u32>, vm_count: u32) -> Cut<'p> {
    Cut {
        program,
        range: range.clone(),
        vm_count,
        steps: 1,
        results: &[],
    }
}

/// Runs some VMs to their end. What they ask is in the atomics from `slots` on.
fn run_piece(job: Job, arena: &dyn Source, (slots, vms, host): (usize, u32, Host<'_>)) -> Result<Finished> {
    let limit = Limit {
        time: Some(LOOK),
        ..Limit::default()
    };
    let program = Arc::clone(&job.program);
    let job = Job { all_traps: true, ..job };
    let mut running = Reference.start(job, arena)?;
    let mut over = 0;
    loop {
        let tally = running.advance(&limit, &mut |_| {})?;
        let stopped = (tally.halted + tally.trapped) as usize;
        host.count_over(stopped - over);
        over = stopped;
        if let (1.., Some(questions), Some(answering)) = (tally.blocked, Questions::of(&program), host.answering) {
            let words = questions.words(vms) as usize;
            for asked in questions.asked(&running.read_atomics(slots..slots + words)?) {
                let slot = questions.slot_of(asked.vm).start;
                match answering.answer(asked) {
                    Some(answer) => running.write_atomics(slots + slot, &questions.answered(&answer))?,
                    None => return Ok(running.finish()?),
                }
            }
        }
        let waits = tally.blocked > 0 && host.answering.is_some();
        if tally.running == 0 && !waits || host.is_cancelled() {
            return Ok(running.finish()?);
        }
    }
}
