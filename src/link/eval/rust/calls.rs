//! Calls: which candidates the arguments fit, trait functions without a receiver, making values of types.

use super::super::{Args, Frame};
use super::methods::is_number;
use crate::ir::*;
use crate::link::component::Via;
use crate::link::impls::TypeTarget;
use crate::link::modules::rust::Item;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

/// A trait's function without a receiver stands for at most so many implementations.
const IMPLEMENTERS: usize = 24;

impl<'p> Solver<'p> {
    /// Among several candidates those whose declared parameters the arguments fit. `bound`: the receiver is
    /// no argument.
    pub(in crate::link::eval) fn fitting_callees(
        &mut self,
        frame: &Frame<'p>,
        callees: Value,
        args: &Args,
        bound: bool,
    ) -> Value {
        if callees.len() < 2 {
            return callees;
        }
        let fitting: Vec<Tok> = callees.iter().filter(|&t| self.fits(frame, t, args, bound)).collect();
        if fitting.is_empty() { callees } else { fitting.into_iter().collect() }
    }

    fn fits(&mut self, frame: &Frame<'p>, callee: Tok, args: &Args, bound: bool) -> bool {
        let (func, bound) = match *self.tokens.get(callee) {
            Token::Bound { func, .. } => (func, true),
            _ => (callee, bound),
        };
        let Token::Function { func, .. } = *self.tokens.get(func) else { return true };
        let function = self.function(func);
        let skip = usize::from(bound && function.params.first().is_some_and(|p| p.kind == ParamKind::Receiver));
        let params: Vec<Option<TypeId>> = function.params.iter().skip(skip).map(|p| p.declared).collect();
        params.iter().zip(&args.positional).all(|(&ty, value)| match ty {
            Some(ty) => value.is_empty() || value.iter().any(|t| self.may_be(frame, t, func, ty)),
            None => true,
        })
    }

    /// Whether a value can have a declared type. No more than a guess for what is not the program's.
    fn may_be(&mut self, frame: &Frame<'p>, token: Tok, func: FuncRef, ty: TypeId) -> bool {
        let ir: &'p File = &self.files[func.file as usize];
        let Type::Ref(e) = ir.types[ty.index()] else { return true };
        let items = self.type_items(func.file, func.id, e);
        let Some(item) = items.first().cloned() else { return true };
        let target = match item {
            Item::Class(class) => match self.class_value(frame, class).single().map(|t| *self.tokens.get(t)) {
                Some(Token::Class { class, .. }) => TypeTarget::Class(class),
                Some(Token::External(path)) => TypeTarget::External(self.symbols.text(path).into()),
                _ => return true,
            },
            Item::External(path) => TypeTarget::External(path),
            _ => return true,
        };
        match (self.tokens.get(token), &target) {
            (Token::Object { class, .. } | Token::Instance { class } | Token::Variant { class, .. }, target) => {
                match (self.tokens.get(*class), target) {
                    (Token::Class { class, .. }, TypeTarget::Class(wanted)) => {
                        class == wanted || self.class(*wanted).kind == ClassKind::Trait
                    }
                    (Token::Class { .. }, _) => false,
                    (Token::External(path), TypeTarget::External(wanted)) => {
                        last(self.symbols.text(*path)) == last(wanted)
                    }
                    _ => false,
                }
            }
            (Token::Int(_), TypeTarget::External(path)) => is_number(path),
            (Token::Float(_), TypeTarget::External(path)) => matches!(&**path, "f32" | "f64"),
            (Token::Str(_), TypeTarget::External(path)) => matches!(last(path), "str" | "String" | "Cow" | "char"),
            (Token::Bool(_), TypeTarget::External(path)) => &**path == "bool",
            (Token::Int(_) | Token::Float(_) | Token::Str(_) | Token::Bool(_), TypeTarget::Class(_)) => false,
            (Token::Made { .. } | Token::Member { .. }, TypeTarget::External(path)) => match self.known_class(token) {
                Some((_, class)) => class.path.iter().any(|p| last(p) == last(path)),
                None => true,
            },
            (Token::Made { .. }, TypeTarget::Class(_)) => false,
            _ => true,
        }
    }

