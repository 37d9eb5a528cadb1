//! What is built does what it says, files bring it back, and mistakes are told by the line of the call.

use proptest::prelude::*;

use super::*;
use crate::bytes::LoadError;
use crate::compile::link;
use crate::interp::{Memory, Vm};
use crate::program::{ParamSlot, Status};
use crate::settings::Settings;

fn built(name: &str, body: impl for<'b> FnOnce(&'b Body)) -> RoutineRef {
    RoutineRef::new(build(name, body).expect("it can be built"))
}

/// The words that a routine of values returns for arguments, or its trap's message.
pub(crate) fn run(routine: &RoutineRef, args: &[u32]) -> Result<Vec<u32>, String> {
    let program = link(routine.clone(), &[], &Settings::default()).expect("it links");
    let results = program.result_words();
    let mut arena = args.to_vec();
    arena.resize(args.len() + results as usize, 0);
    let slot = |base| ParamSlot {
        base,
        stride: 0,
        length: 1,
        reserved: 0,
    };
    let mut next = 0;
    let mut slots = Vec::new();
    for param in routine.params.iter() {
        slots.push(slot(next));
        next += param.words();
    }
    slots.push(slot(next));
    let mut memory = Memory {
        arena: &mut arena,
        atomics: &mut [],
        params: &slots,
        vm_count: 1,
        first_vm: 0,
    };
    let mut vm = Vm::new(&program, 0);
    vm.run(&program, &mut memory, Some(100_000), &mut [0; 4]);
    match (vm.status(), vm.trap) {
        (Status::Halted, _) => Ok(arena[args.len()..].to_vec()),
        (_, Some(trap)) => {
            let site = program.sites[trap.site as usize];
            Err(format!(
                "{}: {}",
                site.place.line,
                site.cause.message(trap.words, &program.data)
            ))
        }
        (status, None) => Err(format!("{status:?}")),
    }
}

/// The line of this file that ends with a text.
fn line_of(text: &str) -> u32 {
    let mut lines = include_str!("tests.rs").lines();
    lines.position(|line| line.ends_with(text)).expect("it is there") as u32 + 1
}

fn mistake(body: impl for<'b> FnOnce(&'b Body)) -> String {
    build("wrong", body).expect_err("it cannot be built").what
}

fn collatz() -> RoutineRef {
    built("collatz", |f| {
        let n = f.param::<u32>("n");
        let n = f.variable("n", n);
        let steps = f.variable("steps", 0u32);
        f.while_(
            |_| n.get().ne(1),
            |f| {
                f.if_else((n.get() % 2).eq(0), |_| n.set(n.get() / 2), |_| n.set(n.get() * 3 + 1));
                steps.set(steps.get() + 1);
            },
        );
        f.ret(steps.get());
    })
}

#[test]
fn a_loop_with_branches_runs() {
    let collatz = collatz();
    let steps = |n| run(&collatz, &[n]);
    assert_eq!(
        (steps(1), steps(7), steps(27)),
        (Ok(vec![0]), Ok(vec![16]), Ok(vec![111]))
    );
}

#[test]
fn loops_are_left_and_go_on() {
    let odd = built("odd_sum", |f| {
        let n = f.param::<u32>("n");
        let sum = f.variable("sum", 0u32);
        f.for_(0, n, |f, i| {
            f.if_((i & 1).eq(0), |f| f.continue_());
            f.if_(i.gt(10), |f| f.break_());
            sum.set(sum.get() + i);
        });
        f.loop_(|f| {
            sum.set(sum.get() + 1);
            f.if_((sum.get() % 10).eq(0), |f| f.ret(sum.get()));
        });
    });
    assert_eq!(run(&odd, &[6]), Ok(vec![10]));
    assert_eq!(run(&odd, &[100]), Ok(vec![30]));
}

#[test]
fn both_arms_may_return() {
    let sign = built("sign", |f| {
        let x = f.param::<i32>("x");
        f.if_else(x.lt(0), |f| f.ret(f.constant(-1)), |f| f.ret(f.constant(1)));
    });
    assert_eq!(run(&sign, &[5]), Ok(vec![1]));
    assert_eq!(run(&sign, &[u32::MAX]), Ok(vec![u32::MAX]));
}

