//! What each layer repeats: a loop's turns, or a whole function, down to the outbound call it repeats it for.

use super::ground::Ground;
use super::map::block_span;
use crate::chains::compose::Composer;
use crate::chains::part::{Part, PartLayer};
use crate::chains::{Layer, LayerKind, OutboundCall};
use crate::ir::*;
use crate::link::component::Target;
use crate::link::token::{CompId, FuncRef, Tok};
use crate::source::Place;
use rustc_hash::FxHashSet;
use std::cell::OnceCell;
use std::rc::Rc;

/// The code that a layer repeats for one outbound call.
#[derive(Clone)]
pub struct Region {
    /// The layer.
    pub layer: Layer,
    /// Who runs the code.
    pub comp: CompId,
    /// Its bytes.
    pub span: Span,
    /// The loop, if it is one's turns; else the whole function is repeated.
    pub turns: Option<StmtId>,
    /// The calls from there down to the outbound call.
    pub path: Vec<(CompId, ExprId)>,
    /// The outbound call.
    pub call: Rc<OutboundCall>,
    /// A library's policy object or decorator.
    pub made: Option<Tok>,
    decided: OnceCell<Decided>,
}

/// The code that decides for a region, worked out once.
#[derive(Clone, Default)]
struct Decided {
    code: Vec<(CompId, Span)>,
    given: Vec<FuncRef>,
}

impl Region {
    /// Whether an expression of the repeating component's own code is in the region.
    pub fn holds(&self, ground: &Ground, e: ExprId) -> bool {
        ground.file(self.comp).exprs.get(e.index()).is_some_and(|x| within(x.span, self.span))
    }

    /// The code that decides for it: its own, helpers it calls that do not send, and functions that its policy was
    /// given. With the bytes of each.
    pub fn deciding(&self, ground: &Ground) -> &[(CompId, Span)] {
        &self.decided(ground).code
    }

    /// The functions that a library's policy was given: predicates, waits, callbacks.
    pub fn given(&self, ground: &Ground) -> &[FuncRef] {
        &self.decided(ground).given
    }

    fn decided(&self, ground: &Ground) -> &Decided {
        self.decided.get_or_init(|| {
            let given = given(ground, self);
            Decided { code: deciding(ground, self, &given), given }
        })
    }
}

/// Regions whose code is the same: one for each layer and component, whatever it is repeated for.
pub fn distinct(regions: &[Region]) -> impl Iterator<Item = &Region> {
    let mut seen = FxHashSet::default();
    regions.iter().filter(move |r| seen.insert((written(&r.layer), r.layer.kind, r.comp, r.made)))
}

/// Whether one span lies in another.
pub fn within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Where a layer is written: its loop if the code base has one.
pub fn written(layer: &Layer) -> Place {
    layer.defined.unwrap_or(layer.place)
}

/// The regions of all layers that are not built into clients, each layer, component and outbound call once.
pub fn regions(ground: &Ground, composer: &Composer) -> Vec<Region> {
    let mut list = Vec::new();
    let mut seen = FxHashSet::default();
    let parts = composer.parts.iter().flatten().map(|part| (part, false));
    let entered = composer.entered.iter().map(|(_, part)| (part, true));
    // What is sure comes first, and stands for the rest.
    let mut parts: Vec<(&Part, bool)> = parts.chain(entered).collect();
    parts.sort_by_key(|(part, _)| part.lost.is_some());
    for (part, is_entry) in parts {
        for layer in &part.layers {
            let Some((region, key)) = region(ground, part, layer, is_entry) else { continue };
            if seen.insert(key) {
                list.push(region);
            }
        }
    }
    list
}

type Key = (Place, LayerKind, CompId, Place);

fn region(ground: &Ground, part: &Part, layer: &PartLayer, is_entry: bool) -> Option<(Region, Key)> {
    let stands = layer.stands;
    let length = part.path.len();
    // Only where it stands at the top of the path: further up the same layer comes again.
    let first = match (is_entry, stands.own) {
        (true, false) if stands.below == length => 0,
        (false, true) if stands.below + 1 == length => 0,
        (false, false) if stands.below + 1 == length && length > 1 => 1,
        _ => return None,
    };
    if layer.layer.kind.is_built_in() {
        return None;
    }
    let path = part.path.get(first..)?.to_vec();
    let mut comp = path.first()?.0;
    let mut turns = None;
    let mut span = ground.view.function(comp).span;
    if stands.own && layer.layer.kind != LayerKind::Recursion {
        let place = written(&layer.layer);
        let stmt = ground.map_of(place.file.0).loops.get(&place.span).copied()?;
        let function = ground.map_of(place.file.0).at(stmt)?.function;
        let func = FuncRef { file: place.file.0, id: function };
        if ground.view.func(comp) != func {
            comp = path
                .iter()
                .map(|p| p.0)
                .find(|&c| ground.view.func(c) == func)
                .or_else(|| ground.comps_of(func).first().copied())?;
        }
        span = turn_span(ground.file(comp), stmt)?;
        turns = Some(stmt);
    }
    let key = (written(&layer.layer), layer.layer.kind, comp, part.call.place);
    let region = Region {
        layer: Layer { guessed: part.guesses(layer), ..layer.layer.clone() },
        comp,
        span,
        turns,
        path,
        call: part.call.clone(),
        made: stands.made,
        decided: OnceCell::new(),
    };
    Some((region, key))
}

