//! Ring kernels: messages to many actors and their answers back, messages between actors (`talk.rs`), and calls, beside a bare submission to
//! the same device and beside actors that are tasks of tokio. All of them keep accounts with the same function.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use gpuvm::ring::KernelHandle;
use gpuvm::{Engine, RingMessage, RingOptions, VmType, default, ring_kernel};
use gpuvm_workloads::Size;
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime as Tokio;

use crate::peers::cuda::Cuda;
use crate::peers::kameo::Kameo;
use crate::peers::wgsl::Waiting;
use crate::problem::Problem;
use crate::stage::Stage;
use crate::talk::{self, Talk};
use crate::timing::{Spread, once};

/// What came of one contestant; of a bare submission there is only the time of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exchange {
    /// Its name.
    pub contestant: String,
    /// Messages a second, sent, handled and answered, to each of [`crowds`].
    pub bulk: Vec<f64>,
    /// Messages a second between each of [`talk::crowds`].
    pub between: Vec<f64>,
    /// Messages a second between two kernels of each of these.
    pub linked: Vec<f64>,
    /// How long a call takes while nothing else happens.
    pub call: Option<Spread>,
    /// Calls a second of [`TASKS`] tasks that each wait for their answer.
    pub calls: Option<f64>,
    /// Why figures are missing.
    pub problem: Option<Problem>,
}

/// Tasks that call at the same time, each an actor of its own.
pub const TASKS: u32 = 1000;
/// Actors of a kernel that is called.
const CALLED: u32 = 1024;
/// Messages of a run in bulk.
const MESSAGES: usize = 1 << 20;
/// Messages and answers that may wait.
const CAPACITY: usize = 1 << 22;
/// Calls, one after the other, whose times make a spread.
const CALLS: usize = 10_000;
/// Calls of each task in a run.
const CALLS_EACH: usize = 100;
/// Longer than any answer takes.
pub const LONG: Duration = Duration::from_secs(60);

/// What an account has.
#[derive(VmType, Clone, Copy, Default, Debug)]
pub struct Account {
    cents: u64,
}

/// What comes to an account.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
pub struct Deposit {
    /// So much.
    pub cents: u64,
}

/// What it has then.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    cents: u64,
}

/// Takes a deposit.
#[ring_kernel]
pub fn ledger(account: &mut Account, deposit: Deposit) -> Balance {
    account.cents += deposit.cents;
    Balance { cents: account.cents }
}

/// Deposits, each with the number of its account.
pub type Deposits = Arc<[(u32, Deposit)]>;

/// What is told of deposits that are made together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledged {
    /// The balance after each.
    Each,
    /// Every account's balance at the end.
    Last,
}

/// Those who keep accounts.
pub trait Bank: Clone + Send + Sync + 'static {
    /// Makes deposits, and takes balances: those of one account in order.
    fn make(&self, deposits: &Deposits, balances: &mut Vec<(u32, Balance)>) -> Result<()>;

    /// Which balances those are.
    fn acknowledged(&self) -> Acknowledged {
        Acknowledged::Each
    }

    /// Makes a deposit and waits for the balance.
    fn call(&self, account: u32, deposit: Deposit) -> Result<Balance>;

    /// The same in a task.
    fn ask(&self, account: u32, deposit: Deposit) -> impl Future<Output = Result<Balance>> + Send;
}

impl Bank for KernelHandle {
    fn make(&self, deposits: &Deposits, balances: &mut Vec<(u32, Balance)>) -> Result<()> {
        std::thread::scope(|scope| {
            let sender = scope.spawn(|| self.blocking_send_all(deposits.iter().copied()));
            while balances.len() < deposits.len() {
                self.blocking_receive_many(balances, LONG)?;
            }
            let sent = sender.join().map_err(|_| anyhow::anyhow!("the sender panicked"))??;
            ensure!(sent == deposits.len(), "{sent} messages were sent");
            Ok(())
        })
    }

    fn call(&self, account: u32, deposit: Deposit) -> Result<Balance> {
        Ok(self.blocking_call(account, deposit)?)
    }

    async fn ask(&self, account: u32, deposit: Deposit) -> Result<Balance> {
        Ok(KernelHandle::call(self, account, deposit).await?)
    }
}

