//! Declared types: what passes through wrappers is the wrapped type's, containers hold what they say.

use super::super::Frame;
use crate::ir::*;
use crate::link::impls::TypeTarget;
use crate::link::modules::rust::Item;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

/// Types nest so deep at most.
const DEPTH: usize = 8;
/// A trait nobody made a value of stands for so many implementing types at most.
const IMPLEMENTERS: usize = 12;

impl<'p> Solver<'p> {
    /// Instances of a declared type.
    pub(in crate::link::eval) fn rust_declared(
        &mut self,
        frame: &mut Frame<'p>,
        id: TypeId,
        file: u32,
        scope: FunctionId,
        depth: usize,
    ) -> Value {
        if depth > DEPTH {
            return Value::empty();
        }
        let ir: &'p File = &self.files[file as usize];
        match &ir.types[id.index()] {
            Type::Ref(e) => self.named_type(frame, file, scope, *e, depth),
            Type::SelfType => self.self_instances(frame, file, scope),
            Type::Apply { base, args } => {
                let name = self.type_name(file, scope, *base);
                let arg = |i: usize| args.get(i).copied();
                match name.as_deref() {
                    Some(
                        "Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "LinkedList" | "BinaryHeap" | "IndexSet"
                        | "SmallVec" | "ArrayVec" | "FuturesUnordered" | "Receiver" | "Sender" | "UnboundedSender"
                        | "UnboundedReceiver",
                    ) => self.declared_holder(frame, arg(0), file, scope, id, ContainerKind::List, depth),
                    Some("HashMap" | "BTreeMap" | "IndexMap" | "DashMap" | "FxHashMap") => {
                        self.declared_holder(frame, arg(1), file, scope, id, ContainerKind::Dict, depth)
                    }
                    Some(
                        "Iterator"
                        | "IntoIterator"
                        | "Stream"
                        | "BoxStream"
                        | "ExactSizeIterator"
                        | "DoubleEndedIterator",
                    ) => self.declared_holder(frame, arg(0), file, scope, id, ContainerKind::Iter, depth),
                    _ => {
                        let own = self.rust_declared(frame, *base, file, scope, depth + 1);
                        if !own.is_empty() {
                            return own;
                        }
                        for arg in args {
                            let inner = self.rust_declared(frame, *arg, file, scope, depth + 1);
                            if !inner.is_empty() {
                                return inner;
                            }
                        }
                        Value::empty()
                    }
                }
            }
            Type::Sequence(inner) => {
                self.declared_holder(frame, Some(*inner), file, scope, id, ContainerKind::List, depth)
            }
            Type::Tuple(parts) => {
                let site = self.declared_site(frame, file, scope, id);
                let token = self.tokens.intern(Token::Container { site, kind: ContainerKind::Tuple });
                for (i, &part) in parts.iter().enumerate() {
                    let value = self.rust_declared(frame, part, file, scope, depth + 1);
                    let key = self.symbols.intern(&i.to_string());
                    let value = if value.is_empty() { Value::unknown() } else { value };
                    self.set_key(token, key, &value);
                }
                Value::of(token)
            }
            Type::Union(parts) | Type::Bounds(parts) => {
                let mut result = Value::empty();
                for &part in parts {
                    result.join(&self.rust_declared(frame, part, file, scope, depth + 1));
                }
                result
            }
            _ => Value::empty(),
        }
    }

    /// What a call gives, with the declared type's instances where nothing is known.
    pub(in crate::link::eval) fn rust_returned(&mut self, frame: &mut Frame<'p>, value: Value, func: FuncRef) -> Value {
        if self.is_useful(&value) {
            return value;
        }
        let Some(ty) = self.function(func).returns.filter(|_| self.types_count()) else { return value };
        let mut value = value;
        value.join(&self.rust_declared(frame, ty, func.file, func.id, 0));
        if value.is_empty() { Value::unknown() } else { value }
    }

