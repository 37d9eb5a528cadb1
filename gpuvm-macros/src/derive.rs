//! `#[derive(VmType)]` and `#[derive(RingMessage)]`: the layout of a struct or enum as data, and how its values become words and come back.
use gpuvm_nodes::node::Operator;
use gpuvm_nodes::{Kind, name_hash};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit::{self, Visit};
use syn::{Data, DeriveInput, Fields, Generics, Lifetime, Member, Path, Type};

use crate::behind;
use crate::cells::holds_cells;
use crate::comparison;
use crate::expansion;
use crate::file::text_around;
use crate::home;
use crate::implementation;
use crate::kept;
use crate::launch::at;
use crate::lower::{check_type, member_name};
use crate::markers;
use crate::namesakes;
use crate::parameters::{self, Parameters, names_any};
use crate::plain_name;
use crate::primitive::{Known, kind_of_name};
use crate::report::Report;
use crate::rewrite::MAYBE;
use crate::routine::holds_references;

/// `#[derive(VmType)]`
pub fn vm_type(item: TokenStream) -> TokenStream {
    with_markers(item, false)
}

/// `#[derive(RingMessage)]`
pub fn ring_message(item: TokenStream) -> TokenStream {
    with_markers(item, true)
}

/// A derive of the user's, and what it has to care for.
fn with_markers(item: TokenStream, is_message: bool) -> TokenStream {
    let input = syn::parse2::<DeriveInput>(item.clone());
    let markers = markers::beside(input.ok().map(|input| input.ident.span()));
    let derived = derive(item, is_message);
    quote!(#derived #markers)
}

fn derive(item: TokenStream, is_message: bool) -> TokenStream {
    let mut report = Report::default();
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let Attributes {
        manual_eq,
        manual_ord,
        home,
    } = Attributes::of(&input, &mut report);
    let by_hand = ByHand::of(&input, manual_eq, manual_ord);
    check(&input, &mut report);
    let derived = match &input.data {
        Data::Struct(data) => structure(&input, &by_hand, &data.fields),
        Data::Enum(data) => enumeration(&input, &by_hand, data),
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
    let Derived { ty, write, read, fits } = if refused { Derived::stand_in() } else { derived };
    let name = &input.ident;
    let Parameters {
        mut inside,
        forever,
        launched,
    } = Parameters::of(&input.generics, fields(&input.data).map(|field| &field.ty));
    asked_by_deref(&input, &mut inside);
    let clone = methods(&["clone"], name, &forever, None);
    let held = Held::of(&input, refused);
    let equality = if by_hand.eq {
        TokenStream::new()
    } else {
        equality(&input, &forever, &held)
    };
    let order = order(&input, &by_hand, &forever, &held);
    let hash = match refused || borrows(&input) {
        true => TokenStream::new(),
        false => hash(&input),
    };
    let debug = match refused {
        true => TokenStream::new(),
        false => debug(&input),
    };
    let erased = erased(&input);
    let (implementation, arguments, clause) = inside.split_for_impl();
    // Nothing is called where a value ends.
    let has_only_lifetimes = input.generics.lifetimes().count() == input.generics.params.len();
    let undropped = ((is_moved(&input) || borrows(&input)) && has_only_lifetimes).then(|| {
        let lifetimes = parameters::erased(&input.generics);
        let text = format!("`{name}` has a `Drop`, or something in it has: routines call none, so take it away");
        quote_spanned!(name.span()=> const _: () = ::core::assert!(!::core::mem::needs_drop::<#name<#(#lifetimes),*>>(), #text);)
    });
    let value = quote! {
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::Value for #name #arguments #clause {
            type Erased = #erased;
            type Inner = #erased;
            type Depth = ::gpuvm::__private::Zero;
            const TYPE: &'static ::gpuvm::__private::Type = #ty;
        }
        #undropped
    };
    let host_deref = host_deref(&input, &forever);
    let value = quote!(#value #host_deref);
    // What holds references stays inside of routines, so it has no words outside.
    if borrows(&input) {
        let constant = constant(&input, inside.clone());
        let tokens = quote!(#value #constant #equality #order #clone #debug #errors);
        return home::redirect(tokens, home.as_ref());
    }
    let is_generic = input.generics.type_params().next().is_some();
    let constant = match is_generic {
        true => constant(&input, inside.clone()),
        false => plain_constant(&input, &launched),
    };
    let mut launched = launched;
    if is_generic {
        // What is not `Copy` may be a value inside of routines all the same.
        let arguments = input.generics.split_for_impl().1;
        let copied = syn::parse_quote!(#name #arguments: ::core::marker::Copy);
        launched.make_where_clause().predicates.push(copied);
    }
    let (implementation, arguments, clause) = launched.split_for_impl();
    let message = is_message.then(|| {
        quote! {
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::RingMessage for #name #arguments #clause {}
        }
    });
    let tokens = quote! {
        #value
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::VmType for #name #arguments #clause {
            fn write_words(&self, __words: &mut [u32]) {
                #write
            }
            fn read_words(__words: &[u32]) -> Self {
                #read
            }
            #fits
        }
        #constant
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::Element for #name #arguments #clause {}
        #equality
        #order
        #clone
        #hash
        #debug
        #message
        #errors
    };
    home::redirect(tokens, home.as_ref())
}

/// The bodies that differ between kinds of types.
#[derive(Default)]
struct Derived {
    ty: TokenStream,
    write: TokenStream,
    read: TokenStream,
    /// The function that says whether a value fits its words, where that is not certain.
    fits: TokenStream,
}

impl Derived {
    fn stand_in() -> Derived {
        let unreachable = quote!(::core::unreachable!());
        Derived {
            ty: quote!(<() as ::gpuvm::__private::Value>::TYPE),
            write: unreachable.clone(),
            read: unreachable,
            fits: TokenStream::new(),
        }
    }
}

/// Which comparisons of a generic type its user has written.
struct ByHand {
    eq: bool,
    partial_cmp: bool,
    cmp: bool,
}

impl ByHand {
    /// Of a type that may say so itself.
    fn of(input: &DeriveInput, manual_eq: bool, manual_ord: bool) -> ByHand {
        let is_generic = input.generics.type_params().next().is_some();
        let is_written = |of: &'static str| is_generic && comparison::is_written(&input.ident, of);
        ByHand {
            eq: manual_eq || is_written("PartialEq"),
            partial_cmp: manual_ord || is_written("PartialOrd"),
            cmp: manual_ord || is_written("Ord"),
        }
    }
}

fn structure(input: &DeriveInput, by_hand: &ByHand, fields: &Fields) -> Derived {
    let name = plain_name(&input.ident);
    let parts = layout(fields, 0, input);
    let write = fields.members().zip(fields).enumerate().map(|(i, (member, field))| {
        let words = quote!(::gpuvm::__private::field_mut(__words, <Self as ::gpuvm::__private::Value>::TYPE, #i));
        let of_field = self::words(&field.ty);
        quote!((#of_field.write)(&self.#member, #words);)
    });
    let read = fields.members().zip(fields).enumerate().map(|(i, (member, field))| {
        let words = quote!(::gpuvm::__private::field(__words, <Self as ::gpuvm::__private::Value>::TYPE, #i));
        let of_field = self::words(&field.ty);
        quote!(#member: (#of_field.read)(#words))
    });
    let (write, read) = (quote!(#(#write)*), quote!(Self { #(#read),* }));
    let doubtful = fields
        .iter()
        .zip(fields.members())
        .filter(|(field, _)| may_be_wide(&field.ty));
    let doubtful: Vec<_> = doubtful
        .map(|(field, member)| (&field.ty, quote!(&self.#member)))
        .collect();
    Derived {
        fits: if doubtful.is_empty() {
            TokenStream::new()
        } else {
            fits(all_fit(&doubtful))
        },
        ty: compared(
            input,
            by_hand,
            &quote!(::gpuvm::__private::Type::record(::gpuvm::__private::Kind::Struct, #name, #parts)),
        ),
        write,
        read,
    }
}

fn enumeration(input: &DeriveInput, by_hand: &ByHand, data: &syn::DataEnum) -> Derived {
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
            let fields = layout(&variant.fields, 1, input);
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
        let writes = names.iter().zip(&variant.fields).enumerate().map(|(j, (name, field))| {
            let words =
                quote!(::gpuvm::__private::payload_mut(__words, <Self as ::gpuvm::__private::Value>::TYPE, #i, #j));
            let of_field = self::words(&field.ty);
            quote!((#of_field.write)(#name, #words);)
        });
        let tag = i as u32;
        quote!(Self::#ident { #(#members: #names),* } => { __words[0] = #tag; #(#writes)* })
    });
    let doubtful = |variant: &'_ syn::Variant| -> Vec<(Member, Ident, Type)> {
        let fields = variant.fields.iter().zip(variant.fields.members()).enumerate();
        let fields = fields.filter(|(_, (field, _))| may_be_wide(&field.ty));
        fields
            .map(|(j, (field, member))| (member, format_ident!("__f{j}"), field.ty.clone()))
            .collect()
    };
    let is_certain = data.variants.iter().all(|variant| doubtful(variant).is_empty());
    let fit_arms = data.variants.iter().map(|variant| {
        let ident = &variant.ident;
        let doubtful = doubtful(variant);
        let (members, names): (Vec<&Member>, Vec<&Ident>) =
            doubtful.iter().map(|(member, name, _)| (member, name)).unzip();
        let values: Vec<_> = doubtful
            .iter()
            .map(|(_, name, ty)| (ty, name.to_token_stream()))
            .collect();
        let fit = all_fit(&values);
        quote!(Self::#ident { #(#members: #names,)* .. } => #fit)
    });
    let fits = if is_certain {
        TokenStream::new()
    } else {
        fits(quote!(match self { #(#fit_arms),* }))
    };
    let reads = data.variants.iter().enumerate().map(|(i, variant)| {
        let ident = &variant.ident;
        let fields = variant
            .fields
            .members()
            .zip(&variant.fields)
            .enumerate()
            .map(|(j, (member, field))| {
                let words =
                    quote!(::gpuvm::__private::payload(__words, <Self as ::gpuvm::__private::Value>::TYPE, #i, #j));
                let of_field = self::words(&field.ty);
                quote!(#member: (#of_field.read)(#words))
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
    let of = matched(data);
    Derived {
        ty: compared(
            input,
            by_hand,
            &quote!(::gpuvm::__private::Type::tagged(#name, const { &[#(#variants),*] })),
        ),
        write: quote! {
            __words.fill(0);
            match #of { #(#arms)* }
        },
        read: quote!(match __words[0] { #(#rest,)* #first }),
        fits,
    }
}

/// What a `match` of an enum's variants is of: behind a reference, one without variants would need an arm.
fn matched(data: &syn::DataEnum) -> TokenStream {
    match data.variants.is_empty() {
        true => quote!(*self),
        false => quote!(self),
    }
}

/// The words of a constant whose type is a value of a launch as it is.
fn plain_constant(input: &DeriveInput, generics: &Generics) -> TokenStream {
    let name = &input.ident;
    let (implementation, arguments, clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::ConstantValue for #name #arguments #clause {
            fn constant_words(&self, __words: &mut ::std::vec::Vec<::gpuvm::__private::ConstantWord>) {
                ::gpuvm::__private::plain_words(self, __words);
            }
        }
    }
}

/// The words of a constant that may have references in it, field by field.
fn constant(input: &DeriveInput, mut generics: Generics) -> TokenStream {
    let name = &input.ident;
    for param in generics.type_params_mut() {
        param.bounds.push(syn::parse_quote!(::gpuvm::__private::ConstantValue));
    }
    let (implementation, arguments, clause) = generics.split_for_impl();
    let field = |value: TokenStream| quote!(::gpuvm::__private::ConstantField(#value).words(__words););
    let body = match &input.data {
        Data::Struct(data) => {
            let fields = data.fields.members().map(|member| field(quote!(&self.#member)));
            quote!(#(#fields)*)
        }
        Data::Enum(data) => {
            let arms = data.variants.iter().enumerate().map(|(i, variant)| {
                let (ident, tag) = (&variant.ident, i as u32);
                let names: Vec<Ident> = (0..variant.fields.len()).map(|j| format_ident!("__f{j}")).collect();
                let members = variant.fields.members();
                let fields = names.iter().map(|name| field(name.to_token_stream()));
                quote! {
                    Self::#ident { #(#members: #names),* } => ::gpuvm::__private::variant_words::<Self>(#tag, __words, |__words| { #(#fields)* })
                }
            });
            let of = matched(data);
            quote!(match #of { #(#arms),* })
        }
        Data::Union(_) => TokenStream::new(),
    };
    quote! {
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::ConstantValue for #name #arguments #clause {
            fn constant_words(&self, __words: &mut ::std::vec::Vec<::gpuvm::__private::ConstantWord>) {
                #[allow(unused_imports)]
                use ::gpuvm::__private::NoConstant as _;
                #body
            }
        }
    }
}

/// How a field's type becomes words, asked for as the layout asks, so that what the type lacks is said once.
fn words(ty: &Type) -> TokenStream {
    let span = at(ty);
    quote_spanned!(span=> <#ty as ::gpuvm::__private::Plain>::WORDS)
}

/// Whether a field's type may have a `usize` or `isize` in it.
fn may_be_wide(ty: &Type) -> bool {
    fn of(known: &Known) -> bool {
        match known {
            Known::Scalar(kind) => matches!(kind, Kind::Usize | Kind::Isize),
            Known::Unit => false,
            Known::List(of_what) | Known::Optional(of_what) => of(of_what),
            Known::Tuple(parts) => parts.iter().any(of),
            _ => true,
        }
    }
    of(&Known::of(ty))
}

/// Whether references are to values that fit their words.
fn all_fit(values: &[(&Type, TokenStream)]) -> TokenStream {
    let fit = values.iter().map(|(ty, value)| {
        let words = words(ty);
        quote!(&& (#words.fits)(#value))
    });
    quote!(true #(#fit)*)
}

/// The function that says so of a value.
fn fits(body: TokenStream) -> TokenStream {
    quote! {
        fn fits_words(&self) -> bool {
            #body
        }
    }
}

/// The type with the comparisons and the `Deref` that its user has written.
fn compared(input: &DeriveInput, by_hand: &ByHand, ty: &TokenStream) -> TokenStream {
    // Its routines are those of the type without lifetimes.
    let behind = erased(input);
    let ByHand { eq, partial_cmp, cmp } = by_hand;
    let is_copy = input.generics.type_params().next().is_none() && !is_moved(input);
    quote! {&{
        use ::gpuvm::__private::Written as _;
        #ty.compared(::gpuvm::__private::Comparisons {
            eq: Self::__GPUVM_EQ,
            partial_cmp: Self::__GPUVM_PARTIAL_CMP,
            cmp: Self::__GPUVM_CMP,
            clone: Self::__GPUVM_CLONE,
            is_copy: #is_copy,
            reversed: false,
            by_hand: ::gpuvm::__private::ByHand { eq: #eq, partial_cmp: #partial_cmp, cmp: #cmp },
        }).dereferenced(<#behind>::__GPUVM_DEREF, <#behind>::__GPUVM_DEREF_MUT)
    }}
}

/// What tells a type's own fields from those behind its `Deref`, where its file has one that is no routine.
fn host_deref(input: &DeriveInput, generics: &Generics) -> TokenStream {
    let name = &input.ident;
    if !namesakes::derefs_on_host(name.span(), &plain_name(name)) {
        return TokenStream::new();
    }
    let (implementation, arguments, clause) = generics.split_for_impl();
    let fields: Vec<String> = match &input.data {
        Data::Struct(data) => data.fields.members().map(|member| member_name(&member)).collect(),
        _ => Vec::new(),
    };
    let hashes = fields.iter().map(|field| name_hash(field));
    quote! {
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::DerefsOnHost for #name #arguments #clause {}
        #[automatically_derived]
        impl #implementation ::gpuvm::__private::RefersToHost for #name #arguments #clause {}
        #(
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::OwnField<#hashes> for #name #arguments #clause {}
        )*
    }
}

/// Asks of a generic type's parameters what its `Deref` asks, or that of a type in its fields, where the file has one that is a routine: only where that holds are its
/// constants seen.
fn asked_by_deref(input: &DeriveInput, inside: &mut Generics) {
    if input.generics.type_params().next().is_none() {
        return;
    }
    let is_asked = match behind::deref_generics(&input.ident) {
        // Where it asks more than the type does, there are values of the type without it.
        Some(asked) => !asks_more(&asked, &input.generics),
        None => {
            text_around(input.ident.span()).is_some_and(|text| behind::is_inside(&text, &input.ident.to_string(), 8))
        }
    };
    if !is_asked {
        return;
    }
    for param in input.generics.type_params() {
        let name = &param.ident;
        inside.make_where_clause().predicates.push(syn::parse_quote! {
            #name: ::gpuvm::__private::Value<Erased: ::gpuvm::__private::Parameter>
        });
    }
}

/// Whether an `impl` with these generics asks more of its parameters than its type.
fn asks_more(asked: &Generics, of_type: &Generics) -> bool {
    let mut params = asked.type_params().zip(of_type.type_params());
    params.any(|(asked_of, param)| {
        let own = parameters::asked_of_erased(&param.ident, of_type, of_type).to_string();
        own != parameters::asked_of_erased(&asked_of.ident, asked, asked).to_string()
    })
}

/// The fields of a struct or variant, `start` words into the value.
fn layout(fields: &Fields, start: u32, input: &DeriveInput) -> TokenStream {
    let borrows = borrows(input);
    let parts = fields.iter().enumerate().map(|(i, field)| {
        let ty = &field.ty;
        let (key, name) = match &field.ident {
            Some(name) => (plain_name(name), plain_name(name)),
            None => (i.to_string(), String::new()),
        };
        let span = at(ty);
        // It has no words, so what it speaks of may as well be without lifetimes.
        let erased = is_phantom(ty).then(|| parameters::without_lifetimes(ty, &input.generics));
        let ty = erased.as_ref().unwrap_or(ty);
        // What holds references is no value outside of routines, and what a parameter stands for may hold some.
        let reference = match borrows || names_any(ty, &input.generics) {
            true => quote_spanned!(span=> <#ty as ::gpuvm::__private::Value>::REFERENCE),
            false => quote_spanned!(span=> <#ty as ::gpuvm::__private::Plain>::VALUE),
        };
        quote!((#key, #name, #reference))
    });
    quote!(const { &::gpuvm::__private::layout(#start, [#(#parts),*]) })
}

/// Whether a type is `PhantomData`.
fn is_phantom(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "PhantomData"))
}

/// Equality field by field, which the machine does itself.
fn equality(input: &DeriveInput, generics: &Generics, held: &Held<'_>) -> TokenStream {
    let name = &input.ident;
    let methods = methods(&["eq", "ne"], name, generics, Some(held));
    let none = quote!(::core::option::Option::None);
    let operators = [Operator::Eq, Operator::Ne].map(|operator| operation(name, generics, held, "eq", operator, &none));
    quote! {
        #methods
        #(#operators)*
    }
}

/// Order part by part, likewise.
fn order(input: &DeriveInput, by_hand: &ByHand, generics: &Generics, held: &Held<'_>) -> TokenStream {
    let name = &input.ident;
    let operators = comparison::ORDER.iter().map(|(method, operator)| {
        let written = comparison::operator(method);
        let call = quote!({
            use ::gpuvm::__private::Written as _;
            Self::#written
        });
        operation(name, generics, held, "partial_cmp", *operator, &call)
    });
    let of = |partial: bool| {
        let named = comparison::METHODS[2..].iter();
        let named: Vec<&str> = named
            .filter(|name| comparison::of_partial_order(name) == partial)
            .copied()
            .collect();
        methods(&named, name, generics, Some(held))
    };
    let partial = (!by_hand.partial_cmp).then(|| {
        let methods = of(true);
        quote!(#(#operators)* #methods)
    });
    let total = (!by_hand.cmp).then(|| of(false));
    quote!(#partial #total)
}

/// The operator of two values of a type, which goes by the comparison `by` of what the type holds. `call`: the routine that the user wrote for it, if any.
fn operation(
    name: &Ident,
    generics: &Generics,
    held: &Held<'_>,
    by: &str,
    operator: Operator,
    call: &TokenStream,
) -> TokenStream {
    let number = operator as u8;
    let (generics, seen) = held.by(by, generics);
    let (implementation, arguments, clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #implementation ::gpuvm::__private::Operation<#number, Self> for #name #arguments #clause {
            type Slot = ::gpuvm::__private::OperatorSlot<#number, Self, Self>;
            const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = #call;
            #seen
        }
    }
}

/// What a type holds whose comparisons may be routines that only method lookup finds: those of generic types, and of what holds such in turn.
struct Held<'i> {
    input: &'i DeriveInput,
    /// The types of fields that may be such.
    asked: Vec<&'i Type>,
}

impl<'i> Held<'i> {
    /// Of a type. One that is refused, or that holds what a parameter decides, is compared as its own type tells.
    fn of(input: &'i DeriveInput, refused: bool) -> Held<'i> {
        let types = || fields(&input.data).map(|field| &field.ty);
        let mut asked: Vec<&Type> = Vec::new();
        if !refused && !parameters::stay_inside(&input.generics, types()) {
            for ty in types().filter(|ty| may_hold(ty)) {
                let text = |ty: &Type| ty.to_token_stream().to_string();
                if !asked.iter().any(|known| text(known) == text(ty)) {
                    asked.push(ty);
                }
            }
        }
        Held { input, asked }
    }

    /// Whether the parts tell anything of a comparison: not where the type's user has written it.
    fn tell(&self, how: &str) -> bool {
        let of = comparison::trait_of(how);
        !self.asked.is_empty() && !comparison::is_written(&self.input.ident, of)
    }

    /// The generics of an `impl` of what is behind a comparison, and what it tells of the parts.
    fn by(&self, how: &str, generics: &Generics) -> (Generics, TokenStream) {
        let mut generics = generics.clone();
        if !self.tell(how) {
            return (generics, TokenStream::new());
        }
        let (hash, maybe) = (name_hash(how), Lifetime::new(&format!("'{MAYBE}"), Span::call_site()));
        let predicates = &mut generics.make_where_clause().predicates;
        predicates.push(syn::parse_quote!(for<#maybe> Self: ::gpuvm::__private::Compares<#maybe, #hash>));
        let seen = quote! {
            const SEEN: ::core::option::Option<&'static ::gpuvm::__private::Type> =
                <Self as ::gpuvm::__private::Compares<'static, #hash>>::SEEN;
        };
        (generics, seen)
    }

    /// The same of the comparison itself.
    fn comparison(&self, how: &str, generics: &Generics) -> (Generics, TokenStream) {
        let mut generics = generics.clone();
        if !self.tell(how) {
            return (generics, TokenStream::new());
        }
        let (hash, maybe) = (name_hash(how), Lifetime::new(&format!("'{MAYBE}"), Span::call_site()));
        let predicates = &mut generics.make_where_clause().predicates;
        predicates.push(syn::parse_quote!(Self: ::gpuvm::__private::Value));
        for ty in &self.asked {
            predicates.push(syn::parse_quote!(for<#maybe> #ty: ::gpuvm::__private::ComparesIf<#maybe, #hash>));
        }
        let part = |field: &syn::Field| match &field.ty {
            ty if may_hold(ty) => quote!(<#ty as ::gpuvm::__private::ComparesIf<'static, #hash>>::PART),
            _ => quote!(::core::option::Option::None),
        };
        let seen_fields = |fields: &Fields, of: TokenStream| {
            let parts = fields.iter().map(part);
            quote!(const { &::gpuvm::__private::seen_fields(#of.fields, [#(#parts),*]) })
        };
        let ty = quote!(<Self as ::gpuvm::__private::Value>::TYPE);
        let seen = match &self.input.data {
            Data::Struct(data) => {
                let fields = seen_fields(&data.fields, ty.clone());
                quote!(::gpuvm::__private::seen_record(#ty, #fields))
            }
            Data::Enum(data) => {
                let variants = data.variants.iter().enumerate().map(|(i, variant)| {
                    let fields = seen_fields(&variant.fields, quote!(#ty.variants[#i]));
                    quote!(::gpuvm::__private::seen_variant(#ty, #i, #fields))
                });
                quote!(::gpuvm::__private::seen_enum(#ty, const { &[#(#variants),*] }))
            }
            Data::Union(_) => return (generics, TokenStream::new()),
        };
        let asked = &self.asked;
        let seen = quote! {
            const SEEN: ::core::option::Option<&'static ::gpuvm::__private::Type> =
                match ::gpuvm::__private::any_seen([#(<#asked as ::gpuvm::__private::ComparesIf<'static, #hash>>::PART),*]) {
                    true => ::core::option::Option::Some(const { &#seen }),
                    false => ::core::option::Option::None,
                };
        };
        (generics, seen)
    }
}

/// Whether values of a type may hold one whose comparison is a routine that its type does not tell.
fn may_hold(ty: &Type) -> bool {
    !is_phantom(ty) && !Known::of(ty).compares_by_words()
}

/// The routine beside what std's derive of `Hash` makes, where that is derived as well: a derive is not told, so it looks at the file.
fn hash(input: &DeriveInput) -> TokenStream {
    if !derives(&input.ident, "Hash") {
        return TokenStream::new();
    }
    let name = &input.ident;
    let mut generics = input.generics.clone();
    for param in generics.type_params_mut() {
        param.default = None;
        param.bounds.push(syn::parse_quote!(::core::hash::Hash));
    }
    let (implementation, arguments, clause) = generics.split_for_impl();
    let body = match &input.data {
        Data::Struct(data) => {
            let members = data.fields.members();
            quote!(#(self.#members.hash(__state);)*)
        }
        Data::Enum(data) => {
            let number = discriminant_type(input);
            let write = format_ident!("write_{number}");
            let mut discriminant = quote!(0);
            let arms = data.variants.iter().map(|variant| {
                if let Some((_, value)) = &variant.discriminant {
                    discriminant = quote!((#value));
                }
                let value = discriminant.clone();
                discriminant = quote!(#value + 1);
                let (ident, members) = (&variant.ident, variant.fields.members());
                let names: Vec<Ident> = (0..variant.fields.len()).map(|j| format_ident!("__f{j}")).collect();
                // One that is the only one is not told.
                let told = (data.variants.len() > 1).then(|| quote!(__state.#write((#value) as #number);));
                quote!(Self::#ident { #(#members: #names),* } => { #told #(#names.hash(__state);)* })
            });
            let arms: Vec<TokenStream> = arms.collect();
            let of = matched(data);
            quote!(match #of { #(#arms)* })
        }
        Data::Union(_) => return TokenStream::new(),
    };
    implementation::derived(&syn::parse_quote! {
        impl #implementation ::core::hash::Hash for #name #arguments #clause {
            fn hash<__H: ::core::hash::Hasher>(&self, __state: &mut __H) {
                use ::core::hash::Hash as _;
                #body
            }
        }
    })
}

/// The routine beside what std's derive of `Debug` makes, likewise; of a type whose parts all have one.
fn debug(input: &DeriveInput) -> TokenStream {
    let types = || fields(&input.data).map(|field| &field.ty);
    if !derives(&input.ident, "Debug") || parameters::stay_inside(&input.generics, types()) {
        return TokenStream::new();
    }
    let name = &input.ident;
    let mut generics = input.generics.clone();
    for param in generics.type_params_mut() {
        param.default = None;
        param.bounds.push(syn::parse_quote!(::core::fmt::Debug));
    }
    for param in generics.const_params_mut() {
        param.default = None;
    }
    let maybe = Lifetime::new(&format!("'{MAYBE}"), Span::call_site());
    let predicates = &mut generics.make_where_clause().predicates;
    for ty in types().filter(|ty| !Known::of(ty).is_primitive()) {
        predicates.push(syn::parse_quote! {
            for<#maybe> <#ty as ::gpuvm::__private::Value>::Inner: ::gpuvm::__private::DebugsIf<#maybe>
        });
    }
    let (implementation, arguments, clause) = generics.split_for_impl();
    let shown = |name: &Ident, fields: &Fields, values: Vec<TokenStream>| {
        let name = plain_name(name);
        let parts = fields.iter().zip(values).map(|(field, value)| {
            let name = field.ident.iter().map(plain_name);
            quote!(.field(#(#name,)* #value))
        });
        match fields {
            _ if fields.is_empty() => quote!(__f.write_str(#name)),
            Fields::Named(_) => quote!(__f.debug_struct(#name)#(#parts)*.finish()),
            _ => quote!(__f.debug_tuple(#name)#(#parts)*.finish()),
        }
    };
    let body = match &input.data {
        Data::Struct(data) => {
            let members = data.fields.members();
            shown(
                name,
                &data.fields,
                members.map(|member| quote!(&self.#member)).collect(),
            )
        }
        Data::Enum(data) => {
            let arms = data.variants.iter().map(|variant| {
                let (ident, members) = (&variant.ident, variant.fields.members());
                let names: Vec<Ident> = (0..variant.fields.len()).map(|j| format_ident!("__f{j}")).collect();
                let shown = shown(
                    ident,
                    &variant.fields,
                    names.iter().map(ToTokens::to_token_stream).collect(),
                );
                quote!(Self::#ident { #(#members: #names),* } => #shown)
            });
            let arms: Vec<TokenStream> = arms.collect();
            let of = matched(data);
            quote!(match #of { #(#arms,)* })
        }
        Data::Union(_) => return TokenStream::new(),
    };
    implementation::derived(&syn::parse_quote! {
        impl #implementation ::core::fmt::Debug for #name #arguments #clause {
            fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #body
            }
        }
    })
}

/// The type of an enum's discriminants.
fn discriminant_type(input: &DeriveInput) -> Ident {
    let mut found = format_ident!("isize");
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        // What is none, rustc refuses.
        let _ = attribute.parse_nested_meta(|meta| {
            if let Some(name) = meta
                .path
                .get_ident()
                .filter(|name| kind_of_name(&name.to_string()).is_some())
            {
                found = name.clone();
            }
            Ok(())
        });
    }
    found
}

/// Whether the attributes before a type's definition derive a trait.
fn derives(name: &Ident, of: &str) -> bool {
    derived(name).is_some_and(|derived| derived.iter().any(|name| name == of))
}

/// What the attributes before a type's definition derive, as far as the file tells.
fn derived(name: &Ident) -> Option<Vec<String>> {
    let text = text_around(name.span())?;
    let before = text.get(..expansion::offset(&text, name.span().start())?)?;
    Some(kept::derived(before))
}

/// Whether a type is no `Copy`, as far as the file tells.
fn is_moved(input: &DeriveInput) -> bool {
    let text = text_around(input.ident.span());
    input.generics.type_params().next().is_none()
        && text.is_some_and(|text| kept::is_moved(&text, &input.ident.to_string()))
}

/// Methods by name that the machine does itself unless the type's user has written them. `held`: what comparisons see of its parts.
fn methods(names: &[&str], name: &Ident, generics: &Generics, held: Option<&Held<'_>>) -> TokenStream {
    let methods = names.iter().map(|method| {
        let (hash, written) = (name_hash(method), comparison::method(method));
        let (generics, seen) = match held {
            Some(held) if comparison::behind(method) == *method => held.comparison(method, generics),
            Some(held) => held.by(comparison::behind(method), generics),
            None => (generics.clone(), TokenStream::new()),
        };
        let (implementation, arguments, clause) = generics.split_for_impl();
        quote! {
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #implementation ::gpuvm::__private::Method<#hash> for #name #arguments #clause {
                type Slot = ::gpuvm::__private::MethodSlot<#hash, Self>;
                const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = {
                    use ::gpuvm::__private::Written as _;
                    Self::#written
                };
                #seen
            }
        }
    });
    methods.collect()
}

/// Whether a type holds references or cells, or is no `Copy`, so that its values stay inside of routines.
fn borrows(input: &DeriveInput) -> bool {
    let stays =
        |field: &syn::Field| holds_references(&field.ty) || holds_cells(&field.ty) || kept::stays_inside(&field.ty);
    let types = fields(&input.data).map(|field| &field.ty);
    input.generics.lifetimes().next().is_some()
        || is_moved(input)
        || fields(&input.data).any(stays)
        || parameters::stay_inside(&input.generics, types)
}

/// The type without lifetimes.
fn erased(input: &DeriveInput) -> TokenStream {
    let (name, arguments) = (&input.ident, parameters::erased(&input.generics));
    match arguments.is_empty() {
        true => quote!(Self),
        false => quote!(#name<#(#arguments),*>),
    }
}

fn fields(data: &Data) -> impl Iterator<Item = &syn::Field> + Clone {
    let all: Vec<&syn::Field> = match data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|variant| variant.fields.iter()).collect(),
        Data::Union(_) => Vec::new(),
    };
    all.into_iter()
}

fn check(input: &DeriveInput, report: &mut Report) {
    for field in fields(&input.data) {
        check_type(&mut field.ty.clone(), report);
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

/// Whether a type holds itself.
fn is_hopeless(input: &DeriveInput) -> bool {
    let mut search = Mentions {
        names: vec![&input.ident],
        found: false,
    };
    fields(&input.data).for_each(|field| search.visit_type(&field.ty));
    search.found
}

/// What stands in `#[vm_type(…)]`.
#[derive(Default)]
struct Attributes {
    /// `manual_eq`
    manual_eq: bool,
    /// `manual_ord`
    manual_ord: bool,
    /// `crate = path`: where gpuvm is.
    home: Option<Path>,
}

impl Attributes {
    fn of(input: &DeriveInput, report: &mut Report) -> Attributes {
        let mut found = Attributes::default();
        let attributes = input.attrs.iter();
        for attribute in attributes.filter(|attribute| attribute.path().is_ident("vm_type")) {
            let parsed = attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("manual_eq") {
                    found.manual_eq = true;
                } else if meta.path.is_ident("manual_ord") {
                    found.manual_ord = true;
                } else if meta.path.is_ident("crate") {
                    found.home = Some(meta.value()?.call(Path::parse_mod_style)?);
                } else {
                    report.vm_type_argument(&meta.path);
                }
                Ok(())
            });
            if parsed.is_err() {
                report.vm_type_argument(attribute.to_token_stream());
            }
        }
        found
    }
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
