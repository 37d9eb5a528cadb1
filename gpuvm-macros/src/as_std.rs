//! Methods of a type's own that have parameters of their own and the name of one of std's. A call looks for such a name as for std's: by the receiver, by the
//! argument that decides, and by the result (`facts::GenericMethod`). So what stands for the routine is found by these, if they tell the method's own
//! parameters.

use gpuvm_nodes::method;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::visit::{self, Visit};
use syn::{GenericParam, Generics, ReturnType, Type};

use crate::callable;
use crate::generic::all_forever;
use crate::given;
use crate::lower::{Decides, decides};
use crate::rewrite::with_self;
use crate::routine::Parts;

/// By what a call finds a method.
pub struct Known {
    /// The type of what decides beside the receiver, without lifetimes.
    pub argument: Type,
    /// That of the result, where the argument does not tell all.
    pub result: Option<Type>,
}

impl Known {
    /// Of a method of the type `own`, unless its parameters are not told by what a call knows of a method of std's of that name.
    pub fn of(name: &str, parts: &Parts, params: &Generics, own: &Type) -> Option<Known> {
        let is_iterator = |param: &syn::TypeParam| given::is_iterator(&param.ident, params);
        let count = parts.parameters.len().checked_sub(1)?;
        let has_closure = parts.calls_parameters;
        if params.type_params().any(is_iterator) || !(has_closure || method::is_generic(name, count)) {
            return None;
        }
        let given = &parts.parameters[1..];
        let decides = match method::BY_PATTERN.contains(&name) && !has_closure {
            true if given.len() == 1 => Decides::Argument,
            true => Decides::Last,
            false => decides(name),
        };
        let nothing: Type = syn::parse_quote!(());
        let argument = match decides {
            Decides::Result => nothing,
            Decides::Argument => given.first().map_or(nothing, |parameter| parameter.ty.clone()),
            Decides::Last => given.last().map_or(nothing, |parameter| parameter.ty.clone()),
            Decides::Closure => match given.last().map(|parameter| &parameter.ty) {
                Some(Type::FnPtr(pointer)) => match &pointer.output {
                    ReturnType::Type(_, ty) => (**ty).clone(),
                    ReturnType::Default => nothing,
                },
                _ => return None,
            },
        };
        if callable::references_to_callable(&argument).is_some() {
            return None;
        }
        let erased = |ty: &Type| all_forever(&with_self(ty, own));
        let untold = |ty: &Type| params.params.iter().any(|param| !tells(ty, param));
        let known = Known {
            result: untold(&argument).then(|| erased(&parts.result)),
            argument: erased(&argument),
        };
        let is_told = |param: &GenericParam| {
            tells(&known.argument, param) || known.result.as_ref().is_some_and(|result| tells(result, param))
        };
        let is_known = !(parts.is_opaque && known.result.is_some());
        (is_known && params.params.iter().all(is_told)).then_some(known)
    }

    /// The types of the argument and of the result, and the parameter that the result is where nothing depends on it.
    pub fn types(&self) -> (&Type, TokenStream, Option<GenericParam>) {
        match &self.result {
            Some(result) => (&self.argument, quote!(#result), None),
            None => (
                &self.argument,
                quote!(__R),
                Some(syn::parse_quote!(__R: ?::core::marker::Sized)),
            ),
        }
    }
}

/// Whether a type tells what a parameter is: it stands in it by its name, and not as what something depends on, `I` in `I::Item`.
fn tells(ty: &Type, param: &GenericParam) -> bool {
    struct Search<'n>(&'n Ident, bool);
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_path(&mut self, node: &'ast syn::Path) {
            self.1 |= node.is_ident(self.0);
            visit::visit_path(self, node);
        }

        fn visit_type_path(&mut self, node: &'ast syn::TypePath) {
            if node.qself.is_none() {
                visit::visit_type_path(self, node);
            }
        }
    }
    let name = match param {
        GenericParam::Type(param) => &param.ident,
        GenericParam::Const(param) => &param.ident,
        GenericParam::Lifetime(_) => return true,
    };
    let mut search = Search(name, false);
    search.visit_type(ty);
    search.1
}
