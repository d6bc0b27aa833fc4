//! Expressions. Left-nested chains (calls, attributes, arithmetic, `and`/`or`) are folded in a loop, so that
//! ten thousand links are no deeper than one; the rest recurses behind the depth guard.

use super::Lower;
use super::kind::{Field, Kind};
use super::operators::binary_op;
use super::scopes::ScopeKind;
use super::tree::Node;
use crate::ir::*;

impl Lower {
    /// Lowers an expression.
    pub(super) fn expr(&mut self, node: Node) -> ExprId {
        if !self.enter(node) {
            return self.unknown(Vec::new(), node.span());
        }
        let mut spine = Vec::new();
        let mut inner = node;
        while let Some(next) = self.leftmost(inner) {
            if inner.kind() != Kind::Parenthesized {
                spine.push(inner);
            }
            inner = next;
        }
        let mut expr = self.atom(inner);
        while let Some(link) = spine.pop() {
            expr = self.link(link, expr);
        }
        self.leave();
        expr
    }

    /// The operand a chain's link is folded over; none if `node` is no link.
    pub(super) fn leftmost<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        match node.kind() {
            Kind::Attribute => node.child(Field::Object),
            Kind::Subscript => node.child(Field::Value),
            Kind::Binary | Kind::Boolean => node.child(Field::Left),
            Kind::Call => node.child(Field::Function).filter(|f| self.super_class(node, *f).is_none()),
            Kind::Parenthesized => node.first().filter(|f| f.kind() != Kind::Error),
            Kind::Type | Kind::AsPatternTarget => node.first(),
            _ => None,
        }
    }

    /// `node` around its leftmost operand.
    pub(super) fn link(&mut self, node: Node, left: ExprId) -> ExprId {
        match node.kind() {
            Kind::Attribute => {
                let Some(name) = node.child(Field::Attribute) else { return left };
                self.attribute(node.span(), left, name)
            }
            Kind::Subscript => self.subscript(node, left),
            Kind::Call => self.call(node, left),
            Kind::Binary | Kind::Boolean => {
                let Some(right) = node.child(Field::Right) else { return left };
                let right = self.expr(right);
                let operator = node.child(Field::Operator).map_or(Kind::Other, Node::kind);
                let kind = match operator {
                    Kind::And => ExprKind::And(left, right),
                    Kind::Or => ExprKind::Or(left, right),
                    other => match binary_op(other) {
                        Some(op) => ExprKind::Binary(op, left, right),
                        None => ExprKind::Unknown(vec![left, right]),
                    },
                };
                self.builder.expr(kind, node.span())
            }
            _ => left,
        }
    }

    /// `object.name`
    pub(super) fn attribute(&mut self, span: Span, object: ExprId, name: Node) -> ExprId {
        let name_span = name.span();
        let name = self.builder.name(name.text());
        self.builder.expr(ExprKind::Attr { object, name, name_span, optional: false }, span)
    }

    fn subscript(&mut self, node: Node, object: ExprId) -> ExprId {
        let parts: Vec<_> = node.children().filter(|child| child.field() == Field::Subscript).collect();
        if let [slice] = parts[..]
            && slice.kind() == Kind::Slice
        {
            let bounds = self.bounds(slice);
            return self.builder.expr(ExprKind::Slice { object, bounds }, node.span());
        }
        let index = self.one_or_tuple(&parts, node.span());
        self.builder.expr(ExprKind::Index { object, index }, node.span())
    }

    /// Start, end and step as far as written; what is left out before one of them is `None`, as in the language.
    fn bounds(&mut self, slice: Node) -> Vec<ExprId> {
        let mut bounds = Vec::new();
        let (mut colons, mut from) = (0, slice.start());
        for bound in slice.children() {
            let between = slice.source(from, bound.start());
            colons +=
                between.lines().map(|line| line.split('#').next().unwrap_or("").matches(':').count()).sum::<usize>();
            from = bound.end();
            while bounds.len() < colons {
                let nothing = Span::new(bound.start(), bound.start());
                bounds.push(self.builder.expr(ExprKind::Literal(Literal::Null), nothing));
            }
            bounds.push(self.expr(bound));
        }
        bounds
    }

    /// One expression, or several (or a starred one) as the tuple they make without parentheses.
    pub(super) fn one_or_tuple(&mut self, parts: &[Node], otherwise: Span) -> ExprId {
        match parts {
            [one] if one.kind() != Kind::ListSplat => self.expr(*one),
            _ => {
                let items = parts.iter().map(|part| self.item(*part)).collect();
                let span = span_of(parts).unwrap_or(otherwise);
                self.builder.expr(ExprKind::Seq(SeqKind::Tuple, items), span)
            }
        }
    }

    /// Anything that is not a link of a chain.
    fn atom(&mut self, node: Node) -> ExprId {
        let span = node.span();
        let kind = match node.kind() {
            Kind::Identifier => return self.read(node.text(), span),
            Kind::String | Kind::Concatenated => return self.string(node),
            Kind::Integer | Kind::Float => ExprKind::Literal(super::literal::number(node.text())),
            Kind::True => ExprKind::Literal(Literal::Bool(true)),
            Kind::False => ExprKind::Literal(Literal::Bool(false)),
            Kind::None => ExprKind::Literal(Literal::Null),
            Kind::Ellipsis => ExprKind::Literal(Literal::Other),
            Kind::Call => return self.super_call(node),
            Kind::Await => return self.wrap(node, ExprKind::Await),
            Kind::NotOperator => return self.wrap(node, |e| ExprKind::Unary(UnaryOp::Not, e)),
            Kind::Unary => {
                let op = match node.child(Field::Operator).map(Node::kind) {
                    Some(Kind::Minus) => UnaryOp::Neg,
                    Some(Kind::Tilde) => UnaryOp::Invert,
                    _ => UnaryOp::Plus,
                };
                let Some(operand) = node.child(Field::Argument) else { return self.parts(node) };
                ExprKind::Unary(op, self.expr(operand))
            }
            Kind::Comparison => return self.comparison(node),
            Kind::Conditional => return self.conditional(node),
            Kind::Named => return self.walrus(node),
            Kind::Lambda => return self.lambda(node),
            Kind::Yield => return self.yields(node),
            Kind::List | Kind::ListPattern => ExprKind::Seq(SeqKind::List, self.items(node)),
            Kind::Set => ExprKind::Seq(SeqKind::Set, self.items(node)),
            Kind::Tuple | Kind::TuplePattern | Kind::ExpressionList | Kind::PatternList => {
                ExprKind::Seq(SeqKind::Tuple, self.items(node))
            }
            Kind::Dictionary => ExprKind::Dict(self.entries(node)),
            Kind::ListComprehension | Kind::SetComprehension | Kind::DictComprehension | Kind::Generator => {
                return self.comprehension(node);
            }
            Kind::GenericType => return self.generic_value(node),
            Kind::AsPattern => {
                let Some(value) = node.first() else { return self.parts(node) };
                return self.expr(value);
            }
            _ => return self.parts(node),
        };
        self.builder.expr(kind, span)
    }

    /// `Base[Args]` where the grammar expects a type, read as the value it is.
    fn generic_value(&mut self, node: Node) -> ExprId {
        let (Some(base), Some(list)) = (node.first(), node.child_of(Kind::TypeParameter)) else {
            return self.parts(node);
        };
        let object = self.expr(base);
        let args: Vec<_> = list.children().collect();
        let index = self.one_or_tuple(&args, list.span());
        self.builder.expr(ExprKind::Index { object, index }, node.span())
    }

    fn wrap(&mut self, node: Node, make: impl Fn(ExprId) -> ExprKind) -> ExprId {
        let operand = node.child(Field::Argument).or_else(|| node.first());
        let Some(operand) = operand else { return self.parts(node) };
        let operand = self.expr(operand);
        self.builder.expr(make(operand), node.span())
    }

    /// What has no meaning (broken code): its parts are evaluated.
    pub(super) fn parts(&mut self, node: Node) -> ExprId {
        let parts = node.children().filter(|child| is_expr(child.kind())).collect::<Vec<_>>();
        let parts = parts.into_iter().map(|part| self.expr(part)).collect();
        self.unknown(parts, node.span())
    }

    /// Elements of a display.
    fn items(&mut self, node: Node) -> Vec<Arg> {
        node.children().map(|item| self.item(item)).collect()
    }

    /// An element or positional argument, perhaps starred.
    pub(super) fn item(&mut self, mut node: Node) -> Arg {
        while node.kind() == Kind::Parenthesized
            && let Some(inner) = node.first()
        {
            node = inner;
        }
        match (node.kind(), node.first()) {
            (Kind::ListSplat | Kind::ListSplatPattern, Some(inner)) => Arg::Spread(self.expr(inner)),
            (Kind::DictSplat | Kind::DictSplatPattern, Some(inner)) => Arg::KeywordSpread(self.expr(inner)),
            _ => Arg::Positional(self.expr(node)),
        }
    }

    fn entries(&mut self, node: Node) -> Vec<Entry> {
        let mut entries = Vec::new();
        for child in node.children() {
            match (child.kind(), child.child(Field::Key), child.child(Field::Value)) {
                (Kind::Pair, Some(key), Some(value)) => {
                    let key = self.expr(key);
                    entries.push(Entry::Pair(key, self.expr(value)));
                }
                (Kind::DictSplat, ..) => {
                    if let Some(inner) = child.first() {
                        entries.push(Entry::Spread(self.expr(inner)));
                    }
                }
                _ => {
                    let value = self.expr(child);
                    let key = self.unknown(Vec::new(), child.span());
                    entries.push(Entry::Pair(key, value));
                }
            }
        }
        entries
    }

    fn conditional(&mut self, node: Node) -> ExprId {
        let mut parts = node.children();
        let (Some(then), Some(test), Some(otherwise)) = (parts.next(), parts.next(), parts.next()) else {
            return self.parts(node);
        };
        // In the order of evaluation.
        let test = self.expr(test);
        let then = self.expr(then);
        let otherwise = self.expr(otherwise);
        self.builder.expr(ExprKind::Conditional { test, then, otherwise }, node.span())
    }

    fn walrus(&mut self, node: Node) -> ExprId {
        let (Some(name), Some(value)) = (node.child(Field::Name), node.child(Field::Value)) else {
            return self.parts(node);
        };
        let value = self.expr(value);
        let var = self.bind(name.text());
        let target = self.builder.pattern(Pattern::Bind(var));
        self.builder.expr(ExprKind::Assign { target, value, op: None }, node.span())
    }

    fn yields(&mut self, node: Node) -> ExprId {
        if !self.scopes.is(ScopeKind::Class) {
            self.scopes.current().has_yield = true;
        }
        let mut parts = node.children().peekable();
        let from = parts.next_if(|part| part.kind() == Kind::From).is_some();
        let kind = match parts.next() {
            Some(value) if from => ExprKind::YieldFrom(self.expr(value)),
            Some(value) => ExprKind::Yield(Some(self.expr(value))),
            None => ExprKind::Yield(None),
        };
        self.builder.expr(kind, node.span())
    }
}

