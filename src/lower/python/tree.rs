//! The syntax tree copied into one flat array: a walk over it costs no calls into the parser, has no lifetime
//! trouble, and its depth is no danger. Comments and punctuation are gone, string annotations are parsed.

use super::kind::{Field, Kind, Tables};
use crate::ir::Span;
use std::time::{Duration, Instant};

/// One node; its children follow it directly, up to `next`.
#[derive(Clone, Copy)]
struct Raw {
    kind: Kind,
    field: Field,
    start: u32,
    end: u32,
    next: u32,
}

/// A flat syntax tree.
pub(super) struct Tree<'s> {
    source: &'s str,
    nodes: Vec<Raw>,
    /// Where comments stand.
    pub comments: Vec<Span>,
    /// Syntax errors, outermost regions only.
    pub errors: Vec<Span>,
}

/// A node of a [`Tree`].
#[derive(Clone, Copy)]
pub(super) struct Node<'t> {
    tree: &'t Tree<'t>,
    at: u32,
}

impl<'s> Tree<'s> {
    /// Parses a whole file; `None` if that takes out of all proportion long.
    pub fn parse(source: &'s str) -> Option<Tree<'s>> {
        let tables = Tables::get();
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&tables.language).ok()?;
        let parsed = parse(&mut parser, source)?;
        let mut tree =
            Tree { source, nodes: Vec::with_capacity(source.len() / 5), comments: Vec::new(), errors: Vec::new() };
        let mut flatten = Flatten { tree: &mut tree, tables, parser: &mut parser, base: 0 };
        flatten.copy(&parsed, true);
        Some(tree)
    }

