//! What a call would have to know of its crate: nothing tells it its receiver's type, and to ask of each `push` whether it is a method of the user's with parameters of its
//! own, or is behind several `Deref`s, would be dear. So that is looked for in the file, and in a library's others.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use gpuvm_nodes::method::{self, Takes};
use proc_macro2::{Ident, Span};

use crate::comparison;
use crate::file::{TYPES, block, declared, definitions, is_part, receiver, text_of, without_comments};
use crate::generic_impls::{Concerned, GenericImpl, generic_impls};
use crate::inherent::{self, type_around};
use crate::namesake_modules::{beside_another, has_namesake, imported_beside, siblings};
use crate::routine::{is_std_trait, lending as lending_method, operators_of_trait};

thread_local! {
    static FOUND: RefCell<BTreeMap<PathBuf, Found>> = const { RefCell::new(BTreeMap::new()) };
}

/// The traits of the operators that have a name as methods.
const OPERATORS: [&str; 20] = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "BitAnd",
    "BitOr",
    "BitXor",
    "Shl",
    "Shr",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "RemAssign",
    "BitAndAssign",
    "BitOrAssign",
    "BitXorAssign",
    "ShlAssign",
    "ShrAssign",
];

/// What is found in a file, or in all files of a crate.
#[derive(Default)]
struct Found {
    /// The names of std's that methods with parameters of their own have, and methods of traits that may be on types which have std's as well.
    names: BTreeSet<String>,
    /// Those of its traits that take a reference, and one that may change what it is called on.
    by_ref: BTreeSet<String>,
    by_mut: BTreeSet<String>,
    /// The names of its methods, and of those that change what they are called on.
    methods: BTreeSet<String>,
    changing: BTreeSet<String>,
    /// The functions that are named as methods of the machine's own types.
    as_machine: BTreeSet<&'static str>,
    /// The names of its `const fn`s.
    const_functions: BTreeSet<String>,
    /// Its functions that begin with a capital letter, as a constructor does.
    capital_functions: BTreeSet<String>,
    /// How many types have a `Deref`.
    derefs: usize,
    /// The types whose `Deref` is no routine.
    host_derefs: BTreeSet<String>,
    /// Whether a generic type has a `Deref` that asks more of its parameters than that they are there, or is for some of its types.
    asks_of_deref: bool,
    /// The traits of std's operators that it names.
    operators: BTreeSet<&'static str>,
    /// Whether a generic function results in an `impl Iterator`.
    has_opaque: bool,
    /// Whether an `impl` of `Iterator` has type parameters.
    has_generic_iterators: bool,
    /// Whether a comparison names a type to compare with.
    compares_others: bool,
    /// The traits that are routines, and the functions of all traits.
    routine_traits: BTreeSet<String>,
    trait_functions: BTreeMap<String, Vec<String>>,
    /// The words that say what their supertraits are.
    supertraits: BTreeMap<String, Vec<String>>,
    /// The associated types that an `impl` makes something with a lifetime.
    lent: BTreeSet<String>,
    /// The methods of std's traits that lend which bounds of its traits' associated types promise.
    lending: BTreeSet<&'static str>,
    /// The traits that references implement.
    of_references: BTreeSet<String>,
    /// The `impl`s of routine traits that have type parameters, and the functions that they concern.
    generic_impls: Vec<GenericImpl>,
    concerned: Concerned,
    /// Those that a reference has in its own way, and not by handing on to what it refers to; and the methods that it so has.
    apart: BTreeSet<String>,
    methods_apart: BTreeSet<String>,
    /// The traits of methods alone, of whose signatures none says `Self`, each with its supertraits.
    plain_traits: BTreeMap<String, Vec<String>>,
    /// What is imported beside modules of its name that it is in.
    imported_beside: BTreeSet<String>,
    /// What is imported from elsewhere beside modules of its name.
    beside_another: BTreeSet<String>,
    /// The routines in modules of their names.
    in_own_modules: BTreeSet<String>,
    /// The associated functions that types have of their own and that are named as those of std's traits, each behind the name of its type.
    inherent: BTreeSet<(String, &'static str)>,
    /// The types whose names look as those of modules and functions do, and the modules.
    lowercase_types: BTreeSet<String>,
    modules: BTreeSet<String>,
    /// The files in which types are defined; `None` where several define one of a name.
    types: BTreeMap<String, Option<PathBuf>>,
}

/// Whether the crate that a place is in defines such a method of this name.
pub fn defines(place: Span, name: &str) -> bool {
    asked(place, |found| found.names.contains(name)).unwrap_or_default()
}

/// Whether the crate that a place is in defines a method of this name, of a type or in a trait.
pub fn has_method(place: Span, name: &str) -> bool {
    asked(place, |found| found.methods.contains(name)).unwrap_or_default()
}

/// Whether it defines one that changes what it is called on.
pub fn changes(place: Span, name: &str) -> bool {
    asked(place, |found| found.changing.contains(name)).unwrap_or_default()
}

/// How traits of the crate that a place is in take the receiver of a method of this name.
pub fn takes(place: Span, name: &str) -> Takes {
    let found = |found: &Found| match (found.by_ref.contains(name), found.by_mut.contains(name)) {
        (true, _) => Takes::Ref,
        (false, true) => Takes::Mut,
        (false, false) => Takes::Value,
    };
    asked(place, found).unwrap_or(Takes::Value)
}

/// Whether the crate that a place is in defines a function that is named as this method of the machine's own types.
pub fn defines_as_machine(place: Span, name: &str) -> bool {
    asked(place, |found| found.as_machine.contains(name)).unwrap_or_default()
}

/// Whether the crate that a place is in defines a `const fn` of a name.
pub fn defines_const(place: Span, name: &str) -> bool {
    asked(place, |found| found.const_functions.contains(name)).unwrap_or_default()
}

/// Whether the crate that a place is in defines a function of a name that begins with a capital letter, and no type.
pub fn defines_capital(place: Span, name: &str) -> bool {
    let is_there = |found: &Found| found.capital_functions.contains(name) && !found.types.contains_key(name);
    asked(place, is_there).unwrap_or_default()
}

/// Behind how many `Deref`s of the crate's a method may be: as many types as have one, up to three.
pub fn levels(place: Span) -> usize {
    asked(place, |found| found.derefs).unwrap_or_default().clamp(1, 3)
}

/// Whether a type of the crate's has a `Deref` that is no routine.
pub fn has_host_derefs(place: Span) -> bool {
    asked(place, |found| !found.host_derefs.is_empty()).unwrap_or_default()
}

/// Whether the type of this name has one.
pub fn derefs_on_host(place: Span, name: &str) -> bool {
    asked(place, |found| found.host_derefs.contains(name)).unwrap_or_default()
}

/// Whether a generic type of the crate's has a `Deref` of which the type itself may not tell.
pub fn asks_of_deref(place: Span) -> bool {
    asked(place, |found| found.asks_of_deref).unwrap_or_default()
}

/// Whether the crate names the trait of one of std's operators, `Add`: then its method may be called by its name.
pub fn has_operator(place: Span, method: &str) -> bool {
    let found = |found: &Found| {
        found.operators.contains("*")
            || found
                .operators
                .iter()
                .any(|name| name.to_lowercase() == method.replace('_', ""))
    };
    asked(place, found).unwrap_or(true)
}

/// Whether a function of the crate results in an `impl Iterator`.
pub fn has_opaque(place: Span) -> bool {
    asked(place, |found| found.has_opaque).unwrap_or_default()
}

/// Whether a generic type of the crate's is an iterator.
pub fn has_generic_iterators(place: Span) -> bool {
    asked(place, |found| found.has_generic_iterators).unwrap_or_default()
}

/// Whether the crate compares values of a type with those of another, `impl PartialEq<f64> for Weight`.
pub fn compares_others(place: Span) -> bool {
    asked(place, |found| found.compares_others).unwrap_or_default()
}

/// The functions of a trait of the crate's of this name, if it is no routine and no other of the name is.
pub fn functions_of_host_trait(place: Span, name: &str) -> Vec<String> {
    let functions = |found: &Found| match found.routine_traits.contains(name) {
        true => Vec::new(),
        false => found.trait_functions.get(name).cloned().unwrap_or_default(),
    };
    asked(place, functions).unwrap_or_default()
}

/// Whether an `impl` of the crate makes an associated type of this name something with a lifetime.
pub fn lends(place: Span, name: &str) -> bool {
    asked(place, |found| found.lent.contains(name)).unwrap_or(true)
}

/// Whether references may implement a trait of the crate's that has methods alone, none of which takes or gives another `Self`: what is called by it on a reference
/// is called on what that refers to.
pub fn is_found_behind(place: Span, name: &str) -> bool {
    let may_be = |found: &Found| found.of_references.contains(name) || found.is_of_parameters(name);
    asked(place, |found| may_be(found) && found.is_plain(name)).unwrap_or_default()
}

/// Whether a trait of this name is implemented for a type parameter.
pub fn is_of_parameters(place: Span, name: &str) -> bool {
    asked(place, |found| found.is_of_parameters(name)).unwrap_or_default()
}

/// Whether the crate defines a trait of this name that is a `#[routine]`.
pub fn is_routine_trait(place: Span, name: &str) -> bool {
    asked(place, |found| found.routine_traits.contains(name)).unwrap_or_default()
}

/// Whether an `impl` of a `#[routine]` trait of the crate's has type parameters.
pub fn implements_generically(place: Span) -> bool {
    asked(place, |found| !found.generic_impls.is_empty()).unwrap_or_default()
}

/// Whether a function of this name, of the crate's, is one of such a trait's, or has type parameters.
pub fn is_generic_function(place: Span, name: &str) -> bool {
    asked(place, |found| found.concerned.generic.contains(name)).unwrap_or_default()
}

/// Whether a function of this name, of the crate's, leads to one of such a trait's that is implemented for values of a launch.
pub fn leads_to_launched(place: Span, name: &str) -> bool {
    asked(place, |found| found.concerned.leading.contains(name)).unwrap_or_default()
}

/// Whether a trait of the crate's has the traits of std's operators among its supertraits, and theirs, as a trait of numbers has.
pub fn is_of_numbers(place: Span, name: &str) -> bool {
    asked(place, |found| found.is_of_numbers(name, MOST_SUPERTRAITS)).unwrap_or_default()
}

/// Whether the crate defines a trait of this name.
pub fn defines_trait(place: Span, name: &str) -> bool {
    asked(place, |found| found.trait_functions.contains_key(name)).unwrap_or(true)
}

/// The functions of a trait of the crate's, and those of its supertraits.
pub fn functions_of_trait(place: Span, name: &str) -> Vec<String> {
    asked(place, |found| found.functions_of_trait(name, MOST_SUPERTRAITS)).unwrap_or_default()
}

/// Whether a reference of the crate's has a method of this name in its own way: then it is not what is found behind all references.
pub fn is_apart(place: Span, method: &str) -> bool {
    asked(place, |found| found.methods_apart.contains(method)).unwrap_or_default()
}

/// Whether a reference of the crate's implements a trait of this name that is not such: what has the trait by a bound may be one, and is no further looked behind.
pub fn is_of_references(place: Span, name: &str) -> bool {
    let found = |found: &Found| found.of_references.contains(name) && !found.is_plain(name);
    asked(place, found).unwrap_or_default()
}

/// Whether a bound of an associated type of the crate's promises a method that lends.
pub fn promises_lending(place: Span, method: &str) -> bool {
    asked(place, |found| found.lending.contains(method)).unwrap_or_default()
}

/// Whether a routine of a name is in a module of that name, and imported beside it.
pub fn imports_beside(place: Span, name: &str) -> bool {
    let both = |found: &Found| found.imported_beside.contains(name) && found.in_own_modules.contains(name);
    asked_around(place, both).unwrap_or_default()
}

/// Whether what has a name is imported beside a module of that name that it is not in.
pub fn is_beside_another(place: Span, name: &str) -> bool {
    let is_there = |found: &Found| found.beside_another.contains(name) && !found.in_own_modules.contains(name);
    asked_around(place, is_there).unwrap_or_default()
}

/// Whether a name is that of a type which the crate defines, though it may look as a module's or a function's, and of no module.
pub fn is_lowercase_type(name: &Ident) -> bool {
    let plain = crate::plain_name(name);
    let is_there = |found: &Found| found.lowercase_types.contains(&plain) && !found.modules.contains(&plain);
    asked_around(name.span(), is_there).unwrap_or_default()
}

/// Whether a type of the crate has an associated function of its own, and not a trait's, that is named as this one of std's traits. The type may be called `Self`.
pub fn is_inherent(of: &Ident, function: &str) -> bool {
    if !inherent::OF_TRAITS.contains(&function) {
        return false;
    }
    let name = match of == "Self" {
        true => type_around(of.span()),
        false => Some(crate::plain_name(of)),
    };
    let Some(name) = name else { return false };
    let is_there = |found: &Found| found.inherent.iter().any(|(of, own)| *of == name && *own == function);
    asked_around(of.span(), is_there).unwrap_or_default()
}

/// The one other file that defines a type of a name.
pub fn file_defining(place: Span, name: &str) -> Option<PathBuf> {
    asked_around(place, |found| found.types.get(name).cloned())
        .flatten()
        .flatten()
}

/// Asks the library that a place is in, or the files of a folder, which may be one crate's.
fn asked_around<T>(place: Span, ask: impl Fn(&Found) -> T) -> Option<T> {
    let path = place.local_file()?;
    let of = source(&path).unwrap_or_else(|| siblings(&path));
    Some(asked_of(of, ask))
}

/// Asks the library that a place is in, or the file, where each is a crate.
fn asked<T>(place: Span, ask: impl Fn(&Found) -> T) -> Option<T> {
    let path = place.local_file()?;
    Some(asked_of(source(&path).unwrap_or(path), ask))
}

/// Asks a file, or a folder.
fn asked_of<T>(of: PathBuf, ask: impl Fn(&Found) -> T) -> T {
    FOUND.with_borrow_mut(|all| {
        let found = all.entry(of.clone()).or_insert_with(|| {
            let mut found = Found::default();
            found.search(&of);
            found
        });
        ask(found)
    })
}

/// Whether calls of a name are of std's method alone: derived ones, which every type has, and conversions.
pub fn is_taken(name: &str) -> bool {
    const CONVERSIONS: [&str; 8] = [
        "as_mut",
        "as_ref",
        "borrow",
        "borrow_mut",
        "expect",
        "expect_err",
        "into",
        "try_into",
    ];
    comparison::is_derived(name) || CONVERSIONS.contains(&name)
}

/// The folder of a library's sources. In the other folders of a package each file is a crate.
pub fn source(path: &Path) -> Option<PathBuf> {
    let package = path.ancestors().find(|folder| folder.join("Cargo.toml").is_file())?;
    let folder = package.join("src");
    path.starts_with(&folder).then_some(folder)
}

/// The sources in a folder, or a file.
pub fn files_in(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            files_in(&entry.path(), found);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        found.push(path.to_owned());
    }
}

