//! Instances of a class: those that were made somewhere; of a protocol, those of the classes that fit it.

use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Protocols that were asked for, and which classes fit them.
#[derive(Default)]
pub struct Protocols {
    /// All classes, as their statements ran.
    classes: Vec<Tok>,
    known: FxHashSet<Tok>,
    /// Protocol to how many of the classes were looked at.
    asked: FxHashMap<Tok, usize>,
    /// Class to protocols that it fits.
    fits: FxHashMap<Tok, Vec<Tok>>,
}

impl Protocols {
    /// Notes a class.
    pub fn add(&mut self, class: Tok) {
        if self.known.insert(class) {
            self.classes.push(class);
        }
    }

    /// The protocols that a class is known to fit.
    pub fn of(&self, class: Tok) -> Vec<Tok> {
        self.fits.get(&class).cloned().unwrap_or_default()
    }
}

impl<'p> Solver<'p> {
    /// All instances of a class that were made anywhere; one known by declaration only if there is none.
    pub fn instances(&mut self, class: Tok, reader: CompId) -> Value {
        let is_protocol = self.is_protocol(class);
        if is_protocol {
            let named = self.named_implementers(class, reader);
            if !named.is_empty() && !named.is_top() {
                return named;
            }
            self.find_implementers(reader, class);
        }
        let made = self.store.read(Addr::Instances(class), reader);
        if !made.is_empty() && !made.is_top() {
            return made;
        }
        if (is_protocol && made.is_top()) || !self.types_count() {
            return made;
        }
        Value::of(self.tokens.intern(Token::Instance { class }))
    }

    /// Whether other classes fit this one by their methods alone.
    pub(super) fn is_protocol(&self, class: Tok) -> bool {
        let Token::Class { class, .. } = *self.tokens.get(class) else { return false };
        let declared = self.class(class);
        if declared.kind == ClassKind::Interface {
            return true;
        }
        let ir = &self.files[class.file as usize];
        declared.bases.iter().any(|&base| {
            let mut e = base;
            loop {
                match &ir.expr(e).kind {
                    ExprKind::Index { object, .. } => e = *object,
                    ExprKind::Attr { name, .. } => return ir.name(*name) == "Protocol",
                    ExprKind::Var(var) => return ir.name(ir.var(*var).name) == "Protocol",
                    ExprKind::Free(name) => return ir.name(*name) == "Protocol",
                    _ => return false,
                }
            }
        })
    }

    /// Lets the instances of classes that have all the methods of a protocol count as its instances.
    fn find_implementers(&mut self, reader: CompId, protocol: Tok) {
        let from = self.protocols.asked.get(&protocol).copied().unwrap_or(0);
        let to = self.protocols.classes.len();
        if from == to {
            return;
        }
        self.protocols.asked.insert(protocol, to);
        let mut wanted: Vec<Symbol> = Vec::new();
        for &class in self.order_for(reader, protocol).iter() {
            if let Token::Class { class: reference, .. } = *self.tokens.get(class)
                && self.is_protocol(class)
            {
                let methods = self.class(reference).methods.iter();
                wanted.extend(methods.map(|&(name, _)| self.symbol(reference.file, name)));
            }
        }
        if wanted.is_empty() {
            return;
        }
        for at in from..to {
            let class = self.protocols.classes[at];
            if class == protocol || self.is_protocol(class) || !self.has_all(reader, class, &wanted) {
                continue;
            }
            self.protocols.fits.entry(class).or_default().push(protocol);
            if let Some(made) = self.store.get(Addr::Instances(class)).cloned() {
                let own = made.filter(|t| match *self.tokens.get(t) {
                    Token::Object { class: c, .. } | Token::Instance { class: c } => c == class,
                    _ => true,
                });
                self.write(Addr::Instances(protocol), &own);
            }
        }
    }

    fn has_all(&mut self, reader: CompId, class: Tok, wanted: &[Symbol]) -> bool {
        let order = self.order_for(reader, class);
        wanted.iter().all(|&name| {
            order.iter().any(|&class| {
                let Token::Class { class, .. } = *self.tokens.get(class) else { return false };
                let body = self.class(class).body;
                self.index[class.file as usize].scopes.get(&body).is_some_and(|scope| scope.contains_key(&name))
            })
        })
    }
}