    /// A trait's function called by the trait's name: the implementation for its first argument, or for all
    /// types if it has no receiver. None if the callee is no such function.
    pub(in crate::link::eval) fn dispatch_trait(
        &mut self,
        frame: &mut Frame<'p>,
        func: FuncRef,
        args: &Args,
        site: ExprId,
        via: Via,
    ) -> Option<Value> {
        let function = self.function(func);
        let class = ClassRef { file: func.file, id: function.class? };
        if self.files[func.file as usize].language != Language::Rust || self.class(class).kind != ClassKind::Trait {
            return None;
        }
        let name = self.symbol(func.file, function.name?);
        let mut result = Value::empty();
        let mut own_default = false;
        let mut targets: Vec<(Tok, Tok)> = Vec::new();
        if function.binding == Binding::Instance {
            let receivers = args.positional.first().cloned().unwrap_or_default();
            for token in receivers.iter() {
                match *self.tokens.get(token) {
                    Token::Object { class: of, .. }
                    | Token::Instance { class: of }
                    | Token::Variant { class: of, .. } => {
                        let Token::Class { class: reference, .. } = *self.tokens.get(of) else { continue };
                        let members = self.modules.impls.of_trait(reference, name, |t| t.own == Some(class));
                        if members.is_empty() {
                            let found = self.method_of(frame, token, name, site, 0);
                            targets.extend(found.iter().filter(|&t| self.is_callable(t)).map(|t| (t, token)));
                            continue;
                        }
                        for callee in self.member_values(frame, of, &members).iter() {
                            targets.push((callee, token));
                        }
                    }
                    Token::Unknown | Token::Top => own_default |= !function.is_abstract,
                    _ => {
                        let found = self.method_of(frame, token, name, site, 0);
                        targets.extend(found.iter().filter(|&t| self.is_callable(t)).map(|t| (t, token)));
                    }
                }
            }
        } else {
            let modules = self.modules;
            let written = self.type_arguments(frame);
            if modules.impls.implementing(class).count() <= IMPLEMENTERS {
                let members: Vec<_> = modules
                    .impls
                    .implementing(class)
                    .filter_map(|block| {
                        let TypeTarget::Class(target) = block.target else { return None };
                        Some((target, modules.impls.of_trait(target, name, |t| t.own == Some(class))))
                    })
                    .collect();
                let is_written = |t: &ClassRef| written.contains(t);
                let narrowed = members.iter().any(|(target, _)| is_written(target));
                for (target, members) in members {
                    if narrowed && !is_written(&target) {
                        continue;
                    }
                    for of in self.class_value(frame, target).iter().collect::<Vec<_>>() {
                        for callee in self.member_values(frame, of, &members).iter() {
                            targets.push((callee, Tok::MISSING));
                        }
                    }
                }
            }
        }
        targets.sort_unstable();
        targets.dedup();
        let any = !targets.is_empty();
        for (callee, receiver) in targets {
            let mut args = args.clone();
            if receiver != Tok::MISSING
                && let Some(first) = args.positional.first_mut()
            {
                *first = Value::of(receiver);
            }
            if matches!(self.tokens.get(callee), Token::Bound { .. }) && !args.positional.is_empty() {
                args.positional.remove(0);
            }
            if !self.is_trait_function(callee, func) {
                result.join(&self.call_token(frame, callee, &args, site, via));
            } else {
                own_default |= !function.is_abstract;
            }
        }
        if own_default && !any {
            return None;
        }
        if own_default {
            return None;
        }
        Some(if result.is_empty() { self.not_found() } else { result })
    }

    /// Notes the types written at a call with what is called.
    pub(in crate::link::eval) fn note_type_arguments(&mut self, frame: &mut Frame<'p>, call: ExprId, callees: &Value) {
        let classes = self.written_types(frame, call);
        if classes.is_empty() {
            return;
        }
        let name = self.symbols.intern("#types");
        for callee in callees.iter() {
            let func = match *self.tokens.get(callee) {
                Token::Bound { func, .. } => func,
                _ => callee,
            };
            self.write(Addr::Field(func, name), &classes);
        }
    }

    /// Types that calls of the function at hand were written with.
    fn type_arguments(&mut self, frame: &Frame<'p>) -> Vec<ClassRef> {
        let name = self.symbols.intern("#types");
        let key = &self.comps[frame.comp.0 as usize].key;
        let Some(env) = key.parent else { return Vec::new() };
        let token = self.tokens.intern(Token::Function { func: key.func, env });
        let classes = self.store.read(Addr::Field(token, name), frame.comp);
        classes
            .iter()
            .filter_map(|t| if let Token::Class { class, .. } = *self.tokens.get(t) { Some(class) } else { None })
            .collect()
    }

    fn is_trait_function(&self, callee: Tok, func: FuncRef) -> bool {
        match *self.tokens.get(callee) {
            Token::Bound { func: inner, .. } => self.is_trait_function(inner, func),
            Token::Function { func: other, .. } => other == func,
            _ => false,
        }
    }

    /// Notes that a value of a type was made: what is declared by the type or its traits may be it.
    pub(in crate::link::eval) fn made(&mut self, frame: &Frame<'p>, object: Tok, class: Tok) {
        let Token::Class { class: reference, .. } = *self.tokens.get(class) else { return };
        self.write(Addr::Instances(class), &Value::of(object));
        let instance = self.tokens.intern(Token::Instance { class });
        let mut traits = self.modules.impls.traits_of(reference);
        let mut at = 0;
        while at < traits.len() && at < 64 {
            for base in self.modules.impls.supers_of(traits[at]).collect::<Vec<_>>() {
                if !traits.contains(&base) {
                    traits.push(base);
                }
            }
            at += 1;
        }
        for of in traits {
            for token in self.class_value(frame, of).iter() {
                self.write(Addr::Instances(token), &Value::of(instance));
            }
        }
    }

