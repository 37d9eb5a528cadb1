//! Small programs against what Rust does, and the ways in which a VM stops.

use super::*;
use crate::assembly::assemble;
use crate::isa::Class;
use crate::program::ParamSlot;
use crate::routine::Cause;

/// Runs VMs of a program over an arena in which each parameter, the result last, has a column of one word a VM.
fn run(program: &Program, columns: &[&[u32]], atomics: &mut [u32]) -> (Outcome, Vec<u32>) {
    let vms = columns.first().map_or(2, |column| column.len());
    let mut arena = columns.concat();
    arena.resize((columns.len() + 1) * vms, 0);
    let slot = |p: usize| ParamSlot {
        base: (p * vms) as u32,
        stride: 1,
        length: 1,
        reserved: 0,
    };
    let params: Vec<ParamSlot> = (0..=columns.len()).map(slot).collect();
    let mut memory = Memory {
        arena: &mut arena,
        atomics,
        params: &params,
        vm_count: vms as u32,
        first_vm: 0,
    };
    let mut all: Vec<Vm> = (0..vms).map(|vm| Vm::new(program, vm as u32)).collect();
    let outcome = run_all(program, &mut memory, &mut all, Some(10_000));
    (outcome, arena.split_off(columns.len() * vms))
}

/// Code that has its arguments in `w1..`, leaves its result in `w0`, and ends where the text ends.
fn function(params: usize, header: &str, body: &str) -> Program {
    let mut text = format!("{header}\n{}code\nimm w27, 1\n", "param u32\n".repeat(params));
    for p in 0..params {
        text += &format!("param w26, {p}\nload w{}, w27, w26, 0\n", p + 1);
    }
    text += &format!("{body}\nparam w26, {params}\nimm w27, 1\nstore w0, w27, w26, 0\nhalt\n");
    assemble(&text).unwrap()
}

#[test]
fn a_loop_counts() {
    let program = function(
        1,
        "",
        "imm w0, 0\nagain: \nadd w0, w0, w1\naddi w1, w1, -1\njnz @again, w1",
    );
    let (outcome, sums) = run(&program, &[&[1, 10, 100]], &mut []);
    assert_eq!(sums, [1, 55, 5050]);
    assert_eq!(outcome.statuses, [Status::Halted; 3]);
    assert_eq!(outcome.retired.iter().sum::<u64>(), 3 * 8 + 3 * (1 + 10 + 100));
}

#[test]
fn pairs_are_read_before_they_are_written() {
    let program = function(2, "", "imm w3, 3\nadd64 w2:w1, w1:w2, w1:w2\nadd w0, w1, w2");
    let (_, results) = run(&program, &[&[0x8000_0001], &[1]], &mut []);
    assert_eq!(results, [2 + 3]);
}

#[test]
fn affine_rows_read_the_old_words() {
    let header = "matrix dense w0 =int w1*0x1, w1 =int w1*0x1 + w2*0x1, w2 =int w1*0x1";
    let program = function(2, header, "affine m0\naffine m0");
    let (_, results) = run(&program, &[&[5], &[7]], &mut []);
    assert_eq!(results, [12]);
}

#[test]
fn calls_nest_and_return() {
    // fib(n) = n if n < 2, else fib(n - 1) + fib(n - 2), with n and the result in w1.
    let text = r#"
        param u32
        frame_words 90
        call_depth 30
        code
        imm w27, 1
        param w26, 0
        load w1, w27, w26, 0
        call @fib, 3
        param w26, 1
        store w1, w27, w26, 0
        ret
        fib:
        imm w2, 2
        ltu w3, w1, w2
        jnz @done, w3
        stf w1, 0
        addi w1, w1, -1
        call @fib, 3
        stf w1, 1
        ldf w1, 0
        addi w1, w1, -2
        call @fib, 3
        ldf w2, 1
        add w1, w1, w2
        done:
        ret
    "#;
    let program = assemble(text).unwrap();
    let (outcome, results) = run(&program, &[&[0, 7, 12]], &mut []);
    assert_eq!((results, outcome.traps), (vec![0, 13, 144], vec![]));
    let shallow = assemble(&text.replace("call_depth 30", "call_depth 4")).unwrap();
    let (outcome, _) = run(&shallow, &[&[0, 7, 12]], &mut []);
    assert_eq!(outcome.statuses, [Status::Halted, Status::Trapped, Status::Trapped]);
    assert_eq!(trap_site(&shallow, &outcome.traps[0]).cause, Cause::StackOverflow);
}

