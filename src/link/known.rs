//! What the catalogue says about a token.

use super::solver::Solver;
use super::token::{Tok, Token};
use crate::catalogue::schema::{Callable, Class, Library};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

/// Chains of calls on external objects are followed so far.
const STEPS: u32 = 64;

/// A catalogue entry that a call hits.
#[derive(Clone, Copy)]
pub struct Known<'c> {
    /// Its library.
    pub library: &'c Library,
    /// What calling it does.
    pub callable: &'c Callable,
    /// The class that it constructs or belongs to.
    pub class: Option<&'c Class>,
    /// Whether it is the class's constructor.
    pub is_constructor: bool,
}

/// What was asked before. An answer for which something was missing that may still come up is asked for again.
#[derive(Default)]
pub struct Said<'c> {
    callees: RefCell<FxHashMap<Tok, Option<Known<'c>>>>,
    classes: RefCell<FxHashMap<Tok, Option<(&'c Library, &'c Class)>>>,
    provisional: Cell<bool>,
}

impl<'p> Solver<'p> {
    /// The catalogue entry for calling this token.
    pub fn known(&self, callee: Tok) -> Option<Known<'p>> {
        let mut steps = STEPS;
        self.known_within(callee, &mut steps)
    }

    /// Remembers an answer that can not become another one later.
    fn remember<T: Copy>(
        &self,
        answers: &RefCell<FxHashMap<Tok, Option<T>>>,
        token: Tok,
        steps: &mut u32,
        find: impl FnOnce(&mut u32) -> Option<T>,
    ) -> Option<T> {
        if let Some(answer) = answers.borrow().get(&token) {
            return *answer;
        }
        let before = self.said.provisional.replace(false);
        let found = find(steps);
        let provisional = self.said.provisional.get() && !self.is_done;
        // Asked for by itself it may be found in the steps there are.
        if !provisional && *steps > 0 {
            answers.borrow_mut().insert(token, found);
        }
        self.said.provisional.set(before || self.said.provisional.get());
        found
    }

    fn known_within(&self, callee: Tok, steps: &mut u32) -> Option<Known<'p>> {
        *steps = steps.checked_sub(1)?;
        match *self.tokens.get(callee) {
            Token::External(path) => {
                if let Some(found) = self.known_paths.borrow().get(&path) {
                    return *found;
                }
                let found = self.known_path(self.symbols.text(path));
                self.known_paths.borrow_mut().insert(path, found);
                found
            }
            Token::Member { .. } => self.remember(&self.said.callees, callee, steps, |steps| {
                let root = self.member_root(callee);
                let (library, class) = self.known_class_within(root, steps)?;
                let (_, path) = self.member_path(callee);
                let (_, _, method) = self.catalogue.method(class_name(class), &path)?;
                Some(Known { library, callable: &method.callable, class: Some(class), is_constructor: false })
            }),
            Token::Made { .. } | Token::Object { .. } | Token::Instance { .. } => {
                let (library, class) = self.known_class_within(callee, steps)?;
                let (_, _, method) = self.catalogue.method(class_name(class), "__call__")?;
                Some(Known { library, callable: &method.callable, class: Some(class), is_constructor: false })
            }
            _ => None,
        }
    }

    /// The object that an attribute path starts from.
    fn member_root(&self, token: Tok) -> Tok {
        let mut at = token;
        while let Token::Member { base, .. } = *self.tokens.get(at) {
            at = base;
        }
        at
    }

    fn known_path(&self, path: &str) -> Option<Known<'p>> {
        self.known_exactly(path).or_else(|| interchangeable(path).and_then(|other| self.known_exactly(&other)))
    }

    fn known_exactly(&self, path: &str) -> Option<Known<'p>> {
        if let Some((library, function)) = self.catalogue.function(path) {
            return Some(Known { library, callable: &function.callable, class: None, is_constructor: false });
        }
        if let Some((library, class)) = self.catalogue.class(path) {
            return Some(Known { library, callable: &class.new, class: Some(class), is_constructor: true });
        }
        // A ready-made object that is called itself.
        if let Some((_, class)) = self.object_at(path)
            && let Some((library, _, method)) = self.catalogue.method(class_name(class), "__call__")
        {
            return Some(Known { library, callable: &method.callable, class: Some(class), is_constructor: false });
        }
        // A function below a class or module object: the longest class path in front decides.
        for separator in ["::", "."] {
            let mut end = path.len();
            while let Some(at) = path[..end].rfind(separator) {
                if let Some((library, class)) =
                    self.catalogue.class(&path[..at]).or_else(|| self.object_at(&path[..at]))
                {
                    let (_, _, method) = self.catalogue.method(class_name(class), &path[at + separator.len()..])?;
                    return Some(Known {
                        library,
                        callable: &method.callable,
                        class: Some(class),
                        is_constructor: false,
                    });
                }
                end = at;
            }
        }
        None
    }

    /// Walks an attribute path down to the object it starts from.
    pub fn member_path(&self, token: Tok) -> (Tok, String) {
        let mut names = Vec::new();
        let mut at = token;
        while let Token::Member { base, name } = *self.tokens.get(at) {
            names.push(self.symbols.text(name));
            at = base;
        }
        names.reverse();
        (at, names.join("."))
    }

    /// The catalogue class of an external object.
    pub fn known_class(&self, token: Tok) -> Option<(&'p Library, &'p Class)> {
        let mut steps = STEPS;
        self.known_class_within(token, &mut steps)
    }

    fn known_class_within(&self, token: Tok, steps: &mut u32) -> Option<(&'p Library, &'p Class)> {
        match self.tokens.get(token) {
            Token::Made { .. } | Token::Wrapped { .. } | Token::Member { .. } | Token::External(_) => {
                self.remember(&self.said.classes, token, steps, |steps| self.find_class(token, steps))
            }
            _ => self.find_class(token, steps),
        }
    }

    fn find_class(&self, token: Tok, steps: &mut u32) -> Option<(&'p Library, &'p Class)> {
        let mut at = token;
        loop {
            *steps = steps.checked_sub(1)?;
            match *self.tokens.get(at) {
                Token::Made { callee, .. } => {
                    let known = self.known_within(callee, steps)?;
                    if known.is_constructor {
                        return known.class.map(|c| (known.library, c));
                    }
                    match known.callable.returns.as_deref() {
                        None if known.callable.derives => at = self.receiver(callee)?,
                        None => return None,
                        Some("self") => at = self.receiver(callee)?,
                        Some(name) => return self.catalogue.class(name),
                    }
                }
                Token::Wrapped { by, inner, .. } => {
                    let known = match *self.tokens.get(by) {
                        Token::Made { callee, .. } => {
                            self.known_within(callee, steps).or_else(|| self.known_within(by, steps))
                        }
                        _ => self.known_within(by, steps),
                    }?;
                    if known.is_constructor && known.callable.returns.is_none() {
                        // An object that decorates stands for what it decorates.
                        return known.class.map(|c| (known.library, c));
                    }
                    // A layer around an object's calls leaves it what it is.
                    match known.callable.returns.as_deref()? {
                        "self" => at = inner,
                        name => return self.catalogue.class(name),
                    }
                }
                Token::Member { base, name } => {
                    let (_, class) = self.known_class_within(base, steps)?;
                    return self.catalogue.class(class.fields.get(self.symbols.text(name))?);
                }
                Token::Object { class, .. } | Token::Instance { class } => at = class,
                Token::Class { .. } => {
                    // Bases may still come in.
                    self.said.provisional.set(true);
                    at = self.external_base(at)?;
                }
                Token::External(path) => return self.class_at(self.symbols.text(path)),
                Token::Bound { func, .. } => at = func,
                _ => return None,
            }
        }
    }

    /// How many wrappers, bindings and partial applications are around a callable.
    pub fn wrappers(&self, token: Tok) -> usize {
        let mut at = token;
        let mut count = 0;
        while let Token::Wrapped { inner: next, .. }
        | Token::Partial { func: next, .. }
        | Token::Bound { func: next, .. } = *self.tokens.get(at)
        {
            at = next;
            count += 1;
        }
        count
    }

    /// The class with this path, however its module was imported.
    fn class_at(&self, path: &str) -> Option<(&'p Library, &'p Class)> {
        let exactly = |path: &str| self.catalogue.class(path).or_else(|| self.object_at(path));
        exactly(path).or_else(|| exactly(&interchangeable(path)?))
    }

    /// The class of the ready-made object with this path (`ky`, `axios`).
    fn object_at(&self, path: &str) -> Option<(&'p Library, &'p Class)> {
        let (_, value) = self.catalogue.value(path)?;
        self.catalogue.class(value.class.as_deref()?)
    }

    /// The object that a member call is made on.
    pub fn receiver(&self, callee: Tok) -> Option<Tok> {
        match *self.tokens.get(callee) {
            Token::Member { .. } => {
                let root = self.member_path(callee).0;
                match *self.tokens.get(root) {
                    // A method that a trait of another crate gives to the value.
                    Token::Bound { func, this } if matches!(self.tokens.get(func), Token::External(_)) => Some(this),
                    _ => Some(root),
                }
            }
            Token::External(path) => {
                let text = self.symbols.text(path);
                // A name that a module of JavaScript exports is a member of its default export, too.
                let export = || Some((text.rsplit_once(':').filter(|(m, _)| !m.ends_with(':'))?.0, ""));
                let mut inside = text.rsplit_once("::").or_else(|| match text.rsplit_once('.') {
                    Some((parent, name)) if !name.contains([':', '/']) => Some((parent, name)),
                    _ => None,
                });
                // A method that is reached through properties is one of the object that the library exports.
                let exported = |path: &str| self.catalogue.value(path).is_some();
                let mut outer = inside.map(|(parent, _)| parent).filter(|parent| !exported(parent));
                while let Some((parent, name)) = outer.and_then(|o| o.rsplit_once('.')) {
                    if name.contains([':', '/']) {
                        break;
                    }
                    if exported(parent) {
                        inside = Some((parent, ""));
                        break;
                    }
                    outer = Some(parent);
                }
                let external = |path: &str| {
                    let found = self.symbols.find(path).and_then(|s| self.tokens.find(&Token::External(s)));
                    if found.is_none() {
                        // It may still come up.
                        self.said.provisional.set(true);
                    }
                    found
                };
                match inside {
                    Some((parent, _)) => external(parent),
                    None => {
                        let (module, _) = export()?;
                        external(&format!("{module}:default")).or_else(|| external(&format!("{module}:")))
                    }
                }
            }
            _ => Some(callee),
        }
    }
}

/// JavaScript modules are imported as a whole, by their default export or by name, and bundlers make one of
/// the other: `m:default.x` may be meant by `m:x`, and the other way round; `m:` is `m:default`.
fn interchangeable(path: &str) -> Option<String> {
    let (module, name) = path.rsplit_once(':').filter(|(module, _)| !module.is_empty() && !module.ends_with(':'))?;
    if module == "globals" {
        return None;
    }
    match name.strip_prefix("default.") {
        Some(rest) => Some(format!("{module}:{rest}")),
        None if name.is_empty() => Some(format!("{module}:default")),
        None if name == "default" => None,
        None => Some(format!("{module}:default.{name}")),
    }
}

/// The name by which the catalogue finds a class.
fn class_name(class: &Class) -> &str {
    class.path.first().map_or("", String::as_str)
}
