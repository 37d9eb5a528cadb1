//! What only ranks do, and what goes wrong with them.

use gpuvm_mpi::Runtime;

use crate::Failure;
use crate::patterns;
use crate::verbs::{column, verbs};

/// Runs a case, if it is one of these.
pub fn run(runtime: &Runtime, case: &str, numbers: &[u64]) -> Result<Option<Vec<Vec<u32>>>, Failure> {
    let number = |place: usize| numbers.get(place).copied().unwrap_or(1) as usize;
    match case {
        // Launches of the patterns, handed out.
        "ensemble" => {
            let mut all = Vec::new();
            for vms in [1, 2, 3, 64, 1000, 20_000] {
                let (found, shares) = patterns::walk(runtime.ensemble("walk")?, vms)?;
                if vms > 1 && shares.iter().map(|share| share.vms).sum::<u64>() != vms as u64 {
                    return Err(format!("{shares:?} of {vms} VMs").into());
                }
                all.extend(found);
            }
            return Ok(Some(all));
        }
        // A rank that does less than the others.
        "leave" if runtime.rank() == number(0) => return Ok(Some(Vec::new())),
        "panic" if runtime.rank() == number(0) => panic!("this rank has had enough"),
        // One that is killed while the others wait for it.
        "hang" if runtime.rank() == number(0) => loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        },
        "leave" | "panic" | "hang" => {}
        _ => return Ok(None),
    }
    verbs(runtime, &column(1000, 1)).map(Some).map_err(Into::into)
}
