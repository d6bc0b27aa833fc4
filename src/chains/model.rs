//! What a chain is: the layers from an entry point down to one outbound call, with counts and waits.

use super::Facts;
use crate::source::Place;
use crate::versions::Assumed;

/// A class of failure (counting.md): layers multiply only for failures that each of them retries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Failure {
    /// The server was never reached.
    Connect,
    /// The connection was lost after sending.
    Disconnect,
    /// No answer in time.
    Timeout,
    /// 429
    RateLimit,
    /// 503, 529
    Overloaded,
    /// Other 5xx.
    Server,
    /// 408, 409
    Conflict,
    /// Other 4xx.
    Permanent,
    /// The answer arrived, and the code refuses it.
    Answer,
}

impl Failure {
    /// All classes, in the order of reports.
    pub const ALL: [Failure; 9] = [
        Failure::Connect,
        Failure::Disconnect,
        Failure::Timeout,
        Failure::RateLimit,
        Failure::Overloaded,
        Failure::Server,
        Failure::Conflict,
        Failure::Permanent,
        Failure::Answer,
    ];

    /// Name in reports and catalogue files.
    pub fn name(self) -> &'static str {
        match self {
            Failure::Connect => "connect",
            Failure::Disconnect => "disconnect",
            Failure::Timeout => "timeout",
            Failure::RateLimit => "rate-limit",
            Failure::Overloaded => "overloaded",
            Failure::Server => "server",
            Failure::Conflict => "conflict",
            Failure::Permanent => "permanent",
            Failure::Answer => "answer",
        }
    }

    /// Its position in tables by failure.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The class of that name.
    pub fn by_name(name: &str) -> Option<Failure> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Status codes that stand for the class; empty if no answer arrives.
    pub fn statuses(self) -> &'static [u16] {
        match self {
            Failure::RateLimit => &[429],
            Failure::Overloaded => &[503, 529],
            Failure::Server => &[500, 502, 504],
            Failure::Conflict => &[408, 409],
            Failure::Permanent => &[400, 401, 403, 404, 422],
            _ => &[],
        }
    }
}

/// How often something is executed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Count {
    /// Exactly this many (saturating at `u64::MAX`).
    Exact(u64),
    /// Bounded only by time: so many fit with instant failures and smallest waits; none if no wait bounds them.
    Time(Option<u64>),
    /// No bound.
    Unbounded,
    /// Not known; at least this many.
    Unknown(u64),
}

impl Count {
    /// One execution: no layer.
    pub const ONE: Count = Count::Exact(1);
}

/// One stretch of equal waits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WaitRun {
    /// Smallest wait in seconds.
    pub shortest: f64,
    /// Largest wait in seconds.
    pub longest: f64,
    /// Whether chance decides between the two.
    pub random: bool,
    /// How many attempts wait like this, one after another.
    pub times: u64,
}

/// What a wait model looks like over the attempts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WaitKind {
    /// At once.
    None,
    /// The same each time.
    Fixed,
    /// Growing by a constant.
    Linear,
    /// Growing by a factor (until a cap).
    Exponential,
    /// Random between the same two bounds each time.
    Random,
    /// Any other listed sequence.
    List,
    /// The server's word.
    RetryAfter,
    /// Could not be evaluated.
    Unknown,
}

/// The waits of a layer: after failed attempt 1, 2, …
#[derive(Clone, PartialEq, Debug)]
pub struct Waits {
    /// What it looks like.
    pub kind: WaitKind,
    /// Runs of equal waits; the last one goes on for as long as attempts do.
    pub runs: Vec<WaitRun>,
    /// Whether chance reaches the wait.
    pub jitter: bool,
    /// Whether the waits stop growing (or never grow).
    pub capped: bool,
    /// Whether the code waits once more after the last failure.
    pub after_last: bool,
    /// Whether the engine sets the waits, so that unknown ones are no zero.
    pub by_engine: bool,
    /// Whether the code chose the waits (policy, option, sleep), not a library's untouched default.
    pub chosen: bool,
    /// Where the wait is written: the policy, option or sleep.
    pub place: Option<Place>,
    /// Whether a Retry-After header can decide the wait.
    pub reads_retry_after: bool,
}

/// What kind of layer it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum LayerKind {
    JobQueue,
    Workflow,
    Decorator,
    Wrapper,
    Loop,
    Recursion,
    Sdk,
    Transport,
    Declared,
}

