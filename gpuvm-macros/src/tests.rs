//! The macros as functions from tokens to tokens: what they make is Rust, costs few slots, and no tokens whatever make them panic.

use std::str::FromStr;

use gpuvm_generator::{SPARE, count, edit};
use proc_macro2::{TokenStream, TokenTree};
use proptest::prelude::*;

const ROUTINES: [&str; 8] = [
    "fn collatz(start: u32) -> u32 { let mut n = start; let mut steps = 0; while n > 1 { n = if n % 2 == 0 { n / 2 } else { n * 3 + 1 }; steps += 1; } steps }",
    "pub fn area(shape: Shape, k: [f32; 3]) -> f32 { match shape { Shape::Circle(r) if r > 1.0 => 3.0 * r, Shape::Rect { lo, hi: h @ 1.0..=2.0 } | Other(lo, h) => (h - lo).max(k[1]), _ => -1.5 } }",
    "fn walk(all: &[u32], out: &mut [f32], bins: &[AtomicU32]) { for (i, x) in all.iter().enumerate() { out[i] += *x as f32; } 'a: for i in (0..=9u8).rev().step_by(2) { if i > 3 { continue 'a; } break; } bins[vm::id() as usize].fetch_add(1, Relaxed); }",
    "fn joins<T: VmType + Add<Output = T>, const N: usize>(v: [T; N], i: usize) -> Option<T> { let Some(a) = pick::<3>(v, i) else { return None }; let (mut b, _) = (a? + v[i], 1); [b, _] = [b, b]; if let Some(c) = b && i > 2 { Some(c) } else { None } }",
    "fn traps(n: i32) -> i32 { assert!(n != 3, \"n is {n} and {:?}\", n + 1); assert_eq!(n, 2); debug_assert!(n < 9); let x; x = loop { if matches!(n, 1..=4 | 7) { break n; } else { unreachable!() } }; x }",
    "impl Add<f32> for Vec2 { type Output = Self; fn add(self, k: f32) -> Self::Output { Self { x: self.x + k, ..self } } }",
    "impl<T: VmType> Pair<T> { const A: u32 = 1; fn first(&self) -> T { self.0 } fn swap(&mut self) { (self.0, self.1) = (self.1, self.0); } }",
    "trait Area { fn area(&self) -> f32; const SIDES: u32; fn doubled(&self) -> f32 { self.area() * 2.0 } }",
];

const RING_KERNELS: [&str; 3] = [
    "fn ledger(account: &mut Account, deposit: Deposit) -> Option<Balance> { account.cents += deposit.cents; if account.cents > 9 { Some(Balance(count(account))) } else { None } }",
    "pub fn quiet<'a>(state: &'a mut (u32, f32), Step { by }: Step) { state.1 = state.1.max(by.sin()); state.0 += 1; }",
    "fn relay(state: &mut u32, step: Step, ctx: &mut Ring<Note>) { ctx.send(*state, step); ctx.forward(ctx.actor(), Note(ctx.now())); ctx.stop() }",
];

const TYPES: [&str; 3] = [
    "struct Vec2 { x: f32, y: f32 }",
    "#[vm_type(manual_eq)] enum Shape<T> { Unit, Circle(T), Rect { lo: T, hi: [T; 2] } = 7 }",
    "struct Id(u32);",
];

fn tokens(source: &str) -> TokenStream {
    TokenStream::from_str(source).unwrap()
}

#[test]
fn expansions_are_rust() {
    for source in ROUTINES {
        let expansion = crate::emit::routine(TokenStream::new(), tokens(source)).to_string();
        assert!(!expansion.contains("compile_error"), "{source}: {expansion}");
        syn::parse_file(&expansion).unwrap_or_else(|error| panic!("{source}: {error}: {expansion}"));
    }
    for source in RING_KERNELS {
        let expansion = crate::emit::ring_kernel(tokens("id = \"ledger, all of it\""), tokens(source)).to_string();
        assert!(!expansion.contains("compile_error"), "{source}: {expansion}");
        syn::parse_file(&expansion).unwrap_or_else(|error| panic!("{source}: {error}: {expansion}"));
    }
    for source in TYPES {
        for derive in [crate::derive::vm_type, crate::derive::ring_message] {
            let expansion = derive(tokens(source)).to_string();
            assert!(!expansion.contains("compile_error"), "{source}: {expansion}");
            syn::parse_file(&expansion).unwrap_or_else(|error| panic!("{source}: {error}"));
        }
    }
}

#[test]
fn generated_code_finds_gpuvm_where_it_is_told() {
    let elsewhere = || tokens("crate = crate::other::vm");
    for source in ROUTINES {
        let expansion = crate::emit::routine(elsewhere(), tokens(source)).to_string();
        assert!(!expansion.contains("compile_error"), "{source}: {expansion}");
        assert!(!expansion.contains("gpuvm ::"), "{source}: {expansion}");
    }
    for source in RING_KERNELS {
        let expansion = crate::emit::ring_kernel(elsewhere(), tokens(source)).to_string();
        assert!(!expansion.contains("gpuvm ::"), "{source}: {expansion}");
    }
    let expansion = crate::derive::ring_message(tokens("#[vm_type(crate = vm)] struct Id(u32);")).to_string();
    assert!(
        expansion.contains("vm :: __private") && !expansion.contains("gpuvm ::"),
        "{expansion}"
    );
}

#[test]
fn arithmetic_on_primitives_takes_no_slots() {
    let source = "fn f(a: f32, k: u32) -> f32 { let b = a * 2.5 - (k as f32).sqrt(); let mut s = 0.0f32; for i in 0..k { s += b * i as f32; } \
                  if s > b && k % 2 == 1 { -s } else { s.max(b) } }";
    let expansion = crate::emit::routine(TokenStream::new(), tokens(source)).to_string();
    assert!(!expansion.contains("__t0"), "{expansion}");
}

#[test]
fn all_errors_are_reported_at_once() {
    let source = "fn f(a: &dyn Any) -> f32 { let g = (|x| x, 1); let s = c\"text\"; let v = vec![1]; unsafe { 1.0 } }";
    let expansion = crate::emit::routine(TokenStream::new(), tokens(source)).to_string();
    assert_eq!(expansion.matches("compile_error").count(), 5, "{expansion}");
    assert!(expansion.contains("fn f (a : & dyn Any)"), "the function itself stays");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_tokens_make_the_macros_panic(
        which in 0..ROUTINES.len() + RING_KERNELS.len() + TYPES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4usize, 0..SPARE.len()), 1..5),
    ) {
        let source = ROUTINES.iter().chain(&RING_KERNELS).chain(&TYPES).nth(which).unwrap();
        let mut stream = tokens(source);
        for (place, action, spare) in edits {
            let total = count(&stream);
            if total == 0 {
                break;
            }
            let spare: Vec<TokenTree> = tokens(SPARE[spare]).into_iter().collect();
            stream = edit(stream, &mut Some(place.index(total)), &|tree| match action {
                0 => Vec::new(),
                1 => vec![tree.clone(), tree],
                2 => spare.clone(),
                _ => spare.iter().cloned().chain([tree]).collect(),
            });
        }
        if which < ROUTINES.len() {
            crate::emit::routine(TokenStream::new(), stream.clone());
            crate::emit::routine(stream, tokens(source));
        } else if which < ROUTINES.len() + RING_KERNELS.len() {
            crate::emit::ring_kernel(TokenStream::new(), stream.clone());
            crate::emit::ring_kernel(stream, tokens(source));
        } else {
            crate::derive::ring_message(stream);
        }
    }
}
