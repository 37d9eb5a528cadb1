//! The calls that VMs of a warp have made: a tree, so that which have not returned is one number.

use std::collections::HashMap;

/// Calls in each other that are told apart. What is called deeper counts as the deepest of these.
const DEEPEST: u32 = 256;
/// Ways of calls that are told apart in a warp.
const MOST: usize = 1 << 14;

/// All ways of calls. Place 0 is no call: the entry.
pub(super) struct Calls {
    /// Of each place the one below it, the instruction that called, and how many calls that are.
    places: Vec<(u32, u32, u32)>,
    known: HashMap<(u32, u32), u32>,
}

impl Default for Calls {
    fn default() -> Calls {
        Calls {
            places: vec![(0, 0, 0)],
            known: HashMap::new(),
        }
    }
}

impl Calls {
    /// The place of a call by an instruction from another place; `None` if that is too deep or there are too many.
    pub(super) fn enter(&mut self, below: u32, ip: u32) -> Option<u32> {
        if let Some(&place) = self.known.get(&(below, ip)) {
            return Some(place);
        }
        let depth = self.places[below as usize].2 + 1;
        if depth > DEEPEST || self.places.len() >= MOST {
            return None;
        }
        let place = self.places.len() as u32;
        self.places.push((below, ip, depth));
        self.known.insert((below, ip), place);
        Some(place)
    }

    /// The place that a return leads to.
    pub(super) fn caller(&self, place: u32) -> u32 {
        self.places[place as usize].0
    }

    /// Of each place after the first, the one below it, which is an earlier one, and the instruction that called.
    pub(super) fn places(&self) -> impl Iterator<Item = (u32, u32)> {
        self.places.iter().skip(1).map(|(below, ip, _)| (*below, *ip))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_return_leads_to_where_the_call_was() {
        let mut calls = Calls::default();
        let first = calls.enter(0, 7).unwrap();
        let second = calls.enter(first, 9).unwrap();
        assert_eq!((calls.enter(0, 7), calls.enter(first, 9)), (Some(first), Some(second)));
        assert_ne!(calls.enter(0, 9), Some(second));
        assert_eq!((calls.caller(second), calls.caller(first)), (first, 0));
        let places: Vec<_> = calls.places().collect();
        assert_eq!(places, [(0, 7), (first, 9), (0, 9)]);
    }

    #[test]
    fn they_do_not_grow_without_end() {
        let mut calls = Calls::default();
        let mut deepest = 0;
        for _ in 0..DEEPEST {
            deepest = calls.enter(deepest, 1).unwrap();
        }
        assert_eq!(calls.enter(deepest, 1), None);
        let wide = (2..).map_while(|ip| calls.enter(0, ip)).count();
        assert_eq!(wide, MOST - 1 - DEEPEST as usize);
        // What is known stays so.
        assert!(calls.enter(0, 1).is_some());
    }
}
