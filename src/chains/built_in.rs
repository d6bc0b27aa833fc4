//! Layers built into clients and their transports.

use super::compose::Composer;
use super::model::*;
use super::part::{PartLayer, Stands};
use super::variant::{VARIANTS, by_failure, worst_of};
use crate::catalogue::schema;
use crate::layers::formula::Scope;
use crate::layers::policy::{Policy, no_waits};
use crate::layers::val::Val;
use crate::link::token::*;
use crate::source::Place;

impl<'p> Composer<'p, '_, '_> {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn built_in(
        &mut self,
        library: &'p schema::Library,
        outbound: &'p schema::Outbound,
        scope: &Scope<'p>,
        at: CompId,
        call: Place,
        installed: bool,
        layers: &mut Vec<PartLayer>,
        depth: usize,
    ) {
        if depth > 4 {
            return;
        }
        let mut counts: Vec<Count> =
            VARIANTS.iter().map(|v| self.machine.sink_attempts(outbound, scope, v.failure, v.status)).collect();
        let written = outbound.at.as_ref().and_then(|f| self.written_place(f, scope));
        let kind = LayerKind::by_name(&outbound.kind).unwrap_or(LayerKind::Sdk);
        let shown = match worst_of(&counts) {
            Count::Exact(n) => n.saturating_sub(1).min(48),
            _ => 48,
        };
        let mut waits = match &outbound.wait {
            Some(formula) => self.machine.waits(Some(formula), scope, shown, false),
            None => no_waits(),
        };
        let limit = self.machine.time_limit(outbound.seconds.as_ref(), scope);
        for count in counts.iter_mut().filter(|c| **c != Count::ONE) {
            *count = limit.cut(*count, &waits);
        }
        let worst = worst_of(&counts);
        let retry_after = outbound.retry_after.as_ref().and_then(|f| self.machine.formula(f, scope));
        let ignores = matches!(&retry_after, Some(Val::Text(word)) if **word == *"ignored");
        waits.reads_retry_after = retry_after.is_some() && !ignores;
        let set = outbound.wait_at.as_ref().and_then(|f| self.written_place(f, scope));
        // Waits that somebody set, and retries that somebody asked for: of a transport, or of a client that has none otherwise.
        let asked = written.is_some() && (kind == LayerKind::Transport || self.is_asked_for(outbound, scope));
        waits.chosen = installed || set.is_some() || asked;
        let place = written.map_or(call, |(place, _)| place);
        waits.place = Some(set.map_or(place, |(place, _)| place));
        if counts.iter().any(|c| *c != Count::ONE) {
            let layer = Layer {
                kind,
                library: Some(library.name.clone()),
                version: None,
                place,
                function: self.view.name(at),
                defined: None,
                attempts: worst,
                by_failure: by_failure(&counts),
                source: written.map_or(CountSource::Default, |(_, source)| source),
                number: written.map(|(place, _)| place),
                also: Vec::new(),
                reason: matches!(worst, Count::Unknown(_)).then(|| "its setting is not known".to_string()),
                text: self.text(place),
                waits,
                setting: outbound.setting.clone(),
                off: outbound.off.clone(),
                misleading: outbound.misleading.clone().filter(|_| written.is_some()),
                retries_everything: false,
                permanent: Vec::new(),
                // Put in by the code to try statuses again, and deaf to what comes with them.
                by_status: installed && ignores,
                logs: false,
                limit: limit.seconds(),
                decides: None,
                spares_spent_quota: true,
                rereads: None,
                inherent: true,
                another: false,
                untouched: false,
                guessed: false,
                in_a_row: false,
                family: None,
            };
            // A client with a budget for each kind of failure has a layer for each.
            let mut budgets: Vec<Count> = Vec::new();
            for count in counts.iter().filter(|c| **c != Count::ONE) {
                if !budgets.contains(count) {
                    budgets.push(*count);
                }
            }
            for budget in budgets {
                let counts: Vec<Count> = counts.iter().map(|c| if *c == budget { *c } else { Count::ONE }).collect();
                let layer = Layer { attempts: budget, by_failure: by_failure(&counts), ..layer.clone() };
                layers.push(PartLayer { layer, counts, placed_by: None, stands: Stands::default() });
            }
        }
        for below in &outbound.below {
            self.built_in(library, below, scope, at, call, false, layers, depth + 1);
        }
        if let Some(from) = &outbound.below_from
            && let Some(below) = self.machine.formula(from, scope)
        {
            for value in self.machine.elements(&below).unwrap_or_else(|| vec![below]) {
                if let Val::Tok(tok) = value {
                    self.below(tok, scope, at, call, layers, depth);
                }
            }
        }
    }

    /// Whether a client retries nothing unless it is told to.
    fn is_asked_for(&mut self, outbound: &'p schema::Outbound, scope: &Scope<'p>) -> bool {
        let untold = Scope { entry: scope.entry, ..Scope::default() };
        VARIANTS.iter().all(|v| self.machine.sink_attempts(outbound, &untold, v.failure, v.status) == Count::ONE)
    }

