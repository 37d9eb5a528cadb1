//! From a function's body to its node stream and its shadow, in one walk in evaluation order. The walk looks at structure alone; where a
//! type matters that syntax does not show, it takes a slot, and rustc fills it.

mod alternatives;
mod assign;
mod branch;
mod call;
mod closure;
pub(crate) mod constant;
mod expected;
mod expr;
mod format;
mod literal;
mod loop_elements;
mod loop_head;
mod loop_iterator;
mod loop_range;
mod loops;
mod macros;
mod method;
mod operator;
mod own;
mod pattern;
pub mod print;
mod promise;
mod statement;
mod std_function;
mod stream;
mod types;
mod write;

use std::collections::HashMap;

use gpuvm_nodes::Kind;
use gpuvm_nodes::node::Node;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Block, Expr, Pat, Stmt, Type};

use crate::primitive::Known;
use crate::report::Report;
use crate::routine::Evidence;
use crate::shadow;
pub(crate) use crate::shadow::Decides;
use expected::Expected;
use stream::Stream;

pub(crate) use call::{asking_name, decides, is_in_prelude, is_place, root, twin_name};
pub(crate) use expr::member_name;
pub use macros::MacroArguments;
pub(crate) use method::assigns;
pub use std_function::std_function;
use types::is_elsewhere;
pub use types::{asked_inside, check_type, holds_elsewhere};

/// A routine's body, lowered.
pub struct Lowered {
    /// The node stream.
    pub nodes: Vec<u8>,
    /// The shadow closure.
    pub shadow: TokenStream,
    /// The items of the body, which stand before the shadow.
    pub items: Vec<Stmt>,
    /// Levels of the shadow's tree of slots.
    pub depth: u32,
    /// The user's constants, each a function of its words.
    pub constants: Vec<TokenStream>,
    /// Those whose types their uses decide, the same way.
    pub inferred: Vec<TokenStream>,
    /// Texts of traps.
    pub messages: Vec<TokenStream>,
    /// Names of the locals.
    pub locals: Vec<String>,
    /// How many labels there are.
    pub labels: u64,
    /// How many joins there are.
    pub joins: u64,
    /// How many closures there are.
    pub closures: usize,
    /// Whether the body calls other routines.
    pub calls: Calls,
    /// Whether it is given closures and calls itself.
    pub recursive: bool,
    /// Whether it is given closures and calls a method of its own name, which may be itself.
    pub may_recurse: bool,
    /// Paths that are called as routines, each under the alias of its place.
    pub callees: Vec<syn::Path>,
    /// The first names of paths in a module of which a routine is called, each under the alias of its place.
    pub modules: Vec<Ident>,
}

/// Whether a body calls other routines, as far as syntax shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Calls {
    /// It does not.
    Never,
    /// A method or operator in it may be a routine.
    Maybe,
    /// It does.
    Certainly,
}

/// A parameter of a routine.
pub struct Parameter {
    /// Its pattern. `self` is the pattern `__self`.
    pub pattern: Pat,
    /// Its type.
    pub ty: Type,
}

/// The name by which a body's shadow knows the type beside the function that it calls, by its place among the callees.
pub fn alias(place: usize) -> Ident {
    Ident::new(&format!("__callee_{place}"), Span::call_site())
}

/// The name by which a body's shadow knows a module that it calls a function of, by its place among these.
pub fn module_alias(place: usize) -> Ident {
    Ident::new(&format!("__module_{place}"), Span::call_site())
}

/// What a function's path hangs on, if it is longer than a name.
pub fn parent(path: &syn::Path) -> Option<syn::Path> {
    let mut parent = path.clone();
    parent.segments.pop();
    parent.segments.pop_punct();
    (!parent.segments.is_empty()).then_some(parent)
}

/// A routine that is given closures, as its own code calls it.
#[derive(Clone, Debug)]
pub struct Own {
    /// Its name.
    pub name: String,
    /// Whether it is a method or an associated function.
    pub is_method: bool,
    /// The name of the type whose method it is, if it has nothing but a name.
    pub of: Option<Ident>,
    /// For each parameter, whether it is a closure.
    pub callables: Vec<bool>,
    /// Whether it can be a function of its own at all.
    pub stands_alone: bool,
    /// Whether handing a closure on copies what that has captured and may change.
    pub copies: bool,
}

