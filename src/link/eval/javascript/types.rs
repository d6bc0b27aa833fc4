//! Declared types of TypeScript: aliases, interfaces, containers and wrappers of other types.

use super::super::Frame;
use super::construct::IMPLEMENTERS;
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

/// Types nest, and aliases stand for each other, at most so deep.
const DEPTH: usize = 8;

/// Types that are what they are given: a promise is what it is fulfilled with.
const TRANSPARENT: &[&str] = &[
    "Promise",
    "PromiseLike",
    "Awaited",
    "Readonly",
    "Partial",
    "Required",
    "NonNullable",
    "Pick",
    "Omit",
    "WeakRef",
    "Exclude",
    "Extract",
];

/// Types of elements: the last argument says of which.
const CONTAINERS: &[&str] = &[
    "Array",
    "ReadonlyArray",
    "Set",
    "ReadonlySet",
    "Map",
    "ReadonlyMap",
    "WeakMap",
    "Record",
    "Iterable",
    "Iterator",
    "AsyncIterable",
    "AsyncIterator",
];

/// Types of elements: the first argument says of which.
const GENERATORS: &[&str] = &["Generator", "AsyncGenerator", "IterableIterator", "AsyncIterableIterator"];

impl<'p> Solver<'p> {
    /// The classes, interfaces and aliases that a type names.
    pub(super) fn named_types(&mut self, frame: &mut Frame<'p>, id: TypeId, file: u32, comp: CompId) -> Value {
        match self.files[file as usize].types[id.index()] {
            Type::Ref(e) => {
                let value = self.eval_in(frame, comp, file, e);
                value.filter(|t| matches!(self.tokens.get(t), Token::Class { .. }))
            }
            Type::Apply { base, .. } => self.named_types(frame, base, file, comp),
            _ => Value::empty(),
        }
    }

    /// Objects that are declared to be of an interface of TypeScript; empty if there is none.
    pub(in crate::link::eval) fn named_implementers(&mut self, interface: Tok, reader: CompId) -> Value {
        let Token::Class { class, .. } = *self.tokens.get(interface) else { return Value::empty() };
        if self.files[class.file as usize].language != Language::JavaScript {
            return Value::empty();
        }
        let name = self.symbols.intern(IMPLEMENTERS);
        self.store.read(Addr::Field(interface, name), reader)
    }

    /// An object literal that is declared to be of an interface is one of its implementers.
    pub(in crate::link::eval) fn note_declared(
        &mut self,
        frame: &mut Frame<'p>,
        value: &Value,
        declared: Option<TypeId>,
    ) {
        let Some(declared) = declared.filter(|_| frame.is_javascript()) else { return };
        let objects =
            value.filter(|t| matches!(self.tokens.get(t), Token::Container { kind: ContainerKind::Dict, .. }));
        if objects.is_empty() {
            return;
        }
        for interface in self.named_types(frame, declared, frame.file, frame.comp).iter() {
            let bases = self.class_order(frame, interface);
            for &base in bases.iter() {
                self.note(base, IMPLEMENTERS, &objects);
            }
        }
    }

    /// Instances of a declared type.
    pub(in crate::link::eval) fn declared_instances(
        &mut self,
        frame: &mut Frame<'p>,
        id: TypeId,
        file: u32,
        comp: CompId,
        depth: usize,
    ) -> Value {
        if depth > DEPTH {
            return Value::empty();
        }
        let ir: &'p File = &self.files[file as usize];
        let down = depth + 1;
        match &ir.types[id.index()] {
            Type::Ref(e) => self.instances_of_name(frame, *e, file, comp, down),
            Type::Apply { base, args } => {
                let name = self.outside_type(frame, *base, file, comp);
                let name = name.as_deref().unwrap_or("");
                if TRANSPARENT.contains(&name) {
                    return args
                        .first()
                        .map(|&t| self.declared_instances(frame, t, file, comp, down))
                        .unwrap_or_default();
                }
                if name == "ReturnType" {
                    let Some(&function) = args.first() else { return Value::empty() };
                    let functions = self.declared_instances(frame, function, file, comp, down);
                    return self.returned_by(frame, &functions);
                }
                if CONTAINERS.contains(&name) || GENERATORS.contains(&name) {
                    let element = if GENERATORS.contains(&name) { args.first() } else { args.last() };
                    let Some(&element) = element else { return Value::empty() };
                    let kind = match name {
                        "Record" => ContainerKind::Dict,
                        "Map" | "ReadonlyMap" | "WeakMap" => ContainerKind::Map,
                        _ => ContainerKind::List,
                    };
                    return self.declared_elements(frame, element, file, comp, id, kind, down);
                }
                self.declared_instances(frame, *base, file, comp, down)
            }
            Type::Sequence(inner) => self.declared_elements(frame, *inner, file, comp, id, ContainerKind::List, down),
            Type::Union(parts) | Type::Bounds(parts) => {
                let mut result = Value::empty();
                for &part in parts {
                    result.join(&self.declared_instances(frame, part, file, comp, down));
                }
                result
            }
            Type::Tuple(parts) => {
                let fields: Vec<(String, TypeId)> =
                    parts.iter().enumerate().map(|(i, &t)| (i.to_string(), t)).collect();
                self.declared_fields(frame, &fields, file, comp, id, ContainerKind::Tuple, down)
            }
            Type::Object(fields) => {
                let fields: Vec<(String, TypeId)> =
                    fields.iter().map(|&(name, t)| (ir.name(name).to_string(), t)).collect();
                self.declared_fields(frame, &fields, file, comp, id, ContainerKind::Dict, down)
            }
            Type::TypeOf(e) => self.eval_in(frame, comp, file, *e),
            _ => Value::empty(),
        }
    }

