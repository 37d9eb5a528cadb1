//! What the writer of one routine knows: the locals, closures and loops in scope, and what is borrowed by what, so that whatever it
//! writes satisfies rustc's types and its borrow checker.

use crate::methods::Receiver;
use crate::rng::Rng;
use crate::types::{Signature, Ty, Types};

/// How a helper takes a parameter.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    /// By value.
    Value,
    /// As `&mut T`.
    Mutable,
    /// As `&[T]`, where the type is an array.
    Slice,
    /// As a number that falls with each call of itself, so that a recursion ends.
    Fuel,
}

/// How a helper takes a closure.
#[derive(Clone, Copy, PartialEq)]
pub enum Form {
    /// As `f: impl Fn(A) -> B`.
    Impl,
    /// As `f: F`, with `F: Fn(A) -> B` below.
    Generic,
    /// As `f: &impl Fn(A) -> B`.
    Reference,
}

/// How a closure captures.
#[derive(Clone, Copy)]
pub struct Capture {
    /// Copies what it names.
    pub moves: bool,
    /// May change what it names, or its copies.
    pub changes: bool,
}

/// A helper that may be called.
#[derive(Clone)]
pub struct Helper {
    pub name: String,
    pub params: Vec<(Ty, Mode)>,
    /// A last parameter that is a closure.
    pub closure: Option<(Signature, Form)>,
    pub result: Ty,
    /// What it is called on, if it is a method.
    pub receiver: Option<Receiver>,
}

impl Helper {
    /// If it takes values alone, so that its path will do where a closure is asked for.
    pub fn is_plain(&self) -> bool {
        self.closure.is_none() && self.params.iter().all(|(_, mode)| *mode == Mode::Value)
    }
}

/// A local that is in scope.
#[derive(Clone)]
pub struct Variable {
    /// Its name, or how what it refers to is written.
    pub name: String,
    pub ty: Ty,
    pub mutable: bool,
}

/// A closure that is in scope.
#[derive(Clone)]
pub struct Callable {
    pub name: String,
    pub signature: Signature,
}

/// A loop that encloses what is being written.
#[derive(Clone)]
pub struct Label {
    pub name: String,
    /// The type of the loop's value, for a `loop` that has one.
    pub value: Option<Ty>,
}

/// What may not be done with a local while something borrows it.
#[derive(Clone, PartialEq)]
pub struct Lock {
    name: String,
    /// If it may not even be read.
    unique: bool,
}

#[derive(Default)]
struct Scope {
    variables: Vec<Variable>,
    closures: Vec<Callable>,
    /// How many locks there were before.
    locks: usize,
}

/// Writes one routine.
pub struct Writer<'m> {
    pub rng: &'m mut Rng,
    pub types: &'m Types,
    pub helpers: &'m [Helper],
    pub methods: &'m [Helper],
    /// Itself and its partner, if it is recursive.
    pub recursive: Vec<Helper>,
    /// How often it may still call them.
    pub recursions: usize,
    pub out: String,
    pub result: Ty,
    pub labels: Vec<Label>,
    /// How many loops and closures enclose what is being written: what is in them may run often.
    pub repeated: usize,
    /// How many of the outermost scopes must not be assigned: something borrows them, or a closure that is an `Fn` is being written.
    frozen: usize,
    scopes: Vec<Scope>,
    locks: Vec<Lock>,
    /// What was named so far, and if it was changed.
    uses: Vec<(String, bool)>,
    names: usize,
}

