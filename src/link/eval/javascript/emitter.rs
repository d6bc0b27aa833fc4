//! Emitters from outside: `on(name, handler)` keeps a handler, `emit(name)` calls it. Where nothing in the
//! program emits, the handler counts as called by whoever registers it.

use super::super::Frame;
use crate::ir::*;
use crate::link::eval::Args;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// `emitter.name(…)`; none if the name is not one of an emitter's.
    pub(super) fn emitter_method(
        &mut self,
        frame: &mut Frame<'p>,
        emitter: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        match name {
            "on"
            | "once"
            | "addListener"
            | "prependListener"
            | "prependOnceListener"
            | "addEventListener"
            | "subscribe" => {
                if args.positional.len() < 2 {
                    return None;
                }
                self.register(frame, emitter, args, site);
                Some(Value::of(emitter))
            }
            "emit" | "dispatchEvent" if !args.positional.is_empty() => {
                self.emit(frame, emitter, args, site);
                Some(Value::unknown())
            }
            _ => None,
        }
    }

    fn event(&mut self, kind: &str, event: Tok) -> Symbol {
        let text = match self.key_name(event) {
            Some(name) => format!("{kind} {}", self.symbols.text(name)),
            None => kind.to_string(),
        };
        self.symbols.intern(&text)
    }

    fn register(&mut self, frame: &mut Frame<'p>, emitter: Tok, args: &Args, site: ExprId) {
        let handlers = Self::at(args, 1);
        let mut emitted = Value::empty();
        for event in Self::at(args, 0).iter() {
            let kept = self.event("#on", event);
            self.write(Addr::Field(emitter, kept), &handlers);
            let any = self.symbols.intern("#on *");
            self.write(Addr::Field(emitter, any), &handlers);
            let flag = self.event("#emitted", event);
            emitted.join(&self.store.read(Addr::Field(emitter, flag), frame.comp));
        }
        emitted.join(&self.noted(frame, emitter, "#emitted"));
        if emitted.is_empty() && !self.waits() {
            let mut rest = args.clone();
            rest.positional.remove(0);
            self.hand_over(frame, &rest, site);
        }
    }

    fn emit(&mut self, frame: &mut Frame<'p>, emitter: Tok, args: &Args, site: ExprId) {
        let mut passed = args.clone();
        let events = passed.positional.remove(0);
        let mut handlers = self.noted(frame, emitter, "#on");
        for event in events.iter() {
            let flag = self.event("#emitted", event);
            self.write(Addr::Field(emitter, flag), &Value::of(Tok::TRUE));
            let kept =
                if self.key_name(event).is_some() { self.event("#on", event) } else { self.symbols.intern("#on *") };
            handlers.join(&self.store.read(Addr::Field(emitter, kept), frame.comp));
        }
        for handler in handlers.iter() {
            if !self.is_callable(handler) {
                continue;
            }
            let bound = self.bound_to(frame, Value::of(handler), emitter, site);
            for handler in bound.iter() {
                self.call_token(frame, handler, &passed, site, crate::link::component::Via::Handed);
            }
        }
    }
}
