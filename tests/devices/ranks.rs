//! Runtimes of ranks, which are threads here: whatever is cut over them, and whatever is not, gives the bits of one process.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use gpuvm_engine::{Error as EngineError, Ranks, Words};
use proptest::prelude::*;

use super::footprints::diffused;
use super::verbs::{column, verbs};
use super::*;

/// Longer than any of these tests waits for another rank that does the same.
const LOST: Duration = Duration::from_secs(60);

/// One of several threads.
struct Thread {
    own: usize,
    to: Vec<Mutex<Sender<Vec<u32>>>>,
    from: Vec<Mutex<Receiver<Vec<u32>>>>,
    /// Words that were sent from column to column.
    sent: Arc<AtomicU64>,
    /// The first VM that nobody has had of each launch.
    handed_out: Arc<Mutex<BTreeMap<u64, u32>>>,
}

impl Thread {
    /// So many of them, each with a way to each.
    fn several(count: usize) -> Vec<Thread> {
        let mut ways: Vec<Vec<_>> = (0..count)
            .map(|_| (0..count).map(|_| Some(channel())).collect())
            .collect();
        let (mut threads, handed_out, sent) = (Vec::new(), Arc::default(), Arc::default());
        let mut ends: Vec<Vec<_>> = (0..count).map(|_| Vec::new()).collect();
        let mut starts: Vec<Vec<_>> = (0..count).map(|_| Vec::new()).collect();
        for (from, ways) in ways.iter_mut().enumerate() {
            for (to, way) in ways.iter_mut().enumerate() {
                let (sender, receiver) = way.take().unwrap();
                starts[from].push(Mutex::new(sender));
                ends[to].push(Mutex::new(receiver));
            }
        }
        for (own, (to, from)) in starts.into_iter().zip(ends).enumerate() {
            let (handed_out, sent) = (Arc::clone(&handed_out), Arc::clone(&sent));
            threads.push(Thread {
                own,
                to,
                from,
                sent,
                handed_out,
            });
        }
        threads
    }

    fn tell(&self, to: usize, words: &[u32]) {
        // Who has ended is not told any more.
        let _ = self.to[to].lock().unwrap().send(words.to_vec());
    }

    fn hear(&self, from: usize) -> Result<Vec<u32>, EngineError> {
        let heard = self.from[from].lock().unwrap().recv_timeout(LOST);
        heard.map_err(|_| EngineError::Device {
            reason: format!("rank {from} is not heard of"),
        })
    }
}

impl Ranks for Thread {
    fn count(&self) -> usize {
        self.to.len()
    }

    fn own(&self) -> usize {
        self.own
    }

    fn gather(&self, own: &[u32]) -> Result<Vec<Words>, EngineError> {
        (0..self.count()).for_each(|to| self.tell(to, own));
        (0..self.count()).map(|from| Ok(self.hear(from)?.into())).collect()
    }

    fn broadcast(&self, from: usize, words: &mut [u32]) -> Result<(), EngineError> {
        if from == self.own {
            (0..self.count())
                .filter(|to| *to != from)
                .for_each(|to| self.tell(to, words));
        } else {
            words.copy_from_slice(&self.hear(from)?);
        }
        Ok(())
    }

    fn send(&self, to: usize, words: Words) -> Result<(), EngineError> {
        self.sent.fetch_add(words.len() as u64, Ordering::Relaxed);
        self.tell(to, &words);
        Ok(())
    }

    fn receive(&self, from: usize, words: &mut [u32]) -> Result<(), EngineError> {
        words.copy_from_slice(&self.hear(from)?);
        Ok(())
    }

    fn take(&self, launch: u64, vms: u32) -> Result<Range<u32>, EngineError> {
        let mut handed_out = self.handed_out.lock().unwrap();
        let next = handed_out.entry(launch).or_default();
        let start = *next;
        *next += gpuvm_engine::handed_out(vms - start, vms, self.count());
        Ok(start..*next)
    }

    fn fail(&self, _: &str) {}
}

/// One GPU that ranks have in common, as those of one machine may.
fn shared_gpu() -> Opened {
    static GPU: LazyLock<Opened> = LazyLock::new(gpu);
    Opened {
        device: GPU.device.clone(),
        engines: GPU.engines.clone(),
    }
}

/// What each of so many ranks has, whose devices are these.
fn on_ranks<T: Send>(
    count: usize,
    spreading: Spreading,
    devices: impl Fn(usize) -> Vec<Opened> + Sync,
    run: impl Fn(&Runtime) -> T + Sync,
) -> Vec<T> {
    on_threads(Thread::several(count), spreading, devices, run)
}

