#![forbid(unused)]

#[path = "../lints/everything.rs"]
mod everything;

fn main() {}
