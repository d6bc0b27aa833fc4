//! Calling what a call to the standard library made: named tuples, getters, references.

use crate::ir::*;
use crate::link::eval::{Args, Frame};
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Calls the result of `callee`, made at `made`; none if that is nothing special.
    pub(super) fn call_made(
        &mut self,
        frame: &mut Frame<'p>,
        callee: Tok,
        made: Site,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let Token::External(path) = *self.tokens.get(callee) else { return None };
        let path = self.symbols.shared(path);
        let first = Self::first(args);
        Some(match &*path {
            "collections.namedtuple" => self.named_tuple(frame, made, args, site),
            "operator.attrgetter" => self.by_path(frame, made, &first, site),
            "operator.itemgetter" => {
                let key = self.store.read(Addr::Arg(made, 0), frame.comp);
                self.index(frame, &first, &key, site)
            }
            "operator.methodcaller" => {
                let method = self.by_path(frame, made, &first, site);
                let mut rest = Args::default();
                let mut at = 1;
                loop {
                    let value = self.store.read(Addr::Arg(made, at), frame.comp);
                    if value.is_empty() {
                        break;
                    }
                    rest.positional.push(value);
                    at += 1;
                }
                self.call_all(frame, &method, &rest, site)
            }
            "weakref.ref" | "weakref.proxy" | "weakref.WeakMethod" => self.store.read(Addr::Arg(made, 0), frame.comp),
            _ => return None,
        })
    }

    /// The attribute that the first argument of a call names, dots included.
    fn by_path(&mut self, frame: &mut Frame<'p>, made: Site, object: &Value, site: ExprId) -> Value {
        let name = self.store.read(Addr::Arg(made, 0), frame.comp);
        let Some(Token::Str(path)) = name.single().map(|t| *self.tokens.get(t)) else { return self.not_found() };
        let path = self.symbols.text(path).to_string();
        let mut value = object.clone();
        for name in path.split('.') {
            let name = self.symbols.intern(name);
            value = self.attribute(frame, &value, name, site);
        }
        value
    }

    /// An instance of a named tuple: its fields by name and by position.
    fn named_tuple(&mut self, frame: &mut Frame<'p>, made: Site, args: &Args, site: ExprId) -> Value {
        let names = self.field_names(frame, made);
        let place = self.site(frame, site);
        let token = self.tokens.intern(Token::Container { site: place, kind: ContainerKind::Tuple });
        for (i, name) in names.iter().enumerate() {
            let by_name = args.keywords.iter().find(|(n, _)| n == name).map(|(_, v)| v);
            let Some(value) = args.positional.get(i).or(by_name).or(args.rest.as_ref()) else { continue };
            let key = self.symbols.number(i);
            self.set_key(token, key, value);
            self.write(Addr::Field(token, *name), value);
        }
        Value::of(token)
    }

    fn field_names(&mut self, frame: &mut Frame<'p>, made: Site) -> Vec<Symbol> {
        let names = self.store.read(Addr::Arg(made, 1), frame.comp);
        let mut list = Vec::new();
        for token in names.iter() {
            match *self.tokens.get(token) {
                Token::Str(text) => {
                    let text = self.symbols.text(text).replace(',', " ");
                    list.extend(text.split_whitespace().map(|name| self.symbols.intern(name)));
                }
                _ if self.is_container(token) => {
                    for i in 0..64 {
                        let element = self.element_at(frame, &Value::of(token), i);
                        let Some(Token::Str(name)) = element.single().map(|t| *self.tokens.get(t)) else { break };
                        list.push(name);
                    }
                }
                _ => {}
            }
        }
        list
    }
}
