//! The user's traits on types that are not the user's: numbers, arrays, tuples, slices, `Option`, whatever implements another trait. And traits whose
//! methods have one name.

use gpuvm::prelude::*;

cases! {
    on_numbers, on_lists, in_generic_code, impls_by_path, by_extension, for_all_that_score, one_name_of_two, own_before_traits, named_as_std,
    stored_somewhere, converted_by_type, lent, in_adaptors, trapping, in_a_block, for_references,
}

#[routine]
trait Score {
    const ID: u32;
    type Out: VmType;

    fn score(&self) -> u32;

    fn weight(self) -> u32
    where
        Self: Sized,
    {
        self.score() + Self::ID
    }

    fn bump(&mut self);

    fn nothing() -> Self;

    fn out(&self) -> Self::Out;

    fn doubled(&self) -> u32 {
        self.score() * 2
    }
}

#[routine]
impl Score for u32 {
    const ID: u32 = 7;
    type Out = (u32, u32);

    fn score(&self) -> u32 {
        *self % 10
    }

    fn bump(&mut self) {
        *self = self.wrapping_add(1);
    }

    fn nothing() -> Self {
        0
    }

    fn out(&self) -> (u32, u32) {
        (*self, 1)
    }
}

#[routine]
impl Score for f32 {
    const ID: u32 = 70;
    type Out = f32;

    fn score(&self) -> u32 {
        (self.abs() % 50.0) as u32
    }

    fn bump(&mut self) {
        *self += 1.0;
    }

    fn nothing() -> f32 {
        -0.0
    }

    fn out(&self) -> f32 {
        *self * 2.0
    }

    fn doubled(&self) -> u32 {
        self.score() * 2 + 1
    }
}

#[routine]
impl<T: Score + Copy, const N: usize> Score for [T; N] {
    const ID: u32 = T::ID + 1;
    type Out = T::Out;

    fn score(&self) -> u32 {
        let mut sum = 0;
        for x in self {
            sum += x.score();
        }
        sum
    }

    fn bump(&mut self) {
        for x in self.iter_mut() {
            x.bump();
        }
    }

    fn nothing() -> Self {
        [T::nothing(); N]
    }

    fn out(&self) -> T::Out {
        self[N - 1].out()
    }
}

#[routine]
fn on_numbers(a: u32, x: f32) -> (u32, u32, u32, f32, (u32, u32), u32) {
    let (mut b, mut y) = (a, x);
    b.bump();
    y.bump();
    (
        a.score() + b.score() * 10,
        a.weight() + y.weight() * 100,
        y.score(),
        y.out(),
        b.out(),
        a.doubled() + x.doubled() * 100,
    )
}

#[routine]
trait Total {
    fn total(&self) -> u32;

    fn unit() -> u32 {
        3
    }
}

#[routine]
impl Total for [u32] {
    fn total(&self) -> u32 {
        self.iter().fold(0u32, |sum, x| sum.wrapping_mul(3) ^ x)
    }
}

#[routine]
impl Total for (u32, u32) {
    fn total(&self) -> u32 {
        self.0 ^ self.1
    }
}

#[routine]
impl<T: Total> Total for Option<T> {
    fn total(&self) -> u32 {
        match self {
            Some(x) => x.total(),
            None => Self::unit(),
        }
    }

    fn unit() -> u32 {
        T::unit() + 1
    }
}

#[routine]
impl Total for bool {
    fn total(&self) -> u32 {
        if *self { 1 } else { 0 }
    }
}

#[routine]
fn total_of(x: &impl Total) -> u32 {
    x.total()
}

#[routine]
fn on_lists(a: u32, b: u32) -> (u32, u32, u32, u32, u32) {
    let list = [a, b, a];
    let none: Option<(u32, u32)> = None;
    (
        list[1..].total() ^ (&list[..]).total(),
        (a, b).total(),
        Some((a, b)).total() ^ none.total(),
        total_of(&(a, b)) ^ (a > b).total(),
        <Option<bool>>::unit() + bool::unit(),
    )
}

#[routine]
fn generic<T: Score + Copy>(mut t: T) -> (u32, T::Out) {
    t.bump();
    (
        t.score() + t.doubled() * 10 + T::nothing().score() * 100 + t.weight() * 1000 + T::ID,
        t.out(),
    )
}

#[routine]
fn in_generic_code(a: u32, b: u32, x: f32) -> ((u32, (u32, u32)), (u32, f32), (u32, (u32, u32)), (u32, f32)) {
    (generic(a), generic(x), generic([a, b]), generic([[x, 2.0], [x, x]]))
}

