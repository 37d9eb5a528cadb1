//! `#[derive(VmType)]` and `#[derive(RingMessage)]`: the layout of a struct or enum as data, and how its values become words and come back.

use gpuvm_nodes::name_hash;
use gpuvm_nodes::node::Operator;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit::{self, Visit};
use syn::{Data, DeriveInput, Fields, GenericParam, Generics, Type};

use crate::lower::check_type;
use crate::plain_name;
use crate::report::Report;

/// `#[derive(VmType)]`
pub fn vm_type(item: TokenStream) -> TokenStream {
    derive(item, false)
}

/// `#[derive(RingMessage)]`
pub fn ring_message(item: TokenStream) -> TokenStream {
    derive(item, true)
}

fn derive(item: TokenStream, is_message: bool) -> TokenStream {
    let mut report = Report::default();
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let manual_eq = manual_eq(&input, &mut report);
    check(&input, &mut report);
    let derived = match &input.data {
        Data::Struct(data) => structure(&input, &data.fields),
        Data::Enum(data) => enumeration(&input, data),
        Data::Union(data) => {
            report.union(data.union_token);
            Derived::default()
        }
    };
    let refused = !report.is_empty();
    let errors = report.into_tokens();
    // Layouts of these would only draw errors of their own.
    if refused && (matches!(input.data, Data::Union(_)) || is_hopeless(&input)) {
        return errors;
    }
    // A type that was refused still is one, so that its users show no errors of their own.
    let Derived { ty, write, read } = if refused { Derived::stand_in() } else { derived };
    let name = &input.ident;
    let generics = bounded(&input.generics);
    let (implementation, arguments, clause) = generics.split_for_impl();
    let hash = name_hash("clone");
    let clone = quote! {
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::Method<#hash> for #name #arguments #clause {
            const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = ::core::option::Option::None;
        }
    };
    let equality = if manual_eq {
        TokenStream::new()
    } else {
        equality(&input, &generics, refused)
    };
    let message = is_message.then(|| {
        quote! {
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::RingMessage for #name #arguments #clause {}
        }
    });
    quote! {
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::Value for #name #arguments #clause {
            type Erased = Self;
            type Inner = Self;
            const TYPE: &'static ::gpuvm::__private::Type = #ty;
        }
        #[automatically_derived]
        #[allow(unused_variables, clippy::all, clippy::pedantic)]
        impl #implementation ::gpuvm::__private::VmType for #name #arguments #clause {
            fn write_words(&self, __words: &mut [u32]) {
                #write
            }
            fn read_words(__words: &[u32]) -> Self {
                #read
            }
        }
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::Element for #name #arguments #clause {}
        #equality
        #clone
        #message
        #errors
    }
}

/// The bodies that differ between kinds of types.
#[derive(Default)]
struct Derived {
    ty: TokenStream,
    write: TokenStream,
    read: TokenStream,
}

impl Derived {
    fn stand_in() -> Derived {
        let unreachable = quote!(::core::unreachable!());
        Derived {
            ty: quote!(<() as ::gpuvm::__private::Value>::TYPE),
            write: unreachable.clone(),
            read: unreachable,
        }
    }
}

