//! The examples are programs of their own (`cargo run --release --example photo`); this package holds them together, and what each needs
//! around what it shows.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use gpuvm::{Backend, DeviceKind, Engine, Runtime};
use image::RgbImage;
use indicatif::ProgressBar;

/// An engine, as a person names it.
#[derive(Clone, Copy, ValueEnum)]
#[allow(missing_docs, reason = "clap would print them as help, and the names say it all")]
pub enum Choice {
    Auto,
    Native,
    Reference,
    Epoch,
    Interpreter,
    Specialized,
}

impl From<Choice> for Engine {
    fn from(choice: Choice) -> Engine {
        match choice {
            Choice::Auto => Engine::Auto,
            Choice::Native => Engine::Native,
            Choice::Reference => Engine::Reference,
            Choice::Epoch => Engine::Epoch,
            Choice::Interpreter => Engine::Interpreter,
            Choice::Specialized => Engine::Specialized,
        }
    }
}

impl Choice {
    /// A runtime that has the engine: those that are made for GPUs run on any adapter, a software one too.
    ///
    /// # Errors
    ///
    /// When there is no adapter.
    pub fn runtime(self) -> gpuvm::Result<Runtime> {
        match self {
            Choice::Auto | Choice::Native | Choice::Reference => Runtime::new(),
            Choice::Epoch | Choice::Interpreter | Choice::Specialized => {
                let runtime = Runtime::new()?;
                match runtime.device().kind {
                    DeviceKind::Cpu => Runtime::builder().backend(Backend::Wgpu).build(),
                    _ => Ok(runtime),
                }
            }
        }
    }
}

/// How a program ends: why it could not do its work goes to the standard error.
pub fn exit(ended: Result<(), Box<dyn Error>>) -> ExitCode {
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Something that turns while work goes on, shown to a person and not to a pipe.
pub fn spinner(message: &'static str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

/// Writes a picture, in a folder that is made if it is not there, and says so.
///
/// # Errors
///
/// When it cannot be written.
pub fn write(picture: &RgbImage, file: &Path) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    picture.save(file)?;
    let (width, height) = picture.dimensions();
    println!("wrote {} ({width} x {height})", file.display());
    Ok(())
}
