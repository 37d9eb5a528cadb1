//! Random modules: types, helper routines that call each other downwards, and an entry routine with columns as parameters.
//! What comes out compiles and ends, whatever the seed: types are kept while writing, and every loop has a bound.

use crate::rng::Rng;
use crate::types::{Ty, Types, scalar};

/// How a helper takes a parameter.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    /// By value.
    Value,
    /// As `&mut T`.
    Mutable,
    /// As `&[T]`, where the type is an array.
    Slice,
}

/// A helper that may be called.
#[derive(Clone)]
pub struct Helper {
    pub name: String,
    pub params: Vec<(Ty, Mode)>,
    pub result: Ty,
}

/// A local that is in scope.
#[derive(Clone)]
struct Variable {
    name: String,
    ty: Ty,
    mutable: bool,
}

/// A loop that encloses what is being written.
#[derive(Clone)]
pub struct Label {
    pub name: String,
    /// The type of the loop's value, for a `loop` that has one.
    pub value: Option<Ty>,
}

/// Writes one routine.
pub struct Writer<'m> {
    pub rng: &'m mut Rng,
    pub types: &'m Types,
    pub helpers: &'m [Helper],
    pub out: String,
    pub result: Ty,
    pub labels: Vec<Label>,
    /// While the arguments of a call that borrows are written, nothing may be assigned.
    pub borrowing: bool,
    scopes: Vec<Vec<Variable>>,
    names: usize,
}

/// The source of one module for each of the seeds from `seed` on. The entry of each is called `random_` and its seed.
pub fn random_modules(seed: u64, count: usize) -> String {
    (seed..)
        .take(count)
        .map(|seed| {
            format!(
                "mod m{seed} {{\n{}}}\n\n",
                random_module(seed, &format!("random_{seed}"))
            )
        })
        .collect()
}

/// The body of one module. Its entry is the routine `name`, which the module's `random_cases!` lists.
pub fn random_module(seed: u64, name: &str) -> String {
    let mut rng = Rng::new(seed);
    let types = Types::random(&mut rng);
    let mut source = format!("use gpuvm::prelude::*;\n\n{}", types.source());
    let mut helpers = Vec::new();
    for h in 0..rng.below(3) {
        let helper = random_helper(&mut rng, &types, format!("helper_{h}"));
        source += &write_routine(&mut rng, &types, &helpers, &helper, 2);
        helpers.push(helper);
    }
    let params = (0..1 + rng.below(4)).map(|_| (scalar(&mut rng), Mode::Value)).collect();
    let entry = Helper {
        name: name.to_string(),
        params,
        result: types.random_type(&mut rng),
    };
    let statements = 4 + rng.below(6);
    source += &write_routine(&mut rng, &types, &helpers, &entry, statements);
    source + &format!("random_cases! {{ {name} }}\n")
}

fn random_helper(rng: &mut Rng, types: &Types, name: String) -> Helper {
    let params = (0..1 + rng.below(3))
        .map(|_| match types.random_type(rng) {
            array @ Ty::Array(..) if rng.chance(70) => (array, Mode::Slice),
            ty if rng.chance(25) => (ty, Mode::Mutable),
            ty => (ty, Mode::Value),
        })
        .collect();
    Helper {
        name,
        params,
        result: types.random_type(rng),
    }
}

fn write_routine(rng: &mut Rng, types: &Types, helpers: &[Helper], routine: &Helper, statements: usize) -> String {
    let mut writer = Writer {
        rng,
        types,
        helpers,
        out: String::new(),
        result: routine.result.clone(),
        labels: Vec::new(),
        borrowing: false,
        scopes: vec![Vec::new()],
        names: 0,
    };
    let mut params = Vec::new();
    for (p, (ty, mode)) in routine.params.iter().enumerate() {
        let written = match (mode, ty) {
            (Mode::Mutable, ty) => format!("&mut {}", ty.name()),
            (Mode::Slice, Ty::Array(element, _)) => format!("&[{element}]"),
            (_, ty) => ty.name(),
        };
        params.push(format!("p{p}: {written}"));
        // The body works on copies, so that every place in it is plain; a mutable parameter is written back at the end.
        let copy = match (mode, ty) {
            (Mode::Mutable, _) => format!("*p{p}"),
            (Mode::Slice, Ty::Array(element, length)) => writer.copied_slice(p, element, *length),
            _ => format!("p{p}"),
        };
        let name = writer.declare(ty, true);
        writer.line(&format!("let mut {name}: {} = {copy};", ty.name()));
    }
    let arguments = writer.scopes[0].clone();
    writer.statements(statements, 2);
    for (p, ((_, mode), argument)) in routine.params.iter().zip(arguments).enumerate() {
        if *mode == Mode::Mutable {
            writer.line(&format!("*p{p} = {};", argument.name));
        }
    }
    let result = writer.expression(&routine.result, 2);
    writer.line(&result);
    format!(
        "#[routine]\nfn {}({}) -> {} {{\n{}}}\n\n",
        routine.name,
        params.join(", "),
        routine.result.name(),
        writer.out
    )
}

