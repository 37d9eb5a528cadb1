//! What the shadow asks of operators. What they result in is told, too: where rustc finds no operator at all it says so, and takes the rest for granted.
//! Operands are handed on by value, although they are used up: the shadow's code is dead, and references cost rustc more.

use gpuvm_nodes::node::Operator;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Expr;

use super::{Ends, at, slot_at, standing_for, take};

/// The function that fills a slot with the meaning of an operator. `kind`: how the operator stands there.
pub fn operator_function(kind: &str, operator: Operator, span: Span) -> Ident {
    const NAMES: [&str; 10] = [
        "add", "sub", "mul", "div", "rem", "bit_and", "bit_or", "bit_xor", "shl", "shr",
    ];
    let name = match operator {
        Operator::Eq => "eq",
        Operator::Ne => "ne",
        Operator::Lt => "lt",
        Operator::Le => "le",
        Operator::Gt => "gt",
        Operator::Ge => "ge",
        Operator::Neg => "neg",
        Operator::Not => "not",
        Operator::Index | Operator::IndexMut => "index",
        arithmetic => NAMES[arithmetic as usize % Operator::AddAssign as usize % NAMES.len()],
    };
    Ident::new(&format!("{kind}_{name}"), span)
}

/// An operand as the shadow has it.
struct Operand {
    /// The variable that holds it, and what it holds; a local variable needs no other.
    held: Option<(Ident, TokenStream)>,
    /// As it stands in the user's expression.
    place: TokenStream,
    /// As it is handed to a function of gpuvm's.
    given: TokenStream,
}

