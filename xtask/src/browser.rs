//! The monitor's page in a real browser: it is drawn there from what a busy program does, and what is drawn is checked. The suite needs no browser, so it is a task of its
//! own, for whoever changes the page.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{cargo_command, finish};

/// What the task is told.
#[derive(clap::Args)]
pub struct Options {
    /// Where to put a picture of the page, such as docs/monitor.png.
    #[arg(long)]
    picture: Option<PathBuf>,
    /// A browser of Chromium's kind, in place of one that is looked for.
    #[arg(long)]
    browser: Option<PathBuf>,
}

/// Browsers that are looked for.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// How long the program is busy before somebody looks.
const BUSY: Duration = Duration::from_secs(20);
/// The size of the picture.
const SIZE: &str = "--window-size=1280,1280";

/// What has to stand in which table of the page.
const DRAWN: [(&str, &[&str]); 5] = [
    ("under_way", &["collatz"]),
    ("kernels", &["shelf", "active", "1000"]),
    ("ended", &["reciprocal", "1 VM trapped", "reduce `add`"]),
    ("runtimes", &["B</td>"]),
    ("lines", &["1000000 taken of", "gpuvm-monitor/examples/busy.rs:"]),
];

/// Draws the page, and checks it.
///
/// # Errors
///
/// If there is no browser, or something is not drawn that has to be.
pub fn run(options: &Options) -> Result<(), String> {
    let browser = match &options.browser {
        Some(browser) => browser.clone(),
        None => found().ok_or("no browser was found: `apt install chromium`, or name one with `--browser`")?,
    };
    finish(cargo_command(&[
        "build",
        "--package",
        "gpuvm-monitor",
        "--example",
        "busy",
    ]))?;
    let (mut program, address) = start()?;
    eprintln!("{address} is busy for {BUSY:?} first");
    std::thread::sleep(BUSY);
    let drawn = look(&browser, &address, &["--dump-dom"]);
    let pictured = options.picture.as_deref().map(|path| {
        let path = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
        look(&browser, &address, &[&format!("--screenshot={}", path.display()), SIZE])
    });
    // It may have ended by itself.
    let _ = program.kill();
    let _ = program.wait();
    check(&drawn?)?;
    pictured.transpose()?;
    eprintln!("the page is drawn as it has to be");
    Ok(())
}

fn found() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let mut all = std::env::split_paths(&folders).flat_map(|folder| BROWSERS.map(|name| folder.join(name)));
    all.find(|path| path.is_file())
}

/// Starts the program. Gives the address of its monitor.
fn start() -> Result<(Child, String), String> {
    let mut command = cargo_command(&[
        "run",
        "--quiet",
        "--package",
        "gpuvm-monitor",
        "--example",
        "busy",
        "--",
        "120",
    ]);
    // Any port that is free.
    command
        .env("GPUVM_MONITOR", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut program = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let said = program
        .stderr
        .take()
        .map(BufReader::new)
        .ok_or("the program says nothing")?;
    let mut lines = said.lines();
    let address = loop {
        let line = lines
            .next()
            .and_then(Result::ok)
            .ok_or("the program has ended without a monitor")?;
        if let Some(address) = line.split_whitespace().find(|word| word.starts_with("http://")) {
            break address.to_string();
        }
    };
    // What it says is read, so that it never waits for that.
    std::thread::spawn(move || lines.for_each(drop));
    Ok((program, address))
}

/// What a browser says of a page.
fn look(browser: &Path, address: &str, asked: &[&str]) -> Result<String, String> {
    let mut command = Command::new(browser);
    // Chromium's sandbox does not run as root, as in a container; the page is our own.
    command
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--virtual-time-budget=4000",
        ])
        .args(asked)
        .arg(address);
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Whether everything is on the page that has to be.
fn check(drawn: &str) -> Result<(), String> {
    if !drawn.contains(">runs</span>") {
        return Err(format!("the page has not heard of the program:\n{drawn}"));
    }
    for (table, texts) in DRAWN {
        let begin = drawn.find(&format!("<table id=\"{table}\">")).unwrap_or(drawn.len());
        let rows = drawn[begin..].split("</table>").next().unwrap_or_default();
        if let Some(missing) = texts.iter().find(|text| !rows.contains(*text)) {
            return Err(format!("`{missing}` is not in the table `{table}`:\n{rows}"));
        }
    }
    match drawn.matches("<path class=\"line\"").count() {
        4 => Ok(()),
        others => Err(format!("{others} charts have lines, and not 4")),
    }
}