#[test]
fn tables_and_arrays_have_indices() {
    let histogram = built("histogram", |f| {
        let n = f.param::<u32>("n");
        let table = f.table(&[3u32, 1, 4, 1, 5, 9, 2, 6]);
        let bins = f.array::<u32>("bins", 10, 0);
        f.for_(0, n, |_, i| {
            let digit = table.get(i); // where it traps
            bins.set(digit, bins.get(digit) + 1);
        });
        f.ret((bins.get(1), bins.get(9), table.len()));
    });
    assert_eq!(run(&histogram, &[8]), Ok(vec![2, 1, 8]));
    let line = line_of("// where it traps");
    assert_eq!(
        run(&histogram, &[9]),
        Err(format!("{line}: index out of bounds: the len is 8 but the index is 8"))
    );
}

#[test]
fn a_routine_calls_one_that_was_built() {
    let square = built("square", |f| {
        let x = f.param::<u64>("x");
        f.ret(x * x);
    });
    let norm = built("norm", |f| {
        let point = f.param::<(u32, u32)>("point");
        let [x, y] = ["0", "1"].map(|name| point.field::<u32>(name).cast::<u64>());
        f.ret(f.call::<u64>(&square, (x,)) + f.call::<u64>(&square, (y,)));
    });
    assert_eq!(run(&norm, &[1 << 20, 3]), Ok(vec![9, 1 << 8]));
    let again = RoutineRef::from_bytes(&norm.to_bytes().unwrap(), &[], &|_| None).unwrap();
    assert_eq!(again.key(), norm.key());
    assert_eq!(run(&again, &[1 << 20, 3]), Ok(vec![9, 1 << 8]));
}

#[test]
fn traps_are_rusts() {
    let divide = built("divide", |f| {
        let (a, b) = (f.param::<i32>("a"), f.param::<i32>("b"));
        f.assert(b.lt(100), "too large");
        f.ret((a / b, a % b)); // where it divides
    });
    let line = line_of("// where it divides");
    assert_eq!(run(&divide, &[-7i32 as u32, 2]), Ok(vec![-3i32 as u32, -1i32 as u32]));
    assert_eq!(run(&divide, &[1, 0]), Err(format!("{line}: attempt to divide by zero")));
    let overflow = Err(format!("{line}: attempt to divide with overflow"));
    assert_eq!(run(&divide, &[i32::MIN as u32, u32::MAX]), overflow);
    assert_eq!(run(&divide, &[1, 200]), Err(format!("{}: too large", line - 1)));
}

#[test]
fn mistakes_say_what_to_write() {
    let late = mistake(|f| {
        f.constant(1u32);
        f.param::<u32>("x");
    });
    assert_eq!(late, "parameter `x` comes after other values; parameters come first");
    let end = mistake(|f| {
        let x = f.param::<bool>("x");
        f.if_(x, |f| f.ret(f.constant(1u32)));
    });
    assert_eq!(
        end,
        "its end is reached without a `ret`, and it returns `u32`: return a value there too, or `f.panic(…)`"
    );
    let types = mistake(|f| {
        let x = f.param::<bool>("x");
        f.if_(x, |f| f.ret(f.constant(1u32)));
        f.ret(f.constant(1.0f32));
    });
    assert_eq!(types, "it returns `f32` here and `u32` before");
    assert_eq!(mistake(|f| f.break_()), "`break_` outside of a loop");
    assert_eq!(mistake(|f| f.continue_()), "`continue_` outside of a loop");
    let called = mistake(|f| {
        let x = f.param::<f32>("x");
        f.call::<u32>(&collatz(), (x, x));
    });
    assert_eq!(called, "`collatz` takes (u32), and is given (f32, f32)");
    let returned = mistake(|f| {
        let x = f.param::<u32>("x");
        f.call::<f32>(&collatz(), (x,));
    });
    assert_eq!(returned, "`collatz` returns `u32`, and not `f32`");
    let field = mistake(|f| {
        f.param::<(u32, f32)>("x").field::<u32>("2");
    });
    assert_eq!(field, "`tuple` has no field `2`; it has: 0, 1");
    let error = build("wrong", |f| f.break_()).unwrap_err();
    assert_eq!((error.file.as_str(), error.line), (file!(), line!() - 1));
    let text = error.to_string();
    assert!(
        text.starts_with("`wrong` cannot be built: ") && text.contains("tests.rs:"),
        "{text}"
    );
}

