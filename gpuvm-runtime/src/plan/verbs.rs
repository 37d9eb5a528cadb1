//! Adding nodes to a plan that are made of others: what drops entries that are equal, counts in bins, and groups.

use gpuvm_core::types::{Type, Value};

use super::Plan;
use super::add::uses;
use super::groups::Groups;
use super::library::{HISTOGRAM, HISTOGRAM_SUM, NEXT_NUMBER};
use super::node::{Kind, Length, Node, Operand, Read, Sight, Use};
use super::operators::own;
use crate::arg::IntoArgs;
use crate::entry::{Entry, Launchable};
use crate::error::{PlanError, Result};
use crate::handle::Handle;
use crate::types::tuple;

/// Words of all copies of a histogram's bins together, at most, unless the bins alone are more.
const MOST_COUNTS: usize = 1 << 12;
/// Copies at most.
const MOST_COPIES: usize = 64;

impl<'a> Plan<'a> {
    /// A column without the entries that are equal to the one before: of neighbours that are equal the first is left, as in
    /// [`Vec::dedup`]. Entries are what [`sort`](Plan::sort) sorts, and equal where it has them in no order: all NaNs are, and −0.0 and 0.0
    /// are not. How many there are is known when the plan runs.
    ///
    /// The distinct entries of a whole column are [`unique`](Plan::unique).
    ///
    /// # Errors
    ///
    /// [`PlanError::Argument`] if the entries are something else: [`dedup_by_key`](Plan::dedup_by_key) takes those.
    #[doc(alias = "unique_consecutive")]
    pub fn dedup(&mut self, column: Handle) -> Result<Handle> {
        self.add_dedup(None, column)
    }

    /// A column without the entries for which a routine `fn(T) -> K` gives the same as for the one before, as in [`Vec::dedup_by_key`]. `K` is
    /// what [`sort`](Plan::sort) sorts.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`](crate::Error::UnknownId), or [`PlanError`] if the routine is no such function, yields or halts.
    pub fn dedup_by_key(&mut self, id: impl Launchable, column: Handle) -> Result<Handle> {
        self.add_dedup(Some(id.entry()?), column)
    }

    /// The distinct entries of a column, in ascending order: [`sort`](Plan::sort), which a column that was sorted by it does not need again, and
    /// [`dedup`](Plan::dedup). What is called `unique` in C++, Thrust and CUB looks at neighbours alone; that is `dedup`.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn main() -> gpuvm::Result<()> {
    /// # let runtime = gpuvm::Runtime::builder().backend(gpuvm::Backend::Cpu).build()?;
    /// let mut plan = runtime.plan();
    /// let words = plan.input(&[3u32, 1, 3, 3, 2, 1]);
    /// let (runs, distinct) = (plan.dedup(words)?, plan.unique(words)?);
    /// let done = plan.run()?;
    /// assert_eq!(done.get::<u32>(runs)?, [3, 1, 3, 2, 1]);
    /// assert_eq!(done.get::<u32>(distinct)?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Plan::dedup`].
    pub fn unique(&mut self, column: Handle) -> Result<Handle> {
        let label = format!("unique (node {})", self.nodes.len());
        let from = self.keyed(
            &label,
            "`sort_by_key` and then `dedup_by_key` take others",
            None,
            column,
        )?;
        let sorted = match self.nodes[from].kind {
            Kind::Sort(None) => column,
            _ => self.add_sort(None, column)?,
        };
        self.add_dedup(None, sorted)
    }

    /// How many entries of a column there are of each value below `bins`: a column of as many `u32`. The entries are the numbers of bins, `u32`;
    /// a [`map`](Plan::map) in front, which gives them of something else, becomes a part of the same kernel. An entry that is no bin's number
    /// traps its VM as an index does.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn main() -> gpuvm::Result<()> {
    /// # let runtime = gpuvm::Runtime::builder().backend(gpuvm::Backend::Cpu).build()?;
    /// let mut plan = runtime.plan();
    /// let dice = plan.input(&[1u32, 5, 2, 5, 5]);
    /// let counts = plan.histogram(dice, 6)?;
    /// assert_eq!(plan.run()?.get::<u32>(counts)?, [0, 1, 1, 0, 0, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`PlanError::Argument`] if the entries are something else, or there are too many bins.
    #[doc(alias = "bincount")]
    pub fn histogram(&mut self, column: Handle, bins: usize) -> Result<Handle> {
        let label = format!("histogram (node {})", self.nodes.len());
        let from = &self.nodes[self.column(&label, column)?];
        let wrong = |parameter: &str, expected: String, found: String| PlanError::Argument {
            node: label.clone(),
            parameter: parameter.to_string(),
            expected,
            found,
        };
        if !from.element.same(u32::TYPE) {
            let expected = "a column of `u32`, the number of each entry's bin (a `map` in front of it gives that)";
            return Err(wrong("column", expected.to_string(), self.column_of(from)).into());
        }
        let copies = (MOST_COUNTS / bins.max(1)).clamp(1, MOST_COPIES);
        let (Ok(each), Ok(_)) = (u32::try_from(bins), u32::try_from(bins * copies)) else {
            return Err(wrong("bins", "less than 2³²".to_string(), bins.to_string()).into());
        };
        let counts = self.add_zeros::<u32>(bins * copies);
        self.add_map(&HISTOGRAM, (column, counts, each, copies as u32).into_args(), None)?;
        self.add_map(&HISTOGRAM_SUM, (counts, copies as u32).into_args(), Some(bins))
    }

