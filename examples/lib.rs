//! The examples are programs of their own (`cargo run --release --example photo`); this package holds them together.
