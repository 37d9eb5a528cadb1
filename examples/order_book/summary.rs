//! What was traded, for a person to read.

use crate::book::{Book, Report};

/// How many instruments are told of by themselves.
const TOLD: usize = 5;

/// Prints how much was traded, and the best prices of the busiest instruments.
pub fn summarise(reports: &[Vec<Report>], books: &[Book]) {
    let mut busiest: Vec<(u64, u64, usize)> = (0..)
        .zip(reports)
        .map(|(at, reports)| {
            let (lots, value) = traded(reports);
            (lots, value, at)
        })
        .collect();
    busiest.sort_unstable_by(|a, b| b.cmp(a));
    let all: u64 = busiest.iter().map(|(lots, ..)| lots).sum();
    println!("{all} lots changed hands, most of them of");
    println!("instrument    lots   mean price       bid       ask");
    for (lots, value, at) in busiest.into_iter().take(TOLD) {
        let (mean, book) = (value as f32 / lots.max(1) as f32, &books[at]);
        let (bid, ask) = (best(book, book.bid), best(book, book.ask));
        println!("{at:10} {lots:7} {mean:12.2} {bid:>9} {ask:>9}");
    }
}

/// The lots of some reports, and what was paid for them.
fn traded(reports: &[Report]) -> (u64, u64) {
    reports.iter().fold((0, 0), |(lots, value), report| match report {
        Report::Fill(fill) => (lots + u64::from(fill.lots), value + u64::from(fill.value)),
        Report::Level { .. } => (lots, value),
    })
}

/// What waits at a price, if it is one.
fn best(book: &Book, price: u32) -> String {
    match book.waiting.get(price as usize) {
        Some(lots) if *lots > 0 => format!("{lots} at {price}"),
        _ => "none".to_string(),
    }
}
