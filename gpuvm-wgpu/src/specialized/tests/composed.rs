//! Steps of generators that follow each other: each is written as one of where the first began.

use super::*;

/// A generator of so many steps in a row, which are looked at where bits of the mask say so.
fn steps(factors: &[(u32, u32)], looked_at: u32) -> String {
    let step = |(at, (factor, constant)): (usize, &(u32, u32))| {
        let look = match looked_at >> at & 1 {
            1 => "xor w10, w10, w3\n",
            _ => "",
        };
        format!(
            "muli w3, w3, {}\naddi w3, w3, {}\n{look}",
            *factor as i32, *constant as i32
        )
    };
    factors.iter().enumerate().map(step).collect()
}

fn check_steps(factors: &[(u32, u32)], looked_at: u32) {
    let steps = steps(factors, looked_at);
    // Once in a row, in both branches, and around a loop whose number of turns differs from VM to VM.
    let straight = format!("vmid w3\nmuli w3, w3, 77\n{steps}add w10, w10, w3");
    let branches = format!(
        "vmid w3\nandi w4, w3, 1\n{steps}jz @even, w4\n{steps}jump @on\neven:\naddi w3, w3, 5\n{steps}on:\nmuli w3, w3, 3\nadd w10, w10, w3"
    );
    let around = format!(
        "vmid w3\nandi w4, w3, 15\nimm w5, 0\nagain:\n{steps}addi w5, w5, 1\nltu w6, w5, w4\njnz @again, w6\nadd w10, w10, w3"
    );
    for code in [straight, branches, around] {
        check_with(
            &job(assembled("", &code), &[], 0, 1, 64),
            &Options::default(),
            &[3, 5000],
        );
    }
}

#[test]
fn composed_steps_give_the_bits_of_single_ones() {
    const LCG: (u32, u32) = (1_664_525, 1_013_904_223);
    check_steps(&[LCG; 5], 0);
    check_steps(&[LCG; 5], 0b10101);
    check_steps(&[(3, 0), (5, 7), (u32::MAX, 1), (2, u32::MAX)], 0b110);
    check_steps(&[(1, 1), (3, 2), (1, 0), (9, 9)], 0b1001);
    check_steps(&[(7, 1), (0, 5), (3, 3), (0x8000_0000, 1), (2, 2)], 0b1111);
}

#[test]
fn steps_of_a_loop_do_not_wait_for_each_other() {
    let factor: u32 = 1_664_525;
    let text = format!(
        "param u32\nresult u32\ncode\nimm w0, 1\nvmid w10\nimm w4, 1000\nagain:\nmuli w10, w10, {factor}\naddi w10, w10, 7\naddi w5, w5, 1
        ltu w6, w5, w4\njnz @again, w6\nparam w1, 1\nstore w10, w0, w1, 0\nhalt"
    );
    let text = shown(&assemble(&text).unwrap(), Start::Fresh);
    let twice = factor.wrapping_mul(factor);
    for power in [twice, twice.wrapping_mul(factor), twice.wrapping_mul(twice)] {
        assert!(text.contains(&format!("* {power}u")), "{text}");
    }
}
