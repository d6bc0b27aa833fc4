//! Variables that are still read: what the others hold makes no difference, so paths that differ in nothing else
//! are one path.

use super::machine::Machine;
use super::relevant::children;
use super::state::State;
use crate::ir::*;
use crate::link::token::FuncRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// In loops nested deeper, every variable counts as read: each level is looked at twice.
const LOOPS: u32 = 5;
/// Blocks nested deeper are not looked into.
const DEEPEST: u32 = 150;

type Vars = FxHashSet<VarId>;

/// Which variables are read later, at the places of a function where paths come together.
#[derive(Debug, Default)]
pub struct Live {
    /// After a statement that holds blocks.
    after: FxHashMap<StmtId, Vars>,
    /// At the end of a loop's turn, by its body.
    turn: FxHashMap<BlockId, Vars>,
    /// The receiver, which is asked for by other ways as well.
    receiver: Option<VarId>,
}

impl Machine<'_, '_, '_> {
    /// Forgets what nothing reads after a statement.
    pub(super) fn forget_after(&self, states: &mut [State], stmt: StmtId) {
        let Some(first) = states.first() else { return };
        // What the turns of a loop said about its bounds is of use for its turns.
        let is_loop = matches!(self.ir(first).stmt(stmt), Stmt::Loop { .. } | Stmt::ForEach { .. });
        self.forget(states, is_loop, |live| live.after.get(&stmt));
    }

    /// Forgets what nothing reads in the turns of a loop to come, nor after it.
    pub(super) fn forget_after_turn(&self, states: &mut [State], body: BlockId) {
        self.forget(states, false, |live| live.turn.get(&body));
    }

    fn forget(&self, states: &mut [State], leaves: bool, at: impl Fn(&Live) -> Option<&Vars>) {
        let Some(first) = states.first() else { return };
        let func = self.view.func(self.comp(first));
        let known = self.live.borrow().get(&func).cloned();
        let live = known.unwrap_or_else(|| {
            let made = Rc::new(Live::of(self.view.file(self.comp(first)), func.id));
            self.live.borrow_mut().insert(func, made.clone());
            made
        });
        let Some(read) = at(&live) else { return };
        for state in states {
            let file = self.view.file(self.comp(state));
            let is_dead =
                |var: &VarId| !read.contains(var) && live.receiver != Some(*var) && is_own(file, func.id, *var);
            let Some(top) = state.stack.last() else { continue };
            if self.view.func(top.comp) != func {
                continue;
            }
            if top.env.keys().any(is_dead) {
                state.env().retain(|var, _| !is_dead(var));
            }
            if let Some(top) = state.stack.last_mut()
                && !top.narrowed.is_empty()
            {
                top.narrowed.retain(|(root, _), _| !leaves && root.as_ref().is_none_or(|var| !is_dead(var)));
            }
        }
    }
}

/// Functions by what they read.
pub type LiveByFunction = FxHashMap<FuncRef, Rc<Live>>;

impl Live {
    fn of(file: &File, func: FunctionId) -> Self {
        let function = file.function(func);
        let mut live = Live::default();
        for param in function.params.iter().filter(|p| p.kind == ParamKind::Receiver) {
            if let Pattern::Bind(var) = file.pattern(param.pattern) {
                live.receiver = Some(*var);
            }
        }
        if function.is_generator || func == MODULE {
            // What it yields is worked out elsewhere; a module's variables are everybody's.
            return live;
        }
        let mut walk = Walk { file, live, always: Vec::new(), loops: 0, depth: 0, all: Vars::default() };
        walk.all = (0..file.vars.len() as u32).map(VarId).filter(|&var| is_own(file, func, var)).collect();
        walk.block(function.body, Vars::default());
        walk.live
    }
}

/// Whether no other function sees a variable.
fn is_own(file: &File, func: FunctionId, var: VarId) -> bool {
    let declared = file.var(var);
    declared.owner == func && !declared.captured
}

struct Walk<'f> {
    file: &'f File,
    live: Live,
    /// What is read where control may go from anywhere within the blocks around: handlers, loops' heads and ends.
    always: Vec<Vars>,
    loops: u32,
    depth: u32,
    /// All variables of the function.
    all: Vars,
}