#[routine]
fn impls_by_path(a: u32, b: u32) -> (u32, u32, u32, u32, u32) {
    let list = [a, b];
    let mut c = a;
    <u32 as Score>::bump(&mut c);
    Score::bump(&mut c);
    (
        Score::score(&a),
        <u32 as Score>::score(&c) + Score::score(&list),
        u32::score(&b) + <u32 as Score>::ID,
        <[u32; 2] as Score>::score(&list) + <[u32; 2]>::doubled(&list),
        <u32 as Score>::nothing() + u32::nothing(),
    )
}

#[routine]
trait Clamped {
    fn clamped(self) -> Self;
    fn between(self, other: Self, t: f32) -> Self;
}

#[routine]
impl Clamped for f32 {
    fn clamped(self) -> f32 {
        if self < 0.0 {
            0.0
        } else if self > 1.0 {
            1.0
        } else {
            self
        }
    }

    fn between(self, other: Self, t: f32) -> Self {
        self + (other - self) * t.clamped()
    }
}

#[routine]
fn by_extension(x: f32, y: f32) -> (f32, f32, f32) {
    (x.clamped(), x.between(y, 0.25), (x + y).clamped().between(2.0, y))
}

#[routine]
trait Twice {
    fn twice(&self) -> u32;
    fn three_times(&self) -> u32 {
        self.twice() / 2 * 3
    }
}

#[routine]
impl<T: Score> Twice for T {
    fn twice(&self) -> u32 {
        self.score() * 2 + T::ID
    }
}

#[routine]
fn for_all_that_score(a: u32, x: f32) -> (u32, u32, u32) {
    (
        a.twice(),
        [x, 1.0].twice() + x.three_times(),
        Twice::twice(&a) + <[u32; 1] as Twice>::three_times(&[a]),
    )
}

#[routine]
trait Pilot {
    fn fly(&self) -> u32;
    fn license() -> u32 {
        5
    }
}

#[routine]
trait Wizard {
    fn fly(&self) -> u32;
    fn license() -> u32;
}

#[derive(VmType, Clone, Copy, Debug)]
struct Human(u32);

#[routine]
impl Pilot for Human {
    fn fly(&self) -> u32 {
        self.0 % 100 + 1
    }
}

#[routine]
impl Wizard for Human {
    fn fly(&self) -> u32 {
        self.0 % 100 + 2
    }

    fn license() -> u32 {
        6
    }
}

#[routine]
impl Human {
    fn fly(&self) -> u32 {
        self.0 % 100 + 3
    }
}

#[routine]
fn piloted<P: Pilot>(pilot: P) -> u32 {
    pilot.fly() * 10 + P::license()
}

#[routine]
fn enchanted<W: Wizard>(wizard: &W) -> u32 {
    wizard.fly() * 10 + W::license()
}

#[routine]
fn one_name_of_two(a: u32) -> (u32, u32, u32, u32) {
    let human = Human(a);
    (
        Pilot::fly(&human),
        Wizard::fly(&human) * 100 + <Human as Pilot>::license(),
        <Human as Wizard>::fly(&human) + <Human as Wizard>::license(),
        piloted(human) * 10000 + enchanted(&human),
    )
}

#[routine]
fn own_before_traits(a: u32) -> (u32, u32) {
    let human = Human(a);
    (human.fly(), Human::fly(&human) * 2)
}

/// Std has methods of these names, which numbers have before the trait's and type parameters do not have.
#[routine]
trait Number: Copy {
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    fn max(self, other: Self) -> Self;
    fn len(&self) -> u32;
    fn to_float(self) -> f32;

    fn of_both(self, other: Self) -> f32 {
        self.max(other).abs().to_float()
    }
}

#[routine]
impl Number for f32 {
    fn sqrt(self) -> f32 {
        f32::sqrt(f32::abs(self)) + 1.0
    }

    fn abs(self) -> f32 {
        f32::abs(self) + 100.0
    }

    fn max(self, other: f32) -> f32 {
        if self > other { self } else { other }
    }

    fn len(&self) -> u32 {
        4
    }

    fn to_float(self) -> f32 {
        self
    }
}

#[routine]
impl Number for u32 {
    fn sqrt(self) -> u32 {
        self.isqrt() + 1
    }

    fn abs(self) -> u32 {
        self % 1000 + 100
    }

    fn max(self, other: u32) -> u32 {
        if self > other { self } else { other }
    }

    fn len(&self) -> u32 {
        5
    }

    fn to_float(self) -> f32 {
        self as f32
    }
}

#[routine]
fn number<N: Number>(x: N, y: N) -> (f32, f32, u32) {
    (
        x.sqrt().abs().max(y).to_float(),
        N::sqrt(x).to_float() - x.of_both(y),
        x.len(),
    )
}

#[routine]
fn named_as_std(x: f32, y: f32, a: u32) -> ((f32, f32, u32), (f32, f32, u32), f32, u32) {
    (number(x, y), number(a, 7), x.abs() - Number::abs(x), a.len())
}

#[routine]
trait Storage<K> {
    type Item: VmType;

    fn get(&self, key: K) -> Option<Self::Item>;

