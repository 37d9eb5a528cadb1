//! The figures for a person, as tables.

use std::fmt;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use gpuvm_workloads::Size;

use crate::algebra::{Raised, Spent, TURNS};
use crate::backends::Comparison;
use crate::breakpoints;
use crate::budget::WAYS;
use crate::contest::{Entry, Outcome};
use crate::devices;
use crate::flock::Flight;
use crate::genetic::Bred;
use crate::guests::{Beside, Crowd};
use crate::ladder::{Climb, Ladder};
use crate::latency::Wait;
use crate::peers::cuda;
use crate::plans::Figure;
use crate::problem::Problem;
use crate::profiles;
use crate::report::{Report, contestants, distinct, geometric_mean, speeds};
use crate::ring::{self, Exchange, TASKS, bare};
use crate::soup::Served;
use crate::talk;
use crate::timing::Pace;

/// Figures with what they are of.
#[derive(Clone, Debug)]
pub struct Grid {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// One with these columns and no rows.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Grid {
        Grid {
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }

    /// It as Markdown has it.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells = cells.iter().map(|cell| match cell.is_empty() {
                true => " ".to_string(),
                false => format!(" {} ", cell.replace('\n', ", ")),
            });
            format!("|{}|", cells.collect::<Vec<_>>().join("|"))
        };
        let under = (0..self.columns.len()).map(|at| if at == 0 { "---" } else { "---:" });
        let under = format!("|{}|", under.collect::<Vec<_>>().join("|"));
        let rows = self.rows.iter().map(|row| line(row));
        [line(&self.columns), under]
            .into_iter()
            .chain(rows)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new();
        table.load_preset(UTF8_FULL_CONDENSED).set_header(&self.columns);
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.add_rows(&self.rows);
        write!(f, "{table}")
    }
}

/// A table with what it is called.
pub struct Section {
    /// What a document calls it by.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// The figures.
    pub grid: Grid,
}

/// Prints everything that was measured.
pub fn print(report: &Report) {
    println!(
        "\n{}\n{} size, medians of {} runs after warm-up\n",
        report.host, report.size, report.repeats
    );
    for Section { title, grid, .. } in sections(report) {
        println!("{title}\n{grid}\n");
    }
}

/// Everything that was measured, as tables. Those that say nothing of the back end themselves have it in their names, unless it is wgpu.
pub fn sections(report: &Report) -> Vec<Section> {
    let through = match report.host.backend.as_str() {
        "Wgpu" => String::new(),
        other => format!(", {other}"),
    };
    let mut sections = Vec::new();
    let mut add = |name: &str, through: &str, title: String, grid| {
        sections.push(Section {
            name: format!("{name}{through}"),
            title,
            grid,
        });
    };
    for ladder in report.ladder.iter().flatten() {
        let name = format!("ladder, {}", ladder.program);
        let title = format!("Ladder: {}, {} turns", ladder.program, ladder.steps);
        add(&name, &through, title, ladder_table(ladder));
    }
    if let Some(outcomes) = &report.peers {
        for outcome in outcomes {
            let title = format!("{}: {}", outcome.workload, outcome.amount);
            add(&outcome.workload, &through, title, contest_table(outcome));
        }
        for (name, title, time) in TIMES {
            add(name, &through, title.to_string(), times_table(outcomes, time));
        }
        let title = "How many times as fast gpuvm is, geometric means with the least and the most".to_string();
        add("peers, ratios", &through, title, ratios_table(outcomes));
    }
    if let Some(soup) = &report.soup {
        let title = "Soup: time to all results, linking and compilation counted".to_string();
        add("soup", &through, title, soup_table(soup));
    }
    if let Some(genetic) = &report.genetic {
        let title = "Genetic programming: generations of trees of 31 nodes, building and linking counted".to_string();
        add("genetic", &through, title, genetic_table(genetic));
    }
    if let Some(guests) = &report.guests {
        if !guests.crowds.is_empty() {
            let title =
                "Guests: instructions that all of them retire a second, with one input for all, and with one each";
            add("guests", &through, title.to_string(), guests_table(&guests.crowds));
        }
        if !guests.beside.is_empty() {
            let title = "Guests: what they take beside running".to_string();
            add("guests, beside", &through, title, beside_table(&guests.beside));
        }
    }
    if let Some(waits) = &report.latency {
        let title = "Latency: launch to results, 10-line routines, warm device".to_string();
        add("latency", "", title, latency_table(waits));
    }
    if let Some(budget) = &report.budget {
        let title = "Budget: what being able to stop costs".to_string();
        let rows = budget.iter().map(|row| (&row.engine, &row.seconds, &row.problem));
        add(
            "budget",
            &through,
            title,
            more_table(&WAYS.map(|(name, ..)| name), rows),
        );
    }
    if let Some(watched) = &report.breakpoints {
        let title = "Breakpoints: what a condition costs that no VM meets".to_string();
        let rows = watched.iter().map(|row| (&row.what, &row.seconds, &row.problem));
        add("breakpoints", &through, title, more_table(&breakpoints::WAYS, rows));
    }
    if let Some(profiled) = &report.profiles {
        let title = "Profiles: what they cost".to_string();
        let rows = profiled.iter().map(|row| (&row.what, &row.seconds, &row.problem));
        add("profiles", &through, title, more_table(&profiles::WAYS, rows));
    }
    if let Some(backends) = &report.backends {
        let title = "Back ends: launches, and the device's part of them".to_string();
        add("backends", "", title, backends_table(backends));
    }
    if let Some(spread) = &report.devices {
        let title = format!("Devices: one, and {}", spread.name);
        add("devices", &through, title, devices_table(spread));
    }
    if let Some(plans) = &report.plans {
        let title = "Plans: what phases and folds cost".to_string();
        add("plans", &through, title, plans_table(plans));
    }
    if let Some(algebra) = &report.algebra {
        let title = format!("Algebra: {TURNS} turns of a loop");
        add("algebra", &through, title, algebra_table(algebra));
    }
    for flight in report.flock.iter().flatten() {
        let Flight { boids, steps, .. } = flight;
        let title = format!("Flock: {boids} boids, {steps} steps a run");
        add(&format!("flock, {boids}"), &through, title, flock_table(flight));
    }
    if let Some(ring) = &report.ring {
        let title = "Ring: messages a second and back, and calls".to_string();
        add("ring", &through, title, ring_table(ring, report.size));
    }
    sections
}

