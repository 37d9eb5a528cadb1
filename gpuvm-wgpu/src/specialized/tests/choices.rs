//! Choices between many ways, and loops that go on from each of them.

use super::*;

/// A loop over a state that each of so many arms changes, with the loop's test behind each, as linking leaves it.
fn machine(arms: u32) -> Program {
    let mut code = String::from("vmid w2\nmov w3, w2\nimm w9, 40\nimm w8, 0\n");
    for value in 1..arms {
        code += &format!("imm w{}, {value}\n", 10 + value);
    }
    code += "turn:\naddi w8, w8, 1\nandi w3, w3, 7\njnz @not0, w3\naddi w10, w10, 5\naddi w3, w10, 1\n";
    for value in 1..arms {
        code += &format!(
            "ltu w4, w8, w9\njnz @turn, w4\njump @finish\nnot{}:\neq w4, w3, w{}\njz @not{value}, w4
            muli w10, w10, {}\naddi w3, w10, {value}\n",
            value - 1,
            10 + value,
            2 * value + 1,
        );
    }
    code += &format!(
        "ltu w4, w8, w9\njnz @turn, w4\njump @finish\nnot{}:\naddi w10, w10, 1\nmov w3, w10\n",
        arms - 1
    );
    code += "ltu w4, w8, w9\njnz @turn, w4\njump @finish";
    assembled("", &code)
}

#[test]
fn a_match_in_a_loop_is_a_switch_and_one_test() {
    let program = machine(6);
    let text = shown(&program, Start::Fresh);
    let cases = |value| text.matches(&format!("case {value}u: {{")).count();
    // One a copy of the loop's body.
    assert!(cases(0) > 0 && (1..6).all(|value| cases(value) == cases(0)), "{text}");
    // One in the loop, and one behind all copies of its body.
    assert_eq!(text.matches(" < 40u)").count(), 2, "{text}");
    check_with(&job(program, &[], 0, 1, 100), &Options::default(), &[1, 2, 7, 5000]);
}

#[test]
fn few_arms_stay_comparisons() {
    let program = machine(3);
    assert!(!shown(&program, Start::Fresh).contains("case 1u: {"));
    check_with(&job(program, &[], 0, 1, 100), &Options::default(), &[1, 5000]);
}

#[test]
fn arms_that_leave_the_loop_and_comparisons_that_are_kept_end_right() {
    // The third arm leaves; the fourth comparison's result is used in its arm; a value is asked for twice.
    let code = "
        vmid w2
        imm w11, 1\nimm w12, 2\nimm w13, 3\nimm w14, 4
        imm w9, 30
        turn:
        addi w8, w8, 1
        andi w3, w2, 7
        jnz @one, w3
        addi w2, w2, 3\njump @next
        one:\neq w4, w3, w11\njz @two, w4\naddi w2, w2, 5\njump @next
        two:\neq w4, w3, w12\njz @three, w4\naddi w10, w10, 100\njump @finish
        three:\neq w4, w3, w13\njz @again, w4\nadd w10, w10, w4\naddi w2, w2, 1\njump @next
        again:\neq w5, w3, w11\njz @four, w5\naddi w10, w10, 1000\njump @finish
        four:\neq w5, w3, w14\njz @other, w5\naddi w2, w2, 9\nadd w10, w10, w5\njump @next
        other:\nadd w10, w10, w5\naddi w2, w2, 1
        next:\nltu w4, w8, w9\njnz @turn, w4";
    check_with(
        &job(assembled("", code), &[], 0, 1, 64),
        &Options::default(),
        &[1, 3, 5000],
    );
}

