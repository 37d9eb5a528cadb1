//! A launch that is done: its results, typed on demand, and its statistics.

use std::borrow::Cow;

use gpuvm_core::types::{Field, Type, Value, VmType};
use gpuvm_engine::{Words, least_piece, room};
use rayon::prelude::*;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::logs::Logs;
use crate::profile::Profile;
use crate::stats::Stats;
use crate::vector::{FEW, Vector, entries, read_all, read_pieces, write_pieces};
use crate::words::WordColumn;

/// The results of a launch. Columns that were lent with `&mut` have their new values already.
#[derive(Debug)]
pub struct Done {
    pub(crate) routine: String,
    pub(crate) result: &'static Type,
    pub(crate) results: Results,
    pub(crate) stats: Stats,
    pub(crate) logs: Logs,
    pub(crate) profile: Option<Box<Profile>>,
    /// What `&mut` stood for, of a launch that was restored.
    pub(crate) columns: Vec<(String, WordColumn)>,
}

/// What the VMs returned, in the order of their ids.
#[derive(Debug)]
pub(crate) enum Results {
    /// From the native engine.
    Typed(Box<dyn Vector>),
    /// From an engine on words: one record a VM.
    Words(Words),
    /// The same in several pieces, one after the other.
    Pieces(Vec<Words>),
}

impl Done {
    /// What the VMs returned, in the order of their ids: `Vec<R>` for a routine that returns an `R`, or a tuple of vectors for one
    /// that returns a tuple.
    ///
    /// # Errors
    ///
    /// [`Error::OutputType`] if the routine returns something else; [`Error::OutOfMemory`] if there is no room for a copy.
    pub fn output<C: Output>(&self) -> Result<C> {
        C::from_done(self)
    }

    /// The column that VMs of a [restored](crate::Runtime::restore) launch have written, by its parameter's name. In an ordinary launch
    /// the arguments themselves have the new values.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchColumn`], or [`Error::OutputType`] if its entries are of another type.
    pub fn column<T: VmType>(&self, parameter: &str) -> Result<Vec<T>> {
        let found = self.columns.iter().find(|(name, _)| *name == parameter);
        let (_, column) = found.ok_or_else(|| Error::NoSuchColumn {
            routine: self.routine.clone(),
            column: parameter.to_string(),
            known: match self.columns.as_slice() {
                [] => "none, its arguments have the new values".to_string(),
                columns => columns.iter().map(|(name, _)| &**name).collect::<Vec<_>>().join(", "),
            },
        })?;
        if !column.element.same(T::TYPE) {
            return Err(Error::OutputType {
                routine: self.routine.clone(),
                expected: format!("`Vec<{}>`", column.element),
                found: format!("`Vec<{}>`", T::TYPE),
            });
        }
        Ok(read_all(column.entries, &column.words))
    }

    /// What the VMs have printed, by `println!` and its kin, `dbg!` and `log!`. It has been told already: through `tracing`
    /// with the fields `routine`, `vm`, `file` and `line`, or on `stderr` where no subscriber was ever set.
    pub fn logs(&self) -> &Logs {
        &self.logs
    }

    /// What the launch cost.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Where the instructions of the launch went, if it was to be [profiled](crate::Launch::profile).
    pub fn profile(&self) -> Option<&Profile> {
        self.profile.as_deref()
    }

    /// What the VMs returned, as a column of words.
    pub(crate) fn into_column(self) -> WordColumn {
        WordColumn {
            element: self.result,
            entries: self.stats.vms as usize,
            words: self.words_of(None).into_owned(),
        }
    }

