//! Plain requests that only ask (for an answer, or to be let in), although they are sent like a change: the last part of
//! their address says so.

use super::ground::Ground;
use super::slice::Slice;
use super::words;
use crate::ir::*;
use crate::link::token::CompId;

/// What the last part of an address is called where a POST carries a question.
const ASKING: &[&str] = &[
    "completions",
    "count",
    "embed",
    "embedding",
    "embeddings",
    "infer",
    "login",
    "lookup",
    "msearch",
    "predict",
    "query",
    "rerank",
    "search",
    "signin",
    "similarity",
    "token",
    "tokenize",
];

/// Whether a plain request only asks.
pub(super) fn only_asks(ground: &Ground, (comp, call): (CompId, ExprId)) -> bool {
    let file = ground.file(comp);
    let Some(ExprKind::Call { args, .. }) = file.exprs.get(call.index()).map(|e| &e.kind) else { return false };
    let named = args.iter().find_map(|arg| match arg {
        Arg::Keyword(name, e) => (file.name(*name) == "url").then_some(*e),
        _ => None,
    });
    // `request("POST", url)`: the address stands behind the method.
    let is_method = |e: &ExprId| match &file.expr(*e).kind {
        ExprKind::Literal(Literal::Str(text)) => {
            matches!(file.name(*text).to_ascii_uppercase().as_str(), "POST" | "PATCH" | "PUT" | "GET" | "DELETE")
        }
        _ => false,
    };
    let mut given = args.iter().filter_map(|arg| if let Arg::Positional(e) = arg { Some(*e) } else { None });
    let url = named.or_else(|| given.find(|e| !is_method(e)));
    url.is_some_and(|url| is_question(ground, comp, url))
}

fn is_question(ground: &Ground, comp: CompId, url: ExprId) -> bool {
    Slice::of(ground, comp, url).nodes.iter().any(|node| {
        let expr = ground.file(node.comp).expr(node.expr);
        matches!(expr.kind, ExprKind::Literal(Literal::Str(_)) | ExprKind::Template(_))
            && asks(ground.text(node.comp, expr.span))
    })
}

/// Whether an address, as it is written, ends in a word for a question.
fn asks(text: &str) -> bool {
    let address = text.trim_matches(|c| matches!(c, '"' | '\'' | '`')).split(['?', '#']).next().unwrap_or_default();
    let Some((_, last)) = address.trim_end_matches('/').rsplit_once('/') else { return false };
    words::words(last).iter().any(|word| ASKING.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_an_address_says_whether_it_asks() {
        for asking in
            ["'https://a.example/v1/search'", "f\"{ROOT}/bi-encoder-embed\"", "`${root}/query/`", "'/v1/search?x=1'"]
        {
            assert!(asks(asking), "{asking}");
        }
        for changing in ["'https://a.example/search/jobs'", "'/v1/orders'", "'search'", "f\"{ROOT}/embed/{id}\""] {
            assert!(!asks(changing), "{changing}");
        }
    }
}
