//! A cheap look at the bytes before parsing: where items begin and end, how much stack parsing them may
//! need, and where ignore comments stand.
//!
//! syn recurses, so the guard has to come before it. The estimate is an upper bound in bytes of stack,
//! taken from measurements of each construct (debug builds need about six times as much); it counts
//! brackets, generics, prefix operators and chains, and forgets what a separator ends.

use super::lex::{Kind, Lexer};
use crate::ir::Span;

const SCALE: usize = if cfg!(debug_assertions) { 6 } else { 1 };
const BRACKET: usize = 10_000 * SCALE;
const ANGLE: usize = 10_000 * SCALE;
const PREFIX: usize = 6_500 * SCALE;
const WORD: usize = 3_000 * SCALE;
const COLON: usize = 800 * SCALE;
const POSTFIX: usize = 400 * SCALE;

/// What the scan found.
pub(super) struct Survey {
    /// The stack that parsing the whole file may need.
    pub cost: usize,
    /// Top-level items in order; together they cover the file.
    pub items: Vec<Chunk>,
    /// Ignore comments' places.
    pub ignores: Vec<Span>,
}

/// A top-level item as cut by its brackets, with the space and comments before it.
#[derive(Clone, Copy)]
pub(super) struct Chunk {
    /// First byte (right after the item before).
    pub start: usize,
    /// First byte of its first token.
    pub token: usize,
    /// One past its last byte.
    pub end: usize,
    /// The stack that parsing it may need.
    pub cost: usize,
}

/// Sums of the bracket levels that are open.
#[derive(Default, Clone, Copy)]
struct Level {
    /// The bracket that opened it.
    open: u8,
    /// Whether it is an attribute's, after which an operand is still to come.
    attribute: bool,
    /// Ended by `,`, `;`, `=>` and the end of a block.
    chain: usize,
    /// Generics and closure heads, which hold commas themselves: ended by `;` and the end of a block.
    nest: usize,
}

/// How the current item ends.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    /// Not known before its first word.
    Open,
    /// At `;` only (`use`, `static`, `const`, `type`).
    Semicolon,
    /// At the first closing brace or `;`.
    Brace,
    /// At the first closing bracket (`#![…]`).
    Bracket,
}

struct Scan<'s> {
    source: &'s str,
    items: Vec<Chunk>,
    ignores: Vec<Span>,
    levels: Vec<Level>,
    total: usize,
    most: usize,
    start: usize,
    token: Option<usize>,
    ends: Ends,
    after_const: bool,
    closed_attribute: bool,
    /// The token before: its kind and text.
    last: (Kind, usize, usize),
}

/// Scans a file or a piece of one.
pub(super) fn survey(source: &str) -> Survey {
    let mut scan = Scan {
        source,
        items: Vec::new(),
        ignores: Vec::new(),
        levels: vec![Level::default()],
        total: 0,
        most: 0,
        start: 0,
        token: None,
        ends: Ends::Open,
        after_const: false,
        closed_attribute: false,
        last: (Kind::Space, 0, 0),
    };
    for (kind, from, to) in Lexer::new(source) {
        scan.token(kind, from, to);
    }
    if scan.token.is_some() || scan.start < source.len() {
        scan.finish(source.len());
    }
    let cost = scan.items.iter().map(|item| item.cost).max().unwrap_or(0);
    Survey { cost, items: scan.items, ignores: scan.ignores }
}

