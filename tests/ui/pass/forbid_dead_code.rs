#![forbid(dead_code)]

#[path = "../lints/everything.rs"]
mod everything;

fn main() {}
