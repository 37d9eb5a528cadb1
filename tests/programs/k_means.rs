//! Small learning and ranking: k-means over points, PageRank of a tiny graph, a perceptron, and running statistics.

use core::array;

use gpuvm::prelude::*;

#[routine]
fn squared_distance<const D: usize>(a: &[f32; D], b: &[f32; D]) -> f32 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum()
}

#[derive(VmType, Clone, Copy)]
struct Cluster<const D: usize> {
    centre: [f32; D],
    sum: [f32; D],
    count: u32,
}

#[routine]
impl<const D: usize> Cluster<D> {
    fn at(centre: [f32; D]) -> Self {
        Self {
            centre,
            sum: [0.0; D],
            count: 0,
        }
    }

    fn take_in(&mut self, point: &[f32; D]) {
        for (sum, x) in self.sum.iter_mut().zip(point) {
            *sum += x;
        }
        self.count += 1;
    }

    /// Moves to the middle of its points; how far that is, squared.
    fn settle(&mut self) -> f32 {
        if self.count == 0 {
            return 0.0;
        }
        let old = self.centre;
        *self = Self::at(self.sum.map(|sum| sum / self.count as f32));
        squared_distance(&old, &self.centre)
    }
}

#[routine]
fn nearest<const D: usize, const K: usize>(clusters: &[Cluster<D>; K], point: &[f32; D]) -> (usize, f32) {
    clusters
        .iter()
        .map(|cluster| squared_distance(&cluster.centre, point))
        .enumerate()
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
        .expect("there are clusters")
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Clustering {
    pub centres: [[f32; 2]; 3],
    pub inertia: f32,
    pub rounds: u32,
}

/// Three clusters of `points`, begun at the points farthest from each other, the label of each point in `labels`.
#[routine]
pub fn k_means(points: &[[f32; 2]], labels: &mut [u8], max_rounds: u32) -> Clustering {
    let Some(&first) = points.first() else {
        return Clustering {
            centres: [[0.0; 2]; 3],
            inertia: 0.0,
            rounds: 0,
        };
    };
    let mut clusters = [Cluster::at(first); 3];
    for k in 1..clusters.len() {
        let chosen: [Cluster<2>; 3] = clusters;
        let distance = |point: &[f32; 2]| nearest(&chosen, point).1;
        if let Some(far) = points.iter().max_by(|a, b| distance(a).total_cmp(&distance(b))) {
            clusters[k..].fill(Cluster::at(*far));
        }
    }
    let mut rounds = 0;
    while rounds < max_rounds {
        rounds += 1;
        for point in points {
            let (k, _) = nearest(&clusters, point);
            clusters[k].take_in(point);
        }
        let moved = clusters.iter_mut().map(Cluster::settle).fold(0.0, f32::max);
        if moved < 1e-12 {
            break;
        }
    }
    let mut inertia = 0.0;
    for (i, point) in points.iter().enumerate() {
        let (k, distance) = nearest(&clusters, point);
        inertia += distance;
        if let Some(label) = labels.get_mut(i) {
            *label = k as u8;
        }
    }
    Clustering {
        centres: clusters.map(|cluster| cluster.centre),
        inertia,
        rounds,
    }
}

/// The rank of each of eight pages, in which page i links to those of the bits of `links[i]`.
#[routine]
pub fn page_rank(links: [u8; 8], rounds: u32) -> [f64; 8] {
    const DAMPING: f64 = 0.85;
    let mut rank = [1.0 / 8.0; 8];
    for _ in 0..rounds {
        // What pages without links have goes to all.
        let loose: f64 = rank
            .iter()
            .zip(&links)
            .filter(|&(_, &to)| to == 0)
            .map(|(r, _)| r)
            .sum();
        rank = array::from_fn(|page| {
            let given: f64 = rank
                .iter()
                .zip(links)
                .filter(|(_, to)| to >> page & 1 == 1)
                .map(|(r, to)| r / f64::from(to.count_ones()))
                .sum();
            (1.0 - DAMPING) / 8.0 + DAMPING * (given + loose / 8.0)
        });
    }
    rank
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub inputs: [f32; 3],
    pub positive: bool,
}

/// The weights of a perceptron, the last of them the bias, and how many mistakes the last round made.
#[routine]
pub fn perceptron(samples: &[Sample], rounds: u32) -> [f32; 5] {
    let mut weights = [0.0f32; 4];
    let mut mistakes = 0;
    for _ in 0..rounds {
        mistakes = 0;
        for Sample { inputs, positive } in samples {
            let [a, b, c] = *inputs;
            let extended = [a, b, c, 1.0];
            let output: f32 = weights.iter().zip(extended).map(|(w, x)| w * x).sum();
            if (output > 0.0) != *positive {
                mistakes += 1;
                let step = if *positive { 1.0 } else { -1.0 };
                weights.iter_mut().zip(extended).for_each(|(w, x)| *w += step * x);
            }
        }
        if mistakes == 0 {
            break;
        }
    }
    let [a, b, c, bias] = weights;
    [a, b, c, bias, mistakes as f32]
}

/// Mean, variance and extremes in one pass, by Welford's method.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    pub count: u32,
    pub mean: f64,
    pub squares: f64,
    pub least: f64,
    pub most: f64,
}

#[routine]
impl Default for Statistics {
    fn default() -> Self {
        Self {
            count: 0,
            mean: 0.0,
            squares: 0.0,
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        }
    }
}

#[routine]
impl FromIterator<f64> for Statistics {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut all = Self::default();
        for value in values {
            all.count += 1;
            let before = value - all.mean;
            all.mean += before / f64::from(all.count);
            all.squares += before * (value - all.mean);
            all.least = all.least.min(value);
            all.most = all.most.max(value);
        }
        all
    }
}

/// The statistics of what is left of `values` without those that are not finite.
#[routine]
pub fn statistics(values: &[f32]) -> Statistics {
    values
        .iter()
        .copied()
        .filter(|value| value.is_finite())
        .map(f64::from)
        .collect()
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn clusters() {
        let points = [
            [0.0, 0.0],
            [0.0, 1.0],
            [10.0, 10.0],
            [10.0, 11.0],
            [20.0, 0.0],
            [20.0, 1.0],
        ];
        let mut labels = [9; 6];
        let found = k_means(&points, &mut labels, 20);
        assert_eq!(found.inertia, 1.5);
        assert_eq!(found.centres[0], [0.0, 0.5]);
        assert!(labels.chunks(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(k_means(&[], &mut [], 5).rounds, 0);
    }

    #[test]
    fn ranks() {
        // 0 and 1 link to each other; the others are alone.
        let rank = page_rank([0b10, 0b01, 0, 0, 0, 0, 0, 0], 100);
        assert!((rank.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((rank[0] - rank[1]).abs() < 1e-12 && rank[0] > 6.0 * rank[2]);
    }

    #[test]
    fn learns() {
        let samples: [Sample; 8] = array::from_fn(|n| {
            let inputs = array::from_fn(|bit| (n >> bit & 1) as f32);
            Sample {
                inputs,
                positive: inputs.iter().sum::<f32>() >= 2.0,
            }
        });
        assert_eq!(perceptron(&samples, 100)[4], 0.0);
        let all = statistics(&[2.0, 4.0, f32::NAN, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(
            (all.count, all.mean, all.squares / 8.0, all.least, all.most),
            (8, 5.0, 4.0, 2.0, 9.0)
        );
    }
}