#[test]
fn a_value_of_another_routine_is_refused() {
    build("outer", |f| {
        let x = f.param::<u32>("x");
        let what = mistake(|f| {
            let y = f.param::<u32>("y");
            f.ret(y + x);
        });
        assert_eq!(
            what,
            "this value belongs to another routine; a parameter brings it here"
        );
    })
    .unwrap();
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let bytes = collatz().to_bytes().unwrap();
    let load = |bytes: &[u8]| RoutineRef::from_bytes(bytes, &[], &|_| None).map(|_| ()).unwrap_err();
    assert_eq!(load(b"gpuvmprg"), LoadError::NotARoutine);
    assert_eq!(
        load(b""),
        LoadError::Malformed {
            at: 0,
            what: "the file ends in its header".to_string()
        }
    );
    let mut other = bytes.clone();
    other[8] = 7;
    assert_eq!(load(&other), LoadError::Version { found: 7, expected: 3 });
    let mut damaged = bytes;
    *damaged.last_mut().unwrap() ^= 1;
    assert!(matches!(load(&damaged), LoadError::Checksum { .. }));
}

#[test]
fn what_is_called_of_the_binary_is_found_by_id() {
    static ADD: std::sync::LazyLock<Routine> = std::sync::LazyLock::new(|| {
        build("add", |f| {
            let (a, b) = (f.param::<u32>("a"), f.param::<u32>("b"));
            f.ret(a + b);
        })
        .expect("it can be built")
    });
    let add = RoutineRef::Binary {
        routine: &ADD,
        id: "add",
    };
    let triple = built("triple", |f| {
        let x = f.param::<u32>("x");
        let twice = f.call::<u32>(&add, (x, x));
        f.ret(f.call::<u32>(&add, (twice, x)));
    });
    let bytes = triple.to_bytes().unwrap();
    let again = RoutineRef::from_bytes(&bytes, &[], &|id| (id == "add").then(|| add.clone())).unwrap();
    assert_eq!(run(&again, &[14]), Ok(vec![42]));
    let without = RoutineRef::from_bytes(&bytes, &[], &|_| None).unwrap_err().to_string();
    assert!(
        without.contains("it calls `add`, which this binary does not have"),
        "{without}"
    );
    let other = RoutineRef::from_bytes(&bytes, &[], &|_| Some(collatz()))
        .unwrap_err()
        .to_string();
    assert!(other.contains("which has another signature in this binary"), "{other}");
    let nameless = built("nameless", |f| {
        let x = f.param::<u32>("x");
        f.ret(f.call::<u32>(&RoutineRef::from(&*ADD), (x, x)));
    });
    assert_eq!(
        nameless.to_bytes().unwrap_err().to_string(),
        "`nameless` cannot be saved: it calls `add`, which has no id in the binary"
    );
}

/// Sets the checksum of altered bytes, so that what is behind it is looked at.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let header = crate::bytes::HEADER;
    if bytes.len() >= header {
        let id = crate::program::ProgramId::of(&bytes[header..]).to_bytes();
        bytes[header - 16..header].copy_from_slice(&id);
    }
    bytes
}

/// One of many ways to alter a file. Some keep its structure: a word that becomes another one that is there, or a small number.
fn alter(bytes: &mut Vec<u8>, random: &mut impl FnMut(usize) -> usize) {
    for _ in 0..=random(3) {
        let (at, end) = (random(bytes.len()), bytes.len());
        match random(6) {
            0 => bytes[at] = random(256) as u8,
            1 => bytes[at] ^= 1 << random(8),
            2 | 3 if end >= 8 => {
                let words = end / 4;
                let (to, from) = (4 * random(words), 4 * random(words));
                let word = match random(2) {
                    0 => (random(20) as u32).to_le_bytes(),
                    _ => [bytes[from], bytes[from + 1], bytes[from + 2], bytes[from + 3]],
                };
                bytes[to..to + 4].copy_from_slice(&word);
            }
            4 => {
                let copied = bytes[at..end.min(at + 1 + random(40))].to_vec();
                let to = random(end);
                bytes.splice(to..to, copied);
            }
            5 if random(4) == 0 => bytes.truncate(at.max(1)),
            _ => {}
        }
    }
}

