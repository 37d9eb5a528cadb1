//! Random chains of iterators: a source, a few adaptors, and what becomes of it all. None gives more than a few dozen items.

use crate::items::Item;
use crate::types::Ty;
use crate::writer::{Capture, Writer};

/// A chain so far.
pub struct Chain {
    /// As it is written.
    pub text: String,
    /// What it gives.
    pub item: Item,
    /// If it can be walked from behind.
    pub reversible: bool,
    /// If its length is known, so that positions can be counted from behind.
    pub exact: bool,
}

impl Writer<'_> {
    /// An iterator with up to three adaptors. What it borrows stays lent.
    pub fn chain(&mut self, depth: usize) -> Chain {
        let mut chain = self.source(depth);
        if self.rng.chance(12) {
            chain = self.zipped(chain, depth);
        }
        for _ in 0..self.rng.below(4) {
            chain = self.adapted(chain, depth.min(1));
        }
        chain
    }

    /// Two sources side by side. What closures see comes after it: how far std's `zip` goes in the longer of the two is its own affair.
    fn zipped(&mut self, a: Chain, depth: usize) -> Chain {
        let a = if a.reversible && self.rng.chance(30) {
            Chain {
                text: format!("{}.rev()", a.text),
                ..a
            }
        } else {
            a
        };
        let b = self.source(depth);
        let exact = a.exact && b.exact;
        Chain {
            text: format!("{}.zip({})", a.text, b.text),
            item: Item::Pair(Box::new(a.item), Box::new(b.item)),
            reversible: exact && a.reversible && b.reversible,
            exact,
        }
    }

    /// Where a chain starts.
    fn source(&mut self, depth: usize) -> Chain {
        let u32s = Ty::Scalar("u32");
        let chain = |text: String, item: Item, reversible: bool, exact: bool| Chain {
            text,
            item,
            reversible,
            exact,
        };
        let small = depth.min(1);
        match self.rng.below(16) {
            0 => self.counting(),
            1 => chain(
                format!("(0..({} & 7))", self.expression(&u32s, small)),
                Item::Value(u32s),
                true,
                true,
            ),
            2 => {
                let i32s = Ty::Scalar("i32");
                chain(
                    format!("(-3..=({} & 3))", self.expression(&i32s, small)),
                    Item::Value(i32s),
                    true,
                    false,
                )
            }
            3 => {
                let ty = self.scalar();
                let parts: Vec<String> = (0..1 + self.rng.below(4))
                    .map(|_| self.expression(&ty, small))
                    .collect();
                chain(
                    format!("[{}].into_iter()", parts.join(", ")),
                    Item::Value(ty),
                    true,
                    true,
                )
            }
            4 | 12 | 13 => self.walked_array().unwrap_or_else(|| self.counting()),
            5 | 6 => self.walked_slice().unwrap_or_else(|| self.counting()),
            7 => self.walked_table().unwrap_or_else(|| self.counting()),
            8 => {
                let ty = self.scalar();
                let most = self.rng.below(6);
                chain(
                    format!("std::iter::repeat({}).take({most})", self.expression(&ty, small)),
                    Item::Value(ty),
                    false,
                    false,
                )
            }
            9 => {
                let ty = self.scalar();
                chain(
                    format!("std::iter::once({})", self.expression(&ty, small)),
                    Item::Value(ty),
                    true,
                    true,
                )
            }
            10 => {
                let ty = Ty::Option(Box::new(self.scalar()));
                let text = format!("{}.into_iter()", self.expression(&ty, small));
                let Ty::Option(inner) = ty else { return self.seeded() };
                chain(text, Item::Value(*inner), true, true)
            }
            11 => self.drawn(),
            _ => self.seeded(),
        }
    }

    /// The first numbers of a type.
    fn counting(&mut self) -> Chain {
        let name = self.rng.pick(&["u32", "i32", "u8", "u64"]);
        let most = 1 + self.rng.below(12);
        Chain {
            text: format!("(0..{most}{name})"),
            item: Item::Value(Ty::Scalar(name)),
            reversible: true,
            exact: false,
        }
    }

    /// An array or a part of one, by reference.
    fn walked_array(&mut self) -> Option<Chain> {
        let mut arrays = self.variables(false);
        arrays.retain(|variable| matches!(variable.ty, Ty::Array(..)));
        if arrays.is_empty() {
            return None;
        }
        let array = self.rng.pick(&arrays);
        let Ty::Array(element, length) = array.ty else {
            return None;
        };
        let value = Item::Value(Ty::Scalar(element));
        self.note(&array.name, false);
        if self.rng.chance(30) {
            return Some(Chain {
                text: format!("{}.into_iter()", array.name),
                item: value,
                reversible: true,
                exact: true,
            });
        }
        self.lend(&array.name, false);
        let part = if self.rng.chance(40) {
            let from = self.rng.below(length);
            format!("{}[{from}..]", array.name)
        } else {
            array.name.clone()
        };
        Some(self.parts_of(&part, element))
    }

    /// A slice.
    fn walked_slice(&mut self) -> Option<Chain> {
        let mut slices = self.variables(false);
        slices.retain(|variable| matches!(variable.ty, Ty::Slice(..)));
        if slices.is_empty() {
            return None;
        }
        let slice = self.rng.pick(&slices);
        let Ty::Slice(element, _) = slice.ty else { return None };
        self.note(&slice.name, false);
        Some(self.parts_of(&slice.name, element))
    }

    /// The items, windows or chunks of a slice.
    fn parts_of(&mut self, slice: &str, element: &'static str) -> Chain {
        let size = 1 + self.rng.below(3);
        let (text, item) = match self.rng.below(6) {
            0 => (
                format!("{slice}.windows({size})"),
                Item::Value(Ty::Slice(element, size)),
            ),
            1 => (format!("{slice}.chunks({size})"), Item::Value(Ty::Slice(element, 1))),
            2 => (
                format!("{slice}.chunks_exact({size})"),
                Item::Value(Ty::Slice(element, size)),
            ),
            _ => (format!("{slice}.iter()"), Item::Value(Ty::Scalar(element)).referenced()),
        };
        Chain {
            text,
            item,
            reversible: true,
            exact: true,
        }
    }

    /// A few entries of a table.
    fn walked_table(&mut self) -> Option<Chain> {
        if self.types.tables.is_empty() {
            return None;
        }
        let table = &self.types.tables[self.rng.below(self.types.tables.len())];
        let (first, count) = (self.rng.below(table.length), 1 + self.rng.below(8));
        let text = if self.rng.chance(50) {
            format!("{}.iter().skip({first}).take({count})", table.name)
        } else {
            format!("{}[{first}..{}].iter()", table.name, (first + count).min(table.length))
        };
        Some(Chain {
            text,
            item: Item::Value(table.element.clone()).referenced(),
            reversible: true,
            exact: true,
        })
    }

    /// A sequence that each item makes the next one of.
    fn seeded(&mut self) -> Chain {
        let name = self.types.integer(self.rng);
        let ty = Ty::Scalar(name);
        let first = self.expression(&ty, 1);
        let next = self.lambda_with(
            &[Item::Value(ty.clone()).referenced()],
            &Ty::Option(Box::new(ty.clone())),
            Capture {
                moves: false,
                changes: false,
            },
            |writer| {
                let (step, more) = (writer.expression(&ty, 1), writer.condition(1));
                format!("if {more} {{ Some({step}) }} else {{ None }}")
            },
        );
        Chain {
            text: format!(
                "std::iter::successors(Some({first}), {next}).take({})",
                1 + self.rng.below(6)
            ),
            item: Item::Value(ty),
            reversible: false,
            exact: false,
        }
    }

    /// What a closure with a state of its own gives, or one that changes a local. It has ended once it gives `None`: gpuvm's `skip` and
    /// `step_by` would ask it again.
    fn drawn(&mut self) -> Chain {
        let ty = Ty::Option(Box::new(self.scalar()));
        let Ty::Option(inner) = &ty else { return self.seeded() };
        let capture = Capture {
            moves: self.rng.chance(30),
            changes: true,
        };
        let most = 1 + self.rng.below(5);
        let closure = self.closure(&ty, capture, |writer| {
            let changed = writer.scalar();
            let change = writer.mutable_variable(&changed);
            let change = change.map(|place| format!("{place} = {}; ", writer.expression(&changed, 1)));
            format!("|| {{ {}{} }}", change.unwrap_or_default(), writer.expression(&ty, 1))
        });
        Chain {
            text: format!("std::iter::from_fn({closure}).take({most})"),
            item: Item::Value((**inner).clone()),
            reversible: false,
            exact: false,
        }
    }

    /// A value of the type made of a whole chain.
    pub fn consumed(&mut self, ty: &Ty, depth: usize) -> String {
        self.holding(|writer| {
            writer.repeated += 1;
            let mut chain = writer.chain(depth);
            let wanted = match ty {
                Ty::Option(inner) => inner,
                other => other,
            };
            // What is chosen among the items is of their type.
            if chain.item.value() != Some(wanted) && writer.rng.chance(40) {
                let mapped = writer.lambda(&[chain.item], wanted, depth.min(1));
                chain.text = format!("{}.map({mapped})", chain.text);
                chain.item = Item::Value(wanted.clone());
            }
            writer.repeated -= 1;
            writer.consumer(chain, ty, depth.min(1))
        })
    }

    /// An array whose elements a closure makes, of positions or of another array's elements.
    pub fn array_of_closure(&mut self, element: &Ty, length: usize, depth: usize) -> String {
        let mut arrays = self.variables(false);
        arrays.retain(|array| matches!(array.ty, Ty::Array(_, other) if other == length));
        if !arrays.is_empty() && self.rng.chance(50) {
            let array = self.rng.pick(&arrays);
            if let Ty::Array(from, _) = array.ty {
                self.note(&array.name, false);
                let from = Item::Value(Ty::Scalar(from));
                let closure = self.holding(|writer| writer.lambda(&[from], element, depth));
                return format!("{}.map({closure})", array.name);
            }
        }
        let closure = self.holding(|writer| writer.lambda(&[Item::index()], element, depth));
        format!("std::array::from_fn::<_, {length}, _>({closure})")
    }

    fn consumer(&mut self, chain: Chain, ty: &Ty, depth: usize) -> String {
        let own = chain.item.value() == Some(ty);
        match ty {
            Ty::Scalar("bool") if self.rng.chance(60) => {
                let test = self.rng.pick(&["any", "all"]);
                format!("{}.{test}({})", chain.text, self.lambda(&[chain.item], ty, depth))
            }
            Ty::Scalar(name) if ty.is_integer() && self.rng.chance(40) => self.counted(chain, name, depth),
            Ty::Scalar(name) if ty.is_float() && self.rng.chance(30) => {
                let mapped = self.lambda(&[chain.item], ty, depth);
                let sum = self.rng.pick(&["sum", "product"]);
                format!("{}.map({mapped}).{sum}::<{name}>()", chain.text)
            }
            Ty::Option(inner) if chain.item.value() == Some(&**inner) => self.chosen(chain, inner, depth),
            Ty::Option(inner) | Ty::Result(inner, _) if inner.is_integer() && self.rng.chance(30) => {
                let mapped = self.lambda(&[chain.item], ty, depth);
                let sum = self.rng.pick(&["sum", "product"]);
                format!(
                    "{}.map({mapped}).map(|x| x.map(|x| x & 3)).{sum}::<{}>()",
                    chain.text,
                    ty.name()
                )
            }
            Ty::Option(inner) if self.rng.chance(60) => {
                format!("{}.find_map({})", chain.text, {
                    let found = Ty::Option(inner.clone());
                    self.lambda(&[chain.item], &found, depth)
                })
            }
            Ty::Option(inner) | Ty::Result(inner, _) if self.rng.chance(70) => {
                let first = self.expression(inner, depth);
                let folded = Item::Value((**inner).clone());
                let closure = self.lambda(&[folded, chain.item], ty, depth);
                format!("{}.try_fold({first}, {closure})", chain.text)
            }
            _ if own && self.rng.chance(60) => {
                let chosen = self.chosen(chain, ty, depth);
                format!("{chosen}.unwrap_or({})", self.expression(ty, depth))
            }
            _ => {
                let first = self.expression(ty, depth);
                let closure = self.lambda(&[Item::Value(ty.clone()), chain.item], ty, depth);
                format!("{}.fold({first}, {closure})", chain.text)
            }
        }
    }

    /// How many items there are, where one is, or what becomes of small numbers.
    fn counted(&mut self, chain: Chain, name: &'static str, depth: usize) -> String {
        let ty = Ty::Scalar(name);
        let boolean = Ty::Scalar("bool");
        let text = chain.text;
        match self.rng.below(6) {
            0 => format!("({text}.count() as {name})"),
            1 => {
                let test = self.lambda(&[chain.item], &boolean, depth);
                format!("{text}.position({test}).map_or({}, |i| i as {name})", self.leaf(&ty))
            }
            2 | 3 => {
                let small = self.lambda_with(
                    &[chain.item],
                    &ty,
                    Capture {
                        moves: false,
                        changes: false,
                    },
                    |writer| format!("{} & 3", writer.expression(&ty, depth)),
                );
                format!("{text}.map({small}).sum::<{name}>()")
            }
            _ => {
                let mapped = self.lambda(&[chain.item], &ty, depth);
                let best = self.rng.pick(&["max", "min", "last"]);
                format!("{text}.map({mapped}).{best}().unwrap_or({})", self.leaf(&ty))
            }
        }
    }

    /// One of the items, as an `Option`.
    fn chosen(&mut self, chain: Chain, ty: &Ty, depth: usize) -> String {
        let (text, item) = (chain.text, chain.item);
        let key = Ty::Scalar(self.rng.pick(&["u32", "i32", "bool", "u8"]));
        match self.rng.below(6) {
            0 => format!("{text}.last()"),
            1 => format!("{text}.nth({})", self.rng.below(4)),
            2 => format!(
                "{text}.find({})",
                self.lambda(&[item.referenced()], &Ty::Scalar("bool"), depth)
            ),
            3 => format!("{text}.reduce({})", self.lambda(&[item.clone(), item], ty, depth)),
            4 if ty.is_ordered() => format!("{text}.{}()", self.rng.pick(&["max", "min"])),
            _ => {
                let best = self.rng.pick(&["max_by_key", "min_by_key"]);
                format!("{text}.{best}({})", self.lambda(&[item.referenced()], &key, depth))
            }
        }
    }

    /// A `for` loop or a `while let` over a chain. What the chain borrows stays lent while the body runs.
    pub fn loop_over_chain(&mut self, depth: usize) {
        let label = self.fresh("'l");
        self.enter();
        self.repeated += 1;
        let chain = self.chain(1);
        self.repeated -= 1;
        let by_hand = self.rng.chance(30);
        if by_hand {
            let name = self.fresh("it");
            self.line(&format!("let mut {name} = {};", chain.text));
            let pattern = self.pattern(&chain.item);
            self.line(&format!("{label}: while let Some({pattern}) = {name}.next() {{"));
        } else {
            let pattern = self.pattern(&chain.item);
            self.line(&format!("{label}: for {pattern} in {} {{", chain.text));
        }
        self.loop_body(label, None, depth);
        self.leave();
        self.line("}");
    }
}