    /// Groups the entries of a column by what a routine `fn(T) -> K` gives for each, where `K` is what [`sort`](Plan::sort) sorts. Of the
    /// [`Groups`] there are the keys, in ascending order, how many entries each group has, and what its entries come to.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime, sales: &[(u16, f32)]) -> gpuvm::Result<()> {
    /// let mut plan = runtime.plan();
    /// let sales = plan.input(sales);
    /// let mut groups = plan.group_by("region", sales)?; // fn region(sale: (u16, f32)) -> u16
    /// let (regions, counts) = (groups.keys(), groups.counts()?);
    /// let totals = groups.map("amount")?.reduce("add")?; // fn amount(sale: (u16, f32)) -> f32
    /// plan.output(regions).output(counts).output(totals);
    /// let done = plan.run()?;
    /// let (regions, totals): (Vec<u16>, Vec<f32>) = (done.get(regions)?, done.get(totals)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`](crate::Error::UnknownId), or [`PlanError`] if the routine is no such function, yields or halts.
    #[doc(alias = "reduce_by_key")]
    pub fn group_by(&mut self, id: impl Launchable, column: Handle) -> Result<Groups<'_, 'a>> {
        let entry = id.entry()?;
        let of = uses(entry.clone())?;
        let label = format!("group by `{}` (node {})", of.entry.id(), self.nodes.len());
        self.keyed(&label, "", Some(&of), column)?;
        let sorted = self.add_sort(Some(entry), column)?;
        let length = self.nodes[sorted.node].length;
        let keys = self.push_map(of, own(&[sorted.node]), length);
        let next = self.push_map(uses(&NEXT_NUMBER)?, Vec::new(), length);
        let parts: [&'static Type; 2] = [self.nodes[keys].element, u32::TYPE];
        let pairs = self.push(Kind::Zip, own(&[keys, next]), tuple(&parts), length).node;
        let groups = self.push_dedup(pairs, keys, true).node;
        let length = self.nodes[groups].length;
        let [keys, ends] = [0, 1].map(|field| self.push(Kind::Field(field), own(&[groups]), parts[field], length));
        Ok(Groups::new(self, keys, ends, sorted))
    }

    fn add_dedup(&mut self, entry: Option<Entry>, column: Handle) -> Result<Handle> {
        let of = entry.map(uses).transpose()?;
        let number = self.nodes.len();
        let label = match &of {
            None => Kind::Dedup { last: false }.label(number),
            Some(of) => format!("dedup by `{}` (node {number})", of.entry.id()),
        };
        let from = self.keyed(&label, "`dedup_by_key` takes others", of.as_ref(), column)?;
        let keys = match of {
            None => from,
            Some(of) => self.push_map(of, own(&[from]), self.nodes[from].length),
        };
        Ok(self.push_dedup(from, keys, false))
    }

    /// What a routine gives for so many VMs.
    pub(super) fn push_map(&mut self, of: Use, operands: Vec<Operand>, length: Length) -> usize {
        let result = of.routine.result.ty;
        self.push(Kind::Map(of), operands, result, length).node
    }

    /// The first or the last of neighbours with equal keys.
    fn push_dedup(&mut self, from: usize, keys: usize, last: bool) -> Handle {
        let Node { element, length, .. } = self.nodes[from];
        let length = Length::Kept {
            filter: self.nodes.len(),
            most: length.most(),
        };
        self.push(Kind::Dedup { last }, own(&[from, keys]), element, length)
    }
}

/// What a node sees whole.
pub(super) fn whole(node: usize) -> Operand {
    Operand::Node(Read {
        node,
        mode: Sight::Whole,
    })
}