    /// A client or transport below another one.
    fn below(
        &mut self,
        tok: Tok,
        scope: &Scope<'p>,
        at: CompId,
        call: Place,
        layers: &mut Vec<PartLayer>,
        depth: usize,
    ) {
        let callee = match *self.view.token(tok) {
            Token::Made { callee, .. } => Some(callee),
            // A class of the program below the library's.
            Token::Object { class, .. } => self.view.solver.external_base(class),
            _ => None,
        };
        let Some(callee) = callee else { return };
        let Some(mut known) = self.view.known(callee) else { return };
        let mut own = self.machine.scope_of(callee, Some(tok));
        let describes = |c: &schema::Callable| c.outbound.is_some() || c.transport.is_some() || c.layer.is_some();
        if !known.is_constructor
            && !describes(known.callable)
            && let Some((library, class)) = self.view.solver.known_class(tok)
            && describes(&class.new)
        {
            // Made by a function or a builder: what its class says.
            let callable = &class.new;
            known = crate::link::known::Known { library, callable, class: Some(class), is_constructor: true };
            own.entry = Some(known);
        }
        own.receiver = Some(Val::Tok(tok));
        own.request = scope.request.or(scope.call);
        let here = self.place_of_token(tok).unwrap_or(call);
        if let Some(outbound) = known.callable.outbound.as_ref() {
            self.built_in(known.library, outbound, &own, at, here, true, layers, depth + 1);
        }
        if let Some(outbound) = known.callable.transport.as_ref() {
            self.built_in(known.library, outbound, &own, at, here, true, layers, depth + 1);
        }
        // A client under a client: what any of its calls has built in.
        let method = known
            .class
            .filter(|_| known.callable.transport.is_none())
            .and_then(|c| c.methods.iter().find(|m| m.callable.outbound.is_some()));
        if let Some(method) = method
            && let Some(outbound) = method.callable.outbound.as_ref()
        {
            let entry = crate::link::known::Known { callable: &method.callable, is_constructor: false, ..known };
            let scope = Scope { entry: Some(entry), call: None, ..own.clone() };
            // What an SDK does by default stays its own choice, wherever it is put in.
            let installed = LayerKind::by_name(&outbound.kind) == Some(LayerKind::Transport);
            self.built_in(known.library, outbound, &scope, at, here, installed, layers, depth + 1);
        }
        if let Some(layer) = known.callable.layer.as_ref() {
            self.transport_layer(tok, &known, layer, own, layers);
        }
    }

    /// The retries that a transport or plugin under a client makes.
    fn transport_layer(
        &mut self,
        tok: Tok,
        known: &crate::link::known::Known<'p>,
        layer: &'p schema::Layer,
        mut scope: Scope<'p>,
        layers: &mut Vec<PartLayer>,
    ) {
        let Token::Made { callee, site } = *self.view.token(tok) else { return };
        let span = self.view.file(site.comp).exprs.get(site.expr.index()).map(|e| e.span).unwrap_or_default();
        let place = self.view.place(site.comp, span);
        let policy = Policy {
            known: *known,
            layer,
            callee,
            made: Some(tok),
            place,
            comp: site.comp,
            overrides: Vec::new(),
            applied: None,
            entry: None,
        };
        let mut counts = Vec::new();
        for variant in VARIANTS {
            scope.failure = Some((variant.failure, variant.status));
            let retried = layer.on_error.as_ref().map(|f| self.machine.formula_truth(f, &scope));
            if retried == Some(Some(false)) {
                counts.push(Count::ONE);
                continue;
            }
            counts.push(match self.machine.formula(&layer.attempts, &scope) {
                Some(Val::Num(n)) if n.hi.is_finite() => Count::Exact(n.hi.max(1.0) as u64),
                Some(Val::Num(_)) | None | Some(Val::Null) => Count::Unbounded,
                Some(_) => Count::Unknown(1),
            });
        }
        if counts.iter().all(|c| *c == Count::ONE) {
            return;
        }
        let worst = worst_of(&counts);
        let shown = match worst {
            Count::Exact(n) => n.saturating_sub(1).min(48),
            _ => 48,
        };
        let waits = self.machine.waits(layer.wait.as_ref(), &scope, shown, layer.engine_waits);
        let number = self.number_of(&policy);
        let reads =
            layer.reads_retry_after.as_ref().is_some_and(|f| self.machine.formula_truth(f, &scope) != Some(false));
        let info = Layer {
            kind: LayerKind::Transport,
            library: Some(known.library.name.clone()),
            version: None,
            place,
            function: self.view.name(site.comp),
            defined: None,
            attempts: worst,
            by_failure: by_failure(&counts),
            source: number.0,
            number: number.1,
            also: Vec::new(),
            reason: None,
            text: self.text(place),
            waits: crate::chains::Waits { chosen: true, place: Some(place), reads_retry_after: reads, ..waits },
            setting: layer.setting.clone(),
            off: None,
            misleading: layer.misleading.clone(),
            retries_everything: false,
            permanent: Vec::new(),
            by_status: false,
            logs: false,
            limit: None,
            decides: None,
            spares_spent_quota: false,
            rereads: None,
            inherent: true,
            another: false,
            untouched: false,
            guessed: false,
            in_a_row: false,
            family: None,
        };
        layers.push(PartLayer { layer: info, counts, placed_by: None, stands: Stands::default() });
    }
}
