//! Random kernels do what their routines do one by one, under every setting.

use std::sync::PoisonError;

use proptest::prelude::*;

use super::routines::*;
use super::testing::*;
use super::*;
use crate::isa::Op;
use crate::link::random::random;
use crate::link::testing::{Callees, TURN, leak, result};
use crate::link::tests::{all_settings, i, nothing};
use crate::routine::Routine;
use crate::settings::Settings;

const PAIRS: TypeRef = TypeRef::of::<(u32, u32)>();

/// The launch parameters that values come from: a column, a value, a column of pairs. What is stored goes to a column of
/// pairs and those after.
fn sources() -> Vec<TypeRef> {
    vec![
        types::<&[u32]>(),
        types::<u32>(),
        types::<&[(u32, u32)]>(),
        types::<&mut [(u32, u32)]>(),
    ]
}

/// Puts a kernel together from a tape of numbers.
struct Composer<'t> {
    tape: std::slice::Iter<'t, u32>,
    calls: Vec<Call>,
    stores: Vec<Output>,
}

impl Composer<'_> {
    fn pick(&mut self, below: usize) -> usize {
        self.tape.next().map_or(0, |&word| word as usize % below)
    }

    /// The number of an earlier call with a result of so many words.
    fn call_of(&mut self, words: u32) -> Option<usize> {
        let fitting = |(k, call): (usize, &Call)| (call.routine.result.words() == words).then_some(k);
        let found: Vec<usize> = self.calls.iter().enumerate().filter_map(fitting).collect();
        (!found.is_empty()).then(|| found[self.pick(found.len())])
    }

    fn word(&mut self, depth: u32) -> Input {
        match self.pick(8) {
            0 => Input::Element(0),
            1 => Input::Param(1),
            2 => Input::Constant(vec![self.pick(1 << 20) as u32]),
            3 => field(Input::Element(2), self.pick(2)),
            4 if depth > 0 => {
                let which = self.pick(2);
                field(self.pair(depth - 1), which)
            }
            _ => self.call_of(1).map_or(Input::Element(0), Input::Call),
        }
    }

    fn pair(&mut self, depth: u32) -> Input {
        match self.pick(4) {
            0 => Input::Element(2),
            1 if depth > 0 => Input::Tuple(vec![self.word(depth - 1), self.word(depth - 1)]),
            _ => self.call_of(2).map_or(Input::Element(2), Input::Call),
        }
    }

    fn calls(&mut self, routines: &[&'static Routine]) {
        for _ in 0..self.pick(6) {
            let routine = routines[self.pick(routines.len())];
            let words = |param: &TypeRef| param.words();
            let args = routine.params.iter().map(words).map(|words| match words {
                1 => self.word(2),
                _ => self.pair(2),
            });
            let args = args.collect();
            self.calls.push(call(routine, args));
        }
    }

    /// What becomes of the elements, the launch parameters for it, and how many VMs there are for so many elements.
    fn then(&mut self, op: &'static Routine, n: u32) -> (Option<Then>, Vec<Argument>, Vec<TypeRef>, u32) {
        let op = if self.pick(3) == 0 {
            Fold::Add
        } else {
            Fold::Routine(op.into())
        };
        let chunk = self.pick(5) as u32 + 1;
        let chunks = n.div_ceil(chunk);
        let column = |words: u32| Argument::whole(&vec![9; words as usize], 1);
        let records = |vms: u32| Argument::own(&vec![9; vms as usize], 1);
        let value = self.word(2);
        match self.pick(5) {
            0 => {
                let stores = [output(value, 4), output(self.pair(2), 5)];
                self.stores.extend(stores);
                let pairs = Argument::own(&vec![9; 2 * n as usize], 2);
                let params = vec![types::<&mut u32>(), types::<&mut (u32, u32)>()];
                (None, vec![records(n), pairs], params, n)
            }
            1 => {
                let vms = self.pick(n as usize + 2) as u32 + 1;
                let partial = output(value, 4);
                let then = Then::Reduce { op, partial };
                (Some(then), vec![records(vms)], vec![types::<&mut u32>()], vms)
            }
            2 => {
                let partial = output(value, 4);
                let then = Then::ReduceChunks { op, partial, chunk };
                (Some(then), vec![records(chunks)], vec![types::<&mut u32>()], chunks)
            }
            3 => {
                let then = Then::Scan {
                    op,
                    prefix: output(value, 5),
                    chunks: (self.pick(3) > 0).then_some(4),
                    chunk,
                };
                let params = vec![types::<&[u32]>(), types::<&mut [u32]>()];
                let before = Argument::whole(&numbers(chunks), 1);
                (Some(then), vec![before, column(n)], params, chunks)
            }
            _ => {
                let vms = self.pick(6) as u32 + 1;
                let bounds: Vec<u32> = (0..=vms).map(|_| self.pick(n as usize + 2) as u32).collect();
                let step = Input::Constant(vec![self.pick(4) as u32 + 1]);
                let then = Then::ReduceSpans {
                    op,
                    partial: output(value, 5),
                    span: call(span(), vec![Input::Param(4), step]),
                    rolled: self.pick(2) == 0,
                };
                let params = vec![types::<&[u32]>(), types::<&mut u32>()];
                (Some(then), vec![Argument::whole(&bounds, 1), records(vms)], params, vms)
            }
        }
    }
}

