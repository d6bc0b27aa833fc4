//! What a value can be: tokens, hash-consed, and small sorted sets of them.

use super::symbols::Symbol;
use crate::ir::{ClassId, ExprId, FunctionId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A function of the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FuncRef {
    /// Index of its file.
    pub file: u32,
    /// The function in it.
    pub id: FunctionId,
}

/// A class of the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ClassRef {
    /// Index of its file.
    pub file: u32,
    /// The class in it.
    pub id: ClassId,
}

/// A component: one function in one context ([`super::component`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CompId(pub u32);

/// Where a value was made: an expression, executed by a component.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Site {
    /// The component; its function gives the file.
    pub comp: CompId,
    /// The expression that makes it.
    pub expr: ExprId,
}

/// Parts of what a call makes stand beyond the expressions of the file: where they begin, and the room for each.
const PARTS: u32 = 1 << 30;
const PART: u32 = 1 << 26;

impl Site {
    /// Where a part of what is made here stands.
    pub fn part(self, part: u32) -> Site {
        let expr = if self.expr.0 < PART { ExprId(PARTS + part * PART + self.expr.0) } else { self.expr };
        Site { expr, ..self }
    }

    /// The expression of the file that a part belongs to.
    pub fn of_source(self) -> Site {
        let in_part = self.expr.0 >= PARTS && self.expr.0 != u32::MAX;
        let expr = if in_part { ExprId((self.expr.0 - PARTS) % PART) } else { self.expr };
        Site { expr, ..self }
    }
}

/// A token's id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Tok(pub u32);

impl Tok {
    /// A value about which nothing is known.
    pub const UNKNOWN: Tok = Tok(0);
    /// An argument that a call leaves out.
    pub const MISSING: Tok = Tok(1);
    /// `None`, `null`.
    pub const NULL: Tok = Tok(2);
    /// `true`
    pub const TRUE: Tok = Tok(3);
    /// `false`
    pub const FALSE: Tok = Tok(4);
    /// More values than a set holds.
    pub const TOP: Tok = Tok(5);
}

/// What kind of container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum ContainerKind {
    List,
    Tuple,
    Set,
    Dict,
    /// An iterator or stream (Rust).
    Iter,
    /// JavaScript's `Map`, whose entries are not its properties.
    Map,
}

/// One thing that a value can be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Token {
    /// See [`Tok::UNKNOWN`].
    Unknown,
    /// See [`Tok::MISSING`].
    Missing,
    /// See [`Tok::NULL`].
    Null,
    /// A truth value.
    Bool(bool),
    /// See [`Tok::TOP`].
    Top,
    /// An integer.
    Int(i64),
    /// Another number, by its bits.
    Float(u64),
    /// A string.
    Str(Symbol),
    /// A function with the component it was made in.
    Function {
        /// The function.
        func: FuncRef,
        /// The component whose variables it captures.
        env: CompId,
    },
    /// A callable bound to a receiver.
    Bound {
        /// The callable.
        func: Tok,
        /// The receiver.
        this: Tok,
    },
    /// A class with the component it was made in.
    Class {
        /// The class.
        class: ClassRef,
        /// The component that ran the class statement.
        env: CompId,
    },
    /// An instance of a class of the program.
    Object {
        /// Where it was made.
        site: Site,
        /// Its class ([`Token::Class`]).
        class: Tok,
    },
    /// An instance of a class known by declaration only.
    Instance {
        /// Its class ([`Token::Class`]).
        class: Tok,
    },
    /// A list, tuple, set, dictionary or plain object.
    Container {
        /// Where it was made.
        site: Site,
        /// What it is.
        kind: ContainerKind,
    },
    /// The rest arguments of a component (`*args`, `**kwargs`) or of a destructuring.
    Rest {
        /// The component.
        comp: CompId,
        /// The parameter's index.
        param: u32,
        /// What it is.
        kind: ContainerKind,
    },
    /// A file's module.
    Module(u32),
    /// An inline module, by the component that runs it (Rust).
    Inline(CompId),
    /// A variant of an enum: a value, or what makes one (Rust).
    Variant {
        /// The enum ([`Token::Class`]).
        class: Tok,
        /// The variant.
        name: Symbol,
    },
    /// A folder without code of its own (namespace package, crate root).
    Package(Symbol),
    /// Something of a package that is not part of the program, by its full path.
    External(Symbol),
    /// The result of calling something external.
    Made {
        /// The call.
        site: Site,
        /// What was called.
        callee: Tok,
    },
    /// An attribute of an external object.
    Member {
        /// The object.
        base: Tok,
        /// The attribute.
        name: Symbol,
    },
    /// A callable wrapped by something external (a decorator).
    Wrapped {
        /// The decorator.
        by: Tok,
        /// The wrapped callable.
        inner: Tok,
        /// Where it was applied.
        site: Site,
    },
    /// A partial application; its arguments are in the store.
    Partial {
        /// The call that made it.
        site: Site,
        /// The callable.
        func: Tok,
    },
    /// The receiver seen from a base class.
    Super {
        /// The class whose bases are meant.
        class: ClassRef,
        /// The receiver.
        this: Tok,
    },
    /// A generator object of a component.
    Generator(CompId),
    /// An operator applied to external values (`stop_a | stop_b`).
    Combined {
        /// The expression.
        site: Site,
    },
}

