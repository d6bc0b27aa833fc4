//! Functions, methods, closures and `async` blocks.

use super::lowerer::{Dest, Lowerer};
use super::scope::FrameKind;
use super::spans::join;
use super::testing::is_for_tests;
use crate::ir::*;
use syn::{FnArg, Pat, ReceiverKind, ReturnType, Safety, Signature, Visibility};

/// A function item as written in a module, block, impl, trait or `extern` block.
pub(super) struct Written<'a> {
    pub attrs: &'a [syn::Attribute],
    pub vis: Option<&'a Visibility>,
    pub sig: &'a Signature,
    pub block: Option<&'a syn::Block>,
    /// Where it ends if it has no block.
    pub end: proc_macro2::Span,
}

/// What of a function has to be put back after lowering another one inside it.
struct Around {
    function: FunctionId,
    targets: Vec<super::lowerer::Target>,
    bound: Vec<(Name, u32, VarId)>,
}

impl Lowerer {
    /// Starts a function that is written in the one at hand; its body is filled in later.
    pub fn new_function(&mut self, kind: FunctionKind, name: Option<Name>, span: Span, name_span: Span) -> FunctionId {
        let body = self.b.block(Vec::new());
        self.b.function(Function {
            name,
            kind,
            binding: Binding::None,
            parent: Some(self.function),
            class: None,
            params: Vec::new(),
            body,
            is_async: false,
            is_generator: false,
            is_abstract: false,
            is_test: self.for_tests,
            decorators: Vec::new(),
            returns: None,
            span,
            name_span,
        })
    }

    /// Runs `inside` as the body of `function`, in a frame of its own.
    pub fn in_function<T>(&mut self, function: FunctionId, kind: FrameKind, inside: impl FnOnce(&mut Self) -> T) -> T {
        let around = Around {
            function: std::mem::replace(&mut self.function, function),
            targets: std::mem::take(&mut self.targets),
            bound: std::mem::take(&mut self.bound),
        };
        self.scopes.push(kind, function);
        let result = inside(self);
        self.scopes.pop();
        self.function = around.function;
        self.targets = around.targets;
        self.bound = around.bound;
        result
    }

    /// Sets a function's statements.
    pub fn set_body(&mut self, function: FunctionId, stmts: Vec<StmtId>) {
        let stmts = self.with_const_args(function, stmts);
        let body = self.b.file().function(function).body;
        self.b.file_mut().blocks[body.index()] = stmts;
    }

    /// A named function; `class` if it is a method or associated function.
    pub fn function_item(&mut self, written: &Written<'_>, class: Option<ClassId>) -> FunctionId {
        let sig = written.sig;
        let decorators = self.decorators(written.attrs);
        let name = self.ident(&sig.ident);
        let name_span = self.at(sig.ident.span());
        let end = written.block.map_or(written.end, |b| b.brace_token.span.close());
        let span = join(self.at(signature_start(written.vis, sig)), self.at(end));
        let around = self.for_tests;
        self.for_tests |= is_for_tests(written.attrs);
        let id = self.new_function(FunctionKind::Named, Some(name), span, name_span);
        let has_receiver = matches!(sig.inputs.first(), Some(FnArg::Receiver(_)));
        {
            let function = &mut self.b.file_mut().functions[id.index()];
            function.class = class;
            function.is_async = sig.asyncness.is_some();
            function.is_abstract = written.block.is_none();
            function.decorators = decorators;
            function.binding = match (class, has_receiver) {
                (None, _) => Binding::None,
                (Some(_), true) => Binding::Instance,
                (Some(_), false) => Binding::Static,
            };
        }
        // An item sees no type parameters but its own and, in an impl or trait, those of the block.
        let hidden = if class.is_none() { std::mem::take(&mut self.generics) } else { Vec::new() };
        let outer = self.generics.len();
        self.in_function(id, FrameKind::Function, |l| {
            l.type_params(&sig.generics, false);
            l.params(id, sig.inputs.iter());
            l.const_params(id, &sig.generics);
            let returns = l.returned(&sig.output);
            l.b.file_mut().functions[id.index()].returns = returns;
            if let Some(block) = written.block {
                let mut stmts = Vec::new();
                l.stmts_in_body(block, &mut stmts);
                l.set_body(id, stmts);
            }
        });
        self.generics.truncate(outer);
        if class.is_none() {
            self.generics = hidden;
        }
        self.for_tests = around;
        id
    }

    fn stmts_in_body(&mut self, block: &syn::Block, out: &mut Vec<StmtId>) {
        if !self.enter() {
            return;
        }
        self.block_into(block, Dest::Return, out);
        self.leave();
    }

