//! Keeping some entries of the device's memory, in their order. What the kernels do stands in `shaders/select/shared.wgsl`.

use std::sync::Arc;
use std::time::Duration;

use gpuvm_engine::{Kept, Result, Rule, Select, Selection};
use gpuvm_shaders::layout::{sort, tile};

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
    let sent = match select.rule {
        Rule::Flagged => by_words(&gpu, select, (0, 0))?,
        Rule::First { key_words } => by_words(&gpu, select, (key_words, 0))?,
        Rule::Last { key_words } => by_words(&gpu, select, (key_words, 1))?,
        Rule::Marked => by_marks(&gpu, select)?,
    };
    Ok(Box::new(Selecting { gpu, sent }))
}

/// Sends off a selection by flags, or by keys of so many words and which of equal neighbours is kept.
fn by_words(gpu: &Gpu, select: &Select, (key_words, last): (u32, u32)) -> Result<Sent> {
    let tiles = select.count.div_ceil(sort::TILE);
    let counts = levels(tiles);
    let fields = [
        ("count", select.count),
        ("tiles", tiles),
        ("key_words", key_words),
        ("last", last),
        ("width", select.entry_words),
    ];
    let (by, all) = (Words::Region(&select.by), u64::from(tiles) * u64::from(sort::WORKGROUP));
    let mut chain = Chain::new(gpu, &counts)?;
    let count = EntryPoint::Select(SelectKernel::Count);
    chain.add(count, &fields, vec![by, Words::Own(0)], all)?;
    chain.sum_up(0, counts.len())?;
    let (entries, kept) = (Words::Region(&select.entries), Words::Region(&select.kept));
    let place = EntryPoint::Select(SelectKernel::Place);
    chain.add(place, &fields, vec![by, entries, Words::Own(0), kept], all)?;
    chain.send(counts.len() - 1)
}

/// Sends off a selection by marks, which are counted already.
fn by_marks(gpu: &Gpu, select: &Select) -> Result<Sent> {
    let tiles = select.count.div_ceil(tile::TILE);
    let fields = [("count", select.count), ("tiles", tiles), ("width", select.entry_words)];
    let (by, workgroup) = (Words::Region(&select.by), u64::from(tile::WORKGROUP));
    // Where those of each tile go, and how many there are.
    let mut chain = Chain::new(gpu, &[tiles, 1])?;
    let (places, total) = (Words::Own(0), Words::Own(1));
    let sum = EntryPoint::Select(SelectKernel::MarkedSum);
    chain.add(sum, &fields, vec![by, places, total], workgroup)?;
    let (entries, kept) = (Words::Region(&select.entries), Words::Region(&select.kept));
    let place = EntryPoint::Select(SelectKernel::MarkedPlace);
    chain.add(
        place,
        &fields,
        vec![by, entries, places, kept],
        u64::from(tiles) * workgroup,
    )?;
    chain.send(1)
}

impl Selection for Selecting {
    fn wait(self: Box<Self>) -> Result<Kept> {
        let (count, device_time): (u32, Option<Duration>) = self.sent.wait(&self.gpu)?;
        Ok(Kept { count, device_time })
    }
}
