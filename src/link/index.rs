//! What can be said about each file by itself, before any value is known: names of scopes, variables
//! that other functions write, parameters that a function calls. Built per file, in parallel.

use super::owners::Owners;
use super::scripts::{self, Script};
use super::symbols::{Symbol, Symbols};
use crate::ir::*;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Facts about one file.
#[derive(Default)]
pub struct FileIndex {
    /// Variables by name, for module scopes and class bodies.
    pub scopes: FxHashMap<FunctionId, FxHashMap<Symbol, VarId>>,
    /// Variables that are written by another function than the one that owns them.
    pub foreign_writes: FxHashSet<VarId>,
    /// For each function, the parameters by whose values its calls are told apart.
    pub told_apart: FxHashMap<FunctionId, Vec<u32>>,
    /// For each function, the parameters whose text says what it does (`switch (name)`): constants tell its calls apart.
    pub chosen_by: FxHashMap<FunctionId, Vec<u32>>,
    /// For each captured variable, its number among those of its owner; for each function, how many it has.
    pub captured: (Vec<u32>, Vec<u32>),
    /// How deep expressions and statements nest.
    pub depth: u32,
    /// Modules whose names are all imported: module path and the scope that imports them.
    pub star_imports: Vec<(FunctionId, ModulePath)>,
    /// Modules whose exports are all exported again.
    pub star_exports: Vec<ModulePath>,
    /// What concerns JavaScript only.
    pub script: Script,
}

/// Indexes all files.
pub fn index(files: &[File], symbols: &Symbols) -> Vec<FileIndex> {
    files.par_iter().enumerate().map(|(at, file)| index_file(at, file, symbols)).collect()
}

fn index_file(at: usize, file: &File, symbols: &Symbols) -> FileIndex {
    let mut index = FileIndex::default();
    for (i, var) in file.vars.iter().enumerate() {
        let kind = file.function(var.owner).kind;
        if matches!(kind, FunctionKind::Module | FunctionKind::ClassBody) {
            let scope = index.scopes.entry(var.owner).or_default();
            scope.entry(symbols.of(at, var.name)).or_insert(VarId(i as u32));
        }
    }
    index.captured = captured(file);
    let owners = Owners::new(file);
    index.depth = owners.depth;
    for (i, pattern) in file.patterns.iter().enumerate() {
        if let (Pattern::Bind(var) | Pattern::As(_, var), Some(writer)) = (pattern, owners.patterns[i])
            && file.var(*var).owner != writer
        {
            index.foreign_writes.insert(*var);
        }
    }
    let mut told_apart = TellApart::new(file);
    index.script = scripts::read(at, file, symbols, &owners, &mut |e| told_apart.note(e, |_, _| true));
    index.chosen_by = told_apart.chosen_by();
    index.told_apart = told_apart.run();
    for (i, stmt) in file.stmts.iter().enumerate() {
        if let Stmt::Import { module, imported: Imported::Star, .. } = stmt {
            let scope = owners.stmts[i].unwrap_or(MODULE);
            index.star_imports.push((scope, module.clone()));
        }
        if let Stmt::Export(Export::Star(module)) = stmt {
            index.star_exports.push(module.clone());
        }
    }
    index
}

/// Finds the parameters that decide what a function does: those that it, or a function inside it, calls; those
/// that it gives back; those that a decorator with optional arguments tests; the receiver of a constructor.
struct TellApart<'f> {
    file: &'f File,
    params: FxHashMap<VarId, (FunctionId, u32)>,
    /// Functions with functions inside.
    outer: FxHashSet<FunctionId>,
    found: FxHashMap<FunctionId, Vec<u32>>,
}

impl<'f> TellApart<'f> {
    fn new(file: &'f File) -> Self {
        let outer = file.functions.iter().filter_map(|f| f.parent).collect();
        Self { file, params: param_vars(file), outer, found: FxHashMap::default() }
    }

