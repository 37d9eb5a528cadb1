//! One routine, taken apart: its parameters and result, and what its signature asks of type parameters. Functions and methods alike.

use gpuvm_nodes::node::Operator;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, FnArg, GenericArgument, GenericParam, Generics, Lifetime, Pat, PatIdent, PathArguments, ReceiverKind,
    ReturnType, Signature, Type, TypeParam, TypeParamBound, WherePredicate,
};

use crate::callable::{self, Erased};
use crate::given;
use crate::lower::{self, Lowered, Parameter, check_type};
use crate::namesakes;
use crate::opaque;
use crate::operation::{Operation, is_associated, is_reference, may_refer, without_references};
use crate::parameters::asked_of_erased;
use crate::report::Report;

/// A routine's signature without lifetimes, and its lowered body.
pub struct Parts {
    /// Its parameters; `self` is called `__self`.
    pub parameters: Vec<Parameter>,
    /// Its result.
    pub result: Type,
    /// Whether it returns `!`.
    pub never: bool,
    /// Whether it is `const`.
    pub is_const: bool,
    /// Its body.
    pub lowered: Lowered,
    /// Its generics without the type parameters that are called.
    pub generics: Generics,
    /// The type parameters that are called.
    pub callables: Vec<GenericParam>,
    /// The types of its parameters, `self` excluded, as the function itself has them.
    pub named: Vec<Type>,
    /// Whether a parameter is called.
    pub calls_parameters: bool,
    /// Whether it returns references, and is not recursive.
    pub lends: bool,
    /// Whether it returns `impl Iterator`.
    pub is_opaque: bool,
    /// Whether a launch can run it, so that its parameters and its result are values outside of routines, too.
    pub is_launched: bool,
    /// The type that is registered as the handler of a ring kernel.
    pub handler: Option<Ident>,
}

/// What a method is in, an `impl` block or a trait: types of the user's are about.
pub struct Within<'w> {
    /// The method's name.
    pub name: &'w str,
    /// The generics around it.
    pub generics: &'w Generics,
    /// Whether it is in a trait.
    pub is_trait: bool,
    /// Whether references implement that.
    pub is_of_references: bool,
    /// The name of the type whose methods they are, if it has nothing but a name.
    pub of: Option<&'w Ident>,
}

impl Parts {
    /// Takes a function apart. `within`: what it is in if it is a method. `unseen`: whether nobody is shown its lines and variables.
    pub fn of(
        signature: &Signature,
        body: &Block,
        within: Option<&Within<'_>>,
        unseen: bool,
        report: &mut Report,
    ) -> Parts {
        check_signature(signature, report);
        let method = within.map(|within| within.name);
        let (written, written_body) = (signature, body);
        let Erased {
            mut signature,
            block: mut body,
            callables,
            named,
        } = callable::erase(signature, body);
        let shown = shown(&signature.generics, written_body);
        if !shown.is_empty() {
            signature.generics.make_where_clause().predicates.extend(shown);
        }
        let mut parameters: Vec<Parameter> = signature.inputs.iter().map(|input| parameter(input, report)).collect();
        let (mut result, never) = match &signature.output {
            ReturnType::Default => (syn::parse_quote!(()), false),
            ReturnType::Type(_, ty) if matches!(**ty, Type::Never(_)) => (syn::parse_quote!(()), true),
            ReturnType::Type(_, ty) => ((**ty).clone(), false),
        };
        for parameter in &mut parameters {
            if callable::references_to_callable(&parameter.ty).is_none() {
                check_type(&mut parameter.ty.clone(), report);
            }
            check_size(&parameter.ty, report);
            erase_lifetimes(&mut parameter.ty);
        }
        let is_opaque = opaque::is_opaque(&signature);
        opaque::name_parameters(&signature, &mut body);
        if !is_opaque {
            check_type(&mut result.clone(), report);
        }
        check_size(&result, report);
        // What it refers to may be in its own frame, a constant's value, so its code becomes a part of its caller's.
        let is_recursive = match method {
            Some(name) => own_call(&body, name).is_some(),
            None => mentions(&body, &signature.ident),
        };
        let lends = (is_opaque || crate::borrowed::borrows(&result)) && !is_recursive;
        erase_lifetimes(&mut result);
        EraseLifetimes.visit_block_mut(&mut body);
        let calls_parameters = parameters
            .iter()
            .any(|parameter| callable::references_to_callable(&parameter.ty).is_some());
        crate::host_bounds::check(written, within.map(|within| within.generics), written_body, report);
        if calls_parameters && method.is_none() {
            crate::circles::check_function(written, written_body, report);
        }
        let own = calls_parameters.then(|| lower::Own {
            name: method.map_or_else(|| crate::plain_name(&signature.ident), str::to_owned),
            is_method: method.is_some(),
            of: within.and_then(|within| within.of.cloned()),
            callables: parameters
                .iter()
                .map(|parameter| callable::references_to_callable(&parameter.ty).is_some())
                .collect(),
            stands_alone: !is_opaque,
            copies: copies_captures(&named, &callables),
        });
        let all = [Some(&signature.generics), within.map(|within| within.generics)];
        let all = all.into_iter().flatten();
        let about = lower::About {
            evidence: match method {
                Some(_) => Evidence::Types,
                None => evidence(&signature, &body),
            },
            unseen,
            is_const: signature.constness.is_some(),
            lends: all.clone().flat_map(lending_promised).collect(),
            values: parameters
                .iter()
                .map(|parameter| value_of(&parameter.ty, &signature.generics, within))
                .collect(),
            traits: within.is_some_and(|within| within.is_trait) || all.clone().any(has_user_bounds),
            parameters: all
                .flat_map(Generics::type_params)
                .map(|param| param.ident.to_string())
                .collect(),
        };
        let lowered = lower::lower(own, &signature.generics, &parameters, &result, &body, about, report);
        Parts {
            parameters,
            result,
            never,
            is_const: signature.constness.is_some(),
            lowered,
            generics: signature.generics,
            callables,
            named,
            lends,
            is_opaque,
            calls_parameters,
            is_launched: false,
            handler: None,
        }
    }
}