impl Walk<'_> {
    /// What is read from the start of a block on, if `after` is read after it.
    fn block(&mut self, block: BlockId, after: Vars) -> Vars {
        let mut read = after;
        if self.depth > DEEPEST {
            return self.all.clone();
        }
        self.depth += 1;
        for &stmt in self.file.block(block).iter().rev() {
            read = self.stmt(stmt, read);
            for always in &self.always {
                read.extend(always);
            }
        }
        self.depth -= 1;
        read
    }

    fn opt_block(&mut self, block: Option<BlockId>, after: Vars) -> Vars {
        match block {
            Some(block) => self.block(block, after),
            None => after,
        }
    }

    fn stmt(&mut self, id: StmtId, mut after: Vars) -> Vars {
        for always in &self.always {
            after.extend(always);
        }
        let file = self.file;
        let stmt = file.stmt(id);
        if matches!(
            stmt,
            Stmt::If { .. }
                | Stmt::Match { .. }
                | Stmt::Try { .. }
                | Stmt::With { .. }
                | Stmt::Block(..)
                | Stmt::Loop { .. }
                | Stmt::ForEach { .. }
        ) {
            self.live.after.entry(id).or_default().extend(&after);
        }
        match stmt {
            Stmt::Assign { targets, value, op, .. } => {
                if op.is_none() && value.is_some() {
                    for &target in targets {
                        if let Pattern::Bind(var) = file.pattern(target) {
                            after.remove(var);
                        }
                    }
                }
                for &target in targets {
                    self.pattern(target, op.is_some(), &mut after);
                }
                self.exprs(*value, &mut after);
                after
            }
            Stmt::If { test, then, otherwise } => {
                let mut read = self.block(*then, after.clone());
                read.extend(self.opt_block(*otherwise, after));
                self.exprs(Some(*test), &mut read);
                read
            }
            Stmt::Match { subject, arms, .. } => {
                let mut read = after.clone();
                // From the last on: a case may go on into the next one.
                for arm in arms.iter().rev() {
                    let mut end = after.clone();
                    if arm.falls_through {
                        end.extend(&read);
                    }
                    read.extend(self.block(arm.body, end));
                    self.pattern(arm.pattern, false, &mut read);
                    self.exprs(arm.guard, &mut read);
                }
                self.exprs(Some(*subject), &mut read);
                read
            }
            Stmt::Try { body, handlers, otherwise, finally } => {
                self.guarded(*body, handlers, *otherwise, *finally, after)
            }
            Stmt::With { items, body, .. } => {
                let mut read = self.block(*body, after);
                for (e, pattern) in items {
                    if let Some(pattern) = pattern {
                        self.pattern(*pattern, false, &mut read);
                    }
                    self.exprs(Some(*e), &mut read);
                }
                read
            }
            Stmt::Block(block, _) => {
                // It may be left from anywhere within.
                self.always.push(after.clone());
                let read = self.block(*block, after);
                self.always.pop();
                read
            }
            Stmt::Loop { before, body, update, after: test, otherwise, .. } => {
                let end = self.end_of_loop(*otherwise, after);
                self.turns(*body, *update, &[*before, *test], None, end)
            }
            Stmt::ForEach { target, iter, body, otherwise, .. } => {
                let end = self.end_of_loop(*otherwise, after);
                let mut read = self.turns(*body, None, &[], Some(*target), end);
                self.exprs(Some(*iter), &mut read);
                read
            }
            other => {
                let mut read = after;
                match other {
                    Stmt::Expr(e) | Stmt::Assert(e) => self.exprs(Some(*e), &mut read),
                    Stmt::Return(e) | Stmt::Break(_, e) => self.exprs(*e, &mut read),
                    Stmt::Raise { error, cause } => {
                        self.exprs(*error, &mut read);
                        self.exprs(*cause, &mut read);
                    }
                    Stmt::Function { function, .. } => {
                        for decorator in &file.function(*function).decorators {
                            self.exprs(Some(*decorator), &mut read);
                        }
                        for param in &file.function(*function).params {
                            self.pattern(param.pattern, false, &mut read);
                        }
                    }
                    Stmt::Delete(patterns) => patterns.iter().for_each(|&p| self.pattern(p, true, &mut read)),
                    // Their bodies see what is around them.
                    Stmt::Class { .. } | Stmt::Export(_) => read.extend(&self.all),
                    _ => {}
                }
                read
            }
        }
    }

    /// What is read where a loop ends by itself or is left.
    fn end_of_loop(&mut self, otherwise: Option<BlockId>, after: Vars) -> Vars {
        let mut end = after.clone();
        end.extend(self.opt_block(otherwise, after));
        end
    }

    fn guarded(
        &mut self,
        body: BlockId,
        handlers: &[Handler],
        otherwise: Option<BlockId>,
        finally: Option<BlockId>,
        after: Vars,
    ) -> Vars {
        // What comes after may be left out: whoever raises goes on further out.
        let end = self.opt_block(finally, after);
        self.always.push(if finally.is_some() { end.clone() } else { Vars::default() });
        let mut caught = Vars::default();
        for handler in handlers {
            caught.extend(self.block(handler.body, end.clone()));
            if let Some(binding) = handler.binding {
                self.pattern(binding, false, &mut caught);
            }
            self.exprs(handler.types, &mut caught);
        }
        let good = self.opt_block(otherwise, end);
        self.always.push(caught.clone());
        let mut read = self.block(body, good);
        self.always.pop();
        self.always.pop();
        read.extend(caught);
        read
    }

    /// What is read from the head of a loop on.
    fn turns(
        &mut self,
        body: BlockId,
        update: Option<BlockId>,
        tests: &[Option<ExprId>],
        target: Option<PatId>,
        end: Vars,
    ) -> Vars {
        if self.loops >= LOOPS {
            return self.all.clone();
        }
        self.loops += 1;
        let mut head = end;
        // Once for what a turn reads, once more for what the turn after it reads.
        for _ in 0..2 {
            let mut read = head.clone();
            for &test in tests {
                self.exprs(test, &mut read);
            }
            read = self.opt_block(update, read);
            for &test in tests {
                self.exprs(test, &mut read);
            }
            read.extend(&head);
            self.live.turn.entry(body).or_default().extend(&read);
            self.always.push(read.clone());
            let mut start = self.block(body, read.clone());
            self.always.pop();
            if let Some(target) = target {
                self.pattern(target, false, &mut start);
            }
            head.extend(start);
            head.extend(read);
        }
        self.loops -= 1;
        head
    }

    /// Expressions in patterns, and what they bind if that counts as read.
    fn pattern(&mut self, pattern: PatId, reads: bool, read: &mut Vars) {
        let file = self.file;
        let mut stack = vec![pattern];
        while let Some(pattern) = stack.pop() {
            match file.pattern(pattern) {
                Pattern::Bind(var) => {
                    if reads {
                        read.insert(*var);
                    }
                }
                Pattern::As(inner, var) => {
                    if reads {
                        read.insert(*var);
                    }
                    stack.push(*inner);
                }
                Pattern::Attr { object, .. } => self.exprs(Some(*object), read),
                Pattern::Index { object, index } => {
                    self.exprs(Some(*object), read);
                    self.exprs(Some(*index), read);
                }
                Pattern::Deref(e) | Pattern::Value(e) => self.exprs(Some(*e), read),
                Pattern::Sequence(parts) | Pattern::Or(parts) => stack.extend(parts),
                Pattern::Rest(inner) => stack.extend(inner),
                Pattern::Object { entries, rest } => {
                    stack.extend(entries.iter().map(|entry| entry.1));
                    stack.extend(rest);
                }
                Pattern::Default(inner, e) => {
                    stack.push(*inner);
                    self.exprs(Some(*e), read);
                }
                Pattern::Variant { path, args, fields } => {
                    self.exprs(Some(*path), read);
                    stack.extend(args);
                    stack.extend(fields.iter().map(|field| field.1));
                }
                Pattern::Range { start, end, .. } => {
                    self.exprs(*start, read);
                    self.exprs(*end, read);
                }
                Pattern::Ignore | Pattern::Otherwise | Pattern::Unknown => {}
            }
        }
    }

    fn exprs(&mut self, e: Option<ExprId>, read: &mut Vars) {
        let file = self.file;
        let mut stack: Vec<ExprId> = e.into_iter().collect();
        let mut blocks = Vec::new();
        while let Some(e) = stack.pop() {
            match &file.expr(e).kind {
                ExprKind::Var(var) => {
                    read.insert(*var);
                }
                ExprKind::Block { block, .. } => blocks.push(*block),
                ExprKind::Class(_) => read.extend(&self.all),
                ExprKind::Matches { pattern, .. } => self.pattern(*pattern, false, read),
                ExprKind::Assign { target, .. } => self.pattern(*target, true, read),
                ExprKind::Comprehension { clauses, .. } => {
                    for clause in clauses {
                        self.pattern(clause.target, false, read);
                    }
                }
                _ => {}
            }
            children(file, e, &mut stack);
        }
        // Whatever else the expression reads may come after them.
        for block in blocks {
            let inner = self.block(block, read.clone());
            read.extend(inner);
        }
    }
}
