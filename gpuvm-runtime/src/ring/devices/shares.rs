//! Which actors each device has, what of a batch is theirs, and what has become of all of it.

use std::ops::Range;

use gpuvm_engine::Words;

use super::super::batch::{Batch, BatchPart, Mail};
use super::super::runner::{Handled, Rounds, Trapped};

/// What of a batch is for the actors of a device.
pub struct Own {
    /// Which message of the batch is its first.
    pub first: u32,
    pub batch: Batch,
}

impl Own {
    /// A copy of it; `None` if there is nothing.
    pub fn of(part: &BatchPart<'_>) -> Option<Own> {
        (!part.mail.is_empty()).then(|| Own {
            first: part.first,
            batch: part.to_batch(),
        })
    }
}

/// Neighbouring actors for each device, given how fast it was seen to be. Who is not known is taken for one of the others.
pub fn cut(actors: u32, rates: &[Option<f64>]) -> Vec<Range<u32>> {
    let known: Vec<f64> = rates.iter().copied().flatten().collect();
    let mean = match known.len() {
        0 => 1.0,
        count => known.iter().sum::<f64>() / count as f64,
    };
    let all: f64 = rates.iter().map(|rate| rate.unwrap_or(mean)).sum();
    let mut so_far = 0.0;
    let mut start = 0;
    let mut of = |rate: &Option<f64>| {
        so_far += rate.unwrap_or(mean);
        let end = (f64::from(actors) * (so_far / all)).round() as u32;
        let own = start..end.clamp(start, actors);
        start = own.end;
        own
    };
    let mut cut: Vec<Range<u32>> = rates.iter().map(&mut of).collect();
    if let Some(last) = cut.last_mut() {
        last.end = actors;
    }
    cut
}

/// Words of what a kernel's batches have for each message.
pub struct WordsOf {
    pub message: usize,
    /// That the handler returns.
    pub answer: usize,
}

/// What has become of a batch of so many messages, given what became of its parts and the first message of each, and words of an answer.
pub fn merge(parts: Vec<(u32, Handled)>, messages: usize, answer: usize) -> Handled {
    let mut all = Handled::default();
    let mut answers = vec![0; messages * answer];
    for (first, part) in parts {
        let begin = first as usize * answer;
        answers[begin..begin + part.answers.len()].copy_from_slice(&part.answers);
        let moved = |mail: Mail| moved(mail, first);
        let trapped = part.trapped.into_iter().map(|Trapped { rest, trap }| Trapped {
            rest: moved(rest),
            trap,
        });
        all.trapped.extend(trapped);
        all.stopped.extend(part.stopped.into_iter().map(moved));
        all.held.extend(part.held.into_iter().map(moved));
        all.is_late |= part.is_late;
        all.sent.extend(part.sent);
        all.replied.to.extend(part.replied.to.iter().map(|place| place + first));
        all.replied.words.extend(part.replied.words);
        all.forwarded.extend(part.forwarded);
        all.logs.append(part.logs);
    }
    all.answers = Words::from(answers);
    all
}

/// What has come of rounds, given what came of their parts.
pub fn join(parts: Vec<Rounds>, words: &WordsOf) -> Rounds {
    let mut all = Rounds::default();
    let mut batch = Batch::default();
    let mut handled = Vec::new();
    for part in parts {
        all.count = all.count.max(part.count);
        all.handled += part.handled;
        all.left.extend(part.left);
        let Some((its, done)) = part.last else { continue };
        let first = batch.places.len() as u32;
        let messages = its.places.len() as u32;
        batch.mail.extend(its.mail.into_iter().map(|mail| moved(mail, first)));
        batch.places.extend(first..first + messages);
        batch.words.extend(its.words);
        handled.push((first, done));
    }
    if !handled.is_empty() {
        let merged = merge(handled, batch.places.len(), words.answer);
        all.last = Some((batch, merged));
    }
    all
}

/// Mail whose messages come so many later.
fn moved(mail: Mail, by: u32) -> Mail {
    Mail {
        first: mail.first + by,
        end: mail.end + by,
        ..mail
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actors_are_cut_by_rates() {
        assert_eq!(cut(10, &[None, None]), [0..5, 5..10]);
        assert_eq!(cut(100, &[Some(1.0), Some(3.0), None]), [0..17, 17..67, 67..100]);
        assert_eq!(cut(1, &[None, None, None]), [0..0, 0..1, 1..1]);
        assert_eq!(cut(3, &[Some(1e-9), Some(1e9)]), [0..0, 0..3]);
    }
}
