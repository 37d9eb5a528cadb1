//! The native copy of a body: std's float functions whose result std leaves open are replaced by gpuvm's own, which give the same bits on
//! every engine, and unstable sorts and selections by stable sorts. Methods are redirected through a wrapper that knows floats and lets every other type's own methods through.

use gpuvm_nodes::method::{TAKE_BY_ORDER, Takes};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Block, Expr, ExprMethodCall, Item, ItemImpl, ItemTrait, Macro, ReturnType, Signature, Stmt, Type,
};

use crate::lower::constant::is_type;
use crate::lower::{MacroArguments, assigns, is_place, print, root};
use crate::shadow::{Ends, at};
use crate::{namesakes, opaque};

/// The methods of floats that are redirected: where std leaves precision, the sign of zero or the handling of NaN open.
const OF_FLOATS: [&str; 38] = [
    "sin",
    "cos",
    "tan",
    "sin_cos",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "exp2",
    "exp_m1",
    "ln",
    "ln_1p",
    "log",
    "log2",
    "log10",
    "powf",
    "powi",
    "hypot",
    "cbrt",
    "min",
    "max",
    "clamp",
    "to_bits",
    "to_le_bytes",
    "to_be_bytes",
    "to_ne_bytes",
    "total_cmp",
    "copysign",
    "signum",
    "is_sign_negative",
    "is_sign_positive",
];

/// How many arguments the method of a number takes that has an open name.
fn arity(method: &Ident) -> usize {
    match method.to_string().as_str() {
        "clamp" => 2,
        "atan2" | "log" | "powf" | "powi" | "hypot" | "min" | "max" | "total_cmp" | "copysign" | "pow"
        | "div_euclid" | "rem_euclid" | "wrapping_div" | "wrapping_rem" | "div_ceil" => 1,
        _ => 0,
    }
}

/// The types that have them.
const FLOATS: [&str; 4] = ["f32", "f64", "f16", "bf16"];

/// Those of integers, where a panic would name a place inside std.
const OF_INTEGERS: [&str; 10] = [
    "abs",
    "pow",
    "isqrt",
    "ilog2",
    "div_euclid",
    "rem_euclid",
    "wrapping_div",
    "wrapping_rem",
    "div_ceil",
    "next_power_of_two",
];

/// Methods of iterators with bounds on what they have gone through.
const GATHERS: [&str; 5] = ["collect", "max", "min", "product", "sum"];

/// Those of them that are redirected in a `const fn`: they are `const` here as in std. Integers' methods stay std's own, with the place of a
/// panic inside std, and the others no `const fn` can call.
const OPEN_IN_CONST: [&str; 7] = [
    "min",
    "max",
    "to_bits",
    "copysign",
    "signum",
    "is_sign_negative",
    "is_sign_positive",
];

/// Redirects the calls in a function's body. Where macros of the user's were expanded and nothing in what they made is redirected, the body is `original`,
/// the user's own, which rustc expands; otherwise that is there for rustc to see. Says whether anything was redirected.
pub fn redirect(signature: &Signature, block: &mut Block, original: Option<&Block>, of: SelfType) -> bool {
    let is_const = signature.constness.is_some();
    let mut generic = of_type_parameters(signature);
    generic.retain(|name| !binds(block, name));
    let redirected = |block: &mut Block| {
        let mut redirect = Redirect {
            is_const,
            generic: &generic,
            of,
            found: 0,
        };
        match signature.output {
            ReturnType::Default => redirect.unit_block(block),
            ReturnType::Type(..) => redirect.visit_block_mut(block),
        }
        redirect.found
    };
    let found = redirected(block);
    let Some(original) = original else {
        return found > 0;
    };
    let mut own = original.clone();
    if redirected(&mut own) == found {
        *block = own;
    } else if !opaque::is_opaque(signature) {
        // Braces of the macro's, about which no lint speaks.
        let stmts = &original.stmts;
        let statement = syn::parse_quote!(if false { return { #(#stmts)* }; });
        block.stmts.insert(0, statement);
    }
    found > 0
}

/// The parameters whose types are type parameters: the function's, or such as an `impl` block has, of one letter.
fn of_type_parameters(signature: &Signature) -> Vec<syn::Ident> {
    let typed = signature.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(typed) => Some(typed),
        syn::FnArg::Receiver(_) => None,
    });
    typed
        .filter_map(|typed| match (&*typed.pat, &*typed.ty) {
            (syn::Pat::Ident(name), syn::Type::Path(ty)) => {
                let of = ty.path.get_ident()?.to_string();
                let is_letter = of.len() == 1 && of.starts_with(|c: char| c.is_ascii_uppercase());
                let is_declared = signature.generics.type_params().any(|param| param.ident == of.as_str());
                (is_declared || is_letter).then(|| name.ident.clone())
            }
            _ => None,
        })
        .collect()
}

/// Whether a body has another variable of a name.
fn binds(block: &Block, name: &syn::Ident) -> bool {
    struct Search<'n>(&'n syn::Ident, bool);
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_pat_ident(&mut self, node: &'ast syn::PatIdent) {
            self.1 |= node.ident == *self.0;
            visit::visit_pat_ident(self, node);
        }
    }
    let mut search = Search(name, false);
    search.visit_block(block);
    search.1
}

