//! A compact copy of the concrete tree: one pass of a cursor (no recursion), 16 bytes a node, punctuation
//! and comments left out. Lowering needs children by role, siblings and whole subtrees many times over;
//! here these are array look-ups, and nothing after this file depends on the parser.

use super::kind::{Field, Grammar, Kind};
use crate::ir::Span;
use std::time::{Duration, Instant};
use tree_sitter::{ParseOptions, ParseState, Parser, TreeCursor};

/// A node of the compact tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Node(u32);

struct Data {
    kind: Kind,
    field: Field,
    start: u32,
    end: u32,
    /// One past the last node of the subtree (nodes are in preorder).
    last: u32,
}

/// The compact tree of one file.
pub struct Tree<'s> {
    source: &'s str,
    nodes: Vec<Data>,
    /// `var` declarations (and `for (var …)` heads) with the function they belong to, in order of the latter.
    vars: Vec<(Node, Node)>,
    /// Comments with the text they cover.
    pub comments: Vec<Span>,
    /// Regions that could not be parsed, outermost only.
    pub errors: Vec<Span>,
}

/// Parses a file; none if the parser takes far too long. `text` is what the parser sees: the source, or the
/// source with some bytes blanked out.
pub fn parse<'s>(source: &'s str, text: &str, grammar: &'static Grammar) -> Option<Tree<'s>> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    let parsed = parse_in_time(&mut parser, text.as_bytes())?;
    let mut copy = Copier {
        grammar,
        tree: Tree { source, nodes: Vec::new(), vars: Vec::new(), comments: Vec::new(), errors: Vec::new() },
        open: Vec::new(),
        functions: vec![Node(0)],
        broken: 0,
    };
    copy.tree.nodes.reserve(source.len() / 6);
    copy.run(&mut parsed.walk(), parsed.root_node().has_error());
    copy.tree.vars.sort();
    Some(copy.tree)
}

/// Error recovery is quadratic on a few kinds of garbage (100 kB of quotes take minutes); no source that
/// anyone wrote comes near this limit, which is hundreds of times what parsing takes.
fn parse_in_time(parser: &mut Parser, bytes: &[u8]) -> Option<tree_sitter::Tree> {
    let limit = Duration::from_secs(10) + Duration::from_micros(20 * bytes.len() as u64);
    let start = Instant::now();
    let mut is_late = |_: &ParseState| start.elapsed() > limit;
    let options = ParseOptions::new().progress_callback(&mut is_late);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// The state of the one pass.
struct Copier<'s> {
    grammar: &'static Grammar,
    tree: Tree<'s>,
    /// Nodes on the way from the root whose subtrees are not finished; none for dropped ones.
    open: Vec<Option<Node>>,
    functions: Vec<Node>,
    /// How many error nodes are open.
    broken: u32,
}

