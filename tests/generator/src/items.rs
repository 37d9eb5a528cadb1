//! What an iterator or a combinator hands to a closure, and the patterns that take it apart.

use crate::types::Ty;
use crate::writer::{Capture, Writer};

/// What a closure is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A value.
    Value(Ty),
    /// A reference.
    Reference(Box<Item>),
    /// A pair of what two iterators give.
    Pair(Box<Item>, Box<Item>),
}

/// How the item reaches the pattern.
#[derive(Clone, Copy, PartialEq)]
enum Reached {
    /// By itself.
    Directly,
    /// Through references that the pattern did not name, so that every name in it is a reference too.
    Implied(usize),
}

impl Item {
    /// A reference to what is given.
    pub fn referenced(self) -> Item {
        Item::Reference(Box::new(self))
    }

    /// An iterator's position.
    pub fn index() -> Item {
        Item::Value(Ty::Scalar("usize"))
    }

    /// Its type, if it is a value that a routine may compute with.
    pub fn value(&self) -> Option<&Ty> {
        match self {
            Item::Value(Ty::Slice(..) | Ty::Scalar("usize")) => None,
            Item::Value(ty) => Some(ty),
            _ => None,
        }
    }
}

impl Writer<'_> {
    /// `|patterns| expression`, with what it captures lent until the caller lets go of it.
    pub fn lambda(&mut self, items: &[Item], result: &Ty, depth: usize) -> String {
        let capture = Capture {
            moves: self.rng.chance(10),
            changes: self.rng.chance(20),
        };
        self.lambda_with(items, result, capture, |writer| writer.expression(result, depth))
    }

    /// The same with a body of its own.
    pub fn lambda_with(
        &mut self,
        items: &[Item],
        result: &Ty,
        capture: Capture,
        body: impl FnOnce(&mut Self) -> String,
    ) -> String {
        self.closure(result, capture, |writer| {
            let patterns: Vec<String> = items.iter().map(|item| writer.pattern(item)).collect();
            format!("|{}| {}", patterns.join(", "), body(writer))
        })
    }

    /// A pattern that takes the item and names its parts.
    pub fn pattern(&mut self, item: &Item) -> String {
        self.pattern_of(item, Reached::Directly)
    }

    fn pattern_of(&mut self, item: &Item, reached: Reached) -> String {
        match (item, reached) {
            (Item::Pair(a, b), _) => {
                format!("({}, {})", self.pattern_of(a, reached), self.pattern_of(b, reached))
            }
            (Item::Value(Ty::Tuple(parts)), _) if self.rng.chance(60) => {
                let parts = parts.iter().map(|part| Item::Value(part.clone()));
                let parts: Vec<String> = parts.map(|part| self.pattern_of(&part, reached)).collect();
                format!("({})", parts.join(", "))
            }
            (Item::Reference(inner), Reached::Directly) => {
                // A pattern with `&` takes a copy; a pair's without it gives references to its parts.
                let copies = self.rng.chance(40);
                match (&**inner, copies) {
                    (_, true) => format!("&{}", self.pattern_of(inner, Reached::Directly)),
                    (Item::Pair(..), false) => self.pattern_of(inner, Reached::Implied(1)),
                    (_, false) => self.name(item, 0),
                }
            }
            (_, Reached::Directly) => self.name(item, 0),
            (_, Reached::Implied(references)) => self.name(item, references),
        }
    }

    /// A name for the item, which so many more references lie before.
    fn name(&mut self, item: &Item, references: usize) -> String {
        let (mut inner, mut references) = (item, references);
        while let Item::Reference(of) = inner {
            (inner, references) = (of, references + 1);
        }
        let name = self.fresh("v");
        if let Item::Value(ty) = inner {
            // A slice is indexed through any number of references.
            let place = match (ty, references) {
                (Ty::Slice(..), _) | (_, 0) => name.clone(),
                _ => format!("({}{name})", "*".repeat(references)),
            };
            self.bring_into_scope(&place, ty, false);
        }
        name
    }
}