/// From the first to the last of some nodes.
fn span_of(nodes: &[Node]) -> Option<Span> {
    Some(Span { start: nodes.first()?.span().start, end: nodes.last()?.span().end })
}

/// Whether a node can stand where an expression is read (in broken code, where anything stands anywhere).
pub(super) fn is_expr(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Identifier
            | Kind::String
            | Kind::Concatenated
            | Kind::Integer
            | Kind::Float
            | Kind::True
            | Kind::False
            | Kind::None
            | Kind::Ellipsis
            | Kind::Call
            | Kind::Await
            | Kind::NotOperator
            | Kind::Unary
            | Kind::Comparison
            | Kind::Conditional
            | Kind::Named
            | Kind::Lambda
            | Kind::Yield
            | Kind::List
            | Kind::ListPattern
            | Kind::Set
            | Kind::Tuple
            | Kind::TuplePattern
            | Kind::ExpressionList
            | Kind::PatternList
            | Kind::Dictionary
            | Kind::ListComprehension
            | Kind::SetComprehension
            | Kind::DictComprehension
            | Kind::Generator
            | Kind::Attribute
            | Kind::Subscript
            | Kind::Binary
            | Kind::Boolean
            | Kind::Parenthesized
            | Kind::AsPattern
            | Kind::Error
            | Kind::Slice
            | Kind::ArgumentList
            | Kind::KeywordArgument
            | Kind::Pair
            | Kind::Other
    )
}
