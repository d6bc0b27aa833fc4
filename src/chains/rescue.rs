//! Handlers of a client around its calls: where a call fails they run, and may send it again.

use super::compose::{Composer, OUTCOMES};
use super::model::*;
use super::part::{Part, PartLayer, Stands};
use super::variant::VARIANTS;
use crate::catalogue::{Formula, schema};
use crate::layers::formula::Scope;
use crate::layers::machine::Outcome;
use crate::layers::rescue::Rescue;
use crate::layers::unit::OwnLayer;
use crate::layers::val::{Error, ErrorClass, Val};
use crate::link::component::Target;
use crate::link::token::*;
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl<'p> Composer<'p, '_, '_> {
    /// Puts what the client's handlers make of a failed call around its chain.
    pub(super) fn rescue(
        &mut self,
        part: &mut Part,
        handlers: &'p Formula,
        outbound: &'p schema::Outbound,
        scope: &Scope<'p>,
        made: Tok,
    ) {
        let found = self.machine.formula(handlers, scope);
        let handlers = self.machine.callables_in(found);
        let Token::Made { callee, .. } = *self.view.token(made) else { return };
        let within = self.run_by(&handlers);
        // What a handler sends is part of what it does for others.
        if handlers.is_empty() || within.contains(&part.sink.0) {
            return;
        }
        let unit = Rc::new(within);
        let mut layers: Vec<(OwnLayer, Vec<Count>)> = Vec::new();
        let mut again = None;
        for i in 0..VARIANTS.len() {
            let mut ends: Vec<Outcome> = Vec::new();
            for outcome in part.outcomes[i].clone() {
                let Outcome::Raise(error) = &outcome else {
                    ends.push(outcome);
                    continue;
                };
                let rescue = Rescue {
                    made,
                    callee,
                    handlers: handlers.clone(),
                    attribute: Rc::from(outbound.rescued_call.as_deref().unwrap_or_default()),
                    listed: self.always_there(outbound, error),
                    at: part.sink,
                    error: error.clone(),
                    again: Default::default(),
                    entered: Default::default(),
                };
                let (result, sent) = self.machine.rescued(rescue, &unit);
                again = again.or(sent);
                super::units::merge_layers(&mut layers, &result.layers, i);
                let new = result.outcomes.into_iter().filter(|end| !ends.contains(end)).collect::<Vec<_>>();
                ends.extend(new);
            }
            ends.truncate(OUTCOMES);
            part.outcomes[i] = ends;
        }
        let Some((comp, _)) = again else { return };
        let below = part.path.len();
        let own: Vec<PartLayer> = layers.into_iter().map(|(own, counts)| self.own_layer(comp, own, counts)).collect();
        for mut layer in own.into_iter().rev() {
            layer.stands = Stands { below, own: true, made: None };
            part.layers.insert(0, layer);
        }
    }

    /// The settings that a failed call always has, by the class that the error's class gives them.
    fn always_there(&self, outbound: &schema::Outbound, error: &Error) -> Vec<String> {
        let (ErrorClass::Known(class), Some(attribute)) = (&error.class, &outbound.rescued_call) else {
            return Vec::new();
        };
        let catalogue = self.view.solver.catalogue;
        let settings = catalogue.bases(class).find_map(|(_, class)| class.fields.get(attribute));
        let settings = settings.and_then(|class| catalogue.class(class));
        settings.map(|(_, class)| class.new.named.clone()).unwrap_or_default()
    }

    /// Functions that callables run and that can come to an outbound call.
    fn run_by(&self, callables: &[Val]) -> FxHashSet<CompId> {
        let mut pending: Vec<CompId> = Vec::new();
        for callable in callables {
            let Val::Tok(mut at) = *callable else { continue };
            while let Token::Bound { func, .. } | Token::Partial { func, .. } = *self.view.token(at) {
                at = func;
            }
            if let Token::Function { func, env } = *self.view.token(at) {
                pending.extend(self.view.component_of(func, env));
            }
        }
        let mut found: FxHashSet<CompId> = FxHashSet::default();
        while let Some(comp) = pending.pop() {
            if !found.insert(comp) {
                continue;
            }
            for call in self.view.all_calls(comp) {
                if let Target::Comp(target) = call.target
                    && self.reaching[target.0 as usize]
                {
                    pending.push(target);
                }
            }
        }
        found
    }
}
