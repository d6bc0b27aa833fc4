//! Expressions as text.

use super::{Dump, Later};
use crate::ir::*;

impl Dump<'_> {
    pub(super) fn expr(&mut self, id: ExprId) {
        if !self.enter() {
            return self.text("…");
        }
        if let Some(expr) = self.file.exprs.get(id.index()) {
            self.expr_kind(&expr.kind);
        }
        self.depth -= 1;
    }

    fn exprs(&mut self, ids: &[ExprId]) {
        self.list(ids, |dump, id| dump.expr(*id));
    }

    fn some(&mut self, id: Option<ExprId>) {
        if let Some(id) = id {
            self.expr(id);
        }
    }

    /// `(before left middle right)`
    fn infix(&mut self, left: ExprId, operator: &str, right: ExprId) {
        self.text("(");
        self.expr(left);
        self.text(&format!(" {operator} "));
        self.expr(right);
        self.text(")");
    }

    pub(super) fn prefixed(&mut self, prefix: &str, operand: ExprId) {
        self.text(prefix);
        self.expr(operand);
    }

    fn expr_kind(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Unknown(parts) => {
                self.text("?(");
                self.exprs(parts);
                self.text(")");
            }
            ExprKind::Var(var) => self.var(*var),
            ExprKind::Free(name) => self.name(*name),
            ExprKind::This => self.text("this"),
            ExprKind::Super(class) => self.text(&format!("super@{}", class.0)),
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Template(parts) => {
                self.text("template(");
                self.exprs(parts);
                self.text(")");
            }
            ExprKind::Attr { object, name, optional, .. } => {
                self.expr(*object);
                self.text(if *optional { "?." } else { "." });
                self.name(*name);
            }
            ExprKind::Index { object, index } => {
                self.expr(*object);
                self.text("[");
                self.expr(*index);
                self.text("]");
            }
            ExprKind::Slice { object, bounds } => {
                self.expr(*object);
                self.text("[slice ");
                self.exprs(bounds);
                self.text("]");
            }
            ExprKind::Call { callee, args, kind, optional } => self.call(*callee, args, *kind, *optional),
            ExprKind::Struct { path, entries } => {
                self.text("struct ");
                self.expr(*path);
                self.text(" ");
                self.entries(entries);
            }
            ExprKind::Await(inner) => self.prefixed("await ", *inner),
            ExprKind::Propagate(inner) => {
                self.expr(*inner);
                self.text("?");
            }
            ExprKind::Yield(inner) => {
                self.text("(yield");
                if inner.is_some() {
                    self.text(" ");
                }
                self.some(*inner);
                self.text(")");
            }
            ExprKind::YieldFrom(inner) => {
                self.prefixed("(yield from ", *inner);
                self.text(")");
            }
            ExprKind::Seq(kind, items) => {
                let (open, close) = match kind {
                    SeqKind::List => ("[", "]"),
                    SeqKind::Tuple => ("tuple(", ")"),
                    SeqKind::Set => ("set(", ")"),
                };
                self.text(open);
                self.args(items);
                self.text(close);
            }
            ExprKind::Dict(entries) => self.entries(entries),
            ExprKind::Range { start, end, inclusive } => self.range(*start, *end, *inclusive),
            ExprKind::Closure(function) => {
                self.text(&format!("closure@{}", function.0));
                self.later.push(Later::Function(*function));
            }
            ExprKind::Class(class) => {
                self.text(&format!("class@{}", class.0));
                self.later.push(Later::Class(*class));
            }
            ExprKind::Unary(op, operand) => {
                let sign = match op {
                    UnaryOp::Not => "not ",
                    UnaryOp::Neg => "-",
                    UnaryOp::Plus => "+",
                    UnaryOp::Invert => "~",
                    UnaryOp::TypeOf => "typeof ",
                    UnaryOp::Void => "void ",
                    UnaryOp::Delete => "delete ",
                };
                self.prefixed(sign, *operand);
            }
            ExprKind::Binary(op, left, right) => self.infix(*left, binary(*op), *right),
            ExprKind::Compare(op, left, right) => self.infix(*left, compare(*op), *right),
            ExprKind::And(left, right) => self.infix(*left, "and", *right),
            ExprKind::Or(left, right) => self.infix(*left, "or", *right),
            ExprKind::Coalesce(left, right) => self.infix(*left, "??", *right),
            ExprKind::Conditional { test, then, otherwise } => {
                self.prefixed("(", *then);
                self.prefixed(" if ", *test);
                self.prefixed(" else ", *otherwise);
                self.text(")");
            }
            ExprKind::InstanceOf(value, class) => self.infix(*value, "instanceof", *class),
            ExprKind::Matches { subject, pattern, guard } => {
                self.prefixed("(", *subject);
                self.text(" matches ");
                self.pattern(*pattern);
                if let Some(guard) = guard {
                    self.prefixed(" if ", *guard);
                }
                self.text(")");
            }
            ExprKind::Assign { target, value, op } => {
                self.text("(");
                self.pattern(*target);
                self.text(&format!(" {}:= ", op.map_or("", assign)));
                self.expr(*value);
                self.text(")");
            }
            ExprKind::Increment { target, by, fix, .. } => {
                let sign = if *by < 0 { "--" } else { "++" };
                self.text(if *fix == Fix::Prefix { sign } else { "" });
                self.pattern(*target);
                self.text(if *fix == Fix::Postfix { sign } else { "" });
            }
            ExprKind::Comprehension { kind, clauses, element, key } => {
                self.text(&format!("{kind:?}(").to_lowercase());
                if let Some(key) = key {
                    self.expr(*key);
                    self.text(": ");
                }
                self.expr(*element);
                for clause in clauses {
                    self.text(if clause.is_async { " async for " } else { " for " });
                    self.pattern(clause.target);
                    self.prefixed(" in ", clause.iter);
                    for condition in &clause.conditions {
                        self.prefixed(" if ", *condition);
                    }
                }
                self.text(")");
            }
            ExprKind::Block { block, result } => {
                self.text(&format!("block@{}", block.0));
                if let Some(result) = result {
                    self.prefixed(" -> ", *result);
                }
                self.later.push(Later::Block(*block));
            }
            ExprKind::Import(module) => {
                self.text("import(");
                self.name(module.path);
                self.text(")");
            }
            ExprKind::Element { component, attributes, children } => {
                self.text("<");
                self.some(*component);
                self.text(" ");
                self.entries(attributes);
                self.text(" ");
                self.exprs(children);
                self.text(">");
            }
            ExprKind::Typed(value, ty) => {
                self.prefixed("(", *value);
                self.text(" as ");
                self.ty(*ty);
                self.text(")");
            }
        }
    }

    fn call(&mut self, callee: ExprId, args: &[Arg], kind: CallKind, optional: bool) {
        self.text(match kind {
            CallKind::Plain => "call ",
            CallKind::New => "new ",
            CallKind::Macro => "macro ",
            CallKind::Tagged => "tagged ",
        });
        self.expr(callee);
        self.text(if optional { "?.(" } else { "(" });
        self.args(args);
        self.text(")");
    }

    pub(super) fn range(&mut self, start: Option<ExprId>, end: Option<ExprId>, inclusive: bool) {
        self.text("(");
        self.some(start);
        self.text(if inclusive { "..=" } else { ".." });
        self.some(end);
        self.text(")");
    }

    fn args(&mut self, args: &[Arg]) {
        self.list(args, |dump, arg| {
            match arg {
                Arg::Positional(_) => {}
                Arg::Keyword(name, _) => {
                    dump.name(*name);
                    dump.text("=");
                }
                Arg::Spread(_) => dump.text("*"),
                Arg::KeywordSpread(_) => dump.text("**"),
            }
            dump.expr(arg.value());
        });
    }

    fn entries(&mut self, entries: &[Entry]) {
        self.text("{");
        self.list(entries, |dump, entry| match entry {
            Entry::Pair(key, value) => {
                dump.expr(*key);
                dump.prefixed(": ", *value);
            }
            Entry::Spread(value) => dump.prefixed("**", *value),
            Entry::Getter(key, value) => {
                dump.prefixed("get ", *key);
                dump.prefixed(": ", *value);
            }
        });
        self.text("}");
    }

    fn literal(&mut self, literal: &Literal) {
        let file = self.file;
        let text = match literal {
            Literal::Null => "null".to_string(),
            Literal::Bool(value) => value.to_string(),
            Literal::Int(value) => value.to_string(),
            Literal::Float(value) => format!("{value:?}"),
            Literal::Str(name) => format!("{:?}", file.name(*name)),
            Literal::Other => "constant".to_string(),
        };
        self.text(&text);
    }
}

/// An operator as Python writes it.
pub(super) fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::FloorDiv => "//",
        BinaryOp::Mod => "%",
        BinaryOp::Pow => "**",
        BinaryOp::MatMul => "@",
        BinaryOp::BitOr => "|",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
    }
}

/// An augmented assignment's operator, without the `=`.
pub(super) fn assign(op: AssignOp) -> &'static str {
    match op {
        AssignOp::Binary(op) => binary(op),
        AssignOp::Or => "||",
        AssignOp::And => "&&",
        AssignOp::Coalesce => "??",
    }
}

fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::NotEq => "!=",
        CompareOp::Lt => "<",
        CompareOp::LtEq => "<=",
        CompareOp::Gt => ">",
        CompareOp::GtEq => ">=",
        CompareOp::Is => "is",
        CompareOp::IsNot => "is not",
        CompareOp::In => "in",
        CompareOp::NotIn => "not in",
    }
}
