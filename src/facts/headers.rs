//! Retry-After: where it is read for a wait, turned into a number, and made smaller.

use super::ground::Ground;
use super::regions::{Region, distinct, within};
use super::slice::Slice;
use super::words;
use crate::chains::compose::Composer;
use crate::chains::{HeaderUse, Shortening};
use crate::ir::*;
use crate::layers::machine::Machine;
use crate::link::component::Target;
use crate::link::token::CompId;
use crate::source::Place;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Whether an expression reads the header.
pub fn is_read(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    let file = ground.file(comp);
    match &file.expr(e).kind {
        ExprKind::Index { index, .. } => names_header(file, *index),
        ExprKind::Call { args, .. } => args.iter().any(|a| names_header(file, a.value())),
        _ => false,
    }
}

fn names_header(file: &File, e: ExprId) -> bool {
    match &file.expr(e).kind {
        ExprKind::Literal(Literal::Str(name)) => words::is_retry_after(file.name(*name)),
        ExprKind::Attr { name, .. } | ExprKind::Free(name) => file.name(*name) == "RETRY_AFTER",
        ExprKind::Var(var) => file.name(file.var(*var).name) == "RETRY_AFTER",
        _ => false,
    }
}

/// Every reading of the header that decides a layer's wait.
pub fn uses(ground: &Ground, composer: &mut Composer, regions: &[Region]) -> Vec<HeaderUse> {
    // Files that do not mention it need no walk.
    let mentions = |text: &str| {
        let lower = text.to_ascii_lowercase();
        lower.contains("retry-after") || lower.contains("retry_after")
    };
    if !ground.texts.iter().any(|t| mentions(t)) {
        return Vec::new();
    }
    let mut found: BTreeMap<Place, HeaderUse> = BTreeMap::new();
    for region in distinct(regions) {
        let roots = waits(ground, region);
        if roots.is_empty() {
            continue;
        }
        let slice = Slice::of_all(ground, roots);
        for node in 0..slice.nodes.len() as u32 {
            let n = slice.nodes[node as usize];
            if !is_read(ground, n.comp, n.expr) {
                continue;
            }
            let place = ground.place(n.comp, n.expr);
            let looked = Looked::at(ground, &mut composer.machine, &slice, node);
            let entry = found.entry(place).or_insert_with(|| HeaderUse {
                place,
                function: ground.view.name(n.comp),
                layers: Vec::new(),
                number: looked.number,
                shortened: looked.shortened,
            });
            if looked.dated {
                entry.number = None;
            }
            entry.shortened = entry.shortened.or(looked.shortened);
            if !entry.layers.contains(&region.layer.place) {
                entry.layers.push(region.layer.place);
            }
        }
    }
    let mut list: Vec<HeaderUse> = found.into_values().collect();
    for header in &mut list {
        header.layers.sort();
    }
    // One reading twice: to see whether it is there, and for its value.
    list.dedup_by(|a, b| a.number.is_some() && a.number == b.number);
    list
}

/// What decides a region's waits: arguments of sleeps, results of functions that a policy was given.
fn waits(ground: &Ground, region: &Region) -> Vec<(CompId, ExprId)> {
    let mut roots = Vec::new();
    for &(comp, span) in region.deciding(ground) {
        let file = ground.file(comp);
        for record in ground.view.all_calls(comp) {
            let Target::External(_) = record.target else { continue };
            let Some(known) = ground.view.known(record.callee) else { continue };
            let sleeps = known.callable.sleep.is_some() || known.callable.after.is_some();
            let Some(expr) = file.exprs.get(record.expr.index()) else { continue };
            if sleeps
                && within(expr.span, span)
                && let ExprKind::Call { args, .. } = &expr.kind
            {
                roots.extend(args.iter().map(|a| (comp, a.value())));
            }
        }
    }
    for func in region.given(ground) {
        for &comp in ground.comps_of(*func).iter().take(2) {
            let returns = ground.map(comp).returns.get(&func.id).map_or(&[][..], Vec::as_slice);
            roots.extend(returns.iter().map(|&e| (comp, e)));
        }
    }
    roots.sort();
    roots.dedup();
    roots
}

