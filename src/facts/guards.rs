//! Whether a step is done once: its result is looked up before and stored after, its work is claimed, or an engine
//! keeps its result.

use super::ground::{Deeds, Ground};
use super::map::{Role, leaves};
use super::slice::Slice;
use super::words;
use crate::ir::*;
use crate::link::component::{CallRecord, Target};
use crate::link::token::CompId;

/// What stands before a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Guard {
    /// Nothing.
    None,
    /// A stored result is looked up; where the test is, and whether it stands for all that follows.
    Lookup(Span),
    /// The work is claimed: once is enough.
    Claim,
}

/// What guards a call in its own function.
pub fn guard_of(ground: &Ground, comp: CompId, call: ExprId) -> Guard {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let mut best = Guard::None;
    let mut note = |guard: Guard| best = best.max(guard);
    // Inside expressions: `hit or step()`, `hit ?? step()`, `step() if fresh else hit`.
    let mut at = call;
    while let Some(parent) = map.parent(at) {
        let before = match &file.expr(parent).kind {
            ExprKind::Or(a, b) | ExprKind::Coalesce(a, b) | ExprKind::And(a, b) if *b == at => Some(*a),
            ExprKind::Conditional { test, .. } if *test != at => Some(*test),
            _ => None,
        };
        if let Some(test) = before {
            note(tests(ground, comp, test));
        }
        at = parent;
    }
    let Some(mut stmt) = map.stmt_of(call) else { return best };
    for _ in 0..64 {
        if let Some(here) = map.at(stmt) {
            for &earlier in file.block(here.block).iter().take(here.index as usize) {
                note(skips(ground, comp, earlier));
            }
        }
        let Some((parent, role)) = map.around(stmt).next() else { break };
        match (file.stmt(parent), role) {
            (Stmt::If { test, .. }, Role::Then | Role::Otherwise) => note(tests(ground, comp, *test)),
            (Stmt::Match { subject, .. }, Role::Arm(_)) => note(tests(ground, comp, *subject)),
            // What failed is done another way: `except KeyError` of a look-up.
            (Stmt::Try { body, .. }, Role::Handler(_)) => {
                for &s in file.block(*body) {
                    if let Stmt::Return(Some(e)) | Stmt::Assign { value: Some(e), .. } = file.stmt(s) {
                        note(tests(ground, comp, *e));
                    }
                }
            }
            _ => {}
        }
        stmt = parent;
    }
    best
}

/// Whether an earlier statement skips the rest where a result is stored already.
fn skips(ground: &Ground, comp: CompId, stmt: StmtId) -> Guard {
    let file = ground.file(comp);
    let returns = |block: BlockId| {
        let last = file.block(block).last().map(|s| file.stmt(*s));
        leaves(file, block) && !matches!(last, Some(Stmt::Raise { .. } | Stmt::Break(..)))
    };
    match file.stmt(stmt) {
        Stmt::If { test, then, otherwise } => {
            let leaves = returns(*then) || otherwise.is_some_and(returns);
            if leaves { tests(ground, comp, *test) } else { Guard::None }
        }
        Stmt::Match { subject, arms, .. } => {
            if arms.iter().any(|arm| returns(arm.body)) {
                tests(ground, comp, *subject)
            } else {
                Guard::None
            }
        }
        // `let hit = match … { Some(hit) => return hit, … }`
        Stmt::Assign { value: Some(e), .. } | Stmt::Expr(e) => {
            let ExprKind::Block { block, .. } = file.expr(*e).kind else { return Guard::None };
            file.block(block)
                .iter()
                .map(|s| match file.stmt(*s) {
                    Stmt::Match { .. } | Stmt::If { .. } => skips(ground, comp, *s),
                    _ => Guard::None,
                })
                .max()
                .unwrap_or(Guard::None)
        }
        Stmt::Try { body, .. } => {
            let hit = file.block(*body).iter().find_map(|s| match file.stmt(*s) {
                Stmt::Return(Some(e)) => Some(*e),
                _ => None,
            });
            hit.map_or(Guard::None, |e| tests(ground, comp, e))
        }
        _ => Guard::None,
    }
}

