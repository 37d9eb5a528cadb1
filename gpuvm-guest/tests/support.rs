//! What the tests share.

use std::path::PathBuf;
use std::sync::LazyLock;

use gpuvm::{Engine, Runtime};
use gpuvm_guest::{Guests, Linux, Program, Settings, Start};

/// A runtime with a GPU's engines; a software rasteriser such as lavapipe will do.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        let backend = match std::env::var("GPUVM_BACKEND").as_deref() {
            Ok("cuda") => gpuvm::Backend::Cuda,
            _ => gpuvm::Backend::Wgpu,
        };
        let runtime = Runtime::builder().backend(backend).build();
        runtime.expect("the tests need a device, be it Mesa's lavapipe")
    });
    &RUNTIME
}

/// A file of the tests' data.
pub fn data(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A program of the tests' data.
pub fn program(name: &str) -> Program {
    Program::from_elf(&data(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs guests to their ends.
pub fn ended(programs: &[Program], starts: Vec<Start>, settings: Settings) -> Guests {
    let mut guests = Guests::new(runtime(), programs, starts, settings).expect("guests");
    guests.run(&mut Linux::default()).expect("a run");
    guests
}

/// Settings with an engine, for guests that are emulated.
pub fn on(engine: Engine) -> Settings {
    Settings {
        engine,
        translated: false,
        ..Settings::default()
    }
}

/// Settings with an engine, for guests that are translated.
pub fn translated_on(engine: Engine) -> Settings {
    Settings {
        translated: true,
        ..on(engine)
    }
}

/// One guest that jumps to where it is, for ever: `j .`, of RISC-V.
pub fn endless() -> Guests {
    let file = elf(243, true, &0x0000_006f_u32.to_le_bytes(), 7);
    let program = Program::from_elf(&file).expect("a program");
    Guests::new(runtime(), &[program], [Start::with(["endless"])], on(Engine::Native)).expect("guests")
}

/// An ELF file for a machine, by its number of the ELF list, of one segment at 0x10000 that may be read, written to and executed, and is entered at its beginning.
pub fn elf(machine: u16, wide: bool, code: &[u8], flags: u32) -> Vec<u8> {
    let mut file = vec![
        0x7f,
        b'E',
        b'L',
        b'F',
        1 + u8::from(wide),
        1,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ];
    let (header, segment) = if wide { (64, 56) } else { (52, 32) };
    let mut put = |value: u64, bytes: usize| file.extend(&value.to_le_bytes()[..bytes]);
    let word = if wide { 8 } else { 4 };
    let offset = header + segment;
    put(2, 2); // linked
    put(u64::from(machine), 2);
    put(1, 4);
    put(0x1_0000, word);
    put(header, word);
    put(0, word);
    put(0, 4);
    for value in [header, segment, 1, 0, 0, 0] {
        put(value, 2);
    }
    put(1, 4); // loaded
    if wide {
        put(u64::from(flags), 4);
    }
    put(offset, word);
    put(0x1_0000, word);
    put(0x1_0000, word);
    put(code.len() as u64, word);
    put(code.len() as u64, word);
    if !wide {
        put(u64::from(flags), 4);
    }
    put(1, word);
    file.extend(code);
    file
}

/// AArch64 in the ELF list.
pub const ARM: u16 = 183;

/// RISC-V in the ELF list.
pub const RISCV: u16 = 243;

/// Words as bytes.
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
