//! Values that are changed in place (Rust): through shared references (`AtomicU32`, `Cell`), through a guard or a `&mut`,
//! and lists whose length is looked at.

use super::calls::Given;
use super::machine::Machine;
use super::methods::LONGEST;
use super::state::State;
use super::val::Val;
use crate::ir::*;
use crate::link::token::{CompId, Tok};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What of one file is changed in place.
#[derive(Default)]
pub struct Cells {
    /// Variables that stand for another variable or field: `let mut n = counter.lock().unwrap()`.
    aliases: FxHashMap<VarId, ExprId>,
    /// Variables that are written through (`*n += 1`).
    through: FxHashSet<VarId>,
    /// Lists whose length is looked at, and that nobody else changes.
    counted: FxHashSet<VarId>,
}

impl Cells {
    fn of(file: &File) -> Self {
        let mut cells = Cells::default();
        for stmt in &file.stmts {
            let Stmt::Assign { targets, value, .. } = stmt else { continue };
            for &target in targets {
                match (file.pattern(target), value) {
                    (Pattern::Bind(var), Some(value)) => {
                        let to = peeled(file, *value);
                        let is_place = matches!(file.expr(to).kind, ExprKind::Var(_) | ExprKind::Attr { .. });
                        if is_place && cells.aliases.insert(*var, to).is_some() {
                            // Which of several it stands for depends on the way.
                            cells.aliases.insert(*var, *value);
                        }
                    }
                    (Pattern::Deref(e), _) => {
                        if let ExprKind::Var(var) = file.expr(*e).kind {
                            cells.through.insert(var);
                        }
                    }
                    _ => {}
                }
            }
        }
        let through = &cells.through;
        cells.aliases.retain(|var, _| through.contains(var));
        let (mut grown, mut measured, mut lent) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
        for e in &file.exprs {
            let ExprKind::Call { callee, args, kind, .. } = &e.kind else { continue };
            let made = match &file.expr(*callee).kind {
                ExprKind::Attr { object, name, .. } => {
                    let name = file.name(*name);
                    if let ExprKind::Var(var) = file.expr(*object).kind {
                        match name {
                            "len" | "is_empty" => measured.insert(var),
                            "push" | "push_back" | "push_front" => grown.insert(var),
                            "drain" | "retain" | "extend" | "append" | "truncate" | "split_off" | "dedup"
                            | "resize" | "insert" | "remove" | "swap_remove" => lent.insert(var),
                            _ => true,
                        };
                    }
                    name.starts_with(|c: char| c.is_ascii_uppercase())
                }
                ExprKind::Free(name) => file.name(*name).starts_with(|c: char| c.is_ascii_uppercase()),
                _ => false,
            };
            if made || *kind == CallKind::Macro {
                continue;
            }
            for arg in args {
                if let ExprKind::Var(var) = file.expr(arg.value()).kind {
                    lent.insert(var);
                }
            }
        }
        cells.counted = grown.into_iter().filter(|v| measured.contains(v) && !lent.contains(v)).collect();
        cells
    }
}

/// What a guard or reference is of.
fn peeled(file: &File, e: ExprId) -> ExprId {
    let mut at = e;
    loop {
        at = match &file.expr(at).kind {
            ExprKind::Await(inner) | ExprKind::Propagate(inner) | ExprKind::Typed(inner, _) => *inner,
            ExprKind::Call { callee, .. } => match &file.expr(*callee).kind {
                ExprKind::Attr { object, name, .. } if leads_on(file.name(*name)) => *object,
                _ => return at,
            },
            _ => return at,
        };
    }
}

fn leads_on(name: &str) -> bool {
    matches!(
        name,
        "lock" | "write" | "borrow_mut" | "get_mut" | "as_mut" | "deref_mut" | "unwrap" | "expect" | "try_lock"
    )
}

