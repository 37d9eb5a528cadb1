//! What comes out of a queue against what plain Rust says, whatever goes in and however it is cut.

use proptest::prelude::*;

use super::*;

/// What happens to a queue.
#[derive(Clone, Debug)]
enum Step {
    Push(usize),
    Call,
    Sent(usize),
    Take,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1..12usize).prop_map(Step::Push),
        Just(Step::Call),
        (1..12usize).prop_map(Step::Sent),
        Just(Step::Take),
    ]
}

fn numbered(numbers: std::ops::Range<u32>) -> Letters {
    Letters {
        words: numbers.clone().flat_map(|number| [number, !number]).collect(),
        to: numbers.collect(),
        ..Letters::default()
    }
}

proptest! {
    #[test]
    fn messages_come_in_order_and_no_more_than_are_wanted(
        steps in prop::collection::vec(step(), 1..60),
        most in prop_oneof![1..9usize, Just(usize::MAX)],
    ) {
        let mut queue = Queue::new(2, most, Bound::of(1000, 0, 0));
        // By plain Rust: those that actors have sent, and the others, with whether somebody has called.
        let (mut sent, mut others) = (VecDeque::new(), VecDeque::new());
        let (mut next, mut longest) = (0, most);
        for step in steps.into_iter().chain((0..800).map(|_| Step::Take)) {
            match step {
                Step::Push(count) => {
                    let letters = numbered(next..next + count as u32);
                    queue.push(&letters.to, &letters.words, None);
                    others.extend(letters.to.iter().map(|&to| (to, false)));
                    next += count as u32;
                }
                Step::Call => {
                    queue.push_call(next, &[next, !next], None);
                    others.push_back((next, true));
                    next += 1;
                }
                Step::Sent(count) => {
                    let letters = numbered(next..next + count as u32);
                    sent.extend(letters.to.iter().map(|&to| (to, false)));
                    queue.push_sent(letters);
                    longest = longest.max(count);
                    next += count as u32;
                }
                Step::Take => {
                    let waiting = sent.len() + others.len();
                    let taken = queue.take().letters;
                    prop_assert!(taken.len() <= longest && (waiting == 0) == taken.is_empty());
                    prop_assert!(most < usize::MAX || taken.len() == waiting);
                    prop_assert_eq!(&taken.words, &numbered_as(&taken.to));
                    for (at, &to) in taken.to.iter().enumerate() {
                        let expected = sent.pop_front().or_else(|| others.pop_front());
                        prop_assert_eq!(Some((to, taken.called.contains(&at))), expected);
                    }
                }
            }
            prop_assert_eq!(queue.len(), sent.len() + others.len());
            prop_assert_eq!(queue.has_calls(), others.iter().any(|(_, called)| *called));
        }
    }
}

fn numbered_as(to: &[u32]) -> Vec<u32> {
    to.iter().flat_map(|&number| [number, !number]).collect()
}

/// What a lot has: those of actors, others, and whether others wait for their turn.
type Taken = (Vec<u32>, Vec<u32>, bool);

fn taken(queue: &mut Queue) -> Taken {
    let Lot {
        mut letters,
        sent,
        is_share,
        ..
    } = queue.take();
    assert_eq!(letters.words, numbered_as(&letters.to));
    let others = letters.to.split_off(sent);
    (letters.to, others, is_share)
}

/// The same queue, as a snapshot has it.
fn kept(queue: &Queue, bound: Bound) -> Queue {
    let Messages { mut actors, mut words } = queue.sent();
    let mut again = Queue::new(2, usize::MAX, bound);
    let (others, other_words) = (
        actors.split_off(queue.sent_len()),
        words.split_off(2 * queue.sent_len()),
    );
    again.push_sent(Letters {
        to: actors,
        words,
        ..Letters::default()
    });
    again.go_on(queue.before_others());
    again.push(&others, &other_words, None);
    again
}

proptest! {
    #[test]
    fn a_round_that_is_too_large_goes_share_by_share(
        steps in prop::collection::vec(step(), 1..60),
        (most, sends) in (1..40usize, 1..6usize),
    ) {
        let bound = Bound::of(most, sends, 0);
        let mut queue = Queue::new(2, usize::MAX, bound);
        let (mut sent, mut others) = (VecDeque::new(), VecDeque::new());
        // How many of those that were sent are left of the round.
        let (mut next, mut round) = (0, None);
        for step in steps.into_iter().chain((0..800).map(|_| Step::Take)) {
            match step {
                Step::Push(_) | Step::Call => {
                    let count = if let Step::Push(count) = step { count as u32 } else { 1 };
                    let letters = numbered(next..next + count);
                    queue.push(&letters.to, &letters.words, None);
                    others.extend(letters.to);
                    next += count;
                }
                Step::Sent(count) => {
                    let letters = numbered(next..next + count as u32);
                    sent.extend(letters.to.iter().copied());
                    queue.push_sent(letters);
                    next += count as u32;
                }
                Step::Take => {
                    let again = taken(&mut kept(&queue, bound));
                    let expected = if sent.len() > bound.share {
                        let is_through = round == Some(0) && !others.is_empty();
                        let left = round.filter(|left| *left > 0).unwrap_or(sent.len());
                        if is_through {
                            round = Some(sent.len());
                            let joining = others.len().min(bound.joining(sent.len()));
                            (Vec::new(), others.drain(..joining).collect(), true)
                        } else {
                            round = Some(left.saturating_sub(bound.share));
                            (sent.drain(..bound.share).collect(), Vec::new(), true)
                        }
                    } else {
                        round = None;
                        let joining = others.len().min(bound.share - sent.len());
                        let others_left = others.len() - joining;
                        (sent.drain(..).collect(), others.drain(..joining).collect(), others_left > 0)
                    };
                    prop_assert_eq!(&taken(&mut queue), &expected);
                    prop_assert_eq!(again, expected);
                }
            }
            prop_assert_eq!((queue.len(), queue.sent_len()), (sent.len() + others.len(), sent.len()));
        }
    }
}

#[test]
fn what_is_split_off_keeps_its_times_and_callers() {
    let now = Instant::now();
    let mut letters = Letters {
        accepted: vec![(2, now), (4, now), (1, now)],
        called: vec![0, 3, 6],
        ..numbered(0..7)
    };
    let first = letters.split(4, 2);
    assert_eq!((&first.to, &first.called), (&vec![0, 1, 2, 3], &vec![0, 3]));
    assert_eq!(first.accepted, [(2, now), (2, now)]);
    assert_eq!((&letters.to, &letters.called), (&vec![4, 5, 6], &vec![2]));
    assert_eq!(letters.accepted, [(2, now), (1, now)]);
    assert_eq!(letters.words, numbered_as(&letters.to));
}
