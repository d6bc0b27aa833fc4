//! Clients that no catalogue file lists, recognised by how they are made: families of generated SDKs.

use super::{Args, Frame};
use crate::catalogue::schema::Shape;
use crate::catalogue::{FAMILY, fits};
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// What a call of something unlisted is in the words of a family of clients that are made alike: the class or
    /// method itself, by a path that begins with the family's name: `stainless~acme.Acme`, `fern~acme.Acme().calls.create`.
    pub(super) fn as_family(&mut self, frame: &Frame<'p>, callee: Tok, args: &Args, site: ExprId) -> Option<Tok> {
        let catalogue = self.catalogue;
        let language = frame.ir.language;
        let rust = language == Language::Rust;
        if !rust && args.positional.is_empty() && args.keywords.is_empty() {
            return None;
        }
        let (root, method) = match *self.tokens.get(callee) {
            Token::External(path) => (path, None),
            Token::Member { .. } => {
                let (object, method) = self.member_path(callee);
                let Token::Made { callee, .. } = *self.tokens.get(object) else { return None };
                let maker = if rust { self.first_maker(callee) } else { callee };
                let Token::External(path) = *self.tokens.get(maker) else { return None };
                (path, Some(method))
            }
            _ => return None,
        };
        let path = self.symbols.text(root).to_string();
        if method.is_none() && !rust && !is_class(frame, &path, site) {
            return None;
        }
        let name = method.as_deref().unwrap_or_else(|| last_name(&path));
        let of = match method {
            Some(_) => "method",
            None if rust => "function",
            None => "class",
        };
        let mut families = catalogue.families(language);
        let (family, _) = families.find(|(family, library)| {
            let shapes = library.shapes.iter().filter(|shape| shape.of == of);
            let params = || catalogue.class(&format!("{family}{path}")).map_or(&[][..], |c| &c.1.new.params);
            shapes.into_iter().any(|shape| match of {
                // By its path, or by what it is handed: settings that the family made.
                "function" => shape.names.iter().any(|pattern| match pattern.contains("::") {
                    true => fits(pattern, &path),
                    false => fits(pattern, name) && self.is_handed(args, family),
                }),
                _ => self.has_shape(frame, shape, name, args, params),
            })
        })?;
        let module = match rust {
            true => path.split("::").next().unwrap_or(&path),
            false => path.rsplit_once(':').map_or(path.as_str(), |p| p.0),
        };
        let is_package = match rust {
            // What is outside is a crate, but for the language's own.
            true => !matches!(module, "crate" | "self" | "super" | "std" | "core" | "alloc") && module != path,
            false => self.modules.is_package(language, &path),
        };
        if path.contains(FAMILY) || catalogue.knows(language, module) || !is_package {
            return None;
        }
        let method = method.map(|m| format!("().{m}")).unwrap_or_default();
        let symbol = self.symbols.intern(&format!("{family}{path}{method}"));
        Some(self.tokens.intern(Token::External(symbol)))
    }

    /// Of a builder's steps (`Config::builder().endpoint_url(…)`), what made the builder.
    fn first_maker(&self, callee: Tok) -> Tok {
        let mut at = callee;
        for _ in 0..16 {
            let Token::Member { .. } = *self.tokens.get(at) else { break };
            let (object, _) = self.member_path(at);
            let Token::Made { callee, .. } = *self.tokens.get(object) else { break };
            at = callee;
        }
        at
    }

    /// Whether an argument is an object of a family's class.
    fn is_handed(&self, args: &Args, family: &str) -> bool {
        let mut all = args.positional.iter().flat_map(|value| value.iter());
        all.any(|token| {
            let class = self.known_class(token).and_then(|(_, class)| class.path.first());
            class.is_some_and(|path| path.starts_with(family))
        })
    }

    /// Whether a call's name and arguments are those of a shape.
    fn has_shape<'c>(
        &mut self,
        frame: &Frame<'p>,
        shape: &Shape,
        name: &str,
        args: &Args,
        params: impl Fn() -> &'c [String],
    ) -> bool {
        (shape.names.is_empty() || shape.names.iter().any(|pattern| fits(pattern, name)))
            && (shape.given.is_empty() || shape.given.iter().any(|path| self.is_given(frame, args, path, &params)))
    }

    /// Whether a setting is among the arguments: by name, by position, or in an object of options.
    fn is_given<'c>(&mut self, frame: &Frame<'p>, args: &Args, path: &str, params: &impl Fn() -> &'c [String]) -> bool {
        let mut names = path.split('.');
        let Some(first) = names.next() else { return false };
        let symbol = self.symbols.find(first);
        let mut value = Value::empty();
        for (_, given) in args.keywords.iter().filter(|(name, _)| Some(*name) == symbol) {
            value.join(given);
        }
        if value.is_empty()
            && !args.positional.is_empty()
            && let Some(given) = params().iter().position(|p| p == first).and_then(|at| args.positional.get(at))
        {
            value.join(given);
        }
        if frame.is_javascript() {
            for options in &args.positional {
                value.join(&self.settings(frame, options, first));
            }
        }
        for name in names {
            value = self.settings(frame, &value, name);
        }
        !value.is_empty()
    }

    /// What objects hold under a name: dictionaries, and objects that were made with it.
    pub(super) fn settings(&mut self, frame: &Frame<'p>, objects: &Value, name: &str) -> Value {
        let mut found = Value::empty();
        let symbol = self.symbols.find(name);
        for object in objects.iter() {
            let made = match *self.tokens.get(object) {
                Token::Made { site, callee } => Some((site, callee)),
                _ if self.is_container(object) => None,
                _ => continue,
            };
            if let Some(symbol) = symbol {
                found.join(&self.store.read(Addr::Field(object, symbol), frame.comp));
            }
            let Some((site, callee)) = made else { continue };
            if let Some(symbol) = symbol {
                found.join(&self.store.read(Addr::Keyword(site, symbol), frame.comp));
            }
            let Some(known) = self.known(callee) else { continue };
            match known.callable.params.iter().position(|p| p == name) {
                Some(at) => found.join(&self.store.read(Addr::Arg(site, at as u32), frame.comp)),
                None => found.join(&self.option(frame, site, known.callable, name)),
            };
        }
        found
    }
}

/// Whether calling this path makes an object: `new`, or a name that begins like a class's.
fn is_class(frame: &Frame, path: &str, site: ExprId) -> bool {
    if !frame.is_javascript() {
        return last_name(path).starts_with(|c: char| c.is_uppercase());
    }
    let expr = frame.ir.exprs.get(site.index());
    expr.is_some_and(|e| matches!(e.kind, ExprKind::Call { kind: CallKind::New, .. }))
}

fn last_name(path: &str) -> &str {
    path.rsplit([':', '.']).next().unwrap_or(path)
}
