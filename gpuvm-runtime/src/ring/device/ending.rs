//! How rounds end: what the host is told of them, and what it brings back from the columns.

use std::ops::Range;

use gpuvm_engine::Words;

use super::super::batch::{Batch, Mail};
use super::super::context::Sent;
use super::super::handler::{FORWARDS, REPLIES};
use super::super::runner::{Handled, Rounds};
use super::OnDevice;
use super::columns::Columns;
use super::depot::Depot;
use super::jobs::Ended;
use super::layout::Left;
use super::sequence::Standing;
use crate::error::Result;

impl OnDevice {
    /// Ends rounds with one after so many others that the host has to see to, given how VMs of the handler stand of which some have trapped.
    pub(in super::super) fn last(
        &self,
        depot: &Depot,
        columns: &Columns,
        rounds: usize,
        standing: &[Standing],
    ) -> Result<Rounds> {
        let said = depot.ask(columns, rounds % 2)?;
        let mail = depot.mail(&columns.mail[rounds % 2])?;
        let total: u32 = mail.iter().map(|mail| mail.end - mail.first).sum();
        let words = |column, each: usize| depot.read(column, total * each as u32);
        let messages = words(&columns.messages[rounds % 2], self.shape.message_words)?;
        let answers = words(&columns.answers, self.shape.answer_words)?;
        let letters = words(&columns.letters, self.shape.sends * self.shape.letter_words())?;
        let replies = words(&columns.rooms[REPLIES], self.shape.rooms[REPLIES].words)?;
        let forwards = words(&columns.rooms[FORWARDS], self.shape.rooms[FORWARDS].words)?;
        let of_each = |column| match self.shape.sends {
            0 => Ok(Words::default()),
            _ => depot.read(column, self.actors),
        };
        let (sent, stopped) = (of_each(&columns.sent)?, of_each(&columns.stopped)?);
        let handled = depot.read(&columns.handled[rounds % 2], self.actors)?;
        let mut batch = Batch::default();
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
            batch
                .words
                .extend(part(&messages, first..end, self.shape.message_words));
            own_answers.extend(part(&answers, first..end, self.shape.answer_words));
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
            sent: &sent,
            stopped: &stopped,
            handled: &handled,
            letters: &letters,
            rooms: [&replies, &forwards],
        };
        let standing: Vec<_> = standing
            .iter()
            .map(|standing| (&*standing.program, &standing.image, standing.first))
            .collect();
        self.collect(vms.into_iter(), &left, &standing, &mut done);
        // A round that was counted before it ended would count twice.
        let own = if said.total == 0 { u64::from(total) } else { 0 };
        Ok(Rounds {
            count: rounds as u64 + 1,
            handled: said.handled - own,
            left: Sent::default(),
            last: Some((batch, done)),
        })
    }

    /// Ends rounds in between: what is in the columns is left.
    pub(super) fn recall(&self, depot: &Depot, columns: &Columns, rounds: usize) -> Result<Rounds> {
        let said = depot.ask(columns, rounds % 2)?;
        let messages = depot.read(
            &columns.messages[rounds % 2],
            said.total * self.shape.message_words as u32,
        )?;
        let mut left = Sent::default();
        for Mail { actor, first, end } in depot.mail(&columns.mail[rounds % 2])? {
            left.to.extend((first..end).map(|_| actor));
            left.words.extend(part(&messages, first..end, self.shape.message_words));
        }
        Ok(Rounds {
            count: rounds as u64,
            handled: said.handled,
            left,
            last: None,
        })
    }
}

/// Ends rounds after which nobody has mail.
pub fn quiet(depot: &Depot, columns: &Columns, rounds: usize) -> Result<Rounds> {
    Ok(Rounds {
        count: rounds as u64 + 1,
        handled: depot.ask(columns, (rounds + 1) % 2)?.handled,
        ..Rounds::default()
    })
}

/// The words of some of a column's entries, of so many words each.
fn part(column: &[u32], entries: Range<u32>, words: usize) -> &[u32] {
    &column[entries.start as usize * words..entries.end as usize * words]
}
