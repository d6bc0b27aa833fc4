//! `match` statements and their patterns.

use super::Lower;
use super::import::dotted;
use super::kind::{Field, Kind};
use super::tree::{Children, Node};
use crate::ir::*;

impl Lower {
    pub(super) fn match_statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let subjects: Vec<_> = node.children().filter(|child| child.field() == Field::Subject).collect();
        let subject = self.one_or_tuple(&subjects, node.span());
        let mut arms = Vec::new();
        let body = node.child(Field::Body);
        for case in body.into_iter().flat_map(|body| body.children()).filter(|child| child.kind() == Kind::Case) {
            arms.push(self.arm(case));
        }
        self.push(Stmt::Match { subject, arms, is_switch: false }, node.span(), out);
    }

    fn arm(&mut self, case: Node) -> Arm {
        let patterns: Vec<_> = case.children().filter(|child| child.kind() == Kind::CasePattern).collect();
        let pattern = match patterns[..] {
            [pattern] if !comma_behind(pattern, case) => self.case_pattern(pattern),
            _ => {
                let parts = patterns.iter().map(|part| self.case_pattern(*part)).collect();
                self.builder.pattern(Pattern::Sequence(parts))
            }
        };
        let guard = case.child(Field::Guard).and_then(Node::first).map(|guard| self.expr(guard));
        let mut end = patterns.last().map_or(case.end(), |last| last.end());
        if let Some(guard) = case.child(Field::Guard) {
            end = guard.end();
        }
        let body = self.block(case, Field::Consequence);
        Arm { pattern, guard, body, falls_through: false, span: Span::new(case.start(), end) }
    }

    fn case_pattern(&mut self, node: Node) -> PatId {
        if !self.enter(node) {
            return self.builder.pattern(Pattern::Unknown);
        }
        let pattern = self.case_kind(node);
        self.leave();
        pattern
    }

    fn case_kind(&mut self, node: Node) -> PatId {
        let pattern = match node.kind() {
            Kind::CasePattern => {
                let mut parts = node.children();
                return self.simple(&mut parts, node);
            }
            Kind::Underscore => Pattern::Ignore,
            Kind::AsPattern => {
                let mut parts = node.children();
                let (Some(inner), Some(name)) = (parts.next(), parts.last()) else {
                    return self.builder.pattern(Pattern::Unknown);
                };
                let inner = self.case_pattern(inner);
                Pattern::As(inner, self.bind(name.text()))
            }
            Kind::UnionPattern => {
                let mut parts = node.children();
                let mut alternatives = Vec::new();
                while parts.clone().next().is_some() {
                    if parts.clone().next().is_some_and(|part| part.kind() == Kind::Pipe) {
                        parts.next();
                    } else {
                        alternatives.push(self.simple(&mut parts, node));
                    }
                }
                Pattern::Or(alternatives)
            }
            Kind::TuplePattern => {
                let mut parts = node.children();
                match (parts.next(), parts.next()) {
                    // `(p)` is `p`, `(p,)` is a sequence.
                    (Some(only), None) if !comma_behind(only, node) => return self.case_pattern(only),
                    _ => self.case_sequence(node),
                }
            }
            Kind::ListPattern => self.case_sequence(node),
            Kind::DictPattern => self.mapping(node),
            Kind::ClassPattern => self.class_pattern(node),
            Kind::SplatPattern => Pattern::Rest(self.splat(node)),
            Kind::DottedName | Kind::Identifier => match dotted(node).as_str() {
                "_" => Pattern::Ignore,
                name if !name.contains('.') => Pattern::Bind(self.bind(name)),
                _ => Pattern::Value(self.path(node)),
            },
            Kind::Error => Pattern::Unknown,
            _ => Pattern::Value(self.expr(node)),
        };
        self.builder.pattern(pattern)
    }

    /// The next pattern of a list of parts in which a sign stands before its number.
    fn simple(&mut self, parts: &mut Children, around: Node) -> PatId {
        match parts.next() {
            Some(sign) if sign.kind() == Kind::Minus => {
                let Some(number) = parts.next() else { return self.builder.pattern(Pattern::Unknown) };
                let span = Span::new(sign.start(), number.end());
                let number = self.expr(number);
                let value = self.builder.expr(ExprKind::Unary(UnaryOp::Neg, number), span);
                self.builder.pattern(Pattern::Value(value))
            }
            Some(part) => self.case_pattern(part),
            // `case _:` in some positions has no node of its own.
            None if around.text().trim() == "_" => self.builder.pattern(Pattern::Ignore),
            None => self.builder.pattern(Pattern::Unknown),
        }
    }

    fn case_sequence(&mut self, node: Node) -> Pattern {
        Pattern::Sequence(node.children().map(|part| self.case_pattern(part)).collect())
    }

    /// `{"key": pattern, **rest}`
    fn mapping(&mut self, node: Node) -> Pattern {
        let (mut entries, mut rest) = (Vec::new(), None);
        let mut key = None;
        for part in node.children() {
            match (part.kind(), part.field()) {
                (Kind::SplatPattern, _) => rest = self.splat(part),
                (Kind::Minus, Field::Key) => {}
                (_, Field::Key) => key = Some(self.key(part)),
                (_, Field::Value) => {
                    let value = self.case_pattern(part);
                    if let Some(key) = key.take() {
                        entries.push((key, value));
                    }
                }
                _ => {}
            }
        }
        Pattern::Object { entries, rest }
    }

    /// A mapping's key: a string's value, anything else as it is written.
    fn key(&mut self, node: Node) -> Name {
        let value = match node.kind() {
            Kind::String | Kind::Concatenated => {
                let value = self.expr(node);
                self.builder.file().expr(value).kind.clone()
            }
            _ => ExprKind::Unknown(Vec::new()),
        };
        match value {
            ExprKind::Literal(Literal::Str(name)) => name,
            _ => self.builder.name(node.text()),
        }
    }

    /// `C(a, field=b)`
    fn class_pattern(&mut self, node: Node) -> Pattern {
        let mut parts = node.children();
        let path = match parts.next() {
            Some(path) => self.path(path),
            None => self.unknown(Vec::new(), node.span()),
        };
        let (mut args, mut fields) = (Vec::new(), Vec::new());
        for part in parts {
            // `field=p as name` comes as `(field=p) as name`.
            let alias = part.child_of(Kind::AsPattern);
            let inner = alias.and_then(Node::first).unwrap_or(part);
            let Some(keyword) = inner.child_of(Kind::KeywordPattern) else {
                args.push(self.case_pattern(part));
                continue;
            };
            let mut parts = keyword.children();
            let Some(field) = parts.next() else { continue };
            let field = self.builder.name(field.text());
            let mut pattern = self.simple(&mut parts, keyword);
            if let Some(name) = alias.and_then(|alias| alias.children().last()) {
                let var = self.bind(name.text());
                pattern = self.builder.pattern(Pattern::As(pattern, var));
            }
            fields.push((field, pattern));
        }
        Pattern::Variant { path, args, fields }
    }

    /// What `*name` or `**name` binds.
    fn splat(&mut self, node: Node) -> Option<PatId> {
        let name = node.child_of(Kind::Identifier).filter(|name| name.text() != "_")?;
        let var = self.bind(name.text());
        Some(self.builder.pattern(Pattern::Bind(var)))
    }

    /// A dotted name as an expression.
    fn path(&mut self, node: Node) -> ExprId {
        let mut parts = node.children();
        let Some(first) = parts.next() else { return self.read(node.text(), node.span()) };
        let mut path = self.read(first.text(), first.span());
        for part in parts {
            let span = Span::new(node.start(), part.end());
            path = self.attribute(span, path, part);
        }
        path
    }
}

/// Whether a comma follows a part before the end of what it stands in (or before its `:`).
fn comma_behind(part: Node, around: Node) -> bool {
    let rest = part.source(part.end(), around.end());
    rest.trim_start().starts_with(',')
}
