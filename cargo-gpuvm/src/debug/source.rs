//! Source files: which one a name means, and lines of them.

use std::path::{Path, PathBuf};

/// The most files and folders that are looked at when one is searched for.
const MOST: usize = 20_000;

/// The lines of a file, if it can be read.
pub(crate) fn lines(path: &str) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(found(path)?).ok()?;
    Some(text.lines().map(|line| line.replace('\t', "    ")).collect())
}

/// Where a path leads to, from here or from a folder above.
fn found(path: &str) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let mut above = here.ancestors().map(|above| above.join(path));
    above.find(|path| path.is_file())
}

/// A path as it reads from here.
pub(crate) fn short(path: &str) -> String {
    let here = std::env::current_dir().ok();
    let here = here.and_then(|here| Path::new(path).strip_prefix(here).ok().map(Path::to_path_buf));
    here.map_or_else(|| path.to_string(), |path| path.to_string_lossy().into_owned())
}

/// The whole path of a file that the user names, which may be the end of a path. The name itself where there is no such file.
///
/// # Errors
///
/// If several files are called so.
pub(crate) fn resolve<'k>(name: &str, mut known: impl Iterator<Item = &'k str>) -> Result<String, String> {
    if Path::new(name).is_file() {
        return Ok(whole(Path::new(name)));
    }
    if let Some(known) = known.find(|known| Path::new(known).ends_with(name)) {
        return Ok(known.to_string());
    }
    let all: Vec<PathBuf> = sources().into_iter().filter(|path| path.ends_with(name)).collect();
    match &all[..] {
        [] => Ok(name.to_string()),
        [one] => Ok(whole(one)),
        several => {
            let shown: Vec<String> = several
                .iter()
                .take(5)
                .map(|path| format!("`{}`", path.display()))
                .collect();
            let more = if several.len() > 5 { ", …" } else { "" };
            Err(format!("`{name}` may be {}{more}", shown.join(", ")))
        }
    }
}

fn whole(path: &Path) -> String {
    let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let whole = whole.to_string_lossy();
    whole.strip_prefix(r"\\?\").unwrap_or(&whole).to_string()
}

/// The Rust sources below this folder, but what cargo has built.
pub(crate) fn sources() -> Vec<PathBuf> {
    let (mut found, mut folders, mut seen) = (Vec::new(), vec![PathBuf::new()], 0);
    while let Some(folder) = folders.pop() {
        let at = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &folder
        };
        for entry in std::fs::read_dir(at).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST {
                return found;
            }
            let name = entry.file_name();
            let hidden = name.to_string_lossy().starts_with('.') || name == "target";
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !hidden => folders.push(folder.join(name)),
                Ok(kind) if kind.is_file() && Path::new(&name).extension().is_some_and(|kind| kind == "rs") => {
                    found.push(folder.join(name));
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}