#[test]
fn arms_that_lead_anywhere_are_arms_of_a_switch() {
    // Each comparison makes its own constant, of which one is used by later arms and behind the switch. Two values share an arm, and
    // the arms run loops, yield, go on with the next turn, and leave one loop or both.
    let code = "
        vmid w2
        rows:
        addi w8, w8, 1\nimm w9, 0\nimm w6, 77
        turn:
        addi w9, w9, 1\nmul w3, w2, w9\nadd w3, w3, w8\nandi w3, w3, 15
        jz @none, w3
        imm w4, 1\neq w4, w3, w4\njnz @shared, w4
        imm w4, 2\neq w4, w3, w4\njnz @inner, w4
        imm w6, 3\neq w4, w3, w6\njnz @kept, w4
        imm w4, 4\neq w4, w3, w4\njnz @shared, w4
        imm w4, 5\neq w4, w3, w4\njnz @row, w4
        imm w4, 6\neq w4, w3, w4\njnz @all, w4
        imm w4, 7\neq w4, w3, w4\njnz @yields, w4
        imm w4, 8\neq w4, w3, w4\njnz @turn_again, w4
        xor w10, w10, w6\nrotli w10, w10, 5\njump @next
        none:\nadd w10, w10, w6\njump @next
        shared:\nmuli w10, w10, 3\nadd w10, w10, w3\njump @next
        inner:\nandi w5, w2, 7
        more:\naddi w10, w10, 11\naddi w5, w5, -1\nandi w7, w5, 3\njnz @more, w7\njump @next
        kept:\nadd w10, w10, w6\nrotli w10, w10, 3\njump @next
        row:\naddi w10, w10, 1000\nimm w4, 12\nltu w4, w8, w4\njnz @rows, w4\njump @finish
        all:\naddi w10, w10, 5\nimm w4, 9\nltu w4, w4, w8\njnz @out, w4\njump @next
        yields:\naddi w10, w10, 1\nyield\naddi w2, w2, 1\njump @next
        turn_again:\naddi w2, w2, 3\nimm w4, 40\nltu w4, w9, w4\njnz @turn, w4
        next:\nimm w4, 25\nltu w4, w9, w4\njnz @turn, w4
        xor w10, w10, w6\nimm w4, 12\nltu w4, w8, w4\njnz @rows, w4
        out:\nadd w10, w10, w6";
    let program = assembled("", code);
    for start in [Start::Fresh, Start::Resumed] {
        let text = shown(&program, start);
        assert!((0..9).all(|value| text.contains(&format!("case {value}u"))), "{text}");
    }
    check_with(&job(program, &[], 0, 1, 300), &Options::default(), &[1, 2, 7, 60, 5000]);
}

#[test]
fn a_match_on_a_spilled_value_is_a_switch() {
    // Each comparison overwrites what it compares; one arm and what is behind the chain read the result, and one leaves the loop.
    let mut code =
        String::from("vmid w2\nturn:\naddi w8, w8, 1\nmul w3, w2, w8\nandi w3, w3, 7\nstf w3, 2\njz @arm0, w3\n");
    for value in 1..6 {
        code += &format!("ldf w3, 2\nimm w4, {value}\neq w3, w3, w4\njnz @arm{value}, w3\n");
    }
    code += "addi w10, w10, 1\nsub w10, w10, w3\njump @next\n";
    for value in 0..6 {
        let end = if value == 4 {
            "imm w4, 20\nltu w4, w4, w8\njnz @finish, w4"
        } else {
            ""
        };
        code += &format!(
            "arm{value}:\nrotli w10, w10, {value}\nldf w5, 2\nadd w10, w10, w5\nadd w10, w10, w3\n{end}\njump @next\n"
        );
    }
    code += "next:\nimm w4, 40\nltu w4, w8, w4\njnz @turn, w4";
    let program = assembled("frame_words 3\naddressed_words 2", &code);
    let text = shown(&program, Start::Fresh);
    assert!((0..6).all(|value| text.contains(&format!("case {value}u"))), "{text}");
    check_with(&job(program, &[], 0, 1, 200), &Options::default(), &[1, 3, 7, 5000]);
}

#[test]
fn exits_of_small_arms_come_before_them() {
    // Collatz: the odd arm leaves the loop by one way and traps by another.
    let code = "
        vmid w2\naddi w2, w2, 1\nimm w11, 1\nimm w12, 2000\nimm w13, 27
        turn:
        andi w3, w2, 1\njz @even, w3
        ltu w4, w12, w2\njnz @out, w4
        eq w4, w2, w13\ntrapnz s0, w4, w2, w3
        muli w2, w2, 3\naddi w2, w2, 1\njump @on
        even:\nshri w2, w2, 1
        on:\naddi w10, w10, 1\nltu w4, w11, w2\njnz @turn, w4
        out:\nadd w10, w10, w2";
    let program = assembled("site 0:7:0 bounds", code);
    let text = shown_with(&program, &Options::default(), Start::Fresh);
    // Each copy of the body asks for both conditions at once, and its arms are left without a branch.
    assert!(text.matches(" && ").count() >= 8, "{text}");
    check_with(&job(program, &[], 0, 1, 700), &Options::default(), &[1, 3, 5000, 5000]);
    // Both arms may leave, and store before they do.
    let code = "
        vmid w2\nimm w11, 5\nimm w12, 60
        turn:
        andi w3, w2, 1\njz @even, w3
        addi w10, w10, 7\nleu w4, w12, w10\njnz @out, w4\nadd w2, w2, w10\njump @on
        even:\nxori w10, w10, 3\neq w4, w10, w11\njnz @out, w4\naddi w2, w2, 3
        on:\naddi w9, w9, 1\nltu w4, w9, w12\njnz @turn, w4
        out:\nxor w10, w10, w2";
    check_with(
        &job(assembled("", code), &[], 0, 1, 300),
        &Options::default(),
        &[1, 3, 5000, 5000],
    );
}
