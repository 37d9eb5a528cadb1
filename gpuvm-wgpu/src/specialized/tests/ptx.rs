//! Specialised programs as PTX.

use gpuvm_ptx::{Floats, Grid};

use super::operations::all;
use super::random::random_program;
use super::*;
use crate::cuda;
use crate::floats::FloatOps;
use crate::kernel::uniform_fields;
use crate::specialized::OWN;
use crate::specialized::base::base;
use crate::tests::executed::{self, Kernels, check_interpreter, exact};
use crate::tests::operations::inputs;
use crate::tests::ptx::check as check_ptx;

/// Programs that show what specialised code consists of: loops, calls, frames, choices, floats, pairs, atomics, memory of any space.
const PROGRAMS: [(&str, &str, &str); 5] = [
    (
        "generator",
        "",
        "vmid w10\nimm w2, 400\nagain:\nmuli w10, w10, 1664525\naddi w10, w10, 1013904223\naddi w2, w2, -1
        jnz @again, w2",
    ),
    (
        "fractal",
        "",
        "vmid w2\nutof w3, w2\nfmuli w3, w3, 0x3a800000\nimm w4, 0\nimm w5, 0\nimm w6, 255\nagain:\nfmul w7, w4, w4
        fmul w8, w5, w5\nfadd w9, w7, w8\nimm w11, 0x40800000\nflt w9, w9, w11\njz @finish, w9\nfmul w5, w5, w4
        fadd w5, w5, w5\nfadd w5, w5, w3\nfsub w4, w7, w8\nfadd w4, w4, w3\naddi w10, w10, 1\naddi w6, w6, -1
        jnz @again, w6",
    ),
    (
        "recursion",
        "frame_words 90\ncall_depth 30\ndepth_limit 9\nsite 0:7:0 stack_overflow",
        "vmid w1\ncall @fib, 3, 3\nmov w10, w1\njump @finish\nfib:\nenter s0\nimm w2, 2\nltu w3, w1, w2\njnz @done, w3
        stf w1, 0\naddi w1, w1, -1\ncall @fib, 3, 3\nstf w1, 1\nldf w1, 0\naddi w1, w1, -2\ncall @fib, 3, 3\nldf w2, 1
        add w1, w1, w2\ndone:\nleave\nret",
    ),
    (
        "functions",
        "",
        "vmid w2\nutof w3, w2\nfsqrt w4, w3\nfdiv w5, w3, w4\nfrem w6, w5, w4\nfma w7, w4, w5, w6\nfround w8, w7
        ftoi w9, w8\nfmin w11, w4, w5\nmul64 w12:w13, w2:w3, w4:w5\ndivu64 w14:w15, w12:w13, w4:w5\nxor w10, w9, w14",
    ),
    (
        "spaces",
        "frame_words 8\nsite 0:7:0 bounds",
        "vmid w2\nandi w3, w2, 3\nload w4, w3, w2, 0\nstore w4, w3, w2, 1\naadd w5, w3, w2\nstf w5, 2\nldf w10, 2",
    ),
];

/// A state machine whose neighbours are hardly ever in the same state.
fn automaton() -> Program {
    let states = [
        "add w10, w10, w5\nandi w7, w5, 1\nimm w3, 1\njz @next, w7\nimm w3, 7",
        "shri w7, w5, 3\nxor w10, w10, w7\nimm w3, 2",
        "ori w7, w5, 1\nmul w10, w10, w7\nltu w7, w5, w10\nimm w3, 3\njz @next, w7\nimm w3, 6",
        "rotli w10, w10, 7\nshri w3, w5, 29",
        "andi w7, w10, 1\njnz @odd, w7\nshri w10, w10, 1\nodd:\nimm w3, 5",
        "sub w10, w10, w5\nltu w3, w5, w10\naddi w3, w3, 3",
        "andi w7, w5, 255\nor w10, w10, w7\nimm w3, 4",
    ];
    let mut text: String = (1..states.len())
        .map(|number| format!("imm w{}, {number}\n", 20 + number))
        .collect();
    text += "imm w2, 90\nvmid w5\naddi w5, w5, 77\nandi w3, w5, 7\nagain:\nshli w6, w5, 13\nxor w5, w5, w6
        shri w6, w5, 17\nxor w5, w5, w6\nshli w6, w5, 5\nxor w5, w5, w6\njnz @not0, w3\n";
    for (number, state) in states.iter().enumerate() {
        if number != 0 {
            text += &format!("eq w7, w3, w{}\njz @not{number}, w7\n", 20 + number);
        }
        text += &format!("{state}\njump @next\nnot{number}:\n");
    }
    assembled(
        "",
        &(text + "xori w10, w10, 0x55\nimm w3, 0\nnext:\naddi w2, w2, -1\njnz @again, w2"),
    )
}

