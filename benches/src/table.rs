//! The figures for a person, as tables.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

use crate::algebra::{Raised, Spent, TURNS};
use crate::backends::Comparison;
use crate::budget::{Bounded, WAYS};
use crate::contest::Outcome;
use crate::flock::Flight;
use crate::genetic::Bred;
use crate::ladder::{Climb, Ladder};
use crate::latency::Wait;
use crate::plans::Figure;
use crate::problem::Problem;
use crate::report::{Report, contestants, geometric_mean, speeds};
use crate::ring::{CROWDS, Exchange, TASKS, bare};
use crate::soup::Served;
use crate::talk;

/// Prints everything that was measured.
pub fn print(report: &Report) {
    println!(
        "\n{}\n{:?} size, medians of {} runs after warm-up\n",
        report.host, report.size, report.repeats
    );
    for ladder in report.ladder.iter().flatten() {
        println!(
            "Ladder: {}, {} turns\n{}\n",
            ladder.program,
            ladder.steps,
            ladder_table(ladder)
        );
    }
    if let Some(outcomes) = &report.peers {
        for outcome in outcomes {
            println!("{}: {}\n{}\n", outcome.workload, outcome.amount, contest_table(outcome));
        }
        println!(
            "Geometric means, times as fast as hand-written WGSL\n{}\n",
            means_table(outcomes)
        );
    }
    if let Some(soup) = &report.soup {
        println!(
            "Soup: time to all results, linking and compilation counted\n{}\n",
            soup_table(soup)
        );
    }
    if let Some(genetic) = &report.genetic {
        println!(
            "Genetic programming: generations of trees of 31 nodes, building and linking counted\n{}\n",
            genetic_table(genetic)
        );
    }
    if let Some(waits) = &report.latency {
        println!(
            "Latency: launch to results, 10-line routines, warm device\n{}\n",
            latency_table(waits)
        );
    }
    if let Some(budget) = &report.budget {
        println!("Budget: what being able to stop costs\n{}\n", budget_table(budget));
    }
    if let Some(backends) = &report.backends {
        println!(
            "Back ends: launches, and the device's part of them\n{}\n",
            backends_table(backends)
        );
    }
    if let Some(plans) = &report.plans {
        println!("Plans: what phases and folds cost\n{}\n", plans_table(plans));
    }
    if let Some(algebra) = &report.algebra {
        println!("Algebra: {TURNS} turns of a loop\n{}\n", algebra_table(algebra));
    }
    for flight in report.flock.iter().flatten() {
        let Flight { boids, steps, .. } = flight;
        println!("Flock: {boids} boids, {steps} steps a run\n{}\n", flock_table(flight));
    }
    if let Some(ring) = &report.ring {
        println!("Ring: messages a second and back, and calls\n{}\n", ring_table(ring));
    }
}