impl LayerKind {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            LayerKind::JobQueue => "job-queue",
            LayerKind::Workflow => "workflow",
            LayerKind::Decorator => "decorator",
            LayerKind::Wrapper => "wrapper",
            LayerKind::Loop => "loop",
            LayerKind::Recursion => "recursion",
            LayerKind::Sdk => "sdk",
            LayerKind::Transport => "transport",
            LayerKind::Declared => "declared",
        }
    }

    /// The kind of that name.
    pub fn by_name(name: &str) -> Option<LayerKind> {
        use LayerKind::*;
        [JobQueue, Workflow, Decorator, Wrapper, Loop, Recursion, Sdk, Transport, Declared]
            .into_iter()
            .find(|k| k.name() == name)
    }

    /// Whether the retries are built into a library's client.
    pub fn is_built_in(self) -> bool {
        matches!(self, LayerKind::Sdk | LayerKind::Transport)
    }

    /// Whether an engine runs the function again from its start.
    pub fn is_job(self) -> bool {
        matches!(self, LayerKind::JobQueue | LayerKind::Workflow)
    }
}

/// Where a layer's number comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum CountSource {
    Literal,
    Constant,
    Parameter,
    Environment,
    /// A library's default that nobody wrote.
    Default,
    Configuration,
}

impl CountSource {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            CountSource::Literal => "literal",
            CountSource::Constant => "constant",
            CountSource::Parameter => "parameter",
            CountSource::Environment => "environment",
            CountSource::Default => "default",
            CountSource::Configuration => "configuration",
        }
    }
}

/// How sure we are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Confidence {
    Low,
    Medium,
    High,
}

impl Confidence {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}

/// One layer of a chain.
#[derive(Clone, PartialEq, Debug)]
pub struct Layer {
    /// What it is.
    pub kind: LayerKind,
    /// The library whose layer it is; none for hand-written code.
    pub library: Option<String>,
    /// The version of it that the figures are for.
    pub version: Option<Assumed>,
    /// Where it is applied.
    pub place: Place,
    /// The function around that place.
    pub function: String,
    /// Where the loop of a home-made wrapper or decorator is.
    pub defined: Option<Place>,
    /// Executions of what is inside, at worst over the classes of failure.
    pub attempts: Count,
    /// Executions by class of failure; [`Count::ONE`] where the layer does not retry it.
    pub by_failure: [Count; 9],
    /// Where the number comes from.
    pub source: CountSource,
    /// Where the number is written, if it is in the code.
    pub number: Option<Place>,
    /// Other values that can reach the number, smaller than the one counted.
    pub also: Vec<u64>,
    /// Why the count is not known.
    pub reason: Option<String>,
    /// The layer's text in the source, shortened to one line.
    pub text: String,
    /// Its waits.
    pub waits: Waits,
    /// What the setting is called in the library (`max_retries`, `stop`).
    pub setting: Option<String>,
    /// How to switch it off (`max_retries=0`).
    pub off: Option<String>,
    /// What misleads about the setting's name.
    pub misleading: Option<String>,
    /// Whether it tries every failure again, or permanent ones, by its own choice of errors.
    pub retries_everything: bool,
    /// The statuses that stay (400, 401, 404, 422) which it retries all the same; empty where that is not told apart.
    pub permanent: Vec<u16>,
    /// Whether it decides by a status it looks at.
    pub by_status: bool,
    /// Whether it logs or counts its attempts.
    pub logs: bool,
    /// Total time limit in seconds.
    pub limit: Option<f64>,
    /// Where it decides which failures are tried again: the handler, predicate or test of the status.
    pub decides: Option<Place>,
    /// Whether it ends on a 429 that says the quota is spent (its code, or no Retry-After).
    pub spares_spent_quota: bool,
    /// Where a streamed answer is read inside the region that it repeats.
    pub rereads: Option<Place>,
    /// Whether the library puts it around its own call, whatever its kind is called.
    pub inherent: bool,
    /// Its handler changes what is asked for: after a refusal, another request follows.
    pub another: bool,
    /// A library's number that no setting says.
    pub untouched: bool,
    /// A function below it was not followed to its end: that its failures come here is guessed.
    pub guessed: bool,
    /// The call stands there once more, for when the first fails, or each attempt is about something asked for anew.
    pub in_a_row: bool,
    /// For a client that no catalogue file lists: the family by whose ways it was recognised.
    pub family: Option<String>,
}