/// What becomes of the header's value on its way to the wait.
#[derive(Default)]
struct Looked {
    number: Option<Place>,
    dated: bool,
    shortened: Option<(Place, Shortening)>,
}

/// The share of the header's value that a value is at least and at most.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Share {
    lo: f64,
    hi: f64,
    random: bool,
}

impl Looked {
    fn at(ground: &Ground, machine: &mut Machine, slice: &Slice, header: u32) -> Self {
        let above = slice.above(header);
        let mut looked = Looked::default();
        // Nearest first: the walk went from the wait to the header.
        for &node in above.iter().rev() {
            let n = slice.nodes[node as usize];
            let file = ground.file(n.comp);
            match &file.expr(n.expr).kind {
                ExprKind::Call { .. } => {
                    let callee = ground.callee_text(n.comp, n.expr);
                    let known = ground.view.calls(n.comp, n.expr).iter().any(|r| matches!(r.target, Target::Comp(_)));
                    if words::is_date(callee) && !is_read(ground, n.comp, n.expr) {
                        looked.dated = true;
                    } else if is_conversion(callee) && !known && looked.number.is_none() {
                        looked.number = Some(ground.place(n.comp, n.expr));
                    }
                }
                ExprKind::Unary(UnaryOp::Plus, _) if looked.number.is_none() => {
                    looked.number = Some(ground.place(n.comp, n.expr));
                }
                _ => {}
            }
        }
        if looked.dated {
            looked.number = None;
        }
        looked.shortened = shortened(ground, machine, slice, header, &above);
        looked
    }
}

fn is_conversion(callee: &str) -> bool {
    let callee = callee.split("::<").next().unwrap_or(callee);
    let (name, receiver) = words::split(callee);
    matches!(name, "float" | "int" | "Number" | "parseInt" | "parseFloat" | "Decimal" | "from_str")
        || (name == "parse" && !words::is_date(receiver))
}

/// Where the value comes out smaller than it was asked.
fn shortened(
    ground: &Ground,
    machine: &mut Machine,
    slice: &Slice,
    header: u32,
    above: &[u32],
) -> Option<(Place, Shortening)> {
    for &node in above.iter().rev() {
        if let Some(place) = capped(ground, slice, node, above) {
            return Some((place, Shortening::Cap));
        }
    }
    let mut shares: FxHashMap<u32, Share> = FxHashMap::default();
    shares.insert(header, Share { lo: 1.0, hi: 1.0, random: false });
    // From the header upwards, a few times over for what goes round.
    for _ in 0..4 {
        let before = shares.clone();
        for &node in above.iter().rev() {
            if node == header {
                continue;
            }
            if let Some(share) = share_of(ground, machine, slice, node, above, &shares) {
                shares.insert(node, share);
                if share.random && share.lo < 0.999 {
                    let n = slice.nodes[node as usize];
                    return Some((outermost(ground, n.comp, n.expr), Shortening::Jitter));
                }
            }
        }
        if before == shares {
            break;
        }
    }
    None
}

/// The largest expression around an expression.
fn outermost(ground: &Ground, comp: CompId, e: ExprId) -> Place {
    let map = ground.map(comp);
    let mut at = e;
    while let Some(parent) = map.parent(at) {
        if !matches!(ground.file(comp).expr(parent).kind, ExprKind::Binary(..)) {
            break;
        }
        at = parent;
    }
    ground.place(comp, at)
}

