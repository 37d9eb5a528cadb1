//! Runs an ELF file as guests: `run FILE COUNT [ARGUMENT…]`, with this program's input for each and the number of the guest for `%`. `EMULATED`, `ENGINE` and `MEMORY` are variables of the environment, and
//! `GDB`, a port of this machine where the first waits for gdb. Prints what the first
//! and the last write, how they stop, and how long it took.

use std::io::{IsTerminal, Read};
use std::net::TcpListener;
use std::time::Instant;

use gpuvm::{Engine, Runtime};
use gpuvm_guest::{Guests, Linux, Program, Settings, Start};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, count, rest @ ..] = arguments.as_slice() else {
        return Err("run FILE COUNT [ARGUMENT…]".into());
    };
    let engine = match std::env::var("ENGINE").as_deref() {
        Ok("native") => Engine::Native,
        Ok("reference") => Engine::Reference,
        Ok("interpreter") => Engine::Interpreter,
        Ok("specialised") => Engine::Specialized,
        _ => Engine::Auto,
    };
    let program = Program::from_elf(&std::fs::read(file)?)?;
    let mut input = Vec::new();
    if !std::io::stdin().is_terminal() {
        std::io::stdin().read_to_end(&mut input)?;
    }
    let runtime = Runtime::new()?;
    let starts = (0..count.parse::<usize>()?).map(|guest| {
        let own = rest.iter().map(|argument| argument.replace('%', &guest.to_string()));
        Start::with(std::iter::once(file.clone()).chain(own)).reading(input.iter().copied())
    });
    let settings = Settings {
        memory: std::env::var("MEMORY")
            .ok()
            .and_then(|bytes| bytes.parse().ok())
            .unwrap_or(512 << 10),
        translated: std::env::var("EMULATED").is_err(),
        engine,
        ..Settings::default()
    };
    let begun = Instant::now();
    let mut guests = Guests::new(&runtime, &[program], starts, settings)?;
    let made = begun.elapsed();
    if let Ok(port) = std::env::var("GDB") {
        let listener = TcpListener::bind(("127.0.0.1", port.parse()?))?;
        println!("gdb-multiarch {file} -ex 'target remote localhost:{port}'");
        let mut debugger = guests.debug(0)?;
        debugger.serve_gdb(&listener, &mut Linux::default())?;
        debugger.close()?;
    }
    guests.run(&mut Linux::default())?;
    let took = begun.elapsed() - made;
    for guest in [0, guests.len() - 1] {
        print!("{}", String::from_utf8_lossy(guests.output(guest)));
        eprint!("{}", String::from_utf8_lossy(&guests.streams(guest).errors));
        if let Some(stop) = guests.stop(guest) {
            println!("guest {guest} {stop}, after {} instructions", guests.retired(guest));
        }
    }
    let all: u64 = (0..guests.len()).map(|guest| guests.retired(guest)).sum();
    let (memory, shared) = guests.bytes();
    let rate = all as f64 / guests.time().as_secs_f64() / 1e9;
    println!("{rate:.3} G instructions/s of the engine's time, {:.2?}", guests.time());
    println!(
        "{} guests made in {made:.2?}, {all} instructions in {took:.2?}, {memory} bytes and {shared} shared",
        guests.len()
    );
    Ok(())
}