/// How far a trait's supertraits are looked at: of traits that are each other's rustc says so.
const MOST_SUPERTRAITS: usize = 16;

impl Found {
    /// Whether a trait is plain, and no reference has it in its own way.
    fn is_plain(&self, name: &str) -> bool {
        self.is_plain_among(name, MOST_SUPERTRAITS)
    }

    fn is_plain_among(&self, name: &str, most: usize) -> bool {
        let supertraits = self.plain_traits.get(name).filter(|_| !self.apart.contains(name));
        supertraits.is_some_and(|of| most > 0 && of.iter().all(|of| self.is_plain_among(of, most - 1)))
    }

    fn functions_of_trait(&self, name: &str, most: usize) -> Vec<String> {
        let Some(own) = self.trait_functions.get(name).filter(|_| most > 0) else {
            return Vec::new();
        };
        let supertraits = self.supertraits.get(name).into_iter().flatten();
        let inherited = supertraits.flat_map(|of| self.functions_of_trait(of, most - 1));
        own.iter().cloned().chain(inherited).collect()
    }

    fn is_of_parameters(&self, name: &str) -> bool {
        self.generic_impls.iter().any(|of| of.of_parameter && of.of == name)
    }

    fn is_of_numbers(&self, name: &str, most: usize) -> bool {
        let is_one = |of: &String| !operators_of_trait(of).is_empty() || self.is_of_numbers(of, most - 1);
        let supertraits = self.supertraits.get(name).filter(|_| most > 0);
        supertraits.is_some_and(|of| of.iter().any(is_one))
    }