/// Whether a node takes the smaller of the header's value and something else.
fn capped(ground: &Ground, slice: &Slice, node: u32, above: &[u32]) -> Option<Place> {
    let n = slice.nodes[node as usize];
    let file = ground.file(n.comp);
    let carries = |e: ExprId| {
        above.iter().any(|&a| {
            let m = &slice.nodes[a as usize];
            m.comp == n.comp && m.expr == e
        })
    };
    match &file.expr(n.expr).kind {
        ExprKind::Call { callee, args, .. } => {
            let (name, _) = words::split(ground.callee_text(n.comp, n.expr));
            let mut operands: Vec<ExprId> = args.iter().map(|a| a.value()).collect();
            if let ExprKind::Attr { object, .. } = &file.expr(*callee).kind
                && carries(*object)
            {
                operands.push(*object);
            }
            let takes_less = matches!(name, "min" | "clamp" | "clip");
            let mixed = operands.iter().any(|e| carries(*e)) && operands.iter().any(|e| !carries(*e));
            (takes_less && mixed).then(|| ground.place(n.comp, n.expr))
        }
        // `asked if asked < cap else cap`
        ExprKind::Conditional { test, then, otherwise } => {
            let ExprKind::Compare(CompareOp::Lt | CompareOp::LtEq | CompareOp::Gt | CompareOp::GtEq, a, b) =
                file.expr(*test).kind
            else {
                return None;
            };
            let text = |e: ExprId| ground.text(n.comp, file.expr(e).span);
            let both = (text(*then) == text(a) && text(*otherwise) == text(b))
                || (text(*then) == text(b) && text(*otherwise) == text(a));
            (both && carries(*then) != carries(*otherwise)).then(|| ground.place(n.comp, n.expr))
        }
        // `if asked > cap: asked = cap`
        ExprKind::Var(var) => {
            let map = ground.map(n.comp);
            super::slice::reaching(ground, n.comp, *var, n.expr).iter().find_map(|def| {
                let super::map::Source::Whole(value) = def.source else { return None };
                let stmt = def.stmt?;
                let (parent, role) = map.around(stmt).next()?;
                let Stmt::If { test, .. } = file.stmt(parent) else { return None };
                let ExprKind::Compare(op, a, b) = file.expr(*test).kind else { return None };
                let text = |e: ExprId| ground.text(n.comp, file.expr(e).span);
                let name = file.name(file.var(*var).name);
                let more = match op {
                    CompareOp::Gt | CompareOp::GtEq => text(a) == name && text(b) == text(value),
                    CompareOp::Lt | CompareOp::LtEq => text(b) == name && text(a) == text(value),
                    _ => false,
                };
                (more && role == super::map::Role::Then)
                    .then(|| ground.view.place(n.comp, file.stmt_spans[stmt.index()]))
            })
        }
        _ => None,
    }
}

/// The share of the header's value in a node, from those of its parts.
fn share_of(
    ground: &Ground,
    machine: &mut Machine,
    slice: &Slice,
    node: u32,
    above: &[u32],
    shares: &FxHashMap<u32, Share>,
) -> Option<Share> {
    let n = slice.nodes[node as usize];
    let file = ground.file(n.comp);
    let of = |e: ExprId| {
        let with = |&&a: &&u32| {
            let m = &slice.nodes[a as usize];
            m.comp == n.comp && m.expr == e
        };
        above.iter().filter(with).filter_map(|a| shares.get(a).copied()).reduce(join)
    };
    match &file.expr(n.expr).kind {
        ExprKind::Binary(BinaryOp::Add, a, b) => match (of(*a), of(*b)) {
            (Some(a), Some(b)) => Some(Share { lo: a.lo + b.lo, hi: a.hi + b.hi, random: a.random || b.random }),
            (a, b) => a.or(b),
        },
        ExprKind::Binary(op @ (BinaryOp::Mul | BinaryOp::Div), a, b) => {
            let (mine, other) = match (of(*a), of(*b)) {
                (Some(share), None) => (share, *b),
                (None, Some(share)) if *op == BinaryOp::Mul => (share, *a),
                (a, b) => return a.or(b),
            };
            let (lo, hi, random) = factor(ground, machine, n.comp, other, 0);
            let (lo, hi) = if *op == BinaryOp::Div { (1.0 / hi.max(1e-9), 1.0 / lo.max(1e-9)) } else { (lo, hi) };
            Some(Share { lo: mine.lo * lo, hi: mine.hi * hi, random: mine.random || random })
        }
        ExprKind::Call { args, .. } => {
            let list: Vec<Option<Share>> = args.iter().map(|a| of(a.value())).collect();
            let (name, _) = words::split(ground.callee_text(n.comp, n.expr));
            let draws =
                matches!(name, "uniform" | "randint" | "randrange" | "random_range" | "gen_range" | "triangular");
            if draws && let [first, second, ..] = list.as_slice() {
                let hi = second.or(*first)?.hi;
                return Some(Share { lo: first.map_or(0.0, |f| f.lo), hi, random: true });
            }
            // `delay.mul_f64(factor)`
            if let (true, Some(arg)) = (name.starts_with("mul"), args.first())
                && list.iter().all(Option::is_none)
            {
                let mine = children_share(slice, node, above, shares)?;
                let (lo, hi, random) = factor(ground, machine, n.comp, arg.value(), 0);
                return Some(Share { lo: mine.lo * lo, hi: mine.hi * hi, random: mine.random || random });
            }
            if matches!(name, "max") {
                return list.into_iter().flatten().reduce(|a, b| if a.lo >= b.lo { a } else { b });
            }
            children_share(slice, node, above, shares)
        }
        _ => children_share(slice, node, above, shares),
    }
}

