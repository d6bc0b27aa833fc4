//! Values computed outside of the running code: read from the environment, converted, calculated.

use super::machine::Machine;
use super::state::State;
use super::val::Val;
use crate::ir::*;
use crate::link::store::Addr;
use crate::link::token::*;

impl Machine<'_, '_, '_> {
    /// The value of something that was computed outside of the running code: a number read from the
    /// environment, a conversion, arithmetic on these.
    pub fn settle(&mut self, value: Val) -> Val {
        if let Val::Many(list) = &value {
            return self.settle_many(list).unwrap_or(value);
        }
        let Val::Tok(tok) = value else { return value };
        if self.settling > 12 {
            return value;
        }
        match self.settled_once(tok) {
            // A conversion of nothing fails.
            Some(Val::Null) if self.converts(tok) => Val::Unknown,
            Some(settled) => settled,
            None => value,
        }
    }

    /// One of several values, some of which were computed outside of the running code: what nothing was given for
    /// is left out, and of several numbers the worst counts.
    fn settle_many(&mut self, list: &Value) -> Option<Val> {
        if self.settling > 12
            || !list
                .iter()
                .any(|t| matches!(self.view.token(t), Token::Made { .. } | Token::Combined { .. }) || self.is_absent(t))
        {
            return None;
        }
        let mut found: Vec<Val> = Vec::new();
        for tok in list.iter() {
            if self.is_absent(tok) {
                continue;
            }
            match self.settled_once(tok).unwrap_or_else(|| self.view.val(&Value::of(tok))) {
                Val::Null => {}
                Val::Tok(tok) if self.view.solver.is_environment(tok) => {}
                value if found.contains(&value) => {}
                value => found.push(value),
            }
        }
        if found.len() == 1 {
            return found.pop();
        }
        let numbers: Option<Vec<f64>> = found.iter().map(Val::as_exact).collect();
        let worst = numbers?.into_iter().reduce(f64::max)?;
        Some(Val::num(worst))
    }

    /// Whether a token says no more than that an object of the program may have a property that nothing gives it, or
    /// that the environment may have a value.
    fn is_absent(&self, tok: Tok) -> bool {
        match *self.view.token(tok) {
            Token::Member { base, .. } => matches!(
                self.view.token(base),
                Token::Container { kind: ContainerKind::Dict, .. } | Token::Rest { kind: ContainerKind::Dict, .. }
            ),
            _ => self.view.solver.is_environment(tok),
        }
    }

    fn converts(&self, tok: Tok) -> bool {
        let Token::Made { callee, .. } = *self.view.token(tok) else { return false };
        matches!(&*self.view.path(callee), "builtins.int" | "builtins.float")
    }

    /// What a token settles to, worked out once for the outermost: values that are made of one another (a schema of
    /// schemas) name the same tokens again and again.
    fn settled_once(&mut self, tok: Tok) -> Option<Val> {
        if let Some(done) = self.settled.get(&tok) {
            return done.clone();
        }
        self.settled.insert(tok, None);
        self.settling += 1;
        let settled = self.settled(tok);
        self.settling -= 1;
        if self.settling == 0 {
            self.settled.clear();
        } else {
            self.settled.insert(tok, settled.clone());
        }
        settled
    }

    fn settled(&mut self, tok: Tok) -> Option<Val> {
        let store = &self.view.solver.store;
        match *self.view.token(tok) {
            Token::Made { callee, site } => {
                if let Token::External(symbol) = *self.view.token(callee) {
                    let path = self.view.text(symbol);
                    let mut args = Vec::new();
                    while let Some(arg) = store.get(Addr::Arg(site, args.len() as u32)) {
                        args.push(self.view.val(arg));
                    }
                    let args: Vec<Val> = args.into_iter().map(|a| self.settle(a)).collect();
                    if args.first() == Some(&Val::Null) && self.converts(tok) {
                        return Some(Val::Null);
                    }
                    let language = crate::link::modules::language_of_path(path);
                    if let Some(value) = self.native(language, path, &args) {
                        return Some(value);
                    }
                }
                if let Token::Member { base, name } = *self.view.token(callee)
                    && self.view.file(site.comp).language == Language::Rust
                    && self.view.known(callee).is_none()
                {
                    return self.settled_method(base, self.view.text(name), site);
                }
                let known = self.view.known(callee)?;
                let formula = known.callable.value.as_ref()?;
                let scope = self.scope_of(callee, Some(tok));
                let value = self.formula(formula, &scope)?;
                (value != Val::Unknown).then_some(value)
            }
            Token::Member { base, name } => {
                // An attribute that the catalogue gives a value: the number of the attempt.
                let Some(known) = self.view.known(tok) else { return self.member_value(base, self.view.text(name)) };
                let formula = known.callable.value.as_ref()?;
                let mut scope = self.scope_of(tok, None);
                scope.n = self.attempt;
                self.formula(formula, &scope)
            }
            Token::Combined { site } => {
                let file = self.view.file(site.comp);
                let ExprKind::Binary(op, ..) = file.exprs.get(site.expr.index())?.kind else { return None };
                let left = store.get(Addr::Arg(site, 0)).map(|v| self.view.val(v))?;
                let right = store.get(Addr::Arg(site, 1)).map(|v| self.view.val(v))?;
                let (left, right) = (self.settle(left), self.settle(right));
                let value = self.binary(op, &left, &right);
                matches!(value, Val::Num(_)).then_some(value)
            }
            Token::Container { site, kind: ContainerKind::List | ContainerKind::Tuple } => {
                // A list that was computed: its elements are worked out again.
                store.get(Addr::Element(tok))?;
                let site = site.of_source();
                match &self.view.file(site.comp).exprs.get(site.expr.index())?.kind {
                    ExprKind::Comprehension { .. } | ExprKind::Call { .. } => self.computed(site),
                    // `[0, ...Array.from(…)]`
                    ExprKind::Seq(_, args) if args.iter().any(|a| matches!(a, Arg::Spread(_))) => self.computed(site),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A property of what was parsed by a schema: its default stands for it.
    fn member_value(&mut self, base: Tok, name: &str) -> Option<Val> {
        let Token::Made { callee, .. } = *self.view.token(base) else { return None };
        let known = self.view.known(callee)?;
        let (of, setting) = (known.callable.members_of.as_ref()?, known.callable.member_value.as_ref()?);
        let scope = self.scope_of(callee, Some(base));
        let objects = match self.formula(of, &scope)? {
            Val::List(objects) => (*objects).clone(),
            object => vec![object],
        };
        let value = objects.iter().find_map(|object| {
            let member = self.formula_field(object, name, &scope)?;
            self.formula_field(&member, setting, &scope)
        })?;
        // A number stands in for what is not set; a switch or a name may be any.
        match self.settle(value) {
            value @ Val::Num(_) => Some(value),
            Val::Text(text) if text.parse::<f64>().is_ok() => Some(Val::Text(text)),
            _ => None,
        }
    }

    /// A method of something computed outside of the running code (`env::var(…).ok()`).
    fn settled_method(&mut self, base: Tok, name: &str, site: Site) -> Option<Val> {
        let on = self.settle(Val::Tok(base));
        if let Val::Tok(_) | Val::Many(_) | Val::Unknown = on {
            return None;
        }
        let store = &self.view.solver.store;
        let mut given = super::calls::Given::default();
        while let Some(arg) = store.get(Addr::Arg(site, given.positional.len() as u32)) {
            given.positional.push(self.view.val(arg));
        }
        if on == Val::Null && name == "parse" {
            return Some(Val::Null);
        }
        if let Some(value) = self.native_method(Language::Rust, &on, name, &given.positional) {
            return (value != Val::Unknown).then_some(value);
        }
        let (mut out, mut exits) = (Vec::new(), super::state::Exits::default());
        let state = State::at(site.comp, self.now);
        let key = self.plan.key.take();
        let done = self.outcome_call(site.expr, &on, name, &given, state, &mut out, &mut exits);
        self.plan.key = key;
        let value = out.pop().filter(|_| done.is_none() && out.is_empty())?.1;
        (value != Val::Unknown).then_some(value)
    }

    /// The value of an expression outside of the running code.
    fn computed(&mut self, site: Site) -> Option<Val> {
        let state = State::at(site.comp, self.now);
        let key = self.plan.key.take();
        let mut exits = super::state::Exits::default();
        let mut results = self.eval(site.expr, state, &mut exits);
        self.plan.key = key;
        match (results.pop(), results.is_empty()) {
            (Some((_, value @ (Val::List(_) | Val::Range(..)))), true) => Some(value),
            _ => None,
        }
    }
}
