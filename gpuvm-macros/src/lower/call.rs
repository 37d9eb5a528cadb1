//! Calls: of routines, constructors, std's functions on primitives, and the `vm` module.

use gpuvm_nodes::Level;
use gpuvm_nodes::method::{self, method_number};
use gpuvm_nodes::node::Node;
use gpuvm_nodes::{Kind, name_hash};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprCall, ExprPath, Path, PathArguments, PathSegment};

use super::constant::{is_constructor, is_type};
use super::expected::Expected;
use super::expr::{plain, variant_name, write_variant};
use super::std_function;
use super::{Calls, Lowering, Want};
use crate::file::primitive_alias;
use crate::namesakes;
use crate::primitive::{Known, associated_constant, is_half, kind_of_name};
use crate::shadow;

impl Lowering<'_> {
    pub(super) fn call(&mut self, expr: &mut Expr) -> Known {
        let expected = self.expected.take();
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        let mut func = &*node.func;
        while let Expr::Paren(inner) = func {
            func = &inner.expr;
        }
        let Expr::Path(func) = func else {
            return self.call_value(expr);
        };
        let mut func = func.clone();
        self.check_path(&func.path);
        if let Some(path) = self.std_function_renamed(&func.path) {
            func.path = path;
            if let Expr::Call(node) = &mut *expr {
                *node.func = Expr::Path(func.clone());
            }
        }
        let Some(last) = func.path.segments.last().cloned() else {
            return Known::Unknown;
        };
        let local = func.path.get_ident().and_then(|name| self.find(name));
        if local.is_some() {
            return self.call_value(expr);
        }
        let is_of_parameter = func.path.segments.len() == 2 && self.is_parameter(&func.path);
        let is_of_trait = func.qself.as_ref().is_some_and(|qself| qself.position > 0);
        if !is_of_parameter && !is_of_trait && is_constructor(&last.ident) {
            return self.constructor(expr, &func.path, expected);
        }
        if let Some(known) = self.size(expr, &func.path).or_else(|| self.size_of_value(expr, &func)) {
            return known;
        }
        if let Expr::Call(node) = &*expr
            && let Some(call) = self.shown_by_trait(&func, node)
        {
            *expr = call;
            return self.expr(expr, Want::Free);
        }
        if let Expr::Call(node) = &*expr
            && let Some(call) = std_function::by_trait(&func, node).or_else(|| self.by_iterators(&func, node))
        {
            *expr = call;
            return self.expr(expr, Want::Free);
        }
        if self.is_own_path(&func.path) {
            return self.call_own(expr, &func.path);
        }
        if let Some(known) = self.vm_function(expr, &func.path) {
            return known;
        }
        if let Some(known) = self.intrinsic(expr, &func.path) {
            return known;
        }
        if is_named(super::parent(&func.path).as_ref(), "Runtime") {
            self.has_runtime = true;
        }
        if self.has_runtime && last.ident == "launch" && matches!(owner(&func), Owner::Module) {
            self.report.launch_inside(&func.path);
        }
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        match owner(&func) {
            // `f32::sum(iterator)`
            Owner::Primitive(_) if node.args.len() == 1 && is_of_sums(&last.ident) => {
                let (method, iterator, of) = (&last.ident, &node.args[0], super::parent(&func.path));
                *expr = syn::parse_quote!((#iterator).#method::<#of>());
                self.expr(expr, Want::Free)
            }
            Owner::Primitive(kind)
                if is_plain(&last) || is_machine_method(kind, &last.ident) || is_limit(kind, &last.ident) =>
            {
                self.primitive_function(expr, kind, &last)
            }
            Owner::Primitive(kind) => {
                let ty = syn::Ident::new(crate::primitive::name_of_kind(kind), last.ident.span());
                self.associated_function(expr, ty.to_token_stream(), &last, None)
            }
            Owner::Type(_) if last.ident == "default" && node.args.is_empty() && !is_inherent(&func) => {
                self.default_value(expr)
            }
            Owner::Type(ty) => self.associated_function(expr, ty, &last, expected),
            Owner::Module => self.routine(expr, &func.path),
        }
    }

    /// A call of a closure.
    fn call_value(&mut self, expr: &mut Expr) -> Known {
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        self.expr(&mut node.func, Want::Free);
        let count = node.args.len();
        // The parameters' types are rustc's to infer, so literals ask for theirs.
        self.arguments(Want::Free, node.args.iter_mut());
        self.stream.node(Node::CallValue).number(count as u64);
        self.may_call(Calls::Maybe);
        Known::Unknown
    }

    /// `Variant(a, b)` and `Struct(a, b)`.
    fn constructor(&mut self, expr: &mut Expr, path: &Path, expected: Option<Expected>) -> Known {
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        let name = variant_name(path);
        let content = expected.as_ref().and_then(|expected| expected.content(path));
        let known = self.kept(&mut node.args, &[content]);
        let slot = self.new_slot();
        let stream = self.stream.node(Node::Construct).number(slot);
        write_variant(stream, &name).number(known.len() as u64).number(0);
        for i in 0..known.len() {
            stream.hash(&i.to_string());
        }
        self.made(expr, expected, slot);
        match name.as_deref() {
            Some("Some") => Known::Optional(Box::new(known.into_iter().next().unwrap_or(Known::Unknown))),
            Some("Wrapping") if is_wrapping(path) => Known::Wrapping,
            _ => Known::Unknown,
        }
    }

    /// A call of std's functions of two iterators, if it is one: another function of that name is none of routines.
    fn by_iterators(&mut self, func: &ExprPath, call: &ExprCall) -> Option<Expr> {
        let expr = std_function::by_iterators(func, call)?;
        let (span, name) = (shadow::at(func), &func.path.segments.last()?.ident);
        let own = quote_spanned!(span=> #func::<[u8; 0], [u8; 0]>);
        // Imports of the function's own blocks are not seen there.
        let items = self.items_of_blocks();
        let same =
            quote_spanned!(span=> ::gpuvm::__private::same_function(#own, ::core::iter::#name::<[u8; 0], [u8; 0]>););
        self.extras.push(quote!({ #items #same }));
        Some(expr)
    }

    /// `size_of::<T>()` and `align_of::<T>()`, constants.
    fn size(&mut self, expr: &Expr, path: &Path) -> Option<Known> {
        let last = path.segments.last()?;
        let is_size = last.ident == "size_of" || last.ident == "align_of";
        if !is_size || last.arguments.is_none() || !is_std_or_alone(path, "mem") {
            return None;
        }
        self.constant(expr);
        Some(Known::USIZE)
    }

    /// `size_of_val(&x)` and `align_of_val(&x)` where the value has a size: constants, too, of which its type tells.
    fn size_of_value(&mut self, expr: &mut Expr, func: &ExprPath) -> Option<Known> {
        let name = func.path.segments.last()?.ident.clone();
        let is_size = name == "size_of_val" || name == "align_of_val";
        let Expr::Call(node) = &mut *expr else { return None };
        if !is_size || node.args.len() != 1 || !is_std_or_alone(&func.path, "mem") {
            return None;
        }
        self.expr(&mut node.args[0], Want::Free);
        self.stream.node(Node::Pop);
        let span = shadow::at(func);
        let (items, own) = (self.items_of_blocks(), quote_spanned!(span=> #func::<u8>));
        let same = quote_spanned!(span=> ::gpuvm::__private::same_function(#own, ::core::mem::#name::<u8>););
        self.extras.push(quote!({ #items #same }));
        let (slot, number) = (self.new_slot(), self.inferred.len());
        self.inferred
            .push(quote_spanned!(span=> (|| ::gpuvm::__private::WordsOf::#name())));
        self.stream
            .node(Node::InferredConstant)
            .number(number as u64)
            .number(slot);
        shadow::measured(expr, number, slot);
        Some(Known::USIZE)
    }

    /// `vm::id()` and its like.
    fn vm_function(&mut self, expr: &mut Expr, path: &Path) -> Option<Known> {
        let Expr::Call(node) = &mut *expr else { return None };
        let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
        let name = names.next()?;
        if names.next()? != "vm" {
            return None;
        }
        if name == "ask" {
            // What no question can be rustc tells of the function as it is written.
            if node.args.len() != 1 || matches!(node.args[0], Expr::Reference(_)) {
                self.stream.node(Node::Never);
                *expr = syn::parse_quote!(loop {});
                return Some(Known::Unknown);
            }
            let (question, answer) = (self.new_slot(), self.new_slot());
            self.expr(&mut node.args[0], Want::Free);
            shadow::bind(&mut node.args[0], question);
            self.stream.line(shadow::at(&node.func));
            self.stream.node(Node::Ask).number(question).number(answer);
            shadow::bind(expr, answer);
            return Some(Known::Unknown);
        }
        if !node.args.is_empty() {
            return None;
        }
        let u32 = Known::Scalar(Kind::U32);
        Some(match name.as_str() {
            "id" => {
                self.stream.node(Node::VmId);
                u32
            }
            "count" => {
                self.stream.node(Node::VmCount);
                u32
            }
            "yield_now" => {
                self.stream.node(Node::Yield).node(Node::Unit);
                Known::Unit
            }
            "halt" => {
                self.stream.node(Node::Halt);
                self.never()
            }
            _ => return None,
        })
    }

    /// What gpuvm's own std is made of: `intrinsics::element(list, i)`, an element that is known to be there.
    fn intrinsic(&mut self, expr: &mut Expr, path: &Path) -> Option<Known> {
        let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
        let name = names.next()?;
        if names.next()? != "intrinsics" {
            return None;
        }
        if matches!(name.as_str(), "sink" | "text" | "formatted")
            && let Some(last) = path.segments.last()
        {
            return self.writing(expr, &name, last);
        }
        let Expr::Call(node) = &mut *expr else {
            return None;
        };
        if name == "iterator" {
            let argument = node.args.first_mut()?;
            self.expr(argument, Want::Free);
            let (into, next) = (self.new_slot(), self.new_slot());
            self.stream.node(Node::IntoIter).number(into);
            shadow::iterate(argument, into, next);
            return Some(Known::Unknown);
        }
        let count = node.args.len();
        let mutable = name.ends_with("_mut");
        // What is borrowed only to say what is meant is the place itself.
        let borrows = matches!(
            name.as_str(),
            "element" | "element_mut" | "part" | "part_mut" | "copy" | "clone"
        );
        let is_borrowed = borrows && matches!(node.args.first(), Some(Expr::Reference(_)));
        let mut arguments: Vec<&mut Expr> = node.args.iter_mut().collect();
        if is_borrowed && let Expr::Reference(borrow) = arguments.remove(0) {
            arguments.insert(0, &mut borrow.expr);
        }
        self.operands(arguments.into_iter());
        match name.as_str() {
            "element" | "element_mut" => self.stream.node(Node::IndexUnchecked),
            "part" | "part_mut" => self.stream.node(Node::RangeUnchecked),
            "cast" => {
                let slot = self.new_slot();
                self.stream.node(Node::CastAs).number(slot);
                shadow::bind(expr, slot);
                return Some(Known::Unknown);
            }
            "each" => {
                let slot = self.new_slot();
                self.stream.node(Node::Call).number(slot).number(count as u64);
                self.may_call(Calls::Maybe);
                shadow::each(node, slot);
                return Some(Known::Unit);
            }
            "nothing" => {
                self.stream.node(Node::Unit);
                return Some(Known::Unknown);
            }
            "copy" | "clone" => {
                if !is_borrowed {
                    self.stream.node(Node::Deref);
                }
                self.stream.node(if name == "copy" { Node::Copy } else { Node::Clone });
                return Some(Known::Unknown);
            }
            "words" => {
                let slot = self.new_slot();
                self.stream.node(Node::Unit).node(Node::View).number(slot);
                shadow::bind(expr, slot);
                return Some(Known::Unknown);
            }
            "view" | "view_mut" => {
                let slot = self.new_slot();
                self.stream.node(Node::View).number(slot);
                shadow::bind(expr, slot);
                return Some(Known::Unknown);
            }
            "block" => {
                self.stream.node(Node::Block).node(Node::Unit);
                return Some(Known::Unit);
            }
            "unset" => {
                self.stream.node(Node::Unset);
                return Some(Known::Unknown);
            }
            _ => return None,
        };
        self.stream.node(Node::Ref).number(u64::from(mutable));
        Some(Known::Unknown)
    }

    /// `f32::from_bits(w)`, `u32::max(a, b)`, `i32::from(x)`.
    fn primitive_function(&mut self, expr: &mut Expr, kind: Kind, last: &PathSegment) -> Known {
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        let name = plain(&last.ident);
        let own = Known::Scalar(kind);
        match (name.as_str(), node.args.len()) {
            (_, 0) if is_limit(kind, &last.ident) => {
                let constant = if name == "max_value" { "MAX" } else { "MIN" };
                if let Some(value) = associated_constant(kind, constant) {
                    return self.std_constant(value, kind);
                }
            }
            ("from", 1) => {
                let known = self.expr(&mut node.args[0], Want::Free);
                if known.is_primitive() {
                    self.stream.node(Node::Cast).number(kind as u64);
                } else {
                    self.stream.line(shadow::at(&node.func));
                    self.convert(expr, None);
                }
                return own;
            }
            ("default", 0) => {
                match kind {
                    Kind::Bool => self.stream.node(Node::Bool).number(0),
                    Kind::F32 | Kind::F64 => self
                        .stream
                        .node(Node::FloatOf)
                        .number(kind as u64)
                        .float(kind, 0.0, 0.0),
                    _ => self.stream.node(Node::IntegerOf).number(0).number(kind as u64),
                };
                return own;
            }
            _ => {}
        }
        let Some(number) = method_number(&name) else {
            self.report.unknown_method(&last.ident, &own.describe());
            return Known::Unknown;
        };
        let count = node.args.len();
        self.operands(node.args.iter_mut());
        self.stream.line(shadow::at(expr));
        self.stream
            .node(Node::Associated)
            .number(u64::from(number))
            .number(kind as u64)
            .number(count as u64);
        if name == "from_bits" { own } else { own.method(&name) }
    }

    /// `Type::function(a, b)`
    fn associated_function(
        &mut self,
        expr: &mut Expr,
        ty: proc_macro2::TokenStream,
        last: &PathSegment,
        expected: Option<Expected>,
    ) -> Known {
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        let constructs = move |func: &ExprPath| {
            let written = |expected: Expected| shadow::Constructs::As(Box::new(expected.ty));
            let made = match expected {
                _ if opens_elsewhere(func) => return Some(shadow::Constructs::Opened),
                Some(expected) => written(expected),
                None => shadow::Constructs::Asked,
            };
            constructs_elsewhere(func).then_some(made)
        };
        let name = plain(&last.ident);
        let is_own = matches!(&*node.func, Expr::Path(path) if is_inherent(path));
        if name == "from" && node.args.len() == 1 && !is_own {
            self.expr(&mut node.args[0], Want::Free);
            self.stream.line(shadow::at(&node.func));
            let constructs = match &*node.func {
                Expr::Path(path) => constructs(path),
                _ => None,
            };
            return self.convert(expr, constructs.as_ref());
        }
        if name == "try_from" && node.args.len() == 1 && !is_own {
            self.expr(&mut node.args[0], Want::Free);
            self.stream.line(shadow::at(&node.func));
            return self.try_convert(expr);
        }
        if name == "from_iter" && node.args.len() == 1 && !is_own {
            return self.collected(expr);
        }
        if let Some(call) = as_method_call(node) {
            *expr = call;
            return self.expr(expr, Want::Free);
        }
        let with_closure = node.args.iter().any(is_closure);
        let Expr::Path(node_path) = (*node.func).clone() else {
            return Known::Unknown;
        };
        // The type may be a number's, whose method is that of its first argument.
        let want = match method_number(&name) {
            Some(_) => Want::Free,
            None => Want::Decided,
        };
        let count = self
            .arguments(want, node.args.iter_mut().filter(|arg| !is_ordering(arg)))
            .len();
        self.stream.line(shadow::at(expr));
        self.may_call(Calls::Maybe);
        if with_closure && is_of_list(&node_path) && decides(&name) == shadow::Decides::Result {
            let slot = self.new_slot();
            self.stream.node(Node::Call).number(slot).number(count as u64);
            shadow::generic_associated(expr, ty, name_hash(&name), slot);
            return Known::Unknown;
        }
        let slot = self.method_as(&name, count, None);
        // `Bounds::max(bounds)` is no comparison.
        let hash = name_hash(method::of_an_iterator(&name, count.saturating_sub(1)));
        match self.inferred(&node_path, &name) {
            Some(function) => {
                let function = shadow::Inferred { hash, ..function };
                let constructs = constructs(&node_path);
                shadow::call_associated(expr, &function, with_closure, constructs.as_ref(), slot);
            }
            None => shadow::associated(expr, ty, hash, slot),
        }
        Known::Unknown
    }

    /// `Type::from_iter(list)` as `list.into_iter().collect()`, which is of the type that the path begins with.
    fn collected(&mut self, expr: &mut Expr) -> Known {
        let Expr::Call(node) = &*expr else {
            return Known::Unknown;
        };
        let Expr::Path(func) = &*node.func else {
            return Known::Unknown;
        };
        let (list, span) = (&node.args[0], shadow::at(func));
        let mut collected: Expr = syn::parse_quote_spanned!(span=> (#list).into_iter().collect());
        let of_trait = func.qself.is_none()
            && func
                .path
                .segments
                .iter()
                .rev()
                .nth(1)
                .is_some_and(|of| of.ident == "FromIterator");
        let any = self.any_of(func);
        let known = self.expr(&mut collected, Want::Free);
        *expr = match of_trait {
            true => collected,
            false => Expr::Verbatim(quote_spanned! {span=>
                ({
                    use ::gpuvm::__private::AnyOf as _;
                    ::gpuvm::__private::made_as(#any(), #collected)
                })
            }),
        };
        known
    }

    /// What gives a value of the type that a function's path begins with.
    fn any_of(&self, path: &ExprPath) -> proc_macro2::TokenStream {
        let mut any = path.path.clone();
        if let Some(last) = any.segments.last_mut() {
            *last = quote::format_ident!("__gpuvm_any").into();
        }
        match &path.qself {
            Some(of) => {
                let ty = &of.ty;
                quote!(<#ty>::__gpuvm_any)
            }
            // Of what a type parameter may refer to, as its bounds say.
            None if path.path.segments.len() == 2 && self.is_parameter(&path.path) => {
                let of = &path.path.segments[0];
                quote!(<<#of as ::gpuvm::__private::Value>::Inner as ::gpuvm::__private::AnyOf>::__gpuvm_any)
            }
            None => any.to_token_stream(),
        }
    }

    /// The function that stands beside an associated function of a type, whose arguments the path may leave out, and tells these and the function's
    /// own parameters. It is made by the `impl` block or the trait; where there is none, one in the shadow says the type alone.
    pub(super) fn inferred(&mut self, path: &ExprPath, name: &str) -> Option<shadow::Inferred> {
        let arguments = path
            .path
            .segments
            .last()
            .map(|last| last.arguments.clone())
            .unwrap_or_default();
        match owner(path) {
            Owner::Module => return None,
            Owner::Primitive(_) if method::OF_SCALARS.contains(&name) => return None,
            _ => {}
        }
        let mut twin = twin_name(name);
        if let Some(last) = path.path.segments.last() {
            twin.set_span(twin.span().located_at(last.ident.span()));
        }
        if arguments.is_none() && !self.twins.iter().any(|known| known == name) {
            self.twins.push(name.to_owned());
            self.extras.push(fallback(&twin));
        }
        let turbofish = match arguments {
            PathArguments::AngleBracketed(mut arguments) => {
                arguments.colon2_token.get_or_insert_with(Default::default);
                Some(arguments)
            }
            _ => None,
        };
        let any = self.any_of(path);
        let of_trait = self.trait_of(path).map(|of| {
            let mut own = path.clone();
            if let Some(last) = own.path.segments.last_mut() {
                *last = twin.clone().into();
            }
            shadow::OfTrait {
                path: of,
                twin: quote!(#own #turbofish),
            }
        });
        Some(shadow::Inferred {
            any: quote!(#any()),
            twin: quote!(#twin #turbofish),
            of_trait,
            fallback: turbofish.is_none().then(|| shadow::fallback_name(&twin)),
            hash: name_hash(name),
            operator: crate::routine::operator_of_method(name),
        })
    }

    /// Whether a path begins with a type parameter.
    pub(super) fn is_parameter(&self, path: &Path) -> bool {
        let first = path.segments.first().map(|first| first.ident.to_string());
        first.is_some_and(|first| self.about.parameters.contains(&first))
    }

    /// What a function's path may name as a trait: `Shape::area`, `<Square as Shape>::area`.
    fn trait_of(&self, path: &ExprPath) -> Option<Path> {
        let mut of = path.path.clone();
        match &path.qself {
            Some(qself) if qself.position == 0 => return None,
            Some(qself) => of.segments = of.segments.into_iter().take(qself.position).collect(),
            None => {
                of.segments.pop();
            }
        }
        of.segments.pop_punct();
        let last = of.segments.last_mut()?;
        last.arguments = PathArguments::None;
        let (name, is_half) = (last.ident.to_string(), crate::primitive::is_half(&last.ident));
        let first = of.segments.first()?.ident.to_string();
        let is_type = path.qself.is_none()
            && (kind_of_name(&name).is_some()
                || matches!(&*first, "Self" | "char" | "str")
                || is_half
                || IN_PRELUDE.contains(&&*name)
                || OF_STD.contains(&&*name)
                || self.about.parameters.contains(&first));
        (!is_type && !crate::routine::is_std_trait(&name)).then_some(of)
    }

    /// Whether a path hangs on a type that is named without arguments, and may have some.
    pub(super) fn leaves_arguments_out(&self, path: &ExprPath) -> bool {
        let segments = &path.path.segments;
        segments.iter().rev().nth(1).is_some_and(|of| {
            path.qself.is_none()
                && of.ident != "Self"
                && segments.iter().all(|segment| segment.arguments.is_none())
                && kind_of_name(&of.ident.to_string()).is_none()
        })
    }

    /// A call of a routine by its path.
    fn routine(&mut self, expr: &mut Expr, path: &Path) -> Known {
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        let count = node.args.len();
        let with_closure = node.args.iter().any(is_closure);
        // Slots are variables of the shadow, and a closure that captures any cannot become the `fn(A) -> B` that the parameter may be.
        let outer = std::mem::replace(&mut self.literals_decide, with_closure && !self.names_types);
        self.arguments(Want::Decided, node.args.iter_mut());
        self.literals_decide = outer;
        let slot = self.new_slot();
        self.stream.node(Node::Call).number(slot).number(count as u64);
        self.may_call(Calls::Certainly);
        let marker = self.marker(path);
        let namesake = super::std_function(path).map(|function| function.path);
        if with_closure {
            shadow::call_with_closure(expr, &marker, namesake, slot);
        } else {
            shadow::call(expr, &marker, namesake, slot);
        }
        Known::Unknown
    }

    /// The type beside the function that a path names, where functions without one have another, so that rustc can say what they lack.
    pub(super) fn marker(&mut self, path: &Path) -> shadow::Callee {
        let namesake = super::std_function(path);
        if std_function::is_of_the_type(path) {
            return quote!(::gpuvm::__private::std_routines::from_utf8).into();
        }
        let parent = super::parent(path).filter(|_| namesake.is_none());
        if self.scopes.iter().any(|scope| scope.has_functions) {
            return match namesake {
                Some(function) if self.is_imported_from_std(path) => {
                    let name = syn::Ident::new(function.routine, proc_macro2::Span::call_site());
                    quote!(::gpuvm::__private::std_routines::#name).into()
                }
                None if self.is_imported_from_std(path) => self.of_std(path),
                _ => path.to_token_stream().into(),
            };
        }
        if let (Some(_), Some(last)) = (&parent, path.segments.last())
            && crate::namesake_modules::is_beside_another(&last.ident)
        {
            return quote!(::gpuvm::__private::ByFunction).into();
        }
        if let (Some(mut parent), Some(last)) = (parent, path.segments.last()) {
            let is_std = ["std", "core", "alloc"]
                .iter()
                .any(|std| parent.segments[0].ident == std);
            if let Some(first) = parent.segments.first_mut().filter(|first| !is_keyword(&first.ident))
                && parent.leading_colon.is_none()
            {
                first.ident = self.module(&first.ident);
            }
            return shadow::Callee {
                path: last.to_token_stream(),
                module: Some(shadow::Module {
                    path: parent.to_token_stream(),
                    name: crate::emit::generated(&last.ident),
                    is_std,
                }),
            };
        }
        let mut plain = path.clone();
        let mut arguments = plain
            .segments
            .last_mut()
            .map(|last| std::mem::take(&mut last.arguments));
        if let (None, Some(PathArguments::AngleBracketed(written)), Some(last)) =
            (&namesake, &mut arguments, path.segments.last())
        {
            // What is called is no parameter of what stands for the routine.
            let called = crate::circles::called_parameters(&last.ident);
            let is_kept = |place: &usize| !called.contains(place);
            let args = std::mem::take(&mut written.args).into_iter().enumerate();
            written.args = args.filter(|(place, _)| is_kept(place)).map(|(_, arg)| arg).collect();
        }
        if let (Some(function), Some(PathArguments::AngleBracketed(written))) = (namesake, &mut arguments) {
            written.args = std::mem::take(&mut written.args)
                .into_iter()
                .take(function.arguments())
                .collect();
        }
        let place = self
            .callees
            .iter()
            .position(|known| same_path(known, &plain))
            .unwrap_or_else(|| {
                self.callees.push(plain);
                self.callees.len() - 1
            });
        let mut alias = super::alias(place);
        // Of the hygiene of what stands around it, or rustc would say the same of the path and of the argument.
        alias.set_span(shadow::at(path));
        quote!(#alias #arguments).into()
    }

    /// A function of std's for which there is no routine.
    fn of_std(&self, path: &Path) -> shadow::Callee {
        let name = path.segments.last().map(|last| crate::emit::generated(&last.ident));
        let module = name.map(|name| shadow::Module {
            path: path.to_token_stream(),
            name,
            is_std: true,
        });
        shadow::Callee {
            path: path.to_token_stream(),
            module,
        }
    }

    /// The name by which the shadow knows the module that a callee's path begins with.
    fn module(&mut self, name: &syn::Ident) -> syn::Ident {
        let place = self.modules.iter().position(|known| known == name).unwrap_or_else(|| {
            self.modules.push(name.clone());
            self.modules.len() - 1
        });
        let mut alias = super::module_alias(place);
        alias.set_span(alias.span().located_at(name.span()));
        alias
    }

    /// The path of a function of std's that an import of a block gives this name.
    pub(super) fn std_function_renamed(&self, path: &Path) -> Option<Path> {
        let name = path.get_ident()?.to_string();
        let mut renames = self.scopes.iter().rev().map(|scope| &scope.renames);
        let path = renames.find_map(|renames| renames.get(&name))?;
        let is_std = path.segments.first().is_some_and(is_std);
        (is_std && super::std_function(path).is_some()).then(|| path.clone())
    }

    /// Whether a path begins at std, or with a name that a block of the body imports from there.
    fn is_imported_from_std(&self, path: &Path) -> bool {
        let Some(first) = path.segments.first() else {
            return false;
        };
        let first = first.ident.to_string();
        first == "std" || first == "core" || {
            let items = self.scopes.iter().flat_map(|scope| &scope.items);
            items
                .map(|item| item.to_string())
                .any(|item| (item.starts_with("use std") || item.starts_with("use core")) && item.contains(&first))
        }
    }

    /// `option.expect("text")`: the value of the operand, or a trap with the text. `errors`: it is `expect_err`. `of_user`: it may be a method of the user's, which
    /// the slot tells, with the text as an operand.
    pub(super) fn expect(&mut self, text: &str, errors: bool, span: proc_macro2::Span, of_user: Option<u64>) {
        self.stream.line(span);
        let absent = self.message(&[quote!(#text)], &[], Level::Error);
        let before = format!("{text}: ");
        let other = self.message(&[quote!(#before), quote!("")], &["?".to_owned()], Level::Error);
        let node = match of_user {
            None => Node::Expect,
            Some(_) => Node::ExpectAs,
        };
        self.stream
            .node(node)
            .number(absent)
            .number(other)
            .number(u64::from(errors));
        if let Some(slot) = of_user {
            self.stream.number(slot);
        }
    }
}

/// Names in gpuvm's prelude, none a trait's that routines know: rustc finds a type of the user's of such a name, but no import of it beside the glob.
const IN_PRELUDE: [&str; 13] = [
    "Backend",
    "Budget",
    "Buffer",
    "Dispatch",
    "Engine",
    "Execution",
    "KernelHandle",
    "Level",
    "Ring",
    "RingMessage",
    "RingOptions",
    "Runtime",
    "Signal",
];

/// Types in std's prelude that no routine has: what is named so is the user's, if it is anything.
const OF_STD: [&str; 3] = ["Box", "String", "Vec"];

/// Whether a path is a name that gpuvm's prelude has and that the file defines a trait of.
pub(crate) fn is_in_prelude(path: &Path) -> bool {
    path.get_ident().is_some_and(|name| {
        let text = || crate::file::text_around(name.span());
        let defines = |text: std::rc::Rc<str>| {
            let words = crate::file::words(&text);
            words
                .windows(2)
                .any(|pair| pair[0] == "trait" && name == pair[1].as_str())
        };
        IN_PRELUDE.iter().any(|known| name == known) && text().is_some_and(defines)
    })
}

/// `Option::is_some(&x)` as `(&x).is_some()`: of what the option is follows from the argument alone. `str::parse::<u32>(x)`, too, which the result decides.
fn as_method_call(call: &ExprCall) -> Option<Expr> {
    let Expr::Path(path) = &*call.func else { return None };
    let mut segments = path.path.segments.iter().rev();
    let (method, of) = (segments.next()?, segments.next()?);
    let is_either = of.ident == "Option" || of.ident == "Result";
    let is_parse = of.ident == "str" && method.ident == "parse";
    if !(is_either || is_parse) || !of.arguments.is_none() || method.ident == "from_iter" {
        return None;
    }
    let mut args = call.args.clone().into_iter();
    let receiver = args.next()?;
    let turbofish = match &method.arguments {
        PathArguments::AngleBracketed(arguments) => Some(arguments.clone()),
        _ => None,
    };
    Some(Expr::MethodCall(syn::ExprMethodCall {
        attrs: Vec::new(),
        receiver: Box::new(syn::parse_quote!((#receiver))),
        dot_token: Default::default(),
        method: method.ident.clone(),
        turbofish,
        paren_token: call.paren_token,
        args: args.collect(),
    }))
}

/// Whether what a path names of one of the machine's own types is a method that the machine has of it, or nothing, which rustc tells of the function itself. Else it
/// is std's in gpuvm's library, or of a trait of the user's.
pub(super) fn is_machine_method(kind: Kind, method: &syn::Ident) -> bool {
    let name = plain(method);
    let is_own = || Known::Scalar(kind).has_method(&name) || !namesakes::defines_as_machine(method.span(), &name);
    method_number(&name).is_some() && is_own()
}

/// Functions of the numbers that are no methods.
fn is_plain(last: &PathSegment) -> bool {
    last.ident == "from" || last.ident == "default"
}

/// What decides which routine a method of std's is.
pub(crate) fn decides(name: &str) -> shadow::Decides {
    if method::BY_KEY.contains(&name) {
        shadow::Decides::Closure
    } else if method::BY_ARGUMENT.contains(&name) {
        shadow::Decides::Argument
    } else {
        shadow::Decides::Result
    }
}

/// Whether a path is that of a method of slices or arrays, which are not the user's: `<[u8]>::split`.
fn is_of_list(path: &ExprPath) -> bool {
    let of = path.qself.as_ref().filter(|of| of.position == 0).map(|of| &*of.ty);
    matches!(of, Some(syn::Type::Slice(_) | syn::Type::Array(_)))
}

/// What a function's path hangs on.
enum Owner {
    Primitive(Kind),
    Type(proc_macro2::TokenStream),
    Module,
}

/// Types are told from modules by their case, `u32` and its like by name.
fn owner(func: &ExprPath) -> Owner {
    if let Some(qself) = &func.qself {
        let ty = &qself.ty;
        let of = func.path.segments.iter().take(qself.position).last();
        let is_std = of.is_none_or(|of| crate::routine::is_std_trait(&of.ident.to_string()));
        if let syn::Type::Path(path) = &**ty
            && is_std
            && let Some(kind) = path.path.get_ident().and_then(|name| kind_of_name(&name.to_string()))
        {
            return Owner::Primitive(kind);
        }
        return Owner::Type(ty.to_token_stream());
    }
    let segments = &func.path.segments;
    if segments.len() < 2 {
        return Owner::Module;
    }
    let of = &segments[segments.len() - 2];
    if let Some(kind) = kind_of_name(&of.ident.to_string()).filter(|_| segments.len() == 2 || is_std(&segments[0])) {
        return Owner::Primitive(kind);
    }
    if let Some(kind) = primitive_alias(&of.ident).filter(|_| segments.len() == 2) {
        return Owner::Primitive(kind);
    }
    let is_text = of.ident == "str" && segments.len() == 2 && !is_named(Some(&func.path), "from_utf8");
    let is_known = of.ident == "Self" || of.ident == "char" || is_text || is_half(&of.ident);
    if !is_known && !is_type(&of.ident) {
        return Owner::Module;
    }
    let mut path = func.path.clone();
    path.segments.pop();
    path.segments.pop_punct();
    Owner::Type(path.to_token_stream())
}

/// Whether a path leads to a function that a type has of its own, though one of std's traits has one of that name.
fn is_inherent(func: &ExprPath) -> bool {
    let mut names = func.path.segments.iter().rev().map(|segment| &segment.ident);
    let (Some(function), Some(of)) = (names.next(), names.next()) else {
        return false;
    };
    func.qself.is_none() && namesakes::is_inherent(of, &plain(function))
}

/// The name of the function beside an associated one.
pub(crate) fn twin_name(name: &str) -> syn::Ident {
    quote::format_ident!("__vm_{name}")
}

/// What is found where nothing of the user's stands beside a function: it says no more than the type. In a module, because functions in the body
/// have their own.
pub(super) fn fallback(twin: &syn::Ident) -> proc_macro2::TokenStream {
    let module = shadow::fallback_name(twin);
    quote! {
        mod #module {
            pub trait Of<T: ?::core::marker::Sized> {
                fn #twin<D>(&mut self, _: D) -> ::core::marker::PhantomData<T>;
            }
            impl<T: ?::core::marker::Sized> Of<T> for &T {
                fn #twin<D>(&mut self, _: D) -> ::core::marker::PhantomData<T> {
                    ::core::marker::PhantomData
                }
            }
        }
    }
}

/// Whether a path is the constructor of a type that has the name of one of std's that no routine can have.
fn constructs_elsewhere(func: &ExprPath) -> bool {
    let mut names = func.path.segments.iter().rev().map(|segment| &segment.ident);
    let constructs = |name: &syn::Ident| {
        ["new", "with_capacity", "from", "now", "default"]
            .iter()
            .any(|known| name == known)
    };
    names.next().is_some_and(constructs) && names.next().is_some_and(super::is_elsewhere)
}

/// The same of one that says why where it makes nothing.
fn opens_elsewhere(func: &ExprPath) -> bool {
    let mut names = func.path.segments.iter().rev().map(|segment| &segment.ident);
    let opens = |name: &syn::Ident| {
        ["open", "create", "create_new", "connect", "bind"]
            .iter()
            .any(|known| name == known)
    };
    names.next().is_some_and(opens) && names.next().is_some_and(super::is_elsewhere)
}

/// The type that a function's path hangs on, and which number it is, if one.
pub(super) fn owner_type(func: &ExprPath) -> Option<(proc_macro2::TokenStream, Option<Kind>)> {
    match owner(func) {
        Owner::Primitive(kind) => {
            let span = func.path.segments.last().map(|last| last.ident.span())?;
            let ty = syn::Ident::new(crate::primitive::name_of_kind(kind), span);
            Some((ty.to_token_stream(), Some(kind)))
        }
        Owner::Type(ty) => Some((ty, None)),
        Owner::Module => None,
    }
}

/// Whether a path to `Wrapping` leads to std's, and not to a type of the crate's own.
fn is_wrapping(path: &Path) -> bool {
    let last = path.segments.last();
    last.is_some_and(|last| crate::namesakes::file_defining(last.ident.span(), "Wrapping").is_none())
}

/// Whether a function is of std's `Sum` or `Product`, one of which the file imports.
fn is_of_sums(name: &syn::Ident) -> bool {
    let of = match name {
        _ if name == "sum" => "Sum",
        _ if name == "product" => "Product",
        _ => return false,
    };
    crate::file::tells(name.span(), "imports", of, |text| {
        crate::file::imports_from(text, "iter", of)
    })
}

/// Whether a function of a primitive is the older form of the constant `MAX` or `MIN`.
fn is_limit(kind: Kind, name: &syn::Ident) -> bool {
    kind.is_integer() && (name == "max_value" || name == "min_value")
}

/// Whether a path ends with a name.
pub(super) fn is_named(path: Option<&Path>, name: &str) -> bool {
    path.and_then(|path| path.segments.last())
        .is_some_and(|last| last.ident == name)
}

/// Whether a path's first name is no name of a module or a crate.
fn is_keyword(name: &syn::Ident) -> bool {
    ["crate", "self", "super", "$crate"]
        .iter()
        .any(|keyword| name == keyword)
}

/// Whether a path may lead into a module of std's: it stands alone, or behind the module's name.
fn is_std_or_alone(path: &Path, module: &str) -> bool {
    let parent = super::parent(path);
    parent.is_none() || is_named(parent.as_ref(), module)
}

fn is_std(segment: &PathSegment) -> bool {
    segment.ident == "std" || segment.ident == "core"
}

fn same_path(a: &Path, b: &Path) -> bool {
    a.leading_colon.is_some() == b.leading_colon.is_some()
        && a.segments
            .iter()
            .map(|segment| &segment.ident)
            .eq(b.segments.iter().map(|segment| &segment.ident))
}

/// Whether an argument is a closure, or the path of a function.
pub(super) fn is_closure(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(node) => is_closure(&node.expr),
        Expr::Group(node) => is_closure(&node.expr),
        Expr::Reference(node) => is_closure(&node.expr),
        Expr::Closure(_) => true,
        _ => false,
    }
}

/// Whether an argument is the memory ordering of an atomic access. The machine's atomics are relaxed, and launches order the rest.
pub(super) fn is_ordering(expr: &Expr) -> bool {
    let Expr::Path(node) = expr else { return false };
    let mut names = node.path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let name = names.next().unwrap_or_default();
    let is_name = matches!(name.as_str(), "Relaxed" | "Acquire" | "Release" | "AcqRel" | "SeqCst");
    is_name && names.next().is_none_or(|of| of == "Ordering")
}

/// The name of the function beside a method that is asked which routine its caller's is: one that no twin has, whatever methods are called.
pub(crate) fn asking_name(name: &str) -> syn::Ident {
    quote::format_ident!("__asked_vm_{name}")
}

/// Whether an expression is a place, so that naming it twice moves nothing.
pub(crate) fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Paren(node) => is_place(&node.expr),
        Expr::Group(node) => is_place(&node.expr),
        Expr::Field(node) => is_place(&node.base),
        Expr::Index(node) => is_place(&node.expr) || matches!(&*node.index, Expr::Range(_)),
        Expr::Unary(node) => matches!(node.op, syn::UnOp::Deref(_)) && is_place(&node.expr),
        _ => false,
    }
}

/// The variable that a place is part of.
pub(crate) fn root(place: &Expr) -> Option<&syn::Ident> {
    match place {
        Expr::Path(node) => node.path.get_ident(),
        Expr::Field(node) => root(&node.base),
        Expr::Index(node) => root(&node.expr),
        Expr::Paren(node) => root(&node.expr),
        Expr::Group(node) => root(&node.expr),
        Expr::Unary(node) => root(&node.expr),
        Expr::MethodCall(node) => root(&node.receiver),
        Expr::Reference(node) => root(&node.expr),
        _ => None,
    }
}