/// What of the user's is about in a routine.
pub struct About {
    /// Whether nobody is shown its lines and variables.
    pub unseen: bool,
    /// Whether it is a `const fn`.
    pub is_const: bool,
    /// What tells that operators may be overloaded.
    pub evidence: Evidence,
    /// Whether there are traits whose methods a type parameter, or `Self`, may have.
    pub traits: bool,
    /// The type parameter, or `Self`, that each of the first locals has a value of, or a reference to one, where that may be a reference itself; and how many lists
    /// are around it.
    pub values: Vec<Option<(Ident, u8)>>,
    /// The names of type parameters.
    pub parameters: Vec<String>,
    /// The methods of std's traits that lend that bounds promise.
    pub lends: Vec<&'static str>,
}

/// Lowers the body of a routine.
pub fn lower(
    own: Option<Own>,
    generics: &syn::Generics,
    parameters: &[Parameter],
    result: &Type,
    body: &Block,
    about: About,
    report: &mut Report,
) -> Lowered {
    let mut lowering = Lowering::new(result, about, report);
    lowering.own = own;
    lowering.promises = promise::promises(generics);
    let mut block = body.clone();
    lowering.parameters(parameters);
    lowering.routine_body(&mut block);
    let bindings: TokenStream = parameters
        .iter()
        .map(|Parameter { pattern, ty }| {
            let ty = asked(ty);
            quote!(let #pattern: #ty = ::gpuvm::__private::any();)
        })
        .collect();
    let statements = &block.stmts;
    // Where a value is missing at the end, the user's own function says so.
    let last = ends_without_value(body).then(|| quote!(::gpuvm::__private::any()));
    let shadow = shadow::closure(
        lowering.slots,
        lowering.inferred.len(),
        &bindings,
        &asked(result),
        &quote!(#(#statements)* #last),
        &lowering.extras,
    );
    Lowered {
        nodes: lowering.stream.into_bytes(),
        shadow,
        items: lowering.items,
        depth: shadow::depth(lowering.slots),
        constants: lowering.constants,
        inferred: lowering.inferred,
        messages: lowering.messages,
        locals: lowering.locals.into_iter().map(|local| local.name).collect(),
        labels: lowering.labels,
        joins: lowering.joins,
        closures: lowering.closures,
        calls: lowering.calls,
        recursive: lowering.recursive,
        may_recurse: lowering.may_recurse,
        callees: lowering.callees,
        modules: lowering.modules,
    }
}

/// A type of the signature, which has been checked, as the shadow has it.
fn asked(ty: &Type) -> Type {
    let mut asked = ty.clone();
    check_type(&mut asked, &mut Report::default());
    asked
}

/// Whether a body plainly ends without a value and without leaving, so that its result can be nothing but `()`.
fn ends_without_value(body: &Block) -> bool {
    match body.stmts.last() {
        None | Some(Stmt::Local(_)) => true,
        Some(Stmt::Expr(expr, Some(_))) => matches!(
            expr,
            Expr::Array(_)
                | Expr::Assign(_)
                | Expr::Binary(_)
                | Expr::Cast(_)
                | Expr::Field(_)
                | Expr::Index(_)
                | Expr::Lit(_)
                | Expr::MethodCall(_)
                | Expr::Path(_)
                | Expr::Range(_)
                | Expr::Struct(_)
                | Expr::Tuple(_)
                | Expr::Unary(_)
        ),
        _ => false,
    }
}

/// Who decides the type of an integer literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Want {
    /// The type is known.
    Kind(Kind),
    /// The consumer of the value; the encoder sees it.
    Decided,
    /// Nobody but rustc.
    Free,
}

impl Want {
    /// What a place or operand of a known type asks of the other side.
    fn of(known: &Known) -> Want {
        match known.inner() {
            Known::Scalar(kind) => Want::Kind(*kind),
            _ => Want::Decided,
        }
    }

    /// What is asked of what a function or closure returns: where its code is written into its caller's, the encoder sees no consumer.
    fn returned(known: &Known) -> Want {
        match known {
            Known::Unknown => Want::Free,
            known => Want::of(known),
        }
    }

    /// What is asked of each of several branches: the encoder sees no consumer there.
    fn branch(self) -> Want {
        if self == Want::Decided { Want::Free } else { self }
    }
}

/// A local variable.
struct Local {
    name: String,
    known: Known,
    mutable: bool,
    /// The type parameter that it is of, where the bounds of that say all that it can.
    parameter: Option<promise::Parameter>,
}

/// How many scopes there are in a routine's body: its own, and that of its parameters.
const BODY: usize = 2;

/// Names visible in one block. A name is told apart by its text and its macro hygiene.
#[derive(Default)]
struct Scope {
    names: HashMap<String, u64>,
    /// Constants and imports.
    items: Vec<TokenStream>,
    /// What is imported under another name, by that name.
    renames: HashMap<String, syn::Path>,
    /// Whether a path may lead to something that is seen in this block only.
    has_functions: bool,
}

/// Where `break` and `continue` go.
struct Target {
    label: Option<String>,
    end: u64,
    /// `None` for a labelled block.
    next: Option<u64>,
    /// The join of a `loop` or labelled block; other loops have no value.
    join: Option<u64>,
    want: Want,
    known: Option<Known>,
}

/// The state of the walk.
pub(crate) struct Lowering<'r> {
    report: &'r mut Report,
    stream: Stream,
    result_known: Known,
    about: About,
    /// Whether operators may be overloaded.
    evidence: bool,
    /// Whether an operator of something and a literal is taken for one of numbers.
    literals_decide: bool,
    /// Whether types of the user's are mentioned.
    names_types: bool,
    slots: u64,
    labels: u64,
    joins: u64,
    closures: usize,
    locals: Vec<Local>,
    scopes: Vec<Scope>,
    targets: Vec<Target>,
    constants: Vec<TokenStream>,
    inferred: Vec<TokenStream>,
    messages: Vec<TokenStream>,
    extras: Vec<TokenStream>,
    /// The items of the body itself.
    items: Vec<Stmt>,
    /// Names bound by the pattern that is being lowered, so that its alternatives share their locals.
    bound: HashMap<String, u64>,
    calls: Calls,
    callees: Vec<syn::Path>,
    modules: Vec<Ident>,
    /// The type parameters whose bounds say all that they can.
    promises: Vec<promise::Promise>,
    /// Whether a type of the name `Runtime` is about, of which a routine may be launched.
    has_runtime: bool,
    /// The routine itself, if it is given closures, and whether it calls itself.
    own: Option<Own>,
    recursive: bool,
    may_recurse: bool,
    /// Names of the associated functions that a trait of the shadow stands beside.
    twins: Vec<String>,
    /// The names of the methods for which there is one that finds what has none beside it.
    asked: Vec<String>,
    /// Whether the function or closure that is being lowered has a `?`.
    asks: bool,
    /// The type that is written of what is lowered next.
    expected: Option<Expected>,
    /// What the function or closure that is being lowered returns, if it is written.
    returned: Option<Expected>,
    /// Statements of the shadow that have to follow the one that is being lowered.
    after: TokenStream,
    /// Whether the place that is lowered next is assigned to or borrowed to be.
    changes: bool,
    /// Whether control cannot reach this place, as rustc's own analysis has it.
    diverges: bool,
}

