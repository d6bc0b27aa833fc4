//! A small part of Python as data, and its text: what the random programs are made of.

use std::fmt::Write;

/// Something with a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Int(i64),
    Bool(bool),
    None,
    Var(&'static str),
    List(Vec<i64>),
    Len(&'static str),
    /// `+`, `-`, `*`
    Binary(char, Box<Expr>, Box<Expr>),
    Compare(&'static str, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// Whether a variable is `None`.
    IsNone(&'static str),
    /// `answer.status_code`
    Status(&'static str),
    /// `answer.ok`
    Ok(&'static str),
    /// `error.response is not None and error.response.status_code <op> number`
    ErrorStatus(&'static str, &'static str, i64),
    /// Nobody knows.
    Coin,
    /// `time.monotonic()`
    Now,
    /// A call of an own function that sends nothing.
    Helper(&'static str, Vec<Expr>),
}

/// What a `for` goes over.
#[derive(Clone, Debug, PartialEq)]
pub enum Iter {
    Range(Vec<Expr>),
    List(Expr),
    /// `enumerate(list, start)`; binds the loop's variable and `delay`.
    Enumerate(Expr, i64),
}

/// A class of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Exception,
    RequestException,
    HttpError,
    ConnectionError,
    Timeout,
    ReadTimeout,
    Failed,
    Worse,
    ValueError,
    TypeError,
    AttributeError,
}

impl Class {
    pub fn text(self) -> &'static str {
        match self {
            Class::Exception => "Exception",
            Class::RequestException => "requests.RequestException",
            Class::HttpError => "requests.HTTPError",
            Class::ConnectionError => "requests.ConnectionError",
            Class::Timeout => "requests.Timeout",
            Class::ReadTimeout => "requests.ReadTimeout",
            Class::Failed => "Failed",
            Class::Worse => "Worse",
            Class::ValueError => "ValueError",
            Class::TypeError => "TypeError",
            Class::AttributeError => "AttributeError",
        }
    }

    fn base(self) -> Option<Class> {
        Some(match self {
            Class::Exception => return None,
            Class::HttpError | Class::ConnectionError | Class::Timeout => Class::RequestException,
            Class::ReadTimeout => Class::Timeout,
            Class::Worse => Class::Failed,
            _ => Class::Exception,
        })
    }

    pub fn is_a(self, other: Class) -> bool {
        let mut at = Some(self);
        while let Some(class) = at {
            if class == other {
                return true;
            }
            at = class.base();
        }
        false
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// None: a bare `except`.
    pub types: Vec<Class>,
    pub name: Option<&'static str>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Raise {
    Again,
    New(Class),
    /// From the error being handled.
    From(Class, &'static str),
    Var(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// `requests.get(URL).raise_for_status()`
    Send,
    /// `answer = requests.get(URL)`
    Answer(&'static str),
    /// `return requests.get(URL)`
    ReturnAnswer,
    /// `answer.raise_for_status()`
    Check(&'static str),
    /// A call of a function that sends, and where its result goes.
    Call(Option<&'static str>, &'static str, Vec<Expr>),
    ReturnCall(&'static str, Vec<Expr>),
    Assign(&'static str, Expr),
    Augment(&'static str, char, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>, Vec<Stmt>),
    For(&'static str, Iter, Vec<Stmt>, Vec<Stmt>),
    Try {
        body: Vec<Stmt>,
        handlers: Vec<Handler>,
        otherwise: Vec<Stmt>,
        finally: Vec<Stmt>,
    },
    Raise(Raise),
    Break,
    Continue,
    Return(Option<Expr>),
    Sleep(Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: &'static str,
    /// Parameters with defaults.
    pub params: Vec<(&'static str, i64)>,
    pub body: Vec<Stmt>,
}

/// The last function is the one that starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub functions: Vec<Function>,
}

const HEAD: &str = "import time
import requests
from world import coin

URL = \"http://localhost/things\"


class Failed(Exception):
    pass


class Worse(Failed):
    pass
";

impl Program {
    /// Whether a function that is called can go different ways each time.
    pub fn is_free_below(&self) -> bool {
        let (_, below) = self.functions.split_last().unwrap();
        let recursive =
            |f: &Function| format!("{:?}", f.body).contains("Call") && f.params.iter().any(|p| p.0 == "left");
        let coins = |f: &Function| format!("{:?}", f.body).contains("Coin");
        below.iter().any(coins) || self.functions.iter().any(|f| coins(f) && recursive(f))
    }

    /// The program as Python.
    pub fn text(&self) -> String {
        let mut out = HEAD.to_string();
        for function in &self.functions {
            let params: Vec<String> = function.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let _ = write!(out, "\n\ndef {}({}):\n", function.name, params.join(", "));
            block(&mut out, &function.body, 1);
        }
        out
    }
}

fn block(out: &mut String, body: &[Stmt], depth: usize) {
    if body.is_empty() {
        line(out, depth, "pass");
    }
    for stmt in body {
        write_stmt(out, stmt, depth);
    }
}

fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{}{text}", "    ".repeat(depth));
}

fn otherwise(out: &mut String, body: &[Stmt], depth: usize) {
    if !body.is_empty() {
        line(out, depth, "else:");
        block(out, body, depth + 1);
    }
}

fn write_stmt(out: &mut String, stmt: &Stmt, depth: usize) {
    let list = |args: &[Expr]| args.iter().map(expr).collect::<Vec<_>>().join(", ");
    match stmt {
        Stmt::Send => line(out, depth, "requests.get(URL).raise_for_status()"),
        Stmt::Answer(name) => line(out, depth, &format!("{name} = requests.get(URL)")),
        Stmt::ReturnAnswer => line(out, depth, "return requests.get(URL)"),
        Stmt::Check(name) => line(out, depth, &format!("{name}.raise_for_status()")),
        Stmt::Call(None, name, args) => line(out, depth, &format!("{name}({})", list(args))),
        Stmt::Call(Some(to), name, args) => line(out, depth, &format!("{to} = {name}({})", list(args))),
        Stmt::ReturnCall(name, args) => line(out, depth, &format!("return {name}({})", list(args))),
        Stmt::Assign(name, value) => line(out, depth, &format!("{name} = {}", expr(value))),
        Stmt::Augment(name, op, value) => line(out, depth, &format!("{name} {op}= {}", expr(value))),
        Stmt::If(test, then, rest) => {
            line(out, depth, &format!("if {}:", expr(test)));
            block(out, then, depth + 1);
            otherwise(out, rest, depth);
        }
        Stmt::While(test, body, rest) => {
            line(out, depth, &format!("while {}:", expr(test)));
            block(out, body, depth + 1);
            otherwise(out, rest, depth);
        }
        Stmt::For(name, iter, body, rest) => {
            let header = match iter {
                Iter::Range(args) => format!("for {name} in range({}):", list(args)),
                Iter::List(over) => format!("for {name} in {}:", expr(over)),
                Iter::Enumerate(over, 0) => format!("for {name}, delay in enumerate({}):", expr(over)),
                Iter::Enumerate(over, start) => format!("for {name}, delay in enumerate({}, {start}):", expr(over)),
            };
            line(out, depth, &header);
            block(out, body, depth + 1);
            otherwise(out, rest, depth);
        }
        Stmt::Try { body, handlers, otherwise: rest, finally } => {
            line(out, depth, "try:");
            block(out, body, depth + 1);
            for handler in handlers {
                let types: Vec<&str> = handler.types.iter().map(|t| t.text()).collect();
                let types = match types.as_slice() {
                    [] => String::new(),
                    [one] => format!(" {one}"),
                    _ => format!(" ({})", types.join(", ")),
                };
                let name = handler.name.filter(|_| !types.is_empty()).map(|n| format!(" as {n}")).unwrap_or_default();
                line(out, depth, &format!("except{types}{name}:"));
                block(out, &handler.body, depth + 1);
            }
            if !handlers.is_empty() {
                otherwise(out, rest, depth);
            }
            if !finally.is_empty() || handlers.is_empty() {
                line(out, depth, "finally:");
                block(out, finally, depth + 1);
            }
        }
        Stmt::Raise(Raise::Again) => line(out, depth, "raise"),
        Stmt::Raise(Raise::New(class)) => line(out, depth, &format!("raise {}(\"no\")", class.text())),
        Stmt::Raise(Raise::From(class, name)) => {
            line(out, depth, &format!("raise {}(\"no\") from {name}", class.text()))
        }
        Stmt::Raise(Raise::Var(name)) => line(out, depth, &format!("raise {name}")),
        Stmt::Break => line(out, depth, "break"),
        Stmt::Continue => line(out, depth, "continue"),
        Stmt::Return(None) => line(out, depth, "return"),
        Stmt::Return(Some(value)) => line(out, depth, &format!("return {}", expr(value))),
        Stmt::Sleep(value) => line(out, depth, &format!("time.sleep({})", expr(value))),
    }
}

/// An expression's text; whatever has parts is in parentheses.
pub fn expr(e: &Expr) -> String {
    match e {
        Expr::Int(n) => n.to_string(),
        Expr::Bool(true) => "True".into(),
        Expr::Bool(false) => "False".into(),
        Expr::None => "None".into(),
        Expr::Var(name) => (*name).into(),
        Expr::List(items) => format!("[{}]", items.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
        Expr::Len(name) => format!("len({name})"),
        Expr::Binary(op, a, b) => format!("({} {op} {})", expr(a), expr(b)),
        Expr::Compare(op, a, b) => format!("({} {op} {})", expr(a), expr(b)),
        Expr::Not(a) => format!("(not {})", expr(a)),
        Expr::And(a, b) => format!("({} and {})", expr(a), expr(b)),
        Expr::Or(a, b) => format!("({} or {})", expr(a), expr(b)),
        Expr::IsNone(name) => format!("({name} is None)"),
        Expr::Status(name) => format!("{name}.status_code"),
        Expr::Ok(name) => format!("{name}.ok"),
        Expr::ErrorStatus(name, op, number) => {
            format!("({name}.response is not None and {name}.response.status_code {op} {number})")
        }
        Expr::Coin => "coin()".into(),
        Expr::Now => "time.monotonic()".into(),
        Expr::Helper(name, args) => format!("{name}({})", args.iter().map(expr).collect::<Vec<_>>().join(", ")),
    }
}
