//! Several VMs of an invocation: whatever their number, and wherever some of them trap, they leave what each by itself would.

use gpuvm_core::program::ParamSlot;
use gpuvm_shaders::layout::several::{OWN_ATOMICS, VMS};

use super::ptx::{check_executed, check_program};
use super::*;
use crate::tests::{Random, on_host};

/// Numbers of VMs around the borders of what invocations, workgroups and groups of VMs have.
const COUNTS: [u32; 8] = [
    1,
    63,
    255,
    257,
    256 * VMS - 1,
    256 * VMS,
    256 * VMS + 1,
    3 * 256 * VMS + 300,
];

/// `own = own * 3 + table[own & 7]`, and the VM's number as its result.
const PICKING: &str = "param &mut u32
    param [u32]
    result u32
    site 0:7:0 bounds
    code
    imm w0, 1\nparam w1, 0\nload w2, w0, w1, 0\nandi w3, w2, 7\nparamlen w4, 1\nltu w5, w3, w4\nxori w5, w5, 1
    trapnz s0, w5, w3, w4\nparam w6, 1\nadd w6, w6, w3\nload w7, w0, w6, 0\nmuli w2, w2, 3\nadd w2, w2, w7\nstore w2, w0, w1, 0
    param w8, 2\nvmid w9\nstore w9, w0, w8, 0\nhalt";

/// Adds 3 to an atomic that the VM's word tells, which traps where there is none of the number.
const ADDING: &str = "param u32
    site 0:7:0 bounds
    code
    imm w0, 1\nparam w1, 0\nload w2, w0, w1, 0\nimm w3, 3\naadd w4, w2, w3\nhalt";

fn slot(base: u32, stride: u32, length: u32) -> gpuvm_engine::Slot {
    on_host(ParamSlot {
        base,
        stride,
        length,
        reserved: 0,
    })
}

/// `result = x * 0.5 + 1`, as a plan's maps are.
const MAPPING: &str = "param f32
    result f32
    code
    imm w0, 1\nparam w1, 0\nload w2, w0, w1, 0\nfmuli w2, w2, 0x3f000000\nimm w3, 0x3f800000\nfadd w2, w2, w3
    param w4, 1\nstore w2, w0, w4, 0\nhalt";

/// A job of [`PICKING`] with a table of so many words.
pub fn picking(vms: u32, table: u32) -> Batch {
    let mut random = Random(vms + 1);
    let mut batch = job(assemble(PICKING).unwrap(), &[], 0, 0, vms);
    batch.arena = (0..vms + table).map(|_| random.next()).collect();
    batch.arena.resize((2 * vms + table) as usize, 0);
    batch.job.arena_words = batch.arena.len();
    batch.job.changed = std::iter::once(0..batch.arena.len()).collect();
    batch.job.slots = vec![slot(0, 1, 1), slot(vms, 0, table), slot(vms + table, 1, 1)];
    batch.job.only_first_trap = vms % 2 == 1;
    batch
}

/// A job of [`ADDING`] with so many atomics, whose VMs tell the numbers of some of them, and one of `wrong` that of none.
fn adding(vms: u32, atomics: u32, wrong: Option<u32>) -> Batch {
    let mut random = Random(vms + 1);
    let numbers: Vec<u32> = (0..vms)
        .map(|vm| match wrong {
            Some(each) if vm % each == each - 1 => atomics + vm,
            _ => random.below(atomics),
        })
        .collect();
    let mut batch = job(assemble(ADDING).unwrap(), &numbers, 1, 0, vms);
    batch.job.atomics = vec![5; atomics as usize];
    batch.job.only_first_trap = vms % 2 == 1;
    batch
}

/// Checks a job with one VM an invocation, and with several.
fn check_both(job: &Batch) {
    // Only the first time it is for a CPU that plays the device.
    check_with(job, &Options::default(), &[1000, 1000]);
}

