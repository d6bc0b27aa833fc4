//! How findings speak: counts, layers, places and the arithmetic between them.

use crate::chains::{Chain, Count, Failure, Layer, LayerKind};
use crate::source::{Place, Sources};

/// `path:line`
pub(super) fn at(sources: &Sources, place: Place) -> String {
    format!("{}:{}", sources.path(place), sources.start(place).line)
}

/// How often something is done at worst: "up to 36 times".
pub(super) fn up_to_times(count: Count) -> String {
    match count {
        Count::Exact(n) => format!("up to {n} times"),
        Count::Time(Some(n)) => format!("up to {n} times (what fits into the time limit)"),
        Count::Unknown(n) => format!("at least {n} times (a count is not known)"),
        Count::Time(None) => "as often as fits into the time limit".to_string(),
        Count::Unbounded => "without bound".to_string(),
    }
}

/// A count in a sum or product.
pub(super) fn figure(count: Count) -> String {
    match count {
        Count::Exact(n) | Count::Time(Some(n)) => n.to_string(),
        Count::Time(None) => "(time limit)".to_string(),
        Count::Unknown(n) if n > 1 => format!("(>= {n})"),
        Count::Unknown(_) => "?".to_string(),
        Count::Unbounded => "(no bound)".to_string(),
    }
}

/// `4 times`
pub(super) fn times(count: Count) -> String {
    match count {
        Count::Unknown(n) if n > 1 => format!("at least {n} times"),
        Count::Unknown(_) => "an unknown number of times".to_string(),
        count => format!("{} times", figure(count)),
    }
}

/// `4 attempts`
pub(super) fn attempts(count: Count) -> String {
    match count {
        Count::Exact(1) => "1 attempt".to_string(),
        Count::Exact(n) => format!("{n} attempts"),
        Count::Time(Some(n)) => format!("{n} attempts, as many as fit into its time limit"),
        Count::Time(None) => "as many attempts as fit into its time limit".to_string(),
        Count::Unknown(n) if n > 1 => format!("at least {n} attempts"),
        Count::Unknown(_) => "an unknown number of attempts".to_string(),
        Count::Unbounded => "attempts without bound".to_string(),
    }
}

/// A number of seconds without needless digits: `0.5 s`, `240 s`.
pub(super) fn seconds(value: f64) -> String {
    if crate::timing::is_far(value) {
        return "as long as the server says".to_string();
    }
    let rounded = (value * 1000.0).round() / 1000.0;
    format!("{rounded} s")
}

/// A largest number of seconds: `up to 240 s`.
pub(super) fn up_to(value: f64) -> String {
    if crate::timing::is_far(value) { seconds(value) } else { format!("up to {}", seconds(value)) }
}

/// The layer in a sentence.
pub(super) fn who(layer: &Layer) -> String {
    let library = layer.library.as_deref();
    match (layer.kind, library) {
        (LayerKind::JobQueue, Some(name)) => format!("{name}'s job retry"),
        (LayerKind::JobQueue, None) => "the job's retry".to_string(),
        (LayerKind::Workflow, Some(name)) => format!("{name}'s retry of the step"),
        (LayerKind::Workflow, None) => "the workflow's retry".to_string(),
        (LayerKind::Decorator, Some(name)) => format!("the {name} decorator"),
        (LayerKind::Decorator, None) => "the retry decorator".to_string(),
        (LayerKind::Wrapper, Some(name)) => format!("the {name} retry"),
        (LayerKind::Wrapper, None) => "the retry wrapper".to_string(),
        (LayerKind::Loop, Some(name)) => format!("the {name} loop"),
        (LayerKind::Loop, None) => "the retry loop".to_string(),
        (LayerKind::Recursion, _) => "the function that calls itself again".to_string(),
        (LayerKind::Sdk, Some(name)) => format!("the {name} client's own retries"),
        (LayerKind::Sdk, None) => "the client's own retries".to_string(),
        (LayerKind::Transport, Some(name)) => format!("the {name} transport's retries"),
        (LayerKind::Transport, None) => "the transport's retries".to_string(),
        (LayerKind::Declared, Some(name)) => format!("the declared layer {name}"),
        (LayerKind::Declared, None) => "the declared layer".to_string(),
    }
}

/// Whether [`who`] speaks of several: "the client's own retries wait", "the loop waits".
pub(super) fn is_plural(layer: &Layer) -> bool {
    layer.kind.is_built_in()
}

/// `the loop waits`, `the client's own retries wait`
pub(super) fn does(layer: &Layer, singular: &str, plural: &str) -> String {
    format!("{} {}", who(layer), if is_plural(layer) { plural } else { singular })
}

/// What a layer is called in the arithmetic.
fn label(layer: &Layer) -> &str {
    layer.library.as_deref().unwrap_or(layer.kind.name())
}

/// `queue 3 x policy 4 x client 3`, of the layers that repeat this class.
pub(super) fn arithmetic(layers: &[Layer], class: Failure) -> String {
    let factors: Vec<String> = layers
        .iter()
        .filter_map(|layer| {
            let count = layer.by_failure[class.index()];
            count.repeats().then(|| format!("{} {}", label(layer), figure(count)))
        })
        .collect();
    factors.join(" x ")
}

/// The counts by class where they differ: `rate-limit, overloaded: 36; permanent: 12`. Empty where all that repeat agree.
pub(super) fn by_class(chain: &Chain) -> String {
    let mut groups: Vec<(Count, Vec<&str>)> = Vec::new();
    for class in Failure::ALL {
        let count = chain.by_failure[class.index()];
        if count == Count::ONE {
            continue;
        }
        match groups.iter_mut().find(|(known, _)| *known == count) {
            Some((_, names)) => names.push(class.name()),
            None => groups.push((count, vec![class.name()])),
        }
    }
    if groups.len() < 2 {
        return String::new();
    }
    groups.sort_by_key(|(count, _)| std::cmp::Reverse(rank(*count)));
    let parts: Vec<String> =
        groups.iter().map(|(count, names)| format!("{}: {}", names.join(", "), figure(*count))).collect();
    parts.join("; ")
}

/// The class of failure that makes the worst case.
pub(super) fn worst_class(chain: &Chain) -> Failure {
    Failure::ALL.into_iter().rev().max_by_key(|class| rank(chain.by_failure[class.index()])).unwrap_or(Failure::Connect)
}

/// An order of counts by how bad they are.
pub(super) fn rank(count: Count) -> (u8, u64) {
    match count {
        Count::Exact(n) | Count::Time(Some(n)) => (0, n),
        Count::Unknown(n) => (1, n),
        Count::Time(None) => (2, 0),
        Count::Unbounded => (3, 0),
    }
}

/// `1 place`, `3 places`
pub(super) fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

/// A sentence's first letter made large.
pub(super) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
