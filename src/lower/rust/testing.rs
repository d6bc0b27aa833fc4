//! What is there for tests only: `#[cfg(test)]` items and `#[test]` functions, of whatever harness.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Item, Meta};

/// Whether attributes say that their item is for tests only.
pub(super) fn is_for_tests(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let path = attr.path();
        match &attr.meta {
            Meta::List(list) if path.is_ident("cfg") => asks_for_tests(list.tokens.clone()),
            // `#[test]`, `#[runtime::test]`.
            _ => path.segments.last().is_some_and(|last| last.ident == "test" || last.ident == "bench"),
        }
    })
}

/// The attributes of an item that may be for tests only.
pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(i) => &i.attrs,
        Item::Mod(i) => &i.attrs,
        Item::Impl(i) => &i.attrs,
        Item::Struct(i) => &i.attrs,
        Item::Enum(i) => &i.attrs,
        Item::Trait(i) => &i.attrs,
        Item::Const(i) => &i.attrs,
        Item::Static(i) => &i.attrs,
        _ => &[],
    }
}

/// `test`, alone or within `all` and `any`; what stands in `not` is for all but tests. `any(test, feature = "…")`
/// is by custom what tests of other crates need.
fn asks_for_tests(tokens: TokenStream) -> bool {
    let mut pending = vec![tokens];
    while let Some(tokens) = pending.pop() {
        let mut negated = false;
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(name) if name == "not" => negated = true,
                TokenTree::Ident(name) => {
                    let valued = matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '=');
                    if name == "test" && !valued {
                        return true;
                    }
                }
                TokenTree::Group(group) if !std::mem::take(&mut negated) => pending.push(group.stream()),
                _ => {}
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn what_is_for_tests_only() {
        let items: [Item; 6] = [
            parse_quote!(
                #[cfg(test)]
                mod a {}
            ),
            parse_quote!(
                #[cfg(all(test, unix))]
                fn b() {}
            ),
            parse_quote!(
                #[cfg(any(test, feature = "support"))]
                impl C {}
            ),
            parse_quote!(
                #[test]
                fn d() {}
            ),
            parse_quote!(
                #[some::test(flavor = "multi_thread")]
                async fn e() {}
            ),
            parse_quote!(
                #[bench]
                fn f() {}
            ),
        ];
        for item in &items {
            assert!(is_for_tests(attributes(item)));
        }
        let items: [Item; 5] = [
            parse_quote!(
                #[cfg(not(test))]
                mod a {}
            ),
            parse_quote!(
                #[cfg(all(unix, not(any(test, miri))))]
                fn b() {}
            ),
            parse_quote!(
                #[cfg(feature = "test")]
                fn c() {}
            ),
            parse_quote!(
                #[cfg(test = "x")]
                fn d() {}
            ),
            parse_quote!(
                #[tests::helper]
                fn e() {}
            ),
        ];
        for item in &items {
            assert!(!is_for_tests(attributes(item)));
        }
    }
}
