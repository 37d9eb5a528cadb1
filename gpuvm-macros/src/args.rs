//! The arguments of `#[routine(…)]`.

use syn::parse::{ParseStream, Parser};
use syn::{Ident, LitStr, Token};

use crate::report::Report;
use proc_macro2::TokenStream;

/// What stands in the parentheses.
#[derive(Default)]
pub struct Args {
    /// `id = "name"`
    pub id: Option<LitStr>,
    /// `callee`: the routine is called by others, never launched.
    pub callee: bool,
    /// `relaxed`: a launch of the routine trades exact floats for speed.
    pub relaxed: Option<Ident>,
}

impl Args {
    /// Parses the arguments; what is wrong goes into the report.
    pub fn parse(tokens: TokenStream, report: &mut Report) -> Args {
        let mut args = Args::default();
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

    fn one(&mut self, input: ParseStream<'_>, report: &mut Report) -> syn::Result<()> {
        let name: Ident = input.parse()?;
        if name == "id" {
            input.parse::<Token![=]>()?;
            let id: LitStr = input.parse()?;
            if id.value().trim().is_empty() {
                report.empty_id(&id);
            }
            if self.id.replace(id).is_some() {
                report.duplicate_argument(&name);
            }
        } else if name == "callee" {
            if std::mem::replace(&mut self.callee, true) {
                report.duplicate_argument(&name);
            }
        } else if name == "relaxed" {
            if self.relaxed.replace(name.clone()).is_some() {
                report.duplicate_argument(&name);
            }
        } else {
            report.routine_argument(&name);
            return skip(input);
        }
        if name != "id" && input.peek(Token![=]) {
            report.argument_value(&name);
            return skip(input);
        }
        Ok(())
    }
}

/// Passes over what belongs to an argument that is wrong.
fn skip(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}
