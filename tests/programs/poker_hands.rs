//! Poker hands: parsing cards, ranking five of them with a derived order, and the best five of seven.

use core::cmp::{Ordering, Reverse};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Suit {
    Clubs,
    Diamonds,
    Hearts,
    Spades,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(u8);

#[routine]
impl Rank {
    const FIVE: Self = Self(5);
    const ACE: Self = Self(14);
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Card {
    rank: Rank,
    suit: Suit,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum HandError {
    Rank(u8),
    Suit(u8),
    Count(usize),
    Twice,
}

#[routine]
impl TryFrom<[u8; 2]> for Card {
    type Error = HandError;

    fn try_from([rank, suit]: [u8; 2]) -> Result<Self, HandError> {
        let rank = match rank {
            b'2'..=b'9' => rank - b'0',
            b'T' => 10,
            b'J' => 11,
            b'Q' => 12,
            b'K' => 13,
            b'A' => 14,
            other => return Err(HandError::Rank(other)),
        };
        let suit = match suit.to_ascii_lowercase() {
            b'c' => Suit::Clubs,
            b'd' => Suit::Diamonds,
            b'h' => Suit::Hearts,
            b's' => Suit::Spades,
            other => return Err(HandError::Suit(other)),
        };
        Ok(Self { rank: Rank(rank), suit })
    }
}

/// What a hand counts for, the lowest first; the fields break ties.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    HighCard([Rank; 5]),
    Pair { of: Rank, kickers: [Rank; 3] },
    TwoPairs { high: Rank, low: Rank, kicker: Rank },
    Three { of: Rank, kickers: [Rank; 2] },
    Straight { to: Rank },
    Flush([Rank; 5]),
    FullHouse { three: Rank, pair: Rank },
    Four { of: Rank, kicker: Rank },
    StraightFlush { to: Rank },
}

#[routine]
impl Value {
    fn of(hand: [Card; 5]) -> Self {
        let mut ranks = hand.map(|card| card.rank);
        let count = |rank: Rank| hand.iter().filter(|card| card.rank == rank).count();
        // Those there are most of first, then the highest.
        ranks.sort_unstable_by_key(|&rank| Reverse((count(rank), rank)));

        let flush = hand.windows(2).all(|pair| pair[0].suit == pair[1].suit);
        let straight = match ranks {
            [Rank::ACE, Rank::FIVE, .., Rank(2)] => Some(Rank::FIVE),
            [first, ..] if ranks.windows(2).all(|pair| pair[0].0 == pair[1].0 + 1) => Some(first),
            _ => None,
        };
        if let Some(to) = straight
            && count(to) == 1
        {
            return if flush {
                Self::StraightFlush { to }
            } else {
                Self::Straight { to }
            };
        }
        if flush {
            return Self::Flush(ranks);
        }
        let [a, b, c, d, e] = ranks;
        match (count(a), count(d)) {
            (4, _) => Self::Four { of: a, kicker: e },
            (3, 2) => Self::FullHouse { three: a, pair: d },
            (3, _) => Self::Three { of: a, kickers: [d, e] },
            (2, 2) => Self::TwoPairs {
                high: a,
                low: d,
                kicker: e,
            },
            (2, _) => Self::Pair {
                of: a,
                kickers: [c, d, e],
            },
            _ => {
                debug_assert!(a > b && b > c);
                Self::HighCard(ranks)
            }
        }
    }

    const fn category(&self) -> u32 {
        match self {
            Self::HighCard(_) => 0,
            Self::Pair { .. } => 1,
            Self::TwoPairs { .. } => 2,
            Self::Three { .. } => 3,
            Self::Straight { .. } => 4,
            Self::Flush(..) => 5,
            Self::FullHouse { .. } => 6,
            Self::Four { .. } => 7,
            Self::StraightFlush { to: Rank::ACE } => 9,
            Self::StraightFlush { .. } => 8,
        }
    }
}

/// The cards of `text`, which spaces part.
#[routine]
fn parse<const N: usize>(text: &[u8]) -> Result<[Card; N], HandError> {
    let mut cards = [Card {
        rank: Rank(0),
        suit: Suit::Clubs,
    }; N];
    let mut count = 0;
    for word in text.split(|b| b.is_ascii_whitespace()).filter(|word| !word.is_empty()) {
        let card = match *word {
            [rank, suit] => Card::try_from([rank, suit])?,
            [b'1', b'0', suit] => Card::try_from([b'T', suit])?,
            [first, ..] => return Err(HandError::Rank(first)),
            [] => unreachable!(),
        };
        if cards[..count.min(N)].contains(&card) {
            return Err(HandError::Twice);
        }
        if let Some(slot) = cards.get_mut(count) {
            *slot = card;
        }
        count += 1;
    }
    if count == N {
        Ok(cards)
    } else {
        Err(HandError::Count(count))
    }
}

/// The category of a hand, from 0, a high card, to 9, a royal flush; below zero an error.
#[routine]
pub fn poker_category(hand: &[u8]) -> i32 {
    match parse(hand) {
        Ok(cards) => Value::of(cards).category() as i32,
        Err(HandError::Rank(_)) => -1,
        Err(HandError::Suit(_)) => -2,
        Err(HandError::Count(_)) => -3,
        Err(HandError::Twice) => -4,
    }
}

/// Who wins each line of two hands of five, over all lines: wins of the first, draws, wins of the second, bad lines.
#[routine]
pub fn poker_duels(text: &[u8]) -> [u32; 4] {
    let mut score = [0; 4];
    for line in text.split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let place = match parse::<10>(line) {
            Ok([a, b, c, d, e, rest @ ..]) => match Value::of([a, b, c, d, e]).cmp(&Value::of(rest)) {
                Ordering::Greater => 0,
                Ordering::Equal => 1,
                Ordering::Less => 2,
            },
            Err(_) => 3,
        };
        score[place] += 1;
    }
    score
}

/// The category of the best five of seven cards, one bit for each card in it above; 0 where the cards are bad.
#[routine]
pub fn poker_best_of_seven(text: &[u8]) -> u32 {
    let Ok(cards) = parse::<7>(text) else {
        return 0;
    };
    (0u32..1 << 7)
        .filter(|set| set.count_ones() == 5)
        .map(|set| {
            let mut chosen = (0..7).filter(|i| set >> i & 1 == 1).map(|i| cards[i]);
            let hand = core::array::from_fn(|_| chosen.next().unwrap());
            (Value::of(hand), set)
        })
        .max()
        .map_or(0, |(value, set)| set << 4 | value.category())
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn categories() {
        let hands: [&[u8]; 10] = [
            b"2c 5d 9h Js Ac",
            b"2c 2d 9h Js Ac",
            b"2c 2d 9h 9s Ac",
            b"2c 2d 2h Js Ac",
            b"Ac 2d 3h 4s 5c",
            b"2c 5c 9c Jc Ac",
            b"2c 2d 2h Js Jc",
            b"2c 2d 2h 2s Ac",
            b"4d 5d 6d 7d 8d",
            b"10s Js Qs Ks As",
        ];
        assert_eq!(hands.map(poker_category), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(poker_category(b"2c 2c 9h Js Ac"), -4);
        assert_eq!(poker_category(b"2c 2d 9h Js"), -3);
        assert_eq!(poker_category(b"2c 2x 9h Js Ac"), -2);
    }

    #[test]
    fn duels() {
        // Project Euler 54 gives who wins these.
        let text = b"5H 5C 6S 7S KD 2C 3S 8S 8D TD
5D 8C 9S JS AC 2C 5C 7D 8S QH
2D 9C AS AH AC 3D 6D 7D TD QD
4D 6S 9H QH QC 3D 6D 7H QD QS
2H 2D 4C 4D 4S 3C 3D 3S 9S 9D
oops
";
        assert_eq!(poker_duels(text), [3, 0, 2, 1]);
        assert_eq!(poker_best_of_seven(b"2c 5d 9h 9s 9c 5h Ac"), 0b011_1110 << 4 | 6);
    }
}
