//! Loops, calls, traps, yields, memory, and VMs that are stopped everywhere.

use super::*;
use crate::floats::FloatOps;
use crate::parts::Uses;
use crate::source::EntryPoint;

/// Lengths of dispatches that stop VMs at many places.
const CYCLES: [u32; 4] = [1, 2, 7, 5000];
const SITE: &str = "site 0:7:0 bounds";

fn job_of(program: Program, vms: u32) -> Batch {
    job(program, &[], 0, 1, vms)
}

/// Runs code, with the given lines in front of it, in dispatches of many lengths.
fn check_code(header: &str, code: &str, vms: u32) -> Batch {
    check_with(&job_of(assembled(header, code), vms), &Options::default(), &CYCLES)
}

#[test]
fn loops_of_different_lengths_end_right() {
    check_code(
        "",
        "vmid w2\nmuli w2, w2, 7\nagain:\njz @finish, w2\nadd w10, w10, w2\naddi w2, w2, -1\njump @again",
        100,
    );
}

#[test]
fn nested_loops_with_breaks_and_continues_end_right() {
    // Rows of different lengths; some are skipped, some end early, and one condition ends both loops.
    let code = "
        vmid w2
        andi w2, w2, 15
        rows:
        addi w3, w3, 1
        ltu w4, w2, w3
        jnz @finish, w4
        imm w5, 0
        andi w6, w3, 3
        jz @rows, w6
        columns:
        addi w5, w5, 1
        mul w7, w5, w3
        andi w8, w7, 7
        imm w9, 6
        eq w8, w8, w9
        jnz @rows, w8
        xor w10, w10, w7
        rotli w10, w10, 3
        imm w9, 90
        ltu w8, w9, w7
        jnz @far, w8
        ltu w8, w5, w2
        jnz @columns, w8
        addi w10, w10, 17
        jump @rows
        far:
        xori w10, w10, 0x5555";
    check_code("", code, 70);
}

#[test]
fn a_jump_into_a_loop_ends_right() {
    let code =
        "vmid w1\nandi w2, w1, 1\njnz @b, w2\na:\naddi w10, w10, 5\nb:\naddi w1, w1, -3\nmuli w10, w10, 3\nimm w3, 0
        lts w4, w3, w1\njnz @a, w4";
    check_code("", code, 100);
}

#[test]
fn recursion_keeps_its_frames() {
    // fib(n) of the VM's number, which is in w1 and so is the result.
    let header = "frame_words 90\ncall_depth 30\ndepth_limit 9\nsite 0:7:0 stack_overflow";
    let code = "
        vmid w1
        call @fib, 3
        mov w10, w1
        jump @finish
        fib:
        enter s0
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
        leave
        ret";
    check_code(header, code, 13);
    check_code(&header.replace("call_depth 30", "call_depth 4"), code, 13);
}

#[test]
fn frames_grow_with_what_is_reached() {
    for deepest in [3, 60, 380] {
        check(&job(crate::tests::control::sums(deepest), &[], 0, 1, 70));
    }
}

#[test]
fn traps_stop_their_vm_alone_and_record_words() {
    let code = "
        vmid w10
        andi w2, w10, 7
        addi w3, w2, -6
        jnz @on, w3
        trap s0, w10:_, w2:w10
        on:
        imm w4, 5
        eq w5, w2, w4
        trapnz s0, w5, w10, _
        muli w6, w2, 3
        again:
        addi w6, w6, -1
        imm w7, 9
        eq w7, w7, w6
        trapnz s0, w7, w6, w10
        addi w10, w10, 1
        imm w7, 0
        lts w7, w7, w6
        jnz @again, w7";
    let done = check_code(SITE, code, 200);
    assert_eq!(done.arena[2], 2 + 6);
    let mut later = job_of(assembled(SITE, code), 200);
    later.first_vm = 6;
    later.slots[1].place.base = 0_u32.wrapping_sub(6);
    check_with(&later, &Options::default(), &CYCLES);
}

#[test]
fn nothing_is_stored_after_a_trap() {
    let code = "vmid w2\nandi w3, w2, 1\nimm w5, 2\nimm w6, 1\nimm w0, 1\nparam w1, 1\ntrapnz s0, w3, w2, _
        aadd w10, w5, w6\nstore w2, w0, w1, 0\nastore w2, w6";
    let mut job = job_of(assembled(SITE, code), 2);
    job.atomics = vec![0; 4];
    let done = check_with(&job, &Options::default(), &CYCLES);
    assert_eq!((done.atomics[2], done.arena[1]), (1, 0));
}

