//! Facts about functions that checks need beyond chains: the steps of jobs, side effects in repeated regions,
//! keys, headers, fan-out, breakers, tests of messages, and what names say of counts.

mod ground;
mod guards;
mod headers;
mod jobs;
mod keys;
mod layers;
mod map;
mod regions;
mod slice;
mod words;

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
    let facts = Facts {
        headers: headers::uses(&ground, composer, &regions),
        keys: keys::uses(&ground, composer, &regions),
        ..Facts::default()
    };
    let jobs = jobs::jobs(&ground, composer, &regions);
    (jobs, facts)
}
