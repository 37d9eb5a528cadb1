//! Dynamic programs: the 0/1 knapsack with its choice, coin change, the longest rising run, and the matrix chain.

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    pub weight: u16,
    pub value: u32,
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    pub value: u32,
    pub weight: u32,
    /// One bit for each item that is packed.
    pub chosen: u32,
}

const CAPACITY: usize = 128;

/// The most valuable packing of the first 32 items within `capacity`.
#[routine]
pub fn knapsack(items: &[Item], capacity: u32) -> Packing {
    let items = &items[..items.len().min(32)];
    let capacity = (capacity as usize).min(CAPACITY);
    let mut best = [Packing::default(); CAPACITY + 1];
    for (i, item) in items.iter().enumerate() {
        let weight = usize::from(item.weight);
        for room in (weight..=capacity).rev() {
            let without = best[room - weight];
            let with = Packing {
                value: without.value + item.value,
                weight: without.weight + u32::from(item.weight),
                chosen: without.chosen | 1 << i,
            };
            if with.value > best[room].value {
                best[room] = with;
            }
        }
    }
    best[capacity]
}

/// The fewest coins that make `amount`, up to 255; `None` as `u32::MAX`.
#[routine]
pub fn fewest_coins(coins: [u32; 4], amount: u8) -> u32 {
    let mut fewest: [Option<u32>; 256] = [None; 256];
    fewest[0] = Some(0);
    for sum in 1..=usize::from(amount) {
        fewest[sum] = coins
            .iter()
            .filter(|&&coin| coin != 0)
            .filter_map(|&coin| fewest[sum.checked_sub(coin as usize)?])
            .min()
            .map(|count| count + 1);
    }
    fewest[usize::from(amount)].unwrap_or(u32::MAX)
}

/// The length of the longest rising subsequence, by patience sorting.
#[routine]
pub fn longest_rising(values: &[i32]) -> u32 {
    let mut tails = [i32::MAX; 64];
    let mut len = 0;
    for &value in values {
        let at = tails[..len].partition_point(|&tail| tail < value);
        if at == tails.len() {
            break;
        }
        tails[at] = value;
        len = len.max(at + 1);
    }
    len as u32
}

/// The fewest products to multiply a chain of up to 12 matrices, the i-th of `sides[i]` by `sides[i + 1]`.
#[routine]
pub fn matrix_chain(sides: &[u32]) -> u64 {
    const MOST: usize = 12;
    let sides = &sides[..sides.len().min(MOST + 1)];
    let Some(count) = sides.len().checked_sub(1).filter(|&count| count > 0) else {
        return 0;
    };
    let mut cost = [[0u64; MOST]; MOST];
    for length in 2..=count {
        for first in 0..=count - length {
            let last = first + length - 1;
            cost[first][last] = (first..last)
                .map(|split| {
                    let outer = [first, split + 1, last + 1]
                        .iter()
                        .map(|&i| u64::from(sides[i]))
                        .product::<u64>();
                    cost[first][split] + cost[split + 1][last] + outer
                })
                .min()
                .unwrap();
        }
    }
    cost[0][count - 1]
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn packs() {
        let items = [(12, 4), (2, 2), (1, 1), (1, 2), (4, 10)].map(|(weight, value)| Item { weight, value });
        assert_eq!(
            knapsack(&items, 15),
            Packing {
                value: 15,
                weight: 8,
                chosen: 0b11110
            }
        );
        assert_eq!(knapsack(&items, 0), Packing::default());
    }

    #[test]
    fn others() {
        assert_eq!(fewest_coins([1, 5, 12, 25], 16), 4);
        assert_eq!(fewest_coins([5, 10, 0, 300], 13), u32::MAX);
        assert_eq!(longest_rising(&[10, 9, 2, 5, 3, 7, 101, 18]), 4);
        assert_eq!(matrix_chain(&[30, 35, 15, 5, 10, 20, 25]), 15_125);
        assert_eq!(matrix_chain(&[7]), 0);
    }
}
