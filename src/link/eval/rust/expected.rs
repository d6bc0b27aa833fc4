//! Conversions whose target somebody else declares: `x.into()`, `text.parse()`, `Default::default()`. Their
//! value is a token of its own; whoever binds it to a declared type writes down which, and the conversion's
//! place calls what the type has.

use super::super::{Args, Frame};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::impls::TypeTarget;
use crate::link::modules::rust::Item;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

/// Wrappers around a declared type are looked through so far.
const DEPTH: usize = 6;

impl<'p> Solver<'p> {
    /// The result of a conversion at `site`: of the trait's function, once the target is known.
    pub(super) fn converts(
        &mut self,
        frame: &mut Frame<'p>,
        of: &str,
        name: &str,
        from: &Value,
        site: ExprId,
    ) -> Value {
        if !self.modules.impls.has_impls_of(&self.symbols, of) {
            return from.clone();
        }
        let path = format!("std::expected::{of}::{name}");
        let callee = self.external(&path);
        let place = self.site(frame, site);
        let pending: Value =
            callee.iter().map(|callee| self.tokens.intern(Token::Made { site: place, callee })).collect();
        let written = self.written_types(frame, site);
        let mut wanted = Value::empty();
        for token in pending.iter() {
            let expected = self.symbols.intern("#expected");
            wanted.join(&self.store.read(Addr::Field(token, expected), frame.comp));
        }
        wanted.join(&written);
        let mut result = Value::empty();
        for class in wanted.iter() {
            let Token::Class { class: reference, .. } = *self.tokens.get(class) else { continue };
            let Some(symbol) = self.symbols.find(name) else { continue };
            let members = self.modules.impls.of_trait(reference, symbol, |t| self.symbols.text(t.name) == of);
            let found = self.member_values(frame, class, &members);
            let args =
                Args { positional: if name == "default" { Vec::new() } else { vec![from.clone()] }, ..Args::default() };
            let found = self.fitting_callees(frame, found, &args, false);
            self.flush(frame);
            for callee in found.iter() {
                result.join(&self.call_token(frame, callee, &args, site, Via::Implicit));
            }
            if members.is_empty() && name == "default" {
                result.join(&self.make_default(frame, class, site));
            }
        }
        if result.is_empty() {
            result.join(from);
            result.join(&pending);
        }
        result
    }

    /// The type argument of a bound (`impl Into<Url>`) that a parameter of the function at hand declares.
    pub(super) fn bound_target(&mut self, frame: &Frame<'p>, var: VarId, of: &str) -> Option<TypeId> {
        let function = frame.ir.function(frame.func);
        let param =
            function.params.iter().find(|p| matches!(*frame.ir.pattern(p.pattern), Pattern::Bind(v) if v == var))?;
        let Type::Bounds(parts) = &frame.ir.types[param.declared?.index()] else { return None };
        parts.iter().find_map(|part| {
            let Type::Apply { base, args } = &frame.ir.types[part.index()] else { return None };
            let Type::Ref(e) = frame.ir.types[base.index()] else { return None };
            let name = match frame.ir.expr(e).kind {
                ExprKind::Free(name) | ExprKind::Attr { name, .. } => name,
                ExprKind::Var(var) => frame.ir.var(var).name,
                _ => return None,
            };
            (frame.ir.name(name) == of).then(|| args.first().copied()).flatten()
        })
    }

    /// Types written at a call (`parse::<T>()`).
    pub(super) fn written_types(&mut self, frame: &mut Frame<'p>, call: ExprId) -> Value {
        let list = &frame.ir.type_args;
        let Ok(at) = list.binary_search_by_key(&call, |t| t.0) else { return Value::empty() };
        let types = list[at].1.clone();
        let mut classes = Value::empty();
        for ty in types {
            classes.join(&self.classes_of(frame, frame.file, frame.func, ty, 0));
        }
        classes
    }

    /// The types of the program that a declared type names, wrappers left out.
    fn classes_of(&mut self, frame: &Frame<'p>, file: u32, scope: FunctionId, ty: TypeId, depth: usize) -> Value {
        if depth > DEPTH {
            return Value::empty();
        }
        match &self.files[file as usize].types[ty.index()] {
            Type::Ref(e) => {
                let items = self.type_items(file, scope, *e);
                let mut value = Value::empty();
                for item in items.iter() {
                    if let Item::Class(class) = item {
                        let found = self.class_value(frame, *class);
                        value.join(&found.filter(|t| matches!(self.tokens.get(t), Token::Class { .. })));
                    }
                }
                value
            }
            Type::SelfType => {
                match self.class_around(file, scope).map(|c| (c, self.modules.impls.target(c).cloned())) {
                    Some((_, Some(TypeTarget::Class(target)))) => self.class_value(frame, target),
                    _ => Value::empty(),
                }
            }
            Type::Apply { base, args } => {
                let own = self.classes_of(frame, file, scope, *base, depth + 1);
                match args.first() {
                    Some(&inner) if own.is_empty() => self.classes_of(frame, file, scope, inner, depth + 1),
                    _ => own,
                }
            }
            Type::Sequence(inner) => self.classes_of(frame, file, scope, *inner, depth + 1),
            _ => Value::empty(),
        }
    }

    /// Notes for conversions among some values which type is declared where they are bound.
    pub(in crate::link::eval) fn expect(
        &mut self,
        frame: &Frame<'p>,
        value: &Value,
        declared: Option<TypeId>,
        file: u32,
        scope: FunctionId,
    ) {
        let Some(declared) = declared else { return };
        let pending: Vec<Tok> = value.iter().filter(|&t| self.is_conversion(t)).collect();
        if pending.is_empty() {
            return;
        }
        let classes = self.classes_of(frame, file, scope, declared, 0);
        let expected = self.symbols.intern("#expected");
        for token in pending {
            self.write(Addr::Field(token, expected), &classes);
        }
    }

    fn is_conversion(&self, token: Tok) -> bool {
        let Token::Made { callee, .. } = *self.tokens.get(token) else { return false };
        matches!(*self.tokens.get(callee), Token::External(path) if self.symbols.text(path).starts_with("std::expected::"))
    }
}
