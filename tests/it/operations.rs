//! Every operator, method and conversion on every type, over crossed edge values and random ones. The routines are written by
//! the build script from the tables of `tests/generator/src/operations.rs`.

include!(concat!(env!("OUT_DIR"), "/operations.rs"));