/// Measures the contestants that are asked for.
///
/// # Errors
///
/// When tokio cannot start its threads or the figures cannot be written to their file; what a contestant fails with is in its row.
pub fn run(stage: &Stage) -> Result<Vec<Exchange>> {
    let tokio = Arc::new(tokio::runtime::Builder::new_multi_thread().build()?);
    let bench = Bench { stage, tokio: &tokio };
    eprintln!("ring: {} messages, {TASKS} tasks", bench.messages());
    let mut ring = vec![
        bench.bare("bare submission, asleep", Waiting::Asleep),
        bench.bare("bare submission, asking", Waiting::Asking),
    ];
    let crowds = talk::crowds(stage.size);
    let mut talk = Talk::new(stage);
    for (engine, times) in [
        (Engine::Native, 15),
        (Engine::Interpreter, 63),
        (Engine::Specialized, 1023),
        (Engine::Auto, 1023),
    ] {
        let name = format!("gpuvm {engine}");
        if !stage.has(&name) {
            continue;
        }
        let exchange = bench.contestant(name, |actors| {
            let kernel = launch(stage, "ledger", engine, actors)?;
            kernel.blocking_activate()?;
            Ok(kernel)
        });
        let exchange = exchange.talking(crowds, |actors| talk.gpuvm(engine, actors, times));
        ring.push(
            exchange
                .forwarding(crowds, |actors| talk.linked(engine, actors, times / 4))
                .told(),
        );
        stage.keep(|report| report.ring = Some(ring.clone()))?;
    }
    for (name, how) in [
        ("kameo, ask", Acknowledged::Each),
        ("kameo, tell, then ask each actor", Acknowledged::Last),
    ] {
        if !stage.has(name) {
            continue;
        }
        let open = |actors| Ok(Kameo::open(&tokio, actors, how));
        let exchange = bench.contestant(name.to_string(), open);
        ring.push(match how {
            Acknowledged::Each => exchange.told(),
            Acknowledged::Last => exchange.talking(crowds, |actors| talk.kameo(&tokio, actors, 7)).told(),
        });
        stage.keep(|report| report.ring = Some(ring.clone()))?;
    }
    if stage.has("CUDA")
        && let Some(cuda) = &stage.cuda
    {
        ring.push(by_hand(cuda, stage.size));
    }
    Ok(ring)
}

/// Hand-written CUDA between actors, which says of each crowd `1024 rounds of 131072 actors`: a message a round for each of them.
fn by_hand(cuda: &Cuda, size: Size) -> Exchange {
    let mut exchange = Exchange::new("CUDA".to_string());
    let mut measure = || {
        for row in cuda.run("actors", size)? {
            let messages: usize = row.numbers().into_iter().product();
            exchange.between.push(messages as f64 / row.times()?.0);
        }
        Ok(())
    };
    if let Err(error) = measure() {
        exchange.problem = Some(Problem::of(&error));
    }
    exchange.told()
}

/// How many actors messages are sent to in bulk.
pub fn crowds(size: Size) -> [u32; 2] {
    size.pick([100, 1000], [10_000, 100_000])
}

/// The median of the quicker bare submission.
pub fn bare(ring: &[Exchange]) -> Option<f64> {
    let bare = ring.iter().filter(|exchange| exchange.contestant.starts_with("bare"));
    bare.filter_map(|exchange| exchange.call)
        .map(|call| call.median)
        .min_by(f64::total_cmp)
}

/// A kernel of so many actors, with room for all messages of a run.
pub fn launch(stage: &Stage, id: &str, engine: Engine, actors: u32) -> Result<KernelHandle> {
    let options = RingOptions {
        actors,
        engine,
        queue_capacity: CAPACITY,
        ..default()
    };
    Ok(stage.runtime.blocking_launch_ring(id, options)?)
}

/// What is the same for all contestants.
struct Bench<'b> {
    stage: &'b Stage,
    tokio: &'b Tokio,
}

impl Bench<'_> {
    fn messages(&self) -> usize {
        self.stage.pick(MESSAGES / 256, MESSAGES)
    }

    fn bare(&self, name: &str, waiting: Waiting) -> Exchange {
        let idle = || Ok(once(|| self.stage.gpu.idle(waiting))?.0);
        let mut exchange = Exchange::new(name.to_string());
        match self.stage.timing.spread(self.calls(), idle) {
            Ok(call) => exchange.call = Some(call),
            Err(error) => exchange.problem = Some(Problem::of(&error)),
        }
        exchange.told()
    }

    /// All figures of a contestant. `open` gives it with so many accounts.
    fn contestant<B: Bank>(&self, name: String, open: impl Fn(u32) -> Result<B>) -> Exchange {
        let mut exchange = Exchange::new(name);
        let mut measure = || {
            for actors in crowds(self.stage.size) {
                exchange.bulk.push(self.bulk(&open(actors)?, actors)?);
            }
            let bank = open(CALLED)?;
            if bank.acknowledged() == Acknowledged::Last {
                return Ok(());
            }
            let mut books = Books::new(CALLED);
            exchange.call = Some(self.alone(&bank, &mut books)?);
            exchange.calls = Some(self.together(&bank, &mut books)?);
            Ok(())
        };
        if let Err(error) = measure() {
            exchange.problem = Some(Problem::of(&error));
        }
        exchange
    }

    /// Messages a second.
    fn bulk<B: Bank>(&self, bank: &B, actors: u32) -> Result<f64> {
        let deposits: Deposits = (0..self.messages() as u32).map(|n| deposit(n, actors)).collect();
        let mut books = Books::new(actors);
        let mut balances = Vec::with_capacity(deposits.len());
        let (seconds, ()) = self.stage.timing.warm_by(|| {
            balances.clear();
            let run = once(|| bank.make(&deposits, &mut balances))?;
            // Answers of different actors may come in any order.
            balances.sort_by_key(|(account, _)| *account);
            let mut judge = books.enter(&deposits);
            judge.sort_by_key(|(account, _)| *account);
            if bank.acknowledged() == Acknowledged::Last {
                judge = books.balances();
            }
            ensure!(balances == judge, "the balances differ");
            Ok(run)
        })?;
        Ok(deposits.len() as f64 / seconds)
    }

    fn calls(&self) -> usize {
        self.stage.pick(CALLS / 10, CALLS)
    }

    /// How long a call takes while there is no other.
    fn alone<B: Bank>(&self, bank: &B, books: &mut Books) -> Result<Spread> {
        let mut numbers = 0..;
        self.stage.timing.spread(self.calls(), || {
            let (account, deposit) = deposit(numbers.next().unwrap_or_default(), CALLED);
            let (seconds, balance) = once(|| bank.call(account, deposit))?;
            ensure!(balance == books.take(account, deposit), "a call's balance differs");
            Ok(seconds)
        })
    }

    /// Calls a second of many tasks.
    fn together<B: Bank>(&self, bank: &B, books: &mut Books) -> Result<f64> {
        let each = self.stage.pick(CALLS_EACH / 10, CALLS_EACH);
        let (seconds, ()) = self.stage.timing.warm_by(|| {
            let run = || {
                let tasks = (0..TASKS).map(|account| self.tokio.spawn(customer(bank.clone(), account, each)));
                let tasks: Vec<_> = tasks.collect();
                let balances = tasks.into_iter().map(|task| pollster::block_on(task)?);
                balances.collect::<Result<Vec<_>>>()
            };
            let (seconds, balances) = once(run)?;
            for (account, balances) in (0..).zip(balances) {
                let judge: Vec<Balance> = customers(each).map(|deposit| books.take(account, deposit)).collect();
                ensure!(balances == judge, "the balances of a task differ");
            }
            Ok((seconds, ()))
        })?;
        Ok(f64::from(TASKS) * each as f64 / seconds)
    }
}