fn structure(input: &DeriveInput, fields: &Fields) -> Derived {
    let name = plain_name(&input.ident);
    let parts = layout(fields, 0);
    let write = fields.members().enumerate().map(|(i, member)| {
        quote!(::gpuvm::__private::VmType::write_words(&self.#member, ::gpuvm::__private::field_mut(__words, <Self as ::gpuvm::__private::Value>::TYPE, #i));)
    });
    let read = fields.members().enumerate().map(|(i, member)| {
        quote!(#member: ::gpuvm::__private::VmType::read_words(::gpuvm::__private::field(__words, <Self as ::gpuvm::__private::Value>::TYPE, #i)))
    });
    let (write, read) = (quote!(#(#write)*), quote!(Self { #(#read),* }));
    Derived {
        ty: quote!(&::gpuvm::__private::Type::record(::gpuvm::__private::Kind::Struct, #name, #parts)),
        write,
        read,
    }
}

fn enumeration(input: &DeriveInput, data: &syn::DataEnum) -> Derived {
    let name = plain_name(&input.ident);
    let mut discriminant = quote!(0);
    let variants: Vec<TokenStream> = data
        .variants
        .iter()
        .map(|variant| {
            if let Some((_, value)) = &variant.discriminant {
                discriminant = quote!((#value) as i64);
            }
            let value = discriminant.clone();
            discriminant = quote!((#value) + 1);
            let variant_name = plain_name(&variant.ident);
            let fields = layout(&variant.fields, 1);
            quote! {
                ::gpuvm::__private::Variant {
                    hash: ::gpuvm::__private::name_hash(#variant_name),
                    name: #variant_name,
                    fields: #fields,
                    discriminant: #value,
                }
            }
        })
        .collect();
    let arms = data.variants.iter().enumerate().map(|(i, variant)| {
        let ident = &variant.ident;
        let names: Vec<Ident> = (0..variant.fields.len()).map(|j| format_ident!("__f{j}")).collect();
        let members = variant.fields.members();
        let writes = names.iter().enumerate().map(|(j, name)| {
            quote!(::gpuvm::__private::VmType::write_words(
                #name,
                ::gpuvm::__private::payload_mut(__words, <Self as ::gpuvm::__private::Value>::TYPE, #i, #j),
            );)
        });
        let tag = i as u32;
        quote!(Self::#ident { #(#members: #names),* } => { __words[0] = #tag; #(#writes)* })
    });
    let reads = data.variants.iter().enumerate().map(|(i, variant)| {
        let ident = &variant.ident;
        let fields = variant.fields.members().enumerate().map(|(j, member)| {
            quote!(#member: ::gpuvm::__private::VmType::read_words(
                ::gpuvm::__private::payload(__words, <Self as ::gpuvm::__private::Value>::TYPE, #i, #j),
            ))
        });
        let tag = i as u32;
        // What is no variant's tag reads as the first one's.
        let pattern = if i == 0 { quote!(_) } else { quote!(#tag) };
        quote!(#pattern => Self::#ident { #(#fields),* })
    });
    let reads: Vec<TokenStream> = reads.collect();
    let (first, rest) = match reads.split_first() {
        Some((first, rest)) => (quote!(#first), rest.to_vec()),
        None => (quote!(_ => ::core::unreachable!()), Vec::new()),
    };
    Derived {
        ty: quote!(&::gpuvm::__private::Type::tagged(#name, const { &[#(#variants),*] })),
        write: quote! {
            __words.fill(0);
            match self { #(#arms)* }
        },
        read: quote!(match __words[0] { #(#rest,)* #first }),
    }
}

/// The fields of a struct or variant, `start` words into the value.
fn layout(fields: &Fields, start: u32) -> TokenStream {
    let parts = fields.iter().enumerate().map(|(i, field)| {
        let ty = &field.ty;
        let (key, name) = match &field.ident {
            Some(name) => (plain_name(name), plain_name(name)),
            None => (i.to_string(), String::new()),
        };
        let span = crate::shadow::at(ty);
        quote_spanned!(span=> (#key, #name, <#ty as ::gpuvm::__private::Value>::TYPE))
    });
    quote!(const { &::gpuvm::__private::layout(#start, [#(#parts),*]) })
}

/// Equality field by field, which the machine does itself.
fn equality(input: &DeriveInput, generics: &Generics, refused: bool) -> TokenStream {
    let name = &input.ident;
    let (implementation, arguments, clause) = generics.split_for_impl();
    let (eq, ne) = (Operator::Eq as u8, Operator::Ne as u8);
    let own: Vec<&Ident> = input.generics.type_params().map(|param| &param.ident).collect();
    // A field whose equality is a routine cannot be compared by its words.
    let foreign: Vec<&Type> = if refused {
        Vec::new()
    } else {
        fields(&input.data)
            .map(|field| &field.ty)
            .filter(|ty| is_user_type(ty, &own))
            .collect()
    };
    let checks = quote! {
        #(::core::assert!(
            <#foreign as ::gpuvm::__private::Operation<#eq, #foreign>>::CALL.is_none(),
            "a field's equality is a #[routine]: write `#[routine] impl PartialEq` for this type, too, and add `#[vm_type(manual_eq)]`"
        );)*
        ::core::option::Option::None
    };
    quote! {
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::Operation<#eq, Self> for #name #arguments #clause {
            const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = { #checks };
        }
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::Operation<#ne, Self> for #name #arguments #clause {
            const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = { #checks };
        }
    }
}

/// Whether a type is named by a plain path of the user's, without type parameters in it.
fn is_user_type(ty: &Type, own: &[&Ident]) -> bool {
    let Type::Path(path) = ty else { return false };
    if crate::primitive::Known::of(ty) != crate::primitive::Known::Unknown {
        return false;
    }
    let mut search = Mentions {
        names: own.to_vec(),
        found: false,
    };
    search.visit_type_path(path);
    !search.found
}

/// Type parameters become values of the machine.
fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for param in &mut generics.params {
        match param {
            GenericParam::Type(param) => {
                param.default = None;
                param.bounds.push(syn::parse_quote!(::gpuvm::__private::VmType));
            }
            GenericParam::Const(param) => param.default = None,
            GenericParam::Lifetime(_) => {}
        }
    }
    generics
}

fn fields(data: &Data) -> impl Iterator<Item = &syn::Field> {
    let all: Vec<&syn::Field> = match data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|variant| variant.fields.iter()).collect(),
        Data::Union(_) => Vec::new(),
    };
    all.into_iter()
}

fn check(input: &DeriveInput, report: &mut Report) {
    if let Some(lifetime) = input.generics.lifetimes().next() {
        report.lifetime(lifetime);
    }
    if let Data::Enum(data) = &input.data
        && data.variants.is_empty()
    {
        report.empty_enum(&input.ident);
    }
    for field in fields(&input.data) {
        if let Type::Reference(ty) = &field.ty {
            report.reference_field(ty);
            continue;
        }
        check_type(&field.ty, report);
        let mut search = Mentions {
            names: vec![&input.ident],
            found: false,
        };
        search.visit_type(&field.ty);
        if search.found {
            report.recursive_type(&field.ty);
        }
    }
}

/// Whether a type holds itself or borrows.
fn is_hopeless(input: &DeriveInput) -> bool {
    let mut search = Mentions {
        names: vec![&input.ident],
        found: input.generics.lifetimes().next().is_some(),
    };
    fields(&input.data).for_each(|field| search.visit_type(&field.ty));
    search.found
}

fn manual_eq(input: &DeriveInput, report: &mut Report) -> bool {
    let mut manual = false;
    for attribute in input
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("vm_type"))
    {
        let parsed = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("manual_eq") {
                manual = true;
            } else {
                report.vm_type_argument(&meta.path);
            }
            Ok(())
        });
        if parsed.is_err() {
            report.vm_type_argument(attribute.to_token_stream());
        }
    }
    manual
}

/// Looks for names in a type.
struct Mentions<'n> {
    names: Vec<&'n Ident>,
    found: bool,
}

impl<'ast> Visit<'ast> for Mentions<'_> {
    fn visit_type_path(&mut self, node: &'ast syn::TypePath) {
        if let (None, [segment]) = (&node.qself, &*node.path.segments.iter().collect::<Vec<_>>()) {
            self.found |= self.names.iter().any(|name| segment.ident == **name) || segment.ident == "Self";
        }
        visit::visit_type_path(self, node);
    }
}
