//! What a catalogue file can say: the TOML format of `rules/`, as types.
//!
//! A file describes one library: functions, classes with methods, errors. Facts are attached to
//! *callables* (functions, constructors, methods). Figures are [`Formula`]s over the callable's
//! parameters. No library needs Rust code.

use super::Formula;
use super::allowed as words;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One catalogue file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LibraryFile {
    /// What the library is.
    pub library: Library,
    /// Functions (also plain values that are called, decorators, factories).
    #[serde(default, rename = "function")]
    pub functions: Vec<Function>,
    /// Classes: clients, policies, settings, errors.
    #[serde(default, rename = "class")]
    pub classes: Vec<Class>,
    /// Objects that the library exports ready-made: `tenacity.stop_never`, `opendal::raw::…`.
    #[serde(default, rename = "value")]
    pub values: Vec<Constant>,
    /// Lists of constants that are numbers: statuses by name.
    #[serde(default)]
    pub numbers: Vec<Numbers>,
    /// Outbound facts that several entries share: they take them over with `like = "name"`.
    #[serde(default)]
    pub outbounds: BTreeMap<String, Outbound>,
    /// Layers that several entries share: they take them over with `like = "name"`.
    #[serde(default)]
    pub layers: BTreeMap<String, Layer>,
    /// What `|`, `&` and `+` between two values of this library do to their properties
    /// (`{"|" = {attempts = "min"}}`): `min`, `max`, `sum`, `any`, `all`.
    #[serde(default)]
    pub operators: BTreeMap<String, BTreeMap<String, String>>,
    /// Methods and constructors (`Lazy::new`) that the library gives to the language's own options, results and cells, each
    /// with the one of the language that does the same; `kept`: what it is called on comes out again (Rust).
    #[serde(default)]
    pub same_as: BTreeMap<String, String>,
}

/// What a library is and where its figures come from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Library {
    /// Name for the user (`squall explain NAME`).
    pub name: String,
    /// Package on its registry; empty for a part of the standard library.
    #[serde(default)]
    pub package: String,
    /// Top-level import roots (`tenacity`, `@aws-sdk/client-s3`, `backon`).
    pub imports: Vec<String>,
    /// `retry`, `http`, `sdk`, `queue`, `workflow`, `framework`, `database`, `standard`, `testing`, `mail`, `breaker` …
    #[serde(deserialize_with = "words::area")]
    pub area: String,
    /// Version in which the figures were seen.
    #[serde(default)]
    pub version: String,
    /// Where in that version's source, or `measured`.
    #[serde(default)]
    pub source: String,
    /// Calls to it are the program's own infrastructure (broker, cache, database): they make no chain.
    #[serde(default)]
    pub infrastructure: bool,
    /// The service answers 429/503/529 with Retry-After.
    #[serde(default)]
    pub sends_retry_after: bool,
    /// The service answers a spent quota with a 429 without Retry-After.
    #[serde(default)]
    pub spend_limit_429: bool,
    /// Free text for the explain page.
    #[serde(default)]
    pub notes: String,
    /// For a family of clients that are made alike: how one that no file lists is recognised. The file's import root is
    /// then `family~*`, and its paths begin with `family~`.
    #[serde(default, rename = "shape")]
    pub shapes: Vec<Shape>,
}

/// How a client that no file lists shows that it belongs to a family.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Shape {
    /// `class`: an object is made; `method`: a method is called on an object that was made so; `function` (Rust): it is
    /// handed what the family made.
    #[serde(deserialize_with = "words::shape")]
    pub of: String,
    /// Names that the class (its last one) or the method (its dotted path) may have, with `*`; none: any.
    #[serde(default)]
    pub names: Vec<String>,
    /// Settings of which the call gives one, by name or in an object of options (`request_options.max_retries`); none:
    /// its name is enough.
    #[serde(default)]
    pub given: Vec<String>,
}

