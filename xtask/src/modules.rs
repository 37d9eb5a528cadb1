//! Which source files are compiled: one that no `mod` names belongs to no crate, and its tests pass by not being there.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose files are no modules: what is built, and programs that tests give to rustc.
const SKIPPED: [&str; 4] = ["target", ".git", "ui", "mistakes/compile"];

/// All files below a folder with this ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    if SKIPPED.iter().any(|skipped| folder.ends_with(skipped)) {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => files(&path, ending),
            false => vec![path],
        })
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect()
}

/// The sources with the modules and files that each of them names.
struct Named(Vec<(PathBuf, String)>);

impl Named {
    /// Whether a source is the root of a target, or somebody's module.
    fn has(&self, source: &Path) -> bool {
        let (folder, file) = (source.parent().expect("a folder"), source.file_name().expect("a file"));
        let is_root = ["lib.rs", "main.rs", "build.rs"].iter().any(|root| file == *root);
        let of_package = |target: &str| folder.ends_with(target) && folder.with_file_name("Cargo.toml").exists();
        if is_root || of_package("tests") || of_package("examples") {
            return true;
        }
        // `room/mod.rs` is the module `room` of the folder above.
        let (name, near) = match file == "mod.rs" {
            true => (folder.file_name(), folder.parent().expect("a folder")),
            false => (source.file_stem(), folder),
        };
        let name = name.expect("a name").to_string_lossy();
        let (module, path) = (format!("mod {name};"), format!("{}\"", file.to_string_lossy()));
        let by_path = |line: &str| line.contains("path = \"") && line.contains(&path);
        self.0.iter().any(|(by, text)| {
            let is_near = by.parent() == Some(near) || by.with_extension("") == near;
            by != source && (is_near && text.contains(&module) || text.lines().any(by_path))
        })
    }
}

#[test]
fn every_source_is_somebodys_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .expect("the checkout");
    let sources = files(&root, ".rs");
    let mut naming = sources.clone();
    naming.extend(files(&root, "Cargo.toml"));
    let text = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a source");
        (path, text)
    };
    let named = Named(naming.into_iter().map(text).collect());
    let alone: Vec<&Path> = sources
        .iter()
        .filter(|source| !named.has(source))
        .map(PathBuf::as_path)
        .collect();
    assert!(alone.is_empty(), "no `mod` names {alone:?}");
}
