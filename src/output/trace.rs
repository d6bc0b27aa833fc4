//! `squall trace FILE:LINE`: the chains that pass through a line, and what of each stands above and below it.

use super::human;
use super::json::{self, chain_id};
use super::layout::WIDTH;
use super::paint::Paint;
use crate::chains::{Chain, Count, Layer};
use crate::escape;
use crate::report::Report;
use crate::source::{FileId, Place};
use serde::Serialize;

/// A line that is asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its file.
    pub file: FileId,
    /// Counted from 1.
    pub line: u32,
}

/// Lines named where the one asked about has no chain.
const NAMED: usize = 8;

/// What a line is to a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
enum Role {
    /// The outbound call itself.
    Call,
    /// A layer stands there.
    Layer {
        /// Its number, the outermost is 1.
        layer: usize,
    },
    /// The loop of a wrapper or decorator written in the code base.
    Loop {
        /// The layer's number.
        layer: usize,
    },
    /// A layer's count is written there.
    Count {
        /// The layer's number.
        layer: usize,
    },
    /// The client of the call is made there.
    Client,
    /// A step of the path from an entry to the call.
    Path,
    /// The chain can start there.
    Entry,
}

/// One chain through the line.
struct Passing<'a> {
    id: usize,
    chain: &'a Chain,
    roles: Vec<Role>,
    /// So many of the layers are around the line; the others are inside.
    above: usize,
}

#[derive(Serialize)]
struct Root<'a> {
    schema: u32,
    file: &'a str,
    line: u32,
    chains: Vec<JsonPassing<'a>>,
}

#[derive(Serialize)]
struct JsonPassing<'a> {
    here: &'a [Role],
    /// Layers around the line and inside of it.
    above: usize,
    below: usize,
    /// How often the line is executed for one call of the whole; null without a number.
    executions: Option<u64>,
    chain: json::JsonChain<'a>,
}

/// The text for programs.
pub fn json(report: &Report, at: Line) -> String {
    let passing = passing(report, at);
    let chains = passing.iter().map(|p| JsonPassing {
        here: &p.roles,
        above: p.above,
        below: p.chain.layers.len() - p.above,
        executions: json::at_least(executions(p)).filter(|_| executions(p) != Count::Unbounded),
        chain: json::chain(&report.sources, p.id, p.chain),
    });
    let root = Root { schema: 1, file: &report.sources.file(at.file).path, line: at.line, chains: chains.collect() };
    json::to_text(&root)
}

/// The text for people.
pub fn human(report: &Report, at: Line, paint: Paint) -> String {
    let source = report.sources.file(at.file);
    let path = escape::line(&source.path);
    let mut out = format!("{}\n", paint.strong(&format!("{path}:{}", at.line)));
    let code = escape::line(source.line(at.line).trim()).into_owned();
    if !code.is_empty() {
        out += &format!("    {}\n", code.chars().take(WIDTH - 4).collect::<String>());
    }
    let passing = passing(report, at);
    if passing.is_empty() {
        return out + "\n" + &nothing(report, at);
    }
    for p in &passing {
        let call = &p.chain.call;
        let head = format!("{}: {}, {}", chain_id(p.id), escape::line(&call.target), human::product(p.chain));
        out += &format!("\n{}\n", paint.strong(&head));
        human::ladder(report, p.chain, paint, 2, &mut out);
        human::item(
            paint,
            2,
            "called at",
            &format!("{} in {}", spot(report, call.place), name(&call.function)),
            &mut out,
        );
        if p.chain.path.len() > 1 {
            let steps = p.chain.path.iter().map(|s| format!("{} ({})", name(&s.function), spot(report, s.place)));
            human::item(paint, 2, "path", &steps.collect::<Vec<_>>().join(" > "), &mut out);
        }
        human::item(paint, 2, "this line", &here(p), &mut out);
    }
    out
}

/// What the line is, and what is around and inside of it.
fn here(p: &Passing) -> String {
    let roles = p.roles.iter().map(|role| match role {
        Role::Call => "the call that is sent".to_string(),
        Role::Layer { layer } => format!("layer {layer} stands here"),
        Role::Loop { layer } => format!("the loop of layer {layer}"),
        Role::Count { layer } => format!("the count of layer {layer} is written here"),
        Role::Client => "the client is made here".to_string(),
        Role::Path => "on the path to the call".to_string(),
        Role::Entry => "the chain starts here".to_string(),
    });
    let roles: Vec<String> = roles.collect();
    let layers = p.chain.layers.len();
    let executed = match executions(p) {
        Count::Exact(1) => "once".to_string(),
        Count::Exact(n) => format!("up to {n} times"),
        Count::Time(Some(n)) => format!("up to {n} times in the time given"),
        Count::Time(None) => "as often as fits into the time limit".to_string(),
        Count::Unbounded => "without bound".to_string(),
        Count::Unknown(n) => format!("{n} times or more"),
    };
    format!("{}; {} above, {} below; executed {executed}", roles.join(", "), p.above, layers - p.above)
}

