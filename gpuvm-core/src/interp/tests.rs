//! The interpreter against Rust.