fn plans_table(plans: &[Figure]) -> Table {
    let mut table = table(&["", "time", "each phase", "on the device", "each phase", "bytes/s there"]);
    for figure in plans {
        let each = |seconds: Option<f64>| {
            let seconds = seconds.filter(|_| figure.phases > 1);
            seconds.map_or_else(String::new, |seconds| time(seconds / figure.phases as f64))
        };
        let rate = figure.device.filter(|_| figure.bytes > 0);
        table.add_row([
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

fn algebra_table(algebra: &[Raised]) -> Table {
    let mut table = table(&[
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
        table.add_row([
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

fn flock_table(flight: &Flight) -> Table {
    let mut table = table(&["", "a step", "x rayon", "results"]);
    for flown in &flight.entries {
        let results = match &flown.agreement {
            Some(agreement) => agreement.to_string(),
            None => Problem::note(&flown.problem),
        };
        table.add_row([
            flown.contestant.clone(),
            flown.step.map_or_else(String::new, time),
            ratio(flight.speed(flown)),
            results,
        ]);
    }
    table
}

fn ring_table(ring: &[Exchange]) -> Table {
    let crowds = CROWDS.map(|actors| format!("to {actors} actors"));
    let tasks = format!("calls/s of {TASKS} tasks");
    let mut names = vec![""];
    names.extend(crowds.iter().map(String::as_str));
    let talkers = talk::CROWDS.map(|actors| format!("between {actors}"));
    names.extend(talkers.iter().map(String::as_str));
    let linked = talk::CROWDS.map(|actors| format!("between kernels of {actors}"));
    names.extend(linked.iter().map(String::as_str));
    names.extend(["a call", "p99", "x bare", &tasks]);
    let mut table = table(&names);
    let rate = |rate: Option<f64>| rate.map_or_else(String::new, scaled);
    for exchange in ring {
        let mut cells = vec![exchange.contestant.clone()];
        cells.extend((0..CROWDS.len()).map(|crowd| rate(exchange.bulk.get(crowd).copied())));
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
        table.add_row(cells);
    }
    table
}

fn backends_table(backends: &[Comparison]) -> Table {
    let mut table = table(&["", "back end", "launch", "device", "G instructions/s"]);
    for comparison in backends {
        for figure in &comparison.figures {
            let rate = comparison.instructions.zip(figure.device);
            let cell = |seconds: Option<f64>| seconds.map_or_else(String::new, time);
            table.add_row(vec![
                comparison.what.clone(),
                figure.backend.clone(),
                figure.launch.map_or_else(|| Problem::note(&figure.problem), time),
                cell(figure.device),
                rate.map_or_else(String::new, |(count, seconds)| {
                    format!("{:.1}", count as f64 / seconds / 1e9)
                }),
            ]);
        }
    }
    table
}

fn budget_table(budget: &[Bounded]) -> Table {
    let names = WAYS.iter().map(|(name, ..)| *name);
    let mut table = table(&[""].into_iter().chain(names).collect::<Vec<_>>());
    for bounded in budget {
        let cell = |(at, seconds): (usize, &f64)| {
            let more = 100.0 * (seconds / bounded.seconds[0] - 1.0);
            let more = if at == 0 {
                String::new()
            } else {
                format!("\n{more:+.1} %")
            };
            time(*seconds) + &more
        };
        let mut cells = vec![bounded.engine.clone()];
        cells.extend(bounded.seconds.iter().enumerate().map(cell));
        if bounded.seconds.is_empty() {
            cells.push(Problem::note(&bounded.problem));
        }
        table.add_row(cells);
    }
    table
}

/// An empty table with these columns, all but the first aligned to the right.
fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED).set_header(columns);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn ladder_table(ladder: &Ladder) -> Table {
    let names = ladder.climbs.iter().map(|climb| climb.engine.as_str());
    let mut table = table(&["VMs"].into_iter().chain(names).collect::<Vec<_>>());
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
        table.add_row([vms.to_string()].into_iter().chain(ladder.climbs.iter().map(cell)));
    }
    table
}

fn contest_table(outcome: &Outcome) -> Table {
    let mut table = table(&["", "launch", "x WGSL", "resident", "x WGSL", "results"]);
    for entry in &outcome.entries {
        let [launch, resident] = speeds(outcome, &entry.contestant);
        let results = match &entry.agreement {
            Some(agreement) => agreement.to_string(),
            None => Problem::note(&entry.problem),
        };
        table.add_row([
            entry.contestant.clone(),
            entry.launch.map_or_else(String::new, time),
            ratio(launch),
            entry.resident.map_or_else(String::new, time),
            ratio(resident),
            results,
        ]);
    }
    table
}

fn means_table(outcomes: &[Outcome]) -> Table {
    let mut table = table(&["", "launch", "resident", "of workloads"]);
    for name in contestants(outcomes) {
        let all: Vec<_> = outcomes.iter().map(|outcome| speeds(outcome, name)).collect();
        let [launch, resident] = [0, 1].map(|which| geometric_mean(all.iter().filter_map(|speeds| speeds[which])));
        let count = all.iter().filter(|speeds| speeds[0].is_some()).count();
        table.add_row([name.to_string(), ratio(launch), ratio(resident), count.to_string()]);
    }
    table
}

fn soup_table(soup: &[Served]) -> Table {
    let mut table = table(&["", "routines", "all results", "each"]);
    for served in soup {
        let each = served.seconds.map(|seconds| seconds / served.routines as f64);
        table.add_row([
            served.contestant.clone(),
            served.routines.to_string(),
            served.seconds.map_or_else(|| Problem::note(&served.problem), time),
            each.map_or_else(String::new, time),
        ]);
    }
    table
}

fn genetic_table(genetic: &[Bred]) -> Table {
    let mut table = table(&[
        "",
        "trees",
        "cases",
        "a generation",
        "on the device",
        "evaluations a second",
    ]);
    for bred in genetic {
        table.add_row([
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

fn latency_table(waits: &[Wait]) -> Table {
    let mut table = table(&["", "first launch", "longest first launch", "again"]);
    for wait in waits {
        table.add_row([
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
