//! The formulas of an entry, and which arguments of a call they ask for.

use super::formula::Formula;
use super::schema::{Callable, Layer, Outbound};

impl Callable {
    /// Its formulas, without those of what it sends and of its layers.
    pub(super) fn own_formulas(&self) -> impl Iterator<Item = &Formula> {
        let by_name = [&self.defaults, &self.props, &self.locals, &self.sets, &self.assigns];
        let single = [
            &self.value,
            &self.sleep,
            &self.predicate,
            &self.raises_unless,
            &self.deadline,
            &self.suppresses,
            &self.keeps_errors,
            &self.after,
            &self.sends_to,
            &self.receives_from,
        ];
        by_name.into_iter().flat_map(|named| named.values()).chain(single.into_iter().flatten())
    }

    /// Whether what is given for a parameter can change anything but what is sent.
    pub fn asks_for(&self, parameter: &str) -> bool {
        let named = [&self.derives_from, &self.records_on, &self.options, &self.binds];
        let returned = self.returns.iter().chain(&self.returns_also);
        let called = self.calls.iter().flat_map(|c| c.with.iter().chain([&c.callable]));
        let heads = called.map(|text| text.trim_start_matches('*').split(['.', '[']).next().unwrap_or_default());
        let mut outbounds: Vec<&Outbound> = self.outbound.iter().chain(&self.transport).collect();
        let mut sent: Vec<&Formula> = Vec::new();
        while let Some(outbound) = outbounds.pop() {
            if outbound.idempotency.as_deref() == Some(parameter) {
                return true;
            }
            outbounds.extend(&outbound.below);
            sent.extend(outbound.formulas());
        }
        let layers = self.layer.iter().chain(&self.entry_layer).flat_map(Layer::formulas);
        named.into_iter().flatten().any(|name| name == parameter)
            || returned.into_iter().any(|what| what.strip_prefix("argument ") == Some(parameter))
            || heads.into_iter().any(|head| head == parameter)
            || self.own_formulas().chain(sent).chain(layers).any(|formula| formula.mentions(parameter))
    }
}

impl Outbound {
    /// Its formulas, without those of the layers below.
    pub(super) fn formulas(&self) -> impl Iterator<Item = &Formula> {
        let single = [
            &self.attempts,
            &self.when,
            &self.seconds,
            &self.wait,
            &self.retry_after,
            &self.below_from,
            &self.rescued_by,
            &self.at,
            &self.wait_at,
            &self.raises_status_if,
            &self.exhausted_if,
            &self.stream_if,
            &self.timeout,
            &self.writes,
        ];
        let through = self.through.iter().map(|through| &through.on);
        single.into_iter().flatten().chain(self.attempts_by_failure.values()).chain(through)
    }
}

impl Layer {
    /// Its formulas.
    pub(super) fn formulas(&self) -> impl Iterator<Item = &Formula> {
        let single = [
            &self.seconds,
            &self.wait,
            &self.on_error,
            &self.on_result,
            &self.exhausted,
            &self.not_retried,
            &self.reads_retry_after,
            &self.at,
            &self.wait_at,
            &self.logs,
            &self.generators,
        ];
        [&self.attempts].into_iter().chain(single.into_iter().flatten())
    }
}

impl Formula {
    /// Whether a name stands in it, be it as a text.
    fn mentions(&self, name: &str) -> bool {
        let mut pending = vec![self];
        while let Some(formula) = pending.pop() {
            match formula {
                Formula::Name(text) | Formula::Text(text) if text == name => return true,
                Formula::Field(of, _) | Formula::Not(of) | Formula::Neg(of) => pending.push(of),
                Formula::Index(a, b) | Formula::Binary(_, a, b) => pending.extend([&**a, &**b]),
                Formula::Call(_, items) | Formula::List(items) => pending.extend(items),
                _ => {}
            }
        }
        false
    }
}
