//! Loops that go over what is kept elsewhere, a page or a row a turn: `rows = list(after)`, nothing left: out. Whatever
//! becomes of one turn's rows, the next turn has others.

use super::compose::Composer;
use crate::ir::*;
use crate::layers::relevant::{bound_vars, children};
use crate::layers::unit::OwnLayer;
use crate::link::token::*;
use crate::source::FileId;
use rustc_hash::FxHashSet;

/// Words of calls after which rows are no longer among those that are asked for.
const DONE_WITH: [&str; 14] = [
    "ack", "archive", "claim", "close", "complete", "delete", "destroy", "finish", "mark", "move", "release", "remove",
    "save", "update",
];

impl Composer<'_, '_, '_> {
    /// Whether every layer of a unit is a loop that has other rows each turn.
    pub(super) fn has_other_rows(&self, comp: CompId, unit: &FxHashSet<CompId>, layers: &[OwnLayer]) -> bool {
        layers.iter().all(|layer| {
            !layer.in_a_row
                && unit.iter().copied().chain([comp]).any(|c| {
                    let file = self.view.file(c);
                    layer.place.file == FileId(self.view.func(c).file)
                        && self.inside(c).0.into_iter().any(|stmt| match file.stmt(stmt) {
                            Stmt::Loop { header, .. } if *header == layer.place.span => self.goes_over_rows(c, stmt),
                            _ => false,
                        })
                })
        })
    }

    fn goes_over_rows(&self, comp: CompId, stmt: StmtId) -> bool {
        let file = self.view.file(comp);
        let Stmt::Loop { before, body, update, after, .. } = file.stmt(stmt) else { return false };
        let turn = Turn { file, body: *body, update: *update, tests: [*before, *after] };
        let stmts = turn.stmts();
        // Where the first call stands that fails.
        let leads = |s: &StmtId| {
            let span = file.stmt_spans.get(s.index()).copied().unwrap_or_default();
            self.view.all_calls(comp).iter().any(|r| {
                use crate::link::component::Target;
                let reaches = match r.target {
                    Target::Comp(target) => self.reaching[target.0 as usize],
                    Target::External(_) => self.outbound(r.callee).is_some(),
                    Target::Unresolved => false,
                };
                let at = file.exprs.get(r.expr.index()).map(|e| e.span).unwrap_or_default();
                reaches && span.start <= at.start && at.end <= span.end
            })
        };
        stmts.iter().enumerate().any(|(i, s)| {
            let Some((rows, asked)) = turn.asks(*s) else { return false };
            let rest = &stmts[i + 1..];
            let sent = rest.iter().position(leads).unwrap_or(rest.len());
            let before = &rest[..sent];
            turn.ends_without(&rows, before) && (turn.moves_on(&asked, before) || turn.is_done_with(&rows, before))
        })
    }
}

/// What a turn of a loop does.
struct Turn<'f> {
    file: &'f File,
    body: BlockId,
    update: Option<BlockId>,
    tests: [Option<ExprId>; 2],
}

