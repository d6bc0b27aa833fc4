//! Requests whose body is a question to a database (`SELECT …`): sent like a change, and none. What the body is often
//! comes down through parameters, so that the ways to the request decide.

use super::ground::Ground;
use super::map::Source;
use super::slice::{arguments, reaching};
use crate::chains::Chain;
use crate::chains::compose::Composer;
use crate::chains::part::Part;
use crate::ir::*;
use crate::link::component::Target;
use crate::link::token::CompId;

/// What else than `select` a question begins with.
const ASKING: [&str; 4] = ["DESCRIBE", "EXISTS", "EXPLAIN", "SHOW"];
/// What a statement that begins with `with` changes something by.
const CHANGING: [&str; 4] = ["insert", "update", "delete", "merge"];
/// Methods that give a text as it is.
const SAME: [&str; 12] = [
    "as_bytes",
    "as_ref",
    "as_str",
    "clone",
    "into",
    "into_bytes",
    "to_owned",
    "to_string",
    "to_vec",
    "trim",
    "trim_start",
    "into_string",
];
/// So far a text is followed.
const DEPTH: u32 = 24;

/// A way down: the calls, outermost first.
type Way = [(CompId, ExprId)];

/// Whether all ways to a chain's request give it a question for a body.
pub(super) fn only_asks(ground: &Ground, composer: &Composer, chain: &Chain) -> bool {
    let stands = |part: &Part| {
        let layers = part.layers.iter().filter(|l| l.counts.iter().any(|c| *c != crate::chains::Count::ONE));
        part.call.place == chain.call.place && layers.map(|l| l.layer.place).eq(chain.layers.iter().map(|l| l.place))
    };
    let entered = composer.entered.iter().map(|(_, part)| part);
    let mut parts = composer.parts.iter().flatten().chain(entered).filter(|part| stands(part)).peekable();
    parts.peek().is_some()
        && parts.all(|part| part.ways().is_some_and(|ways| ways.iter().all(|way| carries_question(ground, way))))
}

/// Whether the request at the end of a way has a question for a body.
fn carries_question(ground: &Ground, way: &Way) -> bool {
    let Some(&(comp, call)) = way.last() else { return false };
    bodies(ground.file(comp), call).into_iter().any(|e| asks(ground, way, way.len() - 1, e, 0) == Some(true))
}

/// What a request is given, in the call that sends it and in those that build it.
fn bodies(file: &File, call: ExprId) -> Vec<ExprId> {
    let mut list = Vec::new();
    let mut at = call;
    while let ExprKind::Call { callee, args, .. } = &file.expr(at).kind {
        list.extend(args.iter().map(|arg| arg.value()));
        let ExprKind::Attr { object, .. } = file.expr(*callee).kind else { break };
        at = object;
    }
    list
}

/// Whether a text, as it is on this way, is a question; none: it is not known.
fn asks(ground: &Ground, way: &Way, level: usize, e: ExprId, depth: u32) -> Option<bool> {
    let &(comp, _) = way.get(level)?;
    let file = ground.file(comp);
    let deeper = |e: ExprId| asks(ground, way, level, e, depth + 1);
    if depth > DEPTH {
        return None;
    }
    match &file.exprs.get(e.index())?.kind {
        ExprKind::Literal(Literal::Str(text)) => Some(is_question(file.name(*text))),
        ExprKind::Template(parts) => deeper(*parts.first()?),
        ExprKind::Await(e)
        | ExprKind::Propagate(e)
        | ExprKind::Typed(e, _)
        | ExprKind::Block { result: Some(e), .. } => deeper(*e),
        ExprKind::Conditional { then, otherwise, .. } => Some(deeper(*then)? && deeper(*otherwise)?),
        ExprKind::Call { args, kind: CallKind::Macro, .. } => deeper(args.first()?.value()),
        ExprKind::Call { callee, args, .. } => match file.expr(*callee).kind {
            ExprKind::Attr { object, name, .. } if SAME.contains(&file.name(name)) => deeper(object),
            // `String::from(text)`
            _ if args.len() == 1 && !enters(ground, comp, e) => deeper(args.first()?.value()),
            _ => None,
        },
        ExprKind::Var(var) => {
            let owner = file.var(*var).owner;
            if ground.view.func(comp).id != owner {
                // A variable of the function around, which is on the way as well.
                let outer = ground.view.solver.owner(comp, ground.view.func(comp).file, owner)?;
                let level = way.iter().take(level).rposition(|(c, _)| *c == outer)?;
                let defs = ground.map(outer).defs(*var).to_vec();
                return all(defs.iter().map(|def| given(ground, way, level, &def.source, depth)));
            }
            let defs = reaching(ground, comp, *var, e);
            all(defs.iter().map(|def| given(ground, way, level, &def.source, depth)))
        }
        _ => None,
    }
}

/// The same of what a variable was given.
fn given(ground: &Ground, way: &Way, level: usize, source: &Source, depth: u32) -> Option<bool> {
    match *source {
        Source::Whole(e) => asks(ground, way, level, e, depth + 1),
        Source::Param(index) => {
            let (comp, _) = way[level];
            let &(caller, site) = way.get(level.checked_sub(1)?)?;
            let found = arguments(ground, comp, caller, site, index);
            all(found.iter().map(|e| asks(ground, way, level - 1, *e, depth + 1)))
        }
        _ => None,
    }
}

/// Whether all say yes, and there are some.
fn all(mut answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let first = answers.next()??;
    answers.try_fold(first, |so_far, answer| Some(so_far && answer?))
}

fn enters(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    ground.view.calls(comp, e).iter().any(|r| matches!(r.target, Target::Comp(_)))
}

/// Whether a statement, as it is written, asks and changes nothing.
fn is_question(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
    let Some(first) = words.next() else { return false };
    let apart = |rest: &str| rest.starts_with(|c: char| c.is_whitespace() || c == '(');
    if !text.trim_start().strip_prefix(first).is_some_and(apart) {
        return false;
    }
    // In small letters the rarer ones are words of anybody's.
    let rare = ASKING.contains(&first);
    match first.to_lowercase().as_str() {
        "select" => true,
        "with" => {
            let rest: Vec<String> = words.map(str::to_lowercase).collect();
            let has = |list: &[&str]| rest.iter().any(|w| list.contains(&w.as_str()));
            has(&["select"]) && !has(&CHANGING)
        }
        _ => rare,
    }
}

#[cfg(test)]
mod tests {
    use super::is_question;

    #[test]
    fn the_first_word_of_a_statement_says_whether_it_asks() {
        for asking in ["SELECT 1", "\n   select a\nfrom t", "WITH x AS (SELECT 1) SELECT * FROM x", "EXISTS TABLE t"] {
            assert!(is_question(asking), "{asking}");
        }
        for other in [
            "INSERT INTO t SELECT 1",
            "selected",
            "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
            "",
            "show me",
            "show-me",
        ] {
            assert!(!is_question(other), "{other}");
        }
    }
}
