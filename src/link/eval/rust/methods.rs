//! Members by name: methods of values, what types and traits hold, what impl blocks give to types that are not
//! the program's.

use super::super::{Args, Frame};
use crate::ir::*;
use crate::link::component::{CompKey, Via};
use crate::link::impls::{Member, Members, TypeTarget};
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

/// `Deref` is followed so often.
pub(super) const DEREFS: usize = 4;

impl<'p> Solver<'p> {
    /// An attribute that is no callee: a field, or a path's next segment.
    pub(in crate::link::eval) fn rust_attr(
        &mut self,
        frame: &mut Frame<'p>,
        id: ExprId,
        object: ExprId,
        name: Name,
    ) -> Value {
        let name = self.symbol(frame.file, name);
        if let Some(value) = self.qualified(frame, object, name) {
            return value;
        }
        let object = self.rust_object(frame, object);
        let mut result = Value::empty();
        for token in object.iter() {
            let value = match *self.tokens.get(token) {
                Token::Module(_) | Token::Inline(_) | Token::External(_) | Token::Class { .. } => {
                    self.method_of(frame, token, name, id, 0)
                }
                _ => self.field_of(frame, token, name, id),
            };
            result.join(&value);
        }
        result
    }

    /// A callee, with so many arguments.
    pub(in crate::link::eval) fn rust_callee(&mut self, frame: &mut Frame<'p>, callee: ExprId, args: usize) -> Value {
        let expr = frame.ir.expr(callee);
        let (object, name) = match expr.kind {
            // `(x.field)(…)`: what is called stands in parentheses.
            ExprKind::Attr { object, name, name_span, .. } if expr.span.end <= name_span.end => (object, name),
            ExprKind::Var(_) | ExprKind::Free(_) => return self.rust_path(frame, callee),
            _ => return self.eval(frame, callee),
        };
        let name = self.symbol(frame.file, name);
        if let Some(value) = self.qualified(frame, object, name) {
            return value;
        }
        let receiver = self.rust_object(frame, object);
        let mut result = Value::empty();
        for token in receiver.iter() {
            let value = self.method_of(frame, token, name, callee, 0);
            if self.is_unit(token) {
                // `Client.send()` and `Client::send(&client)` differ in their arguments only.
                let of_value = value.filter(|t| self.takes(t, args));
                if !of_value.is_empty() {
                    let unit = self.unit_value(frame, token, object);
                    for func in of_value.iter() {
                        result.insert(self.tokens.intern(Token::Bound { func, this: unit }));
                    }
                    continue;
                }
            }
            result.join(&value);
        }
        result
    }

    /// Whether a method takes so many arguments besides its receiver.
    fn takes(&self, callee: Tok, args: usize) -> bool {
        let Token::Function { func, .. } = *self.tokens.get(callee) else { return false };
        let function = self.function(func);
        function.binding == Binding::Instance && function.params.len() == args + 1
    }

    /// A name or path as it is written: types stay types.
    pub(in crate::link::eval) fn rust_path(&mut self, frame: &mut Frame<'p>, e: ExprId) -> Value {
        match frame.ir.expr(e).kind {
            ExprKind::Var(var) => match self.rust_var(frame, var) {
                Some(value) => value,
                None => self.read_var(frame, var),
            },
            ExprKind::Free(name) => self.rust_name(frame, frame.ir.name(name)),
            ExprKind::Attr { object, name, .. } => self.rust_attr(frame, e, object, name),
            _ => self.eval(frame, e),
        }
    }

    /// What stands before a dot or colons.
    fn rust_object(&mut self, frame: &mut Frame<'p>, e: ExprId) -> Value {
        if let ExprKind::Var(var) = frame.ir.expr(e).kind
            && let Some(value) = self.rust_head(frame, var)
        {
            return value;
        }
        self.rust_path(frame, e)
    }