    /// What some of the VMs returned.
    ///
    /// # Errors
    ///
    /// [`Error::OutputType`] if the routine returns something else.
    pub(crate) fn results_in<R: VmType>(&self, vms: std::ops::Range<usize>) -> Result<Vec<R>> {
        self.check(R::TYPE)?;
        let size = self.result.words as usize;
        let count = vms.len();
        match &self.results {
            Results::Words(words) => Ok(read_all(count, &words[vms.start * size..vms.end * size])),
            Results::Pieces(_) => Ok(read_all(count, &self.words_of(None)[vms.start * size..vms.end * size])),
            Results::Typed(vector) => {
                let mut words = vec![0; count * size];
                write_pieces(&**vector, vms, &mut words);
                Ok(read_all(count, &words))
            }
        }
    }

    /// Refuses a type that is not what the routine returns, and results that there is no room for once more.
    fn check(&self, asked: &Type) -> Result<()> {
        if self.result.same(asked) {
            room::for_results(self.stats.vms as usize, 4 * asked.words as usize, &self.routine)?;
            return Ok(());
        }
        Err(Error::OutputType {
            routine: self.routine.clone(),
            expected: format!("`Vec<{}>`", self.result),
            found: format!("`Vec<{asked}>`"),
        })
    }

    /// A field of every result, or the whole results.
    fn field<T: VmType>(&self, field: Option<&Field>) -> Vec<T> {
        let vms = self.stats.vms as usize;
        match (&self.results, field) {
            (Results::Pieces(pieces), None) => {
                let pieces: Vec<&[u32]> = pieces.iter().map(|words| &words[..]).collect();
                read_pieces(vms, &pieces)
            }
            _ => read_all(vms, &self.words_of(field)),
        }
    }

    /// The words of a field of every result, or of the whole results. Not generic, because what depends on a type is compiled in the user's crate for each
    /// type, all of rayon with it.
    fn words_of(&self, field: Option<&Field>) -> Cow<'_, [u32]> {
        let size = self.result.words as usize;
        let words = match &self.results {
            Results::Words(words) => Cow::Borrowed(&words[..]),
            Results::Pieces(pieces) => Cow::Owned(joined(pieces)),
            Results::Typed(vector) => {
                let mut words = vec![0; vector.len() * size];
                write_pieces(&**vector, 0..vector.len(), &mut words);
                Cow::Owned(words)
            }
        };
        let Some(field) = field else { return words };
        let (from, width) = (field.offset as usize, field.ty.words as usize);
        if width == 0 {
            return Cow::Borrowed(&[]);
        }
        let mut part = vec![0; words.len() / size * width];
        part.par_chunks_exact_mut(width)
            .zip(words.par_chunks_exact(size))
            .with_min_len(least_piece(FEW))
            .for_each(|(part, record)| part.copy_from_slice(&record[from..from + width]));
        Cow::Owned(part)
    }
}

/// The words of all pieces, copied by several threads, as memory that is new to the process is dear.
fn joined(pieces: &[Words]) -> Vec<u32> {
    let mut all = vec![0; pieces.iter().map(|words| words.len()).sum()];
    let mut rest = &mut all[..];
    let mut places = Vec::with_capacity(pieces.len());
    for words in pieces {
        let (place, behind) = rest.split_at_mut(words.len());
        places.push((place, words));
        rest = behind;
    }
    let places = places.into_par_iter().with_min_len(least_piece(1));
    places.for_each(|(place, words)| {
        let chunks = place.par_chunks_mut(FEW).zip(words.par_chunks(FEW));
        chunks
            .with_min_len(least_piece(1))
            .for_each(|(to, from)| to.copy_from_slice(from));
    });
    all
}

/// A launch was ended while VMs had more to do. The others are done, and [`done`](BudgetReport::done) has their results.
#[derive(Debug)]
pub struct BudgetReport {
    /// The id of the routine that was launched.
    pub routine: String,
    /// The budget that ran out; `None` if the launch was ended before.
    pub budget: Option<Budget>,
    /// VMs of the launch.
    pub vms: u32,
    /// VMs that were running.
    pub running: u32,
    /// VMs that had yielded.
    pub yielded: u32,
    /// VMs that waited for a message.
    pub blocked: u32,
    /// Steps that were complete.
    pub steps: u32,
    /// Steps that the launch was to make.
    pub all_steps: u32,
    pub(crate) done: Done,
}

