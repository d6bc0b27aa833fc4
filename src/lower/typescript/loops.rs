//! Loops and `switch`.

use super::kind::{Field, Kind};
use super::lowerer::Lower;
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// `for (init; test; update)`: the initialiser stands before the loop.
    pub fn for_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let tree = self.tree;
        let label = self.label.take();
        let span = self.span(n);
        let body_node = tree.field(n, Field::Body);
        self.scopes.enter();
        if let Some(init) = tree.field(n, Field::Initializer).filter(|&i| self.kind(i) != Kind::Token) {
            self.declare_statement(init);
            self.stmt(init, out);
        }
        let mut tests = tree.fields(n, Field::Condition);
        let test = tests.find(|&c| !matches!(self.kind(c), Kind::Token | Kind::Empty));
        let before = test.map(|test| self.expr(self.inner_expression(test)));
        let body = self.body(body_node);
        let update = tree.field(n, Field::Increment).map(|update| {
            let mut stmts = Vec::new();
            self.expression_statement(update, &mut stmts);
            self.b.block(stmts)
        });
        self.scopes.leave();
        let header = self.header(n, body_node);
        let stmt = Stmt::Loop { before, body, update, after: None, otherwise: None, label, result: None, header };
        out.push(self.b.stmt(stmt, span));
    }

    /// Some grammar versions wrap a header's expression into a statement.
    fn inner_expression(&self, n: Node) -> Node {
        match self.kind(n) {
            Kind::ExpressionStatement => self.tree.first(n).unwrap_or(n),
            _ => n,
        }
    }

    /// `for (x of xs)`, `for await (…)`, `for (k in object)`.
    pub fn for_in_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let tree = self.tree;
        let label = self.label.take();
        let span = self.span(n);
        let body_node = tree.field(n, Field::Body);
        let iter = match tree.field(n, Field::Right) {
            Some(right) => self.expr(right),
            None => self.unknown(Vec::new(), span),
        };
        self.scopes.enter();
        let target = match tree.field(n, Field::Left) {
            Some(left) => {
                if tree.field(n, Field::Kind).is_some_and(|kind| tree.text(kind) != "var") {
                    self.declare_pattern(left);
                }
                self.pattern(left)
            }
            None => self.b.pattern(Pattern::Unknown),
        };
        let body = self.body(body_node);
        self.scopes.leave();
        let header = self.header(n, body_node);
        let over_keys = tree.field(n, Field::Operator).is_some_and(|operator| tree.text(operator) == "in");
        let is_async = tree.has(n, "await");
        let stmt = Stmt::ForEach { target, iter, body, otherwise: None, is_async, over_keys, label, header };
        out.push(self.b.stmt(stmt, span));
    }

    /// `while` and `do … while`.
    pub fn while_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let label = self.label.take();
        let span = self.span(n);
        let body_node = self.tree.field(n, Field::Body);
        let is_do = self.kind(n) == Kind::Do;
        let (mut before, mut after) = (None, None);
        if !is_do {
            before = Some(self.condition(n));
        }
        let body = self.body(body_node);
        if is_do {
            after = Some(self.condition(n));
        }
        let header = self.header(n, body_node);
        let stmt = Stmt::Loop { before, body, update: None, after, otherwise: None, label, result: None, header };
        out.push(self.b.stmt(stmt, span));
    }

    /// `switch`
    pub fn switch_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let tree = self.tree;
        let label = self.label.take();
        let span = self.span(n);
        let subject = match tree.field(n, Field::Value) {
            Some(value) => self.expr(value),
            None => self.unknown(Vec::new(), span),
        };
        let cases: Vec<Node> = tree.field(n, Field::Body).map_or(Vec::new(), |body| tree.named(body).collect());
        self.scopes.enter();
        for &case in &cases {
            for stmt in tree.fields(case, Field::Body) {
                self.declare_statement(stmt);
            }
        }
        let mut arms: Vec<Arm> = cases.into_iter().map(|case| self.arm(case)).collect();
        self.scopes.leave();
        if let Some(last) = arms.last_mut() {
            last.falls_through = false;
        }
        let stmt = self.b.stmt(Stmt::Match { subject, arms, is_switch: true }, span);
        match label {
            Some(label) => {
                let block = self.b.block(vec![stmt]);
                out.push(self.b.stmt(Stmt::Block(block, Some(label)), span));
            }
            None => out.push(stmt),
        }
    }

    fn arm(&mut self, case: Node) -> Arm {
        let pattern = match self.tree.field(case, Field::Value) {
            Some(value) => Pattern::Value(self.expr(value)),
            None => Pattern::Otherwise,
        };
        let pattern = self.b.pattern(pattern);
        let nodes: Vec<Node> = self.tree.fields(case, Field::Body).collect();
        let mut stmts = Vec::new();
        self.statements(&nodes, &mut stmts);
        let falls_through = !self.always_leaves(&stmts, 0);
        self.drop_break(&mut stmts);
        let body = self.b.block(stmts);
        Arm { pattern, guard: None, body, falls_through, span: self.span(case) }
    }

    /// Whether control never runs off the end of these statements.
    fn always_leaves(&self, stmts: &[StmtId], depth: u32) -> bool {
        let Some(&last) = stmts.last() else { return false };
        if depth > 8 {
            return false;
        }
        let file = self.b.file();
        let leaves = |block: BlockId| self.always_leaves(file.block(block), depth + 1);
        match file.stmt(last) {
            Stmt::Return(_) | Stmt::Raise { .. } | Stmt::Break(..) | Stmt::Continue(_) => true,
            Stmt::Block(block, None) => leaves(*block),
            Stmt::If { then, otherwise: Some(otherwise), .. } => leaves(*then) && leaves(*otherwise),
            Stmt::Try { finally: Some(finally), .. } if leaves(*finally) => true,
            Stmt::Try { body, handlers, .. } => leaves(*body) && handlers.iter().all(|h| leaves(h.body)),
            _ => false,
        }
    }

    /// Removes the `break` a case ends with, also from a block around the whole case.
    fn drop_break(&mut self, stmts: &mut Vec<StmtId>) {
        let Some(&last) = stmts.last() else { return };
        match *self.b.file().stmt(last) {
            Stmt::Break(None, None) => {
                stmts.pop();
            }
            Stmt::Block(block, None) => {
                let mut inner = self.b.file().block(block).to_vec();
                let is_break = inner.last().is_some_and(|&s| matches!(self.b.file().stmt(s), Stmt::Break(None, None)));
                if is_break {
                    inner.pop();
                    self.b.file_mut().blocks[block.index()] = inner;
                }
            }
            _ => {}
        }
    }
}
