//! `#[routine]` on an `impl` block. Each method's code hangs on the type itself, so that `Self` means in its shadow what it means
//! in the block. The impls of `Method` and `Operation` lead callers there; where the trait is one of the user's, its own items do.

use std::iter;

use gpuvm_nodes::node::Operator;
use gpuvm_nodes::{method, name_hash};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Expr, GenericParam, ImplItem, ImplItemFn, ItemImpl, PathArguments, Type};

use crate::args::{Args, Role};
use crate::as_std::Known;
use crate::asking_more;
use crate::callable;
use crate::code::{Code, Home};
use crate::comparison;
use crate::emit;
use crate::expansion;
use crate::generic::{Twins, all_forever, forever, own_name, own_type, receiver_as_written, routine_name};
use crate::given;
use crate::lower::{asking_name, twin_name};
use crate::namesakes;
use crate::native::{self, SelfType};
use crate::opaque;
use crate::operation::{Operation, is_reference, with_iterators, without_references};
use crate::parameters;
use crate::primitive;
use crate::promised;
use crate::report::Report;
use crate::rewrite::{Forever, Qualify, with_named_lifetimes, with_self};
use crate::routine::{
    Iterators, Parts, Within, bound_behind, erased_bounds, impl_generics, is_of_fmt, is_std_trait, is_users,
    operators_of_trait, promised_of_itself, shown, value_bounds, vm_generics,
};

/// Whether a `Clone` gives what is there: `*self`, or its own type with each field cloned.
fn copies(block: &ItemImpl) -> bool {
    fn is_self(expr: &Expr) -> bool {
        matches!(expr, Expr::Path(path) if path.path.is_ident("self"))
    }
    fn is_field(value: &syn::FieldValue) -> bool {
        let mut of = &value.expr;
        if let Expr::MethodCall(call) = of
            && call.method == "clone"
            && call.args.is_empty()
        {
            of = &call.receiver;
        }
        match of {
            Expr::Field(field) => is_self(&field.base) && field.member == value.member,
            Expr::Path(path) => path
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "PhantomData"),
            _ => false,
        }
    }
    let [ImplItem::Fn(function)] = &block.items[..] else {
        return false;
    };
    match &function.block.stmts[..] {
        [syn::Stmt::Expr(Expr::Unary(unary), None)] => matches!(unary.op, syn::UnOp::Deref(_)) && is_self(&unary.expr),
        [syn::Stmt::Expr(Expr::Struct(of), None)] => of.rest.is_none() && of.fields.iter().all(is_field),
        _ => false,
    }
}

/// Std's traits of texts that show numbers in other ways.
const FORMATS_OF_NUMBERS: [&str; 7] = [
    "Binary", "LowerExp", "LowerHex", "Octal", "Pointer", "UpperExp", "UpperHex",
];

