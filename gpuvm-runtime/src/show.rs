//! What `cargo gpuvm` asks a program of itself: which routines and ring kernels it has, what they are linked to, and what becomes of a snapshot. The program answers when it opens a runtime, and ends.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use gpuvm_core::settings::Settings;

use crate::counted::counted;
use crate::entry::Launchable;
use crate::error::{Error, Result};
use crate::progress::Standing;
use crate::registry::Registration;
use crate::ring::handler::Entry;
use crate::runtime::Runtime;
use crate::snapshot::Snapshot;
use crate::sources::Sources;

mod remarks;

use remarks::remarks;

/// The environment variable that asks.
const VARIABLE: &str = "GPUVM_SHOW";

/// Answers what the environment asks, if it asks, and ends the process.
///
/// # Errors
///
/// [`Error::UnknownId`], or when the routine does not link.
pub(crate) fn answer(runtime: &Runtime) -> Result<()> {
    let Some(asked) = std::env::var(VARIABLE).ok().filter(|asked| !asked.is_empty()) else {
        return Ok(());
    };
    print!("{}", shown(runtime, &asked)?);
    std::process::exit(0)
}

fn shown(runtime: &Runtime, asked: &str) -> Result<String> {
    match asked.split_once(' ').unwrap_or((asked, "")) {
        ("list", _) => Ok(list()),
        ("explain", id) => explained(runtime, id),
        ("replay", path) => replayed(runtime, Path::new(path)),
        ("disasm", id) => Ok(with_sources(&runtime.program(id)?.disassemble())),
        _ => Err(Error::Debugger {
            reason: format!("{VARIABLE} is `{asked}`, and may be `list`, `explain ID`, `disasm ID` or `replay FILE`"),
        }),
    }
}

/// What becomes of the VMs of a snapshot, and the trap of the first one that has trapped.
fn replayed(runtime: &Runtime, path: &Path) -> Result<String> {
    let snapshot = Snapshot::read(path)?;
    let mut execution = runtime.restore(&snapshot)?;
    execution.run_to_end()?;
    let Standing {
        running,
        yielded,
        blocked,
        halted,
        trapped,
        ..
    } = execution.standing();
    let counts = [
        (halted, "halted"),
        (trapped, "trapped"),
        (blocked, "wait for answers"),
        (running + yielded, "not done"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    let mut text = format!(
        "`{}`, {} of {}: {}\n",
        snapshot.routine(),
        path.display(),
        counted(snapshot.vms() as usize, "VM"),
        counts.join(", ")
    );
    if trapped > 0
        && let Err(error) = execution.finish()
    {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{error:?}");
    }
    Ok(text)
}

/// All routines and ring kernels with what they take, and where they are.
fn list() -> String {
    let routines = inventory::iter::<Registration>.into_iter().map(|registration| {
        let routine = (registration.routine)();
        let params = registration.params.iter().zip(routine.params.iter());
        let params: Vec<String> = params.map(|(name, ty)| format!("{name}: {ty}")).collect();
        let signature = format!("{}({}) -> {}", registration.id, params.join(", "), routine.result);
        ("routine", signature, registration.file, registration.line)
    });
    let kernels = inventory::iter::<Entry>
        .into_iter()
        .map(|entry| ("ring kernel", entry.signature(), entry.file, entry.line));
    let mut all: Vec<_> = routines.chain(kernels).collect();
    all.sort();
    let width = all
        .iter()
        .map(|(_, signature, ..)| signature.len())
        .max()
        .unwrap_or(0)
        .min(80);
    let mut text = String::new();
    for (kind, signature, file, line) in all {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{kind:<11}  {signature:<width$}  {file}:{line}");
    }
    text
}

/// What linking has made of a program, as a whole and line by line, and what of it was made more or less of than it is in the source.
fn explained(runtime: &Runtime, id: &str) -> Result<String> {
    let entry = id.entry()?;
    let settings = runtime.settings();
    let with = |raise, fuse| {
        let settings = Settings {
            raise: settings.raise && raise,
            fuse: settings.fuse && fuse,
            ..settings.clone()
        };
        runtime.link_with(&entry, &settings)
    };
    let program = with(true, true)?;
    let program = &*program;
    let remarks = remarks(program, &*with(false, true)?, &*with(true, false)?, settings);
    let mut text = format!("{}\n\ninstructions by source line:\n", program.metadata());
    let mut counts: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for place in &program.places {
        *counts.entry((place.file, place.line)).or_default() += 1;
    }
    let mut sources = Sources::default();
    for ((file, line), count) in counts {
        let name = program.files.get(file as usize).map_or("?", String::as_str);
        let source = sources.line(name, line).unwrap_or_default();
        let _ = writeln!(text, "{count:>5}  {name}:{line:<5} {source}");
    }
    text.push_str("\nremarks:\n");
    for ((name, line), remark) in remarks {
        let source = sources.line(&name, line).unwrap_or_default();
        let _ = writeln!(text, "  {name}:{line} `{}`: {remark}", source.trim());
    }
    Ok(text)
}

/// A disassembly with the source's line behind each place.
fn with_sources(disassembly: &str) -> String {
    let mut sources = Sources::default();
    let mut text = String::new();
    for row in disassembly.lines() {
        text.push_str(row);
        text.push('\n');
        let place = row.strip_prefix("at ").and_then(|row| row.split_once(" ; "));
        let place = place.and_then(|(_, place)| place.split(" in ").next()?.rsplit_once(':'));
        if let Some((file, line)) = place
            && let Some(source) = line.parse().ok().and_then(|line| sources.line(file, line))
        {
            let _ = writeln!(text, "; {source}");
        }
    }
    text
}