/// Refuses a slice or a text that is no reference: rustc would say of each place that has it that its size is not known.
fn check_size(ty: &Type, report: &mut Report) {
    let is_text = matches!(ty, Type::Path(path) if path.path.is_ident("str"));
    if is_text || matches!(ty, Type::Slice(_)) {
        report.unsized_value(ty);
    }
}

/// The name in the first call of the function of this name in its own body: `name(…)`, `Self::name(…)`, `self.name(…)`.
fn own_call(body: &Block, name: &str) -> Option<Ident> {
    struct Search<'n>(&'n str, Option<Ident>);
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_expr_call(&mut self, node: &'ast syn::ExprCall) {
            if let syn::Expr::Path(path) = &*node.func
                && let Some(last) = path.path.segments.last()
                && last.ident == self.0
                && (path.path.segments.len() == 1 || path.path.segments[0].ident == "Self")
            {
                self.1.get_or_insert(last.ident.clone());
            }
            visit::visit_expr_call(self, node);
        }

        fn visit_expr_method_call(&mut self, node: &'ast syn::ExprMethodCall) {
            let on_self = matches!(&*node.receiver, syn::Expr::Path(path) if path.path.is_ident("self"));
            if on_self && node.method == self.0 {
                self.1.get_or_insert(node.method.clone());
            }
            visit::visit_expr_method_call(self, node);
        }

        // Functions in it are their own affair.
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut search = Search(name, None);
    search.visit_block(body);
    search.1
}

/// Whether a closure that changes what it has captured is given by value, so that handing it on copies that.
fn copies_captures(named: &[Type], callables: &[GenericParam]) -> bool {
    let changes = |bound: &syn::TypeParamBound| match bound {
        syn::TypeParamBound::Trait(bound) => bound
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "FnMut" || last.ident == "FnOnce"),
        _ => false,
    };
    callables.iter().any(|param| match param {
        GenericParam::Type(param) if param.bounds.iter().any(changes) => named
            .iter()
            .any(|ty| matches!(ty, Type::Path(path) if path.path.is_ident(&param.ident))),
        _ => false,
    })
}

/// Whether a type has references or lifetimes in it.
pub fn holds_references(ty: &Type) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_type_reference(&mut self, _: &'ast syn::TypeReference) {
            self.0 = true;
        }
        fn visit_lifetime(&mut self, _: &'ast Lifetime) {
            self.0 = true;
        }
    }
    let mut search = Search(false);
    search.visit_type(ty);
    search.0
}

/// Whether a body names a function, to call it.
fn mentions(body: &Block, name: &Ident) -> bool {
    struct Search<'n>(&'n Ident, bool);
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_ident(&mut self, name: &'ast Ident) {
            self.1 |= name == self.0;
        }
    }
    let mut search = Search(name, false);
    search.visit_block(body);
    search.1
}

fn check_signature(signature: &Signature, report: &mut Report) {
    if let Some(token) = &signature.asyncness {
        report.async_routine(token);
    }
    if let syn::Safety::Unsafe(token) = &signature.safety {
        report.unsafe_routine(token);
    }
    if let Some(abi) = &signature.abi {
        report.extern_routine(abi);
    }
    if let Some(variadic) = &signature.variadic {
        report.variadic_routine(variadic);
    }
}

fn parameter(input: &FnArg, report: &mut Report) -> Parameter {
    match input {
        FnArg::Typed(typed) => Parameter {
            pattern: (*typed.pat).clone(),
            ty: (*typed.ty).clone(),
        },
        FnArg::Receiver(receiver) => {
            let span = receiver.self_token.span;
            let ty = match &receiver.kind {
                ReceiverKind::Value => syn::parse_quote!(Self),
                ReceiverKind::Reference(_, _, None) => syn::parse_quote!(&Self),
                ReceiverKind::Reference(_, _, Some(_)) => syn::parse_quote!(&mut Self),
                _ => {
                    report.receiver_type(receiver);
                    syn::parse_quote!(Self)
                }
            };
            let pattern = Pat::Ident(PatIdent {
                attrs: Vec::new(),
                by_ref: None,
                mutability: receiver.mutability,
                ident: Ident::new("__self", span),
                subpat: None,
            });
            Parameter { pattern, ty }
        }
    }
}

/// Lifetimes are left to inference: facts have none.
pub fn erase_lifetimes(ty: &mut Type) {
    EraseLifetimes.visit_type_mut(ty);
}

struct EraseLifetimes;

impl VisitMut for EraseLifetimes {
    fn visit_type_reference_mut(&mut self, node: &mut syn::TypeReference) {
        if node
            .lifetime
            .as_ref()
            .is_some_and(|lifetime| lifetime.ident != "static")
        {
            node.lifetime = None;
        }
        visit_mut::visit_type_reference_mut(self, node);
    }

    fn visit_generic_argument_mut(&mut self, node: &mut syn::GenericArgument) {
        if let syn::GenericArgument::Lifetime(lifetime) = node
            && lifetime.ident != "static"
        {
            *lifetime = Lifetime::new("'_", Span::mixed_site());
        }
        visit_mut::visit_generic_argument_mut(self, node);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Whether a bound in generics is by a trait that is not std's, so that a method may be of that.
fn has_user_bounds(generics: &Generics) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_trait_bound(&mut self, node: &'ast syn::TraitBound) {
            let last = node.path.segments.last().map(|last| last.ident.to_string());
            self.0 |= last.is_some_and(|name| !is_std_trait(&name) && !OTHER_TRAITS.contains(&&*name));
            visit::visit_trait_bound(self, node);
        }
    }
    let mut search = Search(false);
    search.visit_generics(generics);
    search.0
}