/// The bytes that each turn of a loop runs.
fn turn_span(file: &File, stmt: StmtId) -> Option<Span> {
    match file.stmt(stmt) {
        Stmt::ForEach { body, .. } => block_span(file, *body),
        Stmt::Loop { before, body, update, after, .. } => {
            let mut span = block_span(file, *body)?;
            let parts = before.iter().chain(after).map(|e| file.expr(*e).span);
            for part in parts.chain(update.and_then(|b| block_span(file, b))) {
                span = Span { start: span.start.min(part.start), end: span.end.max(part.end) };
            }
            Some(span)
        }
        _ => None,
    }
}

fn deciding(ground: &Ground, region: &Region, given: &[FuncRef]) -> Vec<(CompId, Span)> {
    let mut list = vec![(region.comp, region.span)];
    let mut at = 0;
    let mut depth_end = 1;
    for _ in 0..3 {
        while at < depth_end {
            let (comp, span) = list[at];
            at += 1;
            for record in ground.view.all_calls(comp) {
                let Target::Comp(target) = record.target else { continue };
                let inside = ground.file(comp).exprs.get(record.expr.index()).is_some_and(|e| within(e.span, span));
                if inside
                    && !ground.reaching[target.0 as usize]
                    && !list.iter().any(|(c, _)| *c == target)
                    && list.len() < 64
                {
                    list.push((target, ground.view.function(target).span));
                }
            }
        }
        depth_end = list.len();
    }
    for func in given {
        for &comp in ground.comps_of(*func).iter().take(2) {
            if !list.iter().any(|(c, _)| *c == comp) {
                list.push((comp, ground.view.function(comp).span));
            }
        }
    }
    list
}

fn given(ground: &Ground, region: &Region) -> Vec<FuncRef> {
    use super::slice::Slice;
    use crate::layers::val::Val;
    use crate::link::store::Addr;
    use crate::link::token::Token;
    let Some(made) = region.made else { return Vec::new() };
    let Token::Made { site, .. } = *ground.view.token(made) else { return Vec::new() };
    let slice = Slice::of(ground, site.comp, site.expr);
    let told = only_told(ground, made);
    let mut found = Vec::new();
    for node in &slice.nodes {
        let file = ground.view.func(node.comp).file;
        let at = ground.file(node.comp).expr(node.expr).span;
        if file == ground.view.func(site.comp).file && told.iter().any(|span| within(at, *span)) {
            continue;
        }
        match ground.file(node.comp).expr(node.expr).kind {
            ExprKind::Closure(id) => found.push(FuncRef { file, id }),
            ExprKind::Var(var) => {
                for def in ground.map(node.comp).defs(var) {
                    if let super::map::Source::Function(id) = def.source {
                        found.push(FuncRef { file, id });
                    }
                }
                let owner = ground.view.solver.owner(node.comp, file, ground.file(node.comp).var(var).owner);
                if let Some(owner) = owner
                    && let Val::Tok(tok) = ground.view.read(Addr::Var(owner, var))
                {
                    match *ground.view.token(tok) {
                        Token::Function { func, .. } => found.push(func),
                        Token::Object { class, .. } => found.extend(call_method(ground, class)),
                        _ => {}
                    }
                }
            }
            ExprKind::Call { .. } => {
                for record in ground.view.calls(node.comp, node.expr) {
                    if let Token::Class { .. } = ground.view.token(record.callee) {
                        found.extend(call_method(ground, record.callee));
                    }
                }
            }
            _ => {}
        }
    }
    let mut seen = FxHashSet::default();
    found.retain(|f| seen.insert(*f) && !region.path.iter().any(|(c, _)| ground.view.func(*c) == *f));
    found
}

/// Options of a library's call that nothing in it asks for: callbacks that are told of a failure, and decide nothing.
fn only_told(ground: &Ground, made: Tok) -> Vec<Span> {
    use crate::link::token::Token;
    let Token::Made { site, callee } = *ground.view.token(made) else { return Vec::new() };
    let Some(known) = ground.view.known(callee) else { return Vec::new() };
    let file = ground.file(site.comp);
    let ExprKind::Call { args, .. } = file.exprs.get(site.expr.index()).map_or(&ExprKind::This, |e| &e.kind) else {
        return Vec::new();
    };
    let asked = |name: &str| known.callable.asks_for(name) || known.callable.named.iter().any(|n| n == name);
    let mut told = Vec::new();
    for arg in args {
        let ExprKind::Dict(entries) = &file.expr(arg.value()).kind else { continue };
        for entry in entries {
            if let Entry::Pair(key, value) = *entry
                && super::map::constant(file, key).is_some_and(|name| !asked(file.name(name)))
            {
                told.push(file.expr(value).span);
            }
        }
    }
    told
}

/// The method by which objects of a class are called.
fn call_method(ground: &Ground, class: Tok) -> Option<FuncRef> {
    use crate::link::token::Token;
    let Token::Class { class, .. } = *ground.view.token(class) else { return None };
    let file = &ground.view.solver.files[class.file as usize];
    let methods = &file.class(class.id).methods;
    methods.iter().find(|(name, _)| file.name(*name) == "__call__").map(|(_, id)| FuncRef { file: class.file, id: *id })
}
