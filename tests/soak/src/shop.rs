//! One kernel, what is done to it at random, and the model of what it has to do. The tills of the lower half are written to by this thread
//! alone and break now and then, so each of their answers is known. Those of the upper half give each other money, in an order that nobody
//! knows, and all together have what they had.

use std::time::Duration;

use gpuvm::prelude::*;
use gpuvm::ring::Restart;
use gpuvm_generator::Rng;

/// What a till understands.
#[derive(RingMessage, Clone, Copy, Debug)]
enum Order {
    /// Take money, and say how much there is.
    Add { cents: u32 },
    /// Give another till money, if there is as much.
    Give { to: u32, cents: u32 },
    /// Take money of another till.
    Take { cents: u32 },
    /// Trap.
    Break,
}

#[derive(RingMessage, Clone, Copy, Debug)]
struct Sum {
    cents: u64,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Till {
    cents: u64,
}

/// What a till has at first, and after it broke.
const FIRST: u64 = 1000;

impl Default for Till {
    fn default() -> Till {
        Till { cents: FIRST }
    }
}

#[ring_kernel(sends = 1)]
fn till(till: &mut Till, order: Order, ctx: &mut Ring) -> Option<Sum> {
    match order {
        Order::Add { cents } => {
            till.cents += cents as u64;
            return Some(Sum { cents: till.cents });
        }
        Order::Give { to, cents } => {
            if cents as u64 <= till.cents {
                till.cents -= cents as u64;
                ctx.send(to, Order::Take { cents });
            }
        }
        Order::Take { cents } => till.cents += cents as u64,
        Order::Break => assert!(till.cents == u64::MAX, "the till breaks with {} cents", till.cents),
    }
    None
}

/// Tills of a half.
const HALF: u32 = 100;
/// The most orders of a turn; as many more may be what tills send each other.
const ORDERS: usize = 1000;
/// Longer than any answer takes.
const LONG: Duration = Duration::from_secs(60);

/// A kernel and its model.
pub struct Shop {
    engine: Engine,
    kernel: KernelHandle,
    /// What the tills of the lower half have.
    tills: Vec<u64>,
    rng: Rng,
}

/// Orders of a turn, and what has to come of them.
#[derive(Default)]
struct Turn {
    orders: Vec<(u32, Order)>,
    /// The answers, with the tills they come from.
    answers: Vec<(u32, u64)>,
    /// Tills that break.
    broken: usize,
}

type Done<T> = Result<T, String>;

impl Shop {
    /// A shop that is open.
    pub fn open(runtime: &Runtime, engine: Engine, seed: u64) -> Done<Shop> {
        let kernel = runtime
            .blocking_launch_ring("till", options(engine))
            .map_err(told(engine))?;
        kernel.blocking_activate().map_err(told(engine))?;
        Ok(Shop {
            engine,
            kernel,
            tills: vec![FIRST; HALF as usize],
            rng: Rng::new(seed),
        })
    }

    /// Does something. How many messages it took.
    pub fn turn(&mut self, runtime: &Runtime) -> Done<u64> {
        let turn = self.make_up();
        let rests = self.rng.chance(20);
        if rests {
            self.kernel.blocking_deactivate().map_err(told(self.engine))?;
        }
        let sent = turn.orders.iter().copied();
        self.kernel.blocking_send_all(sent).map_err(told(self.engine))?;
        if rests {
            if self.rng.chance(10) {
                self.move_out(runtime)?;
            }
            self.kernel.blocking_activate().map_err(told(self.engine))?;
        }
        self.call()?;
        self.receive(&turn)?;
        match self.rng.below(50) {
            0 => self.audit()?,
            1 => self.begin_anew(runtime)?,
            _ => {}
        }
        Ok(turn.orders.len() as u64)
    }

    /// Ends the kernel.
    pub fn close(self) -> Done<()> {
        self.kernel.blocking_terminate().map_err(told(self.engine))
    }

