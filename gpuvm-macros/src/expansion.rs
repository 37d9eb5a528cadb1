//! The user's own macros inside of a routine. An attribute sees their calls and not what they become, and only rustc can expand a macro with the hygiene
//! that it has. So the rules of each macro that is called are copied into a macro that hands what they make to [`expanded`], which puts it in the call's
//! place and begins the attribute again:
//!
//! ```text
//! macro_rules! square { ($x:expr) => { $x * $x }; }                              the user's, here or above
//! macro_rules! __gpuvm_expand_0 { (($x:expr) [] $item:tt) => { expanded! { $item { $x * $x } } }; }
//! __gpuvm_expand_0! { (n + 1) [] { #[routine] fn f(n: u32) -> u32 { __gpuvm_expansion!(0) } } }
//! ```
//!
//! Several calls are a chain: each hands what it makes on to the next, and the last to `expanded`. As rustc expands no deeper than 128 macros in each other, one macro does
//! several calls of a long chain. Rules are looked for in the body, in the file that the
//! routine is in, where they are in scope, and in the crate's other files ([`elsewhere`]).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::{Group, Ident, LineColumn, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ImplItem, ImplItemConst, ImplItemFn, ImplItemType, Item, ItemFn, ItemImpl, ItemTrait, Macro,
    MacroDelimiter, Pat, Stmt, TraitItem, TraitItemFn, Type,
};

use crate::args::{Args, Role};
use crate::elsewhere::{self, is_std};
use crate::file::text_around;
use crate::hygiene;
use crate::lower::constant::{Case, case};
use crate::lower::{MacroArguments, context};
use crate::report::Report;

/// What stands for a call until it is expanded.
const PLACEHOLDER: &str = "__gpuvm_expansion";

/// The name by which the calls are known that an `impl` block has in the places of items.
const ITEMS: &str = "__gpuvm_items";

/// Where the item is in its file, which is lexed with this name before it.
pub const HERE: &str = "__gpuvm_here";

/// A macro's rules by its name: several where the configuration decides, of which the last hold that are there.
pub type Scope = HashMap<String, Vec<Rules>>;

/// What one `macro_rules!` has.
#[derive(Clone)]
pub struct Rules {
    /// The `#[cfg(…)]`s above it.
    conditions: TokenStream,
    tokens: TokenStream,
    /// The names in what they make that may be variables of the body that they are in.
    free: BTreeSet<String>,
}

impl Rules {
    /// Puts them into a scope.
    fn define(self, scope: &mut Scope, name: &Ident) {
        let all = scope.entry(name.to_string()).or_default();
        if self.conditions.is_empty() {
            all.clear();
        }
        all.push(self);
    }
}

