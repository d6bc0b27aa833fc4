//! Comprehensions and JSX elements: what is built from parts evaluated in place.

use super::{Args, Frame};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// A comprehension, evaluated inline.
    pub fn comprehension(
        &mut self,
        frame: &mut Frame<'p>,
        id: ExprId,
        kind: CompKind,
        clauses: &[CompClause],
        element: ExprId,
        key: Option<ExprId>,
    ) -> Value {
        for clause in clauses {
            let iterated = self.eval(frame, clause.iter);
            let elements = self.iterate(frame, &iterated, clause.iter);
            self.bind(frame, clause.target, &elements, None);
            for &condition in &clause.conditions {
                self.eval(frame, condition);
            }
        }
        let kind = match kind {
            CompKind::List | CompKind::Generator => ContainerKind::List,
            CompKind::Set => ContainerKind::Set,
            CompKind::Dict => ContainerKind::Dict,
        };
        let token = self.tokens.intern(Token::Container { site: self.site(frame, id), kind });
        if let Some(key) = key {
            let key = self.eval(frame, key);
            self.write(Addr::Keys(token), &key);
        }
        let value = self.eval(frame, element);
        self.write(Addr::Element(token), &value);
        Value::of(token)
    }

    /// A JSX element: the component is called by whoever renders it, handlers are handed to it.
    pub fn element(
        &mut self,
        frame: &mut Frame<'p>,
        id: ExprId,
        component: Option<ExprId>,
        attributes: &[Entry],
        children: &[ExprId],
    ) -> Value {
        let site = self.site(frame, id);
        let props = self.tokens.intern(Token::Container { site, kind: ContainerKind::Dict });
        self.fill(frame, props, attributes);
        for &child in children {
            let value = self.eval(frame, child);
            let key = self.symbols.intern("children");
            self.set_key(props, key, &value);
        }
        self.flush(frame);
        match component {
            Some(component) => {
                let callee = self.eval(frame, component);
                let args = Args { positional: vec![Value::of(props)], ..Args::default() };
                for token in callee.iter() {
                    let made = self.call_token(frame, token, &args, id, Via::Call);
                    if let Token::Class { .. } = self.tokens.get(token) {
                        self.render(frame, &made, id);
                    }
                }
            }
            None => {
                let handlers = self.all_elements(frame, &Value::of(props));
                let args = Args { positional: vec![handlers], ..Args::default() };
                self.hand_over(frame, &args, id);
            }
        }
        Value::unknown()
    }
}
