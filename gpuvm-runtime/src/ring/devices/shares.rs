//! Which actors each device has, what of a batch is theirs, and what has become of all of it.

use std::ops::Range;

use gpuvm_engine::Words;

use super::super::batch::{Batch, Mail};
use super::super::runner::{Handled, Rounds, Trapped};

/// What of a batch is for neighbouring actors.
pub struct Own {
    /// Which message of the batch is its first.
    pub first: u32,
    pub batch: Batch,
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

/// What of a batch of messages of so many words is for each of these actors, which follow each other; `None` where there is nothing.
pub fn parted<'a>(batch: &Batch, size: usize, parts: impl Iterator<Item = &'a Range<u32>>) -> Vec<Option<Own>> {
    let mut rest = &batch.mail[..];
    let own = |actors: &Range<u32>| {
        let (mail, behind) = rest.split_at(rest.partition_point(|mail| mail.actor < actors.end));
        rest = behind;
        let (first, end) = (mail.first()?.first, mail.last()?.end);
        let mail = mail.iter().map(|mail| Mail {
            first: mail.first - first,
            end: mail.end - first,
            ..*mail
        });
        Some(Own {
            first,
            batch: Batch {
                mail: mail.collect(),
                words: batch.words[first as usize * size..end as usize * size].to_vec(),
                places: (0..end - first).collect(),
            },
        })
    };
    parts.map(own).collect()
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

    #[test]
    fn mail_goes_to_who_has_its_actor() {
        let mail = [(1, 0, 2), (4, 2, 3), (9, 5, 6)].map(|(actor, first, end)| Mail { actor, first, end });
        let batch = Batch {
            mail: mail.to_vec(),
            words: (0..12).collect(),
            places: (0..6).collect(),
        };
        let own = parted(&batch, 2, [0..1, 1..5, 5..7, 7..20].iter());
        let found: Vec<Option<(u32, Vec<u32>)>> = own
            .into_iter()
            .map(|own| own.map(|own| (own.first, own.batch.words)))
            .collect();
        assert_eq!(
            found,
            [None, Some((0, vec![0, 1, 2, 3, 4, 5])), None, Some((5, vec![10, 11]))]
        );
    }
}
