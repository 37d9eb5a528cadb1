//! What a program does, in a terminal: the activity that its monitor tells, drawn anew each second.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::time::Duration;

use console::Term;
use serde_json::Value as Json;

/// Time between two pictures.
const PERIOD: Duration = Duration::from_secs(1);
/// How long a program may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The width of a picture that is not for a terminal.
const WIDTH: usize = 120;
/// Lines of the log, and launches that are over.
const LINES: usize = 10;
const ENDED: usize = 5;

/// Draws what the program on this port does until it ends, or once for what is no terminal.
///
/// # Errors
///
/// If no program answers on the port.
pub(crate) fn run(port: u16, once: bool) -> Result<u8, String> {
    let asked = ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).build();
    let agent = ureq::Agent::new_with_config(asked);
    let ask = || -> Result<Json, String> {
        let mut answer = agent
            .get(format!("http://127.0.0.1:{port}/activity.json"))
            .call()
            .map_err(|error| error.to_string())?;
        let text = answer.body_mut().read_to_string().map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    };
    let first = ask().map_err(|error| {
        format!("no monitor answers on port {port} of this machine ({error}); is a program started with `GPUVM_MONITOR={port}`, and built with `--features gpuvm/monitor`?")
    })?;
    let is_terminal = std::io::stdout().is_terminal();
    if once || !is_terminal {
        print!("{}", picture(&first, WIDTH, usize::MAX));
        return Ok(0);
    }
    let term = Term::stdout();
    let mut activity = first;
    loop {
        let (height, width) = term.size();
        // One piece, so that nothing flickers: to the top, the picture, and nothing behind it.
        let picture = picture(&activity, width.into(), usize::from(height).saturating_sub(1));
        let lines = picture.replace('\n', "\x1b[K\n");
        print!("\x1b[H{lines}\x1b[J");
        let _ = std::io::stdout().flush();
        std::thread::sleep(PERIOD);
        match ask() {
            Ok(next) => activity = next,
            Err(_) => {
                println!("the program has ended");
                return Ok(0);
            }
        }
    }
}

/// The columns of a table: a head, and whether its cells are at the right.
type Heads<'h> = &'h [(&'h str, bool)];

/// A picture of some activity, of so many columns and at most so many lines.
fn picture(activity: &Json, width: usize, height: usize) -> String {
    let mut page = String::new();
    let (totals, history) = (&activity["totals"], &activity["history"]);
    let last = |name: &str| {
        history[name]
            .as_array()
            .and_then(|all| all.last())
            .and_then(Json::as_f64)
    };
    let mut line = |text: String| {
        let _ = writeln!(page, "{text}");
    };
    line(format!(
        "{}, process {}, {}",
        text(&activity["program"]),
        activity["process"],
        time(activity["uptime"].as_f64())
    ));
    line(format!(
        "{} launches, {} plans, {} VMs, {} trapped; now {} VMs/s, {} instructions/s, {} messages/s",
        count(totals["launches"].as_f64()),
        count(totals["plans"].as_f64()),
        count(totals["vms"].as_f64()),
        count(totals["traps"].as_f64()),
        count(last("vms")),
        count(last("instructions")),
        count(last("messages")),
    ));
    for runtime in list(&activity["runtimes"]) {
        let bytes: f64 = ["data", "work", "idle"]
            .iter()
            .filter_map(|name| runtime[*name].as_f64())
            .sum();
        line(format!(
            "{} ({}), {} of its memory",
            text(&runtime["device"]),
            text(&runtime["backend"]),
            size(bytes)
        ));
    }
    let under_way: Vec<Vec<String>> = list(&activity["under_way"]).iter().map(under_way).collect();
    let heads: Heads<'_> = &[
        ("UNDER WAY", false),
        ("VMS", true),
        ("STEP", true),
        ("", false),
        ("RUN", true),
        ("WAIT", true),
        ("HALTED", true),
        ("TRAPPED", true),
        ("TIME", true),
        ("ENGINE", false),
    ];
    table(&mut page, heads, &under_way);
    let kernels: Vec<Vec<String>> = list(&activity["kernels"]).iter().map(kernel).collect();
    let heads: Heads<'_> = &[
        ("RING KERNEL", false),
        ("IS", false),
        ("ACTORS", true),
        ("QUEUE", true),
        ("MESSAGES/S", true),
        ("HANDLED", true),
        ("P50", true),
        ("P99", true),
        ("DEAD", true),
        ("ENGINE", false),
    ];
    table(&mut page, heads, &kernels);
    for kernel in list(&activity["kernels"]) {
        for why in ["reason", "full"].iter().filter_map(|name| kernel[*name].as_str()) {
            let _ = writeln!(page, "  {}: {why}", text(&kernel["name"]));
        }
    }
    let ended: Vec<Vec<String>> = list(&activity["ended"]).iter().rev().take(ENDED).map(ended).collect();
    table(
        &mut page,
        &[
            ("ENDED", false),
            ("VMS", true),
            ("TIME", true),
            ("DEVICE", true),
            ("HOW", false),
        ],
        &ended,
    );
    let lines = list(&activity["lines"]);
    if !lines.is_empty() {
        page.push('\n');
    }
    for said in &lines[lines.len().saturating_sub(LINES)..] {
        let vm = said["vm"].as_u64().map_or_else(String::new, |vm| format!(" VM {vm}"));
        let _ = writeln!(
            page,
            "{:5} {}{vm}: {}",
            text(&said["level"]),
            text(&said["source"]),
            text(&said["text"])
        );
    }
    let cut = page
        .lines()
        .take(height)
        .map(|line| console::truncate_str(line, width, "…"));
    cut.fold(String::new(), |page, line| page + line.trim_end() + "\n")
}