    /// `<Type as Trait>::name`
    fn qualified(&mut self, frame: &mut Frame<'p>, object: ExprId, name: Symbol) -> Option<Value> {
        let ExprKind::Typed(of, ty) = frame.ir.expr(object).kind else { return None };
        let Type::Ref(e) = frame.ir.types[ty.index()] else { return None };
        let target = self.rust_path(frame, of);
        let Token::Class { class, .. } = *self.tokens.get(target.single()?) else { return None };
        let items = self.type_items(frame.file, frame.func, e);
        let wanted: Vec<ClassRef> = items
            .iter()
            .filter_map(|item| match item {
                crate::link::modules::rust::Item::Class(c) if self.class(*c).kind == ClassKind::Trait => Some(*c),
                _ => None,
            })
            .collect();
        let members = if wanted.is_empty() {
            self.modules.impls.of_trait(class, name, |_| true)
        } else {
            self.modules.impls.of_trait(class, name, |t| t.own.is_some_and(|own| wanted.contains(&own)))
        };
        if members.is_empty() {
            return None;
        }
        Some(self.member_values(frame, target.single()?, &members))
    }

    /// Whether a token is a type that is its own only value.
    pub(in crate::link::eval) fn is_unit(&self, token: Tok) -> bool {
        let Token::Class { class, .. } = *self.tokens.get(token) else { return false };
        let declared = self.class(class);
        self.files[class.file as usize].language == Language::Rust
            && declared.kind == ClassKind::Concrete
            && declared.fields.is_empty()
    }

    /// The value of a unit struct where it is written.
    fn unit_value(&mut self, frame: &mut Frame<'p>, class: Tok, e: ExprId) -> Tok {
        let object = self.tokens.intern(Token::Object { site: self.site(frame, e), class });
        self.made(frame, object, class);
        object
    }

    /// Unit structs and variants among some values are made where they are written.
    pub(in crate::link::eval) fn unit_values(&mut self, frame: &mut Frame<'p>, value: Value, e: ExprId) -> Value {
        let special = |t: Tok| self.is_unit(t) || matches!(self.tokens.get(t), Token::Variant { .. });
        if !value.iter().any(special) {
            return value;
        }
        let mut result = Value::empty();
        for token in value.iter() {
            if let Token::Variant { class, .. } = *self.tokens.get(token) {
                self.made(frame, token, class);
            }
            result.insert(if self.is_unit(token) { self.unit_value(frame, token, e) } else { token });
        }
        result
    }

    /// What a value has under a name where it is called, or what a path holds.
    pub(in crate::link::eval) fn method_of(
        &mut self,
        frame: &mut Frame<'p>,
        token: Tok,
        name: Symbol,
        site: ExprId,
        depth: usize,
    ) -> Value {
        match *self.tokens.get(token) {
            Token::Unknown | Token::Top => Value::unknown(),
            Token::Null | Token::Missing => Value::empty(),
            Token::Module(file) => self.rust_module_member(frame, file, MODULE, name),
            Token::Inline(comp) => {
                let func = self.comps[comp.0 as usize].key.func;
                self.rust_module_member(frame, func.file, func.id, name)
            }
            Token::External(path) => {
                let path = format!("{}::{}", self.symbols.text(path), self.symbols.text(name));
                let mut value = self.external(&path);
                value.join(&self.store.read(Addr::Field(token, name), frame.comp));
                value
            }
            Token::Class { .. } => self.associated(frame, token, name),
            Token::Object { class, .. } | Token::Instance { class } | Token::Variant { class, .. } => {
                self.instance_method(frame, token, class, name, site, depth)
            }
            _ => self.foreign_method(frame, token, name),
        }
    }

    fn instance_method(
        &mut self,
        frame: &mut Frame<'p>,
        token: Tok,
        class: Tok,
        name: Symbol,
        site: ExprId,
        depth: usize,
    ) -> Value {
        let Token::Class { class: reference, .. } = *self.tokens.get(class) else {
            return self.foreign_method(frame, token, name);
        };
        let mut members = self.modules.impls.members(reference, name);
        members.retain(|m| self.is_method(m));
        if members.is_empty() {
            members = self.blanket(reference, name);
        }
        let found = self.member_values(frame, class, &members);
        let bound: Value = found.iter().map(|func| self.tokens.intern(Token::Bound { func, this: token })).collect();
        if !bound.is_empty() || !members.is_empty() {
            return bound;
        }
        if depth < DEREFS
            && let Some(inner) = self.dereferenced(frame, token, site)
        {
            let mut result = Value::empty();
            for token in inner.iter() {
                result.join(&self.method_of(frame, token, name, site, depth + 1));
            }
            return result;
        }
        if self.class(reference).kind == ClassKind::Trait {
            return Value::unknown();
        }
        self.outside_member(frame, token, name)
    }

