//! `#[routine]` traits that are implemented for generic types, and generic functions and methods that call theirs.

use std::marker::PhantomData;
use std::ops::{Add, Mul};

use gpuvm::prelude::*;

cases! {
    rectangles, models, visitors, composites, configured, machines_and_observers,
}

#[routine]
trait Base {
    fn next(&mut self) -> u32;
}

#[derive(VmType, Clone, Copy)]
struct Lcg(u32);

#[routine]
impl Base for Lcg {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1664525).wrapping_add(1013904223);
        self.0 >> 8
    }
}

#[routine]
trait Shape<T> {
    fn area(&self) -> T;
    fn scaled(self, by: T) -> Self;
}
#[derive(VmType, Clone, Copy, PartialEq, Debug)]
struct Rect<T> {
    w: T,
    h: T,
}
#[routine]
impl<T: Copy + Mul<Output = T>> Shape<T> for Rect<T> {
    fn area(&self) -> T {
        self.w * self.h
    }
    fn scaled(self, by: T) -> Self {
        Rect {
            w: self.w * by,
            h: self.h * by,
        }
    }
}
#[routine]
impl<T: Copy + Mul<Output = T> + Add<Output = T> + PartialOrd> Rect<T> {
    fn new(w: T, h: T) -> Self {
        Rect { w, h }
    }
    fn double(&self) -> T {
        self.area() + self.area()
    }
    fn larger(self, other: Self) -> Self {
        if self.area() > other.area() { self } else { other }
    }
}
#[routine]
fn total<T>(r: &[Rect<T>], zero: T) -> T
where
    T: Copy + Mul<Output = T> + Add<Output = T>,
{
    r.iter().fold(zero, |sum, r| sum + r.area())
}
#[routine]
fn sums<T: Copy + Mul<Output = T> + Add<Output = T>, const N: usize>(r: [Rect<T>; N], zero: T) -> T {
    total(&r, zero) + total(&r[1..], zero)
}
#[routine]
fn smallest<T: Copy + PartialOrd>(list: &[T]) -> T {
    let mut m = list[0];
    for x in list {
        if *x < m {
            m = *x;
        }
    }
    m
}
#[routine]
trait Describe {
    fn size(&self) -> u32;
    fn twice(&self) -> u32 {
        self.size() * 2
    }
}
#[routine]
impl<T, const N: usize> Describe for [T; N] {
    fn size(&self) -> u32 {
        N as u32
    }
}
#[routine]
impl<T: Describe> Describe for Option<T> {
    fn size(&self) -> u32 {
        match self {
            Some(x) => x.size() + 1,
            None => 0,
        }
    }
}
#[routine]
fn sizes<T: Describe>(a: Option<T>, b: T) -> u32 {
    a.size() + b.twice() + a.twice()
}
#[derive(VmType, Clone, Copy)]
struct V(u32);
#[routine]
impl Mul for V {
    type Output = V;
    fn mul(self, o: V) -> V {
        V(self.0 ^ o.0)
    }
}
#[routine]
impl Add for V {
    type Output = V;
    fn add(self, o: V) -> V {
        V(self.0.wrapping_add(o.0 * 3))
    }
}
#[routine]
fn rectangles(a: u32) -> (u32, f32, u32, (u32, u32)) {
    let n = a % 100;
    let r = [
        Rect::new(n, 3),
        Rect::new(2, n + 1).larger(Rect::new(n, n)),
        Rect::new(1, 1).scaled(5),
    ];
    let f = Rect::new(n as f32, 0.5);
    let v = sums([Rect { w: V(n), h: V(7) }, Rect { w: V(1), h: V(n * 5) }], V(0));
    (
        total(&r, 0) + sums(r, n),
        f.double() + f.scaled(1.5).area(),
        v.0 + smallest(&[n, 4, a]),
        (sizes(Some([1u8, 2]), [3, 4]), sizes(None, [0.5; 7])),
    )
}
#[routine]
trait Model {
    type State: Copy;
    fn init(&self, seed: u32) -> Self::State;
    fn step(&self, state: &mut Self::State) -> u32;
}
#[derive(VmType, Clone, Copy)]
struct Walk {
    by: u32,
}
#[routine]
impl Model for Walk {
    type State = u32;
    fn init(&self, seed: u32) -> u32 {
        seed % 1000
    }
    fn step(&self, state: &mut u32) -> u32 {
        *state = (*state * 7 + self.by) % 1009;
        *state
    }
}
#[derive(VmType, Clone, Copy)]
struct Both<A, B> {
    a: A,
    b: B,
}
#[routine]
impl<A: Model, B: Model> Model for Both<A, B> {
    type State = (A::State, B::State);
    fn init(&self, seed: u32) -> Self::State {
        (self.a.init(seed), self.b.init(seed + 1))
    }
    fn step(&self, state: &mut Self::State) -> u32 {
        self.a.step(&mut state.0) ^ self.b.step(&mut state.1)
    }
}
#[routine]
fn run<M: Model>(model: &M, seed: u32, turns: u32) -> u32 {
    let mut state = model.init(seed);
    let mut sum = 0;
    for _ in 0..turns {
        sum += model.step(&mut state);
    }
    sum
}
#[derive(VmType, Clone, Copy)]
struct Runner<M: Model> {
    model: M,
    state: M::State,
}
#[routine]
impl<M: Model> Runner<M> {
    fn new(model: M, seed: u32) -> Self {
        Runner {
            state: model.init(seed),
            model,
        }
    }
    fn turn(&mut self) -> u32 {
        self.model.step(&mut self.state)
    }
}
#[routine]
fn compare<M: Model>(model: M, seed: u32) -> (u32, u32) {
    let both = Both {
        a: model,
        b: Walk { by: 3 },
    };
    (run(&both, seed, 3), run(&both.a, seed, 2))
}
#[routine]
fn models(a: u32) -> (u32, u32, (u32, u32)) {
    let m = Both {
        a: Walk { by: 5 },
        b: Both {
            a: Walk { by: 1 },
            b: Walk { by: 2 },
        },
    };
    let mut r = Runner::new(m, a % 5000);
    r.turn();
    (run(&m, a % 777, 5), r.turn(), compare(Walk { by: 9 }, a % 77))
}
#[routine]
trait Visit {
    fn fold<A, F: FnMut(A, u32) -> A>(&self, start: A, f: F) -> A;
    fn total(&self) -> u32 {
        self.fold(0, |a, x| a + x)
    }
    fn any(&self, mut f: impl FnMut(u32) -> bool) -> bool {
        self.fold(false, |a, x| a || f(x))
    }
}
#[derive(VmType, Clone, Copy)]
struct List {
    items: [u32; 6],
    len: usize,
}
#[routine]
impl Visit for List {
    fn fold<A, F: FnMut(A, u32) -> A>(&self, start: A, mut f: F) -> A {
        let mut a = start;
        for &x in &self.items[..self.len] {
            a = f(a, x);
        }
        a
    }
}
#[derive(VmType, Clone, Copy)]
struct Doubled<V> {
    inner: V,
}
#[routine]
impl<V: Visit> Visit for Doubled<V> {
    fn fold<A, F: FnMut(A, u32) -> A>(&self, start: A, mut f: F) -> A {
        self.inner.fold(start, |a, x| f(a, x * 2))
    }
}
#[routine]
fn stats<V: Visit>(v: &V, limit: u32) -> (u32, u32, bool) {
    (
        v.total(),
        v.fold(0, |m, x| if x > m { x } else { m }),
        v.any(|x| x > limit),
    )
}
#[routine]
fn visitors(a: u32) -> ((u32, u32, bool), (u32, u32, bool)) {
    let list = List {
        items: [a % 10, 2, a % 7, 9, 1, 30],
        len: (a % 7) as usize,
    };
    (
        stats(&list, 8),
        stats(
            &Doubled {
                inner: Doubled { inner: list },
            },
            35,
        ),
    )
}
#[routine]
trait Solid {
    fn volume(&self) -> u32;
}
#[routine]
impl Solid for u32 {
    fn volume(&self) -> u32 {
        *self * 2
    }
}
#[routine]
impl<A: Solid, B: Solid> Solid for (A, B) {
    fn volume(&self) -> u32 {
        self.0.volume() * 3 + self.1.volume()
    }
}
#[routine]
impl<T: Solid, const N: usize> Solid for [T; N] {
    fn volume(&self) -> u32 {
        let mut s = 0;
        for x in self {
            s += x.volume();
        }
        s
    }
}
#[routine]
fn doubled<T: Copy>(x: T) -> (T, T) {
    (x, x)
}
#[routine]
fn quad<T: Copy>(x: T) -> ((T, T), (T, T)) {
    doubled(doubled(x))
}
#[routine]
fn measure<S: Solid>(s: S) -> u32 {
    s.volume() + 1
}
#[routine]
fn volumes<T: Solid + Copy>(t: T) -> u32 {
    measure((t, t)) + measure([t; 3]) + doubled(t).volume() + measure(quad(t))
}
#[routine]
fn swap<A: Copy, B: Copy>(p: (A, B)) -> (B, A) {
    (p.1, p.0)
}
#[routine]
fn opt<T: Copy + PartialOrd>(x: T, y: T) -> Option<(T, T)> {
    if x < y { Some(swap((y, x))) } else { None }
}
#[routine]
fn composites(a: u32) -> (u32, Option<(u32, u32)>) {
    (volumes(a % 100), opt(a, 1000))
}
#[routine]
trait Config {
    const N: usize;
    const RATE: f32;
    type Rng: Base + Copy;
    fn rng(seed: u32) -> Self::Rng;
}
#[derive(VmType, Clone, Copy)]
struct Short;
#[routine]
impl Config for Short {
    const N: usize = 3;
    const RATE: f32 = 0.5;
    type Rng = Lcg;
    fn rng(seed: u32) -> Lcg {
        Lcg(seed)
    }
}
#[derive(VmType, Clone, Copy)]
struct Sim<C: Config> {
    rng: C::Rng,
    total: f32,
    of: PhantomData<C>,
}
#[routine]
impl<C: Config> Sim<C> {
    const SCALE: u32 = 10;
    fn new(seed: u32) -> Self {
        Self {
            rng: C::rng(seed),
            total: 0.0,
            of: PhantomData,
        }
    }
    fn step(&mut self) {
        for _ in 0..C::N {
            self.total += (self.rng.next() % Self::SCALE) as f32 * C::RATE;
        }
    }
    fn run(mut self, n: u32) -> f32 {
        for _ in 0..n {
            self.step();
        }
        self.total
    }
}
#[routine]
fn simulate<C: Config>(seed: u32) -> f32 {
    Sim::<C>::new(seed).run(4) + C::RATE
}
#[routine]
fn configured(a: u32) -> f32 {
    simulate::<Short>(a)
}
#[routine]
trait Phase {
    const NAME: u8;
    type Next: Phase;
    fn weight(x: u32) -> u32 {
        x + Self::NAME as u32
    }
}
#[derive(VmType, Clone, Copy)]
struct Idle;
#[derive(VmType, Clone, Copy)]
struct Busy;
#[routine]
impl Phase for Idle {
    const NAME: u8 = 1;
    type Next = Busy;
}
#[routine]
impl Phase for Busy {
    const NAME: u8 = 2;
    type Next = Idle;
    fn weight(x: u32) -> u32 {
        x * 3
    }
}
#[derive(VmType, Clone, Copy)]
struct Machine<P: Phase> {
    count: u32,
    phase: PhantomData<P>,
}
#[routine]
impl<P: Phase> Machine<P> {
    fn advance(self) -> Machine<P::Next> {
        Machine {
            count: P::weight(self.count),
            phase: PhantomData,
        }
    }
    fn name(&self) -> u8 {
        P::NAME + <P::Next as Phase>::NAME * 10
    }
}
#[routine]
impl Machine<Idle> {
    fn new(count: u32) -> Self {
        Machine {
            count,
            phase: PhantomData,
        }
    }
}
#[routine]
trait Observer {
    fn on(&mut self, event: Event);
}
#[derive(VmType, Clone, Copy, PartialEq, Debug)]
enum Event {
    Start,
    Tick { at: u32 },
    Stop(Option<u8>),
}
#[derive(VmType, Clone, Copy, Default)]
struct Log {
    ticks: u32,
    last: u32,
}
#[routine]
impl Observer for Log {
    fn on(&mut self, event: Event) {
        match event {
            Event::Tick { at } if at > self.last => {
                self.ticks += 1;
                self.last = at;
            }
            Event::Stop(Some(code)) => self.last = code.into(),
            _ => {}
        }
    }
}
#[routine]
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn on(&mut self, event: Event) {
        self.0.on(event);
        self.1.on(event);
    }
}
#[routine]
impl<O: Observer, const N: usize> Observer for [O; N] {
    fn on(&mut self, event: Event) {
        for o in self.iter_mut() {
            o.on(event);
        }
    }
}
#[routine]
impl<O: Observer> Observer for Option<O> {
    fn on(&mut self, event: Event) {
        if let Some(o) = self {
            o.on(event)
        }
    }
}
#[derive(VmType, Clone, Copy)]
struct Watched<O> {
    observer: O,
    time: u32,
}
#[routine]
impl<O: Observer> Watched<O> {
    fn with(observer: O) -> Self {
        Watched { observer, time: 0 }
    }
    fn run(&mut self, turns: u32, mut each: impl FnMut(u32) -> u32) -> &mut Self {
        self.observer.on(Event::Start);
        for t in 0..turns {
            self.time += each(t);
            self.observer.on(Event::Tick { at: self.time });
        }
        self
    }
    fn finish(self) -> O {
        let Watched { mut observer, time } = self;
        observer.on(Event::Stop((time % 3 == 0).then_some(time as u8)));
        observer
    }
}
#[routine]
fn machines_and_observers(a: u32) -> (u32, u32, u8, (u32, u32)) {
    let m = Machine::new(a % 100).advance().advance();
    let mut sim = Watched::with((Log::default(), [Some(Log::default()), None]));
    sim.run(5, |t| t * (a % 3)).run(2, |_| 1);
    let (first, rest) = sim.finish();
    (
        m.count,
        m.advance().count,
        m.name(),
        (first.ticks * 1000 + first.last, rest[0].map_or(0, |l| l.ticks)),
    )
}