/// A function, or an object that is called like one.
#[derive(Debug)]
pub struct Function {
    /// Full paths by which code reaches it (`tenacity.retry`; JavaScript `specifier:export.member`,
    /// default export `p-retry:default`; Rust `crate::path::item`). The first is its name.
    pub path: Vec<String>,
    /// The rest.
    pub callable: Callable,
}

/// An object or constant that a library exports ready-made.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Constant {
    /// Full paths; the first is its name.
    pub path: Vec<String>,
    /// Class of the object; its methods are reached below the path.
    #[serde(default)]
    pub class: Option<String>,
    /// Named properties, as of a call's result.
    #[serde(default)]
    pub props: BTreeMap<String, Formula>,
    /// The value itself, if it is a number, a text or a list.
    #[serde(default)]
    pub value: Option<Formula>,
    /// As a predicate: is the failure `error` (or the answer `result`) tried again?
    #[serde(default)]
    pub predicate: Option<Formula>,
}

/// Constants that are numbers: each is a [`Constant`] with that `value`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Numbers {
    /// What their paths begin with, mark included (`http.HTTPStatus.`, `http::StatusCode::`).
    pub below: Vec<String>,
    /// Class of each; its methods are reached below its path.
    #[serde(default)]
    pub class: Option<String>,
    /// The last name of each, and its number.
    pub names: BTreeMap<String, f64>,
}

/// A class, or an object type that has no constructor in user code.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Class {
    /// Full paths; the first is its name.
    pub path: Vec<String>,
    /// Names of base classes (catalogue classes or builtins such as `builtins.Exception`).
    #[serde(default)]
    pub bases: Vec<String>,
    /// An error that only the library's own calls raise, to steer it (`Retry`, `Ignore`): none of unknown class is one.
    #[serde(default)]
    pub signal: bool,
    /// Its methods can be called on other values: `callable` (any function or closure), `future`, `any`, or a class name.
    /// Rust extension traits; there the trait must be in scope.
    #[serde(default)]
    pub extends: Option<String>,
    /// Names for formulas that all methods of the class may use (evaluated where they are used).
    #[serde(default)]
    pub locals: BTreeMap<String, Formula>,
    /// The constructor.
    #[serde(default)]
    pub new: Callable,
    /// Methods of the program's subclasses that the library runs as `new` says (`entry`, `entry-layer`): a task's `run`.
    #[serde(default)]
    pub runs: Vec<String>,
    /// Methods.
    #[serde(default, rename = "method")]
    pub methods: Vec<Method>,
    /// Attributes that hold an object of another class: attribute -> class name.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// For an error class raised on a status: the statuses (`[429]`).
    #[serde(default)]
    pub statuses: Vec<u16>,
    /// For error and response classes: attributes (dotted paths) that hold the status code.
    #[serde(default)]
    pub status_attributes: Vec<String>,
    /// Attributes (dotted) that are true exactly when the status is below 400 (`ok`, `is_success`).
    #[serde(default)]
    pub ok_attributes: Vec<String>,
    /// Attributes (dotted) that are true for answers that are no failure only, and not for each of those (`is_redirect`).
    #[serde(default)]
    pub redirect_attributes: Vec<String>,
    /// For answer classes: attributes that hold the failure, and nothing if there is none (`error`).
    #[serde(default)]
    pub error_attributes: Vec<String>,
    /// Attributes (dotted) that hold the response headers.
    #[serde(default)]
    pub header_attributes: Vec<String>,
}

/// How a function looks that a platform runs. The type alone is enough; else all that is given here must be so.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Handler {
    /// Types that it, or its first parameter, is declared to have, also as type arguments (`Handler<SQSEvent>`).
    #[serde(default)]
    pub types: Vec<String>,
    /// Its own name, or the one it is exported under; `*` is any text.
    #[serde(default)]
    pub names: Vec<String>,
    /// Names of its first parameters.
    #[serde(default)]
    pub params: Vec<String>,
    /// Keys or attributes of its first parameter, one of which it reads.
    #[serde(default)]
    pub reads: Vec<String>,
    /// Texts, one of which stands in it, however it is written in capitals: a header that only the platform sends.
    #[serde(default)]
    pub mentions: Vec<String>,
    /// Classes of the program that list such functions in an attribute (`WorkerSettings.functions`). This alone is
    /// enough; in formulas `self` is the class.
    #[serde(default)]
    pub listed: Vec<String>,
}

