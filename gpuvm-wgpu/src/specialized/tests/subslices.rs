//! Subslices: what is known to lie in them is not checked once more, and what only looks like that is.

use proptest::prelude::*;

use super::counted::{LENGTHS, folded};
use super::*;

/// Adds up the elements, of two words each, of a subslice: from half of the VM's number on, up to three quarters of it.
const SUBSLICE: &str = "param &[[u32; 2]]\nresult u32\nsite 0:7:0 bounds\ncode\nimm w0, 1\nparam w1, 0\nparamlen w2, 0\nvmid w8\nshri w3, w8, 1
    muli w4, w8, 3\nshri w4, w4, 2\nltu w5, w2, w4\ntrapnz s0, w5, w4, w2\nltu w5, w4, w3\ntrapnz s0, w5, w3, w4\nmuli w6, w3, 2
    add w6, w6, w1\nsub w7, w4, w3\nimm w9, 0\nltu w5, w9, w7\njz @done, w5\nagain:\nmuli w5, w9, 2\nadd w5, w5, w6\nload w11, w0, w5, 0
    load w12, w0, w5, 1\nmul w11, w11, w12\nadd w10, w10, w11\naddi w9, w9, 1\nltu w5, w9, w7\njnz @again, w5\ndone:\nparam w1, 1
    store w10, w0, w1, 0\nhalt";

/// The same from the fourth element on, to the end.
const REST: &str = "param &[[u32; 2]]\nresult u32\nsite 0:7:0 bounds\ncode\nimm w0, 1\nparam w1, 0\nparamlen w2, 0\nimm w3, 3
    ltu w5, w2, w3\ntrapnz s0, w5, w3, w2\naddi w6, w1, 6\naddi w7, w2, -3\nimm w9, 0\nltu w5, w9, w7\njz @done, w5\nagain:\nmuli w5, w9, 2
    add w5, w5, w6\nload w11, w0, w5, 0\nload w12, w0, w5, 1\nmul w11, w11, w12\nadd w10, w10, w11\naddi w9, w9, 1\nltu w5, w9, w7
    jnz @again, w5\ndone:\nparam w1, 1\nstore w10, w0, w1, 0\nhalt";

/// How a program of a slice is specialised: where the slice's length may be anything, and where it is folded in.
fn ways(length: u32) -> [Options; 2] {
    [Options::default(), folded(length)]
}

/// Runs a program of a slice of so many elements.
fn check(text: &str, length: u32) {
    let words: Vec<u32> = (1..=2 * length).collect();
    let mut job = job(assemble(text).unwrap(), &words, 0, 1, 40);
    job.slots[0].place.length = length;
    for options in ways(length) {
        check_with(&job, &options, &[1, 2, 5000, 5000]);
    }
}

/// Counts the checks of memory in a program's fresh shaders.
fn checks(text: &str, length: u32) -> [usize; 2] {
    let program = assemble(text).unwrap();
    ways(length).map(|options| {
        let text = shown_with(&program, &options, Start::Fresh);
        text.matches("launch.arena_words").count()
    })
}

#[test]
fn subslices_are_read_without_checks() {
    for length in LENGTHS {
        for text in [SUBSLICE, REST] {
            check(text, length);
            // Only the loop for the last few iterations checks, and each of its two loads once. What stands behind a trap that every VM meets does not count.
            if length > 1 {
                let found = checks(text, length);
                assert!(found.iter().all(|found| *found <= 2), "{found:?} checks: {text}");
            }
        }
    }
}

#[test]
fn what_is_not_sure_to_lie_in_a_subslice_is_checked() {
    let length = 23;
    let proven = checks(SUBSLICE, length);
    // Some of these read what other VMs write, so they are looked at and not run.
    let changes = [
        ("the end may be behind the slice's", "trapnz s0, w5, w4, w2", ""),
        ("the end may be in front of the start", "trapnz s0, w5, w3, w4", ""),
        ("another start is compared", "ltu w5, w4, w3", "ltu w5, w4, w9"),
        ("the start is another one", "muli w6, w3, 2", "muli w6, w8, 2"),
        ("the start counts words", "muli w6, w3, 2", "muli w6, w3, 1"),
        ("the index counts words", "muli w5, w9, 2", "muli w5, w9, 1"),
        (
            "the length is one more",
            "sub w7, w4, w3",
            "sub w7, w4, w3\naddi w7, w7, 1",
        ),
        (
            "the end is one more",
            "sub w7, w4, w3",
            "addi w4, w4, 1\nsub w7, w4, w3",
        ),
        ("the next element is read", "load w12, w0, w5, 1", "load w12, w0, w5, 2"),
        (
            "the element before is read",
            "load w12, w0, w5, 1",
            "load w12, w0, w5, -1",
        ),
        ("it is less than the start", "sub w7, w4, w3", "sub w7, w3, w4"),
    ];
    for (why, from, to) in changes {
        assert!(SUBSLICE.contains(from), "{from}");
        let found = checks(&SUBSLICE.replacen(from, to, 1), length);
        let more = found.iter().zip(proven).all(|(found, proven)| *found > proven);
        assert!(
            more,
            "{why}: {found:?} checks where there are {proven:?} without the change"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn subslices_are_what_they_are_for_the_reference(shift in 0_u32..4, times in 1_u32..9, down in 0_u32..4, more in -3_i32..4, length in 1_u32..40) {
        let text = SUBSLICE
            .replace("shri w3, w8, 1", &format!("shri w3, w8, {shift}"))
            .replace("muli w4, w8, 3\nshri w4, w4, 2", &format!("muli w4, w8, {times}\nshri w4, w4, {down}\naddi w4, w4, {more}"));
        check(&text, length);
    }
}
