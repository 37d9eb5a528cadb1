//! What the benchmarks run: a kernel into which is folded what launches have in common is none the worse for it.

use gpuvm_ptx::Grid;
use gpuvm_workloads::{ALL, Argument, Check};

use super::ptx::{for_cuda, translation};
use super::*;
use crate::tests::ptx::check as check_ptx;

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
                alignment: KnownParam::alignment_of([stride]),
            }
        });
    KnownParams(known.collect())
}

/// How often a fresh shader asks whether something traps, of memory or otherwise.
fn checks(program: &Program, options: &Options) -> [usize; 2] {
    let text = shown_with(program, options, Start::Fresh);
    ["trap_fault =", "stop_ip ="].map(|trap| text.matches(trap).count())
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
                    cuda: several,
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

/// The PTX of a routine's fresh shader for CUDA, with what launches with these arguments have in common folded in.
fn translated(program: &Program, name: &str, arguments: &[Argument]) -> String {
    let options = Options {
        known: known(program, arguments),
        ..for_cuda(program.relaxed)
    };
    let Shader { module, info, .. } = Shader::new(program, &options, Start::Fresh).unwrap();
    let options = translation(program.relaxed, Grid::Launched);
    check_ptx(name, &module, &info, &options);
    gpuvm_ptx::translate(&module, &info, &options).unwrap().text
}

#[test]
fn what_is_folded_in_becomes_ptx() {
    let runtime = gpuvm::Runtime::builder().backend(gpuvm::Backend::Cpu).build().unwrap();
    for Check { routine, arguments, .. } in ALL {
        for name in [routine.to_string(), format!("{routine}_relaxed")] {
            let Ok(program) = runtime.program(&name) else {
                continue;
            };
            let text = translated(&program, &name, &arguments());
            if name.starts_with("nbody") {
                // The VM's own body and those of the first turns and of the turns after the next are loaded as vectors, and nothing calls a function for a root.
                assert_eq!(
                    text.matches("ld.relaxed.cta.global.v4.b32").count(),
                    1 + 2 * 16,
                    "{text}"
                );
                assert!(!text.contains("sqrt.rn"), "{text}");
            }
        }
    }
}