/// The entry point of the kernel of a program that has several VMs an invocation.
fn several_of(program: &Program) -> Option<String> {
    let shader = Shader::several(
        program,
        &Options {
            several: true,
            ..Options::default()
        },
    )
    .unwrap()?;
    Some(shader.module.entry_points[0].name.clone())
}

#[test]
fn any_number_of_vms_leaves_what_each_would() {
    assert_eq!(several_of(&picking(1, 8).program).as_deref(), Some("several_fresh"));
    for vms in COUNTS {
        check_both(&picking(vms, 8));
    }
}

#[test]
fn those_that_trap_store_nothing_and_the_first_is_told() {
    for vms in COUNTS {
        // Of a table of seven words each eighth VM asks for the last, and of one of none all do.
        check_both(&picking(vms, 7));
    }
    check_both(&picking(300, 0));
}

#[test]
fn what_is_added_is_added_once() {
    assert_eq!(
        several_of(&adding(1, 1, None).program).as_deref(),
        Some("several_adding")
    );
    for atomics in [1, 7, 300, OWN_ATOMICS, OWN_ATOMICS + 1] {
        for vms in COUNTS {
            check_both(&adding(vms, atomics, None));
        }
    }
    // Few enough of them for workgroups to have copies of all.
    check_both(&adding(VMS * OWN_ATOMICS, OWN_ATOMICS, None));
}

#[test]
fn those_that_trap_add_nothing() {
    for vms in COUNTS {
        check_both(&adding(vms, 7, Some(50)));
    }
    check_both(&adding(2000, 7, Some(1999)));
}

/// A job of a random program that ends soon: arithmetic, choices, traps, elements of a table of so many words, one that is nowhere, additions
/// to atomics, and stores at the end.
fn random(seed: u32, vms: u32, table: u32) -> Batch {
    let mut random = Random(seed);
    let [mut code, mut traps] = [(); 2].map(|()| String::new());
    let header = "param &mut u32\nparam [u32]\nresult u32\nsite 0:7:0 bounds";
    for label in 0..4 + random.below(8) {
        let [a, b, c] = [(); 3].map(|()| 10 + random.below(4));
        code += &match random.below(9) {
            0 | 1 => format!("mul w{a}, w{b}, w{c}\nxor w{b}, w{a}, w{c}\n"),
            2 => format!("ltu w{a}, w{b}, w{c}\nrotli w{c}, w{b}, 7\n"),
            3 => format!("andi w3, w{a}, 1\njz @l{label}, w3\nadd w{b}, w{a}, w{c}\nmuli w{c}, w{b}, 9\nl{label}:\n"),
            4 => format!("andi w3, w{a}, 63\nimm w4, 50\neq w3, w3, w4\ntrapnz s0, w3, w{a}, w{b}\n"),
            5 => format!(
                "andi w3, w{a}, 15\nparamlen w4, 1\nltu w5, w3, w4\nxori w5, w5, 1\ntrapnz s0, w5, w3, w4\n\
                 param w6, 1\nadd w6, w6, w3\nload w{b}, w0, w6, 0\n"
            ),
            6 => format!(
                "andi w3, w{a}, 7\nimm w4, 5\neq w4, w3, w4\nshri w5, w{a}, 29\nand w4, w4, w5\nshli w4, w4, 30\n\
                 add w3, w3, w4\nparam w6, 1\nadd w6, w6, w3\nload w{b}, w0, w6, 0\n"
            ),
            7 => {
                traps += &format!("bad{label}:\ntrap s0, w{a}:_, w{b}:w{c}\n");
                format!("andi w3, w{a}, 31\njz @bad{label}, w3\n")
            }
            _ => format!("andi w3, w{a}, 7\naadd w4, w3, w{b}\n"),
        };
    }
    let text = format!(
        "{header}\ncode\nimm w0, 1\nparam w1, 0\nload w10, w0, w1, 0\nvmid w11\n{code}\
         store w12, w0, w1, 0\nparam w2, 2\nstore w13, w0, w2, 0\nhalt\n{traps}"
    );
    let program = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut batch = picking(vms, table);
    batch.job.program = Arc::new(program);
    batch
}

