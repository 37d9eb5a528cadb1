//! An exchange: a thousand instruments, each an actor that keeps a limit order book, and a million orders. What the actors answer is
//! compared with what the same function answers here, called for one order after the other. The book is in `book.rs`, the traders are in
//! `market.rs`.
//!
//! `cargo run --release --example order_book [-- --orders 1000000 --engine native --output book.png]`

mod book;
mod market;
mod picture;
mod summary;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use gpuvm::prelude::*;
use gpuvm::ring::Restart;
use gpuvm_examples::{Choice, spinner, write};
use indicatif::ProgressBar;

use book::{Book, HIGHEST, Order, Report, exchange};
use market::messages;
use picture::{PAST, picture};
use summary::summarise;

/// Trades a million orders in a thousand books, and draws one of them.
#[derive(Parser)]
struct Options {
    /// How many orders.
    #[arg(long, default_value_t = 1_000_000)]
    orders: usize,
    /// How many instruments they are for.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    instruments: u32,
    /// Where the random orders begin.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What runs the actors.
    #[arg(long, value_enum, default_value = "auto")]
    engine: Choice,
    /// Where to write the picture.
    #[arg(long, default_value = "target/order_book.png")]
    output: PathBuf,
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    gpuvm_examples::exit(run(&Options::parse()))
}

fn run(options: &Options) -> Result<()> {
    let runtime = options.engine.runtime()?;
    println!("{}", runtime.device());
    let kernel = runtime.blocking_launch_ring(
        "exchange",
        RingOptions {
            actors: options.instruments,
            queue_capacity: 1 << 16,
            engine: options.engine.into(),
            // An exchange does not go on when one of its books is broken.
            restart: Restart::FailKernel,
            ..default()
        },
    )?;
    kernel.blocking_activate()?;
    let reports = trade(&kernel, options)?;
    println!("{}: {}", kernel.blocking_status()?.engine, kernel.blocking_metrics()?);
    kernel.blocking_terminate()?;

    let (spinner, begin) = (spinner("checking"), Instant::now());
    let expected = Expected::of(options);
    spinner.finish_and_clear();
    println!("one order after the other takes {:.2?}", begin.elapsed());
    if reports != expected.reports {
        return Err("the actors' books are not those of the function".into());
    }
    println!("every fill and every book is the same");
    summarise(&reports, &expected.books);
    write(&picture(&expected.history, &reports[0]), &options.output)
}

/// Sends all orders, and receives what each book reports. These go on at the same time: answers that nobody receives would fill the
/// queue, and whoever sends then waits.
fn trade(kernel: &KernelHandle, options: &Options) -> Result<Vec<Vec<Report>>> {
    let messages = messages(options.orders, options.instruments, options.seed);
    let sender = kernel.clone();
    let sending = std::thread::spawn(move || sender.blocking_send_all(messages));

    let mut reports = vec![Vec::new(); options.instruments as usize];
    // The last things that a book is asked for are its levels.
    let mut levels = options.instruments * (HIGHEST + 1);
    let bar = ProgressBar::new(options.orders as u64 + u64::from(levels));
    let mut answers = Vec::new();
    while levels > 0 {
        kernel.blocking_receive_many(&mut answers, Duration::from_secs(60))?;
        for (instrument, report) in answers.drain(..) {
            levels -= u32::from(matches!(report, Report::Level { .. }));
            reports[instrument as usize].push(report);
        }
        bar.set_position(kernel.blocking_metrics()?.processed);
    }
    bar.finish_and_clear();
    sending.join().map_err(|_| "the sender panicked")??;
    Ok(reports)
}

/// What the kernel should do, by the plain function.
struct Expected {
    books: Vec<Book>,
    reports: Vec<Vec<Report>>,
    /// The first book every now and then.
    history: Vec<Book>,
}

impl Expected {
    fn of(options: &Options) -> Expected {
        let instruments = options.instruments as usize;
        let mut books = vec![Book::default(); instruments];
        let mut reports = vec![Vec::new(); instruments];
        let mut history = vec![books[0]];
        let apart = (options.orders / instruments / PAST as usize).max(1) as u32;
        for (instrument, order) in messages(options.orders, options.instruments, options.seed) {
            let book = &mut books[instrument as usize];
            reports[instrument as usize].extend(exchange(book, order));
            let is_order = !matches!(order, Order::Show { .. });
            if instrument == 0 && is_order && book.messages % apart == 0 {
                history.push(*book);
            }
        }
        Expected {
            books,
            reports,
            history,
        }
    }
}
