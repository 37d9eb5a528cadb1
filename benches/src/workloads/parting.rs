//! Two loops, of which each VM runs the first another number of times and all run the second as often: where those that leave the first at different
//! times do not come together again, the second takes a device as many times as long as a subgroup has VMs.

use gpuvm::routine;

use super::collatz::collatz;

/// A generator that begins with the steps from `start` to 1 in Collatz's sequence, after so many turns.
#[routine]
pub fn parting(start: u32, turns: u32) -> u32 {
    let mut x = collatz(start);
    let mut turn = 0;
    while turn < turns {
        x = (x ^ (x >> 7)).wrapping_mul(0x9e37_79b9) ^ turn;
        turn += 1;
    }
    x
}