/// Traits of std and of gpuvm that a bound is by and that have no methods there.
const OTHER_TRAITS: [&str; 10] = [
    "Fn", "FnMut", "FnOnce", "Into", "Send", "Sized", "Sync", "TryInto", "Unpin", "VmType",
];

/// Whether a trait is one of std's that routines know, by its name.
pub fn is_std_trait(name: &str) -> bool {
    !operators_of_trait(name).is_empty() || STD_TRAITS.contains(&name)
}

/// Traits of std, which ask for no routine; of the first ones there are macros as well, that derive them.
const STD_TRAITS: [&str; 36] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "AsMut",
    "AsRef",
    "Borrow",
    "BorrowMut",
    "Deref",
    "DerefMut",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Extend",
    "From",
    "FromIterator",
    "FromStr",
    "Hasher",
    "IntoIterator",
    "Iterator",
    "Product",
    "RangeBounds",
    "Sum",
    "TryFrom",
    "Display",
    "LowerHex",
    "UpperHex",
    "Binary",
    "Octal",
    "LowerExp",
    "UpperExp",
    "Write",
];

/// What tells that values in a routine may be of types that are not the machine's own, so that an operator in it may be a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// Nothing: no such value can be there.
    None,
    /// A constant or a function of the user's, which may be of numbers.
    Values,
    /// A type of the user's.
    Types,
}

/// What a function's signature and body tell.
fn evidence(signature: &Signature, body: &Block) -> Evidence {
    let mut search = UserTypes {
        found: Evidence::None,
        numbers: signature.generics.const_params().map(|param| &param.ident).collect(),
    };
    search.visit_signature(signature);
    search.visit_block(body);
    search.found
}

struct UserTypes<'s> {
    found: Evidence,
    /// The signature's const parameters, which are numbers.
    numbers: Vec<&'s Ident>,
}

impl UserTypes<'_> {
    fn find(&mut self, is_found: bool, evidence: Evidence) {
        if is_found {
            self.found = self.found.max(evidence);
        }
    }
}

impl<'ast> Visit<'ast> for UserTypes<'_> {
    fn visit_type_path(&mut self, node: &'ast syn::TypePath) {
        let last = node
            .path
            .segments
            .last()
            .map(|last| last.ident.to_string())
            .unwrap_or_default();
        let machine = crate::primitive::kind_of_name(&last).is_some()
            || matches!(
                last.as_str(),
                "Option" | "Wrapping" | "AtomicU32" | "AtomicI32" | "AtomicU64" | "AtomicI64"
            );
        self.find(!machine, Evidence::Types);
        visit::visit_type_path(self, node);
    }

    fn visit_expr_struct(&mut self, _: &'ast syn::ExprStruct) {
        self.found = Evidence::Types;
    }

    fn visit_pat_struct(&mut self, _: &'ast syn::PatStruct) {
        self.found = Evidence::Types;
    }

    fn visit_expr_field(&mut self, node: &'ast syn::ExprField) {
        self.find(matches!(node.member, syn::Member::Named(_)), Evidence::Types);
        visit::visit_expr_field(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast syn::ExprMethodCall) {
        let is_machine = gpuvm_nodes::method::method_number(&node.method.to_string()).is_some()
            || matches!(
                node.method.to_string().as_str(),
                "iter" | "iter_mut" | "into_iter" | "rev" | "step_by" | "enumerate" | "copied"
            );
        self.find(!is_machine, Evidence::Types);
        visit::visit_expr_method_call(self, node);
    }

    fn visit_expr_call(&mut self, node: &'ast syn::ExprCall) {
        if let syn::Expr::Path(callee) = &*node.func
            && callee.qself.is_none()
        {
            let names: Vec<&Ident> = callee.path.segments.iter().map(|segment| &segment.ident).collect();
            let is_machine = names.len() > 1 && lower::std_function(&callee.path).is_some()
                || matches!(names[..], [.., of, _] if of == "vm" || crate::primitive::kind_of_name(&of.to_string()).is_some())
                || matches!(names[..], [.., name] if name == "Some");
            self.find(!is_machine, Evidence::Values);
        }
        visit::visit_expr_call(self, node);
    }

    fn visit_expr_path(&mut self, node: &'ast syn::ExprPath) {
        let names: Vec<&Ident> = node.path.segments.iter().map(|segment| &segment.ident).collect();
        let is_machine = matches!(names[..], [first, ..] if first == "std" || first == "core")
            || matches!(names[..], [.., of, _] if crate::primitive::kind_of_name(&of.to_string()).is_some())
            || matches!(names[..], [name] if self.numbers.contains(&name));
        let of_the_user = |name: &&Ident| {
            let name = name.to_string();
            name.starts_with(char::is_uppercase)
                && !matches!(name.as_str(), "Some" | "None" | "Option" | "Wrapping" | "Ordering")
        };
        let is_type = |name: &&Ident| of_the_user(name) && name.to_string().contains(char::is_lowercase);
        let is_half = names.iter().any(|name| crate::primitive::is_half(name));
        self.find(is_half || !is_machine && names.iter().any(is_type), Evidence::Types);
        self.find(!is_machine && names.iter().any(of_the_user), Evidence::Values);
        visit::visit_expr_path(self, node);
    }

    fn visit_macro(&mut self, node: &'ast syn::Macro) {
        // What cannot be parsed is refused elsewhere.
        let inside = match lower::MacroArguments::of(node) {
            Ok(lower::MacroArguments::Expressions(arguments)) => arguments.into_iter().collect(),
            Ok(lower::MacroArguments::Matches(matches)) => {
                let mut inside = vec![matches.value];
                inside.extend(matches.guard);
                inside
            }
            _ => Vec::new(),
        };
        let numbers = self.numbers.clone();
        for expr in &inside {
            let mut search = UserTypes {
                found: Evidence::None,
                numbers: numbers.clone(),
            };
            search.visit_expr(expr);
            self.found = self.found.max(search.found);
        }
    }
}

