//! Loops that count, around the edges of the numbers, with VMs that are stopped everywhere.

use super::*;

const CYCLES: [u32; 2] = [3, 5000];

/// Code that runs `body` in a loop whose index is w3 and whose limit is w4. Limits are near the quarters of the numbers, starts up to 31
/// steps before them. No VM goes around more than 40 times.
fn counting(compare: &str, jump: &str, step: i32, first: bool, body: &str) -> String {
    let entry = match (first, jump) {
        (false, _) => String::new(),
        (true, "jnz") => format!("{compare}\njz @out, w6\n"),
        (true, _) => format!("{compare}\njnz @out, w6\n"),
    };
    format!(
        "vmid w1
        shli w2, w1, 30
        shri w3, w1, 2
        andi w3, w3, 7
        add w4, w2, w3
        addi w4, w4, -4
        shri w3, w1, 5
        andi w3, w3, 31
        muli w3, w3, {}
        add w3, w3, w4
        imm w8, 40
        imm w11, 1
        {entry}again:
        addi w5, w5, 1
        eq w7, w5, w8
        jnz @out, w7
        mul w10, w10, w8
        xor w10, w10, w3
        {body}
        addi w3, w3, {step}
        {compare}
        {jump} @again, w6
        out:
        add w10, w10, w5",
        step.wrapping_neg()
    )
}

fn check_counting(code: &str) {
    let program = assembled("site 0:7:0 bounds", code);
    check_with(&job(program, &[], 0, 1, 1024), &Options::default(), &CYCLES);
}

#[test]
fn loops_that_count_up_or_down_end_where_they_should() {
    let tests = [
        ("ltu w6, w3, w4", "jnz", 1),
        ("ltu w6, w3, w4", "jnz", 3),
        ("leu w6, w4, w3", "jz", 1),
        ("leu w6, w3, w4", "jnz", 5),
        ("lts w6, w3, w4", "jnz", 1),
        ("les w6, w4, w3", "jz", 7),
        ("les w6, w3, w4", "jnz", 2),
        ("ltu w6, w4, w3", "jnz", -1),
        ("leu w6, w3, w4", "jz", -3),
        ("lts w6, w4, w3", "jnz", -2),
        ("les w6, w4, w3", "jnz", -1),
        ("ne w6, w3, w4", "jnz", 1),
        ("eq w6, w4, w3", "jz", -1),
        ("mov w6, w3", "jnz", -1),
    ];
    for (i, (compare, jump, step)) in tests.into_iter().enumerate() {
        check_counting(&counting(compare, jump, step, i % 2 == 0, ""));
    }
}

#[test]
fn loops_that_count_may_break_trap_and_nest() {
    let up = |body| counting("ltu w6, w3, w4", "jnz", 1, true, body);
    check_counting(&up("andi w7, w10, 31\njz @out, w7"));
    check_counting(&up(
        "andi w7, w10, 63\nxori w7, w7, 5\nimm w9, 0\neq w7, w7, w9\ntrapnz s0, w7, w3, w5",
    ));
    check_counting(&up(
        "andi w7, w3, 1\njz @even, w7\naddi w10, w10, 9\njump @on\neven:\nrotli w10, w10, 3\non:\naadd w9, w0, w11",
    ));
    // The inner loop counts as well, down to a limit that it reads again each time.
    check_counting(&up(
        "mov w9, w5\ninner:\nxor w10, w10, w9\nrotli w10, w10, 5\naddi w9, w9, -1\nimm w12, 2\nlts w13, w12, w9
        jnz @inner, w13",
    ));
    // And one that always runs ten times.
    check_counting(&up(
        "imm w9, 10\ninner:\nadd w10, w10, w9\nrotli w10, w10, 5\naddi w9, w9, -1\njnz @inner, w9",
    ));
}

/// What a program is specialised for whose first parameter is a slice of so many elements.
pub(super) fn folded(length: u32) -> Options {
    let known = KnownParam {
        stride: Some(0),
        length: Some(length),
        alignment: KnownParam::alignment_of([]),
        ..KnownParam::default()
    };
    Options {
        known: KnownParams(vec![known]),
        ..Options::default()
    }
}

