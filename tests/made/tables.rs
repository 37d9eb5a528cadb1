//! Routines of the binary that call what was made at run time, through tables.

use gpuvm::prelude::*;
use gpuvm::{Error, Routine, Settings, build, vm};
use proptest::prelude::*;

use crate::{ENGINES, runtime};

#[derive(VmType, Clone, Copy, Debug, PartialEq, Default)]
struct Animal {
    gene: u32,
    hunger: f32,
    eaten: u32,
}

/// What an animal eats, if its gene has no rule of the table's.
#[routine]
fn decide(gene: u32, hunger: f32, food: &[f32]) -> f32 {
    hunger.min(food[gene as usize % food.len()])
}

#[routine]
fn live(animal: &mut Animal, food: &[f32], days: u32) -> u32 {
    for _ in 0..days {
        let bite = decide(animal.gene, animal.hunger, food);
        animal.hunger = animal.hunger * 1.25 + 0.5 - bite;
        if bite > 0.75 {
            animal.eaten += 1;
        }
    }
    animal.eaten
}

/// Rules as they could have been evolved: the `n`-th one is greedy by its own measure.
fn rules(count: u32) -> Vec<Routine> {
    let rule = |n: u32| {
        build("rule", |f| {
            let (hunger, food) = (f.param::<f32>("hunger"), f.slice::<f32>("food"));
            let there = food.get(f.vm_id() % food.len());
            match n % 3 {
                0 => f.ret(hunger * (n as f32 / 8.0)),
                1 => f.ret(there.min(hunger) - n as f32 * 0.01),
                _ => f.if_else(hunger.gt(there), |f| f.ret(there), |f| f.ret(hunger * 0.5)),
            }
        })
        .unwrap()
    };
    (0..count).map(rule).collect()
}

fn rule_in_rust(n: u32, vm: usize, hunger: f32, food: &[f32]) -> f32 {
    let there = food[vm % food.len()];
    match n % 3 {
        0 => hunger * (n as f32 / 8.0),
        1 => there.min(hunger) - n as f32 * 0.01,
        _ if hunger > there => there,
        _ => hunger * 0.5,
    }
}

fn live_in_rust(vm: usize, animal: &mut Animal, food: &[f32], days: u32, rules: u32) -> u32 {
    for _ in 0..days {
        let bite = match animal.gene < rules {
            true => rule_in_rust(animal.gene, vm, animal.hunger, food),
            false => decide(animal.gene, animal.hunger, food),
        };
        animal.hunger = animal.hunger * 1.25 + 0.5 - bite;
        if bite > 0.75 {
            animal.eaten += 1;
        }
    }
    animal.eaten
}

fn routine(id: &str) -> Routine {
    Routine::of(id).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn each_vm_calls_the_entry_of_its_number(
        count in 0u32..14,
        herd in prop::collection::vec((0u32..16, -2f32..4.0), 1..200),
        food in prop::collection::vec(-1f32..2.0, 1..9),
        days in 0u32..12,
    ) {
        let live = routine("live").with_table("decide", &rules(count)).unwrap();
        let before: Vec<Animal> = herd.iter().map(|&(gene, hunger)| Animal { gene, hunger, eaten: 0 }).collect();
        let mut expected = before.clone();
        let eaten: Vec<u32> = expected
            .iter_mut()
            .enumerate()
            .map(|(vm, animal)| live_in_rust(vm, animal, &food, days, count))
            .collect();
        for engine in ENGINES {
            let mut after = before.clone();
            let launch = runtime().launch(&live).unwrap().args((&mut after, &food, days));
            let found: Vec<u32> = launch.engine(engine).run().unwrap().output().unwrap();
            prop_assert_eq!(&found, &eaten, "{}", engine);
            prop_assert_eq!(&after, &expected, "{}", engine);
        }
    }
}

/// What a number becomes by the rule of its remainder.
#[routine]
fn step(rule: u8, n: u64) -> u64 {
    panic!("there is no rule {rule}, and {n} is left")
}

