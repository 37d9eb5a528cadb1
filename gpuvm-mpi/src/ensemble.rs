//! Ensembles: one routine over many parameters, whose VMs are handed out to whoever is free.

use gpuvm::{Launch, Launchable};

use crate::error::Result;
use crate::runtime::Runtime;

impl Runtime {
    /// Begins a launch whose VMs are handed out to ranks whenever they are free, for VMs that take unequally long: simulations over a
    /// [swept](sweep) space of parameters, say. Its bits are those of any other launch. `done.stats().shares` tells what each rank has done.
    ///
    /// # Errors
    ///
    /// As [`gpuvm::Runtime::launch`].
    ///
    /// ```no_run
    /// # use gpuvm::prelude::*;
    /// #[routine]
    /// fn simulate(temperature: f32, field: f32, seed: u32) -> f32 {
    ///     // …
    /// #   temperature * field + seed as f32
    /// }
    ///
    /// # fn example(runtime: &gpuvm_mpi::Runtime) -> Result<(), Box<dyn std::error::Error>> {
    /// let seeds: Vec<u32> = (0..1000).collect();
    /// let (temperatures, fields, seeds) = gpuvm_mpi::sweep((&[0.5f32, 1.0, 1.5], &[0.0f32, 0.1], &seeds));
    /// let done = runtime.ensemble("simulate")?.args((&temperatures, &fields, &seeds)).run()?;
    /// let magnetisations: Vec<f32> = done.output()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn ensemble<'a>(&self, what: impl Launchable) -> Result<Launch<'a>> {
        Ok(self.launch(what)?.dynamic())
    }
}

/// A space of parameters, given by up to six axes: each combination of their values, the last axis fastest, as a column for each axis.
///
/// ```
/// let (speeds, seeds) = gpuvm_mpi::sweep((&[1.5f32, 2.5], &[7u32, 8, 9]));
/// assert_eq!(speeds, [1.5, 1.5, 1.5, 2.5, 2.5, 2.5]);
/// assert_eq!(seeds, [7, 8, 9, 7, 8, 9]);
/// ```
pub fn sweep<A: Axes>(axes: A) -> A::Columns {
    axes.columns()
}

/// Axes of a space of parameters: a tuple of [`Axis`]es.
pub trait Axes {
    /// A column for each axis.
    type Columns;

    /// The columns, with an entry for each combination.
    fn columns(self) -> Self::Columns;
}

/// The values of one parameter: a slice, an array or a vector.
pub trait Axis {
    /// A value.
    type Value: Clone;

    /// All of them.
    fn values(&self) -> &[Self::Value];
}

impl<T: Clone> Axis for &[T] {
    type Value = T;

    fn values(&self) -> &[T] {
        self
    }
}

impl<T: Clone, const N: usize> Axis for &[T; N] {
    type Value = T;

    fn values(&self) -> &[T] {
        *self
    }
}

impl<T: Clone> Axis for &Vec<T> {
    type Value = T;

    fn values(&self) -> &[T] {
        self
    }
}

/// The entries of an axis, if each value stays for so many combinations of the axes behind it.
fn column<T: Clone>(axis: &[T], behind: usize, all: usize) -> Vec<T> {
    let stays = |value: &T| std::iter::repeat_n(value.clone(), behind);
    axis.iter().cycle().flat_map(stays).take(all).collect()
}

macro_rules! axes {
    ($($name:ident $value:ident),+) => {
        impl<$($name: Axis),+> Axes for ($($name,)+) {
            type Columns = ($(Vec<$name::Value>,)+);

            fn columns(self) -> Self::Columns {
                let ($($value,)+) = &self;
                let all: usize = [$($value.values().len()),+].iter().product();
                let mut behind = all;
                ($({
                    behind = behind.checked_div($value.values().len()).unwrap_or_default();
                    column($value.values(), behind, all)
                },)+)
            }
        }
    };
}

axes!(A a);
axes!(A a, B b);
axes!(A a, B b, C c);
axes!(A a, B b, C c, D d);
axes!(A a, B b, C c, D d, E e);
axes!(A a, B b, C c, D d, E e, F f);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_is_nested_loops() {
        let (one, two, three) = ([1u32, 2], vec![3.5f32, 4.5, 5.5], [true, false]);
        let mut expected = (Vec::new(), Vec::new(), Vec::new());
        for a in one {
            for b in &two {
                for c in three {
                    expected.0.push(a);
                    expected.1.push(*b);
                    expected.2.push(c);
                }
            }
        }
        assert_eq!(sweep((&one, &two, &three)), expected);
        assert_eq!(sweep((&one, &Vec::<u32>::new())), (vec![], vec![]));
        assert_eq!(sweep((&one[..],)), (vec![1, 2],));
    }
}
