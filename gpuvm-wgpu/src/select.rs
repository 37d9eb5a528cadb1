//! Keeping some entries of the device's memory, in their order. What the kernels do stands in `shaders/select/shared.wgsl`.

use std::sync::Arc;
use std::time::Duration;

use gpuvm_engine::{Kept, Result, Rule, Select, Selection};
use gpuvm_shaders::layout::sort::{TILE, WORKGROUP};

use super::chain::{Chain, Sent, Words, levels};
use super::gpu::Gpu;
use super::source::{EntryPoint, SelectKernel};

/// A selection that was sent off.
struct Selecting {
    gpu: Arc<Gpu>,
    sent: Sent,
}

/// Sends a selection off.
///
/// # Errors
///
/// [`Error::OutOfMemory`](gpuvm_engine::Error::OutOfMemory), or when the device fails.
pub fn send(gpu: Arc<Gpu>, select: &Select) -> Result<Box<dyn Selection>> {
    let tiles = select.count.div_ceil(TILE);
    let is_marked = select.rule == Rule::Marked;
    let counts = match is_marked {
        true => vec![tiles, 1],
        false => levels(tiles),
    };
    let (key_words, last) = match select.rule {
        Rule::Flagged | Rule::Marked => (0, 0),
        Rule::First { key_words } => (key_words, 0),
        Rule::Last { key_words } => (key_words, 1),
    };
    let fields = [
        ("count", select.count),
        ("tiles", tiles),
        ("key_words", key_words),
        ("last", last),
        ("width", select.entry_words),
        ("marked", is_marked.into()),
    ];
    let (by, all) = (Words::Region(&select.by), u64::from(tiles) * u64::from(WORKGROUP));
    let mut chain = Chain::new(&gpu, &counts)?;
    if is_marked {
        let sum = EntryPoint::Select(SelectKernel::Sum);
        let words = vec![by, Words::Own(0), Words::Own(1)];
        chain.add(sum, &fields, words, u64::from(WORKGROUP))?;
    } else {
        let count = EntryPoint::Select(SelectKernel::Count);
        chain.add(count, &fields, vec![by, Words::Own(0)], all)?;
        chain.sum_up(0, counts.len())?;
    }
    let (entries, kept) = (Words::Region(&select.entries), Words::Region(&select.kept));
    let place = EntryPoint::Select(SelectKernel::Place);
    chain.add(place, &fields, vec![by, entries, Words::Own(0), kept], all)?;
    let sent = chain.send(counts.len() - 1)?;
    Ok(Box::new(Selecting { gpu, sent }))
}

impl Selection for Selecting {
    fn wait(self: Box<Self>) -> Result<Kept> {
        let (count, device_time): (u32, Option<Duration>) = self.sent.wait(&self.gpu)?;
        Ok(Kept { count, device_time })
    }
}