impl Operand {
    /// Of a value, which goes into a tuple of one.
    fn of_value(expr: &Expr, variable: &str, is_local: bool, span: Span) -> Operand {
        if let Some(local) = Operand::of_local(expr, is_local, span) {
            return local;
        }
        let variable_here = Ident::new(variable, span);
        Operand {
            held: Some((variable_here.clone(), quote_spanned!(span=> (#expr,)))),
            place: Ends::of(expr).entry_of(variable),
            given: quote_spanned!(span=> #variable_here.0),
        }
    }

    /// Of what is referred to.
    fn of_reference(expr: &Expr, variable: &str, is_local: bool, span: Span) -> Operand {
        if let Some(mut local) = Operand::of_local(expr, is_local, span) {
            let name = local.given;
            local.given = quote_spanned!(span=> &#name);
            return local;
        }
        let variable = Ident::new(variable, span);
        Operand {
            held: Some((variable.clone(), quote_spanned!(span=> &(#expr)))),
            place: standing_for(quote!(*#variable), syn::spanned::Spanned::span(expr)),
            given: variable.into_token_stream(),
        }
    }

    fn of_local(expr: &Expr, is_local: bool, span: Span) -> Option<Operand> {
        let Expr::Path(path) = expr else { return None };
        let name = path.path.get_ident().filter(|_| is_local)?;
        let mut given = name.clone();
        given.set_span(name.span().located_at(span));
        Some(Operand {
            held: None,
            place: expr.to_token_stream(),
            given: given.into_token_stream(),
        })
    }
}

/// What is asked of operands, inside of what holds them.
fn held(operands: &[&Operand], asked: &TokenStream, span: Span) -> TokenStream {
    let held: Vec<&(Ident, TokenStream)> = operands.iter().filter_map(|operand| operand.held.as_ref()).collect();
    match held[..] {
        [] => asked.clone(),
        [(variable, value)] => quote_spanned!(span=> match #value { #variable => #asked }),
        _ => {
            let (variables, values): (Vec<_>, Vec<_>) = held.into_iter().map(|(a, b)| (a, b)).unzip();
            quote_spanned!(span=> match (#(#values),*) { (#(#variables),*) => #asked })
        }
    }
}

/// Fills a slot with the meaning of a binary operator.
///
/// `with_forms`: whether a comparison of a value with a reference to one has to be told from one of two values. `are_locals`: of each operand, whether it is the
/// name of a local variable.
pub fn binary(expr: &mut Expr, operator: Operator, with_forms: bool, are_locals: [bool; 2], number: u64) {
    let ends = Ends::of(expr);
    let Expr::Binary(node) = take(expr) else {
        return;
    };
    let span = at(&node.op);
    let slot = slot_at(number, span);
    let compares = (Operator::Eq as u8..=Operator::Ge as u8).contains(&(operator as u8));
    let kind = match compares {
        true if with_forms => "compare_forms",
        true => "compare",
        false => "binary",
    };
    // A comparison takes references to its operands, which may be slices.
    let operand = |operand: &Expr, name, is_local| match compares {
        true => Operand::of_reference(operand, name, is_local, span),
        false => Operand::of_value(operand, name, is_local, span),
    };
    let left = operand(&node.left, "__a", are_locals[0]);
    let right = operand(&node.right, "__b", are_locals[1]);
    let function = operator_function(kind, operator, span);
    let (a, op, b) = (&left.place, &node.op, &right.place);
    let (given_a, given_b) = (&left.given, &right.given);
    // The right operand stands where it stands in the user's code, so that rustc asks for the operator before it asks what is in the operand, as it does there.
    if !compares && right.held.is_some() {
        let ends_of_right = Ends::of(&node.right);
        let value = &node.right;
        // In a tuple, where parentheses are no matter.
        let value = ends_of_right.entry(quote_spanned!(span=> #value,));
        let right = ends_of_right.entry(quote_spanned!(span=> ::gpuvm::__private::known_as(#value, &__r),));
        let asked = quote_spanned! {span=>
            match ::core::marker::PhantomData {
                __r => match (#a #op #right,) {
                    __v => { ::gpuvm::__private::#function(#given_a, ::gpuvm::__private::any_of(&__r), __v, #slot); __v }
                }
            }
        };
        *expr = Expr::Verbatim(ends.entry(held(&[&left], &asked, span)));
        return;
    }
    let asked = quote_spanned! {span=>
        match (#a #op #b,) { __v => { ::gpuvm::__private::#function(#given_a, #given_b, __v, #slot); __v } }
    };
    *expr = Expr::Verbatim(ends.entry(held(&[&left, &right], &asked, span)));
}

/// Fills a slot with the meaning of an assigning operator. `is_local`: as of [`binary`], of what is on the right.
pub fn assign_operator(expr: &mut Expr, operator: Operator, is_local: bool, number: u64) {
    let Expr::Binary(node) = take(expr) else {
        return;
    };
    let span = at(&node.op);
    let slot = slot_at(number, span);
    let right = Operand::of_value(&node.right, "__b", is_local, span);
    let function = operator_function("assign", operator, span);
    let (left, op) = (&node.left, &node.op);
    let (b, given) = (&right.place, &right.given);
    let asked = quote_spanned! {span=>
        match (#left #op #b,) { __v => ::gpuvm::__private::#function(&#left, #given, __v, #slot) }
    };
    let asked = held(&[&right], &asked, span);
    *expr = Expr::Verbatim(quote_spanned!(span=> (#asked)));
}

/// Fills a slot with the meaning of a unary operator. `is_local`: as of [`binary`].
pub fn unary(expr: &mut Expr, operator: Operator, is_local: bool, number: u64) {
    let ends = Ends::of(expr);
    let Expr::Unary(node) = take(expr) else {
        return;
    };
    let span = at(&node.op);
    let slot = slot_at(number, span);
    let operand = Operand::of_value(&node.expr, "__a", is_local, span);
    let function = operator_function("unary", operator, span);
    let (op, a, given) = (&node.op, &operand.place, &operand.given);
    let asked = quote_spanned! {span=>
        match (#op #a,) { __v => { ::gpuvm::__private::#function(#given, __v, #slot); __v } }
    };
    *expr = Expr::Verbatim(ends.entry(held(&[&operand], &asked, span)));
}