/// A time of a contestant, as a cell.
type Cell = fn(&Entry) -> Option<String>;

/// The peers' tables over all workloads.
const TIMES: [(&str, &str, Cell); 4] = [
    ("peers, device", "On the device", |entry| entry.device.map(time)),
    (
        "peers, resident",
        "With the data on the device, after 64 runs and (the first 16); the host asks",
        |entry| entry.resident.map(paced),
    ),
    (
        "peers, asleep",
        "The same where the host sleeps until the device is done",
        |entry| entry.asleep.map(time),
    ),
    ("peers, launch", "Whole launches, likewise", |entry| {
        entry.launch.map(paced)
    }),
];

/// A workload in a row, a contestant in a column.
fn times_table(outcomes: &[Outcome], cell: Cell) -> Grid {
    let names: Vec<&str> = contestants(outcomes)
        .into_iter()
        .filter(|name| {
            let mut entries = outcomes.iter().filter_map(|outcome| outcome.entry(name));
            entries.any(|entry| cell(entry).is_some())
        })
        .collect();
    let mut table = Grid::new([""].into_iter().chain(names.iter().copied()));
    for outcome in outcomes {
        let cells = names
            .iter()
            .map(|name| outcome.entry(name).and_then(cell).unwrap_or_default());
        let what = format!("{}, {}", outcome.workload, outcome.amount);
        table.push([what].into_iter().chain(cells));
    }
    table
}

/// Seconds of a contestant.
type Seconds = fn(&Entry) -> Option<f64>;

/// What of a run is compared.
const COMPARED: [(&str, Seconds); 3] = [
    ("device", |entry| entry.device),
    ("resident, host", |entry| Some(entry.resident?.steady)),
    ("launch", |entry| Some(entry.launch?.steady)),
];