/// A method of a class.
#[derive(Debug)]
pub struct Method {
    /// Its name, or a dotted path below the object: `messages.create`; `*` is any one name, `**` any path.
    pub name: Vec<String>,
    /// The rest.
    pub callable: Callable,
}

/// What calling something does.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Callable {
    /// Parameter names in order, for positional arguments. `*name` collects the rest.
    #[serde(default)]
    pub params: Vec<String>,
    /// Parameters that are given by name only (Python keyword-only, JavaScript named options), beside those in `params`
    /// and `defaults`. Binding needs no list; this one lets the loader tell a slip in a formula from a parameter.
    #[serde(default)]
    pub named: Vec<String>,
    /// Name of the parameter whose dictionary/object holds named options (JavaScript options objects).
    #[serde(default)]
    pub options: Option<String>,
    /// Names for formulas, to be used in the other formulas of this entry (evaluated where they are used).
    #[serde(default)]
    pub locals: BTreeMap<String, Formula>,
    /// Defaults by parameter name (formulas).
    #[serde(default)]
    pub defaults: BTreeMap<String, Formula>,
    /// Class name of what it returns. `self` for the receiver, `argument NAME` for one of its arguments.
    #[serde(default)]
    pub returns: Option<String>,
    /// Other things that it may return instead of `returns`, in the same words (fallback models).
    #[serde(default)]
    pub returns_also: Vec<String>,
    /// Its result is awaited (a coroutine or promise).
    #[serde(default, rename = "async")]
    pub is_async: bool,
    /// The result is the receiver (or argument `derives-from`) with these call's arguments as overriding settings.
    #[serde(default)]
    pub derives: bool,
    /// Settings of the result (with `derives`) or of the receiver that the call fixes without an argument of that name:
    /// `without_max_times()` is `{max_times = "inf"}`.
    #[serde(default)]
    pub sets: BTreeMap<String, Formula>,
    /// The argument that the result derives from, if it is not the receiver.
    #[serde(default)]
    pub derives_from: Option<String>,
    /// The call is remembered on the receiver (or on the argument `records-on`) under this name:
    /// formulas reach the recorded calls as a list `self.NAME`.
    #[serde(default)]
    pub records: Option<String>,
    /// The argument that the call is remembered on, if it is not the receiver.
    #[serde(default)]
    pub records_on: Option<String>,
    /// Named properties of the result, for other formulas: `stop.attempts`.
    #[serde(default)]
    pub props: BTreeMap<String, Formula>,
    /// The result has the properties of this object (formula; a list: of several), what each holds is the setting
    /// `member-value` of what the object has under that name: a schema's parsed values stand for their defaults.
    #[serde(default)]
    pub members_of: Option<Formula>,
    /// The setting that is a member's value (with `members-of`).
    #[serde(default)]
    pub member_value: Option<String>,
    /// The number or value it returns, as a formula (`uniform(a, b)`, `clock()`).
    #[serde(default)]
    pub value: Option<Formula>,
    /// It is an outbound call.
    #[serde(default)]
    pub outbound: Option<Outbound>,
    /// As a transport or plugin of a client (see `below-from`): what a call through it does.
    #[serde(default)]
    pub transport: Option<Outbound>,
    /// It is a retry layer around a callable, or makes one.
    #[serde(default)]
    pub layer: Option<Layer>,
    /// Callables it calls.
    #[serde(default)]
    pub calls: Vec<Calls>,
    /// It sleeps this long (formula, seconds).
    #[serde(default)]
    pub sleep: Option<Formula>,
    /// The callables that it starts run after so many seconds (formula); the caller does not wait.
    #[serde(default)]
    pub after: Option<Formula>,
    /// It sends to the queue of this name (formula): what `receives-from` the same name runs, inside this call's layer.
    #[serde(default)]
    pub sends_to: Option<Formula>,
    /// Its callables (`how = "job"`) run for everything sent to the queue of this name (formula).
    #[serde(default)]
    pub receives_from: Option<Formula>,
    /// Settings of the library that the call makes, as `assigned(…)` in formulas sees them: path to formula.
    #[serde(default)]
    pub assigns: BTreeMap<String, Formula>,
    /// Waiting for it takes until the program stops: a deadline around it is a wait.
    #[serde(default)]
    pub idles: bool,
    /// Calling it raises this error class.
    #[serde(default)]
    pub raises: Option<String>,
    /// It raises `raises` only unless this is true (formula).
    #[serde(default)]
    pub raises_unless: Option<Formula>,
    /// Calling it raises this class if the receiver's status is 400 or more, otherwise returns the receiver.
    #[serde(default)]
    pub raises_for_status: Option<String>,
    /// A side effect: `mail`, `payment`, `publish`, `enqueue`, `write`, `http-write`.
    #[serde(default, deserialize_with = "words::effect")]
    pub effect: Option<String>,
    /// It reads (`read`) or writes (`write`) stored results: guards of finished steps; `memo`: the result of the callable
    /// it calls is kept, and a finished one is not done over.
    #[serde(default, deserialize_with = "words::store")]
    pub store: Option<String>,
    /// Formula: true if the failure `error` (or answer `result`) is to be tried again. For predicates.
    #[serde(default)]
    pub predicate: Option<Formula>,
    /// Decorating with it (or handing it a function) makes the function an entry point of this kind:
    /// `request-handler`, `job`, `schedule`, `command`, `websocket`.
    #[serde(default, deserialize_with = "words::entry")]
    pub entry: Option<String>,
    /// The layer around the function when it is such an entry point and nothing in the code base is seen to start it
    /// (a job queue's retry; `self` is the object made by the decorator).
    #[serde(default)]
    pub entry_layer: Option<Layer>,
    /// Functions of the program that look like this are entry points as `entry` and `entry-layer` say, though nothing in
    /// the code names them: what the platform is told elsewhere to run.
    #[serde(default)]
    pub shape: Option<Handler>,
    /// The parameter that, if true, makes the decorated function's first parameter the object that the decorator makes.
    #[serde(default)]
    pub binds: Option<String>,
    /// Error classes that it can raise by itself, beside what the callables it calls raise.
    #[serde(default)]
    pub may_raise: Vec<String>,
    /// What runs inside (the callable or awaitable handed to it, or the `with` block of its result) is cut off after so
    /// many seconds (formula).
    #[serde(default)]
    pub deadline: Option<Formula>,
    /// As a context manager, or around a callable: is the failure `error` swallowed? (formula)
    #[serde(default)]
    pub suppresses: Option<Formula>,
    /// Failures of the callables it starts come back as values if this is true (`return_exceptions`, `allSettled`).
    #[serde(default)]
    pub keeps_errors: Option<Formula>,
    /// It limits concurrency (`semaphore`, `pool`) or starts many calls at once (`gather`).
    #[serde(default, deserialize_with = "words::concurrency")]
    pub concurrency: Option<String>,
    /// It writes a log line or counts something: attempts beside it are not silent.
    #[serde(default)]
    pub logs: bool,
    /// `true`: makes a circuit breaker.
    #[serde(default)]
    pub breaker: bool,
}

