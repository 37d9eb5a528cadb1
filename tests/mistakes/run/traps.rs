//! Traps, which say the same on every engine.

use super::answers;
use crate::{ENGINES, runtime};

/// What a trap of a VM says.
fn trap(vm: u32, routine: &str, line: u32, what: &str) -> String {
    let file = file!().replace("traps.rs", "routines.rs");
    format!("VM {vm} of `{routine}` trapped at {file}:{line}: {what}")
}

#[test]
fn traps() {
    for engine in ENGINES {
        macro_rules! run {
            ($id:literal, $args:expr) => {
                runtime().launch($id).unwrap().args($args).engine(engine).run()
            };
        }
        answers! {
            run!("chosen", (&[1u32; 8], &[0u32, 3, 8, 900])) => trap(2, "chosen", 18, "index out of bounds: the len is 8 but the index is 8 (and 1 more VM trapped)");
            run!("bytes", (&[1u8, 200, 255], 100u8)) => trap(1, "bytes", 28, "attempt to add with overflow (and 1 more VM trapped)");
            run!("minus", (&[1u32, 0],)) => trap(1, "minus", 33, "attempt to subtract with overflow");
            run!("shifted", (&[1u32, 1], &[3u32, 40])) => trap(1, "shifted", 38, "attempt to shift left with overflow");
            run!("unwrapper", (&[Some(1u32), None],)) => trap(1, "unwrapper", 86, "called `Option::unwrap()` on a `None` value");
            run!("expecter", (&[Some(1u32), None],)) => trap(1, "expecter", 91, "no x");
            run!("limited", (&[1u32, 5],)) => trap(1, "limited", 96, "x is 5 too large");
            run!("outer", (&[1u32],)) => trap(0, "outer", 107, "attempt to divide by zero");
        }
    }
}