/// Altered files are refused, or are routines that are refused by the linker, or run or trap. How many is `GPUVM_ALTERED_FILES`, for
/// `cargo xtask fuzz --files`.
#[test]
fn altered_files_never_panic() {
    let count = std::env::var("GPUVM_ALTERED_FILES")
        .ok()
        .and_then(|count| count.parse().ok());
    let files = [norm_and_table(), ruled()].map(|routine| routine.to_bytes().unwrap());
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as usize % end.max(1)
    };
    let (mut loaded, mut linked) = (0_u64, 0_u64);
    for number in 0..count.unwrap_or(20_000_u64) {
        let mut altered = files[number as usize % files.len()].clone();
        alter(&mut altered, &mut random);
        let Ok(routine) = RoutineRef::from_bytes(&with_checksum(altered), &[], &|_| None) else {
            continue;
        };
        loaded += 1;
        let Ok(program) = link(routine.clone(), &[], &Settings::default()) else {
            continue;
        };
        linked += 1;
        let mut arena = vec![1; 64];
        let slot = ParamSlot {
            base: 0,
            stride: 0,
            length: 4,
            reserved: 0,
        };
        let slots = vec![slot; program.params.len() + 1];
        let mut memory = Memory {
            arena: &mut arena,
            atomics: &mut [],
            params: &slots,
            vm_count: 1,
            first_vm: 0,
        };
        Vm::new(&program, 0).run(&program, &mut memory, Some(1000), &mut [0; 4]);
        let again = RoutineRef::from_bytes(&routine.to_bytes().unwrap(), &[], &|_| None).unwrap();
        assert_eq!(again.key(), routine.key());
    }
    println!("{loaded} of the altered files are routines, and {linked} of these are programs");
    assert!(
        linked > 100,
        "what is tested are files that are routines as well: {loaded} {linked}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn arithmetic_is_rusts(a in any::<u32>(), b in prop_oneof![any::<u32>(), 0u32..4, Just(u32::MAX)], c in any::<u64>(), d in any::<u64>()) {
        let words = run(&arithmetic(), &[a, b, c as u32, (c >> 32) as u32, d as u32, (d >> 32) as u32]).unwrap();
        let (x, y) = (a as i32, b as i32);
        let wide = |value: u64| [value as u32, (value >> 32) as u32];
        let mut expected = vec![
            a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b), a & b, a | b, a ^ b, !a, a.wrapping_shl(b), a.wrapping_shr(b),
            x.wrapping_shr(b) as u32, x.wrapping_neg() as u32, a.min(b), a.max(b), x.min(y) as u32, u32::from(a < b), u32::from(x <= y),
            u32::from(a == b), a.count_ones(), a.leading_zeros(), a.rotate_left(b % 32), a as u8 as u32, x as i16 as u32,
        ];
        let (p, q) = (c as i64, d as i64);
        for value in [
            c.wrapping_add(d), c.wrapping_sub(d), c.wrapping_mul(d), c ^ d, !c, c.wrapping_shl(b), p.wrapping_shr(b) as u64,
            p.wrapping_neg() as u64, c.min(d), p.max(q) as u64, u64::from(a), x as i64 as u64,
        ] {
            expected.extend(wide(value));
        }
        expected.extend([u32::from(c < d), u32::from(p < q), u32::from(c == d), c as u32]);
        prop_assert_eq!(words, expected);
    }
}

/// Counts down from `n` by jumps, into the middle of the loop at first, and multiplies what it comes past.
#[test]
fn labels_are_jumped_to_from_before_and_behind() {
    let product = built("product", |f| {
        let n = f.param::<u32>("n");
        let (n, product) = (f.variable("n", n), f.variable("product", 1u32));
        let (again, enter, end) = (f.label(), f.label(), f.label());
        f.jump_if(n.get().gt(100), end);
        f.jump_to(enter);
        f.place(again);
        // More words than a routine can number, if they were all different.
        for _ in 0..1000 {
            f.scope(|f| {
                let words = f.constant([0u32; 99]);
                product.set(product.get() + words.element::<u32>(98));
            });
        }
        product.set(product.get() * n.get());
        n.set(n.get() - 1);
        f.place(enter);
        f.jump_if(n.get().ne(0), again);
        f.place(end);
        f.ret(product.get());
    });
    for (n, expected) in [(0, 1), (5, 120), (101, 1)] {
        assert_eq!(run(&product, &[n]), Ok(vec![expected]));
    }
}

