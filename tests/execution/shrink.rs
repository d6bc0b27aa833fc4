//! Smaller programs: a statement less, a block instead of what held it, a smaller number.

use super::program::*;

/// Programs a step smaller than this one, the smallest first.
pub fn smaller(program: &Program) -> Vec<Program> {
    let mut out = Vec::new();
    for at in 0..program.functions.len().saturating_sub(1) {
        if !mentions(program, program.functions[at].name) {
            let mut less = program.clone();
            less.functions.remove(at);
            out.push(less);
        }
    }
    for (at, function) in program.functions.iter().enumerate() {
        for body in blocks(&function.body) {
            let mut less = program.clone();
            less.functions[at].body = body;
            out.push(less);
        }
        for (p, &(_, value)) in function.params.iter().enumerate() {
            if value > 0 {
                let mut less = program.clone();
                less.functions[at].params[p].1 = value - 1;
                out.push(less);
            }
        }
    }
    out
}

fn mentions(program: &Program, name: &str) -> bool {
    program.functions.iter().any(|f| format!("{:?}", f.body).contains(&format!("\"{name}\"")))
}

fn blocks(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut out = Vec::new();
    for at in 0..body.len() {
        let mut less = body.to_vec();
        less.remove(at);
        out.push(less);
    }
    for at in 0..body.len() {
        let with = |parts: Vec<Stmt>| {
            let mut less = body.to_vec();
            less.splice(at..=at, parts);
            less
        };
        match &body[at] {
            Stmt::If(_, a, b) | Stmt::While(_, a, b) | Stmt::For(_, _, a, b) => {
                out.push(with(a.clone()));
                out.push(with(b.clone()));
            }
            Stmt::Try { body, otherwise, finally, .. } => {
                let all = [body.clone(), otherwise.clone(), finally.clone()].concat();
                out.push(with(all));
            }
            _ => {}
        }
        for stmt in statements(&body[at]) {
            out.push(with(vec![stmt]));
        }
    }
    out
}

fn statements(stmt: &Stmt) -> Vec<Stmt> {
    let mut out = Vec::new();
    match stmt {
        Stmt::If(test, a, b) => {
            out.extend(blocks(a).into_iter().filter(|a| !a.is_empty()).map(|a| Stmt::If(test.clone(), a, b.clone())));
            out.extend(blocks(b).into_iter().map(|b| Stmt::If(test.clone(), a.clone(), b)));
            out.extend(exprs(test).into_iter().map(|test| Stmt::If(test, a.clone(), b.clone())));
        }
        Stmt::While(test, a, b) => {
            out.extend(blocks(a).into_iter().map(|a| Stmt::While(test.clone(), a, b.clone())));
            out.extend(blocks(b).into_iter().map(|b| Stmt::While(test.clone(), a.clone(), b)));
            out.extend(exprs(test).into_iter().map(|test| Stmt::While(test, a.clone(), b.clone())));
        }
        Stmt::For(name, iter, a, b) => {
            out.extend(blocks(a).into_iter().map(|a| Stmt::For(name, iter.clone(), a, b.clone())));
            out.extend(blocks(b).into_iter().map(|b| Stmt::For(name, iter.clone(), a.clone(), b)));
            let iters: Vec<Iter> = match iter {
                Iter::Range(args) => match args.as_slice() {
                    [one] => exprs(one).into_iter().map(|e| Iter::Range(vec![e])).collect(),
                    _ => vec![Iter::Range(vec![Expr::Int(2)])],
                },
                Iter::List(_) => vec![Iter::Range(vec![Expr::Int(2)])],
                Iter::Enumerate(over, _) => vec![Iter::List(over.clone())],
            };
            out.extend(iters.into_iter().map(|iter| Stmt::For(name, iter, a.clone(), b.clone())));
        }
        Stmt::Try { body, handlers, otherwise, finally } => {
            let whole = |body: &[Stmt], handlers: &[Handler], otherwise: &[Stmt], finally: &[Stmt]| Stmt::Try {
                body: body.to_vec(),
                handlers: handlers.to_vec(),
                otherwise: otherwise.to_vec(),
                finally: finally.to_vec(),
            };
            out.extend(blocks(body).iter().map(|b| whole(b, handlers, otherwise, finally)));
            for at in 0..handlers.len() {
                if handlers.len() > 1 {
                    let mut less = handlers.clone();
                    less.remove(at);
                    out.push(whole(body, &less, otherwise, finally));
                }
                for inside in blocks(&handlers[at].body) {
                    let mut less = handlers.clone();
                    less[at].body = inside;
                    out.push(whole(body, &less, otherwise, finally));
                }
                if handlers[at].types != [Class::Exception] {
                    let mut less = handlers.clone();
                    less[at].types = vec![Class::Exception];
                    out.push(whole(body, &less, otherwise, finally));
                }
            }
            out.extend(blocks(otherwise).iter().map(|b| whole(body, handlers, b, finally)));
            out.extend(blocks(finally).iter().map(|b| whole(body, handlers, otherwise, b)));
        }
        Stmt::Assign(name, value) => out.extend(exprs(value).into_iter().map(|v| Stmt::Assign(name, v))),
        Stmt::Raise(Raise::From(class, _)) => out.push(Stmt::Raise(Raise::New(*class))),
        Stmt::Answer(_) => out.push(Stmt::Send),
        Stmt::Return(Some(_)) => out.push(Stmt::Return(None)),
        _ => {}
    }
    out
}

fn exprs(e: &Expr) -> Vec<Expr> {
    match e {
        Expr::Int(n) if *n > 0 => vec![Expr::Int(n - 1)],
        Expr::List(items) if !items.is_empty() => vec![Expr::List(items[1..].to_vec())],
        Expr::Not(a) => [vec![(**a).clone()], exprs(a).into_iter().map(|a| Expr::Not(Box::new(a))).collect()].concat(),
        Expr::And(a, b) | Expr::Or(a, b) => vec![(**a).clone(), (**b).clone()],
        Expr::Compare(op, a, b) => {
            let left = exprs(a).into_iter().map(|a| Expr::Compare(op, Box::new(a), b.clone()));
            let right = exprs(b).into_iter().map(|b| Expr::Compare(op, a.clone(), Box::new(b)));
            left.chain(right).collect()
        }
        Expr::Binary(op, a, b) => {
            let mut out = vec![(**a).clone()];
            out.extend(exprs(b).into_iter().map(|b| Expr::Binary(*op, a.clone(), Box::new(b))));
            out
        }
        Expr::Helper(..) | Expr::ErrorStatus(..) => vec![Expr::Bool(true), Expr::Bool(false)],
        _ => Vec::new(),
    }
}