    /// Parameters that a function switches on, compares with a constant, or looks things up by.
    fn chosen_by(&self) -> FxHashMap<FunctionId, Vec<u32>> {
        let file = self.file;
        let mut found: FxHashMap<FunctionId, Vec<u32>> = FxHashMap::default();
        let mut note = |e: ExprId| {
            let ExprKind::Var(var) = file.expr(e).kind else { return };
            let Some(&(function, param)) = self.params.get(&var) else { return };
            let list = found.entry(function).or_default();
            if !list.contains(&param) {
                list.push(param);
            }
        };
        let is_constant =
            |e: ExprId| matches!(file.expr(e).kind, ExprKind::Literal(Literal::Str(_)) | ExprKind::Attr { .. });
        for expr in &file.exprs {
            match &expr.kind {
                ExprKind::Compare(CompareOp::Eq | CompareOp::NotEq | CompareOp::Is | CompareOp::IsNot, a, b) => {
                    if is_constant(*b) {
                        note(*a);
                    }
                    if is_constant(*a) {
                        note(*b);
                    }
                }
                ExprKind::Index { index, .. } => note(*index),
                ExprKind::Call { callee, args, .. } => {
                    if let (ExprKind::Attr { name, .. }, [Arg::Positional(key)]) = (&file.expr(*callee).kind, &args[..])
                        && file.name(*name) == "get"
                    {
                        note(*key);
                    }
                }
                _ => {}
            }
        }
        for stmt in &file.stmts {
            if let Stmt::Match { subject, .. } = stmt {
                note(*subject);
            }
        }
        found
    }

    fn run(mut self) -> FxHashMap<FunctionId, Vec<u32>> {
        for expr in &self.file.exprs {
            match expr.kind {
                ExprKind::Call { callee, .. } => self.note(callee, |_, _| true),
                ExprKind::Conditional { test, .. } => self.note_tested(test),
                _ => {}
            }
        }
        for stmt in &self.file.stmts {
            match stmt {
                Stmt::Return(Some(e)) => self.note_returned(*e),
                Stmt::If { test, .. } => self.note_tested(*test),
                _ => {}
            }
        }
        for (f, function) in self.file.functions.iter().enumerate() {
            let name = function.name.map_or("", |n| self.file.name(n));
            let receives = function.params.first().is_some_and(|p| p.kind == ParamKind::Receiver);
            if name == "__init__" && receives && function.params.len() > 1 {
                self.found.entry(FunctionId(f as u32)).or_default().push(0);
            }
        }
        self.found
    }

    fn note(&mut self, e: ExprId, fits: impl Fn(&Function, &Param) -> bool) {
        let ExprKind::Var(var) = self.file.expr(e).kind else { return };
        let Some(&(function, param)) = self.params.get(&var) else { return };
        let declared = self.file.function(function);
        if !fits(declared, &declared.params[param as usize]) {
            return;
        }
        let list = self.found.entry(function).or_default();
        if !list.contains(&param) {
            list.push(param);
        }
    }

    fn note_returned(&mut self, e: ExprId) {
        let plain = |_: &Function, param: &Param| param.kind != ParamKind::Receiver;
        match self.file.expr(e).kind {
            ExprKind::Or(a, b) | ExprKind::Coalesce(a, b) => {
                self.note(a, plain);
                self.note(b, plain);
            }
            ExprKind::Conditional { then, otherwise, .. } => {
                self.note(then, plain);
                self.note(otherwise, plain);
            }
            _ => self.note(e, plain),
        }
    }

    /// `if fn is None: return decorator`
    fn note_tested(&mut self, test: ExprId) {
        let tested = match self.file.expr(test).kind {
            ExprKind::Unary(UnaryOp::Not, e) => e,
            ExprKind::Compare(CompareOp::Is | CompareOp::IsNot | CompareOp::Eq | CompareOp::NotEq, e, _) => e,
            ExprKind::Call { ref args, .. } => match args.first() {
                Some(arg) => arg.value(),
                None => return,
            },
            _ => test,
        };
        let file = self.file;
        let ExprKind::Var(var) = file.expr(tested).kind else { return };
        let Some(&(function, _)) = self.params.get(&var) else { return };
        let has_closures = self.outer.contains(&function);
        self.note(tested, |_, param| has_closures && param.default.is_some());
    }
}

fn captured(file: &File) -> (Vec<u32>, Vec<u32>) {
    let mut counts = vec![0; file.functions.len()];
    let number = |var: &Var| {
        let count: &mut u32 = &mut counts[var.owner.index()];
        if !var.captured {
            return u32::MAX;
        }
        *count += 1;
        *count - 1
    };
    let numbers = file.vars.iter().map(number).collect();
    (numbers, counts)
}

fn param_vars(file: &File) -> FxHashMap<VarId, (FunctionId, u32)> {
    let mut vars = FxHashMap::default();
    for (f, function) in file.functions.iter().enumerate() {
        for (p, param) in function.params.iter().enumerate() {
            let mut pattern = param.pattern;
            while let Pattern::Default(inner, _) = file.pattern(pattern) {
                pattern = *inner;
            }
            if let Pattern::Bind(var) = file.pattern(pattern) {
                vars.insert(*var, (FunctionId(f as u32), p as u32));
            }
        }
    }
    vars
}
