//! Random adaptors of iterators.

use crate::chains::Chain;
use crate::items::Item;
use crate::types::Ty;
use crate::writer::{Capture, Writer};

impl Writer<'_> {
    /// The chain with one more adaptor.
    pub fn adapted(&mut self, chain: Chain, depth: usize) -> Chain {
        let Chain {
            text,
            item,
            reversible,
            exact,
        } = chain;
        let seen = item.clone().referenced();
        let boolean = Ty::Scalar("bool");
        let number = self.rng.below(4);
        match self.rng.below(19) {
            0..=2 => {
                let ty = if self.rng.chance(80) {
                    self.scalar()
                } else {
                    self.random_type()
                };
                let text = format!("{text}.map({})", self.lambda(&[item], &ty, depth));
                let item = Item::Value(ty);
                Chain {
                    text,
                    item,
                    reversible,
                    exact,
                }
            }
            3 | 4 => {
                let text = format!("{text}.filter({})", self.lambda(&[seen], &boolean, depth));
                Chain {
                    text,
                    item,
                    reversible,
                    exact: false,
                }
            }
            5 => {
                let ty = self.scalar();
                let given = Ty::Option(Box::new(ty.clone()));
                let text = format!("{text}.filter_map({})", self.lambda(&[item], &given, depth));
                let item = Item::Value(ty);
                Chain {
                    text,
                    item,
                    reversible,
                    exact: false,
                }
            }
            6 => {
                let item = Item::Pair(Box::new(Item::index()), Box::new(item));
                let reversible = reversible && exact;
                Chain {
                    text: format!("{text}.enumerate()"),
                    item,
                    reversible,
                    exact,
                }
            }
            7..=9 if reversible => Chain {
                text: format!("{text}.rev()"),
                item,
                reversible,
                exact,
            },
            10 => Chain {
                text: format!("{text}.take({number})"),
                item,
                reversible: reversible && exact,
                exact,
            },
            11 => Chain {
                text: format!("{text}.skip({number})"),
                item,
                reversible: reversible && exact,
                exact,
            },
            12 => Chain {
                text: format!("{text}.step_by({})", number + 1),
                item,
                reversible: reversible && exact,
                exact,
            },
            13 => {
                let adaptor = self.rng.pick(&["take_while", "skip_while"]);
                let text = format!("{text}.{adaptor}({})", self.lambda(&[seen], &boolean, depth));
                Chain {
                    text,
                    item,
                    reversible: false,
                    exact: false,
                }
            }
            14 => self.lengthened(
                Chain {
                    text,
                    item,
                    reversible,
                    exact,
                },
                depth,
            ),
            15 => {
                let (ty, state) = (self.scalar(), self.scalar());
                let given = Ty::Option(Box::new(ty.clone()));
                let first = self.expression(&state, depth);
                let closure = self.closure(
                    &given,
                    Capture {
                        moves: false,
                        changes: false,
                    },
                    |writer| {
                        let name = writer.fresh("v");
                        let changed = format!("(*{name})");
                        writer.bring_into_scope(&changed, &state, true);
                        let pattern = writer.pattern(&item);
                        let next = writer.expression(&state, depth);
                        format!(
                            "|{name}, {pattern}| {{ {changed} = {next}; {} }}",
                            writer.expression(&given, depth)
                        )
                    },
                );
                let item = Item::Value(ty);
                Chain {
                    text: format!("{text}.scan({first}, {closure})"),
                    item,
                    reversible: false,
                    exact: false,
                }
            }
            16 => self.flattened(
                Chain {
                    text,
                    item,
                    reversible,
                    exact,
                },
                depth,
            ),
            17 => {
                let changed = self.scalar();
                let unit = Ty::Tuple(Vec::new());
                let closure = self.lambda_with(
                    &[seen],
                    &unit,
                    Capture {
                        moves: false,
                        changes: true,
                    },
                    |writer| {
                        let change = writer.mutable_variable(&changed);
                        let change = change.map(|place| format!("{place} = {};", writer.expression(&changed, depth)));
                        format!("{{ {} }}", change.unwrap_or_default())
                    },
                );
                Chain {
                    text: format!("{text}.inspect({closure})"),
                    item,
                    reversible,
                    exact,
                }
            }
            _ => match item {
                Item::Reference(item) => {
                    let adaptor = self.rng.pick(&["copied", "cloned"]);
                    Chain {
                        text: format!("{text}.{adaptor}()"),
                        item: *item,
                        reversible,
                        exact,
                    }
                }
                item => Chain {
                    text: format!("{text}.peekable()"),
                    item,
                    reversible,
                    exact,
                },
            },
        }
    }

    /// The chain with a few more items, if they are values.
    fn lengthened(&mut self, chain: Chain, depth: usize) -> Chain {
        let Some(ty) = chain.item.value().cloned() else {
            return chain;
        };
        let more = match self.rng.below(3) {
            0 => format!("std::iter::once({})", self.expression(&ty, depth)),
            1 => format!("Some({})", self.expression(&ty, depth)),
            _ => format!("[{}, {}]", self.expression(&ty, depth), self.expression(&ty, depth)),
        };
        Chain {
            text: format!("{}.chain({more})", chain.text),
            exact: false,
            ..chain
        }
    }

    /// The chain with up to three items in place of each.
    fn flattened(&mut self, chain: Chain, depth: usize) -> Chain {
        let ty = self.scalar();
        let capture = Capture {
            moves: false,
            changes: false,
        };
        // What it gives is no type of a routine, so that no `return` and no `?` may stand in it.
        let unit = Ty::Tuple(Vec::new());
        let closure = self.lambda_with(&[chain.item], &unit, capture, |writer| match writer.rng.below(3) {
            0 => writer.expression(&Ty::Option(Box::new(ty.clone())), depth),
            1 => format!("[{}, {}]", writer.expression(&ty, depth), writer.expression(&ty, depth)),
            _ => {
                let index = Item::Value(Ty::Scalar("u32"));
                let capture = Capture {
                    moves: true,
                    changes: false,
                };
                let inner = writer.lambda_with(&[index], &ty, capture, |writer| writer.expression(&ty, depth));
                format!("(0..3u32).map({inner})")
            }
        });
        Chain {
            text: format!("{}.flat_map({closure})", chain.text),
            item: Item::Value(ty),
            reversible: false,
            exact: false,
        }
    }
}
