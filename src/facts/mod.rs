//! Facts about functions that checks need beyond chains: the steps of jobs, side effects in repeated regions,
//! keys, headers, fan-out, breakers, tests of messages, and what names say of counts.

mod anew;
mod breakers;
mod effects;
mod fan_out;
mod ground;
mod guards;
mod headers;
mod interceptors;
mod jobs;
mod keys;
mod layers;
mod length;
mod map;
mod messages;
mod names;
mod portions;
mod questions;
mod reading;
mod regions;
mod slice;
mod streams;
pub(crate) mod words;
mod workers;

use crate::chains::compose::Composer;
use crate::chains::{Chain, Facts, Job};
use std::sync::Arc;

/// Collects the facts of a program whose chains are composed, and fills in what layers say of themselves.
pub fn collect<'v>(
    composer: &mut Composer<'_, '_, 'v>,
    texts: &'v [Arc<str>],
    chains: &mut [Chain],
) -> (Vec<Job>, Facts) {
    let ground = ground::Ground::new(composer, texts);
    let regions = regions::regions(&ground, composer);
    layers::fill(&ground, &regions, chains);
    let keys = keys::uses(&ground, composer, &regions);
    keys::settle(&ground, composer, &keys, chains);
    let facts = Facts {
        headers: headers::uses(&ground, composer, &regions),
        messages: messages::tests(&ground, &regions),
        effects: effects::effects(&ground, composer, &regions, chains, &keys),
        fan_outs: fan_out::fan_outs(&ground, composer, &regions),
        breakers: breakers::breakers(&ground, composer),
        names: names::names(&ground, composer, &regions, chains),
        keys,
    };
    let jobs = jobs::jobs(&ground, composer, &regions);
    (jobs, facts)
}