/// What a test asks: a store, or for a claim.
fn tests(ground: &Ground, comp: CompId, test: ExprId) -> Guard {
    let slice = Slice::of(ground, comp, test);
    let span = ground.file(comp).expr(test).span;
    let mut guard = Guard::None;
    for node in &slice.nodes {
        if !matches!(ground.file(node.comp).expr(node.expr).kind, ExprKind::Call { .. }) {
            continue;
        }
        let deeds = ground.deeds_at(node.comp, node.expr);
        if deeds.any(Deeds::SENDS) {
            continue;
        }
        let callee = ground.callee_text(node.comp, node.expr);
        // A write whose answer is tested says who was first; so does what is named for it.
        if words::is_claim(callee) || (deeds.any(Deeds::WRITES) && !deeds.any(Deeds::READS)) {
            guard = guard.max(Guard::Claim);
        } else if deeds.any(Deeds::READS) {
            guard = guard.max(Guard::Lookup(span));
        }
    }
    guard
}

/// Whether something is stored in a component's function between two positions.
pub fn stores_between(ground: &Ground, comp: CompId, from: u32, to: u32) -> bool {
    let file = ground.file(comp);
    ground.calls_in(comp).iter().any(|&e| {
        let span = file.expr(e).span;
        span.end > from && span.start < to && ground.deeds_at(comp, e).any(Deeds::WRITES)
    })
}

/// Functions are looked into so far.
const DEPTH: usize = 32;

/// Whether all that a function writes is there once however often it runs: it looks first whether it is there, or says
/// so by its name.
pub fn writes_once(ground: &Ground, comp: CompId) -> bool {
    writes_once_within(ground, comp, 0)
}

fn writes_once_within(ground: &Ground, comp: CompId, depth: usize) -> bool {
    if depth > DEPTH {
        return false;
    }
    let func = ground.view.func(comp);
    if let Some(&known) = ground.once.borrow().get(&func) {
        return known;
    }
    // What it calls of itself again adds nothing.
    ground.once.borrow_mut().insert(func, true);
    let name = ground.view.name(comp);
    let once = says_once(name.rsplit('.').next().unwrap_or(&name))
        || ground.calls_in(comp).iter().all(|&e| {
            let records = ground.view.calls(comp, e);
            let writes = |r: &&CallRecord| ground.deeds(comp, r).any(Deeds::WRITE);
            let mut writing = records.iter().filter(writes).peekable();
            writing.peek().is_none()
                || adds_the_missing(ground, comp, e)
                || writing.all(|r| matches!(r.target, Target::Comp(t) if writes_once_within(ground, t, depth + 1)))
        });
    ground.once.borrow_mut().insert(func, once);
    once
}

/// Whether a call is made only where a look-up found nothing, or the work was claimed: not where something else had to be
/// there.
fn adds_the_missing(ground: &Ground, comp: CompId, call: ExprId) -> bool {
    if guard_of(ground, comp, call) == Guard::Claim {
        return true;
    }
    let (file, map) = (ground.file(comp), ground.map(comp));
    let missing = |test: ExprId, negative: bool| {
        super::layers::negated(file, test) == negative && tests(ground, comp, test) != Guard::None
    };
    let Some(mut stmt) = map.stmt_of(call) else { return false };
    for _ in 0..64 {
        if let Some(here) = map.at(stmt) {
            let found = file.block(here.block).iter().take(here.index as usize).any(|s| match file.stmt(*s) {
                Stmt::If { test, then, .. } => leaves(file, *then) && missing(*test, false),
                _ => false,
            });
            if found {
                return true;
            }
        }
        let Some((parent, role)) = map.around(stmt).next() else { break };
        if let Stmt::If { test, .. } = file.stmt(parent)
            && matches!(role, Role::Then | Role::Otherwise)
            && missing(*test, role == Role::Then)
        {
            return true;
        }
        stmt = parent;
    }
    false
}

/// `get_or_create`, `upsert_rows`, `ensureBucket`, `add_if_missing`
fn says_once(name: &str) -> bool {
    let list = words::words(name);
    let has = |options: &[&str]| list.iter().any(|w| options.contains(&w.as_str()));
    has(&["upsert", "ensure"])
        || (has(&["or"]) && has(&["create", "add", "insert", "make"]))
        || (has(&["if"]) && has(&["not", "missing", "absent", "needed", "new"]))
}

#[cfg(test)]
mod tests {
    use super::says_once;

    #[test]
    fn names_that_promise_once() {
        for name in ["get_or_create_root", "upsertRows", "ensure_bucket", "add_user_if_not_exists", "addIfMissing"] {
            assert!(says_once(name), "{name}");
        }
        for name in ["create_order", "insert_rows", "notify", "note_if_paid"] {
            assert!(!says_once(name), "{name}");
        }
    }
}
