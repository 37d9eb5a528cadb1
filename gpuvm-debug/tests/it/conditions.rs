//! Conditions of breakpoints: engines that ask VMs themselves stop those that native code says, and no others.

use gpuvm::prelude::*;
use gpuvm::{Execution, Settings};
use gpuvm_debug::{Expression, Session, Stop, Wanted};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::programs::{ENGINES, backend, line, runtime};

/// Variables of the kinds that conditions ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, VmType)]
pub struct Vars {
    pub count: u32,
    pub small: i8,
    pub short: u16,
    pub long: i64,
    pub wide: u64,
    pub level: f32,
    pub on: bool,
    pub last: Option<u32>,
    pub pair: (i32, u8),
    pub cells: [u32; 3],
}

#[routine]
pub fn shaken(vars: Vars, turn: u32) -> Vars {
    let mixed = crate::programs::mix(vars.count, turn);
    Vars {
        count: mixed % 16,
        small: (mixed >> 4) as i8,
        short: (mixed >> 8) as u16 % 8,
        long: (mixed as i32 as i64) * 3,
        wide: ((mixed % 3) as u64) << 32 | (mixed % 5) as u64,
        level: if turn % 7 == 6 {
            f32::NAN
        } else {
            (mixed % 9) as f32 * 0.25 - 1.0
        },
        on: mixed & 64 != 0,
        last: if mixed & 3 == 0 { None } else { Some(mixed % 4) },
        pair: ((mixed >> 20) as i32 - 2048, (mixed >> 7) as u8),
        cells: [mixed % 2, mixed % 3, u32::MAX - mixed % 4],
    }
}

/// What of the variables somebody still needs.
#[routine]
pub fn folded(vars: Vars) -> u32 {
    let flags = u32::from(vars.on) + vars.last.unwrap_or(9);
    let words = vars.count ^ vars.small as u32 ^ u32::from(vars.short) ^ vars.long as u32 ^ (vars.wide >> 31) as u32;
    words
        ^ flags
        ^ vars.level.to_bits()
        ^ vars.pair.0 as u32
        ^ u32::from(vars.pair.1)
        ^ vars.cells[0]
        ^ vars.cells[1]
        ^ vars.cells[2]
}

#[routine]
pub fn shake(turns: u32) -> u32 {
    let mut vars = Vars {
        count: vm::id(),
        ..Vars::default()
    };
    let mut sum = 0;
    for turn in 0..turns {
        vars = shaken(vars, turn);
        sum = sum * 31 % 65_521 + folded(vars) % 65_521;
        if sum % 5 == 4 {
            sum += turn;
        }
    }
    sum
}

/// Whether a condition with a constant holds, given the variables, the turn and the VM.
type Holds = fn(&Vars, u32, u32, i64) -> bool;

/// A condition in words and as a function.
#[derive(Clone, Debug)]
struct Condition {
    text: String,
    holds: Holds,
    with: i64,
}

/// Conditions with one constant, which stands for `$` in their text.
#[rustfmt::skip]
const ATOMS: [(&str, Holds); 26] = [
    ("vars.count > $", |vars, _, _, with| i64::from(vars.count) > with),
    ("$ >= vars.count", |vars, _, _, with| with >= i64::from(vars.count)),
    ("vars.count == $ as u32", |vars, _, _, with| i64::from(vars.count) == with),
    ("vars.count % 3 == 2 || vars.on", |vars, _, _, _| vars.count % 3 == 2 || vars.on),
    ("vars.count + turn < $", |vars, turn, _, with| i64::from(vars.count + turn) < with),
    ("(vars.small as i32) < $ - 7", |vars, _, _, with| i64::from(vars.small) < with - 7),
    ("vars.small <= -$", |vars, _, _, with| i64::from(vars.small) <= -with),
    ("vars.short != $", |vars, _, _, with| i64::from(vars.short) != with),
    ("vars.short & 3 == 1", |vars, _, _, _| vars.short & 3 == 1),
    ("vars.long < $_000_000_000", |vars, _, _, with| vars.long < with * 1_000_000_000),
    ("vars.long >= -$_000_000_000", |vars, _, _, with| vars.long >= -with * 1_000_000_000),
    ("vars.wide > 0x1_0000_0002", |vars, _, _, _| vars.wide > 0x1_0000_0002),
    ("vars.wide <= 4", |vars, _, _, _| vars.wide <= 4),
    ("vars.wide == 0x2_0000_0001", |vars, _, _, _| vars.wide == 0x2_0000_0001),
    ("vars.level < 0.25", |vars, _, _, _| vars.level < 0.25),
    ("vars.level >= -0.0", |vars, _, _, _| vars.level >= -0.0),
    ("vars.level != 0.5", |vars, _, _, _| vars.level != 0.5),
    ("vars.level.is_nan()", |vars, _, _, _| vars.level.is_nan()),
    ("!vars.on", |vars, _, _, _| !vars.on),
    ("vars.on ^ (turn > $)", |vars, turn, _, with| vars.on ^ (i64::from(turn) > with)),
    ("vars.last.is_some()", |vars, _, _, _| vars.last.is_some()),
    ("vars.pair.0 > $ || vars.pair.1 < 20", |vars, _, _, with| i64::from(vars.pair.0) > with || vars.pair.1 < 20),
    ("vars.cells[1] == 1 && vars.cells[2] > 4_294_967_293", |vars, _, _, _| vars.cells[1] == 1 && vars.cells[2] > 4_294_967_293),
    ("vars.cells[vars.cells[0] as usize] == 0", |vars, _, _, _| vars.cells[vars.cells[0] as usize] == 0),
    ("vm::id() % 5 == 3", |_, _, vm, _| vm % 5 == 3),
    ("turn == $ && vm::count() == 48", |_, turn, _, with| i64::from(turn) == with),
];

