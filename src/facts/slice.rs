//! Where a value comes from: a backward walk over definitions, parameters and results, through calls and back
//! to the place that made it. Values only, no conditions.

use super::ground::Ground;
use super::map::{Def, Role, Source};
use crate::ir::*;
use crate::layers::relevant::children;
use crate::link::component::{Target, Via};
use crate::link::token::*;
use rustc_hash::FxHashMap;

/// A slice visits at most so many expressions.
const NODES: usize = 4_000;
/// Calls are followed down at most so deep.
const DEPTH: u32 = 6;
/// A parameter is followed to at most so many calls.
const CALLS: usize = 24;

/// The function entered at a call, on the way down to a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Entered {
    comp: CompId,
    site: (CompId, ExprId),
    outer: u32,
    depth: u32,
}

/// No function was entered.
const OUT: u32 = u32::MAX;

/// One expression of a slice.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Who evaluates it.
    pub comp: CompId,
    /// The expression.
    pub expr: ExprId,
    context: u32,
    /// The node that it flows into.
    pub to: Option<u32>,
    /// Only this key of it is wanted.
    pub key: Option<Name>,
}

/// A backward slice.
pub struct Slice {
    /// Its expressions; what they flow into comes before them.
    pub nodes: Vec<Node>,
    contexts: Vec<Entered>,
    seen: FxHashMap<(CompId, ExprId, u32), u32>,
    /// Edges beyond the first from each node: (from, to).
    more: Vec<(u32, u32)>,
}

impl Slice {
    /// Where the value of an expression comes from.
    pub fn of(ground: &Ground, comp: CompId, expr: ExprId) -> Self {
        Self::of_all(ground, [(comp, expr)])
    }

    /// The nearest sources of a value only: what an object is, not what it is made of.
    pub fn short(ground: &Ground, comp: CompId, expr: ExprId) -> Self {
        Self::walk(ground, [(comp, expr)], 60)
    }

    /// Where the values of some expressions come from.
    pub fn of_all(ground: &Ground, roots: impl IntoIterator<Item = (CompId, ExprId)>) -> Self {
        Self::walk(ground, roots, NODES)
    }

    fn walk(ground: &Ground, roots: impl IntoIterator<Item = (CompId, ExprId)>, most: usize) -> Self {
        let mut slice = Self { nodes: Vec::new(), contexts: Vec::new(), seen: FxHashMap::default(), more: Vec::new() };
        for (comp, expr) in roots {
            // Link makes expressions of its own that stand nowhere.
            if expr.index() >= ground.file(comp).exprs.len() {
                continue;
            }
            slice.push(comp, expr, OUT, None, None);
        }
        let mut at = 0;
        while at < slice.nodes.len() && slice.nodes.len() < most {
            slice.expand(ground, at as u32);
            at += 1;
        }
        slice
    }

    /// Where an expression stands as seen from the root: the outermost call on the way down to it, or itself.
    pub fn home(&self, node: u32) -> (CompId, ExprId) {
        let here = &self.nodes[node as usize];
        let mut home = (here.comp, here.expr);
        let mut context = here.context;
        while let Some(entered) = self.contexts.get(context as usize) {
            home = entered.site;
            context = entered.outer;
        }
        home
    }

