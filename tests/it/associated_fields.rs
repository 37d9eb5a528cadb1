//! Types with fields of types that a type parameter has by its trait: `struct Digests<C: Compress> { state: C::State }`.

use gpuvm::prelude::*;

cases! {
    few: fields_of_states, fields_of_lists, fields_of_views,
}

#[routine]
trait Compress {
    type State: Copy + Default;
    const ROUNDS: u32;
    fn mix(state: &mut Self::State, word: u32);
    fn finish(state: &Self::State) -> u32;
}

#[derive(VmType, Clone, Copy)]
struct Fnv;
#[derive(VmType, Clone, Copy)]
struct Twin;

#[routine]
impl Compress for Fnv {
    type State = u32;
    const ROUNDS: u32 = 1;
    fn mix(state: &mut u32, word: u32) {
        *state = (*state ^ word).wrapping_mul(16_777_619);
    }
    fn finish(state: &u32) -> u32 {
        *state
    }
}

#[routine]
impl Compress for Twin {
    type State = (u32, u32);
    const ROUNDS: u32 = 2;
    fn mix(state: &mut (u32, u32), word: u32) {
        state.0 = state.0.wrapping_add(word);
        state.1 = state.1.rotate_left(3) ^ state.0;
    }
    fn finish(state: &(u32, u32)) -> u32 {
        state.0 ^ state.1
    }
}

#[derive(VmType)]
struct Digests<C: Compress> {
    length: u64,
    state: C::State,
}

#[routine]
impl<C: Compress> Digests<C> {
    fn new() -> Self {
        Digests {
            length: 0,
            state: C::State::default(),
        }
    }

    fn update(&mut self, words: &[u32]) {
        for word in words {
            for _ in 0..C::ROUNDS {
                C::mix(&mut self.state, *word);
            }
            self.length += 4;
        }
    }

    fn finish(self) -> u32 {
        C::finish(&self.state) ^ self.length as u32
    }
}

#[routine]
fn digest<C: Compress>(words: &[u32]) -> u32 {
    let mut digests = Digests::<C>::new();
    digests.update(words);
    digests.finish()
}

#[routine]
fn fields_of_states(a: u32, b: u32) -> (u32, u32) {
    let words = [a, b, a ^ b];
    (digest::<Fnv>(&words), digest::<Twin>(&words))
}

#[routine]
trait Grid: Copy {
    type Cell: Copy + PartialEq + Default;
    const EMPTY: Self::Cell;
    fn next(cell: Self::Cell, around: u32) -> Self::Cell;
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Life;

#[routine]
impl Grid for Life {
    type Cell = bool;
    const EMPTY: bool = false;
    fn next(cell: bool, around: u32) -> bool {
        around == 2 || cell && around == 1
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct World<G: Grid, const N: usize> {
    cells: [G::Cell; N],
    age: u32,
}

#[routine]
impl<G: Grid, const N: usize> World<G, N> {
    fn empty() -> Self {
        World {
            cells: [G::EMPTY; N],
            age: 0,
        }
    }

    fn count(&self) -> u32 {
        self.cells.iter().filter(|cell| **cell != G::EMPTY).count() as u32
    }

    fn step(&self) -> Self {
        let mut next = *self;
        for i in 0..N {
            let around = [i + N - 1, i + 1, i + 2];
            let around = around.iter().filter(|j| self.cells[**j % N] != G::EMPTY).count();
            next.cells[i] = G::next(self.cells[i], around as u32);
        }
        next.age += 1;
        next
    }
}

#[derive(VmType, Clone, Copy)]
enum OneOrMany<G: Grid> {
    One(G::Cell),
    Many(u32),
}

#[routine]
fn fields_of_lists(a: u32, b: u32) -> (u32, u32) {
    let mut world = World::<Life, 12>::empty();
    for i in 0..12 {
        world.cells[i] = a >> i & 1 == 1;
    }
    let world = world.step().step();
    let seen: OneOrMany<Life> = match b % 2 {
        0 => OneOrMany::One(world.cells[0]),
        _ => OneOrMany::Many(b),
    };
    let seen = match seen {
        OneOrMany::One(cell) => u32::from(cell),
        OneOrMany::Many(number) => number,
    };
    (world.count() + world.age, seen)
}

#[routine]
trait Store<'a> {
    type View;
    fn view(&'a self) -> Self::View;
}

#[derive(VmType)]
struct Page {
    words: [u32; 4],
}

#[routine]
impl<'a> Store<'a> for Page {
    type View = &'a [u32];
    fn view(&'a self) -> &'a [u32] {
        &self.words
    }
}

#[derive(VmType)]
struct Window<'a, S: Store<'a>> {
    at: usize,
    view: S::View,
}

#[derive(VmType)]
struct Ahead<I: Iterator> {
    inner: I,
    held: Option<<I as Iterator>::Item>,
}

#[routine]
impl<I: Iterator> Iterator for Ahead<I> {
    type Item = I::Item;
    fn next(&mut self) -> Option<I::Item> {
        let next = self.inner.next();
        core::mem::replace(&mut self.held, next)
    }
}

#[routine]
fn fields_of_views(a: u32, b: u32) -> (u32, u32) {
    let page = Page { words: [a, b, 2, 3] };
    let window = Window::<Page> {
        at: b as usize % 4,
        view: page.view(),
    };
    let ahead = Ahead {
        inner: page.words.iter(),
        held: None,
    };
    (window.view[window.at], ahead.map(|x| x >> 4).sum())
}