    /// Makes up orders, and has the model follow them.
    fn make_up(&mut self) -> Turn {
        let mut turn = Turn::default();
        for _ in 0..1 + self.rng.below(ORDERS) {
            let (till, cents) = (self.rng.below(HALF as usize), self.rng.below(100) as u32);
            let order = match self.rng.below(100) {
                0 => {
                    self.tills[till] = FIRST;
                    turn.broken += 1;
                    Order::Break
                }
                1..20 => {
                    let to = HALF + self.rng.below(HALF as usize) as u32;
                    turn.orders.push((HALF + till as u32, Order::Give { to, cents }));
                    continue;
                }
                _ => {
                    self.tills[till] += u64::from(cents);
                    turn.answers.push((till as u32, self.tills[till]));
                    Order::Add { cents }
                }
            };
            turn.orders.push((till as u32, order));
        }
        turn.answers.sort_by_key(|(till, _)| *till);
        turn
    }

    /// Goes on with a kernel that is restored from a snapshot.
    fn move_out(&mut self, runtime: &Runtime) -> Done<()> {
        let snapshot = self.kernel.blocking_snapshot().map_err(told(self.engine))?;
        let options = RingOptions {
            engine: self.engine,
            ..snapshot.options()
        };
        let restored = runtime.blocking_restore_ring(&snapshot, options);
        self.kernel = restored.map_err(told(self.engine))?;
        Ok(())
    }

    /// Calls a till.
    fn call(&mut self) -> Done<()> {
        let till = self.rng.below(HALF as usize);
        self.tills[till] += 1;
        let wanted = self.tills[till];
        let called = self
            .kernel
            .blocking_call_within(till as u32, Order::Add { cents: 1 }, LONG);
        let Sum { cents } = called.map_err(told(self.engine))?;
        match cents == wanted {
            true => Ok(()),
            false => Err(format!("{}: till {till} has {cents}, not {wanted}", self.engine)),
        }
    }

    /// Receives the answers of a turn, and compares them with the model's.
    fn receive(&mut self, turn: &Turn) -> Done<()> {
        let mut received: Vec<(u32, Sum)> = Vec::new();
        while received.len() < turn.answers.len() {
            let more = self.kernel.blocking_receive_many(&mut received, LONG);
            more.map_err(told(self.engine))?;
        }
        self.kernel.blocking_settle().map_err(told(self.engine))?;
        received.sort_by_key(|(till, _)| *till);
        let received: Vec<(u32, u64)> = received.into_iter().map(|(till, sum)| (till, sum.cents)).collect();
        let broken = std::iter::from_fn(|| self.kernel.dead_letter()).count();
        match received == turn.answers && broken == turn.broken {
            true => Ok(()),
            false => Err(format!(
                "{}: {} orders gave other answers than the model, or {broken} dead letters in place of {}",
                self.engine,
                turn.orders.len(),
                turn.broken
            )),
        }
    }

    /// Asks all tills of the upper half what they have.
    fn audit(&mut self) -> Done<()> {
        let mut sum = 0;
        for till in HALF..2 * HALF {
            let told = self.kernel.blocking_call_within(till, Order::Add { cents: 0 }, LONG);
            let Sum { cents } = told.map_err(self::told(self.engine))?;
            sum += cents;
        }
        match sum == u64::from(HALF) * FIRST {
            true => Ok(()),
            false => Err(format!("{}: the tills have {sum} cents", self.engine)),
        }
    }

    /// Ends the kernel, and launches another.
    fn begin_anew(&mut self, runtime: &Runtime) -> Done<()> {
        self.kernel.blocking_terminate().map_err(told(self.engine))?;
        let seed = self.rng.bits();
        *self = Shop::open(runtime, self.engine, seed)?;
        Ok(())
    }
}

fn options(engine: Engine) -> RingOptions {
    RingOptions {
        actors: 2 * HALF,
        queue_capacity: 4 * ORDERS,
        engine,
        restart: Restart::Fresh,
        ..default()
    }
}

/// An error as text, with the engine that it happened on.
fn told(engine: Engine) -> impl Fn(gpuvm::Error) -> String {
    move |error| format!("{engine}: {error}")
}