    /// Searches a file, or a folder.
    fn search(&mut self, path: &Path) {
        let mut files = Vec::new();
        files_in(path, &mut files);
        let texts = || files.iter().filter_map(|path| Some((path, text_of(path.to_owned())?)));
        let on_lists: BTreeSet<String> = texts()
            .flat_map(|(_, text)| of_lists(&text).map(str::to_owned).collect::<Vec<_>>())
            .collect();
        for (path, text) in texts() {
            self.names.extend(with_parameters(&text).map(str::to_owned));
            for method in trait_methods(&text) {
                // An `impl` does not tell by name what has a body, what it has several times, and what std has of the type itself.
                let of_numbers = method::method_number(method.name).is_some_and(method::is_of_numbers);
                if method.has_body || method.has_parameters || of_numbers || on_lists.contains(method.of) {
                    self.names.insert(method.name.to_owned());
                }
                let taking = match method.takes {
                    Takes::Value => None,
                    Takes::Ref => Some(&mut self.by_ref),
                    Takes::Mut => Some(&mut self.by_mut),
                };
                taking.map(|names| names.insert(method.name.to_owned()));
            }
            for (name, changes) in methods(&text) {
                if changes {
                    self.changing.insert(name.to_owned());
                }
                self.methods.insert(name.to_owned());
            }
            self.as_machine.extend(as_machine(&text));
            let const_functions = definitions(&text, &["const fn "]).map(|(_, _, name, _)| name.to_owned());
            self.const_functions.extend(const_functions);
            self.capital_functions
                .extend(capital_functions(&text).map(str::to_owned));
            self.inherent.extend(inherent::functions(&text));
            self.lent.append(&mut lent(&text));
            self.lending.extend(lending(&text));
            for (name, items) in of_references(&text) {
                let apart = methods_apart(items);
                if !apart.is_empty() {
                    self.apart.insert(name.clone());
                    self.methods_apart.extend(apart);
                }
                self.of_references.insert(name);
            }
            self.generic_impls.append(&mut generic_impls(&text));
            self.plain_traits.append(&mut plain_traits(&text));
            self.imported_beside.extend(imported_beside(&text));
            self.beside_another.extend(beside_another(&text));
            self.in_own_modules.extend(has_namesake(path, &text));
            self.lowercase_types.extend(lowercase_types(&text).map(str::to_owned));
            self.modules.extend(declared(&text, &["mod "]).map(str::to_owned));
            for name in types(&text) {
                let file = self
                    .types
                    .entry(name.to_owned())
                    .or_insert_with(|| Some(path.to_owned()));
                if file.as_ref() != Some(path) {
                    *file = None;
                }
            }
            let named = OPERATORS.iter().filter(|name| text.contains(**name));
            self.operators
                .extend(named.copied().chain(text.contains("ops::*").then_some("*")));
            self.derefs += text.matches(" Deref for ").count();
            self.host_derefs.append(&mut host_impls(&text, "Deref"));
            self.asks_of_deref |= asks_of_deref_in(&text);
            self.compares_others |= ["PartialEq<", "PartialOrd<"].iter().any(|of| text.contains(of));
            for of in traits(&without_comments(&text)) {
                if of.is_routine {
                    self.routine_traits.insert(of.name.to_owned());
                }
                let name = || of.name.to_owned();
                self.supertraits.entry(name()).or_default().extend(of.supertraits);
                self.trait_functions.entry(name()).or_default().extend(of.functions);
            }
            let opaque = ["Iterator", "DoubleEndedIterator", "ExactSizeIterator"];
            self.has_opaque |= opaque.iter().any(|name| text.contains(&format!("-> impl {name}<")));
        }
        let texts: Vec<_> = texts().map(|(_, text)| text).collect();
        let texts = texts.iter().map(|text| &**text);
        self.has_generic_iterators = self
            .generic_impls
            .iter()
            .any(|of| of.of == "Iterator" && !of.of_parameter);
        // What is no trait of the crate's and none of std's is one of another crate's.
        let is_of_another = |of: &str| !self.trait_functions.contains_key(of) && !is_std_trait(of);
        self.generic_impls
            .retain(|of| self.routine_traits.contains(&of.of) || is_of_another(&of.of));
        self.concerned = Concerned::of(&self.generic_impls, &self.trait_functions, texts);
    }
}

