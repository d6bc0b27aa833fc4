//! What names say where nothing is known of the thing named: a store, a log, a claim, a count. Words of code
//! in general, no library's names.

use super::ground::Deeds;

/// The words of an identifier or dotted path, in lower case: `maxRetryCount` is `max retry count`.
pub fn words(text: &str) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut lower = false;
    for c in text.chars() {
        let splits = !c.is_alphanumeric() || (c.is_uppercase() && lower);
        if splits && !word.is_empty() {
            list.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        lower = c.is_lowercase() || c.is_ascii_digit();
    }
    if !word.is_empty() {
        list.push(word);
    }
    list
}

/// The last name of a written callee, and what stands before it.
pub fn split(callee: &str) -> (&str, &str) {
    let callee = callee.trim_end_matches(['!', '?', ' ']);
    match callee.rfind(['.', ':', ' ', '\n']) {
        Some(at) => (&callee[at + 1..], &callee[..at]),
        None => (callee, ""),
    }
}

/// Things that keep results.
const STORES: &[&str] = &[
    "store",
    "storage",
    "cache",
    "db",
    "database",
    "repo",
    "repository",
    "kv",
    "memo",
    "checkpoint",
    "checkpoints",
    "progress",
    "results",
    "ledger",
    "journal",
    "dao",
    "dedup",
    "dedupe",
    "idempotency",
    "state",
    "table",
    "records",
    "outbox",
    "inbox",
    "receipts",
    "session",
    "conn",
    "cursor",
    "tx",
    "claims",
    "steps",
    "model",
    "models",
    "objects",
    "bucket",
    "blob",
    "pool",
];
const READS: &[&str] = &[
    "get", "load", "find", "exists", "exist", "has", "lookup", "read", "fetch", "select", "query", "first", "contains",
    "done", "is", "was", "already", "count", "one", "peek", "retrieve", "scalar",
];
const WRITES: &[&str] = &[
    "set", "put", "save", "insert", "upsert", "update", "write", "commit", "mark", "record", "store", "create", "add",
    "complete", "finish", "persist", "remember", "append", "push", "execute", "flush",
];
const CLAIMS: &[&str] = &[
    "claim",
    "claims",
    "acquire",
    "reserve",
    "setnx",
    "nx",
    "absent",
    "once",
    "dedup",
    "dedupe",
    "lock",
    "trylock",
    "begin",
    "tryinsert",
];

/// What an unknown callee does, by its name.
pub fn deeds(callee: &str) -> Deeds {
    if is_log(callee) {
        return Deeds::LOGS;
    }
    let (name, receiver) = split(callee);
    let of_name = words(name);
    let Some(first) = of_name.first() else { return Deeds::default() };
    let stored = |list: &[String]| list.iter().any(|w| STORES.contains(&w.as_str()));
    let claims = of_name.iter().any(|w| CLAIMS.contains(&w.as_str()));
    // `get_step` of a store, or `load_result` by itself.
    let on_store = stored(&words(receiver)) || (of_name.len() > 1 && stored(&of_name[1..]));
    let mut deeds = Deeds::default();
    if claims && (on_store || receiver.is_empty()) {
        deeds = deeds.and(Deeds::CLAIMS);
    }
    if on_store && of_name.iter().any(|w| READS.contains(&w.as_str())) {
        deeds = deeds.and(Deeds::READS);
    }
    if on_store && (WRITES.contains(&first.as_str()) || of_name.last().is_some_and(|w| WRITES.contains(&w.as_str()))) {
        deeds = deeds.and(Deeds::WRITES);
    }
    deeds
}

/// Whether a callee is named for a claim on work: it says whether the caller is the first.
pub fn is_claim(callee: &str) -> bool {
    words(split(callee).0).iter().any(|w| CLAIMS.contains(&w.as_str()))
}

/// Whether a callee keeps the result of the callable that it is handed.
pub fn is_memo(callee: &str) -> bool {
    let (name, receiver) = split(callee);
    let list = words(name);
    let has = |w: &str| list.iter().any(|x| x == w);
    // A step of an engine that keeps results.
    if matches!(name, "run" | "do") && words(receiver).last().is_some_and(|w| w == "step") {
        return true;
    }
    has("remember")
        || has("memo")
        || has("memoize")
        || has("memoise")
        || has("memoized")
        || ((has("get") || has("load")) && has("or"))
        || (has("once") && list.len() > 1)
}

/// Whether a callee logs or counts.
pub fn is_log(callee: &str) -> bool {
    let callee = callee.trim_end_matches(['?', ' ']);
    let is_macro = callee.ends_with('!');
    let (name, receiver) = split(callee);
    let verb = matches!(
        name,
        "debug"
            | "info"
            | "warn"
            | "warning"
            | "error"
            | "exception"
            | "critical"
            | "fatal"
            | "trace"
            | "log"
            | "event"
    );
    if receiver.is_empty() {
        let prints = matches!(name, "print" | "println" | "eprint" | "eprintln" | "dbg" | "log");
        let last = words(name);
        let named = last.first().is_some_and(|w| w == "log" || w == "warn") && last.len() > 1;
        return prints || (is_macro && verb) || named;
    }
    let on = words(receiver);
    let has = |list: &[&str]| on.iter().any(|w| list.contains(&w.as_str()));
    let logs = on.iter().any(|w| w.starts_with("log") || w.ends_with("logger"));
    if (logs || has(&["console", "tracing", "stderr", "stdout", "span", "breadcrumb"]))
        && (verb || name == "write" || name == "add_event" || name == "addEvent")
    {
        return true;
    }
    let counts =
        matches!(name, "inc" | "increment" | "incr" | "add" | "observe" | "record" | "count" | "labels" | "emit");
    counts
        && has(&[
            "metric",
            "metrics",
            "counter",
            "counters",
            "stats",
            "statsd",
            "gauge",
            "histogram",
            "telemetry",
            "meter",
        ])
        || (is_macro && matches!(name, "counter" | "increment_counter" | "histogram" | "gauge"))
}

