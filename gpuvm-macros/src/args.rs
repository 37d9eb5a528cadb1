//! The arguments of `#[routine(…)]` and `#[ring_kernel(…)]`.

use std::collections::HashMap;

use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Block, Ident, LitInt, LitStr, Path, Token, Type};

use crate::report::Report;
use crate::ring::SENDS;
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// What an attribute makes of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `#[routine]`
    Routine,
    /// `#[ring_kernel]`
    RingKernel,
}

impl Role {
    /// The attribute's name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Routine => "routine",
            Role::RingKernel => "ring_kernel",
        }
    }

    /// The role of that name.
    pub fn named(name: &Ident) -> Role {
        match name == Role::RingKernel.name() {
            true => Role::RingKernel,
            false => Role::Routine,
        }
    }

    /// The attribute with these arguments, for an item that is expanded again.
    pub fn attribute(self, args: &TokenStream) -> TokenStream {
        let name = Ident::new(self.name(), Span::call_site());
        quote!(#[::gpuvm::__private::#name(#args)])
    }
}

/// What stands in the parentheses.
pub struct Args {
    /// Whose they are.
    pub role: Role,
    /// `id = "name"`
    pub id: Option<LitStr>,
    /// `callee`: the routine is called by others, never launched.
    pub callee: bool,
    /// `inline`: the code of the routine is written where it is called.
    pub inline: bool,
    /// `consumes`, of gpuvm's own std: the first parameter, a `&mut`, is a receiver that the function uses up. One that is given by value is copied.
    pub consumes: bool,
    /// `each`, of gpuvm's own iterators: they give their elements to a function themselves, by an `impl Each`.
    pub each: bool,
    /// `hinted`, of gpuvm's own iterators that have a `len`: they have a `size_hint` of their own, too.
    pub hinted: bool,
    /// `std(Result)`, of gpuvm's own std: the function stands for the one of that name in std, which returns `Result`.
    pub std: Option<Type>,
    /// `library`, of gpuvm's own crates: a callee whose native function is left as it is.
    pub library: bool,
    /// `nested`, of a function inside of a routine, where the routine's own copies of it stand: a callee, likewise.
    pub nested: bool,
    /// `sends = 8`: the most messages that an actor sends while it handles one.
    pub sends: Option<LitInt>,
    /// `replies = 3`: the most replies to one message.
    pub replies: Option<LitInt>,
    /// `forwards = 4`: the most messages to actors of the linked kernel while an actor handles one.
    pub forwards: Option<LitInt>,
    /// `relaxed`: a launch of the routine trades exact floats for speed.
    pub relaxed: Option<Ident>,
    /// `crate = path`: where gpuvm is.
    pub home: Option<Path>,
    /// `originals(name { … })`, of an item whose macros were expanded: the bodies as the user wrote them, by their functions' names.
    pub originals: HashMap<String, Block>,
}

impl Args {
    /// Parses the arguments; what is wrong goes into the report.
    pub fn parse(role: Role, tokens: TokenStream, report: &mut Report) -> Args {
        let mut args = Args {
            role,
            id: None,
            callee: false,
            inline: false,
            consumes: false,
            each: false,
            hinted: false,
            std: None,
            library: false,
            nested: false,
            sends: None,
            replies: None,
            forwards: None,
            relaxed: None,
            home: None,
            originals: HashMap::new(),
        };
        let parsed = (|input: ParseStream<'_>| {
            while !input.is_empty() {
                args.one(input, report)?;
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        })
        .parse2(tokens);
        if let Err(error) = parsed {
            report.push(error);
        }
        if let (Some(id), true) = (&args.id, args.callee) {
            report.id_on_callee(id);
        }
        if let (Some(relaxed), true) = (&args.relaxed, args.callee) {
            report.relaxed_callee(relaxed);
        }
        args
    }

    /// Whether the function itself is gpuvm's, or a copy that does not run, and stays as it is.
    pub fn leaves_native(&self) -> bool {
        self.library || self.nested
    }

    /// Whether its code stands in that of others, who are not shown its lines and variables: that of gpuvm's own std.
    pub fn is_unseen(&self) -> bool {
        self.library && self.inline
    }

