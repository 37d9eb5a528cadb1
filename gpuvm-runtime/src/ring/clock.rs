//! A hybrid logical clock: it follows the wall clock, and never stands still or goes back.
//!
//! Source: Kulkarni and others, Logical Physical Clocks, 2014.

use std::time::{SystemTime, UNIX_EPOCH};

/// The clock of one kernel.
#[derive(Debug, Default)]
pub struct Clock {
    last: u64,
}

/// Bits of a stamp that count; those above are milliseconds since 1970.
const COUNT_BITS: u32 = 16;

impl Clock {
    /// A clock whose stamps are later than this one.
    pub fn after(stamp: u64) -> Clock {
        Clock { last: stamp }
    }

    /// The last stamp.
    pub fn stamp(&self) -> u64 {
        self.last
    }

    /// A stamp that is later than all before.
    pub fn tick(&mut self) -> u64 {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.tick_at(wall.as_millis() as u64)
    }

    /// A stamp that is later than all before and than one of another kernel.
    pub fn tick_after(&mut self, seen: u64) -> u64 {
        self.last = self.last.max(seen);
        self.tick()
    }

    /// Passes over so many stamps, which somebody else has given.
    pub fn pass(&mut self, stamps: u64) {
        self.last += stamps;
    }

    fn tick_at(&mut self, millis: u64) -> u64 {
        self.last = (millis << COUNT_BITS).max(self.last + 1);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_follow_the_wall_and_never_go_back() {
        let mut clock = Clock::default();
        let stamps = [5, 5, 3, 9].map(|millis| clock.tick_at(millis));
        assert_eq!(stamps, [5 << 16, (5 << 16) + 1, (5 << 16) + 2, 9 << 16]);
        assert!(clock.tick() < clock.tick());
        let ahead = u64::MAX / 2;
        assert_eq!(Clock::after(ahead).tick(), ahead + 1);
    }
}
