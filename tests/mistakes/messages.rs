//! What errors say.

use gpuvm::prelude::*;

use super::{ENGINES, runtime, told};

#[routine]
fn double(x: f32) -> f32 {
    x * 2.0
}

#[routine]
fn divide(a: u32, b: u32) -> u32 {
    a / b
}

#[routine]
fn anything<T: VmType + std::ops::Add<Output = T>>(a: T, b: T) -> T {
    a + b
}

#[routine]
fn number(out: &mut [u32], n: u32) {
    let id = vm::id() as usize;
    out[id] = n;
}

#[routine]
fn deep(n: u32) -> u32 {
    if n == 0 { 0 } else { 1 + deep(n - 1) }
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Add(u32);

#[ring_kernel]
fn counter(sum: &mut u32, message: Add) -> Add {
    *sum += message.0;
    Add(*sum)
}

#[test]
fn what_main_prints_is_what_one_wants_to_read() {
    let error = runtime().launch("divide").unwrap().args((&[1u32, 2], &[1u32, 0])).run();
    let error = error.unwrap_err();
    let expected = format!(
        "VM 1 of `divide` trapped at {}:{}: attempt to divide by zero",
        file!(),
        14
    );
    assert_eq!(error.to_string(), expected);
    assert_eq!(
        format!("{error:?}"),
        format!("{expected}\n  in divide(a = 2, b = 0) at {}:14", file!())
    );
    let error = runtime().launch("double").unwrap().args((1.0f32, 2)).run().unwrap_err();
    assert_eq!(format!("{error:?}"), "`double` takes 1 argument (x) and was given 2");
}

#[test]
fn an_id_of_something_else_is_told() {
    assert_eq!(
        told(runtime().launch("counter")),
        "`counter` is a ring kernel and not a routine; launch it with `launch_ring`"
    );
    assert_eq!(
        told(runtime().plan().map("counter", (&[1u32],))),
        "`counter` is a ring kernel and not a routine; launch it with `launch_ring`"
    );
    assert_eq!(
        told(runtime().blocking_launch_ring("double", default())),
        "`double` is a routine and not a ring kernel; launch it with `launch`"
    );
    assert_eq!(
        told(runtime().launch("anything").inspect(|_| assert_eq!(anything(1, 2), 3))),
        "no routine has the id `anything`; a method, a routine with type parameters, with a `&str`, which is no column (take `&[u8]` and \
         `std::str::from_utf8`), or with more than 12 parameters has no id, and is called by a routine that has"
    );
    assert_eq!(
        told(runtime().launch("doubel")),
        "no routine has the id `doubel`; did you mean `double`?"
    );
}

#[test]
fn a_chunk_starts_at_0() {
    for engine in ENGINES {
        let mut out = [0u32; 6];
        let launch = runtime().launch("number").unwrap().args((&mut out, 3u32)).vms(3);
        assert_eq!(
            told(launch.engine(engine).run()),
            format!(
                "VM 2 of `number` trapped at {}:25: index out of bounds: the len is 2 but the index is 2; `out` is cut to chunks of 2 \
                 entries a VM, and each VM sees its own, which starts at index 0",
                file!()
            ),
            "{engine}"
        );
    }
}

#[test]
fn too_deep_a_recursion_names_the_setting() {
    for engine in ENGINES {
        let launch = runtime().launch("deep").unwrap().args((&[200u32, 300],)).engine(engine);
        assert_eq!(
            told(launch.run()),
            format!(
                "VM 1 of `deep` trapped at {}:29: stack overflow: recursion is deeper than 256 calls, which is what \
                 `Settings::recursion_limit` or the launch's own `.depth(n)` allows; a larger `.depth(n)` allows more",
                file!()
            ),
            "{engine}"
        );
    }
}
