//! Blocks: macros that stand for statements are expanded, items come first, then the statements.

use super::control::is_control;
use super::exprs::default_call;
use super::lowerer::{Dest, Lowerer};
use super::macros::MaybeOwned;
use super::scope::{FrameKind, VALUES, What};
use super::spans::join;
use crate::ir::*;
use syn::{Expr, Item, Local, Pat};

impl Lowerer {
    /// A block of its own.
    pub fn block(&mut self, block: &syn::Block, dest: Dest) -> BlockId {
        let mut stmts = Vec::new();
        self.block_into(block, dest, &mut stmts);
        self.b.block(stmts)
    }

    /// A block's statements among others'; its names end with it.
    pub fn block_into(&mut self, block: &syn::Block, dest: Dest, out: &mut Vec<StmtId>) {
        self.scopes.push(FrameKind::Block, self.function);
        self.stmts_into(&block.stmts, dest, out);
        self.scopes.pop();
    }

    /// Statements in the frame at hand.
    pub fn stmts_into(&mut self, stmts: &[syn::Stmt], dest: Dest, out: &mut Vec<StmtId>) {
        let mut flat: Vec<MaybeOwned<'_, syn::Stmt>> = Vec::with_capacity(stmts.len());
        self.flatten_stmts(stmts, &mut flat);
        let items: Vec<&Item> = flat
            .iter()
            .filter_map(|s| match s.get() {
                syn::Stmt::Item(item) => Some(item),
                _ => None,
            })
            .collect();
        if !items.is_empty() {
            self.items_into(&items, out);
        }
        let last = flat.len().saturating_sub(1);
        for (i, stmt) in flat.iter().enumerate() {
            let dest = if i == last { dest } else { Dest::Discard };
            match stmt.get() {
                syn::Stmt::Item(_) => {}
                syn::Stmt::Local(local) => self.let_into(local, out),
                syn::Stmt::Expr(e, semi) => {
                    self.lower_into(e, if semi.is_some() { Dest::Discard } else { dest }, out);
                }
                syn::Stmt::Macro(m) => {
                    self.macro_into(&m.mac, if m.semi_token.is_some() { Dest::Discard } else { dest }, out);
                }
            }
        }
    }

    fn let_into(&mut self, local: &Local, out: &mut Vec<StmtId>) {
        let token = self.at(local.let_token.span);
        let (pat, ty) = match &local.pat {
            Pat::Type(p) => (&*p.pat, Some(&*p.ty)),
            pat => (pat, None),
        };
        let Some(init) = &local.init else {
            let declared = ty.map(|t| self.ty(t));
            let target = self.pattern(pat);
            let span = join(token, self.at(local.semi_token.spans[0]));
            return self.push(out, Stmt::Assign { targets: vec![target], value: None, op: None, declared }, span);
        };
        let span = join(token, self.at(local.semi_token.spans[0]));
        if let Some((_, diverge)) = &init.diverge {
            return self.let_else(pat, &init.expr, diverge, span, out);
        }
        if (is_control(&init.expr) || matches!(&*init.expr, Expr::Macro(m) if self.is_statement_macro(&m.mac)))
            && let Pat::Ident(p) = pat
            && p.subpat.is_none()
        {
            // The variable exists before its name does: the old one of that name is still visible inside.
            let name = self.ident(&p.ident);
            let var = self.b.var(name, self.function);
            if let Some(ty) = ty {
                let declared = Some(self.ty(ty));
                let target = self.b.pattern(Pattern::Bind(var));
                self.push(out, Stmt::Assign { targets: vec![target], value: None, op: None, declared }, span);
            }
            self.lower_into(&init.expr, Dest::Assign(var), out);
            let mark = self.mark(&p.ident);
            self.scopes.declare(name, mark, VALUES, What::Local, var);
            return;
        }
        let value = match (default_call(&init.expr), ty) {
            (Some(token), Some(syn::Type::Path(ty))) => {
                let object = self.type_path_expr(ty.qself.as_ref(), &ty.path);
                self.default_of(object, token)
            }
            _ => self.expr(&init.expr),
        };
        let declared = ty.map(|t| self.ty(t));
        let target = self.pattern(pat);
        self.push(out, Stmt::Assign { targets: vec![target], value: Some(value), op: None, declared }, span);
    }

    /// `let pattern = value else { … };`
    fn let_else(&mut self, pat: &Pat, init: &Expr, diverge: &Expr, span: Span, out: &mut Vec<StmtId>) {
        let subject = self.expr(init);
        let mut stmts = Vec::new();
        self.lower_into(diverge, Dest::Discard, &mut stmts);
        let otherwise = Some(self.b.block(stmts));
        let pattern = self.pattern(pat);
        let test = self.b.expr(ExprKind::Matches { subject, pattern, guard: None }, span);
        let then = self.b.block(Vec::new());
        self.push(out, Stmt::If { test, then, otherwise }, span);
    }
}