/// How many times as fast as each of the peers we are, over all workloads.
fn ratios_table(outcomes: &[Outcome]) -> Grid {
    // Whoever has no variant of a kind is compared by the next.
    let peers: [(&str, [&[&str]; 2]); 5] = [
        ("WGSL", [&["WGSL"], &["WGSL"]]),
        ("WGSL unchecked", [&["WGSL unchecked"], &["WGSL unchecked"]]),
        ("CubeCL", [&["CubeCL"], &["CubeCL"]]),
        (
            "CUDA plain",
            [
                &[cuda::PLAIN, cuda::TUNED],
                &[cuda::PLAIN_RELAXED, cuda::PLAIN, cuda::TUNED],
            ],
        ),
        (
            "CUDA tuned",
            [
                &[cuda::TUNED, cuda::PLAIN],
                &[cuda::TUNED_RELAXED, cuda::TUNED, cuda::PLAIN],
            ],
        ),
    ];
    let own: [(&str, &[&str]); 2] = [
        ("exact", &["gpuvm specialized"]),
        ("relaxed", &["gpuvm specialized relaxed", "gpuvm specialized"]),
    ];
    let mut table = Grid::new(["floats, time"].into_iter().chain(peers.iter().map(|(name, _)| *name)));
    for (kind, (floats, own)) in own.into_iter().enumerate() {
        for (what, seconds) in COMPARED {
            let cells = peers.iter().map(|(_, variants)| {
                let of = |outcome: &Outcome, names: &[&str]| {
                    let mut entries = names.iter().filter_map(|name| outcome.entry(name));
                    entries.find_map(seconds)
                };
                let ratios = outcomes
                    .iter()
                    .filter_map(|outcome| Some(of(outcome, variants[kind])? / of(outcome, own)?));
                let ratios: Vec<f64> = ratios.collect();
                let [least, most] = [f64::min, f64::max].map(|of| ratios.iter().copied().reduce(of));
                let mean = geometric_mean(ratios.iter().copied());
                mean.map_or_else(String::new, |mean| {
                    format!("{mean:.2} ({} to {})", ratio(least), ratio(most))
                })
            });
            table.push([format!("{floats}, {what}")].into_iter().chain(cells));
        }
    }
    table
}

/// A time after many runs, and that of the first if it is known.
fn paced(pace: Pace) -> String {
    let first = pace.first.map(|first| format!(" ({})", time(first)));
    time(pace.steady) + &first.unwrap_or_default()
}

fn plans_table(plans: &[Figure]) -> Grid {
    let mut table = Grid::new(["", "time", "each phase", "on the device", "each phase", "bytes/s there"]);
    for figure in plans {
        let each = |seconds: Option<f64>| {
            let seconds = seconds.filter(|_| figure.phases > 1);
            seconds.map_or_else(String::new, |seconds| time(seconds / figure.phases as f64))
        };
        let rate = figure.device.filter(|_| figure.bytes > 0);
        table.push([
            figure.name.clone(),
            figure.seconds.map_or_else(|| Problem::note(&figure.problem), time),
            each(figure.seconds),
            figure.device.map_or_else(String::new, time),
            each(figure.device),
            rate.map_or_else(String::new, |seconds| scaled(figure.bytes as f64 / seconds) + "B/s"),
        ]);
    }
    table
}

fn algebra_table(algebra: &[Raised]) -> Grid {
    let mut table = Grid::new([
        "",
        "engine",
        "as powers",
        "stepped",
        "turns stepped",
        "times as fast",
        "on the device",
    ]);
    for raised in algebra {
        let whole = f64::from(TURNS) / f64::from(raised.stepped_turns);
        let times = |of: fn(&Spent) -> Option<f64>| {
            let times = raised
                .raised
                .as_ref()
                .and_then(of)
                .zip(raised.stepped.as_ref().and_then(of));
            times.map_or_else(String::new, |(raised, stepped)| {
                format!("{:.0}", stepped * whole / raised)
            })
        };
        table.push([
            raised.name.to_string(),
            raised.engine.clone(),
            raised
                .raised
                .map_or_else(|| Problem::note(&raised.problem), |spent| time(spent.launch)),
            raised.stepped.map_or_else(String::new, |spent| time(spent.launch)),
            raised.stepped_turns.to_string(),
            times(|spent| Some(spent.launch)),
            times(|spent| spent.device),
        ]);
    }
    table
}

fn flock_table(flight: &Flight) -> Grid {
    let mut table = Grid::new(["", "a step", "x rayon", "on the device", "results"]);
    for flown in &flight.entries {
        let results = match &flown.agreement {
            Some(agreement) => agreement.clone(),
            None => Problem::note(&flown.problem),
        };
        table.push([
            flown.contestant.clone(),
            flown.step.map_or_else(String::new, time),
            ratio(flight.speed(flown)),
            flown.device.map_or_else(String::new, time),
            results,
        ]);
    }
    table
}

