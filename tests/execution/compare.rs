//! Programs held against squall: what it says of each class of failure must be what happened.

use super::concrete::{self, World};
use super::program::*;
use squall::catalogue::Catalogue;
use squall::chains::{Count, Failure};
use squall::config::Config;
use squall::discover::Project;
use squall::source::{Source, Sources};
use std::sync::OnceLock;

/// Every way in which a request can end, with the class it stands for.
pub const WORLDS: [(Failure, World); 14] = [
    (Failure::Connect, World::NotReached),
    (Failure::Disconnect, World::NotReached),
    (Failure::Timeout, World::TimesOut),
    (Failure::RateLimit, World::Answers(429)),
    (Failure::Overloaded, World::Answers(503)),
    (Failure::Overloaded, World::Answers(529)),
    (Failure::Server, World::Answers(500)),
    (Failure::Server, World::Answers(502)),
    (Failure::Conflict, World::Answers(409)),
    (Failure::Conflict, World::Answers(408)),
    (Failure::Permanent, World::Answers(400)),
    (Failure::Permanent, World::Answers(401)),
    (Failure::Permanent, World::Answers(404)),
    (Failure::Permanent, World::Answers(422)),
];

/// Requests by class of failure; none: no end.
pub type Counts = [Option<u64>; 8];

/// What happens. None if the program repeats its request after a success too (then it is no retry), or has too many
/// ways to go.
pub fn expected(program: &Program) -> Option<Counts> {
    let good = concrete::worst(program, World::Answers(200))?;
    if good.requests != 1 || good.unbounded {
        return None;
    }
    let mut counts: Counts = [Some(1); 8];
    for (failure, world) in WORLDS {
        let ran = concrete::worst(program, world)?;
        let slot = &mut counts[failure.index()];
        *slot = match (*slot, ran.unbounded) {
            (Some(n), false) => Some(n.max(ran.requests)),
            _ => None,
        };
    }
    Some(counts)
}

pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(Catalogue::embedded)
}

/// What squall says of each text.
pub fn said(texts: &[String]) -> Vec<Result<Counts, String>> {
    let files = texts.iter().enumerate().map(|(i, text)| Source::new(format!("p{i:04}.py"), text, false)).collect();
    let project = Project { root: "/tree".into(), sources: Sources { files }, ..Project::default() };
    let report = squall::analyse(&project, &Config::default(), catalogue());
    let mut all: Vec<Result<Counts, String>> = vec![Ok([Some(1); 8]); texts.len()];
    for chain in &report.analysis.chains {
        let Some(Ok(counts)) = all.get_mut(chain.call.place.file.index()) else { continue };
        let mut unknown = None;
        for (slot, count) in counts.iter_mut().zip(chain.by_failure) {
            *slot = match (*slot, count) {
                (Some(old), Count::Exact(n) | Count::Time(Some(n))) => Some(old.max(n)),
                (_, Count::Unknown(_)) => {
                    unknown =
                        Some(format!("{:?}: {:?}", count, chain.layers.iter().map(|l| &l.reason).collect::<Vec<_>>()));
                    None
                }
                _ => None,
            };
        }
        if let Some(why) = unknown {
            all[chain.call.place.file.index()] = Err(why);
        }
    }
    all
}

/// Whether what is said is right: a number that is given must be the one that happens; where none can be given, that
/// is said. A program whose parts are free to go different ways each time they are called is
/// held to the bound only.
pub fn agrees(program: &Program, expected: &Counts, said: &Result<Counts, String>) -> bool {
    let Ok(said) = said else { return true };
    if program.is_free_below() {
        let at_least = |(e, s): (&Option<u64>, &Option<u64>)| s.is_none_or(|s| e.is_some_and(|e| s >= e));
        return expected.iter().zip(said).all(at_least);
    }
    expected == said
}

/// A smaller program that is still said to do something else than it does.
pub fn shrunk(program: Program) -> Program {
    let wrong = |p: &Program| expected(p).is_some_and(|e| !agrees(p, &e, &said(&[p.text()])[0]));
    let mut program = program;
    let mut tried = 0;
    'again: loop {
        for smaller in super::shrink::smaller(&program) {
            tried += 1;
            if tried > 400 {
                return program;
            }
            if wrong(&smaller) {
                program = smaller;
                continue 'again;
            }
        }
        return program;
    }
}
