//! Methods that ask more of their block's type parameters than the block does: `impl<T> Stack<T> { fn sum(&self) -> T where T: Add<Output = T> }`. They mean what they
//! mean in a block of their own that asks it, and there it is known where routines look for it.

use quote::ToTokens;
use syn::{GenericParam, ImplItem, ImplItemFn, ItemImpl, WherePredicate};

use crate::given::mentions;

/// A block without these methods, and blocks of them; `None` where there are none.
pub fn apart(block: &ItemImpl) -> Option<Vec<ItemImpl>> {
    if block.trait_.is_some() {
        return None;
    }
    let mut rest = block.clone();
    let mut others: Vec<ItemImpl> = Vec::new();
    rest.items.retain_mut(|item| {
        let ImplItem::Fn(method) = item else { return true };
        let asked = take_asked(block, method);
        if asked.is_empty() {
            return true;
        }
        let mut other = ItemImpl {
            items: vec![item.clone()],
            ..block.clone()
        };
        other.generics.make_where_clause().predicates.extend(asked);
        let clause = |block: &ItemImpl| block.generics.where_clause.to_token_stream().to_string();
        match others.iter_mut().find(|known| clause(known) == clause(&other)) {
            Some(known) => known.items.append(&mut other.items),
            None => others.push(other),
        }
        false
    });
    (!others.is_empty()).then(|| std::iter::once(rest).chain(others).collect())
}

/// Takes out of a method's `where` clause what it asks of the block's type parameters alone.
fn take_asked(block: &ItemImpl, method: &mut ImplItemFn) -> Vec<WherePredicate> {
    let generics = &mut method.sig.generics;
    let own = generics.params.iter().map(|param| match param {
        GenericParam::Type(param) => &param.ident,
        GenericParam::Const(param) => &param.ident,
        GenericParam::Lifetime(param) => &param.lifetime.ident,
    });
    let own: Vec<_> = own.cloned().collect();
    let Some(clause) = &mut generics.where_clause else {
        return Vec::new();
    };
    let is_asked = |predicate: &WherePredicate| {
        let WherePredicate::Type(of) = predicate else {
            return false;
        };
        block
            .generics
            .type_params()
            .any(|param| mentions(&of.bounded_ty, &param.ident))
            && !own.iter().any(|name| mentions(predicate, name))
    };
    let (asked, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut clause.predicates).into_iter().partition(is_asked);
    clause.predicates = kept.into_iter().collect();
    if clause.predicates.is_empty() {
        generics.where_clause = None;
    }
    asked
}

#[cfg(test)]
mod tests {
    use syn::Item;

    use super::*;

    fn split(block: &str) -> Vec<String> {
        let Ok(Item::Impl(block)) = syn::parse_str(block) else {
            panic!("{block}")
        };
        let blocks = apart(&block).unwrap_or_default();
        blocks.iter().map(|block| block.to_token_stream().to_string()).collect()
    }

    #[test]
    fn what_asks_more_is_in_a_block_of_its_own() {
        let text = |block: &str| syn::parse_str::<ItemImpl>(block).map(|block| block.to_token_stream().to_string());
        let blocks = split(
            "impl<T> V<T> where T: Copy { const N: u32 = 1; fn a(&self) where T: Add {} fn b(&self) {} fn c<Z>(&self) where T: As<Z>, Z: Copy {} fn d(&self) where T: Add {} }",
        );
        let expected = [
            "impl<T> V<T> where T: Copy { const N: u32 = 1; fn b(&self) {} fn c<Z>(&self) where T: As<Z>, Z: Copy {} }",
            "impl<T> V<T> where T: Copy, T: Add { fn a(&self) {} fn d(&self) {} }",
        ];
        assert_eq!(blocks, expected.map(|block| text(block).unwrap_or_default()));
        assert!(
            split("impl<T> V<T> { fn a<U>(&self, u: U) where U: Copy {} fn b(&self) where Self: Copy {} }").is_empty()
        );
    }
}