/// An outbound call: one that leaves the process.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Outbound {
    /// Name in `outbounds` of this file whose facts hold where this entry says nothing.
    #[serde(default)]
    pub like: Option<String>,
    /// `sdk` or `transport`; a layer's kind where the library wraps another one (`wrapper`).
    #[serde(default, deserialize_with = "words::outbound_kind")]
    pub kind: String,
    /// Attempts built in for the classes in `retries` (formula; parameters of the call, `self.x` for the client's settings,
    /// `failure` for the class of failure).
    #[serde(default)]
    pub attempts: Option<Formula>,
    /// Other attempts for some classes of failure.
    #[serde(default, deserialize_with = "words::by_failure")]
    pub attempts_by_failure: BTreeMap<String, Formula>,
    /// Classes of failure it tries again: `connect disconnect timeout rate-limit overloaded server conflict permanent answer`.
    #[serde(default, deserialize_with = "words::failures")]
    pub retries: Vec<String>,
    /// Condition under which it retries at all (formula): method, scheme …
    #[serde(default)]
    pub when: Option<Formula>,
    /// Total time limit of its own retries in seconds (formula), none if missing.
    #[serde(default)]
    pub seconds: Option<Formula>,
    /// Wait after failed attempt `n` (from 1), seconds.
    #[serde(default)]
    pub wait: Option<Formula>,
    /// Retry-After: `honoured`, however long it is, `capped`, `ignored`; or a formula that gives one of them as text.
    #[serde(default, deserialize_with = "words::retry_after")]
    pub retry_after: Option<Formula>,
    /// Further built-in layers below this one (an HTTP client under an SDK), outermost first.
    #[serde(default)]
    pub below: Vec<Outbound>,
    /// A setting that holds another client or transport below this one (`http_client`): its `transport`,
    /// `new.layer` or own built-in layers come below; in a list or in recorded calls, those of each element.
    #[serde(default)]
    pub below_from: Option<Formula>,
    /// Methods that a class of the program may override and that every call goes through, outermost first.
    #[serde(default)]
    pub through: Vec<Through>,
    /// Callables that the client runs, one after the other, where a call of it fails, with the error (formula): each may
    /// send the call again.
    #[serde(default)]
    pub rescued_by: Option<Formula>,
    /// With `rescued-by`: the attribute of the error that holds the settings of the call. Sending those is sending the call
    /// again; what the error's class says in `fields` is their class, whose `new.named` are always there.
    #[serde(default)]
    pub rescued_call: Option<String>,
    /// The parameter by which users set the count (`max_retries`), for help texts.
    #[serde(default)]
    pub setting: Option<String>,
    /// How to switch it off, in code of this library (`max_retries=0`).
    #[serde(default)]
    pub off: Option<String>,
    /// What misleads about the setting's name, said where the code sets it.
    #[serde(default)]
    pub misleading: Option<String>,
    /// Where the number of this layer is written if in code: formula giving the value whose place counts.
    #[serde(default)]
    pub at: Option<Formula>,
    /// Where the code sets how long to wait: formula giving the value whose place counts. If it is set, the wait is the
    /// code's own choice and no longer the library's.
    #[serde(default)]
    pub wait_at: Option<Formula>,
    /// Error class raised per class of failure; `default` for the rest.
    #[serde(default, deserialize_with = "words::raises")]
    pub raises: BTreeMap<String, String>,
    /// Instead of raising on a bad status it returns an answer of this class.
    #[serde(default)]
    pub answers: Option<String>,
    /// If this formula is true it raises on a bad status although `answers` is set.
    #[serde(default)]
    pub raises_status_if: Option<Formula>,
    /// Error class raised on a bad status once its own retries are used up, if it differs.
    #[serde(default)]
    pub exhausted: Option<String>,
    /// Condition for `exhausted` (formula; may use `failure`): otherwise the last answer is returned.
    #[serde(default)]
    pub exhausted_if: Option<Formula>,
    /// Default timeout in seconds; 0: none.
    #[serde(default)]
    pub timeout: Option<Formula>,
    /// It streams its answer.
    #[serde(default)]
    pub stream: bool,
    /// Condition under which it streams its answer (formula): `stream=True`.
    #[serde(default)]
    pub stream_if: Option<Formula>,
    /// It changes state at the other end: `create`, `update`; with `idempotency` = parameter or header that takes a key.
    #[serde(default)]
    pub writes: Option<Formula>,
    /// The parameter or header that takes an idempotency key, if the API has one.
    #[serde(default)]
    pub idempotency: Option<String>,
    /// Overrides [`Library::sends_retry_after`].
    #[serde(default)]
    pub sends_retry_after: Option<bool>,
    /// Overrides [`Library::infrastructure`].
    #[serde(default)]
    pub infrastructure: Option<bool>,
}

