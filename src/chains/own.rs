//! The program's own layers around a chain, and where they are applied.

use super::compose::Composer;
use super::model::*;
use super::part::{Part, PartLayer, Stands};
use super::units::Runs;
use super::variant::{VARIANTS, by_failure, permanent_of, worst_of};
use crate::ir::{ExprId, ExprKind, ParamKind};
use crate::layers::machine::{Callee, CalleeKey};
use crate::layers::unit::OwnLayer;
use crate::link::component::Via;
use crate::link::token::*;
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl Composer<'_, '_, '_> {
    /// Puts a unit's own layers around a chain of something it calls.
    pub(super) fn around(
        &mut self,
        comp: CompId,
        unit: &Rc<FxHashSet<CompId>>,
        key: &CalleeKey,
        at: CompId,
        expr: ExprId,
        mut inner: Part,
    ) -> Option<Part> {
        let (deadlines, left_alone) = self.deadlines(at, expr);
        for deadline in &deadlines {
            self.cut_off(&mut inner, deadline);
        }
        inner.detached |= left_alone;
        inner.unseen = inner.unseen || self.goes_unseen(unit, key, (at, expr), &inner);
        let mut runs = self.runs(comp, unit, key, &inner);
        if !runs.reached && !self.heavy.get(&self.view.func(comp)).is_some_and(|known| known.1) {
            // It may be called only after something else has failed.
            self.machine.others_fail = true;
            runs = self.runs(comp, unit, key, &inner);
            self.machine.others_fail = false;
        }
        let Runs { mut found, mut outcomes, reached, lost, spent } = runs;
        if !reached {
            return None;
        }
        if lost {
            inner.lost.get_or_insert(inner.path.len());
        }
        inner.at_least |= spent && found.is_empty() && self.in_a_loop(at, expr);
        if inner.unseen {
            found.clear();
            outcomes.clone_from(&inner.outcomes);
        }
        let own: Vec<PartLayer> = found.into_iter().map(|(own, counts)| self.own_layer(comp, own, counts)).collect();
        let hands_on =
            matches!(key.target, Callee::Comp(target) if inner.layers.iter().any(|l| l.placed_by == Some(target)));
        let mut own = self.applied_where(at, expr, hands_on, own);
        for part in &mut own {
            part.stands = Stands { below: inner.path.len(), own: true, made: None };
        }
        if let Callee::Comp(target) = key.target {
            for part in &mut inner.layers {
                if part.placed_by == Some(target) {
                    part.placed_by = None;
                    self.place_at(&mut part.layer, at, expr, LayerKind::Wrapper);
                }
            }
        }
        let repeats = !own.is_empty();
        inner.layers.splice(0..0, own);
        inner.outcomes = outcomes;
        if repeats && self.view.file(comp).language == crate::ir::Language::Python {
            for deadline in self.limits_of_loops(at, expr) {
                let before: Vec<Count> = inner.layers.iter().map(|layer| layer.layer.attempts).collect();
                self.cut_off(&mut inner, &deadline);
                // The wait that time ends is not waited to its end.
                for (layer, attempts) in inner.layers.iter_mut().zip(before) {
                    layer.layer.waits.after_last &= layer.layer.attempts == attempts;
                }
            }
        }
        for deadline in deadlines.iter().filter(|d| d.lasts) {
            self.cut_off(&mut inner, deadline);
        }
        inner.path.insert(0, (at, expr));
        Some(inner)
    }

    /// Moves a home-made layer to where it is applied; its loop is where it is defined.
    fn place_at(&self, layer: &mut Layer, at: CompId, expr: ExprId, kind: LayerKind) {
        let file = self.view.file(at);
        let Some(e) = file.exprs.get(expr.index()) else { return };
        let place = match kind {
            LayerKind::Decorator => self.view.place(at, e.span),
            _ => self.view.call_place(at, expr),
        };
        layer.defined = Some(layer.place);
        layer.waits.place.get_or_insert(layer.place);
        layer.place = place;
        layer.kind = kind;
        layer.function = self.view.name(at);
        layer.text = self.text(place);
    }

    /// Finds out where the own layers of a unit are applied, if what they repeat is a callable handed in.
    fn applied_where(&self, at: CompId, expr: ExprId, hands_on: bool, mut own: Vec<PartLayer>) -> Vec<PartLayer> {
        if own.is_empty() {
            return own;
        }
        let file = self.view.file(at);
        let Some(ExprKind::Call { callee, args, .. }) = file.exprs.get(expr.index()).map(|e| &e.kind) else {
            return own;
        };
        // A parameter that is handed to a wrapper inside is called as well.
        let handed = args.iter().map(|a| a.value()).find(|e| {
            let ExprKind::Var(var) = file.expr(*e).kind else { return false };
            let owner = file.function(file.var(var).owner);
            owner.params.iter().any(|p| binds(file, p.pattern, var))
        });
        match file.expr(handed.filter(|_| hands_on).unwrap_or(*callee)).kind {
            ExprKind::Var(var) => {
                let owner = file.var(var).owner;
                let is_param = file.function(owner).params.iter().any(|p| binds(file, p.pattern, var));
                if !is_param {
                    return own;
                }
                if self.view.func(at).id == owner {
                    for part in &mut own {
                        part.placed_by = Some(at);
                    }
                } else if let Some(outer) = self.view.solver.owner(at, self.view.func(at).file, owner)
                    && let Some(&(caller, site, via)) = self.callers[outer.0 as usize].first()
                {
                    let kind = if via == Via::Decorate { LayerKind::Decorator } else { LayerKind::Wrapper };
                    for part in &mut own {
                        self.place_at(&mut part.layer, caller, site, kind);
                    }
                }
            }
            ExprKind::Attr { object, .. } => {
                let of_receiver = self.is_receiver(at, object);
                // A callable kept in a field: where the object was made.
                let receiver = self.view.calls(at, expr).iter().find_map(|c| match *self.view.token(c.callee) {
                    // A method is kept in no field.
                    Token::Function { func, .. } if self.takes_receiver(func) => None,
                    Token::Function { .. } | Token::Wrapped { .. } => self.receiver_of(at),
                    Token::Bound { this, .. } if of_receiver => self.receiver_of(at).filter(|r| *r != this),
                    _ => None,
                });
                if let Some(Token::Object { site, .. }) = receiver.map(|r| self.view.token(r)) {
                    let decorates = self
                        .callers
                        .iter()
                        .flatten()
                        .any(|(c, e, via)| *c == site.comp && *e == site.expr && *via == Via::Decorate);
                    let kind = if decorates { LayerKind::Decorator } else { LayerKind::Wrapper };
                    for part in &mut own {
                        self.place_at(&mut part.layer, site.comp, site.expr, kind);
                    }
                }
            }
            _ => {}
        }
        own
    }

    /// Whether an expression is the receiver of a function itself: `self`.
    fn is_receiver(&self, comp: CompId, e: ExprId) -> bool {
        let file = self.view.file(comp);
        match file.expr(e).kind {
            ExprKind::This => true,
            ExprKind::Var(var) => {
                let owner = file.function(file.var(var).owner);
                owner.params.first().is_some_and(|p| p.kind == ParamKind::Receiver && binds(file, p.pattern, var))
            }
            _ => false,
        }
    }

    fn takes_receiver(&self, func: FuncRef) -> bool {
        let params = &self.view.solver.function(func).params;
        params.first().is_some_and(|p| p.kind == ParamKind::Receiver)
    }

    /// The receiver that a component runs on, if it is one object.
    fn receiver_of(&self, comp: CompId) -> Option<Tok> {
        use crate::link::store::Addr;
        let store = &self.view.solver.store;
        store.get(Addr::Param(comp, 0)).or_else(|| store.get(Addr::This(comp))).and_then(|v| v.single())
    }

    pub(super) fn own_layer(&mut self, comp: CompId, own: OwnLayer, counts: Vec<Count>) -> PartLayer {
        let everything = counts.iter().all(|c| *c != Count::ONE)
            || VARIANTS.iter().zip(&counts).any(|(v, c)| {
                // Once more after a 401 is with a new token.
                let renewed = v.status == Some(401) && matches!(c, Count::Exact(2) | Count::Unbounded);
                v.failure == Failure::Permanent && *c != Count::ONE && !renewed
            });
        let file_comp = comp;
        let source = self.source_of_loop(comp, own.place);
        let layer = Layer {
            kind: own.kind,
            library: None,
            version: None,
            place: own.place,
            function: self.view.name(file_comp),
            defined: None,
            attempts: worst_of(&counts),
            by_failure: by_failure(&counts),
            source,
            number: Some(own.place),
            also: Vec::new(),
            reason: own.reason,
            text: self.text(own.place),
            waits: own.waits,
            setting: None,
            off: None,
            misleading: None,
            retries_everything: everything,
            permanent: permanent_of(&counts),
            by_status: own.by_status,
            logs: false,
            limit: None,
            decides: own.decides,
            spares_spent_quota: false,
            rereads: None,
            inherent: false,
            another: false,
            untouched: false,
            guessed: false,
            in_a_row: own.in_a_row,
            family: None,
        };
        PartLayer { layer, counts, placed_by: None, stands: Stands::default() }
    }
}

/// Whether a parameter's pattern binds a variable.
fn binds(file: &crate::ir::File, pattern: crate::ir::PatId, var: crate::ir::VarId) -> bool {
    use crate::ir::Pattern;
    match file.pattern(pattern) {
        Pattern::Bind(v) => *v == var,
        Pattern::Default(inner, _) => binds(file, *inner, var),
        Pattern::Object { entries, .. } => entries.iter().any(|e| binds(file, e.1, var)),
        _ => false,
    }
}
