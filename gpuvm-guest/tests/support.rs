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

/// Settings with an engine.
pub fn on(engine: Engine) -> Settings {
    Settings {
        engine,
        ..Settings::default()
    }
}