    /// The module node.
    pub fn root(&'s self) -> Option<Node<'s>> {
        (!self.nodes.is_empty()).then_some(Node { tree: self, at: 0 })
    }
}

/// Parses a text. Recovery from errors can take quadratic time (60 kB of unclosed definitions: over a second), so
/// that a file which is no Python at all would hold up everything; ordinary code is parsed at megabytes a second.
fn parse(parser: &mut tree_sitter::Parser, text: &str) -> Option<tree_sitter::Tree> {
    let limit = Duration::from_secs(5) + Duration::from_micros(text.len() as u64);
    let start = Instant::now();
    let mut give_up = |_: &tree_sitter::ParseState| start.elapsed() > limit;
    let options = tree_sitter::ParseOptions::new().progress_callback(&mut give_up);
    let bytes = text.as_bytes();
    let parsed = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
    if parsed.is_none() {
        parser.reset();
    }
    parsed
}

struct Flatten<'f, 's> {
    tree: &'f mut Tree<'s>,
    tables: &'static Tables,
    parser: &'f mut tree_sitter::Parser,
    /// Offset of what is parsed within the file.
    base: usize,
}

impl Flatten<'_, '_> {
    /// Copies a parsed tree. `outer` is false inside a string annotation, whose errors are not the file's.
    fn copy(&mut self, parsed: &tree_sitter::Tree, outer: bool) {
        let mut cursor = parsed.walk();
        // Open nodes, with whether they are errors or annotations themselves.
        let mut open: Vec<(u32, bool, bool)> = Vec::new();
        let (mut errors, mut annotations) = (0u32, 0u32);
        loop {
            let node = cursor.node();
            let kind = self.kind(&node);
            let mut descend = false;
            if kind == Kind::Comment {
                if outer {
                    self.tree.comments.push(Span::new(node.start_byte(), node.end_byte()));
                }
            } else if kind != Kind::Dropped
                && let field = self.tables.field(cursor.field_id())
                && (field != Field::Unnamed || !Tables::is_token(kind) || Tables::stands_alone(kind))
            {
                let range = node.byte_range();
                let (start, end) = (range.start + self.base, range.end + self.base);
                let at = self.push(kind, field, start, end);
                if outer && errors == 0 && matches!(kind, Kind::Error | Kind::Missing) {
                    self.tree.errors.push(Span::new(start, end));
                }
                if kind == Kind::String && (annotations > 0 || !outer) {
                    self.forward(at, start, end);
                }
                if kind != Kind::StringContent && cursor.goto_first_child() {
                    let (error, annotation) = (kind == Kind::Error, kind == Kind::Type);
                    errors += u32::from(error);
                    annotations += u32::from(annotation);
                    open.push((at, error, annotation));
                    descend = true;
                } else {
                    self.close(at);
                }
            }
            if descend {
                continue;
            }
            while !cursor.goto_next_sibling() {
                let Some((at, error, annotation)) = open.pop() else { return };
                errors -= u32::from(error);
                annotations -= u32::from(annotation);
                self.close(at);
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn kind(&self, node: &tree_sitter::Node) -> Kind {
        let kind = self.tables.kind(node.kind_id());
        if kind != Kind::Error && node.start_byte() == node.end_byte() && node.is_missing() {
            return Kind::Missing;
        }
        kind
    }

    fn push(&mut self, kind: Kind, field: Field, start: usize, end: usize) -> u32 {
        let at = self.tree.nodes.len() as u32;
        self.tree.nodes.push(Raw { kind, field, start: start as u32, end: end as u32, next: at + 1 });
        at
    }

    fn close(&mut self, at: u32) {
        let next = self.tree.nodes.len() as u32;
        if let Some(node) = self.tree.nodes.get_mut(at as usize) {
            node.next = next;
        }
    }

    /// A string in an annotation stands for the type written in it: its parse becomes a child of the string.
    /// Quotes nest only as deep as there are kinds of them.
    fn forward(&mut self, string: u32, start: usize, end: usize) {
        let text = self.tree.source.get(start..end).unwrap_or("");
        let Some(open) = text.find(['"', '\'']) else { return };
        let quoted = &text[open..];
        let quotes = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") { 3 } else { 1 };
        let Some(inner) = quoted.get(quotes..quoted.len().saturating_sub(quotes)) else { return };
        let skipped = inner.len() - inner.trim_start().len();
        let inner = inner.trim();
        if inner.is_empty() || inner.contains('\\') || text[..open].contains(['f', 'F', 'b', 'B']) {
            return;
        }
        let from = start + open + quotes + skipped;
        let at = self.push(Kind::Type, Field::Forward, from, from + inner.len());
        if is_identifier(inner) {
            let kind = if inner == "None" { Kind::None } else { Kind::Identifier };
            self.push(kind, Field::Unnamed, from, from + inner.len());
        } else if let Some(parsed) = parse(self.parser, inner) {
            let outer = std::mem::replace(&mut self.base, from);
            self.copy(&parsed, false);
            self.base = outer;
        }
        self.close(at);
        debug_assert!(string < at);
    }
}

fn is_identifier(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !text.starts_with(|c: char| c.is_ascii_digit())
}

impl<'t> Node<'t> {
    fn raw(self) -> Raw {
        self.tree.nodes[self.at as usize]
    }

    /// What it is.
    pub fn kind(self) -> Kind {
        self.raw().kind
    }

    /// Which part of its parent it is.
    pub fn field(self) -> Field {
        self.raw().field
    }

    /// The bytes it covers.
    pub fn span(self) -> Span {
        let raw = self.raw();
        Span { start: raw.start, end: raw.end }
    }

    /// Its first byte.
    pub fn start(self) -> usize {
        self.raw().start as usize
    }

    /// One past its last byte.
    pub fn end(self) -> usize {
        self.raw().end as usize
    }

    /// Its source text.
    pub fn text(self) -> &'t str {
        self.tree.source.get(self.start()..self.end()).unwrap_or("")
    }

    /// The source text between two offsets.
    pub fn source(self, start: usize, end: usize) -> &'t str {
        self.tree.source.get(start..end).unwrap_or("")
    }

    /// Its children in order.
    pub fn children(self) -> Children<'t> {
        Children { tree: self.tree, at: self.at + 1, end: self.raw().next }
    }

    /// Its first child.
    pub fn first(self) -> Option<Node<'t>> {
        self.children().next()
    }

    /// The first child that is part `field`.
    pub fn child(self, field: Field) -> Option<Node<'t>> {
        self.children().find(|child| child.field() == field)
    }

    /// The first child of a kind.
    pub fn child_of(self, kind: Kind) -> Option<Node<'t>> {
        self.children().find(|child| child.kind() == kind)
    }
}

/// Iterates over a node's children.
#[derive(Clone)]
pub(super) struct Children<'t> {
    tree: &'t Tree<'t>,
    at: u32,
    end: u32,
}

impl<'t> Iterator for Children<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        if self.at >= self.end {
            return None;
        }
        let node = Node { tree: self.tree, at: self.at };
        self.at = node.raw().next;
        Some(node)
    }
}
