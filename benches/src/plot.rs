//! The figures as a picture, in SVG: bars for each workload against hand-written WGSL, and the ladder as lines.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::contest::{BASELINE, Outcome};
use crate::ladder::{ENGINES, Ladder};
use crate::report::{Report, contestants, speeds};
use crate::table::scaled;

/// Pixels across.
const WIDTH: u32 = 1280;
/// Pixels of the bars' height, and of one line of ladders.
const BARS: u32 = 560;
const LADDER: u32 = 400;
/// Ladders beside each other.
const BESIDE: usize = 2;
/// The bars show contestants from this many times as slow to this many times as fast as WGSL.
const SPEEDS: (f64, f64) = (0.003, 4.0);
/// Room for the legend to the right of the bars, in workloads.
const LEGEND: f64 = 1.6;
/// Colours that can be told apart, also by those who see few.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(120, 120, 120),
    RGBColor(60, 60, 60),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws what was measured of the two.
///
/// # Errors
///
/// When there is nothing to draw, or the file cannot be written.
pub fn draw(report: &Report, path: &Path) -> Result<()> {
    let ladders = report.ladder.as_deref().unwrap_or_default();
    let outcomes = report.peers.as_deref().unwrap_or_default();
    let bars = if outcomes.is_empty() { 0 } else { BARS };
    let height = bars + ladders.len().div_ceil(BESIDE) as u32 * LADDER;
    if height == 0 {
        return Err(anyhow!("a plot needs the ladder or the peers"));
    }
    let root = SVGBackend::new(path, (WIDTH, height)).into_drawing_area();
    let drawn = (|| {
        root.fill(&WHITE)?;
        let (top, bottom) = root.split_vertically(bars);
        if bars > 0 {
            contests(&top, outcomes)?;
        }
        if !ladders.is_empty() {
            let panels = bottom.split_evenly((ladders.len().div_ceil(BESIDE), BESIDE));
            for (panel, ladder) in panels.iter().zip(ladders) {
                climbs(panel, ladder)?;
            }
        }
        root.present()
    })();
    drawn.map_err(|error: DrawingAreaErrorKind<_>| anyhow!("{}: {error}", path.display()))
}

type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

fn contests<'a>(area: &Area<'a>, outcomes: &[Outcome]) -> Drawn<'a> {
    let names: Vec<&str> = contestants(outcomes)
        .into_iter()
        .filter(|name| *name != BASELINE)
        .filter(|name| outcomes.iter().any(|outcome| speeds(outcome, name)[0].is_some()))
        .collect();
    let mut chart = ChartBuilder::on(area)
        .caption(
            "Speed of a launch, hand-written WGSL = 1 (higher is faster)",
            ("sans-serif", 22),
        )
        .margin(12)
        .x_label_area_size(34)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..outcomes.len() as f64 + LEGEND, (SPEEDS.0..SPEEDS.1).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .y_label_formatter(&|y| y.to_string())
        .label_style(("sans-serif", 15))
        .draw()?;
    let width = 0.86 / names.len() as f64;
    for (which, (name, colour)) in names.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let bars = outcomes.iter().enumerate().filter_map(|(at, outcome)| {
            let speed = speeds(outcome, name)[0]?.clamp(SPEEDS.0, SPEEDS.1);
            let left = at as f64 + 0.07 + which as f64 * width;
            Some(Rectangle::new(
                [(left, speed.min(1.0)), (left + 0.92 * width, speed.max(1.0))],
                colour.filled(),
            ))
        });
        chart
            .draw_series(bars)?
            .label(*name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 6), (x + 14, y + 6)], colour.filled()));
    }
    chart.draw_series(LineSeries::new(
        [(0.0, 1.0), (outcomes.len() as f64 + LEGEND, 1.0)],
        &BLACK,
    ))?;
    for (at, outcome) in outcomes.iter().enumerate() {
        let (x, _) = chart.backend_coord(&(at as f64 + 0.5, SPEEDS.0));
        let (_, top) = area.get_base_pixel();
        let (_, y) = chart.backend_coord(&(0.0, SPEEDS.0));
        let style = ("sans-serif", 17).into_text_style(area);
        let half = (outcome.workload.len() as i32 * 9) / 2;
        area.draw_text(&outcome.workload, &style, (x - half, y - top + 8))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::MiddleRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 14))
        .draw()
}

fn climbs<'a>(area: &Area<'a>, ladder: &Ladder) -> Drawn<'a> {
    let rungs = || ladder.climbs.iter().flat_map(|climb| &climb.rungs);
    let (mut vms, mut rates) = ((f64::MAX, 1.0f64), (f64::MAX, 1.0f64));
    for rung in rungs() {
        let (x, Some(y)) = (rung.vms as f64, rung.rate()) else {
            continue;
        };
        vms = (vms.0.min(x), vms.1.max(x));
        rates = (rates.0.min(y), rates.1.max(y));
    }
    if vms.0 > vms.1 {
        return Ok(());
    }
    let mut chart = ChartBuilder::on(area)
        .caption(&ladder.program, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(38)
        .y_label_area_size(76)
        .build_cartesian_2d(
            (vms.0..vms.1 * 1.05).log_scale(),
            // The legend stands above the lines.
            (rates.0 * 0.5..rates.1 * (rates.1 / rates.0).powf(0.7) * 2.0).log_scale(),
        )?;
    chart
        .configure_mesh()
        .light_line_style(BLACK.mix(0.04))
        .x_desc("VMs")
        .y_desc("instructions/s")
        .x_label_formatter(&|x| scaled(*x).replace(".0", ""))
        .y_label_formatter(&|y| scaled(*y).replace(".0", ""))
        .label_style(("sans-serif", 13))
        .draw()?;
    for (engine, colour) in ENGINES.iter().zip(&COLOURS) {
        let name = engine.to_string();
        let Some(climb) = ladder
            .climbs
            .iter()
            .find(|climb| climb.engine == name && !climb.rungs.is_empty())
        else {
            continue;
        };
        let points: Vec<_> = (climb.rungs.iter())
            .filter_map(|rung| Some((rung.vms as f64, rung.rate()?)))
            .collect();
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(3)));
        chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 13))
        .draw()
}