/// The table of tokens.
pub struct Tokens {
    list: Vec<Token>,
    index: FxHashMap<Token, Tok>,
}

impl Default for Tokens {
    fn default() -> Self {
        let mut tokens = Self { list: Vec::new(), index: FxHashMap::default() };
        for token in [Token::Unknown, Token::Missing, Token::Null, Token::Bool(true), Token::Bool(false), Token::Top] {
            tokens.intern(token);
        }
        tokens
    }
}

impl Tokens {
    /// The id of a token.
    pub fn intern(&mut self, token: Token) -> Tok {
        if let Some(&id) = self.index.get(&token) {
            return id;
        }
        let id = Tok(self.list.len() as u32);
        self.list.push(token);
        self.index.insert(token, id);
        id
    }

    /// An object as one of which no more than the class is known.
    pub fn declared(&mut self, id: Tok) -> Tok {
        match *self.get(id) {
            Token::Object { class, .. } => self.intern(Token::Instance { class }),
            _ => id,
        }
    }

    /// The token behind an id.
    pub fn get(&self, id: Tok) -> &Token {
        &self.list[id.0 as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All tokens, in the order in which they came up.
    pub fn all(&self) -> impl Iterator<Item = Tok> + use<> {
        (0..self.list.len() as u32).map(Tok)
    }

    /// Whether the token is a plain constant.
    pub fn is_constant(&self, id: Tok) -> bool {
        matches!(self.get(id), Token::Null | Token::Bool(_) | Token::Int(_) | Token::Float(_) | Token::Str(_))
    }

    /// Whether the token is a number or string.
    pub fn is_scalar(&self, id: Tok) -> bool {
        matches!(self.get(id), Token::Int(_) | Token::Float(_) | Token::Str(_))
    }
}

/// The most tokens a set holds while it is worked with.
const CAP: usize = 200;
/// The most tokens that an address holds or a call is followed to.
pub const MOST: usize = 40;

/// A set of tokens, sorted.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Value(SmallVec<[Tok; 4]>);

impl Value {
    /// No value at all: the code that makes it was not reached.
    pub fn empty() -> Self {
        Self::default()
    }

    /// One token.
    pub fn of(token: Tok) -> Self {
        let mut list = SmallVec::new();
        list.push(token);
        Self(list)
    }

    /// Nothing is known about it.
    pub fn unknown() -> Self {
        Self::of(Tok::UNKNOWN)
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many tokens it holds.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The tokens, sorted.
    pub fn iter(&self) -> impl Iterator<Item = Tok> + '_ {
        self.0.iter().copied()
    }

    /// Whether it holds the token.
    pub fn contains(&self, token: Tok) -> bool {
        self.0.binary_search(&token).is_ok()
    }

    /// The only token, if there is exactly one.
    pub fn single(&self) -> Option<Tok> {
        if self.0.len() == 1 { self.0.first().copied() } else { None }
    }

    /// Adds a token; says whether the set grew.
    pub fn insert(&mut self, token: Tok) -> bool {
        if self.0.first() == Some(&Tok::TOP) {
            return false;
        }
        match self.0.binary_search(&token) {
            Ok(_) => false,
            Err(at) => {
                if token == Tok::TOP || self.0.len() >= CAP {
                    self.0.clear();
                    self.0.push(Tok::TOP);
                } else {
                    self.0.insert(at, token);
                }
                true
            }
        }
    }

    /// Adds all tokens of another set; says whether this one grew.
    pub fn join(&mut self, other: &Value) -> bool {
        if self.0.is_empty() {
            self.0 = other.0.clone();
            return !other.0.is_empty();
        }
        let mut grew = false;
        for &token in &other.0 {
            grew |= self.insert(token);
        }
        grew
    }

    /// More than a set holds.
    pub fn top() -> Self {
        Self::of(Tok::TOP)
    }

    /// Whether it holds more than is worth following.
    pub fn is_top(&self) -> bool {
        self.contains(Tok::TOP) || self.0.len() > MOST
    }

    /// The tokens that a test keeps.
    pub fn filter(&self, keep: impl Fn(Tok) -> bool) -> Value {
        Value(self.0.iter().copied().filter(|&t| keep(t)).collect())
    }
}

impl FromIterator<Tok> for Value {
    fn from_iter<I: IntoIterator<Item = Tok>>(tokens: I) -> Self {
        let mut value = Value::empty();
        for token in tokens {
            value.insert(token);
        }
        value
    }
}

impl Tokens {
    /// The id of a token that may not exist yet.
    pub fn find(&self, token: &Token) -> Option<Tok> {
        self.index.get(token).copied()
    }
}