    fn contains(&self, key: K) -> bool {
        self.get(key).is_some()
    }

    fn map(&self, f: impl Fn(u32) -> u32) -> u32;
}

#[derive(VmType, Clone, Copy, Debug)]
struct Slots<const N: usize> {
    at: [u32; N],
}

#[routine]
impl<const N: usize> Storage<u32> for Slots<N> {
    type Item = u32;

    fn get(&self, key: u32) -> Option<u32> {
        self.at.get(key as usize).copied()
    }

    fn map(&self, f: impl Fn(u32) -> u32) -> u32 {
        f(self.at[0])
    }
}

#[routine]
impl Storage<u32> for (u32, u32) {
    type Item = u32;

    fn get(&self, key: u32) -> Option<u32> {
        if key == 0 { Some(self.0) } else { None }
    }

    fn map(&self, f: impl Fn(u32) -> u32) -> u32 {
        f(self.1)
    }
}

#[routine]
fn looked_up<S: Storage<u32, Item = u32>>(storage: &S, key: u32) -> (u32, bool, u32) {
    (
        storage.get(key).unwrap_or(7),
        storage.contains(key),
        storage.map(|x| x % 10 + key),
    )
}

#[routine]
fn stored_somewhere(a: u32, b: u32) -> ((u32, bool, u32), (u32, bool, u32), u32) {
    let slots = Slots { at: [a, b, 9] };
    (
        looked_up(&slots, a % 5),
        looked_up(&(a, b), b % 2),
        slots.get(2).unwrap() + slots.map(|x| x / 2),
    )
}

#[routine]
trait Conv<T> {
    fn conv(&self, x: T) -> T;
}

#[routine]
impl Conv<u32> for u32 {
    fn conv(&self, x: u32) -> u32 {
        self ^ x
    }
}

#[routine]
impl Conv<u8> for u32 {
    fn conv(&self, x: u8) -> u8 {
        x / 2
    }
}

#[routine]
trait Make<T> {
    fn make(self) -> T;
}

#[routine]
impl Make<u32> for u32 {
    fn make(self) -> u32 {
        self / 2
    }
}

#[routine]
impl Make<u8> for u32 {
    fn make(self) -> u8 {
        self as u8
    }
}

#[routine]
fn converted_by_type(a: u32, b: u8) -> (u32, u8, u8, u32, u8) {
    let small: u8 = a.make();
    let large: u32 = a.make();
    (a.conv(3u32), a.conv(b), <u32 as Conv<u8>>::conv(&a, 9), large, small)
}

#[routine]
trait View {
    fn view(&self, which: &u32) -> &u32;
    fn view_mut(&mut self) -> &mut u32;
}

#[routine]
impl View for [u32; 2] {
    fn view(&self, which: &u32) -> &u32 {
        if *which > 100 { &self[0] } else { &self[1] }
    }

    fn view_mut(&mut self) -> &mut u32 {
        &mut self[1]
    }
}

#[routine]
fn lent(a: u32, b: u32) -> (u32, u32, [u32; 2]) {
    let mut list = [a, b];
    *list.view_mut() ^= 5;
    (*list.view(&a), *View::view(&list, &b), list)
}

#[routine]
fn in_adaptors(a: u32, b: u32) -> (u32, u32, bool) {
    let humans = [Human(a), Human(b)];
    (
        humans.iter().map(Pilot::fly).sum(),
        [a, b, 3].iter().map(|x| x.score() + x.twice()).sum(),
        [a, b].iter().any(|x| Score::score(x) == 3),
    )
}

#[routine]
trait Checked {
    fn checked(self) -> u32;
}

#[routine]
impl Checked for u8 {
    fn checked(self) -> u32 {
        assert!(self < 200, "{self} is too much");
        u32::from(self)
    }
}

#[routine]
impl<A: Checked, B: Checked> Checked for (A, B) {
    fn checked(self) -> u32 {
        self.0.checked() * 1000 / self.1.checked()
    }
}

#[routine]
fn trapping(a: u8, b: u8) -> u32 {
    (a, (b, a)).checked()
}

#[routine]
fn in_a_block(a: u32) -> u32 {
    #[routine]
    trait Local {
        fn local(&self) -> u32;
    }
    #[routine]
    impl Local for u32 {
        fn local(&self) -> u32 {
            self / 3
        }
    }
    a.local() + Local::local(&(a / 2))
}

#[routine]
trait Read {
    fn read(self) -> u32;
}

#[routine]
impl Read for &u8 {
    fn read(self) -> u32 {
        u32::from(*self) + 1
    }
}

#[routine]
impl Read for &[u8] {
    fn read(self) -> u32 {
        self.iter().map(|x| x.read()).sum()
    }
}

#[routine]
fn for_references(a: u8, b: u8) -> (u32, u32) {
    let list = [a, b, a];
    ((&a).read(), list[1..].read())
}
