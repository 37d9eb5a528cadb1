//! Text to program and back, and what is refused.

use std::borrow::Cow;

use proptest::prelude::*;

use super::{AssemblyError, assemble, assemble_routine};
use crate::build::build;
use crate::build::tests::{arithmetic, norm_and_table, ruled, run};
use crate::isa::{Instruction, NO_WORD, Op};
use crate::program::Program;
use crate::routine::{Callee, Cause, Routine, RoutineRef, Site, Variable};
use crate::types::{Field, Kind, Type, TypeRef, Value};

pub(crate) const SAMPLE: &str = r#"
program "sample \"one\""
param f32
param &mut struct Boid { position: (f32, f32), tag: enum Option { None = 0, Some = 1 { 0: u64 } }, 0: [i8; 3] }
param &[Wrapping<u32>]
param &[AtomicI32]
result (f32,)
frame_words 12
call_depth 3
depth_limit 64
relaxed
report 2 99
file "src/a b.rs"
routine "sample"
routine "Boid::fly"
variable 0:7:9 "speed" f32
variable 1:8:4294967295 "position" (f32, f32)
scope 0:0
scope 1:7 in 0
site 0:7:0 message "a\n\u{e9}; \"b\""
site 0:8:1 bounds
site 0:9:1 slice_end
site 0:9:1 slice_order
site 0:9:1 stack_overflow
site 0:9:1 memory
site 0:10:1 format f32? u64 "x = " ", y = " ""
matrix sparse w3 =int w1*0x5 + 0x7, w4 =bits w0*0xff + w0<<<31*0xf0 + 0x1, w5 =f32 w2*0xbf800000 + w1*0x3dcccccd
matrix dense w0 =int 0x2a
data 1 2 3 4 5 6 7 8 9
data 0xffffffff
matrix sparse w2 =bits w1<<<8*0xff00ff + w1<<<24*0xff00ff00
code
at 0:7:0
start:
    affine m0
    imm w0, 42, m1
holds 0:0:0 w0
enters 0:0:0 w0
    bswap w2, w1, m2
    add w1, w2, w3          ; its matrix is made for it
    add w1, w2, w3
    trapnz s0, w1, w2, _
at 0:8:1
inside 1
    add64 w0:w1, w2:w3, w4:w5
holds 0:0:0 nowhere
holds 1:1:0 frame 3
holds 1:1:1 constant 0x2a
    call @far, 12
    jnz @start, w0
far:
    select w0, w1, w2, w3
    addr w1, 3
    load w0, w1, w2, 0x10000
    acas w0, w1, w2, w3
    fmath w0, w1, w2, 22
    ret
    trap s6, w1:w2, _:_
"#;

/// Everything that `disassemble` prints is compared through it; the rest directly.
pub(crate) fn assert_same(a: &Program, b: &Program) {
    assert_eq!(a.disassemble(), b.disassemble());
    assert_eq!((&a.code, &a.places, &a.sites), (&b.code, &b.places, &b.sites));
    assert_eq!(
        (&a.matrices, &a.pools, &a.data, &a.report),
        (&b.matrices, &b.pools, &b.data, &b.report)
    );
    assert_eq!((&a.name, &a.files, &a.routines), (&b.name, &b.files, &b.routines));
    assert_eq!(
        (a.frame_words, a.addressed_words, a.call_depth, a.depth_limit, a.relaxed),
        (b.frame_words, b.addressed_words, b.call_depth, b.depth_limit, b.relaxed)
    );
    let all = |program: &Program| [&program.params[..], &[program.result]].concat();
    for (a, b) in all(a).iter().zip(all(b)) {
        assert!(a.ty.same(b.ty) && (a.refs, a.mutable) == (b.refs, b.mutable));
    }
}

#[test]
fn text_comes_back() {
    let program = assemble(SAMPLE).unwrap();
    assert_same(&program, &assemble(&program.disassemble()).unwrap());
    assert_eq!(program.code.len(), 16);
    assert_eq!(program.matrices.len(), 4, "equal instructions share a matrix");
    assert_eq!(program.code[8], Instruction::new(Op::JumpIf, [0, 0, 0, 0]));
    assert_eq!(program.report.by_class, [5, 3, 3, 5]);
}

