//! Places boxes in rows so that arrows between them go down and cross seldom: the usual layered drawing of a graph. An arrow past a row
//! has a place of its own in it, so it never runs under a box.

/// A box to place.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub row: usize,
    pub width: f64,
    pub height: f64,
}

/// What stays free between boxes.
#[derive(Clone, Copy)]
pub(super) struct Gap {
    /// Beside each other.
    pub across: f64,
    /// Between rows.
    pub down: f64,
}

/// A place that an arrow passes: down at this `x`, from `top` to `bottom`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Station {
    pub x: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Station {
    /// The same place further to the right and down.
    pub fn shifted(self, right: f64, down: f64) -> Station {
        Station {
            x: self.x + right,
            top: self.top + down,
            bottom: self.bottom + down,
        }
    }
}

/// Where everything is, from (0, 0) on.
pub(super) struct Layout {
    /// For each box its middle, top and bottom. Those of one row begin at one height.
    pub places: Vec<Station>,
    /// For each arrow the way down to the end of its first row, and past rows between.
    pub routes: Vec<Vec<Station>>,
    pub width: f64,
    pub height: f64,
}

/// Room in a row for an arrow that passes it.
const PASSAGE: f64 = 12.0;
/// How often rows are put in order and boxes moved towards what they are joined to.
const SWEEPS: usize = 12;

/// Places boxes. Arrows go from boxes to boxes in later rows.
pub(super) fn layered(items: &[Item], arrows: &[(usize, usize)], gap: Gap) -> Layout {
    let mut rows = Rows::new(items, arrows, gap);
    for sweep in 0..SWEEPS {
        rows.order(sweep % 2 == 0);
    }
    rows.spread();
    for sweep in 0..SWEEPS {
        rows.move_towards(sweep % 2 == 1);
    }
    rows.layout(items.len())
}

/// Boxes and passages in their rows.
struct Rows {
    all: Vec<Item>,
    /// What each is joined to, above and below.
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    /// From left to right.
    rows: Vec<Vec<usize>>,
    /// The middle of each.
    x: Vec<f64>,
    /// For each arrow where it begins, and its passages.
    from: Vec<usize>,
    passages: Vec<Vec<usize>>,
    gap: Gap,
}

impl Rows {
    fn new(items: &[Item], arrows: &[(usize, usize)], gap: Gap) -> Rows {
        let count = items.iter().map(|item| item.row + 1).max().unwrap_or(0);
        let mut rows = Rows {
            all: items.to_vec(),
            above: vec![Vec::new(); items.len()],
            below: vec![Vec::new(); items.len()],
            rows: vec![Vec::new(); count],
            x: Vec::new(),
            from: arrows.iter().map(|(from, _)| *from).collect(),
            passages: Vec::new(),
            gap,
        };
        for &(from, to) in arrows {
            let mut chain = vec![from];
            for row in items[from].row + 1..items[to].row {
                chain.push(rows.all.len());
                rows.all.push(Item {
                    row,
                    width: PASSAGE,
                    height: 0.0,
                });
                rows.above.push(Vec::new());
                rows.below.push(Vec::new());
            }
            chain.push(to);
            for pair in chain.windows(2) {
                rows.below[pair[0]].push(pair[1]);
                rows.above[pair[1]].push(pair[0]);
            }
            rows.passages.push(chain[1..chain.len() - 1].to_vec());
        }
        for (number, item) in rows.all.iter().enumerate() {
            rows.rows[item.row].push(number);
        }
        rows
    }

    /// Puts each row in the order of the mean place of what its boxes are joined to in the row before, or behind.
    fn order(&mut self, down: bool) {
        let mut place = vec![0.0; self.all.len()];
        for row in &self.rows {
            row.iter().enumerate().for_each(|(at, item)| place[*item] = at as f64);
        }
        for index in self.sweep(down) {
            let joined = if down { &self.above } else { &self.below };
            let row = &mut self.rows[index];
            let mut wish: Vec<(f64, usize)> = row
                .iter()
                .map(|item| (mean(&joined[*item], &place).unwrap_or(place[*item]), *item))
                .collect();
            wish.sort_by(|a, b| a.0.total_cmp(&b.0));
            *row = wish.into_iter().map(|(_, item)| item).collect();
            row.iter().enumerate().for_each(|(at, item)| place[*item] = at as f64);
        }
    }

    fn sweep(&self, down: bool) -> Vec<usize> {
        match down {
            true => (0..self.rows.len()).collect(),
            false => (0..self.rows.len()).rev().collect(),
        }
    }

    /// Puts each row's boxes as close as they may be.
    fn spread(&mut self) {
        self.x = vec![0.0; self.all.len()];
        for row in &self.rows {
            let offsets = self.offsets(row);
            for (item, offset) in row.iter().zip(offsets) {
                self.x[*item] = offset;
            }
        }
    }

    /// How far the middle of each box is at least from that of the first.
    fn offsets(&self, row: &[usize]) -> Vec<f64> {
        let mut offsets = Vec::with_capacity(row.len());
        let mut at = 0.0;
        for (place, item) in row.iter().enumerate() {
            if let Some(before) = place.checked_sub(1) {
                at += (self.all[row[before]].width + self.all[*item].width) / 2.0 + self.gap.across;
            }
            offsets.push(at);
        }
        offsets
    }

    /// Moves each row's boxes as near as they can get to the middle of what they are joined to, in their order.
    fn move_towards(&mut self, down: bool) {
        for index in self.sweep(down) {
            let row = &self.rows[index];
            let joined = if down { &self.above } else { &self.below };
            let offsets = self.offsets(row);
            let wishes = row.iter().zip(&offsets).map(|(item, offset)| {
                let wish = mean(&joined[*item], &self.x).unwrap_or(self.x[*item]);
                wish - offset
            });
            let fitted = ascending(wishes);
            for ((item, offset), fitted) in row.iter().zip(offsets).zip(fitted) {
                self.x[*item] = fitted + offset;
            }
        }
    }

