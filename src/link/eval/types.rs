//! Declared types: used only where points-to finds nothing.

use super::Frame;
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Whether a value says what to call: an object of the program or something the catalogue knows.
    pub fn is_useful(&self, value: &Value) -> bool {
        value.iter().any(|t| match self.tokens.get(t) {
            Token::Unknown | Token::Top | Token::Null | Token::Missing => false,
            Token::Made { .. } | Token::Member { .. } => self.known_class(t).is_some(),
            _ => true,
        })
    }

    /// A value with its declared type's instances, if the value itself says nothing.
    pub fn with_declared(&mut self, frame: &mut Frame<'p>, value: Value, declared: Option<TypeId>) -> Value {
        self.with_declared_of(frame, value, declared, frame.file)
    }

    /// The same for a type declared in another file.
    pub fn with_declared_of(
        &mut self,
        frame: &mut Frame<'p>,
        mut value: Value,
        declared: Option<TypeId>,
        file: u32,
    ) -> Value {
        let Some(declared) = declared else { return value };
        if self.is_useful(&value) || !self.types_count() {
            return value;
        }
        let comp = if file == frame.file { Some(frame.comp) } else { self.module_component(file) };
        if let Some(comp) = comp {
            let instances = self.declared_value(frame, declared, file, comp);
            value.join(&instances);
        }
        if value.is_empty() { Value::unknown() } else { value }
    }

    /// Instances of a declared type. Containers of a type are containers with such elements.
    pub fn declared_value(&mut self, frame: &mut Frame<'p>, id: TypeId, file: u32, comp: CompId) -> Value {
        let ir: &'p File = &self.files[file as usize];
        if ir.language == Language::Rust {
            let scope = self.comps[comp.0 as usize].key.func;
            let scope = if scope.file == file { scope.id } else { MODULE };
            return self.rust_declared(frame, id, file, scope, 0);
        }
        if ir.language == Language::JavaScript {
            return self.declared_instances(frame, id, file, comp, 0);
        }
        match &ir.types[id.index()] {
            Type::Ref(e) => {
                let class = self.eval_in(frame, comp, file, *e);
                let mut result = Value::empty();
                for token in class.iter() {
                    match *self.tokens.get(token) {
                        Token::Class { .. } => {
                            result.join(&self.instances(token, frame.comp));
                        }
                        // An alias: `Either = Union[A, B]`.
                        Token::Made { site, callee } if self.is_alias(callee) => {
                            let parts = self.store.read(Addr::Arg(site, 0), frame.comp);
                            let all = self.all_elements(frame, &parts.filter(|t| self.is_container(t)));
                            for class in parts.iter().chain(all.iter()) {
                                if matches!(self.tokens.get(class), Token::Class { .. }) {
                                    result.join(&self.instances(class, frame.comp));
                                }
                            }
                        }
                        Token::External(_) => {
                            if self.known_class(token).is_some() {
                                result.insert(self.tokens.intern(Token::Instance { class: token }));
                            }
                        }
                        _ => {}
                    }
                }
                result
            }
            Type::Apply { base, args } => {
                if self.is_type_of(frame, *base, file, comp) {
                    return args.first().map_or(Value::empty(), |&class| self.declared_class(frame, class, file, comp));
                }
                let own = self.declared_value(frame, *base, file, comp);
                if self.is_useful(&own) {
                    return own;
                }
                // A container or wrapper of the last argument: `list[T]`, `dict[K, T]`, `Arc<T>`, `Promise<T>`.
                let Some(&inner) = args.last() else { return own };
                self.declared_container(frame, inner, file, comp, id)
            }
            Type::Sequence(inner) => self.declared_container(frame, *inner, file, comp, id),
            Type::Union(parts) | Type::Bounds(parts) => {
                let mut result = Value::empty();
                for &part in parts {
                    result.join(&self.declared_value(frame, part, file, comp));
                }
                result
            }
            _ => Value::empty(),
        }
    }

    /// `Type[C]`: the class itself.
    fn is_type_of(&mut self, frame: &mut Frame<'p>, base: TypeId, file: u32, comp: CompId) -> bool {
        let Type::Ref(e) = self.files[file as usize].types[base.index()] else { return false };
        let value = self.eval_in(frame, comp, file, e);
        value.iter().any(|t| self.is_path(t, &["typing.Type", "builtins.type"]))
    }

    fn declared_class(&mut self, frame: &mut Frame<'p>, id: TypeId, file: u32, comp: CompId) -> Value {
        let Type::Ref(e) = self.files[file as usize].types[id.index()] else { return Value::empty() };
        let value = self.eval_in(frame, comp, file, e);
        value.filter(|t| matches!(self.tokens.get(t), Token::Class { .. }) || self.known_class(t).is_some())
    }

    /// Generic types whose arguments an alias stands for.
    fn is_alias(&self, callee: Tok) -> bool {
        self.is_path(
            callee,
            &["typing.Union", "typing.Optional", "typing.Annotated", "typing.ClassVar", "typing.Final"],
        )
    }

    /// A value that may be the instance itself or hold it.
    fn declared_container(
        &mut self,
        frame: &mut Frame<'p>,
        inner: TypeId,
        file: u32,
        comp: CompId,
        id: TypeId,
    ) -> Value {
        let elements = self.declared_value(frame, inner, file, comp);
        if elements.is_empty() {
            return Value::empty();
        }
        let site = Site { comp, expr: ExprId(u32::MAX - 1 - id.0) };
        let container = self.tokens.intern(Token::Container { site, kind: ContainerKind::List });
        self.write(Addr::Element(container), &elements);
        let mut result = elements;
        result.insert(container);
        result
    }

    /// A field's declared type in a class, with the file and component to read it in.
    pub fn declared_field(&mut self, class: Tok, name: Symbol) -> Option<(TypeId, u32, CompId)> {
        let Token::Class { class, env } = *self.tokens.get(class) else { return None };
        let field = self.class(class).fields.iter().find(|f| self.symbol(class.file, f.name) == name)?;
        Some((field.declared?, class.file, env))
    }

    /// Instances of the types that a handler catches.
    pub fn instances_of_types(&mut self, frame: &mut Frame<'p>, types: &Value) -> Value {
        let mut result = Value::empty();
        for token in types.iter() {
            match *self.tokens.get(token) {
                Token::Class { .. } | Token::External(_) => {
                    result.insert(self.tokens.intern(Token::Instance { class: token }));
                }
                Token::Container { .. } | Token::Rest { .. } => {
                    let elements = self.all_elements(frame, &Value::of(token));
                    for class in elements.iter() {
                        if matches!(self.tokens.get(class), Token::Class { .. } | Token::External(_)) {
                            result.insert(self.tokens.intern(Token::Instance { class }));
                        }
                    }
                }
                _ => {
                    result.insert(Tok::UNKNOWN);
                }
            }
        }
        if result.is_empty() { Value::unknown() } else { result }
    }
}
