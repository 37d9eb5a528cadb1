//! Launches that are spread over the devices of a runtime.

use std::sync::atomic::{AtomicBool, Ordering};

use gpuvm_core::program::{Log, Mode, Program, Questions};
use gpuvm_engine::{Device, Engine, FloatMode, Limit, Opened, Tally};

use super::{Bounded, pauses};
use crate::arg::Argument;
use crate::bind::Bound;
use crate::budget::Budget;
use crate::done::{Done, Results};
use crate::error::{Error, Result};
use crate::execution::{ending, or_trap};
use crate::logs::Logs;
use crate::progress::{Progress, Standing};
use crate::recorder::{self, Work};
use crate::registry::Registration;
use crate::runtime::Spreading;
use crate::spread::{Member, Ran, Spread, Worker, members};
use crate::stats::{Share, Stats};
use crate::tally::continued;
use crate::trap::{Trap, hint_of_chunk};
use crate::view::Held;

/// A launch that one device is done with sooner is not spread.
const WORTH_IT: f64 = 4e-3;

impl<'a> Bounded<'a> {
    /// The devices to spread the launch over; `None` if it is to be on one.
    pub(super) fn spread(&self) -> Result<Option<Vec<Member>>> {
        let spreading = self.runtime.spreading();
        let is_several = match self.runtime.ranks() {
            Some(_) => self.options.dynamic,
            None => self.runtime.members().len() > 1,
        };
        if !is_several || spreading == Spreading::Never {
            return Ok(None);
        }
        let apart = |bound: &Bound<'_>| !matches!(bound.mode, Mode::Atomic | Mode::Whole);
        let is_looked_at = self.budget != Budget::unlimited() || self.options.profile;
        // Buffers stay with the GPUs, where these are one device.
        let has_memory = self.runtime.has_team() || self.runtime.ranks().is_some();
        let stays = has_memory && self.params.iter().any(is_buffer);
        if self.vms < 2 || is_looked_at || stays || !self.params.iter().all(apart) {
            return Ok(None);
        }
        let program = self
            .runtime
            .link_with(&self.entry, &self.options.settings(&self.runtime))?;
        if Log::of(&program, self.vms).is_some() || Questions::of(&program).is_some() {
            return Ok(None);
        }
        let members = members(&self.runtime, &program, self.options.engine, self.native());
        if self.runtime.ranks().is_some() {
            return Ok(self.can_hand_out(&program).then(|| self.or_cpu(members)));
        }
        if members.len() < 2 || spreading == Spreading::Auto && !self.is_worth_it(&members) {
            return Ok(None);
        }
        Ok(Some(members))
    }

    /// Whether ranks can be handed its VMs, which all of them find alike.
    fn can_hand_out(&self, program: &Program) -> bool {
        let has_engine = match self.options.engine {
            Engine::Auto | Engine::Reference => true,
            Engine::Native => self.native().is_some(),
            engine => self.runtime.executor(engine).is_ok(),
        };
        has_engine && !program.relaxed && self.runtime.device().float_mode == FloatMode::Exact
    }

    /// These, or this CPU where a rank has only GPUs and the engine is one of the CPU's.
    fn or_cpu(&self, members: Vec<Member>) -> Vec<Member> {
        if !members.is_empty() {
            return members;
        }
        let cpu = Opened {
            device: Device::cpu(),
            engines: Vec::new(),
        };
        let worker = Worker::on(&cpu, self.options.engine, self.native()).into_iter();
        let member = |worker| Member {
            number: 0,
            device: cpu.device.clone(),
            worker,
        };
        worker.map(member).collect()
    }