impl Scan<'_> {
    fn token(&mut self, kind: Kind, from: usize, to: usize) {
        match kind {
            Kind::Space => return,
            Kind::LineComment => {
                let text = &self.source.as_bytes()[from..to];
                if !matches!(text.get(2), Some(b'/' | b'!')) && text.windows(7).any(|w| w == b"squall:") {
                    self.ignores.push(Span::new(from, to));
                }
                return;
            }
            Kind::BlockComment => return,
            _ => {}
        }
        if self.token.is_none() {
            self.token = Some(from);
        }
        let byte = self.source.as_bytes()[from];
        self.after_block(kind, byte, from, to);
        match kind {
            Kind::Open => self.open(byte),
            Kind::Close => self.close(byte, to),
            Kind::Punct => self.punct(byte, from, to),
            Kind::Word => self.word(from, to),
            _ => {}
        }
        let kind = if kind == Kind::Close && self.closed_attribute { Kind::Punct } else { kind };
        self.last = (kind, from, to);
    }

    /// After a `}` a new statement begins, unless what follows goes on with the expression.
    fn after_block(&mut self, kind: Kind, byte: u8, from: usize, to: usize) {
        if !self.last_is(Kind::Close, b'}') {
            return;
        }
        let goes_on = match kind {
            Kind::Punct => !matches!(byte, b'#' | b'$'),
            Kind::Word => matches!(&self.source[from..to], "else" | "as"),
            Kind::Close => true,
            _ => false,
        };
        if !goes_on && let Some(level) = self.levels.last_mut() {
            self.total -= level.chain + level.nest;
            level.chain = 0;
            level.nest = 0;
        }
    }

    fn last_is(&self, kind: Kind, byte: u8) -> bool {
        self.last.0 == kind && self.source.as_bytes().get(self.last.1) == Some(&byte)
    }

    fn open(&mut self, byte: u8) {
        let attribute = byte == b'[' && (self.last_is(Kind::Punct, b'#') || self.last_is(Kind::Punct, b'!'));
        self.levels.push(Level { open: byte, attribute, ..Level::default() });
        self.raise(BRACKET);
    }

    fn raise(&mut self, by: usize) {
        self.total += by;
        self.most = self.most.max(self.total);
    }

    fn close(&mut self, byte: u8, to: usize) {
        let opener = match byte {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        if self.levels.len() == 1 {
            // A closing bracket too many: an item of its own, which no parser takes.
            self.finish(to);
            return;
        }
        // Brackets that were left open end with the one around them.
        let Some(place) = self.levels.iter().rposition(|l| l.open == opener) else { return };
        self.closed_attribute = self.levels[place].attribute;
        for level in self.levels.drain(place..) {
            self.total = self.total.saturating_sub(level.chain + level.nest + BRACKET);
        }
        self.chain(POSTFIX);
        if self.levels.len() == 1 {
            let done = match self.ends {
                Ends::Bracket => byte == b']',
                Ends::Semicolon => false,
                Ends::Open | Ends::Brace => byte == b'}',
            };
            if done {
                self.finish(to);
            }
        }
    }

    fn chain(&mut self, by: usize) {
        if let Some(level) = self.levels.last_mut() {
            level.chain += by;
        }
        self.raise(by);
    }

    fn nest(&mut self, by: usize) {
        if let Some(level) = self.levels.last_mut() {
            level.nest += by;
        }
        self.raise(by);
    }

    fn reset(&mut self, all: bool) {
        if let Some(level) = self.levels.last_mut()
            // A comma inside `<…>` ends nothing that stands before it.
            && (all || level.nest == 0)
        {
            self.total -= level.chain;
            level.chain = 0;
            if all {
                self.total -= level.nest;
                level.nest = 0;
            }
        }
    }

    /// Whether the token before ends an operand, so that an operator after it takes two.
    fn after_operand(&self) -> bool {
        match self.last.0 {
            Kind::Literal | Kind::Close => true,
            Kind::Word => !is_keyword(&self.source[self.last.1..self.last.2]),
            _ => false,
        }
    }

    fn punct(&mut self, byte: u8, from: usize, to: usize) {
        match byte {
            b';' => {
                self.reset(true);
                if self.levels.len() == 1 {
                    self.finish(to);
                }
            }
            b',' => self.reset(false),
            b'>' if self.last_is(Kind::Punct, b'=') && self.last.2 == from => self.reset(true),
            // What a function type returns may be another one.
            b'>' if self.last_is(Kind::Punct, b'-') && self.last.2 == from => self.chain(ANGLE),
            b'>' => {
                if let Some(level) = self.levels.last_mut() {
                    let by = level.nest.min(ANGLE);
                    level.nest -= by;
                    self.total -= by;
                }
            }
            b'<' => self.nest(ANGLE),
            b'|' => {
                let second = self.last_is(Kind::Punct, b'|') && self.last.2 == from;
                if self.after_operand() || second { self.chain(POSTFIX) } else { self.nest(PREFIX) }
            }
            b'&' | b'*' | b'-' if self.after_operand() => self.chain(POSTFIX),
            b'!' if self.last.0 == Kind::Word && self.last.2 == from => self.chain(POSTFIX),
            b'&' | b'*' | b'-' | b'!' | b'=' | b'@' => self.chain(PREFIX),
            b'.' if self.last_is(Kind::Punct, b'.') => self.chain(PREFIX),
            b'+' | b'/' | b'%' | b'^' | b'.' | b'?' => self.chain(POSTFIX),
            b':' => self.chain(COLON),
            b'#' if self.levels.len() == 1
                && self.token == Some(from)
                && self.source.as_bytes().get(to) == Some(&b'!') =>
            {
                self.ends = Ends::Bracket;
            }
            _ => {}
        }
    }

    fn word(&mut self, from: usize, to: usize) {
        if self.last.0 == Kind::Word || is_keyword(&self.source[from..to]) {
            self.chain(WORD);
        }
        if self.levels.len() > 1 {
            return;
        }
        let text = &self.source[from..to];
        if self.ends == Ends::Open {
            self.after_const = text == "const";
            self.ends = match text {
                "pub" | "default" | "crate" => Ends::Open,
                "use" | "static" | "const" | "type" => Ends::Semicolon,
                _ => Ends::Brace,
            };
        } else if self.after_const && matches!(text, "fn" | "unsafe" | "extern" | "async") {
            self.ends = Ends::Brace;
        } else {
            self.after_const = false;
        }
    }

    fn finish(&mut self, end: usize) {
        self.items.push(Chunk { start: self.start, token: self.token.unwrap_or(self.start), end, cost: self.most });
        self.start = end;
        self.token = None;
        self.ends = Ends::Open;
        self.after_const = false;
        self.levels = vec![Level::default()];
        self.total = 0;
        self.most = 0;
        self.last = (Kind::Space, 0, 0);
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "mut"
            | "return"
            | "dyn"
            | "in"
            | "as"
            | "if"
            | "match"
            | "while"
            | "let"
            | "move"
            | "const"
            | "else"
            | "break"
            | "yield"
            | "unsafe"
            | "async"
            | "static"
            | "ref"
            | "box"
            | "impl"
            | "where"
            | "for"
            | "raw"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(source: &str) -> Vec<&str> {
        survey(source).items.iter().map(|c| source[c.token..c.end].trim()).filter(|t| !t.is_empty()).collect()
    }

    #[test]
    fn cuts_items_at_their_ends() {
        let source = "#![allow(x)]\nuse a::{b, c};\n/// doc\n#[x] pub fn f() { \"}\"; '}'; }\nconst A: T = T { a: 1 };\n\
                      const fn g() {} m! { x } struct S<'a>(&'a str); /* } */ impl A { fn b() {} }";
        let items = cut(source);
        assert_eq!(items.len(), 8, "{items:?}");
        assert_eq!(items[0], "#![allow(x)]");
        assert_eq!(items[3], "const A: T = T { a: 1 };");
    }

    #[test]
    fn counts_what_recurses_and_forgets_at_separators() {
        let flat = "fn f() { a(); b(); if x { y } match z { A => 1, B => 2 } }".repeat(100);
        assert!(survey(&flat).cost < 10 * BRACKET);
        for deep in ["(", "[", "V<u8, ", "! ", "& ", "|a, b| ", "return ", "a = ", "-> fn() "] {
            let source = format!("fn f() {{ {} }}", deep.repeat(1000));
            assert!(survey(&source).cost > 1000 * WORD, "{deep}");
        }
        let arms = format!("fn f() {{ match x {{ {} }} }}", "A | B if a || b => c < d,".repeat(1000));
        assert!(survey(&arms).cost < 20 * BRACKET);
    }

    #[test]
    fn finds_ignore_comments_outside_strings() {
        let source = "let a = \"// squall: ignore\"; // squall: ignore[x]\n/// squall: ignore\n";
        let found = survey(source).ignores;
        assert_eq!(found.len(), 1);
        assert!(source[found[0].start as usize..].starts_with("// squall: ignore[x]"));
    }
}