    /// Writes a field of a value just made. A value of which no more than the type is known holds what any does.
    pub(in crate::link::eval) fn put_made(&mut self, object: Tok, name: crate::link::symbols::Symbol, value: &Value) {
        self.write(Addr::Field(object, name), value);
        if let Token::Object { class, .. } = *self.tokens.get(object) {
            let instance = self.tokens.intern(Token::Instance { class });
            self.write(Addr::Field(instance, name), value);
        }
    }

    /// Notes for conversions put into a field which type it has.
    pub(in crate::link::eval) fn expect_field(
        &mut self,
        frame: &Frame<'p>,
        object: Tok,
        name: crate::link::symbols::Symbol,
        value: &Value,
    ) {
        let Token::Object { class, .. } = *self.tokens.get(object) else { return };
        let Token::Class { class: reference, .. } = *self.tokens.get(class) else { return };
        if let Some((ty, file, _)) = self.declared_field(class, name) {
            let scope = self.class(reference).parent;
            self.expect(frame, value, Some(ty), file, scope);
        }
    }

    /// A tuple struct made by a call.
    pub(in crate::link::eval) fn make_struct(
        &mut self,
        frame: &mut Frame<'p>,
        class: Tok,
        args: &Args,
        site: ExprId,
    ) -> Value {
        let Token::Class { class: reference, .. } = *self.tokens.get(class) else { return Value::unknown() };
        if !matches!(self.class(reference).kind, ClassKind::Concrete) {
            return Value::unknown();
        }
        let place = self.site(frame, site);
        let object = self.tokens.intern(Token::Object { site: place, class });
        self.made_by_site.insert(place, object);
        for (i, value) in args.positional.iter().enumerate() {
            let name = self.symbols.intern(&i.to_string());
            self.expect_field(frame, object, name, value);
            self.put_made(object, name, value);
        }
        self.write_arguments(place, args);
        self.made(frame, object, class);
        Value::of(object)
    }

    /// A struct made by a derived `Default`.
    pub(super) fn make_default(&mut self, frame: &mut Frame<'p>, class: Tok, site: ExprId) -> Value {
        let made = self.make_struct(frame, class, &Args::default(), site);
        let Token::Class { class: reference, .. } = *self.tokens.get(class) else { return made };
        let file = &self.files[reference.file as usize];
        for field in &self.class(reference).fields {
            let value = match field.declared.and_then(|ty| crate::link::plain_default(file, ty)) {
                Some(Literal::Null) => Value::of(Tok::NULL),
                Some(Literal::Bool(b)) => Value::of(self.tokens.intern(Token::Bool(b))),
                Some(Literal::Int(n)) => Value::of(self.tokens.intern(Token::Int(n))),
                _ => continue,
            };
            let name = self.symbol(reference.file, field.name);
            for object in made.iter() {
                if matches!(self.tokens.get(object), Token::Object { .. }) {
                    self.put_made(object, name, &value);
                }
            }
        }
        made
    }

    /// `Enum::Variant(x)`
    pub(in crate::link::eval) fn make_variant(
        &mut self,
        frame: &mut Frame<'p>,
        class: Tok,
        variant: crate::link::symbols::Symbol,
        args: &Args,
        site: ExprId,
    ) -> Value {
        let place = self.site(frame, site);
        let object = self.tokens.intern(Token::Object { site: place, class });
        self.made_by_site.insert(place, object);
        for (i, value) in args.positional.iter().enumerate() {
            let name = format!("{}.{i}", self.symbols.text(variant));
            let name = self.symbols.intern(&name);
            self.expect_field(frame, object, name, value);
            self.put_made(object, name, value);
        }
        self.made(frame, object, class);
        Value::of(object)
    }

    /// Calls callables handed to the language's own functions, which call them at once.
    pub(super) fn apply(&mut self, frame: &mut Frame<'p>, callees: &Value, args: &Args, site: ExprId) -> Value {
        let mut result = Value::empty();
        for callee in callees.iter() {
            let value = match self.tokens.get(callee) {
                Token::External(_) | Token::Member { .. } => match self.call_builtin(frame, callee, args, site) {
                    Some(value) => value,
                    None if self.known(callee).is_some() => self.call_external(frame, callee, args, site, Via::Handed),
                    None => Value::unknown(),
                },
                Token::Unknown | Token::Top | Token::Made { .. } => Value::unknown(),
                Token::Null | Token::Missing => Value::empty(),
                _ => self.call_token(frame, callee, args, site, Via::Handed),
            };
            result.join(&value);
        }
        result
    }
}

fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}