/// The forms that a specialised kernel has.
const GRIDS: [Grid; 2] = [
    Grid::Launched,
    Grid::Resident(gpuvm_ptx::Own {
        answered: words(&OWN.answered),
        copied: [words(&OWN.copied[0]), words(&OWN.copied[1])],
    }),
];

/// The same for who translates, which a build without CUDA's devices has no other use for.
const fn words(of: &Option<cuda::Words>) -> Option<gpuvm_ptx::Words> {
    match of {
        Some(cuda::Words { group, binding, words }) => Some(gpuvm_ptx::Words {
            group: *group,
            binding: *binding,
            words: *words,
        }),
        None => None,
    }
}

/// What a program is specialised for on a device of CUDA's, relaxed or not.
pub(super) fn for_cuda(relaxed: bool) -> Options {
    let floats = FloatOps::of_features(wgpu::Features::all());
    Options {
        floats: if relaxed { floats.relaxed() } else { floats },
        relaxed,
        cuda: true,
        several: true,
        ..Options::default()
    }
}

/// How its shader is translated.
pub(super) fn translation(relaxed: bool, grid: Grid) -> gpuvm_ptx::Options {
    gpuvm_ptx::Options {
        floats: if relaxed { Floats::Relaxed } else { Floats::Exact },
        grid,
        checked: false,
        far: false,
        dependent_launch: true,
    }
}

pub(super) fn check_program(name: &str, program: &Program, relaxed: bool) {
    let options = for_cuda(relaxed);
    let fresh = Shader::new(program, &options, Start::Fresh).unwrap();
    let mut shaders = vec![("fresh", fresh)];
    if shaders[0].1.about.suspends {
        shaders.push(("resumed", Shader::new(program, &options, Start::Resumed).unwrap()));
    }
    shaders.extend(
        Shader::several(program, &options)
            .unwrap()
            .map(|shader| ("several", shader)),
    );
    for (start, shader) in shaders {
        for grid in GRIDS {
            let options = translation(relaxed, grid);
            let form = if grid.is_resident() { "resident" } else { "launched" };
            let name = format!("{name}_{start}_{form}");
            check_ptx(&name, &shader.module, &shader.info, &options);
        }
    }
}

#[test]
fn programs_become_ptx() {
    for (name, header, code) in PROGRAMS {
        let program = assembled(header, code);
        check_program(name, &program, false);
        check_program(&format!("{name}_relaxed"), &program, true);
    }
    check_program("automaton", &automaton(), false);
}

#[test]
fn random_programs_become_ptx() {
    for seed in 0..12 {
        check_program(&format!("random_{seed}"), &random_program(seed), false);
    }
}

/// Runs a job on the reference executor of PTX, specialised in both forms and interpreted, in dispatches of so many cycles.
pub(super) fn check_executed(job: &Batch, cycles: &[u32]) {
    let floats = FloatOps::of_features(wgpu::Features::all());
    let options = Options {
        floats,
        cuda: true,
        ..Options::default()
    };
    let program = &job.program;
    let fresh = Shader::new(program, &options, Start::Fresh).unwrap();
    let resumed = (fresh.about.suspends).then(|| Shader::new(program, &options, Start::Resumed).unwrap());
    for grid in GRIDS {
        let kernel = |shader: &Shader| exact(&shader.module, &shader.info, false, grid);
        let kernels = Kernels {
            fresh: kernel(&fresh),
            resumed: resumed.as_ref().map(kernel),
            fields: uniform_fields(&base(floats).unwrap().module),
            others: [Vec::new(), vec![program.data.clone()]],
        };
        for &cycles in cycles {
            executed::check(job, &kernels, cycles);
        }
        if let Some(several) = Shader::several(program, &options).unwrap() {
            let kernels = Kernels {
                fresh: kernel(&several),
                resumed: None,
                ..kernels
            };
            executed::check(job, &kernels, cycles[0]);
        }
    }
    for &cycles in cycles {
        check_interpreter(job, cycles.min(2000));
    }
}

#[test]
fn programs_run_as_ptx() {
    for (name, header, code) in PROGRAMS {
        println!("{name}");
        check_executed(&job(assembled(header, code), &[], 0, 1, 20), &[7, 100_000]);
    }
    check_executed(&job(automaton(), &[], 0, 1, 40), &[50, 100_000]);
}

#[test]
fn random_programs_run_as_ptx() {
    for seed in 1..=6 {
        println!("seed {seed}");
        check_executed(&job(random_program(seed), &[], 0, 1, 40), &[3, 400]);
    }
}

#[test]
fn operations_run_as_ptx() {
    for n in 0..=4 {
        let (program, outputs) = all(n, &[]);
        let vms = 240;
        check_executed(&job(program, &inputs(n, vms), n, outputs, vms), &[100_000]);
    }
}