/// What a routine's generics become on what stands for it: no lifetimes, no defaults, and for each operator that a bound promises, that
/// it is a routine or the machine's own.
pub fn vm_generics(library: bool, generics: &Generics) -> Generics {
    let mut forever = generics.clone();
    let declared = generics.lifetimes().map(|param| param.lifetime.clone()).collect();
    // Facts are of values that live for ever.
    let mut forget = Forget(declared);
    for param in forever.type_params_mut() {
        forget.visit_type_param_mut(param);
    }
    if let Some(clause) = &mut forever.where_clause {
        forget.visit_where_clause_mut(clause);
    }
    let referring: Vec<Ident> = forever
        .type_params()
        .filter(|param| may_be_reference(&param.ident, &forever))
        .map(|param| param.ident.clone())
        .collect();
    let mut asked = values(library, Iterators::Given, &forever);
    for param in asked.type_params_mut().filter(|param| referring.contains(&param.ident)) {
        let bounds = std::mem::take(&mut param.bounds).into_iter();
        param.bounds = bounds.filter(|bound| !excludes_references(bound)).collect();
    }
    asked
}

/// Whether a bound is gpuvm's own by which a type is no reference.
fn excludes_references(bound: &TypeParamBound) -> bool {
    bound.to_token_stream().to_string().contains("Unreferenced")
}

/// Whether a type parameter is bounded by a trait of the user's that references implement themselves.
pub fn may_be_reference(name: &Ident, generics: &Generics) -> bool {
    let mut found = false;
    given::for_each_bound(name, generics, |bound| {
        found |= users_trait(bound).is_some_and(|users| namesakes::is_of_references(users.span(), &users.to_string()));
    });
    found
}

/// The type parameter, or `Self`, that a type is, refers to, or is a list of, where that may be a reference itself; and how many lists are around it.
fn value_of(ty: &Type, own: &Generics, within: Option<&Within<'_>>) -> Option<(Ident, u8)> {
    match ty {
        Type::Reference(ty) => value_of(&ty.elem, own, within),
        Type::Slice(syn::TypeSlice { elem, .. }) | Type::Array(syn::TypeArray { elem, .. }) => {
            value_of(elem, own, within).map(|(of, lists)| (of, lists + 1))
        }
        Type::Path(path) => {
            let name = path.path.get_ident()?;
            let is_trait = within.is_some_and(|within| within.is_trait && within.is_of_references);
            let is_value = name == "Self" && is_trait || may_be_reference(name, own);
            is_value.then(|| (name.clone(), 0))
        }
        _ => None,
    }
}

/// The same of an `impl` block, whose lifetimes its type may name. What it is for is a value, so its type parameters are.
pub fn impl_generics(library: bool, iterators: Iterators, generics: &Generics) -> Generics {
    values(library, iterators, generics)
}

/// What a type parameter that is an iterator stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iterators {
    /// Any that a routine is given.
    Given,
    /// Any that routines know.
    Known,
}

