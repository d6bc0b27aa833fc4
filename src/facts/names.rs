//! Names and comments that say what a layer's number counts: retries or attempts.

use super::effects::value_of;
use super::ground::Ground;
use super::map::Source;
use super::regions::{Region, within, written};
use super::words;
use crate::chains::compose::Composer;
use crate::chains::{Chain, Count, CountName, Counted};
use crate::ir::*;
use crate::layers::machine::Machine;
use crate::link::token::{CompId, FuncRef};
use crate::source::{FileId, Place};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Every name or comment that speaks of attempts or retries and reaches a layer's count.
pub fn names(ground: &Ground, composer: &mut Composer, regions: &[Region], chains: &[Chain]) -> Vec<CountName> {
    let mut found: BTreeMap<(Place, u64), CountName> = BTreeMap::new();
    let mut seen: FxHashSet<(Place, CompId, u64)> = FxHashSet::default();
    for region in regions {
        let Count::Exact(attempts) = region.layer.attempts else { continue };
        if !seen.insert((written(&region.layer), region.comp, attempts)) {
            continue;
        }
        if let Some(turns) = region.turns {
            for (place, text, says, number) in in_loop(ground, &mut composer.machine, region.comp, turns) {
                let function = ground.view.name(region.comp);
                let layer = region.layer.place;
                found.entry((place, number)).or_insert(CountName {
                    place,
                    function,
                    text,
                    says,
                    number,
                    layer,
                    attempts,
                });
            }
        }
        if let Some((place, text, says, number)) = comment_at(ground, written(&region.layer)) {
            let function = region.layer.function.clone();
            let layer = region.layer.place;
            found.entry((place, number)).or_insert(CountName { place, function, text, says, number, layer, attempts });
        }
    }
    let mut numbers: FxHashSet<(Place, u64)> = FxHashSet::default();
    for layer in chains.iter().flat_map(|c| &c.layers) {
        let (Some(number), Count::Exact(attempts)) = (layer.number, layer.attempts) else { continue };
        if layer.library.is_none() || !numbers.insert((number, attempts)) {
            continue;
        }
        for (place, text, says, count) in in_setting(ground, &mut composer.machine, number) {
            found.entry((place, count)).or_insert(CountName {
                place,
                function: layer.function.clone(),
                text,
                says,
                number: count,
                layer: layer.place,
                attempts,
            });
        }
    }
    // One slip, one finding: a name that the header and the last test both use is said where it comes first.
    let mut said: FxHashSet<(u32, String, String, u64)> = FxHashSet::default();
    let key = |n: &CountName| (n.place.file.0, n.function.clone(), n.text.clone(), n.number);
    found.into_values().filter(|name| said.insert(key(name))).collect()
}

type Said = (Place, String, Counted, u64);

/// The names in a loop's header and in the tests that end it.
fn in_loop(ground: &Ground, machine: &mut Machine, comp: CompId, turns: StmtId) -> Vec<Said> {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let mut roots: Vec<ExprId> = Vec::new();
    match file.stmt(turns) {
        Stmt::ForEach { iter, .. } => roots.push(*iter),
        Stmt::Loop { before, after, .. } => roots.extend(before.iter().chain(after)),
        _ => {}
    }
    for &id in map.stmts_of(ground.view.func(comp).id) {
        if let Stmt::If { test, .. } = file.stmt(id)
            && map.around(id).any(|(s, _)| s == turns)
        {
            roots.push(*test);
        }
        if let Stmt::Match { arms, .. } = file.stmt(id)
            && map.around(id).any(|(s, _)| s == turns)
        {
            roots.extend(arms.iter().filter_map(|a| a.guard));
        }
    }
    let mut said = Vec::new();
    for root in roots {
        let mut pending = vec![root];
        while let Some(e) = pending.pop() {
            match &file.expr(e).kind {
                ExprKind::Var(_) | ExprKind::Attr { .. } => said.extend(said_by(ground, machine, comp, e)),
                // `retries < 3`: a counter's name, and the number that it goes up to.
                ExprKind::Compare(CompareOp::Lt | CompareOp::LtEq | CompareOp::Gt | CompareOp::GtEq, a, b) => {
                    for (name, bound) in [(*a, *b), (*b, *a)] {
                        let ExprKind::Literal(Literal::Int(n)) = file.expr(bound).kind else { continue };
                        let text = name_of(file, name);
                        if let (Some(text), Ok(number)) = (text, u64::try_from(n))
                            && number > 0
                            && let Some(says) = words::counted(text)
                        {
                            said.push((ground.place(comp, name), text.to_string(), says, number));
                        }
                    }
                    pending.extend([*a, *b]);
                }
                _ => crate::layers::relevant::children(file, e, &mut pending),
            }
        }
    }
    said
}

/// What a name says of the number that it holds.
fn said_by(ground: &Ground, machine: &mut Machine, comp: CompId, e: ExprId) -> Option<Said> {
    let file = ground.file(comp);
    let text = name_of(file, e)?;
    let says = words::counted(text)?;
    let number = number_of(ground, machine, comp, e)?;
    Some((ground.place(comp, e), text.to_string(), says, number))
}