impl<'s> Copier<'s> {
    fn run(&mut self, cursor: &mut TreeCursor, check_errors: bool) {
        loop {
            let node = self.enter(cursor, check_errors);
            let descend = node.is_some_and(|n| !self.tree.kind(n).is_leaf());
            self.open.push(node);
            if descend && cursor.goto_first_child() {
                continue;
            }
            loop {
                self.leave();
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn enter(&mut self, cursor: &TreeCursor, check_errors: bool) -> Option<Node> {
        let ts = cursor.node();
        let kind = self.grammar.kind(ts.kind_id());
        let (start, end) = (ts.start_byte() as u32, ts.end_byte() as u32);
        let span = Span { start, end };
        if matches!(kind, Kind::Comment | Kind::HtmlComment) {
            self.tree.comments.push(span);
            return None;
        }
        let broken = check_errors && (kind == Kind::Error || ts.is_missing());
        if broken && self.broken == 0 {
            self.tree.errors.push(span);
        }
        if kind.is_dropped() && !self.is_hole_mark(kind, span) {
            return None;
        }
        let kind = if kind == Kind::Skip { Kind::Token } else { kind };
        if kind == Kind::Error {
            self.broken += 1;
        }
        let node = Node(self.tree.nodes.len() as u32);
        let field = cursor.field_id().map_or(Field::None, |id| self.grammar.field(id.get()));
        self.tree.nodes.push(Data { kind, field, start, end, last: node.0 + 1 });
        if kind.is_function() {
            self.functions.push(node);
        }
        self.note_var(node, kind, field);
        Some(node)
    }

    /// Commas are kept in `[, b] = pair`, or the positions would be lost.
    fn is_hole_mark(&self, kind: Kind, span: Span) -> bool {
        let Some(&Some(parent)) = self.open.last() else { return false };
        kind == Kind::Skip && self.tree.kind(parent) == Kind::ArrayPattern && self.tree.slice(span) == ","
    }

    fn note_var(&mut self, node: Node, kind: Kind, field: Field) {
        let Some(&function) = self.functions.last() else { return };
        if kind == Kind::VariableDeclaration {
            self.tree.vars.push((function, node));
        } else if kind == Kind::Token
            && field == Field::Kind
            && self.tree.text(node) == "var"
            && let Some(&Some(head)) = self.open.last()
            && self.tree.kind(head) == Kind::ForIn
        {
            self.tree.vars.push((function, head));
        }
    }

    fn leave(&mut self) {
        let Some(Some(node)) = self.open.pop() else { return };
        let last = self.tree.nodes.len() as u32;
        let data = &mut self.tree.nodes[node.0 as usize];
        data.last = last;
        if data.kind == Kind::Error {
            self.broken -= 1;
        }
        if data.kind.is_function() {
            self.functions.pop();
        }
    }
}

/// The children of a node, in order.
pub struct Children<'t, 's> {
    tree: &'t Tree<'s>,
    next: u32,
    last: u32,
}

impl Iterator for Children<'_, '_> {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        if self.next >= self.last {
            return None;
        }
        let node = Node(self.next);
        self.next = self.tree.nodes[self.next as usize].last;
        Some(node)
    }
}

impl<'s> Tree<'s> {
    /// The root; none for a file without a single node.
    pub fn root(&self) -> Option<Node> {
        (!self.nodes.is_empty()).then_some(Node(0))
    }

    /// What a node is.
    pub fn kind(&self, node: Node) -> Kind {
        self.nodes[node.0 as usize].kind
    }

    /// Its role in its parent.
    pub fn role(&self, node: Node) -> Field {
        self.nodes[node.0 as usize].field
    }

    /// The bytes it covers.
    pub fn span(&self, node: Node) -> Span {
        let data = &self.nodes[node.0 as usize];
        Span { start: data.start, end: data.end }
    }

    /// Its text.
    pub fn text(&self, node: Node) -> &'s str {
        self.slice(self.span(node))
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &'s str {
        self.source.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// All children, tokens included.
    pub fn children(&self, node: Node) -> Children<'_, 's> {
        Children { tree: self, next: node.0 + 1, last: self.nodes[node.0 as usize].last }
    }

    /// Children that are not tokens.
    pub fn named(&self, node: Node) -> impl Iterator<Item = Node> {
        self.children(node).filter(|&n| self.kind(n) != Kind::Token)
    }

    /// The first child that is not a token.
    pub fn first(&self, node: Node) -> Option<Node> {
        self.named(node).next()
    }

    /// The first child in a role.
    pub fn field(&self, node: Node, field: Field) -> Option<Node> {
        self.children(node).find(|&n| self.role(n) == field)
    }

    /// All children in a role.
    pub fn fields(&self, node: Node, field: Field) -> impl Iterator<Item = Node> {
        self.children(node).filter(move |&n| self.role(n) == field)
    }

    /// The first child of a kind.
    pub fn child(&self, node: Node, kind: Kind) -> Option<Node> {
        self.children(node).find(|&n| self.kind(n) == kind)
    }

    /// Whether a keyword or operator is among the children.
    pub fn has(&self, node: Node, token: &str) -> bool {
        self.children(node).any(|n| self.kind(n) == Kind::Token && self.text(n) == token)
    }

    /// The `var` declarations and `for (var …)` heads that belong to a function (or the root).
    pub fn vars_of(&self, function: Node) -> impl Iterator<Item = Node> {
        let start = self.vars.partition_point(|(owner, _)| *owner < function);
        self.vars[start..].iter().take_while(move |(owner, _)| *owner == function).map(|(_, node)| *node)
    }

    /// All nodes of a kind under (and including) a node, in preorder.
    pub fn descendants(&self, node: Node, kind: Kind) -> impl Iterator<Item = Node> {
        (node.0..self.nodes[node.0 as usize].last).map(Node).filter(move |&n| self.kind(n) == kind)
    }
}