/// Runs a program of one slice, and counts what its fresh shader checks of memory and of indices: at most so much where the slice's
/// length may be anything, and where it is folded in, as it is after some launches.
fn check_slice(text: &str, words: u32, length: u32, vms: u32, checks: [usize; 2]) {
    let words: Vec<u32> = (1..=words).collect();
    let mut job = job(assemble(text).unwrap(), &words, 0, 1, vms);
    job.slots[0].place.length = length;
    for (options, most) in [Options::default(), folded(length)].into_iter().zip(checks) {
        check_with(&job, &options, &[1, 2, 5000, 5000]);
        let text = shown_with(&job.program, &options, Start::Fresh);
        let found = text.matches("trap_fault =").count();
        assert!(found <= most, "{found} checks where {most} will do: {text}");
    }
}

/// Lengths of slices whose loops become straight code once they are folded in, and of one whose loop stays.
pub(super) const LENGTHS: [u32; 3] = [1, 23, 2300];

#[test]
fn slices_are_read_without_checks_where_iterations_are_counted() {
    let text = "param &[[u32; 2]]\nresult u32\ncode\nimm w0, 1\nparam w1, 0\nparamlen w2, 0\nmov w10, w2\nltu w4, w3, w2\njz @done, w4
        again:\nmuli w5, w3, 2\nadd w5, w5, w1\naddi w3, w3, 1\nload w6, w0, w5, 0\nload w7, w0, w5, 1\nmul w6, w6, w7\nadd w10, w10, w6
        ltu w4, w3, w2\njnz @again, w4\ndone:\nparam w1, 1\nstore w10, w0, w1, 0\nhalt";
    // Only the loop for the last few iterations checks, and each of its two loads once.
    for length in LENGTHS {
        check_slice(text, 2 * length, length, 50, [2, 2]);
    }
}

#[test]
fn slices_are_read_without_checks_up_to_their_last_element() {
    // Every third element from the VM's own on, and beyond the last of them the last.
    let text = "param &[u32]\nresult u32\ncode\nimm w0, 1\nparam w1, 0\nparamlen w2, 0\nvmid w3\nltu w4, w3, w2\njz @done, w4
        addi w5, w2, -1\nimm w6, 13\nagain:\naddi w3, w3, 3\nminu w7, w3, w5\nadd w7, w1, w7\nload w7, w0, w7, 0
        muli w10, w10, 3\nadd w10, w10, w7\naddi w6, w6, -1\njnz @again, w6\ndone:\nparam w1, 1\nstore w10, w0, w1, 0\nhalt";
    for length in LENGTHS {
        check_slice(text, length, length, 30, [0, 0]);
    }
}

#[test]
fn indices_are_not_checked_where_iterations_are_counted() {
    let text = "param &[u32]\nresult u32\nsite 0:7:0 bounds\ncode\nimm w0, 1\nparam w1, 0\nparamlen w2, 0\nltu w4, w3, w2\njz @done, w4
        again:\nleu w4, w2, w3\ntrapnz s0, w4, w2, w3\nadd w5, w3, w1\nload w6, w0, w5, 0\nmuli w10, w10, 3\nadd w10, w10, w6
        addi w3, w3, 1\nltu w4, w3, w2\njnz @again, w4\ndone:\nparam w1, 1\nstore w10, w0, w1, 0\nhalt";
    for length in LENGTHS {
        check_slice(text, length, length, 50, [1, 1]);
    }
}

#[test]
fn a_number_below_the_length_that_was_folded_in_is_proof_enough() {
    // Only the loop for the last few iterations checks, where 40 is known to be few enough.
    let text =
        "param &[u32]\nresult u32\ncode\nimm w0, 1\nparam w1, 0\nvmid w3\nimm w5, 40\nimm w4, 0\nagain:\nadd w6, w1, w4
        load w7, w0, w6, 24\nadd w10, w10, w7\nxor w10, w10, w3\naddi w4, w4, 1\nltu w8, w4, w5\njnz @again, w8
        param w1, 1\nstore w10, w0, w1, 0\nhalt";
    check_slice(text, 64, 64, 50, [33, 1]);
}
