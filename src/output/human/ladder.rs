//! The ladder: the layers of a chain as a column of arithmetic, with where each is and where its number
//! comes from, down to the product.

use super::item;
use crate::chains::{Chain, Count, CountSource, Failure, Layer, LayerKind};
use crate::escape;
use crate::output::layout::{WIDTH, duration, pad, pad_left, width, wrap};
use crate::output::paint::Paint;
use crate::report::Report;
use crate::source::Place;

/// A row: its number, what the layer is, where it stands, where the number comes from.
struct Row {
    count: String,
    name: String,
    at: String,
    from: String,
}

/// Entries named before "and N more".
const ENTRIES: usize = 3;

/// Writes a chain's ladder under a gutter.
pub(in crate::output) fn write(report: &Report, chain: &Chain, paint: Paint, gutter: usize, out: &mut String) {
    let margin = " ".repeat(gutter + 1);
    let bar = paint.frame("|");
    let rows: Vec<Row> = chain.layers.iter().enumerate().map(|(at, l)| row(report, at, l)).collect();
    let total = format!("= {}", count(chain.worst));
    let number = rows.iter().map(|r| width(&r.count)).chain([width(&total)]).max().unwrap_or(0);
    let heading = if rows.len() == 1 { "layer:" } else { "layers, outermost first:" };
    out.push_str(&format!("{margin}{} {heading}\n", paint.frame("=")));
    for line in lines(&rows, number, WIDTH - gutter - 5) {
        out.push_str(&format!("{margin}{bar}   {line}\n"));
    }
    let sum = format!("{}  {}", paint.strong(&pad_left(&total, number)), requests(report, chain));
    out.push_str(&format!("{margin}{bar}   {sum}\n"));
    let failures = by_failure(chain);
    if !failures.is_empty() {
        item(paint, gutter, "by failure", &failures, out);
    }
    if !chain.entries.is_empty() {
        item(paint, gutter, "starts at", &entries(report, chain), out);
    }
}

/// "up to 36 requests, 3 x 4 x 3", for references to a ladder.
pub(in crate::output) fn product(chain: &Chain) -> String {
    let factors: Vec<String> = chain.layers.iter().map(|l| count(l.attempts)).collect();
    let requests = match chain.worst {
        Count::Exact(n) => format!("up to {n} requests"),
        other => format!("{} requests", count(other)),
    };
    if factors.len() < 2 { requests } else { format!("{requests}, {}", factors.join(" x ")) }
}

/// Rows as one line each if all fit, else with the origin of the number on a line of its own.
fn lines(rows: &[Row], number: usize, columns: usize) -> Vec<String> {
    let widest = |cell: fn(&Row) -> &str| rows.iter().map(|r| width(cell(r))).max().unwrap_or(0);
    let (name, at) = (widest(|r| &r.name), widest(|r| &r.at));
    let indent = number + 2;
    let one = rows.iter().all(|r| indent + name + 2 + at + 2 + width(&r.from) <= columns);
    let mut lines = Vec::new();
    for r in rows {
        let count = pad_left(&r.count, number);
        if one {
            lines.push(
                format!("{count}  {}  {}  {}", pad(&r.name, name), pad(&r.at, at), r.from).trim_end().to_string(),
            );
            continue;
        }
        lines.push(format!("{count}  {}, {}", r.name, r.at));
        lines.extend(
            wrap(&r.from, columns - indent - 4)
                .into_iter()
                .filter(|l| !l.is_empty())
                .map(|l| " ".repeat(indent + 4) + &l),
        );
    }
    lines
}

fn row(report: &Report, at: usize, layer: &Layer) -> Row {
    let sign = if at == 0 { "" } else { "x " };
    Row {
        count: format!("{sign}{}", count(layer.attempts)),
        name: name(layer),
        at: short(report, layer.place),
        from: origin(report, layer),
    }
}

/// `path:line`, safe to print.
fn short(report: &Report, place: Place) -> String {
    format!("{}:{}", escape::line(report.sources.path(place)), report.sources.start(place).line)
}

fn name(layer: &Layer) -> String {
    let kind = match layer.kind {
        LayerKind::JobQueue => "job queue",
        LayerKind::Sdk => "SDK",
        other => other.name(),
    };
    match &layer.library {
        Some(library) => format!("{} {kind}", escape::line(library)),
        None => kind.to_string(),
    }
}