#[test]
fn mistakes_with_labels_and_scopes_are_told() {
    let nowhere = mistake(|f| f.jump_to(f.label()));
    assert_eq!(nowhere, "it jumps to a label that is not placed");
    let twice = mistake(|f| {
        let label = f.label();
        f.place(label);
        f.place(label);
    });
    assert_eq!(twice, "this label has been placed before");
    let ended = mistake(|f| {
        let mut kept = f.constant(1u32);
        f.scope(|f| kept = f.constant(2));
        f.ret(f.constant(1u32) + kept);
    });
    assert_eq!(
        ended,
        "this value belongs to a `scope` that has ended; a variable from before it brings it here"
    );
}

#[test]
fn parts_of_records_and_slices_are_reached() {
    let routine = built("parts", |f| {
        let me = f.record::<[u32; 4]>("me");
        let (a, b) = (f.slice::<u32>("a"), f.slice_mut::<u32>("b"));
        let n = me.element::<u32>(2).get();
        let from = b.read_only().or(n.eq(0), a);
        f.ret(from.inside(n).get().min(9) + b.inside(n).get().max(7));
    });
    let of = |slots: [u32; 3]| {
        let program = link(routine.clone(), &[], &Settings::default()).expect("it links");
        let mut arena = vec![5, 5, slots[0], 5, 10, 20, 30, slots[1], slots[2], 3, 0];
        let slot = |base, length| ParamSlot {
            base,
            stride: 0,
            length,
            reserved: 0,
        };
        let mut memory = Memory {
            arena: &mut arena,
            atomics: &mut [],
            params: &[slot(0, 1), slot(4, 3), slot(7, 3), slot(10, 1)],
            vm_count: 1,
            first_vm: 0,
        };
        Vm::new(&program, 0).run(&program, &mut memory, Some(1000), &mut [0; 4]);
        arena[10]
    };
    assert_eq!(of([0, 2, 3]), 2 + 7);
    assert_eq!(of([1, 2, 8]), 9 + 8);
}

pub(crate) fn norm_and_table() -> RoutineRef {
    let pick = built("pick", |f| {
        let i = f.param::<u32>("i");
        f.ret(f.table(&[1u32, 2, 3, 5, 8]).get(i));
    });
    built("both", |f| {
        let (n, xs) = (f.param::<u32>("n"), f.slice::<u32>("xs"));
        let sum = f.variable("sum", 0u32);
        f.for_(0, xs.len(), |f, i| {
            f.if_(i.lt(5), |f| sum.set(sum.get() + f.call::<u32>(&pick, (i,)) * n));
        });
        f.ret(sum.get());
    })
}

/// What `steps` by rules comes to, the `n`-th of which takes `n` away and goes on with another one; there are three.
pub(crate) fn ruled() -> RoutineRef {
    let rule = otherwise();
    let rules = [1, 2, 3].map(|less| {
        built("less", |f| {
            let left = f.param::<u32>("left");
            let is_over = left.lt(less);
            f.if_(is_over, |f| f.ret(left + 100 * less));
            f.ret(f.call::<u32>(&rule, (left % 5, left - less)));
        })
    });
    let start = built("start", |f| {
        let left = f.param::<u32>("left");
        f.ret(f.call::<u32>(&rule, (left % 4, left)) + 1);
    });
    start.with_table(&rule, &rules, &[]).expect("it has the rule")
}

/// The rule that is none of the table.
fn otherwise() -> RoutineRef {
    built("rule", |f| {
        let (number, left) = (f.param::<u32>("number"), f.param::<u32>("left"));
        f.ret(number * 1000 + left);
    })
}

/// The same in Rust.
fn ruled_in_rust(left: u32) -> u32 {
    fn rule(number: u32, left: u32) -> u32 {
        match number {
            0..3 if left < number + 1 => left + 100 * (number + 1),
            0..3 => rule(left % 5, left - number - 1),
            _ => number * 1000 + left,
        }
    }
    rule(left % 4, left) + 1
}

#[test]
fn calls_go_to_the_entries_of_a_table() {
    let routine = ruled();
    let again = RoutineRef::from_bytes(&routine.to_bytes().unwrap(), &[], &|_| None).unwrap();
    assert_eq!(again.key(), routine.key());
    for left in 0..60 {
        let expected = vec![ruled_in_rust(left)];
        assert_eq!(run(&routine, &[left]), Ok(expected.clone()), "{left}");
        assert_eq!(run(&again, &[left]), Ok(expected), "{left}");
    }
}

