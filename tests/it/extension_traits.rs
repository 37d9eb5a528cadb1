//! Extension traits: a trait that is implemented for whatever has another, and for what is made of it, and generic functions that call its methods.

use gpuvm::prelude::*;

cases! {
    rolls, counted_rolls, games, sums_of_squares, pairs_of_items,
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
trait Ext: Base {
    fn pair(&mut self) -> (u32, u32) {
        (self.next(), self.next())
    }
    fn below(&mut self, n: u32) -> u32;
}

#[routine]
impl<R: Base + ?Sized> Ext for R {
    fn below(&mut self, n: u32) -> u32 {
        self.next() % n
    }
}

#[routine]
fn roll<R: Base + ?Sized>(rng: &mut R) -> u32 {
    rng.below(6) + rng.below(6) + rng.pair().1 % 3
}

#[routine]
fn roll_more<R>(rng: &mut R) -> u32
where
    R: Base,
{
    rng.below(6) + roll(rng)
}

#[routine]
fn rolls(a: u32) -> (u32, u32) {
    let mut rng = Lcg(a);
    (roll(&mut rng), roll_more(&mut rng))
}

#[routine]
trait Coins {
    fn odds(&mut self, n: u32) -> u32;
    fn coin(&mut self) -> bool {
        self.odds(2) == 1
    }
}

#[derive(VmType, Clone, Copy)]
struct Counted<R> {
    inner: R,
    count: u32,
}

#[routine]
impl<R: Base> Coins for Counted<R> {
    fn odds(&mut self, n: u32) -> u32 {
        self.count += 1;
        self.inner.next() % n
    }
}

#[routine]
fn toss<R: Base>(rng: &mut Counted<R>) -> u32 {
    rng.odds(6) + if rng.coin() { 1 } else { 10 }
}

#[routine]
impl<R: Base> Counted<R> {
    fn new(inner: R) -> Self {
        Counted { inner, count: 0 }
    }

    fn many(&mut self, n: u32) -> u32 {
        (0..n).map(|_| self.odds(6)).sum::<u32>() + toss(self)
    }
}

#[routine]
fn counted_rolls(a: u32) -> (u32, u32, u32) {
    let mut rng = Counted::new(Lcg(a));
    let (first, many) = (toss(&mut rng), rng.many(5));
    (first, many, rng.count)
}

#[routine]
trait Game: Base {
    fn play(&mut self) -> u32 {
        self.below(6) + 1
    }
    fn end(&mut self) -> u32;
}

#[routine]
impl Game for Lcg {
    fn end(&mut self) -> u32 {
        self.play() * 2 + self.below(4)
    }
}

#[derive(VmType, Clone, Copy)]
struct Player<R> {
    rng: R,
    score: u32,
}

#[routine]
impl<R: Base> Player<R> {
    fn turn(&mut self) -> u32 {
        self.score += self.rng.below(6);
        self.score
    }
}

#[routine]
trait Strategy {
    fn pick<R: Base>(&self, rng: &mut R) -> u32;
}

#[derive(VmType, Clone, Copy)]
struct Lazy(u32);

#[routine]
impl Strategy for Lazy {
    fn pick<R: Base>(&self, rng: &mut R) -> u32 {
        rng.below(self.0)
    }
}

#[routine]
fn play<S: Strategy>(strategy: &S, rng: &mut impl Base) -> u32 {
    strategy.pick(rng) + rng.below(2)
}

#[routine]
fn games(a: u32) -> (u32, u32, u32) {
    let mut rng = Lcg(a);
    let mut player = Player { rng, score: 0 };
    player.turn();
    (rng.play() + rng.end(), player.turn(), play(&Lazy(9), &mut rng))
}

#[routine]
trait Squares: Iterator<Item = u32> + Sized {
    fn sum_of_squares(self) -> u32 {
        self.map(|x| x * x).sum()
    }
}

#[routine]
impl<I: Iterator<Item = u32>> Squares for I {}

#[routine]
fn squares_and_count<I: Iterator<Item = u32> + Clone>(items: I) -> u32 {
    items.clone().sum_of_squares() + items.count() as u32
}

#[routine]
fn sums_of_squares(a: u32) -> u32 {
    squares_and_count((0..a % 20).filter(|x| x % 3 == 1)) + (0..5).sum_of_squares()
}

#[derive(VmType, Clone, Copy)]
struct Pairs<I: Iterator> {
    inner: I,
}

#[routine]
impl<I: Iterator<Item = u32>> Iterator for Pairs<I> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        Some((self.inner.next()?, self.inner.next()?))
    }
}

#[routine]
trait InPairs: Iterator<Item = u32> {
    fn pairs(self) -> Pairs<Self>
    where
        Self: Sized,
    {
        Pairs { inner: self }
    }
}

#[routine]
impl<I: Iterator<Item = u32>> InPairs for I {}

#[routine]
fn pairs_of_items(a: u32) -> u32 {
    let list = [a % 10, 3, 4, 5, 6];
    let products: u32 = list.iter().copied().pairs().map(|(a, b)| a * b).sum();
    products + (0..a % 9).pairs().count() as u32
}