#[test]
fn memory_outside_traps() {
    for (space, offset) in [(0, 8), (1, 4), (2, 8), (3, 0)] {
        for access in ["load", "store"] {
            for known in [true, false] {
                // The space is known, or comes out of a loop.
                let code = match known {
                    true => format!("imm w2, {space}\nimm w3, {offset}\n{access} w4, w2, w3, 0"),
                    false => format!(
                        "vmcount w2\naddi w2, w2, {}\nimm w3, {offset}\n{access} w4, w2, w3, 0",
                        space - 4
                    ),
                };
                check_code("frame_words 8", &code, 4);
            }
        }
    }
}

#[test]
fn an_address_leads_to_no_word_that_is_only_named() {
    // Each VM has another address; those from 5 on are of words that `ldf` and `stf` alone reach, or of none.
    for words in [12, 300] {
        for access in ["load w6, w0, w3, 0", "store w2, w0, w3, 0"] {
            for address in [
                "vmid w3",
                "vmid w3\naddr w4, 0\nadd w3, w3, w4",
                "imm w3, 4",
                "imm w3, 5",
                "andi w3, w2, 4",
            ] {
                let code = format!(
                    "vmid w2\naddi w2, w2, 7\nstf w2, 4\nstf w2, 5\nstf w2, 9\n{address}\n{access}
                    ldf w10, 4\nldf w3, 5\nadd w10, w10, w3\nadd w10, w10, w6"
                );
                check_code(&format!("frame_words {words}\naddressed_words 5"), &code, 16);
            }
        }
    }
}

#[test]
fn spilled_words_are_kept_beside_an_array_while_vms_are_stopped() {
    let code = "vmid w2\naddr w5, 1\nstf w2, 6\nagain:\nandi w4, w3, 3\nadd w4, w4, w5\nload w6, w0, w4, 0\nadd w6, w6, w3
        store w6, w0, w4, 0\nldf w8, 7\nadd w8, w8, w6\nstf w8, 7\naddi w3, w3, 1\nldf w9, 6\nltu w7, w3, w9\njnz @again, w7
        ldf w10, 4\nldf w6, 7\nadd w10, w10, w6";
    check_code("frame_words 8\naddressed_words 5", code, 60);
}

#[test]
fn frames_are_kept_while_vms_are_stopped() {
    let scalars = "vmid w2\nstf w2, 3\nagain:\nldf w3, 5\naddi w3, w3, 1\nstf w3, 5\nltu w4, w3, w2\njnz @again, w4
        ldf w10, 3\nadd w10, w10, w3";
    check_code("frame_words 8", scalars, 60);
    // An array that is written by index and read back.
    let array = "vmid w2\naddr w5, 1\nagain:\nandi w4, w3, 15\nadd w4, w4, w5\nload w6, w0, w4, 0\nadd w6, w6, w3
        store w6, w0, w4, 0\naddi w3, w3, 1\nltu w7, w3, w2\njnz @again, w7\nldf w10, 5\nldf w6, 9\nadd w10, w10, w6";
    check_code("frame_words 20", array, 60);
    check_code("frame_words 2000", array, 60);
    let shared =
        "vmid w2\naddr w5, 1\nagain:\nvmcount w8\naddi w8, w8, -60\nadd w4, w3, w5\nload w6, w8, w4, 0\nadd w6, w6, w3
        store w6, w8, w4, 0\naddi w3, w3, 1\nandi w3, w3, 15\naddi w2, w2, -1\njnz @again, w2\nldf w10, 5";
    check_code(
        "frame_words 40",
        &shared.replace("vmid w2", "vmid w2\naddi w2, w2, 1"),
        60,
    );
}

#[test]
fn atomics_of_all_vms_add_up() {
    let mut code = "vmid w2\naddi w2, w2, -60\n".to_string();
    for (at, name) in ["aadd", "asub", "axor", "aminu", "amaxu", "amins", "amaxs", "aor"]
        .into_iter()
        .enumerate()
    {
        code += &format!("imm w3, {at}\n{name} w4, w3, w2\n");
    }
    check_code("", &code, 500);
}

#[test]
fn one_vm_sees_every_atomic_do_its_work() {
    let mut code = "imm w3, 2\nimm w2, 0x80001234\nastore w2, w3\n".to_string();
    let names = [
        "aadd", "asub", "aand", "aor", "axor", "aminu", "amaxu", "amins", "amaxs", "aswap",
    ];
    for (i, name) in (0..).zip(names) {
        let operand = 0x1357_9bdf_u32.rotate_left(i * 5);
        code += &format!("imm w5, {operand}\n{name} w4, w3, w5\nmuli w10, w10, 31\nxor w10, w10, w4\n");
    }
    code += "aload w4, w3\nacas w6, w3, w4, w2\nxor w10, w10, w6\nacas w6, w3, w4, w5\nadd w10, w10, w6";
    check_code("", &code, 1);
}