#[routine]
fn fold(n: u64) -> u64 {
    step((n % 5) as u8, n)
}

/// Rules that call the table again: one of them a routine of the binary.
fn folding() -> Routine {
    let (step, divide) = (routine("step"), routine("divide"));
    let less = |by: u64| {
        build("less", |f| {
            let n = f.param::<u64>("n");
            f.if_(n.lt(10), |f| f.ret(n + by));
            f.ret(f.call::<u64>(&step, ((n % 4).cast::<u8>(), n - by)));
        })
        .unwrap()
    };
    routine("fold")
        .with_table(&step, &[less(1), divide, less(7), less(3)])
        .unwrap()
}

#[routine]
fn divide(n: u64) -> u64 {
    if n < 4 { n * 1000 } else { step((n % 3) as u8, n / 2) }
}

fn folded(n: u64) -> Option<u64> {
    fn less(n: u64, by: u64) -> Option<u64> {
        if n < 10 {
            Some(n + by)
        } else {
            step((n % 4) as u8, n - by)
        }
    }
    fn step(rule: u8, n: u64) -> Option<u64> {
        match rule {
            0 => less(n, 1),
            1 if n < 4 => Some(n * 1000),
            1 => step((n % 3) as u8, n / 2),
            2 => less(n, 7),
            3 => less(n, 3),
            _ => None,
        }
    }
    step((n % 5) as u8, n)
}

#[test]
fn entries_call_the_table_again() {
    let (fold, n): (Routine, Vec<u64>) = (folding(), (0..400).filter(|n| folded(*n).is_some()).collect());
    let expected: Vec<u64> = n.iter().filter_map(|n| folded(*n)).collect();
    let again = Routine::from_bytes(&fold.to_bytes().unwrap()).unwrap();
    assert_eq!((again.id(), again.name()), (fold.id(), "fold"));
    for engine in ENGINES {
        for fold in [&fold, &again] {
            let done = runtime()
                .launch(fold)
                .unwrap()
                .args((&n,))
                .engine(engine)
                .run()
                .unwrap();
            assert_eq!(done.output::<Vec<u64>>().unwrap(), expected, "{engine}");
        }
    }
    // In a plan, and in a batch with what it is without its table.
    for engine in ENGINES {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let column = plan.input(&n);
        let folded = plan.map(&fold, (column,)).unwrap();
        plan.output(folded);
        assert_eq!(plan.run().unwrap().get::<u64>(folded).unwrap(), expected, "{engine}");
    }
    let both = [fold, routine("divide")];
    let small = [3u64, 1, 2];
    let found: Vec<u64> = runtime()
        .batch(&both)
        .unwrap()
        .args((&small,))
        .run()
        .unwrap()
        .all()
        .unwrap();
    assert_eq!(found, [6, 1000, 9, 3000, 1000, 2000]);
}

#[test]
fn a_number_without_an_entry_calls_the_routine_itself() {
    let fold = folding();
    for engine in ENGINES {
        let launch = runtime().launch(&fold).unwrap().args((&[1u64, 104, 5],)).engine(engine);
        let Err(Error::Trap(report)) = launch.run() else {
            panic!("{engine}: VM 1 has no rule");
        };
        let told = report.to_string();
        assert!(told.contains("there is no rule 4, and 104 is left"), "{engine}: {told}");
        assert!(told.contains("tables.rs"), "{engine}: {told}");
    }
    // Without a table there is the routine alone.
    let error = runtime().launch("fold").unwrap().args((&[1u64],)).run().unwrap_err();
    assert!(
        error.to_string().contains("there is no rule 1, and 1 is left"),
        "{error}"
    );
}

