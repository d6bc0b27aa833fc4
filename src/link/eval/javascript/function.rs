//! Functions as objects: `call`, `apply`, `bind`, and the `arguments` of a call.

use super::super::Frame;
use crate::ir::*;
use crate::link::component::Via;
use crate::link::eval::Args;
use crate::link::scripts::outside_arrows;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

/// The parameter that `arguments` counts as.
const ARGUMENTS: u32 = u32::MAX;

impl<'p> Solver<'p> {
    /// `function.call(…)`, `.apply(…)`, `.bind(…)`; none for other names.
    pub(super) fn function_call(
        &mut self,
        frame: &mut Frame<'p>,
        function: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let mut rest = args.clone();
        let this = if rest.positional.is_empty() { Value::of(Tok::NULL) } else { rest.positional.remove(0) };
        match name {
            "call" => Some(self.call_with_receiver(frame, &Value::of(function), &this, &rest, site)),
            "apply" => {
                let list = Self::at(&rest, 0);
                let passed = self.spread_list(frame, &list, site);
                Some(self.call_with_receiver(frame, &Value::of(function), &this, &passed, site))
            }
            "bind" => {
                let bound = self.with_receiver(function, &this);
                if rest.positional.is_empty() && rest.rest.is_none() {
                    return Some(bound);
                }
                let place = self.site(frame, site);
                self.write_arguments(place, &rest);
                Some(bound.iter().map(|func| self.tokens.intern(Token::Partial { site: place, func })).collect())
            }
            _ => None,
        }
    }

    /// A function with each of some receivers, if it looks at them.
    fn with_receiver(&mut self, function: Tok, this: &Value) -> Value {
        let mut function = function;
        // A function read from an object is bound to it here, but not in the program.
        if let Token::Bound { func, .. } = *self.tokens.get(function)
            && this.iter().any(|t| t != Tok::NULL)
        {
            function = func;
        }
        let mut at = function;
        while let Token::Wrapped { inner, .. } = *self.tokens.get(at) {
            at = inner;
        }
        let uses = match *self.tokens.get(at) {
            Token::Function { func, .. } => {
                self.function(func).kind != FunctionKind::Arrow
                    && self.index[func.file as usize].script.uses_this.contains(&func.id)
            }
            _ => false,
        };
        if !uses || this.is_empty() {
            return Value::of(function);
        }
        this.iter().map(|this| self.tokens.intern(Token::Bound { func: function, this })).collect()
    }

    /// Calls functions with a receiver that is given.
    pub(super) fn call_with_receiver(
        &mut self,
        frame: &mut Frame<'p>,
        functions: &Value,
        this: &Value,
        args: &Args,
        site: ExprId,
    ) -> Value {
        let mut result = Value::empty();
        for function in functions.iter() {
            // `Array.prototype.slice.call(list)`
            if let Some((base, name)) = self.borrowed(function) {
                for this in this.iter() {
                    let _ = base;
                    let method = self.member(this, name);
                    for method in method.iter() {
                        result.join(&self.call_token(frame, method, args, site, Via::Call));
                    }
                }
                continue;
            }
            for bound in self.with_receiver(function, this).iter() {
                result.join(&self.call_token(frame, bound, args, site, Via::Call));
            }
        }
        result
    }

    /// A method of the language that is taken from one object to be called on another.
    fn borrowed(&mut self, function: Tok) -> Option<(Tok, crate::link::symbols::Symbol)> {
        match *self.tokens.get(function) {
            Token::Member { base, name } if self.is_container(base) => Some((base, name)),
            Token::External(path) => {
                let text = self.symbols.text(path).strip_prefix("globals:")?;
                let name = text.split_once(".prototype.")?.1.to_string();
                Some((function, self.symbols.intern(&name)))
            }
            _ => None,
        }
    }

    /// A list as the arguments of a call.
    pub(super) fn spread_list(&mut self, frame: &mut Frame<'p>, list: &Value, site: ExprId) -> Args {
        let mut args = Args::default();
        self.spread(frame, list, site, &mut args);
        args
    }

    /// A name that no scope declares: `arguments`, or a global.
    pub(in crate::link::eval) fn free_name(
        &mut self,
        frame: &Frame<'p>,
        text: &str,
        name: crate::link::symbols::Symbol,
    ) -> Value {
        match text {
            "arguments" => self.arguments_object(frame),
            "window" | "global" | "self" => Value::of(self.global_object()),
            _ => {
                let written = self.global_written(frame, name);
                if written.is_empty() { self.external(&format!("globals:{text}")) } else { written }
            }
        }
    }

    /// `arguments`
    pub(super) fn arguments_object(&mut self, frame: &Frame<'p>) -> Value {
        let owner = outside_arrows(frame.ir, frame.func);
        match self.owner(frame.comp, frame.file, owner) {
            Some(comp) => {
                Value::of(self.tokens.intern(Token::Rest { comp, param: ARGUMENTS, kind: ContainerKind::Tuple }))
            }
            None => Value::unknown(),
        }
    }

    /// Keeps what a function is called with for its `arguments`.
    pub(in crate::link::eval) fn write_arguments_object(&mut self, comp: CompId, func: FuncRef, args: &Args) {
        if !self.index[func.file as usize].script.uses_arguments.contains(&func.id) {
            return;
        }
        let all = self.tokens.intern(Token::Rest { comp, param: ARGUMENTS, kind: ContainerKind::Tuple });
        for (i, value) in args.positional.iter().enumerate() {
            let key = self.symbols.intern(&i.to_string());
            self.set_key(all, key, value);
        }
        if let Some(rest) = &args.rest {
            self.write(Addr::Element(all), rest);
        }
    }
}