impl Writer<'_> {
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

    /// A new local in the innermost scope; sometimes it shadows an older one.
    pub fn declare(&mut self, ty: &Ty, mutable: bool) -> String {
        let name = self.fresh("v");
        self.bring_into_scope(&name, ty, mutable);
        name
    }

    /// Makes a local that was named before usable.
    pub fn bring_into_scope(&mut self, name: &str, ty: &Ty, mutable: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(Variable {
                name: name.to_string(),
                ty: ty.clone(),
                mutable,
            });
        }
    }

    /// Opens a scope.
    pub fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        self.scopes.pop();
    }

    /// A place of the type in some variable.
    pub fn variable(&mut self, ty: &Ty) -> Option<String> {
        self.place(ty, false)
    }

    /// A place of the type that may be assigned.
    pub fn mutable_variable(&mut self, ty: &Ty) -> Option<String> {
        self.place(ty, true)
    }

    /// A call of a helper that gives the type and takes no `&mut`.
    pub fn call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let fits =
            |helper: &&Helper| helper.result == *ty && helper.params.iter().all(|(_, mode)| *mode != Mode::Mutable);
        let helpers: Vec<Helper> = self.helpers.iter().filter(fits).cloned().collect();
        if helpers.is_empty() || self.labels.len() > 1 {
            return None;
        }
        let helper = self.rng.pick(&helpers);
        let outer = std::mem::replace(&mut self.borrowing, true);
        let arguments: Vec<String> = helper
            .params
            .iter()
            .map(|(ty, mode)| match mode {
                Mode::Slice => format!("&{}", self.expression(ty, depth.min(1))),
                _ => self.expression(ty, depth.min(2)),
            })
            .collect();
        self.borrowing = outer;
        Some(format!("{}({})", helper.name, arguments.join(", ")))
    }

    fn place(&mut self, wanted: &Ty, mutable: bool) -> Option<String> {
        let mut places = Vec::new();
        for variable in self.scopes.iter().flatten() {
            if variable.mutable || !mutable {
                self.collect_places(&variable.name, &variable.ty, wanted, &mut places);
            }
        }
        if places.is_empty() {
            return None;
        }
        let place = self.rng.pick(&places);
        Some(self.with_indices(&place))
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
            Ty::Scalar(_) | Ty::Enum(_) => {}
        }
    }

    /// Puts an index into each `[#length]`: a constant or a variable, masked to be in range but for one in fifty.
    fn with_indices(&mut self, place: &str) -> String {
        let Some((before, rest)) = place.split_once("[#") else {
            return place.to_string();
        };
        let (length, after) = rest.split_once(']').unwrap_or((rest, ""));
        let length: usize = length.parse().unwrap_or(1);
        let numbers: Vec<String> = self
            .scopes
            .iter()
            .flatten()
            .filter(|variable| variable.ty == Ty::Scalar("u32"))
            .map(|variable| variable.name.clone())
            .collect();
        let index = if numbers.is_empty() || self.rng.chance(30) {
            self.rng.below(length).to_string()
        } else if self.rng.chance(2) {
            format!("({} % {}) as usize", self.rng.pick(&numbers), length + 1)
        } else {
            format!("({} & {}) as usize", self.rng.pick(&numbers), length - 1)
        };
        let after = self.with_indices(after);
        format!("{before}[{index}]{after}")
    }

    /// Copies a slice parameter into an array, however long the slice is.
    fn copied_slice(&mut self, p: usize, element: &str, length: usize) -> String {
        let name = self.fresh("copy");
        let zero = match element {
            "bool" => "false",
            "f32" => "0.0",
            _ => "0",
        };
        self.line(&format!("let mut {name}: [{element}; {length}] = [{zero}; {length}];"));
        self.line(&format!("for i in 0..{length} {{"));
        self.line(&format!("    if i < p{p}.len() {{ {name}[i] = p{p}[i]; }}"));
        self.line("}");
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_module() {
        assert_eq!(random_module(7, "x"), random_module(7, "x"));
        assert_ne!(random_module(7, "x"), random_module(8, "x"));
    }

    #[test]
    fn no_index_is_left_open() {
        assert!(!random_modules(1, 50).contains("[#"));
    }
}
