//! Expressions.

use super::flow::Test;
use super::{Args, Frame};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Where a value is made by an expression of this execution.
    pub fn site(&self, frame: &Frame<'p>, expr: ExprId) -> Site {
        Site { comp: frame.comp, expr }
    }

    /// The value of an expression.
    pub fn eval(&mut self, frame: &mut Frame<'p>, id: ExprId) -> Value {
        if self.level >= self.deepest {
            self.too_deep = true;
            return Value::unknown();
        }
        self.level += 1;
        let value = self.eval_kind(frame, id);
        self.level -= 1;
        value
    }

    fn eval_kind(&mut self, frame: &mut Frame<'p>, id: ExprId) -> Value {
        let expr = frame.ir.expr(id);
        if frame.ir.language == Language::Rust
            && matches!(expr.kind, ExprKind::Var(_) | ExprKind::Free(_) | ExprKind::Attr { .. })
        {
            let value = self.rust_path(frame, id);
            return self.unit_values(frame, value, id);
        }
        match &expr.kind {
            ExprKind::Unknown(parts) => {
                for &part in parts {
                    self.eval(frame, part);
                }
                Value::unknown()
            }
            ExprKind::Var(var) => self.read_var(frame, *var),
            ExprKind::Free(name) => self.free(frame, *name),
            ExprKind::This => self.this_value(frame),
            ExprKind::Super(class) => {
                let class = ClassRef { file: frame.file, id: *class };
                let this = self.this_value(frame);
                let this = if this.is_empty() { Value::unknown() } else { this };
                this.iter().map(|this| self.tokens.intern(Token::Super { class, this })).collect()
            }
            ExprKind::Literal(literal) => self.literal(frame, literal),
            ExprKind::Template(parts) => self.template(frame, parts),
            ExprKind::Attr { object, name, .. } => {
                let object = self.eval(frame, *object);
                let name = self.symbol(frame.file, *name);
                self.attribute(frame, &object, name, id)
            }
            ExprKind::Index { object, index } => {
                let object = self.eval(frame, *object);
                let index = self.eval(frame, *index);
                self.index(frame, &object, &index, id)
            }
            ExprKind::Slice { object, bounds } => {
                let object = self.eval(frame, *object);
                self.slice(frame, id, &object, bounds)
            }
            ExprKind::Call { callee, args, kind, .. } => self.call(frame, id, *callee, args, *kind),
            ExprKind::Struct { path, entries } => self.struct_literal(frame, id, *path, entries),
            ExprKind::Await(e) => {
                let value = self.eval(frame, *e);
                match frame.ir.language {
                    Language::Rust => self.rust_await(frame, value, id),
                    Language::JavaScript => self.awaited(frame, value, id),
                    Language::Python => value,
                }
            }
            ExprKind::Propagate(e) => {
                let value = self.eval(frame, *e);
                self.propagate(frame, value, id)
            }
            ExprKind::Yield(e) => {
                let value = e.map_or(Value::of(Tok::NULL), |e| self.eval(frame, e));
                self.flush(frame);
                self.write(Addr::Yield(frame.comp), &value);
                let mut sent = self.store.read(Addr::Sent(frame.comp), frame.comp);
                sent.insert(Tok::UNKNOWN);
                sent
            }
            ExprKind::YieldFrom(e) => {
                let value = self.eval(frame, *e);
                let elements = self.iterate(frame, &value, *e);
                self.write(Addr::Yield(frame.comp), &elements);
                let mut result = Value::empty();
                for token in value.iter() {
                    if let Token::Generator(comp) = *self.tokens.get(token) {
                        result.join(&self.store.read(Addr::Return(comp), frame.comp));
                    }
                }
                if frame.is_javascript() {
                    // An effect: whoever runs the generator runs it.
                    for token in value
                        .iter()
                        .filter(|&t| matches!(self.tokens.get(t), Token::Wrapped { .. }))
                        .collect::<Vec<_>>()
                    {
                        result.join(&self.call_token(frame, token, &super::Args::default(), id, Via::Call));
                    }
                }
                if result.is_empty() { Value::unknown() } else { result }
            }
            ExprKind::Seq(kind, args) => self.sequence(frame, id, *kind, args),
            ExprKind::Dict(entries) => self.dictionary(frame, id, entries),
            ExprKind::Range { start, end, .. } => {
                for e in [start, end].into_iter().flatten() {
                    self.eval(frame, *e);
                }
                Value::unknown()
            }
            ExprKind::Closure(function) => {
                let value = self.define(frame, *function);
                if frame.ir.function(*function).kind == FunctionKind::AsyncBlock {
                    // An async block runs where it is awaited; the value is its result.
                    self.flush(frame);
                    let mut result = Value::empty();
                    for token in value.iter() {
                        result.join(&self.call_token(frame, token, &Args::default(), id, Via::Call));
                    }
                    return result;
                }
                value
            }
            ExprKind::Class(class) => self.define_class(frame, *class),
            ExprKind::Unary(op, e) => {
                let value = self.eval(frame, *e);
                self.unary(frame, *op, &value, id)
            }
            ExprKind::Binary(op, a, b) => {
                let left = self.eval(frame, *a);
                let right = self.eval(frame, *b);
                self.binary(frame, *op, &left, &right, id)
            }
            ExprKind::Compare(op, a, b) => {
                let left = self.eval(frame, *a);
                let right = self.eval(frame, *b);
                self.compare(frame, *op, &left, &right, id)
            }
            ExprKind::And(a, b) => {
                let left = self.eval(frame, *a);
                self.call_truth(frame, &left, *a);
                if self.truth(&left) == Some(false) || (left.is_empty() && self.waits()) {
                    return left;
                }
                let mut value = left.filter(|t| self.token_truth(t) != Some(true));
                value.join(&self.under(frame, *a, true, *b));
                value
            }
            ExprKind::Or(a, b) => {
                let left = self.eval(frame, *a);
                self.call_truth(frame, &left, *a);
                if self.truth(&left) == Some(true) || (left.is_empty() && self.waits()) {
                    return left;
                }
                let javascript = frame.is_javascript();
                let from_outside = javascript && left.iter().any(|t| self.is_environment(t));
                let mut value =
                    left.filter(|t| self.token_truth(t) != Some(false) && !(javascript && self.is_environment(t)));
                let default = self.under(frame, *a, false, *b);
                if from_outside && self.is_switch(&default) {
                    value.insert(Tok::UNKNOWN);
                }
                value.join(&default);
                value
            }
            ExprKind::Coalesce(a, b) => {
                let left = self.eval(frame, *a);
                if left.is_empty() && self.waits() {
                    return left;
                }
                let mut value = left.filter(|t| t != Tok::NULL && !self.is_environment(t));
                if value.len() < left.len() || value.is_empty() || value.contains(Tok::UNKNOWN) {
                    let default = self.eval(frame, *b);
                    if left.iter().any(|t| self.is_environment(t)) && self.is_switch(&default) {
                        value.insert(Tok::UNKNOWN);
                    }
                    value.join(&default);
                }
                value
            }
            ExprKind::Conditional { test, then, otherwise } => self.conditional(frame, *test, *then, *otherwise),
            ExprKind::InstanceOf(a, b) => {
                self.eval(frame, *a);
                self.eval(frame, *b);
                Value::unknown()
            }
            ExprKind::Matches { subject, pattern, guard } => {
                let value = self.eval(frame, *subject);
                self.bind(frame, *pattern, &value, None);
                if let Some(guard) = guard {
                    self.eval(frame, *guard);
                }
                Value::unknown()
            }
            ExprKind::Assign { target, value, op } => {
                let mut result = self.eval(frame, *value);
                if let Some(op) = op {
                    let old = self.read_pattern(frame, *target);
                    result = self.augmented(frame, *op, &old, &result, id);
                }
                frame.counting = op.is_some() || super::stmt::counts(frame.ir, *target, *value);
                self.bind(frame, *target, &result, Some(*value));
                frame.counting = false;
                result
            }
            ExprKind::Increment { target, operand, .. } => {
                self.eval(frame, *operand);
                frame.counting = true;
                self.bind(frame, *target, &Value::unknown(), Some(id));
                frame.counting = false;
                Value::unknown()
            }
            ExprKind::Comprehension { kind, clauses, element, key } => {
                self.comprehension(frame, id, *kind, clauses, *element, *key)
            }
            ExprKind::Block { block, result } => {
                self.block(frame, *block);
                match result {
                    Some(e) if frame.live => self.eval(frame, *e),
                    _ => Value::empty(),
                }
            }
            ExprKind::Import(path) => self.import(frame, path, &Imported::Module),
            ExprKind::Element { component, attributes, children } => {
                self.element(frame, id, *component, attributes, children)
            }
            ExprKind::Typed(e, declared) => {
                let value = self.eval(frame, *e);
                self.with_declared(frame, value, Some(*declared))
            }
        }
    }

    /// Evaluates a test.
    pub(super) fn test(&mut self, frame: &mut Frame<'p>, e: ExprId) -> Test {
        let value = self.eval(frame, e);
        self.call_truth(frame, &value, e);
        if frame.ir.language == Language::Rust && matches!(frame.ir.expr(e).kind, ExprKind::Literal(_)) {
            // `if false { … }` is still code.
            return Test::Open;
        }
        if frame.is_javascript() && self.may_be_unset(frame, &value, e) {
            return Test::Open;
        }
        match self.truth(&value) {
            Some(true) => Test::True,
            Some(false) => Test::False,
            None if value.is_empty() && self.waits() => Test::Waits,
            None => Test::Open,
        }
    }

    /// Whether a value is true in a test, if all its tokens agree.
    pub fn truth(&self, value: &Value) -> Option<bool> {
        let mut tokens = value.iter();
        let first = self.token_truth(tokens.next()?)?;
        for token in tokens {
            if self.token_truth(token)? != first {
                return None;
            }
        }
        Some(first)
    }

    /// Whether what stands in for a setting says no more than that it is off, or on, unless somebody sets it.
    pub(super) fn is_switch(&self, default: &Value) -> bool {
        let is_off = |t: Tok| matches!(t, Tok::TRUE | Tok::FALSE | Tok::NULL) || self.token_truth(t) == Some(false);
        let number = |t: Tok| matches!(self.tokens.get(t), Token::Int(_) | Token::Float(_));
        !default.is_empty() && default.iter().all(|t| is_off(t) && !number(t))
    }

    /// Whether a token is a variable of the environment the program runs in: there, or not.
    pub fn is_environment(&self, token: Tok) -> bool {
        let Token::External(path) = *self.tokens.get(token) else { return false };
        let text = self.symbols.text(path);
        ["globals:process.env.", "globals:Bun.env.", "globals:Deno.env."].iter().any(|start| text.starts_with(start))
    }

    /// Whether a test asks for a property that holds an object by now, but may have held nothing before.
    fn may_be_unset(&self, frame: &Frame<'p>, value: &Value, e: ExprId) -> bool {
        let mut at = e;
        let mut negated = false;
        while let ExprKind::Unary(UnaryOp::Not, inner) = frame.ir.expr(at).kind {
            at = inner;
            negated = true;
        }
        let property = matches!(frame.ir.expr(at).kind, ExprKind::Attr { .. } | ExprKind::Index { .. });
        property && (negated || !value.iter().all(|t| self.tokens.is_constant(t)))
    }

    /// Whether a token is true in a test.
    pub fn token_truth(&self, token: Tok) -> Option<bool> {
        match self.tokens.get(token) {
            Token::Null => Some(false),
            Token::Bool(b) => Some(*b),
            Token::Int(n) => Some(*n != 0),
            Token::Float(bits) => Some(f64::from_bits(*bits) != 0.0),
            Token::Str(s) => Some(!self.symbols.text(*s).is_empty()),
            Token::Function { .. } | Token::Bound { .. } | Token::Class { .. } | Token::Wrapped { .. } => Some(true),
            Token::Object { class, .. } => self.objects_are_true(*class).then_some(true),
            Token::Made { callee, .. } => self.known(*callee).is_some_and(|k| k.is_constructor).then_some(true),
            _ => None,
        }
    }

    /// Whether objects of a class are true in every test: nothing in its order says otherwise.
    fn objects_are_true(&self, class: Tok) -> bool {
        let Some(order) = self.known_order(class) else { return false };
        order.iter().all(|&base| match *self.tokens.get(base) {
            Token::Class { class, .. } => {
                let body = self.class(class).body;
                let scope = self.index[class.file as usize].scopes.get(&body);
                !["__bool__", "__len__"].iter().any(|name| {
                    let symbol = self.symbols.find(name);
                    symbol.is_some_and(|s| scope.is_some_and(|scope| scope.contains_key(&s)))
                })
            }
            Token::External(_) => self.known(base).is_some_and(|k| k.is_constructor),
            _ => false,
        })
    }

    fn literal(&mut self, frame: &Frame<'p>, literal: &Literal) -> Value {
        let token = match literal {
            Literal::Null => Token::Null,
            Literal::Bool(b) => Token::Bool(*b),
            Literal::Int(n) => Token::Int(*n),
            Literal::Float(x) => Token::Float(x.to_bits()),
            Literal::Str(name) => Token::Str(self.symbol(frame.file, *name)),
            Literal::Other => Token::Unknown,
        };
        Value::of(self.tokens.intern(token))
    }

    fn template(&mut self, frame: &mut Frame<'p>, parts: &[ExprId]) -> Value {
        let mut text = Some(String::new());
        for &part in parts {
            let value = self.eval(frame, part);
            if frame.ir.language == Language::Rust {
                let debug = self.is_debug(frame, part);
                self.rust_format(frame, &value, debug, part);
            } else if value.is_empty() && self.waits() {
                return value;
            }
            if frame.ir.language == Language::Python {
                for name in ["__format__", "__str__"] {
                    if self.call_special(frame, &value, name, Args::default(), part).is_some() {
                        break;
                    }
                }
            }
            match (&mut text, value.single().map(|t| self.tokens.get(t))) {
                (Some(text), Some(Token::Str(s))) => text.push_str(self.symbols.text(*s)),
                (Some(text), Some(Token::Int(n))) => text.push_str(&n.to_string()),
                _ => text = None,
            }
        }
        match text {
            Some(text) => self.string(&text),
            None => Value::unknown(),
        }
    }

    /// A string value.
    pub fn string(&mut self, text: &str) -> Value {
        let symbol = self.symbols.intern(text);
        Value::of(self.tokens.intern(Token::Str(symbol)))
    }

    /// A truth value, or unknown.
    pub fn boolean(&self, value: Option<bool>) -> Value {
        match value {
            Some(true) => Value::of(Tok::TRUE),
            Some(false) => Value::of(Tok::FALSE),
            None => Value::unknown(),
        }
    }

    /// Whether a token is something external.
    pub fn is_external(&self, token: Tok) -> bool {
        matches!(
            self.tokens.get(token),
            Token::External(_) | Token::Made { .. } | Token::Member { .. } | Token::Combined { .. }
        )
    }

    /// A name that no scope of the file declares.
    fn free(&mut self, frame: &mut Frame<'p>, name: Name) -> Value {
        let symbol = self.symbol(frame.file, name);
        let starred = self.star_imported(frame, symbol);
        if !starred.is_empty() {
            return starred;
        }
        let text = frame.ir.name(name);
        match frame.ir.language {
            Language::Python => {
                if let Some(&token) = self.builtins.get(&symbol) {
                    return Value::of(token);
                }
                let path = self.symbols.intern(&format!("builtins.{text}"));
                let token = self.tokens.intern(Token::External(path));
                self.builtins.insert(symbol, token);
                Value::of(token)
            }
            Language::JavaScript => self.free_name(frame, text, symbol),
            Language::Rust => self.rust_name(frame, text),
        }
    }

    /// Something external by its full path.
    pub fn external(&mut self, path: &str) -> Value {
        let symbol = self.symbols.intern(path);
        Value::of(self.tokens.intern(Token::External(symbol)))
    }
}
