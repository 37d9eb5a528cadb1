//! How rounds end: what the host is told of them, and what it brings back from the columns.

use gpuvm_engine::Words;

use super::super::batch::{Batch, Mail};
use super::super::context::Sent;
use super::super::handler::{FORWARDS, REPLIES};
use super::super::runner::{Handled, Rounds};
use super::OnDevice;
use super::columns::{Columns, part_of};
use super::depot::Depot;
use super::jobs::{Ended, Stands};
use super::layout::Left;
use crate::error::Result;

impl OnDevice {
    /// Ends rounds with one after so many others that the host has to see to, and that may count as handled already.
    pub(super) fn last(
        &self,
        depot: &Depot,
        columns: &Columns,
        (rounds, is_counted): (usize, bool),
        stands: Option<&Stands>,
    ) -> Result<Rounds> {
        let said = depot.ask(columns, rounds)?;
        let mail = depot.mail(columns)?;
        let total: u32 = mail.iter().map(|mail| mail.end - mail.first).sum();
        let words = |column, each: usize| depot.read(column, total * each as u32);
        let messages = depot.listed(columns, rounds)?;
        let answers = words(&columns.answers, self.answer_words)?;
        let letters = words(&columns.letters[(rounds + 1) % 2], self.sends * self.letter_words())?;
        let replies = words(&columns.rooms[REPLIES], self.rooms[REPLIES].words)?;
        let forwards = words(&columns.rooms[FORWARDS], self.rooms[FORWARDS].words)?;
        let contexts = match self.sends {
            0 => Words::default(),
            _ => depot.read(&columns.contexts, columns.contexts.words)?,
        };
        let handled = depot.read(&columns.handled, self.actors)?;
        let mut batch = Batch {
            words: messages.words,
            ..Batch::default()
        };
        let mut own_answers = Vec::with_capacity(answers.len());
        let mut vms = Vec::with_capacity(mail.len());
        for Mail { actor, first, end } in mail {
            let begin = batch.places.len() as u32;
            let own = Mail {
                actor,
                first: begin,
                end: begin + (end - first),
            };
            batch.mail.push(own);
            batch.places.extend(own.first..own.end);
            own_answers.extend(part_of(&answers, first..end, self.answer_words));
            vms.push(Ended {
                vm: actor as usize,
                mail: own,
                first,
            });
        }
        let mut done = Handled {
            answers: own_answers.into(),
            ..Handled::default()
        };
        let left = Left {
            contexts: &contexts,
            handled: &handled,
            letters: &letters,
            rooms: [&replies, &forwards],
        };
        self.collect(vms.into_iter(), &left, stands, &mut done);
        let own = if is_counted { u64::from(total) } else { 0 };
        Ok(Rounds {
            count: rounds as u64 + 1,
            handled: said.handled - own,
            left: Sent::default(),
            last: Some((batch, done)),
        })
    }

    /// Ends rounds in between: what is in the columns is left.
    pub(super) fn recall(&self, depot: &Depot, columns: &Columns, rounds: usize) -> Result<Rounds> {
        Ok(Rounds {
            count: rounds as u64,
            handled: depot.ask(columns, rounds)?.handled,
            left: depot.listed(columns, rounds)?,
            last: None,
        })
    }
}

/// Ends rounds after which nobody has mail.
pub fn quiet(depot: &Depot, columns: &Columns, rounds: usize) -> Result<Rounds> {
    Ok(Rounds {
        count: rounds as u64 + 1,
        handled: depot.ask(columns, rounds)?.handled,
        ..Rounds::default()
    })
}
