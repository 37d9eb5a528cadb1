//! The debugger on every engine that pauses, over routines as users write them.

mod programs;
mod session;
