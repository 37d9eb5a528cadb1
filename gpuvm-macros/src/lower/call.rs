//! Calls: of routines, constructors, std's functions on primitives, methods, and the `vm` module.

use gpuvm_nodes::method::{self, NO_METHOD, method_number};
use gpuvm_nodes::node::Node;
use gpuvm_nodes::{Kind, name_hash};
use quote::{ToTokens, quote};
use syn::{Expr, ExprCall, ExprPath, Path, PathSegment};

use super::constant::{Case, case};
use super::expr::{plain, variant_name, write_variant};
use super::{Calls, Lowering, Want};
use crate::primitive::{Known, kind_of_name};
use crate::shadow;

impl Lowering<'_> {
    pub(super) fn call(&mut self, expr: &mut Expr) -> Known {
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        let mut func = &*node.func;
        while let Expr::Paren(inner) = func {
            func = &inner.expr;
        }
        let Expr::Path(func) = func else {
            self.report.called_value(&*node.func);
            return Known::Unknown;
        };
        let func = func.clone();
        self.check_path(&func.path);
        let Some(last) = func.path.segments.last().cloned() else {
            return Known::Unknown;
        };
        let local = func.path.get_ident().and_then(|name| self.find(name));
        if let Some(local) = local {
            // What was refused when it was bound, such as a closure, is not refused again.
            if self.locals[local as usize].known != Known::Never {
                self.report.called_value(&func);
            }
            return Known::Unknown;
        }
        if case(&last.ident) != Case::Snake {
            return self.constructor(expr, &func.path);
        }
        if let Some(known) = self.vm_function(node, &func.path) {
            return known;
        }
        match owner(&func) {
            Owner::Primitive(kind) => self.primitive_function(expr, kind, &last),
            Owner::Type(ty) => self.associated_function(expr, ty, &last),
            Owner::Module => self.routine(expr, &func.path),
        }
    }

    /// `Variant(a, b)` and `Struct(a, b)`.
    fn constructor(&mut self, expr: &mut Expr, path: &Path) -> Known {
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        let name = variant_name(path);
        let known = self.operands(node.args.iter_mut());
        let slot = self.new_slot();
        let stream = self.stream.node(Node::Construct).number(slot);
        write_variant(stream, &name).number(known.len() as u64).number(0);
        for i in 0..known.len() {
            stream.hash(&i.to_string());
        }
        shadow::bind(expr, slot);
        match name.as_deref() {
            Some("Some") => Known::Optional(Box::new(known.into_iter().next().unwrap_or(Known::Unknown))),
            Some("Wrapping") => Known::Wrapping,
            _ => Known::Unknown,
        }
    }

    /// `vm::id()` and its like.
    fn vm_function(&mut self, node: &ExprCall, path: &Path) -> Option<Known> {
        let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
        let name = names.next()?;
        if names.next()? != "vm" || !node.args.is_empty() {
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

    /// `f32::from_bits(w)`, `u32::max(a, b)`, `i32::from(x)`.
    fn primitive_function(&mut self, expr: &mut Expr, kind: Kind, last: &PathSegment) -> Known {
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        let name = plain(&last.ident);
        let own = Known::Scalar(kind);
        match (name.as_str(), node.args.len()) {
            ("from", 1) => {
                self.expr(&mut node.args[0], Want::Free);
                self.stream.node(Node::Cast).number(kind as u64);
                return own;
            }
            ("default", 0) => {
                match kind {
                    Kind::Bool => self.stream.node(Node::Bool).number(0),
                    Kind::F32 => self.stream.node(Node::Float).number(0),
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
    fn associated_function(&mut self, expr: &mut Expr, ty: proc_macro2::TokenStream, last: &PathSegment) -> Known {
        if !last.arguments.is_none() {
            self.report.generic_method_call(&last.arguments);
        }
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        let name = plain(&last.ident);
        let count = self
            .operands(node.args.iter_mut().filter(|arg| !is_ordering(arg)))
            .len();
        self.stream.line(shadow::at(expr));
        self.may_call(Calls::Maybe);
        let slot = self.method_as(&name, count);
        shadow::associated(expr, ty, name_hash(&name), slot);
        Known::Unknown
    }

    /// A call of a routine by its path.
    fn routine(&mut self, expr: &mut Expr, path: &Path) -> Known {
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        let count = node.args.len();
        self.operands(node.args.iter_mut());
        let slot = self.new_slot();
        self.stream.node(Node::Call).number(slot).number(count as u64);
        self.may_call(Calls::Certainly);
        let marker = self.marker(path);
        shadow::call(expr, marker, slot);
        Known::Unknown
    }

    /// The type beside the function that a path names: under an alias that is there for functions without one, too, so that rustc can say
    /// what they lack.
    fn marker(&mut self, path: &Path) -> proc_macro2::TokenStream {
        if self.scopes.iter().any(|scope| scope.has_functions) {
            return quote!(#path);
        }
        let mut plain = path.clone();
        let arguments = plain
            .segments
            .last_mut()
            .map(|last| std::mem::take(&mut last.arguments));
        let place = self
            .callees
            .iter()
            .position(|known| same_path(known, &plain))
            .unwrap_or_else(|| {
                self.callees.push(plain);
                self.callees.len() - 1
            });
        let mut alias = super::alias(&self.name, place);
        alias.set_span(alias.span().located_at(shadow::at(path)));
        quote!(#alias #arguments)
    }

    /// `option.expect("text")`: the value of the operand, or a trap with the text.
    fn expect(&mut self, text: &str, span: proc_macro2::Span) {
        let present = self.new_label();
        self.stream.line(span);
        self.stream.node(Node::Copy);
        self.stream.node(Node::Duplicate);
        self.stream
            .node(Node::Method)
            .number(u64::from(method::number::is_some))
            .number(1);
        self.stream.node(Node::JumpIf).number(present);
        self.fixed_panic(text);
        self.label(present);
        self.stream
            .node(Node::Method)
            .number(u64::from(method::number::unwrap))
            .number(1);
    }

    pub(super) fn method_call(&mut self, expr: &mut Expr, want: Want) -> Known {
        let Expr::MethodCall(node) = &mut *expr else {
            return Known::Unknown;
        };
        if let Some(arguments) = &node.turbofish {
            self.report.generic_method_call(arguments);
        }
        let name = plain(&node.method);
        let place = is_place(&node.receiver);
        let changed = self.changes_root(&node.receiver, node.args.iter());
        let receiver_want = match want {
            Want::Kind(kind) if super::literal::is_untyped_integer(&node.receiver) => Want::Kind(kind),
            _ => Want::Free,
        };
        let known = self.expr(&mut node.receiver, receiver_want);
        let copies = known.is_primitive()
            && node.args.iter().any(|arg| self.has_effect(arg))
            && self.is_changeable(&node.receiver);
        if changed || copies {
            self.stream.node(Node::Copy);
        }
        if name == "expect"
            && let Some(Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            })) = node.args.first()
        {
            self.expect(&text.value(), shadow::at(&node.method));
            return known.method("unwrap");
        }
        let count = self
            .operands(node.args.iter_mut().filter(|arg| !is_ordering(arg)))
            .len()
            + 1;
        let method = node.method.clone();
        self.stream.line(shadow::at(&method));
        if known.is_machine() {
            let Some(number) = method_number(&name) else {
                self.report.unknown_method(&method, &known.describe());
                return Known::Unknown;
            };
            self.stream
                .node(Node::Method)
                .number(u64::from(number))
                .number(count as u64);
            return known.method(&name);
        }
        if matches!(
            name.as_str(),
            "iter" | "iter_mut" | "into_iter" | "map" | "and_then" | "unwrap_or_else" | "ok_or"
        ) {
            self.report.unknown_method(&method, &known.describe());
        }
        self.may_call(Calls::Maybe);
        let slot = self.method_as(&name, count);
        shadow::method(expr, name_hash(&name), place, slot);
        Known::Unknown
    }

    /// A method of a type that may be the user's; the operands are on the stack.
    fn method_as(&mut self, name: &str, count: usize) -> u64 {
        let slot = self.new_slot();
        let number = u64::from(method_number(name).unwrap_or(NO_METHOD));
        self.stream
            .node(Node::MethodAs)
            .number(number)
            .number(slot)
            .number(count as u64);
        slot
    }

    /// Whether arguments assign to the variable that a receiver is part of: then it is taken by value, or rustc would refuse.
    fn changes_root<'e>(&self, receiver: &Expr, mut args: impl Iterator<Item = &'e Expr>) -> bool {
        self.is_changeable(receiver) && args.any(assigns)
    }
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
        if let syn::Type::Path(path) = &**ty
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
    if of.ident != "Self" && case(&of.ident) == Case::Snake {
        return Owner::Module;
    }
    let mut path = func.path.clone();
    path.segments.pop();
    path.segments.pop_punct();
    Owner::Type(path.to_token_stream())
}

fn is_std(segment: &PathSegment) -> bool {
    segment.ident == "std" || segment.ident == "core"
}

/// Whether an expression is a place, so that naming it twice moves nothing.
fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Paren(node) => is_place(&node.expr),
        Expr::Field(node) => is_place(&node.base),
        Expr::Index(node) => is_place(&node.expr) && matches!(&*node.index, Expr::Path(_) | Expr::Lit(_)),
        Expr::Unary(node) => matches!(node.op, syn::UnOp::Deref(_)) && is_place(&node.expr),
        _ => false,
    }
}

fn same_path(a: &Path, b: &Path) -> bool {
    a.leading_colon.is_some() == b.leading_colon.is_some()
        && a.segments
            .iter()
            .map(|segment| &segment.ident)
            .eq(b.segments.iter().map(|segment| &segment.ident))
}

/// Whether an argument is the memory ordering of an atomic access. The machine's atomics are relaxed, and launches order the rest.
fn is_ordering(expr: &Expr) -> bool {
    let Expr::Path(node) = expr else { return false };
    let mut names = node.path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let name = names.next().unwrap_or_default();
    let is_name = matches!(name.as_str(), "Relaxed" | "Acquire" | "Release" | "AcqRel" | "SeqCst");
    is_name && names.next().is_none_or(|of| of == "Ordering")
}

/// Whether an expression contains an assignment.
fn assigns(expr: &Expr) -> bool {
    struct Search(bool);
    impl<'ast> syn::visit::Visit<'ast> for Search {
        fn visit_expr_assign(&mut self, _: &'ast syn::ExprAssign) {
            self.0 = true;
        }
        fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
            use syn::BinOp::*;
            self.0 |= matches!(
                node.op,
                AddAssign(_)
                    | SubAssign(_)
                    | MulAssign(_)
                    | DivAssign(_)
                    | RemAssign(_)
                    | BitXorAssign(_)
                    | BitAndAssign(_)
                    | BitOrAssign(_)
                    | ShlAssign(_)
                    | ShrAssign(_)
            );
            syn::visit::visit_expr_binary(self, node);
        }
    }
    let mut search = Search(false);
    syn::visit::Visit::visit_expr(&mut search, expr);
    search.0
}