    fn params<'a>(&mut self, id: FunctionId, inputs: impl Iterator<Item = &'a FnArg>) {
        for input in inputs {
            let param = match input {
                FnArg::Receiver(r) => {
                    let declared = match &r.kind {
                        ReceiverKind::Typed(_, ty) => Some(self.ty(ty)),
                        _ => None,
                    };
                    let ident = proc_macro2::Ident::new("self", r.self_token.span);
                    let var = self.local(&ident);
                    self.bound.clear();
                    let (name, span) = (self.ident(&ident), self.at(r.self_token.span));
                    let pattern = self.b.pattern(Pattern::Bind(var));
                    Param {
                        name: Some(name),
                        pattern,
                        kind: ParamKind::Receiver,
                        default: None,
                        declared,
                        is_field: false,
                        injected: None,
                        span,
                    }
                }
                FnArg::Typed(p) => self.param(&p.pat, Some(&p.ty)),
            };
            self.b.file_mut().functions[id.index()].params.push(param);
        }
    }

    fn param(&mut self, pat: &Pat, ty: Option<&syn::Type>) -> Param {
        let declared = ty.map(|t| self.ty(t));
        let span = self.pat_start(pat);
        let name = match pat {
            Pat::Ident(p) => Some(self.ident(&p.ident)),
            _ => None,
        };
        let pattern = self.pattern(pat);
        Param {
            name,
            pattern,
            kind: ParamKind::PositionalOnly,
            default: None,
            declared,
            is_field: false,
            injected: None,
            span,
        }
    }

    /// `|a, b| …`, `move || …`, `async || …`
    pub fn closure(&mut self, e: &syn::ExprClosure) -> ExprId {
        let first = match (&e.lifetimes, &e.constness, &e.asyncness, &e.capture) {
            (Some(l), ..) => l.for_token.span,
            (_, Some(t), ..) => t.span,
            (_, _, Some(t), _) => t.span,
            (_, _, _, Some(t)) => t.span,
            _ => e.inputs_begin.spans[0],
        };
        let start = self.at(first);
        let head = join(start, self.at(e.inputs_end.spans[0]));
        let id = self.new_function(FunctionKind::Anonymous, None, head, start);
        self.b.file_mut().functions[id.index()].is_async = e.asyncness.is_some();
        self.in_function(id, FrameKind::Block, |l| {
            for input in &e.inputs {
                let param = match input {
                    Pat::Type(p) => l.param(&p.pat, Some(&p.ty)),
                    pat => l.param(pat, None),
                };
                l.b.file_mut().functions[id.index()].params.push(param);
            }
            if let ReturnType::Type(_, ty) = &e.output {
                let returns = Some(l.ty(ty));
                l.b.file_mut().functions[id.index()].returns = returns;
            }
            let mut stmts = Vec::new();
            l.lower_into(&e.body, Dest::Return, &mut stmts);
            let mut end = head;
            if let syn::Expr::Block(b) = &*e.body {
                end = l.at(b.block.brace_token.span.close());
            } else if let Some(last) = stmts.last() {
                end = l.b.file().stmt_spans[last.index()];
            }
            l.b.file_mut().functions[id.index()].span = join(start, end);
            l.set_body(id, stmts);
        });
        let span = self.b.file().function(id).span;
        self.b.expr(ExprKind::Closure(id), span)
    }

    /// `async { … }`, `async move { … }`
    pub fn async_block(&mut self, e: &syn::ExprAsync) -> ExprId {
        let start = self.at(e.async_token.span);
        let span = join(start, self.at(e.block.brace_token.span.close()));
        self.future(span, start, |l, out| l.block_into(&e.block, Dest::Return, out))
    }

    /// Statements that run where the value is awaited or consumed: an `async` block.
    pub fn future(&mut self, span: Span, start: Span, inside: impl FnOnce(&mut Self, &mut Vec<StmtId>)) -> ExprId {
        let id = self.new_function(FunctionKind::AsyncBlock, None, span, start);
        self.b.file_mut().functions[id.index()].is_async = true;
        self.in_function(id, FrameKind::Block, |l| {
            let mut stmts = Vec::new();
            inside(l, &mut stmts);
            l.set_body(id, stmts);
        });
        self.b.expr(ExprKind::Closure(id), span)
    }
}

/// The first token of a function that is not an attribute.
fn signature_start(vis: Option<&Visibility>, sig: &Signature) -> proc_macro2::Span {
    match vis {
        Some(Visibility::Public(t)) => return t.span,
        Some(Visibility::Restricted(r)) => return r.pub_token.span,
        _ => {}
    }
    if let Some(t) = sig.constness {
        return t.span;
    }
    if let Some(t) = sig.asyncness {
        return t.span;
    }
    match (&sig.safety, &sig.abi) {
        (Safety::Safe(t), _) => t.span,
        (Safety::Unsafe(t), _) => t.span,
        (Safety::Default, Some(abi)) => abi.extern_token.span,
        (Safety::Default, None) => sig.fn_token.span,
    }
}
