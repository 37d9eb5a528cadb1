//! Routines as text.

use gpuvm::prelude::*;
use gpuvm::program::assemble;
use gpuvm::{Error, Routine, build};

use crate::{ENGINES, runtime};

#[routine]
fn weigh(x: f32) -> f32 {
    x.sin() * 3.0
}

#[routine]
fn grown(x: f32) -> f32 {
    x.exp()
}

#[routine]
fn pick(rule: u32, x: f32) -> f32 {
    x + rule as f32
}

#[routine]
fn picked(rule: u32, x: f32) -> f32 {
    pick(rule, x) * 2.0
}

/// What a user writes: it calls the binary and the library, loops, and traps.
const SMOOTH: &str = r#"
routine "smooth"
file "smooth.s" 1
param &[f32] "all"          ; w0 to w2: space, offset and length
param u32 "turns"
result f32
callee "weigh"
callee library sqrt_or_none
site 9 message "an entry is negative"
code
    vmid w4
    load w5, w0, w4, 0      ; wrong: the offset is missing
    ret w5
"#;

#[test]
fn mistakes_have_their_line() {
    let told = Routine::assemble(SMOOTH).unwrap_err();
    assert!(matches!(told, Error::Assembly(_)));
    assert_eq!(told.to_string(), "line 8: the library has no function `sqrt_or_none`");
}

/// Smooths a VM's entry so many times: half of it, and what the binary makes of the rest.
const RIGHT: &str = r#"
routine "half"
param f32
result f32
code
    imm w1, 0x3f000000
    fmul w0, w0, w1
    ret w0

routine "smooth"
file "smooth.s" 1
param &[f32] "all"
param u32 "turns"
result f32
callee "half"
callee "weigh"
callee library exp
site 9 message "an entry is negative"
variable 6 3:12 "x" f32
code
at 2
    vmid w4
    add w5, w1, w4
    load w6, w0, w5, 0
    imm w7, 0
    flt w8, w6, w7
at 9
    trapnz s0, w8, _, _
    jump @test
again:
at 4
    call c0, w6, w9
    call c1, w9, w9
    fadd w6, w6, w9
    imm w10, -1
    add w3, w3, w10
test:
    jnz @again, w3
    call c2, w6, w6
    ret w6
"#;

fn smooth_in_rust(mut x: f32, turns: u32) -> f32 {
    for _ in 0..turns {
        x += weigh(x * 0.5);
    }
    grown(x)
}

#[test]
fn a_text_is_launched_and_comes_back() {
    let smooth = Routine::assemble(RIGHT).unwrap();
    let again = Routine::assemble(&smooth.disassemble()).unwrap();
    assert_eq!(again.id(), smooth.id(), "{}", smooth.disassemble());
    assert_eq!(
        Routine::from_bytes(&smooth.to_bytes().unwrap()).unwrap().id(),
        smooth.id()
    );
    let all: Vec<f32> = (0..300).map(|i| i as f32 / 100.0).collect();
    for engine in ENGINES {
        let launch = runtime().launch(&smooth).unwrap().args((&all, 3u32)).vms(all.len());
        let done = launch.engine(engine).run().unwrap();
        let expected: Vec<f32> = all.iter().map(|x| smooth_in_rust(*x, 3)).collect();
        assert_eq!(done.output::<Vec<f32>>().unwrap(), expected, "{engine}");
        let launch = runtime()
            .launch(&smooth)
            .unwrap()
            .args((&[1.0f32, -2.0, 3.0], 3u32))
            .vms(3);
        let error = launch.engine(engine).run().unwrap_err().to_string();
        assert!(
            error.contains("smooth.s:9") && error.contains("an entry is negative"),
            "{engine}: {error}"
        );
    }
}

#[test]
fn tables_of_texts_come_back() {
    let scaled = |by: u32| {
        let text = format!(
            "routine \"scaled\"\nparam f32\nresult f32\ncode\nimm w1, {:#x}\nfmul w0, w0, w1\nret w0",
            (by as f32).to_bits()
        );
        Routine::assemble(&text).unwrap()
    };
    let built = build("built", |f| {
        let x = f.param::<f32>("x");
        f.ret(x - 1.0);
    });
    let entries = [scaled(3), built.unwrap(), scaled(5)];
    let picked = Routine::of("picked").unwrap().with_table("pick", &entries).unwrap();
    let text = picked.disassemble();
    let again = Routine::assemble(&text).unwrap();
    assert_eq!((again.id(), again.name()), (picked.id(), "picked"), "{text}");
    for engine in ENGINES {
        let launch = runtime().launch(&again).unwrap().args((&[0u32, 1, 2, 3], 4.0f32));
        let found: Vec<f32> = launch.engine(engine).run().unwrap().output().unwrap();
        assert_eq!(found, [24.0, 6.0, 40.0, 14.0], "{engine}");
    }
}

#[test]
fn a_program_is_assembled_and_launched() {
    let program = runtime().program("weigh").unwrap();
    let again = std::sync::Arc::new(assemble(&program.disassemble()).unwrap());
    let x = [0.5f32, 1.0, -7.0];
    let found: Vec<f32> = runtime()
        .launch(&again)
        .unwrap()
        .args((&x,))
        .run()
        .unwrap()
        .output()
        .unwrap();
    assert_eq!(found, x.map(weigh));
    assert_eq!(assemble("program x").unwrap_err().line, 1);
}