fn ring_table(ring: &[Exchange], size: Size) -> Grid {
    let crowds = ring::crowds(size).map(|actors| format!("to {actors} actors"));
    let tasks = format!("calls/s of {TASKS} tasks");
    let mut names = vec![""];
    names.extend(crowds.iter().map(String::as_str));
    let talkers = talk::crowds(size).map(|actors| format!("between {actors}"));
    names.extend(talkers.iter().map(String::as_str));
    let linked = talk::crowds(size).map(|actors| format!("between kernels of {actors}"));
    names.extend(linked.iter().map(String::as_str));
    names.extend(["a call", "p99", "x bare", &tasks]);
    let mut table = Grid::new(names);
    let rate = |rate: Option<f64>| rate.map_or_else(String::new, scaled);
    for exchange in ring {
        let mut cells = vec![exchange.contestant.clone()];
        cells.extend((0..crowds.len()).map(|crowd| rate(exchange.bulk.get(crowd).copied())));
        cells.extend((0..talkers.len()).map(|crowd| rate(exchange.between.get(crowd).copied())));
        cells.extend((0..linked.len()).map(|crowd| rate(exchange.linked.get(crowd).copied())));
        cells.extend([
            exchange.call.map_or_else(String::new, |call| time(call.median)),
            exchange.call.map_or_else(String::new, |call| time(call.p99)),
            ratio(exchange.call.zip(bare(ring)).map(|(call, bare)| call.median / bare)),
            rate(exchange.calls),
        ]);
        if exchange.problem.is_some() {
            cells.push(Problem::note(&exchange.problem));
        }
        table.push(cells);
    }
    table
}

fn backends_table(backends: &[Comparison]) -> Grid {
    let figures = backends.iter().flat_map(|comparison| &comparison.figures);
    let names = distinct(figures.map(|figure| figure.backend.as_str()));
    let columns = ["device", "launch"].map(|what| names.iter().map(move |name| format!("{name}: {what}")));
    let mut table = Grid::new([String::new()].into_iter().chain(columns.into_iter().flatten()));
    for comparison in backends {
        let figure = |name: &&str| comparison.figures.iter().find(|figure| figure.backend == *name);
        let device = |name| {
            let seconds = figure(name).and_then(|figure| figure.device);
            seconds.map_or_else(String::new, |seconds| {
                let rate = comparison.instructions.map(|count| count as f64 / seconds / 1e9);
                time(seconds) + &rate.map_or_else(String::new, |rate| format!("\n{rate:.1} G instr/s"))
            })
        };
        let launch = |name| {
            figure(name).map_or_else(String::new, |figure| {
                figure.launch.map_or_else(|| Problem::note(&figure.problem), time)
            })
        };
        let cells = names.iter().map(device).chain(names.iter().map(launch));
        table.push([comparison.what.clone()].into_iter().chain(cells));
    }
    table
}

/// Times of several ways to do the same, with how much more the others take than the first.
fn more_table<'r>(ways: &[&str], rows: impl Iterator<Item = (&'r String, &'r Vec<f64>, &'r Option<Problem>)>) -> Grid {
    let mut table = Grid::new([""].into_iter().chain(ways.iter().copied()));
    for (name, seconds, problem) in rows {
        let cell = |(at, own): (usize, &f64)| {
            let more = 100.0 * (own / seconds[0] - 1.0);
            let more = if at == 0 {
                String::new()
            } else {
                format!("\n{more:+.1} %")
            };
            time(*own) + &more
        };
        let mut cells = vec![name.clone()];
        cells.extend(seconds.iter().enumerate().map(cell));
        if seconds.is_empty() {
            cells.push(Problem::note(problem));
        }
        table.push(cells);
    }
    table
}

fn devices_table(spread: &devices::Comparison) -> Grid {
    let mut table = Grid::new([
        "".to_string(),
        "one".to_string(),
        spread.devices.to_string(),
        "times as fast".to_string(),
    ]);
    for row in &spread.rows {
        let mut cells = vec![row.what.clone()];
        match row.seconds {
            Some([one, all]) => cells.extend([time(one), time(all), format!("{:.2}", one / all)]),
            None => cells.push(Problem::note(&row.problem)),
        }
        table.push(cells);
    }
    table
}

fn ladder_table(ladder: &Ladder) -> Grid {
    let names = ladder.climbs.iter().map(|climb| climb.engine.as_str());
    let mut table = Grid::new(["VMs"].into_iter().chain(names));
    let mut sizes: Vec<usize> = (ladder.climbs.iter())
        .flat_map(|climb| climb.rungs.iter().map(|rung| rung.vms))
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    for vms in sizes {
        let cell = |climb: &Climb| {
            let rung = climb.rungs.iter().find(|rung| rung.vms == vms);
            rung.map_or_else(
                || Problem::note(&climb.problem),
                |rung| {
                    let rate = rung.rate().map(|rate| format!("\n{} instr/s", scaled(rate)));
                    time(rung.seconds) + &rate.unwrap_or_default()
                },
            )
        };
        table.push([vms.to_string()].into_iter().chain(ladder.climbs.iter().map(cell)));
    }
    table
}

