//! Writes figures into a document: each of its tables stands between two comments, of which the first has the table's name.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::report::Report;
use crate::table::{Section, sections};

/// What a table begins behind, and what it ends before.
const BEGIN: &str = "<!-- figures: ";
const NAME_ENDS: &str = " -->";
const END: &str = "<!-- end of figures -->";

/// Writes the tables of these figures that a document has anew, and leaves all others.
///
/// # Errors
///
/// When it cannot be read or written, has none of the tables, or one of them has no end.
pub fn write(path: &Path, report: &Report) -> Result<()> {
    let named = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(named)?;
    let text = with(&text, &sections(report), &made_by(report)).with_context(named)?;
    std::fs::write(path, text).with_context(named)
}

/// How and when the figures were made, in one line.
fn made_by(report: &Report) -> String {
    let host = &report.host;
    let clocks = host.clocks.iter().map(|clocks| format!(", clocks {clocks}"));
    let clocks: String = clocks.collect();
    format!(
        "*{}, commit {}; {}, driver {}{clocks}; {}, {} threads; `--repeats {}`*",
        host.date, host.commit, host.gpu, host.driver, host.cpu, host.threads, report.repeats
    )
}

fn with(text: &str, sections: &[Section], made_by: &str) -> Result<String> {
    let has = |section: &Section| text.contains(&format!("{BEGIN}{}{NAME_ENDS}", section.name));
    if !sections.iter().any(has) {
        let names: Vec<&str> = sections.iter().map(|section| section.name.as_str()).collect();
        bail!(
            "has no place for any of `{}`: each stands between `{BEGIN}its name{NAME_ENDS}` and `{END}`",
            names.join("`, `")
        );
    }
    let mut written = String::new();
    let mut rest = text;
    while let Some((before, found)) = rest.split_once(BEGIN) {
        let (name, behind) = found.split_once(NAME_ENDS).context("a name has no end")?;
        let Some((old, behind)) = behind.split_once(END) else {
            bail!("the table `{name}` has no end");
        };
        written += &format!("{before}{BEGIN}{name}{NAME_ENDS}");
        match sections.iter().find(|section| section.name == name) {
            Some(section) => written += &format!("\n{made_by}\n\n{}\n", section.grid.markdown()),
            None => written += old,
        }
        written += END;
        rest = behind;
    }
    Ok(written + rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Grid;

    #[test]
    fn only_the_tables_that_were_made_are_written() {
        let mut grid = Grid::new(["", "time"]);
        grid.push(["one".to_string(), "2 µs".to_string()]);
        let section = Section {
            name: "first".to_string(),
            title: String::new(),
            grid,
        };
        let text = "# A\n<!-- figures: first -->\nold\n<!-- end of figures -->\nb\n<!-- figures: second -->\nkept\n<!-- end of figures -->\n";
        let written = with(text, std::slice::from_ref(&section), "*today*").unwrap();
        let table = "*today*\n\n| | time |\n|---|---:|\n| one | 2 µs |\n";
        assert_eq!(written, text.replacen("old\n", table, 1));
        let refused = |text| with(text, std::slice::from_ref(&section), "").unwrap_err().to_string();
        assert_eq!(refused("<!-- figures: first -->"), "the table `first` has no end");
        assert!(refused("# A").starts_with("has no place for any of `first`"));
    }
}
