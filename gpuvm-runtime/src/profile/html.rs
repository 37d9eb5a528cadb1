//! A profile as a page for a browser, in one file that needs no network.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Line, Profile, flame, occupancy};
use crate::sources::Sources;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Lines of source around those that were run.
const AROUND: u32 = 3;
/// VMs in the table.
const VMS: usize = 50;

/// A text as it stands in a page.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Adds a line to a page; writing to a `String` cannot fail.
macro_rules! add {
    ($page:expr, $($text:tt)*) => { let _ = writeln!($page, $($text)*); };
}

impl Profile {
    /// One page for a browser: a flame graph, the source with what each line came to, the VMs by their cost, and when the device worked; of a plan also its graph,
    /// its steps, and when each of them ran. It has no references to anything outside of it.
    pub fn html(&self) -> String {
        let name = escaped(&self.routine);
        let mut page = String::new();
        add!(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">");
        add!(page, "<title>{name}</title>\n<style>\n{STYLE}</style>");
        add!(page, "<h1>{name}</h1>\n<p>{}</p>", escaped(&self.stats.to_string()));
        if let Some(reason) = &self.reason {
            add!(page, "<p>Nothing was counted: {}.</p>", escaped(reason));
        } else {
            self.counts(&mut page);
        }
        if let Some(graph) = &self.graph {
            add!(page, "<h2>Graph</h2>\n<div class=\"graph\">{graph}</div>");
        }
        self.timeline(&mut page);
        add!(page, "<script>\n{SCRIPT}</script>\n</html>");
        page
    }

    fn counts(&self, page: &mut String) {
        let (of, instructions) = (self.stats.vms, self.instructions());
        add!(
            page,
            "<p>{} of {of} VMs sampled{}: {instructions} instructions, warps to {:.1} % occupied, {} sectors.</p>",
            self.vms().len(),
            self.others(),
            100.0 * self.occupancy(),
            self.sectors()
        );
        for note in &self.notes {
            add!(page, "<p>Note: {}.</p>", escaped(note));
        }
        self.steps_table(page);
        add!(page, "<h2>Stacks</h2>");
        flame::write(page, self);
        add!(page, "\n<h2>Routines</h2>\n<table>");
        add!(page, "<tr><th>instructions<th>share<th>with calls<th>routine</tr>");
        for cost in &self.routines {
            let (own, total, routine) = (cost.instructions, cost.total, escaped(&cost.routine));
            add!(
                page,
                "<tr><td>{own}<td>{:.1} %<td>{total}<td>{routine}</tr>",
                100.0 * cost.share
            );
        }
        add!(page, "</table>\n<h2>Source</h2>");
        self.sources(page);
        add!(page, "<h2>VMs</h2>");
        if let Some((least, middle, most)) = self.spread() {
            add!(page, "<p>{least} to {most} instructions, in the middle {middle}.</p>");
        }
        add!(page, "<table>\n<tr><th>instructions<th>VM</tr>");
        for cost in self.vms_by_cost().iter().take(VMS) {
            let cut = if cost.is_cut { ", cut off" } else { "" };
            let name = escaped(&self.name_of(cost));
            add!(page, "<tr><td>{}<td>{name}{cut}</tr>", cost.instructions);
        }
        add!(page, "</table>");
    }

    /// The steps of a plan.
    fn steps_table(&self, page: &mut String) {
        if self.steps.is_empty() {
            return;
        }
        add!(page, "<h2>Steps</h2>\n<table>");
        add!(page, "<tr><th>instructions<th>share<th>VMs<th>sampled<th>step</tr>");
        for step in &self.steps {
            let (instructions, vms, sampled, name) = (step.instructions, step.vms, step.sampled, escaped(&step.name));
            add!(
                page,
                "<tr><td>{instructions}<td>{:.1} %<td>{vms}<td>{sampled}<td>{name}</tr>",
                100.0 * step.share
            );
        }
        add!(page, "</table>");
    }

    /// The source around the lines that were run, with what these came to.
    fn sources(&self, page: &mut String) {
        let all = self.instructions().max(1);
        let mut files: BTreeMap<&str, BTreeMap<u32, [u64; 3]>> = BTreeMap::new();
        for Line {
            file,
            line,
            instructions,
            issues,
            sectors,
            ..
        } in &self.lines
        {
            // A line of a generic routine is one line here.
            let sums = files.entry(file).or_default().entry(*line).or_default();
            let more = [instructions, issues, sectors];
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        let mut sources = Sources::default();
        for (file, lines) in files {
            add!(
                page,
                "<h3><code>{}</code></h3>\n<table class=\"source\">",
                escaped(file)
            );
            add!(
                page,
                "<tr><th>instructions<th>share<th>occupied<th>sectors<th>line<th>source</tr>"
            );
            let mut next = 0;
            for &line in lines.keys() {
                let first = line.saturating_sub(AROUND).max(next);
                if next > 0 && first > next {
                    add!(page, "<tr><td><td><td><td><td>…<td></tr>");
                }
                next = next.max(line + AROUND + 1);
                for line in first..next {
                    let source = sources.line(file, line);
                    let shown = escaped(source.as_deref().unwrap_or_default());
                    match lines.get(&line) {
                        Some([instructions, issues, sectors]) => {
                            let share = *instructions as f64 / all as f64;
                            add!(
                                page,
                                "<tr style=\"background:hsl(20 90% 55% / {share:.3})\"><td>{instructions}<td>{:.1} %<td>{:.1} %<td>{sectors}\
                                 <td>{line}<td>{shown}</tr>",
                                100.0 * share,
                                100.0 * occupancy(*instructions, *issues)
                            );
                        }
                        None if source.is_some() => {
                            add!(page, "<tr class=\"cold\"><td><td><td><td><td>{line}<td>{shown}</tr>");
                        }
                        None => {}
                    }
                }
            }
            add!(page, "</table>");
        }
    }
}