/// The shares of all that flows into a node: one of them is its value.
fn children_share(slice: &Slice, node: u32, above: &[u32], shares: &FxHashMap<u32, Share>) -> Option<Share> {
    above.iter().filter(|&&a| slice.flows(a, node)).filter_map(|a| shares.get(a).copied()).reduce(join)
}

fn join(a: Share, b: Share) -> Share {
    Share { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi), random: a.random || b.random }
}

/// The smallest and largest value of a factor, and whether chance decides. Changes of unit are no factor.
fn factor(ground: &Ground, machine: &mut Machine, comp: CompId, e: ExprId, depth: usize) -> (f64, f64, bool) {
    const NONE: (f64, f64, bool) = (1.0, 1.0, false);
    if depth > 12 {
        return NONE;
    }
    let file = ground.file(comp);
    let exact = |x: f64| if x == 1000.0 || x == 1e6 || x == 1e9 || x == 0.001 { NONE } else { (x, x, false) };
    match &file.expr(e).kind {
        ExprKind::Literal(Literal::Int(n)) => exact(*n as f64),
        ExprKind::Literal(Literal::Float(x)) => exact(*x),
        ExprKind::Binary(op, a, b) => {
            let x = factor(ground, machine, comp, *a, depth + 1);
            let y = factor(ground, machine, comp, *b, depth + 1);
            let (lo, hi) = match op {
                BinaryOp::Add => (x.0 + y.0, x.1 + y.1),
                BinaryOp::Sub => (x.0 - y.1, x.1 - y.0),
                BinaryOp::Mul => (x.0 * y.0, x.1 * y.1),
                BinaryOp::Div if y.0 > 0.0 => (x.0 / y.1, x.1 / y.0),
                _ => return (1.0, 1.0, x.2 || y.2),
            };
            (lo.max(0.0), hi, x.2 || y.2)
        }
        ExprKind::Var(var) => match ground.map(comp).defs(*var) {
            [def] => match def.source {
                super::map::Source::Whole(value) => {
                    match ground.view.solver.owner(comp, ground.view.func(comp).file, file.var(*var).owner) {
                        Some(owner) => factor(ground, machine, owner, value, depth + 1),
                        None => NONE,
                    }
                }
                _ => NONE,
            },
            _ => NONE,
        },
        ExprKind::Call { .. } => {
            for record in ground.view.calls(comp, e) {
                let Target::External(made) = record.target else { continue };
                let Some(known) = ground.view.known(record.callee) else { continue };
                let Some(value) = &known.callable.value else { continue };
                let scope = machine.scope_of(record.callee, Some(made));
                if let Some(n) = machine.formula_num(value, &scope) {
                    return if n.random { (n.lo, n.hi, true) } else { NONE };
                }
            }
            let random = words::words(ground.callee_text(comp, e)).iter().any(|w| w == "random" || w == "rand");
            if random { (0.0, 1.0, true) } else { NONE }
        }
        _ => NONE,
    }
}