fn contest_table(outcome: &Outcome) -> Grid {
    let mut table = Grid::new(["", "launch", "x WGSL", "resident", "x WGSL", "device", "results"]);
    for entry in &outcome.entries {
        let [launch, resident] = speeds(outcome, &entry.contestant);
        let results = match &entry.agreement {
            Some(agreement) => agreement.clone(),
            None => Problem::note(&entry.problem),
        };
        table.push([
            entry.contestant.clone(),
            entry.launch.map_or_else(String::new, paced),
            ratio(launch),
            entry.resident.map_or_else(String::new, paced),
            ratio(resident),
            entry.device.map_or_else(String::new, time),
            results,
        ]);
    }
    table
}

fn soup_table(soup: &[Served]) -> Grid {
    let mut table = Grid::new(["", "routines", "all results", "each"]);
    for served in soup {
        let each = served.seconds.map(|seconds| seconds / served.routines as f64);
        table.push([
            served.contestant.clone(),
            served.routines.to_string(),
            served.seconds.map_or_else(|| Problem::note(&served.problem), time),
            each.map_or_else(String::new, time),
        ]);
    }
    table
}

fn genetic_table(genetic: &[Bred]) -> Grid {
    let mut table = Grid::new([
        "",
        "trees",
        "cases",
        "a generation",
        "on the device",
        "evaluations a second",
    ]);
    for bred in genetic {
        table.push([
            bred.engine.clone(),
            bred.trees.to_string(),
            bred.cases.to_string(),
            bred.seconds.map_or_else(|| Problem::note(&bred.problem), time),
            bred.on_device.map_or_else(String::new, time),
            bred.seconds.map_or_else(String::new, |seconds| {
                format!("{:.1} G", bred.evaluations / seconds / 1e9)
            }),
        ]);
    }
    table
}

/// A program in a row, a way to run it in two columns: by the device's time and, behind a slash, by the clock.
fn guests_table(crowds: &[Crowd]) -> Grid {
    let names = distinct(crowds.iter().map(|crowd| crowd.contestant.as_str()));
    let columns = names
        .iter()
        .flat_map(|name| [format!("{name}: same"), "apart".to_string(), "first run".to_string()]);
    let mut table = Grid::new([String::new()].into_iter().chain(columns));
    for program in distinct(crowds.iter().map(|crowd| crowd.program.as_str())) {
        let mut cells = vec![program.to_string()];
        for name in &names {
            let of = |apart| {
                let mut own = crowds.iter().filter(|crowd| crowd.program == program);
                own.find(|crowd| crowd.contestant == *name && crowd.apart == apart)
            };
            let rate = |crowd: Option<&Crowd>| {
                crowd.map_or_else(String::new, |crowd| match crowd.seconds {
                    Some((host, engine)) => {
                        let [engine, host] = [engine, host].map(|seconds| scaled(crowd.instructions / seconds));
                        format!("{engine} / {host}")
                    }
                    None => Problem::note(&crowd.problem),
                })
            };
            let first = of(false).and_then(|crowd| crowd.first);
            cells.extend([rate(of(false)), rate(of(true)), first.map_or_else(String::new, time)]);
        }
        table.push(cells);
    }
    table
}

fn beside_table(beside: &[Beside]) -> Grid {
    let mut table = Grid::new(["", "time"]);
    for Beside { what, seconds, problem } in beside {
        table.push([what.clone(), seconds.map_or_else(|| Problem::note(problem), time)]);
    }
    table
}

fn latency_table(waits: &[Wait]) -> Grid {
    let mut table = Grid::new(["", "first launch", "longest first launch", "again"]);
    for wait in waits {
        table.push([
            wait.contestant.clone(),
            wait.first.map_or_else(|| Problem::note(&wait.problem), time),
            wait.longest.map_or_else(String::new, time),
            wait.again.map_or_else(String::new, time),
        ]);
    }
    table
}

/// A time with three or four digits that count.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(String::new, |ratio| match ratio {
        r if r < 0.1 => format!("{r:.4}"),
        r => format!("{r:.2}"),
    })
}

/// A number with the prefix that keeps it short.
pub fn scaled(value: f64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match units.into_iter().find(|(unit, _)| value >= *unit) {
        Some((unit, prefix)) => format!("{:.1} {prefix}", value / unit),
        None => format!("{value:.1} "),
    }
}
