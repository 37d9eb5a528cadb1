//! `vm::ask` in a function that runs natively: who answers is called at once.

use gpuvm_core::program::Asked;
use gpuvm_core::types::VmType;
use scoped_tls_hkt::scoped_thread_local;

use super::context;
use crate::questions::{Answering, Counter, Handlers, asking, words_of};

scoped_thread_local!(static ANSWERING: for<'a> &'a (dyn Answering + 'a));

/// Who answers what the VMs ask that `run` runs on this thread.
pub(super) fn with(answering: Option<&dyn Answering>, run: impl FnOnce()) {
    match answering {
        Some(answering) => ANSWERING.set(answering, run),
        None => run(),
    }
}

#[track_caller]
pub(super) fn ask<Q: VmType, A: VmType>(question: Q) -> A {
    assert!(
        ANSWERING.is_set(),
        "vm::ask() was called outside of a launch, where nobody answers; vm::answering(…) says who does"
    );
    let asked = Asked {
        vm: context::vm_id(),
        asking: asking::<Q, A>(),
        words: words_of(question),
    };
    match ANSWERING.with(|answering| context::aside(|| answering.answer(asked))) {
        Some(words) => A::read_words(&words),
        // Whoever has launched it hears why.
        None => context::halt(),
    }
}

pub(super) fn answering<Q: VmType, A: VmType, R>(answer: impl FnMut(u32, Q) -> A + Send, run: impl FnOnce() -> R) -> R {
    let mut handlers = Handlers::default();
    handlers.add(answer);
    let counter = Counter::new("", &mut handlers);
    ANSWERING.set(&counter, run)
}
