//! A library's figures when nothing is set: for the list of libraries and the page of each. The analysis itself
//! evaluates formulas with what the program says; here every parameter is missing.

use super::schema::{Callable, Layer, LibraryFile, Outbound};
use super::{Formula, Operator};
use crate::versions::Assumed;
use std::collections::BTreeMap;

/// Formulas refer to locals at most so deep.
const DEPTH: u8 = 40;

/// What one call, client or policy of a library does when nothing is set.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// What it is: an SDK's call, a decorator …
    pub kind: String,
    /// Executions at worst, the first one counted.
    pub attempts: Attempts,
    /// Classes of failure that are tried again.
    pub retries: Vec<String>,
    /// Executions of the classes for which there are more or fewer than of the others.
    pub apart: Vec<(String, Attempts)>,
    /// Seconds before each of the first retries, at most; empty if they cannot be known.
    pub waits: Vec<f64>,
    /// The wait, as the catalogue writes it.
    pub wait: Option<String>,
    /// Whether chance moves the waits.
    pub jitter: bool,
    /// `honoured`, `capped`, `ignored`.
    pub retry_after: Option<String>,
    /// The parameter that sets the count.
    pub setting: Option<String>,
    /// How to switch it off.
    pub off: Option<String>,
    /// What misleads about the setting's name.
    pub misleading: Option<String>,
}

/// How many executions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Attempts {
    /// So many.
    Exact(u64),
    /// No limit in number.
    Unbounded,
    /// It is for the program to say.
    Open,
}

/// What retries in a library, the most telling first: the shared facts, then those that single entries say.
pub fn figures(file: &LibraryFile) -> Vec<Figures> {
    let mut found = Vec::new();
    let version = Assumed::of_catalogue(&file.library.version);
    let functions = file.functions.iter().map(|f| (&f.callable, None));
    let classes = file.classes.iter().flat_map(|class| {
        let methods = class.methods.iter().map(move |m| (&m.callable, Some(class)));
        std::iter::once((&class.new, Some(class))).chain(methods)
    });
    for (callable, class) in functions.chain(classes) {
        let empty = BTreeMap::new();
        let shared = class.map_or(&empty, |c| &c.locals);
        let reader = Reader { callable, shared, version: &version };
        for outbound in [&callable.outbound, &callable.transport].into_iter().flatten() {
            add(&mut found, reader.outbound(outbound));
        }
        for layer in [&callable.layer, &callable.entry_layer].into_iter().flatten() {
            add(&mut found, reader.layer(layer));
        }
    }
    // What retries by itself says more about a library than what must be told to; plain calls say least.
    found.sort_by_key(|f| match f.attempts {
        Attempts::Exact(1) => 2,
        Attempts::Open => 1,
        _ => 0,
    });
    found
}

fn add(found: &mut Vec<Figures>, new: Figures) {
    if !found.contains(&new) {
        found.push(new);
    }
}

struct Reader<'a> {
    callable: &'a Callable,
    shared: &'a BTreeMap<String, Formula>,
    version: &'a Assumed,
}

/// A value at its largest; nothing: not given.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Null,
    Number(f64),
    Text(String),
    Bool(bool),
    List(Vec<Value>),
    Unknown,
}