#[test]
fn all_words_can_be_addressed_unless_the_header_says_less() {
    for (said, words) in [("", 12), ("addressed_words 3\n", 3), ("addressed_words 0\n", 0)] {
        let program = assemble(&format!("program \"x\"\n{said}frame_words 12\ncode\nhalt\n")).unwrap();
        assert_eq!(program.addressed_words, words);
        assert_same(&program, &assemble(&program.disassemble()).unwrap());
    }
}

#[test]
fn a_call_need_not_say_what_its_callee_touches() {
    let program = |call: &str| assemble(&format!("program \"x\"\ncall_depth 1\ncode\nstart:\n{call}\nhalt\n")).unwrap();
    for (text, reach) in [("call @start, 12", 0), ("call @start, 12, 7", 7)] {
        let program = program(text);
        assert_eq!(program.code[0], Instruction::new(Op::Call, [0, 12, reach, 0]));
        let printed = program.disassemble();
        assert!(
            printed.lines().any(|line| line.ends_with(&text.replace("start", "0"))),
            "{printed}"
        );
        assert_same(&program, &assemble(&printed).unwrap());
    }
}

#[test]
fn the_documented_example_assembles() {
    let program = assemble(&examples()[0]).unwrap();
    assert_eq!((program.name.as_str(), program.code.len()), ("double", 7));
}

#[test]
fn a_routine_prints_with_its_own_words() {
    static FIELDS: &[Field] = &[Field {
        hash: 0,
        name: "",
        ty: u32::TYPE,
        refs: 0,
        offset: 0,
    }];
    static PAIR: Type = Type::record(Kind::Tuple, "tuple", FIELDS);
    fn itself() -> &'static Routine {
        static ROUTINE: Routine = Routine {
            name: Cow::Borrowed("turn"),
            file: Cow::Borrowed("src/turn.rs"),
            line: 3,
            params: Cow::Borrowed(&[TypeRef::value(u32::TYPE)]),
            result: TypeRef::value(&PAIR),
            words: 70_000,
            code: Cow::Borrowed(&[
                Instruction::new(Op::RotlImm, [300, 0, 5, 0]),
                Instruction::new(Op::TrapIf, [0, 300, NO_WORD, 0]),
                Instruction::new(Op::Call, [0, 300, 0, 0]),
                Instruction::new(Op::Return, [300, 0, 0, 0]),
            ]),
            lines: Cow::Borrowed(&[4, 4, 5, 5]),
            matrices: Cow::Borrowed(&[]),
            terms: Cow::Borrowed(&[]),
            callees: Cow::Borrowed(&[Callee::Routine(itself), Callee::Library(0)]),
            constants: Cow::Borrowed(&[]),
            sites: Cow::Borrowed(&[Site {
                line: 4,
                cause: Cause::Bounds,
            }]),
            variables: Cow::Borrowed(&[Variable {
                name: "x",
                word: 0,
                ty: TypeRef::value(u32::TYPE),
                line: 3,
                last_line: 6,
            }]),
            pieces: Cow::Borrowed(&[]),
            relaxed: false,
            is_const: false,
            refused: None,
            held: Vec::new(),
            tables: Vec::new(),
        };
        &ROUTINE
    }
    let expected = "\
routine \"turn\"
file \"src/turn.rs\" 3
param u32
result (u32, )
words 70000
callee \"turn\" ; c0
callee library sin ; c1
site 4 bounds ; s0
variable 0 3:6 \"x\" u32
code
at 4
     0  rotli w300, w0, 5                ; w300 = rotl(w0, 5)
     1  trapnz s0, w300, _, w0
at 5
     2  call c0, w300, w0
     3  ret w300
";
    assert_eq!(RoutineRef::from(itself()).disassemble(), expected);
}