    /// Whether the user's own bodies are there.
    pub fn has_originals(&self) -> bool {
        !self.originals.is_empty()
    }

    /// The id of a function of this name.
    pub fn id_of(&self, name: &Ident) -> String {
        match &self.id {
            Some(id) => id.value(),
            None => crate::plain_name(name),
        }
    }

    /// The most messages that an actor with a context sends while it handles one.
    pub fn sends(&self) -> LitInt {
        self.sends.clone().unwrap_or_else(default_number)
    }

    /// The most messages that an actor forwards while it handles one.
    pub fn forwards(&self) -> LitInt {
        self.forwards.clone().unwrap_or_else(default_number)
    }

    fn one(&mut self, input: ParseStream<'_>, report: &mut Report) -> syn::Result<()> {
        let name = Ident::parse_any(input)?;
        if name == "crate" {
            input.parse::<Token![=]>()?;
            if self.home.replace(input.call(Path::parse_mod_style)?).is_some() {
                report.duplicate_argument(&name);
            }
        } else if name == "originals" {
            let content;
            syn::parenthesized!(content in input);
            while !content.is_empty() {
                let name: Ident = content.call(Ident::parse_any)?;
                self.originals.insert(crate::plain_name(&name), content.parse()?);
            }
        } else if name == "id" {
            input.parse::<Token![=]>()?;
            let id: LitStr = input.parse()?;
            if id.value().trim().is_empty() {
                report.empty_id(&id);
            }
            if self.id.replace(id).is_some() {
                report.duplicate_argument(&name);
            }
        } else if self.role == Role::RingKernel && name == "sends" {
            let sends = number(input, Report::sends_range, report)?;
            if self.sends.replace(sends).is_some() {
                report.duplicate_argument(&name);
            }
        } else if self.role == Role::RingKernel && name == "replies" {
            let replies = number(input, Report::replies_range, report)?;
            if self.replies.replace(replies).is_some() {
                report.duplicate_argument(&name);
            }
        } else if self.role == Role::RingKernel && name == "forwards" {
            let forwards = number(input, Report::forwards_range, report)?;
            if self.forwards.replace(forwards).is_some() {
                report.duplicate_argument(&name);
            }
        } else if self.role == Role::RingKernel {
            report.ring_kernel_argument(&name);
            return skip(input);
        } else if name == "callee" {
            if std::mem::replace(&mut self.callee, true) {
                report.duplicate_argument(&name);
            }
        } else if name == "std" {
            let content;
            syn::parenthesized!(content in input);
            self.std = Some(content.parse()?);
        } else if name == "inline" {
            if std::mem::replace(&mut self.inline, true) {
                report.duplicate_argument(&name);
            }
        } else if name == "consumes" && self.library {
            self.consumes = true;
        } else if name == "each" && self.library {
            self.each = true;
        } else if name == "hinted" && self.library {
            self.hinted = true;
        } else if name == "nested" {
            (self.callee, self.nested) = (true, true);
        } else if name == "library" {
            (self.callee, self.library) = (true, true);
        } else if name == "relaxed" {
            if self.relaxed.replace(name.clone()).is_some() {
                report.duplicate_argument(&name);
            }
        } else {
            report.routine_argument(&name);
            return skip(input);
        }
        if !["crate", "id", "originals", "sends", "replies", "forwards"]
            .iter()
            .any(|takes| name == takes)
            && input.peek(Token![=])
        {
            report.argument_value(&name);
            return skip(input);
        }
        Ok(())
    }
}

/// How many of something a handler may make of one message where it does not say.
fn default_number() -> LitInt {
    LitInt::new(&SENDS.to_string(), Span::call_site())
}

/// How many of something a handler may make of one message.
fn number(input: ParseStream<'_>, out_of_range: fn(&mut Report, LitInt), report: &mut Report) -> syn::Result<LitInt> {
    input.parse::<Token![=]>()?;
    let number: LitInt = input.parse()?;
    if !number
        .base10_parse()
        .is_ok_and(|number| (1..=1024u32).contains(&number))
    {
        out_of_range(report, number.clone());
    }
    Ok(LitInt::new(number.base10_digits(), number.span()))
}

/// Passes over what belongs to an argument that is wrong.
fn skip(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}