    /// What functions return, wherever they are called (`ReturnType<typeof make>`).
    fn returned_by(&mut self, frame: &Frame<'p>, functions: &Value) -> Value {
        let mut result = Value::empty();
        for token in functions.iter() {
            let Token::Function { func, .. } = *self.tokens.get(token) else { continue };
            for comp in 0..self.comps.len() {
                if self.comps[comp].key.func == func {
                    result.join(&self.store.read(Addr::Return(CompId(comp as u32)), frame.comp));
                }
            }
        }
        result
    }

    /// The name of a type that the runtime declares.
    fn outside_type(&mut self, frame: &mut Frame<'p>, id: TypeId, file: u32, comp: CompId) -> Option<String> {
        let Type::Ref(e) = self.files[file as usize].types[id.index()] else { return None };
        let value = self.eval_in(frame, comp, file, e);
        let Token::External(path) = *self.tokens.get(value.single()?) else { return None };
        self.symbols.text(path).strip_prefix("globals:").map(str::to_string)
    }

    fn instances_of_name(&mut self, frame: &mut Frame<'p>, e: ExprId, file: u32, comp: CompId, depth: usize) -> Value {
        let ir: &'p File = &self.files[file as usize];
        if let ExprKind::Free(name) = ir.expr(e).kind
            && let Some((bounds, file, comp)) = self.bounds_of(comp, name)
        {
            let mut result = Value::empty();
            for bound in bounds {
                result.join(&self.declared_instances(frame, bound, file, comp, depth));
            }
            return result;
        }
        let named = self.eval_in(frame, comp, file, e);
        let mut result = Value::empty();
        for token in named.iter() {
            match *self.tokens.get(token) {
                Token::Class { class, env } => {
                    let declared = self.class(class);
                    match (declared.kind, declared.target) {
                        (ClassKind::Enum, _) => {}
                        (ClassKind::Alias, Some(target)) => {
                            result.join(&self.declared_instances(frame, target, class.file, env, depth));
                        }
                        _ => {
                            result.join(&self.instances(token, frame.comp));
                        }
                    }
                }
                Token::External(_) => {
                    if self.known_class(token).is_none() {
                        continue;
                    }
                    // Those that the program makes somewhere, else one of which only the class is known.
                    let made = match self.made_objects(token) {
                        Some(kept) => self.store.read(kept, frame.comp),
                        None => Value::empty(),
                    };
                    if made.is_empty() || made.is_top() {
                        result.insert(self.tokens.intern(Token::Instance { class: token }));
                    } else {
                        result.join(&made);
                    }
                }
                _ => {}
            }
        }
        result
    }

    /// The bounds of a type parameter of a class around a component.
    fn bounds_of(&self, comp: CompId, name: Name) -> Option<(Vec<TypeId>, u32, CompId)> {
        let mut at = Some(comp);
        while let Some(comp) = at {
            let key = &self.comps[comp.0 as usize].key;
            let ir = &self.files[key.func.file as usize];
            if let Some(class) = ir.function(key.func.id).class {
                let params = &ir.class(class).type_params;
                if let Some((_, bounds)) = params.iter().find(|(param, _)| *param == name) {
                    return Some((bounds.clone(), key.func.file, comp));
                }
            }
            at = key.parent;
        }
        None
    }

    #[allow(clippy::too_many_arguments)]
    fn declared_elements(
        &mut self,
        frame: &mut Frame<'p>,
        element: TypeId,
        file: u32,
        comp: CompId,
        id: TypeId,
        kind: ContainerKind,
        depth: usize,
    ) -> Value {
        let elements = self.declared_instances(frame, element, file, comp, depth);
        if elements.is_empty() {
            return Value::empty();
        }
        let container = self.declared_token(comp, id, kind);
        self.write(Addr::Element(container), &elements);
        Value::of(container)
    }

    #[allow(clippy::too_many_arguments)]
    fn declared_fields(
        &mut self,
        frame: &mut Frame<'p>,
        fields: &[(String, TypeId)],
        file: u32,
        comp: CompId,
        id: TypeId,
        kind: ContainerKind,
        depth: usize,
    ) -> Value {
        let container = self.declared_token(comp, id, kind);
        let mut useful = false;
        for (name, ty) in fields {
            let value = self.declared_instances(frame, *ty, file, comp, depth);
            if !value.is_empty() {
                useful = true;
                let name = self.symbols.intern(name);
                self.set_key(container, name, &value);
            }
        }
        if useful { Value::of(container) } else { Value::empty() }
    }

    fn declared_token(&mut self, comp: CompId, id: TypeId, kind: ContainerKind) -> Tok {
        let site = Site { comp, expr: ExprId(u32::MAX - 1 - id.0) };
        self.tokens.intern(Token::Container { site, kind })
    }
}