/// A function on a path, with a place in it.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// Where.
    pub place: Place,
    /// The function's name (`Class.method`).
    pub function: String,
}

/// What sort of code starts a chain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum EntryKind {
    RequestHandler,
    WebSocket,
    Job,
    Schedule,
    Command,
    Module,
    Function,
}

/// An entry point of a chain.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// Where the function is.
    pub place: Place,
    /// Its name.
    pub function: String,
    /// What it is.
    pub kind: EntryKind,
}

/// The outbound call at the bottom.
#[derive(Clone, PartialEq, Debug)]
pub struct OutboundCall {
    /// The name of the method that sends.
    pub place: Place,
    /// The whole call expression.
    pub whole: Place,
    /// The function around it.
    pub function: String,
    /// What is called, in the catalogue's words (`anthropic.messages.create`).
    pub target: String,
    /// The library.
    pub library: String,
    /// Where its client was made, if it has one.
    pub client: Option<Place>,
    /// Where else its client is made, with the same layers, ordered.
    pub other_clients: Vec<Place>,
    /// Whether the service answers 429/503/529 with Retry-After.
    pub sends_retry_after: bool,
    /// Whether a spent quota is a 429 without Retry-After.
    pub spend_limit_429: bool,
    /// Whether it is plain HTTP (no SDK).
    pub plain_http: bool,
    /// Whether the failures include permanent ones (4xx).
    pub can_fail_permanently: bool,
    /// Timeout in seconds; `Some(f64::INFINITY)`: none; `None`: not known.
    pub timeout: Option<f64>,
    /// Whether the code wrote the timeout (at the client, the call, or as a deadline around one attempt), so that it is
    /// no library's default.
    pub timeout_written: bool,
    /// Whether the answer is streamed.
    pub stream: bool,
    /// Whether it changes state at the other end.
    pub writes: bool,
    /// The parameter or header that takes an idempotency key, and whether the call passes one.
    pub idempotency: Option<(String, bool)>,
}

impl OutboundCall {
    /// Notes the clients of the same call on another way to it.
    pub fn also_by(&mut self, other: &OutboundCall) {
        for place in other.client.iter().chain(&other.other_clients) {
            if self.client.is_some_and(|client| client != *place)
                && let Err(at) = self.other_clients.binary_search(place)
            {
                self.other_clients.insert(at, *place);
            }
        }
    }
}

/// A chain.
#[derive(Clone, PartialEq, Debug)]
pub struct Chain {
    /// Where it can start, ordered by place.
    pub entries: Vec<Entry>,
    /// Its outbound call.
    pub call: OutboundCall,
    /// Its layers, outermost first.
    pub layers: Vec<Layer>,
    /// The product.
    pub worst: Count,
    /// The product by class of failure.
    pub by_failure: [Count; 9],
    /// Most attempts in one window; none: no number.
    pub peak: Option<u64>,
    /// Shortest duration in seconds (instant failures, smallest waits).
    pub shortest: Option<f64>,
    /// Longest duration in seconds (request timeouts, largest waits).
    pub longest: Option<f64>,
    /// How sure we are.
    pub confidence: Confidence,
    /// One path of calls from an entry to the call.
    pub path: Vec<Step>,
}

/// One step of a job: an outbound call or side effect of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct JobStep {
    /// Where the step is called in the job, in order.
    pub place: Place,
    /// What it does, for the report.
    pub what: String,
    /// Requests it sends at worst, with its own layers.
    pub worst: Count,
    /// Whether it is memoised or guarded by a stored result, so that a new run skips it.
    pub guarded: bool,
    /// The side effect's kind (`mail`, `payment`, `publish`, `enqueue`, `write`), if it is one and no outbound call.
    pub effect: Option<String>,
}

/// A function that a job layer runs again from its start.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// The function's name.
    pub function: String,
    /// Where it is defined.
    pub place: Place,
    /// The job layer.
    pub layer: Layer,
    /// Its steps in order.
    pub steps: Vec<JobStep>,
}

/// All that checks look at.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Analysis {
    /// Every chain, ordered by call and layers.
    pub chains: Vec<Chain>,
    /// Every job with a retry layer, ordered by place.
    pub jobs: Vec<Job>,
    /// What functions do beside retrying, as far as a check asks.
    pub facts: Facts,
    /// Files that were analysed.
    pub files: usize,
    /// What was cut to stay within bounds, for the user.
    pub cut: Vec<String>,
}