/// Where the number comes from, in the code's own words.
fn origin(report: &Report, layer: &Layer) -> String {
    let text = escape::line(&layer.text).into_owned();
    let setting = layer.setting.as_deref().map(|s| format!(" of {}", escape::line(s))).unwrap_or_default();
    let elsewhere = layer.number.filter(|n| short(report, *n) != short(report, layer.place));
    let written = elsewhere.map(|n| format!(" at {}", short(report, n))).unwrap_or_default();
    let mut parts = match layer.source {
        CountSource::Default => vec![format!("library default{setting}")],
        CountSource::Literal => vec![format!("{text}{written}")],
        CountSource::Constant => vec![text, format!("constant{written}")],
        CountSource::Parameter => vec![text, format!("parameter{written}")],
        CountSource::Environment => vec![text, format!("default of an environment variable{written}")],
        CountSource::Configuration => vec![text, "declared in the configuration".into()],
    };
    parts.extend(layer.defined.map(|d| format!("defined at {}", short(report, d))));
    if !layer.also.is_empty() {
        let others: Vec<String> = layer.also.iter().map(u64::to_string).collect();
        parts.push(format!("can also be {}", others.join(", ")));
    }
    // The catalogue's own version goes without saying: it is what `squall libraries` shows.
    let version = layer.version.as_ref().and_then(|v| Some((v, v.place.as_ref()?)));
    if let (Some((version, (file, line))), true) = (version, layer.source == CountSource::Default) {
        parts.push(format!("{} by {}:{line}", escape::line(&version.text), escape::line(file)));
    }
    parts.extend(layer.family.as_deref().map(|f| format!("taken for a {} client", escape::line(f))));
    parts.extend(layer.reason.as_deref().map(|r| format!("not known: {}", escape::line(r))));
    parts.retain(|p| !p.is_empty());
    parts.join(", ")
}

fn count(count: Count) -> String {
    match count {
        Count::Exact(n) => n.to_string(),
        Count::Time(Some(n)) => format!("{n} in time"),
        Count::Time(None) => "time limit".into(),
        Count::Unbounded => "unbounded".into(),
        Count::Unknown(n) if n > 1 => format!(">= {n} x ?"),
        Count::Unknown(_) => "?".into(),
    }
}

/// What the product means: requests, the peak, the time they take.
fn requests(report: &Report, chain: &Chain) -> String {
    let mut text = "requests for one failing call".to_string();
    if let Some(peak) = chain.peak {
        text += &format!(", {peak} within {}", duration(report.window));
    }
    let time = |s: Option<f64>| s.filter(|s| s.is_finite()).map(duration);
    match (time(chain.shortest), time(chain.longest)) {
        (Some(a), Some(b)) if a != b => text + &format!(", {a} to {b}"),
        (Some(a), Some(_)) => text + &format!(", {a}"),
        (Some(a), None) => text + &format!(", {a} or more"),
        _ => text,
    }
}

/// "36 on connect, timeout; 12 on permanent", the largest first; nothing if all are the same.
fn by_failure(chain: &Chain) -> String {
    let mut groups: Vec<(Count, Vec<&str>)> = Vec::new();
    for failure in Failure::ALL {
        let of = chain.by_failure[failure.index()];
        // The answer that the code refuses is no failure of the service: worth a word only if it is retried.
        if failure == Failure::Answer && of == Count::ONE {
            continue;
        }
        match groups.iter_mut().find(|(c, _)| *c == of) {
            Some((_, names)) => names.push(failure.name()),
            None => groups.push((of, vec![failure.name()])),
        }
    }
    if groups.len() < 2 {
        return String::new();
    }
    let size = |c: &Count| match *c {
        Count::Unbounded | Count::Time(None) => u64::MAX,
        Count::Exact(n) | Count::Unknown(n) | Count::Time(Some(n)) => n,
    };
    groups.sort_by_key(|(c, _)| std::cmp::Reverse(size(c)));
    let texts: Vec<String> = groups.iter().map(|(c, names)| format!("{} on {}", count(*c), names.join(", "))).collect();
    texts.join("; ")
}

fn entries(report: &Report, chain: &Chain) -> String {
    let named = chain.entries.iter().take(ENTRIES);
    let mut texts: Vec<String> =
        named.map(|e| format!("{} ({})", escape::line(&e.function), short(report, e.place))).collect();
    if chain.entries.len() > ENTRIES {
        texts.push(format!("and {} more", chain.entries.len() - ENTRIES));
    }
    texts.join(", ")
}
