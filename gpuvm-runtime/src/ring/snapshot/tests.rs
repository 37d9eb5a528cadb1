//! Snapshots of ring kernels: what goes in comes out, nothing else is accepted, and what does not fit the kernel is refused.

use gpuvm_core::program::ProgramId;
use gpuvm_core::settings::Settings;
use gpuvm_core::types::{Value, VmType};
use proptest::prelude::*;
use proptest::sample::Index;

use super::super::handler::Kind;
use super::super::options::{Answers, Restart, RingOptions};
use super::{Identity, Kept, Messages, RingSnapshot};
use crate::error::Error;
use crate::snapshot::format::HEADER;
use crate::snapshot::tests::{sealed, settings, words};

prop_compose! {
    fn messages()(actors in words(6), words in words(9)) -> Messages {
        Messages { actors, words }
    }
}

prop_compose! {
    fn kept()(
        stamp in any::<u64>(),
        states in words(20),
        stopped in words(5),
        (waiting, unreceived) in (messages(), messages()),
        (sent, before_others) in any::<(usize, Option<usize>)>(),
    ) -> Kept {
        Kept { stamp, states, stopped, waiting, sent, before_others, unreceived }
    }
}

prop_compose! {
    fn snapshot()(
        kernel in ".{0,12}",
        program in any::<[u8; 16]>(),
        settings in settings(),
        (message, answer) in any::<(u64, Option<u64>)>(),
        (actors, queue_capacity, sent_capacity) in any::<(u32, usize, usize)>(),
        restart in prop_oneof![Just(Restart::Stop), Just(Restart::Fresh), Just(Restart::FailKernel)],
        answers in prop_oneof![Just(Answers::Keep), Just(Answers::Discard)],
        kept in kept(),
    ) -> RingSnapshot {
        let program = ProgramId::from_bytes(program);
        RingSnapshot {
            kernel,
            identity: Identity { program, settings, message, answer },
            options: RingOptions { actors, queue_capacity, sent_capacity, restart, answers, ..RingOptions::default() },
            kept,
        }
    }
}

fn is_refused(bytes: &[u8]) -> bool {
    matches!(RingSnapshot::from_bytes(bytes), Err(Error::BadSnapshot { .. }))
}

proptest! {
    #[test]
    fn bytes_bring_everything_back(snapshot in snapshot()) {
        prop_assert_eq!(RingSnapshot::from_bytes(&snapshot.to_bytes()).unwrap(), snapshot);
    }

    #[test]
    fn damage_is_found(snapshot in snapshot(), at in any::<Index>(), bit in 0..8u8, length in any::<Index>()) {
        let mut bytes = snapshot.to_bytes();
        prop_assert!(is_refused(&bytes[..length.index(bytes.len())]));
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert!(is_refused(&bytes));
    }

    /// Whoever makes up a body can seal it too. It may be a snapshot of something, but it must do no harm.
    #[test]
    fn hostile_bodies_do_no_harm(snapshot in snapshot(), changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4)) {
        let mut bytes = snapshot.to_bytes();
        let body = bytes.len() - HEADER;
        for (at, byte) in changes {
            bytes[HEADER + at.index(body)] = byte;
        }
        if let Ok(other) = RingSnapshot::from_bytes(&sealed(bytes.clone())) {
            // By their bytes: a threshold may be a NaN, which equals nothing.
            let again = RingSnapshot::from_bytes(&other.to_bytes()).unwrap();
            prop_assert_eq!(again.to_bytes(), other.to_bytes());
        }
        bytes.truncate(bytes.len() - 1);
        prop_assert!(is_refused(&sealed(bytes)));
    }

    /// Four words, of which most values are none.
    #[test]
    fn messages_that_pass_can_be_read(
        actors in prop::collection::vec(0..4u32, 0..3),
        words in prop::collection::vec(0..3u32, 0..9),
    ) {
        let kind = Kind { name: "Flags", id: 0, ty: Flags::TYPE };
        let messages = Messages { actors, words };
        let size = Flags::TYPE.words as usize;
        let each = || messages.words.chunks_exact(size);
        let fits = messages.words.len() == messages.actors.len() * size
            && messages.actors.iter().all(|actor| *actor < 3)
            && each().all(|words| words[0] < 2 && words[1] < 2 && (words[1] == 0 || words[2] < 2));
        prop_assert_eq!(messages.check(Some(kind), 3).is_ok(), fits);
        if fits {
            each().for_each(|words| _ = Flags::read_words(words));
        }
        prop_assert_eq!(messages.check(None, 3).is_ok(), messages == Messages::default());
    }
}

type Flags = (bool, Option<bool>);

#[test]
fn an_actor_that_trapped_may_have_left_anything() {
    let mut kept = Kept {
        states: vec![1, 1, 0, 7, 7, 7],
        stopped: vec![1],
        ..Kept::default()
    };
    kept.check_states(Flags::TYPE, &[0, 0, 0], 2).unwrap();
    assert_eq!(kept.states, [1, 1, 0, 0, 0, 0]);
    kept.states[0] = 2;
    let error = kept.check_states(Flags::TYPE, &[0, 0, 0], 2).unwrap_err().to_string();
    assert!(
        error.contains("the state of actor 0 is impossible: word 0 is 0x2"),
        "{error}"
    );
    assert!(kept.check_states(Flags::TYPE, &[0, 0, 0], 3).is_err());
}

#[test]
fn a_kernel_that_has_changed_is_refused() {
    let was = Identity {
        program: ProgramId::from_bytes([1; 16]),
        settings: Settings::default(),
        message: 1,
        answer: Some(2),
    };
    was.check(&was, "ledger").unwrap();
    let refused = |here: Identity| was.check(&here, "ledger").unwrap_err().to_string();
    let program = ProgramId::from_bytes([2; 16]);
    for (here, expected) in [
        (
            Identity {
                message: 3,
                ..was.clone()
            },
            "takes messages of another type here",
        ),
        (
            Identity {
                answer: None,
                ..was.clone()
            },
            "gives answers of another type here",
        ),
        (Identity { program, ..was.clone() }, "was "),
    ] {
        let told = refused(here);
        let expected = format!("the snapshot was taken of another program: ring kernel `ledger` {expected}");
        assert!(told.starts_with(&expected), "{told}");
    }
}
