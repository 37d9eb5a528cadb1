//! The people who trade: random orders around a value of each instrument that only they know, and that wanders.

use crate::book::{HIGHEST, Order, Side};

/// So many parts of a tick make a value.
const PARTS: i32 = 256;
/// No price is this far from the value.
const REACH: u32 = 28;

/// Orders to a market's instruments, without end.
pub struct Traders {
    /// What each instrument is worth, in parts of a tick.
    values: Vec<i32>,
    state: u64,
}

/// The orders of a seed, each with its instrument, and then for each instrument what shows its whole book.
pub fn messages(orders: usize, instruments: u32, seed: u64) -> impl Iterator<Item = (u32, Order)> + Send + 'static {
    let traders = Traders {
        values: vec![HIGHEST as i32 * PARTS / 2; instruments as usize],
        state: seed,
    };
    let show = |instrument| (0..=HIGHEST).map(move |price| (instrument, Order::Show { price }));
    traders.take(orders).chain((0..instruments).flat_map(show))
}

impl Traders {
    /// A number below another one (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
    fn below(&mut self, end: u32) -> u32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((bits >> 32) * u64::from(end)) >> 32) as u32
    }

    /// How far from the value somebody's price is: mostly near.
    fn distance(&mut self) -> i32 {
        (self.below(REACH) * self.below(REACH) / REACH) as i32
    }
}

impl Iterator for Traders {
    type Item = (u32, Order);

    fn next(&mut self) -> Option<(u32, Order)> {
        let instrument = self.below(self.values.len() as u32);
        let news = self.below(PARTS as u32 * 2 + 1) as i32 - PARTS;
        let value = &mut self.values[instrument as usize];
        *value = (*value + news).clamp(REACH as i32 * PARTS, (HIGHEST - REACH) as i32 * PARTS);
        let value = *value / PARTS;

        let side = if self.below(2) == 0 { Side::Buy } else { Side::Sell };
        let away = |distance: i32| match side {
            Side::Buy => (value - distance) as u32,
            Side::Sell => (value + distance) as u32,
        };
        let lots = 1 + self.below(40);
        let order = match self.below(100) {
            // Those in a hurry name a price that is worse than the value.
            0..66 => Order::Limit {
                side,
                price: away(self.distance() - 1),
                lots,
            },
            66..76 => Order::Market { side, lots },
            _ => Order::Cancel {
                price: away(self.distance()),
                lots,
            },
        };
        Some((instrument, order))
    }
}
