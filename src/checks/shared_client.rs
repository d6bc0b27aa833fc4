//! SQ503: background work and live traffic behind one limit.

use super::sites::repeats;
use super::words::{figure, rank};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Chain, EntryKind};
use crate::source::Place;
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    name: "shared-client",
    code: "SQ503",
    severity: Severity::Note,
    pedantic: false,
    summary: "One client serves request handlers and background jobs that retry",
    page: include_str!("shared_client.md"),
    run,
};

/// The chains through one client.
#[derive(Default)]
struct Users<'a> {
    live: Vec<&'a Chain>,
    background: Vec<(usize, &'a Chain)>,
}

fn run(input: &Input, out: &mut Vec<Finding>) {
    let mut clients: BTreeMap<Place, Users> = BTreeMap::new();
    for (index, chain) in input.analysis.chains.iter().enumerate() {
        let Some(client) = chain.call.client else { continue };
        let users = clients.entry(client).or_default();
        if is_live(chain) {
            users.live.push(chain);
        }
        if retries_in_background(chain) {
            users.background.push((index, chain));
        }
    }
    for (client, users) in clients {
        let worst = users.background.iter().max_by_key(|(index, chain)| (rank(chain.worst), std::cmp::Reverse(*index)));
        let (Some(live), Some((index, background))) = (users.live.first(), worst) else { continue };
        out.push(
            input
                .draft(&CHECK, client, "")
                .message(format!(
                    "This client serves requests (`{}`) and jobs that retry (`{}`, up to {} attempts): when the jobs storm, the \
                     live calls are refused with them",
                    entry(live, is_live_entry),
                    entry(background, is_job_entry),
                    figure(background.worst)
                ))
                .help(
                    "Make one client for each kind of traffic: few and short attempts for live calls, a limit of its own for \
                     background work (a key of its own, too, if the service's limit goes by key).",
                )
                .chain(*index)
                .confidence(live.confidence.min(background.confidence))
                .related(live.call.place, "the live call")
                .related(background.call.place, "the background call")
                .done(),
        );
    }
}

fn is_live_entry(kind: EntryKind) -> bool {
    matches!(kind, EntryKind::RequestHandler | EntryKind::WebSocket)
}

fn is_job_entry(kind: EntryKind) -> bool {
    matches!(kind, EntryKind::Job | EntryKind::Schedule)
}

fn has_job_layer(chain: &Chain) -> bool {
    chain.layers.iter().any(|layer| layer.kind.is_job() && repeats(layer))
}

/// A request that only enqueues a job is not live any more when the job runs.
fn is_live(chain: &Chain) -> bool {
    !has_job_layer(chain) && chain.entries.iter().any(|entry| is_live_entry(entry.kind))
}

/// Whether a job's own retry, or one around the call, is on the chain; every client retries a little by itself.
pub(super) fn retries_in_background(chain: &Chain) -> bool {
    let own = chain.layers.iter().any(|layer| !layer.kind.is_built_in() && repeats(layer));
    has_job_layer(chain) || (own && chain.entries.iter().any(|entry| is_job_entry(entry.kind)))
}

/// The name of an entry of that kind, else of any.
fn entry(chain: &Chain, kind: fn(EntryKind) -> bool) -> &str {
    let fitting = chain.entries.iter().find(|entry| kind(entry.kind));
    fitting.or(chain.entries.first()).map_or(chain.call.function.as_str(), |entry| entry.function.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::Layer;

    fn using(client: u32, kind: EntryKind, layers: Vec<Layer>) -> Chain {
        let mut chain = chain(layers);
        chain.call.client = Some(line(client));
        chain.entries[0].kind = kind;
        chain
    }

    #[test]
    fn one_client_for_a_handler_and_a_job() {
        let live = using(3, EntryKind::RequestHandler, vec![built_in(50, 3)]);
        let mut jobs = using(3, EntryKind::Job, vec![job(10, 3), built_in(60, 3)]);
        jobs.call.place = line(60);
        let found = check(&CHECK, vec![live, jobs]);
        assert_eq!((lines(&found), related(&found[0]), found[0].chain), (vec![3], vec![50, 60], Some(1)));
    }

    #[test]
    fn two_clients_or_jobs_that_do_not_retry_are_fine() {
        let live = || using(3, EntryKind::RequestHandler, vec![built_in(50, 3)]);
        let other = using(4, EntryKind::Job, vec![job(10, 3)]);
        let once = using(3, EntryKind::Job, vec![built_in(50, 3)]);
        assert_eq!(check(&CHECK, vec![live(), other]), vec![]);
        assert_eq!(check(&CHECK, vec![live(), once]), vec![]);
        let enqueues = using(3, EntryKind::RequestHandler, vec![job(10, 3)]);
        assert_eq!(check(&CHECK, vec![enqueues]), vec![]);
    }
}
