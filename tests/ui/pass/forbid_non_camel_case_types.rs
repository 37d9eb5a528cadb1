#![forbid(non_camel_case_types)]

#[path = "../lints/everything.rs"]
mod everything;

fn main() {}
