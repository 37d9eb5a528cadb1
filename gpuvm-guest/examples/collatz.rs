//! A thousand guests of one RISC-V program, each with another argument: which of sixteen numbers has the longest Collatz sequence.

use gpuvm::Runtime;
use gpuvm_guest::{Guests, Linux, Program, Settings, Start};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = Program::from_elf(include_bytes!("collatz.riscv64"))?;
    let runtime = Runtime::new()?;
    let starts = (0..1000).map(|i| Start::with(["collatz".to_string(), (i * 16).to_string()]));
    let mut guests = Guests::new(&runtime, &[program], starts, Settings::default())?;
    guests.run(&mut Linux::default())?;
    let mut instructions = 0;
    for guest in 0..guests.len() {
        let output = String::from_utf8_lossy(guests.output(guest));
        if guest % 100 == 0 {
            println!("guest {guest}: {}", output.trim_end());
        }
        instructions += guests.retired(guest);
    }
    println!("{} guests, {instructions} instructions", guests.len());
    Ok(())
}
