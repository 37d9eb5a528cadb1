//! Random modules: types, helper routines that call each other downwards or themselves, and an entry routine with columns as
//! parameters. What comes out compiles and ends, whatever the seed: types and borrows are kept while writing, and every loop and
//! recursion has a bound.

use crate::closures::PARAMETER;
use crate::methods::{self, By, Receiver};
use crate::rng::Rng;
use crate::types::{Ty, Types};
use crate::writer::{Form, Helper, Mode, Writer};

/// The source of `count` modules: one for each of the seeds from `seed` on that make one of at most `longest` bytes. The entry of each is called
/// `random_` and its seed.
pub fn random_modules(seed: u64, count: usize, longest: usize) -> String {
    (seed..)
        .map(|seed| (seed, random_module(seed, &format!("random_{seed}"))))
        .filter(|(_, module)| module.len() <= longest)
        .take(count)
        .map(|(seed, module)| format!("mod m{seed} {{\n{module}}}\n\n"))
        .collect()
}

/// The body of one module. Its entry is the routine `name`, which the module's `random_cases!` lists.
pub fn random_module(seed: u64, name: &str) -> String {
    let mut rng = Rng::new(seed);
    let types = Types::random(&mut rng);
    let mut source = format!("use gpuvm::prelude::*;\n\n{}", types.source());
    let mut methods = Vec::new();
    if types.features.methods {
        let mut written = Vec::new();
        for method in methods::random(&mut rng, &types) {
            let body = write_function(&mut rng, &types, [&[], &methods], &[], &method, 1);
            methods.push(method.clone());
            written.push((method, body));
        }
        source += &methods::implementations(&written);
    }
    let mut helpers = Vec::new();
    let least = usize::from(types.features.closures && rng.chance(60));
    for h in 0..least.max(rng.below(3)) {
        let mut helper = random_helper(&mut rng, &types, format!("helper_{h}"));
        if h == 0 && least == 1 {
            let form = rng.pick(&[Form::Impl, Form::Generic, Form::Reference]);
            helper.closure = Some((rng.pick(&types.signatures), form));
        }
        source += &write_routine(&mut rng, &types, [&helpers, &methods], &[], &helper, 2);
        helpers.push(helper);
    }
    if types.features.recursion {
        let recursive: Vec<Helper> = (0..1 + rng.below(2))
            .map(|r| recursive_helper(&mut rng, &types, format!("recursive_{r}")))
            .collect();
        for helper in &recursive {
            source += &write_routine(&mut rng, &types, [&helpers, &methods], &recursive, helper, 2);
        }
        helpers.extend(recursive);
    }
    let params = (0..1 + rng.below(4))
        .map(|_| (types.scalar(&mut rng), Mode::Value))
        .collect();
    let entry = Helper {
        name: name.to_string(),
        params,
        closure: None,
        result: types.random_result(&mut rng),
        receiver: None,
    };
    let statements = 4 + rng.below(6);
    source += &write_routine(&mut rng, &types, [&helpers, &methods], &[], &entry, statements);
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
        closure: None,
        result: types.random_result(rng),
        receiver: None,
    }
}

/// One that calls itself, as often as its first parameter says.
fn recursive_helper(rng: &mut Rng, types: &Types, name: String) -> Helper {
    let mut params = vec![(Ty::Scalar("u32"), Mode::Fuel)];
    params.extend((0..1 + rng.below(2)).map(|_| match types.random_type(rng) {
        array @ Ty::Array(..) => (array, Mode::Slice),
        ty => (ty, Mode::Value),
    }));
    Helper {
        name,
        params,
        closure: None,
        result: if rng.chance(60) {
            types.scalar(rng)
        } else {
            types.random_result(rng)
        },
        receiver: None,
    }
}

fn write_routine(
    rng: &mut Rng,
    types: &Types,
    callable: [&[Helper]; 2],
    recursive: &[Helper],
    routine: &Helper,
    statements: usize,
) -> String {
    let function = write_function(rng, types, callable, recursive, routine, statements);
    format!("#[routine]\n{function}\n")
}

