//! What the languages themselves provide: containers' methods, Python's builtin functions, function
//! objects' methods. No packages: those are the catalogue's.

mod containers;
mod functions;
mod made;
mod python;
mod standard;

use super::{Args, Frame};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

/// The field in which a `defaultdict` keeps what makes its values.
pub(super) const FACTORY: &str = "#factory";

/// A second place at an expression, for what is made beside its value.
pub(super) fn beside(site: ExprId) -> ExprId {
    ExprId((u32::MAX / 2).wrapping_sub(site.0))
}

impl<'p> Solver<'p> {
    /// Calls a builtin; none if the token is none.
    pub fn call_builtin(&mut self, frame: &mut Frame<'p>, callee: Tok, args: &Args, site: ExprId) -> Option<Value> {
        if frame.is_javascript() {
            return self.call_language(frame, callee, args, site, Via::Call);
        }
        let rust = frame.ir.language == Language::Rust;
        match *self.tokens.get(callee) {
            Token::External(path) => {
                let path = self.symbols.shared(path);
                if rust {
                    return self.rust_function(frame, &path, args, site);
                }
                match path.strip_prefix("builtins.") {
                    Some(name) => self.python_builtin(frame, name, args, site),
                    None => self.standard_function(frame, &path, args, site),
                }
            }
            Token::Member { base, name } => {
                let name = self.symbols.shared(name);
                if rust {
                    return self.rust_method(frame, base, &name, args, site);
                }
                self.builtin_method(frame, base, &name, args, site)
            }
            Token::Made { site: made, callee } if !rust => self.call_made(frame, callee, made, args, site),
            _ => None,
        }
    }

    fn first(args: &Args) -> Value {
        args.positional.first().cloned().unwrap_or_default()
    }

    fn keyword(&self, args: &Args, name: &str) -> Option<Value> {
        let symbol = self.symbols.find(name)?;
        args.keywords.iter().find(|(n, _)| *n == symbol).map(|(_, v)| v.clone())
    }

    fn call_all(&mut self, frame: &mut Frame<'p>, callees: &Value, args: &Args, site: ExprId) -> Value {
        let mut result = Value::empty();
        for callee in callees.iter() {
            if self.is_callable(callee) || matches!(self.tokens.get(callee), Token::Object { .. }) {
                result.join(&self.call_token(frame, callee, args, site, Via::Handed));
            }
        }
        result
    }

    /// A tuple beside the container that a call makes, with these elements.
    fn pair(&mut self, frame: &Frame<'p>, site: ExprId, elements: &[Value]) -> Tok {
        let pair = self.tokens.intern(Token::Container {
            site: Site { comp: frame.comp, expr: beside(site) },
            kind: ContainerKind::Tuple,
        });
        for (i, value) in elements.iter().enumerate() {
            let key = self.symbols.number(i);
            self.set_key(pair, key, value);
        }
        pair
    }

    /// Whether a token is one of some things outside.
    pub(super) fn is_path(&self, token: Tok, paths: &[&str]) -> bool {
        matches!(*self.tokens.get(token), Token::External(path) if paths.contains(&self.symbols.text(path)))
    }

    /// A new container at a call, holding some elements.
    fn new_container(&mut self, frame: &Frame<'p>, site: ExprId, kind: ContainerKind, elements: &Value) -> Value {
        let token = self.tokens.intern(Token::Container { site: self.site(frame, site), kind });
        self.write(Addr::Element(token), elements);
        Value::of(token)
    }
}