    fn named_type(&mut self, frame: &mut Frame<'p>, file: u32, scope: FunctionId, e: ExprId, depth: usize) -> Value {
        let items = self.type_items(file, scope, e);
        let mut result = Value::empty();
        for item in items.iter() {
            match item {
                Item::Class(class) if self.class(*class).kind == ClassKind::Alias => {
                    let declared = self.class(*class);
                    match (self.modules.impls.alias(*class).cloned(), declared.target) {
                        (Some(TypeTarget::Class(_)), _) => {
                            for token in self.class_value(frame, *class).iter().collect::<Vec<_>>() {
                                result.join(&self.instances_of_type(frame, token));
                            }
                        }
                        (_, Some(target)) => {
                            let value = self.rust_declared(frame, target, class.file, declared.parent, depth + 1);
                            result.join(&value);
                        }
                        _ => {}
                    }
                }
                Item::Class(class) => {
                    for token in self.class_value(frame, *class).iter().collect::<Vec<_>>() {
                        result.join(&self.instances_of_type(frame, token));
                    }
                }
                Item::External(path) => {
                    let path = path.to_string();
                    for token in self.external(&path).iter() {
                        if self.known_class(token).is_some() {
                            result.insert(self.tokens.intern(Token::Instance { class: token }));
                        }
                    }
                }
                Item::Member(class, name) => {
                    for token in self.class_value(frame, *class).iter().collect::<Vec<_>>() {
                        for member in self.associated(frame, token, *name).iter().collect::<Vec<_>>() {
                            if matches!(self.tokens.get(member), Token::Class { .. }) {
                                result.join(&self.instances_of_type(frame, member));
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        result
    }

    /// Values of a type: those that were made, else one known by declaration only; for a trait those of
    /// the types that have it.
    fn instances_of_type(&mut self, frame: &Frame<'p>, class: Tok) -> Value {
        let Token::Class { class: reference, .. } = *self.tokens.get(class) else { return Value::empty() };
        let made = self.store.read(Addr::Instances(class), frame.comp);
        let is_trait = self.class(reference).kind == ClassKind::Trait;
        if !made.is_empty() && !made.is_top() {
            let mut made = made;
            if is_trait {
                made.join(&self.outside_implementers(reference));
            }
            return made;
        }
        if !is_trait {
            return Value::of(self.tokens.intern(Token::Instance { class }));
        }
        let modules = self.modules;
        let mut result = Value::empty();
        if modules.impls.implementing(reference).count() <= IMPLEMENTERS {
            for block in modules.impls.implementing(reference) {
                if let TypeTarget::Class(target) = block.target {
                    for token in self.class_value(frame, target).iter() {
                        result.insert(self.tokens.intern(Token::Instance { class: token }));
                    }
                }
            }
        }
        result.join(&self.outside_implementers(reference));
        if result.is_empty() {
            result.insert(self.tokens.intern(Token::Instance { class }));
        }
        result
    }

    /// Values of types of other crates for which the program implements a trait.
    fn outside_implementers(&mut self, of: ClassRef) -> Value {
        let modules = self.modules;
        let mut result = Value::empty();
        if modules.impls.implementing(of).count() > IMPLEMENTERS {
            return result;
        }
        for block in modules.impls.implementing(of) {
            let TypeTarget::External(path) = &block.target else { continue };
            for class in self.external(path).iter() {
                if self.known_class(class).is_some() {
                    result.insert(self.tokens.intern(Token::Instance { class }));
                }
            }
        }
        result
    }

    /// Values of the type whose methods stand around a place.
    pub(in crate::link::eval) fn self_instances(
        &mut self,
        frame: &mut Frame<'p>,
        file: u32,
        scope: FunctionId,
    ) -> Value {
        let Some(class) = self.class_around(file, scope) else { return Value::empty() };
        let target = match self.modules.impls.target(class) {
            Some(TypeTarget::Class(target)) => *target,
            Some(_) => return Value::empty(),
            None => class,
        };
        let mut result = Value::empty();
        for token in self.class_value(frame, target).iter().collect::<Vec<_>>() {
            result.join(&self.instances_of_type(frame, token));
        }
        result
    }

    /// The last name of a generic type.
    fn type_name(&mut self, file: u32, scope: FunctionId, base: TypeId) -> Option<String> {
        let Type::Ref(e) = self.files[file as usize].types[base.index()] else { return None };
        match self.type_items(file, scope, e).first()? {
            Item::External(path) => path.rsplit("::").next().map(str::to_string),
            _ => None,
        }
    }

    fn declared_site(&mut self, frame: &Frame<'p>, file: u32, scope: FunctionId, id: TypeId) -> Site {
        let comp = self.module_component(file).unwrap_or(frame.comp);
        let _ = scope;
        Site { comp, expr: ExprId(u32::MAX - 1 - id.0) }
    }

    #[allow(clippy::too_many_arguments)]
    fn declared_holder(
        &mut self,
        frame: &mut Frame<'p>,
        inner: Option<TypeId>,
        file: u32,
        scope: FunctionId,
        id: TypeId,
        kind: ContainerKind,
        depth: usize,
    ) -> Value {
        let Some(inner) = inner else { return Value::empty() };
        let elements = self.rust_declared(frame, inner, file, scope, depth + 1);
        if elements.is_empty() {
            return Value::empty();
        }
        let site = self.declared_site(frame, file, scope, id);
        let token = self.tokens.intern(Token::Container { site, kind });
        self.write(Addr::Element(token), &elements);
        Value::of(token)
    }
}
