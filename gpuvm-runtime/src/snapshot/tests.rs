//! Snapshots as bytes: what goes in comes out, and nothing else is accepted.

use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::matrix::Format;
use gpuvm_core::program::ProgramId;
use gpuvm_core::settings::Settings;
use gpuvm_engine::Image;
use proptest::prelude::*;

use super::{Kind, Saved, Snapshot};
use crate::error::Error;

pub(crate) fn words(most: usize) -> impl Strategy<Value = Vec<u32>> {
    prop_oneof![
        proptest::collection::vec(any::<u32>(), 0..most),
        (0..most).prop_map(|count| vec![0; count]),
    ]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Column),
        Just(Kind::Uniform),
        any::<u32>().prop_map(Kind::CopyOf),
        any::<u32>().prop_map(Kind::Same),
    ]
}

prop_compose! {
    pub(crate) fn settings()(
        flags in any::<[bool; 8]>(),
        inline in any::<Option<u32>>(),
        dense_threshold in 0f32..1.0,
        force_format in prop_oneof![Just(None), Just(Some(Format::Sparse)), Just(Some(Format::Dense))],
        recursion_limit in any::<u32>(),
    ) -> Settings {
        let [fold, copies, dead_code, loops, promote, raise, fuse, threading] = flags;
        Settings {
            fold, copies, dead_code, threading, inline, loops, promote, raise, fuse, dense_threshold, force_format,
            recursion_limit,
        }
    }
}

prop_compose! {
    fn snapshot()(
        routine in ".{0,12}",
        program in any::<[u8; 16]>(),
        settings in settings(),
        (vms, batch, steps, steps_done) in any::<(u32, u32, u32, u32)>(),
        retired in any::<Option<[u64; 4]>>(),
        elapsed in any::<u64>(),
        columns in proptest::collection::vec((kind(), words(9)).prop_map(|(kind, words)| Saved { kind, words }), 0..4),
        results in words(9),
        (records, extras, frames) in (words(40), words(9), words(9)),
    ) -> Snapshot {
        Snapshot {
            routine,
            program: ProgramId::from_bytes(program),
            settings,
            vms,
            batch,
            steps,
            steps_done,
            retired,
            elapsed: Duration::from_nanos(elapsed),
            columns,
            results,
            image: Arc::new(Image { records, extras, frames }),
        }
    }
}

fn is_refused(bytes: &[u8]) -> bool {
    matches!(Snapshot::from_bytes(bytes), Err(Error::BadSnapshot { .. }))
}

/// The bytes with the length and the checksum that their body needs.
pub(crate) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let (header, body) = bytes.split_at_mut(super::format::HEADER);
    header[12..20].copy_from_slice(&(body.len() as u64).to_le_bytes());
    header[20..].copy_from_slice(&super::format::checksum(body).to_le_bytes());
    bytes
}

proptest! {
    #[test]
    fn bytes_bring_everything_back(snapshot in snapshot()) {
        prop_assert_eq!(Snapshot::from_bytes(&snapshot.to_bytes()).unwrap(), snapshot);
    }

    #[test]
    fn random_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(is_refused(&bytes));
    }

    #[test]
    fn any_flipped_bit_is_found(snapshot in snapshot(), at in any::<proptest::sample::Index>(), bit in 0..8u8) {
        let mut bytes = snapshot.to_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert!(is_refused(&bytes));
    }

    #[test]
    fn any_missing_end_is_found(snapshot in snapshot(), length in any::<proptest::sample::Index>()) {
        let bytes = snapshot.to_bytes();
        prop_assert!(is_refused(&bytes[..length.index(bytes.len())]));
    }

    /// Whoever makes up a body can seal it too. It may be a snapshot of something, but it must do no harm.
    #[test]
    fn hostile_bodies_do_no_harm(snapshot in snapshot(), changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = snapshot.to_bytes();
        let body = bytes.len() - super::format::HEADER;
        for (at, byte) in changes {
            bytes[super::format::HEADER + at.index(body)] = byte;
        }
        let bytes = sealed(bytes);
        if let Ok(other) = Snapshot::from_bytes(&bytes) {
            prop_assert_eq!(other.to_bytes(), &*bytes, "no other bytes are read");
        }
        let mut bytes = bytes;
        bytes.truncate(bytes.len() - 1);
        prop_assert!(is_refused(&sealed(bytes)));
    }
}

/// A snapshot of next to nothing.
fn empty() -> Snapshot {
    Snapshot {
        routine: "step".to_string(),
        program: ProgramId::from_bytes([0; 16]),
        settings: Settings {
            inline: None,
            ..Settings::default()
        },
        vms: 0,
        batch: 0,
        steps: 1,
        steps_done: 0,
        retired: None,
        elapsed: Duration::ZERO,
        columns: Vec::new(),
        results: Vec::new(),
        image: Arc::default(),
    }
}

#[test]
fn numbers_of_what_is_not_there_are_zero() {
    let bytes = empty().to_bytes();
    // Behind the routine's name, the program's number and the settings' flags; then behind the other settings and five words more.
    let inline = super::format::HEADER + 4 + "step".len() + 16 + 8;
    let retired = inline + 4 + 12 + 16 + 4;
    for (at, reason) in [(inline, "a setting that it says"), (retired, "counts that it says")] {
        let mut bytes = bytes.clone();
        assert_eq!(bytes[at], 0);
        bytes[at] = 1;
        let error = Snapshot::from_bytes(&sealed(bytes)).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn another_version_is_told() {
    let mut bytes = empty().to_bytes();
    bytes[8] = 9;
    let error = Snapshot::from_bytes(&bytes).unwrap_err().to_string();
    assert!(
        error.contains("it has version 9, and this is gpuvm for version 1"),
        "{error}"
    );
}