/// The functions in a text whose names begin with a capital letter.
fn capital_functions(text: &str) -> impl Iterator<Item = &str> {
    definitions(text, &["fn "])
        .filter(|(at, _, name, _)| {
            let line = text[..*at].rsplit('\n').next().unwrap_or_default();
            name.starts_with(char::is_uppercase) && !line.contains("//")
        })
        .map(|(_, _, name, _)| name)
}

/// A trait that a text defines.
struct DefinedTrait<'t> {
    name: &'t str,
    /// Whether it has an attribute that makes it a routine.
    is_routine: bool,
    /// The words that say what its supertraits are.
    supertraits: Vec<String>,
    functions: Vec<String>,
}

/// The traits that a text without comments defines.
fn traits(code: &str) -> Vec<DefinedTrait<'_>> {
    let all = definitions(code, &["trait "]).filter_map(|(at, _, name, behind)| {
        let before = &code[..at];
        let attributes = &before[before.rfind([';', '{', '}']).map_or(0, |end| end + 1)..];
        let (head, _) = behind_parameters(behind)?.split_once('{')?;
        let functions = definitions(block(behind)?, &["fn "]);
        Some(DefinedTrait {
            name,
            is_routine: attributes.contains("routine"),
            supertraits: head.split(|c| !is_part(c)).map(str::to_owned).collect(),
            functions: functions.map(|(_, _, name, _)| name.to_owned()).collect(),
        })
    });
    all.collect()
}

