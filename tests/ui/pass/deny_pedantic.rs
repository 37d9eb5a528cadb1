#![deny(clippy::pedantic)]

#[path = "../lints/everything.rs"]
mod everything;

fn main() {}