/// What `self` is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelfType {
    /// A type or trait of the user's: of an open name it has the user's methods alone.
    Users,
    /// Nothing, or what may be a number.
    Any,
}

impl SelfType {
    /// That of an `impl` block.
    pub fn of(block: &ItemImpl) -> SelfType {
        let is_defined = || {
            let Type::Path(path) = &*block.self_ty else {
                return false;
            };
            let name = path.path.segments.last().map(|last| &last.ident);
            name.is_some_and(|name| namesakes::file_defining(name.span(), &crate::plain_name(name)).is_some())
        };
        match block.trait_.is_none() || is_defined() {
            true => SelfType::Users,
            false => SelfType::Any,
        }
    }
}

struct Redirect<'g> {
    is_const: bool,
    of: SelfType,
    /// What is of a type parameter's type: the methods are a trait's, which may use it up.
    generic: &'g [syn::Ident],
    /// How much was redirected.
    found: usize,
}

impl Redirect<'_> {
    /// Whether a method of an open name is plainly the user's own that changes its receiver, which the wrapper would lend: the crate has one, and it is called on
    /// the user's `self`, with other arguments than a number's takes, or, `alone`, where nobody wants a number's result.
    fn is_changing(&self, node: &ExprMethodCall, alone: bool) -> bool {
        let on_self = || matches!(&*node.receiver, Expr::Path(path) if path.path.is_ident("self"));
        self.is_open(&node.method)
            && may_change_self(&node.method)
            && (alone || self.of == SelfType::Users && on_self() || node.args.len() != arity(&node.method))
    }

    /// What stands where its value is not wanted.
    fn statement(&mut self, expr: &mut Expr) {
        match expr {
            Expr::MethodCall(node) if self.is_changing(node, true) => visit_mut::visit_expr_method_call_mut(self, node),
            Expr::If(node) => {
                self.visit_expr_mut(&mut node.cond);
                self.unit_block(&mut node.then_branch);
                if let Some((_, otherwise)) = &mut node.else_branch {
                    self.statement(otherwise);
                }
            }
            Expr::Match(node) => {
                self.visit_expr_mut(&mut node.expr);
                for arm in &mut node.arms {
                    self.visit_pat_mut(&mut arm.pat);
                    self.statement(&mut arm.body);
                }
            }
            Expr::Block(node) => self.unit_block(&mut node.block),
            Expr::Loop(node) => self.unit_block(&mut node.body),
            Expr::While(node) => {
                self.visit_expr_mut(&mut node.cond);
                self.unit_block(&mut node.body);
            }
            Expr::ForLoop(node) => {
                self.visit_pat_mut(&mut node.pat);
                self.visit_expr_mut(&mut node.expr);
                self.unit_block(&mut node.body);
            }
            _ => self.visit_expr_mut(expr),
        }
    }

    /// A block whose value is not wanted.
    fn unit_block(&mut self, block: &mut Block) {
        for statement in &mut block.stmts {
            match statement {
                Stmt::Expr(expr, _) => self.statement(expr),
                other => self.visit_stmt_mut(other),
            }
        }
    }

    fn is_open(&self, name: &syn::Ident) -> bool {
        if self.is_const {
            OPEN_IN_CONST.iter().any(|open| name == open)
        } else {
            OF_FLOATS.iter().chain(&OF_INTEGERS).any(|open| name == open)
        }
    }

    fn is_generic(&self, receiver: &Expr) -> bool {
        matches!(receiver, Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.generic.contains(name)))
    }

    /// The same of a function that the path of a primitive leads to: the wrapper has those of its own kind of numbers, and of any other rustc says best
    /// what it says of the path.
    fn is_open_of(&self, of: &syn::Path, name: &syn::Ident) -> bool {
        let is_float = of
            .segments
            .last()
            .is_some_and(|last| FLOATS.iter().any(|float| last.ident == float));
        let own: &[&str] = if is_float { &OF_FLOATS } else { &OF_INTEGERS };
        self.is_open(name) && (own.iter().any(|open| name == open) || name == "clamp")
    }

    /// Whether what an open function is called on is a place that its other arguments may change: it is copied before them, and may not be borrowed
    /// meanwhile.
    fn is_changed(&self, expr: &Expr) -> bool {
        let changed = |receiver: &Expr, mut others: syn::punctuated::Iter<'_, Expr>| {
            let variable = is_place(receiver).then(|| root(receiver)).flatten();
            variable.is_some_and(|variable| others.any(|other| may_change(other, variable)))
        };
        match expr {
            Expr::MethodCall(node) => self.is_open(&node.method) && changed(&node.receiver, node.args.iter()),
            Expr::Call(node) if function_of_primitive(&node.func).is_some() => {
                let mut args = node.args.iter();
                args.next().is_some_and(|receiver| changed(receiver, args))
            }
            _ => false,
        }
    }

    /// Whether what is called makes a value of a double, as `f16::from_f64` does: a CPU's own instruction may round twice.
    fn is_of_double(&self, func: &Expr) -> bool {
        let Expr::Path(path) = func else { return false };
        let segments = &path.path.segments;
        !self.is_const && segments.len() > 1 && segments.last().is_some_and(|last| last.ident == "from_f64")
    }
}

