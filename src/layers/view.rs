//! The linked program, read only: what abstract execution asks of it.

use super::val::Val;
use crate::catalogue::Formula;
use crate::ir::*;
use crate::link::component::{CallRecord, Component, Target, Via};
use crate::link::known::Known;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;
use crate::source::{FileId, Place};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// A read-only view of the solved program.
pub struct View<'p, 's> {
    /// The solved program.
    pub solver: &'s Solver<'p>,
    calls: Vec<FxHashMap<ExprId, Vec<CallRecord>>>,
    by_closure: FxHashMap<(FuncRef, CompId), CompId>,
    by_function: FxHashMap<FuncRef, CompId>,
    called_by_others: Vec<bool>,
    /// Functions of the program to the longest row of layers that are put around them.
    made_of: FxHashMap<Tok, Tok>,
    /// What variables start with, as far as it was asked for: by file.
    first: RefCell<FxHashMap<(u32, VarId), Option<Val>>>,
    callers: FxHashMap<CompId, Vec<(CompId, ExprId)>>,
    /// Constants of libraries that are numbers (`HTTPStatus.OK`).
    numbers: FxHashMap<Tok, f64>,
}

impl<'p, 's> View<'p, 's> {
    /// Indexes the calls of every component.
    pub fn new(solver: &'s Solver<'p>) -> Self {
        let calls = solver
            .comps
            .iter()
            .map(|comp| {
                let mut map: FxHashMap<ExprId, Vec<CallRecord>> = FxHashMap::default();
                for call in &comp.calls {
                    map.entry(call.expr).or_default().push(*call);
                }
                map
            })
            .collect();
        let mut called = vec![false; solver.comps.len()];
        for call in solver.comps.iter().flat_map(|comp| &comp.calls) {
            if let Target::Comp(target) = call.target {
                called[target.0 as usize] = true;
            }
        }
        // Contexts that are still called come first.
        let mut by_closure: FxHashMap<(FuncRef, CompId), CompId> = FxHashMap::default();
        let mut by_function: FxHashMap<FuncRef, CompId> = FxHashMap::default();
        for still_called in [true, false] {
            for (i, comp) in solver.comps.iter().enumerate().filter(|(i, _)| called[*i] == still_called) {
                by_function.entry(comp.key.func).or_insert(CompId(i as u32));
                if let Some(parent) = comp.key.parent {
                    by_closure.entry((comp.key.func, parent)).or_insert(CompId(i as u32));
                }
            }
        }
        let mut called_by_others = vec![false; solver.comps.len()];
        let mut callers: FxHashMap<CompId, Vec<(CompId, ExprId)>> = FxHashMap::default();
        for (at, comp) in solver.comps.iter().enumerate() {
            for call in &comp.calls {
                if let (Target::Comp(target), Via::Call) = (call.target, call.via) {
                    callers.entry(target).or_default().push((CompId(at as u32), call.expr));
                }
                if let Target::Comp(target) = call.target
                    && !is_within(solver, comp, solver.comps[target.0 as usize].key.func)
                {
                    called_by_others[target.0 as usize] = true;
                }
            }
        }
        let made_of = FxHashMap::default();
        let mut view = Self {
            solver,
            calls,
            by_closure,
            by_function,
            called_by_others,
            made_of,
            first: RefCell::default(),
            callers,
            numbers: numbers(solver),
        };
        view.note_made();
        view
    }

    /// Finds out which functions have layers of libraries around them that nobody is seen to call.
    fn note_made(&mut self) {
        for tok in self.solver.tokens.all() {
            let mut at = tok;
            let mut around = 0;
            while let Token::Wrapped { inner, .. } | Token::Bound { func: inner, .. } = *self.token(at) {
                at = inner;
                around += 1;
            }
            if around == 0 || !matches!(self.token(at), Token::Function { .. }) {
                continue;
            }
            let longer = self.made_of.get(&at).is_none_or(|old| self.wrappers(*old).len() < self.wrappers(tok).len());
            if longer && !self.wrappers(tok).is_empty() {
                self.made_of.insert(at, tok);
            }
        }
    }

    /// The layers around what was made of a function by calls (`defer(f).pipe(retry(3))`), outermost first.
    pub fn made_of(&self, function: Tok) -> Vec<(Tok, Site)> {
        self.made_of.get(&function).map(|made| self.wrappers(*made)).unwrap_or_default()
    }