/// How often a line is executed under the layers around it, for the failure for which that is most.
fn executions(p: &Passing) -> Count {
    let around = &p.chain.layers[..p.above];
    let by_failure =
        (0..9).map(|failure| around.iter().map(|l: &Layer| l.by_failure[failure]).fold(Count::ONE, Count::times));
    by_failure.fold(Count::ONE, Count::larger)
}

fn nothing(report: &Report, at: Line) -> String {
    let mut lines: Vec<u32> = report
        .analysis
        .chains
        .iter()
        .flat_map(|chain| roles_by_place(chain).into_iter().map(|(place, _)| place))
        .filter(|place| place.file == at.file)
        .map(|place| report.sources.start(place).line)
        .collect();
    lines.sort_by_key(|line| line.abs_diff(at.line));
    lines.dedup();
    lines.truncate(NAMED);
    lines.sort_unstable();
    let text = "No chain of retried calls passes through this line.";
    if lines.is_empty() {
        return format!("{text} None passes through this file.\n");
    }
    let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
    format!("{text}\nThe nearest lines of this file that have one: {}\n", lines.join(", "))
}

fn name(function: &str) -> std::borrow::Cow<'_, str> {
    escape::line(function)
}

fn spot(report: &Report, place: Place) -> String {
    format!("{}:{}", escape::line(report.sources.path(place)), report.sources.start(place).line)
}

/// The chains through a line, the worst first.
fn passing(report: &Report, at: Line) -> Vec<Passing<'_>> {
    let on_line = |place: &Place| {
        place.file == at.file
            && (report.sources.start(*place).line..=report.sources.end(*place).line).contains(&at.line)
    };
    let mut list: Vec<Passing> = Vec::new();
    for (id, chain) in report.analysis.chains.iter().enumerate() {
        let mut roles: Vec<Role> =
            roles_by_place(chain).into_iter().filter(|(place, _)| on_line(place)).map(|(_, role)| role).collect();
        roles.dedup();
        if roles.is_empty() {
            continue;
        }
        let above = above(report, chain, &roles, at);
        list.push(Passing { id, chain, roles, above });
    }
    let weight = |count: Count| match count {
        Count::Unbounded => u64::MAX,
        other => json::at_least(other).unwrap_or(u64::MAX - 1),
    };
    list.sort_by_key(|p| std::cmp::Reverse(weight(p.chain.worst)));
    list
}

/// The places of a chain, and what each is.
fn roles_by_place(chain: &Chain) -> Vec<(Place, Role)> {
    let mut list = vec![(chain.call.whole, Role::Call), (chain.call.place, Role::Call)];
    for (i, layer) in chain.layers.iter().enumerate() {
        let number = i + 1;
        // What a client has built in stands at the call if nobody wrote it.
        if layer.place != chain.call.place {
            list.push((layer.place, Role::Layer { layer: number }));
        }
        list.extend(layer.defined.map(|place| (place, Role::Loop { layer: number })));
        list.extend(layer.number.filter(|n| *n != layer.place).map(|place| (place, Role::Count { layer: number })));
    }
    list.extend(chain.call.client.map(|place| (place, Role::Client)));
    let steps = chain.path.iter().filter(|s| s.place != chain.call.place && s.place != chain.call.whole);
    list.extend(steps.map(|step| (step.place, Role::Path)));
    list.extend(chain.entries.iter().map(|entry| (entry.place, Role::Entry)));
    list
}

/// How many layers are around a line: those that stand further out on the path, or earlier in the same function.
fn above(report: &Report, chain: &Chain, roles: &[Role], at: Line) -> usize {
    let outer = chain.layers.iter().take_while(|l| !l.kind.is_built_in()).count();
    if roles.contains(&Role::Call) {
        return outer;
    }
    let own = roles.iter().find_map(|role| match role {
        Role::Layer { layer } | Role::Loop { layer } => Some(layer - 1),
        _ => None,
    });
    if let Some(own) = own {
        return own;
    }
    let line = |place: Place| report.sources.start(place).line;
    let Some(step) = chain.path.iter().position(|s| s.place.file == at.file && line(s.place) == at.line) else {
        return 0;
    };
    let mut reached = 0;
    let mut count = 0;
    for layer in &chain.layers[..outer] {
        let own = chain.path.iter().enumerate().skip(reached).filter(|(_, s)| s.place.file == layer.place.file);
        // A decorator stands before the function that it is around, and in none itself.
        let here = own.clone().find(|(_, s)| s.function == layer.function).or_else(|| {
            own.filter(|(_, s)| s.place.span.start > layer.place.span.start).min_by_key(|(_, s)| s.place.span.start)
        });
        reached = here.map_or(reached, |(i, _)| i);
        let inside = here.is_some() && (reached > step || (reached == step && line(layer.place) > at.line));
        if inside {
            break;
        }
        count += 1;
    }
    count
}
