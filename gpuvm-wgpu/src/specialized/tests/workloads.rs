//! What the benchmarks run: a kernel into which is folded what launches have in common is none the worse for it.

use gpuvm_workloads::{ALL, Argument, Check};

use super::*;

/// What is known of the parameters of a launch with these arguments.
fn known(program: &Program, arguments: &[Argument]) -> KnownParams {
    // What a VM returns comes last.
    let rest = std::iter::repeat_n(&Argument::Column, program.params.len() - arguments.len());
    let known = arguments
        .iter()
        .chain(rest)
        .zip(&program.params)
        .map(|(argument, param)| {
            let (stride, length, value) = match argument {
                Argument::Column => (param.ty.words, 1, None),
                Argument::Value(words) => (0, 1, Some(words.clone())),
                Argument::Slice(length) => (0, *length as u32, None),
            };
            KnownParam {
                stride: Some(stride),
                length: Some(length),
                value,
            }
        });
    KnownParams(known.collect())
}

/// How often a fresh shader asks whether something traps, of memory or otherwise.
fn checks(program: &Program, options: &Options) -> [usize; 2] {
    let text = shown_with(program, options, Start::Fresh);
    ["trap_fault =", "trap_ip ="].map(|trap| text.matches(trap).count())
}

#[test]
fn a_kernel_with_a_launch_folded_in_has_no_more_checks_than_the_general_one() {
    for raise in [true, false] {
        let settings = gpuvm::Settings {
            raise,
            ..gpuvm::Settings::default()
        };
        let builder = gpuvm::Runtime::builder().backend(gpuvm::Backend::Cpu);
        let runtime = builder.settings(settings).build().unwrap();
        for Check { routine, arguments, .. } in ALL {
            let program = runtime.program(routine).unwrap();
            for several in [false, true] {
                let general = Options {
                    several,
                    ..Options::default()
                };
                let folded = Options {
                    known: known(&program, &arguments()),
                    ..general.clone()
                };
                let [general, folded] = [general, folded].map(|options| checks(&program, &options));
                let is_none_the_worse = general.iter().zip(&folded).all(|(general, folded)| folded <= general);
                assert!(
                    is_none_the_worse,
                    "`{routine}`: {folded:?} checks where the general kernel has {general:?}"
                );
            }
        }
    }
}