impl BudgetReport {
    /// The results. Those of VMs that were not done are made of words that are all 0.
    pub fn done(&self) -> &Done {
        &self.done
    }

    /// The results, by value.
    pub fn into_done(self) -> Done {
        self.done
    }
}

impl std::fmt::Display for BudgetReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` ", self.routine)?;
        match self.budget {
            Some(budget) => write!(f, "was not done within its budget of {budget}: ")?,
            None => f.write_str("was ended before it was done: ")?,
        }
        let live = self.running + self.yielded + self.blocked;
        write!(f, "{live} of {} VMs had not stopped", self.vms)?;
        if self.blocked == live && live > 0 {
            f.write_str(", all waiting for messages")?;
        }
        if self.all_steps > 1 {
            write!(f, ", {} of {} steps were complete", self.steps, self.all_steps)?;
        }
        match self.budget {
            Some(_) => f.write_str("; give it more, or use `.start()` and `advance`, which can go on"),
            None => f.write_str("; call `run_to_end` before `finish`"),
        }
    }
}

/// As what [`Done::output`] can give results.
pub trait Output: Sized {
    /// The results in this form.
    #[doc(hidden)]
    fn from_done(done: &Done) -> Result<Self>;
}

impl<R: VmType> Output for Vec<R> {
    fn from_done(done: &Done) -> Result<Self> {
        done.check(R::TYPE)?;
        if let Results::Typed(vector) = &done.results
            && let Some(results) = entries::<R>(&**vector)
        {
            return Ok(results.to_vec());
        }
        Ok(done.field(None))
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),+);)*) => {$(
        impl<$($name: VmType),+> Output for ($(Vec<$name>,)+) {
            fn from_done(done: &Done) -> Result<Self> {
                let tuple = <($($name,)+)>::TYPE;
                done.check(tuple)?;
                if let Results::Typed(vector) = &done.results
                    && let Some(results) = entries::<($($name,)+)>(&**vector)
                {
                    return Ok(($(results.iter().map(|result| result.$index).collect(),)+));
                }
                Ok(($(done.field::<$name>(tuple.fields.get($index)),)+))
            }
        }
    )*};
}
tuples! {
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpuvm_engine::Engine;
    use gpuvm_engine::{Device, FloatMode};

    fn done(results: Results) -> Done {
        let stats = Stats {
            vms: 2,
            batches: 1,
            submissions: 1,
            ..Stats::of_nothing(Engine::Reference, Device::cpu(), FloatMode::Exact)
        };
        Done {
            routine: "pair".to_string(),
            result: <(f32, u64)>::TYPE,
            results,
            stats,
            logs: Logs::default(),
            profile: None,
            columns: Vec::new(),
        }
    }

    #[test]
    fn tuples_come_as_records_or_as_columns() {
        let all = [1f32.to_bits(), 5, 0, 2f32.to_bits(), 0, 1];
        let words = done(Results::Words(all.to_vec().into()));
        let pieces = done(Results::Pieces(vec![
            all[..3].to_vec().into(),
            all[3..].to_vec().into(),
        ]));
        let typed = done(Results::Typed(Box::new(vec![(1f32, 5u64), (2.0, 1 << 32)])));
        for done in [words, pieces, typed] {
            assert_eq!(done.output::<Vec<(f32, u64)>>().unwrap(), [(1.0, 5), (2.0, 1 << 32)]);
            assert_eq!(
                done.output::<(Vec<f32>, Vec<u64>)>().unwrap(),
                (vec![1.0, 2.0], vec![5, 1 << 32])
            );
            assert_eq!(
                done.output::<Vec<f32>>().unwrap_err().to_string(),
                "the results of `pair` are `Vec<(f32, u64)>`, and were asked for as `Vec<f32>`"
            );
        }
    }
}