fn atom() -> impl Strategy<Value = Condition> {
    (0..ATOMS.len(), 0..9_i64).prop_map(|(atom, with)| {
        let (text, holds) = ATOMS[atom];
        let text = format!("({})", text.replace('$', &with.to_string()));
        Condition { text, holds, with }
    })
}

/// Some of them, each joined to those before by `&&` or `||`.
fn condition() -> impl Strategy<Value = Vec<(bool, Condition)>> {
    proptest::collection::vec((any::<bool>(), atom()), 1..5)
}

const VMS: u32 = 48;
const TURNS: u32 = 9;

/// What each stop of a VM is to say.
fn expected(conditions: &[(bool, Condition)]) -> Vec<String> {
    let mut said = Vec::new();
    for vm in 0..VMS {
        let mut vars = Vars {
            count: vm,
            ..Vars::default()
        };
        for turn in 0..TURNS {
            vars = shaken(vars, turn);
            let holds = |condition: &Condition| (condition.holds)(&vars, turn, vm, condition.with);
            let mut all = true;
            for (number, (joins, condition)) in conditions.iter().enumerate() {
                all = match (number, joins) {
                    (0, _) => holds(condition),
                    (_, true) => all && holds(condition),
                    (_, false) => all || holds(condition),
                };
            }
            if all {
                said.push(format!("VM {vm}: {turn} {:?}", vars.count));
            }
        }
    }
    said.sort();
    said
}

/// What the breakpoint says on the way of an execution, or why the condition has no value.
fn said(execution: &mut Execution<'_>, condition: &str) -> Result<Vec<String>, String> {
    let mut session = Session::new(execution);
    let at = this_line("sum = sum * 31");
    let wanted = Wanted {
        log: Some("{turn} {vars.count}".to_string()),
        ..Wanted::at(at).when(Expression::parse(condition).unwrap())
    };
    let placed = session.set_breakpoints("conditions.rs", vec![wanted]);
    assert_eq!(placed[0].line, Some(at));
    let stop = session.resume(&mut || false).map_err(|error| error.to_string())?;
    assert_eq!(stop, Stop::End, "{condition}");
    let mut said = session.said();
    said.sort();
    // Optimised code may come to a line more than once in a turn.
    said.dedup();
    Ok(said)
}

fn this_line(text: &str) -> u32 {
    let found = include_str!("conditions.rs")
        .lines()
        .position(|line| line.contains(text));
    found.map_or(0, |index| index as u32 + 1)
}

/// A runtime that links programs as they are when nobody debugs them.
fn optimised() -> &'static Runtime {
    static RUNTIME: std::sync::OnceLock<Runtime> = std::sync::OnceLock::new();
    RUNTIME.get_or_init(|| {
        let builder = Runtime::builder().backend(backend()).settings(Settings::default());
        builder
            .build()
            .expect("there is a Vulkan device, at least Mesa's lavapipe")
    })
}