#[test]
fn each_routine_of_a_program_has_its_own_table() {
    let rule = otherwise();
    let of = |add: u32| {
        built("add", |f| {
            let left = f.param::<u32>("left");
            f.ret(left + add);
        })
    };
    let inner = built("inner", |f| {
        let left = f.param::<u32>("left");
        f.ret(f.call::<u32>(&rule, (0u32, left)));
    });
    let with = |routine: &RoutineRef, entries: &[RoutineRef]| routine.with_table(&rule, entries, &[]).expect("it fits");
    let (one, two) = (with(&inner, &[of(1)]), with(&inner, &[of(20)]));
    let outer = built("outer", |f| {
        let left = f.param::<u32>("left");
        let through = [&inner, &one, &two].map(|inner| f.call::<u32>(inner, (left,)));
        f.ret((through[0], through[1], through[2], f.call::<u32>(&rule, (0u32, left))));
    });
    assert_eq!(run(&outer, &[7]), Ok(vec![7, 8, 27, 7]));
    // What has a table of its own is not told of one outside.
    assert_eq!(run(&with(&outer, &[of(300)]), &[7]), Ok(vec![307, 8, 27, 307]));
    // The last table counts, and an empty one is none.
    assert_eq!(run(&with(&one, &[of(5)]), &[7]), Ok(vec![12]));
    assert_eq!(run(&with(&one, &[]), &[7]), Ok(vec![7]));
    assert_eq!(with(&one, &[of(5)]).key(), with(&inner, &[of(5)]).key());
}

#[test]
fn what_is_no_table_is_told() {
    let (rule, start) = (otherwise(), ruled());
    let plain = built("plain", |f| {
        let x = f.param::<f32>("x");
        f.ret(x);
    });
    let told = |routine: &RoutineRef, of: &RoutineRef, entries: &[RoutineRef]| {
        let error = routine.with_table(of, entries, &[]).unwrap_err();
        assert!(error.file.ends_with("tests.rs") && error.line > 0);
        error.what
    };
    assert_eq!(
        told(&start, &plain, &[]),
        "`plain: fn(f32) -> f32` cannot be given a table: its first parameter is to be the number of an entry, a `u32` or `usize`"
    );
    assert_eq!(
        told(&start, &rule, std::slice::from_ref(&plain)),
        "entry 0, `plain: fn(f32) -> f32`, cannot stand for `rule`: an entry is called with what is behind the number, so it has to be a `fn(u32) -> u32`"
    );
    assert_eq!(
        told(&plain, &rule, &[]),
        "it is given a table for `rule`, which it does not call"
    );
}

pub(crate) fn arithmetic() -> RoutineRef {
    built("arithmetic", |f| {
        let (a, b, c, d) = (
            f.param::<u32>("a"),
            f.param::<u32>("b"),
            f.param::<u64>("c"),
            f.param::<u64>("d"),
        );
        let (x, y) = (a.cast::<i32>(), b.cast::<i32>());
        let (p, q) = (c.cast::<i64>(), d.cast::<i64>());
        let short = [
            a + b,
            a - b,
            a * b,
            a & b,
            a | b,
            a ^ b,
            !a,
            a << b,
            a >> b,
            (x >> b).cast(),
            (-x).cast(),
            a.min(b),
            a.max(b),
            x.min(y).cast(),
            a.lt(b).cast(),
            x.le(y).cast(),
            a.eq(b).cast(),
            a.count_ones(),
            a.leading_zeros(),
            a.rotate_left(b),
            a.cast::<u8>().cast(),
            x.cast::<i16>().cast(),
        ];
        let long = [
            c + d,
            c - d,
            c * d,
            c ^ d,
            !c,
            c << b,
            (p >> b).cast(),
            (-p).cast(),
            c.min(d),
            p.max(q).cast(),
            a.cast(),
            x.cast::<i64>().cast(),
        ];
        let last = [c.lt(d), p.lt(q), c.eq(d)].map(|truth| truth.cast::<u32>());
        let short = f.make::<[u32; 22]>(short.as_slice());
        let long = f.make::<[u64; 12]>(long.as_slice());
        let last = f.make::<[u32; 4]>([last[0], last[1], last[2], c.cast()].as_slice());
        f.ret((short, long, last));
    })
}