impl Reader<'_> {
    fn outbound(&self, outbound: &Outbound) -> Figures {
        let all = outbound.attempts.iter().chain(outbound.attempts_by_failure.values());
        let worst = all.map(|f| self.count(f)).fold(Attempts::Exact(1), worse);
        let mut retries = outbound.retries.clone();
        retries.extend(
            outbound
                .attempts_by_failure
                .iter()
                .filter(|(_, f)| self.count(f) != Attempts::Exact(1))
                .map(|(failure, _)| failure.clone()),
        );
        let retries = super::FAILURES.iter().filter(|f| retries.iter().any(|r| r == *f));
        let own = outbound.attempts_by_failure.iter().map(|(failure, f)| (failure.clone(), self.count(f)));
        let apart = own.filter(|(_, count)| *count != worst && *count != Attempts::Exact(1));
        // What `attempts` says holds for the rest.
        let rest = outbound.attempts.as_ref().filter(|_| !outbound.retries.is_empty()).map(|f| self.count(f));
        let rest = rest.filter(|count| *count != worst && *count != Attempts::Exact(1)).into_iter().flat_map(|count| {
            let others = outbound.retries.iter().filter(|r| !outbound.attempts_by_failure.contains_key(*r));
            others.map(move |failure| (failure.clone(), count))
        });
        let apart = apart.chain(rest).collect();
        Figures {
            apart,
            kind: outbound.kind.clone(),
            attempts: worst,
            retries: retries.map(|f| (*f).to_string()).collect(),
            waits: self.waits(outbound.wait.as_ref(), worst),
            wait: outbound.wait.as_ref().map(ToString::to_string),
            jitter: outbound.wait.as_ref().is_some_and(|f| self.random(f, 0)),
            retry_after: outbound.retry_after.as_ref().and_then(|formula| match self.value(formula, 1.0, 0) {
                Value::Text(word) => Some(word),
                _ => None,
            }),
            setting: outbound.setting.clone(),
            off: outbound.off.clone(),
            misleading: outbound.misleading.clone(),
        }
    }

    fn layer(&self, layer: &Layer) -> Figures {
        let attempts = self.count(&layer.attempts);
        Figures {
            kind: layer.kind.clone(),
            attempts,
            retries: Vec::new(),
            apart: Vec::new(),
            waits: self.waits(layer.wait.as_ref(), attempts),
            wait: layer.wait.as_ref().map(ToString::to_string),
            jitter: layer.wait.as_ref().is_some_and(|f| self.random(f, 0)),
            retry_after: None,
            setting: layer.setting.clone(),
            off: None,
            misleading: layer.misleading.clone(),
        }
    }

    fn count(&self, formula: &Formula) -> Attempts {
        match self.value(formula, 1.0, 0) {
            Value::Number(n) if n.is_finite() => Attempts::Exact(n.max(1.0) as u64),
            Value::Number(_) => Attempts::Unbounded,
            _ => Attempts::Open,
        }
    }

    /// The first waits, as far as they are numbers.
    fn waits(&self, formula: Option<&Formula>, attempts: Attempts) -> Vec<f64> {
        let shown = match attempts {
            Attempts::Exact(n) => n.saturating_sub(1).min(3),
            _ => 3,
        };
        let Some(formula) = formula else { return Vec::new() };
        let waits = (1..=shown).map_while(|n| match self.value(formula, n as f64, 0) {
            Value::Number(seconds) if seconds.is_finite() => Some(seconds),
            _ => None,
        });
        waits.collect()
    }

    /// Whether chance has a say.
    fn random(&self, formula: &Formula, depth: u8) -> bool {
        if depth > DEPTH {
            return false;
        }
        match formula {
            Formula::Call(name, _) if matches!(name.as_str(), "uniform" | "random" | "jitter") => true,
            // Only what is chosen when nothing is set.
            Formula::Call(name, items) if name == "if" && items.len() == 3 => {
                match items.first().and_then(|c| self.value(c, 2.0, depth + 1).truth()) {
                    Some(true) => items.get(1).is_some_and(|f| self.random(f, depth + 1)),
                    Some(false) => items.get(2).is_some_and(|f| self.random(f, depth + 1)),
                    None => items.iter().skip(1).any(|f| self.random(f, depth + 1)),
                }
            }
            Formula::Call(_, items) | Formula::List(items) => items.iter().any(|f| self.random(f, depth + 1)),
            Formula::Name(name) => self.local(name).is_some_and(|f| self.random(f, depth + 1)),
            Formula::Binary(_, a, b) | Formula::Index(a, b) => self.random(a, depth + 1) || self.random(b, depth + 1),
            Formula::Field(a, _) | Formula::Not(a) | Formula::Neg(a) => self.random(a, depth + 1),
            _ => false,
        }
    }

    fn local(&self, name: &str) -> Option<&Formula> {
        self.callable.locals.get(name).or_else(|| self.callable.defaults.get(name)).or_else(|| self.shared.get(name))
    }

    fn value(&self, formula: &Formula, n: f64, depth: u8) -> Value {
        if depth > DEPTH {
            return Value::Unknown;
        }
        let of = |f: &Formula| self.value(f, n, depth + 1);
        match formula {
            Formula::Number(x) => Value::Number(*x),
            Formula::Text(text) => Value::Text(text.clone()),
            Formula::Bool(b) => Value::Bool(*b),
            Formula::Null => Value::Null,
            Formula::Name(name) if name == "n" => Value::Number(n),
            Formula::Name(name) => match self.local(name) {
                Some(f) => of(f),
                None if matches!(name.as_str(), "error" | "result" | "failure" | "failure_error") => Value::Unknown,
                None => Value::Null,
            },
            Formula::Field(object, _) => match &**object {
                Formula::Name(name) if name == "request" => Value::Unknown,
                object => of(object).or_null(),
            },
            Formula::Index(object, _) => of(object).or_null(),
            Formula::Call(name, items) => self.call(name, items, n, depth),
            Formula::Binary(operator, a, b) => binary(*operator, &of(a), &of(b)),
            Formula::Not(a) => of(a).truth().map_or(Value::Unknown, |b| Value::Bool(!b)),
            Formula::Neg(a) => match of(a) {
                Value::Number(x) => Value::Number(-x),
                other => other,
            },
            Formula::List(items) => Value::List(items.iter().map(of).collect()),
        }
    }

    fn call(&self, name: &str, items: &[Formula], n: f64, depth: u8) -> Value {
        let of = |i: usize| items.get(i).map_or(Value::Null, |f| self.value(f, n, depth + 1));
        let all = || items.iter().map(|f| self.value(f, n, depth + 1));
        match name {
            "default" => all().find(|v| *v != Value::Null).unwrap_or(Value::Null),
            "missing" => match of(0) {
                Value::Unknown => Value::Unknown,
                value => Value::Bool(value == Value::Null),
            },
            "truthy" => of(0).truth().map_or(Value::Unknown, Value::Bool),
            "callable" => Value::Bool(false),
            // What is not there is nothing of the catalogue's.
            "is" if of(0) == Value::Null => Value::Bool(false),
            "if" => match of(0).truth() {
                Some(true) => of(1),
                Some(false) => of(2),
                // The larger of both, as the worst case is meant.
                None => larger(of(1), of(2)),
            },
            "number" | "duration" | "floor" | "ceil" | "first" | "last" => of(0),
            "min" => extreme(all().collect(), f64::min),
            "max" => extreme(all().collect(), f64::max),
            "clamp" => match (of(0), of(1), of(2)) {
                (Value::Number(x), Value::Number(lo), Value::Number(hi)) => Value::Number(x.max(lo).min(hi)),
                _ => Value::Unknown,
            },
            "uniform" => of(1),
            "random" => Value::Number(1.0),
            "jitter" => binary(Operator::Mul, &of(0), &binary(Operator::Add, &Value::Number(1.0), &of(1))),
            "env" => of(1),
            "assigned" => Value::Null,
            "at" => match of(0) {
                Value::List(list) => list.get(n as usize - 1).or_else(|| list.last()).cloned().unwrap_or(Value::Null),
                other => other,
            },
            "len" => match of(0) {
                Value::List(list) => Value::Number(list.len() as f64),
                other => other,
            },
            "version_at_least" => match of(0) {
                Value::Text(version) => Value::Bool(self.version.is_at_least(&version)),
                _ => Value::Unknown,
            },
            "starts_with" => match (of(0), of(1)) {
                (Value::Text(text), Value::Text(start)) => Value::Bool(text.starts_with(&start)),
                (Value::Null, _) => Value::Bool(false),
                _ => Value::Unknown,
            },
            "upper" | "lower" => match of(0) {
                Value::Text(text) if name == "upper" => Value::Text(text.to_uppercase()),
                Value::Text(text) => Value::Text(text.to_lowercase()),
                other => other,
            },
            _ => Value::Unknown,
        }
    }
}

