//! Which devices of a runtime can have a part of what is spread, and what runs it there.

use std::sync::Arc;

use gpuvm_core::program::Program;
use gpuvm_engine::{Device, Engine, Execute, FloatMode, Opened};

use crate::registry::Registration;
use crate::runtime::{self, Runtime};

/// A device, and what runs VMs on it.
#[derive(Clone)]
pub(crate) struct Member<N = &'static Registration> {
    /// Its number among the runtime's devices.
    pub number: usize,
    pub device: Device,
    pub worker: Worker<N>,
}

/// What runs VMs, where an `N` runs them natively.
#[derive(Clone)]
pub(crate) enum Worker<N = &'static Registration> {
    /// Rust's own compiler's code, on so many threads.
    Native(N, usize),
    /// The reference, on so many threads.
    Reference(usize),
    /// An engine on a GPU.
    Engine(Engine, Arc<dyn Execute>),
}

impl<N> Worker<N> {
    /// How many parts it has at a time.
    pub(super) fn hands(&self) -> usize {
        match self {
            Worker::Native(..) | Worker::Engine(..) => 1,
            Worker::Reference(threads) => *threads,
        }
    }

    pub(crate) fn engine(&self) -> Engine {
        match self {
            Worker::Native(..) => Engine::Native,
            Worker::Reference(_) => Engine::Reference,
            Worker::Engine(engine, _) => *engine,
        }
    }

    /// What an engine is on a device, given what runs natively, if anything does. `None` if the device does not have that engine.
    pub(crate) fn on(Opened { device, engines }: &Opened, engine: Engine, native: Option<N>) -> Option<Worker<N>> {
        let of = |(engine, executor): &(Engine, Arc<dyn Execute>)| Worker::Engine(*engine, executor.clone());
        match (engine, device.threads) {
            (Engine::Auto, 0) => engines.first().map(of),
            (engine, 0) => engines.iter().find(|(known, _)| *known == engine).map(of),
            (Engine::Auto, threads) => Some(match native {
                Some(native) => Worker::Native(native, threads),
                None => Worker::Reference(threads),
            }),
            (Engine::Native, threads) => native.map(|native| Worker::Native(native, threads)),
            (Engine::Reference, threads) => Some(Worker::Reference(threads)),
            _ => None,
        }
    }
}

/// The devices of a runtime that have not failed and can run a program by an engine, given what runs it natively, if anything does.
pub(crate) fn members<N: Copy>(
    runtime: &Runtime,
    program: &Program,
    engine: Engine,
    native: Option<N>,
) -> Vec<Member<N>> {
    let all = runtime.members().iter().enumerate();
    let member = |(number, member): (usize, &runtime::Member)| {
        let worker = Worker::on(&member.opened, engine, native).filter(|_| !member.is_lost())?;
        Some(Member {
            number,
            device: member.opened.device.clone(),
            worker,
        })
    };
    // Relaxed floats give other bits on other devices; those of one launch are to be of one kind then.
    let kind = |member: &Member<N>| (member.device.name.clone(), member.device.backend);
    let mut members: Vec<Member<N>> = all.filter_map(member).collect();
    let is_relaxed = |member: &Member<N>| member.device.float_mode == FloatMode::Relaxed;
    if (program.relaxed || members.iter().any(is_relaxed))
        && let Some(first) = members.first().map(kind)
    {
        members.retain(|member| kind(member) == first);
    }
    members
}
