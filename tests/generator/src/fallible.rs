//! Random `Option`s and `Result`s: made, combined, tested, and left by `?`.

use crate::items::Item;
use crate::types::Ty;
use crate::writer::Writer;

impl Writer<'_> {
    /// An `Option` of the type.
    pub fn option(&mut self, inner: &Ty, depth: usize) -> String {
        let ty = Ty::Option(Box::new(inner.clone()));
        let Some(less) = depth.checked_sub(1) else {
            return if self.rng.chance(70) {
                format!("Some({})", self.leaf(inner))
            } else {
                format!("None::<{}>", inner.name())
            };
        };
        let small = less.min(1);
        match self.rng.below(16) {
            0..=2 => format!("Some({})", self.expression(inner, less)),
            3 if inner.is_integer() => {
                let op = self.rng.pick(&["add", "sub", "mul", "div", "rem"]);
                format!(
                    "{}.checked_{op}({})",
                    self.expression(inner, less),
                    self.expression(inner, small)
                )
            }
            4 | 5 => {
                let from = self.scalar();
                let option = self.expression(&Ty::Option(Box::new(from.clone())), less);
                let (method, given) = if self.rng.chance(50) {
                    ("map", inner)
                } else {
                    ("and_then", &ty)
                };
                self.with_closure(&option, method, &[Item::Value(from)], given, small)
            }
            6 => {
                let option = self.expression(&ty, less);
                let seen = Item::Value(inner.clone()).referenced();
                self.with_closure(&option, "filter", &[seen], &Ty::Scalar("bool"), small)
            }
            7 => {
                let option = self.expression(&ty, less);
                self.with_closure(&option, "or_else", &[], &ty, small)
            }
            8 => {
                let method = self.rng.pick(&["or", "xor"]);
                format!(
                    "{}.{method}({})",
                    self.expression(&ty, less),
                    self.expression(&ty, small)
                )
            }
            9 if !self.types.errors.is_empty() => {
                let error = self.rng.pick(&self.types.errors);
                format!(
                    "{}.ok()",
                    self.expression(&Ty::Result(Box::new(inner.clone()), error), less)
                )
            }
            10 => {
                let condition = self.condition(1);
                self.with_closure(&condition, "then", &[], inner, small)
            }
            11 => format!("{}.then_some({})", self.condition(1), self.expression(inner, small)),
            12 => self.looked_up(inner).unwrap_or_else(|| self.leaf(&ty)),
            13 => self.changed_in_place(&ty, inner).unwrap_or_else(|| self.leaf(&ty)),
            14 => match inner {
                Ty::Tuple(parts) if parts.len() == 2 => {
                    let options = parts.iter().map(|part| Ty::Option(Box::new(part.clone())));
                    let options: Vec<String> = options.map(|option| self.expression(&option, small)).collect();
                    format!("{}.zip({})", options[0], options[1])
                }
                _ => self.expression(&ty, less),
            },
            _ => self.question(&ty, less).unwrap_or_else(|| self.leaf(&ty)),
        }
    }

    /// A `Result` of the type and the module's error of that number.
    pub fn result(&mut self, inner: &Ty, error: usize, depth: usize) -> String {
        let ty = Ty::Result(Box::new(inner.clone()), error);
        let failure = Ty::Enum(error);
        let Some(less) = depth.checked_sub(1) else {
            let (variant, value) = if self.rng.chance(70) {
                ("Ok", self.leaf(inner))
            } else {
                ("Err", self.leaf(&failure))
            };
            return format!("{variant}::<{}, {}>({value})", inner.name(), failure.name());
        };
        let small = less.min(1);
        match self.rng.below(12) {
            0..=2 => format!(
                "Ok::<{}, {}>({})",
                inner.name(),
                failure.name(),
                self.expression(inner, less)
            ),
            3 => format!(
                "Err::<{}, {}>({})",
                inner.name(),
                failure.name(),
                self.expression(&failure, less)
            ),
            4 | 5 => {
                let option = self.expression(&Ty::Option(Box::new(inner.clone())), less);
                if self.rng.chance(50) {
                    format!("{option}.ok_or({})", self.expression(&failure, small))
                } else {
                    self.with_closure(&option, "ok_or_else", &[], &failure, small)
                }
            }
            6 | 7 => {
                let from = self.scalar();
                let result = self.expression(&Ty::Result(Box::new(from.clone()), error), less);
                let (method, given) = if self.rng.chance(50) {
                    ("map", inner)
                } else {
                    ("and_then", &ty)
                };
                self.with_closure(&result, method, &[Item::Value(from)], given, small)
            }
            8 => {
                let other = self.rng.pick(&self.types.errors);
                let result = self.expression(&Ty::Result(Box::new(inner.clone()), other), less);
                let (method, given) = if self.rng.chance(50) {
                    ("map_err", &failure)
                } else {
                    ("or_else", &ty)
                };
                self.with_closure(&result, method, &[Item::Value(Ty::Enum(other))], given, small)
            }
            9 => match self.types.errors[..] {
                // The conversion that `?` makes, made by name.
                [wrapped, outer] if outer == error => {
                    let result = self.expression(&Ty::Result(Box::new(inner.clone()), wrapped), less);
                    format!("{result}.map_err({})", self.rng.pick(&["E#::from", "E#::V0"]))
                        .replace("E#", &failure.name())
                }
                _ => self.leaf(&ty),
            },
            10 => self.question(&ty, less).unwrap_or_else(|| self.leaf(&ty)),
            _ => self.leaf(&ty),
        }
    }

    /// `value.method(closure)`, with nothing lent afterwards.
    fn with_closure(&mut self, value: &str, method: &str, items: &[Item], given: &Ty, depth: usize) -> String {
        let closure = self.holding(|writer| writer.lambda(items, given, depth));
        format!("{value}.{method}({closure})")
    }

    /// An element of an array or a slice that may not be there.
    fn looked_up(&mut self, inner: &Ty) -> Option<String> {
        let Ty::Scalar(element) = inner else { return None };
        let mut lists = self.variables(false);
        lists.retain(|list| matches!(list.ty, Ty::Array(of, _) | Ty::Slice(of, _) if of == *element));
        if lists.is_empty() {
            return None;
        }
        let list = self.rng.pick(&lists);
        self.note(&list.name, false);
        let method = match self.rng.below(4) {
            0 => "first()".to_string(),
            1 => "last()".to_string(),
            _ => format!("get(({} % 9) as usize)", self.expression(&Ty::Scalar("u32"), 1)),
        };
        Some(format!("{}.{method}.copied()", list.name))
    }

    /// What a method leaves of an `Option` that it changes.
    fn changed_in_place(&mut self, ty: &Ty, inner: &Ty) -> Option<String> {
        let (name, place) = self.place_in(ty, true)?;
        Some(self.holding(|writer| {
            writer.lend(&name, true);
            match writer.rng.below(3) {
                0 => format!("{place}.take()"),
                1 => format!("{place}.replace({})", writer.expression(inner, 1)),
                _ => format!("Some(*{place}.get_or_insert({}))", writer.expression(inner, 1)),
            }
        }))
    }

    /// `value?`, where what is being written gives an `Option` or a `Result`.
    pub fn question(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        if !matches!(ty, Ty::Scalar(_) | Ty::Tuple(_) | Ty::Struct(_)) {
            return None;
        }
        let given = match self.result.clone() {
            Ty::Option(_) => Ty::Option(Box::new(ty.clone())),
            Ty::Result(_, error) => {
                let mut errors = self.types.errors.clone();
                errors.retain(|other| *other <= error);
                Ty::Result(Box::new(ty.clone()), self.rng.pick(&errors))
            }
            _ => return None,
        };
        Some(format!("({}?)", self.expression(&given, depth)))
    }

    /// An `Option` or a `Result` that may hold the type.
    fn holder(&mut self, inner: &Ty) -> Ty {
        if self.types.errors.is_empty() || self.rng.chance(50) {
            Ty::Option(Box::new(inner.clone()))
        } else {
            Ty::Result(Box::new(inner.clone()), self.rng.pick(&self.types.errors))
        }
    }

    /// Any value, made of an `Option` or a `Result`.
    pub fn unwrapped(&mut self, ty: &Ty, depth: usize) -> String {
        let small = depth.min(1);
        if matches!(ty, Ty::Option(_) | Ty::Result(..)) {
            return self.composite(ty, depth);
        }
        if self.rng.chance(40)
            && let Some(value) = self.question(ty, depth)
        {
            return value;
        }
        let same = matches!(ty, Ty::Scalar(_) | Ty::Tuple(_) | Ty::Struct(_)) && self.rng.chance(50);
        let inner = if same { ty.clone() } else { self.scalar() };
        let holder = self.holder(&inner);
        let value = self.expression(&holder, depth);
        let failure: Vec<Item> = match &holder {
            Ty::Result(_, error) => vec![Item::Value(Ty::Enum(*error))],
            _ => Vec::new(),
        };
        let held = Item::Value(inner.clone());
        let predicates = match &holder {
            Ty::Option(_) => ["is_some_and", "is_some", "is_none"],
            _ => ["is_ok_and", "is_ok", "is_err"],
        };
        match self.rng.below(8) {
            0 | 1 if same => format!("{value}.unwrap_or({})", self.expression(ty, small)),
            2 if same => self.with_closure(&value, "unwrap_or_else", &failure, ty, small),
            3 if *ty == Ty::Scalar("bool") => {
                if self.rng.chance(50) {
                    self.with_closure(&value, predicates[0], &[held], ty, small)
                } else {
                    format!("{value}.{}()", self.rng.pick(&predicates[1..]))
                }
            }
            4 => {
                let otherwise = self.expression(ty, small);
                let closure = self.holding(|writer| writer.lambda(&[held], ty, small));
                format!("{value}.map_or({otherwise}, {closure})")
            }
            5 => self.holding(|writer| {
                let otherwise = writer.lambda(&failure, ty, small);
                let closure = writer.lambda(&[held], ty, small);
                format!("{value}.map_or_else({otherwise}, {closure})")
            }),
            _ => self.taken_apart(&value, &holder, ty, small),
        }
    }

    /// A `match` or an `if let` on an `Option` or a `Result`.
    fn taken_apart(&mut self, value: &str, holder: &Ty, ty: &Ty, depth: usize) -> String {
        let arm = |writer: &mut Self, of: &Ty| {
            writer.enter();
            let pattern = writer.pattern(&Item::Value(of.clone()));
            let body = writer.expression(ty, depth);
            writer.leave();
            (pattern, body)
        };
        match holder {
            Ty::Result(inner, error) => {
                let (held, then) = arm(self, inner);
                let (failed, otherwise) = arm(self, &Ty::Enum(*error));
                format!("(match {value} {{ Ok({held}) => {then}, Err({failed}) => {otherwise} }})")
            }
            Ty::Option(inner) => {
                let (held, then) = arm(self, inner);
                let otherwise = self.expression(ty, depth);
                if self.rng.chance(50) {
                    format!("(if let Some({held}) = {value} {{ {then} }} else {{ {otherwise} }})")
                } else {
                    format!("(match {value} {{ None => {otherwise}, Some({held}) => {then} }})")
                }
            }
            _ => self.leaf(ty),
        }
    }

    /// A local that holds what an `Option` or a `Result` holds, or else the routine or the loop is left.
    pub fn let_else(&mut self) {
        let inner = self.scalar();
        if self.rng.chance(25) {
            let holder = self.types.fallible(self.rng);
            let value = self.expression(&holder, 2);
            let name = self.declare(&holder, true);
            return self.line(&format!("let mut {name}: {} = {value};", holder.name()));
        }
        if self.rng.chance(50)
            && let Some(value) = self.question(&inner, 2)
        {
            let name = self.declare(&inner, true);
            return self.line(&format!("let mut {name}: {} = {value};", inner.name()));
        }
        let holder = self.holder(&inner);
        let value = self.expression(&holder, 2);
        let exit = self.exit();
        let name = self.declare(&inner, false);
        let variant = if matches!(holder, Ty::Option(_)) { "Some" } else { "Ok" };
        self.line(&format!("let {variant}({name}) = ({value}) else {{ {exit} }};"));
    }
}