/// `fn who(x: u32, y: u32) -> u32 { (x ^ vm::id()) * 5 + vm::count() - y }`
fn who() -> &'static Routine {
    let code = vec![
        i(Op::VmId, 2, 0, 0, 0),
        i(Op::Xor, 2, 2, 0, 0),
        i(Op::MulImm, 2, 2, 5, 0),
        i(Op::VmCount, 3, 0, 0, 0),
        i(Op::Add, 2, 2, 3, 0),
        i(Op::Sub, 2, 2, 1, 0),
        i(Op::Return, 2, 0, 0, 0),
    ];
    plain("who", 2, 4, code)
}

/// Routines of several signatures, and an operator.
fn routines(tape: &[u32]) -> ([&'static Routine; 3], &'static Routine) {
    let part = |k: usize| &tape[tape.len() * k / 5..tape.len() * (k + 1) / 5];
    Callees::set(0, who());
    Callees::set(1, random("helper", 2, result::<u32>(), part(0), 1));
    let pair = random("pair", 2, result::<(u32, u32)>(), part(1), 2);
    let mut join = random("join", 3, result::<u32>(), part(2), 2).clone();
    join.params = vec![PAIRS, types::<u32>()].into();
    let plain = random("plain", 1, result::<u32>(), part(3), 1);
    ([pair, leak(join), plain], random("op", 2, result::<u32>(), part(4), 2))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn fused_routines_are_the_routines_one_by_one(
        tape in prop::collection::vec(any::<u32>(), 0..400),
        shape in prop::collection::vec(any::<u32>(), 0..60),
        first in prop::collection::vec(any::<u32>(), 1..24),
        uniform in prop_oneof![Just(77), any::<u32>()],
        setting in any::<prop::sample::Index>(),
    ) {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let (routines, op) = routines(&tape);
        let mut composer = Composer { tape: shape.iter(), calls: Vec::new(), stores: Vec::new() };
        composer.calls(&routines);
        let n = first.len() as u32;
        if composer.pick(2) == 0 {
            let pair = composer.pair(2);
            composer.stores.push(output(pair, 3));
        }
        let (then, outputs, params, vms) = composer.then(op, n);
        let kernel = Kernel {
            name: "random".into(),
            params: [sources(), params].concat(),
            result: types::<()>(),
            calls: composer.calls,
            stores: composer.stores,
            count: Count::Slice(0),
            then,
        };
        let inputs = vec![
            Argument::whole(&first, 1),
            Argument::own(&[uniform], 0),
            Argument::whole(&numbers(2 * n), 2),
            Argument::whole(&vec![9; 2 * n as usize], 2),
        ];
        let settings = [nothing(), Settings::default(), setting.get(&all_settings()).clone()];
        agree(&kernel, &[inputs, outputs].concat(), vms, &settings);
    }
}
