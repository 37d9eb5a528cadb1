//! Which module sees which. A circle of imports ties together what has nothing to do with each other, so there is one, of what an [`Error`](crate::Error)
//! may hold and of what may fail with one.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules from the lowest layer to the highest. A module sees those of lower layers, and in the layer of `error` those beside it as well.
const LAYERS: [&[&str]; 16] = [
    &["progress"],
    &["recorder", "remembered"],
    &[
        "alarm",
        "atomics",
        "budget",
        "by_function",
        "config",
        "counted",
        "detached",
        "dumps",
        "frames",
        "handle",
        "json",
        "rates",
        "repeats",
        "sources",
        "stats",
        "tally",
        "types",
        "unheard",
        "vector",
    ],
    &["content", "overlooked", "profile", "words"],
    &[
        "arg",
        "bind",
        "buffer",
        "done",
        "entry",
        "error",
        "logs",
        "native",
        "questions",
        "registry",
        "routine",
        "store",
        "trap",
        "view",
    ],
    &["columns", "device", "marshal"],
    &["leg"],
    &["runtime"],
    &["cpu", "execution"],
    &["background", "inspect", "snapshot", "spread"],
    &["debugger"],
    &["launch"],
    &["batch", "plan", "ring"],
    &["activity", "show"],
    &["monitor"],
    &["builder"],
];

/// The layer of a module.
fn layer(module: &str) -> usize {
    LAYERS
        .iter()
        .position(|layer| layer.contains(&module))
        .unwrap_or_else(|| panic!("`{module}` has no layer; give it the lowest that it can have"))
}

/// All source files in a folder but those of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the sources");
    let paths = entries.map(|entry| entry.expect("a source").path());
    let named = |path: &Path, name: &str| path.file_stem().is_some_and(|stem| stem == name);
    paths
        .filter(|path| !named(path, "tests"))
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .collect()
}

/// The modules of this crate that a source names.
fn named(source: &str) -> impl Iterator<Item = &str> {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = lines.flat_map(|line| line.split("crate::").skip(1));
    let end = |name: &str| {
        name.find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(name.len())
    };
    names
        .map(move |name| &name[..end(name)])
        .filter(|name| name.starts_with(|c: char| c.is_lowercase()))
}

#[test]
fn imports_point_downwards() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut upward = Vec::new();
    for path in sources(&root) {
        let inside = path.strip_prefix(&root).expect("a path inside of the sources");
        let first = inside.iter().next().and_then(|first| Path::new(first).file_stem());
        let module = first.and_then(|first| first.to_str()).expect("the name of a module");
        if module == "lib" || module == "layers" {
            continue;
        }
        let own = layer(module);
        let source = fs::read_to_string(&path).expect("a source");
        for name in named(&source).filter(|name| *name != module) {
            let is_below = layer(name) < own || (layer(name) == own && own == layer("error"));
            if !is_below {
                upward.push(format!("{} names `{name}`", inside.display()));
            }
        }
    }
    assert!(upward.is_empty(), "imports that point upwards:\n{}", upward.join("\n"));
}