/// Whether the condition has a value; then VMs stop where native code says that it holds, on all engines.
fn stops_are_native(runtime: &Runtime, conditions: &[(bool, Condition)]) -> bool {
    let text = conditions
        .iter()
        .enumerate()
        .fold(String::new(), |text, (number, (joins, condition))| {
            match (number, joins) {
                (0, _) => condition.text.clone(),
                (_, true) => format!("({text}) && {}", condition.text),
                (_, false) => format!("({text}) || {}", condition.text),
            }
        });
    let expected = expected(conditions);
    let native = runtime.launch("shake").unwrap().args((TURNS,)).vms(VMS as usize);
    let native: Vec<u32> = native.engine(Engine::Native).run().unwrap().output().unwrap();
    let mut has_value = true;
    for engine in ENGINES {
        let launch = runtime.launch("shake").unwrap().args((TURNS,)).vms(VMS as usize);
        let mut execution = launch.engine(engine).start().unwrap();
        match said(&mut execution, &text) {
            Ok(said) => {
                assert!(said == expected, "{engine}: {text}\n{said:?}\n{expected:?}");
                let sums: Vec<u32> = execution.finish().unwrap().output().unwrap();
                assert_eq!(sums, native, "{engine}: {text}");
            }
            Err(reason) => {
                assert!(reason.contains("is optimised away here"), "{engine}: {text}: {reason}");
                has_value = false;
            }
        }
    }
    has_value
}

#[test]
fn vms_stop_where_native_code_says_that_a_condition_holds() {
    let mut runner = TestRunner::new(Config {
        cases: 12,
        failure_persistence: None,
        ..Config::default()
    });
    let checked = runner.run(&condition(), |conditions| {
        prop_assert!(stops_are_native(runtime(), &conditions));
        Ok(())
    });
    checked.unwrap();
}

#[test]
fn each_kind_of_condition_is_asked_of_optimised_programs_too() {
    let asked = ATOMS.into_iter().enumerate().filter(|(number, (text, holds))| {
        let with = *number as i64 % 9;
        let condition = Condition {
            text: text.replace('$', &with.to_string()),
            holds: *holds,
            with,
        };
        stops_are_native(optimised(), &[(true, condition)])
    });
    // Of the others something is nowhere.
    assert!(asked.count() >= 20);
}

/// VMs that have stopped for a condition when one of them does, and those of which it holds.
fn stopped(engine: Engine, condition: &str) -> (u32, u32) {
    let launch = runtime().launch("shake").unwrap().args((TURNS,)).vms(VMS as usize);
    let mut execution = launch.engine(engine).start().unwrap();
    let mut session = Session::new(&mut execution);
    let wanted = Wanted::at(this_line("sum = sum * 31")).when(Expression::parse(condition).unwrap());
    session.set_breakpoints("conditions.rs", vec![wanted]);
    match session.resume(&mut || false).unwrap() {
        Stop::Breakpoint { vms, .. } => (session.execution().standing().at_breakpoint, vms),
        other => panic!("{engine}: {condition}: {other:?}"),
    }
}

#[test]
fn vms_of_which_a_condition_does_not_hold_go_past_without_the_host() {
    for engine in ENGINES {
        let (stopped, held) = stopped(engine, "turn == 2 && vm::id() % 10 == 7");
        // The epoch engine leaves it to the host. On a busy machine they may not all be there yet when the first are told of.
        assert!((1..=5).contains(&held), "{engine}: {held}");
        assert!(
            engine == Engine::Epoch || stopped == held,
            "{engine}: {stopped} for {held}"
        );
    }
    let left_to_the_host: Vec<&str> = ATOMS
        .iter()
        .map(|(text, _)| *text)
        .filter(|text| {
            let (stopped, held) = stopped(Engine::Reference, &format!("turn > 0 && ({})", text.replace('$', "3")));
            stopped != held
        })
        .collect();
    // Not asked by guards is whether a float is no number either, but that holds of all VMs at once.
    assert_eq!(left_to_the_host, ["vars.cells[vars.cells[0] as usize] == 0"]);
}

#[test]
fn a_condition_without_a_value_is_told_on_every_engine() {
    let starts: Vec<u32> = (1..60).collect();
    let at = line("n = if n % 2 == 0");
    for engine in ENGINES {
        for (condition, reason) in [
            ("n - 3 > 3 && steps == 1", "attempt to subtract with overflow"),
            (
                "steps == 0 && n > 1.5",
                "`u32` and `f64` are of different types; cast one with `as`",
            ),
            (
                "steps == 0 && m > 1",
                "no variable `m` is in scope; there are `start`, `n`, `steps`",
            ),
            ("steps", "`steps` is `u32` and no `bool`"),
        ] {
            let mut execution = crate::programs::collatz_of(&starts, engine);
            let mut session = Session::new(&mut execution);
            let wanted = Wanted::at(at).when(Expression::parse(condition).unwrap());
            session.set_breakpoints("programs.rs", vec![wanted]);
            let error = session.resume(&mut || false).unwrap_err();
            assert_eq!(error.to_string(), reason, "{engine}: {condition}");
        }
    }
}
