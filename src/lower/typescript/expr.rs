//! Expressions: one function that picks, small ones that build.

use super::chain::assign_op;
use super::kind::{Field, Kind};
use super::lowerer::Lower;
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// An expression.
    pub fn expr(&mut self, n: Node) -> ExprId {
        let n = self.peel(n);
        match self.deeper(n, 1, |this| this.expr_inner(n)) {
            Some(expr) => expr,
            None => {
                let span = self.span(n);
                self.unknown(Vec::new(), span)
            }
        }
    }

    fn expr_inner(&mut self, n: Node) -> ExprId {
        match self.kind(n) {
            Kind::Identifier | Kind::Shorthand | Kind::Undefined => {
                let name = self.name_of(n);
                self.value_expr(name, self.span(n))
            }
            Kind::Member | Kind::Subscript | Kind::Call | Kind::Binary => self.chain(n),
            Kind::AsExpression | Kind::Satisfies => self.chain(n),
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => self.closure(n),
            Kind::String => self.string(n),
            Kind::Number => self.number(n),
            Kind::TemplateString => self.template_value(n),
            Kind::Object => self.object(n),
            Kind::Array => self.array(n),
            Kind::New => self.construction(n),
            Kind::Await => self.wrap(n, ExprKind::Await),
            Kind::Ternary => self.ternary(n),
            Kind::Unary => self.unary(n),
            Kind::Update => self.update(n),
            Kind::AssignmentExpression | Kind::AugmentedAssignment => self.assignment(n),
            Kind::Sequence => self.sequence(n),
            Kind::Yield => self.yielded(n),
            Kind::Class => self.class_expression(n),
            Kind::JsxElement | Kind::JsxSelfClosing => self.jsx(n),
            Kind::TypeAssertion => self.type_assertion(n),
            _ => self.atom(n),
        }
    }

    fn atom(&mut self, n: Node) -> ExprId {
        let span = self.span(n);
        let kind = match self.kind(n) {
            Kind::This => ExprKind::This,
            Kind::True => ExprKind::Literal(Literal::Bool(true)),
            Kind::False => ExprKind::Literal(Literal::Bool(false)),
            Kind::Null => ExprKind::Literal(Literal::Null),
            Kind::Regex => ExprKind::Literal(Literal::Other),
            Kind::Super => match self.class {
                Some(class) => ExprKind::Super(class),
                None => ExprKind::Unknown(Vec::new()),
            },
            Kind::MetaProperty | Kind::Import => ExprKind::Free(self.name_of(n)),
            _ => ExprKind::Unknown(self.parts(n)),
        };
        self.b.expr(kind, span)
    }

    /// What can be read of a node without a rule (a syntax error, mostly).
    fn parts(&mut self, n: Node) -> Vec<ExprId> {
        let tree = self.tree;
        tree.named(n).filter(|&c| tree.kind(c) != Kind::TypeIdentifier).map(|c| self.expr(c)).collect()
    }

    fn wrap(&mut self, n: Node, wrap: fn(ExprId) -> ExprKind) -> ExprId {
        let span = self.span(n);
        let kind = match self.tree.first(n) {
            Some(inner) => wrap(self.expr(inner)),
            None => ExprKind::Unknown(Vec::new()),
        };
        self.b.expr(kind, span)
    }

    fn array(&mut self, n: Node) -> ExprId {
        let span = self.span(n);
        let elements = self.args(n);
        self.b.expr(ExprKind::Seq(SeqKind::List, elements), span)
    }

    fn field_expr(&mut self, n: Node, field: Field) -> ExprId {
        match self.tree.field(n, field) {
            Some(inner) => self.expr(inner),
            None => {
                let span = self.span(n);
                self.unknown(Vec::new(), span)
            }
        }
    }

    fn ternary(&mut self, n: Node) -> ExprId {
        let span = self.span(n);
        let test = self.field_expr(n, Field::Condition);
        let then = self.field_expr(n, Field::Consequence);
        let otherwise = self.field_expr(n, Field::Alternative);
        self.b.expr(ExprKind::Conditional { test, then, otherwise }, span)
    }

    fn unary(&mut self, n: Node) -> ExprId {
        let span = self.span(n);
        let operand = self.field_expr(n, Field::Argument);
        self.unary_of(n, operand, span)
    }

    /// The operator of a node, applied to an operand.
    pub fn unary_of(&mut self, n: Node, operand: ExprId, span: Span) -> ExprId {
        let operator = self.tree.field(n, Field::Operator).map_or("", |o| self.tree.text(o));
        let op = match operator {
            "!" => UnaryOp::Not,
            "-" => UnaryOp::Neg,
            "+" => UnaryOp::Plus,
            "~" => UnaryOp::Invert,
            "typeof" => UnaryOp::TypeOf,
            "delete" => UnaryOp::Delete,
            "void" => {
                let is_constant = matches!(self.b.file().expr(operand).kind, ExprKind::Literal(_));
                let kind = match is_constant {
                    true => ExprKind::Literal(Literal::Null),
                    false => ExprKind::Unary(UnaryOp::Void, operand),
                };
                return self.b.expr(kind, span);
            }
            _ => return self.unknown(vec![operand], span),
        };
        self.b.expr(ExprKind::Unary(op, operand), span)
    }

    fn update(&mut self, n: Node) -> ExprId {
        let tree = self.tree;
        let span = tree.span(n);
        let (Some(argument), Some(operator)) = (tree.field(n, Field::Argument), tree.field(n, Field::Operator)) else {
            return self.unknown(Vec::new(), span);
        };
        let by = if tree.text(operator) == "++" { 1 } else { -1 };
        let is_prefix = tree.span(operator).start < tree.span(argument).start;
        let operand = self.expr(argument);
        let target = self.target_of(operand);
        let fix = if is_prefix { Fix::Prefix } else { Fix::Postfix };
        self.b.expr(ExprKind::Increment { target, operand, by, fix }, span)
    }

    fn assignment(&mut self, n: Node) -> ExprId {
        let span = self.span(n);
        let (Some(left), Some(right)) = (self.tree.field(n, Field::Left), self.tree.field(n, Field::Right)) else {
            let parts = self.parts(n);
            return self.unknown(parts, span);
        };
        let op = self.assignment_op(n);
        let target = self.assign_target(left);
        let hint = self.target_hint(left);
        let value = self.named_value(right, hint);
        self.b.expr(ExprKind::Assign { target, value, op }, span)
    }

    /// The operator of an augmented assignment.
    pub fn assignment_op(&self, n: Node) -> Option<AssignOp> {
        self.tree.field(n, Field::Operator).and_then(|operator| assign_op(self.tree.text(operator)))
    }

    /// `a, b, c`: everything before the last is run for its effects.
    fn sequence(&mut self, n: Node) -> ExprId {
        let span = self.span(n);
        let mut parts = self.sequence_parts(n);
        let Some(last) = parts.pop() else { return self.unknown(Vec::new(), span) };
        // Compilers write `(0, m.send)(x)` for a call without a receiver.
        if parts.iter().all(|&part| self.kind(part) == Kind::Number) {
            return self.expr(last);
        }
        let mut stmts = Vec::new();
        for part in parts {
            self.expression_statement(part, &mut stmts);
        }
        let block = self.b.block(stmts);
        let result = self.expr(last);
        self.b.expr(ExprKind::Block { block, result: Some(result) }, span)
    }

    /// The operands of a comma expression, however the grammar nests them.
    pub fn sequence_parts(&self, n: Node) -> Vec<Node> {
        let mut parts = Vec::new();
        let mut open = vec![n];
        while let Some(n) = open.pop() {
            let n = self.peel(n);
            if self.kind(n) == Kind::Sequence {
                let inner: Vec<Node> = self.tree.named(n).collect();
                open.extend(inner.into_iter().rev());
            } else {
                parts.push(n);
            }
        }
        parts
    }

    fn yielded(&mut self, n: Node) -> ExprId {
        let span = self.span(n);
        let value = self.tree.first(n).map(|inner| self.expr(inner));
        let kind = match value {
            Some(value) if self.tree.has(n, "*") => ExprKind::YieldFrom(value),
            value => ExprKind::Yield(value),
        };
        self.b.expr(kind, span)
    }

    /// `<T>x`
    fn type_assertion(&mut self, n: Node) -> ExprId {
        let span = self.span(n);
        let types = self.tree.child(n, Kind::TypeArguments);
        let ty = types.and_then(|list| self.tree.first(list));
        let inner = self.tree.named(n).find(|&c| Some(c) != types);
        match (ty, inner) {
            (Some(ty), Some(inner)) => {
                let value = self.expr(inner);
                let ty = self.ty(ty);
                self.b.expr(ExprKind::Typed(value, ty), span)
            }
            _ => {
                let parts = self.parts(n);
                self.unknown(parts, span)
            }
        }
    }
}
