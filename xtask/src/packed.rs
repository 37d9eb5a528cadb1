//! What published crates have of the top folder: the licences, and the facade its front page. Cargo packs only files inside of a crate, and on
//! Windows links need a privilege, so there are copies. `cargo xtask copies` writes them, and tests keep them the same.

use std::path::{Path, PathBuf};

/// A file that is to be as the top folder has it.
struct Copied {
    path: PathBuf,
    text: String,
}

/// Writes all copies.
pub fn write() -> Result<(), String> {
    for Copied { path, text } in copies()? {
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The copies as they are to be.
fn copies() -> Result<Vec<Copied>, String> {
    let facade = top().join("gpuvm/README.md");
    let mut copies = vec![Copied {
        text: led_up(&read(&top().join("README.md"))?),
        path: facade,
    }];
    for folder in published()? {
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            copies.push(Copied {
                path: folder.join(name),
                text: read(&top().join(name))?,
            });
        }
    }
    Ok(copies)
}

/// A page whose links hold one folder further down.
fn led_up(page: &str) -> String {
    let mut parts = page.split("](");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |page, part| {
        let up = if part.starts_with("http") { "" } else { "../" };
        page + "](" + up + part
    })
}

/// The folders of the workspace's crates that are published.
fn published() -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(top()).map_err(|error| format!("{}: {error}", top().display()))?;
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_published = |folder: &PathBuf| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let has = |line: &str| manifest.lines().any(|each| each == line);
        has("[package]") && !has("publish = false")
    };
    Ok(folders.filter(is_published).collect())
}

/// The folder that has the workspace.
fn top() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A file's text, without the carriage returns that git may put there.
fn read(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.replace('\r', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_as_the_top_folder_has_them() {
        for Copied { path, text } in copies().unwrap() {
            let found = read(&path).unwrap_or_default();
            assert!(found == text, "{} differs: run `cargo xtask copies`", path.display());
        }
    }

    #[test]
    fn each_published_crate_has_a_readme() {
        let crates = published().unwrap();
        assert!(crates.len() > 10, "{crates:?}");
        for folder in crates {
            assert!(
                folder.join("README.md").is_file(),
                "{} has no README.md",
                folder.display()
            );
        }
    }

    #[test]
    fn links_lead_up() {
        assert_eq!(
            led_up("a [b](c.md) [d](https://e) (f)"),
            "a [b](../c.md) [d](https://e) (f)"
        );
    }
}