/// `#[routine] impl Type { … }` and `#[routine] impl Trait for Type { … }`
pub fn implementation(args: &Args, block: &ItemImpl, mut report: Report) -> TokenStream {
    if let Some(blocks) = asking_more::apart(block) {
        let reports = iter::once(report).chain(iter::repeat_with(Report::default));
        return blocks
            .iter()
            .zip(reports)
            .map(|(block, report)| implementation(args, block, report))
            .collect();
    }
    if let Some(block) = comparison::with_order(block).or_else(|| with_length(args, block)) {
        return implementation(args, &block, report);
    }
    if let Some(token) = &block.modifiers.polarity {
        report.negative_impl(token);
    }
    if let Some(token) = &block.unsafety {
        report.unsafe_code(token);
    }
    let named = with_named_lifetimes(block);
    let of = Block::of(args, &named);
    let of_user = of.may_promise(args);
    if of.is_machine && !of_user && of.operators.is_empty() && !is_conversion(&of.trait_name) {
        report.machine_type(&block.self_ty);
    }
    if let Some((path, _)) = &block.trait_
        && of.trait_name == "Clone"
        && of.is_generic
    {
        // Who clones by copying says what routines do anyway.
        if copies(block) {
            return quote!(#block);
        }
        report.generic_clone(path);
    }
    if of.trait_name == "Deref" {
        crate::behind::check(block, &mut report);
    }
    if let Some((path, _)) = &block.trait_
        && FORMATS_OF_NUMBERS.contains(&&*of.trait_name)
    {
        report.format_of_numbers(path);
        let errors = report.into_tokens();
        return quote!(#block #errors);
    }
    crate::circles::check(block, &mut report);
    let methods: Vec<Method> = named
        .items
        .iter()
        .filter_map(|item| match item {
            ImplItem::Fn(function) => Some(Method::of(&of, function, &mut report)),
            _ => None,
        })
        .collect();
    if !report.is_empty() {
        let errors = report.into_tokens();
        if of_user {
            let block = of.of_user(block.clone(), &methods, true);
            return quote!(#block #errors);
        }
        let stand_ins = methods.iter().map(|method| {
            let (stand_in, twin) = (method.stand_in(&of), method.twin(&of));
            quote!(#stand_in #twin)
        });
        return quote!(#block #(#stand_ins)* #errors);
    }
    let mut native = block.clone();
    if of_user {
        of.promise(&mut native.generics, &methods);
    }
    let callers = match block.trait_ {
        None => opaque::callers(block),
        Some(_) => Vec::new(),
    };
    if !args.library && block.trait_.is_some() && !of_user {
        promised::of_block(&mut native.generics, &mut native.attrs, &of.trait_name, &block.self_ty);
    }
    let is_of_routines = of_user && namesakes::is_routine_trait(crate::shadow::at(&block.self_ty), &of.trait_name);
    let self_type = SelfType::of(block);
    // The functions whose native copies differ from what the user's macros make.
    let mut changed = Vec::new();
    for item in &mut native.items {
        let ImplItem::Fn(function) = item else {
            continue;
        };
        let name = crate::plain_name(&function.sig.ident);
        let is_redirected =
            !args.library && native::redirect(&function.sig, &mut function.block, args.originals.get(&name), self_type);
        let signature = args.has_originals().then(|| function.sig.to_token_stream().to_string());
        if block.trait_.is_none() {
            opaque::promise(&mut function.sig, &mut function.attrs, &block.generics);
        }
        if callers.contains(&&function.sig.ident) {
            opaque::promise_of_caller(&mut function.sig, &mut function.attrs, &block.generics);
        } else if !args.library && block.trait_.is_none() {
            promised::of_function(&mut function.sig, &mut function.attrs, &block.generics);
        } else if !args.library && is_of_routines {
            // Its trait says the same of it.
            promised::of_method(&mut function.sig, &mut function.attrs, &syn::Generics::default());
        }
        let is_promised = signature.is_some_and(|before| before != function.sig.to_token_stream().to_string());
        if is_redirected || is_promised {
            changed.push(name);
        }
        let Some(method) = methods.iter().find(|method| function.sig.ident == method.name) else {
            continue;
        };
        let routine = match of_user {
            true => method.marker(),
            false => {
                let (hash, right) = (method.hash, &method.right);
                quote!(::gpuvm::__private::MethodOf<Self, #right, #hash>)
            }
        };
        if args.library || function.sig.constness.is_some() {
            continue;
        }
        let guard = emit::guard(
            method.parts.lowered.calls,
            function.sig.ident.span(),
            routine,
            &method.generics,
        );
        if !guard.is_empty() {
            changed.push(method.name.clone());
        }
        emit::begin(&mut function.block, guard);
    }
    expansion::restore(&mut native.items, &args.originals, &changed);
    if of_user {
        return of.of_user(native, &methods, false);
    }
    let methods = methods.iter().map(|method| method.tokens(&of));
    quote!(#native #(#methods)*)
}

/// An `ExactSizeIterator` with the `len` that std has a body for, if it lacks that.
fn with_length(args: &Args, block: &ItemImpl) -> Option<ItemImpl> {
    let (path, _) = block.trait_.as_ref()?;
    let is_exact = path.segments.last()?.ident == "ExactSizeIterator";
    let is_len = |item: &ImplItem| matches!(item, ImplItem::Fn(function) if function.sig.ident == "len");
    // What is known of an iterator inside, its own bounds say.
    let is_generic = block.generics.type_params().next().is_some();
    if !is_exact || is_generic || args.library || block.items.iter().any(is_len) {
        return None;
    }
    let mut block = block.clone();
    block.items.push(syn::parse_quote! {
        fn len(&self) -> usize {
            let (lower, upper) = ::core::iter::Iterator::size_hint(self);
            ::core::assert_eq!(upper, ::core::option::Option::Some(lower));
            lower
        }
    });
    Some(block)
}

/// What an `impl` that a derive of std's makes would be beside it, as a routine.
pub fn derived(block: &ItemImpl) -> TokenStream {
    let mut report = Report::default();
    let args = Args::parse(Role::Routine, TokenStream::new(), &mut report);
    let named = with_named_lifetimes(block);
    let of = Block::of(&args, &named);
    let functions = named.items.iter().filter_map(|item| match item {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    let methods: Vec<Method> = functions
        .map(|function| Method::of(&of, function, &mut report))
        .collect();
    if !report.is_empty() {
        return TokenStream::new();
    }
    methods.iter().map(|method| method.tokens(&of)).collect()
}

/// Types of std's by name, of which a user's crate cannot say which methods they have.
const STD_TYPES: [&str; 13] = [
    "ControlFlow",
    "Duration",
    "NonZero",
    "Ordering",
    "PhantomData",
    "Range",
    "RangeFrom",
    "RangeInclusive",
    "RangeTo",
    "Result",
    "Reverse",
    "Saturating",
    "str",
];

/// What all methods of an `impl` block share.
struct Block<'b> {
    args: &'b Args,
    block: &'b ItemImpl,
    /// Its generics where callers look: those of the type that they have.
    generics: syn::Generics,
    /// The same where code is: of what is given.
    code: syn::Generics,
    /// Whether its type parameters are values of a launch.
    launched: bool,
    /// The type that has the code: the block's, with iterators that are given in the place of its type parameters that are iterators.
    given: Type,
    /// The type without references, where callers look.
    inner: Type,
    /// The type's name, for messages.
    type_name: String,
    /// Empty for an inherent `impl`.
    trait_name: String,
    operators: &'static [(&'static str, Operator)],
    /// The right operand's type as it is written.
    operand: Type,
    /// The same without references, `()` where there is none.
    right: Type,
    /// Whether the type is the machine's own.
    is_machine: bool,
    /// Whether the type has arguments that are types.
    is_generic: bool,
    /// Whether a comparison of the block is one of values of the type.
    compares_itself: bool,
    /// Whether what the type derives asks the block therefore.
    is_compared: bool,
}

impl<'b> Block<'b> {
    fn of(args: &'b Args, block: &'b ItemImpl) -> Block<'b> {
        let inner = without_references(&block.self_ty);
        let last = block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        let mut trait_name = last.map(|last| last.ident.to_string()).unwrap_or_default();
        if let Some((path, _)) = block.trait_.as_ref().filter(|_| trait_name == "Write")
            && !is_of_fmt(path)
        {
            // A trait of the user's of that name.
            trait_name.insert_str(0, "own ");
        }
        let operators = operators_of_trait(&trait_name);
        let is_machine = primitive::Known::of(&inner) != primitive::Known::Unknown;
        // Of a conversion into a number, the user's type is the one that is converted.
        let has_right = !operators.is_empty() || is_machine && is_conversion(&trait_name);
        let operand = match last.map(|last| &last.arguments) {
            Some(PathArguments::AngleBracketed(arguments)) if has_right => match arguments.args.first() {
                Some(syn::GenericArgument::Type(ty)) => with_self(ty, &block.self_ty),
                _ => (*block.self_ty).clone(),
            },
            _ if operators.is_empty() || matches!(trait_name.as_str(), "Neg" | "Not") => {
                syn::parse_quote!(())
            }
            _ => (*block.self_ty).clone(),
        };
        let right = without_references(&operand);
        let is_generic = has_type_arguments(&inner, &block.generics);
        // A comparison with a reference is another one.
        let is_even = is_reference(&operand) == is_reference(&block.self_ty);
        let known = with_lifetimes(
            impl_generics(args.library, Iterators::Known, &block.generics),
            &block.generics,
        );
        let code = with_lifetimes(
            impl_generics(args.library, Iterators::Given, &block.generics),
            &block.generics,
        );
        let is_own = is_even && right.to_token_stream().to_string() == inner.to_token_stream().to_string();
        let mut of = Block {
            is_generic,
            is_machine,
            compares_itself: is_own || trait_name == "Ord",
            is_compared: (is_own || trait_name == "Ord") && !is_generic && !is_machine,
            args,
            block,
            generics: known,
            code,
            launched: false,
            given: match args.library {
                true => (*block.self_ty).clone(),
                false => given::given(&block.self_ty, &block.generics),
            },
            type_name: match &inner {
                Type::Path(path) => path
                    .path
                    .segments
                    .last()
                    .map(|last| last.ident.to_string())
                    .unwrap_or_default(),
                other => other.to_token_stream().to_string(),
            },
            inner,
            trait_name,
            operators,
            operand,
            right,
        };
        let texts = shown(&block.generics, block);
        of.launched = of.may_promise(args) && of.has_launched();
        for generics in [&mut of.generics, &mut of.code] {
            if !texts.is_empty() {
                generics.make_where_clause().predicates.extend(texts.clone());
            }
            for param in generics.type_params_mut().filter(|_| of.launched) {
                param.bounds.push(syn::parse_quote!(::gpuvm::__private::VmType));
            }
        }
        of
    }

    /// Whether the block, of a trait that may be a `#[routine]` one, is for values of a launch alone: no bound is by a trait of the user's, which what wraps a value
    /// of any type would have, or a method has parameters of its own.
    fn has_launched(&self) -> bool {
        let generics = &self.block.generics;
        let has_own = |item: &ImplItem| match item {
            ImplItem::Fn(function) => {
                let erased = callable::erase(&function.sig, &function.block);
                !erased.signature.generics.params.iter().all(is_lifetime)
            }
            _ => false,
        };
        let is_of_users = |param: &syn::TypeParam| is_users(&param.ident, generics);
        self.block.items.iter().any(has_own) || !self.gives() && !generics.type_params().any(is_of_users)
    }

    /// Whether the trait may be a `#[routine]` one.
    fn may_promise(&self, args: &Args) -> bool {
        self.block.trait_.is_some() && !args.library && !is_std_trait(&self.trait_name)
    }

    /// A `#[routine]` trait asks of the type that its methods are routines. They are those of what type parameters stand for without lifetimes.
    fn promise(&self, generics: &mut syn::Generics, methods: &[Method]) {
        if self.launched {
            return self.promise_values(generics);
        }
        for param in generics.type_params_mut() {
            let asked = given::arguments(&param.ident, &self.block.generics);
            let asked = match asked.is_empty() {
                true => erased_bounds(param, &self.block.generics, &self.block.generics),
                false => asked,
            };
            param.bounds.extend(asked);
        }
        // The trait's supertraits promise their operators of what implements it.
        if let Type::Path(of) = &*self.block.self_ty
            && let Some(name) = of.path.get_ident()
        {
            let bounds = given::all_bounds(name, &self.block.generics);
            let promised = promised_of_itself(&self.block.self_ty, bounds.iter());
            for param in generics.type_params_mut().filter(|param| param.ident == *name) {
                param.bounds.extend(promised.clone());
            }
        }
        let is_generic = generics.type_params().next().is_some();
        for method in methods.iter().filter(|_| is_generic) {
            let marker = method.marker();
            let predicates = &mut generics.make_where_clause().predicates;
            predicates.push(syn::parse_quote!(#marker: ::gpuvm::__private::RoutineType));
        }
    }

    /// The same of values of a launch.
    fn promise_values(&self, generics: &mut syn::Generics) {
        for param in generics.type_params_mut() {
            if let Some(promised) = self
                .generics
                .type_params()
                .find(|promised| promised.ident == param.ident)
            {
                param.bounds = promised.bounds.clone();
            }
        }
        if let Some(clause) = &self.generics.where_clause {
            let predicates = clause.predicates.iter().cloned();
            generics.make_where_clause().predicates.extend(predicates);
        }
    }

    /// The block itself, which tells its trait of the methods' routines if the trait is a `#[routine]` one: then there is a macro of its name. `refused`:
    /// beside errors of the block callers find routines, and show no errors of their own.
    fn of_user(&self, mut native: ItemImpl, methods: &[Method], refused: bool) -> TokenStream {
        let Some((path, _)) = &self.block.trait_ else {
            return native.into_token_stream();
        };
        let mut plain = path.clone();
        if crate::lower::is_in_prelude(&plain) {
            // Of the file's own and what the prelude's glob has, an import would find both.
            plain = syn::parse_quote!(self::#plain);
        }
        let last = plain.segments.last_mut();
        let arguments = match last.map(|last| std::mem::take(&mut last.arguments)) {
            Some(PathArguments::AngleBracketed(arguments)) => arguments.args,
            _ => Default::default(),
        };
        let arguments = arguments
            .into_iter()
            .filter(|argument| !matches!(argument, syn::GenericArgument::Lifetime(_)))
            .map(|argument| match argument {
                syn::GenericArgument::Type(ty) => {
                    syn::GenericArgument::Type(parameters::without_lifetimes(&ty, &self.block.generics))
                }
                other => other,
            });
        let mut erased = parameters::without_lifetimes(&self.block.self_ty, &self.block.generics);
        if let Type::Path(of) = &*self.block.self_ty
            && let Some(name) = of.path.get_ident()
            && bound_behind(name, &self.block.generics).is_some()
        {
            // A reference has what the trait provides as what it refers to.
            erased = syn::parse_quote!(<#erased as ::gpuvm::__private::Value>::Inner);
        }
        let written = methods.iter().map(|method| syn::Ident::new(&method.name, method.line));
        let told = methods.iter().map(|method| method.told(refused));
        native.items.push(ImplItem::Verbatim(quote! {
            #(#told)*
            __gpuvm_provided! { @rest [#(#written)*] { [::gpuvm::__private] [#erased #(, #arguments)*] } }
        }));
        let code = methods.iter().filter(|_| !refused).map(|method| method.code(self));
        let unlisted = self.unlisted(methods, refused);
        quote! {
            const _: () = {
                use ::gpuvm::__private::nothing_provided as __gpuvm_provided;
                const _: () = {
                    #[allow(unused_imports)]
                    use #plain as __gpuvm_provided;
                    // What the path leads to is known before the macros in here are.
                    const _: () = {
                        #native
                        #(#code)*
                        #unlisted
                    };
                };
            };
        }
    }

    /// What finds the methods of a type of the user's by their names: where no trait tells of them, and where std has a method of that name.
    fn unlisted(&self, methods: &[Method], refused: bool) -> TokenStream {
        let plain: Vec<&Method> = methods.iter().filter(|method| method.own.params.is_empty()).collect();
        if !self.is_users() {
            let path = self.block.trait_.as_ref().map(|(path, _)| path);
            let message = format!(
                "`{}` is not a #[routine] trait, so it cannot have routines for a type that is not your own; put `#[routine]` above the `trait`",
                self.trait_name
            );
            let span = path.map_or_else(proc_macro2::Span::call_site, crate::shadow::at);
            let refusal =
                (!refused && !plain.is_empty()).then(|| quote_spanned!(span=> ::core::compile_error! { #message }));
            return quote!(__gpuvm_provided! { @unlisted { #refusal } });
        }
        // A trait with parameters may be implemented several times for the type: only what is given tells which method it is.
        let (std, other): (Vec<&Method>, Vec<&Method>) = plain
            .into_iter()
            .partition(|method| method::is_std(&method.name, true) && !self.has_arguments());
        let found = |method: &Method| match refused {
            true => method.stand_in(self),
            false => method.method(self, &method.call()),
        };
        let (std, other) = (std.into_iter().map(found), other.into_iter().map(found));
        quote! {
            #(#std)*
            __gpuvm_provided! { @unlisted { #(#other)* } }
        }
    }

    /// Whether the block's trait has parameters.
    fn has_arguments(&self) -> bool {
        let last = self.block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        matches!(last.map(|last| &last.arguments), Some(PathArguments::AngleBracketed(_)))
    }

    /// What may stand to the right of its operator: where that takes a shared reference, a unique one becomes it.
    fn operands(&self) -> impl Iterator<Item = Type> {
        let unique = match &self.operand {
            Type::Reference(shared) if shared.mutability.is_none() && !self.is_comparison() => {
                let mut unique = shared.clone();
                unique.mutability = Some(Default::default());
                Some(Type::Reference(unique))
            }
            _ => None,
        };
        iter::once(self.operand.clone()).chain(unique)
    }

    /// Whether the type is the user's own, for all that can be seen.
    fn is_users(&self) -> bool {
        let Type::Path(path) = &*self.block.self_ty else {
            return false;
        };
        let is_parameter = self
            .generics
            .type_params()
            .any(|param| path.path.is_ident(&param.ident));
        let is_std = path
            .path
            .segments
            .last()
            .is_some_and(|last| STD_TYPES.iter().any(|name| last.ident == name));
        !self.is_machine && !is_parameter && !is_std
    }

    /// A type that the block says, without lifetimes.
    fn associated_type(&self, name: &str) -> Option<Type> {
        self.block.items.iter().find_map(|item| match item {
            ImplItem::Type(item) if item.ident == name => Some(forever(&item.ty)),
            _ => None,
        })
    }

    /// Whether type parameters are iterators, so that the code is of others than the type that callers have.
    fn gives(&self) -> bool {
        let generics = &self.block.generics;
        let mut params = generics.type_params();
        !self.args.library && params.any(|param| given::is_iterator(&param.ident, generics))
    }

    /// Says of a generic type what it is to the machine, where a method is given an iterator, whose items may be values of the type: rustc goes by what it is told
    /// of items, and no more by what it knows of the type.
    fn known_as_itself(&self, own: &syn::Generics) -> Option<syn::WherePredicate> {
        let is_given = own.type_params().any(|param| given::is_iterator(&param.ident, own));
        let params = &self.block.generics.params;
        let is_generic = !params.is_empty() && !params.iter().any(is_lifetime);
        let ty = &self.block.self_ty;
        (is_given && is_generic && !is_reference(ty)).then(|| syn::parse_quote!(#ty: ::gpuvm::__private::Unreferenced))
    }

    /// Whether it is of one of std's traits that compare.
    fn is_comparison(&self) -> bool {
        matches!(self.trait_name.as_str(), "PartialEq" | "PartialOrd" | "Ord")
    }
}

/// One method of the block.
struct Method {
    name: String,
    /// Of its name and its trait, under which its code is kept.
    hash: u32,
    parts: Parts,
    /// By which the type of its own parameters is known.
    alias: String,
    line: proc_macro2::Span,
    /// As the function has them, with a name for the receiver's.
    lifetimes: Vec<syn::LifetimeParam>,
    receiver: Option<Type>,
    output: syn::ReturnType,
    /// The method's own type and const parameters.
    own: syn::Generics,
    /// By what a call finds it, where it has parameters of its own and the name of one of std's.
    as_std: Option<Known>,
    /// The block's generics, and after them the method's own.
    generics: syn::Generics,
    /// What is known beside the type where the method's code is: the right operand's type, or the method's own parameters.
    right: Type,
}

impl Method {
    fn of(of: &Block<'_>, function: &ImplItemFn, report: &mut Report) -> Method {
        let mut function = function.clone();
        if matches!(of.trait_name.as_str(), "Display" | "Debug") {
            by_sink(&mut function.sig);
        }
        if let Some((path, _)) = &of.block.trait_ {
            let types = of.block.items.iter().filter_map(|item| match item {
                ImplItem::Type(item) => Some(item.ident.to_string()),
                _ => None,
            });
            Qualify {
                path,
                types: types.collect(),
            }
            .visit_impl_item_fn_mut(&mut function);
            if let Some((path, name)) = implied_type(path, &of.trait_name) {
                Qualify {
                    path: &path,
                    types: vec![name.to_owned()],
                }
                .visit_impl_item_fn_mut(&mut function);
            }
        }
        let name = crate::plain_name(&function.sig.ident);
        let path = of
            .block
            .trait_
            .as_ref()
            .map(|(path, _)| path.to_token_stream().to_string())
            .unwrap_or_default();
        let hash = if path.is_empty() {
            name_hash(&name)
        } else {
            name_hash(&format!("{}::{name}", std_trait(&path)))
        };
        let line = function.sig.ident.span();
        // Those of different blocks must not meet.
        let alias = format!(
            "{name}_{:08x}",
            name_hash(&format!("{hash}{}", of.block.self_ty.to_token_stream()))
        );
        let within = Within {
            name: &name,
            generics: &of.block.generics,
            is_trait: false,
            is_of_references: false,
            of: match &*of.block.self_ty {
                Type::Path(ty) => ty.path.get_ident(),
                _ => None,
            },
        };
        let parts = Parts::of(
            &function.sig,
            &function.block,
            Some(&within),
            of.args.is_unseen(),
            report,
        );
        let mut own = match parts.generics.params.iter().all(is_lifetime) {
            true => syn::Generics::default(),
            false => vm_generics(of.args.library, &parts.generics),
        };
        // Facts are of values that live for ever, those in what the block borrows, too.
        Forever.visit_generics_mut(&mut own);
        let (mut generics, mut right, mut as_std) = (of.code.clone(), of.right.clone(), None);
        if !own.params.is_empty() {
            let is_named = function.sig.receiver().is_some() && method::is_std(&name, true);
            as_std = Known::of(&name, &parts, &own, &of.block.self_ty).filter(|_| is_named && of.trait_name.is_empty());
            if is_named && !is_std_trait(&of.trait_name) && as_std.is_none() && namesakes::is_taken(&name) {
                report.generic_method(syn::Ident::new(&name, line));
            }
            let name = own_name(&alias);
            let names = own.params.iter().map(given::name);
            right = syn::parse_quote!(#name<#(#names),*>);
            generics.params.extend(own.params.iter().cloned());
            if !of.args.library {
                let asked = asked_of_block(&own, &of.block.generics);
                generics.make_where_clause().predicates.extend(asked);
            }
            let predicates = own.where_clause.iter().flat_map(|clause| &clause.predicates).cloned();
            generics.make_where_clause().predicates.extend(predicates);
            if let Some(itself) = of.known_as_itself(&own) {
                generics.make_where_clause().predicates.push(itself);
            }
        }
        if of.trait_name == "Iterator" && name == "size_hint" {
            // It asks that of the iterators inside, which not all have as a routine.
            let inside = of.block.generics.type_params();
            let inside = inside.filter(|param| given::is_iterator(&param.ident, &of.block.generics));
            let asked = inside.filter(|_| !of.args.library).map(|param| {
                let name = &param.ident;
                syn::parse_quote!(#name: ::gpuvm::__private::Hinted)
            });
            let asked: Vec<syn::WherePredicate> = asked.collect();
            if !asked.is_empty() {
                generics.make_where_clause().predicates.extend(asked);
            }
        }
        let (receiver, output, lifetimes) = receiver_as_written(&function.sig);
        Method {
            own,
            as_std,
            generics,
            right,
            parts,
            name,
            hash,
            alias,
            line,
            lifetimes,
            receiver,
            output,
        }
    }

    fn tokens(&self, of: &Block<'_>) -> TokenStream {
        let (implementation, _, clause) = self.generics.split_for_impl();
        let (own, right, hash) = (&of.block.self_ty, &self.right, self.hash);
        let params = emit::params(&self.parts);
        let result = emit::result(&self.parts);
        let source = emit::source(
            &format!("{}::{}", of.type_name, self.name),
            self.line,
            of.args,
            &self.parts,
        );
        // Whatever lives for ever does so as long as it is borrowed.
        let (lasting, lasting_right) = (forever(&of.given), forever(right));
        let call = quote!(::core::option::Option::Some(<#lasting as ::gpuvm::__private::MethodBody<#hash, #lasting_right>>::CALL));
        let is_generic = !self.own.params.is_empty();
        let method = if is_generic {
            self.own_tokens(of)
        } else {
            self.method(of, &call)
        };
        let routine = emit::encoding(&self.parts, &quote!(::gpuvm::__private::MethodOf<Self, #right, #hash>));
        let marker = quote!(::gpuvm::__private::MethodOf<Self, #right, #hash>);
        let inline = emit::inline(
            of.args.inline,
            &self.parts,
            &marker,
            &quote!(<Self as ::gpuvm::__private::MethodBody<#hash, #right>>),
            &self.generics,
        );
        let traits = self.traits(of);
        let twin = self.twin(of);
        let order = self.order_of_generic(of);
        let lookup = self.lookup(of);
        let operators = of
            .operators
            .iter()
            .filter(|(name, _)| self.name == *name && !(of.is_comparison() && of.is_compared))
            .flat_map(|(_, operator)| of.operands().map(|operand| Operation::of(*operator, own, &operand)))
            .map(|operation| operator(of, &lookup, &operation, &call));
        quote! {
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::MethodBody<#hash, #right> for #own #clause {
                const PARAMS: &'static [::gpuvm::__private::TypeRef] = #params;
                const RESULT: ::gpuvm::__private::TypeRef = #result;
                #source
                #inline
                fn routine() -> &'static ::gpuvm::__private::Routine {
                    #routine
                }
            }
            #method
            #traits
            #twin
            #order
            #(#operators)*
        }
    }

    /// What std has bodies for beside a comparison of a generic type, as far as the block does not write it: operators and methods.
    fn order_of_generic(&self, of: &Block<'_>) -> TokenStream {
        if comparison::comparison(&of.trait_name, &self.name).is_none() {
            return TokenStream::new();
        }
        if !of.is_generic || !of.compares_itself || of.is_machine || of.args.library {
            return TokenStream::new();
        }
        let has = |name: &str| {
            let mut items = of.block.items.iter();
            items.any(|item| matches!(item, ImplItem::Fn(function) if function.sig.ident == name))
        };
        let lookup = self.lookup(of);
        let (implementation, _, clause) = lookup.split_for_impl();
        let (own, inner) = (&of.block.self_ty, &of.inner);
        let erased = forever(&of.given);
        let call = |name: &str| {
            let routine = format_ident!("{name}");
            quote! {
                ::core::option::Option::Some(::gpuvm::__private::CallFact::of::<::gpuvm::__private::ordering::#routine<#erased>>())
            }
        };
        let methods: &[&str] = match of.trait_name.as_str() {
            "PartialEq" => &["ne"],
            "PartialOrd" => &["lt", "le", "gt", "ge"],
            "Ord" => &["max", "min", "clamp"],
            _ => &[],
        };
        let methods = methods.iter().filter(|name| !has(name)).map(|name| {
            let (number, call) = (name_hash(name), call(name));
            quote! {
                #[automatically_derived]
                #[diagnostic::do_not_recommend]
                impl #implementation ::gpuvm::__private::Method<#number> for #inner #clause {
                    type Slot = ::gpuvm::__private::MethodSlot<#number, Self>;
                    const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = #call;
                }
            }
        });
        let operators = comparison::ORDER
            .iter()
            .filter(|(name, _)| of.trait_name == "PartialOrd" && !has(name))
            .map(|(name, symbol)| operator(of, &lookup, &Operation::of(*symbol, own, &of.operand), &call(name)));
        quote! {
            #(#methods)*
            #(#operators)*
        }
    }

    /// What finds a method with parameters of its own.
    fn own_tokens(&self, of: &Block<'_>) -> TokenStream {
        let own_type = own_type(&self.alias, &self.own);
        let gathers = self.gathers(of);
        if of.block.trait_.is_some() {
            return quote!(#own_type #gathers);
        }
        let (implementation, _, clause) = of.generics.split_for_impl();
        let (own, erased, hash) = (&of.block.self_ty, forever(&of.given), self.hash);
        let right = given::routine_of(&own_name(&self.alias).to_token_stream(), &self.own);
        let twins = Twins {
            name: &self.name,
            parts: &self.parts,
            own: &self.own,
            lifetimes: &self.lifetimes,
            receiver: self.receiver.as_ref(),
            output: &self.output,
            asked: None,
            routine: &quote!(::gpuvm::__private::MethodOf<#erased, #right, #hash>),
        };
        let twins = twins.tokens(&quote!(pub), None);
        let as_std = self.as_std.as_ref().map(|known| self.found_as_std(of, known));
        quote! {
            #own_type
            #as_std
            #[automatically_derived]
            impl #implementation #own #clause {
                #twins
            }
        }
    }

    /// The generics of what finds the method: of a type with any iterators in it, if the type with given ones has the code.
    fn lookup(&self, of: &Block<'_>) -> syn::Generics {
        let mut generics = of.generics.clone();
        if of.gives() {
            let (given, right, hash) = (forever(&of.given), forever(&of.right), self.hash);
            let predicates = &mut generics.make_where_clause().predicates;
            predicates.push(syn::parse_quote!(#given: ::gpuvm::__private::MethodBody<#hash, #right>));
        }
        generics
    }

    /// What finds such a method by the name that std has.
    fn found_as_std(&self, of: &Block<'_>, known: &Known) -> TokenStream {
        let (argument, result, unknown) = known.types();
        let mut generics = self.generics.clone();
        generics.params.extend(unknown);
        let (implementation, _, clause) = generics.split_for_impl();
        let (inner, erased, right, hash) = (&of.inner, forever(&of.block.self_ty), &self.right, self.hash);
        let arguments = self.parts.parameters.len().saturating_sub(1);
        let name = name_hash(method::of_an_iterator(&self.name, arguments));
        quote! {
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #implementation ::gpuvm::__private::GenericMethod<#name, #argument, #result> for #inner #clause {
                type Slot = ::gpuvm::__private::GenericSlot<#name, Self, #argument, #result>;
                const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = ::core::option::Option::Some(
                    ::gpuvm::__private::CallFact::of::<::gpuvm::__private::MethodOf<#erased, #right, #hash>>(),
                );
            }
        }
    }

    /// The type that stands for the routine, in an `impl` of one of the user's traits: for what the block's type parameters are without lifetimes.
    fn marker(&self) -> TokenStream {
        let (name, generics) = (self.marker_name(), self.forever());
        if !self.own.params.is_empty() {
            return given::of_names(&name.to_token_stream(), &generics);
        }
        let arguments = generics
            .params
            .iter()
            .map(|param| given::without_lifetimes(param, &generics));
        match generics.params.is_empty() {
            true => quote!(#name),
            false => quote!(#name<#(#arguments),*>),
        }
    }

    fn marker_name(&self) -> syn::Ident {
        format_ident!("__GpuvmMethod_{}", self.name, span = proc_macro2::Span::call_site())
    }

    /// The generics without lifetimes.
    fn forever(&self) -> syn::Generics {
        let mut generics = self.generics.clone();
        generics.params = generics
            .params
            .into_iter()
            .filter(|param| !is_lifetime(param))
            .collect();
        Forever.visit_generics_mut(&mut generics);
        generics
    }

    /// The routine, in an `impl` of one of the user's traits.
    fn call(&self) -> TokenStream {
        let marker = self.marker();
        quote!(::core::option::Option::Some(::gpuvm::__private::CallFact::of::<#marker>()))
    }

    /// What tells a `#[routine]` trait the routine.
    fn told(&self, refused: bool) -> TokenStream {
        let (name, method, marker) = (
            routine_name(&self.name),
            syn::Ident::new(&self.name, self.line),
            self.marker(),
        );
        let (own, clause) = (&self.own.params, &self.own.where_clause);
        let item = match (own.is_empty(), refused) {
            (true, true) => quote! {
                const #name: ::core::option::Option<::gpuvm::__private::CallFact> = ::core::option::Option::None;
            },
            (true, false) => {
                let call = self.call();
                quote! {
                    const #name: ::core::option::Option<::gpuvm::__private::CallFact> = #call;
                }
            }
            (false, true) => quote!(type #name<#own> = ::gpuvm::__private::NotARoutine #clause;),
            (false, false) => quote!(type #name<#own> = #marker #clause;),
        };
        quote!(__gpuvm_provided! { @own #method { #item } })
    }

    /// The code, in an `impl` of one of the user's traits.
    fn code(&self, of: &Block<'_>) -> TokenStream {
        let generics = self.forever();
        let bare = generics.params.iter().map(emit::bare);
        let home = format_ident!("__GpuvmCode_{}", self.name, span = proc_macro2::Span::call_site());
        Code {
            args: of.args,
            parts: &self.parts,
            title: &format!("{}::{}", of.type_name, self.name),
            line: self.line,
            visibility: &syn::parse_quote!(pub),
            home: Home {
                name: &home,
                generics: &syn::parse_quote!(<#(#bare),*>),
                of_all: None,
                of: &self.generics,
                ty: &of.block.self_ty,
                erased: &forever(&of.block.self_ty),
            },
            marker: &self.marker_name(),
            generics: &generics,
        }
        .tokens()
    }

    /// What finds the routine where it makes one value of many items, an iterator's `sum`, `product` or `collect`, or puts them into one: `extend`.
    fn gathers(&self, of: &Block<'_>) -> TokenStream {
        let method = match (of.trait_name.as_str(), self.name.as_str()) {
            ("Sum", "sum") => "sum",
            ("Product", "product") => "product",
            ("FromIterator", "from_iter") => "collect",
            ("Extend", "extend") => "extend",
            ("Hash", "hash") => return self.hashes(of),
            ("Display", "fmt") => return self.found_by(of, "Displays", "Sink"),
            ("Debug", "fmt") => return self.found_by(of, "Debugs", "Sink"),
            _ => return TokenStream::new(),
        };
        let Some(GenericParam::Type(iterator)) = self.own.params.first() else {
            return TokenStream::new();
        };
        let last = of.block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        let item = match last.map(|last| &last.arguments) {
            Some(PathArguments::AngleBracketed(arguments)) => match arguments.args.first() {
                Some(syn::GenericArgument::Type(ty)) => forever(ty),
                _ => of.inner.clone(),
            },
            _ => of.inner.clone(),
        };
        let (name, wrapper) = (own_name(&self.alias), given::wrapper(&iterator.ident, &self.own));
        let mut generics = of.generics.clone();
        if let Some(itself) = of.known_as_itself(&self.own) {
            generics.make_where_clause().predicates.push(itself);
        }
        let (implementation, _, clause) = generics.split_for_impl();
        let (own, erased, hash, number) = (
            &of.block.self_ty,
            forever(&of.block.self_ty),
            self.hash,
            name_hash(method),
        );
        if method == "extend" {
            return quote! {
                #[automatically_derived]
                impl #implementation ::gpuvm::__private::Extends<#item> for #own #clause {
                    type Routine<__I: ::gpuvm::__private::Iterable<Iterator: ::gpuvm::__private::Sequence<Item = #item>> + ::gpuvm::__private::Static> =
                        ::gpuvm::__private::MethodOf<#erased, #name<::gpuvm::__private::#wrapper<__I>>, #hash>;
                }
            };
        }
        quote! {
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::Gathers<#number, #item> for #own #clause {
                type Routine<__I: ::gpuvm::__private::Sequence<Item = #item>> =
                    ::gpuvm::__private::MethodOf<#erased, #name<::gpuvm::__private::#wrapper<&'static mut __I>>, #hash>;
            }
        }
    }

    /// What finds the routine that hashes the type.
    fn hashes(&self, of: &Block<'_>) -> TokenStream {
        let (implementation, _, clause) = of.generics.split_for_impl();
        let (own, found) = (&of.block.self_ty, self.found_by(of, "Hashes", "HashState"));
        quote! {
            #found
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::HashedEach for #own #clause {}
        }
    }

    /// What finds the routine by a trait of gpuvm's, for whatever the method's own type parameter is, which has this bound.
    fn found_by(&self, of: &Block<'_>, finder: &str, bound: &str) -> TokenStream {
        let (implementation, _, clause) = of.generics.split_for_impl();
        let (own, erased, hash, name) = (
            &of.block.self_ty,
            forever(&of.block.self_ty),
            self.hash,
            own_name(&self.alias),
        );
        let [finder, bound] = [finder, bound].map(|name| format_ident!("{name}"));
        quote! {
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #implementation ::gpuvm::__private::#finder for #own #clause {
                type Routine<__P: ::gpuvm::__private::#bound> = ::gpuvm::__private::MethodOf<#erased, #name<__P>, #hash>;
            }
        }
    }

    /// What `write!` finds of an `impl fmt::Write`, and its `write_char` where it leaves that to std.
    fn writes(of: &Block<'_>) -> TokenStream {
        let (implementation, _, clause) = of.generics.split_for_impl();
        let (inner, erased, hash) = (&of.inner, forever(&of.inner), name_hash("write_char"));
        let indent = name_hash("__gpuvm_indent");
        // What goes further in is gpuvm's own.
        let stays = (!of.args.library).then(|| {
            quote! {
                #[automatically_derived]
                #[diagnostic::do_not_recommend]
                impl #implementation ::gpuvm::__private::Method<#indent> for #inner #clause {
                    type Slot = ::gpuvm::__private::MethodSlot<#indent, Self>;
                    const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = ::core::option::Option::Some(
                        ::gpuvm::__private::CallFact::of::<::gpuvm::__private::formatting::not_indented<#erased>>(),
                    );
                }
            }
        });
        let written_to = quote! {
            #stays
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::WrittenTo for #erased #clause {
                type Sink = Self;
                type Slot = ::gpuvm::__private::CallSlot<::gpuvm::__private::formatting::itself<Self>>;
            }
        };
        let mut items = of.block.items.iter();
        if items.any(|item| matches!(item, ImplItem::Fn(function) if function.sig.ident == "write_char")) {
            return written_to;
        }
        quote! {
            #written_to
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #implementation ::gpuvm::__private::Method<#hash> for #inner #clause {
                type Slot = ::gpuvm::__private::MethodSlot<#hash, Self>;
                const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = ::core::option::Option::Some(
                    ::gpuvm::__private::CallFact::of::<::gpuvm::__private::formatting::write_char<#erased>>(),
                );
            }
        }
    }

    /// The methods of a hasher that the block does not write.
    fn hasher(of: &Block<'_>) -> TokenStream {
        const METHODS: [&str; 12] = [
            "write_u8",
            "write_u16",
            "write_u32",
            "write_u64",
            "write_u128",
            "write_usize",
            "write_i8",
            "write_i16",
            "write_i32",
            "write_i64",
            "write_i128",
            "write_isize",
        ];
        let (implementation, _, clause) = of.generics.split_for_impl();
        let (inner, erased) = (&of.inner, forever(&of.inner));
        let has = |name: &str| {
            let mut items = of.block.items.iter();
            items.any(|item| matches!(item, ImplItem::Fn(function) if function.sig.ident == name))
        };
        let provided = METHODS.iter().filter(|name| !has(name)).map(|name| {
            let hash = name_hash(name);
            let routine = match *name {
                "write_isize" if has("write_usize") => format_ident!("write_isize_by_usize"),
                name => format_ident!("{name}"),
            };
            quote! {
                #[automatically_derived]
                #[diagnostic::do_not_recommend]
                impl #implementation ::gpuvm::__private::Method<#hash> for #inner #clause {
                    type Slot = ::gpuvm::__private::MethodSlot<#hash, Self>;
                    const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = ::core::option::Option::Some(
                        ::gpuvm::__private::CallFact::of::<::gpuvm::__private::hashing::#routine<#erased>>(),
                    );
                }
            }
        });
        provided.collect()
    }

    /// The functions beside a method of the type's own: rustc finds them where it finds the method, before those of traits. They tell the type, which may
    /// have parameters that a path leaves out, and the method is found by its name.
    fn twin(&self, of: &Block<'_>) -> TokenStream {
        let is_plain = of.block.generics.params.iter().all(is_lifetime);
        let has_own = !self.own.params.is_empty();
        if of.block.trait_.is_some() || has_own || of.args.library && is_plain {
            return TokenStream::new();
        }
        let (implementation, _, clause) = of.block.generics.split_for_impl();
        let (own, twin, output) = (&of.block.self_ty, twin_name(&self.name), &self.output);
        let (lifetimes, callables, named) = (&self.lifetimes, &self.parts.callables, &self.parts.named);
        let inputs = self.receiver.iter().chain(named);
        // A type parameter may stand for what routines know by another name, as iterators.
        let (itself, clause_of_own) = match of.block.generics.type_params().next() {
            Some(_) => (
                quote!(<Self as ::gpuvm::__private::Value>::Inner),
                quote!(where Self: ::gpuvm::__private::Value),
            ),
            None => (quote!(Self), TokenStream::new()),
        };
        let called = (!self.parts.is_opaque).then(|| {
            quote! {
                #[doc(hidden)]
                pub fn #twin<#(#lifetimes,)* #(#callables),*>(&self, _: fn(#(#inputs),*) #output) -> ::core::marker::PhantomData<#itself>
                #clause_of_own
                {
                    ::core::marker::PhantomData
                }
            }
        });
        let asked = self.receiver.as_ref().filter(|_| !of.args.library).map(|_| {
            let twin = asking_name(&self.name);
            quote! {
                #[doc(hidden)]
                pub fn #twin(&self, _: &impl ::core::marker::Sized) -> ::core::marker::PhantomData<Self> {
                    ::core::marker::PhantomData
                }
            }
        });
        quote! {
            #[automatically_derived]
            impl #implementation #own #clause {
                #called
                #asked
            }
        }
    }

    /// What finds the routine where it is a method of one of std's traits that routines know.
    fn traits(&self, of: &Block<'_>) -> TokenStream {
        let lookup = self.lookup(of);
        let (implementation, _, clause) = lookup.split_for_impl();
        let (own, inner, right, hash) = (&of.block.self_ty, &of.inner, &of.right, self.hash);
        let lasting = match of.gives() {
            true => forever(&of.given),
            false => own.as_ref().clone(),
        };
        let call = quote!(<#lasting as ::gpuvm::__private::MethodBody<#hash, #right>>::CALL);
        // A function of the type's own that has the name of a trait's is called as that is, unless it takes something else.
        if of.trait_name.is_empty() && (self.receiver.is_some() || self.parts.parameters.len() != 1) {
            return TokenStream::new();
        }
        match (of.trait_name.as_str(), self.name.as_str()) {
            ("From" | "", "from") => {
                let Some(argument) = self.parts.parameters.first() else {
                    return TokenStream::new();
                };
                let argument = with_iterators(all_forever(&argument.ty));
                quote! {
                    #[automatically_derived]
                    impl #implementation ::gpuvm::__private::Convert<#argument> for #inner #clause {
                        type Slot = ::gpuvm::__private::ConvertSlot<#argument, Self>;
                        const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = ::core::option::Option::Some(#call);
                    }
                }
            }
            ("TryFrom" | "", "try_from") => {
                let Some(argument) = self.parts.parameters.first() else {
                    return TokenStream::new();
                };
                let argument = with_iterators(all_forever(&argument.ty));
                quote! {
                    #[automatically_derived]
                    impl #implementation ::gpuvm::__private::TryConvert<#argument> for #inner #clause {
                        type Slot = ::gpuvm::__private::TryConvertSlot<#argument, Self>;
                        const CALL: ::gpuvm::__private::CallFact = #call;
                    }
                }
            }
            ("Deref", "deref") => {
                let Some(target) = of.associated_type("Target") else {
                    return TokenStream::new();
                };
                quote! {
                    #[automatically_derived]
                    impl #implementation ::gpuvm::__private::Derefs for #inner #clause {
                        type Way = ::gpuvm::__private::Behind<Self>;
                        const DEREF: ::gpuvm::__private::CallFact = #call;
                        const DEREF_ROUTINE: fn() -> &'static ::gpuvm::__private::Routine =
                            <#lasting as ::gpuvm::__private::MethodBody<#hash, #right>>::routine;
                    }
                    #[automatically_derived]
                    impl #implementation ::gpuvm::__private::RefersToDerefs for #inner #clause {}
                    #[automatically_derived]
                    impl #implementation #own #clause {
                        #[doc(hidden)]
                        pub const __GPUVM_DEREF: ::core::option::Option<::gpuvm::__private::Dereferenced> =
                            ::core::option::Option::Some(::gpuvm::__private::Dereferenced {
                                target: ::gpuvm::__private::TypeRef::of::<#target>(),
                                deref: <#own as ::gpuvm::__private::MethodBody<#hash, #right>>::routine,
                                deref_mut: ::core::option::Option::None,
                            });
                    }
                }
            }
            ("DerefMut", "deref_mut") => quote! {
                #[automatically_derived]
                impl #implementation ::gpuvm::__private::DerefsMut for #inner #clause {
                    type WayMut = ::gpuvm::__private::BehindMut<Self>;
                    const DEREF_MUT: ::gpuvm::__private::CallFact = #call;
                    const DEREF_MUT_ROUTINE: fn() -> &'static ::gpuvm::__private::Routine =
                        <#lasting as ::gpuvm::__private::MethodBody<#hash, #right>>::routine;
                }
                #[automatically_derived]
                impl #implementation #own #clause {
                    #[doc(hidden)]
                    pub const __GPUVM_DEREF_MUT: ::gpuvm::__private::Comparison =
                        ::core::option::Option::Some(<#own as ::gpuvm::__private::MethodBody<#hash, #right>>::routine);
                }
            },
            ("AsRef" | "AsMut" | "Borrow" | "BorrowMut", name) => {
                let last = of.block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
                let Some(PathArguments::AngleBracketed(arguments)) = last.map(|last| &last.arguments) else {
                    return TokenStream::new();
                };
                let Some(syn::GenericArgument::Type(lent)) = arguments.args.first() else {
                    return TokenStream::new();
                };
                let (lent, method) = (forever(&with_self(lent, own)), name_hash(name));
                quote! {
                    #[automatically_derived]
                    impl #implementation ::gpuvm::__private::Lends<#method, #lent> for #inner #clause {
                        const LEND: ::gpuvm::__private::CallFact = #call;
                    }
                }
            }
            ("FromStr", "from_str") => quote! {
                #[automatically_derived]
                impl #implementation ::gpuvm::__private::Parse for #inner #clause {
                    const CALL: ::gpuvm::__private::CallFact = #call;
                }
            },
            ("Hasher", "write") => Method::hasher(of),
            ("Write", "write_str") => Method::writes(of),
            ("IntoIterator", "into_iter") => {
                let Some(iterator) = of.associated_type("IntoIter") else {
                    return TokenStream::new();
                };
                let erased = forever(&of.block.self_ty);
                quote! {
                    #[automatically_derived]
                    impl #implementation ::gpuvm::__private::Iterable for #erased #clause {
                        type Iterator = <#iterator as ::gpuvm::__private::Value>::Erased;
                        type IntoSlot = ::gpuvm::__private::IntoSlot<Self>;
                        type NextSlot = ::gpuvm::__private::NextSlot<Self>;
                        const INTO: ::core::option::Option<::gpuvm::__private::CallFact> = ::core::option::Option::Some(#call);
                        const NEXT: ::gpuvm::__private::CallFact =
                            <<#iterator as ::gpuvm::__private::Value>::Erased as ::gpuvm::__private::Next>::NEXT;
                    }
                }
            }
            ("Iterator", "next") => {
                let methods = self.iterator_methods(of);
                let each = match of.args.each {
                    true => {
                        let body = name_hash("Each::each");
                        quote!(<Self as ::gpuvm::__private::MethodBody<#body>>::CALL)
                    }
                    false => {
                        let erased = forever(inner);
                        quote!(::gpuvm::__private::CallFact::of::<::gpuvm::__private::each_by_next<#erased>>())
                    }
                };
                quote! {
                #methods
                #[automatically_derived]
                impl #implementation ::gpuvm::__private::Next for #inner #clause {
                    type IntoSlot = ::gpuvm::__private::IntoSlot<Self>;
                        type NextSlot = ::gpuvm::__private::NextSlot<Self>;
                        const NEXT: ::gpuvm::__private::CallFact = #call;
                        const EACH: ::gpuvm::__private::CallFact = #each;
                }
                }
            }
            ("ExactSizeIterator", "len") if !of.args.hinted => quote! {
                #[automatically_derived]
                impl #implementation ::gpuvm::__private::CountsItself for #inner #clause {}
            },
            // gpuvm's own say themselves how they leave elements out.
            ("DoubleEndedIterator", "next_back") if !of.args.inline => {
                advancing(of, &lookup, "advance_back", "AdvanceBack", "advance_back_by_next")
            }
            _ => TokenStream::new(),
        }
    }

    /// std's methods of iterators, for one of the user's.
    fn iterator_methods(&self, of: &Block<'_>) -> TokenStream {
        use gpuvm_nodes::method::{OF_ITERATORS, OF_ITERATORS_GENERIC};
        // gpuvm's own share theirs.
        if of.args.inline {
            return TokenStream::new();
        }
        let inner = &of.inner;
        // Iterators that borrow share the methods of the one that borrows for ever.
        let mut erased = inner.clone();
        Forever.visit_type_mut(&mut erased);
        let shared = quote!(::gpuvm::__private::AnIterator<#erased>);
        let lookup = self.lookup(of);
        let (implementation, _, clause) = lookup.split_for_impl();
        let own = crate::behind::own_methods(inner);
        let is_free = |name: &&&str| !own.iter().any(|own| own == **name);
        let plain = OF_ITERATORS.iter().filter(is_free).map(|name| {
            let hash = name_hash(name);
            quote! {
                #[automatically_derived]
                #[diagnostic::do_not_recommend]
                impl #implementation ::gpuvm::__private::Method<#hash> for #inner #clause {
                    type Slot = ::gpuvm::__private::MethodSlot<#hash, Self>;
                    const CALL: ::core::option::Option<::gpuvm::__private::CallFact> =
                        <#shared as ::gpuvm::__private::Method<#hash>>::CALL;
                }
            }
        });
        let generic = OF_ITERATORS_GENERIC.iter().filter(is_free).map(|name| {
            let hash = name_hash(name);
            let mut generics = lookup.clone();
            generics.params.push(syn::parse_quote!(__A));
            generics.params.push(syn::parse_quote!(__R: ?::core::marker::Sized));
            generics
                .make_where_clause()
                .predicates
                .push(syn::parse_quote!(#shared: ::gpuvm::__private::GenericMethod<#hash, __A, __R>));
            let (implementation, _, clause) = generics.split_for_impl();
            quote! {
                #[automatically_derived]
                #[diagnostic::do_not_recommend]
                impl #implementation ::gpuvm::__private::GenericMethod<#hash, __A, __R> for #inner #clause {
                    type Slot = ::gpuvm::__private::GenericSlot<#hash, Self, __A, __R>;
                    const CALL: ::core::option::Option<::gpuvm::__private::CallFact> =
                        <#shared as ::gpuvm::__private::GenericMethod<#hash, __A, __R>>::CALL;
                }
            }
        });
        let advance = advancing(of, &lookup, "advance", "Advance", "advance_by_next");
        quote! {
            #(#plain)*
            #(#generic)*
            #advance
        }
    }

    /// The constants that tell a type's derived comparisons of this method.
    fn comparison(&self, of: &Block<'_>, call: &TokenStream) -> TokenStream {
        let (own, right, hash) = (&of.block.self_ty, &of.right, self.hash);
        let (implementation, _, clause) = of.block.generics.split_for_impl();
        let ordering = comparison::ORDER.iter().any(|(name, _)| self.name == *name);
        let (name, ty, value) = match comparison::comparison(&of.trait_name, &self.name) {
            Some(name) => (
                vec![name],
                quote!(::gpuvm::__private::Comparison),
                quote!(::core::option::Option::Some(<#own as ::gpuvm::__private::MethodBody<#hash, #right>>::routine)),
            ),
            None => {
                let operator = (of.trait_name == "PartialOrd" && ordering).then(|| comparison::operator(&self.name));
                (
                    [comparison::method(&self.name)].into_iter().chain(operator).collect(),
                    quote!(::core::option::Option<::gpuvm::__private::CallFact>),
                    call.clone(),
                )
            }
        };
        let body = |name: &str| {
            let (name, ty) = (comparison::constant(name), quote!(::gpuvm::__private::Comparison));
            quote!(#[doc(hidden)] pub const #name: #ty = ::core::option::Option::Some(<#own as ::gpuvm::__private::MethodBody<#hash, #right>>::routine);)
        };
        let clone = (of.trait_name == "Clone" && self.name == "clone").then(|| body("CLONE"));
        quote! {
            #[automatically_derived]
            impl #implementation #own #clause {
                #(#[doc(hidden)] pub const #name: #ty = #value;)*
                #clone
            }
        }
    }

    /// What a call by name finds. The machine's own types have all names already.
    fn method(&self, of: &Block<'_>, call: &TokenStream) -> TokenStream {
        if of.is_comparison() && !of.is_compared && !of.is_generic {
            return TokenStream::new();
        }
        // It has the name of an iterator's: `bounds.max()`.
        let arguments = self.parts.parameters.len().saturating_sub(1);
        let name = method::of_an_iterator(&self.name, arguments);
        let as_iterators = (of.block.trait_.is_none() && name != self.name).then(|| self.found_by_name(name, of, call));
        if !of.is_generic && comparison::is_derived(&self.name) && !of.is_machine {
            let comparison = self.comparison(of, call);
            return quote!(#comparison #as_iterators);
        }
        if let Some(found) = as_iterators {
            return found;
        }
        if of.is_machine || !of.operators.is_empty() && !of.is_comparison() {
            return TokenStream::new();
        }
        if is_conversion(&of.trait_name) {
            return TokenStream::new();
        }
        // References to a type may become other iterators than the type: those are found by loops and by what takes one.
        if of.trait_name == "IntoIterator" && matches!(*of.block.self_ty, Type::Reference(_)) {
            return TokenStream::new();
        }
        self.found_by_name(&self.name, of, call)
    }

    /// What a call by that name finds, on a type that has no method of it but this.
    fn found_by_name(&self, name: &str, of: &Block<'_>, call: &TokenStream) -> TokenStream {
        let (inner, lookup, hash) = (&of.inner, self.lookup(of), name_hash(name));
        let (implementation, _, clause) = lookup.split_for_impl();
        quote! {
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #implementation ::gpuvm::__private::Method<#hash> for #inner #clause {
                type Slot = ::gpuvm::__private::MethodSlot<#hash, Self>;
                const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = #call;
            }
        }
    }

    /// Beside errors of the block: callers show none of their own.
    fn stand_in(&self, of: &Block<'_>) -> TokenStream {
        if of.trait_name == "Clone" || !of.is_generic && comparison::is_derived(&self.name) {
            return TokenStream::new();
        }
        self.method(of, &quote!(::core::option::Option::None))
    }
}

/// What finds the routine behind an operator, by the type to its left.
fn operator(of: &Block<'_>, lookup: &syn::Generics, operation: &Operation, call: &TokenStream) -> TokenStream {
    let (bound, slot, inner) = (operation.bound(), operation.slot(), &of.inner);
    let (implementation, _, clause) = lookup.split_for_impl();
    quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #implementation #bound for #inner #clause {
            type Slot = #slot;
            const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = #call;
        }
    }
}

/// What a method's `where` clause asks of the block's type parameters: that traits of the user's are found there.
fn asked_of_block(own: &syn::Generics, block: &syn::Generics) -> Vec<syn::WherePredicate> {
    let asked = block.type_params().filter_map(|param| {
        let bare: syn::TypeParam = syn::TypeParam::from(param.ident.clone());
        let mut generics = own.clone();
        generics.params = iter::once(GenericParam::Type(bare.clone())).collect();
        crate::routine::is_users(&param.ident, &generics).then(|| {
            let (name, bounds) = (&param.ident, value_bounds(&bare, &generics));
            let behind = bound_behind(name, &generics).into_iter();
            let bounds = bounds.into_iter().chain(behind);
            syn::parse_quote!(#name: #(#bounds)+*)
        })
    });
    asked.collect()
}

/// The trait that one of std's traits implies, and its type: `Self::Target` in an `impl DerefMut`.
fn implied_type(path: &syn::Path, name: &str) -> Option<(syn::Path, &'static str)> {
    let arguments = path.segments.last().map(|last| &last.arguments);
    Some(match name {
        "DerefMut" => (syn::parse_quote!(::core::ops::Deref), "Target"),
        "IndexMut" => (syn::parse_quote!(::core::ops::Index #arguments), "Output"),
        "DoubleEndedIterator" | "ExactSizeIterator" => (syn::parse_quote!(::core::iter::Iterator), "Item"),
        _ => return None,
    })
}

/// The name of the parameter for what is written to.
pub const SINK: &str = "__W";

/// Gives `fmt` a parameter for what is written to, which std's `Formatter` does not tell.
fn by_sink(signature: &mut syn::Signature) {
    let Some(syn::FnArg::Typed(formatter)) = signature.inputs.iter_mut().nth(1) else {
        return;
    };
    let span = crate::shadow::at(&formatter.ty);
    let sink = syn::Ident::new(SINK, proc_macro2::Span::call_site());
    *formatter.ty = syn::parse_quote_spanned!(span=> &mut ::gpuvm::__private::Formatter<'_, #sink>);
    signature
        .generics
        .params
        .push(syn::parse_quote!(#sink: ::gpuvm::__private::Sink));
    signature.generics.lt_token.get_or_insert_with(Default::default);
    signature.generics.gt_token.get_or_insert_with(Default::default);
}

/// The generics with the lifetimes that they had, which a type of the user's may need.
fn with_lifetimes(mut generics: syn::Generics, before: &syn::Generics) -> syn::Generics {
    let lifetimes = before
        .params
        .iter()
        .filter(|param| matches!(param, GenericParam::Lifetime(_)));
    let params: Vec<GenericParam> = lifetimes.cloned().chain(std::mem::take(&mut generics.params)).collect();
    generics.params = params.into_iter().collect();
    generics
}

/// Whether a type has arguments that are types, for all that can be seen.
fn has_type_arguments(ty: &Type, generics: &syn::Generics) -> bool {
    let Type::Path(path) = ty else { return true };
    let is_type = |argument: &syn::GenericArgument| match argument {
        syn::GenericArgument::Const(_) => false,
        syn::GenericArgument::Type(Type::Path(ty)) => {
            !generics.const_params().any(|param| ty.path.is_ident(&param.ident))
        }
        _ => true,
    };
    path.path.segments.iter().any(|segment| match &segment.arguments {
        PathArguments::None => false,
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().any(is_type),
        PathArguments::Parenthesized(_) => true,
    })
}

fn is_lifetime(param: &GenericParam) -> bool {
    matches!(param, GenericParam::Lifetime(_))
}

/// Whether a trait of std's makes a type of another.
fn is_conversion(trait_name: &str) -> bool {
    matches!(trait_name, "From" | "TryFrom")
}

/// The path of a trait, without what leads to it where gpuvm's own std looks for it.
fn std_trait(path: &str) -> &str {
    match path.rsplit(' ').next() {
        Some(last @ ("Iterator" | "DoubleEndedIterator" | "ExactSizeIterator")) => last,
        _ => path,
    }
}

/// How an iterator of the user's leaves elements out, from one of its ends: by taking them.
fn advancing(of: &Block<'_>, lookup: &syn::Generics, method: &str, name: &str, routine: &str) -> TokenStream {
    let inner = &of.inner;
    let mut erased = inner.clone();
    Forever.visit_type_mut(&mut erased);
    let hash = name_hash(method);
    let [method, name, routine] = [method, name, routine].map(|name| format_ident!("{name}"));
    let (implementation, _, clause) = lookup.split_for_impl();
    quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #implementation ::gpuvm::__private::Method<#hash> for #inner #clause {
            type Slot = ::gpuvm::__private::MethodSlot<#hash, Self>;
            const CALL: ::core::option::Option<::gpuvm::__private::CallFact> =
                ::core::option::Option::Some(::gpuvm::__private::CallFact::of::<::gpuvm::__private::#routine<#erased>>());
        }
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::#name for #inner #clause {
            fn #method(&mut self, _: usize) -> bool {
                ::core::unreachable!()
            }
        }
    }
}
