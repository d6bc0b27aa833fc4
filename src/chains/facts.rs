//! What checks ask about functions beyond their layers: how a header is read, where a key is made, what is
//! started at once. Each fact names the layer it belongs to by that layer's place.

use super::{Confidence, Count};
use crate::source::Place;

/// All facts, each list ordered by place.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Facts {
    /// Every reading of a Retry-After header that decides a layer's wait.
    pub headers: Vec<HeaderUse>,
    /// Every test of an error's text that decides whether a layer tries again.
    pub messages: Vec<MessageTest>,
    /// Every side effect inside a region that a layer repeats.
    pub effects: Vec<SideEffect>,
    /// Every idempotency key of a repeated call.
    pub keys: Vec<KeyUse>,
    /// Every place that starts many calls at once.
    pub fan_outs: Vec<FanOut>,
    /// Every circuit breaker, of a library or written in the code base.
    pub breakers: Vec<Breaker>,
    /// Every name or comment that speaks of attempts or retries and reaches a layer's count.
    pub names: Vec<CountName>,
}

/// Retry-After is read and decides the wait of a layer.
#[derive(Clone, PartialEq, Debug)]
pub struct HeaderUse {
    /// Where the header is read.
    pub place: Place,
    /// The function around that place.
    pub function: String,
    /// The layers whose waits it decides (their [`super::Layer::place`]).
    pub layers: Vec<Place>,
    /// Where it is turned into a number; none if a library reads it, or if the HTTP date is read as well on some path.
    pub number: Option<Place>,
    /// Where its value can come out smaller than the server asked, and how.
    pub shortened: Option<(Place, Shortening)>,
}

/// How a server's wait is made shorter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shortening {
    /// `min(cap, retry_after)`
    Cap,
    /// Jitter that takes something off is applied after the header's value is in.
    Jitter,
}

/// A layer decides by an error's text.
#[derive(Clone, PartialEq, Debug)]
pub struct MessageTest {
    /// The test.
    pub place: Place,
    /// The function around it.
    pub function: String,
    /// The layer it decides for.
    pub layer: Place,
}

/// Something that must not happen twice stands in a region that is repeated.
#[derive(Clone, PartialEq, Debug)]
pub struct SideEffect {
    /// The call that has the effect, in the repeated region (not in a helper it calls).
    pub place: Place,
    /// The function around it.
    pub function: String,
    /// `mail`, `payment`, `publish`, `enqueue`, `write`, `http-write`.
    pub kind: String,
    /// What is called, for the report.
    pub what: String,
    /// The innermost layer that repeats it.
    pub layer: Place,
    /// The function that it repeats, if it is no loop.
    pub region: Option<Place>,
    /// That failures come to that layer is guessed.
    pub guessed: bool,
    /// Executions of the effect at worst.
    pub times: Count,
    /// The outbound call that the region is repeated for; none: the region has no other.
    pub call: Option<Place>,
    /// Whether a stored result, a claim or a key keeps it from happening twice.
    pub guarded: bool,
}

/// An idempotency key that a repeated call sends.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyUse {
    /// Where the key is made (`uuid4()`), as far out as its value is new.
    pub place: Place,
    /// The function around it.
    pub function: String,
    /// The parameter or header that takes it.
    pub name: String,
    /// The call that sends it.
    pub call: Place,
    /// The innermost layer whose repeated region makes a new key each time; none if it is made outside all of them.
    pub remade_by: Option<Place>,
}

/// Many calls started at once: gather, `Promise.all`, `join_all`, spawning in a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct FanOut {
    /// Whether elements of a collection are gone over, and not a few calls that are written out.
    pub collection: bool,
    /// Where they are started or joined.
    pub place: Place,
    /// The function around it.
    pub function: String,
    /// What starts them, for the report.
    pub what: String,
    /// Requests for one element at worst: the product of the layers below.
    pub each: Count,
    /// An outbound call below it.
    pub call: Option<Place>,
    /// How many elements, if that is a constant.
    pub elements: Option<u64>,
    /// Whether a semaphore, pool or limit bounds how many run at once.
    pub limited: bool,
    /// The first failure throws away what the others finished; by what it fails at worst.
    pub fails_together: Option<Loss>,
    /// How sure we are.
    pub confidence: Confidence,
}

/// An element of a fan-out that can fail, with its requests.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Loss {
    /// Requests for it at worst: the product of the layers below.
    pub each: Count,
    /// The outbound call below it.
    pub call: Place,
}

/// A circuit breaker: a library's, or an object whose failure counter and open state guard calls.
#[derive(Clone, PartialEq, Debug)]
pub struct Breaker {
    /// Where it is asked or wrapped around a call; the first of several.
    pub place: Place,
    /// The function around that place.
    pub function: String,
    /// Its name or key, for the report.
    pub name: String,
    /// Where it is made.
    pub made: Option<Place>,
    /// The calls it guards.
    pub guards: Vec<Guarded>,
    /// How sure we are.
    pub confidence: Confidence,
}

/// A call behind a breaker.
#[derive(Clone, PartialEq, Debug)]
pub struct Guarded {
    /// The outbound call.
    pub call: Place,
    /// The service it goes to: a library, or the host of its URL.
    pub service: String,
}

/// What a name or comment says it counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Counted {
    /// Executions in all.
    Attempts,
    /// Repetitions after the first.
    Retries,
}

/// A name or comment that says what a number counts, and the layer that the number reaches.
#[derive(Clone, PartialEq, Debug)]
pub struct CountName {
    /// The name or comment.
    pub place: Place,
    /// The function around it, or empty.
    pub function: String,
    /// The name or the comment's words.
    pub text: String,
    /// What it says the number is.
    pub says: Counted,
    /// The number.
    pub number: u64,
    /// The layer.
    pub layer: Place,
    /// What the code makes of it: executions in all.
    pub attempts: u64,
}
