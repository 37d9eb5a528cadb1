//! Calls of methods.

use gpuvm_nodes::method::{self, NO_METHOD, method_number};
use gpuvm_nodes::name_hash;
use gpuvm_nodes::node::{Node, Operator};
use syn::{Expr, ExprPath, PathSegment};

use super::call::{asking_name, decides, fallback, is_closure, is_ordering, is_place, root};
use super::constant::{Case, case};
use super::expr::plain;
use super::std_function;
use super::{Calls, Lowering, Want};
use crate::namesakes;
use crate::primitive::Known;
use crate::shadow;

impl Lowering<'_> {
    pub(super) fn method_call(&mut self, expr: &mut Expr, want: Want) -> Known {
        let Expr::MethodCall(node) = &mut *expr else {
            return Known::Unknown;
        };
        let name = plain(&node.method);
        if let Some(call) = self.shown_by_method(node) {
            *expr = call;
            return self.expr(expr, want);
        }
        if let Some(assignment) = self.by_assignment(node) {
            *expr = assignment;
            return self.expr(expr, want);
        }
        if self.glance(&node.receiver).is_primitive()
            && let Some(operator) = std_function::by_operator(&node.method, &node.receiver, node.args.first())
        {
            *expr = operator;
            return self.expr(expr, want);
        }
        let (place, is_recursive) = (is_place(&node.receiver), self.is_own_method(node));
        let changed = self.changes_root(&node.receiver, node.args.iter());
        // What takes its receiver by value has it as it was before the arguments.
        let effects = node.args.iter().any(|arg| self.has_effect(arg)) && self.is_changeable(&node.receiver);
        if self.lacks_method(&node.receiver, &name) {
            self.report.not_promised(&node.method, "method");
        }
        let receiver_want = match want {
            Want::Kind(kind) if super::literal::is_untyped(&node.receiver) => Want::Kind(kind),
            _ => Want::Free,
        };
        let value_of = self
            .value_of(&node.receiver)
            .and_then(|(of, lists)| (lists == 0).then_some(of));
        let known = self.expr(&mut node.receiver, receiver_want);
        if self.about.is_const && crate::native::is_left_in_const(&node.method) {
            shadow::no_float(&mut node.receiver, shadow::at(&node.method));
        }
        let has_method = known.has_method(&name) && !is_of_nearer_trait(&known, &node.method);
        let is_own = known.is_primitive() && has_method;
        // A number's methods take it by value; those that traits add may change it.
        let of_numbers = is_own && (method_number(&name).is_some() || method::OF_SCALARS.contains(&name.as_str()));
        if effects && of_numbers {
            self.copy_receiver(&known, &name);
        } else if changed && is_recursive {
            self.stream.node(Node::Copy);
        }
        let effects = effects && !of_numbers;
        if matches!(name.as_str(), "expect" | "expect_err")
            && !is_recursive
            && node.args.len() == 1
            && let Some(Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            })) = node.args.first()
        {
            let text = text.value();
            let method = node.method.clone();
            // What is called may be the user's, which is given the text.
            if !matches!(known.inner(), Known::Optional(_)) && namesakes::has_method(method.span(), &name) {
                let seeks = self.seeks(&node.receiver, &known);
                let slot = self.receiver(seeks, effects);
                self.arguments(Want::Decided, node.args.iter_mut());
                self.may_call(Calls::Maybe);
                let slot = slot.unwrap_or_else(|| self.new_slot());
                self.expect(&text, name == "expect_err", shadow::at(&method), Some(slot));
                return self.found_method(expr, (&name, &known), (place, value_of), seeks, slot);
            }
            self.expect(&text, name == "expect_err", shadow::at(&method), None);
            return known.method("unwrap");
        }
        if is_recursive {
            return self.call_own_method(node);
        }
        let method = node.method.clone();
        if name == "into" && node.args.is_empty() {
            self.stream.line(shadow::at(&method));
            return self.convert(expr, None);
        }
        if name == "try_into" && node.args.is_empty() {
            self.stream.line(shadow::at(&method));
            return self.try_convert(expr);
        }
        let lends = || {
            self.about.lends.contains(&&*name)
                || self.about.traits && crate::namesakes::promises_lending(method.span(), &name)
        };
        if node.args.is_empty() && !known.is_machine() && lends() {
            self.stream.line(shadow::at(&method));
            self.may_call(Calls::Maybe);
            let slot = self.new_slot();
            self.stream.node(Node::Call).number(slot).number(1);
            shadow::lending(expr, name_hash(&name), place, slot);
            return Known::Unknown;
        }
        let is_plain = !node.args.iter().any(is_closure) && node.turbofish.is_none();
        self.name_functions(&name, &mut node.args);
        let is_alone = node.args.is_empty() && method::BY_RESULT_ALONE.contains(&name.as_str());
        let takes_none = method::closure_of(&name).is_none() && !method::BY_PATTERN.contains(&name.as_str());
        let hands_on = takes_none && self.hands_on(node);
        // Of a number's methods all are known, so that one of another name is of a trait of the user's.
        let is_users = hands_on || !method::is_std(&name, is_plain) && !is_alone && !is_own;
        let is_added = known.is_primitive()
            && known.is_machine()
            && is_plain
            && !(method_number(&name).is_some() && known.has_method(&name))
            && !method::OF_SCALARS.contains(&name.as_str());
        if known.is_primitive() && known.is_machine() && TO_HEAP.contains(&&*name) {
            self.report.unknown_method(&method, &known.describe());
            return Known::Unknown;
        }
        if is_users || is_added {
            return self.user_method(expr, &name, (place, value_of), effects);
        }
        let seeks = self.seeks(&node.receiver, &known);
        // That of an `Ordering` takes another one.
        let takes_closure = name != "then" && method::closure_of(&name).is_some();
        let gives_function = |arg: &Expr| matches!(arg, Expr::Call(_) | Expr::MethodCall(_));
        let may_be_function =
            |arg: &Expr| is_closure(arg) || takes_closure && (self.may_be_constructor(arg) || gives_function(arg));
        if node.args.iter().any(may_be_function) || method::is_generic(&name, node.args.len()) {
            let slot = self.receiver(seeks, effects);
            let count = self
                .arguments(Want::Decided, node.args.iter_mut().filter(|arg| !is_ordering(arg)))
                .len()
                + 1;
            let on = shadow::On {
                place,
                seeks: self.levels(seeks, &*expr),
                of: value_of,
            };
            return self.generic_method(expr, &name, &known, on, count, slot);
        }
        // Iterators compare with what becomes an iterator, all else with a reference.
        let compares_any =
            method::COMPARES_ITERATORS.contains(&name.as_str()) && !known.has_method(&name) && node.args.len() == 1;
        let is_machine = method_number(&name).is_some() && has_method;
        let seeks = seeks && !compares_any && !is_machine;
        if effects && is_machine && *known.inner() != Known::Atomic {
            self.copy_receiver(&known, &name);
        }
        let slot = self.receiver(seeks, effects && !compares_any && !is_machine);
        let count = self
            .operands(node.args.iter_mut().filter(|arg| !is_ordering(arg)))
            .len()
            + 1;
        self.stream.line(shadow::at(&method));
        if compares_any {
            self.may_call(Calls::Maybe);
            let slot = self.method_as(&name, count, None);
            let twin = self.of_trait(expr, &known);
            let decides = shadow::Decides::Argument;
            shadow::generic_method(
                expr,
                name_hash(&name),
                shadow::On {
                    place,
                    seeks: 0,
                    of: value_of,
                },
                decides,
                false,
                twin.as_ref(),
                slot,
            );
            return Known::Unknown;
        }
        if let Some(number) = method_number(&name)
            && has_method
        {
            self.stream
                .node(Node::Method)
                .number(u64::from(number))
                .number(count as u64);
            if let Expr::MethodCall(node) = expr {
                crate::native::as_native(node);
            }
            return known.method(&name);
        }
        self.may_call(Calls::Maybe);
        let slot = self.method_as(&name, count, slot);
        self.found_method(expr, (&name, &known), (place, value_of), seeks, slot)
    }

    /// Lets rustc find a method that is the machine's or the user's, which the slot tells.
    fn found_method(
        &mut self,
        expr: &mut Expr,
        (name, receiver): (&str, &Known),
        (place, value_of): (bool, Option<syn::Ident>),
        seeks: bool,
        slot: u64,
    ) -> Known {
        let twin = self.of_trait(expr, receiver);
        let on = shadow::On {
            place,
            seeks: self.levels(seeks, &*expr),
            of: value_of,
        };
        shadow::method(
            expr,
            name_hash(name),
            on,
            MAKES_HEAP.contains(&name),
            twin.as_ref(),
            slot,
        );
        Known::Unknown
    }

    /// Whether a method that is called by a name of std's, or an element, may be behind a `Deref` of the user's.
    pub(super) fn seeks(&self, receiver: &Expr, known: &Known) -> bool {
        self.evidence && *known.inner() == Known::Unknown && !is_iterator(receiver)
    }

    /// What the method of an assigning operator's trait does, `self.x.add_assign(b)`, by the operator, if it is called on a variable or a part of one.
    fn by_assignment(&self, node: &syn::ExprMethodCall) -> Option<Expr> {
        let name = plain(&node.method);
        let is_call = name.ends_with("_assign") && node.args.len() == 1 && node.turbofish.is_none();
        if !is_call || !is_variable(&node.receiver) || !namesakes::has_operator(node.method.span(), &name) {
            return None;
        }
        let mut to = (*node.receiver).clone();
        match self.glance(&to) {
            Known::Reference(mut referred) => {
                while let Known::Reference(inner) = *referred {
                    to = syn::parse_quote!(*#to);
                    referred = inner;
                }
            }
            _ => to = syn::parse_quote!((&mut #to)),
        }
        std_function::by_operator(&node.method, &to, node.args.first())
    }

    /// Behind how many `Deref`s a method is sought.
    fn levels(&self, seeks: bool, call: &Expr) -> usize {
        match seeks {
            true => namesakes::levels(shadow::at(call)),
            false => 0,
        }
    }

    /// Copies the receiver of a method of the machine's own: what it refers to, unless references have an order of their own.
    fn copy_receiver(&mut self, known: &Known, name: &str) {
        let is_float = match known.inner() {
            Known::Scalar(kind) => kind.is_float(),
            Known::Float | Known::FloatLiteral => true,
            _ => false,
        };
        if is_float || !method::TAKE_BY_ORDER.contains(&name) {
            let mut referred = known;
            while let Known::Reference(inner) = referred {
                self.stream.node(Node::Deref);
                referred = inner;
            }
        }
        self.stream.node(Node::Copy);
    }

    /// The slot of the method whose receiver is on the stack, where something has to be known of it before its arguments: whether it is behind a `Deref`,
    /// and whether it takes by value what they may change.
    fn receiver(&mut self, seeks: bool, effects: bool) -> Option<u64> {
        let slot = (seeks || effects).then(|| self.new_slot())?;
        if seeks {
            self.stream.node(Node::Receiver).number(slot).number(0);
        }
        if effects {
            self.stream.node(Node::CopyReceiver).number(slot);
        }
        Some(slot)
    }

    /// The type parameter, or `Self`, that an expression plainly has a value of, or a reference to one, where that may be a reference itself; and how many lists are
    /// around it.
    pub(super) fn value_of(&self, expr: &Expr) -> Option<(syn::Ident, u8)> {
        match expr {
            Expr::Path(path) => {
                let local = self.find(path.path.get_ident()?)?;
                self.about.values.get(local as usize)?.clone()
            }
            Expr::Paren(node) => self.value_of(&node.expr),
            Expr::Group(node) => self.value_of(&node.expr),
            Expr::Reference(node) => self.value_of(&node.expr),
            Expr::Unary(node) if matches!(node.op, syn::UnOp::Deref(_)) => self.value_of(&node.expr),
            Expr::Index(node) => {
                let (of, lists) = self.value_of(&node.expr)?;
                match &*node.index {
                    Expr::Range(_) => Some((of, lists)),
                    _ => Some((of, lists.checked_sub(1)?)),
                }
            }
            _ => None,
        }
    }

    /// The function beside a method that std has a name of and that may be of a trait of the user's all the same.
    fn of_trait(&mut self, expr: &Expr, receiver: &Known) -> Option<syn::Ident> {
        let Expr::MethodCall(node) = expr else { return None };
        let may_be = node.turbofish.is_none()
            && match receiver.is_machine() {
                true => is_of_nearer_trait(receiver, &node.method),
                false => self.about.traits || namesakes::defines(node.method.span(), &plain(&node.method)),
            };
        may_be.then(|| self.twin_beside(&node.method))
    }

    /// The function beside a method; in the shadow stands what is found where there is none.
    fn twin_beside(&mut self, method: &syn::Ident) -> syn::Ident {
        let name = plain(method);
        let mut twin = asking_name(&name);
        twin.set_span(twin.span().located_at(method.span()));
        if !self.asked.contains(&name) {
            self.asked.push(name);
            self.extras.push(fallback(&twin));
        }
        twin
    }

    /// A method that may be the user's and have parameters of its own.
    fn user_method(
        &mut self,
        expr: &mut Expr,
        name: &str,
        (place, value_of): (bool, Option<syn::Ident>),
        effects: bool,
    ) -> Known {
        let Expr::MethodCall(node) = &mut *expr else {
            return Known::Unknown;
        };
        let called = node.method.clone();
        let given = self.given_to_itself(node);
        let operator = crate::routine::operator_of_method(name)
            .filter(|operator| !matches!(operator, Operator::Neg | Operator::Not))
            .filter(|_| node.args.len() == 1 && node.turbofish.is_none() && !node.args.iter().any(is_closure))
            .filter(|_| namesakes::has_operator(called.span(), name));
        let seeks = given.is_none() && operator.is_none() && node.turbofish.is_none();
        let slot = self.receiver(seeks, effects);
        let count = self.arguments(Want::Decided, node.args.iter_mut()).len() + 1;
        self.stream.line(shadow::at(&called));
        self.may_call(Calls::Maybe);
        let slot = match operator {
            Some(operator) => self.method_numbered(method::of_operator(operator), count, slot),
            None => self.method_as(name, count, slot),
        };
        let twin = match node.turbofish {
            None => self.twin_beside(&called),
            Some(_) => asking_name(name),
        };
        let itself = given.map(shadow::MayBe::Itself);
        let other = itself.or_else(|| operator.map(shadow::MayBe::Operator));
        shadow::asked_method(
            expr,
            &twin,
            name_hash(name),
            shadow::On {
                place,
                seeks: self.levels(seeks, &*expr),
                of: value_of,
            },
            MAKES_HEAP.contains(&name),
            other,
            slot,
        );
        Known::Unknown
    }

    /// `value.into()` and `Type::from(value)`: the value is on the stack.
    pub(super) fn convert(&mut self, expr: &mut Expr, constructs: Option<&shadow::Constructs>) -> Known {
        let (convert, result) = (self.new_slot(), self.new_slot());
        self.stream.node(Node::Convert).number(convert).number(result);
        self.may_call(Calls::Maybe);
        shadow::convert(expr, constructs, convert, result);
        Known::Unknown
    }

    /// `value.try_into()` and `Type::try_from(value)`: the value is on the stack.
    pub(super) fn try_convert(&mut self, expr: &mut Expr) -> Known {
        let slot = self.new_slot();
        self.stream.node(Node::Call).number(slot).number(1);
        self.may_call(Calls::Maybe);
        shadow::try_convert(expr, slot);
        Known::Unknown
    }

    /// A method whose routine depends on more than the receiver's type: on its result's, an argument's, or a closure's. The operands are on the stack.
    /// `slot`: what tells the method, if the receiver's node has it.
    fn generic_method(
        &mut self,
        expr: &mut Expr,
        name: &str,
        receiver: &Known,
        on: shadow::On,
        count: usize,
        slot: Option<u64>,
    ) -> Known {
        self.stream.line(shadow::at(&*expr));
        self.may_call(Calls::Maybe);
        let slot = slot.unwrap_or_else(|| self.new_slot());
        self.stream.node(Node::Call).number(slot).number(count as u64);
        let kept = method::of_an_iterator(name, count - 1);
        let decides = match &*expr {
            // What a closure results in is known: whether the pattern is there.
            Expr::MethodCall(node) if method::BY_PATTERN.contains(&name) && !node.args.iter().any(is_closure) => {
                match node.args.len() {
                    1 => shadow::Decides::Argument,
                    _ => shadow::Decides::Last,
                }
            }
            _ => decides(name),
        };
        let twin = self.of_trait(expr, receiver);
        let is_written = matches!(&*expr, Expr::MethodCall(node) if node.turbofish.is_some());
        let hinted = method::HINTED.contains(&name) || matches!(name, "sum" | "product") && count == 1 && !is_written;
        shadow::generic_method(expr, name_hash(kept), on, decides, hinted, twin.as_ref(), slot);
        Known::Unknown
    }

    /// A method of a type that may be the user's; the operands are on the stack. `slot`: what tells it, if the receiver's node has it.
    pub(super) fn method_as(&mut self, name: &str, count: usize, slot: Option<u64>) -> u64 {
        self.method_numbered(method_number(name).unwrap_or(NO_METHOD), count, slot)
    }

    fn method_numbered(&mut self, number: u16, count: usize, slot: Option<u64>) -> u64 {
        let slot = slot.unwrap_or_else(|| self.new_slot());
        self.stream
            .node(Node::MethodAs)
            .number(u64::from(number))
            .number(slot)
            .number(count as u64);
        slot
    }

    /// What std's methods are given in place of a closure, `Some` in `.map(Some)`, `square` in `.map(square)`, becomes one: `|x| Some(x)`.
    fn name_functions(&self, method: &str, args: &mut syn::punctuated::Punctuated<Expr, syn::Token![,]>) {
        if matches!(method, "unwrap_or_else" | "map_or_else") {
            args.iter_mut().for_each(call_default);
        }
        let by_pattern = method::BY_PATTERN.contains(&method)
            && matches!(args.last(), Some(Expr::Path(path)) if is_function_name(path));
        let arity = method::closure_of(method).or(by_pattern.then_some(1));
        let (Some(arity), Some(argument)) = (arity, args.last_mut()) else {
            return;
        };
        let mut callee = &*argument;
        while let Expr::Reference(node) = callee {
            callee = &node.expr;
        }
        let Expr::Path(path) = callee else { return };
        // What its name tells to be a function is called; whether one in capitals is one, only rustc knows.
        let is_capital = |last: &PathSegment| case(&last.ident) == Case::Screaming;
        if path.path.segments.last().is_some_and(is_capital) {
            return;
        }
        // A variable that is no closure is an argument of a method of the user's.
        if let Some(local) = path.path.get_ident().and_then(|name| self.find(name))
            && *self.locals[local as usize].known.inner() != Known::Closure
        {
            return;
        }
        let names: Vec<syn::Ident> = (0..arity)
            .map(|i| {
                syn::Ident::new(
                    &format!("__x{i}"),
                    proc_macro2::Span::mixed_site().located_at(shadow::at(callee)),
                )
            })
            .collect();
        let last = path.path.segments.last();
        let is_method = |last: &&PathSegment| namesakes::has_method(last.ident.span(), &plain(&last.ident));
        // What takes `self` by reference is found on a reference as on what it refers to.
        let of_parameter = last.filter(|_| self.is_parameter(&path.path)).filter(is_method);
        *argument = match (of_parameter, names.split_first()) {
            (Some(method), Some((on, rest))) => syn::parse_quote!(|#(#names),*| #on.#method(#(#rest),*)),
            _ => syn::parse_quote!(|#(#names),*| #callee(#(#names),*)),
        };
    }

    /// Whether arguments assign to the variable that a receiver is part of: then it is taken by value, or rustc would refuse.
    fn changes_root<'e>(&self, receiver: &Expr, mut args: impl Iterator<Item = &'e Expr>) -> bool {
        let variable = root(receiver);
        self.is_changeable(receiver) && variable.is_some_and(|variable| args.any(|arg| assigns(arg, variable)))
    }
}

/// Whether an expression is a variable, a field of one, or what one refers to: nothing that is computed.
fn is_variable(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Paren(node) => is_variable(&node.expr),
        Expr::Group(node) => is_variable(&node.expr),
        Expr::Field(node) => is_variable(&node.base),
        Expr::Unary(node) => matches!(node.op, syn::UnOp::Deref(_)) && is_variable(&node.expr),
        _ => false,
    }
}

/// Methods of numbers that make what is on the heap.
const TO_HEAP: [&str; 2] = ["to_owned", "to_string"];

/// Methods of std's that make what is on the heap: where one is refused there is nothing more to say of what it makes.
const MAKES_HEAP: [&str; 12] = [
    "concat",
    "into_boxed_slice",
    "into_string",
    "into_vec",
    "join",
    "repeat",
    "replace",
    "to_lowercase",
    "to_owned",
    "to_string",
    "to_uppercase",
    "to_vec",
];

/// Whether a method of std's gives an iterator, which is no type of the user's.
fn is_iterator(receiver: &Expr) -> bool {
    const SOURCES: [&str; 14] = [
        "bytes",
        "char_indices",
        "chars",
        "chunks",
        "chunks_exact",
        "iter",
        "iter_mut",
        "lines",
        "peekable",
        "rchunks",
        "split",
        "split_ascii_whitespace",
        "split_whitespace",
        "windows",
    ];
    const ADAPTORS: [&str; 21] = [
        "by_ref",
        "chain",
        "cloned",
        "copied",
        "cycle",
        "enumerate",
        "filter",
        "filter_map",
        "flat_map",
        "flatten",
        "fuse",
        "inspect",
        "into_iter",
        "map",
        "map_while",
        "rev",
        "scan",
        "skip",
        "skip_while",
        "step_by",
        "take_while",
    ];
    match receiver {
        Expr::Paren(node) => is_iterator(&node.expr),
        Expr::Group(node) => is_iterator(&node.expr),
        Expr::Reference(node) => is_iterator(&node.expr),
        Expr::Range(_) => true,
        Expr::MethodCall(node) => {
            let name = plain(&node.method);
            SOURCES.contains(&&*name) || ADAPTORS.contains(&&*name)
        }
        _ => false,
    }
}

/// `Default::default` as `|| Default::default()`: whatever method it is given to, it takes nothing.
fn call_default(argument: &mut Expr) {
    if let Expr::Path(path) = &*argument
        && path.path.segments.len() > 1
        && path.path.segments.last().is_some_and(|last| last.ident == "default")
    {
        *argument = syn::parse_quote!(|| #path());
    }
}

/// Whether a path ends with a function's name.
fn is_function_name(path: &ExprPath) -> bool {
    let last = path.path.segments.last();
    last.is_some_and(|last| case(&last.ident) == Case::Snake)
}

/// Whether a method of a receiver of which so much is known is one of the machine's own, and not one that a trait of the user's adds.
pub(super) fn is_of_machine(receiver: &Known, called: &syn::Ident) -> bool {
    let name = plain(called);
    receiver.is_machine()
        && method_number(&name).is_some()
        && receiver.has_method(&name)
        && !is_of_nearer_trait(receiver, called)
}

/// Whether a trait of the user's may have a method nearer to a value of the machine's own than std's of that name is: of arrays, std's are those of the slice,
/// and of numbers they take the number, and not a reference to it.
fn is_of_nearer_trait(receiver: &Known, called: &syn::Ident) -> bool {
    let (place, name) = (called.span(), plain(called));
    let may_be = match receiver {
        Known::Reference(_) if receiver.is_primitive() => {
            crate::native::taken_by_traits(called) != [method::Takes::Value; 2]
        }
        _ => matches!(receiver.inner(), Known::List(_)),
    };
    may_be && namesakes::defines(place, &name)
}

/// Whether an expression contains an assignment to a variable, or to a part of it.
pub(crate) fn assigns(expr: &Expr, variable: &syn::Ident) -> bool {
    struct Search<'v> {
        variable: &'v syn::Ident,
        found: bool,
    }
    impl<'ast> syn::visit::Visit<'ast> for Search<'_> {
        fn visit_expr_assign(&mut self, node: &'ast syn::ExprAssign) {
            self.found |= match &*node.left {
                Expr::Tuple(tuple) => tuple.elems.iter().any(|place| root(place) == Some(self.variable)),
                place => root(place) == Some(self.variable),
            };
            syn::visit::visit_expr_assign(self, node);
        }
        fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
            use syn::BinOp::*;
            let is_assignment = matches!(
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
            self.found |= is_assignment && root(&node.left) == Some(self.variable);
            syn::visit::visit_expr_binary(self, node);
        }
    }
    let mut search = Search { variable, found: false };
    syn::visit::Visit::visit_expr(&mut search, expr);
    search.found
}
