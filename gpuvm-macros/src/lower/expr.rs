//! Expressions: the dispatch, and what is neither control flow nor a call — paths, fields, elements, references, casts, aggregates.

use gpuvm_nodes::method::{NO_METHOD, method_number};
use gpuvm_nodes::node::Node;
use gpuvm_nodes::{Kind, name_hash};
use quote::ToTokens;
use syn::{Expr, ExprGroup, ExprParen, ExprPath, Index, Member, RangeLimits, Token, Type};

use super::call::is_place;
use super::constant::{Case, case};
use super::expected::Expected;
use super::{Calls, Lowering, Want, literal};
use crate::primitive::{Known, StdConstant, associated_constant, kind_of_name, math_constant};
use crate::shadow;
use crate::{file, namesakes};

impl Lowering<'_> {
    /// Lowers an expression and pushes its value (or place). `want`: who decides the type of an integer literal.
    pub(super) fn expr(&mut self, expr: &mut Expr, want: Want) -> Known {
        // Where a place is changed, so are the places that it is a part of.
        let changes = std::mem::take(&mut self.changes);
        // A type that is written of an expression is one of what that ends with.
        let expected = self.expected.take();
        if literal::literal_of(expr).is_some() {
            return self.literal(expr, want);
        }
        self.changes = changes && matches!(expr, Expr::Paren(_) | Expr::Group(_) | Expr::Field(_) | Expr::Unary(_));
        if matches!(
            expr,
            Expr::Paren(_)
                | Expr::Group(_)
                | Expr::Block(_)
                | Expr::If(_)
                | Expr::Match(_)
                | Expr::Call(_)
                | Expr::Const(_)
        ) {
            self.expected = expected.clone();
        }
        match expr {
            Expr::Paren(node) => self.expr(&mut node.expr, want),
            Expr::Group(node) => self.expr(&mut node.expr, want),
            Expr::Path(_) => self.path(expr),
            Expr::Unary(_) => self.unary(expr, want),
            Expr::Binary(_) => self.binary(expr, want),
            Expr::Assign(node) => self.assign(node),
            Expr::Block(node) => {
                self.attributes(&node.attrs);
                match &node.label {
                    Some(label) => {
                        let label = super::key(&label.name.ident);
                        self.labelled_block(&mut node.block, label, want)
                    }
                    None => {
                        let known = self.block(&mut node.block, want);
                        // `{ x }` is a copy: what borrows the block's value must not reach `x`.
                        if ends_in_place(&node.block) {
                            self.stream.node(Node::Copy);
                        }
                        known
                    }
                }
            }
            Expr::If(node) => self.if_else(node, want),
            Expr::Match(node) => self.match_arms(node, want),
            Expr::Loop(node) => self.endless(node, want),
            Expr::While(node) => self.while_loop(node),
            Expr::ForLoop(node) => self.for_loop(node),
            Expr::Break(_) => self.break_loop(expr),
            Expr::Continue(node) => self.continue_loop(node),
            Expr::Return(_) => self.return_value(expr),
            Expr::Try(_) => self.question(expr),
            Expr::Call(_) => self.call(expr),
            Expr::Closure(node) => self.closure(node),
            Expr::Range(_) => self.range(expr),
            Expr::MethodCall(_) => self.method_call(expr, want),
            Expr::Macro(_) => self.macro_call(expr, want),
            Expr::Field(node) => self.field(&mut node.base, &node.member),
            Expr::Index(_) => self.index(expr, changes),
            Expr::Reference(node) => {
                let mutable = node.mutability.is_some();
                self.changes = mutable;
                let known = self.expr(&mut node.expr, Want::Free);
                let is_lent = self.is_local(&node.expr) && self.may_be_on_host(&known, shadow::at(&*node.expr));
                self.leads(&mut node.expr, &known);
                self.stream.node(Node::Ref).number(u64::from(mutable));
                if is_lent {
                    shadow::lent(expr);
                }
                Known::Reference(Box::new(known))
            }
            Expr::Cast(_) => self.cast(expr),
            Expr::Tuple(node) if node.elems.is_empty() => {
                self.stream.node(Node::Unit);
                Known::Unit
            }
            Expr::Tuple(_) => self.tuple(expr, expected),
            Expr::Array(_) => self.array(expr, expected),
            Expr::Repeat(_) => self.repeat(expr, expected),
            Expr::Struct(_) => self.structure(expr, expected),
            // Its value is the same whenever it is computed, and rustc has checked that it can be.
            Expr::Const(node) => {
                *expr = Expr::Block(syn::ExprBlock {
                    attrs: std::mem::take(&mut node.attrs),
                    label: None,
                    block: node.block.clone(),
                });
                self.expr(expr, want)
            }
            other => {
                self.refuse(other);
                // The walk goes on, to find what else is wrong.
                self.stream.node(Node::Never);
                Known::Never
            }
        }
    }

    fn refuse(&mut self, expr: &Expr) {
        match expr {
            Expr::Async(node) => self.report.async_code(node.async_token),
            Expr::Await(node) => self.report.async_code(node.await_token),
            Expr::Infer(node) => self.report.infer_expression(node),
            Expr::Let(node) => self.report.let_outside_condition(node.let_token),
            Expr::RawAddr(node) => self.report.raw_pointer(node),
            Expr::TryBlock(node) => self.report.try_block(node.try_token),
            Expr::Unsafe(node) => self.report.unsafe_code(node.unsafe_token),
            Expr::Yield(node) => self.report.yield_expression(node.yield_token),
            other => self.report.unknown_expression(other),
        }
    }

    fn path(&mut self, expr: &mut Expr) -> Known {
        let Expr::Path(node) = &*expr else {
            return Known::Unknown;
        };
        self.check_path(&node.path);
        if let (None, Some(name)) = (&node.qself, node.path.get_ident())
            && let Some(local) = self.find(name)
        {
            self.push_local(local);
            let known = self.locals[local as usize].known.clone();
            if name == "self" {
                *expr = Expr::Verbatim(self_name(name).into_token_stream());
            }
            return known;
        }
        if let Some(known) = self.std_path(node) {
            return known;
        }
        let Some(last) = node.path.segments.last().map(|segment| segment.ident.clone()) else {
            return Known::Unknown;
        };
        if case(&last) == Case::Camel {
            let slot = self.new_slot();
            let name = variant_name(&node.path);
            write_variant(self.stream.node(Node::Construct).number(slot), &name)
                .number(0)
                .number(0);
            shadow::bind(expr, slot);
            return if last == "None" {
                Known::Optional(Box::new(Known::Unknown))
            } else {
                Known::Unknown
            };
        }
        let mut node = node.clone();
        if let Some(path) = self.std_function_renamed(&node.path) {
            node.path = path;
            *expr = Expr::Path(node.clone());
        }
        if case(&last) == Case::Snake {
            return self.function(expr, &node);
        }
        if self.infers(&node) {
            return self.inferred_constant(expr);
        }
        self.constant(&node)
    }

    /// An expression whose value may be a function: an argument, or what a variable is set to. The name of a constructor, `Meters` in `apply(Meters, x)`,
    /// looks like that of a constant or a variant without fields, and rustc says which it is.
    pub(super) fn expr_or_function(&mut self, expr: &mut Expr, want: Want) -> Known {
        let mut inner = &mut *expr;
        while let Expr::Group(ExprGroup { expr, .. }) | Expr::Paren(ExprParen { expr, .. }) = inner {
            inner = expr;
        }
        if !self.may_be_constructor(inner) {
            return self.expr(expr, want);
        }
        let Expr::Path(node) = &*inner else {
            return Known::Unknown;
        };
        self.check_path(&node.path);
        let node = node.clone();
        let name = variant_name(&node.path);
        let slot = self.new_slot();
        let is_constant = node
            .path
            .segments
            .last()
            .is_some_and(|last| case(&last.ident) == Case::Screaming);
        let (source, number) = match is_constant {
            false => (0, 0),
            // The arguments of a constructor's type are for its use to tell, too.
            true if self.has_no_items() => (2, self.named_inferred(&node)),
            true => (1, self.named_constant(&node)),
        };
        write_variant(self.stream.node(Node::Named).number(slot), &name)
            .number(source)
            .number(number);
        match source {
            2 => shadow::named_constant(inner, number as usize, slot),
            _ => shadow::named(inner, slot),
        }
        Known::Unknown
    }

    /// Whether an expression is a name that may be that of a tuple struct or of a variant with fields.
    pub(super) fn may_be_constructor(&self, expr: &Expr) -> bool {
        let Expr::Path(node) = expr else { return false };
        let is_local = || node.path.get_ident().is_some_and(|name| self.find(name).is_some());
        let Some(last) = node.path.segments.last() else {
            return false;
        };
        case(&last.ident) != Case::Snake && last.ident != "None" && !is_local() && std_value(node).is_none()
    }

    /// The path of a routine, given where a closure may be.
    fn function(&mut self, expr: &mut Expr, path: &ExprPath) -> Known {
        let slot = self.new_slot();
        self.may_call(super::Calls::Maybe);
        if let Some(last) = path.path.segments.last()
            && let Some((ty, kind)) = super::call::owner_type(path)
        {
            let name = plain(&last.ident);
            self.stream
                .node(Node::Function)
                .number(slot)
                .number(u64::from(method_number(&name).unwrap_or(NO_METHOD)))
                .number(kind.map_or(0, |kind| kind as u64 + 1));
            match self.inferred(path, &name) {
                Some(function) => shadow::associated_function(expr, &function, slot),
                None => shadow::associated(expr, ty, name_hash(&name), slot),
            }
            return Known::Closure;
        }
        self.stream
            .node(Node::Function)
            .number(slot)
            .number(u64::from(NO_METHOD))
            .number(0);
        let marker = self.marker(&path.path);
        let namesake = super::std_function(&path.path).map(|function| function.path);
        shadow::function(expr, &marker, namesake, slot);
        Known::Closure
    }

    /// A constant that std defines, such as `u32::MAX` and `f32::consts::PI`.
    fn std_path(&mut self, node: &ExprPath) -> Option<Known> {
        let (value, kind) = std_value(node)?;
        Some(self.std_constant(value, kind))
    }

    fn field(&mut self, base: &mut Expr, member: &Member) -> Known {
        let changes = self.changes;
        let known = self.expr(base, Want::Free);
        self.leads(base, &known);
        if self.may_be_on_host(&known, shadow::at(&*base)) {
            shadow::own_field(base, name_hash(&member_name(member)), member);
        }
        let kind = if changes { Node::FieldMut } else { Node::Field };
        self.stream.node(kind).hash(&member_name(member));
        match (known.inner(), member) {
            (Known::Tuple(fields), Member::Unnamed(Index { index, .. })) => {
                fields.get(*index as usize).cloned().unwrap_or(Known::Unknown)
            }
            _ => Known::Unknown,
        }
    }

    /// Asks what is behind a value, where a type of the crate's has a `Deref` of which it does not tell itself.
    pub(super) fn leads(&mut self, expr: &mut Expr, known: &Known) {
        let place = shadow::at(&*expr);
        if !self.evidence || *known.inner() != Known::Unknown || !namesakes::asks_of_deref(place) {
            return;
        }
        let slot = self.new_slot();
        self.stream.node(Node::Leads).number(slot);
        self.may_call(Calls::Maybe);
        shadow::leads(expr, namesakes::levels(place), slot);
    }

    /// Whether a value may be of a type of the crate's whose `Deref` is no routine.
    pub(super) fn may_be_on_host(&self, known: &Known, place: proc_macro2::Span) -> bool {
        self.evidence && *known.inner() == Known::Unknown && namesakes::has_host_derefs(place)
    }

    /// An element, or a part where the index is a range. `changes`: whether it is assigned to or borrowed to be.
    fn index(&mut self, expr: &mut Expr, changes: bool) -> Known {
        let start = shadow::at(expr);
        let Expr::Index(node) = &mut *expr else {
            return Known::Unknown;
        };
        let place = is_place(&node.expr);
        self.changes = changes;
        let base = self.expr(&mut node.expr, Want::Free);
        // A list is indexed as Rust has it.
        let overloaded = self.evidence && !matches!(base.inner(), Known::List(_));
        let want = match overloaded {
            true => Want::Decided,
            false => Want::Kind(gpuvm_nodes::Kind::Usize),
        };
        let slot = overloaded.then(|| self.new_slot());
        let seeks = self.seeks(&node.expr, &base);
        if let Some(slot) = slot.filter(|_| seeks) {
            self.stream.node(Node::Receiver).number(slot).number(u64::from(changes));
        }
        let known = if let Expr::Range(range) = &mut *node.index {
            let bounds = [&mut range.start, &mut range.end];
            for bound in bounds.into_iter().flatten() {
                self.expr(bound, want);
            }
            let kind = match overloaded {
                true => Node::IndexRangeAs,
                false => Node::IndexRange,
            };
            self.stream.line(start);
            self.stream
                .node(kind)
                .number(u64::from(range.start.is_some()))
                .number(u64::from(range.end.is_some()))
                .number(u64::from(matches!(range.limits, RangeLimits::Closed(_))));
            match base.inner() {
                Known::List(element) => Known::List(element.clone()),
                _ if overloaded => Known::Unknown,
                _ => Known::List(Box::new(Known::Unknown)),
            }
        } else {
            let index = self.expr(&mut node.index, want);
            self.stream.line(start);
            self.stream.node(if overloaded { Node::IndexAs } else { Node::Index });
            match (base.inner(), &index) {
                // A range gives a slice.
                (_, Known::Unknown) => Known::Unknown,
                (Known::List(element), _) => (**element).clone(),
                _ => Known::Unknown,
            }
        };
        if let Some(slot) = slot {
            self.stream.number(slot);
            self.may_call(Calls::Maybe);
            let seeks = match seeks {
                true => namesakes::levels(start),
                false => 0,
            };
            match place && !matches!(&*node.index, Expr::Range(_)) {
                true => shadow::index(node, changes, seeks, slot),
                false => shadow::index_as_whole(expr, changes, seeks, slot),
            }
        }
        known
    }

    fn cast(&mut self, expr: &mut Expr) -> Known {
        let Expr::Cast(node) = &mut *expr else {
            return Known::Unknown;
        };
        self.check_type(&mut node.ty);
        let target = Known::of(&node.ty);
        // rustc gives a literal the type that it is cast to, if that is an integer.
        let want = match target.kind() {
            Some(kind) if kind.is_integer() && literal::is_untyped_integer(&node.expr) => Want::Kind(kind),
            Some(kind) if kind.is_float() && literal::is_untyped(&node.expr) => Want::Kind(kind),
            _ => Want::Free,
        };
        self.expr(&mut node.expr, want);
        if let Some(kind) = target.kind() {
            self.stream.node(Node::Cast).number(kind as u64);
            return target;
        }
        let ty = (*node.ty).clone();
        let slot = self.new_slot();
        self.stream.node(Node::CastAs).number(slot);
        if matches!(ty, Type::Infer(_)) {
            shadow::bind(expr, slot);
        } else {
            shadow::name_type(expr, &ty, slot);
        }
        Known::Unknown
    }

    fn tuple(&mut self, expr: &mut Expr, expected: Option<Expected>) -> Known {
        let Expr::Tuple(node) = &mut *expr else {
            return Known::Unknown;
        };
        let count = node.elems.len();
        let parts = expected
            .as_ref()
            .map_or_else(Vec::new, |expected| expected.entries(count));
        let has_literal = node.elems.iter().any(literal::is_untyped_integer);
        let known = self.kept(&mut node.elems, &parts);
        let slot = self.new_slot();
        self.stream.node(Node::Tuple).number(slot).number(known.len() as u64);
        match expected {
            // What is expected of a literal is what it is told to be.
            None if has_literal => shadow::bind_expected(expr, slot),
            expected => self.made(expr, expected, slot),
        }
        Known::Tuple(known)
    }

    fn array(&mut self, expr: &mut Expr, expected: Option<Expected>) -> Known {
        let Expr::Array(node) = &mut *expr else {
            return Known::Unknown;
        };
        let element = expected.as_ref().and_then(Expected::element);
        let elements = vec![element; node.elems.len()];
        let known = self.kept(&mut node.elems, &elements);
        let slot = self.new_slot();
        self.stream.node(Node::Array).number(slot).number(known.len() as u64);
        match expected {
            Some(expected) => self.written_slot(&expected, slot),
            None => shadow::bind_expected(expr, slot),
        }
        Known::List(Box::new(
            known.into_iter().reduce(Known::join).unwrap_or(Known::Unknown),
        ))
    }

    fn repeat(&mut self, expr: &mut Expr, expected: Option<Expected>) -> Known {
        let Expr::Repeat(node) = &mut *expr else {
            return Known::Unknown;
        };
        self.expected = expected.as_ref().and_then(Expected::element);
        let is_const = matches!(&*node.expr, Expr::Const(_));
        let known = self.expr(&mut node.expr, Want::Decided);
        let slot = self.new_slot();
        self.stream.node(Node::Repeat).number(slot);
        if is_const {
            shadow::repeated(expr);
        }
        self.made(expr, expected, slot);
        Known::List(Box::new(typed(known)))
    }

    fn structure(&mut self, expr: &mut Expr, expected: Option<Expected>) -> Known {
        let Expr::Struct(node) = &mut *expr else {
            return Known::Unknown;
        };
        self.check_path(&node.path);
        let members: Vec<String> = node.fields.iter().map(|field| member_name(&field.member)).collect();
        let name = variant_name(&node.path);
        let mut fields: Vec<&mut Expr> = Vec::with_capacity(members.len() + 1);
        for field in &mut node.fields {
            self.attributes(&field.attrs);
            fields.push(&mut field.expr);
        }
        let has_base = node.rest.is_some();
        fields.extend(node.rest.as_deref_mut());
        self.operands(fields.into_iter());
        for field in &mut node.fields {
            // A shorthand keeps its meaning when the value is wrapped.
            if !matches!(field.expr, Expr::Path(_)) {
                field.colon_token.get_or_insert(Token![:](super::nowhere()));
            }
        }
        let slot = self.new_slot();
        let stream = self.stream.node(Node::Construct).number(slot);
        write_variant(stream, &name)
            .number(members.len() as u64)
            .number(u64::from(has_base));
        for member in &members {
            stream.hash(member);
        }
        self.made(expr, expected, slot);
        Known::Unknown
    }

    /// The parts of a value, of which types may be written; none of them can be a closure.
    pub(super) fn kept<P>(
        &mut self,
        parts: &mut syn::punctuated::Punctuated<Expr, P>,
        expected: &[Option<Expected>],
    ) -> Vec<Known> {
        let spans: Vec<proc_macro2::Span> = parts.iter().map(shadow::at).collect();
        let mut expected = expected.iter();
        let known = self.each_operand(parts.iter_mut(), |this, expr| {
            this.expected = expected.next().cloned().flatten();
            this.expr(expr, Want::Decided)
        });
        for (known, span) in known.iter().zip(spans) {
            if *known.inner() == Known::Closure {
                self.report.kept_closure(span);
            }
        }
        known
    }

    /// Several operands, evaluated from left to right: one that what follows may change is copied at once.
    pub(super) fn operands<'e>(&mut self, exprs: impl Iterator<Item = &'e mut Expr>) -> Vec<Known> {
        self.operands_as(Want::Decided, exprs)
    }

    /// The same, where `want` says who decides the types of integer literals.
    pub(super) fn operands_as<'e>(&mut self, want: Want, exprs: impl Iterator<Item = &'e mut Expr>) -> Vec<Known> {
        self.each_operand(exprs, |this, expr| this.expr(expr, want))
    }

    /// The arguments of a call, which may be functions.
    pub(super) fn arguments<'e>(&mut self, want: Want, exprs: impl Iterator<Item = &'e mut Expr>) -> Vec<Known> {
        self.each_operand(exprs, |this, expr| {
            let is_place = is_place(expr);
            let known = this.expr_or_function(expr, want);
            // A reference becomes one to what its `Deref` leads to.
            if is_place {
                this.leads(expr, &known);
            }
            known
        })
    }

    fn each_operand<'e>(
        &mut self,
        exprs: impl Iterator<Item = &'e mut Expr>,
        mut lower: impl FnMut(&mut Self, &mut Expr) -> Known,
    ) -> Vec<Known> {
        let exprs: Vec<&mut Expr> = exprs.collect();
        let effects: Vec<bool> = exprs.iter().map(|expr| self.has_effect(expr)).collect();
        let mut known = Vec::with_capacity(exprs.len());
        for (i, expr) in exprs.into_iter().enumerate() {
            let moves = effects[i + 1..].contains(&true) && self.is_changeable(expr);
            known.push(typed(lower(self, expr)));
            if moves {
                self.stream.node(Node::Copy);
            }
        }
        known
    }
}

