//! The debugger on every engine that pauses, over routines as users write them.

mod client;
mod conditions;
mod natively;
mod programs;
mod protocol;
mod session;