fn under_way(work: &Json) -> Vec<String> {
    let standing = |name: &str| work["standing"][name].as_f64().unwrap_or_default();
    let (all, done) = match work["vms"].as_f64() {
        Some(vms) => (vms, standing("halted") + standing("trapped")),
        None => (number(&work["steps"]), number(&work["steps_done"])),
    };
    let steps = number(&work["steps"]);
    vec![
        name(work),
        count(work["vms"].as_f64()),
        if steps > 1.0 {
            format!("{} of {steps}", work["steps_done"])
        } else {
            String::new()
        },
        bar(done / all.max(1.0)),
        count(Some(standing("running"))),
        count(Some(standing("yielded") + standing("blocked"))),
        count(Some(standing("halted"))),
        count(Some(standing("trapped"))),
        time(work["time"].as_f64()),
        text(&work["engine"]).to_string(),
    ]
}

fn kernel(kernel: &Json) -> Vec<String> {
    vec![
        text(&kernel["name"]).to_string(),
        text(&kernel["life"]).to_string(),
        count(kernel["actors"].as_f64()),
        format!(
            "{} of {}",
            count(kernel["queued"].as_f64()),
            count(kernel["capacity"].as_f64())
        ),
        count(kernel["messages_per_second"].as_f64()),
        count(kernel["processed"].as_f64()),
        time(kernel["latency"]["p50"].as_f64()),
        time(kernel["latency"]["p99"].as_f64()),
        count(kernel["dead_letters"].as_f64()),
        text(&kernel["engine"]).to_string(),
    ]
}

fn ended(work: &Json) -> Vec<String> {
    vec![
        name(work),
        count(work["vms"].as_f64()),
        time(work["time"].as_f64()),
        time(work["device_time"].as_f64()),
        text(&work["ending"]).lines().next().unwrap_or_default().to_string(),
    ]
}

/// What is launched, short enough for a column.
fn name(work: &Json) -> String {
    console::truncate_str(text(&work["name"]), 40, "…").into_owned()
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_default()
}

fn number(json: &Json) -> f64 {
    json.as_f64().unwrap_or_default()
}

/// Ten places, filled from the left.
fn bar(part: f64) -> String {
    let filled = (part.clamp(0.0, 1.0) * 10.0).floor() as usize;
    format!("[{}{}]", "=".repeat(filled), " ".repeat(10 - filled))
}

