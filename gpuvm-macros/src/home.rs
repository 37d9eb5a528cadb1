//! Where generated code finds gpuvm. All of it is written for a dependency of that name; where a user's crate knows it otherwise, as
//! `#[routine(crate = path)]` or the name in its `Cargo.toml` says, the finished tokens are rewritten.

use std::path::Path as File;
use std::sync::OnceLock;

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::Path;

/// What the crate is called.
const NAME: &str = "gpuvm";

/// Puts `path`, or the name that the dependency was given, in place of each `::gpuvm` that the macros wrote. What follows these is always `::__private`,
/// which users do not write.
pub fn redirect(tokens: TokenStream, path: Option<&Path>) -> TokenStream {
    match (path, other_name()) {
        // A path that leads nowhere is blamed where it is written.
        (Some(path), _) => rewrite(tokens, &|_| path.to_token_stream()),
        (None, Some(name)) => rewrite(tokens, &|span| {
            let name = Ident::new(name, span);
            quote_spanned!(span=> ::#name)
        }),
        (None, None) => tokens,
    }
}

/// The name under which the crate that is compiled knows gpuvm, if that is another one. The macros run inside of rustc, and its arguments say so; inside
/// of rust-analyzer there are none, and the name is gpuvm's own.
fn other_name() -> Option<&'static str> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    FOUND.get_or_init(|| renamed(&arguments())).as_deref()
}

/// The compiler's arguments, those in files included, which cargo writes where there are too many.
fn arguments() -> Vec<String> {
    let given = std::env::args_os().filter_map(|argument| argument.into_string().ok());
    given
        .flat_map(
            |argument| match argument.strip_prefix('@').map(std::fs::read_to_string) {
                Some(Ok(file)) => file.lines().map(str::to_owned).collect(),
                _ => vec![argument],
            },
        )
        .collect()
}

/// The one name that `--extern name=…/libgpuvm-….rlib` gives the crate, unless one of that name is there.
fn renamed(arguments: &[String]) -> Option<String> {
    let mut found = None;
    for (i, argument) in arguments.iter().enumerate() {
        let value = match argument.strip_prefix("--extern") {
            Some("") => arguments.get(i + 1).map(String::as_str),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        let Some(value) = value else { continue };
        let (name, file) = value.split_once('=').unwrap_or((value, ""));
        // Options stand before the name: `priv,noprelude:name`.
        let name = name.rsplit(':').next().unwrap_or(name);
        if name == NAME {
            return None;
        }
        if is_of_gpuvm(file) && found.replace(name).is_some_and(|before| before != name) {
            return None;
        }
    }
    found.map(str::to_owned)
}

/// Whether a file is the crate's: `libgpuvm-0123456789abcdef.rmeta`.
fn is_of_gpuvm(file: &str) -> bool {
    let stem = File::new(file).file_stem().and_then(|stem| stem.to_str());
    let stem = stem.and_then(|stem| stem.strip_prefix("lib"));
    stem.is_some_and(|stem| stem.split('-').next() == Some(NAME))
}

/// `path`: what stands in the place of `::gpuvm`, by its span.
fn rewrite(tokens: TokenStream, path: &dyn Fn(Span) -> TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut rewritten = TokenStream::new();
    let mut at = 0;
    while let Some(tree) = trees.get(at) {
        if is_home(&trees[at..]) {
            rewritten.extend(path(tree.span()));
            at += 3;
            continue;
        }
        rewritten.extend([match tree {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), rewrite(group.stream(), path));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other.clone(),
        }]);
        at += 1;
    }
    rewritten
}

/// Whether tokens begin with `::gpuvm::__private`.
fn is_home(trees: &[TokenTree]) -> bool {
    let colon = |tree: &TokenTree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ':');
    let name = |tree: &TokenTree, name: &str| matches!(tree, TokenTree::Ident(ident) if ident == name);
    matches!(trees, [a, b, home, c, d, private, ..]
        if colon(a) && colon(b) && name(home, "gpuvm") && colon(c) && colon(d) && name(private, "__private"))
}

#[cfg(test)]
mod tests {
    use super::renamed;

    fn named(arguments: &[&str]) -> Option<String> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        renamed(&arguments)
    }

    #[test]
    fn another_name_is_found_by_the_file() {
        let found = |argument| {
            named(&[
                "rustc",
                "--crate-name",
                "a",
                "--extern",
                "half=libhalf-1.rmeta",
                "--extern",
                argument,
            ])
        };
        assert_eq!(
            found("vm=/target/debug/deps/libgpuvm-0a1b.rmeta").as_deref(),
            Some("vm")
        );
        assert_eq!(found("priv,noprelude:vm=libgpuvm-0a1b.rlib").as_deref(), Some("vm"));
        assert_eq!(found("core=libgpuvm_core-0a1b.rlib"), None);
        assert_eq!(found("proc_macro"), None);
        assert_eq!(named(&["rustc", "--extern=vm=libgpuvm.rlib"]).as_deref(), Some("vm"));
    }

    #[test]
    fn its_own_name_goes_before_others_and_two_others_are_none() {
        assert_eq!(named(&["--extern", "gpuvm=libgpuvm-1.rlib"]), None);
        assert_eq!(
            named(&["--extern", "vm=libgpuvm-1.rlib", "--extern", "gpuvm=libgpuvm-2.rlib"]),
            None
        );
        assert_eq!(
            named(&["--extern", "vm=libgpuvm-1.rlib", "--extern", "old=libgpuvm-2.rlib"]),
            None
        );
        assert_eq!(
            named(&["--extern", "vm=libgpuvm-1.rlib", "--extern", "vm=libgpuvm-1.rmeta"]).as_deref(),
            Some("vm")
        );
        assert_eq!(named(&["--extern"]), None);
    }
}
