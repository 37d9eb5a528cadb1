//! The ring kernels of the binary by id: `#[ring_kernel]` submits one [`Entry`] each.

use std::sync::OnceLock;

use super::handler::Entry;
use crate::error::Result;
use crate::registry::{ById, Kind, Registered, by_id, find_among};

impl Registered for Entry {
    const WHAT: &'static str = "ring kernel";
    const ATTRIBUTE: &'static str = "ring_kernel";
    const LAUNCH: &'static str = "launch_ring";
    const WITHOUT_ID: &'static str = "its id is the function's name, or what `#[ring_kernel(id = \"…\")]` says";

    fn id(&self) -> &'static str {
        self.id
    }

    fn place(&self) -> (&'static str, u32) {
        (self.file, self.line)
    }
}

inventory::submit! {
    Kind::of::<Entry>(|id| ring_kernels().contains_key(id))
}

/// The ring kernel of an id.
///
/// # Errors
///
/// As [`find_among`].
pub fn find(id: &str) -> Result<&'static Entry> {
    find_among(ring_kernels(), inventory::iter::<Kind>, id)
}

fn ring_kernels() -> &'static ById<Entry> {
    static REGISTRY: OnceLock<ById<Entry>> = OnceLock::new();
    REGISTRY.get_or_init(|| by_id(inventory::iter::<Entry>))
}
