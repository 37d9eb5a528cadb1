//! Every shader that we ship as PTX: it is translated, and assembled where NVIDIA's assembler is installed. What it says of registers is
//! printed, and the text is left in the folder that the variable `GPUVM_PTX_TO` names.

use std::path::PathBuf;

use gpuvm_core::isa::Class;
use gpuvm_ptx::{Floats, Grid, Options, ptxas, translate};
use naga::Module;
use naga::valid::ModuleInfo;

use crate::floats::FloatOps;
use crate::kernel::parse;
use crate::parts::Uses;
use crate::source::{EntryPoint, SelectKernel, SortKernel};

/// What kernels are assembled for.
const ARCHITECTURE: &str = "sm_90";

/// Translates a module, and assembles that.
pub(crate) fn check(name: &str, module: &Module, info: &ModuleInfo, options: &Options) {
    let kernel = translate(module, info, options).unwrap_or_else(|error| panic!("{name}: {error}"));
    let Some(assembler) = ptxas::for_tests() else {
        return;
    };
    if let Some(folder) = std::env::var_os("GPUVM_PTX_TO") {
        let file = PathBuf::from(folder).join(format!("{name}.ptx"));
        std::fs::write(file, &kernel.text).unwrap();
    }
    match ptxas::assemble(assembler, &kernel.text, ARCHITECTURE) {
        Ok(said) => {
            let line = |what: &str| said.lines().find(|line| line.contains(what)).unwrap_or_default().trim();
            println!("{name}: {} | {}", line("Used"), line("stack frame"));
        }
        Err(said) => panic!("{name}: {said}"),
    }
}

#[test]
fn every_shader_becomes_ptx() {
    let all = FloatOps::of_features(wgpu::Features::all());
    let none = FloatOps::default();
    let mut shaders = vec![
        ("probe", EntryPoint::Probe, all),
        ("roots", EntryPoint::Roots, all),
        ("transpose", EntryPoint::Transpose, all),
        ("clear", EntryPoint::Clear, all),
        ("step", EntryPoint::Step, all),
        ("pick", EntryPoint::Pick, all),
        ("select_count", EntryPoint::Select(SelectKernel::Count), all),
        ("select_place", EntryPoint::Select(SelectKernel::Place), all),
        ("sort_count", EntryPoint::Sort(SortKernel::Count), all),
        ("sort_scan", EntryPoint::Sort(SortKernel::Scan), all),
        ("sort_add", EntryPoint::Sort(SortKernel::Add), all),
        ("sort_scatter", EntryPoint::Sort(SortKernel::Scatter), all),
        ("prepare", EntryPoint::Prepare, all),
        ("interpreter_all_words", EntryPoint::Interpreter(Uses::all()), none),
        ("interpreter_none", EntryPoint::Interpreter(Uses::default()), all),
    ];
    let mut relaxed = Uses::all();
    relaxed.relaxed = true;
    for (name, uses, floats) in [("all", Uses::all(), all), ("relaxed", relaxed, all.relaxed())] {
        let named = |kernel: &str| -> &'static str { format!("{kernel}_{name}").leak() };
        shaders.push((named("interpreter"), EntryPoint::Interpreter(uses), floats));
        shaders.push((named("classify"), EntryPoint::Classify(uses, 32), floats));
        for class in [Class::Linear, Class::Oracle, Class::Branch, Class::Io] {
            shaders.push((
                named(&format!("turn_{class:?}")),
                EntryPoint::Turn(class, uses, 32),
                floats,
            ));
        }
    }
    for (name, entry, floats) in shaders {
        let (module, info) = parse(&entry.source(floats)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let grids: &[Grid] = match entry {
            EntryPoint::Turn(..) => &[Grid::Launched, Grid::Indirect],
            _ => &[Grid::Launched],
        };
        for &grid in grids {
            let options = Options {
                floats: if entry.relaxed() {
                    Floats::Relaxed
                } else {
                    Floats::Exact
                },
                grid,
                checked: true,
                far: false,
                dependent_launch: true,
            };
            check(&format!("{name}_{grid:?}"), &module, &info, &options);
        }
    }
}
