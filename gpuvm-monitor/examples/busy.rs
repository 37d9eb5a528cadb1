//! A program with something of everything to look at for a while: launches, a plan, actors some of whom trap, and texts. `busy 60` runs for a minute.

use std::time::{Duration, Instant};

use gpuvm::prelude::*;
use gpuvm::ring::{Answers, Restart};

#[derive(RingMessage, Clone, Copy, Debug)]
enum Order {
    Put(u32),
    Take(u32),
}

#[derive(RingMessage, Clone, Copy, Debug)]
struct Left(u32);

#[ring_kernel]
fn shelf(items: &mut u32, order: Order) -> Left {
    match order {
        Order::Put(count) => *items += count,
        Order::Take(count) => {
            assert!(count <= *items, "{count} taken of {items}");
            *items -= count;
        }
    }
    Left(*items)
}

/// Steps of Collatz's walk from a start.
#[routine]
fn collatz(start: u32) -> u32 {
    let mut n = start as u64;
    let mut steps = 0;
    while n > 1 {
        n = if n & 1 == 0 { n >> 1 } else { 3 * n + 1 };
        steps += 1;
    }
    if steps > 500 {
        println!("{start} walks {steps} steps");
    }
    steps
}

#[routine]
fn reciprocal(n: u32) -> u32 {
    1_000_000 / n
}

#[routine]
fn weight(steps: u32) -> u32 {
    steps * steps
}

#[routine]
fn add(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

fn main() -> gpuvm::Result<()> {
    let seconds = std::env::args().nth(1).and_then(|seconds| seconds.parse().ok());
    let time = Duration::from_secs(seconds.unwrap_or(30));
    let begin = Instant::now();
    let runtime = Runtime::new()?;
    let options = RingOptions {
        actors: 1000,
        restart: Restart::Fresh,
        answers: Answers::Discard,
        ..default()
    };
    let shelves = runtime.blocking_launch_ring("shelf", options)?;
    shelves.blocking_activate()?;
    let customers = shelves.clone();
    let buying = std::thread::spawn(move || -> gpuvm::Result<()> {
        let mut round = 0u32;
        while begin.elapsed() < time {
            let orders = (0..3000u32).map(|number| match number % 3 {
                2 if number == 2 && round % 20 == 3 => (number % 1000, Order::Take(1_000_000)),
                2 => (number % 1000, Order::Take(1)),
                _ => (number % 1000, Order::Put(2)),
            });
            customers.blocking_send_all(orders)?;
            std::thread::sleep(Duration::from_millis(100));
            round += 1;
        }
        Ok(())
    });
    let mut first = 1u32;
    while begin.elapsed() < time {
        let starts: Vec<u32> = (first..first + 30_000).collect();
        let steps: Vec<u32> = runtime.launch("collatz")?.args((&starts,)).run()?.output()?;
        let mut plan = runtime.plan();
        let column = plan.input(&steps);
        let weights = plan.map("weight", (column,))?;
        plan.reduce("add", weights)?;
        plan.run()?;
        if first % 7 == 1 {
            let trapped = runtime.launch("reciprocal")?.args((&[4u32, 0, 2],)).run();
            println!("{}", trapped.err().map_or_else(String::new, |error| error.to_string()));
        }
        first = first % 100_000_000 + 30_000;
    }
    buying.join().expect("the customers do not panic")?;
    shelves.blocking_terminate()
}

// With it the program serves a monitor, as by the feature `monitor` of gpuvm, which here would be one of all tests of the workspace.
use gpuvm_monitor as _;