impl Value {
    fn truth(&self) -> Option<bool> {
        match self {
            Value::Null => Some(false),
            Value::Bool(b) => Some(*b),
            Value::Number(x) => Some(*x != 0.0),
            Value::Text(text) => Some(!text.is_empty()),
            Value::List(list) => Some(!list.is_empty()),
            Value::Unknown => None,
        }
    }

    /// The field of something that is not given is not given either.
    fn or_null(self) -> Value {
        if self == Value::Unknown { Value::Unknown } else { Value::Null }
    }
}

fn larger(a: Value, b: Value) -> Value {
    match (&a, &b) {
        (Value::Number(x), Value::Number(y)) => Value::Number(x.max(*y)),
        (Value::Unknown, _) | (_, Value::Unknown) => Value::Unknown,
        (Value::Null, _) => b,
        _ => a,
    }
}

fn worse(a: Attempts, b: Attempts) -> Attempts {
    match (a, b) {
        (Attempts::Unbounded, _) | (_, Attempts::Unbounded) => Attempts::Unbounded,
        (Attempts::Open, Attempts::Exact(1)) | (Attempts::Exact(1), Attempts::Open) => Attempts::Open,
        (Attempts::Exact(x), Attempts::Exact(y)) => Attempts::Exact(x.max(y)),
        (Attempts::Exact(x), Attempts::Open) | (Attempts::Open, Attempts::Exact(x)) => Attempts::Exact(x),
        (Attempts::Open, Attempts::Open) => Attempts::Open,
    }
}

