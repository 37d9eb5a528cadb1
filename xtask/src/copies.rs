//! What published crates have of the top folder: the licences, and the facade its front page, which is that of its documentation too. Cargo packs
//! only files inside of a crate, and on Windows links need a privilege, so there are copies. `cargo xtask copies` writes them, and tests keep them the same.

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
    let mut copies = vec![Copied {
        path: top().join("gpuvm/README.md"),
        text: named(&read(&top().join("README.md"))?)?,
    }];
    for Published { folder, .. } in published()? {
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            copies.push(Copied {
                path: folder.join(name),
                text: read(&top().join(name))?,
            });
        }
    }
    Ok(copies)
}

/// The page as it reads where the repository's files are not, on docs.rs and crates.io: in place of a link to a file, or of a picture, stands its
/// text with the file's name.
fn named(page: &str) -> Result<String, String> {
    let mut result = String::new();
    let mut rest = page;
    while let Some(at) = rest.find("](") {
        let start = rest[..at].rfind('[').ok_or("README.md: `](` without `[`")?;
        let end = at + rest[at..].find(')').ok_or("README.md: `](` without `)`")?;
        let (text, target) = (&rest[start + 1..at], &rest[at + 2..end]);
        let before = &rest[..start];
        if target.starts_with("http") {
            result += &rest[..=end];
        } else if !top().join(target).exists() {
            return Err(format!("README.md: {target} is not there"));
        } else if text == target {
            result += &format!("{before}`{target}`");
        } else if let Some(before) = before.strip_suffix('!') {
            result += &format!("{before}*{text}* (`{target}`)");
        } else {
            result += &format!("{before}{text} (`{target}`)");
        }
        rest = &rest[end + 1..];
    }
    Ok(result + rest)
}

/// A crate of the workspace that is published.
#[derive(Debug)]
pub struct Published {
    pub name: String,
    folder: PathBuf,
    /// Whether it is a workspace of its own.
    pub is_apart: bool,
}

/// The workspace's crates that are published.
pub fn published() -> Result<Vec<Published>, String> {
    let entries = std::fs::read_dir(top()).map_err(|error| format!("{}: {error}", top().display()))?;
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let of = |folder: PathBuf| {
        let manifest = read(&folder.join("Cargo.toml")).ok()?;
        let has = |line: &str| manifest.lines().any(|each| each == line);
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = "))?;
        let name = name.trim_matches('"').to_string();
        let is_apart = has("[workspace]");
        (has("[package]") && !has("publish = false")).then_some(Published { name, folder, is_apart })
    };
    let mut crates: Vec<Published> = folders.filter_map(of).collect();
    crates.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(crates)
}

/// The folder that has the workspace.
pub fn top() -> &'static Path {
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
    fn published_crates_say_what_they_are() {
        let crates = published().unwrap();
        assert!(crates.len() > 10, "{crates:?}");
        for Published { name, folder, .. } in crates {
            assert!(folder.join("README.md").is_file(), "{name} has no README.md");
            let manifest = read(&folder.join("Cargo.toml")).unwrap();
            for key in [
                "description",
                "documentation",
                "license",
                "rust-version",
                "keywords",
                "categories",
            ] {
                assert!(
                    manifest.lines().any(|line| line.starts_with(key)),
                    "{name} has no {key}"
                );
            }
        }
    }

    #[test]
    fn links_become_names() {
        assert_eq!(
            named("a [b](README.md) [README.md](README.md)\n\n![c d](README.md) [e](https://f) (g)").unwrap(),
            "a b (`README.md`) `README.md`\n\n*c d* (`README.md`) [e](https://f) (g)"
        );
        assert!(named("[a](nowhere.md)").is_err());
    }
}
