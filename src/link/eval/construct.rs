//! Making instances: `__new__`, constructors, fields from arguments.

use super::{Args, Frame};
use crate::ir::*;
use crate::link::component::{Target, Via};
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Calls a class.
    pub(super) fn call_class(
        &mut self,
        frame: &mut Frame<'p>,
        token: Tok,
        args: &Args,
        site: ExprId,
        via: Via,
    ) -> Value {
        if let Some(meta) = self.metaclass(frame, token)
            && let Some(name) = self.symbols.find("__call__")
        {
            let order = self.class_order(frame, meta);
            if let Some(call) = order.iter().find_map(|&c| self.own_attribute(frame, c, name)) {
                let mut result = Value::empty();
                for func in call.iter() {
                    let bound = self.tokens.intern(Token::Bound { func, this: token });
                    result.join(&self.call_token(frame, bound, args, site, via));
                }
                return result;
            }
        }
        self.instantiate(frame, token, args, site, via)
    }

    /// Makes an instance.
    pub fn instantiate(&mut self, frame: &mut Frame<'p>, token: Tok, args: &Args, site: ExprId, via: Via) -> Value {
        let order = self.class_order(frame, token);
        if frame.is_javascript() {
            return self.construct_class(frame, token, &order, args, site, via);
        }
        let made = match self.call_new(frame, token, &order, args, site, via) {
            Some(made) => made,
            None => self.allocate(frame, &Value::of(token), site),
        };
        for object in made.iter().filter(|&t| self.is_of_class(t, token)).collect::<Vec<_>>() {
            self.initialise(frame, object, &order, args, site, via);
        }
        made
    }

    fn is_of_class(&self, object: Tok, class: Tok) -> bool {
        matches!(*self.tokens.get(object), Token::Object { class: c, .. } | Token::Instance { class: c } if c == class)
    }

    /// `__new__` of the program; what it returns.
    fn call_new(
        &mut self,
        frame: &mut Frame<'p>,
        token: Tok,
        order: &[Tok],
        args: &Args,
        site: ExprId,
        via: Via,
    ) -> Option<Value> {
        let symbol = self.symbols.find("__new__")?;
        let new = order.iter().find_map(|&c| self.own_attribute(frame, c, symbol))?;
        let mut args = args.clone();
        args.positional.insert(0, Value::of(token));
        let mut made = Value::empty();
        for callee in new.iter() {
            made.join(&self.call_token(frame, callee, &args, site, via));
        }
        if made.is_empty() && self.waits() {
            return Some(made);
        }
        let objects = made.filter(|t| matches!(self.tokens.get(t), Token::Object { .. } | Token::Instance { .. }));
        if objects.is_empty() { None } else { Some(objects) }
    }

    /// New objects of some classes, without anything in them.
    pub(super) fn allocate(&mut self, frame: &mut Frame<'p>, classes: &Value, site: ExprId) -> Value {
        let place = self.site(frame, site);
        let mut made = Value::empty();
        for class in classes.iter() {
            if !matches!(self.tokens.get(class), Token::Class { .. }) {
                continue;
            }
            let object = self.tokens.intern(Token::Object { site: place, class });
            self.made_by_site.insert(place, object);
            self.note_instance(frame, class, object);
            made.insert(object);
        }
        if made.is_empty() && !classes.is_empty() { Value::unknown() } else { made }
    }

    /// `super().__init__(…)` and `Base.__init__(self, …)` where the base comes from outside: the arguments are the
    /// settings of the object.
    pub(super) fn initialise_base(
        &mut self,
        frame: &mut Frame<'p>,
        callee: Tok,
        args: &Args,
        call: ExprId,
        via: Via,
    ) -> Option<Value> {
        if frame.is_javascript() {
            return None;
        }
        let (objects, args) = match *self.tokens.get(callee) {
            Token::Member { base, name } if self.symbols.text(name) == "__init__" => (Value::of(base), args.clone()),
            Token::External(path) if self.symbols.text(path).ends_with(".__init__") => {
                let mut args = args.clone();
                if args.positional.is_empty() {
                    return None;
                }
                let objects = args.positional.remove(0);
                (objects, args)
            }
            _ => return None,
        };
        let mut found = false;
        for object in objects.iter() {
            let Token::Object { site, class } = *self.tokens.get(object) else { continue };
            found = true;
            let order = self.class_order(frame, class);
            self.fill_fields(frame, &order, object, &args);
            self.write_arguments(site, &args);
        }
        if !found {
            return None;
        }
        let made = self.tokens.intern(Token::Made { site: Site { comp: frame.comp, expr: call }, callee });
        self.record(frame.comp, call, callee, Target::External(made), via);
        Some(Value::of(Tok::NULL))
    }

    /// An instance counts for all bases of its class, and for the protocols that it fits.
    pub(super) fn note_instance(&mut self, frame: &Frame<'p>, class: Tok, object: Tok) {
        let object = Value::of(object);
        for &base in self.class_order(frame, class).iter() {
            self.write(Addr::Instances(base), &object);
        }
        for protocol in self.protocols.of(class) {
            self.write(Addr::Instances(protocol), &object);
        }
    }

    fn initialise(&mut self, frame: &mut Frame<'p>, object: Tok, order: &[Tok], args: &Args, site: ExprId, via: Via) {
        self.run_field_initialisers(frame, order, object);
        let mut constructed = false;
        let symbol = self.symbols.find("__init__");
        let found = symbol.and_then(|name| order.iter().find_map(|&c| self.own_attribute(frame, c, name)));
        for callee in found.iter().flat_map(Value::iter) {
            let bound = self.tokens.intern(Token::Bound { func: callee, this: object });
            self.call_token(frame, bound, args, site, via);
            constructed = true;
        }
        if !constructed {
            self.fill_fields(frame, order, object, args);
            let place = self.site(frame, site);
            self.write_arguments(place, args);
        }
    }

    pub(super) fn run_field_initialisers(&mut self, frame: &mut Frame<'p>, order: &[Tok], object: Tok) {
        for &class in order.iter().rev() {
            let Token::Class { class, env } = *self.tokens.get(class) else { continue };
            let Some(init) = self.class(class).field_init else { continue };
            let func = FuncRef { file: class.file, id: init };
            let this = Value::of(object);
            self.enter_function(frame.comp, func, Some(env), Some(&this), &Args::default());
        }
    }

    /// Arguments become fields where the class has no constructor of its own (dataclasses, models).
    fn fill_fields(&mut self, frame: &mut Frame<'p>, order: &[Tok], object: Tok, args: &Args) {
        let mut fields: Vec<Symbol> = Vec::new();
        for &class in order.iter().rev() {
            let Token::Class { class, .. } = *self.tokens.get(class) else { continue };
            for field in &self.class(class).fields {
                let name = self.symbol(class.file, field.name);
                if !fields.contains(&name) {
                    fields.push(name);
                }
            }
        }
        for (field, value) in fields.iter().zip(&args.positional) {
            self.write(Addr::Field(object, *field), value);
            self.write(Addr::Given(object, *field), value);
        }
        for (name, value) in &args.keywords {
            self.write(Addr::Field(object, *name), value);
            self.write(Addr::Given(object, *name), value);
        }
        if let Some(symbol) = self.symbols.find("__post_init__") {
            let found = order.iter().find_map(|&c| self.own_attribute(frame, c, symbol));
            if let Some(method) = found {
                for callee in method.iter() {
                    let bound = self.tokens.intern(Token::Bound { func: callee, this: object });
                    self.call_token(frame, bound, &Args::default(), ExprId(u32::MAX), Via::Implicit);
                }
            }
        }
    }

    /// Keeps the arguments of a call to something external.
    pub fn write_arguments(&mut self, site: Site, args: &Args) {
        for (i, value) in args.positional.iter().enumerate() {
            self.write(Addr::Arg(site, i as u32), value);
        }
        for (name, value) in &args.keywords {
            self.write(Addr::Keyword(site, *name), value);
            let key = self.tokens.intern(Token::Str(*name));
            self.write(Addr::KeywordSpread(site), &Value::of(key));
        }
        if let Some(rest) = &args.rest {
            self.write(Addr::Spread(site), rest);
        }
        if args.other_keywords.is_some() {
            self.write(Addr::KeywordSpread(site), &Value::unknown());
        }
    }

    /// `super(...)` called like a function (JavaScript).
    pub fn call_super(
        &mut self,
        frame: &mut Frame<'p>,
        class: ClassRef,
        this: Tok,
        args: &Args,
        site: ExprId,
    ) -> Value {
        let symbol = self.symbols.intern("constructor");
        let found = self.member_after(frame, class, this, symbol, false, site);
        match found {
            Some(constructor) => {
                for callee in constructor.iter() {
                    self.call_token(frame, callee, args, site, Via::Call);
                }
            }
            None => {
                // A constructor from outside: its arguments are the settings of the object.
                if let Token::Object { site: made, .. } = *self.tokens.get(this) {
                    self.write_arguments(made, args);
                }
                self.hand_over(frame, args, site);
            }
        }
        Value::of(this)
    }
}