/// The methods that a file's text defines, and whether each takes `&mut self`.
fn methods(text: &str) -> impl Iterator<Item = (&str, bool)> {
    definitions(text, &["fn "]).filter_map(|(_, _, name, behind)| {
        let takes = receiver(behind)?;
        (!name.is_empty()).then_some((name, takes == Takes::Mut))
    })
}

/// The types in a file's text whose `impl` of a trait has no attribute that makes it a routine.
pub fn host_impls(text: &str, of_trait: &str) -> BTreeSet<String> {
    let of = format!("{of_trait} for ");
    let impls = text.match_indices(&of).filter_map(|(at, of)| {
        let before = text[..at].strip_suffix([' ', ':'])?;
        let attributes = before[..before.rfind("impl")?].trim_end();
        let attribute = &attributes[attributes.rfind("#[").unwrap_or(attributes.len())..];
        let is_routine = attribute.ends_with(']') && attribute.contains("routine");
        let name: String = text[at + of.len()..].chars().take_while(|c| is_part(*c)).collect();
        (!is_routine && !name.is_empty()).then_some(name)
    });
    impls.collect()
}

/// Whether a `Deref` in a file's text is of a generic type and has bounds, or is for some of its types.
fn asks_of_deref_in(text: &str) -> bool {
    text.match_indices(" Deref for ").any(|(at, of)| {
        let before = &text[..at];
        let declared = before.rfind("impl").map_or("", |start| &before[start + "impl".len()..]);
        let Some((of, _)) = text[at + of.len()..].split_once('{') else {
            return false;
        };
        let is_type = |param: &&str| {
            let param = param.trim();
            !param.is_empty() && !param.starts_with('\'') && !param.starts_with("const ")
        };
        let declared = declared.trim().trim_start_matches('<');
        let mut params = declared.split([',', '>']).filter(is_type).peekable();
        let has_arguments = || of.split([',', '<', '>']).skip(1).any(|argument| is_type(&argument));
        match params.peek() {
            None => has_arguments(),
            Some(_) => of.contains("where") || params.any(|param| param.contains(':')),
        }
    })
}

/// The names of the associated types in a file's text that are something with a lifetime.
fn lent(text: &str) -> BTreeSet<String> {
    let types = text.split("type ").skip(1).filter_map(|rest| {
        let (name, is) = rest.split_once(';')?.0.split_once('=')?;
        is.contains(['&', '\'']).then(|| name.trim().to_owned())
    });
    types.collect()
}