    /// What `Deref` gives, if the value's type has it.
    pub(super) fn dereferenced(&mut self, frame: &mut Frame<'p>, token: Tok, site: ExprId) -> Option<Value> {
        self.call_trait(frame, token, "Deref", "deref", Args::default(), site)
    }

    /// Calls a method of some trait that the language calls by itself.
    pub(super) fn call_trait(
        &mut self,
        frame: &mut Frame<'p>,
        token: Tok,
        of: &str,
        name: &str,
        args: Args,
        site: ExprId,
    ) -> Option<Value> {
        let (Token::Object { class, .. } | Token::Instance { class } | Token::Variant { class, .. }) =
            *self.tokens.get(token)
        else {
            return None;
        };
        let Token::Class { class: reference, .. } = *self.tokens.get(class) else { return None };
        let symbol = self.symbols.find(name)?;
        let members = self.modules.impls.of_trait(reference, symbol, |t| self.symbols.text(t.name) == of);
        if members.is_empty() {
            return None;
        }
        let found = self.member_values(frame, class, &members);
        let found = self.fitting_callees(frame, found, &args, true);
        self.flush(frame);
        let mut result = Value::empty();
        for func in found.iter() {
            let bound = self.tokens.intern(Token::Bound { func, this: token });
            result.join(&self.call_token(frame, bound, &args, site, Via::Implicit));
        }
        Some(result)
    }

    fn is_method(&self, member: &Member) -> bool {
        let Some(id) = member.function else { return false };
        let function = self.function(FuncRef { file: member.holder.file, id });
        function.binding == Binding::Instance && !function.is_abstract
    }

    /// Members that a type has because blocks are about all types.
    fn blanket(&self, class: ClassRef, name: Symbol) -> Members {
        let mut members = Members::new();
        for block in self.modules.impls.foreign(name) {
            let TypeTarget::Every(bounds) = &block.target else { continue };
            if bounds.iter().all(|b| self.modules.impls.implements(class, *b))
                && let Some(member) = self.in_block(block, name)
            {
                members.push(member);
            }
        }
        members
    }

    /// A member of a block, or the default of the trait that it implements.
    fn in_block(&self, block: &crate::link::impls::Block, name: Symbol) -> Option<Member> {
        let own = block.of.and_then(|t| t.own);
        [Some(block.class), own].into_iter().flatten().find_map(|holder| {
            let body = self.class(holder).body;
            let var = *self.modules.rust.declares(holder.file, body, name)?.first()?;
            let function = self.modules.rust.decls(holder.file, var).iter().find_map(|d| match *d {
                crate::link::modules::rust::Decl::Function(f) => Some(f),
                _ => None,
            });
            Some(Member { holder, function, var, of: block.of })
        })
    }

    /// A method that the program gives to something that is not its own.
    fn foreign_method(&mut self, frame: &mut Frame<'p>, token: Tok, name: Symbol) -> Value {
        let modules = self.modules;
        let mut members = Members::new();
        for block in modules.impls.foreign(name) {
            if self.is_about(&block.target, token)
                && let Some(member) = self.in_block(block, name)
                && self.is_method(&member)
            {
                members.push(member);
            }
        }
        if members.is_empty() {
            let stored = self.store.read(Addr::Field(token, name), frame.comp);
            return if stored.is_empty() { self.outside_member(frame, token, name) } else { stored };
        }
        let found = self.member_values(frame, token, &members);
        found.iter().map(|func| self.tokens.intern(Token::Bound { func, this: token })).collect()
    }