#[test]
fn a_trap_ends_one_vm_and_records_words() {
    let header = "site 0:0:0 bounds\nsite 0:0:0 format u64 i32 \"a \" \" b \" \"\"";
    let program = function(
        2,
        header,
        "leu w3, w1, w2\ntrapnz s0, w3, w1, w2\nmov w0, w1\njnz @go, w2\ntrap s1, w1:w2, w1:_\ngo:\nmov w0, w1",
    );
    let (outcome, results) = run(&program, &[&[1, 9, 9], &[4, 4, 0]], &mut []);
    assert_eq!(results, [0, 9, 0]);
    assert_eq!(outcome.statuses, [Status::Trapped, Status::Halted, Status::Trapped]);
    let messages: Vec<String> = outcome
        .traps
        .iter()
        .map(|trap| trap_site(&program, trap).cause.message(trap.words, &program.data))
        .collect();
    assert_eq!(
        messages,
        ["index out of bounds: the len is 1 but the index is 4", "a 9 b 9"]
    );
    assert_eq!(outcome.traps.iter().map(|trap| trap.vm).collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn memory_outside_of_the_space_traps() {
    let program = function(1, "frame_words 4", "imm w2, 0\nload w0, w2, w1, 0");
    let (outcome, _) = run(&program, &[&[3, 4, u32::MAX]], &mut []);
    assert_eq!(outcome.statuses, [Status::Halted, Status::Trapped, Status::Trapped]);
    assert_eq!(
        outcome.traps[0],
        TrapRecord {
            vm: 1,
            site: MEMORY_SITE,
            words: [4, 4, 0, 0]
        }
    );
    assert_eq!(trap_site(&program, &outcome.traps[0]).cause, Cause::Memory);
}

#[test]
fn an_address_leads_to_no_word_that_is_only_named() {
    let header = "frame_words 4\naddressed_words 2";
    let program = function(1, header, "stf w1, 1\nstf w1, 2\nimm w2, 0\nload w0, w2, w1, 0");
    let (outcome, results) = run(&program, &[&[1, 2, 3]], &mut []);
    assert_eq!(outcome.statuses, [Status::Halted, Status::Trapped, Status::Trapped]);
    assert_eq!((results[0], outcome.traps[0].words), (1, [6, 2, 0, 0]));
}

#[test]
fn atomics_give_the_old_word() {
    let program = function(
        1,
        "",
        "imm w2, 0\naadd w0, w2, w1\nimm w2, 1\namins w3, w2, w1\nimm w2, 2\nimm w4, 0\nacas w3, w2, w4, w1",
    );
    let mut atomics = [100, 5, 0];
    let (_, results) = run(&program, &[&[1, 2, -3_i32 as u32]], &mut atomics);
    assert_eq!((results, atomics), (vec![100, 101, 103], [100, -3_i32 as u32, 1]));
}

#[test]
fn depth_is_limited() {
    let header = "depth_limit 2\nsite 0:0:0 stack_overflow";
    let program = function(
        1,
        header,
        "again: \nenter s0\naddi w1, w1, -1\njnz @again, w1\nleave\nimm w0, 7",
    );
    let (outcome, results) = run(&program, &[&[1, 2, 3]], &mut []);
    assert_eq!(results, [7, 7, 0]);
    assert_eq!(
        outcome.traps,
        [TrapRecord {
            vm: 2,
            site: 0,
            words: [0; 4]
        }]
    );
}

#[test]
fn a_vm_pauses_and_goes_on() {
    let program = assemble("code\nvmid w1\nyield\nvmcount w2\nadd w3, w1, w2\nhalt").unwrap();
    let mut memory = Memory {
        arena: &mut [],
        atomics: &mut [],
        params: &[],
        vm_count: 10,
        first_vm: 0,
    };
    let (mut vm, mut retired) = (Vm::new(&program, 5), [0; 4]);
    assert_eq!(vm.run(&program, &mut memory, Some(1), &mut retired), Status::Running);
    assert_eq!(vm.run(&program, &mut memory, None, &mut retired), Status::Yielded);
    assert_eq!(vm.run(&program, &mut memory, None, &mut retired), Status::Yielded);
    assert_eq!((vm.ip(), retired), (2, [0, 0, 0, 2]));
    vm.resume();
    assert_eq!(vm.run(&program, &mut memory, None, &mut retired), Status::Halted);
    assert_eq!((vm.words()[3], vm.ip(), retired), (15, 4, [1, 0, 0, 4]));
    assert_eq!(vm.step(&program, &mut memory), Status::Halted);
}

#[test]
fn edges_of_arithmetic() {
    let low = |op, inputs: &[u32]| arithmetic::fold(op, inputs).unwrap().low;
    let (min, minus_1) = (i32::MIN as u32, u32::MAX);
    assert_eq!(
        [low(Op::DivS, &[min, minus_1]), low(Op::RemS, &[min, minus_1])],
        [min, 0]
    );
    assert_eq!(
        [
            low(Op::DivS, &[7, 0]),
            low(Op::RemU, &[7, 0]),
            low(Op::DivU64, &[7, 7, 0, 0])
        ],
        [0, 0, 0]
    );
    assert_eq!(
        [
            low(Op::Shl, &[1, 33]),
            low(Op::Sar, &[min, 31]),
            low(Op::Rotl, &[1, 63])
        ],
        [2, minus_1, min]
    );
    let shifted = arithmetic::fold(Op::Shl64, &[1, 0, 32 + 64]).unwrap();
    assert_eq!(shifted, arithmetic::Outputs { low: 0, high: 1 });
    let [zero, minus_0, nan] = [0.0_f32, -0.0, f32::NAN].map(f32::to_bits);
    let one = 1.0_f32.to_bits();
    for (a, b) in [(zero, minus_0), (minus_0, zero)] {
        assert_eq!([low(Op::FMin, &[a, b]), low(Op::FMax, &[a, b])], [minus_0, zero]);
    }
    for (a, b) in [(one, nan), (nan, one)] {
        assert_eq!([low(Op::FMin, &[a, b]), low(Op::FMax, &[a, b])], [one, one]);
    }
    assert_eq!(
        low(Op::FMulAdd, &[0x3f80_0001, 0x3f80_0001, 0xbf80_0002]),
        (2.0_f32).powi(-46).to_bits()
    );
    assert_eq!(
        [
            low(Op::FToI, &[nan]),
            low(Op::FToU, &[0xbf80_0000]),
            low(Op::FToI, &[0x4f80_0000])
        ],
        [0, 0, 0x7fff_ffff]
    );
    assert_eq!(low(Op::FCanon, &[0xffff_ffff]), 0x7fc0_0000);
}

#[test]
fn every_operation_that_computes_has_a_meaning() {
    for &op in Op::ALL {
        let inputs: usize = (op.roles().iter())
            .map(|role| match role {
                Role::Use | Role::Imm => 1,
                Role::UsePair => 2,
                _ => 0,
            })
            .sum();
        let computes = matches!(op.class(), Class::Linear | Class::Oracle) && op != Op::Affine;
        assert_eq!(
            arithmetic::fold(op, &[2; 4][..inputs.min(4)]).is_some(),
            computes,
            "{}",
            op.mnemonic()
        );
        assert!(arithmetic::fold(op, &[1; 5]).is_none());
    }
}

#[test]
fn atomic_pairs_are_numbers_of_64_bits_at_even_places() {
    // The pair at w1 is counted up over its end, and then exchanged for w1 twice, the second time in vain.
    let body = "imm w5, 0xffffffff\nimm w6, 1\nimm w7, 0\nastore64 w5:w5, w1\naadd64 w3:w4, w1, w6:w7\nadd w0, w3, w4
        acas64 w3:w4, w1, w7:w7, w1:w6\nadd w0, w0, w3\nacas64 w3:w4, w1, w7:w7, w5:w5\nadd w0, w0, w3\nadd w0, w0, w4";
    let program = function(1, "", body);
    let mut atomics = [9; 5];
    let (outcome, results) = run(&program, &[&[2, 1, 4, u32::MAX]], &mut atomics);
    assert_eq!(atomics, [9, 9, 2, 1, 9]);
    assert_eq!(results, [1, 0, 0, 0]);
    assert_eq!(outcome.statuses[0], Status::Halted);
    // Neither an odd place has a pair, nor the last word alone.
    let outside: Vec<_> = outcome.traps.iter().map(|trap| (trap.site, trap.words[1])).collect();
    assert_eq!(outside, [(MEMORY_SITE, 1), (MEMORY_SITE, 4), (MEMORY_SITE, u32::MAX)]);
}

#[test]
fn atomic_pairs_take_each_operation_as_64_bits() {
    let (old, operand) = (0x8000_0001_0000_0003_u64, 0x7fff_ffff_8000_0005_u64);
    let signed = |value: u64| value as i64;
    for (name, expected) in [
        ("aload64", old),
        ("aadd64", old.wrapping_add(operand)),
        ("asub64", old.wrapping_sub(operand)),
        ("aand64", old & operand),
        ("aor64", old | operand),
        ("axor64", old ^ operand),
        ("aminu64", operand),
        ("amaxu64", old),
        ("amins64", signed(old).min(signed(operand)) as u64),
        ("amaxs64", signed(old).max(signed(operand)) as u64),
        ("aswap64", operand),
    ] {
        let operands = if name == "aload64" { "" } else { ", w4:w5" };
        let [low, high] = halves(operand);
        let program = function(
            1,
            "",
            &format!("imm w4, {low}\nimm w5, {high}\n{name} w2:w3, w1{operands}\nxor w0, w2, w3"),
        );
        let mut atomics = halves(old);
        let (_, results) = run(&program, &[&[0]], &mut atomics);
        assert_eq!(
            (arithmetic::u64_of(atomics[0], atomics[1]), results[0]),
            (expected, 0x8000_0002),
            "{name}"
        );
    }
}

#[test]
fn every_operation_on_an_atomic_word_is_one_on_a_pair() {
    for &op in Op::ALL {
        let named = Op::ALL
            .iter()
            .find(|other| other.mnemonic() == format!("{}64", op.mnemonic()));
        let expected = named.filter(|_| op.mnemonic().starts_with('a') && op.effect() == crate::isa::Effect::Write);
        assert_eq!(op.on_atomic_pair(), expected.copied(), "{}", op.mnemonic());
        assert!(expected.is_none_or(|op| op.is_on_atomic_pair()));
    }
}