#[test]
fn a_table_may_be_large() {
    let rules = rules(700);
    let live = routine("live").with_table("decide", &rules).unwrap();
    let food = [0.25f32, 1.5, -0.5];
    let before: Vec<Animal> = (0..701)
        .map(|gene| Animal {
            gene,
            hunger: 1.0,
            eaten: 0,
        })
        .collect();
    let mut expected = before.clone();
    for (vm, animal) in expected.iter_mut().enumerate() {
        live_in_rust(vm, animal, &food, 3, 700);
    }
    for engine in [Engine::Reference, Engine::Interpreter] {
        let mut after = before.clone();
        let launch = runtime().launch(&live).unwrap().args((&mut after, &food, 3u32));
        launch.engine(engine).run().unwrap();
        assert_eq!(after, expected, "{engine}");
    }
}

#[test]
fn a_table_is_there_where_nothing_is_optimised() {
    let runtime = Runtime::builder()
        .backend(Backend::Cpu)
        .settings(Settings::debug())
        .build()
        .unwrap();
    let done = runtime.launch(&folding()).unwrap().args((&[7u64, 38],)).run().unwrap();
    let expected = [7, 38].map(|n| folded(n).unwrap());
    assert_eq!(done.output::<Vec<u64>>().unwrap(), expected);
}

/// Two places of the source that call, one of them in a closure.
#[routine]
fn through_closures(n: u32) -> u32 {
    let mut sum = 0;
    (0..n).for_each(|rule| sum += by_number(rule, 10));
    sum + twice(n, |rule| by_number(rule, vm::id()))
}

#[routine]
fn twice(n: u32, of: impl Fn(u32) -> u32) -> u32 {
    of(n) + of(n + 1)
}

#[routine]
fn by_number(rule: u32, x: u32) -> u32 {
    1000 * rule + x
}

#[test]
fn closures_and_generic_routines_call_tables() {
    let entries: Vec<Routine> = (0..3)
        .map(|n| {
            build("entry", |f| {
                let x = f.param::<u32>("x");
                f.ret(x + 7 * n);
            })
            .unwrap()
        })
        .collect();
    let tabled = routine("through_closures").with_table("by_number", &entries).unwrap();
    let entry = |rule: u32, x: u32| if rule < 3 { x + 7 * rule } else { by_number(rule, x) };
    let n: Vec<u32> = (0..6).collect();
    let sum = |vm: u32| (0..vm).map(|rule| entry(rule, 10)).sum::<u32>() + entry(vm, vm) + entry(vm + 1, vm);
    let expected: Vec<u32> = n.iter().map(|vm| sum(*vm)).collect();
    for engine in ENGINES {
        let done = runtime()
            .launch(&tabled)
            .unwrap()
            .args((&n,))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(done.output::<Vec<u32>>().unwrap(), expected, "{engine}");
    }
}

#[test]
fn what_does_not_fit_is_told_by_the_line_of_the_call() {
    let told = |error: Error| {
        error
            .to_string()
            .split_once("tables.rs:")
            .map(|(_, told)| told.to_string())
            .unwrap()
    };
    let live = routine("live");
    let error = told(live.with_table("decide", &[routine("divide")]).unwrap_err());
    assert!(
        error.ends_with(
            "entry 0, `divide: fn(u64) -> u64`, cannot stand for `decide`: an entry is called with what is behind the number, so it has \
             to be a `fn(f32, &[f32]) -> f32`"
        ),
        "{error}"
    );
    let error = told(live.with_table("step", &[]).unwrap_err());
    assert!(
        error.ends_with("it is given a table for `step`, which it does not call"),
        "{error}"
    );
    let program = runtime().program("step").unwrap();
    let error = told(live.with_table(&program, &[]).unwrap_err());
    assert!(
        error.ends_with("it is given a table for `step`, which is linked already"),
        "{error}"
    );
    let error = live.with_table("decided", &[]).unwrap_err();
    assert!(error.to_string().contains("did you mean `decide`"), "{error}");
    let error = told(routine("fold").with_table("divide", &[]).unwrap_err());
    assert!(
        error.contains("`divide: fn(u64) -> u64` cannot be given a table"),
        "{error}"
    );
}