    fn layout(self, items: usize) -> Layout {
        let left = |item: usize| self.x[item] - self.all[item].width / 2.0;
        let first = (0..self.all.len()).map(left).fold(f64::INFINITY, f64::min);
        let right = |item: usize| self.x[item] + self.all[item].width / 2.0;
        let last = (0..self.all.len()).map(right).fold(first, f64::max);
        let (mut tops, mut top) = (Vec::new(), 0.0);
        for row in &self.rows {
            let height = row.iter().map(|item| self.all[*item].height).fold(0.0, f64::max);
            tops.push((top, height));
            top += height + self.gap.down;
        }
        let place = |item: usize| {
            let (Item { row, height, .. }, x) = (self.all[item], self.x[item] - first);
            let (top, room) = tops[row];
            // A passage goes through the whole row.
            let height = if item < items { height } else { room };
            let bottom = top + height;
            Station { x, top, bottom }
        };
        // Beside a box that is higher, an arrow goes straight down first.
        let drop = |item: usize| {
            let (top, room) = tops[self.all[item].row];
            Station {
                top: place(item).bottom,
                bottom: top + room,
                ..place(item)
            }
        };
        let route = |(from, passages): (&usize, &Vec<usize>)| {
            let passages = passages.iter().map(|passage| place(*passage));
            [drop(*from)].into_iter().chain(passages).collect()
        };
        Layout {
            places: (0..items).map(place).collect(),
            routes: self.from.iter().zip(&self.passages).map(route).collect(),
            width: if items == 0 { 0.0 } else { last - first },
            height: (top - self.gap.down).max(0.0),
        }
    }
}

/// The mean of some values.
fn mean(of: &[usize], values: &[f64]) -> Option<f64> {
    let sum: f64 = of.iter().map(|index| values[*index]).sum();
    (!of.is_empty()).then(|| sum / of.len() as f64)
}

/// The ascending numbers that are nearest to these: neighbours that are not in order become their mean.
fn ascending(wishes: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for wish in wishes {
        let mut block = (wish, 1);
        while let Some(&(before, count)) = blocks.last().filter(|(before, _)| *before > block.0) {
            let all = count + block.1;
            block = ((before * count as f64 + block.0 * block.1 as f64) / all as f64, all);
            blocks.pop();
        }
        blocks.push(block);
    }
    blocks
        .into_iter()
        .flat_map(|(value, count)| std::iter::repeat_n(value, count))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: Gap = Gap {
        across: 10.0,
        down: 20.0,
    };

    /// A graph of boxes of several sizes, each joined to some of the rows above.
    fn graph(seed: u64) -> (Vec<Item>, Vec<(usize, usize)>) {
        let mut state = seed;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let items: Vec<Item> = (0..20 + next(20))
            .map(|number| Item {
                row: number / 4,
                width: (20 + next(100)) as f64,
                height: (10 + next(50)) as f64,
            })
            .collect();
        let arrows = (4..items.len()).flat_map(|to| [(next(to / 4 * 4), to), (next(to / 4 * 4), to)]);
        let arrows = arrows.collect();
        (items, arrows)
    }

    #[test]
    fn nothing_lies_on_anything() {
        for seed in 0..50 {
            let (items, arrows) = graph(seed);
            let layout = layered(&items, &arrows, GAP);
            let apart = |a: usize, b: usize| {
                let (left, right) = (layout.places[a], layout.places[b]);
                let room = (items[a].width + items[b].width) / 2.0;
                let beside = (left.x - right.x).abs() >= room + GAP.across - 1e-6;
                beside || left.bottom <= right.top || right.bottom <= left.top
            };
            let passes_by = |station: &Station, item: usize| {
                let place = layout.places[item];
                let beside = (station.x - place.x).abs() >= items[item].width / 2.0;
                beside || station.bottom <= place.top || place.bottom <= station.top
            };
            for (number, item) in items.iter().enumerate() {
                assert!(
                    (0..number).all(|other| apart(number, other)),
                    "seed {seed}, box {number}"
                );
                for station in layout.routes.iter().flatten() {
                    assert!(passes_by(station, number), "seed {seed}, box {number}, {station:?}");
                }
                let (Station { x, top, bottom }, half) = (layout.places[number], item.width / 2.0);
                assert!(
                    x - half >= -1e-6 && x + half <= layout.width + 1e-6,
                    "seed {seed}, box {number}"
                );
                assert!(top >= 0.0 && bottom <= layout.height, "seed {seed}, box {number}");
            }
        }
    }

    #[test]
    fn a_chain_is_straight_and_arrows_do_not_cross_without_need() {
        let item = |row| Item {
            row,
            width: 30.0,
            height: 10.0,
        };
        let chain = layered(&[item(0), item(1), item(2)], &[(0, 1), (1, 2)], GAP);
        assert!(chain.places.iter().all(|place| place.x == 15.0), "{:?}", chain.places);
        let crossed = layered(&[item(0), item(0), item(1), item(1)], &[(0, 3), (1, 2)], GAP);
        let x = |item: usize| crossed.places[item].x;
        assert_eq!(x(0) < x(1), x(3) < x(2));
    }

    #[test]
    fn numbers_out_of_order_become_their_mean() {
        assert_eq!(ascending([3.0, 1.0, 2.0, 5.0].into_iter()), [2.0, 2.0, 2.0, 5.0]);
    }
}