    /// Everything that a node flows into, itself included.
    pub fn above(&self, node: u32) -> Vec<u32> {
        let mut marked = vec![false; self.nodes.len()];
        let mut pending = vec![node];
        let mut list = Vec::new();
        while let Some(n) = pending.pop() {
            match marked.get_mut(n as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            list.push(n);
            pending.extend(self.nodes[n as usize].to);
            pending.extend(self.more.iter().filter(|(from, _)| *from == n).map(|(_, to)| *to));
        }
        list.sort_unstable();
        list
    }

    /// Whether one node flows into another directly.
    pub fn flows(&self, from: u32, to: u32) -> bool {
        self.nodes[from as usize].to == Some(to) || self.more.contains(&(from, to))
    }

    fn push(&mut self, comp: CompId, expr: ExprId, context: u32, to: Option<u32>, key: Option<Name>) {
        if let Some(&old) = self.seen.get(&(comp, expr, context)) {
            if let Some(to) = to
                && to != old
            {
                self.more.push((old, to));
                // Wanted as a whole by somebody: then all of it counts.
                if key.is_none() && self.nodes[old as usize].key.is_some() {
                    self.nodes[old as usize].key = None;
                }
            }
            return;
        }
        self.seen.insert((comp, expr, context), self.nodes.len() as u32);
        self.nodes.push(Node { comp, expr, context, to, key });
    }

    fn expand(&mut self, ground: &Ground, at: u32) {
        let Node { comp, expr, context, key, .. } = self.nodes[at as usize];
        let file = ground.file(comp);
        let to = Some(at);
        let Some(here) = file.exprs.get(expr.index()) else { return };
        match &here.kind {
            ExprKind::Var(var) => self.variable(ground, at, *var),
            ExprKind::Attr { object, name, .. } => {
                self.field(ground, at, *object, *name);
                self.push(comp, *object, context, to, Some(*name));
            }
            ExprKind::Index { object, index } => {
                let key = super::map::constant(file, *index);
                self.push(comp, *object, context, to, key);
            }
            ExprKind::Dict(entries) | ExprKind::Struct { entries, .. } => {
                for entry in entries {
                    match *entry {
                        Entry::Pair(k, v) => {
                            let constant = super::map::constant(file, k);
                            let other = key.is_some_and(|wanted| constant.is_some_and(|c| c != wanted));
                            if !other {
                                self.push(comp, v, context, to, None);
                            }
                        }
                        Entry::Spread(e) => self.push(comp, e, context, to, key),
                        Entry::Getter(..) => {}
                    }
                }
            }
            ExprKind::Call { callee, args, .. } => {
                let mut entered = false;
                for record in ground.view.calls(comp, expr) {
                    if let Target::Comp(target) = record.target
                        && matches!(record.via, Via::Call | Via::Handed)
                        && !ground.is_elsewhere(comp, record)
                    {
                        entered |= record.via == Via::Call;
                        self.enter(ground, at, target, key);
                    }
                }
                if !entered || is_constructor(ground, comp, expr) {
                    if let ExprKind::Attr { object, .. } = &file.expr(*callee).kind {
                        self.push(comp, *object, context, to, None);
                    }
                    for arg in args {
                        if key.is_none() || !matches!(arg, Arg::Keyword(name, _) if Some(*name) != key) {
                            self.push(comp, arg.value(), context, to, None);
                        }
                    }
                }
            }
            ExprKind::Conditional { then, otherwise, .. } => {
                self.push(comp, *then, context, to, key);
                self.push(comp, *otherwise, context, to, key);
            }
            ExprKind::And(_, b) => self.push(comp, *b, context, to, key),
            ExprKind::Await(e) | ExprKind::Propagate(e) | ExprKind::Typed(e, _) => {
                self.push(comp, *e, context, to, key)
            }
            ExprKind::Assign { value, .. } => self.push(comp, *value, context, to, key),
            ExprKind::Closure(_) | ExprKind::Class(_) => {}
            ExprKind::Block { result, .. } => {
                if let Some(result) = result {
                    self.push(comp, *result, context, to, key);
                }
            }
            _ => {
                let mut parts = Vec::new();
                children(file, expr, &mut parts);
                for part in parts {
                    self.push(comp, part, context, to, None);
                }
            }
        }
    }

    /// The results of a function of the program.
    fn enter(&mut self, ground: &Ground, at: u32, target: CompId, key: Option<Name>) {
        let Node { comp, expr, context, .. } = self.nodes[at as usize];
        let depth = self.contexts.get(context as usize).map_or(0, |c| c.depth) + 1;
        let mut outer = context;
        while let Some(entered) = self.contexts.get(outer as usize) {
            if entered.comp == target {
                return;
            }
            outer = entered.outer;
        }
        if depth > DEPTH {
            return;
        }
        let entered = Entered { comp: target, site: (comp, expr), outer: context, depth };
        let inner = match self.contexts.iter().position(|c| *c == entered) {
            Some(known) => known as u32,
            None => {
                self.contexts.push(entered);
                self.contexts.len() as u32 - 1
            }
        };
        // A key names a field of this file's; others have their own tables.
        let key = key.filter(|_| ground.view.func(target).file == ground.view.func(comp).file);
        let function = ground.view.func(target).id;
        for &e in ground.map(target).returns.get(&function).map_or(&[][..], Vec::as_slice) {
            self.push(target, e, inner, Some(at), key);
        }
    }

    fn variable(&mut self, ground: &Ground, at: u32, var: VarId) {
        let Node { comp, expr, context, key, .. } = self.nodes[at as usize];
        let file = ground.file(comp);
        let owner = file.var(var).owner;
        let local = ground.view.func(comp).id == owner;
        let (owner_comp, context) = if local {
            (comp, context)
        } else {
            match ground.view.solver.owner(comp, ground.view.func(comp).file, owner) {
                // A captured variable: the function around it was not entered at this call.
                Some(owner) => (owner, OUT),
                None => return,
            }
        };
        let map = ground.map(comp);
        let defs = if local { reaching(ground, comp, var, expr) } else { map.defs(var).to_vec() };
        for def in defs {
            match def.source {
                Source::Whole(e) => self.push(owner_comp, e, context, Some(at), key),
                Source::Part(e, name) => self.push(owner_comp, e, context, Some(at), name),
                Source::Each(e) | Source::Entered(e) => self.push(owner_comp, e, context, Some(at), None),
                Source::Param(i) => self.parameter(ground, at, owner_comp, context, i, key),
                Source::Caught(_) | Source::Function(_) => {}
            }
        }
        for addition in map.additions.get(&var).map_or(&[][..], Vec::as_slice) {
            let other = key.is_some() && addition.key.is_some() && addition.key != key;
            if !other {
                self.push(owner_comp, addition.value, context, Some(at), None);
            }
        }
    }

    /// The arguments that reach a parameter: of the call that was followed down, or of every call.
    fn parameter(&mut self, ground: &Ground, at: u32, comp: CompId, context: u32, index: u32, key: Option<Name>) {
        match self.contexts.get(context as usize).copied() {
            Some(entered) if entered.comp == comp => {
                let (caller, site) = entered.site;
                self.argument(ground, at, comp, (caller, site, entered.outer), index, key);
            }
            _ => {
                let callers: Vec<(CompId, ExprId)> = ground
                    .callers(comp)
                    .iter()
                    .filter(|(_, r)| r.via == Via::Call)
                    .map(|(c, r)| (*c, r.expr))
                    .take(CALLS)
                    .collect();
                for (caller, site) in callers {
                    self.argument(ground, at, comp, (caller, site, OUT), index, key);
                }
            }
        }
    }

    fn argument(
        &mut self,
        ground: &Ground,
        at: u32,
        callee: CompId,
        (caller, site, context): (CompId, ExprId, u32),
        index: u32,
        key: Option<Name>,
    ) {
        for e in arguments(ground, callee, caller, site, index) {
            // Names are each file's own.
            let key = key.filter(|_| ground.view.func(callee).file == ground.view.func(caller).file);
            self.push(caller, e, context, Some(at), key);
        }
    }

    /// A field of an object of the program: what its class's methods put there.
    fn field(&mut self, ground: &Ground, at: u32, object: ExprId, name: Name) {
        let Node { comp, .. } = self.nodes[at as usize];
        let file = ground.file(comp);
        let function = ground.view.function(comp);
        let of_this = match &file.expr(object).kind {
            ExprKind::This => true,
            ExprKind::Var(var) => function.params.first().is_some_and(|p| {
                p.kind == ParamKind::Receiver && matches!(file.pattern(p.pattern), Pattern::Bind(v) if v == var)
            }),
            _ => false,
        };
        if !of_this {
            return;
        }
        let class = class_of(file, ground.view.func(comp).id);
        let file_index = ground.view.func(comp).file;
        for &(owner, value) in ground.map(comp).fields.get(&name).map_or(&[][..], Vec::as_slice) {
            if class_of(file, owner) != class {
                continue;
            }
            for &target in ground.comps_of(FuncRef { file: file_index, id: owner }).iter().take(CALLS) {
                self.push(target, value, OUT, Some(at), None);
            }
        }
    }
}

/// The class that a function, or the one around it, belongs to.
fn class_of(file: &File, mut function: FunctionId) -> Option<ClassId> {
    for _ in 0..16 {
        let f = file.function(function);
        if f.class.is_some() {
            return f.class;
        }
        function = f.parent?;
    }
    None
}

fn is_constructor(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    ground.view.calls(comp, e).iter().any(|r| matches!(ground.view.token(r.callee), Token::Class { .. }))
        || matches!(ground.file(comp).expr(e).kind, ExprKind::Call { kind: CallKind::New, .. })
}

/// The arguments of a call that a parameter takes.
pub fn arguments(ground: &Ground, callee: CompId, caller: CompId, site: ExprId, index: u32) -> Vec<ExprId> {
    let file = ground.file(caller);
    let Some(ExprKind::Call { args, callee: written, .. }) = file.exprs.get(site.index()).map(|e| &e.kind) else {
        return Vec::new();
    };
    let function = ground.view.function(callee);
    let target = ground.file(callee);
    let Some(param) = function.params.get(index as usize) else { return Vec::new() };
    if param.kind == ParamKind::Receiver {
        return match &file.expr(*written).kind {
            ExprKind::Attr { object, .. } => vec![*object],
            _ => Vec::new(),
        };
    }
    let receivers = function.params.iter().take_while(|p| p.kind == ParamKind::Receiver).count() as u32;
    let position = (index - receivers.min(index)) as usize;
    let named = param.name.map(|n| target.name(n));
    let mut found = Vec::new();
    let mut positional = 0;
    let mut spread = false;
    for arg in args {
        match arg {
            Arg::Positional(e) => {
                let takes = match param.kind {
                    ParamKind::VarArgs => positional >= position,
                    ParamKind::KwArgs | ParamKind::KeywordOnly => false,
                    _ => positional == position,
                };
                if takes || (spread && param.kind != ParamKind::KwArgs) {
                    found.push(*e);
                }
                positional += 1;
            }
            Arg::Keyword(name, e) => {
                let text = file.name(*name);
                let takes = match param.kind {
                    ParamKind::KwArgs => {
                        !function.params.iter().any(|p| p.name.is_some_and(|n| target.name(n) == text))
                    }
                    _ => named == Some(text),
                };
                if takes {
                    found.push(*e);
                }
            }
            Arg::Spread(e) => {
                spread = true;
                if !matches!(param.kind, ParamKind::KwArgs | ParamKind::KeywordOnly) && positional <= position {
                    found.push(*e);
                }
            }
            Arg::KeywordSpread(e) => {
                if param.kind != ParamKind::VarArgs {
                    found.push(*e);
                }
            }
        }
    }
    found
}

/// The definitions of a local variable that can reach a use of it.
pub fn reaching(ground: &Ground, comp: CompId, var: VarId, used: ExprId) -> Vec<Def> {
    let map = ground.map(comp);
    let file = ground.file(comp);
    let defs = map.defs(var);
    if defs.len() < 2 {
        return defs.to_vec();
    }
    let Some(stmt) = map.stmt_of(used) else { return defs.to_vec() };
    let start = |d: &Def| d.stmt.and_then(|s| file.stmt_spans.get(s.index())).map_or(0, |s| s.start);
    // Blocks around the use, with the position in each.
    let mut path: Vec<(BlockId, u32)> = Vec::new();
    let mut loops: Vec<Span> = Vec::new();
    let mut at = Some(stmt);
    if let Some(here) = map.at(stmt) {
        path.push((here.block, here.index));
    }
    // What a statement around the use binds, it binds before the use.
    while let Some(s) = at {
        let Some((parent, role)) = map.around(s).next() else { break };
        if role == Role::Turn {
            loops.push(file.stmt_spans[parent.index()]);
        }
        if let Some(here) = map.at(parent) {
            path.push((here.block, here.index + 1));
        }
        at = Some(parent);
    }
    let dominating = |d: &&Def| {
        !d.adds
            && match d.stmt.and_then(|s| map.at(s)) {
                // Parameters and what the statements around bind come first.
                None => true,
                Some(at) => path.iter().any(|(block, index)| *block == at.block && at.index < *index),
            }
    };
    let Some(last) = defs.iter().filter(dominating).max_by_key(|d| start(d)) else { return defs.to_vec() };
    let from = start(last);
    let used_at = file.expr(used).span.start;
    defs.iter()
        .filter(|d| {
            let at = start(d);
            // Between the last sure definition and the use, or later in a loop that comes round to the use.
            let round = at > used_at && loops.iter().any(|l| l.start <= at && at < l.end && from < l.start);
            at >= from && (at <= used_at || round)
        })
        .copied()
        .collect()
}