/// The same of these ranks.
fn on_threads<T: Send>(
    threads: Vec<Thread>,
    spreading: Spreading,
    devices: impl Fn(usize) -> Vec<Opened> + Sync,
    run: impl Fn(&Runtime) -> T + Sync,
) -> Vec<T> {
    std::thread::scope(|scope| {
        let (devices, run) = (&devices, &run);
        let threads = threads.into_iter().map(|thread| {
            scope.spawn(move || {
                let rank = thread.own;
                let builder = Runtime::builder().spreading(spreading).ranks(Arc::new(thread));
                run(&builder.on(devices(rank)).unwrap())
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// The same on one process and on several ranks: of threads of the CPU, of a GPU each, and of both.
fn same_on_ranks<T: Send + PartialEq>(counts: &[usize], run: impl Fn(&Runtime) -> T + Sync) {
    let expected = run(&alone());
    for count in counts {
        for (kind, devices) in [
            ("the CPU", (|_| vec![cpu(1)]) as fn(usize) -> Vec<Opened>),
            ("GPUs", |_| vec![shared_gpu()]),
            ("two GPUs each", |_| vec![shared_gpu(), shared_gpu()]),
            ("GPUs and the CPU", |rank| match rank % 2 {
                0 => vec![shared_gpu()],
                _ => vec![cpu(2)],
            }),
        ] {
            for (rank, found) in on_ranks(*count, Spreading::Always, devices, &run)
                .into_iter()
                .enumerate()
            {
                assert!(found == expected, "rank {rank} of {count} with {kind}");
            }
        }
    }
}

#[test]
fn launches_are_those_of_one_process() {
    same_on_ranks(&[1, 2, 3, 7], |runtime| {
        [1, 2, 64, 3001].map(|vms| walked(runtime, Engine::Auto, vms).0)
    });
    same_on_ranks(&[3], |runtime| walked(runtime, Engine::Reference, 500).0);
}

#[test]
fn vms_that_are_handed_out_give_the_bits_of_one_process() {
    let run = |runtime: &Runtime, engine, vms| {
        let (seeds, mut me, mut out) = walkers(vms);
        let launch = runtime.launch("walk").unwrap().dynamic().engine(engine);
        let done = launch.args((&seeds, &mut me, &mut out, &TABLE[..], -3)).run().unwrap();
        let shares = &done.stats().shares;
        let all = runtime.ranks().map_or(vms as u64, |_| done_by(shares).iter().sum());
        (done.output::<Vec<(u32, f32)>>().unwrap(), me, out, all)
    };
    same_on_ranks(&[1, 2, 5], |runtime| {
        [2, 3, 64, 20_001].map(|vms| run(runtime, Engine::Auto, vms))
    });
    same_on_ranks(&[3], |runtime| run(runtime, Engine::Native, 3000));
    same_on_ranks(&[3], |runtime| run(runtime, Engine::Reference, 300));
}

#[test]
fn plans_are_those_of_one_process() {
    same_on_ranks(&[1, 2, 3, 4, 7], |runtime| {
        [1, 3, 65, 1000].map(|len| verbs(runtime, &column(len, 5)).unwrap())
    });
}

#[test]
fn buffers_are_those_of_one_process() {
    same_on_ranks(&[2, 3], plans::on_buffers);
}

#[test]
fn stencils_send_their_edges() {
    let sides = [16, 8, 40];
    let (plane, cells, steps) = (16 * 8, 16 * 8 * 40, 5);
    let expected = diffused(&alone(), sides, steps);
    let threads = Thread::several(4);
    let sent = Arc::clone(&threads[0].sent);
    let found = on_threads(
        threads,
        Spreading::Always,
        |_| vec![shared_gpu()],
        |runtime| diffused(runtime, sides, steps),
    );
    assert!(found.iter().all(|found| *found == expected));
    // A plane on each side of each rank, on a torus, in each step, and as much again where VMs are not cut where planes end.
    let (words, least) = (sent.load(Ordering::Relaxed), u64::from(steps * 4 * 2 * plane));
    assert!(
        (least..2 * least + 2 * cells).contains(&words),
        "{words} words, {least} at least"
    );
}

#[test]
fn what_is_short_is_done_by_each_and_what_is_not_is_cut() {
    let run = |runtime: &Runtime| {
        (0..12)
            .map(|_| verbs(runtime, &column(3000, 1)).unwrap())
            .collect::<Vec<_>>()
    };
    let expected = run(&alone());
    for devices in [(|_| vec![shared_gpu()]) as fn(usize) -> Vec<Opened>, |_| vec![cpu(1)]] {
        for spreading in [Spreading::Auto, Spreading::Never] {
            for found in on_ranks(3, spreading, devices, run) {
                assert!(found == expected);
            }
        }
    }
}

#[test]
fn what_ranks_cannot_share_is_told() {
    same_on_ranks(&[3], |runtime| {
        let (cells, ones) = ([AtomicU32::new(0)], vec![1u32; 500]);
        runtime.launch("tick").unwrap().args((&cells, &ones)).run().unwrap();
        let xs: Vec<u32> = (0..10).collect();
        let done = runtime.launch("greet").unwrap().args((&xs,)).run().unwrap();
        let said: Vec<(u32, String)> = done.logs().iter().map(|line| (line.vm, line.text.clone())).collect();
        let launch = runtime.launch("wonder").unwrap().args((&xs,));
        let answered: Vec<u32> = launch.answer(|_, x: u32| x * 2).run().unwrap().output().unwrap();
        (cells[0].load(Ordering::Relaxed), said, answered)
    });
}

/// Which of all VMs this one was, by when it came.
#[routine]
fn ticket(cells: &[AtomicU32], out: &mut u32) -> u32 {
    let mut left = vm::id() % 17;
    while left > 0 {
        left -= 1;
    }
    *out = cells[0].fetch_add(1, Ordering::Relaxed);
    *out
}

#[test]
fn what_depends_on_who_comes_first_is_the_same_on_all_ranks() {
    for devices in [(|_| vec![cpu(2)]) as fn(usize) -> Vec<Opened>, |_| vec![shared_gpu()]] {
        let found = on_ranks(3, Spreading::Always, devices, |runtime| {
            let (cells, mut out) = ([AtomicU32::new(0)], vec![0u32; 20_000]);
            let launch = runtime.launch("ticket").unwrap().args((&cells, &mut out));
            let results: Vec<u32> = launch.run().unwrap().output().unwrap();
            (results, out, cells[0].load(Ordering::Relaxed))
        });
        assert_eq!(found[0].2, 20_000);
        assert!(found.iter().all(|other| *other == found[0]));
    }
}

#[test]
fn the_lowest_trap_is_told_on_all_ranks() {
    let xs: Vec<u32> = (0..5000)
        .map(|vm| if vm % 1000 == 399 { 0 } else { vm % 11 + 1 })
        .collect();
    same_on_ranks(&[2, 5], |runtime| {
        [(false, false), (true, false), (false, true), (true, true)].map(|(dynamic, all)| {
            let launch = runtime.launch("inverse").unwrap().args((&xs,)).all_traps(all);
            match if dynamic { launch.dynamic() } else { launch }.run() {
                Err(Error::Trap(report)) => {
                    let results: Vec<u32> = report.done().output().unwrap();
                    assert_eq!(report.vms.len(), if all { 5 } else { 1 });
                    (
                        report.vms.clone(),
                        report.count,
                        report.line,
                        report.message.clone(),
                        results,
                    )
                }
                other => panic!("no trap: {other:?}"),
            }
        })
    });
}

#[test]
fn executions_are_looked_at_and_saved_by_all_ranks() {
    let run = |runtime: &Runtime| {
        let (seeds, mut me) = (column(300, 3), column(300, 4));
        let launch = runtime.launch("slow_count").unwrap().args((&seeds, &mut me));
        let mut execution = launch.engine(Engine::Reference).start().unwrap();
        execution.advance(Budget::cycles(150)).unwrap();
        let views = [0, 150, 299].map(|vm| execution.vm(vm).unwrap().to_string());
        let bytes = execution.snapshot().unwrap().to_bytes();
        execution.run_to_end().unwrap();
        let done = execution.finish().unwrap();
        let snapshot = gpuvm::Snapshot::from_bytes(&bytes).unwrap();
        let mut restored = runtime.restore(&snapshot).unwrap();
        restored.run_to_end().unwrap();
        let again = restored.finish().unwrap();
        let results = |done: &gpuvm::Done| done.output::<Vec<u32>>().unwrap();
        let left = [results(&done), results(&again), again.column("me").unwrap(), me];
        ((views, left), bytes)
    };
    same_on_ranks(&[2, 3], |runtime| run(runtime).0);
    // All of them save the same.
    let saved = on_ranks(3, Spreading::Always, |_| vec![cpu(1)], |runtime| run(runtime).1);
    assert!(saved.iter().all(|bytes| *bytes == saved[0]));
}

#[test]
fn a_budget_of_time_is_refused() {
    let refused = on_ranks(
        2,
        Spreading::Always,
        |_| vec![shared_gpu()],
        |runtime| {
            let xs = vec![50u32; 100];
            let launch = runtime.launch("countdown").unwrap().args((&xs,));
            launch
                .budget(Budget::time(Duration::from_secs(1)))
                .run()
                .unwrap_err()
                .to_string()
        },
    );
    assert_eq!(
        refused[1],
        "`countdown` runs on 2 ranks, each with a clock of its own, so a budget of time would end at another place on each; give one of instructions: `Budget::cycles(n)`"
    );
}

#[test]
fn batches_are_those_of_one_process() {
    let routine = |number: u32| {
        let built = gpuvm::build("times", |f| {
            let x = f.param::<u32>("x");
            f.ret(x * number);
        });
        built.unwrap()
    };
    let routines: Vec<_> = (1..40).map(routine).collect();
    let xs: Vec<u32> = (0..300).collect();
    same_on_ranks(&[3], |runtime| {
        let batch = || runtime.batch(&routines).unwrap().args((&xs,));
        let all = batch().run().unwrap().all::<u32>().unwrap();
        let folded = batch().fold("sum").unwrap().run().unwrap();
        (all, folded.all::<u32>().unwrap())
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn plans_on_any_ranks(len in 1..4000usize, seed: u32, count in 1..6usize) {
        let column = column(len, seed);
        let expected = verbs(&alone(), &column).unwrap();
        for found in on_ranks(count, Spreading::Always, |_| vec![shared_gpu()], |runtime| verbs(runtime, &column).unwrap()) {
            prop_assert!(found == expected);
        }
    }
}
