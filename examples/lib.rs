//! The examples are programs of their own (`cargo run --release --example photo`); this package holds them together, and what each needs
//! around what it shows.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use image::RgbImage;
use indicatif::ProgressBar;

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