impl<'r> Lowering<'r> {
    fn new(result: &Type, about: About, report: &'r mut Report) -> Self {
        Lowering {
            report,
            stream: Stream::of(about.unseen),
            result_known: Known::of(result),
            evidence: about.evidence > Evidence::None,
            literals_decide: false,
            names_types: about.evidence == Evidence::Types,
            about,
            slots: 0,
            labels: 0,
            joins: 0,
            closures: 0,
            locals: Vec::new(),
            scopes: vec![Scope::default()],
            targets: Vec::new(),
            constants: Vec::new(),
            inferred: Vec::new(),
            messages: Vec::new(),
            extras: Vec::new(),
            items: Vec::new(),
            bound: HashMap::new(),
            calls: Calls::Never,
            callees: Vec::new(),
            modules: Vec::new(),
            promises: Vec::new(),
            has_runtime: false,
            own: None,
            recursive: false,
            may_recurse: false,
            twins: Vec::new(),
            asked: Vec::new(),
            asks: false,
            expected: None,
            returned: Expected::of(&asked(result), true),
            after: TokenStream::new(),
            changes: false,
            diverges: false,
        }
    }

    /// Parameters are the first locals; one with a pattern is taken apart at the start.
    fn parameters(&mut self, parameters: &[Parameter]) {
        for parameter in parameters {
            let known = Known::of(&parameter.ty);
            self.has_runtime |= is_runtime(&parameter.ty);
            match &parameter.pattern {
                Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                    let local = self.declare(&name.ident, known, name.mutability.is_some());
                    self.locals[local as usize].parameter = self.parameter_of(&parameter.ty);
                }
                _ => {
                    self.hidden(known);
                }
            }
        }
        for (i, parameter) in parameters.iter().enumerate() {
            let pattern = parameter.pattern.clone();
            if !matches!(&pattern, Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none()) {
                self.push_local(i as u64);
                self.irrefutable(&pattern, &Known::of(&parameter.ty));
            }
        }
    }

    fn routine_body(&mut self, block: &mut Block) {
        let want = Want::returned(&self.result_known);
        self.expected = self.returned.clone();
        self.block(block, want);
        self.stream.node(Node::Return);
    }

    /// Begins a stream of its own; the one before it is given back.
    fn begin_stream(&mut self) -> Stream {
        let begun = self.stream.inner();
        std::mem::replace(&mut self.stream, begun)
    }

    fn new_slot(&mut self) -> u64 {
        self.slots += 1;
        self.slots - 1
    }

    fn new_label(&mut self) -> u64 {
        self.labels += 1;
        self.labels - 1
    }

    /// The number of a new join.
    fn new_join(&mut self) -> u64 {
        self.joins += 1;
        self.joins - 1
    }

    fn label(&mut self, label: u64) {
        self.stream.node(Node::Label).number(label);
    }

    fn jump(&mut self, label: u64) {
        self.stream.node(Node::Jump).number(label);
    }

    fn push_local(&mut self, local: u64) {
        self.stream.node(Node::Local).number(local);
    }

    /// A local that the user gave no name.
    fn hidden(&mut self, known: Known) -> u64 {
        self.locals.push(Local {
            name: String::new(),
            known,
            mutable: true,
            parameter: None,
        });
        self.locals.len() as u64 - 1
    }

    /// A new local of the innermost scope; shadows earlier ones of its name.
    fn declare(&mut self, name: &Ident, known: Known, mutable: bool) -> u64 {
        let local = self.hidden(known);
        let unseen = self.about.unseen;
        let entry = &mut self.locals[local as usize];
        if !unseen {
            entry.name = if name == "__self" {
                "self".to_owned()
            } else {
                name.to_string()
            };
        }
        entry.mutable = mutable;
        self.names().insert(key(name), local);
        local
    }

    /// The names of the innermost scope.
    fn names(&mut self) -> &mut HashMap<String, u64> {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let innermost = self.scopes.len() - 1;
        &mut self.scopes[innermost].names
    }

    fn find(&self, name: &Ident) -> Option<u64> {
        let key = key(name);
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.names.get(&key).copied())
    }

    fn scoped<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(Scope::default());
        let first = self.locals.len() as u64;
        let value = inside(self);
        if self.scopes.pop().is_some_and(|scope| !scope.names.is_empty()) && !self.about.unseen {
            self.stream.node(Node::Leave).number(first);
        }
        value
    }

    fn may_call(&mut self, calls: Calls) {
        self.calls = self.calls.max(calls);
    }
}

/// Whether a type is one of the name `Runtime`, or refers to one.
fn is_runtime(ty: &Type) -> bool {
    match ty {
        Type::Reference(ty) => is_runtime(&ty.elem),
        Type::Path(ty) => call::is_named(Some(&ty.path), "Runtime"),
        _ => false,
    }
}

/// A name with its hygiene.
fn key(name: &Ident) -> String {
    if name == "self" || name == "__self" {
        "self".to_owned()
    } else {
        format!("{name}{}", context(name.span()))
    }
}

/// The macro expansion that a token comes from, which is what `Debug` of its span says before its position.
pub(crate) fn context(span: Span) -> String {
    let span = format!("{span:?}");
    match span.split(' ').next() {
        Some(context) if context.starts_with('#') => context.to_owned(),
        _ => String::new(),
    }
}

/// A span that is nobody's code.
fn nowhere() -> Span {
    Span::mixed_site()
}
