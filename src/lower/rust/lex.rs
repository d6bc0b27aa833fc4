//! A tokeniser that knows just enough of Rust to skip strings, characters and comments.

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// White space.
    Space,
    /// `// …` without its line end.
    LineComment,
    /// `/* … */`, nested ones included.
    BlockComment,
    /// A string, character, byte or number.
    Literal,
    /// `'a`
    Lifetime,
    /// An identifier or keyword.
    Word,
    /// `(`, `[`, `{`
    Open,
    /// `)`, `]`, `}`
    Close,
    /// Any other character.
    Punct,
}

/// Yields tokens as (kind, first byte, one past the last byte); together they cover the text.
pub(super) struct Lexer<'s> {
    bytes: &'s [u8],
    at: usize,
}

impl<'s> Lexer<'s> {
    /// Starts at the first byte.
    pub fn new(source: &'s str) -> Self {
        Self { bytes: source.as_bytes(), at: 0 }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self, belongs: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && belongs(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0usize;
        while self.at < self.bytes.len() {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
        self.at = self.bytes.len();
    }

    /// A quoted text with escapes; stands on the opening quote.
    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\\' => self.at += 2,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
        self.at = self.bytes.len();
    }

    /// `r"…"`, `r#"…"#`; `skip` bytes of prefix. False if it is none (then nothing is taken).
    fn raw(&mut self, skip: usize) -> bool {
        let mut hashes = 0;
        while self.peek(skip + hashes) == b'#' {
            hashes += 1;
        }
        if self.peek(skip + hashes) != b'"' {
            return false;
        }
        self.at += skip + hashes + 1;
        while self.at < self.bytes.len() {
            if self.bytes[self.at] == b'"' {
                let closing = &self.bytes[self.at + 1..];
                if closing.len() >= hashes && closing[..hashes].iter().all(|&b| b == b'#') {
                    self.at += 1 + hashes;
                    return true;
                }
            }
            self.at += 1;
        }
        true
    }

    fn word_or_prefixed(&mut self) -> Kind {
        let literal = match (self.peek(0), self.peek(1)) {
            (b'r', b'"' | b'#') => self.raw(1),
            (b'b' | b'c', b'r') => self.raw(2),
            (b'b' | b'c', b'"') => {
                self.at += 1;
                self.quoted(b'"');
                true
            }
            (b'b', b'\'') => {
                self.at += 1;
                self.quoted(b'\'');
                true
            }
            _ => false,
        };
        if literal {
            return Kind::Literal;
        }
        if self.peek(0) == b'r' && self.peek(1) == b'#' && is_word(self.peek(2)) {
            self.at += 2;
        }
        self.run(is_word);
        Kind::Word
    }

    /// A character or a lifetime; stands on the quote.
    fn tick(&mut self) -> Kind {
        if self.peek(1) == b'\\' {
            self.quoted(b'\'');
            return Kind::Literal;
        }
        let width = match self.peek(1) {
            0..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        if self.peek(1 + width) == b'\'' {
            self.at += width + 2;
            return Kind::Literal;
        }
        self.at += 1;
        self.run(is_word);
        Kind::Lifetime
    }
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

impl Iterator for Lexer<'_> {
    type Item = (Kind, usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let from = self.at;
        let byte = *self.bytes.get(from)?;
        let kind = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                self.run(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'));
                Kind::Space
            }
            b'/' if self.peek(1) == b'/' => {
                self.run(|b| b != b'\n');
                Kind::LineComment
            }
            b'/' if self.peek(1) == b'*' => {
                self.block_comment();
                Kind::BlockComment
            }
            b'"' => {
                self.quoted(b'"');
                Kind::Literal
            }
            b'\'' => self.tick(),
            b'0'..=b'9' => {
                self.run(is_word);
                Kind::Literal
            }
            b'(' | b'[' | b'{' => {
                self.at += 1;
                Kind::Open
            }
            b')' | b']' | b'}' => {
                self.at += 1;
                Kind::Close
            }
            _ if is_word(byte) => self.word_or_prefixed(),
            _ => {
                self.at += 1;
                Kind::Punct
            }
        };
        self.at = self.at.min(self.bytes.len());
        Some((kind, from, self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<(Kind, &str)> {
        Lexer::new(source).filter(|t| t.0 != Kind::Space).map(|(k, a, b)| (k, &source[a..b])).collect()
    }

    #[test]
    fn knows_strings_characters_and_lifetimes() {
        use Kind::*;
        let source =
            r####"'a 'a' '\'' '}' 'é' b'"' "\"}" r#"a"}"# br##"x"# "## r#type c"x" /* a /* b */ } */ 1.0e3"####;
        let found = kinds(source);
        let expected = [
            Lifetime,
            Literal,
            Literal,
            Literal,
            Literal,
            Literal,
            Literal,
            Literal,
            Literal,
            Word,
            Literal,
            BlockComment,
            Literal,
            Punct,
            Literal,
        ];
        assert_eq!(found.iter().map(|k| k.0).collect::<Vec<_>>(), expected, "{found:?}");
    }

    #[test]
    fn takes_unfinished_text() {
        for source in ["\"abc", "'", "'\\", "/* a", "r#\"x\"", "b'", "\"\\", "r#", "é'"] {
            let end = Lexer::new(source).last().map(|t| t.2);
            assert_eq!(end, Some(source.len()), "{source}");
        }
    }
}