    /// The calls that an expression of a component makes.
    pub fn calls(&self, comp: CompId, expr: ExprId) -> &[CallRecord] {
        self.calls[comp.0 as usize].get(&expr).map_or(&[], Vec::as_slice)
    }

    /// All calls of a component.
    pub fn all_calls(&self, comp: CompId) -> &'s [CallRecord] {
        &self.solver.comps[comp.0 as usize].calls
    }

    /// The function of a component.
    pub fn func(&self, comp: CompId) -> FuncRef {
        self.solver.comps[comp.0 as usize].key.func
    }

    /// The file of a component.
    pub fn file(&self, comp: CompId) -> &'p File {
        &self.solver.files[self.func(comp).file as usize]
    }

    /// The definition of a component's function.
    pub fn function(&self, comp: CompId) -> &'p Function {
        self.solver.function(self.func(comp))
    }

    /// A token.
    pub fn token(&self, tok: Tok) -> &'s Token {
        self.solver.tokens.get(tok)
    }

    /// A symbol's text.
    pub fn text(&self, symbol: Symbol) -> &'s str {
        self.solver.symbols.text(symbol)
    }

    /// A place in a component's file.
    pub fn place(&self, comp: CompId, span: Span) -> Place {
        Place { file: FileId(self.func(comp).file), span }
    }

    /// The place of a call: the method's name, or the whole expression.
    pub fn call_place(&self, comp: CompId, expr: ExprId) -> Place {
        let file = self.file(comp);
        let Some(e) = file.exprs.get(expr.index()) else { return self.place(comp, Span::default()) };
        let span = match &e.kind {
            ExprKind::Call { callee, .. } => match &file.expr(*callee).kind {
                ExprKind::Attr { name_span, .. } => Span { start: name_span.start, end: e.span.end },
                _ => e.span,
            },
            _ => e.span,
        };
        self.place(comp, span)
    }

    /// `Class.method` of a component's function.
    pub fn name(&self, comp: CompId) -> String {
        let func = self.func(comp);
        let name = crate::link::graph::qualified(&self.solver.files[func.file as usize], func.id);
        if name.is_empty() { "<module>".to_string() } else { name }
    }

    /// The catalogue's word on calling a token.
    pub fn known(&self, tok: Tok) -> Option<Known<'p>> {
        self.solver.known(tok)
    }

    /// The value of an address, as one of execution's values.
    pub fn read(&self, addr: Addr) -> Val {
        self.solver.store.get(addr).map_or(Val::Unknown, |value| self.val(value))
    }

    /// A link value as one of execution's values. Several numbers become the largest (the worst counts).
    pub fn val(&self, value: &Value) -> Val {
        let useful = value.filter(|t| t != Tok::MISSING);
        if let Some(tok) = useful.single() {
            return self.of_token(tok);
        }
        if useful.is_empty() {
            return Val::Unknown;
        }
        if useful.iter().all(|t| matches!(self.token(t), Token::Bool(_))) {
            // A flag that is set elsewhere: either.
            return Val::Unknown;
        }
        let numbers: Vec<f64> = useful.iter().filter_map(|t| self.of_token(t).as_exact()).collect();
        if numbers.len() == useful.len() {
            return Val::num(numbers.into_iter().fold(f64::NEG_INFINITY, f64::max));
        }
        // A lazily made global is None first: what it is later counts.
        let made = useful.filter(|t| t != Tok::NULL);
        if let Some(tok) = made.single() {
            return self.of_token(tok);
        }
        if made.iter().any(|t| matches!(t, Tok::UNKNOWN | Tok::TOP)) { Val::Unknown } else { Val::Many(made) }
    }

    fn of_token(&self, tok: Tok) -> Val {
        match self.token(tok) {
            Token::Unknown | Token::Missing | Token::Top => Val::Unknown,
            Token::Null => Val::Null,
            Token::Bool(b) => Val::Bool(*b),
            Token::Int(n) => Val::num(*n as f64),
            Token::Float(bits) => Val::num(f64::from_bits(*bits)),
            Token::Str(s) => Val::text(self.text(*s)),
            Token::External(_) => self.external(tok),
            _ => Val::Tok(tok),
        }
    }

    /// What a name of a library stands for: the number, if it is one.
    pub fn external(&self, tok: Tok) -> Val {
        self.numbers.get(&tok).map_or(Val::Tok(tok), |n| Val::num(*n))
    }

    /// A field of a token, as the store has it.
    pub fn field(&self, tok: Tok, name: &str) -> Option<Val> {
        let symbol = self.solver.symbols.find(name)?;
        match self.token(tok) {
            Token::Module(file) => {
                let own = self.solver.index[*file as usize].scopes.get(&MODULE).and_then(|s| s.get(&symbol));
                let module = self.module(*file)?;
                match own {
                    Some(&var) => Some(self.read(Addr::Var(module, var))),
                    None => self.starred(*file, symbol, 0),
                }
            }
            Token::Instance { class } if self.is_made_elsewhere(*class) => self
                .solver
                .store
                .get(Addr::Field(tok, symbol))
                .map(|v| self.val(v))
                .map(|v| if matches!(v, Val::Tok(_) | Val::Many(_)) { v } else { Val::Unknown }),
            Token::Object { class, .. } | Token::Instance { class } => self
                .solver
                .store
                .get(Addr::Given(tok, symbol))
                .or_else(|| self.solver.store.get(Addr::Field(tok, symbol)))
                .map(|v| self.val(v))
                .or_else(|| self.class_field(*class, symbol)),
            Token::Class { .. } => self.class_field(tok, symbol),
            _ => self.solver.store.get(Addr::Field(tok, symbol)).map(|v| self.val(&self.uncounted(v))),
        }
    }

    /// Whether no value of a type of Rust is made by the program: what is written to its fields is not all they hold.
    fn is_made_elsewhere(&self, class: Tok) -> bool {
        let Token::Class { class: reference, .. } = *self.token(class) else { return false };
        self.solver.files[reference.file as usize].language == Language::Rust
            && self.solver.store.get(Addr::Instances(class)).is_none()
    }

    /// What a property is given, without what counting up and down makes of it.
    fn uncounted(&self, value: &Value) -> Value {
        value.filter(|t| match *self.token(t) {
            Token::Combined { site } => {
                !self.solver.store.get(Addr::Arg(site, 0)).is_some_and(|old| old.iter().any(|o| o == t))
            }
            _ => true,
        })
    }

    /// A name that a file has from a module whose names it imports all.
    pub fn starred(&self, file: u32, name: Symbol, depth: usize) -> Option<Val> {
        if depth > 8 {
            return None;
        }
        let ir = &self.solver.files[file as usize];
        self.solver.index[file as usize].star_imports.iter().find_map(|(_, path)| {
            let crate::link::modules::Resolved::File(other) = self.solver.modules.resolve(ir, path) else {
                return None;
            };
            if other == file {
                return None;
            }
            match self.solver.index[other as usize].scopes.get(&MODULE).and_then(|s| s.get(&name)) {
                Some(&var) => Some(self.read(Addr::Var(self.module(other)?, var))),
                None => self.starred(other, name, depth + 1),
            }
        })
    }

    /// The number that a variable starts with, if all that it is given later is made of itself.
    pub fn first_value(&self, owner: CompId, var: VarId) -> Option<Val> {
        let key = (self.func(owner).file, var);
        if let Some(known) = self.first.borrow().get(&key) {
            return known.clone();
        }
        let found = super::counter::start_of(self.file(owner), var).map(Val::num);
        self.first.borrow_mut().insert(key, found.clone());
        found
    }

    /// The component that runs a file's top-level code.
    pub fn module(&self, file: u32) -> Option<CompId> {
        // Modules are the first components, in the order of files.
        Some(CompId(file))
    }

    fn class_field(&self, class: Tok, name: Symbol) -> Option<Val> {
        let order = self.solver.orders.get(&class).cloned().unwrap_or_else(|| vec![class]);
        for class in order {
            let Token::Class { class: reference, env } = *self.token(class) else { continue };
            let given = self.solver.store.get(Addr::Given(class, name));
            let written = || self.solver.store.get(Addr::Field(class, name)).map(|v| self.val(&self.uncounted(v)));
            if given.is_some()
                && let Some(value) = written()
            {
                return Some(value);
            }
            let body = self.solver.class(reference).body;
            let scope = self.solver.index[reference.file as usize].scopes.get(&body);
            if let Some(&var) = scope.and_then(|s| s.get(&name)) {
                let key = crate::link::component::CompKey {
                    func: FuncRef { file: reference.file, id: body },
                    parent: Some(env),
                    context: Box::default(),
                };
                if let Some(comp) = self.solver.find_component(&key) {
                    // What it is declared with, if all that is done to it is counting.
                    let value = self.solver.store.get(Addr::Var(comp, var));
                    return Some(value.map_or(Val::Unknown, |v| self.val(&self.uncounted(v))));
                }
            }
            if let Some(value) = written() {
                return Some(value);
            }
        }
        None
    }

    /// The component of a function made in another one, without or with its own context.
    pub fn component_of(&self, func: FuncRef, env: CompId) -> Option<CompId> {
        // One that nobody is seen to call was run in one of the contexts of the function around it only.
        self.by_closure.get(&(func, env)).or_else(|| self.by_function.get(&func)).copied()
    }

    /// Who calls a component, and where.
    pub fn callers(&self, comp: CompId) -> &[(CompId, ExprId)] {
        self.callers.get(&comp).map_or(&[], Vec::as_slice)
    }

    /// Whether nobody calls a component any more, but another one of its function is called.
    pub fn is_stale(&self, comp: CompId) -> bool {
        let still_called = self.by_function.get(&self.func(comp)).is_some_and(|other| *other != comp);
        still_called && self.callers(comp).is_empty()
    }

    /// Whether only a function itself calls it: from outside it starts with its defaults.
    pub fn only_calls_itself(&self, comp: CompId) -> bool {
        !self.called_by_others[comp.0 as usize]
    }

    /// The decorators around a callee, outermost first, and whether a call is made through them.
    pub fn wrappers(&self, seen: Tok) -> Vec<(Tok, Site)> {
        let mut list = Vec::new();
        let mut at = seen;
        loop {
            match *self.token(at) {
                Token::Wrapped { by, inner, site } => {
                    list.push((by, site));
                    at = inner;
                }
                Token::Bound { func, .. } | Token::Partial { func, .. } => at = func,
                _ => return list,
            }
        }
    }

    /// The comps that a call may run.
    pub fn targets(&self, comp: CompId, expr: ExprId) -> impl Iterator<Item = (CompId, &CallRecord)> {
        self.calls(comp, expr).iter().filter_map(|c| if let Target::Comp(t) = c.target { Some((t, c)) } else { None })
    }

    /// The path of an external callee in the catalogue's notation.
    pub fn path(&self, tok: Tok) -> Rc<str> {
        Rc::from(self.path_within(tok, PATH_STEPS))
    }

    fn path_within(&self, tok: Tok, steps: u32) -> String {
        let Some(steps) = steps.checked_sub(1) else { return "?".to_string() };
        match *self.token(tok) {
            Token::External(s) => self.text(s).to_string(),
            Token::Member { .. } => {
                let (root, path) = self.solver.member_path(tok);
                match self.solver.known_class(root) {
                    Some((_, class)) => format!("{}.{path}", class.path.first().map_or("", String::as_str)),
                    None => format!("{}.{path}", self.path_within(root, steps)),
                }
            }
            Token::Made { callee, .. } => self.path_within(callee, steps),
            Token::Instance { class } | Token::Object { class, .. } => self.path_within(class, steps),
            _ => "?".to_string(),
        }
    }
}

/// The libraries' constants that are numbers, of those that the program names.
fn numbers(solver: &Solver) -> FxHashMap<Tok, f64> {
    let number = |tok: Tok| {
        let Token::External(path) = solver.tokens.get(tok) else { return None };
        match solver.catalogue.value(solver.symbols.text(*path))?.1.value {
            Some(Formula::Number(n)) => Some((tok, n)),
            _ => None,
        }
    };
    solver.tokens.all().filter_map(number).collect()
}

/// Calls on what calls returned are spelled out so far back.
const PATH_STEPS: u32 = 24;

/// Whether a component runs a function or a closure written in it.
fn is_within(solver: &Solver, comp: &Component, func: FuncRef) -> bool {
    let mut at = comp;
    loop {
        if at.key.func == func {
            return true;
        }
        match at.key.parent {
            Some(parent) => at = &solver.comps[parent.0 as usize],
            None => return false,
        }
    }
}
