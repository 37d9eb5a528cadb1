//! What becomes of right and wrong answers.

use super::*;

#[test]
fn a_wrong_answer_drops_its_form_alone() {
    let all = FloatOps::of_features(wgpu::Features::all());
    assert!(all.arithmetic() && all.native(Op::FSqrt) && all.needs(Needs::Long));
    let input = [1.5_f32.to_bits(), 2.5_f32.to_bits(), 0x7fc0_0000, 7];
    let right = |form: &Form| form.expected(input).unwrap_or_default();
    let mut answers: Vec<_> = all.forms().map(|(_, form)| right(form)).collect();
    assert_eq!(all.checked(input, &answers), all);
    answers[1] = [0; 2];
    let checked = all.checked(input, &answers);
    assert_eq!((checked.arithmetic(), checked.count()), (false, all.count() - 1));
    let nan = all.forms().position(|(_, form)| form.op == Op::FMulAdd);
    answers[nan.unwrap()] = [0xffff_ffff, 0];
    assert_eq!(all.checked(input, &answers), checked, "NaNs are one value");
}

#[test]
fn the_best_form_is_meant() {
    let mut text = String::new();
    FloatOps::default().declare(&mut text);
    assert!(text.contains("fn fsqrt(a: u32) -> u32 { return fsqrt_words(a); }"));
    text.clear();
    FloatOps::of_features(wgpu::Features::empty()).declare(&mut text);
    assert!(text.contains("{ return fsqrt_native(a); }") && text.contains("{ return div64_words(a, b); }"));
    assert!(FloatOps::default().relaxed().native(Op::FMulAdd));
}

#[test]
fn roots_from_an_estimate_are_dropped_one_by_one() {
    let all = FloatOps::of_features(wgpu::Features::all());
    assert_eq!(all.without_roots([false; 2]), all);
    let rooted = all.without_roots([false, true]);
    assert!(rooted.estimated() && !rooted.inverse_root());
    let inverse = all.without_roots([true, false]);
    assert!(inverse.estimated() && inverse.inverse_root() && inverse.count() == all.count() - 1);
    assert!(!all.without_roots([true; 2]).estimated());
}

#[test]
fn relaxed_programs_have_no_use_for_our_own_spirv() {
    let relaxed = FloatOps::of_features(wgpu::Features::all()).relaxed();
    assert!(!relaxed.to_string().contains(HARDWARE));
}