/// The value of a constant that std defines.
fn std_value(node: &ExprPath) -> Option<(StdConstant, Kind)> {
    if node.qself.is_some() {
        return None;
    }
    let mut names = node.path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let (name, of) = (names.next()?, names.next()?);
    if of == "consts" {
        let kind = kind_of_name(&names.next()?)?;
        return Some((math_constant(kind, &name)?, kind));
    }
    let kind = kind_of_name(&of)?;
    if name == "BITS" && kind.is_integer() {
        return Some((StdConstant::Integer(u128::from(kind.bits())), Kind::U32));
    }
    Some((associated_constant(kind, &name)?, kind))
}

/// `self` is called otherwise in the shadow, which is no method.
pub(super) fn self_name(name: &syn::Ident) -> syn::Ident {
    syn::Ident::new("__self", name.span())
}

/// The name by which a field is looked up.
pub(crate) fn member_name(member: &Member) -> String {
    match member {
        Member::Named(name) => plain(name),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

/// A name without `r#`.
pub(super) fn plain(name: &syn::Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}

/// The variant that a path may name; `None` for `Self`. For a struct it is the struct's name, which the encoder does not need.
pub(super) fn variant_name(path: &syn::Path) -> Option<String> {
    let last = path.segments.last().filter(|last| last.ident != "Self")?;
    let name = plain(&last.ident);
    let renamed = || file::renamed(&file::text_around(last.ident.span())?, &name);
    let own = (path.segments.len() == 1).then(renamed).flatten();
    Some(own.unwrap_or(name))
}

/// Writes the hash of a variant, 0 where there is none.
pub(super) fn write_variant<'s>(
    stream: &'s mut super::stream::Stream,
    name: &Option<String>,
) -> &'s mut super::stream::Stream {
    match name {
        Some(name) => stream.hash(name),
        None => stream.zero_hash(),
    }
}

/// What is known of a value once its literals have got a type.
pub(super) fn typed(known: Known) -> Known {
    match known {
        Known::Literal => Known::Integer,
        Known::FloatLiteral => Known::Float,
        known => known,
    }
}

/// Whether a block's value is read from a variable or a part of one.
fn ends_in_place(block: &syn::Block) -> bool {
    let is_place = |expr: &Expr| matches!(expr, Expr::Path(_) | Expr::Field(_) | Expr::Index(_));
    matches!(block.stmts.last(), Some(syn::Stmt::Expr(tail, None)) if is_place(tail))
}
