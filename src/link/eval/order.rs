//! Class orders: in which classes attributes are looked up. A class statement notes its bases as it runs; orders
//! are worked out when asked for and forgotten when bases come in.

use super::Frame;
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Longer orders are cut.
const LONGEST: usize = 4096;

/// What is known about bases.
#[derive(Default)]
pub struct Hierarchy {
    bases: FxHashMap<Tok, Vec<Tok>>,
    derived: FxHashMap<Tok, Vec<Tok>>,
    orders: FxHashMap<Tok, Arc<[Tok]>>,
    metaclasses: FxHashMap<Tok, Tok>,
}

impl Hierarchy {
    /// All orders that were asked for.
    pub fn orders(&self) -> FxHashMap<Tok, Vec<Tok>> {
        self.orders.iter().map(|(&class, order)| (class, order.to_vec())).collect()
    }

    /// Notes bases; whether that is news.
    fn set(&mut self, class: Tok, mut bases: Vec<Tok>) -> bool {
        let old = self.bases.entry(class).or_default();
        for base in old.iter() {
            if !bases.contains(base) {
                bases.push(*base);
            }
        }
        if *old == bases {
            return false;
        }
        for base in &bases {
            if !old.contains(base) {
                self.derived.entry(*base).or_default().push(class);
            }
        }
        *old = bases;
        true
    }

    /// Forgets the orders of a class and of what derives from it.
    fn forget(&mut self, class: Tok) -> Vec<Tok> {
        let mut seen = FxHashSet::default();
        let mut stack = vec![class];
        let mut forgotten = Vec::new();
        while let Some(class) = stack.pop() {
            if !seen.insert(class) {
                continue;
            }
            if self.orders.remove(&class).is_some() {
                forgotten.push(class);
            }
            stack.extend(self.derived.get(&class).into_iter().flatten());
        }
        forgotten
    }

    fn order(&mut self, class: Tok) -> Arc<[Tok]> {
        let mut stack = vec![(class, false)];
        let mut open = FxHashSet::default();
        while let Some((at, ready)) = stack.pop() {
            if self.orders.contains_key(&at) {
                continue;
            }
            let bases = self.bases.get(&at).cloned().unwrap_or_default();
            if !ready {
                if open.insert(at) {
                    stack.push((at, true));
                    stack.extend(bases.iter().rev().filter(|b| !open.contains(b)).map(|&b| (b, false)));
                }
                continue;
            }
            open.remove(&at);
            let order = self.linearise(at, &bases);
            self.orders.insert(at, order.into());
        }
        self.orders.get(&class).cloned().unwrap_or_else(|| Arc::from([class]))
    }

    /// C3: the first head that is in no tail. Bases in a circle count as having none.
    fn linearise(&self, class: Tok, bases: &[Tok]) -> Vec<Tok> {
        let mut order = vec![class];
        let own = |base: &Tok| self.orders.get(base).map_or_else(|| vec![*base], |o| o.to_vec());
        if let [base] = bases {
            order.extend(own(base).into_iter().filter(|&t| t != class).take(LONGEST));
            return order;
        }
        let mut lists: Vec<Vec<Tok>> = bases.iter().map(own).collect();
        lists.push(bases.to_vec());
        let mut tails: FxHashMap<Tok, usize> = FxHashMap::default();
        for list in &mut lists {
            list.retain(|&t| t != class);
            for token in list.iter().skip(1) {
                *tails.entry(*token).or_default() += 1;
            }
            list.reverse();
        }
        while order.len() < LONGEST {
            lists.retain(|l| !l.is_empty());
            let heads = || lists.iter().filter_map(|l| l.last().copied());
            let good = heads().find(|h| tails.get(h).is_none_or(|&n| n == 0));
            let Some(next) = good.or_else(|| heads().next()) else { break };
            if !order.contains(&next) {
                order.push(next);
            }
            for list in &mut lists {
                if list.last() == Some(&next) {
                    list.pop();
                    if let Some(count) = list.last().and_then(|head| tails.get_mut(head)) {
                        *count = count.saturating_sub(1);
                    }
                }
            }
        }
        order
    }
}

impl<'p> Solver<'p> {
    /// Evaluates the bases of a class as its statement runs.
    pub(super) fn note_bases(&mut self, frame: &mut Frame<'p>, token: Tok, class: &'p Class) {
        let mut bases = Vec::new();
        for &base in &class.bases {
            let mut value = self.eval(frame, base);
            // `Base[T]`, `Generic[T]`
            let mut e = base;
            while let ExprKind::Index { object, .. } = frame.ir.expr(e).kind {
                e = object;
            }
            if e != base {
                value = self.eval(frame, e);
            }
            for token in value.iter() {
                let fits = matches!(
                    self.tokens.get(token),
                    Token::Class { .. }
                        | Token::External(_)
                        | Token::Member { .. }
                        | Token::Made { .. }
                        | Token::Unknown
                ) || (frame.is_javascript() && matches!(self.tokens.get(token), Token::Function { .. }));
                if fits && !bases.contains(&token) {
                    bases.push(token);
                }
            }
        }
        self.protocols.add(token);
        if self.hierarchy.set(token, bases) {
            for class in self.hierarchy.forget(token) {
                self.wake(Addr::Order(class));
            }
        }
        for &(name, value) in &class.keywords {
            let value = self.eval(frame, value);
            if frame.ir.name(name) == "metaclass"
                && let Some(meta) = value.iter().find(|&t| matches!(self.tokens.get(t), Token::Class { .. }))
                && self.hierarchy.metaclasses.insert(token, meta) != Some(meta)
            {
                self.wake(Addr::Order(token));
            }
        }
    }

    /// The classes in which attributes are looked up, in order; external bases included.
    pub fn class_order(&mut self, frame: &Frame<'p>, class: Tok) -> Arc<[Tok]> {
        self.order_for(frame.comp, class)
    }

    /// The same for a component that is run again when the order changes.
    pub(super) fn order_for(&mut self, reader: CompId, class: Tok) -> Arc<[Tok]> {
        self.store.register(Addr::Order(class), reader);
        match self.hierarchy.orders.get(&class) {
            Some(order) => order.clone(),
            None => self.hierarchy.order(class),
        }
    }

    /// The order of a class, if it has been asked for.
    pub(super) fn known_order(&self, class: Tok) -> Option<&[Tok]> {
        self.hierarchy.orders.get(&class).map(|order| &**order)
    }

    /// The first external class in a class's order.
    pub fn external_base(&self, class: Tok) -> Option<Tok> {
        let order = self.hierarchy.orders.get(&class)?;
        order.iter().copied().find(|&t| matches!(self.tokens.get(t), Token::External(_) | Token::Made { .. }))
    }

    /// The class of a class, if the program defines it.
    pub(super) fn metaclass(&mut self, frame: &Frame<'p>, class: Tok) -> Option<Tok> {
        if self.hierarchy.metaclasses.is_empty() {
            return None;
        }
        let order = self.class_order(frame, class);
        order.iter().find_map(|c| self.hierarchy.metaclasses.get(c).copied())
    }
}