#[test]
fn random_programs_leave_what_each_vm_would() {
    let mut several = 0;
    for seed in 1..=80 {
        println!("seed {seed}");
        let job = random(seed, 1100 + seed % 2, 14 + seed % 3);
        several += usize::from(several_of(&job.program).is_some());
        check_both(&job);
        check_executed(&random(seed, 64 * VMS + 9, 15), &[1000]);
    }
    // An addition behind which others trap is made at once, and an atomic that is looked at is none.
    assert!(several > 10, "{several}");
}

#[test]
fn they_become_ptx_that_runs() {
    for (name, code) in [("mapping", MAPPING), ("picking", PICKING), ("adding", ADDING)] {
        check_program(name, &assemble(code).unwrap(), false);
    }
    // The executor's workgroups have 64 invocations.
    let vms = 64 * VMS;
    for vms in [vms - 1, vms, 2 * vms + 70] {
        for table in [0, 7, 8] {
            check_executed(&picking(vms, table), &[1000]);
        }
        for wrong in [None, Some(50)] {
            check_executed(&adding(vms, 7, wrong), &[1000]);
            check_executed(&adding(vms, 300, wrong), &[1000]);
        }
        let input: Vec<u32> = (0..vms).map(|vm| (vm as f32).to_bits()).collect();
        check_executed(&job(assemble(MAPPING).unwrap(), &input, 1, 1, vms), &[1000]);
    }
}

#[test]
fn it_is_for_programs_whose_stores_can_wait() {
    let with = |header: &str, code: &str| {
        let text = format!("{header}\nresult u32\nsite 0:7:0 bounds\ncode\nimm w0, 1\nparam w1, 0\n{code}\nhalt\n");
        several_of(&assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}")))
    };
    let own = |code: &str| with("param &mut u32", code);
    assert_eq!(own("vmid w2\nstore w2, w0, w1, 0").as_deref(), Some("several"));
    assert_eq!(
        own("vmid w2\ntrapnz s0, w2, w2, _\nstore w2, w0, w1, 0").as_deref(),
        Some("several_fresh")
    );
    // What was left to be stored is what is loaded.
    assert_eq!(
        own("vmid w2\nstore w2, w0, w1, 0\nload w3, w0, w1, 0\nparam w4, 1\nstore w3, w0, w4, 0").as_deref(),
        Some("several")
    );
    // One that traps has stored already.
    assert_eq!(own("vmid w2\nstore w2, w0, w1, 0\ntrapnz s0, w2, w2, _"), None);
    assert_eq!(
        own("vmid w2\njz @bad, w2\nstore w2, w0, w1, 0\nhalt\nbad:\ntrap s0, w2:_, w1:w2").as_deref(),
        Some("several_fresh")
    );
    // Some of the VMs store.
    assert_eq!(own("vmid w2\njz @done, w2\nstore w2, w0, w1, 0\ndone:"), None);
    // Some are done early.
    assert_eq!(own("vmid w2\njz @done, w2\nhalt\ndone:\nstore w2, w0, w1, 0"), None);
    // What an atomic was is for somebody.
    assert_eq!(own("vmid w2\naadd w3, w2, w2\nstore w3, w0, w1, 0"), None);
    assert_eq!(own("vmid w2\naload w3, w2\nstore w3, w0, w1, 0"), None);
    // A loop takes long enough by itself.
    assert_eq!(
        own("vmid w2\nagain:\naddi w2, w2, -1\njnz @again, w2\nstore w2, w0, w1, 0"),
        None
    );
    // Any element may be the one that is stored.
    let elements = "vmid w2\nparamlen w3, 0\nltu w4, w2, w3\njz @done, w4\nadd w5, w1, w2\n";
    assert_eq!(
        with("param &mut [u32]", &format!("{elements}store w2, w0, w5, 0\ndone:")),
        None
    );
}