impl<'m> Writer<'m> {
    /// For a routine that gives the type, and may call these helpers and these methods.
    pub fn new(rng: &'m mut Rng, types: &'m Types, [helpers, methods]: [&'m [Helper]; 2], result: Ty) -> Writer<'m> {
        Writer {
            rng,
            types,
            helpers,
            methods,
            recursive: Vec::new(),
            recursions: 0,
            out: String::new(),
            result,
            labels: Vec::new(),
            repeated: 0,
            frozen: 0,
            scopes: vec![Scope::default()],
            locks: Vec::new(),
            uses: Vec::new(),
            names: 0,
        }
    }

    /// Any scalar of the module.
    pub fn scalar(&mut self) -> Ty {
        self.types.scalar(self.rng)
    }

    /// Any type of the module.
    pub fn random_type(&mut self) -> Ty {
        self.types.random_type(self.rng)
    }

    /// Writes one line of the body.
    pub fn line(&mut self, text: &str) {
        self.out += &"    ".repeat(self.scopes.len());
        self.out += text;
        self.out.push('\n');
    }

    /// A name that the routine has not used yet.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A new local in the innermost scope.
    pub fn declare(&mut self, ty: &Ty, mutable: bool) -> String {
        let name = self.fresh("v");
        self.bring_into_scope(&name, ty, mutable);
        name
    }

    /// Makes a local that was named before usable.
    pub fn bring_into_scope(&mut self, name: &str, ty: &Ty, mutable: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.variables.push(Variable {
                name: name.to_string(),
                ty: ty.clone(),
                mutable,
            });
        }
    }

    /// Makes a closure callable.
    pub fn bring_closure_into_scope(&mut self, name: &str, signature: &Signature) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.closures.push(Callable {
                name: name.to_string(),
                signature: signature.clone(),
            });
        }
    }

    /// Opens a scope.
    pub fn enter(&mut self) {
        self.scopes.push(Scope {
            locks: self.locks.len(),
            ..Scope::default()
        });
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            self.locks.truncate(scope.locks);
        }
    }

    /// Writes something during which nothing in scope is assigned, because references to it are alive.
    pub fn borrowing<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.frozen, self.scopes.len());
        let written = write(self);
        self.frozen = outer;
        written
    }

    /// Writes something that holds on to what it borrows, and lets go of it.
    pub fn holding<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.locks.len();
        let written = write(self);
        self.locks.truncate(before);
        written
    }

    /// Lends a local until the innermost scope is left, or until what holds on to its borrows has been written.
    pub fn lend(&mut self, name: &str, unique: bool) {
        self.locks.push(Lock {
            name: name.to_string(),
            unique,
        });
    }

    /// Writes a closure whose body gives the type, in a scope of its own. What it captures by reference stays lent.
    pub fn closure(&mut self, result: &Ty, capture: Capture, write: impl FnOnce(&mut Self) -> String) -> String {
        let (labels, outer) = (std::mem::take(&mut self.labels), self.result.clone());
        let (frozen, named, locks) = (self.frozen, self.uses.len(), self.locks.len());
        self.result = result.clone();
        self.repeated += 1;
        if !capture.changes {
            self.frozen = self.scopes.len();
        }
        if capture.moves {
            self.lock_what_cannot_be_copied();
        }
        self.enter();
        let written = write(self);
        self.leave();
        self.locks.truncate(locks);
        self.repeated -= 1;
        (self.labels, self.result, self.frozen) = (labels, outer, frozen);
        if capture.moves {
            return format!("move {written}");
        }
        let captured: Vec<(String, bool)> = self.uses[named..]
            .iter()
            .filter(|(name, _)| self.is_in_scope(name))
            .cloned()
            .collect();
        for (name, unique) in captured {
            self.lend(&name, unique);
        }
        written
    }

    /// Closures and references that may change something would be moved into a closure, and gone.
    fn lock_what_cannot_be_copied(&mut self) {
        let scopes = self.scopes.iter();
        let closures = scopes
            .clone()
            .flat_map(|scope| &scope.closures)
            .map(|closure| closure.name.clone());
        let references = scopes
            .flat_map(|scope| &scope.variables)
            .filter(|variable| variable.mutable && variable.name.starts_with('('))
            .map(|variable| variable.name.clone());
        let names: Vec<String> = closures.chain(references).collect();
        for name in names {
            self.lend(&name, true);
        }
    }

    fn is_in_scope(&self, name: &str) -> bool {
        let mut scopes = self.scopes.iter();
        scopes.any(|scope| {
            scope.variables.iter().any(|variable| variable.name == name)
                || scope.closures.iter().any(|closure| closure.name == name)
        })
    }

    /// Notes that something was named.
    pub fn note(&mut self, name: &str, changed: bool) {
        self.uses.push((name.to_string(), changed));
    }

    /// The locals that may be read, or changed.
    pub fn variables(&self, changed: bool) -> Vec<Variable> {
        let scopes = self.scopes.iter().enumerate();
        scopes
            .filter(|(at, _)| !changed || *at >= self.frozen)
            .flat_map(|(_, scope)| &scope.variables)
            .filter(|variable| (variable.mutable || !changed) && self.is_free(&variable.name, changed))
            .cloned()
            .collect()
    }

    /// The closures that may be called.
    pub fn closures(&self) -> Vec<Callable> {
        let scopes = self.scopes.iter().enumerate();
        scopes
            .flat_map(|(at, scope)| scope.closures.iter().map(move |closure| (at, closure)))
            .filter(|(at, closure)| {
                let changes = closure.signature.mutable;
                (!changes || *at >= self.frozen) && self.is_free(&closure.name, changes)
            })
            .map(|(_, closure)| closure.clone())
            .collect()
    }

    fn is_free(&self, name: &str, changed: bool) -> bool {
        !self
            .locks
            .iter()
            .any(|lock| lock.name == name && (changed || lock.unique))
    }

    /// A place of the type in some variable or table.
    pub fn variable(&mut self, ty: &Ty) -> Option<String> {
        self.place(ty, false)
    }

    /// A place of the type that may be assigned.
    pub fn mutable_variable(&mut self, ty: &Ty) -> Option<String> {
        self.place(ty, true)
    }

    /// A place of the type in some variable, which is named with it.
    pub fn place_in(&mut self, ty: &Ty, changed: bool) -> Option<(String, String)> {
        let (name, place) = self.pick_place(ty, changed)?;
        Some((name, self.with_indices(&place)))
    }

    fn place(&mut self, wanted: &Ty, changed: bool) -> Option<String> {
        let mut places = Vec::new();
        for table in &self.types.tables {
            self.collect_places(
                &format!("{}[#{}]", table.name, table.length),
                &table.element,
                wanted,
                &mut places,
            );
        }
        if !changed && !places.is_empty() && self.rng.chance(25) {
            let place = self.rng.pick(&places);
            return Some(self.with_indices(&place));
        }
        let (_, place) = self.pick_place(wanted, changed)?;
        Some(self.with_indices(&place))
    }

    fn pick_place(&mut self, wanted: &Ty, changed: bool) -> Option<(String, String)> {
        let mut places = Vec::new();
        for variable in self.variables(changed) {
            let within = self.places_within(&variable, wanted);
            places.extend(within.into_iter().map(|place| (variable.name.clone(), place)));
        }
        if places.is_empty() {
            return None;
        }
        let (name, place) = self.rng.pick(&places);
        self.note(&name, changed);
        Some((name, dereferenced(place)))
    }

    /// A place of the type within the variable.
    pub fn place_within(&mut self, variable: &Variable, wanted: &Ty) -> Option<String> {
        let places = self.places_within(variable, wanted);
        if places.is_empty() {
            return None;
        }
        let place = dereferenced(self.rng.pick(&places));
        Some(self.with_indices(&place))
    }

    fn places_within(&self, variable: &Variable, wanted: &Ty) -> Vec<String> {
        let mut places = Vec::new();
        self.collect_places(&variable.name, &variable.ty, wanted, &mut places);
        places
    }

    /// All places of a type within one; the element of an array is written `[#length]`.
    fn collect_places(&self, path: &str, ty: &Ty, wanted: &Ty, places: &mut Vec<String>) {
        if ty == wanted {
            places.push(path.to_string());
        }
        match ty {
            Ty::Tuple(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    self.collect_places(&format!("{path}.{i}"), part, wanted, places);
                }
            }
            Ty::Struct(s) => {
                for (f, field) in self.types.structs[*s].iter().enumerate() {
                    self.collect_places(&format!("{path}.f{f}"), field, wanted, places);
                }
            }
            Ty::Array(element, length) => {
                self.collect_places(&format!("{path}[#{length}]"), &Ty::Scalar(element), wanted, places);
            }
            Ty::Slice(element, least) if *least > 0 => {
                self.collect_places(&format!("{path}[#{least}]"), &Ty::Scalar(element), wanted, places);
            }
            Ty::Scalar(_) | Ty::Slice(..) | Ty::Enum(_) | Ty::Option(_) | Ty::Result(..) => {}
        }
    }

    /// Puts an index into each `[#length]`: a constant or a variable, made to be in range but for one in fifty.
    fn with_indices(&mut self, place: &str) -> String {
        let Some((before, rest)) = place.split_once("[#") else {
            return place.to_string();
        };
        let (length, after) = rest.split_once(']').unwrap_or((rest, ""));
        let length: usize = length.parse().unwrap_or(1);
        let mut numbers = self.variables(false);
        numbers.retain(|variable| matches!(variable.ty, Ty::Scalar("u32" | "usize")));
        let index = if numbers.is_empty() || self.rng.chance(30) {
            self.rng.below(length).to_string()
        } else {
            let number = self.rng.pick(&numbers);
            self.note(&number.name, false);
            let (name, cast) = match number.ty {
                Ty::Scalar("usize") => (number.name, ""),
                _ => (number.name, " as usize"),
            };
            if self.rng.chance(2) {
                format!("({name} % {}){cast}", length + 1)
            } else if length.is_power_of_two() {
                format!("({name} & {}){cast}", length - 1)
            } else {
                format!("({name} % {length}){cast}")
            }
        };
        let after = self.with_indices(after);
        format!("{before}[{index}]{after}")
    }
}

/// `v.f0` for `(*v).f0`, as a person writes it.
fn dereferenced(place: String) -> String {
    match place.split_once(')') {
        Some((reference, part)) if reference.starts_with("(*") && part.starts_with(['.', '[']) => {
            format!("{}{part}", reference.trim_start_matches(['(', '*']))
        }
        _ => place,
    }
}