#[test]
fn matrices_and_source_lines_are_readable() {
    let text = assemble(SAMPLE).unwrap().disassemble();
    for part in [
        "w3 = 5·w1 + 7; w4 = w0 & 0xff ^ rotl(w0, 31) & 0xf0 ^ 0x1; w5 = -w2 + 0.1·w1",
        "at 0:8:1 ; src/a b.rs:8 in Boid::fly",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

fn round_trip<T: Value + ?Sized>() {
    let ty = TypeRef::of::<T>();
    let text = super::types::print(ty);
    let parsed = super::types::parse(&mut super::cursor::Cursor::new(&text)).unwrap();
    assert!(deep_equal(ty.ty, parsed.ty), "{text}");
    assert_eq!((ty.refs, ty.mutable), (parsed.refs, parsed.mutable), "{text}");
}

/// Every field of the description, also those that do not decide whether types are the same.
fn deep_equal(a: &Type, b: &Type) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

#[test]
fn types_come_back() {
    round_trip::<f32>();
    round_trip::<()>();
    round_trip::<(u8,)>();
    round_trip::<(i64, [Option<(bool, u16)>; 2], isize)>();
    round_trip::<&mut [std::num::Wrapping<u64>]>();
    round_trip::<&[std::sync::atomic::AtomicU32]>();
    round_trip::<&[std::sync::atomic::AtomicI64]>();
    round_trip::<&mut [f32; 3]>();
    round_trip::<&&u32>();
    round_trip::<Result<u32, i8>>();
}

/// The texts of the module's page, without their frames.
fn examples() -> Vec<String> {
    let page = include_str!("mod.rs");
    let texts = page.split("//! ```text\n").skip(1);
    let lines = texts.map(|text| text.lines().take_while(|line| *line != "//! ```"));
    lines
        .map(|lines| {
            lines
                .map(|line| line.trim_start_matches("//!").to_string() + "\n")
                .collect()
        })
        .collect()
}

fn routine_of(text: &str) -> Result<RoutineRef, AssemblyError> {
    fn isqrt() -> &'static Routine {
        static ISQRT: std::sync::LazyLock<Routine> = std::sync::LazyLock::new(|| {
            build("isqrt", |f| {
                let x = f.param::<u32>("x");
                f.ret(x);
            })
            .expect("it can be built")
        });
        &ISQRT
    }
    assemble_routine(text, &[isqrt as fn() -> &'static Routine; 40], &|_| None)
}

#[test]
fn the_documented_routine_runs() {
    let text = &examples()[1];
    let again = routine_of(&routine_of(text).unwrap().disassemble()).unwrap();
    assert_eq!(again.id(), routine_of(text).unwrap().id());
    // There is no library here.
    let alone = text.lines().filter(|line| !line.contains("library"));
    let routine = routine_of(&alone.collect::<Vec<_>>().join("\n")).unwrap();
    let collatz = |mut n: u32| {
        let mut steps = 0;
        while n != 1 {
            n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        vec![steps]
    };
    for n in 1..100 {
        assert_eq!(run(&routine, &[n]), Ok(collatz(n)), "{n}");
    }
    assert_eq!(run(&routine, &[0]), Err("3: too many".to_string()));
    assert_eq!((&*routine.file, routine.line, routine.words), ("collatz.s", 1, 6));
}

#[test]
fn what_is_built_is_the_same_from_its_text() {
    for routine in [norm_and_table(), ruled(), arithmetic()] {
        let text = routine.disassemble();
        let again = assemble_routine(&text, &[], &|_| None).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.id(), routine.id(), "{text}\n{}", again.disassemble());
    }
}

#[test]
fn what_is_wrong_with_a_routine_is_named() {
    let refused = |text: &str| routine_of(text).unwrap_err().to_string();
    assert_eq!(
        refused(""),
        "line 0: there is no routine in it: one begins with a line such as `routine \"name\"`"
    );
    assert_eq!(
        refused("param u32"),
        "line 1: `param` stands before the first `routine \"name\"`"
    );
    assert_eq!(
        refused("routine \"a\"\nframe_words 3"),
        "line 2: `frame_words` starts no line of a routine's header: there are file, param, result, words, relaxed, table, more, callee, site, variable and code"
    );
    assert_eq!(
        refused("routine \"a\"\ncallee \"b\""),
        "line 2: no routine above is called `b`, and the binary has none with that id"
    );
    assert_eq!(
        refused("routine \"a\"\ncallee 0"),
        "line 2: there is no routine 0 above; the first one is routine 0"
    );
    assert_eq!(
        refused("routine \"a\"\ncallee library sine"),
        "line 2: the library has no function `sine`"
    );
    assert_eq!(
        refused("routine \"a\"\ncode\njump @b\nroutine \"c\""),
        "line 3: there is no label `b`"
    );
    assert_eq!(
        refused("; first\nroutine \"a\"\ncode\naddi w0, w0, 1"),
        "line 2: routine `a` is not valid: its code does not end in `jump`, `ret`, `halt` or `trap`"
    );
    assert_eq!(
        refused("routine \"a\"\nparam u32\nresult u32\ncode\nret w0\nroutine \"b\"\ncode\nhalt\ntabled 0\ninstead 0 1"),
        "line 10: `b: fn() -> ()` is called in place of `a: fn(u32) -> u32`"
    );
    assert_eq!(
        refused("routine \"a\"\ncode\nhalt\ntabled 0\nparam u32"),
        "line 5: `param` starts no line of a `tabled`: there is instead"
    );
    assert!(refused("routine \"a\"\ncode\nparam w0, 0\nhalt").contains("only for linked programs"));
}

fn refusal(text: &str) -> String {
    assemble(text).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_named() {
    assert_eq!(refusal("program x"), "line 1: expected a text in quotes, found `x`");
    assert_eq!(
        refusal("code\n mul w1, w2"),
        "line 2: expected `,`, found the end of the line"
    );
    assert_eq!(
        refusal("code\nfrob w1"),
        "line 2: `frob` is no operation: the opcode table lists them"
    );
    assert_eq!(refusal("code\njump @nowhere"), "line 2: there is no label `nowhere`");
    assert_eq!(
        refusal("code\nhalt halt"),
        "line 2: expected the end of the line, found `halt`"
    );
    assert_eq!(
        refusal("param [f8; 2]"),
        "line 1: `f8` is no scalar: there are bool, f32, f64 and the integers"
    );
    assert_eq!(
        refusal("code\nmul w1, w2, w3"),
        "line 0: the code runs past its end: the last instruction must be jump, ret, halt or trap"
    );
    assert!(refusal("code\nmov w28, w0\nhalt").contains("w0 to w27"));
    assert!(refusal("code\nmul w0, w1, w28\nhalt").contains("operand 2 of `mul`"));
    assert!(refusal("code\njump @7").contains("Label"));
    assert!(refusal("code\nfmath w0, w1, w2, 0\nhalt").contains("only for relaxed programs"));
    assert!(refusal("relaxed\ncode\nfmath w0, w1, w2, 3\nhalt").contains("no library function"));
    assert!(refusal("matrix sparse w1 =int 0x1\ncode\nmov w0, w1, m0\nhalt").contains("not what `mov` does"));
    assert!(refusal(&format!("param {}u8{}", "[".repeat(1000), ";1]".repeat(1000))).contains("nested"));
    assert!(refusal("param [[u8; 70000]; 70000]").contains("too large"));
}

proptest! {
    #[test]
    fn damaged_routines_never_panic(which in 0..2_usize, at in any::<prop::sample::Index>(), with in "[ -~\n]{0,3}", drop in 0..4_usize) {
        let mut text = match which {
            0 => ruled().disassemble(),
            _ => norm_and_table().disassemble(),
        };
        let at = at.index(text.len());
        let end = (at + drop).min(text.len());
        text.replace_range(at..end, &with);
        if let Ok(routine) = assemble_routine(&text, &[], &|_| None) {
            let again = assemble_routine(&routine.disassemble(), &[], &|_| None).unwrap();
            prop_assert_eq!(again.disassemble(), routine.disassemble());
            // What is a routine is a program, or the linker says why it is none.
            let _ = crate::compile::link(routine, &[], &crate::settings::Settings::default());
        }
    }

    #[test]
    fn damaged_text_never_panics(at in 0..SAMPLE.len(), with in "[ -~\n]{0,3}", drop in 0..4_usize) {
        let mut text = SAMPLE.to_string();
        let end = (at + drop).min(text.len());
        text.replace_range(at..end, &with);
        if let Ok(program) = assemble(&text) {
            assert_same(&program, &assemble(&program.disassemble()).unwrap());
        }
    }

    #[test]
    fn damaged_code_never_panics(at in 0..16_usize, place in 0..5_usize, value in prop_oneof![0..0x100_u32, any::<u32>()]) {
        let mut program = assemble(SAMPLE).unwrap();
        match place {
            4 => program.code[at].opcode = value,
            operand => program.code[at].operands[operand] = value,
        }
        program.disassemble();
        if program.verify().is_ok() {
            prop_assert_eq!(assemble(&program.disassemble()).unwrap().code, program.code);
        }
    }
}