fn name_of(file: &File, e: ExprId) -> Option<&str> {
    match &file.expr(e).kind {
        ExprKind::Var(var) => Some(file.name(file.var(*var).name)),
        ExprKind::Attr { name, .. } => Some(file.name(*name)),
        _ => None,
    }
}

fn number_of(ground: &Ground, machine: &mut Machine, comp: CompId, e: ExprId) -> Option<u64> {
    let file = ground.file(comp);
    let mut value = value_of(machine, comp, e);
    if value.as_exact().is_none()
        && let ExprKind::Var(var) = file.expr(e).kind
        && file.var(var).owner == ground.view.func(comp).id
    {
        // A local: the number it starts from, counted down or not.
        let defs = ground.map(comp).defs(var);
        let mut starts = defs.iter().filter(|d| !d.adds);
        if let (Some(first), None) = (starts.next(), starts.next())
            && let Source::Whole(start) = first.source
        {
            value = value_of(machine, comp, start);
        }
    }
    let number = value.as_exact()?;
    ((1.0..=1e6).contains(&number) && number.fract() == 0.0).then_some(number as u64)
}

/// The names in a library's setting.
fn in_setting(ground: &Ground, machine: &mut Machine, number: Place) -> Vec<Said> {
    let index = number.file.0;
    let Some(file) = ground.view.solver.files.get(index as usize) else { return Vec::new() };
    // The innermost function around it.
    let function = file
        .functions
        .iter()
        .enumerate()
        .filter(|(_, f)| within(number.span, f.span))
        .min_by_key(|(_, f)| f.span.end - f.span.start)
        .map_or(MODULE, |(i, _)| FunctionId(i as u32));
    let map = ground.map_of(index);
    let mut said = Vec::new();
    let mut owners = vec![function];
    owners.extend(file.function(function).parent);
    for owner in owners {
        let Some(&comp) = ground.comps_of(FuncRef { file: index, id: owner }).first() else { continue };
        for &e in map.exprs_of(owner) {
            let is_name = matches!(file.expr(e).kind, ExprKind::Var(_) | ExprKind::Attr { .. });
            if is_name && within(file.expr(e).span, number.span) {
                said.extend(said_by(ground, machine, comp, e));
            }
        }
    }
    said
}

/// What the comment beside or above a layer says.
fn comment_at(ground: &Ground, place: Place) -> Option<Said> {
    let file = ground.view.solver.files.get(place.file.index())?;
    let text = ground.texts.get(place.file.index())?;
    let mark = if file.language == Language::Python { "#" } else { "//" };
    let line = file.line(place.span.start).checked_sub(1)? as usize;
    let start_of = |line: usize| file.line_starts.get(line).map(|s| *s as usize);
    let text_of = |line: usize| {
        let start = start_of(line)?;
        let end = start_of(line + 1).unwrap_or(text.len());
        text.get(start..end)
    };
    // The line itself, then comment lines directly above.
    let mut candidates = Vec::new();
    if let Some(here) = text_of(line)
        && let Some(at) = here.find(mark)
    {
        candidates.push((line, at));
    }
    for above in (line.saturating_sub(3)..line).rev() {
        let Some(here) = text_of(above) else { break };
        let trimmed = here.trim_start();
        if !trimmed.starts_with(mark) {
            break;
        }
        candidates.push((above, here.len() - trimmed.len()));
    }
    candidates.into_iter().find_map(|(line, at)| {
        let comment = text_of(line)?.get(at..)?.trim_end();
        let (says, number) = said_in(comment)?;
        let start = start_of(line)? + at;
        let place = Place { file: FileId(place.file.0), span: Span::new(start, start + comment.len()) };
        let words = comment.trim_start_matches(['#', '/', ' ']).to_string();
        Some((place, words, says, number))
    })
}

/// `retry up to 3 times`, `3 retries`, `at most 5 attempts`.
fn said_in(comment: &str) -> Option<(Counted, u64)> {
    let list = words::words(comment);
    let number = |w: &str| match w {
        "one" => Some(1),
        "two" => Some(2),
        "three" => Some(3),
        "four" => Some(4),
        "five" => Some(5),
        _ => w.parse::<u64>().ok().filter(|n| (1..=1000).contains(n)),
    };
    for (i, word) in list.iter().enumerate() {
        let Some(n) = number(word) else { continue };
        match list.get(i + 1).map(String::as_str) {
            Some("retries") => return Some((Counted::Retries, n)),
            Some("attempts" | "tries") => return Some((Counted::Attempts, n)),
            Some("times") => {
                let before = &list[i.saturating_sub(4)..i];
                if before.iter().any(|w| matches!(w.as_str(), "retry" | "retries" | "retried" | "again")) {
                    return Some((Counted::Retries, n));
                }
                if before.iter().any(|w| matches!(w.as_str(), "try" | "tries" | "tried" | "attempt")) {
                    return Some((Counted::Attempts, n));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_say_what_they_count() {
        assert_eq!(said_in("# retry up to 3 times"), Some((Counted::Retries, 3)));
        assert_eq!(said_in("// at most five attempts in all"), Some((Counted::Attempts, 5)));
        assert_eq!(said_in("# 2 retries, then give up"), Some((Counted::Retries, 2)));
        assert_eq!(said_in("# wait 3 seconds between retries"), None);
        assert_eq!(said_in("# happens 3 times a day"), None);
    }
}
