//! One case a rule: `<topic>/<rule>.rs` is refused with exactly the words in `<topic>/<rule>.stderr`. After a change of a message, run with
//! `TRYBUILD=overwrite` and read what came out.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("pass/*.rs");
    for topic in [
        "derive",
        "expressions",
        "items",
        "loops",
        "patterns",
        "rustc",
        "texts",
        "types",
    ] {
        cases.compile_fail(format!("{topic}/*.rs"));
    }
}
