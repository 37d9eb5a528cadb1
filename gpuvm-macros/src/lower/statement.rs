//! Blocks and statements.

use std::collections::HashMap;

use gpuvm_nodes::node::Node;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, Expr, ExprMacro, Item, ItemFn, Local, Meta, Pat, Path, StaticMutability, Stmt, Type, UseTree,
};

use super::expected::Expected;
use super::{Lowering, Want};
use crate::args::{Args, Role};
use crate::native;
use crate::primitive::Known;
use crate::report::Report;
use crate::shadow;

impl Lowering<'_> {
    /// A block; pushes its value.
    pub(super) fn block(&mut self, block: &mut Block, want: Want) -> Known {
        self.scoped(|this| this.statements(&mut block.stmts, want))
    }

    fn statements(&mut self, statements: &mut Vec<Stmt>, want: Want) -> Known {
        let expected = self.expected.take();
        statements.retain(|statement| !is_empty(statement));
        if statements.iter().any(|statement| closures_apart(statement).is_some()) {
            let apart = |statement: Stmt| closures_apart(&statement).unwrap_or_else(|| vec![statement]);
            *statements = statements.drain(..).flat_map(apart).collect();
        }
        self.items(statements);
        // What the routine's constants are made of has to be seen where these are fetched, too.
        if self.is_outermost() {
            let (items, others) = statements
                .drain(..)
                .partition(|statement| matches!(statement, Stmt::Item(_)));
            self.items = items;
            *statements = others;
        }
        let mut value = None;
        let count = statements.len();
        let mut done = Vec::with_capacity(count);
        for (i, mut statement) in statements.drain(..).enumerate() {
            let outer = std::mem::take(&mut self.after);
            let is_value = i + 1 == count && matches!(&statement, Stmt::Expr(_, None));
            if !matches!(statement, Stmt::Item(_)) {
                self.stream.line(shadow::at(&statement));
            }
            match &mut statement {
                Stmt::Local(local) => self.local(local),
                Stmt::Item(_) => {}
                Stmt::Expr(expr, semicolon) => {
                    let is_tail = semicolon.is_none() && i + 1 == count;
                    let attributes = attributes_of_call(expr);
                    self.attributes(&attributes);
                    self.expected = expected.clone().filter(|_| is_tail);
                    let known = self.expr(expr, if is_tail { want } else { Want::Free });
                    if is_tail {
                        value = Some(known);
                    } else {
                        self.stream.node(Node::Pop);
                    }
                    if !attributes.is_empty() {
                        // What is put around a call is an expression, where rustc has no attributes.
                        *expr = syn::parse_quote!(#(#attributes)* { #expr; });
                    }
                }
                Stmt::Macro(node) => {
                    self.attributes(&node.attrs);
                    let is_tail = node.semi_token.is_none() && i + 1 == count;
                    let mut expr = Expr::Macro(ExprMacro {
                        attrs: Vec::new(),
                        mac: node.mac.clone(),
                    });
                    let known = self.expr(&mut expr, if is_tail { want } else { Want::Free });
                    if is_tail {
                        value = Some(known);
                        statement = Stmt::Expr(expr, None);
                    } else {
                        self.stream.node(Node::Pop);
                        statement = Stmt::Expr(expr, Some(Default::default()));
                    }
                }
            }
            done.push(statement);
            let after = std::mem::replace(&mut self.after, outer);
            if is_value {
                // Nothing can follow the value of a block; what its parts ask for follows the statement that the block is in.
                self.after.extend(after);
            } else if !after.is_empty() {
                done.push(Stmt::Expr(Expr::Verbatim(after), None));
            }
        }
        *statements = done;
        match value {
            Some(known) => known,
            None if self.diverges => {
                self.stream.node(Node::Never);
                Known::Never
            }
            None => {
                self.stream.node(Node::Unit);
                Known::Unit
            }
        }
    }

    /// Whether the innermost block is the routine's body.
    fn is_outermost(&self) -> bool {
        self.scopes.len() == super::BODY
    }

    /// Items are visible in all of their block, so they are looked at first.
    fn items(&mut self, statements: &mut [Stmt]) {
        for statement in statements {
            let Stmt::Item(item) = statement else {
                continue;
            };
            match item {
                Item::Static(node) if matches!(node.mutability, StaticMutability::Mut(_)) => {
                    self.report.mutable_static(node)
                }
                Item::Const(_) | Item::Static(_) | Item::Use(_) => {
                    if let (Item::Use(import), Some(scope)) = (&*item, self.scopes.last_mut()) {
                        renames(&import.tree, &mut Vec::new(), &mut scope.renames);
                    }
                    // The shadow has copies that nothing uses, of which nobody wants to hear.
                    let (tokens, imports) = (shadow::ours(item.to_token_stream()), matches!(item, Item::Use(_)));
                    *item = Item::Verbatim(tokens.clone());
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.items.push(tokens);
                        scope.has_functions |= imports;
                    }
                }
                Item::Fn(function) => {
                    callee_only(function);
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.has_functions = true;
                    }
                }
                // Its calls are expanded.
                Item::Macro(node) if node.ident.is_some() => {}
                Item::Impl(_) | Item::Trait(_) => native::make_routine(item),
                Item::Struct(_) | Item::Enum(_) | Item::Type(_) => {}
                _ => self.report.nested_item(&*item),
            }
        }
    }

    /// A `let` statement.
    fn local(&mut self, local: &mut Local) {
        self.attributes(&local.attrs);
        let (pattern, ty) = match &mut local.pat {
            Pat::Type(typed) => {
                self.check_type(&mut typed.ty);
                (&mut *typed.pat, Some((*typed.ty).clone()))
            }
            pattern => (pattern, None),
        };
        let Some(init) = &mut local.init else {
            self.declaration(pattern, ty.as_ref());
            return;
        };
        let annotated = ty.as_ref().map(Known::of);
        let want = match &annotated {
            Some(known) => Want::of(known),
            None => Want::Free,
        };
        let parameter = ty
            .as_ref()
            .map_or_else(|| self.parameter(&init.expr), |ty| self.parameter_of(ty));
        let value_of = self.value_of(&init.expr).filter(|_| ty.is_none());
        // Of a type that is written, it is asked there whether it is of the machine.
        self.expected = ty.as_ref().and_then(|ty| Expected::of(ty, false));
        let known = self.expr_or_function(&mut init.expr, want);
        self.expected = None;
        if let Some((_, otherwise)) = &mut init.diverge {
            self.let_else(pattern, otherwise, annotated.unwrap_or(known));
            return;
        }
        let simple = match pattern {
            Pat::Ident(name) if super::pattern::is_binding(name) && name.by_ref.is_none() && name.subpat.is_none() => {
                Some((name.ident.clone(), name.mutability.is_some()))
            }
            _ => None,
        };
        let Some((name, mutable)) = simple else {
            let known = annotated.unwrap_or(known);
            self.irrefutable(pattern, &known);
            return;
        };
        let needs_slot = match &annotated {
            Some(Known::Scalar(_)) | None => false,
            Some(_) => true,
        };
        let known = match annotated {
            Some(known) => known,
            None => known,
        };
        let span = shadow::at(&*init.expr);
        let number = self.declare(&name, known, mutable);
        self.locals[number as usize].parameter = parameter;
        if value_of.is_some() {
            self.about.values.resize(number as usize + 1, None);
            self.about.values[number as usize] = value_of;
        }
        if !needs_slot {
            self.stream.node(Node::Bind).number(number);
            return;
        }
        let slot = self.new_slot();
        self.stream.node(Node::BindAs).number(number).number(slot);
        self.after.extend(shadow::bind_place(quote!(#name), span, slot));
    }

    /// `let x;` and `let (x, y);`.
    fn declaration(&mut self, pattern: &Pat, ty: Option<&Type>) {
        let mut binds = TokenStream::new();
        self.declare_names(pattern, &ty.map_or(Known::Unknown, Known::of), &mut binds);
        self.after.extend(binds);
    }

    fn declare_names(&mut self, pattern: &Pat, known: &Known, binds: &mut TokenStream) {
        match pattern {
            Pat::Ident(name) => {
                let ident = &name.ident;
                let local = self.declare(ident, known.clone(), true);
                let slot = self.new_slot();
                self.stream.node(Node::Declare).number(local).number(slot);
                binds.extend(shadow::bind_place(quote!(#ident), shadow::at(ident), slot));
            }
            Pat::Tuple(node) => {
                for (i, element) in node.elems.iter().enumerate() {
                    let known = match known {
                        Known::Tuple(fields) => fields.get(i).cloned().unwrap_or(Known::Unknown),
                        _ => Known::Unknown,
                    };
                    self.declare_names(element, &known, binds);
                }
            }
            other => self.report.unknown_pattern(other),
        }
    }

    /// `let pattern = value else { … };`, the value being on the stack.
    fn let_else(&mut self, pattern: &mut Pat, otherwise: &mut Expr, known: Known) {
        let (fails, matches) = (self.new_label(), self.new_label());
        let before = self.names().clone();
        self.refutable(pattern, &known, fails);
        self.jump(matches);
        self.label(fails);
        // The bindings are not there in the `else` block.
        let bound = std::mem::replace(self.names(), before);
        let diverges = self.diverges;
        self.expr(otherwise, Want::Free);
        self.diverges = diverges;
        *self.names() = bound;
        self.stream.node(Node::Pop);
        self.label(matches);
    }

    /// Attributes that change nothing are let through.
    pub(super) fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            let path = attribute.path();
            let harmless = ["allow", "warn", "deny", "forbid", "expect", "doc"]
                .iter()
                .any(|name| path.is_ident(name));
            let tool = path
                .segments
                .first()
                .is_some_and(|first| first.ident == "rustfmt" || first.ident == "clippy");
            if !harmless && !tool {
                self.report.attribute(attribute);
            }
        }
    }
}

/// `let (f, n) = (|x| x + 1, 2);` as two statements: a closure is in a variable of its own, and so is an iterator, which may hold one. `None` for any other, and where an
/// entry speaks of a name that one before it is given.
fn closures_apart(statement: &Stmt) -> Option<Vec<Stmt>> {
    let Stmt::Local(local) = statement else { return None };
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    let (Pat::Tuple(names), Expr::Tuple(values)) = (&local.pat, &*init.expr) else {
        return None;
    };
    let is_rest = |name: &Pat| matches!(name, Pat::Rest(_));
    if names.elems.len() != values.elems.len()
        || names.elems.iter().any(is_rest)
        || !values.elems.iter().any(may_hold_closure)
    {
        return None;
    }
    let mut given: Vec<Ident> = Vec::new();
    let mut apart = Vec::new();
    for (name, value) in names.elems.iter().zip(&values.elems) {
        if given.iter().any(|name| crate::given::mentions(value, name)) {
            return None;
        }
        let Pat::Ident(binding) = name else { return None };
        given.push(binding.ident.clone());
        let attributes = &local.attrs;
        apart.push(syn::parse_quote!(#(#attributes)* let #name = #value;));
    }
    Some(apart)
}

/// Whether a closure stands in an expression, or an iterator is made there of what may be one.
fn may_hold_closure(value: &Expr) -> bool {
    struct Search(bool);
    impl<'a> Visit<'a> for Search {
        fn visit_expr_closure(&mut self, _: &'a syn::ExprClosure) {
            self.0 = true;
        }

        fn visit_expr_method_call(&mut self, node: &'a syn::ExprMethodCall) {
            self.0 |= node.method == "into_iter";
            visit::visit_expr_method_call(self, node);
        }
    }
    let mut search = Search(false);
    search.visit_expr(value);
    search.0
}

/// What an import gives another name, by that name.
fn renames(tree: &UseTree, before: &mut Vec<Ident>, found: &mut HashMap<String, Path>) {
    match tree {
        UseTree::Path(node) => {
            before.push(node.ident.clone());
            renames(&node.tree, before, found);
            before.pop();
        }
        UseTree::Group(node) => node.items.iter().for_each(|tree| renames(tree, before, found)),
        UseTree::Rename(node) => {
            let names = before.iter().chain([&node.ident]).filter(|name| *name != "self");
            found.insert(node.rename.to_string(), syn::parse_quote!(#(#names)::*));
        }
        UseTree::Name(_) | UseTree::Glob(_) => {}
    }
}

/// Whether a statement is nothing but its semicolon.
fn is_empty(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(Expr::Verbatim(tokens), Some(_)) if tokens.is_empty())
}

/// In the shadow a nested routine is only called, or it would be registered twice. A function without the attribute is one, too.
fn callee_only(function: &mut ItemFn) {
    if !native::is_routine(&function.attrs) {
        function
            .attrs
            .push(syn::parse_quote!(#[::gpuvm::__private::routine(nested, crate = ::gpuvm::__private::home)]));
    }
    for attribute in &mut function.attrs {
        if attribute
            .path()
            .segments
            .last()
            .is_some_and(|last| last.ident == "routine")
        {
            let path = attribute.path().clone();
            let arguments = match &attribute.meta {
                Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            };
            // What is wrong with them is told of the function itself.
            let home = Args::parse(Role::Routine, arguments, &mut Report::default()).home;
            let home = home.map(|home| quote!(, crate = #home));
            *attribute = syn::parse_quote!(#[#path(nested #home)]);
        }
    }
}

/// The attributes of a statement that is a call, taken out.
fn attributes_of_call(expr: &mut Expr) -> Vec<syn::Attribute> {
    match expr {
        Expr::Call(node) => std::mem::take(&mut node.attrs),
        Expr::MethodCall(node) => std::mem::take(&mut node.attrs),
        _ => Vec::new(),
    }
}