/// Whether a function is called by its name, alone or in a module. Parentheses make rustc look for a value where it would look for a function, as it
/// has to in the shadow: of a name that nothing has it says the same for both then, and that is shown once.
fn is_function_name(func: &Expr) -> bool {
    let Expr::Path(path) = func else { return false };
    let mut names = path.path.segments.iter().map(|segment| &segment.ident);
    // Primitives' names are as modules' are.
    let is_in_module = path.qself.is_none() && names.all(|name| !is_type(name));
    is_in_module && function_of_primitive(func).is_none()
}

impl VisitMut for Redirect<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let last = block.stmts.len().wrapping_sub(1);
        for (place, statement) in block.stmts.iter_mut().enumerate() {
            match statement {
                Stmt::Expr(expr, end) if end.is_some() || place != last => self.statement(expr),
                other => self.visit_stmt_mut(other),
            }
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let is_changed = self.is_changed(expr);
        match expr {
            // No number's method of an open name has something to ask.
            Expr::Try(node) => return self.statement(&mut node.expr),
            // What is called by its path is redirected as a method is.
            Expr::Call(node) if function_of_primitive(&node.func).is_some() || self.is_of_double(&node.func) => {
                for argument in &mut node.args {
                    self.visit_expr_mut(argument);
                }
            }
            _ => visit_mut::visit_expr_mut(self, expr),
        }
        match expr {
            // What rustc says of it tells of all the calls before it, which the shadow has as values.
            Expr::MethodCall(node) if gathers(node) => {
                let value = &node.receiver;
                *node.receiver = Expr::Verbatim(Ends::of(value).entry(quote!(#value,)));
            }
            Expr::MethodCall(node)
                if self.is_open(&node.method)
                    && is_wrapped(node)
                    && !self.is_changing(node, false)
                    && !self.is_generic(&node.receiver)
                    && !(self.is_const && is_left_in_const(&node.method)) =>
            {
                if is_changed {
                    copy_receiver(node, self.is_const);
                }
                wrap_receiver(node);
                self.found += 1;
            }
            // Where an unstable sort leaves equal elements is std's affair; in a VM the sort is stable.
            Expr::MethodCall(node) if node.method.to_string().starts_with("sort_unstable") => {
                let stable = node.method.to_string().replace("_unstable", "");
                node.method = syn::Ident::new(&stable, node.method.span());
                self.found += 1;
            }
            // The same of what is around a selected element: it is sorted.
            Expr::MethodCall(node) if node.method.to_string().starts_with("select_nth_unstable") => {
                let sorted = node.method.to_string().replace("_unstable", "_sorted");
                node.method = syn::Ident::new(&sorted, node.method.span());
                let span = node.method.span();
                *expr = Expr::Verbatim(quote_spanned!(span=> { use ::gpuvm::__private::SelectNth as _; #node }));
                self.found += 1;
            }
            // A function that is given to another one.
            Expr::Path(_) => {
                if self.is_of_double(expr) {
                    let called = of_double(expr, &quote!(x));
                    *expr = Expr::Verbatim(quote!(|x| #called));
                    self.found += 1;
                    return;
                }
                let Some((of, name)) = function_of_primitive(expr).filter(|(_, name)| self.is_open(name)) else {
                    return;
                };
                let span = name.span();
                let functions = match of.to_token_stream().to_string().as_str() {
                    _ if !OF_FLOATS.iter().any(|open| name == open) => return,
                    "f32" => quote_spanned!(span=> ::gpuvm::__private::math),
                    "f64" => quote_spanned!(span=> ::gpuvm::__private::math::fixed::double),
                    _ => return,
                };
                *expr = Expr::Verbatim(quote_spanned!(span=> #functions::#name));
                self.found += 1;
            }
            Expr::Call(node) if self.is_of_double(&node.func) => {
                *expr = Expr::Verbatim(of_double(&node.func, &node.args.to_token_stream()));
                self.found += 1;
            }
            Expr::Call(node) if is_function_name(&node.func) => {
                let function = &node.func;
                *node.func = syn::parse_quote_spanned!(function.span()=> (#function));
            }
            Expr::Call(node) => {
                let Some((of, name)) = function_of_primitive(&node.func).filter(|(of, name)| self.is_open_of(of, name))
                else {
                    return;
                };
                let mut args = node.args.iter();
                if let Some(receiver) = args.next() {
                    let span = name.span();
                    let receiver = match is_changed {
                        true => quote_spanned!(span=> {#receiver}),
                        false => quote_spanned!(span=> (#receiver)),
                    };
                    *expr = Expr::Verbatim(quote_spanned! {span=>
                        ::gpuvm::__private::MethodsOf::<#of>(&#receiver, ::core::cfg!(debug_assertions)).#name(#(#args),*)
                    });
                    self.found += 1;
                }
            }
            _ => {}
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        // Macros that cannot be parsed are refused elsewhere.
        let Ok(arguments) = MacroArguments::of(mac) else {
            return;
        };
        let mut inside = Redirect {
            is_const: self.is_const,
            generic: self.generic,
            of: self.of,
            found: 0,
        };
        match arguments {
            MacroArguments::Expressions(mut arguments) => {
                let is_assert = mac
                    .path
                    .segments
                    .last()
                    .is_some_and(|last| last.ident == "assert" || last.ident == "debug_assert");
                let bare = is_assert && arguments.len() == 1;
                let text = arguments.first().map(ToTokens::to_token_stream).unwrap_or_default();
                for argument in &mut arguments {
                    inside.visit_expr_mut(argument);
                }
                if inside.found > 0 || bare {
                    // The message of the assertion shows the condition as the user wrote it, and as the VM's trap does.
                    let message: TokenStream = if bare {
                        quote!(, "{}", ::core::concat!("assertion failed: ", ::core::stringify!(#text)))
                    } else {
                        TokenStream::new()
                    };
                    mac.tokens = quote_spanned!(mac.tokens.span()=> #arguments #message);
                }
            }
            MacroArguments::Matches(mut matches) => {
                inside.visit_expr_mut(&mut matches.value);
                inside.visit_pat_mut(&mut matches.pattern);
                if let Some(guard) = &mut matches.guard {
                    inside.visit_expr_mut(guard);
                }
                if inside.found > 0 {
                    mac.tokens = quote!(#matches);
                }
            }
            MacroArguments::Other => {}
        }
        self.found += inside.found + usize::from(print::redirect(mac));
    }

    // Items of the body are their own affair; what has code becomes routines of its own.
    fn visit_item_mut(&mut self, item: &mut Item) {
        make_routine(item);
    }
}

/// Whether a method is one of [`GATHERS`], called on what other calls gave.
fn gathers(node: &ExprMethodCall) -> bool {
    node.args.is_empty() && GATHERS.iter().any(|name| node.method == name) && !is_place(&node.receiver)
}

/// Whether a method of an open name is reached through a wrapper of its receiver.
fn is_wrapped(node: &ExprMethodCall) -> bool {
    !is_iterators(node) && node.turbofish.is_none()
}

/// Copies a number, or what one of [`Ord`]'s methods is called on, before the arguments are evaluated.
fn copy_receiver(node: &mut ExprMethodCall, is_const: bool) {
    let (receiver, method) = (&node.receiver, &node.method);
    // rustc has nothing to say of traits that are not needed for this type.
    let span = at(receiver);
    let is_of_order = TAKE_BY_ORDER.iter().any(|name| method == name);
    // A type's own method of such a name may change it.
    let by_order = is_of_order && !namesakes::defines(method.span(), &crate::plain_name(method));
    let copied = match is_const {
        true => quote_spanned!(span=> {#receiver}),
        false => quote_spanned! {span=> (*{
            use ::gpuvm::__private::{ChangeableByMut as _, ChangeableOther as _};
            ::gpuvm::__private::Changeable::<_, #by_order>(&#receiver).before()
        })},
    };
    *node.receiver = Expr::Verbatim(copied);
}

/// Whether evaluating an expression may change a variable: it assigns to it, lends it to be changed, calls a method on it or a function with it.
fn may_change(expr: &Expr, variable: &Ident) -> bool {
    struct Search<'v>(&'v Ident, bool);
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
            let is_of_numbers = OF_FLOATS.iter().chain(&OF_INTEGERS).any(|open| node.method == open);
            self.1 |= !is_of_numbers && root(&node.receiver) == Some(self.0);
            visit::visit_expr_method_call(self, node);
        }

        fn visit_expr_call(&mut self, node: &'ast syn::ExprCall) {
            let is_variable = |arg: &Expr| matches!(arg, Expr::Path(path) if path.path.is_ident(self.0));
            self.1 |= node.args.iter().any(is_variable);
            visit::visit_expr_call(self, node);
        }

        fn visit_expr_reference(&mut self, node: &'ast syn::ExprReference) {
            self.1 |= node.mutability.is_some() && root(&node.expr) == Some(self.0);
            visit::visit_expr_reference(self, node);
        }
    }
    let mut search = Search(variable, assigns(expr, variable));
    search.visit_expr(expr);
    search.1
}

/// Puts the wrapper around the receiver.
fn wrap_receiver(node: &mut ExprMethodCall) {
    let receiver = &node.receiver;
    let span = node.method.span();
    *node.receiver = Expr::Verbatim(
        quote_spanned!(span=> ::gpuvm::__private::MethodsOf(&#receiver, ::core::cfg!(debug_assertions))),
    );
}

/// Whether the crate has a method of this name that changes what it is called on.
fn may_change_self(method: &Ident) -> bool {
    namesakes::changes(method.span(), &crate::plain_name(method))
}

/// Calls a method in the shadow as it is called natively, so that what rustc says of it is the same.
pub fn as_native(node: &mut ExprMethodCall) {
    let is_open = OF_FLOATS.iter().chain(&OF_INTEGERS).any(|open| node.method == open);
    if is_open && is_wrapped(node) && !may_change_self(&node.method) {
        wrap_receiver(node);
    }
}

/// Whether a `const fn` has a method as the user wrote it, though one of floats has its name: the crate has a `const fn` of that name, and the wrapper has no
/// `const` way to it. That it is not of a float is asked in the shadow.
pub fn is_left_in_const(method: &Ident) -> bool {
    OPEN_IN_CONST.iter().any(|open| method == open)
        && namesakes::defines_const(method.span(), &crate::plain_name(method))
}

/// How a method of a trait of the user's takes what it is called on, where that is a float and where it is an integer: what is redirected natively, is
/// found before a trait's also of a reference.
pub fn taken_by_traits(method: &Ident) -> [Takes; 2] {
    let takes = namesakes::takes(method.span(), &crate::plain_name(method));
    [&OF_FLOATS[..], &OF_INTEGERS].map(|open| match open.iter().any(|open| method == open) {
        true => Takes::Value,
        false => takes,
    })
}

/// Whether a method of an open name is that of an iterator, which uses its receiver up.
fn is_iterators(node: &ExprMethodCall) -> bool {
    (node.method == "min" || node.method == "max") && node.args.is_empty()
}

/// Traits whose methods no routine calls: what has a text or a hash is shown and hashed as the machine does it.
const WITHOUT_ROUTINES: [&str; 13] = [
    "Binary", "Debug", "Display", "Drop", "Error", "Hash", "LowerExp", "LowerHex", "Octal", "Pointer", "UpperExp",
    "UpperHex", "Write",
];

/// Gives an item of a body the attribute, if it has code that routines may call and does not have it already.
pub fn make_routine(item: &mut Item) {
    match item {
        Item::Fn(function) if !is_routine(&function.attrs) => function
            .attrs
            .push(syn::parse_quote!(#[::gpuvm::__private::routine(callee, crate = ::gpuvm::__private::home)])),
        Item::Impl(ItemImpl {
            attrs,
            trait_,
            unsafety: None,
            ..
        }) if !is_routine(attrs) && !trait_.as_ref().is_some_and(|(path, _)| is_without_routines(path)) => {
            attrs.push(syn::parse_quote!(#[::gpuvm::__private::routine(crate = ::gpuvm::__private::home)]));
        }
        Item::Trait(ItemTrait {
            attrs, unsafety: None, ..
        }) if !is_routine(attrs) => {
            attrs.push(syn::parse_quote!(#[::gpuvm::__private::routine(crate = ::gpuvm::__private::home)]));
        }
        _ => {}
    }
}

fn is_without_routines(path: &syn::Path) -> bool {
    let last = path.segments.last();
    last.is_some_and(|last| WITHOUT_ROUTINES.iter().any(|name| last.ident == name))
}

/// Whether the attribute is there already.
pub fn is_routine(attributes: &[Attribute]) -> bool {
    let name = |attribute: &Attribute| {
        attribute
            .path()
            .segments
            .last()
            .is_some_and(|last| last.ident == "routine")
    };
    attributes.iter().any(name)
}

/// The call of what makes a value of a double: of `half`'s numbers by the crate's own code, of everything else as it is.
fn of_double(func: &Expr, arguments: &TokenStream) -> TokenStream {
    quote_spanned!(func.span()=> {
        #[allow(unused_imports, reason = "only what is not of the crate `half` needs it")]
        use ::gpuvm::__private::OfAny as _;
        ::gpuvm::__private::OfDouble(#func).made_of(#arguments)
    })
}

/// The type and the method that a path such as `f32::sin` or `half::f16::to_bits` names.
fn function_of_primitive(func: &Expr) -> Option<(syn::Path, syn::Ident)> {
    let Expr::Path(path) = func else { return None };
    if path.qself.is_some() {
        return None;
    }
    let mut of = path.path.clone();
    let name = of.segments.pop()?.ident;
    of.segments.pop_punct();
    let last = of.segments.last()?.ident.clone();
    if crate::primitive::is_half(&last) {
        return Some((of, name));
    }
    crate::primitive::kind_of_name(&last.to_string()).map(|_| (last.into(), name))
}
