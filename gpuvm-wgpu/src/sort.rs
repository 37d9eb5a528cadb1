//! Sorting entries of the device's memory by keys: a radix sort of numbers, or of entries of one word, digit by digit. What the kernels do
//! stands in `shaders/sort/shared.wgsl`.

use std::time::Duration;

use gpuvm_engine::{Result, Sort};
use gpuvm_shaders::layout::sort::{DIGIT, TILE, WORKGROUP};

use super::chain::{Chain, Words, levels};
use super::gpu::Gpu;
use super::source::{EntryPoint, SortKernel};

/// A sort that is being put together.
pub struct Sorting<'s> {
    gpu: &'s Gpu,
    sort: &'s Sort,
    chain: Chain<'s>,
    /// How many levels there are of counts: those of all tiles' digits, and sums.
    levels: usize,
}

/// The buffers: keys, and what belongs to each, in turns; and counts.
const KEYS: [usize; 2] = [0, 1];
const VALUES: [usize; 2] = [2, 3];
const COUNTS: usize = 4;

impl<'s> Sorting<'s> {
    /// Takes what a sort of some entries needs, and sees to its kernels.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](gpuvm_engine::Error::OutOfMemory), or when the device refuses a kernel.
    pub fn new(gpu: &'s Gpu, sort: &'s Sort) -> Result<Sorting<'s>> {
        let counts = levels(sort.count.div_ceil(TILE) * WORKGROUP);
        let mut words = vec![sort.count; COUNTS];
        words.extend(&counts);
        let mut sorting = Sorting {
            gpu,
            sort,
            chain: Chain::new(gpu, &words)?,
            levels: counts.len(),
        };
        sorting.fill()?;
        Ok(sorting)
    }

    /// Adds all dispatches.
    fn fill(&mut self) -> Result<()> {
        let sort = self.sort;
        let entries = Words::Region(&sort.entries);
        // An entry of one word takes no longer on the way than its number does.
        let by_number = sort.entry_words != 1 || sort.key_words != 1;
        let mut keys = Words::Region(&sort.keys);
        let mut values = if by_number { Words::Own(VALUES[1]) } else { entries };
        if sort.key_words > 1 {
            self.pick(0, Words::Own(VALUES[1]), Words::Own(KEYS[1]))?;
            keys = Words::Own(KEYS[1]);
        }
        let passes = sort.bits.div_ceil(DIGIT).max(1);
        for pass in 0..passes {
            let digit = pass % (u32::BITS / DIGIT);
            if pass > 0 && digit == 0 {
                self.pick(1, values, Words::Own(KEYS[1]))?;
                keys = Words::Own(KEYS[1]);
            }
            let turn = pass as usize % 2;
            let is_last = pass + 1 == passes;
            let to = match is_last && !by_number {
                true => Words::Region(&sort.sorted),
                false => Words::Own(VALUES[turn]),
            };
            let pass = Pass {
                shift: digit * DIGIT,
                numbered: by_number && pass == 0,
                keeps_keys: !is_last,
            };
            self.pass(pass, [keys, values], [Words::Own(KEYS[turn]), to])?;
            (keys, values) = (Words::Own(KEYS[turn]), to);
        }
        if by_number {
            let [count, width] = [sort.count, sort.entry_words];
            let fields = [("count", count), ("width", width), ("stride", width), ("by_number", 1)];
            let words = vec![entries, values, Words::Region(&sort.sorted)];
            self.chain
                .add(EntryPoint::Pick, &fields, words, u64::from(count) * u64::from(width))?;
        }
        Ok(())
    }

    /// Adds the dispatch that picks a word of each key: those of all keys in their order at first, and then by what belongs to them.
    fn pick(&mut self, word: u32, numbers: Words<'s>, to: Words<'s>) -> Result<()> {
        let sort = self.sort;
        let fields = [
            ("count", sort.count),
            ("width", 1),
            ("stride", sort.key_words),
            ("offset", word),
            ("by_number", u32::from(word > 0)),
        ];
        let words = vec![Words::Region(&sort.keys), numbers, to];
        self.chain.add(EntryPoint::Pick, &fields, words, sort.count.into())
    }

    /// Adds the dispatches of a pass.
    fn pass(&mut self, pass: Pass, from: [Words<'s>; 2], to: [Words<'s>; 2]) -> Result<()> {
        let tiles = self.sort.count.div_ceil(TILE);
        let fields = [
            ("count", self.sort.count),
            ("tiles", tiles),
            ("shift", pass.shift),
            ("numbered", pass.numbered.into()),
            ("keeps_keys", pass.keeps_keys.into()),
        ];
        let all = u64::from(tiles) * u64::from(WORKGROUP);
        let count = EntryPoint::Sort(SortKernel::Count);
        self.chain.add(count, &fields, vec![from[0], Words::Own(COUNTS)], all)?;
        self.chain.sum_up(COUNTS, self.levels)?;
        let words = vec![from[0], from[1], to[0], to[1], Words::Own(COUNTS)];
        self.chain
            .add(EntryPoint::Sort(SortKernel::Scatter), &fields, words, all)
    }

    /// Runs it. Gives how long the device took, if it has a clock.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn run(self) -> Result<Option<Duration>> {
        let (_, time) = self.chain.send(COUNTS)?.wait(self.gpu)?;
        Ok(time)
    }
}

/// What one pass does.
#[derive(Clone, Copy)]
struct Pass {
    shift: u32,
    numbered: bool,
    keeps_keys: bool,
}
