//! Facts about a JavaScript file by itself: which members of classes are static, which functions use their
//! receiver or `arguments`, and parameters that make a function one of its own for each call.

use super::owners::Owners;
use super::symbols::{Symbol, Symbols};
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// What is known of one JavaScript file.
#[derive(Default)]
pub struct Script {
    /// Variables of class bodies by name. A static and an instance member may share one.
    pub members: FxHashMap<(FunctionId, Symbol), SmallVec<[Member; 1]>>,
    /// Functions that read `this` or `super`, themselves or through arrows inside.
    pub uses_this: FxHashSet<FunctionId>,
    /// Functions that read `arguments`.
    pub uses_arguments: FxHashSet<FunctionId>,
    /// Names of properties with accessors outside of classes.
    pub accessors: FxHashSet<Symbol>,
    /// Whether it has a default export.
    pub has_default: bool,
}

/// A variable of a class body.
#[derive(Clone, Copy)]
pub struct Member {
    /// The variable.
    pub var: VarId,
    /// Whether it belongs to the class itself; not known of accessors.
    pub is_static: Option<bool>,
}

/// Looks at one file. Parameters that classes extend, or that are called through `call` and the like, tell calls
/// apart as those do that are called plainly.
pub fn read(at: usize, file: &File, symbols: &Symbols, owners: &Owners, tell_apart: &mut dyn FnMut(ExprId)) -> Script {
    let mut script = Script::default();
    if file.language != Language::JavaScript {
        return script;
    }
    for stmt in &file.stmts {
        match stmt {
            Stmt::Export(Export::Default(_)) => script.has_default = true,
            Stmt::Export(Export::From(name, ..)) => script.has_default |= file.name(*name) == "default",
            _ => {}
        }
    }
    for class in &file.classes {
        class.bases.iter().for_each(|&base| tell_apart(base));
        members(at, file, class, symbols, &mut script);
    }
    for (i, expr) in file.exprs.iter().enumerate() {
        match &expr.kind {
            ExprKind::This | ExprKind::Super(_) => {
                if let Some(owner) = owners.exprs[i] {
                    script.uses_this.insert(outside_arrows(file, owner));
                }
            }
            ExprKind::Free(name) if file.name(*name) == "arguments" => {
                if let Some(owner) = owners.exprs[i] {
                    script.uses_arguments.insert(outside_arrows(file, owner));
                }
            }
            ExprKind::Call { callee, args, .. } => {
                let ExprKind::Attr { object, name, .. } = file.expr(*callee).kind else { continue };
                match file.name(name) {
                    "call" | "apply" | "bind" => tell_apart(object),
                    "defineProperty" | "__defineGetter__" | "defineProperties" | "create" => {
                        for arg in args.iter().skip(1) {
                            script.accessors.extend(keys(at, file, symbols, arg.value()));
                        }
                    }
                    _ => {}
                }
            }
            ExprKind::Dict(entries) => {
                for entry in entries {
                    match *entry {
                        Entry::Getter(key, _) => script.accessors.extend(keys(at, file, symbols, key)),
                        Entry::Pair(key, _) => {
                            let names = keys(at, file, symbols, key).into_iter();
                            let setter = |name| symbols.find(symbols.text(name).strip_prefix("set ")?);
                            script.accessors.extend(names.filter_map(setter));
                        }
                        Entry::Spread(_) => {}
                    }
                }
            }
            _ => {}
        }
    }
    script
}

/// A constant text, or the constant keys of an object literal.
fn keys(at: usize, file: &File, symbols: &Symbols, e: ExprId) -> Vec<Symbol> {
    let text = |e: ExprId| match file.expr(e).kind {
        ExprKind::Literal(Literal::Str(name)) => Some(symbols.of(at, name)),
        _ => None,
    };
    match &file.expr(e).kind {
        ExprKind::Dict(entries) => {
            entries.iter().filter_map(|entry| if let Entry::Pair(key, _) = *entry { text(key) } else { None }).collect()
        }
        _ => text(e).into_iter().collect(),
    }
}

/// The function whose `this` and `arguments` a function sees.
pub fn outside_arrows(file: &File, function: FunctionId) -> FunctionId {
    let mut at = function;
    while let (FunctionKind::Arrow, Some(parent)) = (file.function(at).kind, file.function(at).parent) {
        at = parent;
    }
    at
}

fn members(at: usize, file: &File, class: &Class, symbols: &Symbols, script: &mut Script) {
    let mut add = |var: VarId, is_static: Option<bool>| {
        let key = (class.body, symbols.of(at, file.var(var).name));
        let list = script.members.entry(key).or_default();
        match list.iter_mut().find(|m| m.var == var) {
            Some(member) if member.is_static != is_static => member.is_static = None,
            Some(_) => {}
            None => list.push(Member { var, is_static }),
        }
    };
    for &stmt in file.block(file.function(class.body).body) {
        match file.stmt(stmt) {
            Stmt::Function { function, target: Some(var) } => {
                let is_static = match file.function(*function).binding {
                    Binding::Static => Some(true),
                    Binding::Getter | Binding::Setter => None,
                    _ => Some(false),
                };
                add(*var, is_static);
            }
            Stmt::Assign { targets, .. } => {
                for &target in targets {
                    if let Pattern::Bind(var) = *file.pattern(target) {
                        add(var, Some(true));
                    }
                }
            }
            _ => {}
        }
    }
}
