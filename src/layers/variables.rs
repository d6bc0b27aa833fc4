//! Variables, receivers and closures on a path.

use super::machine::Machine;
use super::state::State;
use super::val::Val;
use crate::ir::*;
use crate::link::store::Addr;
use crate::link::token::*;
use std::rc::Rc;

impl Machine<'_, '_, '_> {
    /// A closure made on this path.
    pub fn closure_value(&self, state: &State, function: FunctionId) -> Val {
        let comp = self.comp(state);
        let func = FuncRef { file: self.view.func(comp).file, id: function };
        match self.view.solver.tokens.find(&Token::Function { func, env: comp }) {
            Some(tok) => match self.view.solver.decorated.get(&tok) {
                Some(value) => self.view.val(value),
                None => Val::Tok(tok),
            },
            None => Val::Unknown,
        }
    }

    /// The receiver.
    pub fn this(&self, state: &State) -> Val {
        for activation in state.stack.iter().rev() {
            let function = self.view.function(activation.comp);
            if let Some(receiver) = function.params.first().filter(|p| p.kind == ParamKind::Receiver)
                && let Pattern::Bind(var) = self.view.file(activation.comp).pattern(receiver.pattern)
            {
                return activation.env.get(var).cloned().unwrap_or(Val::Unknown);
            }
            let key = &self.view.solver.comps[activation.comp.0 as usize].key;
            if let Some(&(_, tok)) = key.context.iter().find(|(at, _)| *at == crate::link::component::THIS) {
                return Val::Tok(tok);
            }
            if let Some(value) = self.view.solver.store.get(Addr::This(activation.comp)) {
                return self.view.val(value);
            }
            if function.kind == FunctionKind::Named {
                break;
            }
        }
        // Arrows share the receiver of the function around them.
        let mut at = self.view.solver.comps[self.comp(state).0 as usize].key.parent;
        while let Some(comp) = at {
            if let Some(value) = self.view.solver.store.get(Addr::This(comp)) {
                return self.view.val(value);
            }
            if let Some(value) = self.view.solver.store.get(Addr::Param(comp, 0))
                && self.view.function(comp).params.first().is_some_and(|p| p.kind == ParamKind::Receiver)
            {
                return self.view.val(value);
            }
            at = self.view.solver.comps[comp.0 as usize].key.parent;
        }
        Val::Unknown
    }

    /// Reads a variable: of this activation, of one below it on the stack, or as link knows it.
    pub fn read_var(&self, state: &State, var: VarId) -> Val {
        let comp = self.comp(state);
        let file = self.view.func(comp).file;
        let owner_func = self.view.file(comp).var(var).owner;
        if let Some(activation) = state.stack.last()
            && self.view.func(comp).id == owner_func
            && let Some(value) = activation.env.get(&var)
        {
            return value.clone();
        }
        let Some(owner) = self.view.solver.owner(comp, file, owner_func) else { return Val::Unknown };
        for activation in state.stack.iter().rev() {
            if activation.comp == owner
                && let Some(value) = activation.env.get(&var)
            {
                return value.clone();
            }
        }
        let key: Rc<str> = Rc::from(format!("var {}", var.0));
        if !state.heap.is_empty()
            && let Some(value) = state.heap.get(&(Tok(u32::MAX - owner.0), key))
        {
            return value.clone();
        }
        match self.view.read(Addr::Var(owner, var)) {
            // A counter of a function that is not running: it starts with what it is first given.
            Val::Unknown | Val::Many(_) if self.view.file(owner).language != Language::Rust => {
                self.view.first_value(owner, var).unwrap_or_else(|| self.view.read(Addr::Var(owner, var)))
            }
            value => value,
        }
    }

    /// Writes a variable.
    pub fn write_var(&self, state: &mut State, var: VarId, value: Val) {
        let comp = self.comp(state);
        let file = self.view.func(comp).file;
        let owner_func = self.view.file(comp).var(var).owner;
        if let Some(top) = state.stack.last_mut()
            && !top.narrowed.is_empty()
            && top.narrowed.keys().any(|(root, _)| *root == Some(var))
        {
            top.narrowed.retain(|(root, _), _| *root != Some(var));
        }
        if self.view.func(comp).id == owner_func {
            let value = if self.is_idle(comp, var) { Val::Unknown } else { value };
            state.env().insert(var, value);
            return;
        }
        let Some(owner) = self.view.solver.owner(comp, file, owner_func) else { return };
        match state.stack.iter_mut().rev().find(|a| a.comp == owner) {
            Some(activation) => {
                activation.env.insert(var, value);
            }
            None => {
                // A variable of a function that is not running: kept beside the path's objects.
                let key: Rc<str> = Rc::from(format!("var {}", var.0));
                state.heap.insert((Tok(u32::MAX - owner.0), key), value);
            }
        }
    }

    pub(super) fn free(&self, state: &State, name: &str) -> Val {
        let path = match self.ir(state).language {
            Language::Python => format!("builtins.{name}"),
            Language::JavaScript => format!("globals:{name}"),
            Language::Rust => name.to_string(),
        };
        match name {
            "undefined" | "None" => return Val::Null,
            "NaN" => return Val::Unknown,
            "Infinity" => return Val::num(f64::INFINITY),
            _ => {}
        }
        if name == "Self" && self.ir(state).language == Language::Rust {
            return self.self_type_token(self.comp(state)).map_or(Val::Unknown, Val::Tok);
        }
        let file = self.view.func(self.comp(state)).file;
        if let Some(symbol) = self.view.solver.symbols.find(name)
            && let Some(value) = self.view.starred(file, symbol, 0)
        {
            return value;
        }
        let symbol = self.view.solver.symbols.find(&path);
        symbol.and_then(|s| self.view.solver.tokens.find(&Token::External(s))).map_or(Val::Unknown, Val::Tok)
    }

    /// Narrows the path by the outcome of a test.
    pub fn assume(&mut self, state: &mut State, test: ExprId, outcome: bool) {
        let ir = self.ir(state);
        match &ir.expr(test).kind {
            ExprKind::Unary(UnaryOp::Not, e) => self.assume(state, *e, !outcome),
            ExprKind::And(a, b) if outcome => {
                self.assume(state, *a, true);
                self.assume(state, *b, true);
            }
            ExprKind::Or(a, b) if !outcome => {
                self.assume(state, *a, false);
                self.assume(state, *b, false);
            }
            ExprKind::Compare(CompareOp::Is | CompareOp::Eq, a, b)
                if matches!(ir.expr(*b).kind, ExprKind::Literal(Literal::Null)) && outcome =>
            {
                if let ExprKind::Var(var) = ir.expr(*a).kind
                    && self.read_var(state, var) == Val::Unknown
                {
                    self.write_var(state, var, Val::Null);
                }
            }
            ExprKind::Compare(op, a, b) => {
                self.remember(state, *op, *a, *b, outcome);
            }
            ExprKind::Var(var) => {
                // A flag that was unknown is now known.
                if self.read_var(state, *var) == Val::Unknown && !outcome {
                    self.write_var(state, *var, Val::Bool(false));
                }
            }
            _ => {}
        }
    }
}