/// Begins the expansion of the calls in an item of macros whose rules are known; `None` where there are none.
pub fn begin(role: Role, args: &TokenStream, item: &mut Item) -> Option<TokenStream> {
    let mut calls = Calls {
        place: place_of(item)?,
        blocks: Vec::new(),
        hidden: Vec::new(),
        file: None,
        found: Vec::new(),
    };
    let originals = bodies_of(item);
    visit_inside(&mut calls, item);
    if calls.found.is_empty() {
        return None;
    }
    // The first time the bodies are the user's own.
    let is_first = !Args::parse(role, args.clone(), &mut Report::default()).has_originals();
    let originals = is_first.then(|| quote!(, originals(#originals)));
    let args = match args.is_empty() {
        true => originals.map(|originals| originals.into_iter().skip(1).collect()),
        false => Some(quote!(#args #originals)),
    };
    let role = Ident::new(role.name(), Span::call_site());
    let links = links(&calls.found);
    let macros = links
        .iter()
        .enumerate()
        .map(|(i, link)| chained(link, i, i + 1 == links.len()));
    let mut places = links.iter().enumerate().map(|(i, link)| {
        let arguments = link.iter().map(|call| &call.arguments);
        (chained_name(i), quote!((#((#arguments))*)))
    });
    let (first, arguments) = places.next()?;
    let rest = places.map(|(name, arguments)| quote!(#name #arguments));
    Some(quote! {
        #(#macros)*
        #first! { #arguments [#(#rest)*] { #role (#args) #item } }
    })
}

/// The bodies of an item's functions, each behind its name; of an `impl` block, all that it has.
fn bodies_of(item: &Item) -> TokenStream {
    match item {
        Item::Fn(ItemFn { sig, block, .. }) => {
            let name = &sig.ident;
            quote!(#name #block)
        }
        Item::Impl(item) => {
            let bodies = item.items.iter().filter_map(|item| match item {
                ImplItem::Fn(ImplItemFn { sig, block, .. }) => {
                    let name = &sig.ident;
                    Some(quote!(#name #block))
                }
                ImplItem::Const(ImplItemConst { ident, expr, .. }) => Some(quote!(#ident { #expr })),
                ImplItem::Type(ImplItemType { ident, .. }) => Some(quote!(#ident {})),
                _ => None,
            });
            let calls = item.items.iter().filter_map(|item| match item {
                ImplItem::Macro(call) => Some(&call.mac),
                _ => None,
            });
            let items = Ident::new(ITEMS, Span::call_site());
            quote!(#(#bodies)* #items { #(#calls;)* })
        }
        Item::Trait(item) => {
            let bodies = item.items.iter().filter_map(|item| match item {
                TraitItem::Fn(TraitItemFn { sig, default, .. }) => Some((&sig.ident, default.as_ref()?)),
                _ => None,
            });
            bodies.map(|(name, block)| quote!(#name #block)).collect()
        }
        _ => TokenStream::new(),
    }
}

/// Puts the user's own calls back into the native copy of an `impl` block, which rustc expands, so that their macros are used: in constants, and in the places of items
/// unless one of the functions that they made is `changed` there.
pub fn restore(items: &mut Vec<ImplItem>, originals: &HashMap<String, Block>, changed: &[String]) {
    let Some(calls) = originals.get(ITEMS) else { return };
    let of = |name: &Ident| originals.get(&crate::plain_name(name));
    for item in items.iter_mut() {
        let ImplItem::Const(constant) = item else { continue };
        constant.expr = match of(&constant.ident).map(|block| &block.stmts[..]) {
            Some([Stmt::Expr(expr, None)]) => expr.clone(),
            Some([Stmt::Macro(call)]) if call.semi_token.is_none() => Expr::Macro(syn::ExprMacro {
                attrs: Vec::new(),
                mac: call.mac.clone(),
            }),
            _ => continue,
        };
    }
    let calls = calls.stmts.iter().filter_map(|statement| match statement {
        Stmt::Macro(call) => Some(ImplItem::Macro(syn::ImplItemMacro {
            attrs: Vec::new(),
            mac: call.mac.clone(),
            semi_token: call
                .semi_token
                .filter(|_| !matches!(call.mac.delimiter, MacroDelimiter::Brace(_))),
        })),
        _ => None,
    });
    let calls: Vec<ImplItem> = calls.collect();
    let is_made = |item: &ImplItem| match item {
        ImplItem::Fn(function) => of(&function.sig.ident).is_none(),
        ImplItem::Const(constant) => of(&constant.ident).is_none(),
        ImplItem::Type(ty) => of(&ty.ident).is_none(),
        _ => false,
    };
    let stays = |item: &ImplItem| match item {
        ImplItem::Fn(function) => is_made(item) && changed.contains(&crate::plain_name(&function.sig.ident)),
        // One whose rules nobody knows.
        ImplItem::Macro(_) => true,
        _ => false,
    };
    if items.iter().any(stays) {
        return;
    }
    items.retain(|item| !is_made(item));
    items.extend(calls);
}

/// The token of an item that is in the user's file.
pub fn place_of(item: &Item) -> Option<Span> {
    match item {
        Item::Fn(item) => Some(item.sig.fn_token.span),
        Item::Impl(item) => Some(item.impl_token.span),
        Item::Trait(item) => Some(item.trait_token.span),
        _ => None,
    }
}

/// Visits what is inside of an item, whose visitor leaves other items alone.
fn visit_inside(visitor: &mut impl VisitMut, item: &mut Item) {
    match item {
        Item::Fn(item) => visitor.visit_item_fn_mut(item),
        Item::Impl(item) => visitor.visit_item_impl_mut(item),
        Item::Trait(item) => visitor.visit_item_trait_mut(item),
        _ => {}
    }
}

fn chained_name(place: usize) -> Ident {
    quote::format_ident!("__gpuvm_expand_{place}", span = Span::call_site())
}

/// A call of one of the user's macros.
struct Call {
    arguments: TokenStream,
    rules: Vec<Rules>,
    /// What the macro's own tokens are told by, once they have been through it: a span as theirs.
    own: Span,
}

/// Calls that are a macro each.
const SHORT: usize = 16;

/// Calls and arms that a macro has at most which does several.
const TOGETHER: usize = 16;

/// The calls of a chain as its macros do them: one each where they are few.
fn links(calls: &[Call]) -> Vec<&[Call]> {
    let most = if calls.len() > SHORT { TOGETHER } else { 1 };
    let mut links = Vec::new();
    let mut rest = calls;
    while !rest.is_empty() {
        let mut arms = 1;
        let fitting = rest.iter().take(most).take_while(|call| {
            arms *= call.arms().unwrap_or(TOGETHER + 1);
            arms <= TOGETHER
        });
        let (link, behind) = rest.split_at(fitting.count().max(1));
        links.push(link);
        rest = behind;
    }
    links
}

/// The macro that expands some calls and hands the expansions on. Its arms are those of the calls' macros in each combination, the last call's the fastest, so that
/// the first that fits is the first of each. Of several calls the variables have the call's place in their names.
fn chained(calls: &[Call], place: usize, is_last: bool) -> TokenStream {
    let name = chained_name(place);
    let arm = |(matcher, bodies): &(TokenStream, TokenStream)| match is_last {
        true => quote! {
            ((#matcher) [] $__item:tt $($__done:tt)*) => {
                ::gpuvm::__private::expanded! { $__item $($__done)* #bodies }
            };
        },
        false => quote! {
            ((#matcher) [$__next:ident $__arguments:tt $($__rest:tt)*] $__item:tt $($__done:tt)*) => {
                $__next! { $__arguments [$($__rest)*] $__item $($__done)* #bodies }
            };
        },
    };
    let of_call = |call: &Call, tokens: &TokenStream, suffix: &str| -> Vec<(TokenStream, TokenStream)> {
        let here = Ident::new(HERE, call.own);
        let arms = rules(tokens).map(|(matcher, body)| {
            let mut variables = Vec::new();
            let matcher = renamed(matcher, suffix, &mut |name| {
                variables.push(name.to_string());
                true
            });
            let body = renamed(body, suffix, &mut |name| variables.contains(&name.to_string()));
            (quote!((#matcher)), quote!({ #here #body }))
        });
        arms.collect()
    };
    if let [call] = calls {
        let macros = call.rules.iter().map(|Rules { conditions, tokens, .. }| {
            let arms = of_call(call, tokens, "");
            let arms = arms.iter().map(arm);
            quote!(#conditions macro_rules! #name { #(#arms)* })
        });
        return macros.collect();
    }
    let mut arms = vec![(TokenStream::new(), TokenStream::new())];
    for (i, call) in calls.iter().enumerate() {
        let own: Vec<(TokenStream, TokenStream)> = call
            .rules
            .iter()
            .flat_map(|rules| of_call(call, &rules.tokens, &format!("_{i}")))
            .collect();
        let both = arms.iter().flat_map(|(matchers, bodies)| {
            own.iter()
                .map(move |(matcher, body)| (quote!(#matchers #matcher), quote!(#bodies #body)))
        });
        arms = both.collect();
    }
    let arms = arms.iter().map(arm);
    quote!(macro_rules! #name { #(#arms)* })
}

/// A macro's tokens with a suffix behind the names of its variables, of which a function says whether they are any.
fn renamed(tokens: TokenStream, suffix: &str, is_variable: &mut impl FnMut(&Ident) -> bool) -> TokenStream {
    if suffix.is_empty() {
        return tokens;
    }
    let mut is_behind_dollar = false;
    let tokens = tokens.into_iter().map(|tree| {
        let was_behind = std::mem::replace(
            &mut is_behind_dollar,
            matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '$'),
        );
        match tree {
            TokenTree::Ident(name) if was_behind && name != "crate" && is_variable(&name) => {
                Ident::new(&format!("{}{suffix}", crate::plain_name(&name)), name.span()).into()
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), renamed(group.stream(), suffix, is_variable));
                inner.set_span(group.span());
                inner.into()
            }
            other => other,
        }
    });
    tokens.collect()
}

impl Call {
    /// How many arms its macro has; `None` where the configuration decides.
    fn arms(&self) -> Option<usize> {
        match &self.rules[..] {
            [only] if only.conditions.is_empty() => Some(rules(&only.tokens).count()),
            _ => None,
        }
    }
}

/// What each rule of a macro matches, and what it makes.
fn rules(rules: &TokenStream) -> impl Iterator<Item = (TokenStream, TokenStream)> {
    let mut groups = rules.clone().into_iter().filter_map(|tree| match tree {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    });
    std::iter::from_fn(move || Some((groups.next()?, groups.next()?)))
}

/// A variable that hides one that a macro names.
struct Hidden {
    /// How many blocks are around it.
    depth: usize,
    /// The macro.
    of: String,
    variable: String,
}

/// Finds the calls, and puts placeholders there.
struct Calls {
    place: Span,
    /// The macros of the blocks around, from the outermost.
    blocks: Vec<Scope>,
    /// What they name that another variable hides.
    hidden: Vec<Hidden>,
    /// The item's file, once it was asked for one.
    file: Option<File>,
    found: Vec<Call>,
}

impl Calls {
    /// The rules of a macro, and whether they are in the body.
    fn rules(&mut self, name: &Ident) -> Option<(Vec<Rules>, bool)> {
        let text = name.to_string();
        let here = |rules: Vec<Rules>| {
            let rules = rules.into_iter().map(|rules| Rules {
                tokens: at(rules.tokens, name.span()),
                ..rules
            });
            rules.collect()
        };
        if let Some(rules) = self.blocks.iter().rev().find_map(|block| block.get(&text)) {
            return Some((here(rules.clone()), true));
        }
        let place = self.place;
        let file = self.file.get_or_insert_with(|| File::around(place));
        let rules = match file.rules(&text) {
            None if !is_std(&text) => elsewhere::rules(place, &text)?,
            rules => rules?,
        };
        Some((here(rules), false))
    }
}

impl VisitMut for Calls {
    fn visit_block_mut(&mut self, node: &mut Block) {
        self.blocks.push(Scope::new());
        for statement in &mut node.stmts {
            let Stmt::Item(Item::Macro(item)) = statement else {
                self.visit_stmt_mut(statement);
                if let Stmt::Local(local) = statement {
                    self.hide(hygiene::bound_by(&local.pat));
                }
                continue;
            };
            let (Some(name), true) = (&item.ident, item.mac.path.is_ident("macro_rules")) else {
                continue;
            };
            let conditions = item.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
            let rules = Rules {
                conditions: quote!(#(#conditions)*),
                free: rules(&item.mac.tokens)
                    .flat_map(|(_, made)| hygiene::free_names(made))
                    .collect(),
                tokens: item.mac.tokens.clone(),
            };
            if let Some(block) = self.blocks.last_mut() {
                rules.define(block, name);
            }
            // Its calls are gone in the end.
            if !item.attrs.iter().any(|attribute| attribute.path().is_ident("allow")) {
                item.attrs.push(syn::parse_quote!(#[allow(unused_macros)]));
            }
        }
        self.end_block();
    }

    fn visit_expr_for_loop_mut(&mut self, node: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut node.expr);
        self.within(&node.pat, |calls| calls.visit_block_mut(&mut node.body));
    }

    fn visit_expr_closure_mut(&mut self, node: &mut syn::ExprClosure) {
        self.blocks.push(Scope::new());
        for input in &node.inputs {
            self.hide(hygiene::bound_by(input));
        }
        self.visit_expr_mut(&mut node.body);
        self.end_block();
    }

    fn visit_arm_mut(&mut self, node: &mut syn::Arm) {
        self.within(&node.pat.clone(), |calls| visit_mut::visit_arm_mut(calls, node));
    }

    fn visit_expr_if_mut(&mut self, node: &mut syn::ExprIf) {
        self.blocks.push(Scope::new());
        self.visit_expr_mut(&mut node.cond);
        self.visit_block_mut(&mut node.then_branch);
        self.end_block();
        if let Some((_, otherwise)) = &mut node.else_branch {
            self.visit_expr_mut(otherwise);
        }
    }

    fn visit_expr_while_mut(&mut self, node: &mut syn::ExprWhile) {
        self.blocks.push(Scope::new());
        visit_mut::visit_expr_while_mut(self, node);
        self.end_block();
    }

    fn visit_expr_let_mut(&mut self, node: &mut syn::ExprLet) {
        visit_mut::visit_expr_let_mut(self, node);
        self.hide(hygiene::bound_by(&node.pat));
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if !self.note(mac) {
            visit_arguments(self, mac);
        }
    }

    fn visit_impl_item_macro_mut(&mut self, node: &mut syn::ImplItemMacro) {
        self.note(&mut node.mac);
    }

    fn visit_trait_item_macro_mut(&mut self, node: &mut syn::TraitItemMacro) {
        self.note(&mut node.mac);
    }

    // Items of a body have attributes of their own.
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

impl Calls {
    /// Visits what is in the scope of a pattern's variables.
    fn within(&mut self, pattern: &Pat, visit: impl FnOnce(&mut Calls)) {
        self.blocks.push(Scope::new());
        self.hide(hygiene::bound_by(pattern));
        visit(self);
        self.end_block();
    }

    fn end_block(&mut self) {
        self.blocks.pop();
        self.hidden.retain(|hidden| hidden.depth <= self.blocks.len());
    }

    /// Says that variables of these names have come after the macros of the blocks around.
    fn hide(&mut self, variables: BTreeSet<String>) {
        for (name, rules) in self.blocks.iter().flatten() {
            let free = rules.iter().flat_map(|rules| &rules.free);
            for variable in free.filter(|free| variables.contains(*free)) {
                self.hidden.push(Hidden {
                    depth: self.blocks.len(),
                    of: name.clone(),
                    variable: variable.clone(),
                });
            }
        }
    }

    /// What stands instead of a call of a macro that names what is hidden there.
    fn refusal(&self, mac: &Macro) -> Option<Macro> {
        let name = name_of(&mac.path)?;
        let hidden = self.hidden.iter().rev().find(|hidden| name == hidden.of)?;
        let variable = &hidden.variable;
        let message = format!(
            "`{name}!` names the `{variable}` of where it is defined, and here is another `{variable}`, which the routine would take; give one of them another name"
        );
        Some(syn::parse_quote_spanned!(name.span()=> compile_error!(#message)))
    }

    /// Notes a call and puts a placeholder there, if the macro's rules are known.
    fn note(&mut self, mac: &mut Macro) -> bool {
        if let Some(refusal) = self.refusal(mac) {
            *mac = refusal;
            return true;
        }
        let rules = name_of(&mac.path).and_then(|name| {
            let (rules, is_local) = self.rules(&name)?;
            Some((name, rules, is_local))
        });
        let Some((name, rules, is_local)) = rules else {
            return false;
        };
        let place = self.found.len();
        let placeholder = Ident::new(PLACEHOLDER, name.span());
        let local = is_local.then_some(&name);
        let own = if is_local { name.span() } else { Span::call_site() };
        self.found.push(Call {
            arguments: std::mem::replace(&mut mac.tokens, quote!(#place #local)),
            rules,
            own,
        });
        mac.path = placeholder.into();
        true
    }
}

/// The name of a macro that is called by it, or by a path in the crate.
fn name_of(path: &syn::Path) -> Option<Ident> {
    let first = &path.segments.first()?.ident;
    let is_own = ["crate", "self", "super"].iter().any(|start| first == start);
    let last = path.segments.last()?;
    (path.leading_colon.is_none() && (is_own || path.segments.len() == 1)).then(|| last.ident.clone())
}

/// Visits the arguments of a macro of std's.
fn visit_arguments(visitor: &mut impl VisitMut, mac: &mut Macro) {
    let has_calls = mac.tokens.clone().into_iter().any(is_call_in);
    // What cannot be parsed is refused elsewhere.
    match MacroArguments::of(mac) {
        Ok(MacroArguments::Expressions(mut arguments)) if has_calls => {
            arguments
                .iter_mut()
                .for_each(|argument| visitor.visit_expr_mut(argument));
            mac.tokens = arguments.to_token_stream();
        }
        Ok(MacroArguments::Matches(mut matches)) if has_calls => {
            visitor.visit_expr_mut(&mut matches.value);
            visitor.visit_pat_mut(&mut matches.pattern);
            if let Some(guard) = &mut matches.guard {
                visitor.visit_expr_mut(guard);
            }
            mac.tokens = matches.to_token_stream();
        }
        _ => {}
    }
}

/// Whether a macro may be called in a token: somewhere is a `!`.
fn is_call_in(tree: TokenTree) -> bool {
    match tree {
        TokenTree::Punct(punct) => punct.as_char() == '!',
        TokenTree::Group(group) => group.stream().into_iter().any(is_call_in),
        _ => false,
    }
}

/// A macro's tokens as if they stood at the call, which is where rustc says that what is wrong with them is, and that they panic.
fn at(tokens: TokenStream, call: Span) -> TokenStream {
    let tokens = tokens.into_iter().map(|mut tree| {
        let span = tree.span().located_at(call);
        if let TokenTree::Group(group) = &tree {
            tree = TokenTree::Group(Group::new(group.delimiter(), at(group.stream(), call)));
        }
        tree.set_span(span);
        tree
    });
    tokens.collect()
}

/// The file that an item is in.
struct File {
    /// Empty where there is none to be read.
    text: Rc<str>,
    place: Span,
    /// The macros that are in scope at the item, once one of them was asked for.
    scope: Option<Scope>,
}

impl File {
    fn around(place: Span) -> File {
        File {
            text: text_around(place).unwrap_or_default(),
            place,
            scope: None,
        }
    }

    /// The rules of a macro that is in scope at the item.
    fn rules(&mut self, name: &str) -> Option<Vec<Rules>> {
        if self.scope.is_none() && defines(&self.text, name) {
            self.scope = Some(self.read().unwrap_or_default());
        }
        self.scope.as_ref()?.get(name).cloned()
    }

    fn read(&self) -> Option<Scope> {
        let (before, behind) = self.text.split_at(offset(&self.text, self.place.start())?);
        let mut scope = Scope::new();
        let tokens = format!("{before} {HERE} {behind}").parse().ok()?;
        collect(tokens, &mut scope).then_some(scope)
    }
}

/// Whether a text has `macro_rules! name`, so that it is worth a look.
pub fn defines(text: &str, name: &str) -> bool {
    text.split("macro_rules").skip(1).any(|rest| {
        let rest = rest.trim_start().strip_prefix('!').unwrap_or_default().trim_start();
        rest.starts_with(name)
    })
}

/// Where a line and column are in a text.
pub fn offset(text: &str, place: LineColumn) -> Option<usize> {
    let before: usize = text
        .split_inclusive('\n')
        .take(place.line.checked_sub(1)?)
        .map(str::len)
        .sum();
    let line = text.get(before..)?;
    let column = line.char_indices().nth(place.column).map(|(at, _)| at)?;
    Some(before + column)
}

/// Collects the macros that are in scope where [`HERE`] stands, and gives whether that is in these tokens.
pub fn collect(tokens: TokenStream, scope: &mut Scope) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut attributes: Vec<TokenStream> = Vec::new();
    let is = |attribute: &TokenStream, name: &str| matches!(attribute.clone().into_iter().next(), Some(TokenTree::Ident(first)) if first == name);
    let mut at = 0;
    while at < trees.len() {
        match &trees[at..] {
            [TokenTree::Ident(here), ..] if here == HERE => return true,
            [
                TokenTree::Ident(rules),
                TokenTree::Punct(bang),
                TokenTree::Ident(name),
                TokenTree::Group(group),
                ..,
            ] if rules == "macro_rules" && bang.as_char() == '!' => {
                let conditions = attributes.iter().filter(|attribute| is(attribute, "cfg"));
                let rules = Rules {
                    conditions: quote!(#(#[#conditions])*),
                    tokens: group.stream(),
                    free: BTreeSet::new(),
                };
                rules.define(scope, name);
                attributes.clear();
                at += 4;
                continue;
            }
            [TokenTree::Punct(hash), TokenTree::Group(group), ..] if hash.as_char() == '#' => {
                attributes.push(group.stream());
                at += 2;
                continue;
            }
            [TokenTree::Group(group), ..] => {
                let mut inner = scope.clone();
                let found = collect(group.stream(), &mut inner);
                let is_braced = group.delimiter() == proc_macro2::Delimiter::Brace;
                let is_used = attributes.iter().any(|attribute| is(attribute, "macro_use"));
                if found || is_braced && is_used {
                    *scope = inner;
                }
                if found {
                    return true;
                }
                if is_braced {
                    attributes.clear();
                }
            }
            [TokenTree::Punct(end), ..] if end.as_char() == ';' => attributes.clear(),
            _ => {}
        }
        at += 1;
    }
    false
}

/// `expanded!`: an item with placeholders, and what the macros made in their places. Gives the role, the arguments and the item of the attribute, and what
/// is wrong with the expansions.
pub fn expanded(input: TokenStream) -> syn::Result<(Role, TokenStream, TokenStream, TokenStream)> {
    let parse = |input: ParseStream<'_>| {
        let state: Group = input.parse()?;
        let mut expansions = Vec::new();
        while !input.is_empty() {
            let group: Group = input.parse()?;
            let expansion = |input: ParseStream<'_>| Ok((input.parse::<Ident>()?, input.parse::<TokenStream>()?));
            let (here, tokens) = expansion.parse2(group.stream())?;
            expansions.push(Expansion { here, tokens });
        }
        Ok((state, expansions))
    };
    let (state, expansions) = parse.parse2(input)?;
    let parse = |input: ParseStream<'_>| {
        let role: Ident = input.parse()?;
        let args: Group = input.parse()?;
        let item: Item = input.parse()?;
        Ok((Role::named(&role), args.stream(), item))
    };
    let (role, args, mut item) = parse.parse2(state.stream())?;
    let mut fill = Fill {
        expansions,
        errors: TokenStream::new(),
    };
    visit_inside(&mut fill, &mut item);
    Ok((role, args, item.to_token_stream(), fill.errors))
}

/// What a macro made.
struct Expansion {
    /// A name that the macro's own tokens are told by.
    here: Ident,
    tokens: TokenStream,
}

/// Puts what the macros made in the places of the placeholders.
struct Fill {
    expansions: Vec<Expansion>,
    errors: TokenStream,
}

impl Fill {
    /// What stands in the place of a call, parsed.
    fn parsed<T>(
        &mut self,
        mac: &mut Macro,
        parse: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
    ) -> Option<(T, Finish)> {
        if !mac.path.is_ident(PLACEHOLDER) {
            return None;
        }
        let number = |input: ParseStream<'_>| Ok((input.parse::<syn::LitInt>()?, input.parse::<Option<Ident>>()?));
        let (number, local) = number.parse2(mac.tokens.clone()).ok()?;
        let expansion = self.expansions.get(number.base10_parse::<usize>().ok()?)?;
        let finish = Finish {
            context: context(expansion.here.span()),
            around: local.map(|local| local.span()),
            bound: HashSet::new(),
        };
        match parse.parse2(expansion.tokens.clone()) {
            Ok(parsed) => Some((parsed, finish)),
            Err(error) => {
                self.errors.extend(error.into_compile_error());
                *mac = syn::parse_quote!(unreachable!());
                None
            }
        }
    }
}

impl VisitMut for Fill {
    fn visit_item_impl_mut(&mut self, node: &mut ItemImpl) {
        let items = std::mem::take(&mut node.items).into_iter().flat_map(|mut item| {
            let made = match &mut item {
                ImplItem::Macro(call) => self.parsed(&mut call.mac, all),
                _ => None,
            };
            let Some((mut made, mut finish)) = made else {
                return vec![item];
            };
            made.iter_mut().for_each(|item| finish.visit_impl_item_mut(item));
            made
        });
        node.items = items.collect();
        visit_mut::visit_item_impl_mut(self, node);
    }

    fn visit_item_trait_mut(&mut self, node: &mut ItemTrait) {
        let items = std::mem::take(&mut node.items).into_iter().flat_map(|mut item| {
            let made = match &mut item {
                TraitItem::Macro(call) => self.parsed(&mut call.mac, all),
                _ => None,
            };
            let Some((mut made, mut finish)) = made else {
                return vec![item];
            };
            made.iter_mut().for_each(|item| finish.visit_trait_item_mut(item));
            made
        });
        node.items = items.collect();
        visit_mut::visit_item_trait_mut(self, node);
    }

    fn visit_block_mut(&mut self, node: &mut Block) {
        let count = node.stmts.len();
        for (i, mut statement) in std::mem::take(&mut node.stmts).into_iter().enumerate() {
            let Stmt::Macro(call) = &mut statement else {
                node.stmts.push(statement);
                continue;
            };
            // The last one, without braces, is an expression.
            let is_value =
                call.semi_token.is_none() && i + 1 == count && !matches!(call.mac.delimiter, MacroDelimiter::Brace(_));
            let parse = |input: ParseStream<'_>| match is_value {
                true => Ok(vec![Stmt::Expr(expression(input)?, None)]),
                false => Block::parse_within(input),
            };
            let Some((stmts, mut finish)) = self.parsed(&mut call.mac, parse) else {
                node.stmts.push(statement);
                continue;
            };
            let mut block = Block {
                brace_token: node.brace_token,
                stmts,
            };
            finish.visit_block(&block);
            finish.visit_block_mut(&mut block);
            if let (Some(semi), Some(Stmt::Expr(_, end @ None))) = (call.semi_token, block.stmts.last_mut()) {
                *end = Some(semi);
            }
            node.stmts.extend(block.stmts);
        }
        visit_mut::visit_block_mut(self, node);
    }

    fn visit_expr_mut(&mut self, node: &mut Expr) {
        if let Expr::Macro(call) = &mut *node
            && let Some((mut expr, mut finish)) = self.parsed(&mut call.mac, expression)
        {
            finish.visit_expr(&expr);
            finish.visit_expr_mut(&mut expr);
            *node = whole(expr);
        }
        visit_mut::visit_expr_mut(self, node);
    }

    fn visit_pat_mut(&mut self, node: &mut Pat) {
        if let Pat::Macro(call) = &mut *node
            && let Some((mut pattern, mut finish)) = self.parsed(&mut call.mac, Pat::parse_multi_with_leading_vert)
        {
            finish.visit_pat_mut(&mut pattern);
            *node = pattern;
        }
        visit_mut::visit_pat_mut(self, node);
    }

    fn visit_type_mut(&mut self, node: &mut Type) {
        if let Type::Macro(call) = &mut *node
            && let Some((mut ty, mut finish)) = self.parsed(&mut call.mac, |input| input.parse::<Type>())
        {
            finish.visit_type_mut(&mut ty);
            *node = ty;
        }
        visit_mut::visit_type_mut(self, node);
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        visit_arguments(self, mac);
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// Items, up to the end.
fn all<T: Parse>(input: ParseStream<'_>) -> syn::Result<Vec<T>> {
    let mut items = Vec::new();
    while !input.is_empty() {
        items.push(input.parse()?);
    }
    Ok(items)
}

/// An expression, behind which rustc allows a semicolon.
fn expression(input: ParseStream<'_>) -> syn::Result<Expr> {
    let expr = input.parse()?;
    input.parse::<Option<syn::Token![;]>>()?;
    Ok(expr)
}

/// An expression that is a whole whatever stands around it.
fn whole(expr: Expr) -> Expr {
    match expr {
        Expr::Assign(_)
        | Expr::Binary(_)
        | Expr::Break(_)
        | Expr::Cast(_)
        | Expr::Closure(_)
        | Expr::Let(_)
        | Expr::Range(_)
        | Expr::Reference(_)
        | Expr::Return(_)
        | Expr::Unary(_) => Expr::Paren(syn::ExprParen {
            attrs: Vec::new(),
            // Not the user's, so that no lint takes it for theirs.
            paren_token: syn::token::Paren(Span::mixed_site()),
            expr: Box::new(expr),
        }),
        expr => expr,
    }
}

/// Makes an expansion the user's code: a fragment, which rustc hands over in a group without delimiters, is a whole, and a name that a macro of the body
/// does not bind is one of the body.
struct Finish {
    /// The hygiene of the macro's own tokens.
    context: String,
    /// A place in the body of which the macro is.
    around: Option<Span>,
    /// What the expansion binds itself.
    bound: HashSet<String>,
}

impl Finish {
    fn is_own(&self, name: &Ident) -> bool {
        context(name.span()) == self.context
    }

    fn respan(&self, name: &mut Ident) {
        if let Some(around) = self.around
            && self.is_own(name)
            && case(name) == Case::Snake
            && !self.bound.contains(&name.to_string())
        {
            name.set_span(around.located_at(name.span()));
        }
    }

    fn respan_all(&self, tokens: TokenStream) -> TokenStream {
        let tokens = tokens.into_iter().map(|tree| match tree {
            TokenTree::Ident(mut name) => {
                self.respan(&mut name);
                TokenTree::Ident(name)
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), self.respan_all(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            tree => tree,
        });
        tokens.collect()
    }
}

impl<'ast> Visit<'ast> for Finish {
    fn visit_pat_ident(&mut self, node: &'ast syn::PatIdent) {
        if self.is_own(&node.ident) {
            self.bound.insert(node.ident.to_string());
        }
        visit::visit_pat_ident(self, node);
    }
}

impl VisitMut for Finish {
    fn visit_expr_mut(&mut self, node: &mut Expr) {
        visit_mut::visit_expr_mut(self, node);
        if let Expr::Group(group) = node {
            *node = whole(crate::shadow::take(&mut group.expr));
        }
    }

    fn visit_type_mut(&mut self, node: &mut Type) {
        visit_mut::visit_type_mut(self, node);
        if let Type::Group(group) = node {
            *node = (*group.elem).clone();
        }
    }

    fn visit_expr_path_mut(&mut self, node: &mut syn::ExprPath) {
        if let (None, 1, Some(only)) = (&node.qself, node.path.segments.len(), node.path.segments.first_mut()) {
            self.respan(&mut only.ident);
        }
        visit_mut::visit_expr_path_mut(self, node);
    }

    fn visit_macro_mut(&mut self, node: &mut Macro) {
        node.tokens = self.respan_all(std::mem::take(&mut node.tokens));
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is in scope where `HERE` stands.
    fn scope(text: &str) -> Vec<(String, Vec<String>)> {
        let mut scope = Scope::new();
        let tokens = text.replace("HERE", HERE).parse().expect("tokens");
        assert!(collect(tokens, &mut scope), "{text}");
        let written = |rules: &Rules| format!("{} {}", rules.conditions, rules.tokens).trim().to_owned();
        let mut names: Vec<(String, Vec<String>)> = scope
            .into_iter()
            .map(|(name, rules)| (name, rules.iter().map(written).collect()))
            .collect();
        names.sort();
        names
    }

    fn found(name: &str, rules: &str) -> (String, Vec<String>) {
        (name.to_owned(), vec![rules.to_owned()])
    }

    #[test]
    fn a_macro_is_in_scope_below_its_rules_and_inside_of_the_same_braces() {
        let text = "macro_rules! a { () => { 1 } } mod m { macro_rules! b { () => { 2 } } } HERE fn f() {} macro_rules! c { () => { 3 } }";
        assert_eq!(scope(text), [found("a", "() => { 1 }")]);
        let text = "mod m { macro_rules! b { () => { 2 } } fn g() { HERE fn f() {} } }";
        assert_eq!(scope(text), [found("b", "() => { 2 }")]);
    }

    #[test]
    fn the_last_rules_hold() {
        let text = "macro_rules! a { () => { 1 } } macro_rules! a { () => { 2 } } mod m { macro_rules! a { () => { 3 } } HERE fn f() {} }";
        assert_eq!(scope(text), [found("a", "() => { 3 }")]);
    }

    #[test]
    fn macros_of_a_module_with_macro_use_are_in_scope_behind_it() {
        let text = "#[macro_use] mod m { macro_rules! a { () => { 1 } } } #[allow(unused)] mod n { macro_rules! b { () => { 2 } } } HERE fn f() {}";
        assert_eq!(scope(text), [found("a", "() => { 1 }")]);
    }

    #[test]
    fn rules_that_depend_on_the_configuration_are_all_kept() {
        let text = "#[cfg(unix)] #[doc(hidden)] macro_rules! a { () => { 1 } } #[cfg(windows)] macro_rules! a { () => { 2 } } HERE fn f() {}";
        let both = ["# [cfg (unix)] () => { 1 }", "# [cfg (windows)] () => { 2 }"].map(str::to_owned);
        assert_eq!(scope(text), [("a".to_owned(), both.to_vec())]);
        let text = "#[cfg(unix)] macro_rules! a { () => { 1 } } macro_rules! a { () => { 2 } } HERE fn f() {}";
        assert_eq!(scope(text), [found("a", "() => { 2 }")]);
    }

    #[test]
    fn a_place_is_found_by_line_and_column() {
        let text = "first\nsäcond fn\n";
        let place = offset(text, LineColumn { line: 2, column: 7 }).expect("a place");
        assert!(text[place..].starts_with("fn"));
        assert_eq!(offset(text, LineColumn { line: 9, column: 0 }), None);
    }

    #[test]
    fn a_text_is_looked_at_only_if_it_defines_the_macro() {
        assert!(defines("macro_rules ! square { }", "square"));
        assert!(!defines("square!(x); macro_rules! cube {}", "square"));
    }
}