#[test]
fn atomic_pairs_are_whole_where_vms_go_on_after_traps() {
    let mut code = "vmid w1\naddi w2, w1, -60\nmuli w3, w1, 0x9e3779b9\n".to_string();
    for (at, name) in ["aadd64", "amins64", "amaxs64", "axor64"].into_iter().enumerate() {
        code += &format!("imm w6, {}\n{name} w4:w5, w6, w2:w3\n", 2 * at);
    }
    check_code("", &code, 500);
    // Odd places and places behind the atomics are none.
    let names = [
        "aswap64 w4:w10, w1, w1:w1",
        "astore64 w1:w1, w1",
        "acas64 w4:w10, w1, w0:w0, w1:w1",
        "aload64 w4:w10, w1",
    ];
    for name in names {
        check_code("", &format!("vmid w1\n{name}"), 20);
    }
}

#[test]
fn only_programs_with_atomic_pairs_ask_the_device_for_them() {
    let asks = |code: &str| {
        let program = assembled("", code);
        let shader = Shader::new(&program, &Options::default(), Start::Fresh).unwrap();
        let long = |ty: &naga::Type| ty.inner == naga::TypeInner::Atomic(naga::Scalar::U64);
        let types = shader.module.types.iter().any(|(_, ty)| long(ty));
        let source = EntryPoint::Interpreter(Uses::of(&program)).source(FloatOps::default());
        assert_eq!(source.contains("atomic<u64>"), types);
        assert_eq!(program.has_atomic_pairs(), types);
        types
    };
    assert!(!asks("aadd w1, w0, w0\nadd64 w2:w3, w4:w5, w6:w7"));
    assert!(asks("aadd64 w2:w3, w1, w4:w5"));
}

#[test]
fn yielding_vms_go_on_together() {
    let code = "imm w2, 1\naadd w4, w3, w2\nyield\naload w10, w3\nyield";
    let done = check_code("", code, 300);
    assert!(done.arena.iter().all(|&seen| seen == 300));
    // Yields in loops and branches, of different VMs at different places.
    let code = "
        vmid w1
        andi w2, w1, 3
        again:
        addi w3, w3, 1
        eq w4, w3, w2
        jz @even, w4
        yield
        addi w10, w10, 100
        inner:
        addi w10, w10, 1
        andi w5, w10, 7
        jnz @inner, w5
        yield
        even:
        imm w6, 1
        aadd w7, w0, w6
        yield
        imm w5, 5
        ltu w4, w3, w5
        jnz @again, w4";
    check_code("", code, 40);
}

#[test]
fn what_is_known_of_the_launch_is_folded_in() {
    let text = "param u32\nparam &[u32]\nresult u32\ncode\nimm w0, 1\nparam w1, 0\nload w2, w0, w1, 0\nparam w3, 1\nparamlen w4, 1
        again:\nleu w6, w4, w5\njnz @done, w6\nadd w7, w3, w5\nload w8, w0, w7, 0\nmul w8, w8, w2\nadd w10, w10, w8
        addi w5, w5, 1\njump @again\ndone:\nparam w1, 2\nstore w10, w0, w1, 0\nhalt";
    let program = assemble(text).unwrap();
    let mut job = job(program, &[3, 5, 7, 11, 13], 0, 1, 50);
    let slice = crate::tests::on_host(gpuvm_core::program::ParamSlot {
        base: 1,
        stride: 0,
        length: 4,
        reserved: 0,
    });
    job.slots.insert(1, slice);
    let folded = Options {
        known: KnownParams(vec![
            KnownParam {
                stride: Some(0),
                value: Some(vec![3]),
                ..KnownParam::default()
            },
            KnownParam {
                stride: Some(0),
                length: Some(4),
                ..KnownParam::default()
            },
        ]),
        ..Options::default()
    };
    for options in [Options::default(), folded] {
        let done = check_with(&job, &options, &CYCLES);
        assert_eq!(done.arena[5], 3 * (5 + 7 + 11 + 13));
    }
    // Neither the slice's elements nor the result need a check.
    let text = shown(&job.program, Start::Fresh);
    assert!(!text.contains("trap_fault ="), "{text}");
}

#[test]
fn a_program_that_surely_ends_stores_no_state() {
    let program = assembled("", "vmid w10\nmuli w10, w10, 5");
    let shader = Shader::new(&program, &Options::default(), Start::Fresh).unwrap();
    assert_eq!((shader.about.suspends, shader.about.traps), (false, false));
    let text = shown(&program, Start::Fresh);
    assert!(!text.contains("states"), "{text}");
}