    /// What runs it natively, if anything does.
    fn native(&self) -> Option<&'static Registration> {
        self.entry.native().filter(|_| !pauses(&self.entry))
    }

    /// Whether it takes long enough if it is not spread, as far as is known.
    fn is_worth_it(&self, members: &[Member]) -> bool {
        if self.options.steps > 1 || self.params.iter().any(is_buffer) {
            return false;
        }
        let rates = self
            .runtime
            .rates()
            .of(self.entry.id(), self.runtime.members().len() + 1);
        let first = || members.first().and_then(|member| rates[member.number]);
        let alone = rates[self.runtime.alone().lead()].or_else(first);
        alone.is_none_or(|rate| f64::from(self.vms) / rate > WORTH_IT)
    }

    /// Runs it on one device by `run`, and takes in what there is to learn of that device.
    pub(super) fn on_one(
        mut self,
        run: impl FnOnce(Self) -> (Result<Done>, Vec<Bound<'a>>),
    ) -> (Result<Done>, Vec<Bound<'a>>) {
        if self.runtime.members().len() < 2 || self.runtime.ranks().is_some() {
            return run(self);
        }
        // Buffers are on all, and what makes several steps takes long. The rest is done sooner than several devices begin.
        if self.runtime.spreading() == Spreading::Auto && self.options.steps == 1 && !self.params.iter().any(is_buffer)
        {
            self.runtime = self.runtime.alone();
        }
        let Bounded {
            runtime,
            entry,
            vms,
            begin,
            ..
        } = &self;
        let (runtime, id, vms, begin, lead) = (runtime.clone(), entry.id().to_string(), *vms, *begin, runtime.lead());
        let (done, params) = run(self);
        match &done {
            Ok(_) => runtime.rates().see(&id, lead, vms.into(), begin.elapsed()),
            Err(Error::DeviceLost { .. }) => runtime.lose(lead),
            Err(_) => {}
        }
        (done, params)
    }

    pub(super) fn run_spread(
        mut self,
        members: Vec<Member>,
        cancelled: Option<&AtomicBool>,
    ) -> (Result<Done>, Vec<Bound<'a>>) {
        let mut held = match Held::new(std::mem::take(&mut self.params), None, false) {
            Ok(held) => held,
            Err(error) => return (Err(error), Vec::new()),
        };
        let done = self.spread_steps(members, &mut held, cancelled);
        (done, held.params)
    }

    /// All steps, each spread anew: the next one may read what any VM has left.
    fn spread_steps(
        mut self,
        members: Vec<Member>,
        held: &mut Held<'_>,
        cancelled: Option<&AtomicBool>,
    ) -> Result<Done> {
        let settings = self.options.settings(&self.runtime);
        let spread = Spread {
            runtime: &self.runtime,
            entry: &self.entry,
            program: self.runtime.link_with(&self.entry, &settings)?,
            vms: self.vms,
            settings,
            all_traps: self.options.all_traps,
            limit: Limit {
                dispatch: self.options.dispatch,
                slice: self.options.slice,
                ..Limit::default()
            },
            members,
        };
        let recording = recorder::begin(self.options.engine, || {
            let names: Vec<&str> = spread.members.iter().map(|member| &*member.device.name).collect();
            Work::launch(self.entry.id(), names.join(" + "), self.vms, self.options.steps)
        });
        let (vms, all_steps, begin) = (self.vms, self.options.steps, self.begin);
        let mut on_progress = self.options.progress.take();
        let mut all: Option<Ran> = None;
        let mut steps = 0;
        while steps < all_steps && !cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            held.refresh()?;
            let before = all.as_ref().map(|all| all.tally.clone()).unwrap_or_default();
            let mut watch = |tally: &Tally| {
                let instructions = continued(&before, tally).retired.map(|classes| classes.iter().sum());
                if let Some(progress) = &mut on_progress {
                    progress(&Progress {
                        vms: vms.into(),
                        stopped: (tally.halted + tally.trapped).into(),
                        steps,
                        all_steps,
                        elapsed: begin.elapsed(),
                        instructions,
                    });
                }
                if let Some(recording) = &recording {
                    recording.update(|headway| {
                        headway.standing = Standing::from(tally);
                        headway.steps = steps;
                        headway.instructions = instructions;
                        headway.device_time = tally.device_time;
                    });
                }
            };
            let ran = match self.runtime.ranks() {
                None => spread.run(held.views(), cancelled, &mut watch)?,
                Some(ranks) => spread.run_with(ranks, held.views(), &mut watch)?,
            };
            steps += u32::from(ran.trap.is_none());
            let is_over = ran.trap.is_some();
            all = Some(match all {
                None => ran,
                Some(all) => all.then(ran),
            });
            if is_over {
                break;
            }
        }
        let Ran {
            results,
            trap,
            tally,
            shares,
            longest,
        } = all.unwrap_or_default();
        let most = shares.iter().max_by_key(|share| share.vms);
        let is_relaxed = |share: &Share| share.device.float_mode == FloatMode::Relaxed && share.vms > 0;
        let stats = Stats {
            vms: vms.into(),
            dispatch: self.options.dispatch,
            steps,
            batches: shares.iter().map(|share| share.batches).sum(),
            submissions: tally.batches,
            retired: tally.retired,
            epochs: tally.epochs,
            host_time: begin.elapsed(),
            device_time: tally.device_time,
            longest_submission: longest,
            left_to_interpreter: None,
            ..Stats::of_nothing(
                most.map_or(Engine::Native, |share| share.engine),
                most.map_or_else(|| self.runtime.device().clone(), |share| share.device.clone()),
                match spread.program.relaxed || shares.iter().any(is_relaxed) {
                    true => FloatMode::Relaxed,
                    false => FloatMode::Exact,
                },
            )
        };
        let done = Done {
            routine: self.entry.id().to_string(),
            result: self.entry.result_type(),
            results: Results::Pieces(results),
            stats: Stats { shares, ..stats },
            logs: Logs::default(),
            profile: None,
            columns: Vec::new(),
        };
        let hint = |trap: &Trap| hint_of_chunk(trap, &self.entry, &held.params, vms);
        let traps = (tally.trapped.into(), self.options.all_traps);
        let ended = or_trap(done, trap.map(|trap| (hint(&trap), trap)), traps);
        if let Some(recording) = recording {
            recording.end(ending(ended.as_ref().err()));
        }
        ended
    }
}

fn is_buffer(bound: &Bound<'_>) -> bool {
    matches!(bound.argument, Argument::Buffer(_))
}
