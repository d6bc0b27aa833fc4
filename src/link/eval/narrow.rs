//! What the outcome of a test says about the tested variable: none or not, an instance of a class or not.

use super::{Frame, Slot};
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::token::*;

/// Conditions joined by `and` and `or` are followed so far down.
const LINKS: usize = 8;

impl<'p> Solver<'p> {
    /// Drops from tested variables what the outcome of the test rules out.
    pub(super) fn narrow(&mut self, frame: &mut Frame<'p>, test: ExprId, outcome: bool) {
        self.narrow_at(frame, test, outcome, 0);
    }

    fn narrow_at(&mut self, frame: &mut Frame<'p>, test: ExprId, outcome: bool, depth: usize) {
        if depth > LINKS {
            return;
        }
        match &frame.ir.expr(test).kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.narrow_at(frame, *a, !outcome, depth + 1),
            ExprKind::And(a, b) if outcome => {
                self.narrow_at(frame, *a, true, depth + 1);
                self.narrow_at(frame, *b, true, depth + 1);
            }
            ExprKind::Or(a, b) if !outcome => {
                self.narrow_at(frame, *a, false, depth + 1);
                self.narrow_at(frame, *b, false, depth + 1);
            }
            ExprKind::Compare(CompareOp::Is | CompareOp::Eq, a, b) if self.is_null(frame, *b) => {
                self.narrow_null(frame, *a, outcome);
            }
            ExprKind::Compare(CompareOp::IsNot | CompareOp::NotEq, a, b) if self.is_null(frame, *b) => {
                self.narrow_null(frame, *a, !outcome);
            }
            ExprKind::Var(_) | ExprKind::Assign { .. } => self.narrow_null(frame, test, !outcome),
            ExprKind::InstanceOf(a, b) => self.narrow_class(frame, *a, *b, outcome),
            ExprKind::Call { callee, args, .. } => {
                if let (ExprKind::Free(name), [Arg::Positional(a), Arg::Positional(b)]) =
                    (&frame.ir.expr(*callee).kind, args.as_slice())
                    && frame.ir.name(*name) == "isinstance"
                {
                    self.narrow_class(frame, *a, *b, outcome);
                }
            }
            _ => {}
        }
    }

    fn is_null(&self, frame: &Frame<'p>, e: ExprId) -> bool {
        matches!(frame.ir.expr(e).kind, ExprKind::Literal(Literal::Null))
    }

    /// The variable that an operand reads, or that it has just assigned.
    fn tested(&self, frame: &Frame<'p>, operand: ExprId) -> Option<VarId> {
        match frame.ir.expr(operand).kind {
            ExprKind::Var(var) => Some(var),
            ExprKind::Assign { target, .. } => match *frame.ir.pattern(target) {
                Pattern::Bind(var) => Some(var),
                _ => None,
            },
            _ => None,
        }
    }

    fn narrow_null(&mut self, frame: &mut Frame<'p>, operand: ExprId, null: bool) {
        let Some(var) = self.tested(frame, operand) else { return };
        if let Some(value) = frame.env.var(var)
            && value.len() > 1
        {
            let narrowed = value.filter(|t| (t == Tok::NULL) == null || t == Tok::UNKNOWN);
            if !narrowed.is_empty() && !null {
                frame.env.set(Slot::Var(var), narrowed);
            }
        }
    }

    fn narrow_class(&mut self, frame: &mut Frame<'p>, operand: ExprId, classes: ExprId, outcome: bool) {
        let Some(var) = self.tested(frame, operand) else { return };
        if frame.ir.var(var).owner != frame.func {
            return;
        }
        let value = frame.env.var(var).cloned().unwrap_or_default();
        let classes = self.eval(frame, classes);
        let classes = self.class_list(frame, &classes);
        let narrowed = self.of_classes(frame, &value, &classes, outcome);
        frame.env.set(Slot::Var(var), narrowed);
    }

    /// Binds an arm's pattern; the subject becomes what the arm says it is.
    pub(super) fn narrow_match(&mut self, frame: &mut Frame<'p>, subject: ExprId, pattern: PatId, value: &Value) {
        let narrowed = self.fitting(frame, pattern, value, 0);
        if let Some(var) = self.tested(frame, subject)
            && frame.ir.var(var).owner == frame.func
            && narrowed != *value
        {
            frame.env.set(Slot::Var(var), narrowed.clone());
        }
        self.bind(frame, pattern, &narrowed, None);
    }

    fn fitting(&mut self, frame: &mut Frame<'p>, pattern: PatId, value: &Value, depth: usize) -> Value {
        match frame.ir.pattern(pattern) {
            Pattern::As(inner, _) if depth < LINKS => self.fitting(frame, *inner, value, depth + 1),
            Pattern::Or(parts) if depth < LINKS => {
                let mut all = Value::empty();
                for &part in parts {
                    all.join(&self.fitting(frame, part, value, depth + 1));
                }
                all
            }
            Pattern::Variant { path, .. } if frame.ir.language == Language::Python => {
                let classes = self.eval(frame, *path);
                let classes = self.class_list(frame, &classes);
                self.of_classes(frame, value, &classes, true)
            }
            _ => value.clone(),
        }
    }

    /// Classes named by a test: one, or a tuple of them; none if not all are known.
    pub(super) fn class_list(&mut self, frame: &mut Frame<'p>, value: &Value) -> Option<Vec<Tok>> {
        let mut list = Vec::new();
        for token in value.iter() {
            match self.tokens.get(token) {
                Token::Class { .. } | Token::External(_) => list.push(token),
                Token::Container { .. } | Token::Rest { .. } => {
                    for class in self.all_elements(frame, &Value::of(token)).iter() {
                        if !matches!(self.tokens.get(class), Token::Class { .. } | Token::External(_)) {
                            return None;
                        }
                        list.push(class);
                    }
                }
                _ => return None,
            }
        }
        if list.is_empty() { None } else { Some(list) }
    }

    /// The tokens of a value that are instances of some classes (or are not).
    fn of_classes(&mut self, frame: &mut Frame<'p>, value: &Value, classes: &Option<Vec<Tok>>, outcome: bool) -> Value {
        let Some(classes) = classes else { return value.clone() };
        let mut kept = Value::empty();
        let mut open = value.is_empty() && self.types_count();
        for token in value.iter() {
            match self.is_instance(frame, token, classes) {
                Some(is) if is == outcome => {
                    kept.insert(token);
                }
                Some(_) => {}
                None if outcome && matches!(self.tokens.get(token), Token::Unknown | Token::Top) => open = true,
                None => {
                    kept.insert(token);
                }
            }
        }
        if open && outcome {
            let mut found = Value::empty();
            for &class in classes {
                match self.tokens.get(class) {
                    Token::Class { .. } => {
                        found.join(&self.instances(class, frame.comp));
                    }
                    _ if self.known_class(class).is_some() => {
                        found.insert(self.tokens.intern(Token::Instance { class }));
                    }
                    _ => {
                        found.insert(Tok::UNKNOWN);
                    }
                }
            }
            kept.join(if found.is_empty() { value } else { &found });
        }
        kept
    }

    /// Whether a value is an instance of one of some classes, as far as is known.
    pub(super) fn is_instance(&mut self, frame: &mut Frame<'p>, token: Tok, classes: &[Tok]) -> Option<bool> {
        let own: &[&str] = match *self.tokens.get(token) {
            Token::Object { class, .. } | Token::Instance { class } => {
                let order = self.class_order(frame, class);
                if order.iter().any(|c| classes.contains(c)) {
                    return Some(true);
                }
                let closed = order.iter().all(|&c| matches!(self.tokens.get(c), Token::Class { .. }));
                let inside = classes.iter().all(|&c| matches!(self.tokens.get(c), Token::Class { .. }));
                // A protocol may fit without being named.
                return if closed && inside && !classes.iter().any(|&c| self.is_protocol(c)) {
                    Some(false)
                } else {
                    None
                };
            }
            Token::Null => &["NoneType"],
            Token::Bool(_) => &["bool", "int"],
            Token::Int(_) => &["int"],
            Token::Float(_) => &["float"],
            Token::Str(_) => &["str"],
            Token::Container { kind, .. } | Token::Rest { kind, .. } => match kind {
                ContainerKind::Dict => &["dict"],
                ContainerKind::Tuple => &["tuple"],
                // Builtins give lists for what may be a set, a view or an iterator.
                ContainerKind::List | ContainerKind::Set | ContainerKind::Map | ContainerKind::Iter => return None,
            },
            Token::Function { .. } | Token::Bound { .. } => &["function"],
            Token::Class { .. } => &["type"],
            _ => return None,
        };
        let mut all = true;
        for &class in classes {
            match *self.tokens.get(class) {
                Token::External(path) => match self.symbols.text(path).strip_prefix("builtins.") {
                    Some(name) if own.contains(&name) => return Some(true),
                    Some("int" | "float" | "str" | "bool" | "dict" | "tuple" | "list" | "set" | "type" | "bytes") => {}
                    _ => all = false,
                },
                Token::Class { .. } => {}
                _ => all = false,
            }
        }
        all.then_some(false)
    }
}
