//! When what was profiled did what.

use std::fmt::Write as _;
use std::time::Duration;

use super::html::escaped;
use super::{Profile, Submission};

/// What happened when.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    /// What the device did, where it tells times.
    pub submissions: Vec<Submission>,
    /// What the host knows beside that.
    pub rows: Vec<Row>,
    /// What was before is not told any more.
    pub from: Duration,
}

impl Timeline {
    /// That of rows which have lost their first bars where they have so many, from when on all is there.
    pub(super) fn of_last(mut rows: Vec<Row>, most: usize) -> Timeline {
        let full = rows.iter().filter(|row| row.bars.len() >= most);
        let from = full.filter_map(|row| row.bars.first()).map(|bar| bar.begin).max();
        let from = from.unwrap_or_default();
        for row in &mut rows {
            row.bars.retain(|bar| bar.begin >= from);
        }
        rows.retain(|row| !row.bars.is_empty());
        Timeline {
            submissions: Vec::new(),
            rows,
            from,
        }
    }
}

/// Bars of one kind, which do not overlap.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub name: &'static str,
    pub bars: Vec<Bar>,
}

/// Something that took time.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub name: String,
    /// From the call of `run` on.
    pub begin: Duration,
    pub time: Duration,
}

impl Profile {
    /// Adds when what happened to a page.
    pub(super) fn timeline(&self, page: &mut String) {
        let stats = &self.stats;
        let device = match stats.device_time {
            Some(time) => format!("{time:.3?} of that on the device"),
            None => "the device does not tell its times".to_string(),
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            page,
            "<h2>Time</h2>\n<p>{:.3?} in all, {device}; batches: {}, submissions: {}.</p>",
            stats.host_time, stats.batches, stats.submissions
        );
        if !self.timeline.from.is_zero() {
            let _ = writeln!(page, "<p>From {:.3?} on:</p>", self.timeline.from);
        }
        for Row { name, bars } in &self.timeline.rows {
            let _ = writeln!(page, "<h3>{name}</h3>\n<div class=\"time\">");
            bars.iter().for_each(|bar| self.bar(page, bar));
            page.push_str("</div>\n");
        }
        if !self.timeline.rows.is_empty() {
            page.push_str("<h3>submissions</h3>\n");
        }
        page.push_str("<div class=\"time\">\n");
        for Submission { end, time } in &self.timeline.submissions {
            let bar = Bar {
                name: String::new(),
                begin: end.saturating_sub(*time),
                time: *time,
            };
            self.bar(page, &bar);
        }
        page.push_str("</div>\n");
    }

    /// Adds a bar, as wide as its part of the whole time.
    fn bar(&self, page: &mut String, Bar { name, begin, time }: &Bar) {
        let from = self.timeline.from;
        let all = self.stats.host_time.saturating_sub(from).as_secs_f64().max(1e-9);
        let part = |time: Duration| 100.0 * time.as_secs_f64() / all;
        let name = match &**name {
            "" => String::new(),
            name => format!("{}: ", escaped(name)),
        };
        let _ = writeln!(
            page,
            "<div style=\"left:{:.3}%;width:{:.3}%\" title=\"{name}{time:.3?} at {begin:.3?}\"></div>",
            part(begin.saturating_sub(from)),
            part(*time),
        );
    }
}