/// Methods that calls go through: where the program overrides one, its own layers are around the call.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Through {
    /// The object that has them (formula).
    pub on: Formula,
    /// Their names, outermost first.
    pub methods: Vec<String>,
}

/// A retry layer around a callable.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Layer {
    /// Name in `layers` of this file whose facts hold where this entry says nothing.
    #[serde(default)]
    pub like: Option<String>,
    /// `decorator`, `wrapper`, `loop`, `job-queue`, `workflow`, `transport`.
    #[serde(default, deserialize_with = "words::layer_kind")]
    pub kind: String,
    /// How many executions in all (formula; `inf` is unbounded).
    #[serde(default)]
    pub attempts: Formula,
    /// Total time limit in seconds (formula), `inf` if none.
    #[serde(default)]
    pub seconds: Option<Formula>,
    /// Wait after failed attempt `n` (from 1), seconds (formula).
    #[serde(default)]
    pub wait: Option<Formula>,
    /// Where the code sets how long to wait (formula); where it gives nothing, the waits are the library's own: one
    /// of them alone is no fixed wait. Without it, whoever chose the layer chose its waits.
    #[serde(default)]
    pub wait_at: Option<Formula>,
    /// The engine, not the code, sets the waits.
    #[serde(default)]
    pub engine_waits: bool,
    /// Is the failure `error` tried again? (formula; default: every error)
    #[serde(default)]
    pub on_error: Option<Formula>,
    /// Is the answer `result` tried again? (formula; default: no)
    #[serde(default)]
    pub on_result: Option<Formula>,
    /// How it ends when attempts are used up: formula giving `reraise()`, `raise("Class")`, `returns(value)` or
    /// `call(handler)`. Default `reraise()`.
    #[serde(default)]
    pub exhausted: Option<Formula>,
    /// How it ends when `on_error` is false. Default `reraise()`.
    #[serde(default)]
    pub not_retried: Option<Formula>,
    /// It can read Retry-After when this formula is true.
    #[serde(default)]
    pub reads_retry_after: Option<Formula>,
    /// The parameter by which users set the count, for help texts.
    #[serde(default)]
    pub setting: Option<String>,
    /// What misleads about the setting's name, for the report.
    #[serde(default)]
    pub misleading: Option<String>,
    /// Formula giving the value whose place is where the layer stands (else the decorator or call).
    #[serde(default)]
    pub at: Option<Formula>,
    /// It logs its attempts (formula).
    #[serde(default)]
    pub logs: Option<Formula>,
    /// Around a generator function, a decorator runs what the generator does again (formula); else it only sees the
    /// generator made, which never fails.
    #[serde(default)]
    pub generators: Option<Formula>,
}

/// A callable that is called by another.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Calls {
    /// Parameter that holds it (`self` for the receiver's wrapped function, `result` when the result is called or
    /// decorates it); strings are resolved as dotted names.
    pub callable: String,
    /// `now` (its result or failure is ours), `each` (now, once an element), `later` (started, not awaited here),
    /// `job` (run by a worker), `decorate` (the result stands for the function), `handler` (on an event).
    #[serde(deserialize_with = "words::how")]
    pub how: String,
    /// Parameters whose values are passed on to it, in order; `*args`.
    #[serde(default)]
    pub with: Vec<String>,
    /// Classes of further arguments that it is called with, after those of `with` (`inngest:Context`).
    #[serde(default)]
    pub gives: Vec<String>,
    /// Whether the call's own `layer` applies around it.
    #[serde(default)]
    pub layered: bool,
}