/// The function alone, which may be a method. What it may call are helpers and methods.
fn write_function(
    rng: &mut Rng,
    types: &Types,
    callable: [&[Helper]; 2],
    recursive: &[Helper],
    routine: &Helper,
    statements: usize,
) -> String {
    let mut writer = Writer::new(rng, types, callable, routine.result.clone());
    let mut params = Vec::new();
    let mut arguments = Vec::new();
    if let Some(Receiver { on, by }) = &routine.receiver {
        let (written, place) = match by {
            By::Value => ("self", "self"),
            By::Reference => ("&self", "(*self)"),
            By::Mutable => ("&mut self", "(*self)"),
        };
        params.push(written.to_string());
        writer.bring_into_scope(place, on, *by == By::Mutable);
    }
    for (p, (ty, mode)) in routine.params.iter().enumerate() {
        if *mode == Mode::Fuel {
            params.push(format!("fuel: {}", ty.name()));
            writer.bring_into_scope("fuel", ty, false);
            let last = writer.expression(&routine.result, 1);
            writer.line(&format!("if fuel == 0 {{ return {last}; }}"));
            arguments.push("fuel".to_string());
            continue;
        }
        let written = match (mode, ty) {
            (Mode::Mutable, ty) => format!("&mut {}", ty.name()),
            (Mode::Slice, Ty::Array(element, _)) => format!("&[{element}]"),
            (_, ty) => ty.name(),
        };
        params.push(format!("p{p}: {written}"));
        if *mode == Mode::Mutable && writer.rng.chance(50) {
            writer.bring_into_scope(&format!("(*p{p})"), ty, true);
            arguments.push(String::new());
            continue;
        }
        // Else the body works on copies, so that every place in it is plain; a mutable parameter is written back at the end.
        let copy = match (mode, ty) {
            (Mode::Mutable, _) => format!("*p{p}"),
            (Mode::Slice, Ty::Array(element, length)) => {
                writer.bring_into_scope(&format!("p{p}"), &Ty::Slice(element, 0), false);
                writer.copied_slice(p, element, *length)
            }
            _ => format!("p{p}"),
        };
        let name = writer.declare(ty, true);
        writer.line(&format!("let mut {name}: {} = {copy};", ty.name()));
        arguments.push(name);
    }
    let mut generic = String::new();
    if let Some((signature, form)) = &routine.closure {
        let types: Vec<String> = signature.params.iter().map(Ty::name).collect();
        let (bound, mutability) = if signature.mutable {
            ("FnMut", "mut ")
        } else {
            ("Fn", "")
        };
        let bound = format!("{bound}({}) -> {}", types.join(", "), signature.result.name());
        let ty = match form {
            Form::Impl => format!("impl {bound}"),
            Form::Reference => format!("&{mutability}impl {bound}"),
            Form::Generic => {
                generic = format!("<F: {bound}>");
                "F".to_string()
            }
        };
        params.push(format!("{mutability}{PARAMETER}: {ty}"));
        writer.bring_closure_into_scope(PARAMETER, signature);
    }
    if types.features.chains {
        // Something to walk.
        let array = Ty::Array(writer.rng.pick(&types.scalars), 4 << writer.rng.below(2));
        let elements = writer.composite(&array, 1);
        let name = writer.declare(&array, true);
        writer.line(&format!("let mut {name}: {} = {elements};", array.name()));
    }
    if let Some(Receiver { on, by: By::Mutable }) = &routine.receiver {
        writer.change_self(on);
    }
    if types.features.methods && routine.receiver.is_none() {
        // Something that has methods.
        let ty = Ty::Struct(0);
        let fields = writer.composite(&ty, 1);
        let name = writer.declare(&ty, true);
        writer.line(&format!("let mut {name}: {} = {fields};", ty.name()));
    }
    writer.recursive = recursive.to_vec();
    writer.recursions = if recursive.is_empty() { 0 } else { 2 };
    if !recursive.is_empty() {
        writer.recursive_call();
    }
    writer.statements(statements, 2);
    for (p, ((_, mode), argument)) in routine.params.iter().zip(arguments).enumerate() {
        if *mode == Mode::Mutable && !argument.is_empty() {
            writer.line(&format!("*p{p} = {argument};"));
        }
    }
    let result = writer.expression(&routine.result, 2);
    writer.line(&result);
    format!(
        "fn {}{generic}({}) -> {} {{\n{}}}\n",
        routine.name,
        params.join(", "),
        routine.result.name(),
        writer.out
    )
}

impl Writer<'_> {
    /// Copies a slice parameter into an array, however long the slice is.
    fn copied_slice(&mut self, p: usize, element: &str, length: usize) -> String {
        let name = self.fresh("copy");
        let zero = match element {
            "bool" => "false",
            "f32" | "f64" => "0.0",
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

    /// What the modules are meant to have; each stands in at least a few of two hundred.
    #[test]
    fn everything_is_made() {
        let source = random_modules(1, 200, usize::MAX);
        let parts = [
            "= move |",
            "let mut f",
            "impl Fn(",
            "impl FnMut(",
            "<F: Fn",
            ".map(",
            ".filter(",
            ".zip(",
            ".rev()",
            ".step_by(",
            ".windows(",
            ".chunks",
            "successors(",
            "from_fn(",
            ".fold(",
            ".sum::<",
            ".any(",
            ".enumerate()",
            "flat_map(",
            ".scan(",
            "?)",
            "Result<",
            ".map_err(",
            ".and_then(",
            "u128",
            "i128",
            "f64",
            "recursive_0(fuel - 1",
            "static T",
            "const T",
            "let mut table: [",
            "trait Turn",
            "impl Turn for",
            "(&mut self",
            "(&self",
            "(self",
            ".m0(",
            ".m1(",
            "while let Some(",
        ];
        for part in parts {
            assert!(source.matches(part).count() >= 3, "`{part}` is missing");
        }
    }

    #[test]
    fn no_index_is_left_open() {
        assert!(!random_modules(1, 50, usize::MAX).contains("[#"));
    }
}
