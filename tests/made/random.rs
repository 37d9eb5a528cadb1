//! Expressions that nobody thought of, as genetic programming makes them: each engine and a batch of all give what an evaluator in Rust gives.

use gpuvm::build::{Body, Value};
use gpuvm::{Routine, build};
use proptest::prelude::*;

use crate::{ENGINES, runtime};

#[derive(Clone, Debug)]
enum Tree {
    X,
    Y,
    Constant(f32),
    Add(Box<(Tree, Tree)>),
    Sub(Box<(Tree, Tree)>),
    Mul(Box<(Tree, Tree)>),
    Min(Box<(Tree, Tree)>),
    Guarded(Box<(Tree, Tree)>),
}

impl Tree {
    fn value(&self, x: f32, y: f32) -> f32 {
        let both = |pair: &(Tree, Tree)| (pair.0.value(x, y), pair.1.value(x, y));
        match self {
            Tree::X => x,
            Tree::Y => y,
            Tree::Constant(value) => *value,
            Tree::Add(pair) => both(pair).0 + both(pair).1,
            Tree::Sub(pair) => both(pair).0 - both(pair).1,
            Tree::Mul(pair) => both(pair).0 * both(pair).1,
            // As Rust's, which leaves open which zero is smaller.
            Tree::Min(pair) => match both(pair) {
                (a, b) if a < b || b.is_nan() || a == b && a.is_sign_negative() => a,
                (_, b) => b,
            },
            Tree::Guarded(pair) => match both(pair) {
                (a, b) if b > 0.5 => a / b,
                (a, _) => a,
            },
        }
    }

    fn built<'b>(&self, f: &'b Body, x: Value<'b, f32>, y: Value<'b, f32>) -> Value<'b, f32> {
        let both = |pair: &(Tree, Tree)| (pair.0.built(f, x, y), pair.1.built(f, x, y));
        match self {
            Tree::X => x,
            Tree::Y => y,
            Tree::Constant(value) => f.constant(*value),
            Tree::Add(pair) => {
                let (a, b) = both(pair);
                a + b
            }
            Tree::Sub(pair) => {
                let (a, b) = both(pair);
                a - b
            }
            Tree::Mul(pair) => {
                let (a, b) = both(pair);
                a * b
            }
            Tree::Min(pair) => {
                let (a, b) = both(pair);
                a.min(b)
            }
            Tree::Guarded(pair) => {
                let (a, b) = both(pair);
                let quotient = f.variable("quotient", a);
                f.if_(b.gt(0.5), |_| quotient.set(a / b));
                quotient.get()
            }
        }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Tree::X),
        Just(Tree::Y),
        prop_oneof![any::<f32>(), -4.0f32..4.0].prop_map(Tree::Constant)
    ];
    leaf.prop_recursive(5, 40, 2, |inner| {
        let pair = (inner.clone(), inner).prop_map(Box::new);
        prop_oneof![
            pair.clone().prop_map(Tree::Add),
            pair.clone().prop_map(Tree::Sub),
            pair.clone().prop_map(Tree::Mul),
            pair.clone().prop_map(Tree::Min),
            pair.prop_map(Tree::Guarded)
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn trees_are_evaluated(trees in prop::collection::vec(trees(), 1..40), points in prop::collection::vec((-3.0f32..3.0, any::<f32>()), 1..40)) {
        let routines: Vec<Routine> = trees
            .iter()
            .map(|tree| {
                build("tree", |f| {
                    let (x, y) = (f.param("x"), f.param("y"));
                    f.ret(tree.built(f, x, y));
                })
                .unwrap()
            })
            .collect();
        for routine in &routines {
            let again = Routine::assemble(&routine.disassemble()).unwrap();
            prop_assert_eq!(again.id(), routine.id(), "{}", routine.disassemble());
        }
        let (x, y): (Vec<f32>, Vec<f32>) = points.iter().copied().unzip();
        let bits = |value: f32| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() };
        for engine in ENGINES {
            let done = runtime().batch(&routines).unwrap().args((&x, &y)).engine(engine).run().unwrap();
            for (number, tree) in trees.iter().enumerate() {
                let found: Vec<u32> = done.output::<f32>(number).unwrap().into_iter().map(bits).collect();
                let expected: Vec<u32> = points.iter().map(|(x, y)| bits(tree.value(*x, *y))).collect();
                prop_assert_eq!(found, expected, "{} {:?}", engine, tree);
            }
        }
    }
}