impl Turn<'_> {
    /// The statements of a turn, with those of a branch whose other one leaves the loop.
    fn stmts(&self) -> Vec<StmtId> {
        let mut found = Vec::new();
        let mut pending: Vec<StmtId> = self.file.block(self.body).iter().rev().copied().collect();
        while let Some(stmt) = pending.pop() {
            found.push(stmt);
            if let Stmt::If { then, otherwise: Some(otherwise), .. } = self.file.stmt(stmt) {
                let stays = match (self.leaves(*then), self.leaves(*otherwise)) {
                    (true, false) => *otherwise,
                    (false, true) => *then,
                    _ => continue,
                };
                pending.extend(self.file.block(stays).iter().rev());
            }
        }
        found
    }

    /// What a statement asks a call for: the variables that hold the answer, and those that say what is asked for.
    fn asks(&self, stmt: StmtId) -> Option<(Vec<VarId>, FxHashSet<VarId>)> {
        let Stmt::Assign { targets, value: Some(value), op: None, .. } = self.file.stmt(stmt) else { return None };
        let ExprKind::Call { args, .. } = &self.file.expr(waited_for(self.file, *value)).kind else { return None };
        let mut rows = Vec::new();
        targets.iter().for_each(|target| bound_vars(self.file, *target, &mut rows));
        let asked = args.iter().flat_map(|arg| mentioned(self.file, arg.value())).collect();
        Some((rows, asked))
    }

    /// Whether the loop is left where there are no rows.
    fn ends_without(&self, rows: &[VarId], before: &[StmtId]) -> bool {
        let asks = |test: ExprId| mentioned(self.file, test).iter().any(|v| rows.contains(v));
        self.tests.iter().flatten().any(|test| asks(*test))
            || before.iter().any(|s| match self.file.stmt(*s) {
                Stmt::If { test, then, otherwise } => {
                    asks(*test) && (self.leaves(*then) || otherwise.is_some_and(|block| self.leaves(block)))
                }
                _ => false,
            })
    }

    fn leaves(&self, block: BlockId) -> bool {
        self.file
            .block(block)
            .iter()
            .any(|s| matches!(self.file.stmt(*s), Stmt::Break(..) | Stmt::Return(_) | Stmt::Raise { .. }))
    }

    /// Whether what is asked for is another thing each turn, whatever becomes of the turn.
    fn moves_on(&self, asked: &FxHashSet<VarId>, before: &[StmtId]) -> bool {
        let stmts = self.stmts();
        let mut moved: FxHashSet<VarId> = FxHashSet::default();
        // Where a turn may be cut short, what stands further down may be skipped.
        let skipped = self.may_go_on(self.body);
        for &s in &stmts {
            if !skipped || before.contains(&s) {
                moved.extend(self.changed_by(s));
            }
        }
        if let Some(update) = self.update {
            moved.extend(self.file.block(update).iter().flat_map(|s| self.changed_by(*s)));
        }
        moved.retain(|var| self.comes_from_outside(*var));
        for &s in &stmts {
            if let Stmt::Assign { targets, value: Some(value), .. } = self.file.stmt(s)
                && !matches!(self.file.expr(waited_for(self.file, *value)).kind, ExprKind::Call { .. })
                && mentioned(self.file, *value).iter().any(|v| moved.contains(v))
            {
                let mut bound = Vec::new();
                targets.iter().for_each(|target| bound_vars(self.file, *target, &mut bound));
                moved.extend(bound);
            }
        }
        asked.iter().any(|var| moved.contains(var))
    }

    /// Variables that a statement itself gives another value.
    fn changed_by(&self, stmt: StmtId) -> Vec<VarId> {
        let mut changed = Vec::new();
        match self.file.stmt(stmt) {
            Stmt::Assign { targets, .. } => targets.iter().for_each(|t| bound_vars(self.file, *t, &mut changed)),
            Stmt::Expr(e) => match self.file.expr(*e).kind {
                ExprKind::Assign { target, .. } | ExprKind::Increment { target, .. } => {
                    bound_vars(self.file, target, &mut changed);
                }
                _ => {}
            },
            _ => {}
        }
        changed
    }

    /// Whether a variable has a value before the loop.
    fn comes_from_outside(&self, var: VarId) -> bool {
        let span = self.span();
        let inside = |s: &Span| span.start <= s.start && s.end <= span.end;
        let is_param = self.file.function(self.file.var(var).owner).params.iter().any(|p| {
            let mut bound = Vec::new();
            bound_vars(self.file, p.pattern, &mut bound);
            bound.contains(&var)
        });
        let by_stmt = self.file.stmts.iter().zip(&self.file.stmt_spans).any(|(stmt, at)| match stmt {
            Stmt::Assign { targets, .. } if !inside(at) => targets.iter().any(|t| {
                let mut bound = Vec::new();
                bound_vars(self.file, *t, &mut bound);
                bound.contains(&var)
            }),
            _ => false,
        });
        is_param || by_stmt
    }

    fn span(&self) -> Span {
        let stmts = self.file.block(self.body).iter().filter_map(|s| self.file.stmt_spans.get(s.index()).copied());
        stmts.reduce(|a, b| Span { start: a.start.min(b.start), end: a.end.max(b.end) }).unwrap_or_default()
    }

    /// Whether a block may go on to the next turn before its end.
    fn may_go_on(&self, block: BlockId) -> bool {
        let mut stmts: Vec<StmtId> = self.file.block(block).to_vec();
        while let Some(stmt) = stmts.pop() {
            match self.file.stmt(stmt) {
                Stmt::Continue(_) => return true,
                // Those of other loops are their own.
                Stmt::Loop { .. } | Stmt::ForEach { .. } => {}
                _ => super::in_place::parts_of_stmt(self.file, stmt, &mut stmts, &mut Vec::new()),
            }
        }
        false
    }

    /// Whether the rows are no longer among those that are asked for before anything is sent.
    fn is_done_with(&self, rows: &[VarId], before: &[StmtId]) -> bool {
        before.iter().any(|s| {
            let (Stmt::Expr(e) | Stmt::Assign { value: Some(e), .. }) = self.file.stmt(*s) else { return false };
            let ExprKind::Call { callee, args, .. } = &self.file.expr(waited_for(self.file, *e)).kind else {
                return false;
            };
            let (ExprKind::Attr { name, .. } | ExprKind::Free(name)) = self.file.expr(*callee).kind else {
                return false;
            };
            let words = crate::facts::words::words(self.file.name(name));
            words.iter().any(|w| DONE_WITH.contains(&w.as_str()))
                && args.iter().any(|arg| mentioned(self.file, arg.value()).iter().any(|v| rows.contains(v)))
        })
    }
}

/// What an expression waits for.
fn waited_for(file: &File, e: ExprId) -> ExprId {
    let mut at = e;
    while let ExprKind::Await(inner) | ExprKind::Propagate(inner) | ExprKind::Typed(inner, _) = file.expr(at).kind {
        at = inner;
    }
    at
}

/// The variables that an expression mentions.
fn mentioned(file: &File, e: ExprId) -> Vec<VarId> {
    let (mut found, mut pending) = (Vec::new(), vec![e]);
    while let Some(e) = pending.pop() {
        match file.expr(e).kind {
            ExprKind::Var(var) => found.push(var),
            ExprKind::Closure(_) => {
                let span = file.expr(e).span;
                let inside = file.exprs.iter().filter(|i| span.start <= i.span.start && i.span.end <= span.end);
                found.extend(inside.filter_map(|i| if let ExprKind::Var(v) = i.kind { Some(v) } else { None }));
            }
            _ => children(file, e, &mut pending),
        }
    }
    found
}