fn extreme(values: Vec<Value>, pick: fn(f64, f64) -> f64) -> Value {
    let mut found: Option<f64> = None;
    for value in values.into_iter().flat_map(|v| if let Value::List(list) = v { list } else { vec![v] }) {
        match value {
            Value::Number(x) => found = Some(found.map_or(x, |old| pick(old, x))),
            Value::Null => {}
            _ => return Value::Unknown,
        }
    }
    found.map_or(Value::Null, Value::Number)
}

fn binary(operator: Operator, a: &Value, b: &Value) -> Value {
    use Operator::*;
    match operator {
        And => match (a.truth(), b.truth()) {
            (Some(false), _) | (_, Some(false)) => Value::Bool(false),
            (Some(true), Some(true)) => Value::Bool(true),
            _ => Value::Unknown,
        },
        Or => match (a.truth(), b.truth()) {
            (Some(true), _) | (_, Some(true)) => Value::Bool(true),
            (Some(false), Some(false)) => Value::Bool(false),
            _ => Value::Unknown,
        },
        Eq | NotEq if *a == Value::Unknown || *b == Value::Unknown => Value::Unknown,
        Eq => Value::Bool(a == b),
        NotEq => Value::Bool(a != b),
        In => match b {
            Value::List(list) if *a != Value::Unknown => Value::Bool(list.contains(a)),
            _ => Value::Unknown,
        },
        _ => match (a, b) {
            (Value::Number(x), Value::Number(y)) => match operator {
                Add => Value::Number(x + y),
                Sub => Value::Number(x - y),
                Mul => Value::Number(x * y),
                Div => Value::Number(x / y),
                Mod => Value::Number(x % y),
                Pow => Value::Number(x.powf(*y)),
                Lt => Value::Bool(x < y),
                LtEq => Value::Bool(x <= y),
                Gt => Value::Bool(x > y),
                _ => Value::Bool(x >= y),
            },
            (Value::Null, _) | (_, Value::Null) => Value::Null,
            _ => Value::Unknown,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::ir::Language;

    fn main_figures(language: Language, name: &str) -> Figures {
        let catalogue = Catalogue::embedded();
        let files = catalogue.files_of_all();
        let found = files.iter().find(|f| f.language == language && f.file.library.name == name);
        figures(found.unwrap().file).remove(0)
    }

    #[test]
    fn what_libraries_do_when_nothing_is_set() {
        let of = |name: &str| main_figures(Language::Python, name);
        assert_eq!(of("anthropic").attempts, Attempts::Exact(3));
        assert_eq!(of("anthropic").waits, [0.5, 1.0]);
        assert!(of("anthropic").jitter);
        assert_eq!(of("tenacity").attempts, Attempts::Unbounded);
        assert_eq!(of("boto3").attempts, Attempts::Exact(3));
        let of = |name: &str| main_figures(Language::JavaScript, name);
        assert_eq!(of("stripe").attempts, Attempts::Exact(3));
        assert_eq!(of("got").attempts, Attempts::Exact(3));
        assert_eq!(of("p-retry").attempts, Attempts::Exact(11));
    }
}
