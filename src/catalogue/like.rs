//! Filling in what entries of a file share: `like = "…"` and the locals of a class.

use super::Formula;
use super::schema::{Callable, Layer, LibraryFile, Outbound};
use std::collections::BTreeMap;

/// Shared facts nest this deep at most; more is a circle.
const DEEPEST: usize = 8;

/// Makes every entry complete.
pub(super) fn fill_in(file: &mut LibraryFile) {
    let shared = Shared { outbounds: std::mem::take(&mut file.outbounds), layers: std::mem::take(&mut file.layers) };
    for function in &mut file.functions {
        shared.fill(&mut function.callable);
    }
    for class in &mut file.classes {
        for method in &mut class.methods {
            let callable = &method.callable;
            if callable.outbound.is_none() && callable.layer.is_none() && callable.entry_layer.is_none() {
                continue;
            }
            for (name, formula) in &class.locals {
                let locals = &mut method.callable.locals;
                locals.entry(name.clone()).or_insert_with(|| formula.clone());
            }
            shared.fill(&mut method.callable);
        }
        if class.new.entry_layer.is_some() {
            for (name, formula) in &class.locals {
                class.new.locals.entry(name.clone()).or_insert_with(|| formula.clone());
            }
        }
        shared.fill(&mut class.new);
    }
    file.outbounds = shared.outbounds;
    file.layers = shared.layers;
}

struct Shared {
    outbounds: BTreeMap<String, Outbound>,
    layers: BTreeMap<String, Layer>,
}

impl Shared {
    fn fill(&self, callable: &mut Callable) {
        let outbounds = [&mut callable.outbound, &mut callable.transport];
        for outbound in outbounds.into_iter().flatten() {
            self.fill_outbound(outbound);
        }
        let layers = [&mut callable.layer, &mut callable.entry_layer];
        for layer in layers.into_iter().flatten() {
            self.fill_layer(layer);
        }
    }

    fn fill_outbound(&self, outbound: &mut Outbound) {
        let mut next = outbound.like.clone();
        for _ in 0..DEEPEST {
            let Some(from) = next.take().and_then(|name| self.outbounds.get(&name)) else {
                break;
            };
            merge_outbound(outbound, from);
            next = from.like.clone();
        }
        for below in &mut outbound.below {
            if let Some(from) = below.like.as_ref().and_then(|name| self.outbounds.get(name)) {
                merge_outbound(below, from);
            }
        }
    }

    fn fill_layer(&self, layer: &mut Layer) {
        let mut next = layer.like.clone();
        for _ in 0..DEEPEST {
            let Some(from) = next.take().and_then(|name| self.layers.get(&name)) else {
                break;
            };
            merge_layer(layer, from);
            next = from.like.clone();
        }
    }
}

/// What an entry does not say is taken from the other.
fn merge_outbound(to: &mut Outbound, from: &Outbound) {
    if to.kind.is_empty() {
        to.kind.clone_from(&from.kind);
    }
    if to.retries.is_empty() {
        to.retries.clone_from(&from.retries);
    }
    if to.below.is_empty() {
        to.below.clone_from(&from.below);
    }
    if to.through.is_empty() {
        to.through.clone_from(&from.through);
    }
    for (failure, formula) in &from.attempts_by_failure {
        let formulas = &mut to.attempts_by_failure;
        formulas.entry(failure.clone()).or_insert_with(|| formula.clone());
    }
    for (failure, class) in &from.raises {
        let classes = &mut to.raises;
        classes.entry(failure.clone()).or_insert_with(|| class.clone());
    }
    to.stream |= from.stream;
    macro_rules! take {
        ($($field:ident)*) => {$(
            if to.$field.is_none() {
                to.$field.clone_from(&from.$field);
            }
        )*};
    }
    take! {
        attempts when seconds wait retry_after below_from rescued_by rescued_call setting off misleading at wait_at answers raises_status_if exhausted
        exhausted_if stream_if timeout writes idempotency sends_retry_after infrastructure
    }
}

fn merge_layer(to: &mut Layer, from: &Layer) {
    if to.kind.is_empty() {
        to.kind.clone_from(&from.kind);
    }
    if to.attempts == Formula::Null {
        to.attempts.clone_from(&from.attempts);
    }
    to.engine_waits |= from.engine_waits;
    macro_rules! take {
        ($($field:ident)*) => {$(
            if to.$field.is_none() {
                to.$field.clone_from(&from.$field);
            }
        )*};
    }
    take! {
        seconds wait on_error on_result exhausted not_retried reads_retry_after setting misleading at wait_at logs generators
    }
}
