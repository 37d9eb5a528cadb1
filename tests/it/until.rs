//! Loops in plans that go on until a flag is set: as many turns as one by one, the same bits, and nothing written after the last.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm::prelude::*;
use gpuvm::{Error, Handle, Plan, PlanError};

use crate::harness::{ENGINES, runtime};
use crate::sample::Rng;

#[routine]
fn until_next(count: u32) -> u32 {
    count + 1
}

#[routine]
fn until_reached(count: u32, last: u32) -> bool {
    count == last
}

#[routine]
fn until_step(x: u32) -> u32 {
    x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

#[routine]
fn until_mix(x: u32, by: u32) -> u32 {
    x.rotate_left(5) ^ by
}

#[routine]
fn until_neighbour(x: u32, all: &[u32]) -> u32 {
    all[(vm::id() as usize + 1) % all.len()].wrapping_add(x)
}

#[routine]
fn until_add(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

#[routine]
fn until_odd(x: u32) -> bool {
    x % 2 == 1
}

/// All engines with all optimisations, and some without.
fn ways() -> impl Iterator<Item = (Engine, bool)> {
    let plain = [Engine::Native, Engine::Reference, Engine::Interpreter].map(|engine| (engine, false));
    ENGINES.into_iter().map(|engine| (engine, true)).chain(plain)
}

fn plan<'a>((engine, on): (Engine, bool)) -> Plan<'a> {
    let mut plan = runtime().plan();
    plan.engine(engine).fuse(on).share(on).fold(on).reuse(on);
    plan
}

/// A loop over a column whose flag is set after `last` turns. Gives the column when it is over, and the number of turns.
fn counted<'a>(
    plan: &mut Plan<'a>,
    (last, most): (u32, usize),
    column: Handle,
    body: impl FnOnce(&mut Plan<'a>, Handle) -> gpuvm::Result<Handle>,
) -> gpuvm::Result<(Handle, Handle)> {
    let zero = plan.zeros::<u32>(1);
    let ([_, column], turns) = plan.iterate_until(most, [zero, column], |plan, [count, column]| {
        let count = plan.map("until_next", (count,))?;
        let flag = plan.map("until_reached", (count, last))?;
        Ok(([count, body(plan, column)?], flag))
    })?;
    Ok((column, turns))
}

/// How many turns such a loop takes.
fn expected_turns((last, most): (u32, usize)) -> usize {
    most.min(last as usize)
}

#[test]
fn a_loop_ends_when_its_flag_is_set() -> gpuvm::Result<()> {
    let all: Vec<u32> = (0..30).collect();
    for way in ways() {
        for end in [(1, 0), (1, 1), (1, 9), (9, 8), (19, 1_000_000)] {
            let mut plan = plan(way);
            let column = plan.input(&all);
            let (column, turns) = counted(&mut plan, end, column, |plan, column| {
                let column = plan.map("until_neighbour", (column, column))?;
                plan.map("until_step", (column,))
            })?;
            let after = plan.map("until_mix", (column, turns))?; // what a loop leaves is a column as any other
            plan.output(after).output(turns);
            let done = plan.run()?;
            let count = expected_turns(end);
            let expected = (0..count).fold(all.clone(), |all, _| {
                let next = |index: usize| until_step(all[(index + 1) % all.len()].wrapping_add(all[index]));
                (0..all.len()).map(next).collect()
            });
            let expected: Vec<u32> = expected.iter().map(|x| until_mix(*x, count as u32)).collect();
            assert_eq!(done.get::<u32>(turns)?, [count as u32], "{way:?} {end:?}");
            assert_eq!(done.get::<u32>(after)?, expected, "{way:?} {end:?}");
        }
    }
    Ok(())
}

#[test]
fn a_body_may_filter_fold_and_scan() -> gpuvm::Result<()> {
    let all: Vec<u32> = (1..24).collect();
    for way in ways() {
        let mut plan = plan(way);
        let column = plan.input(&all);
        let (column, turns) = counted(&mut plan, (3, 50), column, |plan, column| {
            let odd = plan.filter("until_odd", column)?;
            let mixed = plan.map("until_step", (odd,))?;
            let total = plan.reduce("until_add", mixed)?;
            let sums = plan.scan("until_add", column)?;
            let mixed = plan.map("until_mix", (sums, total))?;
            plan.map("until_step", (mixed,))
        })?;
        plan.output(column).output(turns);
        let done = plan.run()?;
        let expected = (0..3).fold(all.clone(), |all, _| {
            let odd = all.iter().filter(|x| until_odd(**x));
            let total = odd.map(|x| until_step(*x)).fold(0, until_add);
            let sums = all.iter().scan(0u32, |sum, x| {
                *sum = sum.wrapping_add(*x);
                Some(*sum)
            });
            sums.map(|sum| until_step(until_mix(sum, total))).collect()
        });
        assert_eq!(done.get::<u32>(turns)?, [3], "{way:?}");
        assert_eq!(done.get::<u32>(column)?, expected, "{way:?}");
    }
    Ok(())
}

#[routine]
fn until_write(me: &mut u32, add: u32) {
    *me = me.wrapping_mul(3).wrapping_add(add);
}

#[routine]
fn until_write_both(me: &mut u32, all: &[u32]) {
    *me = me.wrapping_add(all[(vm::id() as usize + 1) % all.len()]);
}

#[routine]
fn until_count(x: u32, bins: &[AtomicU32]) {
    bins[x as usize % bins.len()].fetch_add(1, Ordering::Relaxed);
}

#[routine]
fn until_yield(x: u32) -> u32 {
    vm::yield_now();
    x ^ 5
}

/// Turns that were sent ahead must leave no trace, whichever way a launch goes: in the row, with atomics, outside of the row because it
/// sees all that it writes, or with a pause.
#[test]
fn nothing_is_written_after_the_last_turn() -> gpuvm::Result<()> {
    let all: Vec<u32> = (0..90).collect();
    for way in ways() {
        for last in [1, 5] {
            let (written, both) = (runtime().buffer(&[1u32, 2, 3])?, runtime().buffer(&[1u32, 2, 3])?);
            let mut plan = plan(way);
            let column = plan.input(&all);
            let bins = plan.zeros::<u32>(4);
            let (column, turns) = counted(&mut plan, (last, 100), column, |plan, column| {
                plan.map("until_write", (&written, 7u32))?;
                plan.map("until_count", (column, bins))?;
                plan.map("until_write_both", (&both, &both))?;
                let fresh = plan.zeros::<u32>(90);
                let paused = plan.map("until_yield", (column,))?;
                plan.map("until_write", (fresh, paused))?;
                plan.map("until_mix", (fresh, paused))
            })?;
            plan.output(turns).output(bins).output(column);
            let done = plan.run()?;
            let (mut expected, mut counts) = (([1u32, 2, 3], [1u32, 2, 3], all.clone()), [0; 4]);
            for _ in 0..last {
                let (one, two, column) = &mut expected;
                one.iter_mut().for_each(|me| until_write(me, 7));
                let before = *two;
                (0..3).for_each(|index| two[index] += before[(index + 1) % 3]);
                column.iter().for_each(|x| counts[*x as usize % 4] += 1);
                column.iter_mut().for_each(|x| *x = until_mix(*x ^ 5, *x ^ 5));
            }
            assert_eq!(done.get::<u32>(turns)?, [last], "{way:?}");
            assert_eq!(written.read()?, expected.0, "{way:?} {last}");
            assert_eq!(both.read()?, expected.1, "{way:?} {last}");
            assert_eq!(done.get::<u32>(column)?, expected.2, "{way:?} {last}");
            assert_eq!(done.get::<u32>(bins)?, counts, "{way:?} {last}");
        }
    }
    Ok(())
}

#[routine]
fn until_set(me: &mut bool, count: u32, last: u32) {
    *me = count + 1 >= last;
}

#[routine]
fn until_grow(me: &mut u32) {
    *me += 1;
}

/// States and flags that are buffers: each turn sees what the one before has left.
#[test]
fn buffers_can_be_states_and_flags() -> gpuvm::Result<()> {
    for way in ways() {
        let (count, flag) = (runtime().buffer(&[0u32])?, runtime().buffer(&[false])?);
        let mut plan = plan(way);
        let (begin, said, own) = (plan.input([0u32].to_vec()), plan.buffer(&flag), plan.buffer(&count));
        let ([last], turns) = plan.iterate_until(20, [begin], |plan, [now]| {
            plan.map("until_grow", (own,))?;
            plan.map("until_set", (said, now, 6u32))?;
            Ok(([own], said))
        })?;
        plan.output(last).output(turns);
        let done = plan.run()?;
        assert_eq!(done.get::<u32>(turns)?, [6], "{way:?}");
        assert_eq!((count.read()?, flag.read()?), (vec![6], vec![true]), "{way:?}");
        count.write(&[9])?;
        assert_eq!(done.get::<u32>(last)?, [6], "{way:?}");

        let mut plan = runtime().plan();
        plan.engine(way.0);
        let (own, never) = (plan.buffer(&count), plan.input(vec![false]));
        let ([], turns) = plan.iterate_until(3, [], |plan, []| {
            plan.map("until_grow", (own,))?;
            Ok(([], never))
        })?;
        let done = plan.run()?;
        assert_eq!((count.read()?, done.get::<u32>(turns)?), (vec![12], vec![3]), "{way:?}");
    }
    Ok(())
}

#[routine]
fn until_divide(x: u32, by: u32) -> u32 {
    x / by
}

#[routine]
fn until_less(x: u32) -> u32 {
    x.wrapping_sub(1)
}

/// A trap is that of the same turns one by one, and one of a turn after the last is none.
#[test]
fn traps_are_those_of_turns_one_by_one() -> gpuvm::Result<()> {
    let all: Vec<u32> = (5..200).collect();
    let divide = |plan: &mut Plan<'_>, column: Handle, by: Handle| {
        let by = plan.map("until_less", (by,))?;
        let fused = plan.map("until_step", (by,))?;
        let quotient = plan.map("until_divide", (fused, by))?;
        let unfused = plan.map("until_mix", (quotient, column))?;
        Ok::<_, Error>([unfused, by])
    };
    let told = |way, last: u32| -> gpuvm::Result<String> {
        let mut plan = plan(way);
        let (column, zero) = (plan.input(&all), plan.zeros::<u32>(1));
        let states = [column, column, zero];
        let ([_, left, _], turns) = plan.iterate_until(50, states, |plan, [column, by, count]| {
            let count = plan.map("until_next", (count,))?;
            let flag = plan.map("until_reached", (count, last))?;
            let [column, by] = divide(plan, column, by)?;
            Ok(([column, by, count], flag))
        })?;
        plan.output(left).output(turns);
        Ok(match plan.run() {
            Ok(done) => format!("{:?} {:?}", done.get::<u32>(turns)?, &done.get::<u32>(left)?[..2]),
            Err(Error::Trap(report)) => report.to_string(),
            Err(error) => return Err(error),
        })
    };
    let mut unrolled = runtime().plan();
    let column = unrolled.input(&all);
    unrolled.engine(Engine::Reference).fuse(false);
    unrolled.iterate(5, [column, column], |plan, [column, by]| divide(plan, column, by))?;
    let Err(Error::Trap(trap)) = unrolled.run() else {
        panic!("by is 0 in turn 5");
    };
    assert!(
        trap.to_string().starts_with("VM 0 of `until_divide` trapped at "),
        "{trap}"
    );
    for way in ways() {
        assert_eq!(told(way, 4)?, "[4] [1, 2]", "{way:?}");
        assert_eq!(told(way, 5)?, trap.to_string(), "{way:?}");
        assert_eq!(told(way, 20)?, trap.to_string(), "{way:?}");
    }
    Ok(())
}

#[routine]
fn until_halve(x: u32) -> u32 {
    if x % 2 == 0 { x / 2 } else { x }
}

#[routine]
fn until_is_odd(x: u32) -> bool {
    x % 2 == 1
}

#[routine]
fn until_triple(x: u32) -> u32 {
    x * 3 + 1
}

#[routine]
fn until_is_one(x: u32) -> bool {
    x == 1
}

/// The Collatz sequence, of which an inner loop takes the halvings: as many as the outer one's turn makes it.
#[test]
fn loops_can_be_in_loops() -> gpuvm::Result<()> {
    let expected = |start: u32| {
        let (mut x, mut turns, mut halvings) = (start, 0, 0);
        while x != 1 {
            x = x * 3 + 1;
            while x % 2 == 0 {
                x /= 2;
                halvings += 1;
            }
            turns += 1;
        }
        (vec![turns], vec![halvings])
    };
    for way in ways() {
        for start in [5u32, 7] {
            let mut plan = plan(way);
            let (start_at, zero) = (plan.input(vec![start]), plan.zeros::<u32>(1));
            let ([_, halvings], turns) = plan.iterate_until(1000, [start_at, zero], |plan, [x, halvings]| {
                let x = plan.map("until_triple", (x,))?;
                let ([x], more) = plan.iterate_until(32, [x], |plan, [x]| {
                    let x = plan.map("until_halve", (x,))?;
                    Ok(([x], plan.map("until_is_odd", (x,))?))
                })?;
                let halvings = plan.map("until_add", (halvings, more))?;
                Ok(([x, halvings], plan.map("until_is_one", (x,))?))
            })?;
            plan.output(halvings).output(turns);
            let done = plan.run()?;
            let found = (done.get::<u32>(turns)?, done.get::<u32>(halvings)?);
            assert_eq!(found, expected(start), "{way:?} {start}");
        }
    }
    Ok(())
}

/// A random body over two states and a column of outside.
fn random_body(plan: &mut Plan<'_>, seed: u32, states: [Handle; 2], outside: Handle) -> gpuvm::Result<[Handle; 2]> {
    let mut rng = Rng::named(&format!("until {seed}"));
    let mut known = vec![states[0], states[1], outside];
    for _ in 0..2 + rng.below(8) {
        let (a, b) = (known[rng.below(known.len())], known[rng.below(known.len())]);
        known.push(match rng.below(6) {
            0 => plan.map("until_step", (a,))?,
            1 => plan.map("until_neighbour", (a, b))?,
            2 => plan.scan("until_add", a)?,
            3 => {
                let total = plan.reduce("until_add", a)?;
                plan.map("until_mix", (b, total))?
            }
            _ => plan.map("until_mix", (a, b))?,
        });
    }
    Ok([known[rng.below(known.len())], known[known.len() - 1]])
}

#[test]
fn random_bodies_are_those_of_turns_one_by_one() -> gpuvm::Result<()> {
    let (a, b, c) = ([3u32, 1, 4, 1, 5, 9], [2u32, 7, 1, 8, 2, 8], [1u32, 6, 1, 8, 0, 3]);
    for seed in 0..8 {
        let turns = (seed % 7).max(seed % 2) as usize;
        let mut one_by_one = runtime().plan();
        one_by_one.engine(Engine::Native);
        let [first, second, outside] = [&a, &b, &c].map(|column| one_by_one.input(column));
        let states = one_by_one.iterate(turns, [first, second], |plan, states| {
            random_body(plan, seed, states, outside)
        })?;
        let copies = states.map(|state| one_by_one.map("until_step", (state,)));
        let [first, second] = copies;
        let (first, second) = (first?, second?);
        let done = one_by_one.run()?;
        let expected = [done.get::<u32>(first)?, done.get::<u32>(second)?];
        for way in ways().skip(seed as usize % 3).step_by(3) {
            let mut plan = plan(way);
            let [first, second, outside] = [&a, &b, &c].map(|column| plan.input(column));
            let begin = [first, second, plan.zeros::<u32>(1)];
            let most = if seed % 2 == 0 { turns } else { 60 };
            let ([first, second, _], _) = plan.iterate_until(most, begin, |plan, [first, second, count]| {
                let count = plan.map("until_next", (count,))?;
                let flag = plan.map("until_reached", (count, turns as u32))?;
                let [first, second] = random_body(plan, seed, [first, second], outside)?;
                Ok(([first, second, count], flag))
            })?;
            let (first, second) = (plan.map("until_step", (first,))?, plan.map("until_step", (second,))?);
            plan.output(first).output(second);
            let done = plan.run()?;
            assert_eq!(
                [done.get::<u32>(first)?, done.get::<u32>(second)?],
                expected,
                "{seed} {way:?}"
            );
        }
    }
    Ok(())
}

#[routine]
fn until_set_bit(x: bool) -> bool {
    x
}

#[routine]
fn until_and(a: bool, b: bool) -> bool {
    a && b
}

#[test]
fn what_does_not_fit_a_loop_is_told() -> gpuvm::Result<()> {
    let all = [1u32, 2, 3];
    let buffer = runtime().buffer(&all)?;
    let mut plan = runtime().plan();
    let column = plan.input(&all);
    let message = |made: gpuvm::Result<([Handle; 1], Handle)>| match made {
        Err(Error::Plan(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let flag = message(plan.iterate_until(9, [column], |plan, [x]| {
        let x = plan.map("until_step", (x,))?;
        Ok(([x], plan.map("until_odd", (x,))?))
    }));
    assert_eq!(
        flag,
        "argument `flag` of loop 1 is 3 entries of `bool`, map `until_odd` (node 4), and a column of one `bool` is needed"
    );
    let state = message(plan.iterate_until(9, [column], |plan, [x]| {
        let total = plan.reduce("until_add", x)?;
        Ok(([total], plan.map("until_odd", (total,))?))
    }));
    assert_eq!(
        state,
        "state 0 of `iterate` begins as 3 entries of `u32`, and its body made 1 entry of `u32` of it; a state keeps its type and length"
    );
    let failed = message(plan.iterate_until(9, [column], |plan, [x]| {
        plan.map("until_write", (&buffer, x))?;
        plan.map("until_step", (x, x))?;
        unreachable!()
    }));
    assert!(failed.contains("takes 1 argument (x) and was given 2"), "{failed}");

    let mut empty = runtime().plan();
    let bits = empty.input(vec![false]);
    let (_, turns) = empty.iterate_until(9, [], |plan, []| {
        let none = plan.filter("until_set_bit", bits)?;
        Ok(([], plan.reduce("until_and", none)?))
    })?;
    empty.output(turns);
    for engine in ENGINES {
        let Err(Error::Plan(error)) = empty.engine(engine).run() else {
            panic!("there is no flag");
        };
        assert_eq!(
            error.to_string(),
            "argument `flag` of loop 1 has no value: reduce `until_and` (node 3) was given no entries"
        );
    }

    // None of these has left anything that runs or writes.
    let after = plan.map("until_write", (&buffer, 1u32))?;
    let mut inside = None;
    let never = plan.input(vec![true]);
    let ([end], _) = plan.iterate_until(3, [column], |plan, [x]| {
        inside = Some(plan.map("until_step", (x,))?);
        Ok(([x], never))
    })?;
    plan.run()?;
    assert_eq!(buffer.read()?, [4, 7, 10]);
    let inside = inside.unwrap_or(end);
    let Err(Error::Plan(error)) = plan.map("until_mix", (end, inside)) else {
        panic!("a node of the body is not there outside");
    };
    assert!(matches!(error, PlanError::Inside { .. }), "{error}");
    assert!(
        error.to_string().contains("argument `by` of map `until_mix`")
            && error.to_string().contains("is map `until_step` (node")
            && error.to_string().contains("which is in the body of loop"),
        "{error}"
    );
    plan.output(after).output(inside);
    let Err(Error::Plan(PlanError::Inside { .. })) = plan.run() else {
        panic!("a node of the body is no output");
    };
    Ok(())
}

/// Who reads a buffer that a loop writes comes after the loop.
#[test]
fn readers_of_a_buffer_come_after_the_loop_that_writes_it() -> gpuvm::Result<()> {
    for way in ways() {
        let buffer = runtime().buffer(&[0u32])?;
        let mut plan = plan(way);
        let (handle, begin) = (plan.buffer(&buffer), plan.input(vec![0u32]));
        let read = plan.map("until_next", (handle,))?;
        let grow = |plan: &mut Plan<'_>, x| plan.map("until_grow", (handle,)).map(|_| x);
        counted(&mut plan, (5, 50), begin, grow)?;
        plan.output(read);
        assert_eq!(plan.run()?.get::<u32>(read)?, [6], "{way:?}");
    }
    Ok(())
}

#[test]
fn a_plan_says_what_its_loops_are() -> gpuvm::Result<()> {
    let all = [1u32, 2, 3];
    let mut plan = runtime().plan();
    let column = plan.input(&all);
    let (column, turns) = counted(&mut plan, (3, 50), column, |plan, column| {
        let column = plan.map("until_neighbour", (column, column))?;
        plan.map("until_step", (column,))
    })?;
    plan.output(column).output(turns);
    let told = plan.explain().to_string();
    for line in [
        "phase 1: loop 3, result 1 of loop 3, turns of loop 3",
        "step 1: loop 3, result 1 of loop 3, turns of loop 3; at most 50 turns",
        "loop 3: at most 50 turns",
        "loop 3, phase 0: map `until_next` (node 6), map `until_neighbour` (node 8)",
        "loop 3, phase 1: map `until_reached` (node 7), map `until_step` (node 9)",
        "loop 3, column of state 1 of loop 3: 3 entries of `u32`, 12 bytes, from step 0 to step ",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
    let dot = plan.explain_dot()?;
    for line in [
        "label=\"loop 3, at most 50 turns\"; style=dashed;",
        "n9 -> n5 [style=dashed, label=\"next turn\"];",
        "n7 -> n3 [style=dashed, label=\"until\"];",
        "n5 [label=\"state 1 of loop 3\\n3 × u32\"",
    ] {
        assert!(dot.contains(line), "{line}\n{dot}");
    }
    Ok(())
}