/// The deposits of a task.
fn customers(calls: usize) -> impl Iterator<Item = Deposit> {
    (1..=calls as u64).map(|cents| Deposit { cents })
}

/// A task: it makes one deposit after the other, each when the last was answered.
async fn customer<B: Bank>(bank: B, account: u32, calls: usize) -> Result<Vec<Balance>> {
    let mut balances = Vec::with_capacity(calls);
    for deposit in customers(calls) {
        balances.push(bank.ask(account, deposit).await?);
    }
    Ok(balances)
}

/// The deposit of a number, scattered over the accounts.
fn deposit(number: u32, accounts: u32) -> (u32, Deposit) {
    let scattered = u64::from(number.wrapping_mul(0x9e37_79b9));
    let account = (scattered * u64::from(accounts)) >> 32;
    let cents = u64::from(number) + 1;
    (account as u32, Deposit { cents })
}

/// The accounts as plain Rust keeps them: what all others are compared with.
struct Books {
    accounts: Vec<Account>,
}

impl Books {
    fn new(accounts: u32) -> Books {
        Books {
            accounts: vec![Account::default(); accounts as usize],
        }
    }

    fn take(&mut self, account: u32, deposit: Deposit) -> Balance {
        ledger(&mut self.accounts[account as usize], deposit)
    }

    fn enter(&mut self, deposits: &[(u32, Deposit)]) -> Vec<(u32, Balance)> {
        let taken = deposits.iter();
        taken
            .map(|&(account, deposit)| (account, self.take(account, deposit)))
            .collect()
    }

    fn balances(&self) -> Vec<(u32, Balance)> {
        let balance = |account: &Account| Balance { cents: account.cents };
        (0..).zip(self.accounts.iter().map(balance)).collect()
    }
}

impl Exchange {
    fn new(contestant: String) -> Exchange {
        Exchange {
            contestant,
            bulk: Vec::new(),
            between: Vec::new(),
            linked: Vec::new(),
            call: None,
            calls: None,
            problem: None,
        }
    }

    /// Adds messages a second between actors.
    fn talking(mut self, crowds: [u32; 2], measure: impl FnMut(u32) -> Result<f64>) -> Exchange {
        self.between = self.rates(crowds, measure);
        self
    }

    /// Adds messages a second between kernels.
    fn forwarding(mut self, crowds: [u32; 2], measure: impl FnMut(u32) -> Result<f64>) -> Exchange {
        self.linked = self.rates(crowds, measure);
        self
    }

    /// What is measured for each of so many actors, unless there was a problem before.
    fn rates(&mut self, crowds: [u32; 2], measure: impl FnMut(u32) -> Result<f64>) -> Vec<f64> {
        let rates = match self.problem {
            None => crowds.into_iter().map(measure).collect(),
            Some(_) => Ok(Vec::new()),
        };
        rates.unwrap_or_else(|error| {
            self.problem = Some(Problem::of(&error));
            Vec::new()
        })
    }

    /// Tells the figures to who waits.
    fn told(self) -> Exchange {
        eprintln!(
            "  {}: {:?} messages/s, {:?} between actors, {:?} between kernels, {:?} s a call, {:?} calls/s",
            self.contestant, self.bulk, self.between, self.linked, self.call, self.calls
        );
        self
    }
}
