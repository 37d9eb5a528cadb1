//! The most that flows through a network: Edmonds and Karp's paths, the cut that bounds it, and matchings as flows.

use gpuvm::prelude::*;

pub const NODES: usize = 12;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipe {
    pub from: u8,
    pub to: u8,
    pub capacity: u32,
}

#[derive(VmType, Clone, Copy)]
struct Network {
    residual: [[u32; NODES]; NODES],
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    pub value: u32,
    pub rounds: u32,
    /// The nodes on the source's side of a least cut, a bit each.
    pub side: u16,
}

#[routine]
impl Network {
    fn new<'a>(pipes: impl IntoIterator<Item = &'a Pipe>) -> Self {
        let mut residual = [[0; NODES]; NODES];
        for &Pipe { from, to, capacity } in pipes {
            residual[from as usize][to as usize] += capacity;
        }
        Network { residual }
    }

    fn neighbours(&self, node: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.residual[node]
            .iter()
            .copied()
            .enumerate()
            .filter(|&(_, left)| left > 0)
    }

    /// For each node that can be reached the one before it.
    fn search(&self, source: usize) -> [Option<u8>; NODES] {
        let mut before = [None; NODES];
        before[source] = Some(source as u8);
        let mut queue = [0; NODES];
        queue[0] = source;
        let (mut head, mut tail) = (0, 1);
        while head < tail {
            let node = queue[head];
            head += 1;
            for (next, _) in self.neighbours(node) {
                if before[next].is_none() {
                    before[next] = Some(node as u8);
                    queue[tail] = next;
                    tail += 1;
                }
            }
        }
        before
    }

    fn flow(&mut self, source: usize, sink: usize) -> Flow {
        let mut flow = Flow {
            value: 0,
            rounds: 0,
            side: 0,
        };
        loop {
            let before = self.search(source);
            if before[sink].is_none() {
                flow.side = before
                    .iter()
                    .enumerate()
                    .fold(0, |side, (i, b)| side | (u16::from(b.is_some()) << i));
                break flow;
            }
            let path = || {
                core::iter::successors(Some(sink), |&node| {
                    (node != source).then(|| usize::from(before[node].unwrap()))
                })
            };
            let edges = || path().skip(1).zip(path());
            let bottleneck = edges().map(|(a, b)| self.residual[a][b]).min().unwrap_or(0);
            for (a, b) in edges() {
                self.residual[a][b] -= bottleneck;
                self.residual[b][a] += bottleneck;
            }
            flow.value += bottleneck;
            flow.rounds += 1;
        }
    }
}

#[routine]
pub fn max_flow(pipes: &[Pipe], source: u8, sink: u8) -> Flow {
    Network::new(pipes).flow(source.into(), sink.into())
}

/// How many of up to five workers get a job of up to five that they can do; bit `i` of a worker is job `i`.
#[routine]
pub fn matching(workers: &[u8]) -> u32 {
    let source = 10u8;
    let sink = source + 1;
    let able = workers.iter().zip(0u8..5).flat_map(|(jobs, worker)| {
        (0..5u8)
            .filter(move |job| jobs >> job & 1 == 1)
            .map(move |job| (worker, 5 + job))
    });
    let mut network = Network::new(&[]);
    for (worker, job) in able {
        network.residual[usize::from(worker)][usize::from(job)] = 1;
        network.residual[usize::from(source)][usize::from(worker)] = 1;
        network.residual[usize::from(job)][usize::from(sink)] = 1;
    }
    network.flow(source as usize, sink as usize).value
}

pub fn known() {
    let pipe = |from, to, capacity| Pipe { from, to, capacity };
    let pipes = [
        pipe(0, 1, 16),
        pipe(0, 2, 13),
        pipe(1, 2, 10),
        pipe(2, 1, 4),
        pipe(1, 3, 12),
        pipe(3, 2, 9),
        pipe(2, 4, 14),
        pipe(4, 3, 7),
        pipe(3, 5, 20),
        pipe(4, 5, 4),
    ];
    let flow = max_flow(&pipes, 0, 5);
    assert_eq!((flow.value, flow.side), (23, 0b1_0111));
    assert_eq!(max_flow(&pipes, 5, 0).value, 0);
    assert_eq!(matching(&[0b00011, 0b00001, 0b00001, 0b11000]), 3);
    assert_eq!(matching(&[0b11111; 5]), 5);
}