/// The methods of std's traits that lend which a file's text asks of associated types, `type Seed: AsMut<[u8]>;`.
fn lending(text: &str) -> Vec<&'static str> {
    let asked = |of: &str| {
        text.split("type ").skip(1).any(|rest| {
            rest.split_once([';', '='])
                .is_some_and(|(bounds, _)| bounds.contains(&format!("{of}<")))
        })
    };
    let traits = ["AsRef", "AsMut", "Borrow", "BorrowMut"];
    traits.into_iter().filter(|of| asked(of)).map(lending_method).collect()
}

/// The names of the types that a file's text defines.
pub fn types(text: &str) -> impl Iterator<Item = &str> {
    declared(text, TYPES).filter(|name| name.starts_with(char::is_uppercase))
}

/// The types that a file's text defines, aliases too, whose names look as those of modules and functions do.
fn lowercase_types(text: &str) -> impl Iterator<Item = &str> {
    let named = declared(text, &["struct ", "enum ", "union ", "type "]);
    named.filter(|name| name.trim_start_matches('_').starts_with(char::is_lowercase))
}

/// The traits in a file's text that references implement, each with what is in the `impl`.
fn of_references(text: &str) -> Vec<(String, &str)> {
    let traits = text.match_indices(" for &").filter_map(|(at, _)| {
        let name = implemented(&text[..at])?;
        Some((name.to_owned(), block(&text[at..]).unwrap_or_default()))
    });
    traits.collect()
}

/// The name of the trait that a text which ends before an `impl`'s `for` implements.
pub fn implemented(text: &str) -> Option<&str> {
    let path = behind_parameters(&text[text.rfind("impl")? + "impl".len()..])?;
    let name = path.split('<').next()?.rsplit("::").next()?.trim();
    (!name.is_empty() && name.chars().all(is_part)).then_some(name)
}

/// The methods of an `impl` for a reference that do something else than to hand on to those of what it refers to.
fn methods_apart(items: &str) -> Vec<String> {
    let functions = items.split("fn ").skip(1).filter_map(|rest| {
        let (name, signature) = rest.split_at(rest.find(|c| !is_part(c))?);
        (!hands_on(name, signature)).then(|| name.to_owned())
    });
    functions.collect()
}

/// Whether what follows a function's name is that of a method whose body calls that of the same name of what `self` refers to, with what it is given.
fn hands_on(name: &str, rest: &str) -> bool {
    let call = || {
        let body: String = block(rest)?.split_whitespace().collect();
        let (before, given) = body.split_at(body.find(&format!("{name}("))?);
        let given = given[name.len() + 1..].strip_suffix(')')?;
        let given: Vec<String> = given
            .split(',')
            .filter(|given| !given.is_empty())
            .map(str::to_owned)
            .collect();
        Some((before.to_owned(), given))
    };
    let Some((before, given)) = call() else { return false };
    let inputs = rest.split(')').next().unwrap_or_default();
    let inputs = inputs.trim_start_matches('(').split(',').skip(1);
    let names = inputs.filter_map(|input| Some(input.split_once(':')?.0.trim().trim_start_matches("mut ").to_owned()));
    let names: Vec<String> = names.collect();
    let is_receiver = |of: &str| {
        let of = of.trim_start_matches(['&', '(']).trim_end_matches(')');
        matches!(of.strip_prefix("mut").unwrap_or(of), "self" | "*self" | "**self")
    };
    match (before.strip_suffix('.'), before.ends_with("::")) {
        (Some(receiver), _) => receiver.starts_with("(*") && is_receiver(receiver) && given == names,
        (None, true) => given
            .split_first()
            .is_some_and(|(receiver, given)| is_receiver(receiver) && given == names),
        (None, false) => false,
    }
}

/// What stands behind the parameters that an `impl` may begin with.
pub fn behind_parameters(text: &str) -> Option<&str> {
    let text = text.trim_start();
    match text.starts_with('<') {
        true => behind_angles(text),
        false => Some(text),
    }
}

/// What stands behind the arguments that a text begins with.
fn behind_angles(text: &str) -> Option<&str> {
    let mut depth = 0;
    let mut before = ' ';
    let end = text.find(|c| {
        depth += match c {
            '<' => 1,
            // Not that of `->`.
            '>' if before != '-' => -1,
            _ => 0,
        };
        before = c;
        depth == 0
    })?;
    text.get(end + 1..)
}

/// The traits in a file's text that have methods alone, without parameters, associated types and `Self` in a signature, each with its supertraits.
fn plain_traits(text: &str) -> BTreeMap<String, Vec<String>> {
    let traits = text.match_indices("trait ").filter_map(|(at, _)| {
        let head = &text[at + "trait ".len()..];
        let (name, rest) = head.split_at(head.find(|c| !is_part(c))?);
        let (of, _) = rest.split_once('{')?;
        let of = match of.trim() {
            "" => "",
            of => of.strip_prefix(':')?,
        };
        let supertraits = of.split('+').map(|of| of.rsplit("::").next().unwrap_or(of).trim());
        let supertraits: Vec<&str> = supertraits.filter(|of| !of.is_empty() && *of != "Sized").collect();
        if !supertraits.iter().all(|of| of.chars().all(is_part)) {
            return None;
        }
        let items = block(rest)?;
        let without_sizes = items.replace("Self: Sized", "").replace("Self::", "");
        let mut words = without_sizes.split(|c| !is_part(c));
        let is_plain = words.all(|word| word != "Self" && word != "type");
        is_plain.then(|| (name.to_owned(), supertraits.into_iter().map(str::to_owned).collect()))
    });
    traits.collect()
}