/// Whether a text names the Retry-After header.
pub fn is_retry_after(text: &str) -> bool {
    text.eq_ignore_ascii_case("retry-after") || text.eq_ignore_ascii_case("retry_after")
}

/// Whether a callee reads a date out of a text.
pub fn is_date(callee: &str) -> bool {
    let list = words(callee);
    list.iter().any(|w| {
        matches!(
            w.as_str(),
            "date" | "datetime" | "strptime" | "httpdate" | "rfc2822" | "rfc1123" | "parsedate" | "mktime"
        )
    })
}

/// Whether a name is one for an idempotency key.
pub fn is_key(name: &str) -> bool {
    let flat: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    flat.contains("idempoten") || flat == "xrequestid" || flat == "clienttoken" || flat == "clientrequesttoken"
}

/// Whether a callee gives another value at each call: random, or the time.
pub fn is_fresh(callee: &str) -> bool {
    let list = words(callee);
    let has = |w: &str| list.iter().any(|x| x == w);
    // Names made from contents are the same each time.
    if has("v3") || has("v5") || has("uuid3") || has("uuid5") || has("hash") || has("sha256") {
        return false;
    }
    list.iter().any(|w| {
        matches!(
            w.as_str(),
            "uuid"
                | "uuid1"
                | "uuid4"
                | "uuid6"
                | "uuid7"
                | "uuidv4"
                | "uuidv7"
                | "nanoid"
                | "ulid"
                | "cuid"
                | "cuid2"
                | "ksuid"
                | "random"
                | "rand"
                | "urandom"
                | "randint"
                | "randbytes"
                | "randrange"
                | "getrandbits"
                | "now"
                | "utcnow"
                | "timestamp"
                | "monotonic"
                | "nonce"
        )
    }) || (has("token") && (has("hex") || has("urlsafe") || has("bytes")))
        || (list.len() >= 2 && list[list.len() - 2..] == ["time".to_string(), "time".to_string()])
        || (has("time") && has("ns"))
}

/// What a name says a number counts.
pub fn counted(name: &str) -> Option<crate::chains::Counted> {
    use crate::chains::Counted;
    let list = words(name);
    let has = |options: &[&str]| list.iter().any(|w| options.contains(&w.as_str()));
    if has(&[
        "delay", "wait", "after", "backoff", "timeout", "seconds", "ms", "interval", "policy", "on", "status",
        "statuses", "codes", "budget",
    ]) {
        return None;
    }
    let flat = list.concat();
    let retries = has(&["retries", "retry", "retrys"]) || flat.ends_with("retries");
    let attempts = has(&["attempts", "tries", "attempt", "trials"]) || flat.ends_with("attempts");
    match (retries, attempts) {
        // `retry_attempts` can mean either.
        (true, true) | (false, false) => None,
        (true, false) => {
            let countable =
                has(&["retries", "retrys", "max", "count", "limit", "num", "times", "n", "total", "number"])
                    || flat.ends_with("retries");
            countable.then_some(Counted::Retries)
        }
        (false, true) => {
            let countable =
                has(&["attempts", "tries", "trials", "max", "count", "limit", "num"]) || flat.ends_with("attempts");
            countable.then_some(Counted::Attempts)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chains::Counted;

    #[test]
    fn identifiers_fall_into_words() {
        assert_eq!(words("maxRetryCount"), ["max", "retry", "count"]);
        assert_eq!(words("self.MAX_RETRIES"), ["self", "max", "retries"]);
        assert_eq!(split("this.store.get"), ("get", "this.store"));
        assert_eq!(split("Uuid::new_v4"), ("new_v4", "Uuid:"));
    }

    #[test]
    fn logs_are_told_from_other_calls() {
        for log in [
            "logger.warning",
            "console.error",
            "self.log.info",
            "print",
            "eprintln!",
            "warn!",
            "tracing::warn!",
            "metrics.retries.inc",
        ] {
            assert!(is_log(log), "{log}");
        }
        for other in ["catalog.get", "math.log", "client.login", "dialog.open", "error", "errors.add"] {
            assert!(!is_log(other), "{other}");
        }
    }

    #[test]
    fn names_say_what_they_count() {
        assert_eq!(counted("MAX_RETRIES"), Some(Counted::Retries));
        assert_eq!(counted("maxAttempts"), Some(Counted::Attempts));
        assert_eq!(counted("max_tries"), Some(Counted::Attempts));
        assert_eq!(counted("retry_attempts"), None);
        assert_eq!(counted("RETRY_DELAY"), None);
        assert_eq!(counted("n"), None);
    }

    #[test]
    fn fresh_values_are_told_from_made_ones() {
        for fresh in
            ["uuid.uuid4", "crypto.randomUUID", "nanoid", "Uuid::new_v4", "Date.now", "time.time", "secrets.token_hex"]
        {
            assert!(is_fresh(fresh), "{fresh}");
        }
        for made in ["uuid.uuid5", "order.key", "hashlib.sha256", "str"] {
            assert!(!is_fresh(made), "{made}");
        }
    }
}
