//! The Python front end: one pass over a flat copy of the syntax tree, names settled as scopes close.

mod call;
mod class;
mod comments;
mod compound;
mod comprehension;
mod expr;
mod function;
mod import;
mod kind;
mod literal;
mod matching;
mod operators;
mod pattern;
mod scopes;
mod stmt;
mod tree;
mod types;

use crate::ir::{ClassId, ExprId, ExprKind, File, Language, MODULE, Name, Span, Stmt, StmtId, VarId};
use crate::lower::Builder;
use scopes::Scopes;
use tree::{Node, Tree};

/// How deep blocks and expressions may nest: what is deeper becomes unknown, so that no input overflows the
/// stack.
const MAX_DEPTH: u32 = 200;

/// Lowers one Python file.
pub fn lower(path: &str, source: &str) -> File {
    let mut builder = Builder::new(path, Language::Python, source);
    let Some(tree) = Tree::parse(source) else {
        builder.problem("given up: parsing takes too long", Span::new(0, source.len()));
        return builder.finish();
    };
    for error in &tree.errors {
        builder.problem("syntax error", *error);
    }
    comments::ignores(&mut builder, source, &tree.comments);
    let mut lower = Lower {
        builder,
        scopes: Scopes::new(),
        depth: 0,
        too_deep: false,
        type_only: false,
        exports: Exports::default(),
    };
    let mut body = Vec::new();
    if let Some(root) = tree.root() {
        lower.statements(root, &mut body);
    }
    lower.finish(body)
}

/// What `__all__` holds so far.
#[derive(Default)]
enum Exports {
    #[default]
    None,
    Names(Vec<Name>),
    /// It is not constant.
    Unknown,
}

/// A file being lowered.
struct Lower {
    builder: Builder,
    scopes: Scopes,
    depth: u32,
    too_deep: bool,
    /// Inside `if TYPE_CHECKING`.
    type_only: bool,
    exports: Exports,
}

impl Lower {
    fn finish(mut self, body: Vec<StmtId>) -> File {
        let block = self.builder.block(body);
        if let Some(module) = self.builder.file_mut().functions.get_mut(MODULE.index()) {
            module.body = block;
        }
        self.scopes.finish(&mut self.builder);
        let mut file = self.builder.finish();
        if let Exports::Names(names) = self.exports {
            file.export_list = Some(names);
        }
        file
    }

    /// Goes one level down; false (and a problem, once a file) where that is too deep.
    fn enter(&mut self, node: Node) -> bool {
        if self.depth >= MAX_DEPTH {
            if !self.too_deep {
                self.too_deep = true;
                self.builder.problem("nested too deeply", node.span());
            }
            return false;
        }
        self.depth += 1;
        true
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn unknown(&mut self, parts: Vec<ExprId>, span: Span) -> ExprId {
        self.builder.expr(ExprKind::Unknown(parts), span)
    }

    /// Reads a name.
    fn read(&mut self, text: &str, span: Span) -> ExprId {
        let name = self.builder.name(text);
        let expr = self.builder.expr(ExprKind::Free(name), span);
        self.scopes.read(&mut self.builder, expr, name);
        expr
    }

    /// The variable an assignment to a name writes.
    fn bind(&mut self, text: &str) -> VarId {
        let name = self.builder.name(text);
        self.scopes.bind(&mut self.builder, name)
    }

    fn push(&mut self, stmt: Stmt, span: Span, out: &mut Vec<StmtId>) {
        let stmt = self.builder.stmt(stmt, span);
        out.push(stmt);
    }

    /// The innermost class around the current place.
    fn class(&self) -> Option<ClassId> {
        self.scopes.class()
    }
}