/// A method that a trait in a file's text has, named as one of std's.
struct TraitMethod<'t> {
    of: &'t str,
    name: &'t str,
    has_body: bool,
    /// Whether the trait has parameters.
    has_parameters: bool,
    takes: Takes,
}

/// Such methods.
fn trait_methods(text: &str) -> impl Iterator<Item = TraitMethod<'_>> {
    let traits = definitions(text, &["trait "]).filter_map(|(_, _, of, behind)| Some((of, behind, block(behind)?)));
    traits.flat_map(|(of, head, items)| {
        items.split("fn ").skip(1).filter_map(move |rest| {
            let rest = rest.trim_start();
            let (name, rest) = rest.split_at(rest.find(|c| !is_part(c))?);
            method::is_std(name, true).then(|| TraitMethod {
                of,
                name,
                has_body: rest.find('{').unwrap_or(rest.len()) < rest.find(';').unwrap_or(rest.len()),
                has_parameters: head.starts_with('<'),
                takes: receiver(rest).unwrap_or(Takes::Value),
            })
        })
    })
}

/// The traits that a file's text implements for arrays and slices.
fn of_lists(text: &str) -> impl Iterator<Item = &str> {
    let impls = [" for [", " for &[", " for &mut ["];
    let places = impls.into_iter().flat_map(move |of| text.match_indices(of));
    places.filter_map(|(at, _)| implemented(&text[..at]))
}

/// The names in a file's text of methods with parameters of their own.
fn with_parameters(text: &str) -> impl Iterator<Item = &str> {
    text.split("fn ").skip(1).filter_map(|rest| {
        let rest = rest.trim_start();
        let (name, rest) = rest.split_at(rest.find(|c| !is_part(c))?);
        let head = rest.split(['{', ';']).next()?;
        let declared = head.trim_start().strip_prefix('<').unwrap_or_default();
        let declared = declared.split(['>', '(']).next()?;
        let has_own = declared
            .split(',')
            .any(|param| !param.trim().is_empty() && !param.trim_start().starts_with('\''));
        let is_given = head.split(|c| !is_part(c)).any(|word| word == "impl");
        ((has_own || is_given) && method::is_std(name, true)).then_some(name)
    })
}

/// The functions in a file's text that are named as methods of the machine's own types.
fn as_machine(text: &str) -> impl Iterator<Item = &'static str> {
    text.split("fn ").skip(1).filter_map(|rest| {
        let name = &rest[..rest.find(|c| !is_part(c))?];
        method::METHODS.iter().copied().find(|known| *known == name)
    })
}

#[cfg(test)]
mod tests {
    use gpuvm_nodes::method::Takes;

    use super::{
        asks_of_deref_in, host_impls, lending, lent, lowercase_types, methods_apart, of_lists, of_references,
        plain_traits, trait_methods, with_parameters,
    };

    #[test]
    fn types_in_lower_case_are_told_from_others() {
        let text = "
            struct u96 { words: [u32; 3] }
            type _real = f32;
            mod metres { pub enum feet { A } }
            struct U96;
        ";
        assert_eq!(Vec::from_iter(lowercase_types(text)), ["u96", "feet", "_real"]);
        assert!(lowercase_types("struct U96;").next().is_none());
    }

    #[test]
    fn traits_that_references_implement_are_found() {
        let text = "
            impl<'a, F: Fn(u32) -> u32> crate::Scale<&'a F> for &'a Meters {}
            impl Measure for &Bits {}
            impl Measure for Bits {}
            for &x in list {}
        ";
        let names: Vec<String> = of_references(text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["Scale", "Measure"]);
    }

    #[test]
    fn references_that_hand_on_are_told_from_others() {
        let text = "
            impl<R: Rng> Rng for &mut R {
                fn next(&mut self) -> u32 { (**self).next() }
                fn below(&mut self, n: u32, bias: f32) -> u32 {
                    R::below(*self, n, bias)
                }
                fn fill(&mut self, list: &mut [u32]) { Rng::fill(&mut **self, list) }
                fn own(&mut self) -> u32 { (**self).own() + 1 }
                fn other(&mut self, n: u32) -> u32 { (**self).other(n + 1) }
                fn itself(&mut self) -> u32 { self.itself() }
                fn value(self) -> u32 { (*self).value() }
            }
        ";
        let of: Vec<(String, Vec<String>)> = of_references(text)
            .into_iter()
            .map(|(name, items)| (name, methods_apart(items)))
            .collect();
        assert_eq!(
            of,
            [("Rng".to_owned(), ["own", "other", "itself"].map(str::to_owned).to_vec())]
        );
    }

