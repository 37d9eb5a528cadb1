//! The specialised engine: a program partially evaluated into a shader of its own, with no fetching and decoding left.

mod flow;
mod loops;
mod structure;
