//! `usize` and `isize` have 32 bits in a VM: what does not fit is an error, on every engine, and never other bits.

use gpuvm::Error;
use gpuvm::prelude::*;

use super::{ENGINES, runtime, told};

/// The smallest number that does not fit.
const LARGE: usize = 1 << 32;

#[routine]
fn size(x: usize) -> usize {
    x
}

#[routine]
fn signed(x: isize) -> isize {
    x
}

#[routine]
fn grow(me: &mut usize) {
    *me += 1;
}

#[routine]
fn pick(all: &[usize], i: u32) -> usize {
    all[i as usize]
}

#[routine]
fn fill(out: &mut [usize]) {
    out[0] = 1;
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Place {
    name: u32,
    at: Option<(f32, usize)>,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Jump {
    Stay,
    By(isize),
    To { place: Place, times: [u8; 2] },
}

#[routine]
fn place(x: Place) -> Place {
    x
}

#[routine]
fn jump(x: Jump) -> Jump {
    x
}

fn expected(holder: &str) -> String {
    format!(
        "{holder} is or has a `usize` or `isize` that does not fit 32 bits, which is what these have in a VM; use `u64` or `i64` for \
         larger numbers"
    )
}

macro_rules! refused {
    ($engine:expr, $id:literal, $args:expr) => {
        told(runtime().launch($id).unwrap().args($args).vms(2).engine($engine).run())
    };
}

#[test]
fn an_argument_names_parameter_and_entry() {
    let at = |at| Place {
        name: 7,
        at: Some((0.5, at)),
    };
    for engine in ENGINES {
        let x = expected("entry 1 of argument `x` of `size`");
        assert_eq!(refused!(engine, "size", (&[1usize, LARGE],)), x, "{engine}");
        assert_eq!(refused!(engine, "size", (LARGE,)), expected("argument `x` of `size`"));
        let signed = expected("entry 0 of argument `x` of `signed`");
        assert_eq!(refused!(engine, "signed", (&[-(1isize << 31) - 1, 0],)), signed);
        let me = expected("entry 1 of argument `me` of `grow`");
        assert_eq!(refused!(engine, "grow", (&mut [1usize, LARGE],)), me);
        let all = expected("entry 2 of argument `all` of `pick`");
        assert_eq!(refused!(engine, "pick", (&[1usize, 2, LARGE], 0u32)), all);
        let out = expected("entry 3 of argument `out` of `fill`");
        assert_eq!(refused!(engine, "fill", (&mut [1usize, 2, 3, LARGE],)), out);
        let x = expected("entry 1 of argument `x` of `place`");
        assert_eq!(refused!(engine, "place", (&[at(LARGE - 1), at(LARGE)],)), x);
        for large in [
            Jump::By(isize::MAX),
            Jump::To {
                place: at(LARGE),
                times: [1, 2],
            },
        ] {
            let x = expected("entry 1 of argument `x` of `jump`");
            assert_eq!(refused!(engine, "jump", (&[Jump::Stay, large],)), x);
        }
    }
}

#[test]
fn what_fits_comes_back() {
    let sizes = [0, 1, LARGE - 1];
    let jumps = [
        Jump::Stay,
        Jump::By(i32::MIN as isize),
        Jump::To {
            place: Place { name: 1, at: None },
            times: [1, 2],
        },
    ];
    for engine in ENGINES {
        let launch = |id| runtime().launch(id).unwrap().engine(engine);
        let done = launch("size").args((&sizes,)).run().unwrap();
        assert_eq!(done.output::<Vec<usize>>().unwrap(), sizes, "{engine}");
        let done = launch("jump").args((&jumps,)).run().unwrap();
        assert_eq!(done.output::<Vec<Jump>>().unwrap(), jumps, "{engine}");
    }
}

#[test]
fn however_it_is_launched() {
    let column = [LARGE, 1];
    let launch = || runtime().launch("size").unwrap().args((&column,));
    let x = expected("entry 0 of argument `x` of `size`");
    assert_eq!(told(launch().start()), x);
    assert_eq!(told(pollster::block_on(launch().run_async())), x);
    assert_eq!(told(size::launch(runtime(), &column)), x);
}

#[test]
fn a_buffer_does_not_take_it() {
    let wrong = expected("entry 1 of the data for a buffer");
    assert_eq!(told(runtime().buffer(&[1usize, LARGE])), wrong);
    let buffer = runtime().buffer(&[1usize, LARGE - 1]).unwrap();
    assert_eq!(told(buffer.write(&[2, LARGE])), wrong);
    assert_eq!(buffer.read().unwrap(), [1, LARGE - 1]);
    // The native function counts on where a VM traps or wraps, and what it has left is no argument any more.
    let grow = |engine| runtime().launch("grow").unwrap().args((&buffer,)).engine(engine).run();
    grow(Engine::Native).unwrap();
    assert_eq!(buffer.read().unwrap(), [2, LARGE]);
    for engine in ENGINES {
        assert_eq!(
            told(grow(engine)),
            expected("entry 1 of argument `me` of `grow`"),
            "{engine}"
        );
    }
    let mut plan = runtime().plan();
    let out = plan.map("size", (&buffer,)).unwrap();
    plan.output(out);
    assert_eq!(told(plan.run()), expected("entry 1 of buffer 0"));
}

#[test]
fn nor_does_a_plan() {
    for engine in [Engine::Native, Engine::Reference, Engine::Interpreter] {
        let column = [1usize, 2, LARGE];
        let mut plan = runtime().plan();
        plan.engine(engine);
        let out = plan.map("size", (&column,)).unwrap();
        plan.output(out);
        assert_eq!(told(plan.run()), expected("entry 2 of input 0"), "{engine}");
        let mut plan = runtime().plan();
        plan.engine(engine);
        let out = plan.generate("size", 3, (LARGE,)).unwrap();
        plan.output(out);
        let x = expected("argument `x` of map `size` (node 0)");
        assert_eq!(told(plan.run()), x, "{engine}");
    }
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Step {
    by: Option<usize>,
}

#[ring_kernel]
fn walker(at: &mut u64, step: Step) -> Step {
    *at += 1;
    step
}

#[test]
fn nor_does_a_ring_kernel() {
    let wrong = "a message to ring kernel `walker` has a `usize` or `isize` that does not fit 32 bits, which is what these have in a VM; use \
                 `u64` or `i64` for larger numbers";
    let large = Step { by: Some(LARGE) };
    let fits = Step { by: Some(LARGE - 1) };
    for engine in ENGINES {
        let options = RingOptions {
            actors: 2,
            engine,
            ..default()
        };
        let kernel = runtime().blocking_launch_ring("walker", options).unwrap();
        kernel.blocking_activate().unwrap();
        assert_eq!(told(kernel.blocking_send(1, large)), wrong, "{engine}");
        assert_eq!(told(kernel.try_send(1, large)), wrong, "{engine}");
        assert_eq!(told(kernel.blocking_call::<Step>(1, large)), wrong, "{engine}");
        // None of them has reached the actor.
        assert_eq!(kernel.blocking_call::<Step>(1, fits).unwrap(), fits, "{engine}");
        kernel.blocking_deactivate().unwrap();
        assert_eq!(kernel.blocking_state::<u64>(1).unwrap(), 1, "{engine}");
        kernel.blocking_terminate().unwrap();
    }
}

#[test]
fn the_error_is_data_too() {
    let error = runtime().launch("size").unwrap().args((&[LARGE],)).run().unwrap_err();
    assert!(matches!(error, Error::SizeTooLarge { index: Some(0), .. }), "{error}");
}

#[routine]
fn literal(x: usize) -> u64 {
    let large: usize = 5_000_000_005;
    (large.wrapping_add(x)) as u64
}

#[routine]
fn constant(x: usize) -> u64 {
    (LARGE.wrapping_add(x)) as u64
}

#[routine]
fn cast(x: u64) -> u64 {
    x as usize as u64
}

#[routine]
fn product(x: usize) -> u64 {
    (x * x) as u64
}

/// What README says of the numbers that are longer here than in a VM.
#[test]
fn inside_a_routine_what_is_longer_is_cut_or_traps() {
    let (size, long) = ([1usize << 20], [(1u64 << 40) + 5]);
    for engine in ENGINES {
        let launch = |id| runtime().launch(id).unwrap().engine(engine);
        let sized = |id| launch(id).args((&size,)).run();
        let output = |done: gpuvm::Result<gpuvm::Done>| done.unwrap().output::<Vec<u64>>().unwrap()[0];
        let found = [
            output(sized("literal")),
            output(sized("constant")),
            output(launch("cast").args((&long,)).run()),
        ];
        let native = [literal(size[0]), constant(size[0]), cast(long[0])];
        let is_native = engine == Engine::Native;
        let expected = if is_native {
            native
        } else {
            native.map(|all| u64::from(all as u32))
        };
        assert_eq!(found, expected, "{engine}");
        let product = told(sized("product"));
        let trapped = product.ends_with("attempt to multiply with overflow");
        assert_eq!(trapped, !is_native, "{engine}: {product}");
    }
}

/// No machine has registers for as much.
#[routine]
fn roomy(x: u32) -> u32 {
    let all = [x; 70_000];
    all[(x % 70_000) as usize]
}

#[test]
fn a_function_that_needs_too_many_words_is_told_when_it_is_launched() {
    for engine in ENGINES {
        let launch = runtime().launch("roomy").unwrap().args((&[3u32, 4],)).engine(engine);
        if engine == Engine::Native {
            assert_eq!(launch.run().unwrap().output::<Vec<u32>>().unwrap(), [3, 4]);
            continue;
        }
        let text = "routine `roomy` cannot become a program: its variables and intermediate values take more than 65520 words: keep large data in \
                    slices";
        assert_eq!(told(launch.run()), text, "{engine}");
    }
}