    #[test]
    fn derefs_of_the_host_are_told_from_routines() {
        let text = "
            #[routine]
            impl Deref for Guard { type Target = u32; }
            #[gpuvm::routine(crate = gpuvm)]
            impl<T> Deref for List<T> { type Target = [T]; }
            impl<T: Copy> Deref for Own<T> { type Target = T; }
            #[cfg(test)]
            impl Deref for Shared { type Target = u32; }
        ";
        assert_eq!(Vec::from_iter(host_impls(text, "Deref")), ["Own", "Shared"]);
    }

    #[test]
    fn derefs_that_ask_of_parameters_are_told_from_others() {
        let asks = |head: &str| asks_of_deref_in(&format!("#[routine]\n{head} {{ type Target = T; }}"));
        for head in [
            "impl Deref for Named",
            "impl<'a> Deref for Lent<'a>",
            "impl<T> Deref for Guard<T>",
            "impl<'a, T, const N: usize> Deref for List<'a, T, N>",
            "impl Deref for Buffer<4>",
        ] {
            assert!(!asks(head) || head.ends_with("<4>"), "{head}");
        }
        for head in [
            "impl<T: Copy> Deref for Guard<T>",
            "impl<T> Deref for Guard<T> where T: Copy",
            "impl Deref for Guard<Point>",
            "impl<'a> core::ops::Deref for Guard<'a, u32>",
        ] {
            let head = head.replace("core::ops::", " ");
            assert!(asks(&head), "{head}");
        }
    }

    #[test]
    fn associated_types_with_lifetimes_are_told_from_others() {
        let text = "
            type Word = u32;
            impl<'a> Lexer for Words<'a> { type Token = &'a [u8]; type Error = Bad; fn next(&self) -> &u8 { &0 } }
            impl Lexer for Lines<'_> { type Line = Line<'static>; }
            trait Lexer { type Token; type Error: Copy; }
        ";
        assert_eq!(Vec::from_iter(lent(text)), ["Line", "Token"]);
        assert_eq!(lending("trait Seeds { type Seed: Default + AsMut<[u8]>; }"), ["as_mut"]);
        let text = "
            trait Rng { fn next(&mut self) -> u32; fn mix(&mut self) where Self: Sized {} }
            trait Ring: Copy { fn one() -> u32; }
            trait Monoid { fn join(self, other: Self) -> Self; }
            trait Lexer { type Token; fn next(&mut self); }
            trait Of<T> { fn of(&self) -> T; }
            trait Ext: crate::Rng + Sized { fn pair(&mut self) -> (u32, u32); }
            trait Least where Self: Copy { fn least(&self) -> u32; }
        ";
        let plain = |name: &str, of: &[&str]| (name.to_owned(), Vec::from_iter(of.iter().map(|of| of.to_string())));
        assert_eq!(
            Vec::from_iter(plain_traits(text)),
            [plain("Ext", &["Rng"]), plain("Ring", &["Copy"]), plain("Rng", &[])]
        );
        assert!(lending("type Seed = u8; fn f(x: impl AsMut<[u8]>) {}").is_empty());
    }

    #[test]
    fn methods_with_parameters_of_their_own_are_told_from_others() {
        let text = "
            fn fill<T: Into<u32>>(&mut self, value: T) {}
            fn swap<const A: usize>(&mut self);
            fn insert(&mut self, key: impl Key) -> bool { true }
            fn first<'a>(&'a self) -> &'a u32 { &self.0 }
            fn push(&mut self, value: Vec<u32>) where Self: Sized;
            fn own<T>(&self, value: T) {}
            fn rotate_left(self) {}
        ";
        assert_eq!(Vec::from_iter(with_parameters(text)), ["fill", "swap", "insert"]);
    }

    #[test]
    fn methods_of_traits_tell_what_they_take() {
        let text = "
            trait Ring: Copy {
                fn abs(self) -> Self;
                fn pow(self, n: u32) -> Self { if n == 0 { Self::ONE } else { self } }
                fn own(&self) -> Self;
            }
            trait Combine<T> { fn min(&self, other: T) -> u32; fn fill<'a>(&'a mut self); }
            impl Ring for f32 { fn sqrt(self) -> f32 { self } }
        ";
        let methods = trait_methods(text).map(|it| (it.of, it.name, it.has_body, it.has_parameters, it.takes));
        assert_eq!(
            Vec::from_iter(methods),
            [
                ("Ring", "abs", false, false, Takes::Value),
                ("Ring", "pow", true, false, Takes::Value),
                ("Combine", "min", false, true, Takes::Ref),
                ("Combine", "fill", false, true, Takes::Mut),
            ]
        );
        let text = "
            impl<const N: usize> crate::Vector<f32> for [f32; N] {}
            impl Texts for &[u8] {}
            impl Ring for f32 {}
            for x in [1, 2] {}
        ";
        assert_eq!(Vec::from_iter(of_lists(text)), ["Vector", "Texts"]);
    }
}
