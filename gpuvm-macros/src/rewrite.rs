//! Rewriting of the user's types: lifetimes get names or go, and `Self::Output` is written in full.

use syn::visit_mut::{self, VisitMut};
use syn::{ItemImpl, Lifetime, Type, TypePath};

/// The block with names for the lifetimes that its header leaves out: what is generated of it names its types where rustc wants them.
pub fn with_named_lifetimes(block: &ItemImpl) -> ItemImpl {
    let mut block = block.clone();
    let mut namer = NameLifetimes(Vec::new());
    namer.visit_type_mut(&mut block.self_ty);
    if let Some((path, _)) = &mut block.trait_ {
        namer.visit_path_mut(path);
    }
    for lifetime in namer.0 {
        block.generics.params.insert(0, syn::parse_quote!(#lifetime));
    }
    block
}

/// Gives lifetimes without a name one.
struct NameLifetimes(Vec<Lifetime>);

impl NameLifetimes {
    fn name(&mut self, span: proc_macro2::Span) -> Lifetime {
        let name = Lifetime::new(&format!("'__l{}", self.0.len()), span);
        self.0.push(name.clone());
        name
    }
}

impl VisitMut for NameLifetimes {
    fn visit_lifetime_mut(&mut self, node: &mut Lifetime) {
        if node.ident == "_" {
            *node = self.name(node.span());
        }
    }

    fn visit_type_reference_mut(&mut self, node: &mut syn::TypeReference) {
        if node.lifetime.is_none() {
            node.lifetime = Some(self.name(node.and_token.span));
        }
        visit_mut::visit_type_reference_mut(self, node);
    }

    // `Fn(&T)` has lifetimes of its own.
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut syn::ParenthesizedGenericArguments) {}

    fn visit_type_fn_ptr_mut(&mut self, _: &mut syn::TypeFnPtr) {}
}

/// The lifetime of a bound that may never hold.
pub const MAYBE: &str = "__for";

/// Puts `'static` in the place of each lifetime.
pub struct Forever;

impl VisitMut for Forever {
    fn visit_lifetime_mut(&mut self, node: &mut Lifetime) {
        if node.ident != MAYBE {
            *node = Lifetime::new("'static", node.span());
        }
    }
}

/// Writes `Self::Output` in full, since the code goes to another `impl`.
pub struct Qualify<'p> {
    /// The trait.
    pub path: &'p syn::Path,
    /// The names of its types.
    pub types: Vec<String>,
}

impl VisitMut for Qualify<'_> {
    fn visit_type_path_mut(&mut self, node: &mut TypePath) {
        visit_mut::visit_type_path_mut(self, node);
        let mut names = node.path.segments.iter();
        if let (None, Some(first), Some(second), None) = (&node.qself, names.next(), names.next(), names.next())
            && first.ident == "Self"
            && self.types.iter().any(|name| second.ident == name)
        {
            let (path, second) = (self.path, second.clone());
            *node = syn::parse_quote!(<Self as #path>::#second);
        }
    }
}

/// A type with what `Self` stands for in its place.
pub fn with_self(ty: &Type, own: &Type) -> Type {
    let mut ty = ty.clone();
    SelfIs(own).visit_type_mut(&mut ty);
    ty
}

/// Puts a type in the place of `Self`.
struct SelfIs<'t>(&'t Type);

impl VisitMut for SelfIs<'_> {
    fn visit_type_mut(&mut self, node: &mut Type) {
        match node {
            Type::Path(path) if path.path.is_ident("Self") => *node = self.0.clone(),
            _ => visit_mut::visit_type_mut(self, node),
        }
    }
}