impl Machine<'_, '_, '_> {
    fn cells(&self, comp: CompId) -> Rc<Cells> {
        let file = self.view.func(comp).file;
        let known = self.cells.borrow().get(&file).cloned();
        known.unwrap_or_else(|| {
            let cells = Rc::new(Cells::of(self.view.file(comp)));
            self.cells.borrow_mut().insert(file, cells.clone());
            cells
        })
    }

    /// A method that reads or changes a value in place; none if it is none.
    pub(super) fn cell_call(
        &mut self,
        object: Option<ExprId>,
        on: &Val,
        name: &str,
        given: &Given,
        state: &mut State,
    ) -> Option<Val> {
        let object = object?;
        let first = given.positional.first();
        if let Val::List(items) = on {
            return self.list_in_place(object, items, name, first, state);
        }
        let (Val::Num(_) | Val::Bool(_)) = on else { return None };
        let new = match (name, first) {
            (
                "load" | "get" | "into_inner" | "lock" | "read" | "write" | "borrow" | "borrow_mut" | "get_mut"
                | "as_mut" | "deref" | "deref_mut",
                _,
            ) => return Some(on.clone()),
            ("fetch_add", Some(by)) => self.binary(BinaryOp::Add, on, by),
            ("fetch_sub", Some(by)) => self.binary(BinaryOp::Sub, on, by),
            ("store" | "set" | "swap" | "replace", Some(value)) => value.clone(),
            _ => return None,
        };
        self.write_back(object, new, state);
        Some(if matches!(name, "store" | "set") { Val::Null } else { on.clone() })
    }

    fn list_in_place(
        &mut self,
        object: ExprId,
        items: &Rc<Vec<Val>>,
        name: &str,
        first: Option<&Val>,
        state: &mut State,
    ) -> Option<Val> {
        let some = |value: Option<&Val>| value.map_or(Val::Null, |v| Val::Good(Box::new(v.clone())));
        match name {
            "is_empty" => return Some(Val::Bool(items.is_empty())),
            "last" | "back" | "last_mut" => return Some(some(items.last())),
            "first" | "front" => return Some(some(items.first())),
            _ => {}
        }
        let mut list = (**items).clone();
        let result = match (name, first) {
            ("push" | "push_back", Some(value)) => {
                list.push(value.clone());
                Val::Null
            }
            ("push_front", Some(value)) => {
                list.insert(0, value.clone());
                Val::Null
            }
            ("pop" | "pop_back", _) => {
                let taken = list.pop();
                some(taken.as_ref())
            }
            ("pop_front", _) => {
                let taken = if list.is_empty() { None } else { Some(list.remove(0)) };
                some(taken.as_ref())
            }
            ("clear", _) => {
                list.clear();
                Val::Null
            }
            ("extend" | "append" | "insert" | "remove" | "retain" | "drain" | "truncate" | "swap_remove", _) => {
                self.write_back(object, Val::Unknown, state);
                return None;
            }
            _ => return None,
        };
        let counted = match self.ir(state).expr(object).kind {
            ExprKind::Var(var) => self.cells(self.comp(state)).counted.contains(&var),
            _ => false,
        };
        // One that grows for ever is not followed.
        let followed = counted && list.len() <= LONGEST;
        self.write_back(object, if followed { Val::List(Rc::new(list)) } else { Val::Unknown }, state);
        Some(if followed { result } else { Val::Unknown })
    }

    /// A new list (`Vec::new()`) in a variable whose length is looked at.
    pub(super) fn new_list(&self, target: PatId, value: ExprId, state: &State) -> Option<Val> {
        let ir = self.ir(state);
        if ir.language != Language::Rust {
            return None;
        }
        let Pattern::Bind(var) = *ir.pattern(target) else { return None };
        let ExprKind::Call { callee, .. } = ir.expr(value).kind else { return None };
        let ExprKind::Attr { name, .. } = ir.expr(callee).kind else { return None };
        if !matches!(ir.name(name), "new" | "with_capacity" | "default")
            || !self.cells(self.comp(state)).counted.contains(&var)
        {
            return None;
        }
        let path = self.path_text(callee, state)?;
        let of = path.rsplit("::").nth(1)?;
        matches!(of, "Vec" | "VecDeque").then(|| Val::List(Rc::default()))
    }

    /// Writes through a guard or a reference.
    pub(super) fn write_through(&mut self, e: ExprId, value: &Val, state: &mut State) {
        let ir = self.ir(state);
        let ExprKind::Var(var) = ir.expr(e).kind else {
            self.write_back(peeled(ir, e), value.clone(), state);
            return;
        };
        self.write_var(state, var, value.clone());
        let of = self.cells(self.comp(state)).aliases.get(&var).copied();
        if let Some(of) = of {
            self.write_back(of, value.clone(), state);
        }
    }

    /// Whether a variable is written through (`*n += 1`).
    pub(super) fn is_written_through(&self, comp: CompId, var: VarId) -> bool {
        self.view.file(comp).language == Language::Rust && self.cells(comp).through.contains(&var)
    }

    /// What is behind a guard or a reference.
    pub(super) fn read_through(&mut self, e: ExprId, state: &State) -> Val {
        let place = peeled(self.ir(state), e);
        self.pure(place, state).unwrap_or(Val::Unknown)
    }

    /// What a function wrote through its parameters, by their position.
    pub(super) fn written_params(&self, comp: CompId, env: &FxHashMap<VarId, Val>) -> Vec<(u32, Val)> {
        let file = self.view.file(comp);
        if file.language != Language::Rust {
            return Vec::new();
        }
        let cells = self.cells(comp);
        let params = self.view.function(comp).params.iter().enumerate();
        params
            .filter_map(|(i, param)| match file.pattern(param.pattern) {
                Pattern::Bind(var) if cells.through.contains(var) => Some((i as u32, env.get(var)?.clone())),
                _ => None,
            })
            .collect()
    }

    /// Hands what a function wrote through its parameters back to the arguments of its call.
    pub(super) fn hand_back(&mut self, e: ExprId, comp: CompId, state: &mut State) {
        let written: Vec<(u32, Val)> = {
            let taken = |name: &str| name.strip_prefix("written ").and_then(|n| n.parse().ok());
            let owner = Tok(u32::MAX - comp.0);
            let found = state.heap.iter().filter(|((tok, _), _)| *tok == owner);
            found.filter_map(|((_, name), v)| taken(name).map(|i| (i, v.clone()))).collect()
        };
        let ExprKind::Call { args, .. } = &self.ir(state).expr(e).kind else { return };
        let params = &self.view.function(comp).params;
        let skipped = u32::from(params.first().is_some_and(|p| p.kind == ParamKind::Receiver));
        for (at, value) in written {
            state.heap.remove(&written_key(comp, at));
            let arg = at.checked_sub(skipped).and_then(|at| args.get(at as usize));
            if let Some(Arg::Positional(arg)) = arg {
                self.write_back(*arg, value, state);
            }
        }
    }
}

/// Where what was written through a parameter is kept until the call is over.
pub(super) fn written_key(comp: CompId, at: u32) -> (Tok, Rc<str>) {
    (Tok(u32::MAX - comp.0), Rc::from(format!("written {at}")))
}