fn values(library: bool, iterators: Iterators, generics: &Generics) -> Generics {
    let generics = &with_sizes_declared(generics);
    let mut kept = generics.clone();
    let is_given = |name: &Ident| !library && given::is_iterator(name, generics);
    kept.params = generics
        .params
        .iter()
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
        .cloned()
        .map(|mut param| {
            match &mut param {
                GenericParam::Type(param) => {
                    param.default = None;
                    // gpuvm's own std says what it needs.
                    if is_given(&param.ident) {
                        param.bounds.extend(match iterators {
                            Iterators::Given => given::bounds(&param.ident, generics),
                            Iterators::Known => given::known(&param.ident, generics),
                        });
                    } else if !library {
                        param.bounds.extend(value_bounds(param, generics));
                    }
                }
                GenericParam::Const(param) => param.default = None,
                GenericParam::Lifetime(_) => {}
            }
            param
        })
        .collect();
    if kept.params.is_empty() && kept.where_clause.is_none() {
        return Generics::default();
    }
    let mut found = Vec::new();
    // What is asked of iterators' items, the code says.
    let gives = generics.type_params().any(|param| is_given(&param.ident));
    let library = library || gives && iterators == Iterators::Known;
    for param in kept.type_params() {
        let name = &param.ident;
        let ty = syn::parse_quote!(#name);
        if !is_given(name) {
            found.extend(promises(&ty, param.bounds.iter()));
            if let Some(behind) = asked_behind(name, generics).filter(|_| !library) {
                // On the type that it refers to, because lints would find a bound of the parameter in two places.
                found.push(syn::parse_quote!(<#name as ::gpuvm::__private::Value>::Inner: #(#behind)+*));
            }
        }
        if !library {
            found.extend(promises_of_parts(&ty, param.bounds.iter()));
        }
    }
    if let Some(clause) = &generics.where_clause {
        for predicate in &clause.predicates {
            if let WherePredicate::Type(predicate) = predicate {
                let (ty, bounds) = (&predicate.bounded_ty, predicate.bounds.iter());
                if !matches!(ty, Type::Path(path) if path.path.get_ident().is_some_and(is_given)) {
                    found.extend(promises(ty, bounds.clone()));
                }
                if !library {
                    found.extend(promises_of_parts(ty, bounds.clone()));
                    found.extend(given_iterators(ty, bounds));
                }
            }
        }
    }
    let clause = kept.make_where_clause();
    clause.predicates = std::mem::take(&mut clause.predicates)
        .into_iter()
        .filter(|predicate| matches!(predicate, WherePredicate::Type(_)))
        .collect();
    clause.predicates.extend(found);
    kept
}

/// The generics with `?Sized` where a parameter is declared.
fn with_sizes_declared(generics: &Generics) -> Generics {
    let is_size = |bound: &TypeParamBound| matches!(bound, TypeParamBound::Trait(bound) if bound.maybe.is_some());
    let names = generics.type_params().map(|param| &param.ident);
    let unsized_types: Vec<&Ident> = names.filter(|name| given::is_unsized(name, generics)).collect();
    let mut declared = generics.clone();
    if unsized_types.is_empty() {
        return declared;
    }
    for predicate in declared
        .where_clause
        .iter_mut()
        .flat_map(|clause| &mut clause.predicates)
    {
        if let WherePredicate::Type(predicate) = predicate {
            let bounds = std::mem::take(&mut predicate.bounds).into_iter();
            predicate.bounds = bounds.filter(|bound| !is_size(bound)).collect();
        }
    }
    for param in declared
        .type_params_mut()
        .filter(|param| unsized_types.contains(&&param.ident))
    {
        if !crate::emit::is_unsized(param) {
            param.bounds.push(syn::parse_quote!(?::core::marker::Sized));
        }
    }
    declared
}

/// What a routine asks of a type parameter of the user's: that it is of the machine. Methods of the user's traits are found behind all references, so where
/// one of these is a bound, it is no reference itself, unless all that is asked of it is asked of what it refers to as well.
pub fn value_bounds(param: &TypeParam, generics: &Generics) -> Vec<TypeParamBound> {
    if is_sink(param) {
        return Vec::new();
    }
    // To a routine it is the iterator that it becomes.
    if given::is_range(&param.ident, generics) {
        return vec![syn::parse_quote!(::gpuvm::__private::Unreferenced)];
    }
    if given::is_unsized(&param.ident, generics) {
        let mut bounds = vec![syn::parse_quote!(::gpuvm::__private::Referred)];
        if is_users(&param.ident, generics) && found_behind(&param.ident, generics).is_empty() {
            bounds.push(syn::parse_quote!(::gpuvm::__private::Implementor));
        }
        return bounds;
    }
    let mut bounds = vec![syn::parse_quote!(::gpuvm::__private::Parameter)];
    if is_users(&param.ident, generics) && found_behind(&param.ident, generics).is_empty() {
        bounds.push(syn::parse_quote!(::gpuvm::__private::Unreferenced));
    }
    bounds
}

/// Whether a path that ends with `Write` is that of `fmt::Write`, for all that it and the file's imports tell.
pub fn is_of_fmt(path: &syn::Path) -> bool {
    let imported = || {
        let name = &path.segments.last()?.ident;
        let text = crate::file::text_around(name.span())?;
        Some(crate::file::imports(&text, "Write", &["fmt"]))
    };
    match path.segments.len() {
        1 => imported().unwrap_or(true),
        _ => path.segments.iter().any(|segment| segment.ident == "fmt"),
    }
}

/// That what type parameters stand for may be in what code prints, and in a panic's text, where there is such a text in it: no `Display` of the user's is called
/// for these.
/// for these. And that their `Debug` is a routine where one is called, by a text that is written.
pub fn shown(generics: &Generics, code: &impl ToTokens) -> Vec<WherePredicate> {
    let bound_by = |name: &str| -> Vec<&Ident> {
        let is_bound = |bound: &TypeParamBound| matches!(bound, TypeParamBound::Trait(bound) if bound.path.segments.last().is_some_and(|last| last.ident == name));
        let shown = generics.type_params().filter(|param| {
            let mut found = false;
            given::for_each_bound(&param.ident, generics, |bound| found |= is_bound(bound));
            found
        });
        shown.map(|param| &param.ident).collect()
    };
    let mut promises = Vec::new();
    let (displayed, debugged) = (bound_by("Display"), bound_by("Debug"));
    if !displayed.is_empty() && has_macro(code.to_token_stream(), &PRINTING) {
        promises.extend(displayed.iter().map(|name| -> WherePredicate {
            syn::parse_quote!(<#name as ::gpuvm::__private::Value>::Inner: ::gpuvm::__private::Shown)
        }));
    }
    if !debugged.is_empty() && writes(code.to_token_stream()) {
        promises.extend(debugged.iter().map(|name| -> WherePredicate {
            syn::parse_quote!(<#name as ::gpuvm::__private::Value>::Inner: ::gpuvm::__private::Debugs)
        }));
    }
    promises
}

/// Macros that print or panic.
const PRINTING: [&str; 18] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "error",
    "info",
    "log",
    "panic",
    "print",
    "println",
    "unreachable",
    "warn",
];

/// Whether code writes texts, by macros or by a formatter.
fn writes(code: TokenStream) -> bool {
    fn formats(code: TokenStream) -> bool {
        code.into_iter().any(|token| match token {
            TokenTree::Ident(name) => name == "Formatter",
            TokenTree::Group(group) => formats(group.stream()),
            _ => false,
        })
    }
    has_macro(code.clone(), &["write", "writeln"]) || formats(code)
}

/// Whether code has one of these macros in it.
fn has_macro(code: TokenStream, macros: &[&str]) -> bool {
    let mut name_before = false;
    code.into_iter().any(|token| match token {
        TokenTree::Ident(name) => {
            name_before = macros.iter().any(|known| name == known);
            false
        }
        TokenTree::Punct(punct) => std::mem::take(&mut name_before) && punct.as_char() == '!',
        TokenTree::Group(group) => {
            name_before = false;
            has_macro(group.stream(), macros)
        }
        TokenTree::Literal(_) => {
            name_before = false;
            false
        }
    })
}

/// Whether a type parameter is what a text is written to, of which its bound says all.
fn is_sink(param: &TypeParam) -> bool {
    param.bounds.iter().any(|bound| {
        let TypeParamBound::Trait(bound) = bound else {
            return false;
        };
        bound.path.segments.last().is_some_and(|last| last.ident == "Sink")
    })
}

/// The name of the trait that a bound is by, if that is not std's.
pub fn users_trait(bound: &TypeParamBound) -> Option<&Ident> {
    let TypeParamBound::Trait(bound) = bound else {
        return None;
    };
    let name = &bound.path.segments.last()?.ident;
    let text = name.to_string();
    let is_ours = bound.path.segments.first().is_some_and(|first| first.ident == "gpuvm");
    (!is_ours && !is_std_trait(&text) && !OTHER_TRAITS.contains(&&*text)).then_some(name)
}

/// The bounds of a type parameter by traits of the user's, if all of them are such that a reference has them as what it refers to.
fn found_behind(name: &Ident, generics: &Generics) -> Vec<TypeParamBound> {
    let (mut found, mut are_plain) = (Vec::new(), true);
    given::for_each_bound(name, generics, |bound| {
        if let Some(users) = users_trait(bound) {
            are_plain &= namesakes::is_found_behind(users.span(), &users.to_string());
            found.push(bound.clone());
        }
    });
    if found.is_empty() || !are_plain {
        return Vec::new();
    }
    if !given::is_unsized(name, generics) {
        found.push(syn::parse_quote!(::core::marker::Sized));
    }
    found
}

/// What [`found_behind`] asks of what a type refers to, if anything: that it has it, and is what it is itself.
fn asked_behind(name: &Ident, generics: &Generics) -> Option<Vec<TypeParamBound>> {
    let mut behind = found_behind(name, generics);
    if behind.is_empty() {
        return None;
    }
    behind.push(syn::parse_quote!(::gpuvm::__private::Implementor));
    Some(behind)
}

/// The same as a bound of the type.
pub fn bound_behind(name: &Ident, generics: &Generics) -> Option<TypeParamBound> {
    let behind = asked_behind(name, generics)?;
    Some(syn::parse_quote!(::gpuvm::__private::Value<Inner: #(#behind)+*>))
}

/// What the user's own function, or `impl`, asks of a type parameter whose values its routine has: that without lifetimes it is all that the routine asks for. A number
/// has none. `values`: with the parameters of which that is asked.
pub fn erased_bounds(param: &TypeParam, generics: &Generics, values: &Generics) -> Vec<TypeParamBound> {
    let bounds = value_bounds(param, generics);
    let asked = asked_of_erased(&param.ident, generics, values);
    if given::is_range(&param.ident, generics) {
        return vec![syn::parse_quote!(::gpuvm::__private::Value<Inner: #asked #(+ #bounds)*>)];
    }
    let may_refer = may_be_reference(&param.ident, generics);
    let mut is_number = false;
    given::for_each_bound(&param.ident, generics, |bound| {
        is_number |= users_trait(bound).is_some_and(|of| namesakes::is_of_numbers(of.span(), &of.to_string()));
    });
    if is_number && !may_refer && !given::is_unsized(&param.ident, generics) {
        return bounds;
    }
    let bounds = bounds
        .into_iter()
        .filter(|bound| !may_refer || !excludes_references(bound));
    let bounds = bounds.chain(bound_behind(&param.ident, generics));
    vec![syn::parse_quote!(::gpuvm::__private::Value<Erased: #asked #(+ #bounds)*>)]
}

/// Whether a bound of a type parameter is by a trait that is not std's.
pub fn is_users(name: &Ident, generics: &Generics) -> bool {
    let is_users = |bound: &TypeParamBound| users_trait(bound).is_some();
    let mut found = false;
    given::for_each_bound(name, generics, |bound| found |= is_users(bound));
    // `&T: Shape` asks for a method of references, which is looked up on one to what `T` is.
    let refers = |predicate: &WherePredicate| match predicate {
        WherePredicate::Type(predicate) if is_reference(&predicate.bounded_ty) => {
            let of = without_references(&predicate.bounded_ty);
            matches!(of, Type::Path(path) if path.path.is_ident(name)) && predicate.bounds.iter().any(is_users)
        }
        _ => false,
    };
    found
        || generics
            .where_clause
            .iter()
            .flat_map(|clause| &clause.predicates)
            .any(refers)
}

/// Puts `'static` in the place of lifetimes that are declared where they are not any more.
struct Forget(Vec<Lifetime>);

impl VisitMut for Forget {
    fn visit_lifetime_mut(&mut self, node: &mut Lifetime) {
        if self.0.contains(node) {
            *node = Lifetime::new("'static", node.span());
        }
    }
}

/// What bounds of a type's associated types promise, those of the `Item` in `I: Iterator<Item: Ord>`.
fn promises_of_parts<'b>(ty: &Type, bounds: impl Iterator<Item = &'b TypeParamBound>) -> Vec<WherePredicate> {
    let mut found = Vec::new();
    for bound in bounds {
        let TypeParamBound::Trait(bound) = bound else {
            continue;
        };
        let mut path = bound.path.clone();
        let Some(PathArguments::AngleBracketed(arguments)) = path.segments.last_mut().map(|last| &mut last.arguments)
        else {
            continue;
        };
        let (parts, others): (Vec<_>, Vec<_>) = std::mem::take(&mut arguments.args)
            .into_iter()
            .partition(|argument| matches!(argument, GenericArgument::Constraint(_) | GenericArgument::AssocType(_)));
        arguments.args = others.into_iter().collect();
        for part in parts {
            if let GenericArgument::Constraint(part) = part {
                let name = &part.ident;
                // It may be one of a trait that this one implies.
                let ty: Type = match ty {
                    Type::Path(of) if of.path.get_ident().is_some() => syn::parse_quote!(#ty::#name),
                    _ => syn::parse_quote!(<#ty as #path>::#name),
                };
                found.extend(promises(&ty, part.bounds.iter()));
                found.extend(promises_of_parts(&ty, part.bounds.iter()));
                found.extend(given_iterators(&ty, part.bounds.iter()));
            }
        }
    }
    found
}

/// What the iterator that a parameter becomes, `I::IntoIter`, has to be inside of a routine, as its bounds say.
fn given_iterators<'b>(ty: &Type, bounds: impl Iterator<Item = &'b TypeParamBound>) -> Vec<WherePredicate> {
    let bounds = bounds.filter(|_| becomes_iterator(ty)).filter_map(given::bound);
    bounds.map(|bound| syn::parse_quote!(#ty: #bound)).collect()
}

/// Whether a type is the iterator that another becomes: of a caller's, that may not live for ever.
fn becomes_iterator(ty: &Type) -> bool {
    is_associated(ty)
        && matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "IntoIter"))
}

/// What [`promises`] says of the type, as bounds of it that a trait has for supertraits.
pub fn promised_of_itself<'b>(ty: &Type, bounds: impl Iterator<Item = &'b TypeParamBound>) -> Vec<TypeParamBound> {
    let promised = promises(ty, bounds)
        .into_iter()
        .filter_map(|predicate| match predicate {
            WherePredicate::Type(predicate) => Some(predicate.bounds),
            _ => None,
        });
    promised.flatten().collect()
}

/// What bounds of a type by std's traits promise: that their operators and methods are routines or the machine's own.
pub fn promises<'b>(ty: &Type, bounds: impl Iterator<Item = &'b TypeParamBound>) -> Vec<WherePredicate> {
    let mut promises = Vec::new();
    for bound in bounds {
        let TypeParamBound::Trait(bound) = bound else {
            continue;
        };
        // What is asked of a value that a text shows is no more than that.
        const OF_TEXTS: [&str; 3] = ["Debugs", "DebugsIf", "Shown"];
        let last = bound.path.segments.last();
        let Some(last) = last.filter(|last| OF_TEXTS.iter().all(|name| last.ident != name)) else {
            continue;
        };
        let mut right: Type = ty.clone();
        if let PathArguments::AngleBracketed(arguments) = &last.arguments
            && let Some(syn::GenericArgument::Type(argument)) = arguments.args.first()
        {
            right = argument.clone();
        }
        let name = last.ident.to_string();
        match name.as_str() {
            "From" => promises.push(syn::parse_quote!(#ty: ::gpuvm::__private::Convert<#right>)),
            "Into" => promises.push(syn::parse_quote!(#right: ::gpuvm::__private::Convert<#ty>)),
            "TryFrom" | "TryInto" => {
                let (to, from) = if name == "TryFrom" { (ty, &right) } else { (&right, ty) };
                let path = &bound.path;
                promises.push(syn::parse_quote!(#to: ::gpuvm::__private::TryConvert<#from>));
                promises.push(syn::parse_quote!(<#ty as #path>::Error: ::gpuvm::__private::Unreferenced));
            }
            "Sum" | "Product" | "FromIterator" => {
                let method = match name.as_str() {
                    "Sum" => "sum",
                    "Product" => "product",
                    _ => "collect",
                };
                let (hash, item) = (gpuvm_nodes::name_hash(method), crate::generic::forever(&right));
                promises.push(syn::parse_quote!(#ty: ::gpuvm::__private::Gathers<#hash, #item>));
            }
            "Extend" => {
                let of = behind(ty);
                promises.push(syn::parse_quote!(#of: ::gpuvm::__private::Extends<#right>));
            }
            "AsRef" | "AsMut" | "Borrow" | "BorrowMut" => {
                let (hash, lent) = (gpuvm_nodes::name_hash(lending(&name)), behind(&right));
                let of = behind(ty);
                promises.push(syn::parse_quote!(#of: ::gpuvm::__private::Lends<#hash, #lent>));
            }
            "Write" if is_of_fmt(&bound.path) => {
                let of = behind(ty);
                promises
                    .push(syn::parse_quote!(#of: ::gpuvm::__private::Sink + ::gpuvm::__private::WrittenTo<Sink = #of>));
            }
            "Hash" => {
                let of = behind(ty);
                promises.push(syn::parse_quote!(#of: ::gpuvm::__private::HashesArrays));
                promises.push(syn::parse_quote!(#ty: ::gpuvm::__private::HashesArrays));
            }
            "Hasher" => promises.push(syn::parse_quote!(#ty: ::gpuvm::__private::HashState)),
            "FromStr" => {
                promises.push(syn::parse_quote!(#ty: ::gpuvm::__private::Parse));
                promises.push(syn::parse_quote!(<#ty as ::core::str::FromStr>::Err: ::gpuvm::__private::Unreferenced));
            }
            "Display" => {
                let of = behind(ty);
                promises.push(syn::parse_quote!(#of: ::gpuvm::__private::Displays));
            }
            "RangeBounds" => {
                for method in ["start_bound", "end_bound"] {
                    let hash = gpuvm_nodes::name_hash(method);
                    promises.push(syn::parse_quote! {
                        #ty: ::gpuvm::__private::GenericMethod<#hash, (), ::core::ops::Bound<&'static #right>>
                    });
                }
                let hash = gpuvm_nodes::name_hash("contains");
                promises.push(syn::parse_quote!(#ty: ::gpuvm::__private::GenericMethod<#hash, &'static #right, bool>));
            }
            _ => {}
        }
        if name == "Default" {
            promises.push(syn::parse_quote!(#ty: ::gpuvm::__private::VmType));
        } else if is_associated(ty) && !becomes_iterator(ty) {
            promises.push(syn::parse_quote!(#ty: ::gpuvm::__private::Static));
        }
        let behind = behind(ty);
        for method in methods_promised(&name) {
            let hash = gpuvm_nodes::name_hash(method);
            promises.push(syn::parse_quote!(#behind: ::gpuvm::__private::Method<#hash>));
        }
        for operator in implied(&name)
            .into_iter()
            .flat_map(operators_of_trait)
            .map(|(_, operator)| *operator)
        {
            let right = match operator {
                Operator::Neg | Operator::Not => syn::parse_quote!(()),
                _ => right.clone(),
            };
            let operation = Operation::promised(operator, ty, &right);
            let (implementor, bound) = (operation.implementor(), operation.bound());
            promises.push(syn::parse_quote!(#implementor: #bound));
        }
    }
    promises
}

/// What a type refers to, if it may turn out to be a reference.
fn behind(ty: &Type) -> Type {
    match may_refer(ty) {
        true => syn::parse_quote!(<#ty as ::gpuvm::__private::Value>::Inner),
        false => ty.clone(),
    }
}

/// The method of one of std's traits that lend.
pub fn lending(name: &str) -> &'static str {
    match name {
        "AsRef" => "as_ref",
        "AsMut" => "as_mut",
        "Borrow" => "borrow",
        "BorrowMut" => "borrow_mut",
        _ => "",
    }
}

/// The methods that bounds of std's traits that lend promise.
fn lending_promised(generics: &Generics) -> Vec<&'static str> {
    struct Search(Vec<&'static str>);
    impl<'ast> Visit<'ast> for Search {
        fn visit_trait_bound(&mut self, node: &'ast syn::TraitBound) {
            let last = node.path.segments.last().map(|last| last.ident.to_string());
            self.0
                .extend(last.map(|name| lending(&name)).filter(|name| !name.is_empty()));
            visit::visit_trait_bound(self, node);
        }
    }
    let mut search = Search(Vec::new());
    search.visit_generics(generics);
    search.0
}

/// The methods that a bound by one of std's traits promises.
pub fn methods_promised(name: &str) -> &'static [&'static str] {
    match name {
        "Clone" => &["clone"],
        "PartialEq" => &["eq", "ne"],
        "Eq" => &["eq", "ne"],
        "PartialOrd" => &["eq", "ne", "partial_cmp", "lt", "le", "gt", "ge"],
        "Ord" => crate::comparison::METHODS,
        "FromStr" => &["from_str"],
        _ => &[],
    }
}

/// The traits with operators that a bound implies.
pub fn implied(name: &str) -> Vec<&str> {
    match name {
        "Eq" => vec!["PartialEq"],
        "PartialOrd" | "Ord" => vec!["PartialEq", "PartialOrd"],
        other => vec![other],
    }
}

/// The operator whose trait's method has a name; not comparisons, which types have as methods anyway.
pub fn operator_of_method(name: &str) -> Option<Operator> {
    const TRAITS: [&str; 12] = [
        "Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr", "Neg", "Not",
    ];
    let mut operators = TRAITS.into_iter().flat_map(operators_of_trait);
    operators
        .find(|(method, _)| *method == name)
        .map(|(_, operator)| *operator)
}

/// The operators that a trait of std overloads, with the names of its methods.
pub fn operators_of_trait(name: &str) -> &'static [(&'static str, Operator)] {
    use Operator::*;
    match name {
        "Add" => &[("add", Add)],
        "Sub" => &[("sub", Sub)],
        "Mul" => &[("mul", Mul)],
        "Div" => &[("div", Div)],
        "Rem" => &[("rem", Rem)],
        "BitAnd" => &[("bitand", BitAnd)],
        "BitOr" => &[("bitor", BitOr)],
        "BitXor" => &[("bitxor", BitXor)],
        "Shl" => &[("shl", Shl)],
        "Shr" => &[("shr", Shr)],
        "Neg" => &[("neg", Neg)],
        "Not" => &[("not", Not)],
        "Index" => &[("index", Index)],
        "IndexMut" => &[("index_mut", IndexMut)],
        "AddAssign" => &[("add_assign", AddAssign)],
        "SubAssign" => &[("sub_assign", SubAssign)],
        "MulAssign" => &[("mul_assign", MulAssign)],
        "DivAssign" => &[("div_assign", DivAssign)],
        "RemAssign" => &[("rem_assign", RemAssign)],
        "BitAndAssign" => &[("bitand_assign", BitAndAssign)],
        "BitOrAssign" => &[("bitor_assign", BitOrAssign)],
        "BitXorAssign" => &[("bitxor_assign", BitXorAssign)],
        "ShlAssign" => &[("shl_assign", ShlAssign)],
        "ShrAssign" => &[("shr_assign", ShrAssign)],
        // The encoder negates `==` for `!=`.
        "PartialEq" => &[("eq", Eq), ("eq", Ne)],
        "PartialOrd" => &[("lt", Lt), ("le", Le), ("gt", Gt), ("ge", Ge)],
        _ => &[],
    }
}

/// The arguments that name a generic item's instance from inside.
pub fn turbofish(generics: &Generics) -> proc_macro2::TokenStream {
    let (_, arguments, _) = generics.split_for_impl();
    let arguments = arguments.as_turbofish();
    quote!(#arguments)
}