    /// Whether a block's type can be that of a value.
    fn is_about(&self, target: &TypeTarget, token: Tok) -> bool {
        let last = |path: &str| path.rsplit("::").next().unwrap_or(path).to_string();
        match (target, self.tokens.get(token)) {
            (TypeTarget::Callable, _) => self.is_callable(token),
            (TypeTarget::Every(bounds), _) => bounds.iter().all(|b| self.token_implements(token, b.own)),
            (TypeTarget::Slice, Token::Container { kind: ContainerKind::List, .. }) => true,
            (TypeTarget::External(path), Token::Int(_)) => is_number(path) && !path.starts_with('f'),
            (TypeTarget::External(path), Token::Float(_)) => matches!(&**path, "f32" | "f64"),
            (TypeTarget::External(path), Token::Bool(_)) => &**path == "bool",
            (TypeTarget::External(path), Token::Str(_)) => matches!(last(path).as_str(), "str" | "String"),
            (TypeTarget::External(path), Token::Container { kind, .. }) => match kind {
                ContainerKind::List => matches!(last(path).as_str(), "Vec" | "VecDeque"),
                ContainerKind::Dict => last(path).ends_with("Map"),
                ContainerKind::Set => last(path).ends_with("Set"),
                _ => false,
            },
            (TypeTarget::External(path), Token::Made { .. } | Token::Member { .. } | Token::Instance { .. }) => {
                if is_number(path) || matches!(&**path, "bool" | "char" | "str") {
                    return false;
                }
                match self.known_class(token) {
                    Some((_, class)) => {
                        self.catalogue.name(path) == class.path.first().map_or("", String::as_str)
                            || class.path.iter().any(|p| last(p) == last(path))
                    }
                    None => true,
                }
            }
            _ => false,
        }
    }

    /// Whether a value that is not of the program's types has a trait.
    fn token_implements(&self, token: Tok, of: Option<ClassRef>) -> bool {
        let Some(of) = of else { return true };
        let about = |target: &TypeTarget| match target {
            TypeTarget::Every(bounds) => bounds.iter().all(|b| b.own.is_none()),
            target => self.is_about(target, token),
        };
        self.modules.impls.implementing(of).any(|block| about(&block.target))
    }

    /// What a type holds under a name.
    pub(super) fn associated(&mut self, frame: &Frame<'p>, token: Tok, name: Symbol) -> Value {
        let Token::Class { class, .. } = *self.tokens.get(token) else { return Value::unknown() };
        let declared = self.class(class);
        if declared.kind == ClassKind::Enum && self.modules.rust.declares(class.file, declared.body, name).is_some() {
            return Value::of(self.tokens.intern(Token::Variant { class: token, name }));
        }
        let mut members = self.modules.impls.members(class, name);
        if members.is_empty() {
            members = self.blanket(class, name);
        }
        let value = self.member_values(frame, token, &members);
        if members.is_empty() { self.member(token, name) } else { value }
    }

    /// The values of some members of a type.
    pub(super) fn member_values(&mut self, frame: &Frame<'p>, class: Tok, members: &Members) -> Value {
        let mut value = Value::empty();
        for member in members {
            let holder = member.holder;
            let declared = self.class(holder);
            let env = match *self.tokens.get(class) {
                Token::Class { class, env }
                    if class.file == holder.file && self.class(class).parent == declared.parent =>
                {
                    Some(env)
                }
                _ => self.scope_of_class(frame, holder),
            };
            let Some(env) = env else { continue };
            let depth = self.comps[env.0 as usize].depth;
            let body = FuncRef { file: holder.file, id: declared.body };
            let body = self.component(CompKey { func: body, parent: Some(env), context: Box::default() }, depth);
            match member.function {
                Some(id) if self.files[holder.file as usize].function(id).decorators.is_empty() => {
                    let func = FuncRef { file: holder.file, id };
                    value.insert(self.tokens.intern(Token::Function { func, env: body }));
                }
                _ => {
                    let alias = self.modules.rust.decls(holder.file, member.var).iter().find_map(|d| match *d {
                        crate::link::modules::rust::Decl::Class(id) => Some(ClassRef { file: holder.file, id }),
                        _ => None,
                    });
                    match alias {
                        Some(alias) => value.join(&self.class_value(frame, alias)),
                        None => value.join(&self.store.read(Addr::Var(body, member.var), frame.comp)),
                    };
                }
            }
        }
        value
    }
}

/// Whether a path is a number's type.
pub(super) fn is_number(path: &str) -> bool {
    matches!(
        path,
        "i8" | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "f32"
            | "f64"
    )
}
