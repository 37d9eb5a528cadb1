//! The documentation's page of instructions, made from the table.

use super::{Class, Effect, Op, Role};

/// The page `docs/instructions.md`; `cargo xtask instructions` has the test below write it, which compares otherwise.
fn page() -> String {
    let mut page = String::from(
        "# Instructions\n\n\
         Made from `gpuvm-core/src/isa/table.rs` by `cargo xtask instructions`. Operands: `d`, a word that is written; `a`, `b`, `c`, words that are \
         read; `#`, a constant; `→`, a label; two words for a 64-bit value are written `d:d`, `a:a`.\n",
    );
    for (class, title) in [
        (Class::Linear, "Linear: state' = A · state + b"),
        (Class::Oracle, "Oracle: non-linear arithmetic"),
        (Class::Branch, "Branch: what runs next"),
        (Class::Io, "Io: memory, identity, signals"),
    ] {
        page += &format!("\n## {title}\n\n| code | mnemonic | operands | meaning | may be |\n|---|---|---|---|---|\n");
        for op in Op::ALL.iter().filter(|op| op.class() == class) {
            let effect = match op.effect() {
                Effect::Pure => "moved, removed",
                Effect::Read => "removed",
                Effect::Write | Effect::Control => "",
            };
            let meaning = op.meaning().replace('|', "\\|");
            page += &format!(
                "| {:#04x} | `{}` | {} | {meaning} | {effect} |\n",
                op.code(),
                op.mnemonic(),
                operands(*op)
            );
        }
    }
    page
}

/// The operands as the page shows them.
fn operands(op: Op) -> String {
    let mut names = ["a", "b", "c"].into_iter();
    let mut shown = Vec::new();
    for role in op.roles() {
        let mut name = || names.next().unwrap_or_default();
        match role {
            Role::None => {}
            Role::Def => shown.push("d".to_string()),
            Role::DefPair => shown.push("d:d".to_string()),
            Role::Use => shown.push(name().to_string()),
            Role::UsePair => {
                let name = name();
                shown.push(format!("{name}:{name}"));
            }
            Role::Imm => shown.push("#".to_string()),
            Role::Label => shown.push("→".to_string()),
            Role::Matrix => shown.push("matrix".to_string()),
            Role::Callee => shown.push("callee".to_string()),
            Role::Site => shown.push("site".to_string()),
            Role::Base => shown.push(format!("{}…", name())),
        }
    }
    shown.join(", ")
}

#[test]
fn the_page_in_the_documentation_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/instructions.md");
    if std::env::var("GPUVM_PAGE").is_ok_and(|what| what == "overwrite") {
        std::fs::write(path, page()).expect("the page is written");
    }
    let current = std::fs::read_to_string(path).unwrap_or_default();
    assert!(current == page(), "run `cargo xtask instructions`");
}