fn table(page: &mut String, heads: Heads<'_>, rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    let wide = |text: &str| console::measure_text_width(text);
    let widths: Vec<usize> = (0..heads.len())
        .map(|column| {
            let cells = rows.iter().map(|row| wide(&row[column]));
            cells.fold(wide(heads[column].0), usize::max)
        })
        .collect();
    let mut add = |cells: &mut dyn Iterator<Item = &str>| {
        for ((cell, width), (_, at_right)) in cells.zip(&widths).zip(heads) {
            let space = " ".repeat(width - wide(cell));
            let _ = match at_right {
                true => write!(page, "{space}{cell}  "),
                false => write!(page, "{cell}{space}  "),
            };
        }
        page.push('\n');
    };
    add(&mut std::iter::empty());
    add(&mut heads.iter().map(|(head, _)| *head));
    for row in rows {
        add(&mut row.iter().map(String::as_str));
    }
}

/// A number with the prefix that keeps it short.
fn count(value: Option<f64>) -> String {
    let Some(value) = value else { return "-".to_string() };
    let scaled = [(1e12, "T"), (1e9, "G"), (1e6, "M")]
        .into_iter()
        .find(|(unit, _)| value >= *unit);
    match scaled {
        Some((unit, prefix)) => format!("{:.1} {prefix}", value / unit),
        None => format!("{value:.0}"),
    }
}

fn size(bytes: f64) -> String {
    let units = [
        (f64::from(1u32 << 30), "GiB"),
        (f64::from(1u32 << 20), "MiB"),
        (f64::from(1u32 << 10), "KiB"),
    ];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes / unit),
        None => format!("{bytes:.0} B"),
    }
}

fn time(seconds: Option<f64>) -> String {
    match seconds {
        None => "-".to_string(),
        Some(seconds) => format!("{:.1?}", Duration::from_secs_f64(seconds.max(0.0))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_picture_has_what_is_under_way() {
        let activity = json!({
            "program": "photo", "process": 7, "uptime": 12.5,
            "runtimes": [{ "device": "NVIDIA H200", "backend": "cuda", "data": 3_221_225_472u64, "work": 0, "idle": 0 }],
            "totals": { "launches": 3, "plans": 0, "vms": 2_500_000, "traps": 1 },
            "history": { "vms": [1.0, 1_500_000.0], "instructions": [], "messages": [0.0] },
            "under_way": [{
                "name": "shade", "vms": 1000, "steps": 4, "steps_done": 1, "time": 0.25, "engine": "interpreter",
                "standing": { "running": 350, "yielded": 50, "blocked": 0, "halted": 599, "trapped": 1 },
            }],
            "kernels": [{
                "name": "bank", "life": "active", "actors": 10, "queued": 5, "capacity": 4096, "messages_per_second": 80_000.0, "processed": 9,
                "latency": { "p50": 0.000_021, "p99": 0.001 }, "dead_letters": 2, "engine": "native", "reason": null, "full": "4096 messages wait",
            }],
            "ended": [{ "name": "shade", "vms": 1, "time": 0.001, "device_time": null, "ending": "1 VM trapped" }],
            "lines": [{ "level": "info", "source": "shade", "vm": 3, "text": "x is 5" }],
        });
        let expected = "\
photo, process 7, 12.5s
3 launches, 0 plans, 2.5 M VMs, 1 trapped; now 1.5 M VMs/s, - instructions/s, 0 messages/s
NVIDIA H200 (cuda), 3.0 GiB of its memory

UNDER WAY   VMS    STEP                RUN  WAIT  HALTED  TRAPPED     TIME  ENGINE
shade      1000  1 of 4  [======    ]  350    50     599        1  250.0ms  interpreter

RING KERNEL  IS      ACTORS      QUEUE  MESSAGES/S  HANDLED     P50    P99  DEAD  ENGINE
bank         active      10  5 of 4096       80000        9  21.0µs  1.0ms     2  native
  bank: 4096 messages wait

ENDED  VMS   TIME  DEVICE  HOW
shade    1  1.0ms       -  1 VM trapped

info  shade VM 3: x is 5
";
        assert_eq!(picture(&activity, 120, usize::MAX), expected);
        let small = picture(&activity, 20, 2);
        assert_eq!(small, "photo, process 7, 1…\n3 launches, 0 plans…\n");
    }
}
